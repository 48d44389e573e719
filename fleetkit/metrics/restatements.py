"""By how much reported months were restated since: the restatement ledger, summed."""

from __future__ import annotations

from fleetkit.kinds import RESTATEMENTS
from fleetkit.metrics._frames import FrameT, to_kind_of, to_pandas

__all__ = ["restatements"]


def restatements(ledger: FrameT) -> FrameT:
    """Sum a restatement ledger by month: "September changed by +1.2 h: 3 late logs, 1 edit".

    Known only since the mirror watched. A month without a row of the ledger was not restated, and
    has no row here.

    Parameters
    ----------
    ledger : frame of any engine
        As ``fleet.restatements`` returns it, or several of them, one below the other: ``month``,
        ``kind``, ``hours``.

    Returns
    -------
    frame of the kind of `ledger`
        One row per month, in order: ``month`` (``YYYY-MM``), ``late_logs``, ``edits``,
        ``moved_in``, ``moved_out``, ``vanished`` (Int64), ``flights`` (Int64: by how many more or
        fewer the month has now), ``hours`` (float64: by how much it changed) [h].

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Moved by
        Hours of a month's flights now, less those that the same month had in the state that
        the last report shows; a flight counts in the month of its date.
    Late log
        A flight of a reported month that no list showed then.
    Edit
        A flight whose record reads otherwise than then, in any field but the time of its
        last change.
    Moved in, moved out
        A flight that is, or was, in another month, or outside of what the report's filter
        means.
    Vanished
        A flight that was there then and is in no list now.
    Verified
        Read whole by a sync. In between, a list whose counters and time of change stand
        still is taken to stand still; each is verified again in turn.

    Examples
    --------
    >>> import pandas as pd
    >>> ledger = pd.DataFrame({
    ...     "month": "2026-09", "kind": ["late log", "late log", "edit"], "hours": [0.5, 1.0, -0.3],
    ... })
    >>> restatements(ledger)[["month", "late_logs", "edits", "flights", "hours"]]
         month  late_logs  edits  flights  hours
    0  2026-09          2      1        2    1.2
    """
    rows = to_pandas(ledger, "ledger", ["month", "kind", "hours"])
    kinds = rows["kind"].astype("str")
    for name, kind in RESTATEMENTS.items():
        rows[kind.column] = kinds.eq(name).astype("Int64")
    flights = {name: kind.flights for name, kind in RESTATEMENTS.items()}
    rows["flights"] = kinds.map(flights).astype("Int64")
    columns = [*(kind.column for kind in RESTATEMENTS.values()), "flights", "hours"]
    summed = rows.groupby("month", as_index=False)[columns].sum()
    return to_kind_of(summed.astype({"month": "str", "hours": "float64"}), ledger)
