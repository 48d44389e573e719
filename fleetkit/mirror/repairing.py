"""A table that isn't what its syncs pinned → one that is, as far as the service still has it.

What is intact stays; what else the table needs, `recovery` finds. Where the sums of some state
don't come out right, history is lost, and that must be accepted first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.errors import MirrorError
from fleetkit.mirror.layout import TIME
from fleetkit.mirror.problems import give_up
from fleetkit.mirror.recovery import Contents, DamagedTable, Recovery, contents_of, recover
from fleetkit.mirror.store import Store, batches, overwrite
from fleetkit.mirror.sums import Tally, differing, micros
from fleetkit.mirror.syncs import Pin, Sync

__all__ = ["Repair", "repair", "rewrite"]


@dataclass(frozen=True)
class Repair:
    """What was done to a table that was damaged.

    Attributes
    ----------
    restored : int
        Row versions that were restored.
    lost : int
        Row versions that are lost, as far as they can be counted.
    whole : bool
        Whether every state is again what its sync pinned.
    """

    restored: int
    lost: int
    whole: bool


def rewrite(
    store: Store, name: str, table: DeltaTable, states: Sequence[Sync]
) -> tuple[DeltaTable, Pin, Repair]:
    """Write a table anew whose rows are intact, but not its files, their statistics or its log."""
    columns = [field.name for field in table.schema().fields]
    rows = batches(table, columns, "true")
    first = next(rows)
    tip = store.table(name) or table
    overwrite(tip, name, pa.RecordBatchReader.from_batches(first.schema, rows))
    pin = msgspec.structs.replace(states[-1].tables[name], version=tip.version(), log="")
    return tip, pin, Repair(restored=0, lost=0, whole=True)


def repair(
    store: Store,
    name: str,
    table: DeltaTable,
    states: Sequence[Sync],
    served: pa.Table,
    *,
    accept_loss: bool,
) -> tuple[DeltaTable, Pin, Repair]:
    """Bring a damaged table back to what the newest sync pinned, in one commit.

    Parameters
    ----------
    store : Store
    name : str
    table : DeltaTable
        As far as it can be opened.
    states : sequence of Sync
        All syncs, in order.
    served : pyarrow.Table
        The whole table as the service has it now.
    accept_loss : bool
        Whether row versions that can't be restored may be given up.

    Returns
    -------
    tuple
        The table, what it holds now as a pin of the newest sync, and what was done.

    Raises
    ------
    MirrorError
        Row versions would be lost, and that isn't accepted; nothing was written.
    """
    moments = {micros(state.fetched_at) for state in states}
    damaged = DamagedTable(store, name, table, moments).without_duplicates()
    contents = contents_of(damaged)
    recovery = recover(damaged, contents, states, served)
    tally = recovery.on(contents.tally)
    wrong = differing(name, tally, states)
    ambiguous = np.zeros(0, dtype="int64")
    if wrong:
        if not accept_loss:
            raise _would_lose(store.path, name, wrong)
        ambiguous = contents.with_repeated_keys(name)
        tally.close(ambiguous, 0)
    restored = sum(rows.num_rows for rows in recovery.rows)
    tip = store.table(name) or table
    overwrite(tip, name, _stream(damaged, contents, recovery, ambiguous))
    pin = _pin(name, tip, states, tally, whole=not wrong)
    return tip, pin, Repair(restored, max(contents.dropped - restored, 0), whole=not wrong)


def _would_lose(path: str, name: str, wrong: Sequence[int]) -> MirrorError:
    versions = f"version {wrong[0]}" if len(wrong) == 1 else f"versions {wrong[0]} to {wrong[-1]}"
    return MirrorError(
        f"The mirror {path} is damaged: of table {name}, what {versions} held can't be restored "
        "in full. Nothing was written.",
        advice="Restore the mirror from a backup; or give up what is lost of its history: "
        f"{give_up(path)}.",
    )


def _pin(name: str, table: DeltaTable, states: Sequence[Sync], tally: Tally, *, whole: bool) -> Pin:
    newest = states[-1]
    pin, current = newest.tables[name], tally.state(micros(newest.fetched_at))
    return msgspec.structs.replace(
        pin,
        version=table.version(),
        rows=current.rows,
        fingerprint=current.fingerprint,
        log="",
        whole_since=pin.whole_since if whole else newest.version + 1,
    )


def _stream(
    damaged: DamagedTable, contents: Contents, recovery: Recovery, ambiguous: np.ndarray
) -> pa.RecordBatchReader:
    """Return the intact row versions, file by file, and those that were restored."""
    kinds = {column.name: column.type for rows in recovery.rows for column in rows.schema}
    schema = pa.schema(list({**kinds, **contents.schema}.items()))

    def batches_of_all() -> Iterator[pa.RecordBatch]:
        for part in damaged.parts():
            if part.rows is not None:
                intact = _closed(_without(part.filter(part.intact), ambiguous), recovery)
                yield from _fitted(intact, schema).to_batches()
        for rows in recovery.rows:
            yield from _fitted(rows, schema).to_batches()

    return pa.RecordBatchReader.from_batches(schema, batches_of_all())


def _is_current(rows: pa.Table, hashes: np.ndarray) -> np.ndarray:
    """Say which rows are current and have one of these hashes."""
    is_listed = np.isin(rows["row_hash"].to_numpy(), hashes)
    return np.asarray(is_listed & rows["valid_to"].is_null().to_numpy())


def _without(rows: pa.Table, hashes: np.ndarray) -> pa.Table:
    return rows.filter(pa.array(~_is_current(rows, hashes))) if len(hashes) else rows


def _closed(rows: pa.Table, recovery: Recovery) -> pa.Table:
    if not len(recovery.ended):
        return rows
    moment = pa.scalar(recovery.moment, pa.int64()).cast(TIME)
    ends = pc.if_else(pa.array(_is_current(rows, recovery.ended)), moment, rows["valid_to"])
    rows = rows.set_column(rows.column_names.index("valid_to"), "valid_to", ends)
    # One that ended as it began was never current.
    return rows.filter(pc.fill_null(pc.greater(rows["valid_to"], rows["valid_from"]), True))


def _fitted(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        rows[column.name].cast(column.type)
        if column.name in rows.column_names
        else pa.nulls(rows.num_rows, column.type)
        for column in schema
    ]
    return pa.table(columns, schema=schema)
