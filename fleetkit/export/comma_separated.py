"""Frames as CSV that a spreadsheet can open without running anything."""

from __future__ import annotations

from typing import Any

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from fleetkit.export.cells import with_index
from fleetkit.formulas import escaped

__all__ = ["to_csv"]


def to_csv(rows: pd.DataFrame) -> bytes:
    """Return rows as CSV: UTF-8 with a mark that spreadsheets need, formulas escaped.

    A text that a spreadsheet would run (``=HYPERLINK(…)``) gets an apostrophe in front, and so does
    a part of one behind a semicolon or on a line of its own.

    Examples
    --------
    >>> to_csv(pd.DataFrame({"title": ["=1+1", "Roof"]})).decode("utf-8-sig").split()
    ['title', "'=1+1", 'Roof']
    """
    safe = with_index(rows).rename(columns=str).rename(columns=_safe)
    for place, (_, column) in enumerate(safe.items()):
        if is_numeric_dtype(column) or is_datetime64_any_dtype(column):
            continue
        values = column.tolist()
        escaped_values = [*map(_safe, values)]
        if any(value is not own for value, own in zip(escaped_values, values, strict=True)):
            safe.isetitem(place, escaped_values)
    return safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def _safe(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = escaped(value)
    return value if text == value else text
