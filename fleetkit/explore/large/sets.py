"""Sets of equipment as numbers: flights by the same equipment have the same one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from fleetkit.explore.large.encoding import compact
from fleetkit.explore.large.postings import ranges

__all__ = ["sets_of"]


def sets_of(
    pieces: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Return the number of each flight's set of equipment, and each set's number beside a piece.

    Parameters
    ----------
    pieces : array of int
        The codes of the equipment on each flight, ascending, flight by flight.
    sizes : array of int
        How many pieces each flight has.

    Examples
    --------
    >>> sets, (of_links, pieces_of_links) = sets_of(np.array([3, 3, 5, 3]), np.array([1, 2, 0, 1]))
    >>> sets
    array([1, 2, 0, 1], dtype=int8)
    >>> of_links, pieces_of_links
    (array([1, 2, 2], dtype=int32), array([3, 3, 5]))
    """
    sets = np.zeros(len(sizes), dtype=np.int32)
    codes, named = int(pieces.max(initial=0)) + 1, 1
    flights, places = np.arange(len(sizes), dtype=np.int32), np.cumsum(sizes, dtype=np.int64)
    places -= sizes  # of the first piece of each flight
    for place in range(int(sizes.max(initial=0))):
        # A set is identified by its last piece and the set of the pieces before that one.
        has_more = sizes[flights] > place
        flights, places = flights[has_more], places[has_more]
        pairs = sets[flights] * np.int64(codes)
        pairs += pieces[places + place]
        encoded = pa.array(pairs).dictionary_encode()
        sets[flights] = encoded.indices.to_numpy() + np.int32(named)
        named += len(encoded.dictionary)
    flight_of = np.full(named, -1, dtype=np.int64)
    flight_of[sets] = np.arange(len(sets))
    is_used = flight_of >= 0  # the other sets are only the beginnings of longer ones
    numbers, firsts = compact(np.cumsum(is_used) - 1, named), flight_of[is_used]
    of_sets = sizes[firsts]
    starts = np.cumsum(sizes, dtype=np.int64)[firsts] - of_sets
    links = np.repeat(np.arange(len(firsts), dtype=np.int32), of_sets)
    return numbers[sets], (links, pieces[ranges(starts, of_sets)])
