"""Counts of the chosen rows by their code."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fleetkit.explore.large.bits import count, few, none, unpacked
from fleetkit.explore.large.encoding import compact_kind

__all__ = ["Crossed", "Following", "blocks", "planes", "tally"]

# Rows that are counted at a time, so that temporary arrays stay small.
_BLOCK = 1 << 16


def blocks(rows: int, size: int = _BLOCK) -> Iterator[slice]:
    """Give the rows in blocks."""
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


class Crossed:
    """Two codes of each row, combined into one.

    Parameters
    ----------
    first, second : array of int
        −1 for none.
    sizes : tuple of int
        Number of codes of each, without −1.
    """

    def __init__(self, first: np.ndarray, second: np.ndarray, sizes: tuple[int, int]) -> None:
        self._first, self._second = first, second
        self.shape = sizes[0] + 1, sizes[1] + 1
        self.size = self.shape[0] * self.shape[1] - 1

    def __len__(self) -> int:
        return len(self._first)

    def __getitem__(self, rows: np.ndarray | slice) -> np.ndarray:
        # In few bytes, which is faster.
        codes: np.ndarray = np.add(self._first[rows], 1, dtype=compact_kind(self.size + 1))
        codes *= self.shape[1]
        codes += self._second[rows]
        return codes


def tally(
    codes: np.ndarray | Crossed, words: np.ndarray, size: int, *weights: np.ndarray
) -> list[np.ndarray]:
    """Count the chosen rows of each code −1, 0, 1 and so on, and sum their weights.

    Parameters
    ----------
    codes : array of int, or Crossed
        Of each row; −1 for none.
    words : array
        The rows that are chosen, as bits.
    size : int
        Number of codes, without −1.
    *weights : array
        A number for each row; these are summed as well.
    """
    rows = few(words)
    if rows is not None:
        places = np.add(codes[rows], 1, dtype=np.intp)
        weighed = (None, *(weight[rows] for weight in weights))
        return [np.bincount(places, weight, size + 1) for weight in weighed]
    kinds = (np.int64, *(np.float64 for _ in weights))
    sums: list[np.ndarray] = [np.zeros(size + 2, dtype=kind) for kind in kinds]
    for block in blocks(len(codes), max(_BLOCK, _up_to_words(size))):
        # Rows that are not chosen are counted as one more code: this is faster than to leave
        # them out.
        coded = np.add(codes[block], 2, dtype=compact_kind(size + 2))
        coded *= unpacked(words, block.start, block.stop)
        places = coded.astype(np.intp)
        sums[0] += np.bincount(places, minlength=size + 2)
        for summed, weight in zip(sums[1:], weights, strict=True):
            np.add(summed, np.bincount(places, weight[block], size + 2), out=summed)
    return [summed[1:] for summed in sums]


class Following:
    """`tally` of one choice after another: only the rows that differ are counted again.

    Parameters
    ----------
    codes, size, *weights
        As for `tally`.
    """

    def __init__(self, codes: np.ndarray | Crossed, size: int, *weights: np.ndarray) -> None:
        self._codes, self._size, self._weights = codes, size, weights
        # Fractions that are added and taken away again would leave something.
        self._is_exact = all(weight.dtype.kind == "i" for weight in weights)
        self._newest: tuple[np.ndarray, list[np.ndarray]] | None = None

    def sums(self, words: np.ndarray) -> list[np.ndarray]:
        """Count the chosen rows of each code, and sum their weights."""
        if self._newest is None or not self._is_exact:
            sums = self._tally(words)
        else:
            before, sums = self._newest
            more, fewer = words & ~before, before & ~words
            if count(more) + count(fewer) < count(words):
                differences = zip(self._tally(more), self._tally(fewer), strict=True)
                pairs = zip(sums, differences, strict=True)
                sums = [summed + added - lost for summed, (added, lost) in pairs]
            else:
                sums = self._tally(words)
        self._newest = words, sums
        return sums

    def _tally(self, words: np.ndarray) -> list[np.ndarray]:
        return tally(self._codes, words, self._size, *self._weights)


def planes(column: np.ndarray) -> list[np.ndarray]:
    """Return for each binary digit the rows whose number, 0 or more, has it, as bits."""
    most = int(column.max(initial=0))
    whole = [none(len(column)) for _ in range(most.bit_length())]
    for block in blocks(len(column)):
        numbers, start = column[block], block.start // 8
        for bit, words in enumerate(whole):
            octets = np.packbits((numbers >> bit & 1).astype(bool), bitorder="little")
            words.view(np.uint8)[start : start + len(octets)] = octets
    return whole


def _up_to_words(size: int) -> int:
    return -(-size // 64) * 64
