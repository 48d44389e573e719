"""Writing and deleting the records of one organisation, within one transaction."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from fleetkit.server import database as db
from fleetkit.server.queries import DETACH, FOLLOW, PAIR, TABLES, has_id
from fleetkit.server.rows import ROWS, Record, Row

__all__ = ["Writer"]

# Both databases have the same upsert, under different names.
_UPSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class Writer:
    """Writes the records of one organisation; `Store.writing` creates it.

    Parameters
    ----------
    connection : Connection
        In a transaction that the caller ends.
    owner : int
        The organisation's row.
    """

    BATCH = 5_000

    def __init__(self, connection: sa.Connection, owner: int) -> None:
        self._connection = connection
        self._owner = owner
        self._upsert = _UPSERT[connection.dialect.name]

    def put(self, name: str, records: Iterable[Record]) -> None:
        """Insert or update records of one of ``queries.TABLES``.

        The bridge has copies of a flight's values, which change with the flight.
        """
        table, to_row = TABLES[name], ROWS[name]
        columns = [column.name for column in table.c if column.name != "pk"]
        keys = ["organisation", "id"]
        statement = self._upsert(table).values({name: sa.bindparam(name) for name in columns})
        statement = statement.on_conflict_do_update(
            index_elements=keys,
            set_={name: statement.excluded[name] for name in columns if name not in keys},
        )
        may_have_copies = name == "flights" and self._has_flights()
        for batch in _batches(records):
            self._many(statement, [to_row(record, self._owner) for record in batch])
            if may_have_copies:
                ids = [{"owner": self._owner, "flight_id": record["id"]} for record in batch]
                self._many(FOLLOW, ids)

    def _has_flights(self) -> bool:
        rows = sa.select(db.flights.c.pk).where(db.flights.c.organisation == self._owner).limit(1)
        return self._connection.execute(rows).first() is not None

    def attach(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Add pairs of flight id and equipment id to the bridge.

        Returns
        -------
        list of (str, str)
            Pairs that name an unknown flight or piece of equipment.
        """
        statement = self._upsert(db.flight_equipment).from_select(
            [column.name for column in db.flight_equipment.c], PAIR
        )
        statement = statement.on_conflict_do_update(
            index_elements=["flight", "equipment"],
            set_={"flight_date": statement.excluded.flight_date},
        )
        unknown: list[tuple[str, str]] = []
        for batch in _batches(pairs):
            rows = self._pairs(batch)
            if self._many(statement, rows) != len(rows):
                matches = (self._connection.execute(PAIR, row).first() for row in rows)
                unknown += [
                    pair for pair, match in zip(batch, matches, strict=True) if match is None
                ]
        return unknown

    def detach(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Remove pairs of flight id and equipment id from the bridge."""
        for batch in _batches(pairs):
            self._many(DETACH, self._pairs(batch))

    def remove(self, name: str, identifiers: Iterable[str]) -> None:
        """Delete records by id."""
        statement = sa.delete(TABLES[name]).where(has_id(TABLES[name]))
        for batch in _batches(identifiers):
            rows = [{"owner": self._owner, "identifier": identifier} for identifier in batch]
            self._many(statement, rows)

    def _many(self, statement: sa.ClauseElement, rows: list[Row]) -> int:
        # The rows go to the driver directly: none of them needs SQLAlchemy's conversions, which
        # would take longer than the database does.
        text = str(statement.compile(dialect=self._connection.dialect))
        return self._connection.exec_driver_sql(text, rows).rowcount

    def _pairs(self, pairs: Iterable[tuple[str, str]]) -> list[Row]:
        return [
            {"owner": self._owner, "flight_id": flight, "equipment_id": equipment}
            for flight, equipment in pairs
        ]


def _batches(items: Iterable[Any]) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(itertools.islice(iterator, Writer.BATCH)):
        yield batch
