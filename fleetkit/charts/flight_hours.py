"""Chart of flown hours; draws what its namesake in `metrics` returns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress
from math import isnan, nan
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from fleetkit.arguments import refuse_unknown
from fleetkit.blanks import distinct_names
from fleetkit.charts.drawing import gaps, time_axis
from fleetkit.charts.drawing.bounds import LEGEND_LINES, ROWS, SERIES, SLOTS
from fleetkit.charts.drawing.flown import flown
from fleetkit.charts.drawing.fonts import SMALL
from fleetkit.charts.drawing.frames import read
from fleetkit.charts.drawing.legends import LEGEND_LINE, legend_above, legend_lines
from fleetkit.charts.drawing.lines import text_width
from fleetkit.charts.drawing.marks import rows
from fleetkit.charts.drawing.ranking import NOTHING
from fleetkit.charts.drawing.style import (
    COLOURS,
    COLUMN,
    MILLIMETRE,
    Canvas,
    canvas,
    clean,
    number,
    series_styles,
)
from fleetkit.charts.drawing.styling import Colours
from fleetkit.charts.drawing.time_columns import columns, names_width, newest_of
from fleetkit.columns import NAME_COLUMNS, PIECE_COLUMNS
from fleetkit.errors import InvalidValue
from fleetkit.language import counted, message, say, weekdays
from fleetkit.rounding import HOURS
from fleetkit.schema import FLIGHT_TYPES
from fleetkit.time import Clock, Period
from fleetkit.unassigned import MAY_BE_UNASSIGNED, say_name

__all__ = ["flight_hours"]

_TIMES = ("year", "quarter", "month", "week", "day")
# Groups of which a flight may be in several.
_OF_EQUIPMENT = ("equipment", *PIECE_COLUMNS)
_GROUPS = (
    *("pilot", "flight_type", "operation_type", "project", "client", *_OF_EQUIPMENT),
    *("night", "bvlos", "weekday", "hour"),
)
# Groups whose rows have an order of their own, and how many there are at most.
_ORDERED = {"weekday": 8, "hour": 25}
_NOUNS = {
    "equipment": ("piece of equipment", "pieces of equipment"),
    "category": ("category", "categories"),
    **{
        name: (name.replace("_", " "),) for name in _GROUPS if name not in {"equipment", "category"}
    },
}
# Name of the only series.
_ALL = "hours"
# Measure → the column that holds it, its unit, and its decimals.
_MEASURES = {
    "hours": ("hours", "hours", HOURS),
    "flights": ("flights", "flights", 0),
    "distance": ("distance", message("distance, as reported"), 0),
    "median": ("median_minutes", message("minutes, median"), HOURS),
}
# Series and slot → hours and flights.
_Cells: TypeAlias = dict[tuple[str, str], tuple[float, float]]
_EMPTY = nan, nan
# Least distance between the numbers above two bars. [pt]
_SEAM = 2.0


def flight_hours(
    hours: Any,
    ax: Axes | None = None,
    *,
    period: Any = None,
    covered: Period | None = None,
    recorded: Period | None = None,
    dense: bool = False,
    width: float = COLUMN,
    title: str = "",
    colours: Colours = None,
    measure: str = "hours",
) -> Axes:
    """Draw flown hours: columns over years, quarters, months, weeks or days, or rows by other keys.

    A second key stacks the bars; months without flights stay visible as gaps. In a report, a
    pointer shows the hours and flights of each column.

    Parameters
    ----------
    hours : frame
        As `metrics.flight_hours` returns it: one or two keys, ``flights``, ``hours`` [h], or the
        column of another measure. Where it also has ``pilot_name``, ``name`` or ``project_title``,
        rows are labelled with that.
    ax : Axes, optional
        Where to draw; default: new Axes.
    period : str, int, date, pandas.Period or Period, optional
        Months, weeks or days of it that lie before the first or after the last flight are gaps
        too.
    covered : Period, optional
        What the data cover: outside of it nothing is known, and the gap says so.
    recorded : Period, optional
        What the data cover without a filter; default: `covered`. A gap that is the filter's says
        so.
    dense : bool
        Leave no room for months, weeks or days without flights between others.
    width : float
        Width of new Axes. [mm]
    title : str
        What to write above it.
    colours : str, list or dict, optional
        Others than the house's; see `axes`.
    measure : {"hours", "flights", "distance", "median"}
        What is drawn. Medians don't add up, so they take no second key.

    Returns
    -------
    Axes

    Raises
    ------
    InvalidValue
        When the frame has no key, more than two, or two of time, or two for medians; another
        measure.

    Examples
    --------
    >>> hours = {"month": ["2026-09", "2026-10"], "flights": [3, 4], "hours": [1.5, 2.0]}
    >>> [float(bar.get_height()) for bar in flight_hours(pd.DataFrame(hours)).patches]
    [1.5, 2.0]
    """
    refuse_unknown([measure], _MEASURES, "measure")
    column = _MEASURES[measure][0]
    frame = read(hours, "flight_hours", numbers=("flights", column))
    frame = frame.assign(hours=frame[column])
    period = None if period is None else Period.read(period, Clock.of(hours).tz)
    times = [name for name in frame.columns if name in _TIMES]
    groups = [name for name in frame.columns if name in _GROUPS]
    if not 1 <= len(times) + len(groups) <= 2 or len(times) > 1:
        raise InvalidValue(
            f"charts.flight_hours can't draw the keys {', '.join(times + groups) or '(none)'}.",
            advice="Use one key, or one of time and one other, or two others.",
        )
    if measure == "median" and len(times) + len(groups) > 1:
        raise InvalidValue(
            "Medians don't add up, so they can't be stacked.", advice="Count them by one key."
        )
    with canvas(
        frame, ax, title=title, colours=colours, width=width, height=62 if width == COLUMN else 40
    ) as page:
        if frame.empty:
            page.message(gaps.nothing(covered, period, NOTHING, recorded))
        elif times:
            group = groups[0] if groups else None
            frame = frame.assign(**{times[0]: time_axis.dated(frame[times[0]])})
            span = {"period": period, "covered": covered, "recorded": recorded, "dense": dense}
            _over_time(page, frame, times[0], group, measure, **span)
        else:
            _by_group(page, frame, groups, measure)
    return page.ax


def _over_time(
    page: Canvas,
    frame: pd.DataFrame,
    time: str,
    group: str | None,
    measure: str,
    *,
    period: Period | None,
    covered: Period | None,
    recorded: Period | None,
    dense: bool,
) -> None:
    """Draw a column for each slot of time, which a second key stacks; gaps say what is unknown."""
    slots, earlier = time_axis.slots(frame[time], time, period, most=SLOTS, dense=dense)
    page.leave_out(earlier, time, how="earlier")
    stacks, styles, cells = _stacks(frame, time, group, slots)
    unit, decimals = _unit(frame, group, measure), _MEASURES[measure][2]
    beside = group is not None and not page.is_narrow
    lines = legend_lines(page, stacks, LEGEND_LINES) if group and not beside else []
    right = names_width(stacks) / MILLIMETRE + 1 if beside else 2
    top = 4.7 + LEGEND_LINE * len(lines) if lines else 8
    page.margins(left=12.5, right=right, top=top, bottom=8)
    ticks = time_axis.ticks(slots, time, page.width)
    beyond = time_axis.beyond(ticks, page.width) / MILLIMETRE
    page.margins(left=12.5, right=max(right, beyond), top=top, bottom=8)
    blank = gaps.unknown(slots, time, covered)
    drawn_before = len(page.ax.patches)  # Axes that a chart is given may hold what others drew
    columns(
        page,
        ticks,
        stacks,
        styles,
        unit=unit,
        labelled=_widest(stacks, decimals) + _SEAM <= page.width / len(slots),
        named=beside,
        titles=_titles(
            stacks, cells, {slot: time_axis.title(slot, time) for slot in slots}, measure
        ),
        keys=slots,
        decimals=decimals,
        blank=[
            is_blank or _is_unrecorded(stacks, cells, slot)
            for is_blank, slot in zip(blank, slots, strict=True)
        ],
    )
    legend_above(page, lines, styles)
    gaps.explain(page, blank, covered, recorded)
    if frame["hours"].isna().all() and not all(blank):
        gaps.write(page, blank.index(False), blank.count(False), say("not recorded"), height=0.75)
    if group is None and time == "month":
        _quiet_but_the_newest(page.ax.patches[drawn_before:], slots)


def _quiet_but_the_newest(bars: Sequence[Patch], slots: Sequence[str]) -> None:
    newest = newest_of(slots)
    for place, bar in enumerate(bars):
        if place != newest:
            bar.set_facecolor(COLOURS["quiet"])


def _unit(frame: pd.DataFrame, group: str | None, measure: str) -> str:
    """Return what is drawn; a flight counts under each piece of equipment in a stack of these."""
    unit = _MEASURES[measure][1]
    if group not in _OF_EQUIPMENT or frame[group].nunique() < 2:
        return unit
    return say("{measure}, summed over equipment", measure=say(unit))


def _is_unrecorded(stacks: Iterable[str], cells: _Cells, slot: str) -> bool:
    """Whether something was flown in a slot, and how much of it is not known."""
    amounts = [cells[name, slot][0] for name in stacks if (name, slot) in cells]
    return bool(amounts) and all(map(isnan, amounts))


def _widest(stacks: Mapping[str, Sequence[float]], decimals: int) -> float:
    """Return the width of the longest number above a bar [pt]."""
    totals = (sum(parts) for parts in zip(*stacks.values(), strict=True))
    return max((text_width(number(total, decimals), SMALL) for total in totals), default=0.0)


def _by_group(page: Canvas, frame: pd.DataFrame, groups: Sequence[str], measure: str) -> None:
    first, group = groups[0], groups[1] if len(groups) > 1 else None
    unit, decimals = _unit(frame, group, measure), _MEASURES[measure][2]
    keys = _keys(frame[first])
    totals = frame.groupby(np.array(keys, dtype=object), sort=False)["hours"].sum(min_count=1)
    if first not in _ORDERED:
        totals = totals.sort_values(ascending=False, kind="stable")
    slots = page.first(totals.index.tolist(), _ORDERED.get(first, ROWS), *_NOUNS[first])
    stacks, styles, cells = _stacks(frame, first, group, slots)
    shown = set(slots)
    drawn = [key in shown for key in keys]
    names = dict(zip(compress(keys, drawn), _row_names(frame[drawn], first), strict=True))
    rows(
        page,
        [names[slot] for slot in slots],
        stacks,
        [number(totals[slot], decimals) for slot in slots],
        unit=unit,
        styles=styles,
        named=group is not None,
        titles=_titles(stacks, cells, {slot: names[slot] for slot in slots}, measure),
        keys=slots,
    )


def _night(value: Any) -> str:
    if pd.isna(value):
        return say("night: not recorded")
    return say("night: yes") if value else say("night: no")


def _bvlos(value: Any) -> str:
    if pd.isna(value):
        return say("BVLOS: not recorded")
    return say("BVLOS: yes") if value else say("BVLOS: no")


def _weekday(value: Any) -> str:
    return say("no date") if pd.isna(value) else weekdays()[int(value) - 1]


def _hour(value: Any) -> str:
    return say("no time") if pd.isna(value) else f"{int(value):02d}:00"


# How keys that aren't texts are written.
_WORDS: dict[str, Callable[[Any], str]] = {
    "night": _night,
    "bvlos": _bvlos,
    "weekday": _weekday,
    "hour": _hour,
}


def _keys(values: pd.Series) -> list[str]:
    is_null = values.isna().tolist()
    return [
        "" if null else str(value) for value, null in zip(values.tolist(), is_null, strict=True)
    ]


def _row_names(frame: pd.DataFrame, key: str) -> list[str]:
    if key in _WORDS:
        return [_WORDS[key](value) for value in frame[key]]
    has_names = NAME_COLUMNS.get(key) in frame.columns
    called = distinct_names(frame[NAME_COLUMNS[key]], frame[key]) if has_names else frame[key]
    names = called.tolist()
    cleaned = {name: clean(name) for name in dict.fromkeys(names)}
    if key in MAY_BE_UNASSIGNED:
        cleaned = {name: say_name(text) for name, text in cleaned.items()}
    return [cleaned[name] for name in names]


def _stacks(
    frame: pd.DataFrame, key: str, group: str | None, slots: Sequence[str]
) -> tuple[dict[str, list[float]], dict[str, dict[str, Any]], _Cells]:
    """Return the hours of each series in each slot, the style of each series, and what they sum."""
    names = _row_names(frame, group) if group else [_ALL] * len(frame)
    # Fixed places, so that a type keeps its colour in a month that lacks another one.
    fixed = list(FLIGHT_TYPES) if group == "flight_type" else []
    order = list(dict.fromkeys([*fixed, *names]))
    styles = series_styles(order[: SERIES + len(fixed)])
    if len(set(names)) > SERIES:
        # The smallest are drawn as one, so that the stack keeps its height.
        sizes = frame["hours"].abs().groupby(names, sort=False).sum()
        ranked = sorted(sizes.index, key=lambda name: (name not in fixed, -sizes[name]))
        largest = [name for name in order if name in ranked[: SERIES - 1]]
        more = say("{count} more", count=number(len(ranked) - len(largest)))
        names = [name if name in largest else more for name in names]
        order, styles = [*largest, more], series_styles([*dict.fromkeys([*fixed, *largest])])
        styles[more] = {**styles[largest[0]], "facecolor": COLOURS["quiet"]}
    cells, present = _summed(names, _keys(frame[key]), frame, set(slots)), set(names)
    drawn = {
        name: [_known(cells.get((name, slot), _EMPTY)[0]) for slot in slots]
        for name in order
        if name in present
    }
    return drawn, styles, cells


def _summed(
    names: Sequence[str], keys: Sequence[str], frame: pd.DataFrame, slots: Collection[str]
) -> _Cells:
    """Return hours and flights of each series in each slot; NaN where none are known."""
    cells: _Cells = {}
    amounts = (frame[column].tolist() for column in ("hours", "flights"))
    for name, key, *added in zip(names, keys, *amounts, strict=True):
        if key not in slots:
            continue
        before = cells.get((name, key), _EMPTY)
        hours, flights = (
            one if isnan(other) else _known(one) + other
            for one, other in zip(before, added, strict=True)
        )
        cells[name, key] = hours, flights
    return cells


def _known(value: float) -> float:
    return 0.0 if isnan(value) else value


def _amount(value: float, flights: Any, measure: str) -> str:
    if measure == "hours":
        return flown(value, flights)
    count = counted(flights, "flight")
    if measure == "distance":
        return say("{distance} in {flights}", distance=number(value), flights=count)
    if measure == "median":
        return say(
            "{minutes} min, median of {flights}", minutes=number(value, HOURS), flights=count
        )
    return count


def _titles(
    series: Iterable[str], cells: _Cells, words: Mapping[str, str], measure: str
) -> dict[str, list[str]]:
    """Return what each bar of each series shows: its slot in words, its name, how much it is."""
    texts = {
        (name, slot): f"{'' if name == _ALL else f' · {name}'} · {_amount(value, flights, measure)}"
        for (name, slot), (value, flights) in cells.items()
    }
    return {
        name: [
            f"{text}{texts[name, slot]}" if (name, slot) in texts else ""
            for slot, text in words.items()
        ]
        for name in series
    }
