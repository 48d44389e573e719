"""Hours by month, stacked by flight type, as light SVG: it follows the page's theme and width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from math import ceil, isnan, log10

import pandas as pd

from fleetkit.rounding import HOURS, number
from fleetkit.time import YEARS, Period

__all__ = ["hours_chart"]

# Plot height and the room below it for the months. [px]
HEIGHT, FOOT = 190, 34
# Up to so many months a plot has room for each name and number, and for names of quarters.
_LABELLED, _QUARTERS = 36, 72
# Up to so many months there is room for the hours above each column.
_TOTALLED = 18
# A plot with fewer months leaves the rest of its width free.
_FEWEST = 12
# Beyond that, months without flights are left out: one wrong date must not flatten all others.
_MOST = 120
_COLOURS = 6
_NOT_GIVEN = "Not given"

_Row = tuple[str, str, int, float]  # month, flight type, flights, hours


def hours_chart(hours: pd.DataFrame, types: Sequence[str], months: tuple[str, str] | None) -> str:
    """Draw stacked columns.

    Parameters
    ----------
    hours : DataFrame
        ``month`` (``YYYY-MM``), ``flight_type``, ``flights``, ``hours`` [h].
    types : sequence of str
        Flight types in their order; the place of each gives its colour.
    months : tuple of str, optional
        First and last month to show, so that the axis stands still while other controls move.

    Returns
    -------
    str
        A legend and one ``<svg>``; or a sentence where there is nothing to draw.

    Examples
    --------
    >>> rows = {"month": ["2026-10"], "flight_type": ["TRAINING"], "flights": [2], "hours": [1.5]}
    >>> "October 2026 · TRAINING · 1.5 h in 2 flights" in hours_chart(
    ...     pd.DataFrame(rows), ["TRAINING"], None)
    True
    """
    rows = _rows(hours, types)
    if not rows:
        why = "No flights match" if hours.empty else "None of these flights has a date"
        return f'<p class="fk-nothing">{why}, so there are no hours to draw.</p>'
    colours = {
        kind: f"fk-{position % _COLOURS}" for position, kind in enumerate([*types, _NOT_GIVEN])
    }
    by_month, by_kind = _sums((row[0], row[3]) for row in rows), _sums(row[1::2] for row in rows)
    axis = _axis(sorted(by_month), months)
    step, top = _ticks(max(by_month.values()))
    totals = _totals(by_month, axis, top) if len(axis) <= _TOTALLED else ""
    return (
        f"{_legend(by_kind, colours)}"
        f'<svg class="fk-columns" height="{HEIGHT + FOOT}" role="img" '
        f'aria-label="{escape(_in_words(by_month))}">'
        f"{_grid(step, top)}{_columns(rows, colours, axis, top)}{totals}{_names(axis)}</svg>"
    )


def _rows(hours: pd.DataFrame, types: Sequence[str]) -> list[_Row]:
    """Return the dated rows by month, and within it in the order of the stack."""
    order = {kind: position for position, kind in enumerate([*types, _NOT_GIVEN])}
    columns = (hours[name].tolist() for name in ("month", "flight_type", "flights", "hours"))
    rows = [
        (month, kind if isinstance(kind, str) else _NOT_GIVEN, flights, value)
        for month, kind, flights, value in zip(*columns, strict=True)
        if isinstance(month, str) and int(month[:4]) in YEARS
    ]
    return sorted(rows, key=lambda row: (row[0], order[row[1]]))


def _sums(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for key, value in pairs:
        sums[key] = sums.get(key, 0.0) + _drawn(value)
    return sums


def _drawn(hours: float) -> float:
    """Return what a bar shows of hours; null, which are not recorded, is no bar."""
    return 0.0 if isnan(hours) else hours


def _axis(months_drawn: Sequence[str], months: tuple[str, str] | None) -> list[str]:
    first, last = months or (months_drawn[0], months_drawn[-1])
    since = Period.read(min(first, months_drawn[0])).since
    until = Period.read(max(last, months_drawn[-1])).until
    every = Period(since, until).months()
    return every if len(every) <= _MOST else list(months_drawn)


def _ticks(highest: float) -> tuple[float, float]:
    """Return a round distance of at most five grid lines, and the axis's end. [h].

    Examples
    --------
    >>> _ticks(312.0), _ticks(0.0)
    ((100.0, 400.0), (1.0, 1.0))
    """
    if not highest > 0:
        return 1.0, 1.0
    power = 10.0 ** ceil(log10(highest / 4))
    step = next(power * part for part in (0.1, 0.2, 0.25, 0.5, 1.0) if 4 * power * part >= highest)
    return step, step * ceil(highest / step - 1e-9)


def _grid(step: float, top: float) -> str:
    lines = []
    for index in range(round(top / step) + 1):
        y = HEIGHT * (1 - index * step / top)
        lines.append(
            f'<line x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="fk-tick" x="-8" y="{y + 4:.1f}">{index * step:,g}</text>'
        )
    return f'<g class="fk-grid">{"".join(lines)}</g>'


def _columns(rows: list[_Row], colours: dict[str, str], axis: list[str], top: float) -> str:
    slot, position = _slots(axis)
    bars, floor = [], dict.fromkeys(axis, float(HEIGHT))
    for month, kind, flights, value in rows:
        height = HEIGHT * _drawn(value) / top
        floor[month] -= height
        counted = f"{flights:,} flight{'' if flights == 1 else 's'}"
        bars.append(
            f'<rect class="{colours[kind]}" x="{(position[month] + 0.14) * slot:.3f}%" '
            f'width="{0.72 * slot:.3f}%" y="{floor[month]:.2f}" height="{height:.2f}">'
            f"<title>{_long(month)} · {escape(kind)} · {number(value, HOURS)} h in {counted}"
            "</title></rect>"
        )
    return "".join(bars)


def _totals(by_month: dict[str, float], axis: list[str], top: float) -> str:
    """Write each column's hours above it."""
    slot, position = _slots(axis)
    return "".join(
        f'<text class="fk-total" x="{(position[month] + 0.5) * slot:.3f}%" '
        f'y="{HEIGHT * (1 - total / top) - 5:.1f}">{number(total, HOURS)}</text>'
        for month, total in by_month.items()
        if total > 0
    )


def _names(axis: list[str]) -> str:
    """Name the months: every one where there is room, else quarters; the year below January."""
    slot, position = _slots(axis)
    names = []
    for month in axis:
        x = f"{(position[month] + 0.5) * slot:.3f}%"
        quarter = month[5:] in {"01", "04", "07", "10"}
        if len(axis) <= _LABELLED or (quarter and len(axis) <= _QUARTERS):
            kind = "fk-month" if quarter or len(axis) <= _FEWEST else "fk-month fk-minor"
            names.append(
                f'<text class="{kind}" x="{x}" y="{HEIGHT + 16}">{_long(month)[:3]}</text>'
            )
        january_near = any(near.endswith("-01") for near in axis[1:3])
        if month.endswith("-01") or (month == axis[0] and not january_near):
            names.append(f'<text class="fk-year" x="{x}" y="{HEIGHT + 30}">{month[:4]}</text>')
    return "".join(names)


def _slots(axis: list[str]) -> tuple[float, dict[str, int]]:
    """Return the room of one month in percent of the width, and the place of each."""
    return 100 / max(len(axis), _FEWEST), {month: position for position, month in enumerate(axis)}


def _legend(by_kind: dict[str, float], colours: dict[str, str]) -> str:
    items = "".join(
        f'<li><i class="{colour}"></i><bdi>{escape(kind)}</bdi> '
        f"<span>{number(by_kind[kind], HOURS)} h</span></li>"
        for kind, colour in colours.items()
        if kind in by_kind
    )
    return f'<ul class="fk-legend">{items}</ul>'


def _in_words(by_month: dict[str, float]) -> str:
    months, most = sorted(by_month), max(by_month, key=lambda month: by_month[month])
    return (
        f"Hours by month, stacked by flight type: {_long(months[0])} to {_long(months[-1])}, "
        f"{number(sum(by_month.values()), HOURS)} hours in all, most in {_long(most)} with "
        f"{number(by_month[most], HOURS)}."
    )


@cache
def _long(month: str) -> str:
    return Period.read(month).title
