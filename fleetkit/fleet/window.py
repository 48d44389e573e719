"""Which flights a call asks for, and whether flights already read contain them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit.arguments import texts
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean
from fleetkit.schema import FLIGHT_ORDERS, FLIGHT_TYPES
from fleetkit.time import Clock, Moment, Period, PeriodLike, instant

__all__ = [
    "FlightCache",
    "Periods",
    "Window",
    "are_many",
    "check_order",
    "check_types",
    "equipment_ids",
    "is_in",
    "sort",
    "sort_flights",
    "window",
    "windows",
]

# From so many flights on, their dates tell whether they are dates or instants.
_MANY = 100
_TEXT = pa.large_string()
# What is read once serves whoever asks later, be flight dates dates or instants.
_ANY_DATES = Clock()
Periods = PeriodLike | Iterable[PeriodLike]


@dataclass(frozen=True)
class Window:
    """Flights of some equipment and one type in ``[since, until)``; None and () mean all."""

    since: datetime | None = None
    until: datetime | None = None
    flight_type: str | None = None
    equipment: tuple[str, ...] = ()

    def covers(self, other: Window) -> bool:
        """Whether what is read for this window holds every flight of `other`."""
        (since, until), (first, last) = _ANY_DATES.edges(self), _ANY_DATES.edges(other)
        starts = since is None or (first is not None and since <= first)
        ends = until is None or (last is not None and until >= last)
        types = self.flight_type in {None, other.flight_type}
        pieces = not self.equipment or (
            bool(other.equipment) and set(other.equipment) <= set(self.equipment)
        )
        return starts and ends and types and pieces

    def cut(
        self, flights: pd.DataFrame, bridge: pd.DataFrame, clock: Clock
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the flights and bridge rows that lie in this window, as a clock cuts it."""
        flights = clock.cut(flights, self).copy(deep=False)
        if self.flight_type is not None:
            flights = flights[flights["flight_type"] == self.flight_type]
        if self.equipment:
            bridge = bridge[bridge["equipment_id"].isin(self.equipment)]
            flights = flights[is_in(flights["flight_id"], bridge["flight_id"])]
        return flights, bridge[is_in(bridge["flight_id"], flights["flight_id"])]


class FlightCache:
    """Flights and bridge rows, read once for a window that no cached window covers.

    Parameters
    ----------
    read : callable
        Takes a window; returns flights and bridge rows for at least that.
    """

    def __init__(self, read: Callable[[Window], tuple[pd.DataFrame, pd.DataFrame]]) -> None:
        self._read = read
        self._cached: dict[Window, tuple[pd.DataFrame, pd.DataFrame]] = {}

    def get(self, window: Window) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return flights and bridge rows for at least `window`."""
        known = next((wider for wider in self._cached if wider.covers(window)), window)
        if known not in self._cached:
            self._cached[known] = self._read(known)
        return self._cached[known]

    def remember(self, other: FlightCache) -> None:
        """Take over what another one has read."""
        self._cached.update(other._cached)

    def clear(self) -> None:
        """Forget what was read."""
        self._cached.clear()


def is_in(ids: pd.Series, values: pd.Series) -> pd.Series:
    """Return which texts are in others; `Series.isin` would compare them in Python."""
    is_present = pc.is_in(pa.array(ids, _TEXT), pa.array(values, _TEXT), skip_nulls=True)
    return pd.Series(is_present.to_numpy(zero_copy_only=False), index=ids.index)


def sort(frame: pd.DataFrame, *keys: tuple[str, str]) -> pd.DataFrame:
    """Sort by columns, each "ascending" or "descending", nulls last.

    Arrow compares the texts of the second column only where the first leaves a tie.
    """
    columns = pa.Table.from_pandas(frame[[name for name, _ in keys]], preserve_index=False)
    for batch in columns.combine_chunks().to_batches():
        order = pc.sort_indices(batch, keys)
        return frame.take(order.to_numpy()).reset_index(drop=True)
    return frame.reset_index(drop=True)


def are_many(flights: pd.DataFrame) -> bool:
    """Whether flights are enough to tell whether their dates are dates or instants."""
    return int(flights["flight_date"].count()) >= _MANY


def windows(
    period: Periods | None = None,
    *,
    since: Moment | None = None,
    until: Moment | None = None,
    tz: str,
) -> list[Window]:
    """Read the arguments of ``fleet.flights`` into windows, one unless `period` is a list.

    A period with `until` alone is the start, as in ``flights(since, until)``. Periods of a list
    that touch are one window.
    """
    if isinstance(period, str) or not isinstance(period, Iterable):
        if period is not None and until is not None and since is None:
            period, since = None, instant(period, tz)
        return [window(period, since=since, until=until, tz=tz)]
    if since is not None or until is not None:
        raise InvalidValue("Give a list of periods, or since= and until=, not both.")
    parts = sorted(
        (Period.read(part, tz) for part in _listed(period)),
        key=lambda part: part.since.astimezone(UTC),
    )
    if not parts:
        raise InvalidValue("The list of periods is empty.", advice="Leave it out to mean all.")
    ends = [(parts[0].since, parts[0].until)]
    for part in parts[1:]:
        since, until = ends[-1]
        if part.since.astimezone(UTC) <= until.astimezone(UTC):
            ends[-1] = (since, max(until, part.until, key=lambda end: end.astimezone(UTC)))
        else:
            ends.append((part.since, part.until))
    return [Window(*both) for both in ends]


def _listed(period: Iterable[Any]) -> list[Any]:
    if isinstance(period, Mapping | pd.DataFrame | bytes):
        raise InvalidValue(
            f"A {type(period).__name__} is not a period.",
            advice='Write one as "2026-10", or hand over a list or a Series of periods.',
        )
    return list(period)


def window(
    period: PeriodLike | None = None,
    *,
    since: Moment | None = None,
    until: Moment | None = None,
    tz: str,
) -> Window:
    """Return the window of a period, or the one from `since` until `until`.

    Raises
    ------
    InvalidValue
        Both are given, or one of them is not valid, or `until` lies before `since`.
    """
    if period is not None:
        if since is not None or until is not None:
            raise InvalidValue("Give a period, or since= and until=, not both.")
        whole = Period.read(period, tz)
        return Window(whole.since, whole.until)
    starts = None if since is None else instant(since, tz)
    ends = None if until is None else instant(until, tz)
    if starts is not None and ends is not None and starts.astimezone(UTC) > ends.astimezone(UTC):
        raise InvalidValue(f"since={starts.isoformat()} lies after until={ends.isoformat()}.")
    return Window(starts, ends)


def equipment_ids(equipment: Iterable[str] | str | None) -> tuple[str, ...]:
    """Return the identifiers that an argument holds; none where it is left out."""
    if equipment is None:
        return ()
    identifiers = texts(equipment, "equipment", "equipment_id")
    if not identifiers:
        raise InvalidValue("equipment=[] names no equipment.", advice="Leave it out to mean all.")
    return identifiers


def check_types(types: Iterable[str]) -> None:
    """Refuse a flight type that the API doesn't know."""
    for token in types:
        if token not in FLIGHT_TYPES:
            raise InvalidValue(
                f"{token!r} is not a flight type. {did_you_mean(token, FLIGHT_TYPES)}",
                advice=f"Flight types are: {', '.join(FLIGHT_TYPES)}.",
            )


def check_order(order_by: str) -> None:
    """Refuse an order that the API doesn't know."""
    if not isinstance(order_by, str) or order_by not in FLIGHT_ORDERS:
        suggestion = did_you_mean(order_by, FLIGHT_ORDERS) if isinstance(order_by, str) else ""
        raise InvalidValue(
            f"order_by={brief(order_by)} is not an order. {suggestion}",
            advice=f"Orders are: {', '.join(FLIGHT_ORDERS)}.",
        )


def sort_flights(flights: pd.DataFrame, order_by: str) -> pd.DataFrame:
    """Sort as the API's ``orderBy`` says; ties by id, nulls last."""
    what, direction = order_by.rsplit("_", 1)
    column = {"date": "flight_date", "duration": "duration_seconds"}[what]
    return sort(flights, (column, f"{direction}ending"), ("flight_id", "ascending"))
