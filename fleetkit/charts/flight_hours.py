"""Charts of the flight hours chapter; each draws what its namesake in `metrics` returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fleetkit.charts import gaps, time_axis
from fleetkit.charts.bounds import ROWS, SERIES, SLOTS
from fleetkit.charts.fonts import BOLD, SMALL
from fleetkit.charts.lines import text_width
from fleetkit.charts.marks import (
    CROSS,
    FILLED,
    HOLLOW,
    columns,
    dumbbells,
    layout_rows,
    legend,
    names_width,
    notes_after,
    rows,
    value_axis,
)
from fleetkit.charts.style import (
    COLOURS,
    HALF,
    MILLIMETRE,
    Canvas,
    canvas,
    clean,
    number,
    read,
    series_styles,
)
from fleetkit.context import Zone, flight_clock, zone_of
from fleetkit.errors import InvalidValue
from fleetkit.periods import Period
from fleetkit.rounding import HOURS, PERCENT, RATE
from fleetkit.schema import FLIGHT_TYPES

__all__ = ["aircraft_hours", "flight_hours", "night_and_bvlos", "pilots", "recency", "utilisation"]

_TIMES = ("month", "week", "day")
_GROUPS = ("pilot", "flight_type", "operation_type", "project", "client", "equipment")
# Columns that name what a key identifies, where the caller has joined them.
_NAMES = {"pilot": "pilot_name", "equipment": "name", "project": "project_title"}
_NOUNS = {
    "equipment": ("piece of equipment", "pieces of equipment"),
    **{name: (name.replace("_", " "),) for name in _GROUPS if name != "equipment"},
}
_NOTHING = "No flights to show"
_UNASSIGNED = "Unassigned"
# Least distance between the numbers above two bars. [pt]
_SEAM = 2.0
_EPOCH = date(1970, 1, 1)
_TODAY = {"marker": "|", "mec": COLOURS["ink"], "ms": 7.0}


def flight_hours(
    hours: Any,
    ax: Axes | None = None,
    *,
    period: Any = None,
    covered: Period | None = None,
) -> Axes:
    """Draw flown hours: columns over months, weeks or days, or rows by any other key.

    A second key stacks the bars; months without flights stay visible as gaps.

    Parameters
    ----------
    hours : frame
        As `metrics.flight_hours` returns it: one or two keys, ``flights``, ``hours`` [h]. Where
        it also has ``pilot_name``, ``name`` or ``project_title``, rows are labelled with that.
    ax : Axes, optional
        Where to draw; default: new Axes.
    period : str, int, date, pandas.Period or Period, optional
        Months, weeks or days of it that lie before the first or after the last flight are gaps
        too.
    covered : Period, optional
        What the data cover: outside of it nothing is known, and the gap says so.

    Returns
    -------
    Axes

    Raises
    ------
    InvalidValue
        When the frame has no key, more than two, or two of time.

    Examples
    --------
    >>> hours = {"month": ["2026-09", "2026-10"], "flights": [3, 4], "hours": [1.5, 2.0]}
    >>> [float(bar.get_height()) for bar in flight_hours(pd.DataFrame(hours)).patches]
    [1.5, 2.0]
    """
    frame = read(hours, "flight_hours", "flights", "hours")
    period = None if period is None else Period.read(period, zone_of(hours))
    times = [name for name in frame.columns if name in _TIMES]
    groups = [name for name in frame.columns if name in _GROUPS]
    if not 1 <= len(times) + len(groups) <= 2 or len(times) > 1:
        raise InvalidValue(
            f"charts.flight_hours can't draw the keys {', '.join(times + groups) or '(none)'}.",
            advice="Use one key, or one of time and one other, or two others.",
        )
    with canvas(frame, ax, height=62) as page:
        if frame.empty:
            page.message(gaps.nothing(covered, period, _NOTHING))
        elif times:
            group = groups[0] if groups else None
            _over_time(page, frame, times[0], group, period=period, covered=covered)
        else:
            _by_group(page, frame, groups)
    return page.ax


def _over_time(
    page: Canvas,
    frame: pd.DataFrame,
    time: str,
    group: str | None,
    *,
    period: Period | None,
    covered: Period | None,
) -> None:
    slots, earlier = time_axis.slots(frame[time], time, period, most=SLOTS)
    page.leave_out(earlier, time, how="earlier")
    page.drawing.newest_last = True
    stacks, styles = _stacks(frame, time, group, slots)
    right = names_width(stacks) / MILLIMETRE + 1 if group else 2
    page.margins(left=12.5, right=right, top=8, bottom=8)
    columns(
        page,
        time_axis.ticks(slots, time, page.width),
        stacks,
        styles,
        unit="hours",
        labelled=_widest(stacks) + _SEAM <= page.width / len(slots),
        named=group is not None,
        blank=(blank := gaps.unknown(slots, time, covered)),
    )
    gaps.explain(page, blank, covered)
    if group is None and time == "month":
        for bar in page.ax.patches[: len(slots) - 1]:
            bar.set_facecolor(COLOURS["quiet"])


def _widest(stacks: Mapping[str, Sequence[float]]) -> float:
    """Return the width of the longest number above a bar [pt]."""
    totals = (sum(parts) for parts in zip(*stacks.values(), strict=True))
    return max((text_width(number(total, HOURS), SMALL) for total in totals), default=0.0)


def _by_group(page: Canvas, frame: pd.DataFrame, groups: Sequence[str]) -> None:
    first = groups[0]
    totals = frame.groupby(_keys(frame[first]), sort=False)["hours"].sum()
    slots = list(totals.sort_values(ascending=False, kind="stable").index)
    slots = page.first(slots, ROWS, *_NOUNS[first])
    stacks, styles = _stacks(frame, first, groups[1] if len(groups) > 1 else None, slots)
    names = dict(zip(_keys(frame[first]), _row_names(frame, first), strict=True))
    rows(
        page,
        [names[slot] for slot in slots],
        stacks,
        styles,
        [number(totals[slot], HOURS) for slot in slots],
        unit="hours",
        named=len(groups) > 1,
    )


def _keys(values: pd.Series) -> list[str]:
    return ["" if pd.isna(value) else str(value) for value in values]


def _row_names(frame: pd.DataFrame, key: str) -> list[str]:
    names = frame[_NAMES[key]] if _NAMES.get(key) in frame.columns else frame[key]
    return [clean(name, null=clean(value)) for name, value in zip(names, frame[key], strict=True)]


def _stacks(
    frame: pd.DataFrame, key: str, group: str | None, slots: Sequence[str]
) -> tuple[dict[str, list[float]], dict[str, dict[str, Any]]]:
    """Return the hours of each series in each slot, and the style of each series."""
    names = pd.Series(_row_names(frame, group) if group else ["hours"] * len(frame), frame.index)
    hours = frame["hours"].astype("float64").fillna(0.0)
    # Fixed places, so that a type keeps its colour in a month that lacks another one.
    fixed = list(FLIGHT_TYPES) if group == "flight_type" else []
    order = list(dict.fromkeys([*fixed, *names]))
    styles = series_styles(order[: SERIES + len(fixed)])
    if names.nunique() > SERIES:
        # The smallest are drawn as one, so that the stack keeps its height.
        sizes = hours.abs().groupby(names, sort=False).sum()
        ranked = sorted(sizes.index, key=lambda name: (name not in fixed, -sizes[name]))
        largest = [name for name in order if name in ranked[: SERIES - 1]]
        more = f"{number(len(ranked) - len(largest))} more"
        names = names.where(names.isin(largest), more)
        order, styles = [*largest, more], series_styles(largest)
        styles[more] = {**styles[largest[0]], "facecolor": COLOURS["quiet"]}
    cells = hours.groupby([names, pd.Series(_keys(frame[key]), frame.index)]).sum()
    present = set(names)
    return {
        name: cells[name].reindex(slots, fill_value=0.0).tolist()
        for name in order
        if name in present
    }, styles


def utilisation(utilisation: Any, ax: Axes | None = None, *, covered: Period | None = None) -> Axes:
    """Draw the hours that an aircraft flies on an average day, month by month.

    Months that are null are gaps.

    Parameters
    ----------
    utilisation : frame
        As `metrics.utilisation` returns it: ``month``, ``hours_per_aircraft_day`` [h].
    ax : Axes, optional
        Where to draw; default: new Axes.
    covered : Period, optional
        What the data cover: of what lies outside, the gap says why it is one.

    Returns
    -------
    Axes

    Examples
    --------
    >>> use = pd.DataFrame({"month": ["2026-09", "2026-10"], "hours_per_aircraft_day": [0.5, 0.75]})
    >>> utilisation(use).lines[0].get_ydata().tolist()
    [0.5, 0.75]
    """
    frame = read(utilisation, "utilisation", "month", "hours_per_aircraft_day")
    with canvas(frame, ax, height=46) as page:
        if frame.empty:
            page.message("No aircraft in this period")
            return page.ax
        page.leave_out(len(frame) - SLOTS, "month", how="earlier")
        page.drawing.newest_last = True
        frame = frame[-SLOTS:]
        page.margins(left=12.5, right=12.5, top=8, bottom=8)
        values = frame["hours_per_aircraft_day"].astype(float)
        positions = np.arange(len(frame))
        page.ax.plot(positions, values, color=COLOURS["accent"], linewidth=1.6, clip_on=False)
        page.ax.fill_between(positions, values, color=COLOURS["accent"], alpha=0.12, linewidth=0)
        page.ax.set_xlim(-0.3, max(len(frame) - 1, 1))
        page.ax.set_xticks(positions, time_axis.ticks(list(frame["month"]), "month", page.width))
        value_axis(
            page, 0.0, float(values.max(skipna=True) or 0.0), unit="hours per aircraft and day"
        )
        _last_point(page, positions, values)
        gaps.explain(page, gaps.unknown(list(frame["month"]), "month", covered), covered)
    return page.ax


def _last_point(page: Canvas, positions: Any, values: pd.Series) -> None:
    if pd.isna(values.iloc[-1]):
        return
    page.ax.plot(positions[-1:], values[-1:], "o", color=COLOURS["accent"], ms=4.5, clip_on=False)
    page.ax.annotate(
        number(values.iloc[-1], RATE),
        (positions[-1], values.iloc[-1]),
        xytext=(6, 0),
        textcoords="offset points",
        va="center_baseline",
        fontweight=BOLD,
        annotation_clip=False,
    )


def aircraft_hours(hours: Any, ax: Axes | None = None, *, most: int = ROWS) -> Axes:
    """Draw the hours of each aircraft as rows, in the frame's order.

    Parameters
    ----------
    hours : frame
        As `metrics.aircraft_hours` returns it: ``name``, ``flights``, ``hours`` [h].
    ax : Axes, optional
        Where to draw; default: new Axes, half a column wide.
    most : int
        Rows that are drawn; the others are counted.

    Returns
    -------
    Axes

    Examples
    --------
    >>> hours = pd.DataFrame({"name": ["Heron 1"], "flights": [1], "hours": [0.5]})
    >>> [text.get_text() for text in aircraft_hours(hours).texts]
    ['0.5 · 1 flight']
    """
    frame = read(hours, "aircraft_hours", "name", "flights", "hours")
    with canvas(frame, ax, width=HALF) as page:
        frame = page.first(frame, most, "aircraft", "aircraft")
        _ranking(page, frame, [clean(name) for name in frame["name"]])
    return page.ax


def pilots(pilots: Any, ax: Axes | None = None, *, most: int = ROWS) -> Axes:
    """Draw the hours of each pilot as rows, in the frame's order; "Unassigned" in grey, always.

    Parameters
    ----------
    pilots : frame
        As `metrics.pilots` returns it: ``pilot_id``, ``pilot_name``, ``flights``, ``hours`` [h].
    ax : Axes, optional
        Where to draw; default: new Axes, half a column wide.
    most : int
        Rows that are drawn; the others are counted.

    Returns
    -------
    Axes

    Examples
    --------
    >>> hours = {"pilot_id": ["prof_1"], "pilot_name": ["Ana Ruiz"], "flights": [9], "hours": [4.0]}
    >>> [label.get_text() for label in pilots(pd.DataFrame(hours)).get_yticklabels()]
    ['Ana Ruiz']
    """
    frame = read(pilots, "pilots", "pilot_id", "pilot_name", "flights", "hours")
    with canvas(frame, ax, width=HALF) as page:
        unassigned = frame["pilot_id"].isna() | (frame["pilot_id"] == _UNASSIGNED)
        assigned = page.first(frame[~unassigned], most, "pilot")
        frame = frame[unassigned | frame.index.isin(assigned.index)]
        _ranking(page, frame, _pilot_names(frame))
    return page.ax


def _pilot_names(frame: pd.DataFrame) -> list[str]:
    pairs = zip(frame["pilot_name"], frame["pilot_id"], strict=True)
    return [clean(name, null=clean(identifier, null=_UNASSIGNED)) for name, identifier in pairs]


def _ranking(page: Canvas, frame: pd.DataFrame, names: Sequence[str]) -> None:
    if frame.empty:
        page.message(_NOTHING)
        return
    pairs = zip(frame["hours"], frame["flights"], strict=True)
    rows(
        page,
        names,
        {"hours": frame["hours"].tolist()},
        series_styles(["hours"]),
        [f"{number(hours, HOURS)} · {_flights(flights)}" for hours, flights in pairs],
        unit="hours",
        colours=[COLOURS["quiet" if name == _UNASSIGNED else "accent"] for name in names],
    )


def _flights(count: Any) -> str:
    return f"{number(count)} flight{'' if count == 1 else 's'}"


def night_and_bvlos(shares: Any, ax: Axes | None = None) -> Axes:
    """Draw the shares of night and BVLOS flying, by flights and by hours, with their coverage.

    Parameters
    ----------
    shares : frame
        As `metrics.night_and_bvlos` returns it: ``flag``, ``flights``, ``known_flights``,
        ``flights_share``, ``known_hours``, ``hours_share`` (shares from 0 to 1).
    ax : Axes, optional
        Where to draw; default: new Axes, half a column wide.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import pandas as pd
    >>> shares = pd.DataFrame({
    ...     "flag": ["night_flight", "bvlos"], "flights": [10, 10],
    ...     "known_flights": [10, 8], "flights_share": [0.2, 0.5],
    ...     "known_hours": [5.0, 4.0], "hours_share": [0.1, 0.5],
    ... })
    >>> [label.get_text() for label in night_and_bvlos(shares).get_yticklabels()]
    ['Night, flights', 'Night, hours', 'BVLOS, flights', 'BVLOS, hours']
    """
    needed = ("flag", "known_flights", "flights_share", "known_hours", "hours_share")
    frame = read(shares, "night_and_bvlos", *needed)
    with canvas(frame, ax, width=HALF) as page:
        if frame.empty:
            page.message(_NOTHING)
            return page.ax
        labels, values, notes = _share_rows(page.first(frame, ROWS // 2, "flag"))
        centres = layout_rows(page, labels)
        notes_after(page, centres, [0.0] * len(values), [1.0] * len(values), notes)
        page.ax.barh(centres, 1.0, height=3.4, color=COLOURS["line"], label="all")
        page.ax.barh(centres, np.nan_to_num(values), height=3.4, color=COLOURS["accent"])
        page.unit("share of what says yes or no", axis="x")
    return page.ax


_FLAGS = {"night_flight": "Night", "bvlos": "BVLOS"}


def _share_rows(frame: pd.DataFrame) -> tuple[list[str], list[float], list[str]]:
    labels: list[str] = []
    values: list[float] = []
    notes: list[str] = []
    for _, row in frame.iterrows():
        for measure in ("flights", "hours"):
            share, known = row[f"{measure}_share"], row[f"known_{measure}"]
            missing = pd.isna(share)
            labels.append(f"{_FLAGS.get(row['flag'], clean(row['flag']))}, {measure}")
            values.append(np.nan if missing else float(share))
            of = f"of {number(known)}" if measure == "flights" else f"of {number(known, HOURS)} h"
            notes.append("not recorded" if missing else f"{number(100 * share, PERCENT)} % {of}")
    return labels, values, notes


def recency(
    recency: Any,
    ax: Axes | None = None,
    *,
    as_of: date | None = None,
    tz: str | None = None,
    most: int = ROWS,
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
    as_of : date, optional
        The day that the frame speaks of, drawn as a line.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
    most : int
        Rows that are drawn; the others are counted.

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
    with canvas(frame, ax) as page:
        if frame.empty:
            page.message("No pilots in this period")
            return page.ax
        frame = page.first(frame, most, "pilot")
        recent = [bool(flag) for flag in frame["recent"].fillna(False)]
        last = _days(frame["last_flight"], zone_of(recency, tz=tz))
        lapses = _days(frame["lapses"])
        notes = [_recency_note(*pair) for pair in zip(recent, lapses, strict=True)]
        styles = [FILLED if yes else CROSS for yes in recent]
        dumbbells(page, _pilot_names(frame), last, lapses, styles=styles, notes=notes)
        _date_axis(page, [*last, *lapses], as_of)
        marks = {"last flight": HOLLOW, "recent, lapses": FILLED, "not recent": CROSS}
        today = {f"{as_of.day} {as_of:%b %Y}": _TODAY} if as_of else {}
        legend(page, {**marks, **today}, height=10)
    return page.ax


def _days(moments: pd.Series, zone: Zone | None = None) -> list[float]:
    """Return days since 1970 on the clock of a zone, NaN for null: matplotlib's unit of dates."""
    times = pd.to_datetime(moments, utc=True, errors="coerce")
    if zone is not None:
        times = flight_clock(times, zone).dt.tz_localize("UTC")
    return [np.nan if pd.isna(time) else time.timestamp() / 86400 for time in times]


def _day(days: float) -> date:
    return _EPOCH + timedelta(days=int(days // 1))


def _recency_note(recent: bool, lapses: float) -> str:
    if np.isnan(lapses):
        return "recent" if recent else "not recent"
    day = _day(lapses)
    return f"{'lapses' if recent else 'lapsed'} {day.day} {day:%b %Y}"


def _date_axis(page: Canvas, days: Sequence[float], as_of: date | None) -> None:
    """Draw a hairline at the start of months, and a line at the day that the frame speaks of."""
    low, high = page.ax.get_xlim()
    known = [f"{_day(day):%Y-%m}" for day in days if not np.isnan(day)]
    months, _ = time_axis.slots(known, "month", most=SLOTS)
    texts = time_axis.ticks(months, "month", page.width)
    starts = [(date.fromisoformat(f"{month}-01") - _EPOCH).days for month in months]
    visible = [pair for pair in zip(starts, texts, strict=True) if pair[1] and pair[0] >= low]
    page.ax.set_xticks([start for start, _ in visible], [text for _, text in visible])
    page.hairlines("x")
    if as_of is not None:
        page.ax.axvline((as_of - _EPOCH).days, color=COLOURS["ink"], linewidth=0.9, zorder=1)
    page.ax.set_xlim(low, high)
