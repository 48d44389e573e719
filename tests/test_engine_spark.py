"""Spark, whatever its session's zone: of a session, and of one by its address.

All that needs Spark is here: one takes a dozen seconds to start.
"""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import lacking
from deltalake import DeltaTable
from five_flights import days
from test_engines import METRICS, bridge, equipment, flights, in_pandas, plain, projects
from test_fleet_engines import same_tables
from test_readme_engines import PINNED, block, same, sync_twice

import fleetkit as fk
from fleetkit.clusters import spark_session
from fleetkit.mirror import scanning

pytestmark = pytest.mark.slow

NEW_YORK = "America/New_York"
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # For a few rows, compiling a query and planning it well take longer than running it.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.lightweightPlanChangeValidation": "false",
    # Where in Python each column was made, which errors of Spark would say.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    # As does verifying its classes, which come from the package index unchanged.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote",
    # Of a master no task begins before both executors are there.
    "spark.cores.max": "2",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "200s",
    "spark.sql.shuffle.partitions": "2",
}
# Of these fleetkit has its own for a Spark within this process.
OWN = ("spark.driver.host", "spark.driver.bindAddress", "spark.ui.enabled")
SETTINGS["spark.executor.extraJavaOptions"] = SETTINGS["spark.driver.extraJavaOptions"]


@pytest.fixture(scope="module")
def machine() -> Any:
    """Start the one Java in which everything here runs but executors: sessions, and a master."""
    if shutil.which("java") is None:
        lacking("Java")
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized(conf=SparkConf(False).setAll(SETTINGS.items()))
    return SparkContext


@pytest.fixture(scope="module")
def port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@pytest.fixture(scope="module")
def spark(machine, port) -> Iterator[Any]:
    """Start a small Spark on this machine alone, for Spark Connect too."""
    settings = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.sql.session.timeZone": NEW_YORK,
        "spark.sql.shuffle.partitions": "1",
    }
    properties = machine._jvm.java.lang.System
    for name in OWN:
        properties.clearProperty(name)
    for name, value in settings.items():
        properties.setProperty(name, value)
    session = spark_session("local[1]")
    for name in settings.keys() - SETTINGS.keys():
        properties.clearProperty(name)
    for name in (*OWN, *(settings.keys() & SETTINGS.keys())):
        properties.setProperty(name, SETTINGS[name])
    yield session
    session.stop()


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


@pytest.fixture
def synced(tmp_path, monkeypatch):
    """Return a fleet from a mirror of two syncs, which the guide calls ``mirror/``."""
    monkeypatch.chdir(tmp_path)
    sync_twice("mirror/")
    return fk.open_mirror("mirror/")


@pytest.fixture
def master(machine, tmp_path) -> Iterator[str]:
    """Run a master and two workers of one processor each; return its address.

    They run in the Java that is there: what they start are processes of their own.
    """
    jvm = machine._jvm
    deploy, none = jvm.org.apache.spark.deploy, jvm.scala.Option.empty()
    conf = jvm.org.apache.spark.SparkConf(False)
    leading = deploy.master.Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, conf)._1()
    addresses = machine._gateway.new_array(jvm.String, 1)
    addresses[0] = leading.address().toSparkURL()
    of_all = (1, 600, addresses, str(tmp_path / "work"), none, conf, none)
    workers = [
        deploy.worker.Worker.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, *of_all) for _ in range(2)
    ]
    yield addresses[0]
    for endpoint in (*workers, leading):
        endpoint.shutdown()


# A process drives one Spark at a time: this one comes before the session that the others share.
def test_two_executors_of_a_master_count_what_pandas_counts(fleet, master):
    flights = fleet.flights("2026-10", engine=master)
    try:
        hours = fk.metrics.collect(fk.metrics.flight_hours(flights, by="pilot", tz=fleet.tz))
        status = flights.sparkSession.sparkContext._jsc.sc().statusTracker()
        ports = {process.port() for process in status.getExecutorInfos()}
    finally:
        flights.sparkSession.stop()
    assert len(ports) == 3  # two, and the driver
    expected = fk.metrics.flight_hours(fleet.flights("2026-10"), by="pilot")
    pd.testing.assert_frame_equal(hours, expected)
    assert hours["flights"].sum() == len(fleet.flights("2026-10")) > 0


@pytest.mark.parametrize("name", METRICS)
def test_spark_gives_what_pandas_gives(frames, name):
    result = fk.metrics.collect(METRICS[name](*frames))
    pd.testing.assert_frame_equal(
        plain(result), in_pandas(name), check_dtype=False, check_column_type=False
    )


def test_spark_selects_what_pandas_selects_of_a_mirror_and_of_a_service(fleet, tiny, spark):
    live = fk.connect(tiny.base_url, tiny.api_key, progress=False, tz="Europe/Oslo")
    left_out = {"type": fk.excluding("CAMERA"), "pilot": fk.excluding("prof_ada")}
    of_others = {"client": fk.excluding("Lyngfjord Nett"), "flight_type": fk.excluding("TRAINING")}
    for whole in (fleet, live):
        for chosen in ({"type": "DRONE", "night": False}, left_out, of_others):
            same_tables(whole.where(**chosen), None, spark)


def test_spark_reads_the_current_flights_as_the_guide_says(synced, spark):
    names = {}
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    try:
        exec(PINNED + block("SparkSession"), names)  # noqa: S102 - our own guide
        same(names["current"].toPandas(), synced)
    finally:
        spark.conf.set("spark.sql.session.timeZone", NEW_YORK)


def test_spark_counts_what_pandas_counts_of_a_mirror(synced, spark):
    # fl_3 is of Sunday, 1 November there, which to Spark is the weekday 0.
    keys = (
        ("month", "UTC"),
        (["day", "flight_type"], "Europe/Berlin"),
        ("weekday", "Europe/Berlin"),
    )
    for by, tz in keys:
        frame = synced.scan("flights", engine=spark)
        hours = fk.metrics.flight_hours(frame, by=by, tz=tz)
        assert type(hours) is type(frame)
        expected = fk.metrics.flight_hours(synced.flights(), by=by, tz=tz)
        rows = expected.astype(object).where(expected.notna(), None)  # as Spark writes a null
        assert [tuple(row) for row in hours.collect()] == list(
            rows.itertuples(index=False, name=None)
        )


def test_the_week_that_a_year_begins_in_is_one_week_to_spark(spark):
    week = pd.date_range("2025-12-29T12:00", periods=7, tz="UTC", unit="us")  # from a Monday on
    flown = flights().iloc[[0] * 7].assign(flight_id=list("abcdefg"), flight_date=week)
    hours = fk.metrics.flight_hours(spark.createDataFrame(flown), by="week")
    assert [(row["week"], row["flights"]) for row in hours.collect()] == [("2026-W01", 7)]


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


def test_a_spark_within_this_process_shows_and_lends_nothing_to_other_machines(spark):
    context = spark.sparkContext
    hosts = [context.getConf().get(f"spark.driver.{name}") for name in ("host", "bindAddress")]
    assert (context.uiWebUrl, hosts) == (None, ["127.0.0.1"] * 2)


def test_a_master_that_this_process_drives_is_used_and_another_one_is_refused(fleet, spark):
    assert fleet.equipment(engine="local[1]").sparkSession is spark
    with pytest.raises(fk.ClusterError, match=r"drives a Spark at local\[1\] already"):
        fleet.equipment(engine="local[3]")


def test_a_filter_names_the_column_that_a_frame_of_spark_lacks(spark, address):
    for session in (spark, spark_session(address)):
        frame = session.createDataFrame(flights()[["flight_id"]])
        with pytest.raises(fk.InvalidValue, match=r"lacks pilot_id\. It has: flight_id\. Pass"):
            fk.Filter(pilot="prof_1").of_flights(frame)


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
    table = DeltaTable(Path(fleet.mirror.path, "equipment"))
    rows = scanning.Rows(table, scanning.live_files(table), place, ())
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
