"""Hours, flights and days since maintenance, and when it is due; counted by hand."""

import warnings

import pandas as pd
import pytest
from five_flights import bridge, days, equipment, flights, rows, text

import fleetkit as fk
from fleetkit import metrics

AS_OF = "2026-10-31"


def drone(**columns):
    """Return one drone that was purchased at the beginning of August 2026."""
    one = {
        "equipment_id": text("d"),
        "name": text("Kestrel"),
        "type": text("DRONE"),
        "model": text("K1"),
        "status": text("ACTIVE"),
        "purchase_date": days("2026-08-01"),
    }
    return pd.DataFrame(one | columns)


def flown(*logs):
    """Return flights of the drone, and their bridge: (moment, hours, type) each."""
    ids = text(*(f"fl_{number}" for number in range(len(logs))))
    hours = [None if hours is None else round(hours * 3600) for _, hours, _ in logs]
    table = pd.DataFrame(
        {
            "flight_id": ids,
            "flight_date": days(*(moment for moment, _, _ in logs)),
            "flight_type": text(*(kind for *_, kind in logs)),
            "duration_seconds": pd.array(hours, dtype="Int64"),
        }
    )
    return table, pd.DataFrame({"flight_id": ids, "equipment_id": text(*["d"] * len(logs))})


def due(intervals, *logs, as_of=AS_OF, **columns):
    """Return the forecast for the drone: (due by, day, days left)."""
    forecast = metrics.maintenance_due(
        drone(**columns), *flown(*logs), as_of, service_intervals=intervals
    )
    return rows(forecast[["due_by", "due", "days_left"]])


def test_a_drone_that_a_merge_repeated_is_due_once():
    twice = pd.concat([drone(), drone()])
    logs = flown(("2026-10-01", 2.0, "TRAINING"))
    intervals = {"DRONE": {"days": 100}}
    forecast = metrics.maintenance_due(twice, *logs, AS_OF, service_intervals=intervals)
    assert forecast["days_left"].tolist() == [9]  # 91 of 100 days since 1 August


# Since maintenance


def test_hours_flights_and_days_count_from_the_last_maintenance_flight():
    since = metrics.maintenance(equipment(), flights(), bridge(), "2027-01-02")
    counted = since[["name", "hours_since", "flights_since", "days_since"]]
    assert rows(counted) == [
        # Never maintained: all of its flights, and the days since it was purchased.
        ("Merlin", 1.5, 1, 731),
        # No purchase date: the days since its first flight, on 30 September.
        ("Lens", 1.0, 2, 94),
        # Never flown.
        ("Heron", 0.0, 0, 366),
        # Maintained on 31 October; the only flight since has no duration that counts.
        ("Kestrel", 0.0, 1, 63),
    ]


def test_without_maintenance_flights_before_the_purchase_count_as_the_definition_says():
    for purchase, days_since in (("2026-10-15", 16), (AS_OF, 0)):
        bought = drone(purchase_date=days(purchase))
        since = metrics.maintenance(bought, *flown(("2026-10-05", 2.0, "TRAINING")), AS_OF)
        assert rows(since[["hours_since", "flights_since", "days_since"]]) == [(2.0, 1, days_since)]
    said = metrics.definitions("maintenance")["Since maintenance"]
    assert said.endswith("all logs, and the days since the purchase, or the first flight.")


def test_the_maintenance_flight_itself_and_what_is_flown_at_its_moment_do_not_count():
    logs = [("2026-10-05T09:00", 1.0, "MAINTENANCE"), ("2026-10-05T09:00", 2.0, "TRAINING")]
    logs.append(("2026-09-01T09:00", 1.0, "MAINTENANCE"))  # not the last one
    since = metrics.maintenance(drone(), *flown(*logs), AS_OF)
    assert rows(since[["hours_since", "flights_since", "days_since"]]) == [(0.0, 0, 26)]


def test_flights_after_the_day_do_not_count():
    logs = [("2026-10-05T09:00", 1.0, "TRAINING"), ("2026-10-06T09:00", 2.0, "MAINTENANCE")]
    since = metrics.maintenance(drone(), *flown(*logs), "2026-10-05")
    assert rows(since[["last_maintenance", "hours_since"]]) == [(None, 1.0)]


def test_flights_from_a_moment_on_do_not_count():
    logs = [("2026-10-05T09:00", 1.0, "TRAINING"), ("2026-10-05T11:00", 2.0, "MAINTENANCE")]
    since = metrics.maintenance(drone(), *flown(*logs), "2026-10-05T11:00Z")
    assert rows(since[["last_maintenance", "hours_since"]]) == [(None, 1.0)]
    assert due({"DRONE": {"flights": 2}}, *logs, as_of="2026-10-05T11:00Z")[0][2] == 1  # 1 a day


def test_hours_without_any_duration_are_not_known():
    since = metrics.maintenance(drone(), *flown(("2026-10-05T09:00", None, "TRAINING")), AS_OF)
    assert rows(since[["hours_since", "flights_since"]]) == [(None, 1)]


# When it is due

# Nine hours in the 90 days from 3 August to 31 October: 0.1 h a day.
NINE_HOURS = [("2026-08-03T09:00", 4.5, "TRAINING"), ("2026-10-20T09:00", 4.5, "COMMERCIAL")]


@pytest.mark.slow
def test_the_first_of_hours_flights_and_days_that_is_used_up_is_when_it_is_due():
    by_hours = {"DRONE": {"hours": 10}}  # 1 h left
    assert due(by_hours, *NINE_HOURS) == [("hours", pd.Timestamp("2026-11-10"), 10)]
    by_flights = {"DRONE": {"hours": 100, "flights": 3}}  # 1 left, 2 in 90 days
    assert due(by_flights, *NINE_HOURS) == [("flights", pd.Timestamp("2026-12-15"), 45)]
    by_days = {"DRONE": {"hours": 100, "days": 100}}  # 91 days since 1 August
    assert due(by_days, *NINE_HOURS) == [("days", pd.Timestamp("2026-11-09"), 9)]


@pytest.mark.slow
def test_what_is_used_up_is_due_today_or_was_on_its_day():
    assert due({"DRONE": {"hours": 9}}, *NINE_HOURS) == [("hours", pd.Timestamp(AS_OF), 0)]
    assert due({"DRONE": {"days": 90}}, *NINE_HOURS) == [("days", pd.Timestamp("2026-10-30"), -1)]


@pytest.mark.slow
def test_what_nobody_flies_is_due_by_days_alone():
    old = [("2026-05-01T09:00", 3.0, "TRAINING")]
    assert due({"DRONE": {"hours": 10}}, *old) == [(None, None, None)]
    by_days = {"DRONE": {"hours": 10, "days": 100}}
    assert due(by_days, *old) == [("days", pd.Timestamp("2026-11-09"), 9)]


def test_the_use_per_day_is_not_known_where_no_flight_of_the_ninety_days_has_a_duration():
    logs = [("2026-05-01T09:00", 3.0, "TRAINING"), ("2026-10-20T09:00", None, "TRAINING")]
    use = ["hours_left", "hours_per_day", "flights_per_day", "due_by"]
    intervals = {"DRONE": {"hours": 10}}
    forecast = metrics.maintenance_due(drone(), *flown(*logs), AS_OF, service_intervals=intervals)
    assert rows(forecast[use]) == [(7.0, None, 1 / 90, None)]
    nobody = metrics.maintenance_due(drone(), *flown(logs[0]), AS_OF, service_intervals=intervals)
    assert rows(nobody[use]) == [(7.0, 0.0, 0.0, None)]


@pytest.mark.slow
def test_the_average_is_of_ninety_days_the_last_one_included():
    before = ("2026-05-01T09:00", 0.5, "TRAINING")
    on_the_first = [before, ("2026-08-03T09:00", 9.0, "TRAINING")]  # 0.1 h a day, 0.5 h left
    assert due({"DRONE": {"hours": 10}}, *on_the_first) == [
        ("hours", pd.Timestamp("2026-11-05"), 5)
    ]
    a_day_earlier = [before, ("2026-08-02T09:00", 9.0, "TRAINING")]
    assert due({"DRONE": {"hours": 10}}, *a_day_earlier) == [(None, None, None)]


@pytest.mark.slow
def test_what_is_used_up_to_the_minute_is_due_though_nobody_flies():
    old = [("2026-05-01T09:00", 3.0, "TRAINING")]
    assert due({"DRONE": {"hours": 3}}, *old) == [("hours", pd.Timestamp(AS_OF), 0)]


@pytest.mark.slow
def test_what_is_used_up_in_more_than_a_century_has_no_day():
    assert due({"DRONE": {"hours": 10_000}}, *NINE_HOURS) == [(None, None, None)]


@pytest.mark.slow
def test_the_average_is_of_the_days_that_have_logs_where_these_began_later():
    late = [("2026-10-22T09:00", 2.0, "TRAINING")]  # ten days: 0.2 h a day
    assert due({"DRONE": {"hours": 4}}, *late) == [("hours", pd.Timestamp("2026-11-10"), 10)]


@pytest.mark.slow
def test_the_interval_of_the_model_wins_over_that_of_the_type():
    intervals = {"DRONE": {"days": 30}, "K1": {"days": 100}}
    assert due(intervals, *NINE_HOURS)[0][2] == 9
    assert due(intervals, *NINE_HOURS, model=text("K2"))[0][2] == -61


@pytest.mark.slow
def test_equipment_without_an_interval_has_no_forecast():
    assert due({"CAMERA": {"days": 30}}, *NINE_HOURS) == []
    assert due(None, *NINE_HOURS) == []
    assert due({"DRONE": {"days": 30}}, *NINE_HOURS, type=text(None)) == []


@pytest.mark.slow
def test_no_forecast_has_the_dtypes_of_one():
    with_one, without = (
        metrics.maintenance_due(
            drone(), *flown(*NINE_HOURS), AS_OF, service_intervals={kind: {"days": 30}}
        ).dtypes
        for kind in ("DRONE", "CAMERA")
    )
    assert with_one.astype("str").to_dict() == without.astype("str").to_dict()


def test_an_interval_that_can_not_be_one_is_named():
    with pytest.raises(
        fk.InvalidValue, match=r"^The argument service_intervals\.DRONE\.hours: -1 is"
    ):
        due({"DRONE": {"hours": -1}}, *NINE_HOURS)
    with pytest.raises(fk.InvalidValue, match="'hour' is not a part of an interval"):
        due({"DRONE": {"hour": 1}}, *NINE_HOURS)


def test_that_no_interval_applies_is_said_for_nothing_due_would_be_good_news():
    with pytest.warns(fk.Notice, match="No service interval is set, so .* forecasts nothing"):
        assert metrics.maintenance_due(drone(), *flown(*NINE_HOURS), AS_OF).empty
    with warnings.catch_warnings(action="error"):
        forecast = metrics.maintenance_due(
            drone(), *flown(*NINE_HOURS), AS_OF, service_intervals={}
        )
    assert forecast.empty
    with pytest.warns(fk.Notice, match="has the type or model drone. Did you mean DRONE"):
        assert due({"drone": {"days": 30}}, *NINE_HOURS) == []


@pytest.mark.slow
def test_no_equipment_has_no_forecast():
    none = metrics.maintenance_due(
        drone().iloc[:0], *flown(*NINE_HOURS), AS_OF, service_intervals={"DRONE": {"days": 30}}
    )
    assert none.empty
