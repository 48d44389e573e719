"""The flights of a mirror, read by an engine in parts, by date and then by identifier."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa

from fleetkit.engines import to_arrow
from fleetkit.errors import FleetkitError, MirrorError
from fleetkit.fleet import MirroredFleet
from fleetkit.time import EPOCH, Clock

__all__ = ["IDENTIFIER", "MOMENT", "Part", "Reader", "moments_of"]

IDENTIFIER, MOMENT = "flight_id", "flight_date"
# Flights that are read at a time; a month with more is read whole.
_AT_ONCE = 100_000
# In the words of each engine, of folders and of object stores.
_NOT_THERE = re.compile(r"no such file|not found", re.IGNORECASE)


@dataclass(frozen=True)
class Part:
    """Flights in ``[since, until)``; those without a date where both ends are missing."""

    since: datetime | None
    until: datetime | None

    def select(self, flights: Any) -> Any:
        """Return the flights of a lazy frame that are in this part."""
        date = nw.col(MOMENT)
        if self.since is None and self.until is None:
            return flights.filter(date.is_null())
        if self.since is not None:
            flights = flights.filter(date >= self.since)
        return flights if self.until is None else flights.filter(date < self.until)


class Reader:
    """Reads the flights that a fleet selects.

    Parameters
    ----------
    fleet : MirroredFleet
    engine : str, DuckDBPyConnection, SparkSession or dask.distributed.Client
        As for ``fleet.flights``.
    """

    def __init__(self, fleet: MirroredFleet, engine: Any) -> None:
        self._fleet, self._engine = fleet, engine
        self.flights: Any = nw.from_native(fleet.flights(engine=engine))
        with self._explained():
            self.parts = _parts(self.flights)

    def read(self, part: Part, columns: Sequence[str], clock: Clock | None = None) -> pl.DataFrame:
        """Return columns of a part's flights, by date and then by identifier.

        With a clock, ``_day`` is among them: the day of each flight as that clock counts.
        """
        selected = part.select(self.flights)
        days = [] if clock is None else ["_day"]
        if clock is not None:
            selected = clock.localize(selected)
        names = dict.fromkeys((IDENTIFIER, MOMENT, *columns, *days))
        return self._collected(selected.select(*names)).sort(MOMENT, IDENTIFIER)

    def links(self, part: Part) -> pl.DataFrame:
        """Return ``flight_id, equipment_id`` of at least a part's flights."""
        ends = (part.since, part.until)
        bridge = self._fleet.mirror.scan("flight_equipment", self._engine, *ends)
        return self._collected(nw.from_native(bridge).select(IDENTIFIER, "equipment_id"))

    def column(self, name: str) -> pl.Series:
        """Return a column of all flights, in their order."""
        return pl.concat([self.read(part, [name])[name] for part in self.parts])

    def identifiers(self, moments: Iterable[datetime | None]) -> pl.DataFrame:
        """Return ``flight_id`` and ``flight_date`` of the flights at these moments, in order."""
        dates = set(moments)
        is_asked = nw.col(MOMENT).is_in([date for date in dates if date is not None])
        if None in dates:
            is_asked = is_asked | nw.col(MOMENT).is_null()
        frame = self._collected(self.flights.filter(is_asked).select(IDENTIFIER, MOMENT))
        return frame.sort(MOMENT, IDENTIFIER, nulls_last=True)

    def batches(self, flights: Any, *, is_ascending: bool) -> Iterator[Any]:
        """Give flights that the fleet selects part by part, each part by date, as Arrow tables."""
        *dated, undated = self.parts
        for part in [*(dated if is_ascending else reversed(dated)), undated]:
            yield self.to_arrow(part.select(flights))

    def to_arrow(self, frame: Any) -> pa.Table:
        """Return a lazy frame of the mirror's rows as an Arrow table."""
        with self._explained():
            return to_arrow(frame)

    def _collected(self, frame: Any) -> pl.DataFrame:
        with self._explained():
            return _in_polars(frame)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say what to do where files of the mirror are gone, maybe since a later sync."""
        try:
            yield
        except FleetkitError:
            raise
        except Exception as problem:  # each engine has its own
            if not _NOT_THERE.search(str(problem)):
                raise
            raise MirrorError(
                f"The mirror {self._fleet.address} can't be read as it was: files are gone.",
                advice="Open it and the explorer again.",
            ) from None


def _parts(flights: Any) -> list[Part]:
    """Return months, several to a part where they have few flights; those without one last."""
    counted = (
        Clock("UTC")
        .localize(flights.select(MOMENT))
        .group_by("_day")
        .agg(nw.len().alias("flights"))
    )
    # In Polars, because Dask can't truncate to months.
    month = pl.col("_day").dt.truncate("1mo").alias("month")
    by_month = _in_polars(counted).drop_nulls("_day").group_by(month)
    months = by_month.agg(pl.col("flights").sum()).sort("month")
    starts: list[datetime] = []
    held = 0
    for start, flown in months.rows():
        if held and held + flown > _AT_ONCE:
            starts.append(start.replace(tzinfo=UTC))
            held = 0
        held += flown
    if not starts:  # a part without any end would be the one of flights without a date
        starts = [EPOCH]
    ends = [None, *starts, None]
    return [*map(Part, ends[:-1], ends[1:]), Part(None, None)]


def _in_polars(frame: Any) -> pl.DataFrame:
    """Collect a lazy frame of any engine into one of Polars."""
    native = frame.to_native()
    # Texts of Polars would be copied to Arrow's and back.
    rows = native.collect() if isinstance(native, pl.LazyFrame) else pl.DataFrame(to_arrow(frame))
    if MOMENT in rows.columns:
        rows = rows.with_columns(pl.col(MOMENT).cast(pl.Datetime("us", "UTC")))
    return rows


def moments_of(rows: pl.DataFrame) -> np.ndarray:
    """Return the flight dates without nulls, as microseconds since 1970."""
    return rows[MOMENT].drop_nulls().to_physical().to_numpy()
