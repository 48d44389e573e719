"""Chart of two periods or filters side by side; draws what `fleetkit.compare` returns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fleetkit.blanks import distinct_names
from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.marks import dumbbell_note_room, value_dumbbells
from fleetkit.charts.drawing.style import canvas, clean, number, short, signed
from fleetkit.charts.drawing.styling import Colours
from fleetkit.columns import NAME_COLUMNS
from fleetkit.context import carried
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief, did_you_mean
from fleetkit.language import say
from fleetkit.rounding import HOURS, decimals_of
from fleetkit.time import FREQUENCIES

__all__ = ["compare"]

_ENDINGS = ("_other", "_change", "_percent")
# Names stand for the ids before them.
_NAMES = {**NAME_COLUMNS, "pilot_id": "pilot_name", "equipment_id": "name", "project_id": "title"}


def compare(
    compared: Any,
    ax: Axes | None = None,
    *,
    measure: str = "hours",
    most: int = ROWS,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw a measure of two periods or filters: a hollow dot for the other, a full one for the one.

    Parameters
    ----------
    compared : frame
        As `fleetkit.compare` returns it: keys, and of `measure` the columns ``hours``,
        ``hours_other``, ``hours_change``.
    ax : Axes, optional
        Where to draw; default: new Axes.
    measure : str
        Which of its numbers to draw.
    most : int
        Rows that are drawn, in the frame's order; the others are counted.
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes

    Raises
    ------
    InvalidValue
        The frame doesn't compare this measure.

    Examples
    --------
    >>> both = {"flight_type": ["TRAINING"], "hours": [1.5], "hours_other": [1.0]}
    >>> ax = compare(pd.DataFrame({**both, "hours_change": 0.5, "hours_percent": 50.0}))
    >>> ax.texts[0].get_text()
    '1.5 from 1.0, +0.5'
    """
    measures = _measures(read(compared, "compare"))
    if measures and measure not in measures:
        raise InvalidValue(
            f"measure={brief(measure)} is not compared by this frame. "
            f"{did_you_mean(str(measure), measures)}",
            advice=f"It compares: {', '.join(measures)}.",
        )
    frame = read(compared, "compare", numbers=(measure, f"{measure}_other", f"{measure}_change"))
    with canvas(frame, ax, title=title, colours=colours) as page:
        if frame.empty:
            page.message("No rows to compare")
            return page.ax
        frame = page.first(_called(frame), most, "row")
        columns = (measure, f"{measure}_other", f"{measure}_change")
        one, other, change = (frame[name].tolist() for name in columns)
        known = [value for value in [*one, *other] if not pd.isna(value)]
        decimals = 0 if all(value.is_integer() for value in known) else decimals_of(measure, HOURS)
        values = list(zip(one, other, change, strict=True))
        notes = [_note(*row, partial(number, decimals=decimals)) for row in values]
        if max(map(text_width, notes)) > dumbbell_note_room(page):
            # Numbers are rounded rather than cut, so that the change is seen.
            notes = [_note(*row, short) for row in values]
        labels, titles = _labels(frame, measures), _titles(compared)
        unit = say(measure.replace("_", " "))
        marks = f"{unit}, {titles[1]}", f"{unit}, {titles[0]}"
        value_dumbbells(page, labels, other, one, notes=notes, marks=marks)
    return page.ax


def _measures(frame: pd.DataFrame) -> list[str]:
    """Return the numbers that a frame compares."""
    columns = [str(name) for name in frame.columns]
    return [name for name in columns if all(f"{name}{end}" in columns for end in _ENDINGS[:2])]


def _note(one: float, other: float, change: float, written: Callable[[float], str]) -> str:
    both = say("{value} from {other}", value=written(one), other=written(other))
    return both if pd.isna(change) else f"{both}, {signed(change, written(change))}"


def _called(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the names that their ids have, both where several share one."""
    named = {key: name for key, name in _NAMES.items() if {key, name} <= set(frame.columns)}
    names = {name: distinct_names(frame[name], frame[key]) for key, name in named.items()}
    return frame.assign(**names)


def _labels(frame: pd.DataFrame, measures: list[str]) -> list[str]:
    """Return what tells each row from the others; of an id its name, where it has one."""
    others = {f"{name}{end}" for name in measures for end in _ENDINGS}
    keys = [str(name) for name in frame.columns if name not in {*measures, *others}]
    # What is said of a row on both sides may differ; of months and days the first side's are shown.
    said = {name for name in keys if f"{name}_other" in keys and name not in FREQUENCIES}
    hidden = {name for name in keys if name.endswith("_other")} | said
    named = {key: _NAMES[key] for key in keys if _NAMES.get(key) in keys}
    shown = [key for key in keys if key not in hidden | named.keys()]
    rows = [
        " · ".join(
            clean(row[key] if pd.notna(row[key]) else row.get(f"{key}_other")) for key in shown
        )
        for row in frame.to_dict("records")
    ]
    return [text or say("all") for text in rows]


def _titles(compared: Any) -> tuple[str, str]:
    titles = carried(compared).get("compared") or ["", ""]
    return clean(titles[0] or say("one")), clean(titles[1] or say("other"))
