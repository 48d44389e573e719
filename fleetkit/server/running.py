"""Serving an application over HTTP, in a thread or as the main task of this process."""

from __future__ import annotations

import asyncio
import errno
import multiprocessing
import os
import signal
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from multiprocessing.process import BaseProcess
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.supervisors import Multiprocess

from fleetkit.errors import InvalidValue
from fleetkit.server.asgi import app_from_environment, create_app, environment
from fleetkit.server.dials import Dials
from fleetkit.server.limits import Limits
from fleetkit.server.protocols import PROTOCOLS
from fleetkit.server.store import Store
from fleetkit.ulimits import limit

__all__ = ["listen", "netloc", "running", "serve"]

# The address that only this machine reaches.
_LOCAL = "127.0.0.1"
# Connections that may wait to be accepted.
_BACKLOG = 512
# Files that the process itself needs, including its connections to the database.
_OWN_FILES = 64
# How long pending answers may take once the server is stopped. [s]
_SHUTDOWN_TIMEOUT = 10
# How long one of several workers may take to load, or stand still, before another one replaces it,
# which would take as long on a slow machine. [s]
_WORKER_TIMEOUT = 30


def listen(host: str = _LOCAL, port: int = 0) -> socket.socket:
    """Return a listening socket; port 0 chooses a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Small packets are sent at once; accepted connections inherit the option.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as problem:
        listener.close()
        is_of_port = problem.errno in {errno.EADDRINUSE, errno.EACCES}
        raise InvalidValue(
            f"The server can't listen on {netloc(host, port)}: {problem.strerror}.",
            advice="Choose another port, or 0 for a free one."
            if is_of_port
            else "Choose an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all it has.",
        ) from None
    return listener


def netloc(host: str, port: int) -> str:
    """Return host and port as an address has them.

    Examples
    --------
    >>> netloc("127.0.0.1", 8000), netloc("::1", 8000)
    ('127.0.0.1:8000', '[::1]:8000')
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@contextmanager
def running(app: Any, *, limits: Limits | None = None, parser: str | None = None) -> Iterator[str]:
    """Serve an ASGI application in a thread, for this machine alone, and yield its address.

    Parameters
    ----------
    app : ASGI application
    limits : Limits, optional
        What one client may take of the server.
    parser : {"httptools", "h11"}, optional
        The HTTP parser; default: httptools where it is installed, because it is faster.

    Yields
    ------
    str
        ``http://127.0.0.1:<port>``

    Examples
    --------
    >>> import requests
    >>> with running(create_app(Store("sqlite://"))) as base_url:
    ...     requests.get(f"{base_url}/v1/equipment", timeout=5).status_code
    401
    """
    with listen() as listener:
        server = _EmbeddedServer(uvicorn.Config(app, **_options(limits or Limits(), parser)))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            while not server.ready.wait(0.2):
                if not thread.is_alive():
                    raise RuntimeError("The server ended while starting.")
            yield _address(_LOCAL, listener)
        finally:
            server.stop()
            thread.join()


def _address(host: str, listener: socket.socket) -> str:
    return f"http://{netloc(host, listener.getsockname()[1])}"


def _options(limits: Limits, parser: str | None = None) -> dict[str, Any]:
    """Return the options of uvicorn."""
    limits, backlog = _within_open_files(limits)
    connection = PROTOCOLS[parser or ("httptools" if "httptools" in PROTOCOLS else "h11")]
    return {
        "http": partial(connection, limits=limits, idle_connections=OrderedDict()),
        "timeout_keep_alive": limits.idle_seconds,
        "timeout_graceful_shutdown": _SHUTDOWN_TIMEOUT,
        "timeout_worker_healthcheck": _WORKER_TIMEOUT,
        "backlog": backlog,
        "lifespan": "off",
        # Requests are not logged: an address may contain secrets.
        "log_config": None,
        "log_level": "critical",
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "ws": "none",
    }


def _within_open_files(limits: Limits) -> tuple[Limits, int]:
    """Return limits that the process's limit of open files allows, and the length of the queue.

    A server that can't open another file can't accept a connection, and so can't answer it with an
    error either. asyncio accepts as many connections at once as the queue is long.
    """
    files = limit("RLIMIT_NOFILE") - _OWN_FILES
    backlog = max(min(_BACKLOG, files // 4), 1)
    most = max(min(limits.connections, files - backlog), 1)
    return replace(limits, connections=most), backlog


class _Server(uvicorn.Server):
    """A uvicorn server with a longer queue of connections than it accepts at once."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)


class _EmbeddedServer(_Server):
    """A server that stops at once, without waiting for the next tick of uvicorn."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()
        self._stopping: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        await self.on_tick(0)
        self.ready.set()
        while not (self._stopping.is_set() or self.should_exit):
            try:
                await asyncio.wait_for(self._stopping.wait(), 1.0)
            except TimeoutError:
                await self.on_tick(0)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for task in self.server_state.tasks:
            task.cancel()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    def stop(self) -> None:
        self.should_exit = True  # it may not have begun yet
        if self._loop is not None and self._stopping is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)


def serve(
    store: Store,
    *,
    host: str = _LOCAL,
    port: int = 8000,
    dials: Dials | None = None,
    limits: Limits | None = None,
    workers: int = 1,
    ready: Callable[[str], object] | None = None,
) -> None:
    """Serve a store until the process is stopped (Ctrl+C, SIGTERM, SIGHUP).

    Parameters
    ----------
    store : Store
    host, port : str, int
        Where to listen; port 0 chooses a free one.
    dials : Dials, optional
    limits : Limits, optional
        What one client may take of the server.
    workers : int
        Number of processes; more than one needs a database that they can share.
    ready : callable, optional
        Called with the address as soon as the server accepts connections.

    Raises
    ------
    InvalidValue
        The server can't listen on host and port, or several workers have a database in memory.
    """
    if workers > 1 and store.in_memory:
        raise InvalidValue(
            "Several workers can't share a database in memory.", advice="Use a file."
        )
    ready = ready or (lambda _: None)
    dials, limits = dials or Dials(), limits or Limits()
    with listen(host, port) as listener, suppress(KeyboardInterrupt):
        url = _address(host, listener)
        if workers == 1:
            config = uvicorn.Config(create_app(store, dials, limits), **_options(limits))
            server = _Server(config)
            with server.capture_signals():  # from here on: its loop can't be left half made
                ready(url)
                server.run(sockets=[listener])
        else:
            ready(url)
            os.environ.update(environment(store.url, dials, limits))
            app, file = f"{__name__}:{_worker_app.__name__}", listener.fileno()
            _end_when_hung_up()
            uvicorn.run(app, factory=True, fd=file, workers=workers, **_options(limits))


def _end_when_hung_up() -> None:
    """Let workers end where their terminal is closed, unless nohup started them.

    uvicorn would replace each by another, which nobody sees any more.
    """
    # Windows has no such signal, and no nohup.
    if not hasattr(signal, "SIGHUP") or signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        Multiprocess.handle_hup = Multiprocess.handle_term  # type: ignore[method-assign]


def _worker_app() -> Starlette:
    """Return the application of one of several processes, which ends when their parent does."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=[parent], daemon=True).start()
    return app_from_environment()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)  # the server's own signal, by which it stops in order
