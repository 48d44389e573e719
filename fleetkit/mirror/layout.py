"""How a table lies in a mirror: its key, its row versions, its hashes.

Every row is a version: ``valid_from`` (when a sync first saw it so), ``valid_to`` (null while it
stands) and ``row_hash``. Flights lie in one partition for each month of ``flight_date`` (UTC).
Columns that the reference doesn't know are stored as text; their dtype stands in the sync's row.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit import tables
from fleetkit.errors import DataError, MirrorError

__all__ = [
    "DETAILS",
    "KEYS",
    "MONTH",
    "UNDATED",
    "Prepared",
    "fingerprint",
    "month_of",
    "prepare",
    "restore",
    "with_hash",
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
DETAILS = ("client_account_email", "crm_deal_name")
MONTH, UNDATED = "flight_month", "undated"
# A column of the service that bears a name of ours is stored under another: api_valid_from.
_OURS = re.compile(rf"(api_)*(valid_from|valid_to|row_hash|{MONTH})")
_TEXT = pa.large_string()
_EQUALS, _SEPARATOR = pa.scalar("=", _TEXT), pa.scalar("\x1f", _TEXT)


@dataclass(frozen=True)
class Prepared:
    """A frame as it will be stored, without its validity.

    Attributes
    ----------
    table : pyarrow.Table
        The contract's columns (projects always with their details), further columns as text,
        ``row_hash`` and, for flights, ``flight_month``.
    further : dict
        Stored name of a column that the reference doesn't know → its dtype in the frame.
    details : bool
        Whether the frame had a project's detail columns.
    """

    table: pa.Table
    further: dict[str, str]
    details: bool


def prepare(name: str, frame: pd.DataFrame) -> Prepared:
    """Cast a frame strictly and refuse keys that are null or stand twice.

    Raises
    ------
    MirrorError
        Null or duplicate keys, or a column that can't be read as the contract's dtype.
    """
    try:
        conformed = tables.conform(name, frame)
    except DataError as problem:
        raise MirrorError(f"Nothing was written: {problem.message}") from None
    _check_keys(name, conformed)
    details = set(DETAILS) <= set(conformed.columns)
    if name == "projects" and not details:
        conformed = tables.conform(name, conformed.assign(**dict.fromkeys(DETAILS)))
    table = tables.to_arrow(name, conformed)
    further = {}
    for column in conformed.columns[table.num_columns :]:
        stored = f"api_{column}" if _OURS.fullmatch(column) else column
        further[stored] = str(conformed[column].dtype)
        table = table.append_column(stored, _as_text(conformed[column]))
    if name == "flights":
        table = table.append_column(MONTH, _months(table["flight_date"]))
    return Prepared(with_hash(table), further, details)


def _check_keys(name: str, frame: pd.DataFrame) -> None:
    keys = frame[list(KEYS[name])]
    if keys.isna().any(axis=None):
        raise MirrorError(
            f"Nothing was written: table {name} has a row without {', '.join(KEYS[name])}."
        )
    twice = keys[keys.duplicated()]
    if len(twice):
        first = ", ".join(str(each) for each in twice.iloc[0])
        raise MirrorError(
            f"Nothing was written: table {name} has {first} twice ({len(twice)} such rows).",
            advice="Read the tables again; the list may have moved while it was read.",
        )


def _as_text(values: pd.Series) -> pa.Array:
    """Store any column as text: text as it is, other values as JSON."""
    if isinstance(values.dtype, pd.StringDtype):
        return pa.array(values, _TEXT)
    texts = [None if pd.isna(each) else _json(each) for each in values.tolist()]
    return pa.array(texts, _TEXT)


def _json(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, enc_hook=str).decode()


def _months(moments: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.strftime(moments, format="%Y-%m").cast(_TEXT).fill_null(UNDATED)


def month_of(moment: datetime) -> str:
    """Return the partition of a moment in UTC.

    Examples
    --------
    >>> month_of(datetime(2026, 10, 31, 23, 30))
    '2026-10'
    """
    return f"{moment.year:04d}-{moment.month:02d}"


def with_hash(table: pa.Table) -> pa.Table:
    """Append ``row_hash``: 64 bits over every value that isn't null, by column name.

    It depends on nothing but the values: a column of nulls more or less, another order of columns
    or another machine give the same hash.
    """
    known = table.drop_columns([each for each in ("row_hash", MONTH) if each in table.column_names])
    texts = [_hashable(each, known[each]) for each in sorted(known.column_names)]
    rows = pc.binary_join_element_wise(*texts, _SEPARATOR, null_handling="skip").to_pylist()
    digests = b"".join(hashlib.blake2b(each.encode(), digest_size=8).digest() for each in rows)
    hashes = pa.array(np.frombuffer(digests, "<i8").astype("int64"))
    rest = table.drop_columns(["row_hash"]) if "row_hash" in table.column_names else table
    return rest.append_column("row_hash", hashes)


def _hashable(name: str, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write values as ``name=text``, null where they are null; numbers by their bits."""
    values = values.combine_chunks()
    if pa.types.is_floating(values.type) or pa.types.is_timestamp(values.type):
        values = values.view(pa.int64())
    parts = [pa.scalar(name, _TEXT), values.cast(_TEXT)]
    if pa.types.is_large_string(values.type):  # its length, so that no text can look like two
        parts.insert(1, pc.binary_length(values).cast(_TEXT))
    return pc.binary_join_element_wise(*parts, _EQUALS)


def fingerprint(hashes: pa.ChunkedArray | np.ndarray) -> str:
    """Return one hash over all row hashes of a table, whatever their order."""
    ordered = np.sort(np.asarray(hashes, dtype="<i8"))
    return hashlib.sha256(ordered.tobytes()).hexdigest()


def restore(name: str, table: pa.Table, further: dict[str, str]) -> pd.DataFrame:
    """Turn stored columns back into the frame that was written, sorted by key.

    Columns of `further` that `table` lacks held nothing but nulls.
    """
    table = table.sort_by([(each, "ascending") for each in KEYS[name]])
    frame = tables.from_arrow(name, table)
    for stored, dtype in further.items():
        column = stored.removeprefix("api_") if _OURS.fullmatch(stored) else stored
        texts = table[stored].to_pylist() if stored in table.column_names else [None] * len(frame)
        frame[column] = _from_text(texts, dtype)
    return frame


def _from_text(texts: list[str | None], dtype: str) -> pd.Series:
    if dtype in {"float64", "boolean", "Int64"}:
        values = [None if each is None else msgspec.json.decode(each) for each in texts]
        return pd.Series(values, dtype=dtype)
    return pd.Series(texts, dtype="str")
