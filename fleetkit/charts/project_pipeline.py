"""Chart of projects by stage; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.panels import draw_panels
from fleetkit.charts.drawing.style import COLUMN, clean
from fleetkit.charts.drawing.styling import Colours
from fleetkit.schema import PROJECT_STATUSES

__all__ = ["project_pipeline"]


def project_pipeline(
    pipeline: Any,
    ax: Axes | None = None,
    *,
    width: float = COLUMN,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw the count of projects per stage, and beside it the value in each currency.

    Parameters
    ----------
    pipeline : frame
        As `metrics.project_pipeline` returns it: ``status``, ``currency``, ``projects``,
        ``value``.
    ax : Axes, optional
        Where to draw; default: new Axes.
    width : float
        Width of new Axes; a narrow one has room for fewer currencies. [mm]
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
    >>> one = {"status": ["DRAFT"], "currency": ["EUR"], "projects": [2], "value": [9500.0]}
    >>> [panel.texts[0].get_text() for panel in project_pipeline(pd.DataFrame(one)).child_axes]
    ['2', '9,500']
    """
    frame = read(pipeline, "project_pipeline", "status", "currency", numbers=("projects", "value"))
    stages = [clean(status) for status in frame["status"]]
    order = [*PROJECT_STATUSES, *stages]
    return draw_panels(
        frame.assign(_row=stages),
        list(dict.fromkeys(order)),
        ax,
        width,
        title=title,
        colours=colours,
    )
