"""A service whose records change between syncs, and what a mirror of it must show."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import pandas as pd
from conftest import TINY, Served

import fleetkit as fk
from fleetkit import mirror, schema
from fleetkit.mirror.layout import KEYS

App = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]


def record_of(table: str, identifier: str, **fields: Any) -> dict[str, Any]:
    """Return a record of ``TINY``, some of its fields changed."""
    (record,) = (entry for entry in TINY[table] if entry["id"] == identifier)
    return {**record, **fields}


def change(served: Served, **records: Any) -> None:
    """Put records into the service; nothing but what is given changes, no counter either."""
    served.store.load(served.organisation, **records)


def withdraw(served: Served, **identifiers: Any) -> None:
    """Take records out of the service."""
    served.store.remove(served.organisation, **identifiers)


def served_whole(served: Served) -> dict[str, pd.DataFrame]:
    """Read all seven tables over HTTP, projects with their details, each sorted by its key."""
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        tables = {name: getattr(fleet, name)() for name in schema.TABLES if name != "projects"}
        tables["projects"] = fleet.projects(details=True)
    return {
        name: frame.sort_values(list(KEYS[name]), ignore_index=True)
        for name, frame in tables.items()
    }


def mirrored(path: str | Path, version: int | None = None) -> dict[str, pd.DataFrame]:
    """Return all seven tables of a mirror."""
    opened = mirror.open(path, version=version)
    return {name: opened.table(name) for name in KEYS}


def assert_same(actual: dict[str, pd.DataFrame], expected: dict[str, pd.DataFrame]) -> None:
    """Refuse any difference, in columns and dtypes too."""
    assert actual.keys() == expected.keys()
    for name, frame in expected.items():
        pd.testing.assert_frame_equal(actual[name], frame, obj=name)


def assert_in_step(path: str | Path, served: Served) -> None:
    """Refuse a mirror that shows anything but what the service holds, or that isn't intact."""
    assert_same(mirrored(path), served_whole(served))
    assert mirror.verify(path).problems == {}


def counts(report: mirror.SyncReport, table: str) -> tuple[int, int, int]:
    """Return how many rows a sync found new, different and gone."""
    changes = report.tables[table]
    return changes.inserted, changes.updated, changes.vanished


def before(app: App, path: str, act: Callable[[], object]) -> App:
    """Do something just before each request for a path that contains `path`."""

    async def answer(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if path in scope["path"]:
            act()
        await app(scope, receive, send)

    return answer


def failing(app: App, path: str, status: int = 500) -> App:
    """Answer with a status to each request for a path that contains `path`."""

    async def answer(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if path not in scope["path"]:
            await app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    return answer
