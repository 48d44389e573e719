"""Flights and hours of every day of a period, also of those without flights."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pandas as pd

from fleetkit.metrics._flown import SUMMED, as_hours, read_flights, sum_flights
from fleetkit.metrics._frames import FrameT, collect, to_kind_of
from fleetkit.metrics._noticing import clock_of, notice_uncovered
from fleetkit.time import Clock, Period

__all__ = ["calendar"]


def calendar(flights: FrameT, period: Any, covered: Any = None, *, tz: str | None = None) -> FrameT:
    """Return flights and hours of every day of a period.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_date`` and ``duration_seconds`` [s]; those of other days are left out.
    period : str, int, date, pandas.Period or Period
    covered : str, int, date, pandas.Period or Period, optional
        What the data cover. Of a day that lies outside nothing is known: it is null, not 0.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Flight dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `flights`
        One row per day, in order: ``day`` (``YYYY-MM-DD``), ``flights`` (Int64), ``hours``
        (float64) [h]: 0 where nobody flew; hours are null where no flight has a duration.

    Raises
    ------
    InvalidValue
        A missing column, an unknown zone, what is not a period.

    Definitions
    -----------
    Flown hours
        See `flight_hours`.
    No data
        See `every_month`.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> flights = pd.DataFrame({
    ...     "flight_date": pd.to_datetime(["2026-10-30T09:00Z", "2026-10-30T15:00Z"]),
    ...     "duration_seconds": [1800, 5400],
    ... })
    >>> days = Period.between("2026-10-29", "2026-11-01", "UTC")
    >>> calendar(flights, days, covered=Period.between("2026-10-30", "2026-11-20", "UTC"))
              day  flights  hours
    0  2026-10-29     <NA>    NaN
    1  2026-10-30        2    2.0
    2  2026-10-31        0    0.0
    """
    clock = clock_of(flights, tz=tz)
    span = Period.read(period, clock.tz)
    known = span if covered is None else span.intersection(Period.read(covered, clock.tz))
    if known is not None:
        notice_uncovered(flights, "calendar", known)
    frame = clock.localize(read_flights(flights, "flight_date"))
    by_day = collect(sum_flights(frame, "_day").select(Clock.day().alias("day"), *SUMMED))
    first = span.since.date()
    days = [(first + timedelta(days=place)).isoformat() for place in range(span.days)]
    rows = by_day.set_index("day").reindex(pd.Index(days, dtype="str", name="day"))
    counted = pd.DataFrame({"flights": rows["_flights"].fillna(0), "hours": as_hours(rows)})
    if known != span:
        first, last = (known.since.date(), known.last_day) if known else (date.max, date.min)
        is_known = [first.isoformat() <= day <= last.isoformat() for day in days]
        counted = counted.where(pd.Series(is_known, index=counted.index))
    dtypes = {"day": "str", "flights": "Int64", "hours": "float64"}
    return to_kind_of(counted.reset_index().astype(dtypes), flights, clock)
