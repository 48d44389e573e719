"""How rows that were read differ from the rows that stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from fleetkit.mirror.hashes import shifted
from fleetkit.mirror.layout import KEYS, partition_of

__all__ = ["NOTABLE", "Diff", "Noted", "columns_to_compare", "diff"]

# Fields whose changes a sync names, beside the column that a person knows the record by.
NOTABLE: dict[str, tuple[str, tuple[str, ...]]] = {
    "equipment": ("name", ("status", "condition")),
    "projects": ("title", ("status",)),
    "services": ("name", ("base_rate", "currency")),
    "tiers": ("tier_name", ("price_modifier_percent",)),
}


@dataclass(frozen=True)
class Noted:
    """A change worth naming: ``label`` is the record's name, ``old`` and ``new`` may be null."""

    table: str
    id: str
    label: str
    field: str
    old: Any
    new: Any


@dataclass(frozen=True)
class Diff:
    """What brings a table from the rows that stand to those that were read.

    Attributes
    ----------
    inserts : pyarrow.Table
        Rows that are new or differ, as `layout.prepare` gives them.
    closing : pyarrow.Table
        Keys, and month, of the rows that end.
    inserted, updated, vanished : int
        Number of keys.
    come, gone : array of int64
        Row hashes of the two.
    noted : tuple of Noted
        Changes of the fields in `NOTABLE`.
    """

    inserts: pa.Table
    closing: pa.Table
    inserted: int
    updated: int
    vanished: int
    come: np.ndarray
    gone: np.ndarray
    noted: tuple[Noted, ...]

    def __bool__(self) -> bool:
        return bool(self.inserts.num_rows or self.closing.num_rows)

    def fingerprint(self, before: str) -> str:
        """Return the table's fingerprint afterwards."""
        return shifted(before, self.come, self.gone)


def columns_to_compare(name: str) -> list[str]:
    """Return the columns of the rows that stand which `diff` needs."""
    label, fields = NOTABLE.get(name, ("", ()))
    return [*KEYS[name], "row_hash", *partition_of(name), *filter(None, [label]), *fields]


def diff(name: str, stored: pa.Table, rows: pa.Table) -> Diff:
    """Compare rows with those that stand.

    Parameters
    ----------
    name : str
        The table.
    stored : pyarrow.Table
        `columns_to_compare` of every row that stands and that `rows` tells anew.
    rows : pyarrow.Table
        As `layout.prepare` gives them.
    """
    keys = list(KEYS[name])
    before = stored.to_pandas()
    now = rows.select([*keys, "row_hash"]).to_pandas()
    for each in (before, now):  # joined without a partner, int64 would become float64
        each["row_hash"] = each["row_hash"].astype("Int64")
    now["row"] = range(len(now))
    both = before.merge(now, "outer", keys, suffixes=("_stored", ""), indicator="side")
    changed = both["side"].eq("both") & both["row_hash"].ne(both["row_hash_stored"])
    new, gone = both["side"].eq("right_only"), both["side"].eq("left_only")
    inserts = rows.take(pa.array(both.loc[new | changed, "row"].astype("int64")))
    ending = both.loc[changed | gone]
    return Diff(
        inserts=inserts,
        closing=_texts(ending[[*keys, *partition_of(name)]]),
        inserted=int(new.sum()),
        updated=int(changed.sum()),
        vanished=int(gone.sum()),
        come=inserts["row_hash"].to_numpy(),
        gone=ending["row_hash_stored"].astype("int64").to_numpy(),
        noted=tuple(_noted(name, both[changed], rows)),
    )


def _texts(frame: pd.DataFrame) -> pa.Table:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return table.cast(pa.schema([(each, pa.large_string()) for each in table.column_names]))


def _noted(name: str, changed: pd.DataFrame, rows: pa.Table) -> list[Noted]:
    if name not in NOTABLE:
        return []
    label, fields = NOTABLE[name]
    now = rows.take(pa.array(changed["row"].astype("int64"))).to_pylist()
    found = []
    for before, after in zip(changed.to_dict("records"), now, strict=True):
        key = "/".join(after[each] for each in KEYS[name])
        for each in fields:
            old = None if pd.isna(before[each]) else before[each]
            if old != after[each]:
                title = after[label] or before[label] or key
                found.append(Noted(name, key, str(title), each, old, after[each]))
    return found
