"""Who is recent, as a report says it: nobody is called lapsed on data that can't tell."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import pytest
from conftest import ADA, a_flight, flown_by_kestrel

import fleetkit as fk
from fleetkit.reports import Comparison, Recency
from fleetkit.reports.tabulating import tabulated
from fleetkit.settings import RecencyRule
from fleetkit.time import Period

TWO_HOURS = RecencyRule("2 h in 3 months", months=3, hours=2)
TWO_FLIGHTS = RecencyRule("2 flights in 30 days", days=30, flights=2)
BY_NIGHT = RecencyRule("1 night flight in 30 days", days=30, flights=1, night_only=True)


@pytest.fixture
def fleet(tiny):
    """Open the tiny organisation as of 2 December 2026; its first flight is of 30 September."""
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as opened:
        opened._source._fetched_at = datetime(2026, 12, 2, tzinfo=UTC)
        yield opened


def recency(fleet, rule, month="2026-11", **fields):
    flights = fleet.flights().assign(**fields)
    return Recency(Comparison(fleet, Period.read(month)), flights, rule), flights


@pytest.mark.slow
def test_a_rule_is_judged_where_the_data_cover_its_window(fleet):
    # Thirty days to 31 October begin on 2 October: Ada flew once in them, Bo once.
    pilots, flights = recency(fleet, TWO_FLIGHTS, "2026-10")
    assert (pilots.unknown, pilots.pilots, len(pilots.state)) == ("", 2, 2)
    compared = pilots.compared()
    assert (compared["value"], compared["note"]) == (0, "no data before 30 September 2026")
    [line] = pilots.lines(flights)
    assert (line["severity"], line["summary"]) == (
        "high",
        "none of 2 pilots is recent on 31 Oct 2026",
    )
    without_pilot = fleet.flights("2026-11")
    assert (len(without_pilot), pilots.note(without_pilot)) == (1, "")


@pytest.mark.slow
def test_of_a_filter_only_its_own_flights_are_said_not_to_come_late(fleet):
    training, month = fleet.where(flight_type="TRAINING"), Period.read("2026-10")
    notes = [
        Recency(Comparison(chosen, month), fleet.flights(), TWO_FLIGHTS).note(chosen.flights(month))
        for chosen in (fleet, training)
    ]
    assert notes == [
        "Nobody flew in October 2026 after recency had lapsed.",
        "The 1 flight with a pilot came before recency had lapsed.",
    ]


@pytest.mark.slow
def test_a_rule_for_nights_is_said_to_judge_night_flights_alone(fleet):
    # Bo flew by night on 30 September and 31 October; one night in 30 days had lapsed on the 30th.
    october, flown = fleet.flights("2026-10"), fleet.flights()
    flown["night_flight"] = flown["pilot_name"].eq("Bo Ødegård")
    october["night_flight"] = october["pilot_name"].eq("Bo Ødegård")
    over = Comparison(fleet, Period.read("2026-10"))
    assert Recency(over, flown, BY_NIGHT).note(october) == (
        "1 night flight was flown in October 2026 after recency had lapsed."
    )
    longer = RecencyRule("1 night flight in 32 days", days=32, flights=1, night_only=True)
    assert Recency(over, flown, longer).note(october) == (
        "The 1 night flight with a pilot came before recency had lapsed."
    )


@pytest.mark.slow
def test_a_window_that_begins_with_the_first_day_of_the_data_is_judged(fleet):
    # The first flight is of 30 September: 30 days to 29 October begin there, to the 28th before.
    assert recency(fleet, TWO_FLIGHTS, "2026-10-29")[0].unknown == ""
    assert "begins before the data" in recency(fleet, TWO_FLIGHTS, "2026-10-28")[0].unknown


def test_flights_before_the_first_day_of_a_filter_keep_a_pilot_recent(fleet):
    # Ada flew on 1 and 15 October: of 31 days to the 31st the first is the 1st.
    rule, october = RecencyRule("2 flights in 31 days", days=31, flights=2), Period.read("2026-10")
    pilots = Recency(Comparison(fleet.where(since="2026-10-10"), october), fleet.flights(), rule)
    assert (pilots.unknown, pilots.compared()["value"]) == ("", 1)


def test_where_a_filter_ends_within_the_period_as_many_are_recent_as_are_listed(fleet):
    # Ada flew on 1 and 15 October: within 19 days twice to the 19th, and once to the 31st.
    rule, october = RecencyRule("2 flights in 19 days", days=19, flights=2), Period.read("2026-10")
    pilots = Recency(Comparison(fleet.where(until="2026-10-20"), october), fleet.flights(), rule)
    assert pilots.compared()["value"] == pilots.state["recent"].sum() == 0


@pytest.mark.slow
def test_a_window_that_begins_before_the_data_calls_nobody_lapsed(fleet):
    # Three months to 30 November begin on 1 September.
    pilots, flights = recency(fleet, TWO_HOURS)
    assert pilots.unknown == "the window of “2 h in 3 months” begins before the data"
    assert (pilots.compared()["value"], list(pilots.lines(flights))) == (None, [])
    # That no data are before 30 September is noted once, of the other key figures.
    assert pilots.compared()["note"] == pilots.unknown
    # Nobody is recent for sure, and nobody is shown as lapsed.
    assert pilots.state.empty
    assert "can't be judged" in pilots.caption


@pytest.mark.slow
def test_where_only_the_window_of_an_earlier_figure_begins_before_the_data_it_is_said_why(
    serve_records,
):
    # The data cover October 2025 whole; three months to its end begin on 1 August.
    days = "2025-10-01T10:00:00.000Z", "2026-10-01T10:00:00.000Z"
    flights = [a_flight(f"fl_{day[:4]}", day, pilotInCommand=ADA) for day in days]
    served = serve_records(flown_by_kestrel(flights))
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        compared = recency(fleet, TWO_HOURS, "2026-10")[0].compared()
    assert {name: compared[name] for name in ("value", "previous", "year_before", "note")} == {
        "value": 0,
        "previous": 0,
        "year_before": None,
        "note": "no data before 1 October 2025",
    }


@pytest.mark.slow
def test_a_window_that_begins_before_the_data_lists_who_certainly_is_recent(fleet):
    # Sixty days to 31 October begin on 2 September; Ada and Bo flew in October.
    pilots, _ = recency(fleet, RecencyRule("1 flight in 60 days", days=60, flights=1), "2026-10")
    assert pilots.caption == (
        "Recency: only who certainly is recent is listed: "
        "the window of “1 flight in 60 days” begins before the data."
    )
    assert pilots.calendar["days_left"].gt(0).tolist() == [True, True]
    assert pilots.note(fleet.flights("2026-10")) == ""  # nor is it said that nobody flew on


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "field", "why"),
    [
        (RecencyRule("1 h in 30 days", days=30, hours=1), "duration_seconds", "has a duration"),
        (BY_NIGHT, "night_flight", "no log of the pilots says which"),
        (BY_NIGHT, "pilot_id", "no flight names a pilot"),
    ],
)
def test_what_no_log_records_can_not_be_judged(fleet, rule, field, why):
    dtype = {"duration_seconds": "Int64", "pilot_id": "str"}.get(field, "boolean")
    blank = {field: pd.array([None] * 5, dtype=dtype)}
    pilots, flights = recency(fleet, rule, **blank)
    assert why in pilots.unknown
    assert (pilots.compared()["value"], list(pilots.lines(flights))) == (None, [])
    known, _ = recency(fleet, rule)
    assert known.unknown == ""


def test_where_only_flights_without_a_pilot_have_a_duration_it_is_not_said_that_none_has(fleet):
    # The flight of 2 November has no pilot, and a duration of ten minutes.
    flown = fleet.flights()
    flown["duration_seconds"] = flown["duration_seconds"].mask(flown["pilot_id"].notna())
    theirs = flown[flown["pilot_id"].notna()]
    rule = RecencyRule("1 h in 30 days", days=30, hours=1)
    pilots = Recency(Comparison(fleet, Period.read("2026-11")), theirs, rule)
    assert flown["duration_seconds"].sum() == 600
    assert pilots.unknown == (
        "“1 h in 30 days” counts hours, and no flight of the pilots has a duration"
    )


@pytest.mark.slow
def test_of_a_filter_without_flights_it_is_not_said_that_none_has_a_duration(fleet):
    nobody = fleet.where(operation_type="ART", allow_empty=True)
    over = Comparison(nobody, Period.read("2026-11"))
    pilots = Recency(over, fleet.flights().head(0), RecencyRule("1 h", days=30, hours=1))
    assert pilots.caption == (
        "Recency: it can't be judged: no flight that meets the filter names a pilot."
    )


@pytest.mark.slow
def test_under_a_filter_it_says_that_all_flights_of_the_pilots_count(fleet):
    narrowed = fleet.where(flight_type="TRAINING")
    pilots, _ = recency(narrowed, TWO_FLIGHTS)
    assert pilots.caption.endswith("all of their flights, whole organisation.")
    assert "whole organisation" not in recency(fleet, TWO_FLIGHTS)[0].caption


@pytest.mark.slow
def test_a_pilot_who_flew_on_the_first_of_twelve_months_is_looked_at_though_dates_have_no_time(
    fleet,
):
    west = fleet.whole()
    over = Comparison(west, Period.read("2026-10", "America/Los_Angeles"))
    flights = west.flights().assign(
        flight_date=pd.to_datetime(pd.Series(["2025-11-01T00:00Z"] * 5)).astype(
            "datetime64[us, UTC]"
        )
    )
    flights.attrs["tz"] = "America/Los_Angeles"
    assert Recency(over, flights, TWO_FLIGHTS).pilots == 2


@pytest.mark.slow
def test_each_rule_has_a_column_that_says_until_when_a_pilot_is_recent(fleet):
    # Ada flew on 1 and 15 October, Bo on 30 September and 31 October; three months to 31 October
    # begin before the data.
    one = RecencyRule("1 flight in 30 days", days=30, flights=1)
    over = Comparison(fleet, Period.read("2026-10"))
    pilots = Recency(over, fleet.flights(), TWO_FLIGHTS, one, TWO_HOURS, BY_NIGHT)
    shown = [(row.pilot_name, row.rule_1, row.rule_2, row.rule_3) for row in rows_of(pilots)]
    assert shown == [
        ("Ada Lind", "lapsed 31 Oct 2026", "14 Nov 2026", "unknown"),
        ("Bo Ødegård", "not fulfilled", "30 Nov 2026", "unknown"),
    ]
    assert rows_of(pilots)[0].days_left == 0
    label, _, tones, _ = pilots.columns["rule_1"]
    assert (label, tones) == ("2 flights in 30 days", {"lapsed 31 Oct 2026": "bad"})
    assert pilots.columns["rule_2"][2] == {"14 Nov 2026": "watch", "30 Nov 2026": "watch"}
    short = RecencyRule("1 flight in 17 days", days=17, flights=1)  # lapses on the next day
    tones = Recency(over, fleet.flights(), short).columns["rule_1"][2]
    assert tones == {"1 Nov 2026": "watch", "17 Nov 2026": "watch"}
    # Days left are those from the day in the title on, under the rule that they stand beside.
    assert pilots.title == "Who is recent on 31 October, until when"
    assert list(pilots.columns)[2:] == ["rule_1", "days_left", "rule_2", "rule_3"]
    assert pilots.caption.endswith("1 more rule in the settings.")
    rows = tabulated(pilots.calendar, pilots.columns, name="recency")["rows"]
    # By day, so that November follows October.
    rules = [[row["values"][place] for place in (2, 4)] for row in rows]
    assert [[text[:10] for text in row] for row in rules] == [
        ["2026-10-31", "2026-11-14"],
        ["not fulfil", "2026-11-30"],
    ]


def rows_of(pilots):
    return list(pilots.calendar.itertuples())


@pytest.mark.slow
def test_flights_without_recency_are_those_that_the_filter_leaves(fleet):
    # Ada's of 1 and 15 October make her recent for two days; she lapsed before each.
    daily = RecencyRule("1 flight in 2 days", days=2, flights=1)
    over = Comparison(fleet, Period.read("2026-10"))
    pilots, october = Recency(over, fleet.flights(), daily), fleet.flights("2026-10")
    late = pilots.flown_without(october)
    assert late["pilot_name"].tolist() == ["Bo Ødegård", "Ada Lind"]
    noted = "2 flights were flown in October 2026 after recency had lapsed."
    assert pilots.note(october) == noted
    assert pilots.flown_without(october.iloc[:0]).empty
    [flew, *_] = pilots.lines(october)
    assert flew["summary"] == ("2 pilots flew on after recency lapsed, 2 flights in October 2026")
    # Whoever flew on is told from a namesake who did not.
    flights = fleet.flights()
    namesakes = Recency(over, flights.assign(pilot_name="Kim"), daily)
    bo = october[october["pilot_id"] == "prof_bo"]
    assert namesakes.flown_without(bo)["pilot_name"].tolist() == ["Kim (prof_bo)"]


@pytest.mark.slow
def test_a_lapse_long_before_the_period_is_known_by_the_flights_of_that_time(fleet):
    # Ada's two of 2 January count until the 31st, and the third has no name; of Bo's two the first
    # counts until 29 October.
    two = fleet.flights().dropna(subset="pilot_id").sort_values("pilot_id").head(2)
    ada = pd.concat([two, two.head(1)]).assign(pilot_id="ada", pilot_name=["Ada", "Ada", None])
    bo = two.assign(pilot_id="bo", pilot_name="Bo")
    flown = pd.concat([ada, bo]).assign(flight_id=list("abcde"))
    moments = ["2026-01-02", "2026-01-02", "2026-10-20", "2026-09-30", "2026-10-20"]
    flown["flight_date"] = pd.to_datetime(moments, utc=True).astype("datetime64[us, UTC]")
    pilots = Recency(Comparison(fleet, Period.read("2026-10")), flown, TWO_FLIGHTS)
    states = pilots.state.set_index("pilot_name")["lapses"].dt.strftime("%m-%d")
    assert states.to_dict() == {"Ada": "02-01", "Bo": "10-30"}
    assert pilots.flown_without(flown)["days_lapsed"].tolist() == [261]


@pytest.mark.slow
def test_pilots_who_lapsed_on_one_day_come_by_name_however_long_ago(fleet):
    first = fleet.flights().head(1)
    flown = pd.concat(
        first.assign(flight_id=name, pilot_id=name, pilot_name=name) for name in ("Cy", "Ada", "Bo")
    )
    for days in (2, 60):  # from 30 September on: until 2 October, or until 29 November
        rule = RecencyRule("1 flight", days=days, flights=1)
        pilots = Recency(Comparison(fleet, Period.read("2026-11")), flown, rule)
        assert pilots.calendar["pilot_name"].tolist() == ["Ada", "Bo", "Cy"]
