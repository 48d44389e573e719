"""The chosen flights by any column of the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import pandas as pd
import polars as pl

from fleetkit.blanks import are_blank, without_blanks
from fleetkit.explore.large.bits import unpacked
from fleetkit.explore.large.encoding import NONE, Coded, moved
from fleetkit.explore.large.flown import Flown
from fleetkit.explore.large.orders import LAST, page_by_date, page_by_keys
from fleetkit.explore.large.reading import IDENTIFIER, Reader
from fleetkit.explore.sums import FLAG_COLUMNS

__all__ = ["Sorting"]

# Column of the table → the texts that it is sorted by.
_BY_TEXT = {
    "type": "flight_type",
    "operation": "operation_type",
    "pilot": "pilot_name",
    "project": "project_title",
}
# Column of the table → the ids of what its texts name.
_IDS = {"pilot": "pilot_id", "project": "project_id"}
# A page of more rows than these is cheaper by sorting all.
_PAGED = 1_000


class Sorting:
    """Finds the rows of a page; nulls stand last, and of equal rows the latest first.

    Parameters
    ----------
    flown : Flown
    reader : Reader
        Reads the identifiers where they are sorted by.
    first_pieces : callable
        Returns the place, by name, of the first piece of equipment on each flight.
    """

    def __init__(
        self, flown: Flown, reader: Reader, first_pieces: Callable[[], np.ndarray]
    ) -> None:
        self._flown, self._reader, self._first_pieces = flown, reader, first_pieces

    def page(self, mask: np.ndarray, order_by: str, start: int, stop: int) -> np.ndarray:
        """Return the numbers of the selected rows at ``[start, stop)`` of an order."""
        name, _, way = order_by.rpartition("_")
        moments, is_ascending = self._flown.moments, way == "asc"
        if name == "date":
            return page_by_date(mask, moments, start, stop, is_ascending=is_ascending)
        places, is_known = self._places(name, len(mask))
        keys = np.where(is_known, places if is_ascending else -places, LAST)
        if stop - start > _PAGED:
            return _sorted_by(mask, keys, moments)[start:stop]
        return page_by_keys(mask, keys, moments, start, stop)

    def _places(self, name: str, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers that sort a column, and which rows have a value in it."""
        if name == "duration":
            durations = self._flown.durations
            return durations.values.astype(np.int64), unpacked(durations.known, 0, count)
        if name == "id":
            return self._of_identifiers, np.ones(count, dtype=bool)
        if name == "equipment":
            places = self._first_pieces()
        elif name in FLAG_COLUMNS:
            places = self._flown.flags[FLAG_COLUMNS[name]]
        else:
            texts = self._called(name)
            called = without_blanks(pd.Series(texts.values, dtype="str"))
            folded, _ = pd.factorize(called.str.casefold(), sort=True)
            places = moved(folded, texts.codes)
        return places.astype(np.int64), places != NONE

    def _called(self, name: str) -> Coded:
        """Return the texts that a column is sorted by: ids stand in for names that are blank."""
        texts = self._flown.texts[_BY_TEXT[name]]
        if name not in _IDS:
            return texts
        ids = self._flown.texts[_IDS[name]]
        without_name = np.append(are_blank(pd.Series(texts.values, dtype="str")), True)
        is_called_by_id = without_name[texts.codes] & (ids.codes != NONE)
        if not is_called_by_id.any():
            return texts
        of_ids = ids.codes.astype(np.int64) + len(texts.values)
        return Coded([*texts.values, *ids.values], np.where(is_called_by_id, of_ids, texts.codes))

    @cached_property
    def _of_identifiers(self) -> np.ndarray:
        ranks = self._reader.column(IDENTIFIER).str.to_lowercase().rank("dense")
        return ranks.cast(pl.Int64).to_numpy()


def _sorted_by(mask: np.ndarray, keys: np.ndarray, moments: np.ndarray) -> np.ndarray:
    """Sort the rows that a mask selects by their keys; of equal ones the latest comes first."""
    by_date = page_by_date(mask, moments, 0, len(mask), is_ascending=False)
    return by_date[np.argsort(keys[by_date], kind="stable")]
