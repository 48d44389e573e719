"""How many rows have each code: counted over what changed since rows were counted before.

A click mostly changes few of the rows that are chosen, or leaves few of them: then few are looked
at, however many there are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

__all__ = ["BLOCK", "Changes", "Tally"]

Weights = Callable[["slice | np.ndarray"], np.ndarray]
# So many rows are counted at a time, so that what is made of them stays small.
BLOCK = 1 << 18
# So many earlier countings are remembered.
_SEEN = 3


class Changes:
    """The rows in which masks differ: all tallies of one state ask for the same."""

    def __init__(self) -> None:
        self._seen: deque[tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray] | None]] = (
            deque(maxlen=2 * _SEEN)
        )

    def between(self, known: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the numbers of the rows that came, and of those that went.

        None where they are not fewer than what `mask` selects: all is counted anew then.
        """
        for earlier, later, answer in self._seen:
            if earlier is known and later is mask:
                return answer
        is_changed = known ^ mask
        rows = None
        if 2 * int(np.count_nonzero(is_changed)) < int(np.count_nonzero(mask)):
            numbers = np.flatnonzero(is_changed)
            came = mask[numbers]
            rows = numbers[came], numbers[~came]
        self._seen.append((known, mask, rows))
        return rows


class Tally:
    """Counts the codes of rows.

    Parameters
    ----------
    codes : array of int
        Of each row; −1 for none.
    changes : Changes
        Shared by all tallies of the same rows.
    weights : callable, optional
        Rows → whole numbers, which are summed in place of counting rows.
    """

    def __init__(self, codes: np.ndarray, changes: Changes, weights: Weights | None = None) -> None:
        self.codes, self._changes, self._weights = codes, changes, weights
        self._size = int(codes.max(initial=-1)) + 2
        self._whole: tuple[np.ndarray, np.ndarray] | None = None
        self._seen: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=_SEEN)

    def count(self, mask: np.ndarray) -> np.ndarray:
        """Return how many rows of a mask have the codes −1, 0, 1 and so on."""
        for known, counts in self._seen:
            if known is mask:
                return counts
        counted = self._from_earlier(mask)
        if counted is None:
            counted = self._counted(mask)
        self._seen.append((mask, counted))
        self._whole = self._whole or (mask, counted)  # at first, all rows are shown
        return counted

    def _from_earlier(self, mask: np.ndarray) -> np.ndarray | None:
        first = [] if self._whole is None else [self._whole]
        for known, counts in [*reversed(self._seen), *first]:
            rows = self._changes.between(known, mask)
            if rows is not None:
                came, went = (
                    self._summed(self.codes[part], self._weights and self._weights(part))
                    for part in rows
                )
                changed: np.ndarray = counts + came - went
                return changed
        return None

    def _counted(self, mask: np.ndarray) -> np.ndarray:
        """Count the rows of a mask, a block at a time."""
        counts = np.zeros(self._size, dtype=np.int64 if self._weights is None else np.float64)
        for start in range(0, len(self.codes), BLOCK):
            block = slice(start, start + BLOCK)
            chosen = mask[block]
            weights = self._weights and self._weights(block)[chosen]
            counts += self._summed(self.codes[block][chosen], weights)
        return counts

    def _summed(self, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        return np.bincount(codes.astype(np.intp) + 1, weights, self._size)
