"""Flights of pilots who had lapsed, and who flies at night: counted by hand, and one by one."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest
from five_flights import days, rows, text
from five_flights import flights as five

from fleetkit import metrics
from fleetkit.settings import RecencyRule
from fleetkit.time import Period

TWO_FLIGHTS = RecencyRule("2 flights in 30 days", days=30, flights=2)
BY_NIGHT = RecencyRule("1 night flight in 30 days", days=30, flights=1, night_only=True)
TWO_HOURS = RecencyRule("2 h in 3 months", months=3, hours=2)


def logs(*moments, pilot="Ada", night=None, seconds=3600):
    """Return flights of one pilot, named by their place."""
    count = len(moments)
    return pd.DataFrame(
        {
            "flight_id": text(*(f"{pilot}_{place}" for place in range(count))),
            "pilot_id": text(*[pilot] * count),
            "pilot_name": text(*[pilot] * count),
            "project_title": text(*[None] * count),
            "flight_date": days(*moments),
            "duration_seconds": pd.array([seconds] * count, dtype="Int64"),
            "night_flight": pd.array(night or [False] * count, dtype="boolean"),
        }
    )


def listed(flights, rule=TWO_FLIGHTS, period="2026-10", **options):
    late = metrics.flown_without_recency(flights, rule, period, **options)
    return [(row.flight_id, f"{row.lapsed:%m-%d}", row.days_lapsed) for row in late.itertuples()]


def test_flights_from_the_day_of_the_lapse_are_listed_until_recency_is_back():
    # Two flights on 1 September hold for 30 days, to the 30th. By that of 1 October alone the
    # rule isn't fulfilled on the 20th; by both it is on the 25th.
    flown = logs("2026-09-01", "2026-09-01", "2026-10-01", "2026-10-20", "2026-10-25")
    assert listed(flown) == [("Ada_3", "10-01", 19), ("Ada_2", "10-01", 0)]
    assert listed(flown, period="2026-10-01_2026-10-20") == listed(flown)


def test_a_pilot_who_is_called_unassigned_is_no_flight_without_a_pilot():
    # Two flights on 1 September hold to the 30th: that of 2 October comes after the lapse.
    flown = logs("2026-09-01", "2026-09-01", "2026-10-02").assign(pilot_name="Unassigned")
    late = metrics.flown_without_recency(flown, TWO_FLIGHTS, "2026-10")
    assert rows(late[["flight_id", "pilot_name"]]) == [("Ada_2", '"Unassigned"')]
    states = metrics.recency(flown, TWO_FLIGHTS, "2026-10-31")
    assert rows(states[["pilot_id", "pilot_name"]]) == [("Ada", '"Unassigned"')]


def test_a_pilot_has_the_same_name_in_all_flights_without_recency_as_in_recency():
    # Two flights on 1 September hold to the 30th, so both of October come after the lapse.
    flown = logs("2026-09-01", "2026-09-01", "2026-10-02", "2026-10-20", "2026-11-03")
    flown["pilot_name"] = text("Ada Lind", "A. Lind", "Ada Berg", None, "Ada Holm")
    late = metrics.flown_without_recency(flown, TWO_FLIGHTS, "2026-10")
    assert rows(late[["flight_id", "pilot_name"]]) == [("Ada_3", "Ada Berg"), ("Ada_2", "Ada Berg")]
    states = metrics.recency(flown, TWO_FLIGHTS, "2026-10-31")
    assert states["pilot_name"].tolist() == ["Ada Berg"]


def test_a_flight_on_the_last_day_of_recency_is_flown_with_it():
    assert listed(logs("2026-09-02", "2026-09-02", "2026-10-01")) == []


def test_who_never_fulfilled_the_rule_has_not_lapsed():
    assert listed(logs("2026-05-01", "2026-10-05")) == []


def test_a_flight_without_a_date_is_neither_counted_nor_listed():
    assert listed(logs(None)) == []
    assert listed(logs(None, "2026-09-01", "2026-09-01", "2026-10-01")) == [("Ada_3", "10-01", 0)]


@pytest.mark.slow
def test_flights_of_other_periods_count_and_are_not_listed():
    flown = logs("2026-06-01", "2026-06-01", "2026-08-01", "2026-10-05")
    assert listed(flown) == [("Ada_3", "07-01", 96)]
    assert listed(flown, period="2026-08") == [("Ada_2", "07-01", 31)]
    # Of the period alone with the days of all.
    assert listed(flown.iloc[3:], days=metrics.flown_days(flown)) == [("Ada_3", "07-01", 96)]
    assert listed(flown.iloc[3:]) == []
    noon, end = days("2026-10-05T12:00", "2026-11-01")
    twice = logs("2026-06-01", "2026-06-01", "2026-10-05T09:00", "2026-10-05T13:00")
    assert listed(twice, period=Period(noon, end)) == [("Ada_3", "07-01", 96)]


def test_days_count_by_their_order_in_time_whatever_that_of_rows():
    # Ada's two flights hold until 1 October; Bo's, who began on her last day, until 4 November.
    ada = logs("2026-09-01", "2026-09-05", "2026-10-05")
    both = pd.concat([ada, logs("2026-10-05", "2026-10-06", "2026-11-10", pilot="Bo")])
    by_day = metrics.flown_days(both).sort_values("day")
    assert listed(both, days=by_day) == [("Ada_2", "10-01", 4)]
    assert listed(both, days=by_day, period="2026-11") == [("Bo_2", "11-04", 6)]
    assert listed(ada, days=metrics.flown_days(ada)[::-1]) == [("Ada_2", "10-01", 4)]


def test_a_day_under_two_names_is_one_and_has_the_later_name():
    names = text("Ada", "Ada", "Ada", "Zora")
    twice = logs("2026-09-01", "2026-09-01", "2026-10-20", "2026-10-20").assign(pilot_name=names)
    assert sorted(listed(twice)) == [("Ada_2", "10-01", 19), ("Ada_3", "10-01", 19)]
    days = metrics.flown_days(twice)
    for flown_days in (days, days[::-1]):  # at one moment, the last by the alphabet
        assert metrics.recency(flown_days, TWO_FLIGHTS, "2026-11-01")["pilot_name"].tolist() == [
            "Zora"
        ]
    flown = logs("2026-09-01T09:00", "2026-09-01T08:00").assign(pilot_name=text("Ada", "Zora"))
    assert metrics.recency(flown, TWO_FLIGHTS, "2026-09-02")["pilot_name"].tolist() == ["Ada"]


def test_a_rule_of_night_flights_lists_night_flights():
    nights = [True, False, True]
    flown = logs("2026-08-01T22:00", "2026-10-05T12:00", "2026-10-06T22:00", night=nights)
    assert listed(flown, BY_NIGHT) == [("Ada_2", "08-31", 36)]


@pytest.mark.slow
def test_the_zone_says_on_which_day_a_flight_is():
    # 30 September 15:30 UTC is 1 October in Tokyo, where recency of 1 September has lapsed.
    flown = logs("2026-09-01T09:00", "2026-09-01T09:00", "2026-09-30T15:30")
    assert listed(flown, tz="Asia/Tokyo") == [("Ada_2", "10-01", 0)]
    assert listed(flown) == []


def test_a_pilot_without_a_name_is_named_by_the_id():
    flown = logs("2026-06-01", "2026-06-01", "2026-10-05").assign(pilot_name=text(*[None] * 3))
    late = metrics.flown_without_recency(flown, TWO_FLIGHTS, "2026-10")
    assert late["pilot_name"].tolist() == ["Ada"]


@pytest.mark.slow
@pytest.mark.parametrize("rule", [TWO_FLIGHTS, BY_NIGHT, TWO_HOURS])
def test_a_flight_is_listed_where_recency_of_the_days_before_says_so(rule):
    chance = random.Random(0)
    first = datetime(2026, 3, 1, 10, tzinfo=UTC)
    moments = sorted(first + timedelta(days=chance.randrange(240)) for _ in range(14))
    nights = [chance.random() < 0.5 for _ in moments]
    flown = logs(*(moment.isoformat() for moment in moments), night=nights)
    expected = set()
    for row in flown.itertuples():
        day = row.flight_date.normalize()
        before = flown[flown["flight_date"] < day]
        state = metrics.recency(before, rule, day.date())["lapses"]
        has_lapsed = len(state) > 0 and state[0] <= day.tz_localize(None)
        if has_lapsed and (row.night_flight or not rule.night_only):
            expected.add(row.flight_id)
    assert {flight for flight, *_ in listed(flown, rule, "2026")} == expected


def test_night_and_bvlos_are_counted_by_pilot_and_what_is_unknown_apart():
    counted = metrics.night_and_bvlos_by_pilot(five())
    night, bvlos = (
        counted[["pilot_name", *(f"{flag}_{kind}" for kind in ("flights", "hours", "unknown"))]]
        for flag in ("night", "bvlos")
    )
    # Ada's flight of half an hour was at night; of the one without a pilot nobody says.
    assert rows(night) == [("Ada", 1, 0.5, 0), ("Bo", 0, 0.0, 0), ("Unassigned", 0, 0.0, 1)]
    assert rows(bvlos) == [("Ada", 0, 0.0, 1), ("Bo", 1, 1.5, 0), ("Unassigned", 0, 0.0, 0)]
    both = five().assign(night_flight=[False, True, True, False, False])  # Bo's is of both kinds
    most_first = metrics.night_and_bvlos_by_pilot(both)["pilot_name"]
    assert most_first.tolist() == ["Bo", "Ada", "Unassigned"]


@pytest.mark.slow
def test_hours_at_night_that_no_log_has_are_not_0():
    blank = five().iloc[1:2].assign(duration_seconds=pd.array([None], dtype="Int64"))
    counted = metrics.night_and_bvlos_by_pilot(blank)
    assert rows(counted[["night_flights", "night_hours"]]) == [(1, None)]


def test_hours_of_recency_that_no_log_has_are_not_0():
    ada = logs("2026-09-29", "2026-09-30", night=[True, False], seconds=None)
    bo = logs("2026-09-29", "2026-09-30", pilot="Bo").assign(duration_seconds=[3600, None])
    flown = pd.concat([ada, bo, logs("2026-01-01", pilot="Cy")], ignore_index=True)
    for given in (flown, metrics.flown_days(flown)):
        states = metrics.recency(given, TWO_FLIGHTS, "2026-10-01")[["pilot_id", "flights", "hours"]]
        assert set(rows(states)) == {("Ada", 2, None), ("Bo", 2, 1.0), ("Cy", 0, 0.0)}
        states = metrics.recency(given, BY_NIGHT, "2026-10-01")[["pilot_id", "flights", "hours"]]
        assert set(rows(states)) == {("Ada", 1, None), ("Bo", 0, 0.0), ("Cy", 0, 0.0)}
        recent = metrics.recent_pilots(given, RecencyRule("1 h", days=30, hours=1), ["2026-10-01"])
        assert recent["recent"].tolist() == [1]


def test_the_longest_duration_that_a_service_can_give_makes_no_other_pilot_recent():
    # Ada's log of 2**63 - 1 s is more than enough; Bo has 2 h less 1 s, then 2 h.
    ada = pd.concat([logs("2026-09-01", seconds=2**63 - 1), logs("2026-09-02", seconds=1)])
    bo = [logs("2026-09-01", pilot="Bo"), logs("2026-09-02", pilot="Bo", seconds=3599)]
    for more, is_recent in (([], False), ([logs("2026-09-03", pilot="Bo", seconds=1)], True)):
        flown = pd.concat([ada, *bo, *more], ignore_index=True)
        flown["flight_id"] = flown.index.astype("str")
        states = metrics.recency(flown, TWO_HOURS, "2026-10-01")
        assert dict(rows(states[["pilot_id", "recent"]])) == {"Ada": True, "Bo": is_recent}
