"""Pages of flights, piece of equipment by piece of equipment → flights and their bridge.

The service lists a flight under each piece of equipment that logged it. `FlightReader` takes the
pages as they come, decodes them in batches and keeps one row per flight.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit.columns import table_columns
from fleetkit.schema import FLIGHT
from fleetkit.tables import fast
from fleetkit.tables.copies import COMPARED, Differences, codes_of, column_of, copies, differences
from fleetkit.tables.frames import empty, to_pandas
from fleetkit.tables.raw import RawFields
from fleetkit.tables.records import ARROW_TYPES, Columns, Path, columns_of, records_of
from fleetkit.tables.unknown import add_unknown

__all__ = ["FlightReader"]

# Pages decoded at once. A larger batch takes no less time per page; a smaller one leaves less to do
# after the last page, disturbs arriving pages less, and has fewer pages to slow down where one
# holds an odd value.
BATCH = 64
_TYPES = {column.name: ARROW_TYPES[column.dtype] for column in table_columns("flights")}


@dataclass
class _Part:
    """Decoded flights of one piece of equipment."""

    equipment_id: str
    rows: int
    columns: Columns


class FlightReader:
    """Collects pages of flights and turns them into two tables.

    Rows are in the order of the equipment ids, then as the pages had them, whatever the order in
    which pages arrived.

    Attributes
    ----------
    differences : dict
        After `finish`: flight → piece of equipment whose list has a copy that differs from the one
        that was retained → names of columns.

    Examples
    --------
    >>> page = b'{"success": true, "data": [{"id": "fl_1", "durationSeconds": 600}]}'
    >>> reader = FlightReader()
    >>> reader.add("eq_drone", page)
    >>> reader.add("eq_camera", page)
    >>> flights, flight_equipment = reader.finish()
    >>> flights["duration_seconds"].tolist(), flight_equipment["equipment_id"].tolist()
    ([600], ['eq_camera', 'eq_drone'])
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[str, bytes]] = []
        self._parts: list[_Part] = []
        self._unknown = RawFields(FLIGHT)
        self.differences: Differences = {}

    def add(self, equipment_id: str, page: bytes) -> None:
        """Take one page of the flights of one piece of equipment.

        Raises
        ------
        DataError
            A value that can't be read; the message names record and field.
        """
        self._waiting.append((equipment_id, page))
        if len(self._waiting) == BATCH:
            self._decode()

    def take(self) -> pa.Table:
        """Return the rows of all pages so far, one for each copy of a flight, and forget them.

        Returns
        -------
        pyarrow.Table
            The contract's columns of flights, ``equipment_id``, and each field that the reference
            doesn't know as JSON text, under the name that `column_of` gives it. In the order of the
            equipment ids, then as the pages had them.

        Raises
        ------
        DataError
            A value that can't be read; the message names record and field.
        """
        self._decode()
        parts = sorted(self._parts, key=lambda part: part.equipment_id)
        self._parts = []
        columns: dict[str, pa.ChunkedArray | pa.Array] = {
            column.name: _known(parts, column.name) for column in table_columns("flights")
        }
        columns["equipment_id"] = pa.array(_pieces_of(parts), pa.large_string())
        paths = {path for part in parts for path in part.columns.unknown}
        return pa.table(columns | {column_of(path): _texts(parts, path) for path in sorted(paths)})

    def finish(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the flights of all pages so far, and forget them.

        Returns
        -------
        flights : DataFrame
            One row per flight id: of several copies the one with the newest ``updated_at``, and of
            equally new ones the first. ``duration_seconds`` in [s]; altitudes and distances as
            reported.
        flight_equipment : DataFrame
            ``flight_id, equipment_id``: one row per flight and piece of equipment.

        Raises
        ------
        DataError
            A value that can't be read; the message names record and field.
        """
        self._decode()
        parts = sorted(self._parts, key=lambda part: part.equipment_id)
        self._parts, self.differences = [], {}
        if not parts:
            return empty("flights"), empty("flight_equipment")
        pieces = _pieces_of(parts)
        flights = _flights_of(parts)
        bridge = pd.DataFrame({"flight_id": flights["flight_id"], "equipment_id": pieces})
        codes, count = codes_of(pa.array(flights["flight_id"]))
        if count == len(flights):
            return flights, bridge
        retained, dropped, winners = copies(codes, flights["updated_at"])
        self.differences = _differences(flights, pieces, dropped, winners)
        return flights.iloc[retained].reset_index(drop=True), _distinct_pairs(bridge, codes)

    def _decode(self) -> None:
        if not self._waiting:
            return
        pieces, pages = map(list, zip(*self._waiting, strict=True))
        self._waiting = []
        self._keep(pieces, *(fast.decode(pages, self._unknown) or _decode_leniently(pages)))

    def _keep(self, pieces: list[str], decoded: Columns, counts: list[int]) -> None:
        """Keep decoded flights, of which so many are of each page, piece by piece."""
        start = 0
        for piece, page_counts in groupby(zip(pieces, counts, strict=True), itemgetter(0)):
            rows = sum(count for _, count in page_counts)
            self._parts.append(_Part(piece, rows, _slice(decoded, start, rows)))
            start += rows


def _decode_leniently(pages: list[bytes]) -> tuple[Columns, list[int]]:
    records = [records_of([page], FLIGHT.name) for page in pages]
    every = [record for page in records for record in page]
    return columns_of(every, FLIGHT, table_columns("flights")), [len(page) for page in records]


def _slice(decoded: Columns, start: int, rows: int) -> Columns:
    known = {name: array.slice(start, rows) for name, array in decoded.known.items()}
    unknown = {path: array.slice(start, rows) for path, array in decoded.unknown.items()}
    return Columns(known, unknown)


def _pieces_of(parts: list[_Part]) -> pd.Series:
    """Return the equipment id of each row."""
    ids = pa.array([part.equipment_id for part in parts], pa.large_string())
    rows = np.repeat(np.arange(len(parts)), [part.rows for part in parts])
    repeated = pc.take(ids, pa.array(rows), memory_pool=pa.system_memory_pool())
    return pd.Series(repeated, dtype="str")


def _flights_of(parts: list[_Part]) -> pd.DataFrame:
    """Join all parts; `parts` is empty afterwards."""
    columns = table_columns("flights")
    paths = {path for part in parts for path in part.columns.unknown}
    unknown = {path: _texts(parts, path) for path in paths}
    known = {column.name: _known(parts, column.name) for column in columns}
    parts.clear()
    return add_unknown(to_pandas(known, columns), unknown, FLIGHT, columns)


def _known(parts: list[_Part], name: str) -> pa.ChunkedArray:
    """Join a column of the contract."""
    pieces = [chunk for part in parts for chunk in part.columns.known[name].chunks]
    return pa.chunked_array(pieces, _TYPES[name])


def _distinct_pairs(bridge: pd.DataFrame, flights: np.ndarray) -> pd.DataFrame:
    """Return each pair once; `flights` are numbers, the same for the same flight."""
    pieces, count = codes_of(pa.array(bridge["equipment_id"]))
    _, first = np.unique(flights.astype("int64") * count + pieces, return_index=True)
    if len(first) == len(bridge):
        return bridge
    return bridge.iloc[np.sort(first)].reset_index(drop=True)


def _texts(parts: list[_Part], path: Path) -> pa.ChunkedArray:
    """Line up a field that only some parts have."""
    lengths = {part.rows for part in parts if path not in part.columns.unknown}
    nulls = {rows: pa.nulls(rows, pa.large_string()) for rows in lengths}
    texts = [part.columns.unknown.get(path, nulls.get(part.rows)) for part in parts]
    return pa.chunked_array(texts, pa.large_string())


def _differences(
    flights: pd.DataFrame, pieces: pd.Series, dropped: np.ndarray, winners: np.ndarray
) -> Differences:
    """Compare copies, as `differences` does, one column after the other."""
    columns = (
        (name, *(_plain(flights[name].iloc[rows]) for rows in (dropped, winners)))
        for name in COMPARED
    )
    ids = pa.array(flights["flight_id"].iloc[dropped])
    return differences(ids, pa.array(pieces.iloc[dropped]), columns)


def _plain(values: pd.Series) -> pa.Array | pa.ChunkedArray:
    is_category = isinstance(values.dtype, pd.CategoricalDtype)
    return pa.array(values.astype("str") if is_category else values)
