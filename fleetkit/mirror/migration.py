"""A mirror of layout 1 → layout 2: the bridge gets the months of its flights.

It is one commit, which takes effect with the row of the sync that makes it; until then every
reader sees the mirror as it was.
"""

from __future__ import annotations

import pyarrow as pa
from deltalake import DeltaTable

from fleetkit.mirror.committing import overwrite
from fleetkit.mirror.layout import MONTH, with_months
from fleetkit.mirror.store import query

__all__ = ["part_bridge_by_month"]

_VALIDITY = ["valid_from", "valid_to"]


def part_bridge_by_month(bridge: DeltaTable, flights: DeltaTable) -> None:
    """Rewrite every version of every bridge row with the month of its flight."""
    if MONTH in {each.name for each in bridge.schema().fields}:
        return
    # Of several versions of a flight the newest comes first, so that its month is found.
    months = query(flights, ["flight_id", MONTH, "valid_from"], "true")
    months = months.sort_by([("valid_from", "descending")])
    rows = query(bridge, ["flight_id", "equipment_id", *_VALIDITY], "true")
    parted = with_months(rows.drop_columns(_VALIDITY), months)
    whole = pa.table({name: rows[name] for name in _VALIDITY})
    for name in parted.column_names:
        whole = whole.append_column(name, parted[name])
    overwrite(bridge, "flight_equipment", whole)
