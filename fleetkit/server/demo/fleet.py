"""Equipment that is purchased, ages, is repaired and retired."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from fleetkit.server.demo.clock import DAY, HOUR, write_instant
from fleetkit.server.demo.names import NAMES, Kind

__all__ = ["Piece", "create_fleet", "round_number"]

YEAR = 365 * DAY


@dataclass
class Piece:
    """One piece of equipment, with when it is in use [ms since 1970] and what it has logged.

    Parameters
    ----------
    preference : float
        How often it is chosen for a flight, relative to others.
    """

    record: dict[str, Any]
    kind: Kind
    since: int
    until: int
    preference: float
    flights: int = 0
    seconds: int = 0
    last: int = 0

    def complete_record(self, as_of: int, rng: random.Random) -> dict[str, Any]:
        """Fill in the record's counters, which don't always match the logs, and return it."""
        flights, hours = self.flights, self.seconds / 3600
        chance = rng.random()
        if self.kind.type == "CONTROLLER" or chance < 0.04:
            self.record |= {"totalFlights": None, "totalFlightHours": None}
        else:
            if chance < 0.12:  # flown before the logs begin
                flights, hours = flights + 37, hours + 14.5
            elif chance < 0.17:  # a counter that nobody updated for a while
                flights, hours = round(flights * 0.93), hours * 0.93
            self.record |= {"totalFlights": flights, "totalFlightHours": round_number(hours, 2)}
        self.record["updatedAt"] = write_instant(
            min(max(self.last + HOUR, self.since), as_of - HOUR)
        )
        return self.record


def round_number(value: float, digits: int) -> float | int:
    """Round a number as JavaScript writes it in JSON: whole numbers without a decimal point.

    Examples
    --------
    >>> round_number(120.004, 2), round_number(1.257, 2)
    (120, 1.26)
    """
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded


def create_fleet(count: int, start: int, as_of: int, rng: random.Random) -> list[Piece]:
    """Return a fleet, oldest first.

    Parameters
    ----------
    count : int
    start, as_of : int
        The time that the logs cover. [ms since 1970]
    rng : random.Random
    """
    earliest = start - 2 * YEAR
    kinds = NAMES.kinds
    pieces = []
    for index in range(count):
        kind = kinds[index % len(kinds)]
        # The first of each kind exists from the beginning, so that every month can be flown.
        share = 0.1 if index < len(kinds) else rng.random()
        purchased = round(earliest + (as_of - 45 * DAY - earliest) * share)
        pieces.append(_create_piece(index, kind, purchased, as_of, rng))
    # A typing error: two pieces have the same serial number.
    pieces[-1].record["serialNumber"] = pieces[-len(kinds)].record["serialNumber"]
    return sorted(pieces, key=lambda piece: piece.since)


def _create_piece(index: int, kind: Kind, purchased: int, as_of: int, rng: random.Random) -> Piece:
    age = (as_of - purchased) / YEAR
    status, condition = _status_and_condition(age, rng)
    until = as_of + DAY
    if status in {"RETIRED", "LOST"}:
        until = round(purchased + (as_of - purchased) * rng.uniform(0.6, 0.95))
    elif status in {"GROUNDED", "MAINTENANCE"}:
        until = round(as_of - rng.uniform(2, 40) * DAY)
    code = f"{kind.manufacturer[0]}{kind.model.replace(' ', '')}".upper()
    record = {
        "id": f"eq_{rng.getrandbits(40):010x}",
        "name": f"{kind.manufacturer} {kind.model} #{index + 1}",
        "manufacturer": kind.manufacturer,
        "model": kind.model,
        "serialNumber": f"{code}-{rng.randrange(10**7):07d}",
        "type": kind.type,
        "category": kind.category,
        "status": status,
        "condition": condition,
        **_registration(kind, index, status, as_of, rng),
        "weight": None if rng.random() < 0.05 else kind.weight,
        "specifications": {} if rng.random() < 0.1 else dict(kind.specifications),
        "purchaseDate": write_instant(purchased - purchased % DAY),
        "purchaseCost": None
        if rng.random() < 0.06
        else round_number(kind.cost * rng.gauss(1, 0.05), 2),
        "totalFlights": 0,
        "totalFlightHours": 0,
        "createdAt": write_instant(purchased + rng.uniform(1, 9) * DAY),
        "updatedAt": write_instant(purchased + 10 * DAY),
    }
    # Newer equipment is preferred: fleets age.
    preference = rng.uniform(0.4, 1.6) / (1 + 0.35 * age)
    return Piece(record, kind, purchased + 10 * DAY, until, preference)


def _status_and_condition(age: float, rng: random.Random) -> tuple[str, str]:
    chance = rng.random()
    if age > 1.2 and chance < 0.09:
        return "RETIRED", rng.choice(("POOR", "FAIR", "POOR"))
    if chance < 0.11:
        return "LOST", "DAMAGED"
    if chance < 0.16:
        return "GROUNDED", rng.choice(("DAMAGED", "POOR"))
    condition = ("NEW", "EXCELLENT", "GOOD", "GOOD", "FAIR", "FAIR", "POOR")
    index = min(int(age * 1.3 + rng.random() * 1.6), len(condition) - 1)
    return ("MAINTENANCE" if chance < 0.24 else "ACTIVE"), condition[index]


def _registration(
    kind: Kind, index: int, status: str, as_of: int, rng: random.Random
) -> dict[str, str | None]:
    if kind.minutes == 0:
        return {"registrationNumber": None, "registrationExpiry": None}
    registration: dict[str, str | None] = {"registrationNumber": f"NOR-D{4100 + index}"}
    days = rng.choice((-95, -12, 9, 26, 47, 83)) if rng.random() < 0.3 else rng.uniform(91, 640)
    if status in {"RETIRED", "LOST"}:
        days = -rng.uniform(10, 300)
    expiry: str | None = write_instant(as_of + round(days) * DAY)
    chance = rng.random()
    if chance < 0.05:
        expiry = None
    if chance < 0.03:
        registration["registrationNumber"] = None
    return {**registration, "registrationExpiry": expiry}
