"""Conditions and prices that changed: row versions counted by hand, and a mirror's own."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from a_past import write

import fleetkit as fk
from fleetkit import metrics


def mirrored(path, *states):
    """Write states; return the fleet of the mirror and the moments."""
    moments = [pd.Timestamp(write(path / "mirror", **state)) for state in states]
    return fk.open_mirror(path / "mirror"), moments


@pytest.mark.slow
def test_a_change_of_status_and_one_of_condition_are_a_row_each(tmp_path):
    kestrel = {"id": "eq_1", "name": "Kestrel", "status": "ACTIVE", "condition": "GOOD"}
    worn = {**kestrel, "status": "MAINTENANCE", "condition": "POOR"}
    fleet, moments = mirrored(
        tmp_path,
        {"equipment": [kestrel]},
        {"equipment": [{**kestrel, "weight": 2}]},
        {"equipment": [worn, {"id": "eq_2", "status": "ACTIVE"}]},
        {"equipment": [{**worn, "status": "ACTIVE", "condition": None}]},
    )
    frame = metrics.condition_history(fleet.history("equipment"))
    assert frame.drop(columns="observed_at").fillna("").to_numpy().tolist() == [
        ["eq_1", "Kestrel", "status", "ACTIVE", "MAINTENANCE"],
        ["eq_1", "Kestrel", "condition", "GOOD", "POOR"],
        ["eq_1", "Kestrel", "status", "MAINTENANCE", "ACTIVE"],
        ["eq_1", "Kestrel", "condition", "POOR", ""],
    ]
    assert frame["observed_at"].tolist() == [*[moments[2]] * 2, *[moments[3]] * 2]


@pytest.mark.slow
def test_equipment_that_never_changed_has_no_condition_history(tmp_path):
    fleet, _ = mirrored(tmp_path, {})
    frame = metrics.condition_history(fleet.history("equipment"))
    assert frame.empty
    assert frame.dtypes.astype(str).tolist() == [
        *("str", "str", "datetime64[us, UTC]", "str", "str", "str")
    ]
    assert isinstance(
        metrics.condition_history(pl.from_pandas(fleet.history("equipment"))), pl.DataFrame
    )


def a_service(rate, percent, currency="EUR", **fields):
    tier = {"id": "tier_1", "tierName": "Basic", "priceModifierPercent": percent}
    return {
        **{"id": "svc_1", "name": "Survey", "baseRate": rate, "currency": currency},
        **{"tiers": [tier], **fields},
    }


@pytest.mark.slow
def test_base_rates_and_modifiers_that_changed_are_told_as_numbers(tmp_path):
    fleet, moments = mirrored(
        tmp_path,
        {"services": [a_service(90, 0)]},
        {"services": [a_service(95.5, 0, name="Mapping")]},
        {"services": [a_service(95.5, 12.5, name="Mapping")]},
        {"services": [a_service(95.5, 15, "USD", name="Mapping")]},
        {"services": [a_service(None, 15, "USD", name="Mapping")]},
    )
    frame = metrics.price_history(fleet.history("services"), fleet.history("tiers"))
    assert frame["observed_at"].tolist() == [*moments[1:4], *moments[3:]]
    shown = frame.drop(columns="observed_at").astype(object).fillna("")
    assert shown.to_numpy().tolist() == [
        ["svc_1", "Mapping", "", "", "base_rate", 90.0, 95.5, "EUR", "EUR"],
        ["svc_1", "Mapping", "tier_1", "Basic", "price_modifier_percent", 0.0, 12.5, "", ""],
        ["svc_1", "Mapping", "", "", "base_rate", 95.5, 95.5, "EUR", "USD"],
        ["svc_1", "Mapping", "tier_1", "Basic", "price_modifier_percent", 12.5, 15.0, "", ""],
        ["svc_1", "Mapping", "", "", "base_rate", 95.5, "", "USD", "USD"],
    ]


@pytest.mark.slow
def test_another_currency_of_no_base_rate_is_no_change_of_price(tmp_path):
    fleet, _ = mirrored(
        tmp_path,
        {"services": [a_service(None, 0)]},
        {"services": [a_service(None, 0, "USD")]},
        {"services": [a_service(90, 0, "NOK")]},
    )
    frame = metrics.price_history(fleet.history("services"), fleet.history("tiers"))
    shown = frame[["old", "new", "old_currency", "new_currency"]].astype(object).fillna("")
    assert shown.to_numpy().tolist() == [["", 90.0, "USD", "NOK"]]


@pytest.mark.slow
def test_tiers_of_one_id_under_two_services_are_told_apart(tmp_path):
    other = {"id": "svc_2", "name": "Photo", "currency": "EUR", "baseRate": 1}
    tier = {"id": "tier_1", "priceModifierPercent": 5}
    fleet, _ = mirrored(
        tmp_path,
        {"services": [a_service(90, 0), {**other, "tiers": [tier]}]},
        {"services": [a_service(90, 3), {**other, "tiers": [tier]}]},
    )
    frame = metrics.price_history(fleet.history("services"), fleet.history("tiers"))
    assert frame[["service_id", "old", "new"]].to_numpy().tolist() == [["svc_1", 0.0, 3.0]]


@pytest.mark.slow
def test_prices_that_never_changed_have_no_history(tmp_path):
    fleet, _ = mirrored(tmp_path, {})
    frame = metrics.price_history(fleet.history("services"), fleet.history("tiers"))
    assert frame.empty
    assert frame.dtypes.astype(str).tolist() == [
        *("str", "str", "str", "str", "datetime64[us, UTC]", "str"),
        *("float64", "float64", "str", "str"),
    ]
