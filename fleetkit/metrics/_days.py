"""Calendar days in a time zone: of flights, of columns, of "as of".

DuckDB and Spark keep one time zone for the whole session. There the clock is moved by the hours
that lie between two zones, from one change of the clocks to the next.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import narwhals as nw
import pandas as pd

from fleetkit import periods
from fleetkit.errors import InvalidValue

__all__ = ["are_dates", "as_day", "days_of", "local_days", "within"]

_DAY = timedelta(days=1)


def local_days(flights: nw.LazyFrame, tz: str) -> nw.Expr:
    """Return the local midnight, without a zone, of each ``flight_date``.

    Dates are not shifted (see :func:`fleetkit.periods.are_dates`).
    """
    return local_clock(flights, tz).dt.truncate("1d")


def local_clock(flights: nw.LazyFrame, tz: str) -> nw.Expr:
    """Return what the clock in `tz` showed at each ``flight_date``, without a zone."""
    periods.instant(date(2000, 1, 1), tz)  # an unknown zone is refused in words
    return _clock(flights, "UTC" if tz == "UTC" or are_dates(flights) else tz)


def are_dates(flights: nw.LazyFrame) -> bool:
    """Whether the flight dates are dates, whatever zone the engine's session is in."""
    in_utc = flights.select(_clock(flights, "UTC").alias("flight_date"))
    return periods.are_dates(in_utc.to_native())


def within(flights: nw.LazyFrame, period: periods.Period) -> nw.LazyFrame:
    """Return the flights of a period; dates are cut by calendar day."""
    cut = period.as_dates() if are_dates(flights) else period
    since, until = (end.astimezone(UTC).replace(tzinfo=None) for end in (cut.since, cut.until))
    clock = _clock(flights, "UTC")
    return flights.filter(clock >= since, clock < until)


def _clock(flights: nw.LazyFrame, tz: str) -> nw.Expr:
    dtype = flights.collect_schema()["flight_date"]
    if not isinstance(dtype, nw.Datetime):
        raise InvalidValue(
            f"flights.flight_date is {dtype}, no timestamp.",
            advice="Hand over flights as fleet.flights() returns them.",
        )
    moment, stored = nw.col("flight_date"), dtype.time_zone
    clock = moment.dt.replace_time_zone(None) if stored else moment
    if (stored or "UTC") == tz:
        return clock
    engine = flights.implementation
    if not (engine.is_duckdb() or engine.is_spark_like() or engine.is_ibis()):
        return moment.dt.convert_time_zone(tz).dt.replace_time_zone(None)
    ends = flights.select(moment.min(), moment.max().alias("last")).collect("pandas").row(0)
    if pd.isna(ends[0]):
        return clock
    zone = ZoneInfo(stored or "UTC")
    first, last = (_aware(each, zone) for each in ends)
    edges = [
        (start.astimezone(zone) if stored else start.replace(tzinfo=None), shift)
        for start, shift in _shifts(first, last, zone, ZoneInfo(tz))
    ]
    return _moved(moment, clock, edges)


def _aware(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment


def _moved(moment: nw.Expr, clock: nw.Expr, edges: list[tuple[datetime, timedelta]]) -> nw.Expr:
    """Add to each clock the shift that holds since the last edge before its moment."""
    if len(edges) == 1:
        return clock + edges[0][1]
    half = len(edges) // 2  # a tree, not a chain: few comparisons also over many years
    before, after = (_moved(moment, clock, each) for each in (edges[:half], edges[half:]))
    return nw.when(moment < edges[half][0]).then(before).otherwise(after)


def _shifts(
    first: datetime, last: datetime, zone: ZoneInfo, other: ZoneInfo
) -> list[tuple[datetime, timedelta]]:
    """Return since when the clock of `other` is ahead of that of `zone`, and by how much."""

    def ahead(moment: datetime) -> timedelta:
        offsets = [moment.astimezone(each).utcoffset() or timedelta() for each in (other, zone)]
        return offsets[0] - offsets[1]

    day = first.astimezone(UTC).replace(microsecond=0)
    found = [(day, ahead(day))]
    while day <= last:
        day += _DAY
        if ahead(day) != found[-1][1]:
            found.append((_change(day - _DAY, day, ahead), ahead(day)))
    return found


def _change(before: datetime, after: datetime, ahead: Callable[[datetime], timedelta]) -> datetime:
    """Return the second in which the clocks change between two moments."""
    while after - before > timedelta(seconds=1):
        middle = before + timedelta(seconds=(after - before) // timedelta(seconds=2))
        before, after = (middle, after) if ahead(middle) == ahead(before) else (before, middle)
    return after


def days_of(column: pd.Series[Any], tz: str) -> pd.Series[Any]:
    """Return the local midnight, without a zone, of each timestamp of a pandas column."""
    frame = nw.from_native(pd.DataFrame({"flight_date": column})).lazy()
    days = frame.select(local_days(frame, tz).alias("day")).collect().to_native()["day"]
    return days.set_axis(column.index)


def as_day(as_of: str | date | datetime, tz: str) -> pd.Timestamp:
    """Return the local midnight, without a zone, of the day that `as_of` falls on in `tz`."""
    return pd.Timestamp(periods.instant(as_of, tz).date())
