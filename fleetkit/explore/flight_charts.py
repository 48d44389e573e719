"""The charts of the flight explorer: of what is chosen, and of what stands beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pandas as pd

from fleetkit.explore.chart import Bars, bar_charts, take_off_map
from fleetkit.explore.fields import Choices, Field
from fleetkit.explore.measuring import MAP

__all__ = ["Shown", "flight_charts"]

# Most months that are drawn by week: with more, bars run into each other.
_MOST_WEEKS = 36
_BY_MONTH = (
    '<p class="fk-hint fk-beside">Drawn by month: weeks are drawn of three years at most. '
    "Choose a shorter period to see them.</p>"
)


@dataclass(frozen=True)
class Shown:
    """Flights that a chart shows, the choices that select them, and their name beside others."""

    selection: Any
    choices: Choices
    name: str = ""


def flight_charts(
    shown: Sequence[Shown], months: Sequence[str], fields: Mapping[str, Field]
) -> str:
    """Return a chart of each, one below the other, on one scale.

    Parameters
    ----------
    shown : sequence of Shown
        What is chosen, first. Its choices say what is measured, and bars choose among them.
    months : sequence of str
        Those with flights, ``YYYY-MM``, earliest first.
    fields : dict of str to Field
        The controls by name.
    """
    choices, note = shown[0].choices, ""
    if choices["grouping"] == MAP:
        return _maps(shown, fields)
    if choices["grouping"] == "week" and max(_length(part, months) for part in shown) > _MOST_WEEKS:
        choices, note = {**choices, "grouping": "month"}, _BY_MONTH
    grouping, measure = choices["grouping"], choices["measure"]
    has_months = grouping in ("month", "week")
    parts = [
        Bars(
            part.selection.measured_by(grouping, measure),
            _axis(part, months) if has_months else None,
            part.name,
        )
        for part in shown
    ]
    return note + bar_charts(parts, choices, fields)


def _maps(shown: Sequence[Shown], fields: Mapping[str, Field]) -> str:
    """Return the maps; of a comparison two, in areas of one size and in the same shades."""
    counted = [part.selection.take_offs() for part in shown]
    size = pd.concat(counted)["size_km"].max()
    if len(shown) > 1 and not pd.isna(size):
        counted = [part.selection.take_offs(size) for part in shown]
    most = max(pd.concat(counted).dropna(subset="size_km")["flights"], default=0)
    return "".join(
        take_off_map(areas, fields["take_off"], shown[0].choices, most=most, beside=part.name)
        for part, areas in zip(shown, counted, strict=True)
    )


def _length(part: Shown, months: Sequence[str]) -> int:
    """Return how many months the axis of time has."""
    axis = _axis(part, months)
    if axis is None:
        return 0
    first, last = (12 * int(month[:4]) + int(month[5:]) for month in axis)
    return last - first + 1


def _axis(part: Shown, months: Sequence[str]) -> tuple[str, str] | None:
    """Return the first and last month of the axis: of the period, as far as there are data."""
    if not months or not len(part.selection):
        return None
    first, last = months[0], months[-1]
    if since := part.choices["since"]:
        first = max(first, f"{since:%Y-%m}")
    if until := part.choices["until"]:
        last = min(last, f"{until - timedelta(days=1):%Y-%m}")
    return first, last
