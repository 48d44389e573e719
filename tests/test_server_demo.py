"""The demo organisation: invented, the same each time, and as messy as real ones."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta

import pytest

from fleetkit.errors import InvalidValue
from fleetkit.schema import (
    EQUIPMENT,
    FLIGHT,
    FLIGHT_TYPES,
    PROJECT,
    PROJECT_STATUSES,
    SERVICE,
    TIER,
)
from fleetkit.server.demo import demo_records

AS_OF = date(2026, 11, 20)
NOW = "2026-11-20T00:00:00.000Z"


@pytest.fixture(scope="module")
def demo():
    return demo_records(as_of=AS_OF)


@pytest.mark.slow
def test_it_has_the_promised_size(demo):
    assert len(demo["equipment"]) >= 60
    assert len(demo["flights"]) == 12_000
    assert len(demo["projects"]) == 150
    assert len(demo["services"]) == 8


@pytest.mark.slow
def test_seed_and_day_decide_everything():
    small = {"equipment": 16, "flights": 300, "months": 4, "as_of": AS_OF}
    assert demo_records(3, **small) == demo_records(3, **small)
    assert demo_records(3, **small) != demo_records(4, **small)


def test_records_have_exactly_the_fields_of_the_reference(demo):
    tiers = [tier for service in demo["services"] for tier in service["tiers"]]
    for record, rows in (
        (EQUIPMENT, demo["equipment"]),
        (FLIGHT, demo["flights"]),
        (PROJECT, demo["projects"]),
        (SERVICE, demo["services"]),
        (TIER, tiers),
    ):
        names = [field.name for field in record.fields]
        made = {tuple(row) for row in rows}
        assert made == {tuple(names)}, f"fleetkit/server/demo makes each {record.name} with them"
        assert all(row["id"].startswith(f"{record.prefix}_") for row in rows)
        assert len({row["id"] for row in rows}) == len(rows)


def test_thirty_months_and_the_running_one_are_flown(demo):
    months = Counter(flight["flightDate"][:7] for flight in demo["flights"])
    assert (min(months), max(months), len(months)) == ("2024-05", "2026-11", 31)
    assert months["2026-10"] > months["2026-11"] > 0
    assert months["2026-07"] > 1.5 * months["2025-12"]


def test_nothing_is_written_down_in_the_future(demo):
    for rows in (demo["flights"], demo["equipment"], demo["projects"], demo["services"]):
        assert max(row["updatedAt"] for row in rows) < NOW
        assert all(row["createdAt"] <= row["updatedAt"] for row in rows)
    assert max(flight["flightDate"] for flight in demo["flights"]) < NOW


def test_durations_are_a_drones(demo):
    minutes = sorted((flight["durationSeconds"] or 0) / 60 for flight in demo["flights"])
    assert 15 < minutes[3_000] < minutes[9_000] < 40
    missing = Counter(flight["durationSeconds"] for flight in demo["flights"])
    assert missing[None] > 0
    assert missing[0] > 0


def test_no_pilot_and_no_aircraft_is_on_two_flights_at_once(demo):
    drones = {piece["id"] for piece in demo["equipment"] if piece["type"] == "DRONE"}
    aircraft = {flight: piece for flight, piece in demo["flight_equipment"] if piece in drones}
    landed = {}
    for flight in sorted(demo["flights"], key=lambda flight: flight["flightDate"]):
        start = datetime.fromisoformat(flight["flightDate"])
        for one in {(flight["pilotInCommand"] or {}).get("id"), aircraft[flight["id"]]} - {None}:
            assert start >= landed.get(one, start)
            landed[one] = start + timedelta(seconds=flight["durationSeconds"] or 0)
    assert len(landed) > 30


def test_cameras_share_a_drones_flights_and_never_fly_alone(demo):
    kinds = {piece["id"]: piece["type"] for piece in demo["equipment"]}
    aboard = {}
    for flight, equipment in demo["flight_equipment"]:
        aboard.setdefault(flight, []).append(kinds[equipment])
    assert len(aboard) == 12_000
    assert all(types.count("DRONE") == 1 for types in aboard.values())
    assert sum("CAMERA" in types for types in aboard.values()) > 1_000


def test_it_is_as_messy_as_real_data(demo):
    flights, projects, equipment = demo["flights"], demo["projects"], demo["equipment"]
    late = [flight for flight in flights if flight["createdAt"][:7] > flight["flightDate"][:7]]
    assert len(late) > 100
    assert {flight["flightType"] for flight in flights} == set(FLIGHT_TYPES)
    assert {True, False, None} == {flight["nightFlight"] for flight in flights}
    assert sum(flight["bvlos"] is True for flight in flights) > 500
    assert len({project["currency"] for project in projects} - {None}) >= 3
    assert any(project["agreedPrice"] is None for project in projects)
    expiries = [piece["registrationExpiry"] for piece in equipment if piece["type"] == "DRONE"]
    assert None in expiries
    assert any(expiry and expiry < NOW for expiry in expiries)
    serials = [piece["serialNumber"] for piece in equipment]
    assert len(set(serials)) < len(serials)


def test_no_two_projects_have_the_same_title(demo):
    titles = Counter(project["title"] for project in demo["projects"])
    assert len(titles) == 150
    assert titles.keys() > {"Crop health, Nesbukt", "Crop health, Nesbukt 2"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [7, 8])
def test_projects_are_in_every_stage_and_some_are_late_or_stalled(seed):
    projects = demo_records(seed, as_of=AS_OF)["projects"]
    assert {project["status"] for project in projects} == set(PROJECT_STATUSES)
    waiting = {"DRAFT", "CONFIRMED", "SCHEDULED"}
    late = [
        project
        for project in projects
        if project["status"] in waiting
        and project["scheduledDate"]
        and project["scheduledDate"] < NOW
    ]
    stalled = [project for project in projects if project["status"] == "CONFIRMED"]
    assert late
    assert any(project["scheduledDate"] is None for project in stalled)


def test_counters_mostly_match_the_logs(demo):
    seconds, durations = Counter(), {}
    for log in demo["flights"]:
        durations[log["id"]] = log["durationSeconds"] or 0
    for flight, equipment in demo["flight_equipment"]:
        seconds[equipment] += durations[flight]
    differences = [
        abs(piece["totalFlightHours"] - seconds[piece["id"]] / 3600)
        for piece in demo["equipment"]
        if piece["totalFlightHours"] is not None
    ]
    matching = sum(difference <= 0.1 for difference in differences)
    assert len(differences) > matching > 0.7 * len(differences)


def test_a_demo_too_small_to_fly_is_refused():
    with pytest.raises(InvalidValue, match="at least 16"):
        demo_records(equipment=3)
