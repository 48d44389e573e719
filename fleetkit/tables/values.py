"""One JSON value → one value of a column's dtype, or a `ValueError` that says why not.

Nothing is guessed and nothing is rounded: what can't be read without changing its meaning is
refused. `fleetkit.tables.records` adds the record and the field to the message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

import msgspec

from fleetkit.errors import DataError
from fleetkit.interface import shortened
from fleetkit.schema import read_time

__all__ = ["READERS", "json_text", "parse", "shown"]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,6})?", re.ASCII)
_INT64 = range(-(2**63), 2**63)
_MOST_DIGITS = 19
# The longest text that Python converts to an int however it was set up.
_MOST_CONVERTED = 640
# Decimals become numbers, with every digit.
_encode = msgspec.json.Encoder(decimal_format="number").encode


def parse(text: str | bytes) -> Any:
    """Read JSON as plain values; fractions become `Decimal`, so that no digit is lost.

    So do whole numbers that are too long for an `int`.

    Raises
    ------
    ValueError
        The text is not JSON; nor are NaN and Infinity.
    DataError
        A field is given twice in one object, with different values.
    """
    try:
        return _loads(text, int)
    except json.JSONDecodeError:
        raise
    except ValueError:  # perhaps of a number that is too long; `int` alone takes no time
        return _loads(text, _whole_number)


def _loads(text: str | bytes, parse_int: Callable[[str], Any]) -> Any:
    try:
        return json.loads(
            text,
            parse_float=Decimal,
            parse_int=parse_int,
            parse_constant=_refuse,
            object_pairs_hook=_object,
        )
    except (ArithmeticError, RecursionError) as problem:
        raise ValueError(f"a value can't be held ({type(problem).__name__})") from None


def _whole_number(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= _MOST_CONVERTED else Decimal(digits)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        for name, value in pairs:
            if value != content[name]:
                record = shortened(str(content.get("id", "without id")))
                raise DataError(
                    f"Record {record}: {shortened(name)} is given twice, "
                    f"as {shown(value)} and as {shown(content[name])}.",
                    advice="Tell the makers of the service.",
                )
    return content


def json_text(value: Any) -> str:
    """Return a value as compact JSON, without losing a digit.

    Examples
    --------
    >>> json_text({"cells": 6, "volts": [22.2, None]})
    '{"cells":6,"volts":[22.2,null]}'
    >>> json_text(parse("10e0"))
    '10.0'
    """
    if isinstance(value, Decimal):  # what has a fraction or an exponent has one afterwards
        digits = str(value)
        is_whole = len(digits) > _MOST_CONVERTED  # as `_whole_number` reads it
        return digits if is_whole or "." in digits or "E" in digits else f"{digits}.0"
    try:
        return _encode(value).decode()
    except UnicodeEncodeError:  # half a surrogate pair: UTF-8 has no form for it
        return json.dumps(value, separators=(",", ":"), default=float)


def shown(value: Any) -> str:
    """Return a value for a message, cut where it is long."""
    return shortened(json_text(value))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json_text(value)


def _number(value: Any) -> int | Decimal:
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return Decimal(value.strip())
    raise ValueError("is not a number")


def _float(value: Any) -> float:
    with suppress(OverflowError):
        number = float(_number(value))
        if isfinite(number):
            return number + 0.0  # no -0.0
    raise ValueError("is too large for a number")


def _integer(value: Any) -> int:
    number = _number(value)
    if isinstance(number, Decimal) and (not number or number.adjusted() < _MOST_DIGITS):
        if number != number.to_integral_value():
            raise ValueError("is not a whole number")
        number = int(number)
    if isinstance(number, Decimal) or number not in _INT64:
        raise ValueError("is too large for a whole number")
    return number


def _boolean(value: Any) -> bool:
    if value in ("true", "false"):
        return bool(value == "true")
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise ValueError("is neither true nor false")


def _moment(value: Any) -> datetime:
    if not isinstance(value, str):
        raise ValueError("is not an ISO 8601 time")
    moment = read_time(value.strip())
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is not a time of the calendar") from None


READERS: dict[str, Callable[[Any], Any]] = {
    "str": _text,
    "category": _text,
    "Int64": _integer,
    "float64": _float,
    "boolean": _boolean,
    "datetime64[us, UTC]": _moment,
}
