"""Who is recent, for the section that shows it; or why that is unknown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit import metrics
from fleetkit.blanks import distinct_names, namesakes
from fleetkit.fleet.rows import is_in
from fleetkit.language import calendar_day, say, say_count, short_day
from fleetkit.reports import attention
from fleetkit.reports.comparison import Comparison
from fleetkit.reports.scope import WHOLE
from fleetkit.reports.sentences import during
from fleetkit.settings import RecencyRule
from fleetkit.time import Clock, Ends, Period, in_utc, instant
from fleetkit.unassigned import shown_name

__all__ = ["Recency"]

# Months within which pilots must have flown to be judged; others are taken to have left.
MONTHS = 12


# Rules that the table of pilots has a column for.
MOST_RULES = 3
# What stands for the day of a lapse where there is none: nobody is called lapsed on data that can't
# tell.
NEVER, UNKNOWN = "not fulfilled", "unknown"


class Recency:
    """The recency of pilots on the last day of a period, under one rule or several.

    Key figures, lines and the list of flights are those of the first rule; for the others it says
    until when each pilot is recent.

    A rule can't be judged by data that begin within its window, nor without a flight that names a
    pilot, nor one of hours where no flight of the pilots has a duration, nor one of night flights
    where no log of theirs says whether it was night. Then nobody is called not recent.

    Parameters
    ----------
    over : Comparison
        Of the period.
    flights : frame of any engine
        All flights of the pilots in question; see `flights_of_pilots`.
    *rules : RecencyRule
        At least one; the first decides.

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
        Which pilots are looked at, or why that can't be judged.
    columns : dict
        What `Section.table` takes to show `calendar`.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=50)
    >>> over = Comparison(fleet, fleet.period("2026-10"))
    >>> pilots = Recency(over, fleet.flights(), fk.settings.PDRA01)
    >>> pilots.unknown, len(pilots.state) == pilots.pilots > 0
    ('', True)
    """

    def __init__(self, over: Comparison, flights: Any, *rules: RecencyRule) -> None:
        self._over, self._flights, self._rules = over, flights, rules
        self._has: dict[str, bool] = {}
        self._rule, period = rules[0], over.period
        self.unknown = self._unknown(self._rule, period.last_day)
        all_pilots = self._states[self._rule]
        year = pd.Timestamp(period.last_months(MONTHS).since.date())
        last = Clock.of(flights, tz=over.zone).times(all_pilots["last_flight"])
        pilots = all_pilots[all_pilots["recent"] | (last >= year)].reset_index(drop=True)
        self.pilots = len(pilots)
        self.state = pilots[pilots["recent"]].reset_index(drop=True) if self.unknown else pilots
        self.caption = f"{self._looked_at()}.{self._more_rules()}"

    @cached_property
    def _days(self) -> pd.DataFrame:
        """What pilots flew on each day, of which the states under all rules are made.

        Of pilots of whom late flights show a lapse before the period no others: they can't change
        it, nor any later one. In order: metrics sort what isn't, each anew.
        """
        day_before = self._over.period.since.date() - timedelta(days=1)
        first_day = min(rule.first_day(day_before) for rule in self._shown)
        since = instant(first_day, self._over.period.tz)
        clock = Clock.of(self._flights, tz=self._over.zone)
        late = self._flown_days(clock.cut(self._flights, Ends(since=since)))
        earlier = nw.from_native(clock.cut(self._flights, Ends(until=since)))
        of_others = ~nw.col("pilot_id").is_in(self._known(late, day_before))
        days = pd.concat([self._flown_days(earlier.filter(of_others).to_native()), late])
        keys = ["pilot_id", "day", "last_flight", "pilot_name"]
        return days.sort_values(keys, na_position="first", ignore_index=True)

    def _flown_days(self, flights: Any) -> pd.DataFrame:
        zone = self._over.zone
        return metrics.collect(metrics.flown_days(flights, tz=zone), tz=zone)

    def _known(self, days: pd.DataFrame, when: date) -> list[str]:
        """Return the pilots with a name of whom days show a lapse under each rule by then."""
        pilots = set(days["pilot_id"].unique())
        for rule in self._shown:
            states = metrics.recency(days, rule, when, tz=self._over.zone)
            has_name = states["pilot_name"] != states["pilot_id"].map(shown_name)
            pilots &= set(states.loc[has_name & states["lapses"].notna(), "pilot_id"])
        return sorted(pilots)

    @property
    def _shown(self) -> tuple[RecencyRule, ...]:
        return self._rules[:MOST_RULES]

    @cached_property
    def _states(self) -> dict[RecencyRule, pd.DataFrame]:
        """The state of all pilots on the last day, under each rule that is shown."""
        day, zone = self._over.period.last_day, self._over.zone
        return {rule: metrics.recency(self._days, rule, day, tz=zone) for rule in self._shown}

    def _looked_at(self) -> str:
        """Say whose recency is judged, by which flights, or why it can't be."""
        text = say("Recency: pilots who flew within twelve months")
        if self.unknown:
            text = say("Recency: it can't be judged: {why}", why=self.unknown)
            if len(self.state):
                text = say(
                    "Recency: only who certainly is recent is listed: {why}", why=self.unknown
                )
        if not self._over.is_filtered or not self.pilots:
            return text
        # Flights that the filter leaves out keep a pilot recent too.
        return f"{text}; {say('all of their flights, {scope}', scope=say(WHOLE))}"

    @property
    def soonest(self) -> pd.DataFrame:
        """The same pilots: by the day that recency ends, and at last those whose ended long ago."""
        within = pd.Timedelta(days=self._over.thresholds["lapse_days"])
        since = pd.Timestamp(self._over.period.last_day) - within
        near = self.state["recent"] | (self.state["lapses"] >= since)
        names = ["pilot_name", "pilot_id"]
        ended = self.state[~near].sort_values(["lapses", *names], ascending=[False, True, True])
        return pd.concat([self.state[near].sort_values(["lapses", *names]), ended])

    def compared(self) -> dict[str, Any]:
        """Return what `Section.kpi` takes: how many are recent, and were at earlier ends."""
        judged = [
            span for span in self._over.periods if not self._unknown(self._rule, span.last_day)
        ]
        days = [span.last_day for span in judged]
        counts = metrics.recent_pilots(self._flights, self._rule, days, tz=self._over.zone)
        recent = metrics.collect(counts)["recent"]
        values = self._over.compared(dict(zip(judged, recent, strict=True)))
        # On the period's last day, also where a filter's end leaves out the last days of flights.
        value = None if self.unknown else int(self.state["recent"].sum())
        # Why earlier figures are blank stands once, below all key figures.
        note = self.unknown or values["note"] or self._earlier_unknown()
        return {**values, "value": value, "note": note}

    def _earlier_unknown(self) -> str:
        """Say why an earlier figure is blank though the data cover its period: in few words."""
        period, recorded = self._over.period, self._over.recorded
        ends = [span.last_day for span in (period.previous(), period.year_before())]
        if recorded is None or not any(self._unknown(self._rule, end) for end in ends):
            return ""
        return say("no data before {day}", day=Period.read(recorded.since.date()).title)

    @cached_property
    def calendar(self) -> pd.DataFrame:
        """The same pilots as `soonest`, and when their recency lapses under each rule.

        ``pilot_id``, ``pilot_name``, ``last_flight``, then of each rule ``lapses_1`` (a day) and
        ``rule_1``, which says it in words; ``days_left`` under the first rule (Int64; not above 0
        for who has lapsed).
        """
        today = self._over.period.last_day
        rows = self.soonest.reset_index(drop=True)
        shown = rows[["pilot_id", "pilot_name", "last_flight"]].copy()
        for place, rule in enumerate(self._shown, 1):
            states = self._states[rule].set_index("pilot_id")
            lapses = states["lapses"].reindex(rows["pilot_id"])
            shown[f"lapses_{place}"] = lapses.to_numpy()
            words = say(NEVER if not self._unknown(rule, today) else UNKNOWN)
            shown[f"rule_{place}"] = [_in_words(lapse, today, words) for lapse in lapses]
        left = (rows["lapses"] - pd.Timestamp(today)).dt.days
        return shown.assign(days_left=left.astype("Int64"))

    @property
    def title(self) -> str:
        """What the table of `calendar` is called, with the day from which days left count."""
        last_day = calendar_day(self._over.period.last_day, year=False)
        return say("Who is recent on {day}, until when", day=last_day)

    @property
    def columns(self) -> dict[str, Any]:
        """What `Section.table` takes to show `calendar`."""
        rules = {
            f"rule_{place}": (say(rule.name), "{}", self._tones(place), f"lapses_{place}")
            for place, rule in enumerate(self._shown, 1)
        }
        names = {"pilot_name": say("Pilot"), "last_flight": say("Last flight")}
        left = {"days_left": (say("Days left"), "{:,.0f}")}
        # Days left are those of the first rule, so they stand beside it.
        return {**names, "rule_1": rules.pop("rule_1"), **left, **rules}

    def _tones(self, place: int) -> dict[str, str]:
        """Return how each text of a rule looks: who has lapsed, and who soon will."""
        left = self.calendar[f"lapses_{place}"] - pd.Timestamp(self._over.period.last_day)
        days, soon = left.dt.days, self._over.thresholds["lapse_days"]
        tones = np.where(days <= 0, "bad", np.where(days <= soon, "watch", ""))
        pairs = zip(self.calendar[f"rule_{place}"], tones.tolist(), strict=True)
        return {text: tone for text, tone in pairs if tone}

    def flown_without(self, flown: pd.DataFrame) -> pd.DataFrame:
        """Return which of these flights pilots made after they had lapsed.

        Parameters
        ----------
        flown : DataFrame
            The report's flights, with ``flight_id``.

        Returns
        -------
        DataFrame
            As `metrics.flown_without_recency` returns it; a pilot who shares a name with another
            one of the flights has the id beside it.
        """
        late, pilots = self._late, self._states[self._rule]
        shared = namesakes(pilots["pilot_name"], pilots["pilot_id"])
        called = distinct_names(late["pilot_name"], late["pilot_id"], shared)
        is_theirs = is_in(late["flight_id"], flown["flight_id"])
        return late.assign(pilot_name=called)[is_theirs].reset_index(drop=True)

    @cached_property
    def _late(self) -> pd.DataFrame:
        """All flights of the period without recency, also those that the filter leaves out."""
        over = self._over
        late = metrics.flown_without_recency(
            self._flights, self._rule, over.period, days=self._days, tz=over.zone
        )
        return metrics.collect(late, tz=over.zone)

    def note(self, flown: pd.DataFrame) -> str:
        """Say whether pilots flew after they had lapsed; nothing where that is unknown."""
        if self._rule.night_only:  # by day, recency by night is not needed
            flown = flown[flown["night_flight"].fillna(False)]
        judged = int(flown["pilot_id"].notna().sum())
        if self.unknown or not judged:
            return ""
        late = self.flown_without(flown)
        when = during(self._over.period)
        if self._rule.night_only:
            return _by_night(judged, len(late), when)
        # Not under a filter: pilots of other flights may have lapsed.
        if late.empty and judged == len(flown) and not self._over.is_filtered:
            return say("Nobody flew {when} after recency had lapsed.", when=when)
        if late.empty:
            return say_count(
                judged,
                "The {count} flight with a pilot came before recency had lapsed.",
                "None of {count} flights with a pilot came after recency had lapsed.",
            )
        return say_count(
            len(late),
            "{count} flight was flown {when} after recency had lapsed.",
            "{count} flights were flown {when} after recency had lapsed.",
            when=when,
        )

    def lines(self, flown: pd.DataFrame) -> Iterator[dict[str, Any]]:
        """Grade who needs attention, by the period's flights; nobody where that is unknown."""
        if self.unknown:
            return iter(())
        period, limits = self._over.period, self._over.thresholds
        flown = self.flown_without(flown)
        return attention.pilots(self.state, flown, period.last_day, period, thresholds=limits)

    def _more_rules(self) -> str:
        more = len(self._rules) - MOST_RULES
        if more <= 0:
            return ""
        one, many = "{count} more rule in the settings.", "{count} more rules in the settings."
        return f" {say_count(more, one, many)}"

    def _unknown(self, rule: RecencyRule, when: date) -> str:
        recorded = self._over.recorded  # flights that the filter leaves out count too
        begins = instant(rule.first_day(when), self._over.period.tz)
        if recorded is None or in_utc(begins) < in_utc(recorded.since):
            return say("the window of “{rule}” begins before the data", rule=say(rule.name))
        if not self._has_any("pilot_id"):
            if self._over.is_filtered:
                return say("no flight that meets the filter names a pilot")
            return say("no flight names a pilot")
        if rule.hours > 0 and not self._has_any("duration_seconds"):
            return say(
                "“{rule}” counts hours, and no flight of the pilots has a duration",
                rule=say(rule.name),
            )
        if rule.night_only and not self._has_any("night_flight"):
            return say(
                "“{rule}” counts night flights, and no log of the pilots says which are",
                rule=say(rule.name),
            )
        return ""

    def _has_any(self, column: str) -> bool:
        """Whether any of the flights has a value in a column."""
        if column not in self._has:
            rows = nw.from_native(self._flights).lazy().select(column)
            first = rows.filter(~nw.col(column).is_null()).head(1).to_native()
            self._has[column] = len(metrics.collect(first)) > 0
        return self._has[column]


def _by_night(judged: int, late: int, when: str) -> str:
    if not late:
        return say_count(
            judged,
            "The {count} night flight with a pilot came before recency had lapsed.",
            "None of {count} night flights with a pilot came after recency had lapsed.",
        )
    return say_count(
        late,
        "{count} night flight was flown {when} after recency had lapsed.",
        "{count} night flights were flown {when} after recency had lapsed.",
        when=when,
    )


def _in_words(lapse: pd.Timestamp, today: date, otherwise: str) -> str:
    if pd.isna(lapse):
        return otherwise
    shown = short_day(lapse)
    return shown if lapse > pd.Timestamp(today) else say("lapsed {day}", day=shown)
