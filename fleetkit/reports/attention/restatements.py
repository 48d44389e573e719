"""What changed since the last report: months that moved, moves that should not be."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from fleetkit.language import localized, say, say_count
from fleetkit.reports.attention.lines import (
    Line,
    Thresholds,
    line,
    named_of,
    named_rows,
    short_name,
)
from fleetkit.reports.sentences import NOISE, hours_moved, reported_month, restating
from fleetkit.reports.texts import shown
from fleetkit.rounding import PERCENT, ROUNDING_ERROR, number
from fleetkit.thresholds import THRESHOLDS
from fleetkit.time import Moment, Period

__all__ = ["restatements"]


def restatements(
    months: pd.DataFrame,
    impossible: pd.DataFrame,
    period: Period,
    *,
    thresholds: Thresholds = THRESHOLDS,
    changed_since: Moment | int | None = None,
) -> Iterator[Line]:
    """Grade what changed since the last report: months that moved, moves that shouldn't be.

    Parameters
    ----------
    months : DataFrame
        As `Past.months` returns it. A month counts that moved by the threshold or more.
    impossible : DataFrame
        As `metrics.impossible_moves` returns it.
    period : Period
        The report's.
    thresholds : mapping
        The fleet's setting.
    changed_since : str, date, datetime or int, optional
        The state that was chosen for that of the last report, if one was.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> months = pd.DataFrame({"month": ["2026-09"], "late_logs": [3], "edits": [1],
    ...     "moved_in": [0], "moved_out": [0], "vanished": [1], "hours": [1.2], "share": [0.046]})
    >>> moves = pd.DataFrame({
    ...     "project_id": ["r"], "title": ["Roof"], "client_account_name": ["Fjord"],
    ...     "from_status": ["COMPLETED"], "to_status": ["DRAFT"],
    ...     "moved_at": pd.to_datetime(["2026-10-20T06:00Z"]),
    ... })
    >>> for line in restatements(months, moves, Period.read("2026-10")):
    ...     print(line["severity"], line["text"], line["when"])
    ...     print(line["who"])
    high 1 project moved as none should: Roof (COMPLETED → DRAFT) seen 20 Oct 2026
    Fjord
    low 1 reported month moved by 1 % of its hours or more: September (+1.2 h) by 4.6 %
    3 late logs, 1 edit, 1 vanished
    """
    yield from _impossible(impossible)
    # A month that had no hours before moved by all of them.
    percent = thresholds["restated_percent"]
    is_much = months["share"].fillna(1).ge(percent / 100 - ROUNDING_ERROR)
    noticed = months[months["hours"].abs().ge(NOISE) & is_much]
    if noticed.empty:
        return
    worst = noticed.sort_values("share", ascending=False, na_position="first", kind="stable")
    share = worst["share"].iloc[0]
    size = "by {percent} %" if len(worst) == 1 else "by up to {percent} %"
    restated = line(
        "low",
        say_count(
            len(worst),
            "{count} reported month moved by {percent} % of its hours or more",
            "{count} reported months moved by {percent} % of their hours or more",
            percent=localized(f"{percent:g}"),
        ),
        [
            f"{reported_month(row.month, period, changed_since)} ({hours_moved(row.hours)})"
            for row in named_rows(worst)
        ],
        of=len(worst),
        when="" if pd.isna(share) else say(size, percent=number(100 * share, PERCENT)),
    )
    if len(worst) == 1:  # whole: of a name the end would be cut
        restated["who"] = restating(worst.iloc[0])
    yield restated


def _impossible(moves: pd.DataFrame) -> Iterator[Line]:
    if moves.empty:
        return
    latest = moves.sort_values("moved_at", ascending=False, kind="stable")
    projects = latest.drop_duplicates("project_id")
    yield line(
        "high",
        say_count(
            len(projects),
            "{count} project moved as none should",
            "{count} projects moved as none should",
        ),
        [
            f"{short_name(row.title)} ({row.from_status} → {row.to_status})"
            for row in named_rows(projects)
        ],
        of=len(projects),
        who=named_of(projects)["client_account_name"],
        when=say("seen {day}", day=shown(latest["moved_at"].iloc[0])),
    )
