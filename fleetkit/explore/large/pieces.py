"""The flights of each piece of equipment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce

import numpy as np
import pandas as pd

from fleetkit.explore.facets import Facet
from fleetkit.explore.large.bits import count, packed
from fleetkit.explore.large.postings import Postings

__all__ = ["Pieces"]

# Groups of pieces of one type and category whose flights are cached, as bits.
_CACHED = 64


class Pieces:
    """The pieces of equipment on each flight.

    Parameters
    ----------
    flights : Postings
        Of each piece.
    groups : sequence of str
        What is alike of pieces that are mostly chosen together: their type and category.
    count : int
        Number of flights.
    """

    def __init__(self, flights: Postings, groups: Sequence[str], count: int) -> None:
        self._flights, self._count = flights, count
        self._groups = pd.factorize(np.array(groups, dtype=object))[0]
        self._sizes = np.bincount(self._groups[flights.is_used])
        self._of_group = lru_cache(maxsize=_CACHED)(lambda group: self._rows(self._groups == group))

    def __len__(self) -> int:
        return self._count

    def rows(self, pieces: np.ndarray) -> np.ndarray:
        """Return the flights that have one of the chosen pieces, as bits."""
        chosen = np.bincount(
            self._groups[pieces & self._flights.is_used], minlength=len(self._sizes)
        )
        if (chosen[chosen < self._sizes] > 0).any() or not chosen.any():
            return self._rows(pieces)
        of_groups = (self._of_group(group) for group in np.flatnonzero(chosen))
        return reduce(np.bitwise_or, of_groups)

    def _rows(self, pieces: np.ndarray) -> np.ndarray:
        mask = np.zeros(self._count, dtype=bool)
        for rows in self._flights.runs(pieces):
            mask[rows] = True
        return packed(mask)

    def counts(self, facet: Facet, words: np.ndarray, pieces: np.ndarray | None) -> list[int]:
        """Count the chosen flights that have a piece of each option.

        Parameters
        ----------
        facet : Facet
            Of the pieces.
        words : array
            The flights that are chosen, as bits.
        pieces : array of bool, optional
            Which pieces count.
        """
        counted = self._flights.is_used if pieces is None else self._flights.is_used & pieces
        codes = facet.codes
        if len(np.unique(codes)) == len(codes):  # an option is one piece
            flown = np.where(counted, self._flights.count(words), 0)
            of_options: list[int] = np.bincount(codes + 1, flown, len(facet) + 1)[1:].tolist()
            return list(map(int, of_options))
        options = ((codes == place) & counted for place in range(len(facet)))
        return [count(words & self.rows(option)) if option.any() else 0 for option in options]

    def occurring(self, words: np.ndarray, pieces: np.ndarray | None) -> np.ndarray:
        """Return which pieces are on a chosen flight."""
        occurs = self._flights.occurring(words)
        return occurs if pieces is None else occurs & pieces
