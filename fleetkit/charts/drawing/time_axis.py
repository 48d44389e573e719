"""The slots of a time axis: every month, week or day between the first and the last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import MAXYEAR, MINYEAR, date, timedelta
from typing import Any

import pandas as pd

from fleetkit.charts.drawing.fonts import SMALL
from fleetkit.charts.drawing.lines import text_width
from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.language import calendar_day, month, say, short_month
from fleetkit.time import Period

__all__ = ["beyond", "dated", "slots", "span", "ticks", "title"]

# Width that a tick's first and second line take, and of a slot below which days, months or quarters
# are too many to be named: of more than each second quarter, some would have no year. [pt]
_WIDTHS = {"month": 24.0, "week": 26.0, "day": 13.0, "year": 26.0, "quarter": 20.0}
_ABOVE = {"month": 24.0, "week": 26.0, "day": 42.0, "year": 26.0, "quarter": 26.0}
# How many months a slot takes.
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DENSE = {"day": 3.0, "month": 3.0, "quarter": 10.0}
# Completes a month or a year to a date.
_REST = {"month": "-01", "year": "-01-01"}
_UNDATED = "no date"


def slots(
    keys: Iterable[Any],
    unit: str,
    period: Period | None = None,
    *,
    most: int,
    dense: bool = False,
) -> tuple[list[str], int]:
    """Return every slot from the first to the last key, and ``""`` at the end where one is null.

    Parameters
    ----------
    keys : iterable of str
        As `metrics.flight_hours` writes them.
    unit : {"year", "quarter", "month", "week", "day"}
        What the keys are.
    period : Period, optional
        Its first and last day have a slot too.
    most : int
        How many there may be; the newest ones are returned.
    dense : bool
        Whether what lies between two keys has no slot.

    Returns
    -------
    list of str
    int
        How many earlier ones were left out.

    Raises
    ------
    InvalidValue
        For a key that isn't of that form.

    Examples
    --------
    >>> slots(["2026-11", "2027-01"], "month", most=12)
    (['2026-11', '2026-12', '2027-01'], 0)
    >>> slots(["2026-W51", "2027-W01"], "week", most=2)
    (['2026-W53', '2027-W01'], 2)
    """
    keys = list(keys)
    ends = [] if period is None else [period.since.date(), period.last_day]
    dated = [str(key) for key in keys if not pd.isna(key)] + [_key(day, unit) for day in ends]
    starts = sorted({_start(key, unit) for key in dated})
    undated = [""] * any(pd.isna(key) for key in keys)
    if not starts:
        return undated, 0
    counts: Sequence[int] = [_count(start, unit) for start in starts]
    if not dense:
        counts = range(counts[0], counts[-1] + 1)
    earlier = max(0, len(counts) - most + len(undated))
    return [_key(_nth(count, unit), unit) for count in counts[earlier:]] + undated, earlier


def dated(keys: pd.Series[Any]) -> pd.Series[Any]:
    """Return keys of time with null in place of those beyond the calendar, such as ``10000-01``.

    Examples
    --------
    >>> dated(pd.Series(["0000-12", "2026-10", "10000-01"])).tolist()
    [nan, '2026-10', nan]
    """
    years = pd.to_numeric(keys.astype("str").str.partition("-")[0], errors="coerce")
    return keys.mask((years < MINYEAR) | (years > MAXYEAR))


def _start(key: str, unit: str) -> date:
    try:
        if unit == "week":
            year, week = key.split("-W")
            return date.fromisocalendar(int(year), int(week), 1)
        if unit == "quarter":
            year, quarter = key.split("-Q")
            return date(int(year), 3 * int(quarter) - 2, 1)
        return date.fromisoformat(f"{key}{_REST.get(unit, '')}")
    except ValueError:
        raise InvalidValue(
            f"{brief(key)} is not a valid {unit}.",
            advice=f"Pass what metrics.flight_hours(by={unit!r}) returns.",
        ) from None


def span(key: str, unit: str) -> tuple[date, date]:
    """Return the first and the last day of a slot.

    Examples
    --------
    >>> span("2026-02", "month")[1].isoformat(), span("9999-12", "month")[1].isoformat()
    ('2026-02-28', '9999-12-31')
    """
    start = _start(key, unit)
    count = _count(start, unit)
    if count == _count(date.max, unit):
        return start, date.max
    return start, _nth(count + 1, unit) - timedelta(days=1)


def _key(start: date, unit: str) -> str:
    year, week, _ = start.isocalendar()
    forms = {
        "year": f"{start.year:04d}",
        "quarter": f"{start.year:04d}-Q{(start.month + 2) // 3}",
        "month": start.isoformat()[:7],
        "week": f"{year:04d}-W{week:02d}",
    }
    return forms.get(unit, start.isoformat())


def _count(start: date, unit: str) -> int:
    """Return which slot it is, counted from the year 1 on."""
    if unit in _MONTHS:
        return (start.year * 12 + start.month - 1) // _MONTHS[unit]
    return start.toordinal() // 7 if unit == "week" else start.toordinal()


def _nth(count: int, unit: str) -> date:
    if unit in _MONTHS:
        months = count * _MONTHS[unit]
        return date(months // 12, months % 12 + 1, 1)
    return date.fromordinal(count * 7 + 1 if unit == "week" else count)


def ticks(slots: Sequence[str], unit: str, width: float) -> list[str]:
    r"""Return the text below each slot, empty where it would touch its neighbour.

    The year, or the month of days, stands in a second line where it begins.

    Parameters
    ----------
    slots : sequence of str
        As `slots` returns them.
    unit : {"year", "quarter", "month", "week", "day"}
        What they are.
    width : float
        Width of the axis. [pt]

    Examples
    --------
    >>> ticks(["2026-11", "2026-12", "2027-01"], "month", 300)
    ['Nov\n2026', 'Dec', 'Jan\n2027']
    >>> ticks(["2026-10-30", "2026-10-31", "2026-11-01"], "day", 60)
    ['30', '31', '1\nNov 2026']
    """
    dated = [key for key in slots if key]
    slot = width / max(len(slots), 1)
    undated = say(_UNDATED)
    if text_width(undated, SMALL) > slot:
        undated = undated.replace(" ", "\n")
    texts = [""] * len(dated) + [undated] * (len(slots) - len(dated))
    keys = dict(enumerate(dated))
    if slot < _DENSE.get(unit, 0.0):
        begins = {at: key for at, key in keys.items() if key.endswith(("-01", "-Q1"))}
        unit, letters = ("month", 7) if unit == "day" else ("year", 4)
        keys = {at: key[:letters] for at, key in begins.items()}
    if len(dated) < len(slots):
        reach = (text_width(undated, SMALL) + _WIDTHS[unit]) / 2
        keys = {at: key for at, key in keys.items() if (len(dated) - at) * slot >= reach}
    before, above_at = "", -len(slots)
    for index in _apart(keys, _WIDTHS[unit] / slot):
        text, above = _words(keys[index], unit)
        texts[index] = text
        if above and above != before:
            if (index - above_at) * slot < _ABOVE[unit]:
                # The part of a month or year that came before is too short to be named.
                texts[above_at] = texts[above_at].split("\n")[0]
            texts[index], before, above_at = f"{text}\n{above}", above, index
    return texts


def beyond(texts: Sequence[str], width: float) -> float:
    """Return by how many points the texts below the slots of an axis reach beyond its end.

    Examples
    --------
    >>> beyond(["", "W52"], 10) > 0, beyond(["", "W52"], 100)
    (True, 0.0)
    """
    slot = width / max(len(texts), 1)
    halves = (max(text_width(line, SMALL) for line in text.split("\n")) / 2 for text in texts)
    rooms = ((len(texts) - place - 0.5) * slot for place in range(len(texts)))
    return max((0.0, *(half - room for half, room in zip(halves, rooms, strict=True))))


def _apart(indices: Iterable[int], distance: float) -> list[int]:
    """Return places at least so far apart, counted from the end: the newest is always named."""
    selected: list[int] = []
    for index in sorted(indices, reverse=True):
        if not selected or selected[-1] - index >= distance:
            selected.append(index)
    return selected[::-1]


def _words(key: str, unit: str) -> tuple[str, str]:
    """Return the text of a slot, and of the year or month that it belongs to."""
    if unit == "year":
        return key, ""
    start = _start(key, unit)
    if unit == "quarter":
        return say("Q{quarter}", quarter=key[-1]), key[:4]
    if unit == "week":
        return say("W{week}", week=key[-2:]), key[:4]
    if unit == "month":
        return short_month(start), f"{start.year}"
    return f"{start.day}", month(start, short=True)


def title(key: str, unit: str) -> str:
    """Return a slot in words.

    Examples
    --------
    >>> title("2026-10", "month"), title("2026-W07", "week"), title("2026-10-05", "day")
    ('October 2026', 'Week 7 of 2026', '5 October 2026')
    """
    if not key:
        return say(_UNDATED)
    if unit == "year":
        return key
    if unit == "quarter":
        return say("Q{quarter} of {year}", quarter=key[-1], year=key[:4])
    if unit == "week":
        return say("Week {week} of {year}", week=int(key[-2:]), year=key[:4])
    start = _start(key, unit)
    return calendar_day(start) if unit == "day" else month(start)
