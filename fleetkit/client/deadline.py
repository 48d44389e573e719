"""Reading that ends in time: one deadline for a whole answer, and a way to stop at once.

A time-out of requests or urllib3 limits each wait for bytes, so a server that sends one byte a
second never reaches it. Here all reads of an answer share one deadline.
"""

from __future__ import annotations

import io
import socket
import threading
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPResponse
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["POLL_INTERVAL", "Response", "StoppedError", "current_stop", "deadline", "seconds_left"]

# How often a worker that waits for an answer checks whether it should stop. [s]
POLL_INTERVAL = 0.1


class StoppedError(Exception):
    """The work was cancelled: by an error elsewhere, a closed generator, Ctrl-C."""


class _Limits(threading.local):
    """Deadline and stop event of the request that this thread makes.

    requests and urllib3 have no way to pass them on.
    """

    ends = float("inf")
    stop = threading.Event()


_limits = _Limits()


@contextmanager
def deadline(seconds: float, stop: threading.Event) -> Iterator[None]:
    """Let answers that this thread waits for end within `seconds`, or as soon as `stop` is set."""
    _limits.ends, _limits.stop = monotonic() + seconds, stop
    try:
        yield
    finally:
        _limits.ends, _limits.stop = _Limits.ends, _Limits.stop


def seconds_left() -> float | None:
    """Return the seconds until the deadline of this thread's request; None where it has none."""
    left = _limits.ends - monotonic()
    if left <= 0:
        raise TimeoutError("the whole answer took too long")
    return None if left == float("inf") else left


def current_stop() -> threading.Event:
    """Return the event that cancels this thread's request."""
    return _limits.stop


class _Reader(io.RawIOBase):
    """Bytes of a socket, as long as the deadline allows."""

    def __init__(self, sock: socket.socket, file: io.BufferedIOBase) -> None:
        self._sock = sock
        self._file = file  # as long as it isn't closed, the socket stays open

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if _limits.stop.is_set():
                raise StoppedError
            interval = min(seconds_left() or POLL_INTERVAL, POLL_INTERVAL)
            if self._sock.gettimeout() != interval:
                self._sock.settimeout(interval)
            try:
                return self._sock.recv_into(buffer)
            except TimeoutError:
                continue

    def close(self) -> None:
        self._file.close()
        super().close()


class Response(HTTPResponse):
    """An answer that is read within the deadline of the thread that reads it."""

    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp = io.BufferedReader(_Reader(sock, self.fp), 65536)

    def _read_status(self) -> tuple[str, int, str]:
        """Read a status line; what only announces the answer, such as 103, is passed over."""
        protocol, status, reason = super()._read_status()  # type: ignore[misc]
        is_interim = HTTPStatus.SWITCHING_PROTOCOLS < status < HTTPStatus.OK
        # `begin` reads on after this status, and after no other.
        return protocol, HTTPStatus.CONTINUE if is_interim else status, reason
