"""The lenient path: page bytes → records → columns, one value at a time.

It reads what Arrow refuses (numbers as text, whole numbers as 120.0, times without a zone) and
keeps what the reference doesn't know. It costs several times as much as the fast path, and gives
the same columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from fleetkit.columns import Column
from fleetkit.errors import DataError
from fleetkit.interface import CORRECT_IT, brief, shortened
from fleetkit.lettering import whole
from fleetkit.notices import NotInReference, notify
from fleetkit.schema import ENDPOINTS, Record, is_identifier
from fleetkit.tables.values import READERS, json_text, parse, shown

__all__ = [
    "ARROW_TYPES",
    "Columns",
    "Path",
    "columns_of",
    "data_of",
    "encodable",
    "id_of",
    "records_of",
    "wrong_value",
]

Path = tuple[str, ...]

_READ_BY_ID = {endpoint.record.name for endpoint in ENDPOINTS.values() if not endpoint.many}
ARROW_TYPES = {
    "str": pa.large_string(),
    "category": pa.large_string(),
    "Int64": pa.int64(),
    "float64": pa.float64(),
    "boolean": pa.bool_(),
    "datetime64[us, UTC]": pa.timestamp("us", "UTC"),
}


@dataclass
class Columns:
    """Decoded records.

    Attributes
    ----------
    known : dict of str → pyarrow.ChunkedArray
        The contract's columns, one row per record.
    unknown : dict
        Path of a field that the reference doesn't know → its values as JSON text, one per row.
    """

    known: dict[str, pa.ChunkedArray]
    unknown: dict[Path, pa.Array] = field(default_factory=dict)


def data_of(body: bytes) -> Any:
    """Return what is under ``data`` in an answer.

    Raises
    ------
    DataError
        The body is not a JSON object with ``data``, or a field is in it twice and differs.
    """
    try:
        answer = parse(body.decode("utf-8-sig"))
    except DataError:
        raise
    except ValueError as problem:
        raise DataError(f"An answer is not JSON that can be read: {problem}.") from None
    if not isinstance(answer, dict) or "data" not in answer:
        raise DataError("An answer is not an object with a field data (reference, section 4.1).")
    return answer["data"]


def records_of(pages: Iterable[bytes], what: str) -> list[dict[str, Any]]:
    """Return the records of all pages of a list.

    Parameters
    ----------
    pages : iterable of bytes
        Whole answers.
    what : str
        Kind of record, for messages.
    """
    records: list[dict[str, Any]] = []
    for page in pages:
        data = data_of(page)
        if not isinstance(data, list):
            raise DataError(f"A list of {what} records has {shown(data)} where its list should be.")
        records += data
    for number, item in enumerate(records, 1):
        if not isinstance(item, dict):
            raise DataError(f"{what} record {number} is {shown(item)}, which is not an object.")
    return records


def columns_of(
    records: list[dict[str, Any]], record: Record, columns: tuple[Column, ...]
) -> Columns:
    """Read records into columns.

    Parameters
    ----------
    records : list of dict
        As `records_of` gives them.
    record : Record
        Their kind.
    columns : tuple of Column
        Columns to read; those without a path are left out.

    Raises
    ------
    DataError
        A value that can't be read; the message names record and field.
    """
    objects = record.objects
    for item in records:
        id_of(item, record)
        for name in objects:
            if not isinstance(item.get(name), (dict, type(None))):
                raise wrong_value(record, item, name, item[name], "is not an object")
    known = {
        column.name: pa.chunked_array(
            [pa.array(_values(records, record, column), ARROW_TYPES[column.dtype])]
        )
        for column in columns
        if column.path
    }
    return Columns(known, _unknown(records, record))


def id_of(given: dict[str, Any], record: Record) -> str:
    """Return a record's id as text; DataError where it has none."""
    if given.get("id") is None:
        raise DataError(f"{record.name}: a record has no id: {shown(given)}.", advice=CORRECT_IT)
    if isinstance(given["id"], (dict, list)):
        raise wrong_value(record, given, "id", given["id"], "is not a text")
    text = encodable(READERS["str"](given["id"]), "id")
    if record.name in _READ_BY_ID and not is_identifier(text):
        raise DataError(
            f"{record.name}: {brief(text)} is not an identifier: {shown(given)}.",
            advice=CORRECT_IT,
        )
    return text


def _values(records: list[dict[str, Any]], record: Record, column: Column) -> list[Any]:
    read = READERS[column.dtype]
    name, *inner = column.path
    values = []
    for item in records:
        value = item.get(name)
        if inner and value is not None:
            value = value.get(inner[0])
        if value is not None:
            try:
                value = read(value)
            except ValueError as problem:
                raise wrong_value(
                    record, item, ".".join(column.path), value, str(problem)
                ) from None
        values.append(value)
    if column.dtype in {"str", "category"}:
        return [text if text is None else encodable(text, column.name) for text in values]
    return values


def encodable(text: str, name: str) -> str:
    """Replace halves of surrogate pairs by U+FFFD, with a notice: UTF-8 can't hold them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        notify(
            f"A text in column {shortened(name)} holds half a character (a lone surrogate); "
            "it is shown as \N{REPLACEMENT CHARACTER}.",
            NotInReference,
        )
        return whole(text)
    return text


def _unknown(records: list[dict[str, Any]], record: Record) -> dict[Path, pa.Array]:
    known = record.field_names
    known_inside = {name: inner.field_names for name, inner in record.objects.items()}
    unknown: dict[Path, list[str | None]] = {}

    def add(path: Path, row: int, value: Any) -> None:
        texts = unknown.setdefault(tuple(map(whole, path)), [None] * len(records))
        texts[row] = None if value is None else json_text(value)

    for row, item in enumerate(records):
        for name in item.keys() - known:
            add((name,), row, item[name])
        for name, fields in known_inside.items():
            for inner in (item.get(name) or {}).keys() - fields:
                add((name, inner), row, item[name][inner])
    return {path: pa.array(texts, pa.large_string()) for path, texts in unknown.items()}


def wrong_value(
    record: Record, given: dict[str, Any], name: str, value: Any, why: str
) -> DataError:
    """Return the error for a record with a value that can't be read."""
    return DataError(
        f"{record.name} {shortened(str(given.get('id')))}: {name} is {shown(value)}, which {why}.",
        advice=CORRECT_IT,
    )
