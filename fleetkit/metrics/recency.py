"""Who has flown enough lately, and on which day that ends."""

from __future__ import annotations

from datetime import date, datetime

import pandas as pd

from fleetkit.metrics._all_flights import of_all_flights
from fleetkit.metrics._frames import FrameT, to_kind_of
from fleetkit.metrics._noticing import clock_of, notice_later_only
from fleetkit.metrics._recency import counted_days, lapse_days, last_names
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.settings import RecencyRule

__all__ = ["recency"]

_DTYPES = {
    "pilot_id": "str",
    "pilot_name": "str",
    "flights": "int64",
    "hours": "float64",
    "recent": "bool",
    "lapses": "datetime64[us]",
    "last_flight": "datetime64[us]",
}


@of_all_flights
def recency(
    flights: FrameT, rule: RecencyRule, as_of: str | date | datetime, *, tz: str | None = None
) -> FrameT:
    """Say which pilots have flown enough lately, and on which day that ends or ended.

    A rule's window ends with the day `as_of`. A window of 90 days is that day and the 89 before
    it; one of 3 calendar months starts on the day after the same day three months earlier: on 31
    October it is August, September and October. Flights after `as_of` and, for a night rule, by
    day, don't count; flights without a pilot are left out.

    Parameters
    ----------
    flights : frame of any engine
        With ``pilot_id``, ``pilot_name``, ``flight_date``, ``duration_seconds`` [s] and, for a
        night rule, ``night_flight``. Pass all flights, not the window's alone: the day on
        which a pilot lapsed lies in them. Or what :func:`flown_days` makes of them.
    rule : RecencyRule
        Window, minimum hours and minimum flights; both minima must be reached.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.

    Returns
    -------
    frame of the kind of `flights`
        One row per pilot who flew up to `as_of`: ``pilot_id``, ``pilot_name``, ``flights`` and
        ``hours`` [h] that count within the window (hours are null where none of these flights has
        a duration), ``recent`` (bool), ``lapses`` (a day, ``datetime64[us]``), ``last_flight``
        (UTC; of any kind). ``lapses`` is the first day on which the rule no longer holds if
        nobody flies: after `as_of` for pilots who are recent, up to `as_of` for those who lapsed,
        null where the rule never held in these flights. First come those of whom it never held,
        then those who lapsed, longest ago first.

    Raises
    ------
    InvalidValue
        A missing column, an unknown zone, a rule without one window and at least one minimum.

    Definitions
    -----------
    Recent
        A pilot who has flown the hours and flights of the rule within its window. Recency
        lapses on the first day on which that no longer holds without another flight.
    Unassigned
        See `pilots`.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "pilot_id": ["p"], "pilot_name": ["Ada"],
    ...     "flight_date": pd.to_datetime(["2026-09-10T08:00Z"]), "duration_seconds": [7200],
    ... })
    >>> rule = RecencyRule("2 h in 3 months", months=3, hours=2)
    >>> recency(flights, rule, "2026-10-31")[["pilot_id", "hours", "recent", "lapses"]]
      pilot_id  hours  recent     lapses
    0        p    2.0    True 2026-12-10
    """
    clock = clock_of(flights, tz=tz)
    today = clock.day_of(as_of)
    notice_later_only(flights, "recency")
    days = counted_days(flights, rule, clock)
    result = _states(days[days["day"] <= today], rule, today).astype(_DTYPES)
    result["last_flight"] = result["last_flight"].dt.tz_localize("UTC")
    order = ["recent", "lapses", "pilot_name", "pilot_id"]
    return to_kind_of(
        result.sort_values(order, na_position="first", ignore_index=True), flights, clock
    )


def _states(days: pd.DataFrame, rule: RecencyRule, today: pd.Timestamp) -> pd.DataFrame:
    """Return the state of each pilot by what was flown up to today, in order."""
    days = days.assign(lapses=lapse_days(days, rule))
    last = days.drop_duplicates("_pilot", keep="last").set_index("_pilot")
    inside = days[(days["day"] > today - rule.window) & (days["flights"] > 0)].groupby("_pilot")
    counted = inside[["flights", "seconds"]].sum(min_count=1).reindex(last.index, fill_value=0)
    return pd.DataFrame(
        {
            "pilot_id": last["pilot_id"],
            "pilot_name": last_names(days),
            "flights": counted["flights"],
            "hours": counted["seconds"] / SECONDS_PER_HOUR,
            "recent": last["lapses"].notna() & (last["lapses"] > today),
            "lapses": last["lapses"],
            "last_flight": last["last_flight"],
        }
    ).reset_index(drop=True)
