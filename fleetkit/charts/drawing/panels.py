"""Panels side by side on one set of rows: a count, and the value in each currency.

Money is never added across currencies, and bars of two currencies never share a scale.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import NARROW_ROWS, PANELS, ROWS
from fleetkit.charts.drawing.fonts import SMALL
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.marks import BAR, label_room, layout_rows, note_room, notes_after
from fleetkit.charts.drawing.style import (
    COLUMN,
    MILLIMETRE,
    Canvas,
    canvas,
    clean,
    number,
    short,
    status_colours,
)
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import say

__all__ = ["draw_panels"]

_NOTHING = "No projects to show"
# Room that the names of rows take, the least of a panel, and the gap between two. [pt]
_NAMES, _PANEL, _GAP = 30 * MILLIMETRE, 26 * MILLIMETRE, 5 * MILLIMETRE
# Share of a panel from which on its numbers leave no room for bars.
_WIDEST_NOTE = 0.6


def draw_panels(
    frame: pd.DataFrame,
    order: Sequence[str],
    ax: Axes | None,
    width: float = COLUMN,
    *,
    title: str,
    colours: Colours,
) -> Axes:
    """Draw the rows of a frame, named in ``_row``, in an order: their count, and their value."""
    present = set(frame["_row"])
    names = [name for name in order if name in present]
    rows = frame.drop(columns="_row")
    with canvas(rows, ax, width=width, title=title, colours=colours) as page:
        if not names:
            page.message(_NOTHING)
            return page.ax
        names = page.first(names, NARROW_ROWS if page.is_narrow else ROWS, "row")
        counted = ((say("projects"),), frame.assign(_value=frame["projects"]))
        parts = [counted, *_priced(page, frame)]
        centres = layout_rows(page, names)
        for index, (units, part) in enumerate(parts):
            panel = _panel(page, index, len(parts))
            values = part.groupby("_row")["_value"].sum(min_count=1).reindex(names)
            _bars(panel, names, centres, values.tolist(), units)
    return page.ax


def _priced(page: Canvas, frame: pd.DataFrame) -> list[tuple[tuple[str, ...], pd.DataFrame]]:
    """Return units and rows of each currency that has a value; of many, those of most projects."""
    frame = frame.assign(_value=frame["value"])
    by_currency = frame.groupby("currency", dropna=False, observed=True)
    sizes = by_currency["projects"].sum()[by_currency["value"].count() > 0]
    most = _most(page, frame)
    page.leave_out(len(sizes) - most, "currency", "currencies")
    largest = sizes.rank(method="first", ascending=False) <= most
    return [
        (
            _units_of(clean(currency, null="no currency"), page),
            frame[frame["currency"].isna() if pd.isna(currency) else frame["currency"] == currency],
        )
        for currency in sizes.index[largest]
    ]


def _most(page: Canvas, frame: pd.DataFrame) -> int:
    """Return how many currencies have room beside the count, and cut none of their amounts."""
    sums = frame.groupby(["currency", "_row"], dropna=False, observed=True)["_value"].sum()
    least = note_room(max((text_width(short(amount)) for amount in sums), default=0.0))
    names = max(text_width(name) for name in frame["_row"].unique())
    room = page.figure_width - label_room(page, names)
    most = min((page.figure_width - _NAMES) / _PANEL, (room - least) / (least + _GAP))
    return min(PANELS, max(1, int(most)))


def _panel(page: Canvas, index: int, count: int) -> Canvas:
    """Return one of `count` panels side by side, on the rows of `page`."""
    gap = _GAP / page.width
    width = (1 - gap * (count - 1)) / count
    panel = page.panel(index * (width + gap), width)
    panel.bare()
    panel.ax.set_facecolor("none")
    panel.ax.set_ylim(page.ax.get_ylim())
    return panel


def _bars(
    panel: Canvas,
    names: Sequence[str],
    centres: Sequence[float],
    values: list[float],
    units: Sequence[str],
) -> None:
    """Draw the bars of a panel, below the first of its units that it has room for."""
    lengths = np.nan_to_num(values)
    colours = status_colours(names)
    panel.ax.barh(centres, lengths, height=BAR, color=colours)
    notes = [number(value) for value in values]
    if max(map(text_width, notes)) > _WIDEST_NOTE * panel.width:
        # Numbers are rounded rather than cut, so that each has room beside its bar.
        notes = [short(value) for value in values]
    notes_after(panel, centres, lengths.clip(max=0), lengths.clip(min=0), notes)
    fitting = (unit for unit in units if text_width(unit, SMALL) <= panel.width)
    panel.unit(panel.fit(next(fitting, units[-1]), panel.width, SMALL), axis="x")


def _units_of(currency: str, page: Canvas) -> tuple[str, ...]:
    """Return what may stand above the values in a currency, the longest first."""
    if page.is_narrow:
        return (currency,)
    return say("value, {currency}", currency=currency), currency
