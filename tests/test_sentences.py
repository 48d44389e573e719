"""The sentences of the first page: right at the edges, in words that read well."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pandas as pd
import pytest

from fleetkit import language
from fleetkit.reports import sentences
from fleetkit.time import Period, so_far

OCTOBER = Period.read("2026-10")


def active(hours: float, previous: float | None = None, year_before: float | None = None) -> str:
    values = {"value": hours, "previous": previous, "year_before": year_before}
    return sentences.activity(OCTOBER, {"value": 40}, values, {"value": 3}, 5)


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ((), "40 flights and 20.0 hours in October 2026; 3 of 5 aircraft flew."),
        ((10.0,), "in October 2026, 100.0 % more hours than in September 2026; 3"),
        ((25.0,), "in October 2026, 20.0 % fewer hours than in September 2026; 3"),
        ((20.01,), "in October 2026, under 0.1 % fewer hours than in September 2026; 3"),
        ((20.0,), "in October 2026, as many hours as in September 2026; 3"),
        ((None, 16.0), "in October 2026, 25.0 % more hours than in October 2025; 3"),
        ((0.0,), "20.0 hours in October 2026; 3 of 5"),
        (
            (10.0, 40.0),
            "100.0 % more hours than in September 2026 and 50.0 % fewer than in October",
        ),
        ((25.0, 16.0), "fewer hours than in September 2026 and 25.0 % more than in October 2025"),
        ((20.0, 20.0), "as many hours as in September 2026 and as many as in October 2025; 3"),
    ],
)
def test_activity_is_set_against_what_is_known_of_earlier(against, said):
    assert said in active(20.0, *against)


def test_a_year_is_compared_with_the_year_before_it_once():
    # What the data don't reach lies before both years, so it is no matter of this one.
    flights = {"value": 40, "previous": 32, "note": "no data before 1 May 2023"}
    hours = {"value": 20.0, "previous": 16.0, "year_before": 16.0}
    said = sentences.activity(Period.read("2025"), flights, hours, {"value": 3}, 5)
    assert "in 2025, 25.0 % more hours than in 2024; 3 of 5" in said


def test_twelve_months_are_compared_with_those_before_once():
    hours = {"value": 20.0, "previous": 16.0, "year_before": 16.0}
    months = Period.read("2025-04-01_2026-03-31")
    said = sentences.activity(months, {"value": 40}, hours, {"value": 3}, 5)
    assert "to 31 March 2026, 25.0 % more hours than in the 12 months before; 3 of 5" in said


@pytest.mark.parametrize(
    ("aircraft", "said"),
    [(1, "1 von 1 Fluggerät im Einsatz."), (5, "1 von 5 Fluggeräten im Einsatz.")],
)
def test_aircraft_that_flew_are_of_one_or_of_several(aircraft, said):
    hours = {"value": 20.0, "previous": None, "year_before": None}
    with language.using("de"):
        told = sentences.activity(OCTOBER, {"value": 40}, hours, {"value": 1}, aircraft)
    assert told.endswith(said)


def test_a_period_without_flights_says_so():
    nothing = {"value": 0}
    assert sentences.activity(OCTOBER, nothing, nothing, nothing, 5) == (
        "Nobody flew in October 2026."
    )


def test_a_filter_that_leaves_no_flight_does_not_say_that_nobody_flew():
    nothing = {"value": 0, "previous": 3}
    said = sentences.activity(OCTOBER, nothing, nothing, nothing, 5, is_filtered=True)
    assert said == "No flight in October 2026 meets the filter."
    november = so_far(Period.read("2026-11"), datetime(2026, 11, 21, tzinfo=UTC))
    said = sentences.activity(november, nothing, nothing, nothing, 5, is_filtered=True)
    assert said == "So far, no flight from 1 to 20 November 2026 meets the filter."


def test_hours_that_were_not_recorded_are_not_zero_hours():
    hours = {"value": None, "previous": 10.0, "year_before": None}
    assert sentences.activity(OCTOBER, {"value": 15}, hours, {"value": 3}, 5) == (
        "15 flights in October 2026, hours not recorded (0 of 15); 3 of 5 aircraft flew."
    )


def test_of_batteries_alone_no_aircraft_are_counted():
    said = sentences.activity(OCTOBER, {"value": 15}, {"value": 7.5}, {"value": None}, 0)
    assert said == "15 flights and 7.5 hours in October 2026."


def test_of_a_period_before_the_first_flight_nothing_is_known():
    unknown = {"value": None, "note": "no data before 15 May 2024"}
    assert sentences.activity(Period.read("2024-04"), unknown, unknown, unknown, 5) == (
        "Nothing is known of what was flown in April 2024: no data before 15 May 2024."
    )


def test_a_period_that_is_partly_before_the_first_flight_says_since_when_it_is_known():
    partly = {"value": 40, "previous": None, "note": "no data before 15 May 2024"}
    said = sentences.activity(Period.read("2024"), partly, {"value": 20.0}, {"value": 3}, 5)
    assert said == (
        "40 flights and 20.0 hours in 2024 (no data before 15 May 2024); 3 of 5 aircraft flew."
    )
    nobody = {**partly, "value": 0}
    assert sentences.activity(Period.read("2024"), nobody, nobody, nobody, 5) == (
        "Nobody flew in 2024 (no data before 15 May 2024)."
    )


def test_a_period_that_is_not_over_is_compared_with_the_same_days_in_words():
    november = so_far(Period.read("2026-11"), datetime(2026, 11, 21, 21, 7, tzinfo=UTC))
    hours = {"value": 20.0, "previous": 16.0, "year_before": 40.0}
    assert sentences.activity(november, {"value": 40, "previous": 3}, hours, {"value": 3}, 5) == (
        "So far, 40 flights and 20.0 hours from 1 to 21 November 2026, 25.0 % more hours than from "
        "1 to 21 October 2026 and 50.0 % fewer than from 1 to 21 November 2025; 3 of 5 aircraft "
        "flew."
    )
    nobody = {"value": 0, "previous": 3}
    assert sentences.activity(november, nobody, nobody, nobody, 5) == (
        "So far, nobody flew from 1 to 21 November 2026."
    )


AS_OF = date(2026, 11, 21)
NO_REGISTRATION = "no registration has expired or expires within 30 days, of"


@pytest.mark.parametrize(
    ("bands", "verdicts", "expired", "said"),
    [
        (
            ["later"],
            ["match"],
            [],
            f"{NO_REGISTRATION} 1 with an expiry date; "
            "the 1 counter that can be compared agrees with the logs.",
        ),
        (
            ["expired", "expired", "missing"],
            ["logs higher", "counter higher", "no counter"],
            ["1"],
            "2 registrations have expired, of 2 with an expiry date; 1 flight of the period was "
            "flown on an expired one; 2 of 2 counters contradict the logs.",
        ),
        (
            ["≤ 30 days", "later"],
            ["match", "match", "not comparable"],
            [],
            "1 registration expires within 30 days, of 2 with an expiry date; all 2 counters that "
            "can be compared agree with the logs.",
        ),
        (
            ["missing"] * 15,
            ["no counter"] * 5,
            ["1", "2", "2"],
            "no registration can be judged (0 of 15 have an expiry date); 2 flights of the period "
            "were flown on an expired one; 0 of 5 pieces of equipment have a counter.",
        ),
        (
            ["missing"],
            ["no counter"],
            [],
            "no registration can be judged (0 of 1 has an expiry date); "
            "0 of 1 piece of equipment has a counter.",
        ),
        (
            [],
            [],
            [],
            "no registration can be judged (0 of 0 have an expiry date); "
            "0 of 0 pieces of equipment have a counter.",
        ),
    ],
)
def test_the_condition_names_registrations_and_counters_and_what_was_looked_at(
    bands, verdicts, expired, said
):
    frames = (("band", bands), ("verdict", verdicts), ("flight_id", expired))
    given = [pd.DataFrame({name: pd.Series(values, dtype="str")}) for name, values in frames]
    assert sentences.condition(AS_OF, *given) == f"As of 21 Nov 2026, {said}"


def projects(*dates: str | None, status: str = "DRAFT") -> pd.DataFrame:
    return pd.DataFrame({"status": status, "scheduled_date": pd.Series(dates, dtype="str")})


def totals(**columns: list) -> pd.DataFrame:
    return pd.DataFrame({"group": ["open"] * len(columns["projects"]), **columns})


@pytest.mark.parametrize(
    ("frame", "late", "said"),
    [
        (
            totals(currency=["EUR"], projects=[1], priced=[1], value=[1234.5]),
            0,
            "1 project is open (EUR 1,235); none is late.",
        ),
        (
            totals(currency=["EUR", None], projects=[2, 1], priced=[1, 1], value=[900.0, 50.0]),
            2,
            "3 projects are open (EUR 900 and no currency 50 in the 2 with a price); 2 are late.",
        ),
        (
            totals(currency=["EUR"], projects=[2], priced=[0], value=[None]),
            1,
            "2 projects are open (price not recorded, 0 of 2); 1 is late.",
        ),
        (
            totals(
                currency=["AUD", "EUR", "GBP", "NOK", "USD", "ZAR"],
                projects=[1, 5, 4, 3, 2, 1],
                priced=[1, 5, 4, 3, 2, 1],
                value=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            ),
            0,
            "16 projects are open (EUR 2, GBP 3, NOK 4, USD 5 and 2 further currencies); none is "
            "late.",
        ),
        (
            totals(
                currency=["AUD", "EUR", "GBP", "NOK", "USD", None],
                projects=[2, 5, 4, 3, 2, 1],
                priced=[2, 5, 4, 3, 2, 1],
                value=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            ),
            0,
            "17 projects are open (EUR 2, GBP 3, NOK 4, no currency 6 and 2 further currencies); "
            "none is late.",
        ),
        (
            totals(currency=[], projects=[], priced=[], value=[]),
            0,
            "none of 1 project is open.",
        ),
    ],
)
def test_money_is_named_in_each_currency_with_how_many_have_a_price(frame, late, said):
    lateness = pd.DataFrame({"days_late": [5] * late})
    given = sentences.money(AS_OF, projects("2026-12-01"), frame, lateness)
    assert given == f"As of 21 Nov 2026, {said}"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (projects(None), "whether any is late can't be told (0 of 1 has a date)"),
        (projects(None, None), "whether any is late can't be told (0 of 2 have a date)"),
        (projects(None, "2026-12-01"), "the 1 with a date is not late"),
        (projects(None, *["2026-12-01"] * 2), "none of the 2 with a date is late"),
        (projects("2026-12-01"), "none is late"),
        (projects(None, status="DELIVERED"), "none is late"),
    ],
)
def test_nothing_is_late_only_where_something_has_a_date(given, said):
    frame = totals(currency=["EUR"], projects=[2], priced=[2], value=[10.0])
    nothing = pd.DataFrame({"days_late": []})
    assert sentences.money(AS_OF, given, frame, nothing).endswith(f"(EUR 10); {said}.")


def test_an_organisation_without_projects_has_none_rather_than_none_open():
    nothing = totals(currency=[], projects=[], priced=[], value=[])
    assert sentences.money(AS_OF, projects(), nothing, pd.DataFrame()) == (
        "As of 21 Nov 2026, there is no project."
    )


@pytest.mark.parametrize(
    ("hours", "said"),
    [(1 / 120, "less than 0.1 h"), (-1 / 120, "less than 0.1 h"), (1e-13, ""), (0.05, "+0.1 h")],
)
def test_a_flight_of_thirty_seconds_moves_a_month(hours, said):
    assert sentences.hours_moved(hours) == said


@pytest.mark.parametrize(
    ("readable", "said"),
    [
        ({"projects", "equipment", "services"}, "No project moved stage, no status or condition"),
        ({"equipment"}, "No status or condition changed."),
        (set(), "Of projects, equipment and prices no changes can be known."),
    ],
)
def test_nothing_is_said_of_tables_that_no_sync_could_read(readable, said):
    nothing = pd.DataFrame()
    assert sentences.observed(nothing, nothing, nothing, readable).startswith(said)


def test_days_of_one_s_own_are_set_against_as_many_days_before():
    fortnight = Period.between("2026-10-05", "2026-10-19", "UTC")
    hours = {"value": 12.0, "previous": 10.0, "year_before": None}
    said = sentences.activity(fortnight, {"value": 40}, hours, {"value": 3}, 5)
    assert "20.0 % more hours than in the 14 days before" in said
