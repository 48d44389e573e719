"""Connections to a service: each belongs to one process, and can be interrupted while it is made.

A forked process inherits the sockets of its parent. Two processes that read from one socket take
each other's answers, so the child closes its copies, unused, and opens new ones. It also
inherits locks that another thread of the parent may hold, and no thread there will release: so it
starts with new ones.
"""

from __future__ import annotations

import os
import socket
import threading
from collections import deque
from contextlib import suppress
from queue import Empty, Full
from typing import Any
from weakref import WeakSet

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import NameResolutionError, NewConnectionError
from urllib3.util.connection import allowed_gai_family

from fleetkit.client.deadline import Response, StoppedError, current_stop, seconds_left

__all__ = ["POOLS", "interrupt"]

_connections: WeakSet[_Connection] = WeakSet()


class _Connecting:
    """Connections that are being made, so that they can be interrupted from another thread.

    Neither connecting nor the handshake of TLS can wait for an event; but both end at once when
    the connection is shut down. That is done through a duplicate of the socket: while TLS begins,
    no other object holds the socket.
    """

    def __init__(self) -> None:
        # Reentrant: a generator may be collected, and end its load, in the middle of this.
        self._lock = threading.RLock()
        self._sockets: dict[object, tuple[threading.Event, socket.socket]] = {}

    def add(self, connection: object, sock: socket.socket) -> None:
        stop = current_stop()
        with self._lock:
            self._sockets[connection] = stop, sock.dup()
        if stop.is_set():  # it may have been set before there was anything to interrupt
            raise StoppedError

    def remove(self, connection: object) -> None:
        with self._lock:
            _, duplicate = self._sockets.pop(connection, (None, None))
            if duplicate is not None:
                duplicate.close()

    def interrupt(self, stop: threading.Event) -> None:
        with self._lock:
            for event, duplicate in self._sockets.values():
                if event is stop:
                    with suppress(OSError):
                        duplicate.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for _, duplicate in self._sockets.values():
            duplicate.close()


_connecting = _Connecting()


def _after_fork() -> None:
    """Start again in a child: with its copies of the sockets closed, and locks of its own."""
    global _connecting  # noqa: PLW0603 - that of the parent may stay locked
    _connecting.close()
    _connecting = _Connecting()
    for connection in list(_connections):
        connection.close_copy()


if hasattr(os, "register_at_fork"):  # not on Windows, which doesn't fork
    os.register_at_fork(after_in_child=_after_fork)


def interrupt(stop: threading.Event) -> None:
    """End the connections that are being made for requests which `stop` cancels."""
    _connecting.interrupt(stop)


class _Connection(HTTPConnection):
    """A connection of one process, which can be interrupted while it is made."""

    response_class = Response

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _connections.add(self)

    def connect(self) -> None:
        try:
            super().connect()
        finally:
            _connecting.remove(self)

    def _new_conn(self) -> socket.socket:
        """Connect as urllib3 does, but within the deadline and interruptibly."""
        problem: OSError | None = None
        try:
            for family, kind, protocol, _, address in self._addresses():
                sock = socket.socket(family, kind, protocol)
                try:
                    return self._connected(sock, address)
                except OSError as error:
                    problem = error
            raise NewConnectionError(self, f"Failed to connect: {problem}") from problem
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        finally:
            problem = None  # or frame and exception would hold each other

    def _addresses(self) -> list[Any]:
        host = self._dns_host.strip("[]")
        try:
            return socket.getaddrinfo(host, self.port, allowed_gai_family(), socket.SOCK_STREAM)
        except UnicodeError:  # a label that is empty or too long
            raise socket.gaierror(f"{host} is not a valid name") from None

    def _connected(self, sock: socket.socket, address: Any) -> socket.socket:
        try:
            for option in self.socket_options or ():
                sock.setsockopt(*option)
            sock.settimeout(seconds_left())
            _connecting.add(self, sock)
            sock.connect(address)
        except BaseException:
            _connecting.remove(self)
            sock.close()
            raise
        return sock

    def close_copy(self) -> None:
        """Close this process's copy of the socket, and nothing more: the parent may be using it."""
        sock, self.sock = self.sock, None
        with suppress(OSError, AttributeError):
            os.close(sock.detach())


class _TLSConnection(_Connection, HTTPSConnection):
    pass


class _Stack:
    """What urllib3 needs of a queue of connections, last in first out, without a lock.

    A deque's operations are atomic. The lock of a `queue.LifoQueue` may be held by another thread
    at the moment of a fork, and the pool's finalizer would wait for it in the child.
    """

    def __init__(self, maxsize: int) -> None:
        self.maxsize = maxsize
        self._items: deque[Any] = deque()

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        if len(self._items) >= self.maxsize:
            raise Full
        self._items.append(item)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        try:
            return self._items.pop()
        except IndexError:
            raise Empty from None

    def qsize(self) -> int:
        return len(self._items)


class _Pool(HTTPConnectionPool):
    """Connections that stay open between requests, and can be closed while they are idle."""

    ConnectionCls = _Connection
    QueueCls = _Stack  # type: ignore[assignment]

    def close_idle(self) -> None:
        """Close the idle connections; later requests open new ones."""
        pool = self.pool  # none where another thread closes it meanwhile
        if pool is not None:
            # No more than there are now, so that it ends while others put theirs back.
            for _ in range(pool.qsize()):
                with suppress(Empty):
                    if connection := pool.get():
                        connection.close()


class _TLSPool(_Pool, HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


POOLS = {"http": _Pool, "https": _TLSPool}
