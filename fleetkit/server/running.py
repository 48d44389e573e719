"""An application served over real HTTP: in a thread of this process, or as this process's work."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import uvicorn

from fleetkit.errors import InvalidValue
from fleetkit.server.asgi import create_app, environment
from fleetkit.server.dials import Dials
from fleetkit.server.limits import Limits
from fleetkit.server.protocols import PROTOCOLS
from fleetkit.server.store import Store

__all__ = ["listen", "running", "serve"]

# Connections that may queue until they are taken.
_BACKLOG = 512
# Files that the process itself needs: its own, and each of a few connections to the database some.
_OWN_FILES = 64
# How long answers under way may take once the server is told to stop. [s]
_LAST_ANSWERS = 10


def listen(host: str = "127.0.0.1", port: int = 0) -> socket.socket:
    """Return a listening socket; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Small packets are sent at once; connections inherit it.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as problem:
        listener.close()
        raise InvalidValue(
            f"{host}:{port} can't be listened on: {problem.strerror}.",
            advice="Choose another port, or 0 for a free one.",
        ) from None
    return listener


@contextmanager
def running(
    app: Any,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    limits: Limits | None = None,
    parser: str | None = None,
) -> Iterator[str]:
    """Serve an ASGI application in a thread and yield its address.

    Parameters
    ----------
    app : ASGI application
    host, port : str, int
        Where to listen; default: a free port that only this machine reaches.
    limits : Limits, optional
        What one client may take of the server.
    parser : {"httptools", "h11"}, optional
        What reads the requests; default: httptools where it is installed, as it is the faster one.

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
    with listen(host, port) as listener:
        server = _EmbeddedServer(uvicorn.Config(app, **_options(limits or Limits(), parser)))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            while not server.ready.wait(0.2):
                if not thread.is_alive():
                    raise RuntimeError("The server ended while starting.")
            yield f"http://{host}:{listener.getsockname()[1]}"
        finally:
            server.stop()
            thread.join()


def _options(limits: Limits, parser: str | None = None) -> dict[str, Any]:
    """Return what uvicorn is to do."""
    limits, backlog = _within_open_files(limits)
    connection = PROTOCOLS[parser or ("httptools" if "httptools" in PROTOCOLS else "h11")]
    return {
        "http": partial(connection, limits=limits, waiting=OrderedDict()),
        "timeout_keep_alive": limits.idle_seconds,
        "timeout_graceful_shutdown": _LAST_ANSWERS,
        "backlog": backlog,
        "lifespan": "off",
        # Requests are not logged: an address may hold what a careless client put there.
        "log_config": None,
        "log_level": "critical",
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "ws": "none",
    }


def _within_open_files(limits: Limits) -> tuple[Limits, int]:
    """Return limits that the process's limit of open files allows, and the longest queue.

    A server without a file left can't take a connection, and so can't even refuse it. asyncio takes
    as many of those that queue as the queue is long before any of them is looked at.
    """
    files = _open_files() - _OWN_FILES
    backlog = max(min(_BACKLOG, files // 4), 1)
    most = max(min(limits.connections, files - backlog), 1)
    return replace(limits, connections=most), backlog


def _open_files() -> int:
    try:
        import resource  # noqa: PLC0415 - not on Windows, which has no such limit
    except ImportError:
        return sys.maxsize
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


class _Server(uvicorn.Server):
    """A uvicorn that lets connections queue, however few of them it takes at once."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)


class _EmbeddedServer(_Server):
    """One that stops at once, where the stock one looks ten times a second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()
        self._stopping: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        await self.on_tick(0)
        self.ready.set()
        while not self._stopping.is_set():
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
        if self._loop is not None and self._stopping is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)


def serve(
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    dials: Dials | None = None,
    limits: Limits | None = None,
    workers: int = 1,
    ready: Callable[[str], object] | None = None,
) -> None:
    """Serve a store until the process is told to stop (Ctrl+C, SIGTERM).

    Parameters
    ----------
    store : Store
    host, port : str, int
        Where to listen; port 0 takes a free one.
    dials : Dials, optional
    limits : Limits, optional
        What one client may take of the server.
    workers : int
        Processes that answer; more than one needs a database that they can share.
    ready : callable, optional
        Told the address as soon as it can be asked.

    Raises
    ------
    InvalidValue
        Host and port can't be had, or several workers were asked for a database in memory.
    """
    if workers > 1 and store.in_memory:
        raise InvalidValue(
            "Several workers can't share a database in memory.", advice="Give it a file."
        )
    with listen(host, port) as listener, suppress(KeyboardInterrupt):
        if ready is not None:
            shown = f"[{host}]" if ":" in host else host
            ready(f"http://{shown}:{listener.getsockname()[1]}")
        dials, limits = dials or Dials(), limits or Limits()
        if workers == 1:
            config = uvicorn.Config(create_app(store, dials, limits), **_options(limits))
            _Server(config).run(sockets=[listener])
        else:
            os.environ.update(environment(store.url, dials, limits))
            line = listener.fileno()
            uvicorn.run("fleetkit.server:app", fd=line, workers=workers, **_options(limits))
