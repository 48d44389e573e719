"""What people hand over works, or is answered in words: never a deep traceback, never silence."""

import copy
import pickle
import re
import warnings
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path

import five_flights
import numpy as np
import pandas as pd
import polars as pl
import pytest

import fleetkit as fk
from fleetkit import metrics, settings
from fleetkit.errors import FleetkitError
from fleetkit.fleet.window import windows
from fleetkit.settings import PDRA01

OCTOBER = ["fl_1", "fl_2", "fl_3"]
NOVEMBER = ["fl_4"]
SEPTEMBER = ["fl_5"]


@pytest.fixture(scope="module")
def fleet():
    from contextlib import ExitStack

    from conftest import TINY, serving

    with ExitStack() as stack:
        served = serving(stack, TINY)
        yield stack.enter_context(fk.connect(served.base_url, served.api_key, progress=False))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("period", "expected"),
    [
        (2026, SEPTEMBER + OCTOBER + NOVEMBER),
        (np.int64(2026), SEPTEMBER + OCTOBER + NOVEMBER),
        (2025, []),
        (["2026-10", "2026-11"], OCTOBER + NOVEMBER),
        (("2026-11", "2026-10"), OCTOBER + NOVEMBER),
        (["2026-09", "2026-11"], SEPTEMBER + NOVEMBER),
        (["2026-10", "2026-Q4", "2026-10-15"], OCTOBER + NOVEMBER),
        (pd.Series(["2026-10"]), OCTOBER),
        ((month for month in ["2026-10"]), OCTOBER),
        (pd.period_range("2026-09", "2026-10", freq="M"), SEPTEMBER + OCTOBER),
        (pd.date_range("2026-10-14", "2026-10-15"), ["fl_2"]),
        (pd.Period("2026-10"), OCTOBER),
        (pd.Timestamp("2026-10-15"), ["fl_2"]),
        (date(2026, 10, 15), ["fl_2"]),
        (np.datetime64("2026-10"), OCTOBER),
        (np.datetime64("2026-10-15"), ["fl_2"]),
    ],
)
def test_a_period_may_be_written_as_people_write_it(fleet, period, expected):
    assert fleet.flights(period)["flight_id"].tolist() == expected


@pytest.mark.parametrize("table", ["flights", "flight_equipment"])
def test_two_ends_need_no_names(fleet, table):
    read = getattr(fleet, table)
    named = read(since="2026-10-05", until="2026-10-19")
    assert 0 < len(named) < len(read("2026-10"))
    assert read("2026-10-05", "2026-10-19").equals(named)
    assert read(date(2026, 10, 5), until=date(2026, 10, 19)).equals(named)


@pytest.mark.slow
def test_flights_of_several_periods_are_one_table_like_any_other(fleet):
    parts = fleet.flights(["2026-09", "2026-11"], order_by="date_desc")
    assert parts["flight_id"].tolist() == NOVEMBER + SEPTEMBER
    whole = fleet.flights()
    assert parts.dtypes.equals(whole.dtypes)
    assert parts.attrs == whole.attrs
    bridge = fleet.flight_equipment(["2026-09", "2026-11"])
    assert set(bridge["flight_id"]) == {*SEPTEMBER, *NOVEMBER}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"period": True}, "True is not a valid period"),
        ({"period": 202610}, "'202610' is not a valid period"),
        ({"period": []}, "list of periods is empty"),
        ({"period": {"month": "2026-10"}}, "A dict is not a period"),
        ({"period": pd.DataFrame({"a": [1]})}, "A DataFrame is not a period"),
        ({"period": pd.Timestamp("2026-10-15 06:00")}, "is a moment, not a period"),
        (
            {"period": pd.date_range("2026-09", "2026-10", freq="MS")},
            r'period_range\(…, freq="M"\)',
        ),
        ({"period": pd.date_range("2026", periods=2, freq="W")}, r'…, freq="W"\)'),
        ({"period": ["2026-10", "October"]}, "'October' is not a valid period"),
        ({"period": ["2026-10"], "until": "2026-11"}, "a list of periods, or"),
        ({"period": ["2026-10"], "since": "2026-11"}, "a list of periods, or"),
        ({"period": timedelta(1)}, "is not a valid period"),
        ({"since": pd.NaT}, "NaT is not a date or time"),
        ({"until": ["2026-10"]}, "is not a date or time"),
        ({"flight_type": "training"}, "Did you mean TRAINING"),
        ({"flight_type": ["TRAINING", "FERRY"]}, "'FERRY' is not a flight type"),
        ({"order_by": "dat_asc"}, "Did you mean date_asc"),
        ({"equipment": 1}, "1 is not a text, nor a list of texts, for equipment"),
        ({"equipment": [None]}, "holds None"),
        ({"equipment": pd.Series([], dtype="str")}, "names no equipment"),
        ({"equipment": pd.DataFrame({"name": ["x"]})}, "DataFrame without equipment_id"),
    ],
)
def test_what_can_not_be_meant_is_answered_in_words(fleet, arguments, says):
    with pytest.raises(fk.InvalidValue, match=says):
        fleet.flights(**arguments)


def test_equipment_may_be_a_column_a_table_a_row_or_an_array(fleet):
    cameras = fleet.where(type="CAMERA").equipment()
    for given in (
        cameras["equipment_id"],
        cameras,
        cameras.iloc[0],
        fleet.equipment_by_id("eq_camera"),
        cameras["equipment_id"].to_numpy(),
        pd.Index(["eq_camera", "eq_camera"]),
        cameras["equipment_id"].astype("category"),
        {"eq_camera"},
        (name for name in ["eq_camera"]),
    ):
        assert fleet.flights(equipment=given)["flight_id"].tolist() == ["fl_1", "fl_2"]
    with pytest.raises(fk.NotFound, match="Did you mean eq_camera"):
        fleet.flights(equipment="eq_camra")


def test_several_flight_types_and_statuses_mean_any_of_them(fleet):
    types = ["TRAINING", "MAINTENANCE"]
    assert fleet.flights(flight_type=types)["flight_id"].tolist() == ["fl_3", "fl_4"]
    assert len(fleet.flight_equipment(flight_type=types)) == 2
    narrowed = fleet.where(flight_type=["TRAINING", "COMMERCIAL"])
    assert narrowed.flights(flight_type=types)["flight_id"].tolist() == ["fl_3"]
    assert fleet.flights(flight_type=[]).empty
    read_once = fleet.flights(flight_type=(word for word in types))
    assert read_once.equals(fleet.flights(flight_type=types))
    counted = metrics.flight_hours(read_once)
    assert "('TRAINING', 'MAINTENANCE')" in str(fk.explain(counted))
    statuses = fleet.projects(status=["DRAFT", "COMPLETED"])["project_id"]
    assert sorted(statuses) == ["proj_quarry", "proj_roof"]


@pytest.mark.parametrize("key", [1, None, "", " ", "\ud800", ["eq_1"], pd.Series(["eq_1"] * 99)])
def test_what_is_not_an_identifier_is_refused_before_anything_is_sent(key):
    with fk.connect("http://127.0.0.1:9", "fk_key") as unreachable:
        for call in (unreachable.equipment_by_id, unreachable.project_by_id):
            with pytest.raises(fk.InvalidValue, match="is not an identifier") as refused:
                call(key)
            assert len(str(refused.value)) < 200


@pytest.mark.parametrize("engine", ["pandas", "polars"])
def test_counters_are_not_compared_with_the_flights_of_a_month_in_silence(fleet, engine):
    def reconcile(*period):
        calls = (fleet.flights, fleet.flight_equipment)
        flown = [call(*period, engine=engine) for call in calls]
        return fk.metrics.reconciliation(fleet.equipment(engine=engine), *flown)

    with pytest.warns(fk.Notice, match="reconciliation needs the flights from the first one on"):
        reconcile("2026-10")
    with warnings.catch_warnings(action="error"):
        reconcile(None, "2026-11-01")


@pytest.mark.slow  # judges recency by the flights of six stretches
def test_recency_is_not_judged_by_the_flights_of_a_month_in_silence(fleet):
    october, ever, rule = fleet.flights("2026-10"), fleet.flights(), fk.settings.PDRA01
    metrics, days = fk.metrics, ["2026-10-31"]
    for given in (october, metrics.flown_days(october)):
        with pytest.warns(fk.Notice, match="recency needs the flights from the first one on"):
            metrics.recency(given, rule, *days)
    with pytest.warns(fk.Notice, match="without_recency needs the flights from the first one on"):
        metrics.flown_without_recency(october, rule, "2026-10")
    with pytest.warns(fk.Notice, match="for 2026-08-01_2026-10-31 and given the flights of 2026-1"):
        metrics.recent_pilots(october, rule, days)
    with warnings.catch_warnings(action="error"):
        metrics.recency(ever, rule, *days)
        metrics.flown_without_recency(october, rule, "2026-10", days=metrics.flown_days(ever))
        metrics.recent_pilots(fleet.flights("2026-08", "2026-11"), rule, days)


def test_a_whole_price_over_the_hours_of_a_month_is_not_shown_in_silence(fleet):
    with pytest.warns(fk.Notice, match="value_per_hour needs the flights from the first one on"):
        fk.metrics.value_per_hour(fleet.projects(), fleet.flights("2026-10"))
    with warnings.catch_warnings(action="error"):
        fk.metrics.value_per_hour(fleet.projects(), fleet.flights())


def test_days_of_which_no_flights_were_asked_for_are_not_counted_as_0_in_silence(fleet):
    def measure(metric, flown, period):
        flights = fleet.flights(flown)
        if metric == "calendar":
            return fk.metrics.calendar(flights, period)
        bridge = fleet.flight_equipment(flown)
        drones = fleet.where(type="DRONE").equipment()
        return fk.metrics.utilisation(flights, bridge, drones, period)

    for metric in ("calendar", "utilisation"):
        with pytest.warns(
            fk.Notice, match=f"{metric} is asked for 2026 and given.* of 2026-10:"
        ) as said:
            measure(metric, "2026-10", 2026)
        assert len(said) == 1  # not that the year isn't over, too
    for end, day in (("since", "2026-10-02"), ("until", "2026-10-31")):  # one day is missing
        narrowed = fleet.where({end: day}).flights("2026-10")
        with pytest.warns(fk.Notice, match=f"2026-10, filtered by {end}={day}: on all other"):
            fk.metrics.calendar(narrowed, "2026-10")
    with warnings.catch_warnings(action="error"):
        measure("utilisation", "2026-10", "2026-10-05_2026-10-18")
        for flown in (2025, [f"2025-Q{quarter}" for quarter in range(1, 5)]):
            measure("calendar", flown, 2025)
        measure("calendar", None, "2026-10")


def test_days_after_the_data_were_fetched_are_not_counted_as_0_in_silence():
    flights = fk.demo(as_of="2026-11-20", equipment=16, flights=50).flights()
    with pytest.warns(fk.Notice, match="2026-11-19: on later days without a flight it counts 0"):
        assert fk.metrics.calendar(flights, "2026-11")["flights"].tolist()[19:] == [0] * 11
    with warnings.catch_warnings(action="error"):
        days = fk.metrics.calendar(flights, "2026-11", covered="2026-11-01_2026-11-19")
        fk.metrics.calendar(flights, "2026-10")
    assert days.loc[days["flights"].notna(), "day"].tolist()[-1] == "2026-11-19"


@pytest.mark.parametrize("table", ["equipment", "projects", "flight_equipment"])
def test_another_table_in_place_of_flights_is_refused_by_the_column_that_it_lacks(fleet, table):
    other, bridge = getattr(fleet, table)(), fleet.flight_equipment()
    drones = fleet.where(type="DRONE").equipment()
    for count in (
        lambda: metrics.calendar(other, "2026-10"),
        lambda: metrics.utilisation(other, bridge, drones, "2026-10"),
        lambda: metrics.period_totals(other, bridge, drones, ["2026-10"]),
    ):
        with pytest.raises(fk.InvalidValue, match=r"flights lacks .*flight_date"):
            count()


@pytest.mark.parametrize(
    ("period", "reach", "known"),
    [
        ("2024-02", "begin with 2024-05-08: on earlier days", "2024-05-08_2026-11-19"),
        ("2024-Q2", "begin with 2024-05-08: on earlier days", "2024-05-08_2024-06-30"),
        ("2026-12", "end with 2026-11-19: on later days", "2024-05-08_2026-11-19"),
        (
            "2024-01-01_2026-12-31",
            "begin with 2024-05-08 and end with 2026-11-19: on earlier and later days",
            "2024-05-08_2026-11-19",
        ),
    ],
)
def test_days_of_which_nothing_is_known_are_not_counted_as_0_in_silence(period, reach, known):
    fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=50)
    flights, bridge = fleet.flights(), fleet.flight_equipment()
    drones, hours = fleet.equipment(), fk.metrics.flight_hours(flights)
    text = re.escape(
        f"is asked for {period}, and the data {reach} without a flight it counts 0. Pass "
    )
    with pytest.warns(fk.Notice, match=f'calendar {text}covered="{known}"'):
        fk.metrics.calendar(flights, period)
    with pytest.warns(fk.Notice, match=f'every_month {text}covered="{known}"'):
        fk.metrics.every_month(hours, period)
    with pytest.warns(fk.Notice, match=rf'period_totals {text}periods=\["{known}"\]'):
        fk.metrics.period_totals(flights, bridge, drones[drones["type"] == "DRONE"], [period])
    with warnings.catch_warnings(action="error"):
        days = fk.metrics.calendar(flights, period, covered=known)
        months = fk.metrics.every_month(hours, period, covered=known)
    assert days["flights"].sum() == months["flights"].sum()
    assert days["flights"].isna().any()


def test_since_when_there_are_data_is_not_said_of_a_part_of_them():
    fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=50).where(night=True)
    with warnings.catch_warnings(action="error"):  # nobody knows when the first of all flights was
        assert fk.metrics.calendar(fleet.flights(), "2024-02")["flights"].sum() == 0


def test_cameras_are_not_counted_as_aircraft_in_silence(fleet):
    flights, bridge, equipment = fleet.flights(), fleet.flight_equipment(), fleet.equipment()
    counted = fk.metrics.aircraft(equipment, bridge)
    others_left_out, named = ({"type": fk.excluding("VTOL")}, {"type": ["CAMERA", "DRONE"]})
    for silent in (equipment, fleet.where(others_left_out, allow_empty=True).equipment()):
        with pytest.warns(fk.Notice, match="All equipment counts as aircraft.* CAMERA, DRONE"):
            fk.metrics.aircraft_hours(flights, bridge, silent)
    with warnings.catch_warnings(action="error"):
        for said in (counted, fleet.where(named).equipment()):
            fk.metrics.aircraft_hours(flights, bridge, said)
    with pytest.warns(fk.Notice, match=r"All equipment counts as aircraft here\. Pass"):
        fk.metrics.hours_per_aircraft_day(flights, bridge, bridge, days=31)


@pytest.mark.slow
@pytest.mark.parametrize("leave", ["drop_duplicates", "unique"])
def test_flights_that_are_repeated_are_noticed_however_many_they_are(fleet, leave):
    flights = fleet.flights()[["flight_id", "duration_seconds", "flight_type"]]
    twice = flights.loc[flights.index.repeat(30_000)]
    frame = pl.from_pandas(twice) if leave == "unique" else twice
    with pytest.warns(fk.Notice, match=rf'such as fl_\d: each .*\.{leave}\("flight_id"\) leaves'):
        fk.metrics.flight_totals(frame)
    with warnings.catch_warnings(action="error"):
        fk.metrics.flight_totals(flights)
        fk.metrics.flight_totals(getattr(frame, leave)("flight_id"))


def test_pairs_of_a_bridge_that_are_repeated_are_noticed_whatever_names_the_equipment():
    flights = pd.DataFrame({"flight_id": ["fl_1"], "duration_seconds": [3600]})
    bridge = pd.DataFrame({"flight_id": ["fl_1", "fl_1"], "equipment_id": [7, 7]})
    once = r'such as fl_1 with 7: each .*\.drop_duplicates\(\["flight_id", "equipment_id"\]\)'
    with pytest.warns(fk.Notice, match=once):
        counted = fk.metrics.flight_hours(flights, by="equipment", bridge=bridge)
    assert counted["flights"].tolist() == [2]


def test_what_the_flights_of_a_pilot_are_asked_for_by_is_said(fleet):
    with pytest.raises(fk.InvalidValue, match=r"named 'pilot'.*fleet\.where\(…\) narrows by pilot"):
        fleet.flights(pilot="prof_ada")


@pytest.mark.parametrize("path", [None, "", " ", 3, b"mirror"])
def test_what_is_not_a_path_makes_no_folder(fleet, tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    for call in (fleet.sync, fk.open_mirror):
        with pytest.raises(fk.InvalidValue, match="is not the path of a mirror"):
            call(path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: fk.demo(foo=3), "no argument of fk.demo named 'foo'"),
        (lambda: fk.demo(equipmnt=3), "Did you mean equipment"),
        (lambda: metrics.idle(None, None, None, asof="x"), "idle named 'asof'.* mean as_of"),
        (lambda: fk.charts.pilots(None, colour="red"), "charts.pilots named 'colour'.* mean colo"),
        (lambda: fk.demo(equipment=3), "16 or more"),
        (lambda: fk.demo(flights="many"), "flights='many' is not a size"),
        (lambda: fk.demo(as_of="yesterday"), "'yesterday' is not a date"),
        (lambda: fk.demo(settings={"aircraft_typs": []}), "Did you mean aircraft_types"),
        (lambda: fk.demo(settings="x"), "'x' is not settings"),
        (lambda: fk.sync("m", base_ur="x"), "Did you mean base_url"),
        (lambda: fk.report_by(["client"], "2026-10", fleet=None), r"named \['client'\]"),
        (lambda: fk.report("2026-10", sction="pricing"), "Did you mean sections"),
        (lambda: fk.report("2026-10", strict="no"), "strict='no' is neither yes nor no"),
        (lambda: fk.report("2026-10", fleet=None, formats=pd.NA), "<NA> is not a text"),
        (
            lambda: fk.report("2026-10", fleet=None, progress=pd.NA),
            "progress=<NA> is neither yes nor no",
        ),
        (
            lambda: fk.report("2026-10", fleet=None, out="s3://reports"),
            "is not a folder of this machine",
        ),
        (lambda: fk.Fleet.projects(None, details=pd.NA), "details=<NA> is neither yes nor no"),
        (lambda: fk.Fleet.specifications(None, type="DRONE"), r"It takes none\. fleet\.where"),
        (lambda: fk.Fleet.services(None, active=True), "Narrow the table itself: tiers"),
        (lambda: fk.Fleet.tiers(None, service="svc_1"), "no argument of Fleet.tiers named 'serv"),
        (lambda: fk.Fleet.summary(None, client="A"), r"There are: full\. fleet\.where\(…\) narr"),
        (lambda: fk.MirroredFleet.history(None, client="A"), r"until\. fleet\.where\(…\) narrows"),
        (lambda: fk.MirroredFleet.changes(None, client="A"), "MirroredFleet.changes named 'clie"),
        (lambda: fk.MirroredFleet.restatements(None, sinc=1), "Did you mean since"),
        (lambda: fk.MirroredFleet.scan(None, night=True), "MirroredFleet.scan named 'night'"),
        (
            lambda: fk.metrics.flight_hours(None, share=pd.NA),
            "share=<NA> is not True, False or a word of by=",
        ),
        (lambda: fk.charts.flight_hours(None, dense=pd.NA), "dense=<NA> is neither yes nor no"),
        (lambda: fk.open_mirror("m", version="3"), "version='3' is not the number"),
        (lambda: fk.Filter(pilt="x"), "Did you mean pilot"),
        (lambda: fk.Filter.from_parameters({"pilt": "x"}), "Did you mean pilot"),
        (lambda: fk.Period("October"), "'October' is not a valid period"),
        (
            lambda: fk.charts.pilots(None, most=10**400),
            r"most is too large a number",
        ),
        (lambda: fk.charts.calendar(None, width=10**400), "is not a width from 20 to"),
        (lambda: fk.charts.axes(10**400), "is not a size in mm"),
        (lambda: fk.demo(flights=10**400), "flights=an int, .* at most 100,000 pieces and 100,0"),
        (lambda: fk.demo(equipment=10**6), "equipment=1000000, .* is not a valid demo size"),
        (lambda: fk.Filter(pilot=np.array("Ann")), "'Ann'.* is not a text, nor a list of t"),
        (lambda: windows(np.array("2026"), tz="UTC"), "A ndarray is not a period"),
        (lambda: metrics.recent_pilots(None, None, np.array(3)), r"array\(3\) is not a list"),
        (lambda: settings.Settings(recency=np.array(3)), "it is not a list of rules"),
        (lambda: settings.Settings(aircraft_types=np.array("A")), "is not a list of texts"),
        (lambda: fk.Period("2026", tz=pl.LazyFrame({"a": [1]})), "LazyFrame .* is not a time zone"),
        (lambda: fk.Fleet.columns("flight"), "Did you mean flights"),
        (lambda: fk.Filter(pilot="\ud800"), r"pilot holds '\\ud800', which is not a text"),
        (lambda: fk.explore.from_query(None), "query holds None, which is not a text"),
        (lambda: fk.explore.to_query(None), "None is not a dict of filters"),
        (lambda: fk.explore.to_query({"flights": None}), "is not a dict of filters"),
        (lambda: fk.explore.to_query({}, compared=3), "3 is not a dict of filters"),
        (lambda: settings.load(5), "5 is not the path of a file of settings"),
        (lambda: settings.load("a\0b"), r"'a\\x00b' is not the path of a file of settings"),
        (lambda: settings.Settings(timeout=None), "Setting timeout: None is not a number"),
        (lambda: settings.Settings(branding=3), "Setting branding: 3 is not a table"),
        (
            lambda: settings.Settings(
                recency=[fk.settings.RecencyRule("x", 3, 0, 2, night_only="no")]
            ),
            "night_only='no', which is neither true nor false",
        ),
        (lambda: fk.Period("2026").intersection("May"), "'May' is not a valid period"),
        (lambda: fk.Period("2026").title_beside(None), "None is not a valid period"),
        (lambda: fk.demo(equipment=16, flights=9).export("\ud800"), "is not the path of a fold"),
        (
            lambda: fk.demo(equipment=16, flights=9).sync("m", moved_to=3),
            "moved_to=3 is not an addr",
        ),
        (
            lambda: metrics.data_quality_of_parts(None, None, None, [], as_of="", aircraft=None),
            "parts=None is not a list",
        ),
        (
            lambda: metrics.data_quality_of_parts([3], None, None, [], as_of="", aircraft=None),
            "parts= holds 3, not flights and bridge",
        ),
    ],
)
def test_a_wrong_argument_of_a_door_is_an_invalid_value(call, says):
    with pytest.raises(ValueError, match=says) as refused:
        call()
    assert isinstance(refused.value, fk.InvalidValue)


def test_the_fleet_of_a_call_may_be_narrowed_by_a_period_of_its_own(fleet):
    october = fleet.period("2026-10")
    assert fleet.where(since=october).filter.since == "2026-10-01T00:00:00+00:00"
    oslo = fk.Fleet(fleet._source, tz="Europe/Oslo")
    narrowed = oslo.where(since=oslo.period("2026-10"), until=pd.Timestamp("2026-10-15"))
    assert narrowed.flights()["flight_id"].tolist() == ["fl_5", "fl_1"]
    assert fk.Period("2026-10", tz="Europe/Oslo") == oslo.period("2026-10")


def test_a_zone_of_a_fleet_can_be_changed_to_another_one_only(fleet):
    other = fleet.where()
    other.tz = "Asia/Tokyo"
    assert other.settings.tz == other.equipment().attrs["tz"] == "Asia/Tokyo"
    with pytest.raises(fk.InvalidValue, match="Did you mean Europe/Oslo"):
        other.tz = "Oslo"
    assert fleet.tz == "UTC"


@pytest.mark.parametrize(
    ("owner", "name", "says"),
    [
        ("fleet", "flihgts", "Did you mean flights?"),
        ("fleet", "equipments", "Did you mean equipment?"),
        (fk.metrics, "flight_hour", "Did you mean flight_hours?"),
        (fk.metrics, "utilization", "Did you mean utilisation?"),
        (fk.metrics, "pipeline", "Did you mean pipeline_totals?"),
        (fk.charts, "recensy", "Did you mean recency?"),
        (fk.reports, "Secton", "Did you mean Section?"),
        (fk, "conect", "Did you mean connect?"),
    ],
)
def test_a_misspelt_name_is_answered_with_a_near_one(fleet, owner, name, says):
    owner = fleet if owner == "fleet" else owner
    with pytest.raises(AttributeError) as missing:
        getattr(owner, name)
    assert str(missing.value).endswith(says)
    assert not hasattr(owner, name)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda fleet: fleet.equipment(type="DRONE"), "fleet.where(…) narrows by type"),
        (lambda fleet: fleet.projects(client="Fjord"), "fleet.where(…) narrows by client"),
        (lambda fleet: fk.report_by("client", fleet=fleet, pilot="prof_1"), "filter=fk.Filter(…)"),
        (lambda fleet: fk.report(fleet=fleet, client="Fjord"), "filter=fk.Filter(…) narrows"),
        (
            lambda fleet: fk.compare("pilots", 2026, 2025, fleet=fleet, client="Fjord"),
            "fleet=fleet.where(…) narrows",
        ),
    ],
)
def test_who_narrows_by_an_argument_that_is_a_filter_is_told_what_takes_it(fleet, call, says):
    with pytest.raises(fk.InvalidValue, match="There is no argument of ") as refused:
        call(fleet)
    assert says in str(refused.value)


@pytest.mark.parametrize("kind", ["Fleet", "module", "type"])
def test_what_only_has_columns_is_no_frame_for_the_chart_of_a_comparison(fleet, kind):
    given = {"Fleet": fleet, "module": fk, "type": pd.DataFrame}[kind]
    with pytest.raises(fk.InvalidValue, match=rf"charts\.compare draws a DataFrame, not {kind}\."):
        fk.charts.compare(given)


@pytest.mark.parametrize("name", ["earlier", "aircraft", "days"])
def test_what_lacks_a_column_is_called_by_its_own_argument(name):
    flown = five_flights.flights()
    pieces = {"bridge": five_flights.bridge(), "aircraft": five_flights.equipment()}
    records = {"equipment": pieces["aircraft"], "projects": five_flights.projects()}
    call, lacking = {
        "earlier": (partial(metrics.contributions, flown, **pieces), "duration_seconds"),
        "aircraft": (
            partial(metrics.data_quality, flown, **pieces, **records, as_of="2026-11-20"),
            "equipment_id",
        ),
        "days": (partial(metrics.flown_without_recency, flown, PDRA01, "2026-10"), "seconds"),
    }[name]
    given = {"earlier": flown, "days": metrics.flown_days(flown), **pieces}[name]
    with pytest.raises(fk.InvalidValue, match=f"^{name} lacks {lacking}"):
        call(**{name: given.drop(columns=lacking)})


def test_python_adds_no_suggestion_of_its_own_to_ours(fleet):
    import traceback

    with pytest.raises(AttributeError) as missing:
        fleet.flihgts  # noqa: B018
    text = "".join(traceback.format_exception(missing.value))
    assert text.count("Did you mean") == 1


def test_a_fleet_is_copied_and_what_it_is_made_of_pickled(fleet):
    assert copy.copy(fleet).flights().equals(fleet.flights())
    for value in (fk.Filter(pilot="x", night=()), fleet.period("2026-10"), fleet.settings):
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - our own
        assert copy.deepcopy(value) == value


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda f: metrics.flight_hours(f.flights(), by="monht"), "Did you mean month"),
        (lambda f: metrics.flight_hours(f.flights(), by=None), "by=None"),
        (metrics.flight_hours, r"Pass what its flights\(\) returns"),
        (lambda f: metrics.double_count(f.flights(), f), r"its flight_equipment\(\) returns"),
        (
            lambda f: metrics.flight_hours(
                f.flights().rename(columns={"flight_date": "fligth_date"})
            ),
            "Did you mean fligth_date",
        ),
        (lambda f: metrics.flight_hours(f.flights(), tz="europe/oslo"), "Did you mean Europe/Oslo"),
        (lambda f: metrics.recency(f.flights(), None, "2026-10"), "None is not a recency rule"),
        (lambda f: metrics.recency(f.flights(), "2 h", "2026-10"), "is not a recency rule"),
        (lambda f: metrics.late_projects(f.projects(), None), "None is not a date or time"),
        (lambda f: metrics.period_totals(*_flown(f), "2026-10"), "periods='2026-10' is not a list"),
        (lambda f: metrics.sound_totals(f.flights(), f.flights(), 2026), "periods=2026 is not a"),
        (lambda f: metrics.recent_pilots(f.flights(), PDRA01, "2026-10-31"), "is not a list"),
        (lambda f: metrics.hours_per_aircraft_day(*_flown(f), "31"), "days='31' is not a number"),
        (
            lambda f: metrics.hours_per_aircraft_day(*_flown(f)[:2], f.equipment().head(0), -1),
            "days=-1 is not a number",
        ),
        (lambda f: metrics.take_offs(f.flights(), size="5"), "size='5' is not a number"),
        (lambda f: metrics.take_offs(f.flights(), size=0), "can't be 0 km wide"),
        (lambda f: _checked(f, most=-1), "most=-1 is not a whole number"),
        (lambda f: _checked(f, most=1.5), "most=1.5 is not a whole number"),
        (lambda f: _checked(f, shortest=float("nan")), "shortest=nan is not a number"),
        (lambda f: _checked(f, longest="3 h"), "longest='3 h' is not a number"),
        (
            lambda f: metrics.contradictions(f.equipment(), *_flown(f)[:2], most=-1),
            "most=-1 is not a whole number",
        ),
        (
            lambda f: metrics.expired_totals(f.equipment(), *_flown(f)[:2], until=3.5),
            "3.5 is not a date or time",
        ),
        (
            lambda f: metrics.project_pipeline(f.projects(), probabilities={"DRFT": 0.2}),
            "Did you mean DRAFT",
        ),
        (
            lambda f: metrics.project_pipeline(f.projects(), probabilities={"DRAFT": 20}),
            "20 is not the probability of DRAFT",
        ),
        (
            lambda f: metrics.project_pipeline(f.projects(), probabilities="x"),
            "'x' is not a mapping",
        ),
        (
            lambda f: metrics.utilisation(
                f.flights(), f.flight_equipment(), f.equipment(), "octobre"
            ),
            "'octobre' is not a valid period",
        ),
        (lambda f: fk.charts.flight_hours(_by_month(f), period="q"), "'q' is not a valid period"),
        (lambda f: fk.reports.Comparison(f.flights(), "2026-10"), "takes a fleet, not a DataFrame"),
        (lambda f: fk.reports.Comparison(f, "october"), "'october' is not a valid period"),
        (lambda f: fk.report("2026-10", fleet=f, filter="type=DRONE"), "str is not a Filter"),
        (lambda f: fk.report("2026-10", fleet=f, settings="x"), "'x' is not settings"),
        (lambda f: fk.report("2026-10", fleet=f, notebooks=3), "3 is not the path of a folder"),
        (lambda f: f.sync("m", audit="all"), "audit='all' is not a share"),
        (
            lambda f: metrics.maintenance_due(
                f.equipment(), "all", f.flight_equipment(), "2026-11-20"
            ),
            "flights is a str, not a frame",
        ),
        (lambda f: fk.charts.axes(width="half"), "width='half' is not a size in mm"),
        (lambda f: fk.language.use(f.flights()), "There is no language a DataFrame"),
        (
            lambda f: fk.report_by(f.flights(), "2026-10", fleet=f),
            "There is no kind of report named a DataFrame",
        ),
        (
            lambda f: fk.explore.flights(f, other=f.flights()),
            "A DataFrame is not what an explorer can compare with",
        ),
    ],
)
def test_a_wrong_argument_of_a_metric_a_chart_or_a_report_is_an_invalid_value(fleet, call, says):
    with pytest.raises(fk.InvalidValue, match=says):
        call(fleet)


def _flown(fleet):
    return fleet.flights(), fleet.flight_equipment(), fleet.equipment()


def _checked(fleet, **arguments):
    flights, bridge, equipment = _flown(fleet)
    tables = (flights, bridge, equipment, fleet.projects())
    return metrics.data_quality(*tables, as_of="2026-11-30", **arguments)


def test_a_moment_may_be_a_text_wherever_a_metric_takes_one(fleet):
    tables = (fleet.equipment(), fleet.flights(), fleet.flight_equipment())
    until = datetime(2026, 10, 15, tzinfo=UTC)
    assert metrics.expired_totals(*tables, until="2026-10-15").equals(
        metrics.expired_totals(*tables, until=until)
    )


def _by_month(fleet):
    return metrics.flight_hours(fleet.flights())


@pytest.mark.parametrize("odd", [pd.Series(["flights"]), np.array(["a", "b"]), pd.NA, 1])
def test_what_is_no_name_is_refused_by_a_mirror_in_words(odd, fleet, tmp_path):
    fleet.sync(tmp_path)
    mirrored = fk.open_mirror(tmp_path)
    for use in (mirrored.history, mirrored.scan, mirrored.mirror.scan):
        with pytest.raises(fk.InvalidValue, match=r"is not a table\. *Tables are: equip"):
            use(odd)
    with pytest.raises(fk.InvalidValue, match="is not a time zone"):
        fk.open_mirror(tmp_path, tz=odd)


def test_a_lone_text_is_one_value_and_not_its_letters(fleet):
    equipment, bridge = fleet.equipment(), fleet.flight_equipment()
    assert len(metrics.aircraft(equipment, bridge, types="DRONE")) == 2
    matrix = metrics.equipment_condition(equipment, status_order="MAINTENANCE")
    assert matrix["status"].cat.categories.tolist() == ["MAINTENANCE", "ACTIVE"]


@pytest.mark.slow
def test_a_period_of_a_metric_is_read_in_the_zone_of_its_frames(fleet):
    oslo = fk.Fleet(fleet._source, tz="Europe/Oslo")
    tables = (oslo.flights(), oslo.flight_equipment(), oslo.equipment())
    # fl_5 (untimed) and fl_1, fl_2 are October's in Oslo, fl_3 is of 1 November there.
    use = metrics.utilisation(*tables, "2026-10")
    assert use[["month", "hours"]].to_numpy().tolist() == [["2026-10", 3.0]]
    assert metrics.utilisation(*tables, pd.Period("2026-10")).equals(use)
    whole = metrics.utilisation(*tables, "2026-10", covered="2026-Q4")
    assert whole.equals(use)


ODD = [
    None,
    True,
    -1,
    3.5,
    float("nan"),
    "",
    "\x00",
    "🚁" * 9,
    b"x",
    [],
    [[]],
    {},
    pd.NA,
    pd.NaT,
    pd.DataFrame(),
    pd.Series([], dtype="float64"),
    np.array([]),
    object(),
    len,
    Path("x"),
    datetime.max,
    datetime.min.replace(tzinfo=UTC),
    date.max,
    pd.Timestamp.max,
    pd.Period("2200", freq="Y"),
    10**30,
]


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__ + repr(odd)[:12])
def test_odd_values_give_an_answer_or_words_and_nothing_else(fleet, odd):
    calls = [
        lambda: fleet.flights(odd),
        lambda: fleet.flights([odd]),
        lambda: fleet.flights(since=odd),
        lambda: fleet.flights(until=odd),
        lambda: fleet.flights(flight_type=odd),
        lambda: fleet.flights(equipment=odd),
        lambda: fleet.flights(order_by=odd),
        lambda: fleet.projects(odd),
        lambda: fleet.period(odd),
        lambda: fleet.columns(odd),
        lambda: fleet.where(odd),
        lambda: fleet.equipment_by_id(odd),
        lambda: fk.demo(as_of=odd, tz="no zone"),
        lambda: fk.demo(tz=odd, equipment=0),
        lambda: fk.Period(odd),
        lambda: fk.Period(odd, odd),
        lambda: fk.Period.between(odd, odd, "UTC"),
        lambda: fk.Filter.parse(odd),
        lambda: fk.Filter.from_parameters(odd),
        *(lambda name=name: fk.Filter(**{name: odd}) for name in fk.Filter.__match_args__),
        lambda: metrics.flight_hours(odd),
        lambda: metrics.flight_hours(fleet.flights(), by=odd),
        lambda: metrics.flight_hours(fleet.flights(), tz=odd),
        lambda: metrics.late_projects(fleet.projects(), odd),
    ]
    unworded = []
    for place, call in enumerate(calls):
        try:
            call()
        except FleetkitError as problem:
            if len(str(problem)) > 700:
                unworded.append((place, "too long"))
        except Exception as problem:
            unworded.append((place, repr(problem)))
    assert unworded == []
