"""Chart of the hours of every day; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing import gaps, time_axis
from fleetkit.charts.drawing.bounds import SLOTS
from fleetkit.charts.drawing.flown import flown
from fleetkit.charts.drawing.fonts import SMALL
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.ranking import NOTHING
from fleetkit.charts.drawing.shades import Shades
from fleetkit.charts.drawing.style import COLOURS, COLUMN, MILLIMETRE, Canvas, canvas
from fleetkit.charts.drawing.styling import Colours
from fleetkit.charts.drawing.tiles import draw_tiles, name_weekdays
from fleetkit.language import short_month
from fleetkit.time import Period

__all__ = ["calendar"]

# Least and largest width of a week. [mm]
_LEAST, _LARGEST = 2.4, 5.0
# Room around the weeks. [mm]
_LEFT, _RIGHT, _TOP, _BOTTOM = 8.5, 1.0, 5.6, 7.0
# Weeks between the names of two months.
_APART = 3


def calendar(
    calendar: Any,
    ax: Axes | None = None,
    *,
    recorded: Period | None = None,
    width: float = COLUMN,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw every day as a tile, weeks from left to right: the more hours, the darker.

    A day of which nothing is known is blank; one without flights is grey.

    Parameters
    ----------
    calendar : frame
        As `metrics.calendar` returns it: ``day``, ``flights``, ``hours`` [h].
    ax : Axes, optional
        Where to draw; default: new Axes.
    recorded : Period, optional
        What the data cover without a filter; default: the days that are known. A gap that is the
        filter's says so.
    width : float
        Width of new Axes [mm]; the newest weeks that fit are shown, and earlier days counted.
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> days = {"day": ["2026-10-30", "2026-10-31"], "flights": [2, 0], "hours": [1.5, 0.0]}
    >>> [text.get_text() for text in calendar(pd.DataFrame(days)).texts]
    ['0', 'to 0.5', 'to 1.0', 'to 1.5 h in a day']
    """
    frame = read(calendar, "calendar", "day", numbers=("flights", "hours"))
    with canvas(frame, ax, title=title, colours=colours, width=width) as page:
        if frame["flights"].isna().all():
            page.message(NOTHING if frame.empty else "Nothing is known of these days")
            return page.ax
        days = _newest(page, frame)
        _weeks(page, days)
        _months(page, days)
        _explain(page, days, recorded)
    return page.ax


def _newest(page: Canvas, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the days of the newest weeks that fit, with the place of each tile."""
    dates = [time_axis.span(day, "day")[0] for day in frame["day"]]
    weeks = [(when.toordinal() - 1) // 7 for when in dates]  # the year 1 begins with a Monday
    room = page.figure_width / MILLIMETRE - _LEFT - _RIGHT
    most = min(int(room / _LEAST), SLOTS // 7 + 1)
    days = frame.assign(_date=dates, _week=weeks)
    shown = days[days["_week"] > max(weeks) - most].drop_duplicates("day").sort_values("_date")
    page.leave_out(len(days) - len(shown), "day", how="earlier")
    return shown.assign(
        _week=shown["_week"] - shown["_week"].min(),
        _row=[when.weekday() for when in shown["_date"]],
    )


def _weeks(page: Canvas, days: pd.DataFrame) -> None:
    room = page.figure_width / MILLIMETRE - _LEFT - _RIGHT
    weeks = int(days["_week"].max()) + 1
    side = min(room / weeks, _LARGEST)
    page.bare()
    page.size(7 * side + _TOP + _BOTTOM)
    page.margins(left=_LEFT, right=_RIGHT, top=_TOP, bottom=_BOTTOM)
    page.ax.set(xlim=(-0.5, room / side - 0.5), ylim=(6.5, -0.5))
    name_weekdays(page, side * MILLIMETRE)
    known = days[days["flights"].notna()]
    hours = known["hours"]
    shades = Shades.of(hours)
    places = list(zip(known["_week"].tolist(), known["_row"].tolist(), strict=True))
    styles = [shades.style(value) for value in hours]
    tiles: list[Any] = list(known.itertuples())
    titles = [
        f"{time_axis.title(row.day, 'day')} · {flown(row.hours, row.flights)}" for row in tiles
    ]
    draw_tiles(page, *(dict(zip(places, of, strict=True)) for of in (styles, titles, hours)))
    shades.explain(page, "h in a day", hours)


def _months(page: Canvas, days: pd.DataFrame) -> None:
    """Name each month below the week in which it begins, and the year where it changes.

    Of the first two months the longer one is named, where there is no room for both.
    """
    ticks: dict[int, str] = {}
    year = 0
    first, last = days["_date"].min(), days["_date"].max()
    for when, week in zip(days["_date"], days["_week"].tolist(), strict=True):
        if ticks and when.day != 1:
            continue
        if ticks and week - max(ticks) < _APART:
            if when - first > last - when:
                continue
            ticks, year = {}, 0
        name = short_month(when)
        ticks[week] = name if when.year == year else f"{name}\n{when.year}"
        year = when.year
    page.ax.set_xticks([*ticks], [*ticks.values()], fontsize=SMALL)
    page.ax.tick_params(axis="x", pad=2, labelcolor=COLOURS["muted"])


def _explain(page: Canvas, days: pd.DataFrame, recorded: Period | None) -> None:
    """Write into the blank weeks at each end why they are blank, where there is room."""
    known = days[days["flights"].notna()]
    first, last = known["_date"].min(), known["_date"].max()
    begin, end = int(known["_week"].min()), int(known["_week"].max())
    weeks = int(days["_week"].max()) + 1
    for text, start, count in (
        (gaps.before_text(first, recorded), 0, begin),
        (gaps.after_text(last, recorded), end + 1, weeks - end - 1),
    ):
        left, right = page.ax.transData.transform([(0, 0), (count, 0)])[:, 0]
        if text_width(text, SMALL) + 4 <= (right - left) / page.figure.dpi * 72:
            page.ax.text(
                start + (count - 1) / 2,
                3,
                text,
                ha="center",
                va="center",
                fontsize=SMALL,
                color=COLOURS["muted"],
            )
