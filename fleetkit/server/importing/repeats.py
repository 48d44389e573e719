"""Ids that stand twice in a file, found in eight bytes of memory for each."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

import numpy as np

__all__ = ["Ids"]


class Ids:
    """Remembers ids by a hash of each, and tells those that came more than once.

    Examples
    --------
    >>> ids = Ids()
    >>> for identifier in ("eq_1", "eq_2", "eq_1"):
    ...     ids.add(identifier)
    >>> list(ids.repeated([(1, "eq_1"), (2, "eq_2"), (3, "eq_1")]))
    [(3, 'eq_1')]
    """

    def __init__(self) -> None:
        self._hashes = array("q")

    def add(self, identifier: str) -> None:
        """Remember an id."""
        self._hashes.append(hash(identifier))

    def repeated(self, rows: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Yield lines and ids that stood on an earlier line.

        Parameters
        ----------
        rows : iterable of (int, str)
            All lines and ids again, in order; only read where two hashes are the same.
        """
        hashes = np.sort(np.frombuffer(self._hashes, dtype=np.int64))
        same = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
        if not same:
            return
        seen: set[str] = set()
        for line, identifier in rows:
            if hash(identifier) in same:
                if identifier in seen:
                    yield line, identifier
                seen.add(identifier)
