"""Commits to one table: its first rows, its next state, and the files kept few.

Each commit lands on exactly the version that it was computed from, or not at all.
"""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
from deltalake import DeltaTable, Schema, write_deltalake

from fleetkit.errors import MirrorError
from fleetkit.mirror.diffs import Diff
from fleetkit.mirror.layout import STANDING, partition_of
from fleetkit.mirror.store import ONCE, WRITER, Store, keep_log, quoted, tidy

__all__ = ["bring", "create", "overwrite", "widen"]

# A table with more files than this in a partition is compacted before it grows again.
MOST_FILES = 8
_TIME = pa.timestamp("us", "UTC")


def create(store: Store, name: str, rows: pa.Table, now: datetime) -> int:
    """Write a table's first rows, over whatever a sync that never finished left there.

    Returns
    -------
    int
        The table's version.
    """
    data, table = _versions(rows, now), store.table(name)
    if table is None:
        store.create(name, data, partition_by=partition_of(name))
        return 0
    overwrite(table, name, data)
    return int(table.version())


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


def _versions(rows: pa.Table, now: datetime) -> pa.Table:
    """Append the validity of rows that stand from now on."""
    return rows.append_column("valid_from", _times(rows, now)).append_column(
        "valid_to", pa.nulls(rows.num_rows, _TIME)
    )


def _times(rows: pa.Table, moment: datetime) -> pa.Array:
    return pa.nulls(rows.num_rows, _TIME).fill_null(pa.scalar(moment, _TIME))


def widen(table: DeltaTable, schema: pa.Schema) -> None:
    """Add the columns that a table lacks; what it holds gets nulls."""
    known = {each.name for each in table.schema().fields}
    further = [each for each in Schema.from_arrow(schema).fields if each.name not in known]
    if further:
        table.alter.add_columns(further, commit_properties=ONCE)


def bring(table: DeltaTable, name: str, diff: Diff, now: datetime, pinned: int) -> None:
    """Close the rows that changed or vanished, and insert those that changed or are new.

    Parameters
    ----------
    table : DeltaTable
    name : str
    diff : Diff
    now : datetime
        When the sync saw it so.
    pinned : int
        The table's version that the newest sync left.

    Raises
    ------
    MirrorError
        The table took other rows than were due.
    """
    keep_log(table)
    tidy(table, MOST_FILES * max(1, len(table.partitions())), pinned)
    closing = diff.closing.rename_columns([f"old_{each}" for each in diff.closing.column_names])
    source = pa.concat_tables(
        [_versions(diff.inserts, now), closing.append_column("closed_at", _times(closing, now))],
        promote_options="default",
    )
    done = _merge(table, source, closing.column_names, diff.inserts.column_names)
    due = (diff.inserts.num_rows, diff.closing.num_rows)
    if done != due:
        raise MirrorError(
            f"Table {name} took {done[0]} new rows and closed {done[1]}, where "
            f"{due[0]} and {due[1]} were due; nothing of it counts.",
            advice="Sync again; the next sync takes it back first.",
        )


def _merge(
    table: DeltaTable, source: pa.Table, old: list[str], columns: list[str]
) -> tuple[int, int]:
    """Merge; a source row either closes (its old key is set) or inserts (it is null)."""
    same = [f"t.{quoted(each.removeprefix('old_'))} = s.{quoted(each)}" for each in old]
    done = (
        table.merge(
            source,
            " AND ".join([*same, f"t.{STANDING}"]),
            source_alias="s",
            target_alias="t",
            commit_properties=ONCE,
            writer_properties=WRITER,
        )
        .when_matched_update({"valid_to": "s.closed_at"})
        .when_not_matched_insert(
            {quoted(each): f"s.{quoted(each)}" for each in (*columns, "valid_from", "valid_to")},
            predicate=f"s.{quoted(old[0])} IS NULL",
        )
        .execute()
    )
    return done["num_target_rows_inserted"], done["num_target_rows_updated"]
