"""The states that a mirror went through: what each sync left, up to a version."""

from __future__ import annotations

from datetime import datetime

import msgspec
import pandas as pd

from fleetkit.mirror.store import Store, query
from fleetkit.mirror.syncs import Pin

__all__ = ["State", "as_frame", "states"]

_DTYPES = {
    "version": "int64",
    "fetched_at": "datetime64[us, UTC]",
    "complete": "bool",
    "source": "str",
    "requests": "int64",
    "rows": "int64",
    "fingerprint": "str",
}


class State(msgspec.Struct, frozen=True):
    """What a sync left; `tables` says it of each table, as `fleetkit.mirror.syncs.Pin` does."""

    version: int
    fetched_at: datetime
    complete: bool
    source: str
    requests: int
    rows: int
    fingerprint: str
    details: bool
    tables: dict[str, Pin]

    def holds(self, table: str) -> bool:
        """Whether this sync or one before it could read the table."""
        return self.tables[table].version is not None


def states(store: Store, up_to: int) -> list[State]:
    """Return the states up to a version, in order."""
    table = store.table("syncs")
    if table is None:
        return []
    columns = list(State.__struct_fields__)
    with store.doing("read"):
        rows = query(table, columns, f"version <= {int(up_to)}").sort_by("version")
    decode = msgspec.json.Decoder(dict[str, Pin]).decode
    return [State(**{**row, "tables": decode(row["tables"])}) for row in rows.to_pylist()]


def as_frame(found: list[State]) -> pd.DataFrame:
    """Return one row per sync.

    Examples
    --------
    >>> as_frame([]).columns.tolist()
    ['version', 'fetched_at', 'complete', 'source', 'requests', 'rows', 'fingerprint']
    """
    rows = [[getattr(each, name) for name in _DTYPES] for each in found]
    return pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)
