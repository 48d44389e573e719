"""Moves of projects between stages that should not be, as a mirror saw them."""

from __future__ import annotations

from fleetkit.metrics._frames import FrameT, to_kind_of
from fleetkit.metrics._stages import find_moves

__all__ = ["impossible_moves"]

_IMPOSSIBLE = ("back", "after the end")


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

    Definitions
    -----------
    Impossible move
        Back along the stages, or out of COMPLETED or CANCELLED. The service doesn't say
        which moves it allows; this is our reading.

    Examples
    --------
    >>> import pandas as pd
    >>> at = pd.to_datetime(["2026-09-01T06:00Z", "2026-09-04T06:00Z", None])
    >>> history = pd.DataFrame({
    ...     "project_id": "proj_1", "title": "Roof", "client_account_name": None,
    ...     "status": ["COMPLETED", "DRAFT"], "valid_from": at[:2], "valid_to": at[1:],
    ... })
    >>> impossible_moves(history)["kind"].tolist()
    ['after the end']
    """
    moves = find_moves(history)
    impossible = moves[moves["kind"].isin(_IMPOSSIBLE)]
    return to_kind_of(impossible.reset_index(drop=True), history)
