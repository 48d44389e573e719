"""Frames → a new version of the mirror, all or nothing.

Each table is compared with the state that the newest sync pinned and brought up to date in one
commit: rows that changed are closed and stand anew, vanished ones are closed, unchanged ones stay.
What was not read stands too, once it is proved that it didn't move. The sync's own row comes last
and makes it all visible. Whatever a crashed sync left behind is taken back first.
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
from deltalake import DeltaTable

from fleetkit.errors import MirrorError
from fleetkit.mirror import migration, syncs
from fleetkit.mirror.committing import bring, create, widen
from fleetkit.mirror.comparing import PROJECT_DETAILS, Base, Next, compare
from fleetkit.mirror.layout import KEYS, Prepared, prepare_all
from fleetkit.mirror.plan import Plan
from fleetkit.mirror.report import SyncReport, report_of
from fleetkit.mirror.signals import Conflict, Outdated
from fleetkit.mirror.store import ONCE, Store
from fleetkit.mirror.syncs import LAYOUT, Pin, Sync

__all__ = ["write"]

# How often a sync is computed anew because others commit in between. It waits longer each time,
# measured by what a try takes, so that one of several gets through. [s]
TRIES, SHORTEST_WAIT, LONGEST_WAIT = 12, 0.05, 60.0


def write(
    path: str | Path,
    frames: Mapping[str, pd.DataFrame],
    *,
    source: str,
    tz: str,
    requests: int,
    missing: Mapping[str, str],
    plan: Plan | None = None,
    fetched_at: datetime | None = None,
) -> SyncReport:
    """Bring a mirror up to date, all or nothing.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL; made where it doesn't exist.
    frames : dict of str → DataFrame
        Whole tables, as `fleetkit.tables` gives them. With a `plan`, ``flights`` and
        ``flight_equipment`` hold what its equipment logged, and ``project_details`` the projects
        that it reads by id; ``projects`` is the list of all.
    source : str
        Address that they come from.
    tz : str
        IANA time zone of the fleet's months.
    requests : int
        HTTP requests that reading took.
    missing : dict of str → str
        The tables that are not in `frames` → the scope that the key lacked. They keep the rows
        that they had.
    plan : Plan, optional
        What was read of flights and project details; default: everything.
    fetched_at : datetime, optional
        The moment as of which the records stand; default: now.

    Returns
    -------
    SyncReport
        Version, and rows inserted, updated and vanished in each table.

    Raises
    ------
    Outdated
        Another sync was finished since the plan was made.
    Unproven
        What was not read may have moved; `plan.with_more` says what to read on top.
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
    prepared = prepare_all(frames)
    for attempt in range(TRIES):
        begun = time.monotonic()
        try:
            return _write(
                store,
                prepared,
                missing,
                plan,
                fetched_at or datetime.now(UTC),
                source=source,
                tz=tz,
                requests=requests,
            )
        except Conflict:
            took = max(time.monotonic() - begun, SHORTEST_WAIT)
            time.sleep(random.uniform(0, min(took * 2**attempt, LONGEST_WAIT)))
    raise MirrorError(
        f"Other syncs keep writing to the mirror {store.path}; nothing of this one was written.",
        advice="Let one sync finish before the next starts.",
    )


def _check_names(frames: Mapping[str, pd.DataFrame], missing: Mapping[str, str]) -> None:
    for name in KEYS:
        if (name in frames) == (name in missing):
            how = "both given and missing" if name in frames else "neither given nor missing"
            raise MirrorError(f"Nothing was written: table {name} is {how}.")
    for name in {*frames, *missing} - {*KEYS, PROJECT_DETAILS}:
        raise MirrorError(
            f"Nothing was written: {name!r} is no table.", advice=f"Tables are: {', '.join(KEYS)}."
        )


def _write(
    store: Store,
    prepared: dict[str, Prepared],
    missing: Mapping[str, str],
    plan: Plan | None,
    now: datetime,
    **about: Any,
) -> SyncReport:
    table, newest = syncs.find(store)
    if plan is not None and plan.base not in {None, newest.version if newest else 0}:
        raise Outdated
    if newest is not None:  # a clock that went back must not turn versions round
        now = max(now, newest.fetched_at + timedelta(microseconds=1))
    with store.doing("written"):
        base = _base(store, newest, [name for name in KEYS if name in prepared])
        found = compare(base, prepared, plan)
        pins = {name: _commit(store, base, name, state, now) for name, state in found.items()}
    for name, scope in missing.items():
        pins[name] = _kept(base.pins[name], scope)
    sync = Sync(
        version=1 if newest is None else newest.version + 1,
        fetched_at=now,
        details=base.details if "projects" in missing else _has_details(prepared, plan),
        tables={name: pins[name] for name in KEYS},
        read=(plan or _everything(prepared)).read(),
        **about,
    )
    syncs.append(store, table, sync)
    changes = [state.change for state in found.values() if state.change is not None]
    return report_of(store.path, sync, [noted for each in changes for noted in each.noted])


def _base(store: Store, newest: Sync | None, names: list[str]) -> Base:
    """Open the tables as the newest sync left them; take back what came after."""
    pins = {name: newest.tables.get(name, Pin()) if newest else Pin() for name in KEYS}
    tables = {name: _as_pinned(store, name, pins[name].version) for name in names}
    bridge, flights = tables.get("flight_equipment"), tables.get("flights")
    if bridge is not None and flights is not None:
        migration.part_bridge_by_month(bridge, flights)
    accounted = newest is not None and newest.layout == LAYOUT
    return Base(tables, pins, details=newest is not None and newest.details, accounted=accounted)


def _as_pinned(store: Store, name: str, version: int | None) -> DeltaTable | None:
    if version is None:
        return None
    table = store.table(name)
    if table is None:
        raise MirrorError(
            f"The mirror {store.path} is damaged: table {name} is gone.",
            advice="Sync into an empty folder.",
        )
    if table.version() != version:
        table.restore(version, commit_properties=ONCE)
    return table


def _commit(store: Store, base: Base, name: str, state: Next, now: datetime) -> Pin:
    """Commit what differs from the pinned state; return the new pin."""
    table, change, pinned = base.tables[name], state.change, base.pins[name].version
    if table is None or pinned is None:
        version, counts = create(store, name, state.rows, now), (state.count, 0, 0)
    else:
        widen(table, state.rows.schema)
        if change:
            bring(table, name, change, now, pinned)
        version = table.version()
        counts = (change.inserted, change.updated, change.vanished) if change else (0, 0, 0)
    return Pin(version, state.count, *counts, state.fingerprint, state.further)


def _kept(pin: Pin, scope: str) -> Pin:
    return msgspec.structs.replace(pin, inserted=0, updated=0, vanished=0, scope=scope)


def _has_details(prepared: Mapping[str, Prepared], plan: Plan | None) -> bool:
    return prepared["projects"].details if plan is None else plan.details is not None


def _everything(prepared: Mapping[str, Prepared]) -> Plan:
    """Return the plan of a sync that read all there is."""
    ids = {
        name: dict.fromkeys(prepared[name].table.column(0).to_pylist(), "full")
        for name in ("equipment", "projects")
        if name in prepared
    }
    details = "projects" in prepared and prepared["projects"].details
    return Plan(ids.get("equipment", {}), ids.get("projects", {}) if details else None)
