"""From the hours of all equipment to those of the fleet: what is shared counts once."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pandas as pd

from fleetkit.engines import joinable
from fleetkit.metrics._flown import read_bridge, read_flights, sum_flights
from fleetkit.metrics._frames import Frame, FrameT, collect, to_kind_of
from fleetkit.rounding import SECONDS_PER_HOUR

__all__ = ["double_count"]


def double_count(flights: FrameT, bridge: Frame) -> FrameT:
    """Lead from the flights and hours summed over equipment to the fleet's.

    A flight of a drone and its camera stands under both; summed over equipment it counts twice.
    Over equipment − shared + without equipment = fleet.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_id`` and ``duration_seconds`` [s].
    bridge : frame of the same engine
        ``flight_id``, ``equipment_id``.

    Returns
    -------
    frame of the kind of `flights`
        Four rows: ``step`` ("over equipment", "shared", "without equipment", "fleet"),
        ``flights``, ``hours`` [h]. Those of "shared" are not above 0; the first three add up to
        the last. Every flight that the API lists stands under equipment: the third row is 0
        unless the bridge was narrowed down. Hours are null where no flight has a duration.

    Raises
    ------
    InvalidValue
        A missing column, or a bridge of another engine.

    Definitions
    -----------
    Double count
        Hours summed over equipment − those of shared flights, once for each piece beyond the first
        + hours of flights without equipment = hours of the fleet.

    Examples
    --------
    >>> flights = pd.DataFrame({"flight_id": ["1", "2"], "duration_seconds": [3600, 1800]})
    >>> bridge = pd.DataFrame({"flight_id": ["1", "1", "2"], "equipment_id": ["d", "c", "d"]})
    >>> double_count(flights, bridge)
                    step  flights  hours
    0     over equipment        3    2.5
    1             shared       -1   -1.0
    2  without equipment        0    0.0
    3              fleet        2    1.5
    """
    frame = read_flights(flights, "flight_id")
    pieces = read_bridge(bridge, frame).group_by("flight_id").agg(nw.len().alias("_pieces"))
    summed = sum_flights(frame.join(joinable(pieces), on="flight_id", how="left"), "_pieces")
    by_pieces = collect(summed).astype("float64").fillna({"_pieces": 0.0})
    times: dict[str, Any] = {
        "over equipment": by_pieces["_pieces"],
        "shared": -(by_pieces["_pieces"] - 1).clip(lower=0),
        "without equipment": (by_pieces["_pieces"] == 0).astype("float64"),
        "fleet": 1.0,
    }
    result = pd.DataFrame(
        {
            "step": pd.Series(list(times), dtype="str"),
            "flights": [int((by_pieces["_flights"] * factor).sum()) for factor in times.values()],
            "hours": [
                float((by_pieces["_seconds"] * factor).sum()) / SECONDS_PER_HOUR
                for factor in times.values()
            ],
        }
    )
    if by_pieces["_flights"].sum() and not by_pieces["_recorded"].sum():
        result["hours"] = float("nan")
    return to_kind_of(result, flights)
