"""Slots of a time axis of which nothing is known: left blank, with the reason in the gap."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from fleetkit.charts.drawing import time_axis
from fleetkit.charts.drawing.fonts import SMALL
from fleetkit.charts.drawing.lines import text_width, wrap
from fleetkit.charts.drawing.style import COLOURS, Canvas
from fleetkit.language import say, short_day
from fleetkit.time import Period, in_utc

__all__ = ["after_text", "before_text", "explain", "nothing", "unknown", "write"]

# Height of a line in sizes of its type, and what stays free around a text. [pt]
_LINE, _FREE = 1.2, 4.0
# Lines in which a text can be read; one in more of them, a word or two each, is turned instead.
_MOST_LINES = 3


def unknown(slots: Sequence[str], unit: str, covered: Period | None) -> list[bool]:
    """Return which slots lie outside of what the data cover.

    Parameters
    ----------
    slots : sequence of str
        As `time_axis.slots` returns them.
    unit : {"year", "quarter", "month", "week", "day"}
        What they are.
    covered : Period, optional
        What the data cover; default: everything.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> unknown(["2026-09", "2026-10", "2026-11"], "month", Period.read("2026-10"))
    [True, False, True]
    """
    if covered is None:
        return [False] * len(slots)
    first, last = covered.since.date(), covered.last_day
    spans = (time_axis.span(slot, unit) if slot else (first, last) for slot in slots)
    return [end < first or start > last for start, end in spans]


def explain(
    page: Canvas, flags: Sequence[bool], covered: Period | None, recorded: Period | None = None
) -> None:
    """Write into each gap at an end of the axis why it is blank."""
    if covered is None:
        return
    before = next((index for index, gap in enumerate(flags) if not gap), 0)
    after = next((index for index, gap in enumerate(reversed(flags)) if not gap), 0)
    start, end = covered.since.date(), covered.last_day
    ways = (
        (before_text(start, recorded), _is_cut_before(start, recorded)),
        (after_text(end, recorded), _is_cut_after(end, recorded)),
    )
    for first, count, way in zip((0, len(flags) - after), (before, after), ways, strict=True):
        text, is_cut = way
        write(page, first, count, text, short="" if is_cut else say("no data"))


def nothing(
    covered: Period | None, period: Period | None, otherwise: str, recorded: Period | None = None
) -> str:
    """Return what a chart without any bar says: why nothing is known, or that there is nothing."""
    if covered is None or period is None:
        return otherwise
    if in_utc(period.until) <= in_utc(covered.since):
        return before_text(covered.since.date(), recorded)
    is_after = in_utc(period.since) >= in_utc(covered.until)
    return after_text(covered.last_day, recorded) if is_after else otherwise


def before_text(first: date, recorded: Period | None = None) -> str:
    """Say from which day on something is known, or the filter of what is `recorded` begins."""
    if _is_cut_before(first, recorded):
        return say("the filter begins on {day}", day=short_day(first))
    return say("no data before {day}", day=short_day(first))


def after_text(last: date, recorded: Period | None = None) -> str:
    """Say until which day something is known, or the filter of what is `recorded` ends."""
    if _is_cut_after(last, recorded):
        return say("the filter ends on {day}", day=short_day(last))
    return say("no data after {day}", day=short_day(last))


def _is_cut_before(first: date, recorded: Period | None) -> bool:
    return recorded is not None and recorded.since.date() < first


def _is_cut_after(last: date, recorded: Period | None) -> bool:
    return recorded is not None and recorded.last_day > last


def write(
    page: Canvas, first: int, count: int, text: str, *, short: str = "", height: float = 0.5
) -> None:
    """Write across so many slots, in lines or upright where they are too narrow.

    Where they are too narrow for that too, it is the short text or nothing: what is wider than its
    gap would cover the bars or the numbers beside it.
    """
    if not count:
        return
    left, right = page.ax.transData.transform([(first - 0.5, 0), (first + count - 0.5, 0)])[:, 0]
    scale = 72 / page.figure.dpi
    room = page.ax.get_window_extent().height * scale
    placed = _placed(text, short, (right - left) * scale, room)
    if placed is None:
        return
    lines, rotation = placed
    page.ax.text(
        first + (count - 1) / 2,
        height,
        lines,
        transform=page.ax.get_xaxis_transform(),
        rotation=rotation,
        ha="center",
        va="center",
        fontsize=SMALL,
        color=COLOURS["muted"],
        clip_on=False,
        # Lines of the grid would strike the text through; the paper of others' Axes is theirs.
        bbox={"facecolor": COLOURS["paper"], "edgecolor": "none", "pad": 1} if page.own else None,
    )


def _placed(text: str, short: str, width: float, height: float) -> tuple[str, int] | None:
    """Return a text so that it fits into so much room [pt], and by how much it is turned [°].

    Where its words don't fit, the short text; None where that doesn't fit either.
    """
    level = (wrap(text, width - _FREE, SMALL), 0)
    upright = (text, 90), (wrap(text, height - _FREE, SMALL), 90)
    is_column = level[0].count("\n") >= _MOST_LINES
    ways = [(text, 0), *((*upright, level) if is_column else (level, *upright))]
    whole = [way for way in ways if way[0].split() == text.split()]
    for lines, rotation in (*whole, (short, 90)):
        along = text_width(lines, SMALL) + _FREE
        across = (lines.count("\n") + 1) * _LINE * SMALL
        wide, high = (across, along) if rotation else (along, across)
        if lines and wide <= width and high <= height:
            return lines, rotation
    return None
