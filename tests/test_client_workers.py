"""Many lists at once: one bound for all, nothing left behind."""

import json
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace

import pytest
from hostile import flights, hostile, page, records, reply
from processes import no_thread, our_threads

import fleetkit.client
from fleetkit.client import Client, workers
from fleetkit.errors import FleetkitError, Forbidden, NotFound

IDS = [f"eq_{n}" for n in range(1, 7)]
HOURS = 3600.0


def test_every_list_comes_whole_and_once():
    with hostile(flights) as server, Client(server.base_url, "key_abc") as client:
        counts = {id: len(pages) for id, pages in client.flight_pages(IDS)}
        assert client.requests_made == len(server.asked) == 18
    assert counts == dict.fromkeys(IDS, 3)
    assert our_threads() == []


def test_the_other_pages_of_a_list_are_read_at_once_when_the_first_has_told_how_many_there_are():
    all_of_them = threading.Barrier(8)

    def answer(asked):
        assert asked.page == 1 or all_of_them.wait(10) >= 0
        return reply(page(asked, records(900, "eq")))

    with hostile(answer) as server, Client(server.base_url, "k", concurrency=8) as client:
        assert len(client.pages("equipment_list")) == 9


def test_pages_of_a_list_already_begun_come_before_another_list():
    with hostile(flights) as server, Client(server.base_url, "k", concurrency=1) as client:
        order = [id for id, _ in client.flight_pages(IDS)]
    assert order == IDS
    assert server.pages == [1, 2, 3] * 6


def test_no_list_is_begun_while_many_pages_wait_for_the_caller(monkeypatch):
    monkeypatch.setattr(workers, "MOST_UNCLAIMED", 4)
    with hostile(flights) as server, Client(server.base_url, "k", concurrency=1) as client:
        lists = client.flight_pages(IDS)
        taken = [next(lists)]
        ends = monotonic() + 10
        while len(server.asked) < 9 and monotonic() < ends:
            sleep(0.01)
        sleep(0.3)
        assert len(server.asked) == 9  # of one list that was taken, and two that wait
        with ThreadPoolExecutor(1) as pool:
            taken += pool.submit(list, lists).result(30)
    assert [id for id, _ in taken] == IDS


def test_no_equipment_is_no_request():
    with Client("http://127.0.0.1:9", "key_abc") as client:
        assert list(client.flight_pages([])) == []
        assert list(client.records("project", [])) == []
        assert client.requests_made == 0


def test_flights_are_begun_while_the_second_page_of_equipment_is_on_its_way():
    begun = threading.Event()

    def answer(asked):
        if "flights" in asked.path:
            begun.set()
            return flights(asked)
        assert asked.page == 1 or begun.wait(10)
        return reply(page(asked, records(101, "eq")))

    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        equipment, lists = client.equipment_and_flight_pages()
        counts = {id: len(pages) for id, pages in lists}
    assert [len(json.loads(body)["data"]) for body in equipment] == [100, 1]
    assert counts == {f"eq_{n}": 3 for n in range(1, 102)}
    assert len(server.asked) == 2 + 101 * 3


def test_flights_of_equipment_that_is_listed_again_are_read_again():
    removed = threading.Event()  # eq_1, once its flights were refused and those of eq_2 read

    def answer(asked):
        if "flights" in asked.path:
            if asked.path.endswith("/eq_1/flights"):
                return reply(status=404)
            if asked.path.endswith("/eq_3/flights"):
                removed.set()
            return reply(page(asked, records(removed.is_set(), "fl")))
        assert asked.page == 1 or removed.wait(10)
        return reply(page(asked, records(102, "eq")[removed.is_set() :]))

    with hostile(answer) as server, Client(server.base_url, "key_abc", concurrency=2) as client:
        _, lists = client.equipment_and_flight_pages()
        counts = sorted((id, len(json.loads(body)["data"])) for id, [body] in lists)
    assert counts == sorted((f"eq_{n}", 1) for n in range(2, 103))
    assert [asked.page for asked in server.asked if "flights" not in asked.path] == [1, 2, 1, 2]


def test_an_error_of_flights_begun_early_comes_after_the_equipment():
    """Of two connections one waits for the list of equipment: the other ends two of three lists."""
    begun = [threading.Event() for _ in range(3)]

    def answer(asked):
        if "flights" not in asked.path:
            assert asked.page == 1 or begun[2].wait(10)
            return reply(page(asked, records(101, "eq")))
        number = int(asked.path.split("/")[3].removeprefix("eq_"))
        if number <= 3:
            begun[number - 1].set()
        return reply(status=403) if number == 2 else reply(page(asked, records(1)))

    with hostile(answer) as server, Client(server.base_url, "key_abc", concurrency=2) as client:
        equipment, lists = client.equipment_and_flight_pages()
        assert [len(json.loads(body)["data"]) for body in equipment] == [100, 1]
        with pytest.raises(Forbidden, match="eq_2"):
            list(lists)
    assert our_threads() == []


def test_equipment_that_can_not_be_read_is_an_error():
    with (
        hostile(lambda asked: reply(status=403)) as server,
        Client(server.base_url, "key_abc") as client,
        pytest.raises(Forbidden, match="GET /v1/equipment"),
    ):
        client.equipment_and_flight_pages()
    assert our_threads() == []


@pytest.mark.slow
def test_all_threads_of_a_program_share_one_bound():
    with (
        hostile(flights) as server,
        Client(server.base_url, "key_abc", concurrency=3) as client,
        ThreadPoolExecutor(4) as pool,
    ):
        counts = list(pool.map(lambda _: len(list(client.flight_pages(IDS))), range(4)))
    assert counts == [6] * 4
    assert server.most_at_once <= 3


@pytest.mark.slow
def test_an_error_stops_the_others_that_wait_for_answers():
    def answer(asked):
        return reply(status=404) if "eq_3" in asked.path else [HOURS]

    with (
        hostile(answer) as server,
        Client(server.base_url, "key_abc") as client,
        pytest.raises(NotFound, match="eq_3"),
    ):
        list(client.flight_pages(IDS))
    assert our_threads() == []


@pytest.mark.parametrize("allowed", [0, 1])
def test_a_load_goes_on_with_the_threads_that_can_be_started_or_says_that_there_are_none(
    allowed, monkeypatch
):
    start = threading.Thread.start

    def start_few(thread):
        name, _, number = thread.name.rpartition("-")
        if name == "fleetkit-reads" and int(number) >= allowed:
            no_thread(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_few)
    with hostile(flights) as server, Client(server.base_url, "k") as client:
        lists = client.flight_pages(IDS)
        if allowed:
            assert {id: len(pages) for id, pages in lists} == dict.fromkeys(IDS, 3)
        else:
            with pytest.raises(FleetkitError, match=r"No thread can be started\. Raise the"):
                list(lists)
    assert our_threads() == []


@pytest.mark.slow
def test_a_generator_closed_early_leaves_no_threads():
    def answer(asked):
        return reply(page(asked, records(50))) if "eq_1" in asked.path else [HOURS]

    with hostile(answer) as server, Client(server.base_url, "key_abc") as client:
        for id, _ in client.flight_pages(IDS):
            assert id == "eq_1"
            break
        assert our_threads() == []


def test_a_generator_that_is_never_begun_asks_nothing():
    with hostile(flights) as server, Client(server.base_url, "key_abc") as client:
        client.flight_pages(IDS)
        assert (server.asked, our_threads()) == ([], [])


def told():
    """Return a progress object and the list of what it is told."""
    calls = []
    progress = SimpleNamespace(
        start=lambda *what: calls.append(what),
        advance=lambda n: calls.extend(["step"] * n),
        done=lambda: calls.append("done"),
    )
    return progress, calls


def test_progress_is_told_in_equipment_for_flights():
    progress, calls = told()
    with hostile(flights) as server, Client(server.base_url, "k", progress=progress) as client:
        list(client.flight_pages(IDS[:2]))
    assert calls == [(2, "Reading flights", "pieces of equipment"), "step", "step", "done"]


def test_progress_is_told_in_pages_for_a_list():
    progress, calls = told()
    with (
        hostile(lambda asked: reply(page(asked, records(250)))) as server,
        Client(server.base_url, "key_abc", progress=progress) as client,
    ):
        client.pages("equipment_list")
    assert calls == [(None, "Reading equipment", "pages"), "step", "step", "step", "done"]


def test_progress_of_details_is_told_in_projects():
    progress, calls = told()
    with (
        hostile(lambda asked: reply({"success": True, "data": {"id": "proj_1"}})) as server,
        Client(server.base_url, "key_abc", progress=progress) as client,
    ):
        list(client.records("project", ["proj_1"]))
    assert calls == [(1, "Reading details of projects", "projects"), "step", "done"]


def test_the_client_knows_nothing_of_frames():
    modules = sorted(Path(fleetkit.client.__file__).parent.glob("*.py"))
    assert Path(fleetkit.client.__file__) in modules
    frames = re.compile(r"\b(?:import|from) (?:pandas|pyarrow|numpy|narwhals|polars)\b")
    assert [path.name for path in modules if frames.search(path.read_text())] == []


@pytest.mark.slow
def test_ctrl_c_ends_a_load_that_waits_for_answers():
    # Jobs of a shell's background are started with interrupts ignored.
    program = """
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from fleetkit.client import Client
        with Client({url!r}, "key_abc") as client:
            try:
                list(client.flight_pages({ids!r}))
            except KeyboardInterrupt:
                print("interrupted")
    """
    waiting = threading.Semaphore(0)

    def answer(asked):
        waiting.release()
        return [HOURS]

    with hostile(answer) as server:
        code = "if True:" + program.format(url=server.base_url, ids=IDS)
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        for _ in range(4):
            waiting.acquire()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=30)
    assert (out.strip(), child.returncode) == (b"interrupted", 0)
