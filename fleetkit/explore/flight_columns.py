"""The columns of the table of flights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fleetkit.explore import cells
from fleetkit.explore.columns import text_column
from fleetkit.explore.subject import Column
from fleetkit.filters import UNASSIGNED

if TYPE_CHECKING:
    from fleetkit.explore.flight_subject import Flights

__all__ = ["flight_columns"]


def flight_columns(flights: Flights) -> list[Column]:
    """Return the columns of the table, in their order."""
    frame, types = flights.frame, flights.frame["flight_type"]

    def written(name: str, write: Callable[[Any], str]) -> Any:
        return lambda numbers: [write(value) for value in frame[name].iloc[numbers]]

    def choosing(name: str, head: str, identifier: str, title: str) -> Column:
        """Return a column whose cells choose a pilot, or a project."""
        return Column(
            name,
            head,
            lambda numbers: [
                cells.named(*pair)
                for pair in zip(
                    frame[identifier].iloc[numbers], frame[title].iloc[numbers], strict=True
                )
            ],
            lambda: frame[title],
            field=name,
            values=lambda numbers: frame[identifier].iloc[numbers].fillna(UNASSIGNED).tolist(),
        )

    return [
        Column(
            "date", "Date", lambda numbers: _dates(flights, numbers), lambda: frame["flight_date"]
        ),
        text_column("type", "Type", types, "flight_type", keys=lambda: types.astype("str")),
        text_column("operation", "Operation", frame["operation_type"], "operation_type"),
        choosing("pilot", "Pilot", "pilot_id", "pilot_name"),
        choosing("project", "Project", "project_id", "project_title"),
        Column(
            "equipment",
            "Equipment",
            lambda numbers: cells.texts(
                ", ".join(flights.pieces_of(number)) or None for number in numbers
            ),
            lambda: _first_pieces(flights),
        ),
        Column(
            "duration",
            "Duration",
            written("duration_seconds", cells.duration),
            lambda: frame["duration_seconds"],
            is_number=True,
        ),
        Column(
            "night", "Night", written("night_flight", cells.yes_no), lambda: frame["night_flight"]
        ),
        Column("bvlos", "BVLOS", written("bvlos", cells.yes_no), lambda: frame["bvlos"]),
        text_column("id", "Identifier", frame["flight_id"], is_shown=False),
    ]


def _dates(flights: Flights, numbers: np.ndarray) -> list[str]:
    moments = flights.clock.convert(flights.frame["flight_date"].iloc[numbers])
    form = "%Y-%m-%d" if flights.clock.dates_only else "%Y-%m-%d %H:%M"
    return cells.texts(moments.dt.strftime(form))


def _first_pieces(flights: Flights) -> pd.Series:
    """Return the place, by name, of the first piece of equipment on each flight."""
    ranks, names = pd.factorize(flights.piece_names, sort=True)
    first = np.full(len(flights), len(names))
    np.minimum.at(first, flights.bridge_flight, ranks[flights.bridge_piece])
    return pd.Series(first).astype("Int64").where(first < len(names))
