"""The API's answers as DataFrames: whole page bodies in, the contract's columns and dtypes out.

Pages of flights, the one list that grows, go through Arrow's JSON reader (`fast`); whatever isn't
exactly as the reference has it, value by value through `records` and `values`. Both give the same
frames.
"""

from fleetkit.notices import NotInReference
from fleetkit.tables.copies import COMPARED, Differences, Distinct, differences, distinct, path_of
from fleetkit.tables.flights import FlightReader
from fleetkit.tables.frames import (
    conform,
    empty,
    from_arrow,
    give_notice,
    to_arrow,
    unknown_tokens,
)
from fleetkit.tables.lists import equipment, projects, record, services, specifications, tiers
from fleetkit.tables.unknown import joined, kind_of, name_unknown, typed

__all__ = [
    "COMPARED",
    "Differences",
    "Distinct",
    "FlightReader",
    "NotInReference",
    "conform",
    "differences",
    "distinct",
    "empty",
    "equipment",
    "from_arrow",
    "give_notice",
    "joined",
    "kind_of",
    "name_unknown",
    "path_of",
    "projects",
    "record",
    "services",
    "specifications",
    "tiers",
    "to_arrow",
    "typed",
    "unknown_tokens",
]
