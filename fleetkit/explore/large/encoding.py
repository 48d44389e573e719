"""Texts as codes, and codes as columns of a Polars frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

__all__ = ["NONE", "Coded", "Encoder", "compact", "taken"]

# The code of what is not recorded.
NONE = -1
_KINDS = (np.int8, np.int16, np.int32)


@dataclass(frozen=True)
class Coded:
    """A column of texts.

    Attributes
    ----------
    values : list of str
        The texts, each once, sorted.
    codes : array of int
        The place of each row's text among them; `NONE` where it has none.
    """

    values: list[str]
    codes: np.ndarray

    def places(self) -> dict[str, int]:
        """Return text → code."""
        return {value: code for code, value in enumerate(self.values)}

    def column(self, rows: np.ndarray | slice) -> pl.Series:
        """Return the texts of some rows, as categories in the order of the texts."""
        return taken(self.values, self.codes[rows], pl.Enum(self.values))

    def at(self, numbers: np.ndarray) -> list[str | None]:
        """Return the texts at some row numbers."""
        return [None if code == NONE else self.values[code] for code in self.codes[numbers]]


class Encoder:
    """Gives texts their codes, part of a column by part.

    Parameters
    ----------
    values : iterable of str
        Texts that have codes from the beginning.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        self.places = {value: code for code, value in enumerate(values)}

    def codes(self, column: pl.Series) -> np.ndarray:
        """Return the codes of a part of the column."""
        texts = column.drop_nulls().unique().sort()
        for text in texts.to_list():
            self.places.setdefault(text, len(self.places))
        if texts.is_empty():
            return np.full(len(column), NONE, dtype=np.int8)
        known = pl.Series([self.places[text] for text in texts.to_list()], dtype=pl.Int32)
        codes = column.replace_strict(texts, known, return_dtype=pl.Int32).fill_null(NONE)
        return compact(codes.to_numpy(), len(self.places))

    def coded(self, parts: Sequence[np.ndarray]) -> Coded:
        """Return the whole column, its codes in the order of the texts."""
        values = sorted(self.places)
        moved = np.full(len(values) + 1, NONE, dtype=np.int32)
        moved[[self.places[value] for value in values]] = np.arange(len(values))
        moved = compact(moved, len(values))  # that of NONE is the last one
        joined = [moved[part] for part in parts]
        return Coded(values, np.concatenate(joined) if joined else moved[:0])


def compact(codes: np.ndarray, count: int) -> np.ndarray:
    """Return codes below a number in as few bytes as hold them."""
    kind = next(kind for kind in _KINDS if count <= np.iinfo(kind).max)
    return codes.astype(kind, copy=False)


def taken(values: Sequence[Any], codes: np.ndarray, kind: Any) -> pl.Series:
    """Return the values of codes; null for `NONE`."""
    return pl.Series([*values, None], dtype=kind).gather(pl.Series(codes))
