"""What was read → the next state of every table, or what else must be read.

Whole tables are compared with all current rows. Of flights and project details only a part may
have been read; the rest is taken to stay once it is proved that it didn't change.

A flight may be logged under several pieces of equipment. When one piece's list shows it otherwise
than the current row, or no longer shows it, the other pieces that hold it must be read too: only
then is it known which copy is the newest, and whether the flight is gone or only left that piece.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.columns import DETAIL_COLUMNS
from fleetkit.mirror.hashes import fingerprint, shifted
from fleetkit.mirror.layout import CURRENT, KEYS, Prepared, hashed, partition_of
from fleetkit.mirror.plan import Plan, changed_equipment, changed_projects
from fleetkit.mirror.problems import Unproven
from fleetkit.mirror.store import query
from fleetkit.mirror.syncs import Pin

__all__ = [
    "PROJECT_DETAILS",
    "Base",
    "Diff",
    "FieldChange",
    "Next",
    "compare",
    "diff",
]

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
        Whether the current projects have their details.
    accounted : bool
        Whether it is known what the syncs before read.
    """

    tables: Mapping[str, DeltaTable | None]
    pins: Mapping[str, Pin]
    details: bool
    accounted: bool


@dataclass(frozen=True)
class Next:
    """The next state of a table.

    Attributes
    ----------
    rows : pyarrow.Table
        What was read.
    count : int
        Number of current rows.
    fingerprint : str
    further : dict of str → str
        Columns that the reference doesn't know → dtype.
    change : Diff or None
        What is to be done; None where there are no current rows yet, or nothing changes.
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
        Something that was not read may have changed.
    """
    if plan is not None:
        _refuse_unproven(base, prepared, plan)
    states = {}
    for name in prepared:
        if name == "projects":
            states[name] = _projects(base, prepared)
        elif name not in {*_FLIGHTS, PROJECT_DETAILS}:
            states[name] = _whole(base, name, prepared[name])
    if "flights" in prepared:
        states |= _flights(base, prepared, _unread(prepared, plan))
    return states


def _refuse_unproven(base: Base, prepared: Mapping[str, Prepared], plan: Plan) -> None:
    flights, details = {}, {}
    if "equipment" in prepared:
        known = base.tables["equipment"] if base.accounted else None
        changed = changed_equipment(known, prepared["equipment"].table)
        flights = {id_: reason for id_, reason in changed.items() if id_ not in plan.flights}
    if PROJECT_DETAILS in prepared and plan.details is not None:
        known = base.tables["projects"] if base.accounted and base.details else None
        listed = prepared["projects"].table.drop_columns(["row_hash", *DETAIL_COLUMNS])
        changed = changed_projects(known, listed)
        details = {id_: reason for id_, reason in changed.items() if id_ not in plan.details}
    if flights or details:
        raise Unproven(flights=flights, details=details)


def _unread(prepared: Mapping[str, Prepared], plan: Plan | None) -> list[str]:
    if plan is None or "equipment" not in prepared:
        return []
    every = prepared["equipment"].table["equipment_id"].to_pylist()
    return [piece for piece in every if piece not in plan.flights]


def _whole(base: Base, name: str, prepared: Prepared) -> Next:
    rows, table = prepared.table, base.tables[name]
    current = fingerprint(rows["row_hash"].to_numpy())
    if table is None or current == base.pins[name].fingerprint:
        return Next(rows, rows.num_rows, current, prepared.further)
    change = diff(name, query(table, columns_to_compare(name), CURRENT), rows)
    return Next(rows, rows.num_rows, current, prepared.further, change)


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
    current = query(table, columns_to_compare("projects"), CURRENT)
    is_read = pc.invert(pc.is_in(current["project_id"], unread.combine_chunks()))
    return _part(base, "projects", current.filter(is_read), read)


def _with_earlier_details(table: DeltaTable, rows: pa.Table) -> pa.Table:
    """Keep the detail columns that are stored where this sync didn't read them."""
    stored = {field.name for field in table.schema().fields}
    columns = [name for name in DETAIL_COLUMNS if name in stored]
    earlier = query(table, ["project_id", *columns], CURRENT)
    joined = rows.drop_columns(columns).join(earlier, "project_id")
    return hashed(joined.select(rows.column_names))


def _flights(base: Base, prepared: Mapping[str, Prepared], unread: list[str]) -> dict[str, Next]:
    flights, bridge = (base.tables[name] for name in _FLIGHTS)
    if flights is None or bridge is None or not unread:
        return {name: _whole(base, name, prepared[name]) for name in _FLIGHTS}
    rows = (prepared["flights"].table, prepared["flight_equipment"].table)
    current = affected_rows((flights, bridge), rows, unread)
    return {
        name: _part(base, name, rows_read_anew, prepared[name])
        for name, rows_read_anew in zip(_FLIGHTS, current, strict=True)
    }


def _part(base: Base, name: str, current: pa.Table, read: Prepared) -> Next:
    """Compare what was read with the current rows of the same records; the others stay."""
    pin, change = base.pins[name], diff(name, current, read.table)
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
        column: before.get(column) or now[column]
        if before.get(column, now.get(column)) == now.get(column, before.get(column))
        else "str"
        for column in {**before, **now}
    }


# Fields whose changes a sync names, beside the column that a person knows the record by.
NAMED_FIELDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "equipment": ("name", ("status", "condition")),
    "projects": ("title", ("status",)),
    "services": ("name", ("base_rate", "currency")),
    "tiers": ("tier_name", ("price_modifier_percent",)),
}


@dataclass(frozen=True)
class FieldChange:
    """A change worth naming: ``label`` is the record's name, ``old`` and ``new`` may be null."""

    table: str
    id: str
    label: str
    field: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Diff:
    """The difference between the current rows of a table and those that were read.

    Attributes
    ----------
    inserts : pyarrow.Table
        Rows that are new or differ, as `layout.prepare` gives them.
    closing : pyarrow.Table
        Keys, and month, of the rows that end.
    inserted, updated, vanished : int
        Number of keys.
    added, removed : array of int64
        Row hashes of the two.
    field_changes : tuple of FieldChange
        Changes of the fields in `NAMED_FIELDS`.
    """

    inserts: pa.Table
    closing: pa.Table
    inserted: int
    updated: int
    vanished: int
    added: np.ndarray
    removed: np.ndarray
    field_changes: tuple[FieldChange, ...]

    def __bool__(self) -> bool:
        return bool(self.inserts.num_rows or self.closing.num_rows)

    def fingerprint(self, before: str) -> str:
        """Return the table's fingerprint afterwards."""
        return shifted(before, self.added, self.removed)


def columns_to_compare(name: str) -> list[str]:
    """Return the columns of the current rows that `diff` needs."""
    label, fields = NAMED_FIELDS.get(name, ("", ()))
    return [*KEYS[name], "row_hash", *partition_of(name), *filter(None, [label]), *fields]


def diff(name: str, stored: pa.Table, rows: pa.Table) -> Diff:
    """Compare rows with the current ones.

    Parameters
    ----------
    name : str
        The table.
    stored : pyarrow.Table
        `columns_to_compare` of the current rows of the records that were read.
    rows : pyarrow.Table
        As `layout.prepare` gives them.
    """
    keys = list(KEYS[name])
    before = stored.to_pandas()
    now = rows.select([*keys, "row_hash"]).to_pandas()
    for frame in (before, now):  # joined without a partner, int64 would become float64
        frame["row_hash"] = frame["row_hash"].astype("Int64")
    now["row"] = range(len(now))
    both = before.merge(now, "outer", keys, suffixes=("_stored", ""), indicator="side")
    is_changed = both["side"].eq("both") & both["row_hash"].ne(both["row_hash_stored"])
    is_added, is_removed = both["side"].eq("right_only"), both["side"].eq("left_only")
    inserts = rows.take(pa.array(both.loc[is_added | is_changed, "row"].astype("int64")))
    ending = both.loc[is_changed | is_removed]
    return Diff(
        inserts=inserts,
        closing=_texts(ending[[*keys, *partition_of(name)]]),
        inserted=int(is_added.sum()),
        updated=int(is_changed.sum()),
        vanished=int(is_removed.sum()),
        added=inserts["row_hash"].to_numpy(),
        removed=ending["row_hash_stored"].astype("int64").to_numpy(),
        field_changes=tuple(_field_changes(name, both[is_changed], rows)),
    )


def _texts(frame: pd.DataFrame) -> pa.Table:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return table.cast(pa.schema([(column, pa.large_string()) for column in table.column_names]))


def _field_changes(name: str, changed: pd.DataFrame, rows: pa.Table) -> list[FieldChange]:
    if name not in NAMED_FIELDS:
        return []
    label, fields = NAMED_FIELDS[name]
    now = rows.take(pa.array(changed["row"].astype("int64"))).to_pylist()
    changes = []
    for before, after in zip(changed.to_dict("records"), now, strict=True):
        key = "/".join(after[field] for field in KEYS[name])
        for field in fields:
            old = None if pd.isna(before[field]) else before[field]
            if old != after[field]:
                title = after[label] or before[label] or key
                changes.append(FieldChange(name, key, str(title), field, old, after[field]))
    return changes


def affected_rows(
    tables: tuple[DeltaTable, DeltaTable], rows: tuple[pa.Table, pa.Table], unread: list[str]
) -> tuple[pa.Table, pa.Table]:
    """Return the current rows of the flights and bridge rows that were read.

    Parameters
    ----------
    tables : tuple of DeltaTable
        ``flights`` and ``flight_equipment``.
    rows : tuple of pyarrow.Table
        What was read: the flights and bridge rows of all equipment but `unread`.
    unread : list of str
        Equipment whose flights were not read.

    Raises
    ------
    Unproven
        Some of `unread` hold a flight that changed.
    """
    (flights, bridge), (read_flights, read_bridge) = tables, rows
    columns = columns_to_compare("flight_equipment")
    rest = pa.array(unread, pa.large_string())
    pairs = query(
        bridge, columns, CURRENT, lambda batch: pc.invert(_is_in(batch, "equipment_id", rest))
    )
    ids = pc.unique(_chunks(pairs["flight_id"], read_bridge["flight_id"]))
    current = query(
        flights,
        columns_to_compare("flights"),
        CURRENT,
        lambda batch: _is_in(batch, "flight_id", ids),
    )
    _refuse_shared(bridge, rest, _changed(current, read_flights, pairs, read_bridge))
    return current, pairs


def _changed(current: pa.Table, flights: pa.Table, pairs: pa.Table, bridge: pa.Table) -> pa.Array:
    """Return flights that differ from their current row, or left a piece that was read."""
    now = flights.select(["flight_id", "row_hash"])
    both = current.select(["flight_id", "row_hash"]).join(now, "flight_id", right_suffix="_now")
    differs = both.filter(pc.not_equal(both["row_hash"], both["row_hash_now"]))["flight_id"]
    keys = ["flight_id", "equipment_id"]
    left = pairs.select(keys).join(bridge.select(keys), keys, join_type="left anti")["flight_id"]
    return pc.unique(_chunks(differs, left))


def _refuse_shared(bridge: DeltaTable, rest: pa.Array, changed: pa.Array) -> None:
    if not len(changed):
        return
    pairs = query(
        bridge,
        ["flight_id", "equipment_id"],
        CURRENT,
        lambda batch: pc.and_(
            _is_in(batch, "equipment_id", rest), _is_in(batch, "flight_id", changed)
        ),
    )
    if pairs.num_rows:
        raise Unproven(
            flights=dict.fromkeys(pc.unique(pairs["equipment_id"]).to_pylist(), "shared")
        )


def _is_in(batch: pa.RecordBatch, column: str, values: pa.Array) -> pa.Array:
    return pc.is_in(batch[column], value_set=values)


def _chunks(*arrays: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array(
        [chunk for array in arrays for chunk in array.chunks], pa.large_string()
    )
