"""From how many flights on an engine answers in an explorer, in place of pandas."""

from __future__ import annotations

from typing import Any

from fleetkit.engines import checked_engine
from fleetkit.fleet import Fleet

__all__ = ["LARGE", "engine_of"]

# Flights of a mirror from which on the explorer for large mirrors is used.
LARGE = 1_000_000


def engine_of(fleet: Fleet) -> Any:
    """Return the engine that reads a fleet's large mirror; None for pandas.

    The mirror says how many flights it has, and nothing is read for it.
    """
    is_large = fleet.mirror is not None and fleet.mirror.count("flights") >= LARGE
    return checked_engine() if is_large else None
