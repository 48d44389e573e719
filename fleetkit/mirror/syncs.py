"""The table ``syncs``: one row for each sync, which pins the version of every table it left.

A reader follows the newest row, so a sync takes effect with the commit of its row, all at once.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable, write_deltalake

from fleetkit.errors import MirrorError
from fleetkit.mirror.store import ONCE, Store, query, tidy

__all__ = [
    "LAYOUT",
    "Pin",
    "Read",
    "Sync",
    "append",
    "decoded",
    "find",
    "last_read",
    "stored",
]

# Raised when a mirror written by this version can't be read by the one before.
LAYOUT = 2
# Every sync adds a file; more than these are joined.
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
    ]
)


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
    """

    version: int | None = None
    rows: int = 0
    inserted: int = 0
    updated: int = 0
    vanished: int = 0
    fingerprint: str = ""
    further: dict[str, str] = {}
    scope: str = ""


Ids = dict[str, list[str]]


class Read(msgspec.Struct, frozen=True):
    """What a sync read whole, beside the lists that every sync reads whole.

    Attributes
    ----------
    flights : dict of str → list of str
        Reason → equipment whose flights were read.
    details : dict of str → list of str
        Reason → projects that were read by id.
    """

    flights: Ids = {}
    details: Ids = {}


class Sync(msgspec.Struct, frozen=True):
    """One row of ``syncs``."""

    version: int
    fetched_at: datetime
    source: str
    tz: str
    requests: int
    details: bool
    tables: dict[str, Pin]
    read: Read = Read()
    layout: int = LAYOUT

    @property
    def fingerprint(self) -> str:
        """One hash over the rows of all tables: the same for the same data, wherever they lie."""
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
        The newest row is of a newer layout, or there is no row of that version.
    """
    table = store.table("syncs")
    if table is None:
        return None, None
    with store.doing("read"):
        first, newest = _versions(table)
        if newest is None:
            return table, None
        wanted = newest if version is None else int(version)
        rows = query(table, stored(table), f"version IN ({newest}, {wanted})").to_pylist()
    found = {each["version"]: each for each in rows}
    if found[newest]["layout"] > LAYOUT:
        raise MirrorError(
            f"The mirror {store.path} has layout {found[newest]['layout']}; this fleetkit reads "
            f"{LAYOUT}.",
            advice="Update fleetkit: pip install -U fleetkit.",
        )
    if wanted not in found:
        raise MirrorError(
            f"The mirror {store.path} has no version {wanted}.",
            advice=f"It has {first} to {newest}.",
        )
    return table, decoded(found[wanted])


def last_read(
    store: Store, table: DeltaTable | None, up_to: int | None = None
) -> tuple[dict[str, int], dict[str, int]]:
    """Return equipment → version of the sync that last read its flights whole; projects likewise.

    Whoever is in neither was read before layout 2, or never. Syncs after version `up_to` don't
    count; `table` is the table of syncs.
    """
    flights: dict[str, int] = {}
    details: dict[str, int] = {}
    if table is None or "read" not in stored(table):
        return flights, details
    with store.doing("read"):
        wanted = "read IS NOT NULL" + ("" if up_to is None else f" AND version <= {int(up_to)}")
        rows = query(table, ["version", "read"], wanted).sort_by("version")
    for row in rows.to_pylist():
        read = msgspec.json.decode(row["read"], type=Read)
        for known, ids in ((flights, read.flights), (details, read.details)):
            known.update((each, row["version"]) for some in ids.values() for each in some)
    return flights, details


def _versions(table: DeltaTable) -> tuple[int | None, int | None]:
    """Return the first and the newest version, from the statistics of files: none is opened."""
    files = pa.table(table.get_add_actions(flatten=True))
    if not files.num_rows:
        return None, None
    return pc.min(files["min.version"]).as_py(), pc.max(files["max.version"]).as_py()


def stored(table: DeltaTable) -> list[str]:
    """Return the columns that are there: an earlier layout had fewer."""
    there = {each.name for each in table.schema().fields}
    return [name for name in _SCHEMA.names if name in there]


def decoded(row: dict[str, Any]) -> Sync:
    """Return a row of the table of syncs; without its column ``read``, nothing was read."""
    plain = ("version", "layout", "fetched_at", "source", "tz", "requests", "details")
    return Sync(
        **{name: row[name] for name in plain},
        tables=msgspec.json.decode(row["tables"], type=dict[str, Pin]),
        read=msgspec.json.decode(row.get("read") or "{}", type=Read),
    )


def append(store: Store, table: DeltaTable | None, sync: Sync) -> None:
    """Commit a sync's row on top of the rows that `table` shows.

    Raises
    ------
    Conflict
        Another sync committed its row first.
    """
    row = {
        **{name: getattr(sync, name) for name in ("version", "fetched_at", "source", "tz")},
        "layout": LAYOUT,
        "complete": sync.complete,
        "requests": sync.requests,
        "rows": sync.rows,
        "details": sync.details,
        "fingerprint": sync.fingerprint,
        "tables": msgspec.json.encode(sync.tables).decode(),
        "read": msgspec.json.encode(sync.read).decode(),
    }
    data = pa.Table.from_pylist([row], _SCHEMA)
    with store.doing("written"):
        if table is None:
            store.create("syncs", data)
        else:
            tidy(table, MOST_FILES, table.version())
            write_deltalake(table, data, mode="append", schema_mode="merge", commit_properties=ONCE)
