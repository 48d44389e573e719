"""What a filter leaves out is what the same values select, and nothing else, null included."""

import json
from contextlib import ExitStack
from dataclasses import replace

import dask.dataframe as dd
import duckdb
import pandas as pd
import polars as pl
import pytest
from conftest import TINY, a_flight, a_project, an_equipment, serving
from test_fleet_engines import same, same_tables

import fleetkit as fk
from fleetkit import language
from fleetkit.cli.options import add_clients
from fleetkit.comparison.sides import sides
from fleetkit.reports.scope import is_for_one_client
from fleetkit.reports.subject import Subject

FLIGHTS = {
    "flight_id": ["fl_1", "fl_2", "fl_3"],
    "flight_type": ["TRAINING", "COMMERCIAL", None],
    "pilot_id": ["prof_1", None, "prof_2"],
}
ENGINES = {
    "pandas": pd.DataFrame,
    "arrow in pandas": lambda columns: pa_backed(pd.DataFrame(columns)),
    "categoricals": lambda columns: pd.DataFrame(columns).astype({"flight_type": "category"}),
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "duckdb": lambda columns: duckdb.from_arrow(pl.DataFrame(columns).to_arrow()),
    "dask": lambda columns: dd.from_pandas(pd.DataFrame(columns), npartitions=2),
}


def pa_backed(frame):
    return frame.convert_dtypes(dtype_backend="pyarrow")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flight_type!=TRAINING", ["fl_2", "fl_3"]),  # without a type it is no training flight
        ("flight_type!=TRAINING,COMMERCIAL", ["fl_3"]),
        ("pilot!=prof_1", ["fl_2", "fl_3"]),
        ("pilot!=Unassigned", ["fl_1", "fl_3"]),
        ("pilot!=Unassigned,prof_1", ["fl_3"]),
    ],
)
def test_a_record_without_a_value_stays_in_every_engine(engine, text, expected):
    frame = ENGINES[engine](FLIGHTS)
    selected = fk.metrics.collect(fk.Filter.parse([text]).of_flights(frame))
    assert sorted(selected["flight_id"]) == expected


@pytest.mark.parametrize(
    ("options", "means"),
    [
        (["flight_type!=TRAINING"], fk.Filter(flight_type=fk.excluding("TRAINING"))),
        (["type != A, B", "type! =C"], fk.Filter(type=fk.excluding(["A", "B", "C"]))),
        # The sign belongs to the name: these values begin with it, or hold it.
        (["client=!Fjord"], fk.Filter(client="!Fjord")),
        (["client!=!Fjord"], fk.Filter(client=fk.excluding("!Fjord"))),
        (["client=a!=b"], fk.Filter(client="a!=b")),
        (["client!==b"], fk.Filter(client=fk.excluding("=b"))),
        (["client!=Smith\\, Jones,"], fk.Filter(client=fk.excluding(["Smith, Jones", ""]))),
        # What is selected and left out at once is left out.
        (["client=A,B", "client!=B"], fk.Filter(client="A")),
        (["client!=A", "client=A"], fk.Filter(client=[])),
        # A flight may have pieces of both types: those of a drone, and of no camera.
        (["type=A,B", "type!=B,C"], fk.Filter(type=fk.excluding(["B", "C"], of="A"))),
        (["type!=A", "type=A"], fk.Filter(type=[])),
    ],
)
def test_the_command_line_leaves_out_by_a_sign_of_the_name(options, means):
    assert fk.Filter.parse(options) == means
    assert fk.Filter.parse(means.to_options()[1::2]) == means


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("client!=", "'client!=' names nothing to leave out. Name a value"),
        ("night!=yes", "night takes no values to leave out. Write night="),
        ("since!=2026", "since takes no values to leave out"),
        ("categry!=A", "Did you mean category"),
        ("status!=DRFT", "Did you mean DRAFT"),
    ],
)
def test_a_text_that_can_leave_nothing_out_is_refused(option, says):
    with pytest.raises(fk.InvalidValue) as refused:
        fk.Filter.parse([option])
    assert says in str(refused.value)


def test_plain_data_has_what_is_left_out_under_not_and_a_value_is_never_taken_for_it():
    drones = fk.excluding("CAMERA", of="DRONE")
    chosen = fk.Filter(flight_type=fk.excluding("TRAINING"), type=drones, client="!Fjord")
    plain = {
        "flight_type": {"not": ["TRAINING"]},
        "type": {"is": ["DRONE"], "not": ["CAMERA"]},
        "client": ["!Fjord"],
    }
    assert chosen.to_parameters() == json.loads(json.dumps(plain)) == plain
    assert fk.Filter.from_parameters(plain) == chosen
    assert chosen.to_python() == (
        "fk.Filter(flight_type=fk.excluding('TRAINING'),"
        " type=fk.excluding('CAMERA', of='DRONE'), client=('!Fjord',))"
    )
    assert repr(fk.excluding({"TRAINING"})) == "fk.excluding({'TRAINING'})"  # as it was written
    assert chosen != fk.Filter(flight_type="TRAINING", type=drones, client="!Fjord")
    for wrong in ({"nt": "A"}, {"is": "A"}, {"not": "A", "nt": "B"}):
        with pytest.raises(fk.InvalidValue) as refused:
            fk.Filter(type=wrong)
        assert f"{wrong} is not a text, nor a list of texts" in str(refused.value)


def test_no_values_leave_nothing_out_so_equipment_in_maintenance_may_be_none():
    equipment = pd.DataFrame({"equipment_id": ["eq_1", "eq_2"], "status": ["ACTIVE", "LOST"]})
    for status, means in (("LOST", fk.excluding("eq_2")), ("MAINTENANCE", None)):
        gone = equipment[equipment["status"] == status]
        assert fk.Filter(equipment=fk.excluding(gone)) == fk.Filter(equipment=means)


@pytest.mark.parametrize(
    ("one", "other", "both", "pilots"),
    [
        (fk.excluding("a"), fk.excluding(["b", "a"]), *[fk.excluding(["a", "b"])] * 2),
        # A flight has one pilot, so that of pilots what is selected says all.
        (["a", "b"], fk.excluding("b"), fk.excluding("b", of="a"), "a"),
        (
            *(fk.excluding("b"), fk.excluding("c", of=["a", "b"])),
            *(fk.excluding(["b", "c"], of="a"), "a"),
        ),
        (["b"], fk.excluding("b"), [], []),
        (None, fk.excluding("b"), *[fk.excluding("b")] * 2),
    ],
)
def test_two_filters_leave_out_what_either_does(one, other, both, pilots):
    combined = fk.Filter(type=one).combined_with(fk.Filter(type=other))
    assert combined == fk.Filter(type=both)
    assert combined.combined_with({"type": one}) == combined
    of_pilots = fk.Filter(pilot=one).combined_with(fk.Filter(pilot=other))
    assert of_pilots == fk.Filter(pilot=pilots)


# Of a training flight without equipment that is listed, one of the camera alone, and two projects.
NAMELESS = ("type", "category", "model", "manufacturer", "condition")
ODD = {
    **TINY,
    "equipment": [*TINY["equipment"], an_equipment("eq_odd", **dict.fromkeys(NAMELESS))],
    "flights": [
        *TINY["flights"],
        a_flight("fl_6", "2026-10-20T09:00:00.000Z", flightType=None),
        a_flight("fl_7", "2026-10-21T09:00:00.000Z", project={"id": "proj_x", "title": "x"}),
    ],
    "flight_equipment": [
        *TINY["flight_equipment"],
        ("fl_6", "eq_odd"),
        ("fl_7", "eq_camera"),
    ],
    "projects": [*TINY["projects"], a_project("proj_x", clientAccountName=None, status="DRAFT")],
}


@pytest.fixture(scope="module")
def live():
    with ExitStack() as stack:
        served = serving(stack, ODD)
        yield fk.connect(served.base_url, served.api_key)


@pytest.fixture(scope="module")
def mirrored(live, tmp_path_factory):
    path = tmp_path_factory.mktemp("odd")
    live.sync(path)
    return fk.open_mirror(path)


def ids(frame):
    return "".join(identifier[-1] for identifier in sorted(frame["flight_id"]))


@pytest.mark.parametrize(
    ("chosen", "flights"),
    [
        ("flight_type!=COMMERCIAL", "3456"),  # fl_6 has no type
        ("type!=CAMERA", "3456"),  # the camera logged fl_1 and fl_2 too; eq_odd has no type
        ("equipment!=eq_kestrel", "67"),
        ("category!=MULTIROTOR,PAYLOAD", "6"),
        ("model!=A4", "6"),  # eq_odd has no model
        ("manufacturer!=Aerovia", "6"),
        ("condition!=FAIR", "1234567"),
        # A flight without a project is no client's, and one of a project without a client neither.
        ("client!=Lyngfjord Nett", "34567"),
        ("status!=IN_PROGRESS", "34567"),
        ("project!=proj_x", "123456"),
        ("project!=Unassigned", "127"),
        ("pilot!=Unassigned", "1235"),
    ],
)
def test_flights_are_left_out_as_the_opposite_selects_them(live, mirrored, chosen, flights):
    for fleet in (live, mirrored):
        name, _, values = chosen.partition("!=")
        without = fleet.where(fk.Filter.parse([chosen]))
        opposite = fleet.where(fk.Filter.parse([f"{name}={values}"]))
        assert ids(without.flights()) == flights
        assert sorted(ids(without.flights()) + ids(opposite.flights())) == list("1234567")
        # The bridge has each flight's equipment, all of it.
        bridge = fleet.flight_equipment()
        links = bridge[bridge["flight_id"].isin(without.flights()["flight_id"])]
        same(without.flight_equipment(), links, "flight_id", "equipment_id")
        october = set(ids(fleet.flights("2026-10"))) & set(flights)
        assert set(ids(without.flights("2026-10"))) == october


def test_what_is_left_out_and_what_is_selected_add_up(live, mirrored):
    chosen = fk.Filter(type="DRONE", equipment=fk.excluding("eq_camera"), night=False)
    for fleet in (live, mirrored):
        assert ids(fleet.where(chosen).flights()) == "45"
        drones = fleet.where(type=fk.excluding("CAMERA", of="DRONE"))
        assert (
            ids(drones.flights())
            == ids(fleet.where(chosen.only("type")).where(drones.filter).flights())
            == "345"
        )
        assert set(drones.equipment()["type"]) == {"DRONE"}
        without = fleet.where(equipment=fk.excluding("eq_camera"))
        assert ids(without.where(type="DRONE").flights()) == "345"


# test_fleet_engines.py has Polars and DuckDB.
@pytest.mark.slow
def test_dask_leaves_out_what_pandas_does(mirrored):
    fields = {
        "type": "CAMERA",
        "client": "Lyngfjord Nett",
        "flight_type": "RECREATIONAL",
        "pilot": "Unassigned",
    }
    for name, value in fields.items():
        same_tables(mirrored.where(**{name: fk.excluding(value)}), "2026-10", "dask")


def test_arguments_of_calls_leave_out_too(live, mirrored):
    for fleet in (live, mirrored):
        assert ids(fleet.flights(flight_type=fk.excluding("COMMERCIAL"))) == "3456"
        assert len(fleet.projects(fk.excluding(["DRAFT", "COMPLETED"]))) == 1
        lazy = fleet.flights(flight_type=fk.excluding("COMMERCIAL"), engine="polars")
        assert ids(fk.metrics.collect(lazy)) == "3456"
        # Of the lists of some equipment alone it isn't known which flights others logged too.
        without = fleet.where(equipment=fk.excluding("eq_camera"))
        assert ids(without.flights(equipment="eq_kestrel")) == "345"
        lazy = without.flights(equipment="eq_kestrel", engine="polars")
        assert ids(fk.metrics.collect(lazy)) == "345"
        with pytest.raises(fk.InvalidValue, match=r"fleet\.where\(…\) leaves it out"):
            fleet.flights(equipment=fk.excluding("eq_camera"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("flight_type!=TRAINNING", "'TRAINNING' is not a flight type. Did you mean TRAINING?"),
        ("type!=CAMRA", "No piece of equipment has type='CAMRA'. Did you mean CAMERA?"),
        ("client!=Lyngfjord", "No project has client='Lyngfjord'"),
        ("pilot!=Ada Lind", "No flight has pilot='Ada Lind'. That is the name of prof_ada"),
        ("operation_type!=INSPECTON", "Did you mean INSPECTION?"),
    ],
)
def test_a_misspelt_value_to_leave_out_is_refused_as_one_to_select_is(live, mirrored, text, says):
    for fleet in (live, mirrored):
        chosen = fk.Filter.parse([text])
        with pytest.raises(fk.InvalidValue) as refused:
            fleet.where(chosen).flights()
        assert says in str(refused.value)


def test_the_option_of_clients_names_some_of_those_that_the_filter_leaves():
    chosen = fk.Filter(client=fk.excluding(["Fjord", "Quarry"]))
    assert add_clients(chosen, ("Harbour", "Quarry")) == fk.Filter(client="Harbour")
    assert add_clients(chosen, ()) == chosen


@pytest.mark.slow
def test_an_explorer_keeps_what_is_left_out_while_its_controls_move(mirrored):
    chosen = fk.Filter.parse(["type!=CAMERA", "flight_type!=TRAINING", "status!=DRAFT"])
    explorer = fk.explore.flights(mirrored, chosen)
    assert explorer.filter == chosen
    assert ids(explorer.rows) == "456"
    explorer.controls.type.value = "DRONE"  # in place of what the control left out
    drones = fk.Filter.parse(["type=DRONE", "flight_type!=TRAINING", "status!=DRAFT"])
    assert explorer.filter == drones
    assert ids(explorer.rows) == ids(mirrored.where(drones).flights()) == "1245"
    link = fk.explore.to_query({"flights": explorer.filter})
    assert fk.explore.from_query(link) == {"flights": drones}
    assert fk.explore.equipment(mirrored, chosen).filter == chosen
    assert len(fk.explore.projects(mirrored, chosen).rows) == 2


def test_an_explorer_compares_with_what_is_left_out_of_all_that_it_shows(mirrored):
    training = fk.Filter(flight_type=fk.excluding("TRAINING"))
    explorer = fk.explore.flights(mirrored.where(training))
    explorer.controls.compare.value = training.combined_with({"night": False})
    assert "flights.compare.flight_type%21=TRAINING" in explorer.screen.chosen
    with pytest.raises(fk.InvalidValue, match=r"No control can hold .* of 'Equipment type'"):
        explorer.controls.compare.value = fk.Filter(type=fk.excluding("CAMERA", of="DRONE"))


def test_a_comparison_names_what_either_side_leaves_out(mirrored):
    one, other = (fk.Filter(type=fk.excluding("CAMERA", of=of)) for of in (None, "DRONE"))
    compared = fk.compare("flight_totals", one, other, fleet=mirrored)
    assert [side.title for side in sides(one, other, mirrored, None)] == [
        "type not CAMERA",
        "type DRONE, not CAMERA",
    ]
    assert compared[["flights", "flights_other"]].to_numpy().tolist() == [[4, 3]]


def test_a_report_of_all_clients_but_one_is_no_client_s_own():
    assert not is_for_one_client(fk.Filter(client=fk.excluding("Fjord")))
    assert is_for_one_client(fk.Filter(client="Fjord"))


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        (
            "en",
            [
                "flight type = all but TRAINING and MAINTENANCE",
                "client = all but Fjord",
                "night = unknown",
            ],
        ),
        (
            "de",
            [
                "Flugart = alle außer TRAINING und MAINTENANCE",
                "Kunde = alle außer Fjord",
                "Nacht = unbekannt",
            ],
        ),
        (
            "nb",
            [
                "flytype = alle unntatt TRAINING og MAINTENANCE",
                "kunde = alle unntatt Fjord",
                "natt = ukjent",
            ],
        ),
    ],
)
def test_a_report_says_what_its_filter_leaves_out_and_that_it_asks_for_the_unknown(
    mirrored, lang, words
):
    chosen = fk.Filter.parse(
        ["flight_type!=TRAINING,MAINTENANCE", "client!=Fjord", "night=unknown"]
    )
    subject = Subject(mirrored.period("2026-10"), "UTC", chosen, mirrored.settings)
    with language.using(lang):
        assert subject.context(mirrored.mirror, [])["filters"] == words
    others = [
        replace(subject, filter=fk.Filter(client=c)) for c in ("Fjord", fk.excluding("Fjord"))
    ]
    assert len({subject.folder, *(other.folder for other in others)}) == 3


def test_a_report_names_the_pilot_project_and_equipment_that_it_is_of(mirrored):
    chosen = fk.Filter(
        pilot=["prof_ada", "Unassigned"],
        project=fk.excluding("proj_bridge"),
        equipment="eq_kestrel",
    )
    subject = Subject(mirrored.period("2026-10"), "UTC", chosen, mirrored.settings)
    assert sorted(subject.context(mirrored.mirror, [])["filters"]) == [
        "equipment = Kestrel 1 (eq_kestrel)",
        "pilot = Ada Lind (prof_ada) or Unassigned",
        "project = all but Bridge inspection (proj_bridge)",
    ]
