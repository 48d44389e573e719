"""Equipment whose status contradicts its flights or its condition."""

import pandas as pd
import pytest
from five_flights import bridge, days, equipment, flights, rows, text

from fleetkit import metrics


def found(pieces, logs=None, **arguments):
    logs = flights() if logs is None else logs
    return metrics.contradictions(pieces, logs, bridge(), **arguments)


def test_a_fleet_of_which_nothing_speaks_against_its_status_has_no_contradiction():
    sound = equipment().assign(condition="GOOD")
    assert found(sound).empty


def test_what_is_grounded_today_and_flew_is_a_question():
    given = equipment().assign(
        condition="GOOD",
        status=text("GROUNDED", "LOST", "RETIRED", "GROUNDED"),
        updated_at=days(*["2027-02-01"] * 4),
    )
    counted = found(given)[["name", "contradiction", "severity", "flights", "flight_ids"]]
    assert rows(counted) == [
        ("Kestrel", "flew, and is GROUNDED", "question", 4, "fl_5, fl_4, fl_2, fl_1"),
        ("Lens", "flew, and is LOST", "question", 2, "fl_5, fl_1"),
        ("Merlin", "flew, and is RETIRED", "question", 1, "fl_3"),
    ]


def test_a_flight_after_the_record_s_last_change_is_an_error():
    given = equipment().assign(
        condition="GOOD",
        status=text("ACTIVE", "ACTIVE", "RETIRED", "ACTIVE"),
        updated_at=days(*["2026-10-14"] * 4),
    )
    assert rows(found(given)[["name", "severity", "flights"]]) == [("Merlin", "error", 1)]


def test_what_is_active_in_the_worst_condition_comes_first():
    given = equipment().assign(
        condition=text("POOR", "FAIR", "DAMAGED", "POOR"),
        status=text("ACTIVE", "ACTIVE", "RETIRED", "ACTIVE"),
        updated_at=days(*["2027-02-01"] * 4),
    )
    assert rows(found(given)[["name", "contradiction", "severity", "flights"]]) == [
        ("Heron", "is ACTIVE in condition POOR", "error", None),
        ("Kestrel", "is ACTIVE in condition POOR", "error", None),
        ("Merlin", "flew, and is RETIRED", "question", 1),
    ]


def test_the_order_that_is_given_counts_and_not_that_of_categories():
    """Where FAIR is worse than POOR, the three that are ACTIVE and FAIR contradict themselves."""
    categories = pd.CategoricalDtype(["FAIR", "POOR"], ordered=True)
    given = equipment().assign(condition=text("FAIR", "FAIR", "FAIR", "POOR"), status="ACTIVE")
    order = ["POOR", "FAIR"]
    for pieces in (given, given.astype({"condition": categories})):
        assert len(found(pieces, condition_order=order)) == 3


def test_a_worst_condition_in_the_better_half_of_the_order_contradicts_nothing():
    assert found(equipment().assign(condition="FAIR")).empty
    order = ["NEW", "GOOD", "FAIR"]
    assert len(found(equipment().assign(condition="FAIR"), condition_order=order)) == 3


def test_a_worst_condition_in_the_very_middle_of_the_order_contradicts_nothing():
    order = ["NEW", "FAIR", "POOR"]
    assert found(equipment().assign(condition="FAIR"), condition_order=order).empty


def test_a_flight_at_the_moment_of_the_record_s_last_change_is_a_question():
    given = equipment().assign(condition="GOOD", status=text("ACTIVE", "ACTIVE", "LOST", "ACTIVE"))
    for changed, severity in [("2026-10-15T09:00", "question"), ("2026-10-15T08:59:59", "error")]:
        counted = found(given.assign(updated_at=days(*[changed] * 4)))
        assert rows(counted[["name", "severity"]]) == [("Merlin", severity)]


def test_the_last_flight_is_the_newest_and_of_one_moment_flights_come_by_id():
    given = equipment().assign(condition="GOOD", status="GROUNDED")
    logs = flights()
    logs["flight_date"] = (
        logs["flight_date"].where(logs["flight_id"] != "fl_4").fillna(logs["flight_date"].iloc[1])
    )  # that of fl_2
    counted = found(given, logs).iloc[0]
    assert counted["flight_ids"] == "fl_5, fl_2, fl_4, fl_1"
    assert counted["last_flight"] == pd.Timestamp("2027-01-01T12:00Z")


def test_of_one_name_equipment_comes_by_id():
    given = equipment().assign(condition="DAMAGED", name="Kestrel", status="ACTIVE")
    ids = ["eq_cam", "eq_drone", "eq_new", "eq_spare"]
    assert found(given)["equipment_id"].tolist() == ids


def test_so_many_ids_are_named_as_are_asked_for():
    given = equipment().assign(condition="GOOD", status="GROUNDED")
    assert rows(found(given, most=1)[["flights", "flight_ids"]])[0] == (4, "fl_5")


@pytest.mark.slow
def test_without_flights_or_equipment_there_are_no_rows_and_the_same_dtypes():
    full = found(equipment().assign(status="GROUNDED"))
    without = [found(equipment().iloc[:0]), found(equipment().assign(status="LOST"), flights()[:0])]
    for frame in without:
        pd.testing.assert_frame_equal(frame, full.iloc[:0])
