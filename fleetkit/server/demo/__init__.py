"""The demo organisation: an invented fleet, seeded, realistic and as messy as real ones.

The same seed, sizes and day give the same records. The last complete month is fully flown, the
running one up to the day before ``as_of``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.server.demo import logs
from fleetkit.server.demo.clock import midnight, month_starts
from fleetkit.server.demo.fleet import buy
from fleetkit.server.demo.people import hire
from fleetkit.server.demo.work import acquire, offered

__all__ = ["demo_records", "demo_stream"]

_FLIGHTS_PER_PROJECT = 80
_FLIGHTS_PER_PILOT = 1_000


def demo_records(
    seed: int = 7,
    equipment: int = 64,
    flights: int = 12_000,
    months: int = 30,
    as_of: date | None = None,
) -> dict[str, list[Any]]:
    """Return the records of the demo organisation, ready for `Store.load`.

    Parameters
    ----------
    seed : int
        Another seed, another organisation.
    equipment, flights : int
        How many; projects, pilots and pairs of flight and equipment follow from them.
    months : int
        Complete months before the running one.
    as_of : date, optional
        The day on which the organisation is looked at; default: today, UTC.

    Returns
    -------
    dict of list
        ``equipment``, ``flights``, ``projects``, ``services`` as the reference has them, and
        ``flight_equipment`` as pairs of flight id and equipment id.

    Raises
    ------
    InvalidValue
        Fewer than 16 pieces of equipment, no flights or no months.

    Examples
    --------
    >>> records = demo_records(equipment=16, flights=100, months=3, as_of=date(2026, 11, 20))
    >>> {name: len(rows) for name, rows in records.items() if name != "flight_equipment"}
    {'flights': 100, 'equipment': 16, 'projects': 1, 'services': 8}
    """
    stream = demo_stream(seed, equipment, flights, months, as_of)
    return {name: list(rows) for name, rows in stream.items()}


def demo_stream(
    seed: int = 7,
    equipment: int = 64,
    flights: int = 12_000,
    months: int = 30,
    as_of: date | None = None,
) -> dict[str, Iterable[Any]]:
    """Return the same as `demo_records`, made while it is read, for any number of flights.

    The flights must be read first, as `Store.load` does: what the others hold follows from them.
    """
    if equipment < 16 or flights < 1 or months < 1:
        raise InvalidValue(
            f"A demo of {equipment} pieces of equipment, {flights} flights, {months} months.",
            advice="It needs at least 16 pieces of equipment, 1 flight and 1 month.",
        )
    rng = random.Random(seed)
    today = as_of or datetime.now(UTC).date()
    firsts = month_starts(today, months)
    start, end = midnight(firsts[0]), midnight(today)
    fleet = buy(equipment, start, end, rng)
    aircraft = [each for each in fleet if each.kind.minutes]
    payloads = [each for each in fleet if each.kind.type in {"CAMERA", "SENSOR", "BATTERY"}]
    pilots = hire(max(8, flights // _FLIGHTS_PER_PILOT), start, end, rng)
    projects = acquire(max(1, flights // _FLIGHTS_PER_PROJECT), start, end, pilots, rng)
    services = offered(start, end, rng)
    # What examples ask for, fleet.equipment_by_id("eq_1"), is there.
    first = {"eq": fleet[0].record, "prof": pilots[0].record, "proj": projects[0].record}
    for prefix, record in {**first, "svc": services[0]}.items():
        record["id"] = f"{prefix}_1"
    crew = logs.Crew(aircraft, payloads, pilots, projects)
    plan = logs.days(flights, firsts, today, rng)
    pairs: list[tuple[str, str]] = []

    def flown() -> Iterator[dict[str, Any]]:
        for log, pieces in logs.fly(plan, crew, end, rng):
            pairs.extend((log["id"], each.record["id"]) for each in pieces)
            yield log

    return {
        "flights": flown(),
        "equipment": (each.finished(end, rng) for each in fleet),
        "flight_equipment": pairs,
        "projects": (each.record for each in projects),
        "services": services,
    }
