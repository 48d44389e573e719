"""The chosen filter in its export forms: Python, command line, papermill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from fleetkit.errors import InvalidValue
from fleetkit.filters import Filter
from fleetkit.interface import readable_json, shell_word
from fleetkit.time import Period

__all__ = [
    "as_command",
    "as_comparison",
    "as_page",
    "as_parameters",
    "as_python",
    "reported_ends",
]


def as_python(chosen: Filter) -> str:
    """Return the filter as Python.

    Examples
    --------
    >>> as_python(Filter(night=True))
    'fleet.where(fk.Filter(night=True))'
    """
    return f"fleet.where({chosen.to_python()})"


def as_comparison(chosen: Filter, other: Filter, options: Mapping[str, Any]) -> str:
    """Return the comparison of two filters as Python.

    Parameters
    ----------
    chosen, other : Filter
        What is compared with what.
    options : mapping
        ``metric``, and what else `fleetkit.compare` takes.

    Examples
    --------
    >>> as_comparison(Filter(night=True), Filter(), {"metric": "flight_hours", "by": "pilot"})
    "fk.compare('flight_hours', fk.Filter(night=True), fk.Filter(), fleet=fleet, by='pilot')"
    """
    words = [repr(options["metric"]), chosen.to_python(), other.to_python(), "fleet=fleet"]
    words += [f"{name}={value!r}" for name, value in options.items() if name != "metric"]
    return f"fk.compare({', '.join(words)})"


def as_command(
    chosen: Filter, *, tz: str, source: Sequence[str] = (), span: tuple[str, str] | None = None
) -> str:
    """Return the report of this filter as a command line.

    Parameters
    ----------
    chosen : Filter
        Its period becomes the report's; without one, the report's default month stands.
    tz : str
        IANA time zone of the period.
    source : sequence of str, optional
        Options that say where the data come from, such as ``["--mirror", "mirror/"]``.
    span : tuple of str, optional
        ``[since, until)`` of all data: stands in for an end that is left open.

    Examples
    --------
    >>> as_command(Filter(since="2026-10-01", until="2026-11-01", bvlos=True), tz="Europe/Oslo")
    'fleetkit report --month 2026-10 --filter bvlos=true --tz Europe/Oslo'
    """
    words = ["fleetkit", "report", *_period_options(chosen, tz, span)]
    words += replace(chosen, since=None, until=None).to_options()
    # UTC, too: settings and mirrors have a zone of their own.
    return " ".join(map(shell_word, [*words, "--tz", tz, *source]))


def as_page(query: str, *, tz: str, source: Sequence[str] = ()) -> str:
    """Return the command that opens the explorers' page with what a link chooses.

    Parameters
    ----------
    query : str
        As `to_query` returns it.
    tz, source
        As for `as_command`.

    Examples
    --------
    >>> as_page("flights.night=true", tz="UTC", source=["--demo"])
    "fleetkit explore --tz UTC --demo --link '?flights.night=true'"
    """
    link = ["--link", f"?{query}"] if query else []
    return " ".join(map(shell_word, ["fleetkit", "explore", "--tz", tz, *source, *link]))


def _period_options(chosen: Filter, tz: str, span: tuple[str, str] | None) -> list[str]:
    if chosen.since is None and chosen.until is None:
        return []
    since, until, period = _reported(chosen, tz, span)
    if period is not None and period.unit != "span":
        return ["--month" if period.unit == "month" else "--period", period.name]
    return ["--since", since, "--until", until]


def _reported(
    chosen: Filter, tz: str, span: tuple[str, str] | None
) -> tuple[str, str, Period | None]:
    """Return the two ends of a filter, and the period that they are, unless they can't be one."""
    since, until = reported_ends(chosen, span)
    try:
        return since, until, Period.between(since, until, tz)
    except InvalidValue:
        return since, until, None


def reported_ends(chosen: Filter, span: tuple[str, str] | None) -> tuple[str, str]:
    """Return both ends of what a report of a filter with one end, or two, is on.

    An open end is that of all data; where that lies on the wrong side, the period is one day beside
    the other end, of which a report can say that there are no data.

    Examples
    --------
    >>> reported_ends(Filter(since="2026-10-05"), ("2024-06-01", "2026-12-01"))
    ('2026-10-05', '2026-12-01')
    >>> reported_ends(Filter(since="2026-12-31"), ("2024-06-01", "2026-12-01"))
    ('2026-12-31', '2027-01-01')
    """
    first, last = span or ("", "")
    since, until = chosen.since or first, chosen.until or last
    if chosen.until is None and since[: len(last)] >= last:
        until = _days_from(since, 1)
    elif chosen.since is None and until[: len(first)] <= first:
        since = _days_from(until, -1)
    return since, until


def _days_from(moment: str, days: int) -> str:
    return (date.fromisoformat(moment[:10]) + timedelta(days)).isoformat()


def as_parameters(
    chosen: Filter,
    *,
    tz: str,
    source: dict[str, Any] | None = None,
    span: tuple[str, str] | None = None,
) -> str:
    """Return the filter as parameters of a section's notebook, in JSON, as ``papermill -y`` takes.

    Parameters
    ----------
    chosen, tz, span
        As for `as_command`.
    source : dict, optional
        Parameters that say where the data come from: ``mirror`` and ``version``.

    Examples
    --------
    >>> as_parameters(Filter(pilot="prof_1"), tz="UTC")
    '{"tz": "UTC", "filters": {"pilot": ["prof_1"]}}'
    """
    values: dict[str, Any] = {**(source or {}), "tz": tz, "filters": chosen.to_parameters()}
    if chosen.since is not None or chosen.until is not None:
        since, until, period = _reported(chosen, tz, span)
        # What can't be a period is refused by the notebook, as it is by the command line.
        values = {"period": period.name if period else f"{since}/{until}"} | values
    return readable_json(values)
