"""Errors as answers: the table of section 7, in each layout that a body may have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from starlette.responses import Response

from fleetkit.schema import ERRORS, ErrorCode

__all__ = [
    "LAYOUTS",
    "NO_SNIFF",
    "PRIVATE",
    "HttpError",
    "method_not_allowed",
    "not_found",
    "unexpected_error",
]

# Browsers must not guess another content type, and neither a browser nor a proxy may cache what
# only the holder of a key may read.
NO_SNIFF = {"X-Content-Type-Options": "nosniff"}
PRIVATE = {**NO_SNIFF, "Cache-Control": "no-store"}

# Statuses that section 7 leaves open, and errors of HTTP itself.
_MORE = {
    405: ErrorCode(405, "METHOD_NOT_ALLOWED", "no operation but GET exists"),
    408: ErrorCode(408, "REQUEST_TIMEOUT", "the request was not complete in time"),
    413: ErrorCode(413, "CONTENT_TOO_LARGE", "the request's body is too long"),
    429: ErrorCode(429, "RATE_LIMITED", "the quota of requests is used up"),
    431: ErrorCode(431, "HEADERS_TOO_LARGE", "the request's address and headers are too long"),
    503: ErrorCode(503, "INTERNAL_ERROR", "the service is too busy"),
}


class HttpError(Exception):
    """A request that is answered with an error.

    Parameters
    ----------
    status : int
        HTTP status.
    message : str
        Text for users; never contains anything from the request.
    **headers : str
        Further headers of the answer, with underscores for the hyphens in their names.

    Attributes
    ----------
    code, condition : str
        What the table of errors says of the status: its code, and when it is given.
    """

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        row = ERRORS.get(status) or _MORE[status]
        self.status, self.code, self.condition = status, row.code, row.condition
        self.message = message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if status == 401:  # RFC 9110, section 15.5.2: each names a scheme that would do
            self.headers["WWW-Authenticate"] = "Bearer"

    def response(self, layout: str) -> Response:
        """Return the response with its body in one of ``LAYOUTS``."""
        content, headers = LAYOUTS[layout](self), {**PRIVATE, **self.headers}
        if isinstance(content, str):
            return Response(content, self.status, headers, "text/html")
        media_type = "application/problem+json" if layout == "problem" else "application/json"
        return Response(msgspec.json.encode(content), self.status, headers, media_type)


def method_not_allowed() -> HttpError:
    """Return the error of any other method than GET and HEAD."""
    return HttpError(405, "Only GET is answered here.", Allow="GET, HEAD")


def not_found() -> HttpError:
    """Return the error for an unknown id, which is the same for one of another organisation."""
    return HttpError(404, "There is no such record.")


def unexpected_error() -> HttpError:
    """Return the error of a request that failed here for a reason that the client can't know."""
    return HttpError(500, "Something went wrong here.")


def _named(error: HttpError) -> dict[str, Any]:
    return {"code": error.code, "message": error.message}


LAYOUTS: dict[str, Callable[[HttpError], Any]] = {
    "nested": lambda error: {"success": False, "error": _named(error)},
    "flat": lambda error: {"success": False, **_named(error)},
    "text": lambda error: {"success": False, "error": error.code, "message": error.message},
    "list": lambda error: {"success": False, "errors": [_named(error)]},
    "problem": lambda error: {
        "type": "about:blank",
        "title": error.code,
        "status": error.status,
        "detail": error.message,
        "code": error.code,
    },
    "html": lambda error: (
        f"<!doctype html><title>{error.code}</title><h1>{error.status} {error.code}</h1>"
    ),
}
