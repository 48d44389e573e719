"""Notices of flights from which a metric counts something else than a reader would think."""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from fleetkit.notices import notify
from fleetkit.origins import Read, origin_of
from fleetkit.time import Period

__all__ = ["notice_later_only", "notice_repeated", "notice_uncovered"]

# The frame that was looked at last, if no flight is repeated in it: a metric reads it several
# times, and to look takes longer than to count.
_unique: WeakValueDictionary[str, Any] = WeakValueDictionary()


def notice_repeated(flights: Any) -> None:
    """Say where flights are repeated, as a merge or a concat leaves them: they count so often.

    What a fleet returned holds none twice, and the rows of a lazy frame aren't known.

    Parameters
    ----------
    flights : DataFrame of Narwhals
    """
    frame = flights.to_native()
    is_known = isinstance(origin_of(frame), Read) or _unique.get("last") is frame
    if is_known or "flight_id" not in flights.columns:
        return
    identifiers = flights["flight_id"]
    # Numbers are an explorer's own, for flights with the same equipment.
    if identifiers.dtype.is_integer() or identifiers.n_unique() == len(identifiers):
        _unique["last"] = frame
        return
    repeated = identifiers.filter(identifiers.is_duplicated()).drop_nulls()
    if len(repeated):
        leave_one = "drop_duplicates" if flights.implementation.is_pandas() else "unique"
        notify(
            f"These flights hold some more than once, such as {repeated[0]}: each of its rows"
            f' counts. .{leave_one}("flight_id") leaves one.'
        )


def notice_later_only(flights: Any, metric: str) -> None:
    """Say where a metric that sums up all that was flown is given the flights of a period."""
    read = origin_of(flights)
    if isinstance(read, Read) and not read.from_the_first:
        notify(
            f"metrics.{metric} needs the flights from the first one on, and is given later ones"
            " only: what was flown before is missing. Pass fleet.flights()."
        )


def notice_uncovered(flights: Any, metric: str, period: Period) -> None:
    """Say where a metric that counts 0 where nobody flew is given the flights of less time."""
    read = origin_of(flights)
    if isinstance(read, Read) and not read.covers(period):
        notify(
            f"metrics.{metric} is asked for {period.name} and given the flights of {read.period}:"
            f' on all other days it counts 0. Pass fleet.flights("{period.name}").'
        )
