"""A first sync of one and of ten million flights: memory, and how fast beside reading alone.

    python benchmarks/first_sync.py [--flights 1000000] [--times 10]

The service is a stub that makes pages as they are asked for. Every way runs in a process of its
own: its peak of memory is what the system counted, imports included. Pages per second are those of
the whole sync, and of the same client that reads the same lists and does nothing with them.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _sizes import exit_code, size
from _stub import stub

import fleetkit as fk
from fleetkit.client import Client

FLIGHTS_EACH = size(400, 10)
KEY = "flk_" + "x" * 40
# To reach: peak at the smaller size [MB], the larger one's ÷ it, pages per second ÷ reading alone.
MEGABYTES, GROWTH, SPEED = 800, 1.3, 0.8


def sync(url: str, folder: str) -> int:
    """Sync everything; return the requests that it took."""
    with fk.connect(url, KEY, progress=False) as fleet:
        return fleet.sync(Path(folder) / "mirror", details=False).requests


def read(url: str, folder: str) -> int:
    """Read everything, and let go of it."""
    from fleetkit import tables

    with Client(url, KEY) as client:
        pieces = tables.equipment(client.pages("equipment_list"))["equipment_id"].tolist()
        client.pages("project_list")
        client.pages("service_list")
        for _ in client.flight_pages(pieces):
            pass
        return client.requests_made


WAYS = {"sync": sync, "read": read}


def measure(way: str, url: str) -> None:
    """Run one way; print pages per second and the peak of memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        requests = WAYS[way](url, folder)
        seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps([requests / seconds, peak]))


def measured(way: str, flights: int) -> tuple[float, float]:
    with stub(max(2, flights // FLIGHTS_EACH), FLIGHTS_EACH) as url:
        command = [sys.executable, __file__, "--measure", way, url]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    speed, peak = json.loads(done.stdout)
    print(f"{way} {flights:>12,} flights {speed:8.1f} pages/s {peak:8.0f} MB", flush=True)
    return speed, peak


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flights", type=int, default=size(1_000_000, 100))
    parser.add_argument("--times", type=int, default=size(10, 2))
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure(*chosen.measure)
        return 0
    alone, _ = measured("read", chosen.flights)
    speed, small = measured("sync", chosen.flights)
    _, large = measured("sync", chosen.flights * chosen.times)
    print(
        f"memory {small:.0f} MB (to reach: ≤ {MEGABYTES}); {chosen.times} times the flights ÷ it "
        f"{large / small:.2f} (≤ {GROWTH}); pages per second ÷ reading alone {speed / alone:.2f} "
        f"(≥ {SPEED})"
    )
    reached = small <= MEGABYTES and large <= GROWTH * small and speed >= SPEED * alone
    return exit_code(reached)


if __name__ == "__main__":
    sys.exit(main())
