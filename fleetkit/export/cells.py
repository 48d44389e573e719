"""The columns of a frame as cells of a sheet: text, number, yes or no, moment, or nothing."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa

from fleetkit.time import to_local_time

__all__ = ["CellColumn", "cell_columns", "names_of_index", "with_index"]

# Whole numbers beyond this are rounded by a spreadsheet: they are written as text.
_LARGEST = 2**53
# The years that every spreadsheet shows alike: Excel's 1900 has a 29 February.
_YEARS = range(1901, 10_000)


@dataclass(frozen=True)
class CellColumn:
    """A column as a sheet shows it.

    Attributes
    ----------
    head : str
        Its name, with the zone of its moments.
    values : list
        str, int, float, bool, date, datetime without a zone, or None.
    is_of_days : bool
        Whether its moments are midnights, so that the date says all.
    """

    head: str
    values: list[Any]
    is_of_days: bool = False


def with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose index, where it says anything, is a column, and whose texts are whole.

    Examples
    --------
    >>> hours = pd.DataFrame({"hours": [1.5]}, index=pd.Index(["Ada"], name="pilot_name"))
    >>> with_index(hours)
      pilot_name  hours
    0        Ada    1.5
    """
    shown = frame.copy(deep=False)
    for place, name in enumerate(names_of_index(frame)):
        level = frame.index.names.index(name)
        shown.insert(place, name, frame.index.get_level_values(level))
    shown = shown.reset_index(drop=True)
    if isinstance(shown.columns, pd.MultiIndex):
        shown.columns = pd.Index([" / ".join(map(str, name)).strip(" /") for name in shown.columns])
    for place, (_, column) in enumerate(shown.items()):
        if column.dtype == object:
            shown.isetitem(place, pd.Series([*map(_whole, column)], dtype="object").array)
    return shown


def names_of_index(frame: pd.DataFrame) -> list[Hashable]:
    """Return the names of an index that aren't those of columns: each becomes a column."""
    return [name for name in frame.index.names if name is not None and name not in frame.columns]


def cell_columns(frame: pd.DataFrame) -> Iterator[CellColumn]:
    """Give the columns of a frame; moments are shown by the clock of the zone that it carries.

    Examples
    --------
    >>> flights = pd.DataFrame({"flight_date": pd.to_datetime(["2026-09-30T22:30Z"])})
    >>> flights.attrs["tz"] = "Europe/Oslo"
    >>> [column] = cell_columns(flights)
    >>> column.head, column.values[0].isoformat()
    ('flight_date (Europe/Oslo)', '2026-10-01T00:30:00')
    """
    shown = with_index(frame)
    shown.attrs = frame.attrs
    for place, (_, column) in enumerate(shown.items()):
        kind = getattr(column.dtype, "pyarrow_dtype", None)
        if kind is not None and pa.types.is_timestamp(kind):
            zone = f", {kind.tz}" if kind.tz else ""
            own: Any = f"datetime64[{kind.unit}{zone}]"
            shown.isetitem(place, column.astype(own).array)
    for name, column in to_local_time(shown).items():
        head = str(name)
        if not pd.api.types.is_datetime64_any_dtype(column):
            yield CellColumn(head, [_cell(value) for value in column])
            continue
        local = column
        if isinstance(column.dtype, pd.DatetimeTZDtype):
            zone, local = _local(column)
            head = f"{head} ({zone})"
        moments = local.dropna()
        is_of_days = bool(len(moments)) and bool((moments == moments.dt.normalize()).all())
        yield CellColumn(head, [_cell(value) for value in local], is_of_days)


def _local(column: pd.Series) -> tuple[str, pd.Series]:
    """Return the zone of a column, and its moments as that zone's clocks show them."""
    try:
        return str(column.dt.tz), column.dt.tz_localize(None)
    except OverflowError:  # the last hours of the year 9999, which only UTC can show
        return "UTC", column.dt.tz_convert("UTC").dt.tz_localize(None)


def _cell(value: Any) -> Any:
    """Return a value as a cell can hold it."""
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, int | float | Decimal):
        return _number(value)
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return value if value.year in _YEARS else value.isoformat()
    return _whole(str(value))


def _number(value: float | Decimal) -> Any:
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return value if math.isfinite(value) else str(value)
    return value if abs(value) <= _LARGEST else str(value)


def _moment(value: datetime) -> Any:
    """Return a moment; as text, where a calendar or a zone of its own can't be shown."""
    if value.tzinfo is not None or value.year not in _YEARS:
        return value.isoformat()
    return value.to_pydatetime(warn=False) if isinstance(value, pd.Timestamp) else value


def _whole(value: Any) -> Any:
    """Return a text with ``?`` for halves of characters, which no file can hold."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", errors="replace").decode("utf-8")
    return value
