"""Legends: what the colours and marks of a chart mean, in lines above the plot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any

from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from fleetkit.charts.drawing.fonts import SMALL
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.style import COLOURS, MILLIMETRE, Canvas

__all__ = ["BESIDE", "LEGEND_LINE", "Style", "legend", "legend_above", "legend_lines", "swatch"]

# How a bar or a mark looks, by the names of matplotlib.
Style = Mapping[str, Any]
# Millimetres of a line of the legend above a plot.
LEGEND_LINE = 4.0
# Share of the figure that a line may take.
_WIDEST = 0.9
# Room before a name, for its mark, and after it; both. [pt]
_BEFORE, _AFTER = 9.0, 12.0
BESIDE = _BEFORE + _AFTER


def legend_above(
    page: Canvas,
    lines: Sequence[Mapping[str, str]],
    styles: Mapping[str, Style],
    *,
    height: float = 20.0,
) -> None:
    """Write the lines of a legend above the unit, as `legend_lines` returns them."""
    widest = max((_width(line.values()) for line in lines), default=0.0)
    for index, line in enumerate(reversed(lines)):
        shown = [(name, styles[whole]) for whole, name in line.items()]
        legend(page, shown, height=height + index * LEGEND_LINE * MILLIMETRE, width=widest)


def legend_lines(page: Canvas, names: Iterable[str], most: int = 0) -> list[dict[str, str]]:
    """Return the lines of a legend as wide as the figure: name → the name as it is shown.

    Where they would be more than `most`, if that is given, names are cut so that lines share them.
    """
    names, room = list(names), _WIDEST * page.figure_width
    lines = _filled(page, names, room, widest=room)
    if 0 < most < len(lines):
        lines = _filled(page, names, room, widest=room / ceil(len(names) / most))
    return lines


def _filled(
    page: Canvas, names: Sequence[str], room: float, *, widest: float
) -> list[dict[str, str]]:
    """Fill one line after the other with names, none wider than `widest` with its mark."""
    lines: list[dict[str, str]] = [{}]
    x = 0.0
    for name in names:
        shown = page.fit(name, widest - BESIDE, SMALL)
        width = BESIDE + text_width(shown, SMALL)
        if lines[-1] and x + width > room:
            lines.append({})
            x = 0.0
        lines[-1][name] = shown
        x += width
    return lines


def _width(names: Iterable[str]) -> float:
    return sum(BESIDE + text_width(name, SMALL) for name in names) - _AFTER


def legend(
    page: Canvas, entries: Sequence[tuple[str, Style]], *, height: float, width: float = 0.0
) -> None:
    """Name what the colours or marks mean, in a line above the plot.

    Parameters
    ----------
    page : Canvas
        Where to draw.
    entries : sequence of tuple
        Names, as they are written, and the styles of their bars or marks.
    height : float
        Distance from the plot. [pt]
    width : float
        Of the widest line, where it is one of several: they start below each other. [pt]
    """
    # Beside long labels it starts further left, so that it ends inside.
    x = min(0.0, page.width - max(width, _width(name for name, _ in entries)))
    for name, style in entries:
        swatch(page, style, page.from_corner(0, 1, x, height))
        page.ax.text(
            x + _BEFORE,
            height,
            name,
            transform=page.from_corner(0, 1),
            va="center_baseline",
            fontsize=SMALL,
            color=COLOURS["muted"],
        )
        x += BESIDE + text_width(name, SMALL)


def swatch(page: Canvas, style: Style, transform: Any) -> None:
    """Draw a small square, or a mark, at a place given in points."""
    artist: Any
    if "marker" in style:
        artist = Line2D([3], [0], linestyle="", transform=transform, **style)
    else:
        artist = Rectangle((0, -3), 6, 6, transform=transform, **style)
    artist.set_clip_on(False)
    page.ax.add_artist(artist)
