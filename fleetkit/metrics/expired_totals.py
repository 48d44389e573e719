"""How many flights were flown after a registration had expired."""

from __future__ import annotations

from datetime import date, datetime

import narwhals as nw
import pandas as pd

from fleetkit.metrics._frames import Frame, FrameT, collect, to_kind_of, to_pandas
from fleetkit.metrics._limits import flown_after
from fleetkit.metrics._noticing import clock_of
from fleetkit.time import Ends, instant

__all__ = ["expired_totals"]


def expired_totals(
    equipment: FrameT,
    flights: Frame,
    bridge: Frame,
    *,
    until: str | date | datetime | None = None,
    tz: str | None = None,
) -> FrameT:
    """Count the flights that `flown_while_expired` lists, in one query.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id`` and ``registration_expiry``.
    flights : frame of any engine
        With ``flight_id`` and ``flight_date``.
    bridge : frame of the same engine as `flights`
        ``flight_id``, ``equipment_id``.
    until : datetime, date or str, optional
        The end of a period: flights after it don't count.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Dates (midnights UTC) are not shifted.

    Returns
    -------
    frame of the kind of `equipment`
        One row: ``flights``, each counted once, and ``pieces``, the pieces of equipment that flew
        them (int64).

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Flown while expired
        See `flown_while_expired`.

    Examples
    --------
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d", "e"],
    ...     "registration_expiry": pd.to_datetime(["2026-10-01T00:00Z", None]),
    ... })
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1", "2"],
    ...     "flight_date": pd.to_datetime(["2026-10-01T15:00Z", "2026-10-04T09:00Z"]),
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1", "2", "2"], "equipment_id": ["d", "d", "e"]})
    >>> expired_totals(equipment, flights, bridge)
       flights  pieces
    0        1       1
    """
    rows = to_pandas(equipment, "equipment", ["equipment_id", "registration_expiry"])
    clock = clock_of(flights, equipment, bridge, tz=tz)
    expiries = clock.days(rows["registration_expiry"]).set_axis(rows["equipment_id"])
    ends = Ends(until=None if until is None else instant(until, clock.tz))
    late = flown_after(expiries, clock.cut(flights, ends), bridge, clock)
    counts = late.select(
        nw.col("flight_id").n_unique().alias("flights"),
        nw.col("equipment_id").n_unique().alias("pieces"),
    )
    # In SQL a count of distinct values is unknown where there are no rows.
    totals: pd.DataFrame = collect(counts).fillna(0).astype("int64")
    return to_kind_of(totals, equipment, clock)
