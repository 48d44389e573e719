"""The mirror's folder or object store: Delta tables opened, queried and committed to.

The log is proven by digests, at the cost of reading it: which files a version has, of what size,
with how many rows, in which partition and with which columns. So a commit that is missing, cut or
changed is noticed before anything else is read.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from deltalake import (
    ColumnProperties,
    CommitProperties,
    DeltaTable,
    QueryBuilder,
    WriterProperties,
    __version__,
    write_deltalake,
)
from deltalake.exceptions import CommitFailedError, TableNotFoundError

from fleetkit import panics
from fleetkit.errors import FleetkitError, MirrorError
from fleetkit.interface import shell_word, worded
from fleetkit.mirror.layout import CURRENT, partition_of
from fleetkit.mirror.locations import (
    FAULT,
    address,
    folder_of,
    has_unknown_scheme,
    is_newer,
    is_object_store,
    make_folder,
    reason,
    refuse_lost_link,
    table_around,
)

__all__ = [
    "ONCE",
    "WRITER",
    "Conflict",
    "Damaged",
    "Outdated",
    "Store",
    "Unproven",
    "batches",
    "column_names",
    "compact",
    "current_hashes",
    "damaged",
    "digest",
    "disable_log_cleanup",
    "give_up",
    "log_advice",
    "log_digest",
    "overwrite",
    "query",
    "quoted",
    "sync_command",
    "table_gone",
]

# A commit lands on exactly the version that it was computed from, or not at all: then the whole
# sync is computed again.
ONCE = CommitProperties(max_commit_retries=0)
# Files that were replaced stay for readers that opened the table before. [h]
RETENTION_HOURS = 7 * 24
# A merge puts the files of what it closes out of use, so a table with few files may have left many.
# Whenever its version is a multiple of this, they are looked for, however few are in use.
COMMITS = 16
# By itself Delta deletes the log of all versions older than a month, during whatever commit makes
# a checkpoint: also of the one that the newest sync's row names, if the next sync then crashes.
# So that is switched off, and `compact` deletes it when no row can name it.
LOG_RETENTION = {"delta.enableExpiredLogCleanup": "false"}
# Columns whose values hardly ever occur twice: making a dictionary of them takes as long as writing
# all others, and more space than it saves.
_DIFFERENT = (
    *("flight_id", "row_hash", "flight_date", "created_at", "updated_at", "traveled_distance"),
    *("takeoff_lat", "takeoff_lng", "landing_lat", "landing_lng"),
)
# Statistics let engines skip rows unread: where they are wrong, rows are missing without notice. So
# only those are written that `verification` can check: of whole files, not of their pages.
WRITER = WriterProperties(
    compression="SNAPPY",  # the default of delta-rs, which these properties would replace
    default_column_properties=ColumnProperties(statistics_enabled="CHUNK"),
    column_properties={
        name: ColumnProperties(statistics_enabled="CHUNK", dictionary_enabled=False)
        for name in _DIFFERENT
    },
)
# Words of delta-rs for a file that is missing, or isn't what was written.
_OF_A_FILE = re.compile(r"Parquet|Arrow|Thrift|[Nn]ot ?[Ff]ound|Invalid JSON|Json")
# Words for a failure of a log that its checkpoint, a Parquet file, has no part in.
_OF_NO_CHECKPOINT = re.compile(f"Json error|{FAULT[0].rstrip('.')}")
# What the names of columns of a table's log begin with that tell by what a file is partitioned.
PARTITION = "partition."
_FILE = ("path", "size_bytes", "num_records")
# How long an object store that doesn't answer is asked again.
PATIENCE = {"retry_timeout": "20s"}


class Conflict(Exception):
    """Another sync committed first: this one must be computed again."""


class Damaged(MirrorError):
    """A mirror isn't what its syncs left. Where only a disk, or a store, fails, it is intact.

    Attributes
    ----------
    problem : str
        What is wrong, without the mirror's name.
    remedy : str
        What to do where a full sync can't repair it; empty where it can.
    """

    def __init__(
        self, message: str, *, advice: str = "", problem: str = "", remedy: str = ""
    ) -> None:
        super().__init__(message, advice=advice)
        self.problem, self.remedy = problem, remedy


class Outdated(Exception):
    """Another sync was finished since this one began to read: what it read may be older."""


class Unproven(Exception):
    """What was read is not enough to know the state of the rest.

    Attributes
    ----------
    flights : dict of str → str
        Equipment whose flights must be read too → why.
    details : dict of str → str
        Projects that must be read by id → why.
    """

    def __init__(
        self, *, flights: dict[str, str] | None = None, details: dict[str, str] | None = None
    ) -> None:
        super().__init__("More must be read to know the state of everything.")
        self.flights, self.details = flights or {}, details or {}


class Store:
    """The folder or object store of a mirror.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL.
    mode : int
        Permissions of the folders that are made here.
    """

    def __init__(self, path: str | Path, *, mode: int = 0o700) -> None:
        self.path = address(path)
        self._mode = mode
        self._options = PATIENCE if is_object_store(self.path) else None

    @property
    def folder(self) -> Path | None:
        """The folder; None where it is an object store."""
        return folder_of(self.path)

    @property
    def table_around(self) -> Path | None:
        """The table that the folder is, or lies in; None for any other folder."""
        return self.folder and table_around(self.folder)

    def location(self, table: str) -> str:
        """Return the address of a table."""
        if self.folder is not None:  # of a URL delta-rs would leave out what follows # or ?
            return str(self.folder / table)
        return f"{self.path.rstrip('/')}/{table}"

    def table(self, table: str, version: int | None = None) -> DeltaTable | None:
        """Open a table; None where there is none.

        Raises
        ------
        MirrorError
            Its log, or that version of it, can't be read.
        """
        advice = log_advice(self.path, table)
        with self._telling_of_checkpoints(table), self.doing("read", damage=advice):
            try:
                return DeltaTable(self.location(table), version, storage_options=self._options)
            except TableNotFoundError as problem:
                if has_unknown_scheme(problem):
                    raise
        if self.folder is not None:  # delta-rs takes what it may not read for what isn't there
            with self.doing("read"), suppress(FileNotFoundError, NotADirectoryError):
                os.scandir(self.folder / table).close()
            for place in (self.folder, self.folder / table):
                refuse_lost_link(place, f"The mirror {self.path} can't be read")
        return None

    @contextmanager
    def _telling_of_checkpoints(self, table: str) -> Iterator[None]:
        """Advise to do without a log's checkpoint, where that may be what can't be read."""
        try:
            yield
        except Damaged as found:
            log = self.folder and self.folder / table / "_delta_log"
            is_other = _OF_NO_CHECKPOINT.search(found.problem)
            if not log or is_other or not any(log.glob("*checkpoint*")):
                raise
            remedy = (
                f"Move _last_checkpoint and the newest *.checkpoint.parquet out of {log}, and try "
                "again: the other files may tell the same. If they don't, put both back. "
                f"{found.remedy}"
            )
            raise Damaged(
                found.message, advice=remedy, problem=found.problem, remedy=remedy
            ) from None

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
            The table, or this version of it, is missing, or its log isn't the one that was left.
        """
        table = self.up_to(name, version)
        if table is None:
            if self.folder is not None and not self.folder.exists():
                raise MirrorError(
                    f"The mirror {self.path} is gone since it was opened.",
                    advice="Open it where it lies now.",
                )
            raise table_gone(self.path, name)
        if table.version() < version:
            raise damaged(
                self.path,
                f"table {name} ends with version {table.version()} where the newest sync left "
                f"{version} (was it copied during a sync, or restored from an older backup?)",
            )
        self.check_log(name, table, digest)
        return table

    def up_to(self, name: str, version: int) -> DeltaTable | None:
        """Open a version of a table, or its last one where its log ends before; None without one.

        Raises
        ------
        MirrorError
            Its log can't be read.
        """
        try:
            return self.table(name, version)
        except MirrorError:
            newest = self.table(name)
            if newest is None or newest.version() >= version:
                raise
            return newest

    def is_newest(self, name: str, version: int) -> bool:
        """Whether a version of a table is its last one, as far as a folder tells at once."""
        if self.folder is None:
            return False
        with suppress(OSError):
            commits = [file.name[:20] for file in (self.folder / name / "_delta_log").iterdir()]
            return all(int(number) <= version for number in commits if number.isdecimal())
        return False

    def refuse_folders(self, name: str) -> None:
        """Refuse a table in whose log a folder stands for a file: delta-rs passes it over.

        The table would end before it, and whoever wrote the next version would meet another writer.
        """
        if self.folder is None:
            return
        log = self.folder / name / "_delta_log"
        with suppress(OSError), os.scandir(log) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and entry.is_dir():
                    raise damaged(
                        self.path,
                        f"{entry.path} is a folder, where the log of table {name} has a file",
                        log_advice(self.path, name),
                    )

    def check_log(self, name: str, table: DeltaTable, digest: str) -> None:
        """Refuse a table whose log isn't what a sync left; without a `digest`, none is refused."""
        with self.doing("read"):
            is_same = not digest or _matches(digest, table)
        if not is_same:
            raise damaged(self.path, f"the log of table {name} isn't what the newest sync left")

    def is_empty(self, file: str) -> bool:
        """Return whether a file in the folder has no bytes, as after a power cut."""
        folder = self.folder
        with suppress(OSError):
            return folder is not None and (folder / file).stat().st_size == 0
        return False

    def create(
        self, name: str, data: pa.Table | pa.RecordBatchReader, **options: Any
    ) -> DeltaTable:
        """Write the first version of a table.

        Raises
        ------
        Conflict
            Another sync made it first.
        """
        self._make_folder(name)
        try:
            write_deltalake(
                self.location(name),
                data,
                commit_properties=ONCE,
                storage_options=self._options,
                configuration=LOG_RETENTION,
                writer_properties=WRITER,
                **options,
            )
        except Exception:
            if self.table(name) is not None:
                raise Conflict from None
            raise
        table = self.table(name, 0)
        if table is None:  # it was deleted meanwhile
            raise Conflict
        return table

    def _make_folder(self, name: str) -> None:
        """Make a table's folder before delta-rs does, which would let everybody read it."""
        folder = self.folder
        if folder is not None:
            with suppress(OSError):  # writing will fail too, and say why
                make_folder(folder, self._mode)
                make_folder(folder / name, self._mode)

    @contextmanager
    def doing(self, verb: str, damage: str = "") -> Iterator[None]:
        """Translate the failures of a block into a `MirrorError`.

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
        except Exception as problem:  # delta-rs raises bare Exceptions too
            if isinstance(problem, CommitFailedError) and not is_newer(problem):
                raise Conflict from problem
            words, advice = reason(problem, self.path)
            what = f"can't be {verb}: {words}"
            if (words, advice) == FAULT and verb == "read":  # of one place on the disk, or of all
                remedy = damage or _repair_advice(self.path)
                remedy = f"{advice} If that doesn't help, files are damaged. {remedy}"
                raise _damaged(self.path, what, what.rstrip("."), remedy) from None
            if not advice and verb == "read" and self._is_damage(words):
                raise _damaged(self.path, what, what.rstrip("."), damage) from None
            raise MirrorError(f"The mirror {self.path} {what}", advice=advice) from None

    def _is_damage(self, words: str) -> bool:
        """Whether a failure without a known cause is one of the files, not of the connection."""
        return self.folder is not None or _OF_A_FILE.search(words) is not None


def batches(table: DeltaTable, columns: Iterable[str], where: str) -> Iterator[pa.RecordBatch]:
    """Yield the columns of the rows where a condition (SQL) holds; text as large_string.

    The first batch has the columns, and may have no row.
    """
    names = ", ".join(quoted(name) for name in columns)
    statement = f"SELECT {names} FROM t WHERE {where}"  # noqa: S608 - no value of a user in it
    # Read batch by batch, a panic over a damaged file becomes an exception; through the C interface
    # of a stream it would end the process.
    stream = QueryBuilder().register("t", table).execute(statement)
    schema = pa.schema([(field.name, _plain(field.type)) for field in pa.schema(stream.schema)])
    yield pa.RecordBatch.from_pylist([], schema)
    for batch in stream:
        yield pa.record_batch(batch).cast(schema)


def _plain(kind: pa.DataType) -> pa.DataType:
    return pa.large_string() if pa.types.is_string_view(kind) else kind


def column_names(table: DeltaTable) -> list[str]:
    """Return the columns that a table has, in their order."""
    return [field.name for field in table.schema().fields]


def query(
    table: DeltaTable,
    columns: Iterable[str],
    where: str,
    row_filter: Callable[[pa.RecordBatch], pa.Array] | None = None,
) -> pa.Table:
    """Return the columns of the rows where a condition (SQL) holds; text as large_string.

    Parameters
    ----------
    table : DeltaTable
    columns : iterable of str
    where : str
        The condition, without ``WHERE``.
    row_filter : callable, optional
        Takes a batch of such rows, says which of them to return: for conditions too long for SQL.
        The others don't stay in memory.
    """
    rows = batches(table, columns, where)
    if row_filter is not None:
        rows = (batch.filter(row_filter(batch)) for batch in rows)
    return pa.Table.from_batches(rows)


def current_hashes(table: DeltaTable) -> np.ndarray:
    """Return the stored hashes of the current rows, sorted."""
    return np.sort(query(table, ["row_hash"], CURRENT)["row_hash"].fill_null(0).to_numpy())


def compact(table: DeltaTable, most_files: int, pinned: int) -> None:
    """Join the files of a table that has more, and delete those out of use for long.

    Of a table that has no more, those out of use are deleted too, now and then.

    No state of a mirror gets lost: the history is in the rows, not in the files of old versions.

    Parameters
    ----------
    table : DeltaTable
    most_files : int
    pinned : int
        The version that readers open until the sync is finished; its files are not deleted.
    """
    has_many = len(table.file_uris()) > most_files
    if not has_many and (table.version() % COMMITS or not table.version()):
        return  # the first version has put nothing out of use
    if table.version() == pinned:
        table.cleanup_metadata()
    if has_many:
        table.optimize.compact(commit_properties=ONCE, writer_properties=WRITER)
    # Files of a crashed sync that were restored are listed as out of use since the crash. A
    # checkpoint lists none that are out of use for long: `full` tells those by their age.
    table.vacuum(
        RETENTION_HOURS, dry_run=False, commit_properties=ONCE, full=True, keep_versions=[pinned]
    )


def overwrite(table: DeltaTable, name: str, data: pa.Table | pa.RecordBatchReader) -> None:
    """Replace everything in a table, in one commit."""
    write_deltalake(
        table,
        data,
        mode="overwrite",
        schema_mode="overwrite",
        # The bridge of layout 1 has no months yet.
        partition_by=[column for column in partition_of(name) if column in data.schema.names],
        commit_properties=ONCE,
        writer_properties=WRITER,
    )


def disable_log_cleanup(table: DeltaTable) -> None:
    """Give a table that lacks it the configuration that `Store.create` gives."""
    if not LOG_RETENTION.items() <= table.metadata().configuration.items():
        table.alter.set_table_properties(LOG_RETENTION, commit_properties=ONCE)


def quoted(name: str) -> str:
    """Return a column's name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def digest(lines: Iterable[object]) -> str:
    """Return 128 bits over some texts in their order.

    Examples
    --------
    >>> digest(["a", "b"]) == digest(["a", "b"]), digest(["a", "b"]) == digest(["ab"])
    (True, False)
    """
    joined = "\n".join(repr(str(line)) for line in lines)
    return hashlib.blake2b(joined.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()


def log_digest(table: DeltaTable) -> str:
    """Return digests over the live files and the columns of a table, as its log has them.

    The second one is over the statistics of the files too. Another version of delta-rs may write
    them differently, so they are compared by the same version only.
    """
    files = pa.table(table.get_add_actions(flatten=True))
    names = sorted(set(files.column_names) - {"modification_time"})
    core = [name for name in names if name in _FILE or name.startswith(PARTITION)]
    columns = sorted(f"{field.name}: {field.type.type}" for field in table.schema().fields)
    whole = digest([*names, *_rows(files, names)])
    return "/".join([digest([*core, *_rows(files, core), *columns]), __version__, whole])


def _rows(files: pa.Table, names: list[str]) -> list[str]:
    return sorted(map(str, zip(*(files[name].to_pylist() for name in names), strict=True)))


def _matches(known: str, table: DeltaTable) -> bool:
    """Return whether a table's log still has the digest `known`."""
    digests = log_digest(table).split("/")
    core, version, whole = known.split("/")
    return digests[0] == core and (digests[1] != version or digests[2] == whole)


def sync_command(path: str) -> str:
    """Return what one types to sync into a mirror.

    Examples
    --------
    >>> sync_command("/tmp/two words")
    "fleetkit sync '/tmp/two words'"
    """
    return f"fleetkit sync {shell_word(path)}"


def _repair_advice(path: str) -> str:
    """Return what to do about a mirror that is damaged."""
    return worded(
        python=f'fleet.sync("{path}", full=True) repairs what the service still has; else '
        "restore the mirror from a backup.",
        command_line=f"Run: {sync_command(path)} --full, which repairs what the "
        "service still has; else restore the mirror from a backup.",
    )


def log_advice(path: str, name: str) -> str:
    """Return what to do about a table whose log can't be read, which says which files it has."""
    if name == "syncs":
        return (
            f"Restore {path}/{name}, or the whole mirror, from a backup; or sync into a new "
            "folder: the rows of the other tables, and their history, can still be read without "
            "fleetkit."
        )
    return (
        f"Restore {path}/{name}, or the whole mirror, from a backup; or move that folder away and "
        f"make the table again, without its history: {give_up(path)}."
    )


def give_up(path: str) -> str:
    """Return the call that repairs a mirror although history is lost."""
    return worded(
        python=f'fleet.sync("{path}", full=True, accept_loss=True)',
        command_line=f"{sync_command(path)} --full --accept-loss",
    )


def damaged(path: str, what: str, remedy: str = "") -> Damaged:
    """Return the error that says what is wrong with a mirror; by default, a full sync repairs it.

    Examples
    --------
    >>> damaged("m", "table flights is gone").message
    'The mirror m is damaged: table flights is gone.'
    """
    return _damaged(path, f"is damaged: {what}.", what, remedy)


def _damaged(path: str, what: str, problem: str, remedy: str) -> Damaged:
    advice = remedy or _repair_advice(path)
    return Damaged(f"The mirror {path} {what}", advice=advice, problem=problem, remedy=remedy)


def table_gone(path: str, name: str) -> Damaged:
    """Return the error of a table that is not there although a sync left it."""
    return damaged(
        path,
        f"table {name} is gone (was the mirror copied in part?)",
        f"Restore {path}/{name}, or the whole mirror, from a backup; or make the table again, "
        f"without its history: {give_up(path)}.",
    )
