"""A report beside papermill one notebook after the other, its PDF beside WeasyPrint, in one run.

    python benchmarks/report.py [rounds]

Prints seconds (the best of each, taken in turns) and ratios: of the notebooks side by side and of
the whole report to papermill one notebook after the other, and of the PDF to WeasyPrint's CPU time
on the same HTML.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import papermill
import weasyprint
from _sizes import exit_code, size

import fleetkit as fk
from fleetkit.reports import resources
from fleetkit.reports.discovery import Notebook, discover
from fleetkit.reports.notebooks import run
from fleetkit.reports.pdf import pdf

ROUNDS = size(5, 1)
MADE = datetime(2026, 11, 20, tzinfo=UTC)


def one_after_the_other(notebooks: list[Notebook], values: dict[str, Any], folder: Path) -> None:
    """Run the notebooks as papermill's own documentation does."""
    folder.mkdir(exist_ok=True)
    for notebook in notebooks:
        paper = folder / notebook.path.name
        papermill.execute_notebook(str(notebook.path), str(paper), values, progress_bar=False)


def in_turns(
    ways: dict[str, Callable[[], Any]], rounds: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Return the best time of each way, in seconds; the ways alternate."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            started = clock()
            way()
            taken[name].append(clock() - started)
    return {name: min(times) for name, times in taken.items()}


def is_reached(times: dict[str, float], beside: str, reach: dict[str, float]) -> bool:
    """Print seconds, and how each compares with one of them; say whether all goals are reached."""
    ratios = {name: seconds / times[beside] for name, seconds in times.items()}
    for name, ratio in ratios.items():
        goal = f" (to reach: ≤ {reach[name]})" if name in reach else ""
        print(f"{name:<28} {times[name]:6.2f} s   {ratio:5.2f}{goal}")
    return all(ratios[name] <= goal for name, goal in reach.items())


def main(rounds: int) -> int:
    """Load the demo organisation into a mirror once, then measure both comparisons."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        demo = fk.demo(as_of=date(2026, 11, 20), equipment=size(64, 16), flights=size(12_000, 400))
        demo.sync(str(home / "mirror"))
        fleet = fk.open_mirror(home / "mirror")
        notebooks = [
            notebook
            for notebook in discover(resources.folder("notebooks"))
            if not notebook.history  # this mirror has no past
        ]
        notebooks = notebooks[-size(len(notebooks), 1) :]
        sections = [notebook.path.stem for notebook in notebooks]
        values = {"mirror": str(home / "mirror"), "period": "2026-10"}
        values |= {
            "tz": "UTC",
            "filters": {},
            "settings": {},
            "version": None,
            "out": str(home / "sections"),
        }
        plain, ours = "papermill, one by one", "notebooks side by side"
        ways = {
            plain: lambda: one_after_the_other(notebooks, values, home / "plain"),
            ours: lambda: run(notebooks, values, home / "ours"),
            "whole report": lambda: fk.report(
                "2026-10", fleet=fleet, out=home / "reports", sections=sections
            ),
        }
        times = in_turns(ways, rounds, time.perf_counter)
        kept = is_reached(times, plain, {ours: 0.3, "whole report": 0.35})
        html = (home / "reports" / "2026-10" / "report.html").read_text(encoding="utf-8")
    ways = {
        "WeasyPrint, CPU": lambda: weasyprint.HTML(string=html).write_pdf(),
        "PDF in two passes, CPU": lambda: pdf(html, made=MADE),
    }
    times = in_turns(ways, rounds, time.process_time)
    of_pdf = is_reached(times, "WeasyPrint, CPU", {"PDF in two passes, CPU": 0.1})
    return exit_code(kept and of_pdf)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
