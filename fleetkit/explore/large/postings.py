"""The rows of each code, such as the flights of each pilot.

Whether a code occurs among chosen rows is mostly seen at a few of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fleetkit.explore.large.bits import count, few, numbers
from fleetkit.explore.large.tallies import blocks

__all__ = ["Postings", "ranges"]

# Rows of a code that are checked first, evenly spread.
_FIRST = 64
# Rows that are sorted at a time.
_BLOCK = 1 << 18


class Postings:
    """The rows of each of the codes 0, 1 and so on.

    Parameters
    ----------
    codes : array of int
        Of each row, row by row.
    sizes : array of int
        How many codes each row has.
    size : int
        Number of codes.
    codes_of : callable
        Takes some rows, and returns the codes that they have.
    """

    def __init__(
        self,
        codes: np.ndarray,
        sizes: np.ndarray,
        size: int,
        codes_of: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        self.codes_of = codes_of
        self._sizes = np.zeros(size, dtype=np.int64)
        for block in blocks(len(codes), _BLOCK):
            self._sizes += np.bincount(codes[block], minlength=size)
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._rows = np.zeros(len(codes), dtype=np.int32)
        filled, stop = self._starts.copy(), 0
        for block in blocks(len(sizes), _BLOCK):
            rows = np.repeat(np.arange(block.start, block.stop, dtype=np.int32), sizes[block])
            start, stop = stop, stop + len(rows)
            order = np.argsort(codes[start:stop], kind="stable")
            counts = np.bincount(codes[start:stop], minlength=size)
            self._rows[ranges(filled, counts)] = rows[order]
            filled += counts
        self.is_used = self._sizes > 0
        used = np.flatnonzero(self.is_used)
        spread = np.arange(_FIRST) * self._sizes[used, None] // _FIRST
        self._used, self._first = used, self._rows[self._starts[used, None] + spread]

    def rows(self, codes: np.ndarray) -> np.ndarray:
        """Return the rows of the codes that a mask selects."""
        rows: np.ndarray = self._rows[ranges(self._starts[codes], self._sizes[codes])]
        return rows

    def runs(self, codes: np.ndarray) -> Iterator[np.ndarray]:
        """Give the rows of the codes that a mask selects, code by code."""
        for start, size in zip(self._starts[codes], self._sizes[codes], strict=True):
            yield self._rows[start : start + size]

    def count(self, words: np.ndarray) -> np.ndarray:
        """Return how many chosen rows each code has."""
        return self._count(words, np.ones(len(self._sizes), dtype=bool))

    def _count(self, words: np.ndarray, codes: np.ndarray) -> np.ndarray:
        of_rows = np.repeat(np.flatnonzero(codes), self._sizes[codes])
        return np.bincount(of_rows[_are_chosen(words, self.rows(codes))], minlength=len(codes))

    def occurring(self, words: np.ndarray) -> np.ndarray:
        """Return which codes chosen rows have."""
        occurs = np.zeros(len(self._sizes), dtype=bool)
        rows = few(words)
        if rows is None:
            occurs[self._used[_are_chosen(words, self._first).any(axis=1)]] = True
            rest: np.ndarray = self.is_used & ~occurs
            if self._sizes[rest].sum() < count(words):
                return occurs | (self._count(words, rest) > 0)
            rows = numbers(words)
        occurs[self.codes_of(rows)] = True
        return occurs


def ranges(starts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the numbers from each start on, as many as its size."""
    ends = np.cumsum(sizes)
    return np.repeat(starts - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)


def _are_chosen(words: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return which of these rows are chosen."""
    octets = words.view(np.uint8)[rows >> 3]
    octets >>= (rows & 7).astype(np.uint8)
    octets &= 1
    chosen: np.ndarray = octets.view(bool)
    return chosen
