"""Spans of time that overlap, of many keys at once, by whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Numbers", "Spans", "overlapping"]

Numbers: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class Spans(NamedTuple):
    """Spans of time, each of a key, which is a whole number. [s]."""

    keys: Numbers
    starts: Numbers
    ends: Numbers

    def take(self, rows: Numbers) -> Spans:
        """Return the spans in these rows."""
        return Spans(*(column[rows] for column in self))


def overlapping(spans: Spans, earlier: Spans, ids: Callable[[Numbers], pl.Series]) -> Numbers:
    """Return which spans began while another one of their key lasted, as row numbers.

    Of those that began at one moment, all but the one with the first id do.

    Parameters
    ----------
    spans : Spans
    earlier : Spans
        Of earlier days: what spans are compared with too.
    ids : callable
        Returns the ids of rows; they are compared where it matters only.
    """
    count = len(spans.keys)
    if not count:
        return np.arange(0)
    keys, start, end = (np.concatenate(both) for both in zip(spans, earlier, strict=True))
    # The keys one after the other: one sort of whole numbers does, and no key touches the next.
    shift = keys * (end.max() - start.min() + 1)
    start, end = start + shift, end + shift
    order = np.argsort(start)
    start, end = start[order], end[order]
    latest = np.append(start[0], np.maximum.accumulate(end)[:-1])  # of those before
    is_suspect = latest > start
    is_tied = start[1:] == start[:-1]
    tied = np.flatnonzero(np.append(is_tied, False) | np.append(False, is_tied))
    tied = tied[order[tied] < count]
    first = np.searchsorted(start, start[tied])
    after_id = _later_by_id(ids(order[tied]), start[tied])
    is_suspect[tied] = (latest[first] > start[tied]) | after_id
    suspect: Numbers = order[is_suspect & (order < count)]
    return suspect


def _later_by_id(ids: pl.Series, start: Numbers) -> Numbers:
    """Return which spans that begin at the same moment come after another one, by id."""
    import polars as pl  # noqa: PLC0415 - it takes a while to import

    spans = pl.DataFrame({"id": ids, "start": start})
    return spans.select(pl.col("id") > pl.col("id").min().over("start"))["id"].to_numpy()
