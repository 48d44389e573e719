"""Rows of hours and flights, most first, as charts of pilots and of aircraft draw them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from fleetkit.charts.drawing.marks import rows
from fleetkit.charts.drawing.style import COLOURS, Canvas, number
from fleetkit.language import counted, say
from fleetkit.rounding import HOURS
from fleetkit.unassigned import UNASSIGNED

__all__ = ["NOTHING", "draw_ranking"]

NOTHING = "No flights to show"


def draw_ranking(page: Canvas, frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Draw hours as bars with the count of flights beside them; what is unassigned in grey."""
    if frame.empty:
        page.message(NOTHING)
        return
    pairs = zip(frame["hours"], frame["flights"], strict=True)
    rows(
        page,
        names,
        {"hours": frame["hours"].tolist()},
        [f"{number(hours, HOURS)} · {counted(flights, 'flight')}" for hours, flights in pairs],
        unit="hours",
        colours=[COLOURS["quiet" if name == say(UNASSIGNED) else "accent"] for name in names],
    )
