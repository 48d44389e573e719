"""A fleet's tables as lazy frames of another engine, narrowed as pandas' are.

What a service gave is in memory, and is handed over to the engine. Of a mirror the engine reads the
files itself: the months in question, and of them the columns and rows that a result takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw

from fleetkit.columns import DETAIL_COLUMNS
from fleetkit.engines import Engine, anti_join, from_pandas, semi_join
from fleetkit.exclusion import Given
from fleetkit.filters import OF_EQUIPMENT, Filter
from fleetkit.fleet.filtered import OF_PROJECTS, FilteredTables
from fleetkit.fleet.offline import check_details
from fleetkit.fleet.opposites import opposites, selecting
from fleetkit.fleet.window import Window, window
from fleetkit.mirror import Mirror
from fleetkit.time import Clock, Ends

if TYPE_CHECKING:
    from fleetkit.engines import Session

__all__ = ["LoadedTables", "ScannedTables"]


@dataclass(frozen=True)
class LoadedTables:
    """Tables that pandas has, handed over to an engine."""

    tables: FilteredTables
    engine: Engine | Session

    def equipment(self) -> Any:
        """Return the pieces of equipment that the filter selects."""
        return from_pandas(self.tables.equipment(), self.engine)

    def projects(self, status: Given, *, details: bool) -> Any:
        """Return the projects that the filter selects, and of them those with a status."""
        return from_pandas(self.tables.projects(status, details=details), self.engine)

    def flights(
        self,
        parts: Sequence[Window],
        flight_type: Given,
        equipment: Iterable[str] | str | None,
    ) -> tuple[Any, Any]:
        """Return the flights of some windows that the filter selects, and their bridge."""
        flights, bridge, _ = self.tables.flights(parts, flight_type, equipment)
        return from_pandas(flights, self.engine), from_pandas(bridge, self.engine)


@dataclass(frozen=True)
class ScannedTables:
    """Tables of a mirror that an engine reads itself.

    Parameters
    ----------
    tables : FilteredTables
        The same tables in pandas: the filter, and the checks of what it names.
    mirror : Mirror
    engine : str, DuckDBPyConnection, SparkSession or dask.distributed.Client
    """

    tables: FilteredTables
    mirror: Mirror
    engine: Engine | Session

    @property
    def _filter(self) -> Filter:
        return self.tables.filter

    def equipment(self) -> Any:
        """Return the pieces of equipment that the filter selects."""
        self.tables.check("equipment", OF_EQUIPMENT)
        return nw.to_native(self._equipment(self._filter))

    def specifications(self) -> Any:
        """Return the specifications of these pieces of equipment."""
        self.tables.check("equipment", OF_EQUIPMENT)
        return nw.to_native(self._of_equipment(self._scan("specifications"), self._filter))

    def projects(self, status: Given, *, details: bool) -> Any:
        """Return the projects that the filter selects, and of them those with a status."""
        statuses = Filter.from_parameters({"status": status})
        self.tables.check("projects", (*OF_PROJECTS, "project"))
        if details:
            check_details(self.mirror)
        projects = statuses.of_projects(self._projects(self._filter))
        dropped = () if details else set(DETAIL_COLUMNS) & set(projects.collect_schema().names())
        return nw.to_native(projects.drop(*dropped))

    def whole(self, name: str) -> Any:
        """Return a table that no filter narrows."""
        return nw.to_native(self._scan(name))

    def flights(
        self,
        parts: Sequence[Window],
        flight_type: Given,
        equipment: Iterable[str] | str | None,
    ) -> tuple[Any, Any]:
        """Return the flights of some windows that the filter selects, and their bridge."""
        types, pieces = self.tables.checked(flight_type, equipment)
        both = self._filter.combined_with(types, self.tables.tz)
        of_types = replace(self, tables=replace(self.tables, filter=both))
        cuts = [of_types._flights_in(part, pieces) for part in parts]
        flights, bridge = (nw.concat(frames) for frames in zip(*cuts, strict=True))
        return nw.to_native(flights), nw.to_native(bridge)

    def _flights_in(self, part: Window, pieces: tuple[str, ...]) -> tuple[Any, Any]:
        self.tables.check_types(part)
        ends = self._edges(part)
        flights, links = self._scan("flights", *ends), self._scan("flight_equipment", *ends)
        flights = self._filter.of_flights(flights, check=False)
        chosen, bridge = selecting(self._filter), links
        if pieces:
            bridge = bridge.filter(nw.col("equipment_id").is_in(pieces))
        bridge = self._of_equipment(bridge, chosen)
        if pieces or chosen.only(*OF_EQUIPMENT):
            flights = semi_join(flights, bridge, "flight_id")
        if chosen.only(*OF_PROJECTS):
            flights = semi_join(flights, self._projects(chosen), "project_id")
        for opposite in opposites(self._filter, OF_EQUIPMENT):
            flights = anti_join(flights, self._of_equipment(links, opposite), "flight_id")
        for opposite in opposites(self._filter, OF_PROJECTS):
            flights = anti_join(flights, self._projects(opposite), "project_id")
        if pieces or self._filter or any(ends):
            bridge = semi_join(bridge, flights, "flight_id")
        return flights, bridge

    def _edges(self, part: Window) -> Ends:
        """Return the instants between which the flight dates of a window and the filter lie."""
        tz = self.tables.tz
        narrower = window(since=self._filter.since, until=self._filter.until, tz=tz)
        clock = self.tables.source.clock(part, tz)
        if clock.must_judge(narrower):
            clock = clock.judge(self._scan("flights", *Clock().edges(part)))
        return clock.edges(part).within(clock.edges(narrower))

    def _scan(self, name: str, since: Any = None, until: Any = None) -> Any:
        return nw.from_native(self.mirror.scan(name, self.engine, since, until))

    def _equipment(self, chosen: Filter) -> Any:
        return chosen.of_equipment(self._scan("equipment"))

    def _projects(self, chosen: Filter) -> Any:
        return chosen.of_projects(self._scan("projects"))

    def _of_equipment(self, frame: Any, chosen: Filter) -> Any:
        """Return the rows of a table that belong to a piece of equipment that a filter selects."""
        if not chosen.only(*OF_EQUIPMENT):
            return frame
        return semi_join(frame, self._equipment(chosen), "equipment_id")
