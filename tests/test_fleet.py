"""The public interface, over real HTTP: what an analyst calls and what comes back."""

import copy
import pickle
import shutil
from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest
import requests
from a_service import withdraw
from conftest import ADA, TINY, a_flight, flown_by_kestrel
from hostile import hostile, reply

import fleetkit as fk
from fleetkit import schema
from fleetkit.columns import COLUMNS
from fleetkit.server.dials import Dials

OCTOBER = ["fl_1", "fl_2", "fl_3"]


@pytest.fixture
def fleet(tiny):
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as opened:
        yield opened


@pytest.mark.slow
def test_every_table_has_the_columns_and_dtypes_of_the_contract(fleet):
    for name, columns in COLUMNS.items():
        frame = getattr(fleet, name)()
        assert {label: str(frame[label].dtype) for label in frame} == {
            column.name: column.dtype for column in columns
        }


@pytest.mark.parametrize("name", ["flights", "flight_equipment", "anything"])
def test_no_list_of_a_service_stands_for_a_table_that_has_none(fleet, name):
    with pytest.raises(KeyError, match=name):
        fleet._source.table(name)


@pytest.mark.slow
def test_days_without_a_flight_have_the_columns_and_dtypes_of_all_days(fleet):
    for name in ("flights", "flight_equipment"):
        none, every = (getattr(fleet, name)(*days) for days in (("2020-01",), ()))
        assert none.empty
        pd.testing.assert_series_equal(none.dtypes, every.dtypes)


@pytest.mark.slow
def test_a_flight_of_drone_and_camera_is_one_row_and_two_in_the_bridge(fleet):
    assert sorted(fleet.flights()["flight_id"]) == ["fl_1", "fl_2", "fl_3", "fl_4", "fl_5"]
    pairs = fleet.flight_equipment().itertuples(index=False, name=None)
    assert sorted(pairs) == sorted(TINY["flight_equipment"])


@pytest.mark.slow
@pytest.mark.parametrize("bounds", ["inclusive", "exclusive"])
@pytest.mark.parametrize("bare", ["midnight", "whole_day"])
def test_a_month_is_exact_whatever_the_service_does_at_its_bounds(serve_records, bounds, bare):
    edge = a_flight("fl_edge", "2026-11-01T00:00:00.000Z")
    first = a_flight("fl_first", "2026-10-01T00:00:00.000Z")
    records = TINY | {
        "flights": [*TINY["flights"], edge, first],
        "flight_equipment": [
            *TINY["flight_equipment"],
            ("fl_edge", "eq_spare"),
            ("fl_first", "eq_spare"),
        ],
    }
    served = serve_records(records, Dials(date_bounds=bounds, bare_date=bare))
    with fk.connect(served.base_url, served.api_key) as fleet:
        assert sorted(fleet.flights("2026-10")["flight_id"]) == [*OCTOBER, "fl_first"]


@pytest.mark.slow
def test_a_month_starts_at_midnight_of_the_fleet_s_zone(tiny):
    with fk.connect(tiny.base_url, tiny.api_key, tz="Europe/Oslo") as fleet:
        # 30 September 23:59:59 UTC is 1 October in Oslo; 31 October 23:30 UTC is 1 November.
        assert fleet.flights("2026-10")["flight_id"].tolist() == ["fl_5", "fl_1", "fl_2"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"period": "2026-10"}, OCTOBER),
        ({"period": "2026-10-15"}, ["fl_2"]),
        ({"since": "2026-10-01", "until": "2026-10-16"}, ["fl_1", "fl_2"]),
        ({"since": "2026-10-31"}, ["fl_3", "fl_4"]),
        ({"until": date(2026, 10, 1)}, ["fl_5"]),
        ({"flight_type": "TRAINING"}, ["fl_3"]),
        ({"equipment": ["eq_camera"]}, ["fl_1", "fl_2"]),
        ({"period": "2026-10", "order_by": "date_desc"}, OCTOBER[::-1]),
        ({"order_by": "duration_asc"}, ["fl_4", "fl_3", "fl_1", "fl_2", "fl_5"]),
        ({"order_by": "duration_desc"}, ["fl_2", "fl_1", "fl_3", "fl_4", "fl_5"]),
    ],
)
def test_flights_are_those_that_were_asked_for(fleet, arguments, expected):
    assert fleet.flights(**arguments)["flight_id"].tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize("known", [False, True])
def test_the_bridge_follows_the_same_filters(fleet, known):
    if known:
        fleet.flights()  # the answer is the same when it is cut from what is kept
    bridge = fleet.flight_equipment("2026-10", equipment=["eq_camera"])
    assert bridge.values.tolist() == [["fl_1", "eq_camera"], ["fl_2", "eq_camera"]]


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("flights", {"period": "2026-13"}),
        ("flights", {"period": "October"}),
        ("flights", {"flight_type": "TRAINNING"}),
        ("flights", {"order_by": "newest"}),
        ("flights", {"since": "2026-11-01", "until": "2026-10-01"}),
        ("flights", {"equipment": []}),
        ("flights", {"period": "2026-10", "since": "2026-10-01"}),
        ("flights", {"engine": "polras"}),
        ("flights", {"engine": "sc://spark.example/;token=hunter2"}),
        ("flight_equipment", {"engine": "polras"}),
        ("equipment", {"engine": "polras"}),
        ("projects", {"engine": "polras"}),
        ("projects", {"status": "SOLD"}),
        ("projects", {"status": "SOLD", "engine": "polars"}),
        ("where", {"status": "SOLD"}),
    ],
)
def test_a_wrong_argument_is_refused_before_anything_is_sent(call, arguments):
    # Nothing listens on port 9: had anything been sent, the error would be another one.
    with fk.connect("http://127.0.0.1:9", "fk_key") as fleet, pytest.raises(fk.InvalidValue):
        getattr(fleet, call)(**arguments)


def test_projects_are_narrowed_by_status_and_widened_by_details(fleet):
    assert fleet.projects(status="DRAFT")["project_id"].tolist() == ["proj_quarry"]
    details = fleet.projects(details=True).set_index("project_id")
    assert details.loc["proj_bridge", "crm_deal_name"] == "Bridge 2026"
    assert "crm_deal_name" not in fleet.projects()


def test_a_project_that_nobody_flew_for_has_no_flights_and_one_that_is_not_there_is_refused(fleet):
    assert fleet.where(project="proj_quarry").flights().empty
    with pytest.raises(fk.InvalidValue, match="No project has project='proj_quary'"):
        fleet.where(project="proj_quary").projects()
    with pytest.raises(fk.InvalidValue) as refused:  # it is listed, and flown for
        fleet.where(project="proj_bridg").flights()
    assert str(refused.value).count("proj_bridge") == 2  # suggested, and in the list of values


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_a_status_that_no_project_has_is_refused_as_other_values_of_a_filter_are(
    fleet, tmp_path, is_mirrored
):
    if is_mirrored:
        fleet.sync(tmp_path / "mirror")
        fleet = fk.open_mirror(tmp_path / "mirror")
    held = fleet.where(status="ON_HOLD")
    says = r"No project has status='ON_HOLD'\. Values of status are: COMPLETED, DRAFT, IN_PROGRESS"
    for table in (held.projects, held.flights):
        for engine in ("pandas", "polars"):
            with pytest.raises(fk.InvalidValue, match=says):
                table(engine=engine)
    assert fleet.where(status="ON_HOLD", allow_empty=True).projects().empty
    assert fleet.projects(status="ON_HOLD").empty  # an argument of the call asks; none is an answer


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_a_misspelt_value_beside_one_that_flights_have_is_refused(fleet, tmp_path, is_mirrored):
    if is_mirrored:
        fleet.sync(tmp_path / "mirror")
        fleet = fk.open_mirror(tmp_path / "mirror")
    assert len(fleet.where(pilot=["prof_ada", "prof_bo"]).flights()) == 4
    with pytest.raises(fk.InvalidValue, match=r"pilot='prof_adda'\. Did you mean prof_ada\?"):
        fleet.where(pilot=["prof_adda", "prof_bo"]).flights()


def test_a_misspelt_pilot_of_a_period_is_refused_once_all_flights_of_a_service_were_read(fleet):
    misspelt = fleet.where(pilot="prof_adda")
    assert misspelt.flights("2026-10").empty
    assert len(fleet.flights()) == 5
    with pytest.raises(fk.InvalidValue, match=r"pilot='prof_adda'\. Did you mean prof_ada\?"):
        misspelt.flights("2026-10")
    assert fleet.where(pilot="prof_ada").flights("2019").empty


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_whose_name_stands_in_the_place_of_an_id_is_said_with_the_id(fleet, tmp_path, is_mirrored):
    if is_mirrored:
        fleet.sync(tmp_path / "mirror")
        fleet = fk.open_mirror(tmp_path / "mirror")
    for filter_, identifier in (
        ({"pilot": "ada LIND"}, "prof_ada"),
        ({"project": "Bridge inspection"}, "proj_bridge"),
        ({"equipment": "Camera 1"}, "eq_camera"),
    ):
        with pytest.raises(fk.InvalidValue, match=rf"\. That is the name of {identifier}\. Values"):
            fleet.where(**filter_).flights()


def test_a_name_that_stands_without_an_id_too_is_still_said_with_the_id(serve_records):
    pilots = [ADA, {"id": None, "fullName": "Ada Lind"}, {"id": None, "fullName": "Cy Holm"}]
    flights = [
        a_flight(f"fl_{number}", "2026-10-01T09:00:00.000Z", pilotInCommand=pilot)
        for number, pilot in enumerate(pilots)
    ]
    served = serve_records(flown_by_kestrel(flights))
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        with pytest.raises(fk.InvalidValue, match=r"\. That is the name of prof_ada\. Values"):
            fleet.where(pilot="Ada Lind").flights()
        with pytest.raises(fk.InvalidValue, match=r"has pilot='Cy Holm'\. Values of pilot are ids"):
            fleet.where(pilot="Cy Holm").flights()


@pytest.mark.slow
def test_a_mirror_whose_flights_were_read_is_pickled_and_copied(fleet, tmp_path):
    fleet.sync(tmp_path / "mirror")
    october = fk.open_mirror(tmp_path / "mirror").where(flight_type="TRAINING")
    read = october.flights("2026-10")
    text = pickle.dumps(october)
    assert read["flight_id"][0].encode() not in text  # what was read may be large
    for twin in (pickle.loads(text), copy.deepcopy(october), copy.copy(october)):  # noqa: S301
        assert twin.flights("2026-10").equals(read)
        assert (twin.tz, twin.filter, twin.mirror.version) == (october.tz, october.filter, 1)


def test_a_flight_type_of_another_time_has_no_flights_and_one_that_is_not_there_is_refused(
    serve_records, tiny_records, tmp_path
):
    ferry, *others = tiny_records["flights"]
    ferry |= {"flightType": "FERRY", "flightDate": "2026-09-10T09:00:00.000Z"}
    served = serve_records(tiny_records)
    live = fk.connect(served.base_url, served.api_key, progress=False)
    live.sync(str(tmp_path / "mirror"))
    mirrored = fk.open_mirror(tmp_path / "mirror")
    for fleet in (live, mirrored):
        assert fleet.where(flight_type="FERRY").flights()["flight_id"].tolist() == [ferry["id"]]
        assert fleet.where(flight_type="FERRY", since="2026-10-01").flights().empty
        with pytest.raises(fk.InvalidValue, match=r"not a flight type\. Did you mean FERRY"):
            fleet.where(flight_type="FERY").flights("2026-10")
    ferries = mirrored.where(flight_type=["FERRY", "TRAINING"])
    trainings = [log["id"] for log in others if log["flightType"] == "TRAINING"]
    for engine in ("pandas", "polars"):
        october = fk.metrics.collect(ferries.flights("2026-10", engine=engine))
        assert october["flight_id"].tolist() == trainings
    with pytest.raises(fk.InvalidValue, match="'FERY' is not a flight type"):
        mirrored.where(flight_type="FERY").flights("2026-10", engine="polars")


@pytest.mark.slow
def test_details_stand_in_the_order_of_the_list_whichever_comes_first(serve_records, tiny_records):
    # By this seed the answer for the first project is slow, and the others are not.
    served = serve_records(tiny_records, Dials(slow_body=0.5, seed=62))
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        listed = fleet.projects()["project_id"].tolist()
        assert fleet.projects(details=True)["project_id"].tolist() == listed


def test_a_project_that_is_removed_before_its_details_are_read_is_left_out(serve_records):
    served = serve_records(TINY)
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        first, *others = fleet.projects()["project_id"]
        withdraw(served, projects=[first])
        assert fleet.projects(details=True)["project_id"].tolist() == others
        assert fleet.projects()["project_id"].tolist() == others


def test_a_record_by_its_id_has_the_names_of_the_table(fleet):
    for call, key in (("equipment", "eq_camera"), ("service", "svc_photo")):
        frame = getattr(fleet, {"service": "services"}.get(call, call))()
        row = frame.set_index(frame.columns[0]).loc[key]
        record = getattr(fleet, f"{call}_by_id")(key)
        pd.testing.assert_series_equal(record[row.index], row, check_names=False, check_dtype=False)
        assert record.index.tolist() == frame.columns.tolist()
    assert fleet.project_by_id("proj_bridge")["client_account_email"] == "drift@lyngfjord.example"


@pytest.mark.parametrize("call", ["equipment_by_id", "project_by_id", "service_by_id"])
def test_an_unknown_id_is_not_found(fleet, call):
    with pytest.raises(fk.NotFound):
        getattr(fleet, call)("no_such")


def test_unknown_equipment_is_not_found_and_no_empty_table(fleet):
    with pytest.raises(fk.NotFound):
        fleet.flights(equipment=["eq_nobody"])


@pytest.mark.slow
def test_each_table_is_fetched_once_until_refresh(tiny_records, serve_records):
    served = serve_records(tiny_records)
    with fk.connect(served.base_url, served.api_key) as fleet:
        assert len(fleet.flights()) == 5
        new = a_flight("fl_6", "2026-10-05T08:00:00.000Z")
        served.store.load(
            served.organisation, flights=[new], flight_equipment=[("fl_6", "eq_spare")]
        )
        assert len(fleet.flights()) == 5
        fleet.refresh()
        assert len(fleet.flights()) == 6


def test_what_an_analyst_does_to_a_table_stays_with_the_analyst(fleet):
    mine = fleet.equipment()
    mine["name"] = "changed"
    del mine["model"]
    assert fleet.equipment()["name"].tolist() != mine["name"].tolist()
    assert "model" in fleet.equipment()


def test_a_key_without_a_scope_still_serves_the_rest(tiny):
    key = tiny.store.create_key(tiny.organisation, name="projects", scopes=["project:read"])
    with fk.connect(tiny.base_url, key) as fleet:
        assert len(fleet.projects()) == 3
        with pytest.raises(fk.Forbidden) as refused:
            fleet.equipment()
        assert refused.value.scope == "equipment:read"
        assert set(fleet.missing.values()) == {"equipment:read", "service:read"}


@pytest.mark.slow
def test_where_narrows_every_table_that_it_can(fleet):
    cameras = fleet.where(category="PAYLOAD")
    assert cameras.equipment()["equipment_id"].tolist() == ["eq_camera"]
    assert cameras.flights()["flight_id"].tolist() == ["fl_1", "fl_2"]
    assert set(cameras.flight_equipment()["equipment_id"]) == {"eq_camera"}
    assert cameras.specifications().empty
    assert fleet.where(client="Lyngfjord Nett").flights()["flight_id"].tolist() == ["fl_1", "fl_2"]
    assert fleet.where(since="2026-10-20", night=True).flights()["flight_id"].tolist() == ["fl_3"]


@pytest.mark.slow
def test_narrowing_adds_up_and_whole_takes_it_back(fleet):
    ada = fleet.where(pilot="prof_ada")
    both = ada.where(since="2026-10-10")
    assert both.flights()["flight_id"].tolist() == ["fl_2"]
    assert ada.flights()["flight_id"].tolist() == ["fl_1", "fl_2"]
    assert both.whole().flights()["flight_id"].tolist() == fleet.flights()["flight_id"].tolist()
    assert both.where().filter == both.filter


@pytest.mark.slow
def test_narrowings_without_anything_in_common_mean_nothing_and_not_all(fleet):
    for one, other in (
        ({"pilot": "prof_ada"}, {"pilot": "prof_bo"}),
        ({"night": True}, {"night": False}),
        ({"since": "2026-11-01"}, {"until": "2026-10-01"}),
        ({"type": "DRONE"}, {"equipment": "eq_camera"}),
        ({"client": "Lyngfjord Nett"}, {"project": "Unassigned"}),
    ):
        for first, second in ((one, other), (other, one)):
            nothing = fleet.where(**first).where(**second)
            assert nothing.flights().empty
            assert nothing.flight_equipment().empty
    assert fleet.where(type="DRONE").where(type="CAMERA").equipment().empty
    assert fleet.where(status="DRAFT").where(status="COMPLETED").projects().empty


@pytest.mark.slow
def test_equipment_flights_and_the_bridge_are_narrowed_by_type(fleet):
    drones = fleet.where(type="DRONE")
    assert sorted(drones.equipment()["equipment_id"]) == ["eq_kestrel", "eq_spare"]
    assert set(drones.flight_equipment()["equipment_id"]) == {"eq_kestrel"}
    assert drones.specifications()["name"].tolist() == ["battery", "payload"]
    assert len(drones.flights()) == 5
    assert fleet.where(type="CAMERA").flights()["flight_id"].tolist() == ["fl_1", "fl_2"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chosen", "call", "says"),
    [
        ({"category": "DRONE"}, "flights", "No piece of equipment has category='DRONE'"),
        ({"category": "DRONE"}, "equipment", "Did you mean type='DRONE'"),
        ({"type": "DRON"}, "flight_equipment", "Did you mean DRONE"),
        ({"equipment": "eq_kestrl"}, "specifications", "Did you mean eq_kestrel"),
        ({"client": "Lyngfjord net"}, "projects", "Did you mean Lyngfjord Nett"),
        ({"client": "Lyngfjord net"}, "flights", "Did you mean Lyngfjord Nett"),
        ({"flight_type": "TRAINNING"}, "flights", "Did you mean TRAINING"),
        ({"pilot": "prof_adda"}, "flights", "Did you mean prof_ada"),
        ({"operation_type": "INSPECTIONS"}, "flight_equipment", "Did you mean INSPECTION"),
        ({"client": "Unassigned"}, "flights", "Only pilot and project can be so"),
        ({"type": "Unassigned"}, "equipment", "Only pilot and project can be so"),
    ],
)
def test_a_value_that_no_record_has_is_refused_with_near_ones(fleet, chosen, call, says):
    with pytest.raises(fk.InvalidValue, match=says) as refused:
        getattr(fleet.where(**chosen), call)()
    # A type of flights that there is not at all is a mistake of writing.
    assert ("or pass allow_empty=True" in str(refused.value)) == ("flight_type" not in chosen)
    allowed = fleet.where(**chosen, allow_empty=True)
    assert getattr(allowed, call)().empty
    assert getattr(allowed.where(night=False), call)().empty


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"categry": "PAYLOAD"}, "Fleet.where named 'categry'. Did you mean category"),
        ({"max_altitude": 120}, r"Any other column: flights\[flights"),
        ({"since": "2026-11-01", "until": "2026-10-01"}, "lies after"),
        ({"chosen": "pilot=prof_ada"}, "str is not a Filter"),
        ({"chosen": fk.Filter(), "pilot": "prof_ada"}, "not both"),
    ],
)
def test_a_narrowing_that_can_not_be_right_is_refused(fleet, arguments, says):
    with pytest.raises(fk.InvalidValue, match=says):
        fleet.where(**arguments)


@pytest.mark.slow
def test_a_fleet_carries_its_settings_without_address_and_key(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleetkit.toml").write_text('aircraft_types = ["CAMERA"]\ntz = "Europe/Oslo"\n')
    with fk.connect(tiny.base_url, tiny.api_key) as fleet:
        assert fleet.settings.aircraft_types == ("CAMERA",)
        assert fleet.settings.tz == "Europe/Oslo"
        assert (fleet.settings.api_key, fleet.settings.base_url) == ("", "")
        narrowed = fleet.where(night=False)
        assert narrowed.settings == narrowed.whole().settings == fleet.settings
        fleet.sync(tmp_path / "mirror")
    offline = fk.open_mirror(tmp_path / "mirror")
    assert offline.settings.aircraft_types == ("CAMERA",)
    own = {"aircraft_types": ["DRONE"], "tz": "Asia/Tokyo"}
    given = fk.open_mirror(tmp_path / "mirror", settings=own)
    assert (given.settings.aircraft_types, given.tz) == (("DRONE",), "Asia/Tokyo")
    unset = fk.open_mirror(tmp_path / "mirror", settings={})
    assert (unset.settings.aircraft_types, unset.tz) == ((), "Europe/Oslo")


@pytest.mark.slow
def test_metrics_find_the_settings_of_the_fleet_on_its_frames(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleetkit.toml").write_text(
        'aircraft_types = ["CAMERA"]\nstatus_order = ["MAINTENANCE", "ACTIVE"]\n'
        "[stage_probabilities]\nDRAFT = 0.5\n"
    )
    with fk.connect(tiny.base_url, tiny.api_key) as fleet:
        equipment, bridge = fleet.equipment(), fleet.flight_equipment()
        assert fk.metrics.aircraft(equipment, bridge)["equipment_id"].tolist() == ["eq_camera"]
        assert len(fk.metrics.aircraft(equipment, bridge, types=["DRONE"])) == 2
        # No types at all: those that fly with no other piece, as without settings.
        assert len(fk.metrics.aircraft(equipment, bridge, types=[])) == 2
        matrix = fk.metrics.equipment_condition(equipment)
        assert matrix["status"].cat.categories.tolist() == ["MAINTENANCE", "ACTIVE"]
        draft = fk.metrics.project_pipeline(fleet.projects()).set_index("status").loc["DRAFT"]
        assert draft["probability"] == 0.5


@pytest.mark.slow
def test_dates_without_a_time_are_not_shifted_between_zones(serve_records):
    days = [f"2026-10-{day:02d}T00:00:00.000Z" for day in (1, 31)]
    flights = [a_flight(f"fl_{number}", day) for number, day in enumerate(days)]
    records = TINY | {
        "flights": flights,
        "flight_equipment": [("fl_0", "eq_spare"), ("fl_1", "eq_spare")],
    }
    served = serve_records(records)
    with fk.connect(served.base_url, served.api_key, tz="America/New_York") as fleet:
        # As instants, 1 October 00:00 UTC would be 30 September in New York.
        assert len(fleet.flights("2026-10")) == 2
        hours = fk.metrics.flight_hours(fleet.flights("2026-10"), tz=fleet.tz)
        assert hours["month"].tolist() == ["2026-10"]


def test_a_look_at_the_fleet_shows_its_tables_and_no_key(fleet, tiny):
    shown = fleet._repr_html_() + repr(fleet)
    assert "projects()" in shown
    assert "<td style='text-align:right'>3</td>" in shown
    assert tiny.api_key not in shown


def test_a_look_at_the_fleet_asks_a_service_that_fails_for_one_table_only():
    later = {"Retry-After": "9000"}
    with (
        hostile(lambda asked: reply({}, 503, **later)) as server,
        fk.connect(server.base_url, "k") as fleet,
    ):
        shown = fleet._repr_html_()
    assert [asked.path for asked in server.asked] == ["/v1/equipment"]
    assert shown.count("– (ServerError)") == 1
    assert shown.count("– (not asked)") == 4


def test_address_and_key_come_from_the_environment(tiny, monkeypatch):
    monkeypatch.setenv("FLEETKIT_BASE_URL", tiny.base_url)
    monkeypatch.setenv("FLEETKIT_API_KEY", tiny.api_key)
    with fk.connect() as fleet:
        assert len(fleet.services()) == 2


@pytest.mark.parametrize(
    ("base_url", "key", "says"),
    [("", "k", "FLEETKIT_BASE_URL"), ("http://127.0.0.1:9", "", "FLEETKIT_API_KEY")],
)
def test_what_is_missing_to_connect_is_named(monkeypatch, tmp_path, base_url, key, says):
    monkeypatch.chdir(tmp_path)
    for name in ("BASE_URL", "API_KEY"):
        monkeypatch.delenv(f"FLEETKIT_{name}", raising=False)
    with pytest.raises(fk.InvalidValue, match=says):
        fk.connect(base_url, key)


@pytest.mark.slow
def test_the_demo_is_a_real_server_of_this_machine():
    fleet = fk.demo(as_of=date(2026, 11, 20), equipment=60, flights=600, seed=3)
    assert fleet.fetched_at == datetime(2026, 11, 20, tzinfo=UTC)
    assert requests.get(f"{fleet.address}/v1/equipment", timeout=20).status_code == 401
    assert len(fleet.equipment()) >= 60
    assert isinstance(fleet.flights("2026-10"), pd.DataFrame)
    ours = {"branding": {"name": "Fjord Kraft"}, "tz": "Europe/Oslo"}
    again = fk.demo(as_of=date(2026, 11, 20), equipment=60, flights=600, seed=3, settings=ours)
    assert again.address == fleet.address
    counted = {"equipment": np.int64(60), "flights": np.int64(600), "seed": np.int64(3)}
    assert fk.demo(as_of=date(2026, 11, 20), **counted).identity == fleet.identity
    assert (fleet.tz, again.tz) == ("UTC", "Europe/Oslo")
    assert (fleet.settings.organisation, again.settings.organisation) == (
        "Nordlys Drone Services (demo)",
        "Fjord Kraft",
    )


@pytest.mark.slow
def test_a_sync_counts_its_own_requests(tiny, tmp_path):
    with fk.connect(tiny.base_url, tiny.api_key) as fleet:
        fleet.flights()
        # Equipment, three flight lists, projects, three projects by id, services; then the lists
        # and, in turn, the flights of one piece of equipment and one project.
        assert [fleet.sync(str(tmp_path / "m")).requests for _ in range(2)] == [9, 5]


@pytest.mark.slow
def test_a_mirror_answers_every_call_like_the_service(tiny, tmp_path):
    with fk.connect(tiny.base_url, tiny.api_key, tz="Europe/Oslo") as live:
        live.sync(str(tmp_path / "mirror"))
        offline = fk.open_mirror(tmp_path / "mirror")
        assert offline.tz == "Europe/Oslo"
        for name in schema.TABLES:
            order = [column.name for column in COLUMNS[name]][:3]
            frames = (getattr(source, name)() for source in (live, offline))
            pd.testing.assert_frame_equal(
                *(frame.sort_values(order, ignore_index=True) for frame in frames)
            )
        for arguments in ({"period": "2026-10"}, {"equipment": ["eq_camera"]}):
            pd.testing.assert_frame_equal(live.flights(**arguments), offline.flights(**arguments))
        details = [
            source.projects(details=True).sort_values("project_id", ignore_index=True)
            for source in (live, offline)
        ]
        pd.testing.assert_frame_equal(*details)
        for record, name in (("project", "proj_bridge"), ("equipment", "eq_kestrel")):
            one, other = (getattr(source, f"{record}_by_id")(name) for source in (live, offline))
            assert one.equals(other)
        with pytest.raises(
            fk.NotFound, match=r"eq_kestrel\? fleet\.equipment\(\) lists what it holds"
        ):
            offline.equipment_by_id("eq_kestrell")
        with pytest.raises(fk.NotFound):
            offline.flights(equipment=["eq_nobody"])


@pytest.mark.slow
def test_a_mirror_without_project_details_refuses_them_instead_of_blank_ones(fleet, tmp_path):
    fleet.sync(tmp_path, details=False)
    offline = fk.open_mirror(tmp_path)
    assert len(offline.projects()) == len(fleet.projects())
    for engine in ({}, {"engine": "polars"}):
        with pytest.raises(fk.MirrorError, match="holds no project details"):
            offline.projects(details=True, **engine)
    assert list(offline.project_by_id("proj_bridge").index) == list(offline.projects().columns)


@pytest.mark.slow
def test_a_mirror_says_which_scope_its_sync_lacked(tiny, tmp_path):
    key = tiny.store.create_key(tiny.organisation, name="no projects", scopes=["equipment:read"])
    with fk.connect(tiny.base_url, key) as live:
        live.sync(str(tmp_path / "mirror"))
    offline = fk.open_mirror(tmp_path / "mirror")
    assert len(offline.flights()) == 5
    assert offline.missing["projects"] == "project:read"
    with pytest.raises(fk.Forbidden) as refused:
        offline.projects()
    assert refused.value.scope == "project:read"


def replace_in(served, table, old, new):
    """Replace a piece of text in what a service sends of each record of a table."""
    with served.store.engine.begin() as connection:
        connection.exec_driver_sql(
            f"UPDATE {table} SET document = replace(document, ?, ?)",  # noqa: S608
            (old, new),
        )


@pytest.mark.parametrize(("table", "word"), [("equipment", "Aerovia"), ("projects", "Bridge")])
def test_an_emoji_that_the_service_cut_in_two_is_read_and_warned_about(
    serve_records, tiny_records, table, word
):
    served = serve_records(tiny_records)
    replace_in(served, table, word, "\\ud83d")
    options = {"details": True} if table == "projects" else {}
    with fk.connect(served.base_url, served.api_key) as fleet:
        with pytest.warns(UserWarning, match="half a character"):
            frame = getattr(fleet, table)(**options)
        column = {"equipment": "manufacturer", "projects": "title"}[table]
        expected = {"equipment": ["\ufffd"] * 3, "projects": ["\ufffd inspection"]}[table]
        assert [value for value in frame[column] if "\ufffd" in value] == expected


@pytest.mark.parametrize(("table", "known"), [("equipment", "manufacturer"), ("flights", "bvlos")])
def test_an_unknown_field_whose_name_the_service_cut_in_two_is_a_column(
    serve_records, tiny_records, table, known
):
    served = serve_records(tiny_records)
    replace_in(served, table, f'"{known}"', rf'"colour\ud83d":"red","{known}"')
    with fk.connect(served.base_url, served.api_key) as fleet:
        with pytest.warns(fk.Notice, match="colour\ufffd"):
            frame = getattr(fleet, table)()
        assert set(frame["colour"]) == {"red"}  # names of columns have letters and digits only


@pytest.mark.slow
def test_a_mirror_s_flights_are_read_once(tiny, tmp_path):
    with fk.connect(tiny.base_url, tiny.api_key) as live:
        live.sync(str(tmp_path / "mirror"))
    fleet = fk.open_mirror(tmp_path / "mirror")
    assert len(fleet.flights()) == 5
    shutil.rmtree(tmp_path / "mirror")
    assert fleet.flights("2026-10")["flight_id"].tolist() == OCTOBER


def test_a_mirror_is_read_in_utc_where_that_is_set_and_in_its_own_zone_where_none_is(
    tiny, tmp_path, monkeypatch
):
    with fk.connect(tiny.base_url, tiny.api_key, tz="Europe/Oslo", progress=False) as fleet:
        fleet.sync(tmp_path / "mirror", details=False)
    assert fk.open_mirror(tmp_path / "mirror").tz == "Europe/Oslo"
    assert fk.open_mirror(tmp_path / "mirror", settings={"tz": "UTC"}).tz == "UTC"
    monkeypatch.setenv("FLEETKIT_TZ", "UTC")
    assert fk.open_mirror(tmp_path / "mirror").tz == "UTC"
