"""The states that a mirror went through: what each sync left, up to a version."""

from __future__ import annotations

import pandas as pd

from fleetkit.mirror.store import Store, query
from fleetkit.mirror.syncs import Sync, changed, decoded, stored

__all__ = ["as_frame", "states"]

_DTYPES = {
    "version": "int64",
    "fetched_at": "datetime64[us, UTC]",
    "complete": "bool",
    "source": "str",
    "requests": "int64",
    "rows": "int64",
    "fingerprint": "str",
}


def states(store: Store, up_to: int) -> list[Sync]:
    """Return the rows of all syncs up to a version, in order, without what each one read."""
    table = store.table("syncs")
    if table is None:
        return []
    columns = [each for each in stored(table) if each != "read"]
    with store.doing("read"):
        rows = query(table, columns, f"version <= {int(up_to)}").sort_by("version")
    if rows["version"].to_pylist() != list(range(1, up_to + 1)):
        raise changed(store, f"it has {rows.num_rows} rows up to version {up_to}")
    return [decoded(store, row) for row in rows.to_pylist()]


def as_frame(found: list[Sync]) -> pd.DataFrame:
    """Return one row per sync.

    Examples
    --------
    >>> as_frame([]).columns.tolist()
    ['version', 'fetched_at', 'complete', 'source', 'requests', 'rows', 'fingerprint']
    """
    rows = [[getattr(each, name) for name in _DTYPES] for each in found]
    return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)
