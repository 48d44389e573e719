"""Chart of late projects; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.marks import rows
from fleetkit.charts.drawing.style import canvas, clean, number
from fleetkit.charts.drawing.styling import Colours

__all__ = ["late_projects"]


def late_projects(
    late: Any, ax: Axes | None = None, *, most: int = ROWS, title: str = "", colours: Colours = None
) -> Axes:
    """Draw by how many days each late project is late, in the frame's order.

    Parameters
    ----------
    late : frame
        As `metrics.late_projects` returns it: ``title``, ``client_account_name``, ``status``,
        ``days_late`` [d].
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
    >>> import pandas as pd
    >>> one = {"title": ["Roof"], "client_account_name": ["Ørsted"], "status": ["SCHEDULED"]}
    >>> late_projects(pd.DataFrame({**one, "days_late": [12]})).texts[0].get_text()
    '12 · SCHEDULED'
    """
    needed = ("title", "client_account_name", "status")
    frame = read(late, "late_projects", *needed, numbers=["days_late"])
    with canvas(frame, ax, title=title, colours=colours) as page:
        if frame.empty:
            page.message("No late projects")
            return page.ax
        frame = page.first(frame, most, "project")
        names = zip(frame["title"], frame["client_account_name"], strict=True)
        pairs = zip(frame["days_late"], frame["status"], strict=True)
        rows(
            page,
            [f"{clean(title)} · {clean(client, null='no client')}" for title, client in names],
            {"days": frame["days_late"].tolist()},
            [f"{number(days)} · {clean(status)}" for days, status in pairs],
            unit="days late",
        )
    return page.ax
