"""Periods of time: what ``"2026-10"`` means, where it starts and ends, what came before it.

A period is ``[since, until)`` in a named time zone. A flight belongs wholly to the period of its
``flight_date``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any, Literal
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean, worded

__all__ = [
    "YEARS",
    "Moment",
    "Period",
    "PeriodLike",
    "instant",
    "last_complete_month",
    "midnight",
    "zone_name",
]

Moment = str | date | datetime
Unit = Literal["day", "month", "quarter", "year", "span"]

_MONTHS_IN: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12}
_FORMS = "2026, 2026-Q4, 2026-10 or 2026-10-31"
_PERIOD = re.compile(r"(\d{4})(?:-?(?:Q([1-4]))|-(\d{2})(?:-(\d{2}))?)?", re.ASCII | re.IGNORECASE)
# Python's calendar ends at the years 1 and 9999; a period has neighbours, and a day to spare.
YEARS = range(1000, 9000)


@dataclass(frozen=True)
class Period:
    """``[since, until)``: local midnights, or moments with a time zone.

    `Period.read` reads what people write, `Period.between` builds one of two ends.

    Attributes
    ----------
    since, until : datetime
        Aware datetimes in `tz`. A `Period` of one value is what `Period.read` makes of it.
    tz : str
        IANA time zone.
    unit : {"day", "month", "quarter", "year", "span"}
        What kind of period it is; ``previous`` goes back by that much.

    Raises
    ------
    InvalidValue
        A ValueError: an unknown zone, what is not a moment, or an end before the start.

    Examples
    --------
    >>> october = Period.read("2026-10", tz="Europe/London")
    >>> october.name, october.title, october.days
    ('2026-10', 'October 2026', 31)
    >>> october.previous().name, october.year_before().name
    ('2026-09', '2025-10')
    """

    since: datetime
    until: datetime = None  # type: ignore[assignment]  # of one value; never None afterwards
    tz: str = "UTC"
    unit: Unit = "span"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tz", zone_name(self.tz))
        if self.until is None:
            whole = Period.read(self.since, self.tz)
            for name in ("since", "until", "tz", "unit"):
                object.__setattr__(self, name, getattr(whole, name))
        for end in ("since", "until"):
            moment = getattr(self, end)
            if getattr(moment, "tzinfo", None) is not ZoneInfo(self.tz):
                object.__setattr__(self, end, instant(moment, self.tz))
        if not _is_before(self.since, self.until):
            since, until = _to_text(self.since), _to_text(self.until)
            raise InvalidValue(
                worded(
                    python=f"until={until} does not lie after since={since}.",
                    command_line=f"--until {until} does not lie after --since {since}.",
                )
            )

    @classmethod
    def read(cls, value: Any, tz: str = "UTC") -> Period:
        """Read a period from what people write.

        Parameters
        ----------
        value : str, int, date, datetime, pandas.Period or Period
            A text is a year, quarter, month or day: ``2026``, ``2026-Q4``, ``2026-10``,
            ``2026-10-31``. A whole number is a year, a date (or a midnight) is a day.
        tz : str
            IANA time zone of its midnights; a Period keeps its own.

        Raises
        ------
        InvalidValue
            For anything else, such as ``2026-13``, and for a moment within a day, which is not a
            period.

        Examples
        --------
        >>> Period.read(2026).name, Period.read(date(2026, 10, 31)).name
        ('2026', '2026-10-31')
        >>> Period.read(pd.Period("2026Q4")).name
        '2026-Q4'
        """
        if isinstance(value, Period):
            return value
        if isinstance(value, str) or _is_year(value):
            return _parse(value if isinstance(value, str) else f"{value:04d}", tz)
        if isinstance(value, pd.Period):
            return cls.between(value.start_time, (value + 1).start_time, tz)
        if isinstance(value, np.datetime64):
            value = str(value)
            return (
                _parse(value, tz) if _PERIOD.fullmatch(value) else cls.read(_datetime_of(value), tz)
            )
        if isinstance(value, date) and value is not pd.NaT:
            start = instant(value, tz)
            if start.time() == time():
                return _parse(start.date().isoformat(), tz)
            raise InvalidValue(
                f"{_to_text(start)} is a moment, not a period.",
                advice="Give since= and until=, or a date for its whole day.",
            )
        raise InvalidValue(
            f"{brief(value)} is not a valid period.", advice=f"Write one as {_FORMS}."
        )

    @classmethod
    def between(cls, since: Moment, until: Moment, tz: str = "UTC") -> Period:
        """Return ``[since, until)``, as the calendar's own day, month, quarter or year where it is.

        Raises
        ------
        InvalidValue
            For what is not a date or time, or an end that doesn't lie after the start.

        Examples
        --------
        >>> Period.between("2026-10-01", "2026-11-01", "UTC").title
        'October 2026'
        >>> Period.between("2026-10-05", "2026-10-19", "UTC").title
        '5–18 October 2026'
        """
        span = cls(instant(since, tz), instant(until, tz), tz)
        unit = _unit_of(span.since.date(), span.until.date()) if span.is_of_days else "span"
        return replace(span, unit=unit)

    @property
    def whole(self) -> Period:
        """The whole period, where only a part of it is meant."""
        return self

    @property
    def days(self) -> int:
        """Calendar days that the period touches."""
        return (self.last_day - self.since.date()).days + 1

    @property
    def last_day(self) -> date:
        """Last calendar day inside the period; its end is exclusive."""
        return (_naive(self.until) - timedelta(microseconds=1)).date()

    @property
    def is_of_days(self) -> bool:
        """Whether it starts and ends at midnights, so that it consists of whole days."""
        return self.since.time() == self.until.time() == time()

    @property
    def is_of_months(self) -> bool:
        """Whether it consists of whole calendar months."""
        return self.is_of_days and self.since.day == self.until.day == 1

    @property
    def name(self) -> str:
        """Short form, fit for a file name: ``2026-10``, ``2026-Q4``, ``2026-10-05_2026-10-18``."""
        first, year = self.since.date(), f"{self.since.year:04d}"
        forms = {
            "year": year,
            "quarter": f"{year}-Q{(first.month + 2) // 3}",
            "month": f"{year}-{first.month:02d}",
            "day": first.isoformat(),
        }
        if self.unit in forms:
            return forms[self.unit]
        if self.is_of_days:
            return f"{first.isoformat()}_{self.last_day.isoformat()}"
        return "_".join(re.sub(r"[:.]", "", _naive(end).isoformat()) for end in self._ends)

    @property
    def title(self) -> str:
        """Form for people: ``October 2026``, ``Q4 2026``, ``5–18 October 2026``."""
        first, last = self.since.date(), self.last_day
        forms = {
            "year": f"{first.year}",
            "quarter": f"Q{(first.month + 2) // 3} {first.year}",
            "month": f"{first:%B} {first.year}",
            "day": f"{first.day} {first:%B} {first.year}",
        }
        if self.unit in forms:
            return forms[self.unit]
        if not self.is_of_days:
            return " – ".join(f"{end.day} {end:%B} {end.year} {_hours(end)}" for end in self._ends)
        if first == last:
            return f"{first.day} {first:%B} {first.year}"
        if (first.year, first.month) == (last.year, last.month):
            return f"{first.day}–{last.day} {last:%B} {last.year}"
        year = f" {first.year}" if first.year != last.year else ""
        return f"{first.day} {first:%B}{year} – {last.day} {last:%B} {last.year}"

    @property
    def _ends(self) -> tuple[datetime, datetime]:
        return self.since, self.until

    def previous(self) -> Period:
        """Return the period of the same length just before this one.

        Of whole months so many months, of whole days so many days, else so much time.

        Examples
        --------
        >>> Period.read("2026-10").previous().months()
        ['2026-09']
        """
        if self.is_of_months:
            return self._shift_months(_months_between(self.until.date(), self.since.date()))
        if self.is_of_days:
            day = self._shift_day(self.since.date(), self.since.date() - self.until.date())
            return Period(midnight(day, self.tz), self.since, self.tz, self.unit)
        length = self.until.astimezone(UTC) - self.since.astimezone(UTC)
        return Period(self.since.astimezone(UTC) - length, self.since, self.tz)

    def year_before(self) -> Period:
        """Return the same period a year earlier; 28 February stands for a 29th that there isn't.

        Examples
        --------
        >>> Period.read("2026-10").year_before().months()
        ['2025-10']
        """
        if self.is_of_months:
            return self._shift_months(-12)
        first = _add_months(self.since.date(), -12)
        if self.is_of_days:
            after = _add_months(self.last_day, -12) + timedelta(1)
            return Period(midnight(first, self.tz), midnight(after, self.tz), self.tz, self.unit)
        since = datetime.combine(first, self.since.time())
        return Period(since, since + (_naive(self.until) - _naive(self.since)), self.tz)

    def last_months(self, count: int) -> Period:
        """Return the `count` calendar months that end with this period's last day.

        Examples
        --------
        >>> Period.read("2026-10").last_months(12).name
        '2025-11-01_2026-10-31'
        """
        last = self.last_day.replace(day=1)
        since, until = _add_months(last, 1 - count), _add_months(last, 1)
        return Period(midnight(since, self.tz), midnight(until, self.tz), self.tz)

    def months(self) -> list[str]:
        """Return the calendar months that the period touches, as ``YYYY-MM``.

        Examples
        --------
        >>> Period.read("2026-Q4").months()
        ['2026-10', '2026-11', '2026-12']
        """
        month, names = self.since.date().replace(day=1), []
        while month <= self.last_day:
            names.append(f"{month.year:04d}-{month.month:02d}")
            month = _add_months(month, 1)
        return names

    def as_dates(self) -> Period:
        """Return the same calendar days as UTC midnights, to cut flight dates that are dates.

        Examples
        --------
        >>> Period.read("2026-10", tz="Asia/Tokyo").as_dates().since.isoformat()
        '2026-10-01T00:00:00+00:00'
        """
        since, until = self.since.replace(tzinfo=UTC), self.until.replace(tzinfo=UTC)
        return Period(since, until, "UTC", self.unit)

    def _shift_months(self, months: int) -> Period:
        first, after = (_add_months(end.date(), months) for end in self._ends)
        return Period(midnight(first, self.tz), midnight(after, self.tz), self.tz, self.unit)

    @staticmethod
    def _shift_day(day: date, by: timedelta) -> date:
        try:
            return day + by
        except OverflowError:
            raise _out_of_range(day) from None


# What `Period.read` reads; a pandas.Period too.
PeriodLike = str | int | date | Period


def _naive(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None, fold=0)


def _hours(moment: datetime) -> str:
    return f"{moment:%H:%M}" if moment.second == moment.microsecond == 0 else f"{moment:%H:%M:%S}"


def _is_before(since: datetime, until: datetime) -> bool:
    # Two times of one zone are compared as its clock shows them. Where that was set back, the
    # later moment shows the earlier time; where it skipped a day, two midnights are one moment.
    return since < until or since.astimezone(UTC) < until.astimezone(UTC)


def _months_between(earlier: date, later: date) -> int:
    return 12 * (later.year - earlier.year) + later.month - earlier.month


def _add_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year not in YEARS:
        raise _out_of_range(year)
    for last in (day.day, 28):
        try:
            return date(year, month + 1, last)
        except ValueError:
            continue
    raise AssertionError("every month has a 28th day")


def midnight(day: date, tz: str) -> datetime:
    """Return the start of a day, as the clock shows it, also where it skips that midnight."""
    return datetime.combine(day, time(), ZoneInfo(tz))


def _unit_of(first: date, after: date) -> Unit:
    """Return which unit of the calendar starts on the first day and is over on the other."""
    if after == first + timedelta(1):
        return "day"
    months = _months_between(first, after) if first.day == after.day == 1 else 0
    for unit, length in _MONTHS_IN.items():
        if months == length and (first.month - 1) % length == 0:
            return unit
    return "span"


def _is_year(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _to_text(moment: datetime) -> str:
    return moment.date().isoformat() if moment.time() == time() else moment.isoformat()


def _out_of_range(what: Any) -> InvalidValue:
    return InvalidValue(
        f"{what} lies outside of the years {YEARS[0]} to {YEARS[-1]}.",
        advice="Choose a period within them.",
    )


def _parse(text: str, tz: str = "UTC") -> Period:
    wrong = InvalidValue(f"{text!r} is not a valid period.", advice=f"Write one as {_FORMS}.")
    match = _PERIOD.fullmatch(str(text).strip())
    if match is None:
        raise wrong
    year, quarter, month, day = match.groups()
    unit: Unit = "day" if day else "month" if month else "quarter" if quarter else "year"
    if int(year) not in YEARS:
        raise wrong
    try:
        first = date(int(year), int(month or 3 * int(quarter or "1") - 2), int(day or 1))
    except ValueError:
        raise wrong from None
    after = first + timedelta(1) if unit == "day" else _add_months(first, _MONTHS_IN[unit])
    zone = zone_name(tz)
    return Period(midnight(first, zone), midnight(after, zone), zone, unit)


def zone_name(tz: Any) -> str:
    """Return the IANA name of a time zone.

    Parameters
    ----------
    tz : str, ZoneInfo or timezone.utc

    Raises
    ------
    InvalidValue
        For what is not a time zone.

    Examples
    --------
    >>> zone_name(ZoneInfo("Europe/Oslo")), zone_name(UTC)
    ('Europe/Oslo', 'UTC')
    """
    name = getattr(tz, "key", None) or ("UTC" if isinstance(tz, timezone) and tz == UTC else tz)
    try:
        return str(ZoneInfo(name).key)
    except (KeyError, ValueError, OSError, TypeError, AttributeError):
        suggestion = (
            did_you_mean(name, sorted(available_timezones())) if isinstance(name, str) else ""
        )
        raise InvalidValue(
            f"{tz!r} is not a time zone. {suggestion}",
            advice="Write an IANA name such as Europe/London.",
        ) from None


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
    if isinstance(value, str):
        text = value.strip()
        if _PERIOD.fullmatch(text):
            return _parse(text, tz).since
        value = _datetime_of(text)
    elif _is_year(value):
        return _parse(f"{value:04d}", tz).since
    elif isinstance(value, pd.Period):
        value = value.start_time
    elif isinstance(value, np.datetime64):
        value = pd.Timestamp(value)
    elif isinstance(value, Period):
        value = value.since
    if not isinstance(value, date) or value is pd.NaT:
        raise InvalidValue(
            f"{brief(value)} is not a date or time.",
            advice=f"Write one as {_FORMS}, or with a time, as 2026-10-31T06:00:00Z.",
        )
    if value.year not in YEARS:
        raise _out_of_range(value)
    if isinstance(value, pd.Timestamp):
        value = value.to_pydatetime(warn=False)
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    clock: datetime = value
    if clock.tzinfo is None:
        return clock.replace(tzinfo=zone)
    moment = clock.astimezone(UTC).astimezone(zone)
    start = midnight(moment.date(), zone.key)
    return start if start.astimezone(UTC) == moment.astimezone(UTC) else moment


def _datetime_of(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidValue(
            f"{text!r} is not a date or time.", advice=f"Write one as {_FORMS}T06:00:00Z."
        ) from None


def last_complete_month(now: datetime | None = None, tz: str = "UTC") -> Period:
    """Return the last month that is over in `tz`.

    Examples
    --------
    >>> last_complete_month(datetime(2026, 11, 1, 0, 30, tzinfo=UTC), "America/New_York").name
    '2026-09'
    """
    local = (now or datetime.now(UTC)).astimezone(ZoneInfo(zone_name(tz)))
    return _parse(f"{local.year:04d}-{local.month:02d}", tz).previous()
