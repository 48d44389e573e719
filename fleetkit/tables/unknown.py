"""Fields that the reference doesn't know: named, typed, put after the known columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit.columns import Column, snake_case, table_columns
from fleetkit.interface import shortened
from fleetkit.notices import NotInReference, notify
from fleetkit.schema import Record
from fleetkit.tables.records import Path, encodable
from fleetkit.tables.values import json_text, parse

__all__ = ["add_unknown", "joined", "kind_of", "name_unknown", "typed"]

# Whole numbers up to here are exact as float64.
_EXACT = 2**53
# A text without escapes; and JSON as `json_text` gives it: without blanks and escapes, numbers in
# the form of `str(Decimal)`, which writes exponents from the seventh place behind the point on.
_PLAIN_TEXT = r'^"[^"\\]*"$'
_NUMBER = r"(0|-?[1-9][0-9]*(\.[0-9]+)?|-?0\.([0-9]{1,6}|0{0,5}[1-9][0-9]*))\b"
_COMPACT = rf'^([{{}}\[\]:,]|true|false|null|"[^"\\]*"|{_NUMBER})*$'


def add_unknown(
    frame: pd.DataFrame,
    unknown: Mapping[Path, pa.Array | pa.ChunkedArray],
    record: Record,
    columns: tuple[Column, ...],
) -> pd.DataFrame:
    """Return `frame` with one more column for each unknown field, by name, and say so.

    A field whose column name is taken (``flight_id``, or ``batteryId`` beside ``battery_id``) gets
    a number behind its name; it never replaces another.

    Parameters
    ----------
    frame : DataFrame
        The contract's columns.
    unknown : mapping
        Path of the field → its values as JSON text, one per row of `frame`.
    record : Record
        Kind of record, for the notice.
    columns : tuple of Column
        The contract's columns.
    """
    for path, name in name_unknown(unknown, record, columns).items():
        texts = _joined(unknown[path])
        frame[name] = typed(texts, kind_of(texts), name).set_axis(frame.index)
    return frame


def name_unknown(
    paths: Iterable[Path], record: Record, columns: tuple[Column, ...]
) -> dict[Path, str]:
    """Return the names of the columns of unknown fields, and give notice of each."""
    names = _names(paths, columns)
    for path, name in names.items():
        field = ".".join(map(shortened, path))
        notify(
            f"{record.name}.{field} is not in the reference; kept as column {shortened(name)}.",
            NotInReference,
            about=("column", record.name, name),
        )
    return names


def _joined(texts: pa.Array | pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(texts.chunks) if isinstance(texts, pa.ChunkedArray) else texts


def _names(paths: Iterable[Path], columns: tuple[Column, ...]) -> dict[Path, str]:
    """Name the columns; sorted, so that names don't depend on the order of pages."""
    prefixes = {
        column.path[0]: column.name.removesuffix("id")
        for column in columns
        if len(column.path) == 2 and column.path[1] == "id"
    }
    taken = {column.name for column in columns}
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


def kind_of(texts: pa.Array) -> str:
    """Return the dtype that can hold some values, given as JSON; empty where all are null.

    Numbers are float64, booleans boolean, everything else is text.
    """
    begin = set(pc.unique(pc.utf8_slice_codeunits(texts, 0, 1)).to_pylist()) - {None}
    if not begin:
        return ""
    if begin <= {"t", "f"}:
        return "boolean"
    is_numbers = begin <= set("-0123456789") and _numbers(texts) is not None
    return "float64" if is_numbers else "str"


def typed(texts: pa.Array, kind: str, name: str) -> pd.Series[Any]:
    """Return values, given as JSON, with the dtype that `kind_of` gave for them and others."""
    if kind == "boolean":
        truths: pd.Series[Any] = pc.equal(texts, "true").to_pandas(
            types_mapper=lambda _: pd.BooleanDtype()
        )
        return truths
    if kind == "float64":
        numbers = pc.add(pc.cast(texts, pa.float64()), 0.0)  # no -0.0
        return pd.Series(numbers.to_numpy(zero_copy_only=False), dtype="float64")
    return pd.Series(_plain(texts, name), dtype="str")


def joined(name: str, frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return frames of one table below each other, with one dtype for each column.

    A field that the reference doesn't know has the dtype that holds the values which were read at
    once. Where these dtypes differ, all of its values are text, as if they had been read together.

    Parameters
    ----------
    name : str
        The table.
    frames : sequence of DataFrame
        At least one.

    Examples
    --------
    >>> parts = [pd.DataFrame({"tier_id": ["tier_1"], "cells": [value]}) for value in (6.0, "4S")]
    >>> joined("tiers", parts)["cells"].tolist()
    ['6', '4S']
    """
    known = {column.name for column in table_columns(name, detail=True)}
    further = {column for frame in frames for column in frame.columns} - known
    kinds = {column: _common_kind(column, frames) for column in further}
    parts = [
        frame.assign(
            **{
                column: _of_kind(frame[column], kind)
                for column, kind in kinds.items()
                if column in frame
            }
        )
        for frame in frames
    ]
    return pd.concat(parts, ignore_index=True).astype(kinds)


def _common_kind(column: str, frames: Iterable[pd.DataFrame]) -> Any:
    """Return the dtype of a column's values where all frames agree on it, else text's."""
    kinds = {
        str(frame[column].dtype)
        for frame in frames
        if column in frame and frame[column].notna().any()
    }
    return kinds.pop() if len(kinds) == 1 else "str"


def _of_kind(values: pd.Series[Any], kind: Any) -> pd.Series[Any]:
    if str(values.dtype) == kind:
        return values
    texts = [None if pd.isna(value) else json_text(value) for value in values.tolist()]
    return pd.Series(texts, values.index, dtype="str").str.removesuffix(".0").astype(kind)


def _numbers(texts: pa.Array) -> pa.Array | None:
    """Return numbers as float64; None where that would round a whole one, or can't hold one."""
    numbers = pc.cast(texts, pa.float64())
    large = pc.greater_equal(pc.abs(numbers), _EXACT)
    are_exact = all(_is_exact(parse(text)) for text in texts.filter(large).to_pylist())
    return numbers if are_exact else None


def _is_exact(number: int | Decimal) -> bool:
    # A decimal's `abs` rounds, and fails beyond 10**999999.
    return abs(number) <= _EXACT if isinstance(number, int) else number.copy_abs() <= 10**300


def _plain(texts: pa.Array, name: str) -> pa.Array:
    """Return values as text: texts without their quotes, everything else as compact JSON.

    What is in that form already, by far the most, is not looked at in Python.
    """
    plain = pc.if_else(
        pc.match_substring_regex(texts, _PLAIN_TEXT), pc.utf8_slice_codeunits(texts, 1, -1), texts
    )
    odd = pc.invert(pc.match_substring_regex(texts, f"{_PLAIN_TEXT}|{_COMPACT}"))
    replaced = [_as_text(parse(text), name) for text in texts.filter(odd).to_pylist()]
    return pc.replace_with_mask(plain, odd.fill_null(False), pa.array(replaced, plain.type))


def _as_text(value: Any, name: str) -> str:
    return encodable(value, name) if isinstance(value, str) else json_text(value)
