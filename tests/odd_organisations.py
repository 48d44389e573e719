"""Organisations at the edges of what the reference allows, for reports that must stay readable."""

from __future__ import annotations

from typing import Any

from conftest import ADA, BRIDGE, TINY, a_flight, a_project, a_service, a_tier, an_equipment
from long_names import NAMES

__all__ = ["ORGANISATIONS"]

Records = dict[str, list[Any]]

_REQUIRED = {
    "equipment": {"id", "name", "type", "category", "status", "condition"},
    "flights": {"id", "flightDate"},
    "projects": {"id", "title", "status"},
    "services": {"id", "name", "tiers"},
}
_MARKUP = "<script>alert(1)</script><b>&amp;"


def _of(**tables: list[Any]) -> Records:
    names = ("equipment", "flights", "flight_equipment", "projects", "services")
    return {name: tables.get(name, []) for name in names}


def _nulls() -> Records:
    """Return records of which every field that may be null is."""

    def blank(table: str, record: dict[str, Any]) -> dict[str, Any]:
        stamps = {"createdAt", "updatedAt"}
        return {
            name: value if name in _REQUIRED[table] | stamps else None
            for name, value in record.items()
        }

    pieces = [blank("equipment", an_equipment(f"eq_{n}")) for n in range(3)]
    for piece in pieces:
        piece |= {"specifications": {}, "totalFlights": 0, "totalFlightHours": 0}
    days = [f"2026-10-{day:02d}T10:00:00.000Z" for day in (1, 2, 3)]
    flights = [
        {**blank("flights", a_flight(f"fl_{day[8:10]}", day)), "flightType": "OTHER"}
        for day in days
    ]
    pairs = [(flight["id"], "eq_0") for flight in flights]
    projects = [blank("projects", a_project(f"proj_{n}")) for n in range(2)]
    return _of(equipment=pieces, flights=flights, flight_equipment=pairs, projects=projects)


def _marked_up() -> Records:
    """Return names of 200 letters with markup, in nine scripts and more."""
    names = [(_MARKUP + name)[:200] for name in NAMES.values()]
    pieces = [an_equipment(f"eq_{n}", name=name) for n, name in enumerate(names)]
    projects = [
        a_project(f"proj_{n}", title=name, clientAccountName=name, assignedPilotName=name)
        for n, name in enumerate(names)
    ]
    flights = [
        a_flight(
            f"fl_{n}",
            f"2026-10-{n + 1:02d}T10:00:00.000Z",
            pilotInCommand={"id": f"prof_{n}", "fullName": name},
            project={"id": f"proj_{n}", "title": name},
        )
        for n, name in enumerate(names)
    ]
    pairs = [(f"fl_{n}", f"eq_{n}") for n in range(len(names))]
    services = [a_service(f"svc_{n}", a_tier(f"t_{n}", 1, 0)) for n in range(2)]
    services = [{**service, "name": name} for service, name in zip(services, names, strict=False)]
    return _of(
        equipment=pieces, flights=flights, flight_equipment=pairs, projects=projects,
        services=services,
    )  # fmt: skip


def _unknown_tokens() -> Records:
    """Return one flight, and tokens that the reference doesn't know in every kind of set."""
    drone = an_equipment(
        "eq_1", type="BALLOON", category="TETHERED", status="ON_LOAN", condition="DENTED"
    )
    flight = a_flight(
        "fl_1", "2026-10-14T09:00:00.000Z", flightType="FERRY", operationType="ART",
        pilotInCommand=ADA, project=BRIDGE,
    )  # fmt: skip
    project = a_project("proj_bridge", status="ARCHIVED", projectType="FILM", currency="XYZ")
    service = a_service("svc_1", unitType="FURLONG", pricingModel="AUCTION")
    return _of(
        equipment=[drone], flights=[flight], flight_equipment=[("fl_1", "eq_1")],
        projects=[project], services=[service],
    )  # fmt: skip


def _currencies() -> Records:
    """Return 40 currencies, with prices of zero, below zero and of every size.

    And records of 1900 and of 2200, beside those of the period.
    """
    prices = (0, -1_500.5, 0.01, 1_000_000_000.0)
    projects = [
        a_project(f"proj_{n}", currency=f"C{n:02d}", status="DELIVERED", agreedPrice=prices[n % 4])
        for n in range(40)
    ]
    projects += [
        a_project(f"proj_{year}", scheduledDate=f"{year}-06-01T00:00:00.000Z", status="CONFIRMED")
        for year in (1900, 2200)
    ]
    drones = [
        an_equipment("eq_old", purchaseDate="1900-01-01T00:00:00.000Z"),
        an_equipment("eq_new", registrationExpiry="2200-12-31T00:00:00.000Z"),
    ]
    flights = [a_flight(f"fl_{year}", f"{year}-01-01T10:00:00.000Z") for year in (1900, 2200)]
    return {
        **TINY,
        "equipment": [*TINY["equipment"], *drones],
        "flights": [*TINY["flights"], *flights],
        "flight_equipment": [
            *TINY["flight_equipment"],
            *((flight["id"], "eq_old") for flight in flights),
        ],
        "projects": projects,
    }


# Name → records, and the period that is reported.
ORGANISATIONS: dict[str, tuple[Records, str]] = {
    "no records": (_of(), "2026-10"),
    "no flights": ({**TINY, "flights": [], "flight_equipment": []}, "2026-10"),
    "nulls, in a week": (_nulls(), "2026-W40"),
    "long names with markup": (_marked_up(), "2026-10"),
    "one flight of unknown tokens, in two weeks": (_unknown_tokens(), "2026-10-05_2026-10-18"),
    "40 currencies, 1900 and 2200, in a year": (_currencies(), "2026"),
    "before the first record": (TINY, "2019-03"),
}
