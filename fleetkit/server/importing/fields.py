"""Values of a file as values of the reference: read, checked, or refused with a reason."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any

import msgspec

from fleetkit.schema import Field, Record, columns

__all__ = ["Refused", "identifier", "names", "record"]

_LEAST_0 = (0.0, math.inf)
# What can't be otherwise, in the units that the reference names.
_RANGES = {
    "durationSeconds": _LEAST_0,
    "traveledDistance": _LEAST_0,
    "weight": _LEAST_0,
    "purchaseCost": _LEAST_0,
    "totalFlights": _LEAST_0,
    "totalFlightHours": _LEAST_0,
    "agreedPrice": _LEAST_0,
    "estimatedCost": _LEAST_0,
    "baseRate": _LEAST_0,
    "takeoffLat": (-90.0, 90.0),
    "landingLat": (-90.0, 90.0),
    "takeoffLng": (-180.0, 180.0),
    "landingLng": (-180.0, 180.0),
}
_AS_SENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]*)?([eE][+-]?[0-9]{1,3})?")
_SUFFIX = r"_[A-Za-z0-9][A-Za-z0-9._-]{0,199}"


class Refused(Exception):
    """A value that the reference doesn't allow; the message says which and why."""


def names(kind: Record) -> dict[str, tuple[str, ...]]:
    """Return each name that a column of a file may have, with its place in the record.

    Examples
    --------
    >>> from fleetkit.schema import FLIGHT
    >>> found = names(FLIGHT)
    >>> found["duration_seconds"], found["pilot_id"], found["pilotInCommand.id"]
    (('durationSeconds',), ('pilotInCommand', 'id'), ('pilotInCommand', 'id'))
    """
    known = {each.name: each.path for each in columns(kind, detail=True)}
    known |= {".".join(each.path): each.path for each in columns(kind, detail=True)}
    known |= {each.name: (each.name,) for each in kind.fields}
    return known


def identifier(kind: Record, value: Any) -> str:
    """Return an identifier of a kind of record: its prefix, an underscore, a suffix.

    Examples
    --------
    >>> from fleetkit.schema import FLIGHT
    >>> identifier(FLIGHT, "fl_7")
    'fl_7'
    """
    if not isinstance(value, str) or not re.fullmatch(kind.prefix + _SUFFIX, value):
        raise Refused(f"{value!r:.60} is no identifier such as {kind.prefix}_1a2b")
    return value


def record(kind: Record, values: Mapping[tuple[str, ...], Any]) -> dict[str, Any]:
    """Return a whole record of the reference; what is not given is null.

    Parameters
    ----------
    kind : Record
    values : mapping
        Place in the record → value as the file has it.

    Raises
    ------
    Refused
        A value is not what its field takes.
    """
    found: dict[str, Any] = {}
    for field in kind.fields:
        inner = {path[1:]: value for path, value in values.items() if path[0] == field.name}
        whole = inner.pop((), None)
        if field.name == "id":
            found["id"] = identifier(kind, whole)
        elif field.type == "object" and inner and whole is None:
            found[field.name] = _nested(field, inner)
        else:
            found[field.name] = None if whole is None else _value(field, whole)
    return found


def _nested(field: Field, inner: Mapping[tuple[str, ...], Any]) -> dict[str, Any] | None:
    """Return a record inside another; none at all where all its values are null."""
    if field.record is None or all(value is None for value in inner.values()):
        return None
    return record(field.record, inner)


def _value(field: Field, value: Any) -> Any:
    try:
        return _READ[field.type](field, value)
    except (ValueError, TypeError, OverflowError):
        raise Refused(f"{field.name} = {value!r:.60} is no {_CALLED[field.type]}") from None


def _string(field: Field, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    if field.values and value not in field.values:
        raise Refused(f"{field.name} = {value!r:.60} is none of {', '.join(field.values)}")
    return value


def _integer(field: Field, value: Any) -> int:
    number = _number(field, value)
    if number != int(number):
        raise ValueError
    return int(number)


def _number(field: Field, value: Any) -> float | int:
    number = _read_number(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise TypeError
    if not math.isfinite(number):
        raise ValueError
    least, most = _RANGES.get(field.name, (-math.inf, math.inf))
    if not least <= number <= most:
        raise Refused(f"{field.name} = {value!r:.60} is not within {least:g} … {most:g}")
    return number


def _read_number(text: str) -> float | int:
    if not _NUMBER.fullmatch(text.strip()):
        raise ValueError
    return float(text) if set(text) & set(".eE") else int(text)


def _boolean(_: Field, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str) or value.lower() not in {"true", "false"}:
        raise TypeError
    return value.lower() == "true"


def _timestamp(_: Field, value: Any) -> str:
    if isinstance(value, str):
        moment = datetime.fromisoformat(value)
        if _AS_SENT.fullmatch(value):
            return value
    elif isinstance(value, datetime):
        moment = value
    elif isinstance(value, date):
        moment = datetime(value.year, value.month, value.day)
    else:
        raise TypeError
    moment = moment.astimezone(UTC) if moment.tzinfo else moment
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _map(_: Field, value: Any) -> dict[str, str]:
    found = _decoded(value)
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise TypeError
    return found


def _object(field: Field, value: Any) -> dict[str, Any] | None:
    found = _decoded(value)
    if not isinstance(found, dict):
        raise TypeError
    return _nested(field, {(name,): each for name, each in found.items()})


def _array(field: Field, value: Any) -> list[dict[str, Any]]:
    found = _decoded(value)
    if field.record is None or not isinstance(found, list):
        raise TypeError
    return [record(field.record, {(name,): each for name, each in row.items()}) for row in found]


def _decoded(value: Any) -> Any:
    """Read JSON where a flat file holds it as text."""
    return msgspec.json.decode(value) if isinstance(value, str) else value


_READ: dict[str, Callable[[Field, Any], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "timestamp": _timestamp,
    "map": _map,
    "object": _object,
    "array": _array,
}
_CALLED = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "timestamp": "ISO 8601 timestamp",
    "map": "object of short texts",
    "object": "object",
    "array": "list of records",
}
