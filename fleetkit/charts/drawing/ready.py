"""Axes that are used again: to make them, and their ticks, takes longer than to draw bars."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fleetkit.charts.drawing.style import SelfShowing, axes

__all__ = ["ready_axes"]

# Size [mm] → Axes of it that nothing is drawn on at the moment.
_READY: dict[tuple[float, float], list[SelfShowing]] = {}


@contextmanager
def ready_axes(width: float, height: float) -> Iterator[SelfShowing]:
    """Give Axes for one picture, which is to be taken within the block.

    They keep ticks, limits and margins of the picture before, so all pictures of a size must be of
    a chart that sets each of these.

    Parameters
    ----------
    width, height : float
        Size of the figure. [mm]
    """
    ready = _READY.setdefault((width, height), [])
    try:
        ax = ready.pop()
    except IndexError:
        ax = axes(width, height)
    yield ax
    for artist in [*ax.patches, *ax.lines, *ax.collections, *ax.texts, *ax.artists]:
        artist.remove()
    ax.containers.clear()
    ready.append(ax)
