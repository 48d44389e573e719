"""Files of many rows, written part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow.parquet as pq

from fleetkit.errors import InvalidValue
from fleetkit.export import to_csv, to_parquet

if TYPE_CHECKING:
    from fleetkit.explore.large.selection import LargeSelection

__all__ = ["MOST_ROWS", "written"]

# Most rows that are read at once: only then can they be written in any order.
_AT_ONCE = 250_000
# Most rows that are handed out as a pandas frame. A workbook is made of one, and holds no more.
MOST_ROWS = 1_000_000
# Size of the largest file that a browser is sent. [bytes]
_LARGEST = 400_000_000


def written(
    selection: LargeSelection, order_by: str, form: str, at_once: Callable[[str, str], bytes]
) -> bytes:
    """Return the content of a file; more than a quarter of a million rows go by date.

    Parameters
    ----------
    selection : LargeSelection
    order_by, form : str
        As for `Selection.file`.
    at_once : callable
        Writes few rows.

    Raises
    ------
    InvalidValue
        More rows than a workbook, or a browser, takes.
    """
    count = len(selection)
    if form == "xlsx" and count > MOST_ROWS:
        raise InvalidValue(
            f"A workbook is made of {MOST_ROWS:,} flights at most, not of {count:,}.",
            advice="Choose fewer flights, or download Parquet or CSV.",
        )
    if count <= _AT_ONCE or form not in _WRITERS:
        return at_once(order_by, form)
    parts = selection.subject.parts_of(selection.choices, is_ascending=order_by == "date_asc")
    return _WRITERS[form](parts)


def _csv(parts: Iterator[pd.DataFrame]) -> bytes:
    file = BytesIO()
    for part in parts:
        content = to_csv(part)
        # The first part's head, with its mark, is the file's.
        file.write(content if not file.tell() else content.split(b"\r\n", 1)[1])
        _check(file)
    return file.getvalue()


def _parquet(parts: Iterator[pd.DataFrame]) -> bytes:
    file, writer = BytesIO(), None
    for part in parts:
        table = pq.read_table(BytesIO(to_parquet(part)))
        writer = writer or pq.ParquetWriter(file, table.schema, compression="zstd")
        writer.write_table(table.cast(writer.schema))
        _check(file)
    if writer is not None:
        writer.close()
    return file.getvalue()


def _check(file: BytesIO) -> None:
    if file.tell() > _LARGEST:
        raise InvalidValue(
            f"The file would be larger than {_LARGEST // 1_000_000} MB.",
            advice="Choose fewer flights, or write files from Python: "
            "fleet.where(explorer.filter).export(…).",
        )


_WRITERS = {"csv": _csv, "parquet": _parquet}
