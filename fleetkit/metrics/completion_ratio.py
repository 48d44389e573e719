"""How many of the projects created in a month were completed."""

from __future__ import annotations

import pandas as pd

from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas
from fleetkit.metrics._noticing import clock_of

__all__ = ["completion_ratio"]


def completion_ratio(projects: FrameT, *, tz: str | None = None) -> FrameT:
    """Return COMPLETED / (COMPLETED + CANCELLED) of the projects created in each month.

    No win rate: projects still under way are in neither number.

    Parameters
    ----------
    projects : frame of any engine
        With ``status`` and ``created_at``.
    tz : str, optional
        IANA time zone of the months; default: that of the frame's fleet, or UTC.

    Returns
    -------
    frame of the kind of `projects`
        One row per month in which projects were created: ``month`` (``YYYY-MM``; null last),
        ``projects``, ``completed``, ``cancelled``, ``ratio`` (0 … 1; null where none has ended).

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Definitions
    -----------
    Completion ratio
        COMPLETED / (COMPLETED + CANCELLED) of the projects created in a month. Not a win
        rate: projects under way are in neither number.

    Examples
    --------
    >>> projects = pd.DataFrame({
    ...     "status": ["COMPLETED", "CANCELLED", "DRAFT"],
    ...     "created_at": pd.to_datetime(["2026-10-01T08:00Z"] * 3),
    ... })
    >>> completion_ratio(projects)
         month  projects  completed  cancelled  ratio
    0  2026-10         3          1          1    0.5
    """
    rows = to_pandas(projects, "projects", ["status", "created_at"])
    clock = clock_of(projects, tz=tz)
    status = rows["status"].astype("str")
    ended = pd.DataFrame(
        {
            "month": clock.days(rows["created_at"]).dt.strftime("%Y-%m").astype("str"),
            "completed": (status == "COMPLETED").astype("int64"),
            "cancelled": (status == "CANCELLED").astype("int64"),
        }
    )
    by = ended.groupby("month", dropna=False)
    result = by.agg(
        projects=("completed", "size"),
        completed=("completed", "sum"),
        cancelled=("cancelled", "sum"),
    ).reset_index()
    result["ratio"] = result["completed"] / (result["completed"] + result["cancelled"])  # 0/0: null
    return to_kind_of(result.sort_values("month", ignore_index=True), projects, clock)
