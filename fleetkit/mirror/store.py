"""The mirror's folder or object store: Delta tables opened, queried and committed to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import (
    ColumnProperties,
    CommitProperties,
    DeltaTable,
    QueryBuilder,
    WriterProperties,
    write_deltalake,
)
from deltalake.exceptions import CommitFailedError, TableNotFoundError

from fleetkit import panics
from fleetkit.errors import FleetkitError, MirrorError
from fleetkit.mirror.hashes import matches
from fleetkit.mirror.layout import partition_of
from fleetkit.mirror.locations import address, folder_of, is_object_store, make_folder, reason
from fleetkit.mirror.problems import (
    Conflict,
    Unproven,
    damaged,
    log_advice,
    repair_advice,
    table_gone,
)

__all__ = [
    "ONCE",
    "WRITER",
    "Store",
    "batches",
    "compact",
    "keep_log",
    "overwrite",
    "query",
    "quoted",
]

# A commit lands on exactly the version that it was computed from, or not at all: then the whole
# sync is computed anew.
ONCE = CommitProperties(max_commit_retries=0)
# Files that were replaced stay for readers that opened the table before. [h]
RETENTION_HOURS = 7 * 24
# By itself Delta deletes the log of all versions older than a month, during whatever commit makes
# a checkpoint: also of the one that the newest sync's row names, if the next sync then crashes.
# So that is switched off, and `compact` deletes it when no row can name it.
LOG_RETENTION = {"delta.enableExpiredLogCleanup": "false"}
# Statistics let engines skip rows unread: where they are wrong, rows are missing without a word. So
# only those are written that `verification` can check: of whole files, not of their pages.
WRITER = WriterProperties(
    compression="SNAPPY",  # which delta-rs takes by itself where it is told nothing
    default_column_properties=ColumnProperties(statistics_enabled="CHUNK"),
)
# What is said of a file that is gone, or isn't what was written.
_OF_A_FILE = re.compile(r"Parquet|Arrow|Thrift|[Nn]ot ?[Ff]ound|Invalid JSON|Json")
# An object store that doesn't answer is given up after that, not after minutes.
PATIENCE = {"retry_timeout": "20s"}


class Store:
    """The place of a mirror.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL.
    mode : int
        Rights of the folders that are made here.
    """

    def __init__(self, path: str | Path, *, mode: int = 0o700) -> None:
        self.path = address(path)
        self._mode = mode
        self._options = PATIENCE if is_object_store(self.path) else None

    def location(self, table: str) -> str:
        """Return where a table lies."""
        return f"{self.path.rstrip('/')}/{table}"

    def table(self, table: str, version: int | None = None) -> DeltaTable | None:
        """Open a table; None where there is none.

        Raises
        ------
        MirrorError
            Its log, or that version of it, can't be read.
        """
        advice = log_advice(self.path, table)
        with self.doing("read", damage=advice), suppress(TableNotFoundError):
            return DeltaTable(self.location(table), version, storage_options=self._options)
        return None

    def pinned(self, name: str, version: int, digest: str) -> DeltaTable:
        """Open a table as a sync left it.

        Parameters
        ----------
        name : str
        version : int
        digest : str
            What `log_digest` gave; empty where the sync recorded none.

        Raises
        ------
        MirrorError
            The table, or this version of it, is gone, or its log matches something else.
        """
        try:
            table = self.table(name, version)
        except MirrorError:
            newest = self.table(name)
            if newest is None or newest.version() >= version:
                raise
            raise damaged(
                self.path,
                f"table {name} ends with version {newest.version()} where the newest sync left "
                f"{version} (was it copied during a sync, or restored from an older backup?)",
            ) from None
        if table is None:
            raise table_gone(self.path, name)
        if digest:
            self.check_log(name, table, digest)
        return table

    def check_log(self, name: str, table: DeltaTable, digest: str) -> None:
        """Refuse a table whose log isn't what a sync left."""
        with self.doing("read"):
            known = matches(digest, table)
        if not known:
            raise damaged(self.path, f"the log of table {name} isn't what the newest sync left")

    def is_empty(self, file: str) -> bool:
        """Return whether a file has no byte, as after a power cut; object stores have no such."""
        folder = folder_of(self.path)
        with suppress(OSError):
            return folder is not None and (folder / file).stat().st_size == 0
        return False

    def create(self, table: str, data: pa.Table, **options: Any) -> None:
        """Write the first version of a table.

        Raises
        ------
        Conflict
            Another sync made it first.
        """
        self._make_folder(table)
        try:
            write_deltalake(
                self.location(table),
                data,
                commit_properties=ONCE,
                storage_options=self._options,
                configuration=LOG_RETENTION,
                writer_properties=WRITER,
                **options,
            )
        except Exception:
            if self.table(table) is not None:
                raise Conflict from None
            raise

    def _make_folder(self, table: str) -> None:
        """Make a table's folder before delta-rs does, which would open it to all."""
        folder = folder_of(self.path)
        if folder is not None:
            with suppress(OSError):  # writing will say why, in its own words
                make_folder(folder, self._mode)
                make_folder(folder / table, self._mode)

    @contextmanager
    def doing(self, verb: str, damage: str = "") -> Iterator[None]:
        """Give failures below our wording.

        Parameters
        ----------
        verb : {"read", "written"}
        damage : str, optional
            What to do where files are damaged.
        """
        try:
            with panics.contained():
                yield
        except (FleetkitError, Conflict, Unproven):
            raise
        except CommitFailedError as problem:
            raise Conflict from problem
        except Exception as problem:  # delta-rs raises bare Exceptions too
            words, advice = reason(problem, self.path)
            if not advice and verb == "read" and self._is_damage(words):
                advice = damage or repair_advice(self.path)
            raise MirrorError(
                f"The mirror {self.path} can't be {verb}: {words}", advice=advice
            ) from None

    def _is_damage(self, words: str) -> bool:
        """Whether a failure that has no other cause lies in the files, not in the way to them."""
        return folder_of(self.path) is not None or _OF_A_FILE.search(words) is not None


def batches(table: DeltaTable, columns: Iterable[str], where: str) -> Iterator[pa.RecordBatch]:
    """Yield the columns of the rows where a condition (SQL) holds; text as large_string.

    The first batch has the columns, and may have no row.
    """
    names = ", ".join(quoted(name) for name in columns)
    statement = f"SELECT {names} FROM t WHERE {where}"  # noqa: S608 - no value of a user in it
    # Asked for batch by batch, a panic over a damaged file is an exception; the C interface of a
    # stream knows none, so there it would end the process.
    stream = QueryBuilder().register("t", table).execute(statement)
    schema = pa.schema([(field.name, _plain(field.type)) for field in pa.schema(stream.schema)])
    yield pa.RecordBatch.from_pylist([], schema)
    for batch in stream:
        yield pa.record_batch(batch).cast(schema)


def _plain(kind: pa.DataType) -> pa.DataType:
    return pa.large_string() if pa.types.is_string_view(kind) else kind


def query(
    table: DeltaTable,
    columns: Iterable[str],
    where: str,
    keep: Callable[[pa.RecordBatch], pa.Array] | None = None,
) -> pa.Table:
    """Return the columns of the rows where a condition (SQL) holds; text as large_string.

    Parameters
    ----------
    keep : callable, optional
        Takes a batch of such rows, returns which of them to return: for conditions too long for
        SQL. The others are never held.
    """
    rows = batches(table, columns, where)
    return pa.Table.from_batches(
        rows if keep is None else (batch.filter(keep(batch)) for batch in rows)
    )


def compact(table: DeltaTable, most_files: int, pinned: int) -> None:
    """Join the files of a table that has more, and delete those out of use for long.

    No state of a mirror is lost by it: what was once true lies in the rows, not in the files of
    old versions.

    Parameters
    ----------
    table : DeltaTable
    most_files : int
    pinned : int
        The version that readers open until the sync is finished; none of its files goes.
    """
    if len(table.file_uris()) <= most_files:
        return
    if table.version() == pinned:
        table.cleanup_metadata()
    table.optimize.compact(commit_properties=ONCE, writer_properties=WRITER)
    # Who took a crashed sync's files back has them listed as out of use since the crash.
    table.vacuum(RETENTION_HOURS, dry_run=False, commit_properties=ONCE, keep_versions=[pinned])


def overwrite(table: DeltaTable, name: str, data: pa.Table | pa.RecordBatchReader) -> None:
    """Replace everything in a table, in one commit."""
    write_deltalake(
        table,
        data,
        mode="overwrite",
        schema_mode="overwrite",
        partition_by=partition_of(name),
        commit_properties=ONCE,
        writer_properties=WRITER,
    )


def keep_log(table: DeltaTable) -> None:
    """Give a table that lacks it the configuration that `Store.create` gives."""
    if not LOG_RETENTION.items() <= table.metadata().configuration.items():
        table.alter.set_table_properties(LOG_RETENTION, commit_properties=ONCE)


def quoted(name: str) -> str:
    """Return a column's name as SQL."""
    return '"' + name.replace('"', '""') + '"'
