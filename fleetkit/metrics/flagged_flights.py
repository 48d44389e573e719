"""The flights that checks of the data flag."""

from __future__ import annotations

from datetime import date, datetime

import narwhals as nw

from fleetkit.metrics import _quality_flights, _quality_overlaps
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of
from fleetkit.metrics._quality import Checked, Records, Rule, is_suspect

__all__ = ["flagged_flights"]


def flagged_flights(
    flights: FrameT,
    bridge: Frame,
    equipment: Frame,
    projects: Frame,
    *,
    as_of: str | date | datetime,
    tz: str | None = None,
    shortest: float = 30.0,
    longest: float = 10_800.0,
    aircraft: Frame | None = None,
    copies: Frame | None = None,
) -> FrameT:
    """List every flight that a check of `data_quality` counts as an error or a warning.

    Parameters
    ----------
    flights, bridge, equipment, projects, as_of, tz, shortest, longest, aircraft, copies
        As `data_quality` takes them.

    Returns
    -------
    frame of the kind of `flights`
        One row per check and flight: ``flight_id``, ``check``, ``severity`` (str: error or
        warning); in the order of the ids, then of the checks' names.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Sound flight
        A flight that no check of the data counts as an error or a warning.

    Examples
    --------
    >>> import pandas as pd
    >>> moments = pd.to_datetime(["2026-10-01T08:00Z", "2026-10-01T09:00Z"])
    >>> positions = ["takeoff_lat", "takeoff_lng", "landing_lat", "landing_lng"]
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1", "2"], "flight_date": moments, "flight_type": ["TRAINING"] * 2,
    ...     "duration_seconds": [1200, 20], **dict.fromkeys(positions, [0.0, 59.9]),
    ...     "pilot_id": ["a", "a"], "pilot_name": ["Ada", "Ada"], "project_id": ["p", "p"],
    ...     "created_at": moments,
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1", "2"], "equipment_id": ["d", "d"]})
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "type": ["DRONE"], "status": ["ACTIVE"], "condition": ["GOOD"],
    ...     "serial_number": ["A1"], "registration_number": ["N1"],
    ...     "purchase_date": pd.to_datetime(["2026-01-01T00:00Z"]),
    ... })
    >>> projects = pd.DataFrame({
    ...     "project_id": ["p"], "status": ["DELIVERED"], "agreed_price": [900.0],
    ...     "currency": ["EUR"], "assigned_pilot_name": ["Ada"],
    ... })
    >>> flagged_flights(flights, bridge, equipment, projects, as_of="2026-10-31")
      flight_id              check severity
    0         1   Position at 0, 0    error
    1         2  Very short flight  warning
    """
    records = Records.read(
        flights, bridge, equipment, projects, as_of=as_of, tz=tz, shortest=shortest,
        longest=longest, aircraft=aircraft, copies=copies, orders={},
    )  # fmt: skip
    parts = []
    for check in (*_quality_flights.CHECKS, *_quality_overlaps.CHECKS):
        if check.severity == "info":
            continue
        result = check.run(records)
        if isinstance(result, Rule):
            flagged = records.flights.filter(is_suspect(result) == 1)
        elif isinstance(result, Checked):
            flagged = result.suspect
        parts.append(
            flagged.select(
                "flight_id",
                nw.lit(check.name).alias("check"),
                nw.lit(check.severity).alias("severity"),
            )
        )
    return to_kind_of(nw.concat(parts).sort("flight_id", "check"), flights, records.clock)
