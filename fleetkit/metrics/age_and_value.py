"""How old equipment is, what it is still worth, and what an hour of it cost."""

from __future__ import annotations

from calendar import isleap
from collections.abc import Mapping
from datetime import date, datetime

import pandas as pd

from fleetkit.context import setting
from fleetkit.metrics._all_flights import of_all_flights
from fleetkit.metrics._flown import as_hours, sum_by_piece
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of, to_pandas
from fleetkit.metrics._noticing import clock_of, notice_later_only

__all__ = ["age_and_value"]

# Fewest lifetime hours for which the cost per hour is shown. [h]
LEAST_HOURS = 5.0


@of_all_flights
def age_and_value(
    equipment: FrameT,
    flights: Frame,
    bridge: Frame,
    as_of: str | date | datetime,
    *,
    depreciation: Mapping[str, float] | None = None,
    tz: str | None = None,
) -> FrameT:
    """Return the age, the book value and the cost per lifetime hour of each piece of equipment.

    The book value falls evenly from the purchase cost to its residual share, over the years that
    are set, and stays there. Costs are as reported: they have no currency, so they are not added.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id``, ``name``, ``type``, ``status``, ``purchase_date``,
        ``purchase_cost``, ``total_flight_hours`` [h].
    flights : frame of any engine
        All flights: ``flight_id``, ``duration_seconds`` [s].
    bridge : frame of the same engine as `flights`
        ``flight_id``, ``equipment_id``.
    as_of : date, datetime or str
        The day of the age and the value; of a moment, the day that it falls on in `tz`.
    depreciation : dict, optional
        ``years`` and ``residual_percent``, or one of them; default of each: that of the frame's
        fleet, which is 5 years and 0 % where nothing is set.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Purchase dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `equipment`
        ``equipment_id``, ``name``, ``type``, ``status``, ``purchase_date``, ``age_years`` (from
        anniversary to anniversary; null before the purchase), ``purchase_cost`` and
        ``book_value`` (as reported; the value is null without a date, or a cost of 0 or more),
        ``lifetime_hours`` [h], ``cost_per_hour`` (null below 5 lifetime hours); oldest first.

    Raises
    ------
    InvalidValue
        A missing column, an unknown zone, or a depreciation that can't be one.

    Definitions
    -----------
    Book value
        The purchase cost, as reported and without a currency; it falls evenly over the years
        that are set to the residual share that is set. The cost per hour is by lifetime hours,
        from 5 on: the counter's or the logs', whichever are more.

    Examples
    --------
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "name": ["Kestrel"], "type": ["DRONE"], "status": ["ACTIVE"],
    ...     "purchase_date": pd.to_datetime(["2024-10-31T00:00Z"]), "purchase_cost": [5000.0],
    ...     "total_flight_hours": [40.0],
    ... })
    >>> flights = pd.DataFrame({"flight_id": ["1"], "duration_seconds": [3600]})
    >>> bridge = pd.DataFrame({"flight_id": ["1"], "equipment_id": ["d"]})
    >>> value = age_and_value(equipment, flights, bridge, "2026-10-31")
    >>> value[["age_years", "book_value", "cost_per_hour"]]
       age_years  book_value  cost_per_hour
    0        2.0      3000.0          125.0
    """
    clock = clock_of(equipment, flights, bridge, tz=tz)
    today = clock.day_of(as_of)
    notice_later_only(flights, "age_and_value")
    rows = to_pandas(equipment, "equipment", [*_OF_EQUIPMENT, "total_flight_hours"])
    purchased = clock.days(rows["purchase_date"])
    ages = [_years(day, today) for day in purchased]
    rows["age_years"] = pd.Series(ages, rows.index, dtype="float64")
    cost = rows["purchase_cost"].astype("float64")
    terms = _terms(equipment, depreciation)
    rows["book_value"] = cost.where(cost >= 0) * _share(rows["age_years"], terms)
    logged = sum_by_piece(flights, bridge, rows["equipment_id"])
    hours = as_hours(logged.reset_index(drop=True))
    counted = rows.pop("total_flight_hours").astype("float64")
    rows["lifetime_hours"] = pd.concat([counted, hours], axis=1).max(axis=1)
    enough = rows["lifetime_hours"] >= LEAST_HOURS
    rows["cost_per_hour"] = cost.where(cost >= 0) / rows["lifetime_hours"].where(enough)
    keys = ["age_years", "name", "equipment_id"]
    order = rows.sort_values(keys, ascending=[False, True, True], ignore_index=True)
    return to_kind_of(order, equipment, clock)


_OF_EQUIPMENT = ["equipment_id", "name", "type", "status", "purchase_date", "purchase_cost"]


def _years(since: pd.Timestamp, today: pd.Timestamp) -> float | None:
    """Return the years between two days, each as long as it is from anniversary to anniversary."""
    if pd.isna(since) or since > today:
        return None
    day, now = since.date(), today.date()
    years = now.year - day.year
    if _anniversary(day, years) > now:
        years -= 1
    before, after = (_anniversary(day, count) for count in (years, years + 1))
    return years + (now - before).days / (after - before).days


def _anniversary(day: date, years: int) -> date:
    """Return the same day some years later; 28 February for 29 February where there is none."""
    is_leap_day = (day.month, day.day) == (2, 29) and not isleap(day.year + years)
    return day.replace(year=day.year + years, day=28 if is_leap_day else day.day)


def _terms(equipment: Frame, depreciation: Mapping[str, float] | None) -> dict[str, float]:
    """Return the years and the residual share that are given, or else the fleet's."""
    terms = dict(setting(equipment, "depreciation"))
    if depreciation is not None:
        checked = setting(equipment, "depreciation", depreciation)
        terms |= {part: checked[part] for part in depreciation}
    return terms


def _share(age: pd.Series[float], depreciation: Mapping[str, float]) -> pd.Series[float]:
    """Return the share of the cost that is left at an age."""
    residual = depreciation["residual_percent"] / 100
    return 1 - (1 - residual) * (age / depreciation["years"]).clip(upper=1.0)
