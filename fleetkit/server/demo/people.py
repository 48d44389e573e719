"""Pilots who come and go."""

from __future__ import annotations

import random
from dataclasses import dataclass

from fleetkit.server.demo.clock import DAY
from fleetkit.server.demo.words import FIRST_NAMES, LAST_NAMES

__all__ = ["Pilot", "hire"]


@dataclass(frozen=True)
class Pilot:
    """A pilot with the time that they flew here [ms since 1970] and how much they like to."""

    record: dict[str, str]
    since: int
    until: int
    keenness: float


def hire(count: int, start: int, end: int, rng: random.Random) -> list[Pilot]:
    """Return pilots so that some were here all the time, some came later and some have left.

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
    around, place = divmod(number, len(FIRST_NAMES))
    return f"{FIRST_NAMES[place]} {LAST_NAMES[(place + 5 * around) % len(LAST_NAMES)]}"
