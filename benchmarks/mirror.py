"""A mirror of ten million flights: one month opened, and monthly hours without loading it.

    python benchmarks/mirror.py [--flights 10000000] [--month 2026-06]

The mirror is made once for each size, in the temp folder. A month is opened in a fresh process that
has opened one of a small mirror before: the best of three seconds, the worst of three peaks of
memory above the start. Hours are counted in turns with the same query in the engine's own words,
over the same files: the best of five.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
from _mirrored import MONTHS, mirrored
from _sizes import exit_code, size
from decode import memory
from deltalake import DeltaTable

import fleetkit as fk

PROCESSES, ROUNDS = size(3, 1), size(5, 1)
SECONDS, MEGABYTES, RATIO = 0.5, 400, 2.0  # to reach


def table(path: str, month: str) -> int:
    """Open the flights of a month."""
    year, number = map(int, month.split("-"))
    since = datetime(year, number, 1, tzinfo=UTC)
    until = datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)
    return len(fk.mirror.open(path).table("flights", since, until))


def fleet(path: str, month: str) -> int:
    """Open the flights of a month, for which their bridge is read too, as an analyst does."""
    return len(fk.open_mirror(path).flights(month))


def both(path: str, month: str) -> int:
    """Open the flights of a month and their bridge in order, which is known by then."""
    opened = fk.open_mirror(path)
    opened.flights(month)
    return len(opened.flight_equipment(month))


WAYS = {way.__name__: way for way in (table, fleet, both)}
REACHING = ("table", "fleet")


def measure(way: str, path: str, month: str, small: str) -> None:
    """Run one way; print seconds, peak above the start and rows."""
    WAYS[way](small, month)  # imports are not what is measured
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before, start = memory("VmRSS"), time.perf_counter()
    rows = WAYS[way](path, month)
    print(json.dumps([time.perf_counter() - start, memory("VmHWM") - before, rows]))


def opening(path: Path, month: str) -> bool:
    """Print what opening a month takes; return whether it is within reach."""
    kept = True
    small = str(mirrored(100 * MONTHS))
    for way in WAYS:
        command = [sys.executable, __file__, "--measure", way, str(path), month, small]
        answers = [
            subprocess.run(command, check=True, stdout=subprocess.PIPE) for _ in range(PROCESSES)
        ]
        found = [json.loads(answer.stdout) for answer in answers]
        seconds, megabytes = min(run[0] for run in found), max(run[1] for run in found)
        print(f"{way} {month:<18}{found[0][2]:>10,} rows {seconds:8.3f} s {megabytes:6.0f} MB")
        if way in REACHING:
            kept = kept and seconds <= SECONDS and megabytes <= MEGABYTES
    print(f"to reach by {' and '.join(REACHING)}: ≤ {SECONDS} s, ≤ {MEGABYTES} MB", flush=True)
    return kept


def polars_hours(delta: DeltaTable, tz: str) -> pl.DataFrame:
    local = pl.col("flight_date").dt.convert_time_zone(tz).dt.replace_time_zone(None)
    return (
        pl.scan_delta(delta)
        .filter(pl.col("valid_to").is_null())
        .group_by(local.dt.truncate("1mo").alias("month"))
        .agg(pl.len().alias("flights"), pl.col("duration_seconds").clip(0).sum() / 3600)
        .sort("month")
        .with_columns(pl.col("month").dt.to_string("%Y-%m"))
        .collect()
    )


def duckdb_hours(delta: DeltaTable, tz: str) -> list[tuple[Any, ...]]:
    files = ", ".join(f"'{uri}'" for uri in delta.file_uris())
    return duckdb.sql(
        f"""
        select strftime(month, '%Y-%m') as month, flights, hours
        from (
            select date_trunc('month', timezone('{tz}', flight_date)) as month,
                   count(*) as flights, sum(greatest(duration_seconds, 0)) / 3600 as hours
            from read_parquet([{files}]) where valid_to is null group by all
        ) order by month
        """  # noqa: S608
    ).fetchall()


def counting(path: Path) -> bool:
    """Print hours by month beside the engine's own; return whether all are within reach."""
    opened = fk.open_mirror(path)
    delta = DeltaTable(path / "flights", version=opened.mirror.versions["flights"])

    def hours(engine: str, tz: str) -> Any:
        return fk.metrics.flight_hours(opened.scan("flights", engine=engine), by="month", tz=tz)

    print(f"{'hours by month, seconds':<30}{'native':>10}{'fleetkit':>12}{'ratio':>9}")
    ratios = []
    for tz in ("UTC", "Europe/London"):
        ratios += [
            beside(
                f"Polars, {tz}",
                lambda tz=tz: polars_hours(delta, tz).rows(),
                lambda tz=tz: hours("polars", tz).collect().rows(),
            ),
            beside(
                f"DuckDB, {tz}",
                lambda tz=tz: duckdb_hours(delta, tz),
                lambda tz=tz: hours("duckdb", tz).fetchall(),
            ),
        ]
    print(f"to reach: ≤ {RATIO}")
    return max(ratios) <= RATIO


def beside(name: str, native: Callable[[], Any], ours: Callable[[], Any]) -> float:
    """Time two callables in turns, print the best of each and return their ratio."""
    if native() != ours():
        raise SystemExit(f"{name}: the results differ.")
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for side, call in enumerate((native, ours)):
            start = time.perf_counter()
            call()
            best[side] = min(best[side], time.perf_counter() - start)
    ratio = best[1] / best[0]
    print(f"{name:<30}{best[0]:>10.3f}{best[1]:>12.3f}{ratio:>9.2f}", flush=True)
    return ratio


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flights", type=int, default=size(10_000_000, 100 * MONTHS))
    parser.add_argument("--month", default="2026-06")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        measure(*chosen.measure)
        return 0
    path = mirrored(chosen.flights)
    print(f"{chosen.flights:,} flights in {MONTHS} months at {path}")
    kept = opening(path, chosen.month)
    return exit_code(counting(path) and kept)


if __name__ == "__main__":
    sys.exit(main())
