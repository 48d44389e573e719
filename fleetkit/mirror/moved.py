"""What moved since the newest sync, as far as the lists tell that every sync reads whole.

A piece of equipment carries a fingerprint of its flights: ``totalFlights``, ``totalFlightHours``
and ``updatedAt``. While it stands still, so do the flights, but for edits that no counter shows;
those are found by the audit. A project's two detail fields are taken to stand while its row does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from fleetkit.mirror.hashes import row_hashes
from fleetkit.mirror.layout import STANDING, as_stored
from fleetkit.mirror.store import query

if TYPE_CHECKING:
    from deltalake import DeltaTable

__all__ = ["COUNTERS", "moved_equipment", "moved_projects"]

COUNTERS = ("total_flights", "total_flight_hours", "updated_at")


def moved_equipment(table: DeltaTable | None, given: pa.Table) -> dict[str, str]:
    """Return equipment whose flights may differ from those that are stored.

    Parameters
    ----------
    table : DeltaTable or None
        Equipment as the newest sync left it; None where it was never read.
    given : pyarrow.Table
        Equipment as the service lists it now.

    Returns
    -------
    dict of str → str
        Equipment id → ``"new"``, ``"moved"``, or ``"uncounted"`` where the service states none of
        the three.
    """
    columns = ["equipment_id", *COUNTERS]
    now = given.select(columns).to_pandas().set_index("equipment_id")
    if table is None:
        return dict.fromkeys(now.index, "new")
    before = query(table, columns, STANDING).to_pandas().set_index("equipment_id")
    shown = before.reindex(now.index)
    same = (now == shown) | (now.isna() & shown.isna())
    return _reasons(
        now.index,
        new=~now.index.isin(before.index),
        uncounted=now.isna().all(axis=1),
        moved=~same.all(axis=1),
    )


def moved_projects(table: DeltaTable | None, listed: pa.Table) -> dict[str, str]:
    """Return projects whose row in the list isn't the one that is stored.

    Parameters
    ----------
    table : DeltaTable or None
        Projects as the newest sync left them; None where they were never read.
    listed : pyarrow.Table
        Projects as the service lists them now, with the list's columns.

    Returns
    -------
    dict of str → str
        Project id → ``"new"`` or ``"moved"``.
    """
    if table is None:
        return dict.fromkeys(listed["project_id"].to_pylist(), "new")
    listed = as_stored(listed, pa.schema(table.schema().to_arrow()))
    now = pd.Series(row_hashes(listed), listed["project_id"].to_pylist())
    # What the list doesn't give may stand in the detail records alone, and then tells nothing.
    known = {each.name for each in table.schema().fields}
    stored = query(table, [each for each in listed.column_names if each in known], STANDING)
    before = pd.Series(row_hashes(stored), stored["project_id"].to_pylist())
    return _reasons(
        now.index,
        new=~now.index.isin(before.index),
        moved=now.to_numpy() != before.reindex(now.index).to_numpy(),
    )


def _reasons(ids: pd.Index, **holds: Any) -> dict[str, str]:
    """Return id → the first reason that holds; an id for which none does is left out."""
    reasons = np.select([np.asarray(each) for each in holds.values()], list(holds), default="")
    return {each: str(reason) for each, reason in zip(ids, reasons, strict=True) if reason}
