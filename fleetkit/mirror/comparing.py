"""What was read → how every table will stand, or what must be read to tell.

Whole tables are compared with all rows that stand. Of flights and project details only a part may
have been read; the rest is taken to stand once it is proved that it didn't move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.columns import DETAIL_COLUMNS
from fleetkit.mirror.diffs import Diff, columns_to_compare, diff
from fleetkit.mirror.hashes import fingerprint
from fleetkit.mirror.layout import STANDING, Prepared, hashed
from fleetkit.mirror.moved import moved_equipment, moved_projects
from fleetkit.mirror.plan import Plan
from fleetkit.mirror.signals import Unproven
from fleetkit.mirror.store import query
from fleetkit.mirror.syncs import Pin
from fleetkit.mirror.touched import touched

__all__ = ["PROJECT_DETAILS", "Base", "Next", "compare"]

# Key of the projects that were read by id, beside the list of all projects.
PROJECT_DETAILS = "project_details"
_FLIGHTS = ("flights", "flight_equipment")


@dataclass(frozen=True)
class Base:
    """The state that the newest sync left.

    Attributes
    ----------
    tables : dict of str → DeltaTable or None
        None where a table was never read.
    pins : dict of str → Pin
    details : bool
        Whether projects stand with their details.
    accounted : bool
        Whether it is known what the syncs before read.
    """

    tables: Mapping[str, DeltaTable | None]
    pins: Mapping[str, Pin]
    details: bool
    accounted: bool


@dataclass(frozen=True)
class Next:
    """How a table will stand.

    Attributes
    ----------
    rows : pyarrow.Table
        What was read.
    count : int
        Rows that will stand.
    fingerprint : str
    further : dict of str → str
        Columns that the reference doesn't know → dtype.
    change : Diff or None
        What is to be done; None where nothing stands yet, or nothing changes.
    """

    rows: pa.Table
    count: int
    fingerprint: str
    further: dict[str, str]
    change: Diff | None = None


def compare(base: Base, prepared: Mapping[str, Prepared], plan: Plan | None) -> dict[str, Next]:
    """Return the next state of every table that was read.

    Raises
    ------
    Unproven
        Something that was not read may have moved.
    """
    if plan is not None:
        _refuse_unproven(base, prepared, plan)
    found = {}
    for name in prepared:
        if name == "projects":
            found[name] = _projects(base, prepared)
        elif name not in {*_FLIGHTS, PROJECT_DETAILS}:
            found[name] = _whole(base, name, prepared[name])
    if "flights" in prepared:
        found |= _flights(base, prepared, _unread(prepared, plan))
    return found


def _refuse_unproven(base: Base, prepared: Mapping[str, Prepared], plan: Plan) -> None:
    flights, details = {}, {}
    if "equipment" in prepared:
        known = base.tables["equipment"] if base.accounted else None
        moved = moved_equipment(known, prepared["equipment"].table)
        flights = {each: why for each, why in moved.items() if each not in plan.flights}
    if PROJECT_DETAILS in prepared and plan.details is not None:
        known = base.tables["projects"] if base.accounted and base.details else None
        listed = prepared["projects"].table.drop_columns(["row_hash", *DETAIL_COLUMNS])
        moved = moved_projects(known, listed)
        details = {each: why for each, why in moved.items() if each not in plan.details}
    if flights or details:
        raise Unproven(flights=flights, details=details)


def _unread(prepared: Mapping[str, Prepared], plan: Plan | None) -> list[str]:
    if plan is None or "equipment" not in prepared:
        return []
    every = prepared["equipment"].table["equipment_id"].to_pylist()
    return [each for each in every if each not in plan.flights]


def _whole(base: Base, name: str, prepared: Prepared) -> Next:
    rows, table = prepared.table, base.tables[name]
    found = fingerprint(rows["row_hash"].to_numpy())
    if table is None or found == base.pins[name].fingerprint:
        return Next(rows, rows.num_rows, found, prepared.further)
    change = diff(name, query(table, columns_to_compare(name), STANDING), rows)
    return Next(rows, rows.num_rows, found, prepared.further, change)


def _projects(base: Base, prepared: Mapping[str, Prepared]) -> Next:
    listed, table = prepared["projects"], base.tables["projects"]
    if PROJECT_DETAILS not in prepared:
        if table is None or listed.details:
            return _whole(base, "projects", listed)
        rows = _with_earlier_details(table, listed.table)
        return _whole(base, "projects", Prepared(rows, listed.further, details=False))
    read = prepared[PROJECT_DETAILS]
    ids = listed.table["project_id"]
    unread = ids.filter(pc.invert(pc.is_in(ids, read.table["project_id"].combine_chunks())))
    if table is None or not len(unread):
        return _whole(base, "projects", read)
    standing = query(table, columns_to_compare("projects"), STANDING)
    told = pc.invert(pc.is_in(standing["project_id"], unread.combine_chunks()))
    return _part(base, "projects", standing.filter(told), read)


def _with_earlier_details(table: DeltaTable, rows: pa.Table) -> pa.Table:
    """Keep the detail columns that are stored where this sync didn't read them."""
    stored = {field.name for field in table.schema().fields}
    kept = [name for name in DETAIL_COLUMNS if name in stored]
    earlier = query(table, ["project_id", *kept], STANDING)
    joined = rows.drop_columns(kept).join(earlier, "project_id")
    return hashed(joined.select(rows.column_names))


def _flights(base: Base, prepared: Mapping[str, Prepared], unread: list[str]) -> dict[str, Next]:
    flights, bridge = (base.tables[name] for name in _FLIGHTS)
    if flights is None or bridge is None or not unread:
        return {name: _whole(base, name, prepared[name]) for name in _FLIGHTS}
    rows = (prepared["flights"].table, prepared["flight_equipment"].table)
    standing = touched((flights, bridge), rows, unread)
    return {
        name: _part(base, name, told, prepared[name])
        for name, told in zip(_FLIGHTS, standing, strict=True)
    }


def _part(base: Base, name: str, standing: pa.Table, read: Prepared) -> Next:
    """Compare what was read with the rows that it tells anew; the others stand."""
    pin, change = base.pins[name], diff(name, standing, read.table)
    return Next(
        rows=read.table,
        count=pin.rows + change.inserted - change.vanished,
        fingerprint=change.fingerprint(pin.fingerprint),
        further=_joined(pin.further, read.further),
        change=change,
    )


def _joined(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Return column → dtype of old and new rows together; where they differ, text holds both."""
    return {
        each: before.get(each) or now[each]
        if before.get(each, now.get(each)) == now.get(each, before.get(each))
        else "str"
        for each in {**before, **now}
    }
