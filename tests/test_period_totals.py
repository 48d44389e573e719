"""Several periods at once: counted like each of them alone, in one pass over the flights."""

from datetime import UTC, datetime, timedelta

import pandas as pd
import polars as pl
import pytest
from five_flights import bridge, days, equipment, flights, rows
from hypothesis import given, settings
from hypothesis import strategies as st

import fleetkit as fk
from fleetkit import metrics
from fleetkit.settings import HOUSE_RULE, PDRA01, RecencyRule
from fleetkit.time import Period

COUNTED = ["period", "flights", "hours", "active", "days"]


def totals(periods, **options):
    aircraft = metrics.aircraft(equipment(), bridge())
    return metrics.period_totals(flights(), bridge(), aircraft, periods, **options)


@pytest.mark.slow
def test_periods_may_overlap_and_keep_their_order():
    assert rows(totals(["2026-Q4", "2026-10", "2026-09"])[COUNTED]) == [
        ("2026-Q4", 3, 2.0, 2, 92),
        ("2026-10", 3, 2.0, 2, 31),
        ("2026-09", 1, 1.0, 1, 30),
    ]


@pytest.mark.slow
def test_a_period_without_flights_has_0_hours_and_one_without_durations_none():
    # fl_4 of 31 October has no duration.
    assert rows(totals(["2026-11", "2026-10-31"])[COUNTED]) == [
        ("2026-11", 0, 0.0, 0, 30),
        ("2026-10-31", 1, None, 1, 1),
    ]


def test_a_flight_of_two_aircraft_counts_for_both_in_the_hours_of_aircraft():
    # fl_1 of an hour flew with the drone and the camera, here both aircraft.
    used = metrics.period_totals(flights(), bridge(), equipment(), ["2026-09-30"])
    assert rows(used[["hours", "aircraft", "aircraft_hours", "hours_per_aircraft_day"]]) == [
        (1.0, 4, 2.0, 0.5)
    ]


def test_without_aircraft_there_are_no_hours_per_aircraft():
    nobody = equipment().iloc[:0]
    used = metrics.period_totals(flights(), bridge(), nobody, ["2026-10"])
    assert rows(used[["hours", "active", "hours_per_aircraft_day"]]) == [(2.0, 0, None)]


def test_a_period_within_a_day_ends_before_its_until():
    # fl_3 is of 15 October, 09:00.
    nine, ten = (datetime(2026, 10, 15, hour, tzinfo=UTC) for hour in (9, 10))
    spans = [Period(nine - timedelta(hours=1), nine), Period(nine, ten)]
    assert list(totals(spans)["flights"]) == [0, 1]


@pytest.mark.slow
def test_periods_are_of_the_zone_that_is_given():
    # fl_1 is of 1 October in London; a Period keeps its own zone.
    assert list(totals(["2026-10"], tz="Europe/London")["flights"]) == [4]
    assert list(totals([Period.read("2026-10")], tz="Europe/London")["flights"]) == [3]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_periods_of_an_hour_that_the_clock_shows_twice_are_told_apart_in_flights_of_its_zone(kind):
    # In Oslo it is 02:20 at 00:20 UTC, and again at 01:20.
    zone, spans = "Europe/Oslo", [("00:00", "00:30"), ("01:00", "01:30"), ("00:40", "01:30")]
    dates = pd.to_datetime([f"2025-10-26T{time}Z" for time in ("00:20", "00:50", "01:20")])
    flown = pd.DataFrame({"flight_id": ["1", "2", "3"], "duration_seconds": 60})
    flown = flown.assign(flight_date=dates.as_unit("us").tz_convert(zone))
    periods = [Period.between(*(f"2025-10-26T{time}Z" for time in ends), zone) for ends in spans]
    frame = flown if kind is pd.DataFrame else pl.from_pandas(flown)
    pairs, drone = kind({"flight_id": ["1"], "equipment_id": ["d"]}), kind({"equipment_id": ["d"]})
    counted = metrics.period_totals(frame, pairs, drone, periods, tz=zone)
    assert list(counted["flights"]) == [1, 1, 2]


def test_dates_are_cut_by_calendar_day_in_every_zone():
    dated = flights().assign(flight_date=days(*["2026-10-01"] * 5))
    used = metrics.period_totals(
        dated, bridge(), equipment(), ["2026-10", "2026-09"], tz="America/Los_Angeles"
    )
    assert list(used["flights"]) == [5, 0]


def test_no_periods_give_no_rows():
    assert rows(totals([])) == []


def test_what_is_not_a_period_is_refused():
    with pytest.raises(fk.InvalidValue, match="'october' is not a valid period"):
        totals(["october"])


MOMENTS = st.datetimes(
    datetime(2026, 8, 1), datetime(2027, 2, 1), timezones=st.just(UTC), allow_imaginary=False
)
ZONES = st.sampled_from(["UTC", "America/Los_Angeles", "Europe/Berlin", "Africa/Cairo"])


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(MOMENTS, MOMENTS), max_size=5), ZONES)
def test_every_period_counts_what_its_own_flights_count(ends, tz):
    spans = [Period(min(both), max(both), tz) for both in ends if both[0] != both[1]]
    aircraft = metrics.aircraft(equipment(), bridge())
    together = metrics.period_totals(flights(), bridge(), aircraft, spans, tz=tz)
    for span, row in zip(spans, together.itertuples(), strict=True):
        inside = flights()[flights()["flight_date"].between(span.since, span.until, "left")]
        single = metrics.flight_totals(inside)
        active = metrics.aircraft_hours(inside, bridge(), aircraft)["flights"].gt(0).sum()
        use = metrics.hours_per_aircraft_day(inside, bridge(), aircraft, span.days)
        expected = (single["flights"].item(), single["hours"].item(), active, use)
        counted = (row.flights, row.hours, row.active, row.hours_per_aircraft_day)
        assert [None if pd.isna(value) else value for value in counted] == [
            None if pd.isna(value) else value for value in expected
        ]


def test_pilots_are_recent_on_the_days_on_which_they_are_alone():
    # Ada flew 1 h on 30 September and half an hour the day after, Bo 1.5 h on 15 October.
    rule = RecencyRule("1.5 h in 20 days", days=20, hours=1.5)
    counted = metrics.recent_pilots(
        flights(), rule, ["2026-10-19", "2026-09-30", "2026-10-20", "2026-11-04"]
    )
    # Ada's 20 days to 19 October begin on 30 September; Bo's to 4 November after the 15th.
    assert list(counted["recent"]) == [2, 0, 1, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "tz"),
    [
        (PDRA01, "Pacific/Auckland"),
        (HOUSE_RULE, "UTC"),
        (RecencyRule("1 by night", days=30, flights=1, night_only=True), "Pacific/Auckland"),
    ],
)
def test_as_many_are_recent_as_recency_names(rule, tz):
    moments = pd.date_range("2026-01-31", periods=60, freq="53h", tz="UTC").astype(str)
    flown = pd.concat([flights()] * 12, ignore_index=True).assign(
        flight_id=[f"fl_{number}" for number in range(60)], flight_date=days(*moments)
    )
    dates = [day.date() for day in pd.date_range("2026-01-01", "2026-08-31", freq="15D")]
    counted = metrics.recent_pilots(flown, rule, dates, tz=tz)
    singles = [metrics.recency(flown, rule, day, tz=tz)["recent"].sum() for day in dates]
    assert list(counted["recent"]) == singles
    assert len(set(singles)) > 1
    by_day = metrics.flown_days(flown, tz=tz).iloc[::-1]  # in any order
    assert metrics.recent_pilots(by_day, rule, dates).equals(counted)
    of_flights, of_days = (
        metrics.recency(given, rule, dates[-1], tz=tz) for given in (flown, by_day)
    )
    assert of_days.equals(of_flights)


def test_the_days_of_a_pilot_are_summed_also_by_night():
    # Ada flew 1 h and 0.5 h by night on one day; a log that doesn't say is not by night.
    thrice = flights().iloc[[0, 0, 0]].reset_index(drop=True)
    flown = thrice.assign(
        flight_id=["fl_1", "fl_2", "fl_3"],
        flight_date=days("2026-09-30T08:00Z", "2026-09-30T22:00Z", "2026-10-02T22:00Z"),
        duration_seconds=pd.array([3600, 1800, 900], dtype="Int64"),
        night_flight=pd.array([False, True, None], dtype="boolean"),
    )
    by_day = metrics.flown_days(flown)
    assert by_day["last_flight"].dt.hour.tolist() == [22, 22]
    counts = ["flights", "seconds", "night_flights", "night_seconds"]
    assert rows(by_day[["pilot_name", *counts]]) == [
        ("Ada", 2, 5400, 1, 1800),
        ("Ada", 1, 900, 0, 0),
    ]


def test_a_rule_of_night_flights_needs_days_that_know_them():
    by_day = metrics.flown_days(flights()).drop(columns="night_flights")
    rule = RecencyRule("1 by night", days=30, flights=1, night_only=True)
    with pytest.raises(fk.InvalidValue, match="flights lacks night_flights"):
        metrics.recency(by_day, rule, "2026-10-31")


def test_what_is_no_rule_is_refused():
    with pytest.raises(fk.InvalidValue, match="is not a recency rule"):
        metrics.recent_pilots(flights(), "2 h", ["2026-10-31"])


@pytest.mark.slow
def test_every_day_of_a_year_is_a_period():
    by_day = totals(pd.date_range("2026-01-01", "2026-12-31").strftime("%Y-%m-%d").tolist())
    assert len(by_day) == 365
    assert by_day["flights"].sum() == 4  # the fifth is of 2027
    assert by_day["hours"].sum() == 3.0
