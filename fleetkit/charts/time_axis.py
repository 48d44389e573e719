"""The slots of a time axis: every month, week or day between the first and the last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.periods import Period

__all__ = ["slots", "span", "ticks"]

# Width that a tick's first and second line take, and of a slot below which days are too many
# to be numbered. [pt]
_WIDTHS = {"month": 24.0, "week": 26.0, "day": 13.0}
_ABOVE = {"month": 24.0, "week": 26.0, "day": 42.0}
_DENSE = 3.0
_UNDATED = "no date"


def slots(keys: Iterable[Any], unit: str, period: Period | None = None) -> list[str]:
    """Return every slot from the first to the last key, and ``""`` at the end where one is null.

    Parameters
    ----------
    keys : iterable of str
        As `metrics.flight_hours` writes them.
    unit : {"month", "week", "day"}
        What the keys are.
    period : Period, optional
        Its first and last day have a slot too.

    Raises
    ------
    InvalidValue
        For a key that isn't of that form.

    Examples
    --------
    >>> slots(["2026-11", "2027-01"], "month")
    ['2026-11', '2026-12', '2027-01']
    >>> slots(["2026-W53", "2027-W01"], "week")
    ['2026-W53', '2027-W01']
    """
    keys = list(keys)
    ends = [] if period is None else [period.since.date(), period.last_day]
    dated = [str(key) for key in keys if not pd.isna(key)] + [_key(day, unit) for day in ends]
    starts = sorted({_start(key, unit) for key in dated})
    found, current = [], starts[0] if starts else None
    while current is not None and current <= starts[-1]:
        found.append(_key(current, unit))
        current = _after(current, unit)
    return found + [""] * any(pd.isna(key) for key in keys)


def _start(key: str, unit: str) -> date:
    try:
        if unit == "week":
            year, week = key.split("-W")
            return date.fromisocalendar(int(year), int(week), 1)
        return date.fromisoformat(f"{key}-01" if unit == "month" else key)
    except ValueError:
        raise InvalidValue(
            f"{key!r} is no {unit}.", advice=f"Pass what metrics.flight_hours(by={unit!r}) returns."
        ) from None


def span(key: str, unit: str) -> tuple[date, date]:
    """Return the first and the last day of a slot.

    Examples
    --------
    >>> span("2026-02", "month")[1].isoformat()
    '2026-02-28'
    """
    start = _start(key, unit)
    return start, _after(start, unit) - timedelta(days=1)


def _key(start: date, unit: str) -> str:
    year, week, _ = start.isocalendar()
    forms = {"week": f"{year:04d}-W{week:02d}", "month": start.isoformat()[:7]}
    return forms.get(unit, start.isoformat())


def _after(start: date, unit: str) -> date:
    if unit == "month":
        return (start + timedelta(days=31)).replace(day=1)
    return start + timedelta(days=7 if unit == "week" else 1)


def ticks(found: Sequence[str], unit: str, width: float) -> list[str]:
    r"""Return the text below each slot, empty where it would touch its neighbour.

    The year, or the month of days, stands in a second line where it begins.

    Parameters
    ----------
    found : sequence of str
        As `slots` returns them.
    unit : {"month", "week", "day"}
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
    dated = [key for key in found if key]
    slot = width / max(len(found), 1)
    texts = [""] * len(dated) + [_UNDATED] * (len(found) - len(dated))
    if unit == "day" and slot < _DENSE:
        firsts = {place: key[:7] for place, key in enumerate(dated) if key.endswith("-01")}
        unit, keys = "month", firsts
    else:
        keys = dict(enumerate(dated))
    before, above_at = "", -len(found)
    for place in _apart(keys, _WIDTHS[unit] / slot):
        text, above = _words(keys[place], unit)
        texts[place] = text
        if above != before:
            if (place - above_at) * slot < _ABOVE[unit]:
                # The part of a month or year that came before is too short to be named.
                texts[above_at] = texts[above_at].split("\n")[0]
            texts[place], before, above_at = f"{text}\n{above}", above, place
    return texts


def _apart(places: Iterable[int], distance: float) -> list[int]:
    """Return places at least so far apart, counted from the end: the newest is always named."""
    kept: list[int] = []
    for place in sorted(places, reverse=True):
        if not kept or kept[-1] - place >= distance:
            kept.append(place)
    return kept[::-1]


def _words(key: str, unit: str) -> tuple[str, str]:
    """Return the text of a slot, and of the year or month that it belongs to."""
    start = _start(key, unit)
    if unit == "week":
        return f"W{key[-2:]}", key[:4]
    if unit == "month":
        return f"{start:%b}", f"{start.year}"
    return f"{start.day}", f"{start:%b} {start.year}"
