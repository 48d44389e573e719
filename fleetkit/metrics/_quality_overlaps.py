"""Checks of flights beside other flights, and beside the equipment that flew them."""

from __future__ import annotations

from datetime import timedelta

import narwhals as nw
import pandas as pd

from fleetkit.metrics._frames import Lazy, collect
from fleetkit.metrics._limits import before_limits
from fleetkit.metrics._quality import Check, Checked, Records
from fleetkit.time import with_utc

__all__ = ["CHECKS"]

_DAY = 86_400
_ONLY_DATES = "Flight dates are dates, which don't say when a flight began."


def _of_aircraft(records: Records) -> Checked:
    """Look for flights that began while another one of the same aircraft was flying."""
    pairs = _pairs(records, records.aircraft)
    looked_at = records.flights.join(pairs, on="flight_id", how="semi")
    return _overlapping(records, looked_at, _under(records, records.aircraft), "equipment_id")


def _of_pilot(records: Records) -> Checked:
    """Look for flights that began while another one of the same pilot was flying."""
    flights = records.flights.filter(~nw.col("pilot_id").is_null())
    return _overlapping(records, flights, flights, "pilot_id")


def _before_purchase(records: Records) -> Checked:
    """Look for flights of equipment that was bought on a later day."""
    bought = records.equipment.dropna(subset=["purchase_date"])
    days = records.clock.days(bought["purchase_date"])
    pieces = bought["equipment_id"].tolist()
    has_date = ~nw.col("flight_date").is_null()
    looked_at = records.flights.filter(has_date).join(
        _pairs(records, pieces), on="flight_id", how="semi"
    )
    flights = records.clock.localize(_under(records, pieces))
    dated = flights.filter(has_date).select("flight_id", "equipment_id", "_day")
    first = dated.group_by("equipment_id").agg(nw.col("_day").min())
    flown = collect(first).astype({"equipment_id": "str"})
    early = bought.assign(_bought=days).merge(flown, on="equipment_id")
    early = early[pd.to_datetime(early["_day"]) < early["_bought"]]
    suspect = before_limits(dated, early.set_index("equipment_id")["_bought"])
    return Checked(looked_at.select("flight_id"), _distinct(suspect))


CHECKS = (
    Check(
        "Overlaps another flight of its aircraft",
        "error",
        "flights",
        _of_aircraft,
        "an aircraft and times",
    ),
    Check(
        "Overlaps another flight of its pilot", "error", "flights", _of_pilot, "a pilot and times"
    ),
    Check(
        "Flown before its equipment was bought",
        "warning",
        "flights",
        _before_purchase,
        "equipment with a purchase date",
    ),
)


def _under(records: Records, ids: list[str]) -> Lazy:
    """Return the flights once under each of these pieces of equipment."""
    return _pairs(records, ids).join(records.flights, on="flight_id", how="inner")


def _pairs(records: Records, ids: list[str]) -> Lazy:
    return records.bridge.filter(nw.col("equipment_id").is_in(ids))


def _overlapping(records: Records, looked_at: Lazy, flights: Lazy, key: str) -> Checked:
    """Pair the flights of a key within a day; the one that began later stands out.

    `looked_at` are the same flights, each once.
    One that flew past midnight is paired with those of the next day too.
    """
    seconds = nw.col("duration_seconds")
    is_timed = ~nw.col("flight_date").is_null() & (seconds > 0)
    timed = flights.filter(is_timed)
    if records.clock.dates_only:
        nothing = timed.filter(nw.col("flight_id").is_in([])).select("flight_id")
        return Checked(nothing, nothing, _ONLY_DATES)
    clock = nw.col("_utc").dt
    start = sum(
        (
            part.cast(nw.Int64) * factor
            for part, factor in ((clock.hour(), 3600), (clock.minute(), 60))
        ),
        clock.second().cast(nw.Int64),
    )
    # DuckDB before 1.5 truncates to a date, to which a day is added as to a timestamp.
    day = clock.truncate("1d").cast(nw.Datetime("us"))
    placed = with_utc(timed.select("flight_id", key, "flight_date", "duration_seconds")).select(
        "flight_id", key, day.alias("_on"), start.alias("_start"),
        (start + seconds.cast(nw.Int64)).alias("_end"),
    )  # fmt: skip
    others = nw.concat([placed, _next_day(placed)]).rename(
        {"flight_id": "_other", "_start": "_other_start", "_end": "_other_end"}
    )
    pairs = placed.join(others, on=[key, "_on"], how="inner")
    began, before = nw.col("_start"), nw.col("_other_start")
    is_later = (before < began) | ((before == began) & (nw.col("_other") < nw.col("flight_id")))
    overlapping = pairs.filter(is_later & (began < nw.col("_other_end")))
    return Checked(looked_at.filter(is_timed).select("flight_id"), _distinct(overlapping))


def _next_day(placed: Lazy) -> Lazy:
    """Return the flights that flew past midnight, as the next day has them."""
    past = placed.filter(nw.col("_end") > _DAY)
    return past.with_columns(
        nw.col("_on") + timedelta(days=1), nw.col("_start") - _DAY, nw.col("_end") - _DAY
    )


def _distinct(flights: Lazy) -> Lazy:
    return flights.select("flight_id").unique()
