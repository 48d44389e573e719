"""The sentences of a report: activity, risk, money, and what changed since the last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from fleetkit import periods
from fleetkit.periods import Period
from fleetkit.rounding import number

__all__ = [
    "activity",
    "counted",
    "hours_moved",
    "listed",
    "money",
    "month_title",
    "observed",
    "restated",
    "restating",
    "risk",
]

# Restated months that are named; the others are counted.
MOST_MONTHS = 3
_RESTATED = {
    "late_logs": ("late log", "late logs"),
    "edits": ("edit", "edits"),
    "moved_in": ("moved in", "moved in"),
    "moved_out": ("moved out", "moved out"),
    "vanished": ("vanished", "vanished"),
}


def counted(count: int, one: str, many: str = "") -> str:
    """Write a number and what it counts.

    Examples
    --------
    >>> counted(1, "flight"), counted(1250, "flight"), counted(0, "has", "have")
    ('1 flight', '1,250 flights', '0 have')
    """
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Join parts as a sentence does.

    Examples
    --------
    >>> listed(["EUR 12", "GBP 4", "NOK 90"])
    'EUR 12, GBP 4 and NOK 90'
    """
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def activity(
    period: Period,
    flights: Mapping[str, Any],
    hours: Mapping[str, Any],
    active: Mapping[str, Any],
    aircraft: int,
) -> str:
    """Say how much was flown, against the period before and the year before.

    Parameters
    ----------
    period : Period
    flights, hours, active : mapping
        As `Comparison` returns them: ``value``, ``previous``, ``year_before``; hours [h], active
        aircraft.
    aircraft : int
        How many aircraft there are.

    Examples
    --------
    >>> from fleetkit.periods import parse
    >>> hours = {"value": 312.4, "previous": 284.0, "year_before": 355.0}
    >>> activity(parse("2026-10"), {"value": 402}, hours, {"value": 31}, 44)
    '402 flights and 312.4 hours in October 2026, 10 % more hours than in September 2026 and 12 % fewer than in October 2025; 31 of 44 aircraft flew.'
    """  # noqa: E501 - the sentence stands as it is printed
    if not flights["value"]:
        return f"Nobody flew in {period.title}."
    earlier = {"previous": period.previous(), "year_before": period.year_before()}
    known = [(hours[key], then.title) for key, then in earlier.items() if hours.get(key)]
    against = [
        _against(hours["value"], before, title, " hours" if place == 0 else "")
        for place, (before, title) in enumerate(known)
    ]
    change = f", {listed(against)}" if against else ""
    return (
        f"{counted(flights['value'], 'flight')} and {number(hours['value'], 1)} hours in "
        f"{period.title}{change}; {number(active['value'])} of {number(aircraft)} aircraft flew."
    )


def _against(now: float, before: float, title: str, what: str) -> str:
    percent = round(100 * (now - before) / before)
    if percent == 0:
        return f"as many{what} as in {title}"
    return f"{number(abs(percent))} % {'more' if percent > 0 else 'fewer'}{what} than in {title}"


def risk(registrations: pd.DataFrame, reconciliation: pd.DataFrame) -> str:
    """Say which registrations need attention and whose counters contradict the logs.

    Parameters
    ----------
    registrations : DataFrame
        As `metrics.registrations` returns it.
    reconciliation : DataFrame
        As `metrics.reconciliation` returns it.

    Examples
    --------
    >>> bands = pd.DataFrame({"band": ["expired", "later", "≤ 30 days", "≤ 30 days"]})
    >>> risk(bands, pd.DataFrame({"verdict": ["match", "logs higher", "no counter"]}))
    '1 registration has expired, 2 expire within 30 days; 1 of 2 counters contradicts the logs.'
    """
    expired, soon = ((registrations["band"] == band).sum() for band in ("expired", "≤ 30 days"))
    states = []
    if expired:
        states.append(counted(expired, "registration has expired", "registrations have expired"))
    if soon:
        noun = "" if expired else "registration "
        nouns = "" if expired else "registrations "
        states.append(counted(soon, f"{noun}expires", f"{nouns}expire") + " within 30 days")
    first = ", ".join(states) or "No registration has expired or expires within 30 days"
    return f"{first}; {_counters(reconciliation)}."


def _counters(reconciliation: pd.DataFrame) -> str:
    compared = (reconciliation["verdict"] != "no counter").sum()
    wrong = compared - (reconciliation["verdict"] == "match").sum()
    if not compared:
        return "no counter can be compared with the logs"
    if not wrong:
        return "every counter agrees with the logs"
    verb = "contradicts" if wrong == 1 else "contradict"
    return f"{number(wrong)} of {counted(compared, 'counter')} {verb} the logs"


def money(totals: pd.DataFrame, late: pd.DataFrame) -> str:
    """Say what is open, what can be invoiced, in each currency, and what is late.

    Parameters
    ----------
    totals : DataFrame
        As `metrics.pipeline_totals` returns it.
    late : DataFrame
        As `metrics.late_projects` returns it.

    Examples
    --------
    >>> totals = pd.DataFrame({
    ...     "group": ["open", "open", "to invoice"], "currency": ["EUR", "NOK", "EUR"],
    ...     "projects": [3, 1, 1], "priced": [2, 1, 1], "value": [12500.0, 90000.0, 4000.0],
    ... })
    >>> money(totals, pd.DataFrame({"days_late": [2]}))
    '4 projects are open (EUR 12,500 and NOK 90,000 in the 3 with a price); 1 can be invoiced (EUR 4,000); 1 is late.'
    """  # noqa: E501 - the sentence stands as it is printed
    opened = totals[totals["group"] == "open"]
    ready = totals[totals["group"] == "to invoice"]
    if not opened["projects"].sum():
        return "No project is open."
    is_open = counted(int(opened["projects"].sum()), "project is open", "projects are open")
    parts = [f"{is_open}{_amounts(opened)}"]
    if ready["projects"].sum():
        parts.append(f"{number(ready['projects'].sum())} can be invoiced{_amounts(ready)}")
    parts.append(counted(len(late), "is late", "are late") if len(late) else "none is late")
    return "; ".join(parts) + "."


def _amounts(rows: pd.DataFrame) -> str:
    """Write the value in each currency; what has none is not in it."""
    known = rows[rows["value"].notna()]
    pairs = zip(known["currency"].fillna("no currency"), known["value"], strict=True)
    amounts = listed([f"{currency} {number(value)}" for currency, value in pairs])
    priced, projects = rows["priced"].sum(), rows["projects"].sum()
    of = f" in the {number(priced)} with a price" if priced < projects else ""
    return f" ({amounts}{of})" if amounts else ""


def restated(months: pd.DataFrame, period: Period) -> str:
    """Say which reported months moved since the last report, by how much and why.

    Parameters
    ----------
    months : DataFrame
        As `metrics.restatements` returns it, the newest month first.
    period : Period
        The report's.

    Examples
    --------
    >>> from fleetkit.periods import parse
    >>> months = pd.DataFrame({"month": ["2026-09"], "late_logs": [3], "edits": [1],
    ...     "moved_in": [0], "moved_out": [0], "vanished": [1], "hours": [1.2]})
    >>> restated(months, parse("2026-10"))
    'September moved by +1.2 h since its report: 3 late logs, 1 edit, 1 vanished.'
    """
    if months.empty:
        return "No month that was reported has changed since."
    named = list(months.head(MOST_MONTHS).itertuples())
    its = "its" if named[0].month == period.previous().name else "the last"
    since = f" since {its} report"
    parts = [
        _restated(row, month_title(str(row.month), period), since if row is named[0] else "")
        for row in named
    ]
    others = len(months) - len(parts)
    if others:
        parts.append(counted(others, "earlier month changed too", "earlier months changed too"))
    return "; ".join(parts) + "."


def _restated(row: Any, title: str, since: str) -> str:
    size = hours_moved(row.hours)
    return f"{title} {f'moved by {size}' if size else 'kept its hours'}{since}: {restating(row)}"


def month_title(month: str, period: Period) -> str:
    """Name a month as briefly as is clear beside a period.

    Examples
    --------
    >>> from fleetkit.periods import parse
    >>> [month_title(each, parse("2026-10")) for each in ("2026-09", "2025-12")]
    ['September', 'December 2025']
    """
    first = periods.parse(month).since
    return f"{first:%B}" if first.year == period.since.year else f"{first:%B %Y}"


def hours_moved(hours: float) -> str:
    """Write by how many hours something moved; nothing where a decimal doesn't show it.

    Examples
    --------
    >>> hours_moved(1.24), hours_moved(-0.5), hours_moved(0.01)
    ('+1.2 h', '−0.5 h', '')
    """
    size = number(abs(hours), 1)
    return f"{'−' if hours < 0 else '+'}{size} h" if size != "0.0" else ""


def restating(row: Any) -> str:
    """Count what moved a month, by its kind; see `metrics.restatements`.

    Examples
    --------
    >>> columns = ("late_logs", "edits", "moved_in", "moved_out", "vanished")
    >>> row = pd.Series([3, 1, 0, 0, 1], columns)
    >>> restating(row)
    '3 late logs, 1 edit, 1 vanished'
    """
    counts = ((getattr(row, column), words) for column, words in _RESTATED.items())
    return ", ".join(counted(count, *words) for count, words in counts if count)


def observed(moves: pd.DataFrame, states: pd.DataFrame, prices: pd.DataFrame) -> str:
    """Say what else changed since the last report.

    Parameters
    ----------
    moves, states, prices : DataFrame
        As `metrics.stage_moves`, `metrics.condition_history` and `metrics.price_history` return
        them.

    Examples
    --------
    >>> moves = pd.DataFrame({"project_id": ["a", "a", "b"]})
    >>> observed(moves, pd.DataFrame({"equipment_id": ["d"]}), pd.DataFrame())
    '2 projects moved stage, 1 piece of equipment changed its status or condition.'
    """
    pieces = ("piece of equipment changed its", "pieces of equipment changed their")
    parts = [
        counted(moves["project_id"].nunique(), "project") + " moved stage" if len(moves) else "",
        counted(states["equipment_id"].nunique(), *pieces) + " status or condition"
        if len(states)
        else "",
        counted(len(prices), "price") + " changed" if len(prices) else "",
    ]
    said = ", ".join(part for part in parts if part)
    return f"{said or 'No project moved stage, and no status, condition or price changed'}."
