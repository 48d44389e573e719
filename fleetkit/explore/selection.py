"""Which flights a filter means, fast enough to follow a control: rows, pages and figures.

Everything that doesn't change while controls move is prepared once; a selection is a mask over it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from fleetkit import metrics
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.arguments import check_order
from fleetkit.fleet.rows import sort_flights
from fleetkit.fleet.window import window
from fleetkit.time import YEARS, Clock, Period

__all__ = ["Figures", "Flights", "Selection"]

# What `Filter.of_flights` looks at, and what the metrics measure.
_KEYS = ["flight_type", "operation_type", "pilot_id", "project_id", "night_flight", "bvlos"]
_MEASURED = ["flight_date", "flight_type", "duration_seconds", "night_flight", "bvlos"]


@dataclass(frozen=True)
class Figures:
    """What the KPI row shows; definitions are those of the metrics.

    Attributes
    ----------
    flights, timed_flights : int
        All, and those with a duration above 0.
    hours : float
        Flown. [h]
    pilots, unassigned : int
        Pilots who flew, and flights without a pilot.
    aircraft, equipment : int
        Aircraft that flew, and pieces of equipment of any kind.
    night, bvlos : dict
        A row of ``metrics.night_and_bvlos`` each.
    """

    flights: int
    timed_flights: int
    hours: float
    pilots: int
    unassigned: int
    aircraft: int
    equipment: int
    night: dict[str, Any]
    bvlos: dict[str, Any]


class Flights:
    """All flights of a fleet, prepared for quick selection.

    Parameters
    ----------
    fleet : Fleet
        Its flights, bridge and equipment are read once.
    """

    def __init__(self, fleet: Fleet) -> None:
        self.tz = fleet.tz
        self.frame = fleet.flights(order_by="date_asc")
        self.clock = Clock.of(self.frame, tz=self.tz).judge(self.frame)
        self.equipment = fleet.equipment()
        bridge = fleet.flight_equipment()
        self.aircraft_ids = set(metrics.aircraft(self.equipment, bridge)["equipment_id"])
        self._keys = self.frame[_KEYS].astype(
            dict.fromkeys(("operation_type", "pilot_id", "project_id"), "category")
        )
        self._dated = int(self.frame["flight_date"].notna().sum())
        # Arrow measures several times faster than pandas, and the metrics take either; days are
        # moved into the fleet's zone once, here.
        measured = self.frame[_MEASURED].astype({"flight_type": "str"})
        measured["flight_date"] = self._local_days()
        self.measured = pa.Table.from_pandas(measured, preserve_index=False)
        self._index_bridge(bridge)
        self._orders: dict[str, np.ndarray] = {}

    def _local_days(self) -> pd.Series:
        """Return the day of each flight in the fleet's zone, as midnight UTC."""
        times = self.clock.times(self.frame["flight_date"])
        days: pd.Series[Any] = times.dt.normalize().dt.tz_localize("UTC")
        return days

    def _index_bridge(self, bridge: pd.DataFrame) -> None:
        """Turn the bridge into row numbers: of the flight, and of the piece of equipment."""
        flight = pd.Index(self.frame["flight_id"]).get_indexer(bridge["flight_id"])
        known = pd.Index(self.equipment["equipment_id"])
        listed = known.append(pd.Index(bridge["equipment_id"]).difference(known))
        order = np.argsort(flight, kind="stable")
        self.bridge_flight = flight[order]
        self.bridge_piece = listed.get_indexer(bridge["equipment_id"])[order]
        self.piece_ids = listed.to_numpy(dtype=object)
        names = self.equipment.set_index("equipment_id")["name"].reindex(listed)
        self._piece_names = names.where(names.notna(), listed).to_numpy(dtype=object)

    def __len__(self) -> int:
        return len(self.frame)

    @cached_property
    def months(self) -> list[str]:
        """Months with flights, ``YYYY-MM`` in the fleet's time zone, earliest first.

        Those of years that no period can lie in, which some programs write for none, aren't among
        them.
        """
        hours = metrics.flight_hours(self.measured, by="month").to_pandas()
        months = map(str, hours["month"].dropna())
        return [month for month in months if int(month[:4]) in YEARS]

    @cached_property
    def span(self) -> tuple[str, str] | None:
        """``[since, until)`` of whole months that holds all dated flights; None without any."""
        if not self.months:
            return None
        first, last = (Period.read(self.months[end], self.tz) for end in (0, -1))
        return first.since.date().isoformat(), last.until.date().isoformat()

    def select(self, chosen: Filter) -> Selection:
        """Return the flights that `chosen` means.

        Raises
        ------
        InvalidValue
            The filter's period ends before it starts, or a value is unknown.
        """
        mask = np.zeros(len(self), dtype=bool)
        mask[self._span(chosen)] = True
        if chosen.only("flight_type", "operation_type", "pilot", "project", "night", "bvlos"):
            matches = np.zeros(len(self), dtype=bool)
            matches[chosen.of_flights(self._keys).index] = True
            mask &= matches
        on_piece = self._on_piece(chosen)
        if on_piece is not None:
            logged = np.zeros(len(self), dtype=bool)
            logged[self.bridge_flight[on_piece]] = True
            mask &= logged
        return Selection(self, mask, on_piece)

    def nothing(self) -> Selection:
        """Return a selection without flights."""
        return Selection(self, np.zeros(len(self), dtype=bool), None)

    def _on_piece(self, chosen: Filter) -> np.ndarray | None:
        """Return the bridge rows of the chosen equipment; None where none is chosen."""
        pieces = chosen.only("equipment", "type", "category")
        if not pieces:
            return None
        rows = pieces.of_equipment(self.equipment.reset_index(drop=True)).index
        return np.isin(self.bridge_piece, rows)

    def _span(self, chosen: Filter) -> slice:
        """Return the rows of the period: one slice, since rows go by date, nulls last."""
        if chosen.since is None and chosen.until is None:
            return slice(0, len(self))
        edges = self.clock.edges(window(since=chosen.since, until=chosen.until, tz=self.tz))
        start = 0 if edges.since is None else self._first_from(edges.since)
        stop = self._dated if edges.until is None else self._first_from(edges.until)
        return slice(start, stop)

    def _first_from(self, moment: datetime) -> int:
        """Return the first row at an instant or later."""
        dated = self.frame["flight_date"].iloc[: self._dated]
        return int(dated.searchsorted(pd.Timestamp(moment)))

    def pieces_of(self, number: int) -> list[str]:
        """Return the names of the equipment that the flight of a row number is logged under."""
        start, stop = np.searchsorted(self.bridge_flight, [number, number + 1])
        return sorted(self._piece_names[self.bridge_piece[start:stop]].tolist())

    def order(self, order_by: str) -> np.ndarray:
        """Return all row numbers in that order, as ``fleet.flights(order_by=…)`` has it."""
        check_order(order_by)
        if order_by not in self._orders:
            sortable = self.frame[["flight_id", "flight_date", "duration_seconds"]]
            rows = sortable.assign(row=np.arange(len(self)))
            self._orders[order_by] = sort_flights(rows, order_by)["row"].to_numpy()
        return self._orders[order_by]


class Selection:
    """The flights that a filter means.

    Parameters
    ----------
    flights : Flights
        All flights.
    mask : array of bool
        Which of them the filter means.
    on_piece : array of bool, optional
        Which bridge rows the filter means; default: all of those flights.
    """

    def __init__(self, flights: Flights, mask: np.ndarray, on_piece: np.ndarray | None) -> None:
        self.all = flights
        self._mask = mask
        self._on_piece = on_piece
        self._measured = flights.measured.filter(pa.array(mask))

    def __len__(self) -> int:
        return len(self._measured)

    def numbers(self, order_by: str) -> np.ndarray:
        """Return the row numbers of the selection, in that order."""
        order = self.all.order(order_by)
        return np.compress(self._mask[order], order)

    def rows(self, order_by: str) -> pd.DataFrame:
        """Return the selection with the columns of `Fleet.flights`."""
        return self.all.frame.iloc[self.numbers(order_by)].reset_index(drop=True)

    @cached_property
    def hours(self) -> pd.DataFrame:
        """``month, flight_type, flights, hours`` of the selection. [h]."""
        hours = metrics.flight_hours(self._measured, by=["month", "flight_type"])
        frame: pd.DataFrame = hours.to_pandas()
        return frame

    @cached_property
    def figures(self) -> Figures:
        """What the KPI row shows."""
        totals = metrics.flight_totals(self._measured).to_pylist()[0]
        flags = metrics.night_and_bvlos(self._measured).to_pylist()
        shares = {row["flag"]: row for row in flags}
        pilots = self.all._keys["pilot_id"].cat.codes.to_numpy()[self._mask]
        pieces = self.pieces()
        return Figures(
            flights=totals["flights"],
            timed_flights=totals["timed_flights"],
            hours=totals["hours"],
            pilots=int(np.count_nonzero(np.bincount(pilots[pilots >= 0]))),
            unassigned=int((pilots < 0).sum()),
            aircraft=len(self.all.aircraft_ids.intersection(pieces)),
            equipment=len(pieces),
            night=shares["night_flight"],
            bvlos=shares["bvlos"],
        )

    def pieces(self) -> list[str]:
        """Return the identifiers of the equipment that flew."""
        flown = self._mask[self.all.bridge_flight]
        if self._on_piece is not None:
            flown = flown & self._on_piece
        flights = np.bincount(self.all.bridge_piece[flown], minlength=len(self.all.piece_ids))
        return list(map(str, self.all.piece_ids[flights > 0]))
