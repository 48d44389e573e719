"""Limits: one client can take the server from the others neither by bytes, time nor number."""

from __future__ import annotations

import asyncio
import gc
import json
import select
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress

import pytest
import requests
from conftest import TINY, a_service, lacking, serving
from raw_http import Connection

from fleetkit.errors import InvalidValue
from fleetkit.server.asgi import create_app
from fleetkit.server.dials import Dials
from fleetkit.server.limits import Limits
from fleetkit.server.protocols import PROTOCOLS
from fleetkit.server.running import running

pytestmark = pytest.mark.slow

# Long enough that no test ever waits for it.
NEVER = 3_600.0


@pytest.fixture(params=["h11", "httptools"])
def parser(request):
    """Return the name of each of the two HTTP parsers that uvicorn may have."""
    if request.param not in PROTOCOLS:
        lacking(request.param)
    return request.param


@pytest.fixture
def serve(parser):
    """Return a function that serves records, read by each parser, within limits."""
    with ExitStack() as stack:

        def serve(records=TINY, dials=None, **limits):
            chosen = Limits(**{"request_seconds": NEVER, "idle_seconds": NEVER, **limits})
            served = serving(stack, records, dials)
            app = create_app(served.store, dials, chosen)
            served.base_url = stack.enter_context(running(app, limits=chosen, parser=parser))
            return served

        yield serve


class Clock:
    """The clock of the servers that run: it stands still, however long a test takes."""

    def __init__(self):
        self.now, self.loops = time.monotonic(), set()

    def read(self, loop):
        """Return the time in seconds, for an event loop."""
        if threading.current_thread() is not threading.main_thread():
            self.loops.add(loop)
        return self.now

    def let_pass(self, seconds):
        """Go on by so much, once servers have read what was sent; return when they know of it."""
        self.settle()
        self.now += seconds
        self.settle()

    def settle(self):
        """Wait until what is ready in each server is done."""

        async def turns():
            for _ in range(10):
                await asyncio.sleep(0)
                time.sleep(0.001)

        for loop in tuple(self.loops):
            asyncio.run_coroutine_threadsafe(turns(), loop).result(20)

    def let_pass_until_answered(self, connection, most):
        """Go on by small steps until something arrives, and for so many seconds at most."""
        begun = self.now
        while not has_more(connection) and self.now < begun + most:
            self.let_pass(0.05)


@pytest.fixture
def clock(monkeypatch):
    """Return the clock of the servers that a test starts after it."""
    clock = Clock()

    def read(loop):
        return clock.read(loop)

    monkeypatch.setattr(asyncio.BaseEventLoop, "time", read)
    return clock


def has_more(connection):
    """Return whether something has arrived, or the end."""
    more = select.poll()
    more.register(connection.socket, select.POLLIN)
    return bool(more.poll(0))


def of_length(served, path, length):
    """Return the bytes of a request whose head is that long."""
    head = f"GET {path} HTTP/1.1\r\nHost: x\r\nX-API-Key: {served.api_key}\r\nX-Long: \r\n\r\n"
    return head.replace("X-Long: ", "X-Long: " + "x" * (length - len(head))).encode()


def is_cut_off(connection, piece):
    """Send the same without an end; say whether the server breaks the connection off."""
    try:
        for _ in range(1_000_000):
            connection.socket.sendall(piece)
    except (BrokenPipeError, ConnectionResetError):
        return True
    return False


# -- bytes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [1, 7])
@pytest.mark.parametrize("limit", [1_000, 5_000, 16_384, 200_000])
def test_a_head_as_long_as_the_limit_is_answered_and_a_longer_one_refused(serve, limit, pieces):
    served = serve(header_bytes=limit)
    for length, expected in ((limit, 200), (limit + 1, 431)):
        request = of_length(served, "/v1/services", length)
        step = len(request) // pieces + 1
        with Connection(served.base_url) as connection:
            for start in range(0, len(request), step):
                connection.socket.sendall(request[start : start + step])
            answer = connection.answer()
            assert answer.status == expected
            if expected == 431:
                assert answer.error == (431, "HEADERS_TOO_LARGE")
                assert connection.is_closed()


@pytest.mark.parametrize(
    "start",
    [
        "GET /v1/services?a=",
        "GET /v1/services HTTP/1.1\r\nX-Endless: ",
        "GET /v1/services HTTP/1.1\r\nX-",
        "",
    ],
)
def test_an_endless_head_is_read_no_further_than_the_limit(serve, start):
    served = serve(header_bytes=4_000)
    with Connection(served.base_url) as connection:
        connection.socket.sendall(start.encode())
        assert is_cut_off(connection, b"x" * 1_000)
    with Connection(served.base_url) as connection:
        connection.socket.sendall(start.encode() + b"x" * 4_000)
        answer = connection.answer()
    assert answer.status in ({431} if start else {400, 431})


def test_who_sends_far_too_much_can_still_read_why(serve):
    served = serve()
    with Connection(served.base_url) as connection:
        connection.socket.sendall(b"GET /v1/services HTTP/1.1\r\nX-Long: " + b"x" * 500_000)
        assert connection.answer().error == (431, "HEADERS_TOO_LARGE")
        assert connection.is_closed()


def test_the_limit_is_that_of_each_request_not_of_the_connection(serve):
    served = serve(header_bytes=600)
    with Connection(served.base_url) as connection:
        for _ in range(20):
            assert connection.get("/v1/services", served.api_key).answer().status == 200
        connection.socket.sendall(of_length(served, "/v1/services", 500) * 20)
        assert [connection.answer().status for _ in range(20)] == [200] * 20


def test_a_body_as_long_as_the_limit_is_passed_over_and_a_longer_one_refused(serve):
    served = serve(body_bytes=5_000)
    for length, expected in ((0, 200), (5_000, 200), (5_001, 413), (10**15, 413)):
        with Connection(served.base_url) as connection:
            connection.get("/v1/services", served.api_key, f"Content-Length: {length}")
            connection.socket.sendall(b"x" * min(length, 5_000))
            assert connection.answer().status == expected
            if expected == 200:
                assert connection.get("/v1/services", served.api_key).answer().status == 200


@pytest.mark.parametrize("piece", [b"400\r\n" + b"x" * 1_024 + b"\r\n", b"0" * 1_000, b"1;a" * 300])
def test_an_endless_chunked_body_is_read_no_further_than_the_limit(serve, piece):
    served = serve(body_bytes=5_000)
    with Connection(served.base_url) as connection:
        connection.get("/v1/services", served.api_key, "Transfer-Encoding: chunked")
        assert is_cut_off(connection, piece)


def test_a_body_that_turns_out_too_long_is_refused_in_place_of_the_answer(serve):
    served = serve(body_bytes=5_000, dials=Dials(latency=60.0))
    with Connection(served.base_url) as connection:
        connection.get("/v1/services", served.api_key, "Transfer-Encoding: chunked")
        connection.socket.sendall(b"2710\r\n" + b"x" * 10_000)
        assert connection.answer().error == (413, "CONTENT_TOO_LARGE")
        assert connection.is_closed()


@pytest.mark.parametrize(
    ("limits", "is_within"),
    [
        ({"header_bytes": 600, "body_bytes": 50_000}, True),
        ({"header_bytes": 50_000, "body_bytes": 600}, False),
    ],
)
def test_a_body_has_the_bodys_limit_and_a_head_the_heads(serve, limits, is_within):
    served = serve(**limits)
    with Connection(served.base_url) as connection:
        connection.get("/v1/services", served.api_key, "Transfer-Encoding: chunked")
        assert connection.answer().status == 200
        connection.socket.sendall(b"2710\r\n" + b"x" * 10_000 + b"\r\n0\r\n\r\n")
        if is_within:
            assert connection.get("/v1/services", served.api_key).answer().status == 200
        else:
            assert connection.is_closed()


def test_any_body_may_be_forbidden(serve):
    served = serve(body_bytes=0)
    with Connection(served.base_url) as connection:
        assert connection.get("/v1/services", served.api_key).answer().status == 200
        connection.send("GET / HTTP/1.1", "Host: x", "Content-Length: 1", body=b"x")
        assert connection.answer().error == (413, "CONTENT_TOO_LARGE")


# -- time ------------------------------------------------------------------------------------


def test_a_connection_without_a_request_is_closed(clock, serve):
    served = serve(request_seconds=2.0)
    with Connection(served.base_url) as connection:
        clock.let_pass(1.9)
        assert not has_more(connection)
        clock.let_pass(0.2)
        assert connection.is_closed()


@pytest.mark.parametrize("sent", ["G", "GET /v1/services HTTP/1.1\r\nHost: x\r\n"])
def test_a_request_that_is_not_finished_in_time_is_a_408(clock, serve, sent):
    served = serve(request_seconds=2.0)
    with Connection(served.base_url) as connection:
        connection.socket.sendall(sent.encode())
        clock.let_pass(2.1)
        assert connection.answer().error == (408, "REQUEST_TIMEOUT")
        assert connection.is_closed()


def test_blank_lines_are_not_a_request(clock, serve):
    served = serve(request_seconds=2.0)
    with Connection(served.base_url) as connection:
        connection.socket.sendall(b"\r\n\r\n")
        clock.let_pass(2.1)
        assert connection.answer().status in {400, 408}
        assert connection.is_closed()


def test_neither_does_a_byte_now_and_then_hold_a_connection_open(clock, serve):
    served = serve(request_seconds=2.0)
    with Connection(served.base_url) as connection:
        connection.socket.sendall(b"GET /v1/services HTTP/1.1\r\nX-Slow: ")
        for _ in range(11):
            connection.socket.sendall(b"x")
            clock.let_pass(0.2)
        assert connection.answer().error == (408, "REQUEST_TIMEOUT")


def test_the_second_request_of_a_connection_has_its_time_too(clock, serve):
    served = serve(request_seconds=2.0)
    with Connection(served.base_url) as connection:
        assert connection.get("/v1/services", served.api_key).answer().status == 200
        connection.socket.sendall(b"GET /v1/serv")
        clock.let_pass(2.1)
        assert connection.answer().error == (408, "REQUEST_TIMEOUT")


def test_a_body_that_never_comes_ends_the_connection_after_the_answer(clock, serve):
    served = serve(request_seconds=2.0)
    with Connection(served.base_url) as connection:
        connection.get("/v1/services", served.api_key, "Content-Length: 10")
        assert connection.answer().status == 200
        clock.let_pass(2.1)
        assert connection.is_closed()


def test_an_answer_under_way_is_given_before_its_unfinished_request_ends_the_connection(
    clock, serve
):
    served = serve(dials=Dials(latency=0.3), request_seconds=0.1)
    with Connection(served.base_url) as connection:
        connection.get("/v1/services", served.api_key, "Content-Length: 10")
        clock.let_pass_until_answered(connection, 20.0)
        assert connection.answer().status == 200
        clock.let_pass(0.2)
        assert connection.is_closed()


def test_the_time_of_a_request_begins_with_it_not_with_the_one_before(clock, serve):
    served = serve(request_seconds=2.0)
    with Connection(served.base_url) as connection:
        connection.get("/v1/services", served.api_key, "Content-Length: 1")
        assert connection.answer().status == 200
        clock.let_pass(1.2)
        connection.socket.sendall(b"xGET /v1/services HTTP/1.1\r\n")
        clock.let_pass(1.2)
        assert not has_more(connection)
        connection.send("Host: x", f"X-API-Key: {served.api_key}")
        assert connection.answer().status == 200


def test_an_answer_that_takes_longer_than_a_request_may_is_still_given(clock, serve):
    served = serve(dials=Dials(latency=0.3), request_seconds=0.1)
    with Connection(served.base_url) as connection:
        connection.get("/v1/services", served.api_key)
        clock.let_pass_until_answered(connection, 20.0)
        assert connection.answer().status == 200


def test_an_idle_connection_is_closed(clock, serve):
    served = serve(idle_seconds=2.0)
    with Connection(served.base_url) as connection:
        assert connection.get("/v1/services", served.api_key).answer().status == 200
        clock.let_pass(1.9)
        assert not has_more(connection)
        clock.let_pass(0.2)
        assert connection.is_closed()


def test_a_client_that_takes_nothing_of_its_answer_is_dropped(serve):
    heavy = [a_service(f"svc_{number}", description="x" * 60_000) for number in range(200)]
    served = serve({"services": heavy}, idle_seconds=0.05)
    with Connection(served.base_url) as connection:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.get("/v1/services", served.api_key)
        dropped = select.poll()
        dropped.register(connection.socket, select.POLLERR | select.POLLHUP)
        assert dropped.poll(20_000)


def test_a_client_that_takes_some_of_its_answer_and_then_nothing_is_dropped(serve):
    heavy = [a_service(f"svc_{number}", description="x" * 60_000) for number in range(400)]
    served = serve({"services": heavy}, idle_seconds=0.5)
    with Connection(served.base_url) as connection:
        # A buffer that the system sizes may hold the rest of the answer, and then it is given.
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 200_000)
        connection.get("/v1/services", served.api_key)
        nothing = select.poll()
        with suppress(ConnectionResetError):  # a busy machine may take longer than it may
            for _ in range(8):
                nothing.poll(100)
                connection.reader.read(1_000_000)
        dropped = select.poll()
        dropped.register(connection.socket, select.POLLERR | select.POLLHUP)
        assert dropped.poll(20_000)


def test_a_client_that_takes_its_answer_bit_by_bit_gets_it_whole_and_is_closed_then(clock, serve):
    heavy = [a_service(f"svc_{number}", description="x" * 60_000) for number in range(400)]
    served = serve({"services": heavy}, idle_seconds=1.0)
    with Connection(served.base_url) as connection:
        connection.get("/v1/services", served.api_key)
        taken = 0
        while taken < 24_000_000:
            clock.let_pass(0.1)
            piece = connection.reader.read(1_000_000)
            assert piece, f"the connection was closed after {taken:,} bytes"
            taken += len(piece)
        connection.socket.settimeout(0.1)

        def has_ended():
            clock.let_pass(0.1)
            with suppress(TimeoutError):
                return connection.socket.recv(1_000_000) == b""

        assert any(has_ended() for _ in range(50))


# -- number ----------------------------------------------------------------------------------


def test_silent_connections_make_room_for_those_that_ask(serve):
    served = serve(connections=5)
    with ExitStack() as stack:
        silent = [stack.enter_context(Connection(served.base_url)) for _ in range(50)]
        for connection in silent[::2]:
            connection.socket.sendall(b"GET /v1")  # no whole request either
        with Connection(served.base_url) as connection:
            assert connection.get("/v1/services", served.api_key).answer().status == 200
        assert all(connection.is_closed() for connection in silent[:40])


def test_idle_connections_make_room_too_the_longest_idle_first(serve):
    served = serve(connections=3)
    with ExitStack() as stack:
        first, second, third, fourth = (
            stack.enter_context(Connection(served.base_url)) for _ in range(4)
        )
        assert first.is_closed()
        for connection in (second, third, fourth, second):
            assert connection.get("/v1/services", served.api_key).answer().status == 200
        fifth = stack.enter_context(Connection(served.base_url))
        assert third.is_closed()
        for connection in (second, fourth, fifth):
            assert connection.get("/v1/services", served.api_key).answer().status == 200


def test_connections_that_have_ended_are_not_counted(serve):
    served = serve(connections=3)
    for _ in range(10):
        with Connection(served.base_url) as connection:
            connection.get("/v1/services", served.api_key, "Connection: close")
            assert connection.answer().status == 200
            assert connection.is_closed()
    with ExitStack() as stack:
        silent = [stack.enter_context(Connection(served.base_url)) for _ in range(4)]
        assert silent[0].is_closed()
        for connection in silent[1:]:
            assert connection.get("/v1/services", served.api_key).answer().status == 200


class Waiting:
    """An application that answers requests once it is let."""

    def __init__(self):
        self.go_on, self.loops = asyncio.Event(), []

    async def __call__(self, scope, receive, send):
        """Wait, and answer with nothing."""
        self.loops.append(asyncio.get_running_loop())
        await self.go_on.wait()
        headers = [(b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 204, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def test_where_all_connections_are_busy_another_one_gets_an_error(parser):
    app = Waiting()
    with ExitStack() as stack:
        limits = Limits(connections=2)
        base_url = stack.enter_context(running(app, limits=limits, parser=parser))
        busy = [stack.enter_context(Connection(base_url)).get("/") for _ in range(2)]
        while len(app.loops) < 2:
            pass
        with Connection(base_url) as connection:
            assert connection.answer().error == (503, "INTERNAL_ERROR")
            assert connection.is_closed()
        app.loops[0].call_soon_threadsafe(app.go_on.set)
        assert [connection.answer().status for connection in busy] == [204, 204]


HUNGRY = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
from fleetkit.server.running import serve
from fleetkit.server.store import Store
serve(Store(sys.argv[1]), port=0, ready=lambda base_url: print(base_url, flush=True))
"""


def test_a_low_limit_of_open_files_does_not_let_silent_connections_lock_others_out(tmp_path):
    command = [sys.executable, "-c", HUNGRY, f"sqlite:///{tmp_path / 'fleet.db'}"]
    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
        ExitStack() as stack,
    ):
        base_url = process.stdout.readline().strip()
        for _ in range(200):
            stack.enter_context(Connection(base_url))
        for _ in range(3):
            assert requests.get(f"{base_url}/v1/services", timeout=10).status_code == 401
        process.terminate()
        assert process.communicate(timeout=30)[1] == ""


# -- pipelined requests ----------------------------------------------------------------------


def test_pipelined_requests_are_answered_in_their_order(serve):
    served = serve()
    paths = ["/v1/equipment/eq_kestrel", "/v1/equipment/eq_camera", "/v1/equipment/eq_spare"] * 200
    with Connection(served.base_url) as connection:
        request = "GET {} HTTP/1.1\r\nHost: x\r\nX-API-Key: {}\r\n\r\n"
        sent = "".join(request.format(path, served.api_key) for path in paths)
        connection.socket.sendall(sent.encode())
        answers = [json.loads(connection.answer().body)["data"]["id"] for _ in paths]
    assert answers == [path.rpartition("/")[2] for path in paths]


@pytest.mark.parametrize(("count", "rest"), [(1, b""), (30, b"GET /v1/pro")])
def test_who_stops_sending_still_gets_an_answer_to_each_whole_request(serve, count, rest):
    served = serve(dials=Dials(latency=0.05))
    request = f"GET /v1/services HTTP/1.1\r\nHost: x\r\nX-API-Key: {served.api_key}\r\n\r\n"
    with Connection(served.base_url) as connection:
        connection.socket.sendall(request.encode() * count + rest)
        connection.socket.shutdown(socket.SHUT_WR)
        assert [connection.answer().status for _ in range(count)] == [200] * count
        assert connection.is_closed()


def test_who_stops_sending_after_malformed_bytes_gets_the_answer_before_them_and_the_error(serve):
    served = serve(dials=Dials(latency=0.5))
    request = f"GET /v1/services HTTP/1.1\r\nHost: x\r\nX-API-Key: {served.api_key}\r\n\r\n"
    with Connection(served.base_url) as connection:
        connection.socket.sendall(request.encode() + b"malformed\r\n\r\n")
        connection.socket.shutdown(socket.SHUT_WR)
        assert [connection.answer().status for _ in range(2)] == [200, 400]
        assert connection.is_closed()


def test_who_stops_sending_within_a_body_gets_no_answer(serve):
    served = serve(dials=Dials(latency=5.0))
    with Connection(served.base_url) as connection:
        connection.get("/v1/services", served.api_key, "Content-Length: 10")
        connection.socket.sendall(b"half")
        connection.socket.shutdown(socket.SHUT_WR)
        assert connection.reader.read() == b""


def test_no_more_is_read_of_a_client_than_requests_are_answered(serve):
    served = serve(dials=Dials(latency=60.0))
    # As long as what the parser gets at once: of more, uvicorn itself would read no further.
    request = of_length(served, "/v1/services", 2_048)
    with Connection(served.base_url) as connection:
        connection.socket.setblocking(False)
        room = select.poll()
        room.register(connection.socket, select.POLLOUT)
        sent = 0
        while sent < 16_000_000 and room.poll(1_000):
            sent += connection.socket.send(request * 1_000)
    assert sent < 16_000_000


def test_few_of_many_pipelined_requests_are_parsed_at_once(parser):
    app = Waiting()

    def cycles():
        module = PROTOCOLS[parser].__mro__[2].__module__
        kind = sys.modules[module].RequestResponseCycle
        return sum(isinstance(item, kind) for item in gc.get_objects())

    with running(app, parser=parser) as base_url, Connection(base_url) as connection:
        connection.socket.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 5_000)
        while not app.loops:
            pass
        assert cycles() <= 200
        app.loops[0].call_soon_threadsafe(app.go_on.set)
        assert {connection.answer().status for _ in range(5_000)} == {204}


def test_the_error_of_malformed_bytes_after_a_request_follows_its_answer(serve):
    served = serve(dials=Dials(latency=0.05))
    with Connection(served.base_url) as connection:
        request = of_length(served, "/v1/services", 300)
        connection.socket.sendall(request + request + b"\x00\x01\x02 rubbish\r\n\r\n")
        assert [connection.answer().status for _ in range(2)] == [200, 200]
        assert connection.answer().error == (400, "BAD_REQUEST")
        assert connection.is_closed()


def test_what_arrives_after_an_error_is_discarded(serve, caplog):
    served = serve()
    with Connection(served.base_url) as connection, Connection(served.base_url) as other:
        connection.socket.sendall(b"malformed\r\n\r\n")
        assert connection.answer().status == 400
        connection.get("/v1/services", served.api_key)
        assert other.get("/v1/services", served.api_key).answer().status == 200
        assert connection.is_closed()
    assert [record.getMessage() for record in caplog.records] == []


# -- settings --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("header_bytes", 0),
        ("header_bytes", 1.5),
        ("connections", True),
        ("body_bytes", -1),
        ("request_seconds", 0),
        ("request_seconds", float("nan")),
        ("idle_seconds", float("inf")),
        ("connections", 0),
        ("header_bytes", 511),
        ("body_bytes", 10**9 + 1),
        ("request_seconds", 0.009),
        ("idle_seconds", 86_401),
        ("connections", 10**6 + 1),
    ],
)
def test_an_invalid_limit_is_refused_with_the_valid_range(name, value):
    with pytest.raises(InvalidValue, match=f"Limit {name} = {value!r} is not valid. Settings: "):
        Limits(**{name: value})


def test_the_least_and_the_largest_limits_are_valid():
    Limits(header_bytes=512, body_bytes=0, request_seconds=0.01, idle_seconds=0.01, connections=1)
    Limits(header_bytes=10**9, body_bytes=10**9, idle_seconds=86_400, connections=10**6)


def test_every_limit_is_described():
    assert all(option.about and option.settings for option in Limits.describe())


@pytest.mark.parametrize("workers", [1, 2])
def test_limits_and_dials_reach_every_worker(tmp_path, workers):
    serve = (
        "import sys\n"
        "from fleetkit.server.running import serve\n"
        "from fleetkit.server.dials import Dials\n"
        "from fleetkit.server.limits import Limits\n"
        "from fleetkit.server.store import Store\n"
        "serve(Store(sys.argv[1]), port=0, workers=int(sys.argv[2]),"
        " dials=Dials(error_layout='flat'), limits=Limits(header_bytes=600, body_bytes=10),"
        " ready=lambda base_url: print(base_url, flush=True))\n"
    )
    command = [sys.executable, "-c", serve, f"sqlite:///{tmp_path / 'fleet.db'}", str(workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        base_url = process.stdout.readline().strip()
        with Connection(base_url) as connection:
            connection.get("/", "x" * 600)
            long = connection.answer()
        with Connection(base_url) as connection:
            heavy = connection.get("/", "", "Content-Length: 11").answer()
        process.terminate()
    assert json.loads(long.body)["code"] == "HEADERS_TOO_LARGE"
    assert json.loads(heavy.body)["code"] == "CONTENT_TOO_LARGE"
