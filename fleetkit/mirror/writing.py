"""Frames → a new version of the mirror, all or nothing.

Each table is compared with the state that the newest sync pinned and brought up to date in one
commit: rows that changed are closed and added again, removed ones are closed, unchanged ones stay.
What was not read stays too, once it is proven that it didn't change. The sync's own row comes last
and makes it all visible. What it all builds on is proven first (`base`).
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
import pandas as pd
import pyarrow as pa
from deltalake import DeltaTable, Schema, write_deltalake

from fleetkit.errors import MirrorError
from fleetkit.interface import brief
from fleetkit.mirror import syncs
from fleetkit.mirror.base import Base, verified_base, verified_syncs
from fleetkit.mirror.comparing import Diff, FieldChange, Next, compare, fitted
from fleetkit.mirror.layout import (
    CURRENT,
    KEYS,
    PARTITIONED,
    PROJECT_DETAILS,
    TIME,
    VALIDITY,
    Prepared,
    Sum,
    partition_of,
    prepare_all,
)
from fleetkit.mirror.plan import Plan, check_source, refuse_unproven
from fleetkit.mirror.report import SyncReport, remarks, report_of
from fleetkit.mirror.staging import Staging
from fleetkit.mirror.store import (
    ONCE,
    WRITER,
    Conflict,
    Outdated,
    Store,
    column_names,
    compact,
    disable_log_cleanup,
    log_digest,
    overwrite,
    quoted,
)
from fleetkit.mirror.syncs import Pin, Read, Sync

__all__ = ["write"]

# How often a sync is computed again because others commit in between. It waits longer each time,
# measured by what an attempt takes, so that one of several succeeds. [s]
ATTEMPTS, SHORTEST_WAIT, LONGEST_WAIT = 12, 0.05, 60.0
# A table with more files than this in a partition is compacted before it grows again.
MOST_FILES = 8
# Row versions begin and end at whole ones: delta-rs cuts off the rest in its log's statistics.
_STEP = timedelta(milliseconds=1)
# What names the keys of rows that end, beside those that are added: a service may have a field
# oldFlightId, but no column of it begins with "_".
_OLD = "_old_"
_Item = TypeVar("_Item")


def write(
    path: str | Path,
    frames: Mapping[str, pd.DataFrame],
    *,
    source: str,
    tz: str,
    has_zone: bool = False,
    requests: int,
    missing: Mapping[str, str],
    plan: Plan | None = None,
    staging: Staging | None = None,
    fetched_at: datetime | None = None,
    moved_to: str | None = None,
    accept_loss: bool = False,
    mode: int = 0o700,
) -> SyncReport:
    """Update a mirror, all or nothing.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL; made where it doesn't exist.
    frames : dict of str → DataFrame
        Whole tables, as `fleetkit.tables` gives them. With a `plan`, ``flights`` and
        ``flight_equipment`` hold what its equipment logged, and ``project_details`` the projects
        that it reads by id; ``projects`` is the list of all.
    source : str
        Address that they come from; that of the mirror, unless `moved_to` is given too.
    tz : str
        IANA time zone of the fleet's months. That of a mirror is the one of its first sync.
    has_zone : bool
        Whether it was set: then it is said where the mirror keeps another one, UTC by name too.
    requests : int
        HTTP requests that reading took.
    missing : dict of str → str
        The tables that are not in `frames` → the scope that the key lacked. Their rows stay.
    plan : Plan, optional
        What was read of flights and project details; default: everything.
    staging : Staging, optional
        The flights that were read and their bridge, in place of those in `frames`.
    fetched_at : datetime, optional
        The moment that the records are of, or the first one if they were read for a while;
        default: now.
    moved_to : str, optional
        The address that the mirror's service has moved to: that of `source`.
    accept_loss : bool
        Whether a repair (`Plan.repair`) may give up history that can't be restored.
    mode : int
        Permissions of the folders that are made.

    Returns
    -------
    SyncReport
        Version, and rows inserted, updated and vanished in each table.

    Raises
    ------
    Outdated
        Another sync was finished since the plan was made.
    Unproven
        What was not read may have changed; `plan.with_more` says what to read on top.
    MirrorError
        A table is neither given nor missing, holds a key twice or a value that can't be stored as
        the contract has it; the mirror belongs to another service, or is damaged; the location
        can't be written; other syncs commit again and again in between. The mirror is unchanged.

    Examples
    --------
    >>> import tempfile
    >>> from fleetkit import schema, tables
    >>> frames = {name: tables.empty(name) for name in schema.TABLES}
    >>> folder = tempfile.mkdtemp()
    >>> write(folder, frames, source="here", tz="UTC", requests=3, missing={}).version
    1
    """
    _check_names({*frames, *(PARTITIONED if staging else ())}, missing)
    store = Store(path, mode=mode)
    prepared = prepare_all(frames)
    attempt = partial(
        _write,
        store,
        prepared,
        missing,
        _everything(prepared) if plan is None else plan,
        staging=staging,
        source=source,
        tz=tz,
        has_zone=has_zone,
        requests=requests,
        fetched_at=fetched_at,
        moved_to=moved_to,
        accept_loss=accept_loss,
    )
    for number in range(ATTEMPTS):
        start = time.monotonic()
        try:
            return attempt()
        except Conflict:
            for name in KEYS:  # each attempt would end alike
                store.refuse_folders(name)
            duration = max(time.monotonic() - start, SHORTEST_WAIT)
            time.sleep(random.uniform(0, min(duration * 2**number, LONGEST_WAIT)))
    raise MirrorError(
        f"Other syncs keep writing to the mirror {store.path}; nothing of this one was written.",
        advice="Let one sync finish before the next starts.",
    )


def _check_names(given: set[str], missing: Mapping[str, str]) -> None:
    for name in KEYS:
        if (name in given) == (name in missing):
            how = "both given and missing" if name in given else "neither given nor missing"
            raise MirrorError(f"Nothing was written: table {name} is {how}.")
    for name in {*given, *missing} - {*KEYS, PROJECT_DETAILS}:
        raise MirrorError(
            f"Nothing was written: {brief(name)} is not a table.",
            advice=f"Tables are: {', '.join(KEYS)}.",
        )


def _write(
    store: Store,
    read: Mapping[str, Prepared],
    missing: Mapping[str, str],
    plan: Plan,
    *,
    staging: Staging | None,
    source: str,
    tz: str,
    has_zone: bool,
    requests: int,
    fetched_at: datetime | None,
    moved_to: str | None,
    accept_loss: bool,
) -> SyncReport:
    """Compare what was read with the newest state and commit it, once; see `write`."""
    table, newest = syncs.find(store)
    version = newest.version if newest else 0
    if plan.base not in {None, version}:
        raise Outdated
    check_source(store.path, newest, source, moved_to)
    is_new = table is None
    if table is None:
        syncs.refuse_orphans(store)
        table = syncs.create(store)
    clock = _whole_step(fetched_at or datetime.now(UTC))
    now = _after(newest, clock)
    repairs = verified_syncs(store, table) if plan.repair else ()
    # Asked for here, because it gives notice of unknown fields: that must not fail as a write.
    further = {} if staging is None else {"flights": staging.further}
    with store.doing("written"):
        base = verified_base(
            store,
            newest,
            read,
            staged={name: partial(staging.whole, name) for name in PARTITIONED} if staging else {},
            is_new=is_new,
            audit=plan.audit,
            repair=plan.repair,
            accept_loss=accept_loss,
        )
        prepared = {name: fitted(base, name, rows) for name, rows in read.items()}
        refuse_unproven(plan, _accounted(base), prepared)
        is_first = newest is None
        states = compare(base, prepared, plan.flights, None if is_first else staging)
        pins = {name: _commit(store, base, name, state, now) for name, state in states.items()}
        if staging is not None and is_first:
            pins |= _commit_staged(store, base, staging, further, now)
    pins |= _pins_of_missing(base, missing)
    sync = Sync(
        version=version + 1,
        fetched_at=now,
        written_at=clock,
        source=source,
        tz=tz if newest is None else newest.tz,
        requests=requests,
        details=base.details if "projects" in missing else plan.details is not None,
        tables={name: pins[name] for name in KEYS},
        read=_read(plan, staging),
    )
    syncs.append(store, table, sync)
    others = remarks(newest, clock=clock, tz=tz, has_zone=has_zone)
    changes = _named_changes(states.values())
    return report_of(store.path, sync, changes, [*repairs, *base.remarks, *others])


def _read(plan: Plan, staging: Staging | None) -> Read:
    """Return what the sync's row records of what was read, once all of it was compared."""
    read = plan.read()
    return (
        read if staging is None else msgspec.structs.replace(read, differences=staging.differences)
    )


def _pins_of_missing(base: Base, missing: Mapping[str, str]) -> dict[str, Pin]:
    """Pin the tables that the key couldn't read as they were, with the scope that it lacked."""
    unchanged = partial(msgspec.structs.replace, inserted=0, updated=0, vanished=0)
    return {name: unchanged(base.pins[name], scope=scope) for name, scope in missing.items()}


def _named_changes(states: Iterable[Next]) -> list[FieldChange]:
    """Return the changes, in all tables, of the fields that a sync names."""
    changes = [state.change for state in states if state.change]
    return [changed for change in changes for changed in change.field_changes]


def _after(newest: Sync | None, clock: datetime) -> datetime:
    """Return a sync's moment: a clock that went back must not reverse the order of versions."""
    return clock if newest is None else max(clock, _whole_step(newest.fetched_at) + _STEP)


def _whole_step(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _accounted(base: Base) -> dict[str, DeltaTable | None]:
    """Return the tables of which it is known what the syncs read of their flights or details."""
    return {
        "equipment": base.tables.get("equipment") if base.accounted else None,
        "projects": base.tables.get("projects") if base.accounted and base.details else None,
    }


def _commit(store: Store, base: Base, name: str, state: Next, now: datetime) -> Pin:
    """Commit what differs from the pinned state; return the new pin."""
    table, change, pinned = base.tables[name], state.change, base.pins[name].version
    counts = (0, 0, 0)
    if table is None or pinned is None:
        rows = _versions(state.rows, now).to_reader()
        table, counts = _begun(store, base, name, rows), (state.count, 0, 0)
    else:
        _widen(table, state.rows.schema)
        if change:
            _apply(table, name, change, now, pinned)
            counts = (change.inserted, change.updated, change.vanished)
    return Pin(
        table.version(),
        state.count,
        *counts,
        state.fingerprint,
        state.further,
        log=log_digest(table),
        whole_since=base.pins[name].whole_since,
    )


def _everything(prepared: Mapping[str, Prepared]) -> Plan:
    """Return the plan of a sync that read all there is."""
    ids = {
        name: dict.fromkeys(prepared[name].table.column(0).to_pylist(), "full")
        for name in ("equipment", "projects")
        if name in prepared
    }
    details = "projects" in prepared and prepared["projects"].details
    return Plan(ids.get("equipment", {}), ids.get("projects", {}) if details else None)


def _commit_staged(
    store: Store, base: Base, staging: Staging, further: Mapping[str, dict[str, str]], now: datetime
) -> dict[str, Pin]:
    """Write the flights of a first sync and their bridge, some slices with each commit."""
    tables: dict[str, DeltaTable] = {}
    totals = dict.fromkeys(PARTITIONED, Sum())
    for both in _ahead(_staged(staging, now)):
        for name, rows in zip(PARTITIONED, both, strict=True):
            totals[name] += Sum.of(rows["row_hash"].to_numpy())
            if name in tables:
                _append(tables[name], rows.to_reader())
            else:
                tables[name] = _begun(store, base, name, rows.to_reader())
    if totals["flights"].rows < staging.count:
        raise MirrorError(
            f"Nothing was written: of {staging.count:,} flights that were read, "
            f"{totals['flights'].rows:,} were stored.",
            advice="Sync again; if it stays so, with --full.",
        )
    return {
        name: Pin(
            table.version(),
            totals[name].rows,
            totals[name].rows,
            fingerprint=totals[name].fingerprint,
            further=further.get(name, {}),
            log=log_digest(table),
        )
        for name, table in tables.items()
    }


def _ahead(items: Iterator[_Item]) -> Iterator[_Item]:
    """Yield items, of which the next one is made meanwhile, in a thread."""
    with ThreadPoolExecutor(1, thread_name_prefix="fleetkit-slices") as thread:
        upcoming = thread.submit(next, items, None)
        while (item := upcoming.result()) is not None:
            upcoming = thread.submit(next, items, None)
            yield item


def _staged(staging: Staging, now: datetime) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Yield flights and their bridge, so many as one commit writes.

    Each is a single batch: the writer takes several at once, and the first may come out last. So
    both are stored in one order, and who reads them needn't join them.
    """
    for chosen in staging.commits():
        yield _joined(staging.slices(chosen), now)


def _joined(
    slices: Iterator[tuple[pa.Table, pa.Table]], now: datetime
) -> tuple[pa.Table, pa.Table]:
    """Return flights and bridge of all slices; none of these is held when this returns."""
    flights, bridge = map(pa.concat_tables, zip(*slices, strict=True))
    return _versions(flights, now).combine_chunks(), _versions(bridge, now).combine_chunks()


def _append(table: DeltaTable, data: pa.RecordBatchReader) -> None:
    """Write further rows of a table that this sync has begun."""
    write_deltalake(table, data, mode="append", commit_properties=ONCE, writer_properties=WRITER)


def _begun(store: Store, base: Base, name: str, data: pa.RecordBatchReader) -> DeltaTable:
    """Write a table's first rows, over those of a sync that was never finished."""
    known = base.unfinished
    unfinished = store.table(name) if known is None else known.get(name)
    if unfinished is None:
        return store.create(name, data, partition_by=partition_of(name))
    overwrite(unfinished, name, data)
    return unfinished


def _versions(rows: pa.Table, now: datetime) -> pa.Table:
    """Append the validity of rows that are current since this sync."""
    rows = rows.append_column("valid_from", pa.repeat(pa.scalar(now, TIME), rows.num_rows))
    return rows.append_column("valid_to", pa.nulls(rows.num_rows, TIME))


def _widen(table: DeltaTable, schema: pa.Schema) -> None:
    """Add the columns that a table lacks; what it holds gets nulls."""
    known = column_names(table)
    further = [field for field in Schema.from_arrow(schema).fields if field.name not in known]
    if further:
        table.alter.add_columns(further, commit_properties=ONCE)


def _apply(table: DeltaTable, name: str, diff: Diff, now: datetime, pinned: int) -> None:
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
        Other rows were written than were due.
    """
    disable_log_cleanup(table)
    compact(table, MOST_FILES * max(1, len(table.partitions())), pinned)
    closing = diff.closing.rename_columns([f"{_OLD}{name_}" for name_ in diff.closing.column_names])
    source = _versions(pa.concat_tables([diff.inserts, closing], promote_options="default"), now)
    done = _merge(table, source, closing.column_names, diff.inserts.column_names)
    due = (diff.inserts.num_rows, diff.closing.num_rows)
    if done != due:
        raise MirrorError(
            f"In table {name} {done[0]} rows were added and {done[1]} closed, where {due[0]} and "
            f"{due[1]} were due; nothing of this sync was written.",
            advice="Sync again; the next sync undoes it first.",
        )


def _merge(
    table: DeltaTable, source: pa.Table, old: list[str], columns: list[str]
) -> tuple[int, int]:
    """Merge; a source row either closes one (its old key is set) or is added (it is null).

    What it closes ends when the others begin.
    """
    same = [f"t.{quoted(column.removeprefix(_OLD))} = s.{quoted(column)}" for column in old]
    done = (
        table.merge(
            source,
            " AND ".join([*same, f"t.{CURRENT}"]),
            source_alias="s",
            target_alias="t",
            commit_properties=ONCE,
            writer_properties=WRITER,
        )
        .when_matched_update({"valid_to": "s.valid_from"})
        .when_not_matched_insert(
            {quoted(column): f"s.{quoted(column)}" for column in (*columns, *VALIDITY)},
            predicate=f"s.{quoted(old[0])} IS NULL",
        )
        .execute()
    )
    return done["num_target_rows_inserted"], done["num_target_rows_updated"]
