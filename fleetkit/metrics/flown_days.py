"""What each pilot flew on each day."""

from __future__ import annotations

import pandas as pd

from fleetkit.metrics._frames import FrameT, to_kind_of
from fleetkit.metrics._noticing import clock_of
from fleetkit.metrics._recency import summed_days

__all__ = ["flown_days"]


def flown_days(flights: FrameT, *, tz: str | None = None) -> FrameT:
    """Sum up what each pilot flew on each day, also by night.

    :func:`recency`, :func:`recent_pilots` and :func:`flown_without_recency` take it in place of
    all flights: where several of them are asked, or one with several rules, the flights are
    looked at once.

    Parameters
    ----------
    flights : frame of any engine
        With ``pilot_id``, ``pilot_name``, ``flight_date``, ``duration_seconds`` [s],
        ``night_flight``; those without a pilot are left out.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Flight dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `flights`
        One row per pilot, name and day, in the order of pilots, days, moments and names:
        ``pilot_id``, ``pilot_name`` (null where none came), ``day`` (datetime64[us]),
        ``last_flight`` (UTC), ``flights``, ``seconds`` [s], ``night_flights``, ``night_seconds``
        [s] (flights int64, seconds float64; of those that say that they were by night). Seconds
        are null where there are such flights and none of them has a duration.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Recent
        See `recency`.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "pilot_id": ["p", "p"], "pilot_name": ["Ada", "Ada"], "night_flight": [False, True],
    ...     "flight_date": pd.to_datetime(["2026-09-10T08:00Z", "2026-09-10T22:00Z"]),
    ...     "duration_seconds": [7200, 1800],
    ... })
    >>> days = flown_days(flights)
    >>> days[["pilot_id", "day", "flights", "seconds", "night_flights", "night_seconds"]]
      pilot_id        day  flights  seconds  night_flights  night_seconds
    0        p 2026-09-10        2   9000.0              1         1800.0
    """
    clock = clock_of(flights, tz=tz)
    days: pd.DataFrame = summed_days(flights, clock, nights=True)
    days["last_flight"] = days["last_flight"].dt.tz_localize("UTC")
    return to_kind_of(days, flights, clock)
