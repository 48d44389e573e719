"""Each failure is one clear error, soon, and without the key."""

import json
import ssl
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest
from hostile import hostile, reply

from fleetkit.client import Client, retry
from fleetkit.errors import (
    ApiError,
    BadRequest,
    Forbidden,
    NotFound,
    RateLimited,
    ServerError,
    Unauthorized,
    UnexpectedAnswer,
    Unreachable,
)

KEY = "key_hunter2"
LAYOUTS = [
    {"success": False, "error": {"code": "CODE", "message": "Some words"}},
    {"success": False, "code": "CODE", "message": "Some words"},
    {"success": False, "error": "CODE", "message": "Some words"},
    {"errors": [{"status": "404", "code": "CODE", "detail": "Some words"}]},
    {"type": "about:blank", "title": "CODE", "status": 404, "detail": "Some words"},
    {"error": {"details": {"reason": {"code": "CODE", "text": "Some words"}}}},
]


def failure(answer, call=lambda client: client.pages("project_list"), **options):
    """Return the error that a call ends in, and the server that was asked."""
    with (
        hostile(answer) as server,
        Client(server.base_url, KEY, **options) as client,
        pytest.raises(ApiError) as caught,
    ):
        call(client)
    shown = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value))
    assert "hunter2" not in shown
    return caught.value, server


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "BAD_REQUEST", BadRequest),
        (401, "UNAUTHORIZED", Unauthorized),
        (403, "FORBIDDEN", Forbidden),
        (404, "NOT_FOUND", NotFound),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_error_of_any_layout_is_raised_at_once_with_code_and_words(status, code, kind, layout):
    body = json.loads(json.dumps(layout).replace("CODE", code))
    error, server = failure(lambda asked: reply(body, status))
    assert (type(error), error.status, error.code) == (kind, status, code)
    assert "Some words" in str(error)
    assert error.request == "GET /v1/projects?page=1&limit=100"
    assert len(server.asked) == 1


def test_a_problem_is_named_by_its_title_not_by_the_address_of_its_type():
    for kind in ("about:blank", "https://errors.example/forbidden"):
        body = {"type": kind, "title": "Forbidden", "status": 403}
        error, _ = failure(lambda asked, body=body: reply(body, 403))
        assert "says “Forbidden”" in str(error)
        assert kind not in str(error)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"null", b"[]", b"\xff\xfe", b"<h1>403</h1>", b"No entry"]
)
def test_an_error_body_that_says_nothing_still_gives_the_error_of_its_status(body):
    error, server = failure(lambda asked: reply(body, 403))
    assert (type(error), error.scope, len(server.asked)) == (Forbidden, "project:read", 1)
    assert "project:read" in str(error)


def test_the_code_is_found_in_plain_text_and_in_a_web_page():
    for body in (b"NOT_FOUND: no such project", b"<!doctype html><title>NOT_FOUND</title>"):
        error, _ = failure(lambda asked, body=body: reply(body, 404, "text/html"))
        assert error.code == "NOT_FOUND"
    error, _ = failure(lambda asked: reply(b"PROXY: no such host", 404, "text/plain"))
    assert error.code is None
    error, _ = failure(lambda asked: reply({"code": "OF_ITS_OWN", "title": "NONE"}, 404))
    assert error.code == "OF_ITS_OWN"
    assert "no such record or path, says OF_ITS_OWN (GET" in str(error)


def test_an_expired_key_is_no_missing_scope_whatever_its_status():
    body = {"error": {"code": "FORBIDDEN", "message": "This API key has expired."}}
    error, _ = failure(lambda asked: reply(body, 403))
    assert (type(error), error.status) == (Unauthorized, 403)


def test_a_key_that_is_refused_is_to_be_checked_wherever_it_may_be():
    error, _ = failure(lambda asked: reply({"code": "UNAUTHORIZED"}, 401))
    assert "Check the key, in FLEETKIT_API_KEY or given to fleetkit setup" in str(error)


def test_a_key_that_the_server_repeats_is_not_repeated_by_us():
    body = {"message": f"The key {KEY} is unknown"}
    error, _ = failure(lambda asked: reply(body, 401))
    assert "The key … is unknown" in str(error)


@pytest.mark.parametrize(
    "answer",
    [
        reply(rb'{"message": "The key key_hunter2\u002B\/= is unknown"}', 401),
        reply(rb'{"success": false, "message": "The key key_\u0068unter2+/= is unknown"}'),
        reply(rb'Notice: {"message": "The key key_\u0068unter2\u002b\/= is', 401, "text/plain"),
        reply(b"X-API-KEY: KEY_HUNTER2+/=", 401, "text/plain"),
        reply(status=302, Location="https://login.example.com/key_hunter2%2B%2f%3D/start"),
        reply(status=302, Location=f"https://login.example.com/{'a' * 160}/key_hunter2+/="),
    ],
)
def test_a_key_that_the_server_repeats_encoded_or_at_the_end_of_a_long_address_is_not_shown(answer):
    with (
        hostile(lambda asked: answer) as server,
        Client(server.base_url, "key_hunter2+/=", patience=0.1) as client,
        pytest.raises(ApiError) as caught,
    ):
        client.pages("project_list")
    assert "unter2" not in str(caught.value).lower()


def test_control_characters_of_the_server_do_not_reach_the_terminal():
    error, _ = failure(lambda asked: reply({"message": "a \x1b[31mred\r\n alarm"}, 400))
    assert "a \\x1b[31mred alarm" in str(error)
    error, _ = failure(lambda asked: reply(status=302, Location="/\x1b[31m"))
    assert "a redirect to /\\x1b[31m, not followed" in str(error)


def test_a_redirect_is_not_followed_and_says_where_it_pointed():
    where = f"https://user:{KEY}@login.example.com/{KEY}/start?token={KEY}#x"
    error, server = failure(lambda asked: reply(status=302, Location=where))
    assert isinstance(error, UnexpectedAnswer)
    assert "a redirect to https://login.example.com/…/start, not followed" in str(error)
    assert len(server.asked) == 1
    for status in (300, 304):  # they name no target
        error, _ = failure(lambda asked, status=status: reply(status=status))
        assert f"The answer is not the API's: status {status} (GET" in str(error)


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("https://127.0.0.1/v1/projects", "a redirect to https://127.0.0.1/v1/projects, not"),
        ("http://127.0.0.1:8443/v1/projects", "a redirect to http://127.0.0.1:8443/v1/projects,"),
        ("//other.example/v1", "a redirect to //other.example/v1, not"),
        ("/login?next=x", "a redirect to /login, not"),
        ("http://[::1", "status 307"),
    ],
)
def test_a_redirect_to_another_scheme_or_port_is_told_from_the_address_itself(where, says):
    error, _ = failure(lambda asked: reply(status=307, Location=where))
    assert says in str(error)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "status", "requests"),
    [
        (b"<!DOCTYPE html><html>Please log in</html>", 200, 3),
        (b"\xef\xbb\xbf\n <html>Please log in</html>", 203, 3),
        (b"<html>Please log in</html>", 511, 1),
    ],
)
def test_a_captive_portal_is_found_within_few_requests(body, status, requests):
    error, server = failure(lambda asked: reply(body, status, "text/html"))
    assert isinstance(error, UnexpectedAnswer)
    assert len(server.asked) == requests


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "headers", "kind", "retryable", "retry_after"),
    [
        (429, {"Retry_After": "3600"}, RateLimited, True, 3600.0),
        (503, {"Retry_After": "3600"}, ServerError, True, 3600.0),
        (500, {}, ServerError, True, None),
        (404, {}, NotFound, False, None),
        # The last request of the window, which had an answer.
        (404, {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "3600"}, NotFound, False, None),
    ],
)
def test_an_error_says_whether_and_when_a_retry_makes_sense(  # noqa: PLR0917
    status, headers, kind, retryable, retry_after, monkeypatch
):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0.0)  # no waits: all attempts are made
    error, _ = failure(lambda asked: reply(b"{}", status, **headers), patience=600)
    assert type(error) is kind
    assert (error.retryable, error.retry_after) == (retryable, retry_after)


@pytest.mark.parametrize(
    "status", [302, 400, 401, 403, 404, 408, 418, 422, 425, 500, 501, 502, 503, 504, 505, 511]
)
def test_the_client_itself_retries_what_its_error_calls_retryable(status, monkeypatch):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0.0)  # no waits: all attempts are made
    error, server = failure(lambda asked: reply(b"{}", status))
    assert error.status == status
    assert error.retryable == (len(server.asked) > 1)
    assert error.retryable or "Try again" not in error.advice


@pytest.mark.parametrize(("n", "longest"), [(0, 0.1), (3, 0.8), (7, 10.0), (99, 10.0)])
def test_a_wait_lies_anywhere_up_to_twice_the_one_before_and_10_seconds(n, longest):
    waits = [retry.jitter(n) for _ in range(200)]
    assert 0 <= min(waits) < longest / 2 < max(waits) <= longest


def test_each_failure_doubles_how_long_the_next_attempt_may_wait(monkeypatch):
    longest = []
    monkeypatch.setattr(retry, "uniform", lambda _, most: longest.append(most) or 0.0)
    failure(lambda asked: reply(status=500))
    assert longest[:4] == [0.1, 0.2, 0.4, 0.8]


def test_an_address_that_does_not_answer_may_be_tried_again(monkeypatch):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0.0)
    error, server = failure(lambda asked: [])
    assert isinstance(error, Unreachable)
    assert (error.retryable, error.retry_after, len(server.asked) > 1) == (True, None, True)


CHUNK = b"Transfer-Encoding: chunked\r\n\r\n-5\r\n"
FAILING = [
    ("a body cut short", lambda asked: [reply({"success": True, "data": []})[:-5]], Unreachable),
    ("JSON cut short", lambda asked: reply(b'{"success": true, "da'), UnexpectedAnswer),
    ("a chunk of -5 bytes", lambda asked: b"HTTP/1.1 200 X\r\n" + CHUNK, Unreachable),
    ("nothing", lambda asked: reply(b""), UnexpectedAnswer),
    ("a bomb", lambda asked: reply(b"[" * 100_000), UnexpectedAnswer),
    ("no UTF-8", lambda asked: reply(b'{"success": true, "x": "\xff"}'), UnexpectedAnswer),
    ("no success", lambda asked: reply({"success": False}), UnexpectedAnswer),
    ("null success", lambda asked: reply({"success": None, "data": []}), UnexpectedAnswer),
    ("no success told", lambda asked: reply({"data": []}), UnexpectedAnswer),
    ("a closed connection", lambda asked: [], Unreachable),
    ("bad gzip", lambda asked: reply(b"{}", Content_Encoding="gzip"), Unreachable),
    *(
        (str(status), lambda asked, status=status: reply(b"<h1>Oops</h1>", status), ServerError)
        for status in (500, 502, 503, 504, 520)
    ),
]


def failure_of_second_attempt(answer, *patience):
    """Return the failure with the first patience within which a busy machine asks twice."""
    for seconds in patience:
        error, server = failure(answer, patience=seconds)
        if len(server.asked) > 1:
            break
    return error, server


@pytest.mark.slow
def test_what_may_pass_is_asked_again_and_given_up_within_the_patience():
    def fail(case):
        return failure_of_second_attempt(case[1], 1.5, 15)

    with ThreadPoolExecutor(len(FAILING)) as pool:
        failures = list(pool.map(fail, FAILING))
    kinds = [
        (name, type(error)) for (name, _, _), (error, _) in zip(FAILING, failures, strict=True)
    ]
    assert kinds == [(name, kind) for name, _, kind in FAILING]
    tries = [len(server.asked) for _, server in failures]
    assert min(tries) > 1
    assert max(tries) <= 10


@pytest.mark.slow
def test_an_attempt_that_patience_cuts_short_gives_the_error_of_the_one_before_it():
    error, server = failure_of_second_attempt(
        lambda asked: reply(status=502) if asked.n == 1 else [60.0], 0.4, 10
    )
    assert (type(error), error.status, len(server.asked)) == (ServerError, 502, 2)


def test_an_attempt_that_ends_before_patience_cuts_it_short_gives_its_own_error():
    # Each attempt is given less than the timeout of 30 s.
    error, server = failure(lambda asked: reply(status=502 if asked.n == 1 else 403), patience=20)
    assert (type(error), len(server.asked)) == (Forbidden, 2)


@pytest.mark.slow
def test_a_failing_server_that_recovers_is_no_error():
    def answer(asked):
        if asked.n < 5:
            return reply(status=(500, 502, 503, 504)[asked.n - 1])
        return reply({"success": True, "data": []})

    with hostile(answer) as server, Client(server.base_url, KEY) as client:
        assert client.pages("service_list") == [b'{"success": true, "data": []}']
    assert len({request.port for request in server.asked}) == 1  # whose connection stays open


def test_a_server_that_answered_once_may_hang_up_5_times_before_it_recovers(monkeypatch):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0.0)
    services = reply({"success": True, "data": []})
    with (
        hostile(lambda asked: [] if 1 < asked.n < 7 else services) as server,
        Client(server.base_url, KEY) as client,
    ):
        pages = [client.pages("service_list") for _ in range(2)]
    assert (pages[0] == pages[1], len(server.asked)) == (True, 7)


@pytest.mark.parametrize("status", [405, 410, 418, 501])
def test_a_status_that_the_api_has_not_is_raised_at_once(status):
    error, server = failure(lambda asked: reply(status=status))
    assert (error.status, len(server.asked)) == (status, 1)


def test_of_other_refusals_only_422_is_of_a_parameter():
    kinds = {
        status: type(failure(lambda asked, status=status: reply(status=status))[0])
        for status in (405, 410, 418, 422)
    }
    assert kinds == {**dict.fromkeys((405, 410, 418), UnexpectedAnswer), 422: BadRequest}


def test_an_answer_of_200_without_success_has_the_code_that_it_names(monkeypatch):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0.0)
    error, _ = failure(lambda asked: reply({"success": False, "code": "INTERNAL_ERROR"}))
    assert (type(error), error.status, error.code) == (UnexpectedAnswer, 200, "INTERNAL_ERROR")


NOTHING = {"page": 1, "limit": 100, "total": 0, "hasMore": False}
NOT_JSON = [
    (
        b'{"success": true, "data": [{"id": "eq_1", "weight": NaN}]}',
        "The answer is not JSON: weight of eq_1 is NaN (GET /v1/projects?page=1&limit=100). "
        "Correct the record in the service, or tell its makers.",
    ),
    (
        b'{"success": true, "data": [{"id": "eq_2", "x": [1, [-Infinity]]}]}',
        "The answer is not JSON: x of eq_2 is -Infinity (",
    ),
    (
        b'{"success": true, "data": [{"id": "eq_3", "at": {"lat": Infinity}}]}',
        "The answer is not JSON: lat is Infinity (",
    ),
    (
        '{"success": true, "data": [{"name": "Müller"}]}'.encode("latin-1"),
        'The answer is not JSON: it is not UTF-8 behind “{"success": true, "data": [{"name": "M” '
        "(GET /v1/projects?page=1&limit=100). JSON is UTF-8: tell the makers of the service.",
    ),
    ('{"success": true}'.encode("utf-16"), "The answer is not JSON: it is not UTF-8 (GET"),
    (
        json.dumps({"success": True, "data": [], "meta": {"pagination": NOTHING}}).encode(
            "utf-16le"
        ),
        "The answer is not JSON: it is not UTF-8 (GET",
    ),
    (
        b'{"success": true, "data": [{"id": "eq_1", "x": %s%s}]}' % (b"[" * 5_000, b"]" * 5_000),
        "The answer can't be read: its values are nested too deeply (GET /v1/projects?page=1&limit"
        "=100). Correct the record in the service, or tell its makers.",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("body", "says"), NOT_JSON, ids=[says[24:40] for _, says in NOT_JSON])
def test_what_is_nearly_json_is_asked_for_3_times_and_named_with_its_place(body, says):
    error, server = failure(lambda asked: reply(body))
    assert str(error).startswith(says)
    assert (type(error), len(server.asked)) == (UnexpectedAnswer, 3)


def test_records_without_success_are_no_answer_of_the_api_and_none_of_their_texts_is_its_error():
    record = {"id": "eq_1", "name": "Drone 1", "type": "DRONE"}
    for body, read in (
        ({"data": [record]}, lambda client: client.pages("equipment_list")),
        (record, lambda client: client.record("equipment", "eq_1")),
    ):
        error, server = failure(lambda asked, body=body: reply(body), read)
        assert str(error).startswith("The answer is not the API's: JSON without `success` (GET")
        assert (error.code, len(server.asked)) == (None, 3)


@pytest.mark.slow
def test_a_dead_server_is_unreachable_within_few_tries():
    with hostile(lambda asked: b"") as server:
        pass
    with Client(server.base_url, KEY) as client, pytest.raises(Unreachable) as caught:
        client.pages("equipment_list")
    assert f"No answer from {server.base_url}: the connection is refused" in str(caught.value)
    assert client.requests_made == 4


HEADERS = "".join(f"X-{number}: 1\r\n" for number in range(120))


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (b"SSH-2.0-OpenSSH_9.6\r\n", "it doesn't speak HTTP (GET"),
        (f"HTTP/1.1 200 X\r\n{HEADERS}\r\n".encode(), "its headers are too long, or too many"),
        (b"HTTP/1.1 200 X\r\nX-A: " + b"a" * 70_000, "its headers are too long, or too many"),
    ],
    ids=["no HTTP", "120 headers", "a long one"],
)
def test_what_is_no_answer_of_http_is_told_from_a_connection_that_broke(sent, says, monkeypatch):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0.0)
    error, server = failure(lambda asked: [sent])
    assert str(error).startswith(f"No answer from {server.base_url}: {says}")
    assert (type(error), len(server.asked)) == (Unreachable, 4)


@pytest.mark.slow
def test_a_name_that_nobody_has_is_unreachable():
    with Client("https://nobody.invalid", KEY) as client, pytest.raises(Unreachable) as caught:
        client.record("project", "proj_1")
    assert caught.value.request == "GET /v1/projects/proj_1"


def test_https_to_a_server_of_plain_http_is_asked_once():
    with hostile(lambda asked: reply()) as server:
        address = server.base_url.replace("http:", "https:")
        with Client(address, KEY) as client, pytest.raises(Unreachable, match="speak https"):
            client.pages("equipment_list")
    assert client.requests_made == 1


def test_https_that_fails_to_begin_otherwise_is_tried_again(monkeypatch):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0.0)
    without_certificate = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with (
        hostile(lambda asked: reply(), without_certificate) as server,
        Client(server.base_url, KEY) as client,
        pytest.raises(Unreachable, match="the connection broke before") as caught,
    ):
        client.pages("equipment_list")
    assert (client.requests_made, caught.value.retryable) == (4, True)


@pytest.mark.slow
@pytest.mark.parametrize("kept_back", [0, 40])
def test_a_server_that_drips_is_given_up_at_the_deadline(kept_back):
    whole = reply({"success": True, "data": []})

    def answer(asked):
        yield whole[:kept_back]
        for n in range(kept_back, len(whole)):
            yield 0.05
            yield whole[n : n + 1]

    error, server = failure(answer, timeout=0.2, patience=0.6)
    assert isinstance(error, Unreachable)
    assert "no whole answer in time" in str(error)
    assert error.advice.endswith("where the service is slow, raise the setting timeout.")
    assert len(server.asked) <= 4


def test_one_answer_may_take_as_long_as_the_timeout_whatever_the_patience_is_else(monkeypatch):
    monkeypatch.setattr("fleetkit.client.client.PATIENCE", 0.02)
    whole = reply({"success": True, "data": []})
    with (
        hostile(lambda asked: [0.1, whole]) as server,
        Client(server.base_url, KEY, timeout=20) as client,
    ):
        assert client.pages("service_list") == [b'{"success": true, "data": []}']


@pytest.mark.slow
def test_a_server_that_says_nothing_is_given_up_at_the_deadline():
    error, _ = failure(lambda asked: [5.0], timeout=0.1, patience=0.3)
    assert isinstance(error, Unreachable)


@pytest.mark.slow
def test_an_answer_without_end_is_cut_off():
    def answer(asked):
        yield b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
        while True:
            yield b" " * 2**20

    error, server = failure(answer)
    assert "far longer than any page" in str(error)
    assert len(server.asked) == 1


@pytest.mark.slow
def test_an_answer_about_another_record_is_no_answer():
    body = reply({"success": True, "data": {"id": "proj_2"}})
    error, _ = failure(lambda asked: body, lambda client: client.record("project", "proj_1"))
    assert "another record than the one asked for" in str(error)


def test_headers_that_hide_how_long_the_answer_is_are_named(monkeypatch):
    monkeypatch.setattr("fleetkit.client.retry.BASE", 0.0)
    ok, odd, length = b"HTTP/1.1 200 OK\r\n", b"no colon\r\n", b"Content-Length: 2\r\n"
    error, _ = failure(lambda asked: ok + odd + length + b"\r\n{}")
    assert "a line of its headers has no colon" in str(error)
    error, _ = failure(lambda asked: ok + length + b"Content-Length: 3\r\n\r\n{} ")
    assert "its headers name two different lengths" in str(error)
    error, _ = failure(lambda asked: ok + length + odd + b"\r\n{}")
    assert "The service did not succeed, though it answered 200" in str(error)


@pytest.mark.parametrize(
    ("auth", "header", "value"),
    [("X-API-Key", "x-api-key", KEY), ("Bearer", "authorization", f"Bearer {KEY}")],
)
def test_the_key_travels_in_one_header_whatever_netrc_says(
    auth, header, value, monkeypatch, tmp_path
):
    netrc = tmp_path / "netrc"
    netrc.write_text("default login someone password else\n")
    monkeypatch.setenv("NETRC", str(netrc))
    _, server = failure(lambda asked: reply(status=401), auth=auth)
    secrets = {"x-api-key", "authorization"} & server.asked[0].headers.keys()
    assert {header_name: server.asked[0].headers[header_name] for header_name in secrets} == {
        header: value
    }


def test_a_proxy_never_sees_requests_to_this_machine(monkeypatch):
    with hostile(lambda asked: reply()) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.base_url)
        _, server = failure(lambda asked: reply(status=401))
    assert (len(server.asked), proxy.asked) == (1, [])


@pytest.mark.parametrize(
    ("proxy", "reason"),
    [
        (
            "socks5://127.0.0.1:9",
            r'a SOCKS proxy needs another package .* Install it: pip install "requests\[socks',
        ),
        ("http://", "ALL_PROXY holds is not a proxy's address"),
        ("http://secret:9:9", "ALL_PROXY holds is not a proxy's address"),
        ("ftp://127.0.0.1:9", "ALL_PROXY holds is not a proxy's address"),
    ],
)
def test_a_proxy_that_can_not_be_one_is_told_of_at_the_first_attempt(proxy, reason, monkeypatch):
    for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", proxy)
    with (
        Client("http://api.example.com", KEY, allow_http=True) as client,
        pytest.raises(Unreachable, match=reason) as caught,
    ):
        client.pages("equipment_list")
    assert (client.requests_made, caught.value.retryable) == (1, False)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("scheme", "status", "expected"),
    [
        (
            "http",
            407,
            "407: the proxy asks for a user and a password (GET /v1/equipment?page=1&limit=100). "
            "Write both, or correct them, in HTTPS_PROXY, HTTP_PROXY or ALL_PROXY: "
            "http://user:password@proxy.example:3128.",
        ),
        (
            "https",
            407,
            "No answer from https://api.example.com: 407: the proxy asks for a user and a password "
            "(GET /v1/equipment?page=1&limit=100). Write both, or correct them, in HTTPS_PROXY, "
            "HTTP_PROXY or ALL_PROXY: http://user:password@proxy.example:3128.",
        ),
        (
            "https",
            403,
            "No answer from https://api.example.com: the proxy refuses with 403 (GET "
            "/v1/equipment?page=1&limit=100). Correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or "
            "name the service's host in NO_PROXY.",
        ),
    ],
)
def test_a_proxy_that_refuses_is_named_with_the_variables_that_lead_to_it(
    scheme, status, expected, monkeypatch
):
    for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with hostile(lambda asked: reply(status=status)) as proxy:
        monkeypatch.setenv(f"{scheme}_proxy", proxy.base_url)
        with (
            Client(f"{scheme}://api.example.com", KEY, allow_http=True) as client,
            pytest.raises(ApiError) as caught,
        ):
            client.pages("equipment_list")
    assert (str(caught.value), client.requests_made) == (expected, 1)


def test_a_refused_key_is_told_of_with_the_other_header():
    error, _ = failure(lambda asked: reply(status=401))
    assert "revoked or expired. Some services take it as Authorization: Bearer (auth=" in str(error)


def test_missing_certificates_are_named_before_anything_is_sent(monkeypatch):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/nowhere/ca.pem")
    with pytest.raises(ValueError, match="/nowhere/ca"):
        Client("https://api.example.com", KEY)
