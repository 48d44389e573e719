"""What the chart of flights shows: which measure, and by what."""

from __future__ import annotations

from dataclasses import dataclass

from fleetkit.explore.fields import Choices, Display
from fleetkit.rounding import HOURS

__all__ = ["COMPARED", "GROUPINGS", "MAP", "MEASURES", "Measure", "display_fields", "title"]


@dataclass(frozen=True)
class Measure:
    """What bars show.

    Attributes
    ----------
    label : str
        What the control calls it.
    column : str
        Of ``metrics.flight_hours``.
    unit : str
        Behind a number of it.
    noun : str
        What so many of it are, where that is a word.
    decimals : int
        Of a number of it.
    is_sum : bool
        Whether it adds up, so that bars can be stacked.
    """

    label: str
    column: str
    unit: str
    noun: str = ""
    decimals: int = 0
    is_sum: bool = True


# By the word that ``metrics.flight_hours`` and ``charts.flight_hours`` have for it.
MEASURES = {
    "hours": Measure("Hours", "hours", "h", "hours", HOURS),
    "flights": Measure("Flights", "flights", "flights", "flights"),
    "median": Measure("Median duration", "median_minutes", "min", decimals=HOURS, is_sum=False),
    "distance": Measure("Distance", "distance", "as reported"),
}
# What bars stand for → what the control calls it.
GROUPINGS = {
    "month": "Month",
    "week": "Week",
    "weekday": "Weekday",
    "hour": "Hour of the day",
    "pilot": "Pilot",
    "equipment": "Aircraft",
    "client": "Client",
    "project": "Project",
    "category": "Equipment category",
    "type": "Equipment type",
    "place": "Take-off place (map)",
}
MAP = "place"
# Rows of these are the same on both sides of a comparison.
COMPARED = ("weekday", "hour", "pilot", "client", "project", "category", "type")


def display_fields(*, has_clients: bool) -> list[Display]:
    """Return the two controls of the chart; without projects there are no clients."""
    measures = [(measure.label, name) for name, measure in MEASURES.items()]
    groupings = [
        (label, name) for name, label in GROUPINGS.items() if has_clients or name != "client"
    ]
    return [Display("measure", "Chart of", measures), Display("grouping", "By", groupings)]


def title(choices: Choices) -> str:
    """Return what stands above the chart.

    Examples
    --------
    >>> title({"measure": "hours", "grouping": "weekday"})
    'Hours by weekday'
    """
    grouping = GROUPINGS[choices["grouping"]]
    return f"{MEASURES[choices['measure']].label} by {grouping[0].lower()}{grouping[1:]}"
