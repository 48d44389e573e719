"""Services whose prices contradict themselves."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from fleetkit.language import listed, say, say_count
from fleetkit.reports.attention.lines import (
    Line,
    line,
    named_rows,
    short_name,
    with_distinct_names,
)
from fleetkit.rounding import number

__all__ = ["prices"]


def prices(flags: pd.DataFrame, *, services: pd.DataFrame | None = None) -> Iterator[Line]:
    """Name the services whose prices contradict themselves.

    Parameters
    ----------
    flags : DataFrame
        As `metrics.price_flags` returns it; a question about a price is no matter for the first
        page.
    services : DataFrame, optional
        All of them, with ``service_id`` and ``name``: what shares its name with another of them has
        its id beside it. Default: those with a flag.

    Examples
    --------
    >>> flags = pd.DataFrame({
    ...     "service_id": ["a", "a", "b"], "service": ["Survey", "Survey", "Filming"],
    ...     "flag": ["level twice", "modifier ≤ −100", "modifier falls"],
    ...     "severity": ["error", "error", "question"],
    ... })
    >>> [line] = prices(flags)
    >>> line["severity"], line["text"]
    ('low', '1 service has prices that contradict themselves: Survey (level twice and 1 more)')
    """
    if services is not None:
        every = services[["service_id", "name"]].rename(columns={"name": "service"})
        flags = with_distinct_names(flags, every)[0]
    by = flags[flags["severity"] == "error"].groupby("service_id", sort=False, as_index=False)
    named = {"service": ("service", "first"), "flag": ("flag", "first")}
    wrong = by.agg(**named, count=("flag", "size"))
    wrong = wrong.sort_values("count", ascending=False, kind="stable")
    if wrong.empty:
        return
    yield line(
        "low",
        say_count(
            len(wrong),
            "{count} service has prices that contradict themselves",
            "{count} services have prices that contradict themselves",
        ),
        [
            f"{short_name(row.service)} ({_with_more(say(row.flag), row.count - 1)})"
            for row in named_rows(wrong)
        ],
        of=len(wrong),
    )


def _with_more(name: str, count: int) -> str:
    return listed([name, say("{count} more", count=number(count))]) if count else name
