"""Pilots who join and leave, projects that go through their stages, and the services on offer."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

from fleetkit.server.demo.clock import DAY, HOUR, write_instant
from fleetkit.server.demo.fleet import round_number
from fleetkit.server.demo.names import NAMES

__all__ = ["Pilot", "Project", "create_pilots", "create_projects", "create_services"]

_CURRENCIES = ("EUR",) * 11 + ("GBP",) * 5 + ("NOK",) * 3 + ("USD",)
_RATE = {"EUR": 1.0, "GBP": 0.86, "NOK": 11.6, "USD": 1.1}


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


@dataclass(frozen=True)
class Project:
    """A project with its site, and when flights are made for it [ms since 1970]."""

    record: dict[str, Any]
    latitude: float
    longitude: float
    since: int
    until: int


@dataclass(frozen=True)
class _Progress:
    """How far a project has come until today [ms since 1970]."""

    status: str
    scheduled: int | None
    updated: int
    flight_dates: tuple[int, int]


def create_projects(
    count: int, start: int, as_of: int, pilots: list[Pilot], rng: random.Random
) -> list[Project]:
    """Return projects, oldest first; their number per month grows.

    Parameters
    ----------
    count : int
    start, as_of : int
        The time that the logs cover; the first projects are older. [ms since 1970]
    pilots : list of Pilot
    rng : random.Random
    """
    earliest = start - 60 * DAY
    days = sorted(rng.random() ** 0.72 for _ in range(count))
    repetitions: Counter[str] = Counter()
    return [
        _project(
            round(earliest + (as_of - 2 * DAY - earliest) * share), as_of, pilots, repetitions, rng
        )
        for share in days
    ]


def _project(
    created: int, as_of: int, pilots: list[Pilot], repetitions: Counter[str], rng: random.Random
) -> Project:
    # Entered during working hours.
    created += 8 * HOUR - created % DAY + rng.randrange(9 * HOUR)
    progress = _progress(created, as_of, rng)
    kind, titles = rng.choice(NAMES.project_types)
    client, domain = rng.choice(NAMES.clients)
    address, latitude, longitude = rng.choice(NAMES.places)
    title = f"{rng.choice(titles)}, {address.rpartition(', ')[2]}"
    repetitions[title] += 1
    # Work at one place comes again: without a number, most projects would be namesakes.
    title += f" {repetitions[title]}" if repetitions[title] > 1 else ""
    available = [pilot for pilot in pilots if pilot.since <= progress.updated < pilot.until]
    record = {
        "id": f"proj_{rng.getrandbits(40):010x}",
        "title": title,
        "description": None if rng.random() < 0.3 else f"{title} for {client}.",
        "status": progress.status,
        "projectType": kind,
        "siteAddress": None if rng.random() < 0.05 else address,
        **_money(rng),
        "scheduledDate": None if progress.scheduled is None else write_instant(progress.scheduled),
        "clientAccountName": None if rng.random() < 0.03 else client,
        "clientAccountEmail": None if rng.random() < 0.12 else f"contact@{domain}.example",
        "assignedPilotName": (
            rng.choice(available).record["fullName"] if available and rng.random() < 0.85 else None
        ),
        "crmDealName": None if rng.random() < 0.4 else f"{client} {write_instant(created)[:4]}",
        "createdAt": write_instant(created),
        "updatedAt": write_instant(progress.updated),
    }
    offset = rng.uniform(-0.05, 0.05)
    return Project(record, latitude + offset, longitude - 2 * offset, *progress.flight_dates)


def _progress(created: int, as_of: int, rng: random.Random) -> _Progress:
    """Take a project through its stages until it ends or today is reached."""
    no_flights = (0, 0)
    confirmed = created + round(rng.uniform(3, 35) * DAY)
    planned = confirmed + round(rng.uniform(2, 16) * DAY)
    scheduled = planned + round(rng.uniform(5, 60) * DAY)
    scheduled += 9 * HOUR - scheduled % DAY
    done = scheduled + round(rng.uniform(4, 32) * DAY)
    delivered = done + round(rng.uniform(1, 14) * DAY)
    invoiced = delivered + round(rng.uniform(4, 38) * DAY)
    paid = invoiced + round(rng.uniform(12, 75) * DAY)
    chance = rng.random()
    if chance < 0.11:  # given up, a few of them after work had begun
        status = "CANCELLED" if chance < 0.08 else "ON_HOLD"
        ended = min(created + round(rng.uniform(4, 60) * DAY), as_of - HOUR)
        return _Progress(status, scheduled if ended > planned else None, ended, (scheduled, ended))
    if chance < 0.36 and scheduled < as_of < scheduled + 60 * DAY:  # overdue: not started
        status = rng.choice(("DRAFT", "CONFIRMED", "SCHEDULED", "SCHEDULED"))
        return _Progress(status, scheduled, planned, no_flights)
    if chance < 0.65 and confirmed < as_of < confirmed + 55 * DAY:  # not planned yet
        return _Progress("CONFIRMED", None, confirmed, no_flights)
    stages = (
        ("COMPLETED", paid),
        ("INVOICED", invoiced),
        ("DELIVERED", delivered),
        ("IN_PROGRESS", scheduled),
        ("SCHEDULED", planned),
        ("CONFIRMED", confirmed),
        ("DRAFT", created),
    )
    status, reached = next(stage for stage in stages if stage[1] < as_of or stage[0] == "DRAFT")
    return _Progress(status, scheduled if planned < as_of else None, reached, (scheduled, done))


def _money(rng: random.Random) -> dict[str, Any]:
    currency = rng.choice(_CURRENCIES)
    price = rng.lognormvariate(8.9, 0.6) * _RATE[currency]
    price -= price % 50
    chance = rng.random()
    cost = price * rng.uniform(0.45, 1.04)
    return {
        "agreedPrice": None if chance < 0.06 else round_number(price, 2),
        "estimatedCost": None if rng.random() < 0.15 else round_number(cost, 2),
        "currency": None if chance < 0.03 else currency,
    }


def create_services(start: int, as_of: int, rng: random.Random) -> list[dict[str, Any]]:
    """Return eight services with their tiers, one of them not active."""
    services = []
    for order, service in enumerate(NAMES.services, 1):
        created = start - rng.uniform(100, 500) * DAY
        text = f"{service.name}, planned, flown and delivered."
        services.append(
            {
                "id": f"svc_{rng.getrandbits(40):010x}",
                "name": service.name,
                "description": None if order == 3 else text,
                "baseRate": service.rate,
                "currency": service.currency,
                "unitType": service.unit,
                "pricingModel": "TIERED" if service.tiers else "FLAT",
                "isActive": service.active,
                "displayOrder": order,
                "tiers": [_tier(level, terms, rng) for level, terms in enumerate(service.tiers, 1)],
                "createdAt": write_instant(created),
                "updatedAt": write_instant(rng.uniform(start, as_of - DAY)),
            }
        )
    return services


def _tier(level: int, terms: tuple[Any, ...], rng: random.Random) -> dict[str, Any]:
    name, percent, recommended, active = terms
    return {
        "id": f"tier_{rng.getrandbits(40):010x}",
        "tierName": name,
        # A mistake: the third tier was copied from the second, including its level.
        "tierLevel": 2 if name == "Season +" else level,
        "priceModifierPercent": percent,
        "isRecommended": recommended,
        "isActive": active,
    }
