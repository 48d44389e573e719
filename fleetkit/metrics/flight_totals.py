"""All flights and hours: in all, operational and commercial."""

from __future__ import annotations

import narwhals as nw

from fleetkit.metrics._flown import count, hours, ones, read_flights
from fleetkit.metrics._frames import FrameT, to_kind_of

__all__ = ["flight_totals"]

# Sums of each row of totals: flights, flights with a duration, seconds.
_COUNTED = ["_flights", "_recorded", "_seconds"]
_PARTS = ("", "_operational", "_commercial")


def flight_totals(flights: FrameT) -> FrameT:
    """Count all flights and sum their hours: in all, operational and commercial.

    Operational is the total less MAINTENANCE; commercial is COMMERCIAL. Timed flights are those
    with a duration above 0; the others count as flights and add no hours. Hours are null where
    there are flights and none of them has a duration: they were not recorded.

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

    Definitions
    -----------
    Operational and commercial hours
        All hours but those of MAINTENANCE flights; hours of COMMERCIAL flights.
    Flown hours
        See `flight_hours`.

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
    by_type = (
        read_flights(flights, "flight_type")
        .with_columns(ones(nw.col("duration_seconds") > 0).alias("_timed"))
        .group_by("flight_type")
        .agg(nw.len().alias("_flights"), nw.col("_timed", "_recorded", "_seconds").sum())
    )
    kind = nw.col("flight_type").cast(nw.String)
    parts = [
        *(_where(kind == "MAINTENANCE", 0, name, f"{name}_operational") for name in _COUNTED),
        *(_where(kind == "COMMERCIAL", name, 0, f"{name}_commercial") for name in _COUNTED),
    ]
    summed = ["_timed", *(f"{column}{part}" for part in _PARTS for column in _COUNTED)]
    sums = by_type.with_columns(*parts).select(nw.col(summed).sum())
    sums = sums.with_columns(nw.col(summed).fill_null(0))
    result = sums.select(
        count("_flights").alias("flights"),
        count("_timed").alias("timed_flights"),
        *(
            hours(f"_seconds{part}", recorded=f"_recorded{part}", flights=f"_flights{part}").alias(
                f"{part}_hours".strip("_")
            )
            for part in _PARTS
        ),
    )
    return to_kind_of(result, flights)


def _where(condition: nw.Expr, then: str | int, otherwise: str | int, name: str) -> nw.Expr:
    """Return a column, or a number, where a condition holds, and another where it doesn't."""
    ends = (nw.col(end) if isinstance(end, str) else nw.lit(end) for end in (then, otherwise))
    return nw.when(condition).then(next(ends)).otherwise(next(ends)).alias(name)
