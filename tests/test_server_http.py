"""HTTP of hostile clients and proxies: the same errors from either HTTP parser."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest
import requests
from conftest import TINY, lacking, serving
from raw_http import Connection
from starlette.routing import Route

from fleetkit.server.asgi import create_app
from fleetkit.server.dials import Dials
from fleetkit.server.protocols import PROTOCOLS
from fleetkit.server.running import running
from fleetkit.server.store import Store


@pytest.fixture(scope="module", params=["h11", "httptools"])
def served(request):
    """Serve the tiny organisation with each of the two HTTP parsers that uvicorn may have."""
    if request.param not in PROTOCOLS:
        lacking(request.param)
    with ExitStack() as stack:
        served = serving(stack, TINY)
        app = create_app(served.store)
        served.base_url = stack.enter_context(running(app, parser=request.param))
        yield served


def ask(served, request_line, *headers, body=b"", host="Host: x"):
    """Send a request as written, with a good key; return the answer."""
    lines = [request_line, *([host] if host else []), f"X-API-Key: {served.api_key}", *headers]
    with Connection(served.base_url) as connection:
        return connection.send(*lines, body=body).answer()


MALFORMED = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS handshake \r\n\r\n",
    b"GET /v1/services HTTP/1.1\r\nHost: x\r\nX A: b\r\n\r\n",
    b"GET /v1/services HTTP/1.1\r\nHost: x\r\nX-API-Key : a\r\n\r\n",
    b"GET /v1/services HTTP/1.1\r\nHost: x\r\nX-A: \x00\r\n\r\n",
    b"GET /v1/\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /v1/\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /v1/services?a=\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /v1/services HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\nabc",
    b"GET /v1/services HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    b"GET /v1/services HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nabcd",
    b"GET /v1/services HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    b"GET v1/services HTTP/1.1\r\nHost: x\r\n\r\n",
    b"CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET * HTTP/1.1\r\nHost: x\r\n\r\n",
)


@pytest.mark.parametrize("request_", MALFORMED)
def test_what_is_malformed_is_an_error_in_the_references_layout(served, request_):
    with Connection(served.base_url) as connection:
        connection.socket.sendall(request_)
        answer = connection.answer()
        if answer.headers.get("connection") == "close":
            assert connection.is_closed()
    assert answer.error == (400, "BAD_REQUEST")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_an_enormous_content_length_is_an_error_too(served):
    answer = ask(served, "GET /v1/services HTTP/1.1", "Content-Length: " + "9" * 30)
    assert answer.error in {(400, "BAD_REQUEST"), (413, "CONTENT_TOO_LARGE")}


@pytest.mark.parametrize("layout", ["flat", "list", "problem", "html"])
def test_errors_of_the_connection_have_the_layout_of_all_others(layout):
    with ExitStack() as stack:
        served = serving(stack, TINY, Dials(error_layout=layout))
        with Connection(served.base_url) as connection:
            connection.socket.sendall(MALFORMED[0])
            malformed = connection.answer()
        unknown = ask(served, "GET /v1/services/svc_0 HTTP/1.1")
    assert malformed.headers["content-type"] == unknown.headers["content-type"]
    if layout != "html":
        assert json.loads(malformed.body).keys() == json.loads(unknown.body).keys()


@pytest.mark.parametrize("method", ["FOO", "get", "M-SEARCH", "QUERY", "BREW", "OPTIONS", "POST"])
@pytest.mark.parametrize("path", ["/v1/services", "/", "/openapi.json"])
def test_any_other_method_is_a_405_with_a_code_of_its_own(served, method, path):
    answer = ask(served, f"{method} {path} HTTP/1.1")
    assert answer.error == (405, "METHOD_NOT_ALLOWED")
    assert answer.headers["allow"] == "GET, HEAD"


def test_the_absolute_form_of_a_target_is_the_same_request(served):
    plain = ask(served, "GET /v1/equipment?limit=1 HTTP/1.1")
    for host in ("http://fleet.example", "HTTPS://fleet.example:8443"):
        absolute = ask(served, f"GET {host}/v1/equipment?limit=1 HTTP/1.1")
        assert (absolute.status, absolute.body) == (200, plain.body)
    assert ask(served, "GET http://fleet.example/v2 HTTP/1.1").error == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    "path",
    [
        "//v1/equipment",
        "/v1/equipment/",
        "/v1//equipment",
        "/v1/equipment/eq_kestrel%2Fflights",
        "/v1/equipment/%2e%2e/services",
        "/v1/equipment%2feq_kestrel",
        "/v1/equipment%0A",
        "/v1/equipment/eq_kestrel/flights%0a",
        "/%0A",
    ],
)
def test_only_the_references_paths_find_something(served, path):
    assert ask(served, f"GET {path} HTTP/1.1").error == (404, "NOT_FOUND")


def test_a_request_has_one_host(served):
    assert ask(served, "GET / HTTP/1.1", host="").error == (400, "BAD_REQUEST")
    assert ask(served, "GET / HTTP/1.1", "Host: y").error == (400, "BAD_REQUEST")
    assert ask(served, "GET / HTTP/1.0", host="").status == 200


def test_where_a_body_ends_is_said_once(served):
    both = ("Content-Length: 3", "Transfer-Encoding: chunked")
    answer = ask(served, "GET /v1/services HTTP/1.1", *both, body=b"0\r\n\r\n")
    assert answer.error == (400, "BAD_REQUEST")
    assert answer.headers["connection"] == "close"


def test_two_different_keys_in_one_header_are_a_401(served):
    wrong, same = "X-API-Key: fk_other", f"X-API-Key: {served.api_key}"
    assert ask(served, "GET /v1/services HTTP/1.1", wrong).error == (401, "UNAUTHORIZED")
    assert ask(served, "GET /v1/services HTTP/1.1", same).status == 200
    bearers = ("Authorization: Bearer fk_a", "Authorization: Bearer fk_b")
    assert ask(served, "GET /v1/services HTTP/1.1", *bearers).error == (401, "UNAUTHORIZED")


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/v1/services", "good"),
        ("/v1/equipment?limit=1", "good"),
        ("/v1/equipment/eq_0", "good"),
        ("/v1/equipment/eq_kestrel/flights?orderBy=no", "good"),
        ("/v1/nowhere", "good"),
        ("/v1/services", "fk_wrong"),
        ("/v1/services", ""),
    ],
)
def test_answers_to_a_key_are_neither_cached_nor_sniffed(served, path, key):
    headers = {"X-API-Key": served.api_key if key == "good" else key}
    answer = requests.get(served.base_url + path, headers=headers, timeout=10)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/openapi.json"])
def test_the_public_pages_are_not_sniffed_either(served, path):
    answer = requests.get(served.base_url + path, timeout=10)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    head = requests.head(served.base_url + path, timeout=10)
    assert (head.status_code, head.content) == (200, b"")
    policy = answer.headers.get("Content-Security-Policy", "")
    assert policy.startswith("default-src 'none'") == (path == "/")  # it runs and loads nothing


@pytest.mark.parametrize("dial", ["error_500", "error_503"])
def test_injected_errors_have_the_headers_of_all_others(dial):
    with ExitStack() as stack:
        served = serving(stack, TINY, Dials(**{dial: 1.0}))
        answer = requests.get(f"{served.base_url}/v1/services", timeout=10)
    assert answer.status_code == int(dial[-3:])
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_an_injected_error_of_the_service_is_counted_by_its_quota():
    with ExitStack() as stack:
        served = serving(stack, TINY, Dials(error_500=1.0, quota=5))
        headers = {"X-API-Key": served.api_key}
        url = f"{served.base_url}/v1/services"
        answers = [requests.get(url, headers=headers, timeout=10) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [500, 500, 500]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["4", "3", "2"]


def test_a_fault_of_the_application_itself_is_an_error_by_the_table_too():
    async def fail(_):
        raise RuntimeError("fk_secret")

    app = create_app(Store("sqlite://"))
    app.router.routes.insert(0, Route("/faulty", fail))
    with running(app) as base_url, Connection(base_url) as connection:
        answer = connection.get("/faulty").answer()
    assert answer.error == (500, "INTERNAL_ERROR")
    assert b"fk_secret" not in answer.body


def test_a_request_to_upgrade_is_answered_as_any_other(served):
    upgrade = ("Upgrade: websocket", "Connection: Upgrade")
    assert ask(served, "GET /v1/services HTTP/1.1", *upgrade).status == 200


def test_a_key_that_expires_or_is_revoked_stops_on_an_open_connection(served):
    key = served.store.create_key(served.organisation, name="short")
    with Connection(served.base_url) as connection:
        assert connection.get("/v1/services", key).answer().status == 200
        served.store.revoke_key(key[:11])
        assert connection.get("/v1/services", key).answer().error == (401, "UNAUTHORIZED")
