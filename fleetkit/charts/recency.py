"""Chart of the recency of pilots; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts.drawing import time_axis
from fleetkit.charts.drawing.bounds import ROWS, SLOTS
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.legends import LEGEND_LINE, legend_above, legend_lines
from fleetkit.charts.drawing.marks import CROSS, FILLED, HOLLOW, dumbbells
from fleetkit.charts.drawing.names import pilot_names
from fleetkit.charts.drawing.style import COLOURS, Canvas, canvas
from fleetkit.charts.drawing.styling import Colours
from fleetkit.language import say, short_day
from fleetkit.time import Clock

__all__ = ["recency"]

_EPOCH = date(1970, 1, 1)
_TODAY = {"marker": "|", "mec": COLOURS["ink"], "ms": 7.0}


def recency(
    recency: Any,
    ax: Axes | None = None,
    *,
    as_of: str | date | datetime | None = None,
    tz: str | None = None,
    most: int = ROWS,
    title: str = "",
    colours: Colours = None,
) -> Axes:
    """Draw who is recent: from each pilot's last flight to the day that recency lapses.

    A dot is recent, a cross is not; the words beside it say it too.

    Parameters
    ----------
    recency : frame
        As `metrics.recency` returns it: ``pilot_id``, ``pilot_name``, ``recent``, ``lapses``,
        ``last_flight``.
    ax : Axes, optional
        Where to draw; default: new Axes.
    as_of : date, datetime or str, optional
        The day that the frame speaks of, drawn as a line.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
    most : int
        Rows that are drawn; the others are counted.
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> pilots = pd.DataFrame(
    ...     {
    ...         "pilot_id": ["prof_1"],
    ...         "pilot_name": ["Ana Ruiz"],
    ...         "recent": [True],
    ...         "lapses": [date(2026, 12, 1)],
    ...         "last_flight": pd.to_datetime(["2026-10-20T09:00Z"]),
    ...     }
    ... )
    >>> [text.get_text() for text in recency(pilots).texts][:1]
    ['lapses 1 Dec 2026']
    """
    needed = ("pilot_id", "pilot_name", "recent", "lapses", "last_flight")
    frame = read(recency, "recency", *needed)
    clock = Clock.of(recency, tz=tz)
    day = None if as_of is None else clock.day_of(as_of).date()
    with canvas(frame, ax, title=title, colours=colours) as page:
        if frame.empty:
            page.message("No pilots in this period")
            return page.ax
        frame = page.first(frame.assign(pilot_name=pilot_names(frame)), most, "pilot")
        recent = [not pd.isna(flag) and bool(flag) for flag in frame["recent"]]
        last = _days(frame["last_flight"], clock)
        lapses = _days(frame["lapses"])
        notes = [_recency_note(*pair) for pair in zip(recent, lapses, strict=True)]
        styles = [FILLED if yes else CROSS for yes in recent]
        marks = {
            say("last flight"): HOLLOW,
            say("recent, lapses"): FILLED,
            say("not recent"): CROSS,
        }
        today = {short_day(day): _TODAY} if day else {}
        lines = legend_lines(page, {**marks, **today})
        top = 9 + LEGEND_LINE * (len(lines) - 1)
        names = frame["pilot_name"].tolist()
        dumbbells(page, names, last, lapses, styles=styles, notes=notes, top=top)
        _date_axis(page, [*last, *lapses], day)
        legend_above(page, lines, {**marks, **today}, height=10)
    return page.ax


def _days(moments: pd.Series, clock: Clock | None = None) -> list[float]:
    """Return days since 1970 as a clock shows them, NaN for null: matplotlib's unit of dates."""
    times = pd.to_datetime(moments, utc=True, errors="coerce")
    if clock is not None:
        times = clock.times(times).dt.tz_localize("UTC")
    return [np.nan if pd.isna(time) else time.timestamp() / 86400 for time in times]


def _day(days: float) -> date:
    return _EPOCH + timedelta(days=int(days // 1))


def _recency_note(recent: bool, lapses: float) -> str:
    if np.isnan(lapses):
        return say("recent") if recent else say("not recent")
    return say("lapses {day}" if recent else "lapsed {day}", day=short_day(_day(lapses)))


def _date_axis(page: Canvas, days: Sequence[float], today: date | None) -> None:
    """Draw a hairline at the start of months, and a line at the day that the frame speaks of."""
    low, high = page.ax.get_xlim()
    if today is not None:
        place = (today - _EPOCH).days
        low, high, days = min(low, place), max(high, place), [*days, place]
    known = [_day(day).isoformat()[:7] for day in days if not np.isnan(day)]
    months, _ = time_axis.slots(known, "month", most=SLOTS)
    starts = {month: (date.fromisoformat(f"{month}-01") - _EPOCH).days for month in months}
    # The year stands below the first month that begins on the axis.
    visible = [month for month in months if starts[month] >= low]
    share = page.width / max(len(months), 1)
    texts = time_axis.ticks(visible, "month", share * max(len(visible), 1))
    named = {starts[month]: text for month, text in zip(visible, texts, strict=True) if text}
    page.ax.set_xticks([*named], [*named.values()])
    page.hairlines("x")
    if today is not None:
        page.ax.axvline(place, color=COLOURS["ink"], linewidth=0.9, zorder=1)
    page.ax.set_xlim(low, high)
