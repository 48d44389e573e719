"""Bridge rows find the places of their flights, whatever the order of both."""

import polars as pl
import pytest

import fleetkit as fk
from fleetkit.pairing import places_of_flights


@pytest.mark.parametrize(
    ("bridge", "flights", "places"),
    [
        (["a", "a", "b"], ["a", "b"], [0, 0, 1]),
        (["b", "a", "a"], ["a", "b"], [1, 0, 0]),
        (["a", "b", "a"], ["a", "b"], [0, 1, 0]),  # the same count, in runs of another order
        (["a", "x", "b"], ["a", "b", "c"], [0, None, 1]),
        (["a", None], ["a", "b"], [0, None]),
        ([None, "a"], ["a"], [None, 0]),
        (["a", None, "a"], ["a"], [0, None, 0]),  # its runs without a null are the flights
        (["b", "a"], ["a", "b", "a"], [1, 0]),  # a frame that was merged repeats a flight
        ([], ["a"], []),
        (["a"], [], [None]),
    ],
)
def test_a_bridge_row_has_the_place_of_its_flight(bridge, flights, places):
    numbers = places_of_flights(*(pl.Series(ids, dtype=pl.String) for ids in (bridge, flights)))
    assert numbers.to_list() == places


@pytest.mark.slow
def test_a_first_sync_stores_flights_and_their_bridge_in_one_order(tmp_path):
    demo = fk.demo(as_of="2026-11-20", equipment=16, flights=300)
    demo.sync(tmp_path / "mirror", details=False)
    opened = fk.open_mirror(tmp_path / "mirror").mirror
    flights, bridge = (
        opened.scan(name, "polars").collect()["flight_id"]
        for name in ("flights", "flight_equipment")
    )
    assert len(bridge) > len(flights)  # some have several pieces of equipment
    assert bridge.unique(maintain_order=True).to_list() == flights.to_list()
