"""Explorers for notebooks: controls that narrow a fleet down, and what they show.

An explorer computes nothing of its own: rows are what :class:`fleetkit.Filter` means, figures are
those of :mod:`fleetkit.metrics`. The choice is exported as Python, as a command line and as
papermill parameters, its rows as CSV, Excel and Parquet.
"""

from typing import TYPE_CHECKING, NoReturn

from fleetkit.explore.equipment_explorer import EquipmentExplorer, equipment
from fleetkit.explore.flight_explorer import FlightExplorer, flights
from fleetkit.explore.links import compared_in_query, from_query, to_query
from fleetkit.explore.project_explorer import ProjectExplorer, projects
from fleetkit.interface import missing_attribute

__all__ = [
    "EquipmentExplorer",
    "FlightExplorer",
    "ProjectExplorer",
    "compared_in_query",
    "equipment",
    "flights",
    "from_query",
    "projects",
    "to_query",
]

if not TYPE_CHECKING:  # type checkers find it by themselves

    def __getattr__(name: str) -> NoReturn:
        """Name near ones where there is no such name."""
        raise missing_attribute("fleetkit.explore", name, __all__)
