"""Chart of the months that were restated; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.marks import rows
from fleetkit.charts.drawing.style import canvas, clean, number, signed
from fleetkit.charts.drawing.styling import Colours
from fleetkit.kinds import RESTATEMENTS
from fleetkit.language import counted
from fleetkit.rounding import HOURS

__all__ = ["restatements"]


def restatements(
    restated: Any,
    ax: Axes | None = None,
    *,
    most: int = ROWS,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw by how many hours each month changed, and say why.

    Parameters
    ----------
    restated : frame
        As `metrics.restatements` returns it: ``month``, ``late_logs``, ``edits``, ``moved_in``,
        ``moved_out``, ``vanished``, ``hours`` [h].
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
    >>> one = {"month": ["2026-09"], "late_logs": [3], "edits": [1], "moved_in": [0]}
    >>> one |= {"moved_out": [0], "vanished": [1], "hours": [1.2]}
    >>> restatements(pd.DataFrame(one)).texts[0].get_text()
    '+1.2 · 3 late logs, 1 edit, 1 vanished'
    """
    counts = (kind.column for kind in RESTATEMENTS.values())
    frame = read(restated, "restatements", "month", numbers=(*counts, "hours"))
    with canvas(frame, ax, title=title, colours=colours) as page:
        if frame.empty:
            page.message("No month moved")
            return page.ax
        frame = page.first(frame, most, "month")
        rows(
            page,
            [clean(month) for month in frame["month"]],
            {"hours": frame["hours"].tolist()},
            [_note(row) for _, row in frame.iterrows()],
            unit="hours more or fewer than before",
        )
    return page.ax


def _note(row: pd.Series) -> str:
    hours = signed(row["hours"], number(row["hours"], HOURS))
    counts = [
        counted(row[kind.column], name, kind.plural)
        for name, kind in RESTATEMENTS.items()
        if row[kind.column]
    ]
    return f"{hours} · {', '.join(counts)}"
