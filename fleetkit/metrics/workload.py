"""Who has work scheduled, and when."""

from __future__ import annotations

import narwhals as nw

from fleetkit.kinds import BACKLOG
from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._noticing import clock_of
from fleetkit.time import Clock
from fleetkit.unassigned import UNASSIGNED, or_unassigned

__all__ = ["workload"]


def workload(projects: FrameT, *, tz: str | None = None) -> FrameT:
    """Count the scheduled work by pilot and week.

    Work is what the backlog holds (CONFIRMED, SCHEDULED, IN_PROGRESS) and has a
    ``scheduled_date``. Pilots are known by name only here: two of one name are one row.

    Parameters
    ----------
    projects : frame of any engine
        With ``status``, ``assigned_pilot_name``, ``scheduled_date``.
    tz : str, optional
        IANA time zone of the weeks; default: that of the frame's fleet, or UTC.
        Scheduled dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `projects`
        ``pilot`` (name, or "Unassigned", which comes last), ``week`` (ISO, ``YYYY-Www``),
        ``projects``; pairs that occur, in order.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Workload
        Projects of the backlog by the pilot and the ISO week that they are scheduled for.
    Backlog
        See `pipeline_totals`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "status": ["SCHEDULED", "CONFIRMED"], "assigned_pilot_name": ["Ada", None],
    ...     "scheduled_date": pd.to_datetime(["2026-11-02T08:00Z", "2027-01-01T08:00Z"]),
    ... })
    >>> workload(projects)
            pilot      week  projects
    0         Ada  2026-W45         1
    1  Unassigned  2026-W53         1
    """
    rows = to_pandas(projects, "projects", ["status", "assigned_pilot_name", "scheduled_date"])
    clock = clock_of(projects, tz=tz)
    rows["_day"] = clock.days(rows["scheduled_date"])
    rows = rows[rows["status"].astype("str").isin(BACKLOG) & rows["_day"].notna()]
    named = or_unassigned("assigned_pilot_name").alias("pilot")
    weeks = nw.from_native(rows).with_columns(Clock.week().alias("week"), named).to_native()
    counted = weeks.groupby(["pilot", "week"]).size().rename("projects").reset_index()
    last = counted["pilot"] == UNASSIGNED
    order = counted.assign(_last=last).sort_values(["_last", "pilot", "week"], ignore_index=True)
    return to_kind_of(order.drop(columns="_last"), projects, clock)
