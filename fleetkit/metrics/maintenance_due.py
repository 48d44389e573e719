"""When equipment is due for maintenance, if it goes on being used as lately."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit.context import setting
from fleetkit.interface import did_you_mean
from fleetkit.metrics._all_flights import of_all_flights
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of, to_lazy, to_pandas
from fleetkit.metrics._noticing import clock_of
from fleetkit.metrics._service import use_per_day
from fleetkit.metrics.maintenance import PIECE, maintenance
from fleetkit.notices import notify
from fleetkit.upkeep import interval_names

__all__ = ["maintenance_due"]

# Parts of a service interval.
PARTS = ("hours", "flights", "days")
# A due date that is further away isn't forecast. [d]
_FURTHEST = 36_500
# Largest rounding error of a whole number of days.
_NOISE = 1e-9


@of_all_flights
def maintenance_due(
    equipment: FrameT,
    flights: Frame,
    bridge: Frame,
    as_of: str | date | datetime,
    *,
    service_intervals: Mapping[str, Mapping[str, float]] | None = None,
    tz: str | None = None,
) -> FrameT:
    """Forecast on which day the service interval of each piece of equipment is used up.

    Hours and flights go on as on average in the last 90 days (in as many as there are logs, where
    these began later). Of hours, flights and days whatever comes first counts. What is used up
    already is due: by days since the day on which it was, by hours or flights on `as_of`.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id``, ``name``, ``type``, ``model``, ``status``, ``purchase_date``.
    flights : frame of any engine
        All flights: ``flight_id``, ``flight_date``, ``flight_type``, ``duration_seconds`` [s].
    bridge : frame of the same engine as `flights`
        ``flight_id``, ``equipment_id``.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`. Flights after it, or at that moment,
        don't count.
    service_intervals : dict, optional
        Type or model of equipment → its ``hours``, ``flights`` and ``days``, one of them or
        more; that of the model wins. Default: those that the frame's fleet is set to.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Flight dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `equipment`
        Of equipment that has an interval: ``equipment_id``, ``name``, ``type``, ``status``,
        ``hours_left`` [h], ``flights_left``, ``days_until`` of the interval (all null where it has
        none; below 0 where it is used up), ``hours_per_day`` [h] (null where flights of these days
        have no duration at all), ``flights_per_day``, ``due_by`` ("hours", "flights" or "days";
        null where the interval isn't used up at this use), ``due`` (a day, without a zone),
        ``days_left`` (Int64); soonest first.

    Raises
    ------
    InvalidValue
        A missing column, an unknown zone, or an interval that can't be one.

    Definitions
    -----------
    Maintenance due
        The day on which the first of the service intervals that are set (hours, flights, days)
        is used up, at the average use of the last 90 days, or of as many as there are logs.

    Examples
    --------
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "name": ["Kestrel"], "type": ["DRONE"], "model": ["K1"],
    ...     "status": ["ACTIVE"], "purchase_date": pd.to_datetime(["2026-08-03T00:00Z"]),
    ... })
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1"], "flight_type": ["COMMERCIAL"], "duration_seconds": [32400],
    ...     "flight_date": pd.to_datetime(["2026-08-03T09:00Z"]),
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1"], "equipment_id": ["d"]})
    >>> intervals = {"DRONE": {"hours": 10, "days": 365}}
    >>> due = maintenance_due(
    ...     equipment, flights, bridge, "2026-10-31", service_intervals=intervals
    ... )
    >>> due[["hours_left", "hours_per_day", "due_by", "due", "days_left"]]
       hours_left  hours_per_day due_by        due  days_left
    0         1.0            0.1  hours 2026-11-10         10
    """
    clock = clock_of(flights, equipment, bridge, tz=tz)
    today = clock.day_of(as_of)
    pieces = to_pandas(equipment, "equipment", [*PIECE, "model", "purchase_date"])
    pieces = pieces.drop_duplicates("equipment_id")  # what a merge repeated is due once
    intervals = setting(equipment, "service_intervals", service_intervals)
    if service_intervals is None and not intervals:
        notify(
            "No service interval is set, so metrics.maintenance_due forecasts nothing. Pass"
            ' service_intervals={"DRONE": {"hours": 100}}, or set them in fleetkit.toml.'
        )
    _notice_misspelt(service_intervals or {}, pieces)
    limits = _limits(pieces, intervals)
    pieces = pieces[pieces["equipment_id"].isin(limits.index)]
    if limits.empty:  # nothing is to be counted
        flights, bridge = _without_rows(flights, "flights"), _without_rows(bridge, "bridge")
    state = maintenance(pieces, flights, bridge, as_of, tz=clock.zone).set_index("equipment_id")
    state = state.reindex(limits.index)
    used = use_per_day(flights, bridge, clock, today, clock.end_at(as_of))
    used = used.reindex(limits.index, fill_value=0.0)
    rows = state[["name", "type", "status"]].copy()
    rows["hours_left"] = limits["hours"] - state["hours_since"]
    rows["flights_left"] = limits["flights"] - state["flights_since"]
    rows["days_until"] = limits["days"] - state["days_since"].astype("float64")
    rows["hours_per_day"], rows["flights_per_day"] = used["hours"], used["flights"]
    days = pd.DataFrame(
        {
            "hours": _days(rows["hours_left"], used["hours"]),
            "flights": _days(rows["flights_left"], used["flights"]),
            "days": rows["days_until"],
        }
    )
    days = days.where(days <= _FURTHEST)
    first = days.min(axis=1)
    rows["due_by"] = _first_part(days)
    rows["due"] = (today + pd.to_timedelta(first, unit="D")).astype("datetime64[us]")
    rows["days_left"] = first.astype("Int64")
    whole = ["flights_left", "days_until"]
    rows = rows.astype(dict.fromkeys(whole, "Int64")).reset_index()
    soonest = rows.sort_values(["days_left", "name", "equipment_id"], ignore_index=True)
    return to_kind_of(soonest, equipment, clock)


def _notice_misspelt(given: Mapping[str, Any], pieces: pd.DataFrame) -> None:
    """Say which types or models are written otherwise than equipment has them.

    Those that are like none may be of equipment that was filtered out.
    """
    known = [*pieces["type"].dropna().astype(str), *pieces["model"].dropna().astype(str)]
    for name in given:
        if name not in known and (question := did_you_mean(name, known)):
            notify(
                f"service_intervals: no piece of equipment has the type or model {name}. {question}"
            )


def _without_rows(frame: Frame, name: str) -> Frame:
    """Return a frame's columns alone, where it is a frame with what is counted."""
    to_lazy(frame, name, ["flight_id"])
    empty: Frame = nw.from_native(frame).head(0).to_native()
    return empty


def _limits(pieces: pd.DataFrame, intervals: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """Return the interval of each piece of equipment that has one, by ``equipment_id``."""
    names = interval_names(pieces["model"], pieces["type"], intervals)
    chosen = [None if name is None else intervals[name] for name in names]
    rows = [
        {part: float((interval or {}).get(part, np.nan)) for part in PARTS} for interval in chosen
    ]
    limits = pd.DataFrame(rows, index=pd.Index(pieces["equipment_id"]), columns=list(PARTS))
    has_one = np.array([interval is not None for interval in chosen], dtype="bool")
    return limits.astype("float64").loc[has_one]


def _days(left: pd.Series[float], per_day: pd.Series[float]) -> pd.Series[float]:
    """Return after how many whole days what is left is used up; null where nothing is used."""
    days = (left / per_day.where(per_day > 0) + _NOISE) // 1
    return days.mask(left <= 0, 0.0)


def _first_part(days: pd.DataFrame) -> pd.Series[Any]:
    known = days.notna().any(axis=1)
    part = days[known].idxmin(axis=1) if known.any() else pd.Series(dtype="str")
    return part.reindex(days.index).astype("str")
