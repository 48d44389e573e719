"""Checks of a request before its route: its target, its host, and the length of its body."""

from __future__ import annotations

import re
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from fleetkit.server.errors import HttpError

__all__ = ["RequestChecks"]

_ABSOLUTE = re.compile(rb"https?://[^/?#]*", re.IGNORECASE)
# A length with more digits is beyond any limit.
_DIGITS = 18


class RequestChecks:
    """Answers invalid requests, and passes the others on with a target in origin form.

    Parameters
    ----------
    app : ASGI application
    body_bytes : int
        Longest body of a request. [bytes]
    error_layout : str
        One of ``errors.LAYOUTS``.
    """

    def __init__(self, app: ASGIApp, body_bytes: int, error_layout: str) -> None:
        self.app = app
        self.body_bytes = body_bytes
        self.error_layout = error_layout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with an error, or pass the request on."""
        app = self.app
        if scope["type"] == "http":
            if not scope["path"].startswith("/"):
                scope = _in_origin_form(scope)
            error = self._error(scope)
            if error is not None:
                app = error.response(self.error_layout)
        await app(scope, receive, send)

    def _error(self, scope: Scope) -> HttpError | None:
        """Return the error of an invalid request.

        Where headers contradict each other, a proxy may have read the other one: the connection
        isn't used any further.
        """
        headers = Headers(scope=scope)
        hosts, length = len(headers.getlist("host")), headers.get("content-length", "")
        if hosts > 1 or (not hosts and scope.get("http_version") == "1.1"):
            return HttpError(400, "A request must have one Host header.", Connection="close")
        if length and "transfer-encoding" in headers:
            message = "A request must not have both Content-Length and Transfer-Encoding."
            return HttpError(400, message, Connection="close")
        if length.isdecimal() and (len(length) > _DIGITS or int(length) > self.body_bytes):
            message = (
                f"A body may have at most {self.body_bytes} bytes; no operation here needs one."
            )
            return HttpError(413, message)
        if not scope["path"].startswith("/"):
            return HttpError(400, "The target of a request must start with a slash.")
        return None


def _in_origin_form(scope: Scope) -> Scope:
    """Return a scope without the host of a target such as ``http://host/v1``.

    RFC 9112, section 3.2.2: a server accepts both forms.
    """
    raw = scope.get("raw_path") or scope["path"].encode()
    host = _ABSOLUTE.match(raw)
    if host is None:
        return scope
    raw = raw[host.end() :] or b"/"
    return {**scope, "raw_path": raw, "path": unquote(raw.decode("latin-1"))}
