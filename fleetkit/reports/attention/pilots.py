"""The recency of pilots: who flew on without it, and whose lapses soon."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

import pandas as pd

from fleetkit.language import counted, say, say_count
from fleetkit.reports.attention.lines import (
    Line,
    Thresholds,
    line,
    named_rows,
    short_name,
    with_distinct_names,
    within_days,
)
from fleetkit.reports.sentences import during
from fleetkit.reports.texts import shown
from fleetkit.rounding import number
from fleetkit.thresholds import THRESHOLDS
from fleetkit.time import Period

__all__ = ["pilots"]


def pilots(
    recency: pd.DataFrame,
    flown: pd.DataFrame,
    as_of: date,
    period: Period,
    *,
    thresholds: Thresholds = THRESHOLDS,
) -> Iterator[Line]:
    """Grade the recency of pilots.

    Parameters
    ----------
    recency : DataFrame
        As `metrics.recency` returns it for the period's last day, of pilots who matter still.
    flown : DataFrame
        As `metrics.flown_without_recency` returns it, of the period's flights.
    as_of : date
        The period's last day.
    period : Period
        The report's.
    thresholds : mapping
        The fleet's setting.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> state = pd.DataFrame({
    ...     "pilot_id": ["a", "b"], "pilot_name": ["Ada", "Bo"], "recent": [True, False],
    ...     "lapses": pd.to_datetime(["2026-11-12", "2026-10-05"]),
    ... })
    >>> flown = pd.DataFrame({
    ...     "flight_id": ["1"], "pilot_id": ["b"], "pilot_name": ["Bo"],
    ...     "lapsed": pd.to_datetime(["2026-10-05"]),
    ... })
    >>> for line in pilots(state, flown, date(2026, 10, 31), Period.read("2026-10")):
    ...     print(line["severity"], line["text"])
    high 1 pilot flew on after recency lapsed, 1 flight in October 2026: Bo (1)
    medium 2 pilots lapsed or lapse within 30 days of 31 Oct 2026: Bo (lapsed 5 Oct 2026) and Ada (lapses 12 Nov 2026)
    """  # noqa: E501 - the line is written as it is printed
    recency, flown = with_distinct_names(recency, flown)
    yield from _flew_on(flown, period)
    if len(recency) and not recency["recent"].any():
        yield _none_recent(recency, as_of)
    else:
        yield from _lapsing(recency, as_of, int(thresholds["lapse_days"]))


def _flew_on(flown: pd.DataFrame, period: Period) -> Iterator[Line]:
    """Name pilots who flew in the period after they had lapsed."""
    if flown.empty:
        return
    pilots = flown.groupby("pilot_id", as_index=False).agg(
        pilot_name=("pilot_name", "first"),
        flights=("flight_id", "nunique"),
        lapses=("lapsed", "min"),
    )
    pilots = pilots.sort_values(["flights", "lapses"], ascending=[False, True], kind="stable")
    flights = counted(flown["flight_id"].nunique(), "flight")
    yield line(
        "high",
        say_count(
            len(pilots),
            "{count} pilot flew on after recency lapsed, {flights} {when}",
            "{count} pilots flew on after recency lapsed, {flights} {when}",
            flights=flights,
            when=during(period),
        ),
        [f"{short_name(row.pilot_name)} ({number(row.flights)})" for row in named_rows(pilots)],
        of=len(pilots),
        when=say_count(
            len(pilots),
            "lapsed on {day}",
            "first lapsed on {day}",
            day=shown(pilots["lapses"].min()),
        ),
        days=(pd.Timestamp(period.last_day) - pilots["lapses"].min()).days,
    )


def _none_recent(recency: pd.DataFrame, as_of: date) -> Line:
    longest = recency.sort_values("lapses", kind="stable")
    since = longest["lapses"].max()  # until the last one lapsed, one was recent
    return line(
        "high",
        say_count(
            len(recency),
            "the only pilot is not recent on {day}",
            "none of {count} pilots is recent on {day}",
            day=shown(as_of),
        ),
        [f"{short_name(row.pilot_name)} ({_lapse(row)})" for row in named_rows(longest)],
        of=len(recency),
        when="" if pd.isna(since) else say("since {day}", day=shown(since)),
        days=0 if pd.isna(since) else (pd.Timestamp(as_of) - since).days,
    )


def _lapsing(recency: pd.DataFrame, as_of: date, within: int) -> Iterator[Line]:
    days = (recency["lapses"] - pd.Timestamp(as_of)).dt.days
    near = recency[days.abs() <= within].sort_values("lapses", kind="stable")
    if near.empty:
        return
    first = near["lapses"].iloc[0]
    yield line(
        "medium",
        say_count(
            len(near),
            "{count} pilot lapsed or lapses {within} of {day}",
            "{count} pilots lapsed or lapse {within} of {day}",
            within=within_days(within),
            day=shown(as_of),
        ),
        [f"{short_name(row.pilot_name)} ({_lapse(row)})" for row in named_rows(near)],
        of=len(near),
        when=say("from {day}" if near["recent"].iloc[0] else "since {day}", day=shown(first)),
        days=within - (first - pd.Timestamp(as_of)).days,
    )


def _lapse(row: Any) -> str:
    if pd.isna(row.lapses):
        return say("never recent")
    return say("lapses {day}" if row.recent else "lapsed {day}", day=shown(row.lapses))
