"""A part of the flights in memory, as Polars has it, with numbers in place of texts.

What takes an engine a join of texts is looked up and sorted by numbers here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import narwhals as nw
import numpy as np

from fleetkit.metrics._frames import Lazy
from fleetkit.metrics._quality import FLIGHT_COLUMNS, Records, Rule
from fleetkit.metrics._quality_overlaps import LONGEST
from fleetkit.metrics._quality_spans import Numbers, Spans
from fleetkit.pairing import places_of_flights

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Part", "PastMidnight", "Seen", "Texts"]

# Texts of flights that occur often.
_REPEATED = ("pilot_id", "pilot_name", "project_id")
_SECOND, _DAY = 1_000_000, 86_400
# The moment, in microseconds, of a flight without a date.
_UNDATED = np.iinfo("int64").min


class Seen(NamedTuple):
    """The numbers of the flights of a part that a check could judge, and of those it flags."""

    looked_at: Numbers
    suspect: Numbers
    note: str = ""
    unseen: str = ""


class Texts(NamedTuple):
    """A column of repeated texts: each text once, and the place of each row's, −1 for a null."""

    names: list[str]
    places: Numbers

    @classmethod
    def of(cls, column: pl.Series) -> Texts:
        """Read a column of categories."""
        if column.null_count() == len(column):
            return cls([], np.full(len(column), -1))
        codes = column.to_physical().cast(int).fill_null(-1).to_numpy()
        # A row of each category; the last one is that of nulls.
        rows = np.full(codes.max() + 2, -1)
        rows[codes] = np.arange(len(codes))
        known = np.flatnonzero(rows[:-1] >= 0)
        places = np.full(len(rows), -1)
        places[known] = np.arange(len(known))
        return cls(column.gather(rows[known]).to_list(), places[codes])

    def are_in(self, names: Collection[str]) -> Numbers:
        """Return whether the text of each row is one of these."""
        is_in = np.array([name in names for name in self.names] + [False])
        of_rows: Numbers = is_in[self.places]
        return of_rows

    def take(self, rows: Numbers) -> Texts:
        """Return some of the rows."""
        return self._replace(places=self.places[rows])

    def numbers(self, of_names: Mapping[str, int]) -> Numbers:
        """Return the number of the text of each row; −1 where it has none."""
        numbers = np.array([of_names.get(name, -1) for name in self.names] + [-1])
        of_rows: Numbers = numbers[self.places]
        return of_rows


class PastMidnight(NamedTuple):
    """The spans of a part that went on past midnight; their keys are places in `names`."""

    names: list[str]
    spans: Spans

    def of_keys(self, keys: Texts) -> Spans:
        """Return the spans with the places that their keys have in another part, −1 for none."""
        known = {name: place for place, name in enumerate(keys.names)}
        return self.spans._replace(keys=Texts(self.names, self.spans.keys).numbers(known))


class Part:
    """Some flights, and the equipment that flew them.

    Parameters
    ----------
    flights, bridge : LazyFrame
        Of any engine; the bridge may have other flights too.
    records : Records
        What they are checked beside.
    past_midnight : dict of str → PastMidnight
        By the check that compares them: flights of earlier parts that went on past midnight. Those
        of this one take their place.

    Attributes
    ----------
    flights : polars.DataFrame
        A flight's place is its number.
    slices : numpy.ndarray
        The slice of each flight.
    starts, ends : numpy.ndarray
        When each flight began and ended, since 1970 in UTC, the latter not beyond the next day.
        [s].
    is_dated, is_timed, is_past_midnight : numpy.ndarray
        Whether each flight has a date, also a duration above 0, and went on past midnight.
    """

    def __init__(
        self,
        flights: Lazy,
        bridge: Lazy,
        records: Records,
        past_midnight: dict[str, PastMidnight],
    ) -> None:
        import polars as pl  # noqa: PLC0415 - it takes a while to import

        self.records, self.past_midnight = records, past_midnight
        self._bridge = _in_polars(bridge, ("flight_id", "equipment_id"))
        date, duration = pl.col("flight_date"), pl.col("duration_seconds")
        start = date.dt.timestamp("us").fill_null(0) // _SECOND
        midnight = (start // _DAY + 1) * _DAY
        seconds = pl.when(duration < LONGEST).then(duration).otherwise(LONGEST)
        end = start + seconds.cast(pl.Int64)
        loaded = (
            _in_polars(flights, FLIGHT_COLUMNS)
            .with_columns(
                pl.col("flight_id").cast(pl.String).fill_null(""),
                pl.col(*_REPEATED).cast(pl.String).cast(pl.Categorical),
                _moment=date.dt.timestamp("us").fill_null(_UNDATED),
                _start=start,
                _end=pl.min_horizontal(end, midnight + _DAY),
                _past=end > midnight,
                _dated=date.is_not_null(),
                _timed=(date.is_not_null() & (duration > 0)).fill_null(value=False),
            )
            .collect()
        )
        self.flights: pl.DataFrame = loaded
        names = ("_start", "_end", "_past", "_dated", "_timed")
        self.starts, self.ends, self.is_past_midnight, self.is_dated, self.is_timed = (
            loaded[name].to_numpy() for name in names
        )
        self.slices = records.slices.places(loaded["_moment"].to_numpy())

    @cached_property
    def projects(self) -> Texts:
        """The project of each flight."""
        return Texts.of(self.flights["project_id"])

    @cached_property
    def pairs(self) -> tuple[Numbers, Texts]:
        """The bridge of these flights: for each row a flight's number and a piece's id."""
        import polars as pl  # noqa: PLC0415 - as above

        flight, piece = pl.col("flight_id", "equipment_id").cast(pl.String), pl.col("equipment_id")
        pairs = self._bridge.select(flight).with_columns(piece.cast(pl.Categorical)).collect()
        numbers = places_of_flights(pairs["flight_id"], self.flights["flight_id"])
        flown = pairs.select("equipment_id", number=numbers).drop_nulls("number")
        return flown["number"].to_numpy(), Texts.of(flown["equipment_id"])

    def seen(self, rules: Mapping[str, Rule]) -> dict[str, Seen]:
        """Apply rules to the flights; return the results by the names of the rules."""
        conditions = {}
        for name, rule in rules.items():
            conditions[f"of {name}"] = rule.looked_at.fill_null(value=False)
            conditions[f"n {name}"] = (rule.looked_at & rule.suspect).fill_null(value=False)
        marks = nw.from_native(self.flights).select(**conditions)
        return {
            name: Seen(marks[f"of {name}"].to_numpy(), marks[f"n {name}"].to_numpy(), rule.note)
            for name, rule in rules.items()
        }

    def mark(self, numbers: Numbers) -> Numbers:
        """Return a mask of the flights with these numbers."""
        marks = np.zeros(len(self.flights), dtype=bool)
        marks[numbers] = True
        return marks


def _in_polars(frame: Lazy, columns: tuple[str, ...]) -> pl.LazyFrame:
    """Return a frame of any engine as one of Polars."""
    some = frame.select(*columns)
    rows = some if some.implementation.is_polars() else some.collect("polars").lazy()
    native: pl.LazyFrame = rows.to_native()
    return native
