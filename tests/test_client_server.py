"""The same records come whatever the reference leaves open: every dial, every setting."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from datetime import UTC, datetime

import pytest
from conftest import TINY, a_flight, a_project, an_equipment

from fleetkit.client import Client
from fleetkit.errors import Forbidden, NotFound, Unauthorized
from fleetkit.server import Dials
from fleetkit.server.dials import FAULTS

# Lists of several pages: 230 flights of one drone, 30 of them its camera's too, 210 projects.
FLIGHTS = [
    a_flight(f"fl_{n:03}", f"2026-10-{1 + n // 24:02}T{n % 24:02}:00:00.000Z") for n in range(230)
]
MANY = {
    "equipment": [an_equipment("eq_drone"), an_equipment("eq_camera"), an_equipment("eq_spare")],
    "flights": FLIGHTS,
    "flight_equipment": [
        *((flight["id"], "eq_drone") for flight in FLIGHTS),
        *((flight["id"], "eq_camera") for flight in FLIGHTS[:30]),
    ],
    "projects": [a_project(f"proj_{n:03}") for n in range(210)],
    "services": TINY["services"],
}
CHOICES = [
    {field.name: setting}
    for field in fields(Dials)
    if isinstance(field.default, str)
    for setting in field.metadata["settings"]
]
QUOTAS = [
    {"quota": 6, "window": 0.5, "retry_after": retry_after, **style}
    for retry_after in (True, False)
    for style in (
        {"reset_style": "seconds"},
        {"reset_style": "iso", "rate_limit_names": "minute"},
        {"reset_style": "epoch", "over_quota": "503"},
    )
]
FAULTY = [{fault: 0.2} for fault in FAULTS]
MOVING = [{"shifting": 1}, {"shifting": 2}, {"shifting": 3}, {"latency": 0.01}]
LAYOUTS = [choice for choice in CHOICES if "error_layout" in choice]


def by_id(records):
    return sorted(records, key=lambda record: record["id"])


def rows(pages):
    return by_id(row for page in pages for row in json.loads(page)["data"])


def everything(client):
    flights = client.flight_pages(["eq_drone", "eq_camera", "eq_spare"])
    return {
        "equipment": rows(client.pages("equipment_list")),
        "flights": {id: rows(pages) for id, pages in flights},
        "projects": [project["id"] for project in rows(client.pages("project_list"))],
        "services": rows(client.pages("service_list")),
        "details": [json.loads(body)["data"] for _, body in client.records("project", DETAILS)],
    }


DETAILS = ["proj_007"]
HELD = {
    "equipment": by_id(MANY["equipment"]),
    "flights": {"eq_drone": FLIGHTS, "eq_camera": FLIGHTS[:30], "eq_spare": []},
    "projects": [f"proj_{n:03}" for n in range(210)],
    "services": by_id(TINY["services"]),
    "details": [MANY["projects"][7]],
}


def named(dials):
    return ",".join(f"{name}={value}" for name, value in dials.items())


def read(served):
    with Client(served.base_url, served.api_key, timeout=10) as client:
        return everything(client)


@pytest.mark.slow
@pytest.mark.parametrize("dials", CHOICES, ids=named)
def test_the_same_records_come_under_every_setting_of_every_dial(serve_records, dials):
    assert read(serve_records(MANY, Dials(**dials))) == HELD


@pytest.mark.slow
@pytest.mark.parametrize("group", [QUOTAS, FAULTY, MOVING], ids=["quota", "faults", "moves"])
def test_the_same_records_come_under_quotas_faults_and_moves(serve_records, group):
    servers = [serve_records(MANY, Dials(**dials)) for dials in group]
    with ThreadPoolExecutor(len(group)) as pool:  # side by side, since each of them waits a lot
        for dials, received in zip(group, pool.map(read, servers), strict=True):
            assert (dials, received) == (dials, HELD)


@pytest.mark.parametrize("dials", LAYOUTS, ids=named)
def test_a_missing_scope_is_named_in_every_layout_of_errors(serve_records, dials):
    served = serve_records(TINY, Dials(**dials))
    key = served.store.create_key(served.organisation, name="few", scopes=["service:read"])
    with (
        Client(served.base_url, key) as client,
        pytest.raises(Forbidden, match="project:read") as caught,
    ):
        client.pages("project_list")
    assert (caught.value.scope, caught.value.code) == ("project:read", "FORBIDDEN")


@pytest.mark.parametrize("status", ["401", "403"])
def test_an_expired_key_is_refused_whatever_its_status(serve_records, status):
    served = serve_records(TINY, Dials(expired_key=status))
    over = datetime(2026, 1, 1, tzinfo=UTC)
    key = served.store.create_key(served.organisation, name="old", expires=over)
    with Client(served.base_url, key) as client, pytest.raises(Unauthorized) as caught:
        client.pages("project_list")
    assert caught.value.status == int(status)


def test_another_organisations_records_are_not_found(tiny):
    theirs = tiny.store.create_key(tiny.store.create_organisation("Others"), name="theirs")
    with Client(tiny.base_url, theirs) as client:
        with pytest.raises(NotFound, match="GET /v1/equipment/eq_kestrel"):
            client.record("equipment", "eq_kestrel")
        with pytest.raises(NotFound, match="GET /v1/equipment/eq_kestrel/flights"):
            list(client.flight_pages(["eq_kestrel"]))
