"""A period that isn't over: it ends where the data do, and is compared with the same days."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from fleetkit.errors import InvalidValue
from fleetkit.language import say
from fleetkit.time.calendar import (
    add_months,
    in_utc,
    is_before,
    midnight,
    months_between,
    moved_on,
    time_shown,
)
from fleetkit.time.period import Period

__all__ = ["Part", "SoFar", "so_far"]


def so_far(period: Period, moment: datetime) -> Period:
    """Return what had passed of a period at a moment; the period itself where it was over.

    Parameters
    ----------
    period : Period
    moment : datetime
        When the data were fetched, with a time zone.

    Raises
    ------
    InvalidValue
        The period had not begun.

    Examples
    --------
    >>> from datetime import UTC
    >>> from fleetkit.time import Period
    >>> november = so_far(Period.read("2026-11"), datetime(2026, 11, 21, 9, tzinfo=UTC))
    >>> november.name, november.title, november.days
    ('2026-11', '1–21 November 2026, so far', 21)
    >>> november.previous().title, november.year_before().title
    ('1–21 October 2026', '1–21 November 2025')
    """
    whole = period.whole
    local = moment.astimezone(ZoneInfo(whole.tz))
    now = in_utc(moment)
    if now >= in_utc(whole.until):
        return whole
    if now <= in_utc(whole.since):
        raise InvalidValue(
            f"{whole.title} had not begun when the data were fetched, on "
            f"{local.day} {local:%B %Y}, {local:%H:%M}.",
            advice="Choose an earlier period.",
        )
    return SoFar(whole.since, local, whole.tz, whole.unit, of=whole)


@dataclass(frozen=True)
class Part(Period):
    """The first days, or hours, of a period, up to a moment of the last of them.

    Attributes
    ----------
    of : Period
        The whole period.
    """

    of: Period = field(kw_only=True)

    @property
    def whole(self) -> Period:
        """The whole period."""
        return self.of

    @property
    def as_days(self) -> Period:
        """The days that it touches, whole; its own ends where it is some hours of one day."""
        if self.days == 1 and not self.is_of_days:
            return Period(self.since, self.until, self.tz)
        return self._days_reached

    @property
    def _days_reached(self) -> Period:
        """The days that it touches, whole; where the whole period isn't of days, its own ends.

        They are called by no name that the calendar has for them, such as a month's: it would
        promise that the last day is whole, or that no other period is meant.
        """
        if not self.whole.is_of_days:
            return Period(self.since, self.until, self.tz)
        after = self.last_day + timedelta(1)
        return Period(self.since, midnight(after, self.tz), self.tz, "span")

    @property
    def name(self) -> str:
        """Short form, fit for a file name: that of the whole period."""
        return self.whole.name

    @property
    def title(self) -> str:
        """Form for people: ``1–21 October 2026``."""
        return self.as_days.title


class SoFar(Part):
    """What had passed of a period when the data were fetched; see `so_far`."""

    @property
    def as_days(self) -> Period:
        """The days that it touches; on the last one the whole period: "so far" stands beside it."""
        days = self._days_reached
        return self.whole if days.until == self.whole.until else days

    @property
    def title(self) -> str:
        """Form for people: ``1–21 November 2026, so far``."""
        return say("{period}, so far", period=super().title)

    @property
    def previous_title(self) -> str:
        """What `previous` is to this period: ``the same days of the month before``."""
        if not self.whole.is_of_days:
            return self.whole.previous_title
        return say("the same days of {time_before}", time_before=self.whole.previous_title)

    def previous(self) -> Period:
        """Return the same days of the period before."""
        return self._same_days(self.whole.previous())

    def year_before(self) -> Period:
        """Return the same days of the year before."""
        return self._same_days(self.whole.year_before())

    def last_months(self, count: int) -> Period:
        """Return the `count` calendar months that end with this period's last day, so far."""
        return so_far(super().last_months(count), self.until)

    def _same_days(self, earlier: Period) -> Period:
        """Return what had passed of an earlier period when it was as old as this one."""
        months = months_between(self.since, earlier.since)
        if self.unit in {"month", "quarter", "year"}:
            end = _months_later(self.until, months)
        else:
            end = moved_on(earlier.since, time_shown(self.since, self.until))
        if not is_before(earlier.since, end):  # this one's clock shows its start again
            end = moved_on(earlier.since, in_utc(self.until) - in_utc(self.since))
        if in_utc(end) >= in_utc(earlier.until):
            return earlier
        return Part(earlier.since, end, self.tz, self.unit, of=earlier)


def _months_later(moment: datetime, months: int) -> datetime:
    """Return the same time of another month; that month's end where it has no such day.

    A date would be the month's last day there; of what has passed, that day too is over.
    """
    day = add_months(moment.date(), months)
    if day.day == moment.day:
        return datetime.combine(day, moment.timetz())
    return datetime.combine(day + timedelta(1), time(), moment.tzinfo)
