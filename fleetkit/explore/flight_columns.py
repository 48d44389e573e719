"""The columns of the table of flights."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fleetkit.blanks import names_or_ids
from fleetkit.explore import cells
from fleetkit.explore.subject import Column
from fleetkit.unassigned import UNASSIGNED

if TYPE_CHECKING:
    from fleetkit.explore.flight_subject import Flights

__all__ = ["flight_columns"]


def flight_columns(flights: Flights) -> list[Column]:
    """Return the columns of the table, in their order."""
    text, choosing = partial(_text, flights), partial(_choosing, flights)
    written = partial(_written, flights)
    return [
        Column(
            "date",
            "Date",
            lambda numbers: _dates(flights, numbers),
            lambda: flights.column("flight_date"),
        ),
        text("type", "Type", "flight_type", "flight_type"),
        text("operation", "Operation", "operation_type", "operation_type"),
        choosing("pilot", "Pilot", "pilot_id", "pilot_name"),
        choosing("project", "Project", "project_id", "project_title"),
        Column(
            "equipment",
            "Equipment",
            lambda numbers: cells.texts(
                ", ".join(flights.pieces_of(number)) or None for number in numbers
            ),
            flights.first_pieces,
        ),
        Column(
            "duration",
            "Duration",
            written("duration_seconds", cells.duration),
            lambda: flights.column("duration_seconds"),
            is_number=True,
        ),
        Column(
            "night",
            "Night",
            written("night_flight", cells.yes_no),
            lambda: flights.column("night_flight"),
        ),
        Column("bvlos", "BVLOS", written("bvlos", cells.yes_no), lambda: flights.column("bvlos")),
        text("id", "Identifier", "flight_id", is_shown=False),
    ]


def _text(
    flights: Flights, name: str, head: str, source: str, field: str = "", *, is_shown: bool = True
) -> Column:
    """Return a column of texts, whose cells choose them in a field, if there is one."""
    return Column(
        name,
        head,
        lambda numbers: cells.texts(flights.at(source, numbers)),
        lambda: flights.column(source).astype("str"),
        field=field,
        values=lambda numbers: flights.at(source, numbers).tolist(),
        is_shown=is_shown,
    )


def _choosing(flights: Flights, name: str, head: str, identifier: str, title: str) -> Column:
    """Return a column whose cells choose a pilot, or a project."""

    def texts(numbers: np.ndarray) -> list[str]:
        columns = (flights.at(column, numbers) for column in (identifier, title))
        return [cells.named(*pair) for pair in zip(*columns, strict=True)]

    return Column(
        name,
        head,
        texts,
        lambda: names_or_ids(flights.column(title), flights.column(identifier)),
        field=name,
        values=lambda numbers: flights.at(identifier, numbers).fillna(UNASSIGNED).tolist(),
    )


def _written(
    flights: Flights, column: str, write: Callable[[Any], str]
) -> Callable[[np.ndarray], list[str]]:
    return lambda numbers: [write(value) for value in flights.at(column, numbers)]


def _dates(flights: Flights, numbers: np.ndarray) -> list[str]:
    moments = flights.clock.convert(flights.at("flight_date", numbers))
    form = "%Y-%m-%d" if flights.clock.dates_only else "%Y-%m-%d %H:%M"
    return cells.texts(moments.dt.strftime(form))
