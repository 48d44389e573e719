"""Keeping a mirror in step: requests made, and what each way misses.

    python benchmarks/sync.py [--equipment 500] [--flights 1000] [--share 0.02]

Beside fleetkit's sync stand reading all again, and the date cursor that a dlt source or a Singer
tap of this API would use: ask each piece of equipment for the flights since the latest date seen.
Some pieces of equipment get, each, one flight of today, one logged late, one edited and one
deleted, with their counters; then as many flights are edited that no counter shows.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from _sizes import exit_code, size
from decode import flight

import fleetkit as fk
from fleetkit import tables
from fleetkit.client import Client
from fleetkit.server import Store, create_app
from fleetkit.server.running import running

# To reach: of the requests that reading all takes, and syncs until a silent edit is found.
SHARE_OF_ALL, SYNCS = 0.03, 10
PROJECTS, SERVICES = 150, 8
KINDS = ("new", "late", "edited", "deleted", "silent")


@dataclass
class Service:
    """A served organisation that changes, and which flights it changed how."""

    store: Store
    organisation: str
    equipment: dict[str, dict[str, Any]]
    flights: dict[str, list[dict[str, Any]]]
    changed: dict[str, set[str]] = field(default_factory=lambda: {kind: set() for kind in KINDS})
    chance: random.Random = field(default_factory=lambda: random.Random(11))

    def some(self, count: int) -> list[str]:
        """Return some pieces of equipment."""
        return self.chance.sample(sorted(self.flights), count)

    def move(self, pieces: list[str]) -> None:
        """Change four flights of each piece, and its counters."""
        for piece in pieces:
            logs = self.flights[piece]
            gone, edited = logs.pop(self.chance.randrange(len(logs))), self.chance.choice(logs)
            edited["durationSeconds"] = _longer(edited)
            new = _flight(self.chance, f"{piece}_new", "2026-11-20T09:00:00.000Z")
            late = _flight(self.chance, f"{piece}_late", "2026-03-05T09:00:00.000Z")
            logs += [new, late]
            self._put(piece, [edited, new, late])
            with self.store.writing(self.organisation) as writer:
                writer.detach([(gone["id"], piece)])
                writer.remove("flights", [gone["id"]])
            for kind, log in zip(KINDS, (new, late, edited, gone), strict=False):
                self.changed[kind].add(log["id"])

    def edit_silently(self, pieces: list[str]) -> None:
        """Change one flight of each piece; no counter shows it."""
        for piece in pieces:
            log = self.chance.choice(self.flights[piece])
            log["durationSeconds"] = _longer(log)
            self.store.load(self.organisation, flights=[log])
            self.changed["silent"].add(log["id"])

    def _put(self, piece: str, logs: list[dict[str, Any]]) -> None:
        record = self.equipment[piece]
        record |= _counters(self.flights[piece])
        pairs = [(log["id"], piece) for log in logs]
        self.store.load(self.organisation, equipment=[record], flights=logs, flight_equipment=pairs)

    def missed(self, known: pd.DataFrame) -> dict[str, int]:
        """Return how many changes of each kind a copy of the flights doesn't show."""
        every = (log for logs in self.flights.values() for log in logs)
        truth = {log["id"]: log["durationSeconds"] or 0 for log in every}
        seconds = known["duration_seconds"].fillna(0).tolist()
        shown = dict(zip(known["flight_id"], seconds, strict=True))
        return {
            kind: sum(shown.get(id) != truth.get(id) for id in ids)
            for kind, ids in self.changed.items()
        }


def _flight(chance: random.Random, name: str, date: str) -> dict[str, Any]:
    return json.loads(flight(chance)) | {"id": f"fl_{name}", "flightDate": date}


def _longer(log: dict[str, Any]) -> int:
    return (log["durationSeconds"] or 0) + 60


def _counters(logs: list[dict[str, Any]]) -> dict[str, Any]:
    seconds = sum(log["durationSeconds"] or 0 for log in logs)
    return {"totalFlights": len(logs), "totalFlightHours": round(seconds / 3600, 2)}


@contextmanager
def served(equipment: int, flights_each: int) -> Iterator[tuple[Service, str, str]]:
    store, chance = Store("sqlite://"), random.Random(7)
    organisation = store.create_organisation("benchmark")
    service = Service(store, organisation, {}, {})
    for number in range(equipment):
        piece = f"eq_{number:05d}"
        logs = [
            json.loads(flight(chance)) | {"id": f"fl_{number:05d}_{index:05d}"}
            for index in range(flights_each)
        ]
        service.flights[piece] = logs
        service.equipment[piece] = {"id": piece, "createdAt": "2024-01-01T08:00:00.000Z"}
        service._put(piece, logs)
    store.load(
        organisation,
        projects=[{"id": f"proj_{number}"} for number in range(PROJECTS)],
        services=[{"id": f"svc_{number}", "tiers": []} for number in range(SERVICES)],
    )
    with running(create_app(store)) as url:
        yield service, url, store.create_key(organisation, name="benchmark")


class DateCursor:
    """A copy of the flights, kept by asking for those since the latest date seen."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.flights = tables.empty("flights")

    def update(self) -> int:
        """Return the requests that it took."""
        before, reader = self.client.requests_made, tables.FlightReader()
        pieces = tables.equipment(self.client.pages("equipment_list"))["equipment_id"]
        latest = self.flights["flight_date"].max()
        since = None if pd.isna(latest) else latest.to_pydatetime()
        for piece, pages in self.client.flight_pages(pieces.tolist(), date_from=since):
            for page in pages:
                reader.add(piece, page)
        for name in ("project_list", "service_list"):
            self.client.pages(name)
        known, fresh = self.flights, reader.finish()[0]
        self.flights = pd.concat([known[~known["flight_id"].isin(fresh["flight_id"])], fresh])
        return self.client.requests_made - before


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--equipment", type=int, default=size(500, 20))
    parser.add_argument("--flights", type=int, default=size(1_000, 5))
    parser.add_argument("--share", type=float, default=size(2, 10) / 100)
    chosen = parser.parse_args()
    with (
        served(chosen.equipment, chosen.flights) as (service, url, key),
        fk.connect(url, key, progress=False) as fleet,
        Client(url, key) as client,
        tempfile.TemporaryDirectory() as folder,
    ):
        return compare(service, fleet, DateCursor(client), folder, chosen.share)


def compare(
    service: Service,
    fleet: fk.Fleet,
    cursor: DateCursor,
    mirror: str,
    share: float,
) -> int:
    every = fleet.sync(mirror, details=False).requests
    cursor.update()
    show("first sync: reading all", every, every)
    idle = fleet.sync(mirror, audit=0, details=False).requests
    show("nothing changed, audit off", idle, every)
    least = -(-len(service.equipment) // 100) + -(-PROJECTS // 100) + 1

    count = round(share * len(service.flights))
    service.move(service.some(count))
    print(f"\n{count} pieces of equipment moved:")
    few = fleet.sync(mirror, audit=0, details=False).requests
    missed = service.missed(fk.open_mirror(mirror).flights())
    show("fleetkit, audit off", few, every, missed)
    show("date cursor", cursor.update(), every, service.missed(cursor.flights))
    full = fleet.sync(mirror, full=True, details=False).requests
    show("reading all", full, every, service.missed(fk.open_mirror(mirror).flights()))

    service.edit_silently(service.some(count))
    print(f"\n{count} flights edited that no counter shows:")
    syncs = audit(service, fleet, mirror, every)
    show("date cursor", cursor.update(), every, service.missed(cursor.flights))
    kept = idle == least and few <= SHARE_OF_ALL * every and not any(missed.values())
    print(
        f"\nnothing changed: {idle} requests (to reach: {least}); moved: {few / every:.3f} of all "
        f"(≤ {SHARE_OF_ALL}); silent edits all found after {syncs} syncs (≤ {SYNCS})"
    )
    return exit_code(kept and syncs <= SYNCS)


def audit(service: Service, fleet: fk.Fleet, mirror: str, every: int) -> int:
    """Sync with the usual audit until nothing is missed; return how often."""
    for number in range(1, 2 * SYNCS):
        requests = fleet.sync(mirror, details=False).requests
        missed = service.missed(fk.open_mirror(mirror).flights())
        show(f"fleetkit, sync {number}", requests, every, missed)
        if not any(missed.values()):
            return number
    return 2 * SYNCS


def show(way: str, requests: int, every: int, missed: dict[str, int] | None = None) -> None:
    lacking = "".join(f"  {kind} {count}" for kind, count in (missed or {}).items() if count)
    lost = "" if missed is None else f"; misses:{lacking or '  nothing'}"
    print(f"  {way:<28} {requests:6,} requests, {requests / every:6.3f} of all{lost}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
