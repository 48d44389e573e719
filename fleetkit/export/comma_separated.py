"""Frames as CSV that a spreadsheet can open without running anything."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from fleetkit.export.cells import with_index

__all__ = ["to_csv"]

# A cell that starts so is a formula to a spreadsheet, also behind blanks or in full width. One with
# apostrophes before it gets one more: an import takes one away, and has each text as it was.
_FORMULA = re.compile(r"'*(?:[\s\x00-\x1f]*[=+\-@＝＋－＠]|[\t\r\n])")
# A spreadsheet in German or Norwegian begins a cell at each semicolon, and a row at a line end in
# what it doesn't take for quoted. There, what calls a function or a program gets an apostrophe.
_WITHIN = re.compile(
    r"""([;\t\r\n])(?=(?:[^\S\t\r\n]|[\x00-\x08\x0e-\x1f'"])*[=+\-@＝＋－＠][^;\t\r\n]*[(|])"""
)


def to_csv(rows: pd.DataFrame) -> bytes:
    """Return rows as CSV: UTF-8 with a mark that spreadsheets need, formulas escaped.

    A text that a spreadsheet would run (``=HYPERLINK(…)``) gets an apostrophe in front, and so does
    a part of one behind a semicolon or on a line of its own.

    Examples
    --------
    >>> to_csv(pd.DataFrame({"title": ["=1+1", "Roof"]})).decode("utf-8-sig").split()
    ['title', "'=1+1", 'Roof']
    """
    escaped = with_index(rows).rename(columns=str).rename(columns=_without_formula)
    for place, (_, column) in enumerate(escaped.items()):
        if is_numeric_dtype(column) or is_datetime64_any_dtype(column):
            continue
        if any(map(_is_formula, column)):
            escaped.isetitem(place, [_without_formula(value) for value in column])
    return escaped.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")


def _is_formula(value: Any) -> bool:
    return isinstance(value, str) and bool(_FORMULA.match(value) or _WITHIN.search(value))


def _without_formula(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return ("'" if _FORMULA.match(value) else "") + _WITHIN.sub(r"\1'", value)
