"""Hours per aircraft and day of all aircraft and days taken together."""

from __future__ import annotations

from fleetkit.arguments import checked_number
from fleetkit.metrics._flown import aircraft_ids, read_flights, under_equipment
from fleetkit.metrics._frames import Frame, collect
from fleetkit.rounding import SECONDS_PER_HOUR

__all__ = ["hours_per_aircraft_day"]


def hours_per_aircraft_day(
    flights: Frame, bridge: Frame, aircraft: Frame, days: int
) -> float | None:
    """Return flown hours / (aircraft × days) of flights, those of all aircraft taken together.

    Parameters
    ----------
    flights : frame of any engine
        The flights of these days, with ``flight_id`` and ``duration_seconds`` [s].
    bridge : frame of the same engine
        ``flight_id``, ``equipment_id``.
    aircraft : frame of any engine
        With ``equipment_id``; see :func:`aircraft`.
    days : int
        How many days the flights are of. [d]

    Returns
    -------
    float or None
        In [h]; None without aircraft or days, and where there are flights and none of them has a
        duration.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Hours per aircraft and day
        Hours of all aircraft / (aircraft × calendar days), aircraft that did not fly
        included. Earlier periods are counted with the aircraft of the day of the data, too: once
        one is bought or sold, they read otherwise than in their own reports.
    Aircraft
        See `aircraft`.

    Examples
    --------
    >>> import pandas as pd
    >>> flights = pd.DataFrame({"flight_id": ["1"], "duration_seconds": [50400]})
    >>> bridge = pd.DataFrame({"flight_id": ["1"], "equipment_id": ["d"]})
    >>> fleet = pd.DataFrame({"equipment_id": ["d", "e"]})
    >>> hours_per_aircraft_day(flights, bridge, fleet, 28)
    0.25
    """
    checked_number(days, "days")
    ids = aircraft_ids(aircraft)
    frame = under_equipment(read_flights(flights, "flight_id"), bridge, ids)
    flown = collect(frame.select("_seconds", "_recorded"))
    if not ids or not days or (len(flown) and not flown["_recorded"].sum()):
        return None
    return float(flown["_seconds"].sum()) / SECONDS_PER_HOUR / (len(ids) * days)
