"""One measure over time: in the period, in the one before, a year ago, and month by month."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from fleetkit import metrics
from fleetkit.blanks import distinct_names
from fleetkit.engines import Engine, Pandas
from fleetkit.fleet import Fleet
from fleetkit.fleet.aircraft import aircraft_of
from fleetkit.fleet.core import check_fleet
from fleetkit.fleet.coverage import clock_of, covered, first_day, has_undated
from fleetkit.kinds import OUT_OF_SERVICE
from fleetkit.language import calendar_day, say, say_count, titled
from fleetkit.reports.in_memory import in_memory
from fleetkit.reports.last_flight import last_flight
from fleetkit.reports.numbering import numbered_flights, unaccompanied_pairs
from fleetkit.reports.texts import as_json
from fleetkit.reports.why import concentration, is_explained, why
from fleetkit.time import (
    ZONE,
    Ends,
    Period,
    PeriodLike,
    SoFar,
    in_utc,
    instant,
    so_far,
    widened,
)

if TYPE_CHECKING:
    from fleetkit.engines import Session

__all__ = ["Comparison", "data_day", "reported_period"]

TREND_MONTHS = 12
# Months that are shown one by one: with the same month of the year before.
MONTHS = 13
_DAY = timedelta(days=1)
# Columns that `metrics.contributions` reads.
_CONTRIBUTING = [
    *("flight_id", "flight_date", "duration_seconds", "pilot_id", "pilot_name"),
    *("flight_type", "project_id", "project_title"),
]
_PAIRS = ["flight_id", "equipment_id"]
Measure = Callable[[pd.DataFrame, Period], Any]


class Comparison:
    """Compares a measure over time: ``section.kpi("Flights", **compare.flights())``.

    `flights`, `hours`, `active_aircraft` and `hours_per_aircraft_day` are ready-made measures,
    counted in one pass over the flights; any other one is a function, ``compare(measure)``.

    An earlier period that the data do not wholly cover has no value, never a low one, and one that
    they cover in part is compared with none. Of a period that isn't over, the earlier ones are the
    same days.

    Parameters
    ----------
    fleet : Fleet
        Whose flights are measured; its filter holds.
    period : Period
        The report's period, as `reported_period` returns it.
    aircraft : DataFrame, optional
        Whose use is measured; default: the fleet's, as `aircraft_of` finds them.
    engine : optional
        What counts the flights of all periods, as for `Fleet.flights`.

    Attributes
    ----------
    covered : Period or None
        What the data cover, as far as the filter's ends leave it; None where there is nothing.
    recorded : Period or None
        What the data cover, whatever the filter leaves out.
    zone : Zone
        The fleet's, as its frames carry it: the ``tz`` of metrics that are given lazy frames.
    is_filtered : bool
        Whether the fleet's filter leaves anything out.
    periods : list of Period
        The periods that are measured: the covered part of the report's, then the earlier ones that
        the data wholly cover.
    months : Period
        The calendar months up to the period's last one, thirteen or as many as it has; until the
        data were fetched, where that one wasn't over.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=50)
    >>> compare = Comparison(fleet, fleet.period("2026-10"))
    >>> flights = compare.flights()
    >>> flights == compare(lambda flights, period: len(flights))
    True
    >>> sorted(flights), len(flights["trend"])
    (['note', 'previous', 'trend', 'value', 'year_before'], 12)
    """

    def __init__(
        self,
        fleet: Fleet,
        period: Any,
        aircraft: pd.DataFrame | None = None,
        *,
        engine: Engine | Session | Pandas | None = None,
    ) -> None:
        self.period = check_fleet(fleet, "fk.reports.Comparison").period(period)
        self.covered, self._clock = covered(fleet), clock_of(fleet)
        self.recorded = covered(fleet.whole())
        self.zone = self._clock.zone
        self.is_filtered = bool(fleet.filter)
        self._fleet, self._aircraft, self._engine = fleet, aircraft, engine
        months = self.period.last_months(max(MONTHS, len(self.period.months())))
        self.months = so_far(months, fleet.fetched_at)
        trend_months = self.period.last_months(TREND_MONTHS).months()
        trend = [Period.read(month, self.period.tz) for month in trend_months]
        self._earlier = [self.period.previous(), self.period.year_before(), *trend]
        self._known = self._covered_part(self.period)
        whole = [span for span in self._earlier if self._covered_part(span) == span]
        self.periods = list(dict.fromkeys([*([self._known] if self._known else []), *whole]))

    def __call__(self, measure: Measure, columns: Sequence[str] = ()) -> dict[str, Any]:
        """Return what `Section.kpi` takes of one measure.

        Parameters
        ----------
        measure : callable
            ``measure(flights, period)`` → a number; null where there is none. It gets the flights
            of each of `periods`.
        columns : sequence of str
            Those that it needs beside ``flight_date``, so that no others are loaded; default: all.

        Returns
        -------
        dict
            As `compared` returns it.
        """
        flights = nw.from_native(self._flights)
        if columns:
            flights = flights.select("flight_date", *columns)
        rows = self._loaded(flights.to_native())
        return self.compared(
            {
                span: measure(self._clock.cut(rows, span).reset_index(drop=True), span)
                for span in self.periods
            }
        )

    def compared(self, values: Mapping[Period, Any]) -> dict[str, Any]:
        """Return what `Section.kpi` takes, of a value for each of `periods`.

        Parameters
        ----------
        values : mapping
            Period → a number; null, or left out, where there is none.

        Returns
        -------
        dict
            ``value``, ``previous``, ``year_before``, ``trend`` (12 whole calendar months up to that
            of the period's last day, oldest first; null for a month that isn't over or not wholly
            covered), ``note`` (why something is blank).
        """
        previous, year_before, *trend = (as_json(values.get(span)) for span in self._earlier)
        if self._known != self.period:  # a part, such as a filter leaves, is less than a whole
            previous = year_before = None
        return {
            "value": as_json(values.get(self._known)) if self._known else None,
            "previous": previous,
            "year_before": year_before,
            "trend": trend,
            "note": self._note(),
        }

    def flights(self) -> dict[str, Any]:
        """Compare how many flights there are."""
        return self._total("flights")

    def hours(self) -> dict[str, Any]:
        """Compare the hours flown. [h]."""
        return self._total("hours")

    def active_aircraft(self) -> dict[str, Any]:
        """Compare how many of the aircraft flew."""
        return self._total("active")

    def hours_per_aircraft_day(self) -> dict[str, Any]:
        """Compare the hours that an aircraft flew per day. [h]."""
        return self._total("hours_per_aircraft_day")

    def utilisation(self) -> pd.DataFrame:
        """Count the use of the aircraft in each of `months`, as `metrics.utilisation` does."""
        return self._counted[1].copy()

    def why(self) -> str:
        """Say what contributed most to a change of hours by 20 % or more, and whose hours are most.

        Of a period without a flight, it says when the last one before was, too.

        Returns
        -------
        str
            Sentences; empty where hours changed by less, and are nobody's for the most part.
        """
        known = self._known
        if known is None:
            return ""
        is_empty = not self.flights()["value"]
        last = last_flight(self._fleet, known, self._engine) if is_empty else ""
        hours = self.hours()
        now, sentences = hours["value"], [last]
        changes: list[pd.DataFrame] = []
        # The period before a year is the year before: it is explained once.
        befores = dict(zip(self._earlier, (hours["previous"], hours["year_before"]), strict=False))
        for earlier, before in befores.items():
            if is_explained(now, before):
                changes.append(self._contributions(known, earlier))
                sentences.append(why(changes[-1], {"now": now, "before": before}, earlier))
        if now:
            if not changes:
                first = next((span for span, before in befores.items() if before is not None), None)
                changes.append(self._contributions(known, first))
            sentences.append(concentration(self._with_idle(changes), now))
        return " ".join(filter(None, sentences))

    def _with_idle(self, changes: Sequence[pd.DataFrame]) -> pd.DataFrame:
        """Return who contributed to any of the changes, and the aircraft that did not fly.

        Of many of which the others stayed on the ground, one flew most too; what is out of service
        did not stay there.
        """
        idle = self._named_pieces.rename(columns={"equipment_id": "key"})
        idle = idle.loc[~idle["status"].isin(OUT_OF_SERVICE), ["key", "name"]]
        rows = pd.concat([*changes, idle.assign(dimension="aircraft", hours=0.0)])
        return rows.drop_duplicates(["dimension", "key"], ignore_index=True)

    def _contributions(self, span: Period, earlier: Period | None) -> pd.DataFrame:
        flights = self._clock.cut(self._flights, span)
        if earlier:
            before = self._clock.cut(self._flights, earlier)
        else:
            before = nw.from_native(flights).head(0).to_native()
        spans = [span, earlier] if earlier else [span]
        pairs = self._fleet.flight_equipment(spans, engine=self._engine)
        looked_at = (flights, _CONTRIBUTING), (before, _CONTRIBUTING), (pairs, _PAIRS)
        flights, before, pairs = in_memory(self._fleet, self._engine, *looked_at)
        return self._loaded(metrics.contributions(flights, before, pairs, self._named_pieces))

    @property
    def thresholds(self) -> Mapping[str, float]:
        """From when on something needs attention, as the fleet is set."""
        return self._fleet.settings.thresholds

    @property
    def dates_only(self) -> bool:
        """Whether flight dates come without a time of day; then no zone shifts them."""
        return bool(self._clock.dates_only)

    @property
    def notes(self) -> list[str]:
        """What else to know of the flights' dates, in sentences."""
        notes = []
        if self.dates_only:
            note = "Flight dates come without a time of day: they are not shifted between zones."
            notes.append(say(note))
        after = Ends(self.covered.until if self.covered else self._fetched)
        ahead = _count(self._clock.cut(self._read(after, self._engine), after))
        if ahead:
            note = say_count(
                ahead,
                "{count} flight is dated after the data were fetched, and left out.",
                "{count} flights are dated after the data were fetched, and left out.",
            )
            notes.append(note)
        if undated := self._undated():
            note = say_count(
                undated,
                "{count} flight has no date, and is left out.",
                "{count} flights have no date, and are left out.",
            )
            notes.append(note)
        return notes

    def _undated(self) -> int:
        """Count the flights that lie in no period: those of all time are read, if there are any."""
        if not has_undated(self._fleet):
            return 0
        flights = nw.from_native(self._fleet.flights(engine=self._engine))
        return _count(flights.filter(nw.col("flight_date").is_null()).to_native())

    def known(self, frame: pd.DataFrame, span: Period | None = None) -> pd.DataFrame:
        """Return a frame, without its rows where nothing is known of what it is of.

        Parameters
        ----------
        frame : DataFrame
            Such as the hours of each aircraft, which would be 0.
        span : Period, optional
            What it is of, where that isn't the period: blank in part, unless there is no flight.
        """
        is_known = self._known if span is None else self.covered
        return frame if is_known else frame.head(0)

    def listed(self, frame: pd.DataFrame, most: int) -> pd.DataFrame:
        """Return the `known` rows of `months` as a table lists them.

        Those before the data are blank: only the last thirteen months are listed all the same.

        Parameters
        ----------
        frame : DataFrame
            A row for each month, oldest first: ``flights``, null where nothing is known.
        most : int
            How many rows the table shows; where there are more, the newest stand first.
        """
        rows = self.known(frame, self.months)
        is_reached = rows["flights"].notna().cummax()
        is_reached.iloc[-MONTHS:] = True
        rows = rows[is_reached]
        return rows if len(rows) <= most else rows.iloc[::-1]

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
        parts = [titled(gap) for gap in self._gaps(span)]
        if isinstance(span, SoFar):
            month = Period.read(span.months()[-1], span.tz)
            last = calendar_day(span.last_day, year=False)
            parts.append(say("{month} so far, up to {day}", month=titled(month.title), day=last))
        return "".join(f"{part}. " for part in parts).strip()

    def _total(self, column: str) -> dict[str, Any]:
        return self.compared(dict(zip(self.periods, self._counted[0][column], strict=True)))

    @cached_property
    def _counted(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """What is counted of `periods`, one row each, and `utilisation`.

        Both at once: the flights that are joined for them take much memory, and are let go of. So
        they are copies, of which no origin keeps the flights.
        """
        frames = (*self._joined(), self._pieces)
        totals = metrics.period_totals(*frames, self.periods, tz=self._clock.zone)
        # Where nothing is covered, none of the months is: a day after them.
        covered = self.covered or Period.read(self.months.until.date() + _DAY, self.zone)
        use = metrics.utilisation(*frames, self.months, covered=covered, tz=self.zone)
        return self._loaded(totals).copy(), self._loaded(use).copy()

    def _joined(self) -> tuple[Any, Any]:
        """Return the flights of all periods and months, and their bridge, to be joined."""
        window, months = self._window, self.months
        ends = Ends(*_around([window, months]))
        return numbered_flights(self._fleet, self._engine, widened(ends))

    def _loaded(self, frame: Any) -> pd.DataFrame:
        return metrics.collect(frame, tz=self._clock.zone)

    @cached_property
    def _pieces(self) -> pd.DataFrame:
        """The aircraft."""
        if self._aircraft is not None:
            return self._aircraft
        bridge = unaccompanied_pairs(self._fleet.whole(), self._engine)
        return aircraft_of(self._fleet, bridge=bridge)

    @cached_property
    def _named_pieces(self) -> pd.DataFrame:
        """The aircraft, each told from a namesake, which stands in their table also unflown."""
        pieces = self._pieces
        return pieces.assign(name=distinct_names(pieces["name"], pieces["equipment_id"]))

    @cached_property
    def _flights(self) -> Any:
        return self._read(self._window, self._engine)

    @property
    def _window(self) -> Period:
        """In which all `periods` lie."""
        return Period(*_around(self.periods or [self.period]), self.period.tz)

    def _read(self, span: Ends | Period, engine: Engine | Session | Pandas | None) -> Any:
        """Return the flights of a span and some around it, be their dates instants or dates."""
        ends = widened(span)
        flights = self._fleet.flights(since=ends.since, until=ends.until, engine=engine)
        if isinstance(flights, pd.DataFrame):
            flights.attrs[ZONE] = self._clock.zone  # judged by all flights, not by these
        return flights

    def _covered_part(self, span: Period) -> Period | None:
        return span.intersection(self.covered) if self.covered else None

    def _gaps(self, span: Period) -> list[str]:
        """Name the ends beyond which nothing of a span is known."""
        if self.covered is None:
            return [self._nothing()]
        gaps, every = [], self.recorded or self.covered
        if in_utc(span.since) < in_utc(self.covered.since):
            begin = Period.read(self.covered.since.date()).title
            if in_utc(every.since) < in_utc(self.covered.since):
                gaps.append(say("the filter leaves out what was before {day}", day=begin))
            else:
                gaps.append(say("no data before {day}", day=begin))
        if in_utc(span.until) > in_utc(self.covered.until):
            end = Period.read(self.covered.last_day).title
            if in_utc(every.until) > in_utc(self.covered.until):
                gaps.append(say("the filter leaves out what was after {day}", day=end))
            else:
                gaps.append(say("no data after {day}", day=end))
        return gaps

    def _nothing(self) -> str:
        """Say why no day is covered."""
        first = first_day(self._fleet)
        if first is not None and in_utc(instant(first, self.period.tz)) >= in_utc(self._fetched):
            return say("every flight is dated after the data were fetched")
        if self.recorded:
            return say("the filter leaves out all days of the data")
        return say("there is no flight in the data")

    @property
    def _fetched(self) -> datetime:
        """When the data were fetched, by the clock of the period."""
        return instant(self._fleet.fetched_at, self.period.tz)

    def _note(self) -> str:
        whole = Period(self.period.year_before().since, self.period.until, self.period.tz)
        return "; ".join(self._gaps(whole))


def _count(flights: Any) -> int:
    counted = nw.from_native(flights).lazy().select(nw.len().alias("flights")).to_native()
    return int(metrics.collect(counted)["flights"].iloc[0])


def _around(spans: Sequence[Period]) -> tuple[datetime, datetime]:
    """Return the first start and the last end of some periods."""
    starts, ends = [span.since for span in spans], [span.until for span in spans]
    return min(starts, key=in_utc), max(ends, key=in_utc)


def data_day(fleet: Fleet) -> date:
    """Return the day, in the fleet's zone, of which its records are.

    The day on which the mirror was synced; today for a fleet that asks the service.

    Examples
    --------
    >>> import fleetkit as fk
    >>> data_day(fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=50))
    datetime.date(2026, 11, 20)
    """
    return instant(fleet.fetched_at, fleet.tz).date()


def reported_period(fleet: Fleet, period: PeriodLike = "") -> Period:
    """Return the period of a report, or what has passed of it so far.

    Parameters
    ----------
    fleet : Fleet
        A period that isn't over ends when its data were fetched.
    period : str, int, date or Period
        Such as ``"2026-10"`` or ``"2026-10-05_2026-10-18"``; default: the last complete month.

    Raises
    ------
    InvalidValue
        The period had not begun when the data were fetched.

    Examples
    --------
    >>> import fleetkit as fk
    >>> demo = fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=50)
    >>> reported_period(demo).title
    'October 2026'
    >>> reported_period(demo, "2026-11").title
    '1–19 November 2026, so far'
    """
    return so_far(fleet.period(period or None), fleet.fetched_at)
