"""Moves of projects from stage to stage, as a mirror saw them."""

from __future__ import annotations

from fleetkit.metrics._frames import FrameT, to_kind_of
from fleetkit.metrics._stages import find_moves

__all__ = ["stage_moves"]


def stage_moves(history: FrameT) -> FrameT:
    """List the moves of projects from one status to another.

    Known only since the mirror watched, and only as its syncs saw it: of several moves between two
    syncs the ends are seen. A project that vanished and came back moved when it came back.

    Parameters
    ----------
    history : frame of any engine
        As ``fleet.history("projects")`` returns it: ``project_id``, ``title``,
        ``client_account_name``, ``status``, ``valid_from``, ``valid_to``; with ``created_at``, an
        id that was used again is another record.

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

    Definitions
    -----------
    Stage move
        A project whose status a sync found to be another one: forward or back along DRAFT →
        CONFIRMED → SCHEDULED → IN_PROGRESS → DELIVERED → INVOICED → COMPLETED, held (to
        ON_HOLD), resumed (from it), cancelled, after the end (out of COMPLETED or CANCELLED),
        unknown (of a status that the reference doesn't have).
    Seen
        The sync that saw a change; it happened between the sync before and that one.

    Examples
    --------
    >>> import pandas as pd
    >>> at = pd.to_datetime(["2026-09-01T06:00Z", "2026-09-04T06:00Z", None])
    >>> history = pd.DataFrame({
    ...     "project_id": "proj_1", "title": "Roof", "client_account_name": None,
    ...     "status": ["DRAFT", "CONFIRMED"], "valid_from": at[:2], "valid_to": at[1:],
    ... })
    >>> stage_moves(history)[["project_id", "from_status", "to_status", "kind"]]
      project_id from_status  to_status     kind
    0     proj_1       DRAFT  CONFIRMED  forward
    """
    return to_kind_of(find_moves(history), history)
