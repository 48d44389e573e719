"""The store: one database with organisations, their keys and their records."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from fleetkit.errors import DataError, FleetkitError
from fleetkit.schema import SCOPES
from fleetkit.server import database as db
from fleetkit.server import registry
from fleetkit.server.queries import UNLISTED
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
        database in memory that ends with the store, and whose readers wait for writers.
    mode : int, optional
        Permissions of SQLite's file; default: a new file is readable by its owner only (0o600), and
        an existing one is unchanged.

    Raises
    ------
    InvalidValue
        The database can't be opened.

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

    def __init__(self, url: str = "sqlite://", mode: int | None = None) -> None:
        self.url = url
        self.engine = db.open_engine(url, mode)
        self.local = self.engine.dialect.name == "sqlite"
        self.in_memory = self.engine.url.query.get("vfs") == "memdb"
        # A database in memory lives as long as a connection to it.
        self._anchor = self.engine.raw_connection() if self.in_memory else None

    def __repr__(self) -> str:
        return f"Store({self.engine.url.render_as_string(hide_password=True)!r})"

    def close(self) -> None:
        """Close all connections to the database."""
        if self._anchor is not None:
            self._anchor.close()
        self.engine.dispose()

    # -- organisations and keys ------------------------------------------------------------

    def create_organisation(self, name: str) -> str:
        """Create an organisation and return its id.

        Raises
        ------
        InvalidValue
            An empty name, or one that another organisation has.
        """
        with self._writing() as connection:
            return registry.add_organisation(connection, name)

    def organisations(self) -> list[registry.Organisation]:
        """Return all organisations by name."""
        with self._connected() as connection:
            return registry.list_organisations(connection)

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
        with self._writing() as connection:
            return registry.add_key(connection, organisation, name, scopes, expires)

    def keys(self, organisation: str | None = None) -> list[registry.KeyInfo]:
        """Return all keys or those of one organisation, newest first, without their values."""
        with self._connected() as connection:
            return registry.list_keys(connection, organisation)

    def revoke_key(self, prefix: str) -> None:
        """Revoke a key, at once and for good.

        Parameters
        ----------
        prefix : str
            The first characters of the key, as `keys` returns them.

        Raises
        ------
        InvalidValue
            No key has this prefix.
        """
        with self._writing() as connection:
            registry.revoke(connection, prefix)

    def record_use(self, key: int) -> None:
        """Record that the key of this row was used now."""
        with self._writing() as connection:
            registry.record_use(connection, key)

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
        """Write records to an organisation, all or none; a known id is updated.

        Parameters
        ----------
        organisation : str
            The organisation's id or name.
        equipment, flights, projects, services : iterable of mapping
            Records with the reference's field names; projects with the detail fields, services
            with their tiers. They are served unchanged.
        flight_equipment : iterable of (str, str)
            Pairs of flight id and equipment id: which equipment was on which flight.

        Raises
        ------
        DataError
            A record without a valid id or with an invalid timestamp, or a pair that names an
            unknown flight or piece of equipment.
        """
        with self.writing(organisation) as writer:
            # Flights first: the counters of a generated fleet are derived from them.
            writer.put_flights(flights)
            writer.put("equipment", equipment)
            unknown = writer.attach(flight_equipment)
            if unknown:
                pair = f"({', '.join(unknown[0])})"
                raise DataError(
                    f"flight_equipment {pair} names an unknown flight or piece of equipment."
                )
            writer.put("projects", projects)
            writer.put("services", services)

    @contextmanager
    def writing(self, organisation: str) -> Iterator[Writer]:
        """Open a writer of one organisation, in a transaction that ends with the block."""
        with self._writing() as connection:
            yield Writer(
                connection, registry.find_organisation(connection, organisation, lock=True)
            )

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
        """Delete records of an organisation by id; unknown ids are ignored.

        Flights without equipment remain, but no list shows them.
        """
        with self.writing(organisation) as writer:
            writer.detach(flight_equipment)
            writer.remove("flights", flights)
            writer.remove("equipment", equipment)
            writer.remove("projects", projects)
            writer.remove("services", services)

    def unlisted_flights(self, organisation: str) -> int:
        """Return the number of flights without equipment, which no list shows."""
        with self._connected() as connection:
            owner = registry.find_organisation(connection, organisation)
            return int(connection.execute(UNLISTED, {"owner": owner}).scalar_one())

    # -- reading ---------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Open a reader, which reads from one state of the database."""
        with self._connection() as connection:
            yield Reader(connection)

    def _connection(self) -> Connection:
        connection = self.engine.connect()
        if self.local:  # SQLite's transactions see one state
            return connection
        return connection.execution_options(isolation_level="REPEATABLE READ")

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        try:
            with self.engine.connect() as connection:
                yield connection
        except (DBAPIError, sqlite3.Error) as problem:
            raise FleetkitError(
                f"The database can't be read: {db.reason(problem)}.", advice=db.advice(problem)
            ) from problem

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        # SQLite's own error comes from the start of a transaction, which SQLAlchemy doesn't see.
        try:
            connection = self.engine.connect().execution_options(writes=True)
            with connection, connection.begin():
                yield connection
        except (DBAPIError, sqlite3.Error) as problem:
            raise FleetkitError(
                f"The database can't be written: {db.reason(problem)}. Nothing was changed.",
                advice=db.advice(problem),
            ) from problem
