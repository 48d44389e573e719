"""Why hours rose or fell: who and what contributed most, counted by hand."""

import pandas as pd
import pytest

from fleetkit import metrics
from fleetkit.reports.why import concentration, is_explained, why
from fleetkit.time import Period

SEPTEMBER = Period.read("2026-09")
AIRCRAFT = pd.DataFrame({"equipment_id": ["d", "e"], "name": ["Kestrel", "Heron"]})


def flights(*rows):
    """Return flights of ``id, hours, aircraft, pilot, type, project`` and their bridge."""
    columns = ["flight_id", "hours", "equipment_id", "pilot_id", "flight_type", "project_id"]
    frame = pd.DataFrame(rows, columns=columns).astype(
        dict.fromkeys(columns, "str") | {"hours": float}
    )
    frame["duration_seconds"] = frame.pop("hours") * 3600
    names = {"a": "Ada", "b": "Bo", "p": "Roof", "q": "Bridge"}
    frame = frame.assign(
        pilot_name=frame["pilot_id"].map(names), project_title=frame["project_id"].map(names)
    )
    return frame.drop(columns="equipment_id"), frame[["flight_id", "equipment_id"]]


NOW, BRIDGE_NOW = flights(
    ("1", 6.0, "d", "a", "COMMERCIAL", "p"),
    ("2", 2.0, "e", "b", "COMMERCIAL", None),
    ("3", 1.0, "e", None, "TRAINING", "q"),
)
BEFORE, BRIDGE_BEFORE = flights(
    ("7", 2.0, "d", "a", "COMMERCIAL", "q"),
    ("8", 3.0, "e", "b", "TRAINING", None),
)
BRIDGE = pd.concat([BRIDGE_NOW, BRIDGE_BEFORE])


def changes(now=NOW, before=BEFORE):
    return metrics.contributions(now, before, BRIDGE, AIRCRAFT)


def rows(frame, dimension):
    part = frame[frame["dimension"] == dimension]
    return [
        (None if pd.isna(row.name) else row.name, row.hours, row.hours_before, row.change)
        for row in part[["name", "hours", "hours_before", "change"]].itertuples(
            index=False, name="Row"
        )
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dimension", "counted"),
    [
        ("aircraft", [("Kestrel", 6.0, 2.0, 4.0), ("Heron", 3.0, 3.0, 0.0)]),
        ("pilot", [("Ada", 6.0, 2.0, 4.0), ("Bo", 2.0, 3.0, -1.0), (None, 1.0, 0.0, 1.0)]),
        ("flight type", [("COMMERCIAL", 8.0, 2.0, 6.0), ("TRAINING", 1.0, 3.0, -2.0)]),
        ("project", [("Roof", 6.0, 0.0, 6.0), ("Bridge", 1.0, 2.0, -1.0), (None, 2.0, 3.0, -1.0)]),
    ],
)
def test_each_dimension_says_what_changed_the_largest_first(dimension, counted):
    assert rows(changes(), dimension) == counted


@pytest.mark.slow
def test_a_name_is_the_last_one_that_came_with_a_flight():
    days = pd.to_datetime([None, "2026-10-03T09:00Z", "2026-10-02T09:00Z"])  # Zoe's has no date
    renamed = NOW.assign(
        pilot_id="a", pilot_name=["Zoe", "Ada", "Yve"], flight_date=days,
        project_id="p", project_title=[None, None, "Roof"],
    )  # fmt: skip
    before = BEFORE.assign(flight_date=days[:2] - pd.Timedelta(days=30))
    found = changes(renamed, before)
    assert rows(found, "pilot")[0] == ("Ada", 9.0, 2.0, 7.0)
    assert rows(found, "pilot")[1] == ("Bo", 0.0, 3.0, -3.0)
    assert rows(found, "project")[0] == ("Roof", 9.0, 0.0, 9.0)


def test_without_flights_there_is_nothing_that_contributed():
    nothing = changes(NOW.head(0), BEFORE.head(0))
    assert list(nothing) == ["dimension", "key", "name", "hours", "hours_before", "change"]
    assert nothing.empty


@pytest.mark.slow
def test_a_part_of_the_change_is_named_with_the_whole():
    # Ada added 4.0 of 4.0 h; commercial flights and the roof 6.0, more than all.
    people = changes()[lambda frame: frame["dimension"] == "pilot"]
    said = why(people, {"now": 9.0, "before": 5.0}, SEPTEMBER)
    assert said == "Ada added 4.0 of the 4.0 h more than in September 2026."


@pytest.mark.slow
def test_what_changed_by_more_than_the_whole_stands_beside_all_others():
    said = why(changes(), {"now": 9.0, "before": 5.0}, SEPTEMBER)
    assert said == (
        "COMMERCIAL flights: 6.0 h more than in September 2026; all others together: 2.0 h fewer."
    )
    # 1.9 h, and 1.8 h with the 0.02 h that the others lost: no part is more than its whole.
    types = changes()[lambda frame: frame["dimension"] == "flight type"].assign(
        change=[1.86, -0.02]
    )
    assert why(types, {"now": 9.0, "before": 7.16}, SEPTEMBER) == (
        "COMMERCIAL flights: 1.9 h more than in September 2026; all others together: 0.1 h fewer."
    )


@pytest.mark.slow
def test_fewer_hours_are_explained_by_who_flew_less():
    people = changes(BEFORE, NOW)[lambda frame: frame["dimension"] == "aircraft"]
    said = why(people, {"now": 5.0, "before": 9.0}, SEPTEMBER)
    assert said == "Kestrel: 4.0 of the 4.0 h fewer than in September 2026."


def test_flights_without_a_pilot_are_named_so():
    people = pd.DataFrame(
        {"dimension": "pilot", "key": ["a", None], "name": ["Ada", None], "change": [1.0, 3.0]}
    )
    said = why(people, {"now": 9.0, "before": 5.0}, SEPTEMBER)
    assert said == "Flights without a pilot added 3.0 of the 4.0 h more than in September 2026."
    people["key"], people["name"] = ["a", "b"], ["Ada", "eBee X"]
    said = why(people, {"now": 9.0, "before": 5.0}, SEPTEMBER)
    assert said == "eBee X added 3.0 of the 4.0 h more than in September 2026."
    # Nobody flew more: it was flights of which nobody is known.
    people["change"] = [0.0, -1.0]
    assert why(people, {"now": 9.0, "before": 5.0}, SEPTEMBER) == ""


@pytest.mark.slow
def test_the_only_aircraft_explains_nothing():
    one = changes()[lambda frame: frame["name"] == "Kestrel"]
    assert why(one, {"now": 9.0, "before": 5.0}, SEPTEMBER) == ""
    assert concentration(one, 6.0) == ""


def test_who_flew_most_hours_is_said_where_others_flew_before_or_are_not_known():
    two = pd.DataFrame({"dimension": "pilot", "key": ["a", "b"], "name": ["Ada", "Bo"]})
    assert concentration(two.assign(hours=[6.0, 0.0]), 6.0) == "Ada flew 100 % of the hours."
    people = pd.DataFrame(
        {"dimension": "pilot", "key": ["a", None], "name": ["Ada", None], "hours": [4.5, 1.5]}
    )
    assert concentration(people, 6.0) == "Ada flew 75 % of the hours."
    assert concentration(people.assign(hours=[1.5, 4.5]), 6.0) == ""
    # More than half doesn't read as half, and not all doesn't read as all.
    assert concentration(people.assign(hours=[5.04, 4.96]), 10.0) == "Ada flew 50.4 % of the hours."
    assert concentration(people.assign(hours=[9.96, 0.04]), 10.0) == "Ada flew 99.6 % of the hours."


def test_a_change_of_a_fifth_is_explained_and_a_smaller_one_is_not():
    assert [is_explained(now, 10.0) for now in (12.0, 8.0, 11.9, 8.1)] == [True, True, False, False]
    assert is_explained(1.2, 1.0)  # whose difference is 0.19999999999999996 to a computer
    assert [is_explained(None, 10.0), is_explained(5.0, None), is_explained(5.0, 0.0)] == [
        False
    ] * 3


def test_what_has_no_name_is_called_by_its_id():
    pieces = pd.DataFrame(
        {
            "dimension": "aircraft",
            "key": ["eq_1", "eq_2"],
            "name": pd.Series([None, " "], dtype="str"),
            "hours": [6.0, 3.0],
            "change": [5.0, -1.0],
        }
    )
    assert why(pieces, {"now": 9.0, "before": 5.0}, SEPTEMBER).startswith("eq_1: 5.0 h more ")
    assert concentration(pieces, 9.0) == "eq_1 flew 67 % of the hours."
    assert concentration(pieces.assign(hours=[3.0, 6.0]), 9.0) == "eq_2 flew 67 % of the hours."


def test_two_of_one_name_are_called_by_their_ids_too_and_an_aircraft_is_no_namesake_of_a_pilot():
    of_one_name = pd.DataFrame(
        {
            "dimension": ["aircraft", "aircraft", "pilot", "pilot"],
            "key": ["eq_1", "eq_2", "prof_1", "prof_2"],
            "name": ["Merlin", "Merlin", "Merlin", "Ada"],
            "hours": [6.0, 3.0, 5.0, 4.0],
            "change": [5.0, -1.0, 2.0, 2.0],
        }
    )
    said = why(of_one_name, {"now": 9.0, "before": 5.0}, SEPTEMBER)
    assert said.startswith("Merlin (eq_1): 5.0 h more ")
    assert concentration(of_one_name, 9.0) == (
        "Merlin (eq_1) flew 67 % of the hours. Merlin flew 56 % of the hours."
    )


@pytest.mark.slow
def test_who_flew_more_than_half_is_said_and_half_is_not():
    # Of 9 h Kestrel and Ada flew 6.
    assert concentration(changes(), 9.0) == (
        "Kestrel flew 67 % of the hours. Ada flew 67 % of the hours."
    )
    assert concentration(changes(), 12.0) == ""
