"""Columns over time: vertical bars, stacked or plain, with totals and the names of their parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from matplotlib.container import BarContainer
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D

from fleetkit.charts.drawing.fonts import BOLD, SMALL
from fleetkit.charts.drawing.legends import Style, swatch
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.marks import value_axis
from fleetkit.charts.drawing.style import COLOURS, Canvas, number
from fleetkit.language import say
from fleetkit.rounding import HOURS

__all__ = ["columns", "names_width", "newest_of"]

# Columns beyond which those of 0 have no label: they would hide the few that aren't.
MOST_ZEROS = 13
# Width of a slot from which on columns stand apart, and from which on their parts have seams. [pt]
_APART, _SEAMS = 3.0, 6.0
# Width of a column. [slots]
_COLUMN = 0.72
# Widest name beside the last column. [pt]
_STACK_NAME = 115.0


def columns(
    page: Canvas,
    ticks: Sequence[str],
    stacks: Mapping[str, Sequence[float]],
    styles: Mapping[str, Style],
    *,
    unit: str,
    labelled: bool,
    named: bool,
    titles: Mapping[str, Sequence[str]],
    keys: Sequence[str],
    blank: Sequence[bool] = (),
    decimals: int = HOURS,
) -> None:
    """Draw vertical bars from left to right, stacked from the bottom up or plain.

    Where there are so many that gaps and seams would eat them, they join to an outline.

    Parameters
    ----------
    page : Canvas
        Where to draw.
    ticks : sequence of str
        Below each bar; empty for none.
    stacks : mapping
        Name of each part of the bars → its values; one part for plain bars.
    styles : mapping
        Name of each part → its colour and hatch.
    unit : str
        Above the axis.
    labelled : bool
        Write its total on each bar.
    named : bool
        Name the parts beside the last bar.
    titles : mapping
        Name of each part → what a pointer shows on each bar; empty for nothing. On an outline it
        shows the highest one.
    keys : sequence of str
        What each bar is of.
    blank : sequence of bool
        Which bars are unknown, not 0, and so have no total.
    decimals : int
        Of the totals.
    """
    positions = np.arange(len(ticks))
    slots = max(len(ticks), 6)
    slot = page.width / slots
    over, under = np.zeros(len(ticks)), np.zeros(len(ticks))
    for name, values in stacks.items():
        heights = np.nan_to_num(np.asarray(values, dtype=float))
        starts = np.where(heights >= 0, over, under)
        style = dict(styles[name])
        if slot < _SEAMS or len(stacks) == 1:
            style["linewidth"] = 0.0
        if slot < _APART:
            edges = np.arange(len(ticks) + 1) - 0.5
            outline = page.ax.stairs(
                starts + heights, edges, baseline=starts, fill=True, label=name, **style
            )
            outline.set_gid(page.name([_highest(heights, titles[name])])[0] or None)
        else:
            places = np.column_stack((positions, starts, heights)).tolist()
            bars: list[Rectangle] = [_Column(*place, **style) for place in places]
            for bar in bars:
                page.ax.add_artist(bar)
            page.ax.add_container(BarContainer(bars, label=name))
            page.entitle(bars, titles[name], [(key, name) for key in keys])
        over, under = over + heights.clip(min=0), under + heights.clip(max=0)
    page.ax.set_xlim(
        -0.6, slots - 0.5 + (0.0 if page.own else _room_for_names(page, slots, stacks))
    )
    named_at = [index for index, text in enumerate(ticks) if text]
    page.ax.set_xticks(named_at, [ticks[index] for index in named_at])
    value_axis(page, float(np.min(under)), float(np.max(over)), unit=unit)
    if labelled:
        _totals(page, over, under, blank or [False] * len(ticks), decimals, newest=newest_of(keys))
    if named:
        _name_stacks(page, len(ticks) - 1, stacks, styles)


def _highest(heights: Any, titles: Sequence[str]) -> str:
    """Say what an outline of columns is as a whole: no pointer meets one of them."""
    places = [place for place, title in enumerate(titles) if title]
    if not places:
        return ""
    return say("highest: {column}", column=titles[max(places, key=lambda place: heights[place])])


class _Column(Rectangle):
    """A bar of a chart of hundreds: upright, and clipped by the box that the Axes have already.

    `Axes.bar` would make a box for each, and widen limits bar by bar that are set afterwards.
    """

    def __init__(self, x: float, y: float, height: float, **style: Any) -> None:
        super().__init__((x - _COLUMN / 2, y), _COLUMN, height, **style)

    def set_clip_path(self, path: Any, transform: Any = None) -> None:
        """Clip the bar, by the box of the Axes where it is their outline."""
        if self.axes is not None and path is self.axes.patch:
            self.set_clip_box(self.axes.bbox)
        else:
            super().set_clip_path(path, transform)

    def get_patch_transform(self) -> Affine2D:
        """Return what makes the unit square the bar."""
        (x, y), width, height = self.get_xy(), self.get_width(), self.get_height()
        return Affine2D.from_values(width, 0, 0, height, x, y)


def newest_of(keys: Sequence[str]) -> int:
    """Return the place of the newest column: before the one of what has no date.

    Examples
    --------
    >>> newest_of(["2026-09", "2026-10", ""])
    1
    """
    return max((place for place, key in enumerate(keys) if key), default=len(keys) - 1)


def _totals(
    page: Canvas, over: Any, under: Any, blank: Sequence[bool], decimals: int, *, newest: int
) -> None:
    totals = over + under
    for index, (high, total) in enumerate(zip(over, totals, strict=True)):
        last = index == newest
        if blank[index] or (not total and len(totals) > MOST_ZEROS):
            continue
        page.ax.annotate(
            number(total, decimals),
            (index, high),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=SMALL,
            fontweight=BOLD if last else "normal",
            color=COLOURS["ink" if last else "muted"],
            annotation_clip=False,
        )


def names_width(stacks: Iterable[str]) -> float:
    """Return the room that the names of the parts take beside the last bar [pt]."""
    return min(max(text_width(name, SMALL) for name in stacks), _STACK_NAME) + 18


def _room_for_names(page: Canvas, slots: int, stacks: Mapping[str, Any]) -> float:
    """Return how many slots to leave free for the names, where the margin isn't ours to set."""
    share = min(names_width(stacks) / page.width, 0.6)
    return slots * share / (1 - share)


def _name_stacks(
    page: Canvas, index: int, stacks: Mapping[str, Sequence[float]], styles: Mapping[str, Style]
) -> None:
    """Write the name of each part beside the last bar, at the height of its part."""
    parts = [max(0.0, float(np.nan_to_num(values[-1]))) for values in stacks.values()]
    middles = [top - part / 2 for top, part in zip(accumulate(parts), parts, strict=True)]
    right = page.ax.transData.transform((index + 0.36, 0))[0]
    share = page.ax.transAxes.inverted().transform((right, 0))[0]
    low, high = page.ax.get_ylim()
    heights = _apart([(middle - low) / (high - low) for middle in middles], 10.5 / page.height)
    for name, height in zip(stacks, heights, strict=True):
        swatch(page, styles[name], page.from_corner(share, height, 6, 0))
        page.ax.text(
            15,
            0,
            page.fit(name, _STACK_NAME, SMALL),
            transform=page.from_corner(share, height),
            va="center_baseline",
            fontsize=SMALL,
        )


def _apart(heights: Sequence[float], step: float) -> list[float]:
    """Push heights apart until `step` lies between each two: up from the bottom, down from the top.

    Examples
    --------
    >>> [round(height, 2) for height in _apart([0.2, 0.95, 0.97], 0.1)]
    [0.2, 0.9, 1.0]
    """
    positions: list[float] = []
    for height in heights:
        positions.append(max(height, positions[-1] + step) if positions else max(height, step / 2))
    top = 1.0
    for index in reversed(range(len(positions))):
        positions[index] = min(positions[index], top)
        top = positions[index] - step
    return positions
