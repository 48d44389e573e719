"""How many days registrations have left."""

from __future__ import annotations

from datetime import date, datetime

import pandas as pd

from fleetkit.kinds import BANDS
from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._noticing import clock_of

__all__ = ["registrations"]


def registrations(
    equipment: FrameT, as_of: str | date | datetime, *, tz: str | None = None
) -> FrameT:
    """Say how many days each registration has left.

    A registration still stands on the day of its expiry: it has 0 days left and is in the band
    "≤ 30 days"; from the day after on it is expired. Each band is what the narrower ones leave.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id``, ``name``, ``type``, ``status``, ``registration_number``,
        ``registration_expiry``.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Expiries that are dates (midnights UTC) are not shifted.

    Returns
    -------
    frame of the kind of `equipment`
        ``equipment_id``, ``name``, ``type``, ``status``, ``registration_number``,
        ``registration_expiry``, ``days_left`` (Int64; below 0 where expired), ``band`` (ordered
        categorical; "missing" where no expiry is known); soonest first.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Registration
        Stands until the end of its day of expiry. In reports, of equipment in service only.

    Examples
    --------
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "name": ["Kestrel"], "type": ["DRONE"], "status": ["ACTIVE"],
    ...     "registration_number": ["G-1"],
    ...     "registration_expiry": pd.to_datetime(["2026-10-31T00:00Z"]),
    ... })
    >>> registrations(equipment, "2026-10-01")[["equipment_id", "days_left", "band"]]
      equipment_id  days_left       band
    0            d         30  ≤ 30 days
    """
    columns = ["equipment_id", "name", "type", "status"]
    dated = ["registration_number", "registration_expiry"]
    rows = to_pandas(equipment, "equipment", columns + dated)
    clock = clock_of(equipment, tz=tz)
    left = (clock.days(rows["registration_expiry"]) - clock.day_of(as_of)).dt.days
    rows["days_left"] = left.astype("Int64")
    bands = pd.cut(left, [-float("inf"), -1, 30, 60, 90, float("inf")], labels=BANDS[:-1]).astype(
        pd.CategoricalDtype(list(BANDS), ordered=True)
    )
    rows["band"] = bands.fillna("missing")
    ordered_rows = rows.sort_values(
        ["band", "days_left", "name", "equipment_id"], ignore_index=True
    )
    return to_kind_of(ordered_rows, equipment, clock)
