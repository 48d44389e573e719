"""Further words, measures, names and running sums of flight hours, counted by hand."""

from importlib import import_module
from typing import get_args

import pandas as pd
import polars
import pytest
from five_flights import bridge, days, equipment, flights, projects, rows

import fleetkit as fk
from fleetkit import metrics
from fleetkit.metrics._words import Key


def counted(by, **options):
    """Return the rows of flight hours, with all the frames that a word may need."""
    frames = {"bridge": bridge(), "projects": projects(), "equipment": equipment()}
    return rows(metrics.flight_hours(flights(), by=by, **{**frames, **options}))


def test_each_word_that_hours_are_counted_by_is_one_that_their_chart_draws():
    chart = import_module("fleetkit.charts.flight_hours")
    assert {*chart._TIMES, *chart._GROUPS} == set(get_args(Key))


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("year", [("2026", 4, 3.0), ("2027", 1, 0.0)]),
        ("quarter", [("2026-Q3", 1, 1.0), ("2026-Q4", 3, 2.0), ("2027-Q1", 1, 0.0)]),
        ("weekday", [(3, 1, 1.0), (4, 2, 2.0), (5, 1, 0.0), (6, 1, None)]),
        ("hour", [(8, 1, 0.5), (9, 1, 1.5), (10, 1, None), (12, 1, 0.0), (23, 1, 1.0)]),
        ("type", [("CAMERA", 2, 1.0), ("DRONE", 5, 3.0)]),
        ("category", [("FIXED_WING", 1, 1.5), ("MULTIROTOR", 4, 1.5), ("PAYLOAD", 2, 1.0)]),
        ("registration", [("N1", 4, 1.5), ("N2", 1, 1.5), (None, 2, 1.0)]),
        ("model", [("K1", 4, 1.5), ("M2", 1, 1.5), ("Zoom", 2, 1.0)]),
        ("night", [(False, 3, 2.5), (True, 1, 0.5), (None, 1, None)]),
        ("bvlos", [(False, 3, 1.0), (True, 1, 1.5), (None, 1, 0.5)]),
    ],
)
def test_every_flight_is_counted_under_its_key(by, expected):
    assert counted(by) == expected


def test_a_flight_with_two_things_of_one_manufacturer_counts_once_under_it():
    made = equipment().assign(manufacturer=["Aero", "Aero", "Brise", "Aero"])  # drone and camera
    assert counted("manufacturer", equipment=made) == [("Aero", 4, 1.5), ("Brise", 1, 1.5)]


def test_the_only_duration_may_be_of_a_flight_of_which_bvlos_is_unknown():
    known = flights().astype({"bvlos": "boolean"})[["flight_date", "duration_seconds", "bvlos"]]
    known["duration_seconds"] = known["duration_seconds"].where(known["bvlos"].isna())
    result = metrics.flight_hours(polars.from_pandas(known), by="bvlos", measures="median")
    assert result.rows() == [(False, None), (True, None), (None, 30.0)]


@pytest.mark.parametrize("by", ["year", "quarter", "weekday", "hour", "night", "bvlos"])
def test_hours_add_up_to_the_whole_where_a_flight_has_one_key(by):
    result = metrics.flight_hours(flights(), by=by)
    assert result[["flights", "hours"]].sum().tolist() == [5, 3.0]


def test_the_words_of_dates_go_by_the_zone():
    # 23:30 UTC on Wednesday 30 September is Thursday 1 October in London, half past midnight.
    london = metrics.flight_hours(
        flights().head(1), by=["quarter", "weekday", "hour"], tz="Europe/London"
    )
    assert rows(london) == [("2026-Q4", 4, 0, 1, 1.0)]


def test_a_sunday_is_the_seventh_day_and_a_flight_without_a_date_has_none():
    given = flights().head(2).assign(flight_date=days("2026-10-04T12:00", None))
    weekdays = metrics.flight_hours(given, by=["weekday", "hour"])
    assert rows(weekdays) == [(7, 12, 1, 1.0), (None, None, 1, 0.5)]
    assert weekdays.dtypes.astype("str").to_dict()["weekday"] == "Int64"


def test_weekdays_stay_whole_numbers_and_flags_flags_beside_usual_durations():
    undated = flights().assign(flight_date=flights()["flight_date"].where(flights().index != 1))
    given = polars.from_pandas(undated.assign(night_flight=pd.array([None] * 5, "boolean")))
    usual = metrics.flight_hours(given, by=["weekday", "night"], measures=["flights", "median"])
    assert usual.schema["weekday"].is_integer()
    assert usual["weekday"].null_count() == 1
    assert usual.schema["night"] == polars.Boolean


def test_dates_without_a_time_have_no_hour_of_the_day():
    given = flights().assign(flight_date=days(*["2026-10-01"] * 5))
    assert rows(metrics.flight_hours(given, by="hour")) == [(None, 5, 3.0)]


@pytest.mark.slow
def test_a_flight_of_two_drones_is_one_flight_of_drones():
    pairs = pd.concat([bridge(), pd.DataFrame({"flight_id": ["fl_3"], "equipment_id": "eq_drone"})])
    assert counted("type", bridge=pairs) == counted("type")
    assert counted("category", bridge=pairs)[1] == ("MULTIROTOR", 5, 3.0)


@pytest.mark.slow
def test_names_stand_beside_ids():
    assert counted("pilot", names=True) == [
        ("prof_1", "Ada", 3, 1.5),
        ("prof_2", "Bo", 1, 1.5),
        ("Unassigned", "Unassigned", 1, None),
    ]
    assert counted("equipment", names=True) == [
        ("eq_cam", "Lens", 2, 1.0),
        ("eq_drone", "Kestrel", 4, 1.5),
        ("eq_spare", "Merlin", 1, 1.5),
    ]
    assert counted(["month", "project"], names=True)[:2] == [
        ("2026-09", "proj_1", "Quarry", 1, 1.0),
        ("2026-10", "proj_1", "Quarry", 1, 0.5),
    ]


def test_a_pilot_has_the_name_of_the_latest_flight_and_one_without_a_name_the_id():
    given = flights().assign(pilot_name=["Ada", "Ada Lind", None, None, None])
    named = metrics.flight_hours(given, by="pilot", names=True)
    assert named["pilot_name"].tolist() == ["Ada Lind", "prof_2", "Unassigned"]


def test_usual_durations_and_distances_are_of_the_flights_that_have_one():
    # prof_1 flew 60 and 30 minutes, and one flight of -5 s; 4000 + 900 + 50 as reported.
    asked = ["median", "p90", "distance"]
    result = metrics.flight_hours(flights(), by="pilot", measures=asked)
    assert list(result.columns) == ["pilot", "median_minutes", "p90_minutes", "distance"]
    assert rows(result) == [
        ("prof_1", 45.0, pytest.approx(57.0), 4950.0),
        ("prof_2", 90.0, 90.0, None),
        ("Unassigned", None, None, 0.0),
    ]


def test_one_measure_is_one_column():
    assert rows(metrics.flight_hours(flights(), by="year", measures="hours")) == [
        ("2026", 3.0),
        ("2027", 0.0),
    ]


def test_shares_are_of_all_that_was_counted():
    result = metrics.flight_hours(flights(), by="flight_type", share=True)
    assert rows(result) == [
        ("COMMERCIAL", 3, 1.5, 0.6, 0.5),
        ("TRAINING", 1, 1.5, 0.2, 0.5),
        ("MAINTENANCE", 1, None, 0.2, None),
    ]


def test_shares_within_a_quarter_are_of_what_was_flown_in_it():
    result = metrics.flight_hours(flights(), by=["quarter", "flight_type"], share="quarter")
    third = pytest.approx(1 / 3)
    assert rows(result) == [
        ("2026-Q3", "COMMERCIAL", 1, 1.0, 1.0, 1.0),
        ("2026-Q4", "COMMERCIAL", 1, 0.5, third, 0.25),
        ("2026-Q4", "TRAINING", 1, 1.5, third, 0.75),
        ("2026-Q4", "MAINTENANCE", 1, None, third, None),
        ("2027-Q1", "COMMERCIAL", 1, 0.0, 1.0, None),
    ]
    # Ada flew 2 of her 3 flights by day; the flight without a pilot is all of that row.
    by_pilot = metrics.flight_hours(flights(), by=["night", "pilot"], share=["pilot"])
    assert rows(by_pilot[["night", "pilot", "flights_share"]]) == [
        (False, "prof_1", pytest.approx(2 / 3)),
        (False, "prof_2", 1.0),
        (True, "prof_1", third),
        (None, "Unassigned", 1.0),
    ]
    # Both pieces of a flight are of one type or of two: each type has it once.
    of_types = counted(["type", "pilot"], share="type")
    assert [row[4] for row in of_types if row[:2] == ("DRONE", "prof_1")] == [0.6]


def test_a_share_of_what_is_not_counted_by_is_refused():
    with pytest.raises(fk.InvalidValue, match=r"share='month' is not True.* one or several of: p"):
        metrics.flight_hours(flights(), by="pilot", share="month")


def test_shares_of_equipment_are_of_the_flights_of_the_fleet():
    # eq_drone flew 4 of 5 flights and 1.5 of 3 hours; with the camera's they are more than all.
    assert counted("equipment", share=True)[1] == ("eq_drone", 4, 1.5, 0.8, 0.5)


def test_sums_roll_over_months_without_flights_and_begin_where_the_window_is_whole():
    result = metrics.flight_hours(flights(), rolling=2, cumulative=True)
    assert list(result.columns)[3:] == [
        *("rolling_flights", "rolling_hours", "cumulative_flights", "cumulative_hours"),
    ]
    assert rows(result) == [
        ("2026-09", 1, 1.0, None, None, 1, 1.0),
        ("2026-10", 3, 2.0, 4, 3.0, 4, 3.0),
        ("2027-01", 1, 0.0, 1, 0.0, 5, 3.0),  # December had none
    ]


def test_the_longest_duration_that_a_service_can_give_is_in_no_later_window():
    # 2**63 − 1 s in September; two hours in October, half an hour in November.
    moments = days("2026-09-05T10:00", "2026-10-05T10:00", "2026-11-05T10:00")
    spent = [2**63 - 1, 7200, 1800]
    given = flights().head(3).assign(flight_date=moments, duration_seconds=spent)
    assert metrics.flight_hours(given, rolling=2)["rolling_hours"].tolist()[2] == 2.5


@pytest.mark.parametrize(
    ("tz", "beyond"),
    [
        ("Asia/Tokyo", "10000-01-01"),
        ("Europe/Berlin", "10000-01-01"),  # has summer time, which Python's dates look up
        ("America/New_York", "0000-12-31"),
    ],
)
def test_a_day_beyond_the_calendar_is_in_no_running_sum(tz, beyond):
    # What some programs write where there is no date, and where there is no end.
    moments = days("0001-01-01T00:00", "2026-10-05T10:00", "9999-12-31T23:59")
    given = flights().head(3).assign(flight_date=moments)
    result = metrics.flight_hours(given, by="day", tz=tz, rolling=1, cumulative=True)
    sums = result.set_index("day")[["rolling_flights", "cumulative_flights"]]
    assert sums.loc[beyond].isna().all()
    assert sums.drop(beyond)["rolling_flights"].tolist() == [1, 1]
    assert sums["cumulative_flights"].max() == 2
    weeks = metrics.flight_hours(given, by="week", tz=tz)["week"]
    assert weeks.tolist()[:2] == ["0001-W01", "2026-W41"]


def test_weeks_roll_on_over_the_end_of_a_year_and_over_weeks_without_flights():
    moments = days("2026-12-21T10:00", "2026-12-30T10:00", "2027-01-11T10:00")
    given = flights().head(3).assign(flight_date=moments)
    result = metrics.flight_hours(given, by="week", rolling=2)
    assert result["week"].tolist() == ["2026-W52", "2026-W53", "2027-W02"]
    assert rows(result[["rolling_flights"]]) == [(None,), (2,), (1,)]


@pytest.mark.slow
def test_sums_roll_within_each_other_key():
    result = metrics.flight_hours(flights(), by=["month", "flight_type"], rolling=2)
    assert rows(result.drop(columns=["flights", "hours"])) == [
        ("2026-09", "COMMERCIAL", None, None),
        ("2026-10", "COMMERCIAL", 2, 1.5),
        ("2026-10", "TRAINING", 1, 1.5),
        ("2026-10", "MAINTENANCE", 1, None),  # no duration was recorded
        ("2027-01", "COMMERCIAL", 1, 0.0),
    ]
    by_operation = metrics.flight_hours(flights(), by=["month", "operation_type"], rolling=2)
    of_none = by_operation[by_operation["operation_type"].isna()]
    assert rows(of_none[["rolling_flights", "rolling_hours"]]) == [(1, 1.5)]


@pytest.mark.parametrize("unit", ["year", "quarter", "month", "week", "day"])
def test_what_is_cumulative_ends_with_the_whole(unit):
    result = metrics.flight_hours(flights(), by=unit, cumulative=True, rolling=1)
    assert result["rolling_hours"].equals(result["hours"])
    assert result[["cumulative_flights", "cumulative_hours"]].iloc[-1].tolist() == [5, 3.0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"by": ["type", "night"]},
        {"by": ["weekday", "hour", "quarter"]},
        {"by": ["pilot", "equipment"], "names": True},
        {"by": "month", "share": True, "rolling": 3, "cumulative": True},
        {"by": ["month", "pilot"], "share": True, "rolling": 3, "cumulative": True},
        {"by": "year", "measures": ["median", "p90", "distance"]},
    ],
)
def test_no_flights_give_no_rows_and_the_same_columns(options):
    frames = {"bridge": bridge(), "equipment": equipment()}
    some = metrics.flight_hours(flights(), **frames, **options)
    none = metrics.flight_hours(flights().iloc[:0], **frames, **options)
    assert none.empty
    assert list(none.columns) == list(some.columns)


def test_columns_that_are_all_null_are_counted_under_null():
    nulls = {"night_flight": pd.array([None] * 5, "boolean"), "traveled_distance": float("nan")}
    nulls["duration_seconds"] = pd.array([None] * 5, "Int64")
    result = metrics.flight_hours(
        flights().assign(**nulls),
        by="night",
        measures=["flights", "hours", "median", "distance"],
        share=True,
    )
    assert rows(result) == [(None, 5, None, None, None, 1.0, None)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "monht"}, "'monht'.*Write one or several of: month, week, day, pilot"),
        ({"by": []}, "Write one or several of"),
        ({"by": 7}, "Write one or several of"),
        ({"by": "equipment"}, "Pass bridge=fleet.flight_equipment()"),
        ({"by": "client"}, "Pass projects=fleet.projects()"),
        ({"tz": "Europe/Lodnon"}, "'Europe/Lodnon' is not a time zone"),
        ({"by": "wekday"}, "Did you mean weekday"),
        ({"by": "type"}, "Pass bridge=fleet.flight_equipment"),
        ({"by": "type", "bridge": bridge()}, "Pass equipment=fleet.equipment"),
        (
            {"by": "equipment", "bridge": bridge(), "names": True},
            "Pass equipment=fleet.equipment",
        ),
        ({"measures": "mean"}, "Write one or several of: flights, hours, distance, median, p90"),
        ({"measures": []}, "Write one or several of"),
        ({"measures": 7}, "Write one or several of"),
        ({"rolling": 0}, "whole number above 0"),
        ({"rolling": True}, "whole number above 0"),
        ({"rolling": 10**30}, "whole number above 0"),
        ({"rolling": 2, "by": "pilot"}, "holds 0 words of it"),
        ({"cumulative": True, "by": ["month", "day"]}, "holds 2 words of it"),
    ],
)
def test_a_wrong_argument_is_refused_with_what_to_write(arguments, message):
    with pytest.raises(fk.InvalidValue, match=message):
        metrics.flight_hours(flights(), **arguments)


@pytest.mark.parametrize("by", ["year", "quarter", "weekday", "hour", "type", "night", "bvlos"])
def test_the_chart_draws_all_hours_whichever_kind_of_word_they_are_counted_by(by):
    frames = {"bridge": bridge(), "equipment": equipment()}
    ax = fk.charts.flight_hours(metrics.flight_hours(flights(), by=by, **frames))
    drawn = sum(
        bar.get_height() if by in {"year", "quarter"} else bar.get_width() for bar in ax.patches
    )
    assert drawn == pytest.approx(4.0 if by == "type" else 3.0)


@pytest.mark.slow
def test_the_chart_writes_keys_that_are_no_texts_in_words():
    labels = {
        by: [
            label.get_text()
            for label in fk.charts.flight_hours(
                metrics.flight_hours(flights(), by=by)
            ).get_yticklabels()
        ]
        for by in ("weekday", "hour", "night")
    }
    assert labels["weekday"] == ["Wed", "Thu", "Fri", "Sat"]
    assert labels["hour"] == ["08:00", "09:00", "10:00", "12:00", "23:00"]
    assert labels["night"] == ["night: no", "night: yes", "night: not recorded"]
