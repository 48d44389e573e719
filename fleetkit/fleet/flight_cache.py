"""Flights that were read once, for every later call that they contain."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from fleetkit.fleet.read_locks import ReadLocks
from fleetkit.fleet.window import Window

__all__ = ["FlightCache"]


class FlightCache:
    """Flights and bridge rows, read once for a window that no cached window covers.

    Parameters
    ----------
    read : callable
        Takes a window; returns flights and bridge rows for at least that.
    """

    def __init__(self, read: Callable[[Window], tuple[pd.DataFrame, pd.DataFrame]]) -> None:
        self._read = read
        self._locks = ReadLocks()
        self._cached: dict[Window, tuple[pd.DataFrame, pd.DataFrame]] = {}

    def get(self, window: Window) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return flights and bridge rows for at least `window`."""
        with self._locks.of(window):
            cached = self._cached
            known = next((wider for wider in list(cached) if wider.covers(window)), window)
            if known not in cached:
                cached[known] = self._read(known)
            return cached[known]

    @property
    def cached(self) -> dict[Window, tuple[pd.DataFrame, pd.DataFrame]]:
        """What was read: window → its flights and their bridge."""
        return dict(self._cached)

    def remember(self, cached: Mapping[Window, tuple[pd.DataFrame, pd.DataFrame]]) -> None:
        """Take over what another one has read."""
        self._cached.update(cached)

    def clear(self) -> None:
        """Forget what was read."""
        self._cached = {}  # what a thread still reads goes into the one before
