"""The SQL statements of the store, built once.

A page of flights is one range of one index of ``flight_equipment``, and then the documents of
those few flights; the database never sorts, and skips to a late page inside the index.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, Table, bindparam, delete, func, select, update

from fleetkit.server import database as db

__all__ = [
    "DETACH",
    "FLIGHTS",
    "FOLLOW",
    "KEY",
    "LISTS",
    "ORDERS",
    "PAIR",
    "RECORD",
    "TABLES",
    "UNLISTED",
]

TABLES = {
    "equipment": db.equipment,
    "flights": db.flights,
    "projects": db.projects,
    "services": db.services,
}

KEY = select(db.api_keys).where(db.api_keys.c.prefix == bindparam("prefix"))
PAIR = select(
    db.equipment.c.pk,
    db.flights.c.pk,
    db.flights.c.flight_date,
    db.flights.c.duration,
    db.flights.c.flight_type,
).where(
    db.equipment.c.organisation == bindparam("owner"),
    db.equipment.c.id == bindparam("equipment_id"),
    db.flights.c.organisation == db.equipment.c.organisation,
    db.flights.c.id == bindparam("flight_id"),
)
_FLIGHT_PK = (
    select(db.flights.c.pk)
    .where(
        db.flights.c.organisation == bindparam("owner"), db.flights.c.id == bindparam("flight_id")
    )
    .scalar_subquery()
)
DETACH = delete(db.flight_equipment).where(
    db.flight_equipment.c.flight == _FLIGHT_PK,
    db.flight_equipment.c.equipment
    == select(db.equipment.c.pk)
    .where(
        db.equipment.c.organisation == bindparam("owner"),
        db.equipment.c.id == bindparam("equipment_id"),
    )
    .scalar_subquery(),
)
# Number of flights that no list has.
UNLISTED = (
    select(func.count())
    .select_from(db.flights)
    .where(
        db.flights.c.organisation == bindparam("owner"),
        ~select(db.flight_equipment.c.flight)
        .where(db.flight_equipment.c.flight == db.flights.c.pk)
        .exists(),
    )
)
# Updates the copies of three values of a changed flight.
FOLLOW = (
    update(db.flight_equipment)
    .where(
        db.flight_equipment.c.flight == _FLIGHT_PK,
        db.flights.c.pk == db.flight_equipment.c.flight,
    )
    .values(
        flight_date=db.flights.c.flight_date,
        duration=db.flights.c.duration,
        flight_type=db.flights.c.flight_type,
    )
)
ORDERS = ("usual", "created_desc", "created_asc", "name", "id")


def _order(table: Table, order: str) -> list[Any]:
    if order == "usual" and table is db.services:
        return [table.c.display_order, table.c.pk]
    return {
        "created_asc": [table.c.created_at, table.c.pk],
        "name": [table.c.name, table.c.pk],
        "id": [table.c.id],
    }.get(order, [table.c.created_at.desc(), table.c.pk.desc()])


def _list(name: str, order: str, by_status: bool) -> tuple[Select[Any], Select[Any]]:
    table = TABLES[name]
    conditions = [table.c.organisation == bindparam("owner")]
    if by_status:
        conditions.append(table.c.status == bindparam("status"))
    count = select(func.count()).select_from(table).where(*conditions)
    rows = select(table.c.document).where(*conditions).order_by(*_order(table, order))
    return count, rows.limit(bindparam("limit")).offset(bindparam("offset"))


LISTS = {
    (name, order, by_status): _list(name, order, by_status)
    for name in ("equipment", "projects", "services")
    for order in ORDERS
    for by_status in ((False, True) if name == "projects" else (False,))
}


def _flights(order: str, by_type: bool) -> tuple[Select[Any], Select[Any]]:
    """Return statements for a piece of equipment with its flight count, and a page of flights."""
    bridge = db.flight_equipment
    conditions = [
        bridge.c.flight_date >= bindparam("since"),
        bridge.c.flight_date < bindparam("until"),
    ]
    if by_type:
        conditions.append(bridge.c.flight_type == bindparam("flight_type"))
    sorted_by, direction = order.split("_")
    sort_key = bridge.c.flight_date if sorted_by == "date" else bridge.c.duration
    page = (
        select(bridge.c.flight, sort_key.label("sort_key"))
        .where(bridge.c.equipment == bindparam("equipment"), *conditions)
        .order_by(*_directed(direction, sort_key, bridge.c.flight))
        .limit(bindparam("limit"))
        .offset(bindparam("offset"))
        .subquery()
    )
    rows = (
        select(db.flights.c.document)
        .join_from(page, db.flights, db.flights.c.pk == page.c.flight)
        .order_by(*_directed(direction, page.c.sort_key, page.c.flight))
    )
    total = (
        select(func.count())
        .select_from(bridge)
        .where(bridge.c.equipment == db.equipment.c.pk, *conditions)
        .scalar_subquery()
    )
    count = select(db.equipment.c.pk, total.label("total")).where(
        db.equipment.c.organisation == bindparam("owner"),
        db.equipment.c.id == bindparam("identifier"),
    )
    return count, rows


def _directed(direction: str, *columns: Any) -> list[Any]:
    return [column.desc() if direction == "desc" else column for column in columns]


FLIGHTS = {
    (f"{sorted_by}_{direction}", by_type): _flights(f"{sorted_by}_{direction}", by_type)
    for sorted_by in ("date", "duration")
    for direction in ("asc", "desc")
    for by_type in (False, True)
}


def _by_id(name: str) -> Select[Any]:
    table = TABLES[name]
    detail = table.c.detail if name == "projects" else bindparam("detail", "{}").label("detail")
    return select(table.c.document, detail).where(
        table.c.organisation == bindparam("owner"), table.c.id == bindparam("identifier")
    )


RECORD = {name: _by_id(name) for name in TABLES}
