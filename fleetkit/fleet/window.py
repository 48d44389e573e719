"""Which flights a call asks for, by their dates, their type and their equipment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, TypeGuard

import pandas as pd

from fleetkit.conversion import is_many
from fleetkit.errors import InvalidValue
from fleetkit.fleet.rows import is_in
from fleetkit.interface import brief
from fleetkit.time import Clock, Moment, Period, PeriodLike, day_or_moment, in_utc, instant, offsets

__all__ = ["DATED", "Periods", "Window", "named", "window", "windows"]

# The tables that dates cut, in the order in which they are read together.
DATED = ("flights", "flight_equipment")
# Wide enough for later calls too, whether flight dates are dates or instants.
_ANY_DATES = Clock()
_DAY = re.compile(r"\d{4}-\d\d?-\d")
# How pandas writes that dates stand at ends of months, quarters or years, or a week apart.
_LONG_STEP = re.compile(r"\d*B?([MQY])[SE]|\d*(W)\b")
Periods = PeriodLike | Iterable[PeriodLike]


@dataclass(frozen=True)
class Window:
    """Flights of some equipment and one type in ``[since, until)``; None and () mean all."""

    since: datetime | None = None
    until: datetime | None = None
    flight_type: str | None = None
    equipment: tuple[str, ...] = ()
    # By which windows differ whose ends the clock shows alike.
    _offsets: tuple[timedelta | None, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_offsets", offsets(self.since, self.until))

    @property
    def is_whole(self) -> bool:
        """Whether all flights are meant."""
        return self == Window()

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
        is_theirs = is_in(bridge["flight_id"], flights["flight_id"])
        return flights, bridge if is_theirs.all() else bridge[is_theirs]  # texts copy slowly


def named(parts: Iterable[Window], tz: str) -> str:
    """Write which days some windows are of.

    Examples
    --------
    >>> named(windows(["2026-08", "2026-10"], tz="UTC"), "UTC"), named([Window()], "UTC")
    ('2026-08, 2026-10', 'all days')
    >>> named(windows(since="2026-10-05", tz="UTC"), "UTC")
    'since 2026-10-05'
    """
    return ", ".join(_named(part, tz) for part in parts)


def _named(part: Window, tz: str) -> str:
    since, until = part.since, part.until
    if since is not None and until is not None and in_utc(since) < in_utc(until):
        return Period(since, until, tz).name
    ends = {"since": since, "until": until}
    texts = (f"{word} {instant(end, tz):%Y-%m-%d}" for word, end in ends.items() if end is not None)
    return " ".join(texts) or "all days"


def windows(
    period: Periods | None = None,
    *,
    since: Moment | None = None,
    until: Moment | None = None,
    tz: str,
    may_start: bool = True,
) -> list[Window]:
    """Read the arguments of ``fleet.flights`` into windows, one unless `period` is a list.

    Where it may, a period with `until` alone is the start, as in ``flights(since, until)``, and
    so is the first of two days in a tuple. Periods of a list that touch are one window.

    Examples
    --------
    >>> named(windows(("2026-10-01", "2026-10-19"), tz="UTC"), "UTC")
    '2026-10-01_2026-10-18'
    """
    if may_start and since is None and until is None and _are_ends(period):
        (since, until), period = period, None
    if isinstance(period, str) or not isinstance(period, Iterable):
        if may_start and period is not None and until is not None and since is None:
            period, since = None, instant(period, tz)
        return [window(period, since=since, until=until, tz=tz)]
    if since is not None or until is not None:
        raise InvalidValue("Give a list of periods, or since= and until=, not both.")
    parts = sorted(
        (Period.read(part, tz) for part in _listed(period)),
        key=lambda part: in_utc(part.since),
    )
    if not parts:
        raise InvalidValue("The list of periods is empty.", advice="Leave it out to mean all.")
    ends = [(parts[0].since, parts[0].until)]
    for part in parts[1:]:
        since, until = ends[-1]
        if in_utc(part.since) <= in_utc(until):
            ends[-1] = (since, max(until, part.until, key=in_utc))
        else:
            ends.append((part.since, part.until))
    return [Window(*both) for both in ends]


def _are_ends(period: Any) -> TypeGuard[tuple[Moment, Moment]]:
    """Whether it is ``(since, until)``, not several periods: a tuple of two days or moments."""
    return isinstance(period, tuple) and len(period) == 2 and all(map(_is_end, period))


def _is_end(value: Any) -> bool:
    is_text = isinstance(value, str) and "_" not in value
    return isinstance(value, date) or (is_text and bool(_DAY.match(value)))


def _listed(period: Iterable[Any]) -> list[Any]:
    if isinstance(period, Mapping | pd.DataFrame | bytes) or not is_many(period):
        raise InvalidValue(
            f"A {type(period).__name__} is not a period.",
            advice='Write one as "2026-10", or hand over a list or a Series of periods.',
        )
    frequency = getattr(period, "freqstr", None) if isinstance(period, pd.DatetimeIndex) else None
    if step := _LONG_STEP.match(frequency or ""):
        raise InvalidValue(
            f"A DatetimeIndex of freq={brief(frequency)} holds single days.",
            advice=f'Pass pd.period_range(…, freq="{step[1] or step[2]}") for the whole periods, or'
            " list(…) of the index for its days.",
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
    if starts is not None and ends is not None and in_utc(starts) > in_utc(ends):
        raise InvalidValue(
            f"since={day_or_moment(starts).isoformat()} lies after "
            f"until={day_or_moment(ends).isoformat()}.",
            advice="Choose an earlier since, a later until, or leave one of them out.",
        )
    return Window(starts, ends)
