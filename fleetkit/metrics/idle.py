"""How long equipment has not flown."""

from __future__ import annotations

from datetime import date, datetime

import narwhals as nw

from fleetkit.metrics._all_flights import of_all_flights
from fleetkit.metrics._flown import under_equipment
from fleetkit.metrics._frames import (
    Frame,
    FrameT,
    collect,
    to_kind_of,
    to_lazy,
    to_pandas,
)
from fleetkit.metrics._noticing import clock_of, notice_later_only
from fleetkit.time import Ends, with_utc

__all__ = ["idle"]


@of_all_flights
def idle(
    equipment: FrameT,
    flights: Frame,
    bridge: Frame,
    as_of: str | date | datetime,
    *,
    tz: str | None = None,
) -> FrameT:
    """Count the days since each piece of equipment last flew.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id``, ``name``, ``type``, ``status``.
    flights : frame of any engine
        All flights: ``flight_id``, ``flight_date``.
    bridge : frame of the same engine as `flights`
        ``flight_id``, ``equipment_id``.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`. No flight after it, nor at that
        moment, is the last one.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Flight dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `equipment`
        ``equipment_id``, ``name``, ``type``, ``status``, ``last_flight`` (UTC), ``idle_days``
        (Int64; 0 where it flew that day, null where it never flew, or on no day up to `as_of` that
        is known), ``flights`` (int64; all of them, of any date or none: 0 where it never flew);
        longest idle first, nulls last.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Idle days
        Days since the last flight of any kind. Of equipment that flew on a known day; what
        never flew is counted apart. In reports, of equipment in service only.

    Examples
    --------
    >>> import pandas as pd
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "name": ["Kestrel"], "type": ["DRONE"], "status": ["ACTIVE"],
    ... })
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1"], "flight_date": pd.to_datetime(["2026-10-01T09:00Z"]),
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1"], "equipment_id": ["d"]})
    >>> idle(equipment, flights, bridge, "2026-10-31")[["equipment_id", "idle_days"]]
      equipment_id  idle_days
    0            d         30
    """
    clock = clock_of(flights, equipment, bridge, tz=tz)
    today = clock.day_of(as_of)
    notice_later_only(flights, "idle")
    rows = to_pandas(equipment, "equipment", ["equipment_id", "name", "type", "status"])
    frame = to_lazy(flights, "flights", ["flight_id", "flight_date"])
    moments = with_utc(clock.localize(frame))
    is_past = nw.col("flight_date") < clock.bounds(frame, Ends(until=clock.end_at(as_of))).until
    dated = [nw.when(is_past).then(nw.col(name)).alias(f"{name}_past") for name in ("_utc", "_day")]
    by_piece = under_equipment(moments.with_columns(*dated), bridge).group_by("equipment_id")
    counted = collect(by_piece.agg(nw.col("_utc_past", "_day_past").max(), nw.len().alias("_n")))
    logged = counted.set_index("equipment_id").reindex(rows["equipment_id"]).reset_index(drop=True)
    last = logged[["_utc_past", "_day_past"]].astype("datetime64[us]")
    rows["last_flight"] = last["_utc_past"].dt.tz_localize("UTC")
    rows["idle_days"] = (today - last["_day_past"]).dt.days.astype("Int64")
    rows["flights"] = logged["_n"].fillna(0).astype("int64")
    keys = ["idle_days", "name", "equipment_id"]
    longest = rows.sort_values(keys, ascending=[False, True, True], ignore_index=True)
    return to_kind_of(longest, equipment, clock)
