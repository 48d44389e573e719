"""Checks of the flights of a part beside other flights, their equipment and their projects."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import narwhals as nw
import numpy as np

from fleetkit.language import say
from fleetkit.metrics._quality import folded
from fleetkit.metrics._quality_flights import BY_NAME, CANCELLED, OTHER_PILOT, UNKNOWN_PROJECT
from fleetkit.metrics._quality_overlaps import (
    AIRCRAFT,
    BOUGHT_LATER,
    COPIES,
    NOT_COMPARED,
    ONLY_DATES,
    PILOT,
)
from fleetkit.metrics._quality_part import Part, PastMidnight, Seen, Texts
from fleetkit.metrics._quality_spans import Numbers, Spans, overlapping

__all__ = ["PART_CHECKS"]

_DAY = 86_400
# After the last day that can be. [s].
_NEVER = np.iinfo("int64").max


def _of_aircraft(part: Part) -> Seen:
    """Flag flights that began while another one of the same aircraft was flying."""
    number, pieces = part.pairs
    is_aircraft = pieces.are_in(frozenset(part.records.aircraft))
    return _overlapping(part, AIRCRAFT, number, pieces, is_aircraft)


def _of_pilot(part: Part) -> Seen:
    """Flag flights that began while another one of the same pilot was flying."""
    pilots = Texts.of(part.flights["pilot_id"])
    return _overlapping(part, PILOT, np.arange(len(part.flights)), pilots, pilots.places >= 0)


def _overlapping(part: Part, check: str, number: Numbers, keys: Texts, is_chosen: Numbers) -> Seen:
    """Compare the flights of these numbers that have one key, where they are chosen.

    One that flew past midnight is compared with those of the next day too, also of a later part.
    """
    if part.records.clock.dates_only:
        return Seen(part.mark(number[:0]), part.mark(number[:0]), unseen=say(ONLY_DATES))
    rows = np.flatnonzero(is_chosen & part.is_timed[number])
    number = number[rows]
    spans = Spans(keys.places[rows], part.starts[number], part.ends[number])
    earlier = part.past_midnight.get(check)
    suspect = overlapping(
        spans,
        earlier.of_keys(keys) if earlier else spans.take(number[:0]),
        lambda rows: part.flights["flight_id"].gather(number[rows]),
    )
    past_midnight = np.flatnonzero(part.is_past_midnight[number])
    if len(past_midnight):  # the last ones else: a part may have no day of its own
        part.past_midnight[check] = PastMidnight(keys.names, spans.take(past_midnight))
    return Seen(part.mark(number), part.mark(number[suspect]))


def _before_purchase(part: Part) -> Seen:
    """Flag flights of equipment that was bought on a later day."""
    number, pieces = part.pairs
    bought, is_dated = part.records.bought_at, part.is_dated[number]
    looked_at = part.mark(number[pieces.are_in(bought) & is_dated])
    # No clock is a day ahead of another: few flights are left to ask their own one for.
    first = part.starts[part.is_dated].min(initial=_NEVER)
    late = {piece: limit for piece, limit in bought.items() if limit + _DAY > first}
    rows = np.flatnonzero(pieces.are_in(late) & is_dated)
    limit = pieces.take(rows).numbers(late)
    is_near = part.starts[number[rows]] < limit + _DAY
    near = number[rows][is_near]
    dates = nw.from_native(part.flights[near][["flight_date"]]).lazy()
    days = part.records.clock.localize(dates).collect()["_day"].to_numpy()
    is_early = days.astype("datetime64[s]").astype("int64") < limit[is_near]
    return Seen(looked_at, part.mark(near[is_early]))


def _differing_copies(part: Part) -> Seen:
    """Flag flights of which the lists of several pieces of equipment have copies that differ."""
    if part.records.copies is None:
        none = part.mark(np.zeros(0, dtype=int))
        return Seen(none, none, unseen=say(NOT_COMPARED))
    number, _ = part.pairs
    is_shared = np.bincount(number, minlength=len(part.flights)) > 1
    is_differing = part.flights["flight_id"].is_in(part.records.differing).to_numpy()
    return Seen(is_shared, is_shared & is_differing)


def _cancelled(part: Part) -> Seen:
    """Flag flights on a cancelled project."""
    plans = part.records.plans
    return Seen(part.projects.are_in(plans.staged), part.projects.are_in(plans.cancelled))


def _unknown_project(part: Part) -> Seen:
    """Flag flights on a project that is not listed."""
    has_project = part.projects.places >= 0
    return Seen(has_project, has_project & ~part.projects.are_in(part.records.plans.known))


def _other_pilot(part: Part) -> Seen:
    """Flag flights whose pilot has another name than the project's assigned pilot."""
    pilots_of = part.records.plans.pilots
    assigned = {name: pilots_of[name] for name in part.projects.names if name in pilots_of}
    places = {name: place for place, name in enumerate(dict.fromkeys(assigned.values()))}
    planned = part.projects.numbers({project: places[name] for project, name in assigned.items()})
    pilots = Texts.of(part.flights["pilot_name"])
    flown = pilots.numbers({name: places.get(folded(name), -1) for name in pilots.names})
    has_name = pilots.are_in(frozenset(filter(folded, pilots.names)))
    is_seen = (planned >= 0) & has_name
    return Seen(is_seen, is_seen & (planned != flown), say(BY_NAME))


# How checks that take a join are run on a part, by their names.
PART_CHECKS: Mapping[str, Callable[[Part], Seen]] = {
    AIRCRAFT: _of_aircraft,
    PILOT: _of_pilot,
    BOUGHT_LATER: _before_purchase,
    COPIES: _differing_copies,
    CANCELLED: _cancelled,
    UNKNOWN_PROJECT: _unknown_project,
    OTHER_PILOT: _other_pilot,
}
