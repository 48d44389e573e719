"""Who is recent, for the section that shows it; or why that is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pandas as pd

from fleetkit import metrics
from fleetkit.reports import attention
from fleetkit.reports.comparison import Comparison
from fleetkit.reports.scope import WHOLE
from fleetkit.settings import RecencyRule
from fleetkit.time import Clock

__all__ = ["Recency"]

# Pilots who flew within so many months are looked at; others have left.
MONTHS = 12


class Recency:
    """The recency of pilots on the last day of a period, under one rule.

    A rule can't be judged by data that begin within its window, nor one of hours where no flight
    has a duration, nor one of night flights where no log says whether it was night. Then nobody is
    called not recent.

    Parameters
    ----------
    over : Comparison
        Of the period.
    flights : DataFrame
        All flights of the pilots in question.
    rule : RecencyRule

    Attributes
    ----------
    unknown : str
        Why that is unknown; empty where it is known.
    state : DataFrame
        As `metrics.recency` returns it, of pilots who flew within a year or are recent; where it
        is unknown, only of those who are certainly recent.
    pilots : int
        How many are looked at.
    caption : str
        The rule, and the pilots it is applied to.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of=date(2026, 11, 20))
    >>> over = Comparison(fleet, fleet.period("2026-10"))
    >>> pilots = Recency(over, fleet.flights(), fk.settings.PDRA01)
    >>> pilots.unknown, len(pilots.state) == pilots.pilots > 0
    ('', True)
    """

    def __init__(self, over: Comparison, flights: pd.DataFrame, rule: RecencyRule) -> None:
        self._over, self._flights, self._rule = over, flights, rule
        period = over.period
        self.unknown = self._unknown(period.last_day)
        all_pilots = metrics.recency(flights, rule, period.last_day, tz=period.tz)
        year = pd.Timestamp(period.last_months(MONTHS).since.date())
        last = Clock.of(flights, tz=period.tz).times(all_pilots["last_flight"])
        pilots = all_pilots[all_pilots["recent"] | (last >= year)].reset_index(drop=True)
        self.pilots = len(pilots)
        active = "pilots who flew within twelve months"
        scope_text = f"it can't be judged: {self.unknown}" if self.unknown else active
        # A pilot who flies for others too is recent by those flights.
        whole = f"; all of their flights, {WHOLE}" if over.is_filtered else ""
        self.caption = f"{rule.name}; {scope_text}{whole}."
        self.state = pilots[pilots["recent"]].reset_index(drop=True) if self.unknown else pilots

    @property
    def soonest(self) -> pd.DataFrame:
        """The same pilots: by the day that recency ends, and at last those whose ended long ago."""
        since = pd.Timestamp(self._over.period.last_day) - pd.Timedelta(days=attention.SOON_DAYS)
        near = self.state["recent"] | (self.state["lapses"] >= since)
        return pd.concat([self.state[near].sort_values("lapses"), self.state[~near][::-1]])

    def compared(self) -> dict[str, Any]:
        """Return what `Section.kpi` takes: how many are recent, and were at earlier ends."""
        period = self._over.period
        judged = [span for span in self._over.periods if not self._unknown(span.last_day)]
        days = [span.last_day for span in judged]
        counted = metrics.recent_pilots(self._flights, self._rule, days, tz=period.tz)["recent"]
        values = self._over.compared(dict(zip(judged, counted, strict=True)))
        notes = [self.unknown, values["note"]] if self.unknown else [values["note"]]
        return {**values, "note": "; ".join(note for note in notes if note)}

    def lines(self, flown: pd.DataFrame) -> Iterator[dict[str, Any]]:
        """Grade who needs attention, by the period's flights; nobody where that is unknown."""
        if self.unknown:
            return iter(())
        period = self._over.period
        return attention.pilots(self.state, flown, period.last_day, period)

    def _unknown(self, day: date) -> str:
        rule, covered = self._rule, self._over.covered
        begins = rule.first_day(day)
        if covered is None or begins < covered.since.date():
            return f"the window of “{rule.name}” begins before the data"
        if rule.hours > 0 and self._flights["duration_seconds"].isna().all():
            return f"“{rule.name}” counts hours, and no flight has a duration"
        if rule.night_only and self._flights["night_flight"].isna().all():
            return f"“{rule.name}” counts night flights, and no log says which are"
        return ""
