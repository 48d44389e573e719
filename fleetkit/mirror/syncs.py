"""The table ``syncs``: one row for each sync, which pins the version of every table it left.

A reader follows the newest row, so a sync takes effect with the commit of its row, all at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable, write_deltalake

from fleetkit import schema
from fleetkit.errors import MirrorError
from fleetkit.mirror.store import (
    ONCE,
    WRITER,
    Store,
    column_names,
    compact,
    damaged,
    digest,
    log_advice,
    overwrite,
    query,
    sync_command,
)
from fleetkit.tables import Differences

__all__ = [
    "LAYOUT",
    "RESUMED",
    "Pin",
    "Read",
    "Sync",
    "append",
    "as_frame",
    "create",
    "differences",
    "find",
    "last_read",
    "refuse_orphans",
    "require",
    "rewrite",
    "states",
]

# Raised when a mirror written by this version can't be read by the one before.
LAYOUT = 2
# Why a list of flights wasn't read: an interrupted sync had. When it was, no row says.
RESUMED = "resumed"
# Every sync adds a file; when there are more than this, they are joined.
MOST_FILES = 16
_SCHEMA = pa.schema(
    [
        ("version", pa.int64()),
        ("layout", pa.int64()),
        ("fetched_at", pa.timestamp("us", "UTC")),
        ("complete", pa.bool_()),
        ("source", pa.large_string()),
        ("tz", pa.large_string()),
        ("requests", pa.int64()),
        ("rows", pa.int64()),
        ("details", pa.bool_()),
        ("fingerprint", pa.large_string()),
        ("tables", pa.large_string()),
        ("read", pa.large_string()),
        ("written_at", pa.timestamp("us", "UTC")),
        ("digest", pa.large_string()),
        ("read_digest", pa.large_string()),
    ]
)
# What `digest` covers; `read` is long, is seldom needed, and has a digest of its own.
_DIGESTED = [name for name in _SCHEMA.names if name not in {"digest", "read", "read_digest"}]
# The columns of `Mirror.syncs`.
_DTYPES = {
    "version": "int64",
    "fetched_at": "datetime64[us, UTC]",
    "complete": "bool",
    "source": "str",
    "requests": "int64",
    "rows": "int64",
    "fingerprint": "str",
}


class Pin(msgspec.Struct, frozen=True):
    """What a sync left of one table.

    Attributes
    ----------
    version : int or None
        Version of the Delta table; None where the table was never read.
    rows : int
        Current rows.
    inserted, updated, vanished : int
        What the sync changed.
    fingerprint : str
        Hash over the current rows.
    further : dict
        Columns that the reference doesn't know → dtype.
    scope : str
        The scope that the key lacked; empty where the table was read.
    log : str
        Digest of the table's log (`store.log_digest`); empty in rows of older fleetkits.
    whole_since : int
        The first sync from which on states of this table are whole. Earlier ones have damaged rows
        that couldn't be restored.
    """

    version: int | None = None
    rows: int = 0
    inserted: int = 0
    updated: int = 0
    vanished: int = 0
    fingerprint: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]*$")] = ""
    further: dict[str, str] = {}
    scope: str = ""
    log: str = ""
    whole_since: int = 1


# Stands for each table that the fleetkit which synced did not know.
_UNREAD: dict[str, Pin] = dict.fromkeys(schema.TABLES, Pin())
Ids = dict[str, list[str]]


class Read(msgspec.Struct, frozen=True):
    """What a sync read beside the lists that every sync reads whole.

    Attributes
    ----------
    flights : dict of str → list of str
        Reason → equipment whose flights were read; of those "resumed" an earlier sync read them,
        which was interrupted.
    details : dict of str → list of str
        Reason → projects that were read by id.
    differences : dict or None
        Which copies of these flights differ from the ones that were retained; None in rows of
        older fleetkits.
    """

    flights: Ids = {}
    details: Ids = {}
    differences: Differences | None = None


class Sync(msgspec.Struct, frozen=True):
    """One row of ``syncs``.

    ``written_at`` is the time of the clock when the sync began to read: what it holds was so then,
    or later. ``fetched_at``, at which row versions begin and end, is the same unless the clock went
    back: it grows from sync to sync.
    """

    version: int
    fetched_at: datetime
    written_at: datetime
    source: str
    tz: str
    requests: int
    details: bool
    tables: dict[str, Pin]
    read: Read = Read()
    layout: int = LAYOUT

    @property
    def fingerprint(self) -> str:
        """One hash over the rows of all tables: the same data give the same hash everywhere."""
        parts = [f"{name}={self.tables[name].fingerprint}" for name in sorted(self.tables)]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def complete(self) -> bool:
        """Whether the key could read every table."""
        return not self.missing

    @property
    def rows(self) -> int:
        """Current rows of all tables."""
        return sum(pin.rows for pin in self.tables.values())

    def opened(self, store: Store, name: str) -> DeltaTable:
        """Open a table that some sync read as this one left it.

        Raises
        ------
        MirrorError
            The table, or this version of it, is missing, or its log isn't the one that was left.
        """
        pin = self.tables[name]
        assert pin.version is not None  # noqa: S101 - the caller knows that it `holds` the table
        return store.pinned(name, pin.version, pin.log)

    def holds(self, table: str) -> bool:
        """Whether this sync or one before it could read the table."""
        return self.tables[table].version is not None

    @property
    def missing(self) -> dict[str, str]:
        """Tables that the key couldn't read → the scope that it lacked."""
        return {name: pin.scope for name, pin in self.tables.items() if pin.scope}


def find(store: Store, version: int | None = None) -> tuple[DeltaTable | None, Sync | None]:
    """Return the table of syncs, and the row of that version; default: the newest.

    Raises
    ------
    MirrorError
        The newest row is of a newer layout, or there is no row of that version. Or a folder stands
        in the table's log.
    """
    table = store.table("syncs")
    if table is None:
        return None, None
    store.refuse_folders("syncs")
    if store.is_empty(f"syncs/_delta_log/{table.version():020d}.json"):
        raise _changed(store, "its last commit is empty")
    with _reading(store):
        newest = _newest(store, table)
        if newest is None:
            return table, None
        number = newest if version is None else int(version)
        rows = query(table, _columns(table), f"version IN ({newest}, {number})").to_pylist()
    by_version = {row["version"]: row for row in rows}
    if newest not in by_version:
        raise _changed(store, f"its row of version {newest} is gone")
    layout = by_version[newest]["layout"]
    if layout > LAYOUT:
        raise MirrorError(
            f"The mirror {store.path} has layout {layout}; this fleetkit reads {LAYOUT}.",
            advice="Update fleetkit: pip install -U fleetkit.",
        )
    if number not in by_version:
        raise MirrorError(
            f"The mirror {store.path} has no version {number}.",
            advice=f"It has 1 to {newest}.",
        )
    return table, _decoded(store, by_version[number])


def require(store: Store) -> tuple[DeltaTable, Sync]:
    """Return the table of syncs and its newest row, of a mirror that must exist.

    Raises
    ------
    MirrorError
        There is none, its first sync was never finished, or as `find` says.
    """
    table, newest = find(store)
    if table is None:
        refuse_orphans(store)
        if store.folder is not None and store.folder.is_file():
            raise MirrorError(f"{store.path} is a file, and no mirror.", advice="Name its folder.")
        if store.table_around:
            raise MirrorError(
                f"{store.path} is no mirror, but the folder of a table.",
                advice=f"Name {store.table_around.parent}.",
            )
    if table is None or newest is None:
        what = (
            f"There is no mirror at {store.path}."
            if table is None
            else f"The first sync into {store.path} was never finished."
        )
        raise MirrorError(what, advice=f"Make one with: {sync_command(store.path)}.")
    return table, newest


def refuse_orphans(store: Store) -> None:
    """Refuse a folder that holds tables of a mirror, but no table of syncs.

    Raises
    ------
    MirrorError
        It does.
    """
    others = [name for name in schema.TABLES if store.table(name) is not None]
    # A first sync that began since the caller looked makes the table of syncs before the others.
    if others and store.table("syncs") is None:
        raise damaged(
            store.path,
            f"its table syncs is gone, which holds the states of the others ({', '.join(others)})",
            f"{log_advice(store.path, 'syncs')} If its first sync was never finished, delete the "
            "folder.",
        )


def rewrite(store: Store, table: DeltaTable) -> None:
    """Write the rows again, where only their files are damaged.

    Raises
    ------
    MirrorError
        A row is missing or was changed.
    """
    with _reading(store):
        rows = query(table, _columns(table), "true").sort_by("version")
    for number, row in enumerate(rows.to_pylist(), 1):
        if _decoded(store, row).version != number:
            raise _changed(store, f"its row of version {number} is gone")
    with store.doing("written"):
        overwrite(table, "syncs", rows)


def last_read(
    store: Store, table: DeltaTable | None, up_to: int | None = None
) -> tuple[dict[str, int], dict[str, int]]:
    """Return equipment → version of the sync that last read its flights whole; projects likewise.

    What is in neither was read before layout 2, or by a sync that was interrupted, or never. Syncs
    after version `up_to` don't count; `table` is the table of syncs.
    """
    flights: dict[str, int] = {}
    details: dict[str, int] = {}
    for version, read in _reads(store, table, up_to):
        for known, ids in ((flights, read.flights), (details, read.details)):
            of_reasons = (of_reason for reason, of_reason in ids.items() if reason != RESUMED)
            known.update((id_, version) for of_reason in of_reasons for id_ in of_reason)
    return flights, details


def differences(
    store: Store, table: DeltaTable | None, pieces: Collection[str], up_to: int
) -> Differences | None:
    """Return which copies of flights differ, as each list was last read up to a version.

    Parameters
    ----------
    store : Store
    table : DeltaTable
        The table of syncs.
    pieces : collection of str
        The equipment whose lists count.
    up_to : int
        Syncs after this version don't count.

    Returns
    -------
    dict or None
        Flight → piece of equipment whose list has a copy that differs from the retained one →
        columns. None where some list was last read by a fleetkit that didn't look.
    """
    unknown, differing = set(pieces), dict[tuple[str, str], list[str]]()
    for _, read in _reads(store, table, up_to):
        lists = {piece for of_reason in read.flights.values() for piece in of_reason}
        unknown = unknown | lists if read.differences is None else unknown - lists
        differing = {pair: columns for pair, columns in differing.items() if pair[1] not in lists}
        for flight, of_pieces in (read.differences or {}).items():
            differing |= {(flight, piece): columns for piece, columns in of_pieces.items()}
    if unknown & set(pieces):
        return None
    current: Differences = {}
    for (flight, piece), columns in sorted(differing.items()):
        if piece in pieces:
            current.setdefault(flight, {})[piece] = columns
    return current


def _reads(store: Store, table: DeltaTable | None, up_to: int | None) -> Iterator[tuple[int, Read]]:
    """Yield the version of each sync that recorded what it read, and that, in order."""
    if table is None or "read" not in _columns(table):
        return
    with _reading(store):
        where = "read IS NOT NULL" + ("" if up_to is None else f" AND version <= {int(up_to)}")
        columns = [name for name in _columns(table) if name in {"version", "read", "read_digest"}]
        rows = query(table, columns, where).sort_by("version")
    for row in rows.to_pylist():
        yield row["version"], _read_of(store, row)


def _reading(store: Store) -> AbstractContextManager[None]:
    """Translate the failures of reading the rows: no service can tell them again."""
    return store.doing("read", damage=log_advice(store.path, "syncs"))


def _newest(store: Store, table: DeltaTable) -> int | None:
    """Return the newest version from the statistics of the files, without opening one.

    Versions begin with 1 and none is left out, so there must be as many rows.
    """
    files = pa.table(table.get_add_actions(flatten=True))
    rows = pc.sum(files["num_records"]).as_py()
    if not files.num_rows or rows == 0:
        return None
    newest = pc.max(files["max.version"]).as_py()
    if newest != rows:
        raise _changed(store, f"it has {rows} rows, the newest of version {newest}")
    return int(newest)


def _changed(store: Store, what: str) -> MirrorError:
    """Return the error of a table of syncs that was changed since."""
    return damaged(
        store.path,
        f"its table syncs, which holds the states of all others, isn't what the syncs left: {what}",
        log_advice(store.path, "syncs"),
    )


def _columns(table: DeltaTable) -> list[str]:
    """Return the columns that a table of syncs has: an earlier layout had fewer."""
    stored = column_names(table)
    return [name for name in _SCHEMA.names if name in stored]


def _decoded(store: Store, row: Mapping[str, Any]) -> Sync:
    """Return a row of the table of syncs as a `Sync`, where its digest agrees.

    Raises
    ------
    MirrorError
        The row isn't what the sync wrote.
    """
    if row.get("digest") and row["digest"] != _digest(row):
        raise _changed(store, f"its row of version {row['version']} was changed")
    plain = ("version", "layout", "fetched_at", "source", "tz", "requests", "details")
    try:
        return Sync(
            **{name: row[name] for name in plain},
            written_at=row.get("written_at") or row["fetched_at"],
            tables=_UNREAD | msgspec.json.decode(row["tables"], type=dict[str, Pin]),
            read=_read_of(store, row),
        )
    except (msgspec.MsgspecError, TypeError):
        raise _changed(store, f"its row of version {row['version']} can't be read") from None


def _digest(row: Mapping[str, Any]) -> str:
    return digest(_as_text(row[name]) for name in _DIGESTED)


def _as_text(value: Any) -> str:
    """Write a value as text that is the same before and after it was stored: moments in UTC."""
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else repr(value)


def _read_of(store: Store, row: Mapping[str, Any]) -> Read:
    if "read" not in row:  # it wasn't asked for
        return Read()
    text = row["read"] or "{}"
    if row.get("read_digest") and row["read_digest"] != digest([text]):
        raise _changed(store, f"the column read of version {row['version']} was changed")
    try:
        return msgspec.json.decode(text, type=Read)
    except msgspec.MsgspecError:
        raise _changed(store, f"the column read of version {row['version']} is not JSON") from None


def create(store: Store) -> DeltaTable:
    """Make the table of syncs without a row: so a mirror without the table is known as damaged.

    Raises
    ------
    Conflict
        Another sync made it first.
    """
    with store.doing("written"):
        return store.create("syncs", _SCHEMA.empty_table())


def append(store: Store, table: DeltaTable, sync: Sync) -> None:
    """Commit a sync's row on top of the rows that `table` shows.

    Raises
    ------
    Conflict
        Another sync committed its row first.
    """
    row = {name: getattr(sync, name) for name in _DIGESTED}
    row |= {name: msgspec.json.encode(getattr(sync, name)).decode() for name in ("tables", "read")}
    row |= {"digest": _digest(row), "read_digest": digest([row["read"]])}
    data = pa.Table.from_pylist([row], _SCHEMA)
    with store.doing("written"):
        compact(table, MOST_FILES, table.version())
        write_deltalake(
            table,
            data,
            mode="append",
            schema_mode="merge",
            commit_properties=ONCE,
            writer_properties=WRITER,
        )


def states(store: Store, up_to: int) -> list[Sync]:
    """Return the rows of all syncs up to a version, in order, without what each one read."""
    table = store.table("syncs")
    if table is None:
        return []
    columns = [name for name in _columns(table) if name != "read"]
    with _reading(store):
        rows = query(table, columns, f"version <= {int(up_to)}").sort_by("version")
    if rows["version"].to_pylist() != list(range(1, up_to + 1)):
        raise _changed(store, f"it has {rows.num_rows} rows up to version {up_to}")
    return [_decoded(store, row) for row in rows.to_pylist()]


def as_frame(syncs: list[Sync]) -> pd.DataFrame:
    """Return one row per sync.

    Examples
    --------
    >>> as_frame([]).columns.tolist()
    ['version', 'fetched_at', 'complete', 'source', 'requests', 'rows', 'fingerprint']
    """
    columns = {name: [getattr(sync, name) for sync in syncs] for name in _DTYPES}
    return pd.DataFrame(columns).astype(_DTYPES)
