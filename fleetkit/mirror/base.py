"""What a sync builds on: the tables as the newest sync pinned them, proven, and repaired if asked.

What a crashed sync left behind is restored first. Of a damaged table, what is intact stays; what
else it needs, `recovery` finds. Where the sums of some state still don't agree, history is lost,
and that must be accepted first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.columns import DETAIL_COLUMNS
from fleetkit.errors import MirrorError
from fleetkit.mirror import syncs, verification
from fleetkit.mirror.layout import (
    KEYS,
    MONTH,
    PROJECT_DETAILS,
    TIME,
    VALIDITY,
    Prepared,
    as_stored,
    with_months,
)
from fleetkit.mirror.recovery import Contents, DamagedTable, Recovery, contents_of, recover
from fleetkit.mirror.store import (
    ONCE,
    Conflict,
    Damaged,
    Store,
    batches,
    column_names,
    give_up,
    overwrite,
    query,
    table_gone,
)
from fleetkit.mirror.syncs import LAYOUT, Pin, Sync
from fleetkit.time import micros

__all__ = ["Base", "verified_base", "verified_syncs"]


@dataclass(frozen=True)
class Base:
    """The state that the newest sync left.

    Attributes
    ----------
    tables : dict of str → DeltaTable or None
        None where a table was never read.
    pins : dict of str → Pin
    details : bool
        Whether the current projects have their details.
    accounted : bool
        Whether it is known what earlier syncs read.
    remarks : tuple of str
        What was repaired, in sentences.
    hashes : dict of str → array
        The current rows' hashes, sorted, of tables of which they were read for the proof.
    unfinished : dict of str → DeltaTable, or None
        The tables that a first sync left which was never finished; None after the first sync.
    """

    tables: Mapping[str, DeltaTable | None]
    pins: Mapping[str, Pin]
    details: bool = False
    accounted: bool = False
    remarks: tuple[str, ...] = ()
    hashes: Mapping[str, np.ndarray] = field(default_factory=dict)
    unfinished: Mapping[str, DeltaTable] | None = None


def verified_syncs(store: Store, table: DeltaTable) -> tuple[str, ...]:
    """Verify the files of the table of syncs, and write it again where they are damaged.

    Returns
    -------
    tuple of str
        What was repaired, in sentences.

    Raises
    ------
    MirrorError
        A row is missing or was changed.
    """
    if not verification.check_files(store, "syncs", table):
        return ()
    syncs.rewrite(store, table)
    return (_remark("syncs", 0),)


def verified_base(
    store: Store,
    newest: Sync | None,
    prepared: Mapping[str, Prepared],
    *,
    staged: Mapping[str, Callable[[], Prepared]],
    is_new: bool,
    audit: float,
    repair: bool,
    accept_loss: bool,
) -> Base:
    """Open the tables that were read as the newest sync left them.

    Parameters
    ----------
    store : Store
    newest : Sync or None
    prepared : dict of str → Prepared
        What was read; with it a repair is made.
    staged : dict of str → callable
        Tables that were read too, in files → returns what was read.
    is_new : bool
        Whether there is no table but that of the syncs, which was just made.
    audit : float
        Share, 0 to 1, of the months whose flights are verified.
    repair : bool
        Verify everything instead, and repair what is damaged.
    accept_loss : bool
        Whether a repair may give up history.

    Raises
    ------
    MirrorError
        They aren't what it left.
    """
    names = [name for name in KEYS if name in prepared or name in staged]
    if newest is None:
        unfinished = {} if is_new else _unfinished(store, names)
        return Base(dict.fromkeys(names), dict.fromkeys(KEYS, Pin()), unfinished=unfinished)
    tables: dict[str, DeltaTable | None] = dict.fromkeys(names)
    pins, remarks, hashes = dict(newest.tables), {}, {}
    held = [name for name in names if newest.holds(name)]
    if repair:
        states = syncs.states(store, newest.version)
        for name in held:
            served = staged.get(name) or partial(prepared.__getitem__, _key(name, prepared))
            tables[name], pins[name], remark = _repaired(store, name, states, served, accept_loss)
            if remark:
                remarks[name] = remark
    else:
        tables |= {name: newest.opened(store, name) for name in held}
        hashes = verification.check_base(store, newest, tables, audit)
    for name, table in tables.items():
        if table is not None and name not in remarks:
            tables[name] = _restored(store, name, table, newest)
    bridge, flights = tables.get("flight_equipment"), tables.get("flights")
    if bridge is not None and flights is not None:
        _partition_bridge(bridge, flights)
    details = newest.details and _has_all_details(tables.get("projects"))
    return Base(tables, pins, details, newest.layout == LAYOUT, tuple(remarks.values()), hashes)


def _key(name: str, prepared: Mapping[str, Prepared]) -> str:
    """Return the key of what was read of a table: of projects, those with details if any."""
    return PROJECT_DETAILS if name == "projects" and PROJECT_DETAILS in prepared else name


def _has_all_details(projects: DeltaTable | None) -> bool:
    """Return whether a table of projects has every detail field that the reference has by now."""
    if projects is None:
        return True
    return set(DETAIL_COLUMNS) <= set(column_names(projects))


def _unfinished(store: Store, names: list[str]) -> dict[str, DeltaTable]:
    """Return the tables that a first sync left which was never finished: all of one moment.

    Raises
    ------
    MirrorError
        Several syncs wrote them: their rows in syncs are missing.
    """
    every = {name: store.table(name) for name in names}
    unfinished = {name: table for name, table in every.items() if table is not None}
    for name, table in unfinished.items():
        if verification.moments_after(table, None) > 1:
            _refuse_outdated(store, None)
            raise MirrorError(
                f"The mirror {store.path} is damaged: its table syncs is empty, but table {name} "
                "holds a history.",
                advice="Restore the mirror from a backup, or sync into a new folder.",
            )
    return unfinished


def _refuse_outdated(store: Store, newest: Sync | None) -> None:
    """Refuse to call damaged what syncs wrote that were finished since `newest` was looked for.

    Raises
    ------
    Conflict
        There are such syncs.
    """
    if syncs.find(store)[1] != newest:
        raise Conflict


def _restored(store: Store, name: str, pinned: DeltaTable, newest: Sync) -> DeltaTable:
    """Undo what came after the newest sync: a sync left it that was never finished."""
    if store.is_newest(name, pinned.version()):
        return pinned
    table = store.table(name)
    if table is None:
        raise table_gone(store.path, name)
    if table.version() == pinned.version():
        return table
    # Each sync undoes what the one before left unfinished, so it is all of one moment.
    later = verification.moments_after(table, newest.fetched_at)
    if later > 1:
        _refuse_outdated(store, newest)
        raise MirrorError(
            f"The mirror {store.path} is damaged: table {name} holds {later} syncs that table "
            f"syncs, which ends with version {newest.version}, doesn't know (was syncs restored "
            "from an older backup than the rest?)",
            advice="Restore all tables of the mirror from the same backup.",
        )
    table.restore(pinned.version(), commit_properties=ONCE)
    return table


def _repaired(
    store: Store,
    name: str,
    states: Sequence[Sync],
    served: Callable[[], Prepared],
    accept_loss: bool,
) -> tuple[DeltaTable | None, Pin, str]:
    """Verify a table whole; return it, its pin and what was repaired, in a sentence."""
    newest = states[-1]
    pin = newest.tables[name]
    assert pin.version is not None  # noqa: S101 - the newest sync holds it
    table = store.up_to(name, pin.version)
    if table is None:
        if not accept_loss:
            raise table_gone(store.path, name)
        return None, Pin(whole_since=newest.version + 1), _remark(name, None)
    try:
        _, wrong_rows = verification.check_rows(store, name, table, states)
    except Damaged as unreadable:
        wrong_rows = unreadable.problem
    tip = _whole_tip(store, name, table, states) if wrong_rows else None
    if wrong_rows and tip is None:
        rows = as_stored(served().table, pa.schema(table.schema().to_arrow()))
        return _repair(store, name, table, states, rows, accept_loss=accept_loss)
    if tip is None and _has_intact_files(store, name, table, pin):
        return table, pin, ""
    table = _rewritten(store, name, tip or table)
    return table, msgspec.structs.replace(pin, version=table.version(), log=""), _remark(name, 0)


def _whole_tip(
    store: Store, name: str, pinned: DeltaTable, states: Sequence[Sync]
) -> DeltaTable | None:
    """Return the last version of a table, where it is later than the pinned one and is whole.

    Another program has compacted the table, and deleted the files that were out of use by then.
    """
    tip = store.table(name)
    if tip is None or tip.version() == pinned.version():
        return None
    try:
        _, wrong_rows = verification.check_rows(store, name, tip, states)
    except Damaged:
        return None
    return None if wrong_rows else tip


def _remark(name: str, restored: int | None) -> str:
    """Return a sentence about a repair; `restored` is None where history was lost."""
    if restored is None:
        return (
            f"Repaired with loss: table {name} was damaged, and part of its history is gone. "
            "Earlier states can be opened only where they are whole; changes are known from this "
            "sync on."
        )
    return (
        f"Repaired: table {name} was damaged. Row versions restored: {restored:,}; every state is "
        "as it was pinned."
    )


def _has_intact_files(store: Store, name: str, table: DeltaTable, pin: Pin) -> bool:
    try:
        store.check_log(name, table, pin.log)
        return not verification.check_files(store, name, table)
    except Damaged:
        return False


def _partition_bridge(bridge: DeltaTable, flights: DeltaTable) -> None:
    """Rewrite every version of every bridge row of layout 1 with the month of its flight."""
    if MONTH in column_names(bridge):
        return
    # Of several versions of a flight the newest comes first, so that its month is used.
    months = query(flights, ["flight_id", MONTH, "valid_from"], "true")
    months = months.sort_by([("valid_from", "descending")])
    rows = query(bridge, ["flight_id", "equipment_id", *VALIDITY], "true")
    partitioned = with_months(rows.drop_columns([*VALIDITY]), months)
    for name in VALIDITY:
        partitioned = partitioned.append_column(name, rows[name])
    overwrite(bridge, "flight_equipment", partitioned)


def _rewritten(store: Store, name: str, table: DeltaTable) -> DeltaTable:
    """Write a table again whose rows are intact, but not its files, their statistics or its log."""
    rows = batches(table, column_names(table), "true")
    first = next(rows)
    tip = store.table(name) or table
    overwrite(tip, name, pa.RecordBatchReader.from_batches(first.schema, rows))
    return tip


def _repair(
    store: Store,
    name: str,
    table: DeltaTable,
    states: Sequence[Sync],
    served: pa.Table,
    *,
    accept_loss: bool,
) -> tuple[DeltaTable, Pin, str]:
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
        The table, what it holds as a pin of the newest sync, and what was done, in a sentence.

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
    wrong = verification.differing(name, tally, states)
    if wrong and not accept_loss:
        raise _would_lose(store.path, name, wrong)
    removed = contents.ambiguous if wrong else contents.ambiguous[:0]
    tally.close(removed, 0)
    tip = store.table(name) or table
    overwrite(tip, name, _stream(damaged, contents, recovery, removed))
    newest = states[-1]
    pin, [current] = newest.tables[name], tally.states([micros(newest.fetched_at)])
    pin = msgspec.structs.replace(
        pin,
        version=tip.version(),
        rows=current.rows,
        fingerprint=current.fingerprint,
        log="",
        whole_since=newest.version + 1 if wrong else pin.whole_since,
    )
    restored = sum(rows.num_rows for rows in recovery.rows)
    return tip, pin, _remark(name, None if wrong else restored)


def _would_lose(path: str, name: str, wrong: Sequence[int]) -> MirrorError:
    versions = f"version {wrong[0]}" if len(wrong) == 1 else f"versions {wrong[0]} to {wrong[-1]}"
    return MirrorError(
        f"The mirror {path} is damaged: of table {name}, what {versions} held can't be restored "
        "in full. Nothing was written.",
        advice="Restore the mirror from a backup; or give up what is lost of its history: "
        f"{give_up(path)}.",
    )


def _stream(
    damaged: DamagedTable, contents: Contents, recovery: Recovery, removed: np.ndarray
) -> pa.RecordBatchReader:
    """Return the intact row versions, file by file, and those that were restored.

    Current rows with one of the hashes `removed` are left out.
    """
    types = {column.name: column.type for rows in recovery.rows for column in rows.schema}
    schema = pa.schema(list({**types, **contents.schema}.items()))

    def all_batches() -> Iterator[pa.RecordBatch]:
        for part in damaged.parts():
            rows = part.intact_rows
            rows = rows.filter(pa.array(~_is_current(rows, removed)))
            yield from _fitted(_closed(rows, recovery), schema).to_batches()
        for rows in recovery.rows:
            yield from _fitted(rows, schema).to_batches()

    return pa.RecordBatchReader.from_batches(schema, all_batches())


def _is_current(rows: pa.Table, hashes: np.ndarray) -> np.ndarray:
    """Say which rows are current and have one of these hashes."""
    is_listed = np.isin(rows["row_hash"].to_numpy(), hashes)
    return np.asarray(is_listed & rows["valid_to"].is_null().to_numpy())


def _closed(rows: pa.Table, recovery: Recovery) -> pa.Table:
    """Let the rows end that one sync closed."""
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
