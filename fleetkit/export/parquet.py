"""Frames as Parquet, which keeps every type."""

from __future__ import annotations

from io import BytesIO

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from fleetkit.export.cells import with_index

__all__ = ["to_parquet"]


def to_parquet(frame: pd.DataFrame) -> bytes:
    """Return a frame as Parquet: moments in UTC, closed sets as text that every reader knows.

    Examples
    --------
    >>> flights = pd.DataFrame({"flight_id": ["fl_1"], "duration_seconds": [1200]})
    >>> pd.read_parquet(BytesIO(to_parquet(flights)))
      flight_id  duration_seconds
    0      fl_1              1200
    """
    shown = with_index(frame)
    closed = {
        name: "str" for name, kind in shown.dtypes.items() if isinstance(kind, pd.CategoricalDtype)
    }
    try:
        table = pa.Table.from_pandas(shown.astype(closed), preserve_index=False)
    except pa.ArrowException:  # values of several kinds in one column: as text
        mixed = {name: "str" for name, column in shown.items() if column.dtype == object}
        table = pa.Table.from_pandas(shown.astype(closed | mixed), preserve_index=False)
    file = BytesIO()
    pq.write_table(table, file, compression="zstd")
    return file.getvalue()
