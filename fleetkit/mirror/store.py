"""The mirror's folder or object store: Delta tables opened, queried and committed to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, QueryBuilder, write_deltalake
from deltalake.exceptions import CommitFailedError, TableNotFoundError

from fleetkit.errors import FleetkitError, MirrorError
from fleetkit.mirror.places import address, is_object_store, reason
from fleetkit.mirror.signals import Conflict, Unproven

__all__ = ["ONCE", "Store", "keep_log", "query", "quoted", "tidy"]

# A commit lands on exactly the version that it was computed from, or not at all: then the whole
# sync is computed anew.
ONCE = CommitProperties(max_commit_retries=0)
# Files that were replaced stay for readers that opened the table before. [h]
KEPT_HOURS = 7 * 24
# By itself Delta deletes the log of all versions older than a month, during whatever commit makes
# a checkpoint: also of the one that the newest sync's row names, if the next sync then crashes.
# So that is switched off, and `tidy` deletes it when no row can name it.
LOG_KEPT = {"delta.enableExpiredLogCleanup": "false"}
# An object store that doesn't answer is given up after that, not after minutes.
PATIENCE = {"retry_timeout": "20s"}


class Store:
    """The place of a mirror.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = address(path)
        self._options = PATIENCE if is_object_store(self.path) else None

    def location(self, table: str) -> str:
        """Return where a table lies."""
        return f"{self.path.rstrip('/')}/{table}"

    def table(self, table: str, version: int | None = None) -> DeltaTable | None:
        """Open a table; None where there is none."""
        with self.doing("read"), suppress(TableNotFoundError):
            return DeltaTable(self.location(table), version, storage_options=self._options)
        return None

    def create(self, table: str, data: pa.Table, **options: Any) -> None:
        """Write the first version of a table.

        Raises
        ------
        Conflict
            Another sync made it first.
        """
        try:
            write_deltalake(
                self.location(table),
                data,
                commit_properties=ONCE,
                storage_options=self._options,
                configuration=LOG_KEPT,
                **options,
            )
        except Exception:
            if self.table(table) is not None:
                raise Conflict from None
            raise

    @contextmanager
    def doing(self, verb: str) -> Iterator[None]:
        """Give failures below our wording: `verb` is "read" or "written"."""
        try:
            yield
        except (FleetkitError, Conflict, Unproven):
            raise
        except CommitFailedError as problem:
            raise Conflict from problem
        except Exception as problem:  # delta-rs raises bare Exceptions too
            words, advice = reason(problem, self.path)
            raise MirrorError(
                f"The mirror {self.path} can't be {verb}: {words}", advice=advice
            ) from None


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
        Takes a batch of such rows, returns which of them are wanted: for conditions too long for
        SQL. The others are never held.
    """
    names = ", ".join(quoted(each) for each in columns)
    statement = f"SELECT {names} FROM t WHERE {where}"  # noqa: S608 - no value of a user in it
    batches = pa.RecordBatchReader.from_stream(
        QueryBuilder().register("t", table).execute(statement)
    )
    schema = pa.schema(
        [
            (each.name, pa.large_string() if pa.types.is_string_view(each.type) else each.type)
            for each in batches.schema
        ]
    )
    cast = (each.cast(schema) for each in batches)
    wanted = cast if keep is None else (each.filter(keep(each)) for each in cast)
    return pa.Table.from_batches(wanted, schema)


def tidy(table: DeltaTable, most_files: int, pinned: int) -> None:
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
    table.optimize.compact(commit_properties=ONCE)
    # Who took a crashed sync's files back has them listed as out of use since the crash.
    table.vacuum(KEPT_HOURS, dry_run=False, commit_properties=ONCE, keep_versions=[pinned])


def keep_log(table: DeltaTable) -> None:
    """Give a table that lacks it the configuration that `Store.create` gives."""
    if not LOG_KEPT.items() <= table.metadata().configuration.items():
        table.alter.set_table_properties(LOG_KEPT, commit_properties=ONCE)


def quoted(name: str) -> str:
    """Return a column's name as SQL."""
    return '"' + name.replace('"', '""') + '"'
