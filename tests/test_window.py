"""Which flights a call reads: as few as it may, the same from a mirror as from a service."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pyarrow as pa
import pytest
from conftest import a_flight
from hypothesis import given, settings
from hypothesis import strategies as st
from test_time_periods import ZONES

import fleetkit as fk
from fleetkit import metrics, tables
from fleetkit.fleet.filtered import _joined as joined
from fleetkit.fleet.flight_cache import FlightCache
from fleetkit.fleet.flight_dates import FlightDates
from fleetkit.fleet.rows import is_in, sort
from fleetkit.fleet.window import Window, named, window, windows
from fleetkit.time import Clock, Ends, instant

LOS_ANGELES = "America/Los_Angeles"


@pytest.fixture
def mirrored(tmp_path, serve_records, tiny_records):
    """Return a function: (id, date) of flights, zone → the fleet over HTTP, and from its mirror."""

    def open_both(dates, tz):
        tiny_records["flights"] = [a_flight(name, date) for name, date in dates.items()]
        tiny_records["flight_equipment"] = [(name, "eq_kestrel") for name in dates]
        served = serve_records(tiny_records)
        live = fk.connect(served.base_url, served.api_key, tz=tz)
        live.sync(tmp_path / "mirror")
        return live, fk.open_mirror(tmp_path / "mirror", tz=tz)

    return open_both


def ids(fleet, *period):
    return fleet.flights(*period)["flight_id"].tolist()


@pytest.mark.slow
def test_a_midnight_between_instants_is_an_instant_from_a_mirror_too(mirrored):
    live, offline = mirrored(
        {"fl_1": "2026-10-30T09:00:00Z", "fl_2": "2026-10-31T00:00:00Z"}, LOS_ANGELES
    )
    for fleet in (live, offline):  # the midnight is 17:00 of the day before in Los Angeles
        assert ids(fleet, "2026-10-30") == ["fl_1", "fl_2"]
        assert ids(fleet, "2026-10-31") == []


@pytest.mark.slow
def test_a_midnight_alone_in_its_month_is_what_all_other_dates_of_a_mirror_are(mirrored):
    _, offline = mirrored(
        {"fl_1": "2026-08-30T09:00:00Z", "fl_2": "2026-11-01T00:00:00Z"}, LOS_ANGELES
    )
    october = offline.flights("2026-10")
    assert (october["flight_id"].tolist(), ids(offline, "2026-11")) == (["fl_2"], [])
    assert metrics.flight_hours(october, by="month")["month"].tolist() == ["2026-10"]
    assert len(offline.flights("2026-10", engine="polars").collect()) == 1


@pytest.mark.slow
def test_a_few_flights_of_a_service_alone_do_not_tell_what_their_dates_are(mirrored):
    dates = {"fl_1": "2026-08-30T09:00:00Z", "fl_2": "2026-10-15T00:00:00Z"}
    live, offline = mirrored(dates, LOS_ANGELES)
    zones = [fleet.flights("2026-10").attrs["tz"] for fleet in (live, offline)]
    assert [zone.dates_only for zone in zones] == [None, False]


def test_a_date_of_the_year_1_is_not_the_first_day_that_the_data_cover():
    flown = [datetime(1, 1, 1, tzinfo=UTC), None, datetime(2026, 10, 1, 9, tzinfo=UTC)]
    dates = pa.table({"flight_date": pa.array(flown, pa.timestamp("us", "UTC"))})
    assert FlightDates.of(dates) == FlightDates(2, first=flown[2], dates_only=False, undated=1)


@pytest.mark.parametrize(("second", "judged"), [(True, True), (False, None)])
def test_windows_that_differ_in_what_their_dates_are_leave_it_open(second, judged):
    rows = tables.empty("flights"), tables.empty("flight_equipment")
    parts = [(*rows, Clock(LOS_ANGELES, is_dates)) for is_dates in (True, second)]
    assert joined(parts, Clock(LOS_ANGELES))[2] == Clock(LOS_ANGELES, judged)


def test_what_was_read_once_serves_only_whom_it_holds_all_for():
    drone, both = ("eq_1",), ("eq_1", "eq_2")
    wide, narrow = Window(equipment=both), Window(equipment=drone)
    assert [wide.covers(narrow), narrow.covers(wide)] == [True, False]
    assert [Window().covers(narrow), narrow.covers(Window())] == [True, False]
    training, commercial = Window(flight_type="TRAINING"), Window(flight_type="COMMERCIAL")
    assert [training.covers(commercial), training.covers(Window())] == [False, False]
    assert Window().covers(training)


def test_periods_that_overlap_or_touch_are_one_window_and_others_their_own():
    def spans(*periods):
        read = windows(list(periods), tz="UTC")
        return [(part.since.strftime("%m-%d"), part.until.strftime("%m-%d")) for part in read]

    assert spans("2026-10", "2026-10-05") == [("10-01", "11-01")]
    assert spans("2026-11", "2026-10") == [("10-01", "12-01")]
    assert spans("2026-10", "2026-12") == [("10-01", "11-01"), ("12-01", "01-01")]


@pytest.mark.parametrize(
    "ends",
    [
        ("2026-10-01", "2026-10-19"),
        (date(2026, 10, 1), datetime(2026, 10, 19, tzinfo=UTC)),
        ("2026-10-01T00:00:00Z", pd.Timestamp("2026-10-19", tz="UTC")),
    ],
)
def test_two_days_in_a_tuple_are_since_and_until_and_in_a_list_two_periods(ends):
    [span] = windows(ends, tz="UTC")
    assert (span.since, span.until) == (instant("2026-10-01", "UTC"), instant("2026-10-19", "UTC"))
    assert len(windows(["2026-10-01", "2026-10-19"], tz="UTC")) == 2
    assert len(windows(("2026-08", "2026-10"), tz="UTC")) == 2


@pytest.mark.slow
def test_dates_belong_to_their_day_in_every_zone(mirrored):
    live, offline = mirrored({"fl_1": "2026-10-30", "fl_2": "2026-10-31"}, LOS_ANGELES)
    for fleet in (live, offline):
        assert ids(fleet, "2026-10-30") == ["fl_1"]
        assert ids(fleet, "2026-10-31") == ["fl_2"]
        assert fleet.flight_equipment("2026-10-31")["flight_id"].tolist() == ["fl_2"]


@pytest.mark.slow
def test_a_month_in_utc_reads_the_files_of_that_month_alone(mirrored, tmp_path):
    _, offline = mirrored(
        {"fl_1": "2026-09-30T23:59:59Z", "fl_2": "2026-10-31T12:00:00Z", "fl_3": "2026-11-01"},
        "UTC",
    )
    for month in ("2026-09", "2026-11"):
        for path in (tmp_path / "mirror").rglob(f"flight_month={month}/*.parquet"):
            path.unlink()
    assert ids(offline, "2026-10") == ["fl_2"]
    assert len(offline.flight_equipment("2026-10")) == 1


def test_a_window_covers_another_only_with_the_days_of_dates():
    day = window("2026-10-31", tz=LOS_ANGELES)  # 07:00 UTC to 07:00 UTC, dates from 00:00
    month = window("2026-10", tz=LOS_ANGELES)
    instants = window(since="2026-10-31T07:00:00Z", until="2026-11-01T07:00:00Z", tz="UTC")
    assert month.covers(day)
    assert not instants.covers(day)
    as_dates, as_instants = Clock(dates_only=True), Clock(dates_only=False)
    assert as_dates.edges(day) != as_instants.edges(day)
    assert as_dates.edges(instants) == as_instants.edges(instants)


def test_rows_are_arranged_by_the_second_column_where_the_first_leaves_a_tie():
    frame = pd.DataFrame({"n": pd.array([2, None, 1, 2], "Int64"), "id": list("badc")})
    down = sort(frame, ("n", "descending"), ("id", "ascending"))
    assert down["id"].tolist() == ["b", "c", "d", "a"]
    assert sort(frame.iloc[:0], ("n", "ascending")).empty


def test_texts_are_found_among_others_and_null_is_none_of_them():
    selection = is_in(pd.Series(["a", None, "b"], index=[5, 6, 7]), pd.Series(["b", None]))
    assert selection.to_dict() == {5: False, 6: False, 7: True}


# Moments around the midnights of month ends and of clock changes, to the microsecond.
MOMENTS = st.builds(
    lambda day, hours, micros: (
        datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day, hours=hours, microseconds=micros)
    ),
    st.sampled_from([-1, 0, 31, 66, 67, 87, 88, 242, 273, 297, 304, 305, 334, 364, 365]),
    st.integers(-14, 14),
    st.sampled_from([-1, 0, 1]),
)


@pytest.mark.slow
@settings(max_examples=12)  # of up to a dozen moments each
@given(st.lists(MOMENTS, min_size=1, max_size=12), st.sampled_from(ZONES))
def test_what_a_month_holds_is_what_metrics_count_in_it_in_every_zone(moments, tz):
    flights = tables.empty("flights").reindex(range(len(moments)))
    flights["flight_date"] = pd.Series(moments, dtype="datetime64[us, UTC]")
    flights["flight_id"] = [f"fl_{number}" for number in range(len(moments))]
    counted = metrics.flight_hours(flights, by="month", tz=tz).set_index("month")["flights"]
    days = metrics.flight_hours(flights, by="day", tz=tz).set_index("day")["flights"]
    for name, count in [*counted.items(), *days.items()]:
        cut, _ = window(name, tz=tz).cut(flights, tables.empty("flight_equipment"), Clock(tz))
        assert len(cut) == count


def test_what_was_read_for_an_hour_is_not_taken_for_the_next_one_that_the_clock_shows_alike():
    # In Havana it is 00:15 at 04:15 UTC, and again at 05:15.
    dates = pd.to_datetime(["2026-11-01T04:15Z", "2026-11-01T05:15Z"]).as_unit("us")
    flown, bridge = pd.DataFrame({"flight_date": dates}), tables.empty("flight_equipment")
    cache = FlightCache(lambda part: (Clock().cut(flown, part), bridge))
    for hour, date_ in zip(("04", "05"), dates, strict=True):
        ends = (f"2026-11-01T{hour}:{minute}Z" for minute in ("00", "30"))
        part = window(**dict(zip(("since", "until"), ends, strict=True)), tz="America/Havana")
        assert date_ in list(cache.get(part)[0]["flight_date"])


def test_what_two_spans_share_and_its_name_go_by_moments_in_an_hour_that_the_clock_shows_twice():
    # In Oslo from 02:40 to 02:10.
    part = window(since="2025-10-26T00:40Z", until="2025-10-26T01:10Z", tz="Europe/Oslo")
    day = window("2025-10-26", tz="Europe/Oslo")
    assert named([part], "Europe/Oslo") == "2025-10-26T024000_2025-10-26T021000+0100"
    later = window(since="2025-10-26T01:00Z", tz="Europe/Oslo")
    since, until = Ends(part.since, part.until).within(Ends(later.since, day.until))
    assert (since.fold, since.minute, until.minute) == (1, 0, 10)
    first = window(until="2025-10-26T00:50Z", tz="Europe/Oslo")
    assert Ends(part.since, part.until).within(Ends(until=first.until)).until.minute == 50


@pytest.mark.slow
@given(st.lists(st.sampled_from(ZONES), min_size=2, max_size=2), MOMENTS, MOMENTS)
def test_a_window_covers_another_whatever_the_zones_of_their_ends(zones, one, other):
    since, until = sorted([one, other])
    inner = window(since=since, until=until, tz=zones[0])
    outer = window(since=since - timedelta(days=2), until=until + timedelta(days=2), tz=zones[1])
    assert outer.covers(inner)
    assert inner.covers(inner)
    assert not inner.covers(outer)


@pytest.mark.parametrize(
    ("days", "span", "common"),
    [
        ((1, 9), (3, 12), (3, 9)),
        ((None, 9), (3, None), (3, 9)),
        ((1, None), (None, None), (1, None)),
        ((None, None), (None, None), (None, None)),
    ],
)
def test_the_later_start_and_the_earlier_end_hold_and_an_open_one_gives_way(days, span, common):
    def ends(pair):
        return Ends(*(day and datetime(2026, 10, day, tzinfo=UTC) for day in pair))

    assert ends(days).within(ends(span)) == ends(common)
