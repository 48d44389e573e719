"""The files of a table one by one, so that one that can't be read doesn't hide the others.

Engines leave rows unread because of a file's statistics, so those are verified here too.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.fs import DeltaStorageHandler
from pyarrow import fs

from fleetkit.mirror.store import PARTITION, Store

__all__ = ["File", "files", "has_true_statistics"]

# Exceptions of decoding where a file isn't what was written.
_DAMAGE = (pa.ArrowException, OSError, MemoryError, ValueError, KeyError, IndexError, TypeError)
# Numbers of failures that say something about one file: the disk can't read it, or it is none.
_OF_THIS_FILE = {errno.EIO, errno.EISDIR, errno.ELOOP}


@dataclass(frozen=True)
class File:
    """A live file of a table.

    Attributes
    ----------
    log : dict
        What the table's log says of it, flat: ``path``, ``num_records``, ``min.name`` …
    data : bytes or None
        Its bytes; None where it is missing.
    """

    log: Mapping[str, Any]
    data: bytes | None

    @property
    def due(self) -> int:
        """How many rows the log says it has."""
        return self.log["num_records"] or 0

    @cached_property
    def footer(self) -> pq.FileMetaData | None:
        """Its footer; None where it can't be decoded."""
        try:
            return None if self.data is None else pq.read_metadata(pa.BufferReader(self.data))
        except _DAMAGE:
            return None

    @property
    def rows(self) -> pa.Table | None:
        """Its rows, with the columns that it has, and of its partition.

        None where nothing can be decoded; a single column that can't is one of nulls.
        """
        return self._decoded[0]

    @property
    def unreadable(self) -> tuple[str, ...]:
        """The columns that can't be decoded, where others can."""
        return self._decoded[1]

    @cached_property
    def _decoded(self) -> tuple[pa.Table | None, tuple[str, ...]]:
        rows, unreadable = (None, ()) if self.data is None else _decoded(self.data)
        if rows is not None:
            for column, value in self.log.items():
                if column.startswith(PARTITION):
                    constant = pa.repeat(pa.scalar(value, pa.large_string()), rows.num_rows)
                    rows = rows.append_column(column.removeprefix(PARTITION), constant)
        return rows, unreadable


def files(store: Store, name: str, table: DeltaTable) -> Iterator[File]:
    """Yield the live files of a table with their bytes.

    Raises
    ------
    OSError
        The folder or object store can't be read at all: that says nothing about a file.
    """
    read = _reader(store, name)
    listed = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    for log in sorted(listed, key=lambda log: str(log["path"])):
        yield File(log, _bytes(read, log["path"]))


def _reader(store: Store, name: str) -> Callable[[str], bytes]:
    """Return the function that reads a file of a table, by its path in the log."""
    folder = store.folder
    if folder is not None:
        return lambda path: (folder / name / path).read_bytes()
    system = fs.PyFileSystem(DeltaStorageHandler(store.location(name)))

    def read(path: str) -> bytes:
        with system.open_input_file(path) as file:
            return bytes(file.read())

    return read


def _bytes(read: Callable[[str], bytes], path: str) -> bytes | None:
    try:
        return read(path)
    except FileNotFoundError:
        return None
    except OSError as problem:
        if problem.errno in _OF_THIS_FILE:
            return None
        raise


def _decoded(data: bytes) -> tuple[pa.Table | None, tuple[str, ...]]:
    """Return the rows of a file, None without their validity; and the unreadable columns."""
    try:
        return _plain(pq.ParquetFile(pa.BufferReader(data)).read()), ()
    except _DAMAGE:
        pass
    try:
        schema = pq.read_schema(pa.BufferReader(data))
        columns = {name: _column(data, name) for name in schema.names}
        begin, end = columns["valid_from"], columns["valid_to"]
        if begin is None or end is None:
            return None, ()
        unreadable = tuple(name for name, column in columns.items() if column is None)
        for name in unreadable:
            columns[name] = pa.nulls(len(begin), schema.field(name).type)
        return _plain(pa.table(columns, schema=schema)), unreadable
    except _DAMAGE:
        return None, ()


def _column(data: bytes, name: str) -> pa.ChunkedArray | None:
    try:
        return pq.ParquetFile(pa.BufferReader(data)).read(columns=[name]).column(0)
    except _DAMAGE:
        return None


def _plain(rows: pa.Table) -> pa.Table:
    kinds = dict.fromkeys((pa.string(), pa.string_view()), pa.large_string())
    fields = [(field.name, kinds.get(field.type, field.type)) for field in rows.schema]
    if len({name for name, _ in fields}) < len(fields):
        raise KeyError("Two columns have one name.")
    return rows.cast(pa.schema(fields))


# The log has whole milliseconds.
_LOG_STEP = timedelta(milliseconds=1)
# Column, least and largest value, number of nulls; None for what isn't known.
Statistic = tuple[str, Any, Any, Any]


def has_true_statistics(file: File) -> bool:
    """Say whether the log and the footer of a file are right about its rows.

    Bounds may be wider than the values, as those of long texts are.
    """
    rows, footer = file.rows, file.footer
    if rows is None or footer is None or file.unreadable:
        return False
    if not file.due == footer.num_rows == rows.num_rows:
        return False
    try:
        return _has_true_log(file, rows) and _has_true_footer(footer, rows)
    except (pa.ArrowException, TypeError, ValueError, OverflowError, OSError):
        return False


def _has_true_log(file: File, rows: pa.Table) -> bool:
    return all(_holds(rows, statistic, _LOG_STEP) for statistic in _of_log(file))


def _has_true_footer(footer: pq.FileMetaData, rows: pa.Table) -> bool:
    start = 0
    for number in range(footer.num_row_groups):
        group = footer.row_group(number)
        part = rows.slice(start, group.num_rows)
        if not all(_holds(part, statistic, timedelta()) for statistic in _of_footer(group)):
            return False
        start += group.num_rows
    return True


def _of_log(file: File) -> Iterator[Statistic]:
    for key in file.log:
        if key.startswith("null_count."):
            name = key.removeprefix("null_count.")
            least, largest = (file.log.get(f"{end}.{name}") for end in ("min", "max"))
            yield name, least, largest, file.log[key]


def _of_footer(group: Any) -> Iterator[Statistic]:
    for number in range(group.num_columns):
        column = group.column(number)
        statistic = column.statistics
        if statistic is None:
            continue
        least, largest = (statistic.min, statistic.max) if statistic.has_min_max else (None, None)
        yield (
            column.path_in_schema,
            least,
            largest,
            statistic.null_count if statistic.has_null_count else None,
        )


def _holds(rows: pa.Table, statistic: Statistic, step: timedelta) -> bool:
    name, least, largest, nulls = statistic
    if name not in rows.column_names:  # the column was added after the file
        return True
    values = rows[name]
    if nulls is not None and nulls != values.null_count:
        return False
    span = pc.min_max(values).as_py()
    if span["min"] is None:
        return True
    if isinstance(largest, datetime) and largest < span["max"]:
        largest = span["max"] if span["max"] - largest <= step else largest  # no year 10000
    return (least is None or least <= span["min"]) and (largest is None or span["max"] <= largest)
