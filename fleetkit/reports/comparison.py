"""One measure over time: in the period, in the one before, a year ago, and month by month."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd

from fleetkit import periods
from fleetkit.fleet import Fleet
from fleetkit.fleet.window import Window
from fleetkit.metrics import covered_since
from fleetkit.periods import Period
from fleetkit.reports.texts import as_json

__all__ = ["Comparison", "data_day"]

TREND_MONTHS = 12
# A period alone is cut without looking at which equipment flew.
_NO_BRIDGE = pd.DataFrame({"flight_id": [], "equipment_id": []}, dtype="str")
Measure = Callable[[pd.DataFrame, Period], Any]


class Comparison:
    """Takes a measure again and again: ``section.kpi("Flights", **compare(measure))``.

    An earlier period that the data do not wholly cover has no value, never a low one.

    Parameters
    ----------
    fleet : Fleet
        Whose flights are measured; its filter holds.
    period : Period
        The report's period.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of=date(2026, 11, 20))
    >>> compare = Comparison(fleet, fleet.period("2026-10"))
    >>> flights = compare(lambda flown, span: len(flown))
    >>> sorted(flights), len(flights["trend"])
    (['note', 'previous', 'trend', 'value', 'year_before'], 12)
    """

    def __init__(self, fleet: Fleet, period: Period) -> None:
        self.period = period
        self._flights = fleet.flights()
        self._since = _covered(fleet)
        self._cuts: dict[Period, pd.DataFrame] = {}

    def __call__(self, measure: Measure) -> dict[str, Any]:
        """Return what `Section.kpi` takes of one measure.

        Parameters
        ----------
        measure : callable
            ``measure(flights, period)`` → a number; null where there is none. It gets the flights
            of the period that it is asked for.

        Returns
        -------
        dict
            ``value``, ``previous``, ``year_before``, ``trend`` (12 calendar months up to the
            period's last day, oldest first), ``note``.
        """
        before, year = self.period.previous(), self.period.year_before()
        months = self.period.last_months(TREND_MONTHS).months()
        trend = [periods.parse(month, self.period.tz) for month in months]
        spans = dict.fromkeys([before, year, *trend])
        found = {span: self._earlier(measure, span) for span in spans}
        return {
            "value": self._measured(measure, self.period),
            "previous": found[before],
            "year_before": found[year],
            "trend": [found[span] for span in trend],
            "note": self._note(),
        }

    @property
    def dates_only(self) -> bool:
        """Whether flight dates come without a time of day; then no zone shifts them."""
        return periods.are_dates(self._flights)

    def _measured(self, measure: Measure, period: Period) -> Any:
        if period not in self._cuts:
            cut, _ = Window(period.since, period.until).cut(self._flights, _NO_BRIDGE)
            self._cuts[period] = cut.reset_index(drop=True)
        return as_json(measure(self._cuts[period], period))

    def _earlier(self, measure: Measure, period: Period) -> Any:
        return self._measured(measure, period) if self._covers(period) else None

    def _covers(self, period: Period) -> bool:
        if self._since is None:
            return False
        return self._since.astimezone(period.since.tzinfo).date() <= period.since.date()

    def _note(self) -> str:
        if self._since is None or self._covers(self.period.year_before()):
            return ""
        start = self._since.astimezone(ZoneInfo(self.period.tz))
        return f"data since {start.day} {start:%B %Y}"


def _covered(fleet: Fleet) -> datetime | None:
    """Return since when the data cover what happened: the first flight of all, or the filter."""
    since = covered_since(fleet.whole().flights())
    if since is None or fleet.filter.since is None:
        return since
    return max(since, periods.instant(fleet.filter.since, fleet.tz))


def data_day(fleet: Fleet) -> date:
    """Return the day, in the fleet's zone, as of which its records stand.

    The day on which the mirror was synced; today for a fleet that asks the service.

    Examples
    --------
    >>> import fleetkit as fk
    >>> data_day(fk.connect("https://fleet.example", "demo_0123")) == datetime.now(UTC).date()
    True
    """
    moment = datetime.now(UTC) if fleet.mirror is None else fleet.mirror.fetched_at
    return moment.astimezone(ZoneInfo(fleet.tz)).date()
