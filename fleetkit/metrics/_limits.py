"""Flights beyond a day of their equipment, such as the expiry of its registration."""

from __future__ import annotations

import narwhals as nw
import pandas as pd

from fleetkit.metrics._flown import under_equipment
from fleetkit.metrics._frames import Frame, Lazy, collect, to_lazy
from fleetkit.time import Clock, with_utc

__all__ = ["before_limits", "flown_after"]

# Days are numbered as if each month had 31: in their order, and by whole numbers on every engine.
_YEAR, _MONTH = 372, 31


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
    dated = dated.filter(~nw.col("_day").is_null())
    last = collect(dated.select(nw.col("_day").max()))["_day"].astype("datetime64[us]")
    limits = limits[limits < last.iloc[0]]
    return _beyond(under_equipment(dated, bridge, limits.index.tolist()), limits, is_after=True)


def before_limits(flown: Lazy, limits: pd.Series[pd.Timestamp]) -> Lazy:
    """Return the flights under equipment, with ``_day``, that were flown before its day."""
    return _beyond(flown, limits, is_after=False)


def _beyond(flown: Lazy, limits: pd.Series[pd.Timestamp], *, is_after: bool) -> Lazy:
    days = limits.dropna()
    if days.empty:
        return flown.filter(nw.col("equipment_id").is_in([]))
    days = days.groupby(level=0).agg("min" if is_after else "max")
    numbers = days.dt.year * _YEAR + days.dt.month * _MONTH + days.dt.day
    first = int(numbers.min())
    date = nw.col("_day").dt
    flown_on = (
        date.year().cast(nw.Int64) * _YEAR
        + date.month().cast(nw.Int64) * _MONTH
        + date.day().cast(nw.Int64)
        - first
    )
    limit = _looked_up(numbers - first)
    is_beyond = flown_on > limit if is_after else flown_on < limit
    return flown.filter(nw.col("equipment_id").is_in(days.index.tolist()) & is_beyond)


def _looked_up(numbers: pd.Series[int]) -> nw.Expr:
    """Return the number of each piece of equipment, 0 where it has none, as an expression.

    It is put together from its binary digits, each of which some pieces have: no engine joins a
    table of another one, and a condition for each of a thousand days would take a thousand passes.
    """
    expression: nw.Expr = nw.lit(0)
    for digit in range(int(numbers.max()).bit_length()):
        pieces = numbers.index[numbers // 2**digit % 2 == 1].tolist()
        has_digit = nw.col("equipment_id").is_in(pieces)
        expression = expression + nw.when(has_digit).then(nw.lit(2**digit)).otherwise(nw.lit(0))
    return expression
