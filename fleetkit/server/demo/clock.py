"""Instants as milliseconds since 1970, UTC, and in the format of the API."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from fleetkit.schema import timestamp

__all__ = ["DAY", "HOUR", "MINUTE", "SECOND", "midnight", "month_starts", "write_instant"]

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
_EPOCH = datetime(1970, 1, 1)


def midnight(day: date) -> int:
    """Return the first millisecond of a day.

    Examples
    --------
    >>> midnight(date(1970, 1, 3)) == 2 * DAY
    True
    """
    return (day - _EPOCH.date()).days * DAY


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
    return timestamp(_EPOCH + timedelta(milliseconds=int(instant)))
