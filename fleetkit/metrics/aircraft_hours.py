"""How much each aircraft flies."""

from __future__ import annotations

from fleetkit.metrics._flown import as_hours, sum_by_piece
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of, to_pandas

__all__ = ["aircraft_hours"]


def aircraft_hours(flights: FrameT, bridge: Frame, aircraft: Frame) -> FrameT:
    """Count flights and sum hours of each aircraft, also of those that never flew.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_id`` and ``duration_seconds`` [s].
    bridge : frame of the same engine
        ``flight_id``, ``equipment_id``.
    aircraft : frame of any engine
        With ``equipment_id`` and ``name``; see :func:`aircraft`.

    Returns
    -------
    frame of the kind of `flights`
        ``equipment_id``, ``name``, ``flights``, ``hours`` [h] (null where it has flights and none
        of them a duration); most hours first, then most flights.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Aircraft
        See `aircraft`.
    Flight
        See `flight_hours`.
    Flown hours
        See `flight_hours`.

    Examples
    --------
    >>> import pandas as pd
    >>> flights = pd.DataFrame({"flight_id": ["1", "2"], "duration_seconds": [1800, 1800]})
    >>> bridge = pd.DataFrame({"flight_id": ["1", "2"], "equipment_id": ["d", "d"]})
    >>> fleet = pd.DataFrame({"equipment_id": ["e", "d"], "name": ["Heron", "Kestrel"]})
    >>> aircraft_hours(flights, bridge, fleet)
      equipment_id     name  flights  hours
    0            d  Kestrel        2    1.0
    1            e    Heron        0    0.0
    """
    rows = to_pandas(aircraft, "aircraft", ["equipment_id", "name"])
    counted = sum_by_piece(flights, bridge, rows["equipment_id"])
    rows["flights"] = counted["_flights"].fillna(0).to_numpy(dtype="int64")
    rows["hours"] = as_hours(counted).to_numpy()
    # Flights without durations are more use than none, of which 0 hours are known.
    by = {"_most": False, "flights": False, "name": True, "equipment_id": True}
    ordered = rows.assign(_most=rows["hours"].fillna(0)).sort_values(
        [*by], ascending=[*by.values()]
    )
    return to_kind_of(ordered.drop(columns="_most").reset_index(drop=True), flights)
