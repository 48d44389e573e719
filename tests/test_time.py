"""Dates of flights: dates or instants, on the clock of a zone, and cut at its midnights."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import narwhals as nw
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetkit.time import Clock, Period

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland")
# Around the changes of the clock in the zones above, and at the ends of months.
CHANGES = [
    datetime(2026, *day, tzinfo=UTC)
    for day in [(3, 8), (3, 29), (4, 5), (9, 27), (10, 25), (11, 1), (1, 31), (12, 31)]
]
MOMENTS = st.builds(
    lambda change, seconds: change + timedelta(seconds=seconds),
    st.sampled_from(CHANGES),
    st.integers(-2 * 86_400, 2 * 86_400).filter(bool),
)


def flown(moments) -> pd.DataFrame:
    days = pd.to_datetime(list(moments), utc=True).astype("datetime64[us, UTC]")
    return pd.DataFrame({"flight_date": days})


@pytest.mark.parametrize(("midnights", "others", "expected"), [(99, 1, True), (98, 2, False)])
def test_flight_dates_are_dates_when_99_of_100_are_midnights(midnights, others, expected):
    days = ["2026-10-01T00:00:00Z"] * midnights + ["2026-10-01T08:30:00Z"] * others
    flights = pd.DataFrame({"flight_date": pd.to_datetime(days)})
    assert Clock().judge(flights).dates_only is expected


def test_no_flights_are_instants():
    flights = pd.DataFrame({"flight_date": pd.Series([], dtype="datetime64[us, UTC]")})
    assert Clock().judge(flights).dates_only is False


def test_what_a_fleet_knows_of_its_dates_wins_over_how_they_look():
    midnight = flown(["2026-10-01T00:00Z"])
    assert Clock().judge(midnight).dates_only is True
    assert Clock(dates_only=False).judge(midnight).dates_only is False


@pytest.mark.slow
@given(st.lists(MOMENTS, min_size=1, max_size=20), st.sampled_from(ZONES))
def test_instants_are_shown_as_the_clock_of_the_zone_does(moments, tz):
    expected = [moment.astimezone(ZoneInfo(tz)).replace(tzinfo=None) for moment in moments]
    assert Clock(tz, dates_only=False).times(flown(moments)["flight_date"]).tolist() == expected


@given(st.lists(MOMENTS, min_size=1, max_size=20), st.sampled_from(ZONES))
def test_dates_are_not_shifted_into_any_zone(moments, tz):
    days = [datetime(moment.year, moment.month, moment.day) for moment in moments]
    shown = Clock(tz, dates_only=True).times(flown(days)["flight_date"])
    assert shown.tolist() == days


@pytest.mark.slow
@pytest.mark.parametrize("engine", [pd.DataFrame, pl.from_pandas], ids=["pandas", "polars"])
@given(
    moments=st.lists(MOMENTS, min_size=1, max_size=20),
    tz=st.sampled_from(ZONES),
    dates_only=st.booleans(),
)
def test_a_flight_lies_in_the_month_that_its_day_is_of(engine, moments, tz, dates_only):
    clock = Clock(tz, dates_only)
    frame = nw.from_native(engine(flown(moments))).lazy()
    named = clock.localize(frame).with_columns(clock.month().alias("month"))
    for month, count in named.collect("pandas").to_native()["month"].value_counts().items():
        cut = clock.cut(frame, Period.read(month, tz))
        assert len(cut.collect("pandas")) == count
