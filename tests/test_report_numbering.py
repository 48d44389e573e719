"""Flights with numbers in place of ids: metrics of equipment give what they give with ids."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from a_past import a_flight, write
from conftest import TINY

import fleetkit as fk
from fleetkit import locks
from fleetkit.reports import in_memory, numbered_flights, numbering, unaccompanied_pairs
from fleetkit.reports.numbered_months import SHARED, numbered_months
from fleetkit.time import Ends

pytestmark = pytest.mark.slow
DAY = "2026-10-31"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """Return the mirror of an organisation with 300 flights from May 2024 to November 2026."""
    path = tmp_path_factory.mktemp("mirror") / "demo"
    fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=300).sync(path, details=False)
    return fk.open_mirror(path)


def test_metrics_that_join_give_the_same_whether_flights_have_ids_or_numbers(fleet, monkeypatch):
    monkeypatch.setattr(numbering, "ROWS", 50)
    assert len(fleet.mirror.months_together(50)) > 2  # several groups of months
    numbered = numbered_flights(fleet, "polars")
    equipment, loaded = fleet.equipment(), (fleet.flights(), fleet.flight_equipment())
    for metric, further in {
        fk.metrics.reconciliation: (),
        fk.metrics.idle: (DAY,),
        fk.metrics.maintenance: (DAY,),
        fk.metrics.age_and_value: (DAY,),
        fk.metrics.expired_totals: (),
    }.items():
        named = metric(equipment, *loaded, *further)
        assert metric(equipment, *numbered, *further, **_zone(further)).equals(named), metric
    of_numbers, of_ids = (
        fk.metrics.aircraft(equipment, bridge) for bridge in (numbered[1], loaded[1])
    )
    assert of_numbers.equals(of_ids)


def _zone(further):
    """Return the zone that frames of Polars don't carry, for metrics that take one."""
    return {"tz": "UTC"} if further else {}


def test_every_flight_has_a_number_and_the_same_one_in_the_bridge(fleet, monkeypatch):
    monkeypatch.setattr(numbering, "ROWS", 50)
    flights, bridge = (frame.collect() for frame in numbered_flights(fleet, "polars"))
    assert flights["flight_id"].to_list() == list(range(300))
    assert bridge["flight_id"].to_list() == sorted(bridge["flight_id"].to_list())  # as they say
    assert len(bridge) == len(fleet.flight_equipment())
    assert set(bridge["flight_id"]) <= set(flights["flight_id"])
    quarter = fleet.period("2026-Q3")
    part, pairs = numbered_flights(fleet, "polars", Ends(quarter.since, quarter.until))
    assert len(part.collect()) == len(fleet.flights(quarter))
    assert len(pairs.collect()) == len(fleet.flight_equipment(quarter))
    moments = sorted(flights["flight_date"])
    monkeypatch.setattr(numbering, "ROWS", 1)  # each month by itself, the first and last cut
    part, pairs = (
        frame.collect()
        for frame in numbered_flights(fleet, "polars", Ends(moments[40], moments[140]))
    )
    assert len(set(part["flight_id"])) == len(part) == 100
    assert set(pairs["flight_id"]) == set(part["flight_id"])
    # The same moments by a clock that is 14 hours ahead, where the first lies in the month after.
    ahead = ZoneInfo("Pacific/Kiritimati")
    first = next(n for n, when in enumerate(moments) if when.month != when.astimezone(ahead).month)
    ends = Ends(*(moments[place].astimezone(ahead) for place in (first, first + 100)))
    shifted = numbered_flights(fleet, "polars", ends)[0].collect()
    assert sorted(shifted["flight_date"]) == moments[first : first + 100]


def test_notebooks_share_what_one_of_them_made_and_wait_while_it_does(fleet, tmp_path, monkeypatch):
    def rows_of(months):
        flown, listed = numbered_months(fleet.mirror, months, "flights", "bridge")
        return flown.rows(), sorted(listed.rows())

    groups = fleet.mirror.months_together(50)
    alone = [rows_of(months) for months in groups]
    monkeypatch.chdir(tmp_path)
    SHARED.mkdir()
    for _ in range(2):  # the first time they are made
        assert [rows_of(months) for months in groups] == alone
    for bridge in SHARED.glob("*.bridge.arrow"):  # as after a crash between two files
        bridge.unlink()
    with ThreadPoolExecutor(1) as pool:
        with locks.locked(SHARED):
            waiting = pool.submit(rows_of, groups[0])
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.3)
        assert waiting.result() == alone[0]


def test_a_filtered_fleet_and_other_engines_keep_the_ids_of_flights(fleet):
    ids = set(fleet.flights()["flight_id"])
    for narrowed, engine in ((fleet.where(type="DRONE"), "polars"), (fleet, "duckdb")):
        flights, _ = numbered_flights(narrowed, engine)
        assert set(fk.metrics.collect(flights)["flight_id"]) <= ids


def test_aircraft_are_found_by_what_flew_alone_as_by_all_pairs(fleet, monkeypatch):
    monkeypatch.setattr(numbering, "ROWS", 50)
    equipment, bridge = fleet.equipment(), fleet.flight_equipment()
    listed = bridge["flight_id"].map(bridge["flight_id"].value_counts())
    alone = fk.reports.unaccompanied_pairs(fleet, "polars").collect()
    assert sorted(alone["equipment_id"]) == sorted(bridge.loc[listed == 1, "equipment_id"].unique())
    found = fk.metrics.aircraft(equipment, alone)
    assert 0 < len(found) < len(equipment)
    assert found.equals(fk.metrics.aircraft(equipment, bridge))


def test_a_camera_that_a_later_sync_adds_to_a_flight_has_not_flown_alone(tmp_path):
    logs = {"flights": [a_flight(1), a_flight(2)], "equipment": [{"id": "eq_1"}, {"id": "eq_2"}]}
    for camera in ((), ("fl_1",)):  # its row stands in the mirror behind that of fl_2
        write(tmp_path, **logs, camera=camera)
    fleet = fk.open_mirror(tmp_path)
    _, bridge = numbered_flights(fleet, "polars")
    assert bridge.collect()["flight_id"].to_list() == [0, 0, 1]
    assert unaccompanied_pairs(fleet, "polars").collect()["equipment_id"].to_list() == ["eq_1"]


def test_declared_types_of_aircraft_and_narrowed_fleets_need_no_pairs_found(fleet):
    declared = fk.open_mirror(fleet.mirror.path, settings={"aircraft_types": ["DRONE"]})
    for given in (declared, fleet.where(type="DRONE")):
        pairs = fk.metrics.collect(fk.reports.unaccompanied_pairs(given, "polars"))
        assert len(pairs) == len(given.flight_equipment())


def test_parts_hold_each_flight_once(fleet, monkeypatch):
    for module in (numbering, in_memory):
        monkeypatch.setattr(module, "ROWS", 20)
    parts = fk.reports.flights_in_parts(fleet, "polars")
    assert len(parts) > 1
    ids = [name for flights, _ in parts for name in flights.collect()["flight_id"]]
    assert sorted(ids) == sorted(fleet.flights()["flight_id"])
    for flights, bridge in parts:
        assert set(flights.collect()["flight_id"]) <= set(bridge.collect()["flight_id"])
    assert fk.reports.flights_in_parts(fleet, "duckdb") == []


def test_notebooks_before_and_after_a_sync_read_the_same_of_the_version_they_report_on(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    SHARED.mkdir()

    def sync(day):
        fk.demo(as_of=day, equipment=16, flights=300).sync("mirror", details=False)

    def read():
        fleet = fk.open_mirror("mirror", version=1)
        flights, bridge = (frame.collect() for frame in numbered_flights(fleet, "polars"))
        parts, equipment = fk.reports.flights_in_parts(fleet, "polars"), fleet.equipment()
        alone = fk.metrics.aircraft(equipment, unaccompanied_pairs(fleet, "polars"))
        checks, *_ = fk.metrics.data_quality_of_parts(
            parts, equipment, fleet.projects(), ["2026-10"], as_of="2026-11-18", aircraft=alone
        )
        rows = checks.astype(object).fillna("").to_dict("records")  # missing values are equal so
        return sorted(flights.rows()), sorted(bridge.rows()), rows

    sync(date(2026, 11, 18))
    before = read()
    sync(date(2026, 11, 19))
    assert read() == before


def test_a_narrowed_fleet_is_one_part_where_few_flights_are_left(fleet, monkeypatch):
    training = fleet.where(flight_type="TRAINING")
    left = len(training.flights())
    assert 1 < left < 100
    for module in (numbering, in_memory):  # a mirror of 300 flights is a large one
        monkeypatch.setattr(module, "ROWS", left)
    [(flights, bridge)] = fk.reports.flights_in_parts(training, "polars")
    assert sorted(flights.collect()["flight_id"]) == sorted(training.flights()["flight_id"])
    assert len(bridge.collect()) == len(fleet.flight_equipment())
    monkeypatch.setattr(numbering, "ROWS", left - 1)
    assert fk.reports.flights_in_parts(training, "polars") == []


def test_what_one_notebook_of_a_report_numbered_another_one_reads(fleet, tmp_path, monkeypatch):
    mirror = shutil.copytree(fleet.mirror.path, tmp_path / "mirror")
    flights, bridge = (frame.collect() for frame in numbered_flights(fleet, "polars"))
    monkeypatch.chdir(tmp_path)
    Path(".numbered").mkdir()
    copied = fk.open_mirror(mirror)
    numbered_flights(copied, "polars")
    for file in mirror.glob("flight*/*/*.parquet"):
        file.unlink()
    for given, kept in zip(numbered_flights(copied, "polars"), (flights, bridge), strict=True):
        assert given.collect().equals(kept)
    assert len(fk.reports.unaccompanied_pairs(copied, "polars").collect()) > 0


def test_what_flew_the_first_or_the_last_flight_alone_flew_alone(serve_records, tmp_path):
    flown = [("fl_1", "eq_kestrel"), ("fl_2", "eq_spare")]
    flights = [flight for flight in TINY["flights"] if flight["id"] in dict(flown)]
    served = serve_records(TINY | {"flights": flights, "flight_equipment": flown})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(tmp_path / "mirror", details=False)
    known = fk.open_mirror(tmp_path / "mirror").mirror
    [months] = known.months_together(50)
    [alone] = numbered_months(known, months, "unaccompanied")
    assert sorted(alone["equipment_id"]) == ["eq_kestrel", "eq_spare"]
