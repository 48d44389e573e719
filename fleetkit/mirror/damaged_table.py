"""What a damaged table still holds: the row versions that are as they were written, and the others.

A row version is intact where its values give its hash, in the month that it belongs to, and where
it begins and ends with a sync.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.mirror.files import files
from fleetkit.mirror.layout import KEYS
from fleetkit.mirror.store import Store
from fleetkit.mirror.verifying import Tally, intact_rows

__all__ = ["Contents", "CorruptRows", "DamagedTable", "contents_of"]

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
        closed since stands in it still. So of two the one is kept that is closed.
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
    """Return what tells the intact rows of a file apart, and where they lie."""
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
    standing : list of pyarrow.Table
        Key and hash of the intact rows that stand.
    corrupt : list of CorruptRows
    dropped : int
        Row versions that aren't intact, or can't be read.
    schema : dict of str → pyarrow.DataType
        The columns of the intact rows.
    """

    tally: Tally = field(default_factory=Tally)
    standing: list[pa.Table] = field(default_factory=list)
    corrupt: list[CorruptRows] = field(default_factory=list)
    dropped: int = 0
    schema: dict[str, pa.DataType] = field(default_factory=dict)

    @property
    def hashes(self) -> np.ndarray:
        """The hashes of the intact rows that stand."""
        hashes = [rows["row_hash"].to_numpy() for rows in self.standing]
        return np.concatenate(hashes) if hashes else np.zeros(0, dtype="int64")

    def standing_twice(self, name: str) -> np.ndarray:
        """Return the hashes of rows that stand beside others of the same key."""
        if not self.standing:
            return self.hashes
        keys = pa.concat_tables(self.standing).select(list(KEYS[name])).to_pandas()
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
            standing = intact.filter(intact["valid_to"].is_null())
            contents.standing.append(standing.select([*KEYS[damaged.name], "row_hash"]))
        corrupt = others.filter(pa.array(damaged.has_known_ends(others)))
        if corrupt.num_rows:
            contents.corrupt.append(CorruptRows(corrupt, part.unreadable))
    return contents
