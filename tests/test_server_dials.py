"""Dials: each changes what the reference leaves open, and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests
from conftest import a_flight, a_service, an_equipment, get, ids

from fleetkit.errors import InvalidValue
from fleetkit.schema import NOT_SHOWN
from fleetkit.server.asgi import app_from_environment
from fleetkit.server.dials import Dials
from fleetkit.server.limits import Limits
from fleetkit.server.quota import Quota


@pytest.fixture
def many(serve_records):
    """Return a function that serves one aircraft with 10 flights, a day apart, under dials."""

    def serve(**dials):
        flights = [a_flight(f"fl_{n}", f"2026-10-1{n}T00:00:00.000Z") for n in range(10)]
        pairs = [(flight["id"], "eq_1") for flight in flights]
        records = {
            "equipment": [an_equipment("eq_1")],
            "flights": flights,
            "flight_equipment": pairs,
        }
        return serve_records(records, Dials(**dials))

    return serve


FLIGHTS = "/v1/equipment/eq_1/flights"


@pytest.mark.parametrize(
    ("layout", "body"),
    [
        ("nested", {"success": False, "error": {"code": "NOT_FOUND", "message": "…"}}),
        ("flat", {"success": False, "code": "NOT_FOUND", "message": "…"}),
        ("text", {"success": False, "error": "NOT_FOUND", "message": "…"}),
        ("list", {"success": False, "errors": [{"code": "NOT_FOUND", "message": "…"}]}),
        (
            "problem",
            {
                "type": "about:blank",
                "title": "NOT_FOUND",
                "status": 404,
                "detail": "…",
                "code": "NOT_FOUND",
            },
        ),
    ],
)
def test_error_layout(many, layout, body):
    answer = get(many(error_layout=layout), "/v1/projects/proj_0")
    text = answer.text.replace("There is no such record.", "…")
    assert requests.models.complexjson.loads(text) == body


def test_error_layout_html_is_not_json(many):
    answer = get(many(error_layout="html"), "/v1/projects/proj_0")
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "404 NOT_FOUND" in answer.text


@pytest.mark.parametrize(
    ("bounds", "bare", "date_to", "expected"),
    [
        ("inclusive", "midnight", "2026-10-14", ["fl_4", "fl_3", "fl_2"]),
        ("inclusive", "whole_day", "2026-10-13", ["fl_3", "fl_2"]),
        ("exclusive", "whole_day", "20261013", ["fl_3"]),
        ("exclusive", "whole_day", "2026-W42-2", ["fl_3"]),
        ("exclusive", "whole_day", "2026-W43", [f"fl_{n}" for n in range(9, 2, -1)]),
        ("exclusive", "midnight", "2026-10-14", ["fl_3"]),
        ("exclusive", "whole_day", "2026-10-13", ["fl_3"]),
        ("exclusive", "whole_day", "2026-10-13T00:00:00Z", []),
    ],
)
def test_date_bounds_and_bare_date(many, bounds, bare, date_to, expected):
    served = many(date_bounds=bounds, bare_date=bare)
    assert ids(get(served, FLIGHTS, dateFrom="2026-10-12", dateTo=date_to)) == expected


def test_exclusive_bounds_leave_out_their_own_milliseconds_alone(many):
    served = many(date_bounds="exclusive")
    bounds = {"dateFrom": "2026-10-12T23:59:59.999Z", "dateTo": "2026-10-14T00:00:00.001Z"}
    assert ids(get(served, FLIGHTS, **bounds)) == ["fl_4", "fl_3"]


def test_the_whole_of_the_last_day_that_there_is_ends_a_list(many):
    served = many(bare_date="whole_day")
    assert len(ids(get(served, FLIGHTS, dateTo="9999-12-31"))) == 10


@pytest.mark.parametrize("status", ["400", "404"])
def test_page_past_end(many, status):
    served = many(page_past_end=status)
    assert get(served, FLIGHTS, page=2, limit=10).status_code == int(status)
    assert get(served, FLIGHTS, page=2, limit=9).status_code == 200
    assert get(served, "/v1/projects", page=1).status_code == 200


def test_limit_out_of_range(many):
    served = many(limit_out_of_range="400")
    for path in (FLIGHTS, "/v1/equipment", "/v1/projects"):
        assert get(served, path, limit=101).status_code == 400
        assert get(served, path, limit=0).status_code == 400
        assert get(served, path, limit=100).status_code == 200
        assert get(served, path, limit=1).status_code == 200


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("usual", ["eq_a", "eq_c", "eq_b"]),
        ("created_desc", ["eq_a", "eq_c", "eq_b"]),
        ("created_asc", ["eq_b", "eq_c", "eq_a"]),
        ("name", ["eq_c", "eq_b", "eq_a"]),
        ("id", ["eq_a", "eq_b", "eq_c"]),
    ],
)
def test_list_order(serve_records, order, expected):
    equipment = [
        an_equipment("eq_a", name="Z", createdAt="2026-03-01T00:00:00.000Z"),
        an_equipment("eq_b", name="M", createdAt="2026-01-01T00:00:00.000Z"),
        an_equipment("eq_c", name="A", createdAt="2026-02-01T00:00:00.000Z"),
    ]
    services = [
        a_service(
            piece["id"].replace("eq", "svc"),
            **{field: piece[field] for field in ("name", "createdAt")},
            displayOrder=number,
        )
        for number, piece in enumerate(equipment)
    ]
    records = {"equipment": equipment, "services": services}
    served = serve_records(records, Dials(list_order=order))
    assert ids(get(served, "/v1/equipment")) == expected
    in_order = ["svc_a", "svc_b", "svc_c"]  # their own, usually
    if order != "usual":
        in_order = [identifier.replace("eq", "svc") for identifier in expected]
    assert ids(get(served, "/v1/services")) == in_order


@pytest.mark.parametrize(("status", "code"), [("401", "UNAUTHORIZED"), ("403", "FORBIDDEN")])
def test_expired_key(many, status, code):
    served = many(expired_key=status)
    past = datetime.now(UTC) - timedelta(days=1)
    key = served.store.create_key(served.organisation, name="old", expires=past)
    answer = get(served, "/v1/services", key)
    assert (answer.status_code, answer.json()["error"]["code"]) == (int(status), code)


@pytest.mark.parametrize(
    ("names", "header"),
    [
        ("plain", "X-RateLimit-Limit"),
        ("requests", "X-RateLimit-Limit-Requests"),
        ("minute", "X-RateLimit-Limit-Minute"),
    ],
)
def test_rate_limit_names(many, names, header):
    served = many(rate_limit_names=names, quota=77)
    headers = get(served, "/v1/services").headers
    assert headers[header] == "77"
    assert headers[header.replace("Limit-Limit", "Limit-Remaining")] == "76"
    assert header.replace("Limit-Limit", "Limit-Reset") in headers


@pytest.mark.slow
def test_reset_style(many):
    def reset(style):
        return get(many(reset_style=style, window=30), "/v1/services").headers["X-RateLimit-Reset"]

    now = time.time()
    instant = datetime.fromisoformat(reset("iso")).timestamp()
    assert 0 < int(reset("seconds")) <= 30
    for ends in (int(reset("epoch")), int(reset("epoch_ms")) / 1000, instant):
        assert now < ends <= time.time() + 31


@pytest.mark.parametrize(("status", "is_sent"), [("429", True), ("503", True), ("429", False)])
def test_over_quota_and_retry_after(many, status, is_sent):
    served = many(quota=1, window=20, over_quota=status, retry_after=is_sent)
    assert "Retry-After" not in get(served, "/v1/services").headers
    answer = get(served, "/v1/services")
    assert answer.status_code == int(status)
    assert ("Retry-After" in answer.headers) == is_sent
    assert int(answer.headers.get("Retry-After", 0)) in (range(1, 21) if is_sent else [0])


def test_who_waits_as_long_as_retry_after_says_does_not_come_too_early():
    quota = Quota(Dials(quota=1, window=100.9))
    quota.take(1)
    assert quota.headers(quota.take(1))["Retry-After"] == "101"


@pytest.mark.parametrize(("style", "seconds"), [("epoch", 1), ("epoch_ms", 0.001)])
def test_who_waits_until_the_reset_does_not_come_too_early(style, seconds):
    quota = Quota(Dials(window=100.9, reset_style=style))
    status = quota.take(1)
    reset = int(quota.headers(status)["X-RateLimit-Reset"]) * seconds
    assert -1e-5 <= reset - status.ends <= 1  # as near as a float is


def test_no_window_lasts_longer_because_the_clock_went_back(monkeypatch):
    quota = Quota(Dials(quota=1, window=60))
    for clock, exceeded in ((7_200, False), (7_230, True), (3_630, False), (3_631, True)):
        monkeypatch.setattr("time.time", lambda clock=clock: float(clock))
        assert quota.take(1).exceeded is exceeded


@pytest.mark.slow
def test_a_new_window_has_the_whole_quota_again(many):
    served = many(quota=1, window=0.05)
    answers = [get(served, "/v1/services").status_code for _ in range(2)]
    while answers[-1] != 200:
        answers.append(get(served, "/v1/services").status_code)
    assert answers[0] == 200


def test_latency(many):
    served = many(latency=0.05)
    assert get(served, "/v1/services").elapsed >= timedelta(seconds=0.05)


# -- faults ----------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [500, 503])
def test_error_500_and_error_503(many, status):
    answer = get(many(**{f"error_{status}": 1.0}), FLIGHTS)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, "INTERNAL_ERROR")


def test_reset_breaks_the_connection(many):
    with pytest.raises(requests.ConnectionError, match="reset by peer"):
        get(many(reset=1.0), FLIGHTS)


def test_cut_body_ends_in_the_middle(many):
    with pytest.raises((requests.exceptions.ChunkedEncodingError, requests.ConnectionError)):
        get(many(cut_body=1.0), FLIGHTS)


@pytest.mark.slow
def test_slow_body_arrives_whole(many):
    assert ids(get(many(slow_body=1.0), FLIGHTS, limit=2)) == ["fl_9", "fl_8"]


@pytest.mark.slow
def test_the_seed_decides_which_try_of_which_address_fails(many):
    def statuses(seed, pages):
        served = many(error_500=0.5, seed=seed)
        tries = {page: [] for page in pages}
        for page in pages * 5:
            tries[page].append(get(served, FLIGHTS, page=page, limit=1).status_code)
        return tries

    forwards, backwards = statuses(3, [1, 2, 3]), statuses(3, [3, 2, 1])
    assert forwards == backwards
    assert statuses(4, [1, 2, 3]) != forwards
    assert {200, 500} == {status for tries in forwards.values() for status in tries}


# -- lists that move -------------------------------------------------------------------------


def read_all(served, path, limit):
    """Read a list naively; return the ids in their order and the totals of the pages."""
    records, totals, page, more = [], [], 1, True
    while more:
        answer = get(served, path, page=page, limit=limit)
        records += ids(answer)
        pagination = answer.json()["meta"]["pagination"]
        totals.append(pagination["total"])
        page, more = page + 1, pagination["hasMore"]
    return records, totals


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_shifting_changes_a_list_once_in_each_reading_until_the_dial_is_reached(many, seed):
    served = many(shifting=3, seed=seed)
    readings = [read_all(served, FLIGHTS, 3) for _ in range(4)]
    whole = [f"fl_{number}" for number in reversed(range(10))]
    for records, totals in readings[:3]:
        moved = len(set(totals)) > 1 or len(set(records)) != totals[-1]
        assert moved
        assert records != whole
    assert readings[3] == (whole, [10, 10, 10, 10])


def test_shifting_does_not_change_a_list_of_one_page(many):
    served = many(shifting=3)
    assert read_all(served, FLIGHTS, 10)[0] == [f"fl_{number}" for number in reversed(range(10))]


def test_shifting_leaves_a_list_of_one_record_more_than_a_page_its_second_page(many):
    served = many(shifting=1)
    changed, whole = read_all(served, FLIGHTS, 9), read_all(served, FLIGHTS, 9)
    assert changed != whole
    assert (len(set(whole[0])), whole[1]) == (10, [10, 10])


@pytest.mark.parametrize("path", ["/v1/equipment", "/v1/projects"])
def test_shifting_changes_the_other_lists_too(serve_records, tiny_records, path):
    served = serve_records(tiny_records, Dials(shifting=1))
    first, then = read_all(served, path, 1), read_all(served, path, 1)
    assert first != then
    assert len(set(then[0])) == 3
    assert then == read_all(served, path, 1)


# -- dials themselves ------------------------------------------------------------------------


def test_each_dial_has_a_reason_and_its_settings():
    known = Dials.describe()
    for dial in known:
        assert dial.about, dial.name
        assert dial.settings, dial.name
    quoted = {option.about for option in known}
    about_data = {"units", "nullability"}
    assert {says for name, says in NOT_SHOWN.items() if name not in about_data} <= quoted


@pytest.mark.parametrize("options", [Dials, Limits])
def test_each_dial_and_limit_is_described_where_help_shows_it_and_turned_by_a_test(options):
    described = re.findall(r"^    (\w+(?:, \w+)*) : ", options.__doc__, re.MULTILINE)
    names = {field.name for field in fields(options)}
    assert {name for line in described for name in line.split(", ")} == names
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    assert [name for name in names if not re.search(rf'\b{name}=|"{name}"', tests)] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("error_layout", "xml"),
        ("latency", -1),
        ("cut_body", 1.5),
        ("quota", 1.5),
        ("quota", 0),
        ("window", 0.0),
        ("retry_after", "on"),
        ("shifting", -1),
        ("shifting", 101),
        ("quota", 10**12 + 1),
        ("window", 1e10),
        ("latency", 60.5),
        ("seed", 10**12 + 1),
    ],
)
def test_an_invalid_setting_is_refused_with_the_valid_ones(name, value):
    with pytest.raises(InvalidValue, match=f"Dial {name} = {value!r} is not valid. Settings: "):
        Dials(**{name: value})


MOST = {
    "shifting": 100,
    "quota": 10**12,
    "window": 1e9,
    "latency": 60.0,
    "seed": 10**12,
    "slow_body": 1.0,
}


def test_the_largest_settings_are_valid():
    Dials(**MOST)


@pytest.mark.parametrize("name", MOST)
def test_a_number_that_is_too_large_is_refused_with_the_largest(name):
    with pytest.raises(InvalidValue, match=rf"Settings: .* … {MOST[name]:.0f}\.$"):
        Dials(**{name: 2 * MOST[name]})


def test_shares_of_faults_add_up_to_one_at_most():
    Dials(error_500=0.5, slow_body=0.5)
    Dials(error_500=0.33, reset=0.56, cut_body=0.11)
    for fault in ("cut_body", "slow_body"):
        with pytest.raises(InvalidValue, match="more than 1"):
            Dials(error_500=0.6, **{fault: 0.6})


def test_dials_are_read_from_texts():
    expected = Dials(latency=0.05, quota=5, retry_after=False, error_layout="flat")
    text = "error_layout=flat,quota=5,retry_after=off,latency=0.05"
    assert expected.to_text() == text
    assert Dials.parse(text) == Dials.parse(*text.split(",")) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colour=red", "There is no dial 'colour'. Dials: error_layout, date_bounds, "),
        ("latencey=1", "Did you mean latency?"),
        ("latency=soon", "Dial latency = 'soon' is not valid"),
        ("retry_after=1", "Dial retry_after = '1' is not valid"),
        ("latency", "'latency' is not a dial. Write name=value."),
        ("seed=1,seed=1", "The dial seed is given twice."),
    ],
)
def test_a_text_that_is_not_a_dial_is_an_error(text, message):
    with pytest.raises(InvalidValue, match=re.escape(message)):
        Dials.parse(text)


@pytest.mark.slow
def test_the_environment_sets_up_the_application_for_any_server(tmp_path):
    from fleetkit.server.store import Store

    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    store = Store(url)
    organisation = store.create_organisation("A")
    store.load(organisation, equipment=[an_equipment("eq_1")])
    key = store.create_key(organisation, name="k")
    store.close()
    script = (
        "import requests\n"
        "from fleetkit.server import app\n"
        "from fleetkit.server.running import running\n"
        "with running(app) as base_url:\n"
        f"    headers = {{'X-API-Key': {key!r}}}\n"
        "    for path in ('equipment/eq_1', 'equipment/eq_2'):\n"
        "        print(requests.get(f'{base_url}/v1/{path}', headers=headers, timeout=20).text)\n"
    )
    environment = {
        **os.environ,
        "FLEETKIT_SERVER_DB": url,
        "FLEETKIT_SERVER_DIALS": "error_layout=flat, page_past_end=404",
    }
    run = [sys.executable, "-c", script]
    out = subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout
    record, missing = out.splitlines()
    assert record.startswith('{"success":true,"data":{"id":"eq_1"')
    assert missing.startswith('{"success":false,"code":"NOT_FOUND"')


def test_variables_of_the_server_that_are_empty_count_as_not_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("DB", "DIALS", "LIMITS"):
        monkeypatch.setenv(f"FLEETKIT_SERVER_{name}", "")
    app_from_environment.__wrapped__()  # without the cache of the process
    assert (tmp_path / "fleet.db").exists()
