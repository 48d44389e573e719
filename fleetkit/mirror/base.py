"""What a sync builds on: the tables as the newest sync pinned them, proven, and repaired if asked.

What a crashed sync left behind is taken back first.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from deltalake import DeltaTable

from fleetkit.columns import DETAIL_COLUMNS
from fleetkit.errors import MirrorError
from fleetkit.mirror.comparing import PROJECT_DETAILS, Base
from fleetkit.mirror.layout import KEYS, MONTH, VALIDITY, Prepared, as_stored, with_months
from fleetkit.mirror.plan import AUDIT, Plan
from fleetkit.mirror.problems import give_up, table_gone
from fleetkit.mirror.repairing import Repair, repair, rewrite
from fleetkit.mirror.store import ONCE, Store, overwrite, query
from fleetkit.mirror.sums import moments_after
from fleetkit.mirror.syncs import LAYOUT, Pin, Sync, states
from fleetkit.mirror.verification import check_base, check_files, check_rows

__all__ = ["verified_base"]


def verified_base(
    store: Store,
    newest: Sync | None,
    prepared: Mapping[str, Prepared],
    plan: Plan | None,
    *,
    accept_loss: bool,
) -> tuple[Base, dict[str, Repair]]:
    """Open the tables that were read as the newest sync left them.

    Parameters
    ----------
    store : Store
    newest : Sync or None
    prepared : dict of str → Prepared
        What was read; with it a repair is made.
    plan : Plan or None
        Says whether to repair, or else which share of the flights to verify.
    accept_loss : bool
        Whether a repair may give up history.

    Returns
    -------
    tuple
        The tables; and table → what was done to it, of those that were damaged.

    Raises
    ------
    MirrorError
        They aren't what it left.
    """
    names = [name for name in KEYS if name in prepared]
    if newest is None:
        _refuse_history(store, names)
        none = dict.fromkeys(names)
        return Base(none, dict.fromkeys(KEYS, Pin()), details=False, accounted=False), {}
    tables: dict[str, DeltaTable | None] = {}
    pins: dict[str, Pin] = dict(newest.tables)
    repairs: dict[str, Repair] = {}
    if plan is not None and plan.repair:
        known = states(store, newest.version)
        for name in names:
            served = _served(name, prepared)
            tables[name], pins[name], done = _repaired(store, name, known, served, accept_loss)
            if done is not None:
                repairs[name] = done
    else:
        for name in names:
            pin = pins[name]
            tables[name] = None if pin.version is None else store.pinned(name, pin.version, pin.log)
        check_base(store, newest, tables, AUDIT if plan is None else plan.audit)
    for name, table in tables.items():
        if table is not None and name not in repairs:
            tables[name] = _taken_back(store, name, table, newest)
    bridge, flights = tables.get("flight_equipment"), tables.get("flights")
    if bridge is not None and flights is not None:
        part_bridge_by_month(bridge, flights)
    details = newest.details and _has_all_details(tables.get("projects"))
    return Base(tables, pins, details=details, accounted=newest.layout == LAYOUT), repairs


def _has_all_details(projects: DeltaTable | None) -> bool:
    """Return whether a table of projects has every detail field that the reference has by now."""
    if projects is None:
        return True
    stored = {field.name for field in projects.schema().fields}
    return stored.issuperset(DETAIL_COLUMNS)


def _refuse_history(store: Store, names: list[str]) -> None:
    """Refuse to begin anew over tables that several syncs wrote: their rows in syncs are gone.

    What a first sync left that was never finished is all of one moment.
    """
    for name in names:
        table = store.table(name)
        if table is not None and moments_after(table, None) > 1:
            raise MirrorError(
                f"The mirror {store.path} is damaged: its table syncs is empty, but table {name} "
                "holds a history.",
                advice="Restore the mirror from a backup, or sync into a new folder.",
            )


def _taken_back(store: Store, name: str, pinned: DeltaTable, newest: Sync) -> DeltaTable:
    """Take back what came after the newest sync, which a sync left that was never finished."""
    table = store.table(name)
    if table is None:
        raise table_gone(store.path, name)
    if table.version() == pinned.version():
        return table
    # Each sync takes back what the one before left, so it is all of one moment.
    later = moments_after(table, newest.fetched_at)
    if later > 1:
        raise MirrorError(
            f"The mirror {store.path} is damaged: table {name} holds {later} syncs that table "
            f"syncs, which ends with version {newest.version}, doesn't know (was syncs restored "
            "from an older backup than the rest?)",
            advice="Restore all tables of the mirror from the same backup.",
        )
    table.restore(pinned.version(), commit_properties=ONCE)
    return table


def _served(name: str, prepared: Mapping[str, Prepared]) -> pa.Table:
    key = PROJECT_DETAILS if name == "projects" and PROJECT_DETAILS in prepared else name
    return prepared[key].table


def _repaired(
    store: Store, name: str, known: list[Sync], served: pa.Table, accept_loss: bool
) -> tuple[DeltaTable | None, Pin, Repair | None]:
    """Verify a table whole; return it, repaired where it is damaged."""
    pin = known[-1].tables[name]
    if pin.version is None:
        return None, pin, None
    table = _opened(store, name, pin.version)
    if table is None:
        if not accept_loss:
            raise _gone(store, name)
        begun = Pin(whole_since=known[-1].version + 1)
        return None, begun, Repair(restored=0, lost=0, whole=False)
    try:
        _, wrong_rows = check_rows(store, name, table, known)
    except MirrorError as unreadable:
        wrong_rows = unreadable.message
    if not wrong_rows and _has_intact_files(store, name, table, pin):
        return table, pin, None
    if not wrong_rows:
        return rewrite(store, name, table, known)
    served = as_stored(served, pa.schema(table.schema().to_arrow()))
    return repair(store, name, table, known, served, accept_loss=accept_loss)


def _has_intact_files(store: Store, name: str, table: DeltaTable, pin: Pin) -> bool:
    try:
        if pin.log:
            store.check_log(name, table, pin.log)
        return not check_files(store, name, table)
    except MirrorError:
        return False


def _opened(store: Store, name: str, version: int) -> DeltaTable | None:
    """Open a table as pinned; where its log ends before, as far as it goes."""
    try:
        return store.table(name, version)
    except MirrorError:
        newest = store.table(name)
        if newest is None or newest.version() >= version:
            raise
        return newest


def _gone(store: Store, name: str) -> MirrorError:
    return MirrorError(
        f"The mirror {store.path} is damaged: table {name} is gone.",
        advice=f"Restore {store.path}/{name}, or the whole mirror, from a backup; or make the "
        f"table anew, without its history: {give_up(store.path)}.",
    )


def part_bridge_by_month(bridge: DeltaTable, flights: DeltaTable) -> None:
    """Rewrite every version of every bridge row with the month of its flight."""
    if MONTH in {field.name for field in bridge.schema().fields}:
        return
    # Of several versions of a flight the newest comes first, so that its month is found.
    months = query(flights, ["flight_id", MONTH, "valid_from"], "true")
    months = months.sort_by([("valid_from", "descending")])
    rows = query(bridge, ["flight_id", "equipment_id", *VALIDITY], "true")
    parted = with_months(rows.drop_columns(VALIDITY), months)
    whole = pa.table({name: rows[name] for name in VALIDITY})
    for name in parted.column_names:
        whole = whole.append_column(name, parted[name])
    overwrite(bridge, "flight_equipment", whole)
