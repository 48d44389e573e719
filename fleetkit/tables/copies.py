"""Copies of one flight, which the service lists under each piece of equipment: one is retained."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit.tables.records import Path

__all__ = ["codes_of", "column_of", "copies", "distinct", "path_of"]

# Begins the name of a column that holds a field as JSON; the contract's begin with a letter.
_RAW = "["


def column_of(path: Path) -> str:
    """Return the column that holds a field which the reference doesn't know, as JSON text.

    Examples
    --------
    >>> column_of(("project", "phase")), path_of(column_of(("project", "phase")))
    ('["project", "phase"]', ('project', 'phase'))
    """
    return json.dumps(list(path))


def path_of(column: str) -> Path | None:
    """Return the path of such a field; None for a column of the contract."""
    return tuple(json.loads(column)) if column.startswith(_RAW) else None


def distinct(rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return flights and their bridge of rows that hold copies.

    Parameters
    ----------
    rows : pyarrow.Table
        As `FlightReader.take` returns them, of one or several takes.

    Returns
    -------
    flights : pyarrow.Table
        One row per flight id: of several copies the one with the newest ``updated_at``, and of
        equally new ones that of the first equipment id.
    bridge : pyarrow.Table
        ``flight_id, equipment_id``: one row per flight and piece of equipment.

    Examples
    --------
    >>> columns = {"flight_id": ["fl_1", "fl_1"], "equipment_id": ["eq_2", "eq_1"], "bvlos": [0, 1]}
    >>> rows = pa.table({**columns, "updated_at": pa.nulls(2, pa.timestamp("us"))})
    >>> flights, bridge = distinct(rows)
    >>> flights["bvlos"].to_pylist(), bridge.num_rows
    ([1], 2)
    """
    codes, count = codes_of(rows["flight_id"])
    pairs = rows.select(["flight_id", "equipment_id"])
    flights = rows.drop_columns(["equipment_id"])
    if count == rows.num_rows:
        return flights, pairs
    pieces = rows["equipment_id"].combine_chunks().dictionary_encode()
    rank = pc.rank(pieces.dictionary).to_numpy()[pieces.indices.to_numpy()]
    order = np.argsort(rank, kind="stable")
    retained, _, _ = copies(codes[order], rows["updated_at"].to_pandas().iloc[order])
    return (
        flights.take(pa.array(np.sort(order[retained]))),
        pairs.group_by(["flight_id", "equipment_id"]).aggregate([]),
    )


def codes_of(ids: pa.Array | pa.ChunkedArray) -> tuple[np.ndarray, int]:
    """Return a number for each row, the same for the same id, and how many ids there are."""
    if not len(ids):  # of which no dictionary can be made
        return np.zeros(0, dtype="int32"), 0
    encoded = pc.dictionary_encode(ids, memory_pool=pa.system_memory_pool())
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    return encoded.indices.to_numpy(), len(encoded.dictionary)


def copies(
    codes: np.ndarray, updated_at: pd.Series[Any]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose among rows with the same code: the newest, then the first.

    Returns
    -------
    retained, dropped, winners : arrays of int
        Rows to retain, in order; the others; and for each of these the row retained instead.
    """
    rows = np.arange(len(codes))
    age = -updated_at.astype("int64").to_numpy()
    age[updated_at.isna()] = np.iinfo(np.int64).max
    order = np.lexsort((rows, age, codes))
    best = order[np.flatnonzero(np.diff(codes[order], prepend=-1))]
    dropped = np.setdiff1d(rows, best, assume_unique=True)
    return np.sort(best), dropped, best[codes[dropped]]
