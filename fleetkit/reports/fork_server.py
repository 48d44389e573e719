"""A process that has imported what notebooks import, and forks a kernel of itself for each request.

It runs as ``python -m fleetkit.reports.fork_server`` with a socket as its stdin, and with further
modules to import as its arguments; or as a fork of the command line. It starts no thread and opens
no other socket, so that a kernel begins as a new process would (threads of OpenBLAS and jemalloc
are ended and begun anew by these at a fork; the one that Polars has removes what dead processes
left on disk). Requests and answers are lines of JSON; the end of the socket ends it, and every
kernel with it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from fleetkit import garbage, interrupts
from fleetkit.reports.lightening import light_matplotlib

__all__ = ["fork", "main", "serve"]

# Modules that every section notebook needs, or that a kernel imports before its first cell.
PRELOADED = (
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.logger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "deltalake",
    "faulthandler",
    "fleetkit.charts.drawing.svg",
    "fleetkit.mirror",
    "fleetkit.reports.section",
    "ipykernel.debugger",
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "narwhals._arrow.namespace",
    "narwhals._interchange.dataframe",
    "narwhals._namespace",
    "narwhals._pandas_like.namespace",
    "narwhals._polars.dataframe",
    "narwhals._polars.group_by",
    "narwhals._polars.namespace",
    "narwhals.group_by",
    "numpy.random",
    "pandas.core.arrays.arrow._arrow_utils",
    "pandas.core.methods.to_dict",
    "pandas.core.reshape.reshape",
    "pandas.io.formats.html",
    "pandas.io.formats.string",
    "polars",
    "psutil",
    "pyarrow.acero",
    "pyarrow.parquet",
    "sqlite3",
    "tornado.platform.asyncio",
)
# Kernels import it for editors that debug them, which takes longer than the rest of their start.
_DEBUGGER = "debugpy"
# Variables of a kernel that keep their value of this process, not that of the process which asked.
_OWN = ("JPY_PARENT_PID", "MPLBACKEND")
_STDIN, _STDOUT, _STDERR = 0, 1, 2
# Factors by which garbage collections are rarer: a full one, which takes as long as a metric, comes
# after the end of most notebooks; one of young objects is rarer too.
_SELDOM, _LATER = 100, 10
# Process groups of the kernels that run.
_running: set[int] = set()


def main() -> None:
    """Serve as a process of its own."""
    requests = socket.socket(fileno=os.dup(_STDIN))
    _discard(_STDIN)
    serve(requests, sys.argv[1:])


def serve(requests: socket.socket, further: Iterable[str] = ()) -> None:
    """Import, then fork a kernel per request until the socket ends.

    Parameters
    ----------
    requests : socket
    further : iterable of str
        Modules to import besides what notebooks of reports need.
    """
    _import(further)
    signal.signal(signal.SIGCHLD, _reap)
    try:
        with requests.makefile("r", encoding="utf-8") as lines:
            for line in lines:
                kernel = _fork(json.loads(line), requests)
                requests.sendall(f"{kernel}\n".encode())
    finally:
        _end_kernels()


def fork(
    ours: socket.socket, theirs: socket.socket, environ: Mapping[str, str], further: Iterable[str]
) -> int:
    """Let a fork of this process serve, and return its process id.

    What this process has imported is there already. It must have begun no thread, and opened
    nothing that a kernel must not have.

    Parameters
    ----------
    ours, theirs : socket
        A pair; the fork serves the second one.
    environ : dict
        Environment of the fork, and of kernels that are given none.
    further : iterable of str
        As for `serve`.
    """
    server = os.fork()
    if server == 0:
        with contextlib.suppress(BaseException):  # there is nobody to tell
            os.setsid()
            for number in interrupts.STOPS:  # what stops the command ends this one too
                if signal.getsignal(number) == interrupts.end:
                    signal.signal(number, signal.SIG_DFL)
            ours.close()
            for descriptor in (_STDIN, _STDOUT, _STDERR):
                _discard(descriptor)
            os.environ.clear()
            os.environ.update(environ)
            tempfile.tempdir = None  # TMPDIR is another one
            # What the command line hides from its libraries, and the folder of its script.
            for name in [name for name, module in sys.modules.items() if module is None]:
                del sys.modules[name]
            if not sys.flags.safe_path:
                del sys.path[0]
            serve(theirs, further)
        os._exit(0)
    return server


def _discard(descriptor: int) -> None:
    """Let a descriptor read nothing, and what is written to it go nowhere."""
    with Path(os.devnull).open("r+b", buffering=0) as nothing:
        os.dup2(nothing.fileno(), descriptor)


def _import(further: Iterable[str]) -> None:
    # Both are read while ipykernel and matplotlib are imported.
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    # matplotlib would read an analyst's settings beside what is run, too.
    os.chdir(os.environ["TMPDIR"])
    with garbage.paused():
        sys.modules[_DEBUGGER] = None  # type: ignore[assignment] # "not installed"
        with light_matplotlib():  # nobody asks a kernel for help
            for module in (*PRELOADED, *further):
                import_module(module)
        del sys.modules[_DEBUGGER]
        for package in ("fleetkit.metrics", "fleetkit.charts"):
            namespace = import_module(package)
            for name in namespace.__all__:
                getattr(namespace, name)
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(_LATER * young, middle, _SELDOM)


def _reap(*_: Any) -> None:
    """Take note of kernels that ended, so that their process ids say so."""
    for kernel in list(_running):
        # Where another ends meanwhile, this is called within itself, and takes note of both.
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(kernel, os.WNOHANG)[0] == 0:
                continue
        _running.discard(kernel)


def _end_kernels() -> None:
    """Kill the kernels that run, and what they started; none is left when this returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for kernel in _running:
        for kill in (os.killpg, os.kill):  # one that was forked just now leads no group yet
            with contextlib.suppress(ProcessLookupError):
                kill(kernel, signal.SIGKILL)
    for kernel in _running:
        os.waitpid(kernel, 0)


def _fork(request: dict[str, Any], requests: socket.socket) -> int:
    # A kernel that ends at once must be known before its end is.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    kernel = os.fork()
    if kernel == 0:
        _become_kernel(request, requests)
    _running.add(kernel)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    _reap()  # a library's thread may have been told of its end while this one was not
    return kernel


def _become_kernel(request: dict[str, Any], requests: socket.socket) -> NoReturn:
    """Run a kernel in this process, as a new process would, and end it."""
    code = 1
    try:
        os.setsid()
        os.close(requests.detach())  # what reads its lines would keep it open
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        _running.clear()
        if request["output"] is not None:
            with Path(request["output"]).open("ab") as output:
                os.dup2(output.fileno(), _STDOUT)
                os.dup2(output.fileno(), _STDERR)
        os.chdir(request["cwd"])
        if request["environ"] is not None:
            own = {name: os.environ[name] for name in _OWN}
            os.environ.clear()
            os.environ.update({**request["environ"], **own})
        sys.argv = ["ipykernel_launcher", *request["arguments"]]
        # numpy's generator would give every kernel the same numbers.
        np.random.seed()
        import_module("ipykernel.kernelapp").launch_new_instance()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
