"""Facets over codes, and over sets of equipment in place of links.

Many flights are flown by the same pieces: which flights have a chosen type or piece is told once
for each set of equipment, and how many do is summed over sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fleetkit.explore.facets import Facet, Facets, Match
from fleetkit.explore.large.encoding import NONE
from fleetkit.explore.large.tallies import Tally

__all__ = ["CodedFacet", "SetFacets"]

# The code of an option that no row has.
_NOBODY = -2


class CodedFacet(Facet):
    """A facet of rows whose values have codes already.

    Parameters
    ----------
    tally : Tally
        Of the code of each row; `NONE` where it has no value.
    places : mapping
        Value → code.
    values : sequence
        The options' values, in their order.
    rest : object, optional
        The option of what has none of them.
    """

    def __init__(
        self, tally: Tally, places: Mapping[Any, int], values: Sequence[Any], rest: Any = None
    ) -> None:
        self.places = {
            value: NONE if value == rest else places.get(value, _NOBODY) for value in values
        }
        self.codes, self._tally = tally.codes, tally
        self._options = np.array(list(self.places.values()), dtype=np.intp)

    def count(self, rows: np.ndarray) -> list[int]:
        """Return how many of some rows, a mask, have each option."""
        counts = np.append(self._tally.count(rows), 0)  # the last one stands for no code
        places = self._options + 1
        is_counted = (self._options >= NONE) & (places < len(counts) - 1)
        counted: list[int] = counts[np.where(is_counted, places, -1)].astype(np.int64).tolist()
        return counted


class SetFacets(Facets):
    """The facets of rows, and of the equipment in their sets.

    Parameters
    ----------
    facets : mapping
        Name of a field → its facet, with a code for each row.
    sets : Tally
        Of the set of each row.
    of_sets : Facets
        Of the sets, as if each were one row.
    """

    def __init__(self, facets: Mapping[str, Facet], sets: Tally, of_sets: Facets) -> None:
        super().__init__(len(sets.codes), facets)
        self.sets, self.of_sets = sets, of_sets
        self.linked = of_sets.linked

    def match(
        self, chosen: Mapping[str, Sequence[Any]], masks: Mapping[str, np.ndarray] | None = None
    ) -> Match:
        """Return the rows that have a chosen value in every field that something is chosen in."""
        own = {
            name: facet.mask(chosen[name])
            for name, facet in self.facets.items()
            if chosen.get(name)
        }
        linked = {name: chosen[name] for name in self.linked if chosen.get(name)}
        return _SetMatch(self, {**own, **(masks or {})}, linked)


class _SetMatch(Match):
    """The rows that choices mean, with `on_links` of the sets' links."""

    def __init__(
        self,
        facets: SetFacets,
        own: Mapping[str, np.ndarray],
        linked: Mapping[str, Sequence[Any]],
    ) -> None:
        super().__init__(facets, own, {})
        self._tally, self._sets = facets.sets, facets.sets.codes
        self._names = set(linked)
        self._of_sets = facets.of_sets.match(linked)
        self.on_links = self._of_sets.on_links
        if linked:
            self._has_link = self._of_sets.rows[self._sets]
            self._misses += ~self._has_link
            self.rows = self._misses == 0

    def without(self, name: str) -> np.ndarray:
        """Return the rows that would be meant if nothing were chosen in a field."""
        if name not in self._names:
            return super().without(name)
        unchosen = self._misses == ~self._has_link  # type: ignore[operator]
        others: np.ndarray = unchosen & self._of_sets.without(name)[self._sets]
        return others

    def counts(self, name: str) -> list[int]:
        """Return, for each option of a field, the rows that it would leave."""
        if name not in self._facets.linked:
            return super().counts(name)
        flown = self._tally.count(self.without(name))[1:]
        counts: list[int] = self._of_sets.counts_of_links(name, flown)
        return counts
