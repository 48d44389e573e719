"""Square tiles in rows of weekdays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fleetkit.charts.drawing.fonts import SMALL
from fleetkit.charts.drawing.shapes import SQUARE, draw_shapes, placed
from fleetkit.charts.drawing.style import COLOURS, Canvas
from fleetkit.language import say, weekdays

__all__ = ["WEEKDAYS", "draw_tiles", "name_weekdays"]

WEEKDAYS = 7
# Share of its place that a tile fills; height of a row from which on each has a name. [pt]
_TILE, _NAMED = 0.86, 9.6


def name_weekdays(page: Canvas, row: float) -> None:
    """Name the rows, Monday on top; every second one where a row [pt] is too low for each."""
    every = 1 if row >= _NAMED else 2
    places = range(0, WEEKDAYS, every)
    page.ax.set_yticks([*places], [weekdays()[place] for place in places], fontsize=SMALL)
    page.ax.tick_params(axis="y", pad=2, labelcolor=COLOURS["muted"])


def draw_tiles(
    page: Canvas,
    styles: Mapping[tuple[int, int], Mapping[str, Any]],
    titles: Mapping[tuple[int, int], str],
    hours: Mapping[tuple[int, int], float],
) -> None:
    """Draw a tile at each place (column, row), with what a pointer shows on it.

    The picture as a whole tells of the tile with the most hours: of hundreds, who can't see it
    hears the first and the last one.
    """
    known = {place: amount for place, amount in hours.items() if amount > 0}
    if known:
        page.drawing.most = say("Most: {tile}", tile=titles[max(known, key=known.__getitem__)])
    paths = [placed(SQUARE, place, _TILE) for place in styles]
    draw_shapes(page, paths, [*styles.values()], [titles.get(place, "") for place in styles])
