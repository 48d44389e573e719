"""Kernels are forks of one warm process: as alone as new processes, and ended with the report."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import nbformat
import pytest
from a_notebook import notebook
from test_report_notebooks import VALUES

from fleetkit.reports import fork_server
from fleetkit.reports.discovery import discover
from fleetkit.reports.forking import CAN_FORK, ForkedProcess, ForkServer
from fleetkit.reports.kernels import kernels
from fleetkit.reports.notebooks import run
from fleetkit.reports.shared import Shared

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CAN_FORK, reason="this system starts each kernel anew"),
]

# What a notebook leaves behind, and what it finds of others.
LEAVES = """
import os, random, sys
import numpy as np, pandas as pd
import fleetkit as fk
os.environ["LEFT"] = fk.left = sys.left = "here"
pd.set_option("display.max_rows", 7)
os.chdir("/")
"""
FINDS = """
import os, random, sys
import numpy as np, pandas as pd
import fleetkit as fk
left = [os.environ.get("LEFT"), hasattr(fk, "left"), hasattr(sys, "left")]
print(left, pd.get_option("display.max_rows"), os.getcwd() == "/")
print(random.random(), np.random.random())
"""


@pytest.fixture(scope="module")
def server():
    """Return a warm process that no test ends."""
    server = ForkServer({**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    yield server
    server.close()


def open_sockets(pid):
    """Return the sockets that a process has open, as the system names them."""
    links = []
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # it has been closed meanwhile
            links.append(str(file.readlink()))
    return [link for link in links if link.startswith("socket:")]


def printed(path):
    """Return the texts that a notebook's cells printed."""
    outputs = [
        output
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
    ]
    return "".join(output["text"] for output in outputs if "text" in output)


def test_the_warm_process_has_one_socket_and_no_thread_that_a_kernel_lacks(server, tmp_path):
    output = tmp_path / "output"
    process = server.fork(["--version"], tmp_path, output)
    process.wait(timeout=60)
    assert output.read_text().strip()  # the version, so all is imported
    warm = Path(f"/proc/{server.pid}")
    threads = [(task / "comm").read_text().strip() for task in (warm / "task").iterdir()]
    # jemalloc's, which pyarrow and deltalake bring, is made for forks; Polars' cleans up folders.
    needless = {"jemalloc_bg_thd", "polars-ooc-clea"}
    assert [thread for thread in threads if thread not in needless] == threads[:1]
    assert len(open_sockets(server.pid)) == 1


def test_a_notebook_finds_the_debugger_and_a_polars_that_streams_and_gives_memory_back_soon(
    tmp_path, monkeypatch
):
    # Polars' own options, as an import leaves them, then the user's.
    of_polars = subprocess.check_output(
        [sys.executable, "-c", "import os, polars; print(os.environ['_RJEM_MALLOC_CONF'])"],
        env={**os.environ, "_RJEM_MALLOC_CONF": "dirty_decay_ms:300"},
        text=True,
    )
    monkeypatch.setenv("_RJEM_MALLOC_CONF", of_polars.strip())
    engine = "polars.Config.state()['POLARS_ENGINE_AFFINITY']"
    shown = f"debugpy.__name__, {engine}, os.environ['_RJEM_MALLOC_CONF']"
    notebook(tmp_path / "in", "s", f"import debugpy, os, polars; print({shown})")
    with kernels() as manager:
        [done] = run(discover(tmp_path / "in"), VALUES, tmp_path / "build", None, manager)
    assert (done.problem, printed(tmp_path / "build" / "s.ipynb")) == (
        "",
        f"debugpy streaming narenas:{os.cpu_count()},dirty_decay_ms:100,muzzy_decay_ms:0,"
        "dirty_decay_ms:300\n",
    )


def test_folders_are_those_of_whoever_asks_wherever_the_warm_process_was_started(
    server, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").mkdir()
    process = server.fork(["--version"], "work", Path("output"))
    process.wait(timeout=60)
    assert (tmp_path / "output").read_text().strip()


@pytest.mark.usefixtures("warm_kernels")
def test_a_notebook_finds_nothing_of_those_before_it(tmp_path):
    for name in ("a", "b"):
        notebook(tmp_path / "in", name, LEAVES)
    notebook(tmp_path / "then", "c", FINDS)
    notebook(tmp_path / "then", "d", FINDS)
    with kernels() as manager:
        for folder in ("in", "then"):
            done = run(discover(tmp_path / folder), VALUES, tmp_path / "build", None, manager)
            assert [result.problem for result in done] == ["", ""]
    first, second = (printed(tmp_path / "build" / f"{name}.ipynb").split() for name in "cd")
    assert first[:5] == second[:5] == ["[None,", "False,", "False]", "60", "False"]
    assert set(first[5:]).isdisjoint(second[5:])  # random numbers


@pytest.mark.usefixtures("warm_kernels")
def test_kernels_start_as_processes_of_their_own_where_the_warm_one_died(tmp_path):
    notebook(tmp_path / "in", "s", "import os; print(os.getppid())")
    # A server of its own: the one that these tests share is for others after this.
    with closing(ForkServer(dict(os.environ))) as server, kernels() as manager:
        manager.server = server
        os.kill(server.pid, signal.SIGKILL)
        [done] = run(discover(tmp_path / "in"), VALUES, tmp_path / "build", None, manager)
    assert (done.problem, printed(tmp_path / "build" / "s.ipynb")) == ("", f"{os.getpid()}\n")


def running_kernel(server, folder):
    """Return a kernel that has opened its sockets."""
    names = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")
    connection = {
        "transport": "ipc",
        "ip": str(folder / "s"),
        "key": "",
        "signature_scheme": "hmac-sha256",
        **{name: place for place, name in enumerate(names, 1)},
    }
    (folder / "kernel.json").write_text(json.dumps(connection))
    process = server.fork(["-f", str(folder / "kernel.json")], folder, folder / "output")
    while not list(folder.glob("s-*")):
        assert process.poll() is None
        time.sleep(0.02)
    return process


def test_a_kernel_that_runs_ends_with_the_warm_process(tmp_path):
    server = ForkServer(dict(os.environ))
    process = running_kernel(server, tmp_path)
    server.close()
    assert process.poll() == 1


def test_a_kernel_has_no_copy_of_the_socket_by_which_the_end_of_the_warm_process_shows(
    server, tmp_path
):
    process = running_kernel(server, tmp_path)
    warm, kernel = (set(open_sockets(pid)) for pid in (server.pid, process.pid))
    process.kill()
    assert len(warm) == 1
    assert not warm & kernel


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_the_warm_process_ends_with_the_report_though_a_fork_of_the_reports_process_goes_on(
    tmp_path,
):
    server = ForkServer(dict(os.environ))
    server.fork(["--version"], tmp_path, None)
    fork = os.fork()
    if fork == 0:
        signal.alarm(20)
        signal.pause()
    server.close()
    assert os.waitpid(fork, os.WNOHANG) == (0, 0)
    os.kill(fork, signal.SIGKILL)
    os.waitpid(fork, 0)


def test_a_process_that_ends_just_before_it_is_killed_is_no_error(monkeypatch):
    child, kill = subprocess.Popen(["sleep", "60"]), os.kill

    def kill_at_last(pid, number):
        if number:
            kill(pid, number)
            child.wait()
        kill(pid, number)

    monkeypatch.setattr(os, "kill", kill_at_last)
    process = ForkedProcess(child.pid)
    process.kill()
    assert (child.returncode, process.poll()) == (-signal.SIGKILL, 1)


def test_a_process_has_ended_also_before_its_parent_takes_note_of_it():
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert ForkedProcess(child.pid).poll() == 1
    assert child.wait() == 0


def test_kernels_that_end_at_one_moment_are_noted_together_and_end_nothing():
    first, second = (subprocess.Popen(["true"]) for _ in range(2))
    first.wait()  # as by a signal that came while the one before was being handled
    fork_server._running.update([first.pid, second.pid])
    while fork_server._running:
        fork_server._reap()
    assert second.wait() == 0  # of what is no longer a child, nobody can say more
    with pytest.raises(ChildProcessError):
        os.waitpid(second.pid, 0)


def test_what_reports_share_is_released_after_the_last_of_them_whichever_began_first():
    released = []

    @contextmanager
    def server():
        yield "server"
        released.append("server")

    shared, first, second = Shared(), ExitStack(), ExitStack()
    acquired = [report.enter_context(shared.acquired(server)) for report in (first, second)]
    first.close()
    with shared.acquired() as still:
        assert (acquired, still, released) == (["server", "server"], "server", [])
    second.close()
    with shared.acquired() as nothing:
        assert (nothing, released) == (None, ["server"])


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_that_is_made_with_what_reports_share_has_none_of_it():
    shared = Shared()

    @contextmanager
    def server():
        fork = os.fork()
        if fork == 0:
            signal.alarm(10)
            with shared.acquired() as acquired:
                os._exit(acquired is not None)
        yield fork

    with shared.acquired(server) as fork:
        assert os.waitpid(fork, 0)[1] == 0
