"""The database and its organisations with their API keys: created, listed, revoked."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, shortened_list, worded
from fleetkit.schema import SCOPES
from fleetkit.server import keys
from fleetkit.server.database import (
    api_keys,
    errors_explained,
    open_engine,
    organisations,
    shown_address,
)

__all__ = ["KeyInfo", "Organisation", "Registry", "add_organisation", "find_organisation"]


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


class Registry:
    """One database, and the organisations and keys in it.

    Parameters
    ----------
    url : str
        ``sqlite:///fleet.db``, ``postgresql+psycopg://user@host/name``, or ``sqlite://`` for a
        database in memory that ends with this object, and whose readers wait for writers.
    mode : int, optional
        Permissions of SQLite's file; default: a new file is readable by its owner only (0o600), and
        an existing one is unchanged.

    Raises
    ------
    InvalidValue
        The database can't be opened.
    """

    def __init__(self, url: str = "sqlite://", mode: int | None = None) -> None:
        self.url = url
        self.engine = open_engine(url, mode)
        self.local = self.engine.dialect.name == "sqlite"
        self.in_memory = self.engine.url.query.get("vfs") == "memdb"
        # A database in memory lives as long as a connection to it.
        self._anchor = self.engine.raw_connection() if self.in_memory else None

    def __repr__(self) -> str:
        if "engine" not in vars(self):  # as in a traceback with variables, of a wrong address
            return f"{type(self).__name__}(…)"
        return f"{type(self).__name__}({shown_address(self.engine.url)!r})"

    def close(self) -> None:
        """Close all connections to the database."""
        if self._anchor is not None:
            self._anchor.close()
        self.engine.dispose()

    @contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        with errors_explained("The database can't be read"), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with errors_explained("The database can't be written", consequence="Nothing was changed."):
            connection = self.engine.connect().execution_options(writes=True)
            with connection, connection.begin():
                yield connection

    def create_organisation(self, name: str) -> str:
        """Create an organisation and return its id.

        Raises
        ------
        InvalidValue
            An empty name, or one that another organisation has.
        """
        with self._writing() as connection:
            return add_organisation(connection, name)

    def organisations(self) -> list[Organisation]:
        """Return all organisations by name."""
        with self._connected() as connection:
            rows = connection.execute(sa.select(organisations).order_by(organisations.c.name))
            return [Organisation(row.id, row.name, _instant(row.created_at)) for row in rows]

    def create_key(
        self,
        organisation: str,
        *,
        name: str,
        scopes: Iterable[str] = SCOPES,
        expires: datetime | None = None,
    ) -> str:
        """Create an API key and return it: it can't be shown again.

        Parameters
        ----------
        organisation : str
            Id or name of the organisation whose records the key reads.
        name : str
            The name of the key in lists.
        scopes : iterable of str
            Some of ``schema.SCOPES`` (reference, rule 5.6).
        expires : datetime, optional
            When the key stops working, with a time zone.

        Raises
        ------
        InvalidValue
            An unknown organisation or scope, no scope, or an expiry without a time zone.
        """
        scopes = tuple(dict.fromkeys(scopes))
        unknown = [scope for scope in scopes if scope not in SCOPES]
        if unknown or not scopes:
            raise InvalidValue(
                f"There is no scope {brief(unknown[0])}." if unknown else "A key needs a scope.",
                advice=f"Scopes are: {', '.join(SCOPES)}.",
            )
        if expires is not None and expires.tzinfo is None:
            raise InvalidValue(f"The expiry {expires} has no time zone.", advice="Give it one.")
        key, salt = keys.create_key(), secrets.token_bytes(16)
        row = {
            "prefix": keys.prefix(key),
            "name": name,
            "scopes": " ".join(scopes),
            "salt": salt,
            "digest": keys.digest(key, salt),
            "created_at": _now(),
            "expires_at": None if expires is None else round(expires.timestamp() * 1000),
        }
        with self._writing() as connection:
            owner = find_organisation(connection, organisation)
            connection.execute(sa.insert(api_keys), {"organisation": owner, **row})
        return key

    def keys(self, organisation: str | None = None) -> list[KeyInfo]:
        """Return all keys or those of one organisation, newest first, without their values."""
        statement = (
            sa.select(api_keys, organisations.c.name.label("owner"))
            .join(organisations, organisations.c.pk == api_keys.c.organisation)
            .order_by(api_keys.c.created_at.desc(), api_keys.c.pk.desc())
        )
        with self._connected() as connection:
            if organisation is not None:
                owner = find_organisation(connection, organisation)
                statement = statement.where(api_keys.c.organisation == owner)
            return [
                KeyInfo(
                    row.prefix,
                    row.owner,
                    row.name,
                    tuple(row.scopes.split()),
                    _instant(row.created_at),
                    _instant(row.expires_at),
                    _instant(row.revoked_at),
                    _instant(row.last_used_at),
                )
                for row in connection.execute(statement)
            ]

    def revoke_key(self, prefix: str) -> None:
        """Revoke a key, at once and for good; doing so twice changes nothing.

        Parameters
        ----------
        prefix : str
            The first characters of the key, as `keys` returns them.

        Raises
        ------
        InvalidValue
            No key has this prefix.
        """
        is_key = api_keys.c.prefix == prefix
        revoked_at = sa.func.coalesce(api_keys.c.revoked_at, _now())
        with self._writing() as connection:
            change = connection.execute(
                sa.update(api_keys).where(is_key).values(revoked_at=revoked_at)
            )
        if not change.rowcount:
            raise InvalidValue(
                f"There is no key {brief(keys.prefix(prefix))}.",
                advice="Name it by its prefix, as the list of keys shows it.",
            )

    def record_use(self, key: int) -> None:
        """Record that the key of this row was used now."""
        with self._writing() as connection:
            change = sa.update(api_keys).where(api_keys.c.pk == key)
            connection.execute(change.values(last_used_at=_now()))


def add_organisation(connection: sa.Connection, name: str) -> str:
    """Insert an organisation and return its id; errors as `Registry.create_organisation`."""
    if not name.strip():
        raise InvalidValue("An organisation needs a name.")
    same = sa.select(organisations.c.pk).where(organisations.c.name == name)
    if connection.execute(same).first() is not None:
        raise InvalidValue(f"There is an organisation named {brief(name)} already.")
    identifier = f"org_{secrets.token_hex(8)}"
    row = {"id": identifier, "name": name, "created_at": _now()}
    connection.execute(sa.insert(organisations), row)
    return identifier


def find_organisation(connection: sa.Connection, organisation: str, *, lock: bool = False) -> int:
    """Return the row of an organisation, given its id or its name.

    With `lock`, other writers of the organisation wait until the transaction ends.
    """
    is_named = sa.or_(organisations.c.id == organisation, organisations.c.name == organisation)
    statement = sa.select(organisations.c.pk).where(is_named)
    row = connection.execute(statement.with_for_update() if lock else statement).scalar()
    if row is None:
        names = connection.scalars(sa.select(organisations.c.name).order_by(organisations.c.name))
        known = shortened_list(map(brief, names))
        # Without the beginning of the command, which may name a database.
        create = worded(
            python="store.create_organisation(name)", command_line="the command orgs create NAME"
        )
        advice = f"There are: {known}." if known else f"There is none yet; {create} makes one."
        raise InvalidValue(f"There is no organisation {brief(organisation)}.", advice=advice)
    return int(row)


def _now() -> int:
    return time.time_ns() // 1_000_000


def _instant(milliseconds: int | None) -> Any:
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)
