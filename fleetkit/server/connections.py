"""HTTP connections with limits on bytes, time and number.

uvicorn parses requests with h11 or, where it is installed, with httptools. Neither limits how long
a request may take, nor how many connections are idle; httptools joins a header that comes in pieces
again with each piece. So bytes are passed to the parser in small pieces, and are counted.

What uvicorn would answer as plain text, such as to a malformed request, is an error in the API's
layout here. After an error the connection is closed so that the client can still read it: nothing
more is sent, and bytes that still arrive are discarded for a moment.
"""

from __future__ import annotations

import asyncio
import math
import socket
import struct
from collections import OrderedDict
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fleetkit.server.errors import HttpError
from fleetkit.server.limits import Limits

__all__ = ["IdleConnections", "LimitedConnection", "reset"]

# Bytes that the parser gets at once; they hold only a few pipelined requests.
_PIECE = 2_048
# How long a client may take to read its last answer and to close [s], and what it may still send.
_LINGER = 2.0
_LINGER_BYTES = 1_000_000

# Connections without a request that is being answered; the one that is idle longest comes first.
IdleConnections = OrderedDict["LimitedConnection", None]


def reset(transport: asyncio.Transport) -> None:
    """Reset a TCP connection, and discard what was not sent."""
    connection = transport.get_extra_info("socket")
    # With a linger time of zero the system discards its buffer, too, and sends a reset.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


if TYPE_CHECKING:  # HttpToolsProtocol has what is used here of this class
    from uvicorn.protocols.http.h11_impl import H11Protocol as _Protocol
else:
    _Protocol = object


class LimitedConnection(_Protocol):
    """Applies limits to a connection; a base class beside one of uvicorn's protocol classes.

    Parameters
    ----------
    limits : Limits
    idle_connections : IdleConnections
        Shared by all connections of a server.
    """

    def __init__(
        self, *args: Any, limits: Limits, idle_connections: IdleConnections, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._limits = limits
        self._idle_connections = idle_connections
        # Bytes that are not parsed yet, and those that were parsed last.
        self._unparsed_bytes = b""
        self._piece = b""
        # The part of a request that is arriving ("head", "body" or none), and its bytes so far.
        self._part = ""
        self._received = 0
        self._request_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._unsent: float = math.inf
        # Whether further bytes are discarded, and the error that is to be sent then.
        self._is_discarding = False
        self._discarded = 0
        self._last_error: HttpError | None = None
        self._is_at_end = False  # the client sends no more

    # -- what each parser implements -------------------------------------------------------

    def _arriving(self) -> str:
        """Return the part that is arriving: "head", "body", or an empty text between requests."""
        raise NotImplementedError

    def _arrived(self, part: str, size: int) -> int:
        """Return the bytes of the arriving part, after `size` bytes that began within `part`."""
        raise NotImplementedError

    def _is_backlogged(self) -> bool:
        """Whether enough parsed requests wait for their answer."""
        raise NotImplementedError

    def _is_queued(self) -> bool:
        """Whether the newest request waits for the answers to others."""
        return False

    def _is_reading_body(self) -> bool:
        """Whether the client is sending the body of the newest request."""
        raise NotImplementedError

    def _parse_error(self) -> HttpError:
        """Return the error for what the parser has just rejected."""
        return HttpError(400, "This is not a valid HTTP request.")

    # -- number ----------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection; where there are too many, close one that is idle."""
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections and not self._make_room():
            self._reject(HttpError(503, "The server can't accept another connection."))
        else:
            self._start_request_timer()
        self._idle_connections[self] = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._idle_connections.pop(self, None)
        self._stop_request_timer()
        if self._write_timer is not None:
            self._write_timer.cancel()
        self._unparsed_bytes = b""
        super().connection_lost(exc)

    def _make_room(self) -> bool:
        """Close the connection that is idle longest; False where none is idle."""
        if not self._idle_connections:
            return False
        connection, _ = self._idle_connections.popitem(last=False)
        connection.transport.abort()
        return True

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    # -- bytes -----------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Read what a client sent, within the limits."""
        if not self._has_ended():
            self._unparsed_bytes = self._unparsed_bytes + data if self._unparsed_bytes else data
            self._parse()
            return
        self._discarded += len(data)
        if self._discarded > _LINGER_BYTES:
            self.transport.abort()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Stay open until all is answered that was requested before the client stopped sending."""
        self._is_at_end = True
        is_sending = not self._has_ended() or self._last_error is not None
        return is_sending and self._part != "body" and self._is_owing()

    def _is_owing(self) -> bool:
        """Whether a request that arrived whole isn't answered."""
        return self._is_answering() or bool(self._unparsed_bytes)

    def _parse(self) -> None:
        """Pass bytes to the parser, piece by piece, until enough requests wait for answers."""
        start = 0
        while start < len(self._unparsed_bytes) and not self._has_ended():
            if self._is_backlogged():
                self.flow.pause_reading()
                break
            room = max(self._limit() - self._received, 1)
            self._piece = self._unparsed_bytes[start : start + min(room, _PIECE)]
            start += len(self._piece)
            self._parse_piece()
        self._unparsed_bytes = b"" if self._has_ended() else self._unparsed_bytes[start:]
        if self._is_answering():
            self._idle_connections.pop(self, None)

    def _has_ended(self) -> bool:
        return self._is_discarding or self.transport.is_closing()

    def _limit(self) -> int:
        return self._limits.body_bytes if self._part == "body" else self._limits.header_bytes

    def _parse_piece(self) -> None:
        part, cycle = self._part, self.cycle
        super().data_received(self._piece)
        if self._has_ended():
            return
        self._part = self._arriving()
        if not self._part and part != "body" and self.cycle is cycle and not self._is_answering():
            self._part = "head"  # blank lines, which may come before it
        self._received = self._arrived(part, len(self._piece))
        if self._part == "head" and part != "head":
            self._stop_request_timer()  # it belongs to the request before
        if self._part and self._received >= self._limit():
            self._reject(self._too_long())
        self._watch_request()

    def _too_long(self) -> HttpError:
        if self._part == "body":
            return HttpError(413, f"A body may have at most {self._limits.body_bytes} bytes.")
        most = self._limits.header_bytes
        return HttpError(431, f"A request's address and headers may have at most {most} bytes.")

    def on_response_complete(self) -> None:
        """Go on parsing once an answer is sent."""
        super().on_response_complete()
        if self.transport.is_closing():
            return
        if not self._is_answering():
            self._idle_connections[self] = None
            if self._last_error is not None:
                self._send_error(self._last_error)
        if self._unparsed_bytes:
            self._parse()
        if not self._has_ended():
            part, self._part = self._part, self._arriving()
            if self._part != part:
                self._received = self._arrived(part, 0)
            self._watch_request()
            if self._is_at_end and not self._is_owing():
                self.transport.close()

    # -- time ------------------------------------------------------------------------------

    def _watch_request(self) -> None:
        if not self._part or self._has_ended():
            self._stop_request_timer()
        elif self._request_timer is None:
            self._start_request_timer()

    def _start_request_timer(self) -> None:
        seconds = self._limits.request_seconds
        self._request_timer = self.loop.call_later(seconds, self._end_of_request_time)

    def _stop_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _end_of_request_time(self) -> None:
        self._request_timer = None
        if self._is_answering():  # the delay is the server's
            self._start_request_timer()
        elif self._part:
            self._reject(HttpError(408, "The request was not complete in time."))
        else:
            self.transport.abort()

    def pause_writing(self) -> None:
        """Start a timer for a client that doesn't read its answer."""
        super().pause_writing()
        self._watch_writing()

    def resume_writing(self) -> None:
        """Go on writing once the client has read some of its answer."""
        self._unsent = math.inf
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, unless its last answer is still being read."""
        if self.transport.get_write_buffer_size():
            self._watch_writing()
        else:
            super().timeout_keep_alive_handler()

    def _watch_writing(self) -> None:
        if self._write_timer is None:
            self._unsent = self.transport.get_write_buffer_size()
            seconds = self._limits.idle_seconds
            self._write_timer = self.loop.call_later(seconds, self._end_of_write_time)

    def _end_of_write_time(self) -> None:
        self._write_timer = None
        unsent = self.transport.get_write_buffer_size()
        if unsent and unsent >= self._unsent:
            reset(self.transport)
        elif unsent:
            self._watch_writing()
        elif not self._part and not self._is_answering() and not self._has_ended():
            super().timeout_keep_alive_handler()

    # -- errors ----------------------------------------------------------------------------

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser rejects; uvicorn's `msg` is plain text."""
        self._reject(self._parse_error())

    def _reject(self, error: HttpError) -> None:
        """Read no more of this client, and send the error once earlier requests are answered."""
        self._is_discarding = True
        self._stop_request_timer()
        if not self._is_answering():
            # A request that was answered before its body came needs no further answer.
            self._close() if self._is_reading_body() else self._send_error(error)
        elif not self.cycle.more_body:
            self._last_error = error
        elif self.cycle.response_started or self._is_queued():
            self.cycle.keep_alive = False
        else:
            self.cycle.disconnected = True  # the error replaces its answer
            self._send_error(error)

    def _send_error(self, error: HttpError) -> None:
        """Send an error as the last answer of this connection."""
        layout = getattr(getattr(self.app, "state", None), "error_layout", "nested")
        response = error.response(layout)
        headers = [*self.server_state.default_headers, *response.raw_headers]
        lines = [b"HTTP/1.1 %d %s" % (error.status, HTTPStatus(error.status).phrase.encode())]
        lines += [b": ".join(header) for header in (*headers, (b"connection", b"close"))]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(response.body)]))
        self._close()

    def _close(self) -> None:
        """Stop sending, and give the client a moment to read what was sent.

        Closing at once, with unread bytes of the client, would reset the connection, and then the
        client may never see the error.
        """
        self._unset_keepalive_if_required()
        if not self.transport.can_write_eof():
            self.transport.close()
            return
        self.transport.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(_LINGER, self.transport.abort)
