"""How many pilots were recent on several days, in one pass over the flights."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import numpy as np
import pandas as pd

from fleetkit.arguments import checked_list
from fleetkit.metrics._frames import FrameT, to_kind_of
from fleetkit.metrics._recency import counted_days
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.settings import RecencyRule
from fleetkit.time import Clock

__all__ = ["recent_pilots"]


def recent_pilots(
    flights: FrameT, rule: RecencyRule, days: Iterable[str | date], *, tz: str | None = None
) -> FrameT:
    """Count the pilots who are recent on each of several days, as :func:`recency` finds them.

    Parameters
    ----------
    flights : frame of any engine
        As for :func:`recency`, or what :func:`flown_days` makes of them; those of the rule's
        window before each day are enough.
    rule : RecencyRule
    days : iterable of date, datetime or str
        In any order.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.

    Returns
    -------
    frame of the kind of `flights`
        One row per day, in their order: ``day`` (datetime64[us]), ``recent``.

    Raises
    ------
    InvalidValue
        As for :func:`recency`.

    Definitions
    -----------
    Recent
        See `recency`.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "pilot_id": ["p"], "pilot_name": ["Ada"],
    ...     "flight_date": pd.to_datetime(["2026-09-10T08:00Z"]), "duration_seconds": [7200],
    ... })
    >>> rule = RecencyRule("2 h in 3 months", months=3, hours=2)
    >>> recent_pilots(flights, rule, ["2026-10-31", "2026-12-31"])
             day  recent
    0 2026-10-31       1
    1 2026-12-31       0
    """
    clock = Clock.of(flights, tz=tz)
    flown = counted_days(flights, rule, clock)
    last_days = [clock.day_of(day) for day in checked_list(days, "days")]
    counts = [_recent(flown, rule, day) for day in last_days]
    recent = pd.DataFrame({"day": last_days, "recent": counts})
    return to_kind_of(recent.astype({"day": "datetime64[us]", "recent": "int64"}), flights, clock)


def _recent(flown: pd.DataFrame, rule: RecencyRule, day: pd.Timestamp) -> int:
    """Count the pilots who are recent on a day."""
    is_inside = (flown["day"] > day - rule.window) & (flown["day"] <= day)
    inside = flown.loc[is_inside, ["_pilot", "flights", "seconds"]]
    flights, spent = (
        np.bincount(inside["_pilot"], inside[name]) for name in ("flights", "seconds")
    )
    is_recent = (flights >= rule.flights) & (spent >= rule.hours * SECONDS_PER_HOUR)
    return int(is_recent.sum())
