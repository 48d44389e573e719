"""Whether the rows of a mirror are those that its syncs wrote.

Every row keeps a hash of its values, and every sync pinned, for each table, how many rows were
current and the sum of their hashes. So a value that changed since shows in its row. A row that is
gone, or is current longer or shorter than it was, shows in the sums of the states that it belongs
to.

Files say nothing themselves: delta-rs writes no page checksums, and a flipped bit mostly reads as
another value.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.mirror.hashes import Sum
from fleetkit.mirror.layout import CURRENT, MONTH, VALIDITY, hashes_of_values, months_of
from fleetkit.mirror.store import batches
from fleetkit.mirror.syncs import Sync

__all__ = [
    "Tally",
    "as_pinned",
    "current_sum",
    "differing",
    "intact_rows",
    "micros",
    "moments_after",
    "proven",
    "proven_sum",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SUMS = 2  # the layout that pins sums of hashes; before, nothing of a fingerprint can be proven


def micros(moment: datetime) -> int:
    """Return a moment as it lies in a file: microseconds since 1970, UTC.

    Examples
    --------
    >>> micros(datetime(1970, 1, 1, 0, 0, 2, tzinfo=UTC))
    2000000
    """
    return (moment - _EPOCH) // timedelta(microseconds=1)


@dataclass
class Tally:
    """The row versions of a table added up: by the moment when they begin, and when they end.

    Attributes
    ----------
    opened, closed : dict of int → Sum
        Moment in microseconds since 1970 → the row hashes as they are stored.
    rows : int
        Row versions, intact or not.
    corrupt : int
        Those whose values are no longer the ones that were hashed.
    """

    opened: dict[int, Sum] = field(default_factory=dict)
    closed: dict[int, Sum] = field(default_factory=dict)
    rows: int = 0
    corrupt: int = 0

    @classmethod
    def of(cls, table: DeltaTable) -> Tally:
        """Read a table whole and add it up, a batch at a time."""
        tally = cls()
        columns = [field.name for field in table.schema().fields]
        for batch in batches(table, columns, "true"):
            tally.add(pa.Table.from_batches([batch]))
        return tally

    def add(self, rows: pa.Table) -> None:
        """Add some row versions."""
        self.rows += rows.num_rows
        self.corrupt += rows.num_rows - int(intact_rows(rows).sum())
        hashes = rows["row_hash"].fill_null(0).to_numpy()
        for sums, name in ((self.opened, "valid_from"), (self.closed, "valid_to")):
            moments = rows[name].cast(pa.int64())
            there = moments.is_valid().to_numpy()
            sums_at = Sum.by(moments.drop_null().to_numpy(), hashes[there])
            for moment, total in sums_at.items():
                sums[moment] = sums.get(moment, Sum()) + total

    def close(self, hashes: np.ndarray, moment: int) -> None:
        """Let current rows end."""
        self.closed[moment] = self.closed.get(moment, Sum()) + Sum.of(hashes)

    def state(self, moment: int) -> Sum:
        """Return the sum over the rows that are current at a moment."""
        opened = (total for at, total in self.opened.items() if at <= moment)
        closed = (total for at, total in self.closed.items() if at <= moment)
        return sum(opened, Sum()) - sum(closed, Sum())

    def stray(self, moments: Collection[int]) -> int:
        """Count the beginnings and ends that lie at none of the moments given."""
        sums = (*self.opened.items(), *self.closed.items())
        return sum(total.rows for moment, total in sums if moment not in moments)


def intact_rows(rows: pa.Table) -> np.ndarray:
    """Say which rows hold the values that were hashed, in the month that they belong to."""
    if not rows.num_rows:
        return np.zeros(0, dtype=bool)
    stored = rows["row_hash"]
    intact = stored.is_valid().to_numpy() & (
        hashes_of_values(rows) == stored.fill_null(0).to_numpy()
    )
    if {MONTH, "flight_date"} <= set(rows.column_names):
        due = pa.chunked_array([months_of(rows["flight_date"])])
        intact &= pc.fill_null(pc.equal(rows[MONTH], due), False).to_numpy()
    return np.asarray(intact)


def current_sum(table: DeltaTable) -> Sum:
    """Return the sum of the stored hashes of the current rows."""
    total = Sum()
    for batch in batches(table, ["row_hash"], CURRENT):
        total += _sum_of(batch)
    return total


def proven_sum(table: DeltaTable, where: str) -> tuple[Sum, int]:
    """Return the same over the rows where a condition (SQL) holds; and how many aren't intact."""
    columns = [field.name for field in table.schema().fields]
    total, corrupt = Sum(), 0
    for batch in batches(table, columns, where):
        total += _sum_of(batch)
        intact = intact_rows(pa.Table.from_batches([batch]))
        corrupt += len(intact) - int(intact.sum())
    return total, corrupt


def _sum_of(batch: pa.RecordBatch) -> Sum:
    return Sum.of(batch["row_hash"].fill_null(0).to_numpy())


def moments_after(table: DeltaTable, after: datetime | None) -> int:
    """Count the moments later than the one given at which row versions begin or end."""
    moments: set[int] = set()
    for batch in batches(table, VALIDITY, "true"):
        for name in VALIDITY:
            moments.update(pc.unique(batch[name].cast(pa.int64()).drop_null()).to_pylist())
    return len([moment for moment in moments if after is None or moment > micros(after)])


def proven(name: str, states: Sequence[Sync]) -> list[Sync]:
    """Return the syncs whose sums prove a table: all since it was first read, and is whole."""
    known = [state for state in states if state.holds(name) and state.layout >= _SUMS]
    since = known[-1].tables[name].whole_since if known else 0
    return [state for state in known if state.version >= since]


def as_pinned(name: str, state: Sync, total: Sum) -> bool:
    """Return whether the current rows of a table are those that a sync pinned."""
    pin = state.tables[name]
    if state.layout < _SUMS:
        return total.rows == pin.rows
    return (total.rows, total.fingerprint) == (pin.rows, pin.fingerprint)


def differing(name: str, tally: Tally, states: Sequence[Sync]) -> list[int]:
    """Return the versions of the syncs whose state of a table isn't what they pinned.

    Parameters
    ----------
    name : str
        The table.
    tally : Tally
        What it holds now.
    states : sequence of Sync
        All syncs, in order.
    """
    wrong, total, events = [], Sum(), _events(tally)
    for state in proven(name, states):
        while events and events[-1][0] <= micros(state.fetched_at):
            _, opened, closed = events.pop()
            total = total + opened - closed
        if not as_pinned(name, state, total):
            wrong.append(state.version)
    return wrong


def _events(tally: Tally) -> list[tuple[int, Sum, Sum]]:
    """Return what began and ended at each moment, the latest first."""
    moments = sorted({*tally.opened, *tally.closed}, reverse=True)
    return [
        (moment, tally.opened.get(moment, Sum()), tally.closed.get(moment, Sum()))
        for moment in moments
    ]
