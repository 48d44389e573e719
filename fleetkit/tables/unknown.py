"""Fields that the reference doesn't know: named, typed, put after the known columns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pandas as pd

from fleetkit.notices import NotInReference, notify
from fleetkit.schema import Column, Record, snake_case
from fleetkit.tables.records import Path, encodable
from fleetkit.tables.values import json_text, parse

__all__ = ["add_unknown"]

# Whole numbers up to here are exact as float64.
_EXACT = 2**53


def add_unknown(
    frame: pd.DataFrame,
    unknown: dict[Path, list[str | None]],
    record: Record,
    columns: tuple[Column, ...],
) -> pd.DataFrame:
    """Return `frame` with one column more for each unknown field, by name, and say so.

    A field whose column name is taken (``flight_id``, or ``batteryId`` beside ``battery_id``) gets
    a number behind its name; it never replaces another.

    Parameters
    ----------
    frame : DataFrame
        The contract's columns.
    unknown : dict
        Path of the field → its values as JSON text, one per row of `frame`.
    record : Record
        Kind of record, for the notice.
    columns : tuple of Column
        The contract's columns.
    """
    for path, name in _names(unknown, columns).items():
        frame[name] = _typed(unknown[path], frame.index, name)
        notify(
            f"{record.name}.{'.'.join(path)} is not in the reference; kept as column {name}.",
            NotInReference,
        )
    return frame


def _names(paths: Iterable[Path], columns: tuple[Column, ...]) -> dict[Path, str]:
    """Name the columns; sorted, so that names don't depend on which page came first."""
    prefixes = {
        each.path[0]: each.name.removesuffix("id")
        for each in columns
        if len(each.path) == 2 and each.path[1] == "id"
    }
    taken = {each.name for each in columns}
    names: dict[Path, str] = {}
    for path in sorted(paths):
        *outer, last = path
        prefix = prefixes.get(outer[0], "") if outer else ""
        plain = prefix + (re.sub(r"\W+", "_", snake_case(last)).strip("_") or "field")
        name, number = plain, 1
        while name in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name)
        names[path] = name
    return names


def _typed(texts: list[str | None], index: pd.Index, name: str) -> pd.Series:
    """Give values one dtype: numbers float64, booleans boolean, everything else text."""
    joined = ",".join("null" if each is None else each for each in texts)
    values = parse(f"[{joined}]")
    present = [each for each in values if each is not None]
    if present and all(isinstance(each, bool) for each in present):
        return pd.Series(values, index, dtype="boolean")
    if present and all(_is_exact(each) for each in present):
        numbers = [float("nan") if each is None else float(each) for each in values]
        return pd.Series(numbers, index, dtype="float64")
    return pd.Series([_as_text(each, name) for each in values], index, dtype="str")


def _is_exact(value: Any) -> bool:
    """Whether float64 holds a number without rounding a whole one."""
    if isinstance(value, (bool, str, list, dict)):
        return False
    return abs(value) <= (_EXACT if isinstance(value, int) else 10**300)


def _as_text(value: Any, name: str) -> str | None:
    if value is None:
        return None
    return encodable(value, name) if isinstance(value, str) else json_text(value)
