"""Flights, under the equipment that flew them, and the hours that they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import narwhals as nw
import pandas as pd

from fleetkit.engines import joinable
from fleetkit.metrics._frames import Frame, Lazy, collect, to_lazy, to_pandas
from fleetkit.rounding import SECONDS_PER_HOUR

__all__ = [
    "SUMMED",
    "aircraft_ids",
    "as_hours",
    "count",
    "hours",
    "ones",
    "read_bridge",
    "read_flights",
    "seconds",
    "sum_by_piece",
    "sum_flights",
    "under_equipment",
]

# Columns that `sum_flights` adds to its keys.
SUMMED = ["_flights", "_seconds", "_recorded"]


def read_flights(flights: Frame, *columns: str, name: str = "flights") -> Lazy:
    """Return columns of flights, which an error calls `name`, and what hours are summed from.

    ``_seconds`` [s], and ``_recorded``, 1 where there are any: a sum over flights none of which has
    a duration is not 0 but unknown, and `hours` makes it null.
    """
    frame = to_lazy(flights, name, [*columns, "duration_seconds"])
    recorded = ones(~nw.col("duration_seconds").is_null())
    return frame.with_columns(seconds().alias("_seconds"), recorded.alias("_recorded"))


def ones(condition: nw.Expr) -> nw.Expr:
    """Return 1 where a condition holds, 0 where it doesn't or can't be told."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def read_bridge(bridge: Frame, beside: Lazy | None = None) -> Lazy:
    """Return the pairs of flights and equipment, to be joined to the flights `beside`."""
    return to_lazy(bridge, "bridge", ["flight_id", "equipment_id"], beside=beside)


def under_equipment(frame: Lazy, bridge: Frame, ids: list[str] | None = None) -> Lazy:
    """Return the flights once under each piece of equipment, or each of some, that flew them."""
    pairs = read_bridge(bridge, frame)
    if ids is not None:
        pairs = pairs.filter(nw.col("equipment_id").is_in(ids))
    return pairs.join(frame, on="flight_id", how="inner")


def aircraft_ids(aircraft: Frame) -> list[str]:
    """Return the ids of aircraft, each once; a row without one is no aircraft."""
    rows = to_pandas(aircraft, "aircraft", ["equipment_id"])
    ids: list[str] = rows["equipment_id"].dropna().unique().tolist()
    return ids


def sum_flights(frame: Lazy, *keys: str, also: Sequence[str] = ()) -> Lazy:
    """Count and sum flights of `read_flights` by keys, into the columns `SUMMED` and others."""
    summed = frame.group_by(*keys).agg(
        nw.len().alias("_flights"), nw.col("_seconds", "_recorded", *also).sum()
    )
    return cast("Lazy", joinable(summed))


def sum_by_piece(flights: Frame, bridge: Frame, pieces: pd.Series[str]) -> pd.DataFrame:
    """Return the columns `SUMMED` of each of some pieces, in their order; null of no flights."""
    flown = under_equipment(read_flights(flights, "flight_id"), bridge, pieces.tolist())
    return collect(sum_flights(flown, "equipment_id")).set_index("equipment_id").reindex(pieces)


def seconds() -> nw.Expr:
    """Flown time of a flight that has one; 0 where the duration is null or not above 0. [s].

    As floats, whose sums don't wrap around below 0 where a service gives the largest whole number.
    """
    duration = nw.col("duration_seconds")
    return nw.when(duration > 0).then(duration.cast(nw.Float64)).otherwise(nw.lit(0.0))


def count(column: str) -> nw.Expr:
    """Whole numbers of a column that was summed: some engines widen them."""
    return nw.col(column).cast(nw.Int64)


def hours(
    seconds: str = "_seconds", *, recorded: str = "_recorded", flights: str = "_flights"
) -> nw.Expr:
    """Return summed seconds as hours; null where there are flights and no duration. [h]."""
    known = (nw.col(recorded) > 0) | (nw.col(flights) == 0)
    return nw.when(known).then(nw.col(seconds).cast(nw.Float64) / SECONDS_PER_HOUR)


def as_hours(flown: pd.DataFrame) -> pd.Series[float]:
    """Return what `hours` does, of a pandas frame with ``_recorded``; rows are groups of flights.

    A group without any flight has null there, and 0 hours.
    """
    spent = flown["_seconds"].astype("float64").fillna(0.0) / SECONDS_PER_HOUR
    return spent.where(flown["_recorded"].astype("float64").fillna(1.0) > 0)
