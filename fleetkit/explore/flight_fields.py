"""What can be chosen of a fleet's flights, and the filter that the choices make."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any

import pandas as pd

from fleetkit.explore.fields import (
    ANY,
    YES_NO,
    Choices,
    DateField,
    Field,
    Options,
    Select,
    Text,
    Ticks,
)
from fleetkit.explore.selection import Flights
from fleetkit.filters import UNASSIGNED, Filter
from fleetkit.schema import FLIGHT_TYPES
from fleetkit.time import Period

__all__ = ["filter_of", "flight_fields"]

_OWN_DATES = "own dates"


def flight_fields(flights: Flights, base: Filter) -> dict[str, Field]:
    """Return the fields of the flight explorer by name, in reading order.

    Parameters
    ----------
    flights : Flights
        What there is to choose from.
    base : Filter
        The fleet's own filter. What it sets can't be changed: another value would match nothing.
    """
    frame = flights.frame
    night = Select("night", "Night flight", YES_NO, compact=True)
    bvlos = Select("bvlos", "BVLOS", YES_NO, compact=True)
    for select, fixed in ((night, base.night), (bvlos, base.bvlos)):
        if fixed is not None:
            select.fix(fixed)
    fields: tuple[Field, ...] = (
        _Period(flights.months, flights.tz),
        DateField("since", "Since"),
        DateField("until", "Until (not included)"),
        Select("type", "Equipment type", _occurring(flights.equipment["type"])),
        Select("category", "Equipment category", _occurring(flights.equipment["category"])),
        Select("pilot", "Pilot", _named(frame, "pilot_id", "pilot_name")),
        Text("find", "Find a project", placeholder="part of its title"),
        _Project(_named(frame, "project_id", "project_title")),
        night,
        bvlos,
        Ticks("flight_type", "Flight type; none ticked means all", _types(frame["flight_type"])),
    )
    return {field.name: field for field in fields}


def filter_of(choices: Choices) -> Filter:
    """Return the choices as a filter, without what the fleet is narrowed by."""
    values = {name: value for name, value in choices.items() if name != "find"}
    return Filter(**{name: None if value in (ANY, ()) else value for name, value in values.items()})


class _Period(Select):
    """The years and months that have flights: each stands for a since and an until."""

    stored = False

    def __init__(self, months: list[str], tz: str) -> None:
        years = sorted({month[:4] for month in months}, reverse=True)
        names = [*years, *reversed(months)]
        named = [(Period.read(name).title, name) for name in names]
        super().__init__(
            "period", "Period", [("Own dates", _OWN_DATES), *named], nothing="All time"
        )
        self._dates: dict[str, tuple[date | None, date | None]] = {ANY: (None, None)}
        for name in names:
            period = Period.read(name, tz)
            self._dates[name] = period.since.date(), period.until.date()

    def value(self, choices: Choices) -> str:
        """Return the period that the dates make, if the list has it."""
        dates = (choices["since"], choices["until"])
        return next((name for name in self._dates if self._dates[name] == dates), _OWN_DATES)

    def choose(self, choices: Choices, value: Any) -> Choices:
        """Return the choices with the period's dates."""
        name = self.check(value)
        if name == _OWN_DATES:
            return choices
        since, until = self._dates[name]
        return {**choices, "since": since, "until": until}


class _Project(Select):
    """The projects whose title contains the text of "find", and always the one chosen."""

    def __init__(self, options: Options) -> None:
        super().__init__("project", "Project", options)

    def options(self, choices: Choices) -> Options:
        """Return the matching projects; the first option says how many."""
        text, chosen = choices["find"].strip().casefold(), choices["project"]
        if not text:
            return self._options
        matching = [
            (title, key)
            for title, key in self._options[1:]
            if text in title.casefold() or key == chosen
        ]
        return [(f"Any ({len(matching)} listed)", ANY), *matching]


def _occurring(column: pd.Series) -> Options:
    return [(value, value) for value in sorted(column.dropna().astype(str).unique())]


def _types(column: pd.Series) -> list[str]:
    """Return the flight types that occur: in the reference's order, unknown ones after them."""
    types = {str(value) for value in column.dropna().unique()}
    known = [token for token in FLIGHT_TYPES if token in types]
    return [*known, *sorted(types - {*FLIGHT_TYPES})]


def _named(frame: pd.DataFrame, key: str, name: str) -> Options:
    """Return name and identifier of each pilot or project that flew, by name, Unassigned last."""
    pairs = frame[[key, name]].dropna(subset=[key]).drop_duplicates(key, keep="last")
    names = {row[0]: row[1] if isinstance(row[1], str) else row[0] for row in pairs.to_numpy()}
    counts = Counter(names.values())
    options = [
        (text if counts[text] == 1 else f"{text} ({identifier})", identifier)
        for identifier, text in names.items()
    ]
    options.sort(key=lambda option: (option[0].casefold(), option[1]))
    return [*options, (UNASSIGNED, UNASSIGNED)] if frame[key].isna().any() else options
