"""Hours by month, stacked by flight type: the report's chart, in the colours of the page."""

from __future__ import annotations

import json
import re
from html import escape

import pandas as pd

from fleetkit import charts, svg
from fleetkit.charts.drawing.svg import to_svg
from fleetkit.rounding import HOURS, number
from fleetkit.schema import FLIGHT_TYPES
from fleetkit.time import YEARS, Period

__all__ = ["hours_chart"]

# Its text is read from a width of 600 px on. [mm]
_WIDTH, _HEIGHT = 160.0, 48.0
# In a longer span, months without flights are left out: one wrong date must not flatten all others.
_MOST = 120
_NOT_GIVEN = "not given"
# A mark of the picture that says what it is when pointed at.
_MARK = re.compile(r"<g>(\s*)<title>([^<]*)</title>")
_VARIABLES = {colour: f"fk-{name}" for name, colour in charts.COLOURS.items()}


def hours_chart(
    hours: pd.DataFrame,
    months: tuple[str, str] | None = None,
    chosen: tuple[str, tuple[str, ...]] = ("", ()),
) -> str:
    """Draw stacked columns.

    Parameters
    ----------
    hours : DataFrame
        ``month`` (``YYYY-MM``), ``flight_type``, ``flights``, ``hours`` [h].
    months : tuple of str, optional
        First and last month to show, so that the axis stands still while other controls move.
    chosen : tuple
        The period and the flight types that are chosen: the bar of just these takes them back.

    Returns
    -------
    str
        Hours of each type and one ``<svg>``; or a sentence where there is nothing to draw.

    Examples
    --------
    >>> rows = {"month": ["2026-10"], "flight_type": ["TRAINING"], "flights": [2], "hours": [1.5]}
    >>> "October 2026 · TRAINING · 1.5 h in 2 flights" in hours_chart(
    ...     pd.DataFrame(rows))
    True
    """
    rows = _rows(hours)
    if rows.empty:
        why = "No flights match" if hours.empty else "None of these flights has a date"
        return f'<p class="fk-nothing">{why}, so there are no hours to draw.</p>'
    period = _axis(rows["month"], months)
    dense = len(period.months()) > _MOST
    ax = charts.axes(_WIDTH, _HEIGHT)
    charts.flight_hours(rows, ax, period=None if dense else period, dense=dense)
    picture = svg.inline(to_svg(ax, _in_words(rows)), "fk", _VARIABLES, tooltip=False)
    # Bars are buttons, which no screen reader would find inside of an image.
    picture = _with_buttons(picture.replace('role="img"', 'role="group"', 1), rows, chosen)
    return (
        f'<div class="fk-hours"><p class="fk-title">Hours by month</p>{_totals(rows)}'
        '<div class="fk-scroll fk-newest" data-rove tabindex="0" role="group" aria-label="Chart">'
        f"{picture}</div></div>"
    )


def _with_buttons(picture: str, rows: pd.DataFrame, chosen: tuple[str, tuple[str, ...]]) -> str:
    """Let each bar choose its month and flight type, or take back just these."""
    bars = {
        f"{Period.read(month).title} · {escape(kind)}": (month, kind)
        for month, kind in zip(rows["month"], rows["flight_type"], strict=True)
    }

    def button(mark: re.Match[str]) -> str:
        title = mark[2]
        bar = bars.get(title.rpartition(" · ")[0])
        if bar is None or bar[1] == _NOT_GIVEN:
            return mark[0]
        month, kind = bar
        is_chosen = chosen == (month, (kind,))
        choices = {"period": "" if is_chosen else month, "flight_type": [] if is_chosen else [kind]}
        return (
            f'<g role="button" tabindex="-1" data-action="choose" aria-label="{title}" '
            f'aria-pressed="{str(is_chosen).lower()}" data-key="bar-{month}-{escape(kind)}" '
            f'data-value="{escape(json.dumps(choices))}">{mark[1]}<title>{title}</title>'
        )

    return _MARK.sub(button, picture)


def _rows(hours: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have a date, with a name for the type of those without one."""
    dated = [isinstance(month, str) and int(month[:4]) in YEARS for month in hours["month"]]
    rows = hours.loc[dated]
    return rows.assign(flight_type=rows["flight_type"].fillna(_NOT_GIVEN))


def _axis(drawn: pd.Series, months: tuple[str, str] | None) -> Period:
    """Return the months from the first to the last one."""
    ends = sorted([*drawn, *(months or ())])
    return Period.between(Period.read(ends[0]).since, Period.read(ends[-1]).until)


def _totals(rows: pd.DataFrame) -> str:
    """Return the hours of each type, in the order of the reference; the chart has their colours."""
    totals = rows.groupby("flight_type")["hours"].sum()
    names = [*(name for name in FLIGHT_TYPES if name in totals), *totals.index]
    items = "".join(
        f"<li><bdi>{escape(name)}</bdi> <span>{number(totals[name], HOURS)} h</span></li>"
        for name in dict.fromkeys(names)
    )
    return f'<ul class="fk-legend">{items}</ul>'


def _in_words(rows: pd.DataFrame) -> str:
    totals = rows.groupby("month")["hours"].sum()
    first, last, most = (
        Period.read(month).title for month in (totals.index[0], totals.index[-1], totals.idxmax())
    )
    return (
        f"Hours by month, stacked by flight type: {first} to {last}, "
        f"{number(totals.sum(), HOURS)} hours in all, most in {most} with "
        f"{number(totals.max(), HOURS)}."
    )
