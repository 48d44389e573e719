"""The equipment's own counters against its logs."""

from __future__ import annotations

from typing import Any

import pandas as pd

from fleetkit.metrics._all_flights import of_all_flights
from fleetkit.metrics._flown import as_hours, sum_by_piece
from fleetkit.metrics._frames import Frame, FrameT, to_kind_of, to_pandas
from fleetkit.metrics._noticing import notice_later_only
from fleetkit.rounding import ROUNDING_ERROR

__all__ = ["reconciliation"]

VERDICTS = ("match", "counter higher", "logs higher", "not comparable", "no counter")
# A counter and the logs match within the larger of the two.
TOLERANCE_HOURS = 0.1
TOLERANCE_SHARE = 0.01


@of_all_flights
def reconciliation(equipment: FrameT, flights: Frame, bridge: Frame) -> FrameT:
    """Compare each piece of equipment's own counters with its logs.

    Hours match within 0.1 h or 1 % of the counter, whichever is more; flights match when equal.
    The verdict is "match" where both do. Else the hours decide which side is higher or, where
    they match, the flights. A counter that is null is not compared; "no counter" has neither.
    Hours are not compared where logs exist and none of them has a duration; a piece of equipment
    that counts nothing but hours is then "not comparable".

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id``, ``name``, ``total_flights``, ``total_flight_hours`` [h].
    flights : frame of any engine
        All flights: ``flight_id``, ``duration_seconds`` [s].
    bridge : frame of the same engine as `flights`
        ``flight_id``, ``equipment_id``.

    Returns
    -------
    frame of the kind of `equipment`
        ``equipment_id``, ``name``, ``counter_flights``, ``logged_flights``, ``counter_hours``
        [h], ``logged_hours`` [h] (null where logs have no durations), ``hours_difference`` (counter
        − logs) [h], ``verdict`` (ordered categorical: match, counter higher, logs higher, not
        comparable, no counter); widest difference first, those of one width by name.

    Raises
    ------
    InvalidValue
        A missing column.

    Definitions
    -----------
    Counter and logs
        The flights and hours that the equipment's own record states, beside those of its
        flight logs. They agree where the flights are equal and the hours differ by no more
        than 0.1 h or 1 %.

    Examples
    --------
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "name": ["Kestrel"],
    ...     "total_flights": [3], "total_flight_hours": [12.5],
    ... })
    >>> flights = pd.DataFrame({"flight_id": ["1", "2"], "duration_seconds": [1800, 1800]})
    >>> bridge = pd.DataFrame({"flight_id": ["1", "2"], "equipment_id": ["d", "d"]})
    >>> reconciliation(equipment, flights, bridge)[["hours_difference", "verdict"]]
       hours_difference         verdict
    0              11.5  counter higher
    """
    columns = ["equipment_id", "name", "total_flights", "total_flight_hours"]
    notice_later_only(flights, "reconciliation")
    rows = to_pandas(equipment, "equipment", columns).rename(
        columns={"total_flights": "counter_flights", "total_flight_hours": "counter_hours"}
    )
    counted = sum_by_piece(flights, bridge, rows["equipment_id"]).astype("float64")
    rows["logged_flights"] = counted["_flights"].fillna(0.0).to_numpy(dtype="int64")
    rows["logged_hours"] = as_hours(counted).to_numpy()
    rows["counter_flights"] = rows["counter_flights"].astype("Int64")
    rows["counter_hours"] = rows["counter_hours"].astype("float64")
    rows["hours_difference"] = rows["counter_hours"] - rows["logged_hours"]
    rows["verdict"] = _verdicts(rows)
    rows["_width"] = rows["hours_difference"].abs()
    keys = ["_width", "name", "equipment_id"]
    widest = rows.sort_values(keys, ascending=[False, True, True], ignore_index=True)
    return to_kind_of(widest[_RECONCILED], equipment)


_RECONCILED = [
    "equipment_id",
    "name",
    "counter_flights",
    "logged_flights",
    "counter_hours",
    "logged_hours",
    "hours_difference",
    "verdict",
]


def hours_contradict(rows: pd.DataFrame) -> pd.Series[bool]:
    """Return of which rows the hours don't match, whatever the flights; see `reconciliation`.

    Examples
    --------
    >>> rows = pd.DataFrame({"counter_hours": [1.1, 50.6], "hours_difference": [0.1, 0.6]})
    >>> hours_contradict(rows).tolist()
    [False, True]
    """
    counted = rows["counter_hours"]
    # 0.4 − 0.3 is a little more than 0.1.
    error = ROUNDING_ERROR * (1 + counted)
    allowed = (TOLERANCE_SHARE * counted).clip(lower=TOLERANCE_HOURS) + error
    return rows["hours_difference"].abs() > allowed


def _verdicts(rows: pd.DataFrame) -> pd.Series[Any]:
    hours = rows["hours_difference"]
    flights = (rows["counter_flights"] - rows["logged_flights"]).astype("float64")
    excess = hours.where(hours_contradict(rows), flights).fillna(0.0)
    verdict = pd.Series("match", index=rows.index)
    verdict[excess > 0] = "counter higher"
    verdict[excess < 0] = "logs higher"
    verdict[flights.isna() & hours.isna()] = "not comparable"
    verdict[rows["counter_flights"].isna() & rows["counter_hours"].isna()] = "no counter"
    return verdict.astype(pd.CategoricalDtype(list(VERDICTS), ordered=True))
