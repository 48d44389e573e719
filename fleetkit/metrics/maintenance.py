"""What was flown since the last maintenance."""

from __future__ import annotations

from datetime import date, datetime

from fleetkit.metrics._all_flights import of_all_flights
from fleetkit.metrics._flown import as_hours
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of, to_pandas
from fleetkit.metrics._noticing import clock_of, notice_later_only
from fleetkit.metrics._service import since_maintenance

__all__ = ["maintenance"]

PIECE = ["equipment_id", "name", "type", "status"]


@of_all_flights
def maintenance(
    equipment: FrameT,
    flights: Frame,
    bridge: Frame,
    as_of: str | date | datetime,
    *,
    tz: str | None = None,
) -> FrameT:
    """Count hours, flights and days since the last MAINTENANCE flight of each piece of equipment.

    This is a proxy: the API has no record of maintenance, only flights of that type, which check
    the work or the equipment. Flights after it count, it itself doesn't. Equipment without such a
    flight counts all of its flights, and the days since its purchase, or its first flight where
    no purchase up to that day is known.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id``, ``name``, ``type``, ``status``, ``purchase_date``.
    flights : frame of any engine
        All flights: ``flight_id``, ``flight_date``, ``flight_type``, ``duration_seconds`` [s].
    bridge : frame of the same engine as `flights`
        ``flight_id``, ``equipment_id``.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`. Flights after it, or at that moment,
        don't count.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Flight dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `equipment`
        ``equipment_id``, ``name``, ``type``, ``status``, ``last_maintenance`` (UTC; null where
        there is none), ``hours_since`` [h] (null where no flight has a duration),
        ``flights_since`` (int64), ``days_since`` (Int64; null where nothing is known to count
        from); most hours first.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Since maintenance
        After the last MAINTENANCE flight, a proxy: the service has no record of maintenance.
        Without one: all logs, and the days since the purchase, or the first flight.

    Examples
    --------
    >>> import pandas as pd
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "name": ["Kestrel"], "type": ["DRONE"], "status": ["ACTIVE"],
    ...     "purchase_date": pd.to_datetime(["2026-01-01T00:00Z"]),
    ... })
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1", "2"], "flight_type": ["MAINTENANCE", "COMMERCIAL"],
    ...     "flight_date": pd.to_datetime(["2026-10-01T09:00Z", "2026-10-04T09:00Z"]),
    ...     "duration_seconds": [600, 5400],
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1", "2"], "equipment_id": ["d", "d"]})
    >>> since = maintenance(equipment, flights, bridge, "2026-10-31")
    >>> since[["hours_since", "flights_since", "days_since"]]
       hours_since  flights_since  days_since
    0          1.5              1          30
    """
    clock = clock_of(flights, equipment, bridge, tz=tz)
    today = clock.day_of(as_of)
    notice_later_only(flights, "maintenance")
    rows = to_pandas(equipment, "equipment", [*PIECE, "purchase_date"])
    flown = since_maintenance(flights, bridge, clock, clock.end_at(as_of))
    flown = flown.reindex(rows["equipment_id"]).reset_index(drop=True)
    rows["last_maintenance"] = flown["_utc"].dt.tz_localize("UTC")
    rows["hours_since"] = as_hours(flown)
    rows["flights_since"] = flown["_flights"].fillna(0).astype("int64")
    purchased = clock.days(rows.pop("purchase_date"))
    begun = flown["_day"].fillna(purchased.where(purchased <= today)).fillna(flown["_first"])
    rows["days_since"] = (today - begun).dt.days.astype("Int64")
    keys = ["hours_since", "name", "equipment_id"]
    order = rows.sort_values(keys, ascending=[False, True, True], ignore_index=True)
    return to_kind_of(order, equipment, clock)
