"""What is measured of flights beside their number and hours: distance, and usual durations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

import narwhals as nw
import pandas as pd

from fleetkit.arguments import checked_words
from fleetkit.metrics._flown import ones
from fleetkit.metrics._frames import Lazy

__all__ = [
    "DISTANCE",
    "Measure",
    "distance",
    "measure_words",
    "minutes",
    "quantiles",
    "with_distance",
]

# The word that a user writes.
Measure = Literal["flights", "hours", "distance", "median", "p90"]
_WORDS: tuple[str, ...] = get_args(Measure)
# The word → which part of the durations lies below it.
_QUANTILES = {"median": 0.5, "p90": 0.9}
# What `with_distance` adds, to be summed: the distance, and how many flights have one.
DISTANCE = ["_distance", "_travelled"]


def measure_words(measures: Measure | Iterable[Measure]) -> dict[str, str]:
    """Return the words that an argument holds, each with the column that it becomes.

    Raises
    ------
    InvalidValue
        One is unknown, or there is none.
    """
    words = checked_words(measures, "measures", _WORDS, "what flight hours can measure")
    return {word: f"{word}_minutes" if word in _QUANTILES else word for word in words}


def minutes(words: Iterable[str]) -> list[str]:
    """Return the words that ask for usual durations."""
    return [word for word in words if word in _QUANTILES]


def with_distance(frame: Lazy) -> Lazy:
    """Add `DISTANCE`, of flights with ``traveled_distance``."""
    travelled = nw.col("traveled_distance")
    is_known = ones(~travelled.is_null())
    # Some engines have NaN beside null.
    metres = travelled.cast(nw.Float64).fill_null(0.0)
    return frame.with_columns(metres.alias(DISTANCE[0]), is_known.alias(DISTANCE[1]))


def distance() -> nw.Expr:
    """Return summed distances; null where none was recorded."""
    return nw.when(nw.col(DISTANCE[1]) > 0).then(nw.col(DISTANCE[0]))


def quantiles(
    table: pd.DataFrame, flown: pd.DataFrame, words: list[str], measures: dict[str, str]
) -> pd.DataFrame:
    """Add the usual durations [min] of each row's flights.

    Parameters
    ----------
    table : DataFrame
        One row per key.
    flown : DataFrame
        One row per flight and key, with ``_seconds``.
    words : list of str
        The columns of keys of both.
    measures : dict
        As `measure_words` returns them.
    """
    timed = flown[flown["_seconds"] > 0]
    spent = (timed["_seconds"].astype("float64") / 60).rename("_minutes")
    rows = pd.concat([timed[words], spent], axis=1)
    groups: Any = rows.groupby(words, dropna=False, observed=True, sort=False)["_minutes"]
    for word in minutes(measures):
        values = groups.quantile(_QUANTILES[word]).rename(measures[word]).reset_index()
        # Keys that are all null come out of groups as numbers.
        table = table.merge(values.astype(dict(table.dtypes[words])), on=words, how="left")
        table[measures[word]] = table[measures[word]].astype("float64")
    return table
