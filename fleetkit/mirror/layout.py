"""How a table is stored in a mirror: its key, its row versions, and their hashes.

Every row is a version: ``valid_from`` (when a sync first saw it so), ``valid_to`` (null while it
is current) and ``row_hash``, 64 bits over its values. A table's fingerprint is a sum of its rows'
hashes, so it doesn't depend on their order, and unchanged rows needn't be read again. Flights and
their bridge have one partition for each month of ``flight_date`` (UTC). Columns that the reference
doesn't know are stored as text; their dtype is in the sync's row.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit import tables
from fleetkit.columns import DETAIL_COLUMNS
from fleetkit.errors import DataError, MirrorError

__all__ = [
    "COUNTERS",
    "CURRENT",
    "KEYS",
    "MONTH",
    "MONTH_IN_LOG",
    "PARTITIONED",
    "PROJECT_DETAILS",
    "TIME",
    "VALIDITY",
    "Prepared",
    "Sum",
    "as_stored",
    "as_text",
    "column_of",
    "hashed",
    "hashes_of_values",
    "last_month",
    "month_of",
    "months_of",
    "partition_of",
    "prepare",
    "prepare_all",
    "restore",
    "restore_scanned",
    "row_hashes",
    "stored_name",
    "text_hashes",
    "with_months",
    "without_point",
]

KEYS: dict[str, tuple[str, ...]] = {
    "equipment": ("equipment_id",),
    "flights": ("flight_id",),
    "flight_equipment": ("flight_id", "equipment_id"),
    "projects": ("project_id",),
    "services": ("service_id",),
    "tiers": ("service_id", "tier_id"),
    "specifications": ("equipment_id", "name"),
}
# What counts a piece's flights; with the time of its last change, the fingerprint of them.
COUNTERS = ("total_flights", "total_flight_hours")
MONTH, UNDATED = "flight_month", "undated"
# What a table's log calls it, of each file.
MONTH_IN_LOG = f"partition.{MONTH}"
PARTITIONED = ("flights", "flight_equipment")
CURRENT = "valid_to IS NULL"
# A column of the service that has a name of ours is stored under another one: api_valid_from.
_OURS = re.compile(rf"(api_)*(valid_from|valid_to|row_hash|{MONTH})")
VALIDITY = ("valid_from", "valid_to")
TIME = pa.timestamp("us", "UTC")
# Key of the projects that were read by id, beside the list of all projects.
PROJECT_DETAILS = "project_details"
NOTHING_KNOWN: Mapping[str, np.ndarray] = {}
_TEXT = pa.large_string()


@dataclass(frozen=True)
class Prepared:
    """A frame as it will be stored, without its validity.

    Attributes
    ----------
    table : pyarrow.Table
        The contract's columns (projects always with their details), further columns as text,
        ``row_hash`` and, for flights and their bridge, ``flight_month``.
    further : dict
        Stored name of a column that the reference doesn't know → its dtype in the frame.
    details : bool
        Whether the frame had a project's detail columns.
    """

    table: pa.Table
    further: dict[str, str]
    details: bool


def partition_of(name: str) -> list[str]:
    """Return the columns that part a table's files."""
    return [MONTH] if name in PARTITIONED else []


def prepare_all(frames: Mapping[str, pd.DataFrame]) -> dict[str, Prepared]:
    """Cast frames strictly; the bridge gets the months of its flights.

    Raises
    ------
    MirrorError
        As `prepare` does.
    """
    prepared = {
        key: prepare("projects" if key == PROJECT_DETAILS else key, frame)
        for key, frame in frames.items()
    }
    if "flight_equipment" in prepared:
        bridge, flights = prepared["flight_equipment"].table, prepared["flights"].table
        prepared["flight_equipment"] = Prepared(with_months(bridge, flights), {}, False)
    return prepared


def with_months(bridge: pa.Table, flights: pa.Table) -> pa.Table:
    """Return bridge rows with the month of their flight."""
    place = pc.index_in(bridge["flight_id"], flights["flight_id"])
    months = flights[MONTH].combine_chunks().take(place.combine_chunks()).fill_null(UNDATED)
    return hashed(bridge.append_column(MONTH, months))


def prepare(name: str, frame: pd.DataFrame) -> Prepared:
    """Cast a frame strictly and refuse keys that are null or occur twice.

    Raises
    ------
    MirrorError
        Null or duplicate keys, or a column that can't be read as the contract's dtype.
    """
    try:
        conformed = tables.conform(name, frame)
    except DataError as problem:
        raise MirrorError(f"Nothing was written: {problem.message}") from None
    details = set(DETAIL_COLUMNS) <= set(conformed.columns)
    if name == "projects" and not details:
        conformed = tables.conform(name, conformed.assign(**dict.fromkeys(DETAIL_COLUMNS)))
    table = tables.to_arrow(name, conformed)
    _check_keys(name, table.select(KEYS[name]))
    further = {}
    for column in conformed.columns[table.num_columns :]:
        stored = stored_name(column)
        further[stored] = str(conformed[column].dtype)
        table = table.append_column(stored, as_text(conformed[column]))
    if name == "flights":
        table = table.append_column(MONTH, months_of(table["flight_date"]))
    return Prepared(hashed(table), further, details)


def hashed(table: pa.Table, known: Mapping[str, np.ndarray] = NOTHING_KNOWN) -> pa.Table:
    """Return rows with their ``row_hash``, over every column that doesn't follow from another one.

    A flight's month follows from its date; in the bridge it doesn't follow from anything. `known`
    is as for `row_hashes`.
    """
    rest = table.drop_columns(["row_hash"]) if "row_hash" in table.column_names else table
    return rest.append_column("row_hash", pa.array(hashes_of_values(rest, known)))


def hashes_of_values(
    table: pa.Table, known: Mapping[str, np.ndarray] = NOTHING_KNOWN
) -> np.ndarray:
    """Return the hash of each row's values, be they read or stored with their validity."""
    names = set(table.column_names) - {"row_hash", *VALIDITY}
    if "flight_date" in names:
        names.discard(MONTH)
    return row_hashes(table.select(sorted(names)), known)


def as_stored(rows: pa.Table, stored: pa.Schema) -> pa.Table:
    """Return rows with the types that their table has.

    A field that the service sent before the reference knew it is stored as text, and stays so.
    """
    kinds = {field.name: field.type for field in stored}
    texts = [
        field.name
        for field in rows.schema
        if _is_text(kinds.get(field.name, field.type)) and not _is_text(field.type)
    ]
    for name in texts:
        # Numbers of an unknown field were read as floats.
        kind = pa.float64() if pa.types.is_integer(rows[name].type) else rows[name].type
        values = rows[name].cast(kind).to_pandas(types_mapper={pa.float64(): pd.Float64Dtype()}.get)
        rows = rows.set_column(rows.column_names.index(name), name, as_text(values))
    return hashed(rows) if texts and "row_hash" in rows.column_names else rows


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _check_keys(name: str, keys: pa.Table) -> None:
    if any(column.null_count for column in keys.columns):
        raise MirrorError(
            f"Nothing was written: table {name} has a row without {', '.join(KEYS[name])}."
        )
    groups = keys.group_by(keys.column_names, use_threads=False).aggregate([([], "count_all")])
    if groups.num_rows < keys.num_rows:
        repeated = groups.filter(pc.greater(groups["count_all"], 1)).select(keys.column_names)
        first = ", ".join(repeated.slice(0, 1).to_pylist()[0].values())
        raise MirrorError(
            f"Nothing was written: table {name} has {first} twice "
            f"({keys.num_rows - groups.num_rows} such rows).",
            advice="Read the tables again; the list may have moved while it was read.",
        )


def stored_name(column: str) -> str:
    """Return the name under which a column that the reference doesn't know is stored.

    Examples
    --------
    >>> stored_name("cells"), stored_name("row_hash")
    ('cells', 'api_row_hash')
    """
    return f"api_{column}" if _OURS.fullmatch(column) else column


def column_of(stored: str) -> str:
    """Return the column that is stored under a name, among those that the reference doesn't know.

    Examples
    --------
    >>> column_of("api_cells"), column_of("api_row_hash")
    ('api_cells', 'row_hash')
    """
    return stored.removeprefix("api_") if _OURS.fullmatch(stored) else stored


def as_text(values: pd.Series) -> pa.Array:
    """Store any column as text: text as it is, other values as JSON."""
    if isinstance(values.dtype, pd.StringDtype):
        return pa.array(values, _TEXT)
    texts = [None if pd.isna(value) else _json(value) for value in values.tolist()]
    return pa.array(texts, _TEXT)


def _json(value: Any) -> str:
    if isinstance(value, datetime):  # as the service writes it
        return f"{value:%Y-%m-%dT%H:%M:%S}.{value.microsecond // 1000:03d}Z"
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()


def without_point(numbers: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Return numbers as a service mostly writes them beside texts: 6, not 6.0.

    Examples
    --------
    >>> without_point(pa.array(["6.0", "6.5", "10", "dry", None])).to_pylist()
    ['6', '6.5', '10', 'dry', None]
    """
    return pc.replace_substring_regex(numbers, r"\.0$", "")


def months_of(moments: pa.ChunkedArray) -> pa.Array:
    """Return the month of each moment as text: few distinct ones, so each is written once."""
    numbers = pc.add(pc.multiply(pc.year(moments), 100), pc.month(moments)).combine_chunks()
    encoded = numbers.dictionary_encode()
    names = [f"{number // 100:04d}-{number % 100:02d}" for number in encoded.dictionary.to_pylist()]
    return pa.array(names, _TEXT).take(encoded.indices).fill_null(UNDATED)


def month_of(moment: datetime) -> str:
    """Return the partition of a moment in UTC.

    Examples
    --------
    >>> month_of(datetime(2026, 10, 31, 23, 30))
    '2026-10'
    """
    return f"{moment.year:04d}-{moment.month:02d}"


def last_month(until: datetime) -> str:
    """Return the partition of the last moment before `until`, UTC."""
    return month_of(until - timedelta(microseconds=1))


def restore(
    name: str, table: pa.Table, further: dict[str, str], *, in_order: bool = True
) -> pd.DataFrame:
    """Turn stored columns back into the frame that was written, sorted by key.

    Columns that `table` lacks held nothing but nulls: of `further`, and of the contract where the
    reference gained a field since. Sorting texts takes longer than reading them: `in_order=False`
    leaves it to the caller.
    """
    if in_order:
        table = table.sort_by([(key, "ascending") for key in KEYS[name]])
    frame = tables.from_arrow(name, table)
    for stored, dtype in further.items():
        column = column_of(stored)
        if column in frame:  # the reference knows it by now
            continue
        texts = table[stored].to_pylist() if stored in table.column_names else [None] * len(frame)
        frame[column] = _from_text(texts, dtype)
    return frame


def restore_scanned(name: str, rows: pa.Table, further: Mapping[str, str]) -> pd.DataFrame:
    """Turn rows that an engine read into the frame that was written, in their order."""
    frame = tables.from_arrow(name, rows)
    for stored, dtype in further.items():
        column = column_of(stored)
        if column not in frame:
            is_there = column in rows.column_names
            values = rows[column].to_pylist() if is_there else [None] * len(frame)
            frame[column] = pd.Series(values, dtype=dtype)
    return frame


def _from_text(texts: list[str | None], dtype: str) -> pd.Series:
    if dtype in {"float64", "boolean", "Int64"}:
        values = [None if text is None else msgspec.json.decode(text) for text in texts]
        return pd.Series(values, dtype=dtype)
    return pd.Series(texts, dtype="str")


_LANE = 1 << 64


def row_hashes(table: pa.Table, known: Mapping[str, np.ndarray] = NOTHING_KNOWN) -> np.ndarray:
    """Return 64 bits over the values of each row, as int64.

    A value counts under its column's name, a null not at all: a column of nulls more or less, or
    another order of columns, give the same hash.

    Parameters
    ----------
    table : pyarrow.Table
        The rows.
    known : dict of str → array of int64, optional
        Columns of texts without nulls whose `text_hashes` were made before.

    Examples
    --------
    >>> first = pa.table({"a": ["x", "y"], "b": [1, None]})
    >>> row_hashes(first).tolist() == row_hashes(first.select(["b", "a"])).tolist()
    True
    """
    total = np.zeros(table.num_rows, dtype="uint64")
    for name in table.column_names:
        (salt,) = _of_texts([name])
        if name in known:
            total += _salted(known[name].view("uint64"), salt)
        else:
            total += _hashes_of_column(table[name].combine_chunks(), salt)
    return _mixed(total).view("int64")


def text_hashes(texts: pa.Array) -> np.ndarray:
    """Return 64 bits over each of some texts that are mostly different, as int64."""
    return _of_texts(texts.to_pylist()).view("int64")


def _hashes_of_column(values: pa.Array, salt: np.uint64) -> np.ndarray:
    """Return the hashes of a column's values under its name; 0 for nulls."""
    if pa.types.is_large_string(values.type) or pa.types.is_string(values.type):
        encoded = values.dictionary_encode()  # few texts occur often
        hashes = _salted(_of_texts(encoded.dictionary.to_pylist()), salt)
        places: np.ndarray = encoded.indices.fill_null(len(hashes)).to_numpy()
        return np.take(np.append(hashes, np.uint64(0)), places)
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.int64())
    bits: np.ndarray = values.view(pa.int64()).fill_null(0).to_numpy()
    hashes = _salted(bits.view("uint64"), salt)
    if values.null_count:
        hashes[values.is_null().to_numpy(zero_copy_only=False)] = 0
    return hashes


def _of_texts(texts: list[str]) -> np.ndarray:
    digests = [hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), "<u8").astype("uint64")


def _salted(bits: np.ndarray, salt: np.uint64) -> np.ndarray:
    return _mixed(_mixed(bits) ^ salt)


def _mixed(bits: np.ndarray) -> np.ndarray:
    """Spread every bit over all 64 (the finaliser of SplitMix64)."""
    spread: np.ndarray = bits ^ (bits >> np.uint64(30))
    spread *= np.uint64(0xBF58476D1CE4E5B9)
    spread ^= spread >> np.uint64(27)
    spread *= np.uint64(0x94D049BB133111EB)
    spread ^= spread >> np.uint64(31)
    return spread


@dataclass(frozen=True)
class Sum:
    """Row hashes added up: how many there are, and the two halves of their fingerprint.

    Examples
    --------
    >>> (Sum.of(np.array([1, 2])) - Sum.of(np.array([2]))) == Sum.of(np.array([1]))
    True
    """

    rows: int = 0
    upper: int = 0
    lower: int = 0

    @classmethod
    def of(cls, hashes: np.ndarray) -> Sum:
        """Return the sum of some row hashes."""
        upper, lower = _lanes(hashes)
        return cls(len(hashes), int(upper.sum(dtype="uint64")), int(lower.sum(dtype="uint64")))

    @classmethod
    def pinned(cls, rows: int, fingerprint: str) -> Sum:
        """Return the sum that has this fingerprint."""
        return cls(rows, *divmod(int(fingerprint or "0", 16), _LANE))

    @classmethod
    def by(cls, keys: np.ndarray, hashes: np.ndarray) -> dict[int, Sum]:
        """Return key → the sum of the row hashes that have it."""
        unique, positions = np.unique(keys, return_inverse=True)
        lanes = np.zeros((2, len(unique)), dtype="uint64")
        for total, lane in zip(lanes, _lanes(hashes), strict=True):
            np.add.at(total, positions, lane)
        rows = np.bincount(positions, minlength=len(unique))
        sums = zip(unique.tolist(), rows.tolist(), *lanes.tolist(), strict=True)
        return {key: cls(*total) for key, *total in sums}

    def __add__(self, other: Sum) -> Sum:
        upper, lower = self.upper + other.upper, self.lower + other.lower
        return Sum(self.rows + other.rows, upper % _LANE, lower % _LANE)

    def __sub__(self, other: Sum) -> Sum:
        upper, lower = self.upper - other.upper, self.lower - other.lower
        return Sum(self.rows - other.rows, upper % _LANE, lower % _LANE)

    @property
    def fingerprint(self) -> str:
        """The 128 bits, as text."""
        return f"{self.upper:016x}{self.lower:016x}"


def _lanes(hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    bits = hashes.astype("int64").view("uint64")
    return _mixed(bits), _mixed(~bits)
