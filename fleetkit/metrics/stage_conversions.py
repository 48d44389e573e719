"""Which projects went on from each stage, as a mirror saw it."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fleetkit.kinds import STAGES
from fleetkit.metrics._frames import FrameT, to_kind_of
from fleetkit.metrics._stages import order_statuses
from fleetkit.metrics._versions import read_versions

__all__ = ["stage_conversions"]

OUTCOMES = ("went_on", "cancelled", "went_back", "vanished", "elsewhere", "still_there")


def stage_conversions(history: FrameT) -> FrameT:
    """Count what became of the projects that were seen in each stage before COMPLETED.

    A project counts once per stage, by what followed when it was last there. ON_HOLD is looked
    through: who is on hold is still where it was. Known only since the mirror watched; a stage
    that a project passed between two syncs wasn't seen.

    Parameters
    ----------
    history : frame of any engine
        As ``fleet.history("projects")`` returns it: ``project_id``, ``status``, ``valid_from``,
        ``valid_to``; with ``created_at``, an id that was used again is another record.

    Returns
    -------
    frame of the kind of `history`
        One row per stage that was seen, in order: ``status`` (ordered categorical), ``projects``
        (Int64: seen in it), ``went_on`` (to a later stage), ``cancelled``, ``went_back``,
        ``vanished``, ``elsewhere`` (to a status that the reference doesn't have), ``still_there``
        (all Int64, they add up to ``projects``), ``conversion`` (float64: went_on /
        (went_on + cancelled + went_back); null where that is 0).

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Conversion
        Of the projects that a sync saw in a stage and then in another one: the share that
        went on to a later one, and neither back nor to CANCELLED. On hold, a project is
        still where it was. A stage that a project passed between two syncs wasn't seen.

    Examples
    --------
    >>> at = pd.to_datetime(["2026-09-01T06:00Z", "2026-09-04T06:00Z", None])
    >>> history = pd.DataFrame({
    ...     "project_id": "proj_1", "status": ["DRAFT", "CONFIRMED"],
    ...     "valid_from": at[:2], "valid_to": at[1:],
    ... })
    >>> stage_conversions(history)[["status", "projects", "went_on", "still_there", "conversion"]]
          status  projects  went_on  still_there  conversion
    0      DRAFT         1        1            0         1.0
    1  CONFIRMED         1        0            1         NaN
    """
    rows = read_versions(history, "history", "project_id", ["status"])
    rows["status"] = rows["status"].astype("str")
    current = set(rows.loc[rows["valid_to"].isna(), "record"])
    rows = rows[rows["status"].ne("ON_HOLD")]
    same = rows["record"].eq(rows["record"].shift()) & rows["status"].eq(rows["status"].shift())
    seen = rows[~same].copy()
    seen["followed"] = seen.groupby("record")["status"].shift(-1)
    seen["last"] = ~seen["record"].duplicated(keep="last")
    seen = seen[seen["status"].isin(STAGES[:-1])]
    seen = seen[~seen.duplicated(["record", "status"], keep="last")]
    facts = zip(seen["record"], seen["status"], seen["followed"], seen["last"], strict=True)
    outcomes = [
        _outcome(status, None if last else followed, record in current)
        for record, status, followed, last in facts
    ]
    table = pd.crosstab(seen["status"].to_numpy(), pd.Series(outcomes, dtype="str").to_numpy())
    counted = table.reindex(columns=list(OUTCOMES), fill_value=0).astype("Int64")
    counted.insert(0, "projects", counted.sum(axis=1))
    decided = counted[["went_on", "cancelled", "went_back"]].sum(axis=1)
    counted["conversion"] = (counted["went_on"] / decided).astype("float64")  # 0 / 0 is null
    counted.insert(
        0, "status", order_statuses(pd.Series(counted.index, counted.index, dtype="str"))
    )
    return to_kind_of(
        counted.sort_values("status", ignore_index=True).rename_axis(columns=None), history
    )


def _outcome(status: str, followed: Any, is_current: bool) -> str:
    """Say what followed a stage; `followed` is None where nothing did."""
    if followed is None:
        return "still_there" if is_current else "vanished"
    if followed == "CANCELLED":
        return "cancelled"
    if followed not in STAGES:
        return "elsewhere"
    return "went_on" if STAGES.index(followed) > STAGES.index(status) else "went_back"
