"""Projects that wait for somebody: late, not invoiced, stalled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from fleetkit.language import counted, message, say, say_count
from fleetkit.reports.attention.lines import (
    Grade,
    Line,
    Thresholds,
    line,
    named_of,
    named_rows,
    of_them,
    short_name,
    with_distinct_names,
)
from fleetkit.reports.texts import shown
from fleetkit.thresholds import THRESHOLDS
from fleetkit.time import to_local_time

__all__ = ["projects"]


def projects(
    late: pd.DataFrame,
    ready: pd.DataFrame,
    stalled: pd.DataFrame,
    *,
    projects: pd.DataFrame | None = None,
    thresholds: Thresholds = THRESHOLDS,
) -> Iterator[Line]:
    """Grade the projects that wait for somebody.

    Parameters
    ----------
    late, ready, stalled : DataFrame
        As `metrics.late_projects`, `metrics.to_invoice` and `metrics.stalled_projects` return
        them.
    projects : DataFrame, optional
        All that are open, with ``project_id`` and ``title``: what shares its title with another of
        them has its id beside it. Default: those that wait.
    thresholds : mapping
        The fleet's setting.

    Examples
    --------
    >>> late = pd.DataFrame({
    ...     "title": ["Quarry", "Roof"], "client_account_name": ["Fjord", None],
    ...     "assigned_pilot_name": [None, "Ada"], "days_late": [31, 2],
    ...     "scheduled_date": pd.to_datetime(["2026-10-01", "2026-10-30"]),
    ... })
    >>> nothing = late.head(0).assign(days_since_updated=[], days_untouched=[], updated_at=[])
    >>> [line] = projects(late, nothing, nothing)
    >>> line["severity"], line["text"], line["who"]
    ('high', '2 projects are late, 1 of them for more than 30 days: Quarry (31 days) and Roof (2 days)', 'Fjord and Ada')
    """  # noqa: E501 - the line is written as it is printed
    waiting = [to_local_time(rows) for rows in (late, ready, stalled)]
    others = [] if projects is None else [projects]
    late, ready, stalled = with_distinct_names(*waiting, *others)[:3]
    yield from _waiting(
        late, "days_late", "scheduled_date",
        ("{count} project is late", "{count} projects are late"),
        above=thresholds["late_days"], grades=("high", "medium"), since=message("since {day}"),
    )  # fmt: skip
    yield from _waiting(
        ready, "days_since_updated", "updated_at",
        (
            "{count} delivered project is not invoiced",
            "{count} delivered projects are not invoiced",
        ),
        above=thresholds["uninvoiced_days"], grades=("medium", "low"),
        since=message("untouched since {day}"),
    )  # fmt: skip
    yield from _waiting(
        stalled, "days_untouched", "updated_at",
        ("{count} project is stalled", "{count} projects are stalled"),
        above=None, grades=("low", "low"), since=message("untouched since {day}"),
    )  # fmt: skip


def _waiting(
    rows: pd.DataFrame,
    days: str,
    moment: str,
    words: tuple[str, str],
    *,
    above: float | None,
    grades: tuple[Grade, Grade],
    since: str,
) -> Iterator[Line]:
    """Name projects by how many days they wait, the longest first; graver above so many."""
    if rows.empty:
        return
    waited = rows[days].astype("float64").fillna(0.0)
    rows = rows.assign(waited=waited).sort_values("waited", ascending=False, kind="stable")
    grave = 0 if above is None else int((rows["waited"] > above).sum())
    by = ""
    if above is not None and grave:
        longer = say_count(int(above), "for more than {count} day", "for more than {count} days")
        by = of_them(grave, len(rows), longer)
    named = named_of(rows)
    oldest = rows[moment].iloc[0]
    yield line(
        grades[0] if grave else grades[1],
        say_count(len(rows), *words) + by,
        [f"{short_name(row.title)} ({_days(getattr(row, days))})" for row in named_rows(rows)],
        of=len(rows),
        who=named[["client_account_name", "assigned_pilot_name"]].to_numpy().ravel(),
        when="" if pd.isna(oldest) else say(since, day=shown(oldest)),
        days=rows["waited"].iloc[0],
    )


def _days(days: Any) -> str:
    return say("for how long is not known") if pd.isna(days) else counted(int(days), "day")
