"""Flights after the registration of their equipment had expired."""

from __future__ import annotations

from fleetkit.metrics._frames import Frame, FrameT, collect, to_kind_of, to_pandas
from fleetkit.metrics._limits import flown_after
from fleetkit.metrics._noticing import clock_of

__all__ = ["flown_while_expired"]


def flown_while_expired(
    equipment: FrameT, flights: Frame, bridge: Frame, *, tz: str | None = None
) -> FrameT:
    """List the flights after the expiry that stands today in the equipment's record.

    The API keeps no earlier expiries: a registration that lapsed and was renewed isn't seen. A
    flight on the day of the expiry is within it. Pass equipment of any status: that it has
    retired since does not undo a flight.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id``, ``name``, ``status``, ``registration_expiry``.
    flights : frame of any engine
        With ``flight_id``, ``flight_date``, ``pilot_name``, ``project_title``.
    bridge : frame of the same engine as `flights`
        ``flight_id``, ``equipment_id``.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Dates (midnights UTC) are not shifted.

    Returns
    -------
    frame of the kind of `equipment`
        One row per flight and piece of equipment: ``equipment_id``, ``name``, ``status``,
        ``registration_expiry``, ``flight_id``, ``flight_date`` (UTC), ``pilot_name``,
        ``project_title``, ``days_expired`` (int64, at least 1); latest flight first.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Flown while expired
        Flights after the expiry that stands in the equipment's record, of equipment of any
        status. Earlier expiries are not known.

    Examples
    --------
    >>> import pandas as pd
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "name": ["Kestrel"], "status": ["RETIRED"],
    ...     "registration_expiry": pd.to_datetime(["2026-10-01T00:00Z"]),
    ... })
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1", "2"], "pilot_name": ["Ada", "Bo"], "project_title": [None, "Roof"],
    ...     "flight_date": pd.to_datetime(["2026-10-01T15:00Z", "2026-10-04T09:00Z"]),
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1", "2"], "equipment_id": ["d", "d"]})
    >>> flown_while_expired(equipment, flights, bridge)[["flight_id", "days_expired"]]
      flight_id  days_expired
    0         2             3
    """
    columns = ["equipment_id", "name", "status", "registration_expiry"]
    rows = to_pandas(equipment, "equipment", columns)
    clock = clock_of(flights, equipment, bridge, tz=tz)
    rows["_expired"] = clock.days(rows["registration_expiry"])
    limits = rows["_expired"].set_axis(rows["equipment_id"])
    flown = (
        collect(flown_after(limits, flights, bridge, clock, *_FLOWN_BY))
        .astype(dict.fromkeys(["equipment_id", "flight_id", *_FLOWN_BY], "str"))
        .astype({"_day": "datetime64[us]", "_utc": "datetime64[us]"})
    )
    pairs = rows.merge(flown, on="equipment_id")
    pairs["flight_date"] = pairs["_utc"].dt.tz_localize("UTC")
    pairs["days_expired"] = (pairs["_day"] - pairs["_expired"]).dt.days
    # Of equipment that is there twice, each row has an expiry of its own.
    late = pairs[pairs["days_expired"] > 0].sort_values(
        ["flight_date", "equipment_id", "flight_id"],
        ascending=[False, True, True],
        ignore_index=True,
    )
    return to_kind_of(late[_EXPIRED], equipment, clock)


_FLOWN_BY = ["pilot_name", "project_title"]
_EXPIRED = [
    "equipment_id",
    "name",
    "status",
    "registration_expiry",
    "flight_id",
    "flight_date",
    *_FLOWN_BY,
    "days_expired",
]
