"""Hours per aircraft and day, month by month."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fleetkit.metrics._flown import aircraft_ids
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of
from fleetkit.metrics._noticing import clock_of, notice_uncovered
from fleetkit.metrics._slices import totals
from fleetkit.time import Period

__all__ = ["utilisation"]

_DTYPES = {
    "month": "str",
    "aircraft": "int64",
    "active": "Int64",
    "days": "int64",
    "aircraft_hours": "float64",
    "hours_per_aircraft_day": "float64",
}


def utilisation(
    flights: FrameT,
    bridge: Frame,
    aircraft: Frame,
    period: Any,
    *,
    covered: Any = None,
    tz: str | None = None,
) -> FrameT:
    """Return flown hours per aircraft and day, for each calendar month of a period.

    Hours / (aircraft × days); months without flights are 0. An aircraft is active in a month in
    which it flew. A flight under two aircraft counts for both.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_id``, ``flight_date``, ``duration_seconds`` [s]. Those outside the period are
        left out.
    bridge : frame of the same engine
        ``flight_id``, ``equipment_id``.
    aircraft : frame of any engine
        With ``equipment_id``; see :func:`aircraft`.
    period : str, int, date, pandas.Period or Period
        The months, or parts of months.
    covered : str, int, date, pandas.Period or Period, optional
        What the data cover. Days outside of it don't count, and of a month that has none inside,
        nothing is known: it is null, not 0.
    tz : str, optional
        IANA time zone of the months; default: that of a `Period`, else that of the frame's fleet,
        or UTC.

    Returns
    -------
    frame of the kind of `flights`
        One row per calendar month: ``month`` (``YYYY-MM``), ``aircraft``, ``active`` (Int64),
        ``days`` (of the month that lie within the period and are covered), ``hours`` [h] (null
        where no duration was recorded), ``hours_per_aircraft_day`` [h]; the last is null where
        there are no aircraft.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Active aircraft
        Aircraft with at least one flight in the period.
    Hours per aircraft and day
        See `hours_per_aircraft_day`.

    Examples
    --------
    >>> import pandas as pd
    >>> from fleetkit.time import Period
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1"],
    ...     "flight_date": pd.to_datetime(["2026-02-03T10:00Z"]),
    ...     "duration_seconds": [50400],
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1"], "equipment_id": ["d"]})
    >>> fleet = pd.DataFrame({"equipment_id": ["d", "e"]})
    >>> utilisation(flights, bridge, fleet, Period.read("2026-02"))
         month  aircraft  active  days  hours  hours_per_aircraft_day
    0  2026-02         2       1    28   14.0                    0.25
    """
    clock = clock_of(flights, bridge, tz=tz)
    period = Period.read(period, clock.tz)
    known = period if covered is None else period.intersection(Period.read(covered, clock.tz))
    if known is not None:
        notice_uncovered(flights, "utilisation", known)
    clock = clock if tz else replace(clock, tz=period.tz)
    months = Period.between(period.since, period.until, clock.tz).months()
    spans = {month: known and Period.read(month, clock.tz).intersection(known) for month in months}
    parts = {month: span for month, span in spans.items() if span}
    rows = totals(flights, bridge, aircraft, list(parts.values()), clock)
    rows = rows.set_axis(list(parts)).reindex(months).rename_axis("month").reset_index()
    rows["aircraft"] = len(aircraft_ids(aircraft))
    result = rows.fillna({"days": 0})[list(_DTYPES)].astype(_DTYPES)
    return to_kind_of(result.rename(columns={"aircraft_hours": "hours"}), flights, clock)
