"""Flights, hours and use of aircraft in several periods, in one pass over the flights."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from fleetkit.arguments import checked_list
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of
from fleetkit.metrics._noticing import clock_of, notice_uncovered
from fleetkit.metrics._slices import totals
from fleetkit.time import Period, PeriodLike

__all__ = ["period_totals"]


def period_totals(
    flights: FrameT,
    bridge: Frame,
    aircraft: Frame,
    periods: Iterable[PeriodLike],
    *,
    tz: str | None = None,
) -> FrameT:
    """Count flights, hours and active aircraft of several periods, which may overlap.

    However many the periods are, the flights are read once. A flight under two aircraft counts
    for both in the hours of aircraft, and once in the others.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_id``, ``flight_date``, ``duration_seconds`` [s].
    bridge : frame of the same engine
        ``flight_id``, ``equipment_id``.
    aircraft : frame of any engine
        With ``equipment_id``; see :func:`aircraft`.
    periods : iterable of str, int, date, pandas.Period or Period
        In any order.
    tz : str, optional
        IANA time zone of periods that aren't a `Period`; default: that of the frame's fleet, or
        UTC.

    Returns
    -------
    frame of the kind of `flights`
        One row per period, in their order: ``period`` (its name), ``flights``, ``hours`` [h],
        ``aircraft``, ``active`` (aircraft that flew), ``days``, ``aircraft_hours`` [h],
        ``hours_per_aircraft_day`` [h]. Hours are null where there are flights and none of them has
        a duration; the last is null where there are no aircraft, too.

    Raises
    ------
    InvalidValue
        A missing column, what is not a period, or an unknown zone.

    Definitions
    -----------
    Flight
        See `flight_hours`.
    Flown hours
        See `flight_hours`.
    Active aircraft
        See `utilisation`.
    Hours per aircraft and day
        See `hours_per_aircraft_day`.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1", "2"],
    ...     "flight_date": pd.to_datetime(["2026-10-03T10:00Z", "2026-11-03T10:00Z"]),
    ...     "duration_seconds": [3600, 7200],
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1", "2"], "equipment_id": ["d", "d"]})
    >>> fleet = pd.DataFrame({"equipment_id": ["d", "e"]})
    >>> totals = period_totals(flights, bridge, fleet, ["2026-10", "2026-Q4"])
    >>> totals[["period", "flights", "hours", "active", "days"]]
        period  flights  hours  active  days
    0  2026-10        1    1.0       1    31
    1  2026-Q4        2    3.0       1    92
    """
    clock = clock_of(flights, bridge, tz=tz)
    spans = [Period.read(period, clock.tz) for period in checked_list(periods, "periods")]
    for span in spans:
        notice_uncovered(flights, "period_totals", span, known_days='periods=["{}"]')
    result = totals(flights, bridge, aircraft, spans, clock)
    result.insert(0, "period", pd.Series([span.name for span in spans], dtype="str"))
    return to_kind_of(result, flights, clock)
