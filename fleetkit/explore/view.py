"""What an explorer shows, as HTML: figures, a page of rows, the filter to take along.

Names and texts come from the API: each is escaped, and isolated so that a right-to-left mark in
one can't turn its neighbours around.
"""

from __future__ import annotations

from html import escape
from math import ceil
from typing import Any

import numpy as np
import pandas as pd

from fleetkit.errors import FleetkitError
from fleetkit.explore.panes import Panes
from fleetkit.explore.selection import Figures, Selection
from fleetkit.filters import UNASSIGNED
from fleetkit.rounding import HOURS, NOTHING, number, percent

__all__ = ["PAGE", "chosen", "failure", "figures", "page_within", "pages", "table"]

# Rows of one page.
PAGE = 20
# From so many letters on a cell may be cut off, and says its whole text when pointed at.
_LONG = 30
_ORDERS = {"Date": "date", "Duration": "duration"}
_HEADS = (
    "Date",
    "Type",
    "Operation",
    "Pilot",
    "Project",
    "Equipment",
    "Duration",
    "Night",
    "BVLOS",
)


def figures(shown: Figures, *, total: int) -> str:
    """Return the KPI row.

    Parameters
    ----------
    shown : Figures
        Of the selection.
    total : int
        Flights that there are in all.
    """
    timed = f"timed: {shown.timed_flights:,} of {shown.flights:,}"
    cards = (
        ("Flights", f"{shown.flights:,}", f"of {total:,}"),
        ("Hours", number(shown.hours, HOURS), timed),
        ("Pilots", f"{shown.pilots:,}", f"unassigned flights: {shown.unassigned:,}"),
        ("Aircraft", f"{shown.aircraft:,}", f"equipment in all: {shown.equipment:,}"),
        ("Night flights", *_share(shown.night, shown.flights)),
        ("BVLOS flights", *_share(shown.bvlos, shown.flights)),
    )
    items = "".join(
        f"<li><span>{label}</span><strong>{value}</strong><small>{note}</small></li>"
        for label, value, note in cards
    )
    return f'<ul class="fk-figures">{items}</ul>'


def _share(row: dict[str, Any], flights: int) -> tuple[str, str]:
    share = row["flights_share"]
    return percent(share), f"known for {row['known_flights']:,} of {flights:,}"


def pages(count: int) -> int:
    """Return how many pages `count` rows fill; at least one.

    Examples
    --------
    >>> pages(0), pages(20), pages(21)
    (1, 1, 2)
    """
    return max(1, ceil(count / PAGE))


def page_within(page: int, count: int) -> int:
    """Return the page, or the last one of `count` rows where there are fewer."""
    return min(page, pages(count) - 1)


def table(selection: Selection, order_by: str, page: int) -> str:
    """Return one page of the rows.

    Parameters
    ----------
    selection : Selection
        The rows.
    order_by : {"date_desc", "date_asc", "duration_desc", "duration_asc"}
        Their order.
    page : int
        Counted from 0; past the last one means the last one.
    """
    numbers = selection.numbers(order_by)
    page = page_within(page, len(numbers))
    shown = numbers[page * PAGE : (page + 1) * PAGE]
    heads = "".join(_head(name, order_by) for name in _HEADS)
    rows = "".join(_rows(selection, shown)) or (
        f'<tr><td class="fk-nothing" colspan="{len(_HEADS)}">No flights match.</td></tr>'
    )
    zone = "" if selection.all.clock.dates_only else f", times in {escape(selection.all.tz)}"
    return (
        f"{_bar(len(numbers), page)}"
        f'<div class="fk-scroll" tabindex="0" role="region" aria-label="Flights">'
        f"<table><caption>Flights, page {page + 1} of {pages(len(numbers))}{zone}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _bar(count: int, page: int) -> str:
    """Return the line above the table: the page shown, buttons to turn it, and the download."""
    last = pages(count) - 1
    start, stop = page * PAGE + 1, min((page + 1) * PAGE, count)
    where = f"{start:,}–{stop:,} of {count:,} flights" if count else "No flights"
    steps = (
        ("First", "«", 0),
        ("Previous", "‹", max(page - 1, 0)),
        ("Next", "›", min(page + 1, last)),
        ("Last", "»", last),
    )
    buttons = "".join(
        _button("page", sign, key=name, value=to, off=to == page, label=f"{name} page")
        for name, sign, to in steps
    )
    return (
        f'<div class="fk-bar"><span class="fk-where">{where}</span>'
        f'<span class="fk-steps">{buttons}</span>'
        f"{_button('export', 'Download CSV', off=not count)}</div>"
    )


def _button(
    action: str, text: str, *, key: str = "", value: Any = "", off: bool = False, label: str = ""
) -> str:
    """Return a button; the browser finds it again by `key` when its pane is replaced."""
    named = f' aria-label="{escape(label)}"' if label else ""
    return (
        f'<button type="button" data-action="{action}" data-value="{value}" '
        f'data-key="{action}-{key}"{named} '
        f'aria-disabled="{str(off).lower()}">{text}</button>'
    )


def _head(name: str, order_by: str) -> str:
    """Return a column's head; those that the API orders by are buttons."""
    number = ' class="fk-number"' if name == "Duration" else ""
    if name not in _ORDERS:
        return f'<th scope="col"{number}>{name}</th>'
    what, direction = order_by.rsplit("_", 1)
    now = direction if what == _ORDERS[name] else None
    to = f"{_ORDERS[name]}_{'asc' if now == 'desc' else 'desc'}"
    sorting = {"asc": "ascending", "desc": "descending", None: "none"}[now]
    sign = {"asc": "▲", "desc": "▼", None: "↕"}[now]
    text = f'{name} <span aria-hidden="true">{sign}</span>'
    button = _button("order_by", text, key=name, value=to)
    return f'<th scope="col"{number} aria-sort="{sorting}">{button}</th>'


def _rows(selection: Selection, numbers: np.ndarray) -> list[str]:
    flights = selection.all
    frame = flights.frame.iloc[numbers]
    moments = flights.clock.convert(frame["flight_date"])
    dates = moments.dt.strftime("%Y-%m-%d" if flights.clock.dates_only else "%Y-%m-%d %H:%M")
    columns = (
        dates.map(_text),
        frame["flight_type"].astype("object").map(_text),
        frame["operation_type"].map(_text),
        [_named(*pair) for pair in zip(frame["pilot_id"], frame["pilot_name"], strict=True)],
        [_named(*pair) for pair in zip(frame["project_id"], frame["project_title"], strict=True)],
        [_text(", ".join(flights.pieces_of(number)) or None) for number in numbers],
        frame["duration_seconds"].map(_duration),
        frame["night_flight"].map(_yes_no),
        frame["bvlos"].map(_yes_no),
    )
    return [
        "<tr>"
        + "".join(_cell(head, html) for head, html in zip(_HEADS, row, strict=True))
        + "</tr>"
        for row in zip(*columns, strict=True)
    ]


def _cell(head: str, html: str) -> str:
    return f'<td class="fk-number">{html}</td>' if head == "Duration" else f"<td>{html}</td>"


def _text(value: Any) -> str:
    if pd.isna(value):
        return f'<span class="fk-null">{NOTHING}</span>'
    text = escape(str(value))
    return f'<bdi title="{text}">{text}</bdi>' if len(text) > _LONG else f"<bdi>{text}</bdi>"


def _named(identifier: Any, name: Any) -> str:
    if pd.isna(identifier):
        return f'<span class="fk-null">{UNASSIGNED}</span>'
    return _text(identifier if pd.isna(name) else name)


def _duration(seconds: Any) -> str:
    """Write seconds as ``h:mm:ss``.

    Examples
    --------
    >>> _duration(3725), _duration(-60)
    ('1:02:05', '−0:01:00')
    """
    if pd.isna(seconds):
        return _text(None)
    minutes, rest = divmod(abs(int(seconds)), 60)
    return f"{'−' if seconds < 0 else ''}{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def _yes_no(value: Any) -> str:
    return _text(None if pd.isna(value) else ("Yes" if value else "No"))


def chosen(texts: dict[str, str], problem: str = "") -> str:
    """Return the filter in each of its export forms, with a button that copies it.

    Parameters
    ----------
    texts : dict
        Label → text.
    problem : str
        What is wrong with the choices, if anything.
    """
    lines = "".join(
        f'<li><span>{escape(label)}</span><code tabindex="0">{escape(text)}</code>'
        f"{_button('copy', 'Copy', key=label, label=f'Copy: {label}')}</li>"
        for label, text in texts.items()
    )
    warning = f'<p class="fk-problem" role="alert">{escape(problem)}</p>' if problem else ""
    return f'{warning}<ul class="fk-chosen">{lines}</ul>'


def failure(error: Exception) -> Panes:
    """Return what is shown of a state that failed: why, and what to do."""
    kind = "" if isinstance(error, FleetkitError) else f"{type(error).__name__}: "
    text = f"This could not be shown: {kind}{error} Choose otherwise, or press Reset."
    sentence = f'<p class="fk-problem" role="alert">{escape(text)}</p>'
    return Panes(figures=sentence, chart="", chosen="", table="", announcement=text)
