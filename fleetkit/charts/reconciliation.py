"""Chart of counters beside logs; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.marks import value_dumbbells
from fleetkit.charts.drawing.names import equipment_names
from fleetkit.charts.drawing.style import canvas, clean, number
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import counted, say
from fleetkit.rounding import HOURS, as_shown

__all__ = ["reconciliation"]


def reconciliation(
    reconciliation: Any,
    ax: Axes | None = None,
    *,
    most: int = ROWS,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw each equipment's own hour counter beside the hours in its flight logs.

    Parameters
    ----------
    reconciliation : frame
        As `metrics.reconciliation` returns it: ``name``, ``counter_hours``, ``logged_hours``,
        ``hours_difference`` [h], ``verdict``; where they are there, ``counter_flights`` and
        ``logged_flights`` are named of what differs by flights alone.
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
    >>> checked = {"name": ["Heron 1"], "counter_hours": [12.0], "logged_hours": [10.0]}
    >>> frame = pd.DataFrame({**checked, "hours_difference": 2.0, "verdict": "counter higher"})
    >>> reconciliation(frame).texts[0].get_text()
    '2.0 h · counter higher'
    """
    needed = ("counter_hours", "logged_hours", "hours_difference")
    frame = read(reconciliation, "reconciliation", "name", "verdict", numbers=needed)
    with canvas(frame, ax, title=title, colours=colours) as page:
        if frame.empty:
            page.message("No counters to compare with the logs")
            return page.ax
        named = frame.assign(name=equipment_names(frame))
        frame = page.first(named, most, "piece of equipment", "pieces of equipment")
        columns = ("name", "counter_hours", "logged_hours")
        names, counter, logged = (frame[name].tolist() for name in columns)
        notes = [_note(row) for _, row in frame.iterrows()]
        marks = say("hours on the counter"), say("hours in the logs")
        value_dumbbells(page, names, counter, logged, notes=notes, marks=marks)
    return page.ax


# Verdict → the sign of the differences that it speaks of.
_SIGNS = {"counter higher": 1, "logs higher": -1}


def _note(row: pd.Series) -> str:
    """Say by how much the counter is off and what is higher: by flights, where hours don't tell."""
    verdict = clean(row["verdict"])
    said, sign, hours = say(verdict), _SIGNS.get(verdict, 0), row["hours_difference"]
    flights = sign * _more_flights(row)
    if flights > 0 >= sign * as_shown(hours, HOURS):
        return f"{counted(flights, 'flight')} · {said}"
    return said if pd.isna(hours) else f"{number(abs(hours), HOURS)} h · {said}"


def _more_flights(row: pd.Series) -> int:
    """Return how many flights the counter has more than the logs; 0 where one is not known."""
    known = row.reindex(["counter_flights", "logged_flights"])
    counter, logged = pd.to_numeric(known, errors="coerce")
    return 0 if pd.isna(counter) or pd.isna(logged) else int(counter - logged)
