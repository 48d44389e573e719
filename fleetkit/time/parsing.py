"""What people and programs write for a moment or a period, read in one place."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

from fleetkit.arguments import is_whole_number
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.schema import read_time
from fleetkit.time.calendar import (
    MONTHS_IN,
    WEEK,
    YEARS,
    Unit,
    add_months,
    in_utc,
    is_before,
    midnight,
    out_of_range,
    week_of,
)
from fleetkit.time.zone import zone_name

__all__ = ["Moment", "as_written", "instant", "invalid_period", "read_ends", "read_named"]

Moment = str | date | datetime
_FORMS = "2026, 2026-Q4, 2026-10, 2026-W41, 2026-10-31"
_NAMED = re.compile(
    r"(\d{4})(?:-?Q([1-4])|-?W(\d{2})|-(\d{2})(?:-(\d{2}))?)?", re.ASCII | re.IGNORECASE
)
# A moment in the name of a period: fit for a file name, so without colons and points.
_STAMP = re.compile(r"(.{10}T\d{6})(\d{6})?([+-]\d{4,})?", re.ASCII)


def as_written(value: Any) -> Any:
    """Return a year, and what NumPy has of a date or time, as text or as Python has it."""
    if is_whole_number(value):
        return str(value)
    if isinstance(value, np.datetime64):
        return str(value) if _NAMED.fullmatch(str(value)) else _read_datetime(str(value))
    return value


def read_named(text: str) -> tuple[date, date, Unit]:
    """Read a year, quarter, month, week or day: its first day, the day after it, its unit.

    Raises
    ------
    InvalidValue
        For anything else, such as ``2026-13``.

    Examples
    --------
    >>> read_named("2026-Q4")
    (datetime.date(2026, 10, 1), datetime.date(2027, 1, 1), 'quarter')
    >>> read_named("2026-W41")
    (datetime.date(2026, 10, 5), datetime.date(2026, 10, 12), 'week')
    """
    match = _NAMED.fullmatch(text.strip())
    if match is None or int(match[1]) not in YEARS:
        raise invalid_period(text)
    year, quarter, week, month, day = match.groups()
    unit: Unit = "day" if day else "month" if month else "quarter" if quarter else "year"
    try:
        if week:
            monday = week_of(int(year), int(week))
            return monday, monday + WEEK, "week"
        first = date(int(year), int(month or 3 * int(quarter or "1") - 2), int(day or 1))
    except ValueError:
        raise invalid_period(text) from None
    after = first + timedelta(1) if unit == "day" else add_months(first, MONTHS_IN[unit])
    return first, after, unit


def read_ends(text: str, tz: str) -> tuple[datetime, datetime]:
    """Read two ends: the first and the last day, both within, or two moments.

    Examples
    --------
    >>> [end.isoformat() for end in read_ends("2026-10-05_2026-10-18", "UTC")]
    ['2026-10-05T00:00:00+00:00', '2026-10-19T00:00:00+00:00']
    >>> [end.isoformat() for end in read_ends("2026-10-05T060000_2026-10-05T183000", "UTC")]
    ['2026-10-05T06:00:00+00:00', '2026-10-05T18:30:00+00:00']
    """
    first, _, last = text.strip().partition("_")
    if _NAMED.fullmatch(first) and _NAMED.fullmatch(last):
        ends = midnight(read_named(first)[0], tz), midnight(read_named(last)[1], tz)
    elif "T" in first and "T" in last:
        ends = instant(_spelled(first), tz), instant(_spelled(last), tz)
    else:
        raise invalid_period(text)
    if not is_before(*ends):
        raise InvalidValue(
            f"{brief(text)} is not a valid period: its end does not lie after its start.",
            advice="Write the earlier one first.",
        )
    return ends


def _spelled(stamp: str) -> str:
    """Return a moment as Python reads it."""
    match = _STAMP.fullmatch(stamp)
    if match is None:
        return stamp
    start, micros, offset = match.groups("")
    return f"{start}{micros and f'.{micros}'}{offset}"


def instant(value: Any, tz: str = "UTC") -> datetime:
    """Return the moment that a date or time means: the start of a day, month or year, in `tz`.

    Parameters
    ----------
    value : str, int, date, datetime, pandas.Period or Period
        A time without a zone is one in `tz`.
    tz : str
        IANA time zone.

    Raises
    ------
    InvalidValue
        For what is not a date or time.

    Examples
    --------
    >>> instant("2026-10-01", tz="Europe/London").isoformat()
    '2026-10-01T00:00:00+01:00'
    >>> instant("2026-10-01T06:00:00Z", tz="Europe/London").isoformat()
    '2026-10-01T07:00:00+01:00'
    """
    zone = ZoneInfo(zone_name(tz))
    value = _as_date(value)
    if not isinstance(value, date) or value is pd.NaT:
        raise _invalid_moment(value)
    if value.year not in YEARS:
        raise out_of_range(value)
    if isinstance(value, pd.Timestamp):
        value = value.to_pydatetime(warn=False)
    if not isinstance(value, datetime):
        return midnight(value, zone.key)
    if value.tzinfo is None:
        return value.replace(tzinfo=zone)
    moment = in_utc(value).astimezone(zone)
    start = midnight(moment.date(), zone.key)
    return start if in_utc(start) == in_utc(moment) else moment


def _as_date(value: Any) -> Any:
    """Return the start of whatever has one; anything else stays as it is."""
    value = as_written(value)
    if isinstance(value, str):
        text = value.strip()
        return _first_day(text) if _NAMED.fullmatch(text) else _read_datetime(text)
    if isinstance(value, pd.Period):
        return value.start_time
    since = getattr(value, "since", None)  # a Period's
    return since if isinstance(since, datetime) else value


def _first_day(text: str) -> date:
    """Return the first day of a named period, refused as the moment that it was to be."""
    if int(text[:4]) not in YEARS:
        raise out_of_range(text)
    try:
        return read_named(text)[0]
    except InvalidValue:
        raise _invalid_moment(text) from None


def _read_datetime(text: str) -> datetime:
    try:
        return read_time(text)
    except ValueError:
        raise _invalid_moment(text) from None


def _invalid_moment(value: Any) -> InvalidValue:
    return InvalidValue(
        f"{brief(value)} is not a date or time.",
        advice=f"Write one as {_FORMS}, or with a time, as 2026-10-31T06:00:00Z.",
    )


def invalid_period(value: Any) -> InvalidValue:
    """Return the error of what is not a period."""
    return InvalidValue(
        f"{brief(value)} is not a valid period.",
        advice=f"Write one as {_FORMS} or 2026-10-05_2026-10-18.",
    )
