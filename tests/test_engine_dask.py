"""Dask brings groups of many partitions together by their keys, and joins them."""

import narwhals as nw
import pandas as pd
import pytest
from conftest import TINY, synced

import fleetkit as fk

pytestmark = pytest.mark.slow
# From 16 on Dask shuffles groups of one key, as it does those of a mirror of 16 months.
PARTITIONS = 16
# Of each piece the flights 0, 2, 4 … or 1, 3, 5 …; each tenth of all is a maintenance flight.
FLIGHTS = pd.DataFrame(
    {
        "flight_id": [f"fl_{number:02}" for number in range(32)],
        "flight_type": ["MAINTENANCE" if number % 10 == 3 else "TRAINING" for number in range(32)],
        "flight_date": pd.date_range("2026-09-01", periods=32, tz="UTC").astype(
            "datetime64[us, UTC]"
        ),
        "duration_seconds": [3600] * 32,
        "pilot_id": ["a", "b"] * 16,
        "pilot_name": ["Ada", "Bo"] * 16,
    }
)
PIECES = pd.DataFrame({"flight_id": FLIGHTS["flight_id"], "equipment_id": ["d", "e"] * 16})
EQUIPMENT = pd.DataFrame(
    {
        "equipment_id": ["d", "e"],
        "name": ["Kestrel", "Merlin"],
        "type": ["DRONE", "DRONE"],
        "category": ["INSPECTION", "MAPPING"],
        "registration_number": ["N1", "N2"],
        "status": ["ACTIVE", "ACTIVE"],
        "purchase_date": pd.to_datetime(["2026-01-01", "2026-01-01"], utc=True),
    }
)


@pytest.fixture(scope="module")
def flown():
    from dask import dataframe

    return [dataframe.from_pandas(rows, npartitions=PARTITIONS) for rows in (FLIGHTS, PIECES)]


def test_flights_since_the_last_maintenance_are_those_after_it(flown):
    since = fk.metrics.maintenance(EQUIPMENT, *flown, "2026-10-31").set_index("equipment_id")
    # The piece "e" flew its last maintenance as number 23, then 25, 27, 29 and 31.
    assert since["flights_since"].to_dict() == {"d": 16, "e": 4}


def test_pilots_have_their_names(flown):
    hours = fk.metrics.collect(fk.metrics.flight_hours(flown[0], by="pilot", names=True))
    assert hours[["pilot_name", "flights"]].to_numpy().tolist() == [["Ada", 16], ["Bo", 16]]
    pilots = fk.metrics.collect(fk.metrics.pilots(flown[0]))
    assert pilots[["pilot_name", "hours"]].to_numpy().tolist() == [["Ada", 16.0], ["Bo", 16.0]]


def test_flights_of_twice_as_many_partitions_are_counted_by_what_their_equipment_is():
    from dask import dataframe

    flights, bridge, equipment = (
        dataframe.from_pandas(rows, npartitions=len(rows)) for rows in (FLIGHTS, PIECES, EQUIPMENT)
    )
    by = {"by": ["type", "category", "registration"], "bridge": bridge, "equipment": equipment}
    counted = fk.metrics.collect(fk.metrics.flight_hours(flights, **by))
    rows = counted.drop(columns="hours").to_numpy().tolist()
    assert rows == [["DRONE", "INSPECTION", "N1", 16], ["DRONE", "MAPPING", "N2", 16]]


def test_flights_over_equipment_are_those_of_the_fleet_where_none_is_shared(flown):
    steps = fk.metrics.collect(fk.metrics.double_count(*flown))
    assert steps["flights"].tolist() == [32, 0, 0, 32]


def test_shuffles_keep_the_order_of_rows_by_which_filters_go(flown, tmp_path):
    import dask

    fleet = fk.open_mirror(synced(TINY, tmp_path))
    for use in (lambda: fleet.flights(engine="dask"), lambda: fk.metrics.pilots(flown[0])):
        with dask.config.set({"dataframe.shuffle.method": "disk"}):
            use()
            assert dask.config.get("dataframe.shuffle.method") == "tasks"


def test_ids_that_are_the_index_too_lead_from_flights_to_their_equipment():
    from dask import dataframe

    flights, pairs, pieces = (
        dataframe.from_pandas(rows.set_index(rows.columns[0], drop=False), npartitions=2)
        for rows in (FLIGHTS, PIECES, EQUIPMENT)
    )
    by = {"by": ["equipment", "type"], "bridge": pairs, "equipment": pieces}
    counted = fk.metrics.collect(fk.metrics.flight_hours(flights, **by))
    assert counted.to_numpy().tolist() == [["d", "DRONE", 16, 16.0], ["e", "DRONE", 16, 16.0]]


def test_flights_whose_texts_dask_made_categories_are_counted(flown):
    counted = fk.metrics.collect(fk.metrics.flight_hours(flown[0].categorize(), by="pilot"))
    assert counted.to_numpy().tolist() == [["a", 16, 16.0], ["b", 16, 16.0]]


def test_of_two_flights_that_began_at_once_the_later_id_overlaps_also_where_ids_are_categories():
    from dask import dataframe
    from five_flights import equipment, flights, projects

    first = flights().iloc[[0, 0]].assign(flight_id=["fl_2", "fl_1"])  # of one pilot
    categories = first.assign(flight_id=pd.Categorical(first["flight_id"], ["fl_2", "fl_1"]))
    flown, pairs = (
        dataframe.from_pandas(rows.reset_index(drop=True), npartitions=1)
        for rows in (categories, categories[["flight_id"]].assign(equipment_id="eq_drone"))
    )
    checks = fk.metrics.data_quality(flown, pairs, equipment(), projects(), as_of="2026-10-31")
    overlaps = fk.metrics.collect(checks).set_index("check")["ids"]
    assert overlaps["Overlaps another flight of its pilot"] == "fl_2"


def test_of_the_flights_of_nobody_the_latest_date_is_none_in_utc(flown):
    nobody_s = nw.from_native(flown[0]).filter(nw.col("pilot_id") == "c")
    latest = fk.metrics.collect(nobody_s.select(nw.col("flight_date").max()).to_native())
    assert latest["flight_date"].tolist() == [pd.NaT]
    assert str(latest["flight_date"].dtype) == "datetime64[us, UTC]"
