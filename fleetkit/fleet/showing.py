"""A fleet, and its summary, as a notebook shows them."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

from fleetkit.errors import ApiError, FleetkitError
from fleetkit.html import html_table

if TYPE_CHECKING:
    from fleetkit.fleet.core import Fleet

__all__ = ["fleet_html", "summary_html"]

_COUNTED = (
    ("equipment", "piece of equipment"),
    ("projects", "project"),
    ("services", "service"),
    ("tiers", "pricing tier"),
    ("specifications", "specification of a piece of equipment"),
)

# Colours are those of the page, light or dark; lines and bars are translucent.
_TEXT = "color:inherit;line-height:1.45"
_LINE = "border-bottom:1px solid rgba(128,138,150,.28)"


def fleet_html(fleet: Fleet) -> str:
    """Return where a fleet's data come from and how many rows its tables have, as HTML."""
    filter_text = f" · {fleet.filter!r}" if fleet.filter else ""
    return (
        f"<div><b>Fleet</b> at <code>{escape(fleet.address)}</code> · times in "
        f"{escape(fleet.tz)}{escape(filter_text)}"
        f"{html_table(_contents(fleet), ('call', 'rows', 'one row per'), right={1})}</div>"
    )


def _contents(fleet: Fleet) -> Iterator[tuple[str, str, str]]:
    """Count what is cheap to count: flights of a live fleet are not fetched for a look.

    A service that still failed after the client's retries is asked for nothing more.
    """
    is_failing = False
    for name, row in _COUNTED:
        try:
            count = "– (not asked)" if is_failing else f"{len(getattr(fleet, name)()):,}"
        except FleetkitError as problem:
            count = f"– ({type(problem).__name__})"
            is_failing = isinstance(problem, ApiError) and problem.retryable
        yield f"{name}()", count, row
    yield 'flights("2026-10")', "on request", "flight"
    yield 'flight_equipment("2026-10")', "on request", "flight and piece of equipment"


def summary_html(
    title: str,
    contents: list[list[str]],
    gaps: list[list[str]],
    remarks: list[list[str]],
    shares: list[float],
) -> str:
    """Return a summary as HTML: what there is, how complete it is, and what stands out."""
    bars = [[*row, _bar(share)] for row, share in zip(gaps, shares, strict=True)]
    return (
        f'<div style="max-width:62em;{_TEXT}"><div style="font-weight:600">'
        f"{escape(title)}</div>"
        f"{_block('What there is', _table(contents))}"
        f"{_block('How complete', _table(bars, is_html={3}))}"
        f"{_block('What stands out', _list(remarks))}</div>"
    )


def _block(head: str, body: str) -> str:
    style = "font-weight:600;margin:1em 0 .2em;opacity:.72"
    return f'<div style="{style}">{head}</div>{body}'


def _table(rows: list[list[str]], is_html: frozenset[int] | set[int] = frozenset()) -> str:
    lines = []
    for row in rows:
        cells = []
        for place, text in enumerate(row):
            tag, side = ("th" if place == 0 else "td"), ("right" if place == 1 else "left")
            style = f"text-align:{side};font-weight:400;padding:.15em .9em .15em 0;{_LINE}"
            style += ";background:none;vertical-align:baseline"
            style += ";white-space:nowrap" if place < 2 else ""
            scope = ' scope="row"' if place == 0 else ""
            shown = text if place in is_html else escape(text)
            cells.append(f'<{tag}{scope} style="{style}">{shown}</{tag}>')
        lines.append(f'<tr style="background:none">{"".join(cells)}</tr>')
    style = f"border-collapse:collapse;{_TEXT}"
    return f'<table style="{style}"><tbody>{"".join(lines)}</tbody></table>'


def _list(rows: list[list[str]]) -> str:
    items = "".join(f"<li>{escape(row[0])}</li>" for row in rows)
    return f'<ul style="margin:.2em 0;padding-left:1.2em">{items}</ul>'


def _bar(share: Any) -> str:
    width = 0 if pd.isna(share) else round(100 * float(share))
    box = "display:inline-block;vertical-align:middle;width:9em;height:.6em"
    box += ";background:rgba(128,138,150,.25)"
    fill = f"display:block;width:{width}%;height:100%;background:#5790fc"
    return f'<span aria-hidden="true" style="{box}"><span style="{fill}"></span></span>'
