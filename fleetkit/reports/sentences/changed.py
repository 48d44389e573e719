"""The sentences on what changed since the last report: months, and what a mirror observed."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import pandas as pd

from fleetkit.kinds import RESTATEMENTS
from fleetkit.language import counted, say, titled
from fleetkit.rounding import HOURS, format_number, number
from fleetkit.time import Moment, Period, in_utc

__all__ = ["NOISE", "hours_moved", "observed", "reported_month", "restated", "restating"]

# Restated months that are named; the others are counted.
_MOST_MONTHS = 3
# Shorter than half a second, a difference of hours is noise of the arithmetic. [h]
NOISE = 0.5 / 3600


def restated(
    months: pd.DataFrame, period: Period, changed_since: Moment | int | None = None
) -> str:
    """Say which reported months moved since the last report, by how much and why.

    Parameters
    ----------
    months : DataFrame
        As `metrics.restatements` returns it, the newest month first.
    period : Period
        The report's.
    changed_since : str, date, datetime or int, optional
        The state that was chosen for that of the last report, if one was: then it need not be that
        of the report on the month before.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> months = pd.DataFrame({"month": ["2026-09"], "late_logs": [3], "edits": [1],
    ...     "moved_in": [0], "moved_out": [0], "vanished": [1], "hours": [1.2]})
    >>> restated(months, Period.read("2026-10"))
    'September moved by +1.2 h since its report: 3 late logs, 1 edit, 1 vanished.'
    """
    if months.empty:
        return say("No month that was reported has changed since.")
    named = list(months.head(_MOST_MONTHS).itertuples())
    titles = [reported_month(str(row.month), period, changed_since) for row in named]
    its = changed_since is None and bool(named[0].month == period.previous().name)
    parts = [
        _restated(row, title, its if row is named[0] else None)
        for title, row in zip(titles, named, strict=True)
    ]
    others = len(months) - len(parts)
    if others:
        parts.append(counted(others, "earlier month changed too", "earlier months changed too"))
    return "; ".join(parts) + "."


def reported_month(month: str, period: Period, changed_since: Moment | int | None) -> str:
    """Name what was reported of a month: its days before the period, where that begins in it.

    Parameters
    ----------
    month : str
        ``YYYY-MM``.
    period, changed_since
        As for `restated`; since a state that was chosen, months are whole.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> week = Period.read("2026-W24")
    >>> reported_month("2026-05", week, None), reported_month("2026-06", week, None)
    ('May', '1–7 June')
    """
    whole = Period.read(month, period.tz)
    begins, ends = in_utc(whole.since), in_utc(whole.until)
    if changed_since is None and begins < in_utc(period.since) < ends:
        # By their dates, though these days may be a week.
        return Period(whole.since, period.since, period.tz, "span").title_beside(period)
    return whole.title_beside(period)


def _restated(row: Any, title: str, its: bool | None) -> str:
    """Say how a month moved: since its own report, since the last one, or without saying which."""
    size = hours_moved(row.hours)
    parts = {"month": titled(title), "size": size, "why": restating(row)}
    if its is None:
        if size:
            return say("{month} moved by {size}: {why}", **parts)
        return say("{month} kept its hours: {why}", **parts)
    if its:
        if size:
            return say("{month} moved by {size} since its report: {why}", **parts)
        return say("{month} kept its hours since its report: {why}", **parts)
    if size:
        return say("{month} moved by {size} since the last report: {why}", **parts)
    return say("{month} kept its hours since the last report: {why}", **parts)


def hours_moved(hours: float) -> str:
    """Write by how many hours something moved; nothing where it didn't.

    Examples
    --------
    >>> hours_moved(1.24), hours_moved(-0.5), hours_moved(-0.01), hours_moved(0.0)
    ('+1.2 h', '−0.5 h', 'less than 0.1 h', '')
    """
    if abs(hours) < NOISE:
        return ""
    size = format_number(hours, f"+,.{HOURS}f")
    if not size.strip("0.,"):
        return say("less than {hours} h", hours=number(0.1, HOURS))
    return f"{size} h"


def restating(row: Any) -> str:
    """Count what moved a month, by its kind; see `metrics.restatements`.

    Examples
    --------
    >>> columns = ("late_logs", "edits", "moved_in", "moved_out", "vanished")
    >>> row = pd.Series([3, 1, 0, 0, 1], columns)
    >>> restating(row)
    '3 late logs, 1 edit, 1 vanished'
    """
    counts = ((getattr(row, kind.column), name, kind) for name, kind in RESTATEMENTS.items())
    return ", ".join(counted(count, name, kind.plural) for count, name, kind in counts if count)


def observed(
    moves: pd.DataFrame,
    states: pd.DataFrame,
    prices: pd.DataFrame,
    readable: Container[str] = ("projects", "equipment", "services"),
) -> str:
    """Say what else changed since the last report.

    Parameters
    ----------
    moves, states, prices : DataFrame
        As `metrics.stage_moves`, `metrics.condition_history` and `metrics.price_history` return
        them.
    readable : collection of str
        The tables that syncs could read: the others are left out.

    Examples
    --------
    >>> moves = pd.DataFrame({"project_id": ["a", "a", "b"]})
    >>> observed(moves, pd.DataFrame({"equipment_id": ["d"]}), pd.DataFrame())
    '2 projects moved stage, 1 piece of equipment changed its status or condition.'
    """
    parts = [
        counted(moves["project_id"].nunique(), "project moved stage", "projects moved stage")
        if len(moves)
        else "",
        counted(
            states["equipment_id"].nunique(),
            "piece of equipment changed its status or condition",
            "pieces of equipment changed their status or condition",
        )
        if len(states)
        else "",
        counted(len(prices), "price changed", "prices changed") if len(prices) else "",
    ]
    summary = ", ".join(part for part in parts if part)
    return f"{summary or _unchanged(readable)}."


def _unchanged(readable: Container[str]) -> str:
    """Say that nothing changed, of what was looked at."""
    things = {
        "projects": say("no project moved stage"),
        "equipment": say("no status or condition changed"),
        "services": say("no price changed"),
    }
    summary = ", ".join(thing for table, thing in things.items() if table in readable)
    return titled(summary) or say("Of projects, equipment and prices no changes can be known")
