"""Flight logs: a pilot's missions with an aircraft, day after day, and when they are logged."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from itertools import accumulate
from typing import Any, NamedTuple

from fleetkit.server.demo.clock import DAY, HOUR, MINUTE, SECOND, midnight, stamp
from fleetkit.server.demo.fleet import Piece, number
from fleetkit.server.demo.people import Pilot
from fleetkit.server.demo.words import OPERATIONS
from fleetkit.server.demo.work import Project

__all__ = ["Crew", "days", "fly"]

# January to December: northern daylight.
_SEASON = (0.55, 0.62, 0.85, 1.05, 1.25, 1.3, 1.2, 1.15, 1.1, 0.95, 0.7, 0.5)
# Monday to Sunday.
_WEEK = (0.95, 1.05, 1.1, 1.05, 0.9, 0.3, 0.16)
_MONTHLY_GROWTH = 1.012
_MISSION_TYPES = ("COMMERCIAL",) * 15 + ("TRAINING",) * 3 + ("MAINTENANCE", "RECREATIONAL")
_MISSION_LENGTHS = (1, 2, 2, 3, 3, 4, 4, 5, 6)


class Crew(NamedTuple):
    """Everything that flights are flown with."""

    aircraft: Sequence[Piece]
    payloads: Sequence[Piece]
    pilots: Sequence[Pilot]
    projects: Sequence[Project]


def days(
    flights: int, months: Sequence[date], as_of: date, rng: random.Random
) -> list[tuple[date, int]]:
    """Spread flights over the days: seasons, weekdays, weather, growth.

    Parameters
    ----------
    flights : int
        How many in all; exactly so many are spread.
    months : sequence of date
        First days of the months; the last is the running one, flown up to the day before `as_of`.
    """
    weights: list[tuple[date, float]] = []
    for place, first in enumerate(months):
        last = months[place + 1] if place + 1 < len(months) else as_of
        busy = _SEASON[first.month - 1] * _MONTHLY_GROWTH**place
        for back in range((last - first).days):
            day = first + timedelta(days=back)
            weather = 0.15 if rng.random() < 0.12 else rng.uniform(0.7, 1.3)
            weights.append((day, busy * _WEEK[day.weekday()] * weather))
    total = sum(weight for _, weight in weights)
    reached = [round(flights * each / total) for each in accumulate(w for _, w in weights)]
    counts = [after - before for before, after in zip([0, *reached], reached, strict=False)]
    return [(day, count) for (day, _), count in zip(weights, counts, strict=True)]


def fly(
    plan: Sequence[tuple[date, int]], crew: Crew, as_of: int, rng: random.Random
) -> Iterator[tuple[dict[str, Any], list[Piece]]]:
    """Yield each flight log with the equipment that it was flown with, by date.

    Counts flights and seconds on the pieces as it goes.

    Parameters
    ----------
    plan : sequence of (date, int)
        Flights of each day, as `days` spreads them.
    crew : Crew
    as_of : int
        No log is written down later than this. [ms since 1970]
    rng : random.Random
    """
    identify = _identifiers(rng)
    for day, count in plan:
        left, start = count, midnight(day)
        pilots = _queue(crew.pilots, start, rng, lambda each: each.keenness)
        aircraft = _queue(crew.aircraft, start, rng, lambda each: each.liking)
        payloads = _queue(crew.payloads, start, rng, lambda each: each.liking)
        projects = [each for each in crew.projects if each.since <= start < each.until]
        free: dict[int, int] = {}
        for number_today in range(count):
            if left <= 0:
                break
            length = min(left, rng.choice(_MISSION_LENGTHS))
            left -= length
            pilot = pilots[number_today % len(pilots)]
            drone = aircraft[number_today % len(aircraft)]
            mission = _Mission(pilot, drone, payloads, projects, rng)
            ready = max(free.get(id(pilot), 0), free.get(id(drone), 0))
            moment = max(start + mission.first_hour(rng), ready + 25 * MINUTE)
            for _ in range(length):
                log, moment = mission.log(next(identify), moment, as_of, rng)
                yield log, mission.equipment
            free[id(pilot)] = free[id(drone)] = moment


def _identifiers(rng: random.Random) -> Iterator[str]:
    """Yield ids that look random and never repeat: an odd step through all 40-bit numbers."""
    place, step = rng.getrandbits(40), rng.getrandbits(39) * 2 + 1
    while True:
        place = (place + step) % 2**40
        yield f"fl_{place:010x}"


def _queue(
    everybody: Sequence[Any], moment: int, rng: random.Random, weight: Callable[[Any], float]
) -> list[Any]:
    """Return who is here at a moment, those first who are likelier to fly today."""
    here = [each for each in everybody if each.since <= moment < each.until]
    return sorted(here or everybody, key=lambda each: -weight(each) * rng.random())


class _Mission:
    """One pilot with one aircraft at one place; its flights follow each other."""

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
        self, identifier: str, moment: int, as_of: int, rng: random.Random
    ) -> tuple[dict[str, Any], int]:
        """Return a flight that starts at a moment, and when the next one can start."""
        chance, kind = rng.random, self.kind
        seconds = _seconds(kind.minutes, self.type, rng)
        for piece in self.equipment:
            piece.flights += 1
            piece.seconds += seconds or 0
            piece.last = moment
        written, edited = _written(moment, (seconds or 0) * SECOND, as_of, rng)
        rare = chance()
        distance = (seconds or 0) * kind.metres_per_second * (0.55 + 0.5 * chance())
        takeoff, landing = self._places(min(distance / 3, 400), rng)
        log = {
            "id": identifier,
            "flightDate": stamp(moment),
            "flightType": self.type,
            "operationType": None if rare < 0.03 else rng.choice(OPERATIONS[self.type]),
            "durationSeconds": seconds,
            "maxAltitude": None if rare > 0.98 else number(25 + 93 * chance() ** 0.7, 1),
            "traveledDistance": None if 0.4 < rare < 0.43 else number(distance, 1),
            "nightFlight": None if 0.5 < rare < 0.51 else self.night,
            "bvlos": None if 0.505 < rare < 0.52 else self.bvlos,
            "takeoffLat": takeoff[0],
            "takeoffLng": takeoff[1],
            "landingLat": landing[0],
            "landingLng": landing[1],
            "pilotInCommand": None if 0.1 < rare < 0.14 else self.pilot,
            "project": self._project(rare),
            "createdAt": stamp(written),
            "updatedAt": stamp(edited),
        }
        pause = 6 * MINUTE + int(12 * MINUTE * chance())
        return log, moment + (seconds or 0) * SECOND + pause

    def _project(self, rare: float) -> dict[str, str] | None:
        if self.project is None:
            # Now and then a log names a project that was deleted since.
            gone = {"id": "proj_00000000ff", "title": "Deleted project"}
            return gone if self.type == "COMMERCIAL" and 0.7 < rare < 0.71 else None
        return {"id": self.project.record["id"], "title": self.project.record["title"]}

    def _places(
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
    """Return a duration around what the aircraft can fly; rarely none, zero or absurd."""
    rare = rng.random()
    if rare < 0.004:
        return None
    if rare < 0.007:
        return 0
    if rare < 0.008:
        return rng.choice((12, 4 * 3600))
    short = 0.35 if flight_type == "MAINTENANCE" else 1.0
    return max(40, int(60 * minutes * short * rng.gauss(1.0, 0.22)))


def _written(moment: int, milliseconds: int, as_of: int, rng: random.Random) -> tuple[int, int]:
    """Return when a log was written down and last edited; some are late, some edited later."""
    landed = moment + milliseconds
    kind = rng.random()
    if kind < 0.8:
        lag = (0.1 + 4 * rng.random()) * HOUR
    elif kind < 0.94:
        lag = (0.3 + 3 * rng.random()) * DAY
    else:
        lag = (4 + 40 * rng.random()) * DAY
    written = min(landed + lag, as_of - MINUTE)
    edited = written if rng.random() < 0.9 else written + rng.random() ** 2 * 30 * DAY
    return round(written), round(min(edited, as_of - SECOND))
