"""Values of a file as values of the reference: read, checked, or refused with a reason.

What is let in, `fleetkit`'s own client reads again: whole numbers within 64 bits, numbers that are
finite, text that UTF-8 can hold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from fleetkit.columns import columns_of_record, snake_case
from fleetkit.schema import RECORDS, Field, Record
from fleetkit.server.importing.json_files import value_of

__all__ = ["InvalidCell", "identifier", "names", "record", "text"]

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
_INT64 = range(-(2**63), 2**63)
_AS_SENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_NUMBER = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]*)?([eE][+-]?[0-9]{1,3})?")
_SUFFIX = r"_[A-Za-z0-9][A-Za-z0-9._-]{0,199}"

Path = tuple[str, ...]


class InvalidCell(Exception):
    """A value that the reference doesn't allow; the message says which and why."""


def names(kind: Record) -> dict[str, Path]:
    """Return each name that a column of a file may have, with its place in the record.

    Examples
    --------
    >>> from fleetkit.schema import FLIGHT
    >>> found = names(FLIGHT)
    >>> found["duration_seconds"], found["pilot_id"], found["pilotInCommand.id"]
    (('durationSeconds',), ('pilotInCommand', 'id'), ('pilotInCommand', 'id'))
    """
    if kind.name not in _NAMES:
        _NAMES[kind.name] = _names(kind)
    return _NAMES[kind.name]


_NAMES: dict[str, dict[str, Path]] = {}


def _names(kind: Record) -> dict[str, Path]:
    own: dict[str, Path] = {field.name: (field.name,) for field in kind.fields}
    if kind not in RECORDS:  # only ever inside another record
        return {snake_case(name): path for name, path in own.items()} | own
    known = columns_of_record(kind, detail=True)
    return (
        {column.name: column.path for column in known}
        | {".".join(column.path): column.path for column in known}
        | own
    )


def identifier(kind: Record, value: Any) -> str:
    """Return an identifier of a kind of record: its prefix, an underscore, a suffix.

    Examples
    --------
    >>> from fleetkit.schema import FLIGHT
    >>> identifier(FLIGHT, "fl_7")
    'fl_7'
    """
    if not isinstance(value, str) or not re.fullmatch(kind.prefix + _SUFFIX, value):
        raise InvalidCell(f"{_shown(value)} is not an identifier such as {kind.prefix}_1a2b")
    return value


def text(name: str, value: Any) -> str:
    """Return a text that UTF-8 can hold."""
    if not isinstance(value, str):
        raise InvalidCell(f"{name} = {_shown(value)} is not text")
    try:
        value.encode()
    except UnicodeEncodeError:
        says = "holds half a character (a lone surrogate)"
        raise InvalidCell(f"{name} = {_shown(value)} {says}") from None
    return value


def _shown(value: Any) -> str:
    try:
        return f"{value!r:.60}"
    except (ValueError, RecursionError):  # more digits, or deeper, than Python writes
        return f"this {type(value).__name__}"


def record(kind: Record, values: Mapping[Path, Any]) -> dict[str, Any]:
    """Return a whole record of the reference; what is not given is null.

    Parameters
    ----------
    kind : Record
    values : mapping
        Place in the record → value as the file has it.

    Raises
    ------
    InvalidCell
        A value is not what its field takes.
    """
    wholes: dict[str, Any] = {}
    parts: dict[str, dict[Path, Any]] = {}
    for path, value in values.items():
        if len(path) == 1:
            wholes[path[0]] = value
        else:
            parts.setdefault(path[0], {})[path[1:]] = value
    found: dict[str, Any] = {"id": identifier(kind, wholes.get("id"))}
    for field in kind.fields[1:]:
        name = field.name
        whole, inner = wholes.get(name), parts.get(name)
        if inner is not None:
            found[name] = _joined(field, whole, inner)
        else:
            found[name] = None if whole is None else _value(field, whole)
    return found


def _joined(field: Field, whole: Any, inner: Mapping[Path, Any]) -> Any:
    """Return a record inside another that a flat file has in parts."""
    if whole is None:
        return _nested(field, inner)
    if any(value is not None for value in inner.values()):
        raise InvalidCell(f"{field.name} is given twice, as a whole and in parts")
    return _value(field, whole)


def _nested(field: Field, inner: Mapping[Path, Any]) -> dict[str, Any] | None:
    """Return a record inside another; none at all where all its values are null."""
    if field.record is None or all(value is None for value in inner.values()):
        return None
    return record(field.record, inner)


def _value(field: Field, value: Any) -> Any:
    try:
        return _READ[field.type](field, value)
    except (ValueError, TypeError, ArithmeticError, RecursionError):
        says = f"{field.name} = {_shown(value)} is not {_CALLED[field.type]}"
        raise InvalidCell(says) from None


def _string(field: Field, value: Any) -> str:
    if field.values and value not in field.values:
        raise InvalidCell(f"{field.name} = {_shown(value)} is none of {', '.join(field.values)}")
    return text(field.name, value)


def _integer(field: Field, value: Any) -> int:
    number = _number(field, value)
    if number != int(number):
        raise ValueError
    if int(number) not in _INT64:
        raise InvalidCell(f"{field.name} = {_shown(value)} is beyond 64 bits")
    return int(number)


def _number(field: Field, value: Any) -> float | int:
    number = _read_number(value.strip()) if isinstance(value, str) else value
    if isinstance(number, Decimal):
        number = int(number) if number == number.to_integral_value() else float(number)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise TypeError
    if not math.isfinite(number):
        raise ValueError
    least, most = _RANGES.get(field.name, (-math.inf, math.inf))
    if not least <= number <= most:
        says = f"is not within {least:g} … {most:g}"
        raise InvalidCell(f"{field.name} = {_shown(value)} {says}")
    return number


def _read_number(digits: str) -> float | int:
    if not _NUMBER.fullmatch(digits):
        raise ValueError
    return float(digits) if set(digits) & set(".eE") else int(digits)


def _boolean(_: Field, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in {"true", "false"}:
        raise TypeError
    return word == "true"


def _timestamp(_: Field, value: Any) -> str:
    if isinstance(value, str):
        moment = datetime.fromisoformat(value.strip())
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


def _map(field: Field, value: Any) -> dict[str, str]:
    found = _decoded(value)
    if not isinstance(found, dict):
        raise TypeError
    if not all(isinstance(element, str) for element in found.values()):
        raise TypeError
    return {text(field.name, key): text(field.name, value) for key, value in found.items()}


def _object(field: Field, value: Any) -> dict[str, Any] | None:
    found = _decoded(value)
    if not isinstance(found, dict) or field.record is None:
        raise TypeError
    return _nested(field, _placed(field, field.record, found))


def _array(field: Field, value: Any) -> list[dict[str, Any]]:
    found = _decoded(value)
    if field.record is None or not isinstance(found, list):
        raise TypeError
    if not all(isinstance(element, dict) for element in found):
        raise TypeError
    return [record(field.record, _placed(field, field.record, element)) for element in found]


def _placed(field: Field, kind: Record, values: Mapping[str, Any]) -> dict[Path, Any]:
    """Return the values of a record inside another one by their places."""
    known, placed = names(kind), dict[Path, Any]()
    for name, value in values.items():
        if name not in known:
            raise InvalidCell(f"{field.name} has no field {_shown(name)}")
        if known[name] in placed:
            raise InvalidCell(f"{field.name}.{known[name][0]} is given twice")
        placed[known[name]] = value
    return placed


def _decoded(value: Any) -> Any:
    """Read JSON where a flat file holds it as text."""
    return value_of(value) if isinstance(value, str) else value


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
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "timestamp": "an ISO 8601 timestamp such as 2026-10-31T09:30:00Z",
    "map": "an object of short texts",
    "object": "an object",
    "array": "a list of records",
}
