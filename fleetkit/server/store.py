"""The store: organisations, their keys and their records in one database."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from fleetkit.errors import InvalidValue
from fleetkit.schema import SCOPES
from fleetkit.server import database as db
from fleetkit.server import keys
from fleetkit.server.reader import Reader
from fleetkit.server.rows import Record
from fleetkit.server.writer import Writer

__all__ = ["Store"]


class Store:
    """Organisations, keys and records in one database.

    Safe to use from several threads, and from several processes on one database.

    Parameters
    ----------
    url : str
        ``sqlite:///fleet.db``, ``postgresql+psycopg://user@host/name``, or ``sqlite://`` for a
        database in memory that ends with the store.

    Examples
    --------
    >>> store = Store("sqlite://")
    >>> org = store.create_organisation("Nordic Drone Services")
    >>> store.load(org, equipment=[{"id": "eq_1", "name": "Kestrel"}])
    >>> key = store.create_key(org, name="example")
    >>> with store.reading() as reader:
    ...     access = reader.authenticate(key)
    ...     reader.page("equipment", access.organisation, page=1, limit=20)
    Page(total=1, documents=['{"id":"eq_1","name":"Kestrel"}'])
    """

    def __init__(self, url: str = "sqlite://") -> None:
        self.url = url
        self.engine = db.open_engine(url)
        # A database in memory lives as long as a connection to it.
        self._anchor = self.engine.connect()
        self.local = self.engine.dialect.name == "sqlite"
        self.in_memory = self.engine.url.query.get("vfs") == "memdb"

    def __repr__(self) -> str:
        return f"Store({self.engine.url.render_as_string(hide_password=True)!r})"

    def close(self) -> None:
        """Let go of the database."""
        self._anchor.close()
        self.engine.dispose()

    # -- organisations and keys ------------------------------------------------------------

    def create_organisation(self, name: str) -> str:
        """Make an organisation and return its id.

        Raises
        ------
        InvalidValue
            An organisation of that name stands already.
        """
        identifier = f"org_{secrets.token_hex(8)}"
        row = {"id": identifier, "name": name, "created_at": _now()}
        try:
            with self._writing() as connection:
                connection.execute(insert(db.organisations), row)
        except IntegrityError:
            raise InvalidValue(f"There is an organisation named {name!r} already.") from None
        return identifier

    def create_key(
        self,
        organisation: str,
        *,
        name: str,
        scopes: Iterable[str] = SCOPES,
        expires: datetime | None = None,
    ) -> str:
        """Make an API key and return it: this is the only time that it can be seen.

        Parameters
        ----------
        organisation : str
            Id of the organisation whose records the key reads.
        name : str
            What the key is called in lists.
        scopes : iterable of str
            Some of ``schema.SCOPES`` (reference, rule 5.6).
        expires : datetime, optional
            Aware; the key stops working then.

        Raises
        ------
        InvalidValue
            An unknown organisation or scope, no scope, or an expiry without a time zone.
        """
        wanted = tuple(scopes)
        unknown = [each for each in wanted if each not in SCOPES]
        if unknown or not wanted:
            raise InvalidValue(
                f"Scopes {unknown} are unknown." if unknown else "A key needs a scope.",
                advice=f"Scopes are: {', '.join(SCOPES)}.",
            )
        if expires is not None and expires.tzinfo is None:
            raise InvalidValue(f"The expiry {expires} has no time zone.", advice="Give one.")
        key, salt = keys.make(), keys.salt()
        with self._writing() as connection:
            row = {
                "organisation": _owner(connection, organisation),
                "prefix": keys.prefix(key),
                "name": name,
                "scopes": " ".join(wanted),
                "salt": salt,
                "digest": keys.digest(key, salt),
                "created_at": _now(),
                "expires_at": None if expires is None else round(expires.timestamp() * 1000),
            }
            connection.execute(insert(db.api_keys), row)
        return key

    # -- writing records -------------------------------------------------------------------

    def load(
        self,
        organisation: str,
        *,
        equipment: Iterable[Record] = (),
        flights: Iterable[Record] = (),
        flight_equipment: Iterable[tuple[str, str]] = (),
        projects: Iterable[Record] = (),
        services: Iterable[Record] = (),
    ) -> None:
        """Put records into an organisation, all or nothing; a known id is updated.

        Parameters
        ----------
        organisation : str
            The organisation's id.
        equipment, flights, projects, services : iterable of mapping
            Records with the reference's field names; projects with the detail fields, services
            with their tiers. They are served as they are given.
        flight_equipment : iterable of (str, str)
            Flight id and equipment id: which flights stand under which equipment.

        Raises
        ------
        DataError
            A record without a usable id or with a timestamp that is none, or a pair that names
            an unknown flight or piece of equipment.
        """
        with self._writing_to(organisation) as writer:
            # Flights first: what a generated fleet counts follows from them.
            writer.put_flights(flights)
            writer.put("equipment", equipment)
            writer.attach(flight_equipment)
            writer.put("projects", projects)
            writer.put("services", services)

    def remove(
        self,
        organisation: str,
        *,
        equipment: Iterable[str] = (),
        flights: Iterable[str] = (),
        flight_equipment: Iterable[tuple[str, str]] = (),
        projects: Iterable[str] = (),
        services: Iterable[str] = (),
    ) -> None:
        """Take records out of an organisation, by id; ids that it doesn't have are passed over.

        Flights that lose their last piece of equipment stay, but no list shows them any more.
        """
        with self._writing_to(organisation) as writer:
            writer.detach(flight_equipment)
            writer.remove("flights", flights)
            writer.remove("equipment", equipment)
            writer.remove("projects", projects)
            writer.remove("services", services)

    # -- reading ---------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Open a reader: within it, everything is read from one state of the database."""
        with self.engine.connect() as connection:
            yield Reader(connection)

    @contextmanager
    def _writing_to(self, organisation: str) -> Iterator[Writer]:
        with self._writing() as connection:
            yield Writer(connection, _owner(connection, organisation))

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        connection = self.engine.connect().execution_options(writes=True)
        with connection, connection.begin():
            yield connection


def _now() -> int:
    return time.time_ns() // 1_000_000


def _owner(connection: Connection, organisation: str) -> int:
    found = connection.execute(
        select(db.organisations.c.pk).where(db.organisations.c.id == organisation)
    ).scalar_one_or_none()
    if found is None:
        raise InvalidValue(f"There is no organisation {organisation!r}.")
    return int(found)
