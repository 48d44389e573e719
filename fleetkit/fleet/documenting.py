"""What the columns of a table are, as text for ``help`` and as a frame: both from the schema."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from textwrap import wrap
from typing import TypeVar

import pandas as pd

from fleetkit import schema
from fleetkit.columns import Column, table_columns

__all__ = ["columns_frame", "documented"]

Call = TypeVar("Call", bound=Callable[..., pd.DataFrame])
_SHOWN = ("column", "dtype", "unit", "nulls", "meaning")
_NOTE = (
    'Nulls: "never", "yes" as the reference says, or "not shown" where it leaves that open: there,',
    "expect some. Units that it doesn't name are not guessed.",
)
_GAP, _WIDTH = 2, 100


def _columns(table: str) -> list[Column]:
    """Return the columns of a table, projects with those that only ``details=True`` brings."""
    return [
        replace(column, meaning=f"{column.meaning}; with details=True")
        if column.detail_only
        else replace(column, meaning=_meaning(column))
        for column in table_columns(table, detail=True)
    ]


def _meaning(column: Column) -> str:
    values = f": {', '.join(column.values)}" if column.values else ""
    return f"{column.meaning}{values}"


def columns_frame(table: str | None) -> pd.DataFrame:
    """Return the columns of a table, or of all tables, as a frame; see `Fleet.columns`."""
    rows = [
        (name, column.name, column.dtype, column.unit, column.nulls, column.meaning, _field(column))
        for name in (schema.TABLES if table is None else [table])
        for column in _columns(name)
    ]
    frame = pd.DataFrame(rows, columns=["table", *_SHOWN, "field"], dtype="str")
    return frame if table is None else frame.drop(columns="table")


def _field(column: Column) -> str:
    return ".".join(column.path)


def documented(table: str) -> Callable[[Call], Call]:
    """Append the columns of a table to the docstring of the call that returns it.

    Parameters
    ----------
    table : str
        One of `fleetkit.schema.TABLES`.
    """

    def append(call: Call) -> Call:
        if call.__doc__ is not None:  # None under python -OO
            # Python 3.13 removes the indentation of docstrings, earlier ones leave it.
            lines = "\n".join(line.rstrip() for line in _lines(table))
            call.__doc__ = f"{inspect.cleandoc(call.__doc__)}\n\n{lines}\n"
        return call

    return append


def _lines(table: str) -> list[str]:
    """Return the columns as lines of a numpydoc section, aligned and wrapped."""
    rows = [
        (column.name, column.dtype, column.unit, column.nulls, column.meaning)
        for column in _columns(table)
    ]
    widths = [max(map(len, cells)) for cells in zip(_SHOWN, *rows, strict=True)][:-1]
    indent = sum(widths) + _GAP * len(widths)
    lines = ["Columns", "-------"]
    for row in (_SHOWN, *rows):
        first = (" " * _GAP).join(map(str.ljust, row[:-1], widths)) + " " * _GAP
        wrapped = wrap(row[-1], _WIDTH - indent)
        lines += [first + wrapped[0], *(" " * indent + line for line in wrapped[1:])]
    return [*lines, "", *_NOTE]
