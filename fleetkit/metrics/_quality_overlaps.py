"""Checks of flights beside other flights, and beside the equipment that flew them."""

from __future__ import annotations

from datetime import timedelta

import narwhals as nw
import pandas as pd

from fleetkit.engines import semi_join
from fleetkit.language import message, say
from fleetkit.metrics._frames import Lazy, collect
from fleetkit.metrics._limits import before_limits
from fleetkit.metrics._quality import MARKS, Check, Checked, Records
from fleetkit.time import with_utc

__all__ = [
    "AIRCRAFT",
    "BOUGHT_LATER",
    "CHECKS",
    "COPIES",
    "LONGEST",
    "NOT_COMPARED",
    "ONLY_DATES",
    "PILOT",
]

_DAY = 86_400
# Longer flights are taken to last this long: each is compared on its day and the next one, and the
# end of some durations that services give is beyond any whole number. [s]
LONGEST = 2 * _DAY
AIRCRAFT = "Overlaps another flight of its aircraft"
BOUGHT_LATER = "Flown before its equipment was bought"
COPIES = "Copies of one flight that differ"
PILOT = "Overlaps another flight of its pilot"
NOT_COMPARED = message("copies were not compared.")
ONLY_DATES = message("Flight dates are dates, which don't say when a flight began.")


def _of_aircraft(records: Records) -> Checked:
    """Flag flights that began while another one of the same aircraft was flying."""
    flown = records.flown.filter(nw.col("equipment_id").is_in(records.aircraft))
    checked = _overlapping(records, flown, "equipment_id")
    return checked._replace(looked_at=_distinct(checked.looked_at))


def _of_pilot(records: Records) -> Checked:
    """Flag flights that began while another one of the same pilot was flying."""
    flights = records.flights.filter(~nw.col("pilot_id").is_null())
    return _overlapping(records, flights, "pilot_id")


def _before_purchase(records: Records) -> Checked:
    """Flag flights of equipment that was bought on a later day."""
    bought_on = records.bought_on
    is_bought = nw.col("equipment_id").is_in(bought_on.index.tolist())
    has_date = ~nw.col("flight_date").is_null()
    flights = records.clock.localize(records.flown.filter(is_bought & has_date))
    dated = flights.select(*MARKS, "equipment_id", "_day")
    first = dated.group_by("equipment_id").agg(nw.col("_day").min())
    flown = collect(first).astype({"equipment_id": "str"})
    earliest = pd.to_datetime(flown.set_index("equipment_id")["_day"]).reindex(bought_on.index)
    suspect = before_limits(dated, bought_on[earliest < bought_on])
    return Checked(_distinct(dated), suspect.select(*MARKS).unique())


def _differing_copies(records: Records) -> Checked:
    """Flag flights of which the lists of several pieces of equipment have copies that differ."""
    flights = records.flights.select(*MARKS)
    if records.copies is None:
        none = flights.filter(nw.col("flight_id").is_in([]))
        return Checked(none, none, say(NOT_COMPARED))
    pieces = records.bridge.group_by("flight_id").agg(nw.len().alias("_pieces"))
    shared = semi_join(flights, pieces.filter(nw.col("_pieces") > 1), "flight_id")
    return Checked(shared, shared.filter(nw.col("flight_id").is_in(records.differing)))


CHECKS = (
    Check(COPIES, "error", "flights", _differing_copies, "copies"),
    Check(
        AIRCRAFT,
        "error",
        "flights",
        _of_aircraft,
        "an aircraft and times",
    ),
    Check(PILOT, "error", "flights", _of_pilot, "a pilot and times"),
    Check(
        BOUGHT_LATER,
        "warning",
        "flights",
        _before_purchase,
        "equipment with a purchase date",
    ),
)


def _overlapping(records: Records, flights: Lazy, key: str) -> Checked:
    """Pair the flights of a key within a day, and flag the one that began later.

    One that flew past midnight is paired with those of the next day too.
    """
    if records.clock.dates_only:
        nothing = flights.filter(nw.col("flight_id").is_in([])).select(*MARKS)
        return Checked(nothing, nothing, say(ONLY_DATES))
    placed = _placed(flights, key)
    names = ["flight_id", "_start", "_end"]
    others = placed.select(*names, key, "_on")
    others = nw.concat([others, _next_day(others)])
    others = others.rename({name: f"_other{name}" for name in names})
    pairs = placed.join(others, on=[key, "_on"], how="inner")
    began, earlier = nw.col("_start"), nw.col("_other_start")
    # The categories that some engines have are in another order than their texts, or in none.
    other, own = (nw.col(name).cast(nw.String) for name in ("_otherflight_id", "flight_id"))
    comes_after = other < own
    is_later = (earlier < began) | ((earlier == began) & comes_after)
    overlapping = pairs.filter(is_later & (began < nw.col("_other_end")))
    return Checked(_timed(flights), overlapping.select(*MARKS).unique())


def _placed(flights: Lazy, key: str) -> Lazy:
    """Return each timed flight's day, and the seconds of that day at which it began and ended."""
    duration, clock = nw.col("duration_seconds"), nw.col("_utc").dt
    seconds = nw.when(duration < LONGEST).then(duration).otherwise(nw.lit(LONGEST))
    start = sum(
        (
            part.cast(nw.Int64) * factor
            for part, factor in ((clock.hour(), 3600), (clock.minute(), 60))
        ),
        clock.second().cast(nw.Int64),
    )
    # DuckDB before 1.5 truncates to a date, to which a day is added as to a timestamp.
    day = clock.truncate("1d").cast(nw.Datetime("us"))
    timed = _timed(flights).select(*MARKS, key, "flight_date", "duration_seconds")
    return with_utc(timed).select(
        *MARKS, key, day.alias("_on"), start.alias("_start"),
        (start + seconds.cast(nw.Int64)).alias("_end"),
    )  # fmt: skip


def _timed(flights: Lazy) -> Lazy:
    return flights.filter(~nw.col("flight_date").is_null() & (nw.col("duration_seconds") > 0))


def _next_day(placed: Lazy) -> Lazy:
    """Return the flights that flew past midnight, in seconds of the next day."""
    past = placed.filter(nw.col("_end") > _DAY)
    return past.with_columns(
        nw.col("_on") + timedelta(days=1), nw.col("_start") - _DAY, nw.col("_end") - _DAY
    )


def _distinct(flights: Lazy) -> Lazy:
    """Return each flight once, with its slice."""
    return flights.group_by("flight_id").agg(nw.col("_slice").max())
