"""Checks of flights beside other flights, and beside the equipment that flew them."""

from __future__ import annotations

from datetime import timedelta

import narwhals as nw
import pandas as pd

from fleetkit.metrics._frames import Lazy, collect
from fleetkit.metrics._limits import before_limits
from fleetkit.metrics._quality import Check, Checked, Records, in_memory
from fleetkit.time import with_utc

__all__ = ["CHECKS"]

_DAY = 86_400
_AIRCRAFT = "Overlaps another flight of its aircraft"
_PILOT = "Overlaps another flight of its pilot"
_ONLY_DATES = "Flight dates are dates, which don't say when a flight began."


def _of_aircraft(records: Records) -> Checked:
    """Look for flights that began while another one of the same aircraft was flying."""
    flown = records.flown.filter(nw.col("equipment_id").is_in(records.aircraft))
    checked = _overlapping(records, flown, "equipment_id", _AIRCRAFT)
    return checked._replace(looked_at=_distinct(checked.looked_at, records.key))


def _of_pilot(records: Records) -> Checked:
    """Look for flights that began while another one of the same pilot was flying."""
    flights = records.flights.filter(~nw.col("pilot_id").is_null())
    return _overlapping(records, flights, "pilot_id", _PILOT)


def _before_purchase(records: Records) -> Checked:
    """Look for flights of equipment that was bought on a later day."""
    bought = records.equipment.dropna(subset=["purchase_date"])
    days = records.clock.days(bought["purchase_date"])
    is_bought = nw.col("equipment_id").is_in(bought["equipment_id"].tolist())
    has_date = ~nw.col("flight_date").is_null()
    flights = records.clock.localize(records.flown.filter(is_bought & has_date))
    dated = flights.select(*records.marks, "equipment_id", "_day")
    first = dated.group_by("equipment_id").agg(nw.col("_day").min())
    flown = collect(first).astype({"equipment_id": "str"})
    early = bought.assign(_bought=days).merge(flown, on="equipment_id")
    early = early[pd.to_datetime(early["_day"]) < early["_bought"]]
    suspect = before_limits(dated, early.set_index("equipment_id")["_bought"])
    return Checked(_distinct(dated, records.key), suspect.select(*records.marks).unique())


CHECKS = (
    Check(
        _AIRCRAFT,
        "error",
        "flights",
        _of_aircraft,
        "an aircraft and times",
    ),
    Check(_PILOT, "error", "flights", _of_pilot, "a pilot and times"),
    Check(
        "Flown before its equipment was bought",
        "warning",
        "flights",
        _before_purchase,
        "equipment with a purchase date",
    ),
)


def _overlapping(records: Records, flights: Lazy, key: str, check: str) -> Checked:
    """Pair the flights of a key within a day; the one that began later stands out.

    One that flew past midnight is paired with those of the next day too, also one of an earlier
    part.
    """
    if records.clock.dates_only:
        nothing = flights.filter(nw.col("flight_id").is_in([])).select(*records.marks)
        return Checked(nothing, nothing, _ONLY_DATES)
    placed = _placed(flights, key, records.marks)
    placed = in_memory(placed) if records.is_loaded else placed
    names = list(dict.fromkeys([records.key, "flight_id", "_start", "_end"]))
    past_midnight = _next_day(placed.select(*names, key, "_on"))
    past_midnight = in_memory(past_midnight) if records.is_loaded else past_midnight
    known = [records.past_midnight[check]] if check in records.past_midnight else []
    others = nw.concat([placed.select(*names, key, "_on"), past_midnight, *known])
    others = others.rename({name: f"_other{name}" for name in names})
    pairs = placed.join(others, on=[key, "_on"], how="inner")
    began, earlier = nw.col("_start"), nw.col("_other_start")
    is_another = nw.col(f"_other{records.key}") != nw.col(records.key)
    is_later = (earlier < began) | ((earlier == began) & is_another)
    overlapping = pairs.filter(is_later & (began < nw.col("_other_end")))
    # Texts are compared where it matters only: that takes longer than all else.
    overlapping = in_memory(overlapping) if records.is_loaded else overlapping
    is_first = (earlier == began) & (nw.col("flight_id") < nw.col("_otherflight_id"))
    suspect = overlapping.filter(~is_first).select(*records.marks).unique()
    return Checked(_timed(flights), suspect, past_midnight=past_midnight)


def _placed(flights: Lazy, key: str, marks: list[str]) -> Lazy:
    """Return the day of each flight that has a time, and its first and last second of that day."""
    seconds, clock = nw.col("duration_seconds"), nw.col("_utc").dt
    start = sum(
        (
            part.cast(nw.Int64) * factor
            for part, factor in ((clock.hour(), 3600), (clock.minute(), 60))
        ),
        clock.second().cast(nw.Int64),
    )
    # DuckDB before 1.5 truncates to a date, to which a day is added as to a timestamp.
    day = clock.truncate("1d").cast(nw.Datetime("us"))
    timed = _timed(flights).select(*marks, key, "flight_date", "duration_seconds")
    return with_utc(timed).select(
        *marks, key, day.alias("_on"), start.alias("_start"),
        (start + seconds.cast(nw.Int64)).alias("_end"),
    )  # fmt: skip


def _timed(flights: Lazy) -> Lazy:
    return flights.filter(~nw.col("flight_date").is_null() & (nw.col("duration_seconds") > 0))


def _next_day(placed: Lazy) -> Lazy:
    """Return the flights that flew past midnight, as the next day has them."""
    past = placed.filter(nw.col("_end") > _DAY)
    return past.with_columns(
        nw.col("_on") + timedelta(days=1), nw.col("_start") - _DAY, nw.col("_end") - _DAY
    )


def _distinct(flights: Lazy, key: str) -> Lazy:
    """Return the slice of each flight, once."""
    return flights.group_by(key).agg(nw.col("_slice").max())
