"""What a narrowed fleet shows of the past: which row versions its filter selects."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from fleetkit.filters import OF_EQUIPMENT, Filter
from fleetkit.fleet.filtered import OF_PROJECTS
from fleetkit.fleet.opposites import opposites, selecting
from fleetkit.fleet.rows import is_in
from fleetkit.fleet.window import Window, window
from fleetkit.mirror import Mirror
from fleetkit.mirror.layout import KEYS
from fleetkit.time import Clock, widened

__all__ = ["HistoryFilter", "of_flights"]

_OF_FLIGHTS = (
    "since",
    "until",
    "flight_type",
    "operation_type",
    "pilot",
    "project",
    "night",
    "bvlos",
    "take_off",
)


def of_flights(filter_: Filter, clock: Clock, flights: pd.DataFrame) -> pd.DataFrame:
    """Return the flights that a filter selects by their own columns and their date.

    Parameters
    ----------
    filter_ : Filter
        Its fields that look at other tables are left aside.
    clock : Clock
        In whose zone its dates are.
    flights : DataFrame
        Some flights, perhaps too few to tell which types there are.
    """
    flights = clock.cut(flights, window(since=filter_.since, until=filter_.until, tz=clock.tz))
    return filter_.of_flights(flights, check=False)


class HistoryFilter:
    """The row versions that a filter selects.

    A record of another table that the filter looks at counts with everything that it ever was:
    each piece of equipment that a flight was ever logged under, each client a project ever had.
    What a filter leaves out is, here too, what its opposite selects.

    Parameters
    ----------
    mirror : Mirror
        The state up to which the past is known.
    filter_ : Filter
        What is selected.
    tz : str
        IANA time zone of its dates.
    clock : callable
        Takes a window and a zone; returns the clock that knows, where it matters, whether flight
        dates are dates: the row versions of a window alone don't tell.
    """

    def __init__(
        self, mirror: Mirror, filter_: Filter, tz: str, clock: Callable[[Window, str], Clock]
    ) -> None:
        self._mirror, self._filter, self._tz, self._clock = mirror, filter_, tz, clock

    def history(self, name: str, window: Window) -> pd.DataFrame:
        """Return all row versions of each record of which any version is selected."""
        frame = self._mirror.history(name, *widened(window))
        if name == "flights":
            clock = self._clock(window, self._tz)
            frame = clock.cut(frame, window).reset_index(drop=True)
        if not self._filter:
            return frame
        keys = list(KEYS[name])
        selected = frame.loc[self.is_selected(name, frame), keys].drop_duplicates()
        is_selected = frame.merge(selected.assign(_selected=True), "left", keys)[
            "_selected"
        ].notna()
        return frame[is_selected].reset_index(drop=True)

    def is_selected(self, name: str, rows: pd.DataFrame) -> pd.Series[bool]:
        """Say which row versions the filter selects."""
        if name == "equipment":
            return _is_in(rows, self._filter.of_equipment(rows))
        if name == "projects":
            return _is_in(rows, self._filter.of_projects(rows))
        if name == "flights":
            return self._flights(rows)
        is_selected = pd.Series(True, index=rows.index)
        if name in {"flight_equipment", "specifications"}:
            is_selected &= self._pieces(rows, self._filter)
        narrowing = self._filter.only(*_OF_FLIGHTS, *OF_PROJECTS)
        if name == "flight_equipment" and (narrowing or opposites(self._filter, OF_EQUIPMENT)):
            flights = self._mirror.history("flights")
            chosen = flights.loc[self._flights(flights), "flight_id"]
            is_selected &= is_in(rows["flight_id"], chosen)
        return is_selected

    def _pieces(self, rows: pd.DataFrame, chosen: Filter) -> pd.Series[bool]:
        """Say which rows belong to a piece of equipment that a filter selects."""
        if not chosen.only(*OF_EQUIPMENT):
            return pd.Series(True, index=rows.index)
        pieces = chosen.of_equipment(self._mirror.history("equipment"))
        return rows["equipment_id"].isin(pieces["equipment_id"])

    def _logged(self, rows: pd.DataFrame, chosen: Filter) -> pd.Series[bool]:
        """Say which flights a piece of equipment ever logged that a filter selects."""
        bridge = self._mirror.history("flight_equipment")
        return is_in(rows["flight_id"], bridge.loc[self._pieces(bridge, chosen), "flight_id"])

    def _is_of_projects(self, rows: pd.DataFrame, chosen: Filter) -> pd.Series[bool]:
        projects = chosen.of_projects(self._mirror.history("projects"))
        return rows["project_id"].isin(projects["project_id"])

    def _flights(self, rows: pd.DataFrame) -> pd.Series[bool]:
        days = window(since=self._filter.since, until=self._filter.until, tz=self._tz)
        clock = self._clock(days, self._tz)
        is_selected = _is_in(rows, of_flights(self._filter, clock, rows))
        chosen = selecting(self._filter)
        if chosen.only(*OF_EQUIPMENT):
            is_selected &= self._logged(rows, chosen)
        if chosen.only(*OF_PROJECTS):
            is_selected &= self._is_of_projects(rows, chosen)
        for opposite in opposites(self._filter, OF_EQUIPMENT):
            is_selected &= ~self._logged(rows, opposite)
        for opposite in opposites(self._filter, OF_PROJECTS):
            is_selected &= ~self._is_of_projects(rows, opposite)
        return is_selected


def _is_in(rows: pd.DataFrame, selected: pd.DataFrame) -> pd.Series[bool]:
    return pd.Series(rows.index.isin(selected.index), index=rows.index)
