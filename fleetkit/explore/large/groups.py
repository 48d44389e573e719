"""Chosen flights of a large mirror, summed by pilot, client, week and so on; see `groups`.

They are counted by the codes that are in memory, such as those of a column, and the counts are
then summed by the keys of a chart. Days are counted already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fleetkit.explore.groups import Amounts, Keys, group_frame
from fleetkit.explore.large.encoding import distinct
from fleetkit.explore.large.hours import HoursOf
from fleetkit.explore.large.sets import sets_of
from fleetkit.explore.large.tallies import Crossed, Following, tally
from fleetkit.rounding import SECONDS_PER_HOUR

__all__ = ["LargeFlown", "LargeFlownBy", "Types", "by_days"]


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
    links : tuple of array of int
        Codes, and a key of each, by its place; a code may have several keys, or none.
    values : array
        The keys, in their order.
    types : Types
    """

    def __init__(
        self,
        word: str,
        codes: np.ndarray,
        links: tuple[np.ndarray, np.ndarray],
        values: np.ndarray,
        types: Types,
    ) -> None:
        self._word, self._values, self._types = word, values, types
        of_links, keys = links
        size = max(int(codes.max(initial=-1)), int(of_links.max(initial=-1))) + 1
        self._crossed = Crossed(codes, types.codes, (size, len(types.values)))
        self._following: dict[tuple[str, ...], Following] = {}
        # By keys; codes without any come last. Codes are counted from none on as 0.
        order = np.argsort(keys, kind="stable")
        is_rest = np.ones(size + 1, dtype=bool)
        is_rest[of_links + 1] = False
        rest = np.flatnonzero(is_rest)
        self._codes = np.append(of_links[order] + 1, rest)
        self._keys = np.append(keys[order], np.full(len(rest), len(values)))

    def sums(
        self,
        words: np.ndarray,
        amounts: dict[str, Amounts],
        on_links: np.ndarray | None = None,
    ) -> pd.DataFrame:
        """Count flights, and sum their amounts, by key and ``flight_type``.

        Parameters
        ----------
        words : array
            Which flights, as bits.
        amounts : dict
            Name of a column → what it sums.
        on_links : array of bool, optional
            Of what flights have one of each.
        """
        if (names := tuple(amounts)) not in self._following:
            values = [amount.values for amount in amounts.values()]
            self._following[names] = Following(self._crossed, self._crossed.size, *values)
        counted, *sums = map(self._by_key, self._following[names].sums(words))
        summed = {}
        for (name, amount), of_keys in zip(amounts.items(), sums, strict=True):
            # Mostly few: they are counted faster than those that are known.
            unknown, *_ = tally(self._crossed, words & ~amount.is_known, self._crossed.size)
            summed[name] = of_keys / amount.unit, counted - self._by_key(unknown)
        return group_frame(self._word, self._values, self._types.values, counted, summed)

    def _by_key(self, amounts: np.ndarray) -> np.ndarray:
        """Sum amounts of each code and type by key and type."""
        table = amounts.reshape(self._crossed.shape)[:, [*(self._types.places + 1), 0]]
        starts = np.flatnonzero(np.diff(self._keys, prepend=-1))
        summed = np.zeros((len(self._values) + 1, table.shape[1]))
        summed[self._keys[starts]] = np.add.reduceat(table[self._codes], starts, axis=0)
        return summed


class LargeFlownBy:
    """Flights under the keys of their equipment, counted by the set of these keys.

    Many sets of equipment have few sets of keys, such as types.

    Parameters
    ----------
    word : str
        What they are grouped by.
    sets : array of int
        The set of equipment of each flight.
    links : array of int
        The set of each link to a piece of equipment.
    keys : Keys
        The key of each link.
    types : Types
    """

    def __init__(
        self, word: str, sets: np.ndarray, links: np.ndarray, keys: Keys, types: Types
    ) -> None:
        self._word, self._sets, self._links = word, sets, links
        self._keys, self._types = keys, types
        self._count = int(sets.max(initial=-1)) + 1
        # Those of the equipment that was counted last.
        self._newest: tuple[np.ndarray, LargeFlown] | None = None

    def sums(
        self,
        words: np.ndarray,
        amounts: dict[str, Amounts],
        on_links: np.ndarray | None = None,
    ) -> pd.DataFrame:
        """Count and sum as `LargeFlown.sums`; `on_links` says which links to equipment count."""
        counted = self._keys.codes >= 0
        if on_links is not None:
            counted &= on_links
        if self._newest is None or not np.array_equal(self._newest[0], counted):
            self._newest = counted, self._flown(counted)
        return self._newest[1].sums(words, amounts)

    def _flown(self, counted: np.ndarray) -> LargeFlown:
        """Group the flights by the keys of the links that count."""
        size = max(len(self._keys.values), 1)
        pairs = self._links[counted].astype(np.int64) * size + self._keys.codes[counted]
        # A flight of two drones counts once under "drone".
        sets, keys = np.divmod(distinct(pairs), size)
        codes, links = sets_of(keys, np.bincount(sets, minlength=self._count))
        return LargeFlown(self._word, codes[self._sets], links, self._keys.values, self._types)


def by_days(word: str, keys: Keys, types: Types, hours: HoursOf) -> pd.DataFrame:
    """Count flights and sum hours by key and ``flight_type``, where keys are of days. [h].

    Parameters
    ----------
    word : str
        What days are grouped by.
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
