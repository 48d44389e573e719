"""Status, headers and body of an answer → a page, or what is wrong and whether to retry.

The layout of error bodies is not shown (reference, section 7): code and words are taken from
wherever they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from fleetkit.client import hints
from fleetkit.client.matching import Row, mismatch
from fleetkit.client.request import Request
from fleetkit.client.transport import Answer
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
from fleetkit.interface import CORRECT_IT, one_line, shortened, worded
from fleetkit.lettering import whole
from fleetkit.schema import ERRORS

__all__ = ["SUSPICIOUS", "TRANSIENT", "Failure", "Page", "Pagination", "read"]

# How many attempts a failure of a kind is worth: one that is likely to last, such as a login page
# in between, and one that is likely to pass, such as a body that was cut off.
ONCE, SUSPICIOUS, TRANSIENT = 1, 3, 10

_ADDRESS_ADVICE = "Check the base URL, and whether a proxy or a login page is in between."
_RETRY_ADVICE = "if the error persists, ask the service's operator."
_OVER_QUOTA = re.compile(r"rate.?limit|too.?many|quota|throttl|slow.?down", re.IGNORECASE)
_CODE = re.compile(r"[A-Z][A-Z0-9_]{2,}")
# What the `type` of a problem (RFC 9457) is: it says less than the `title` behind it.
_ADDRESS = re.compile(r"about:|https?://")
_KNOWN_CODES = {error.code for error in ERRORS.values()} | {"RATE_LIMITED"}
_LONGEST_WORDS = 200
# Letters that are shown of a text before the place where it can't be read.
_BEFORE = 40
# Where msgspec says that a record's id is: not the text it should be, or not there.
_PLACE_OF_ID = re.compile(
    r"(?:field `id` - at `|- at `(?=[^`]*\.id`))\$\.data(?:\[(?P<row>\d+)\])?"
)


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


_list = msgspec.json.Decoder(_List)
_single = msgspec.json.Decoder(_Single)


@dataclass(frozen=True, slots=True)
class Page:
    """A valid answer.

    Attributes
    ----------
    body : bytes
        As it was received.
    rows : list of Row
        Its records, in order.
    pagination : Pagination or None
        None where the endpoint sends none.
    requested_at : str
        When page 1 was requested, on the service's clock, as ISO time; empty where it isn't sent.
    """

    body: bytes
    rows: list[Row]
    pagination: Pagination | None = None
    requested_at: str = ""


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
class _Exchange:
    """A request and the answer to it, what its headers say about limits, and how to redact."""

    request: Request
    answer: Answer
    hint: hints.Hint
    redact: Callable[[str], str]


def read(
    request: Request, answer: Answer, hint: hints.Hint, redact: Callable[[str], str]
) -> Page | Failure:
    """Read one answer.

    Parameters
    ----------
    request : Request
        What was requested.
    answer : Answer
        What was received.
    hint : Hint
        What its headers say about limits.
    redact : callable
        Takes the key out of a text.
    """
    exchange = _Exchange(request, answer, hint, redact)
    if answer.too_long:
        return _unexpected(exchange, "it is far longer than any page", ONCE)
    if 200 <= answer.status < 300:
        return _page(exchange)
    if 300 <= answer.status < 400:
        target = redact(_target(answer.headers.get("Location", "")))[:_LONGEST_WORDS]
        what = f"a redirect to {target}, not followed" if target else f"status {answer.status}"
        return _unexpected(exchange, what, ONCE)
    return _http_error(exchange)


def _failure(
    exchange: _Exchange,
    kind: type[ApiError],
    message: str,
    *,
    code: str | None = None,
    attempts: int = ONCE,
    retry_after: float | None = None,
    advice: str = _ADDRESS_ADVICE,
    mixed_up: bool = False,
) -> Failure:
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


def _unexpected(exchange: _Exchange, what: str, attempts: int) -> Failure:
    message = f"The answer is not the API's: {what}"
    return _failure(exchange, UnexpectedAnswer, message, attempts=attempts)


def _target(location: str) -> str:
    """Return the address of a redirect's target, if any; user, query and fragment may be secret.

    Examples
    --------
    >>> _target("https://user:word@fleet.example:8443/v1/equipment?token=x"), _target("/login#x")
    ('https://fleet.example:8443/v1/equipment', '/login')
    """
    try:
        parts = urlsplit(location)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


# 2xx


def _page(exchange: _Exchange) -> Page | Failure:
    request, answer = exchange.request, exchange.answer
    many = request.endpoint.many
    try:
        answer.body.decode()  # msgspec skips what it doesn't decode, broken characters too
        content = _decoded(answer.body, _list if many else _single)
    except msgspec.ValidationError as problem:
        return _misshapen(exchange, str(problem))
    except (ValueError, RecursionError) as problem:
        return _unreadable(exchange, problem)
    if content.success is not True:
        return _unsuccessful(exchange, content)
    if missing := _missing_part(request, content):
        return _unexpected(exchange, f"JSON without `{missing}`", SUSPICIOUS)
    rows = content.data if many else [content.data]
    if difference := mismatch(request, rows, answer.body):
        return _mixed_up(exchange, difference)
    pagination = content.meta.pagination if many and content.meta else None
    requested_at = _requested_at(answer) if pagination and pagination.page == 1 else ""
    return Page(answer.body, rows, pagination, requested_at)


def _misshapen(exchange: _Exchange, problem: str) -> Failure:
    """Say what msgspec says of JSON of another shape; of an id, whose it is and what it is."""
    wrong_id = ""
    with suppress(LookupError, TypeError, ValueError, RecursionError):  # a name that comes twice
        wrong_id = _wrong_id(exchange, problem)
    if not wrong_id:
        return _unexpected(exchange, f"JSON of another shape ({problem})", SUSPICIOUS)
    return _failure(
        exchange,
        UnexpectedAnswer,
        f"{exchange.request.endpoint.record.name} {wrong_id}, which is not an identifier",
        attempts=SUSPICIOUS,
        advice="Identifiers are texts: correct the record in the service, or tell its makers.",
    )


def _wrong_id(exchange: _Exchange, problem: str) -> str:
    """Return which record has what as its id; empty where msgspec found no wrong id."""
    place = _PLACE_OF_ID.search(problem)
    if place is None:
        return ""
    row, data = place["row"], json.loads(exchange.answer.body)["data"]
    record = data if row is None else data[int(row)]
    number = "" if row is None else f" {int(row) + 1} of this page"
    value = shortened(exchange.redact(json.dumps(dict(record).get("id"))))
    return f"record{number}: id is {value}"


def _decoded(body: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # An emoji that a service cut in two leaves half a surrogate pair: JSON to all but msgspec.
        # As text, for of bytes json.loads guesses the encoding, such as UTF-16.
        text = body.decode("utf-8-sig")
        read = json.loads(text, parse_constant=_Constant, object_pairs_hook=_named)
        return msgspec.convert(read, decoder.type)


class _Constant(str):
    """NaN or Infinity, which JSON doesn't have, and some services send."""

    __slots__ = ()


class _ConstantError(ValueError):
    """A field has such a value; the message says which, and of which record."""


def _named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, without halves in the names of its fields."""
    content = {whole(name): value for name, value in pairs}
    for name, value in content.items():
        if constant := _constant_in(value):
            owner = f" of {content['id']}" if isinstance(content.get("id"), str) else ""
            raise _ConstantError(f"{name}{owner} is {constant}")
    return content


def _constant_in(value: Any) -> str:
    """Return the constant that a value is, or a list of any depth holds; empty for none."""
    if isinstance(value, list):
        return next(filter(None, map(_constant_in, value)), "")
    return value if isinstance(value, _Constant) else ""


def _missing_part(request: Request, content: Any) -> str:
    """Return what a well-formed answer lacks; empty where it lacks nothing."""
    if content.data is None:
        return "data"
    if request.endpoint.paginated and not (content.meta and content.meta.pagination):
        return "meta.pagination"
    return ""


def _mixed_up(exchange: _Exchange, difference: str) -> Failure:
    return _failure(
        exchange,
        UnexpectedAnswer,
        f"An answer to another request: {one_line(exchange.redact(difference), _LONGEST_WORDS)}",
        attempts=SUSPICIOUS,
        advice="Check whether a proxy or cache mixes up answers; then ask the service's operator.",
        mixed_up=True,
    )


def _requested_at(answer: Answer) -> str:
    """Return when the request was sent, on the service's clock.

    What is created while the service makes its answer, before it writes the time, isn't in it.
    """
    now = hints.server_time(answer.headers)
    with suppress(OverflowError):  # in the year 1
        then = now and now.replace(tzinfo=None) - timedelta(seconds=answer.seconds)
        return then.isoformat() if then else ""
    return ""


def _unreadable(exchange: _Exchange, problem: Exception) -> Failure:
    if _is_web_page(exchange.answer):
        return _unexpected(exchange, "a web page", SUSPICIOUS)
    if isinstance(problem, _ConstantError):
        what = one_line(exchange.redact(str(problem)), _LONGEST_WORDS)
        return _not_json(exchange, what, CORRECT_IT)
    if isinstance(problem, UnicodeDecodeError) and problem.reason != "unexpected end of data":
        return _not_utf8(exchange, problem.start)
    if b"\0" in exchange.answer.body[:2]:  # as of UTF-16 and UTF-32
        return _not_utf8(exchange, 0)
    is_empty = not exchange.answer.body.strip()
    what = "it is empty" if is_empty else "JSON that is cut off, or not JSON at all"
    return _unexpected(exchange, what, TRANSIENT)


def _not_utf8(exchange: _Exchange, place: int) -> Failure:
    what = f"it is not UTF-8{_behind(exchange, place)}"
    return _not_json(exchange, what, "JSON is UTF-8: tell the makers of the service.")


def _behind(exchange: _Exchange, place: int) -> str:
    """Say what stands before a place in the body; empty where nothing does."""
    start = max(0, place - _LONGEST_WORDS * 20)  # long enough for a key to be found in it
    before = exchange.redact(exchange.answer.body[start:place].decode(errors="replace"))
    text = one_line(before[-_BEFORE:], _BEFORE)
    return f" behind “{text}”" if text else ""


def _not_json(exchange: _Exchange, what: str, advice: str) -> Failure:
    message = f"The answer is not JSON: {what}"
    return _failure(exchange, UnexpectedAnswer, message, attempts=SUSPICIOUS, advice=advice)


def _is_web_page(answer: Answer) -> bool:
    return answer.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"


def _unsuccessful(exchange: _Exchange, content: Any) -> Failure:
    if content.success is None and content.data is not None:  # whose texts are no error's
        return _unexpected(exchange, "JSON without `success`", SUSPICIOUS)
    code, words = _error_text(exchange)
    status = exchange.answer.status
    return _failure(
        exchange,
        UnexpectedAnswer,
        f"The service did not succeed, though it answered {status}{_quoted(code, words)}",
        code=code,
        attempts=TRANSIENT,
        advice=f"Try again later; {_RETRY_ADVICE}",
    )


# 4xx and 5xx


def _http_error(exchange: _Exchange) -> Failure:
    hint, status = exchange.hint, exchange.answer.status
    code, words = _error_text(exchange)
    quoted = _quoted(code, words)
    if _is_over_quota(status, code, words, hint):
        return _failure(
            exchange,
            RateLimited,
            f"{status}: over the service's limit of requests{quoted}",
            code=code,
            attempts=TRANSIENT,
            retry_after=hint.wait,
        )
    if status == 511:
        return _unexpected(exchange, "a network that requires a login first", ONCE)
    if status >= 500:
        later = f"in {hint.after:.0f} s, as the service asks" if hint.after else "later"
        return _failure(
            exchange,
            ServerError,
            f"The service failed with {status}{quoted}",
            code=code,
            attempts=ONCE if status in {501, 505} else TRANSIENT,
            retry_after=hint.after,
            advice=f"Try again {later}; {_RETRY_ADVICE}",
        )
    if status in {408, 425}:
        return _unexpected(exchange, f"status {status}{quoted}", TRANSIENT)
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


def _client_error(exchange: _Exchange, code: str | None, quoted: str) -> Failure:
    status, scope = exchange.answer.status, exchange.request.endpoint.scope
    kind: type[ApiError]
    if status == 401 or (status == 403 and re.search(r"expire", quoted, re.IGNORECASE)):
        kind = Unauthorized
        message = f"{status}: the API key was refused{quoted}"
        header = worded(python='auth="Bearer"', command_line="--auth Bearer")
        advice = (
            "Check the key, in FLEETKIT_API_KEY or as fleetkit setup stored it: it may be "
            "mistyped, revoked or expired. Some services take it as Authorization: Bearer "
            f"({header}, or FLEETKIT_AUTH=Bearer)."
        )
    elif status == 403:
        kind, message = Forbidden, f"403: the key lacks the scope {scope}{quoted}"
        advice = f"Create a key with the scope {scope} in the service's dashboard."
        if code is None and _is_web_page(exchange.answer):
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
        kind, message, advice = UnexpectedAnswer, f"Status {status}{quoted}", _ADDRESS_ADVICE
    return _failure(exchange, kind, message, code=code, advice=advice)


# What an error body says


def _quoted(code: str | None, words: str) -> str:
    code = None if code is None else shortened(code)
    text = " ".join(part for part in (code, f"“{words}”" if words else "") if part)
    return f", says {text}" if text else ""


def _error_text(exchange: _Exchange) -> tuple[str | None, str]:
    """Return code and words of an error body: JSON of any layout, plain text, or nothing.

    Examples
    --------
    >>> body = b'{"success": false, "error": {"code": "NOT_FOUND", "message": "No such record"}}'
    >>> _error_text(_Exchange(None, Answer(404, {}, body), hints.NOTHING, str))
    ('NOT_FOUND', 'No such record')
    """
    text = exchange.redact(exchange.answer.body[:65536].decode(errors="replace"))
    try:
        # Once more: JSON may write any character of the key as an escape.
        texts = [exchange.redact(part) for part in _texts(msgspec.json.decode(text))]
    except (msgspec.DecodeError, RecursionError):
        words = "a web page" if _is_web_page(exchange.answer) else text
        texts = [*(code for code in _CODE.findall(text) if code in _KNOWN_CODES), words]
    codes = [text for text in texts if _CODE.fullmatch(text)]
    code = next((code for code in codes if code in _KNOWN_CODES), codes[0] if codes else None)
    words = next((text for text in texts if " " in text), "")
    if not words:
        others = [text for text in texts if text not in codes]
        words = next((text for text in others if not _ADDRESS.match(text)), "".join(others[:1]))
    return code, one_line(words, _LONGEST_WORDS)


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
