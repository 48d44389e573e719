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


def distinct(rows: pa.Table, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Say which of some rows that hold copies are the flights, and which are their bridge.

    Parameters
    ----------
    rows : pyarrow.Table
        As `FlightReader.take` returns them, of one or several takes.
    keys : array of int64
        A number for each row: the same for the same flight id, and another one for nearly all
        others.

    Returns
    -------
    retained : array of int
        One row per flight id, in order: of several copies the one with the newest ``updated_at``,
        and of equally new ones that of the first equipment id.
    pairs : array of int
        One row per flight and piece of equipment, in the order of flights: who reads both needn't
        join them.

    Examples
    --------
    >>> columns = {"flight_id": ["fl_1", "fl_2", "fl_1"], "equipment_id": ["eq_2", "eq_2", "eq_1"]}
    >>> rows = pa.table({**columns, "updated_at": pa.nulls(3, pa.timestamp("us"))})
    >>> retained, pairs = distinct(rows, np.array([7, 8, 7]))
    >>> retained.tolist(), pairs.tolist()
    ([1, 2], [1, 2, 0])
    """
    single, copied = _parted(keys)
    if not len(copied):
        return np.sort(single), np.sort(single)
    # Of these few the texts are compared: different flights may have the same key.
    some = rows.select(["flight_id", "equipment_id", "updated_at"]).take(pa.array(copied))
    codes, _ = codes_of(some["flight_id"])
    pieces = some["equipment_id"].combine_chunks().dictionary_encode()
    rank = pc.rank(pieces.dictionary).to_numpy()[pieces.indices.to_numpy()]
    by_piece = np.argsort(rank, kind="stable")
    newest, _, _ = copies(codes[by_piece], some["updated_at"].to_pandas().iloc[by_piece])
    chosen = by_piece[newest]
    retained_of = np.empty(len(chosen), dtype="int64")  # by the code of the flight
    retained_of[codes[chosen]] = copied[chosen]
    # A number for each flight and piece: one pair may stand in several rows too.
    pair = codes.astype("int64") * (len(pieces.dictionary) + 1) + rank.astype("int64")
    _, first = np.unique(pair, return_index=True)
    pairs = np.concatenate([single, copied[first]])
    flights_of_pairs = np.concatenate([single, retained_of[codes[first]]])
    return (
        np.sort(np.concatenate([single, copied[chosen]])),
        pairs[np.argsort(flights_of_pairs, kind="stable")],
    )


def _parted(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows whose key no other row has, by their keys, and the others in order."""
    order = np.argsort(keys, kind="stable")
    is_repeated = np.diff(keys[order]) == 0
    is_copy = np.zeros(len(keys), bool)
    is_copy[1:] |= is_repeated
    is_copy[:-1] |= is_repeated
    return order[~is_copy], np.sort(order[is_copy])


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
    rows = np.flatnonzero(np.bincount(codes)[codes] > 1)  # few: a sort of all takes longer
    age = -updated_at.iloc[rows].astype("int64").to_numpy()
    age[updated_at.iloc[rows].isna()] = np.iinfo(np.int64).max
    order = np.lexsort((age, codes[rows]))  # stable: of equally new ones the first stays first
    best = rows[order[np.flatnonzero(np.diff(codes[rows][order], prepend=-1))]]
    is_retained = np.ones(len(codes), bool)
    is_retained[rows] = False
    is_retained[best] = True
    dropped = np.flatnonzero(~is_retained)
    winners = best[np.searchsorted(codes[best], codes[dropped])]
    return np.flatnonzero(is_retained), dropped, winners
