"""A fleet's tables as its filter narrows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa

from fleetkit import tables
from fleetkit.arguments import check_tokens
from fleetkit.errors import NotFound
from fleetkit.exclusion import Given, named_values
from fleetkit.filters import OF_EQUIPMENT, Filter, check_flight_types
from fleetkit.fleet import occurring
from fleetkit.fleet.arguments import equipment_ids
from fleetkit.fleet.opposites import opposites, selecting
from fleetkit.fleet.rows import is_in
from fleetkit.fleet.source import Source
from fleetkit.fleet.window import Window, window
from fleetkit.interface import brief, did_you_mean
from fleetkit.schema import FLIGHT_TYPES
from fleetkit.tables.copies import codes_of, copies
from fleetkit.time import Clock

__all__ = ["OF_PROJECTS", "FilteredTables", "Flights"]

# Flights, the bridge of them, and the clock that they are cut by.
Flights = tuple[pd.DataFrame, pd.DataFrame, Clock]
# The fields of a filter that select flights by the table of projects.
OF_PROJECTS = ("client", "status")
# Flights that are enough to tell whether their dates are dates or instants.
_MANY = 100


@dataclass(frozen=True)
class FilteredTables:
    """The tables of a source, narrowed by a filter.

    Parameters
    ----------
    source : Source
        Where the data come from.
    filter : Filter
        Which records to select.
    tz : str
        IANA time zone of the filter's dates, and of the flights' days.
    allow_empty : bool
        Give empty tables where no record has a value of the filter; else that is an error.
    """

    source: Source
    filter: Filter
    tz: str
    allow_empty: bool

    def equipment(self) -> pd.DataFrame:
        """Return the pieces of equipment that the filter selects."""
        self.check("equipment", OF_EQUIPMENT)
        return self._equipment()

    def specifications(self) -> pd.DataFrame:
        """Return the specifications of these pieces of equipment."""
        self.check("equipment", OF_EQUIPMENT)
        return self._of_equipment(self.source.table("specifications"), self.filter).copy()

    def projects(self, status: Given, *, details: bool) -> pd.DataFrame:
        """Return the projects that the filter selects, and of them those with a status."""
        statuses = Filter.from_parameters({"status": status})
        self.check("projects", (*OF_PROJECTS, "project"))
        projects = self.source.table("project_details" if details else "projects").copy()
        projects = statuses.of_projects(self.filter.of_projects(projects))
        return projects.reset_index(drop=True)

    def flights(
        self,
        parts: Sequence[Window],
        flight_type: Given = None,
        equipment: Iterable[str] | str | None = None,
    ) -> Flights:
        """Return the flights of some windows that the filter selects, and their bridge."""
        chosen, pieces = self.checked(flight_type, equipment)
        types = chosen.flight_type
        is_pushed = types is None or (isinstance(types, tuple) and len(types) == 1)
        # Whether another piece logged a flight too isn't known from the lists of some.
        if pieces and opposites(self.filter, OF_EQUIPMENT):
            chosen, is_pushed, equipment = replace(chosen, equipment=pieces), False, None
        if not is_pushed:
            both = self.filter.combined_with(chosen, self.tz)
            return replace(self, filter=both).flights(parts, None, equipment)
        only = next(iter(named_values(types)), None)  # a service is asked for these alone
        cuts = [self._cut(replace(part, flight_type=only, equipment=pieces)) for part in parts]
        return self._selected(*_joined(cuts, Clock(self.tz)))

    def checked(
        self,
        flight_type: Given,
        equipment: Iterable[str] | str | None,
    ) -> tuple[Filter, tuple[str, ...]]:
        """Return the arguments of a call as a filter of flight types, and as identifiers.

        Raises
        ------
        InvalidValue, NotFound
            They, or the fleet's filter, name what there isn't.
        """
        chosen = Filter.from_parameters({"flight_type": flight_type})
        types = named_values(chosen.flight_type)
        check_tokens(types, FLIGHT_TYPES, "flight type", "Flight types")
        pieces = equipment_ids(equipment)
        self.check("equipment", OF_EQUIPMENT)
        self.check("projects", OF_PROJECTS)
        self.check_pieces(pieces)
        return chosen, pieces

    def flights_in(self, part: Window) -> Flights:
        """Return the flights of one window that the filter selects, and their bridge."""
        return self._selected(*self._cut(part))

    def _cut(self, part: Window) -> Flights:
        """Return the flights of one window, within the filter's dates, and their bridge."""
        read = self.source.flights(part)
        self.check_types(part)
        clock = judged = Clock(self.tz)
        is_unfiltered = not self.filter and part == Window(part.since, part.until)
        # Days of UTC are cut alike, and a period alone, unfiltered, tells what its dates are.
        if self._shifts_days or part.is_whole or not is_unfiltered:
            known = self._known_clock(part)
            clock, dated = known.judge(read[0]), read[0]["flight_date"].count()
            is_enough = dated > 0 if part.is_whole else dated >= _MANY
            judged = clock if is_enough else known
        flights, bridge = part.cut(*read, clock)
        if self.filter.since or self.filter.until:
            dates = window(since=self.filter.since, until=self.filter.until, tz=self.tz)
            flights, bridge = dates.cut(flights, bridge, clock)
        return flights, bridge, judged

    def check_types(self, part: Window) -> None:
        """Refuse a flight type that no flight has, unless that is allowed.

        One that only flights of another time have, or other equipment's, selects none rightly.
        """
        if not self.allow_empty:
            types = self.filter.flight_type
            check_flight_types(types, lambda: self.source.flight_types(part))

    def clock_of_all(self) -> Clock:
        """Return the clock of all flights, as `flights_in` has it; only their dates are read."""
        return self.source.flight_dates().clock(self.tz)

    def _known_clock(self, part: Window) -> Clock:
        """Return the clock that knows, as far as more flights than those of a window tell it."""
        if self._shifts_days:
            return self.source.clock(part, self.tz)
        return self.clock_of_all() if self.source.has_all_flights else Clock(self.tz)

    @property
    def _shifts_days(self) -> bool:
        """Whether instants, other than dates, may lie on another day than in UTC."""
        return self.tz != "UTC"

    def _selected(self, flights: pd.DataFrame, bridge: pd.DataFrame, clock: Clock) -> Flights:
        """Return those of some flights that the filter selects, by all but its dates."""
        if not self.filter:
            return flights, bridge, clock
        flights = self.filter.of_flights(flights, check=False)
        chosen, links = selecting(self.filter), bridge
        if chosen.only(*OF_EQUIPMENT):
            bridge = self._of_equipment(bridge, chosen)
            flights = flights[is_in(flights["flight_id"], bridge["flight_id"])]
        if chosen.only(*OF_PROJECTS):
            flights = flights[self._is_of_projects(flights, chosen)]
        for opposite in opposites(self.filter, OF_EQUIPMENT):
            gone = self._of_equipment(links, opposite)
            flights = flights[~is_in(flights["flight_id"], gone["flight_id"])]
        for opposite in opposites(self.filter, OF_PROJECTS):
            flights = flights[~self._is_of_projects(flights, opposite)]
        return flights, bridge[is_in(bridge["flight_id"], flights["flight_id"])], clock

    def _is_of_projects(self, flights: pd.DataFrame, chosen: Filter) -> pd.Series[bool]:
        """Say which flights belong to a project that a filter selects."""
        projects = chosen.of_projects(self.source.table("projects"))
        return flights["project_id"].isin(projects["project_id"])

    def _equipment(self) -> pd.DataFrame:
        equipment = self.source.table("equipment").copy()
        return self.filter.of_equipment(equipment).reset_index(drop=True)

    def _of_equipment(self, frame: pd.DataFrame, chosen: Filter) -> pd.DataFrame:
        """Return the rows of a table that belong to a piece of equipment that a filter selects."""
        if not chosen.only(*OF_EQUIPMENT):
            return frame
        equipment = chosen.of_equipment(self.source.table("equipment"))
        is_selected = frame["equipment_id"].isin(equipment["equipment_id"])
        return frame[is_selected].reset_index(drop=True)

    def check(self, table: str, fields: Iterable[str]) -> None:
        """Refuse a filter with a value that no record of a table has."""
        if self.filter.only(*fields) and not self.allow_empty:
            values, read = occurring.values_of(self.source.table(table), table), self.source.table
            occurring.check_values(self.filter, table, values, fields, read=read)

    def check_pieces(self, pieces: Iterable[str]) -> None:
        """Refuse a piece of equipment that the organisation doesn't have."""
        if not pieces:
            return
        known = dict.fromkeys(self.source.table("equipment")["equipment_id"])
        for piece in pieces:
            if piece not in known:
                raise NotFound(
                    f"{self.source.address} has no equipment {brief(piece)}. "
                    f"{did_you_mean(piece, known)}",
                    status=404,
                    advice="fleet.equipment() lists what it has.",
                )


def _joined(parts: Sequence[Flights], unknown: Clock) -> Flights:
    """Join flights of several windows; their clock is `unknown` where they differ in it."""
    if len(parts) == 1:
        return parts[0]
    flights, bridges, clocks = zip(*parts, strict=True)
    rows, pairs = tables.joined("flights", flights), pd.concat(bridges, ignore_index=True)
    if not rows["flight_id"].is_unique:  # a service's lists date its copies in several windows
        firsts = [_first_pieces(*part) for part in zip(flights, bridges, strict=True)]
        rows, pairs = _newest(rows, pd.concat(firsts)), pairs.drop_duplicates(ignore_index=True)
    clock = clocks[0] if len(set(clocks)) == 1 else unknown
    return tables.conform("flights", rows), pairs, clock


def _first_pieces(flights: pd.DataFrame, bridge: pd.DataFrame) -> pd.Series[str]:
    """Return the first of the pieces of equipment whose lists date each flight in a window."""
    return flights["flight_id"].map(bridge.groupby("flight_id")["equipment_id"].min())


def _newest(rows: pd.DataFrame, pieces: pd.Series[str]) -> pd.DataFrame:
    """Return every flight once, as `tables.copies` chooses among the copies of different lists."""
    in_order = rows.iloc[np.argsort(pieces.to_numpy(), kind="stable")]
    codes, _ = codes_of(pa.array(in_order["flight_id"]))
    retained, *_ = copies(codes, in_order["updated_at"])
    return in_order.iloc[retained].reset_index(drop=True)
