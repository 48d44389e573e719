"""What the metrics say of many flights, put together from what they say of parts of them.

Flights and seconds add up, so a selection is measured part by part, or as an earlier one with what
came and without what went. Hours of flights of which none has a duration are unknown: where a
difference can't tell them from 0, there is none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from fleetkit import metrics
from fleetkit.explore.flight_selection import rows_of
from fleetkit.explore.large.tallies import BLOCK, Changes
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.schema import FLIGHT_TYPES

__all__ = ["RunningSums", "Sums"]

# So many earlier selections are remembered.
_SEEN = 3

# What a group of flights is known by: a month and a flight type, a flag, or all of them.
Group = tuple[Any, ...]
_ALL = "all"


@dataclass(frozen=True)
class _Sum:
    """Counts of flights, and the seconds of the first ones: None where none are recorded."""

    counts: tuple[int, ...]
    seconds: tuple[int | None, ...]

    def plus(self, other: _Sum) -> _Sum:
        counts = tuple(map(sum, zip(self.counts, other.counts, strict=True)))
        pairs = zip(self.seconds, other.seconds, strict=True)
        return _Sum(counts, tuple(_added(*pair) for pair in pairs))

    def minus(self, other: _Sum) -> _Sum | None:
        """Return the difference; None where it can't tell no seconds from unknown ones."""
        counts = tuple(a - b for a, b in zip(self.counts, other.counts, strict=True))
        seconds: list[int | None] = []
        for count, spent, gone in zip(counts, self.seconds, other.seconds, strict=False):
            rest = None if spent is None else spent - (gone or 0)
            if rest == 0 and count:
                return None
            seconds.append(rest or None)
        return _Sum(counts, tuple(seconds))

    def hours(self, place: int = 0) -> float | None:
        """Return seconds as hours; None where there are flights, and none has a duration."""
        seconds = self.seconds[place]
        if seconds is None:
            return None if self.counts[place] else 0.0
        return seconds / SECONDS_PER_HOUR


def _added(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other


@dataclass(frozen=True)
class Sums:
    """What the metrics say of some flights.

    Attributes
    ----------
    groups : dict
        What flights are grouped by → their sum; groups without flights may be left out.
    """

    groups: Mapping[Group, _Sum] = field(default_factory=dict)

    @classmethod
    def of(cls, flights: Any) -> Sums:
        """Measure flights, a frame of any engine in memory."""
        hours = metrics.collect(metrics.flight_hours(flights, by=["month", "flight_type"]))
        groups: dict[Group, _Sum] = {
            (_plain(month), _plain(kind)): _sum((count,), spent)
            for month, kind, count, spent in hours.itertuples(index=False)
        }
        [totals] = rows_of(metrics.flight_totals(flights))
        counts = (totals["flights"], totals["timed_flights"])
        groups[(_ALL,)] = _sum(counts, totals["hours"])
        for row in rows_of(metrics.night_and_bvlos(flights)):
            counts = (row["flights"], row["known_flights"])
            groups[(row["flag"],)] = _sum(counts, row["hours"], row["known_hours"])
        return cls(groups)

    @classmethod
    def total(cls, parts: Iterable[Sums]) -> Sums:
        """Return the sums of flights that were measured in parts."""
        groups: dict[Group, _Sum] = {}
        for part in parts:
            for group, summed in part.groups.items():
                known = groups.get(group)
                groups[group] = summed if known is None else known.plus(summed)
        return cls(groups)

    def changed(self, came: Sums, went: Sums) -> Sums | None:
        """Return the sums with some flights and without others; None where that can't be told."""
        groups = dict(Sums.total([self, came]).groups)
        for group, summed in went.groups.items():
            rest = groups[group].minus(summed) if any(summed.counts) else groups[group]
            if rest is None:
                return None
            groups[group] = rest
        return Sums(groups)

    @property
    def hours(self) -> pd.DataFrame:
        """``month, flight_type, flights, hours``, as `metrics.flight_hours` has them. [h]."""
        months = [group for group in self.groups if len(group) == len(("month", "flight_type"))]
        shown = sorted((group for group in months if self.groups[group].counts[0]), key=_order)
        sums = [self.groups[group] for group in shown]
        return pd.DataFrame(
            {
                "month": pd.Series([month for month, _ in shown], dtype="str"),
                "flight_type": pd.Series([kind for _, kind in shown], dtype="str"),
                "flights": pd.Series([summed.counts[0] for summed in sums], dtype="int64"),
                "hours": pd.Series([summed.hours() for summed in sums], dtype="float64"),
            }
        )

    @property
    def totals(self) -> dict[str, Any]:
        """``flights, timed_flights, hours`` of `metrics.flight_totals`."""
        summed = self.groups.get((_ALL,), _Sum((0, 0), (None,)))
        flights, timed = summed.counts
        return {"flights": flights, "timed_flights": timed, "hours": summed.hours()}

    @property
    def shares(self) -> dict[str, dict[str, Any]]:
        """Flag → its row of `metrics.night_and_bvlos`."""
        return {flag: self._share(flag) for flag in ("night_flight", "bvlos")}

    def _share(self, flag: str) -> dict[str, Any]:
        summed = self.groups.get((flag,), _Sum((0, 0), (None, None)))
        (flights, known), (seconds, known_seconds) = summed.counts, summed.seconds
        return {
            "flag": flag,
            "flights": flights,
            "known_flights": known,
            "flights_share": flights / known if known else None,
            "hours": summed.hours(),
            "known_hours": summed.hours(1),
            "hours_share": (seconds or 0) / known_seconds if known_seconds else None,
        }


def _plain(value: Any) -> Any:
    return None if pd.isna(value) else value


def _sum(counts: tuple[int, ...], *hours: Any) -> _Sum:
    """Return counts, with hours as the whole seconds that they were summed from."""
    pairs = zip(counts, hours, strict=False)
    seconds = (
        round(spent * SECONDS_PER_HOUR) if count and not pd.isna(spent) else None
        for count, spent in pairs
    )
    return _Sum(counts, tuple(seconds))


def _order(group: Group) -> tuple[Any, ...]:
    """Return the place of a month and a type: in the reference's order, none last."""
    month, kind = group
    rank = FLIGHT_TYPES.index(kind) if kind in FLIGHT_TYPES else len(FLIGHT_TYPES)
    return month is None, month or "", rank, kind is None, kind or ""


class RunningSums:
    """Measures selections of the same flights one after the other.

    Parameters
    ----------
    measured : callable
        Row numbers → what the metrics measure of these flights, as a frame.
    changes : Changes
        Of masks over the rows.
    """

    def __init__(self, measured: Callable[[np.ndarray], Any], changes: Changes) -> None:
        self._measured, self._changes = measured, changes
        self._whole: tuple[np.ndarray, Sums] | None = None
        self._seen: deque[tuple[np.ndarray, Sums]] = deque(maxlen=_SEEN)

    def of(self, mask: np.ndarray) -> Sums:
        """Return the sums of the rows that a mask selects."""
        for known, sums in self._seen:
            if known is mask:
                return sums
        summed = self._from_earlier(mask)
        if summed is None:
            summed = self._sum(_blocks(mask))
        self._seen.append((mask, summed))
        self._whole = self._whole or (mask, summed)  # at first, all rows are shown
        return summed

    def _from_earlier(self, mask: np.ndarray) -> Sums | None:
        first = [] if self._whole is None else [self._whole]
        for known, sums in [*reversed(self._seen), *first]:
            rows = self._changes.between(known, mask)
            if rows is not None:
                came, went = (self._sum(_parts(numbers)) for numbers in rows)
                changed: Sums | None = sums.changed(came, went)
                return changed
        return None

    def _sum(self, parts: Iterable[np.ndarray]) -> Sums:
        return Sums.total(Sums.of(self._measured(numbers)) for numbers in parts if len(numbers))


def _blocks(mask: np.ndarray) -> Iterator[np.ndarray]:
    """Give the row numbers that a mask selects, so many rows at a time."""
    for start in range(0, len(mask), BLOCK):
        yield start + np.flatnonzero(mask[start : start + BLOCK])


def _parts(numbers: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(numbers), BLOCK):
        yield numbers[start : start + BLOCK]
