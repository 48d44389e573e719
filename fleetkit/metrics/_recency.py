"""Which flights count for the recency of a pilot, with what, and until when they do."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.metrics._flown import seconds
from fleetkit.metrics._frames import Frame, Lazy, collect, to_lazy
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.settings import RecencyRule
from fleetkit.time import Clock, with_utc

__all__ = ["countable", "flown_days", "lapse_days"]


_DTYPES = {"pilot_id": "str", "pilot_name": "str", "_day": "datetime64[us]"}


def countable(flights: Frame, rule: RecencyRule) -> Lazy:
    """Return the flights that have a pilot, with ``_flights`` and ``_seconds``.

    Both are 0 where a flight doesn't count for the rule.

    Raises
    ------
    InvalidValue
        A missing column, or a rule without one window and at least one minimum.
    """
    if not isinstance(rule, RecencyRule):
        raise InvalidValue(
            f"{brief(rule)} is not a recency rule.",
            advice="Pass one of fleet.settings.recency, or fk.settings.RecencyRule(…).",
        )
    if rule.problem:
        raise InvalidValue(f"The recency rule {rule.name!r} {rule.problem}.")
    columns = ["pilot_id", "pilot_name", "flight_date", "duration_seconds"]
    frame = to_lazy(flights, "flights", columns + (["night_flight"] if rule.night_only else []))
    counts = nw.col("night_flight") if rule.night_only else nw.lit(True)
    return frame.with_columns(
        nw.when(counts).then(nw.lit(1)).otherwise(nw.lit(0)).alias("_flights"),
        nw.when(counts).then(seconds()).otherwise(nw.lit(0)).alias("_seconds"),
    ).filter(~nw.col("pilot_id").is_null())


def flown_days(flights: Frame, rule: RecencyRule, clock: Clock) -> pd.DataFrame:
    """Return what each pilot flew on each day: the last moment of all, and what counts.

    In the order of pilots, whom ``_pilot`` numbers, then of days and moments; a row for each name
    that a pilot had on a day.
    """
    days = collect(
        with_utc(clock.localize(countable(flights, rule)))
        .group_by("pilot_id", "pilot_name", "_day")
        .agg(nw.col("_flights", "_seconds").sum(), nw.col("_utc").max())
    ).astype(_DTYPES)
    days["_pilot"], _ = pd.factorize(days["pilot_id"], sort=True)  # numbers sort and group faster
    order = np.lexsort([days[name] for name in ("_utc", "_day", "_pilot")])
    return days.take(order).reset_index(drop=True)


def lapse_days(days: pd.DataFrame, rule: RecencyRule) -> pd.Series[Any]:
    """Return for each day that a pilot flew when recency lapses by the flights up to that day.

    That is the first day on which the rule no longer holds without another flight; null where it
    never held. For each day flown, look for the last day that must still count for the minima to
    be reached. The rule held where that day lies within the window, and until it leaves the window.

    Parameters
    ----------
    days : DataFrame
        ``_pilot``, ``_day``, ``_flights``, ``_seconds``; each pilot's rows stand together, in
        the order of their days.
    rule : RecencyRule
    """
    dates = pd.DatetimeIndex(days["_day"])
    if not len(dates):
        return pd.Series(dates, index=days.index)
    is_first = days["_pilot"].ne(days["_pilot"].shift()).to_numpy()
    first = np.maximum.accumulate(np.where(is_first, np.arange(len(days)), 0))
    needed = np.minimum(
        _last_start(days["_flights"], rule.flights),
        _last_start(days["_seconds"], rule.hours * SECONDS_PER_HOUR),
    )
    is_satisfied = (needed >= first) & (dates[needed] > dates - rule.window)
    # Of an earlier pilot it lies before the first day.
    latest = np.maximum.accumulate(np.where(is_satisfied, needed, -1))
    decisive = dates[latest]
    lapses = decisive + rule.window
    while (is_early := lapses - rule.window < decisive).any():
        # 30 November + 3 months: February is too short.
        lapses = lapses.where(~is_early, lapses + pd.Timedelta(days=1))
    return pd.Series(lapses, index=days.index).where(latest >= first)


def _last_start(amounts: pd.Series[Any], minimum: float) -> np.ndarray:
    """Return for each row the last row from which the sum up to it is the minimum; -1: none."""
    total = np.concatenate([[0.0], amounts.to_numpy(dtype="float64").cumsum()])
    return np.searchsorted(total, total[1:] - minimum, side="right") - 1
