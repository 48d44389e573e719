"""Projects that move through their stages, and the services on offer."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from fleetkit.server.demo.clock import DAY, HOUR, stamp
from fleetkit.server.demo.fleet import number
from fleetkit.server.demo.people import Pilot
from fleetkit.server.demo.words import CLIENTS, PLACES, PROJECT_TYPES

__all__ = ["Project", "acquire", "offered"]

_CURRENCIES = ("EUR",) * 11 + ("GBP",) * 5 + ("NOK",) * 3 + ("USD",)
_RATE = {"EUR": 1.0, "GBP": 0.86, "NOK": 11.6, "USD": 1.1}


@dataclass(frozen=True)
class Project:
    """A project with its place and the time that it was flown in [ms since 1970]."""

    record: dict[str, Any]
    latitude: float
    longitude: float
    since: int
    until: int


@dataclass(frozen=True)
class _Course:
    """What happened when to a project, as far as today knows [ms since 1970]."""

    status: str
    scheduled: int | None
    updated: int
    flown: tuple[int, int]


def acquire(
    count: int, start: int, as_of: int, pilots: list[Pilot], rng: random.Random
) -> list[Project]:
    """Return projects, oldest first; business grows.

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
    return [
        _project(round(earliest + (as_of - 2 * DAY - earliest) * share), as_of, pilots, rng)
        for share in days
    ]


def _project(created: int, as_of: int, pilots: list[Pilot], rng: random.Random) -> Project:
    # Written down during working hours.
    created += 8 * HOUR - created % DAY + rng.randrange(9 * HOUR)
    course = _course(created, as_of, rng)
    kind, titles = rng.choice(PROJECT_TYPES)
    client, domain = rng.choice(CLIENTS)
    place, latitude, longitude = rng.choice(PLACES)
    title = f"{rng.choice(titles)}, {place.rpartition(', ')[2]}"
    here = [each for each in pilots if each.since <= course.updated < each.until]
    record = {
        "id": f"proj_{rng.getrandbits(40):010x}",
        "title": title,
        "description": None if rng.random() < 0.3 else f"{title} for {client}.",
        "status": course.status,
        "projectType": kind,
        "siteAddress": None if rng.random() < 0.05 else place,
        **_money(rng),
        "scheduledDate": None if course.scheduled is None else stamp(course.scheduled),
        "clientAccountName": None if rng.random() < 0.03 else client,
        "clientAccountEmail": None if rng.random() < 0.12 else f"contact@{domain}.example",
        "assignedPilotName": (
            rng.choice(here).record["fullName"] if here and rng.random() < 0.85 else None
        ),
        "crmDealName": None if rng.random() < 0.4 else f"{client} {stamp(created)[:4]}",
        "createdAt": stamp(created),
        "updatedAt": stamp(course.updated),
    }
    near = rng.uniform(-0.05, 0.05)
    return Project(record, latitude + near, longitude - 2 * near, *course.flown)


def _course(created: int, as_of: int, rng: random.Random) -> _Course:
    """Follow a project through the stages until it ends or today is reached."""
    nothing = (0, 0)
    confirmed = created + round(rng.uniform(3, 35) * DAY)
    planned = confirmed + round(rng.uniform(2, 16) * DAY)
    scheduled = planned + round(rng.uniform(5, 60) * DAY)
    scheduled += 9 * HOUR - scheduled % DAY
    done = scheduled + round(rng.uniform(4, 32) * DAY)
    delivered = done + round(rng.uniform(1, 14) * DAY)
    invoiced = delivered + round(rng.uniform(4, 38) * DAY)
    paid = invoiced + round(rng.uniform(12, 75) * DAY)
    fate = rng.random()
    if fate < 0.11:  # given up, a few of them when work had begun
        status = "CANCELLED" if fate < 0.08 else "ON_HOLD"
        ended = min(created + round(rng.uniform(4, 60) * DAY), as_of - HOUR)
        return _Course(status, scheduled if ended > planned else None, ended, (scheduled, ended))
    if fate < 0.36 and scheduled < as_of < scheduled + 60 * DAY:  # overdue: nobody has started it
        status = rng.choice(("DRAFT", "CONFIRMED", "SCHEDULED", "SCHEDULED"))
        return _Course(status, scheduled, planned, nothing)
    if fate < 0.65 and confirmed < as_of < confirmed + 55 * DAY:  # waiting for somebody to plan it
        return _Course("CONFIRMED", None, confirmed, nothing)
    stages = (
        ("COMPLETED", paid),
        ("INVOICED", invoiced),
        ("DELIVERED", delivered),
        ("IN_PROGRESS", scheduled),
        ("SCHEDULED", planned),
        ("CONFIRMED", confirmed),
        ("DRAFT", created),
    )
    status, reached = next(each for each in stages if each[1] < as_of or each[0] == "DRAFT")
    return _Course(status, scheduled if planned < as_of else None, reached, (scheduled, done))


def _money(rng: random.Random) -> dict[str, Any]:
    currency = rng.choice(_CURRENCIES)
    price = rng.lognormvariate(8.9, 0.6) * _RATE[currency]
    price -= price % 50
    missing = rng.random()
    cost = price * rng.uniform(0.45, 1.04)
    return {
        "agreedPrice": None if missing < 0.06 else number(price, 2),
        "estimatedCost": None if rng.random() < 0.15 else number(cost, 2),
        "currency": None if missing < 0.03 else currency,
    }


# Name, rate, currency, unit, pricing model, active, (tier, percent, recommended, active) …
_SERVICES: tuple[tuple[Any, ...], ...] = (
    ("Bridge and mast inspection", 145, "EUR", "HOUR", "TIERED", True,
     ("Standard", 0, False, True), ("Priority", 18, True, True), ("24/7", 45, False, True)),
    ("Orthophoto mapping", 2.4, "EUR", "HECTARE", "TIERED", True,
     ("up to 50 ha", 0, False, True), ("up to 500 ha", -12.5, True, True),
     ("above 500 ha", -22, False, True)),
    ("Quarry volumes", 890, "GBP", "SITE_VISIT", "FLAT", True),
    ("Solar park thermography", 0.95, "EUR", "PANEL", "TIERED", True,
     ("Overview", 0, True, True), ("Detailed", 30, True, True)),
    ("Crop health survey", 3.8, "EUR", "HECTARE", "TIERED", True,
     ("Single flight", 0, False, True), ("Season", -15, True, True),
     ("Season +", -15, False, True)),
    ("Aerial filming", 1250, "GBP", "DAY", "TIERED", True,
     ("Half day", -40, False, True), ("Full day", 0, True, True),
     ("With crew", 65, False, False)),
    ("LiDAR corridor", 420, "NOK", "KILOMETRE", "TIERED", True,
     ("Standard", 0, True, True), ("Dense point cloud", 25.5, False, True)),
    ("Event coverage", 990, "EUR", "DAY", "TIERED", False,
     ("Day", 0, True, True), ("Weekend", 35, False, True)),
)  # fmt: skip


def offered(start: int, as_of: int, rng: random.Random) -> list[dict[str, Any]]:
    """Return eight services with their tiers, one of them no longer offered."""
    services = []
    for order, (name, rate, currency, unit, model, active, *tiers) in enumerate(_SERVICES, 1):
        created = start - rng.uniform(100, 500) * DAY
        services.append(
            {
                "id": f"svc_{rng.getrandbits(40):010x}",
                "name": name,
                "description": None if order == 3 else f"{name}, planned, flown and delivered.",
                "baseRate": rate,
                "currency": currency,
                "unitType": unit,
                "pricingModel": model,
                "isActive": active,
                "displayOrder": order,
                "tiers": [_tier(level, terms, rng) for level, terms in enumerate(tiers, 1)],
                "createdAt": stamp(created),
                "updatedAt": stamp(rng.uniform(start, as_of - DAY)),
            }
        )
    return services


def _tier(level: int, terms: tuple[Any, ...], rng: random.Random) -> dict[str, Any]:
    name, percent, recommended, active = terms
    return {
        "id": f"tier_{rng.getrandbits(40):010x}",
        "tierName": name,
        # The third season tier was copied from the second, its level with it.
        "tierLevel": 2 if name == "Season +" else level,
        "priceModifierPercent": percent,
        "isRecommended": recommended,
        "isActive": active,
    }
