"""Chart of the hours of each aircraft; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.names import equipment_names
from fleetkit.charts.drawing.ranking import draw_ranking
from fleetkit.charts.drawing.style import HALF, canvas
from fleetkit.charts.drawing.styling import Colours

__all__ = ["aircraft_hours"]


def aircraft_hours(
    hours: Any,
    ax: Axes | None = None,
    *,
    most: int = ROWS,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw the hours of each aircraft as rows, in the frame's order.

    Parameters
    ----------
    hours : frame
        As `metrics.aircraft_hours` returns it: ``name``, ``flights``, ``hours`` [h].
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
    >>> hours = pd.DataFrame({"name": ["Heron 1"], "flights": [1], "hours": [0.5]})
    >>> [text.get_text() for text in aircraft_hours(hours).texts]
    ['0.5 · 1 flight']
    """
    frame = read(hours, "aircraft_hours", "name", numbers=("flights", "hours"))
    with canvas(frame, ax, title=title, colours=colours, width=HALF) as page:
        named = frame.assign(name=equipment_names(frame))
        frame = page.first(named, most, "aircraft", "aircraft")
        draw_ranking(page, frame, frame["name"].tolist())
    return page.ax
