"""Chart of equipment by status and condition; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyBboxPatch

from fleetkit.charts.drawing.bounds import CONDITIONS, LINES, STATUSES
from fleetkit.charts.drawing.fonts import BOLD, SMALL
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.style import (
    COLOURS,
    COLUMN,
    MILLIMETRE,
    Canvas,
    canvas,
    clean,
    number,
)
from fleetkit.charts.drawing.styling import Colours

__all__ = ["equipment_condition"]


# Widest share of the figure that the names of statuses take, and lines of a condition's name.
_NAMES, _HEAD_LINES = 0.3, 3
# Most rows, and most columns, of a narrow figure.
_NARROW = 6
# Height of a tile, and of one on a narrow figure. [mm]
_TILE, _LOW_TILE = 8.4, 6.6
# Radius of a tile's corners. [mm]
_CORNER = 0.55
# Least room between two names of conditions [pt], how many tiles one may be as wide as, and the
# widest share of the tiles' room that it takes beyond them.
_BETWEEN, _REACH, _ROOM = 3.0, 2.5, 0.15


def equipment_condition(
    matrix: Any,
    ax: Axes | None = None,
    *,
    width: float = COLUMN,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw status × condition as tiles that carry their count; the fuller, the darker.

    Parameters
    ----------
    matrix : frame
        As `metrics.equipment_condition` returns it, in the order of the tiles: ``status``,
        ``condition``, ``equipment``.
    ax : Axes, optional
        Where to draw; default: new Axes.
    width : float
        Width of new Axes. [mm]
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> matrix = {"status": ["ACTIVE"], "condition": ["GOOD"], "equipment": [12]}
    >>> [text.get_text() for text in equipment_condition(pd.DataFrame(matrix)).texts]
    ['12']
    """
    frame = read(matrix, "equipment_condition", "status", "condition", numbers=["equipment"])
    with canvas(frame, ax, title=title, colours=colours, width=width) as page:
        if frame.empty:
            page.message("No equipment")
            return page.ax
        counts: Counter[tuple[str, str]] = Counter()
        for status, condition, count in zip(
            frame["status"], frame["condition"], frame["equipment"], strict=True
        ):
            counts[clean(status), clean(condition)] += 0 if pd.isna(count) else max(int(count), 0)
        statuses, conditions = _ordered(frame["status"]), _ordered(frame["condition"])
        most = (_NARROW, _NARROW) if page.is_narrow else (STATUSES, CONDITIONS)
        page.leave_out(len(statuses) - most[0], "status", "statuses")
        page.leave_out(len(conditions) - most[1], "condition")
        _tiles(
            page,
            _fullest(statuses, most[0], counts, side=0),
            _fullest(conditions, most[1], counts, side=1),
            counts,
        )
    return page.ax


def _fullest(names: list[str], most: int, counts: Counter[Any], side: int) -> list[str]:
    """Return the names that hold most equipment, in the order in which they stand."""
    if len(names) <= most:
        return names
    totals: Counter[str] = Counter()
    for pair, count in counts.items():
        totals[pair[side]] += count
    largest = sorted(names, key=lambda name: -totals[name])[:most]
    return [name for name in names if name in largest]


def _ordered(values: pd.Series) -> list[str]:
    """Return the names that occur, in their categories' order where they have one."""
    present = dict.fromkeys(clean(value) for value in values)
    is_ordered = isinstance(values.dtype, pd.CategoricalDtype)
    kinds = [clean(kind) for kind in values.cat.categories] if is_ordered else []
    return list(dict.fromkeys(name for name in [*kinds, *present] if name in present))


def _tiles(
    page: Canvas,
    statuses: Sequence[str],
    conditions: Sequence[str],
    counts: Counter[tuple[str, str]],
) -> None:
    page.bare()
    lines = 1 if page.is_narrow else LINES
    names = [page.fit(name, _NAMES * page.figure_width, lines=lines) for name in statuses]
    left = max(text_width(name) for name in names) / MILLIMETRE + 3
    page.margins(left=left, right=1, top=9, bottom=1)
    overhang = _overhang(conditions, page.width)
    right = 1 + overhang / MILLIMETRE
    page.margins(left=left, right=right, top=9, bottom=1)
    heads = _heads(page, conditions, page.width / len(conditions) - 2, overhang)
    top = 4.5 + 3.2 * max(1 + head.count("\n") for head in heads)
    page.size((_LOW_TILE if page.is_narrow else _TILE) * len(statuses) + top + 1)
    page.margins(left=left, right=right, top=top, bottom=1)
    page.ax.set(xlim=(0, len(conditions)), ylim=(len(statuses), 0))
    page.ax.xaxis.tick_top()
    page.ax.tick_params(length=0)
    page.ax.set_xticks(np.arange(len(conditions)) + 0.5, heads, fontsize=SMALL)
    page.ax.set_yticks(np.arange(len(statuses)) + 0.5, names, color=COLOURS["ink"])
    most = max([*counts.values(), 1])
    for y, status in enumerate(statuses):
        for x, condition in enumerate(conditions):
            _tile(page, x, y, counts[status, condition], most)


def _overhang(names: Sequence[str], width: float) -> float:
    """Return the room that the last head takes beyond its tile [pt]; 0 where words needn't be cut.

    The tiles share what is left of the width.
    """
    count, tile = len(names), width / len(names)
    longest = _longest_word(names)
    last = text_width(names[-1], SMALL)
    overhang = (last - tile) / (2 - 1 / count)
    return overhang if longest > tile - _BETWEEN and 0 < overhang <= _ROOM * width else 0.0


def _longest_word(names: Sequence[str]) -> float:
    return max(text_width(word, SMALL) for name in names for word in name.split())


def _heads(page: Canvas, names: Sequence[str], width: float, overhang: float) -> list[str]:
    """Set the names in a width [pt]: on one line, in lines of whole words, or in turns on three.

    A name may reach over its tile where its neighbours leave room, the last one by `overhang`.
    """
    widths = [text_width(name, SMALL) for name in names]
    longest = _longest_word(names)
    are_inside = all(
        head <= (_REACH + 2 * place) * width
        and head <= (2 * (len(widths) - place) - 1) * (width + 2) + 2 * overhang
        for place, head in enumerate(widths)
    )
    levels = _levels(widths, width) if are_inside else []
    if levels and (longest > width or not any(levels)):
        return [name + "\n" * level for name, level in zip(names, levels, strict=True)]
    return [page.fit(name, width, SMALL, lines=_HEAD_LINES) for name in names]


def _levels(widths: Sequence[float], pitch: float) -> list[int]:
    """Return on which of three lines each head has room; no levels where one has none."""
    levels: list[int] = []
    for position, width in enumerate(widths):
        for level in range(_HEAD_LINES):
            before = max((n for n in range(position) if levels[n] == level), default=None)
            reach = 0.0 if before is None else (widths[before] + width) / 2 + _BETWEEN
            if before is None or reach <= (position - before) * pitch:
                levels.append(level)
                break
        else:
            return []
    return levels


def _tile(page: Canvas, x: int, y: int, count: int, most: int) -> None:
    colour, shade = ("accent", 0.14 + 0.42 * count / most) if count else ("line", 0.35)
    tile_width = page.width / abs(np.diff(page.ax.get_xlim()).item())
    tile_height = page.height / abs(np.diff(page.ax.get_ylim()).item())
    page.ax.add_artist(  # the limits are set, which add_patch would widen by each
        FancyBboxPatch(
            (x + 0.03, y + 0.06),
            0.94,
            0.88,
            boxstyle=f"round,pad=0,rounding_size={_CORNER * MILLIMETRE / tile_width}",
            mutation_aspect=tile_width / tile_height,
            # Not `alpha`, which makes the whole mark transparent: a PDF would hold a bitmap of it.
            facecolor=to_rgba(COLOURS[colour], shade),
        )
    )
    page.ax.text(
        x + 0.5,
        y + 0.5,
        number(count) if count else "–",
        ha="center",
        va="center_baseline",
        fontweight=BOLD if count else "normal",
        color=COLOURS["ink" if count else "muted"],
    )
