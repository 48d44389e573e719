"""The marks that charts share: rows of bars, dumbbells, their labels, and axes of values.

Each takes numbers that are ready to be drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from fleetkit.charts.drawing.bounds import LINES
from fleetkit.charts.drawing.fonts import SMALL, TEXT
from fleetkit.charts.drawing.legends import LEGEND_LINE, Style, legend, legend_above, legend_lines
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.style import COLOURS, MILLIMETRE, Canvas, series_styles, short
from fleetkit.language import localized

__all__ = [
    "BAR",
    "CROSS",
    "FILLED",
    "HOLLOW",
    "dumbbell_note_room",
    "dumbbells",
    "label_room",
    "layout_rows",
    "note_room",
    "notes_after",
    "round_ticks",
    "rows",
    "value_axis",
    "value_dumbbells",
]

# Millimetres of a row: its bar, the least pitch, that on a narrow figure, and what each line of its
# label takes.
BAR, _PITCH, _NARROW_PITCH, _LINE = 3.4, 5.8, 4.6, 3.5
# Widest share of the figure that labels on the left may take, where notes leave it to them; the
# least that they have; and what stays for the marks between labels and notes.
_LABELS, _LEAST_LABELS, _MARKS = 0.42, 0.2, 0.2
# Widest share of the figure that a note beside a bar may take, one beside a label, and that on a
# narrow figure.
_NOTES, _LEFT_NOTES, _NARROW_NOTES = 0.5, 0.26, 0.36
# Share of a plot's width that a note after a bar leaves to it, and room around the note. [pt]
_LEAST_BAR, _AROUND = 0.1, 8.0
# Room beside the names of rows, and on the right of the plot. [mm]
_BESIDE, _RIGHT = 3.0, 1.0
# Room between the names of an axis's values and the axis, and between two of them. [pt]
_BEFORE_AXIS, _BETWEEN = 5.0, 4.0
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
    right: float = _RIGHT,
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
    left = (max(text_width(text) for text in wrapped) + between) / MILLIMETRE + _BESIDE
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
    notes: Sequence[str],
    *,
    unit: str,
    styles: Mapping[str, Style] | None = None,
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
    unit : str
        Above the plot.
    styles : mapping, optional
        Name of each part → its colour and hatch; default: those of `series_styles`.
    named : bool
        Name the parts above the plot.
    colours : sequence of str, optional
        Colour of each bar, for plain bars.
    titles : mapping, optional
        Name of each part → what a pointer shows on each bar; empty for nothing.
    keys : sequence of str
        What each bar is of, where there are titles.
    """
    styles = styles or series_styles([*stacks])
    notes = [page.fit_note(note, _NOTES * page.figure_width) for note in notes]
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


def label_room(page: Canvas, width: float) -> float:
    """Return the most that `layout_rows` takes beside the plot for labels of some width [pt]."""
    return min(width, _LABELS * page.figure_width) + (_BESIDE + _RIGHT) * MILLIMETRE


def note_room(width: float) -> float:
    """Return the least width of a plot in which `notes_after` cuts no note of some width [pt]."""
    return (width + _AROUND) / (1 - _LEAST_BAR)


def notes_after(
    page: Canvas, centres: Sequence[float], under: Any, over: Any, notes: Sequence[str]
) -> None:
    """Write a note on the right of each bar, and widen the x axis so that it stays inside."""
    room = (1 - _LEAST_BAR) * page.width - _AROUND
    notes = [page.fit_note(note, max(room, 10)) for note in notes]
    low, high = min(0.0, *map(float, under)), max(0.0, *map(float, over))
    high = high if low < high else 1.0
    right = max(text_width(note) for note in notes) + _AROUND
    per_point = (high - low) / max(page.width - right, _LEAST_BAR * page.width)
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
    notes = [page.fit_note(note, dumbbell_note_room(page)) for note in notes]
    between = max(text_width(note) for note in notes) + 10
    centres = layout_rows(page, labels, notes, top=top, bottom=bottom, right=5, between=between)
    known = [value for value in [*starts, *ends] if not np.isnan(value)] or [0.0]
    low, high = min(known), max(known)
    margin = 6 * ((high - low) or max(abs(high), 1.0)) / page.width
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


def value_dumbbells(
    page: Canvas,
    labels: Sequence[str],
    starts: Sequence[float],
    ends: Sequence[float],
    *,
    notes: Sequence[str],
    marks: tuple[str, str],
) -> None:
    """Draw dumbbells over an axis of values, and name above them what both marks are."""
    dumbbells(page, labels, starts, ends, styles=[FILLED] * len(ends), notes=notes, bottom=5.0)
    _value_ticks(page, [*starts, *ends])
    legend(page, [*zip(marks, (HOLLOW, FILLED), strict=True)], height=10)


def dumbbell_note_room(page: Canvas) -> float:
    """Return the widest note that `dumbbells` doesn't cut [pt]."""
    return (_NARROW_NOTES if page.is_narrow else _LEFT_NOTES) * page.figure_width


def value_axis(page: Canvas, low: float, high: float, *, unit: str) -> None:
    """Set the vertical axis: hairlines at a few round values, the unit above them."""
    ax = page.ax
    high = high if low < high else low + 1.0
    ax.set_ylim(low * 1.12, high * 1.12)
    round_ticks(ax)
    _make_room(page)
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


def _make_room(page: Canvas) -> None:
    """Widen the left margin of our own figure to what the names of the values take beside it."""
    names = [label.get_text() for label in page.ax.get_yticklabels()]
    left = (max(text_width(name, SMALL) for name in names) + _BEFORE_AXIS) / page.figure_width
    if page.own and left > page.figure.subplotpars.left:
        page.figure.subplots_adjust(left=left)


def _value_ticks(page: Canvas, values: Sequence[float]) -> None:
    """Set vertical hairlines at a few round values among `values`, named below the plot.

    They are fewer where their names would touch.
    """
    known = [value for value in values if not np.isnan(value)] or [0.0]
    least, most = min(known), max(known)
    candidates = MaxNLocator(nbins=4, steps=[1, 2, 5, 10]).tick_values(least, most)
    low = page.ax.get_xlim()[0]
    ticks = [value for value in candidates if low <= value <= most] if least < most else [least]
    named = {_tick(value): value for value in ticks}  # one of those that are called alike in short
    names = [*named]
    choices = (names, [*names[:1], *names[-1:]], names[-1:])
    shown = next((part for part in choices if _are_apart(page, part, named)), names[-1:])
    page.ax.set_xticks([named[name] for name in shown], shown)
    page.hairlines("x")


def _are_apart(page: Canvas, names: Sequence[str], places: Mapping[str, float]) -> bool:
    """Whether names that stand below their places on the horizontal axis don't touch."""
    per_point = np.ptp(page.ax.get_xlim()) / page.width
    return all(
        places[name] - places[before]
        >= per_point * (_BETWEEN + (text_width(before, SMALL) + text_width(name, SMALL)) / 2)
        for before, name in pairwise(names)
    )


def _tick(value: float) -> str:
    return localized(f"{value:,.6g}").replace("-", "−") if abs(value) < 1e6 else short(value)
