"""A figure over all flights of a mirror, by engine: CPU and memory beside pandas'.

    python benchmarks/engines.py [--flights 1000000]

Flights and hours of each piece of equipment by month, of flights at night alone: a filter, a join
with the bridge, one grouped query. Each engine runs in a process of its own that has done the same
over a small mirror before; memory is the peak above what it held then. The figures are equal, or
the benchmark ends.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from _mirrored import MONTHS, mirrored
from _sizes import exit_code, size
from decode import memory

import fleetkit as fk

ENGINES = ("pandas", "polars", "duckdb")
ROUNDS = size(3, 1)
# The best engine's CPU and memory ÷ pandas', to reach.
CPU, MEGABYTES = 0.5, 0.5


def figure(engine: str, path: str) -> list[Any]:
    """Return the rows of the figure."""
    fleet = fk.open_mirror(path).where(night=True)
    chosen = {} if engine == "pandas" else {"engine": engine}
    hours = fk.metrics.flight_hours(
        fleet.flights(**chosen),
        by=["equipment", "month"],
        bridge=fleet.flight_equipment(**chosen),
        tz="UTC",
    )
    rows = fk.metrics.collect(hours).astype({"hours": "float64"}).round({"hours": 6})
    return sorted(rows.itertuples(index=False, name=None))


def measure(engine: str, path: str, small: str) -> None:
    """Print CPU seconds, the peak above the start in MB, and a number over the rows."""
    figure(engine, small)  # imports are not what is measured
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before, start = memory("VmRSS"), time.process_time()
    rows = figure(engine, path)
    seconds, peak = time.process_time() - start, memory("VmHWM") - before
    print(json.dumps([seconds, peak, len(rows), round(sum(row[3] for row in rows), 3)]))


def measured(engine: str, path: Path, small: Path) -> tuple[float, float, Any]:
    command = [sys.executable, __file__, "--measure", engine, str(path), str(small)]
    answers = [
        json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        for _ in range(ROUNDS)
    ]
    seconds, peak = min(answer[0] for answer in answers), max(answer[1] for answer in answers)
    print(f"{engine:<10}{seconds:8.2f} s of CPU {peak:8.0f} MB", flush=True)
    return seconds, peak, answers[0][2:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flights", type=int, default=size(1_000_000, 100 * MONTHS))
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure(*chosen.measure)
        return 0
    path, small = mirrored(chosen.flights), mirrored(100 * MONTHS)
    results = {engine: measured(engine, path, small) for engine in ENGINES}
    figures = [result[2] for result in results.values()]
    if any(figure != figures[0] for figure in figures):
        raise SystemExit(f"The figures differ: {figures}")
    ratios = {
        engine: (seconds / results["pandas"][0], peak / max(1.0, results["pandas"][1]))
        for engine, (seconds, peak, _) in results.items()
        if engine != "pandas"
    }
    for engine, (cpu, peak) in ratios.items():
        print(f"{engine} ÷ pandas: CPU {cpu:.2f}, memory {peak:.2f}")
    print(f"to reach by one of them: CPU ≤ {CPU}, memory ≤ {MEGABYTES}")
    return exit_code(any(cpu <= CPU and peak <= MEGABYTES for cpu, peak in ratios.values()))


if __name__ == "__main__":
    sys.exit(main())
