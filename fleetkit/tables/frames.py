"""Columns → DataFrames with the contract's columns and dtypes."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit import memory
from fleetkit.columns import DETAIL_COLUMNS, Column, table_columns
from fleetkit.errors import DataError
from fleetkit.interface import brief, shortened
from fleetkit.notices import NotInReference, notify
from fleetkit.tables.records import ARROW_TYPES
from fleetkit.tables.values import READERS

__all__ = [
    "conform",
    "empty",
    "from_arrow",
    "give_notice",
    "to_arrow",
    "to_pandas",
    "unknown_tokens",
]

# Rows from which on memory is given back column by column: of fewer it takes longer than it helps.
MUCH = 200_000
# Values beyond the reference that are named one by one.
MOST_NAMED = 5

_PANDAS_TYPES = {
    pa.int64(): pd.Int64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
    pa.large_string(): pd.StringDtype(na_value=np.nan),
}


def empty(name: str, *, detail: bool = False) -> pd.DataFrame:
    """Return a table without rows: the contract's columns and dtypes.

    Parameters
    ----------
    name : str
        One of the seven tables: one of `fleetkit.schema.TABLES`.
    detail : bool
        Projects only: include ``client_account_email`` and ``crm_deal_name``.

    Examples
    --------
    >>> empty("tiers")[["tier_id", "tier_level"]].dtypes.astype(str).tolist()
    ['str', 'Int64']
    """
    expected = table_columns(name, detail=detail)
    return to_pandas({column.name: _nulls(column, 0) for column in expected}, expected)


def _expected(name: str, labels: Iterable[str]) -> tuple[Column, ...]:
    """Return the contract's columns of a table; with details, where it has one of them."""
    return table_columns(name, detail=not set(DETAIL_COLUMNS).isdisjoint(labels))


def _nulls(column: Column, rows: int) -> pa.ChunkedArray:
    return pa.chunked_array([pa.nulls(rows, ARROW_TYPES[column.dtype])])


def to_pandas(
    known: dict[str, pa.ChunkedArray], expected: tuple[Column, ...], *, warn: bool = True
) -> pd.DataFrame:
    """Turn columns of the Arrow types that the contract's dtypes have into a DataFrame.

    Takes them out of `known` one by one, so that memory never holds the whole table twice. Warns
    once for each closed set that holds unknown tokens (`NotInReference`).

    Raises
    ------
    DataError
        pandas is told to treat texts as it did before its version 3.
    """
    _check_texts()
    series: dict[str, Any] = {}
    for column in expected:
        series[column.name] = _values(known.pop(column.name), column, warn=warn)
        if len(series[column.name]) >= MUCH:
            memory.release_unused()
    return pd.DataFrame(series, copy=False)


def _check_texts() -> None:
    """Refuse the pandas that makes texts of missing values: each would count as one called nan."""
    if not isinstance(pd.api.types.pandas_dtype("str"), pd.StringDtype):
        raise DataError(
            "pandas turns missing texts into nan, as its option future.infer_string is False.",
            advice="Set pd.options.future.infer_string = True, and take the variable "
            "PANDAS_FUTURE_INFER_STRING out of the environment.",
        )


def _values(array: pa.ChunkedArray | pa.Array, column: Column, *, warn: bool) -> Any:
    pool = pa.system_memory_pool()
    if pa.types.is_large_string(array.type):  # in many pieces every later look-up is slow
        array = pa.concat_arrays(array.chunks or [pa.array([], array.type)], memory_pool=pool)
    if column.dtype == "category":
        return _categorical(array, column, warn=warn)
    return array.to_pandas(types_mapper=_PANDAS_TYPES.get, memory_pool=pool)


def _categorical(tokens: pa.Array, column: Column, *, warn: bool) -> pd.Categorical:
    """Order tokens as the reference does, the ones that it doesn't know last."""
    unknown = unknown_tokens(tokens, column)
    if warn:
        give_notice(column.name, unknown)
    order = [*column.values, *unknown]
    codes = pc.index_in(tokens, value_set=pa.array(order, tokens.type)).fill_null(-1)
    return pd.Categorical.from_codes(codes.to_numpy(), pd.Index(order, dtype="str"), ordered=True)


def unknown_tokens(tokens: pa.Array | pa.ChunkedArray, column: Column) -> list[str]:
    """Return the values of a closed set that the reference doesn't know."""
    return sorted(set(tokens.unique().to_pylist()) - {None} - set(column.values))


def give_notice(column: str, unknown: list[str]) -> None:
    """Give notice of values that the reference doesn't know, of a few one by one."""
    are_few = len(unknown) <= MOST_NAMED
    for tokens in [[token] for token in unknown] if are_few else [unknown]:
        # Blanks at the ends are seen in quotation marks only.
        named = ", ".join(
            brief(token) if token.strip() != token or not token else shortened(token)
            for token in tokens[:MOST_NAMED]
        )
        description = (
            f"{named}, which the reference doesn't know"
            if are_few
            else f"{len(tokens):,} values that the reference doesn't know, such as {named}"
        )
        notify(
            f"{column} holds {description}; kept, after the known values.",
            NotInReference,
            about=("tokens", column, *tokens),
        )


def conform(name: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the contract's columns and dtypes.

    Missing columns become nulls, further ones follow the known ones. A frame of projects
    with one of the detail fields has all of them afterwards.

    Parameters
    ----------
    name : str
        One of the seven tables: one of `fleetkit.schema.TABLES`.
    frame : DataFrame
        From anywhere: a file, an engine, another version of pandas.

    Raises
    ------
    DataError
        A column whose values can't have the contract's dtype without changing.

    Examples
    --------
    >>> frame = pd.DataFrame({"tier_id": ["tier_1"], "tier_level": [2.0]})
    >>> conform("tiers", frame)["tier_level"].tolist()
    [2]
    """
    expected = _expected(name, frame.columns)
    frame = frame.reset_index(drop=True)
    if _conforms(frame, expected):
        frame.attrs = {}
        return frame
    known = {column.name: _conformed(name, column, frame) for column in expected}
    others = {label: frame[label] for label in frame.columns if label not in known}
    return pd.DataFrame(known | others, index=frame.index, copy=False)


def _conforms(frame: pd.DataFrame, expected: tuple[Column, ...]) -> bool:
    """Return whether a frame begins with columns, in their order and of their dtypes.

    Most frames do, and looking at 20 dtypes is quicker than at 20 columns.
    """
    names = [column.name for column in expected]
    return (
        list(frame.columns[: len(names)]) == names
        and frame.columns.is_unique
        and all(map(_is_dtype_of, expected, frame.dtypes))
    )


def _is_dtype_of(column: Column, dtype: Any) -> bool:
    if column.dtype != "category":
        return str(dtype) == column.dtype
    if not isinstance(dtype, pd.CategoricalDtype) or not dtype.ordered:
        return False
    order = dtype.categories
    return str(order.dtype) == "str" and tuple(order) == tuple(column.values)


def to_arrow(name: str, frame: pd.DataFrame) -> pa.Table:
    """Return the contract's columns of a conforming frame as Arrow columns, categories as text.

    Examples
    --------
    >>> to_arrow("flight_equipment", empty("flight_equipment")).column_names
    ['flight_id', 'equipment_id']
    """
    expected = _expected(name, frame.columns)
    return pa.table({column.name: _arrow_of(frame[column.name], column) for column in expected})


def _arrow_of(values: pd.Series, column: Column) -> pa.Array | pa.ChunkedArray:
    kind = ARROW_TYPES[column.dtype]
    if column.dtype != "category":
        return pa.array(values, kind, from_pandas=True)
    codes = values.cat.codes.to_numpy()
    return pa.array(values.cat.categories, kind).take(pa.array(codes, mask=codes < 0))


def from_arrow(name: str, table: pa.Table) -> pd.DataFrame:
    """Return Arrow columns as a DataFrame; the inverse of `to_arrow`, without further warnings.

    Columns that it lacks, since the reference gained them later, are nulls.

    Examples
    --------
    >>> from_arrow("tiers", to_arrow("tiers", empty("tiers")))["tier_level"].dtype
    Int64Dtype()
    """
    expected, names = _expected(name, table.column_names), set(table.column_names)
    known = {
        column.name: _retyped(table[column.name], ARROW_TYPES[column.dtype])
        if column.name in names
        else _nulls(column, table.num_rows)
        for column in expected
    }
    return to_pandas(known, expected, warn=False)


def _retyped(values: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    """Cast a column; one that was text before the reference had it may hold 5.0 for 5."""
    if pa.types.is_integer(kind) and pa.types.is_large_string(values.type):
        return values.cast(pa.float64()).cast(kind)
    return values.cast(kind)


def _conformed(name: str, column: Column, frame: pd.DataFrame) -> Any:
    dtype = "str" if column.dtype == "category" else column.dtype
    if column.name not in frame:
        return to_pandas({column.name: _nulls(column, len(frame))}, (column,))[column.name]
    try:
        values = _cast(frame[column.name], dtype)
    except (TypeError, ValueError, ArithmeticError) as problem:
        raise DataError(
            f"Table {name}, column {column.name} can't be read as {dtype}: {problem}."
        ) from None
    if column.dtype != "category":
        return values
    tokens = pa.array(values, pa.large_string())
    warn = not isinstance(frame[column.name].dtype, pd.CategoricalDtype)  # or it was warned before
    return pd.Series(_categorical(tokens, column, warn=warn), index=frame.index)


def _cast(values: pd.Series, dtype: str) -> pd.Series:
    if str(values.dtype) == dtype:
        return values
    if dtype == "str":
        return values.astype("str")
    if values.dtype == object or isinstance(values.dtype, pd.StringDtype):
        plain = [None if pd.isna(value) else _read(value, dtype) for value in values]
        array = pa.array(plain, ARROW_TYPES[dtype])
        return pd.Series(array.to_pandas(types_mapper=_PANDAS_TYPES.get)).set_axis(values.index)
    if dtype.startswith("datetime64"):
        return pd.to_datetime(values, utc=True).dt.as_unit("us")
    if (dtype == "boolean") != pd.api.types.is_bool_dtype(values.dtype):
        raise TypeError(f"its values are {values.dtype}")
    return values.astype(pd.api.types.pandas_dtype(dtype))


def _read(value: Any, dtype: str) -> Any:
    if hasattr(value, "isoformat"):
        value = value.isoformat()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        value = Decimal(repr(value))
    try:
        return READERS[dtype](value)
    except ValueError as problem:
        raise ValueError(f"{brief(value)} {problem}") from None
