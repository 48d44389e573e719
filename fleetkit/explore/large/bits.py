"""Chosen rows as one bit each: ten million rows take 1.25 MB.

Choices are combined, and rows counted, 64 rows at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Runs", "between", "count", "few", "none", "numbers", "packed", "unpacked"]

_BITS = 64
# A selection of at most one row in this many is faster as row numbers than as bits.
_FEW = 8


def packed(mask: np.ndarray) -> np.ndarray:
    """Pack a mask into words of 64 bits, the first row in the lowest bit, and an empty last word.

    Examples
    --------
    >>> packed(np.array([True, False, True]))
    array([5, 0], dtype=uint64)
    """
    octets, words = np.packbits(mask, bitorder="little"), none(len(mask))
    words.view(np.uint8)[: len(octets)] = octets
    return words


def none(rows: int) -> np.ndarray:
    """Return bits in which no row is chosen."""
    return np.zeros(-(-rows // _BITS) + 1, dtype="<u8")


def unpacked(words: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Unpack the rows ``[start, stop)`` into a mask; `start` is a multiple of 64.

    Examples
    --------
    >>> unpacked(packed(np.array([True, False, True])), 0, 3)
    array([ True, False,  True])
    """
    octets = words[start // _BITS : -(-stop // _BITS)].view(np.uint8)
    return np.unpackbits(octets, count=stop - start, bitorder="little").view(bool)


def between(start: int, stop: int, rows: int) -> np.ndarray:
    """Return bits in which the rows ``[start, stop)`` are chosen.

    Examples
    --------
    >>> unpacked(between(1, 3, 4), 0, 4)
    array([False,  True,  True, False])
    """
    words = none(rows)
    if start < stop:
        first, last = start // _BITS, stop // _BITS
        words[first:last] = ~np.uint64(0)
        words[last] |= _below(stop)
        words[first] &= ~_below(start)
    return words


def _below(ends: Any) -> Any:
    """Return a word whose bits below the row's own are set."""
    return (np.uint64(1) << np.uint64(ends % _BITS)) - np.uint64(1)


def count(words: np.ndarray) -> int:
    """Return how many rows are chosen."""
    return int(np.bitwise_count(words).sum(dtype=np.int64))


def few(words: np.ndarray) -> np.ndarray | None:
    """Return the numbers of the chosen rows, ascending; None where there are many."""
    return None if count(words) * _FEW > len(words) * _BITS else numbers(words)


def numbers(words: np.ndarray) -> np.ndarray:
    """Return the numbers of the chosen rows, ascending."""
    filled = np.flatnonzero(words)
    mask = np.unpackbits(words[filled].view(np.uint8), bitorder="little").view(bool)
    places = np.flatnonzero(mask)
    rows: np.ndarray = (filled * _BITS)[places // _BITS] + places % _BITS
    return rows


class Runs:
    """Consecutive rows in runs, such as those of one day.

    Parameters
    ----------
    starts : array of int
        The first row of each run, ascending from 0.
    rows : int
        How many there are in all.
    """

    def __init__(self, starts: np.ndarray, rows: int) -> None:
        ends = np.append(starts, rows).astype(np.int64)
        self._words = ends // _BITS
        self._below = _below(ends)
        self._firsts, self._places = np.unique(self._words, return_inverse=True)

    def __len__(self) -> int:
        return len(self._words) - 1

    def count(self, words: np.ndarray) -> np.ndarray:
        """Return how many rows of each run are chosen."""
        summed = np.add.reduceat(np.bitwise_count(words), self._firsts, dtype=np.int64)
        before = (np.cumsum(summed) - summed)[self._places]
        return np.diff(before + np.bitwise_count(words[self._words] & self._below))
