"""A mirror as a lazy frame of another engine: the rows that pandas reads, of the pinned state."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from functools import partial

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake
from processes import pickled
from test_mirror import a_flight, frames_of, write

import fleetkit as fk
from fleetkit import mirror, schema, tables
from fleetkit.engines import to_arrow
from fleetkit.metrics import flight_hours, night_and_bvlos, pilots

pytestmark = pytest.mark.slow

KINDS = {"polars": "LazyFrame", "duckdb": "DuckDBPyRelation", "dask": "DataFrame"}
EACH_ENGINE = pytest.mark.parametrize("engine", KINDS)
# One for each kind of column; test_engines.py has every metric.
METRICS = {
    "day and type": partial(flight_hours, by=["day", "flight_type"], tz="Europe/Berlin"),
    "night_and_bvlos": night_and_bvlos,
    "pilots": pilots,
}
OCTOBER = datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC)
FLIGHTS = [
    a_flight(1, "2026-10-01T09:00:00Z", pilotInCommand={"id": "prof_a", "fullName": "Ada"}),
    a_flight(2, "2026-09-30T23:30:00Z", flightType="TRAINING", nightFlight=True),
    a_flight(3, None, durationSeconds=None),
    a_flight(4, "2026-11-01", flightType="COMMERCIAL", bvlos=True),
]


def plain(frame) -> pd.DataFrame:
    """Return a lazy frame as pandas, sorted by its first columns, instants in UTC."""
    collected = nw.from_native(frame).lazy().collect("pandas").to_native()
    for name, column in collected.items():
        if isinstance(column.dtype, pd.DatetimeTZDtype):
            collected[name] = column.dt.tz_convert("UTC")
        elif isinstance(column.dtype, pd.CategoricalDtype):
            collected[name] = column.astype("str")
        elif column.dtype == object:  # a column of nulls alone, or of truths with nulls
            collected[name] = column.astype(
                "boolean" if column.dropna().isin([True, False]).any() else "str"
            )
    return collected.sort_values(list(collected.columns[:2]), ignore_index=True)


def same(actual, expected: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(
        plain(actual), plain(expected), check_dtype=False, check_column_type=False
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mirror of ours"  # engines differ in what they make of a space


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Return a mirror of FLIGHTS, the same for all tests: none may change it."""
    path = tmp_path_factory.mktemp("opened") / "mirror of ours"
    write(path, frames_of(FLIGHTS, [{"id": "p", "status": "DRAFT"}], detail=True))
    return mirror.open(path)


@EACH_ENGINE
def test_every_table_is_what_pandas_reads(opened, engine):
    for name in schema.TABLES:
        same(opened.scan(name, engine), opened.table(name))


@EACH_ENGINE
def test_columns_have_the_kinds_of_the_contract(opened, engine):
    frame = nw.from_native(opened.scan("flights", engine))
    assert type(frame.to_native()).__name__ == KINDS[engine]
    kinds = frame.collect_schema()
    zone = kinds["flight_date"].time_zone if engine == "duckdb" else "UTC"  # it shows the machine's
    assert kinds["flight_date"] == nw.Datetime("us", zone)
    assert zone is not None
    assert kinds["duration_seconds"] == nw.Int64
    assert kinds["max_altitude"] == nw.Float64
    assert kinds["bvlos"] == nw.Boolean
    assert kinds["flight_type"] == nw.String


@EACH_ENGINE
def test_a_metric_over_a_scan_gives_what_pandas_gives(opened, engine):
    for metric in METRICS.values():
        scanned = opened.scan("flights", engine)
        frame = metric(scanned)
        assert type(frame) is type(scanned)
        same(frame, metric(opened.table("flights")))


def test_every_earlier_version_can_be_scanned(path):
    write(path, frames_of(FLIGHTS))
    with pytest.warns(tables.NotInReference):  # files from before the column was there lack it
        write(path, frames_of([a_flight(1, "2026-12-01", cells="6S"), *FLIGHTS[1:3]]))
    write(path, frames_of(FLIGHTS[1:]))
    for version in (1, 2, 3):
        opened = mirror.open(path, version=version)
        read = opened.table("flights")
        for engine in KINDS:
            frame = plain(opened.scan("flights", engine))
            assert list(frame.columns) == list(read.columns)
            known = frame.drop(columns="cells", errors="ignore")
            same(known, read[list(tables.empty("flights").columns)])
            if version == 2:
                assert frame["cells"].tolist()[0] == "6S"


def test_a_field_that_the_reference_does_not_know_is_what_pandas_has(path):
    first = {"wind": "strong", "isDry": True, "validFrom": "dawn"}
    for flights in (
        [a_flight(1, **first), a_flight(2, wind=2, rowHash=7)],
        [a_flight(1, **{**first, "wind": 1.5}), a_flight(2, wind=2)],
    ):
        with pytest.warns(tables.NotInReference):
            write(path, frames_of(flights))
    fleet = fk.open_mirror(path)
    for engine in KINDS:
        flights = nw.from_native(fleet.flights(engine=engine))
        shown = plain(flights)[["is_dry", "valid_from", "wind"]]
        assert shown.iloc[0].tolist() == [True, "dawn", 1.5]
        # What the first flight's field was before is no number, and not looked at.
        assert plain(flights.filter(nw.col("wind") > 1.7))["flight_id"].tolist() == ["fl_2"]
        before = plain(fleet.at(1).flights(engine=engine))
        assert before["wind"].tolist() == ["strong", "2"]
        assert before["row_hash"].dropna().tolist() == [7]
        restored = fleet.mirror.restored("flights", to_arrow(flights)).sort_values("flight_id")
        pd.testing.assert_frame_equal(restored, fleet.mirror.table("flights"))


def test_texts_are_compared_also_in_files_that_an_edit_wrote(path):
    write(path, frames_of(FLIGHTS))
    edited = a_flight(1, "2026-10-01T09:00:00Z", flightType="TRAINING")
    write(path, frames_of([edited, *FLIGHTS[1:]]))
    training = fk.open_mirror(path).where(flight_type="TRAINING")
    for engine in KINDS:
        assert plain(training.flights(engine=engine))["flight_id"].tolist() == ["fl_1", "fl_2"]
        of_drone = training.where(equipment="eq_1").flight_equipment(engine=engine)
        assert plain(of_drone)["flight_id"].tolist() == ["fl_1", "fl_2"]


def test_what_a_sync_that_never_finished_left_is_not_scanned(path):
    write(path, frames_of(FLIGHTS))
    table = DeltaTable(path / "flights")
    write_deltalake(table, table.to_pyarrow_table(), mode="append")
    for engine in KINDS:
        assert len(plain(mirror.open(path).scan("flights", engine))) == 4


def test_a_scan_stays_what_it_was_while_others_sync(path):
    write(path, frames_of(FLIGHTS))
    scanned = [mirror.open(path).scan("flights", engine) for engine in KINDS]
    write(path, frames_of([a_flight(9)]))
    for frame in scanned:
        assert plain(frame)["flight_id"].tolist() == ["fl_1", "fl_2", "fl_3", "fl_4"]


def test_flights_are_scanned_by_month_with_exact_ends(path):
    write(path, frames_of([*FLIGHTS, a_flight(5, "2026-10-31T23:59:59.999Z")]))
    opened = mirror.open(path)
    for engine in KINDS:
        october = plain(opened.scan("flights", engine, *OCTOBER))
        assert october["flight_id"].tolist() == ["fl_1", "fl_5"]
        since = plain(opened.scan("flights", engine, since=OCTOBER[0]))
        assert since["flight_id"].tolist() == ["fl_1", "fl_4", "fl_5"]
        until = plain(opened.scan("flights", engine, until=datetime(2026, 10, 1)))
        assert until["flight_id"].tolist() == ["fl_2"]


def test_a_flight_at_the_start_is_in_and_one_at_the_end_is_out(path):
    write(
        path, frames_of([a_flight(1, "2026-10-10T12:00:00Z"), a_flight(2, "2026-10-20T12:00:00Z")])
    )
    opened = mirror.open(path)
    ends = datetime(2026, 10, 10, 12, tzinfo=UTC), datetime(2026, 10, 20, 12, tzinfo=UTC)
    instant = timedelta(microseconds=1)
    for since, until, expected in (
        (*ends, ["fl_1"]),
        (ends[0] + instant, ends[1] + instant, ["fl_2"]),
        (ends[0], None, ["fl_1", "fl_2"]),
        (ends[1], None, ["fl_2"]),
        (None, ends[1], ["fl_1"]),
        (None, ends[0], []),
    ):
        for engine in KINDS:
            scanned = opened.scan("flights", engine, since, until)
            assert plain(scanned)["flight_id"].tolist() == expected
        assert opened.table("flights", since, until)["flight_id"].tolist() == expected
        assert opened.flight_dates(since, until).num_rows == len(expected)
        assert opened.history("flights", since, until)["flight_id"].tolist() == expected


def test_an_end_at_a_month_s_first_moment_leaves_that_month_unread(path):
    write(path, frames_of([a_flight(1, "2026-09-30T23:59:59.999Z"), a_flight(2, "2026-10-01")]))
    opened = mirror.open(path)
    for name in ("flights", "flight_equipment"):
        for engine in KINDS:
            frame = plain(opened.scan(name, engine, until=OCTOBER[0]))
            assert frame["flight_id"].tolist() == ["fl_1"]
        assert opened.table(name, until=OCTOBER[0])["flight_id"].tolist() == ["fl_1"]
        later = opened.table(name, until=OCTOBER[0] + timedelta(microseconds=1))
        assert later["flight_id"].tolist() == ["fl_1", "fl_2"]


def test_a_row_without_a_column_that_came_later_is_found_by_its_null(path):
    write(path, frames_of(FLIGHTS[:2]))
    write(path, frames_of([*FLIGHTS[:2], a_flight(9, "2026-10-02", cells="6S")]))
    for engine in KINDS:
        scanned = nw.from_native(mirror.open(path).scan("flights", engine))
        frame = plain(scanned.filter(nw.col("cells").is_null()).to_native())
        assert frame["flight_id"].tolist() == ["fl_1", "fl_2"]


@EACH_ENGINE
def test_the_bridge_is_scanned_by_the_months_of_its_flights(opened, engine):
    october = opened.scan("flight_equipment", engine, OCTOBER[0], datetime(2026, 10, 31))
    assert plain(october)["flight_id"].tolist() == ["fl_1"]


def test_only_the_months_in_question_are_scanned(path):
    write(path, frames_of(FLIGHTS))
    for file in (path / "flights" / "flight_month=2026-09").rglob("*.parquet"):
        file.unlink()
    for engine in KINDS:
        assert len(plain(mirror.open(path).scan("flights", engine, since=OCTOBER[0]))) == 2


def test_an_empty_table_gives_no_rows(path):
    write(path, {name: tables.empty(name) for name in schema.TABLES})
    for engine in KINDS:
        scanned = mirror.open(path).scan("flights", engine)
        same(flight_hours(scanned, by="month"), flight_hours(tables.empty("flights"), by="month"))


def test_an_object_store_is_scanned_too(bucket):
    write(f"{bucket}/mirror", frames_of(FLIGHTS))
    opened = mirror.open(f"{bucket}/mirror")
    for engine in KINDS:
        same(opened.scan("flights", engine, *OCTOBER), opened.table("flights", *OCTOBER))


def test_a_duckdb_connection_of_one_s_own_joins_two_tables(opened):
    with duckdb.connect() as connection:
        flights, bridge = (
            opened.scan(name, connection) for name in ("flights", "flight_equipment")
        )
        frame = flight_hours(flights, by="equipment", bridge=bridge)
        assert frame.fetchall() == [("eq_1", 4, 0.5)]


@pytest.mark.parametrize("engine", ["duckdb", "dask"])
def test_the_files_of_a_folder_are_read_without_python(opened, engine, monkeypatch):
    """Where it ends while a thread of Arrow's calls Python, a process crashes or hangs."""
    expected = opened.table("flights")
    monkeypatch.delattr("deltalake.fs.DeltaStorageHandler.open_input_file")
    same(opened.scan("flights", engine), expected)


def test_a_fleet_from_a_mirror_is_scanned(path):
    write(path, frames_of(FLIGHTS))
    fleet = fk.open_mirror(path)
    frame = flight_hours(fleet.scan("flights"), by="flight_type").collect()
    assert isinstance(frame, pl.DataFrame)
    assert frame["flights"].to_list() == [1, 1, 2]
    training = fleet.where(flight_type="TRAINING").scan("flights")
    assert plain(training)["flight_id"].tolist() == ["fl_2"]
    with pytest.raises(fk.InvalidValue, match="can't be cut by time"):
        fleet.scan("projects", period="2026-10")


def test_a_fleet_whose_tables_were_read_and_scanned_is_pickled_for_other_processes(path):
    write(path, frames_of(FLIGHTS))
    fleet = fk.open_mirror(path)
    fleet.equipment()
    scanned = sorted(plain(fleet.scan("flights"))["flight_id"])
    assert sorted(plain(pickled(fleet).scan("flights"))["flight_id"]) == scanned


def test_a_fleet_scans_a_period_as_it_reads_it(path):
    instants = [a_flight(1, "2026-09-30T22:30:00Z"), a_flight(2, "2026-10-31T23:30:00Z")]
    write(path, frames_of(instants))
    fleet = fk.open_mirror(path, tz="Europe/Oslo")
    for window in ({"period": "2026-10"}, {"since": "2026-10-01", "until": "2026-11-01"}):
        assert plain(fleet.scan("flights", **window))["flight_id"].tolist() == ["fl_1"]
        assert fleet.flights(**window)["flight_id"].tolist() == ["fl_1"]
    write(path, frames_of([a_flight(1, "2026-10-01"), a_flight(2, "2026-11-01")]))
    fleet = fk.open_mirror(path, tz="America/New_York")
    scanned = plain(fleet.scan("flights", period="2026-10"))  # dates are not shifted
    assert scanned["flight_id"].tolist() == ["fl_1"]


def test_a_fleet_that_asks_a_service_can_t_be_scanned(tiny):
    with pytest.raises(fk.InvalidValue, match=r"Only a mirror can be scanned.*open_mirror"):
        fk.connect(tiny.base_url, tiny.api_key).scan("flights")


def test_an_engine_that_nobody_knows_is_refused_in_words(opened):
    for engine in ("pandas", pl.DataFrame(), None):
        with pytest.raises(fk.InvalidValue, match=r"Engines are: polars, duckdb, dask, spark"):
            opened.scan("flights", engine)
    with pytest.raises(fk.InvalidValue, match="'flight' is not a table"):
        opened.scan("flight")
    with pytest.raises(fk.InvalidValue, match="can't be cut by time"):
        opened.scan("projects", since=OCTOBER[0])


@pytest.mark.parametrize("engine", ["polars", "duckdb", "dask", "spark"])
def test_an_engine_that_is_not_installed_is_named_with_its_extra(opened, monkeypatch, engine):
    package = {"spark": "pyspark"}.get(engine, engine)
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(fk.InvalidValue, match=rf'not installed.*"fleetkit\[{engine}\]"'):
        opened.scan("flights", engine)


def test_spark_without_a_session_is_refused_in_words(opened):
    with pytest.raises(fk.InvalidValue, match="No Spark session is active"):
        opened.scan("flights", "spark")
