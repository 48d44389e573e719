"""Charts that are made of buttons: a matrix of counts, and bars beside the options of a field."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from fleetkit.explore import cells
from fleetkit.explore.fields import Choices, Field, shown_token

__all__ = ["bars", "button", "choice", "is_chosen", "lacking", "largest", "matrix"]

# Most rows and columns of a matrix, and most bars of a field, that are shown.
_ROWS, _COLUMNS, _BARS = 12, 8, 8


def choice(field: Field, value: Any, *, back: bool) -> dict[str, Any]:
    """Return what a button sends that chooses a value in a field, or takes it back.

    Examples
    --------
    >>> from fleetkit.explore.fields import Ticks
    >>> choice(Ticks("status", "Status", ["ACTIVE"]), "ACTIVE", back=False)
    {'status': ['ACTIVE']}
    """
    blank = field.format(field.blank)
    written = field.format(value)
    if back:
        return {field.name: blank}
    return {field.name: [written] if isinstance(blank, list) else written}


def is_chosen(field: Field, value: Any, choices: Choices) -> bool:
    """Say whether just this value is chosen in a field."""
    return field.chosen(choices) == (value,)


def lacking(count: int, of: str, what: str) -> str:
    """Return how many records stand nowhere in a chart, and why; nothing where all do.

    Examples
    --------
    >>> lacking(1, "12 flights", "date"), lacking(0, "12 flights", "date")
    ('<p class="fk-hint">1 of 12 flights has no date.</p>', '')
    """
    verb = "has" if count == 1 else "have"
    return f'<p class="fk-hint">{count:,} of {of} {verb} no {what}.</p>' if count else ""


def largest(*counts: Iterable[int | None]) -> int:
    """Return the largest of all counts; at least one.

    Examples
    --------
    >>> largest([3, None], [5]), largest([])
    (5, 1)
    """
    return max([1, *(count or 0 for of_one in counts for count in of_one)])


def matrix(
    counts: Mapping[tuple[Any, Any], int],
    rows: Field,
    columns: Field,
    choices: Choices,
    *,
    most: int,
    prefix: str = "",
) -> str:
    """Return a table of counts whose cells, heads and rows choose.

    Parameters
    ----------
    counts : mapping
        Row's value and column's value → count.
    rows, columns : Field
        Whose options its rows and columns are.
    choices : mapping
        What is chosen already.
    most : int
        The count of the darkest cell.
    prefix : str
        Of the keys of its buttons, which tells two matrices of a page apart.
    """
    names, heads = _first(rows, choices, _ROWS), _first(columns, choices, _COLUMNS)

    def tile(html: str, *fields: tuple[Field, Any], counted: str = "") -> str:
        return button(html, fields, choices, counted, prefix=prefix)

    def cell(row: Any, column: Any) -> str:
        count = counts.get((row, column), 0)
        shown = f"{count:,}" if count else "–"
        shade = f"{14 + 42 * count / most:.0f}%" if count else "0%"
        of_both = tile(shown, (rows, row), (columns, column), counted=f": {count:,}")
        return f'<td style="--fk-shade: {shade}">{of_both}</td>'

    head = "".join(
        f'<th scope="col">{tile(escape(str(label)), (columns, value))}</th>'
        for label, value in heads
    )
    body = "".join(
        f'<tr><th scope="row">{tile(escape(str(name)), (rows, row))}</th>'
        f"{''.join(cell(row, column) for _, column in heads)}</tr>"
        for name, row in names
    )
    shown = {(row, column) for _, row in names for _, column in heads}
    return (
        f'<table class="fk-matrix"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{_without_a_cell(counts, shown, rows, columns)}"
    )


def _without_a_cell(
    counts: Mapping[tuple[Any, Any], int],
    shown: Collection[tuple[Any, Any]],
    rows: Field,
    columns: Field,
) -> str:
    """Return how many a matrix leaves out, and why; nothing where it holds all."""
    total = sum(counts.values())
    rest = total - sum(count for key, count in counts.items() if key in shown)
    if not rest:
        return ""
    is_cut = len(rows.tokens) > _ROWS or len(columns.tokens) > _COLUMNS
    further = ", or one that is not shown" if is_cut else ""
    named = f"{rows.title.lower()} or no {columns.title.lower()}{further}"
    verb = "has" if rest == 1 else "have"
    return f'<p class="fk-hint">{rest:,} of {total:,} {verb} no {named}.</p>'


def bars(
    field: Field, counts: Sequence[int | None], choices: Choices, *, most: int, prefix: str = ""
) -> str:
    """Return the options of a field as bars that choose, at most eight of them, with a count each.

    Parameters
    ----------
    field : Field
        Whose options they are.
    counts : sequence of int or None
        How many rows each option would leave.
    choices : mapping
        What is chosen already.
    most : int
        The count of the longest bar.
    prefix : str
        As for `matrix`.
    """
    options = list(zip(field.options(choices), counts, strict=True))
    counted = [(label, value, count or 0) for (label, value), count in options if value != ""]
    items = "".join(
        f'<li style="--fk-share: {100 * count / most:.1f}%" class="{"" if count else "fk-none"}">'
        + button(
            f"<bdi>{escape(str(label))}</bdi>",
            [(field, value)],
            choices,
            f": {count:,}",
            prefix=prefix,
        )
        + f"<span>{count:,}</span></li>"
        for label, value, count in counted[:_BARS]
    )
    beyond = len(counted) - _BARS
    more = f"<p>and {beyond:,} more in the list above</p>" if beyond > 0 else ""
    title = f'<p class="fk-title">{escape(field.title)}</p>'
    return f'<div class="fk-bars">{title}<ul>{items}</ul>{more}</div>'


def button(
    html: str,
    fields: Sequence[tuple[Field, Any]],
    choices: Choices,
    counted: str = "",
    *,
    prefix: str = "",
) -> str:
    """Return a button that chooses a value in each of the fields, or takes just these back."""
    back = all(is_chosen(field, value, choices) for field, value in fields)
    sent: dict[str, Any] = {}
    for field, value in fields:
        sent |= choice(field, value, back=back)
    named = ", ".join(f"{field.title} {shown_token(value)}" for field, value in fields)
    key = "-".join(f"{field.name}={value}" for field, value in fields)
    return cells.choosing(
        html, sent, label=f"{named}{counted}", key=f"{prefix}tile-{key}", chosen=back
    )


def _first(field: Field, choices: Choices, most: int) -> list[tuple[str, Any]]:
    return [option for option in field.options(choices) if option[1] != ""][:most]
