"""Age, book value and cost per hour; counted by hand."""

import pandas as pd
import pytest
from five_flights import bridge, days, equipment, flights, rows, text

import fleetkit as fk
from fleetkit import metrics
from fleetkit.context import attach
from fleetkit.time import Clock


def valued(as_of="2026-10-31", **columns):
    """Return the value of one drone of 6,000 that was purchased on the last day of October 2023."""
    one = {
        "equipment_id": text("eq_drone"),
        "name": text("Kestrel"),
        "type": text("DRONE"),
        "status": text("ACTIVE"),
        "purchase_date": days("2023-10-31"),
        "purchase_cost": [6000.0],
        "total_flight_hours": [40.0],
    }
    depreciation, settings = columns.pop("depreciation", None), columns.pop("settings", {})
    piece = attach(pd.DataFrame(one | columns), Clock(), fk.settings.Settings(**settings))
    return metrics.age_and_value(piece, flights(), bridge(), as_of, depreciation=depreciation)


def book_value(**arguments):
    return rows(valued(**arguments)[["age_years", "book_value"]].round(6))


@pytest.mark.slow
def test_the_value_falls_evenly_over_five_years_where_nothing_is_set():
    assert book_value(as_of="2023-10-31") == [(0.0, 6000.0)]
    assert book_value(as_of="2026-10-31") == [(3.0, 2400.0)]
    assert book_value(as_of="2040-01-01")[0][1] == 0.0


@pytest.mark.slow
def test_a_year_is_as_long_as_it_is_to_the_next_anniversary():
    # 2024 is a leap year: 73 of 365 days after one anniversary, 183 of 366 after the purchase.
    assert book_value(as_of="2025-01-12") == [(1.2, 4560.0)]
    assert book_value(as_of="2024-05-01") == [(0.5, 5400.0)]


def test_the_29th_of_february_has_its_anniversary_on_the_28th():
    leap = days("2024-02-29")
    assert book_value(as_of="2025-02-28", purchase_date=leap) == [(1.0, 4800.0)]


@pytest.mark.slow
def test_years_and_residual_share_are_those_that_are_set():
    four = {"years": 4, "residual_percent": 20}  # 1,200 a year down to 1,200
    assert book_value(depreciation=four) == [(3.0, 2400.0)]
    assert book_value(as_of="2030-10-31", depreciation=four)[0][1] == 1200.0


def test_of_years_and_residual_share_the_one_that_is_not_given_is_the_fleet_s():
    fleet = {"depreciation": {"years": 8, "residual_percent": 20}}  # 600 a year down to 1,200
    assert book_value(settings=fleet) == [(3.0, 4200.0)]
    assert book_value(settings=fleet, depreciation={"years": 4}) == [(3.0, 2400.0)]
    assert book_value(settings=fleet, depreciation={"residual_percent": 60}) == [(3.0, 5100.0)]


@pytest.mark.slow
def test_before_the_purchase_there_is_no_age_and_no_value():
    assert book_value(as_of="2023-10-30") == [(None, None)]
    assert book_value(purchase_date=days(None)) == [(None, None)]


def test_a_cost_that_is_not_known_or_below_0_has_no_value_and_one_of_0_has_that_of_0():
    costs = (float("nan"), -5.0, 0.0)
    values = [valued(purchase_cost=[cost])[["book_value", "cost_per_hour"]] for cost in costs]
    assert [rows(value)[0] for value in values] == [(None, None), (None, None), (0.0, 0.0)]


@pytest.mark.slow
def test_an_hour_costs_what_the_counter_or_the_logs_make_of_it_whichever_are_more():
    # The logs have 1.5 h.
    counters = [40.0, 4.9, float("nan")]
    values = [valued(total_flight_hours=[counter]) for counter in counters]
    shown = [rows(value[["lifetime_hours", "cost_per_hour"]])[0] for value in values]
    assert shown == [(40.0, 150.0), (4.9, None), (1.5, None)]


def test_an_hour_has_a_cost_from_five_hours_on():
    costs = [valued(total_flight_hours=[hours])["cost_per_hour"].item() for hours in (5.0, 6.0)]
    assert costs == [1200.0, 1000.0]


def test_the_oldest_come_first_and_those_without_an_age_last():
    value = metrics.age_and_value(equipment(), flights(), bridge(), "2027-01-01")
    assert value["name"].tolist() == ["Merlin", "Heron", "Kestrel", "Lens"]
    assert value["age_years"].round(2).tolist()[:3] == [2.0, 1.0, 0.25]


def test_a_depreciation_that_can_not_be_one_is_named():
    with pytest.raises(fk.InvalidValue, match=r"depreciation\.years: 0 is not above 0"):
        valued(depreciation={"years": 0})


def test_no_equipment_gives_no_rows_and_the_same_dtypes():
    arguments = (flights(), bridge(), "2026-10-31")
    none = metrics.age_and_value(equipment().iloc[:0], *arguments)
    pd.testing.assert_frame_equal(none, metrics.age_and_value(equipment(), *arguments).iloc[:0])
