"""The guide to mirrors reads a mirror without fleetkit; what it finds is what fleetkit finds."""

from __future__ import annotations

import re
from contextlib import ExitStack
from datetime import datetime

import pandas as pd
import pytest
from conftest import TINY, a_flight, serving
from manual import MANUAL

import fleetkit as fk
from fleetkit import tables

SECTION = MANUAL.split("## Reading a mirror without fleetkit")[1].split("\n## ")[0]
BLOCKS = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
PINNED = BLOCKS[0]


def block(word: str) -> str:
    """Return the one block of the section that holds a word."""
    (block,) = [text for text in BLOCKS if word in text]
    return block


def sync_twice(path) -> None:
    """Sync a mirror two times, where in between one flight came and one was edited."""
    edited = {**TINY["flights"][0], "durationSeconds": 5400}
    new = a_flight("fl_6", "2026-10-02T09:00:00.000Z", durationSeconds=1200, nonsense="new")
    with ExitStack() as stack:
        served = serving(stack, TINY)
        live = fk.connect(served.base_url, served.api_key, progress=False)
        live.sync(path)
        served.store.load(
            served.organisation,
            flights=[edited, {**new, "updatedAt": "2026-11-01T08:00:00.000Z"}],
            flight_equipment=[("fl_6", "eq_kestrel")],
        )
        with pytest.warns(tables.NotInReference):  # a column that the first sync's files lack
            live.sync(path, full=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readers")
    sync_twice(folder / "mirror")
    return folder


@pytest.fixture
def fleet(folder, monkeypatch):
    """Return a fleet from a mirror of two syncs, which the guide calls ``mirror/``."""
    monkeypatch.chdir(folder)
    return fk.open_mirror("mirror/")


def hours(frame: pd.DataFrame) -> list[tuple[str, int, float | None]]:
    """Return month, flights and hours, counted apart from fleetkit; None where none is recorded."""
    months = frame["flight_date"].dt.strftime("%Y-%m").astype("str")
    seconds = frame["duration_seconds"].clip(lower=0)
    counted = seconds.groupby(months).agg(["size", "count", "sum"])
    return [
        (str(month), int(flights), float(total) / 3600 if recorded else None)
        for month, flights, recorded, total in counted.itertuples()
    ]


def rows(frame: pd.DataFrame) -> list[tuple]:
    """Return the rows as plain values in the order of their ids, instants in UTC."""
    texts = frame.sort_values("flight_id").astype(object)
    return [
        tuple(
            None
            if pd.isna(value)
            else pd.Timestamp(value).tz_localize(None)
            if isinstance(value, datetime)
            else value
            for value in row
        )
        for row in texts.itertuples(index=False)
    ]


def same(actual: pd.DataFrame, fleet: fk.Fleet) -> None:
    expected = fleet.flights()
    assert rows(actual[expected.columns]) == rows(expected)
    counted = fk.metrics.flight_hours(expected, by="month")
    plain = counted.astype(object).where(counted.notna(), None)
    assert hours(actual) == list(plain.itertuples(index=False, name=None))


@pytest.mark.slow
def test_polars_reads_the_current_flights(fleet):
    names = {}
    exec(PINNED + block("pl.scan_delta"), names)  # noqa: S102 - our own README
    same(names["current"].collect().to_pandas(), fleet)


@pytest.mark.slow
def test_duckdb_reads_the_current_flights(fleet):
    names = {}
    exec(PINNED + block("import duckdb"), names)  # noqa: S102
    names["duckdb"].execute("set timezone = 'UTC'")
    same(names["current"].df(), fleet)


@pytest.mark.slow
def test_duckdb_reads_an_earlier_state(fleet):
    names = {}
    exec(PINNED + block("import duckdb") + block("earlier"), names)  # noqa: S102
    names["duckdb"].execute("set timezone = 'UTC'")
    same(names["before"].df(), fk.open_mirror("mirror/", version=1))
    assert hours(names["before"].df()) != hours(names["current"].df())


@pytest.mark.slow
def test_a_dask_cluster_reads_the_current_flights(fleet):
    from dask.distributed import Client, LocalCluster

    names = {}
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        exec(PINNED + block("dask"), names)  # noqa: S102
        same(names["current"].compute(), fleet)
