"""Checks of one flight by itself, and beside the table of projects."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta

import narwhals as nw

from fleetkit.language import localized, say
from fleetkit.metrics._frames import collect
from fleetkit.metrics._quality import POSITIONS, Check, Records, Rule, Run, folded
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.schema import FLIGHT_TYPES

__all__ = ["BY_NAME", "CANCELLED", "CHECKS", "OTHER_PILOT", "UNKNOWN_PROJECT", "UNKNOWN_TYPE"]

CANCELLED = "Flown on a cancelled project"
UNKNOWN_PROJECT = "Project that no list has"
UNKNOWN_TYPE = "Unknown flight type"
OTHER_PILOT = "Another pilot than assigned"
BY_NAME = "Compared by name only."

# The clocks that are furthest ahead of UTC: a date may be logged so much before its midnight UTC.
_AHEAD = timedelta(hours=14)
# Between the id of a project and the name of a pilot, neither of which has it.
_BETWEEN = "\x1f"


def _future(records: Records) -> Rule:
    moment = nw.col("flight_date")
    return Rule(~moment.is_null(), moment >= records.end)


def _logged_before(records: Records) -> Rule:
    flown, logged = nw.col("flight_date"), nw.col("created_at")
    start = flown - _AHEAD if records.clock.dates_only else flown
    return Rule(~flown.is_null() & ~logged.is_null(), logged < start)


def _short(records: Records) -> Rule:
    seconds = nw.col("duration_seconds")
    shortest = localized(f"{records.shortest:g}")
    note = say("Under {seconds} s, which includes 0 and less.", seconds=shortest)
    return Rule(~seconds.is_null(), seconds < records.shortest, note)


def _long(records: Records) -> Rule:
    seconds = nw.col("duration_seconds")
    return Rule(
        ~seconds.is_null(),
        seconds > records.longest,
        say("Over {hours} h.", hours=localized(f"{records.longest / SECONDS_PER_HOUR:g}")),
    )


def _at_zero(_: Records) -> Rule:
    both = [_is_whole(latitude, longitude) for latitude, longitude in POSITIONS]
    zero = [
        is_whole & (nw.col(latitude) == 0) & (nw.col(longitude) == 0)
        for is_whole, (latitude, longitude) in zip(both, POSITIONS, strict=True)
    ]
    return Rule(both[0] | both[1], zero[0] | zero[1])


def _out_of_range(_: Records) -> Rule:
    outside = [
        (~nw.col(name).is_null() & (nw.col(name).abs() > limit))
        for pair in POSITIONS
        for name, limit in zip(pair, (90, 180), strict=True)
    ]
    return Rule(_has_any(), outside[0] | outside[1] | outside[2] | outside[3])


def _half(_: Records) -> Rule:
    halves = [
        (nw.col(one).is_null() & ~nw.col(other).is_null())
        for pair in POSITIONS
        for one, other in (pair, pair[::-1])
    ]
    return Rule(_has_any(), halves[0] | halves[1] | halves[2] | halves[3])


def _is_whole(latitude: str, longitude: str) -> nw.Expr:
    return ~nw.col(latitude).is_null() & ~nw.col(longitude).is_null()


def _has_any() -> nw.Expr:
    """Whether a flight has any coordinate."""
    takeoff, landing = (
        ~nw.col(latitude).is_null() | ~nw.col(longitude).is_null()
        for latitude, longitude in POSITIONS
    )
    return takeoff | landing


def _cancelled(records: Records) -> Rule:
    """Flag flights on a cancelled project; of one that no list has, the status isn't known."""
    staged, cancelled = (
        [name for name in records.flown_projects if name in chosen]
        for chosen in (records.plans.staged, records.plans.cancelled)
    )
    project = nw.col("project_id")
    return Rule(project.is_in(staged), project.is_in(cancelled))


def _unknown_project(records: Records) -> Rule:
    unknown = [name for name in records.flown_projects if name not in records.plans.known]
    project = nw.col("project_id")
    return Rule(~project.is_null(), project.is_in(unknown))


def _other_pilot(records: Records) -> Rule:
    """Flag flights whose pilot has another name than the project's assigned pilot."""
    project, pilot = nw.col("project_id"), nw.col("pilot_name")
    flown = collect(records.flights.filter(~pilot.is_null()).select("pilot_name").unique())
    spellings = defaultdict(list)
    for name in flown["pilot_name"].astype("str"):
        spellings[folded(name)].append(name)
    assigned = {
        name: records.plans.pilots[name]
        for name in records.flown_projects
        if name in records.plans.pilots
    }
    as_planned = [
        f"{name}{_BETWEEN}{spelling}"
        for name, planned in assigned.items()
        for spelling in spellings[planned]
    ]
    pair = nw.concat_str(project.cast(nw.String), pilot.cast(nw.String), separator=_BETWEEN)
    has_name = ~pilot.is_null() & ~pilot.cast(nw.String).is_in(spellings[""])
    return Rule(
        project.is_in([*assigned]) & has_name,
        ~pair.is_in(as_planned),
        say(BY_NAME),
    )


def _without(column: str) -> Run:
    return lambda _: Rule(nw.lit(value=True), nw.col(column).is_null())


def _unknown_type(_: Records) -> Rule:
    token = nw.col("flight_type").cast(nw.String)
    return Rule(~token.is_null(), ~token.is_in(list(FLIGHT_TYPES)))


CHECKS = (
    Check("Flight date in the future", "error", "flights", _future, "a date"),
    Check(
        "Logged before it was flown",
        "error",
        "flights",
        _logged_before,
        "a date and a moment of logging",
    ),
    Check("Very short flight", "warning", "flights", _short, "a duration"),
    Check("Very long flight", "warning", "flights", _long, "a duration"),
    Check("Position at 0, 0", "error", "flights", _at_zero, "a whole position"),
    Check("Position out of range", "error", "flights", _out_of_range, "a coordinate"),
    Check("Half a position", "error", "flights", _half, "a coordinate"),
    Check(CANCELLED, "warning", "flights", _cancelled, "a listed project with a status"),
    Check(UNKNOWN_PROJECT, "error", "flights", _unknown_project, "a project"),
    Check(UNKNOWN_TYPE, "warning", "flights", _unknown_type, "a flight type"),
    Check(
        OTHER_PILOT,
        "info",
        "flights",
        _other_pilot,
        "a pilot, and a project with an assigned one",
    ),
    Check("No duration", "info", "flights", _without("duration_seconds"), "an entry"),
    Check("No pilot", "info", "flights", _without("pilot_id"), "an entry"),
    Check("No project", "info", "flights", _without("project_id"), "an entry"),
)
