"""Chart of night and BVLOS flying; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.marks import BAR, layout_rows, notes_after
from fleetkit.charts.drawing.ranking import NOTHING
from fleetkit.charts.drawing.style import COLOURS, HALF, canvas, clean, number
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import say
from fleetkit.rounding import HOURS, per_cent

__all__ = ["night_and_bvlos"]


def night_and_bvlos(
    shares: Any, ax: Axes | None = None, *, title: str = "", colours: Colours = None
) -> Axes:
    """Draw the shares of night and BVLOS flying, by flights and by hours, with their coverage.

    Parameters
    ----------
    shares : frame
        As `metrics.night_and_bvlos` returns it: ``flag``, ``flights``, ``known_flights``,
        ``flights_share``, ``known_hours``, ``hours_share`` (shares from 0 to 1).
    ax : Axes, optional
        Where to draw; default: new Axes, half a column wide.
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
    >>> shares = pd.DataFrame({
    ...     "flag": ["night_flight", "bvlos"], "flights": [10, 10],
    ...     "known_flights": [10, 8], "flights_share": [0.2, 0.5],
    ...     "known_hours": [5.0, 4.0], "hours_share": [0.1, 0.5],
    ... })
    >>> [label.get_text() for label in night_and_bvlos(shares).get_yticklabels()]
    ['Night, flights', 'Night, hours', 'BVLOS, flights', 'BVLOS, hours']
    """
    needed = ("known_flights", "flights_share", "known_hours", "hours_share")
    frame = read(shares, "night_and_bvlos", "flag", numbers=needed)
    with canvas(frame, ax, title=title, colours=colours, width=HALF) as page:
        if frame.empty:
            page.message(NOTHING)
            return page.ax
        labels, values, notes = _share_rows(page.first(frame, ROWS // 2, "flag"))
        centres = layout_rows(page, labels)
        notes_after(page, centres, [0.0] * len(values), [1.0] * len(values), notes)
        page.ax.barh(centres, 1.0, height=BAR, color=COLOURS["line"], label="all")
        page.ax.barh(centres, np.nan_to_num(values), height=BAR, color=COLOURS["accent"])
        page.unit("share of what says yes or no", axis="x")
    return page.ax


_FLAGS = {"night_flight": "Night", "bvlos": "BVLOS"}


def _share_rows(frame: pd.DataFrame) -> tuple[list[str], list[float], list[str]]:
    labels: list[str] = []
    values: list[float] = []
    notes: list[str] = []
    for _, row in frame.iterrows():
        for measure in ("flights", "hours"):
            share, known = row[f"{measure}_share"], row[f"known_{measure}"]
            missing = pd.isna(share)
            flag = say(_FLAGS[row["flag"]]) if row["flag"] in _FLAGS else clean(row["flag"])
            labels.append(f"{flag}, {say(measure)}")
            values.append(share)
            of = number(known) if measure == "flights" else f"{number(known, HOURS)} h"
            size = {"percent": per_cent(share), "of": of}
            notes.append(say("not recorded") if missing else say("{percent} % of {of}", **size))
    return labels, values, notes
