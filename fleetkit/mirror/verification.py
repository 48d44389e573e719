"""Verification at three depths: a mirror whole, a table whole, and what a sync builds on.

Whole means every row version, so it takes as long as reading and hashing all of them. A sync proves
what it compares with: the log of each table, the hashes of all current rows, the values of small
tables, and the values of a share of the months in turn, as the audit reads lists in turn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable

from fleetkit.errors import MirrorError
from fleetkit.mirror import syncs
from fleetkit.mirror.files import files, true_statistics
from fleetkit.mirror.hashes import Sum
from fleetkit.mirror.layout import CURRENT, KEYS, MONTH, PARTITIONED
from fleetkit.mirror.problems import damaged
from fleetkit.mirror.store import Store
from fleetkit.mirror.sums import (
    Tally,
    as_pinned,
    current_sum,
    differing,
    micros,
    proven_sum,
)
from fleetkit.mirror.syncs import Pin, Sync
from fleetkit.mirror.syncs import states as all_states

__all__ = [
    "MOST_IN_TURN",
    "TableCheck",
    "Verification",
    "check_base",
    "check_files",
    "check_rows",
    "verify",
]

# Of a large mirror a sync hashes about as many rows of a table anew, however many there are: half a
# second of a processor. Then it takes more syncs until every month was verified.
MOST_IN_TURN = 500_000


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
    """

    rows: int
    states: int
    problem: str = ""


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
        return damaged(self.path, what)

    def __repr__(self) -> str:
        width = max(map(len, self.tables), default=0)
        lines = [f"Mirror {self.path}, version {self.version}"]
        lines += [f"  {name:<{width}}  {_words(check)}" for name, check in self.tables.items()]
        return "\n".join(lines)


def _words(check: TableCheck) -> str:
    if check.problem:
        return f"damaged: {check.problem}"
    states = "1 state" if check.states == 1 else f"{check.states:,} states"
    return f"{check.rows:,} row versions, as {states} pinned them"


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
        There is no mirror, or its table of syncs can't be read.

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
    known = all_states(store, newest.version)
    syncs.last_read(store, table)
    wrong_files = check_files(store, "syncs", table)
    if wrong_files:
        raise damaged(store.path, f"table syncs: {wrong_files}")
    checks = {}
    for name in KEYS:
        pin = newest.tables[name]
        if pin.version is not None:
            checks[name] = _check(store, name, pin, known)
    return Verification(store.path, newest.version, checks)


def _check(store: Store, name: str, pin: Pin, known: Sequence[Sync]) -> TableCheck:
    count = len([state for state in known if state.holds(name)])
    try:
        assert pin.version is not None  # noqa: S101
        table = store.pinned(name, pin.version, pin.log)
        rows, wrong_rows = check_rows(store, name, table, known)
        wrong_files = check_files(store, name, table)
    except MirrorError as unreadable:
        return TableCheck(0, count, unreadable.message)
    return TableCheck(rows, count, "; ".join(filter(None, (wrong_rows, wrong_files))))


def check_files(store: Store, name: str, table: DeltaTable) -> str:
    """Read the files of a table one by one; return what is wrong with them, if anything is."""
    with store.doing("read"):
        untrue = sum(not true_statistics(file) for file in files(store, name, table))
    return f"{untrue:,} of its files can't be read, or have wrong statistics" if untrue else ""


def check_rows(
    store: Store, name: str, table: DeltaTable, known: Sequence[Sync]
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
    stray = tally.stray({micros(state.fetched_at) for state in known})
    if stray:
        problems.append(f"{stray:,} of them begin or end at no sync")
    wrong = differing(name, tally, known)
    if wrong:
        span = f"{wrong[0]}" if len(wrong) == 1 else f"{wrong[0]} to {wrong[-1]}"
        problems.append(f"the states of versions {span} aren't what was pinned")
    return tally.rows, "; ".join(problems)


def check_base(
    store: Store, newest: Sync, tables: Mapping[str, DeltaTable | None], share: float
) -> None:
    """Refuse to build on tables that aren't what the newest sync pinned.

    Parameters
    ----------
    store : Store
    newest : Sync
    tables : dict of str → DeltaTable or None
        As it pinned them.
    share : float
        Share, 0 to 1, of the months whose flights are hashed anew; less than 1, no more months at
        once than have `MOST_IN_TURN` rows, but always one.

    Raises
    ------
    MirrorError
        Rows are missing, were changed, or can't be read.
    """
    for name, table in tables.items():
        if table is None:
            continue
        with store.doing("read"):
            current, corrupt = _base_of(name, table, newest, share)
        if not as_pinned(name, newest, current):
            raise damaged(
                store.path,
                f"the {current.rows:,} current rows of table {name} aren't the "
                f"{newest.tables[name].rows:,} that version {newest.version} left",
            )
        if corrupt:
            raise damaged(store.path, f"{corrupt:,} rows of table {name} were changed")


def _base_of(name: str, table: DeltaTable, newest: Sync, share: float) -> tuple[Sum, int]:
    """Return the sum over the current rows, and how many of those hashed anew aren't intact."""
    if name not in PARTITIONED or MONTH not in table.metadata().partition_columns:
        return proven_sum(table, CURRENT)
    due = _months_in_turn(table, newest, share)
    months = ", ".join(f"'{month}'" for month in due)
    corrupt = proven_sum(table, f"{CURRENT} AND {MONTH} IN ({months})")[1] if due else 0
    return current_sum(table), corrupt


def _months_in_turn(table: DeltaTable, newest: Sync, share: float) -> list[str]:
    """Return the months whose turn it is; none is left out while syncs follow one another."""
    rows: Counter[str] = Counter()
    for file in pa.table(table.get_add_actions(flatten=True)).to_pylist():
        rows[file[f"partition.{MONTH}"]] += file["num_records"] or 0
    months = sorted(rows)
    if not months or share == 0:
        return []
    due = math.ceil(round(share * len(months), 6))
    if share < 1:
        due = max(1, min(due, MOST_IN_TURN * len(months) // max(1, rows.total())))
    begun = newest.version * due
    return [months[(begun + place) % len(months)] for place in range(due)]
