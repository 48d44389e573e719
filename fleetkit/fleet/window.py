"""Which flights a call asks for, and whether flights already read contain them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pandas as pd

from fleetkit import periods
from fleetkit.errors import InvalidValue
from fleetkit.schema import FLIGHT_ORDERS, FLIGHT_TYPES

__all__ = ["MARGIN", "Kept", "Window", "check_order", "in_order", "window"]

Moment = str | date | datetime
# Whether the bounds are inclusive and what a bare date covers is not shown (reference, 4.4.8):
# sources are asked for a day more on both sides, and the answer is cut here.
MARGIN = timedelta(days=1)


@dataclass(frozen=True)
class Window:
    """Flights of some equipment and one type in ``[since, until)``; None and () mean all."""

    since: datetime | None = None
    until: datetime | None = None
    flight_type: str | None = None
    equipment: tuple[str, ...] = ()

    def covers(self, other: Window) -> bool:
        """Whether every flight of `other` is a flight of this window."""
        starts = self.since is None or (other.since is not None and self.since <= other.since)
        ends = self.until is None or (other.until is not None and self.until >= other.until)
        types = self.flight_type in {None, other.flight_type}
        pieces = not self.equipment or (
            bool(other.equipment) and set(other.equipment) <= set(self.equipment)
        )
        return starts and ends and types and pieces

    def cut(
        self, flights: pd.DataFrame, bridge: pd.DataFrame, *, dates: bool | None = None
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the flights and bridge rows that lie in this window.

        Flight dates that are dates, not instants, are compared by calendar day (METRICS rule 2);
        `dates` says so where `flights` are too few to tell.
        """
        since, until = self.since, self.until
        if (since or until) and (periods.are_dates(flights) if dates is None else dates):
            since, until = _wall_clock(since), _wall_clock(until)
        if self.equipment:
            bridge = bridge[bridge["equipment_id"].isin(self.equipment)]
        kept = pd.Series(True, index=flights.index)
        if since is not None:
            kept &= flights["flight_date"] >= since
        if until is not None:
            kept &= flights["flight_date"] < until
        if self.flight_type is not None:
            kept &= flights["flight_type"] == self.flight_type
        if self.equipment:
            kept &= flights["flight_id"].isin(bridge["flight_id"])
        flights = flights[kept]
        return flights, bridge[bridge["flight_id"].isin(flights["flight_id"])]


class Kept:
    """Flights and bridge rows, read once for each window that no window read before covers.

    Parameters
    ----------
    read : callable
        Takes a window; returns flights and bridge rows for at least that.
    """

    def __init__(self, read: Callable[[Window], tuple[pd.DataFrame, pd.DataFrame]]) -> None:
        self._read = read
        self._found: dict[Window, tuple[pd.DataFrame, pd.DataFrame]] = {}

    def get(self, wanted: Window) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return flights and bridge rows for at least `wanted`."""
        known = next((each for each in self._found if each.covers(wanted)), wanted)
        if known not in self._found:
            self._found[known] = self._read(known)
        return self._found[known]

    def clear(self) -> None:
        """Forget what was read."""
        self._found.clear()


def _wall_clock(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)


def window(
    period: Moment | periods.Period | None,
    until: Moment | None,
    *,
    tz: str,
    since: Moment | None = None,
    flight_type: str | None = None,
    equipment: Iterable[str] | str | None = None,
) -> Window:
    """Read the arguments of ``fleet.flights`` into a window.

    A lone text is a period (``"2026-10"``); two values are ``[since, until)``.
    """
    if flight_type is not None and flight_type not in FLIGHT_TYPES:
        raise InvalidValue(
            f"flight_type={flight_type!r} is no flight type.",
            advice=f"Flight types are: {', '.join(FLIGHT_TYPES)}.",
        )
    pieces = (equipment,) if isinstance(equipment, str) else tuple(equipment or ())
    if equipment is not None and not pieces:
        raise InvalidValue("equipment=[] names no equipment.", advice="Leave it out to mean all.")
    starts, ends = _ends(period, until, since, tz)
    if starts is not None and ends is not None and starts > ends:
        raise InvalidValue(f"since={starts.isoformat()} lies after until={ends.isoformat()}.")
    return Window(starts, ends, flight_type, tuple(dict.fromkeys(pieces)))


def _ends(
    period: Any, until: Moment | None, since: Moment | None, tz: str
) -> tuple[datetime | None, datetime | None]:
    if period is not None and since is not None:
        raise InvalidValue("Give a period or since=, not both.")
    if isinstance(period, periods.Period):
        return period.since, period.until
    if isinstance(period, str) and until is None:
        whole = periods.parse(period, tz)
        return whole.since, whole.until
    first = since if period is None else period
    return (
        None if first is None else periods.instant(first, tz),
        None if until is None else periods.instant(until, tz),
    )


def check_order(order_by: str) -> None:
    """Refuse an order that the API doesn't know."""
    if order_by not in FLIGHT_ORDERS:
        raise InvalidValue(
            f"order_by={order_by!r} is no order.", advice=f"Orders are: {', '.join(FLIGHT_ORDERS)}."
        )


def in_order(flights: pd.DataFrame, order_by: str) -> pd.DataFrame:
    """Sort as the API's ``orderBy`` says; ties by id, nulls last."""
    what, direction = order_by.rsplit("_", 1)
    column = {"date": "flight_date", "duration": "duration_seconds"}[what]
    ordered = flights.sort_values(
        [column, "flight_id"], ascending=[direction == "asc", True], na_position="last"
    )
    return ordered.reset_index(drop=True)
