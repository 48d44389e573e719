"""The store: organisations, their keys and their records in one database."""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from fleetkit.errors import DataError, InvalidValue
from fleetkit.schema import SCOPES
from fleetkit.server import database as db
from fleetkit.server import keys
from fleetkit.server.queries import DETACH, FOLLOW, PAIR, TABLES
from fleetkit.server.reader import Reader
from fleetkit.server.rows import ROWS, Record, Row

__all__ = ["Store"]

_BATCH = 5_000
# Both databases know the same upsert, each under its own name; the types are SQLite's.
_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


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
        self._engine = db.open_engine(url)
        # A database in memory lives as long as a connection to it.
        self._anchor = self._engine.connect()
        self._upsert = _INSERT[self._engine.dialect.name]
        self.local = self._engine.dialect.name == "sqlite"

    def __repr__(self) -> str:
        return f"Store({self._engine.url.render_as_string(hide_password=True)!r})"

    def close(self) -> None:
        """Let go of the database."""
        self._anchor.close()
        self._engine.dispose()

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
        with self._writing() as connection:
            owner = _owner(connection, organisation)
            self._put(connection, "equipment", owner, equipment)
            self._put_flights(connection, owner, flights)
            self._attach(connection, owner, flight_equipment)
            self._put(connection, "projects", owner, projects)
            self._put(connection, "services", owner, services)

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
        given = {
            "equipment": equipment,
            "flights": flights,
            "projects": projects,
            "services": services,
        }
        with self._writing() as connection:
            owner = _owner(connection, organisation)
            for batch in _batches(flight_equipment):
                connection.execute(DETACH, _pairs(owner, batch))
            for name, identifiers in given.items():
                table = TABLES[name]
                leaving = delete(table).where(
                    table.c.organisation == owner, table.c.id == bindparam("identifier")
                )
                for ids in _batches(identifiers):
                    connection.execute(leaving, [{"identifier": each} for each in ids])

    def _put(
        self, connection: Connection, name: str, owner: int, records: Iterable[Record]
    ) -> None:
        table, to_row = TABLES[name], ROWS[name]
        statement = self._upsert(table)
        kept = {"pk", "organisation", "id"}
        statement = statement.on_conflict_do_update(
            index_elements=["organisation", "id"],
            set_={each.name: each for each in statement.excluded if each.name not in kept},
        )
        for batch in _batches(records):
            connection.execute(statement, [to_row(each, owner) for each in batch])

    def _put_flights(self, connection: Connection, owner: int, records: Iterable[Record]) -> None:
        standing = select(db.flights.c.pk).where(db.flights.c.organisation == owner).limit(1)
        update_too = connection.execute(standing).first() is not None
        for batch in _batches(records):
            self._put(connection, "flights", owner, batch)
            if update_too:
                connection.execute(
                    FOLLOW, [{"owner": owner, "flight_id": each["id"]} for each in batch]
                )

    def _attach(self, connection: Connection, owner: int, pairs: Iterable[tuple[str, str]]) -> None:
        statement = self._upsert(db.flight_equipment).from_select(
            [each.name for each in db.flight_equipment.c], PAIR
        )
        statement = statement.on_conflict_do_update(
            index_elements=["equipment", "flight"],
            set_={"flight_date": statement.excluded.flight_date},
        )
        for batch in _batches(pairs):
            if connection.execute(statement, _pairs(owner, batch)).rowcount != len(batch):
                raise DataError(_unknown_pair(connection, owner, batch))

    # -- reading ---------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Open a reader: within it, everything is read from one state of the database."""
        with self._engine.connect() as connection:
            yield Reader(connection)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        connection = self._engine.connect().execution_options(writes=True)
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


def _batches(items: Iterable[Any]) -> Iterator[list[Any]]:
    walk = iter(items)
    while batch := list(itertools.islice(walk, _BATCH)):
        yield batch


def _pairs(owner: int, pairs: Iterable[tuple[str, str]]) -> list[Row]:
    return [
        {"owner": owner, "flight_id": flight, "equipment_id": equipment}
        for flight, equipment in pairs
    ]


def _unknown_pair(connection: Connection, owner: int, batch: list[tuple[str, str]]) -> str:
    for values in _pairs(owner, batch):
        if connection.execute(PAIR, values).first() is None:
            pair = f"({values['flight_id']}, {values['equipment_id']})"
            return (
                f"flight_equipment {pair} names a flight or a piece of equipment that isn't here."
            )
    return "flight_equipment holds a pair twice."
