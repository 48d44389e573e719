"""On which weekdays, and at what time of day, is flown."""

from __future__ import annotations

import narwhals as nw
import pandas as pd

from fleetkit.metrics._flown import SUMMED, as_hours, read_flights, sum_flights
from fleetkit.metrics._frames import FrameT, collect, to_kind_of
from fleetkit.metrics._noticing import clock_of
from fleetkit.time import Clock

__all__ = ["hours_by_weekday"]


def hours_by_weekday(flights: FrameT, *, tz: str | None = None) -> FrameT:
    """Count flights and sum hours by weekday and hour of the day.

    A flight belongs wholly to the hour in which it starts. Where flight dates are dates, no hour
    is known: then there is one row per weekday. Flights without a date are left out.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_date`` and ``duration_seconds`` [s].
    tz : str, optional
        IANA time zone of days and hours; default: that of the frame's fleet, or UTC.
        Flight dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `flights`
        ``weekday`` (Int64, 1 is Monday as in ISO 8601), ``hour`` (Int64, 0 … 23; null where flight
        dates are dates), ``flights`` (int64), ``hours`` (float64) [h]; in order, and only where
        there are flights. Hours are null where no flight has a duration.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Hour of the day
        That in which a flight starts, as clocks show it in the report's time zone. Unknown where
        flight dates come without a time of day.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "flight_date": pd.to_datetime(["2026-10-05T08:30Z", "2026-10-12T08:59Z"]),
    ...     "duration_seconds": [1800, 5400],
    ... })
    >>> hours_by_weekday(flights, tz="Europe/London")
       weekday  hour  flights  hours
    0        1     9        2    2.0
    """
    frame = read_flights(flights, "flight_date")
    clock = clock_of(flights, tz=tz).judge(frame)
    local = clock.localize(frame.filter(~nw.col("flight_date").is_null()))
    timed = local.with_columns(
        Clock.weekday().alias("weekday"), nw.col("_local").dt.hour().alias("hour")
    )
    keys = ["weekday"] if clock.dates_only else ["weekday", "hour"]
    flown = collect(sum_flights(timed, *keys).select(*keys, *SUMMED))
    result = pd.DataFrame(
        {
            "weekday": flown["weekday"],
            "hour": flown.get("hour", pd.Series(pd.NA, index=flown.index)),
            "flights": flown["_flights"],
            "hours": as_hours(flown),
        }
    ).astype({"weekday": "Int64", "hour": "Int64", "flights": "int64", "hours": "float64"})
    return to_kind_of(result.sort_values(["weekday", "hour"], ignore_index=True), flights, clock)
