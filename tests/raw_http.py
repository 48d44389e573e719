"""HTTP as bytes on a socket, for what no client library would send."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self


@dataclass
class Answer:
    """An answer as it arrived: headers in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self) -> tuple[int, str]:
        """Status and code of an error in the default layout."""
        content = json.loads(self.body)
        assert content["success"] is False
        return self.status, content["error"]["code"]


class Connection:
    """One connection to a server under test."""

    def __init__(self, base_url: str, timeout: float = 20.0, **options: Any) -> None:
        host, port = base_url.removeprefix("http://").split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=timeout, **options)
        self.reader = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close it from this side."""
        self.reader.close()
        self.socket.close()

    def send(self, *lines: bytes | str, body: bytes = b"") -> Self:
        """Send a request line and headers, ended by an empty line, and a body."""
        encoded = [line if isinstance(line, bytes) else line.encode() for line in lines]
        self.socket.sendall(b"\r\n".join([*encoded, b"", body]))
        return self

    def get(self, path: str, key: str = "", *headers: str) -> Self:
        """Send a GET request."""
        known = [f"X-API-Key: {key}"] if key else []
        return self.send(f"GET {path} HTTP/1.1", "Host: x", *known, *headers)

    def answer(self) -> Answer | None:
        """Read one answer; None where the server closed the connection instead."""
        line = self.reader.readline()
        if not line:
            return None
        headers = {}
        while (header := self.reader.readline()) not in {b"\r\n", b""}:
            name, _, value = header.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        body = self.reader.read(int(headers["content-length"]))
        return Answer(int(line.split()[1]), headers, body)

    def is_closed(self) -> bool:
        """Wait for more, and say whether none comes since the server closed the connection."""
        try:
            return self.reader.read(1) == b""
        except ConnectionResetError:
            return True
