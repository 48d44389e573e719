"""How long projects stay in a stage, as a mirror saw it."""

from __future__ import annotations

from datetime import date, datetime

from fleetkit.metrics._frames import FrameT, to_kind_of
from fleetkit.metrics._noticing import clock_of
from fleetkit.metrics.stage_stays import find_stays
from fleetkit.time import instant

__all__ = ["time_in_stage"]


def time_in_stage(
    history: FrameT,
    as_of: str | date | datetime,
    *,
    watched_since: str | date | datetime | None = None,
    tz: str | None = None,
) -> FrameT:
    """Summarise per status how long projects stayed in it, and how long those there have stood.

    Known only since the mirror watched: medians are over whole stays, whose entry and end it saw,
    so a stay longer than that is in none. Those that stand are counted apart.

    Parameters
    ----------
    history, as_of, watched_since, tz
        As for `stage_stays`.

    Returns
    -------
    frame of the kind of `history`
        One row per status that occurs, in the reference's order: ``status`` (ordered categorical),
        ``stays`` (Int64: whole ones), ``median_days``, ``p90_days`` (float64, null without a whole
        stay) [d], ``standing`` (Int64: projects in it at `as_of`), ``longest_standing_days``
        (float64, null without one) [d], ``entry_unseen`` (Int64: of those standing, the ones that
        were there when the mirror began to watch or came back to it; they stand at least so long).

    Raises
    ------
    InvalidValue
        A missing column, or what is not a moment.

    Definitions
    -----------
    Time in stage
        Days between the syncs that saw a project enter a stage and leave it. The median,
        and the 90th percentile (p90), of stays whose both ends a sync saw; who stands in a
        stage is counted apart: at least so long where no sync saw it enter.

    Examples
    --------
    >>> import pandas as pd
    >>> at = pd.to_datetime(["2026-09-01T06:00Z", "2026-09-04T06:00Z", None])
    >>> history = pd.DataFrame({
    ...     "project_id": "proj_1", "title": "Roof", "client_account_name": None,
    ...     "status": ["DRAFT", "CONFIRMED"], "valid_from": at[:2], "valid_to": at[1:],
    ... })
    >>> time_in_stage(history, "2026-09-05T06:00Z")[["status", "stays", "standing"]]
          status  stays  standing
    0      DRAFT      0         0
    1  CONFIRMED      0         1
    """
    clock = clock_of(history, tz=tz)
    stays = find_stays(history, instant(as_of, clock.tz), watched_since, clock.tz)
    is_current = stays["left_at"].isna()
    stays["whole_days"] = stays["days"].where(stays["whole"])
    stays["standing_days"] = stays["days"].where(is_current)
    stays["standing"], stays["entry_unseen"] = is_current, is_current & ~stays["entry_seen"]
    counted = stays.groupby("status", observed=True, dropna=False).agg(
        stays=("whole", "sum"),
        median_days=("whole_days", "median"),
        p90_days=("whole_days", lambda days: days.quantile(0.9)),
        standing=("standing", "sum"),
        longest_standing_days=("standing_days", "max"),
        entry_unseen=("entry_unseen", "sum"),
    )
    whole = dict.fromkeys(("stays", "standing", "entry_unseen"), "Int64")
    days = dict.fromkeys(("median_days", "p90_days", "longest_standing_days"), "float64")
    return to_kind_of(counted.reset_index().astype(whole | days), history, clock)
