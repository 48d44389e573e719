"""Chart of the time that projects stay in a stage; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.marks import rows
from fleetkit.charts.drawing.style import canvas, clean, number, status_colours
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import counted, say

__all__ = ["time_in_stage"]


def time_in_stage(
    stages: Any,
    ax: Axes | None = None,
    *,
    most: int = ROWS,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw the median of the whole stays in each stage, and say how long others have stood.

    Parameters
    ----------
    stages : frame
        As `metrics.time_in_stage` returns it: ``status``, ``stays``, ``median_days`` [d],
        ``p90_days`` [d], ``standing``, ``longest_standing_days`` [d], ``entry_unseen``.
    ax : Axes, optional
        Where to draw; default: new Axes.
    most : int
        Rows that are drawn; the others are counted.
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> one = {"status": ["DRAFT"], "stays": [4], "median_days": [3.0], "p90_days": [8.5]}
    >>> one |= {"standing": [2], "longest_standing_days": [20.0], "entry_unseen": [1]}
    >>> time_in_stage(pd.DataFrame(one)).texts[0].get_text()
    '3.0 (p90 8.5, 4 stays) · 2 standing, longest ≥ 20.0'
    """
    days = ("median_days", "p90_days", "longest_standing_days")
    counts = ("stays", "standing", "entry_unseen")
    frame = read(stages, "time_in_stage", "status", numbers=(*days, *counts))
    with canvas(frame, ax, title=title, colours=colours) as page:
        if frame.empty:
            page.message("No projects")
            return page.ax
        frame = page.first(frame, most, "stage")
        names = [clean(status) for status in frame["status"]]
        rows(
            page,
            names,
            {"days": frame["median_days"].tolist()},
            [f"{_stays(row)} · {_current_count(row)}" for _, row in frame.iterrows()],
            unit="median of whole stays, days",
            colours=status_colours(names),
        )
    return page.ax


def _stays(row: pd.Series) -> str:
    if not row["stays"]:
        return say("no whole stay")
    count = counted(row["stays"], "stay")
    return f"{number(row['median_days'], 1)} (p90 {number(row['p90_days'], 1)}, {count})"


def _current_count(row: pd.Series) -> str:
    if not row["standing"]:
        return say("none standing")
    least = "≥ " if row["entry_unseen"] else ""
    longest = f"{least}{number(row['longest_standing_days'], 1)}"
    count = number(row["standing"])
    return say("{count} standing, longest {longest}", count=count, longest=longest)
