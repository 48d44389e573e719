"""Records out of Parquet; their place is the number of the row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fleetkit.server.importing.located import Located, Unreadable

__all__ = ["read_parquet"]

_ROWS = 5_000
_BUFFER = 1 << 20


def read_parquet(path: Path) -> Iterator[Located]:
    """Yield rows of Python's values; a map is a dict."""
    import pyarrow as pa  # noqa: PLC0415 - heavy, and most imports are of other kinds
    import pyarrow.parquet as pq  # noqa: PLC0415

    number = 0
    # With a buffer, pages are read as they are needed, not whole columns of a row group.
    with path.open("rb") as file:
        try:
            parquet = pq.ParquetFile(file, buffer_size=_BUFFER)
            names = parquet.schema_arrow.names
            twice = [name for name in names if names.count(name) > 1]
            if twice:
                raise Unreadable(0, f"the column {twice[0]!r:.60} is there twice")
            for batch in parquet.iter_batches(batch_size=_ROWS):
                for values in _rows(batch, number):
                    number += 1
                    yield Located(number, values)
        # Arrow's errors of reading are OSErrors, as if a disk had failed.
        except (pa.ArrowException, OSError) as problem:
            first = str(problem).partition("\n")[0]
            raise Unreadable(number + 1, f"this is not Parquet: {first}") from None


def _rows(batch: Any, before: int) -> Iterator[dict[str, Any]]:
    try:
        yield from batch.to_pylist(maps_as_pydicts="strict")
    except (KeyError, ValueError, OverflowError):
        # One value can't be had in Python: find its row.
        for row in range(batch.num_rows):
            try:
                values = batch.slice(row, 1).to_pylist(maps_as_pydicts="strict")
            except (KeyError, ValueError, OverflowError) as problem:
                says = f"a value can't be read: {problem}"
                raise Unreadable(before + row + 1, says) from None
            yield from values
