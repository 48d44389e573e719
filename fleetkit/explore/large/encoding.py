"""Texts as codes, and codes as columns of a Polars frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit.explore.large.bits import unpacked

__all__ = [
    "NONE",
    "Coded",
    "Encoder",
    "Numbers",
    "compact",
    "compact_kind",
    "distinct",
    "joined",
    "moved",
    "taken",
]

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


@dataclass(frozen=True)
class Numbers:
    """A column of numbers.

    Attributes
    ----------
    values : array
        Of each row; 0 where it has none.
    known : array
        Which rows have one, as bits.
    """

    values: np.ndarray
    known: np.ndarray

    @property
    def above_0(self) -> np.ndarray:
        """The numbers, those below 0 as 0."""
        return self.values if self.values.min(initial=0) >= 0 else np.maximum(self.values, 0)

    def column(self, rows: np.ndarray | slice = slice(None)) -> pl.Series:
        """Return the numbers of some rows, null where they have none."""
        is_known = unpacked(self.known, 0, len(self.values))[rows]
        return pl.Series(pa.array(self.values[rows], mask=~is_known))


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
        encoded = pc.dictionary_encode(column.to_arrow())
        known = [self.places.setdefault(text, len(self.places)) for text in _texts(encoded)]
        # The last one stands for none, which is the place −1.
        moved = compact(np.array([*known, NONE], dtype=np.int32), len(self.places))
        codes: np.ndarray = moved[encoded.indices.fill_null(NONE).to_numpy(zero_copy_only=False)]
        return codes

    def coded(self, parts: list[np.ndarray]) -> Coded:
        """Return the whole column, its codes in the order of the texts; it empties the parts."""
        values = sorted(self.places)
        moved = np.full(len(values) + 1, NONE, dtype=np.int32)
        moved[[self.places[value] for value in values]] = np.arange(len(values))
        moved = compact(moved, len(values))  # that of NONE is the last one
        return Coded(values, joined(parts, moved.dtype, lambda part: moved[part]))


def joined(
    parts: list[np.ndarray], kind: Any, change: Callable[[np.ndarray], np.ndarray] | None = None
) -> np.ndarray:
    """Return parts as one array, and empty them meanwhile: all is never in memory twice."""
    whole = np.empty(sum(map(len, parts)), dtype=kind)
    stop = len(whole)
    while parts:
        part = parts.pop()
        whole[stop - len(part) : stop] = part if change is None else change(part)
        stop -= len(part)
    return whole


def _texts(encoded: pa.DictionaryArray) -> list[str]:
    texts: list[str] = encoded.dictionary.to_pylist()
    return texts


def compact(codes: np.ndarray, count: int) -> np.ndarray:
    """Return codes below a number in as few bytes as hold them."""
    return codes.astype(compact_kind(count), copy=False)


def compact_kind(count: int) -> Any:
    """Return the smallest kind of number that holds codes below a number."""
    return next(kind for kind in _KINDS if count <= np.iinfo(kind).max)


def distinct(numbers: np.ndarray) -> np.ndarray:
    """Return the numbers, each once, ascending; sorted, which is faster than NumPy's own way."""
    ascending = np.sort(numbers)
    is_first = np.ones(len(ascending), dtype=bool)
    is_first[1:] = ascending[1:] != ascending[:-1]
    once: np.ndarray = ascending[is_first]
    return once


def taken(values: Sequence[Any], codes: np.ndarray, kind: Any) -> pl.Series:
    """Return the values of codes; null for `NONE`."""
    return pl.Series([*values, None], dtype=kind).gather(pl.Series(codes))


def moved(places: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the place of the code of each row; `NONE` stays `NONE`."""
    of_codes = compact(np.append(places, NONE), int(np.max(places, initial=0)) + 1)
    of_rows: np.ndarray = of_codes[codes]
    return of_rows
