"""A first sync of one and of ten million flights: memory, and how fast beside reading alone.

    python benchmarks/first_sync.py [--flights 1000000] [--times 10]

The service is a stub that makes pages as they are asked for. Every way runs in a process of its
own: its peak of memory is what the system counted, imports included. Pages per second are those of
the whole sync, and of the same client that reads the same lists and does nothing with them. Without
latency client and stub take all that a machine of two cores has, and whatever a sync does besides
reading is on top; at 50 ms, as of a service elsewhere, it is done while answers are on their way.
Both ratios are printed, and the first one decides.

Then, a later sync of everything: its memory.
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

from _sizes import TINY, exit_code, size
from _stub import stub

import fleetkit as fk
from fleetkit.client import Client

FLIGHTS_EACH = size(400, 10)
KEY = "flk_" + "x" * 40
LATENCY = 0.05
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


def full(url: str, folder: str) -> int:
    """Sync everything once more; return the requests that it took."""
    with fk.connect(url, KEY, progress=False) as fleet:
        return fleet.sync(Path(folder) / "mirror", details=False, full=True).requests


WAYS = {"sync": sync, "read": read, "full": full}


def measure(way: str, url: str, folder: str) -> None:
    """Run one way; print pages per second, seconds of CPU per page and the peak of memory in MB."""
    start, cpu = time.perf_counter(), time.process_time()
    requests = WAYS[way](url, folder)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps([requests / seconds, cpu / requests, peak]))


def measured(flights: int, *ways: str, latency: float = 0.0) -> list[tuple[float, float]]:
    """Return pages per second and the peak of memory of some ways, one after the other."""
    results = []
    with (
        stub(max(2, flights // FLIGHTS_EACH), FLIGHTS_EACH, latency) as url,
        tempfile.TemporaryDirectory() as folder,
    ):
        for way in ways:
            command = [sys.executable, __file__, "--measure", way, url, folder]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
            speed, cpu, peak = json.loads(done.stdout)
            print(
                f"{way} {flights:>12,} flights {speed:8.1f} pages/s {cpu * 1000:6.2f} ms of CPU "
                f"per page {peak:8.0f} MB",
                flush=True,
            )
            results.append((speed, peak))
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flights", type=int, default=size(1_000_000, 100))
    parser.add_argument("--times", type=int, default=size(10, 2))
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure(*chosen.measure)
        return 0
    at_once = measured(chosen.flights, "read", "sync", "full")
    (alone, _), (speed, small), (_, later) = at_once
    ways = "read", "sync"
    (alone_late, _), (late, _) = (
        at_once[:2] if TINY else measured(chosen.flights, *ways, latency=LATENCY)
    )
    [(_, large)] = measured(chosen.flights * chosen.times, "sync")
    print(
        f"memory {small:.0f} MB, later {later:.0f} MB (to reach: ≤ {MEGABYTES}); {chosen.times} "
        f"times the flights ÷ it {large / small:.2f} (≤ {GROWTH}); pages per second ÷ reading "
        f"alone {speed / alone:.2f} (≥ {SPEED}), at {LATENCY * 1000:.0f} ms {late / alone_late:.2f}"
    )
    is_flat = max(small, later) <= MEGABYTES and large <= GROWTH * small
    return exit_code(is_flat and speed >= SPEED * alone)


if __name__ == "__main__":
    sys.exit(main())
