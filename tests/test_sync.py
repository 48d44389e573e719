"""A sync reads what moved, proves that the rest stands, and says what it did.

The organisation is ``TINY`` of conftest.py: Kestrel 1 logged fl_1 to fl_5, Camera 1 was on fl_1
and fl_2, Kestrel 2 never flew; three projects, two services. Its lists are one page each, so a
sync that reads nothing else takes 3 requests, and one that reads all takes 9: three lists, three
pieces of equipment, three projects by id.
"""

from __future__ import annotations

import asyncio
import math
import shutil
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pandas as pd
import pytest
from a_service import (
    assert_in_step,
    assert_same,
    before,
    change,
    counts,
    failing,
    mirrored,
    record_of,
    served_whole,
    withdraw,
)
from conftest import (
    TINY,
    a_flight,
    a_project,
    a_service,
    a_tier,
    an_equipment,
    counted,
    serving,
)

import fleetkit as fk
from fleetkit import mirror, schema, tables
from fleetkit.client import Client
from fleetkit.fleet.core import Fleet
from fleetkit.fleet.live import LiveSource
from fleetkit.mirror.plan import Plan
from fleetkit.mirror.store import Unproven
from fleetkit.server import create_app
from fleetkit.server.running import running

pytestmark = pytest.mark.slow

OCTOBER = (datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 10, 31, tzinfo=UTC))
LATER = "2026-11-03T08:00:00.000Z"


@pytest.fixture(scope="module")
def address():
    """Serve at one address one organisation after the other; yield it, and what is served."""
    shown = SimpleNamespace(app=None)

    async def app(scope, receive, send):
        await shown.app(scope, receive, send)

    with running(app) as base_url:
        yield base_url, shown


def at(address, served):
    """Let the address serve this organisation too; return it as served there."""
    base_url, shown = address
    shown.app = create_app(served.store)
    return replace(served, base_url=base_url)


@pytest.fixture
def served(address, serve_records, tiny_records):
    return at(address, serve_records(tiny_records))


@pytest.fixture(scope="module")
def first_sync(address, tmp_path_factory):
    """Return a mirror after a sync of ``TINY``; nobody may change it."""
    path = tmp_path_factory.mktemp("first") / "mirror"
    with ExitStack() as stack:
        served = at(address, serving(stack, TINY))
        with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
            fleet.sync(path)
    return path


@pytest.fixture
def synced(first_sync, served, path):
    """Return a copy of that mirror; what it was made of is served again."""
    shutil.copytree(first_sync, path)
    return path


@pytest.fixture
def fleet(served):
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        yield fleet


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mirror"


def kestrel(**fields):
    return record_of("equipment", "eq_kestrel", **fields)


def camera(**fields):
    return record_of("equipment", "eq_camera", **fields)


def spare(**fields):
    return record_of("equipment", "eq_spare", **fields)


def flight(identifier, **fields):
    return record_of("flights", identifier, **fields)


# -- what is read ---------------------------------------------------------------------------


def test_the_first_sync_reads_everything(served, fleet, path):
    report = fleet.sync(path, audit=0)
    assert (report.version, report.read, report.skipped) == (1, {"new": 3}, 0)
    assert report.requests == 9
    assert_in_step(path, served)


def test_a_first_sync_begins_flights_before_it_has_read_the_other_lists(served, path):
    whole, begun = create_app(served.store), asyncio.Event()

    async def app(scope, receive, send):
        if scope["path"].endswith("/flights"):
            begun.set()
        if scope["path"].endswith("/projects"):
            await asyncio.wait_for(begun.wait(), 10)
        await whole(scope, receive, send)

    with running(app) as base_url, fk.connect(base_url, served.api_key) as fleet:
        assert fleet.sync(path, details=False).requests == 6


def test_a_sync_is_of_the_moment_when_it_began_to_read(served, path):
    """Else a month that ends while it reads would be over, without flights logged meanwhile."""
    asked, whole = [], create_app(served.store)

    async def app(scope, receive, send):
        if scope["type"] == "http":
            asked.append(datetime.now(UTC))
        await whole(scope, receive, send)

    with running(app) as base_url, fk.connect(base_url, served.api_key) as fleet:
        report = fleet.sync(path)
    state = mirror.open(path)
    assert report.fetched_at == state.fetched_at == state.moment <= asked[0]


def test_without_changes_only_the_pages_of_the_lists_are_asked_for(served, fleet, path):
    change(served, projects=[a_project(f"proj_{number:03d}") for number in range(98)])
    fleet.sync(path, audit=0)
    report = fleet.sync(path, audit=0)
    # One page of equipment, two of 101 projects, one request for the services.
    assert (report.requests, report.read, report.skipped) == (4, {}, 3)
    assert not report.changed
    assert_in_step(path, served)


@pytest.mark.parametrize(
    "counter", [{"updatedAt": LATER}, {"totalFlights": 6}, {"totalFlightHours": 1.9}]
)
def test_a_piece_with_one_counter_that_moved_is_read_whole_and_no_other(
    served, fleet, synced, counter
):
    withdraw(served, flights=["fl_4"])
    change(
        served,
        equipment=[kestrel(**counter)],
        flights=[flight("fl_3", durationSeconds=901), a_flight("fl_6", LATER)],
        flight_equipment=[("fl_6", "eq_kestrel")],
    )
    report = fleet.sync(synced, audit=0)
    assert (report.requests, report.read, report.skipped) == (4, {"moved": 1}, 2)
    assert counts(report, "flights") == (1, 1, 1)
    assert_in_step(synced, served)


def test_the_fingerprint_is_that_of_a_whole_read_of_the_same(served, fleet, synced, tmp_path):
    withdraw(served, flights=["fl_4"])
    change(
        served,
        equipment=[kestrel(updatedAt=LATER)],
        flights=[flight("fl_3", durationSeconds=901), a_flight("fl_6", LATER)],
        flight_equipment=[("fl_6", "eq_kestrel")],
    )
    report = fleet.sync(synced, audit=0)
    assert report.read == {"moved": 1}
    assert report.fingerprint == fleet.sync(tmp_path / "new").fingerprint


@pytest.mark.parametrize("changed", [{"updatedAt": None}, {}], ids=["undated", "dated"])
def test_equipment_without_any_counter_is_read_each_time(
    serve_records, tiny_records, path, changed
):
    silent = {"totalFlights": None, "totalFlightHours": None}
    tiny_records["equipment"][1] |= silent | changed
    served = serve_records(tiny_records)
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(path, audit=0)
        assert fleet.sync(path, audit=0).read == {"uncounted": 1}
        change(served, flights=[flight("fl_1", durationSeconds=10)])
        assert fleet.sync(path, audit=0).read == {"shared": 1, "uncounted": 1}
    assert_in_step(path, served)


def test_new_equipment_is_read_and_vanished_equipment_takes_its_flights_along(
    served, fleet, synced
):
    withdraw(served, equipment=["eq_kestrel"])
    change(
        served,
        equipment=[an_equipment("eq_new", totalFlights=1)],
        flights=[a_flight("fl_6", LATER)],
        flight_equipment=[("fl_6", "eq_new")],
    )
    report = fleet.sync(synced, audit=0)
    # The camera must tell whether it still holds the two flights that Kestrel 1 no longer does.
    assert (report.read, report.skipped) == ({"new": 1, "shared": 1}, 1)
    assert counts(report, "flights") == (1, 0, 3)
    assert counts(report, "flight_equipment") == (1, 0, 5)
    assert_in_step(synced, served)


def test_a_flight_that_goes_to_another_drone_changes_the_bridge_alone(served, fleet, synced):
    withdraw(served, flight_equipment=[("fl_4", "eq_kestrel")])
    change(
        served,
        equipment=[kestrel(totalFlights=4), spare(totalFlights=1)],
        flight_equipment=[("fl_4", "eq_spare")],
    )
    report = fleet.sync(synced, audit=0)
    assert (report.requests, report.read, report.skipped) == (5, {"moved": 2}, 1)
    assert counts(report, "flights") == (0, 0, 0)
    assert counts(report, "flight_equipment") == (1, 0, 1)
    assert_in_step(synced, served)


def test_a_shared_flight_is_read_from_every_piece_that_logged_it(served, fleet, synced):
    change(
        served,
        equipment=[camera(updatedAt=LATER)],
        flights=[flight("fl_1", durationSeconds=1900)],
        projects=[a_project("proj_quarry", title="Quarry", updatedAt=LATER)],
    )
    report = fleet.sync(synced, audit=0)
    # One request more for the details of the project, however often flights are read.
    assert (report.requests, report.read, report.skipped) == (6, {"moved": 1, "shared": 1}, 1)
    assert counts(report, "flights") == (0, 1, 0)
    assert "1 piece of equipment sharing a changed flight" in repr(report)
    assert_in_step(synced, served)


def test_a_shared_flight_that_leaves_one_piece_stays_with_the_other(served, fleet, synced):
    withdraw(served, flight_equipment=[("fl_2", "eq_camera")])
    change(served, equipment=[camera(totalFlights=1)])
    report = fleet.sync(synced, audit=0)
    assert report.read == {"moved": 1, "shared": 1}
    assert counts(report, "flights") == (0, 0, 0)
    assert counts(report, "flight_equipment") == (0, 0, 1)
    assert_in_step(synced, served)


def test_a_flight_that_changes_its_month_moves_in_both_tables(served, fleet, synced):
    offline = fk.open_mirror(synced)
    assert len(offline.flights("2026-09")) == len(offline.flight_equipment("2026-09")) == 1
    change(
        served,
        equipment=[kestrel(updatedAt=LATER)],
        flights=[flight("fl_5", flightDate="2026-10-02T00:00:00.000Z")],
    )
    report = fleet.sync(synced, audit=0)
    assert counts(report, "flights") == (0, 1, 0)
    assert counts(report, "flight_equipment") == (0, 1, 0)
    assert_in_step(synced, served)
    offline = fk.open_mirror(synced)
    assert len(offline.flights("2026-09")) == len(offline.flight_equipment("2026-09")) == 0
    assert offline.flights("2026-10")["flight_id"].tolist() == ["fl_1", "fl_5", "fl_2", "fl_3"]
    bridge = mirror.open(synced).table("flight_equipment", *OCTOBER)
    assert bridge["flight_id"].tolist() == ["fl_1", "fl_1", "fl_2", "fl_2", "fl_3", "fl_5"]


def test_full_reads_everything_whatever_the_counters_say(served, fleet, synced):
    change(served, flights=[flight("fl_3", durationSeconds=901)])
    report = fleet.sync(synced, audit=0, full=True)
    assert (report.requests, report.read, report.skipped) == (9, {"full": 3}, 0)
    assert counts(report, "flights") == (0, 1, 0)
    assert_in_step(synced, served)


# -- copies of a flight that differ -----------------------------------------------------------


def copy_of(seconds, updated):
    return (
        b'{"success":true,"data":[{"id":"fl_1","flightDate":"2026-10-01","durationSeconds":%d,'
        b'"updatedAt":"2026-10-%02d"}]}' % (seconds, updated)
    )


def frames_of(**copies):
    """Return tables of two pieces of equipment, and of the flights that `copies` show."""
    reader = tables.FlightReader()
    for piece, page in copies.items():
        reader.add(piece, page)
    flights, bridge = reader.finish()
    pieces = pd.DataFrame({"equipment_id": ["eq_a", "eq_b"], "total_flights": [1, 1]})
    empty = ("specifications", "projects", "services", "tiers")
    return {
        "equipment": tables.conform("equipment", pieces),
        "flights": tables.conform("flights", flights),
        "flight_equipment": tables.conform("flight_equipment", bridge),
        **{name: tables.empty(name) for name in empty},
    }


def write(path, frames, plan=None, source="http://here"):
    return mirror.write(path, frames, source=source, tz="UTC", requests=0, missing={}, plan=plan)


def test_of_two_copies_the_newest_wins_whichever_is_read(path):
    older, newer, newest = copy_of(100, 1), copy_of(200, 2), copy_of(300, 3)
    write(path, frames_of(eq_a=newer, eq_b=older))
    assert mirror.open(path).table("flights")["duration_seconds"].tolist() == [200]

    with pytest.raises(mirror.Unproven) as missing:
        write(path, frames_of(eq_b=older), mirror.Plan({"eq_b": "audit"}))
    assert missing.value.flights == {"eq_a": "shared"}

    both = mirror.Plan({"eq_b": "audit"}).with_more(missing.value)
    assert both.flights == {"eq_a": "shared", "eq_b": "audit"}
    assert not write(path, frames_of(eq_a=newer, eq_b=older), both).changed
    report = write(path, frames_of(eq_a=newer, eq_b=newest), both)
    assert counts(report, "flights") == (0, 1, 0)
    assert mirror.open(path).table("flights")["duration_seconds"].tolist() == [300]


def test_a_tenth_of_thirty_pieces_is_three(path):
    frames = {name: tables.empty(name) for name in schema.TABLES}
    pieces = pd.DataFrame({"equipment_id": [f"eq_{n:02d}" for n in range(30)], "total_flights": 0})
    frames["equipment"] = tables.conform("equipment", pieces)
    write(path, frames)
    plan = mirror.plan(path, frames, audit=0.1)
    assert plan.flights == dict.fromkeys(["eq_00", "eq_01", "eq_02"], "audit")
    assert mirror.plan(path, frames, audit=0.5).audit == 0.5  # of the months, too


def test_a_plan_keeps_its_reasons_where_more_is_to_be_read_and_names_what_was_read_before():
    plan = Plan(flights=dict.fromkeys(["eq_2", "eq_1", "eq_0"], "moved"), details={"proj_1": "new"})
    asked = {"flights": {"eq_1": "shared", "eq_3": "shared"}, "details": {"proj_1": "moved"}}
    more = plan.with_more(Unproven(**asked))
    assert more.read().flights == {"moved": ["eq_0", "eq_1", "eq_2"], "shared": ["eq_3"]}
    assert more.details == {"proj_1": "new"}
    assert replace(plan, details=None).with_more(Unproven(**asked)).details is None
    resumed = more.with_resumed({"eq_1", "eq_9"})
    assert list(resumed.read().flights.items()) == [
        *(("moved", ["eq_0", "eq_2"]), ("resumed", ["eq_1"]), ("shared", ["eq_3"]))
    ]


# -- project details --------------------------------------------------------------------------


def test_details_are_read_of_projects_whose_row_moved(served, fleet, synced):
    change(
        served,
        projects=[record_of("projects", "proj_roof", status="CANCELLED", crmDealName="Roof")],
    )
    report = fleet.sync(synced, audit=0)
    assert report.requests == 4
    assert counts(report, "projects") == (0, 1, 0)
    assert_in_step(synced, served)


def test_details_can_be_left_out_and_asked_for_again(served, fleet, path):
    assert fleet.sync(path, audit=0, details=False).requests == 6
    assert "crm_deal_name" not in mirror.open(path).table("projects")
    assert fleet.sync(path, audit=0).requests == 6
    assert_in_step(path, served)
    change(served, projects=[record_of("projects", "proj_bridge", title="Bridge", crmDealName="B")])
    report = fleet.sync(path, audit=0, details=False)
    assert (report.requests, counts(report, "projects")) == (3, (0, 1, 0))
    fleet.sync(path, audit=0)
    assert_in_step(path, served)


@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_a_number_of_a_field_that_holds_texts_elsewhere_does_not_change_when_read_apart(
    serve_records, tiny_records, path
):
    """Read with the texts it stands as it came; among numbers alone it has another form."""
    cells = {"fl_1": 6, "fl_2": 6.0, "fl_3": 7.5, "fl_4": None, "fl_5": 0}
    for flight in tiny_records["flights"]:
        flight["cells"] = cells[flight["id"]]
        flight["wind"] = 7.5 if flight["id"] == "fl_1" else 6  # numbers alone
    tiny_records["flights"].append(a_flight("fl_6", "2026-10-02T09:00:00.000Z", cells="6S"))
    tiny_records["flight_equipment"].append(("fl_6", "eq_spare"))
    for project, weather in zip(tiny_records["projects"], (4, "dry", 4.0), strict=True):
        project["weather"] = weather
    served = serve_records(tiny_records)
    moved = {"updatedAt": "2026-11-03T08:00:00.000Z"}
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(path)
        assert mirror.open(path).table("flights")["cells"].tolist()[:2] == ["6", "6.0"]
        bridge, roof = tiny_records["projects"][0] | moved, tiny_records["projects"][2] | moved
        pieces = [record_of("equipment", f"eq_{name}", **moved) for name in ("kestrel", "camera")]
        change(served, equipment=pieces, projects=[bridge, roof, a_project("proj_new", weather=5)])
        report = fleet.sync(path, audit=0)
        assert report.read["moved"] == 2
        assert counts(report, "flights") == (0, 0, 0)
        assert set(mirror.open(path).changes("projects")["field"].dropna()) == {"updated_at"}
        assert mirror.open(path).table("projects")["weather"].tolist() == ["4", "5", "dry", "4.0"]
        assert_in_step(path, served)
        change(served, flights=[{**tiny_records["flights"][5], "cells": 5}])
        fleet.sync(path, full=True)  # numbers alone
        assert mirror.open(path).table("flights")["cells"].dtype == "float64"
        assert_in_step(path, served)


def test_a_field_that_a_list_no_longer_gives_is_forgotten_by_the_audit(served, fleet, path):
    """It might stand in the detail records alone, so its absence from the list tells nothing."""
    change(served, projects=[record_of("projects", "proj_roof", weather="dry")])
    with pytest.warns(tables.NotInReference):
        fleet.sync(path, audit=0)
    change(served, projects=[record_of("projects", "proj_roof")])
    assert not fleet.sync(path, audit=0).changed
    assert counts(fleet.sync(path, audit=1), "projects") == (0, 1, 0)
    assert_in_step(path, served)


@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_a_field_is_forgotten_by_the_sync_that_reads_the_last_record_without_it(
    serve_records, tiny_records, path
):
    """One flight of each Kestrel had it, and two of three projects; each sync reads one of them."""
    tiny_records["flights"].append(a_flight("fl_6", "2026-10-02T09:00:00.000Z", wind=4.5))
    tiny_records["flight_equipment"].append(("fl_6", "eq_spare"))
    served = serve_records(tiny_records)
    roof, bridge = ("proj_roof", "proj_bridge")
    change(served, flights=[flight("fl_3", wind=3.5)])
    change(served, projects=[record_of("projects", name, weather="dry") for name in (roof, bridge)])
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(path)
        for without, project, piece, is_held in (
            (flight("fl_3"), roof, kestrel(updatedAt=LATER), True),
            (a_flight("fl_6", "2026-10-02T09:00:00.000Z"), bridge, spare(updatedAt=LATER), False),
        ):
            moved = record_of("projects", project, updatedAt=LATER)
            change(served, flights=[without], equipment=[piece], projects=[moved])
            assert fleet.sync(path, audit=0).skipped > 0
            columns = [*mirrored(path)["flights"], *mirrored(path)["projects"]]
            assert ("wind" in columns, "weather" in columns) == (is_held, is_held)
            assert_in_step(path, served)


# -- keys that may not read everything --------------------------------------------------------


def test_a_key_without_equipment_syncs_the_rest_and_keeps_the_rows(served, fleet, synced):
    known = mirrored(synced)
    change(
        served,
        equipment=[kestrel(totalFlights=6)],
        flights=[a_flight("fl_6", LATER)],
        flight_equipment=[("fl_6", "eq_kestrel")],
        projects=[record_of("projects", "proj_roof", status="CANCELLED")],
    )
    scopes = ["project:read", "service:read"]
    key = served.store.create_key(served.organisation, name="few", scopes=scopes)
    with fk.connect(served.base_url, key, progress=False) as few:
        report = few.sync(synced, audit=0)
    assert (report.read, report.skipped) == ({}, 0)
    unread = (
        "flights           not read: the key lacks equipment:read; 5 rows of an earlier sync stay"
    )
    assert unread in repr(report)
    assert counts(report, "projects") == (0, 1, 0)
    unchanged = ("equipment", "specifications", "flights", "flight_equipment")
    rows = mirrored(synced)
    assert_same({name: rows[name] for name in unchanged}, {name: known[name] for name in unchanged})

    assert fleet.sync(synced, audit=0).read == {"moved": 1}
    assert_in_step(synced, served)


def test_details_that_were_left_out_are_read_also_where_a_key_without_projects_synced_since(
    served, fleet, path
):
    fleet.sync(path, audit=0, details=False)
    scopes = ["equipment:read", "service:read"]
    key = served.store.create_key(served.organisation, name="few", scopes=scopes)
    with fk.connect(served.base_url, key, progress=False) as few:
        few.sync(path, audit=0)
    fleet.sync(path, audit=0)
    assert_in_step(path, served)


# -- the audit --------------------------------------------------------------------------------


def test_an_edit_of_flights_or_details_that_nothing_shows_is_found_in_turn(served, fleet, synced):
    roof = record_of("projects", "proj_roof", crmDealName="Roof")
    change(served, flights=[flight("fl_3", durationSeconds=901)], projects=[roof])
    assert not fleet.sync(synced, audit=0).changed
    reports = [fleet.sync(synced, audit=1 / 3) for _ in range(3)]
    assert [report.read for report in reports] == [{"audit": 1}] * 3
    # Three lists, one piece of equipment and one project.
    assert [report.requests for report in reports] == [5, 5, 5]
    for table in ("flights", "projects"):
        assert sum(counts(report, table)[1] for report in reports) == 1
    assert_in_step(synced, served)


def test_an_audit_of_all_finds_every_edit_at_once(served, fleet, synced):
    withdraw(served, flight_equipment=[("fl_2", "eq_camera")])
    change(
        served,
        flights=[flight("fl_3", durationSeconds=901)],
        flight_equipment=[("fl_4", "eq_spare")],
        projects=[record_of("projects", "proj_roof", crmDealName="Roof")],
    )
    report = fleet.sync(synced, audit=1)
    assert (report.requests, report.read, report.skipped) == (9, {"audit": 3}, 0)
    assert_in_step(synced, served)


def test_ten_syncs_audit_all_equipment_by_default(serve_records, path):
    pieces = [f"eq_{number:02d}" for number in range(23)]
    flights = [a_flight(f"fl_{piece}", "2026-10-01") for piece in pieces]
    served = serve_records(
        {
            "equipment": [an_equipment(piece, totalFlights=1) for piece in pieces],
            "flights": flights,
            "flight_equipment": [(f"fl_{piece}", piece) for piece in pieces],
        }
    )
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(path)
        change(served, flights=[{**flight, "durationSeconds": 7} for flight in flights])
        reports = [fleet.sync(path) for _ in range(10)]
    # Three each time, until all 23 had their turn and the first are due again.
    assert [report.read for report in reports] == [{"audit": 3}] * 10
    assert [counts(report, "flights")[1] for report in reports] == [3, 3, 3, 3, 3, 3, 3, 2, 0, 0]
    assert_in_step(path, served)


def test_four_syncs_that_audit_a_quarter_audit_all_also_where_half_of_it_vanishes_meanwhile(
    serve_records, path
):
    pieces = [f"eq_{number}" for number in range(8)]
    served = serve_records(
        {
            "equipment": [an_equipment(piece, totalFlights=1) for piece in pieces],
            "flights": [a_flight("fl_1", "2026-10-01")],
            "flight_equipment": [("fl_1", pieces[-1])],
        }
    )
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(path)
        change(served, flights=[a_flight("fl_1", "2026-10-01", durationSeconds=7)])
        reports = [fleet.sync(path, audit=1 / 4) for _ in range(2)]
        withdraw(served, equipment=pieces[:4])
        reports += [fleet.sync(path, audit=1 / 4) for _ in range(2)]
    assert [report.read for report in reports] == [{"audit": 2}] * 4
    assert [counts(report, "flights")[1] for report in reports] == [0, 0, 0, 1]


@pytest.mark.parametrize("audit", [-0.1, 1.1, math.nan])
def test_a_share_that_is_none_is_refused_before_anything_is_asked(served, path, audit):
    with counted(served) as (base_url, asked), fk.connect(base_url, served.api_key) as fleet:
        with pytest.raises(fk.InvalidValue, match=r"is not a share\. Give 0 to 1"):
            fleet.sync(path, audit=audit)
        assert asked == []
    assert not path.exists()


# -- what is said -----------------------------------------------------------------------------


def test_a_report_says_what_was_read_and_why_and_what_was_not(served, fleet, synced):
    change(served, equipment=[spare(updatedAt=LATER)])
    lines = repr(fleet.sync(synced, audit=1 / 3)).splitlines()
    assert lines[0].startswith(f"Mirror {synced}: version 2 (")
    assert lines[0].endswith(" UTC, 6 requests)")
    assert [line for line in lines[1:8] if ":" in line] == ["  equipment         3 rows: 1 changed"]
    assert lines[8:] == [
        "  Flights read whole: 1 piece of equipment in turn, 1 piece of equipment that moved.",
        "  Skipped: 1 piece of equipment, whose totalFlights, totalFlightHours and updatedAt "
        "are what they were when their flights were read.",
    ]
    assert "nothing changed (" in repr(fleet.sync(synced, audit=0))


def test_a_report_names_stages_conditions_and_prices_that_changed(served, fleet, synced):
    change(
        served,
        equipment=[spare(status="ACTIVE", condition="GOOD", name="Kestrel II")],
        projects=[record_of("projects", "proj_roof", status="CANCELLED", agreedPrice=1)],
        services=[
            a_service("svc_survey", a_tier("tier_1", 1, 0), a_tier("tier_2", 2, 15)),
            a_service("svc_photo", displayOrder=2, baseRate=850, currency="GBP"),
        ],
    )
    report = fleet.sync(synced, audit=0)
    assert {
        (change.table, change.id, change.field, change.old, change.new)
        for change in report.field_changes
    } == {
        ("equipment", "eq_spare", "status", "MAINTENANCE", "ACTIVE"),
        ("equipment", "eq_spare", "condition", "FAIR", "GOOD"),
        ("projects", "proj_roof", "status", "COMPLETED", "CANCELLED"),
        ("services", "svc_photo", "base_rate", 800.0, 850.0),
        ("services", "svc_photo", "currency", "EUR", "GBP"),
        ("tiers", "svc_survey/tier_2", "price_modifier_percent", 12.5, 15.0),
    }
    assert "  Status of proj_roof (proj_roof): COMPLETED → CANCELLED" in repr(report).splitlines()
    assert "  Condition of Kestrel II (eq_spare): FAIR → GOOD" in repr(report).splitlines()


@pytest.mark.parametrize(
    ("name", "shown"), [("north\n\x1bharbour \u202e", "north harbour"), ("\u200b", "Kestrel 2")]
)
def test_a_change_is_one_line_whatever_the_record_is_called(served, fleet, synced, name, shown):
    change(served, equipment=[spare(condition="GOOD", name=name)])
    last = repr(fleet.sync(synced, audit=0)).splitlines()[-1]
    assert last == f"  Condition of {shown} (eq_spare): FAIR → GOOD"


def test_more_changes_than_fit_are_counted(served, fleet, path):
    projects = [a_project(f"proj_{number:02d}") for number in range(25)]
    change(served, projects=projects)
    fleet.sync(path, audit=0, details=False)
    change(served, projects=[{**project, "status": "CANCELLED"} for project in projects])
    report = fleet.sync(path, audit=0, details=False)
    assert len(report.field_changes) == 25
    assert repr(report).splitlines()[-1] == "  and 5 more; fleet.changes() has them all"


@pytest.fixture
def run(run, served):
    """Return a function that runs ``fleetkit sync``: exit code, lines printed, what was wrong."""

    def sync(*arguments, base_url=served.base_url):
        options = ("--base-url", base_url, *arguments)
        code, out, err = run("sync", "mirror", *options, key=served.api_key)
        return code, out.splitlines(), err

    return sync


def test_the_command_syncs_what_moved_and_ends_with_what_it_skipped(run, served):
    code, lines, _ = run("--audit", "0")
    assert (code, lines[-1]) == (
        0,
        "  Flights read whole: 3 pieces of equipment new to the mirror.",
    )
    change(served, projects=[record_of("projects", "proj_roof", status="CANCELLED")])
    code, lines, _ = run("--audit", "0")
    assert (code, lines[0].endswith(", 4 requests)")) == (0, True)
    assert lines[-3:] == [
        "  Flights read whole: of no equipment.",
        "  Skipped: 3 pieces of equipment, whose totalFlights, totalFlightHours and updatedAt "
        "are what they were when their flights were read.",
        "  Status of proj_roof (proj_roof): COMPLETED → CANCELLED",
    ]
    code, lines, _ = run("--full")
    assert lines[-1] == "  Flights read whole: 3 pieces of equipment because all was asked for."
    code, lines, _ = run("--audit", "1", "--no-details")
    assert (code, lines[0].endswith(", 6 requests)")) == (0, True)
    assert lines[-1] == "  Flights read whole: 3 pieces of equipment in turn."


def test_the_command_fails_with_one_where_the_mirror_stands_as_it_was(run, path):
    assert run()[0] == 0
    nowhere = "http://127.0.0.1:9"
    code, lines, wrong = run("--moved-to", nowhere, base_url=nowhere)
    assert (code, lines, len(wrong.splitlines())) == (1, [], 1)
    assert mirror.open(path).version == 1
    code, _, wrong = run("--audit", "1.5")
    assert code == 2
    assert "'1.5' is not a number from 0 to 1" in wrong


# -- what goes wrong --------------------------------------------------------------------------


def test_a_fleet_from_a_mirror_cannot_sync(fleet, path, tmp_path):
    fleet.sync(path)
    with pytest.raises(fk.InvalidValue, match="A fleet from a mirror can't sync"):
        fk.open_mirror(path).sync(tmp_path / "other")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("unread", ["/flights", "/projects/", "/services"])
def test_a_sync_that_cannot_read_everything_leaves_the_mirror_as_it_was(
    served, fleet, synced, unread, monkeypatch
):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0.0)  # no waits: all attempts are made
    known = mirrored(synced)
    change(
        served,
        equipment=[kestrel(totalFlights=4)],
        projects=[record_of("projects", "proj_roof", status="CANCELLED")],
    )
    withdraw(served, flights=["fl_4"])
    with running(failing(create_app(served.store), unread)) as base_url:
        client = Client(base_url, served.api_key)
        with Fleet(LiveSource(client)) as faulty:
            held, since = faulty.equipment(), faulty._source.read_at
            with pytest.raises(fk.ApiError):
                faulty.sync(synced, moved_to=base_url)
            # What the fleet held before is still there, of the moment when it was read.
            assert list(faulty._source.fetched.tables) == ["equipment", "specifications"]
            assert faulty._source.read_at == since
            assert faulty.equipment().equals(held)
    assert mirror.open(synced).version == 1
    assert_same(mirrored(synced), known)
    fleet.sync(synced, audit=0)
    assert_in_step(synced, served)


@pytest.mark.parametrize("vanishing", ["equipment", "projects"])
def test_a_record_that_vanishes_while_it_is_read_is_left_out(served, path, vanishing):
    identifier = {"equipment": "eq_spare", "projects": "proj_roof"}[vanishing]
    withdrawing = before(
        create_app(served.store),
        f"/{identifier}",
        lambda: withdraw(served, **{vanishing: [identifier]}),
    )
    with running(withdrawing) as base_url, fk.connect(base_url, served.api_key) as fleet:
        report = fleet.sync(path)
    assert report.tables[vanishing].rows == 2
    assert_in_step(path, served)


def test_a_record_that_is_listed_and_never_found_is_named(served, path):
    with (
        running(failing(create_app(served.store), "/proj_roof", 404)) as base_url,
        fk.connect(base_url, served.api_key) as fleet,
    ):
        for read in (lambda: fleet.sync(path), lambda: fleet.projects(details=True)):
            with pytest.raises(fk.IncompleteError, match=r"3 times in a row \(GET .*/proj_roof\)"):
                read()
    assert not path.exists()


def test_a_field_that_only_detail_records_have_moves_no_project(served, fleet, path):
    frames = served_whole(served)
    frames["projects"]["invoice_note"] = "net 30"
    write(path, frames)
    assert mirror.plan(path, lists_of(fleet), audit=0).details == {}
    assert mirror.open(path).table("projects")["invoice_note"].tolist()[0] == "net 30"


# -- syncs that overlap -----------------------------------------------------------------------


def lists_of(fleet):
    """Return the lists that every sync reads whole, as they are now."""
    fleet.refresh()
    names = ("equipment", "specifications", "projects", "services", "tiers")
    return {name: getattr(fleet, name)() for name in names}


def flights_of(fleet, pieces):
    """Return the flights and bridge rows of some equipment, as they are now."""
    fleet.refresh()
    bridge = fleet.flight_equipment()
    bridge = bridge[bridge["equipment_id"].isin(pieces)]
    flights = fleet.flights()
    flights = flights[flights["flight_id"].isin(bridge["flight_id"])]
    both = {"flights": flights, "flight_equipment": bridge}
    return {name: frame.reset_index(drop=True) for name, frame in both.items()}


def test_a_sync_with_older_lists_must_read_what_another_found_moved(served, fleet, path):
    fleet.sync(path, audit=0, details=False)
    older = lists_of(fleet)
    plan = mirror.plan(path, older, audit=0, details=False)
    assert plan.flights == {}
    change(
        served,
        equipment=[kestrel(totalFlights=6)],
        flights=[a_flight("fl_6", LATER)],
        flight_equipment=[("fl_6", "eq_kestrel")],
    )
    fleet.sync(path, audit=0, details=False)

    with pytest.raises(mirror.Outdated):
        write(path, {**older, **flights_of(fleet, [])}, plan, served.base_url)
    plan = replace(plan, base=None)
    with pytest.raises(mirror.Unproven) as missing:
        write(path, {**older, **flights_of(fleet, [])}, plan, served.base_url)
    assert missing.value.flights == {"eq_kestrel": "moved"}
    assert mirror.open(path).version == 2

    plan = plan.with_more(missing.value)
    write(path, {**older, **flights_of(fleet, ["eq_kestrel"])}, plan, served.base_url)
    opened = mirror.open(path)
    assert opened.table("equipment")["total_flights"].max() == 5
    assert len(opened.table("flights")) == 6
    # The counter of the older list differs from the service's, so the next sync reads it again.
    assert fleet.sync(path, audit=0, details=False).read == {"moved": 1}
    fleet.sync(path, audit=0)
    assert_in_step(path, served)


def test_a_sync_with_an_older_list_of_projects_must_read_their_details_again(served, fleet, synced):
    older = lists_of(fleet)
    plan = mirror.plan(synced, older, audit=0)
    assert plan.details == {}
    roof = record_of("projects", "proj_roof", status="CANCELLED", crmDealName="Roof")
    change(served, projects=[roof])
    fleet.sync(synced, audit=0)
    none = fleet.projects(details=True).iloc[:0]
    frames = {**older, **flights_of(fleet, []), mirror.PROJECT_DETAILS: none}
    with pytest.raises(mirror.Unproven) as missing:
        write(synced, frames, replace(plan, base=None), served.base_url)
    assert (missing.value.flights, missing.value.details) == ({}, {"proj_roof": "moved"})
    assert_in_step(synced, served)


def test_a_sync_starts_anew_where_another_one_came_first(served, path):
    """While it reads the services, the last list, Kestrel 1 flies and is written to the mirror."""
    overtaken = []

    def overtake():
        if overtaken:
            return
        overtaken.append(True)
        change(
            served,
            equipment=[kestrel(totalFlights=6)],
            flights=[a_flight("fl_6", LATER)],
            flight_equipment=[("fl_6", "eq_kestrel")],
        )
        write(path, served_whole(served), source=served.base_url)

    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(path, audit=0)
        overtaken_app = before(create_app(served.store), "/services", overtake)
        with (
            running(overtaken_app) as base_url,
            fk.connect(base_url, served.api_key, progress=False) as slow,
        ):
            report = slow.sync(path, audit=0, moved_to=base_url)
        assert (report.version, report.read, report.skipped) == (3, {}, 3)
        fleet.sync(path, audit=0, moved_to=served.base_url)
    assert_in_step(path, served)
    for version, rows in ((1, 5), (2, 6), (3, 6)):
        assert len(mirror.open(path, version=version).table("flights")) == rows


def test_what_the_service_shows_is_compared_with_dtypes_and_details(served):
    whole = served_whole(served)
    assert whole["projects"]["crm_deal_name"].tolist()[0] == "Bridge 2026"
    assert len(whole["flight_equipment"]) == 7
    floats = whole["flights"].astype({"duration_seconds": "float64"})
    with pytest.raises(AssertionError, match="duration_seconds"):
        assert_same({**whole, "flights": floats}, whole)
