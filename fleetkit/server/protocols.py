"""uvicorn's two HTTP parsers, with limits."""

from __future__ import annotations

import re
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from fleetkit.server.connections import LimitedConnection
from fleetkit.server.errors import HttpError, method_not_allowed

__all__ = ["PROTOCOLS"]

# Requests that uvicorn may queue; further ones wait unparsed.
_MOST_QUEUED = 8
_METHOD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32} ")


class H11Connection(LimitedConnection, H11Protocol):
    """A connection that h11 parses; it is pure Python and always installed."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # h11 has a limit, too, which must not be the lower one.
        self.conn = h11.Connection(h11.SERVER, 2 * self._limits.header_bytes)

    def _arriving(self) -> str:
        if self.conn.their_state is h11.SEND_BODY:
            return "body"
        return "head" if self._unparsed() else ""

    def _unparsed(self) -> int:
        return len(self.conn.trailing_data[0]) if self.conn.their_state is h11.IDLE else 0

    def _arrived(self, part: str, size: int) -> int:
        if self._part == "body":
            return self._received + size if part == "body" else 0
        return self._unparsed()

    def _is_backlogged(self) -> bool:
        return self.conn.their_state is h11.DONE

    def _is_reading_body(self) -> bool:
        states = self.conn.their_state, self.conn.our_state
        return states[0] is h11.SEND_BODY or states == (h11.ERROR, h11.DONE)


PROTOCOLS: dict[str, type[LimitedConnection]] = {"h11": H11Connection}

try:
    import httptools
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
except ImportError:
    pass
else:
    # For a type checker the first base class is an H11Protocol.
    class HttpToolsConnection(LimitedConnection, HttpToolsProtocol):  # type: ignore[misc]
        """A connection that httptools parses; it is written in C and optional."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._current_part = ""
            self._begun = 0

        def on_message_begin(self) -> None:
            self._current_part = "head"
            self._begun += 1
            self._stop_request_timer()
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            super().on_headers_complete()
            self._current_part = "body"

        def on_message_complete(self) -> None:
            self._current_part = ""
            super().on_message_complete()

        def _arriving(self) -> str:
            return self._current_part

        def _arrived(self, part: str, size: int) -> int:
            begun, self._begun = self._begun, 0
            if self._part == part and not begun:
                return self._received + size
            # After other requests in the same bytes, it is counted from the next bytes on.
            return size if self._part == "head" and not part and begun == 1 else 0

        def _is_backlogged(self) -> bool:
            return len(self.pipeline) >= _MOST_QUEUED

        def _is_queued(self) -> bool:
            return bool(self.pipeline)

        def _is_reading_body(self) -> bool:
            return self._current_part == "body"

        def _parse_error(self) -> HttpError:
            # It knows registered methods only; any other word may be a method, too.
            is_unknown = isinstance(sys.exc_info()[1], httptools.HttpParserInvalidMethodError)
            start = self._piece.rstrip(b"\r\n").rpartition(b"\r\n\r\n")[2]
            is_method = is_unknown and _METHOD.match(start)
            return method_not_allowed() if is_method else super()._parse_error()

    PROTOCOLS["httptools"] = HttpToolsConnection
