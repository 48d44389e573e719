"""What a damaged table still holds, and what makes it whole again, as the sums of its syncs prove.

A row version is intact where its values give its hash, in the month that it belongs to, and where
it begins and ends with a sync. Of a row whose values changed, its hash still proves which values
were right: those of the service, or those of another version of the same record in the
columns that are damaged. Of rows that are gone, the sums show which sync opened them, where that
was one sync.
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
from fleetkit.mirror.hashes import Sum
from fleetkit.mirror.layout import KEYS, MONTH, TIME, VALIDITY, hashed, hashes_of_values, months_of
from fleetkit.mirror.store import Store
from fleetkit.mirror.sums import Tally, differing, intact_rows, micros, proven
from fleetkit.mirror.syncs import Sync

__all__ = ["Contents", "DamagedTable", "Recovery", "contents_of", "recover"]

_NONE = np.zeros(0, dtype=bool)
_LOCATION = ["row_hash", "valid_from", "valid_to", "file", "row"]


@dataclass(frozen=True)
class Part:
    """The rows of one file.

    Attributes
    ----------
    rows : pyarrow.Table or None
        None where it can't be read; a column that can't is one of nulls.
    intact : array of bool
        Which rows are.
    unreadable : tuple of str
        The columns that can't be read.
    due : int
        How many rows there should be.
    """

    rows: pa.Table | None
    intact: np.ndarray
    unreadable: tuple[str, ...]
    due: int

    def filter(self, which: np.ndarray) -> pa.Table:
        """Return some of the rows."""
        return pa.table({}) if self.rows is None else self.rows.filter(pa.array(which))


@dataclass(frozen=True)
class DamagedTable:
    """The files of a damaged table, and the moments at which its rows may begin and end.

    ``duplicates`` says of some files, by their number, which rows lie in another one too.
    """

    store: Store
    name: str
    table: DeltaTable
    moments: Collection[int]
    duplicates: Mapping[int, np.ndarray] = field(default_factory=dict)

    def parts(self) -> Iterator[Part]:
        """Yield what each file holds, those that hold nothing too."""
        for number, file in enumerate(files(self.store, self.name, self.table)):
            rows = file.rows
            intact = None if rows is None else self._intact(rows)
            if rows is None or intact is None:
                yield Part(None, _NONE, (), file.due)
                continue
            if number in self.duplicates:
                duplicates = self.duplicates[number]
                rows, intact = rows.filter(pa.array(~duplicates)), intact[~duplicates]
            yield Part(rows, intact, file.unreadable, file.due)

    def _intact(self, rows: pa.Table) -> np.ndarray | None:
        """Say which rows are; None where the file isn't one of this table."""
        try:
            return np.asarray(intact_rows(rows) & self.has_known_ends(rows))
        except (pa.ArrowException, KeyError, TypeError, ValueError):
            return None

    def has_known_ends(self, rows: pa.Table) -> np.ndarray:
        """Say which rows begin and end with a sync, one after the other."""
        moments = pa.array(sorted(self.moments), pa.int64())
        begin, end = (rows[name].cast(pa.int64()) for name in ("valid_from", "valid_to"))
        is_closed = pc.and_(pc.is_in(end, moments), pc.fill_null(pc.greater(end, begin), False))
        has_ends = pc.and_(pc.is_in(begin, moments), pc.or_(end.is_null(), is_closed))
        return np.asarray(has_ends.to_numpy())

    def without_duplicates(self) -> DamagedTable:
        """Return the same without row versions that lie in two files.

        A file that was replaced counts again where the log lost that: then a version that was
        closed since is still open in it. So of two the closed one is taken.
        """
        locations = [_locations(number, part) for number, part in enumerate(self.parts())]
        rows = pd.concat([pd.DataFrame(columns=_LOCATION), *locations], ignore_index=True)
        rows = rows.sort_values(["row_hash", "valid_from", "valid_to"], na_position="last")
        repeated = rows[rows.duplicated(["row_hash", "valid_from"])]
        duplicates = {}
        for number, part in enumerate(self.parts()):
            numbers = repeated.loc[repeated["file"] == number, "row"].to_numpy("int64")
            if len(numbers):
                duplicates[number] = np.isin(np.arange(len(part.intact)), numbers)
        return replace(self, duplicates=duplicates)


def _locations(number: int, part: Part) -> pd.DataFrame:
    """Return what distinguishes the intact rows of a file, and where they lie."""
    if part.rows is None or not part.intact.any():
        return pd.DataFrame(columns=_LOCATION)
    rows = part.filter(part.intact)
    begin, end = (rows[name].cast(pa.int64()).to_pandas() for name in ("valid_from", "valid_to"))
    return pd.DataFrame(
        {
            "row_hash": rows["row_hash"].to_numpy(),
            "valid_from": begin,
            "valid_to": end.astype("Int64"),
            "file": number,
            "row": np.flatnonzero(part.intact),
        }
    )


@dataclass(frozen=True)
class CorruptRows:
    """Rows of a file whose values and hash don't agree, but that begin and end with a sync."""

    rows: pa.Table
    unreadable: tuple[str, ...]


@dataclass
class Contents:
    """What a table still holds.

    Attributes
    ----------
    tally : Tally
        Over its intact row versions.
    current : list of pyarrow.Table
        Key and hash of the intact current rows.
    corrupt : list of CorruptRows
    dropped : int
        Row versions that aren't intact, or can't be read.
    schema : dict of str → pyarrow.DataType
        The columns of the intact rows.
    """

    tally: Tally = field(default_factory=Tally)
    current: list[pa.Table] = field(default_factory=list)
    corrupt: list[CorruptRows] = field(default_factory=list)
    dropped: int = 0
    schema: dict[str, pa.DataType] = field(default_factory=dict)

    @property
    def hashes(self) -> np.ndarray:
        """The hashes of the intact current rows."""
        hashes = [rows["row_hash"].to_numpy() for rows in self.current]
        return np.concatenate(hashes) if hashes else np.zeros(0, dtype="int64")

    def with_repeated_keys(self, name: str) -> np.ndarray:
        """Return the hashes of current rows whose key occurs more than once."""
        if not self.current:
            return self.hashes
        keys = pa.concat_tables(self.current).select(list(KEYS[name])).to_pandas()
        return np.asarray(self.hashes[keys.duplicated(keep=False).to_numpy()])


def contents_of(damaged: DamagedTable) -> Contents:
    """Read all files of a damaged table."""
    contents = Contents()
    for part in damaged.parts():
        if part.rows is None:
            contents.dropped += part.due
            continue
        intact, others = part.filter(part.intact), part.filter(~part.intact)
        contents.dropped += others.num_rows
        if intact.num_rows:
            contents.schema |= {column.name: column.type for column in intact.schema}
            contents.tally.add(intact)
            current = intact.filter(intact["valid_to"].is_null())
            contents.current.append(current.select([*KEYS[damaged.name], "row_hash"]))
        corrupt = others.filter(pa.array(damaged.has_known_ends(others)))
        if corrupt.num_rows:
            contents.corrupt.append(CorruptRows(corrupt, part.unreadable))
    return contents


@dataclass
class Recovery:
    """What a table needs beside its intact row versions.

    Attributes
    ----------
    rows : list of pyarrow.Table
        Row versions to add.
    ended : array of int64
        Hashes of intact rows that are open although a sync closed them.
    moment : int
        When it did.
    """

    rows: list[pa.Table] = field(default_factory=list)
    ended: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype="int64"))
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
    values = Recovery([_no_rows(served), *_by_hash(contents, served)])
    values.rows += _by_other_versions(damaged, contents, served)
    missing = _missing(damaged.name, values.on(contents.tally), states)
    return _by_one_sync(damaged.name, contents, values, missing, served) or values


def _rehashed(rows: pa.Table) -> pa.Table:
    if {MONTH, "flight_date"} <= set(rows.column_names):
        months = months_of(rows["flight_date"])
        rows = rows.set_column(rows.column_names.index(MONTH), MONTH, months)
    return hashed(rows)


def _no_rows(served: pa.Table) -> pa.Table:
    return _valid(served.slice(0, 0), pa.nulls(0, TIME), pa.nulls(0, TIME))


def _valid(rows: pa.Table, begun: pa.Array, ended: pa.Array) -> pa.Table:
    return rows.append_column("valid_from", begun).append_column("valid_to", ended)


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
        if part.rows is not None:
            rows = part.filter(part.intact)
            versions.append(rows.filter(pc.is_in(rows[key], ids)).drop_columns([*VALIDITY]))
    return pa.concat_tables(versions, promote_options="default")


def _completed(name: str, corrupt: CorruptRows, others: pa.Table) -> Iterator[pa.Table]:
    """Yield corrupt rows whose hash comes out right with some column of another version."""
    keys = list(KEYS[name])
    rows = corrupt.rows.append_column("row", pa.array(range(corrupt.rows.num_rows)))
    mine = rows.select([*keys, "row"]).to_pandas()
    theirs = others.select(keys).to_pandas().assign(other=range(others.num_rows))
    pairs = mine.merge(theirs, on=keys)
    names = [column for column in others.column_names if column not in {*keys, "row_hash"}]
    for columns in [corrupt.unreadable] if corrupt.unreadable else [(name,) for name in names]:
        candidates = rows.take(pairs["row"].to_numpy())
        source = others.take(pairs["other"].to_numpy())
        for column in columns:
            if column in candidates.column_names and column in source.column_names:
                position = candidates.column_names.index(column)
                values = source[column].cast(candidates[column].type)
                candidates = candidates.set_column(position, column, values)
        hashes = hashes_of_values(candidates.drop_columns(["row"]))
        restored = candidates.filter(pa.array(hashes == candidates["row_hash"].to_numpy()))
        numbers, positions = np.unique(restored["row"].to_numpy(), return_index=True)
        yield restored.take(positions).drop_columns(["row"])
        pairs = pairs[~pairs["row"].isin(numbers)]


# -- rows that are gone -------------------------------------------------------------------------


def _by_one_sync(
    name: str,
    contents: Contents,
    values: Recovery,
    missing: Sequence[tuple[int, Sum]],
    served: pa.Table,
) -> Recovery | None:
    """Find what one sync opened and closed and is missing since; None where no sync explains it."""
    nothing = Sum()
    first = next((number for number, (_, due) in enumerate(missing) if due != nothing), None)
    if first is None or any(due != missing[first][1] for _, due in missing[first:]):
        return None
    moment, due = missing[first]
    hashes = served["row_hash"].to_numpy()
    restored = [rows["row_hash"].to_numpy() for rows in values.rows]
    lost = served.filter(pa.array(~np.isin(hashes, np.concatenate([contents.hashes, *restored]))))
    ended = contents.hashes[~np.isin(contents.hashes, hashes)]
    absent = _without_any_version(name, contents, lost)
    older = _not_younger(absent, missing[-1][0])
    for opened, closed in ((lost, ended), (absent, ended[:0]), (older, ended[:0])):
        if Sum.of(opened["row_hash"].to_numpy()) - Sum.of(closed) == due:
            begun = pa.repeat(pa.scalar(moment, pa.int64()).cast(TIME), opened.num_rows)
            rows = _valid(opened, begun, pa.nulls(opened.num_rows, TIME))
            return Recovery([*values.rows, rows], closed, moment)
    return None


def _not_younger(rows: pa.Table, moment: int) -> pa.Table:
    """Return rows that the service doesn't say are younger; the sums prove whether that is true."""
    for column in ("created_at", "updated_at"):
        if column in rows.column_names:
            younger = pc.greater(rows[column].cast(pa.int64()), moment)
            rows = rows.filter(pc.invert(pc.fill_null(younger, False)))
    return rows


def _missing(name: str, tally: Tally, states: Sequence[Sync]) -> list[tuple[int, Sum]]:
    """Return moment and what is missing of the sum that was pinned, for each state in question."""
    missing = []
    for state in proven(name, states):
        pin, moment = state.tables[name], micros(state.fetched_at)
        missing.append((moment, Sum.pinned(pin.rows, pin.fingerprint) - tally.state(moment)))
    return missing


def _without_any_version(name: str, contents: Contents, rows: pa.Table) -> pa.Table:
    """Return rows of which there is no intact current version under the same key."""
    keys = list(KEYS[name])
    if not contents.current or not rows.num_rows:
        return rows
    current = pa.concat_tables(contents.current).select(keys)
    return rows.join(current, keys, join_type="left anti").select(rows.column_names)
