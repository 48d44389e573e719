"""What the ids of a filter are called: a reader doesn't know a pilot by an id."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from fleetkit import metrics
from fleetkit.blanks import is_blank
from fleetkit.errors import Forbidden
from fleetkit.mirror import Mirror

__all__ = ["names_of"]

# Field of a filter → the table that names its ids, and the columns of both.
_TABLES = {
    "equipment": ("equipment", "equipment_id", "name"),
    "pilot": ("flights", "pilot_id", "pilot_name"),
    "project": ("projects", "project_id", "title"),
}


def names_of(mirror: Mirror, field: str, value: Any) -> dict[str, str]:
    """Return id → name of what a field of a filter holds.

    Parameters
    ----------
    mirror : Mirror
    field : str
        Such as ``pilot``; those that hold no ids have no names.
    value : str, list or dict
        As `Filter.to_parameters` writes it.

    Returns
    -------
    dict
        Without ids that nothing names, or whose table the key can't read.
    """
    if field not in _TABLES:
        return {}
    table, key, name = _TABLES[field]
    try:
        rows = nw.from_native(mirror.scan(table, "polars"))
    except Forbidden:
        return {}
    chosen = rows.filter(nw.col(key).cast(nw.String).is_in(_ids(value))).to_native()
    named = metrics.collect(metrics.pilots(chosen) if field == "pilot" else chosen)
    pairs = zip(named[key], named[name], strict=True)
    return {str(key): str(name) for key, name in pairs if not is_blank(name)}


def _ids(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [one for part in value.values() for one in _ids(part)]
    return [str(one) for one in (value if isinstance(value, list) else [value])]
