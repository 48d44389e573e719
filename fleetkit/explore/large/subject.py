"""The flights of a large mirror, prepared for an explorer without a frame of them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from typing import Any, cast

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from fleetkit import metrics
from fleetkit.areas import Area, is_within
from fleetkit.context import attach
from fleetkit.explore.facets import Chosen
from fleetkit.explore.fields import Choices
from fleetkit.explore.flight_subject import OF_PIECES, POSITION, Flights
from fleetkit.explore.groups import Amounts, Keys, keys_of, time_keys
from fleetkit.explore.large.bits import Runs, between, none, packed
from fleetkit.explore.large.cube import Cube, Part
from fleetkit.explore.large.encoding import NONE, Coded, compact, moved, taken
from fleetkit.explore.large.facets import BitFacets, CodedFacet
from fleetkit.explore.large.flown import Flown, read_flown
from fleetkit.explore.large.groups import LargeFlown, LargeFlownBy, Types, by_days
from fleetkit.explore.large.hours import Hours, HoursOf
from fleetkit.explore.large.pieces import Pieces
from fleetkit.explore.large.postings import Postings
from fleetkit.explore.large.reading import MOMENT, Reader
from fleetkit.explore.large.selection import LargeSelection
from fleetkit.explore.large.sorting import Sorting
from fleetkit.explore.sums import FLAGS
from fleetkit.filters import OF_EQUIPMENT, UNKNOWN
from fleetkit.fleet import Fleet, MirroredFleet
from fleetkit.fleet.aircraft import aircraft_of
from fleetkit.fleet.coverage import clock_of
from fleetkit.fleet.opposites import selecting
from fleetkit.fleet.rows import sort_flights
from fleetkit.rounding import SECONDS_PER_HOUR
from fleetkit.time import EPOCH, micros
from fleetkit.unassigned import UNASSIGNED

__all__ = ["LargeFlights"]

# Rows that are searched at a time.
_BLOCK = 1 << 18
# What charts group by → the column whose codes say it.
_OF_TEXTS = {"pilot": "pilot_id", "project": "project_id", "client": "project_id"}


class LargeFlights(Flights):
    """All flights of a fleet from a mirror.

    Parameters
    ----------
    fleet : MirroredFleet
    engine : str, DuckDBPyConnection, SparkSession or dask.distributed.Client
        What reads the mirror, as for ``fleet.flights``.
    """

    most_counted = 100

    def __init__(self, fleet: MirroredFleet, engine: Any) -> None:
        self._fleet, self._engine = fleet, engine
        super().__init__(fleet)

    def __len__(self) -> int:
        return len(self.flown)

    def _read(self, fleet: Fleet) -> None:
        """Read the flights, month by month, and what equipment flew them."""
        self._reader = Reader(self._fleet, self._engine)
        self.clock = clock_of(fleet)
        self.flown: Flown = read_flown(
            self._reader,
            self.clock,
            self.equipment["equipment_id"].tolist(),
            only=bool(selecting(fleet.filter).only(*OF_EQUIPMENT)),
        )
        self._dated = len(self.flown.moments)
        self.bridge_flight, self.bridge_piece = self.flown.links
        self.piece_ids = np.array(self.flown.pieces, dtype=object)
        self.pieces = self.equipment.set_index("equipment_id").reindex(self.flown.pieces)
        groups = list(zip(self.pieces["type"], self.pieces["category"], strict=True))
        self.linked = Pieces(self.flown.of_pieces, list(map(str, groups)), len(self))
        self.pilots = _postings_of(self.flown.texts["pilot_id"])
        self.unassigned = packed(self.flown.texts["pilot_id"].codes == NONE)
        self.flags = {name: self._answers(name) for name in FLAGS}
        self.hours = self._read_hours()
        self.kinds = self.hours.kinds
        self.cube = self._read_cube()
        self.piece_names = self._piece_names()
        self.aircraft_ids = set(self._aircraft())

    def _aircraft(self) -> list[str]:
        """Return the aircraft; sets of a single piece show which types fly alone."""
        if self._fleet.filter:
            bridge = self._fleet.whole().flight_equipment(engine=self._engine)
            return aircraft_of(self._fleet, self.equipment, bridge)["equipment_id"].tolist()
        is_single = np.bincount(self.bridge_flight)[self.bridge_flight] == 1
        pieces = self.piece_ids[self.bridge_piece[is_single]]
        bridge = pd.DataFrame({"flight_id": self.bridge_flight[is_single], "equipment_id": pieces})
        bridge = bridge.astype("str")
        listed: list[str] = metrics.aircraft(self.equipment, bridge)["equipment_id"].tolist()
        return listed

    # What stands in the table

    def at(self, name: str, numbers: np.ndarray) -> pd.Series[Any]:
        """Return the values of a column of the fleet's table in these rows."""
        if name in self.flown.texts:
            return pd.Series(self.flown.texts[name].at(numbers), dtype="str")
        if name in FLAGS:
            flags = taken([False, True], self.flown.flags[name][numbers], pl.Boolean)
            return pd.Series(flags.to_list(), dtype="boolean")
        if name == MOMENT:
            return pd.Series(self.moments_at(numbers).to_list(), dtype="datetime64[us, UTC]")
        if name == "duration_seconds":
            return pd.Series(self.flown.durations.column(numbers).to_list(), dtype="Int64")
        return pd.Series(self._identifiers(numbers), dtype="str")

    def values_of(self, *names: str) -> pd.DataFrame:
        """Return each combination of values in these columns once; see `Flights.values_of`."""
        latest = [self._latest(names, start) for start in range(0, len(self), _BLOCK)]
        if not latest:
            return pd.DataFrame({name: pd.Series([], dtype="str") for name in names})
        flown = pl.concat(latest).group_by(names).agg(pl.col("row").max())
        moments = pl.Series(self.flown.moments).gather(flown["row"])
        last = flown.with_columns(moments.alias(MOMENT)).sort(MOMENT, *names)
        texts = {name: self.flown.texts[name].values for name in names}
        return pd.DataFrame(
            {name: taken(texts[name], last[name].to_numpy(), pl.String).to_list() for name in names}
        ).astype("str")

    def _latest(self, names: Sequence[str], start: int) -> pl.DataFrame:
        """Return each combination of codes in a block, and the last ``row`` with a date of each."""
        block = slice(start, start + _BLOCK)
        codes = pl.DataFrame({name: self.flown.texts[name].codes[block] for name in names})
        rows, row = codes.with_row_index("row", offset=start), pl.col("row")
        return rows.group_by(names).agg(row.filter(row < self._dated).max())

    def moments_at(self, rows: np.ndarray | slice, *, is_local: bool = False) -> pl.Series:
        """Return the flight dates of these rows; with `is_local` the local time, labelled UTC."""
        moments = pl.Series(self.flown.moments).cast(pl.Datetime("us", "UTC"))
        if self._dated < len(self):
            moments = moments.extend_constant(None, len(self) - self._dated)
        if isinstance(rows, np.ndarray):
            is_mask = rows.dtype == bool
            moments = moments.filter(pl.Series(rows)) if is_mask else moments.gather(rows)
        if is_local and not self.clock.dates_only:
            moments = moments.dt.convert_time_zone(self.tz).dt.replace_time_zone("UTC")
        return moments

    @lru_cache(maxsize=3)  # noqa: B019 - an explorer lives as long as its kernel
    def further(self, name: str) -> pl.Series:
        """Return a column that is read only when it is shown: distances, coordinates."""
        return self._reader.column(name)

    def positions(self) -> tuple[np.ndarray, np.ndarray]:
        """Return latitude and longitude of each take-off [°]; NaN where it has none."""
        latitude, longitude = (self.further(name).to_numpy() for name in POSITION)
        return latitude, longitude

    def pieces_of(self, number: int) -> list[str]:
        """Return the names of the equipment that the flight of a row number is logged under."""
        pieces = self.flown.of_pieces.codes_of(np.array([number]))
        return sorted(self.piece_names[pieces].tolist(), key=str.casefold)

    def _first_places(self) -> np.ndarray:
        """Return the place, by name, of the first piece on each flight; `NONE` where none is."""
        places = self.places_by_name
        first = np.full(int(self.flown.sets.max(initial=0)) + 1, len(places))
        np.minimum.at(first, self.bridge_flight, places[self.bridge_piece])
        of_sets: np.ndarray = np.where(first < len(places), first, NONE)
        of_flights: np.ndarray = of_sets[self.flown.sets]
        return of_flights

    def _identifiers(self, numbers: np.ndarray) -> list[str]:
        """Return the identifiers of these rows; within one date they ascend."""
        if not len(numbers):
            return []
        rows = self._reader.identifiers(self.moments_at(numbers).to_list())
        listed: dict[datetime | None, list[str]] = {}
        for identifier, moment in rows.rows():
            listed.setdefault(moment, []).append(identifier)
        return [self._identifier(int(number), listed) for number in numbers]

    def _identifier(self, number: int, listed: dict[datetime | None, list[str]]) -> str:
        if number >= self._dated:
            return listed[None][number - self._dated]
        moment = self.flown.moments[number]
        first = int(np.searchsorted(self.flown.moments, moment))
        return listed[EPOCH + timedelta(microseconds=int(moment))][number - first]

    # What is chosen

    def _answers(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows with a flag set to yes, and those with no, as bits."""
        codes = self.flown.flags[name]
        return packed(codes == 1), packed(codes == 0)

    def _read_hours(self) -> Hours:
        """Return the hours of flights, by days in the fleet's zone."""
        flown = self.flown
        runs, types = Runs(flown.day_starts, len(self)), flown.texts["flight_type"]
        return Hours(flown.days, runs, types, flown.durations, self.flags)

    def _read_cube(self) -> Cube:
        """Return the cube by day, flight type, night, BVLOS and operation type."""
        texts, flags = self.flown.texts, self.flown.flags
        types, operations = texts["flight_type"], texts["operation_type"]
        fields = {
            "flight_type": (types.codes, len(types.values)),
            "night": (flags["night_flight"], 2),
            "bvlos": (flags["bvlos"], 2),
            "operation_type": (operations.codes, len(operations.values)),
        }
        return Cube(self.flown.day_starts, fields, self.flown.durations)

    def kind_counts(self, rows: np.ndarray) -> np.ndarray:
        """Count the rows of each kind; `rows` are bits."""
        return self.hours.by_kind(self.hours.flights(rows))

    def _of_period(self, since: date | None, until: date | None) -> np.ndarray:
        """Return the flights of the period, as bits."""
        return between(*self._ends_of(since, until), len(self))

    @lru_cache(maxsize=2)  # noqa: B019 - an explorer lives as long as its kernel
    def _taken_off(self, area: Area) -> np.ndarray:
        """Return the flights that took off in an area, as bits."""
        return packed(is_within(*self.positions(), area))

    def days_at(self, rows: np.ndarray | slice) -> pl.Series:
        """Return the days of these rows, as midnights in UTC."""
        flown = self.flown
        days = np.repeat(flown.days, np.diff(flown.day_starts, append=len(self)))[rows]
        return pl.Series(MOMENT, days.astype("M8[us]")).dt.replace_time_zone("UTC")

    @property
    def bits(self) -> BitFacets:
        """The facets, whose rows are bits."""
        facets: Any = self.facets
        return cast("BitFacets", facets)

    def _facets(self) -> Any:
        texts, flags = self.flown.texts, self.flown.flags
        answers = {True: 1, False: 0}
        own: dict[str, CodedFacet] = {}

        def add(name: str, codes: np.ndarray, places: Any, rest: Any = None) -> None:
            if name in self.fields:
                own[name] = CodedFacet(codes, places, self.fields[name].tokens, rest)

        for name in ("pilot", "project"):
            column = texts[f"{name}_id"]
            add(name, column.codes, column.places(), UNASSIGNED)
        if self.client_of is not None:
            clients = self._coded_clients(self.client_of)
            add("client", clients.codes, clients.places())
        for name in ("operation_type", "flight_type"):
            add(name, texts[name].codes, texts[name].places())
        add("night", flags["night_flight"], answers, UNKNOWN)
        add("bvlos", flags["bvlos"], answers, UNKNOWN)
        linked = self._facets_of_pieces(self.pieces, self.piece_ids)
        return BitFacets(len(self), own, self.linked, linked, self.bridge_piece)

    def _flown_for(self) -> pd.Series[Any]:
        """Return the projects that were flown for, each once."""
        return self.values_of("project_id")["project_id"]

    def _coded_clients(self, clients: pd.Series[Any]) -> Coded:
        """Return the client of each flight, by its project."""
        projects = self.flown.texts["project_id"]
        named = clients.reindex(projects.values).to_numpy(dtype=object)
        codes, values = pd.factorize(named, sort=True)
        return Coded([str(value) for value in values], moved(codes, projects.codes))

    def by_days(self, grouping: str, hours: HoursOf) -> pd.DataFrame:
        """Return flights and hours by weeks or weekdays."""
        return by_days(grouping, self._keys_of_days(grouping), self._types, hours)

    @lru_cache(maxsize=3)  # noqa: B019 - an explorer lives as long as its kernel
    def _keys_of_days(self, grouping: str) -> Keys:
        return time_keys(grouping, self.flown.days, dates_only=self.clock.dates_only is True)

    @cached_property
    def _types(self) -> Types:
        types, tokens = self.flown.texts["flight_type"], self.fields["flight_type"].tokens
        places = types.places()
        codes = np.array([places[token] for token in tokens], dtype=np.int64)
        return Types(np.array(tokens, dtype=object), types.codes, codes)

    @lru_cache(maxsize=3)  # noqa: B019 - as above
    def flown_by(self, grouping: str) -> LargeFlown | LargeFlownBy:
        """Return the flights grouped as a chart shows them."""
        if grouping in OF_PIECES:
            keys = keys_of(self.pieces.reset_index()[OF_PIECES[grouping]])
            of_links = Keys(keys.values, keys.codes[self.bridge_piece])
            sets, links = self.flown.sets, self.bridge_flight
            return LargeFlownBy(grouping, sets, links, of_links, self._types)
        if grouping in _OF_TEXTS:
            codes, keys = self._keys_of_texts(grouping)
        elif grouping == "hour":
            codes, keys = self._hours_of_day(), Keys(np.arange(24), np.append(np.arange(24), NONE))
        else:
            of_days = self._keys_of_days(grouping)
            codes = np.repeat(
                compact(of_days.codes, len(of_days.values)),
                np.diff(self.flown.day_starts, append=len(self)),
            )
            keys = Keys(of_days.values, np.append(np.arange(len(of_days.values)), NONE))
        is_known = keys.codes >= 0
        of_codes = np.append(np.arange(len(keys.codes) - 1), NONE)  # the last is of those without
        links = of_codes[is_known], keys.codes[is_known]
        return LargeFlown(grouping, codes, links, keys.values, self._types)

    def _keys_of_texts(self, grouping: str) -> tuple[np.ndarray, Keys]:
        """Return the code of each flight, and the key that each code stands for."""
        column = self.flown.texts[_OF_TEXTS[grouping]]
        texts = pd.Series([*column.values, None], dtype=object)
        if grouping == "client" and self.client_of is not None:
            texts = texts.map(self.client_of)
        return column.codes, keys_of(texts, UNASSIGNED)

    def _hours_of_day(self) -> np.ndarray:
        """Return the local hour of each flight; `NONE` where it isn't known."""
        if self.clock.dates_only:
            return np.full(len(self), NONE, dtype=np.int8)
        moments = pl.Series(self.flown.moments).cast(pl.Datetime("us", "UTC"))
        hours = moments.dt.convert_time_zone(self.tz).dt.hour().to_numpy()
        return np.append(hours, np.full(len(self) - self._dated, NONE, dtype=np.int8))

    @lru_cache(maxsize=3)  # noqa: B019 - as above
    def amounts(self, measure: str) -> dict[str, Amounts]:
        """Return what a measure sums, by its column; empty where flights are only counted."""
        if measure == "hours":
            durations = self.flown.durations
            return {measure: Amounts(durations.above_0, durations.known, SECONDS_PER_HOUR)}
        if measure == "distance":
            metres = self.further("traveled_distance")
            known = packed(metres.is_not_null().to_numpy())
            return {measure: Amounts(metres.fill_null(0).to_numpy(), known)}
        return {}

    @cached_property
    def equipment_types(self) -> Any:
        """The columns of equipment that the metrics read."""
        columns = ["equipment_id", "name", "type", "category"]
        return pl.DataFrame(pa.Table.from_pandas(self.equipment[columns], preserve_index=False))

    @cached_property
    def client_names(self) -> Any:
        """The columns of projects with flights that the metrics read."""
        if self.projects is None:
            return None
        values = self.flown.texts["project_id"].values
        known = self.projects[self.projects["project_id"].isin(values)]
        rows = pl.DataFrame(pa.Table.from_pandas(known, preserve_index=False))
        identifiers = pl.Series("project_id", rows["project_id"].to_list(), pl.Enum(values))
        return rows.with_columns(identifiers, pl.col("client_account_name").cast(pl.String))

    def _first_from(self, moment: datetime) -> int:
        """Return the first row at an instant or later."""
        return int(np.searchsorted(self.flown.moments, micros(moment)))

    def select(self, choices: Choices) -> LargeSelection:
        """Return the flights that are chosen."""
        chosen = self._chosen(choices)
        match = self.bits.match(chosen, self.masks(choices), self._part(choices, chosen))
        return LargeSelection(self, match, choices)

    def _part(self, choices: Choices, chosen: Mapping[str, Chosen]) -> Part | None:
        """Return the part of the cube that is chosen; None where its cells can't answer."""
        fields = {name: values for name, values in chosen.items() if values}
        if choices["take_off"] or fields.keys() & self.bits.linked.keys():
            return None
        codes = {name: self.bits.facets[name].codes_of(fields[name]) for name in fields}
        period = choices["since"], choices["until"]
        start, stop = (0, len(self)) if period == (None, None) else self._ends_of(*period)
        return self.cube.part(start, stop, codes)

    def nothing(self) -> LargeSelection:
        """Return a selection without rows."""
        return LargeSelection(self, self.bits.match({}, {"nothing": none(len(self))}))

    # Rows

    def page(self, mask: np.ndarray, order_by: str, start: int, stop: int) -> np.ndarray:
        """Return the numbers of the selected rows at ``[start, stop)`` of an order."""
        self.check_order(order_by)
        return self._sorting.page(mask, order_by, start, stop)

    @cached_property
    def _sorting(self) -> Sorting:
        return Sorting(self.flown, self._reader, self._first_places)

    @property
    def nobody(self) -> pd.DataFrame:
        """The table of flights without a row."""
        frame = self._restored(self._reader.to_arrow(self._reader.flights.head(0)))
        return self._carrying(frame)

    def read(self, choices: Choices | None) -> pd.DataFrame:
        """Read the chosen flights from the mirror, by date and then by identifier."""
        frame = self._restored(self._reader.to_arrow(self._chosen_flights(choices)))
        return self._carrying(sort_flights(frame, "date_asc"))

    def parts_of(self, choices: Choices | None, *, is_ascending: bool) -> Iterator[pd.DataFrame]:
        """Read the chosen flights part by part, each by date."""
        flights = self._chosen_flights(choices)
        for rows in self._reader.batches(flights, is_ascending=is_ascending):
            if rows.num_rows:
                order_by = "date_asc" if is_ascending else "date_desc"
                yield self._carrying(sort_flights(self._restored(rows), order_by))

    def _chosen_flights(self, choices: Choices | None) -> Any:
        chosen = self.to_filter(choices or {}, self.nothing())
        return nw.from_native(self._fleet.where(chosen).flights(engine=self._engine))

    def _restored(self, rows: pa.Table) -> pd.DataFrame:
        return self._fleet.mirror.restored("flights", rows)

    def _carrying(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Give a frame the zone and settings that the fleet's tables carry."""
        attach(frame, self.clock, self._fleet.settings)
        return frame


def _postings_of(column: Coded) -> Postings:
    is_known = column.codes != NONE

    def known_codes(rows: np.ndarray) -> np.ndarray:
        codes: np.ndarray = column.codes[rows]
        known: np.ndarray = codes[codes != NONE]
        return known

    return Postings(column.codes[is_known], is_known, len(column.values), known_codes)
