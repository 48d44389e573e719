"""Chart of idle equipment; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.marks import rows
from fleetkit.charts.drawing.names import equipment_names
from fleetkit.charts.drawing.style import HALF, canvas, number
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import say

__all__ = ["idle"]


def idle(
    idle: Any, ax: Axes | None = None, *, most: int = ROWS, title: str = "", colours: Colours = None
) -> Axes:
    """Draw the days since each piece of equipment last flew, in the frame's order.

    Parameters
    ----------
    idle : frame
        As `metrics.idle` returns it: ``name``, ``idle_days`` [d]; null where it never flew or,
        where ``flights`` are above 0, on no known day.
    ax : Axes, optional
        Where to draw; default: new Axes, half a column wide.
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
    >>> rested = pd.DataFrame({"name": ["Heron 1", "Heron 2"], "idle_days": [41, None]})
    >>> [text.get_text() for text in idle(rested).texts]
    ['41', 'never flew']
    """
    frame = read(idle, "idle", "name", numbers=["idle_days"])
    with canvas(frame, ax, title=title, colours=colours, width=HALF) as page:
        if frame.empty:
            page.message("No idle equipment")
            return page.ax
        named = frame.assign(name=equipment_names(frame))
        frame = page.first(named, most, "piece of equipment", "pieces of equipment")
        days = frame["idle_days"]
        flights = frame["flights"] if "flights" in frame else pd.Series(0, frame.index)
        has_flown = pd.to_numeric(flights).fillna(0) > 0
        rows(
            page,
            frame["name"].tolist(),
            {"days": days.tolist()},
            [_label(*piece) for piece in zip(days, has_flown, strict=True)],
            unit="days since the last flight",
        )
    return page.ax


def _label(days: float, has_flown: Any) -> str:
    if not pd.isna(days):
        return number(days)
    return say("not known") if has_flown else say("never flew")
