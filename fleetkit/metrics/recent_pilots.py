"""How many pilots were recent on several days, in one pass over the flights."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit.arguments import checked_list
from fleetkit.metrics._all_flights import of_all_flights
from fleetkit.metrics._frames import Frame, FrameT, collect, to_kind_of
from fleetkit.metrics._noticing import clock_of, notice_left_out
from fleetkit.metrics._recency import counted_flights
from fleetkit.metrics._slices import Slices
from fleetkit.settings import RecencyRule
from fleetkit.time import Clock, Period

__all__ = ["recent_pilots"]

_SUMS = ["flights", "seconds"]


@of_all_flights
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
    clock = clock_of(flights, tz=tz)
    last_days = [clock.day_of(day) for day in checked_list(days, "days")]
    recent = pd.DataFrame({"day": last_days, "recent": _counts(flights, rule, last_days, clock)})
    return to_kind_of(recent.astype({"day": "datetime64[us]", "recent": "int64"}), flights, clock)


def _counts(
    flights: Frame, rule: RecencyRule, days: list[pd.Timestamp], clock: Clock
) -> np.ndarray:
    """Count the pilots who are recent on each day: flights are summed between ends of windows."""
    counted, clock = counted_flights(flights, rule, clock)
    windows = [
        Period.between(rule.first_day(day), day.date() + timedelta(days=1), clock.tz)
        for day in days
    ]
    notice_left_out(flights, "recent_pilots", *windows)
    slices = Slices(counted, windows, clock)
    by_pilot = slices.flights().group_by("pilot_id", "_slice").agg(nw.col(*_SUMS).sum())
    rows = collect(by_pilot)
    flown, spent = (
        slices.add_up(rows.pivot(index="pilot_id", columns="_slice", values=name)) for name in _SUMS
    )
    is_recent = (flown >= rule.flights) & (spent >= rule.seconds)
    count: np.ndarray = is_recent.sum(axis=0)
    return count
