"""Plain values, of a TOML file, the environment or a notebook → the values of settings.

Each function takes a value and returns it as the setting holds it, or raises `ConversionError`,
which says what is wrong with it and where.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import date, time
from typing import Any, TypeGuard

from fleetkit.interface import brief, did_you_mean

__all__ = [
    "ConversionError",
    "is_many",
    "number",
    "table",
    "text",
    "texts",
    "whole_number",
    "yes_or_no",
]


class ConversionError(Exception):
    """A value that a setting can't hold; `path` leads to it inside the setting."""

    def __init__(self, problem: str, *path: object, advice: str = "") -> None:
        self.problem, self.path, self.advice = problem, path, advice
        super().__init__(problem)

    def within(self, name: object) -> ConversionError:
        """Return the same error of what holds the value under a name."""
        return ConversionError(self.problem, name, *self.path, advice=self.advice)


def text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        is_bare = isinstance(value, int | float | date | time)
        written = str(value) if isinstance(value, date | time) else brief(value)
        advice = f'Write it in quotation marks: "{written}".' if is_bare else ""
        raise ConversionError(f"{written} is not a text", advice=advice)
    return value


def whole_number(value: Any) -> int:
    """Return a whole number, also from a text.

    Examples
    --------
    >>> whole_number("8"), whole_number(8.0)
    (8, 8)
    """
    exact = number(value, "a whole number")
    if not exact.is_integer():
        raise ConversionError(f"{brief(value)} is not a whole number")
    return int(exact)


def number(value: Any, kind: str = "a number") -> float:
    """Return a finite number, also from a text."""
    try:
        if isinstance(value, bool) or not math.isfinite(float(value)):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ConversionError(f"{brief(value)} is not {kind}") from None
    return float(value)


def is_many(value: Any) -> TypeGuard[Iterable[Any]]:
    """Whether a value can be read one by one, as an array without a dimension only seems to be.

    Examples
    --------
    >>> import numpy as np
    >>> [is_many(value) for value in (["eq_1"], np.array(["eq_1"]), np.array("eq_1"), 3)]
    [True, True, False, False]
    """
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0


def texts(value: Any) -> tuple[str, ...]:
    """Return texts; a single one is separated by commas. Empty ones, as of a variable, are none.

    Examples
    --------
    >>> texts("DRONE, VTOL"), texts(["DRONE", "VTOL "])
    (('DRONE', 'VTOL'), ('DRONE', 'VTOL '))
    """
    if isinstance(value, str):
        value = map(str.strip, value.split(","))
    elif isinstance(value, Mapping) or not is_many(value):
        raise ConversionError(f"{brief(value)} is not a list of texts")
    return tuple(item for item in value if text(item).strip())


def yes_or_no(value: Any) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ConversionError(f"{brief(value)} is neither true nor false")
    return value


def table(value: Any, kinds: Mapping[str, Callable[[Any], Any]], what: str) -> dict[str, Any]:
    """Return a table of names and values, whose names are all known.

    Parameters
    ----------
    value : Any
    kinds : dict
        Name that it may hold → the function that reads its value.
    what : str
        What the names name: ``"a project status"``.

    Examples
    --------
    >>> table({"weight": "kg"}, {"weight": text, "max_altitude": text}, "a measure")
    {'weight': 'kg'}
    """
    if not isinstance(value, Mapping):
        raise ConversionError(f"{brief(value)} is not a table of names and values")
    return {name: _entry(name, value[name], kinds, what) for name in value}


def _entry(name: Any, value: Any, kinds: Mapping[str, Callable[[Any], Any]], what: str) -> Any:
    if name not in kinds:
        guess = did_you_mean(str(name), kinds)
        advice = f"There are: {', '.join(kinds)}."
        raise ConversionError(f"{brief(name)} is not {what}. {guess}".strip(), name, advice=advice)
    try:
        return kinds[name](value)
    except ConversionError as error:
        raise error.within(name) from None
