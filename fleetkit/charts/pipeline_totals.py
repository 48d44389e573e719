"""Chart of open projects, in groups; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.panels import draw_panels
from fleetkit.charts.drawing.style import clean
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import say

__all__ = ["pipeline_totals"]


def pipeline_totals(
    totals: Any, ax: Axes | None = None, *, title: str = "", colours: Colours = None
) -> Axes:
    """Draw what is open, in the backlog, to invoice and awaiting payment, per currency.

    Parameters
    ----------
    totals : frame
        As `metrics.pipeline_totals` returns it: ``group``, ``currency``, ``projects``, ``value``.
    ax : Axes, optional
        Where to draw; default: new Axes.
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes
        Its ``child_axes`` are the panels: the count, then one per currency that has a value.

    Examples
    --------
    >>> import pandas as pd
    >>> one = {"group": ["open"], "currency": ["EUR"], "projects": [2], "value": [1.25e6]}
    >>> [panel.texts[0].get_text() for panel in pipeline_totals(pd.DataFrame(one)).child_axes]
    ['2', '1,250,000']
    """
    frame = read(totals, "pipeline_totals", "group", "currency", numbers=("projects", "value"))
    groups = [say(clean(group)) for group in frame["group"]]
    return draw_panels(
        frame.assign(_row=groups), list(dict.fromkeys(groups)), ax, title=title, colours=colours
    )
