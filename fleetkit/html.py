"""Tables that objects show of themselves in a notebook."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from html import escape

__all__ = ["html_table"]


def html_table(
    rows: Iterable[Sequence[str]], heads: Sequence[str] = (), *, right: Container[int] = ()
) -> str:
    """Return rows of texts as an HTML table; the first text of a row names it.

    Parameters
    ----------
    rows : iterable of sequences of str
    heads : sequence of str
        Names of the columns; default: none are named.
    right : container of int
        Columns of numbers, counted from 0.

    Examples
    --------
    >>> html_table([("a & b", "12")], right={1})  # doctest: +NORMALIZE_WHITESPACE
    "<table><tbody><tr><th style='text-align:left'>a &amp; b</th><td
    style='text-align:right'>12</td></tr></tbody></table>"
    """

    def row(texts: Sequence[str], *, is_head: bool = False) -> str:
        cells = []
        for column, text in enumerate(texts):
            tag = "td" if column and not is_head else "th"
            side = "right" if column in right else "left"
            cells.append(f"<{tag} style='text-align:{side}'>{escape(text)}</{tag}>")
        return f"<tr>{''.join(cells)}</tr>"

    head = f"<thead>{row(heads, is_head=True)}</thead>" if heads else ""
    return f"<table>{head}<tbody>{''.join(map(row, rows))}</tbody></table>"
