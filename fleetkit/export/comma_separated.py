"""Frames as CSV that a spreadsheet can open without running anything."""

from __future__ import annotations

import re

import pandas as pd

from fleetkit.export.cells import with_index

__all__ = ["to_csv"]

# A cell that starts so is a formula to a spreadsheet, also behind blanks or in full width.
_FORMULA = r"^[\s\x00-\x1f]*[=+\-@＝＋－＠]|^[\t\r\n]"


def to_csv(rows: pd.DataFrame) -> bytes:
    """Return rows as CSV: UTF-8 with a mark that spreadsheets need, formulas escaped.

    A text that a spreadsheet would run (``=HYPERLINK(…)``) gets an apostrophe in front.

    Examples
    --------
    >>> to_csv(pd.DataFrame({"title": ["=1+1", "Roof"]})).decode("utf-8-sig").split()
    ['title', "'=1+1", 'Roof']
    """
    escaped = with_index(rows).rename(columns=_without_formula)
    for place, (_, column) in enumerate(escaped.items()):
        if pd.api.types.is_numeric_dtype(column) or _is_moment(column):
            continue
        hostile = column.map(_is_text) & column.astype("str").str.contains(_FORMULA, na=False)
        if hostile.any():
            texts = column.astype("object").mask(hostile, "'" + column.astype("str"))
            escaped.isetitem(place, texts.array)
    text = escaped.to_csv(index=False, lineterminator="\r\n")
    # Half of a character, which UTF-8 can't hold, becomes a question mark.
    return text.encode("utf-8-sig", errors="replace")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_moment(column: pd.Series) -> bool:
    return pd.api.types.is_datetime64_any_dtype(column)


def _without_formula(name: object) -> str:
    return f"'{name}" if re.match(_FORMULA, str(name)) else str(name)
