"""Flight logs: the missions of pilots and aircraft on each day, and when they are logged."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import accumulate, cycle, pairwise
from typing import Any, NamedTuple, TypeVar

from fleetkit.server.demo.clock import DAY, HOUR, MINUTE, SECOND, midnight, write_instant
from fleetkit.server.demo.fleet import Piece, round_number
from fleetkit.server.demo.names import NAMES
from fleetkit.server.demo.work import Pilot, Project

__all__ = ["Resources", "generate_logs", "schedule_flights"]

# January to December: northern daylight.
_SEASON = (0.55, 0.62, 0.85, 1.05, 1.25, 1.3, 1.2, 1.15, 1.1, 0.95, 0.7, 0.5)
# Monday to Sunday.
_WEEK = (0.95, 1.05, 1.1, 1.05, 0.9, 0.3, 0.16)
_MONTHLY_GROWTH = 1.012
_MISSION_TYPES = ("COMMERCIAL",) * 15 + ("TRAINING",) * 3 + ("MAINTENANCE", "RECREATIONAL")
_MISSION_LENGTHS = (1, 2, 2, 3, 3, 4, 4, 5, 6)


_Chosen = TypeVar("_Chosen", Pilot, Piece)


class Resources(NamedTuple):
    """What flights are made with and for."""

    aircraft: Sequence[Piece]
    payloads: Sequence[Piece]
    pilots: Sequence[Pilot]
    projects: Sequence[Project]


def schedule_flights(
    flights: int, months: Sequence[date], as_of: date, rng: random.Random
) -> list[tuple[date, int]]:
    """Distribute flights over days, by season, weekday, weather and growth.

    Parameters
    ----------
    flights : int
        Their total.
    months : sequence of date
        First days of the months; the last is the current one, flown up to the day before `as_of`.
    """
    weights: list[tuple[date, float]] = []
    for index, (start, end) in enumerate(pairwise([*months, as_of])):
        demand = _SEASON[start.month - 1] * _MONTHLY_GROWTH**index
        for offset in range((end - start).days):
            day = start + timedelta(days=offset)
            weather = 0.15 if rng.random() < 0.12 else rng.uniform(0.7, 1.3)
            weights.append((day, demand * _WEEK[day.weekday()] * weather))
    sums = list(accumulate(weight for _, weight in weights))
    totals = [0, *(round(flights * partial / sums[-1]) for partial in sums)]
    steps = zip(weights, pairwise(totals), strict=True)
    return [(day, after - before) for (day, _), (before, after) in steps]


def generate_logs(
    schedule: Sequence[tuple[date, int]], resources: Resources, as_of: int, rng: random.Random
) -> Iterator[tuple[dict[str, Any], list[Piece]]]:
    """Yield each flight log with the equipment used on the flight, by date.

    Adds each flight and its seconds to the counters of the equipment.

    Parameters
    ----------
    schedule : sequence of (date, int)
        Days with their numbers of flights, from `schedule_flights`.
    resources : Resources
    as_of : int
        No log is entered later than this. [ms since 1970]
    rng : random.Random
    """
    identify = _identifiers(rng)
    for day, count in schedule:
        remaining, start = count, midnight(day)
        pilots = _by_preference(resources.pilots, start, rng)
        aircraft = _by_preference(resources.aircraft, start, rng)
        payloads = _by_preference(resources.payloads, start, rng)
        projects = [project for project in resources.projects if _is_available(project, start)]
        free: dict[int, int] = {}
        for pilot, drone in zip(cycle(pilots), cycle(aircraft)):
            if not remaining:
                break
            length = min(remaining, rng.choice(_MISSION_LENGTHS))
            remaining -= length
            mission = _Mission(pilot, drone, payloads, projects, rng)
            ready = max(free.get(id(pilot), 0), free.get(id(drone), 0))
            instant = max(start + mission.first_hour(rng), ready + 25 * MINUTE)
            for _ in range(length):
                log, instant = mission.log(next(identify), instant, as_of, rng)
                yield log, mission.equipment
            free[id(pilot)] = free[id(drone)] = instant


def _identifiers(rng: random.Random) -> Iterator[str]:
    """Yield ids that look random and never repeat: an odd step through all 40-bit numbers."""
    number, step = rng.getrandbits(40), rng.getrandbits(39) * 2 + 1
    while True:
        number = (number + step) % 2**40
        yield f"fl_{number:010x}"


def _is_available(resource: Pilot | Piece | Project, instant: int) -> bool:
    return resource.since <= instant < resource.until


def _by_preference(resources: Sequence[_Chosen], instant: int, rng: random.Random) -> list[_Chosen]:
    """Return what is available at an instant in random order, preferred ones more often first."""
    available = [resource for resource in resources if _is_available(resource, instant)]
    return sorted(available or resources, key=lambda item: -item.preference * rng.random())


class _Mission:
    """Consecutive flights of one pilot with one aircraft at one site."""

    def __init__(
        self,
        pilot: Pilot,
        drone: Piece,
        payloads: list[Piece],
        projects: list[Project],
        rng: random.Random,
    ) -> None:
        self.pilot = pilot.record
        self.kind = drone.kind
        self.type = rng.choice(_MISSION_TYPES)
        self.night = rng.random() < 0.05
        self.bvlos = rng.random() < (0.35 if drone.kind.minutes > 40 else 0.05)
        self.project: Project | None = None
        self.equipment = [drone]
        if self.type == "COMMERCIAL":
            if projects and rng.random() < 0.9:
                self.project = rng.choice(projects)
            self.equipment += [payloads.pop() for _ in range(rng.choice((0, 1, 1, 2))) if payloads]
        self.latitude = self.project.latitude if self.project else 59.44
        self.longitude = self.project.longitude if self.project else 10.68

    def first_hour(self, rng: random.Random) -> int:
        hour = rng.uniform(19.5, 22.5) if self.night else rng.triangular(6.5, 16.5, 10)
        return round(hour * HOUR)

    def log(
        self, identifier: str, instant: int, as_of: int, rng: random.Random
    ) -> tuple[dict[str, Any], int]:
        """Return a flight that starts at an instant, and when the next one can start."""
        draw, kind = rng.random, self.kind
        seconds = _seconds(kind.minutes, self.type, rng)
        for piece in self.equipment:
            piece.flights += 1
            piece.seconds += seconds or 0
            piece.last = instant
        logged, edited = _logged(instant, (seconds or 0) * SECOND, as_of, rng)
        rare = draw()
        distance = (seconds or 0) * kind.metres_per_second * (0.55 + 0.5 * draw())
        takeoff, landing = self._positions(min(distance / 3, 400), rng)
        log = {
            "id": identifier,
            "flightDate": write_instant(instant),
            "flightType": self.type,
            "operationType": None if rare < 0.03 else rng.choice(NAMES.operations[self.type]),
            "durationSeconds": seconds,
            "maxAltitude": None if rare > 0.98 else round_number(25 + 93 * draw() ** 0.7, 1),
            "traveledDistance": None if 0.4 < rare < 0.43 else round_number(distance, 1),
            "nightFlight": None if 0.5 < rare < 0.51 else self.night,
            "bvlos": None if 0.505 < rare < 0.52 else self.bvlos,
            "takeoffLat": takeoff[0],
            "takeoffLng": takeoff[1],
            "landingLat": landing[0],
            "landingLng": landing[1],
            "pilotInCommand": None if 0.1 < rare < 0.14 else self.pilot,
            "project": self._project(rare),
            "createdAt": write_instant(logged),
            "updatedAt": write_instant(edited),
        }
        pause = 6 * MINUTE + int(12 * MINUTE * draw())
        return log, instant + (seconds or 0) * SECOND + pause

    def _project(self, rare: float) -> dict[str, str] | None:
        if self.project is None:
            # Now and then a log names a project that has been deleted.
            deleted = {"id": "proj_00000000ff", "title": "Deleted project"}
            return deleted if self.type == "COMMERCIAL" and 0.7 < rare < 0.71 else None
        return {"id": self.project.record["id"], "title": self.project.record["title"]}

    def _positions(
        self, metres: float, rng: random.Random
    ) -> tuple[tuple[float | None, float | None], tuple[float | None, float | None]]:
        rare = rng.random()
        if rare < 0.02:
            return (None, None), (None, None)
        if rare < 0.022:
            return (0, 0), (0, 0)
        latitude = round(self.latitude + (rng.random() - 0.5) * 0.01, 6)
        longitude = round(self.longitude + (rng.random() - 0.5) * 0.02, 6)
        if rare < 0.024:
            return (latitude, longitude), (latitude, None)
        north = (rng.random() - 0.5) * metres / 111_000
        return (latitude, longitude), (round(latitude + north, 6), round(longitude - north, 6))


def _seconds(minutes: float, flight_type: str, rng: random.Random) -> int | None:
    """Return a duration near what the aircraft can fly; rarely null, zero or absurd."""
    rare = rng.random()
    if rare < 0.004:
        return None
    if rare < 0.007:
        return 0
    if rare < 0.008:
        return rng.choice((12, 4 * 3600))
    short = 0.35 if flight_type == "MAINTENANCE" else 1.0
    return max(40, int(60 * minutes * short * rng.gauss(1.0, 0.22)))


def _logged(instant: int, milliseconds: int, as_of: int, rng: random.Random) -> tuple[int, int]:
    """Return when a flight was logged and its log last edited; some are late, some edited later."""
    landed = instant + milliseconds
    chance = rng.random()
    if chance < 0.8:
        lag = (0.1 + 4 * rng.random()) * HOUR
    elif chance < 0.94:
        lag = (0.3 + 3 * rng.random()) * DAY
    else:
        lag = (4 + 40 * rng.random()) * DAY
    logged = min(landed + lag, as_of - MINUTE)
    edited = logged if rng.random() < 0.9 else logged + rng.random() ** 2 * 30 * DAY
    return round(logged), round(min(edited, as_of - SECOND))
