"""Chart of weekdays and times of day; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing.flown import flown
from fleetkit.charts.drawing.fonts import SMALL
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.marks import rows
from fleetkit.charts.drawing.ranking import NOTHING
from fleetkit.charts.drawing.shades import Shades
from fleetkit.charts.drawing.style import (
    COLOURS,
    HALF,
    MILLIMETRE,
    Canvas,
    canvas,
    number,
)
from fleetkit.charts.drawing.styling import Colours
from fleetkit.charts.drawing.tiles import WEEKDAYS, draw_tiles, name_weekdays
from fleetkit.language import say, weekdays
from fleetkit.rounding import HOURS

__all__ = ["hours_by_weekday"]

_HOURS = 24
# Hours between two that are named, as many as there is room for, and the room between them. [pt]
_NAMED, _APART = (3, 6, 12), 4.0
# Height of a row. [mm]
_ROW = 3.7
# Room around the tiles. [mm]
_LEFT, _RIGHT, _TOP, _BOTTOM = 8.5, 1.0, 6.0, 5.0


def hours_by_weekday(
    hours: Any,
    ax: Axes | None = None,
    *,
    width: float = HALF,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw weekday × hour of the day as tiles: the more hours, the darker.

    Where no hour of the day is known there is one bar per weekday.

    Parameters
    ----------
    hours : frame
        As `metrics.hours_by_weekday` returns it: ``weekday`` (1 is Monday), ``hour``, ``flights``,
        ``hours`` [h].
    ax : Axes, optional
        Where to draw; default: new Axes, half a column wide.
    width : float
        Width of new Axes. [mm]
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> flown = {"weekday": [1, 5], "hour": [9, 14], "flights": [3, 1], "hours": [1.5, 0.5]}
    >>> ax = hours_by_weekday(pd.DataFrame(flown))
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['Mon', 'Tue']
    """
    needed = ("weekday", "hour", "flights", "hours")
    frame = read(hours, "hours_by_weekday", numbers=needed)
    with canvas(frame, ax, title=title, colours=colours, width=width) as page:
        frame = frame[frame["weekday"].between(1, WEEKDAYS)]
        if frame.empty:
            page.message(NOTHING)
            return page.ax
        if frame["hour"].isna().all():
            _by_weekday(page, frame)
        else:
            _by_hour(page, page.first(frame, WEEKDAYS * _HOURS, "row"))
    return page.ax


def _by_weekday(page: Canvas, frame: pd.DataFrame) -> None:
    frame = page.first(frame, WEEKDAYS, "row")
    by_weekday = frame["hours"].groupby(frame["weekday"])
    values = by_weekday.sum(min_count=1).reindex(range(1, WEEKDAYS + 1), fill_value=0.0).tolist()
    notes = [say("not recorded") if pd.isna(value) else number(value, HOURS) for value in values]
    unit = "hours (no time of day is recorded)"
    rows(page, weekdays(), {"hours": values}, notes, unit=unit)


def _by_hour(page: Canvas, frame: pd.DataFrame) -> None:
    page.bare()
    page.size(WEEKDAYS * _ROW + _TOP + _BOTTOM)
    page.margins(left=_LEFT, right=_RIGHT, top=_TOP, bottom=_BOTTOM)
    page.ax.set(xlim=(-0.5, _HOURS - 0.5), ylim=(WEEKDAYS - 0.5, -0.5))
    name_weekdays(page, _ROW * MILLIMETRE)
    _name_hours(page)
    frame = frame[frame["hour"].between(0, _HOURS - 1)]
    shades = Shades.of(frame["hours"])
    # Where nobody flew the tiles are those of 0.
    styles = {(x, y): shades.style(0.0) for y in range(WEEKDAYS) for x in range(_HOURS)}
    titles: dict[tuple[int, int], str] = {}
    amounts: dict[tuple[int, int], float] = {}
    tiles: list[Any] = list(frame.itertuples())
    for row in tiles:
        place = (int(row.hour), int(row.weekday) - 1)
        styles[place] = shades.style(row.hours)
        when = f"{weekdays()[place[1]]} {place[0]:02d}:00"
        titles[place] = f"{when} · {flown(row.hours, row.flights)}"
        amounts[place] = row.hours
    draw_tiles(page, styles, titles, amounts)
    shades.explain(page, "h", frame["hours"])


def _name_hours(page: Canvas) -> None:
    """Name every third hour, or fewer where their names would touch."""
    least = _HOURS * (text_width("00:00", SMALL) + _APART) / page.width
    step = next((step for step in _NAMED if step >= least), _NAMED[-1])
    named = range(0, _HOURS, step)
    page.ax.set_xticks([*named], [f"{hour:02d}:00" for hour in named], fontsize=SMALL)
    page.ax.tick_params(axis="x", pad=2, labelcolor=COLOURS["muted"])
