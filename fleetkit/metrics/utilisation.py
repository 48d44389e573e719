"""Hours per aircraft and day, month by month."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals as nw
import pandas as pd

from fleetkit.metrics._bridge import under_equipment
from fleetkit.metrics._frames import (
    Frame,
    FrameT,
    as_hours,
    to_kind_of,
    to_lazy,
    to_pandas,
    with_seconds,
)
from fleetkit.time import Clock, Period

__all__ = ["utilisation"]


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
    clock = Clock.of(flights, bridge, tz=tz)
    period = Period.read(period, clock.tz)
    covered = None if covered is None else Period.read(covered, clock.tz)
    clock = clock if tz else replace(clock, tz=period.tz)
    ids = to_pandas(aircraft, "aircraft", ["equipment_id"])["equipment_id"].unique().tolist()
    frame = to_lazy(flights, "flights", ["flight_id", "flight_date", "duration_seconds"])
    known = _common(period, covered)
    frame = clock.localize(with_seconds(frame))
    frame = clock.cut(frame, known) if known else frame.head(0)
    flown = (
        under_equipment(frame, bridge, ids)
        .group_by("equipment_id", "_day")
        .agg(nw.col("_seconds", "_recorded").sum())
        .collect("pandas")
        .to_native()
    )
    months = _months(period, clock)
    flown["month"] = flown["_day"].dt.strftime("%Y-%m")
    by_month = flown.groupby("month")
    result = pd.DataFrame({"month": pd.Series(months.index, dtype="str"), "aircraft": len(ids)})
    active = by_month["equipment_id"].nunique().reindex(months.index, fill_value=0)
    days = _months(known, clock) if known else months.iloc[:0]
    result["days"] = days.reindex(months.index, fill_value=0).to_numpy(dtype="int64")
    is_known = result["days"] > 0
    result.insert(2, "active", active.astype("Int64").reset_index(drop=True).where(is_known))
    spent = by_month[["_seconds", "_recorded"]].sum().reindex(months.index)
    result["hours"] = as_hours(spent).reset_index(drop=True).where(is_known)
    aircraft_days = (result["aircraft"] * result["days"]).where(result["aircraft"] > 0)
    result["hours_per_aircraft_day"] = result["hours"] / aircraft_days
    return to_kind_of(result, flights, clock)


def _common(period: Period, covered: Period | None) -> Period | None:
    """Return the part of a period that is covered; None where there is none."""
    if covered is None:
        return period
    since, until = max(period.since, covered.since), min(period.until, covered.until)
    return Period.between(since, until, period.tz) if since < until else None


def _months(period: Period, clock: Clock) -> pd.Series[int]:
    """Return the days of each calendar month that the period touches, by ``YYYY-MM``."""
    local = Period.between(period.since, period.until, clock.tz)
    days = pd.Series(pd.date_range(local.since.date(), local.last_day)).dt.strftime("%Y-%m")
    return days.value_counts().sort_index()
