"""Row versions of a table, as a mirror's history gives them: each beside the one before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import narwhals as nw
import pandas as pd
from narwhals.exceptions import DuplicateError

from fleetkit.differences import is_another, is_different
from fleetkit.metrics._frames import in_narwhals, to_pandas

__all__ = ["changes_of", "has_changed", "read_versions", "with_previous"]

_VALIDITY, _CREATED = ("valid_from", "valid_to"), "created_at"


def read_versions(
    history: Any, name: str, key: str | list[str], columns: Iterable[str]
) -> pd.DataFrame:
    """Return the columns of row versions and their validity, sorted by key and time.

    With ``record``, one number for the versions of each record. Where there is ``created_at``, a
    known id with another creation time is another record, as for a sync.
    """
    keys = [key] if isinstance(key, str) else key
    rows = to_pandas(history, name, [*keys, *columns, *_VALIDITY, *_created(history)])
    rows = rows.sort_values([*keys, "valid_from"], ignore_index=True)
    begins = ~rows.duplicated(keys)
    if _CREATED in rows:
        begins |= is_another(rows[_CREATED].shift(), rows[_CREATED])
    return rows.assign(record=begins.cumsum())


def _created(history: Any) -> list[str]:
    """Return the column that tells records of one id apart, where a frame has it as times."""
    try:
        schema = in_narwhals(history).collect_schema()
    except (TypeError, DuplicateError):  # `to_pandas` says what is wrong
        return []
    return [_CREATED] if schema.get(_CREATED) == nw.Datetime else []


def with_previous(rows: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Return the row versions that follow one of the same record, with what that one held.

    The earlier value of a column stands under its name with ``_before`` after it.
    """
    earlier = rows.groupby("record")[list(columns)].shift().add_suffix("_before")
    follows = rows.duplicated("record")
    return pd.concat([rows[follows], earlier[follows]], axis=1)


def has_changed(rows: pd.DataFrame, column: str) -> pd.Series[bool]:
    """Say which row versions hold another value than the one before; two nulls are equal."""
    return is_different(rows[f"{column}_before"], rows[column])


def changes_of(steps: pd.DataFrame, field: str, *alongside: str) -> pd.DataFrame:
    """Return the steps that changed one field, or one `alongside` that gives it its meaning.

    With ``observed_at``, ``field``, ``old`` and ``new``.
    """
    is_changed = pd.concat([has_changed(steps, name) for name in (field, *alongside)], axis=1)
    return (
        steps[is_changed.any(axis=1)]
        .rename(columns={"valid_from": "observed_at", f"{field}_before": "old"})
        .assign(field=field, new=lambda changed: changed[field])
    )
