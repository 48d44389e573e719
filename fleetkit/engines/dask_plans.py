"""What Dask needs said otherwise than the other engines, so that its figures are the same."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["anti_join", "categorized", "joinable", "semi_join", "shuffle_by_tasks"]

# Narwhals advises to install another package for Dask; our extra stays below what needs it.
warnings.filterwarnings("ignore", "Dask support is moving out of Narwhals", FutureWarning)


def joinable(groups: Any) -> Any:
    """Return groups or distinct rows, as Narwhals has them, as rows that can be joined.

    Dask looks for the keys by which it shuffled more than 15 partitions where they are not, and
    fails; of what a function returned it looks for none.
    """
    if not groups.implementation.is_dask():
        return groups
    import narwhals as nw  # noqa: PLC0415 - with a metric it is there

    return nw.from_native(_returned(groups.to_native()))


def semi_join(rows: Any, others: Any, key: str) -> Any:
    """Return the rows, as Narwhals has them, of which the key occurs in another frame.

    Of a semi join by Narwhals, Dask doesn't know by which columns it shuffled, and fails where one
    is renamed afterwards.
    """
    keys = joinable(others.select(key))
    if not rows.implementation.is_dask():
        return rows.join(keys, on=key, how="semi")
    return rows.join(keys.drop_nulls().unique([key]), on=key)


def anti_join(rows: Any, others: Any, key: str) -> Any:
    """Return the rows, as Narwhals has them, of which the key doesn't occur in another frame.

    A row without a key stays in every engine.
    """
    keys = joinable(others.select(key)).drop_nulls()
    return rows.join(keys, on=key, how="anti")


def categorized(rows: Any) -> Any:
    """Return a frame of Dask of which columns can be left out after its ``categorize()``.

    Dask leaves them out before that, looks for them there all the same, and fails.
    """
    steps = rows.expr.walk()
    return _returned(rows) if any(type(step).__name__ == "Categorize" for step in steps) else rows


def shuffle_by_tasks() -> None:
    """Let Dask shuffle in a way that keeps the order of rows, from now on and wherever it runs.

    Where a filter needs other columns than what it filters, Dask shuffles twice. By its default the
    two may come out in different orders: the filter then takes other rows, or fails.
    """
    import dask  # noqa: PLC0415 - whoever has a frame of it has it

    dask.config.set({"dataframe.shuffle.method": "tasks"})


def _returned(native: Any) -> Any:
    """Return a frame of Dask as what a function returned, into which Dask doesn't look."""
    return native.map_partitions(_unchanged, meta=native._meta)


def _unchanged(rows: pd.DataFrame) -> pd.DataFrame:
    return rows
