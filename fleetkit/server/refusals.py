"""Errors as answers: the table of section 7, in any layout that its body may have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from fleetkit.schema import ERRORS, ErrorCode

__all__ = ["LAYOUTS", "Refusal"]

# Beyond the table: other methods than GET, and what section 7 leaves open.
_MORE = {
    405: ErrorCode(405, "NOT_FOUND", "no operation but GET exists"),
    429: ErrorCode(429, "RATE_LIMITED", "the quota of requests is used up"),
    503: ErrorCode(503, "INTERNAL_ERROR", "the service is too busy"),
}


class Refusal(Exception):
    """A request that is answered with an error.

    Parameters
    ----------
    status : int
        HTTP status.
    message : str
        For people; never holds what the request brought along.
    """

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    @property
    def code(self) -> str:
        """The code that the reference's table gives to the status."""
        return self._row.code

    @property
    def condition(self) -> str:
        """When the status is given, in the table's words."""
        return self._row.condition

    @property
    def _row(self) -> ErrorCode:
        return ERRORS.get(self.status) or _MORE[self.status]

    def body(self, layout: str) -> tuple[bytes, str]:
        """Return the body in one of ``LAYOUTS``, and its content type."""
        content = LAYOUTS[layout](self)
        if isinstance(content, str):
            return content.encode(), "text/html; charset=utf-8"
        kind = "application/problem+json" if layout == "problem" else "application/json"
        return msgspec.json.encode(content), kind


def _named(refusal: Refusal) -> dict[str, Any]:
    return {"code": refusal.code, "message": refusal.message}


LAYOUTS: dict[str, Callable[[Refusal], Any]] = {
    "nested": lambda refusal: {"success": False, "error": _named(refusal)},
    "flat": lambda refusal: {"success": False, **_named(refusal)},
    "text": lambda refusal: {
        "success": False,
        "error": refusal.code,
        "message": refusal.message,
    },
    "list": lambda refusal: {"success": False, "errors": [_named(refusal)]},
    "problem": lambda refusal: {
        "type": "about:blank",
        "title": refusal.code,
        "status": refusal.status,
        "detail": refusal.message,
        "code": refusal.code,
    },
    "html": lambda refusal: (
        f"<!doctype html><title>{refusal.code}</title><h1>{refusal.status} {refusal.code}</h1>"
    ),
}
