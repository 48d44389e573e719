"""What a damaged table still holds, and what makes it whole again, as the sums of its syncs prove.

A row version is intact where its values give its hash, in the month that it belongs to, and where
it begins and ends with a sync. Of a row whose values changed, its hash still proves which values
were right: those of the service, or those of another version of the same record in the
columns that are damaged. Of missing rows, the sums show which sync opened them, where that was one
sync.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.mirror.files import files
from fleetkit.mirror.layout import (
    KEYS,
    MONTH,
    TIME,
    VALIDITY,
    Sum,
    hashed,
    hashes_of_values,
    months_of,
)
from fleetkit.mirror.store import Store
from fleetkit.mirror.syncs import Sync
from fleetkit.mirror.verification import Tally, differing, intact_rows, missing_sums
from fleetkit.time import micros

__all__ = ["Contents", "DamagedTable", "Recovery", "contents_of", "recover"]

_NO_HASHES = np.zeros(0, dtype="int64")
_LOCATION = ["row_hash", "valid_from", "valid_to", "file", "row"]
# Holds the number of a row beside its values; no column of a service begins with "_".
_ROW = "_row"


@dataclass(frozen=True)
class Part:
    """The rows of one file that can be read.

    Attributes
    ----------
    number : int
        The file's number.
    rows : pyarrow.Table
        A column that can't be read is one of nulls.
    intact : array of bool
        Which rows are.
    unreadable : tuple of str
        The columns that can't be read.
    """

    number: int
    rows: pa.Table
    intact: np.ndarray
    unreadable: tuple[str, ...]

    @property
    def intact_rows(self) -> pa.Table:
        """The rows that are intact."""
        return self.rows.filter(pa.array(self.intact))

    @property
    def other_rows(self) -> pa.Table:
        """The rows that aren't intact."""
        return self.rows.filter(pa.array(~self.intact))


@dataclass(frozen=True)
class DamagedTable:
    """The files of a damaged table, and the moments at which its rows may begin and end.

    ``duplicates`` says of some files, by their number, which rows are in another one too.
    """

    store: Store
    name: str
    table: DeltaTable
    moments: Collection[int]
    duplicates: Mapping[int, np.ndarray] = field(default_factory=dict)

    def parts(self) -> Iterator[Part]:
        """Yield the rows of each file of which any can be read."""
        for number, file in enumerate(files(self.store, self.name, self.table)):
            rows = file.rows
            intact = None if rows is None else self._intact(rows)
            if rows is None or intact is None:
                continue
            if number in self.duplicates:
                unique = ~self.duplicates[number]
                rows, intact = rows.filter(pa.array(unique)), intact[unique]
            yield Part(number, rows, intact, file.unreadable)

    def _intact(self, rows: pa.Table) -> np.ndarray | None:
        """Say which rows are; None where the file isn't one of this table."""
        try:
            return np.asarray(intact_rows(rows) & self.has_known_ends(rows))
        except (pa.ArrowException, KeyError, TypeError, ValueError):
            return None

    def has_known_ends(self, rows: pa.Table) -> np.ndarray:
        """Say which rows begin and end with a sync, one after the other."""
        moments = pa.array(sorted(self.moments), pa.int64())
        begin, end = (rows[name].cast(pa.int64()) for name in VALIDITY)
        is_closed = pc.and_(pc.is_in(end, moments), pc.fill_null(pc.greater(end, begin), False))
        has_ends = pc.and_(pc.is_in(begin, moments), pc.or_(end.is_null(), is_closed))
        return np.asarray(has_ends.to_numpy())

    def without_duplicates(self) -> DamagedTable:
        """Return the same without row versions that are in two files.

        A file that was replaced counts again where the log doesn't say so any more: then a version
        that was closed since is still open in it. So of two the closed one is taken.
        """
        sizes, locations = {}, [pd.DataFrame(columns=_LOCATION)]
        for part in self.parts():
            sizes[part.number] = len(part.intact)
            locations.append(_locations(part))
        rows = pd.concat([frame for frame in locations if len(frame)] or locations)
        rows = rows.sort_values(["row_hash", *VALIDITY], na_position="last")
        repeated = rows[rows.duplicated(["row_hash", "valid_from"])]
        duplicates = {}
        for number, size in sizes.items():
            numbers = repeated.loc[repeated["file"] == number, "row"].to_numpy("int64")
            duplicates[number] = np.isin(np.arange(size), numbers)
        return replace(self, duplicates=duplicates)


def _locations(part: Part) -> pd.DataFrame:
    """Return what distinguishes the intact rows of a file, and where they are."""
    rows = part.intact_rows
    begin, end = (rows[name].cast(pa.int64()).to_pandas() for name in VALIDITY)
    return pd.DataFrame(
        {
            "row_hash": rows["row_hash"].to_numpy(),
            "valid_from": begin,
            "valid_to": end.astype("Int64"),
            "file": part.number,
            "row": np.flatnonzero(part.intact),
        }
    )


@dataclass(frozen=True)
class CorruptRows:
    """Rows of a file whose values and hash don't agree, but that begin and end with a sync."""

    rows: pa.Table
    unreadable: tuple[str, ...]


@dataclass(frozen=True)
class Contents:
    """What a table still holds.

    Attributes
    ----------
    tally : Tally
        Over its intact row versions.
    current : pyarrow.Table
        Key and hash of the intact current rows.
    corrupt : list of CorruptRows
    schema : dict of str → pyarrow.DataType
        The columns of the intact rows.
    """

    tally: Tally
    current: pa.Table
    corrupt: list[CorruptRows]
    schema: dict[str, pa.DataType]

    @property
    def hashes(self) -> np.ndarray:
        """The hashes of the intact current rows."""
        return np.asarray(self.current["row_hash"].to_numpy())

    @property
    def ambiguous(self) -> np.ndarray:
        """The hashes of current rows whose key occurs more than once."""
        keys = self.current.drop_columns(["row_hash"]).to_pandas()
        return np.asarray(self.hashes[keys.duplicated(keep=False).to_numpy()])


def contents_of(damaged: DamagedTable) -> Contents:
    """Read all files of a damaged table."""
    keys, tally = KEYS[damaged.name], Tally()
    fields = [*((key, pa.large_string()) for key in keys), ("row_hash", pa.int64())]
    current = [pa.schema(fields).empty_table()]
    corrupt: list[CorruptRows] = []
    schema: dict[str, pa.DataType] = {}
    for part in damaged.parts():
        intact, others = part.intact_rows, part.other_rows
        if intact.num_rows:
            schema |= {column.name: column.type for column in intact.schema}
            tally.add(intact)
            current.append(intact.filter(intact["valid_to"].is_null()).select([*keys, "row_hash"]))
        rows = others.filter(pa.array(damaged.has_known_ends(others)))
        if rows.num_rows:
            corrupt.append(CorruptRows(rows, part.unreadable))
    return Contents(tally, pa.concat_tables(current), corrupt, schema)


@dataclass(frozen=True)
class Recovery:
    """What a table needs beside its intact row versions.

    Attributes
    ----------
    rows : list of pyarrow.Table
        Row versions to add.
    ended : array of int64
        Hashes of intact rows that are open although a sync closed them.
    moment : int
        When that sync closed them.
    """

    rows: list[pa.Table]
    ended: np.ndarray = field(default_factory=lambda: _NO_HASHES)
    moment: int = 0

    def on(self, tally: Tally) -> Tally:
        """Return what a table adds up to with it."""
        whole = Tally(dict(tally.opened), dict(tally.closed))
        for rows in self.rows:
            whole.add(rows)
        if len(self.ended):
            whole.close(self.ended, self.moment)
        return whole


def recover(
    damaged: DamagedTable, contents: Contents, states: Sequence[Sync], served: pa.Table
) -> Recovery:
    """Find what makes a table whole, or as whole as it gets.

    Parameters
    ----------
    damaged : DamagedTable
    contents : Contents
        What it still holds.
    states : sequence of Sync
        All syncs, in order.
    served : pyarrow.Table
        The whole table as the service has it now.
    """
    own = Recovery([_rehashed(corrupt.rows) for corrupt in contents.corrupt])
    if own.rows and not differing(damaged.name, own.on(contents.tally), states):
        return own  # the values are true: it was their hashes, or their month, that changed
    no_rows = _valid(served.slice(0, 0), pa.nulls(0, TIME), pa.nulls(0, TIME))
    by_hash = _by_hash(contents, served)
    values = Recovery([no_rows, *by_hash, *_by_other_versions(damaged, contents, served)])
    missing = missing_sums(damaged.name, values.on(contents.tally), states)
    return _by_one_sync(damaged.name, contents, values, missing, served) or values


def _rehashed(rows: pa.Table) -> pa.Table:
    if {MONTH, "flight_date"} <= set(rows.column_names):
        months = months_of(rows["flight_date"])
        rows = rows.set_column(rows.column_names.index(MONTH), MONTH, months)
    return hashed(rows)


def _valid(rows: pa.Table, begin: pa.Array, end: pa.Array) -> pa.Table:
    return rows.append_column("valid_from", begin).append_column("valid_to", end)


# -- rows whose values changed ------------------------------------------------------------------


def _by_hash(contents: Contents, served: pa.Table) -> Iterator[pa.Table]:
    """Yield corrupt rows with the values that the service has under their hash."""
    for corrupt in contents.corrupt:
        positions = pc.index_in(corrupt.rows["row_hash"], served["row_hash"].combine_chunks())
        is_served = pc.and_(positions.is_valid(), corrupt.rows["row_hash"].is_valid())
        validity = corrupt.rows.filter(is_served)
        values = served.take(positions.filter(is_served).combine_chunks())
        yield _valid(values, *(validity[name].cast(TIME) for name in VALIDITY))


def _by_other_versions(
    damaged: DamagedTable, contents: Contents, served: pa.Table
) -> list[pa.Table]:
    """Return corrupt rows with the values of another version of them in the damaged columns."""
    hashes = served["row_hash"].combine_chunks()
    rest = [
        CorruptRows(rows, corrupt.unreadable)
        for corrupt in contents.corrupt
        for rows in [corrupt.rows.filter(pc.invert(pc.is_in(corrupt.rows["row_hash"], hashes)))]
        if rows.num_rows
    ]
    if not rest:
        return []
    others = _other_versions(damaged, rest, served)
    tables = (table for corrupt in rest for table in _completed(damaged.name, corrupt, others))
    return [table for table in tables if table.num_rows]


def _other_versions(
    damaged: DamagedTable, corrupt: Sequence[CorruptRows], served: pa.Table
) -> pa.Table:
    """Return the versions of the same records that are known, the service's among them."""
    key = KEYS[damaged.name][0]
    ids = pa.concat_arrays([part.rows[key].combine_chunks() for part in corrupt]).drop_null()
    versions = [served.filter(pc.is_in(served[key], ids))]
    for part in damaged.parts():
        rows = part.intact_rows
        versions.append(rows.filter(pc.is_in(rows[key], ids)).drop_columns([*VALIDITY]))
    return pa.concat_tables(versions, promote_options="default")


def _completed(name: str, corrupt: CorruptRows, others: pa.Table) -> Iterator[pa.Table]:
    """Yield corrupt rows that have the right hash with some column of another version."""
    keys = list(KEYS[name])
    rows = corrupt.rows.append_column(_ROW, pa.array(range(corrupt.rows.num_rows)))
    mine = rows.select([*keys, _ROW]).to_pandas()
    theirs = others.select(keys).to_pandas().assign(other=range(others.num_rows))
    pairs = mine.merge(theirs, on=keys)
    names = [column for column in others.column_names if column not in {*keys, "row_hash"}]
    for columns in [corrupt.unreadable] if corrupt.unreadable else [(name,) for name in names]:
        candidates = rows.take(pairs[_ROW].to_numpy())
        source = others.take(pairs["other"].to_numpy())
        for column in columns:
            if column in candidates.column_names and column in source.column_names:
                position = candidates.column_names.index(column)
                values = source[column].cast(candidates[column].type)
                candidates = candidates.set_column(position, column, values)
        hashes = hashes_of_values(candidates.drop_columns([_ROW]))
        restored = candidates.filter(pa.array(hashes == candidates["row_hash"].to_numpy()))
        numbers, positions = np.unique(restored[_ROW].to_numpy(), return_index=True)
        yield restored.take(positions).drop_columns([_ROW])
        pairs = pairs[~pairs[_ROW].isin(numbers)]


# -- rows that are missing ----------------------------------------------------------------------


def _by_one_sync(
    name: str,
    contents: Contents,
    values: Recovery,
    missing: Sequence[tuple[Sync, Sum]],
    served: pa.Table,
) -> Recovery | None:
    """Find what one sync opened and closed and is missing since; None where no sync explains it."""
    first = next((number for number, (_, due) in enumerate(missing) if due != Sum()), None)
    if first is None or any(due != missing[first][1] for _, due in missing[first:]):
        return None
    state, due = missing[first]
    moment = micros(state.fetched_at)
    hashes = served["row_hash"].to_numpy()
    restored = [rows["row_hash"].to_numpy() for rows in values.rows]
    known = np.concatenate([contents.hashes, *restored])
    unknown = served.filter(pa.array(~np.isin(hashes, known)))
    ended = contents.hashes[~np.isin(contents.hashes, hashes)]
    keys = list(KEYS[name])
    absent = unknown.join(contents.current.select(keys), keys, join_type="left anti")
    absent = absent.select(served.column_names)
    older = _not_younger(absent, micros(missing[-1][0].fetched_at))
    for opened, closed in ((unknown, ended), (absent, _NO_HASHES), (older, _NO_HASHES)):
        if Sum.of(opened["row_hash"].to_numpy()) - Sum.of(closed) == due:
            begin = pa.repeat(pa.scalar(moment, pa.int64()).cast(TIME), opened.num_rows)
            rows = _valid(opened, begin, pa.nulls(opened.num_rows, TIME))
            return Recovery([*values.rows, rows], closed, moment)
    return None


def _not_younger(rows: pa.Table, moment: int) -> pa.Table:
    """Return rows that aren't younger by the service's dates; the sums prove whether it is true."""
    for column in ("created_at", "updated_at"):
        if column in rows.column_names:
            younger = pc.greater(rows[column].cast(pa.int64()), moment)
            rows = rows.filter(pc.invert(pc.fill_null(younger, False)))
    return rows
