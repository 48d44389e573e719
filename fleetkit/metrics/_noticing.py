"""Notices of flights from which a metric counts something else than a reader would think."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from weakref import WeakValueDictionary

import narwhals as nw
import pandas as pd

from fleetkit.notices import notify
from fleetkit.origins import Read, origin_of
from fleetkit.time import Clock, Period, so_far

__all__ = [
    "clock_of",
    "notice_all_equipment",
    "notice_later_only",
    "notice_repeated",
    "notice_uncovered",
]

_TITLES = {
    "flights": "These flights hold some",
    "bridge": "This bridge holds some flights with the same equipment",
}
# The frames that were looked at last, if nothing is repeated in them: a metric reads one several
# times, and to look takes longer than to count.
_unique: WeakValueDictionary[str, Any] = WeakValueDictionary()


def clock_of(*frames: Any, tz: str | None = None) -> Clock:
    """Return what `Clock.of` does, and say where it is UTC's as an engine's frames carry no zone.

    pandas' frames carry that of their fleet; those that carry none are a user's own, in UTC.
    """
    if tz is None and not any(isinstance(frame, pd.DataFrame) for frame in frames):
        given = nw.from_native(frames[0], pass_through=True)
        if isinstance(given, nw.DataFrame | nw.LazyFrame):
            notify(
                f"A frame of {given.implementation.value} carries no time zone: months, days and"
                ' hours are those of UTC. Pass tz=fleet.tz, or tz="UTC".'
            )
    return Clock.of(*frames, tz=tz)


def notice_repeated(given: Any, name: str) -> None:
    """Say where rows are repeated, as a merge or a concat leaves them: they count so often.

    What a fleet returned holds none twice, and the rows of a lazy frame aren't known.

    Parameters
    ----------
    given : DataFrame of Narwhals
    name : {"flights", "bridge"}
        What it is, in a metric's arguments.
    """
    frame = given.to_native()
    keys = ["flight_id"] if name == "flights" else ["flight_id", "equipment_id"]
    is_known = isinstance(origin_of(frame), Read) or _unique.get(name) is frame
    if is_known or not set(keys) <= set(given.columns):
        return
    identifiers = given.select(keys)
    if identifiers["flight_id"].dtype.is_integer():
        return  # an explorer's own, for flights with the same equipment
    is_repeated = identifiers.is_duplicated()
    if not is_repeated.any():
        _unique[name] = frame
        return
    repeated = identifiers.filter(is_repeated).drop_nulls()
    if len(repeated):
        leave_one = "drop_duplicates" if given.implementation.is_pandas() else "unique"
        by = '"flight_id"' if name == "flights" else '["flight_id", "equipment_id"]'
        example = " with ".join(map(str, repeated.row(0)))
        notify(
            f"{_TITLES[name]} more than once, such as {example}: each of its rows counts."
            f" .{leave_one}({by}) leaves one."
        )


def notice_all_equipment(aircraft: Any) -> None:
    """Say where a metric of aircraft is given equipment of several types as a fleet returned it."""
    read = origin_of(aircraft)
    if not isinstance(read, Read) or read.filter.type:
        return
    types = sorted(nw.from_native(aircraft).lazy().collect("pandas")["type"].drop_nulls().unique())
    if len(types) > 1:
        notify(
            f"All equipment counts as aircraft here, of the types {', '.join(types)}."
            " Pass fk.metrics.aircraft(equipment, bridge)."
        )


def notice_later_only(flights: Any, metric: str) -> None:
    """Say where a metric that sums up all that was flown is given the flights of a period."""
    read = origin_of(flights)
    if isinstance(read, Read) and not read.is_from_the_first:
        notify(
            f"metrics.{metric} needs the flights from the first one on, and is given later ones"
            " only: what was flown before is missing. Pass fleet.flights()."
        )


def notice_uncovered(flights: Any, metric: str, period: Period) -> None:
    """Say where a metric that counts 0 where nobody flew is given the flights of less time."""
    read = origin_of(flights)
    if not isinstance(read, Read):
        return
    if not read.covers(period):
        given, instead = read.period, f'fleet.flights("{period.name}")'
        ends = {"since": read.filter.since, "until": read.filter.until}
        if cut := " and ".join(f"{name}={end}" for name, end in ends.items() if end):
            given = f"{given}, filtered by {cut}"
            instead += " of a fleet without that filter"
        notify(
            f"metrics.{metric} is asked for {period.name} and given the flights of {given}:"
            f" on all other days it counts 0. Pass {instead}."
        )
    elif period.since < read.fetched_at < period.until - timedelta(days=1):
        last = so_far(period, read.fetched_at).last_day
        notify(
            f"metrics.{metric} is asked for {period.name}, and the data end with {last}: on later"
            f' days it counts 0. Pass covered="{period.since:%Y-%m-%d}_{last}".'
        )
