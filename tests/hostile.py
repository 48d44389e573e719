"""A server of a few lines on bare sockets, that sends whatever a test wants sent.

It shares nothing with ``fleetkit.server``, so that the client isn't only tested against our own
reading of HTTP and of the reference.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import sleep
from urllib.parse import parse_qsl


@dataclass
class Asked:
    """The n-th request as it arrived: path undecoded, headers in lower case, the sender's port."""

    n: int
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    port: int

    @property
    def page(self) -> int:
        """Which page is asked for."""
        return int(self.query.get("page", 1))

    @property
    def limit(self) -> int:
        """How many records a page is to hold."""
        return int(self.query.get("limit", 20))


# The bytes of an answer; or pieces of it, with pauses in seconds between them, after which the
# connection is closed.
Sent = bytes | Iterable[bytes | float]


@dataclass
class Hostile:
    """A running server: what it was asked so far."""

    base_url: str
    asked: list[Asked] = field(default_factory=list)
    most_at_once: int = 0

    @property
    def pages(self) -> list[int]:
        """Which pages were asked for, in order of arrival."""
        return [request.page for request in self.asked]


@contextmanager
def hostile(
    answer: Callable[[Asked], Sent], tls: ssl.SSLContext | None = None
) -> Iterator[Hostile]:
    """Serve until the block ends; `answer` says what to send for each request."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        scheme = "https" if tls else "http"
        server = Hostile(f"{scheme}://127.0.0.1:{listener.getsockname()[1]}")
        work = _Work(listener, server, answer, tls)
        thread = threading.Thread(target=work.accept, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            work.end()
            thread.join()


class _Work:
    def __init__(
        self,
        listener: socket.socket,
        server: Hostile,
        answer: Callable[[Asked], Sent],
        tls: ssl.SSLContext | None,
    ) -> None:
        self.listener, self.server, self.answer, self.tls = listener, server, answer, tls
        self.lock = threading.Lock()
        self.under_way = 0
        self.ended = False
        self.connections: list[socket.socket] = []

    def accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def end(self) -> None:
        self.ended = True
        self.listener.shutdown(socket.SHUT_RDWR)
        for connection in self.connections:
            _hang_up(connection)

    def talk(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(OSError):
            if self.tls:
                self.answer_all(self.tls.wrap_socket(connection, server_side=True))
            elif connection.recv(1, socket.MSG_PEEK) in {b"G", b"C"}:  # GET, and CONNECT of a proxy
                self.answer_all(connection)
            else:  # TLS, or nothing
                connection.sendall(b"HTTP/1.1 400 X\r\n\r\n")
                connection.close()

    def answer_all(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            while asked := self.read(lines, connection.getpeername()[1]):
                sent = self.answer(asked)
                if not isinstance(sent, bytes):
                    self.drip(connection, sent)
                    return
                self.leave()
                connection.sendall(sent)

    def drip(self, connection: socket.socket, pieces: Iterable[bytes | float]) -> None:
        for piece in pieces:
            if self.ended:
                break
            if isinstance(piece, bytes):
                connection.sendall(piece)
            else:
                sleep(piece)
        self.leave()
        _hang_up(connection)

    def read(self, lines: Iterable[bytes], port: int) -> Asked | None:
        head = []
        for line in lines:
            if not line.strip():
                break
            head.append(line.decode("latin-1").strip())
        if not head:
            return None
        path, _, query = head[0].split(" ")[1].partition("?")
        pairs = (line.partition(":") for line in head[1:])
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        with self.lock:
            n = len(self.server.asked) + 1
            asked = Asked(n, path, dict(parse_qsl(query)), headers, port)
            self.server.asked.append(asked)
            self.under_way += 1
            self.server.most_at_once = max(self.server.most_at_once, self.under_way)
        return asked

    def leave(self) -> None:
        with self.lock:
            self.under_way -= 1


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def reply(
    body: object = b"", status: int = 200, kind: str = "application/json", **headers: str
) -> bytes:
    """Return a whole HTTP answer; underscores in header names stand for hyphens."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = (
        f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n{more}"
    )
    return head.encode("latin-1") + b"\r\n" + content


def records(count: int, prefix: str = "fl", start: int = 1, **fields: object) -> list[dict]:
    """Return records with little more than an id: fl_1, fl_2 and so on."""
    return [{"id": f"{prefix}_{n}", **fields} for n in range(start, start + count)]


def page(
    asked: Asked, everything: list[dict], most: int = 100, **lies: object
) -> dict[str, object]:
    """Return an honest page of `everything`, or one that lies about ``meta.pagination``.

    `most` is the server's own maximum for `limit`; above 100, it sends that many whatever is asked.
    """
    limit = most if most > 100 else min(asked.limit, most)
    first = (asked.page - 1) * limit
    pagination = {
        "page": asked.page,
        "limit": limit,
        "total": len(everything),
        "hasMore": first + limit < len(everything),
        **lies,
    }
    return {
        "success": True,
        "data": everything[first : first + limit],
        "meta": {"pagination": pagination},
    }


def flights(asked: Asked) -> object:
    """Answer for a piece of equipment with 250 flights of its own."""
    return reply(page(asked, records(250, f"fl_{asked.path.split('/')[3]}")))
