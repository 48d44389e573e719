"""A measure in the period, before it, a year ago and by month; blank where the data don't reach."""

from __future__ import annotations

import pytest

import fleetkit as fk
from fleetkit.periods import parse
from fleetkit.reports import Comparison


@pytest.fixture
def fleet(tiny):
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as opened:
        yield opened


def flights(part, _span):
    return len(part)


def test_a_measure_is_taken_of_the_period_the_one_before_and_each_month(fleet):
    # The first flight is of 30 September 2026: October is covered, September is not.
    assert Comparison(fleet, parse("2026-11"))(flights) == {
        "value": 1,
        "previous": 3,
        "year_before": None,
        "trend": [None] * 10 + [3, 1],
        "note": "data since 30 September 2026",
    }


def test_a_month_counts_as_covered_where_its_first_day_is(fleet):
    # In Oslo the first flight is of 1 October.
    found = Comparison(fleet, parse("2026-10", tz="Europe/Oslo"))(flights)
    assert found["trend"][-2:] == [None, 3]


def test_a_filter_that_starts_later_covers_less(fleet):
    narrowed = fleet.where(since="2026-10-15")
    found = Comparison(narrowed, parse("2026-11"))(flights)
    assert (found["value"], found["previous"]) == (1, None)
    assert found["note"] == "data since 15 October 2026"


def test_a_filter_that_finds_nothing_early_on_is_zero_not_blank(fleet):
    maintenance = fleet.where(flight_type="MAINTENANCE")
    found = Comparison(maintenance, parse("2026-11"))(flights)
    assert (found["value"], found["previous"]) == (1, 0)


def test_a_measure_learns_the_span_that_it_is_asked_for(fleet):
    found = Comparison(fleet, parse("2026-11"))(lambda _part, span: span.days)
    assert (found["value"], found["previous"]) == (30, 31)


def test_a_measure_without_a_number_is_null(fleet):
    found = Comparison(fleet, parse("2026-11"))(lambda *_: float("nan"))
    assert found["value"] is None


def test_without_any_flight_there_is_nothing_to_compare_with(serve_records, tiny_records):
    served = serve_records({**tiny_records, "flights": [], "flight_equipment": []})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        found = Comparison(fleet, parse("2026-11"))(flights)
    assert (found["value"], found["previous"], found["note"]) == (0, None, "")


@pytest.mark.slow
@pytest.mark.parametrize(("time", "dates"), [("00:00:00.000Z", True), ("09:00:00.000Z", False)])
def test_dates_without_a_time_of_day_are_noticed(serve_records, tiny_records, time, dates):
    flown = [{**each, "flightDate": f"2026-10-05T{time}"} for each in tiny_records["flights"]]
    served = serve_records({**tiny_records, "flights": flown})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        assert Comparison(fleet, parse("2026-10")).dates_only is dates
