"""Instants as milliseconds since 1970, UTC, and in the format of the API."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

__all__ = ["DAY", "HOUR", "MINUTE", "SECOND", "midnight", "month_starts", "write_instant"]

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def midnight(day: date) -> int:
    """Return the first millisecond of a day.

    Examples
    --------
    >>> midnight(date(1970, 1, 3)) == 2 * DAY
    True
    """
    return round(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * SECOND


def month_starts(as_of: date, months: int) -> list[date]:
    """Return the first days of the last complete months and of the current one.

    Examples
    --------
    >>> [day.isoformat() for day in month_starts(date(2026, 1, 20), 2)]
    ['2025-11-01', '2025-12-01', '2026-01-01']
    """
    current = as_of.year * 12 + as_of.month - 1
    starts = (divmod(current - back, 12) for back in range(months, -1, -1))
    return [date(year, month + 1, 1) for year, month in starts]


def write_instant(instant: float) -> str:
    """Write an instant in the format of the API.

    Examples
    --------
    >>> write_instant(DAY + 61_250)
    '1970-01-02T00:01:01.250Z'
    """
    day, remainder = divmod(int(instant), DAY)
    seconds, milliseconds = divmod(remainder, SECOND)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{_day(day)}T{hours:02d}:{minutes:02d}:{seconds:02d}.{milliseconds:03d}Z"


@lru_cache(maxsize=4096)
def _day(number: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=number)).isoformat()
