"""Flights beyond a day of their equipment, such as the expiry of its registration."""

from __future__ import annotations

from collections.abc import Sequence
from operator import gt, lt
from typing import Any

import narwhals as nw
import pandas as pd

from fleetkit.metrics._flown import under_equipment
from fleetkit.metrics._frames import Frame, Lazy, collect, to_lazy
from fleetkit.time import Clock, with_utc

__all__ = ["before_limits", "flown_after"]

_DATE = "_date"


def flown_after(
    limits: pd.Series[pd.Timestamp], flights: Frame, bridge: Frame, clock: Clock, *columns: str
) -> Lazy:
    """Return the flights under equipment that were flown after its day.

    Parameters
    ----------
    limits : Series
        A day, without a zone, by the id of each piece of equipment; null where it has none.
    flights, bridge : frames of one engine
        ``flight_id``, ``flight_date`` and `columns`; ``flight_id``, ``equipment_id``.
    clock : Clock
    *columns : str
        What else to return of the flights, beside ``_utc`` and ``_day``.
    """
    frame = to_lazy(flights, "flights", ["flight_id", "flight_date", *columns])
    dated = with_utc(clock.localize(frame)).drop("flight_date", "_local")
    last = collect(dated.select(nw.col("_day").max()))["_day"].astype("datetime64[us]")
    limits = limits[limits < last.iloc[0]]
    return _beyond(under_equipment(dated, bridge, limits.index.tolist()), limits, is_after=True)


def before_limits(flown: Lazy, limits: pd.Series[pd.Timestamp]) -> Lazy:
    """Return the flights under equipment, with ``_day``, that were flown before its day."""
    return _beyond(flown, limits, is_after=False)


def _beyond(flown: Lazy, limits: pd.Series[pd.Timestamp], *, is_after: bool) -> Lazy:
    # As text: Spark reads a moment in its session's zone.
    days = limits.dropna().astype("str").str[:10]
    compare: Any = gt if is_after else lt
    conditions = [
        nw.col("equipment_id").is_in(pieces.index.tolist()) & compare(nw.col(_DATE), str(day))
        for day, pieces in days.groupby(days)
    ]
    if not conditions:
        return flown.filter(nw.col("equipment_id").is_in([]))
    return flown.with_columns(Clock.day().alias(_DATE)).filter(_any(conditions)).drop(_DATE)


def _any(conditions: Sequence[nw.Expr]) -> nw.Expr:
    """Return whether any condition holds, in pairs of pairs: engines refuse what nests deeply."""
    half = len(conditions) // 2
    return conditions[0] if not half else _any(conditions[:half]) | _any(conditions[half:])
