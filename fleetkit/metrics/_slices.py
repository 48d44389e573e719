"""Several periods at once: flights are summed between the ends of periods, then periods added up.

Periods may overlap and end within days; each flight is looked at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import cast

import narwhals as nw
import numpy as np
import pandas as pd

from fleetkit.metrics._flown import (
    SUMMED,
    aircraft_ids,
    as_hours,
    read_flights,
    sum_flights,
    under_equipment,
)
from fleetkit.metrics._frames import Frame, Lazy, collect
from fleetkit.time import Clock, Ends, Period, micros

__all__ = ["Slices", "sound_totals", "totals"]


class Slices:
    """The slices of time between the ends of periods: each period consists of some of them.

    Parameters
    ----------
    flights : LazyFrame
        With ``flight_date``.
    periods : sequence of Period
    clock : Clock
    """

    def __init__(self, flights: Lazy, periods: Sequence[Period], clock: Clock) -> None:
        self.periods = periods
        if any(clock.must_judge(period) for period in periods):
            clock = clock.judge(flights)
        # A period has both ends. They are ordered in UTC, where no clock is set back.
        ends = [cast("tuple[datetime, datetime]", clock.edges(period)) for period in periods]
        self._starts = sorted({end for both in ends for end in both})
        self._bounds = [clock.bounds(flights, Ends(start)).since for start in self._starts]
        self._flights = flights
        # One row per slice, one column per period: whether the slice lies in it.
        self._is_in = np.array(
            [[since <= start < until for since, until in ends] for start in self._starts],
            dtype="int64",
        ).reshape(len(self._starts), len(ends))

    def flights(self) -> Lazy:
        """Return the flights that lie between the first end and the last, with ``_slice``."""
        flights, date = self._flights, nw.col("flight_date")
        if self._bounds:  # by which an engine skips files of other months, and by no slice
            flights = flights.filter(date >= self._bounds[0], date < self._bounds[-1])
        return self.label(flights).filter(nw.col("_slice") > 0)

    def label(self, flights: Lazy) -> Lazy:
        """Add ``_slice`` to flights: how many ends lie before them, 0 also without a date."""
        passed = [(nw.col("flight_date") >= bound).cast(nw.Int64) for bound in self._bounds]
        return flights.with_columns(_added([nw.lit(0), *passed]).fill_null(0).alias("_slice"))

    def places(self, moments: np.ndarray) -> np.ndarray:
        """Return the slices of flights by their moments, which are microseconds since 1970."""
        ends = np.array([micros(start) for start in self._starts], dtype="int64")
        return np.searchsorted(ends, moments, side="right")

    @property
    def of_first(self) -> list[int]:
        """The numbers of the slices that the first period consists of."""
        return [number for number, places in enumerate(self._is_in, 1) if places[:1].any()]

    def add_up(self, sums: pd.DataFrame) -> np.ndarray:
        """Return sums of slices, whose numbers are the columns, as sums of periods."""
        slices = range(1, len(self._starts) + 1)
        table = sums.reindex(columns=slices).astype("float64").fillna(0.0)
        added: np.ndarray = table.to_numpy() @ self._is_in
        return added


def _added(terms: list[nw.Expr]) -> nw.Expr:
    """Return the sum of expressions.

    By halves: one after the other, the days of a year nest deeper than Python goes. Not by
    `nw.sum_horizontal`: with Dask it fails where the rows of parts repeat their index.
    """
    half = len(terms) // 2
    return _added(terms[:half]) + _added(terms[half:]) if half else terms[0]


def sound_totals(slices: Slices, counts: pd.DataFrame) -> pd.DataFrame:
    """Return the frame of the metric of this name, of all and of unsound flights by slice."""
    flights, unsound = slices.add_up(counts.T)
    sound = flights - unsound
    return pd.DataFrame({
        "period": pd.Series([period.name for period in slices.periods], dtype="str"),
        "flights": flights.astype("int64"),
        "sound": sound.astype("int64"),
        "sound_share": sound / np.where(flights > 0, flights, np.nan),
    })  # fmt: skip


def totals(
    flights: Frame, bridge: Frame, aircraft: Frame, periods: Sequence[Period], clock: Clock
) -> pd.DataFrame:
    """Return what `period_totals` does but the names of the periods, for pandas."""
    ids = aircraft_ids(aircraft)
    slices = Slices(read_flights(flights, "flight_id", "flight_date"), periods, clock)
    dated = slices.flights().select("flight_id", "_slice", "_seconds", "_recorded")
    flown = collect(sum_flights(under_equipment(dated, bridge, ids), "equipment_id", "_slice"))
    in_all = _of_periods(collect(sum_flights(dated, "_slice")).set_index("_slice"), slices)
    of_aircraft = _of_periods(flown.groupby("_slice")[SUMMED].sum(), slices)
    active = slices.add_up(flown.pivot(index="equipment_id", columns="_slice", values="_flights"))
    result = pd.DataFrame(
        {"flights": in_all["_flights"].astype("int64"), "hours": as_hours(in_all)}
    )
    result["aircraft"], result["active"] = len(ids), (active > 0).sum(axis=0)
    result["days"] = pd.Series([period.days for period in periods], dtype="int64")
    result["aircraft_hours"] = as_hours(of_aircraft)
    aircraft_days = (result["aircraft"] * result["days"]).where(result["aircraft"] > 0)
    return result.assign(hours_per_aircraft_day=result["aircraft_hours"] / aircraft_days)


def _of_periods(sums: pd.DataFrame, slices: Slices) -> pd.DataFrame:
    """Return sums of slices as one row per period; without flights, hours are known to be 0."""
    rows = pd.DataFrame(slices.add_up(sums[SUMMED].T).T, columns=SUMMED)
    return rows.assign(_recorded=rows["_recorded"].where(rows["_flights"] > 0))
