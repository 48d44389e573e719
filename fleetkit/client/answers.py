"""Status, headers and body of an answer → a page, or what is wrong and whether to retry."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from fleetkit.client import hints
from fleetkit.client.failures import (
    LONGEST_WORDS,
    ONCE,
    RETRY_ADVICE,
    SUSPICIOUS,
    TRANSIENT,
    Exchange,
    Failure,
    failure,
    is_web_page,
    unexpected,
)
from fleetkit.client.http_errors import error_text, http_error, in_quotes
from fleetkit.client.matching import Row, mismatch
from fleetkit.client.request import Request
from fleetkit.client.transport import Answer
from fleetkit.errors import UnexpectedAnswer
from fleetkit.interface import CORRECT_IT, one_line, shortened
from fleetkit.lettering import whole

__all__ = ["Page", "Pagination", "read"]

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
    id: Any = None  # where the answer is the record itself


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
    exchange = Exchange(request, answer, hint, redact)
    if answer.too_long:
        return unexpected(exchange, "it is far longer than any page", ONCE)
    if 200 <= answer.status < 300:
        return _page(exchange)
    if 300 <= answer.status < 400:
        target = redact(_target(answer.headers.get("Location", "")))[:LONGEST_WORDS]
        what = f"a redirect to {target}, not followed" if target else f"status {answer.status}"
        return unexpected(exchange, what, ONCE)
    return http_error(exchange)


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


def _page(exchange: Exchange) -> Page | Failure:
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
        return unexpected(exchange, f"JSON without `{missing}`", SUSPICIOUS)
    rows = content.data if many else [content.data]
    if difference := mismatch(request, rows, answer.body):
        return _mixed_up(exchange, difference)
    pagination = content.meta.pagination if many and content.meta else None
    requested_at = _requested_at(answer) if pagination and pagination.page == 1 else ""
    return Page(answer.body, rows, pagination, requested_at)


def _misshapen(exchange: Exchange, problem: str) -> Failure:
    """Say what msgspec says of JSON of another shape; of an id, whose it is and what it is."""
    wrong_id = ""
    with suppress(LookupError, TypeError, ValueError, RecursionError):  # a name that comes twice
        wrong_id = _wrong_id(exchange, problem)
    if not wrong_id:
        return unexpected(exchange, f"JSON of another shape ({problem})", SUSPICIOUS)
    return failure(
        exchange,
        UnexpectedAnswer,
        f"{exchange.request.endpoint.record.name} {wrong_id}, which is not an identifier",
        attempts=SUSPICIOUS,
        advice="Identifiers are texts: correct the record in the service, or tell its makers.",
    )


def _wrong_id(exchange: Exchange, problem: str) -> str:
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


def _mixed_up(exchange: Exchange, difference: str) -> Failure:
    return failure(
        exchange,
        UnexpectedAnswer,
        f"An answer to another request: {one_line(exchange.redact(difference), LONGEST_WORDS)}",
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


def _unreadable(exchange: Exchange, problem: Exception) -> Failure:
    if is_web_page(exchange.answer):
        return unexpected(exchange, "a web page", SUSPICIOUS)
    if isinstance(problem, RecursionError):
        message = "The answer can't be read: its values are nested too deeply"
        return failure(exchange, UnexpectedAnswer, message, attempts=SUSPICIOUS, advice=CORRECT_IT)
    if isinstance(problem, _ConstantError):
        what = one_line(exchange.redact(str(problem)), LONGEST_WORDS)
        return _not_json(exchange, what, CORRECT_IT)
    if isinstance(problem, UnicodeDecodeError) and problem.reason != "unexpected end of data":
        return _not_utf8(exchange, problem.start)
    if b"\0" in exchange.answer.body[:2]:  # as of UTF-16 and UTF-32
        return _not_utf8(exchange, 0)
    is_empty = not exchange.answer.body.strip()
    what = "it is empty" if is_empty else "JSON that is cut off, or not JSON at all"
    return unexpected(exchange, what, TRANSIENT)


def _not_utf8(exchange: Exchange, place: int) -> Failure:
    what = f"it is not UTF-8{_behind(exchange, place)}"
    return _not_json(exchange, what, "JSON is UTF-8: tell the makers of the service.")


def _behind(exchange: Exchange, place: int) -> str:
    """Say what stands before a place in the body; empty where nothing does."""
    start = max(0, place - LONGEST_WORDS * 20)  # long enough for a key to be found in it
    before = exchange.redact(exchange.answer.body[start:place].decode(errors="replace"))
    text = one_line(before[-_BEFORE:], _BEFORE)
    return f" behind “{text}”" if text else ""


def _not_json(exchange: Exchange, what: str, advice: str) -> Failure:
    message = f"The answer is not JSON: {what}"
    return failure(exchange, UnexpectedAnswer, message, attempts=SUSPICIOUS, advice=advice)


def _unsuccessful(exchange: Exchange, content: Any) -> Failure:
    request = exchange.request
    is_record = not request.endpoint.many and content.id == request.id
    # A record's texts are no error's.
    if content.success is None and (content.data is not None or is_record):
        return unexpected(exchange, "JSON without `success`", SUSPICIOUS)
    code, words = error_text(exchange)
    status = exchange.answer.status
    return failure(
        exchange,
        UnexpectedAnswer,
        f"The service did not succeed, though it answered {status}{in_quotes(code, words)}",
        code=code,
        attempts=TRANSIENT,
        advice=f"Try again later; {RETRY_ADVICE}",
    )
