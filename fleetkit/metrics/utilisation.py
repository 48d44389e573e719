"""How much the aircraft fly: which equipment is aircraft, hours per aircraft and day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import narwhals as nw
import pandas as pd

from fleetkit.arguments import texts
from fleetkit.context import Zone, setting, zone_of
from fleetkit.metrics._days import filter_days, with_days
from fleetkit.metrics._frames import (
    SECONDS_PER_HOUR,
    Frame,
    FrameT,
    Lazy,
    as_hours,
    in_narwhals,
    to_kind_of,
    to_lazy,
    to_pandas,
    with_seconds,
)
from fleetkit.periods import Period

__all__ = ["aircraft", "aircraft_hours", "hours_per_aircraft_day", "utilisation"]


def aircraft(equipment: FrameT, bridge: Frame, types: Sequence[str] | str | None = None) -> FrameT:
    """Return the equipment that is aircraft.

    Aircraft are the types given; where there are none, every type of which the bridge shows a
    piece flying with no other piece of equipment.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id`` and ``type``.
    bridge : frame of any engine
        ``flight_id``, ``equipment_id``.
    types : str or list of str, optional
        Types that are aircraft, as the API writes them; default: the ``aircraft_types`` that the
        frame's fleet is set to, if any.

    Returns
    -------
    frame of the kind of `equipment`
        The rows of aircraft, all columns.

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> equipment = pd.DataFrame({"equipment_id": ["d", "c"], "type": ["DRONE", "CAMERA"]})
    >>> bridge = pd.DataFrame({"flight_id": ["1", "1", "2"], "equipment_id": ["d", "c", "d"]})
    >>> aircraft(equipment, bridge)
      equipment_id   type
    0            d  DRONE
    """
    known = to_pandas(equipment, "equipment", ["equipment_id", "type"])
    types = setting(equipment, "aircraft_types") if types is None else texts(types, "types")
    if not types:
        flown_alone = known["equipment_id"].isin(_flown_alone(bridge))
        types = known.loc[flown_alone, "type"].dropna().unique().tolist()
    selected = in_narwhals(equipment).lazy().filter(nw.col("type").is_in(list(types)))
    return to_kind_of(selected, equipment)


def _flown_alone(bridge: Frame) -> list[str]:
    """Return the equipment that stands alone under at least one flight."""
    pairs = to_lazy(bridge, "bridge", ["flight_id", "equipment_id"])
    single = pairs.group_by("flight_id").agg(nw.len().alias("_n")).filter(nw.col("_n") == 1)
    alone = (
        pairs.join(single, on="flight_id", how="semi")
        .group_by("equipment_id")
        .agg(nw.len().alias("_n"))
    )
    return alone.collect("pandas")["equipment_id"].to_list()


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

    Examples
    --------
    >>> from fleetkit.periods import parse
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1"],
    ...     "flight_date": pd.to_datetime(["2026-02-03T10:00Z"]),
    ...     "duration_seconds": [50400],
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1"], "equipment_id": ["d"]})
    >>> fleet = pd.DataFrame({"equipment_id": ["d", "e"]})
    >>> utilisation(flights, bridge, fleet, parse("2026-02"))
         month  aircraft  active  days  hours  hours_per_aircraft_day
    0  2026-02         2       1    28   14.0                    0.25
    """
    carried = zone_of(flights, bridge, tz=tz)
    period = Period.read(period, carried)
    zone = Zone(carried if tz else period.tz, carried.dates_only)
    ids = to_pandas(aircraft, "aircraft", ["equipment_id"])["equipment_id"].unique().tolist()
    frame = to_lazy(flights, "flights", ["flight_id", "flight_date", "duration_seconds"])
    frame = with_days(with_seconds(frame), zone)
    known = _common(period, None if covered is None else Period.read(covered, carried))
    frame = filter_days(frame, known.since, known.until, zone) if known else frame.head(0)
    flown = (
        _under(frame, bridge, ids)
        .group_by("equipment_id", "_day")
        .agg(nw.col("_seconds", "_recorded").sum())
        .collect("pandas")
        .to_native()
    )
    months = _months(period, zone)
    flown["month"] = flown["_day"].dt.strftime("%Y-%m")
    by_month = flown.groupby("month")
    result = pd.DataFrame({"month": pd.Series(months.index, dtype="str"), "aircraft": len(ids)})
    active = by_month["equipment_id"].nunique().reindex(months.index, fill_value=0)
    days = _months(known, zone) if known else months.iloc[:0]
    result["days"] = days.reindex(months.index, fill_value=0).to_numpy(dtype="int64")
    is_known = result["days"] > 0
    result.insert(2, "active", active.astype("Int64").reset_index(drop=True).where(is_known))
    spent = by_month[["_seconds", "_recorded"]].sum().reindex(months.index)
    result["hours"] = as_hours(spent).reset_index(drop=True).where(is_known)
    aircraft_days = (result["aircraft"] * result["days"]).where(result["aircraft"] > 0)
    result["hours_per_aircraft_day"] = result["hours"] / aircraft_days
    return to_kind_of(result, flights, zone)


def _under(frame: Lazy, bridge: Frame, ids: list[str]) -> Lazy:
    """Return the flights once under each of these pieces of equipment that flew them."""
    pairs = to_lazy(bridge, "bridge", ["flight_id", "equipment_id"], beside=frame)
    return pairs.filter(nw.col("equipment_id").is_in(ids)).join(frame, on="flight_id", how="inner")


def _common(period: Period, covered: Period | None) -> Period | None:
    """Return the part of a period that is covered; None where there is none."""
    if covered is None:
        return period
    since, until = max(period.since, covered.since), min(period.until, covered.until)
    return Period(since, until, period.tz) if since < until else None


def _months(period: Period, tz: str) -> pd.Series[int]:
    """Return the days of each calendar month that the period touches, by ``YYYY-MM``."""
    first = period.since.astimezone(ZoneInfo(tz)).date()
    last = (period.until - timedelta(microseconds=1)).astimezone(ZoneInfo(tz)).date()
    days = pd.Series(pd.date_range(first, last)).dt.strftime("%Y-%m")
    return days.value_counts().sort_index()


def hours_per_aircraft_day(
    flights: Frame, bridge: Frame, aircraft: Frame, days: int
) -> float | None:
    """Return flown hours / (aircraft × days) of flights, those of all aircraft taken together.

    Parameters
    ----------
    flights : frame of any engine
        The flights of these days, with ``flight_id`` and ``duration_seconds`` [s].
    bridge : frame of the same engine
        ``flight_id``, ``equipment_id``.
    aircraft : frame of any engine
        With ``equipment_id``; see :func:`aircraft`.
    days : int
        How many days the flights are of. [d]

    Returns
    -------
    float or None
        In [h]; None without aircraft or days, and where there are flights and none of them has a
        duration.

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> flights = pd.DataFrame({"flight_id": ["1"], "duration_seconds": [50400]})
    >>> bridge = pd.DataFrame({"flight_id": ["1"], "equipment_id": ["d"]})
    >>> fleet = pd.DataFrame({"equipment_id": ["d", "e"]})
    >>> hours_per_aircraft_day(flights, bridge, fleet, 28)
    0.25
    """
    ids = to_pandas(aircraft, "aircraft", ["equipment_id"])["equipment_id"].unique().tolist()
    frame = with_seconds(to_lazy(flights, "flights", ["flight_id", "duration_seconds"]))
    flown = _under(frame, bridge, ids).select("_seconds", "_recorded").collect("pandas").to_native()
    if not ids or not days or (len(flown) and not flown["_recorded"].sum()):
        return None
    return float(flown["_seconds"].sum()) / SECONDS_PER_HOUR / (len(ids) * days)


def aircraft_hours(flights: FrameT, bridge: Frame, aircraft: Frame) -> FrameT:
    """Count flights and sum hours of each aircraft, also of those that never flew.

    Parameters
    ----------
    flights : frame of any engine
        With ``flight_id`` and ``duration_seconds`` [s].
    bridge : frame of the same engine
        ``flight_id``, ``equipment_id``.
    aircraft : frame of any engine
        With ``equipment_id`` and ``name``; see :func:`aircraft`.

    Returns
    -------
    frame of the kind of `flights`
        ``equipment_id``, ``name``, ``flights``, ``hours`` [h] (null where it has flights and none
        of them a duration); most hours first.

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> flights = pd.DataFrame({"flight_id": ["1", "2"], "duration_seconds": [1800, 1800]})
    >>> bridge = pd.DataFrame({"flight_id": ["1", "2"], "equipment_id": ["d", "d"]})
    >>> fleet = pd.DataFrame({"equipment_id": ["e", "d"], "name": ["Heron", "Kestrel"]})
    >>> aircraft_hours(flights, bridge, fleet)
      equipment_id     name  flights  hours
    0            d  Kestrel        2    1.0
    1            e    Heron        0    0.0
    """
    rows = to_pandas(aircraft, "aircraft", ["equipment_id", "name"])
    frame = to_lazy(flights, "flights", ["flight_id", "duration_seconds"])
    flown = (
        _under(with_seconds(frame), bridge, rows.equipment_id.tolist())
        .group_by("equipment_id")
        .agg(nw.len().alias("flights"), nw.col("_seconds", "_recorded").sum())
        .collect("pandas")
        .to_native()
        .set_index("equipment_id")
    )
    counted = flown.reindex(rows["equipment_id"])
    rows["flights"] = counted["flights"].fillna(0).to_numpy(dtype="int64")
    rows["hours"] = as_hours(counted).to_numpy()
    ordered = rows.sort_values(["hours", "name", "equipment_id"], ascending=[False, True, True])
    return to_kind_of(ordered.reset_index(drop=True), flights)
