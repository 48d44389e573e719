"""All flights and hours, and the flights that add none."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from fleetkit.metrics._frames import count, hours, opened, returned, seconds

__all__ = ["flight_totals", "untimed_flights"]

_SUMMED = ["_flights", "_timed", "_seconds", "_operational", "_commercial"]


def flight_totals(flights: Any) -> Any:
    """Count all flights and sum their hours: in all, operational and commercial.

    Operational is the total less MAINTENANCE; commercial is COMMERCIAL. Timed flights are those
    with a duration above 0; the others count as flights and add no hours.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_type`` and ``duration_seconds`` [s].

    Returns
    -------
    frame of the kind of `flights`
        One row: ``flights``, ``timed_flights``, ``hours``, ``operational_hours``,
        ``commercial_hours`` [h].

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> import pandas as pd
    >>> flight_totals(pd.DataFrame({
    ...     "flight_type": ["COMMERCIAL", "MAINTENANCE", "TRAINING"],
    ...     "duration_seconds": [3600, 1800, 0],
    ... }))
       flights  timed_flights  hours  operational_hours  commercial_hours
    0        3              2    1.5                1.0               1.0
    """
    frame = opened(flights, "flights", ["flight_type", "duration_seconds"])
    timed = nw.when(nw.col("duration_seconds") > 0).then(nw.lit(1)).otherwise(nw.lit(0))
    by_type = (
        frame.with_columns(seconds().alias("_seconds"), timed.alias("_timed"))
        .group_by("flight_type")
        .agg(nw.len().alias("_flights"), nw.col("_timed").sum(), nw.col("_seconds").sum())
    )
    kind, spent = nw.col("flight_type").cast(nw.String), nw.col("_seconds")
    sums = by_type.with_columns(
        nw.when(kind == "MAINTENANCE").then(nw.lit(0)).otherwise(spent).alias("_operational"),
        nw.when(kind == "COMMERCIAL").then(spent).otherwise(nw.lit(0)).alias("_commercial"),
    ).select(nw.col(_SUMMED).sum())
    sums = sums.with_columns(nw.col(_SUMMED).fill_null(0))
    result = sums.select(
        count("_flights").alias("flights"),
        count("_timed").alias("timed_flights"),
        hours("_seconds").alias("hours"),
        hours("_operational").alias("operational_hours"),
        hours("_commercial").alias("commercial_hours"),
    )
    return returned(result, flights)


def untimed_flights(flights: Any) -> Any:
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

    Examples
    --------
    >>> import pandas as pd
    >>> flights = pd.DataFrame({"flight_id": ["a", "b", "c"], "duration_seconds": [60, 0, None]})
    >>> list(untimed_flights(flights)["flight_id"])
    ['b', 'c']
    """
    opened(flights, "flights", ["duration_seconds"])
    duration = nw.col("duration_seconds")
    untimed = nw.from_native(flights).lazy().filter(duration.is_null() | (duration <= 0))
    return returned(untimed, flights)
