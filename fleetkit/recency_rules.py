"""How much a pilot must have flown lately: what an organisation may set under ``[[recency]]``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from numbers import Real
from typing import Any

import pandas as pd

from fleetkit import conversion
from fleetkit.conversion import ConversionError, is_many
from fleetkit.interface import brief
from fleetkit.rounding import SECONDS_PER_HOUR

__all__ = ["HOUSE_RULE", "PDRA01", "RecencyRule", "problems", "read"]

# A hundred years; much longer windows begin before the calendar does.
_MOST_MONTHS, _MOST_DAYS = 1_200, 36_525
# Far more than anybody flies in them.
_MOST_FLOWN = 1_000_000


@dataclass(frozen=True)
class RecencyRule:
    """How much a pilot must have flown lately to count as recent.

    Parameters
    ----------
    name : str
        Printed in the report.
    months, days : int
        Length of the window that ends today: calendar months, or days. One of them is 0.
    hours : float
        Least flown hours in the window. [h]
    flights : int
        Least number of flights in the window.
    night_only : bool
        Count night flights only.
    """

    name: str
    months: int = 0
    days: int = 0
    hours: float = 0.0
    flights: int = 0
    night_only: bool = False

    @property
    def problem(self) -> str:
        """What is wrong with the rule; empty where it can be checked."""
        for name in ("months", "days", "flights", "hours"):
            if wrong := _wrong_number(name, getattr(self, name)):
                return wrong
        if not isinstance(self.night_only, bool):
            return f"has night_only={brief(self.night_only)}, which is neither true nor false"
        if (self.months > 0) == (self.days > 0):
            return "needs a window, months or days, one of them"
        if self.months > _MOST_MONTHS or self.days > _MOST_DAYS:
            return f"has a window of more than {_MOST_MONTHS:,} months or {_MOST_DAYS:,} days"
        if self.seconds <= 0 and self.flights <= 0:
            return "needs a minimum, hours or flights or both"
        return ""

    @property
    def seconds(self) -> float:
        """Least flown time in the window: of 1.1 h it is 3960, and not a little more. [s]."""
        return float(round(self.hours * SECONDS_PER_HOUR, 3))

    @property
    def window(self) -> pd.DateOffset | timedelta:
        """How far the window reaches back from its last day, that day included."""
        return pd.DateOffset(months=self.months) if self.months else timedelta(days=self.days)

    def first_day(self, as_of: date) -> date:
        """Return the first day of the window that ends with a day.

        Examples
        --------
        >>> from datetime import date
        >>> RecencyRule("3 months", months=3, hours=2).first_day(date(2026, 10, 31))
        datetime.date(2026, 8, 1)
        """
        return (pd.Timestamp(as_of) - self.window).date() + timedelta(days=1)


def _wrong_number(name: str, value: Any) -> str:
    """Return what is wrong with a number of a rule; empty where nothing is."""
    size: Any = abs(value) if isinstance(value, Real) else math.inf
    is_number = size < math.inf
    if not is_number or (name != "hours" and value % 1):
        kind = "a number" if name == "hours" else "a whole number"
        return f"has {name}={brief(value)}, which is not {kind}"
    if name in {"hours", "flights"} and value > _MOST_FLOWN:
        return f"has {name} above {_MOST_FLOWN:,}, which nobody flies"
    return f"has {name}={brief(value)}, which is below 0" if value < 0 else ""


PDRA01 = RecencyRule("2 h in 3 calendar months (UK PDRA01)", months=3, hours=2.0)
HOUSE_RULE = RecencyRule("3 flights in 90 days (house rule)", days=90, flights=3)

_PARTS = {
    "name": conversion.text,
    "months": conversion.whole_number,
    "days": conversion.whole_number,
    "hours": conversion.number,
    "flights": conversion.whole_number,
    "night_only": conversion.yes_or_no,
}


def read(value: Any) -> tuple[RecencyRule, ...]:
    """Return rules as they are written in settings.

    Examples
    --------
    >>> [rule.flights for rule in read([{"name": "3 flights", "days": 90, "flights": 3}])]
    [3]
    """
    if isinstance(value, (str, Mapping)) or not is_many(value):
        raise ConversionError(
            "it is not a list of rules", advice="Write each rule under [[recency]]."
        )
    return tuple(_rule(place, rule) for place, rule in enumerate(value))


def _rule(place: int, value: Any) -> RecencyRule:
    try:
        if isinstance(value, RecencyRule):
            conversion.text(value.name)
            return value
        rule = conversion.table(value, _PARTS, "a part of a rule")
        if "name" not in rule:
            raise ConversionError("the rule has no name")
        return RecencyRule(**rule)
    except ConversionError as error:
        raise error.within(place) from None


def problems(rules: Sequence[RecencyRule]) -> Iterator[ConversionError]:
    """Find the rules that can't be checked.

    Examples
    --------
    >>> [error.problem for error in problems([RecencyRule("Any", days=90)])]
    ["the rule 'Any' needs a minimum, hours or flights or both"]
    """
    if not rules:
        yield ConversionError("it needs at least one rule", "recency")
    for place, rule in enumerate(rules):
        if not rule.name.strip():
            yield ConversionError("the rule has no name", "recency", place)
        if rule.name in [earlier.name for earlier in rules[:place]]:
            yield ConversionError(f"two rules are named {brief(rule.name)}", "recency", place)
        if rule.problem:
            yield ConversionError(f"the rule {brief(rule.name)} {rule.problem}", "recency", place)
