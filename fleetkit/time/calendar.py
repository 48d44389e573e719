"""The calendar: its years, months, weeks and midnights, and which unit two days make."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from fleetkit.errors import InvalidValue

__all__ = [
    "EPOCH",
    "FREQUENCIES",
    "MONTHS_IN",
    "WEEK",
    "YEARS",
    "Unit",
    "add_months",
    "day_or_moment",
    "has_period",
    "in_utc",
    "is_before",
    "is_midnight",
    "micros",
    "midnight",
    "months_between",
    "moved_on",
    "offsets",
    "out_of_range",
    "time_shown",
    "unit_of",
    "week_before_year",
    "week_of",
]

Unit = Literal["day", "week", "month", "quarter", "year", "span"]
WEEK, _MONDAY = timedelta(days=7), 0
MONTHS_IN: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12}
# As pandas calls them.
FREQUENCIES = {"year": "Y", "quarter": "Q", "month": "M", "week": "W", "day": "D"}
# Python's calendar ends at the years 1 and 9999; a period has neighbours, and a day to spare.
YEARS = range(1000, 9000)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def midnight(day: date, tz: str) -> datetime:
    """Return the start of a day, as the clock shows it, also where it skips that midnight."""
    return datetime.combine(day, time(), ZoneInfo(tz))


def is_midnight(moment: datetime) -> bool:
    """Whether a moment is the first midnight of its day: some clocks are set back to it."""
    return moment.time() == time() and not moment.fold


def day_or_moment(moment: datetime) -> date | datetime:
    """Return the day of a midnight, as which one chooses it, and any other moment as it is."""
    return moment.date() if is_midnight(moment) else moment


def in_utc(moment: datetime) -> datetime:
    """Return a moment in UTC, by which it is compared with others.

    Python compares times of one zone as its clock shows them, some of which it shows twice.

    Examples
    --------
    >>> first = datetime(2025, 10, 26, 2, 40, tzinfo=ZoneInfo("Europe/Oslo"))
    >>> later = first.replace(minute=10, fold=1)  # half an hour on
    >>> first < later, in_utc(first) < in_utc(later)
    (False, True)
    """
    return moment.astimezone(UTC)


def micros(moment: datetime) -> int:
    """Return a moment in microseconds since 1970, UTC, as files have it.

    Examples
    --------
    >>> micros(datetime(1970, 1, 1, 0, 0, 2, tzinfo=UTC))
    2000000
    """
    return (moment - EPOCH) // timedelta(microseconds=1)


def offsets(*moments: datetime | None) -> tuple[timedelta | None, ...]:
    """Return how far clocks are ahead of UTC at moments, which tells those apart that look alike.

    Examples
    --------
    >>> first = datetime(2025, 10, 26, 2, 30, tzinfo=ZoneInfo("Europe/Oslo"))
    >>> second = first.replace(fold=1)
    >>> first == second, offsets(first) == offsets(second)
    (True, False)
    """
    return tuple(None if moment is None else moment.utcoffset() for moment in moments)


def is_before(one: datetime, other: datetime) -> bool:
    """Whether a moment lies before another one, or is the same and shows an earlier time.

    Where a clock skipped a day, two midnights are one moment.
    """
    moments = in_utc(one), in_utc(other)
    return moments[0] < moments[1] or (moments[0] == moments[1] and one < other)


def time_shown(since: datetime, until: datetime) -> timedelta:
    """Return how much time passes on a clock; what does pass where it shows no later time.

    It doesn't within an hour that the clock shows twice.

    Examples
    --------
    >>> from zoneinfo import ZoneInfo
    >>> first = datetime(2025, 10, 26, 2, 30, tzinfo=ZoneInfo("Europe/Oslo"))
    >>> time_shown(first, first.replace(fold=1)), time_shown(first, first.replace(hour=4))
    (datetime.timedelta(seconds=3600), datetime.timedelta(seconds=7200))
    """
    shown = until.replace(tzinfo=None, fold=0) - since.replace(tzinfo=None, fold=0)
    return shown if shown > timedelta(0) else in_utc(until) - in_utc(since)


def moved_on(since: datetime, by: timedelta) -> datetime:
    """Return when a clock shows so much more than at a moment; see `time_shown`.

    Examples
    --------
    >>> second = datetime(2025, 10, 26, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Oslo"))
    >>> moved_on(second, timedelta(minutes=10)).isoformat()
    '2025-10-26T02:40:00+01:00'
    """
    until = since + by
    return until if is_before(since, until) else (in_utc(since) + by).astimezone(since.tzinfo)


def add_months(day: date, months: int) -> date:
    """Return the same day of another month; that month's last day where it has no such day.

    Examples
    --------
    >>> add_months(date(2024, 2, 29), -12), add_months(date(2026, 10, 5), 3)
    (datetime.date(2023, 2, 28), datetime.date(2027, 1, 5))
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year not in YEARS and year != YEARS.stop:  # where a period of the last year ends
        raise out_of_range(year)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def has_period(time: str) -> bool:
    """Say whether the year that a written month, week or day begins with is one of `YEARS`.

    Examples
    --------
    >>> has_period("2026-W41"), has_period("0001-01"), has_period("10000-01-01")
    (True, False, False)
    """
    return int(time.partition("-")[0]) in YEARS


def months_between(earlier: date, later: date) -> int:
    """Return how many months one day's month lies before another's."""
    return 12 * (later.year - earlier.year) + later.month - earlier.month


def unit_of(first: date, after: date) -> Unit:
    """Return which unit of the calendar starts on the first day and is over on the other."""
    if after == first + timedelta(1):
        return "day"
    if after == first + WEEK and first.weekday() == _MONDAY:
        return "week"
    months = months_between(first, after) if first.day == after.day == 1 else 0
    for unit, length in MONTHS_IN.items():
        if months == length and (first.month - 1) % length == 0:
            return unit
    return "span"


def week_of(year: int, number: int) -> date:
    """Return the Monday of an ISO week: the first of a year is the one with its first Thursday.

    Raises
    ------
    ValueError
        The year has no such week, or no period can lie in it.

    Examples
    --------
    >>> week_of(2026, 41), week_of(2026, 1)
    (datetime.date(2026, 10, 5), datetime.date(2025, 12, 29))
    """
    monday = date.fromisocalendar(year, number, 1)
    if monday.year not in YEARS or (monday + WEEK).year not in YEARS:
        raise out_of_range(f"{year}-W{number:02d}")
    return monday


def week_before_year(monday: date) -> date:
    """Return the Monday of the same ISO week a year before; the 52nd stands for a missing 53rd.

    Examples
    --------
    >>> week_before_year(date(2026, 10, 5)), week_before_year(date(2026, 12, 28))
    (datetime.date(2025, 10, 6), datetime.date(2025, 12, 22))
    """
    year, number, _ = monday.isocalendar()
    last = date(year - 1, 12, 28).isocalendar().week  # the 28th always lies in the last week
    return week_of(year - 1, min(number, last))


def out_of_range(value: Any) -> InvalidValue:
    """Return the error of a year that no period can lie in."""
    return InvalidValue(
        f"{value} lies outside of the years {YEARS[0]} to {YEARS[-1]}.",
        advice="Choose a period within them.",
    )
