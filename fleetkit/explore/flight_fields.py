"""What can be chosen of a fleet's flights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd

from fleetkit import areas
from fleetkit.explore.facets import Match
from fleetkit.explore.fields import (
    ANSWERS,
    ANY,
    Chip,
    Choices,
    DateField,
    Field,
    Options,
    Select,
)
from fleetkit.filters import OF_EQUIPMENT, Answer, Filter
from fleetkit.fleet.opposites import selecting
from fleetkit.schema import FLIGHT_TYPES
from fleetkit.time import Period, in_utc

__all__ = [
    "AreaField",
    "PeriodField",
    "dates",
    "flag",
    "flight_types",
    "month_counter",
    "months_span",
    "of_pieces",
]

_OWN_DATES = "own dates"
Days = Callable[["pd.Series[Any]"], "pd.Series[Any]"]


class PeriodField(Select):
    """The years and months that have flights: each stands for a since and an until.

    Parameters
    ----------
    months : list of str
        ``YYYY-MM``, earliest first.
    count_months : callable
        A mask over rows → how many of these lie in each month.
    tz : str
        IANA time zone.
    label : str
        What is dated.
    """

    stored = False
    can_leave_out = False

    def __init__(
        self,
        months: list[str],
        count_months: Callable[[np.ndarray], list[int]],
        tz: str,
        label: str = "Period",
    ) -> None:
        years = sorted({month[:4] for month in months}, reverse=True)
        names = [*years, *reversed(months)]
        titles = [(Period.read(name).title, name) for name in names]
        # Last: choosing it changes nothing, which would stop users who go through by arrow keys.
        super().__init__("period", label, [*titles, ("Own dates", _OWN_DATES)], nothing="All time")
        self._months, self._count_months = months, count_months
        self._dates: dict[str, tuple[date | None, date | None]] = {ANY: (None, None)}
        for name in names:
            period = Period.read(name, tz)
            self._dates[name] = period.since.date(), period.until.date()
        self._titles = dict(zip(names, (title for title, _ in titles), strict=True))

    def value(self, choices: Choices) -> str:
        """Return the period that the dates make, if the list has it."""
        dates = (choices["since"], choices["until"])
        return next((name for name in self._dates if self._dates[name] == dates), _OWN_DATES)

    def chosen(self, choices: Choices) -> tuple[str, ...]:
        """Return nothing: the rows are those of the dates."""
        return ()

    def chips(self, choices: Choices) -> list[Chip]:
        """Return the period by its name; dates of one's own are chips themselves."""
        name = self.value(choices)
        return (
            [Chip(self.label, self._titles[name], {self.name: ANY})] if name in self._titles else []
        )

    def choose(self, choices: Choices, value: object) -> Choices:
        """Return the choices with the period's dates."""
        name = self.check(value)
        if name == _OWN_DATES:
            return choices
        since, until = self._dates[name]
        return {**choices, "since": since, "until": until}

    def counts(self, match: Match, choices: Choices) -> list[int | None]:
        """Return how many flights each period would leave."""
        by_month = self._count_months(match.without("period"))
        by_name: Counter[str] = Counter(dict(zip(self._months, by_month, strict=True)))
        for month, flights in zip(self._months, by_month, strict=True):
            by_name[month[:4]] += flights
        return [match.total("period"), *(by_name[name] for name in self._titles), None]


class _PeriodDate(DateField):
    """One end of the period; a period with a name is one chip, not two."""

    def __init__(self, name: str, label: str, period: PeriodField, days: Days) -> None:
        super().__init__(name, label)
        self._period, self._days = period, days

    def check(self, value: Any) -> date | None:
        """Return a date; of a moment with a zone the day that the fleet's clock showed."""
        if isinstance(value, datetime) and value.tzinfo is not None:
            with suppress(OverflowError):  # UTC has no day before the first, nor after the last
                value = self._days(pd.Series([in_utc(value)])).iloc[0]
        return super().check(value)

    def chips(self, choices: Choices) -> list[Chip]:
        """Return the date that is chosen, unless both make a period with a name."""
        return [] if self._period.chips(choices) else super().chips(choices)


def dates(period: PeriodField, days: Days, what: str = "") -> tuple[DateField, DateField]:
    """Return the fields of a period's two ends.

    Parameters
    ----------
    period : PeriodField
    days : callable
        A column of moments → what the fleet's clock showed at each.
    what : str
        What is dated.
    """
    labels = (f"{what} since", f"{what} before") if what else ("since", "until (not included)")
    since, until = map(str.capitalize, labels)
    return (
        _PeriodDate("since", since, period, days),
        _PeriodDate("until", until, period, days),
    )


class AreaField(Field):
    """An area, or none: clicked on the map, or written."""

    kind = "text"

    def __init__(self, name: str, title: str) -> None:
        super().__init__(name, f"{title} in (south, west, north, east)", blank=())
        self.title = title

    def chips(self, choices: Choices) -> list[Chip]:
        """Return the area that is chosen."""
        area = choices[self.name]
        return [Chip(self.title, areas.in_words(area), {self.name: ""})] if area else []

    def check(self, value: Any) -> Any:
        """Return an area, or the empty tuple."""
        return areas.read(() if value is None else value, self.name)

    def format(self, value: Any) -> str:
        """Return the edges as a filter has them; nothing for none."""
        return areas.written(value)

    def describe(self, choices: Choices) -> dict[str, Any]:
        """Return what a browser needs, with an example of what to write."""
        return super().describe(choices) | {"example": "47.1, 8.2, 47.3, 8.5"}


def months_span(months: list[str], tz: str) -> tuple[str, str] | None:
    """Return ``[since, until)`` of all months, earliest first, as dates; None without a month."""
    if not months:
        return None
    first, last = (Period.read(months[end], tz) for end in (0, -1))
    return first.since.date().isoformat(), last.until.date().isoformat()


def month_counter(days: pd.Series[Any], months: list[str]) -> Callable[[np.ndarray], list[int]]:
    """Return what counts the rows of a mask by the month of their days."""
    dated = pd.DatetimeIndex(days)
    counted = (dated.year * 12 + dated.month).fillna(0).astype("int64")
    numbers = [int(month[:4]) * 12 + int(month[5:]) for month in months]
    codes = pd.Index(numbers, dtype="int64").get_indexer(counted)

    def count(rows: np.ndarray) -> list[int]:
        counts: list[int] = np.bincount(codes[rows] + 1, minlength=len(months) + 1)[1:].tolist()
        return counts

    return count


def flag(name: str, label: str, fixed: Answer) -> Select:
    """Return a field of Yes, No and Unknown, held where the fleet's own filter has settled it."""
    select = Select(name, label, ANSWERS, compact=True)
    select.can_leave_out = False
    if fixed not in (None, ()):
        select.fix(fixed)
    return select


def of_pieces(name: str, label: str, options: Options, base: Filter) -> Select:
    """Return a field of what the equipment on flights is.

    A fleet that is narrowed to some equipment shows only these pieces on its flights. What the
    other pieces are isn't known then, so nothing can be left out by it, unless the fleet is
    narrowed by this field alone: then no other piece has one of the options.
    """
    select = Select(name, label, options)
    selected = selecting(base).only(*OF_EQUIPMENT).to_parameters()
    select.can_leave_out = selected.keys() <= {name}
    return select


def flight_types(column: pd.Series) -> list[str]:
    """Return the flight types that occur: in the reference's order, unknown ones after them."""
    types = {str(value) for value in column.dropna().unique()}
    known = [token for token in FLIGHT_TYPES if token in types]
    return [*known, *sorted(types - {*FLIGHT_TYPES})]
