"""Flights that a sync has read and not yet written, so that memory doesn't grow with them.

They come piece of equipment by piece of equipment, and are written month by month. In between they
lie in files beside the tables, by month. A file holds whole lists only, each proven complete by the
client, and says of which records of equipment: a first sync that is interrupted leaves it, and the
next one reads only the lists that no file holds, or whose equipment changed since. What is left
after the last file stays in memory.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit import locks, memory, schema, tables
from fleetkit.columns import table_columns
from fleetkit.errors import MirrorError
from fleetkit.mirror.layout import (
    COUNTERS,
    MONTH,
    PARTITIONED,
    Prepared,
    as_text,
    hashed,
    months_of,
    prepare,
    stored_name,
    text_hashes,
    with_months,
)
from fleetkit.mirror.locations import make_folder, reason
from fleetkit.mirror.store import Store
from fleetkit.temporary import TemporaryFolder

__all__ = ["Staging", "discard_staging", "has_staging", "records_of"]

# Pages of 100 flights that are read before they are written to a file.
FILE_PAGES = 1_000
# Pages that may wait to be decoded.
MOST_WAITING = 128
# Rows of a month that are put in order at once, and rows that one commit writes.
SLICE_ROWS, COMMIT_ROWS = 40_000, 120_000
# Keys that are compared at once, to find flights in two months.
_KEYS_AT_ONCE = 2_000_000
_FOLDER, _ABOUT, _KEY = "staging", b"fleetkit", "id_hash"
# The files that are ours: a folder of this name may have been the user's before.
_FILES, _UNFINISHED = f"{'[0-9]' * 6}-{'[0-9a-f]' * 32}.arrow", "unfinished"


@dataclass(frozen=True)
class _Part:
    """Whole lists of flights, sorted by month: in a file, or in memory."""

    pieces: Mapping[str, str]
    months: Mapping[str, int]
    kinds: Mapping[str, str]
    tokens: list[str]
    source: str
    columns: list[str]
    rows: pa.Table | None = None
    path: Path | None = None
    # Pieces whose list in this part is the one to write.
    valid: frozenset[str] = field(default_factory=frozenset)

    def read(self, month: str, columns: list[str] | None = None) -> pa.Table:
        """Return the rows of a month."""
        if month not in self.months:
            return pa.table({})
        place = list(self.months).index(month)
        is_whole = len(self.valid) == len(self.pieces)
        if self.rows is not None:
            rows = self.rows.slice(sum(list(self.months.values())[:place]), self.months[month])
        else:
            names = self.columns if columns is None or not is_whole else columns
            fields = [self.columns.index(name) for name in names]
            # A month of a file is so little that passing it to threads takes longer than it saves.
            options = pa.ipc.IpcReadOptions(included_fields=fields, use_threads=False)
            with pa.OSFile(str(self.path)) as file, pa.ipc.open_file(file, options=options) as part:
                rows = pa.Table.from_batches([part.get_batch(place)])
        if not is_whole:
            is_valid = pc.is_in(
                rows["equipment_id"], pa.array(sorted(self.valid), pa.large_string())
            )
            rows = rows.filter(is_valid)
        return rows.select(columns) if columns else rows


class Staging:
    """The flights that a sync reads.

    Parameters
    ----------
    path : str or Path
        The mirror. In a folder what was read outlasts the process; for one in an object store, or
        where there are no locks, it lies in the temporary folder, and ends with it.
    source : str
        Address of the service.
    records : dict of str → str
        Piece of equipment → what its record is now, as a text; a list that was read when it was
        the same is not read again. Empty where a record has neither counter; without any, nothing
        is taken over by a later sync.
    mode : int
        Permissions of the folder, where it is made here.
    resumed : bool
        Whether what an earlier first sync left is taken over; else it is deleted.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        source: str,
        records: Mapping[str, str],
        mode: int = 0o700,
        resumed: bool = True,
    ) -> None:
        self._store, self._source, self._records, self._mode = Store(path), source, records, mode
        folder = self._store.folder
        mirror = folder if folder and locks.exist_in(folder) else None
        self._texts: set[str] = set()
        self._differences: tables.Differences = {}
        self._temporary = None if mirror else TemporaryFolder()
        self._folder = mirror / _FOLDER if mirror else self._temporary.path  # type: ignore[union-attr]
        self._mirror = mirror
        if not resumed:
            discard_staging(path)
        with self._store.doing("read"):
            self._parts = self._resumed_parts()
        self.resumed = frozenset(self.pieces)

    @property
    def pieces(self) -> set[str]:
        """The pieces of equipment whose lists are here."""
        return {piece for part in self._parts for piece in part.valid}

    def add(self, rows: pa.Table, pieces: Iterable[str], *, in_memory: bool = False) -> None:
        """Take the lists of some pieces of equipment, whole.

        Parameters
        ----------
        rows : pyarrow.Table
            As `fleetkit.tables.FlightReader.take` returns them.
        pieces : iterable of str
            Whose lists they are, also those without a flight.
        in_memory : bool
            Write no file: there is little, and nothing more to come.
        """
        for name in ("_names", "_months", "_slices", "_counted", "_none"):
            vars(self).pop(name, None)
        self._differences = {}
        ordered, months = _by_month(rows)
        records = {piece: self._records.get(piece, "") for piece in pieces}
        category = next(column for column in table_columns("flights") if column.dtype == "category")
        part = _Part(
            pieces=records,
            months=months,
            kinds={
                name: tables.kind_of(ordered[name].combine_chunks())
                for name in rows.column_names
                if tables.path_of(name)
            },
            tokens=tables.unknown_tokens(ordered[category.name], category),
            source=self._source,
            columns=ordered.column_names,
            valid=frozenset(records),
        )
        if in_memory:
            self._parts.append(replace(part, rows=ordered))
            return
        with _in_temporary() if self._temporary else self._store.doing("written"):
            self._parts.append(replace(part, path=self._write(part, ordered)))
        del rows, ordered
        memory.release_unused()

    def take(self, lists: Iterable[tuple[str, list[bytes]]]) -> None:
        """Take lists as they come; beside that, they are decoded and written.

        Parameters
        ----------
        lists : iterable of str and list of bytes
            Piece of equipment, and all pages of its list.

        Raises
        ------
        DataError
            A value that can't be read; the message names record and field.
        MirrorError
            A file can't be written.
        """
        waiting: deque[tuple[int, Future[None]]] = deque()
        gathered = _Gathered(self)
        with ThreadPoolExecutor(1, thread_name_prefix="fleetkit-stages") as thread:
            for piece, pages in lists:
                waiting.append((len(pages), thread.submit(gathered.add, piece, pages)))
                while sum(count for count, _ in waiting) > MOST_WAITING:
                    waiting.popleft()[1].result()
            for _, job in waiting:
                job.result()
        gathered.finish()

    def _write(self, part: _Part, rows: pa.Table) -> Path:
        """Write a part, whole or not at all."""
        if self._mirror is not None:
            make_folder(self._mirror, self._mode)
            make_folder(self._folder, self._mode)
        names = ("pieces", "months", "kinds", "tokens", "source", "columns")
        about = json.dumps({name: getattr(part, name) for name in names}).encode()
        unfinished = self._folder / _UNFINISHED
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        layout = rows.schema.with_metadata({_ABOUT: about})
        start = 0
        with (
            pa.OSFile(str(unfinished), "wb") as file,
            pa.ipc.new_file(file, layout, options=options) as writer,
        ):
            for count in part.months.values():
                batch = rows.slice(start, count).combine_chunks().to_batches()[0]
                writer.write_batch(batch.replace_schema_metadata(layout.metadata))
                start += count
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        last = max((int(path.name[:6]) for path in self._folder.glob(_FILES)), default=-1)
        path = self._folder / f"{last + 1:06d}-{_digest(unfinished)}.arrow"
        unfinished.replace(path)
        return path

    def _resumed_parts(self) -> list[_Part]:
        """Return what an earlier sync left that still holds; the rest is deleted."""
        parts: list[_Part] = []
        taken: set[str] = set()
        for path in sorted(self._folder.glob(_FILES), reverse=True):  # the newest copy counts
            part = _opened(path)
            valid = {
                piece
                for piece, record in (part.pieces if part else {}).items()
                if record and record == self._records.get(piece) and piece not in taken
            }
            if part is None or part.source != self._source or not valid:
                path.unlink()
                continue
            taken |= valid
            parts.append(replace(part, valid=frozenset(valid)))
        return parts[::-1]

    @property
    def further(self) -> dict[str, str]:
        """Stored name of a column that the reference doesn't know → its dtype."""
        return {stored_name(name): self._kind(column) for column, name in self._names.items()}

    @cached_property
    def _names(self) -> dict[str, str]:
        """Columns of fields that the reference doesn't know → their names; gives notice of them."""
        columns = {column for part in self._parts for column in part.kinds}
        paths = {path: column for column in columns if (path := tables.path_of(column))}
        known = table_columns("flights")
        tokens = {token for part in self._parts for token in part.tokens}
        tables.give_notice("flight_type", sorted(tokens))
        named = tables.name_unknown(paths, schema.FLIGHT, known)
        return {paths[path]: name for path, name in named.items()}

    def follow(self, further: Mapping[str, str]) -> None:
        """Keep as text what is text in flights that weren't read.

        A number there is stored as it came; in a column of numbers alone it has another form, and
        would seem to change.

        Parameters
        ----------
        further : dict of str → str
            Stored name of a column that the reference doesn't know → its dtype in the mirror.
        """
        self._texts = {name for name, dtype in further.items() if dtype == "str"}

    def _kind(self, column: str) -> str:
        if stored_name(self._names[column]) in self._texts:
            return "str"
        kinds = {part.kinds.get(column, "") for part in self._parts} - {""}
        return kinds.pop() if len(kinds) == 1 else "str"

    @cached_property
    def _months(self) -> dict[str, int]:
        """Months in order → rows, copies included."""
        rows: dict[str, int] = {}
        for part in self._parts:
            for month, count in part.months.items():
                rows[month] = rows.get(month, 0) + count
        return dict(sorted(rows.items()))

    @cached_property
    def _slices(self) -> list[tuple[str, int]]:
        """Month and number of each slice, in order."""
        return [
            (month, number)
            for month, count in self._months.items()
            for number in range(_count_slices(count))
        ]

    def commits(self) -> Iterator[list[tuple[str, int]]]:
        """Yield the slices that one commit writes; at least one list, which may be empty."""
        chosen: list[tuple[str, int]] = []
        rows = 0
        for month, number in self._slices:
            count = min(SLICE_ROWS, self._months[month])
            if chosen and rows + count > COMMIT_ROWS:
                yield chosen
                chosen, rows = [], 0
            chosen.append((month, number))
            rows += count
        yield chosen

    def all_slices(self) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Yield flights and their bridge as they are stored, some rows at a time; at least once."""
        yield from self.slices(self._slices)

    def whole(self, name: str) -> Prepared:
        """Return all rows of flights or of their bridge, as they are stored."""
        place = PARTITIONED.index(name)
        rows = pa.concat_tables([both[place] for both in self.all_slices()])
        return Prepared(rows, {} if place else self.further, details=False)

    def slices(self, chosen: list[tuple[str, int]]) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Yield flights and their bridge as they are stored, slice by slice.

        No flight is in two slices. With the last one come those of which there are copies in two
        months, with the date of the newest one.
        """
        for month, number in chosen:
            yield self._stored(self._rows(month, number), month)
            memory.release_unused()
        if not chosen or chosen[-1] == self._slices[-1]:
            yield self._stored(self._moved_rows)

    def _rows(self, month: str, number: int) -> pa.Table:
        """Return one slice of a month, without flights that are in another month too."""
        parts = _count_slices(self._months[month])
        selected = []
        for part in self._parts:
            rows = part.read(month)
            if not rows.num_rows:
                continue
            keys = rows[_KEY].to_numpy()
            is_here = np.ones(len(keys), bool) if parts == 1 else keys % parts == number
            if len(self._moved):
                is_here &= ~np.isin(keys, self._moved)
            selected.append(rows if is_here.all() else rows.filter(pa.array(is_here)))
        return pa.concat_tables([self._none, *selected], promote_options="default")

    @property
    def _moved_rows(self) -> pa.Table:
        """All copies of the flights that are in two months."""
        selected = [self._none]
        for month in self._months if len(self._moved) else ():
            for part in self._parts:
                rows = part.read(month)
                if rows.num_rows:
                    is_moved = np.isin(rows[_KEY].to_numpy(), self._moved)
                    selected.append(rows.filter(pa.array(is_moved)))
        return pa.concat_tables(selected, promote_options="default")

    @cached_property
    def _none(self) -> pa.Table:
        """No rows, with every column."""
        texts = dict.fromkeys(self._names, pa.array([], pa.large_string()))
        rows = tables.FlightReader().take()
        keys = pa.array([], pa.int64())
        return pa.table(
            dict(zip(rows.column_names, rows.columns, strict=True)) | texts | {_KEY: keys}
        )

    @cached_property
    def _counted(self) -> tuple[int, np.ndarray]:
        """Return how many flights there are, and the keys of those with copies in two months."""
        total = sum(self._months.values())
        parts = -(-total // _KEYS_AT_ONCE)
        count, moved = 0, [np.zeros(0, dtype="int64")]
        for number in range(parts):
            keys = np.concatenate(list(self._keys(parts, number)))
            keys.sort()
            is_repeated = keys[1:] == keys[:-1]
            count += len(keys) - int(np.count_nonzero(is_repeated))
            moved.append(np.unique(keys[1:][is_repeated]))
        return count, np.concatenate(moved)

    def _keys(self, parts: int, number: int) -> Iterator[np.ndarray]:
        """Yield one of several parts of the keys, month by month: in each month every key once."""
        for month in self._months:
            read = [part.read(month, [_KEY])[_KEY] for part in self._parts if month in part.months]
            every = np.concatenate([keys.to_numpy() for keys in read])
            yield np.unique(every[every % parts == number])

    @property
    def differences(self) -> tables.Differences:
        """Which copies differ of the flights that all slices held, once these were read."""
        return dict(sorted(self._differences.items()))

    @property
    def count(self) -> int:
        """Flights, each once."""
        return self._counted[0]

    @property
    def _moved(self) -> np.ndarray:
        return self._counted[1]

    def _stored(self, rows: pa.Table, month: str = "") -> tuple[pa.Table, pa.Table]:
        """Return flights and bridge of some rows as `layout.prepare` gives them.

        Where all are of one month, its name makes it faster.
        """
        keys = rows[_KEY].to_numpy()
        chosen = tables.distinct(rows, keys)
        self._differences |= _differences(rows, chosen)
        retained, pairs = chosen.retained, chosen.pairs
        flights = rows.drop_columns(["equipment_id", _KEY]).take(pa.array(retained))
        bridge = rows.select(["flight_id", "equipment_id"]).take(pa.array(pairs))
        stored = flights.select([column.name for column in table_columns("flights")])
        for column, name in self._names.items():
            values = tables.typed(flights[column].combine_chunks(), self._kind(column), name)
            stored = stored.append_column(stored_name(name), as_text(values))
        if not month:
            stored = hashed(stored.append_column(MONTH, months_of(stored["flight_date"])))
            return stored, with_months(bridge, stored)
        return (
            hashed(_in_month(stored, month), {"flight_id": keys[retained]}),
            hashed(_in_month(bridge, month), {"flight_id": keys[pairs]}),
        )

    def close(self) -> None:
        """Delete what the temporary folder holds; a mirror's folder keeps what was read."""
        if self._temporary is not None:
            self._temporary.remove()


@contextmanager
def _in_temporary() -> Iterator[None]:
    """Say in a `MirrorError` why the temporary folder fails: the mirror may have room."""
    try:
        yield
    except OSError as problem:
        folder = tempfile.gettempdir()
        cause, advice = reason(problem, folder)
        raise MirrorError(
            f"Flights that were read can't be put into {folder}: {cause}", advice=advice
        ) from None


class _Gathered:
    """Lists, until there are enough of them for a file."""

    def __init__(self, staging: Staging) -> None:
        self._staging, self._reader = staging, tables.FlightReader()
        self._pieces: list[str] = []
        self._count = 0
        self._has_failed = False

    def add(self, piece: str, pages: list[bytes]) -> None:
        """Take a list, and write a file where it holds enough; after a failure do nothing.

        What a failure loses is in no file, and no file may name its lists as whole.
        """
        if self._has_failed:
            return
        try:
            self._add(piece, pages)
        except BaseException:
            self._has_failed = True
            raise

    def _add(self, piece: str, pages: list[bytes]) -> None:
        for page in pages:
            self._reader.add(piece, page)
        self._pieces.append(piece)
        self._count += len(pages)
        if self._count >= FILE_PAGES:
            self._staging.add(self._reader.take(), self._pieces)
            self._pieces, self._count = [], 0

    def finish(self) -> None:
        """Leave in memory what is too little for a file."""
        if self._pieces:
            self._staging.add(self._reader.take(), self._pieces, in_memory=True)


def _count_slices(rows: int) -> int:
    return -(-rows // SLICE_ROWS)


def has_staging(path: str | Path) -> bool:
    """Return whether a first sync that was interrupted left flights in a mirror's folder."""
    return _left_in(path) is not None


def discard_staging(path: str | Path) -> None:
    """Delete what a first sync left in a mirror's folder: it is written, or of no use."""
    folder = _left_in(path)
    if folder is None:
        return
    with suppress(OSError):  # it takes space, and does no other harm
        for file in (*folder.glob(_FILES), folder / _UNFINISHED):
            file.unlink(missing_ok=True)
        folder.rmdir()


def _left_in(path: str | Path) -> Path | None:
    """Return the folder that a first sync left in a mirror's; None where there is none."""
    mirror = Store(path).folder
    folder = mirror and mirror / _FOLDER
    return folder if folder and folder.is_dir() else None


def records_of(equipment: pd.DataFrame) -> dict[str, str]:
    """Return piece of equipment → its record as a text; empty where it has neither counter."""
    rows = prepare("equipment", equipment).table
    hashes = pc.cast(rows["row_hash"], pa.string())
    is_counted = pc.or_(*(pc.is_valid(rows[counter]) for counter in COUNTERS))
    texts = pc.if_else(is_counted, hashes, "").to_pylist()
    return dict(zip(rows["equipment_id"].to_pylist(), texts, strict=True))


def _by_month(rows: pa.Table) -> tuple[pa.Table, dict[str, int]]:
    """Return rows sorted by month, with a key of each flight, and how many each month has."""
    if not rows.num_rows:
        return rows.append_column(_KEY, pa.array([], pa.int64())), {}
    rows = rows.combine_chunks()
    keyed = rows.append_column(_KEY, pa.array(text_hashes(rows["flight_id"].combine_chunks())))
    months = months_of(rows["flight_date"]).dictionary_encode()
    names = months.dictionary.sort()
    places = pc.index_in(months.dictionary, names).to_numpy()[months.indices.to_numpy()]
    counts = dict(zip(names.to_pylist(), np.bincount(places).tolist(), strict=True))
    return keyed.take(pa.array(np.argsort(places, kind="stable"))).combine_chunks(), counts


def _differences(rows: pa.Table, chosen: tables.Distinct) -> tables.Differences:
    """Compare the copies of flights with the ones that are retained."""
    dropped, winners = pa.array(chosen.dropped), pa.array(chosen.winners)
    columns = (
        (name, rows[name].take(dropped), rows[name].take(winners)) for name in tables.COMPARED
    )
    pieces = rows["equipment_id"].take(dropped)
    return tables.differences(rows["flight_id"].take(dropped), pieces, columns)


def _in_month(rows: pa.Table, month: str) -> pa.Table:
    return rows.append_column(MONTH, pa.repeat(pa.scalar(month, pa.large_string()), rows.num_rows))


def _opened(path: Path) -> _Part | None:
    """Open a part; None where its file isn't what was written."""
    try:
        if _digest(path) != path.stem.partition("-")[2]:
            return None
        with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as whole:
            about = json.loads(whole.schema.metadata[_ABOUT])
        part = _Part(**about, path=path)
        return part if _KEY in part.columns else None  # else an older fleetkit wrote it
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
