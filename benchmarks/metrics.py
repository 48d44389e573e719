"""A metric through Narwhals beside the same metric written natively, in one run.

    python benchmarks/metrics.py [flights]

Prints CPU seconds (best of five, taken in turns) and the ratio, for pandas, Polars and DuckDB. Both
sides move instants into a time zone; ours also finds out first whether the flight dates are dates.
By months pandas costs 1.5, the others at most 1.1.
"""

from __future__ import annotations

import sys
import time

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from _sizes import exit_code, size

from fleetkit import metrics
from fleetkit.schema import FLIGHT_TYPES

TZ = "Europe/London"
FLIGHTS = size(2_000_000, 5_000)
EQUIPMENT = 500
ROUNDS = 5
# Ours ÷ native.
REACH = 1.3


def tables(count: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return flights of 30 months and a bridge in which every fifth flight has a camera too."""
    rng = np.random.default_rng(7)
    seconds = rng.integers(0, 912 * 86_400, count)
    flights = pd.DataFrame(
        {
            "flight_id": pd.Series([f"fl_{number}" for number in range(count)], dtype="str"),
            "flight_date": pd.Series(
                pd.Timestamp("2024-05-01", tz="UTC") + pd.to_timedelta(seconds, unit="s")
            ).astype("datetime64[us, UTC]"),
            "flight_type": pd.Categorical(
                rng.choice(FLIGHT_TYPES, count, p=[0.7, 0.05, 0.15, 0.1]),
                FLIGHT_TYPES,
                ordered=True,
            ),
            "duration_seconds": pd.array(rng.integers(-10, 3_000, count), dtype="Int64"),
        }
    )
    flown = pd.DataFrame(
        {
            "flight_id": flights["flight_id"],
            "equipment_id": pd.Series(rng.integers(0, EQUIPMENT, count)).map("eq_{}".format),
        }
    )
    cameras = pd.DataFrame({"flight_id": flights["flight_id"][::5], "equipment_id": "eq_camera"})
    return flights, pd.concat([flown, cameras], ignore_index=True).astype("str")


def pandas_months(flights: pd.DataFrame) -> pd.DataFrame:
    local = flights["flight_date"].dt.tz_convert(TZ).dt.tz_localize(None)
    keyed = flights[["flight_type"]].assign(
        month=local.dt.to_period("M"), seconds=flights["duration_seconds"].clip(lower=0)
    )
    grouped = keyed.groupby(["month", "flight_type"], observed=True, dropna=False)
    result = grouped.agg(flights=("seconds", "size"), hours=("seconds", "sum")).reset_index()
    return result.assign(month=result["month"].astype("str"), hours=result["hours"] / 3600)


def pandas_equipment(flights: pd.DataFrame, bridge: pd.DataFrame) -> pd.DataFrame:
    seconds = flights[["flight_id"]].assign(seconds=flights["duration_seconds"].clip(lower=0))
    grouped = seconds.merge(bridge, on="flight_id", how="left").groupby(
        "equipment_id", dropna=False
    )
    result = grouped.agg(flights=("seconds", "size"), hours=("seconds", "sum")).reset_index()
    return result.assign(hours=result["hours"] / 3600)


def polars_months(flights: pl.DataFrame) -> pl.DataFrame:
    local = pl.col("flight_date").dt.convert_time_zone(TZ).dt.replace_time_zone(None)
    return (
        flights.lazy()
        .group_by(local.dt.truncate("1mo").alias("month"), "flight_type")
        .agg(pl.len().alias("flights"), pl.col("duration_seconds").clip(0).sum() / 3600)
        .with_columns(pl.col("month").dt.to_string("%Y-%m"))
        .sort("month", "flight_type")
        .collect()
    )


def polars_equipment(flights: pl.DataFrame, bridge: pl.DataFrame) -> pl.DataFrame:
    return (
        flights.lazy()
        .join(bridge.lazy(), on="flight_id", how="left")
        .group_by("equipment_id")
        .agg(pl.len().alias("flights"), pl.col("duration_seconds").clip(0).sum() / 3600)
        .sort("equipment_id")
        .collect()
    )


def duckdb_months(connection: duckdb.DuckDBPyConnection) -> pa.Table:
    return connection.sql(
        f"""
        select strftime(date_trunc('month', timezone('{TZ}', flight_date)), '%Y-%m') as month,
               flight_type, count(*) as flights,
               sum(greatest(duration_seconds, 0)) / 3600 as hours
        from flights group by all order by all
        """  # noqa: S608
    ).to_arrow_table()


def duckdb_equipment(connection: duckdb.DuckDBPyConnection) -> pa.Table:
    return connection.sql(
        """
        select equipment_id, count(*) as flights,
               sum(greatest(duration_seconds, 0)) / 3600 as hours
        from flights left join bridge using (flight_id) group by all order by all
        """
    ).to_arrow_table()


def beside(name: str, native, ours) -> float:
    """Time two callables in turns, print the best of each, and return their ratio."""
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for side, call in enumerate((native, ours)):
            start = time.process_time()
            call()
            best[side] = min(best[side], time.process_time() - start)
    ratio = best[1] / best[0]
    print(f"{name:<30}{best[0]:>10.3f}{best[1]:>12.3f}{ratio:>9.2f}", flush=True)
    return ratio


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else FLIGHTS
    flights, bridge = tables(count)
    print(f"{count:,} flights, CPU seconds {'native':>10}{'fleetkit':>12}{'ratio':>9}")

    def by_months(frame):
        return metrics.flight_hours(frame, by=["month", "flight_type"], tz=TZ)

    def by_equipment(frame, pairs):
        return metrics.flight_hours(frame, by="equipment", bridge=pairs)

    polars = pl.from_pandas(flights), pl.from_pandas(bridge)
    connection = duckdb.connect()
    for name, frame in (("flights", flights), ("bridge", bridge)):
        connection.register("given", pa.Table.from_pandas(frame, preserve_index=False))
        connection.execute(f"create table {name} as select * from given")  # noqa: S608
    relations = connection.table("flights"), connection.table("bridge")
    pairs = {
        "pandas, month × type": (lambda: pandas_months(flights), lambda: by_months(flights)),
        "pandas, equipment": (
            lambda: pandas_equipment(flights, bridge),
            lambda: by_equipment(flights, bridge),
        ),
        "Polars, month × type": (lambda: polars_months(polars[0]), lambda: by_months(polars[0])),
        "Polars, equipment": (lambda: polars_equipment(*polars), lambda: by_equipment(*polars)),
        "DuckDB, month × type": (
            lambda: duckdb_months(connection),
            lambda: by_months(relations[0]).to_arrow_table(),
        ),
        "DuckDB, equipment": (
            lambda: duckdb_equipment(connection),
            lambda: by_equipment(*relations).to_arrow_table(),
        ),
    }
    most = max(beside(name, *ways) for name, ways in pairs.items())
    print(f"at most {most:.2f} (to reach: ≤ {REACH})")
    return exit_code(most <= REACH)


if __name__ == "__main__":
    sys.exit(main())
