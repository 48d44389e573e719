"""Flights of a small mirror in memory: several metrics look at them, and each would read files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fleetkit.engines import Engine, Pandas
from fleetkit.fleet import Fleet

if TYPE_CHECKING:
    from fleetkit.engines import Session

__all__ = ["ROWS", "in_memory", "is_small"]

# Flights that are read together: more take more memory, fewer more time, some for each part.
ROWS = 150_000


def is_small(fleet: Fleet) -> bool:
    """Whether all flights of a fleet's mirror are few enough to be read together."""
    return fleet.mirror is not None and len(fleet.mirror.months_together(ROWS)) == 1


def in_memory(
    fleet: Fleet,
    engine: Engine | Session | Pandas | None,
    *frames: tuple[Any, Sequence[str]],
) -> list[Any]:
    """Return frames with some of their columns, in memory, where Polars reads a small mirror.

    Otherwise they are returned as they are.

    Parameters
    ----------
    fleet : Fleet
    engine : optional
        As for `Fleet.flights`.
    *frames : tuple of frame and list of str
        Each with the columns that are looked at.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> fleet = fk.open_mirror("mirror")
    >>> [flights] = in_memory(fleet, "polars", (fleet.flights(engine="polars"), ["flight_id"]))
    >>> flights.collect().shape
    (50, 1)
    """
    if engine != "polars" or not is_small(fleet):
        return [frame for frame, _ in frames]
    import polars as pl  # noqa: PLC0415 - the engine is here, and was named

    loaded = pl.collect_all([frame.select(columns) for frame, columns in frames])
    return [rows.lazy() for rows in loaded]
