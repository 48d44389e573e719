"""Whether the rows of a mirror are those that its syncs wrote.

Every row has a hash of its values, and every sync pinned, for each table, how many rows were
current and the sum of their hashes. So a value that changed since shows in its row. A row that is
missing, or is current longer or shorter than it should be, shows in the sums of the states that it
belongs to. The files alone prove nothing: delta-rs writes no page checksums, and a flipped bit
mostly reads as another value.

There are three depths: a mirror whole, a table whole, and what a sync builds on. Whole means every
row version, so it takes as long as reading and hashing all of them. A sync proves what it compares
with: the log of each table, the hashes of all current rows, the values of small tables, and the
values of a share of the months in turn, as the audit reads lists in turn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from fleetkit.errors import MirrorError
from fleetkit.mirror import syncs
from fleetkit.mirror.files import files, has_true_statistics
from fleetkit.mirror.layout import (
    CURRENT,
    KEYS,
    MONTH,
    MONTH_IN_LOG,
    PARTITIONED,
    VALIDITY,
    Sum,
    hashes_of_values,
    months_of,
)
from fleetkit.mirror.store import Damaged, Store, batches, column_names, current_hashes, damaged
from fleetkit.mirror.syncs import Sync
from fleetkit.time import micros

__all__ = [
    "MOST_IN_TURN",
    "TableCheck",
    "Tally",
    "Verification",
    "check_base",
    "check_files",
    "check_rows",
    "differing",
    "intact_rows",
    "is_as_pinned",
    "missing_sums",
    "moments_after",
    "sum_of",
    "verify",
]

# Most rows of a table that one sync hashes again, if a month has no more: this takes half a second
# of CPU. A large mirror takes more syncs until every month was verified.
MOST_IN_TURN = 500_000
_SUMS = 2  # the first layout that pins sums of hashes; of an older state only the count is known


@dataclass(frozen=True)
class TableCheck:
    """What a verification found of one table.

    Attributes
    ----------
    rows : int
        Row versions.
    states : int
        States that they were proven against.
    problem : str
        What is wrong; empty where every row is as it was written.
    advice : str
        What to do about it, where a full sync can't repair it.
    """

    rows: int
    states: int
    problem: str = ""
    advice: str = ""


@dataclass(frozen=True)
class Verification:
    """What a verification found of a mirror.

    Attributes
    ----------
    path : str
        The mirror.
    version : int
        Its newest sync.
    tables : dict of str → TableCheck
        The tables that any sync could read.
    """

    path: str
    version: int
    tables: dict[str, TableCheck]

    @property
    def intact(self) -> bool:
        """Whether every row version of every state is as it was written."""
        return not self.problems

    @property
    def problems(self) -> dict[str, str]:
        """Table → what is wrong with it."""
        return {name: check.problem for name, check in self.tables.items() if check.problem}

    def error(self) -> MirrorError:
        """Return the error that says what is wrong."""
        what = "; ".join(f"table {name}: {problem}" for name, problem in self.problems.items())
        advice = next((check.advice for check in self.tables.values() if check.advice), "")
        return damaged(self.path, what, advice)

    def __repr__(self) -> str:
        width = max(map(len, self.tables), default=0)
        lines = [f"Mirror {self.path}, version {self.version}"]
        lines += [f"  {name:<{width}}  {_words(check)}" for name, check in self.tables.items()]
        return "\n".join(lines)


def _words(check: TableCheck) -> str:
    if check.problem:
        return f"damaged: {check.problem}"
    states = "1 state" if check.states == 1 else f"{check.states:,} states"
    versions, them = ("version", "it") if check.rows == 1 else ("versions", "them")
    return f"{check.rows:,} row {versions}, as {states} pinned {them}"


def verify(path: str | Path) -> Verification:
    """Verify every row version of a mirror against what its syncs pinned.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL.

    Returns
    -------
    Verification
        What is wrong with which table, if anything is.

    Raises
    ------
    MirrorError
        There is no mirror, its table of syncs can't be read, or the disk or store fails.

    Examples
    --------
    >>> import tempfile
    >>> from fleetkit import mirror, schema, tables
    >>> frames = {name: tables.empty(name) for name in schema.TABLES}
    >>> folder = tempfile.mkdtemp()
    >>> _ = mirror.write(folder, frames, source="here", tz="UTC", requests=3, missing={})
    >>> verify(folder).intact
    True
    """
    store = Store(path)
    table, newest = syncs.require(store)
    states = syncs.states(store, newest.version)
    syncs.last_read(store, table)
    wrong_files = check_files(store, "syncs", table)
    if wrong_files:
        raise damaged(store.path, f"table syncs: {wrong_files}")
    checks = {name: _check(store, name, states) for name in KEYS if newest.holds(name)}
    return Verification(store.path, newest.version, checks)


def _check(store: Store, name: str, states: Sequence[Sync]) -> TableCheck:
    count = sum(state.holds(name) for state in states)
    try:
        table = states[-1].opened(store, name)
        rows, wrong_rows = check_rows(store, name, table, states)
        wrong_files = check_files(store, name, table)
    except Damaged as found:
        return TableCheck(0, count, found.problem, found.remedy)
    return TableCheck(rows, count, "; ".join(filter(None, (wrong_rows, wrong_files))))


def check_files(store: Store, name: str, table: DeltaTable) -> str:
    """Read the files of a table one by one; return what is wrong with them, if anything is."""
    with store.doing("read"):
        wrong = sum(not has_true_statistics(file) for file in files(store, name, table))
    return f"{wrong:,} of its files can't be read, or have wrong statistics" if wrong else ""


def check_rows(
    store: Store, name: str, table: DeltaTable, states: Sequence[Sync]
) -> tuple[int, str]:
    """Read a table whole; return how many row versions it has, and what is wrong with them.

    Raises
    ------
    MirrorError
        It can't be read.
    """
    with store.doing("read"):
        tally = Tally.of(table)
    problems = []
    if tally.corrupt:
        problems.append(f"{tally.corrupt:,} of {tally.rows:,} row versions were changed")
    stray = tally.stray({micros(state.fetched_at) for state in states})
    if stray:
        problems.append(f"{stray:,} of them begin or end at no sync")
    wrong = differing(name, tally, states)
    if wrong:
        span = f"{wrong[0]}" if len(wrong) == 1 else f"{wrong[0]} to {wrong[-1]}"
        problems.append(f"the states of versions {span} aren't what was pinned")
    return tally.rows, "; ".join(problems)


def check_base(
    store: Store, newest: Sync, tables: Mapping[str, DeltaTable | None], share: float
) -> dict[str, np.ndarray]:
    """Refuse to build on tables that aren't what the newest sync pinned.

    Parameters
    ----------
    store : Store
    newest : Sync
    tables : dict of str → DeltaTable or None
        As it pinned them.
    share : float
        Share, 0 to 1, of the months whose flights are hashed again; less than 1, no more months at
        once than have `MOST_IN_TURN` rows, but always one.

    Returns
    -------
    dict of str → array
        Table that is partitioned by month → its `current_hashes`, which were read for that.

    Raises
    ------
    MirrorError
        Rows are missing, were changed, or can't be read.
    """
    hashes = {}
    for name, table in tables.items():
        if table is None:
            continue
        with store.doing("read"):
            if name in PARTITIONED and MONTH in table.metadata().partition_columns:
                hashes[name] = current_hashes(table)
                current, corrupt = Sum.of(hashes[name]), _corrupt_in_turn(table, newest, share)
            else:
                tally = Tally.of(table, CURRENT)
                current, corrupt = sum(tally.opened.values(), Sum()), tally.corrupt
        if not is_as_pinned(name, newest, current):
            raise damaged(
                store.path,
                f"the {current.rows:,} current rows of table {name} aren't the "
                f"{newest.tables[name].rows:,} that version {newest.version} left",
            )
        if corrupt:
            raise damaged(store.path, f"{corrupt:,} rows of table {name} were changed")
    return hashes


def _corrupt_in_turn(table: DeltaTable, newest: Sync, share: float) -> int:
    """Hash the current rows of the months whose turn it is; return how many aren't intact."""
    due = ", ".join(f"'{month}'" for month in _months_in_turn(table, newest, share))
    return Tally.of(table, f"{CURRENT} AND {MONTH} IN ({due})").corrupt if due else 0


def sum_of(table: DeltaTable, where: str) -> Sum:
    """Return the sum of the stored hashes of the rows where a condition (SQL) holds."""
    hashes = (batch["row_hash"] for batch in batches(table, ["row_hash"], where))
    return sum((Sum.of(batch.fill_null(0).to_numpy()) for batch in hashes), Sum())


def _months_in_turn(table: DeltaTable, newest: Sync, share: float) -> list[str]:
    """Return the months whose turn it is; successive syncs leave none out."""
    rows: Counter[str] = Counter()
    for file in pa.table(table.get_add_actions(flatten=True)).to_pylist():
        rows[file[MONTH_IN_LOG]] += file["num_records"] or 0
    months = sorted(rows)
    if not months or share == 0:
        return []
    due = math.ceil(round(share * len(months), 6))
    if share < 1:
        due = max(1, min(due, MOST_IN_TURN * len(months) // max(1, rows.total())))
    first = newest.version * due
    return [months[(first + number) % len(months)] for number in range(due)]


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
        Those whose values don't give their hash.
    """

    opened: dict[int, Sum] = field(default_factory=dict)
    closed: dict[int, Sum] = field(default_factory=dict)
    rows: int = 0
    corrupt: int = 0

    @classmethod
    def of(cls, table: DeltaTable, where: str = "true") -> Tally:
        """Add up the row versions where a condition (SQL) holds, a batch at a time."""
        tally = cls()
        columns = column_names(table)
        for batch in batches(table, columns, where):
            tally.add(pa.Table.from_batches([batch]))
        return tally

    def add(self, rows: pa.Table) -> None:
        """Add some row versions."""
        self.rows += rows.num_rows
        self.corrupt += rows.num_rows - int(intact_rows(rows).sum())
        hashes = rows["row_hash"].fill_null(0).to_numpy()
        for sums, name in ((self.opened, "valid_from"), (self.closed, "valid_to")):
            moments = rows[name].cast(pa.int64())
            exists = moments.is_valid().to_numpy()
            sums_at = Sum.by(moments.drop_null().to_numpy(), hashes[exists])
            for moment, total in sums_at.items():
                sums[moment] = sums.get(moment, Sum()) + total

    def close(self, hashes: np.ndarray, moment: int) -> None:
        """Let current rows end."""
        self.closed[moment] = self.closed.get(moment, Sum()) + Sum.of(hashes)

    def states(self, moments: Sequence[int]) -> list[Sum]:
        """Return the sum over the rows that are current, at each of some moments in order."""
        states, total = [], Sum()
        events = sorted({*self.opened, *self.closed}, reverse=True)
        for moment in moments:
            while events and events[-1] <= moment:
                event = events.pop()
                total += self.opened.get(event, Sum()) - self.closed.get(event, Sum())
            states.append(total)
        return states

    def stray(self, moments: Collection[int]) -> int:
        """Count the beginnings and ends at other moments than the ones given."""
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


def moments_after(table: DeltaTable, after: datetime | None) -> int:
    """Count the moments later than the one given at which row versions begin or end."""
    if not set(VALIDITY) <= set(column_names(table)):
        return 0  # another program has replaced the table, which a restore undoes
    moments: set[int] = set()
    for batch in batches(table, VALIDITY, "true"):
        for name in VALIDITY:
            moments.update(pc.unique(batch[name].cast(pa.int64()).drop_null()).to_pylist())
    return len([moment for moment in moments if after is None or moment > micros(after)])


def is_as_pinned(name: str, state: Sync, total: Sum) -> bool:
    """Return whether the current rows of a table are those that a sync pinned."""
    pin = state.tables[name]
    if state.layout < _SUMS:
        return total.rows == pin.rows
    return total == Sum.pinned(pin.rows, pin.fingerprint)


def missing_sums(name: str, tally: Tally, states: Sequence[Sync]) -> list[tuple[Sync, Sum]]:
    """Return what a table lacks of the sum that each sync pinned, of the syncs that prove it.

    These are all syncs, in order, since the table was first read, and since it is whole.

    Parameters
    ----------
    name : str
        The table.
    tally : Tally
        What it holds.
    states : sequence of Sync
        All syncs, in order.
    """
    known = [state for state in states if state.holds(name) and state.layout >= _SUMS]
    since = known[-1].tables[name].whole_since if known else 0
    proving = [state for state in known if state.version >= since]
    totals = tally.states([micros(state.fetched_at) for state in proving])
    pins = [state.tables[name] for state in proving]
    return [
        (state, Sum.pinned(pin.rows, pin.fingerprint) - total)
        for state, pin, total in zip(proving, pins, totals, strict=True)
    ]


def differing(name: str, tally: Tally, states: Sequence[Sync]) -> list[int]:
    """Return the versions of the syncs whose state of a table isn't what they pinned."""
    return [state.version for state, due in missing_sums(name, tally, states) if due != Sum()]
