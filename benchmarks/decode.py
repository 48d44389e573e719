"""Bytes → DataFrame: fleetkit beside bare ``orjson.loads`` and ``pd.json_normalize``.

    python benchmarks/decode.py [--flights 1000000]

Each way runs in a process of its own over the same pages of 100 flights, held in memory. Time is
the best of its rounds, memory the peak above what the process held when it began.

Then, what it costs where flights hold something that the reference doesn't know: CPU time against
that of the same flights without it, turn by turn in one process.

A quiet machine of two cores reached 2.1 × orjson, 6.9 × json_normalize and 0.19 of its memory. What
is given back to the system has to be had anew in the next round: that is a twelfth of the time.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import cycle
from pathlib import Path

from _sizes import exit_code, size

PAGE = 100
ROUNDS = {"orjson": 5, "fleetkit": 5, "json_normalize": 1}
# Limits that the ratios have to keep.
SLOWER_THAN_ORJSON, FASTER_THAN_NORMALIZE, MEMORY_OF_NORMALIZE = 2.0, 8.0, 0.2
# CPU with a drift ÷ CPU without; over HTTP, in load.py, it is less.
DRIFT_COSTS = 1.6
DRIFT_ROUNDS = 5


def _with(field: bytes) -> Callable[[bytes], bytes]:
    return lambda page: page.replace(b'"updatedAt"', field + b',"updatedAt"')


def _mixed(page: bytes) -> bytes:
    slots = cycle((b"7", b'"spare"', b"7.50", b"null", b'{"row":2}'))
    return re.sub(b'"updatedAt"', lambda _: b'"slot":' + next(slots) + b',"updatedAt"', page)


# How a service may come to differ from the reference, as a change of its pages.
DRIFTS: dict[str, Callable[[bytes], bytes]] = {
    "one new scalar field": _with(b'"batteryCycles":12'),
    "one new text field": _with(b'"batteryType":"Li-Po 6S"'),
    "one new nested field": _with(b'"battery":{"cycles":12,"volts":22.25,"cells":[1,2,3]}'),
    "one renamed known field": lambda page: page.replace(b'"maxAltitude"', b'"maximumAltitude"'),
    "one field of mixed types": _mixed,
}


def flight(chance: random.Random) -> str:
    """Return one flight as JSON, with every field of the reference; its id is left to fill in."""
    start = datetime(2024, 5, 1) + timedelta(milliseconds=chance.randrange(900 * 86_400_000))
    pilot, project = chance.randrange(60), chance.randrange(150)

    def stamp(hours: float) -> str:
        return (start + timedelta(hours=hours)).isoformat(timespec="milliseconds") + "Z"

    fields = {
        "id": "ID",
        "flightDate": stamp(0),
        "flightType": chance.choice(("COMMERCIAL", "COMMERCIAL", "TRAINING", "MAINTENANCE")),
        "operationType": chance.choice(("INSPECTION", "MAPPING", "SURVEY", "FILMING")),
        "durationSeconds": None if chance.random() < 0.01 else chance.randrange(120, 2400),
        "maxAltitude": round(chance.uniform(10, 120), 1),
        "traveledDistance": round(chance.uniform(100, 9000), 1),
        "nightFlight": chance.random() < 0.1,
        "bvlos": chance.random() < 0.1,
        "takeoffLat": round(chance.uniform(50, 60), 6),
        "takeoffLng": round(chance.uniform(-5, 10), 6),
        "landingLat": round(chance.uniform(50, 60), 6),
        "landingLng": round(chance.uniform(-5, 10), 6),
        "pilotInCommand": {"id": f"prof_{pilot:024x}", "fullName": f"Pilot Øystein {pilot}"}
        if pilot
        else None,
        "project": {"id": f"proj_{project:024x}", "title": f"Inspection of bridge {project}"}
        if project > 50
        else None,
        "createdAt": stamp(3),
        "updatedAt": stamp(30),
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def pages(flights: int) -> Iterator[bytes]:
    """Yield pages as the service would send them; 20,000 flights recur under ids of their own."""
    chance = random.Random(7)
    halves = [flight(chance).split("ID") for _ in range(min(flights, 20_000))]
    for start in range(0, flights, PAGE):
        end = min(start + PAGE, flights)
        rows = ",".join(
            f"fl_{number * 2654435761 % 2**64:024x}".join(halves[number % len(halves)])
            for number in range(start, end)
        )
        meta = {
            "page": start // PAGE + 1,
            "limit": PAGE,
            "total": flights,
            "hasMore": end < flights,
        }
        pagination = json.dumps(meta, separators=(",", ":"))
        yield f'{{"success":true,"data":[{rows}],"meta":{{"pagination":{pagination}}}}}'.encode()


def orjson(bodies: list[bytes]) -> int:
    from orjson import loads

    return sum(len(loads(body)["data"]) for body in bodies)


def fleetkit(bodies: list[bytes]) -> int:
    from fleetkit.tables import FlightReader

    reader = FlightReader()
    for number, body in enumerate(bodies):
        reader.add(f"eq_{number // 20:04d}", body)
    return len(reader.finish()[0])


def json_normalize(bodies: list[bytes]) -> int:
    import pandas as pd

    return len(pd.json_normalize([row for body in bodies for row in json.loads(body)["data"]]))


def drift_costs(flights: int) -> dict[str, float]:
    """Return the CPU time with each drift, as a multiple of that without."""
    warnings.simplefilter("ignore")
    plain = list(pages(flights))
    drifted = {name: list(map(change, plain)) for name, change in DRIFTS.items()}
    best: dict[str, float] = {}
    for _ in range(DRIFT_ROUNDS):
        for name, bodies in ({"": plain} | drifted).items():
            start = time.process_time()
            fleetkit(bodies)
            best[name] = min(best.get(name, 1e9), time.process_time() - start)
    return {name: best[name] / best[""] for name in DRIFTS}


WAYS = {way.__name__: way for way in (orjson, fleetkit, json_normalize)}


def memory(what: str) -> float:
    """Return VmRSS or VmHWM of this process [MB]."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(what))


def measure(way: str, file: str) -> None:
    """Run one way over the pages in `file`; print seconds, peak above the start and rows."""
    bodies = Path(file).read_bytes().splitlines()
    WAYS[way](bodies[:1])  # imports are not what is measured
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before, best = memory("VmRSS"), float("inf")
    for _ in range(ROUNDS[way]):
        start = time.perf_counter()
        rows = WAYS[way](bodies)
        best = min(best, time.perf_counter() - start)
    print(json.dumps({"seconds": best, "mb": memory("VmHWM") - before, "rows": rows}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flights", type=int, default=size(1_000_000, 400))
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure(*chosen.measure)
        return 0
    found = {}
    with tempfile.NamedTemporaryFile() as file:
        for page in pages(chosen.flights):
            file.write(page + b"\n")
        file.flush()
        print(f"{chosen.flights:,} flights, {Path(file.name).stat().st_size / 1e6:,.0f} MB of JSON")
        for way in WAYS:
            command = [sys.executable, __file__, "--measure", way, file.name]
            answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            found[way] = json.loads(answer)
            print("{:>16} {seconds:8.2f} s {mb:8,.0f} MB {rows:12,} rows".format(way, **found[way]))
    ours, bare, usual = found["fleetkit"], found["orjson"], found["json_normalize"]
    slower = ours["seconds"] / bare["seconds"]
    faster = usual["seconds"] / ours["seconds"]
    share = ours["mb"] / usual["mb"]
    print(f"{slower:.2f} × orjson.loads (to reach: ≤ {SLOWER_THAN_ORJSON})")
    print(f"{faster:.1f} × faster than json_normalize (to reach: ≥ {FASTER_THAN_NORMALIZE})")
    print(f"{share:.2f} of its peak memory (to reach: ≤ {MEMORY_OF_NORMALIZE})")
    kept = slower <= SLOWER_THAN_ORJSON and faster >= FASTER_THAN_NORMALIZE
    for name, costs in drift_costs(min(chosen.flights, 100_000)).items():
        print(f"{costs:.2f} × the CPU with {name} (to reach: ≤ {DRIFT_COSTS})")
        kept = kept and costs <= DRIFT_COSTS
    return exit_code(kept and share <= MEMORY_OF_NORMALIZE)


if __name__ == "__main__":
    sys.exit(main())
