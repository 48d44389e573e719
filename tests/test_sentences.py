"""The sentences of the first page, and what needs attention, in words that read well."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from fleetkit.periods import parse
from fleetkit.reports import attention, sentences

OCTOBER = parse("2026-10")


def active(hours: float, previous: float | None = None, year_before: float | None = None) -> str:
    found = {"value": hours, "previous": previous, "year_before": year_before}
    return sentences.activity(OCTOBER, {"value": 40}, found, {"value": 3}, 5)


@pytest.mark.parametrize(
    ("against", "said"),
    [
        ((), "40 flights and 20.0 hours in October 2026; 3 of 5 aircraft flew."),
        ((10.0,), "in October 2026, 100 % more hours than in September 2026; 3"),
        ((25.0,), "in October 2026, 20 % fewer hours than in September 2026; 3"),
        ((20.01,), "in October 2026, as many hours as in September 2026; 3"),
        ((None, 16.0), "in October 2026, 25 % more hours than in October 2025; 3"),
        ((0.0,), "20.0 hours in October 2026; 3 of 5"),
        ((10.0, 40.0), "100 % more hours than in September 2026 and 50 % fewer than in October"),
    ],
)
def test_activity_is_set_against_what_is_known_of_earlier(against, said):
    assert said in active(20.0, *against)


def test_a_period_without_flights_says_so():
    nothing = {"value": 0}
    assert sentences.activity(OCTOBER, nothing, nothing, nothing, 5) == (
        "Nobody flew in October 2026."
    )


@pytest.mark.parametrize(
    ("bands", "verdicts", "said"),
    [
        (
            ["later"],
            ["match"],
            "No registration has expired or expires within 30 days; "
            "every counter agrees with the logs.",
        ),
        (
            ["expired", "expired"],
            ["logs higher", "counter higher"],
            "2 registrations have expired; 2 of 2 counters contradict the logs.",
        ),
        (
            ["≤ 30 days"],
            ["no counter"],
            "1 registration expires within 30 days; no counter can be compared with the logs.",
        ),
        (
            [],
            [],
            "No registration has expired or expires within 30 days; "
            "no counter can be compared with the logs.",
        ),
    ],
)
def test_risk_names_registrations_and_counters(bands, verdicts, said):
    checked = pd.DataFrame({"verdict": pd.Series(verdicts, dtype="str")})
    assert sentences.risk(pd.DataFrame({"band": pd.Series(bands, dtype="str")}), checked) == said


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
            "2 projects are open; 1 is late.",
        ),
        (totals(currency=[], projects=[], priced=[], value=[]), 0, "No project is open."),
    ],
)
def test_money_is_named_in_each_currency_with_how_many_have_a_price(frame, late, said):
    assert sentences.money(frame, pd.DataFrame({"days_late": [5] * late})) == said


def test_three_of_a_kind_are_named_and_the_others_counted():
    late = pd.DataFrame(
        {
            "title": ["A", "B", "C", "D", "E"],
            "client_account_name": ["Fjord", None, None, None, None],
            "assigned_pilot_name": ["Ada", "Bo", None, None, None],
            "days_late": [31, 30, 3, 2, 1],
        }
    )
    items = list(attention.late(late))
    assert [item["text"] for item in items] == [
        "A is late",
        "B is late",
        "C is late",
        "2 more projects are late",
    ]
    assert [item.get("who") for item in items] == ["Fjord, Ada", "Bo", "", None]
    assert [item["severity"] for item in items] == ["high", "medium", "medium", "low"]


def test_equipment_that_flew_on_after_its_registration_expired_comes_first():
    moments = pd.to_datetime(["2026-10-20T00:00Z", "2026-10-25T00:00Z", "2026-11-12T00:00Z"])
    registrations = pd.DataFrame(
        {
            "equipment_id": ["a", "b", "c"],
            "name": ["Heron", "Kestrel", "Tern"],
            "registration_expiry": moments,
            "days_left": [-11, -6, 12],
            "band": ["expired", "expired", "≤ 30 days"],
        }
    )
    # Heron last flew on the day of its expiry, which still counts; Kestrel on the day after.
    flights = pd.to_datetime(["2026-10-20T15:00Z", "2026-10-26T00:00Z", None])
    idle = pd.DataFrame({"equipment_id": ["a", "b", "c"], "last_flight": flights})
    assert [
        (item["text"], item["who"]) for item in attention.registrations(registrations, idle)
    ] == [
        ("Flew after its registration expired", "Kestrel"),
        ("Registration expired", "Heron"),
        ("Registration expires", "Tern"),
    ]


def test_pilots_are_named_whose_recency_lapsed_lately_or_lapses_soon():
    recency = pd.DataFrame(
        {
            "pilot_name": ["Ada", "Bo", "Chloé", "Dmitri"],
            "recent": [True, True, False, False],
            "lapses": pd.to_datetime(["2026-11-30", "2026-12-01", "2026-10-01", None]),
        }
    )
    items = attention.lapsing(recency, date(2026, 10, 31))
    assert [(item["who"], item["text"], item["when"]) for item in items] == [
        ("Chloé", "Recency lapsed", "1 Oct 2026"),
        ("Ada", "Recency lapses", "30 Nov 2026"),
    ]


def test_nothing_to_look_at_is_an_empty_list():
    nobody = pd.DataFrame(
        {
            "pilot_name": pd.Series(dtype="str"),
            "recent": pd.Series(dtype="bool"),
            "lapses": pd.Series(dtype="datetime64[us]"),
        }
    )
    assert list(attention.lapsing(nobody, date(2026, 10, 31))) == []
