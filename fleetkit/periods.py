"""Periods of time: what ``"2026-10"`` means, where it starts and ends, what came before it.

A period is ``[since, until)`` in a named time zone. A flight belongs wholly to the period of its
``flight_date``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import narwhals as nw

from fleetkit.errors import InvalidValue

__all__ = ["Period", "are_dates", "instant", "last_complete_month", "parse"]

_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
_FORMS = "2026, 2026-Q4, 2026-10 or 2026-10-31"
# Share of flight dates at exactly 00:00:00 UTC from which on they are dates, not instants.
DATES_SHARE = 0.99


@dataclass(frozen=True)
class Period:
    """``[since, until)``, both local midnights or instants with a time zone.

    Attributes
    ----------
    since, until : datetime
        Aware datetimes in `tz`.
    tz : str
        IANA time zone.
    unit : {"day", "month", "quarter", "year", "span"}
        What kind of period it is; ``previous`` goes back by that much.

    Examples
    --------
    >>> october = parse("2026-10", tz="Europe/London")
    >>> october.name, october.title, october.days
    ('2026-10', 'October 2026', 31)
    >>> october.previous().name, october.year_before().name
    ('2026-09', '2025-10')
    """

    since: datetime
    until: datetime
    tz: str = "UTC"
    unit: str = "span"

    @property
    def days(self) -> int:
        """Calendar days that the period touches."""
        return (_last_day(self) - self.since.date()).days + 1

    @property
    def last_day(self) -> date:
        """Last calendar day inside the period; its end is exclusive."""
        return _last_day(self)

    @property
    def name(self) -> str:
        """Short form, fit for a file name: ``2026-10``, ``2026-Q4``, ``2026-10-05_2026-10-18``."""
        first, year = self.since.date(), f"{self.since.year:04d}"
        return {
            "year": year,
            "quarter": f"{year}-Q{(first.month + 2) // 3}",
            "month": f"{year}-{first.month:02d}",
            "day": first.isoformat(),
        }.get(self.unit, f"{first.isoformat()}_{_last_day(self).isoformat()}")

    @property
    def title(self) -> str:
        """Form for people: ``October 2026``, ``Q4 2026``, ``5–18 October 2026``."""
        first, last = self.since.date(), _last_day(self)
        return {
            "year": f"{first.year}",
            "quarter": f"Q{(first.month + 2) // 3} {first.year}",
            "month": f"{first:%B} {first.year}",
            "day": f"{first.day} {first:%B} {first.year}",
        }.get(self.unit, _span_title(first, last))

    @classmethod
    def between(cls, since: str | date | datetime, until: str | date | datetime, tz: str) -> Period:
        """Return ``[since, until)``, as the calendar's own day, month, quarter or year where it is.

        Raises
        ------
        InvalidValue
            For what is no date or time, or an end that doesn't lie after the start.

        Examples
        --------
        >>> Period.between("2026-10-01", "2026-11-01", "UTC").title
        'October 2026'
        >>> Period.between("2026-10-05", "2026-10-19", "UTC").title
        '5–18 October 2026'
        """
        start, end = instant(since, tz), instant(until, tz)
        if start >= end:
            raise InvalidValue(f"until={until} doesn't lie after since={since}.")
        span = cls(start, end, tz)
        alike = (replace(span, unit=unit).name for unit in ("year", "quarter", "month", "day"))
        whole = (parse(name, tz) for name in alike)
        return next((each for each in whole if (each.since, each.until) == (start, end)), span)

    def previous(self) -> Period:
        """Return the period of the same length just before this one."""
        if self.unit in _MONTHS_IN:
            return self._moved(-_MONTHS_IN[self.unit])
        zone, length = ZoneInfo(self.tz), self.until.replace(tzinfo=None) - _naive(self.since)
        since = (_naive(self.since) - length).replace(tzinfo=zone)
        return Period(since, self.since, self.tz, self.unit)

    def year_before(self) -> Period:
        """Return the same period a year earlier."""
        return self._moved(-12)

    def last_months(self, count: int) -> Period:
        """Return the `count` calendar months that end with this period's last day.

        Examples
        --------
        >>> parse("2026-10").last_months(12).name
        '2025-11-01_2026-10-31'
        """
        last = _last_day(self).replace(day=1)
        zone = ZoneInfo(self.tz)
        until = datetime.combine(_add_months(last, 1), time(), zone)
        return Period(datetime.combine(_add_months(last, 1 - count), time(), zone), until, self.tz)

    def months(self) -> list[str]:
        """Return the calendar months that the period touches, as ``YYYY-MM``."""
        month, found = self.since.date().replace(day=1), []
        while month <= _last_day(self):
            found.append(f"{month.year:04d}-{month.month:02d}")
            month = _add_months(month, 1)
        return found

    def as_dates(self) -> Period:
        """Return the same calendar days as UTC midnights, to cut flight dates that are dates.

        Examples
        --------
        >>> parse("2026-10", tz="Asia/Tokyo").as_dates().since.isoformat()
        '2026-10-01T00:00:00+00:00'
        """
        since, until = self.since.replace(tzinfo=UTC), self.until.replace(tzinfo=UTC)
        return Period(since, until, "UTC", self.unit)

    def _moved(self, months: int) -> Period:
        zone = ZoneInfo(self.tz)
        ends = [
            datetime.combine(_add_months(end.date(), months), end.time(), zone)
            for end in (self.since, self.until)
        ]
        return Period(ends[0], ends[1], self.tz, self.unit)


def _span_title(first: date, last: date) -> str:
    if first == last:
        return f"{first.day} {first:%B} {first.year}"
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}–{last.day} {last:%B} {last.year}"
    year = f" {first.year}" if first.year != last.year else ""
    return f"{first.day} {first:%B}{year} – {last.day} {last:%B} {last.year}"


def _naive(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)


def _last_day(period: Period) -> date:
    """Return the last calendar day inside the period; its end is exclusive."""
    return (_naive(period.until) - timedelta(microseconds=1)).date()


def _add_months(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, last)
        except ValueError:
            continue
    raise AssertionError("every month has a 28th day")


def parse(text: str, tz: str = "UTC") -> Period:
    """Read a period from text.

    Parameters
    ----------
    text : str
        A year, quarter, month or day: ``2026``, ``2026-Q4``, ``2026-10``, ``2026-10-31``.
    tz : str
        IANA time zone of its midnights.

    Raises
    ------
    InvalidValue
        For anything else, such as ``2026-13``.

    Examples
    --------
    >>> parse("2026-Q4").until.isoformat()
    '2027-01-01T00:00:00+00:00'
    """
    wrong = InvalidValue(f"{text!r} is no period.", advice=f"Write one as {_FORMS}.")
    match = re.fullmatch(r"(\d{4})(?:-(?:Q([1-4])|(\d{2})(?:-(\d{2}))?))?", str(text).strip())
    if match is None:
        raise wrong
    year, quarter, month, day = match.groups()
    unit = "day" if day else "month" if month else "quarter" if quarter else "year"
    try:
        first = date(int(year), int(month or 3 * int(quarter or "1") - 2), int(day or 1))
        after = first + timedelta(1) if unit == "day" else _add_months(first, _MONTHS_IN[unit])
    except (ValueError, OverflowError):
        raise wrong from None
    zone = _zone(tz)
    ends = [datetime.combine(each, time(), zone) for each in (first, after)]
    return Period(ends[0], ends[1], tz, unit)


def _zone(tz: str) -> ZoneInfo:
    try:
        return ZoneInfo(tz)
    except (KeyError, ValueError, OSError):
        raise InvalidValue(
            f"{tz!r} is no time zone.", advice="Write an IANA name such as Europe/London."
        ) from None


def instant(value: str | date | datetime, tz: str = "UTC") -> datetime:
    """Return the moment that a date or time means: the start of a day, month or year, in `tz`.

    Examples
    --------
    >>> instant("2026-10-01", tz="Europe/London").isoformat()
    '2026-10-01T00:00:00+01:00'
    >>> instant("2026-10-01T06:00:00Z", tz="Europe/London").isoformat()
    '2026-10-01T07:00:00+01:00'
    """
    zone: tzinfo = _zone(tz)
    if isinstance(value, str):
        try:
            return parse(value, tz).since
        except InvalidValue:
            value = _datetime_of(value)
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if value.tzinfo is None:
        return value.replace(tzinfo=zone)
    return value.astimezone(zone)


def _datetime_of(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidValue(
            f"{text!r} is no date or time.", advice=f"Write one as {_FORMS}T06:00:00Z."
        ) from None


def last_complete_month(now: datetime | None = None, tz: str = "UTC") -> Period:
    """Return the last month that is over in `tz`.

    Examples
    --------
    >>> last_complete_month(datetime(2026, 11, 1, 0, 30, tzinfo=UTC), "America/New_York").name
    '2026-09'
    """
    local = (now or datetime.now(UTC)).astimezone(_zone(tz))
    return parse(f"{local.year:04d}-{local.month:02d}", tz).previous()


def are_dates(flights: Any) -> bool:
    """Whether (nearly) every ``flight_date`` is exactly midnight UTC, so a date and no instant.

    Dates are not shifted between time zones. An empty frame holds instants.

    Parameters
    ----------
    flights : frame of any engine that Narwhals takes
        With a column ``flight_date``.

    Examples
    --------
    >>> import pandas as pd
    >>> days = pd.to_datetime(["2026-10-01T00:00Z", "2026-10-02T00:00Z"])
    >>> are_dates(pd.DataFrame({"flight_date": days}))
    True
    """
    moment = nw.col("flight_date")
    midnight = (moment == moment.dt.truncate("1d")).cast(nw.Int64)
    counted = (
        nw.from_native(flights)
        .lazy()
        .select("flight_date", midnight=midnight)
        .select(nw.col("midnight").sum(), n=moment.count())
        .collect()
    )
    n = int(counted["n"][0] or 0)
    return n > 0 and int(counted["midnight"][0]) >= DATES_SHARE * n
