"""Pilots who join and leave the organisation."""

from __future__ import annotations

import random
from dataclasses import dataclass

from fleetkit.server.demo.clock import DAY
from fleetkit.server.demo.names import NAMES

__all__ = ["Pilot", "create_pilots"]


@dataclass(frozen=True)
class Pilot:
    """A pilot, with when they fly for the organisation [ms since 1970].

    Parameters
    ----------
    preference : float
        How often they are chosen for a flight, relative to others.
    """

    record: dict[str, str]
    since: int
    until: int
    preference: float


def create_pilots(count: int, start: int, end: int, rng: random.Random) -> list[Pilot]:
    """Return pilots, some of whom joined later and some of whom left earlier than the others.

    Parameters
    ----------
    count : int
    start, end : int
        The time that the logs cover. [ms since 1970]
    rng : random.Random
    """
    pilots = []
    for number in range(count):
        since, until = start, end + DAY
        if number % 3 == 1:
            since = round(start + (end - start) * rng.uniform(0.1, 0.85))
        if number % 5 == 2:
            until = round(since + (end - since) * rng.uniform(0.4, 0.97))
        record = {"id": f"prof_{rng.getrandbits(40):010x}", "fullName": _name(number)}
        pilots.append(Pilot(record, since, until, rng.uniform(0.3, 1.6)))
    return pilots


def _name(number: int) -> str:
    first, last = NAMES.first_names, NAMES.last_names
    repetition, index = divmod(number, len(first))
    return f"{first[index]} {last[(index + 5 * repetition) % len(last)]}"
