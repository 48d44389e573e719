"""Whoever closes a client, or leaves a load before its end, leaves no connection open."""

import signal
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep
from types import SimpleNamespace

import pytest
from conftest import TINY
from hostile import flights, hostile, page, records, reply
from interrupting import interrupt_at, lines_of
from processes import PATIENCE, connections_at, connections_to, our_threads

import fleetkit as fk
from fleetkit.client import Client, connections
from fleetkit.errors import DataError, FleetkitError, NotFound, Unreachable

IDS = [f"eq_{n}" for n in range(1, 9)]
HOURS = 3600.0


def found(asked):
    """Answer for one record."""
    return reply({"success": True, "data": records(1, "eq")[0]})


def waiting(most):
    """Return an answer that comes for the first piece of equipment only, and when all wait."""
    arrived = threading.Semaphore(0)

    def answer(asked):
        if "eq_1/" in asked.path:
            return flights(asked)
        arrived.release()
        return [HOURS]

    def wait():
        for _ in range(most):
            assert arrived.acquire(timeout=20)

    return answer, wait


def still_open(server):
    """Return how many connections are open at this end, and at the other one once it is told."""
    ours, ends = connections_to(server.base_url), monotonic() + PATIENCE
    while connections_at(server.base_url) > ours and monotonic() < ends:
        sleep(0.01)
    return ours, connections_at(server.base_url)


def test_a_client_keeps_connections_until_it_is_closed():
    with hostile(flights) as server:
        client = Client(server.base_url, "key_abc")
        dict(client.flight_pages(IDS))
        assert min(still_open(server)) > 0
        client.close()
        assert still_open(server) == (0, 0)
        with client:
            dict(client.flight_pages(IDS))
        assert still_open(server) == (0, 0)


@pytest.mark.slow
def test_a_closed_client_opens_new_connections_when_it_is_asked_again():
    with hostile(flights) as server:
        client = Client(server.base_url, "key_abc")
        client.close()
        for requests in (24, 48):
            assert len(dict(client.flight_pages(IDS))) == 8
            client.close()
            assert (client.requests_made, still_open(server)) == (requests, (0, 0))


@pytest.mark.slow
def test_closing_a_fleet_closes_every_connection(serve_records):
    served = serve_records(TINY)
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.flights()
        assert min(still_open(served)) > 0
    assert still_open(served) == (0, 0)
    assert len(fleet.equipment()) == 3  # what was fetched stays
    assert still_open(served) == (0, 0)
    assert len(fleet.projects()) == 3
    fleet.close()
    assert still_open(served) == (0, 0)


@pytest.mark.slow
def test_a_load_under_way_in_another_thread_ends_when_its_client_is_closed():
    answer, wait = waiting(3)
    with hostile(answer) as server, ThreadPoolExecutor(1) as pool:
        client = Client(server.base_url, "key_abc")
        load = pool.submit(lambda: list(client.flight_pages(IDS[1:])))
        wait()
        client.close()
        assert still_open(server) == (0, 0)
        with pytest.raises(FleetkitError, match="were closed while it was read"):
            load.result(timeout=20)


@pytest.mark.slow
def test_a_single_request_under_way_ends_when_its_client_is_closed():
    answer, wait = waiting(1)
    with hostile(answer) as server, ThreadPoolExecutor(1) as pool:
        client = Client(server.base_url, "key_abc")
        load = pool.submit(client.record, "equipment", "eq_2")
        wait()
        client.close()
        assert still_open(server) == (0, 0)
        with pytest.raises(FleetkitError, match="were closed while it was read"):
            load.result(timeout=20)


def test_idle_connections_are_closed_also_where_another_thread_closes_all_of_them_meanwhile():
    pool = connections.POOLS["http"]("127.0.0.1")
    idle = pool.pool

    class Emptied(connections.POOLS["http"].QueueCls):
        def qsize(self):
            pool.close()  # the other thread's turn
            return 1

    pool.pool = Emptied(idle.maxsize)
    pool.close_idle()
    assert pool.pool is None


def test_a_load_given_up_half_way_but_still_held_is_ended_by_closing():
    with hostile(flights) as server:
        client = Client(server.base_url, "key_abc")
        load = client.flight_pages(IDS)
        next(load)
        client.close()
        assert (still_open(server), our_threads()) == ((0, 0), [])
        with pytest.raises(FleetkitError, match="were closed while it was read"):
            list(load)


@pytest.mark.slow
def test_a_generator_closed_half_way_leaves_no_connection():
    answer, wait = waiting(3)
    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        load = client.flight_pages(IDS)
        next(load)
        wait()
        load.close()
        assert (still_open(server), our_threads()) == ((0, 0), [])


def test_an_error_of_one_request_leaves_no_connection():
    def answer(asked):
        return reply(status=404) if "eq_3" in asked.path else flights(asked)

    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        with pytest.raises(NotFound):
            list(client.flight_pages(IDS))
        assert still_open(server) == (0, 0)
        assert len(dict(client.flight_pages(IDS[:2]))) == 2  # the client is good for another load


@pytest.mark.slow
def test_an_error_of_whoever_reads_leaves_no_connection_though_its_traceback_lives_on(monkeypatch):
    monkeypatch.setattr("fleetkit.tables.flights.BATCH", 1)  # pages are read as they come
    broken = {"id": "fl_1", "durationSeconds": "soon"}
    equipment = records(3, "eq")

    def answer(asked):
        if asked.path.endswith("/flights"):
            return reply(page(asked, [broken])) if "eq_1" in asked.path else [HOURS]
        return reply(page(asked, equipment))

    with hostile(answer) as server:
        fleet = fk.connect(server.base_url, "key_abc", progress=False)
        with pytest.raises(DataError) as caught:
            fleet.flights()
        assert caught.value.__traceback__ is not None
        assert (still_open(server), our_threads()) == ((0, 0), [])


def interrupted(call, wait):
    """Call in the main thread, and press Ctrl-C once `wait` returns."""

    def press():
        wait()
        signal.raise_signal(signal.SIGINT)

    # Tests that a shell runs in the background are started with this signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with ThreadPoolExecutor(1) as pool:
            pressed = pool.submit(press)
            with pytest.raises(KeyboardInterrupt) as caught:
                call()
            pressed.result()
    finally:
        signal.signal(signal.SIGINT, before)
    return caught


@pytest.mark.slow
def test_ctrl_c_leaves_no_connection_of_a_load():
    answer, wait = waiting(4)
    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        caught = interrupted(lambda: list(client.flight_pages(IDS[1:])), wait)
        assert (still_open(server), our_threads()) == ((0, 0), [])
        del caught


@pytest.mark.slow
def test_ctrl_c_leaves_no_connection_of_a_single_request():
    answer, wait = waiting(1)
    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        list(client.flight_pages(IDS[:1]))
        interrupted(lambda: client.record("equipment", "eq_2"), wait)
        assert still_open(server) == (0, 0)


@pytest.mark.slow
def test_whichever_line_ctrl_c_interrupts_the_next_record_is_answered():
    """One request at a time: one that ended uncounted would be waited for for ever."""

    def ask():
        return client.record("equipment", "eq_1")

    with (
        ThreadPoolExecutor(1) as pool,
        hostile(found) as server,
        Client(server.base_url, "key_abc", concurrency=1) as client,
    ):
        whole = ask()
        lines = lines_of(ask, "/fleetkit/client/")
        assert len(lines) > 50
        for line in lines:
            interrupt_at(line, ask)
            assert (line, pool.submit(ask).result(timeout=20)) == (line, whole)


@pytest.fixture
def silent():
    """Yield the port of a listener that takes no connection in, and none of its queue is free."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        fillers = []
        for _ in range(8):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
            fillers.append(filler)
        yield port
        for idle in fillers:
            idle.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.pages("equipment_list"),
        lambda client: client.record("equipment", "eq_1"),
    ],
    ids=["load", "single request"],
)
def test_a_connection_that_is_never_answered_does_not_outlive_its_client(silent, call):
    base_url = f"http://127.0.0.1:{silent}"
    before = connections_to(base_url)
    client = Client(base_url, "key_abc", timeout=60)
    with ThreadPoolExecutor(1) as pool:
        load = pool.submit(call, client)
        while connections_to(base_url) == before:
            assert not load.done()
        client.close()
        assert connections_to(base_url) == before
        with pytest.raises(FleetkitError, match="were closed while it was read"):
            load.result(timeout=20)


@pytest.mark.slow
def test_a_connection_that_is_never_answered_is_given_up_at_the_deadline(silent):
    with (
        Client(f"http://127.0.0.1:{silent}", "key_abc", timeout=0.1, patience=0.2) as client,
        pytest.raises(Unreachable, match="no whole answer in time"),
    ):
        client.pages("equipment_list")


@pytest.mark.slow
def test_the_end_of_one_load_does_not_interrupt_the_connections_of_another(silent):
    base_url = f"http://127.0.0.1:{silent}"
    before = connections_to(base_url)
    client = Client(base_url, "key_abc", timeout=60)
    with ThreadPoolExecutor(1) as pool:
        load = pool.submit(client.pages, "equipment_list")
        while connections_to(base_url) == before:
            assert not load.done()
        connections.interrupt(threading.Event())
        with pytest.raises(TimeoutError):
            load.result(timeout=0.3)
        assert client.requests_made == 1
        client.close()


@pytest.mark.slow
def test_a_name_that_is_found_after_the_end_is_not_connected_to(silent, monkeypatch):
    """Finding a name can take long, and nothing ends it."""
    monkeypatch.setattr("fleetkit.client.workers.LONGEST_JOIN", 0.1)
    asked, closed = threading.Event(), threading.Event()
    resolve = socket.getaddrinfo

    def slow(*arguments):
        asked.set()
        closed.wait()
        return resolve(*arguments)

    monkeypatch.setattr("socket.getaddrinfo", slow)
    client = Client(f"http://127.0.0.1:{silent}", "key_abc", timeout=60)
    with ThreadPoolExecutor(1) as pool:
        load = pool.submit(client.record, "equipment", "eq_1")
        asked.wait()
        client.close()
        closed.set()
        with pytest.raises(FleetkitError, match="were closed while it was read"):
            load.result(timeout=20)


def test_an_address_that_refuses_is_passed_over_for_the_next_one_of_the_name(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as free:
        refusing = free.getsockname()
    with hostile(flights) as server, Client(server.base_url, "key_abc") as client:
        resolve = socket.getaddrinfo

        def two(*arguments):
            [(family, kind, protocol, name, address)] = resolve(*arguments)
            return [(family, kind, protocol, name, target) for target in (refusing, address)]

        monkeypatch.setattr("socket.getaddrinfo", two)
        assert len(dict(client.flight_pages(IDS[:1]))) == 1
        assert client.requests_made == len(server.asked)


@pytest.mark.slow
def test_a_load_that_is_collected_in_a_thread_of_its_own_ends_there():
    """Python may collect a generator in any thread, also in one that holds the lock of its load."""
    with hostile(flights) as server, Client(server.base_url, "key_abc", concurrency=2) as client:
        load = client.flight_pages(IDS)
        next(load)
        [workers] = client._session()._loads

        def collect():
            workers._threads.append(threading.current_thread())
            with workers._lock:
                load.close()
            ended.set()

        ended = threading.Event()
        threading.Thread(target=collect, daemon=True).start()
        assert ended.wait(20)


@pytest.mark.slow
def test_a_handshake_of_tls_that_is_never_answered_does_not_outlive_its_client():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        base_url = f"https://127.0.0.1:{listener.getsockname()[1]}"
        client = Client(base_url, "key_abc", timeout=60)
        with ThreadPoolExecutor(1) as pool:
            load = pool.submit(client.pages, "equipment_list")
            with listener.accept()[0] as accepted:
                assert accepted.recv(1) == b"\x16"  # it has begun to greet
                client.close()
                assert still_open(SimpleNamespace(base_url=base_url)) == (0, 0)
                with pytest.raises(FleetkitError, match="were closed while it was read"):
                    load.result(timeout=20)
