"""Frames of pandas as an engine's lazy frames, and lazy frames as tables of Arrow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fleetkit import clusters
from fleetkit.engines.names import Engine, installed
from fleetkit.engines.sessions import session_of, spark

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from fleetkit.engines.names import Session

__all__ = ["from_pandas", "is_spark", "pandas_types", "to_arrow"]

# Rows of a frame in memory that are one partition of Dask.
_ROWS_OF_PARTITION = 500_000


def from_pandas(frame: pd.DataFrame, engine: Engine | Session) -> Any:
    """Return a pandas frame as a lazy frame of another engine; closed sets become text.

    Parameters
    ----------
    frame : DataFrame
    engine
        As for `session_of`.

    Raises
    ------
    InvalidValue
        An engine that isn't known or not installed, or Spark without a session.

    Examples
    --------
    >>> import pandas as pd
    >>> from_pandas(pd.DataFrame({"flights": [1, 2]}), "polars").collect()["flights"].to_list()
    [1, 2]
    """
    name, session = session_of(engine)
    with installed(name):
        return _READERS[name](_as_arrow(frame), session)


def _as_arrow(frame: pd.DataFrame) -> pa.Table:
    """Return a frame as Arrow has it, with texts in place of closed sets and of nulls alone."""
    import pyarrow as pa  # noqa: PLC0415 - as heavy as the engines, and for them alone

    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type) or pa.types.is_null(field.type):
            table = table.set_column(place, field.name, table[field.name].cast(pa.string()))
    return table


def is_spark(frame: Any) -> bool:
    """Return whether a frame, as Narwhals has it, is one of Spark, also of Spark Connect."""
    engine = frame.implementation
    return bool(engine.is_pyspark() or engine.is_pyspark_connect())


def to_arrow(frame: Any) -> pa.Table:
    """Return a lazy frame, as Narwhals has it, as an Arrow table: no instant loses its zone.

    Raises
    ------
    ClusterError
        Spark's machines can't read the files.
    """
    with clusters.reading("the mirror's files"):
        return frame.collect("pyarrow").to_native()


def pandas_types() -> dict[Any, Any]:
    """Return Arrow's type → the dtype that fleetkit's frames have for it."""
    import numpy as np  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    text = pd.StringDtype(na_value=np.nan)
    return {
        pa.int64(): pd.Int64Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): text,
        pa.large_string(): text,
    }


def _polars(table: pa.Table, _: None) -> Any:
    import polars as pl  # noqa: PLC0415 - the four engines are the user's, not fleetkit's

    return pl.DataFrame(table).lazy()


def _duckdb(table: pa.Table, connection: Any) -> Any:
    import duckdb  # noqa: PLC0415

    return (connection or duckdb).from_arrow(table)


def _dask(table: pa.Table, _: None) -> Any:
    from dask import dataframe as dask_dataframe  # noqa: PLC0415

    dataframe: Any = dask_dataframe  # its functions have no types
    frame = table.to_pandas(types_mapper=pandas_types().get)
    return dataframe.from_pandas(frame, npartitions=len(frame) // _ROWS_OF_PARTITION + 1)


def _spark(table: pa.Table, session: Any) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema  # noqa: PLC0415

    # Else a time without a zone would become an instant, by the session's.
    schema = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
    return spark(session).createDataFrame(table, schema)


_READERS: Mapping[Engine, Callable[[pa.Table, Any], Any]] = {
    "polars": _polars,
    "duckdb": _duckdb,
    "dask": _dask,
    "spark": _spark,
}
