"""The marks that charts share: rows of bars, columns over time, dumbbells, and their labels.

Each takes numbers that are ready to be drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Affine2D

from fleetkit.charts.drawing.bounds import LINES
from fleetkit.charts.drawing.fonts import BOLD, SMALL, TEXT
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.style import COLOURS, MILLIMETRE, Canvas, number, short
from fleetkit.language import localized
from fleetkit.rounding import HOURS

__all__ = [
    "LEGEND_LINE",
    "columns",
    "dumbbells",
    "layout_rows",
    "legend",
    "legend_above",
    "legend_lines",
    "notes_after",
    "round_ticks",
    "rows",
    "value_axis",
    "value_ticks",
]

Style = Mapping[str, Any]
# Millimetres of a row: its bar, the least pitch, that on a narrow figure, and what each line of its
# label takes.
BAR, _PITCH, _NARROW_PITCH, _LINE = 3.4, 5.8, 4.6, 3.5
# Columns beyond which those of 0 have no label: they would hide the few that aren't.
MOST_ZEROS = 13
# Widest share of the figure that labels on the left may take, where notes leave it to them; the
# least that they have; and what stays for the marks between labels and notes.
_LABELS, _LEAST_LABELS, _MARKS = 0.42, 0.2, 0.2
# Widest share of the figure that a note beside a bar may take, one beside a label, and that on a
# narrow figure.
_NOTES, _LEFT_NOTES, _NARROW_NOTES = 0.5, 0.26, 0.36
# Millimetres of a line of the legend above a plot.
LEGEND_LINE = 4.0
# Width of a slot from which on columns stand apart, and from which on their parts have seams. [pt]
_APART, _SEAMS = 3.0, 6.0
# Width of a column. [slots]
_COLUMN = 0.72
# Widest name beside the last column. [pt]
_STACK_NAME = 115.0
# Marks differ in shape, not in colour alone.
HOLLOW: Style = {"marker": "o", "mfc": COLOURS["paper"], "mec": COLOURS["muted"], "ms": 5.0}
FILLED: Style = {"marker": "o", "mfc": COLOURS["accent"], "mec": COLOURS["accent"], "ms": 5.5}
CROSS: Style = {
    "marker": "X",
    "mfc": COLOURS["red"],
    "mec": COLOURS["paper"],
    "mew": 0.4,
    "ms": 7.5,
}


def layout_rows(
    page: Canvas,
    labels: Sequence[str],
    notes: Sequence[str] = (),
    *,
    top: float = 6.5,
    bottom: float = 1.5,
    right: float = 1.0,
    between: float = 0.0,
) -> list[float]:
    """Place one row per label from the top down, and fit our own figure to them.

    Labels take two lines at most, and leave room for the notes beside the marks.

    Parameters
    ----------
    page : Canvas
        Where to draw.
    labels, notes : sequence of str
        On the left of each row, and somewhere beside its marks.
    top, bottom, right : float
        Room around the plot. [mm]
    between : float
        Room between the labels and the plot. [pt]

    Returns
    -------
    list of float
        Centre of each row in the y data of the Axes, which are millimetres from the top.
    """
    room = page.figure_width
    beside = max((text_width(note) + 8 for note in notes), default=0.0)
    widest = min(_LABELS * room, max(_LEAST_LABELS * room, (1 - _MARKS) * room - beside))
    pitch, lines = (_NARROW_PITCH, 1) if page.is_narrow else (_PITCH, LINES)
    wrapped = [page.fit(label, widest, lines=lines) for label in labels]
    heights = [max(pitch, _LINE * (1 + text.count("\n")) + 1.3) for text in wrapped]
    ends = list(accumulate(heights))
    centres = [end - height / 2 for end, height in zip(ends, heights, strict=True)]
    page.size(ends[-1] + top + bottom)
    left = (max(text_width(text) for text in wrapped) + between) / MILLIMETRE + 3.0
    page.margins(left=left, right=right, top=top, bottom=bottom)
    page.bare()
    page.ax.set_ylim(ends[-1], 0)
    page.ax.set_yticks(centres, wrapped, fontsize=TEXT, color=COLOURS["ink"])
    page.ax.tick_params(axis="y", pad=between + 3.5)
    return centres


def rows(
    page: Canvas,
    labels: Sequence[str],
    stacks: Mapping[str, Sequence[float]],
    styles: Mapping[str, Style],
    notes: Sequence[str],
    *,
    unit: str,
    named: bool = False,
    colours: Sequence[str] | None = None,
    titles: Mapping[str, Sequence[str]] | None = None,
    keys: Sequence[str] = (),
) -> None:
    """Draw horizontal bars from the top down, with a note at the end of each.

    Parameters
    ----------
    page : Canvas
        Where to draw.
    labels, notes : sequence of str
        On the left of each bar, and at its end.
    stacks : mapping
        Name of each part of the bars → its values; one part for plain bars.
    styles : mapping
        Name of each part → its colour and hatch.
    unit : str
        Above the plot.
    named : bool
        Name the parts above the plot.
    colours : sequence of str, optional
        Colour of each bar, for plain bars.
    titles : mapping, optional
        Name of each part → what a pointer shows on each bar; empty for nothing.
    keys : sequence of str
        What each bar is of, where there are titles.
    """
    notes = [page.fit(note, _NOTES * page.figure_width) for note in notes]
    lines = legend_lines(page, stacks) if named else []
    centres = layout_rows(page, labels, notes, top=6.5 + (LEGEND_LINE * len(lines) + 1) * named)
    over, under = np.zeros(len(labels)), np.zeros(len(labels))
    for name, values in stacks.items():
        lengths = np.nan_to_num(np.asarray(values, dtype=float))
        starts = np.where(lengths >= 0, over, under)
        bars = page.ax.barh(centres, lengths, height=BAR, left=starts, label=name, **styles[name])
        over, under = over + lengths.clip(min=0), under + lengths.clip(max=0)
        for bar, colour in zip(bars, colours or (), strict=False):
            bar.set_facecolor(colour)
        if titles is not None:
            page.entitle(bars, titles[name], [(key, name) for key in keys])
    notes_after(page, centres, under, over, notes)
    page.unit(unit, axis="x")
    legend_above(page, lines, styles)


def notes_after(
    page: Canvas, centres: Sequence[float], under: Any, over: Any, notes: Sequence[str]
) -> None:
    """Write a note on the right of each bar, and widen the x axis so that it stays inside."""
    notes = [page.fit(note, max(0.9 * page.width - 8, 10)) for note in notes]
    low, high = min(0.0, *map(float, under)), max(0.0, *map(float, over))
    high = high if low < high else 1.0
    right = max(text_width(note) for note in notes) + 8
    per_point = (high - low) / max(page.width - right, 0.1 * page.width)
    page.ax.set_xlim(low, high + right * per_point)
    page.ax.axvline(0, color=COLOURS["muted"], linewidth=0.6)
    for centre, end, note in zip(centres, over, notes, strict=True):
        page.ax.annotate(
            note,
            (end, centre),
            xytext=(4, 0),
            textcoords="offset points",
            va="center_baseline",
            annotation_clip=False,
        )


def dumbbells(
    page: Canvas,
    labels: Sequence[str],
    starts: Sequence[float],
    ends: Sequence[float],
    *,
    styles: Sequence[Style],
    notes: Sequence[str],
    top: float = 9.0,
    bottom: float = 8.5,
) -> None:
    """Join two values of each row by a line: a hollow dot, and a mark in the style of the row.

    A value that is NaN has no mark. The notes stand in a column beside the labels, where a narrow
    screen shows them first.
    """
    share = _NARROW_NOTES if page.is_narrow else _LEFT_NOTES
    notes = [page.fit(note, share * page.figure_width) for note in notes]
    between = max(text_width(note) for note in notes) + 10
    centres = layout_rows(page, labels, notes, top=top, bottom=bottom, right=5, between=between)
    known = [value for value in [*starts, *ends] if not np.isnan(value)] or [0.0]
    low, high = min(known), max(known)
    margin = 6 * ((high - low) or 1.0) / page.width
    page.ax.set_xlim(low - margin, high + margin)
    for centre, start, end, style, note in zip(centres, starts, ends, styles, notes, strict=True):
        page.ax.plot([start, end], [centre] * 2, color=COLOURS["quiet"], linewidth=1.6, zorder=2)
        page.ax.plot([start], [centre], linestyle="", zorder=3, **HOLLOW)
        page.ax.plot([end], [centre], linestyle="", zorder=4, **style)
        page.ax.annotate(
            note,
            (0, centre),
            xycoords=("axes fraction", "data"),
            xytext=(1 - between, 0),
            textcoords="offset points",
            va="center_baseline",
            color=COLOURS["muted"],
            annotation_clip=False,
        )


def legend_above(
    page: Canvas,
    lines: Sequence[Mapping[str, str]],
    styles: Mapping[str, Style],
    *,
    height: float = 20.0,
) -> None:
    """Write the lines of a legend above the unit, as `legend_lines` returns them."""
    for index, line in enumerate(reversed(lines)):
        shown = {name: styles[whole] for whole, name in line.items()}
        legend(page, shown, height=height + index * LEGEND_LINE * MILLIMETRE)


def legend_lines(page: Canvas, names: Iterable[str], share: float = 0.5) -> list[dict[str, str]]:
    """Return the lines of a legend, a share of the figure wide: name → the name as it is shown."""
    room = share * page.figure_width
    lines: list[dict[str, str]] = [{}]
    x = 0.0
    for name in names:
        shown = page.fit(name, room - 21, SMALL)
        width = 21 + text_width(shown, SMALL)
        if lines[-1] and x + width > room:
            lines.append({})
            x = 0.0
        lines[-1][name] = shown
        x += width
    return lines


def legend(page: Canvas, styles: Mapping[str, Style], *, height: float = 20.0) -> None:
    """Name what the colours or marks mean, in a line above the plot.

    Parameters
    ----------
    page : Canvas
        Where to draw.
    styles : mapping
        Name → the style of a bar, or of a mark.
    height : float
        Distance from the plot. [pt]
    """
    width = sum(21 + text_width(name, SMALL) for name in styles) - 12
    # Beside long labels it starts further left, so that it ends inside.
    x = min(0.0, page.width - width)
    for name, style in styles.items():
        swatch(page, style, page.from_corner(0, 1, x, height))
        page.ax.text(
            x + 9,
            height,
            name,
            transform=page.from_corner(0, 1),
            va="center_baseline",
            fontsize=SMALL,
            color=COLOURS["muted"],
        )
        x += 9 + text_width(name, SMALL) + 12


def swatch(page: Canvas, style: Style, transform: Any) -> None:
    """Draw a small square, or a mark, at a place given in points."""
    artist: Any
    if "marker" in style:
        artist = Line2D([3], [0], linestyle="", transform=transform, **style)
    else:
        artist = Rectangle((0, -3), 6, 6, transform=transform, **style)
    artist.set_clip_on(False)
    page.ax.add_artist(artist)


def value_axis(page: Canvas, low: float, high: float, *, unit: str) -> None:
    """Set the vertical axis: hairlines at a few round values, the unit above them."""
    ax = page.ax
    high = high if low < high else low + 1.0
    ax.set_ylim(low * 1.12, high * 1.12)
    round_ticks(ax)
    page.hairlines("y")
    ax.tick_params(length=0, bottom=False, left=False)
    # The first time of a dense axis stands below the axis's zero, and must not touch it.
    ax.tick_params(axis="x", pad=4.8)
    ax.spines[:].set_visible(False)
    if page.own:
        # No label stands there, whose place matplotlib would look for below all ticks.
        ax.xaxis.set_label_coords(0, 0)
    ax.axhline(0, color=COLOURS["muted"], linewidth=0.6)
    page.unit(unit, axis="y")


def round_ticks(ax: Axes) -> None:
    """Name a few round values of the vertical axis as it is."""
    low, high = ax.get_ylim()
    candidates = MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    ticks = [value for value in candidates if low <= value <= high]
    ax.set_yticks(ticks, [_tick(value) for value in ticks])


def value_ticks(page: Canvas, values: Sequence[float]) -> None:
    """Set vertical hairlines at a few round values among `values`, named below the plot."""
    known = [value for value in values if not np.isnan(value)] or [0.0]
    least, most = min(known), max(known)
    candidates = MaxNLocator(nbins=4, steps=[1, 2, 5, 10]).tick_values(least, most)
    low = page.ax.get_xlim()[0]
    ticks = [value for value in candidates if low <= value <= most] if least < most else [least]
    page.ax.set_xticks(ticks, [_tick(value) for value in ticks])
    page.hairlines("x")


def _tick(value: float) -> str:
    return localized(f"{value:,.6g}").replace("-", "−") if abs(value) < 1e6 else short(value)


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
        Name of each part → what a pointer shows on each bar; empty for nothing.
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
            page.ax.stairs(starts + heights, edges, baseline=starts, fill=True, label=name, **style)
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
    value_axis(page, float(under.min()), float(over.max()), unit=unit)
    if labelled:
        _totals(page, over, under, blank or [False] * len(ticks), decimals)
    if named:
        _name_stacks(page, len(ticks) - 1, stacks, styles)


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


def _totals(page: Canvas, over: Any, under: Any, blank: Sequence[bool], decimals: int) -> None:
    totals = over + under
    for index, (high, total) in enumerate(zip(over, totals, strict=True)):
        last = index == len(totals) - 1
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
