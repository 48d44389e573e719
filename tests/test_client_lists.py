"""A list is handed out whole, or not at all."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from time import sleep

import pytest
from hostile import hostile, page, records, reply

from fleetkit.client import Client
from fleetkit.errors import ApiError, IncompleteError, UnexpectedAnswer

FIVE_HUNDRED = records(500)


def ids(pages):
    return [row["id"] for page in pages for row in json.loads(page)["data"]]


def ids_of(everything):
    return [record["id"] for record in everything]


def read(answer, endpoint="equipment_list", **options):
    with hostile(answer) as server, Client(server.base_url, "key_abc", **options) as client:
        pages = client.pages(endpoint)
    return ids(pages), server


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 500])
def test_a_list_of_any_length_is_read_once_in_order_and_not_past_its_end(count):
    everything = records(count)
    received, server = read(lambda asked: reply(page(asked, everything)))
    assert received == [record["id"] for record in everything]
    assert sorted(server.pages) == list(range(1, max(1, -(-count // 100)) + 1))
    assert {request.limit for request in server.asked} == {100}


@pytest.mark.slow
@pytest.mark.parametrize("most", [50, 20, 7])
def test_the_limit_that_comes_back_is_obeyed(most):
    received, server = read(lambda asked: reply(page(asked, FIVE_HUNDRED, most)))
    assert received == ids_of(FIVE_HUNDRED)
    assert sorted(server.pages) == list(range(1, -(-500 // most) + 1))


def test_later_pages_are_asked_for_with_the_limit_that_came_back():
    everything = records(150)
    _, server = read(lambda asked: reply(page(asked, everything, 50)))
    assert sorted((request.page, request.limit) for request in server.asked) == [
        (1, 100), (2, 50), (3, 50),
    ]  # fmt: skip


def test_a_server_that_sends_all_at_once_is_asked_once():
    received, server = read(lambda asked: reply(page(asked, FIVE_HUNDRED, 1000)))
    assert (received, server.pages) == (ids_of(FIVE_HUNDRED), [1])


LIES = [
    {"total": 501},
    {"total": 10**12},
    {"total": 10**400},
    {"total": 0},
    {"total": -1},
    {"hasMore": False},
    {"hasMore": True},
    {"page": 1},
    {"limit": 99},
    {"limit": 0},
    {"limit": 1000},
]


def ending(answer, endpoint="equipment_list"):
    """Return the kind of error that reading ends in, and how many requests it took."""
    with (
        hostile(answer) as server,
        Client(server.base_url, "key_abc") as client,
        pytest.raises(ApiError) as caught,
    ):
        client.pages(endpoint)
    return type(caught.value), str(caught.value), len(server.asked)


def endings(answers):
    """Return the endings of several readings; side by side, since each waits between readings."""
    with ThreadPoolExecutor(len(answers)) as pool:
        return list(pool.map(ending, answers))


@pytest.mark.slow
def test_pagination_that_contradicts_itself_is_incomplete_within_few_requests():
    results = endings(
        [lambda asked, lies=lies: reply(page(asked, FIVE_HUNDRED, **lies)) for lies in LIES]
    )
    assert [kind for kind, _, _ in results] == [IncompleteError] * len(LIES)
    assert max(requests for _, _, requests in results) <= 100


def without(n):
    def answer(asked):
        body = page(asked, FIVE_HUNDRED)
        del body["data"][n]
        return reply(body)

    return answer


def refusing_page_2(asked):
    if asked.page == 2:
        return reply({"message": "only one page is sold"}, 400)
    return reply(page(asked, records(150)))


@pytest.mark.slow
def test_a_list_of_two_that_holds_one_is_told_of_one_record():
    two = [{"id": "eq_1"}, {"id": "eq_2"}]
    _, message, _ = ending(lambda asked: reply(page(asked, two) | {"data": two[:1]}))
    assert "page 1 held 1 record instead of 2" in message


@pytest.mark.slow
def test_a_list_that_does_not_hold_what_it_says_is_incomplete_and_says_why():
    twice = FIVE_HUNDRED[:499] + FIVE_HUNDRED[:1]
    results = endings(
        [
            without(50),
            lambda asked: reply(page(asked, twice)),
            lambda asked: reply(page(asked, records(500 + asked.n))),
            refusing_page_2,
        ]
    )
    assert [kind for kind, _, _ in results] == [IncompleteError] * 4
    short, double, moving, refused = (message for _, message, _ in results)
    assert "in 5 rounds; in the last, page 1 held 99 records instead of 100" in short
    assert "a record came twice (GET /v1/equipment?page=" in double
    assert "`total` went from" in moving
    assert "in the last, page 2 ended with 400: the service refuses a parameter, says" in refused
    assert "“only one page is sold” (GET /v1/equipment?page=2&limit=100)." in refused


@pytest.mark.slow
def test_a_record_inserted_while_reading_makes_the_list_be_read_again():
    later = records(1, "new") + FIVE_HUNDRED
    received, _ = read(lambda asked: reply(page(asked, FIVE_HUNDRED if asked.n < 4 else later)))
    assert received == ids_of(later)


@pytest.mark.slow
def test_a_list_that_shrinks_is_read_again_though_its_last_page_is_gone():
    def answer(asked):
        if asked.n > 1 and asked.page == 5:
            return reply({"code": "NOT_FOUND"}, 404)
        return reply(page(asked, FIVE_HUNDRED if asked.n == 1 else FIVE_HUNDRED[:400]))

    assert read(answer)[0] == ids_of(FIVE_HUNDRED[:400])


def stamped(moment, **more):
    return {"createdAt": moment, "updatedAt": moment, **more}


OLD = "2020-01-01T00:00:00.000Z"
NOW = "Fri, 20 Nov 2026 12:00:00 GMT"
MEANWHILE = "2026-11-20T12:00:00.500Z"
BEFORE = records(300, **stamped(OLD))
# fl_1 is deleted and a new one inserted at the end: `total` stays 300, fl_101 moves to page 1.
AFTER = [*BEFORE[1:], {"id": "fl_new", **stamped(MEANWHILE)}]


@pytest.mark.slow
def test_a_deletion_and_an_insertion_that_leave_the_count_alone_are_found():
    def answer(asked):
        return reply(page(asked, BEFORE if asked.n == 1 else AFTER), Date=NOW)

    received, server = read(answer)
    assert received == ids_of(AFTER)
    assert len(server.asked) == 6


def test_an_insertion_while_the_service_makes_its_first_answer_is_found_too(monkeypatch):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0.0)
    after = [*BEFORE[1:], {"id": "fl_new", **stamped("2026-11-20T11:59:59.990Z")}]

    def answer(asked):
        if asked.n == 1:
            sleep(0.1)  # and the time is written when the answer is
        return reply(page(asked, BEFORE if asked.n == 1 else after), Date=NOW)

    received, server = read(answer)
    assert received == ids_of(after)
    assert len(server.asked) == 6


@pytest.mark.slow
def test_records_dated_in_the_future_cost_one_more_reading_and_no_error():
    everything = records(300, **stamped("2099-01-01T00:00:00.000Z"))
    received, server = read(lambda asked: reply(page(asked, everything), Date=NOW))
    assert received == ids_of(everything)
    assert sorted(server.pages) == [1, 1, 2, 2, 3, 3]


def test_a_list_of_one_page_is_read_once_though_its_clock_is_behind():
    everything = records(3, **stamped("2099-01-01T00:00:00.000Z"))
    _, server = read(lambda asked: reply(page(asked, everything), Date=NOW))
    assert server.pages == [1]


def test_records_edited_while_reading_cost_nothing_where_no_filter_is_set():
    everything = records(300, createdAt=OLD, updatedAt=MEANWHILE)
    received, server = read(lambda asked: reply(page(asked, everything), Date=NOW))
    assert (len(received), len(server.asked)) == (300, 3)


def test_records_edited_into_a_filtered_list_make_it_be_read_again():
    after = [*BEFORE[1:], {"id": "fl_edited", "createdAt": OLD, "updatedAt": MEANWHILE}]

    def answer(asked):
        return reply(page(asked, BEFORE if asked.n == 1 else after), Date=NOW)

    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        received = ids(client.pages("project_list", {"status": "DRAFT"}))
    assert received == ids_of(after)
    assert {request.query["status"] for request in server.asked} == {"DRAFT"}


def test_services_come_in_one_answer_without_meta():
    everything = records(7, "svc")
    received, server = read(
        lambda asked: reply({"success": True, "data": everything}), "service_list"
    )
    assert received == ids_of(everything)
    assert [request.query for request in server.asked] == [{}]


@pytest.mark.slow
def test_services_that_come_in_pages_after_all_are_incomplete():
    with pytest.raises(IncompleteError):
        read(lambda asked: reply(page(asked, records(30, "svc"))), "service_list")


@pytest.mark.slow
def test_a_list_of_another_shape_is_no_answer_of_the_api():
    bodies = [
        {"success": True, "data": []},
        {"success": True, "data": [], "meta": None},
        {"success": True, "data": [], "meta": {"pagination": {"page": 1, "limit": 100}}},
        {"success": True, "meta": {"pagination": None}},
        {"success": True, "data": [{"name": "no id"}]},
        {"success": True, "data": [{"id": ""}]},
        {"success": True, "data": {"id": "eq_1"}},
        {"success": "yes", "data": []},
        [],
        "equipment",
    ]
    results = endings([lambda asked, body=body: reply(body) for body in bodies])
    assert [(kind, tries) for kind, _, tries in results] == [(UnexpectedAnswer, 3)] * len(bodies)


def test_flights_are_asked_for_oldest_first_within_the_bounds_given():
    with (
        hostile(lambda asked: reply(page(asked, records(3)))) as server,
        Client(server.base_url, "key_abc") as client,
    ):
        [(equipment, pages)] = client.flight_pages(
            ["eq_1", "eq_1"],
            date_from=datetime(2026, 10, 1, tzinfo=UTC),
            date_to=datetime(2026, 11, 1, tzinfo=UTC),
            flight_type="TRAINING",
        )
        dict(client.flight_pages(["eq_1"], date_from=datetime(2026, 10, 1, tzinfo=UTC)))
    assert (equipment, ids(pages)) == ("eq_1", ["fl_1", "fl_2", "fl_3"])
    within, without_end = (request.query for request in server.asked)
    assert within == {
        "dateFrom": "2026-10-01T00:00:00.000Z",
        "dateTo": "2026-11-01T00:00:00.000Z",
        "flightType": "TRAINING",
        "orderBy": "date_asc",
        "page": "1",
        "limit": "100",
    }
    assert without_end.keys() == within.keys() - {"dateTo", "flightType"}
