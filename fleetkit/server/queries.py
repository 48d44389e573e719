"""The SQL statements of the store, each built once.

A page of flights is one range of one index of ``flight_equipment``, and then the documents of
those few flights; the database never sorts, and skips to a late page inside the index.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sqlalchemy as sa

from fleetkit.server import database as db

__all__ = [
    "DETACH",
    "FOLLOW",
    "KEY",
    "PAIR",
    "TABLES",
    "UNLISTED",
    "flight_statements",
    "has_id",
    "list_statements",
    "record_statement",
]

TABLES = {
    "equipment": db.equipment,
    "flights": db.flights,
    "projects": db.projects,
    "services": db.services,
}
# The columns of a flight whose values the bridge copies.
_COPIED = {name: db.flights.c[name] for name in ("flight_date", "duration", "flight_type")}


def _is_owned(table: sa.Table) -> sa.ColumnElement[bool]:
    return table.c.organisation == sa.bindparam("owner")


def has_id(table: sa.Table, parameter: str = "identifier") -> sa.ColumnElement[bool]:
    """Return the condition for one record of an organisation, by the parameter with its id."""
    return sa.and_(_is_owned(table), table.c.id == sa.bindparam(parameter))


def _row_of(table: sa.Table, parameter: str) -> sa.ScalarSelect[int]:
    return sa.select(table.c.pk).where(has_id(table, parameter)).scalar_subquery()


KEY = sa.select(db.api_keys).where(db.api_keys.c.prefix == sa.bindparam("prefix"))
_bridge = db.flight_equipment
PAIR = sa.select(db.equipment.c.pk, db.flights.c.pk, *_COPIED.values()).where(
    has_id(db.equipment, "equipment_id"),
    db.flights.c.organisation == db.equipment.c.organisation,
    db.flights.c.id == sa.bindparam("flight_id"),
)
DETACH = sa.delete(_bridge).where(
    _bridge.c.flight == _row_of(db.flights, "flight_id"),
    _bridge.c.equipment == _row_of(db.equipment, "equipment_id"),
)
# Number of flights that no list has.
UNLISTED = (
    sa.select(sa.func.count())
    .select_from(db.flights)
    .where(
        _is_owned(db.flights),
        ~sa.select(_bridge.c.flight).where(_bridge.c.flight == db.flights.c.pk).exists(),
    )
)
# Updates the copies of a changed flight.
FOLLOW = (
    sa.update(_bridge)
    .where(
        _bridge.c.flight == _row_of(db.flights, "flight_id"),
        db.flights.c.pk == _bridge.c.flight,
    )
    .values(_COPIED)
)


@cache
def record_statement(name: str) -> sa.Select[Any]:
    """Return the statement for one record, with the members that only the by-id answer has."""
    table = TABLES[name]
    detail = table.c.detail if name == "projects" else sa.bindparam("detail", "{}").label("detail")
    return sa.select(table.c.document, detail).where(has_id(table))


@cache
def list_statements(
    name: str, order: str, by_status: bool
) -> tuple[sa.Select[Any], sa.Select[Any]]:
    """Return the statements for the number of records in a list, and for a page of them."""
    table = TABLES[name]
    conditions = [_is_owned(table)]
    if by_status:
        conditions.append(table.c.status == sa.bindparam("status"))
    count = sa.select(sa.func.count()).select_from(table).where(*conditions)
    rows = sa.select(table.c.document).where(*conditions).order_by(*_order(table, order))
    return count, rows.limit(sa.bindparam("limit")).offset(sa.bindparam("offset"))


def _order(table: sa.Table, order: str) -> list[sa.ColumnElement[Any]]:
    if order == "usual" and table is db.services:
        return [table.c.display_order, table.c.pk]
    newest_first: list[sa.ColumnElement[Any]] = [table.c.created_at.desc(), table.c.pk.desc()]
    orders: dict[str, list[sa.ColumnElement[Any]]] = {
        "usual": newest_first,
        "created_desc": newest_first,
        "created_asc": [table.c.created_at, table.c.pk],
        "name": [table.c.name, table.c.pk],
        "id": [table.c.id],
    }
    return orders[order]


@cache
def flight_statements(order: str, by_type: bool) -> tuple[sa.Select[Any], sa.Select[Any]]:
    """Return statements for a piece of equipment with its flight count, and a page of flights."""
    conditions = [
        _bridge.c.flight_date >= sa.bindparam("since"),
        _bridge.c.flight_date < sa.bindparam("until"),
    ]
    if by_type:
        conditions.append(_bridge.c.flight_type == sa.bindparam("flight_type"))
    sorted_by, direction = order.split("_")
    sort_key = _bridge.c.flight_date if sorted_by == "date" else _bridge.c.duration
    page = (
        sa.select(_bridge.c.flight, sort_key.label("sort_key"))
        .where(_bridge.c.equipment == sa.bindparam("equipment"), *conditions)
        .order_by(*_directed(direction, sort_key, _bridge.c.flight))
        .limit(sa.bindparam("limit"))
        .offset(sa.bindparam("offset"))
        .subquery()
    )
    rows = (
        sa.select(db.flights.c.document)
        .join_from(page, db.flights, db.flights.c.pk == page.c.flight)
        .order_by(*_directed(direction, page.c.sort_key, page.c.flight))
    )
    total = (
        sa.select(sa.func.count())
        .select_from(_bridge)
        .where(_bridge.c.equipment == db.equipment.c.pk, *conditions)
        .scalar_subquery()
    )
    count = sa.select(db.equipment.c.pk, total.label("total")).where(has_id(db.equipment))
    return count, rows


def _directed(direction: str, *columns: sa.ColumnElement[Any]) -> list[sa.ColumnElement[Any]]:
    return [column.desc() if direction == "desc" else column for column in columns]
