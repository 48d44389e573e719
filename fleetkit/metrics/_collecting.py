"""Small results of any engine as pandas has them."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pandas as pd
import pyarrow as pa

from fleetkit.engines import pandas_types, to_arrow
from fleetkit.errors import InvalidValue
from fleetkit.metrics._frames import Frame
from fleetkit.origins import origin_of, remember
from fleetkit.time import ZONE, Clock

__all__ = ["collected"]


def collected(frame: Frame, tz: str | None = None) -> pd.DataFrame:
    """Return a result of any engine as a pandas DataFrame; see `fleetkit.metrics.collect`."""
    rows = frame if isinstance(frame, pd.DataFrame) else _in_pandas(frame)
    origin = origin_of(frame)
    if rows is not frame and origin is not None:
        remember(rows, origin)
    if tz is not None:
        rows.attrs.setdefault(ZONE, Clock.of(tz=tz).zone)
    return rows


def _in_pandas(frame: Frame) -> pd.DataFrame:
    try:
        lazy: Any = nw.from_native(frame).lazy()
    except TypeError:
        raise InvalidValue(
            f"A {type(frame).__name__} is not a frame.",
            advice="Pass what a metric returned, or a pandas, Polars, DuckDB, Dask or PySpark "
            "frame.",
        ) from None
    kinds = lazy.collect_schema()
    rows: pd.DataFrame = _decoded(to_arrow(lazy)).to_pandas(types_mapper=pandas_types().get)
    return pd.DataFrame({name: _as_pandas(rows[name], kind) for name, kind in kinds.items()})


def _decoded(table: pa.Table) -> pa.Table:
    """Return a table whose categories are texts: an older PyArrow refuses those of Polars."""
    kinds = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(kinds))


def _as_pandas(column: Any, kind: Any) -> Any:
    """Return a column with the dtype that fleetkit has for its kind."""
    has_nulls = column.isna().any()
    if kind.is_integer():
        return column.astype("Int64" if has_nulls else "int64")
    if kind.is_numeric():
        return column.astype("float64")
    if isinstance(kind, nw.Boolean):
        return column.astype("boolean" if has_nulls else "bool")
    if isinstance(kind, nw.Datetime):
        if kind.time_zone and column.dt.tz is None:  # Dask's latest of no moments, a null
            column = column.dt.tz_localize("UTC")
        return column.astype("datetime64[us, UTC]" if kind.time_zone else "datetime64[us]")
    if isinstance(kind, nw.String | nw.Categorical | nw.Enum):
        return _as_texts(column, kind)
    return column


def _as_texts(column: Any, kind: Any) -> Any:
    """Return texts as such, and those that have an order as ordered categories."""
    if column.dtype != "str":
        column = column.astype(object).where(column.notna(), None).astype("str")
    if not isinstance(kind, nw.Enum):
        return column
    categories = pd.Index(kind.categories, dtype="str")
    return column.astype(pd.CategoricalDtype(categories, ordered=True))
