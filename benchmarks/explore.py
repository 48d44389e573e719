"""The explorer: from a control to the picture, beside a bare savefig and one message.

    python benchmarks/explore.py

The floor is what any picture in a notebook costs: matplotlib writes a kept figure of the same
hours, and one widget sends it. The explorer filters, measures, and renders figures, table, filter
and chart of a choice that was not made before. To reach: at most 1.5.
"""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from statistics import median
from time import perf_counter

import ipywidgets as widgets
from _sizes import TINY, size

import fleetkit as fk

ROUNDS = size(31, 2)
REACH = 1.5


def main() -> None:
    for flights in (500,) if TINY else (12_000, 100_000):
        explorer = fk.explore.flights(fk.demo(flights=flights))
        figure, image = fk.charts.flight_hours(explorer.hours).figure, widgets.Image()
        first = explorer.rows["flight_date"].min().date()
        floor, ours = [], []
        for turn in range(ROUNDS):
            start = perf_counter()
            savefig_and_send(figure, image)
            between = perf_counter()
            explorer.controls.since.value = first + timedelta(days=turn)
            floor.append(between - start)
            ours.append(perf_counter() - between)
        print(
            f"{flights:>7,} flights: control → picture {1000 * median(ours):.0f} ms, savefig and "
            f"one message {1000 * median(floor):.0f} ms: {median(ours) / median(floor):.2f} × "
            f"(to reach: {REACH})"
        )


def savefig_and_send(figure, image: widgets.Image) -> None:
    picture = BytesIO()
    figure.savefig(picture, format="png")
    image.value = picture.getvalue()


if __name__ == "__main__":
    main()
