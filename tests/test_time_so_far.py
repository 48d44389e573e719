"""A period that isn't over, and what the data cover: rules 9 and 10 of what is measured."""

from datetime import UTC, date, datetime, timedelta

import pytest

import fleetkit as fk
from fleetkit.errors import InvalidValue
from fleetkit.fleet.coverage import covered, reportable_days
from fleetkit.reports.sentences import during
from fleetkit.time import Period, so_far


def at(text, tz=UTC):
    return datetime.fromisoformat(text).replace(tzinfo=tz)


@pytest.mark.parametrize(
    ("period", "fetched", "titles"),
    [
        (
            "2026-11",
            "2026-11-21T21:07",
            ("1–21 November 2026", "1–21 October 2026", "1–21 November 2025"),
        ),
        # Fetched at midnight: the 21st has not begun.
        (
            "2026-11",
            "2026-11-21T00:00",
            ("1–20 November 2026", "1–20 October 2026", "1–20 November 2025"),
        ),
        # February has no 30th: it is whole.
        ("2026-03", "2026-03-30T10:00", ("1–30 March 2026", "February 2026", "1–30 March 2025")),
        # Nor has 2027 a 29 February.
        ("2028-02", "2028-02-29T10:00", ("February 2028", "1–29 January 2028", "February 2027")),
        (
            "2028",
            "2028-02-29T10:00",
            ("1 January – 29 February 2028", *["1 January – 28 February 2027"] * 2),
        ),
        # 31 October of the year before isn't whole, so that the days aren't called October 2025.
        ("2026-10", "2026-10-31T10:00", ("October 2026", "September 2026", "1–31 October 2025")),
        # A part of a period isn't called as the month or the week is that it happens to be.
        (
            "2026-Q4",
            "2026-11-01T00:00",
            ("1–31 October 2026", "1–31 July 2026", "1–31 October 2025"),
        ),
        ("2026-06", "2026-06-07T10:00", ("1–7 June 2026", "1–7 May 2026", "1–7 June 2025")),
        (
            "2026-Q4",
            "2026-12-31T10:00",
            ("Q4 2026", "Q3 2026", "1 October – 31 December 2025"),
        ),
        # 11 hours of the days before aren't called as the days are.
        (
            "2026-10-05",
            "2026-10-05T11:00",
            (
                "5 October 2026",
                "4 October 2026 00:00 – 4 October 2026 11:00",
                "5 October 2025 00:00 – 5 October 2025 11:00",
            ),
        ),
        # Monday to Wednesday, each time.
        (
            "2026-W41",
            "2026-10-07T10:00",
            ("5–7 October 2026", "28–30 September 2026", "6–8 October 2025"),
        ),
        (
            "2026-Q4",
            "2026-11-21T07:00",
            (
                "1 October – 21 November 2026",
                "1 July – 21 August 2026",
                "1 October – 21 November 2025",
            ),
        ),
    ],
)
def test_a_period_that_is_not_over_is_compared_with_the_same_days(period, fetched, titles):
    found = so_far(Period.read(period), at(fetched))
    spans = (found.as_days.title, found.previous().title, found.year_before().title)
    assert (found.name, found.until, spans) == (period, at(fetched), titles)
    assert found.title == f"{titles[0]}, so far"


def test_some_days_of_a_week_are_not_titled_as_the_week():
    found = so_far(Period.read("2026-W41"), at("2026-10-07T10:00"))
    assert found.previous().title_beside(found) == "28–30 September"
    assert found.previous_title == "the same days of the week before"
    assert so_far(Period.read("2026-W41"), at("2026-10-12T00:00")).title_beside(found) == "Week 41"


@pytest.mark.parametrize(("fetched", "days"), [("2026-11-21T00:00", 20), ("2026-11-21T00:01", 21)])
def test_the_days_that_have_passed_are_counted_with_the_one_of_the_fetch(fetched, days):
    assert so_far(Period.read("2026-11"), at(fetched)).days == days


def test_the_same_days_end_at_the_same_time_of_day():
    found = so_far(Period.read("2026-11"), at("2026-11-21T21:07"))
    assert found.previous().until == at("2026-10-21T21:07")
    assert found.year_before().until == at("2025-11-21T21:07")


def test_a_span_that_is_not_over_is_compared_with_as_many_days_of_the_span_before():
    found = so_far(Period.between("2026-11-10", "2026-12-10", "UTC"), at("2026-11-21T07:00"))
    assert found.name == "2026-11-10_2026-12-09"
    assert found.previous().title == "11–22 October 2026"
    assert found.year_before().title == "10–21 November 2025"


def test_hours_that_are_not_over_end_when_the_data_were_fetched_and_not_with_the_day():
    hours = Period.between("2026-10-14T06:00", "2026-10-14T23:00", "UTC")
    found = so_far(hours, at("2026-10-14T12:00"))
    assert found.title == "14 October 2026 06:00 – 14 October 2026 12:00, so far"
    assert found.previous().title == "13 October 2026 13:00 – 13 October 2026 19:00"
    assert during(found.year_before()) == "from 14 October 2025 06:00 to 14 October 2025 12:00"
    assert found.previous_title == "the same time before"


def test_data_fetched_at_the_second_midnight_of_a_day_are_of_its_first_hour():
    # Havana's clock is set back from 01:00 to 00:00, at 05:00 UTC, on 1 November 2026.
    found = so_far(Period.read("2026-11", "America/Havana"), at("2026-11-01T05:00"))
    assert (found.title, found.days) == ("1 November 2026, so far", 1)
    assert found.previous().until.isoformat() == "2026-10-01T01:00:00-04:00"
    hour = Period.between("2026-11-01T04:00Z", "2026-11-01T05:00Z", "America/Havana")
    assert (hour.days, hour.months()) == (1, ["2026-11"])


@pytest.mark.parametrize("hour", [1, 2])
def test_hours_that_are_not_over_have_as_many_minutes_before_them_though_a_clock_shows_them_twice(
    hour,
):
    # In Oslo it is 02:00 at 00:00 UTC and again at 01:00 UTC.
    ends = (f"2025-10-26T{hour + more:02}:00Z" for more in (0, 1))
    found = so_far(Period.between(*ends, "Europe/Oslo"), at(f"2025-10-26T{hour:02}:30"))
    before = found.previous()
    assert before.since.astimezone(UTC) == at(f"2025-10-26T{hour - 1:02}:00")
    assert before.until.astimezone(UTC) == at(f"2025-10-26T{hour - 1:02}:30")


def test_an_earlier_span_that_is_shorter_is_whole_and_no_longer():
    # The leap day makes this span of 24 days one of 23 a year before.
    span = Period.between("2028-02-10", "2028-03-05", "UTC")
    found = so_far(span, at("2028-03-04T12:00"))
    assert found.year_before() == span.year_before()
    assert found.year_before().until == at("2027-03-05T00:00")


def test_a_period_ends_where_the_clock_of_its_zone_says():
    found = so_far(Period.read("2026-11", "Asia/Tokyo"), at("2026-11-20T15:30"))
    assert found.title == "1–21 November 2026, so far"


@pytest.mark.parametrize("fetched", ["2026-11-01T00:00", "2026-12-05T00:00"])
def test_a_period_that_is_over_stays_as_it_is(fetched):
    assert so_far(Period.read("2026-10"), at(fetched)) == Period.read("2026-10")


def test_what_is_so_far_can_be_completed_by_later_data():
    early = so_far(Period.read("2026-11"), at("2026-11-21T07:00"))
    assert early.previous_title == "the same days of the month before"
    assert so_far(early, at("2026-12-01T00:00")) == Period.read("2026-11")


def test_the_name_of_what_is_so_far_is_that_of_the_whole_and_is_read_back():
    early = so_far(Period.read("2026-11"), at("2026-11-21T07:00"))
    assert Period.read(early.name) == early.whole
    assert Period.read(early.previous().name) == Period.read("2026-10")


def test_a_period_that_has_not_begun_is_refused_with_the_day_of_the_data():
    with pytest.raises(InvalidValue, match=r"December 2026 .* on 21 November 2026, 00:30") as no:
        so_far(Period.read("2026-12", "Asia/Tokyo"), at("2026-11-20T15:30"))
    assert no.value.advice == "Choose an earlier period."


def test_months_that_end_with_it_are_so_far_too():
    months = so_far(Period.read("2026-11"), at("2026-11-21T07:00")).last_months(13)
    assert (months.since, months.until) == (at("2025-11-01T00:00"), at("2026-11-21T07:00"))
    assert len(months.months()) == 13


@pytest.fixture
def fleet(tiny):
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as opened:
        yield opened


@pytest.mark.slow
def test_data_cover_from_the_day_of_the_first_flight_until_they_were_fetched(fleet, tmp_path):
    fleet.sync(tmp_path / "mirror")
    mirror = fk.open_mirror(tmp_path / "mirror")
    for tz, first in (("UTC", date(2026, 9, 30)), ("Europe/Oslo", date(2026, 10, 1))):
        known = covered(fk.open_mirror(tmp_path / "mirror", tz=tz))
        assert known.since.date() == first
        assert known.until == mirror.mirror.fetched_at
    assert reportable_days(mirror) == (date(2026, 9, 30), mirror.mirror.fetched_at.date())


@pytest.mark.slow
def test_a_filter_s_own_days_cover_less_and_its_client_does_not(fleet):
    assert covered(fleet.where(client="Nobody")).since == at("2026-09-30T00:00")
    narrowed = covered(fleet.where(since="2026-10-15", until="2026-10-20"))
    assert (narrowed.since, narrowed.until) == (at("2026-10-15T00:00"), at("2026-10-20T00:00"))
    assert covered(fleet.where(since="2026-10-15", until="2026-10-15")) is None


def test_a_filter_s_own_half_hour_is_covered_though_the_clock_was_set_back_within_it(tiny):
    # By Havana's clock it is from 00:40 to 00:10 of 1 November.
    with fk.connect(tiny.base_url, tiny.api_key, tz="America/Havana", progress=False) as opened:
        known = covered(opened.where(since="2026-11-01T04:40Z", until="2026-11-01T05:10Z"))
        later = covered(opened.where(since="2026-11-01T05:00Z")).since
    assert known.since.astimezone(UTC) == at("2026-11-01T04:40")
    assert known.until.astimezone(UTC) == at("2026-11-01T05:10")
    assert later.astimezone(UTC) == at("2026-11-01T05:00")


def test_without_a_flight_nothing_is_covered(serve_records, tiny_records):
    served = serve_records({**tiny_records, "flights": [], "flight_equipment": []})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        assert (covered(fleet), reportable_days(fleet)) == (None, None)


@pytest.mark.slow
def test_the_demo_is_as_of_the_start_of_its_day_whatever_the_hour(tmp_path):
    demo = fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=200)
    demo.sync(tmp_path / "mirror", details=False)
    assert fk.open_mirror(tmp_path / "mirror").mirror.fetched_at == at("2026-11-20T00:00")
    assert reportable_days(demo)[1] == date(2026, 11, 19)
    assert demo.period().name == "2026-10"


def test_a_period_whose_first_moment_has_come_and_none_after_it_had_not_begun():
    midnight = datetime(2026, 11, 1, tzinfo=UTC)
    with pytest.raises(InvalidValue, match="November 2026 had not begun"):
        so_far(Period.read("2026-11"), midnight)
    assert so_far(Period.read("2026-11"), midnight + timedelta(seconds=1)).days == 1


def test_an_earlier_period_that_ends_with_the_same_days_is_that_period():
    # February has no 29th day: its same days are all of it.
    march = so_far(Period.read("2026-03"), datetime(2026, 3, 29, tzinfo=UTC))
    assert march.previous() == Period.read("2026-02")
    assert march.previous().year_before() == Period.read("2025-02")
