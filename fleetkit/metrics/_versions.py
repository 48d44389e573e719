"""Row versions of a table, as a mirror's history gives them: each beside the one before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from fleetkit.differences import is_different
from fleetkit.metrics._frames import to_pandas

__all__ = ["as_changes", "has_changed", "read_versions", "with_previous"]

_VALIDITY = ("valid_from", "valid_to")


def read_versions(
    history: Any, name: str, key: str | list[str], columns: Iterable[str]
) -> pd.DataFrame:
    """Return the columns of row versions and their validity, sorted by key and time."""
    keys = [key] if isinstance(key, str) else key
    rows = to_pandas(history, name, [*keys, *columns, *_VALIDITY])
    return rows.sort_values([*keys, "valid_from"], ignore_index=True)


def with_previous(rows: pd.DataFrame, key: str | list[str], columns: Iterable[str]) -> pd.DataFrame:
    """Return the row versions that follow one of the same record, with what that one held.

    The earlier value of a column stands under its name with ``_before`` after it.
    """
    keys = [key] if isinstance(key, str) else key
    earlier = rows.groupby(keys, sort=False)[list(columns)].shift().add_suffix("_before")
    follows = rows.duplicated(keys)
    return pd.concat([rows[follows], earlier[follows]], axis=1)


def has_changed(rows: pd.DataFrame, column: str) -> pd.Series[bool]:
    """Say which row versions hold another value than the one before; two nulls are equal."""
    return is_different(rows[f"{column}_before"], rows[column])


def as_changes(steps: pd.DataFrame, field: str) -> pd.DataFrame:
    """Return what changed one field, with ``observed_at``, ``field``, ``old`` and ``new``."""
    return steps.rename(columns={"valid_from": "observed_at"}).assign(
        field=field, old=steps[f"{field}_before"], new=steps[field]
    )
