"""A mirror belongs to one service and to one organisation of it.

The service is known by its address. The API gives no name of an organisation, so that one is known
by its records: where (nearly) none of the current ones is listed any more, another key was used,
or the organisation was emptied.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

import pandas as pd

from fleetkit.errors import InvalidValue, MirrorError
from fleetkit.interface import worded
from fleetkit.mirror.layout import CURRENT, KEYS
from fleetkit.mirror.store import Store, query
from fleetkit.mirror.syncs import Sync
from fleetkit.schema import EQUIPMENT, PROJECT, SERVICE

__all__ = ["check_records", "check_source", "same_source"]

# Records that any key of the organisation finds again. Of at least one of these lists, at least
# this share of the current ones must still be listed.
FEWEST_LISTED = 0.1
_NOUNS = {
    "equipment": EQUIPMENT.nouns,
    "projects": PROJECT.nouns,
    "services": SERVICE.nouns,
}
_DEFAULT_PORTS = {"http": 80, "https": 443}


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
    parts = urlsplit(address.strip())
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    if not host:  # such as the embedded demo's
        return (address.strip(),)
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    return (scheme, host, parts.port or _DEFAULT_PORTS.get(scheme), path)


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
        raise InvalidValue(
            f"The service is said to have moved to {moved_to}, but {source} is what is read.",
            advice="Give the same address as that of the service.",
        )
    if newest is None or moved_to is not None or not newest.source:
        return
    if not same_source(newest.source, source):
        anew = worded(python=f'moved_to="{source}"', command_line=f"--moved-to {source}")
        raise MirrorError(
            f"The mirror {path} belongs to {newest.source}; nothing of {source} was written to it.",
            advice=f"Choose another folder; or, if the same service has moved, sync with {anew}.",
        )


def check_records(
    store: Store,
    newest: Sync | None,
    lists: Mapping[str, pd.DataFrame],
    *,
    repairing: bool = False,
) -> None:
    """Refuse to write what another organisation holds.

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
    is_another = created.notna() & now.notna() & (created != now)
    return int((created.index.isin(listed.iloc[:, 0]) & ~is_another).sum())


def _current_ids(store: Store, newest: Sync | None, *, repairing: bool) -> dict[str, pd.Series]:
    """Return list → when the current records were created, by id, of the lists with any."""
    current: dict[str, pd.Series] = {}
    if newest is None:
        return current
    for name in _NOUNS:
        pin = newest.tables[name]
        if pin.version is None or not pin.rows:
            continue
        try:
            table = store.pinned(name, pin.version, pin.log)
            with store.doing("read"):
                [key] = KEYS[name]
                rows = query(table, [key, "created_at"], CURRENT)
        except MirrorError:
            if not repairing:
                raise
        else:
            current[name] = rows.to_pandas().set_index(key)["created_at"]
    return current
