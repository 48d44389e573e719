"""Every numbered rule of sections 4 to 9 of the reference, over real HTTP."""

from __future__ import annotations

import re
import time
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest
import requests
from conftest import TINY, flown_by_kestrel, get, ids, serving

from fleetkit.schema import ENDPOINTS, ERRORS, PROJECT_STATUSES, SCOPES
from fleetkit.server.dials import Dials


@pytest.fixture(scope="module")
def tiny(new_database):
    with ExitStack() as stack:
        yield serving(stack, TINY, None, new_database())


@pytest.fixture
def serve_records(new_database):
    with ExitStack() as stack:
        yield lambda records, dials=None: serving(stack, records, dials, new_database())


PATHS = {
    "equipment_list": "/v1/equipment",
    "equipment": "/v1/equipment/eq_kestrel",
    "flights": "/v1/equipment/eq_kestrel/flights",
    "project_list": "/v1/projects",
    "project": "/v1/projects/proj_bridge",
    "service_list": "/v1/services",
    "service": "/v1/services/svc_survey",
}


def flights(served, equipment="eq_kestrel", **params):
    return get(served, f"/v1/equipment/{equipment}/flights", **params)


def error(answer):
    body = answer.json()
    assert body["success"] is False
    return answer.status_code, body["error"]["code"]


# -- 4.1 Common response shapes --------------------------------------------------------------


def test_4_1_a_single_record_is_success_and_data(tiny, tiny_records):
    answer = get(tiny, "/v1/equipment/eq_kestrel").json()
    assert answer == {"success": True, "data": tiny_records["equipment"][0]}


def test_4_1_a_paginated_list_carries_meta_pagination(tiny):
    answer = get(tiny, "/v1/equipment", page=2, limit=2).json()
    assert list(answer) == ["success", "data", "meta"]
    assert answer["meta"] == {"pagination": {"page": 2, "limit": 2, "total": 3, "hasMore": False}}


def test_4_1_has_more_is_true_when_a_further_page_follows(tiny):
    pages = [get(tiny, "/v1/equipment", page=page, limit=1).json() for page in (1, 2, 3)]
    assert [answer["meta"]["pagination"]["hasMore"] for answer in pages] == [True, True, False]


@pytest.mark.parametrize("name", ENDPOINTS)
def test_4_1_every_answer_is_json(tiny, name):
    answer = get(tiny, PATHS[name])
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")


# -- 4.2 Endpoint table ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ENDPOINTS)
def test_4_2_the_seven_endpoints_answer_with_their_fields(tiny, name):
    endpoint = ENDPOINTS[name]
    data = get(tiny, PATHS[name]).json()["data"]
    record = data[0] if endpoint.many else data
    fields = [
        field.name for field in endpoint.record.fields if endpoint.detail or not field.detail_only
    ]
    assert sorted(record) == sorted(fields), "records of tests/conftest.py have every field"


# -- 4.3 Query parameters --------------------------------------------------------------------


def test_4_3_page_defaults_to_1_and_limit_to_20(serve_records):
    many = [{**TINY["flights"][0], "id": f"fl_{number}"} for number in range(25)]
    served = serve_records(flown_by_kestrel(many))
    answer = flights(served).json()
    assert len(answer["data"]) == 20
    assert answer["meta"]["pagination"] == {"page": 1, "limit": 20, "total": 25, "hasMore": True}


def test_4_3_pages_together_are_the_whole_list_once(tiny):
    pages = [ids(flights(tiny, page=page, limit=2)) for page in (1, 2, 3)]
    assert pages == [["fl_4", "fl_3"], ["fl_2", "fl_1"], ["fl_5"]]


def test_4_3_date_from_and_date_to_keep_what_lies_between(tiny):
    answer = flights(tiny, dateFrom="2026-10-01T09:00:00Z", dateTo="2026-10-31T23:30:00Z")
    assert ids(answer) == ["fl_3", "fl_2", "fl_1"]
    assert answer.json()["meta"]["pagination"]["total"] == 3


def test_4_3_a_flight_without_a_date_is_neither_from_a_date_on_nor_up_to_one(serve_records):
    dates = {"fl_1": "2026-10-01T09:00:00.000Z", "fl_undated": None, "fl_0": "1969-12-31T09:00:00Z"}
    records = [{**TINY["flights"][0], "id": id, "flightDate": date} for id, date in dates.items()]
    served = serve_records(flown_by_kestrel(records))
    assert ids(flights(served)) == ["fl_1", "fl_0", "fl_undated"]
    assert ids(flights(served, dateFrom="1960-01-01")) == ["fl_1", "fl_0"]
    assert ids(flights(served, dateTo="2026-12-31")) == ["fl_1", "fl_0"]
    assert ids(flights(served, dateFrom="1960-01-01", dateTo="1990-01-01")) == ["fl_0"]


@pytest.mark.parametrize(
    "instant", ["2026-10-31", "2026-10-31T00:00:00.000Z", "2026-10-31T02:00:00+02:00"]
)
def test_4_3_dates_may_have_any_form_of_iso_8601(tiny, instant):
    assert ids(flights(tiny, dateFrom=instant)) == ["fl_4", "fl_3"]


def test_4_3_an_instant_is_that_of_its_offset_and_without_one_of_utc(tiny):
    noon_in_oslo = "2026-10-15T12:00:00+02:00"  # 10:00 UTC, the moment of fl_2
    assert ids(flights(tiny, dateFrom=noon_in_oslo, dateTo=noon_in_oslo)) == ["fl_2"]
    for instant, found in (("2026-10-15T10:00:00", ["fl_2"]), ("2026-10-15T12:00:00", [])):
        assert ids(flights(tiny, dateFrom=instant, dateTo=instant)) == found


def test_4_3_the_page_before_the_first_is_the_first_one(tiny):
    for path in ("/v1/equipment", "/v1/projects"):
        assert get(tiny, path, page=0).json() == get(tiny, path, page=1).json()


def test_4_3_of_a_parameter_that_is_given_twice_the_last_counts_but_for_flights(tiny):
    assert get(tiny, "/v1/equipment", page=[1, 2], limit=[1, 2]).json() == (
        get(tiny, "/v1/equipment", page=2, limit=2).json()
    )
    assert error(flights(tiny, page=[1, 2])) == (400, "BAD_REQUEST")


def test_4_3_flight_type_keeps_one_type(tiny):
    assert ids(flights(tiny, flightType="TRAINING")) == ["fl_3"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("date_asc", ["fl_5", "fl_1", "fl_2", "fl_3", "fl_4"]),
        ("date_desc", ["fl_4", "fl_3", "fl_2", "fl_1", "fl_5"]),
        ("duration_asc", ["fl_5", "fl_4", "fl_3", "fl_1", "fl_2"]),
        ("duration_desc", ["fl_2", "fl_1", "fl_3", "fl_4", "fl_5"]),
    ],
)
def test_4_3_order_by_sorts_flights(tiny, order, expected):
    assert ids(flights(tiny, orderBy=order)) == expected


def test_4_3_flights_come_newest_first_by_default(tiny):
    assert ids(flights(tiny)) == ids(flights(tiny, orderBy="date_desc"))


@pytest.mark.parametrize("status", PROJECT_STATUSES)
def test_4_3_status_keeps_the_projects_in_it(tiny, tiny_records, status):
    expected = {
        project["id"] for project in tiny_records["projects"] if project["status"] == status
    }
    assert set(ids(get(tiny, "/v1/projects", status=status))) == expected


# -- 4.4 Rules -------------------------------------------------------------------------------


def test_rule_4_4_1_services_are_in_one_response_without_meta(tiny, tiny_records):
    answer = get(tiny, "/v1/services", page=2, limit=1).json()
    assert answer == {"success": True, "data": tiny_records["services"]}


def test_rule_4_4_2_an_invalid_project_status_is_silently_ignored(tiny):
    for status in ("LOST", "draft", ""):
        answer = get(tiny, "/v1/projects", status=status)
        assert (answer.status_code, len(ids(answer))) == (200, 3)


def test_rule_4_4_2_a_status_is_a_parameter_of_projects_alone(tiny):
    answer = get(tiny, "/v1/equipment", status="DRAFT")
    assert (answer.status_code, len(ids(answer))) == (200, 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dateFrom", "yesterday"),
        ("dateFrom", ""),
        ("dateTo", "2026-02-30"),
        ("dateTo", "2026-10-01T25:00:00Z"),
        ("dateFrom", "2026-10-01x10:00:00Z"),
        ("dateFrom", "2026-10-01T10:00:00 Z"),
        ("dateTo", "2026-10-01T10:00:00.123456-ten"),
        ("dateTo", "2026-10-01T10.5"),
        ("orderBy", "date"),
        ("flightType", "commercial"),
        ("page", "one"),
        ("page", "0"),
        ("limit", "1.5"),
    ],
)
def test_rule_4_4_3_an_invalid_parameter_of_the_flights_endpoint_is_a_400(tiny, name, value):
    assert error(flights(tiny, **{name: value})) == (400, "BAD_REQUEST")


@pytest.mark.parametrize("path", ["equipment/eq_0", "projects/proj_0", "services/svc_0"])
def test_rule_4_4_4_an_unknown_id_is_a_404(tiny, path):
    assert error(get(tiny, f"/v1/{path}")) == (404, "NOT_FOUND")


def test_rule_4_4_4_the_flights_endpoint_checks_the_equipment(tiny):
    assert error(flights(tiny, "eq_0")) == (404, "NOT_FOUND")
    assert flights(tiny, "eq_spare").json()["data"] == []


def test_rule_4_4_5_only_the_detail_carries_email_and_deal(tiny):
    detail = get(tiny, "/v1/projects/proj_bridge").json()["data"]
    listed = next(
        record
        for record in get(tiny, "/v1/projects").json()["data"]
        if record["id"] == detail["id"]
    )
    assert set(detail) - set(listed) == {"clientAccountEmail", "crmDealName"}
    assert {name: detail[name] for name in listed} == listed
    assert detail["crmDealName"] == "Bridge 2026"


def test_rule_4_4_6_a_page_past_the_last_is_empty(tiny):
    answer = flights(tiny, page=4, limit=2).json()
    assert answer["data"] == []
    assert answer["meta"]["pagination"] == {"page": 4, "limit": 2, "total": 5, "hasMore": False}
    far = flights(tiny, page=1_000_000, limit=2).json()
    assert (far["data"], far["meta"]["pagination"]["page"]) == ([], 1_000_000)


@pytest.mark.parametrize(("limit", "used"), [("101", 100), ("0", 1), ("-5", 1)])
def test_rule_4_4_6_a_limit_out_of_range_is_clamped(tiny, limit, used):
    for path in ("/v1/equipment", "/v1/equipment/eq_kestrel/flights", "/v1/projects"):
        answer = get(tiny, path, limit=limit)
        assert answer.json()["meta"]["pagination"]["limit"] == used


def test_rule_4_4_7_the_default_order_is_the_same_each_time(tiny):
    for path in ("/v1/equipment", "/v1/projects", "/v1/services"):
        assert ids(get(tiny, path)) == ids(get(tiny, path))
    assert ids(get(tiny, "/v1/services")) == ["svc_survey", "svc_photo"]


def test_rule_4_4_8_the_bounds_are_inclusive(tiny):
    at = "2026-10-15T10:00:00.000Z"
    assert ids(flights(tiny, dateFrom=at, dateTo=at)) == ["fl_2"]


# -- 5 Authentication ------------------------------------------------------------------------


def test_rule_5_1_a_key_has_a_name_scopes_and_perhaps_an_expiry(tiny):
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    key = tiny.store.create_key(
        tiny.organisation, name="one day", scopes=["project:read"], expires=tomorrow
    )
    assert get(tiny, "/v1/projects", key).status_code == 200


@pytest.mark.parametrize("path", PATHS.values())
def test_rule_5_2_either_header_carries_the_key(tiny, path):
    for headers in (
        {"X-API-Key": tiny.api_key},
        {"Authorization": f"Bearer {tiny.api_key}"},
        {"authorization": f"bearer {tiny.api_key}"},
    ):
        assert requests.get(tiny.base_url + path, headers=headers, timeout=10).status_code == 200


def test_rule_5_2_x_api_key_is_preferred(tiny):
    headers = {"X-API-Key": "fk_wrong", "Authorization": f"Bearer {tiny.api_key}"}
    answer = requests.get(f"{tiny.base_url}/v1/services", headers=headers, timeout=10)
    assert error(answer) == (401, "UNAUTHORIZED")


def test_rule_5_3_a_key_is_a_short_prefix_and_a_random_text(tiny):
    keys = {tiny.store.create_key(tiny.organisation, name="k") for _ in range(20)}
    assert len(keys) == 20
    assert all(re.fullmatch(r"fk_[0-9A-Za-z]{40}", key) for key in keys)


def test_rule_5_4_the_value_cannot_be_retrieved(tmp_path):
    store_file = tmp_path / "fleet.db"
    from fleetkit.server.store import Store

    store = Store(f"sqlite:///{store_file}")
    key = store.create_key(store.create_organisation("A"), name="k")
    store.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert key[:11].encode() in stored
    assert key[11:].encode() not in stored


def test_rule_5_5_an_expired_key_stops_working(tiny):
    instant = datetime.now(UTC) - timedelta(seconds=1)
    key = tiny.store.create_key(tiny.organisation, name="late", expires=instant)
    answer = get(tiny, "/v1/services", key)
    assert error(answer) == (401, "UNAUTHORIZED")
    assert answer.headers["WWW-Authenticate"] == "Bearer"  # as with any other 401


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES)
def test_rules_5_6_and_5_8_a_scope_opens_its_endpoints_and_no_others(tiny, scope):
    key = tiny.store.create_key(tiny.organisation, name="one scope", scopes=[scope])
    opened = {name: get(tiny, path, key) for name, path in PATHS.items()}
    for name, answer in opened.items():
        if ENDPOINTS[name].scope == scope:
            assert answer.status_code == 200
        else:
            assert error(answer) == (403, "FORBIDDEN")
            assert ENDPOINTS[name].scope in answer.text


@pytest.mark.parametrize("path", [*PATHS.values(), "/v1/equipment/eq_0", "/v1/nowhere"])
def test_rule_5_7_a_missing_or_invalid_key_is_a_401(tiny, path):
    for headers in (
        {},
        {"X-API-Key": ""},
        {"X-API-Key": "fk_" + "a" * 40},
        {"X-API-Key": tiny.api_key[:-1]},
        {"X-API-Key": tiny.api_key[:-1] + "é"},
        {"Authorization": f"Basic {tiny.api_key}"},
        {"Authorization": "Bearer"},
    ):
        raw = {name: value.encode() for name, value in headers.items()}
        answer = requests.get(tiny.base_url + path, headers=raw, timeout=10)
        assert error(answer) == (401, "UNAUTHORIZED")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_rule_5_9_keys_are_for_servers_so_no_browser_page_may_read_along(tiny):
    headers = {"X-API-Key": tiny.api_key, "Origin": "https://elsewhere.example"}
    answer = requests.get(f"{tiny.base_url}/v1/services", headers=headers, timeout=10)
    assert not [header for header in answer.headers if header.lower().startswith("access-control")]


# -- 7 Errors --------------------------------------------------------------------------------


def test_7_every_error_carries_the_code_of_its_status(tiny):
    answers = (
        flights(tiny, orderBy="date"),
        get(tiny, "/v1/services", "fk_wrong"),
        get(
            tiny,
            "/v1/services",
            tiny.store.create_key(tiny.organisation, name="k", scopes=["project:read"]),
        ),
        get(tiny, "/v1/services/svc_0"),
    )
    assert [error(answer) for answer in answers] == [
        (status, ERRORS[status].code) for status in (400, 401, 403, 404)
    ]


def test_7_an_unexpected_error_is_a_500_without_its_traceback(serve_records, tiny_records):
    served = serve_records(tiny_records)
    with served.store.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE services")
    answer = get(served, "/v1/services")
    assert error(answer) == (500, "INTERNAL_ERROR")
    assert "X-RateLimit-Remaining" in answer.headers
    assert "sqlite" not in answer.text.lower()


# -- 8 Limits --------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [None, "fk_wrong"])
def test_8_every_response_has_rate_limit_headers(tiny, key):
    answer = get(tiny, "/v1/services", key)
    limits = [header for header in answer.headers if header.lower().startswith("x-ratelimit-")]
    assert sorted(limits) == ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]


def test_8_a_request_without_a_valid_key_uses_up_nothing_of_a_whole_window(tiny):
    headers, before = get(tiny, "/v1/services", "fk_wrong").headers, time.time()
    assert headers["X-RateLimit-Remaining"] == headers["X-RateLimit-Limit"] == "1000000"
    assert int(headers["X-RateLimit-Reset"]) >= before + 50  # a window has 60 s


def test_8_the_quota_counts_down_for_each_key_and_then_refuses(serve_records, tiny_records):
    served = serve_records(tiny_records, Dials(quota=2))
    answers = [get(served, "/v1/services") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["1", "0", "0"]
    other = served.store.create_key(served.organisation, name="other")
    assert get(served, "/v1/services", other).status_code == 200


def test_8_services_have_no_page_size_limit(serve_records, tiny_records):
    service = tiny_records["services"][0]
    many = [{**service, "id": f"svc_{number}"} for number in range(250)]
    served = serve_records({"services": many})
    assert len(get(served, "/v1/services").json()["data"]) == 250


# -- 9 Versioning ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/equipment", "/v2/equipment", "/v1", "/v1/equipment/"])
def test_9_every_path_starts_with_v1(tiny, path):
    assert error(get(tiny, path)) == (404, "NOT_FOUND")
