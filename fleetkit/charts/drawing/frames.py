"""The small frame that a chart draws: read from any engine, with what it needs checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit.charts.drawing.bounds import LARGEST
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.lettering import printable

__all__ = ["read"]


def read(frame: Any, chart: str, *texts: str, numbers: Sequence[str] = ()) -> pd.DataFrame:
    """Return the small frame as pandas, whatever engine it came from, after checking its columns.

    Parameters
    ----------
    frame : frame
    chart : str
        Name of the chart.
    *texts : str
        Columns that the chart needs, of any values.
    numbers : sequence of str
        Those that it needs as numbers; they become ``float64``.

    Raises
    ------
    InvalidValue
        When it isn't a frame, or lacks a column that the chart draws, or has a value where a finite
        number should stand.
    """
    try:
        table = nw.from_native(frame).lazy().collect(backend="pandas").to_native()
    except TypeError:
        kind = type(frame).__name__
        raise _not_drawn(chart, f"draws a DataFrame, not {kind}.") from None
    except nw.exceptions.DuplicateError:
        raise _not_drawn(chart, "is given two columns of one name.") from None
    missing = [name for name in (*texts, *numbers) if name not in table.columns]
    if missing:
        columns = "column" if len(missing) == 1 else "columns"
        raise _not_drawn(chart, f"misses the {columns} {', '.join(missing)}.")
    checked = {name: _text(table[name]) for name in texts if table[name].dtype == object}
    checked |= {name: _number(table[name], chart) for name in numbers}
    return pd.DataFrame(table).assign(**checked).reset_index(drop=True)


def _not_drawn(chart: str, why: str) -> InvalidValue:
    source = "fk.compare" if chart == "compare" else f"metrics.{chart}"
    return InvalidValue(f"charts.{chart} {why}", advice=f"Pass what {source} returns.")


def _text(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return texts without halves of characters, which pandas can't group."""
    return column.map(lambda value: printable(value, instead=" ") if type(value) is str else value)


def _number(column: pd.Series[Any], chart: str) -> pd.Series[Any]:
    """Return a column as numbers; texts that are numbers are read."""
    numbers = column
    if not pd.api.types.is_numeric_dtype(column):
        numbers = pd.to_numeric(column.astype(object), errors="coerce")
        for value in column[numbers.isna() & column.notna()]:
            raise InvalidValue(
                f"charts.{chart} can't draw {brief(value)} in {column.name}: it is not a number.",
                advice="Make numbers of the column, such as by pandas.to_numeric.",
            )
    numbers = numbers.astype("float64")
    if np.isinf(numbers).any():
        raise InvalidValue(
            f"charts.{chart} can't draw the infinite number in {column.name}.",
            advice="Leave its row out, or write a null for it. A sum above 1.79e308 is infinite: a "
            "record behind it holds such a number, so correct that one, or filter it out.",
        )
    return numbers.clip(-LARGEST, LARGEST)
