"""What a sync has to say beside its counts: repairs, a clock that went back, another time zone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from fleetkit.mirror.repairing import Repair
from fleetkit.mirror.syncs import Sync
from fleetkit.settings import Settings

__all__ = ["CLOCKS_APART", "ahead", "remarks"]

# Clocks of two machines may differ by as much; more is said.
CLOCKS_APART = timedelta(minutes=5)


def remarks(
    newest: Sync | None, *, clock: datetime, tz: str, repairs: Mapping[str, Repair]
) -> list[str]:
    """Return a sentence for each thing that a person should know of.

    Parameters
    ----------
    newest : Sync or None
        The sync before.
    clock : datetime
        When the clock says that this sync was written.
    tz : str
        IANA time zone of the fleet that synced.
    repairs : dict of str → Repair
        Table → what was done to it.
    """
    found = [_repaired(name, done) for name, done in repairs.items()]
    if newest is None:
        return found
    if newest.written_at - clock > CLOCKS_APART:
        found.append(
            f"The sync before bears a moment that lies {ahead(newest.written_at - clock)} ahead "
            "of this clock: its clock was wrong, or this one is. Its rows keep that moment, and "
            "what changes is dated after it until then."
        )
    if tz not in {newest.tz, Settings.tz}:
        found.append(
            f"The mirror keeps its time zone, {newest.tz}; that of the fleet, {tz}, changes "
            "nothing in it."
        )
    return found


def _repaired(name: str, done: Repair) -> str:
    if done.whole:
        return (
            f"Repaired: table {name} was damaged. Row versions restored: {done.restored:,}; every "
            "state is as it was pinned."
        )
    return (
        f"Repaired with loss: table {name} was damaged, and part of its history is gone. Earlier "
        "states can be opened only where they are whole; changes are told from this sync on."
    )


def ahead(span: timedelta) -> str:
    """Write how far a moment lies ahead.

    Examples
    --------
    >>> ahead(timedelta(days=364, hours=3)), ahead(timedelta(minutes=90))
    ('364 d', '1 h')
    """
    for unit, name in ((timedelta(days=1), "d"), (timedelta(hours=1), "h")):
        if span >= unit:
            return f"{span // unit} {name}"
    return f"{span // timedelta(minutes=1)} min"
