"""Equipment whose status contradicts what it did, or the state that it is in."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import narwhals as nw
import pandas as pd

from fleetkit.arguments import checked_number, texts
from fleetkit.context import setting
from fleetkit.kinds import GROUNDED
from fleetkit.language import say
from fleetkit.metrics._flown import under_equipment
from fleetkit.metrics._frames import Frame, FrameT, collect, to_kind_of, to_lazy, to_pandas
from fleetkit.time import with_utc

__all__ = ["contradictions"]


def contradictions(
    equipment: FrameT,
    flights: Frame,
    bridge: Frame,
    *,
    condition_order: Sequence[str] | None = None,
    most: int = 20,
) -> FrameT:
    """List equipment whose status contradicts its flights or its condition.

    Equipment that is RETIRED, GROUNDED or LOST today and has flights: a question, for the status
    may be younger than they are; an error where one is younger than the last change of the record.
    Equipment that is ACTIVE in the worst condition that any ACTIVE equipment has, where more than
    half of the order's conditions are better, or that one is the last: an error.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id``, ``name``, ``status``, ``condition``, ``updated_at``.
    flights : frame of any engine
        Those to look at, such as a period's: ``flight_id``, ``flight_date``.
    bridge : frame of the same engine as `flights`
        ``flight_id``, ``equipment_id``.
    condition_order : sequence of str, optional
        Severity, from best to worst; default: that of the frame's fleet.
    most : int
        Ids of flights that a row names.

    Returns
    -------
    frame of the kind of `equipment`
        One row per piece of equipment and contradiction: ``equipment_id``, ``name``, ``status``,
        ``condition``, ``contradiction`` ("flew, and is RETIRED", "is ACTIVE in condition POOR"),
        ``severity`` (error or question), ``flights`` (Int64; null where it isn't about flights),
        ``last_flight`` (UTC), ``flight_ids`` (of the latest ones, separated by commas); errors
        first, then by flights.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Contradiction
        A condition, or flights of the period, that speak against a status. RETIRED, GROUNDED or
        LOST may be younger than the flight: a question.
    Worst condition
        See `equipment_condition`.

    Examples
    --------
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d", "e"], "name": ["Kestrel", "Merlin"],
    ...     "status": ["GROUNDED", "ACTIVE"], "condition": ["GOOD", "DAMAGED"],
    ...     "updated_at": pd.to_datetime(["2026-10-20T08:00Z"] * 2),
    ... })
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1"], "flight_date": pd.to_datetime(["2026-10-05T09:00Z"]),
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1"], "equipment_id": ["d"]})
    >>> rows = contradictions(equipment, flights, bridge)
    >>> rows[["name", "contradiction", "severity", "flight_ids"]]
          name                   contradiction  severity flight_ids
    0   Merlin  is ACTIVE in condition DAMAGED     error
    1  Kestrel           flew, and is GROUNDED  question          1
    """
    columns = ["equipment_id", "name", "status", "condition", "updated_at"]
    rows = to_pandas(equipment, "equipment", columns)
    order = (
        setting(equipment, "condition_order")
        if condition_order is None
        else texts(condition_order, "condition_order")
    )
    named = checked_number(most, "most", kind=Integral)
    parts = [_in_worst_condition(rows, order), _flown(rows, flights, bridge, named)]
    result = pd.concat(parts, ignore_index=True)[[*columns[:-1], *_DTYPES]].astype(_DTYPES)
    keys = ["severity", "flights", "name", "equipment_id"]
    ordered = result.sort_values(keys, ascending=[True, False, True, True], ignore_index=True)
    return to_kind_of(ordered, equipment)


_DTYPES = {
    "contradiction": "str",
    "severity": "str",
    "flights": "Int64",
    "last_flight": "datetime64[us, UTC]",
    "flight_ids": "str",
}


def _in_worst_condition(rows: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """Return ACTIVE equipment in the worst condition that any has, where that is a bad one.

    What the order doesn't know isn't judged.
    """
    active = rows[rows["status"] == "ACTIVE"]
    # Categories that are ordered would keep their own order.
    tokens = active["condition"].astype("str")
    ranks = tokens.map({token: rank for rank, token in enumerate(order)})
    worst = ranks.max()
    is_bad = 2 * worst > len(order) or 0 < worst == len(order) - 1
    pieces = active[(ranks == worst) & is_bad]
    return pieces.assign(
        contradiction=[
            say("is {status} in condition {condition}", status="ACTIVE", condition=condition)
            for condition in pieces["condition"].astype("str")
        ],
        severity="error",
        flights=None,
        last_flight=None,
        flight_ids="",
    )


def _flown(rows: pd.DataFrame, flights: Frame, bridge: Frame, most: int) -> pd.DataFrame:
    """Return equipment that flew, and is out of use today."""
    pieces = rows[rows["status"].isin(GROUNDED)]
    frame = with_utc(to_lazy(flights, "flights", ["flight_id", "flight_date"]))
    flown = under_equipment(
        frame.select("flight_id", "_utc"), bridge, pieces["equipment_id"].tolist()
    )
    pairs = collect(flown.select("equipment_id", "flight_id", nw.col("_utc")))
    pairs = pairs.astype({"equipment_id": "str", "flight_id": "str", "_utc": "datetime64[us]"})
    pairs = pairs.sort_values(["_utc", "flight_id"], ascending=[False, True])
    by = pairs.groupby("equipment_id", sort=False)
    flown_by = pd.DataFrame(
        {
            "flights": by.size(),
            "last_flight": by["_utc"].max().dt.tz_localize("UTC"),
            "flight_ids": by.head(most).groupby("equipment_id")["flight_id"].agg(", ".join),
        }
    )
    pieces = pieces.merge(flown_by, left_on="equipment_id", right_index=True)
    is_younger = pieces["last_flight"] > pieces["updated_at"]
    return pieces.assign(
        contradiction=[say("flew, and is {status}", status=status) for status in pieces["status"]],
        severity=is_younger.map({True: "error", False: "question"}),
    )
