"""Periods of time: what ``"2026-10"`` means, where it starts and ends, what came before it.

A period is ``[since, until)`` in a named time zone. A flight belongs wholly to the period of its
``flight_date``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd

from fleetkit.arguments import is_whole_number
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, worded
from fleetkit.language import calendar_day, current, days_between, month, say, say_count
from fleetkit.time.calendar import (
    WEEK,
    Unit,
    add_months,
    day_or_moment,
    in_utc,
    is_before,
    is_midnight,
    midnight,
    months_between,
    moved_on,
    offsets,
    out_of_range,
    time_shown,
    unit_of,
    week_before_year,
)
from fleetkit.time.parsing import (
    Moment,
    as_written,
    instant,
    invalid_period,
    read_ends,
    read_named,
)
from fleetkit.time.zone import zone_name

__all__ = ["Period", "PeriodLike", "last_complete_month"]

_BEFORE = {
    "day": "the day before",
    "week": "the week before",
    "month": "the month before",
    "quarter": "the quarter before",
    "year": "the year before",
}


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
    unit : {"day", "week", "month", "quarter", "year", "span"}
        What kind of period it is, as a title says it; default: the calendar's own day, ISO week,
        month, quarter or year where its ends are those of one.

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
    unit: Unit = None  # type: ignore[assignment]  # left out; never None afterwards
    # By which periods differ whose ends the clock shows alike.
    _offsets: tuple[timedelta | None, ...] = field(init=False, repr=False)

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
        object.__setattr__(self, "_offsets", offsets(*self._ends))
        if self.unit is None:
            days = (end.date() for end in self._ends)
            object.__setattr__(self, "unit", unit_of(*days) if self.is_of_days else "span")
        if not is_before(self.since, self.until):
            since, until = (day_or_moment(end).isoformat() for end in self._ends)
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
            A text is a year, quarter, month, ISO week or day, ``2026``, ``2026-Q4``, ``2026-10``,
            ``2026-W41``, ``2026-10-31``, or its first and last day, ``2026-10-05_2026-10-18``;
            what `name` writes is read back. A whole number is a year, a date (or a midnight) is
            a day.
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
        >>> week = Period.read("2026-W41")
        >>> week.title, week.previous().name, week.year_before().title_beside(week)
        ('Week 41 of 2026 (5–11 October)', '2026-W40', 'Week 41 of 2025')
        """
        if isinstance(value, Period):
            return value
        value = as_written(value)
        if isinstance(value, str):
            return cls._of_text(value, zone_name(tz))
        if isinstance(value, pd.Period):
            return cls.between(value.start_time, (value + 1).start_time, tz)
        if not isinstance(value, date) or value is pd.NaT:
            raise invalid_period(value)
        start = instant(value, tz)
        if is_midnight(start):
            return cls._of_text(start.date().isoformat(), zone_name(tz))
        raise InvalidValue(
            f"{day_or_moment(start).isoformat()} is a moment, not a period.",
            advice="Give since= and until=, or a date for its whole day.",
        )

    @classmethod
    def _of_text(cls, text: str, tz: str) -> Period:
        if "_" in text:
            return cls(*read_ends(text, tz), tz)
        first, after, unit = read_named(text)
        return cls(midnight(first, tz), midnight(after, tz), tz, unit)

    @classmethod
    def between(cls, since: Moment, until: Moment, tz: str = "UTC") -> Period:
        """Return ``[since, until)``, as the calendar's own day, week, month … where it is one.

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
        return cls(instant(since, tz), instant(until, tz), tz)

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
        return self.until.date() - timedelta(is_midnight(self.until))

    @property
    def is_of_days(self) -> bool:
        """Whether it starts and ends at midnights, so that it consists of whole days."""
        return is_midnight(self.since) and is_midnight(self.until)

    @property
    def is_of_months(self) -> bool:
        """Whether it consists of whole calendar months."""
        return self.is_of_days and self.since.day == self.until.day == 1

    @property
    def name(self) -> str:
        """Short form, fit for a file name: ``2026-10``, ``2026-W41``, ``2026-10-05_2026-10-18``."""
        first, year = self.since.date(), f"{self.since.year:04d}"
        week_year, week, _ = first.isocalendar()
        forms = {
            "year": year,
            "quarter": f"{year}-Q{(first.month + 2) // 3}",
            "month": f"{year}-{first.month:02d}",
            "week": f"{week_year:04d}-W{week:02d}",
            "day": first.isoformat(),
        }
        if self.unit in forms:
            return forms[self.unit]
        if self.is_of_days:
            return f"{first.isoformat()}_{self.last_day.isoformat()}"
        return "_".join(map(_stamp, self._ends))

    @property
    def title(self) -> str:
        """Form for people: ``October 2026``, ``Q4 2026``, ``5–18 October 2026``."""
        first = self.since.date()
        forms = {
            "year": f"{first.year}",
            "quarter": say("Q{quarter} {year}", quarter=(first.month + 2) // 3, year=first.year),
            "month": month(first),
            "day": calendar_day(first),
            "week": f"{self._week}{self._days_of_week}",
        }
        return forms.get(self.unit) or self._title_of_ends()

    @property
    def _week(self) -> str:
        year, week, _ = self.since.date().isocalendar()
        return say("Week {week} of {year}", week=week, year=year)

    @property
    def _days_of_week(self) -> str:
        """The days of an ISO week, without the year that the week's own number has."""
        year = self.since.date().isocalendar().year
        days = self._title_of_ends()
        return f" ({days.removesuffix(f' {year}') if self.since.year == year else days})"

    def _title_of_ends(self) -> str:
        first, last = self.since.date(), self.last_day
        if not self.is_of_days:
            return " – ".join(f"{calendar_day(end)} {_hours(end)}" for end in self._ends)
        if first == last:
            return calendar_day(first)
        if (first.year, first.month) == (last.year, last.month):
            return days_between(first, last)
        begin = calendar_day(first, year=first.year != last.year)
        return f"{begin} – {calendar_day(last)}"

    @property
    def title_of_ends(self) -> tuple[str, str]:
        """First and last day as the middle of a sentence has them; no last one of a single day.

        Examples
        --------
        >>> Period.between("2026-10-05", "2026-10-19", "UTC").title_of_ends
        ('5', '18 October 2026')
        """
        if current() is None:
            first, _, last = (part.strip() for part in self.title.partition("–"))
            return first, last
        if not self.is_of_days:
            begin, end = (f"{calendar_day(end)} {_hours(end)}" for end in self._ends)
            return begin, end
        first_day, last_day = self.since.date(), self.last_day
        is_within = first_day.year == last_day.year and first_day != last_day
        begin = calendar_day(first_day, year=not is_within)
        return begin, calendar_day(last_day) if first_day != last_day else ""

    def title_beside(self, other: Period) -> str:
        """Title as briefly as is clear beside another period: without the year of both.

        Of a week its number.

        Examples
        --------
        >>> october = Period.read("2026-10")
        >>> october.previous().title_beside(october), october.year_before().title_beside(october)
        ('September', 'October 2025')
        >>> Period.read("2026-W40").title_beside(Period.read("2026-W41"))
        'Week 40'
        """
        other = Period.read(other, self.tz)
        if self.unit == "week" and self.whole is self:
            year, week, _ = self.since.date().isocalendar()
            is_same = year == other.since.isocalendar().year
            return say("Week {week}", week=week) if is_same else self._week
        if self.since.year != other.since.year or self.unit in {"quarter", "year"}:
            return self.title
        return self.title.removesuffix(f" {self.since.year}")

    @property
    def previous_title(self) -> str:
        """What `previous` is to this period: ``the month before``, ``the 14 days before``.

        Examples
        --------
        >>> Period.read("2026-10").previous_title
        'the month before'
        >>> Period.read("2026-09-05_2026-09-18").previous_title
        'the 14 days before'
        """
        if self.unit != "span":
            return say(_BEFORE[self.unit])
        if self.is_of_months:
            months = len(self.months())
            return say_count(months, "the {count} months before", "the {count} months before")
        if self.is_of_days:
            return say_count(self.days, "the {count} days before", "the {count} days before")
        return say("the same time before")

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
            return self._shift_months(months_between(self.until.date(), self.since.date()))
        if self.is_of_days:
            day = self._shift_day(self.since.date(), self.since.date() - self.until.date())
            return Period(midnight(day, self.tz), self.since, self.tz, self.unit)
        since = in_utc(self.since)
        return Period(since - (in_utc(self.until) - since), self.since, self.tz)

    def year_before(self) -> Period:
        """Return the same period a year earlier; 28 February stands for a 29th that there isn't.

        Of an ISO week the week of the same number, the 52nd where there is no 53rd.

        Examples
        --------
        >>> Period.read("2026-10").year_before().months()
        ['2025-10']
        """
        if self.is_of_months:
            return self._shift_months(-12)
        if self.unit == "week":
            monday = week_before_year(self.since.date())
            return Period(midnight(monday, self.tz), midnight(monday + WEEK, self.tz), self.tz)
        first = add_months(self.since.date(), -12)
        if self.is_of_days:
            after = add_months(self.last_day, -12) + timedelta(1)
            return Period(midnight(first, self.tz), midnight(after, self.tz), self.tz, self.unit)
        since = datetime.combine(first, self.since.timetz())
        return Period(since, moved_on(since, time_shown(*self._ends)), self.tz)

    def last_months(self, count: int) -> Period:
        """Return the `count` calendar months that end with this period's last day.

        Parameters
        ----------
        count : int
            1 or more.

        Raises
        ------
        InvalidValue
            `count` is not a whole number from 1 on.

        Examples
        --------
        >>> Period.read("2026-10").last_months(12).name
        '2025-11-01_2026-10-31'
        """
        if not is_whole_number(count) or count < 1:
            raise InvalidValue(
                f"count={brief(count)} is not a number of months.",
                advice="Write a whole number, 1 or more.",
            )
        last = self.last_day.replace(day=1)
        since, until = add_months(last, 1 - count), add_months(last, 1)
        return Period(midnight(since, self.tz), midnight(until, self.tz), self.tz, "span")

    def intersection(self, other: Period) -> Period | None:
        """Return the part of this period that lies in another one; None where there is none.

        Parameters
        ----------
        other : Period

        Examples
        --------
        >>> Period.read("2026-Q4").intersection(Period.read("2026-10")).title
        'October 2026'
        """
        other = Period.read(other, self.tz)
        since = max(self.since, other.since, key=in_utc)
        until = min(self.until, other.until, key=in_utc)
        if since is self.since and until is self.until:
            return self
        return Period(since, until, self.tz) if in_utc(since) < in_utc(until) else None

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
            month = add_months(month, 1)
        return names

    def _shift_months(self, months: int) -> Period:
        first, after = (add_months(end.date(), months) for end in self._ends)
        return Period(midnight(first, self.tz), midnight(after, self.tz), self.tz, self.unit)

    @staticmethod
    def _shift_day(day: date, by: timedelta) -> date:
        try:
            return day + by
        except OverflowError:
            raise out_of_range(day) from None


# What `Period.read` reads; a pandas.Period too.
PeriodLike = str | int | date | Period


def _naive(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None, fold=0)


def _stamp(moment: datetime) -> str:
    """Write a moment as a file name can hold it; with its offset where the clock shows it twice."""
    text = re.sub(r"[:.]", "", _naive(moment).isoformat())
    is_second = moment.utcoffset() != moment.replace(fold=0).utcoffset()
    return f"{text}{moment:%z}" if is_second else text


def _hours(moment: datetime) -> str:
    """Write a time of day; with its offset where the clock shows it twice."""
    first, second = (in_utc(moment.replace(fold=fold)) for fold in (0, 1))
    shown = moment if first < second else _naive(moment)
    is_whole = moment.second == moment.microsecond == 0
    return shown.isoformat(timespec="minutes" if is_whole else "seconds").partition("T")[2]


def last_complete_month(now: datetime | None = None, tz: str = "UTC") -> Period:
    """Return the last month that is over in `tz`.

    Examples
    --------
    >>> last_complete_month(datetime(2026, 11, 1, 0, 30, tzinfo=UTC), "America/New_York").name
    '2026-09'
    """
    local = (now or datetime.now(UTC)).astimezone(ZoneInfo(zone_name(tz)))
    return Period.read(f"{local:%Y-%m}", tz).previous()
