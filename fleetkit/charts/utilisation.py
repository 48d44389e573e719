"""Chart of hours per aircraft and day; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing import gaps, time_axis
from fleetkit.charts.drawing.bounds import SLOTS
from fleetkit.charts.drawing.fonts import BOLD
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.marks import value_axis
from fleetkit.charts.drawing.style import COLOURS, Canvas, canvas, number
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import say
from fleetkit.rounding import rate_decimals
from fleetkit.time import Period

__all__ = ["utilisation"]


def utilisation(
    utilisation: Any,
    ax: Axes | None = None,
    *,
    covered: Period | None = None,
    recorded: Period | None = None,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw the hours that an aircraft flies on an average day, month by month.

    Months that are null are gaps.

    Parameters
    ----------
    utilisation : frame
        As `metrics.utilisation` returns it: ``month``, ``hours_per_aircraft_day`` [h].
    ax : Axes, optional
        Where to draw; default: new Axes.
    covered : Period, optional
        What the data cover: of what lies outside, the gap says why it is one.
    recorded : Period, optional
        What the data cover without a filter; default: `covered`. A gap that is the filter's says
        so.
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> use = pd.DataFrame({"month": ["2026-09", "2026-10"], "hours_per_aircraft_day": [0.5, 0.75]})
    >>> utilisation(use).lines[0].get_ydata().tolist()
    [0.5, 0.75]
    """
    frame = read(utilisation, "utilisation", "month", numbers=["hours_per_aircraft_day"])
    with canvas(frame, ax, title=title, colours=colours, height=46) as page:
        if frame.empty:
            page.message("No aircraft in this period")
            return page.ax
        page.leave_out(len(frame) - SLOTS, "month", how="earlier")
        frame = frame[-SLOTS:]
        page.margins(left=12.5, right=12.5, top=8, bottom=8)
        values = frame["hours_per_aircraft_day"]
        positions = np.arange(len(frame))
        page.ax.plot(positions, values, color=COLOURS["accent"], linewidth=1.6, clip_on=False)
        _isolated_points(page, positions, values)
        page.ax.fill_between(positions, values, color=COLOURS["accent"], alpha=0.12, linewidth=0)
        page.ax.set_xlim(-0.3, max(len(frame) - 1, 1))
        page.ax.set_xticks(positions, time_axis.ticks(list(frame["month"]), "month", page.width))
        value_axis(page, 0.0, float(values.max()), unit="hours per aircraft and day")
        _last_point(page, positions, values)
        unknown = gaps.unknown(list(frame["month"]), "month", covered)
        gaps.explain(page, unknown, covered, recorded)
        if values.isna().all() and not all(unknown):
            gaps.write(page, unknown.index(False), unknown.count(False), say("not recorded"))
    return page.ax


def _isolated_points(page: Canvas, positions: Any, values: pd.Series) -> None:
    """Draw a dot for each month between two that are null: no line leads to it."""
    known = values.notna()
    isolated = known & ~known.shift(fill_value=False) & ~known.shift(-1, fill_value=False)
    isolated.iloc[-1] = False  # the last one has a dot of its own
    if isolated.any():
        page.ax.plot(
            positions[isolated],
            values[isolated],
            "o",
            color=COLOURS["accent"],
            ms=2.5,
            clip_on=False,
        )


def _last_point(page: Canvas, positions: Any, values: pd.Series) -> None:
    if pd.isna(values.iloc[-1]):
        return
    page.ax.plot(positions[-1:], values[-1:], "o", color=COLOURS["accent"], ms=4.5, clip_on=False)
    page.ax.annotate(
        number(values.iloc[-1], rate_decimals(values[-1:])),
        (positions[-1], values.iloc[-1]),
        xytext=(6, 0),
        textcoords="offset points",
        va="center_baseline",
        fontweight=BOLD,
        annotation_clip=False,
    )
