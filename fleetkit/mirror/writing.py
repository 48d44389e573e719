"""Frames → a new version of the mirror, all or nothing.

Each table is compared with the state that the newest sync pinned and brought up to date in one
commit: rows that changed are closed and stand anew, vanished ones are closed, unchanged ones stay.
The sync's own row comes last and makes it all visible. Whatever a crashed sync left behind is taken
back first.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd
import pyarrow as pa
from deltalake import DeltaTable, Schema, write_deltalake

from fleetkit.errors import MirrorError
from fleetkit.mirror import syncs
from fleetkit.mirror.hashes import fingerprint
from fleetkit.mirror.layout import DETAILS, KEYS, MONTH, Prepared, hashed, prepare
from fleetkit.mirror.report import SyncReport, report_of
from fleetkit.mirror.store import ONCE, Conflict, Store, query, quoted
from fleetkit.mirror.syncs import Pin, Sync

__all__ = ["write"]

# How often a sync is computed anew because others commit in between, waiting longer each time.
TRIES, FIRST_WAIT, LONGEST_WAIT = 12, 0.05, 2.0
_STANDING = "valid_to IS NULL"
_TIME = pa.timestamp("us", "UTC")


def write(
    path: str | Path,
    frames: Mapping[str, pd.DataFrame],
    *,
    source: str,
    tz: str,
    requests: int,
    missing: Mapping[str, str],
) -> SyncReport:
    """Bring a mirror up to date with whole tables, all or nothing.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL; made where it doesn't exist.
    frames : dict of str → DataFrame
        Whole tables, as `fleetkit.tables` gives them.
    source : str
        Address that they come from.
    tz : str
        IANA time zone of the fleet's months.
    requests : int
        HTTP requests that reading took.
    missing : dict of str → str
        The tables that are not in `frames` → the scope that the key lacked. They keep the rows
        that they had.

    Returns
    -------
    SyncReport
        Version, and rows inserted, updated and vanished in each table.

    Raises
    ------
    MirrorError
        A table is neither given nor missing, holds a key twice or a value that can't be stored as
        the contract has it; the place can't be written; other syncs keep committing in between.
        What the mirror held before still stands.

    Examples
    --------
    >>> import tempfile
    >>> from fleetkit import schema, tables
    >>> frames = {name: tables.empty(name) for name in schema.COLUMNS}
    >>> folder = tempfile.mkdtemp()
    >>> write(folder, frames, source="here", tz="UTC", requests=3, missing={}).version
    1
    """
    _check_names(frames, missing)
    store = Store(path)
    prepared = {name: prepare(name, frame) for name, frame in frames.items()}
    for attempt in range(TRIES):
        try:
            return _write(store, prepared, missing, source=source, tz=tz, requests=requests)
        except Conflict:
            longest = min(FIRST_WAIT * 2**attempt, LONGEST_WAIT)
            time.sleep(random.uniform(0, longest))
    raise MirrorError(
        f"Other syncs keep writing to the mirror {store.path}; nothing of this one was written.",
        advice="Let one sync finish before the next starts.",
    )


def _check_names(frames: Mapping[str, pd.DataFrame], missing: Mapping[str, str]) -> None:
    for name in KEYS:
        if (name in frames) == (name in missing):
            how = "both given and missing" if name in frames else "neither given nor missing"
            raise MirrorError(f"Nothing was written: table {name} is {how}.")
    for name in {*frames, *missing} - set(KEYS):
        raise MirrorError(
            f"Nothing was written: {name!r} is no table.", advice=f"Tables are: {', '.join(KEYS)}."
        )


def _write(
    store: Store,
    prepared: dict[str, Prepared],
    missing: Mapping[str, str],
    **about: Any,
) -> SyncReport:
    table, base = syncs.find(store)
    now = datetime.now(UTC)
    if base is not None:  # a clock that went back must not turn versions round
        now = max(now, base.fetched_at + timedelta(microseconds=1))
    pins = {}
    for name in KEYS:
        pinned = base.tables.get(name, Pin()) if base is not None else Pin()
        if name in missing:
            kept = {"inserted": 0, "updated": 0, "vanished": 0, "scope": missing[name]}
            pins[name] = msgspec.structs.replace(pinned, **kept)
        else:
            with store.doing("written"):
                pins[name] = _bring_up_to_date(store, name, prepared[name], pinned, now)
    details = "projects" in prepared and prepared["projects"].details
    sync = Sync(
        version=1 if base is None else base.version + 1,
        fetched_at=now,
        details=details or ("projects" in missing and base is not None and base.details),
        tables=pins,
        **about,
    )
    syncs.append(store, table, sync)
    return report_of(store.path, sync)


def _bring_up_to_date(
    store: Store, name: str, prepared: Prepared, pinned: Pin, now: datetime
) -> Pin:
    """Commit what differs from the pinned state; return the new pin."""
    if pinned.version is None:
        return _create(store, name, prepared, now)
    table = _as_pinned(store, name, pinned.version)
    rows = prepared.table
    if name == "projects" and not prepared.details:
        rows = _with_earlier_details(table, rows)
    _widen(table, rows.schema)
    found = fingerprint(rows["row_hash"])
    changes = (0, 0, 0) if found == pinned.fingerprint else _merge(table, name, rows, now)
    return Pin(table.version(), rows.num_rows, *changes, found, prepared.further)


def _create(store: Store, name: str, prepared: Prepared, now: datetime) -> Pin:
    """Write a table's first rows, over whatever a sync that never finished left there."""
    rows = prepared.table
    data = _versions(rows, now)
    partition_by = [MONTH] if name == "flights" else None
    table = store.table(name)
    if table is None:
        store.create(name, data, partition_by=partition_by)
    else:
        write_deltalake(
            table,
            data,
            mode="overwrite",
            schema_mode="overwrite",
            partition_by=partition_by,
            commit_properties=ONCE,
        )
    version, count = 0 if table is None else table.version(), rows.num_rows
    return Pin(version, count, count, 0, 0, fingerprint(rows["row_hash"]), prepared.further)


def _versions(rows: pa.Table, now: datetime) -> pa.Table:
    """Append the validity of rows that stand from now on."""
    since = pa.nulls(rows.num_rows, _TIME).fill_null(pa.scalar(now, _TIME))
    return rows.append_column("valid_from", since).append_column(
        "valid_to", pa.nulls(rows.num_rows, _TIME)
    )


def _as_pinned(store: Store, name: str, version: int) -> DeltaTable:
    """Open a table as the newest sync left it; take back what came after."""
    table = store.table(name)
    if table is None:
        raise MirrorError(
            f"The mirror {store.path} is damaged: table {name} is gone.",
            advice="Sync into an empty folder.",
        )
    if table.version() != version:
        table.restore(version, commit_properties=ONCE)
    return table


def _with_earlier_details(table: DeltaTable, rows: pa.Table) -> pa.Table:
    """Keep the detail columns that are stored where this sync didn't read them."""
    earlier = query(table, ["project_id", *DETAILS], _STANDING)
    joined = rows.drop_columns([*DETAILS]).join(earlier, "project_id")
    return hashed(joined.select(rows.column_names))


def _widen(table: DeltaTable, schema: pa.Schema) -> None:
    """Add the columns that a table lacks; what it holds gets nulls."""
    known = {each.name for each in table.schema().fields}
    further = [each for each in Schema.from_arrow(schema).fields if each.name not in known]
    if further:
        table.alter.add_columns(further, commit_properties=ONCE)


def _merge(table: DeltaTable, name: str, rows: pa.Table, now: datetime) -> tuple[int, int, int]:
    """Close the rows that changed or vanished, and insert those that changed or are new.

    Returns
    -------
    inserted, updated, vanished : int
        Number of keys.
    """
    keys = list(KEYS[name])
    months = [MONTH] if name == "flights" else []
    stored = query(table, [*keys, "row_hash", *months], _STANDING).to_pandas()
    given = rows.select([*keys, "row_hash"]).to_pandas()
    given["row"] = range(len(given))
    both = stored.merge(given, "outer", keys, suffixes=("_stored", ""), indicator="side")
    changed = both["side"].eq("both") & both["row_hash"].ne(both["row_hash_stored"])
    new, gone = both["side"].eq("right_only"), both["side"].eq("left_only")

    inserts = _versions(rows.take(pa.array(both.loc[new | changed, "row"].astype("int64"))), now)
    closing = pa.Table.from_pandas(both.loc[changed | gone, [*keys, *months]], preserve_index=False)
    closing = closing.rename_columns([f"old_{each}" for each in closing.column_names])
    closing = closing.cast(pa.schema([(each, pa.large_string()) for each in closing.column_names]))
    closed_at = pa.nulls(closing.num_rows, _TIME).fill_null(pa.scalar(now, _TIME))
    source = pa.concat_tables(
        [inserts, closing.append_column("closed_at", closed_at)], promote_options="default"
    )
    done = _execute(table, source, [f"old_{each}" for each in (*keys, *months)], rows.column_names)
    if done != (inserts.num_rows, closing.num_rows):
        raise MirrorError(
            f"Table {name} took {done[0]} new rows and closed {done[1]}, where "
            f"{inserts.num_rows} and {closing.num_rows} were due; nothing of it counts.",
            advice="Sync again; the next sync takes it back first.",
        )
    return int(new.sum()), int(changed.sum()), int(gone.sum())


def _execute(
    table: DeltaTable, source: pa.Table, old: list[str], columns: list[str]
) -> tuple[int, int]:
    """Merge; a source row either closes (its old key is set) or inserts (it is null)."""
    same = [f"t.{quoted(each.removeprefix('old_'))} = s.{quoted(each)}" for each in old]
    done = (
        table.merge(
            source,
            " AND ".join([*same, f"t.{_STANDING}"]),
            source_alias="s",
            target_alias="t",
            commit_properties=ONCE,
        )
        .when_matched_update({"valid_to": "s.closed_at"})
        .when_not_matched_insert(
            {quoted(each): f"s.{quoted(each)}" for each in (*columns, "valid_from", "valid_to")},
            predicate=f"s.{quoted(old[0])} IS NULL",
        )
        .execute()
    )
    return done["num_target_rows_inserted"], done["num_target_rows_updated"]
