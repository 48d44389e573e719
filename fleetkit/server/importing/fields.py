"""Values of a file as values of the reference, parsed and checked.

The client can read all valid values: whole numbers within 64 bits, finite numbers, and text that
UTF-8 can encode.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from fleetkit.columns import columns_of_record, snake_case
from fleetkit.interface import brief
from fleetkit.schema import RECORDS, Field, Record, read_time, timestamp
from fleetkit.server.importing.json_files import parse_fraction, parse_value

__all__ = ["InvalidCell", "identifier", "names", "record", "text"]

_NOT_NEGATIVE = (
    "durationSeconds",
    "traveledDistance",
    "weight",
    "purchaseCost",
    "totalFlights",
    "totalFlightHours",
    "agreedPrice",
    "estimatedCost",
    "baseRate",
)
# Possible values, in the units of the reference.
_RANGES = {
    **dict.fromkeys(_NOT_NEGATIVE, (0.0, math.inf)),
    **dict.fromkeys(("takeoffLat", "landingLat"), (-90.0, 90.0)),
    **dict.fromkeys(("takeoffLng", "landingLng"), (-180.0, 180.0)),
}
_INT64 = range(-(2**63), 2**63)
_AS_SENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
# Oracle writes a half as .5.
_NUMBER = re.compile(r"[+-]?([0-9]{1,300}(\.[0-9]*)?|\.[0-9]{1,300})([eE][+-]?[0-9]{1,3})?")
_SUFFIX = r"_[A-Za-z0-9][A-Za-z0-9._-]{0,199}"

Path = tuple[str, ...]


class InvalidCell(Exception):
    """A value that the reference doesn't allow."""


def names(kind: Record) -> dict[str, Path]:
    """Return each name that a column of a file may have, with its path in the record.

    Examples
    --------
    >>> from fleetkit.schema import FLIGHT
    >>> paths = names(FLIGHT)
    >>> paths["duration_seconds"], paths["pilot_id"], paths["pilotInCommand.id"]
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
    """Check an identifier of a kind of record: its prefix, an underscore, a suffix.

    Examples
    --------
    >>> from fleetkit.schema import FLIGHT
    >>> identifier(FLIGHT, "fl_7")
    'fl_7'
    """
    if value is None:
        raise InvalidCell(f"there is no id, such as {kind.prefix}_1a2b")
    if not isinstance(value, str) or not re.fullmatch(kind.prefix + _SUFFIX, value):
        raise InvalidCell(f"{brief(value)} is not an identifier such as {kind.prefix}_1a2b")
    return value


def text(name: str, value: Any) -> str:
    """Check that a value is text that UTF-8 can encode."""
    if not isinstance(value, str):
        raise InvalidCell(f"{name} = {brief(value)} is not text")
    try:
        value.encode()
    except UnicodeEncodeError:
        reason = "is not valid Unicode (it has a lone surrogate)"
        raise InvalidCell(f"{name} = {brief(value)} {reason}") from None
    return value


def record(kind: Record, values: Mapping[Path, Any]) -> dict[str, Any]:
    """Return a complete record of the reference; missing fields are null.

    Parameters
    ----------
    kind : Record
    values : mapping
        Path in the record → value in the file.

    Raises
    ------
    InvalidCell
        A value is not valid for its field.
    """
    wholes: dict[str, Any] = {}
    parts: dict[str, dict[Path, Any]] = {}
    for path, value in values.items():
        if len(path) == 1:
            wholes[path[0]] = value
        else:
            parts.setdefault(path[0], {})[path[1:]] = value
    complete: dict[str, Any] = {"id": identifier(kind, wholes.get("id"))}
    for field in kind.fields[1:]:
        whole, inner = wholes.get(field.name), parts.get(field.name, {})
        complete[field.name] = _joined(field, whole, inner)
    return complete


def _joined(field: Field, whole: Any, inner: Mapping[Path, Any]) -> Any:
    """Return the value of a field that a flat file has as a whole, in parts, or not at all."""
    if all(value is None for value in inner.values()):
        return None if whole is None else _value(field, whole)
    if whole is not None or field.record is None:
        raise InvalidCell(f"{field.name} is given both as a whole and in parts")
    return record(field.record, inner)


def _value(field: Field, value: Any) -> Any:
    read, description = _READ[field.type]
    try:
        return read(field, value)
    except (ValueError, TypeError, ArithmeticError, RecursionError):
        raise InvalidCell(f"{field.name} = {brief(value)} is not {description}") from None


def _string(field: Field, value: Any) -> str:
    if field.values and value not in field.values:
        raise InvalidCell(f"{field.name} = {brief(value)} is not one of {', '.join(field.values)}")
    return text(field.name, value)


def _integer(field: Field, value: Any) -> int:
    number = _number(field, value)
    if number != int(number):
        raise ValueError
    if int(number) not in _INT64:
        raise InvalidCell(f"{field.name} = {brief(value)} is beyond 64 bits")
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
        is_open = most == math.inf
        message = f"is below {least:g}" if is_open else f"is not within {least:g} … {most:g}"
        raise InvalidCell(f"{field.name} = {brief(value)} {message}")
    return number


def _read_number(digits: str) -> float | int:
    if not _NUMBER.fullmatch(digits):
        raise ValueError
    return parse_fraction(digits) if set(digits) & set(".eE") else int(digits)


def _boolean(_: Field, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in {"true", "false"}:
        raise TypeError
    return word == "true"


def _timestamp(_: Field, value: Any) -> str:
    if isinstance(value, str):
        instant = read_time(value.strip())
        if _AS_SENT.fullmatch(value):
            return value
    elif isinstance(value, datetime):
        instant = value
    elif isinstance(value, date):
        instant = datetime(value.year, value.month, value.day)
    else:
        raise TypeError
    return timestamp(instant)


def _map(field: Field, value: Any) -> dict[str, str]:
    entries = _decoded(value)
    if not isinstance(entries, dict) or not all(
        isinstance(entry, str) for entry in entries.values()
    ):
        raise TypeError
    return {text(field.name, key): text(field.name, entry) for key, entry in entries.items()}


def _object(field: Field, value: Any) -> Any:
    values = _decoded(value)
    if not isinstance(values, dict) or field.record is None:
        raise TypeError
    return _joined(field, None, _by_path(field, field.record, values))


def _array(field: Field, value: Any) -> list[dict[str, Any]]:
    items = _decoded(value)
    kind = field.record
    is_list = isinstance(items, list) and all(isinstance(item, dict) for item in items)
    if kind is None or not is_list:
        raise TypeError
    return [record(kind, _by_path(field, kind, item)) for item in items]


def _by_path(field: Field, kind: Record, values: Mapping[str, Any]) -> dict[Path, Any]:
    """Return the values of a nested record by their paths."""
    paths, by_path = names(kind), dict[Path, Any]()
    for name, value in values.items():
        if name not in paths:
            raise InvalidCell(f"{field.name} has no field {brief(name)}")
        if paths[name] in by_path:
            raise InvalidCell(f"{field.name}.{paths[name][0]} is given twice")
        by_path[paths[name]] = value
    return by_path


def _decoded(value: Any) -> Any:
    """Parse JSON where a flat file has it as text."""
    return parse_value(value) if isinstance(value, str) else value


# How a type is read, and what an error says of it.
_READ: dict[str, tuple[Callable[[Field, Any], Any], str]] = {
    "string": (_string, "text"),
    "integer": (_integer, "a whole number"),
    "number": (_number, "a number"),
    "boolean": (_boolean, "true or false"),
    "timestamp": (_timestamp, "an ISO 8601 timestamp such as 2026-10-31T09:30:00Z"),
    "map": (_map, "an object of short texts"),
    "object": (_object, "an object"),
    "array": (_array, "a list of records"),
}
