"""Confirmed projects that nobody has scheduled or updated lately."""

from __future__ import annotations

from datetime import date, datetime

from fleetkit.metrics._frames import FrameT
from fleetkit.metrics._waiting import list_waiting

__all__ = ["stalled_projects"]

STALLED_DAYS = 3


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

    Definitions
    -----------
    Stalled
        CONFIRMED without a scheduled date, and untouched for 3 days or more.
    Days untouched
        Days since the record was last changed; not the time in its stage.

    Examples
    --------
    >>> import pandas as pd
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
    return list_waiting(
        projects,
        lambda rows: (
            (rows["status"] == "CONFIRMED")
            & rows["scheduled_date"].isna()
            & (rows["days_untouched"] >= STALLED_DAYS)
        ),
        since="updated_at",
        days="days_untouched",
        as_of=as_of,
        tz=tz,
        others=["scheduled_date"],
    )
