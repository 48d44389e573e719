"""How long after a flight its log is written."""

from __future__ import annotations

import pandas as pd

from fleetkit.metrics._frames import FrameT, collect, to_kind_of, to_lazy
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.time import Clock, in_one_zone

__all__ = ["logging_lag"]


def logging_lag(flights: FrameT) -> FrameT:
    """Return the lag from a flight's end to its log: ``created_at`` − (``flight_date`` + duration).

    Known only of flights with both moments and a duration above 0; of none where flight dates are
    dates, which don't tell when a flight ended. A log written before the flight's end counts with
    its negative lag.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_date``, ``duration_seconds`` [s], ``created_at``.

    Returns
    -------
    frame of the kind of `flights`
        One row: ``flights``, ``known`` (flights whose lag is known), ``median_hours`` [h],
        ``p90_hours`` [h] (linear interpolation); null where none is known.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Logging lag
        From the end of a flight, its date and duration, until its log was created. Of
        flights with both moments and a duration above 0.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "flight_date": pd.to_datetime(["2026-10-01T08:00Z", "2026-10-01T09:00Z"]),
    ...     "duration_seconds": [3600, 3600],
    ...     "created_at": pd.to_datetime(["2026-10-01T10:00Z", "2026-10-01T13:00Z"]),
    ... })
    >>> logging_lag(flights)
       flights  known  median_hours  p90_hours
    0        2      2           2.0        2.8
    """
    frame = to_lazy(flights, "flights", ["flight_date", "duration_seconds", "created_at"])
    frame = in_one_zone(frame, "flight_date", "created_at")
    moments = collect(frame)
    written = moments["created_at"] - moments["flight_date"]
    spent = moments["duration_seconds"].astype("float64")
    lag = (written.dt.total_seconds() - spent)[spent > 0].dropna()
    if Clock.of(flights).judge(frame).dates_only:
        lag = lag.iloc[:0]
    result = pd.DataFrame(
        {
            "flights": [len(moments)],
            "known": [len(lag)],
            "median_hours": [lag.quantile(0.5) / SECONDS_PER_HOUR],
            "p90_hours": [lag.quantile(0.9) / SECONDS_PER_HOUR],
        }
    )
    return to_kind_of(result, flights)
