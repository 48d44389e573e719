"""Flights of pilots whose recency had lapsed."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pandas as pd

from fleetkit.metrics._all_flights import of_all_flights
from fleetkit.metrics._frames import Frame, FrameT, collect, to_kind_of, to_lazy
from fleetkit.metrics._noticing import clock_of, notice_later_only
from fleetkit.metrics._recency import counted_days, lapse_days, last_names
from fleetkit.settings import RecencyRule
from fleetkit.time import Clock, Period, with_utc

__all__ = ["flown_without_recency"]


@of_all_flights
def flown_without_recency(
    flights: FrameT,
    rule: RecencyRule,
    period: Any,
    *,
    days: Frame | None = None,
    tz: str | None = None,
) -> FrameT:
    """List the flights of a period that pilots made after their recency had lapsed.

    A flight is judged by those of earlier days: that of the day of a lapse is listed, and so are
    all flights of the day that bring recency back. A pilot who never fulfilled the rule in these
    flights can't have lapsed. Of a night rule, only flights by night are listed.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_id``, ``pilot_id``, ``pilot_name``, ``project_title``, ``flight_date``,
        ``duration_seconds`` [s] and, for a night rule, ``night_flight``. Pass all flights, not the
        period's alone: whether a pilot had lapsed lies in the earlier ones.
    rule : RecencyRule
        Window, minimum hours and minimum flights; both minima must be reached.
    period : str, int, date, pandas.Period or Period
    days : frame of any engine, optional
        What :func:`flown_days` makes of all flights; `flights` may then be the period's alone.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Flight dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `flights`
        One row per flight: ``flight_id``, ``flight_date`` (UTC), ``pilot_id``, ``pilot_name`` (the
        last one that came until the period's end, or the id where none did), ``project_title``,
        ``lapsed`` (the day, datetime64[us]), ``days_lapsed`` (int64, 0 on that day); latest flight
        first.

    Raises
    ------
    InvalidValue
        A missing column, an unknown zone, a rule without one window and at least one minimum, what
        is not a period.

    Definitions
    -----------
    Flown without recency
        Flights from the day on which a pilot's recency lapsed, judged by those of earlier days;
        also those that bring it back; under a rule for nights, night flights alone. Pilots who
        never fulfilled the rule have not lapsed.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1", "2", "3"], "pilot_id": "a", "pilot_name": "Ada",
    ...     "project_title": "Roof", "duration_seconds": 7200,
    ...     "flight_date": pd.to_datetime(["2026-06-10", "2026-10-05", "2026-10-06"], utc=True),
    ... })
    >>> rule = RecencyRule("2 h in 3 months", months=3, hours=2)
    >>> late = flown_without_recency(flights, rule, "2026-10")
    >>> late[["flight_id", "pilot_name", "lapsed", "days_lapsed"]]
      flight_id pilot_name     lapsed  days_lapsed
    0         2        Ada 2026-09-10           25
    """
    clock = clock_of(flights, tz=tz)
    span = Period.read(period, clock.tz)
    all_flown, name = (flights, "flights") if days is None else (days, "days")
    notice_later_only(all_flown, "flown_without_recency")
    first, last = pd.Timestamp(span.since.date()), pd.Timestamp(span.last_day)
    flown_days = counted_days(all_flown, rule, clock, name)
    flown_days = flown_days[flown_days["day"] <= last]
    late = _late_days(flown_days, rule)
    late = late[late["day"].between(first, last)]
    flown = _flights_of(flights, rule, clock, span, late)
    rows = flown.merge(late, left_on=["pilot_id", "_day"], right_on=["pilot_id", "day"])
    rows["pilot_name"] = rows["_pilot"].map(last_names(flown_days))
    rows["flight_date"] = rows["_utc"].dt.tz_localize("UTC")
    rows["days_lapsed"] = (rows["day"] - rows["lapsed"]).dt.days
    order = ["flight_date", "pilot_id", "flight_id"]
    rows = rows.sort_values(order, ascending=[False, True, True], ignore_index=True)
    return to_kind_of(rows[list(_DTYPES)].astype(_DTYPES), flights, clock)


_DTYPES = {
    "flight_id": "str",
    "flight_date": "datetime64[us, UTC]",
    "pilot_id": "str",
    "pilot_name": "str",
    "project_title": "str",
    "lapsed": "datetime64[us]",
    "days_lapsed": "int64",
}


def _late_days(flown: pd.DataFrame, rule: RecencyRule) -> pd.DataFrame:
    """Return the days on which pilots flew whose recency had lapsed, and since when it had."""
    keys = flown[["_pilot", "day"]]
    is_new = keys.ne(keys.shift()).any(axis=1)  # a day under two names is one
    days = flown.loc[is_new, ["_pilot", "pilot_id", "day"]].reset_index(drop=True)
    sums = flown.groupby(is_new.cumsum().to_numpy())[["flights", "seconds"]].sum()
    days[["flights", "seconds"]] = sums.to_numpy()
    days["lapsed"] = lapse_days(days, rule)
    days["lapsed"] = days.groupby("_pilot")["lapsed"].shift()
    return days.loc[days["lapsed"] <= days["day"], ["_pilot", "pilot_id", "day", "lapsed"]]


def _flights_of(
    flights: Frame, rule: RecencyRule, clock: Clock, span: Period, late: pd.DataFrame
) -> pd.DataFrame:
    """Return the flights that the rule counts, of the pilots in question, about the period."""
    columns = ["flight_id", "flight_date", "pilot_id", "project_title"]
    night = ["night_flight"] if rule.night_only else []
    frame = to_lazy(flights, "flights", columns + night)
    clock = clock.judge(frame) if clock.must_judge(span) else clock
    frame = with_utc(clock.localize(clock.cut(frame, span)))
    if rule.night_only:
        frame = frame.filter(nw.col("night_flight"))
    pilots = late["pilot_id"].unique().tolist()
    frame = frame.filter(nw.col("pilot_id").is_in(pilots)).drop("flight_date", "_local", *night)
    texts = ["flight_id", "pilot_id", "project_title"]
    moments = dict.fromkeys(["_day", "_utc"], "datetime64[us]")
    return collect(frame).astype(dict.fromkeys(texts, "str") | moments)
