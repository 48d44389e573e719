"""One filter says the same in Python, on the command line and to a notebook."""

from dataclasses import fields
from datetime import date, datetime
from inspect import signature
from pathlib import Path
from zoneinfo import ZoneInfo

import narwhals as nw
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fleetkit as fk
from fleetkit.errors import InvalidValue
from fleetkit.fleet.occurring import check_values

CHOSEN = fk.Filter(
    since="2026-10-01", flight_type=("TRAINING",), category=("DRONE", "CAMERA"), night=False
)
FLIGHTS = pd.DataFrame(
    {
        "flight_id": ["fl_1", "fl_2", "fl_3"],
        "flight_type": ["TRAINING", "COMMERCIAL", None],
        "operation_type": ["SURVEY", "SURVEY", "FILM"],
        "pilot_id": ["prof_1", None, "prof_1"],
        "project_id": ["proj_1", "proj_2", None],
        "night_flight": pd.array([True, False, None], dtype="boolean"),
        "bvlos": pd.array([False, False, True], dtype="boolean"),
        "takeoff_lat": [47.1, 47.3, None],
        "takeoff_lng": [8.2, 8.2, 8.2],
    }
)


def test_a_filter_survives_the_way_through_python():
    assert eval(CHOSEN.to_python(), {"fk": fk}) == CHOSEN  # noqa: S307


def test_a_filter_survives_the_way_through_the_command_line():
    assert fk.Filter.parse(CHOSEN.to_options()[1::2]) == CHOSEN


def test_commas_and_backslashes_inside_a_value_survive_the_way_through_the_command_line():
    chosen = fk.Filter(client=("Smith, Jones & Co", "Harbour\\ Trust", "\\,", " a\\ "))
    assert fk.Filter.parse(chosen.to_options()[1::2]) == chosen


def test_a_filter_survives_the_way_through_notebook_parameters():
    assert fk.Filter.from_parameters(CHOSEN.to_parameters()) == CHOSEN


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        (fk.Filter(), ["fl_1", "fl_2", "fl_3"]),
        (fk.Filter(flight_type="TRAINING"), ["fl_1"]),
        (fk.Filter(operation_type=["SURVEY", "FILM"]), ["fl_1", "fl_2", "fl_3"]),
        (fk.Filter(pilot="prof_1", bvlos=True), ["fl_3"]),
        (fk.Filter(night=True), ["fl_1"]),
        (fk.Filter(night=False), ["fl_2"]),
        (fk.Filter(night="unknown"), ["fl_3"]),
        (fk.Filter(night=()), []),
        (fk.Filter.parse(["night=Unknown", "bvlos=yes"]), ["fl_3"]),
        (fk.Filter(project="proj_9"), []),
        (fk.Filter(pilot="Unassigned"), ["fl_2"]),
        (fk.Filter(project=["Unassigned", "proj_1"]), ["fl_1", "fl_3"]),
        # A point on the southern or western edge belongs to an area, one on the other edges not.
        (fk.Filter(take_off=(47.1, 8.2, 47.3, 8.5)), ["fl_1"]),
        (fk.Filter.parse(["take_off=47.3, 8, 48, 9"]), ["fl_2"]),
        (fk.Filter(take_off=(47, 8, 48, 8.2)), []),
        (fk.Filter(take_off=(-90, -180, 90, 180)), ["fl_1", "fl_2"]),
        (fk.Filter(take_off=()), []),
    ],
)
def test_fields_narrow_together_and_null_is_neither_yes_nor_no(chosen, expected):
    assert chosen.of_flights(FLIGHTS)["flight_id"].tolist() == expected
    in_narwhals = chosen.of_flights(nw.from_native(FLIGHTS))  # whose rows are Narwhals' own, too
    assert in_narwhals.get_column("flight_id").to_list() == expected
    lazy = chosen.of_flights(nw.from_native(FLIGHTS).lazy())
    assert lazy.collect().get_column("flight_id").to_list() == expected


@pytest.mark.parametrize("text", ["night=maybe", "colour=red", "TRAINING", "=x"])
def test_a_text_that_is_no_filter_is_refused(text):
    with pytest.raises(fk.InvalidValue, match="is not a filter"):
        fk.Filter.parse([text])


@pytest.mark.parametrize("value", ["", 1.0, [True]])
def test_what_is_no_answer_is_refused(value):
    with pytest.raises(fk.InvalidValue, match=r"is not a filter\. Write night=yes, no or unknown"):
        fk.Filter(night=value)


def test_a_name_without_a_value_is_not_its_own_suggestion():
    with pytest.raises(fk.InvalidValue, match=r"'night' is not a filter\. Write name=value"):
        fk.Filter.parse(["night"])


def test_a_flight_type_that_nobody_knows_is_refused():
    with pytest.raises(fk.InvalidValue, match="'TRAINNING' is not a flight type"):
        fk.Filter(flight_type="TRAINNING").of_flights(FLIGHTS)
    # One that the reference lacks and the flights have is known.
    unheard = FLIGHTS.assign(flight_type=[None, "AD_HOC", "TRAINING"])
    assert fk.Filter(flight_type="AD_HOC").of_flights(unheard)["flight_id"].tolist() == ["fl_2"]


def test_a_status_that_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="'SOLD' is not a project status"):
        fk.Filter(status="SOLD")


def test_an_empty_filter_is_false():
    assert not fk.Filter()
    assert CHOSEN


EQUIPMENT = pd.DataFrame(
    {
        "equipment_id": ["eq_1", "eq_2", "eq_3"],
        "type": ["DRONE", "CAMERA", "DRONE"],
        "category": ["MULTIROTOR", "PAYLOAD", "FIXED_WING"],
    }
)
TOKENS = st.lists(st.text(max_size=6), max_size=3)
LEFT_OUT = TOKENS.map(fk.excluding) | st.builds(fk.excluding, TOKENS, TOKENS)
TYPES = st.lists(st.sampled_from(["DRONE", "CAMERA", "VTOL"]))
KINDS = st.sampled_from(["TRAINING", "COMMERCIAL", "Unassigned"])
EDGES = st.floats(-90, 90) | st.sampled_from([-90, 0, 47.1, 47.3, 8.2])
AREAS = st.tuples(EDGES, EDGES, EDGES, EDGES).filter(lambda a: a[0] < a[2] and a[1] < a[3])
FILTERS = st.builds(
    fk.Filter,
    since=st.none() | st.sampled_from(["2026-10", "2026-10-05", "2026-10-05T06:00:00Z"]),
    until=st.none() | st.sampled_from(["2026-11", date(2026, 10, 20)]),
    pilot=st.none() | TOKENS | LEFT_OUT,
    client=st.none() | TOKENS | LEFT_OUT,
    type=st.none() | TYPES | TYPES.map(fk.excluding) | st.builds(fk.excluding, TYPES, TYPES),
    flight_type=st.none() | st.lists(KINDS) | st.lists(KINDS).map(fk.excluding),
    night=st.sampled_from([None, True, False, "unknown", ()]),
    take_off=st.none() | st.just(()) | AREAS,
)


def test_equipment_is_narrowed_by_type_and_by_category():
    chosen = fk.Filter(type="DRONE", category=["MULTIROTOR", "PAYLOAD"])
    assert chosen.of_equipment(EQUIPMENT)["equipment_id"].tolist() == ["eq_1"]
    assert fk.Filter.parse(["type=DRONE"]).of_equipment(EQUIPMENT)["equipment_id"].tolist() == [
        "eq_1",
        "eq_3",
    ]


def test_equipment_is_narrowed_by_model_manufacturer_and_condition():
    pieces = EQUIPMENT.assign(model=["A4", None, "A6"], manufacturer="Aerovia", condition="GOOD")
    for chosen, expected in (
        (["model=A4"], ["eq_1"]),
        (["model!=A4", "manufacturer=Aerovia"], ["eq_2", "eq_3"]),
        (["condition!=GOOD"], []),
    ):
        selected = fk.Filter.parse(chosen).of_equipment(pieces)
        assert selected["equipment_id"].tolist() == expected


def test_projects_are_narrowed_by_id_by_status_and_by_client():
    listed = pd.DataFrame(
        {
            "project_id": ["proj_1", "proj_2", "proj_3"],
            "status": ["DRAFT", "COMPLETED", "DRAFT"],
            "client_account_name": ["Fjord", "Fjord", None],
        }
    )
    for chosen, expected in (
        (["project=proj_1,proj_2", "status=DRAFT"], ["proj_1"]),
        (["project!=proj_1", "status=DRAFT"], ["proj_3"]),
        (["client!=Fjord"], ["proj_3"]),
    ):
        assert fk.Filter.parse(chosen).of_projects(listed)["project_id"].tolist() == expected


@pytest.mark.parametrize("nothing", [[], (), set(), pd.Series([], dtype="str")])
def test_a_field_without_a_value_means_nothing_and_not_all(nothing):
    chosen = fk.Filter(pilot=nothing)
    assert chosen
    assert chosen.of_flights(FLIGHTS).empty
    assert fk.Filter(equipment=nothing).of_equipment(EQUIPMENT).empty


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"pilot": ["a", "b"]}, {"pilot": ["b", "c"]}, {"pilot": ["b"]}),
        ({"pilot": "a"}, {"pilot": "b"}, {"pilot": []}),
        ({"pilot": []}, {"pilot": "b"}, {"pilot": []}),
        ({"pilot": "a"}, {"night": True}, {"pilot": ["a"], "night": True}),
        ({"night": True}, {"night": True}, {"night": True}),
        ({"night": True}, {"night": False}, {"night": []}),
        ({"night": "unknown"}, {"night": False}, {"night": []}),
        ({"night": "unknown"}, {"night": "unknown"}, {"night": "unknown"}),
        ({"night": ()}, {"night": False}, {"night": []}),
        ({"take_off": (0, 0, 2, 2)}, {"take_off": (1, -1, 3, 1)}, {"take_off": [1, 0, 2, 1]}),
        ({"take_off": (0, 0, 1, 1)}, {"take_off": (1, 0, 2, 1)}, {"take_off": []}),
        ({"take_off": ()}, {"take_off": (1, 0, 2, 1)}, {"take_off": []}),
        ({"since": "2026-10"}, {"since": "2026-10-05"}, {"since": "2026-10-05"}),
        ({"until": "2026-10"}, {"until": "2026-10-05"}, {"until": "2026-10"}),
        # What is over before it begins is an empty span.
        (
            {"since": "2026-11"},
            {"until": "2026-10"},
            {"since": "2026-11", "until": "2026-11"},
        ),
    ],
)
def test_two_filters_mean_what_both_mean(one, other, expected):
    filters = fk.Filter(**one), fk.Filter(**other)
    assert filters[0].combined_with(filters[1]).to_parameters() == expected
    assert filters[1].combined_with(filters[0]).to_parameters() == expected


def test_a_time_without_a_zone_is_left_to_the_fleet_s_and_one_with_a_zone_is_that_moment():
    assert fk.Filter(since=date(2026, 10, 1)).since == "2026-10-01"
    six = datetime(2026, 10, 1, 6)
    assert fk.Filter(since=six).since == "2026-10-01T06:00:00"
    in_oslo = fk.Filter(since=six.replace(tzinfo=ZoneInfo("Europe/Oslo"))).since
    assert in_oslo == "2026-10-01T04:00:00+00:00"


def test_the_later_start_is_told_in_the_fleet_s_zone():
    # 1 October begins in Tokyo nine hours before it does in UTC.
    filters = fk.Filter(since="2026-10-01"), fk.Filter(since="2026-09-30T18:00:00Z")
    assert filters[0].combined_with(filters[1], "Asia/Tokyo").since == "2026-09-30T18:00:00Z"
    assert filters[0].combined_with(filters[1], "UTC").since == "2026-10-01"
    # At 01:00 UTC Oslo set its clocks back by an hour: the later moment bears the earlier time.
    filters = fk.Filter(since="2026-10-25T00:30:00Z"), fk.Filter(since="2026-10-25T01:10:00Z")
    assert filters[0].combined_with(filters[1], "Europe/Oslo").since == "2026-10-25T01:10:00Z"


@pytest.mark.slow
@given(FILTERS, FILTERS)
def test_narrowing_is_the_same_in_either_order_and_twice(one, other):
    both = one.combined_with(other)
    sets = [
        set(combination.to_options()[1::2])
        for combination in (
            both,
            other.combined_with(one),
            both.combined_with(one),
            both.combined_with(other),
        )
    ]
    assert sets[1:] == sets[:1] * 3
    for frame, name in ((FLIGHTS, "flights"), (EQUIPMENT, "equipment")):
        selected, of_one, of_other = (
            set(_selected(chosen, frame, name)) for chosen in (both, one, other)
        )
        assert selected == of_one & of_other


def _selected(chosen, frame, name):
    rows = (
        chosen.of_equipment(frame) if name == "equipment" else chosen.of_flights(frame, check=False)
    )
    return rows.iloc[:, 0]


@pytest.mark.slow
@given(FILTERS)
def test_every_filter_survives_every_way(chosen):
    assert fk.Filter.parse(chosen.to_options()[1::2]) == chosen
    assert fk.Filter.from_parameters(chosen.to_parameters()) == chosen
    assert eval(chosen.to_python(), {"fk": fk}) == chosen  # noqa: S307 - our own text


@pytest.mark.parametrize(
    "values",
    [
        {"pilot": 3},
        {"pilot": [None]},
        {"pilot": [float("nan")]},
        {"pilot": {"a": 1}},
        {"pilot": EQUIPMENT},
        {"night": "maybe"},
        {"night": 2},
        {"since": "October"},
        {"since": pd.NaT},
        {"until": True},
        {"status": "draft"},
        {"take_off": 47.1},
        {"take_off": (47.1, 8.2, 47.3)},
        {"take_off": (0, 0, 47.3, True)},
        {"take_off": (47.1, 8.2, float("nan"), 8.5)},
        {"take_off": (47.1, 8.2, 90.1, 8.5)},
        {"take_off": (47.3, 8.2, 47.1, 8.5)},
        {"take_off": (47.1, 8.2, 47.1, 8.5)},
        {"take_off": "47.1,8.2,47.3,east"},
    ],
)
def test_a_value_that_can_not_be_right_is_refused(values):
    with pytest.raises(fk.InvalidValue):
        fk.Filter(**values)


def test_an_area_across_the_180th_meridian_is_refused_as_two():
    with pytest.raises(fk.InvalidValue, match="One across the 180th meridian is two areas"):
        fk.Filter(take_off=(-20, 175, -15, -178))


def test_an_area_is_one_option_and_reads_as_four_numbers():
    chosen = fk.Filter(take_off=(47, 8.25, 47.3, 8.5))
    assert chosen.to_options() == ["--filter", "take_off=47,8.25,47.3,8.5"]
    assert repr(chosen) == "Filter(take_off=(47.0, 8.25, 47.3, 8.5))"
    assert fk.Filter.parse(["take_off="]) == fk.Filter(take_off=[])


def test_the_last_parallel_and_the_last_meridian_belong_to_areas_that_end_there_and_0_0_to_none():
    points = FLIGHTS.assign(takeoff_lat=[90.0, 10.0, 0.0], takeoff_lng=[10.0, 180.0, 0.0])
    areas = {"fl_1": (80, 0, 90, 20), "fl_2": (0, 170, 20, 180), "": (-1, -1, 1, 1)}
    for flight, area in areas.items():
        selected = fk.Filter(take_off=area).of_flights(points)["flight_id"]
        assert "".join(selected) == flight


def test_values_are_taken_from_a_series_a_table_and_a_row_of_it():
    for given_as in (EQUIPMENT["equipment_id"], EQUIPMENT):
        assert fk.Filter(equipment=given_as).equipment == ("eq_1", "eq_2", "eq_3")
    assert fk.Filter(equipment=EQUIPMENT.iloc[1]).equipment == ("eq_2",)


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("categry=PAYLOAD", "Did you mean category"),
        ("status=draft", "Did you mean DRAFT"),
    ],
)
def test_a_misspelt_filter_is_refused_with_near_words(option, says):
    with pytest.raises(fk.InvalidValue, match=says):
        fk.Filter.parse([option])


def test_a_name_without_a_value_means_nothing():
    assert fk.Filter.parse(["night= ", "pilot="]) == fk.Filter(night=[], pilot=[])


def test_one_answer_can_not_be_given_twice():
    with pytest.raises(fk.InvalidValue, match="given twice"):
        fk.Filter.parse(["night=yes", "night=no"])


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (None, "None is not a frame"),
        (pd.DataFrame({"pilot": ["p"]}), r"^The frame lacks pilot_id\. It has: pilot\. Pass"),
        (pd.DataFrame(), r"^The frame lacks pilot_id\. It has: no columns\. Pass"),
        (pd.DataFrame([["p", "p"]], columns=["pilot_id"] * 2), "Two columns .* have one name"),
    ],
)
def test_what_a_filter_can_not_narrow_is_refused_in_words(frame, says):
    with pytest.raises(fk.InvalidValue, match=says):
        fk.Filter(pilot="p").of_flights(frame)


OF_OTHER_KINDS = [
    # Of a file of texts, or of ids that are numbers: no row had the value, or the engine failed.
    (fk.Filter(night=True), {"night_flight": ["True", "False"]}, "night_flight is String, not a b"),
    (fk.Filter(pilot="1"), {"pilot_id": [1, 2]}, "pilot_id is Int64, not a text"),
    (fk.Filter(take_off=()), {"takeoff_lat": ["1", "2"], "takeoff_lng": [1, 2]}, "lat is String"),
]


@pytest.mark.parametrize(("chosen", "columns", "says"), OF_OTHER_KINDS)
@pytest.mark.parametrize("engine", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_a_column_of_another_kind_than_a_filter_s_values_is_refused(engine, chosen, columns, says):
    with pytest.raises(InvalidValue, match=says):
        chosen.of_flights(engine({"flight_id": ["fl_1", "fl_2"]} | columns))


def test_numbers_1_and_0_are_yes_and_no_and_a_column_of_nulls_alone_is_of_any_kind():
    flights = pd.DataFrame({"flight_id": ["fl_1", "fl_2"], "night_flight": [1, 0]})
    assert fk.Filter(night=True).of_flights(flights)["flight_id"].tolist() == ["fl_1"]
    without = flights.assign(pilot_id=float("nan"), night_flight=None)
    assert len(fk.Filter(pilot="Unassigned", night="unknown").of_flights(without)) == 2
    with pytest.raises(InvalidValue, match="pilot_id is Unknown, not a text"):  # Arrow's null
        fk.Filter(pilot="p").of_flights(
            flights.assign(pilot_id=pd.array([None] * 2, "null[pyarrow]"))
        )


def test_every_field_of_a_filter_is_explained():
    named = fk.Filter.__doc__.split("Parameters")[1]
    assert [field.name for field in fields(fk.Filter) if field.name not in named] == []


def test_every_field_of_a_filter_is_an_argument_of_where_and_stands_in_the_readme():
    names = [field.name for field in fields(fk.Filter)]
    others = {"self", "chosen", "allow_empty"}
    assert names == [name for name in signature(fk.Fleet.where).parameters if name not in others]
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in readme] == []


def test_of_many_values_an_error_lists_twelve_and_counts_the_others():
    known = [f"Fjord {number}" for number in range(14)]
    with pytest.raises(InvalidValue, match=r"Fjord \d+ and 2 more\.") as refused:
        check_values(fk.Filter(client="x"), "projects", {"client": known}, ["client"])
    assert str(refused.value).count("Fjord ") == 12


def test_of_a_value_that_flights_and_projects_have_an_error_lists_it_once():
    with pytest.raises(InvalidValue, match=r"title in the table projects: p1, p2\. Leave"):
        check_values(
            fk.Filter(project="x"), "flights", {"project": ["p1", "p2", "p1"]}, ["project"]
        )


def test_of_values_an_error_lists_60_letters_and_none_that_a_terminal_obeys():
    known = ["Fjord", "x" * 5_000, "\x1b[31mred"]
    with pytest.raises(InvalidValue) as refused:
        check_values(fk.Filter(client="y"), "projects", {"client": known}, ["client"])
    listed = f"Values of client are: Fjord, {'x' * 59}…, '\\x1b[31mred'. Leave"
    assert listed in str(refused.value)


def test_where_no_record_has_a_value_at_all_that_is_said():
    says = r"^No project has client='Fjord'\. None has any\."
    with pytest.raises(InvalidValue, match=says):
        check_values(fk.Filter(client="Fjord"), "projects", {"client": []}, ["client"])


@pytest.mark.parametrize(
    ("value", "known", "says"),
    [
        ("A\u030asane", "\xc5sane", r"Its accents are other characters there: write '\\xc5sane'"),
        ("Asane", "Asane ", r"Did you mean 'Asane '\? Values of client are: 'Asane '\."),
    ],
)
def test_a_value_that_only_looks_like_one_that_occurs_is_told_apart(value, known, says):
    with pytest.raises(InvalidValue, match=says):
        check_values(fk.Filter(client=value), "projects", {"client": [known]}, ["client"])


def test_a_dict_is_combined_with_a_filter_as_the_filter_that_it_is_elsewhere():
    combined = fk.Filter(pilot=["prof_1", "prof_2"]).combined_with({"pilot": "prof_2"})
    assert combined == fk.Filter(pilot="prof_2")
    with pytest.raises(fk.InvalidValue, match="NoneType is not a Filter"):
        fk.Filter(night=True).combined_with(None)


def test_a_field_that_a_filter_has_not_is_refused_with_a_near_name():
    with pytest.raises(fk.InvalidValue, match=r"no filter named 'nigth'\. Did you mean night"):
        fk.Filter(night=True).only("nigth")


def test_a_lazy_frame_without_a_column_that_a_filter_reads_is_refused_at_once():
    narrowed = pl.LazyFrame({"flight_id": ["fl_1"], "night_flight": [True]})
    with pytest.raises(InvalidValue, match="pilot_id"):
        fk.Filter(pilot="prof_1").of_flights(narrowed)
    assert fk.Filter(night=True).of_flights(narrowed).collect().height == 1


def test_flights_without_types_are_refused_in_words_also_for_a_type_that_no_reference_knows():
    for frame in (pd.DataFrame({"flight_id": ["fl_1"]}), pl.LazyFrame({"flight_id": ["fl_1"]})):
        with pytest.raises(InvalidValue, match="flight_type"):
            fk.Filter(flight_type="FERRY").of_flights(frame)
