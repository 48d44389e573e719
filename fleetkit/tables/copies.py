"""Copies of one flight, which the service lists under each piece of equipment: one is retained."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit.columns import table_columns
from fleetkit.tables.records import Path

__all__ = [
    "COMPARED",
    "Differences",
    "Distinct",
    "codes_of",
    "column_of",
    "copies",
    "differences",
    "distinct",
    "path_of",
]

# Flight → piece of equipment whose list has a copy of it that differs → names of columns.
Differences: TypeAlias = dict[str, dict[str, list[str]]]
Values: TypeAlias = pa.ChunkedArray | pa.Array

# What copies are compared by; that one was updated later, or earlier, is no difference by itself.
COMPARED = tuple(
    column.name
    for column in table_columns("flights")
    if column.name not in {"flight_id", "updated_at"}
)

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


class Distinct(NamedTuple):
    """Which of some rows that hold copies are the flights, and which are their bridge.

    Attributes
    ----------
    retained : array of int
        One row per flight id, in order: of several copies the one with the newest ``updated_at``,
        and of equally new ones that of the first equipment id.
    pairs : array of int
        One row per flight and piece of equipment, in the order of flights: who reads both needn't
        join them.
    dropped, winners : array of int
        The rows that are not retained, and for each of these the one that is retained instead.
    """

    retained: np.ndarray
    pairs: np.ndarray
    dropped: np.ndarray
    winners: np.ndarray


def distinct(rows: pa.Table, keys: np.ndarray) -> Distinct:
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
    Distinct

    Examples
    --------
    >>> columns = {"flight_id": ["fl_1", "fl_2", "fl_1"], "equipment_id": ["eq_2", "eq_2", "eq_1"]}
    >>> rows = pa.table({**columns, "updated_at": pa.nulls(3, pa.timestamp("us"))})
    >>> retained, pairs, dropped, winners = distinct(rows, np.array([7, 8, 7]))
    >>> retained.tolist(), pairs.tolist(), dropped.tolist(), winners.tolist()
    ([1, 2], [1, 2, 0], [0], [2])
    """
    single, copied = _parted(keys)
    if not len(copied):
        return Distinct(np.sort(single), np.sort(single), copied, copied)
    # Of these few the texts are compared: different flights may have the same key.
    some = rows.select(["flight_id", "equipment_id", "updated_at"]).take(pa.array(copied))
    codes, _ = codes_of(some["flight_id"])
    pieces = some["equipment_id"].combine_chunks().dictionary_encode()
    rank = pc.rank(pieces.dictionary).to_numpy()[pieces.indices.to_numpy()]
    by_piece = np.argsort(rank, kind="stable")
    newest, dropped, winners = copies(
        codes[by_piece], some["updated_at"].to_pandas().iloc[by_piece]
    )
    chosen = by_piece[newest]
    retained_of = np.empty(len(chosen), dtype="int64")  # by the code of the flight
    retained_of[codes[chosen]] = copied[chosen]
    # A number for each flight and piece: one pair may stand in several rows too.
    pair = codes.astype("int64") * (len(pieces.dictionary) + 1) + rank.astype("int64")
    _, first = np.unique(pair, return_index=True)
    pairs = np.concatenate([single, copied[first]])
    flights_of_pairs = np.concatenate([single, retained_of[codes[first]]])
    return Distinct(
        np.sort(np.concatenate([single, copied[chosen]])),
        pairs[np.argsort(flights_of_pairs, kind="stable")],
        copied[by_piece[dropped]],
        copied[by_piece[winners]],
    )


def differences(
    flights: Values,
    pieces: Values,
    columns: Iterable[tuple[str, Values, Values]],
) -> Differences:
    """Say in which columns copies of flights differ from the ones that are retained.

    Parameters
    ----------
    flights, pieces : Arrow arrays of str
        Of each copy that isn't retained: its flight, and the piece of equipment whose list has it.
    columns : iterable of (str, Arrow array, Arrow array)
        One of `COMPARED`, its values in these copies, and in the ones that are retained instead.

    Returns
    -------
    dict
        Flight → piece of equipment whose list has a copy that differs → names of columns.

    Examples
    --------
    >>> seconds = pa.array([601, None]), pa.array([600, None])
    >>> copies_of = pa.array(["fl_1", "fl_2"]), pa.array(["eq_2", "eq_2"])
    >>> differences(*copies_of, [("duration_seconds", *seconds)])
    {'fl_1': {'eq_2': ['duration_seconds']}}
    """
    differing: Differences = {}
    for name, values, retained in columns:
        is_same = pc.fill_null(pc.equal(values, retained), fill_value=False)
        is_same = pc.or_(is_same, pc.and_(pc.is_null(values), pc.is_null(retained)))
        is_other = pc.invert(is_same)
        if not pc.any(is_other).as_py():
            continue
        pairs = (ids.filter(is_other).to_pylist() for ids in (flights, pieces))
        for flight, piece in zip(*pairs, strict=True):
            differing.setdefault(flight, {}).setdefault(piece, []).append(name)
    return differing


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
