"""What was read → the next state of every table, or what else must be read.

Whole tables are compared with all current rows. Of flights and project details only a part may
have been read; the rest is taken as unchanged once that is proven.

A flight may be logged under several pieces of equipment. When one piece's list shows another copy
of it than the current row, or doesn't show it any more, the other pieces that have it must be read
too: only then is it known which copy is the newest, and whether the flight was removed or only left
that piece.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.columns import DETAIL_COLUMNS
from fleetkit.mirror.base import Base
from fleetkit.mirror.layout import (
    CURRENT,
    KEYS,
    PARTITIONED,
    PROJECT_DETAILS,
    Prepared,
    Sum,
    as_stored,
    hashed,
    partition_of,
)
from fleetkit.mirror.staging import Staging
from fleetkit.mirror.store import Unproven, query

__all__ = ["Diff", "FieldChange", "Next", "compare", "fitted"]

# Fields whose changes a sync names, beside the column that a person knows the record by.
NAMED_FIELDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "equipment": ("name", ("status", "condition")),
    "projects": ("title", ("status",)),
    "services": ("name", ("base_rate", "currency")),
    "tiers": ("tier_name", ("price_modifier_percent",)),
}


@dataclass(frozen=True)
class Next:
    """The next state of a table.

    Attributes
    ----------
    rows : pyarrow.Table
        What was read; of flights in files, as far as it changed.
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


def compare(
    base: Base,
    prepared: Mapping[str, Prepared],
    read: Collection[str],
    staging: Staging | None = None,
) -> dict[str, Next]:
    """Return the next state of every table that was read.

    Parameters
    ----------
    base : Base
    prepared : dict of str → Prepared
        What was read.
    read : collection of str
        Equipment whose flights were read.
    staging : Staging, optional
        These flights and their bridge, where they aren't in `prepared`.

    Raises
    ------
    Unproven
        Other equipment has a flight that changed.
    """
    states = {}
    for name in prepared:
        if name == "projects":
            states[name] = _projects(base, prepared)
        elif name not in {*PARTITIONED, PROJECT_DETAILS}:
            states[name] = _whole(base, name, prepared[name])
    if "flights" in prepared or staging is not None:
        listed = prepared["equipment"].table["equipment_id"] if "equipment" in prepared else []
        unread = [piece for piece in map(str, listed) if piece not in read]
        if staging is not None and not unread and all(base.tables[name] for name in PARTITIONED):
            return states | _staged(base, staging)
        if staging is not None:
            prepared = {name: fitted(base, name, staging.whole(name)) for name in PARTITIONED}
        states |= _flights(base, prepared, unread)
    return states


def fitted(base: Base, name: str, prepared: Prepared) -> Prepared:
    """Return rows with the types that their table has."""
    table = base.tables.get("projects" if name == PROJECT_DETAILS else name)
    if table is None:
        return prepared
    rows = as_stored(prepared.table, pa.schema(table.schema().to_arrow()))
    return replace(prepared, table=rows)


def _staged(base: Base, staging: Staging) -> dict[str, Next]:
    """Compare all flights and their bridge with the current rows, some at a time.

    Rows are the same where their hashes are; so only the others are compared by key.
    """
    parts: dict[str, list[np.ndarray]] = {name: [] for name in PARTITIONED}
    for both in _slices(base, staging):
        for name, rows in both.items():
            parts[name].append(rows["row_hash"].to_numpy())
    further = dict(zip(PARTITIONED, (staging.further, {}), strict=True))
    states = {}
    for name in PARTITIONED:
        hashes = np.sort(np.concatenate(parts.pop(name)))
        total = Sum.of(hashes)
        if total.fingerprint == base.pins[name].fingerprint:
            rows, change = next(_slices(base, staging))[name].slice(0, 0), None
        else:
            rows, change = _changed_rows(base, name, staging, hashes)
        states[name] = Next(rows, total.rows, total.fingerprint, further[name], change)
    return states


def _slices(base: Base, staging: Staging) -> Iterator[dict[str, pa.Table]]:
    """Yield flights and their bridge with the types that their tables have."""
    for slices in staging.all_slices():
        yield {
            name: fitted(base, name, Prepared(rows, {}, details=False)).table
            for name, rows in zip(PARTITIONED, slices, strict=True)
        }


def _changed_rows(
    base: Base, name: str, staging: Staging, hashes: np.ndarray
) -> tuple[pa.Table, Diff]:
    """Return the rows that are not stored, and what they change; `hashes` are those of all rows."""
    table = base.tables[name]
    assert table is not None  # noqa: S101 - the caller knows that there is one
    stored = np.sort(query(table, ["row_hash"], CURRENT)["row_hash"].to_numpy())
    slices = (both[name] for both in _slices(base, staging))
    rows = pa.concat_tables([rows.filter(_is_missing(rows, stored)) for rows in slices])
    columns = _columns_to_compare(name)
    ending = query(table, columns, CURRENT, lambda batch: _is_missing(batch, hashes))
    return rows, _diff(name, ending, rows)


def _is_missing(rows: pa.Table | pa.RecordBatch, ordered: np.ndarray) -> pa.Array:
    """Say which rows have a hash that isn't among some, which are sorted."""
    hashes = rows["row_hash"].to_numpy()
    if not len(ordered):
        return pa.array(np.ones(len(hashes), bool))
    places = np.minimum(np.searchsorted(ordered, hashes), len(ordered) - 1)
    return pa.array(ordered[places] != hashes)


def _whole(base: Base, name: str, prepared: Prepared) -> Next:
    rows, table = prepared.table, base.tables[name]
    fingerprint = Sum.of(rows["row_hash"].to_numpy()).fingerprint
    change = None
    if table is not None and fingerprint != base.pins[name].fingerprint:
        change = _diff(name, query(table, _columns_to_compare(name), CURRENT), rows)
    return Next(rows, rows.num_rows, fingerprint, prepared.further, change)


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
    current = query(table, _columns_to_compare("projects"), CURRENT)
    is_read = pc.invert(pc.is_in(current["project_id"], unread.combine_chunks()))
    return _part(base, "projects", current.filter(is_read), read)


def _with_earlier_details(table: DeltaTable, rows: pa.Table) -> pa.Table:
    """Return rows with the stored detail columns, where this sync didn't read any."""
    stored = {field.name for field in table.schema().fields}
    columns = [name for name in DETAIL_COLUMNS if name in stored]
    earlier = query(table, ["project_id", *columns], CURRENT)
    joined = rows.drop_columns(columns).join(earlier, "project_id")
    return hashed(joined.select(rows.column_names))


def _flights(base: Base, prepared: Mapping[str, Prepared], unread: list[str]) -> dict[str, Next]:
    flights, bridge = (base.tables[name] for name in PARTITIONED)
    if flights is None or bridge is None or not unread:
        return {name: _whole(base, name, prepared[name]) for name in PARTITIONED}
    read = (prepared["flights"].table, prepared["flight_equipment"].table)
    current = _affected_rows((flights, bridge), read, unread)
    return {
        name: _part(base, name, rows, prepared[name])
        for name, rows in zip(PARTITIONED, current, strict=True)
    }


def _part(base: Base, name: str, current: pa.Table, read: Prepared) -> Next:
    """Compare what was read with the current rows of the same records; the others stay."""
    pin, change = base.pins[name], _diff(name, current, read.table)
    # Where old and new rows have different dtypes, text holds both.
    different = {
        column: "str" if dtype != pin.further.get(column, dtype) else dtype
        for column, dtype in read.further.items()
    }
    total = Sum.pinned(pin.rows, pin.fingerprint) + Sum.of(change.added) - Sum.of(change.removed)
    further = {**pin.further, **different}
    return Next(read.table, total.rows, total.fingerprint, further, change)


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


def _columns_to_compare(name: str) -> list[str]:
    """Return the columns of the current rows that `_diff` needs."""
    label, fields = NAMED_FIELDS.get(name, ("", ()))
    return [*KEYS[name], "row_hash", *partition_of(name), *filter(None, [label]), *fields]


def _diff(name: str, stored: pa.Table, rows: pa.Table) -> Diff:
    """Compare rows with the current ones.

    Parameters
    ----------
    name : str
        The table.
    stored : pyarrow.Table
        `_columns_to_compare` of the current rows of the records that were read.
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


def _affected_rows(
    tables: tuple[DeltaTable, DeltaTable], rows: tuple[pa.Table, pa.Table], unread: list[str]
) -> tuple[pa.Table, pa.Table]:
    """Return the current rows of the flights and bridge rows that were read; see `compare`.

    `tables` and `rows` are flights and bridge: as they are stored, and what was read of them.
    """
    (flights, bridge), (read_flights, read_bridge) = tables, rows
    columns = _columns_to_compare("flight_equipment")
    rest = pa.array(unread, pa.large_string())
    pairs = query(
        bridge, columns, CURRENT, lambda batch: pc.invert(pc.is_in(batch["equipment_id"], rest))
    )
    ids = pc.unique(_chunks(pairs["flight_id"], read_bridge["flight_id"]))
    columns = _columns_to_compare("flights")
    current = query(flights, columns, CURRENT, lambda batch: pc.is_in(batch["flight_id"], ids))
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
    """Refuse flights that changed and that equipment not read has too."""
    if not len(changed):
        return

    def is_shared(batch: pa.RecordBatch) -> pa.Array:
        is_unread = pc.is_in(batch["equipment_id"], rest)
        return pc.and_(is_unread, pc.is_in(batch["flight_id"], changed))

    pairs = query(bridge, KEYS["flight_equipment"], CURRENT, is_shared)
    if pairs.num_rows:
        pieces = pc.unique(pairs["equipment_id"]).to_pylist()
        raise Unproven(flights=dict.fromkeys(pieces, "shared"))


def _chunks(*arrays: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array(
        [chunk for array in arrays for chunk in array.chunks], pa.large_string()
    )
