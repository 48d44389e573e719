"""One measure over time: in the period, in the one before, a year ago, and month by month."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import cached_property
from typing import Any

import pandas as pd

from fleetkit import metrics
from fleetkit.fleet import Fleet
from fleetkit.fleet.core import check_fleet
from fleetkit.fleet.coverage import covered
from fleetkit.reports.sentences import counted
from fleetkit.reports.texts import as_json
from fleetkit.time import Clock, Ends, Period, SoFar, so_far

__all__ = ["Comparison", "data_day", "reported_period"]

TREND_MONTHS = 12
Measure = Callable[[pd.DataFrame, Period], Any]


class Comparison:
    """Compares a measure over time: ``section.kpi("Flights", **compare.flights())``.

    `flights`, `hours`, `active_aircraft` and `hours_per_aircraft_day` are ready-made measures; any
    other one is a function, ``compare(measure)``.

    An earlier period that the data do not wholly cover has no value, never a low one. Of a period
    that isn't over, the earlier ones are the same days.

    Parameters
    ----------
    fleet : Fleet
        Whose flights are measured; its filter holds.
    period : Period
        The report's period, as `reported_period` returns it.

    Attributes
    ----------
    covered : Period or None
        What the data cover; None without any flight.
    is_filtered : bool
        Whether the fleet's filter leaves anything out.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of=date(2026, 11, 20))
    >>> compare = Comparison(fleet, fleet.period("2026-10"))
    >>> flights = compare.flights()
    >>> flights == compare(lambda flights, span: len(flights))
    True
    >>> sorted(flights), len(flights["trend"])
    (['note', 'previous', 'trend', 'value', 'year_before'], 12)
    """

    def __init__(self, fleet: Fleet, period: Any) -> None:
        self.period = check_fleet(fleet, "fk.reports.Comparison").period(period)
        self.covered = covered(fleet)
        self.is_filtered = bool(fleet.filter)
        self._flights = fleet.flights()
        self._cuts: dict[Period, pd.DataFrame] = {}

    def __call__(self, measure: Measure) -> dict[str, Any]:
        """Return what `Section.kpi` takes of one measure.

        Parameters
        ----------
        measure : callable
            ``measure(flights, span)`` → a number; null where there is none. It gets the flights of
            the given span, which is the part of the period that the data cover.

        Returns
        -------
        dict
            ``value``, ``previous``, ``year_before``, ``trend`` (12 calendar months up to the
            period's last day, oldest first; null for a month that isn't over or not wholly
            covered), ``note`` (why something is blank).
        """
        before, year = self.period.previous(), self.period.year_before()
        months = self.period.last_months(TREND_MONTHS).months()
        trend = [Period.read(month, self.period.tz) for month in months]
        values = {
            span: self._measured(measure, span) if self._covers(span) else None
            for span in dict.fromkeys([before, year, *trend])
        }
        known = self._known(self.period)
        return {
            "value": None if known is None else self._measured(measure, known),
            "previous": values[before],
            "year_before": values[year],
            "trend": [values[span] for span in trend],
            "note": self._note(),
        }

    def flights(self) -> dict[str, Any]:
        """Compare how many flights there are."""
        return self(lambda flights, _: len(flights))

    def hours(self) -> dict[str, Any]:
        """Compare the hours flown. [h]."""
        return self(lambda flights, _: metrics.flight_totals(flights)["hours"].item())

    def active_aircraft(self, bridge: pd.DataFrame, aircraft: pd.DataFrame) -> dict[str, Any]:
        """Compare how many of the aircraft flew; frames as `metrics.aircraft_hours` takes them."""
        return self(
            lambda flights, _: (
                metrics.aircraft_hours(flights, bridge, aircraft)["flights"].gt(0).sum()
            )
        )

    def hours_per_aircraft_day(
        self, bridge: pd.DataFrame, aircraft: pd.DataFrame
    ) -> dict[str, Any]:
        """Compare the hours that an aircraft flew per day; frames as for `active_aircraft`."""
        return self(
            lambda flights, span: metrics.hours_per_aircraft_day(
                flights, bridge, aircraft, span.days
            )
        )

    @cached_property
    def _clock(self) -> Clock:
        return Clock.of(self._flights).judge(self._flights)

    @property
    def dates_only(self) -> bool:
        """Whether flight dates come without a time of day; then no zone shifts them."""
        return bool(self._clock.dates_only)

    @property
    def notes(self) -> list[str]:
        """What else to know of the flights' dates, in sentences."""
        notes = []
        if self.dates_only:
            notes.append(
                "Flight dates come without a time of day: they are not shifted between zones."
            )
        if self.covered is not None:
            dated = self._flights["flight_date"].notna().sum()
            ahead = int(dated) - len(self._cut(None, self.covered.until))
            flights = counted(ahead, "flight is", "flights are")
            if ahead:
                notes.append(f"{flights} dated after the data were fetched, and left out.")
        return notes

    def known(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a frame of the period, without its rows where nothing is known of the period.

        Parameters
        ----------
        frame : DataFrame
            Such as the hours of each aircraft, which would be 0.
        """
        return frame if self._known(self.period) else frame.head(0)

    def reach(self, span: Period) -> str:
        """Say how far the data reach into a span, for the caption of what is drawn of it.

        Parameters
        ----------
        span : Period

        Returns
        -------
        str
            Sentences; empty where the span is over and covered.
        """
        parts = [f"{gap[0].upper()}{gap[1:]}" for gap in self._gaps(span)]
        if isinstance(span, SoFar):
            month = Period.read(span.months()[-1], span.tz)
            parts.append(f"{month.title} so far, up to {span.last_day.day} {span.last_day:%B}")
        return "".join(f"{part}. " for part in parts).strip()

    def _measured(self, measure: Measure, period: Period) -> Any:
        if period not in self._cuts:
            self._cuts[period] = self._cut(period.since, period.until).reset_index(drop=True)
        return as_json(measure(self._cuts[period], period))

    def _cut(self, since: datetime | None, until: datetime) -> pd.DataFrame:
        cut: pd.DataFrame = self._clock.cut(self._flights, Ends(since, until))
        return cut

    def _known(self, span: Period) -> Period | None:
        """Return the part of a span that the data cover."""
        if self.covered is None or self._covers(span):
            return span if self.covered else None
        since = max(span.since, self.covered.since)
        until = min(span.until, self.covered.until)
        return Period(since, until, span.tz) if since < until else None

    def _covers(self, span: Period) -> bool:
        return (
            self.covered is not None
            and self.covered.since <= span.since
            and span.until <= self.covered.until
        )

    def _gaps(self, span: Period) -> list[str]:
        """Name the ends beyond which nothing of a span is known."""
        if self.covered is None:
            return ["there is no flight in the data"]
        gaps = []
        if span.since < self.covered.since:
            gaps.append(f"no data before {_day(self.covered.since.date())}")
        if span.until > self.covered.until:
            last = Period(self.covered.since, self.covered.until, self.covered.tz).last_day
            gaps.append(f"no data after {_day(last)}")
        return gaps

    def _note(self) -> str:
        whole = Period(self.period.year_before().since, self.period.until, self.period.tz)
        return "; ".join(self._gaps(whole))


def _day(when: date) -> str:
    return f"{when.day} {when:%B} {when.year}"


def data_day(fleet: Fleet) -> date:
    """Return the day, in the fleet's zone, as of which its records stand.

    The day on which the mirror was synced; today for a fleet that asks the service.

    Examples
    --------
    >>> import fleetkit as fk
    >>> data_day(fk.demo(as_of=date(2026, 11, 20)))
    datetime.date(2026, 11, 20)
    """
    return Clock(fleet.tz).local(fleet.fetched_at).date()


def reported_period(fleet: Fleet, since: str = "", until: str = "") -> Period:
    """Return the period of a report: ``[since, until)``, or what has passed of it so far.

    Parameters
    ----------
    fleet : Fleet
        A period that isn't over ends when its data were fetched.
    since, until : str
        Dates or times; default: the last complete month.

    Raises
    ------
    InvalidValue
        The period had not begun when the data were fetched.

    Examples
    --------
    >>> import fleetkit as fk
    >>> demo = fk.demo(as_of=date(2026, 11, 20))
    >>> reported_period(demo).title
    'October 2026'
    >>> reported_period(demo, "2026-11-01", "2026-12-01").title
    '1–19 November 2026, so far'
    """
    period = Period.between(since, until, fleet.tz) if since else fleet.period()
    return so_far(period, fleet.fetched_at)
