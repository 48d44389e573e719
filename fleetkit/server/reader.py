"""What a request reads: the key, then a record or a page, all from one state of the database.

The statements are few and short: one indexed read for the key, one for the equipment and its
number of flights, one range of an index for a page.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select

from fleetkit.server import keys
from fleetkit.server.queries import KEY, flight_statements, list_statements, record_statement
from fleetkit.server.rows import UNDATED

__all__ = ["EVERYTHING", "Access", "FlightQuery", "Page", "Reader"]

# The range of a list that is not paginated.
EVERYTHING = {"limit": 2**31, "offset": 0}


@dataclass(frozen=True)
class Access:
    """What a valid key gives access to.

    Parameters
    ----------
    key : int
        The key's row.
    organisation : int
        The row of the organisation whose records it reads.
    scopes : frozenset of str
    expires_at : int or None
        Milliseconds since 1970, UTC. [ms]
    """

    key: int
    organisation: int
    scopes: frozenset[str]
    expires_at: int | None

    @property
    def is_expired(self) -> bool:
        """Whether the key has expired."""
        return self.expires_at is not None and self.expires_at <= time.time() * 1000


class FlightQuery(NamedTuple):
    """Which flights, in which order; instants in milliseconds, ``since <= flight < until``."""

    since: int = UNDATED
    until: int = 2**62
    flight_type: str | None = None
    order: str = "date_desc"


@dataclass(frozen=True)
class Page:
    """Some records of a list as JSON texts, and the number of records in the whole list."""

    total: int
    documents: Sequence[str]


class Reader:
    """Reads through one connection; `Store.reading` creates it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def authenticate(self, key: str) -> Access | None:
        """Return the access of a key, or None for a key that is unknown or revoked."""
        if not keys.is_key(key):
            return None
        row = self.connection.execute(KEY, {"prefix": keys.prefix(key)}).one_or_none()
        salt, digest = (b"", b"") if row is None else (row.salt, row.digest)
        if not keys.matches(key, salt, digest) or row is None or row.revoked_at is not None:
            return None
        return Access(row.pk, row.organisation, frozenset(row.scopes.split()), row.expires_at)

    def page(
        self,
        name: str,
        organisation: int,
        *,
        page: int,
        limit: int,
        order: str = "usual",
        status: str | None = None,
    ) -> Page:
        """Return one page of equipment or projects, empty past the end.

        Parameters
        ----------
        name : {"equipment", "projects"}
        organisation : int
            The row that `authenticate` returned.
        page, limit : int
            1-indexed page, records per page.
        order : str
            One of the settings of the dial ``list_order``.
        status : str, optional
            Only projects with this status.
        """
        values = {"owner": organisation, "status": status, **_range(page, limit)}
        count, rows = list_statements(name, order, status is not None)
        total = self.connection.execute(count, values).scalar_one()
        return self._page((name, organisation, status), total, rows, values)

    def services(self, organisation: int, order: str = "usual") -> Page:
        """Return all services, with their tiers."""
        _, rows = list_statements("services", order, False)
        values = {"owner": organisation, **EVERYTHING}
        documents = self.connection.execute(rows, values).scalars().all()
        return Page(len(documents), documents)

    def flights(
        self, organisation: int, equipment: str, query: FlightQuery, *, page: int, limit: int
    ) -> Page | None:
        """Return one page of the flights of a piece of equipment; None where it is unknown."""
        count, rows = flight_statements(query.order, query.flight_type is not None)
        values = {"owner": organisation, "identifier": equipment, **query._asdict()}
        piece = self.connection.execute(count, values).one_or_none()
        if piece is None:
            return None
        values |= {"equipment": piece.pk, **_range(page, limit)}
        return self._page(("flights", organisation, equipment, query), piece.total, rows, values)

    def record(self, name: str, organisation: int, identifier: str) -> tuple[str, str] | None:
        """Return a record and the extra fields of its by-id answer as JSON; None if unknown."""
        values = {"owner": organisation, "identifier": identifier}
        row = self.connection.execute(record_statement(name), values).one_or_none()
        return None if row is None else (row.document, row.detail)

    def _page(
        self, key: tuple[Hashable, ...], total: int, rows: Select[Any], values: dict[str, Any]
    ) -> Page:
        """Return one page of the list that `key` identifies, given its statement and its total."""
        if values["offset"] >= total:
            return Page(total, ())
        return Page(total, self.connection.execute(rows, values).scalars().all())


def _range(page: int, limit: int) -> dict[str, int]:
    return {"limit": limit, "offset": (page - 1) * limit}
