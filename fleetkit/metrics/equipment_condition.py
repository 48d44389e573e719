"""How the equipment is: status and condition, registrations, counters against logs, idle days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

import narwhals as nw
import pandas as pd

from fleetkit.metrics._days import as_day, between, days_of, with_days, with_utc
from fleetkit.metrics._frames import SECONDS_PER_HOUR, alike, opened, seconds, small
from fleetkit.periods import instant
from fleetkit.settings import CONDITION_ORDER, STATUS_ORDER

__all__ = ["equipment_condition", "idle", "reconciliation", "registrations"]

BANDS = ("expired", "≤ 30 days", "≤ 60 days", "≤ 90 days", "later", "missing")
VERDICTS = ("match", "counter higher", "logs higher", "no counter")
# A counter and the logs match within the larger of the two.
TOLERANCE_HOURS = 0.1
TOLERANCE_SHARE = 0.01
_ROUNDING = 1e-9


def equipment_condition(
    equipment: Any,
    *,
    status_order: Sequence[str] = STATUS_ORDER,
    condition_order: Sequence[str] = CONDITION_ORDER,
) -> Any:
    """Count the equipment by status and condition, tokens as the API writes them.

    Parameters
    ----------
    equipment : frame of any engine
        With ``status`` and ``condition``.
    status_order, condition_order : sequence of str
        Severity, from best to worst. Tokens in neither come after, by name.

    Returns
    -------
    frame of the kind of `equipment`
        ``status`` and ``condition`` (ordered categoricals of the tokens that occur), ``equipment``
        (count); one row per pair that occurs, in order of severity, null last.

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> equipment = pd.DataFrame({
    ...     "status": ["RETIRED", "ACTIVE", "ACTIVE"], "condition": ["POOR", "GOOD", "GOOD"],
    ... })
    >>> equipment_condition(equipment)
        status condition  equipment
    0   ACTIVE      GOOD          2
    1  RETIRED      POOR          1
    """
    rows = small(equipment, "equipment", ["status", "condition"])
    rows["status"] = ordered(rows["status"], status_order)
    rows["condition"] = ordered(rows["condition"], condition_order)
    counted = rows.groupby(["status", "condition"], dropna=False, observed=True).size()
    result = counted.rename("equipment").reset_index()
    return alike(result.sort_values(["status", "condition"], ignore_index=True), equipment)


def ordered(tokens: pd.Series[Any], order: Sequence[str]) -> pd.Series[Any]:
    """Return tokens as an ordered categorical of those that occur, unknown ones after, by name."""
    present = set(tokens.dropna().astype(str))
    known = [each for each in order if each in present]
    return pd.Series(
        pd.Categorical(
            tokens.astype("str"), [*known, *sorted(present.difference(known))], ordered=True
        ),
        index=tokens.index,
    )


def registrations(equipment: Any, as_of: str | date | datetime, *, tz: str = "UTC") -> Any:
    """Say how many days each registration has left.

    A registration still stands on the day of its expiry: it has 0 days left and is in the band
    "≤ 30 days"; from the day after on it is expired. Each band is what the narrower ones leave.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id``, ``name``, ``type``, ``status``, ``registration_number``,
        ``registration_expiry``.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`.
    tz : str
        IANA time zone of the days. Expiries that are dates (midnights UTC) are not shifted.

    Returns
    -------
    frame of the kind of `equipment`
        ``equipment_id``, ``name``, ``type``, ``status``, ``registration_number``,
        ``registration_expiry``, ``days_left`` (Int64; below 0 where expired), ``band`` (ordered
        categorical; "missing" where no expiry is known); soonest first.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Examples
    --------
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "name": ["Kestrel"], "type": ["DRONE"], "status": ["ACTIVE"],
    ...     "registration_number": ["G-1"],
    ...     "registration_expiry": pd.to_datetime(["2026-10-31T00:00Z"]),
    ... })
    >>> registrations(equipment, "2026-10-01")[["equipment_id", "days_left", "band"]]
      equipment_id  days_left       band
    0            d         30  ≤ 30 days
    """
    columns = ["equipment_id", "name", "type", "status"]
    dated = ["registration_number", "registration_expiry"]
    rows = small(equipment, "equipment", columns + dated)
    left = (days_of(rows["registration_expiry"], tz) - as_day(as_of, tz)).dt.days
    rows["days_left"] = left.astype("Int64")
    bands = pd.cut(left, [-float("inf"), -1, 30, 60, 90, float("inf")], labels=BANDS[:-1]).astype(
        pd.CategoricalDtype(list(BANDS), ordered=True)
    )
    rows["band"] = bands.fillna("missing")
    ordered_rows = rows.sort_values(["band", "days_left", "name"], ignore_index=True)
    return alike(ordered_rows, equipment)


def reconciliation(equipment: Any, flights: Any, bridge: Any) -> Any:
    """Compare each piece of equipment's own counters with its logs.

    Hours match within 0.1 h or 1 % of the counter, whichever is more; flights match when equal.
    The verdict is "match" where both do. Else the hours decide which side is higher or, where
    they match, the flights. A counter that is null is not compared; "no counter" has neither.

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
        [h], ``logged_hours`` [h], ``hours_difference`` (counter − logs) [h], ``verdict`` (ordered
        categorical: match, counter higher, logs higher, no counter); widest difference first.

    Raises
    ------
    InvalidValue
        A missing column.

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
    rows = small(equipment, "equipment", columns).rename(
        columns={"total_flights": "counter_flights", "total_flight_hours": "counter_hours"}
    )
    frame = opened(flights, "flights", ["flight_id", "duration_seconds"])
    pairs = opened(bridge, "bridge", ["flight_id", "equipment_id"], beside=frame)
    logged = (
        pairs.join(frame.with_columns(seconds().alias("_seconds")), on="flight_id", how="inner")
        .group_by("equipment_id")
        .agg(nw.len().alias("_flights"), nw.col("_seconds").sum())
        .collect("pandas")
        .to_native()
        .set_index("equipment_id")
    )
    found = logged.reindex(rows["equipment_id"]).astype("float64").fillna(0.0)
    rows["logged_flights"] = found["_flights"].to_numpy().astype("int64")
    rows["logged_hours"] = found["_seconds"].to_numpy() / SECONDS_PER_HOUR
    rows["counter_flights"] = rows["counter_flights"].astype("Int64")
    rows["counter_hours"] = rows["counter_hours"].astype("float64")
    rows["hours_difference"] = rows["counter_hours"] - rows["logged_hours"]
    rows["verdict"] = _verdicts(rows)
    widest = rows["hours_difference"].abs().sort_values(ascending=False, kind="stable").index
    return alike(rows.loc[widest, _RECONCILED].reset_index(drop=True), equipment)


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


def _verdicts(rows: pd.DataFrame) -> pd.Series[Any]:
    hours = rows["hours_difference"]
    allowed = (TOLERANCE_SHARE * rows["counter_hours"]).clip(lower=TOLERANCE_HOURS) + _ROUNDING
    flights = (rows["counter_flights"] - rows["logged_flights"]).astype("float64")
    moved = hours.where(hours.abs() > allowed, flights).fillna(0.0)
    verdict = pd.Series("match", index=rows.index)
    verdict[moved > 0] = "counter higher"
    verdict[moved < 0] = "logs higher"
    verdict[rows["counter_flights"].isna() & rows["counter_hours"].isna()] = "no counter"
    return verdict.astype(pd.CategoricalDtype(list(VERDICTS), ordered=True))


def idle(
    equipment: Any,
    flights: Any,
    bridge: Any,
    as_of: str | date | datetime,
    *,
    tz: str = "UTC",
) -> Any:
    """Count the days since each piece of equipment last flew.

    Parameters
    ----------
    equipment : frame of any engine
        With ``equipment_id``, ``name``, ``type``, ``status``.
    flights : frame of any engine
        All flights: ``flight_id``, ``flight_date``.
    bridge : frame of the same engine as `flights`
        ``flight_id``, ``equipment_id``.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`. Flights after it don't count.
    tz : str
        IANA time zone of the days. Flight dates that are dates are not shifted.

    Returns
    -------
    frame of the kind of `equipment`
        ``equipment_id``, ``name``, ``type``, ``status``, ``last_flight`` (UTC), ``idle_days``
        (Int64; 0 where it flew that day, null where it never flew); longest idle first, those that
        never flew last.

    Raises
    ------
    InvalidValue
        A missing column or an unknown zone.

    Examples
    --------
    >>> equipment = pd.DataFrame({
    ...     "equipment_id": ["d"], "name": ["Kestrel"], "type": ["DRONE"], "status": ["ACTIVE"],
    ... })
    >>> flights = pd.DataFrame({
    ...     "flight_id": ["1"], "flight_date": pd.to_datetime(["2026-10-01T09:00Z"]),
    ... })
    >>> bridge = pd.DataFrame({"flight_id": ["1"], "equipment_id": ["d"]})
    >>> idle(equipment, flights, bridge, "2026-10-31")[["equipment_id", "idle_days"]]
      equipment_id  idle_days
    0            d         30
    """
    today = as_day(as_of, tz)
    rows = small(equipment, "equipment", ["equipment_id", "name", "type", "status"])
    frame = opened(flights, "flights", ["flight_id", "flight_date"])
    pairs = opened(bridge, "bridge", ["flight_id", "equipment_id"], beside=frame)
    tomorrow = instant(today.date() + timedelta(days=1), tz)
    moments = between(with_utc(with_days(frame, tz)), None, tomorrow)
    last = (
        pairs.join(moments, on="flight_id")
        .group_by("equipment_id")
        .agg(nw.col("_utc").max(), nw.col("_day").max())
        .collect("pandas")
        .to_native()
        .set_index("equipment_id")
        .astype("datetime64[us]")
        .reindex(rows["equipment_id"])
        .reset_index(drop=True)
    )
    rows["last_flight"] = last["_utc"].dt.tz_localize("UTC")
    rows["idle_days"] = (today - last["_day"]).dt.days.astype("Int64")
    longest = rows.sort_values(["idle_days", "name"], ascending=[False, True], ignore_index=True)
    return alike(longest, equipment)
