"""How many of the rows that are chosen have each code."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fleetkit.explore.large.bits import few, unpacked

__all__ = ["BLOCK", "blocks", "tally"]

# So many rows are counted at a time, so that what is made of them stays small.
BLOCK = 1 << 16


def blocks(rows: int, least: int = BLOCK) -> Iterator[slice]:
    """Give the rows a block at a time."""
    for start in range(0, rows, least):
        yield slice(start, min(start + least, rows))


def tally(
    codes: np.ndarray, words: np.ndarray, size: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Return how many chosen rows have each of the codes −1, 0, 1 and so on.

    Parameters
    ----------
    codes : array of int
        Of each row; −1 for none.
    words : array
        The rows that are chosen, as bits.
    size : int
        Number of codes, without −1.
    weights : array, optional
        A number for each row; these are summed in place of counting rows.
    """
    rows = few(words)
    if rows is not None:
        weighed = None if weights is None else weights[rows]
        return np.bincount(codes[rows].astype(np.intp) + 1, weighed, size + 1)
    counts = np.zeros(size + 2, dtype=np.int64 if weights is None else np.float64)
    for block in blocks(len(codes), max(BLOCK, _up_to_words(size))):
        # Rows that are not chosen are counted as one more code: this is faster than to leave
        # them out.
        places = codes[block].astype(np.intp)
        places += 2
        places *= unpacked(words, block.start, block.stop)
        counts += np.bincount(places, None if weights is None else weights[block], size + 2)
    return counts[1:]


def _up_to_words(size: int) -> int:
    return -(-size // 64) * 64
