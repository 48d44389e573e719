"""Projects that wait for somebody: late, stalled, to be invoiced."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import pandas as pd

from fleetkit.context import zone_of
from fleetkit.metrics._days import local_day, local_days
from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._statuses import order_statuses

__all__ = ["late_projects", "stalled_projects", "to_invoice"]

STALLED_DAYS = 3
_WHO = ["project_id", "title", "status", "client_account_name", "assigned_pilot_name"]
_PRICE = ["agreed_price", "currency"]


def late_projects(
    projects: FrameT, as_of: str | date | datetime, *, tz: str | None = None
) -> FrameT:
    """List the projects whose scheduled day is past while they are not yet under way.

    Late is DRAFT, CONFIRMED or SCHEDULED with a ``scheduled_date`` on a day before `as_of`.

    Parameters
    ----------
    projects : frame of any engine
        With ``project_id``, ``title``, ``status``, ``client_account_name``,
        ``assigned_pilot_name``, ``scheduled_date``, ``agreed_price``, ``currency``.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.
        Scheduled dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `projects`
        ``project_id``, ``title``, ``status``, ``client_account_name``, ``assigned_pilot_name``,
        ``scheduled_date``, ``days_late`` (Int64, at least 1), ``agreed_price``, ``currency``;
        latest first.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Examples
    --------
    >>> projects = pd.DataFrame({
    ...     "project_id": ["p"], "title": ["Quarry"], "status": ["SCHEDULED"],
    ...     "client_account_name": ["Fjord"], "assigned_pilot_name": ["Ada"],
    ...     "scheduled_date": pd.to_datetime(["2026-10-29T09:00Z"]),
    ...     "agreed_price": [100.0], "currency": ["EUR"],
    ... })
    >>> late_projects(projects, "2026-10-31")[["project_id", "days_late"]]
      project_id  days_late
    0          p          2
    """
    rows = to_pandas(projects, "projects", [*_WHO, "scheduled_date", *_PRICE])
    zone = zone_of(projects, tz=tz)
    rows["status"] = order_statuses(rows["status"])
    rows["days_late"] = _days_since(rows["scheduled_date"], as_of, zone)
    waiting = rows["status"].isin(["DRAFT", "CONFIRMED", "SCHEDULED"])
    late = rows[waiting & (rows["days_late"] > 0).fillna(False)]
    return to_kind_of(
        _listed(late, "days_late", [*_WHO, "scheduled_date", "days_late"]), projects, zone
    )


def _days_since(column: pd.Series[Any], as_of: str | date | datetime, tz: str) -> pd.Series[Any]:
    passed: pd.Series[Any] = (local_day(as_of, tz) - local_days(column, tz)).dt.days
    return passed.astype("Int64")


def _listed(rows: pd.DataFrame, days: str, columns: Sequence[str]) -> pd.DataFrame:
    ordered = rows.sort_values([days, "project_id"], ascending=[False, True], ignore_index=True)
    return ordered[[*columns, *_PRICE]]


def stalled_projects(
    projects: FrameT, as_of: str | date | datetime, *, tz: str | None = None
) -> FrameT:
    """List the confirmed projects that nobody has scheduled or touched for 3 days or more.

    Untouched counts from ``updated_at``; a project without one is not listed.

    Parameters
    ----------
    projects : frame of any engine
        With the columns of :func:`late_projects` and ``updated_at``.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.

    Returns
    -------
    frame of the kind of `projects`
        ``project_id``, ``title``, ``status``, ``client_account_name``, ``assigned_pilot_name``,
        ``updated_at``, ``days_untouched`` (Int64), ``agreed_price``, ``currency``; longest first.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Examples
    --------
    >>> projects = pd.DataFrame({
    ...     "project_id": ["p"], "title": ["Quarry"], "status": ["CONFIRMED"],
    ...     "client_account_name": ["Fjord"], "assigned_pilot_name": ["Ada"],
    ...     "scheduled_date": pd.to_datetime([None], utc=True),
    ...     "updated_at": pd.to_datetime(["2026-10-21T09:00Z"]),
    ...     "agreed_price": [100.0], "currency": ["EUR"],
    ... })
    >>> stalled_projects(projects, "2026-10-31")[["project_id", "days_untouched"]]
      project_id  days_untouched
    0          p              10
    """
    rows = to_pandas(projects, "projects", [*_WHO, "scheduled_date", "updated_at", *_PRICE])
    zone = zone_of(projects, tz=tz)
    rows["status"] = order_statuses(rows["status"])
    rows["days_untouched"] = _days_since(rows["updated_at"], as_of, zone)
    unscheduled = (rows["status"] == "CONFIRMED") & rows["scheduled_date"].isna()
    stalled = rows[unscheduled & (rows["days_untouched"] >= STALLED_DAYS).fillna(False)]
    columns = [*_WHO, "updated_at", "days_untouched"]
    return to_kind_of(_listed(stalled, "days_untouched", columns), projects, zone)


def to_invoice(projects: FrameT, as_of: str | date | datetime, *, tz: str | None = None) -> FrameT:
    """List the delivered projects, which can be invoiced.

    Projects are as they stand now: one updated after `as_of` has days below 0.

    Parameters
    ----------
    projects : frame of any engine
        With the columns of :func:`late_projects`, less ``scheduled_date``, and ``updated_at``.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`.
    tz : str, optional
        IANA time zone of the days; default: that of the frame's fleet, or UTC.

    Returns
    -------
    frame of the kind of `projects`
        ``project_id``, ``title``, ``status``, ``client_account_name``, ``assigned_pilot_name``,
        ``updated_at``, ``days_since_updated`` (Int64; staleness, not time in stage),
        ``agreed_price``, ``currency``; longest first.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Examples
    --------
    >>> projects = pd.DataFrame({
    ...     "project_id": ["p"], "title": ["Quarry"], "status": ["DELIVERED"],
    ...     "client_account_name": ["Fjord"], "assigned_pilot_name": ["Ada"],
    ...     "updated_at": pd.to_datetime(["2026-10-21T09:00Z"]),
    ...     "agreed_price": [100.0], "currency": ["EUR"],
    ... })
    >>> to_invoice(projects, "2026-10-31")[["project_id", "days_since_updated"]]
      project_id  days_since_updated
    0          p                  10
    """
    rows = to_pandas(projects, "projects", [*_WHO, "updated_at", *_PRICE])
    zone = zone_of(projects, tz=tz)
    rows["status"] = order_statuses(rows["status"])
    rows["days_since_updated"] = _days_since(rows["updated_at"], as_of, zone)
    delivered = rows[rows["status"] == "DELIVERED"]
    columns = [*_WHO, "updated_at", "days_since_updated"]
    return to_kind_of(_listed(delivered, "days_since_updated", columns), projects, zone)
