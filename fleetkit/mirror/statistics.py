"""Whether the statistics of a file are true: engines leave rows unread because of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from fleetkit.mirror.files import File

__all__ = ["true_statistics"]

# The log keeps whole milliseconds.
_LOG_STEP = timedelta(milliseconds=1)
Told = tuple[str, Any, Any, Any]  # column, least, largest, nulls; None for what isn't told


def true_statistics(file: File) -> bool:
    """Say whether what the log and the footer of a file tell holds for its rows.

    Bounds may be wider than the values, as those of long texts are.
    """
    rows, footer = file.rows, file.footer
    if rows is None or footer is None or file.unreadable or file.due != rows.num_rows:
        return False
    if footer.num_rows != rows.num_rows:
        return False
    try:
        if not all(_holds(rows, told, _LOG_STEP) for told in _of_log(file)):
            return False
        begun = 0
        for number in range(footer.num_row_groups):
            group = footer.row_group(number)
            some = rows.slice(begun, group.num_rows)
            if not all(_holds(some, told, timedelta()) for told in _of_footer(group)):
                return False
            begun += group.num_rows
    except (pa.ArrowException, TypeError, ValueError, OverflowError, OSError):
        return False
    return True


def _of_log(file: File) -> Iterator[Told]:
    for key in file.log:
        if key.startswith("null_count."):
            name = key.removeprefix("null_count.")
            least, largest = (file.log.get(f"{end}.{name}") for end in ("min", "max"))
            yield name, least, largest, file.log[key]


def _of_footer(group: Any) -> Iterator[Told]:
    for number in range(group.num_columns):
        column = group.column(number)
        told = column.statistics
        if told is None:
            continue
        least, largest = (told.min, told.max) if told.has_min_max else (None, None)
        yield (
            column.path_in_schema,
            least,
            largest,
            told.null_count if told.has_null_count else None,
        )


def _holds(rows: pa.Table, told: Told, step: timedelta) -> bool:
    name, least, largest, nulls = told
    if name not in rows.column_names:  # it came after the file
        return True
    values = rows[name]
    if nulls is not None and nulls != values.null_count:
        return False
    found = pc.min_max(values).as_py()
    if found["min"] is None:
        return True
    over = step if isinstance(found["max"], datetime) else None
    if least is not None and least > found["min"]:
        return False
    return largest is None or found["max"] <= (largest if over is None else largest + over)
