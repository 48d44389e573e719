"""The store: one database with organisations, their keys and their records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from fleetkit.errors import DataError
from fleetkit.server.queries import UNLISTED
from fleetkit.server.reader import Reader
from fleetkit.server.registry import Registry, add_organisation, find_organisation
from fleetkit.server.rows import Record
from fleetkit.server.writer import Writer

__all__ = ["Store"]


class Store(Registry):
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

    def load(
        self,
        organisation: str,
        *,
        is_new: bool = False,
        equipment: Iterable[Record] = (),
        flights: Iterable[Record] = (),
        flight_equipment: Iterable[tuple[str, str]] = (),
        projects: Iterable[Record] = (),
        services: Iterable[Record] = (),
    ) -> None:
        """Write records to an organisation, all or none; one of a known id is replaced.

        Parameters
        ----------
        organisation : str
            The organisation's id or name.
        is_new : bool
            Create the organisation of that name first; where the records can't be written, there
            is none.
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
        InvalidValue
            There is no such organisation, or, where it is new, there is one.
        """
        with self.writing(organisation, is_new=is_new) as writer:
            # Flights first: the counters of a generated fleet are derived from them.
            writer.put("flights", flights)
            writer.put("equipment", equipment)
            unknown = writer.attach(flight_equipment)
            if unknown:
                pair = ", ".join(unknown[0])
                missing = "an unknown flight or piece of equipment"
                raise DataError(f"flight_equipment ({pair}) names {missing}.")
            writer.put("projects", projects)
            writer.put("services", services)

    @contextmanager
    def writing(self, organisation: str, *, is_new: bool = False) -> Iterator[Writer]:
        """Open a writer of one organisation, in a transaction that ends with the block."""
        with self._writing() as connection:
            if is_new:
                add_organisation(connection, organisation)
            yield Writer(connection, find_organisation(connection, organisation, lock=True))

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
            owner = find_organisation(connection, organisation)
            return int(connection.execute(UNLISTED, {"owner": owner}).scalar_one())

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Open a reader, which reads from one state of the database."""
        with self.engine.connect() as connection:
            if not self.local:  # any transaction of SQLite sees one state
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield Reader(connection)
