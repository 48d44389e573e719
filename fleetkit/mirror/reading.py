"""An open mirror: one state of the organisation, offline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from deltalake import DeltaTable

from fleetkit.arguments import check_tokens
from fleetkit.columns import DETAIL_COLUMNS, Column, table_columns
from fleetkit.errors import Forbidden, InvalidValue, MirrorError
from fleetkit.html import html_table
from fleetkit.mirror import scanning, syncs
from fleetkit.mirror.history import (
    Versions,
    between,
    changes_of,
    months,
    no_changes,
    not_over,
    sql,
    utc,
)
from fleetkit.mirror.layout import CURRENT, KEYS, MONTH, PARTITIONED, restore, restore_scanned
from fleetkit.mirror.store import Store, batches, column_names, query, sync_command
from fleetkit.mirror.syncs import Sync
from fleetkit.mirror.verification import is_as_pinned, sum_of
from fleetkit.tables import Differences

__all__ = ["Mirror", "check_table", "open_mirror", "verified_since"]


def check_table(name: Any) -> None:
    """Refuse what is not the name of a table."""
    check_tokens([name], KEYS, "table", "Tables")


def open_mirror(
    path: str | Path,
    version: int | None = None,
    as_of: datetime | None = None,
    *,
    is_temporary: bool = False,
) -> Mirror:
    """Open a mirror at one of its versions.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL that `write` filled.
    version : int, optional
        Number of a sync; default: the newest. The state stays the same while others sync.
    as_of : datetime, optional
        The state at that moment instead: the newest sync until then. A naive moment is UTC.
    is_temporary : bool
        As the attribute of `Mirror`.

    Raises
    ------
    MirrorError
        There is no mirror, it was written by a newer fleetkit, or it has no such version, or none
        so early.
    InvalidValue
        Both `version` and `as_of`.
    """
    if version is not None and as_of is not None:
        raise InvalidValue("Give version= or as_of=, not both.")
    store = Store(path)
    _, newest = syncs.require(store)
    chosen: Sync | None = newest
    if as_of is not None:
        chosen = _state_at(store, newest, utc(as_of))
    elif version is not None and version != newest.version:
        _, chosen = syncs.find(store, version)
    return Mirror(store, newest, chosen or newest, is_temporary=is_temporary)


def _state_at(store: Store, newest: Sync, moment: datetime) -> Sync:
    states = syncs.states(store, newest.version)
    earlier = [state for state in states if state.written_at <= moment]
    if not earlier:
        raise MirrorError(
            f"The mirror {store.path} has no state of {moment:%Y-%m-%d %H:%M:%S} UTC: it watches "
            f"since {states[0].written_at:%Y-%m-%d %H:%M:%S} UTC.",
            advice="Open it as of a later moment, or by its version.",
        )
    return earlier[-1]


@dataclass(frozen=True)
class _Stored:
    """A table as a sync pinned it, and the columns that it has to show."""

    table: DeltaTable
    columns: list[str]

    @cached_property
    def live(self) -> pa.Table:
        """Its `live_files`."""
        return scanning.live_files(self.table)


class Mirror:
    """One state of an organisation, as a sync left it.

    Attributes
    ----------
    path : str
        Folder or object-store URL.
    version : int
        Number of the sync.
    fetched_at : datetime
        The time of the clock when the sync began to read, UTC.
    moment : datetime
        The same, unless a clock was ahead before: row versions begin and end at it, so it grows
        from sync to sync.
    source, tz : str
        Address of the service; IANA time zone of the fleet's months.
    requests : int
        HTTP requests that the sync took.
    missing : dict of str → str
        Tables that the key couldn't read → the scope that it lacked. Rows of an earlier sync, if
        any, are still there.
    versions : dict of str → int
        Version of each Delta table.
    fingerprint : str
        Hash over all current rows: the same for the same data, whenever and wherever they were
        written.
    has_details : bool
        Whether projects have the columns of `fleetkit.columns.DETAIL_COLUMNS`.
    is_temporary : bool
        Whether it was made for reports alone, and goes with them: nobody can give it a history.
    """

    def __init__(
        self, store: Store, newest: Sync, chosen: Sync, *, is_temporary: bool = False
    ) -> None:
        self._store, self._newest, self._chosen = store, newest, chosen
        # By the sync that pinned them: each is opened and checked once.
        self._opened: dict[tuple[str, int], _Stored] = {}
        self.path = store.path
        self.version = chosen.version
        self.fetched_at, self.moment = chosen.written_at, chosen.fetched_at
        self.source, self.tz, self.requests = chosen.source, chosen.tz, chosen.requests
        self.missing = chosen.missing
        self.versions = {
            name: pin.version for name, pin in chosen.tables.items() if pin.version is not None
        }
        self.fingerprint = chosen.fingerprint
        self.has_details = chosen.details
        self.is_temporary = is_temporary
        self._proven: set[str] = set()

    def __getstate__(self) -> dict[str, Any]:
        # Another process opens tables for itself.
        return {**self.__dict__, "_opened": {}}

    def table(
        self,
        name: str,
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        in_order: bool = True,
    ) -> pd.DataFrame:
        """Return a table, sorted by its key, with the contract's columns and dtypes.

        Parameters
        ----------
        name : str
            One of the seven tables.
        since, until : datetime, optional
            Flights in ``[since, until)``; of their bridge, all rows of these months; naive moments
            are UTC. Only the months in question are read.
        in_order : bool
            False leaves the rows in no order, which takes half the time.

        Returns
        -------
        DataFrame
            As `fleetkit.tables` gave it to the sync.

        Raises
        ------
        Forbidden
            The key could never read this table.
        InvalidValue
            There is no such table, or `since` or `until` for one that has no months.
        MirrorError
            Files are missing or damaged, or no sync knew this table.
        """
        since, until = self._ends(name, since, until)
        conditions = (between if name == "flights" else months)(since, until)
        rows = self._query(name, None, *conditions)
        with self._store.doing("read"):
            return restore(name, rows, self._chosen.tables[name].further, in_order=in_order)

    def flight_dates(self, since: datetime | None, until: datetime | None) -> pa.Table:
        """Return the column ``flight_date`` of the flights in ``[since, until)``."""
        return self._query("flights", ["flight_date"], *between(since, until))

    def _query(
        self, name: str, columns: Sequence[str] | None, *conditions: str, current: bool = True
    ) -> pa.Table:
        """Return columns, by default all, of the rows of this state where conditions (SQL) hold.

        With ``current=False`` these are the row versions of any state. A later sync may have
        deleted files that were out of use for a week; then the same rows are in those that it left.
        """
        while True:
            try:
                stored = self._stored(name)
                where = [self._is_current(), *conditions] if current else conditions
                with self._store.doing("read"):
                    return query(stored.table, columns or stored.columns, " AND ".join(where))
            except MirrorError:
                if not self._follow():
                    raise

    def _follow(self) -> bool:
        """Read the same state from what a later sync left, if there is one."""
        with suppress(MirrorError):
            _, newest = syncs.find(self._store)
            if newest is not None and newest.version > self._newest.version:
                self._newest = newest
                return True
        return False

    def count(self, name: str) -> int:
        """Return how many current rows a table has, as its sync pinned them; nothing is read."""
        pin = self._chosen.tables.get(name)
        return 0 if pin is None else pin.rows

    def restored(self, name: str, rows: pa.Table) -> pd.DataFrame:
        """Return rows that an engine read by `scan`, with the contract's columns and dtypes."""
        return restore_scanned(name, rows, self._chosen.tables[name].further)

    def further(self, name: str) -> list[str]:
        """Return the columns of a table that the reference doesn't know."""
        return list(self._chosen.tables[name].further)

    def values(self, name: str, column: str) -> list[str]:
        """Return the texts that occur in a column of a table, each once, sorted."""
        rows = self._query(name, [column])
        return sorted(rows[column].combine_chunks().unique().drop_null().to_pylist())

    def scan(
        self,
        name: str,
        engine: Any = "polars",
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        months: Sequence[str] | None = None,
    ) -> Any:
        """Return a table as a lazy frame of another engine, which reads only what it must.

        Parameters
        ----------
        name : str
            One of the seven tables.
        engine : str, DuckDBPyConnection, SparkSession or dask.distributed.Client
            As for `fleetkit.engines.session_of`. A cluster reads the files itself, so it must
            reach them.
        since, until : datetime, optional
            As for `table`.
        months : list of str, optional
            Only the flights of these months, or their bridge; see `months_together`.

        Returns
        -------
        polars.LazyFrame, DuckDBPyRelation, dask.dataframe.DataFrame or pyspark.sql.DataFrame
            The columns of `table`, in no order of rows; closed sets are text. Takes every metric
            over flights.

        Raises
        ------
        Forbidden, InvalidValue, MirrorError
            As `table` does; InvalidValue also for an engine that isn't known or not installed.
        """
        rows = self._rows(name, since, until)
        if months is not None:
            rows = replace(rows, months=tuple(months))
        with self._store.doing("read"):
            return scanning.scan(rows, engine)

    def months_together(self, rows: int) -> list[list[str]]:
        """Return the months of flights, as many together as hold so many rows.

        A flight and its bridge are in one month, that of its date in UTC; without a date in
        "undated". States of mirrors from before the bridge had months give none.
        """
        if self._chosen.layout < syncs.LAYOUT:
            return []
        return _together(self._rows("flights").rows_by_month, rows)

    def months_changed_together(self, after: datetime, rows: int) -> list[list[str]]:
        """Return the months of flights that changed after a moment, as `months_together` does.

        As many together as changed in so many row versions; what was opened or closed is counted.
        """
        versions, counts = self.row_versions("flights"), Counter[str]()
        table = self._stored("flights").table
        with self._store.doing("read"):
            for batch in batches(table, [MONTH], versions.changed_after(after)):
                counts.update(
                    {
                        row["values"]: row["counts"]
                        for row in batch[MONTH].value_counts().to_pylist()
                    }
                )
        return _together(dict(sorted(counts.items())), rows)

    def _rows(
        self, name: str, since: datetime | None = None, until: datetime | None = None
    ) -> scanning.Rows:
        since, until = self._ends(name, since, until)
        stored = self._stored(name)
        known = {column.name for column in self._contract(name)}
        dtypes = self._chosen.tables[name].further
        further = {column: dtypes[column] for column in stored.columns if column not in known}
        moment = None if self._chosen.version == self._newest.version else self.moment
        folder = self._store.folder
        return scanning.Rows(
            stored.table,
            stored.live,
            self._store.location(name),
            self._contract(name),
            further,
            moment,
            since,
            until,
            folder=folder and folder / name,
        )

    def syncs(self) -> pd.DataFrame:
        """Return one row per sync, up to this state.

        Returns
        -------
        DataFrame
            ``version`` (int64), ``fetched_at`` (datetime64[us, UTC]), ``complete`` (bool: the key
            could read every table), ``source`` (str), ``requests``, ``rows`` (int64: of all
            tables), ``fingerprint`` (str).
        """
        return syncs.as_frame(self.states)

    @cached_property
    def states(self) -> list[Sync]:
        """What each sync left, up to this state."""
        return syncs.states(self._store, self.version)

    @property
    def readable(self) -> list[str]:
        """The tables that any sync up to this state could read."""
        return [name for name in KEYS if self._chosen.holds(name)]

    def watched_since(self, name: str) -> datetime:
        """Return when a sync first read a table: what was before, the mirror can't know.

        Raises
        ------
        Forbidden
            The key could never read this table.
        InvalidValue
            There is no such table.
        """
        return self.whole_states(name)[0].fetched_at

    def whole_states(self, name: str) -> list[Sync]:
        """Return the states up to this one that hold a table, and can be compared with this one.

        Raises
        ------
        Forbidden
            The key could never read this table.
        InvalidValue
            There is no such table.
        """
        self._stored(name)
        known = [state for state in self.states if state.holds(name)]
        since = self._newest.tables[name].whole_since
        return [state for state in known if state.version >= since] or known[-1:]

    def differences(self) -> Differences | None:
        """Return which copies of flights differ, as each list was last read up to this state.

        Returns
        -------
        dict or None
            Flight → piece of equipment whose list has a copy that differs from the one that is
            stored → columns. None where some list was last read by a fleetkit that didn't look.

        Raises
        ------
        Forbidden, MirrorError
            As for `table`.
        """
        self._stored("flights")
        pieces = set(self.table("equipment")["equipment_id"])
        return syncs.differences(self._store, self._store.table("syncs"), pieces, self.version)

    def history(
        self, name: str, since: datetime | None = None, until: datetime | None = None
    ) -> pd.DataFrame:
        """Return every row version of a table that is known at this state.

        Parameters
        ----------
        name : str
            One of the seven tables.
        since, until : datetime, optional
            Flights only: row versions with a ``flight_date`` in ``[since, until)``; naive moments
            are UTC. Only the months in question are read.

        Returns
        -------
        DataFrame
            The contract's columns (projects with their two detail fields where any sync read
            them), columns that the reference doesn't know as text, then ``valid_from`` (when a
            sync first saw it so) and ``valid_to`` (null while it is current), both
            datetime64[us, UTC]. Sorted by key, then ``valid_from``.

        Raises
        ------
        Forbidden, InvalidValue, MirrorError
            As for `table`.
        """
        check_table(name)
        if name != "flights" and (since is not None or until is not None):
            raise InvalidValue(f"The history of {name} can't be cut by time; only flights' can.")
        versions = self.row_versions(name)
        return versions.frame(versions.read(*between(since, until)))

    def changes(
        self,
        name: str | None = None,
        since: datetime | None = None,
        row_filter: Callable[[str, pd.DataFrame], pd.Series[bool]] | None = None,
    ) -> pd.DataFrame:
        """Return what changed after a moment, up to this state; see `fleetkit.Fleet.changes`.

        Parameters
        ----------
        name : str, optional
            One table; default: all that any sync could read.
        since : datetime, optional
            Changes observed later than this; naive moments are UTC. Default: all.
        row_filter : callable, optional
            Takes a table's name and row versions as a frame, says which are selected; the others
            don't count.

        Raises
        ------
        Forbidden, InvalidValue, MirrorError
            As for `table`.
        """
        if name is None:
            every = [self.changes(table, since, row_filter) for table in self.readable]
            changes = pd.concat([no_changes(), *every])
            return changes.sort_values("observed_at", kind="stable")
        begun = self.watched_since(name)
        after = begun if since is None else max(begun, utc(since))
        return changes_of(
            self.row_versions(name),
            after,
            row_filter=None if row_filter is None else partial(row_filter, name),
            unseen=self._first_details(name),
        )

    def row_versions(self, name: str) -> Versions:
        """Return the row versions of a table that are known at this state, to read parts of.

        Parameters
        ----------
        name : str
            One of the seven tables.

        Returns
        -------
        Versions
            Its ``read`` takes conditions (SQL) and reads the row versions where they hold,
            ``changed_after`` gives such a condition, ``frame`` makes a DataFrame of them.

        Raises
        ------
        Forbidden, InvalidValue, MirrorError
            As for `table`.
        """
        stored = column_names(self._stored(name).table)
        detailed = any(state.details for state in self.states)
        known = [column.name for column in table_columns(name, detail=detailed)]
        further = [pair for state in self.states for pair in state.tables[name].further.items()]
        columns = [column for column in dict.fromkeys([*known, *dict(further)]) if column in stored]
        numbers = {column for column, dtype in further if dtype == "float64"}
        read = partial(self._query, name, current=False)
        return Versions(name, columns, self.moment, read, numbers)

    def _first_details(self, name: str) -> tuple[datetime, tuple[str, ...]] | None:
        """Return when a sync first asked for the detail fields of projects."""
        first = next((state.fetched_at for state in self.states if state.details), None)
        return (first, DETAIL_COLUMNS) if name == "projects" and first is not None else None

    def _stored(self, name: str) -> _Stored:
        """Return a table as it is pinned."""
        check_table(name)
        pin = self._chosen.tables[name]
        if pin.version is None and not pin.scope:
            raise MirrorError(
                f"Version {self.version} of the mirror {self.path} holds no {name}: the fleetkit "
                "that synced it didn't know them.",
                advice=f"Sync once more: {sync_command(self.path)}.",
            )
        if pin.version is None:
            raise Forbidden(
                f"The mirror {self.path} holds no {name}: the key that synced it lacked "
                f"{pin.scope}.",
                scope=pin.scope,
                status=403,
                advice="Sync with a key that has this scope.",
            )
        key = name, self._newest.version
        if key not in self._opened:
            self._opened[key] = self._open(name, pin.further)
        return self._opened[key]

    def _open(self, name: str, further: Iterable[str]) -> _Stored:
        # Rows never lose their history, so the newest table has every earlier state too.
        table = self._newest.opened(self._store, name)
        if self._chosen.version < self._newest.tables[name].whole_since:
            self._check_whole(name, table)
        stored = column_names(table)
        columns = dict.fromkeys([*(column.name for column in self._contract(name)), *further])
        return _Stored(table, [column for column in columns if column in stored])

    def _check_whole(self, name: str, table: DeltaTable) -> None:
        """Refuse a state of a table whose rows were given up by a repair."""
        if name in self._proven:
            return
        with self._store.doing("read"):
            total = sum_of(table, self._is_current())
        if not is_as_pinned(name, self._chosen, total):
            since = self._newest.tables[name].whole_since
            raise MirrorError(
                f"Version {self.version} of the mirror {self.path} is no longer whole: table "
                f"{name} was damaged, and rows of it were given up by version {since}.",
                advice=f"Open version {since} or a later one.",
            )
        self._proven.add(name)

    def _ends(
        self, name: str, since: datetime | None, until: datetime | None
    ) -> tuple[datetime | None, datetime | None]:
        """Return both ends of a window in UTC; none where the bridge has no months yet."""
        check_table(name)
        is_cut = since is not None or until is not None
        if is_cut and name not in PARTITIONED:
            raise InvalidValue(f"Table {name} can't be cut by time; only flights can.")
        if name != "flights" and self._chosen.layout < syncs.LAYOUT:
            return None, None
        return since and utc(since), until and utc(until)

    def _contract(self, name: str) -> tuple[Column, ...]:
        return table_columns(name, detail=self.has_details)

    def _is_current(self) -> str:
        if self._chosen.version == self._newest.version:
            return CURRENT
        return f"valid_from <= {sql(self.moment)} AND ({not_over(self.moment)})"

    def __repr__(self) -> str:
        lacking = f", without {', '.join(self.missing)}" if self.missing else ""
        return (
            f"<Mirror {self.path}, version {self.version} of "
            f"{self.fetched_at:%Y-%m-%d %H:%M} UTC{lacking}>"
        )

    def _repr_html_(self) -> str:
        pins = self._chosen.tables.items()
        rows = [(name, f"{pin.rows:,}", _state(pin.scope)) for name, pin in pins]
        heads = ("table", "rows", "")
        return f"<div>{escape(repr(self).strip('<>'))}{html_table(rows, heads, right={1})}</div>"


def _together(counts: Mapping[str, int], rows: int) -> list[list[str]]:
    """Return months in their order, as many together as hold so many rows."""
    groups: list[list[str]] = []
    count = rows
    for month, held in counts.items():
        if count >= rows:
            groups.append([])
            count = 0
        groups[-1].append(month)
        count += held
    return groups


def _state(scope: str) -> str:
    return f"the key lacks {scope}" if scope else ""


def verified_since(mirror: Mirror) -> datetime | None:
    """Return since when every list of flights was read whole, each at this moment or later.

    Parameters
    ----------
    mirror : Mirror
        An open one; syncs after its state don't count.

    Returns
    -------
    datetime or None
        UTC. None where there is no equipment, or where the list of some piece was last read by a
        sync that didn't record what it read, or whose clock was ahead, so that nobody knows when.

    Raises
    ------
    MirrorError
        Files are missing or damaged.
    """
    if "equipment" not in mirror.readable:
        return None
    store = Store(mirror.path)
    read, _ = syncs.last_read(store, store.table("syncs"), mirror.version)
    moments = {state.version: state.written_at for state in mirror.states}
    pieces = mirror.table("equipment")["equipment_id"]
    if pieces.empty or not set(pieces) <= set(read):
        return None
    times = {moments[read[piece]] for piece in pieces}
    return min(times) if max(times) <= mirror.fetched_at else None
