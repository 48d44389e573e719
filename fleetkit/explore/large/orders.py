"""One page of the chosen rows in any order, without sorting them all."""

from __future__ import annotations

import numpy as np

__all__ = ["LAST", "page_by_date", "page_by_keys"]

# Rows that are searched at a time.
_BLOCK = 1 << 16
# The key of a row without a value: it stands last, whatever the order.
LAST = np.iinfo(np.int64).max


def page_by_keys(
    mask: np.ndarray, keys: np.ndarray, moments: np.ndarray, start: int, stop: int
) -> np.ndarray:
    """Return the numbers of the rows that stand at ``[start, stop)`` by their keys.

    Parameters
    ----------
    mask : array of bool
        Which rows are chosen.
    keys : array of int
        Of each row; of equal keys the later date stands first.
    moments, start, stop
        As for `page_by_date`.
    """
    selected = keys if mask.all() else keys[mask]
    stop = min(stop, len(selected))
    if start >= stop:
        return np.zeros(0, dtype=np.intp)
    split = np.partition(selected, sorted({start, stop - 1}))
    shown = np.unique(split[start:stop])
    offset = start - int(np.count_nonzero(selected < shown[0]))
    pages: list[np.ndarray] = []
    missing = stop - start
    for key in shown:
        rows = page_by_date(
            mask & (keys == key), moments, offset, offset + missing, is_ascending=False
        )
        pages.append(rows)
        missing, offset = missing - len(rows), 0
    return np.concatenate(pages)


def page_by_date(
    mask: np.ndarray, moments: np.ndarray, start: int, stop: int, *, is_ascending: bool
) -> np.ndarray:
    """Return the numbers of the rows that stand at ``[start, stop)`` by date, none last.

    Rows go by date and then by identifier, those without a date last; of one date the rows keep
    this order in both directions.

    Parameters
    ----------
    mask : array of bool
        Which rows are chosen.
    moments : array of int
        The date of each row that has one.
    start, stop : int
        The places.
    is_ascending : bool
        Whether the earliest date stands first.
    """
    if is_ascending:
        return np.flatnonzero(mask)[start:stop]
    dated = mask[: len(moments)]
    count = int(np.count_nonzero(dated))
    undated = len(moments) + np.flatnonzero(mask[len(moments) :])
    first, last = max(count - stop, 0), max(count - start, 0)
    latest = _latest(dated, moments, first, last)
    return np.concatenate([latest, undated[max(start - count, 0) : max(stop - count, 0)]])


def _latest(mask: np.ndarray, moments: np.ndarray, first: int, last: int) -> np.ndarray:
    """Return the chosen rows at ``[first, last)`` by date, from the last to the first.

    All rows of one date are sorted together, whichever of them are asked for.
    """
    if first >= last:
        return np.zeros(0, dtype=np.intp)
    begin, end = (moments[_number_at(mask, place)] for place in (first, last - 1))
    start = int(np.searchsorted(moments, begin, side="left"))
    stop = int(np.searchsorted(moments, end, side="right"))
    count, later = int(np.count_nonzero(mask)), int(np.count_nonzero(mask[stop:]))
    tied = start + np.flatnonzero(mask[start:stop])
    ordered = tied[np.argsort(-moments[tied], kind="stable")]
    return ordered[count - last - later : count - first - later]


def _number_at(mask: np.ndarray, place: int) -> int:
    """Return the number of the row at a place among those that a mask selects."""
    for start in range(0, len(mask), _BLOCK):
        block = mask[start : start + _BLOCK]
        selected = int(np.count_nonzero(block))
        if place < selected:
            return start + int(np.flatnonzero(block)[place])
        place -= selected
    raise IndexError(place)
