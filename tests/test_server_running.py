"""A server in a process of its own, as the command line starts it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading

import pytest
import requests
import uvicorn
from processes import ended_by_hangups

from fleetkit.errors import InvalidValue
from fleetkit.server.asgi import create_app
from fleetkit.server.limits import Limits
from fleetkit.server.running import _EmbeddedServer, _options, listen, serve
from fleetkit.server.store import Store

SERVE = """
import sys
from fleetkit.server.running import serve
from fleetkit.server.dials import Dials
from fleetkit.server.store import Store
serve(Store(sys.argv[1]), port=0, dials=Dials(error_layout="flat"), workers=int(sys.argv[2]),
      ready=lambda base_url: print(base_url, flush=True))
"""


def started(*arguments):
    with ended_by_hangups():
        return subprocess.Popen(
            [sys.executable, "-c", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "stop"), [(1, signal.SIGINT), (2, signal.SIGHUP)])
def test_serve_answers_until_it_is_interrupted_or_its_terminal_is_closed(tmp_path, workers, stop):
    with started(SERVE, f"sqlite:///{tmp_path / 'fleet.db'}", str(workers)) as process:
        base_url = process.stdout.readline().strip()
        answer = requests.get(f"{base_url}/v1/services", timeout=20)
        process.send_signal(stop)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHORIZED")
    assert (out, err) == ("", "")


def test_a_worker_that_takes_half_a_minute_to_load_is_not_replaced():
    options = _options(Limits())
    assert (
        uvicorn.Config(create_app(Store("sqlite://")), **options).timeout_worker_healthcheck == 30
    )


@pytest.mark.slow
def test_workers_whose_parent_is_killed_end_too(tmp_path):
    with started(SERVE, f"sqlite:///{tmp_path / 'fleet.db'}", "2") as process:
        base_url = process.stdout.readline().strip()
        assert requests.get(f"{base_url}/v1/services", timeout=20).status_code == 401
        process.kill()
        process.communicate(timeout=20)  # what a worker that lives on would hold open
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{base_url}/v1/services", timeout=20)


def test_a_signal_before_the_server_runs_ends_it_once_its_address_is_told():
    told = []

    def ready(url):
        signal.raise_signal(signal.SIGINT)
        told.append(url)

    serve(Store("sqlite://"), port=0, ready=ready)
    assert [url.rpartition(":")[0] for url in told] == ["http://127.0.0.1"]


def test_a_server_that_is_stopped_before_it_began_ends():
    app = create_app(Store("sqlite://"))
    with listen() as listener:
        server = _EmbeddedServer(uvicorn.Config(app, **_options(Limits())))
        server.stop()
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        thread.join(timeout=20)
        assert not thread.is_alive()


def test_a_port_that_is_taken_is_an_error_with_advice():
    with listen() as taken, pytest.raises(InvalidValue, match="Choose another port"):
        serve(Store("sqlite://"), port=taken.getsockname()[1])


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_a_host_that_is_not_of_this_machine_is_what_the_advice_is_about(host):
    with pytest.raises(InvalidValue, match=f"listen on {host}:8000: .* Choose an address of this"):
        listen(host, 8000)


def test_several_workers_need_a_database_that_they_share():
    with pytest.raises(InvalidValue, match="Use a file"):
        serve(Store("sqlite://"), workers=2)


def test_small_answers_are_sent_at_once():
    with listen() as listener, socket.create_connection(listener.getsockname()) as _:
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
