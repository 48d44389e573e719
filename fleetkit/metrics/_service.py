"""What was flown since the last maintenance, and lately, under each piece of equipment."""

from __future__ import annotations

from datetime import datetime, timedelta

import narwhals as nw
import pandas as pd

from fleetkit.engines import joinable
from fleetkit.metrics._flown import SUMMED, as_hours, read_flights, sum_flights, under_equipment
from fleetkit.metrics._frames import Frame, Lazy, collect, to_lazy
from fleetkit.time import Clock, Ends, instant, with_utc

__all__ = ["DAYS_OF_USE", "since_maintenance", "use_per_day"]

# Days whose use is taken for that of the days to come.
DAYS_OF_USE = 90


def since_maintenance(flights: Frame, bridge: Frame, clock: Clock, until: datetime) -> pd.DataFrame:
    """Return, by ``equipment_id``, what was flown after its last MAINTENANCE flight.

    ``_utc`` and ``_day`` of that flight are null where there is none: then all flights count.
    ``_first`` is the day of the first flight of any kind of what has no such flight.
    """
    flown = _read(flights, clock, Ends(until=until))
    checks = flown.filter(nw.col("flight_type").cast(nw.String) == "MAINTENANCE")
    checked = under_equipment(checks, bridge).group_by("equipment_id")
    last = _counted(checked.agg(nw.col("_utc").max().alias("_last"), nw.col("_day").max()))
    ends = last.select("equipment_id", "_last")
    after = (
        under_equipment(flown, bridge)
        .join(ends, on="equipment_id", how="left")
        .filter(nw.col("_last").is_null() | (nw.col("_utc") > nw.col("_last")))
    )
    first = nw.col("_day").min().alias("_first")  # of all flights, without maintenance
    summed = after.group_by("equipment_id").agg(
        nw.len().alias("_flights"), nw.col(*SUMMED[1:]).sum(), first
    )
    joined = _indexed(last).rename(columns={"_last": "_utc"}).join(_indexed(summed), how="outer")
    joined["_flights"] = joined["_flights"].fillna(0).astype("int64")
    return joined.astype(dict.fromkeys(["_first", "_utc", "_day"], "datetime64[us]"))


def use_per_day(
    flights: Frame, bridge: Frame, clock: Clock, today: pd.Timestamp, until: datetime
) -> pd.DataFrame:
    """Return ``hours`` and ``flights`` per day by ``equipment_id``, of the last 90 days.

    Of as many days as there are logs, where these began later.
    """
    first_day = today - timedelta(days=DAYS_OF_USE - 1)
    ends = Ends(instant(first_day.date(), clock.tz), until)
    flown = under_equipment(_read(flights, clock, ends), bridge)
    used = _indexed(sum_flights(flown, "equipment_id"))
    days = (today - max(first_day, _first_day(flights, clock, first_day))).days + 1
    return pd.DataFrame({"hours": as_hours(used) / days, "flights": used["_flights"] / days})


def _counted(groups: Lazy) -> Lazy:
    """Return groups as rows that can be joined to what they are groups of.

    Polars would load that, as it is read twice: there, groups are counted before.
    """
    return groups.collect().lazy() if groups.implementation.is_polars() else joinable(groups)


def _read(flights: Frame, clock: Clock, ends: Ends) -> Lazy:
    frame = read_flights(flights, "flight_id", "flight_date", "flight_type")
    cut: Lazy = clock.cut(with_utc(clock.localize(frame)), ends)
    return cut


def _first_day(flights: Frame, clock: Clock, otherwise: pd.Timestamp) -> pd.Timestamp:
    """Return the day of the first flight of the fleet."""
    days = clock.localize(to_lazy(flights, "flights", ["flight_date"]))
    first = collect(days.select(nw.col("_day").min()))["_day"].iloc[0]
    return otherwise if pd.isna(first) else pd.Timestamp(first)


def _indexed(frame: Lazy) -> pd.DataFrame:
    rows = collect(frame)
    return rows.astype({"equipment_id": "str"}).set_index("equipment_id")
