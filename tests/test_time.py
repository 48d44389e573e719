"""Dates of flights: dates or instants, on the clock of a zone, and cut at its midnights."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import duckdb
import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleetkit.errors import InvalidValue
from fleetkit.fleet.flight_dates import FlightDates
from fleetkit.time import Clock, Ends, Period, Zone, to_local_time, widened

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


def test_the_dates_of_a_mirror_are_judged_over_all_of_its_files():
    october, september = datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 9, 1, tzinfo=UTC)
    files = pa.chunked_array([[october, None], [september]], pa.timestamp("us", "UTC"))
    dates = FlightDates.of(pa.table({"flight_date": files}))
    assert dates == FlightDates(dated=2, first=september, dates_only=True, undated=1)


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


@pytest.mark.slow
@given(st.lists(MOMENTS, min_size=1, max_size=20), st.sampled_from(ZONES))
def test_dates_are_not_shifted_into_any_zone(moments, tz):
    days = [datetime(moment.year, moment.month, moment.day) for moment in moments]
    shown = Clock(tz, dates_only=True).times(flown(days)["flight_date"])
    assert shown.tolist() == days


@pytest.mark.slow
@pytest.mark.parametrize("engine", [pd.DataFrame, pl.from_pandas], ids=["pandas", "polars"])
@settings(max_examples=40)
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


def shown(moment, tz, dates_only):
    """Return what Python's own clock of the zone shows; a date is the day that it says."""
    local = moment if dates_only else moment.astimezone(ZoneInfo(tz))
    return local.replace(tzinfo=None)


# Where clocks are set back at one minute past midnight, as in Newfoundland until 2011, a day comes
# twice; from 2013 on it doesn't.
ANY_ZONE = st.sampled_from(sorted(available_timezones() - {"localtime", "Factory"}))
INSTANTS = st.datetimes(datetime(2013, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))
DATES = st.dates(date(2013, 1, 1), date(2029, 12, 31)).map(
    lambda day: datetime(day.year, day.month, day.day, tzinfo=UTC)
)
FLOWN = st.booleans().flatmap(
    lambda dates_only: st.tuples(
        st.just(dates_only), st.lists(DATES if dates_only else INSTANTS, min_size=1, max_size=12)
    )
)
ENGINES = {
    "pandas": lambda frame: frame,
    "polars": lambda frame: pl.from_pandas(frame).lazy(),
    "duckdb": duckdb.from_df,
}


def days_of(frame):
    """Return the flight dates of any engine's frame as Python has them, in UTC."""
    rows = nw.from_native(frame).lazy().collect("pandas").to_native()
    return sorted(moment.to_pydatetime().astimezone(UTC) for moment in rows["flight_date"])


@pytest.mark.slow
@given(FLOWN, ANY_ZONE, st.data())
def test_a_cut_is_what_plain_python_finds_by_calendar_day_in_any_zone(flown_on, tz, data):
    dates_only, moments = flown_on
    days = [shown(moment, tz, dates_only).date() for moment in moments]
    first, length = data.draw(st.sampled_from(days)), data.draw(st.integers(1, 400))
    first -= timedelta(data.draw(st.integers(0, length)))
    after = first + timedelta(length)
    period = Period.between(first, after, tz)
    expected = [moment for moment, day in zip(moments, days, strict=True) if first <= day < after]
    assert days_of(Clock(tz, dates_only).cut(flown(moments), period)) == sorted(expected)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=40)  # of up to a dozen moments each
@given(
    moments=st.lists(MOMENTS, min_size=1, max_size=12),
    tz=st.sampled_from(ZONES),
    dates_only=st.booleans(),
)
def test_days_weeks_and_months_are_python_s_in_every_engine(engine, moments, tz, dates_only):
    clock = Clock(tz, dates_only)
    frame = clock.localize(nw.from_native(ENGINES[engine](flown(moments))).lazy())
    named = frame.select(
        clock.day().alias("day"), clock.week().alias("week"), clock.month().alias("month")
    )
    expected = [shown(moment, tz, dates_only) for moment in moments]
    rows = named.collect("pandas").to_native()
    assert sorted(rows["day"]) == sorted(f"{local:%Y-%m-%d}" for local in expected)
    assert sorted(rows["week"]) == sorted(f"{local:%G-W%V}" for local in expected)
    assert sorted(rows["month"]) == sorted(f"{local:%Y-%m}" for local in expected)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=40)
@given(
    moments=st.lists(MOMENTS, min_size=1, max_size=12),
    tz=st.sampled_from(ZONES),
    dates_only=st.booleans(),
)
def test_a_cut_is_the_same_in_every_engine(engine, moments, tz, dates_only):
    clock = Clock(tz, dates_only)
    day = Period.read(shown(moments[0], tz, dates_only).date(), tz)
    expected = [
        moment for moment in moments if shown(moment, tz, dates_only).date() == day.last_day
    ]
    assert days_of(clock.cut(ENGINES[engine](flown(moments)), day)) == sorted(expected)


@pytest.mark.slow
@given(FLOWN, ANY_ZONE)
def test_what_a_service_is_asked_for_holds_all_flights_of_a_period(flown_on, tz):
    dates_only, moments = flown_on
    for moment in moments:
        day = Period.read(shown(moment, tz, dates_only).date(), tz)
        for since, until in (Clock(tz).edges(day), widened(day)):
            assert since <= moment < until


def test_a_service_is_asked_for_a_day_more_also_beside_a_day_that_the_clock_skipped():
    # Samoa had no 30 December 2011: its clock went on from the end of the 29th to the 31st.
    new_year_s_eve = Period.read("2011-12-31", "Pacific/Apia")
    asked = [end.isoformat() for end in widened(new_year_s_eve)]
    assert asked == ["2011-12-29T10:00:00+00:00", "2012-01-01T10:00:00+00:00"]


def test_a_cut_leaves_out_flights_without_a_date_only_where_there_is_an_end():
    flights = flown(["2026-10-01T08:00Z", None, "2026-11-01T08:00Z"])
    clock = Clock("Europe/Oslo", dates_only=False)
    assert len(clock.cut(flights, Ends())) == 3
    assert days_of(clock.cut(flights, Ends(until=datetime(2027, 1, 1, tzinfo=UTC)))) == [
        datetime(2026, 10, 1, 8, tzinfo=UTC),
        datetime(2026, 11, 1, 8, tzinfo=UTC),
    ]


def test_a_column_without_a_zone_is_cut_and_counted_as_one_in_utc():
    naive = flown(["2026-09-30T23:30Z", "2026-10-31T23:30Z"])
    naive["flight_date"] = naive["flight_date"].dt.tz_localize(None)
    clock = Clock("Europe/Oslo", dates_only=False)
    assert clock.times(naive["flight_date"]).dt.strftime("%d %H:%M").tolist() == [
        "01 01:30",
        "01 00:30",
    ]
    october = clock.cut(naive, Period.read("2026-10", "Europe/Oslo"))
    assert october["flight_date"].dt.month.tolist() == [9]


def test_the_clock_of_frames_is_the_zone_that_they_carry_and_what_the_first_one_knows():
    one, other = flown(["2026-10-01T00:00Z"]), flown(["2026-10-01T00:00Z"])
    one.attrs["tz"] = Zone("Europe/Oslo", dates_only=True)
    other.attrs["tz"] = "Europe/Oslo"
    assert Clock.of(one, other) == Clock("Europe/Oslo", dates_only=True)
    assert Clock.of(other, one) == Clock("Europe/Oslo")
    assert Clock.of(one, tz="Asia/Tokyo") == Clock("Asia/Tokyo", dates_only=True)
    assert Clock.of(one).zone.dates_only is True
    other.attrs["tz"] = "Asia/Tokyo"
    with pytest.raises(InvalidValue, match="different time zones: Asia/Tokyo, Europe/Oslo"):
        Clock.of(one, other)


def test_beside_flights_that_are_dates_other_moments_are_shown_by_the_clock():
    frame = flown(["2026-10-01T00:00Z"]).assign(created_at=pd.Timestamp("2026-10-01T22:30Z"))
    frame.attrs["tz"] = Zone("Europe/Oslo", dates_only=True)
    [shown] = to_local_time(frame).itertuples(index=False)
    assert [moment.strftime("%d %H:%M") for moment in shown] == ["01 00:00", "02 00:30"]


def test_a_date_keeps_its_day_beside_moments_and_another_row_does_not_change_it():
    # In New York the clock shows 20:00 of the day before at midnight UTC. In Havana it is set back
    # from 01:00 to midnight on 2 November; in Cairo it skips midnight on 25 April.
    dates = {"America/New_York": "2025-10-10", "America/Havana": "2025-11-02"}
    for tz, day in {**dates, "Africa/Cairo": "2025-04-25"}.items():
        expiries = flown([f"{day}T00:00Z", "2026-12-12T03:30Z", None]).rename(
            columns=lambda _: "expiry"
        )
        expiries.attrs["tz"] = tz
        shown = to_local_time(expiries)["expiry"].dt.date.tolist()
        days = Clock(tz).days(expiries["expiry"]).dt.date.tolist()
        alone = Clock(tz).days(expiries["expiry"].head(1)).dt.date.tolist()
        assert [shown[0].isoformat()] == [days[0].isoformat()] == [alone[0].isoformat()] == [day]
        assert shown[1:] == days[1:]
        dates_alone = expiries.iloc[[0, 2]]
        assert to_local_time(dates_alone).equals(dates_alone)
    assert days[1] == date(2026, 12, 12)


def test_the_last_flight_is_a_moment_where_the_flights_of_the_fleet_are():
    flown_last = flown(["2026-10-01T00:00Z"]).rename(columns=lambda _: "last_flight")
    flown_last.attrs["tz"] = Zone("America/New_York", dates_only=False)
    assert to_local_time(flown_last)["last_flight"][0].date() == date(2026, 9, 30)
