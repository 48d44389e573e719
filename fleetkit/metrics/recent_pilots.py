"""How many pilots were recent on several days, in one pass over the flights."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

import narwhals as nw
import pandas as pd

from fleetkit.metrics._frames import FrameT, collect, to_kind_of
from fleetkit.metrics._recency import countable
from fleetkit.metrics._slices import Slices
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.settings import RecencyRule
from fleetkit.time import Clock, Period

__all__ = ["recent_pilots"]


def recent_pilots(
    flights: FrameT, rule: RecencyRule, days: Iterable[str | date], *, tz: str | None = None
) -> FrameT:
    """Count the pilots who are recent on each of several days, as :func:`recency` finds them.

    Parameters
    ----------
    flights : frame of any engine
        As for :func:`recency`; those of the rule's window before each day are enough.
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
    clock, frame = Clock.of(flights, tz=tz), countable(flights, rule)
    last_days = [clock.day_of(day) for day in days]
    windows = [
        Period.between(rule.first_day(day), day.date() + timedelta(1), clock.tz)
        for day in last_days
    ]
    slices = Slices(frame, windows, clock)
    by_pilot = slices.flights().group_by("pilot_id", "_slice")
    flown = collect(by_pilot.agg(nw.col("_flights", "_seconds").sum()))
    counted, spent = (
        slices.add_up(flown.pivot(index="pilot_id", columns="_slice", values=column))
        for column in ("_flights", "_seconds")
    )
    is_recent = (counted >= rule.flights) & (spent >= rule.hours * SECONDS_PER_HOUR)
    recent = pd.DataFrame({"day": last_days, "recent": is_recent.sum(axis=0)})
    return to_kind_of(recent.astype({"day": "datetime64[us]", "recent": "int64"}), flights, clock)
