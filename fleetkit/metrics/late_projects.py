"""Projects whose scheduled day is past."""

from __future__ import annotations

from datetime import date, datetime

from fleetkit.kinds import MAY_BE_LATE
from fleetkit.metrics._frames import FrameT
from fleetkit.metrics._waiting import list_waiting

__all__ = ["late_projects"]


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

    Definitions
    -----------
    Late
        The scheduled date is past and the project is DRAFT, CONFIRMED or SCHEDULED.

    Examples
    --------
    >>> import pandas as pd
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
    return list_waiting(
        projects,
        lambda rows: rows["status"].isin(MAY_BE_LATE) & (rows["days_late"] > 0),
        since="scheduled_date",
        days="days_late",
        as_of=as_of,
        tz=tz,
    )
