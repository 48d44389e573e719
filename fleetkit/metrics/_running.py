"""Sums along time: of the last months, and of all until then."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR
from typing import Any

import numpy as np
import pandas as pd

from fleetkit.arguments import is_whole_number
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.metrics._flown import SUMMED, as_hours
from fleetkit.time import FREQUENCIES

__all__ = ["check_rolling", "cumulative_sums", "rolling_sums", "time_word"]

_MOST = 2**31


def time_word(words: list[str], argument: str) -> str:
    """Return the one word along which time runs.

    Raises
    ------
    InvalidValue
        There is none, or more than one.
    """
    times = [word for word in words if word in FREQUENCIES]
    if len(times) != 1:
        raise InvalidValue(
            f"{argument}= sums along time, and by={words} holds {len(times)} words of it.",
            advice=f"Write one of {', '.join(FREQUENCIES)} in by=, alone or with others.",
        )
    return times[0]


def check_rolling(rolling: Any) -> int:
    """Return over how many months, or whatever the word is, to sum.

    Raises
    ------
    InvalidValue
        Not a whole number above 0, or one beyond all calendars.
    """
    if not is_whole_number(rolling) or not 0 < rolling < _MOST:
        raise InvalidValue(
            f"rolling={brief(rolling)} is not a number of months, or of what by= counts.",
            advice="Write a whole number above 0, such as rolling=3.",
        )
    return int(rolling)


def rolling_sums(table: pd.DataFrame, words: list[str], time: str, count: int) -> pd.DataFrame:
    """Return ``rolling_flights`` and ``rolling_hours`` of each row.

    Months, or whatever the word is, without a row count as 0. A window that begins before the
    first row of the table is not known: null.
    """
    places = _places(table[time], time)
    first = places.min()

    def sums(rows: pd.DataFrame) -> pd.DataFrame:
        along = places.loc[rows.index].dropna().astype("int64").sort_values()
        starts = np.searchsorted(along, along - count + 1)
        ends = np.arange(1, len(along) + 1)
        # Each window by itself: a difference of sums would lose what follows the largest durations.
        dated = np.vstack([rows.loc[along.index, SUMMED], np.zeros(len(SUMMED))])
        windows = np.add.reduceat(dated, np.column_stack([starts, ends]).ravel())[::2]
        return pd.DataFrame(windows, along.index, SUMMED).reindex(rows.index)

    known = places - count + 1 >= first
    return _measured(_apply(table, words, time, sums), "rolling", known.fillna(False))


def cumulative_sums(table: pd.DataFrame, words: list[str], time: str) -> pd.DataFrame:
    """Return ``cumulative_flights`` and ``cumulative_hours``: of each row and those before it."""
    known = _places(table[time], time).notna()

    def sums(rows: pd.DataFrame) -> pd.DataFrame:
        dated = rows.loc[known.loc[rows.index]].sort_values(time, kind="stable")
        return dated[SUMMED].cumsum().reindex(rows.index)

    return _measured(_apply(table, words, time, sums), "cumulative", known)


def _apply(table: pd.DataFrame, words: list[str], time: str, sums: Any) -> pd.DataFrame:
    """Return what a function makes of the rows of each key beside time, in the table's order."""
    others = [word for word in words if word != time]
    if not others:
        return sums(table) if len(table) else table[SUMMED]
    groups = table.groupby(others, dropna=False, observed=True, sort=False)
    parts = [sums(rows) for _, rows in groups]
    return pd.concat(parts).reindex(table.index) if parts else table[SUMMED]


def _measured(sums: pd.DataFrame, prefix: str, known: pd.Series[bool]) -> pd.DataFrame:
    flights = sums["_flights"].where(known).astype("Int64")
    return pd.DataFrame(
        {f"{prefix}_flights": flights, f"{prefix}_hours": as_hours(sums).where(known)}
    )


def _places(keys: pd.Series[Any], time: str) -> pd.Series[Any]:
    """Return which year, quarter, month, week or day each key is, counted; null of none."""

    def place(key: Any) -> Any:
        # Elsewhere the last moment of the year 9999 in UTC lies beyond it, as the first does.
        if pd.isna(key) or not MINYEAR <= int(str(key).partition("-")[0]) <= MAXYEAR:
            return pd.NA
        if time == "week":
            year, _, week = str(key).partition("-W")
            return pd.Timestamp.fromisocalendar(int(year), int(week), 1).toordinal() // 7
        return pd.Period(str(key), freq=FREQUENCIES[time]).ordinal

    return pd.Series([place(key) for key in keys], index=keys.index, dtype="Int64")
