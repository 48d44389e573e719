"""The fast path: pages of flights → columns by Arrow's JSON reader, without Python values.

Arrow refuses what isn't exactly as declared, and `decode` refuses the little that Arrow still
accepts; the caller then takes the lenient path, which reads it or says what is wrong.
"""

from __future__ import annotations

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as arrow_json

from fleetkit.columns import table_columns
from fleetkit.schema import FLIGHT, Record
from fleetkit.tables.raw import RawFields
from fleetkit.tables.records import ARROW_TYPES, Columns, Path

__all__ = ["decode"]

_COLUMNS = table_columns("flights")
_TYPES = {column.path: ARROW_TYPES[column.dtype] for column in _COLUMNS}


def _struct(record: Record, path: Path = ()) -> pa.StructType:
    return pa.struct(
        [
            (field.name, _struct(field.record, (field.name,)))
            if field.record is not None
            else (field.name, _TYPES[*path, field.name])
            for field in record.fields
        ]
    )


_FLIGHT = _struct(FLIGHT)
_DATA = ("data", pa.list_(_FLIGHT))
_PAGINATION = pa.struct(
    [("page", pa.int64()), ("limit", pa.int64()), ("total", pa.int64()), ("hasMore", pa.bool_())]
)
# Arrow would infer unknown fields too, but it builds broken arrays of some (a list of nulls).
_EXACT = arrow_json.ParseOptions(
    explicit_schema=pa.schema(
        [("success", pa.bool_()), _DATA, ("meta", pa.struct([("pagination", _PAGINATION)]))]
    ),
    unexpected_field_behavior="error",
)
_KNOWN_ONLY = arrow_json.ParseOptions(
    explicit_schema=pa.schema([_DATA]), unexpected_field_behavior="ignore"
)
# Arrow decodes blocks of whole lines side by side.
_BLOCK = 1 << 21
# Years 1 to 9999, as Python knows them. [us since 1970]
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999


def decode(pages: list[bytes], unknown: RawFields) -> tuple[Columns, list[int]] | None:
    """Decode pages of flights.

    Parameters
    ----------
    pages : list of bytes
        Whole answers.
    unknown : RawFields
        Takes the fields that the reference doesn't know, once there were any.

    Returns
    -------
    tuple of Columns and list of int, or None
        The flights of all pages, and how many each page holds. None where a page isn't as the
        reference has it: the lenient path decides.
    """
    exact = None if unknown.expected else _known(pages, _EXACT)
    if exact is not None:
        return exact
    known = _known(pages, _KNOWN_ONLY)
    if known is None:
        return None
    columns, counts = known
    try:
        columns.unknown = unknown.texts(pages)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    unknown.expected = True  # what a service adds once, it adds to every page
    return columns, counts


def _known(
    pages: list[bytes], parsing: arrow_json.ParseOptions
) -> tuple[Columns, list[int]] | None:
    """Return the known columns, and how many flights each page holds."""
    try:
        lists = _read(pages, parsing).column("data")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    if len(lists) != len(pages) or lists.null_count:
        return None
    known = _flatten(lists)
    if not _is_valid(known):
        return None
    columns = dict(zip(known.column_names, known.columns, strict=True))
    counts = [count for chunk in lists.chunks for count in chunk.value_lengths().to_pylist()]
    return Columns(columns), counts


def _read(pages: list[bytes], parsing: arrow_json.ParseOptions) -> pa.Table:
    # A page printed over several lines can't be cut at line ends: all is one block then.
    lines = [page.strip() for page in pages]
    has_line_ends = any(b"\n" in line for line in lines)
    joined = b"\n".join(lines)
    block = len(joined) + 1 if has_line_ends else max(_BLOCK, *(len(line) + 2 for line in lines))
    return arrow_json.read_json(
        pa.BufferReader(joined),
        read_options=arrow_json.ReadOptions(block_size=block),
        parse_options=parsing,
        memory_pool=pa.system_memory_pool(),  # a third less time at first use than Arrow's own
    )


def _flatten(lists: pa.ChunkedArray) -> pa.Table:
    arrays: dict[Path, list[pa.Array]] = {column.path: [] for column in _COLUMNS}
    for chunk in lists.chunks:
        for path, array in _leaves(chunk.flatten()):
            is_number = pa.types.is_floating(array.type)
            arrays[path].append(pc.add(array, 0.0) if is_number else array)  # no -0.0
    return pa.table({column.name: pa.chunked_array(arrays[column.path]) for column in _COLUMNS})


def _leaves(flights: pa.StructArray, path: Path = ()) -> list[tuple[Path, pa.Array]]:
    leaves: list[tuple[Path, pa.Array]] = []
    for field, array in zip(flights.type, flights.flatten(), strict=True):
        here = (*path, field.name)
        leaves += _leaves(array, here) if pa.types.is_struct(field.type) else [(here, array)]
    return leaves


def _is_valid(known: pa.Table) -> bool:
    """Whether there is no value that Arrow reads and the contract refuses."""
    try:
        known.validate(full=True)
    except pa.ArrowInvalid:  # text that is not UTF-8
        return False
    if known["flight_id"].null_count:
        return False
    for column in _COLUMNS:
        array = known[column.name]
        if column.dtype == "float64" and pc.all(pc.is_finite(array)).as_py() is False:
            return False  # NaN and Infinity are not JSON
        if column.dtype.startswith("datetime64"):
            ends = pc.min_max(array.cast(pa.int64())).as_py()
            if ends["min"] is not None and not _FIRST <= ends["min"] <= ends["max"] <= _LAST:
                return False
    return True
