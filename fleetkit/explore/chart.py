"""The chart of flights: the report's, in the colours of the page, of bars that choose."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fleetkit import charts, svg
from fleetkit.charts.drawing.marks import round_ticks
from fleetkit.charts.drawing.ready import ready_axes
from fleetkit.charts.drawing.svg import to_svg
from fleetkit.columns import NAME_COLUMNS
from fleetkit.explore import cells, measuring, tiles
from fleetkit.explore.bars import bar_choices
from fleetkit.explore.fields import NOT_GIVEN, Choices, Field, shown_token
from fleetkit.explore.measuring import MEASURES, Measure
from fleetkit.filters import OF_EQUIPMENT
from fleetkit.rounding import number
from fleetkit.schema import FLIGHT, FLIGHT_TYPES
from fleetkit.time import Period, has_period

__all__ = ["Bars", "bar_charts", "take_off_map"]

# Its text is read from a width of 600 px on. [mm]
_WIDTH, _HEIGHT = 160.0, 48.0
# As high as one that sets its own height begins.
_ROWS = 40.0
_MAP, _MAP_HEIGHT = 110.0, 60.0
# In a longer span, months without flights are left out: one wrong date must not flatten all others.
_MOST = 120
_TIMES = ("month", "week")
# The id of a bar in the picture, and the placeholder that stands for it until it is a button.
_BAR = re.compile(r'<g id="(titled-\d+)">')
_PLACE = re.compile(r'<g data-bar="(titled-\d+)">(\s*)<title>([^<]*)</title>')
# Stands for a sum over values that are all null.
_NOT_RECORDED = "not recorded"
# Most totals that never need to be scrolled.
_SHORT = 8
_VARIABLES = {colour: f"fk-{name}" for name, colour in charts.COLOURS.items()}


@dataclass(frozen=True)
class Bars:
    """What the bars of a chart are of.

    Attributes
    ----------
    counted : DataFrame
        The grouping, ``flight_type`` where it adds up, ``flights`` and the measure.
    months : tuple of str or None
        First and last month to show, so that the axis stands still while other controls move.
    beside : str
        Which other period it is of, where it stands beside the one that is chosen.
    """

    counted: pd.DataFrame
    months: tuple[str, str] | None = None
    beside: str = ""


def bar_charts(parts: Sequence[Bars], choices: Choices, fields: Mapping[str, Field]) -> str:
    """Draw bars of a measure, stacked by flight type where it adds up, on one scale.

    Parameters
    ----------
    parts : sequence of Bars
        What is chosen, first.
    choices : mapping
        What is chosen: ``measure`` and ``grouping``, and what the bars choose.
    fields : mapping
        Name → field.

    Returns
    -------
    str
        For each part what each flight type comes to, and one ``<svg>``; or a sentence where there
        is nothing to draw.
    """
    grouping, measure = choices["grouping"], MEASURES[choices["measure"]]
    rows = [_rows(part.counted, grouping, fields) for part in parts]
    with ExitStack() as stack:
        axes = [
            stack.enter_context(_drawn(some, grouping, choices["measure"], part.months))
            if len(some)
            else None
            for part, some in zip(parts, rows, strict=True)
        ]
        has_bars = [bool(some[measure.column].gt(0).any()) for some in rows]
        _set_scale([ax for ax, has in zip(axes, has_bars, strict=True) if ax and has])
        return "".join(
            _chart(part, some, ax, choices, fields)
            if ax
            else _nothing(part.counted, grouping, measure)
            for part, some, ax in zip(parts, rows, axes, strict=True)
        )


def _chart(
    part: Bars, rows: pd.DataFrame, ax: Axes, choices: Choices, fields: Mapping[str, Field]
) -> str:
    grouping, measure = choices["grouping"], MEASURES[choices["measure"]]
    title = measuring.title(choices) + (f", {part.beside}" if part.beside else "")

    def button(key: str, kind: str) -> tuple[str, Any]:
        kind = kind if "flight_type" in rows else ""
        chosen = bar_choices(grouping, key, kind, fields, choices)
        return (f"bar-{key}-{kind}" if kind else f"bar-{key}"), chosen

    words = _in_words(ax, rows, title, grouping, measure)
    picture = _picture(ax, words, button, part.beside)
    newest = " fk-newest" if grouping in _TIMES and _is_full(ax) else ""
    totals = _totals(rows, grouping, measure)
    counted = part.counted["flights"]
    return (
        f'<div class="fk-hours"><p class="fk-title">{escape(title)}</p>{totals}'
        f'<div class="fk-scroll{newest}" data-rove tabindex="0" role="group" '
        f'aria-label="{"Other chart" if part.beside else "Chart"}">{picture}</div></div>'
        f"{_without_date(counted, rows['flights']) if grouping in _TIMES else ''}"
    )


def _without_date(counted: pd.Series, drawn: pd.Series) -> str:
    """Return how many flights stand in no month or week; nothing where all do in one."""
    flights = int(counted.sum())
    return tiles.lacking(flights - int(drawn.sum()), f"{flights:,} flights", "date")


def _summed(rows: pd.DataFrame, grouping: str, measure: Measure) -> dict[Any, float]:
    """Return what each value of a grouping comes to, in their order; last that of null."""
    sums: dict[Any, float] = {}
    values = rows[measure.column].astype("float64").fillna(0.0).tolist()
    keys, nulls = rows[grouping].tolist(), rows[grouping].isna().tolist()
    for key, is_null, value in zip(keys, nulls, values, strict=True):
        known = None if is_null else key
        sums[known] = sums.get(known, 0.0) + value
    return {key: sums[key] for key in [*sorted(sums.keys() - {None}), *sums.keys() & {None}]}


def _is_full(ax: Axes) -> bool:
    """Whether upright bars reach the end of their axis: a few leave room there."""
    last = max((bar.get_x() for bars in ax.containers for bar in bars), default=None)
    return last is None or last + 1.5 >= ax.get_xlim()[1]


def _set_scale(axes: Sequence[Axes]) -> None:
    """Let a unit be as long in each chart as in that where it is shortest.

    Names and notes of other lengths leave the bars of each chart other room.
    """
    lengths = [_unit_length(ax) for ax in axes]
    for ax, length in zip(axes, lengths, strict=True):
        factor = length / min(lengths)
        if factor > 1:
            low, high = _limits(ax)
            widen = ax.set_ylim if _is_upright(ax) else ax.set_xlim
            widen(low, low + (high - low) * factor)
            if _is_upright(ax):
                round_ticks(ax)


def _unit_length(ax: Axes) -> float:
    """Return how long a bar of 1 is [pixels]."""
    low, high = _limits(ax)
    plot = ax.get_window_extent()
    return float((plot.height if _is_upright(ax) else plot.width) / (high - low))


def _limits(ax: Axes) -> tuple[float, float]:
    return ax.get_ylim() if _is_upright(ax) else ax.get_xlim()


def _is_upright(ax: Axes) -> bool:
    return not ax.get_xlabel()


def take_off_map(
    counted: pd.DataFrame, field: Field, choices: Choices, *, most: float, beside: str
) -> str:
    """Draw where flights took off, whatever the measure: their number in areas that choose.

    What is chosen is drawn again in smaller areas, so that a click goes nearer.

    Parameters
    ----------
    counted : DataFrame
        As `metrics.take_offs` returns it, by area.
    field : Field
        What an area is chosen in.
    choices : mapping
        What is chosen.
    most : float
        Flights of the fullest area of all maps that this one is compared with.
    beside : str
        As for `Bars`.
    """
    if counted.empty:
        return '<p class="fk-nothing">No flights match, so there is no map to draw.</p>'
    located = int(counted.loc[counted["position"] == "located", "flights"].sum())
    flights = int(counted["flights"].sum())
    noun = FLIGHT.nouns[flights != 1]
    words = f"Map of take-off points: {located:,} of {flights:,} {noun}."

    def button(key: str, _: str) -> tuple[str, Any]:
        area = field.check(key)
        is_chosen = choices[field.name] == area
        return f"area-{key}", ({field.name: field.format(() if is_chosen else area)}, is_chosen)

    with ready_axes(_MAP, _MAP_HEIGHT) as ax:
        picture = _picture(charts.take_offs(counted, ax, most=most), words, button, beside)
    other = f", {escape(beside)}" if beside else ""
    return (
        '<div class="fk-hours fk-map"><p class="fk-title">Flights by take-off place'
        f"{other}</p>"
        f'<div class="fk-scroll" data-rove tabindex="0" role="group" '
        f'aria-label="{"Other chart" if beside else "Chart"}">{picture}</div></div>'
    )


def _picture(
    ax: Axes, words: str, button: Callable[[str, str], tuple[str, Any]], beside: str
) -> str:
    """Return a chart whose marks are buttons.

    Parameters
    ----------
    ax : Axes
    words : str
        What it shows.
    button : callable
        Takes what a mark is of; returns by what the browser finds it again, and what it sends with
        whether that is chosen, or None where it chooses nothing.
    beside : str
        As for `Bars`.
    """
    keys = ax.drawing.keys  # type: ignore[attr-defined] # a chart of ours
    prefix = "other-" if beside else ""
    picture = _BAR.sub(
        lambda bar: f'<g data-bar="{bar[1]}">' if bar[1] in keys else bar[0], to_svg(ax, words)
    )
    picture = svg.inline(picture, "fk-other" if beside else "fk", _VARIABLES, tooltip=False)
    if keys:  # buttons, which no screen reader would find inside of an image
        picture = picture.replace('role="img"', 'role="group"', 1)

    def marked(mark: re.Match[str]) -> str:
        key, chosen = button(*keys[mark[1]])
        return _button(mark, chosen, prefix + key)

    return _PLACE.sub(marked, picture)


@contextmanager
def _drawn(
    rows: pd.DataFrame, grouping: str, measure: str, months: tuple[str, str] | None
) -> Iterator[Axes]:
    """Draw the chart, whose picture is to be taken within the block."""
    if grouping not in _TIMES:
        with ready_axes(_WIDTH, _ROWS) as ax:
            yield charts.flight_hours(rows, ax, measure=measure)
        return
    period = _axis(rows[grouping], months)
    dense = len(period.months()) > _MOST
    with ready_axes(_WIDTH, _HEIGHT) as ax:
        yield charts.flight_hours(
            rows, ax, period=None if dense else period, dense=dense, measure=measure
        )


def _button(mark: re.Match[str], chosen: tuple[dict[str, Any], bool] | None, key: str) -> str:
    """Let a bar choose what it stands for, or take back just that."""
    _, blank, title = mark.groups()
    if chosen is None:
        return f"<g>{blank}<title>{title}</title>"
    sent, is_chosen = chosen
    return (
        f'<g role="button" tabindex="-1" data-action="choose" aria-label="{title}" '
        f'aria-pressed="{str(is_chosen).lower()}" data-key="{escape(key)}" '
        f'data-value="{escape(json.dumps(sent))}">{blank}<title>{title}</title>'
    )


def _nothing(counted: pd.DataFrame, grouping: str, measure: Measure) -> str:
    why = "No flights match"
    if not counted.empty:
        needed = {"equipment": "an aircraft that is chosen"}.get(grouping, "equipment")
        why = "None of these flights has " + ("a date" if grouping in _TIMES else needed)
    what = "hours" if measure.column == "hours" else "bars"
    return f'<p class="fk-nothing">{why}, so there are no {what} to draw.</p>'


def _rows(counted: pd.DataFrame, grouping: str, fields: Mapping[str, Field]) -> pd.DataFrame:
    """Return the rows to draw, with a name for the type of those without one.

    Identifiers get the name that their option has, which tells two of the same name apart.
    """
    rows = counted.loc[_has_bar(counted[grouping], grouping)]
    if grouping in NAME_COLUMNS:
        labels = fields[grouping].labels({})
        names = [labels.get(key, key) for key in rows[grouping].tolist()]
        rows = rows.assign(**{NAME_COLUMNS[grouping]: names})
    if "flight_type" in rows:
        rows = rows.assign(flight_type=rows["flight_type"].astype("object").fillna(NOT_GIVEN))
    return rows


def _has_bar(values: pd.Series, grouping: str) -> list[bool]:
    """Return which values are drawn: times that are dates, and equipment that is chosen.

    Whether a flight without that has other equipment, or none, isn't known here.
    """
    if grouping in _TIMES:
        return [isinstance(time, str) and has_period(time) for time in values]
    return values.notna().tolist() if grouping in OF_EQUIPMENT else [True] * len(values)


def _axis(drawn: pd.Series, months: tuple[str, str] | None) -> Period:
    """Return the months or weeks from the first to the last one."""
    ends = [Period.read(end) for end in (drawn.min(), drawn.max(), *(months or ()))]
    return Period.between(
        min(period.since for period in ends), max(period.until for period in ends)
    )


def _totals(rows: pd.DataFrame, grouping: str, measure: Measure) -> str:
    """Return what each type comes to, in the reference's order; the chart has their colours.

    Nothing where a flight counts under each of its pieces of equipment: the bars add up to more.
    """
    if "flight_type" not in rows or grouping in OF_EQUIPMENT:
        return ""
    shown = {name: shown_token(name) for name in rows["flight_type"].unique()}
    rows = rows.assign(flight_type=rows["flight_type"].map(shown))
    totals = _summed(rows, "flight_type", measure)
    recorded = set(rows.loc[rows[measure.column].notna(), "flight_type"])
    names = dict.fromkeys([*(name for name in FLIGHT_TYPES if name in totals), *totals])
    items = "".join(
        f"<li>{cells.text(name)} "
        f"<span>{_amount(totals[name], measure) if name in recorded else _NOT_RECORDED}</span></li>"
        for name in names
    )
    # Without anything in it to go to, the keyboard could not scroll it.
    stop = ' tabindex="0" aria-label="Totals by flight type"' if len(names) > _SHORT else ""
    return f'<ul class="fk-legend"{stop}>{items}</ul>'


def _amount(total: float | None, measure: Measure, unit: str | None = None) -> str:
    """Return a number of a measure with its unit, which is 1 flight where there is one."""
    shown, unit = number(total, measure.decimals), measure.unit if unit is None else unit
    return f"{shown} {unit.removesuffix('s') if shown == '1' else unit}".strip()


def _in_words(ax: Axes, rows: pd.DataFrame, title: str, grouping: str, measure: Measure) -> str:
    """Return what a screen reader says of a chart; it counts what is not drawn beside its bars."""
    stacked = ", stacked by flight type" if "flight_type" in rows else ""
    if rows[measure.column].isna().all():
        return f"{title}{stacked}: {_NOT_RECORDED}."
    totals = _summed(rows, grouping, measure)
    most = max(totals.values(), default=None)
    drawing: Any = ax.drawing  # type: ignore[attr-defined] # a chart of ours
    is_outline = grouping in _TIMES and not drawing.keys
    if grouping != "month" and not is_outline:
        drawn = len({key for key, _ in drawing.keys.values()})
        bars = f"{drawn:,} bar{'s' if drawn != 1 else ''}, the largest with"
        largest_and_others = ", and ".join([_amount(most, measure), *drawing.left_out])
        return f"{title}{stacked}: {bars} {largest_and_others}."
    ends = (min(totals), max(totals), max(totals, key=totals.__getitem__))
    first, last, largest = (Period.read(month).title for month in ends)
    in_all = f", {_amount(sum(totals.values()), measure, measure.noun)} in all"
    return (
        f"{title}{stacked}: {first} to {last}{in_all if measure.is_sum else ''}, "
        f"most in {largest} with {number(most, measure.decimals)}."
    )
