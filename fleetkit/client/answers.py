"""Is it the answer? Status, headers and body → a page, or what is wrong and whether to ask again.

The layout of error bodies is not shown (reference, section 7): code and words are taken from
wherever they stand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import msgspec

from fleetkit.client import hints
from fleetkit.client.fitting import FilteredRow, Row, misfit
from fleetkit.client.request import Request
from fleetkit.client.transport import Answer
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
from fleetkit.schema import ERRORS

__all__ = ["AT_ONCE", "PASSING", "STANDING", "Failure", "Page", "Pagination", "read"]

# How often an answer of a kind is met before it is believed: never asked again, a standing
# condition such as a captive portal, a passing one such as a cut body.
AT_ONCE, STANDING, PASSING = 1, 3, 10

_ADDRESS_ADVICE = "Check the base URL, and whether a proxy or a login page stands in between."
_OVER_QUOTA = re.compile(r"rate.?limit|too.?many|quota|throttl|slow.?down", re.IGNORECASE)
_CODE = re.compile(r"[A-Z][A-Z0-9_]{2,}")
_KNOWN_CODES = {each.code for each in ERRORS.values()} | {"RATE_LIMITED"}
_LONGEST_WORDS = 200


class Pagination(msgspec.Struct, rename="camel", gc=False):
    """``meta.pagination`` (reference, section 4.1)."""

    page: int
    limit: int
    total: int
    has_more: bool


class _Meta(msgspec.Struct, gc=False):
    pagination: Pagination | None = None


class _List(msgspec.Struct):
    success: bool | None = None
    data: list[Row] | None = None
    meta: _Meta | None = None


class _Single(msgspec.Struct):
    success: bool | None = None
    data: Row | None = None


class _FilteredList(msgspec.Struct):
    success: bool | None = None
    data: list[FilteredRow] | None = None
    meta: _Meta | None = None


_list = msgspec.json.Decoder(_List)
_filtered_list = msgspec.json.Decoder(_FilteredList)
_single = msgspec.json.Decoder(_Single)


@dataclass(frozen=True, slots=True)
class Page:
    """A good answer.

    Attributes
    ----------
    body : bytes
        As it came.
    rows : list of Row
        Its records, in order.
    pagination : Pagination or None
        None where the endpoint sends none.
    asked_at : str
        The service's clock, as ISO time in whole seconds; empty where it doesn't tell.
    """

    body: bytes
    rows: list[Row]
    pagination: Pagination | None = None
    asked_at: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """What is wrong, as the error to raise once it has been met `tries` times.

    `over_quota` where the service turned the request away for its limits; `wait` is how long it
    asks to wait. [s] `mixed_up` where the answer belongs to another question, so that connections
    may be an answer behind.
    """

    error: ApiError
    tries: int
    over_quota: bool = False
    wait: float | None = None
    mixed_up: bool = False


def read(
    request: Request, answer: Answer, hint: hints.Hint, conceal: Callable[[str], str]
) -> Page | Failure:
    """Read one answer.

    Parameters
    ----------
    request : Request
        What was asked.
    answer : Answer
        What came.
    hint : Hint
        What its headers say about limits.
    conceal : callable
        Takes the key out of a text.
    """
    if answer.too_long:
        return _unexpected(request, answer, "the answer is far longer than any page", AT_ONCE)
    if 200 <= answer.status < 300:
        return _page(request, answer, conceal)
    if 300 <= answer.status < 400:
        where = conceal(_place(answer.headers.get("Location", "")))
        return _unexpected(request, answer, f"a redirect to {where}, not followed", AT_ONCE)
    return _refusal(request, answer, hint, conceal)


def _unexpected(request: Request, answer: Answer, what: str, tries: int) -> Failure:
    error = UnexpectedAnswer(
        f"Not the API's answer: {what}",
        status=answer.status,
        request=request.name,
        advice=_ADDRESS_ADVICE,
    )
    return Failure(error, tries)


def _place(location: str) -> str:
    """Host and path of a redirect's target; what else stands in it may be secret."""
    try:
        parts = urlsplit(location)
        return f"{parts.hostname or ''}{parts.path}"[:_LONGEST_WORDS] or "nowhere"
    except ValueError:
        return "nowhere"


# 2xx


def _page(request: Request, answer: Answer, conceal: Callable[[str], str]) -> Page | Failure:
    many = request.endpoint.many
    decoder = (_filtered_list if request.filters else _list) if many else _single
    try:
        answer.body.decode()  # msgspec skips what it doesn't decode, broken characters too
        found = _decoded(answer.body, decoder)
    except msgspec.ValidationError as problem:
        return _unexpected(request, answer, f"JSON of another shape ({problem})", STANDING)
    except (ValueError, RecursionError):
        return _unreadable(request, answer)
    if found.success is not True:
        return _unsuccessful(request, answer, conceal)
    if lack := _lack(request, found):
        return _unexpected(request, answer, lack, STANDING)
    if other := _another(request, found, answer.body):
        return _mixed_up(request, answer, _printable(conceal(other)))
    pagination = found.meta.pagination if many and found.meta else None
    asked_at = _clock(answer) if pagination and pagination.page == 1 else ""
    return Page(answer.body, found.data if many else [found.data], pagination, asked_at)


def _decoded(body: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # An emoji that a service cut in two leaves half a surrogate pair: JSON to all but msgspec.
        return msgspec.convert(json.loads(body, parse_constant=_no_number), decoder.type)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _lack(request: Request, found: Any) -> str:
    """Say what a well-formed answer lacks."""
    if found.data is None:
        return "JSON without `data`"
    if request.endpoint.paginated and not (found.meta and found.meta.pagination):
        return "a list without `meta.pagination`"
    return ""


def _another(request: Request, found: Any, body: bytes) -> str:
    """Say how a good answer belongs to another question."""
    if request.endpoint.many:
        return misfit(request, found.data, body)
    return "" if found.data.id == request.id else "another record than the one asked for"


def _mixed_up(request: Request, answer: Answer, what: str) -> Failure:
    error = UnexpectedAnswer(
        f"An answer to another question: {what}",
        status=answer.status,
        request=request.name,
        advice="Check whether a proxy or cache mixes up answers; then ask the service's operator.",
    )
    return Failure(error, STANDING, mixed_up=True)


def _clock(answer: Answer) -> str:
    moment = hints.server_time(answer.headers)
    return moment.replace(tzinfo=None).isoformat() if moment else ""


def _unreadable(request: Request, answer: Answer) -> Failure:
    if _is_page_for_people(answer):
        return _unexpected(request, answer, "a web page", STANDING)
    what = "nothing at all" if not answer.body.strip() else "JSON that breaks off or is none"
    return _unexpected(request, answer, what, PASSING)


def _is_page_for_people(answer: Answer) -> bool:
    return answer.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"


def _unsuccessful(request: Request, answer: Answer, conceal: Callable[[str], str]) -> Failure:
    code, words = _said(answer, conceal)
    error = UnexpectedAnswer(
        f"The service did not succeed, though it answered {answer.status}{_quoted(code, words)}",
        status=answer.status,
        code=code,
        request=request.name,
        advice="Try again later; if it stays so, ask the service's operator.",
    )
    return Failure(error, PASSING)


# 4xx and 5xx


def _refusal(
    request: Request, answer: Answer, hint: hints.Hint, conceal: Callable[[str], str]
) -> Failure:
    code, words = _said(answer, conceal)
    said, status = _quoted(code, words), answer.status
    if _turned_away(status, code, words, hint):
        error: ApiError = RateLimited(
            f"{status}: over the service's limit of requests{said}",
            retry_after=hint.wait,
            status=status,
            code=code,
            request=request.name,
        )
        return Failure(error, PASSING, over_quota=True, wait=hint.wait)
    if status == 511:
        return _unexpected(request, answer, "a network that asks to log in first", AT_ONCE)
    details: dict[str, Any] = {"status": status, "code": code, "request": request.name}
    if status >= 500:
        later = f"in {hint.after:.0f} s, as it asks" if hint.after else "later"
        error = ServerError(
            f"The service failed with {status}{said}",
            advice=f"Try again {later}; if it stays so, ask the service's operator.",
            **details,
        )
        tries = AT_ONCE if status in {501, 505} else PASSING
        return Failure(error, tries, wait=hint.after)
    if status in {408, 425}:
        return _unexpected(request, answer, f"status {status}{said}", PASSING)
    return Failure(_mistake(request, answer, code, said, details), AT_ONCE)


def _turned_away(status: int, code: str | None, words: str, hint: hints.Hint) -> bool:
    """Whether a status stands for "over quota": the reference names none (section 7).

    429 always does, and its unofficial relatives. 403 and 503 are also used for it, but have
    other meanings first.
    """
    if status in {429, 420, 509, 529}:
        return True
    named = bool(_OVER_QUOTA.search(f"{code or ''} {words}"))
    if status == 403:
        known = code == ERRORS[403].code
        return named or (not known and (hint.after is not None or hint.left == 0))
    return (status == 503 and hint.left == 0) or (named and status not in {400, 401, 404})


def _mistake(
    request: Request, answer: Answer, code: str | None, said: str, details: dict[str, Any]
) -> ApiError:
    status = answer.status
    if status == 401 or (status == 403 and re.search(r"expire", said, re.IGNORECASE)):
        return Unauthorized(
            f"{status}: the API key was refused{said}",
            advice="Check FLEETKIT_API_KEY: the key may be mistyped, revoked or expired.",
            **details,
        )
    if status == 403:
        scope = request.endpoint.scope
        advice = f"Create a key with the scope {scope} in the service's dashboard."
        if code is None and _is_page_for_people(answer):
            advice = f"The answer is a web page, so a proxy may be what refuses. Else: {advice}"
        return Forbidden(
            f"403: the key lacks the scope {scope}{said}", scope=scope, advice=advice, **details
        )
    if status == 404:
        advice = "It may be gone, or belong to another organisation."
        if not request.endpoint.by_id:
            advice = "Check the base URL: the service has nothing under this path."
        return NotFound(f"404: no such record or path{said}", advice=advice, **details)
    if status in {400, 422}:
        return BadRequest(
            f"{status}: the service refuses a parameter{said}",
            advice="Correct the parameter that it names.",
            **details,
        )
    return UnexpectedAnswer(f"Status {status}{said}", advice=_ADDRESS_ADVICE, **details)


# What an error body says


def _quoted(code: str | None, words: str) -> str:
    said = " ".join(each for each in (code, f"“{words}”" if words else "") if each)
    return f", says {said}" if said else ""


def _said(answer: Answer, conceal: Callable[[str], str]) -> tuple[str | None, str]:
    """Return code and words of an error body: JSON of any layout, plain text, or nothing.

    Examples
    --------
    >>> body = b'{"success": false, "error": {"code": "NOT_FOUND", "message": "No such record"}}'
    >>> _said(Answer(404, {}, body), str)
    ('NOT_FOUND', 'No such record')
    """
    text = conceal(answer.body[:65536].decode(errors="replace"))
    try:
        texts = list(_texts(msgspec.json.decode(text)))
    except (msgspec.DecodeError, RecursionError):
        words = "a web page" if _is_page_for_people(answer) else text
        texts = [*(each for each in _CODE.findall(text) if each in _KNOWN_CODES), words]
    codes = [each for each in texts if _CODE.fullmatch(each)]
    code = next((each for each in codes if each in _KNOWN_CODES), codes[0] if codes else None)
    words = next((each for each in texts if " " in each), "")
    if not words:
        words = next((each for each in texts if each not in codes), "")
    return code, _printable(words)


def _printable(words: str) -> str:
    """Return what the service sent as one line that a terminal can show."""
    words = "".join(each if each.isprintable() else " " for each in words)
    return " ".join(words.split())[:_LONGEST_WORDS]


def _texts(value: Any) -> Iterator[str]:
    """All texts in a JSON value, from the outside in."""
    level = [value]
    while level:
        yield from (each for each in level if isinstance(each, str))
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
