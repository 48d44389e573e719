"""One filter says the same in Python, on the command line and to a notebook."""

import pandas as pd
import pytest

import fleetkit as fk

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
    }
)


def test_a_filter_survives_the_way_through_python():
    assert eval(CHOSEN.to_python(), {"fk": fk}) == CHOSEN  # noqa: S307


def test_a_filter_survives_the_way_through_the_command_line():
    assert fk.Filter.parse(CHOSEN.to_options()[1::2]) == CHOSEN


def test_a_comma_inside_a_value_survives_the_way_through_the_command_line():
    chosen = fk.Filter(client=("Smith, Jones & Co", "Harbour Trust"))
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
        (fk.Filter(project="proj_9"), []),
        (fk.Filter(pilot="Unassigned"), ["fl_2"]),
        (fk.Filter(project=["Unassigned", "proj_1"]), ["fl_1", "fl_3"]),
    ],
)
def test_fields_narrow_together_and_null_is_neither_yes_nor_no(chosen, expected):
    assert chosen.of_flights(FLIGHTS)["flight_id"].tolist() == expected


@pytest.mark.parametrize("text", ["night=maybe", "colour=red", "TRAINING", "=x"])
def test_a_text_that_is_no_filter_is_refused(text):
    with pytest.raises(fk.InvalidValue, match="is no filter"):
        fk.Filter.parse([text])


def test_a_flight_type_that_nobody_knows_is_refused():
    with pytest.raises(fk.InvalidValue, match="'TRAINNING' is no flight type"):
        fk.Filter(flight_type="TRAINNING").of_flights(FLIGHTS)


def test_a_status_that_nobody_knows_is_refused():
    with pytest.raises(ValueError, match="'SOLD' is no project status"):
        fk.Filter(status="SOLD")


def test_an_empty_filter_is_false():
    assert not fk.Filter()
    assert CHOSEN
