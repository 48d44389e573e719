"""An answer must fit its question; what the reference leaves open is never held against it."""

import json
from datetime import UTC, datetime

import msgspec
import pytest
from conftest import a_flight, a_project, a_service, a_tier, an_equipment
from hostile import hostile, page, records, reply
from hypothesis import given, settings
from hypothesis import strategies as st

from fleetkit import schema, tables
from fleetkit.client import Client
from fleetkit.client.matching import Row, mismatch
from fleetkit.client.request import build
from fleetkit.errors import DataError, UnexpectedAnswer

OCTOBER = {
    "date_from": datetime(2026, 10, 1, tzinfo=UTC),
    "date_to": datetime(2026, 11, 1, tzinfo=UTC),
}
NOON = "T12:00:00.000Z"
KINDS = {
    "equipment_list": an_equipment("eq_1"),
    "flights": a_flight("fl_1", f"2026-10-05{NOON}"),
    "project_list": a_project("proj_1"),
    "service_list": a_service("svc_1", a_tier("tier_1", 1, 0)),
}


def reading(endpoint):
    if endpoint == "flights":
        return lambda client: list(client.flight_pages(["eq_1"]))
    return lambda client: client.pages(endpoint)


def answering(*everything):
    """Serve the same records as page 1 of whatever list is asked for, services without `meta`."""

    def answer(asked):
        body = page(asked, list(everything))
        return reply({**body, "meta": None} if asked.path.endswith("services") else body)

    return answer


def refused(answer, call):
    """Return the message of the error, and how often it was asked, on how many connections."""
    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        with pytest.raises(UnexpectedAnswer) as caught:
            call(client)
        return str(caught.value), len(server.asked), len({request.port for request in server.asked})


@pytest.mark.slow
@pytest.mark.parametrize("asked", KINDS)
@pytest.mark.parametrize("came", KINDS)
def test_a_list_of_one_kind_is_no_answer_to_a_question_for_another(asked, came):
    call = reading(asked)
    if asked == came:
        with hostile(answering(KINDS[came])) as server, Client(server.base_url, "k") as client:
            call(client)
        return
    message, tries, connections = refused(answering(KINDS[came]), call)
    names = {kind: schema.ENDPOINTS[kind].record.name for kind in KINDS}
    assert f"is a record of {names[came]}, not of {names[asked]}" in message
    assert (tries, connections) == (3, 3)  # a connection may be an answer behind


@pytest.mark.slow
@pytest.mark.parametrize("identifier", ["7", "proj_7"])
def test_identifiers_without_the_prefix_of_their_kind_do_not_hide_another_kind(identifier):
    project = {**a_project(identifier), "createdAt": None}
    message, _, _ = refused(answering(project), lambda client: client.pages("equipment_list"))
    assert "is a record of Project" in message


@pytest.mark.slow
@pytest.mark.parametrize(
    "record", [{"id": "proj_7", "title": "x"}, {"id": "7", "title": "x", "siteAddress": "y"}]
)
def test_two_signs_of_another_kind_and_none_of_the_right_one_are_enough(record):
    message, _, _ = refused(answering(record), lambda client: client.pages("equipment_list"))
    assert "7 is a record of Project, not of Equipment" in message


@pytest.mark.slow
def test_one_record_of_another_kind_among_the_right_ones_is_enough():
    message, _, _ = refused(
        answering(an_equipment("eq_1"), a_project("proj_2")),
        lambda client: client.pages("equipment_list"),
    )
    assert "proj_2 is a record of Project" in message


def test_an_answer_that_was_mixed_up_once_is_asked_for_again_on_another_connection():
    pieces = [an_equipment(f"eq_{n}") for n in range(3)]

    def answer(asked):
        return reply(page(asked, [a_project("proj_1")] if asked.n == 2 else pieces))

    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        client.pages("equipment_list")
        [body] = client.pages("equipment_list")
        first, second, third = (request.port for request in server.asked)
    assert json.loads(body)["data"] == pieces
    assert (first == second, second == third) == (True, False)


@pytest.mark.slow
def test_another_record_is_asked_for_again_and_then_refused():
    def answer(asked):
        return reply({"success": True, "data": a_project("proj_2")})

    message, tries, _ = refused(answer, lambda client: client.record("project", "proj_1"))
    assert "An answer to another request: another record than the one asked for" in message
    assert tries == 3


@pytest.mark.slow
def test_what_a_mixed_up_answer_says_reaches_the_terminal_as_one_clean_line():
    project = a_project("proj_\x1b[31m\nkey_abc" + "x" * 1000)
    message, _, _ = refused(answering(project), lambda client: client.pages("equipment_list"))
    assert "proj_\\x1b[31m …xxx" in message
    assert len(message) < 500


# Filters


def flights_of(answer, **filters):
    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        [(_, [body])] = client.flight_pages(["eq_1"], **filters)
    return json.loads(body)["data"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flight", "problem"),
    [
        (
            {"flightType": "COMMERCIAL"},
            "fl_2 has flightType 'COMMERCIAL', where",
        ),
        ({"flightType": 5}, "fl_2 has flightType 5"),
        (
            {"flightDate": f"2026-09-29{NOON}"},
            "fl_2 has flightDate 2026-09-29T12",
        ),
        ({"flightDate": "2026-11-03"}, "outside the time asked for"),
    ],
)
def test_a_flight_that_the_filter_leaves_out_is_refused(flight, problem):
    good = {"id": "fl_1", "flightType": "TRAINING", "flightDate": f"2026-10-05{NOON}"}
    answer = answering(good, {**good, **flight, "id": "fl_2"})
    message, tries, _ = refused(
        answer,
        lambda client: list(client.flight_pages(["eq_1"], flight_type="TRAINING", **OCTOBER)),
    )
    assert problem in message
    assert tries == 3


@pytest.mark.parametrize(
    "flight",
    [
        {},
        {"flightType": None, "flightDate": None},
        {"flightType": "TRAINING", "flightDate": 1_790_000_000},
        {"flightDate": "5 October 2026"},
        {"flightDate": f"2026-09-30{NOON}"},
        {"flightDate": f"2026-11-02{NOON}"},
        {"flightDate": "2026-10-05T12:00:00+14:00"},
        {"flightDate": {"day": "2020-01-01"}},
    ],
)
def test_a_flight_that_may_be_meant_is_taken(flight):
    flight = {"id": "fl_1", **flight}
    assert flights_of(answering(flight), flight_type="TRAINING", **OCTOBER) == [flight]


@pytest.mark.parametrize(("bound", "day"), [("dateFrom", "2026-09-29"), ("dateTo", "2026-11-03")])
def test_one_bound_is_enough_to_know_a_flight_outside_it(bound, day):
    moment = OCTOBER["date_from" if bound == "dateFrom" else "date_to"]
    request = build("flights", "eq_1", {bound: moment})
    assert "outside the time" in mismatch(request, [Row("fl_1", flight_date=day)], b"")
    assert mismatch(request, [Row("fl_1", flight_date="2026-10-05")], b"") == ""


def test_the_first_and_the_last_day_of_the_calendar_bound_nothing():
    flight = {"id": "fl_1", "flightDate": f"2026-10-05{NOON}"}
    ends = {"date_from": datetime(1, 1, 1, tzinfo=UTC), "date_to": datetime.max.replace(tzinfo=UTC)}
    assert flights_of(answering(flight), **ends) == [flight]


@pytest.mark.slow
def test_a_project_of_another_status_than_asked_for_is_refused():
    message, _, _ = refused(
        answering(a_project("proj_1", status="DRAFT")),
        lambda client: client.pages("project_list", {"status": "DELIVERED"}),
    )
    assert "proj_1 has status 'DRAFT', where DELIVERED was asked for" in message


# What is open


@pytest.mark.parametrize("endpoint", KINDS)
@pytest.mark.parametrize("prefix", ["eq", "fl", "proj", "svc", "x"])
def test_records_with_little_more_than_an_id_of_any_form_are_taken(endpoint, prefix):
    everything = records(3, prefix, createdAt="2026-01-01T00:00:00Z", name="x", status="y")
    with hostile(answering(*everything)) as server, Client(server.base_url, "k") as client:
        assert len(reading(endpoint)(client)) == 1


@pytest.mark.parametrize(
    "record", [{"id": "7", "manufacturer": "Aerovia"}, {"id": "eq_7"}], ids=["field", "prefix"]
)
def test_one_sign_of_the_right_kind_outweighs_all_of_another(record):
    piece = {**a_project("proj_1"), **record}
    with hostile(answering(piece)) as server, Client(server.base_url, "key_abc") as client:
        [body] = client.pages("equipment_list")
    assert json.loads(body)["data"] == [piece]


FIELDS = {
    endpoint: [
        field.name for field in schema.ENDPOINTS[endpoint].record.fields if field.name != "id"
    ]
    for endpoint in KINDS
}
EVERY_NAME = sorted({name for names in FIELDS.values() for name in names})


@st.composite
def honest_records(draw):
    """Return a list and a record: fields missing, unknown, one with a name of another kind."""
    endpoint = draw(st.sampled_from(list(KINDS)))
    own = draw(st.lists(st.sampled_from(FIELDS[endpoint]), unique=True))
    unknown = draw(st.lists(st.text(max_size=8), max_size=4))
    borrowed = draw(st.sampled_from(EVERY_NAME))
    prefix = draw(st.sampled_from([f"{schema.ENDPOINTS[endpoint].record.prefix}_", ""]))
    names = [*own, *unknown, borrowed]
    return endpoint, {**dict.fromkeys(names, "x"), "id": f"{prefix}{draw(st.integers(0))}"}


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(honest_records())
def test_no_honest_record_is_taken_for_one_of_another_kind(drawn):
    endpoint, record = drawn
    body = json.dumps({"success": True, "data": [record]}).encode()
    rows = [msgspec.convert({**record, "createdAt": None, "updatedAt": None}, Row)]
    assert mismatch(build(endpoint, "eq_1"), rows, body) == ""


def test_a_record_that_was_created_as_the_first_page_was_read_appeared_since():
    row = Row("fl_1", created_at=f"2026-10-05{NOON}")
    assert row.appeared_since(f"2026-10-05{NOON}", by_edit=False)


def test_a_record_that_was_edited_as_the_first_page_was_read_appeared_since_where_edits_count():
    row = Row("fl_1", created_at=f"2026-10-04{NOON}", updated_at=f"2026-10-05{NOON}")
    appeared = [
        row.appeared_since(f"2026-10-05{NOON}", by_edit=by_edit) for by_edit in (True, False)
    ]
    assert appeared == [True, False]


def test_a_text_that_only_json_can_hold_is_no_sign_of_another_kind():
    body = b'{"data": [{"id": "a", "name": "\\ud800"}]}'  # half of a pair of surrogates
    assert mismatch(build("equipment_list", "", {}), [Row("a")], body) == ""


@pytest.mark.parametrize(
    ("id", "says"),
    [(7, "7"), (None, "null"), ("", '""'), ({"a": 1}, '{"a": 1}')],
)
def test_a_record_whose_id_is_no_text_is_named_with_the_field(id, says):
    answer = answering({"id": "eq_1"}, {"id": id})
    message, asked, _ = refused(answer, lambda client: client.pages("equipment_list"))
    expected = f"Equipment record 2 of this page: id is {says}, which is not an identifier"
    assert message.startswith(expected)
    assert asked == 3


@pytest.mark.parametrize("value", [True, {"seconds": 5}], ids=["true", "an object"])
def test_a_moment_of_another_kind_is_named_by_its_record_and_field(value):
    answer = answering({"id": "proj_1"}, {"id": "proj_2", "createdAt": value})
    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        pages = client.pages("project_list")
    with pytest.raises(DataError, match=r"Project proj_2: createdAt is (true|{.*}), which is not"):
        tables.projects(pages)
