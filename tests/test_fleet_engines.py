"""A fleet's tables as lazy frames of other engines: the rows that pandas gives, narrowed alike."""

from __future__ import annotations

import dataclasses
import random
import re

import a_young_mirror
import duckdb
import pandas as pd
import polars as pl
import pytest
from conftest import a_flight, flown_by_kestrel
from manual import MANUAL

import fleetkit as fk
from fleetkit import charts

ENGINES = pytest.mark.parametrize("engine", ["polars", "duckdb"])
PERIODS = (None, "2026-10", "2026-Q3", ["2026-01", "2026-05"], "2026-10-05_2026-10-18")


@pytest.fixture(scope="module")
def live():
    return fk.demo(as_of="2026-11-20", equipment=24, flights=400, seed=3, tz="Europe/Oslo")


@pytest.fixture(scope="module")
def mirrored(live, tmp_path_factory):
    whole = tmp_path_factory.mktemp("mirror")
    live.sync(whole)
    young = a_young_mirror.since("2026-01-01", fk.open_mirror(whole), whole / "young")
    return fk.open_mirror(young, tz=live.tz)


def same(actual, expected: pd.DataFrame, *keys: str) -> None:
    """Compare a lazy frame, whose rows are in no order, with pandas'."""
    rows, expected = (
        frame.sort_values(list(keys), ignore_index=True)
        for frame in (fk.metrics.collect(actual), expected)
    )
    assert list(rows.columns) == list(expected.columns)
    for name in rows:
        texts = (
            frame[name].astype(object).where(frame[name].notna()) for frame in (rows, expected)
        )
        pd.testing.assert_series_equal(*texts, check_dtype=False)


def same_tables(fleet: fk.Fleet, period, *engines: str) -> None:
    flights, bridge = fleet.flights(period), fleet.flight_equipment(period)
    for engine in engines:
        same(fleet.flights(period, engine=engine), flights, "flight_id")
        pairs = fleet.flight_equipment(period, engine=engine)
        same(pairs, bridge, "flight_id", "equipment_id")


def random_filters(fleet: fk.Fleet, count: int) -> list[fk.Filter]:
    """Return filters of one to three fields, with values of flights, to select or to leave out.

    First each field alone.
    """
    chance, flights = random.Random(14), fleet.flights()
    equipment, projects = fleet.equipment(), fleet.projects()
    equipment = equipment[equipment["equipment_id"].isin(fleet.flight_equipment()["equipment_id"])]
    projects = projects[projects["project_id"].isin(flights["project_id"])]

    def some(column) -> list[str]:
        values = sorted(column.dropna().astype("str").unique())
        return chance.sample(values, min(len(values), chance.randint(1, 3)))

    fields = {
        "since": lambda: chance.choice(["2026-03-01", "2026-09-30T22:30:00Z"]),
        "until": lambda: chance.choice(["2026-10-18", "2026-06"]),
        "flight_type": lambda: some(flights["flight_type"]),
        "operation_type": lambda: some(flights["operation_type"]),
        "equipment": lambda: some(equipment["equipment_id"]),
        "type": lambda: some(equipment["type"]),
        "category": lambda: some(equipment["category"]),
        "model": lambda: some(equipment["model"]),
        "manufacturer": lambda: some(equipment["manufacturer"]),
        "condition": lambda: some(equipment["condition"]),
        "pilot": lambda: chance.choice([["Unassigned"], some(flights["pilot_id"]), []]),
        "project": lambda: chance.choice(["Unassigned", *flights["project_id"].dropna()]),
        "client": lambda: some(projects["client_account_name"]),
        "status": lambda: some(projects["status"]),
        "night": lambda: chance.choice([True, False, ()]),
        "bvlos": lambda: chance.choice([True, False, "unknown"]),
        "take_off": lambda: (47, -10, chance.choice([55.5, 60]), 25),
    }
    names = list(fields)
    picked = [[name] for name in names] + [
        chance.sample(names, chance.randint(2, 3)) for _ in range(count - len(names))
    ]
    chosen = [fk.Filter(**{name: fields[name]() for name in some_}) for some_ in picked]
    single = map(turned, chosen[: len(names)])
    return [*chosen, *(filter_ for filter_ in single if filter_ not in chosen)]


def turned(chosen: fk.Filter) -> fk.Filter:
    """Return a filter that leaves out the values that a filter selects by, field by field."""
    values = {
        name: fk.excluding(value) if isinstance(value, tuple) and name != "take_off" else value
        for name, value in vars(chosen).items()
        if value != ()
    }
    return fk.Filter(**values)


@pytest.mark.slow
def test_any_filter_selects_in_an_engine_what_it_selects_in_pandas(mirrored):
    of_one_field = len(dataclasses.fields(fk.Filter))
    for number, chosen in enumerate(random_filters(mirrored, 22)):
        fleet = mirrored.where(chosen, allow_empty=True)
        period = PERIODS[number % len(PERIODS)]
        if number < of_one_field:  # it selects some of the flights, and not all
            period = None
            assert 0 < len(fleet.flights()) < len(mirrored.flights()), chosen
        same_tables(fleet, period, "polars", "duckdb")


@pytest.mark.slow
def test_dask_selects_what_pandas_selects(mirrored):
    fleet = mirrored.where(type="DRONE", status=["COMPLETED", "DELIVERED"])
    assert len(fleet.flights("2026-10")) == 4  # of 14
    same(fleet.flights("2026-10", engine="dask"), fleet.flights("2026-10"), "flight_id")


@pytest.mark.slow
def test_dask_selects_the_bridge_of_a_period_that_one_file_holds(mirrored):
    fleet, period = mirrored.where(type="DRONE"), "2026-10-05_2026-10-18"
    bridge = fleet.flight_equipment(period, engine="dask")
    same(bridge, fleet.flight_equipment(period), "flight_id", "equipment_id")


@pytest.mark.slow
def test_dask_counts_under_equipment_what_pandas_does_in_a_narrowed_period(mirrored):
    fleet, period = mirrored.where(type="DRONE"), "2026-10-05_2026-10-18"  # of one file

    def counted(engine):
        flights = fleet.flights(period, engine=engine)
        bridge = fleet.flight_equipment(period, engine=engine)
        return fk.metrics.flight_hours(flights, by=["pilot", "equipment"], bridge=bridge)

    same(counted("dask"), counted("pandas"), "pilot", "equipment")


@pytest.mark.slow
@ENGINES
def test_arguments_of_a_call_narrow_further(mirrored, engine):
    pieces = mirrored.equipment()["equipment_id"].tolist()[:5]
    for arguments in (
        {"flight_type": "TRAINING"},
        {"flight_type": ["TRAINING", "COMMERCIAL"], "equipment": pieces},
        {"since": "2026-10-05", "until": "2026-10-19", "equipment": pieces[0]},
    ):
        frame = mirrored.flights(engine=engine, **arguments)
        same(frame, mirrored.flights(**arguments), "flight_id")
        bridge = mirrored.flight_equipment(engine=engine, **arguments)
        same(bridge, mirrored.flight_equipment(**arguments), "flight_id", "equipment_id")


@pytest.mark.slow
@ENGINES
def test_a_fleet_that_asks_a_service_hands_over_what_it_loaded(live, engine):
    fleet = live.where(type="DRONE")
    same_tables(fleet, "2026-10", engine)
    same(fleet.equipment(engine=engine), fleet.equipment(), "equipment_id")
    drafts = fleet.projects("DRAFT", engine=engine)
    same(drafts, fleet.projects("DRAFT"), "project_id")


@pytest.mark.slow
def test_a_mirror_without_a_record_has_no_row_in_any_engine(serve_records, tmp_path):
    served = serve_records({})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(tmp_path)
    none = fk.open_mirror(tmp_path)
    same_tables(none, None, "polars", "duckdb")
    assert len(none.flights()) == len(none.equipment()) == 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_a_field_that_is_a_number_in_one_month_and_a_text_in_another_is_text_in_both(
    serve_records,
):
    """A field that is null, or not there, in one of the months has the dtype of the other."""
    flights = [
        a_flight("fl_1", "2026-08-11T09:00:00.000Z", cells=6, volts=22.5, dry=True),
        a_flight("fl_2", "2026-08-12T09:00:00.000Z", cells=None, volts=None, dry=None),
        a_flight("fl_3", "2026-10-20T09:00:00.000Z", cells="6S", volts=None),
    ]
    served = serve_records(flown_by_kestrel(flights))
    with fk.connect(served.base_url, served.api_key) as fleet:
        months = ["2026-08", "2026-10"]
        frame = fleet.flights(months, order_by="date_asc")
        engines = [fleet.flights(months, engine=engine) for engine in ("polars", "duckdb")]
    assert frame["cells"].fillna("").tolist() == ["6", "", "6S"]
    assert frame[["cells", "volts", "dry"]].dtypes.astype(str).tolist() == [
        *("str", "float64", "boolean"),
    ]
    for lazy in engines:
        same(lazy, frame, "flight_id")


@pytest.mark.slow
@ENGINES
def test_equipment_projects_and_specifications_are_narrowed_too(mirrored, engine):
    client = mirrored.projects()["client_account_name"].dropna().iloc[0]
    fleet = mirrored.where(type="DRONE", client=client)
    same(fleet.equipment(engine=engine), fleet.equipment(), "equipment_id")
    same(fleet.projects(engine=engine), fleet.projects(), "project_id")
    detailed = fleet.projects(details=True, engine=engine)
    same(detailed, fleet.projects(details=True), "project_id")
    same(fleet.scan("equipment", engine=engine), fleet.equipment(), "equipment_id")
    same(fleet.scan("projects", engine=engine), fleet.projects(details=True), "project_id")
    specifications = fleet.scan("specifications", engine=engine)
    same(specifications, fleet.specifications(), "equipment_id", "name")
    same(fleet.scan("tiers", engine=engine), fleet.tiers(), "service_id", "tier_id")


@pytest.mark.slow
@ENGINES
def test_an_earlier_version_is_narrowed_as_it_was(serve_records, tiny_records, tmp_path, engine):
    served = serve_records(tiny_records)
    fleet = fk.connect(served.base_url, served.api_key)
    fleet.sync(tmp_path / "mirror")
    night = {**tiny_records["flights"][0], "nightFlight": True}  # fl_1, of October
    served.store.load(served.organisation, flights=[night])
    fleet.sync(tmp_path / "mirror", full=True)
    for version, flown in ((1, ["fl_3"]), (2, ["fl_1", "fl_3"])):
        at_night = fk.open_mirror(tmp_path / "mirror", version=version).where(night=True)
        rows = fk.metrics.collect(at_night.flights("2026-10", engine=engine))
        assert sorted(rows["flight_id"]) == flown


@pytest.mark.slow
def test_dates_in_a_filter_are_cut_by_the_calendar_where_flights_have_dates_only(
    serve_records, tiny_records, tmp_path
):
    days = [
        {**flight, "flightDate": flight["flightDate"][:10]} for flight in tiny_records["flights"]
    ]
    served = serve_records({**tiny_records, "flights": days})
    fk.connect(served.base_url, served.api_key).sync(tmp_path / "mirror")
    fleet = fk.open_mirror(tmp_path / "mirror", tz="America/New_York")
    october = fleet.where(since="2026-10-01", until="2026-11-01")
    rows = fk.metrics.collect(october.flights(engine="polars"))
    assert sorted(rows["flight_id"]) == ["fl_1", "fl_2", "fl_3"]
    assert october.flights()["flight_id"].tolist() == ["fl_1", "fl_2", "fl_3"]


@pytest.mark.slow
def test_a_metric_of_an_engine_s_frame_is_collected_for_a_chart(live):
    flights = live.flights("2026-Q3", engine="polars")
    hours = fk.metrics.flight_hours(flights, by=["month", "flight_type"], tz=live.tz)
    assert isinstance(hours, pl.LazyFrame)
    rows = fk.metrics.collect(hours)
    expected = fk.metrics.flight_hours(live.flights("2026-Q3"), by=["month", "flight_type"])
    texts = (frame.astype({"flight_type": "str"}) for frame in (rows, expected))
    pd.testing.assert_frame_equal(*texts, check_dtype=False)
    assert charts.flight_hours(rows).get_ylabel() == charts.flight_hours(expected).get_ylabel()


@pytest.mark.slow
def test_the_readme_s_engine_draws_what_pandas_draws(mirrored):
    section = MANUAL.split("## Other engines")[1].split("\n## ")[0]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    names: dict = {"fk": fk}
    exec(code.replace("mirror/", mirrored.mirror.path), names)  # noqa: S102 - our own README
    expected = fk.metrics.flight_hours(names["drones"].flights(2026), by="month")
    assert fk.metrics.collect(names["hours"]).to_dict("list") == expected.to_dict("list")


def test_what_is_collected_has_the_dtypes_of_pandas_results():
    moment = pd.Timestamp("2026-10-01T09:00Z")
    rows = {
        "n": [1, None],
        "h": [1.5, None],
        "t": ["a", None],
        "b": [True, None],
        "at": [moment] * 2,
    }
    frame = fk.metrics.collect(pl.DataFrame(rows).lazy())
    assert frame.dtypes.astype("str").to_dict() == {
        "n": "Int64",
        "h": "float64",
        "t": "str",
        "b": "boolean",
        "at": "datetime64[us, UTC]",
    }
    assert fk.metrics.collect(duckdb.sql("select 1 as n"))["n"].tolist() == [1]
    assert fk.metrics.collect(frame) is frame
    with pytest.raises(fk.InvalidValue, match="A list is not a frame"):
        fk.metrics.collect([1])


@pytest.mark.slow
def test_what_no_engine_can_do_is_refused_in_words(live):
    with pytest.raises(fk.InvalidValue, match=r"'polras' is not an engine.*polars"):
        live.flights(engine="polras")
    with pytest.raises(fk.InvalidValue, match="rows of a lazy frame are in no order"):
        live.flights(engine="polars", order_by="duration_desc")
    with pytest.raises(fk.NotFound, match="has no equipment 'eq_0'"):
        live.flights("2026-10", equipment="eq_0", engine="polars")
    with pytest.raises(fk.InvalidValue, match="flight type"):
        live.flights(flight_type="TRAINNING", engine="polars")
