"""pandas frames of any index and dtypes, with those that a fleet's own frames have."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import pandas as pd

from fleetkit.columns import COLUMNS

__all__ = ["IDS", "MOMENTS", "in_utc", "normalised"]

# A column of another name may be of days, which have no zone.
MOMENTS = {
    column.name
    for table in COLUMNS.values()
    for column in table
    if column.dtype == "datetime64[us, UTC]"
} | {"valid_from", "valid_to"}
# Metrics count by them as texts; flights are only joined by theirs, an explorer by numbers.
IDS = {"equipment_id", "pilot_id", "project_id", "service_id", "tier_id"}


def normalised(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Return columns of a frame as metrics count on them.

    No index, which a column may share its name with; no dtypes of Arrow, which can't do all that
    pandas' own can; texts in place of categories without an order, which can't be compared, and of
    ids that are numbers, as which pandas reads those without any value, too; times in UTC, which
    those of a fleet are where they name no zone.

    Examples
    --------
    >>> frame = pd.DataFrame({"name": ["a"], "created_at": [pd.Timestamp("2026-10-01")]})
    >>> normalised(frame.astype({"name": "category"}), frame.columns).dtypes.astype(str).to_dict()
    {'name': 'str', 'created_at': 'datetime64[us, UTC]'}
    """
    # Rows that metrics concatenate have a label twice.
    rows = frame.set_flags(allows_duplicate_labels=True)
    result = rows.loc[:, list(columns)].reset_index(drop=True)
    result.columns.name = None
    for name, column in result.items():
        if name in MOMENTS and column.dtype.kind == "M" and column.dt.tz is None:
            result[name] = column.astype("datetime64[us]").dt.tz_localize("UTC")
        elif name in IDS and column.dtype.kind in "fiu":
            result[name] = _as_texts(column)
        elif (dtype := _dtype(column.dtype)) != column.dtype:
            result[name] = column.astype(dtype)
    return result


def in_utc(frame: Any, columns: Iterable[str]) -> Any:
    """Return a frame of pandas or Dask whose columns of moments with a zone are in UTC.

    Narwhals reads the dtype of a zone such as America/New_York, with its underscore, as unknown.
    """
    zoned = {
        name: frame[name].dt.tz_convert("UTC")
        for name, dtype in frame.dtypes.items()
        if name in columns and isinstance(dtype, pd.DatetimeTZDtype) and str(dtype.tz) != "UTC"
    }
    return frame.assign(**zoned) if zoned else frame


def _as_texts(numbers: pd.Series[Any]) -> pd.Series[Any]:
    """Return numbers as texts, those without decimals without them: where one is null, 7 is 7.0."""
    floats = numbers.astype("float64")
    is_whole = not (floats % 1).any()
    return numbers.astype("Int64" if is_whole else "float64").astype("str")


def _dtype(dtype: Any) -> Any:
    """Return the dtype that a fleet's column has in place of another one."""
    if isinstance(dtype, pd.DatetimeTZDtype):
        return "datetime64[us, UTC]"
    if isinstance(dtype, pd.CategoricalDtype):
        return dtype if dtype.ordered else dtype.categories.dtype
    if isinstance(dtype, pd.ArrowDtype):
        kinds = {"i": "Int64", "u": "Int64", "f": "float64", "b": "boolean"}
        if dtype.kind == "M":
            return "datetime64[us]" if dtype.pyarrow_dtype.tz is None else "datetime64[us, UTC]"
        return "float64" if dtype.type is Decimal else kinds.get(dtype.kind, "str")
    return "str" if isinstance(dtype, pd.StringDtype) else dtype
