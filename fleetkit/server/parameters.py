"""Query parameters: read, checked, and settled as the dials say (reference, section 4.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from urllib.parse import parse_qsl

from fleetkit.schema import (
    DEFAULT_LIMIT,
    DEFAULT_PAGE,
    FLIGHT_ORDERS,
    FLIGHT_TYPES,
    MAX_LIMIT,
    PARAMETERS,
    PROJECT_STATUSES,
)
from fleetkit.server.dials import Dials
from fleetkit.server.errors import HttpError
from fleetkit.server.reader import FlightQuery

__all__ = ["Paging", "flight_query", "lenient", "paging", "status", "strict"]

_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}")
_BARE_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# Further than any list goes, within what a database counts to.
_LAST_PAGE = 2**40


class Paging(NamedTuple):
    """Page (1-indexed) and items per page."""

    page: int
    limit: int


def _pairs(query_string: bytes) -> list[tuple[str, str]]:
    return parse_qsl(query_string.decode("latin-1"), keep_blank_values=True)


def lenient(query_string: bytes) -> dict[str, str]:
    """Return the parameters; of a repeated one the last."""
    return dict(_pairs(query_string))


def strict(query_string: bytes) -> dict[str, str]:
    """Return the parameters of the flights endpoint, where a repeated one is invalid."""
    pairs = [pair for pair in _pairs(query_string) if pair[0] in PARAMETERS]
    values = dict(pairs)
    if len(values) != len(pairs):
        raise HttpError(400, "A query parameter is given twice.")
    return values


def paging(values: Mapping[str, str], dials: Dials, *, strictly: bool = False) -> Paging:
    """Read page and limit; `strictly` as the flights endpoint does (rule 4.4.3).

    The error table knows 400 on the flights endpoint only, so elsewhere what is no number counts
    as not given.
    """
    page = _number("page", DEFAULT_PAGE, values, strictly)
    limit = _number("limit", DEFAULT_LIMIT, values, strictly)
    if page < 1 and strictly:
        raise HttpError(400, "page starts at 1.")
    if not 1 <= limit <= MAX_LIMIT:
        if dials.limit_out_of_range == "400":
            raise HttpError(400, f"limit is a whole number from 1 to {MAX_LIMIT}.")
        limit = min(max(limit, 1), MAX_LIMIT)
    return Paging(min(max(page, 1), _LAST_PAGE), limit)


def _number(name: str, default: int, values: Mapping[str, str], strictly: bool) -> int:
    text = values.get(name)
    if text is None:
        return default
    if _WHOLE.fullmatch(text):
        return int(text)
    if strictly:
        raise HttpError(400, f"{name} is a whole number.")
    return default


def status(values: Mapping[str, str]) -> str | None:
    """Return the project status to keep; a wrong one is silently ignored (rule 4.4.2)."""
    value = values.get("status")
    return value if value in PROJECT_STATUSES else None


def flight_query(values: Mapping[str, str], dials: Dials) -> FlightQuery:
    """Read the filters and the order of flights; anything wrong is a 400 (rule 4.4.3)."""
    everything = FlightQuery()
    included = dials.date_bounds == "inclusive"
    return FlightQuery(
        since=_bound(values, "dateFrom", everything.since, dials, at_or_after=included),
        until=_bound(values, "dateTo", everything.until, dials, at_or_after=not included),
        flight_type=_one_of(values, "flightType", FLIGHT_TYPES),
        order=_one_of(values, "orderBy", FLIGHT_ORDERS) or everything.order,
    )


def _one_of(values: Mapping[str, str], name: str, known: tuple[str, ...]) -> str | None:
    value = values.get(name)
    if value is not None and value not in known:
        raise HttpError(400, f"{name} is one of {', '.join(known)}.")
    return value


def _bound(
    values: Mapping[str, str], name: str, missing: int, dials: Dials, *, at_or_after: bool
) -> int:
    """Return the first millisecond at or after the given instant, or the first one after it."""
    text = values.get(name)
    if text is None:
        return missing
    try:
        moment = _moment(text)
    except (ValueError, OverflowError):
        raise HttpError(400, f"{name} is an ISO 8601 date or date and time.") from None
    if _BARE_DATE.fullmatch(text) and dials.bare_date == "whole_day" and name == "dateTo":
        moment, at_or_after = moment + timedelta(days=1), True
    microseconds = (moment - _EPOCH) // _MICROSECOND
    return -(-microseconds // 1000) if at_or_after else microseconds // 1000 + 1


def _moment(text: str) -> datetime:
    read: Callable[[str], date] = date.fromisoformat if len(text) <= 10 else datetime.fromisoformat
    found = read(text)
    if not isinstance(found, datetime):
        return datetime(found.year, found.month, found.day, tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
