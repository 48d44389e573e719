"""Which rows the choices mean, and how many of them each option would leave.

A facet says which of a field's options each row has. A choice is a mask over the rows; how many
masks a row misses tells at once which rows are meant, and which would be without one of the
choices: so the counts of a field need one grouped pass over those rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd

from fleetkit.exclusion import Excluding, named_values

__all__ = ["Chosen", "Facet", "Facets", "Match", "of_links", "once"]

# Values that are chosen in a field, or that are left out; empty where nothing is.
Chosen = tuple[Any, ...] | Excluding


class Facet:
    """Which of a field's options each row has.

    Parameters
    ----------
    column : Series
        A value for each row, or for each link.
    values : sequence
        The options' values, in their order.
    rest : object, optional
        The option of what has none of them, such as flights without a pilot.
    """

    def __init__(self, column: pd.Series, values: Sequence[Any], rest: Any = None) -> None:
        self.places = {value: place for place, value in enumerate(values)}
        texts = column.astype("object")
        codes = pd.Index(list(self.places), dtype="object").get_indexer(texts)
        codes[texts.isna()] = self.places.get(rest, -1)
        self.codes: np.ndarray = codes.astype(np.int32)

    def __len__(self) -> int:
        return len(self.places)

    def count(self, rows: np.ndarray) -> list[int]:
        """Return how many of some rows, a mask, have each option."""
        return _count(self.codes[rows], len(self))

    def mask(self, chosen: Chosen) -> np.ndarray:
        """Return which codes are of one of the chosen values, or of none that is left out."""
        first, *others = (self.places[value] for value in named_values(chosen))
        mask: np.ndarray = self.codes == first
        for place in others:
            mask |= self.codes == place
        return ~mask if isinstance(chosen, Excluding) else mask


class Facets:
    """The facets of rows, and of what rows are linked to, such as the equipment on a flight.

    Parameters
    ----------
    count : int
        Number of rows.
    facets : mapping
        Name of a field → its facet, with a code for each row.
    links : array of int, optional
        The row of each link, ascending.
    linked : mapping, optional
        Name of a field → its facet, with a code for each link. A row has such an option where one
        of its links has those that are chosen in all of these fields.
    """

    def __init__(
        self,
        count: int,
        facets: Mapping[str, Facet],
        links: np.ndarray | None = None,
        linked: Mapping[str, Facet] | None = None,
    ) -> None:
        self.count = count
        self.facets = dict(facets)
        self.links = np.empty(0, dtype=np.int64) if links is None else links
        self.linked = dict(linked or {})
        # By row and option, so that a row which has an option twice is counted once.
        self.by_option = {
            name: np.lexsort((facet.codes, self.links)) for name, facet in self.linked.items()
        }
        # Row and option of those links, where nothing else is chosen of links.
        self.once = {
            name: once(self.links[order], self.linked[name].codes[order])
            for name, order in self.by_option.items()
        }

    def match(
        self, chosen: Mapping[str, Chosen], masks: Mapping[str, np.ndarray] | None = None
    ) -> Match:
        """Return the rows that have a chosen value in every field that something is chosen in.

        Parameters
        ----------
        chosen : mapping
            Name of a field → values, or those that are left out; nothing is chosen in others.
        masks : mapping, optional
            Name of a field without a facet → the rows that it means.
        """
        own = {
            name: facet.mask(chosen[name])
            for name, facet in self.facets.items()
            if chosen.get(name)
        }
        selected, left_out = of_links(self.linked, chosen)
        without = {name: ~self.linked_to(mask) for name, mask in left_out.items()}
        return Match(self, {**own, **without, **(masks or {})}, selected)

    def linked_to(self, links: np.ndarray) -> np.ndarray:
        """Return the rows of some links."""
        rows = np.zeros(self.count, dtype=bool)
        rows[self.links[links]] = True
        return rows


class Match:
    """The rows that choices mean; see `Facets.match`.

    Attributes
    ----------
    rows : array of bool
        Which rows.
    on_links : array of bool or None
        Which links have what is chosen of them; None where nothing is.
    """

    def __init__(
        self, facets: Facets, own: Mapping[str, np.ndarray], linked: Mapping[str, np.ndarray]
    ) -> None:
        self._facets = facets
        self._own = own
        self._linked = linked
        self._misses = np.zeros(facets.count, dtype=np.uint8)
        for mask in own.values():
            self._misses += ~mask
        self.on_links = self._linked_without("")
        self._has_link = None
        if self.on_links is not None:
            self._has_link = facets.linked_to(self.on_links)
            self._misses += ~self._has_link
        self.rows: np.ndarray = self._misses == 0

    def without(self, name: str) -> np.ndarray:
        """Return the rows that would be meant if nothing were chosen in a field."""
        if name in self._own:
            unchosen: np.ndarray = self._misses == ~self._own[name]
            return unchosen
        if name in self._linked:
            unlinked: np.ndarray = self._misses == ~self._has_link  # type: ignore[operator]
            rest = self._linked_without(name)
            if rest is not None:
                unlinked = unlinked & self._facets.linked_to(rest)
            return unlinked
        return self.rows

    def total(self, name: str) -> int:
        """Return how many rows would be meant if nothing were chosen in a field."""
        return int(np.count_nonzero(self.without(name)))

    def counts(self, name: str) -> list[int]:
        """Return, for each option of a field, the rows that it would leave."""
        facet = self._facets.facets.get(name)
        if facet is not None:
            return facet.count(self.without(name))
        return self._counts_of_links(name)

    def _counts_of_links(self, name: str) -> list[int]:
        """Count rows, not links: those of one row and one option are neighbours here."""
        facet, rest = self._facets.linked[name], self._linked_without(name)
        rows, codes = self._facets.once[name]
        if rest is not None:
            order = self._facets.by_option[name]
            order = order[rest[order]]
            rows, codes = once(self._facets.links[order], facet.codes[order])
        if not (self._own or self._linked):  # there may be millions
            return _count(codes, len(facet))
        return _count(codes[self.without(name)[rows]], len(facet))

    def _linked_without(self, left_open: str) -> np.ndarray | None:
        """Return which links have what is chosen of them but in one field; None: nothing is."""
        masks = [mask for name, mask in self._linked.items() if name != left_open]
        return reduce(np.logical_and, masks) if masks else None


def of_links(
    facets: Mapping[str, Facet], chosen: Mapping[str, Chosen]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the links that are selected in each field, and those whose rows are left out."""
    selected, left_out = {}, {}
    for name, facet in facets.items():
        values = chosen.get(name)
        if isinstance(values, Excluding):
            left_out[name] = facet.mask(values.values)
        elif values:
            selected[name] = facet.mask(values)
    return selected, left_out


def once(rows: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each row and code once, of those that stand in their order."""
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = (rows[1:] != rows[:-1]) | (codes[1:] != codes[:-1])
    return rows[is_first], codes[is_first]


def _count(codes: np.ndarray, options: int) -> list[int]:
    """Count the codes 0, 1, …; a row without an option has the code −1."""
    counts: list[int] = np.bincount(codes + 1, minlength=options + 1)[1:].tolist()
    return counts
