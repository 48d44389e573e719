"""Answers with a status of 4xx or 5xx, and what their bodies say.

The layout of error bodies is not shown (reference, section 7): code and words are taken from
wherever they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from fleetkit.client import hints
from fleetkit.client.failures import (
    ADDRESS_ADVICE,
    LONGEST_WORDS,
    ONCE,
    RETRY_ADVICE,
    TRANSIENT,
    Exchange,
    Failure,
    failure,
    is_web_page,
    unexpected,
)
from fleetkit.client.unanswered import PROXY_ADVICE, PROXY_LOGIN
from fleetkit.errors import (
    ApiError,
    BadRequest,
    Forbidden,
    NotFound,
    RateLimited,
    ServerError,
    Unauthorized,
    UnexpectedAnswer,
)
from fleetkit.interface import one_line, shortened, worded
from fleetkit.schema import ERRORS

__all__ = ["error_text", "http_error", "in_quotes"]

_OVER_QUOTA = re.compile(r"rate.?limit|too.?many|quota|throttl|slow.?down", re.IGNORECASE)
_CODE = re.compile(r"[A-Z][A-Z0-9_]{2,}")
# What the `type` of a problem (RFC 9457) is: it says less than the `title` behind it.
_ADDRESS = re.compile(r"about:|https?://")
_KNOWN_CODES = {error.code for error in ERRORS.values()} | {"RATE_LIMITED"}


def http_error(exchange: Exchange) -> Failure:
    """Return what is wrong, by the status and by what the body says."""
    hint, status = exchange.hint, exchange.answer.status
    code, words = error_text(exchange)
    quoted = in_quotes(code, words)
    if _is_over_quota(status, code, words, hint):
        return failure(
            exchange,
            RateLimited,
            f"{status}: over the service's limit of requests{quoted}",
            code=code,
            attempts=TRANSIENT,
            retry_after=hint.wait,
        )
    if status == 511:
        return unexpected(exchange, "a network that requires a login first", ONCE)
    if status >= 500:
        is_final = status in {501, 505}
        later = f"in {hint.after:.0f} s, as the service asks" if hint.after else "later"
        return failure(
            exchange,
            ServerError,
            f"The service failed with {status}{quoted}",
            code=code,
            attempts=ONCE if is_final else TRANSIENT,
            retry_after=hint.after,
            advice=ADDRESS_ADVICE if is_final else f"Try again {later}; {RETRY_ADVICE}",
        )
    if status in {408, 425}:
        return unexpected(exchange, f"status {status}{quoted}", TRANSIENT)
    return _client_error(exchange, code, quoted)


def _is_over_quota(status: int, code: str | None, words: str, hint: hints.Hint) -> bool:
    """Whether a status means "over quota": the reference names none (section 7).

    429 always does, and its unofficial relatives. 403 and 503 are also used for it, but have
    other meanings first.
    """
    if status in {429, 420, 509, 529}:
        return True
    is_named = bool(_OVER_QUOTA.search(f"{code or ''} {words}"))
    if status == 403:
        is_known = code == ERRORS[403].code
        return is_named or (not is_known and (hint.after is not None or hint.left == 0))
    return (status == 503 and hint.left == 0) or (is_named and status not in {400, 401, 404})


def _client_error(exchange: Exchange, code: str | None, quoted: str) -> Failure:
    status, scope = exchange.answer.status, exchange.request.endpoint.scope
    kind: type[ApiError]
    if status == 401 or (status == 403 and re.search(r"expire", quoted, re.IGNORECASE)):
        kind = Unauthorized
        message = f"{status}: the API key was refused{quoted}"
        header = worded(python='auth="Bearer"', command_line="--auth Bearer")
        advice = (
            "Check the key, in FLEETKIT_API_KEY or given to fleetkit setup: it may be "
            "mistyped, revoked or expired. Some services take it as Authorization: Bearer "
            f"({header}, or FLEETKIT_AUTH=Bearer)."
        )
    elif status == 403:
        kind, message = Forbidden, f"403: the key lacks the scope {scope}{quoted}"
        advice = f"Create a key with the scope {scope} in the service's dashboard."
        if code is None and is_web_page(exchange.answer):
            advice = f"The answer is a web page, so a proxy may have refused it. Else: {advice}"
    elif status == 404:
        kind, message = NotFound, f"404: no such record or path{quoted}"
        advice = (
            "It may have been removed, or belong to another organisation."
            if exchange.request.endpoint.by_id
            else "Check the base URL: the service has nothing under this path."
        )
    elif status == 407:
        kind, message, advice = UnexpectedAnswer, PROXY_LOGIN, PROXY_ADVICE
    elif status in {400, 422}:
        kind, message = BadRequest, f"{status}: the service refuses a parameter{quoted}"
        advice = "Correct the parameter that it names."
    else:
        kind, message, advice = UnexpectedAnswer, f"Status {status}{quoted}", ADDRESS_ADVICE
    return failure(exchange, kind, message, code=code, advice=advice)


def in_quotes(code: str | None, words: str) -> str:
    """Return the words of a service as the end of a message; nothing where it said none."""
    code = None if code is None else shortened(code)
    text = " ".join(part for part in (code, f"“{words}”" if words else "") if part)
    return f", says {text}" if text else ""


def error_text(exchange: Exchange) -> tuple[str | None, str]:
    """Return code and words of an error body: JSON of any layout, plain text, or nothing.

    Examples
    --------
    >>> from fleetkit.client.transport import Answer
    >>> body = b'{"success": false, "error": {"code": "NOT_FOUND", "message": "No such record"}}'
    >>> error_text(Exchange(None, Answer(404, {}, body), hints.NOTHING, str))
    ('NOT_FOUND', 'No such record')
    """
    text = exchange.redact(exchange.answer.body[:65536].decode(errors="replace"))
    try:
        # Once more: JSON may write any character of the key as an escape.
        texts = [exchange.redact(part) for part in _texts(msgspec.json.decode(text))]
    except (msgspec.DecodeError, RecursionError):
        words = "a web page" if is_web_page(exchange.answer) else text
        texts = [*(code for code in _CODE.findall(text) if code in _KNOWN_CODES), words]
    codes = [text for text in texts if _CODE.fullmatch(text)]
    code = next((code for code in codes if code in _KNOWN_CODES), codes[0] if codes else None)
    words = next((text for text in texts if " " in text), "")
    if not words:
        others = [text for text in texts if text not in codes]
        words = next((text for text in others if not _ADDRESS.match(text)), "".join(others[:1]))
    return code, one_line(words, LONGEST_WORDS)


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value, from the outside in."""
    level = [value]
    while level:
        yield from (item for item in level if isinstance(item, str))
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
