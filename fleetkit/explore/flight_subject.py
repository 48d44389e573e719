"""The flights of a fleet, prepared to follow controls: fields, figures, chart and columns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from fleetkit.areas import Area, is_within
from fleetkit.blanks import printable_name, without_blanks
from fleetkit.columns import NAME_COLUMNS
from fleetkit.errors import Forbidden
from fleetkit.explore.comparing import Beside, CompareField, beside
from fleetkit.explore.facets import Facet, Facets, Match
from fleetkit.explore.fields import ANY, Choices, Field, Options, Select, Ticks
from fleetkit.explore.flight_charts import Shown, flight_charts
from fleetkit.explore.flight_columns import flight_columns
from fleetkit.explore.flight_fields import (
    AreaField,
    PeriodField,
    dates,
    flag,
    flight_types,
    months_span,
    of_pieces,
)
from fleetkit.explore.flight_selection import FlightSelection
from fleetkit.explore.groups import Amounts, Flown, Keys, keys_of, time_keys
from fleetkit.explore.measuring import COMPARED, display_fields
from fleetkit.explore.options import named, occurring
from fleetkit.explore.subject import Card, Selection, Subject
from fleetkit.explore.sums import FLAGS, Kinds, Sums, flown_seconds
from fleetkit.filters import UNKNOWN, Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.aircraft import aircraft_of
from fleetkit.fleet.coverage import clock_of, covered
from fleetkit.fleet.occurring import FIELDS, check_flown
from fleetkit.fleet.rows import sort_flights
from fleetkit.fleet.window import window
from fleetkit.rounding import HOURS, SECONDS_PER_HOUR, number, percent
from fleetkit.schema import FLIGHT
from fleetkit.unassigned import UNASSIGNED

__all__ = ["OF_PIECES", "POSITION", "Flights"]

# Columns of the position of a take-off.
POSITION = ("takeoff_lat", "takeoff_lng")
# Columns for the metrics that count by something other than days, and for the map.
_IDENTIFIED = [
    *("flight_id", "flight_date", "flight_type", "duration_seconds", "traveled_distance"),
    *("pilot_id", "pilot_name", "project_id", "project_title", *POSITION),
]
# What charts group by and find in the table of equipment → its column there.
OF_PIECES = FIELDS["equipment"]


class Flights(Subject):
    """All flights of a fleet.

    Parameters
    ----------
    fleet : Fleet
        Its flights, bridge and equipment are read once, and projects where the key may.
    """

    name = "flights"
    label = "Flight explorer"
    nouns = FLIGHT.nouns
    first_order = "date_desc"
    held = (
        *("since", "until", "flight_type", "operation_type", "equipment", "type", "category"),
        *("pilot", "project", "client", "night", "bvlos", "take_off"),
    )
    not_held = tuple(Filter.__dataclass_fields__.keys() - set(held))
    held_lists = ("flight_type", "take_off")

    def __init__(self, fleet: Fleet) -> None:
        super().__init__()
        self.tz, self.fetched_at = fleet.tz, fleet.fetched_at
        self.equipment = fleet.equipment()
        self._flown_by: dict[str, Flown] = {}
        self._read(fleet)
        if not len(self):
            check_flown(fleet)
        self.projects = self._read_projects(fleet)
        self._clients = self._clients_of_flights()
        self.fields = {field.name: field for field in self._fields(fleet)}
        self.facets = self._facets()
        self.span = months_span(self.months, self.tz)
        known = covered(fleet)
        self._first = None if known is None else known.since.date()
        self.columns = {column.name: column for column in flight_columns(self)}
        self.caption = "" if self.clock.dates_only else f"Times in {self.tz}."

    def _read(self, fleet: Fleet) -> None:
        """Read the flights and what equipment flew them."""
        self.frame = fleet.flights(order_by="date_asc")
        self.clock = clock_of(fleet)
        bridge = fleet.flight_equipment()
        self.aircraft_ids = set(aircraft_of(fleet, self.equipment)["equipment_id"])
        self._dated = int(self.frame["flight_date"].notna().sum())
        self._read_kinds()
        self._index_bridge(bridge)
        self.pilot_codes: np.ndarray = (
            self.frame["pilot_id"].astype("category").cat.codes.to_numpy()
        )

    def at(self, name: str, numbers: np.ndarray) -> pd.Series[Any]:
        """Return what stands in a column of the fleet's table, at some row numbers."""
        return self.frame[name].take(numbers)

    def column(self, name: str) -> pd.Series[Any]:
        """Return a column of the fleet's table."""
        return self.frame[name]

    def values_of(self, *names: str) -> pd.DataFrame:
        """Return each combination of values in these columns once, that flown last at the end.

        Those of flights without a date come first, those of one moment by their texts.
        """
        rows = self.frame[[*names, "flight_date"]]
        dated_last = pd.concat([rows.iloc[self._dated :], rows.iloc[: self._dated]])
        latest = dated_last.drop_duplicates(list(names), keep="last")
        return latest.sort_values(["flight_date", *names], na_position="first")[list(names)]

    def _read_kinds(self) -> None:
        """Tell of which kind each flight is, and how long it flew."""
        frame = self.frame
        types, names = pd.factorize(frame["flight_type"])
        days = self.clock.times(frame["flight_date"]).to_numpy().astype("M8[D]")
        flags = [frame[flag].to_numpy(np.int8, na_value=-1) for flag in FLAGS]
        durations = frame["duration_seconds"].to_numpy(np.float64, na_value=np.nan)
        self.kinds = Kinds([str(name) for name in names])
        self._kind_codes = self.kinds.codes(days, types, flags, durations)
        self._seconds = flown_seconds(durations)

    def kind_counts(self, rows: np.ndarray) -> np.ndarray:
        """Return how many of some rows, a mask, are of each kind."""
        counts: np.ndarray = np.bincount(self._kind_codes[rows], minlength=len(self.kinds))
        return counts

    def sums(self, rows: np.ndarray) -> Sums:
        """Return what the metrics say of some rows, a mask."""
        seconds = np.bincount(self._kind_codes[rows], self._seconds[rows], len(self.kinds))
        return Sums(self.kinds, self.kind_counts(rows), seconds)

    def _index_bridge(self, bridge: pd.DataFrame) -> None:
        """Turn the bridge into row numbers: of the flight, and of the piece of equipment."""
        flight = pd.Index(self.frame["flight_id"]).get_indexer(bridge["flight_id"])
        known = pd.Index(self.equipment["equipment_id"])
        listed = known.append(pd.Index(bridge["equipment_id"]).difference(known))
        order = np.argsort(flight, kind="stable")
        self.bridge_flight = flight[order]
        self.bridge_piece = listed.get_indexer(bridge["equipment_id"])[order]
        self.piece_ids = listed.to_numpy(dtype=object)
        self.pieces = self.equipment.set_index("equipment_id").reindex(listed)
        self.piece_names = self._piece_names()

    def _piece_names(self) -> np.ndarray:
        """Return what each piece of equipment is called."""
        pairs = zip(self.pieces["name"], self.piece_ids, strict=True)
        return np.array([printable_name(*pair) for pair in pairs], dtype=object)

    @cached_property
    def is_aircraft(self) -> np.ndarray:
        """Which of the pieces of equipment are aircraft."""
        are_aircraft: np.ndarray = pd.Index(self.piece_ids).isin(self.aircraft_ids)
        return are_aircraft

    def flown_by(self, grouping: str) -> Any:
        """Return the flights under what a chart groups them by."""
        if grouping not in self._flown_by:
            tokens, facet = self.fields["flight_type"].tokens, self.facets.facets["flight_type"]
            types = Keys(np.array(tokens, dtype=object), facet.codes.astype(np.int64))
            links = self.bridge_flight if grouping in OF_PIECES else None
            self._flown_by[grouping] = Flown(grouping, self._keys(grouping), types, links)
        return self._flown_by[grouping]

    def _keys(self, grouping: str) -> Keys:
        if grouping in OF_PIECES:
            keys = keys_of(self.pieces.reset_index()[OF_PIECES[grouping]])
            return Keys(keys.values, keys.codes[self.bridge_piece])
        if grouping == "client" and self._clients is not None:
            return keys_of(self._clients, UNASSIGNED)
        if grouping in ("pilot", "project"):
            return keys_of(self.frame[f"{grouping}_id"], UNASSIGNED)
        times = self.clock.times(self.frame["flight_date"]).to_numpy()
        return time_keys(grouping, times, dates_only=self.clock.dates_only is True)

    def amounts(self, measure: str) -> Any:
        """Return what is summed of flights for a measure, by its column; nothing to count them."""
        return {name: self._amounts[name] for name in {measure} & self._amounts.keys()}

    @cached_property
    def _amounts(self) -> dict[str, Amounts]:
        metres = self.frame["traveled_distance"].to_numpy(np.float64, na_value=np.nan)
        is_timed = self.frame["duration_seconds"].notna().to_numpy()
        return {
            "hours": Amounts(self._seconds, is_timed, SECONDS_PER_HOUR),
            "distance": Amounts(np.nan_to_num(metres), ~np.isnan(metres)),
        }

    def _read_projects(self, fleet: Fleet) -> pd.DataFrame | None:
        """Return project and client; None where the key can't read projects."""
        try:
            projects = fleet.projects()[["project_id", "client_account_name"]]
        except Forbidden:
            return None
        clients = projects["client_account_name"]  # as the metrics have it, one of blanks is none
        return projects.assign(client_account_name=without_blanks(clients))

    @cached_property
    def client_of(self) -> pd.Series[Any] | None:
        """The client of each project; None where the key can't read projects."""
        if self.projects is None:
            return None
        clients: pd.Series[Any] = self.projects.set_index("project_id")["client_account_name"]
        return clients

    def _clients_of_flights(self) -> pd.Series | None:
        return None if self.client_of is None else self._flown_for().map(self.client_of)

    def _flown_for(self) -> pd.Series[Any]:
        """Return the project of each flight."""
        return self.frame["project_id"]

    @cached_property
    def identified(self) -> pa.Table:
        """What the metrics count by something else than months: with times, ids and names."""
        frame = self.frame[_IDENTIFIED].astype({"flight_type": "str"})
        frame["flight_date"] = self.clock.times(self.frame["flight_date"]).dt.tz_localize("UTC")
        return pa.Table.from_pandas(frame, preserve_index=False)

    def _fields(self, fleet: Fleet) -> list[Field]:
        """Return what can be chosen.

        What the fleet's own filter says of night and BVLOS can't be changed: another value would
        match nothing.
        """
        equipment, base = self.equipment, fleet.filter
        period = self._period_field()
        clients = [] if self._clients is None else occurring(self._clients)
        operations, types = (
            self.values_of(name)[name] for name in ("operation_type", "flight_type")
        )
        return [
            period,
            *dates(period, self.clock.times),
            of_pieces("type", "Equipment type", occurring(equipment["type"]), base),
            of_pieces("category", "Equipment category", occurring(equipment["category"]), base),
            Select("equipment", "Piece of equipment", named(equipment, "equipment_id", "name")),
            Select("pilot", "Pilot", self._named("pilot_id", "pilot_name")),
            *([Select("client", "Client", clients)] if clients else []),
            Select(
                "project",
                "Project",
                self._named("project_id", "project_title"),
            ),
            Select("operation_type", "Operation", occurring(operations)),
            flag("night", "Night flight", base.night),
            flag("bvlos", "BVLOS", base.bvlos),
            Ticks("flight_type", "Flight type", flight_types(types)),
            AreaField("take_off", "Taken off"),
            *display_fields(has_clients=bool(clients)),
            CompareField(self, fleet),
        ]

    def _period_field(self) -> PeriodField:
        def count(rows: np.ndarray) -> list[int]:
            return self.kinds.by_month(self.kind_counts(rows))

        return PeriodField(self.months, count, self.tz)

    def _named(self, key: str, name: str) -> Options:
        """Return the identifiers that flights have in a column, by the name that came last."""
        return named(self.values_of(key, name), key, name)

    def _facets(self) -> Facets:
        frame, pieces = self.frame, self.pieces.iloc[self.bridge_piece]
        columns = {
            "pilot": (frame["pilot_id"], UNASSIGNED),
            "client": (self._clients, None),
            "project": (frame["project_id"], UNASSIGNED),
            "operation_type": (frame["operation_type"], None),
            "night": (frame["night_flight"], UNKNOWN),
            "bvlos": (frame["bvlos"], UNKNOWN),
            "flight_type": (frame["flight_type"], None),
        }
        own = {
            name: Facet(column, self.fields[name].tokens, rest)
            for name, (column, rest) in columns.items()
            if name in self.fields and column is not None
        }
        ids = self.piece_ids[self.bridge_piece]
        return Facets(len(self), own, self.bridge_flight, self._facets_of_pieces(pieces, ids))

    def _facets_of_pieces(self, pieces: pd.DataFrame, ids: np.ndarray) -> dict[str, Facet]:
        """Return which options of fields of equipment some pieces have."""
        columns = {
            "type": pieces["type"],
            "category": pieces["category"],
            "equipment": pd.Series(ids),
        }
        return {name: Facet(column, self.fields[name].tokens) for name, column in columns.items()}

    @cached_property
    def equipment_types(self) -> pa.Table:
        """What the metrics read of equipment."""
        columns = ["equipment_id", "name", "type", "category"]
        return pa.Table.from_pandas(self.equipment[columns], preserve_index=False)

    @cached_property
    def client_names(self) -> pa.Table | None:
        """What the metrics read of projects."""
        if self.projects is None:
            return None
        return pa.Table.from_pandas(self.projects, preserve_index=False)

    @property
    def months(self) -> list[str]:
        """Months with flights, ``YYYY-MM`` in the fleet's time zone, earliest first."""
        return self.kinds.months

    def selection(self, match: Match) -> FlightSelection:
        """Return the selection of matching flights."""
        return FlightSelection(self, match)

    def masks(self, choices: Choices) -> dict[str, np.ndarray]:
        """Return the flights of the period, and those that took off in the area."""
        masks = {}
        if choices["since"] is not None or choices["until"] is not None:
            masks["period"] = self._of_period(choices["since"], choices["until"])
        if choices["take_off"]:
            masks["take_off"] = self._taken_off(choices["take_off"])
        return masks

    def _of_period(self, since: date | None, until: date | None) -> np.ndarray:
        """Return the flights of the period: one slice, since rows go by date, nulls last."""
        mask = np.zeros(len(self), dtype=bool)
        mask[slice(*self._ends_of(since, until))] = True
        return mask

    def _ends_of(self, since: date | None, until: date | None) -> tuple[int, int]:
        """Return the first flight of the period, and the first one after it."""
        edges = self.clock.edges(window(since=_iso(since), until=_iso(until), tz=self.tz))
        start = 0 if edges.since is None else self._first_from(edges.since)
        stop = self._dated if edges.until is None else self._first_from(edges.until)
        return start, stop

    def _taken_off(self, area: Area) -> np.ndarray:
        """Return the flights that took off in an area."""
        is_inside: np.ndarray = is_within(*self.positions(), area)
        return is_inside

    def positions(self) -> tuple[np.ndarray, np.ndarray]:
        """Return latitude and longitude of each take-off [°]; NaN where it has none."""
        latitude, longitude = (
            self.frame[name].to_numpy("float64", na_value=np.nan) for name in POSITION
        )
        return latitude, longitude

    def _first_from(self, moment: datetime) -> int:
        """Return the first row at an instant or later."""
        dated = self.frame["flight_date"].iloc[: self._dated]
        return int(dated.searchsorted(pd.Timestamp(moment)))

    def to_filter(self, choices: Choices, selection: Selection) -> Filter:
        """Return the choices as a filter, without what the fleet is narrowed by."""
        return Filter(
            **{
                name: None if value in (ANY, ()) else value
                for name, value in choices.items()
                if not self.fields[name].is_display
            }
        )

    def cards(self, selection: FlightSelection) -> Sequence[Card]:
        """Return flights, hours, pilots, aircraft, and the shares of night and BVLOS."""
        shown = selection.figures
        timed = f"timed: {shown.timed_flights:,} of {shown.flights:,}"
        unassigned = f"unassigned flights: {shown.unassigned:,}"
        in_all = f"equipment in all: {shown.equipment:,}"
        return [
            Card("Flights", f"{shown.flights:,}", f"of {len(self):,}", shown.flights),
            Card("Hours", number(shown.hours, HOURS), timed, shown.hours),
            Card("Pilots", f"{shown.pilots:,}", unassigned, shown.pilots),
            Card("Aircraft", f"{shown.aircraft:,}", in_all, shown.aircraft),
            _share("Night flights", shown.night, shown.flights),
            _share("BVLOS flights", shown.bvlos, shown.flights),
        ]

    def comparison(self, choices: Choices) -> dict[str, Any]:
        """Return the measure by what the chart shows, where `compare` has that; else totals."""
        grouping, measure = choices["grouping"], choices["measure"]
        if grouping not in COMPARED:
            return {"metric": "flight_totals"}
        named = {"names": True} if grouping in NAME_COLUMNS else {}
        measures = list(dict.fromkeys(["flights", measure]))
        return {"metric": "flight_hours", "by": grouping, **named, "measures": measures}

    def other_period(self, choices: Choices) -> Beside:
        """Return the other period to show beside the one that is chosen."""
        return beside(choices, self._first, self.tz, self.fetched_at)

    def chart(self, selection: FlightSelection, choices: Choices) -> str:
        """Return the measure that is chosen by what is chosen, and below it what is beside it."""
        shown, other = [Shown(selection, choices)], self.beside(choices)
        if other is not None and other.choices is not None:
            shown.append(Shown(self.select(other.choices), other.choices, other.name))
        return flight_charts(shown, self.months, self.fields)

    def announce(self, selection: Any) -> str:
        """Return what a screen reader says of a selection."""
        hours = selection.figures.hours
        flown = "hours not recorded" if hours is None else f"{number(hours, HOURS)} hours"
        return f"{self.count(len(selection))}, {flown}"

    def pieces_of(self, number: int) -> list[str]:
        """Return the names of the equipment that the flight of a row number is logged under."""
        start, stop = np.searchsorted(self.bridge_flight, [number, number + 1])
        return sorted(self.piece_names[self.bridge_piece[start:stop]].tolist(), key=str.casefold)

    def first_pieces(self) -> pd.Series:
        """Return the place, by name, of the first piece of equipment on each flight."""
        places = self.places_by_name
        first = np.full(len(self), len(places))
        np.minimum.at(first, self.bridge_flight, places[self.bridge_piece])
        return pd.Series(first).astype("Int64").where(first < len(places))

    @property
    def places_by_name(self) -> np.ndarray:
        """The place of each piece of equipment by name; as in other columns, case is ignored."""
        names = [name.casefold() for name in self.piece_names]
        places: np.ndarray = pd.factorize(np.array(names, dtype=object), sort=True)[0]
        return places

    def _sorted(self, name: str, *, is_ascending: bool) -> np.ndarray:
        if name != "date":
            return super()._sorted(name, is_ascending=is_ascending)
        rows = self.frame[["flight_id", "flight_date"]].assign(row=np.arange(len(self)))
        order: np.ndarray = sort_flights(rows, f"date_{'asc' if is_ascending else 'desc'}")[
            "row"
        ].to_numpy()
        return order


def _share(label: str, row: dict[str, Any], flights: int) -> Card:
    note = f"known for {row['known_flights']:,} of {flights:,}"
    return Card(label, percent(row["flights_share"]), note)


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
