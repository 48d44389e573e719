"""The API's answers as DataFrames: whole page bodies in, the contract's columns and dtypes out.

Pages of flights, the one list that grows, go through Arrow's JSON reader (`fast`); whatever isn't
exactly as the reference has it, value by value through `records` and `values`. Both give the same
frames.
"""

from fleetkit.notices import NotInReference
from fleetkit.tables.flights import FlightReader
from fleetkit.tables.frames import conform, empty, from_arrow, to_arrow
from fleetkit.tables.lists import equipment, projects, record, services, specifications, tiers

__all__ = [
    "FlightReader",
    "NotInReference",
    "conform",
    "empty",
    "equipment",
    "from_arrow",
    "projects",
    "record",
    "services",
    "specifications",
    "tiers",
    "to_arrow",
]
