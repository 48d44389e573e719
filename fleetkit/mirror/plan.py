"""What a sync reads, and whose records they are.

A piece of equipment carries a fingerprint of its flights: ``totalFlights``, ``totalFlightHours``
and ``updatedAt``. While it stays the same, so do the flights, but for edits that no counter shows;
those are found by the audit, which reads a share of the rest in turn. Without both counters it says
nothing of the flights, which are read each time. A project's two detail fields are taken as
unchanged while its row is.

A mirror belongs to one service and to one organisation of it. The service is known by its address.
The API gives no name of an organisation, so that one is known by its records: where (nearly) none
of the current ones is listed any more, another key was used, or the organisation was emptied.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pyarrow as pa

from fleetkit.base_url import DEFAULT_PORTS
from fleetkit.columns import DETAIL_COLUMNS
from fleetkit.differences import is_another
from fleetkit.errors import InvalidValue, MirrorError
from fleetkit.interface import worded
from fleetkit.mirror import syncs
from fleetkit.mirror.layout import (
    COUNTERS,
    CURRENT,
    KEYS,
    PROJECT_DETAILS,
    Prepared,
    as_stored,
    prepare,
    row_hashes,
)
from fleetkit.mirror.store import Damaged, Store, Unproven, column_names, query
from fleetkit.mirror.syncs import LAYOUT, RESUMED, Read, Sync
from fleetkit.schema import EQUIPMENT, PROJECT, SERVICE

if TYPE_CHECKING:
    from deltalake import DeltaTable

__all__ = [
    "AUDIT",
    "Plan",
    "begin",
    "check_source",
    "plan",
    "refuse_unproven",
    "same_source",
    "zone",
]

# Share of the equipment, and of the projects, that each sync reads although nothing changed: all of
# it once in ten syncs.
AUDIT = 0.1
# Records by which a key of the same organisation is recognised: of at least one of these lists, at
# least this share of the current records must still be listed.
FEWEST_LISTED = 0.1
_NOUNS = {
    "equipment": EQUIPMENT.nouns,
    "projects": PROJECT.nouns,
    "services": SERVICE.nouns,
}
Reasons = dict[str, str]


@dataclass(frozen=True)
class Plan:
    """What a sync reads beside the lists that every sync reads whole, and why.

    Attributes
    ----------
    flights : dict of str → str
        Equipment whose flights are read whole → ``"full"``, ``"new"``, ``"moved"``,
        ``"uncounted"``, ``"audit"``, or ``"shared"`` (it logged a flight that changed elsewhere).
    details : dict of str → str, or None
        Projects that are read by id → the reason; None where details aren't read.
    base : int or None
        Version of the mirror that the lists were compared with, 0 where there was none; what was
        read is written on top of that one only. None: on top of any.
    audit : float
        Share, 0 to 1, of the months whose stored flights are verified before anything is built on
        them.
    repair : bool
        Verify everything that is stored, and repair it with what was read, which is all.
    """

    flights: Reasons = field(default_factory=dict)
    details: Reasons | None = None
    base: int | None = None
    audit: float = AUDIT
    repair: bool = False

    def with_more(self, more: Unproven) -> Plan:
        """Return the plan that reads what was missing too."""
        details = None if self.details is None else {**more.details, **self.details}
        return replace(self, flights={**more.flights, **self.flights}, details=details)

    def with_resumed(self, pieces: Collection[str]) -> Plan:
        """Return the plan that says which flights an interrupted sync had read before."""
        resumed = dict.fromkeys(self.flights.keys() & set(pieces), RESUMED)
        return replace(self, flights=self.flights | resumed)

    def read(self) -> Read:
        """Return what the sync's row records of it."""
        return Read(_by_reason(self.flights), _by_reason(self.details or {}))


def _by_reason(reasons: Reasons) -> dict[str, list[str]]:
    return {
        reason: sorted(id_ for id_, given in reasons.items() if given == reason)
        for reason in sorted(set(reasons.values()))
    }


def plan(
    path: str | Path,
    lists: Mapping[str, pd.DataFrame],
    *,
    audit: float = AUDIT,
    details: bool = True,
    full: bool = False,
    base: int | None = None,
    accept_loss: bool = False,
) -> Plan:
    """Compare the lists that are read whole with the newest sync; return what else to read.

    Parameters
    ----------
    path : str or Path
        The mirror; where there is none, everything is new.
    lists : dict of str → DataFrame
        What the service lists, as far as the key can read it; ``equipment`` and ``projects`` say
        what changed.
    audit : float
        Share, 0 to 1, of the equipment and of the projects to read although nothing changed: those
        first whose turn was longest ago, so that all were read within ``ceil(1 / audit)`` syncs.
    details : bool
        Whether projects are read by id at all.
    full : bool
        Read everything.
    base : int, optional
        What `begin` said before the lists were read; default: what it says now.
    accept_loss : bool
        Go on where nearly none of the current records is listed any more.

    Raises
    ------
    MirrorError
        The mirror can't be read, was written by a newer fleetkit, or holds the records of another
        organisation, or of one that removed nearly all of them.
    """
    store = Store(path)
    table, newest = syncs.find(store)
    if not accept_loss:
        check_records(store, newest, lists, repairing=full)
    flights, projects = syncs.last_read(store, table)
    last_read = {"equipment": flights, "projects": projects}
    listed = {name: lists[name] for name in last_read if name in lists}
    if full or (newest is not None and newest.layout < LAYOUT):  # that one recorded no `read`
        changed = {name: dict.fromkeys(frame.iloc[:, 0], "full") for name, frame in listed.items()}
    else:
        changed = _changed_since(store, newest, listed)
    version = 0 if newest is None else newest.version
    reasons = {
        name: _with_audit(changed[name], frame.iloc[:, 0], last_read[name], audit, version)
        for name, frame in listed.items()
    }
    return Plan(
        flights=reasons.get("equipment", {}),
        details=reasons.get("projects", {}) if details else None,
        base=version if base is None else base,
        audit=audit,
        repair=full,
    )


def begin(path: str | Path, *, source: str, moved_to: str | None = None) -> int:
    """Return the version that a sync starts from: the newest, 0 where there is no mirror.

    Parameters
    ----------
    path : str or Path
        The mirror.
    source : str
        Address of the service that is to be read.
    moved_to : str, optional
        The address that the mirror's service is said to have moved to.

    Raises
    ------
    InvalidValue
        `moved_to` isn't `source`.
    MirrorError
        The mirror belongs to another service, or its table of syncs is missing.
    """
    store = Store(path)
    table, newest = syncs.find(store)
    if table is None:
        syncs.refuse_orphans(store)
    check_source(store.path, newest, source, moved_to)
    return 0 if newest is None else newest.version


def zone(path: str | Path) -> str:
    """Return the IANA time zone of a mirror; empty where there is no mirror."""
    _, newest = syncs.find(Store(path))
    return "" if newest is None else newest.tz


def _changed_since(
    store: Store, newest: Sync | None, lists: Mapping[str, pd.DataFrame]
) -> dict[str, Reasons]:
    """Return table → the records whose flights or details may differ from the stored ones."""
    tables: dict[str, DeltaTable | None] = dict.fromkeys(lists)
    if newest is not None:
        known = [name for name in lists if newest.holds(name)]
        tables |= {name: newest.opened(store, name) for name in known}
        if not newest.details:
            tables["projects"] = None
    prepared = {name: prepare(name, frame) for name, frame in lists.items()}
    with store.doing("read"):
        return _changed(tables, prepared)


def refuse_unproven(
    plan: Plan, tables: Mapping[str, DeltaTable | None], prepared: Mapping[str, Prepared]
) -> None:
    """Refuse what was read where something else may have changed.

    Parameters
    ----------
    plan : Plan
        What was read.
    tables : dict of str → DeltaTable or None
        Equipment and projects as the newest sync left them; None where it isn't known what the
        syncs read of their flights or details.
    prepared : dict of str → Prepared
        The lists as they are to be written.

    Raises
    ------
    Unproven
        Flights or details of other records may have changed.
    """
    read = {"equipment": plan.flights}
    if PROJECT_DETAILS in prepared and plan.details is not None:
        read["projects"] = plan.details
    # What was read whole is proven; it needn't be compared.
    partly = [
        name
        for name in read
        if name in prepared and set(prepared[name].table.column(0).to_pylist()) - read[name].keys()
    ]
    changed = _changed(tables, {name: prepared[name] for name in partly})
    unread = {
        name: {id_: reason for id_, reason in reasons.items() if id_ not in read[name]}
        for name, reasons in changed.items()
    }
    if any(unread.values()):
        raise Unproven(flights=unread.get("equipment"), details=unread.get("projects"))


def _changed(
    tables: Mapping[str, DeltaTable | None], lists: Mapping[str, Prepared]
) -> dict[str, Reasons]:
    changes = {"equipment": _changed_equipment, "projects": _changed_projects}
    return {name: changes[name](tables[name], rows.table) for name, rows in lists.items()}


def _with_audit(
    changed: Reasons, listed: Iterable[str], last_read: Mapping[str, int], audit: float, newest: int
) -> Reasons:
    """Add unchanged records that were read longest ago."""
    ids = set(listed)
    unchanged = sorted(ids - changed.keys(), key=lambda id_: (last_read.get(id_, 0), id_))
    # Records that had their turn lately count although they vanished since: the others waited.
    since = newest - math.ceil(1 / audit) if audit else newest
    read_lately = {id_ for id_, version in last_read.items() if version > since}
    # 0.1 × 30 is a little more than 3.
    share = math.ceil(round(audit * len(ids | read_lately), 6))
    return changed | dict.fromkeys(unchanged[:share], "audit")


def _changed_equipment(table: DeltaTable | None, listed: pa.Table) -> Reasons:
    """Return equipment whose flights may differ from those that are stored → the reason.

    ``"new"``, ``"moved"``, or ``"uncounted"`` where the service gives no counter. `table` is None
    where equipment was never read.
    """
    columns = ["equipment_id", *COUNTERS, "updated_at"]
    now = listed.select(columns).to_pandas().set_index("equipment_id")
    if table is None:
        return dict.fromkeys(now.index, "new")
    stored = query(table, columns, CURRENT).to_pandas().set_index("equipment_id")
    before = stored.reindex(now.index)
    same = (now == before) | (now.isna() & before.isna())
    return _reasons(
        now.index,
        new=~now.index.isin(stored.index),
        uncounted=now[[*COUNTERS]].isna().all(axis=1),
        moved=~same.all(axis=1),
    )


def _changed_projects(table: DeltaTable | None, listed: pa.Table) -> Reasons:
    """Return projects whose row in the list isn't the stored one → ``"new"`` or ``"moved"``.

    `table` is None where projects, or their details, were never read.
    """
    if table is None:
        return dict.fromkeys(listed["project_id"].to_pylist(), "new")
    listed = listed.drop_columns(["row_hash", *DETAIL_COLUMNS])
    listed = as_stored(listed, pa.schema(table.schema().to_arrow()))
    now = pd.Series(row_hashes(listed), listed["project_id"].to_pylist())
    # A column that the list doesn't give may be in the detail records only; then it says nothing.
    known = column_names(table)
    stored = query(table, [name for name in listed.column_names if name in known], CURRENT)
    before = pd.Series(row_hashes(stored), stored["project_id"].to_pylist())
    return _reasons(
        now.index,
        new=~now.index.isin(before.index),
        moved=now.to_numpy() != before.reindex(now.index).to_numpy(),
    )


def _reasons(ids: pd.Index, **holds: Any) -> dict[str, str]:
    """Return id → the first reason that holds; an id for which none does is left out."""
    reasons = np.select(
        [np.asarray(condition) for condition in holds.values()], list(holds), default=""
    )
    return {id_: str(reason) for id_, reason in zip(ids, reasons, strict=True) if reason}


def same_source(one: str, other: str) -> bool:
    """Return whether two addresses name the same service.

    Examples
    --------
    >>> same_source("https://fleet.example", "HTTPS://Fleet.Example:443/v1/")
    True
    >>> same_source("https://fleet.example", "http://fleet.example")
    False
    """
    return _plain(one) == _plain(other)


def _plain(address: str) -> tuple[object, ...]:
    with suppress(ValueError):  # such as of a port that there can't be
        parts = urlsplit(address.strip())
        scheme, host = parts.scheme, (parts.hostname or "").rstrip(".")
        path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
        if host:  # the embedded demo's identity has none
            return (scheme, host, parts.port or DEFAULT_PORTS.get(scheme), path)
    return (address.strip(),)


def check_source(path: str, newest: Sync | None, source: str, moved_to: str | None) -> None:
    """Refuse to write the records of another service.

    Parameters
    ----------
    path : str
        The mirror.
    newest : Sync or None
        Its newest sync.
    source : str
        Address of the service that was, or is to be, read.
    moved_to : str, optional
        The address that the mirror's service is said to have moved to.

    Raises
    ------
    InvalidValue
        `moved_to` isn't the address that is read.
    MirrorError
        The mirror belongs to another service.
    """
    if moved_to is not None and not same_source(moved_to, source):
        # It isn't quoted: it may hold a password.
        raise InvalidValue(
            f"The service is said to have moved elsewhere, but {source} is what is read.",
            advice="Give the same address as that of the service.",
        )
    if newest is None or moved_to is not None or not newest.source:
        return
    if not same_source(newest.source, source):
        option = worded(python=f'moved_to="{source}"', command_line=f"--moved-to {source}")
        moved = f"; or, if the same service has moved, sync with {option}"
        raise MirrorError(
            f"The mirror {path} belongs to {newest.source}; nothing of {source} was written to it.",
            advice=f"Choose another folder{moved if '://' in source else ''}.",
        )


def check_records(
    store: Store,
    newest: Sync | None,
    lists: Mapping[str, pd.DataFrame],
    *,
    repairing: bool,
) -> None:
    """Refuse to write the records of another organisation.

    Parameters
    ----------
    store : Store
    newest : Sync or None
        The mirror's newest sync.
    lists : dict of str → DataFrame
        What the service lists, as far as the key can read it.
    repairing : bool
        Leave lists out that are damaged; else that is an error.

    Raises
    ------
    MirrorError
        Of each list that had current records, fewer than a tenth is still listed; or the key can
        read none of these lists. A record of the same id that was created at another time isn't
        the same record: many services count their ids from 1 in each organisation.
    """
    current = _current_ids(store, newest, repairing=repairing)
    if not current:
        return
    listed = {
        name: _still_listed(created, lists[name])
        for name, created in current.items()
        if name in lists
    }
    if any(count >= FEWEST_LISTED * len(current[name]) for name, count in listed.items()):
        return
    holds = ", ".join(
        f"{len(created):,} {_NOUNS[name][len(created) > 1]}" for name, created in current.items()
    )
    listed_here = (
        f"of which the service lists {sum(listed.values()):,} to this key"
        if listed
        else "none of which this key can read"
    )
    really = worded(python="accept_loss=True", command_line="--accept-loss")
    raise MirrorError(
        f"The mirror {store.path} holds {holds}, {listed_here}: is it the key of another "
        "organisation? Nothing was written.",
        advice="Give each organisation a mirror of its own; if it is the same one, and all that is "
        f"really gone, sync with {really}.",
    )


def _still_listed(created: pd.Series, listed: pd.DataFrame) -> int:
    """Return how many of the current records are listed, by id and by when they were created."""
    now = listed.set_index(listed.columns[0])["created_at"].reindex(created.index)
    return int((created.index.isin(listed.iloc[:, 0]) & ~is_another(created, now)).sum())


def _current_ids(store: Store, newest: Sync | None, *, repairing: bool) -> dict[str, pd.Series]:
    """Return list → when the current records were created, by id, of the lists with any."""
    current: dict[str, pd.Series] = {}
    if newest is None:
        return current
    for name in _NOUNS:
        if not newest.tables[name].rows:
            continue
        try:
            table = newest.opened(store, name)
            with store.doing("read"):
                [key] = KEYS[name]
                rows = query(table, [key, "created_at"], CURRENT)
        except Damaged:
            if not repairing:
                raise
        else:
            current[name] = rows.to_pandas().set_index(key)["created_at"]
    return current
