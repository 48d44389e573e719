"""Hours by month, stacked by flight type, as light SVG: it follows the page's theme and width."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, log10

import pandas as pd

from fleetkit import periods

__all__ = ["hours_chart"]

# Plot height and the room below it for the months. [px]
HEIGHT, FOOT = 190, 34
# Room that a month's name, and a bar's number, need. [share of the plot's width]
_CROWDED, _LABELLED = 14, 36
# A plot with fewer months leaves the rest of its width free. [months]
_FEWEST = 12
# Beyond that, months without flights are left out: one wrong date must not flatten all others.
_MOST = 120
_NOT_GIVEN = "Not given"


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
    dated = hours.dropna(subset=["month"])
    if dated.empty:
        why = "No flights match" if hours.empty else "None of these flights has a date"
        return f'<p class="fk-nothing">{why}, so there are no hours to draw.</p>'
    named = dated.assign(flight_type=dated["flight_type"].astype("str").fillna(_NOT_GIVEN))
    kinds = [*types, *([_NOT_GIVEN] if _NOT_GIVEN in set(named["flight_type"]) else [])]
    axis = _axis(named["month"], months)
    step, top = _ticks(named.groupby("month")["hours"].sum().max())
    parts = [_grid(step, top), _columns(named, kinds, axis, top), _month_names(axis)]
    return (
        f"{_legend(named, kinds)}"
        f'<svg class="fk-columns" height="{HEIGHT + FOOT}" role="img" '
        f'aria-label="{escape(_in_words(named))}">{"".join(parts)}</svg>'
    )


def _axis(found: pd.Series, months: tuple[str, str] | None) -> list[str]:
    first, last = months or (found.min(), found.max())
    first, last = min(first, found.min()), max(last, found.max())
    since, until = periods.parse(first).since, periods.parse(last).until
    every = periods.Period(since, until).months()
    return every if len(every) <= _MOST else sorted(found.unique())


def _ticks(highest: float) -> tuple[float, float]:
    """Return a round distance of three to five grid lines, and the axis's end. [h].

    Examples
    --------
    >>> _ticks(312.0), _ticks(0.0)
    ((100.0, 400.0), (1.0, 1.0))
    """
    if not highest > 0:
        return 1.0, 1.0
    rough = highest / 4
    power = 10.0 ** ceil(log10(rough))
    step = next(power * each for each in (0.1, 0.2, 0.25, 0.5, 1.0) if power * each >= rough)
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


def _columns(hours: pd.DataFrame, kinds: Sequence[str], axis: Sequence[str], top: float) -> str:
    slot = 100 / max(len(axis), _FEWEST)
    place = {month: index for index, month in enumerate(axis)}
    colour = {kind: index % 6 for index, kind in enumerate(kinds)}
    order = {kind: index for index, kind in enumerate(kinds)}
    bars, floor = [], dict.fromkeys(axis, 0.0)
    rows = hours.assign(_order=hours["flight_type"].map(order)).sort_values(["month", "_order"])
    for month, kind, flights, value in rows[
        ["month", "flight_type", "flights", "hours"]
    ].to_numpy():
        base = floor[month]
        floor[month] = base + value
        height = HEIGHT * value / top
        title = f"{_long(month)} · {kind} · {value:,.1f} h in {flights:,} flights"
        bars.append(
            f'<rect class="fk-{colour[kind]}" x="{(place[month] + 0.14) * slot:.3f}%" '
            f'width="{0.72 * slot:.3f}%" y="{HEIGHT * (1 - base / top) - height:.2f}" '
            f'height="{height:.2f}"><title>{escape(title)}</title></rect>'
        )
    if len(axis) <= _LABELLED:
        bars += [
            f'<text class="fk-total" x="{(place[month] + 0.5) * slot:.3f}%" '
            f'y="{HEIGHT * (1 - total / top) - 5:.1f}">{total:,.0f}</text>'
            for month, total in floor.items()
            if total >= 0.5
        ]
    return "".join(bars)


def _month_names(axis: Sequence[str]) -> str:
    """Name the months: every one where there is room, else quarters; the year below January."""
    slot = 100 / max(len(axis), _FEWEST)
    names = []
    for index, month in enumerate(axis):
        x = (index + 0.5) * slot
        quarter = month[5:] in {"01", "04", "07", "10"}
        if len(axis) <= 3 * _CROWDED and (quarter or len(axis) <= _LABELLED):
            kind = "fk-month" if quarter else "fk-month fk-minor"
            names.append(
                f'<text class="{kind}" x="{x:.3f}%" y="{HEIGHT + 16}">{_short(month)}</text>'
            )
        if index == 0 or month.endswith("-01"):
            names.append(f'<text class="fk-year" x="{x:.3f}%" y="{HEIGHT + 30}">{month[:4]}</text>')
    return "".join(names)


def _legend(hours: pd.DataFrame, kinds: Sequence[str]) -> str:
    totals = hours.groupby("flight_type")["hours"].sum()
    items = "".join(
        f'<li><i class="fk-{index % 6}"></i><bdi>{escape(kind)}</bdi> '
        f"<span>{totals[kind]:,.1f} h</span></li>"
        for index, kind in enumerate(kinds)
        if kind in totals
    )
    return f'<ul class="fk-legend">{items}</ul>'


def _in_words(hours: pd.DataFrame) -> str:
    by_month = hours.groupby("month")["hours"].sum()
    return (
        f"Hours by month, stacked by flight type: {_long(by_month.index.min())} to "
        f"{_long(by_month.index.max())}, {by_month.sum():,.1f} hours in all, most in "
        f"{_long(str(by_month.idxmax()))} with {by_month.max():,.1f}."
    )


def _long(month: str) -> str:
    return periods.parse(month).title


def _short(month: str) -> str:
    return periods.parse(month).title[:3]
