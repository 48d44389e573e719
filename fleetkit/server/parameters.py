"""Query parameters, parsed and checked as the dials choose (reference, section 4.3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from starlette.datastructures import QueryParams

from fleetkit.schema import (
    DEFAULT_LIMIT,
    DEFAULT_PAGE,
    FLIGHT_ORDERS,
    FLIGHT_TYPES,
    MAX_LIMIT,
    PARAMETERS,
    PROJECT_STATUSES,
    read_time,
)
from fleetkit.server.dials import Dials
from fleetkit.server.errors import HttpError
from fleetkit.server.reader import FlightQuery
from fleetkit.server.rows import UNDATED

__all__ = ["Paging", "parse_flight_query", "parse_paging", "parse_query", "parse_status"]

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,4000}")
# A date without a time: 2026-10-31, 20261031, 2026-W44-6, 2026W446 or a week alone.
_BARE_DATE = re.compile(r"[0-9]{4}-?([0-9]{2}-?[0-9]{2}|W[0-9]{2}(-?[0-9])?)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY = timedelta(days=1) // _MICROSECOND
# Beyond the end of any list, and within the numbers of a database.
_LAST_PAGE = 2**40


class Paging(NamedTuple):
    """Page (1-indexed) and items per page."""

    page: int
    limit: int


def parse_query(query_string: bytes, *, strictly: bool) -> dict[str, str]:
    """Return the parameters; of a repeated one, the last value, or `strictly` an error."""
    pairs = QueryParams(query_string).multi_items()
    known = [name for name, _ in pairs if name in PARAMETERS]
    if strictly and len(set(known)) != len(known):
        raise HttpError(400, "A query parameter is given twice.")
    return dict(pairs)


def parse_paging(values: Mapping[str, str], dials: Dials, *, strictly: bool) -> Paging:
    """Parse page and limit, `strictly` on the flights endpoint (rule 4.4.3).

    The error table has 400 for the flights endpoint only, so elsewhere a value that is not a number
    counts as not given.
    """
    page = _number("page", DEFAULT_PAGE, values, strictly)
    limit = _number("limit", DEFAULT_LIMIT, values, strictly)
    if page < 1 and strictly:
        raise HttpError(400, "page must be 1 or more.")
    if not 1 <= limit <= MAX_LIMIT:
        if dials.limit_out_of_range == "400":
            raise HttpError(400, f"limit must be a whole number from 1 to {MAX_LIMIT}.")
        limit = min(max(limit, 1), MAX_LIMIT)
    return Paging(min(max(page, 1), _LAST_PAGE), limit)


def _number(name: str, default: int, values: Mapping[str, str], strictly: bool) -> int:
    text = values.get(name)
    if text is None:
        return default
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if strictly:
        raise HttpError(400, f"{name} must be a whole number.")
    return default


def parse_status(values: Mapping[str, str]) -> str | None:
    """Return the project status to filter by; an unknown one is ignored (rule 4.4.2)."""
    value = values.get("status")
    return value if value in PROJECT_STATUSES else None


def parse_flight_query(values: Mapping[str, str], dials: Dials) -> FlightQuery:
    """Parse the filters and the order of flights; a wrong value is a 400 (rule 4.4.3)."""
    default = FlightQuery()
    # A flight without a date is neither from a date on nor up to one.
    first = UNDATED + 1 if "dateTo" in values else default.since
    is_inclusive = dials.date_bounds == "inclusive"
    return FlightQuery(
        since=_bound(values, "dateFrom", first, dials, at_or_after=is_inclusive),
        until=_bound(values, "dateTo", default.until, dials, at_or_after=not is_inclusive),
        flight_type=_one_of(values, "flightType", FLIGHT_TYPES),
        order=_one_of(values, "orderBy", FLIGHT_ORDERS) or default.order,
    )


def _one_of(values: Mapping[str, str], name: str, known: tuple[str, ...]) -> str | None:
    value = values.get(name)
    if value is not None and value not in known:
        raise HttpError(400, f"{name} must be one of {', '.join(known)}.")
    return value


def _bound(
    values: Mapping[str, str], name: str, default: int, dials: Dials, *, at_or_after: bool
) -> int:
    """Return the first millisecond at or after the given instant, or the first one after it."""
    text = values.get(name)
    if text is None:
        return default
    try:
        instant = read_time(text)
    except ValueError:
        raise HttpError(400, f"{name} must be an ISO 8601 date, or date and time.") from None
    microseconds = (instant.replace(tzinfo=instant.tzinfo or UTC) - _EPOCH) // _MICROSECOND
    if _BARE_DATE.fullmatch(text) and dials.bare_date == "whole_day" and name == "dateTo":
        microseconds, at_or_after = microseconds + _DAY, True
    return -(-microseconds // 1000) if at_or_after else microseconds // 1000 + 1
