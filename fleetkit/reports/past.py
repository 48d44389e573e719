"""What a mirror saw change between the last report and this one, for the section that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd

from fleetkit import metrics
from fleetkit.blanks import distinct_names
from fleetkit.differences import is_another
from fleetkit.engines import Engine, Pandas
from fleetkit.errors import InvalidValue
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet, MirroredFleet
from fleetkit.fleet.core import check_fleet
from fleetkit.fleet.coverage import zone_of
from fleetkit.fleet.restating import needs_other_tables
from fleetkit.language import counted, say, say_count, short_day, titled
from fleetkit.mirror.layout import UNDATED
from fleetkit.reports.attention.lines import short_name
from fleetkit.reports.mirror_history import history
from fleetkit.reports.scope import is_for_one_client, may_be_shown
from fleetkit.reports.sentences import NOISE, first_listed, hours_moved, reported_month, restating
from fleetkit.reports.span import span
from fleetkit.reports.texts import moment
from fleetkit.rounding import HOURS, NOTHING, as_shown, number, rate_decimals
from fleetkit.schema import TableName
from fleetkit.time import Clock, Moment, Period, Zone, has_period, in_utc, instant

__all__ = ["Past"]

WITH_HISTORY: tuple[TableName, ...] = ("flights", "projects", "equipment", "services")
# Months that the first page names.
MOST_LINES = 2
# Equipment that is named; the others are counted.
MOST_GONE = 3
# Rows of the ledger that are listed, and row versions of flights that are compared at once.
MOST_LISTED, MOST_COMPARED = 10_000, 250_000


@dataclass(frozen=True)
class Ledger:
    """The restatement ledger of all months that count as reported.

    Attributes
    ----------
    rows : DataFrame
        The first of its rows, as ``fleet.restatements`` gives them, the newest month first.
    of : int
        How many rows there are.
    flights : int
        How many flights they are of; one that moved has a row in each of two months.
    months : DataFrame
        All of them summed, as `metrics.restatements` does, in the order of the months.
    """

    rows: pd.DataFrame
    of: int
    flights: int
    months: pd.DataFrame


class Past:
    """What changed since the last report, for the section that shows it.

    Parameters
    ----------
    fleet : Fleet
        From a mirror; its filter holds.
    period : Period
        What is reported.
    changed_since : str, date, datetime or int, optional
        As `span` takes it.

    Raises
    ------
    InvalidValue
        A fleet that asks the service: only a mirror has a history.

    Attributes
    ----------
    readable : list of str
        The tables that syncs could read; of the report of one client those that can be narrowed to
        it.

    Examples
    --------
    >>> import tempfile, fleetkit as fk
    >>> folder = tempfile.mkdtemp()
    >>> demo = fk.demo(as_of="2026-11-20", equipment=16, flights=50)
    >>> for _ in range(2):
    ...     _ = demo.sync(folder, details=False)
    >>> fleet = fk.open_mirror(folder)
    >>> past = Past(fleet, fleet.period("2026-10"))
    >>> past.span.version, past.ledger().of
    (1, 0)
    """

    def __init__(
        self, fleet: Fleet, period: Any, changed_since: Moment | int | None = None
    ) -> None:
        period = check_fleet(fleet, "fk.reports.Past").period(period)
        if not isinstance(fleet, MirroredFleet):
            raise InvalidValue(
                "The service doesn't tell what changed; only a mirror does.",
                advice='Sync it, fleet.sync("mirror/"), and report from that.',
            )
        self.fleet, self.period = fleet, period
        # A few flights that changed don't tell whether their dates are dates.
        self._zone = Zone(period.tz, zone_of(fleet).dates_only)
        self.span = span(fleet.mirror, period, changed_since)
        self.watched_since = fleet.mirror.states[0].fetched_at
        self._read = fleet.mirror.readable
        self.readable = [table for table in self._read if self._is_shown(table)]

    def ledger(self) -> Ledger:
        """Return the restatement ledger of all months that count as reported.

        Months of which much changed are compared one after the other. Times are in the report's
        time zone, as those of `seen` are.
        """
        listed: list[pd.DataFrame] = []
        sums: list[pd.DataFrame] = []
        moved: list[pd.Series[str]] = []
        of = flights = 0
        for part in self._parts():
            ledger = self._restated(part)
            sums.append(metrics.restatements(ledger))
            if of < MOST_LISTED:
                listed.append(ledger.head(MOST_LISTED - of))
            is_moved = ledger["kind"].isin(["moved in", "moved out"])
            moved.append(ledger.loc[is_moved, "flight_id"])
            of, flights = of + len(ledger), flights + int((~is_moved).sum())
        flights += pd.concat(moved).nunique()
        months = pd.concat(sums[::-1], ignore_index=True)
        return Ledger(pd.concat(listed, ignore_index=True), of, flights, months)

    def _restated(self, part: Period) -> pd.DataFrame:
        ledger = self.fleet.restatements(part, since=self.span.version)
        ledger["observed_at"] = self._local(ledger["observed_at"])
        ledger["flight_date"] = Clock.of(tz=self._zone).convert(ledger["flight_date"])
        order = ["month", "observed_at", "flight_id"]
        return ledger.sort_values(order, ascending=[False, True, True], ignore_index=True)

    def _parts(self) -> list[Period]:
        """Return the reported months in spans that are compared at once, the newest first."""
        mirror, tz = self.fleet.mirror, self.period.tz
        groups = mirror.months_together(MOST_COMPARED)
        if len(groups) > 1 and not needs_other_tables(self.fleet.filter):
            groups = mirror.months_changed_together(self.span.since, MOST_COMPARED)
        first, last = instant("1970-01-02", tz), self.span.before
        begun = [group[0] for group in groups[1:] if group[0] != UNDATED]
        # A service may write the year 1 for no date; no period begins there, nor is it compared.
        starts = [instant(month, tz) for month in begun if has_period(month)]
        within = (start for start in starts if in_utc(first) < in_utc(start) < in_utc(last))
        ends = [first, *within, last]
        return [Period.between(*pair, tz) for pair in [*pairwise(ends)][::-1]]

    def months(self, ledger: Ledger, engine: Engine | Pandas | None = None) -> pd.DataFrame:
        """Say what the months of the ledger have now, the newest month first.

        Parameters
        ----------
        ledger : Ledger
        engine : optional
            What counts their hours, as for `Fleet.flights`.

        Returns
        -------
        DataFrame
            As `metrics.restatements` gives it, then ``hours_now`` (float64: what the month has; of
            the one that the period begins in, its days before) [h] and ``share`` (float64: hours
            moved / hours before, without sign; null where there were none).
        """
        changed = ledger.months
        if changed.empty:
            return changed.assign(hours_now=pd.Series(dtype="float64"), share=changed["hours"])
        first, last = (
            Period.read(month, self.period.tz) for month in changed["month"].iloc[[0, -1]]
        )
        end = min(last.until, self.span.before, key=in_utc)
        span = Period.between(first.since, end, self.period.tz)
        flights = self.fleet.flights(span, engine=engine)
        hours = metrics.collect(metrics.flight_hours(flights, by="month", tz=self._zone))
        now = changed["month"].map(hours.set_index("month")["hours"]).fillna(0.0)
        before = (now - changed["hours"]).clip(lower=0)
        share = changed["hours"].abs() / before.where(before > NOISE)
        frame = changed.assign(hours_now=now, share=share)
        return frame.sort_values("month", ascending=False, ignore_index=True)

    def history(self, table: TableName) -> pd.DataFrame:
        """Return the row versions of a table; none of one that isn't `readable`."""
        rows = history(self.fleet, table)
        return rows if table in self.readable else rows.head(0)

    def seen(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows that a sync saw within the span, by ``moved_at`` or ``observed_at``."""
        name = "moved_at" if "moved_at" in frame else "observed_at"
        at = frame[name]
        within = (at > self.span.since) & (at <= self.span.until)
        return frame.assign(**{name: self._local(at)})[within].reset_index(drop=True)

    def priced(self, prices: pd.DataFrame) -> pd.DataFrame:
        """Return the changes of prices within the span, with ``what``, ``then``, ``now`` as text.

        Parameters
        ----------
        prices : DataFrame
            As `metrics.price_history` returns it.
        """
        changes = self.seen(prices)
        rates = changes["field"].eq("base_rate")
        what = rates.map({True: say("Base rate"), False: say("Modifier")})
        ends = {
            name: [_amount(*amount) for amount in zip(*parts, rates, strict=True)]
            for name, parts in {
                "then": (changes["old"], changes["old_currency"]),
                "now": (changes["new"], changes["new_currency"]),
            }.items()
        }
        return changes.assign(what=what, **ends).astype({"then": "str", "now": "str"})

    def lines(self, months: pd.DataFrame) -> list[tuple[str, str]]:
        """Return what the first page says of the months that moved: the newest two, the others."""
        newest = months.head(MOST_LINES)
        # The end of what had been reported is the start of the period, unless a state was chosen.
        chosen = self.span.version if self.span.is_chosen else None
        names = (reported_month(month, self.period, chosen) for month in newest["month"])
        titles = [titled(name) for name in names]
        lines = [
            (title, f"{_size(row.hours)}: {restating(row)}")
            for title, row in zip(titles, newest.itertuples(), strict=True)
        ]
        others = months.iloc[MOST_LINES:]
        if len(others):
            lines.append((counted(len(others), "earlier month"), _together(others["hours"])))
        return lines

    def explained(self) -> list[str]:
        """Say what "since the last report" means here, and how far back the mirror can tell."""
        tz = self.period.tz
        start = {"moment": moment(self.span.since, tz), "version": self.span.version}
        if self.span.is_chosen:
            meaning = say(
                "“The last report” is the state of {moment} (version {version}), as was chosen.",
                **start,
            )
        elif self.span.is_first:
            meaning = say(
                "“The last report” is the state of {moment} (version {version}), the first one "
                "that this mirror has.",
                **start,
            )
        else:
            meaning = say(
                "“The last report” is the state of {moment} (version {version}), the first one "
                "after {day}: the period before was over, and could be reported.",
                **start,
                day=short_day(self.span.before),
            )
        begin = moment(self.watched_since, tz)
        return [
            meaning,
            say(
                "The mirror's history begins on {begin}; what changed before that is unknown, and "
                "of several changes between two syncs only the first and last values are known.",
                begin=begin,
            ),
            *(gap for table in WITH_HISTORY if self._is_shown(table) and (gap := self._gap(table))),
            *self._renamed(),
            *self._gone(),
        ]

    def _renamed(self) -> list[str]:
        """Say of how many of a client's projects it wasn't the client then, by that name."""
        if "projects" not in self._read or not is_for_one_client(self.fleet.filter):
            return []
        rows = self.fleet.history("projects")
        is_theirs = rows.index.isin(Filter(client=self.fleet.filter.client).of_projects(rows).index)
        others = rows.loc[self._was_then(rows) & ~is_theirs, "project_id"]
        now = rows.loc[rows["valid_to"].isna() & is_theirs, "project_id"]
        count = int(now.isin(others).sum())
        if not count:
            return []
        return [
            say_count(
                count,
                "{count} project had another client, or its client another name, in the last "
                "report: its flights count as moved in.",
                "{count} projects had another client, or their client another name, in the last "
                "report: their flights count as moved in.",
            )
        ]

    def _gone(self) -> list[str]:
        """Name the equipment that the service lists no more: why flights vanished with it."""
        if "equipment" not in self.readable:
            return []
        rows = self.fleet.history("equipment")
        listed = rows[rows["valid_to"].isna()].set_index("equipment_id")["created_at"]
        then = rows[self._was_then(rows)]
        # An id may be another piece's by now.
        is_not_it = is_another(then["created_at"], then["equipment_id"].map(listed))
        gone = then[is_not_it | ~then["equipment_id"].isin(listed.index)]
        if gone.empty:
            return []
        names = distinct_names(gone["name"], gone["equipment_id"]).map(short_name)
        return [
            say_count(
                len(gone),
                "Since the last report, {count} piece of equipment is listed no more, and with it "
                "the flights that only it had logged: {names}.",
                "Since the last report, {count} pieces of equipment are listed no more, and with "
                "them the flights that only they had logged: {names}.",
                names=first_listed(names.tolist(), MOST_GONE),
            )
        ]

    def _was_then(self, rows: pd.DataFrame) -> pd.Series[bool]:
        """Say which row versions the last report shows."""
        return (rows["valid_from"] <= self.span.since) & ~(rows["valid_to"] <= self.span.since)

    def _is_shown(self, table: str) -> bool:
        return may_be_shown(self.fleet.filter, table)

    def _gap(self, table: TableName) -> str:
        """Say of a table that it has no history, or since when; else nothing."""
        if table not in self._read:
            return say(
                "No sync could read {table}: of their changes nothing is known.", table=say(table)
            )
        begun = self.fleet.watched_since(table)
        if begun <= self.span.since:
            return ""
        begin = moment(begun, self.period.tz)
        return say(
            "Of {table}, changes are known since {begin} only.", table=say(table), begin=begin
        )

    def _local(self, moments: pd.Series[Any]) -> pd.Series[Any]:
        return Clock(self.period.tz, dates_only=False).convert(moments)


def _amount(value: float, currency: Any, rate: bool) -> str:
    """Write a base rate with its currency, a modifier in per cent.

    Examples
    --------
    >>> _amount(140, "EUR", True), _amount(0.0045, "EUR", True), _amount(7.5, "EUR", False)
    ('EUR 140', 'EUR 0.0045', '7.5 %')
    """
    if pd.isna(value):
        return NOTHING
    most = rate_decimals([value]) if rate else 2
    exact = as_shown(value, most)
    decimals = 0 if exact == int(exact) else most
    if not rate:
        decimals = 1 if decimals and number(exact, 2)[-1] == "0" else decimals
        return f"{number(value, decimals)} %"
    text = number(value, decimals)
    return f"{'' if pd.isna(currency) else currency} {text}".strip()


def _size(hours: Any) -> str:
    return hours_moved(hours) or say("same hours")


def _together(hours: pd.Series[float]) -> str:
    """Say by how much months moved in all; some that moved may make up for others."""
    if any(map(hours_moved, hours)) and not hours_moved(hours.sum()):
        return say("{hours} h together", hours=number(0, HOURS))
    return _size(hours.sum())
