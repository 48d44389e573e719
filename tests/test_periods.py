"""Periods: [since, until) in a named time zone."""

from datetime import UTC, date, datetime

import pandas as pd
import pytest

import fleetkit as fk
from fleetkit import periods


@pytest.mark.parametrize(
    ("text", "since", "until", "title"),
    [
        ("2026-10", "2026-10-01", "2026-11-01", "October 2026"),
        ("2026-12", "2026-12-01", "2027-01-01", "December 2026"),
        ("2026-Q1", "2026-01-01", "2026-04-01", "Q1 2026"),
        ("2026", "2026-01-01", "2027-01-01", "2026"),
        ("2024-02-29", "2024-02-29", "2024-03-01", "29 February 2024"),
    ],
)
def test_a_text_is_a_period(text, since, until, title):
    found = periods.parse(text)
    assert [found.since.date().isoformat(), found.until.date().isoformat()] == [since, until]
    assert (found.name, found.title) == (text, title)


@pytest.mark.parametrize(
    "text",
    ["2026-13", "2026-00", "2026-Q5", "October", "", "26-10", "2026-02-30", "0000", "2026-1"],
)
def test_what_is_no_period_is_refused(text):
    with pytest.raises(fk.InvalidValue, match="is no period"):
        periods.parse(text)


def test_midnights_are_those_of_the_zone_also_across_a_clock_change():
    october = periods.parse("2026-10", "Europe/London")
    assert october.since.astimezone(UTC).isoformat() == "2026-09-30T23:00:00+00:00"
    assert october.until.astimezone(UTC).isoformat() == "2026-11-01T00:00:00+00:00"
    assert october.days == 31


def test_the_period_before_has_the_same_length_or_is_the_month_before():
    assert periods.parse("2026-03").previous().name == "2026-02"
    assert periods.parse("2026-Q1").previous().name == "2025-Q4"
    since, until = (datetime(2026, 10, day, tzinfo=UTC) for day in (11, 21))
    assert periods.Period(since, until).previous().name == "2026-10-01_2026-10-10"


def test_a_year_before_a_leap_day_is_the_28th():
    assert periods.parse("2024-02-29").year_before().name == "2023-02-28"


def test_twelve_months_end_with_the_period_s_last_day():
    assert periods.parse("2026-10").last_months(12).months()[::11] == ["2025-11", "2026-10"]


def test_a_month_is_over_in_its_own_zone():
    now = datetime(2026, 10, 31, 23, 30, tzinfo=UTC)
    assert periods.last_complete_month(now, "UTC").name == "2026-09"
    assert periods.last_complete_month(now, "Asia/Tokyo").name == "2026-10"


def test_a_moment_is_read_from_a_date_a_datetime_and_text():
    midnight = datetime(2026, 10, 1, tzinfo=UTC)
    given = [date(2026, 10, 1), datetime(2026, 10, 1), "2026-10-01", "2026-10-01T02:00+02:00"]
    assert [periods.instant(each) for each in given] == [midnight] * 4


def test_an_unknown_zone_is_refused():
    with pytest.raises(fk.InvalidValue, match="no time zone"):
        periods.parse("2026-10", "Mars/Base")


@pytest.mark.parametrize(("midnights", "others", "expected"), [(99, 1, True), (98, 2, False)])
def test_flight_dates_are_dates_when_99_of_100_are_midnights(midnights, others, expected):
    days = ["2026-10-01T00:00:00Z"] * midnights + ["2026-10-01T08:30:00Z"] * others
    flights = pd.DataFrame({"flight_date": pd.to_datetime(days)})
    assert periods.are_dates(flights) is expected


def test_no_flights_are_instants():
    flights = pd.DataFrame({"flight_date": pd.Series([], dtype="datetime64[us, UTC]")})
    assert periods.are_dates(flights) is False
