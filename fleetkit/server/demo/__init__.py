"""The demo organisation: an invented fleet, seeded, realistic and as messy as a real one.

The same seed, sizes and day give the same records. The last complete month is fully flown, the
current one up to the day before ``as_of``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.server.demo import logs
from fleetkit.server.demo.clock import midnight, month_starts
from fleetkit.server.demo.fleet import create_fleet
from fleetkit.server.demo.work import create_pilots, create_projects, create_services

__all__ = ["check_size", "demo_records", "demo_stream"]

# All pieces of equipment are in memory, and of each flight the pieces that were on it.
MOST_EQUIPMENT, MOST_FLIGHTS = 100_000, 100_000_000
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
        A different seed gives a different organisation.
    equipment, flights : int
        Number of records; the numbers of projects and pilots are derived from them.
    months : int
        Complete months before the current one.
    as_of : date, optional
        The organisation's today; default: today, UTC.

    Returns
    -------
    dict of list
        ``equipment``, ``flights``, ``projects``, ``services`` as the reference has them, and
        ``flight_equipment`` as pairs of flight id and equipment id.

    Raises
    ------
    InvalidValue
        Fewer than 16 pieces of equipment, no flights, no months, or more than memory holds.

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
) -> dict[str, Any]:
    """Return the records of `demo_records` as iterators, for any number of flights.

    Read the flights first, as `Store.load` does: the other records are derived from them.
    """
    check_size(equipment, flights, months)
    rng = random.Random(seed)
    today = as_of or datetime.now(UTC).date()
    firsts = month_starts(today, months)
    start, end = midnight(firsts[0]), midnight(today)
    fleet = create_fleet(equipment, start, end, rng)
    aircraft = [piece for piece in fleet if piece.kind.minutes]
    payloads = [piece for piece in fleet if piece.kind.type in {"CAMERA", "SENSOR", "BATTERY"}]
    pilots = create_pilots(max(8, flights // _FLIGHTS_PER_PILOT), start, end, rng)
    projects = create_projects(max(1, flights // _FLIGHTS_PER_PROJECT), start, end, pilots, rng)
    services = create_services(start, end, rng)
    # Examples in the documentation use ids such as "eq_1".
    first = {"eq": fleet[0].record, "prof": pilots[0].record, "proj": projects[0].record}
    for prefix, record in {**first, "svc": services[0]}.items():
        record["id"] = f"{prefix}_1"
    resources = logs.Resources(aircraft, payloads, pilots, projects)
    schedule = logs.schedule_flights(flights, firsts, today, rng)
    pairs: list[tuple[str, str]] = []

    def generate_flights() -> Iterator[dict[str, Any]]:
        for log, pieces in logs.generate_logs(schedule, resources, end, rng):
            pairs.extend((log["id"], piece.record["id"]) for piece in pieces)
            yield log

    return {
        "flights": generate_flights(),
        "equipment": (piece.complete_record(end, rng) for piece in fleet),
        "flight_equipment": pairs,
        "projects": (project.record for project in projects),
        "services": services,
    }


def check_size(equipment: int, flights: int, months: int = 30) -> None:
    """Refuse a size that no demo organisation has; errors as `demo_records`."""
    if not (16 <= equipment <= MOST_EQUIPMENT and 1 <= flights <= MOST_FLIGHTS and months >= 1):
        raise InvalidValue(
            f"equipment={brief(equipment)}, flights={brief(flights)}, months={brief(months)} "
            "is not a valid demo size.",
            advice="A demo has at least 16 pieces of equipment, 1 flight and 1 month, and at most "
            f"{MOST_EQUIPMENT:,} pieces and {MOST_FLIGHTS:,} flights.",
        )
