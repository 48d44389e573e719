"""A measure in the period, before it, a year ago and by month; blank where the data don't reach."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pandas as pd
import pytest
from conftest import ADA, BO, a_flight, an_equipment, flown_by_kestrel

import fleetkit as fk
from fleetkit import metrics, notices
from fleetkit.fleet.aircraft import aircraft_of
from fleetkit.fleet.coverage import reportable_days, zone_of
from fleetkit.reports import Comparison, activity
from fleetkit.time import Period, so_far

# When the data of these tests were fetched: in the middle of a month.
FETCHED = datetime(2026, 11, 21, 9, tzinfo=UTC)
NOVEMBER = so_far(Period.read("2026-11"), FETCHED)


def as_of(fleet, moment=FETCHED):
    """Let a live fleet stand as of a moment, as the demo does."""
    fleet._source._fetched_at = moment
    return fleet


@pytest.fixture
def fleet(tiny):
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as opened:
        yield as_of(opened)


def flights(part, _span):
    return len(part)


@pytest.mark.slow
def test_a_measure_is_taken_of_the_period_the_one_before_and_each_month(fleet):
    # The first flight is of 30 September 2026: October is covered, September is not.
    december = as_of(fleet, datetime(2026, 12, 2, tzinfo=UTC))
    compare = Comparison(december, Period.read("2026-11"))
    assert compare(flights) == {
        "value": 1,
        "previous": 3,
        "year_before": None,
        "trend": [None] * 10 + [3, 1],
        "note": "no data before 30 September 2026",
    }
    # What one report shows of a month, the next one compares with.
    october = Comparison(december, Period.read("2026-10"))
    for measure in ("flights", "hours", "active_aircraft", "hours_per_aircraft_day"):
        now, before = getattr(compare, measure)(), getattr(october, measure)()
        assert now["previous"] == before["value"] > 0
        assert now["trend"][-2:] == [before["value"], now["value"]]


@pytest.mark.slow
def test_why_hours_changed_is_said_and_whose_they_mostly_are(fleet):
    december = as_of(fleet, datetime(2026, 12, 2, tzinfo=UTC))
    # September isn't covered. Ada flew 1.5 of October's 1.75 h; November's 10 min are nobody's.
    # Of the two drones one stayed on the ground.
    most = "Kestrel 1 flew 100 % of the hours."
    assert Comparison(december, Period.read("2026-10")).why() == (
        f"{most} Ada Lind flew 86 % of the hours."
    )
    assert Comparison(december, Period.read("2026-11")).why() == (
        f"Ada Lind: 1.5 of the 1.6 h fewer than in October 2026. {most}"
    )
    # One that is out of service did not stay there.
    retired = aircraft_of(december).replace({"status": {"MAINTENANCE": "RETIRED"}})
    said = Comparison(december, Period.read("2026-10"), retired).why()
    assert said == "Ada Lind flew 86 % of the hours."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "change"),
    [
        (18_000, ""),
        (
            3_600,
            "Kestrel 2 (eq_spare): 5.0 h fewer than in September 2026; all others together: "
            "1.0 h more. ",
        ),
    ],
)
def test_who_flew_most_is_said_however_little_the_hours_changed_and_why_they_changed_by_much(
    serve_records, tiny_records, seconds, change
):
    # September's 5 h were Ada's and Bo's with Kestrel 2; October's 5 h, or 1 h, are Ada's alone.
    # Another drone of that name never flew.
    flown = [
        a_flight(f"fl_{day}", f"{day}T09:00:00.000Z", pilotInCommand=pilot, durationSeconds=length)
        for day, pilot, length in (
            ("2026-08-31", BO, 3_600),
            ("2026-09-10", BO, 9_000),
            ("2026-09-11", ADA, 9_000),
            ("2026-10-10", ADA, seconds),
        )
    ]
    pieces = ("eq_kestrel", "eq_spare", "eq_spare", "eq_kestrel")
    pairs = [(flight["id"], piece) for flight, piece in zip(flown, pieces, strict=True)]
    tiny_records["equipment"].append(an_equipment("eq_other", name="Kestrel 2"))
    served = serve_records({**tiny_records, "flights": flown, "flight_equipment": pairs})
    with fk.connect(served.base_url, served.api_key, progress=False) as opened:
        december = as_of(opened, datetime(2026, 12, 2, tzinfo=UTC))
        said = Comparison(december, Period.read("2026-10")).why()
    most = "Kestrel 1 flew 100 % of the hours. Ada Lind flew 100 % of the hours."
    assert said == f"{change}{most}"


@pytest.mark.slow
def test_an_aircraft_is_told_from_a_namesake_that_did_not_fly(fleet):
    # Both drones are called alike, and only one of them flew in October.
    december = as_of(fleet, datetime(2026, 12, 2, tzinfo=UTC))
    aircraft = december.equipment().replace({"name": {"Kestrel 2": "Kestrel 1"}})
    said = Comparison(december, Period.read("2026-10"), aircraft).why()
    assert said.startswith("Kestrel 1 (eq_kestrel) flew 100 % of the hours. Camera 1 flew 86 % of")


@pytest.mark.slow
@pytest.mark.parametrize(
    "fetched", [datetime(2027, 6, 2, tzinfo=UTC), datetime(2028, 1, 2, tzinfo=UTC)]
)
def test_of_a_year_the_change_is_explained_once(serve_records, tiny_records, fetched):
    days = {"fl_1": "2026-01-01", "fl_2": "2026-02-03", "fl_3": "2027-02-03", "fl_4": "2027-02-04"}
    pilots = {"fl_1": BO, "fl_2": ADA, "fl_3": ADA, "fl_4": ADA}
    flown = [
        a_flight(name, f"{day}T09:00:00.000Z", pilotInCommand=pilots[name], durationSeconds=3600)
        for name, day in days.items()
    ]
    flown[3]["durationSeconds"] = 7200
    pairs = [(name, "eq_kestrel") for name in days]
    served = serve_records({**tiny_records, "flights": flown, "flight_equipment": pairs})
    with fk.connect(served.base_url, served.api_key, progress=False) as opened:
        said = Comparison(as_of(opened, fetched), so_far(Period.read("2027"), fetched)).why()
    assert said.count("Ada Lind: 2.0 h more than ") == said.count(" more than ") == 1


@pytest.mark.slow
def test_of_a_period_without_a_flight_the_day_of_the_last_one_is_said(fleet):
    later = as_of(fleet, datetime(2027, 3, 2, tzinfo=UTC))
    last = "The last flight before that was on {}."
    said = Comparison(later, Period.read("2027-02"), engine="polars").why()
    assert said == last.format("2 November 2026")
    of_bo = as_of(fleet.where(pilot="prof_bo"), datetime(2027, 3, 2, tzinfo=UTC))
    assert Comparison(of_bo, Period.read("2027-02")).why() == last.format("31 October 2026")


@pytest.mark.slow
def test_measures_that_are_ready_made_are_those_of_each_period_alone(fleet):
    bridge = fleet.flight_equipment()
    aircraft = metrics.aircraft(fleet.equipment(), bridge)
    for moment in (FETCHED, datetime(2026, 12, 2, tzinfo=UTC)):
        period = so_far(Period.read("2026-11"), moment)
        compare = Comparison(as_of(fleet, moment), period, aircraft)
        assert compare.flights() == compare(flights)
        assert compare.hours() == compare(
            lambda part, _: metrics.flight_totals(part)["hours"].item()
        )
        assert compare.active_aircraft() == compare(
            lambda part, _: metrics.aircraft_hours(part, bridge, aircraft)["flights"].gt(0).sum()
        )
        assert compare.hours_per_aircraft_day() == compare(
            lambda part, span: metrics.hours_per_aircraft_day(part, bridge, aircraft, span.days)
        )


@pytest.mark.slow
def test_the_use_of_the_fleet_s_aircraft_is_measured_where_none_are_given(fleet):
    aircraft = metrics.aircraft(fleet.equipment(), fleet.flight_equipment())
    given = Comparison(fleet, NOVEMBER, aircraft)
    assert Comparison(fleet, NOVEMBER).active_aircraft() == given.active_aircraft()
    # Thirteen months to November 2026 begin in November 2025, before the data.
    flown = fleet.flights(), fleet.flight_equipment()
    monthly = metrics.utilisation(*flown, aircraft, "2025-11_2026-11", covered=given.covered)
    assert len(monthly) == 13
    assert given.utilisation().equals(monthly)


@pytest.mark.slow
def test_a_period_that_is_not_over_is_compared_with_the_same_days(fleet):
    # fl_1 and fl_2 of 1 and 15 October lie within its first 21 days, fl_3 of the 31st does not.
    found = Comparison(fleet, NOVEMBER)(flights)
    assert (found["value"], found["previous"], found["year_before"]) == (1, 2, None)
    # November isn't over: it is no point of the line.
    assert found["trend"] == [None] * 10 + [3, None]


@pytest.mark.slow
def test_the_same_days_end_at_the_time_of_day_at_which_data_were_fetched(fleet):
    # fl_1 is of 1 October, fl_2 of the 15th at 10:00.
    for hour, before in ((10, 1), (11, 2)):
        moment = datetime(2026, 11, 15, hour, tzinfo=UTC)
        found = Comparison(as_of(fleet, moment), so_far(Period.read("2026-11"), moment))(flights)
        assert found["previous"] == before


@pytest.mark.slow
def test_a_rate_of_a_period_that_is_not_over_divides_by_the_days_that_have_passed(fleet):
    found = Comparison(fleet, NOVEMBER)(lambda _part, span: span.days)
    assert (found["value"], found["previous"]) == (21, 21)


@pytest.mark.slow
def test_a_period_before_the_first_flight_has_no_value_and_says_why(fleet):
    august = Comparison(fleet, Period.read("2026-08"))
    found = august(flights)
    assert (found["value"], found["previous"]) == (None, None)
    assert found["note"] == "no data before 30 September 2026"
    # Nothing is known of August; of the data as a whole something is.
    rows = fleet.equipment()
    assert (len(august.known(rows)), len(august.known(rows, august.months))) == (0, 3)


@pytest.mark.slow
def test_thirteen_months_are_shown_or_as_many_as_the_period_has(fleet):
    for period, months in (("2026-10", 13), ("2024-11-01_2026-10-31", 24)):
        compare = Comparison(fleet, Period.read(period))
        assert len(compare.months.months()) == months
    # A table begins where the data do, with thirteen months at least, and never hides the newest.
    rows = pd.DataFrame({"month": compare.months.months(), "flights": [None] * 8 + [1] * 16})
    assert compare.listed(rows, 24)["month"].tolist() == rows["month"].tolist()[8:]
    assert len(compare.listed(rows.assign(flights=[None] * 20 + [1] * 4), 24)) == 13
    assert compare.listed(rows, 15)["month"].iloc[0] == "2026-10"


@pytest.mark.slow
def test_a_month_at_whose_end_the_data_were_fetched_is_wholly_covered(fleet):
    first_of_december = as_of(fleet, datetime(2026, 12, 1, tzinfo=UTC))
    compare = Comparison(first_of_december, Period.read("2026-11"))
    assert compare(flights)["trend"][-2:] == [3, 1]
    assert compare.reach(Period.read("2026-11")) == ""


@pytest.mark.slow
def test_of_a_period_that_is_partly_covered_the_covered_days_count(fleet):
    over = Comparison(fleet, Period.read("2026-Q3"))
    assert over(flights)["value"] == 1  # fl_5, of 30 September
    assert over(lambda _part, span: span.days)["value"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("engine", [None, "polars"])
def test_flights_without_a_date_are_left_out_and_counted(serve_records, tiny_records, engine):
    # fl_4 and fl_5 are nobody's, and Bo's.
    for flight in tiny_records["flights"][3:]:
        flight["flightDate"] = None
    served = serve_records(tiny_records)
    with fk.connect(served.base_url, served.api_key, progress=False) as opened:
        of_bo = opened.where(pilot="prof_bo")
        october = Period.read("2026-10")
        notes = [Comparison(as_of(part), october, engine=engine).notes for part in (opened, of_bo)]
    assert notes == [
        ["2 flights have no date, and are left out."],
        ["1 flight has no date, and is left out."],
    ]


@pytest.mark.slow
def test_flights_dated_after_the_data_were_fetched_are_left_out_and_counted(fleet):
    early = as_of(fleet, datetime(2026, 10, 20, tzinfo=UTC))
    over = Comparison(early, so_far(Period.read("2026-10"), early.fetched_at))
    assert over(flights)["value"] == 2
    assert over.notes == ["2 flights are dated after the data were fetched, and left out."]
    assert Comparison(as_of(fleet), NOVEMBER).notes == []


@pytest.mark.slow
def test_how_far_the_data_reach_is_said_where_they_do_not_reach_all(fleet):
    over = Comparison(fleet, NOVEMBER)
    assert over.reach(Period.read("2026-10")) == ""
    assert over.reach(NOVEMBER.last_months(3)) == (
        "No data before 30 September 2026. November 2026 so far, up to 21 November."
    )


@pytest.mark.slow
def test_a_month_counts_as_covered_where_its_first_day_is(tiny):
    # In Oslo the first flight is of 1 October.
    with fk.connect(tiny.base_url, tiny.api_key, tz="Europe/Oslo", progress=False) as oslo:
        found = Comparison(as_of(oslo), Period.read("2026-10", tz="Europe/Oslo"))(flights)
    assert found["trend"][-2:] == [None, 3]


@pytest.mark.slow
def test_a_date_of_the_year_one_is_none_from_which_on_the_data_cover(serve_records, tiny_records):
    first, *others = tiny_records["flights"]
    flown = [{**first, "flightDate": "0001-01-01T00:00:00.000Z"}, *others]
    served = serve_records({**tiny_records, "flights": flown})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        compare = Comparison(as_of(fleet), NOVEMBER)
        assert compare.covered.since.date().isoformat() == "2026-09-30"
        assert compare(flights)["value"] == 1


@pytest.mark.slow
def test_a_filter_that_starts_later_covers_less(fleet):
    narrowed = fleet.where(since="2026-10-15")
    found = Comparison(narrowed, NOVEMBER)(flights)
    assert (found["value"], found["previous"]) == (1, None)
    assert found["note"] == "the filter leaves out what was before 15 October 2026"
    days = reportable_days(fleet.where(since="2026-10-15", until="2026-11-01"))
    assert days == (date(2026, 10, 15), date(2026, 10, 31))


@pytest.mark.slow
def test_a_filter_that_finds_nothing_early_on_is_zero_not_blank(fleet):
    maintenance = fleet.where(flight_type="MAINTENANCE")
    found = Comparison(maintenance, NOVEMBER)(flights)
    assert (found["value"], found["previous"]) == (1, 0)


@pytest.mark.slow
def test_the_part_of_a_period_that_a_filter_leaves_is_compared_with_no_whole_one(fleet):
    november = as_of(fleet.where(until="2026-11-10"), datetime(2026, 12, 2, tzinfo=UTC))
    found = Comparison(november, Period.read("2026-11")).flights()
    assert (found["value"], found["previous"], found["trend"][-2:]) == (1, None, [3, None])
    assert found["note"].startswith("no data before 30 September 2026; ")
    said = activity(Period.read("2026-11"), found, found | {"value": 0.2}, {"value": 1}, 1)
    assert said.startswith("1 flight and 0.2 hours in November 2026 (no data before ")
    assert "the filter leaves out what was after 9 November 2026); 1 of 1" in said


def test_a_filter_s_end_within_an_hour_that_the_clock_shows_twice_leaves_a_part(serve_records):
    # In Oslo the period is from 02:10 to 02:30 an hour later, the filter's end is 02:30 at first.
    flown = {"fl_1": "00:20", "fl_2": "01:20"}
    logs = [a_flight(name, f"2025-10-26T{time}:00.000Z") for name, time in flown.items()]
    earlier = a_flight("fl_0", "2025-09-01T10:00:00.000Z")
    served = serve_records(flown_by_kestrel([earlier, *logs]))
    zone, (since, until) = "Europe/Oslo", ("2025-10-26T00:10Z", "2025-10-26T01:30Z")
    with fk.connect(served.base_url, served.api_key, tz=zone, progress=False) as opened:
        part = as_of(opened.where(until="2025-10-26T00:30Z"))
        whole, cut = (
            Comparison(known, Period.between(since, until, zone)) for known in (opened, part)
        )
        assert (whole.flights()["value"], whole.flights()["previous"]) == (2, 0)
        assert (cut.flights()["value"], cut.flights()["previous"]) == (1, None)
        assert cut.flights()["note"].endswith("leaves out what was after 26 October 2025")


@pytest.mark.slow
def test_a_measure_learns_the_span_that_it_is_asked_for(fleet):
    december = as_of(fleet, datetime(2026, 12, 2, tzinfo=UTC))
    found = Comparison(december, Period.read("2026-11"))(lambda _part, span: span.days)
    assert (found["value"], found["previous"]) == (30, 31)


def test_what_another_engine_counts_is_in_the_fleet_s_zone(tiny):
    # In Oslo fl_3, at 23:30 UTC on 31 October, is a flight of November, as fl_4 is.
    with fk.connect(tiny.base_url, tiny.api_key, tz="Europe/Oslo", progress=False) as opened:
        november = so_far(Period.read("2026-11", "Europe/Oslo"), FETCHED)
        compare = Comparison(as_of(opened), november, engine="polars")
        months = compare(lambda part, _: len(metrics.flight_hours(part, by="month")))
        assert (compare.flights()["value"], months["value"]) == (2, 1)
        assert compare.utilisation().attrs["tz"] == "Europe/Oslo"


@pytest.mark.slow
def test_a_measure_without_a_number_is_null(fleet):
    found = Comparison(fleet, NOVEMBER)(lambda *_: float("nan"))
    assert found["value"] is None


def test_without_any_flight_there_is_nothing_to_compare_with(serve_records, tiny_records):
    served = serve_records({**tiny_records, "flights": [], "flight_equipment": []})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        found = Comparison(fleet, Period.read("2026-11"))(flights)
    assert (found["value"], found["previous"]) == (None, None)
    assert found["note"] == "there is no flight in the data"


def test_days_of_a_filter_that_no_data_cover_do_not_date_every_flight_after_the_data(fleet):
    early = as_of(fleet.where(until="2026-01-01"), datetime(2026, 11, 20, tzinfo=UTC))
    note = "the filter leaves out all days of the data"
    assert Comparison(early, NOVEMBER).flights()["note"] == note


def test_where_a_filter_leaves_no_day_of_the_data_the_use_of_aircraft_is_unknown_and_not_0(
    fleet,
):
    # The first flight is of 30 September 2026.
    with notices.collected() as said:
        use = Comparison(fleet.where(until="2026-01-01"), NOVEMBER).utilisation()
    assert use["month"].tolist()[-1] == "2026-11"
    assert use[["active", "hours", "hours_per_aircraft_day"]].isna().all(axis=None)
    assert use["days"].tolist() == [0] * 13
    assert said == []


def test_where_every_flight_is_dated_after_the_data_that_is_said(serve_records, tiny_records):
    [first, *_] = tiny_records["flights"]
    later = {**first, "flightDate": "2026-11-21T09:30:00.000Z"}
    pairs = [(later["id"], "eq_kestrel")]
    served = serve_records({**tiny_records, "flights": [later], "flight_equipment": pairs})
    with fk.connect(served.base_url, served.api_key, progress=False) as opened:
        compare = Comparison(as_of(opened, datetime(2026, 11, 20, tzinfo=UTC)), NOVEMBER)
        assert compare.flights()["note"] == "every flight is dated after the data were fetched"
        [note] = compare.notes
        assert note == "1 flight is dated after the data were fetched, and left out."


@pytest.mark.slow
@pytest.mark.parametrize(("time", "dates"), [("00:00:00.000Z", True), ("09:00:00.000Z", False)])
def test_dates_without_a_time_of_day_are_noticed(serve_records, tiny_records, time, dates):
    flown = [{**flight, "flightDate": f"2026-10-05T{time}"} for flight in tiny_records["flights"]]
    served = serve_records({**tiny_records, "flights": flown})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        compare = Comparison(fleet, Period.read("2026-10"))
        assert compare.dates_only is dates
        noted = "Flight dates come without a time of day: they are not shifted between zones."
        assert compare.notes == [noted] * dates


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tz", "fetched", "ahead"),
    [
        # 03:00 on the 22nd in Kolkata, 20:00 on the 21st in Los Angeles.
        ("Asia/Kolkata", datetime(2026, 11, 21, 21, 30, tzinfo=UTC), 0),
        ("America/Los_Angeles", datetime(2026, 11, 22, 4, tzinfo=UTC), 1),
    ],
)
def test_a_flight_dated_today_is_called_left_out_where_it_is(
    serve_records, tiny_records, tz, fetched, ahead
):
    first, *others = [
        {**flight, "flightDate": "2026-10-05T00:00:00.000Z"} for flight in tiny_records["flights"]
    ]
    flown = [{**first, "flightDate": "2026-11-22T00:00:00.000Z"}, *others]
    served = serve_records({**tiny_records, "flights": flown})
    with fk.connect(served.base_url, served.api_key, tz=tz, progress=False) as fleet:
        compare = Comparison(as_of(fleet, fetched), so_far(Period.read("2026-11", tz), fetched))
        assert compare(flights)["value"] == 1 - ahead
        said = [note for note in compare.notes if "after the data were fetched" in note]
        assert len(said) == ahead


def test_a_month_that_is_not_over_ends_where_the_data_do_also_for_a_day_of_it(fleet):
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    compare = Comparison(as_of(fleet, noon), Period.read("2026-11-01"))
    assert compare.months.until == noon
    assert compare.reach(compare.months).endswith("November 2026 so far, up to 20 November.")


@pytest.mark.slow
def test_a_filter_that_leaves_flights_at_midnight_does_not_make_them_dates(serve_records):
    # Ada's flight tells that the fleet's are instants; Bo's only one is at 00:00 UTC on
    # 1 November, which is 31 October in Los Angeles.
    bos = a_flight("fl_bo", "2026-11-01T00:00:00.000Z", pilotInCommand=BO)
    adas = a_flight("fl_ada", "2026-09-05T09:00:00.000Z", pilotInCommand=ADA)
    served = serve_records(flown_by_kestrel([bos, adas]))
    zone = "America/Los_Angeles"
    with fk.connect(served.base_url, served.api_key, tz=zone, progress=False) as fleet:
        of_bo = fleet.where(pilot="prof_bo")
        compare = Comparison(as_of(of_bo), Period.read("2026-10", zone))
        assert not compare.dates_only
        assert compare(flights)["value"] == 1
        october = of_bo.flights("2026-10")
        for flown_by_bo, tz in ((of_bo.flights(), None), (october, compare.zone)):
            days = fk.metrics.flight_hours(flown_by_bo, by="day", tz=tz)
            assert days["day"].tolist() == ["2026-10-31"]
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:  # in UTC, too
        of_bo = fleet.where(pilot="prof_bo")
        last = fleet.flights().tail(1)
        of_type = fleet.flights("2026-11", flight_type="COMMERCIAL")
        for flown in (last, of_type, of_bo.flights(), of_bo.flights("2026-11")):
            assert fk.metrics.hours_by_weekday(flown)["hour"].tolist() == [0]
        lazy, zone = of_bo.flights(engine="polars"), zone_of(of_bo)
        assert fk.metrics.hours_by_weekday(lazy, tz=zone).collect()["hour"].to_list() == [0]
