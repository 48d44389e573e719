"""Equipment that is bought, ages, is repaired and retired."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from fleetkit.server.demo.clock import DAY, HOUR, stamp
from fleetkit.server.demo.words import KINDS, Kind

__all__ = ["Piece", "buy", "number"]

YEAR = 365 * DAY


@dataclass
class Piece:
    """One piece of equipment, with the time that it could be used and what it has logged."""

    record: dict[str, Any]
    kind: Kind
    since: int
    until: int
    liking: float
    flights: int = 0
    seconds: int = 0
    last: int = 0

    def finished(self, as_of: int, rng: random.Random) -> dict[str, Any]:
        """Return the record with its counters, which don't always match the logs."""
        flights, hours = self.flights, self.seconds / 3600
        fate = rng.random()
        if self.kind.type == "CONTROLLER" or fate < 0.04:
            counters: tuple[Any, Any] = (None, None)
        elif fate < 0.12:  # flown before the logs begin
            counters = (flights + 37, hours + 14.5)
        elif fate < 0.17:  # a counter that nobody updated for a while
            counters = (round(flights * 0.93), hours * 0.93)
        else:
            counters = (flights, hours)
        total, total_hours = counters
        self.record["totalFlights"] = total
        self.record["totalFlightHours"] = None if total_hours is None else number(total_hours, 2)
        self.record["updatedAt"] = stamp(min(max(self.last + HOUR, self.since), as_of - HOUR))
        return self.record


def number(value: float, digits: int) -> float | int:
    """Round as JSON from JavaScript shows it: whole numbers without a point.

    Examples
    --------
    >>> number(120.004, 2), number(1.257, 2)
    (120, 1.26)
    """
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded


def buy(count: int, start: int, as_of: int, rng: random.Random) -> list[Piece]:
    """Return a fleet, oldest first.

    Parameters
    ----------
    count : int
    start, as_of : int
        The time that the logs cover. [ms since 1970]
    rng : random.Random
    """
    earliest = start - 2 * YEAR
    pieces = []
    for place in range(count):
        kind = KINDS[place % len(KINDS)]
        # The first of each kind was there from the beginning, so that every month can be flown.
        share = 0.1 if place < len(KINDS) else rng.random()
        bought = round(earliest + (as_of - 45 * DAY - earliest) * share)
        pieces.append(_piece(place, kind, bought, as_of, rng))
    # A typing error: one serial number stands on two pieces.
    pieces[-1].record["serialNumber"] = pieces[-len(KINDS)].record["serialNumber"]
    return sorted(pieces, key=lambda each: each.since)


def _piece(place: int, kind: Kind, bought: int, as_of: int, rng: random.Random) -> Piece:
    age = (as_of - bought) / YEAR
    status, condition = _state(age, rng)
    until = as_of + DAY
    if status in {"RETIRED", "LOST"}:
        until = round(bought + (as_of - bought) * rng.uniform(0.6, 0.95))
    elif status in {"GROUNDED", "MAINTENANCE"}:
        until = round(as_of - rng.uniform(2, 40) * DAY)
    code = f"{kind.manufacturer[0]}{kind.model.replace(' ', '')}".upper()
    record = {
        "id": f"eq_{rng.getrandbits(40):010x}",
        "name": f"{kind.manufacturer} {kind.model} #{place + 1}",
        "manufacturer": kind.manufacturer,
        "model": kind.model,
        "serialNumber": f"{code}-{rng.randrange(10**7):07d}",
        "type": kind.type,
        "category": kind.category,
        "status": status,
        "condition": condition,
        **_registration(kind, place, status, as_of, rng),
        "weight": None if rng.random() < 0.05 else kind.weight,
        "specifications": {} if rng.random() < 0.1 else dict(kind.specifications),
        "purchaseDate": stamp(bought - bought % DAY),
        "purchaseCost": None if rng.random() < 0.06 else number(kind.cost * rng.gauss(1, 0.05), 2),
        "totalFlights": 0,
        "totalFlightHours": 0,
        "createdAt": stamp(bought + rng.uniform(1, 9) * DAY),
        "updatedAt": stamp(bought + 10 * DAY),
    }
    # Newer ones are liked better: fleets age.
    return Piece(record, kind, bought + 10 * DAY, until, rng.uniform(0.4, 1.6) / (1 + 0.35 * age))


def _state(age: float, rng: random.Random) -> tuple[str, str]:
    worn = rng.random()
    if age > 1.2 and worn < 0.09:
        return "RETIRED", rng.choice(("POOR", "FAIR", "POOR"))
    if worn < 0.11:
        return "LOST", "DAMAGED"
    if worn < 0.16:
        return "GROUNDED", rng.choice(("DAMAGED", "POOR"))
    condition = ("NEW", "EXCELLENT", "GOOD", "GOOD", "FAIR", "FAIR", "POOR")
    place = min(int(age * 1.3 + rng.random() * 1.6), len(condition) - 1)
    return ("MAINTENANCE" if worn < 0.24 else "ACTIVE"), condition[place]


def _registration(
    kind: Kind, place: int, status: str, as_of: int, rng: random.Random
) -> dict[str, str | None]:
    if kind.minutes == 0:
        return {"registrationNumber": None, "registrationExpiry": None}
    known: dict[str, str | None] = {"registrationNumber": f"NOR-D{4100 + place}"}
    days = rng.choice((-95, -12, 9, 26, 47, 83)) if rng.random() < 0.3 else rng.uniform(91, 640)
    if status in {"RETIRED", "LOST"}:
        days = -rng.uniform(10, 300)
    expiry: str | None = stamp(as_of + round(days) * DAY)
    missing = rng.random()
    if missing < 0.05:
        expiry = None
    if missing < 0.03:
        known["registrationNumber"] = None
    return {**known, "registrationExpiry": expiry}
