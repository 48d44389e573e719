"""What chosen flights of a large mirror come to by pilot, client, week and so on; see `groups`.

They are counted under codes that they have in memory: of a column, or of their set of equipment.
Then codes are put together under the keys of a chart. Days are counted already.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fleetkit.explore.groups import Keys, group_frame
from fleetkit.explore.large.bits import count
from fleetkit.explore.large.hours import HoursOf
from fleetkit.explore.large.tallies import Column, Crossed, tally
from fleetkit.rounding import SECONDS_PER_HOUR

__all__ = ["LargeAmounts", "LargeFlown", "Types", "by_days"]


@dataclass(frozen=True)
class LargeAmounts:
    """What is summed of flights; see `Amounts`.

    Attributes
    ----------
    values : column
        Of each flight; 0 where it adds nothing.
    known : array
        Which flights have it recorded, as bits.
    unit : float
        So many make one of what is shown.
    """

    values: Column
    known: np.ndarray
    unit: float = 1.0


@dataclass(frozen=True)
class Types:
    """The flight types.

    Attributes
    ----------
    values : array of str
        Those that occur, in their order.
    codes : array of int
        Of each flight; −1 for none.
    places : array of int
        The code of each of the values.
    """

    values: np.ndarray
    codes: np.ndarray
    places: np.ndarray


class LargeFlown:
    """Flights under their keys; each counts once under each of its own.

    Parameters
    ----------
    word : str
        What they are grouped by.
    codes : array of int
        Of each flight; −1 for none.
    keys : Keys
        The key of each code, and last of those without one; or of each link.
    types : Types
    links : array of int, optional
        The code of each link, ascending, where codes are of sets of equipment.
    """

    def __init__(
        self,
        word: str,
        codes: np.ndarray,
        keys: Keys,
        types: Types,
        links: np.ndarray | None = None,
    ) -> None:
        self._word, self._keys, self._types, self._links = word, keys, types, links
        size = len(keys.codes) - 1 if links is None else int(codes.max(initial=0)) + 1
        self._crossed = Crossed(codes, types.codes, (size, len(types.values)))
        # A code and its key as one number; codes are counted from none on as 0.
        of_keys = np.where(keys.codes < 0, len(keys.values), keys.codes).astype(np.int64)
        of_links = np.append(np.arange(1, size + 1), 0) if links is None else links + 1
        self._pair = of_keys * (size + 1) + of_links
        self._order = np.argsort(self._pair, kind="stable")

    def sums(
        self,
        words: np.ndarray,
        amounts: dict[str, LargeAmounts],
        on_links: np.ndarray | None = None,
    ) -> pd.DataFrame:
        """Return the key, ``flight_type``, ``flights`` and the amounts of some flights.

        Parameters
        ----------
        words : array
            Which flights, as bits.
        amounts : dict
            Name of a column → what it sums.
        on_links : array of bool, optional
            Which of the links count.
        """
        values = [amount.values for amount in amounts.values()]
        flights, *sums = tally(self._crossed, words, self._crossed.size, *values)
        pairs = self._pairs(on_links)
        counted = self._by_key(flights, pairs)
        summed = {}
        for (name, amount), of_codes in zip(amounts.items(), sums, strict=True):
            known, is_known = counted, words & amount.known
            if count(is_known) < count(words):
                of_known, *_ = tally(self._crossed, is_known, self._crossed.size)
                known = self._by_key(of_known, pairs)
            summed[name] = self._by_key(of_codes, pairs) / amount.unit, known
        return group_frame(self._word, self._keys.values, self._types.values, counted, summed)

    def _pairs(self, on_links: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return codes and a key of each, by keys; what has none comes last."""
        if on_links is None or self._links is None:
            return self._all_pairs
        return self._distinct(self._order[on_links[self._order]])

    @cached_property
    def _all_pairs(self) -> tuple[np.ndarray, np.ndarray]:
        return self._distinct(self._order)

    def _distinct(self, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        pairs = self._pair[order]
        # Of two drones, a flight is one of drones.
        keys, codes = np.divmod(pairs[np.diff(pairs, prepend=-1) > 0], self._crossed.shape[0])
        is_rest = np.ones(self._crossed.shape[0], dtype=bool)
        is_rest[codes] = False
        rest = np.flatnonzero(is_rest)
        return np.append(codes, rest), np.append(keys, np.full(len(rest), len(self._keys.values)))

    def _by_key(self, amounts: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Return what amounts of each code and type come to by key and type."""
        codes, keys = pairs
        table = amounts.reshape(self._crossed.shape)[:, [*(self._types.places + 1), 0]]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        summed = np.zeros((len(self._keys.values) + 1, table.shape[1]))
        summed[keys[starts]] = np.add.reduceat(table[codes], starts, axis=0)
        return summed


def by_days(word: str, keys: Keys, types: Types, hours: HoursOf) -> pd.DataFrame:
    """Return the key, ``flight_type``, ``flights`` and ``hours`` of flights counted by days. [h].

    Parameters
    ----------
    word : str
        What days are put together by.
    keys : Keys
        Of each run of flights on one day.
    types : Types
    hours : HoursOf
        Of the flights.
    """
    size, kinds = len(keys.values), len(types.values) + 1
    places = {code: place for place, code in enumerate(types.places.tolist())}
    of_types = np.array([places.get(code, kinds - 1) for code in hours.codes], dtype=np.int64)
    groups = np.where(keys.codes < 0, size, keys.codes) * kinds + of_types[:, None]
    counted = hours.counted
    flights, known, seconds = (
        np.bincount(groups.ravel(), amounts.ravel(), (size + 1) * kinds)
        for amounts in (counted.flights, counted.recorded, counted.flown)
    )
    summed = {"hours": (seconds / SECONDS_PER_HOUR, known)}
    return group_frame(word, keys.values, types.values, flights, summed)
