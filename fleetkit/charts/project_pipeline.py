"""Charts of the project pipeline chapter; each draws what its namesake in `metrics` returns.

Every currency has a panel or a row of its own: money is never added across currencies, and bars of
two currencies never share a scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.bounds import PANELS, ROWS
from fleetkit.charts.fonts import SMALL
from fleetkit.charts.marks import BAR, layout_rows, notes_after, rows
from fleetkit.charts.style import (
    COLOURS,
    MILLIMETRE,
    Canvas,
    canvas,
    clean,
    number,
    read,
    series_styles,
)
from fleetkit.schema import PROJECT_STATUSES

__all__ = ["late_projects", "margins", "pipeline_totals", "project_pipeline"]

_NOTHING = "No projects"
# Stages that stand beside the order of the work.
_ASIDE = ("CANCELLED", "ON_HOLD")


def project_pipeline(pipeline: Any, ax: Axes | None = None) -> Axes:
    """Draw the count of projects per stage, and beside it the value in each currency.

    Parameters
    ----------
    pipeline : frame
        As `metrics.project_pipeline` returns it: ``status``, ``currency``, ``projects``,
        ``value``.
    ax : Axes, optional
        Where to draw; default: new Axes.

    Returns
    -------
    Axes
        Its ``child_axes`` are the panels: the count, then one per currency that has a value.

    Examples
    --------
    >>> one = {"status": ["DRAFT"], "currency": ["EUR"], "projects": [2], "value": [9500.0]}
    >>> [panel.texts[0].get_text() for panel in project_pipeline(pd.DataFrame(one)).child_axes]
    ['2', '9,500']
    """
    frame = read(pipeline, "project_pipeline", "status", "currency", "projects", "value")
    stages = [clean(status) for status in frame["status"]]
    order = [*PROJECT_STATUSES, *stages]
    return _panels(frame.assign(_row=stages), list(dict.fromkeys(order)), ax)


def pipeline_totals(totals: Any, ax: Axes | None = None) -> Axes:
    """Draw what is open, in the backlog, to invoice and awaiting payment, per currency.

    Parameters
    ----------
    totals : frame
        As `metrics.pipeline_totals` returns it: ``group``, ``currency``, ``projects``, ``value``.
    ax : Axes, optional
        Where to draw; default: new Axes.

    Returns
    -------
    Axes
        Its ``child_axes`` are the panels: the count, then one per currency that has a value.

    Examples
    --------
    >>> one = {"group": ["open"], "currency": ["EUR"], "projects": [2], "value": [1.25e6]}
    >>> [panel.texts[0].get_text() for panel in pipeline_totals(pd.DataFrame(one)).child_axes]
    ['2', '1,250,000']
    """
    frame = read(totals, "pipeline_totals", "group", "currency", "projects", "value")
    groups = [clean(group) for group in frame["group"]]
    return _panels(frame.assign(_row=groups), list(dict.fromkeys(groups)), ax)


def _panels(frame: pd.DataFrame, order: Sequence[str], ax: Axes | None) -> Axes:
    present = set(frame["_row"])
    names = [name for name in order if name in present]
    with canvas(frame.drop(columns="_row"), ax) as page:
        if not names:
            page.message(_NOTHING)
            return page.ax
        names = page.first(names, ROWS, "row")
        parts = [("projects", frame.assign(_value=frame["projects"])), *_priced(page, frame)]
        centres = layout_rows(page, names)
        for index, (unit, part) in enumerate(parts):
            panel = _panel(page, index, len(parts))
            values = part.groupby("_row")["_value"].sum(min_count=1).reindex(names)
            _bars(panel, names, centres, values.astype("float64").tolist(), unit)
    return page.ax


def _priced(page: Canvas, frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the rows of each currency that has a value; of many, those of most projects."""
    frame = frame.assign(_value=frame["value"])
    by_currency = frame.groupby("currency", dropna=False, observed=True)
    sizes = by_currency["projects"].sum()[by_currency["value"].count() > 0]
    page.leave_out(len(sizes) - PANELS, "currency", "currencies")
    largest = sizes.rank(method="first", ascending=False) <= PANELS
    return [
        (
            f"value, {clean(currency, null='no currency')}",
            frame[frame["currency"].isna() if pd.isna(currency) else frame["currency"] == currency],
        )
        for currency in sizes.index[largest]
    ]


def _panel(page: Canvas, index: int, count: int) -> Canvas:
    """Return one of `count` panels side by side, on the rows of `page`."""
    gap = 5 * MILLIMETRE / page.width
    width = (1 - gap * (count - 1)) / count
    panel = page.panel(index * (width + gap), width)
    panel.bare()
    panel.ax.set_facecolor("none")
    panel.ax.set_ylim(page.ax.get_ylim())
    return panel


def _bars(
    panel: Canvas, names: Sequence[str], centres: Sequence[float], values: list[float], unit: str
) -> None:
    lengths = np.nan_to_num(values)
    colours = [COLOURS["quiet" if name in _ASIDE else "accent"] for name in names]
    panel.ax.barh(centres, lengths, height=BAR, color=colours)
    notes = [number(value) for value in values]
    notes_after(panel, centres, lengths.clip(max=0), lengths.clip(min=0), notes)
    panel.unit(panel.fit(unit, panel.width, SMALL), axis="x")


def margins(margins: Any, ax: Axes | None = None, *, most: int = ROWS) -> Axes:
    """Draw the estimated margin in per cent of the price, one row per currency, in their order.

    Parameters
    ----------
    margins : frame
        As `metrics.margins` returns it: ``currency``, ``projects``, ``compared``, ``price``,
        ``margin``, ``margin_percent`` [%].
    ax : Axes, optional
        Where to draw; default: new Axes.
    most : int
        Rows that are drawn; the others are counted.

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
    needed = ("currency", "projects", "compared", "price", "margin", "margin_percent")
    frame = read(margins, "margins", *needed)
    with canvas(frame, ax) as page:
        if frame.empty:
            page.message(_NOTHING)
            return page.ax
        frame = page.first(frame, most, "currency", "currencies")
        percents = frame["margin_percent"].astype("float64")
        rows(
            page,
            [clean(currency, null="no currency") for currency in frame["currency"]],
            {"margin": percents.tolist()},
            series_styles(["margin"]),
            [_margin_note(row) for _, row in frame.iterrows()],
            unit="estimated margin, % of the agreed price",
            colours=[COLOURS["red" if percent < 0 else "accent"] for percent in percents],
        )
    return page.ax


def _margin_note(row: pd.Series) -> str:
    of = f"{number(row['compared'])} of {number(row['projects'])} projects"
    if pd.isna(row["margin_percent"]):
        return f"not known · {of}"
    amounts = f"{number(row['margin'])} of {number(row['price'])}"
    return f"{number(row['margin_percent'], 1)} % · {amounts} · {of}"


def late_projects(late: Any, ax: Axes | None = None, *, most: int = ROWS) -> Axes:
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

    Returns
    -------
    Axes

    Examples
    --------
    >>> one = {"title": ["Roof"], "client_account_name": ["Ørsted"], "status": ["SCHEDULED"]}
    >>> late_projects(pd.DataFrame({**one, "days_late": [12]})).texts[0].get_text()
    '12 · SCHEDULED'
    """
    needed = ("title", "client_account_name", "status", "days_late")
    frame = read(late, "late_projects", *needed)
    with canvas(frame, ax) as page:
        if frame.empty:
            page.message("No late projects")
            return page.ax
        frame = page.first(frame, most, "project")
        names = zip(frame["title"], frame["client_account_name"], strict=True)
        pairs = zip(frame["days_late"], frame["status"], strict=True)
        rows(
            page,
            [f"{clean(title)} · {clean(client, null='no client')}" for title, client in names],
            {"days": frame["days_late"].astype("float64").tolist()},
            series_styles(["days"]),
            [f"{number(days)} · {clean(status)}" for days, status in pairs],
            unit="days late",
        )
    return page.ax
