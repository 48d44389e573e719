"""Organisations and their API keys: created, listed, revoked.

`add_key` returns a key's value once; the database holds only a digest of it.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, or_, select, update

from fleetkit.errors import InvalidValue
from fleetkit.schema import SCOPES
from fleetkit.server import keys
from fleetkit.server.database import api_keys, organisations

__all__ = [
    "KeyInfo",
    "Organisation",
    "add_key",
    "add_organisation",
    "find_organisation",
    "list_keys",
    "list_organisations",
    "record_use",
    "revoke",
]


@dataclass(frozen=True)
class Organisation:
    """An organisation as lists show it."""

    id: str
    name: str
    created_at: datetime


@dataclass(frozen=True)
class KeyInfo:
    """A key as lists show it: everything but the key.

    Parameters
    ----------
    prefix : str
        The first characters of the key, by which it is listed and revoked.
    organisation : str
        Name of the organisation whose records it reads.
    name : str
    scopes : tuple of str
    created_at, expires_at, revoked_at, last_used_at : datetime or None
        UTC; the last use is recorded once a minute.
    """

    prefix: str
    organisation: str
    name: str
    scopes: tuple[str, ...]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


def find_organisation(connection: Connection, organisation: str, *, lock: bool = False) -> int:
    """Return the row of an organisation, given its id or its name.

    With `lock`, other writers of the organisation wait until the transaction ends.
    """
    is_named = or_(organisations.c.id == organisation, organisations.c.name == organisation)
    statement = select(organisations.c.pk).where(is_named)
    row = connection.execute(statement.with_for_update() if lock else statement).scalar()
    if row is None:
        names = [repr(known.name) for known in list_organisations(connection)]
        advice = f"There are: {', '.join(names[:10])}." if names else "There is none yet."
        raise InvalidValue(f"There is no organisation {organisation!r}.", advice=advice)
    return int(row)


def add_organisation(connection: Connection, name: str) -> str:
    """Insert an organisation and return its id."""
    if not name.strip():
        raise InvalidValue("An organisation needs a name.")
    same = select(organisations.c.pk).where(organisations.c.name == name)
    if connection.execute(same).first() is not None:
        raise InvalidValue(f"There is an organisation named {name!r} already.")
    identifier = f"org_{secrets.token_hex(8)}"
    row = {"id": identifier, "name": name, "created_at": _now()}
    connection.execute(insert(organisations), row)
    return identifier


def list_organisations(connection: Connection) -> list[Organisation]:
    """Return all organisations by name."""
    rows = connection.execute(select(organisations).order_by(organisations.c.name))
    return [Organisation(row.id, row.name, _instant(row.created_at)) for row in rows]


def add_key(
    connection: Connection,
    organisation: str,
    name: str,
    scopes: Iterable[str],
    expires: datetime | None,
) -> str:
    """Insert a key and return its value, which can't be shown again."""
    scopes = tuple(dict.fromkeys(scopes))
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise InvalidValue(
            f"There is no scope {unknown[0]!r}." if unknown else "A key needs a scope.",
            advice=f"Scopes are: {', '.join(SCOPES)}.",
        )
    if expires is not None and expires.tzinfo is None:
        raise InvalidValue(f"The expiry {expires} has no time zone.", advice="Give it one.")
    key, salt = keys.create_key(), keys.salt()
    row = {
        "organisation": find_organisation(connection, organisation),
        "prefix": keys.prefix(key),
        "name": name,
        "scopes": " ".join(scopes),
        "salt": salt,
        "digest": keys.digest(key, salt),
        "created_at": _now(),
        "expires_at": None if expires is None else round(expires.timestamp() * 1000),
    }
    connection.execute(insert(api_keys), row)
    return key


def list_keys(connection: Connection, organisation: str | None) -> list[KeyInfo]:
    """Return the keys of one organisation or of all, the newest first."""
    statement = (
        select(api_keys, organisations.c.name.label("owner"))
        .join(organisations, organisations.c.pk == api_keys.c.organisation)
        .order_by(api_keys.c.created_at.desc(), api_keys.c.pk.desc())
    )
    if organisation is not None:
        owner = find_organisation(connection, organisation)
        statement = statement.where(api_keys.c.organisation == owner)
    return [_info(row) for row in connection.execute(statement)]


def revoke(connection: Connection, prefix: str) -> None:
    """Revoke a key; doing so twice changes nothing."""
    statement = select(api_keys.c.revoked_at).where(api_keys.c.prefix == prefix)
    key = connection.execute(statement).one_or_none()
    if key is None:
        raise InvalidValue(
            f"There is no key {keys.prefix(prefix)!r}.",
            advice="Name it by its prefix, as the list of keys shows it.",
        )
    if key.revoked_at is None:
        change = update(api_keys).where(api_keys.c.prefix == prefix)
        connection.execute(change.values(revoked_at=_now()))


def record_use(connection: Connection, key: int) -> None:
    """Record that the key of this row was used now."""
    change = update(api_keys).where(api_keys.c.pk == key)
    connection.execute(change.values(last_used_at=_now()))


def _info(row: Any) -> KeyInfo:
    expires, revoked, used = (
        None if milliseconds is None else _instant(milliseconds)
        for milliseconds in (row.expires_at, row.revoked_at, row.last_used_at)
    )
    created, scopes = _instant(row.created_at), tuple(row.scopes.split())
    return KeyInfo(row.prefix, row.owner, row.name, scopes, created, expires, revoked, used)


def _now() -> int:
    return time.time_ns() // 1_000_000


def _instant(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
