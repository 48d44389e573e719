"""The kinds of column that tables of explorers have: texts, numbers and days."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from fleetkit.explore import cells
from fleetkit.explore.subject import Column
from fleetkit.time import Clock

__all__ = ["day_column", "number_column", "text_column"]


def text_column(
    name: str,
    head: str,
    column: pd.Series[Any],
    field: str = "",
    *,
    values: pd.Series[Any] | None = None,
    keys: Callable[[], pd.Series[Any]] | None = None,
    is_shown: bool = True,
) -> Column:
    """Return a column of texts.

    Parameters
    ----------
    name, head : str
        As for `Column`.
    column : Series
        The text of each row.
    field : str
        The field that a cell chooses its value in, if any.
    values : Series, optional
        The value of each row in that field; default: its text.
    keys : callable, optional
        Returns what it is sorted by; default: the texts.
    is_shown : bool
        As for `Column`.
    """
    chosen = column if values is None else values
    return Column(
        name,
        head,
        lambda numbers: cells.texts(column.iloc[numbers]),
        keys or (lambda: column),
        field=field,
        values=lambda numbers: chosen.iloc[numbers].tolist(),
        is_shown=is_shown,
    )


def number_column(
    name: str, head: str, column: pd.Series[Any], decimals: int = 0, *, is_shown: bool = True
) -> Column:
    """Return a column of numbers, rounded as everywhere."""
    return Column(
        name,
        head,
        lambda numbers: cells.numbers(column.iloc[numbers], decimals),
        lambda: column,
        is_number=True,
        is_shown=is_shown,
    )


def day_column(
    name: str, head: str, column: pd.Series[Any], clock: Clock, *, is_shown: bool = True
) -> Column:
    """Return a column of the days of moments, as a clock shows them."""

    def written(numbers: np.ndarray) -> list[str]:
        return cells.days(clock.days(column.iloc[numbers]))

    return Column(name, head, written, lambda: column, is_shown=is_shown)
