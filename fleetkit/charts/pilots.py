"""Chart of the hours of each pilot; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from itertools import compress
from typing import Any

from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.names import pilot_names
from fleetkit.charts.drawing.ranking import draw_ranking
from fleetkit.charts.drawing.style import HALF, canvas
from fleetkit.charts.drawing.styling import Colours
from fleetkit.unassigned import UNASSIGNED

__all__ = ["pilots"]


def pilots(
    pilots: Any,
    ax: Axes | None = None,
    *,
    most: int = ROWS,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw the hours of each pilot as rows, in the frame's order; "Unassigned" in grey, always.

    Parameters
    ----------
    pilots : frame
        As `metrics.pilots` returns it: ``pilot_id``, ``pilot_name``, ``flights``, ``hours`` [h].
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
    >>> import pandas as pd
    >>> hours = {"pilot_id": ["prof_1"], "pilot_name": ["Ana Ruiz"], "flights": [9], "hours": [4.0]}
    >>> [label.get_text() for label in pilots(pd.DataFrame(hours)).get_yticklabels()]
    ['Ana Ruiz']
    """
    frame = read(pilots, "pilots", "pilot_id", "pilot_name", numbers=("flights", "hours"))
    with canvas(frame, ax, title=title, colours=colours, width=HALF) as page:
        unassigned = frame["pilot_id"].isna() | (frame["pilot_id"] == UNASSIGNED)
        assigned = page.first(frame[~unassigned], most, "pilot")
        is_drawn = unassigned | frame.index.isin(assigned.index)
        draw_ranking(page, frame[is_drawn], [*compress(pilot_names(frame), is_drawn)])
    return page.ax
