"""What the metrics say of chosen flights, counted from how many of each kind there are.

Flights of one month and flight type are of one kind where they have the same answers to night and
BVLOS, and all a duration above 0, or all another one, or none. Kinds stay as they are; a choice
says how many flights of each there are, and how long those flew. The definitions are those of
`metrics.flight_hours`, `flight_totals` and `night_and_bvlos`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.schema import FLIGHT_TYPES
from fleetkit.time import has_period

__all__ = ["FLAGS", "FLAG_COLUMNS", "Kinds", "Sums", "flown_seconds"]

# Field of a filter → its column, of those that are answered yes or no.
FLAG_COLUMNS = {"night": "night_flight", "bvlos": "bvlos"}
FLAGS = tuple(FLAG_COLUMNS.values())
# The month, counted from January 1970 on, of a flight without a date: it comes after all others.
_UNDATED = 1 << 20
# How many answers a flag has, unknown being −1, and how many states a duration.
_ANSWERS = _STATES = 3
_NOT_RECORDED, _NOT_ABOVE_0, _TIMED = range(_STATES)


class Kinds:
    """The kinds that flights are of.

    Parameters
    ----------
    types : sequence of str
        Flight types that occur.
    """

    def __init__(self, types: Sequence[str]) -> None:
        self._types = list(types)
        self._places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    def codes(
        self,
        days: np.ndarray,
        types: np.ndarray,
        flags: Sequence[np.ndarray],
        durations: np.ndarray,
    ) -> np.ndarray:
        """Return the kind of each of some flights; all are to be read before any are counted.

        Parameters
        ----------
        days : array of datetime64
            In the fleet's zone; NaT for none.
        types : array of int
            Places of flight types; −1 for none.
        flags : two arrays of int
            1 for yes, 0 for no, −1 for unknown, in the order of `FLAGS`.
        durations : array of float
            NaN for none. [s]
        """
        keys = days.astype("datetime64[M]").astype(np.int64)
        keys[np.isnat(days)] = _UNDATED
        keys = keys * (len(self._types) + 1) + types + 1
        for answers in flags:
            keys = keys * _ANSWERS + answers + 1
        state = np.where(np.isnan(durations), _NOT_RECORDED, _NOT_ABOVE_0) + (durations > 0)
        place_of, values = pd.factorize(keys * _STATES + state)
        places = [self._places.setdefault(key, len(self._places)) for key in values.tolist()]
        return np.array(places, dtype=np.int32)[place_of]

    @cached_property
    def _decoded(self) -> tuple[np.ndarray, ...]:
        """Month, place of the type, answers to both flags, and state of the duration."""
        keys = np.array(list(self._places), dtype=np.int64)
        keys, states = np.divmod(keys, _STATES)
        keys, bvlos = np.divmod(keys, _ANSWERS)
        keys, night = np.divmod(keys, _ANSWERS)
        months, types = np.divmod(keys, len(self._types) + 1)
        return months, types - 1, night - 1, bvlos - 1, states

    @property
    def states(self) -> np.ndarray:
        """Whether each kind has a duration, and whether it is above 0."""
        return self._decoded[-1]

    def answers(self, flag: str) -> np.ndarray:
        """Return what each kind says of a flag."""
        return self._decoded[2 + FLAGS.index(flag)]

    @cached_property
    def groups(self) -> tuple[np.ndarray, pd.DataFrame]:
        """The group of each kind, and ``month, flight_type`` of each group, in their order."""
        months, types, *_ = self._decoded
        ranked = sorted(range(len(self._types)), key=lambda place: _rank(self._types[place]))
        ranks = np.empty(len(ranked) + 1, dtype=np.int64)
        ranks[[*ranked, -1]] = np.arange(len(ranks))  # no type is the last one
        keys, group = np.unique(months * len(ranks) + ranks[types], return_inverse=True)
        months, places = np.divmod(keys, len(ranks))
        names = np.array([*(self._types[place] for place in ranked), None], dtype=object)
        written = np.datetime_as_string(np.where(months == _UNDATED, 0, months).astype("M8[M]"))
        written = written.astype(object)
        written[months == _UNDATED] = None
        columns = {"month": written, "flight_type": names[places]}
        return group, pd.DataFrame(columns, dtype="str")

    @cached_property
    def months(self) -> list[str]:
        """Months with flights, ``YYYY-MM``, earliest first.

        Those of years that no period can lie in, which some programs write for none, aren't among
        them.
        """
        written = self.groups[1]["month"].dropna().unique()
        return [str(month) for month in written if has_period(month)]

    @cached_property
    def _month_of_kinds(self) -> np.ndarray:
        group, shown = self.groups
        known = pd.Index(self.months, dtype="str")
        places: np.ndarray = known.get_indexer(pd.Index(shown["month"])).take(group)
        return places

    def by_month(self, counts: np.ndarray) -> list[int]:
        """Return how many flights each of the months has, of so many flights of each kind."""
        places, size = self._month_of_kinds + 1, len(self.months) + 1
        counted: list[int] = np.bincount(places, counts, size)[1:].astype(np.int64).tolist()
        return counted


class Sums:
    """What the metrics say of some flights.

    Parameters
    ----------
    kinds : Kinds
    counts, seconds : array
        How many flights of each kind there are, and how long these flew. [s]
    """

    def __init__(self, kinds: Kinds, counts: np.ndarray, seconds: np.ndarray) -> None:
        self._kinds, self._counts, self._seconds = kinds, counts, seconds
        self._recorded = np.where(kinds.states == _NOT_RECORDED, 0, counts)

    @cached_property
    def hours(self) -> pd.DataFrame:
        """``month, flight_type, flights, hours``, as `metrics.flight_hours` has them. [h]."""
        group, shown = self._kinds.groups
        flights, recorded, seconds = (
            np.bincount(group, amounts, len(shown))
            for amounts in (self._counts, self._recorded, self._seconds)
        )
        hours = np.where(recorded > 0, seconds / SECONDS_PER_HOUR, np.nan)
        rows = np.flatnonzero(flights)
        amounts = {"flights": flights[rows].astype(np.int64), "hours": hours[rows]}
        return shown.take(rows).reset_index(drop=True).assign(**amounts)

    @property
    def totals(self) -> dict[str, Any]:
        """``flights, timed_flights, hours`` of `metrics.flight_totals`. [h]."""
        flights, is_known = int(self._counts.sum()), self._recorded.any()
        return {
            "flights": flights,
            "timed_flights": self.timed,
            "hours": self._seconds.sum() / SECONDS_PER_HOUR if is_known or not flights else None,
        }

    @property
    def timed(self) -> int:
        """How many flights have a duration above 0."""
        return int(self._counts[self._kinds.states == _TIMED].sum())

    @property
    def shares(self) -> dict[str, dict[str, Any]]:
        """Flag → ``flights, known_flights, flights_share`` of `metrics.night_and_bvlos`."""
        return {flag: self._share(flag) for flag in FLAGS}

    def _share(self, flag: str) -> dict[str, Any]:
        flights, known = self.answered(flag)
        share = flights / known if known else None
        return {"flights": flights, "known_flights": known, "flights_share": share}

    def answered(self, flag: str) -> tuple[int, int]:
        """Return of how many flights a flag says yes, and of how many it is known."""
        answers = self._kinds.answers(flag)
        yes, known = (int(self._counts[answers >= least].sum()) for least in (1, 0))
        return yes, known


def flown_seconds(durations: np.ndarray) -> np.ndarray:
    """Return what durations add to hours: nothing where there are none, or not above 0."""
    seconds: np.ndarray = np.where(durations > 0, durations, 0.0)
    return seconds


def _rank(flight_type: str) -> tuple[int, str]:
    """Return the place of a flight type: in the reference's order, unknown ones after them."""
    is_known = flight_type in FLIGHT_TYPES
    return FLIGHT_TYPES.index(flight_type) if is_known else len(FLIGHT_TYPES), flight_type
