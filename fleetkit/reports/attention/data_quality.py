"""Checks of the data that count many records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from fleetkit.language import localized, say, say_count
from fleetkit.reports.attention.lines import Line, Thresholds, line, named_rows
from fleetkit.reports.sentences import during, of_records
from fleetkit.rounding import ROUNDING_ERROR, number
from fleetkit.thresholds import THRESHOLDS
from fleetkit.time import Period

__all__ = ["data_quality"]


def data_quality(
    checks: pd.DataFrame,
    of_period: pd.DataFrame,
    period: Period,
    *,
    thresholds: Thresholds = THRESHOLDS,
) -> Iterator[Line]:
    """Name the checks that count many records, or a large share of what they could look at.

    Parameters
    ----------
    checks, of_period : DataFrame
        As `metrics.data_quality` returns it, of all flights and of those of the period: flights
        are counted in the period, other records as they are.
    period : Period
        The report's.
    thresholds : mapping
        The fleet's setting.

    Examples
    --------
    >>> from fleetkit.time import Period
    >>> checks = pd.DataFrame({"check": ["Position at 0, 0", "No price"], "severity": ["error"] * 2,
    ...     "records": ["flights", "projects"], "count": [90, 12], "of": [900, 80]})
    >>> lately = checks.assign(count=[11, 12], of=[100, 80])
    >>> [line] = data_quality(checks, lately, Period.read("2026-10"))
    >>> line["severity"], line["text"]
    ('low', '2 checks of the data count at least 10 or 5 % of the records: No price (12 of 80 projects) and Position at 0, 0 (11 of 100 flights in October 2026)')
    """  # noqa: E501 - the line is written as it is printed
    dated = checks["records"] == "flights"
    rows = pd.concat([of_period[of_period["records"] == "flights"], checks[~dated]])
    share = rows["count"] / rows["of"].where(rows["of"] > 0)
    many, percent = thresholds["many_records"], thresholds["many_percent"]
    is_many = (rows["count"] >= many) | (share >= percent / 100 - ROUNDING_ERROR)
    rows = rows[is_many & (rows["count"] > 0) & rows["severity"].isin(["error", "warning"])]
    if rows.empty:
        return
    rows = rows.sort_values(["count", "check"], ascending=[False, True])
    yield line(
        "low",
        say_count(
            len(rows),
            "{count} check of the data counts at least {many} or {percent} % of the records",
            "{count} checks of the data count at least {many} or {percent} % of the records",
            many=number(many),
            percent=localized(f"{percent:g}"),
        ),
        [f"{say(row.check)} ({_part(row, period)})" for row in named_rows(rows)],
        of=len(rows),
    )


def _part(row: Any, period: Period) -> str:
    part = say("{count} {of}", count=number(row.count), of=of_records(row.records, int(row.of)))
    return f"{part} {during(period)}" if row.records == "flights" else part
