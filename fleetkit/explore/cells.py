"""The cells of a table, as HTML.

Names and texts come from the API: each is escaped, and isolated so that a right-to-left mark in
one can't turn its neighbours around.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import pandas as pd

from fleetkit.blanks import is_blank, printable_name
from fleetkit.lettering import printable
from fleetkit.rounding import NOTHING, number
from fleetkit.unassigned import UNASSIGNED, shown_name

__all__ = [
    "NO_CURRENCY",
    "choosing",
    "days",
    "duration",
    "money",
    "named",
    "numbers",
    "text",
    "texts",
    "yes_no",
]

# Stands for the currency of an amount that has none.
NO_CURRENCY = "no currency"
# A cell with this many letters or more may be cut off, and shows its whole text to a pointer.
_LONG = 30
_NULL = f'<span class="fk-null">{NOTHING}</span>'


def text(value: Any) -> str:
    r"""Return a text, or a dash where there is none, or one of blanks.

    Examples
    --------
    >>> text("A & B")
    '<bdi>A &amp; B</bdi>'
    >>> text("\u202eHarbour")
    '<bdi>Harbour</bdi>'
    """
    if is_blank(value):
        return _NULL
    shown = escape(printable(str(value)))
    return f'<bdi title="{shown}">{shown}</bdi>' if len(shown) > _LONG else f"<bdi>{shown}</bdi>"


def texts(column: Iterable[Any]) -> list[str]:
    """Return the texts of a column."""
    return [text(value) for value in column]


def named(identifier: Any, name: Any) -> str:
    """Return a name, or the identifier where that is none; Unassigned where there is neither."""
    if pd.isna(identifier):
        return f'<span class="fk-null">{UNASSIGNED}</span>'
    return text(shown_name(printable_name(name, identifier)))


def duration(seconds: Any) -> str:
    """Write seconds as ``h:mm:ss``.

    Examples
    --------
    >>> duration(3725), duration(-60)
    ('1:02:05', '−0:01:00')
    """
    if pd.isna(seconds):
        return _NULL
    minutes, rest = divmod(abs(int(seconds)), 60)
    return f"{'−' if seconds < 0 else ''}{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def yes_no(value: Any) -> str:
    """Return Yes or No; a dash where it isn't known."""
    return text(None if pd.isna(value) else ("Yes" if value else "No"))


def days(column: pd.Series[Any]) -> list[str]:
    """Return the days of moments in the fleet's zone."""
    return texts(column.dt.strftime("%Y-%m-%d"))


def numbers(column: Iterable[Any], decimals: int = 0) -> list[str]:
    """Return the numbers of a column, rounded as everywhere."""
    return [_NULL if pd.isna(value) else number(value, decimals) for value in column]


def money(value: Any, currency: Any) -> str:
    """Write an amount behind its currency; one of blanks is none.

    Examples
    --------
    >>> money(1234.5, "EUR"), money(10, None)
    ('<bdi>EUR</bdi> 1,235', '10 (no currency)')
    """
    if pd.isna(value):
        return _NULL
    amount = number(value)
    return f"{amount} ({NO_CURRENCY})" if is_blank(currency) else f"{text(currency)} {amount}"


def choosing(
    html: str, choices: Mapping[str, Any], *, label: str, key: str = "", chosen: bool | None = None
) -> str:
    """Return a button that chooses: field → value, as the browser writes them.

    Parameters
    ----------
    html : str
        What it shows.
    choices : mapping
        Name of a field → its value, as its control has it.
    label : str
        What a screen reader says, and a pointer shows.
    key : str
        By which the browser finds it again when its pane is replaced.
    chosen : bool, optional
        Whether that is chosen already.
    """
    pressed = "" if chosen is None else f' aria-pressed="{str(chosen).lower()}"'
    return (
        f'<button type="button" class="fk-choose" data-action="choose" '
        f'data-value="{escape(json.dumps(choices))}" data-key="{escape(key)}"{pressed} '
        f'title="{escape(label)}">{html}</button>'
    )
