"""What was read → the next state of every table, or what else must be read.

Whole tables are compared with all current rows. Of flights and project details only a part may
have been read; the rest is taken as unchanged once that is proven.

A flight may be logged under several pieces of equipment. When one piece's list shows another copy
of it than the current row, or doesn't show it any more, the other pieces that have it must be read
too: only then is it known which copy is the newest, and whether the flight was removed or only left
that piece.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.blanks import name_or_id
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
    without_point,
)
from fleetkit.mirror.staging import Staging
from fleetkit.mirror.store import Unproven, column_names, current_hashes, query

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
        states |= _flights(base, prepared, staging, unread)
    return states


def fitted(base: Base, name: str, prepared: Prepared) -> Prepared:
    """Return rows with the types that their table has."""
    table = base.tables.get("projects" if name == PROJECT_DETAILS else name)
    if table is None:
        return prepared
    rows = as_stored(prepared.table, pa.schema(table.schema().to_arrow()))
    return replace(prepared, table=rows)


def _flights(
    base: Base, prepared: Mapping[str, Prepared], staging: Staging | None, unread: list[str]
) -> dict[str, Next]:
    """Compare the flights and the bridge that were read with the current rows, some at a time.

    Rows are the same where their hashes are; so only the others are compared by key, and no more
    than these are held. `unread` is equipment whose flights stay.
    """
    flights, bridge = (base.tables[name] for name in PARTITIONED)
    if flights is None or bridge is None:
        read = {name: staging.whole(name) for name in PARTITIONED} if staging else prepared
        return {name: _whole(base, name, fitted(base, name, read[name])) for name in PARTITIONED}
    if staging is not None:
        staging.follow(base.pins["flights"].further if unread else {})
    stored = [
        base.hashes[name] if name in base.hashes else current_hashes(table)
        for name, table in zip(PARTITIONED, (flights, bridge), strict=True)
    ]
    read_hashes, changed = _split(_slices(base, prepared, staging), stored)
    ending = _ending((flights, bridge), read_hashes, changed, unread)
    further: tuple[dict[str, str], ...] = (
        staging.further if staging else prepared["flights"].further,
        {},
    )
    states = {}
    for place, name in enumerate(PARTITIONED):
        read_rows = Prepared(changed[place], further[place], details=False)
        states[name] = _part(base, name, ending[place], read_rows)
        if not unread:
            total = Sum.of(read_hashes[place])
            states[name] = replace(
                states[name],
                count=total.rows,
                fingerprint=total.fingerprint,
                further=further[place],
            )
    return states


def _slices(
    base: Base, prepared: Mapping[str, Prepared], staging: Staging | None
) -> Iterator[tuple[pa.Table, ...]]:
    """Yield flights and their bridge with the types that their tables have."""
    if staging is None:
        yield tuple(prepared[name].table for name in PARTITIONED)
        return
    for slices in staging.all_slices():
        yield tuple(
            fitted(base, name, Prepared(rows, {}, details=False)).table
            for name, rows in zip(PARTITIONED, slices, strict=True)
        )


def _split(
    read: Iterator[tuple[pa.Table, ...]], stored: Sequence[np.ndarray]
) -> tuple[list[np.ndarray], list[pa.Table]]:
    """Return of each table the hashes of what was read, sorted, and the rows that aren't stored."""
    parts: list[tuple[list[np.ndarray], list[pa.Table]]] = [([], []) for _ in stored]
    for slices in read:
        for rows, known, (hashes, others) in zip(slices, stored, parts, strict=True):
            hashes.append(rows["row_hash"].to_numpy())
            others.append(rows.filter(_is_missing(rows, known)))
    return (
        [np.sort(np.concatenate(hashes)) for hashes, _ in parts],
        [pa.concat_tables(others) for _, others in parts],
    )


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
        return _whole(base, "projects", _with_earlier_details(base, table, listed))
    read = prepared[PROJECT_DETAILS]
    ids = listed.table["project_id"]
    unread = ids.filter(pc.invert(pc.is_in(ids, read.table["project_id"].combine_chunks())))
    if table is None or not len(unread):
        return _whole(base, "projects", read)
    read = _with_earlier_numbers(base, table, read)
    current = query(table, _columns_to_compare("projects"), CURRENT)
    is_read = pc.invert(pc.is_in(current["project_id"], unread.combine_chunks()))
    return _part(base, "projects", current.filter(is_read), read)


def _with_earlier_details(base: Base, table: DeltaTable, listed: Prepared) -> Prepared:
    """Return the list with the stored detail columns, where this sync didn't read any.

    A field that the reference doesn't know and that the list doesn't give may be one of these.
    """
    stored = column_names(table)
    columns = [name for name in DETAIL_COLUMNS if name in stored]
    rows, pinned = listed.table, base.pins["projects"].further
    unlisted = [name for name in pinned if name in stored and name not in rows.column_names]
    earlier = query(table, ["project_id", *columns, *unlisted], CURRENT)
    if all(_is_empty(earlier[name]) for name in columns):  # none was ever read
        unlisted = []
    joined = rows.drop_columns(columns).join(earlier, "project_id")
    return Prepared(
        hashed(joined.select([*rows.column_names, *unlisted])),
        {**listed.further, **{name: pinned[name] for name in unlisted}},
        details=False,
    )


def _with_earlier_numbers(base: Base, table: DeltaTable, read: Prepared) -> Prepared:
    """Return details with numbers as they are stored, where other details of a field are texts.

    A field of numbers alone is stored in another form: what is read apart would seem to change.
    """
    pinned = base.pins["projects"].further
    names = [
        name
        for name, dtype in read.further.items()
        if (dtype, pinned.get(name)) == ("float64", "str")
    ]
    if not names:
        return read
    rows, stored = read.table, query(table, ["project_id", *names], CURRENT)
    place = pc.index_in(rows["project_id"], stored["project_id"]).combine_chunks()
    for name in names:
        earlier = stored[name].combine_chunks().take(place)
        now = without_point(rows[name])
        is_same = pc.fill_null(pc.equal(without_point(earlier), now), False)
        texts = pc.if_else(is_same, earlier, now)
        rows = rows.set_column(rows.column_names.index(name), name, texts)
    return replace(read, table=hashed(rows))


def _part(base: Base, name: str, current: pa.Table, read: Prepared) -> Next:
    """Compare what was read with the current rows of the same records; the others stay."""
    pin, change = base.pins[name], _diff(name, current, read.table)
    # Where old and new rows have different dtypes, text holds both.
    different = {
        column: "str" if dtype != pin.further.get(column, dtype) else dtype
        for column, dtype in read.further.items()
    }
    total = Sum.pinned(pin.rows, pin.fingerprint) + Sum.of(change.added) - Sum.of(change.removed)
    gone = _gone(base, name, change, read.further)
    earlier = {column: dtype for column, dtype in pin.further.items() if column not in gone}
    further = {**earlier, **different}
    return Next(read.table, total.rows, total.fingerprint, further, change)


def _gone(base: Base, name: str, change: Diff, read: Collection[str]) -> set[str]:
    """Return columns that the reference doesn't know whose last values end with this sync.

    They are in nothing that was read, and rows that stay have no value of them either.
    """
    table, key = base.tables[name], KEYS[name][0]
    unread = [column for column in base.pins[name].further if column not in read]
    if table is None or not unread or not change.closing.num_rows:
        return set()
    stored = column_names(table)
    columns = [column for column in unread if column in stored]
    rows = query(table, [key, *columns], CURRENT)
    stay = rows.filter(pc.invert(pc.is_in(rows[key], change.closing[key].combine_chunks())))
    return {column for column in unread if column not in stored or _is_empty(stay[column])}


def _is_empty(values: pa.ChunkedArray) -> bool:
    return bool(values.null_count == len(values))


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
    now = rows.select(keys)
    before = stored.select(keys).cast(now.schema)
    both = _numbered(now, "new").join(_numbered(before, "old"), keys, join_type="full outer")
    new, old = (both[side].fill_null(-1).to_numpy() for side in ("new", "old"))
    read, known = (table["row_hash"].fill_null(0).to_numpy() for table in (rows, stored))
    is_added, is_removed = old < 0, new < 0
    is_changed = ~is_added & ~is_removed
    is_changed[is_changed] = read[new[is_changed]] != known[old[is_changed]]
    inserts = rows.take(pa.array(np.sort(new[is_added | is_changed])))
    ending = np.sort(old[is_removed | is_changed])
    changed = (stored.take(old[is_changed]), rows.take(new[is_changed]))
    return Diff(
        inserts=inserts,
        closing=_texts(stored.select([*keys, *partition_of(name)]).take(ending)),
        inserted=int(is_added.sum()),
        updated=int(is_changed.sum()),
        vanished=int(is_removed.sum()),
        added=inserts["row_hash"].to_numpy(),
        removed=known[ending],
        field_changes=tuple(_field_changes(name, *changed)) if name in NAMED_FIELDS else (),
    )


def _numbered(keys: pa.Table, side: str) -> pa.Table:
    return keys.append_column(side, pa.array(np.arange(keys.num_rows)))


def _texts(rows: pa.Table) -> pa.Table:
    return rows.cast(pa.schema([(column, pa.large_string()) for column in rows.column_names]))


def _field_changes(name: str, stored: pa.Table, rows: pa.Table) -> list[FieldChange]:
    """Return the changes of fields that are named, by key; both hold the same records in order."""
    label, fields = NAMED_FIELDS[name]
    changes = []
    for before, after in zip(stored.to_pylist(), rows.to_pylist(), strict=True):
        key = "/".join(after[column] for column in KEYS[name])
        title = name_or_id(after[label], name_or_id(before[label], key))
        changes += [
            FieldChange(name, key, title, field, before[field], after[field])
            for field in fields
            if before[field] != after[field]
        ]
    return sorted(changes, key=lambda change: change.id)


def _ending(
    tables: tuple[DeltaTable, DeltaTable],
    hashes: list[np.ndarray],
    rows: list[pa.Table],
    unread: list[str],
) -> tuple[pa.Table, pa.Table]:
    """Return the current rows of the flights and bridge rows that were read, and are different now.

    `tables` is flights and bridge as they are stored, `hashes` are those of all rows that were
    read, `rows` the ones that aren't stored; see `compare`.
    """
    (flights, bridge), (changed, changed_pairs) = tables, rows
    rest = pa.array(unread, pa.large_string())

    def is_pair(batch: pa.RecordBatch) -> pa.Array:
        is_read = pc.invert(pc.is_in(batch["equipment_id"], rest))
        return pc.and_(is_read, _is_missing(batch, hashes[1]))

    def is_flight(batch: pa.RecordBatch) -> pa.Array:
        is_missing = _is_missing(batch, hashes[0])
        return pc.and_(is_missing, pc.is_in(batch["flight_id"], ids)) if unread else is_missing

    pairs = query(bridge, _columns_to_compare("flight_equipment"), CURRENT, is_pair)
    ids = pc.unique(_chunks(pairs["flight_id"], changed["flight_id"]))
    ending = query(flights, _columns_to_compare("flights"), CURRENT, is_flight)
    keys = ["flight_id", "equipment_id"]
    left = pairs.select(keys).join(changed_pairs.select(keys), keys, join_type="left anti")
    edited = ending["flight_id"].filter(pc.is_in(ending["flight_id"], changed["flight_id"]))
    if unread:
        _refuse_shared(bridge, rest, pc.unique(_chunks(edited, left["flight_id"])))
    return ending, pairs


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
