"""Notices of flights from which a metric counts something else than a reader would think."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from weakref import WeakValueDictionary
from zoneinfo import ZoneInfo

import narwhals as nw
import pandas as pd

from fleetkit.notices import notify
from fleetkit.origins import Measured, Read, origin_of, record_zone
from fleetkit.time import Clock, Period

__all__ = [
    "clock_of",
    "notice_all_equipment",
    "notice_later_only",
    "notice_left_out",
    "notice_repeated",
    "notice_uncovered",
]

_TITLES = {
    "flights": "These flights hold some",
    "bridge": "This bridge holds some flights with the same equipment",
    "projects": "These projects hold some",
}
_KEYS = {
    "flights": ["flight_id"],
    "bridge": ["flight_id", "equipment_id"],
    "projects": ["project_id"],
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
    clock = Clock.of(*frames, tz=tz)
    record_zone(clock.tz)
    return clock


def notice_repeated(given: Any, name: str) -> None:
    """Say where rows are repeated, as a merge or a concat leaves them: they count so often.

    What a fleet returned holds none twice but in its history, and the rows of a lazy frame aren't
    known.

    Parameters
    ----------
    given : DataFrame of Narwhals
    name : {"flights", "bridge", "projects"}
        What it is, in a metric's arguments.
    """
    frame, keys = given.to_native(), _KEYS[name]
    is_whole = isinstance(origin_of(frame), Read) and "valid_from" not in given.columns
    is_known = is_whole or _unique.get(name) is frame
    if is_known or not set(keys) <= set(given.columns):
        return
    identifiers = given.select(keys)
    if name != "projects" and identifiers["flight_id"].dtype.is_integer():
        return  # an explorer's own, for flights with the same equipment
    is_repeated = identifiers.is_duplicated()
    if not is_repeated.any():
        _unique[name] = frame
        return
    repeated = identifiers.filter(is_repeated).drop_nulls()
    if len(repeated):
        leave_one = "drop_duplicates" if given.implementation.is_pandas() else "unique"
        by = f'"{keys[0]}"' if len(keys) == 1 else '["flight_id", "equipment_id"]'
        example = " with ".join(map(str, repeated.row(0)))
        notify(
            f"{_TITLES[name]} more than once, such as {example}: each of its rows counts."
            f" .{leave_one}({by}) leaves one."
        )


def notice_all_equipment(aircraft: Any) -> None:
    """Say where a metric of aircraft is given equipment of several types as a fleet returned it.

    A table of a fleet that has no types, such as the bridge, may hold several.
    """
    read = origin_of(aircraft)
    if not isinstance(read, Read) or isinstance(read.filter.type, tuple):
        return
    frame = nw.from_native(aircraft).lazy()
    types = None
    if "type" in frame.collect_schema().names():
        types = sorted(frame.select("type").unique().collect("pandas")["type"].drop_nulls())
    if types is None or len(types) > 1:
        named = f", of the types {', '.join(types)}" if types else ""
        notify(
            f"All equipment counts as aircraft here{named}."
            " Pass fk.metrics.aircraft(equipment, bridge)."
        )


def notice_later_only(flights: Any, metric: str) -> None:
    """Say where a metric of all that was flown is given a period's flights, or what they sum to."""
    _, read = _read_of(flights)
    if read is not None and not read.is_from_the_first:
        notify(
            f"metrics.{metric} needs the flights from the first one on, and is given later ones"
            " only: what was flown before is missing. Pass fleet.flights()."
        )


def notice_uncovered(
    flights: Any, metric: str, period: Period, *, known_days: str = 'covered="{}"'
) -> None:
    """Say where a metric that counts 0 where nobody flew is given the flights of less time.

    Parameters
    ----------
    flights : frame
        What the metric was given: flights, or what another metric made of them.
    metric : str
    period : Period
        The days that it counts.
    known_days : str
        How the metric is told the days that the data cover.
    """
    frame, read = _read_of(flights)
    if read is None or notice_left_out(flights, metric, period):
        return
    first, last = _first_day(frame, read, period.tz), _last_day(read, period.tz)
    bounds = []
    if first and first > period.since.date():
        bounds.append((f"begin with {first}", "earlier"))
    if read.fetched_at < period.until - timedelta(days=1):
        bounds.append((f"end with {last}", "later"))
    if bounds:
        reach, other = (" and ".join(words) for words in zip(*bounds, strict=True))
        known = max(first or date.min, period.since.date()), min(last, period.last_day)
        if known[0] > known[1]:  # none of its days
            known = first or last, last
        advice = f"Pass {known_days.format('_'.join(map(str, known)))}."
        notify(
            f"metrics.{metric} is asked for {period.name}, and the data {reach}: on {other}"
            f" days without a flight it counts 0. {advice}"
        )


def notice_left_out(flights: Any, metric: str, *periods: Period) -> bool:
    """Say, and return, whether a metric is given the flights of less time than a period of its.

    It is said of the first such period.
    """
    _, read = _read_of(flights)
    period = next((one for one in periods if read is not None and not read.covers(one)), None)
    if read is None or period is None:
        return False
    given, instead = read.period, f'fleet.flights("{period.name}")'
    ends = {"since": read.filter.since, "until": read.filter.until}
    if cut := " and ".join(f"{name}={end}" for name, end in ends.items() if end):
        given = f"{given}, filtered by {cut}"
        instead += " of a fleet without that filter"
    notify(
        f"metrics.{metric} is asked for {period.name} and given the flights of {given}:"
        f" on all other days it counts 0. Pass {instead}."
    )
    return True


def _read_of(frame: Any) -> tuple[Any, Read | None]:
    """Return the flights that a frame is, or was counted of, and how a fleet read them."""
    origin = origin_of(frame)
    if isinstance(origin, Measured) and "flights" in origin.inputs:
        return origin.inputs["flights"].frames[0], origin.inputs["flights"].read
    return frame, origin if isinstance(origin, Read) else None


def _first_day(flights: Any, read: Read, tz: str) -> date | None:
    """Return the day of the organisation's first flight, where a frame holds it."""
    if read.filter or not read.is_from_the_first or not isinstance(flights, pd.DataFrame):
        return None
    if "flight_date" not in flights:  # another table: the metric says so
        return None
    first = flights["flight_date"].dropna().nsmallest(1)
    return Clock.of(flights, tz=tz).times(first).iloc[0].date() if len(first) else None


def _last_day(read: Read, tz: str) -> date:
    """Return the last day of which something was known when the data were fetched."""
    return (read.fetched_at - timedelta(microseconds=1)).astimezone(ZoneInfo(tz)).date()
