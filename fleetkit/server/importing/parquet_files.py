"""Reading Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fleetkit.server.importing.file_rows import FileError, FileRow, check_unique

__all__ = ["read_parquet"]

_ROWS = 5_000
_BUFFER = 1 << 20


def read_parquet(path: Path) -> Iterator[FileRow]:
    """Yield rows as Python values with their numbers; a map becomes a dict."""
    import pyarrow as pa  # noqa: PLC0415 - slow to load, and rarely needed
    import pyarrow.parquet as pq  # noqa: PLC0415

    number = 0
    # With a buffer, pages are read as they are needed, not whole columns of a row group.
    with path.open("rb") as file:
        try:
            parquet = pq.ParquetFile(file, buffer_size=_BUFFER)
            check_unique(parquet.schema_arrow.names, 0)
            for batch in parquet.iter_batches(batch_size=_ROWS):
                for values in _rows(batch, number):
                    number += 1
                    yield FileRow(number, values)
        # Arrow raises OSError for invalid files, too.
        except (pa.ArrowException, OSError) as problem:
            first = str(problem).partition("\n")[0]
            place = number + 1 if number else 0
            raise FileError(place, f"this is not Parquet: {first}") from None


def _rows(batch: Any, before: int) -> Iterator[dict[str, Any]]:
    try:
        yield from batch.to_pylist(maps_as_pydicts="strict")
    except (KeyError, ValueError, OverflowError):
        # Python can't represent a value: find its row.
        for row in range(batch.num_rows):
            try:
                values = batch.slice(row, 1).to_pylist(maps_as_pydicts="strict")
            except (KeyError, ValueError, OverflowError) as problem:
                reason = f"a value can't be read: {problem}"
                raise FileError(before + row + 1, reason) from None
            yield from values
