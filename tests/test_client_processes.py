"""A client belongs to its process: what is forked, pickled or copied shares nothing with it."""

import copy
import json
import multiprocessing
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from conftest import TINY
from hostile import flights, hostile, page, records, reply
from processes import connections_to, count_equipment, in_forks, pickled

import fleetkit as fk
from fleetkit import errors
from fleetkit.client import Client, connections, share
from fleetkit.errors import FleetkitError, InvalidValue
from fleetkit.server.embedded import EmbeddedServer

KEY = "key_0123456789abcdef"
IDS = [f"eq_{n}" for n in range(1, 7)]


def owners(client):
    """Return whose flights came for each piece of equipment; each is to have its own only."""
    return {
        id: {row["id"].rsplit("_", 1)[0] for body in bodies for row in json.loads(body)["data"]}
        for id, bodies in client.flight_pages(IDS)
    }


THEIR_OWN = {id: {f"fl_{id}"} for id in IDS}


@pytest.mark.slow
def test_forked_children_open_connections_of_their_own_and_get_their_own_answers():
    with hostile(flights) as server, Client(server.base_url, KEY) as client:
        owners(client)
        before = {request.port for request in server.asked}
        server.asked.clear()
        results = in_forks(4, lambda: [owners(client) for _ in range(3)])
        assert {request.port for request in server.asked} & before == set()
        assert results == [[THEIR_OWN] * 3] * 4
        assert owners(client) == THEIR_OWN


@pytest.mark.slow
def test_a_child_counts_its_own_requests_and_holds_none_of_its_parents_connections():
    with hostile(flights) as server, Client(server.base_url, KEY) as client:
        owners(client)
        assert (client.requests_made, connections_to(server.base_url) > 0) == (18, True)
        [result] = in_forks(1, lambda: (client.requests_made, connections_to(server.base_url)))
        assert result == (0, 0)
        assert connections_to(server.base_url) > 0


@pytest.mark.slow
def test_a_child_forked_while_threads_read_is_not_held_up_by_their_locks():
    """Each lock of the client is held now and then at the moment of one of the forks."""
    over = threading.Event()

    def read(client):
        while not over.is_set():
            owners(client)

    with (
        hostile(flights) as server,
        Client(server.base_url, KEY) as client,
        ThreadPoolExecutor(2) as pool,
    ):
        readers = [pool.submit(read, client) for _ in range(2)]
        try:
            results = [in_forks(1, lambda: owners(client)) for _ in range(8)]
        finally:
            over.set()
    assert [reader.result() for reader in readers] == [None, None]
    assert results == [[THEIR_OWN]] * 8


LOCKS = {
    "client": lambda client: client._lock,
    "session": lambda client: client._session()._lock,
    "limiter": lambda client: client._session()._limiter._condition,
    "connecting": lambda client: connections._connecting._lock,
    "workers": lambda client: next(iter(client._session()._loads))._lock,
}


@pytest.mark.slow
@pytest.mark.parametrize("lock_of", LOCKS.values(), ids=LOCKS)
def test_a_lock_held_by_another_thread_at_the_fork_does_not_stop_the_child(lock_of):
    held, release = threading.Event(), threading.Event()

    def hold(lock):
        with lock:
            held.set()
            release.wait()

    def work(load):
        load.close()
        return owners(client)

    with hostile(flights) as server, Client(server.base_url, KEY) as client:
        load = client.flight_pages(IDS)
        next(load)
        holder = threading.Thread(target=hold, args=(lock_of(client),))
        holder.start()
        held.wait()
        try:
            assert in_forks(1, lambda: work(load)) == [THEIR_OWN]
        finally:
            release.set()
            holder.join()


def asked_by(answer, work):
    """Let a fleet do some work with a service; return the result and the paths that were asked."""
    with hostile(answer) as server, fk.connect(server.base_url, KEY, progress=False) as fleet:
        result = work(fleet)
        return result, [request.path for request in server.asked]


@pytest.mark.slow
def test_what_several_threads_ask_of_a_fleet_at_once_is_read_once():
    def answer(asked):
        kind = "fl" if asked.path.endswith("/flights") else "eq"
        return reply(page(asked, records(3, kind)))

    def work(fleet):
        together = threading.Barrier(8)

        def read(_):
            together.wait()
            return len(fleet.flights()), len(fleet.equipment()), len(fleet.projects())

        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(read, range(8)))

    results, paths = asked_by(answer, work)
    assert results == [(3, 3, 3)] * 8
    # Equipment, the flights of its three pieces, and projects.
    assert len(paths) == 1 + 3 + 1


@pytest.mark.slow
def test_a_refresh_while_a_table_is_read_leaves_nothing_of_before_it():
    first, release = threading.Event(), threading.Event()

    def answer(asked):
        if not first.is_set():
            first.set()
            release.wait()
            return reply(page(asked, records(1, "proj")))
        return reply(page(asked, records(2, "proj")))

    def work(fleet):
        with ThreadPoolExecutor(1) as pool:
            begun = pool.submit(fleet.projects)
            first.wait()
            fleet.refresh()
            release.set()
            return len(begun.result()), len(fleet.projects())

    assert asked_by(answer, work)[0] == (1, 2)


def test_a_child_forked_while_a_fleet_is_read_reads_for_itself():
    arrived, release = threading.Event(), threading.Event()

    def answer(asked):
        if not arrived.is_set():
            arrived.set()
            release.wait()
        return reply(page(asked, records(2, "proj")))

    def work(fleet):
        with ThreadPoolExecutor(1) as pool:
            begun = pool.submit(fleet.projects)
            arrived.wait()
            try:
                in_child = in_forks(1, lambda: len(fleet.projects()))
            finally:
                release.set()
            return in_child, len(begun.result())

    assert asked_by(answer, work)[0] == ([2], 2)


def test_a_child_holds_no_connection_that_another_thread_was_reading_from():
    arrived, release = threading.Event(), threading.Event()

    def answer(asked):
        arrived.set()
        release.wait()
        return reply({"success": True, "data": []})

    with (
        hostile(answer) as server,
        Client(server.base_url, KEY) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        load = pool.submit(client.pages, "service_list")
        arrived.wait()
        assert in_forks(1, lambda: connections_to(server.base_url)) == [0]
        release.set()
        assert len(load.result()) == 1


def test_bars_of_progress_stay_with_the_process_that_asked_for_them():
    told = []
    progress = SimpleNamespace(
        start=lambda *_: told.append("start"), advance=told.append, done=lambda: told.append("done")
    )
    answer = reply({"success": True, "data": []})
    with hostile(lambda asked: answer) as server:
        client = Client(server.base_url, KEY, progress=progress)
        assert in_forks(1, lambda: (client.pages("service_list"), told)[1]) == [[]]
        pickled(client).pages("service_list")
        assert told == []
        copy.copy(client).pages("service_list")
        assert told == ["start", 1, "done"]


@pytest.mark.slow
def test_a_load_that_the_parent_began_is_refused_in_the_child_and_goes_on_in_the_parent():
    with hostile(flights) as server, Client(server.base_url, KEY, concurrency=2) as client:
        load = client.flight_pages(IDS)
        first = next(load)[0]
        with pytest.raises(FleetkitError, match="begun by the process that forked this one"):
            in_forks(1, lambda: next(load))
        in_forks(1, load.close)
        assert sorted([first, *(id for id, _ in load)]) == IDS


def test_a_throttle_of_the_parent_does_not_hold_the_child():
    """The parent is told to wait an hour; the child, another key's or not, asks for itself."""
    hints = {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "3600"}

    def answer(asked):
        return reply({"success": True, "data": []}, **(hints if asked.n == 1 else {}))

    with hostile(answer) as server, Client(server.base_url, KEY, patience=7200) as client:
        client.pages("service_list")
        assert in_forks(1, lambda: len(client.pages("service_list"))) == [1]


@pytest.mark.slow
def test_a_fleet_used_before_the_fork_gives_the_same_tables_in_every_child(tiny):
    def tables(fleet):
        fleet.refresh()
        return [fleet.equipment(), fleet.projects(), fleet.services(), fleet.flights()]

    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        expected = tables(fleet)
        results = [*in_forks(4, lambda: tables(fleet)), tables(fleet)]
    for result in results:
        assert [frame.equals(right) for frame, right in zip(result, expected, strict=True)] == [
            True
        ] * 4


# Pickles and copies


def test_a_pickle_never_holds_the_key():
    client = Client("https://api.example.com", KEY)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert KEY.encode() not in pickle.dumps(client, protocol)
    fleet = fk.connect("https://api.example.com", KEY, progress=False)
    assert KEY.encode() not in pickle.dumps(fleet)
    assert KEY not in repr(vars(client)) + repr(vars(fleet))


@pytest.mark.slow
@pytest.mark.parametrize(
    "twin_of",
    [copy.copy, copy.deepcopy, pickled],
    ids=["copy", "deepcopy", "pickle"],
)
def test_a_copied_fleet_works_on_after_the_first_was_closed(tiny, twin_of):
    fleet = fk.connect(tiny.base_url, tiny.api_key, progress=False, tz="Europe/Oslo")
    fleet = fleet.where(flight_type="TRAINING")
    assert len(fleet.flights()) == 1
    twin = twin_of(fleet)
    fleet.close()
    twin.refresh()
    assert (twin.tz, twin.filter, len(twin.flights())) == ("Europe/Oslo", fleet.filter, 1)
    twin.close()


def test_a_copy_keeps_what_was_fetched_and_a_pickle_leaves_it_behind():
    with hostile(lambda asked: reply(page(asked, []))) as server:
        fleet = fk.connect(server.base_url, KEY, progress=False)
        for twin_of in (lambda client: client, copy.copy, copy.deepcopy):
            twin = twin_of(fleet)
            twin.equipment()
            twin.flights()
        assert [request.path for request in server.asked] == ["/v1/equipment"]
        pickled(fleet).flights()
        assert len(server.asked) == 2


@pytest.mark.slow
def test_closing_a_copy_leaves_the_connections_of_the_first_alone():
    with hostile(lambda asked: reply(page(asked, []))) as server:
        with fk.connect(server.base_url, KEY, progress=False) as fleet:
            fleet.equipment()
            for twin in (copy.copy(fleet), copy.deepcopy(fleet), pickled(fleet)):
                twin.projects()
                twin.close()
                assert connections_to(server.base_url) == 1
        assert connections_to(server.base_url) == 0


def test_a_key_that_opens_only_an_invented_organisation_may_travel_in_a_pickle(monkeypatch):
    key = "key_of_an_invented_organisation"
    share(key)
    client = Client("https://api.example.com", key)
    text = pickle.dumps(client)
    monkeypatch.setattr("fleetkit.client.key._used", set())
    assert pickle.loads(text)._service.key.text == key  # noqa: S301


WORKER = """
import os, pickle, sys
from fleetkit import FleetkitError
task = sys.stdin.buffer.read()
for key in [None, *sys.argv[1:]]:
    if key is not None:
        os.environ["FLEETKIT_API_KEY"] = key
    try:
        print(len(pickle.loads(task).equipment()))
    except FleetkitError as problem:
        print(problem)
"""


def in_a_worker(fleet, *keys):
    """Use a pickled fleet in a process that knows only its environment: no key, then each."""
    done = subprocess.run(
        [sys.executable, "-c", WORKER, *keys],
        input=pickle.dumps(fleet),
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    return done.stdout.decode().splitlines()


@pytest.mark.slow
def test_a_worker_takes_the_key_from_its_environment_if_it_is_the_same_one(
    serve_records, monkeypatch
):
    monkeypatch.delenv("FLEETKIT_API_KEY", raising=False)
    served = serve_records(TINY)
    other = served.store.create_key(served.store.create_organisation("Neighbours"), name="theirs")
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    missing, refused, count = in_a_worker(fleet, other, served.api_key)
    assert "FLEETKIT_API_KEY is not set in this one" in missing
    assert "FLEETKIT_API_KEY holds another key in this one. Set FLEETKIT_API_KEY" in refused
    assert count == "3"


def test_a_key_that_is_missing_is_said_when_it_is_needed_not_while_unpickling(monkeypatch):
    """An error while a task is unpickled would hang a pool of multiprocessing."""
    monkeypatch.delenv("FLEETKIT_API_KEY", raising=False)
    client = pickled(Client("https://api.example.com", KEY))
    monkeypatch.setattr("fleetkit.client.key._used", set())
    assert repr(client) == "Client('https://api.example.com', concurrency=8)"
    with pytest.raises(InvalidValue, match="a pickled fleet never carries its key"):
        client.pages("service_list")
    monkeypatch.setenv("FLEETKIT_API_KEY", KEY)
    assert pickled(client)._service.key.text == KEY


def executor(context):
    return ProcessPoolExecutor(2, context)


def pool(context):
    return context.Pool(2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "pool_of"),
    [("fork", executor), ("fork", pool), ("spawn", executor), ("forkserver", pool)],
)
def test_a_demo_fleet_works_in_a_pool_of_two(method, pool_of):
    fleet = fk.demo(equipment=16, flights=50)
    assert count_equipment(fleet) == 16
    with pool_of(multiprocessing.get_context(method)) as workers:
        assert list(workers.map(count_equipment, [fleet] * 8)) == [16] * 8
    fleet.refresh()
    assert count_equipment(fleet) == 16


@pytest.mark.slow
def test_a_forked_child_that_stops_the_demo_server_leaves_the_parents_running():
    with EmbeddedServer(equipment=16, flights=50) as server:
        in_forks(1, server.stop)
        with Client(server.base_url, server.api_key) as client:
            assert len(client.pages("equipment_list")) == 1


@pytest.mark.slow
def test_a_fleet_works_in_a_worker_of_dask(tiny, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("FLEETKIT_API_KEY", tiny.api_key)
    fleet = fk.connect(tiny.base_url, progress=False)
    fleet.equipment()
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as dask,
    ):
        counts = dask.gather([dask.submit(count_equipment, fleet, pure=False) for _ in range(8)])
    assert counts == [3] * 8


@pytest.mark.parametrize("name", errors.__all__)
def test_an_error_of_a_worker_arrives_as_it_was(name):
    kind = getattr(errors, name)
    error = kind("It failed, at eq_1.", advice="Try again.")
    if isinstance(error, errors.ApiError):
        error = kind("It failed", status=500, code="X", request="GET /v1/equipment", advice="Wait.")
    twin = pickled(error)
    assert (type(twin), str(twin), vars(twin)) == (kind, str(error), vars(error))
