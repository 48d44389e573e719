"""`MirroredFleet`: a fleet read from a mirror, with what only a mirror knows, its history."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Self, cast

import pandas as pd

from fleetkit import mirror as mirrors
from fleetkit.arguments import checked_names, is_whole_number
from fleetkit.engines import Engine, addressed
from fleetkit.errors import InvalidValue
from fleetkit.filters import Filter
from fleetkit.fleet.arguments import checked_version
from fleetkit.fleet.core import BY_ANY, Fleet
from fleetkit.fleet.history import HistoryFilter
from fleetkit.fleet.lazy import ScannedTables
from fleetkit.fleet.offline import MirrorSource
from fleetkit.fleet.restating import ledger, state_at
from fleetkit.fleet.window import DATED, Window, window, windows
from fleetkit.schema import TableName
from fleetkit.settings import Settings
from fleetkit.time import Clock, Moment, PeriodLike

if TYPE_CHECKING:
    from pathlib import Path

    from fleetkit.engines import Session
    from fleetkit.fleet.window import Periods

__all__ = ["MirroredFleet"]


class MirroredFleet(Fleet):
    """A fleet at one state of a mirror: every call of `Fleet` but `sync`, and the history.

    Made by `fleetkit.open_mirror`.

    Parameters
    ----------
    mirror : Mirror
        The open mirror.
    tz : str, optional
        IANA time zone in which periods such as ``"2026-10"`` start and end; default: the mirror's.
    where, settings
        As for `Fleet`.

    Attributes
    ----------
    filter : Filter
        What the fleet is narrowed by.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> fleet = fk.open_mirror("mirror")
    >>> len(fleet.history("equipment"))
    16
    """

    def __init__(
        self,
        mirror: mirrors.Mirror,
        *,
        tz: str | None = None,
        where: Filter | None = None,
        settings: Settings | None = None,
    ) -> None:
        super().__init__(
            MirrorSource(mirror),
            tz=mirror.tz if tz is None else tz,
            where=where,
            settings=settings,
        )
        self._mirror = mirror

    @property
    def mirror(self) -> mirrors.Mirror:
        """The open mirror."""
        return self._mirror

    def sync(self, path: str | Path, **options: Any) -> mirrors.SyncReport:
        """Refuse: only a fleet that asks the service can be synced.

        Raises
        ------
        InvalidValue
            Always.

        Examples
        --------
        >>> import fleetkit as fk
        >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
        >>> fk.open_mirror("mirror").sync("another")
        Traceback (most recent call last):
        fleetkit.errors.InvalidValue: A fleet from a mirror can't sync. Sync the fleet that \
fk.connect gives.
        """
        raise InvalidValue(
            "A fleet from a mirror can't sync.", advice="Sync the fleet that fk.connect gives."
        )

    @checked_names("argument of MirroredFleet.history", BY_ANY)
    def history(
        self,
        table: TableName,
        *,
        period: PeriodLike | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> pd.DataFrame:
        """Return every row version of a table that the mirror holds, up to the opened state.

        What was before `watched_since` is not known, and between two syncs only the ends are seen.

        Parameters
        ----------
        table : str
            ``equipment``, ``specifications``, ``flights``, ``flight_equipment``, ``projects``,
            ``services`` or ``tiers``.
        period, since, until : optional
            Flights only: row versions with a ``flight_date`` in the period, or in
            ``[since, until)``, as for `Fleet.flights`; only these months are read.

        Returns
        -------
        DataFrame
            The table's columns (projects with their two detail fields where any sync read them),
            columns that the reference doesn't know as text (one that is called ``valid_from``
            itself as ``api_valid_from``), then ``valid_from`` (when a sync first saw it so) and
            ``valid_to`` (null while it is current), both datetime64[us, UTC]. Sorted by key, then
            ``valid_from``. ``attrs["watched_since"]`` says when the mirror first read
            the table, as ISO text. A narrowed fleet gives all versions of the records of which any
            is selected. Of a flight, the equipment and the project that the filter looks at count
            with everything that they ever were, such as each client that the project ever had.

        Raises
        ------
        InvalidValue
            What is not a table, date or time.
        Forbidden
            No sync could read the table.

        Examples
        --------
        >>> import fleetkit as fk
        >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
        >>> fleet = fk.open_mirror("mirror")
        >>> versions = fleet.history("equipment")
        >>> len(versions), int(versions["valid_to"].count())  # one version each, and it is current
        (16, 0)
        """
        dates = window(period, since=since, until=until, tz=self.tz)
        frame = self._history.history(table, dates)
        rows = self._carrying(frame, watched_since=self.watched_since(table).isoformat())
        return self._remembered(rows, [dates])

    def watched_since(self, table: TableName) -> datetime:
        """Return when a sync first read a table [UTC]; of the time before, it knows nothing.

        Parameters
        ----------
        table : str
            Its name: ``"projects"``.

        Raises
        ------
        InvalidValue
            There is no such table.

        Examples
        --------
        >>> import fleetkit as fk
        >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
        >>> fleet = fk.open_mirror("mirror")
        >>> fleet.watched_since("flights").tzinfo
        zoneinfo.ZoneInfo(key='UTC')
        """
        return self._mirror.watched_since(table)

    @checked_names("argument of MirroredFleet.changes", BY_ANY)
    def changes(
        self,
        table: TableName | None = None,
        *,
        period: PeriodLike | None = None,
        since: Moment | int | None = None,
        until: Moment | None = None,
    ) -> pd.DataFrame:
        """Return what changed from sync to sync, one row per changed field.

        The rows of the first sync of a table are where its history starts, not changes. A record
        that was removed and listed again later is vanished, then inserted.

        Parameters
        ----------
        table : str, optional
            One of the seven tables; default: all that the mirror holds.
        period : str, int, date, pandas.Period or Period, optional
            Only changes observed in this period.
        since : str, date, datetime or int, optional
            Only changes observed later than this moment, or than the state of this version; a date
            means its first moment in the fleet's time zone. Default: all, up to the opened state.
        until : str, date or datetime, optional
            Only changes observed at this moment or before.

        Returns
        -------
        DataFrame
            ``observed_at`` (datetime64[us, UTC]: the sync that saw it; it happened between the
            sync before and that one), ``table``, ``id`` (str; keys of two parts joined by ``/``:
            ``svc_1/tier_1``, ``fl_1/eq_1``, ``eq_1/payload``), ``field`` (as `Fleet.history` calls
            its columns), ``old``, ``new`` (str:
            times as ISO, null where there was no value), ``change`` (ordered categorical:
            inserted, updated, vanished). An inserted or vanished record is one row without a
            field. In order of time. A narrowed fleet gives the changes of records that its filter
            selects, as they were before or as they are after (flights as `Fleet.history` selects
            them); services and tiers are left whole.

        Raises
        ------
        InvalidValue
            An unknown table, or what is not a moment.
        Forbidden
            No sync could read the table that is named.
        MirrorError
            The opened state knows no such version.

        Examples
        --------
        >>> import fleetkit as fk
        >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
        >>> fleet = fk.open_mirror("mirror")
        >>> fleet.changes().empty  # the rows of the first sync are where the history starts
        True
        """
        if not is_whole_number(since) or period is not None:
            ends = window(period, since=cast("Moment | None", since), until=until, tz=self.tz)
            since, until = ends.since, ends.until
        is_selected = self._history.is_selected if self.filter else None
        changes = self._mirror.changes(table, self._moment_of(since), is_selected)
        if until is not None:
            last = self._moment_of(until)
            changes = changes[changes["observed_at"] <= last] if last else changes[:0]
        return self._carrying(changes.reset_index(drop=True))

    @property
    def _history(self) -> HistoryFilter:
        return HistoryFilter(self._mirror, self.filter, self.tz, self._source.clock)

    def _moment_of(self, moment: Moment | int | None) -> datetime | None:
        """Return when the state of a moment or version begins; None before the first."""
        state = None if moment is None else state_at(self._mirror, moment, self.tz)
        return None if state is None else state.fetched_at

    @checked_names("argument of MirroredFleet.restatements", BY_ANY)
    def restatements(
        self, period: PeriodLike | None = None, *, since: Moment | int | None = None
    ) -> pd.DataFrame:
        """Return the restatement ledger: how a period changed since an earlier state of the mirror.

        One row per flight that the period has now and hadn't then, had and hasn't now, or has with
        other values. ``updated_at`` alone restates nothing. A flight counts in the month of its
        ``flight_date``, in the fleet's time zone: one that moved from a month of the period to
        another one is a row in each.

        Parameters
        ----------
        period : str or Period, optional
            ``"2026-09"``, or a Period of many months; default: the last complete month. Only its
            months are read, and of other months what changed since.
        since : str, date, datetime or int, optional
            The state to compare with: the newest until this moment, or that of this version; at
            least the first that had flights. Default: the first sync after the period was over
            (a period that isn't over has no ledger yet).

        Returns
        -------
        DataFrame
            ``month`` (``YYYY-MM``), ``flight_id``, ``kind`` (ordered categorical: "late log", a
            flight that no one knew then; "edit"; "moved in" and "moved out", one that was or is in
            another month, or outside what the filter means; "vanished"), ``observed_at``
            (datetime64[us, UTC]: the sync that saw it come, last saw it change, or saw it gone;
            null where only the filter's view of it changed), ``flight_date``, ``hours_before``,
            ``hours_after`` (what it adds to the month; 0 where it isn't there, or its duration is
            null or not above 0) [h], ``hours`` (after − before) [h], ``fields`` (what changed, of
            an edit: names joined by ", "). ``attrs["since"]`` (as ISO text) and
            ``attrs["version"]`` say which state it was compared with.

        Raises
        ------
        InvalidValue
            What is not a period or a moment.
        Forbidden
            No sync could read flights.
        MirrorError
            The opened state knows no such version.

        Examples
        --------
        >>> import fleetkit as fk
        >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
        >>> fleet = fk.open_mirror("mirror")
        >>> fleet.restatements("2026-09")["kind"].cat.categories.tolist()
        ['late log', 'edit', 'moved in', 'moved out', 'vanished']
        """
        days = self.period(period)
        # UTC's days hold the same dates and instants: no other month is read to tell which.
        clock = Clock(self.tz) if self.tz == "UTC" else self._tables.clock_of_all()
        rows, state = ledger(
            self._mirror,
            days,
            since,
            filter_=self.filter,
            clock=clock,
            flights_at=self._flights_at,
        )
        since_then = state.fetched_at.isoformat()
        carrying = self._carrying(rows, since=since_then, version=state.version)
        return self._remembered(carrying, [Window(days.since, days.until)])

    def _flights_at(self, version: int, part: Window) -> pd.DataFrame:
        fleet = self if version == self._mirror.version else self.at(version)
        return fleet._tables.flights_in(part)[0]

    def at(self, version: int) -> Self:
        """Return the same fleet, narrowed the same, at another version of its mirror.

        Parameters
        ----------
        version : int
            Number of a sync.

        Raises
        ------
        InvalidValue
            It is not a number.
        MirrorError
            The mirror has no such version.

        Examples
        --------
        >>> import fleetkit as fk
        >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
        >>> fleet = fk.open_mirror("mirror")
        >>> first = fleet.mirror.version
        >>> fleet.at(first).mirror.version == first
        True
        """
        mirror = mirrors.open(self._mirror.path, version=checked_version(version))
        return self._with(_mirror=mirror, _source=MirrorSource(mirror))

    @checked_names("argument of MirroredFleet.scan", BY_ANY)
    def scan(
        self,
        table: TableName,
        *,
        engine: Engine | Session = "polars",
        period: Periods | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
    ) -> Any:
        """Return a table of a mirror, narrowed as the fleet is, as a lazy frame of another engine.

        Nothing is read until a result is asked for, and then only the columns in question: the way
        to count over more flights than fit into memory. ``fleet.flights(period, engine="polars")``
        is the same frame, and is there for a fleet that asks a service too.

        Parameters
        ----------
        table : str
            One of the seven tables: one of `fleetkit.schema.TABLES`.
        engine : str, DuckDBPyConnection, SparkSession or dask.distributed.Client
            As for `flights`. A cluster reads the files itself, so it must reach them.
        period, since, until : optional
            Only flights of these periods, or in ``[since, until)``, as for `Fleet.flights`, and
            their bridge. Only the files of their months are read.

        Returns
        -------
        polars.LazyFrame, DuckDBPyRelation, dask.dataframe.DataFrame or pyspark.sql.DataFrame
            Takes every metric over flights and gives its result as the same kind of frame.

        Raises
        ------
        InvalidValue
            The fleet is narrowed by a value that no record has; dates for a table that has none; an
            engine that isn't known or not installed.
        Forbidden, MirrorError
            The mirror lacks the table, or can't be read.

        Examples
        --------
        >>> import fleetkit as fk
        >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
        >>> flights = fk.open_mirror("mirror").scan("flights", engine="polars")
        >>> fk.metrics.flight_hours(flights, by="month", tz="UTC").collect().columns
        ['month', 'flights', 'hours']
        """
        mirrors.check_table(table)
        scanned = self._lazy_tables(engine)
        parts = windows(period, since=since, until=until, tz=self.tz, may_start=False)
        if table in DATED:
            return self._remembered(scanned.flights(parts, None, None)[DATED.index(table)], parts)
        if parts != [Window()]:
            raise InvalidValue(f"Table {table} can't be cut by time; only flights can.")
        if table == "projects":
            return self._remembered(scanned.projects(None, details=self._mirror.has_details))
        if table == "equipment":
            return self._remembered(scanned.equipment())
        is_of_pieces = table == "specifications"
        return self._remembered(scanned.specifications() if is_of_pieces else scanned.whole(table))

    def _lazy_tables(self, engine: Engine | Session) -> ScannedTables:
        return ScannedTables(self._tables, self._mirror, addressed(engine, self.settings.clusters))
