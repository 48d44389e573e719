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
        Who may read and write SQLite's file, as ``chmod`` has it; default: a new file is its
        owner's alone (0o600), and an existing one stays as it is.

    Raises
    ------
    InvalidValue
        The database can't be opened; the message says why.

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
        """Let go of the database."""
        if self._anchor is not None:
            self._anchor.close()
        self.engine.dispose()

    # -- organisations and keys ------------------------------------------------------------

    def create_organisation(self, name: str) -> str:
        """Make an organisation and return its id.

        Raises
        ------
        InvalidValue
            No name, or an organisation of that name stands already.
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
        """Make an API key and return it: this is the only time that it can be seen.

        Parameters
        ----------
        organisation : str
            Id or name of the organisation whose records the key reads.
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
        with self._writing() as connection:
            return registry.add_key(connection, organisation, name, scopes, expires)

    def keys(self, organisation: str | None = None) -> list[registry.KeyInfo]:
        """Return what lists show of the keys of one organisation or of all, newest first."""
        with self._connected() as connection:
            return registry.list_keys(connection, organisation)

    def revoke_key(self, prefix: str) -> None:
        """Make a key stop working, at once and for good.

        Parameters
        ----------
        prefix : str
            The start of the key, as `keys` shows it.

        Raises
        ------
        InvalidValue
            No key starts like that.
        """
        with self._writing() as connection:
            registry.revoke(connection, prefix)

    def note_use(self, key: int) -> None:
        """Write down that the key of this row was used now."""
        with self._writing() as connection:
            registry.note_use(connection, key)

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
            The organisation's id or name.
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
        with self.writing(organisation) as writer:
            # Flights first: what a generated fleet counts follows from them.
            writer.put_flights(flights)
            writer.put("equipment", equipment)
            unknown = writer.attach(flight_equipment)
            if unknown:
                pair = f"({', '.join(unknown[0])})"
                raise DataError(
                    f"flight_equipment {pair} names a flight or a piece of equipment"
                    " that isn't here."
                )
            writer.put("projects", projects)
            writer.put("services", services)

    @contextmanager
    def writing(self, organisation: str) -> Iterator[Writer]:
        """Open a writer of one organisation: all that is done within it stands, or nothing."""
        with self._writing() as connection:
            yield Writer(connection, registry.owner(connection, organisation, locked=True))

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
        with self.writing(organisation) as writer:
            writer.detach(flight_equipment)
            writer.remove("flights", flights)
            writer.remove("equipment", equipment)
            writer.remove("projects", projects)
            writer.remove("services", services)

    def unlisted_flights(self, organisation: str) -> int:
        """Return how many flights stand under no piece of equipment, so that no list has them."""
        with self._connected() as connection:
            owner = registry.owner(connection, organisation)
            return int(connection.execute(UNLISTED, {"owner": owner}).scalar_one())

    # -- reading ---------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Open a reader: within it, everything is read from one state of the database."""
        with self._connection() as connection:
            yield Reader(connection)

    def _connection(self) -> Connection:
        connection = self.engine.connect()
        if self.local:  # SQLite's transactions see one state by themselves
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
