"""The explorer: from a control to the picture, beside a bare savefig and one message.

    python benchmarks/explore.py [--flights 1000000]

First by an engine over mirrors of the demo, in CPU: of 100,000 flights, and of many; its memory is
that of the process until then. A choice among a million costs 1.04 of one among 100,000, in 490 MB.

Then beside a floor, which is what any picture in a notebook costs: matplotlib writes a kept figure
of the same hours, and one widget sends it. The explorer filters, measures, and renders figures,
table, filter and chart of a choice that was not made before, in CPU and on the clock. Of 12,000
flights it costs 1.4 of the floor, of 100,000 1.7.
"""

from __future__ import annotations

import argparse
import sys
from datetime import timedelta
from io import BytesIO
from resource import RUSAGE_SELF, getrusage
from statistics import median
from time import perf_counter, process_time

import ipywidgets as widgets
import numpy as np
from _sizes import TINY, exit_code, size
from windows import mirrored

import fleetkit as fk

ROUNDS = size(31, 2)
CLOCKS = ("elapsed", "CPU")
REACH = 1.25
# From so many flights on → the ratio to SMALL, and the memory [MB].
REACH_OF_MANY = {10_000_000: (2.0, 1000), 0: (3.0, 600)}
SMALL, LARGE = size(100_000, 400), size(1_000_000, 400)
EQUIPMENT = size(5_000, 16)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flights", type=int, default=LARGE)
    chosen = parser.parse_args()
    kept = [beside_fewer(chosen.flights), beside_savefig()]
    return exit_code(all(kept))


def beside_fewer(flights: int) -> bool:
    """Print what a choice costs over a mirror of many flights, beside one of few."""
    few, many = (over_mirror(count) for count in (SMALL, flights))
    megabytes = getrusage(RUSAGE_SELF).ru_maxrss / 1024
    reach, most = next(goals for least, goals in REACH_OF_MANY.items() if flights >= least)
    ratio = f"{flights:,} flights ÷ {SMALL:,}: {many / few:.2f} (to reach: ≤ {reach})"
    print(f"by an engine, {ratio}, at most {megabytes:.0f} MB (to reach: ≤ {most})")
    return many <= reach * few and megabytes <= most


def over_mirror(flights: int) -> float:
    """Return the CPU of a choice, in seconds."""
    start = process_time()
    explorer = fk.explore.flights(fk.open_mirror(mirrored(EQUIPMENT, flights)), engine="polars")
    print(f"{flights:>10,} flights by Polars: opened in {process_time() - start:.1f} s CPU")
    *_, (_, first), _ = explorer.controls.period.options  # the last stands for one's own dates
    explorer.controls.since.value = fk.Period.read(first).since.date()
    spent = []
    for turn in range(1, ROUNDS):
        start = process_time()
        explorer.controls.since.value += timedelta(days=1)
        explorer.controls.night.value = turn % 2 == 0
        spent.append((process_time() - start) / 2)
    explorer.close()
    print(f"{flights:>10,} flights by Polars: control → picture {1000 * median(spent):.0f} ms CPU")
    return median(spent)


def beside_savefig() -> bool:
    """Print what a choice costs, beside a bare savefig and one message."""
    ratios = []
    for flights in (500,) if TINY else (12_000, 100_000):
        explorer = fk.explore.flights(fk.demo(flights=flights))
        figure, image = fk.charts.flight_hours(explorer.hours).figure, widgets.Image()
        first = explorer.rows["flight_date"].min().date()
        floor, ours = [], []
        for turn in range(ROUNDS):
            start = now()
            savefig_and_send(figure, image)
            between = now()
            explorer.controls.since.value = first + timedelta(days=turn)
            floor.append(between - start)
            ours.append(now() - between)
        for clock, spent, least in zip(
            CLOCKS, np.transpose(ours), np.transpose(floor), strict=True
        ):
            ratios.append(median(spent) / median(least))
            print(
                f"{flights:>7,} flights, {clock}: control → picture {1000 * median(spent):.0f} ms, "
                f"savefig and one message {1000 * median(least):.0f} ms: "
                f"{ratios[-1]:.2f} × (to reach: ≤ {REACH})"
            )
    return max(ratios) <= REACH


def now() -> np.ndarray:
    """Return the time of each clock. [s]."""
    return np.array([perf_counter(), process_time()])


def savefig_and_send(figure, image: widgets.Image) -> None:
    picture = BytesIO()
    figure.savefig(picture, format="png")
    image.value = picture.getvalue()


if __name__ == "__main__":
    sys.exit(main())
