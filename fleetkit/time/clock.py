"""The clock of a fleet: its zone, whether its flight dates are dates or instants, and cut where.

A service may give its flights dates only, as midnights UTC. Those are not shifted between zones;
instants are, and the days, weeks and months of a fleet are those of its zone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.time.calendar import in_utc, is_midnight
from fleetkit.time.ends import Ends, Span
from fleetkit.time.engines import Lazy, stored_zone, with_midnight, with_time, with_utc
from fleetkit.time.parsing import Moment, instant
from fleetkit.time.zone import Zone, zone_name

__all__ = ["ZONE", "Clock", "to_local_time"]

# The attribute of a frame that names its zone.
ZONE = "tz"
# Columns of moments at which flights began.
_OF_FLIGHTS = ("flight_date", "last_flight", "last_maintenance")
# Share of flight dates at exactly 00:00:00 UTC from which on they are dates, not instants.
_DATES_SHARE = 0.99
# Days beside the ends of what can be written, whose offset any zone has.
_SECOND_DAY, _LAST_DAY = datetime(1, 1, 2), datetime(9999, 12, 30)
# Thursday of the first week of the year 1: pandas writes no week before it.
_FIRST_THURSDAY = datetime(1, 1, 4)


@dataclass(frozen=True)
class Clock:
    """Counts and cuts flights by the days of a zone.

    Parameters
    ----------
    tz : str
        IANA time zone.
    dates_only : bool, optional
        Whether flight dates are dates, which no zone shifts; default: as the flights in question
        look, which a few alone don't tell.

    Examples
    --------
    >>> flights = pd.DataFrame({"flight_date": pd.to_datetime(["2026-09-30T23:30Z"])})
    >>> clock = Clock("Europe/London")
    >>> clock.times(flights["flight_date"])[0].isoformat()
    '2026-10-01T00:30:00'
    >>> from fleetkit.time import Period
    >>> len(clock.cut(flights, Period.read("2026-10", clock.tz)))
    1
    """

    tz: str = "UTC"
    dates_only: bool | None = None

    @classmethod
    def of(cls, *frames: Any, tz: str | None = None) -> Clock:
        """Return the clock of frames: of the zone given, else of the one they carry, else UTC.

        Parameters
        ----------
        *frames : frames of any engine
            The first one tells whether its flight dates are dates.
        tz : str, optional
            IANA time zone; wins over what they carry. As a `Zone`, which a frame carries, it also
            tells whether flight dates are dates, where the first frame doesn't: a lazy one.

        Raises
        ------
        InvalidValue
            An unknown zone, or frames that carry different ones.

        Examples
        --------
        >>> Clock.of(object()).tz, Clock.of(object(), tz="Asia/Tokyo").tz
        ('UTC', 'Asia/Tokyo')
        """
        zones = [zone for frame in frames if (zone := _carried(frame)) is not None]
        if tz is None and len(set(zones)) > 1:
            raise InvalidValue(
                f"The frames are of different time zones: {', '.join(sorted(set(zones)))}.",
                advice="Say which one is meant with tz=.",
            )
        name = tz if tz is not None else zones[0] if zones else "UTC"
        first = _carried(frames[0]) if frames else None
        dates_only = getattr(first, "dates_only", None)
        return cls(
            zone_name(name), getattr(tz, "dates_only", None) if dates_only is None else dates_only
        )

    @property
    def zone(self) -> Zone:
        """What a frame carries of this clock."""
        return Zone(self.tz, self.dates_only)

    def judge(self, flights: Any) -> Clock:
        """Return the clock that knows whether flight dates are dates, as these flights look.

        They are where (nearly) every one is exactly midnight UTC; no flights are instants. A clock
        that knows stays as it is, and looks at nothing.

        Parameters
        ----------
        flights : frame of any engine that Narwhals takes
            With a column ``flight_date``; one without a zone is read as UTC.

        Examples
        --------
        >>> days = pd.to_datetime(["2026-10-01T00:00Z", "2026-10-02T00:00Z"])
        >>> flights = pd.DataFrame({"flight_date": days})
        >>> Clock("Europe/Oslo").judge(flights).dates_only
        True
        >>> Clock("Europe/Oslo", dates_only=False).judge(flights).dates_only
        False
        """
        if self.dates_only is not None:
            return self
        utc, timed = nw.col("_utc"), with_utc(nw.from_native(flights).lazy().select("flight_date"))
        counted = (
            with_midnight(timed, "_utc", "_midnight")
            .select("_utc", midnight=(utc == nw.col("_midnight")).cast(nw.Int64))
            .select(nw.col("midnight").sum(), n=utc.count())
            .collect()
        )
        return self.judge_counts(int(counted["midnight"][0] or 0), int(counted["n"][0] or 0))

    def judge_counts(self, midnights: int, dated: int) -> Clock:
        """Return what `judge` does, of flights that were counted: at midnight, and with a date.

        Examples
        --------
        >>> [Clock().judge_counts(midnights, 100).dates_only for midnights in (98, 99)]
        [False, True]
        """
        return replace(self, dates_only=dated > 0 and midnights >= _DATES_SHARE * dated)

    def must_judge(self, span: Span) -> bool:
        """Whether flights must be looked at to cut a span: it isn't known, and it matters.

        Examples
        --------
        >>> from fleetkit.time import Period
        >>> [Clock().must_judge(Period.read("2026-10", tz)) for tz in ("UTC", "Asia/Tokyo")]
        [False, True]
        """
        dates, instants = (replace(self, dates_only=only).edges(span) for only in (True, False))
        return self.dates_only is None and dates != instants

    def edges(self, span: Span) -> Ends:
        """Return the instants, in UTC, between which the flight dates of a span lie.

        Dates lie between the midnights UTC of its calendar days. Where it isn't known whether they
        are dates, between the outermost instants: all that may belong to the span.

        Examples
        --------
        >>> from fleetkit.time import Period
        >>> day = Period.read("2026-10-31", "Asia/Tokyo")
        >>> Clock("Asia/Tokyo", dates_only=True).edges(day).since.isoformat()
        '2026-10-31T00:00:00+00:00'
        >>> Clock("Asia/Tokyo", dates_only=False).edges(day).since.isoformat()
        '2026-10-30T15:00:00+00:00'
        """
        since, until = span.since, span.until
        instants = Ends(since and in_utc(since), until and in_utc(until))
        # When a clock in UTC shows what the clock of the span's own ends shows.
        dates = Ends(since and since.replace(tzinfo=UTC), until and until.replace(tzinfo=UTC))
        if self.dates_only is not None:
            return dates if self.dates_only else instants
        return Ends(
            instants.since and dates.since and min(instants.since, dates.since),
            instants.until and dates.until and max(instants.until, dates.until),
        )

    def bounds(self, flights: Any, span: Span) -> Ends:
        """Return the edges of a span as they are compared with ``flight_date`` of these flights.

        In the zone of that column, without one where it has none.
        """
        clock = self.judge(flights) if self.must_judge(span) else self
        stored = stored_zone(nw.from_native(flights, pass_through=True))
        return Ends(*(end and _as_stored(end, stored) for end in clock.edges(span)))

    def cut(self, flights: Any, span: Span) -> Any:
        """Return the flights of a span: instants between its ends, dates by calendar day.

        Parameters
        ----------
        flights : frame of any engine, or of Narwhals
            With a column ``flight_date``.
        span : Period or Ends
            A flight without a date lies in none that has an end.

        Returns
        -------
        frame of the same kind
            The frame itself where it lies wholly within.
        """
        if span.since is None and span.until is None:
            return flights
        frame = nw.from_native(flights, pass_through=True)
        since, until = self.bounds(frame, span)
        moment = nw.col("flight_date")
        is_inside = ~moment.is_null()
        is_inside = is_inside & (moment >= since) if since else is_inside
        is_inside = is_inside & (moment < until) if until else is_inside
        if isinstance(frame, nw.DataFrame) and frame.select(is_inside.all()).item():
            return flights  # texts copy slowly
        cut = frame.filter(is_inside)
        return cut if frame is flights else cut.to_native()

    def localize(self, flights: Lazy) -> Lazy:
        """Add ``_local``, what the clock showed at each ``flight_date``, and its midnight ``_day``.

        Both are without a zone.
        """
        is_in_utc = self.tz == "UTC" or self.judge(flights).dates_only
        timed = with_time(flights, "_local", "UTC" if is_in_utc else self.tz)
        return with_midnight(timed, "_local", "_day")

    @staticmethod
    def day() -> nw.Expr:
        """Write the days of what `localize` returns as ``YYYY-MM-DD``."""
        return nw.col("_day").dt.to_string("%Y-%m-%d")

    @staticmethod
    def week() -> nw.Expr:
        """Write the ISO weeks of what `localize` returns as ``YYYY-Www``.

        A week has the year of its Thursday (ISO 8601), so the week is read from there.
        """
        moment = nw.col("_day")
        thursday = moment - timedelta(days=3)  # a Sunday's; engines number it 7 or 0
        for weekday in range(1, 7):
            shifted = moment + timedelta(days=4 - weekday)
            thursday = nw.when(moment.dt.weekday() == weekday).then(shifted).otherwise(thursday)
        return thursday.clip(lower_bound=_FIRST_THURSDAY).dt.to_string("%G-W%V").str.zfill(8)

    @staticmethod
    def month() -> nw.Expr:
        """Write the months of what `localize` returns as ``YYYY-MM``."""
        return nw.col("_day").dt.to_string("%Y-%m")

    @staticmethod
    def quarter() -> nw.Expr:
        """Write the quarters of what `localize` returns as ``YYYY-Qn``."""
        moment = nw.col("_day")
        name = nw.lit("Q4")
        for last, quarter in ((9, "Q3"), (6, "Q2"), (3, "Q1")):
            name = nw.when(moment.dt.month() <= last).then(nw.lit(quarter)).otherwise(name)
        return nw.concat_str(moment.dt.to_string("%Y"), name, separator="-")

    @staticmethod
    def year() -> nw.Expr:
        """Write the years of what `localize` returns as ``YYYY``."""
        return nw.col("_day").dt.to_string("%Y")

    @staticmethod
    def weekday() -> nw.Expr:
        """Return the weekdays of what `localize` returns as numbers; 1 is Monday (ISO 8601)."""
        return (nw.col("_day").dt.weekday() + 6) % 7 + 1  # of some engines, Sunday is 0

    def times(self, column: pd.Series[Any]) -> pd.Series[Any]:
        """Return what the clock showed at each flight date of a pandas column, without a zone.

        Examples
        --------
        >>> days = pd.Series(pd.to_datetime(["2026-10-01T00:00Z", "2026-10-02T00:00Z"]))
        >>> Clock("America/Los_Angeles").times(days)[0].date().isoformat()
        '2026-10-01'
        >>> Clock("America/Los_Angeles", dates_only=False).times(days)[0].date().isoformat()
        '2026-09-30'
        """
        frame = nw.from_native(pd.DataFrame({"flight_date": column})).lazy()
        times: pd.Series[Any] = self.localize(frame).collect("pandas").to_native()["_local"]
        return times

    def days(self, column: pd.Series[Any]) -> pd.Series[Any]:
        """Return the local midnight, without a zone, of each timestamp that isn't a flight's.

        One that is exactly midnight UTC is a date, which no zone shifts. Each is judged alone, so
        that a record has the same day in every list, whatever stands beside it there.

        Examples
        --------
        >>> expiries = pd.Series(pd.to_datetime(["2026-10-10T00:00Z", "2026-10-12T02:00Z"]))
        >>> [day.date().isoformat() for day in Clock("America/New_York").days(expiries)]
        ['2026-10-10', '2026-10-11']
        """
        return self._judged(column, lambda clock: clock.times(column).dt.floor("D"))

    def are_in(self, column: pd.Series[Any], span: Span) -> pd.Series[bool]:
        """Return which timestamps that aren't flights' lie in a span: of its days, as `days` has.

        Examples
        --------
        >>> from fleetkit.time import Period
        >>> moments = ["2026-11-01T00:00Z", "2026-11-01T02:00Z", "2026-12-01T00:00Z"]
        >>> created = pd.Series(pd.to_datetime(moments))
        >>> Clock("America/New_York").are_in(created, Period.read("2026-11")).tolist()
        [True, True, False]
        >>> november = Period.read("2026-11", "America/New_York")
        >>> Clock("America/New_York").are_in(created, november).tolist()
        [True, False, False]
        """
        return self._judged(column, lambda clock: _between(column, clock.edges(span)))

    def _judged(self, column: pd.Series[Any], find: Callable[[Clock], Any]) -> pd.Series[Any]:
        """Return what is found of each timestamp: of a date by a clock of dates only."""
        dates, moments = (find(replace(self, dates_only=only)) for only in (True, False))
        judged: pd.Series[Any] = moments.where(~_are_midnights(column), dates)
        return judged

    def day_of(self, as_of: Moment) -> pd.Timestamp:
        """Return the local midnight, without a zone, of the day that a moment falls on."""
        return pd.Timestamp(instant(as_of, self.tz).date())

    def end_of(self, day: datetime) -> datetime:
        """Return the end of a local day, which is the start of the next one."""
        return instant(day.date() + timedelta(days=1), self.tz)

    def end_at(self, as_of: Moment) -> datetime:
        """Return the moment itself; of a day, which is given by its midnight too, its end."""
        moment = instant(as_of, self.tz)
        return self.end_of(moment) if is_midnight(moment) else moment

    def convert(self, column: pd.Series[Any]) -> pd.Series[Any]:
        """Return the flight dates of a pandas column in the zone; dates stay in UTC.

        What the zone's clock would show beyond the years 1 to 9999, which can't be written, is
        their first or last second.
        """
        if self.judge(pd.DataFrame({"flight_date": column})).dates_only:
            return column
        converted: pd.Series[Any] = column.clip(*self._writable).dt.tz_convert(self.tz)
        return converted

    def convert_moments(self, column: pd.Series[Any]) -> pd.Series[Any]:
        """Return timestamps that aren't flights' in the zone, each on its day of `days`.

        Where all of them are dates, they stay in UTC; beside moments a date is its midnight in the
        zone.
        """
        is_date = _are_midnights(column)
        if (is_date | column.isna()).all():
            return column
        moments = replace(self, dates_only=False).convert(column)
        if not is_date.any():
            return moments
        dates = replace(self, dates_only=True).times(column)
        has_midnight = is_date & (dates >= _SECOND_DAY)  # the first day of all may have none
        # Where the clocks skip midnight, the day begins later.
        midnights = dates.where(has_midnight).dt.tz_localize(
            self.tz, ambiguous=np.ones(len(column), dtype="bool"), nonexistent="shift_forward"
        )
        return moments.where(~has_midnight, midnights)

    @property
    def _writable(self) -> tuple[Any, Any]:
        """The first and the last second, UTC, of the years 1 to 9999 in the zone."""
        none, zone = timedelta(0), ZoneInfo(self.tz)
        behind, ahead = (zone.utcoffset(day) or none for day in (_SECOND_DAY, _LAST_DAY))
        first = datetime.min - min(none, behind)
        last = datetime.max.replace(microsecond=0) - max(none, ahead)
        return first.replace(tzinfo=UTC), last.replace(tzinfo=UTC)


def to_local_time(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with its moments as the clock of its zone shows them, for people to read.

    Dates, midnights UTC, keep their day; a frame that carries no zone stays as it is.

    Examples
    --------
    >>> flown = pd.DataFrame({"flight_date": pd.to_datetime(["2026-09-30T12:30Z"])})
    >>> flown.attrs["tz"] = "Pacific/Auckland"
    >>> to_local_time(flown)["flight_date"][0].date().isoformat()
    '2026-10-01'
    """
    clock = Clock.of(frame)
    if clock.tz == "UTC":
        return frame
    shown = frame.copy(deep=False)
    for name, column in frame.items():
        if isinstance(column.dtype, pd.DatetimeTZDtype):
            is_flight_s = name in _OF_FLIGHTS
            shown[name] = clock.convert(column) if is_flight_s else clock.convert_moments(column)
    return shown


def _are_midnights(column: pd.Series[Any]) -> pd.Series[bool]:
    """Return which timestamps are exactly midnight UTC; one without a zone is read as UTC."""
    moments = pd.to_datetime(column, utc=True)
    return moments == moments.dt.floor("D")


def _between(column: pd.Series[Any], ends: Ends) -> pd.Series[bool]:
    is_inside = column.notna()
    is_inside = is_inside & (column >= ends.since) if ends.since else is_inside
    return is_inside & (column < ends.until) if ends.until else is_inside


def _carried(frame: Any) -> str | None:
    attrs = getattr(frame, "attrs", None)
    return attrs.get(ZONE) if isinstance(attrs, dict) else None


def _as_stored(moment: datetime, tz: str | None) -> datetime:
    """Return an instant as it is compared with a column of that zone, or of none: UTC's."""
    return moment.astimezone(ZoneInfo(tz)) if tz else moment.replace(tzinfo=None)
