"""Records of the API as rows of the database: the document, and the columns that sort lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from fleetkit import schema
from fleetkit.errors import DataError
from fleetkit.interface import brief
from fleetkit.schema import PROJECT

__all__ = ["ROWS", "UNDATED", "is_identifier"]

Record = Mapping[str, Any]
Row = dict[str, Any]

_encode = msgspec.json.Encoder().encode
_DETAILS = tuple(field.name for field in PROJECT.fields if field.detail_only)
_ID = re.compile(r"[^\x00-\x20\x7f/?#]{1,255}")
# Flights without a duration come first when the shortest comes first, and those without a date
# before the first one that there is.
_NO_DURATION = -1
UNDATED = -(2**62)
_MOST = 2**63 - 1


def _milliseconds(text: str) -> int:
    """Return an ISO 8601 timestamp as milliseconds since 1970, UTC.

    Examples
    --------
    >>> _milliseconds("1970-01-01T00:01:00.250Z")
    60250
    """
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return round(instant.timestamp() * 1000)


def is_identifier(value: object) -> bool:
    """Whether a value can be the id of a stored record: one that an address can hold.

    Examples
    --------
    >>> is_identifier("eq_1"), is_identifier("eq/1"), is_identifier(".."), is_identifier(1)
    (True, False, False, False)
    """
    return schema.is_identifier(value) and _ID.fullmatch(str(value)) is not None


def _text(value: object) -> str | None:
    """Return a text that a database can sort and filter by; None for a value that is not text."""
    return value.replace("\x00", "") if isinstance(value, str) else None


def _instant(record: Record, name: str, default: int = 0) -> int:
    return _converted(record, name, _milliseconds, default, "an ISO 8601 timestamp")


def _converted(
    record: Record, name: str, convert: Callable[[Any], int], default: int, expected: str
) -> int:
    value = record.get(name)
    if value is None:
        return default
    try:
        return convert(value)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{record['id']}: {name} = {brief(value)} is not {expected}.") from None


def _whole_number(value: Any) -> int:
    """Return a number that the databases can sort by: whole, and within 64 bits."""
    number = value if isinstance(value, int) else round(float(value))
    return min(max(number, -_MOST), _MOST)


def _document(record: Record) -> str:
    try:
        return _encode(record).decode()
    except (UnicodeEncodeError, RecursionError) as problem:
        is_text = isinstance(problem, UnicodeEncodeError)
        reason = "text is not valid Unicode" if is_text else "it is nested too deeply"
        raise DataError(f"{record.get('id', 'A record')} can't be stored: {reason}.") from None


def _row(record: Record, owner: int) -> Row:
    identifier = record.get("id")
    if not is_identifier(identifier):
        raise DataError(
            f"{brief(identifier)} is not a valid id.",
            advice="An id is a text of at most 255 characters without spaces, /, ? and #; dots "
            "alone are none.",
        )
    return {"organisation": owner, "id": identifier, "document": _document(record)}


def _listed(record: Record, owner: int, name: str) -> Row:
    row = _row(record, owner)
    row["name"] = _text(str(record.get(name) or ""))
    row["created_at"] = _instant(record, "createdAt")
    return row


def _equipment(record: Record, owner: int) -> Row:
    """Return the row of a piece of equipment (reference, section 2.1)."""
    return _listed(record, owner, "name")


def _flight(record: Record, owner: int) -> Row:
    """Return the row of a flight log (reference, section 2.2)."""
    row = _row(record, owner)
    row["flight_date"] = _instant(record, "flightDate", UNDATED)
    row["duration"] = _converted(record, "durationSeconds", _whole_number, _NO_DURATION, "a number")
    row["flight_type"] = _text(record.get("flightType"))
    return row


def _project(record: Record, owner: int) -> Row:
    """Return the row of a project (reference, section 2.3)."""
    listed = {name: value for name, value in record.items() if name not in _DETAILS}
    row = _listed(listed, owner, "title")
    row["status"] = _text(record.get("status"))
    row["detail"] = _document({name: record[name] for name in _DETAILS if name in record})
    return row


def _service(record: Record, owner: int) -> Row:
    """Return the row of a service with its tiers (reference, section 2.4)."""
    row = _listed(record, owner, "name")
    try:
        row["display_order"] = _whole_number(record.get("displayOrder") or 0)
    except (TypeError, ValueError, OverflowError):
        row["display_order"] = 0
    return row


ROWS = {"equipment": _equipment, "flights": _flight, "projects": _project, "services": _service}
