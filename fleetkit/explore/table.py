"""One page of a selection's rows, as an HTML table that is sorted, turned and cross-filtered."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from math import ceil

import numpy as np
import pandas as pd

from fleetkit.explore import cells, tiles
from fleetkit.explore.fields import Choices, Field
from fleetkit.explore.subject import Column, Selection, Subject
from fleetkit.explore.view import button

__all__ = ["FORMATS", "PAGE", "page_within", "pages", "table"]

# Rows of one page.
PAGE = 20
# What the rows can be downloaded as.
FORMATS = {"csv": "CSV", "xlsx": "Excel", "parquet": "Parquet"}


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


def table(
    selection: Selection, choices: Choices, order_by: str, page: int, hidden: Collection[str]
) -> str:
    """Return one page of the rows.

    Parameters
    ----------
    selection : Selection
        The rows.
    choices : mapping
        What is chosen already.
    order_by : str
        Their order.
    page : int
        Counted from 0; past the last one means the last one.
    hidden : collection of str
        Columns that aren't shown.
    """
    subject = selection.subject
    page = page_within(page, len(selection))
    shown = selection.page(order_by, page * PAGE, (page + 1) * PAGE)
    columns = [column for column in subject.columns.values() if column.name not in hidden]
    heads = "".join(_head(column, order_by) for column in columns)
    several = subject.nouns[1]
    rows = _rows(subject, columns, shown, choices) or (
        f'<tr><td class="fk-nothing" colspan="{len(columns)}">No {several} match.</td></tr>'
    )
    title = several.capitalize()
    return (
        f"{_bar(selection, page)}{_columns(list(subject.columns.values()), hidden)}"
        f'<div class="fk-scroll" data-rove tabindex="0" role="region" aria-label="{title}">'
        f"<table><caption>{title}, page {page + 1:,} of {pages(len(selection)):,}. "
        f"{escape(subject.caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _bar(selection: Selection, page: int) -> str:
    """Return the line above the table: the page shown, buttons to turn it, and the downloads."""
    count, noun = len(selection), selection.subject.nouns[1]
    last = pages(count) - 1
    start, stop = page * PAGE + 1, min((page + 1) * PAGE, count)
    counted = selection.subject.count(count)
    where = f"{start:,}–{stop:,} of {counted}" if count else f"No {noun}"
    steps = (
        ("First", "«", 0),
        ("Previous", "‹", max(page - 1, 0)),
        ("Next", "›", min(page + 1, last)),
        ("Last", "»", last),
    )
    turns = "".join(
        button("page", sign, key=name, value=to, off=to == page, label=f"{name} page")
        for name, sign, to in steps
    )
    downloads = "".join(
        button("export", name, key=form, value=form, off=not count, label=f"Download {name}")
        for form, name in FORMATS.items()
    )
    return (
        f'<div class="fk-bar"><span class="fk-where">{where}</span>'
        f'<span class="fk-steps">{turns}</span>'
        f'<span class="fk-downloads">Download {downloads}</span></div>'
    )


def _columns(columns: Sequence[Column], hidden: Collection[str]) -> str:
    """Return the list that says which columns are shown."""
    buttons = "".join(
        button(
            "column",
            column.head,
            key=column.name,
            value=column.name,
            pressed=column.name not in hidden,
        )
        for column in columns
    )
    shown = len(columns) - len(hidden)
    return (
        f'<details class="fk-columns" data-key="columns"><summary>Columns, {shown} of '
        f'{len(columns)}</summary><div role="group" aria-label="Columns">{buttons}</div></details>'
    )


def _head(column: Column, order_by: str) -> str:
    """Return a column's head, a button that sorts by it."""
    by, _, direction = order_by.rpartition("_")
    now = direction if by == column.name else None
    to = f"{column.name}_{'asc' if now == 'desc' else 'desc'}"
    sorting = {"asc": "ascending", "desc": "descending", None: "none"}[now]
    sign = {"asc": "▲", "desc": "▼", None: "↕"}[now]
    text = f'{escape(column.head)} <span aria-hidden="true">{sign}</span>'
    number = ' class="fk-number"' if column.is_number else ""
    head = button("order_by", text, key=column.name, value=to)
    return f'<th scope="col"{number} aria-sort="{sorting}">{head}</th>'


def _rows(
    subject: Subject, columns: Sequence[Column], numbers: np.ndarray, choices: Choices
) -> str:
    """Return the rows; where they are those of the last time, they aren't written anew."""
    fields = subject.fields
    chosen = [fields[column.field].chosen(choices) for column in columns if column.field in fields]
    state = [column.name for column in columns], numbers.tolist(), chosen
    written, html = subject.written_rows
    if written != state:
        filled = [_cells(column, numbers, choices, fields) for column in columns]
        html = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*filled, strict=True))
        subject.written_rows = state, html
    return html


def _cells(
    column: Column, numbers: np.ndarray, choices: Choices, fields: dict[str, Field]
) -> list[str]:
    """Return the cells of a column; one that names an option of a field chooses it."""
    tag = '<td class="fk-number">' if column.is_number else "<td>"
    shown = list(column.cells(numbers))
    field = fields.get(column.field)
    if field is not None and column.values is not None and not field.disabled:
        labels = field.labels(choices)
        for place, value in enumerate(column.values(numbers)):
            if not pd.isna(value) and value in labels:
                key = f"cell-{column.name}-{numbers[place]}"
                shown[place] = _choosing(
                    shown[place], field, value, labels[value], choices, key=key
                )
    return [f"{tag}{html}</td>" for html in shown]


def _choosing(
    html: str, field: Field, value: object, label: str, choices: Choices, *, key: str
) -> str:
    is_chosen = tiles.is_chosen(field, value, choices)
    return cells.choosing(
        html,
        tiles.choice(field, value, back=is_chosen),
        label=f"{'All again' if is_chosen else 'Only'} {field.title}: {label}",
        key=key,
    )
