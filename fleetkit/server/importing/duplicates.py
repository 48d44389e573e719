"""Duplicate ids in a file, found with eight bytes of memory for each id."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator
from typing import TypeVar

import numpy as np

from fleetkit.server.importing.file_rows import Line

__all__ = ["IdRecorder"]

_Id = TypeVar("_Id", bound=Hashable)


class IdRecorder:
    """Records ids, or pairs of them, by their hashes, and finds those that occur more than once.

    Examples
    --------
    >>> ids = IdRecorder()
    >>> for identifier in ("eq_1", "eq_2", "eq_1"):
    ...     ids.add(identifier)
    >>> list(ids.repeated([(1, "eq_1"), (2, "eq_2"), (3, "eq_1")]))
    [(3, 'eq_1')]
    """

    def __init__(self) -> None:
        self._hashes = array("q")

    def add(self, identifier: Hashable) -> None:
        """Record an id, or a pair."""
        self._hashes.append(hash(identifier))

    def repeated(self, rows: Iterable[tuple[Line, _Id]]) -> Iterator[tuple[Line, _Id]]:
        """Yield the lines and ids that are also on an earlier line.

        Parameters
        ----------
        rows : iterable of (int, id)
            All lines and ids, in order; only read where two hashes are equal.
        """
        hashes = np.sort(np.frombuffer(self._hashes, dtype=np.int64))
        repeated = set(hashes[1:][hashes[1:] == hashes[:-1]].tolist())
        if not repeated:
            return
        seen: set[_Id] = set()
        for line, identifier in rows:
            if hash(identifier) in repeated:
                if identifier in seen:
                    yield line, identifier
                seen.add(identifier)
