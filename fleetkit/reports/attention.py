"""What someone should look at, with whom and when: ``section.attention(**item)`` takes each item.

Of every kind the most pressing few are named and the others counted, so that no kind fills the
first page alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import Any

import pandas as pd

from fleetkit.periods import Period
from fleetkit.reports.sentences import counted, hours_moved, month_title, restating
from fleetkit.reports.texts import shown

__all__ = ["impossible", "lapsing", "late", "registrations", "restated", "stalled", "to_invoice"]

NAMED = 3
# A month that moved by this share of its hours needs a look.
NOTICEABLE = 0.01
SOON_DAYS = 30

Item = dict[str, str]


def _item(text: str, severity: str, who: Any, when: str) -> Item:
    return {"text": text, "severity": severity, "who": "" if pd.isna(who) else who, "when": when}


def _few(items: list[Item], one: str, many: str) -> Iterator[Item]:
    yield from islice(items, NAMED)
    others = len(items) - NAMED
    if others > 0:
        yield {"text": counted(others, one, many), "severity": "low"}


def lapsing(recency: pd.DataFrame, as_of: date) -> Iterator[Item]:
    """Name the pilots whose recency lapsed in the last 30 days or lapses in the next 30.

    Parameters
    ----------
    recency : DataFrame
        As `metrics.recency` returns it.
    as_of : date
        The day that it speaks of.

    Examples
    --------
    >>> recency = pd.DataFrame({"pilot_name": ["Ada", "Bo"], "recent": [True, False],
    ...     "lapses": pd.to_datetime(["2026-11-12", "2025-03-01"])})
    >>> [(item["text"], item["when"]) for item in lapsing(recency, date(2026, 10, 31))]
    [('Recency lapses', '12 Nov 2026')]
    """
    days = (recency["lapses"] - pd.Timestamp(as_of)).dt.days
    near = recency[days.abs() <= SOON_DAYS].sort_values("lapses")
    items = [_pilot(row) for row in near.itertuples()]
    return _few(items, "more pilot lapses or lapsed", "more pilots lapse or lapsed")


def _pilot(row: Any) -> Item:
    text = "Recency lapses" if row.recent else "Recency lapsed"
    return _item(text, "medium", row.pilot_name, shown(row.lapses))


def registrations(registrations: pd.DataFrame, idle: pd.DataFrame) -> Iterator[Item]:
    """Name the registrations that expired or expire within 30 days; flown while expired is worst.

    Parameters
    ----------
    registrations : DataFrame
        As `metrics.registrations` returns it.
    idle : DataFrame
        As `metrics.idle` returns it: when each piece of equipment last flew.

    Examples
    --------
    >>> expiry = pd.to_datetime(["2026-10-01T00:00Z"])
    >>> expired = pd.DataFrame({"equipment_id": ["d"], "name": ["Kestrel"], "band": ["expired"],
    ...     "registration_expiry": expiry, "days_left": [-30]})
    >>> flown = pd.to_datetime(["2026-10-20T09:00Z"])
    >>> idle = pd.DataFrame({"equipment_id": ["d"], "last_flight": flown})
    >>> [(item["text"], item["severity"]) for item in registrations(expired, idle)]
    [('Flew after its registration expired', 'high')]
    """
    due = registrations[registrations["band"].isin(["expired", "≤ 30 days"])]
    due = due.merge(idle[["equipment_id", "last_flight"]], on="equipment_id", how="left")
    flew = (due["days_left"] < 0) & (due["last_flight"] >= due["registration_expiry"] + _DAY)
    items = [
        _registration(row, bool(after)) for row, after in zip(due.itertuples(), flew, strict=True)
    ]
    items.sort(key=lambda item: item["severity"])  # high before medium; soonest first within
    return _few(items, "more registration to renew", "more registrations to renew")


_DAY = pd.Timedelta(days=1)


def _registration(row: Any, flew: bool) -> Item:
    text = "Registration expired" if row.days_left < 0 else "Registration expires"
    if flew:
        text = "Flew after its registration expired"
    return _item(text, "high" if flew else "medium", row.name, shown(row.registration_expiry))


def late(late: pd.DataFrame) -> Iterator[Item]:
    """Name the projects that are late, by client and pilot.

    Parameters
    ----------
    late : DataFrame
        As `metrics.late_projects` returns it.

    Examples
    --------
    >>> rows = pd.DataFrame({"title": ["Quarry"], "client_account_name": ["Fjord"],
    ...     "assigned_pilot_name": [None], "days_late": [2]})
    >>> [(item["text"], item["who"], item["when"]) for item in late(rows)]
    [('Quarry is late', 'Fjord', '2 days')]
    """
    items = [_late(row) for row in late.itertuples()]
    return _few(items, "more project is late", "more projects are late")


def _late(row: Any) -> Item:
    people = (row.client_account_name, row.assigned_pilot_name)
    who = ", ".join(str(name) for name in people if not pd.isna(name))
    severity = "high" if row.days_late > SOON_DAYS else "medium"
    return _item(f"{shown(row.title)} is late", severity, who, counted(row.days_late, "day"))


def to_invoice(ready: pd.DataFrame) -> Iterator[Item]:
    """Count the delivered projects by client, the longest untouched first.

    Parameters
    ----------
    ready : DataFrame
        As `metrics.to_invoice` returns it.

    Examples
    --------
    >>> rows = pd.DataFrame({"title": ["Quarry"], "client_account_name": ["Fjord"],
    ...     "days_since_updated": [9]})
    >>> [(item["text"], item["when"]) for item in to_invoice(rows)]
    [('Quarry can be invoiced', 'untouched for 9 days')]
    """
    items = [_ready(row) for row in ready.itertuples()]
    return _few(items, "more project can be invoiced", "more projects can be invoiced")


def _ready(row: Any) -> Item:
    untouched = f"untouched for {counted(row.days_since_updated, 'day')}"
    return _item(f"{shown(row.title)} can be invoiced", "low", row.client_account_name, untouched)


def stalled(stalled: pd.DataFrame) -> Iterator[Item]:
    """Name the confirmed projects that nobody has scheduled, the longest untouched first.

    Parameters
    ----------
    stalled : DataFrame
        As `metrics.stalled_projects` returns it.

    Examples
    --------
    >>> rows = pd.DataFrame({"title": ["Quarry"], "client_account_name": ["Fjord"],
    ...     "days_untouched": [9]})
    >>> [(item["text"], item["who"]) for item in stalled(rows)]
    [('Quarry is stalled', 'Fjord')]
    """
    items = [_stalled(row) for row in stalled.itertuples()]
    return _few(items, "more project is stalled", "more projects are stalled")


def _stalled(row: Any) -> Item:
    untouched = f"untouched for {counted(row.days_untouched, 'day')}"
    return _item(f"{shown(row.title)} is stalled", "low", row.client_account_name, untouched)


def restated(months: pd.DataFrame, period: Period) -> Iterator[Item]:
    """Name the reported months that moved by 1 % of their hours or more.

    Parameters
    ----------
    months : DataFrame
        As `Past.months` returns it.
    period : Period
        The report's.

    Examples
    --------
    >>> from fleetkit.periods import parse
    >>> months = pd.DataFrame({"month": ["2026-09"], "late_logs": [3], "edits": [1],
    ...     "moved_in": [0], "moved_out": [0], "vanished": [1], "hours": [1.2], "share": [0.046]})
    >>> [(item["text"], item["when"]) for item in restated(months, parse("2026-10"))]
    [('September moved by +1.2 h', '4.6 % of its hours')]
    """
    # A month that had no hours before moved by all of them.
    noticed = months["hours"].abs().gt(0) & months["share"].fillna(1).ge(NOTICEABLE)
    items = [_restated(row, period) for row in months[noticed].itertuples()]
    return _few(items, "more month moved", "more months moved")


def _restated(row: Any, period: Period) -> Item:
    text = f"{month_title(row.month, period)} moved by {hours_moved(row.hours) or 'minutes'}"
    share = "" if pd.isna(row.share) else f"{shown(100 * row.share, '{:,.1f}')} % of its hours"
    return _item(text, "medium", restating(row), share)


def impossible(moves: pd.DataFrame) -> Iterator[Item]:
    """Name the projects that moved as none should, the latest first.

    Parameters
    ----------
    moves : DataFrame
        As `metrics.impossible_moves` returns it.

    Examples
    --------
    >>> moves = pd.DataFrame({"title": ["Roof"], "client_account_name": ["Fjord"],
    ...     "from_status": ["COMPLETED"], "to_status": ["DRAFT"],
    ...     "moved_at": pd.to_datetime(["2026-10-20T06:00Z"])})
    >>> [(item["text"], item["when"]) for item in impossible(moves)]
    [('Roof moved from COMPLETED to DRAFT', '20 Oct 2026')]
    """
    items = [_moved(row) for row in moves[::-1].itertuples()]
    return _few(items, "more impossible move", "more impossible moves")


def _moved(row: Any) -> Item:
    text = f"{shown(row.title)} moved from {row.from_status} to {row.to_status}"
    return _item(text, "medium", row.client_account_name, shown(row.moved_at))
