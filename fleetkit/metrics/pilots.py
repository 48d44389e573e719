"""Who flew how much."""

from __future__ import annotations

import narwhals as nw

from fleetkit.blanks import named_or_null
from fleetkit.engines import joinable
from fleetkit.metrics._flown import count, hours, read_flights
from fleetkit.metrics._frames import FrameT, to_kind_of
from fleetkit.unassigned import UNASSIGNED, or_unassigned, quoted_own

__all__ = ["pilots"]


def pilots(flights: FrameT) -> FrameT:
    """Count flights and sum hours of each pilot in command.

    A pilot is a pilot id; the name is the last one that came with a flight, or the id where none
    did.

    Parameters
    ----------
    flights : frame of any engine
        With ``pilot_id``, ``pilot_name``, ``flight_date``, ``duration_seconds`` [s].

    Returns
    -------
    frame of the kind of `flights`
        ``pilot_id``, ``pilot_name``, ``flights``, ``hours`` [h] (null where none of the flights has
        a duration), ``last_flight`` (UTC); most hours first, and flights without a pilot as the
        last row, "Unassigned".

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Unassigned
        Flights whose log names no pilot; left out of recency.
    Flown hours
        See `flight_hours`.

    Examples
    --------
    >>> import pandas as pd
    >>> flights = pd.DataFrame({
    ...     "pilot_id": ["p", "p", None], "pilot_name": ["Ada", "Ada", None],
    ...     "flight_date": pd.to_datetime(["2026-10-01T08:00Z"] * 3),
    ...     "duration_seconds": [1800, 1800, 600],
    ... })
    >>> pilots(flights)[["pilot_id", "pilot_name", "flights"]]
         pilot_id  pilot_name  flights
    0           p         Ada        2
    1  Unassigned  Unassigned        1
    """
    has_pilot = ~nw.col("pilot_id").is_null()
    named = (
        read_flights(flights, "pilot_id", "pilot_name", "flight_date")
        # A name without an id is that of one flight, not of all that have no pilot.
        .with_columns(nw.when(has_pilot).then(nw.col("pilot_name")).alias("pilot_name"))
        .group_by("pilot_id", "pilot_name")
        .agg(
            nw.len().alias("flights"),
            nw.col("_seconds", "_recorded").sum(),
            nw.col("flight_date").max().alias("last_flight"),
        )
        .with_columns(or_unassigned("pilot_id"), named_or_null("pilot_name"))
        .with_columns(quoted_own("pilot_name"))
    )
    named = joinable(named)
    counted = named.group_by("pilot_id").agg(
        nw.col("flights", "_seconds", "_recorded").sum(),
        nw.col("last_flight").max(),
        nw.col("pilot_name").max().alias("_other"),
    )
    known = named.filter(~nw.col("pilot_name").is_null())
    latest = joinable(known.group_by("pilot_id").agg(nw.col("last_flight").max()))
    names = (
        known.join(latest, on=["pilot_id", "last_flight"])
        .group_by("pilot_id")
        .agg(nw.col("pilot_name").max())
    )
    unassigned = nw.col("pilot_id") == UNASSIGNED
    result = (
        joinable(counted)
        .join(joinable(names), on="pilot_id", how="left")
        .with_columns(
            # Flights without a date name a pilot whom no dated flight names.
            nw.coalesce("pilot_name", "_other", "pilot_id").alias("pilot_name"),
            count("flights").alias("flights"),
            hours(flights="flights").alias("hours"),
            unassigned.cast(nw.Int64).alias("_last"),
        )
        .sort("_last", "hours", "pilot_id", descending=[False, True, False], nulls_last=True)
    )
    return to_kind_of(
        result.select("pilot_id", "pilot_name", "flights", "hours", "last_flight"), flights
    )
