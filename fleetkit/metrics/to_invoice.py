"""Delivered projects, which can be invoiced."""

from __future__ import annotations

from datetime import date, datetime

from fleetkit.metrics._frames import FrameT
from fleetkit.metrics._waiting import list_waiting

__all__ = ["to_invoice"]


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

    Definitions
    -----------
    To invoice
        See `pipeline_totals`.

    Examples
    --------
    >>> import pandas as pd
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
    return list_waiting(
        projects,
        lambda rows: rows["status"] == "DELIVERED",
        since="updated_at",
        days="days_since_updated",
        as_of=as_of,
        tz=tz,
    )
