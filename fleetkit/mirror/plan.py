"""Which flights and project details a sync reads: what changed, and a share of the rest in turn.

A piece of equipment carries a fingerprint of its flights: ``totalFlights``, ``totalFlightHours``
and ``updatedAt``. While it stays the same, so do the flights, but for edits that no counter shows;
those are found by the audit. A project's two detail fields are taken to stay while its row does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from fleetkit.columns import DETAIL_COLUMNS
from fleetkit.errors import InvalidValue
from fleetkit.mirror import syncs
from fleetkit.mirror.hashes import row_hashes
from fleetkit.mirror.layout import CURRENT, as_stored, prepare
from fleetkit.mirror.origin import check_records, check_source
from fleetkit.mirror.problems import Unproven
from fleetkit.mirror.store import Store, query
from fleetkit.mirror.syncs import LAYOUT, Read

if TYPE_CHECKING:
    from deltalake import DeltaTable

__all__ = [
    "AUDIT",
    "Plan",
    "begin",
    "changed_equipment",
    "changed_projects",
    "plan",
    "zone",
]

# Share of the equipment, and of the projects, that each sync reads although nothing changed: all of
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
        Projects that are read by id → the reason; None where details aren't read.
    base : int or None
        Version of the mirror that the lists were compared with, 0 where there was none; what was
        read is written on top of that one only. None: on top of any.
    audit : float
        Share, 0 to 1, of the months whose stored flights are verified before anything is built on
        them.
    repair : bool
        Verify everything that is stored, and repair it with what was read, which is all.
    """

    flights: Reasons = field(default_factory=dict)
    details: Reasons | None = None
    base: int | None = None
    audit: float = AUDIT
    repair: bool = False

    def with_more(self, more: Unproven) -> Plan:
        """Return the plan that reads what was missing too."""
        details = None if self.details is None else {**more.details, **self.details}
        return replace(self, flights={**more.flights, **self.flights}, details=details)

    def read(self) -> Read:
        """Return what the sync's row keeps of it."""
        return Read(_by_reason(self.flights), _by_reason(self.details or {}))


def _by_reason(reasons: Reasons) -> dict[str, list[str]]:
    return {
        reason: sorted(id_ for id_, given in reasons.items() if given == reason)
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
    accept_loss: bool = False,
) -> Plan:
    """Compare the lists that are read whole with the newest sync; return what else to read.

    Parameters
    ----------
    path : str or Path
        The mirror; where there is none, everything is new.
    lists : dict of str → DataFrame
        What the service lists, as far as the key can read it; ``equipment`` and ``projects`` say
        what changed.
    audit : float
        Share, 0 to 1, of the equipment and of the projects to read although nothing changed: those
        first whose turn was longest ago, so that all were read within ``ceil(1 / audit)`` syncs.
    details : bool
        Whether projects are read by id at all.
    full : bool
        Read everything.
    base : int, optional
        What `begin` said before the lists were read; default: what it says now.
    accept_loss : bool
        Go on where nearly none of the current records is listed any more.

    Raises
    ------
    InvalidValue
        `audit` is not a share.
    MirrorError
        The mirror can't be read, was written by a newer fleetkit, or holds the records of another
        organisation, or of one that gave nearly all of them up.
    """
    if not 0 <= audit <= 1:
        raise InvalidValue(f"audit={audit} is not a share.", advice="Give 0 to 1, such as 0.1.")
    store = Store(path)
    table, state = syncs.find(store)
    if not accept_loss:
        check_records(store, state, lists, repairing=full)
    repair = full
    if state is not None and state.layout < LAYOUT:
        full = True  # whoever wrote it kept no account of what was read
    flights, projects = syncs.last_read(store, table)
    changed = {
        name: dict.fromkeys(frame.iloc[:, 0], "full")
        if full
        else _changed(store, state, name, frame)
        for name, frame in lists.items()
        if name in {"equipment", "projects"}
    }
    reasons = {
        name: _audited(changed[name], lists[name].iloc[:, 0], last, audit, _number(state))
        for name, last in (("equipment", flights), ("projects", projects))
        if name in lists
    }
    return Plan(
        flights=reasons.get("equipment", {}),
        details=reasons.get("projects", {}) if details else None,
        base=_number(state) if base is None else base,
        audit=audit,
        repair=repair,
    )


def begin(path: str | Path, *, source: str, moved_to: str | None = None) -> int:
    """Return the version that a sync starts from: the newest, 0 where there is no mirror.

    Parameters
    ----------
    path : str or Path
        The mirror.
    source : str
        Address of the service that is to be read.
    moved_to : str, optional
        The address that the mirror's service is said to have moved to.

    Raises
    ------
    InvalidValue
        `moved_to` isn't `source`.
    MirrorError
        The mirror belongs to another service, or lost its table of syncs.
    """
    store = Store(path)
    table, state = syncs.find(store)
    if table is None:
        syncs.refuse_lost(store)
    check_source(store.path, state, source, moved_to)
    return _number(state)


def zone(path: str | Path) -> str:
    """Return the IANA time zone that a mirror keeps; nothing where there is no mirror."""
    _, state = syncs.find(Store(path))
    return "" if state is None else state.tz


def _number(state: syncs.Sync | None) -> int:
    return 0 if state is None else state.version


def _changed(store: Store, state: syncs.Sync | None, name: str, frame: pd.DataFrame) -> Reasons:
    pin = state.tables[name] if state is not None else syncs.Pin()
    table = None if pin.version is None else store.pinned(name, pin.version, pin.log)
    rows = prepare(name, frame).table.drop_columns(["row_hash"])
    with store.doing("read"):
        if name == "equipment":
            return changed_equipment(table, rows)
        has_details = state is not None and state.details
        listed = rows.drop_columns([*DETAIL_COLUMNS])
        return changed_projects(table if has_details else None, listed)


def _audited(
    changed: Reasons, every: Iterable[str], last_read: Mapping[str, int], audit: float, newest: int
) -> Reasons:
    """Add unchanged records that were read longest ago."""
    ids = set(every)
    still = sorted(ids - changed.keys(), key=lambda id_: (last_read.get(id_, 0), id_))
    # Who had a turn lately counts although it vanished since: the others waited for it.
    since = newest - math.ceil(1 / audit) if audit else newest
    read_lately = {id_ for id_, version in last_read.items() if version > since}
    # 0.1 × 30 is a little more than 3.
    share = math.ceil(round(audit * len(ids | read_lately), 6))
    return changed | dict.fromkeys(still[:share], "audit")


COUNTERS = ("total_flights", "total_flight_hours", "updated_at")


def changed_equipment(table: DeltaTable | None, given: pa.Table) -> dict[str, str]:
    """Return equipment whose flights may differ from those that are stored.

    Parameters
    ----------
    table : DeltaTable or None
        Equipment as the newest sync left it; None where it was never read.
    given : pyarrow.Table
        Equipment as the service lists it now.

    Returns
    -------
    dict of str → str
        Equipment id → ``"new"``, ``"moved"``, or ``"uncounted"`` where the service states none of
        the three.
    """
    columns = ["equipment_id", *COUNTERS]
    now = given.select(columns).to_pandas().set_index("equipment_id")
    if table is None:
        return dict.fromkeys(now.index, "new")
    before = query(table, columns, CURRENT).to_pandas().set_index("equipment_id")
    shown = before.reindex(now.index)
    same = (now == shown) | (now.isna() & shown.isna())
    return _reasons(
        now.index,
        new=~now.index.isin(before.index),
        uncounted=now.isna().all(axis=1),
        moved=~same.all(axis=1),
    )


def changed_projects(table: DeltaTable | None, listed: pa.Table) -> dict[str, str]:
    """Return projects whose row in the list isn't the one that is stored.

    Parameters
    ----------
    table : DeltaTable or None
        Projects as the newest sync left them; None where they were never read.
    listed : pyarrow.Table
        Projects as the service lists them now, with the list's columns.

    Returns
    -------
    dict of str → str
        Project id → ``"new"`` or ``"moved"``.
    """
    if table is None:
        return dict.fromkeys(listed["project_id"].to_pylist(), "new")
    listed = as_stored(listed, pa.schema(table.schema().to_arrow()))
    now = pd.Series(row_hashes(listed), listed["project_id"].to_pylist())
    # What the list doesn't give may be in the detail records only, and then says nothing.
    known = {field.name for field in table.schema().fields}
    stored = query(table, [name for name in listed.column_names if name in known], CURRENT)
    before = pd.Series(row_hashes(stored), stored["project_id"].to_pylist())
    return _reasons(
        now.index,
        new=~now.index.isin(before.index),
        moved=now.to_numpy() != before.reindex(now.index).to_numpy(),
    )


def _reasons(ids: pd.Index, **holds: Any) -> dict[str, str]:
    """Return id → the first reason that holds; an id for which none does is left out."""
    reasons = np.select(
        [np.asarray(condition) for condition in holds.values()], list(holds), default=""
    )
    return {id_: str(reason) for id_, reason in zip(ids, reasons, strict=True) if reason}
