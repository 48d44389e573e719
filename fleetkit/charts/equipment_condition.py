"""Charts of the equipment condition chapter; each draws what its namesake in `metrics` returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyBboxPatch

from fleetkit.charts.bounds import CONDITIONS, LINES, ROWS, STATUSES
from fleetkit.charts.fonts import BOLD, LEAST, SMALL
from fleetkit.charts.lines import text_width
from fleetkit.charts.marks import FILLED, HOLLOW, dumbbells, legend, rows, value_ticks
from fleetkit.charts.style import (
    COLOURS,
    HALF,
    MILLIMETRE,
    Canvas,
    canvas,
    clean,
    number,
    read,
    series_styles,
)

__all__ = ["equipment_condition", "idle", "reconciliation", "registrations"]

_NOTHING = "No equipment"
# Widest share of the figure that the names of statuses take, and lines of a condition's name.
_NAMES, _HEAD_LINES = 0.3, 3


def equipment_condition(matrix: Any, ax: Axes | None = None) -> Axes:
    """Draw status × condition as tiles that carry their count; the fuller, the darker.

    Parameters
    ----------
    matrix : frame
        As `metrics.equipment_condition` returns it, in the order of the tiles: ``status``,
        ``condition``, ``equipment``.
    ax : Axes, optional
        Where to draw; default: new Axes.

    Returns
    -------
    Axes

    Examples
    --------
    >>> matrix = {"status": ["ACTIVE"], "condition": ["GOOD"], "equipment": [12]}
    >>> [text.get_text() for text in equipment_condition(pd.DataFrame(matrix)).texts]
    ['12']
    """
    frame = read(matrix, "equipment_condition", "status", "condition", "equipment")
    with canvas(frame, ax) as page:
        if frame.empty:
            page.message(_NOTHING)
            return page.ax
        counts: Counter[tuple[str, str]] = Counter()
        for status, condition, count in zip(
            frame["status"], frame["condition"], frame["equipment"], strict=True
        ):
            counts[clean(status), clean(condition)] += int(count)
        statuses, conditions = _ordered(frame["status"]), _ordered(frame["condition"])
        page.leave_out(len(statuses) - STATUSES, "status", "statuses")
        page.leave_out(len(conditions) - CONDITIONS, "condition")
        _tiles(
            page,
            _fullest(statuses, STATUSES, counts, side=0),
            _fullest(conditions, CONDITIONS, counts, side=1),
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
    present = list(dict.fromkeys(clean(value) for value in values))
    if isinstance(values.dtype, pd.CategoricalDtype):
        kinds = [clean(kind) for kind in values.cat.categories]
        return [kind for kind in kinds if kind in present] + [
            name for name in present if name not in kinds
        ]
    return present


def _tiles(
    page: Canvas,
    statuses: Sequence[str],
    conditions: Sequence[str],
    counts: Counter[tuple[str, str]],
) -> None:
    page.bare()
    names = [page.fit(name, _NAMES * page.figure_width, lines=LINES) for name in statuses]
    left = max(text_width(name) for name in names) / MILLIMETRE + 3
    page.margins(left=left, right=1, top=9, bottom=1)
    heads, size = _heads(page, conditions, page.width / len(conditions) - 2)
    top = 4.5 + 3.2 * max(1 + head.count("\n") for head in heads)
    page.size(8.4 * len(statuses) + top + 1)
    page.margins(left=left, right=1, top=top, bottom=1)
    page.ax.set(xlim=(0, len(conditions)), ylim=(len(statuses), 0))
    page.ax.xaxis.tick_top()
    page.ax.tick_params(length=0)
    page.ax.set_xticks(np.arange(len(conditions)) + 0.5, heads, fontsize=size)
    page.ax.set_yticks(np.arange(len(statuses)) + 0.5, names, color=COLOURS["ink"])
    most = max([*counts.values(), 1])
    for y, status in enumerate(statuses):
        for x, condition in enumerate(conditions):
            _tile(page, x, y, counts[status, condition], most)


def _heads(page: Canvas, names: Sequence[str], width: float) -> tuple[list[str], float]:
    """Set the names in a width [pt], in a size in which their longest word fits if it can."""
    longest = max(text_width(word, SMALL) for name in names for word in name.split())
    size = max(SMALL * min(1.0, width / longest), LEAST)
    return [page.fit(name, width, size, lines=_HEAD_LINES) for name in names], size


def _tile(page: Canvas, x: int, y: int, count: int, most: int) -> None:
    colour, shade = ("accent", 0.14 + 0.42 * count / most) if count else ("line", 0.35)
    page.ax.add_patch(
        FancyBboxPatch(
            (x + 0.03, y + 0.06),
            0.94,
            0.88,
            boxstyle="round,pad=0,rounding_size=0.05",
            mutation_aspect=page.width / page.height,
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


def registrations(registrations: Any, ax: Axes | None = None) -> Axes:
    """Draw how many registrations are expired, expire soon, later, or are missing.

    Parameters
    ----------
    registrations : frame
        As `metrics.registrations` returns it: one row per piece of equipment, with the ordered
        categories of ``band``.
    ax : Axes, optional
        Where to draw; default: new Axes, half a column wide.

    Returns
    -------
    Axes

    Examples
    --------
    >>> bands = pd.Categorical(["later", "expired", "later"], ["expired", "later", "missing"])
    >>> [text.get_text() for text in registrations(pd.DataFrame({"band": bands})).texts]
    ['1', '2', '0']
    """
    frame = read(registrations, "registrations", "band")
    with canvas(frame, ax, width=HALF) as page:
        if frame.empty:
            page.message(_NOTHING)
            return page.ax
        counts = frame["band"].value_counts(sort=False, dropna=False)
        page.leave_out(len(counts) - ROWS, "band")
        counts = counts.iloc[:ROWS]
        names = [clean(band) for band in counts.index]
        rows(
            page,
            [_BANDS.get(name, name) for name in names],
            {"equipment": counts.tolist()},
            series_styles(["equipment"]),
            [number(count) for count in counts],
            unit="pieces of equipment",
            colours=[COLOURS[_BAND_COLOURS.get(name, "accent")] for name in names],
        )
    return page.ax


_BANDS = {
    "≤ 30 days": "expires within 30 days",
    "≤ 60 days": "within 60 days",
    "≤ 90 days": "within 90 days",
    "missing": "no expiry date",
}
_BAND_COLOURS = {"expired": "red", "≤ 30 days": "amber", "missing": "quiet"}


def reconciliation(reconciliation: Any, ax: Axes | None = None, *, most: int = ROWS) -> Axes:
    """Draw each equipment's own hour counter beside the hours in its flight logs.

    Parameters
    ----------
    reconciliation : frame
        As `metrics.reconciliation` returns it: ``name``, ``counter_hours``, ``logged_hours``,
        ``hours_difference`` [h], ``verdict``.
    ax : Axes, optional
        Where to draw; default: new Axes.
    most : int
        Rows that are drawn; the others are counted.

    Returns
    -------
    Axes

    Examples
    --------
    >>> checked = {"name": ["Heron 1"], "counter_hours": [12.0], "logged_hours": [10.0]}
    >>> frame = pd.DataFrame({**checked, "hours_difference": 2.0, "verdict": "counter higher"})
    >>> reconciliation(frame).texts[0].get_text()
    '2.0 h · counter higher'
    """
    needed = ("name", "counter_hours", "logged_hours", "hours_difference", "verdict")
    frame = read(reconciliation, "reconciliation", *needed)
    with canvas(frame, ax) as page:
        if frame.empty:
            page.message("No counters to compare with the logs")
            return page.ax
        frame = page.first(frame, most, "piece of equipment", "pieces of equipment")
        counter, logged = (
            pd.to_numeric(frame[name]).astype(float).tolist()
            for name in ("counter_hours", "logged_hours")
        )
        notes = [
            clean(verdict) if pd.isna(gap) else f"{number(abs(gap), 1)} h · {clean(verdict)}"
            for gap, verdict in zip(frame["hours_difference"], frame["verdict"], strict=True)
        ]
        names, styles = [clean(name) for name in frame["name"]], [FILLED] * len(frame)
        dumbbells(page, names, counter, logged, styles=styles, notes=notes, bottom=5.0)
        value_ticks(page, [*counter, *logged])
        legend(page, {"hours on the counter": HOLLOW, "hours in the logs": FILLED}, height=10)
    return page.ax


def idle(idle: Any, ax: Axes | None = None, *, most: int = ROWS) -> Axes:
    """Draw the days since each piece of equipment last flew, in the frame's order.

    Parameters
    ----------
    idle : frame
        As `metrics.idle` returns it: ``name``, ``idle_days`` [d], null where it never flew.
    ax : Axes, optional
        Where to draw; default: new Axes, half a column wide.
    most : int
        Rows that are drawn; the others are counted.

    Returns
    -------
    Axes

    Examples
    --------
    >>> rested = pd.DataFrame({"name": ["Heron 1", "Heron 2"], "idle_days": [41, None]})
    >>> [text.get_text() for text in idle(rested).texts]
    ['41', 'never flew']
    """
    frame = read(idle, "idle", "name", "idle_days")
    with canvas(frame, ax, width=HALF) as page:
        if frame.empty:
            page.message("No idle equipment")
            return page.ax
        frame = page.first(frame, most, "piece of equipment", "pieces of equipment")
        days = pd.to_numeric(frame["idle_days"]).astype("float64")
        rows(
            page,
            [clean(name) for name in frame["name"]],
            {"days": days.tolist()},
            series_styles(["days"]),
            ["never flew" if pd.isna(count) else number(count) for count in days],
            unit="days since the last flight",
        )
    return page.ax
