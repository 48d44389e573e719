"""The flights that add no hours."""

from __future__ import annotations

import narwhals as nw

from fleetkit.metrics._frames import FrameT, in_narwhals, to_kind_of, to_lazy

__all__ = ["untimed_flights"]


def untimed_flights(flights: FrameT) -> FrameT:
    """Return the flights that add no hours: their duration is null or not above 0.

    Parameters
    ----------
    flights : frame of any engine
        With ``duration_seconds`` [s].

    Returns
    -------
    frame of the kind of `flights`
        Those rows, all columns.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Flown hours
        See `flight_hours`.

    Examples
    --------
    >>> import pandas as pd
    >>> flights = pd.DataFrame({"flight_id": ["a", "b", "c"], "duration_seconds": [60, 0, None]})
    >>> list(untimed_flights(flights)["flight_id"])
    ['b', 'c']
    """
    to_lazy(flights, "flights", ["duration_seconds"])
    # A NaN of Polars or Arrow is above every number.
    duration = nw.col("duration_seconds").cast(nw.Float64()).fill_nan(None)
    untimed = in_narwhals(flights).lazy().filter(duration.is_null() | (duration <= 0))
    return to_kind_of(untimed, flights)
