"""Which rows that stand are told anew by reading some equipment's flights whole, and by no other.

A flight may stand under several pieces of equipment. When one piece's list shows it otherwise than
it stands, or no longer shows it, the other pieces that hold it must be read too: only then is it
known which copy is the newest, and whether the flight is gone or only left that piece.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.mirror.diffs import columns_to_compare
from fleetkit.mirror.layout import STANDING
from fleetkit.mirror.signals import Unproven
from fleetkit.mirror.store import query

__all__ = ["touched"]


def touched(
    tables: tuple[DeltaTable, DeltaTable], rows: tuple[pa.Table, pa.Table], unread: list[str]
) -> tuple[pa.Table, pa.Table]:
    """Return the standing rows of flights and bridge that `rows` tell anew.

    Parameters
    ----------
    tables : tuple of DeltaTable
        ``flights`` and ``flight_equipment``.
    rows : tuple of pyarrow.Table
        What was read: the flights and bridge rows of all equipment but `unread`.
    unread : list of str
        Equipment whose flights were not read.

    Raises
    ------
    Unproven
        Some of `unread` hold a flight that changed.
    """
    (flights, bridge), (read_flights, read_bridge) = tables, rows
    columns = columns_to_compare("flight_equipment")
    rest = pa.array(unread, pa.large_string())
    pairs = query(
        bridge, columns, STANDING, lambda batch: pc.invert(_is_in(batch, "equipment_id", rest))
    )
    ids = pc.unique(_chunks(pairs["flight_id"], read_bridge["flight_id"]))
    standing = query(
        flights,
        columns_to_compare("flights"),
        STANDING,
        lambda batch: _is_in(batch, "flight_id", ids),
    )
    _refuse_shared(bridge, rest, _changed(standing, read_flights, pairs, read_bridge))
    return standing, pairs


def _changed(standing: pa.Table, flights: pa.Table, pairs: pa.Table, bridge: pa.Table) -> pa.Array:
    """Return flights that differ from what stands, or left a piece that was read."""
    now = flights.select(["flight_id", "row_hash"])
    both = standing.select(["flight_id", "row_hash"]).join(now, "flight_id", right_suffix="_now")
    differs = both.filter(pc.not_equal(both["row_hash"], both["row_hash_now"]))["flight_id"]
    keys = ["flight_id", "equipment_id"]
    left = pairs.select(keys).join(bridge.select(keys), keys, join_type="left anti")["flight_id"]
    return pc.unique(_chunks(differs, left))


def _refuse_shared(bridge: DeltaTable, rest: pa.Array, changed: pa.Array) -> None:
    if not len(changed):
        return
    found = query(
        bridge,
        ["flight_id", "equipment_id"],
        STANDING,
        lambda batch: pc.and_(
            _is_in(batch, "equipment_id", rest), _is_in(batch, "flight_id", changed)
        ),
    )
    if found.num_rows:
        raise Unproven(
            flights=dict.fromkeys(pc.unique(found["equipment_id"]).to_pylist(), "shared")
        )


def _is_in(batch: pa.RecordBatch, column: str, values: pa.Array) -> pa.Array:
    return pc.is_in(batch[column], value_set=values)


def _chunks(*arrays: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array([chunk for each in arrays for chunk in each.chunks], pa.large_string())
