"""Projects that moved from stage to stage, as a mirror saw it."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fleetkit.metrics._frames import Frame, FrameT, to_kind_of
from fleetkit.metrics._statuses import order_statuses
from fleetkit.metrics._versions import has_changed, read_versions, with_previous
from fleetkit.schema import PROJECT_STATUSES

__all__ = ["AHEAD", "MOVES", "impossible_moves", "stage_moves"]

MOVES = ("forward", "back", "held", "resumed", "cancelled", "after the end", "unknown")
_IMPOSSIBLE = ("back", "after the end")
# The order of the work; ON_HOLD and CANCELLED stand aside.
AHEAD = tuple(status for status in PROJECT_STATUSES if status not in {"ON_HOLD", "CANCELLED"})
_NAMES = ["title", "client_account_name"]


def stage_moves(history: FrameT) -> FrameT:
    """List the moves of projects from one status to another.

    Known only since the mirror watched, and only as its syncs saw it: of several moves between two
    syncs the ends are seen. A project that vanished and came back moved when it came back.

    Parameters
    ----------
    history : frame of any engine
        As ``fleet.history("projects")`` returns it: ``project_id``, ``title``,
        ``client_account_name``, ``status``, ``valid_from``, ``valid_to``.

    Returns
    -------
    frame of the kind of `history`
        ``project_id``, ``title``, ``client_account_name``, ``moved_at`` (UTC: the sync that saw
        it), ``from_status``, ``to_status`` (ordered categoricals), ``kind`` (ordered categorical):
        "forward" and "back" along DRAFT → CONFIRMED → SCHEDULED → IN_PROGRESS → DELIVERED →
        INVOICED → COMPLETED, "held" (to ON_HOLD), "resumed" (from it), "cancelled", "after the
        end" (out of COMPLETED or CANCELLED), "unknown" (a status that the reference doesn't have,
        or none). In order of time.

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> at = pd.to_datetime(["2026-09-01T06:00Z", "2026-09-04T06:00Z", None])
    >>> history = pd.DataFrame({
    ...     "project_id": "proj_1", "title": "Roof", "client_account_name": None,
    ...     "status": ["DRAFT", "CONFIRMED"], "valid_from": at[:2], "valid_to": at[1:],
    ... })
    >>> stage_moves(history)[["project_id", "from_status", "to_status", "kind"]]
      project_id from_status  to_status     kind
    0     proj_1       DRAFT  CONFIRMED  forward
    """
    return to_kind_of(_moves(history), history)


def impossible_moves(history: FrameT) -> FrameT:
    """List the moves that shouldn't be: backwards, or out of COMPLETED or CANCELLED.

    The reference shows no transitions between statuses (section 3); this is our reading. ON_HOLD
    may be entered and left from and to any stage. Known only since the mirror watched; of several
    moves between two syncs the ends are seen.

    Parameters
    ----------
    history : frame of any engine
        As for `stage_moves`.

    Returns
    -------
    frame of the kind of `history`
        The rows of `stage_moves` whose ``kind`` is "back" or "after the end".

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> at = pd.to_datetime(["2026-09-01T06:00Z", "2026-09-04T06:00Z", None])
    >>> history = pd.DataFrame({
    ...     "project_id": "proj_1", "title": "Roof", "client_account_name": None,
    ...     "status": ["COMPLETED", "DRAFT"], "valid_from": at[:2], "valid_to": at[1:],
    ... })
    >>> impossible_moves(history)["kind"].tolist()
    ['after the end']
    """
    moves = _moves(history)
    impossible = moves[moves["kind"].isin(_IMPOSSIBLE)]
    return to_kind_of(impossible.reset_index(drop=True), history)


def _moves(history: Frame) -> pd.DataFrame:
    rows = read_versions(history, "history", "project_id", [*_NAMES, "status"])
    rows["status"] = rows["status"].astype("str")
    steps = with_previous(rows, "project_id", ["status"])
    moves = steps[has_changed(steps, "status")].rename(
        columns={"valid_from": "moved_at", "status_before": "from_status", "status": "to_status"}
    )
    ends = zip(moves["from_status"], moves["to_status"], strict=True)
    kinds = [_kind(old, new) for old, new in ends]
    moves["kind"] = pd.Categorical(kinds, list(MOVES), ordered=True)
    for column in ("from_status", "to_status"):
        moves[column] = order_statuses(moves[column])
    columns = ["project_id", *_NAMES, "moved_at", "from_status", "to_status", "kind"]
    ordered = moves.sort_values(["moved_at", "project_id"], ignore_index=True)
    return ordered[columns]


def _kind(old: Any, new: Any) -> str:
    if old in {"COMPLETED", "CANCELLED"}:
        return "after the end"
    if old not in PROJECT_STATUSES or new not in PROJECT_STATUSES:
        return "unknown"
    if new == "CANCELLED":
        return "cancelled"
    if "ON_HOLD" in {old, new}:
        return "held" if new == "ON_HOLD" else "resumed"
    return "forward" if AHEAD.index(new) > AHEAD.index(old) else "back"
