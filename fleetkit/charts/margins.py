"""Chart of estimated margins; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing.bounds import ROWS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.marks import rows
from fleetkit.charts.drawing.style import COLOURS, canvas, clean, number
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import say, say_count

__all__ = ["margins"]

_KEYS = ("client", "pilot", "project_type", "status")


def margins(
    margins: Any,
    ax: Axes | None = None,
    *,
    most: int = ROWS,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw the estimated margin in per cent of the price, in the order of the rows.

    Parameters
    ----------
    margins : frame
        As `metrics.margins` returns it: ``currency``, ``projects``, ``compared``, ``price``,
        ``margin``, ``margin_percent`` [%]; where they are by client, pilot, project type or status,
        also with the columns of these.
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
    >>> one = {"currency": ["EUR"], "projects": [9], "compared": [7], "price": [1000.0]}
    >>> frame = pd.DataFrame({**one, "margin": [-50.0], "margin_percent": [-5.0]})
    >>> margins(frame).texts[0].get_text()
    '−5.0 % · −50 of 1,000 · 7 of 9 projects'
    """
    needed = ("projects", "compared", "price", "margin", "margin_percent")
    frame = read(margins, "margins", "currency", numbers=needed)
    with canvas(frame, ax, title=title, colours=colours) as page:
        if frame.empty:
            page.message("No projects")
            return page.ax
        keys = [name for name in _KEYS if name in frame.columns]
        noun = ("row", "rows") if keys else ("currency", "currencies")
        frame = page.first(frame, most, *noun)
        percents = frame["margin_percent"]
        rows(
            page,
            [_label(row, keys) for _, row in frame.iterrows()],
            {"margin": percents.tolist()},
            [_margin_note(row) for _, row in frame.iterrows()],
            unit="estimated margin, % of the agreed price",
            colours=[COLOURS["red" if percent < 0 else "accent"] for percent in percents],
        )
    return page.ax


def _label(row: pd.Series, keys: list[str]) -> str:
    names = [*(clean(row[key]) for key in keys), clean(row["currency"], null="no currency")]
    return " · ".join(names)


def _margin_note(row: pd.Series) -> str:
    used = number(row["compared"])
    of = say_count(
        row["projects"], "{used} of {count} project", "{used} of {count} projects", used=used
    )
    if pd.isna(row["margin_percent"]):
        return f"{say('not known')} · {of}"
    amounts = say("{used} of {of}", used=number(row["margin"]), of=number(row["price"]))
    return f"{number(row['margin_percent'], 1)} % · {amounts} · {of}"
