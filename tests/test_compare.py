"""Two periods, filters or frames side by side, counted by hand."""

import inspect
import warnings
from contextlib import ExitStack, suppress
from datetime import UTC, datetime

import pandas as pd
import polars as pl
import pytest
from conftest import a_flight, an_equipment, serving
from five_flights import bridge, equipment, flights, projects, rows
from test_pricing import services, tiers

import fleetkit as fk
from fleetkit.schema import FLIGHT_TYPES
from fleetkit.time import Period

pytestmark = pytest.mark.slow

# Of September: 1 h and ½ h by Ada; of October: 2 h by Ada, ½ h by Bo, and one on the 31st.
ADA, BO = {"id": "prof_a", "fullName": "Ada Lind"}, {"id": "prof_b", "fullName": "Bo Berg"}
RECORDS = {
    "equipment": [an_equipment("eq_1")],
    "flights": [
        a_flight("fl_1", "2026-09-01T09:00:00.000Z", durationSeconds=3600, pilotInCommand=ADA),
        a_flight("fl_2", "2026-09-02T09:00:00.000Z", durationSeconds=1800, pilotInCommand=ADA),
        a_flight("fl_3", "2026-10-02T09:00:00.000Z", durationSeconds=7200, pilotInCommand=ADA),
        a_flight("fl_4", "2026-10-31T09:00:00.000Z", durationSeconds=1800, pilotInCommand=BO),
    ],
    "flight_equipment": [(f"fl_{number}", "eq_1") for number in (1, 2, 3, 4)],
    "projects": [],
    "services": [],
}


@pytest.fixture(scope="module")
def fleet():
    with ExitStack() as stack:
        served = serving(stack, RECORDS)
        yield stack.enter_context(fk.connect(served.base_url, served.api_key, progress=False))


@pytest.fixture
def fleet_of(serve_records):
    """Return a function that opens a fleet of some flights, all under its drone."""

    def opened(*logs, **options):
        pairs = [(log["id"], "eq_1") for log in logs]
        served = serve_records(RECORDS | {"flights": logs, "flight_equipment": pairs})
        return fk.connect(served.base_url, served.api_key, progress=False, **options)

    return opened


def test_two_months_stand_side_by_side_with_the_change(fleet):
    both = fk.compare("flight_hours", "2026-10", "2026-09", fleet=fleet)
    assert list(both.columns)[:2] == ["month", "month_other"]
    assert rows(both.drop(columns=["month", "month_other"])) == [
        (2, 2, 0, 0.0, 2.5, 1.5, 1.0, pytest.approx(66.6667))
    ]
    assert both.attrs["compared"] == ["October 2026", "September 2026"]


def test_who_did_not_fly_flew_nothing_and_of_nothing_there_is_no_percentage(fleet):
    asked = ["hours", "median"]
    both = fk.compare(
        fk.metrics.flight_hours, "2026-10", "2026-09", fleet=fleet, by="pilot", measures=asked
    ).set_index("pilot")
    assert both.loc["prof_b", "hours_other"] == 0
    assert both.loc["prof_b", "hours_change"] == 0.5
    assert pd.isna(both.loc["prof_b", "hours_percent"])
    assert pd.isna(both.loc["prof_b", "median_minutes_other"])
    assert pd.isna(both.loc["prof_b", "median_minutes_change"])


def test_a_field_without_a_value_is_titled_none_and_an_empty_value_by_its_quotes(fleet):
    # Nobody is called "", which is refused once all flights of the service were read.
    one, other = fleet.where(pilot=[]), fleet.where(pilot=["", "prof_a"], allow_empty=True)
    both = fk.compare("flight_hours", one, other, period="2026-10")
    assert both.attrs["compared"] == ["pilot none", 'pilot "", prof_a']
    assert both["flights"].tolist() == [0]


def test_days_are_matched_by_their_place_and_a_day_that_is_not_is_blank(fleet):
    asked = {"by": "day", "cumulative": True}
    both = fk.compare("flight_hours", "2026-10", "2026-09", fleet=fleet, **asked)
    assert rows(both[["day", "day_other", "flights", "flights_other"]]) == [
        ("2026-10-02", "2026-09-02", 1, 1),
        ("2026-10-31", None, 1, None),  # September has 30 days
        (None, "2026-09-01", 0, 1),
    ]
    in_two_days = fk.compare("flight_hours", "2026-10", "2026-09", fleet=fleet, by="day", rolling=2)
    assert in_two_days["rolling_flights_other"].isna().tolist() == [False, True, True]
    # How many there were until 1 October no row says.
    assert rows(both[["cumulative_flights", "cumulative_flights_other"]]) == [
        *((1, 2), (2, None), (None, 1))
    ]


def test_days_of_two_parts_of_a_month_are_matched_by_their_place_too(fleet):
    spans = "2026-09-02_2026-09-05", "2026-09-01_2026-09-04"
    both = fk.compare("flight_hours", *spans, fleet=fleet, by="day")
    assert rows(both[["day", "day_other", "flights", "flights_other"]]) == [
        ("2026-09-02", "2026-09-01", 1, 1),
        (None, "2026-09-02", 0, 1),
    ]


@pytest.mark.parametrize("by", ["week", "pilot", ["day", "pilot"]])
def test_the_other_way_round_sides_swap_their_numbers_and_changes_their_signs(fleet, by):
    spans = ("2026-10", "2026-09"), ("2026-09", "2026-10")
    there, back = (fk.compare("flight_hours", *pair, fleet=fleet, by=by) for pair in spans)
    keys = [by] if isinstance(by, str) else by
    matched = [f"{key}_other" for key in keys if f"{key}_other" in there]
    swapped = {f"{name}_other": name for name in ("flights", "hours", *keys)}
    swapped |= {name: other for other, name in swapped.items() if other in there}
    expected = back.rename(columns=swapped)[[*keys, *matched, "flights", "flights_other", "hours"]]
    expected["hours_change"] = -back["hours_change"]
    found = there[list(expected)]
    assert sorted(rows(found), key=str) == sorted(rows(expected), key=str)


def test_two_words_of_time_are_both_matched_by_their_place(fleet):
    spans = "2026-10-01_2026-10-31", "2026-09-01_2026-10-01"
    both = fk.compare("flight_hours", *spans, fleet=fleet, by=["month", "day"])
    days = both[["month", "month_other", "day", "day_other", "flights", "flights_other"]]
    assert rows(days) == [
        ("2026-10", "2026-09", "2026-10-02", "2026-09-02", 1, 1),
        ("2026-10", None, "2026-10-31", None, 1, 0),
        (None, "2026-09", None, "2026-09-01", 0, 1),
    ]


def test_on_the_last_day_that_both_have_nobody_flew(fleet):
    spans = "2026-10-02_2026-10-31", "2026-09-02_2026-10-01"
    both = fk.compare("flight_hours", *spans, fleet=fleet, by="day").set_index("day")
    assert both.loc["2026-10-31", "flights_other"] == 0


def test_of_two_years_days_and_weeks_are_matched_by_name_in_spite_of_leap_days(fleet_of):
    days = ["2020-01-01", "2021-01-01", "2022-01-01"]
    days += ["2024-02-29", "2024-03-04", "2025-03-03", "2025-03-04"]
    with fleet_of(*(a_flight(f"fl_{day}", f"{day}T09:00:00.000Z") for day in days)) as fleet:
        by_day = fk.compare("flight_hours", 2025, 2024, fleet=fleet, by="day")
        by_week = fk.compare("flight_hours", 2025, 2024, fleet=fleet, by="week")
        first = fk.compare("flight_hours", 2022, 2021, fleet=fleet, by="week")
        spans = "2021-01-01_2022-12-31", "2020-01-01_2021-12-31"
        in_two_years = fk.compare("flight_hours", *spans, fleet=fleet, by="day")
    assert rows(by_day[["day", "day_other", "flights", "flights_other"]]) == [
        ("2025-03-03", None, 1, 0),
        ("2025-03-04", "2024-03-04", 1, 1),
        (None, "2024-02-29", None, 1),  # 2025 has none
    ]
    # 1 January 2025 lies in week 1, and 4 March 2024 in week 10, as 3 and 4 March 2025 do.
    assert rows(by_week[["week", "week_other", "flights", "flights_other"]]) == [
        ("2025-W10", "2024-W10", 2, 1),
        (None, "2024-W09", 0, 1),
    ]
    # Before week 1 come the days that end the last week of the year before.
    assert rows(first[["week", "week_other"]]) == [("2021-W52", "2020-W53")]
    assert rows(in_two_years[["day", "day_other"]]) == [
        *(("2021-01-01", "2020-01-01"), ("2022-01-01", "2021-01-01"))
    ]


def test_beside_a_month_so_far_stand_the_same_days_of_the_month_before_and_the_year_before(
    fleet_of,
):
    days = ["2025-10-01", "2025-10-20", "2026-09-01", "2026-09-20", "2026-10-01"]
    with fleet_of(*(a_flight(f"fl_{day}", f"{day}T09:00:00.000Z") for day in days)) as fleet:
        fleet._source._fetched_at = datetime(2026, 10, 2, tzinfo=UTC)
        for other, same_day in (("2026-09", "1 September 2026"), ("2025-10", "1 October 2025")):
            both = fk.compare("flight_totals", "2026-10", other, fleet=fleet)
            assert rows(both[["flights", "flights_other"]]) == [(1, 1)]
            assert both.attrs["compared"][1] == same_day
        back = fk.compare("flight_totals", "2025-10", "2026-10", fleet=fleet)
        assert back["flights"].tolist() == [1]
        whole = fk.compare("flight_totals", "2026-09", "2025-10", fleet=fleet)
        assert rows(whole[["flights", "flights_other"]]) == [(2, 2)]


def test_a_period_before_the_first_flight_is_unknown_and_not_0(fleet):
    both = fk.compare("flight_hours", "2026-10", "2026-08", fleet=fleet, by="pilot")
    assert both["flights"].tolist() == [1, 1]
    assert (
        both[["flights_other", "hours_other", "hours_change", "hours_percent"]]
        .isna()
        .all(axis=None)
    )
    assert both.attrs["notes"] == ["August 2026: no data before 2026-09-01"]


def test_of_a_period_that_the_data_reach_in_part_the_part_is_not_taken_for_the_whole(fleet):
    # Of August and September they know September alone: 2 flights, 1½ h.
    both = fk.compare("flight_totals", "2026-10", "2026-08-01_2026-09-30", fleet=fleet)
    assert both[["flights", "hours"]].iloc[0].tolist() == [2, 2.5]
    unknown = ["flights_other", "flights_change", "hours_other", "hours_change", "hours_percent"]
    assert both[unknown].isna().all(axis=None)
    assert both.attrs["notes"] == ["1 August – 30 September 2026: no data before 2026-09-01"]


@pytest.mark.parametrize(
    ("chosen", "notes"),
    [
        ({"since": "2026-10-01"}, ["September 2026: {} was before 2026-10-01"]),
        ({"since": "2026-09-02"}, ["September 2026: {} was before 2026-09-02"]),
        ({"until": "2026-10-31"}, ["October 2026: {} was from 2026-10-31 on"]),
        ({"since": "2026-09-01", "until": "2026-11-01"}, []),
    ],
)
def test_of_a_period_that_the_filter_leaves_out_in_part_nothing_is_known(fleet, chosen, notes):
    both = fk.compare("flight_totals", "2026-10", "2026-09", fleet=fleet.where(**chosen))
    assert both.attrs["notes"] == [note.format("the filter leaves out what") for note in notes]
    assert both["flights_change"].isna().tolist() == [bool(notes)]


def test_of_an_hour_that_the_clock_shows_twice_a_filter_leaves_out_the_first(fleet_of):
    # By Oslo's clock both are from 02:00 to 03:00 or so; the filter begins with the second.
    first, second = (
        Period.between(f"2026-10-25T{hour}:00Z", f"2026-10-25T{hour}:45Z", "Europe/Oslo")
        for hour in ("00", "01")
    )
    with fleet_of(a_flight("fl_1", "2026-10-01T09:00:00.000Z"), tz="Europe/Oslo") as flown:
        half = flown.where(since="2026-10-25T01:00Z")
        [note] = fk.compare("flight_totals", second, first, fleet=half).attrs["notes"]
    assert note.endswith(": the filter leaves out what was before 2026-10-25")


@pytest.mark.parametrize(
    ("logs", "why"),
    [
        (
            [a_flight("fl_1", "2126-10-02T09:00:00.000Z")],
            "every flight is dated after the data were fetched",
        ),
        ([], "there are no flights"),
    ],
)
def test_of_flights_that_are_all_dated_after_the_data_no_note_says_that_there_are_none(
    fleet_of, logs, why
):
    with fleet_of(*logs) as fleet:
        both = fk.compare("flight_hours", "2025-10", "2025-09", fleet=fleet, by="pilot")
    assert both.attrs["notes"] == [f"October 2025: {why}", f"September 2025: {why}"]


def test_two_filters_are_compared_in_one_period(fleet):
    both = fk.compare(
        "flight_totals", fk.Filter(pilot="prof_a"), {"pilot": "prof_b"}, fleet=fleet, period=2026
    )
    assert both[["flights", "flights_other", "hours", "hours_other"]].iloc[0].tolist() == [
        *(3, 1, 3.5, 0.5)
    ]
    assert both.attrs["compared"] == ["pilot prof_a", "pilot prof_b"]
    all_types = fk.compare("flight_totals", {}, {"flight_type": "COMMERCIAL"}, fleet=fleet)
    assert all_types.attrs["compared"] == ["all", "flight type COMMERCIAL"]
    by_night = fk.compare("flight_totals", {"night": True}, {"night": False}, fleet=fleet)
    assert by_night.attrs["compared"] == ["night", "not night"]
    by_place = fk.compare("flight_totals", {"take_off": (59.9, 10.5, 60, 11)}, {}, fleet=fleet)
    assert by_place.attrs["compared"] == ["take-off 59.9° N – 60° N, 10.5° E – 11° E", "all"]


def test_months_of_one_period_stand_side_by_side_under_one_name(fleet):
    ada, bo = {"pilot": "prof_a"}, {"pilot": "prof_b"}
    both = fk.compare("fk.metrics.flight_hours", ada, bo, fleet=fleet, period=2026, by="month")
    assert rows(both[["month", "flights", "flights_other"]]) == [
        *(("2026-09", 2, 0), ("2026-10", 1, 1))
    ]
    assert "month_other" not in both.columns


def test_a_result_is_of_its_fleet_s_zone_and_names_the_side_whose_hours_are_unknown(fleet_of):
    timed, _, _, other = RECORDS["flights"]
    with fleet_of(timed, {**other, "durationSeconds": None}, tz="Europe/Oslo") as oslo:
        both = fk.compare("flight_hours", "2026-10", "2026-09", fleet=oslo, by="pilot")
    assert both.attrs["tz"] == "Europe/Oslo"
    assert both.attrs["notes"] == ["October 2026: hours unknown in 1 of 1 row"]


def test_fleets_bring_the_tables_that_a_metric_needs(fleet):
    ada, bo = (fleet.where(pilot=pilot) for pilot in ("prof_a", "prof_b"))
    both = fk.compare("flight_hours", ada, bo, by="equipment", names=True)
    assert both[["equipment", "flights", "flights_other"]].iloc[0].tolist() == ["eq_1", 3, 1]


@pytest.mark.parametrize(
    "word", ["type", "category", "registration", "manufacturer", "model", "client"]
)
def test_fleets_bring_what_a_word_of_another_table_needs(fleet, word):
    ada, bo = (fleet.where(pilot=pilot) for pilot in ("prof_a", "prof_b"))
    both = fk.compare("flight_hours", ada, bo, by=word)
    assert rows(both[["flights", "flights_other"]]) == [(3, 1)]


def test_names_do_not_part_what_one_id_is(fleet):
    renamed = fleet.flights("2026-10").replace({"Ada Lind": "Ada Holm"})
    both = fk.compare("pilots", renamed, fleet.flights("2026-09"))
    assert both[["pilot_id", "pilot_name", "flights", "flights_other"]].iloc[0].tolist() == [
        *("prof_a", "Ada Holm", 1, 2)
    ]
    back = fk.compare("pilots", fleet.flights("2026-09"), renamed)
    assert rows(back[["pilot_name", "flights", "flights_other"]]) == [
        ("Ada Lind", 2, 1),
        ("Bo Berg", 0, 1),  # whom the second alone names
    ]


def renamed(frame, column):
    """Return a frame with another name in each row."""
    return frame.assign(**{column: "Another"})


@pytest.mark.parametrize(
    ("metric", "frame", "column", "options"),
    [
        ("flight_hours", flights(), "project_title", {"by": "project", "names": True}),
        ("flight_hours", flights(), "pilot_name", {"by": "pilot", "names": True}),
        ("late_projects", projects(), "title", {"as_of": "2026-11-20"}),
        ("reconciliation", equipment(), "name", {"flights": flights(), "bridge": bridge()}),
        ("tier_rates", services(), "name", {"tiers": tiers()}),
    ],
)
def test_what_was_renamed_between_two_sides_is_one_row(metric, frame, column, options):
    both = fk.compare(metric, frame, renamed(frame, column), **options)
    assert len(both) == len(getattr(fk.metrics, metric)(frame, **options))


FLOWN = {"flights": flights(), "bridge": bridge()}
TODAY = {"as_of": "2026-11-20"}


@pytest.mark.parametrize(
    ("metric", "frame", "column", "options", "count"),
    [
        ("age_and_value", equipment(), "status", FLOWN | TODAY, 4),
        ("aircraft", equipment(), "status", {"bridge": bridge()}, 3),
        ("contradictions", equipment().assign(status="GROUNDED"), "condition", FLOWN, 3),
        ("idle", equipment(), "status", FLOWN | TODAY, 4),
        ("maintenance", equipment(), "status", FLOWN | TODAY, 4),
        (
            *("maintenance_due", equipment(), "status"),
            *(FLOWN | TODAY | {"service_intervals": {"DRONE": {"hours": 10}}}, 3),
        ),
        ("registrations", equipment(), "status", TODAY, 4),
        ("to_invoice", projects(), "client_account_name", TODAY, 1),
        ("untimed_flights", flights(), "operation_type", {}, 2),
    ],
)
def test_what_one_id_is_stays_one_row_whatever_else_is_said_of_it(
    metric, frame, column, options, count
):
    frame = frame.assign(updated_at=pd.Timestamp("2026-11-02", tz="UTC"))
    both = fk.compare(metric, frame, renamed(frame, column), **options)
    assert both[f"{column}_other"].tolist() == ["Another"] * count


def test_weekdays_hours_and_levels_of_tiers_tell_rows_apart_and_are_not_measured():
    by_hour = fk.compare("hours_by_weekday", flights(), flights().head(2))
    # Of 30 September at 23:30 and 1 October at 8:00, a Wednesday and a Thursday.
    assert rows(by_hour[["weekday", "hour", "flights", "flights_other"]]) == [
        *((3, 23, 1, 1), (4, 8, 1, 1), (4, 9, 1, 0), (5, 12, 1, 0), (6, 10, 1, 0))
    ]
    by_tier = fk.compare("tier_rates", services(), services(), tiers=tiers())
    measured = {*by_hour.columns, *by_tier.columns}
    assert not {"weekday_change", "hour_change", "tier_level_change"} & measured
    assert {"flights_change", "rate_change"} <= measured


def test_flags_tell_rows_apart_and_texts_stand_beside_closed_sets():
    by_night = fk.compare("flight_hours", flights(), flights().head(1), by="night")
    assert rows(by_night[["night", "flights", "flights_other"]]) == [
        *((False, 3, 1), (True, 1, 0), (None, 1, 0))
    ]
    as_text = flights().astype({"flight_type": "str"})
    by_type = fk.compare("flight_hours", flights(), as_text, by="flight_type")
    assert rows(by_type[["flight_type", "flights", "flights_other"]]) == [
        *(("COMMERCIAL", 3, 3), ("TRAINING", 1, 1), ("MAINTENANCE", 1, 1))
    ]


@pytest.mark.parametrize("engine", [lambda frame: frame, pl.from_pandas])
def test_frames_are_compared_and_hours_that_were_not_recorded_stay_blank(engine):
    one, other = engine(flights()), engine(flights().iloc[:3])
    both = fk.compare("flight_hours", one, other, by="flight_type").set_index("flight_type")
    assert both.loc["MAINTENANCE", ["flights", "flights_other"]].tolist() == [1, 0]
    assert pd.isna(both.loc["MAINTENANCE", "hours"])
    assert pd.isna(both.loc["MAINTENANCE", "hours_change"])
    assert both.attrs["notes"] == ["one: hours unknown in 1 of 3 rows"]


def test_counts_stay_whole_and_flight_types_stay_in_the_order_of_the_reference():
    known_and_race = pd.CategoricalDtype([*FLIGHT_TYPES, "RACE"], ordered=True)
    types = flights()["flight_type"].astype("str").replace("TRAINING", "RACE")
    other = flights().assign(flight_type=types.astype(known_and_race))
    both = fk.compare("flight_hours", flights(), other, by="flight_type")
    assert both["flight_type"].dtype == known_and_race
    assert both["flights_change"].dtype == "Int64"
    assert rows(both[["flight_type", "flights_change"]]) == [
        *(("COMMERCIAL", 0), ("TRAINING", 1), ("MAINTENANCE", 0), ("RACE", -1))
    ]


def test_a_stage_without_projects_has_sums_of_0_and_no_probability():
    # 85 % of the 400 EUR that are scheduled, of which 100 are their cost.
    money = {"agreed_price": [900.0, 400.0], "estimated_cost": 100.0, "currency": "EUR"}
    pipeline = pd.DataFrame({"status": ["DELIVERED", "SCHEDULED"], **money})
    both = fk.compare("project_pipeline", pipeline, pipeline.head(1)).set_index("status")
    sums = {"value": 400.0, "weighted_value": 340.0, "cost": 100.0, "margin": 300.0}
    for name, amount in {"projects": 1, "priced": 1, **sums}.items():
        columns = [name, f"{name}_other", f"{name}_change"]
        assert both.loc["SCHEDULED", columns].tolist() == [amount, 0, amount]
    assert both.loc["SCHEDULED", "probability"] == 0.85
    assert pd.isna(both.loc["SCHEDULED", "probability_other"])
    measured = fk.compare(
        "flight_hours", flights(), flights().head(1), by="project", measures="distance"
    )
    assert measured.set_index("project").loc["proj_2", "distance_other"] == 0
    charged = fk.compare("margins", pipeline, pipeline.assign(currency=["EUR", "NOK"]))
    assert rows(charged[["currency", "price", "price_other"]]) == [
        *(("EUR", 1300, 900), ("NOK", 0, 400))
    ]


def test_frames_are_compared_in_a_period_by_a_metric_that_takes_one():
    none = flights().iloc[:0]
    both = fk.compare("calendar", flights(), none, period="2026-10")
    assert len(both) == 31
    assert both[["flights", "flights_other"]].sum().tolist() == [3, 0]
    with pytest.raises(fk.InvalidValue, match=r"flight_hours takes no period.* compare frames of"):
        fk.compare("flight_hours", flights(), none, period="2026-09")


def test_of_a_client_without_projects_there_is_nothing_to_invoice():
    given = {"flights": flights(), "as_of": "2026-11-01"}
    both = fk.compare("clients", projects(), projects().iloc[1:], **given).set_index("client")
    row = both.loc["Fjord Quarries"]
    assert row[["value", "value_other", "to_invoice", "to_invoice_other"]].tolist() == [
        *(900, 0),
        *(900, 0),
    ]


def test_there_is_no_percentage_of_less_than_nothing():
    money = pd.DataFrame({"agreed_price": [100.0], "estimated_cost": [0.0], "currency": ["EUR"]})
    both = fk.compare("margins", money, money.assign(agreed_price=-100.0)).iloc[0]
    assert both["price_change"] == 200.0
    assert pd.isna(both["price_percent"])


def test_the_margin_in_percent_of_the_price_is_not_taken_for_a_change():
    money = pd.DataFrame({"agreed_price": [100.0], "estimated_cost": [60.0], "currency": ["EUR"]})
    both = fk.compare("margins", money, money.assign(estimated_cost=80.0)).iloc[0]
    assert both[["margin", "margin_other", "margin_change"]].tolist() == [40, 20, 20]
    names = ["margin_percent", "margin_percent_other", "margin_percent_change"]
    assert both[names].tolist() == [40, 20, 20]


def test_two_frames_without_a_month_in_common_are_said_to_have_none(fleet):
    october, september = fleet.flights("2026-10"), fleet.flights("2026-09")
    with pytest.warns(fk.Notice, match='No month is on both sides.*compare."flight_hours", "2026'):
        both = fk.compare("flight_hours", october, september)
    assert both[["month", "flights", "flights_other"]].values.tolist() == [
        *(["2026-10", 2, 0], ["2026-09", 0, 2])
    ]
    with warnings.catch_warnings(action="error"):
        fk.compare("flight_hours", october, fleet.flights())
        fk.compare("flight_hours", october, september, by="pilot")
        fk.compare("flight_hours", "2026-10", "2026-09", fleet=fleet)


def test_a_frame_without_flights_is_not_said_to_have_no_month_in_common():
    none, some = flights().head(0), flights()
    with warnings.catch_warnings(action="error", category=fk.Notice):
        assert fk.compare("flight_hours", none, some)["flights_other"].tolist() == [1, 3, 1]
        assert fk.compare("flight_hours", some, none)["flights"].tolist() == [1, 3, 1]
    by_type = fk.compare("flight_hours", none, some, by="flight_type")
    flown = dict(zip(by_type["flight_type"], by_type["flights_other"], strict=True))
    assert flown == {"COMMERCIAL": 3, "TRAINING": 1, "MAINTENANCE": 1}


def test_empty_frames_give_no_rows_and_all_columns():
    none = flights().iloc[:0]
    both = fk.compare("flight_hours", none, none, by="flight_type")
    assert both.empty
    assert list(both.columns)[:3] == ["flight_type", "flights", "flights_other"]


def test_a_metric_that_gives_no_row_of_either_period_gives_none_beside_each_other(fleet):
    both = fk.compare("project_effort", "2025-10", "2025-09", fleet=fleet)
    assert both.empty
    assert {"project_id", "hours", "hours_other", "hours_change"} <= set(both.columns)


@pytest.mark.slow  # of every metric
def test_no_metric_of_all_flights_is_given_those_of_a_period(fleet):
    given = {"rule": fleet.settings.recency[0], "as_of": "2026-10-31"}
    compared = set()
    for name, metric in inspect.getmembers(fk.metrics, inspect.isfunction):
        parameters = inspect.signature(metric).parameters
        options = {key: value for key, value in given.items() if key in parameters}
        with warnings.catch_warnings(record=True) as said, suppress(fk.InvalidValue):
            warnings.simplefilter("always")
            fk.compare(name, "2026-10", "2026-09", fleet=fleet, **options)
            compared.add(name)
        assert [notice for notice in said if "from the first one on" in str(notice.message)] == []
    assert {"flight_hours", "flown_without_recency", "utilisation"} <= compared


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("flight_huors", "2026-10", "2026-09"), "Did you mean flight_hours"),
        ((7, "2026-10", "2026-09"), "not a metric"),
        (("collect", flights(), flights()), "There is no metric named 'collect'"),
        (("definitions", flights(), flights()), "There is no metric named 'definitions'"),
        (("recency", flights(), flights()), "needs rule, .* Pass rule= to fk.compare too"),
        (("calendar", flights(), flights()), "needs period, .* Pass period= to fk.compare too"),
        (("flight_hours", "2026-10", "2026-09"), "Pass fleet=fleet"),
        (("flight_hours", flights(), "2026-09"), "Pass fleet=fleet"),
        (("flight_hours", flights()["pilot_id"], flights()), "filter, .* or frame, not a Series"),
        (("flight_hours", flights(), pd.concat([flights()] * 2, axis=1)), "two columns of one"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_what_to_do(arguments, message):
    with pytest.raises(fk.InvalidValue, match=message):
        fk.compare(*arguments)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("pipeline_totals", "2026-10", "2026-09"), {}, "is of a state, not of days"),
        (("flown_without_recency", "2026-10", "2026-09"), {}, "Pass rule= to fk.compare too"),
        (("reconciliation", "2026-10", "2026-09"), {}, "needs all flights, not those of a p"),
        (("idle", *[fk.Filter()] * 2), {"period": 2026}, "needs all flights.* Leave period= out"),
        (("margins", *[fk.Filter()] * 2), {"period": 2026}, "is of a state.* Leave period= out"),
        (("flight_hours", "2026-10", "2026-13"), {}, "is not a valid period"),
        (("flight_hours", "2026-10", "2026-09"), {"period": 2026}, "Leave it out"),
        (("flight_hours", "2026-10", "2030-09"), {}, "had not begun"),
        (("flight_hours", "2026-10", "2026-09"), {"by": "wekday"}, "Did you mean weekday"),
        (("flight_hours", "2026-10", "2026-09"), {"bye": "day"}, "no argument of fk.metrics.fl"),
        (("hours_per_aircraft_day", "2026-10", "2026-09"), {"days": 30}, "a number, not rows"),
        (("price_flags", fk.Filter(), fk.Filter()), {}, "no change to show. Compare a metric with"),
        (("flight_hours", "2026-10", "2026-09"), {"flights": flights()}, "Compare two frames"),
        (("flight_hours", flights(), flights()), {"flights": flights()}, "flights= would be meas"),
        (("stage_moves", fk.Filter(), fk.Filter()), {}, "needs history, .* Compare two frames"),
        (("restatements", "2026-10", "2026-09"), {}, "needs ledger, .* Compare two frames of it"),
    ],
)
def test_what_a_fleet_cannot_compare_is_refused_too(fleet, arguments, options, message):
    with pytest.raises(fk.InvalidValue, match=message):
        fk.compare(*arguments, fleet=fleet, **options)


def test_the_chart_shows_both_sides_and_the_change(fleet):
    both = fk.compare("flight_hours", "2026-10", "2026-09", fleet=fleet, by="pilot", names=True)
    ax = fk.charts.compare(both, title="Pilots")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Ada Lind", "Bo Berg"]
    shown = [text.get_text() for text in ax.texts]
    assert {"2.0 from 1.5, +0.5", "0.5 from 0.0, +0.5"} <= set(shown)
    with pytest.raises(fk.InvalidValue, match="Did you mean flights"):
        fk.charts.compare(both, measure="flihgts")
    with pytest.raises(fk.InvalidValue, match=r"Pass what fk\.compare returns"):
        fk.charts.compare(flights())


def test_the_chart_calls_equipment_with_a_blank_name_by_its_id():
    logs = pd.DataFrame({"flight_id": ["1", "2", "3"], "duration_seconds": [7200, 5400, 3600]})
    pairs = pd.DataFrame({"flight_id": ["1", "2", "3"], "equipment_id": ["eq_1", "eq_2", "eq_3"]})
    pieces = pd.DataFrame({"equipment_id": ["eq_1", "eq_2", "eq_3"], "name": [" ", None, "Merlin"]})
    both = fk.compare("aircraft_hours", logs, logs.head(1), bridge=pairs, aircraft=pieces)
    labels = [label.get_text() for label in fk.charts.compare(both).get_yticklabels()]
    assert labels == ["eq_1", "eq_2", "Merlin"]


def test_the_chart_calls_two_pilots_of_one_name_by_their_ids_too():
    pilots = {"pilot_id": ["prof_1", "prof_2", "prof_3"], "pilot_name": ["Kim", "Kim", "Bo"]}
    flown = {"flight_id": ["1", "2", "3"], "duration_seconds": [7200, 5400, 3600]}
    logs = pd.DataFrame({**flown, "flight_date": pd.Timestamp("2026-10-01", tz="UTC"), **pilots})
    both = fk.compare("pilots", logs, logs.head(1))
    labels = [label.get_text() for label in fk.charts.compare(both).get_yticklabels()]
    assert labels == ["Kim (prof_1)", "Kim (prof_2)", "Bo"]


def test_the_chart_tells_rows_apart_by_what_does_and_not_by_what_is_said_of_one_side():
    rule = fk.settings.RecencyRule("two flights", flights=2, days=90)
    given = {"as_of": "2026-10-20", "rule": rule}
    both = fk.compare("recency", flights(), flights().head(1), **given)
    assert both["recent"].tolist() == [False, True]
    ax = fk.charts.compare(both, measure="flights")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Bo", "Ada"]


def test_a_view_is_compared_by_its_name_and_one_that_there_is_not_names_those_that_there_are():
    views = {"dark": {"night": True}, "day": {"night": False}}
    fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=300, settings={"views": views})
    both = fk.compare("flight_totals", "@dark", " @day ", fleet=fleet, period="2026-10")
    october = fleet.flights("2026-10")["night_flight"]
    assert both.loc[0, ["flights", "flights_other"]].tolist() == [october.sum(), (~october).sum()]
    assert both.attrs["compared"] == ["@dark", "@day"]
    with pytest.raises(fk.InvalidValue, match="no view named 'drak'") as error:
        fk.compare("flight_totals", "@drak", "@day", fleet=fleet)
    assert "Views are: @dark, @day." in str(error.value)
    with pytest.raises(fk.InvalidValue, match="given a view, and no fleet to measure"):
        fk.compare("flight_totals", "@dark", "@day")


def test_a_check_is_one_row_though_it_found_other_flights(fleet):
    both = fk.compare("data_quality", "2026-10", "2026-09", fleet=fleet, as_of="2026-11-20")
    found = both.set_index("check").loc["No project"]
    columns = ["count", "count_other", "of", "of_other", "ids", "ids_other"]
    assert found[columns].tolist() == [2, 2, 2, 2, "fl_3, fl_4", "fl_1, fl_2"]


def test_a_project_that_moved_on_and_a_pilot_who_was_not_recent_are_one_row_each():
    moved = projects().assign(status="CANCELLED")
    effort = fk.compare("project_effort", moved, projects(), flights=flights())
    assert rows(effort[["project_id", "status", "status_other", "flights_change"]]) == [
        ("proj_1", "CANCELLED", "DELIVERED", 0),
        ("proj_2", "CANCELLED", "SCHEDULED", 0),
    ]
    rule = fk.settings.RecencyRule("two flights", flights=2, days=90)
    given = {"as_of": "2026-10-20", "rule": rule}
    pilots = fk.compare("recency", flights(), flights().head(1), **given)
    # Ada has flown twice by then, and once in the other; Bo isn't in the other.
    assert rows(pilots[["pilot_id", "recent", "recent_other", "flights", "flights_other"]]) == [
        *(("prof_2", False, None, 1, 0), ("prof_1", True, False, 2, 1))
    ]


def test_who_had_lapsed_before_a_period_is_known_by_the_flights_before_it(fleet):
    # Of ten days: Ada, who flew on 1 and 2 September, had lapsed on the 12th, before 2 October.
    rule = fk.settings.RecencyRule("a flight", flights=1, days=10)
    late = fk.compare("flown_without_recency", "2026-10", "2026-09", fleet=fleet, rule=rule)
    assert rows(late[["flight_id", "days_lapsed", "days_lapsed_other"]]) == [("fl_3", 20, None)]


def test_prices_of_a_project_in_two_currencies_are_not_compared():
    dear = projects().assign(currency="NOK")
    effort = fk.compare("project_effort", dear, projects(), flights=flights())
    assert effort["agreed_price_change"].isna().all()


@pytest.mark.parametrize("days", [("2026-11-02", "2026-10"), ("2026-10", "2026-11-02")])
def test_rows_of_either_side_that_cannot_be_told_apart_are_refused(fleet_of, days):
    # One day of November on which Ada flew, and two of October.
    flown = [
        a_flight("fl_1", "2026-10-01T09:00:00.000Z", pilotInCommand=ADA),
        a_flight("fl_2", "2026-10-15T09:00:00.000Z", pilotInCommand=ADA),
        a_flight("fl_3", "2026-11-02T09:00:00.000Z", pilotInCommand=ADA),
    ]
    with fleet_of(*flown) as fleet:
        fleet._source._fetched_at = datetime(2026, 11, 20, tzinfo=UTC)
        with pytest.raises(fk.InvalidValue, match="flown_days can't be told apart by pilot_id"):
            fk.compare("flown_days", *days, fleet=fleet)


def test_days_and_counters_of_what_one_side_lacks_are_unknown_and_not_0():
    drones, given = equipment().iloc[[0]], {"flights": flights(), "bridge": bridge()}
    idle = fk.compare("idle", equipment().head(2), drones, as_of="2026-11-20", **given)
    # The camera last flew on 30 September: fl_5 is of the year after.
    camera = idle.set_index("equipment_id").loc["eq_cam"]
    assert camera["idle_days"] == 51
    assert camera[["idle_days_other", "idle_days_change"]].isna().all()
    counted = equipment().assign(total_flights=7, total_flight_hours=2.0)
    logs = fk.compare("reconciliation", counted, counted.iloc[[0]], **given)
    camera = logs.set_index("equipment_id").loc["eq_cam"]
    assert camera[["counter_flights", "logged_flights", "logged_flights_other"]].tolist() == [
        *(7, 2, 0)
    ]
    assert camera[["counter_flights_other", "counter_hours_other"]].isna().all()
    assert camera[["logged_hours", "logged_hours_other"]].tolist() == [1, 0]


def test_days_left_and_late_totals_and_durations_are_unknown_without_a_row_too():
    drones, given = equipment().iloc[[0]], {"flights": flights(), "bridge": bridge()}
    used = fk.compare("maintenance", equipment().head(2), drones, as_of="2026-11-20", **given)
    camera = used.set_index("equipment_id").loc["eq_cam"]
    assert camera[["flights_since", "days_since"]].tolist() == [1, 51]
    assert camera[["flights_since_other", "days_since_other"]].isna().all()
    pair = equipment().iloc[[0, 2]], drones
    registered = fk.compare("registrations", *pair, as_of="2026-11-20").set_index("equipment_id")
    assert registered.loc["eq_spare", "days_left"] == 193  # until 1 June
    assert pd.isna(registered.loc["eq_spare", "days_left_other"])
    every = {"as_of": "2026-11-20", "service_intervals": {"DRONE": {"flights": 10}}}
    due = fk.compare("maintenance_due", *pair, **given, **every).set_index("equipment_id")
    assert due.loc["eq_spare", "flights_left"] == 9
    assert pd.isna(due.loc["eq_spare", "flights_left_other"])
    both = fk.compare("flight_hours", flights(), flights().head(1), by="month", rolling=2)
    assert both["rolling_flights"].tolist()[1:] == [4, 1]
    assert both["rolling_flights_other"].isna().all()
    counters = fk.compare("aircraft", *pair, bridge=bridge()).set_index("equipment_id")
    assert counters.loc["eq_spare", "total_flights"] == 1
    assert pd.isna(counters.loc["eq_spare", "total_flights_other"])
    untimed = fk.compare("untimed_flights", flights(), flights().head(1)).set_index("flight_id")
    assert untimed.loc["fl_5", "duration_seconds"] == -5
    assert pd.isna(untimed.loc["fl_5", "duration_seconds_other"])
    late = fk.compare("late_projects", projects(), projects().iloc[:1], as_of="2026-11-20")
    assert late["days_late"].tolist() == [31]  # since 20 October
    assert late["days_late_other"].isna().all()


def test_who_did_not_fly_flew_nothing_by_night_either():
    by_pilot = fk.compare("night_and_bvlos_by_pilot", flights(), flights().head(2))
    columns = ["bvlos_flights", "bvlos_flights_other", "bvlos_hours", "bvlos_hours_other"]
    assert by_pilot.set_index("pilot_id").loc["prof_2", columns].tolist() == [1, 0, 1.5, 0]
    assert by_pilot.set_index("pilot_id").loc["prof_2", "night_hours_other"] == 0


def test_two_states_of_a_fleet_are_told_apart_by_their_moments():
    fleets = [fk.demo(as_of=day, equipment=16, flights=50) for day in ("2026-11-20", "2026-11-19")]
    both = fk.compare("equipment_condition", *fleets)
    assert both.attrs["compared"] == [
        *("all, as of 2026-11-20 00:00:00", "all, as of 2026-11-19 00:00:00")
    ]
    assert fk.compare("equipment_condition", *fleets[:1] * 2).attrs["compared"] == ["all", "all"]
