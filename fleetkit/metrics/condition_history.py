"""Equipment whose status or condition changed, as a mirror saw it."""

from __future__ import annotations

import pandas as pd

from fleetkit.metrics._frames import FrameT, to_kind_of
from fleetkit.metrics._versions import changes_of, read_versions, with_previous

__all__ = ["condition_history"]

FIELDS = ("status", "condition")
_COLUMNS = ["equipment_id", "name", "observed_at", "field", "old", "new"]
_DTYPES = dict.fromkeys(("field", "old", "new"), "str")


def condition_history(history: FrameT) -> FrameT:
    """List the changes of status and condition of equipment, tokens as the API writes them.

    Known only since the mirror watched: what it found at first is not a change, and of several
    changes between two syncs the ends are seen.

    Parameters
    ----------
    history : frame of any engine
        As ``fleet.history("equipment")`` returns it: ``equipment_id``, ``name``, ``status``,
        ``condition``, ``valid_from``, ``valid_to``; with ``created_at``, an id that was used again
        is another record.

    Returns
    -------
    frame of the kind of `history`
        One row per change: ``equipment_id``, ``name`` (as it was then), ``observed_at`` (UTC: the
        sync that saw it), ``field`` ("status" or "condition"), ``old``, ``new`` (str; null where
        there was no value). In order of time.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Change of status or condition
        Seen by a sync, on that day; of several changes between two syncs the ends are seen.

    Examples
    --------
    >>> at = pd.to_datetime(["2026-09-01T06:00Z", "2026-09-04T06:00Z", None])
    >>> history = pd.DataFrame({
    ...     "equipment_id": "eq_1", "name": "Kestrel", "status": "ACTIVE",
    ...     "condition": ["GOOD", "FAIR"], "valid_from": at[:2], "valid_to": at[1:],
    ... })
    >>> condition_history(history)[["name", "field", "old", "new"]]
          name      field   old   new
    0  Kestrel  condition  GOOD  FAIR
    """
    rows = read_versions(history, "history", "equipment_id", ["name", *FIELDS])
    steps = with_previous(rows, FIELDS)
    parts = [changes_of(steps, field)[_COLUMNS].astype(_DTYPES) for field in FIELDS]
    changes = pd.concat(parts).sort_values(["observed_at", "equipment_id"], kind="stable")
    return to_kind_of(changes.reset_index(drop=True), history)
