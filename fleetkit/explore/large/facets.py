"""Facets of a large mirror: rows are bits, and equipment is looked up by sets of pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache, reduce
from typing import Any

import numpy as np

from fleetkit.exclusion import Excluding, named_values
from fleetkit.explore.facets import Chosen, Facet, Match, of_links
from fleetkit.explore.large.bits import count, packed, unpacked
from fleetkit.explore.large.cube import Part
from fleetkit.explore.large.encoding import NONE
from fleetkit.explore.large.pieces import Pieces
from fleetkit.explore.large.tallies import tally

__all__ = ["BitFacets", "BitMatch", "CodedFacet"]

# The code of an option that no row has.
_NOBODY = -2
# Most options of a field for which the rows of each option are stored as bits, and most values
# that are looked for one by one.
_AT_HAND = 32
# Latest choices whose rows are cached, as bits.
_CACHED = 24


class CodedFacet:
    """Which of a field's options each row has, by the code of its value.

    Parameters
    ----------
    codes : array of int
        Of each row; `NONE` where it has no value.
    places : mapping
        Value → code.
    values : sequence
        The options' values, in their order.
    rest : object, optional
        The option of what has none of them.
    """

    def __init__(
        self, codes: np.ndarray, places: Mapping[Any, int], values: Sequence[Any], rest: Any = None
    ) -> None:
        self._size = len(places)
        self._places = {
            value: NONE if value == rest else places.get(value, _NOBODY) for value in values
        }
        at_hand = self._places.values() if len(values) <= _AT_HAND else ()
        self._rows = {place: packed(codes == place) for place in at_hand}
        self._codes = codes[:0] if self._rows else codes

    def mask(self, values: Sequence[Any]) -> np.ndarray:
        """Return the rows that have one of the values, as bits."""
        places = [self._places[value] for value in values]
        if len(places) <= _AT_HAND:
            return reduce(np.bitwise_or, map(self._of, places))
        is_chosen = np.zeros(self._size + 2, dtype=bool)  # `_NOBODY` and `NONE` are the last two
        is_chosen[places] = True
        return packed(is_chosen[self._codes])

    def codes_of(self, chosen: Chosen) -> list[int]:
        """Return the codes of values, or all codes but theirs where they are left out."""
        codes = {self._places[value] for value in named_values(chosen)}
        if isinstance(chosen, Excluding):
            codes = {*range(NONE, self._size)} - codes
        return sorted(codes)

    def of_options(self, counts: Sequence[int]) -> list[int]:
        """Return the count of each option, from the counts of the codes, `NONE` first."""
        return [counts[place + 1] if place >= NONE else 0 for place in self._places.values()]

    def _of(self, place: int) -> np.ndarray:
        return self._rows[place] if place in self._rows else packed(self._codes == place)

    def count(self, rows: np.ndarray) -> list[int]:
        """Return how many of some rows have each option."""
        if self._rows:
            return [count(rows & self._rows[place]) for place in self._places.values()]
        return self.of_options(tally(self._codes, rows, self._size)[0].tolist())


class BitFacets:
    """The facets of flights and of the equipment on them.

    Parameters
    ----------
    rows : int
        How many there are.
    facets : mapping
        Name of a field → its facet.
    pieces : Pieces
        The equipment on each row.
    linked : mapping
        Name of a field → its facet, with a code for each piece of equipment.
    link_piece : array of int
        The piece of each link of a set.
    """

    def __init__(
        self,
        rows: int,
        facets: Mapping[str, CodedFacet],
        pieces: Pieces,
        linked: Mapping[str, Facet],
        link_piece: np.ndarray,
    ) -> None:
        self.all = packed(np.ones(rows, dtype=bool))
        self.facets, self.pieces = facets, pieces
        self.linked, self.link_piece = linked, link_piece
        self.rows_of = lru_cache(maxsize=_CACHED)(self._of)

    def _of(self, name: str, chosen: Chosen) -> np.ndarray:
        rows = self.facets[name].mask(named_values(chosen))
        return self.all & ~rows if isinstance(chosen, Excluding) else rows

    def match(
        self,
        chosen: Mapping[str, Chosen],
        masks: Mapping[str, np.ndarray],
        part: Part | None = None,
    ) -> BitMatch:
        """Return the rows that have a chosen value in every field that something is chosen in.

        Parameters
        ----------
        chosen : mapping
            Name of a field → values, or those that are left out; nothing is chosen in others.
        masks : mapping
            Name of a field without a facet → the rows that it means, as bits.
        part : Part, optional
            The same rows as a part of the cube.
        """
        own = {name: self.rows_of(name, chosen[name]) for name in self.facets if chosen.get(name)}
        selected, left_out = of_links(self.linked, chosen)
        without = {name: self.all & ~self.pieces.rows(pieces) for name, pieces in left_out.items()}
        return BitMatch(self, {**own, **without, **masks}, selected, part)


class BitMatch(Match):
    """The rows that choices mean; see `Match`.

    Parameters
    ----------
    facets : BitFacets
    own : mapping
        Name of a field → the rows that are chosen in it, as bits.
    linked : mapping
        Name of a field of equipment → which pieces are chosen in it.
    part : Part, optional
        The same rows as a part of the cube.
    """

    def __init__(
        self,
        facets: BitFacets,
        own: Mapping[str, np.ndarray],
        linked: Mapping[str, np.ndarray],
        part: Part | None = None,
    ) -> None:
        self._bits, self._own, self._linked, self.part = facets, own, linked, part
        self._without: dict[str, np.ndarray] = {}
        self.words = self.without("")
        self.count = count(self.words)

    @cached_property
    def rows(self) -> np.ndarray:  # type: ignore[override] # made when it is asked for
        """The matching rows, as a mask."""
        return unpacked(self.words, 0, len(self._bits.pieces))

    @cached_property
    def pieces(self) -> np.ndarray | None:
        """Which pieces of equipment match; None where no field of equipment is chosen."""
        return self._linked_without("")

    @cached_property
    def on_links(self) -> np.ndarray | None:  # type: ignore[override] # as above
        """Which links from a set to a piece match; None where no field of equipment is chosen."""
        return None if self.pieces is None else self.pieces[self._bits.link_piece]

    def without(self, name: str) -> np.ndarray:
        """Return the rows that match while one field is left open, as bits."""
        name = name if name in self._own or name in self._linked else ""
        if name not in self._without:
            masks = [mask for other, mask in self._own.items() if other != name]
            pieces = self._linked_without(name)
            if pieces is not None:
                masks.append(self._bits.pieces.rows(pieces))
            self._without[name] = reduce(np.bitwise_and, masks) if masks else self._bits.all
        return self._without[name]

    def total(self, name: str) -> int:
        """Count the rows that match while one field is left open."""
        return count(self.without(name))

    def counts(self, name: str) -> list[int]:
        """Return how many rows each option of a field would leave."""
        if self.part is not None and name in self.part.fields:
            return self._bits.facets[name].of_options(self.part.counts(name))
        if name in self._bits.facets:
            return self._bits.facets[name].count(self.without(name))
        return self._counts_of_pieces(name)

    def _counts_of_pieces(self, name: str) -> list[int]:
        facet, pieces = self._bits.linked[name], self._linked_without(name)
        return self._bits.pieces.counts(facet, self.without(name), pieces)
