"""Organisations can't see each other: not their records, not even that they exist."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from conftest import a_flight, a_project, a_service, an_equipment, get, serving
from sqlalchemy import event


@pytest.fixture
def serve_records(new_database):
    with ExitStack() as stack:
        yield lambda records, dials=None: serving(stack, records, dials, new_database())


BY_ID = (
    "/v1/equipment/eq_theirs",
    "/v1/equipment/eq_theirs/flights",
    "/v1/equipment/eq_theirs/flights?orderBy=date_asc",
    "/v1/projects/proj_theirs",
    "/v1/services/svc_theirs",
)


@pytest.fixture
def neighbours(serve_records, tiny_records):
    served = serve_records(tiny_records)
    theirs = served.store.create_organisation("Theirs")
    served.store.load(
        theirs,
        equipment=[an_equipment("eq_theirs"), an_equipment("eq_camera", name="Theirs")],
        flights=[a_flight("fl_1", "2026-10-05T09:00:00.000Z", operationType="THEIRS")],
        flight_equipment=[("fl_1", "eq_theirs"), ("fl_1", "eq_camera")],
        projects=[a_project("proj_theirs")],
        services=[a_service("svc_theirs")],
    )
    return served


@pytest.mark.parametrize("path", BY_ID)
def test_an_id_of_another_organisation_is_answered_like_an_unknown_one(neighbours, path):
    unknown, foreign = get(neighbours, path.replace("theirs", "nobody")), get(neighbours, path)
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.content == unknown.content
    differing = {"date", "x-ratelimit-remaining", "x-ratelimit-reset"}
    assert {k: v for k, v in foreign.headers.items() if k not in differing} == {
        k: v for k, v in unknown.headers.items() if k not in differing
    }


@pytest.mark.parametrize("path", BY_ID)
def test_an_id_of_another_organisation_takes_the_same_queries_as_an_unknown_one(neighbours, path):
    statements = []
    event.listen(
        neighbours.store.engine,
        "before_cursor_execute",
        lambda _c, _cursor, statement, *_: statements.append(statement),
    )
    get(neighbours, path)
    foreign = [statement for statement in statements if statement.startswith("SELECT")]
    statements.clear()
    get(neighbours, path.replace("theirs", "nobody"))
    assert foreign == [statement for statement in statements if statement.startswith("SELECT")]
    assert len(foreign) == 2


@pytest.mark.parametrize("table", ["equipment", "projects", "services"])
def test_lists_hold_all_of_ones_own_records_and_no_others(neighbours, tiny_records, table):
    listed = get(neighbours, f"/v1/{table}").json()["data"]
    ids = [record["id"] for record in listed]
    assert sorted(ids) == sorted(record["id"] for record in tiny_records[table])


def test_flights_that_no_list_shows_are_counted_for_each_organisation_by_itself(neighbours):
    neighbours.store.load("Theirs", flights=[a_flight("fl_9", "2026-10-05T09:00:00.000Z")])
    owners = ("Theirs", neighbours.organisation)
    assert [neighbours.store.unlisted_flights(owner) for owner in owners] == [1, 0]


def test_the_same_id_in_two_organisations_is_two_records(neighbours):
    assert get(neighbours, "/v1/equipment/eq_camera").json()["data"]["name"] == "Camera 1"
    flights = get(neighbours, "/v1/equipment/eq_camera/flights").json()["data"]
    assert [flight["operationType"] for flight in flights] == ["INSPECTION", "INSPECTION"]
    neighbours.api_key = neighbours.store.create_key("Theirs", name="theirs")
    flights = get(neighbours, "/v1/equipment/eq_camera/flights").json()["data"]
    assert [flight["operationType"] for flight in flights] == ["THEIRS"]
