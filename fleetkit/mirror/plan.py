"""Which flights and project details a sync reads: what moved, and a share of the rest in turn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.mirror import syncs
from fleetkit.mirror.layout import DETAILS, prepare
from fleetkit.mirror.moved import moved_equipment, moved_projects
from fleetkit.mirror.signals import Unproven
from fleetkit.mirror.store import Store
from fleetkit.mirror.syncs import LAYOUT, Read

__all__ = ["AUDIT", "Plan", "newest", "plan"]

# Share of the equipment, and of the projects, that each sync reads although nothing moved: all of
# it once in ten syncs.
AUDIT = 0.1
Reasons = dict[str, str]


@dataclass(frozen=True)
class Plan:
    """What a sync reads beside the lists that every sync reads whole, and why.

    Attributes
    ----------
    flights : dict of str → str
        Equipment whose flights are read whole → ``"full"``, ``"new"``, ``"moved"``,
        ``"uncounted"``, ``"audit"``, or ``"shared"`` (it logged a flight that changed elsewhere).
    details : dict of str → str, or None
        Projects that are read by id → the reason; None where details aren't wanted.
    base : int or None
        Version of the mirror that the lists were compared with, 0 where there was none; what was
        read is written on top of that one alone. None: on top of any.
    """

    flights: Reasons = field(default_factory=dict)
    details: Reasons | None = None
    base: int | None = None

    def with_more(self, more: Unproven) -> Plan:
        """Return the plan that reads what was missing too."""
        details = None if self.details is None else {**more.details, **self.details}
        return Plan({**more.flights, **self.flights}, details, self.base)

    def read(self) -> Read:
        """Return what the sync's row keeps of it."""
        return Read(_by_reason(self.flights), _by_reason(self.details or {}))


def _by_reason(reasons: Reasons) -> dict[str, list[str]]:
    return {
        reason: sorted(each for each, why in reasons.items() if why == reason)
        for reason in sorted(set(reasons.values()))
    }


def plan(
    path: str | Path,
    lists: Mapping[str, pd.DataFrame],
    *,
    audit: float = AUDIT,
    details: bool = True,
    full: bool = False,
    base: int | None = None,
) -> Plan:
    """Compare the lists that are read whole with the newest sync; return what else to read.

    Parameters
    ----------
    path : str or Path
        The mirror; where there is none, everything is new.
    lists : dict of str → DataFrame
        ``equipment`` and ``projects``, as far as the key can read them; others don't matter.
    audit : float
        Share, 0 to 1, of the equipment and of the projects to read although nothing moved: those
        first whose turn was longest ago, so that all were read within ``ceil(1 / audit)`` syncs.
    details : bool
        Whether projects are read by id at all.
    full : bool
        Read everything.
    base : int, optional
        What `newest` said before the lists were read; default: what it says now.

    Raises
    ------
    InvalidValue
        `audit` is no share.
    MirrorError
        The mirror can't be read, or was written by a newer fleetkit.
    """
    if not 0 <= audit <= 1:
        raise InvalidValue(f"audit={audit} is no share.", advice="Give 0 to 1, such as 0.1.")
    store = Store(path)
    table, state = syncs.find(store)
    if state is not None and state.layout < LAYOUT:
        full = True  # whoever wrote it kept no account of what was read
    flights, projects = syncs.last_read(store, table)
    moved = {
        name: dict.fromkeys(frame.iloc[:, 0], "full") if full else _moved(store, state, name, frame)
        for name, frame in lists.items()
        if name in {"equipment", "projects"}
    }
    reasons = {
        name: _audited(moved[name], lists[name].iloc[:, 0], last, audit, _number(state))
        for name, last in (("equipment", flights), ("projects", projects))
        if name in lists
    }
    return Plan(
        flights=reasons.get("equipment", {}),
        details=reasons.get("projects", {}) if details else None,
        base=_number(state) if base is None else base,
    )


def newest(path: str | Path) -> int:
    """Return the version of a mirror's newest sync; 0 where there is no mirror."""
    return _number(syncs.find(Store(path))[1])


def _number(state: syncs.Sync | None) -> int:
    return 0 if state is None else state.version


def _moved(store: Store, state: syncs.Sync | None, name: str, frame: pd.DataFrame) -> Reasons:
    pin = state.tables[name] if state is not None else syncs.Pin()
    table = None if pin.version is None else store.table(name, pin.version)
    rows = prepare(name, frame).table.drop_columns(["row_hash"])
    with store.doing("read"):
        if name == "equipment":
            return moved_equipment(table, rows)
        kept = state is not None and state.details
        return moved_projects(table if kept else None, rows.drop_columns([*DETAILS]))


def _audited(
    moved: Reasons, every: Iterable[str], last_read: Mapping[str, int], audit: float, newest: int
) -> Reasons:
    """Add those that stand still and were read longest ago."""
    ids = set(every)
    still = sorted(ids - moved.keys(), key=lambda each: (last_read.get(each, 0), each))
    # Who had a turn lately counts although it vanished since: the others waited for it.
    since = newest - math.ceil(1 / audit) if audit else newest
    lately = {each for each, version in last_read.items() if version > since}
    # 0.1 × 30 is a little more than 3.
    share = math.ceil(round(audit * len(ids | lately), 6))
    return moved | dict.fromkeys(still[:share], "audit")
