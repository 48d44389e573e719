"""What is wrong with an answer: the error to raise, and how often to try before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fleetkit.client import hints
from fleetkit.client.request import Request
from fleetkit.client.transport import Answer
from fleetkit.errors import ApiError, Forbidden, UnexpectedAnswer

__all__ = [
    "ADDRESS_ADVICE",
    "LONGEST_WORDS",
    "ONCE",
    "RETRY_ADVICE",
    "SUSPICIOUS",
    "TRANSIENT",
    "Exchange",
    "Failure",
    "failure",
    "is_web_page",
    "unexpected",
]

# How many attempts a failure of a kind is worth: one that is likely to last, such as a login page
# in between, and one that is likely to pass, such as a body that was cut off.
ONCE, SUSPICIOUS, TRANSIENT = 1, 3, 10

ADDRESS_ADVICE = "Check the base URL, and whether a proxy or a login page is in between."
RETRY_ADVICE = "if the error persists, ask the service's operator."
# Characters of a service's own words that a message repeats.
LONGEST_WORDS = 200


@dataclass(frozen=True, slots=True)
class Failure:
    """What is wrong: the error to raise, after so many attempts if it is retryable.

    `mixed_up` where the answer belongs to another request, so that connections may be one answer
    behind.
    """

    error: ApiError
    attempts: int = ONCE
    mixed_up: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and the answer to it, what its headers say about limits, and how to redact."""

    request: Request
    answer: Answer
    hint: hints.Hint
    redact: Callable[[str], str]


def failure(
    exchange: Exchange,
    kind: type[ApiError],
    message: str,
    *,
    code: str | None = None,
    attempts: int = ONCE,
    retry_after: float | None = None,
    advice: str = ADDRESS_ADVICE,
    mixed_up: bool = False,
) -> Failure:
    """Return a failure with the error of an exchange."""
    error = kind(
        message,
        status=exchange.answer.status,
        code=code,
        request=exchange.request.name,
        scope=exchange.request.endpoint.scope if kind is Forbidden else None,
        retryable=attempts > ONCE,
        retry_after=retry_after,
        advice=advice,
    )
    return Failure(error, attempts, mixed_up)


def unexpected(exchange: Exchange, what: str, attempts: int) -> Failure:
    """Return the failure of an answer that the API doesn't give."""
    message = f"The answer is not the API's: {what}"
    return failure(exchange, UnexpectedAnswer, message, attempts=attempts)


def is_web_page(answer: Answer) -> bool:
    """Whether an answer begins as HTML does, and JSON doesn't."""
    return answer.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"
