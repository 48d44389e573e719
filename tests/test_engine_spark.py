"""Spark, whatever its session's zone: of a session, and of one by its address."""

from __future__ import annotations

import socket
from pathlib import Path

import pandas as pd
import pytest
from deltalake import DeltaTable
from five_flights import days
from test_engines import METRICS, bridge, equipment, flights, plain, projects

import fleetkit as fk
from fleetkit.clusters import spark_session
from fleetkit.mirror import scanning

pytestmark = pytest.mark.slow

NEW_YORK = {"spark.sql.session.timeZone": "America/New_York"}


@pytest.fixture(scope="module")
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@pytest.fixture(scope="module")
def spark_options(port):
    return NEW_YORK | {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }


@pytest.fixture(scope="module")
def address(spark, port):
    """Return the address of the same Spark for Spark Connect."""
    place = f"sc://127.0.0.1:{port}"
    yield place
    spark_session(place).stop()  # before the server: its client would wait for it


@pytest.fixture(scope="module")
def frames(spark):
    tables = [flights(), bridge(), equipment(), projects()]
    return [spark.createDataFrame(table).cache() for table in tables]


@pytest.fixture
def fleet(tmp_path, tiny):
    path = tmp_path / "a mirror"  # with a blank
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as live:
        live.sync(path)
    return fk.open_mirror(path, tz="Europe/Oslo")


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_spark_gives_what_pandas_gives(frames, metric):
    expected = metric(flights(), bridge(), equipment(), projects())
    result = fk.metrics.collect(metric(*frames))
    pd.testing.assert_frame_equal(
        plain(result), plain(expected), check_dtype=False, check_column_type=False
    )


def test_an_address_of_spark_connect_gives_what_pandas_gives(fleet, address):
    rows = fk.metrics.collect(fleet.flights("2026-10", engine=address))
    expected = fleet.flights("2026-10")
    assert rows["flight_date"].sort_values().tolist() == expected["flight_date"].tolist()
    hours = fk.metrics.flight_hours(
        fleet.flights(engine=address), by=["month", "flight_type"], tz=fleet.tz
    )
    expected = fk.metrics.flight_hours(fleet.flights(), by=["month", "flight_type"])
    expected["flight_type"] = expected["flight_type"].astype("str")  # a closed set in pandas alone
    pd.testing.assert_frame_equal(fk.metrics.collect(hours), expected, check_dtype=False)
    tables = (fleet.equipment, fleet.flights, fleet.flight_equipment)
    lazy = fk.metrics.contradictions(*(table(engine=address) for table in tables))
    assert type(lazy).__module__.startswith("pyspark.sql.connect")
    pandas = fk.metrics.contradictions(*(table() for table in tables))
    pd.testing.assert_frame_equal(fk.metrics.collect(lazy), pandas, check_dtype=False)


def test_a_setting_gives_engine_spark_its_address(fleet, address, monkeypatch):
    monkeypatch.setenv("FLEETKIT_SPARK", address)
    again = fk.open_mirror(fleet.mirror.path)
    frame = again.equipment(engine="spark")
    assert type(frame).__module__.startswith("pyspark.sql.connect")
    assert sorted(fk.metrics.collect(frame)["name"]) == ["Camera 1", "Kestrel 1", "Kestrel 2"]


def test_a_day_of_purchase_is_the_same_in_a_session_of_another_zone(spark):
    pieces = equipment().assign(purchase_date=days("2025-10-31").iloc[0], purchase_cost=3650.0)
    frames = (spark.createDataFrame(table) for table in (pieces, flights(), bridge()))
    values = fk.metrics.collect(fk.metrics.age_and_value(*frames, "2026-10-31"))
    assert values["age_years"].tolist() == [1.0] * 4  # to the day: from 30 October it'd be more
    assert values["purchase_date"].unique().tolist() == [pd.Timestamp("2025-10-31", tz="UTC")]


def test_a_master_that_this_process_drives_is_used_and_another_one_is_refused(fleet, spark):
    assert fleet.equipment(engine="local[2]").sparkSession is spark
    with pytest.raises(fk.ClusterError, match=r"drives a Spark at local\[2\] already"):
        fleet.equipment(engine="local[3]")


def test_an_address_where_nothing_answers_is_one_line(fleet):
    with pytest.raises(fk.ClusterError, match=r"Spark at sc://127.0.0.1:9 can't be reached: .*ref"):
        fleet.flights(engine="sc://127.0.0.1:9")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("/nowhere", r"its files are not there\. Its machines must reach"),
        ("s3://bucket/mirror", r"no library for such an object store\. Give it one"),
    ],
)
def test_files_that_spark_cannot_find_or_open_are_one_line_with_what_to_do(
    fleet, spark, address, place, message
):
    rows = scanning.Rows(DeltaTable(Path(fleet.mirror.path, "equipment")), place, ())
    for engine in (spark, address):
        with pytest.raises(fk.ClusterError, match=message):
            scanning.scan(rows, engine)


def test_a_file_that_vanishes_while_spark_counts_is_one_line(fleet, address, spark):
    for engine in (spark, address):
        frame = fleet.flights("2026-10", engine=engine)
        (month,) = Path(fleet.mirror.path, "flights").glob("flight_month=2026-10")
        month.rename(month.with_name("gone"))
        with pytest.raises(fk.ClusterError, match="Spark can't read the mirror's files"):
            fk.metrics.collect(frame)
        month.with_name("gone").rename(month)
