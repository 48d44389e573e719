"""Who flies at night and beyond visual line of sight."""

from __future__ import annotations

import narwhals as nw
import pandas as pd

from fleetkit.metrics._flown import as_hours, ones, read_flights
from fleetkit.metrics._frames import Frame, FrameT, collect, to_kind_of, to_pandas
from fleetkit.metrics.pilots import pilots
from fleetkit.unassigned import UNASSIGNED, or_unassigned

__all__ = ["night_and_bvlos_by_pilot"]

_FLAGS = {"night": "night_flight", "bvlos": "bvlos"}
_NAMES = ["pilot_id", "pilot_name"]


def night_and_bvlos_by_pilot(flights: FrameT) -> FrameT:
    """Count each pilot's flights at night, and beyond visual line of sight, and sum their hours.

    Flights whose log says neither yes nor no are counted apart: null is not false.

    Parameters
    ----------
    flights : frame of any engine
        With ``pilot_id``, ``pilot_name``, ``flight_date``, ``duration_seconds`` [s],
        ``night_flight``, ``bvlos``.

    Returns
    -------
    frame of the kind of `flights`
        One row per pilot: ``pilot_id``, ``pilot_name``, ``flights``, then for ``night`` and
        ``bvlos`` ``<flag>_flights``, ``<flag>_hours`` [h] (null where none of them has a duration)
        and ``<flag>_unknown``, the flights whose log says nothing. Those with most such flights
        come first, and flights without a pilot as the last row, "Unassigned".

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Night and BVLOS share
        See `night_and_bvlos`.
    Unassigned
        See `pilots`.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "pilot_id": ["p", "p", "q"], "pilot_name": ["Ada", "Ada", "Bo"],
    ...     "flight_date": pd.to_datetime(["2026-10-01T20:00Z"] * 3),
    ...     "duration_seconds": [1800, 3600, 600],
    ...     "night_flight": pd.array([True, True, None], dtype="boolean"),
    ...     "bvlos": pd.array([False, True, False], dtype="boolean"),
    ... })
    >>> by_pilot = night_and_bvlos_by_pilot(flights)
    >>> by_pilot[["pilot_name", "night_flights", "night_hours", "night_unknown", "bvlos_flights"]]
      pilot_name  night_flights  night_hours  night_unknown  bvlos_flights
    0        Ada              2          1.5              0              1
    1         Bo              0          0.0              1              0
    """
    rows = to_pandas(pilots(flights), "pilots", [*_NAMES, "flights"])
    for name, flag in _FLAGS.items():
        rows = rows.merge(_flagged(flights, name, flag), on="pilot_id", how="left")
    most = rows["night_flights"] + rows["bvlos_flights"]
    order = pd.DataFrame({"last": rows["pilot_id"] == UNASSIGNED, "most": -most})
    rows = rows.loc[order.sort_values(["last", "most"], kind="stable").index]
    counts = ["flights", *(f"{name}_{kind}" for name in _FLAGS for kind in ("flights", "unknown"))]
    dtypes = dict.fromkeys(_NAMES, "str") | dict.fromkeys(counts, "int64")
    return to_kind_of(rows.reset_index(drop=True).astype(dtypes), flights)


def _flagged(flights: Frame, name: str, flag: str) -> pd.DataFrame:
    """Count what a log says yes to, and what it says nothing of, by pilot."""
    frame = read_flights(flights, "pilot_id", flag).with_columns(
        or_unassigned("pilot_id"),
        ones(nw.col(flag).is_null()).alias("_unknown"),
        ones(nw.col(flag)).alias("_flagged"),
    )
    sums = collect(
        frame.with_columns(nw.col("_seconds", "_recorded") * nw.col("_flagged"))
        .group_by("pilot_id")
        .agg(nw.col("_flagged", "_unknown", "_seconds", "_recorded").sum())
    ).astype({"pilot_id": "str"})
    # Of pilots without such flights nothing is missing: their hours are 0, not null.
    recorded = sums["_recorded"].where(sums["_flagged"] > 0)
    return pd.DataFrame(
        {
            "pilot_id": sums["pilot_id"],
            f"{name}_flights": sums["_flagged"],
            f"{name}_hours": as_hours(sums.assign(_recorded=recorded)),
            f"{name}_unknown": sums["_unknown"],
        }
    )
