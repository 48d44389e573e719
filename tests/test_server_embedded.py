"""The embedded server: a child process that lives as long as its parent, and no longer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
import requests

from fleetkit.errors import FleetkitError
from fleetkit.server import embedded
from fleetkit.server.embedded import EmbeddedServer

pytestmark = pytest.mark.slow

HOLDER = """
import sys
from fleetkit.server.embedded import EmbeddedServer
demo = EmbeddedServer(equipment=16, flights=20)
demo.start()
loaded = [name for name in ("sqlalchemy", "starlette", "uvicorn") if name in sys.modules]
print(demo.base_url, loaded, flush=True)
sys.stdin.read()
"""


LARGE = """
from fleetkit.server import embedded
embedded._MOST_IN_MEMORY = 10
embedded._main(None, 16, 20, 7)
"""


def answers(base_url):
    try:
        return requests.get(f"{base_url}/v1/equipment", timeout=20).status_code == 401
    except requests.ConnectionError:
        return False


@pytest.fixture
def holder():
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.communicate()


def test_it_is_ready_when_it_says_so_and_its_today_is_the_day_that_is_asked_for():
    with EmbeddedServer(as_of=date(2020, 1, 31), equipment=16, flights=50) as demo:
        headers = {"Authorization": f"Bearer {demo.api_key}"}
        answer = requests.get(f"{demo.base_url}/v1/equipment", headers=headers, timeout=20)
        base_url = demo.base_url
    pieces = answer.json()["data"]
    assert len(pieces) == 16
    assert max(piece["updatedAt"] for piece in pieces) < "2020-02-01"
    assert not answers(base_url)


def test_the_parent_loads_neither_database_nor_framework_and_the_server_prints_nothing(holder):
    assert holder.stdout.readline().endswith(" []\n")
    assert holder.communicate(timeout=20) == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_it_ends_when_the_parent_is_killed(holder):
    base_url = holder.stdout.readline().split()[0]
    assert answers(base_url)
    session = requests.Session()
    with session.get(f"{base_url}/v1/equipment", timeout=20, stream=True) as answer:
        line = answer.raw.connection.sock
        os.kill(holder.pid, signal.SIGKILL)
        line.settimeout(20)
        while line.recv(4096):
            pass
    assert not answers(base_url)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
def test_an_interrupt_of_the_keyboard_is_for_the_parent_alone():
    with EmbeddedServer(equipment=16, flights=20) as demo:
        process = demo._finalizer.peek()[2][0]
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        assert answers(demo.base_url)


def test_a_start_that_fails_says_why_and_again_at_the_next_one():
    demo = EmbeddedServer(equipment=1)
    for _ in range(2):
        with pytest.raises(FleetkitError, match="at least 16"):
            demo.start()


def test_a_server_that_is_started_twice_is_one_and_has_no_address_once_it_is_stopped():
    demo = EmbeddedServer(equipment=16, flights=20)
    first = demo.start().base_url
    assert demo.start().base_url == first
    assert repr(demo) == f"EmbeddedServer({first})"  # without the key
    demo.stop()
    assert (demo.base_url, demo.api_key) == ("", "")
    assert not answers(first)


@pytest.mark.skipif(sys.platform == "win32", reason="a console interrupts all of its processes")
def test_a_start_that_is_interrupted_leaves_no_process_and_can_be_repeated():
    demo = EmbeddedServer(equipment=16, flights=20)
    started = []

    def press():
        while demo._finalizer is None:
            pass
        started.append(demo._finalizer.peek()[2][0])
        signal.raise_signal(signal.SIGINT)

    # Tests that a shell runs in the background are started with this signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(press)
            with pytest.raises(KeyboardInterrupt):
                demo.start()
    finally:
        signal.signal(signal.SIGINT, before)
    assert started[0].poll() is not None
    with demo:
        assert answers(demo.base_url)


def test_a_start_that_takes_too_long_says_so_and_what_to_do(monkeypatch):
    monkeypatch.setattr(embedded, "_START_TIMEOUT", 0.0)
    with pytest.raises(FleetkitError) as late:
        EmbeddedServer(equipment=16, flights=20).start()
    assert str(late.value) == (
        "The embedded server did not start: it wasn't ready within 0 s. Try again once the machine "
        "is less busy, or with fewer flights."
    )


def test_files_beside_a_notebook_do_not_get_in_the_way(tmp_path, monkeypatch):
    (tmp_path / "random.py").write_text("raise RuntimeError('not the library')")
    monkeypatch.chdir(tmp_path)
    with EmbeddedServer(equipment=16, flights=20) as demo:
        assert answers(demo.base_url)


@pytest.mark.skipif(sys.platform == "win32", reason="a process can't be asked to end")
@pytest.mark.parametrize("end", [subprocess.Popen.terminate, lambda process: process.stdin.close()])
def test_the_file_of_a_large_organisation_is_gone_with_its_server(tmp_path, end):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", LARGE], env=environment, **pipes) as process:
        ready = json.loads(process.stdout.readline())
        assert answers(ready["base_url"])
        assert len(list(tmp_path.glob("fleetkit-demo-*/demo.db"))) == 1
        end(process)
        assert process.stderr.read() == b""
    assert not list(tmp_path.iterdir())
