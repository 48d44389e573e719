"""`Fleet`: one object, the same calls whether the data come over HTTP or from a mirror."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar, cast, overload

import narwhals as nw
import pandas as pd

from fleetkit import mirror as mirrors
from fleetkit import notices, views
from fleetkit import settings as settings_module
from fleetkit.arguments import checked_names, checked_path, repeatable
from fleetkit.context import attach, changed_settings
from fleetkit.engines import Engine, Pandas, addressed, lazy_engine
from fleetkit.errors import InvalidValue
from fleetkit.exclusion import Excluding, Given, named_values
from fleetkit.filters import Answer, Filter
from fleetkit.fleet import syncing
from fleetkit.fleet.arguments import check_identifier, check_order, equipment_ids
from fleetkit.fleet.documenting import columns_frame, documented
from fleetkit.fleet.exporting import Exported, ExportFormat, Selection, export
from fleetkit.fleet.filtered import FilteredTables, Flights
from fleetkit.fleet.known import HeldByMirror
from fleetkit.fleet.lazy import LoadedTables, ScannedTables
from fleetkit.fleet.live import LiveSource
from fleetkit.fleet.mirror_only import missing_from_fleet
from fleetkit.fleet.occurring import FIELDS, check_flown
from fleetkit.fleet.opposites import opposites
from fleetkit.fleet.rows import copies_of, is_in, sort, sort_flights
from fleetkit.fleet.showing import fleet_html
from fleetkit.fleet.source import Source
from fleetkit.fleet.summary import Summary, summarize
from fleetkit.fleet.window import Periods, Window, named, window, windows
from fleetkit.origins import Read, remember
from fleetkit.schema import FlightOrder, FlightType, ProjectStatus, TableName
from fleetkit.settings import Settings
from fleetkit.time import Clock, Ends, Moment, Period, PeriodLike, last_complete_month, zone_name

if TYPE_CHECKING:
    from fleetkit.engines import Session

__all__ = ["BY_ANY", "Fleet", "check_fleet"]

_Rows = TypeVar("_Rows", pd.DataFrame, pd.Series)

# Advice where an argument is a filter that this call doesn't take.
BY_ANY = "fleet.where(…) narrows by type, pilot, project, client and more."
_BY_OTHERS = "fleet.where(…) narrows by pilot, project, client, night and more."
_BY_PIECES = "fleet.where(…) narrows by type, category, model, condition and more."
_BY_PROJECTS = "fleet.where(…) narrows by client and project, too."
_BY_ROWS = 'Narrow the table itself: tiers[tiers["service_id"] == "svc_1"].'
_BY_COLUMNS = 'Any other column: flights[flights["max_altitude"] > 100], and so of other tables.'


class Fleet:
    """An organisation's equipment, flights, projects and services as DataFrames.

    Made by `fleetkit.connect` or `fleetkit.demo`; `fleetkit.open_mirror` makes a `MirroredFleet`,
    which has its history too. Each table is fetched once and kept until `refresh`; what you get is
    a copy, yours to change.

    Parameters
    ----------
    source : Source
        Where the data come from.
    tz : str
        IANA time zone in which periods such as ``"2026-10"`` start and end.
    where : Filter, optional
        Narrows every table; see `Fleet.where`.
    settings : Settings, optional
        What metrics, explorers and reports look at; default: the defaults.

    Attributes
    ----------
    filter : Filter
        What the fleet is narrowed by.

    Notes
    -----
    Columns are the API's fields in snake_case; ``id`` becomes ``equipment_id``, ``flight_id``,
    ``project_id``, ``service_id``, ``tier_id``. Timestamps are ``datetime64[us, UTC]``, integers
    ``Int64``, numbers ``float64``, booleans ``boolean``, text ``str``; project ``status`` and
    ``flight_type`` are ordered categoricals. ``duration_seconds`` is in [s]; units of weight,
    altitude and distance are not shown by the reference, so the numbers are as reported.
    `Fleet.columns` describes every column.

    Each process has connections of its own, also one that is forked. A pickled fleet is good for
    a worker in which FLEETKIT_API_KEY is the same key: no pickle holds it, nor what was fetched.

    A frame carries its fleet's zone in ``frame.attrs["tz"]``, where the metrics find it; see
    `fleetkit.context` for what pandas hands on, and what drops it.

    Examples
    --------
    >>> import fleetkit as fk
    >>> from datetime import date
    >>> fleet = fk.demo(tz="Europe/London", as_of=date(2026, 11, 20))
    >>> october = fleet.flights("2026-10")
    >>> list(fk.metrics.flight_hours(october, by="month").columns)
    ['month', 'flights', 'hours']
    """

    def __init__(
        self,
        source: Source,
        *,
        tz: str = "UTC",
        where: Filter | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._source = source
        self.tz = tz
        self.filter = where or Filter()
        self._settings = replace(settings or Settings(), base_url="", api_key="")
        self._allow_empty = False

    @property
    def tz(self) -> str:
        """IANA time zone in which periods start and end, and metrics count months and days."""
        return self._tz

    @tz.setter
    def tz(self, tz: str) -> None:
        self._tz = zone_name(tz)

    @property
    def settings(self) -> Settings:
        """What metrics, explorers and reports of this fleet look at: no address, and no key."""
        return replace(self._settings, tz=self.tz)

    @overload
    def equipment(self, *, engine: Pandas | None = None) -> pd.DataFrame: ...
    @overload
    def equipment(self, *, engine: Engine | Session) -> Any: ...
    @documented("equipment")
    @checked_names("argument of Fleet.equipment", _BY_PIECES)
    def equipment(self, *, engine: Engine | Session | Pandas | None = None) -> Any:
        """Return one row per piece of equipment (reference, section 2.1).

        Parameters
        ----------
        engine : optional
            As for `Fleet.flights`.

        Returns
        -------
        DataFrame, or a lazy frame of `engine`
            The columns below, then those that the reference doesn't know.

        Raises
        ------
        InvalidValue
            The fleet is narrowed to a type, model or other value that no equipment has.
        Forbidden
            The key lacks the scope ``equipment:read``.
        IncompleteError, ApiError
            The list could not be read whole.

        Examples
        --------
        >>> import fleetkit as fk
        >>> equipment = fk.demo().equipment()
        >>> "eq_1" in set(equipment["equipment_id"])
        True
        """
        if (lazy := lazy_engine(engine)) is not None:
            return self._remembered(self._lazy_tables(lazy).equipment())
        return self._remembered(self._carrying(self._tables.equipment()))

    @documented("specifications")
    @checked_names("argument of Fleet.specifications", _BY_PIECES)
    def specifications(self) -> pd.DataFrame:
        """Return the free-form specifications of equipment, one row per entry (section 2.1).

        Returns
        -------
        DataFrame
            The columns below.

        Raises
        ------
        InvalidValue, Forbidden, IncompleteError, ApiError
            As for `Fleet.equipment`.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20")
        >>> fleet.specifications().columns.tolist()
        ['equipment_id', 'name', 'value']
        """
        return self._remembered(self._carrying(self._tables.specifications()))

    @overload
    def flights(
        self,
        period: Periods | None = ...,
        until: Moment | None = ...,
        *,
        since: Moment | None = ...,
        flight_type: Iterable[FlightType] | FlightType | Excluding | None = ...,
        equipment: Iterable[str] | str | None = ...,
        order_by: FlightOrder = ...,
        engine: Pandas | None = None,
    ) -> pd.DataFrame: ...
    @overload
    def flights(
        self,
        period: Periods | None = ...,
        until: Moment | None = ...,
        *,
        since: Moment | None = ...,
        flight_type: Iterable[FlightType] | FlightType | Excluding | None = ...,
        equipment: Iterable[str] | str | None = ...,
        order_by: FlightOrder = ...,
        engine: Engine | Session,
    ) -> Any: ...
    @documented("flights")
    @checked_names("argument of Fleet.flights", _BY_OTHERS)
    def flights(
        self,
        period: Periods | None = None,
        until: Moment | None = None,
        *,
        since: Moment | None = None,
        flight_type: Iterable[FlightType] | FlightType | Excluding | None = None,
        equipment: Iterable[str] | str | None = None,
        order_by: FlightOrder = "date_asc",
        engine: Engine | Session | Pandas | None = None,
    ) -> Any:
        """Return one row per flight, however many pieces of equipment logged it.

        Parameters
        ----------
        period : str, int, date, pandas.Period or Period, or a list of them, optional
            A period (``"2026"``, ``"2026-Q4"``, ``"2026-10"``, ``"2026-W41"``, ``"2026-10-31"``), a
            year (``2026``), a day (``date(2026, 10, 31)``), or several periods. Default: all
            flights. With `until`: the start.
        until, since : str, date or datetime, optional
            In place of a period: the flights in ``[since, until)``, midnights in the fleet's time
            zone; ``flights(since, until)`` without names, or two days in a tuple, means the same.
        flight_type : str or list of str, optional
            COMMERCIAL, RECREATIONAL, TRAINING or MAINTENANCE.
        equipment : str, list of str, Series or DataFrame, optional
            Only flights logged under these pieces of equipment: identifiers, or a table that has
            them in its column ``equipment_id``.
        order_by : {"date_asc", "date_desc", "duration_asc", "duration_desc"}
            Order of the rows; ties by flight id, nulls last. Lazy frames are in no order.
        engine : str, DuckDBPyConnection, SparkSession or dask.distributed.Client, optional
            Default: ``"pandas"``. Else whose lazy frame to return: what a service gave is handed
            over to it, and of a mirror it reads the files itself, when a result is asked for.
            ``"polars"``, ``"duckdb"`` (its default connection), ``"dask"``, ``"spark"`` (those of
            the settings of these names, else the active session), or the address of a cluster,
            such as ``sc://spark.example:15002`` or ``tcp://dask.example:8786``.

        Returns
        -------
        DataFrame, or a lazy frame of `engine`
            The columns below (reference, section 2.2), then those that the reference doesn't know.
            A polars.LazyFrame, DuckDBPyRelation, dask.dataframe.DataFrame or
            pyspark.sql.DataFrame has the same rows, with text in place of categoricals, and
            carries no zone: pass ``tz=fleet.tz`` to metrics, and their results to
            `fleetkit.metrics.collect`. Nothing is read to look whether a pilot, a project, an
            operation type or an area occurs: one that doesn't leaves no rows, without an error.
            Where lists hold different copies of a flight, the newest counts: in a mirror that of
            all lists, of a service that of what it is asked for. The lists of some equipment, some
            days or one type alone may hold an older one; see `differing_copies`.

        Raises
        ------
        InvalidValue
            A ValueError: an argument that can't be right; nothing was sent. Or the fleet is
            narrowed by a value that no record has. Or an engine that isn't installed.
        NotFound
            A piece of `equipment` that the organisation doesn't have.
        Forbidden
            The key lacks the scope ``equipment:read``.
        IncompleteError, ApiError
            The flights could not be read whole.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20")
        >>> october = fleet.flights("2026-10")
        >>> fourth_quarter = fleet.flights(["2026-10", "2026-11"], flight_type="TRAINING")
        >>> len(fleet.flights(since="2026-10-05", until="2026-10-19")) < len(october)
        True
        >>> lazy = fleet.flights("2026-10", engine="polars")
        >>> hours = fk.metrics.flight_hours(lazy, by="month", tz=fleet.tz)
        >>> fk.metrics.collect(hours)["flights"].item() == len(october)
        True
        """
        check_order(order_by, engine)
        flight_type, equipment = repeatable(flight_type), repeatable(equipment)
        parts = windows(period, since=since, until=until, tz=self.tz)
        if (lazy := lazy_engine(engine)) is not None:
            rows = self._lazy_tables(lazy).flights(parts, flight_type, equipment)[0]
            return self._remembered(rows, parts, flight_type=flight_type, equipment=equipment)
        flights, _, clock = self._read_flights(parts, flight_type, equipment)
        rows = self._carrying(sort_flights(flights, order_by), clock)
        return self._remembered(rows, parts, flight_type=flight_type, equipment=equipment)

    @overload
    def flight_equipment(
        self,
        period: Periods | None = ...,
        until: Moment | None = ...,
        *,
        since: Moment | None = ...,
        flight_type: Iterable[FlightType] | FlightType | Excluding | None = ...,
        equipment: Iterable[str] | str | None = ...,
        engine: Pandas | None = None,
    ) -> pd.DataFrame: ...
    @overload
    def flight_equipment(
        self,
        period: Periods | None = ...,
        until: Moment | None = ...,
        *,
        since: Moment | None = ...,
        flight_type: Iterable[FlightType] | FlightType | Excluding | None = ...,
        equipment: Iterable[str] | str | None = ...,
        engine: Engine | Session,
    ) -> Any: ...
    @documented("flight_equipment")
    @checked_names("argument of Fleet.flight_equipment", _BY_OTHERS)
    def flight_equipment(
        self,
        period: Periods | None = None,
        until: Moment | None = None,
        *,
        since: Moment | None = None,
        flight_type: Iterable[FlightType] | FlightType | Excluding | None = None,
        equipment: Iterable[str] | str | None = None,
        engine: Engine | Session | Pandas | None = None,
    ) -> Any:
        """Return the bridge: one row per flight and piece of equipment that logged it.

        For figures per piece of equipment, which need not add up to the fleet's: a flight stands
        under the drone and under its camera.

        Parameters
        ----------
        period, since, until, flight_type, equipment, engine
            As for `Fleet.flights`.

        Returns
        -------
        DataFrame, or a lazy frame of `engine`
            The columns below, for the flights that `Fleet.flights` returns.

        Raises
        ------
        InvalidValue, NotFound, Forbidden, IncompleteError, ApiError
            As for `Fleet.flights`.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20")
        >>> fleet.flight_equipment("2026-10").columns.tolist()
        ['flight_id', 'equipment_id']
        """
        flight_type, equipment = repeatable(flight_type), repeatable(equipment)
        parts = windows(period, since=since, until=until, tz=self.tz)
        if (lazy := lazy_engine(engine)) is not None:
            rows = self._lazy_tables(lazy).flights(parts, flight_type, equipment)[1]
            return self._remembered(rows, parts, flight_type=flight_type, equipment=equipment)
        _, bridge, _ = self._read_flights(parts, flight_type, equipment)
        ordered = sort(bridge, ("flight_id", "ascending"), ("equipment_id", "ascending"))
        rows = self._carrying(ordered)
        return self._remembered(rows, parts, flight_type=flight_type, equipment=equipment)

    def differing_copies(self) -> pd.DataFrame | None:
        """Return where copies of one flight differ: the service lists it under each piece.

        `flights` without arguments has the newest copy of each. In a mirror the copies are
        compared as the lists were when they were last read.

        Returns
        -------
        DataFrame or None
            ``flight_id``, ``equipment_id`` (whose list has another copy than the newest), ``field``
            (as `flights` calls its columns): one row per field that differs, of the flights that
            the fleet's filter selects; ``updated_at`` alone is no difference. None where that isn't
            known: some list in a mirror was last read by a fleetkit that didn't compare copies
            (each is read within ten syncs, all are with ``fleet.sync(…, full=True)``).

        Raises
        ------
        Forbidden
            The key lacks the scope ``equipment:read``.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fk.demo(as_of="2026-11-20", equipment=16, flights=50).differing_copies().empty
        True
        """
        differences = self._source.differences()
        if differences is None:
            return None
        copies = copies_of(differences)
        if self.filter and len(copies):
            copies = copies[is_in(copies["flight_id"], self._selected_of(copies["flight_id"]))]
        return self._carrying(copies.reset_index(drop=True))

    def _selected_of(self, ids: pd.Series[str]) -> pd.Series[str]:
        """Return the ids of flights that the filter selects, in a mirror of these flights alone."""
        if self.mirror is None:  # they are in memory
            return self.flights()["flight_id"]
        flights = nw.from_native(self.flights(engine="polars"))
        theirs = flights.filter(nw.col("flight_id").is_in(ids.unique().tolist()))
        selected: pd.DataFrame = theirs.select("flight_id").collect("pandas").to_native()
        return selected["flight_id"]

    @overload
    def projects(
        self,
        status: Iterable[ProjectStatus] | ProjectStatus | Excluding | None = ...,
        *,
        details: bool = ...,
        engine: Pandas | None = None,
    ) -> pd.DataFrame: ...
    @overload
    def projects(
        self,
        status: Iterable[ProjectStatus] | ProjectStatus | Excluding | None = ...,
        *,
        details: bool = ...,
        engine: Engine | Session,
    ) -> Any: ...
    @documented("projects")
    @checked_names("argument of Fleet.projects", _BY_PROJECTS)
    def projects(
        self,
        status: Iterable[ProjectStatus] | ProjectStatus | Excluding | None = None,
        *,
        details: bool = False,
        engine: Engine | Session | Pandas | None = None,
    ) -> Any:
        """Return one row per project (section 2.3).

        Parameters
        ----------
        status : str or list of str, optional
            Some of the nine statuses. The service ignores a wrong one without a word (rule 4.4.2),
            so it is checked here.
        details : bool
            Add ``client_account_email`` and ``crm_deal_name``: one request per project.
        engine : optional
            As for `Fleet.flights`.

        Returns
        -------
        DataFrame, or a lazy frame of `engine`
            The columns below, then those that the reference doesn't know.

        Raises
        ------
        InvalidValue
            Not a status; or the fleet is narrowed to a client, project or status that no project
            has.
        Forbidden
            The key lacks the scope ``project:read``.
        IncompleteError, ApiError
            The list could not be read whole.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fk.demo().projects(status="IN_PROGRESS")["status"].unique().tolist()
        ['IN_PROGRESS']
        """
        status = repeatable(status)
        if (lazy := lazy_engine(engine)) is not None:
            rows = self._lazy_tables(lazy).projects(status, details=details)
            return self._remembered(rows, status=status)
        rows = self._carrying(self._tables.projects(status, details=details))
        return self._remembered(rows, status=status)

    @documented("services")
    @checked_names("argument of Fleet.services", _BY_ROWS)
    def services(self) -> pd.DataFrame:
        """Return one row per service (reference, section 2.4); a filter leaves them whole.

        Returns
        -------
        DataFrame
            The columns below, then those that the reference doesn't know.

        Raises
        ------
        Forbidden
            The key lacks the scope ``service:read``.
        ApiError
            The list could not be read.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20")
        >>> fleet.services()["service_id"].is_unique
        True
        """
        return self._remembered(self._carrying(self._source.table("services").copy()))

    @documented("tiers")
    @checked_names("argument of Fleet.tiers", _BY_ROWS)
    def tiers(self) -> pd.DataFrame:
        """Return one row per pricing tier of a service (reference, section 2.5).

        Returns
        -------
        DataFrame
            The columns below, then those that the reference doesn't know.

        Raises
        ------
        Forbidden, ApiError
            As for `Fleet.services`.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20")
        >>> bool(fleet.tiers()["service_id"].isin(fleet.services()["service_id"]).all())
        True
        """
        return self._remembered(self._carrying(self._source.table("tiers").copy()))

    def equipment_by_id(self, equipment_id: str) -> pd.Series:
        """Return one piece of equipment.

        Parameters
        ----------
        equipment_id : str
            Such as ``eq_1``.

        Returns
        -------
        Series
            One entry per column of `Fleet.equipment`.

        Raises
        ------
        NotFound
            There is none in the organisation.
        InvalidValue, Forbidden, ApiError
            Not an identifier; or the record could not be read.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fk.demo().equipment_by_id("eq_1")["type"]
        'DRONE'
        """
        return self._record("equipment", equipment_id)

    def project_by_id(self, project_id: str) -> pd.Series:
        """Return one project, with the fields that only it has (reference, rule 4.4.5).

        Parameters
        ----------
        project_id : str
            Such as ``proj_1``.

        Returns
        -------
        Series
            One entry per column of ``projects(details=True)``; of a mirror that holds no project
            details, of ``projects()``.

        Raises
        ------
        NotFound, InvalidValue, Forbidden, ApiError
            As for `Fleet.equipment_by_id`.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20")
        >>> fleet.project_by_id("proj_1")["status"] in fk.schema.PROJECT_STATUSES
        True
        """
        return self._record("project", project_id)

    def service_by_id(self, service_id: str) -> pd.Series:
        """Return one service.

        Parameters
        ----------
        service_id : str
            Such as ``svc_1``.

        Returns
        -------
        Series
            One entry per column of `Fleet.services`.

        Raises
        ------
        NotFound, InvalidValue, Forbidden, ApiError
            As for `Fleet.equipment_by_id`.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20")
        >>> fleet.service_by_id("svc_1")["service_id"]
        'svc_1'
        """
        return self._record("service", service_id)

    @staticmethod
    def columns(table: TableName | None = None) -> pd.DataFrame:
        """Return what the columns of a table are: dtype, unit, nulls and meaning.

        Parameters
        ----------
        table : str, optional
            ``equipment``, ``specifications``, ``flights``, ``flight_equipment``, ``projects``,
            ``services`` or ``tiers``; default: all of them.

        Returns
        -------
        DataFrame
            One row per column: ``table`` (where all are asked for), ``column``, ``dtype``,
            ``unit`` (empty where the reference names none), ``nulls`` ("never", "yes", or
            "not shown" where the reference leaves it open), ``meaning``, ``field`` (its name in
            the API).

        Raises
        ------
        InvalidValue
            There is no such table.

        Examples
        --------
        >>> import fleetkit as fk
        >>> described = fk.Fleet.columns("flights").set_index("column")
        >>> described.loc["duration_seconds", ["dtype", "unit", "field"]].tolist()
        ['Int64', 's', 'durationSeconds']
        """
        return columns_frame(table)

    @checked_names("argument of Fleet.where", _BY_COLUMNS)
    def where(
        self,
        chosen: Filter | str | None = None,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        flight_type: Iterable[FlightType] | FlightType | Excluding | None = None,
        operation_type: Iterable[str] | str | Excluding | None = None,
        equipment: Iterable[str] | str | Excluding | None = None,
        type: Iterable[str] | str | Excluding | None = None,
        category: Iterable[str] | str | Excluding | None = None,
        pilot: Iterable[str] | str | Excluding | None = None,
        project: Iterable[str] | str | Excluding | None = None,
        client: Iterable[str] | str | Excluding | None = None,
        status: Iterable[ProjectStatus] | ProjectStatus | Excluding | None = None,
        night: Answer = None,
        bvlos: Answer = None,
        take_off: Iterable[float] | None = None,
        model: Iterable[str] | str | Excluding | None = None,
        manufacturer: Iterable[str] | str | Excluding | None = None,
        condition: Iterable[str] | str | Excluding | None = None,
        allow_empty: bool = False,
    ) -> Self:
        """Return the same fleet narrowed by a filter; what is fetched is shared.

        Filters add up: two calls select what they have in common, and nothing where they have
        nothing in common. `Fleet.whole` takes it back. Equipment is narrowed by ``equipment``,
        ``type``, ``category``, ``model``, ``manufacturer`` and ``condition``; projects by
        ``project``, ``client`` and ``status``; flights by every field. Services are left whole.

        Parameters
        ----------
        chosen : Filter or str, optional
            What to select; ``"@night"`` is the view of that name.
        allow_empty : bool
            Give empty tables where no record has a value of the filter; else that is an error when
            the table is asked for.
        since, until, flight_type, operation_type, equipment, type, category, pilot, project, \
client, status, night, bvlos, take_off, model, manufacturer, condition
            In place of a filter, its fields, as `Filter` takes them; None leaves a field out, and
            ``pilot="Unassigned"`` means flights without a pilot.

        Raises
        ------
        InvalidValue
            A name or a value that can't be right. From the tables: one that no record has, such as
            a type, a client or an identifier; the message names near ones. Whether a flight has a
            pilot, a project, a flight type, an operation type or an area is known where all
            flights were read: of a service, by `flights` without a period.

        Examples
        --------
        >>> import fleetkit as fk
        >>> from datetime import date
        >>> training = fk.demo(as_of=date(2026, 11, 20)).where(flight_type="TRAINING")
        >>> training.flights("2026-10")["flight_type"].unique().tolist()
        ['TRAINING']
        >>> training.where(night=True).filter
        Filter(flight_type=('TRAINING',), night=True)
        """
        fields: dict[str, Any] = {
            **{"since": since, "until": until, "flight_type": flight_type},
            **{"operation_type": operation_type, "equipment": equipment, "type": type},
            **{"category": category, "pilot": pilot, "project": project, "client": client},
            **{"status": status, "night": night, "bvlos": bvlos},
            **{"take_off": take_off, "model": model, "manufacturer": manufacturer},
            "condition": condition,
        }
        given = {name: value for name, value in fields.items() if value is not None}
        if chosen is not None and given:
            raise InvalidValue("Give a Filter or its fields, not both.")
        if views.is_view(chosen):
            chosen = self.view(str(chosen))
        filter_ = Filter.read(given if chosen is None else chosen)
        # Refuses an end before a start.
        window(since=filter_.since, until=filter_.until, tz=self.tz)
        combined = self.filter.combined_with(filter_, self.tz)
        return self._with(filter=combined, _allow_empty=self._allow_empty or allow_empty)

    def view(self, name: str) -> Filter:
        """Return the filter that a view stands for, one of the settings' or saved since.

        Parameters
        ----------
        name : str
            As it stands under ``[views]`` in ``fleetkit.toml``.

        Raises
        ------
        InvalidValue
            There is no such view; the message names those that there are.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20", settings={"views": {"dark": {"night": True}}})
        >>> fleet.view("dark")
        Filter(night=True)
        >>> fleet.where("@dark").filter
        Filter(night=True)
        """
        saved = settings_module.load().views
        return views.named(name, {**saved, **self.settings.views})

    def whole(self) -> Self:
        """Return the same fleet without any filter: the whole organisation.

        Examples
        --------
        >>> import fleetkit as fk
        >>> from datetime import date
        >>> fk.demo(as_of=date(2026, 11, 20)).where(night=True).whole().filter
        Filter()
        """
        return self._with(filter=Filter(), _allow_empty=False)

    def _with(self, **attributes: Any) -> Self:
        other = type(self).__new__(type(self))
        vars(other).update({**vars(self), **attributes})
        return other

    @property
    def address(self) -> str:
        """Where the data come from: the service's address or the mirror's path."""
        return self._source.address

    @property
    def identity(self) -> str:
        """What a mirror knows the service by: its address; of the demo, what it is made of."""
        return self._source.identity

    @property
    def fetched_at(self) -> datetime:
        """The moment that the records are of, UTC: of a mirror its sync, else now."""
        return self._source.fetched_at

    @property
    def read_at(self) -> datetime:
        """The moment from which on its tables were read, UTC; another one after `refresh`."""
        return self._source.read_at

    def period(self, period: PeriodLike | None = None) -> Period:
        """Return a period in the fleet's time zone; default: the last complete month.

        Parameters
        ----------
        period : str, int, date, pandas.Period or Period, optional
            As `Period.read` reads it.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20")
        >>> fleet.period("2026-10").months()
        ['2026-10']
        """
        if period is None:
            return last_complete_month(self.fetched_at, self.tz)
        return Period.read(period, self.tz)

    @property
    def mirror(self) -> mirrors.Mirror | None:
        """The open mirror; None for a fleet that asks the service."""
        return None

    @property
    def missing(self) -> dict[str, str]:
        """Tables that the key can't read → the scope that it lacks."""
        return self._source.missing

    @checked_names("argument of Fleet.summary", BY_ANY)
    def summary(self, *, full: bool | None = None) -> Summary:
        """Return the fleet on one page: what there is, since when, how complete, what stands out.

        Parameters
        ----------
        full : bool, optional
            Read all flights; default: where the counters of equipment add up to few (20,000 at a
            service, 200,000 in a mirror, which without counters counts itself), else those of the
            last complete month.

        Returns
        -------
        Summary
            Shows itself in a notebook, and prints as text; ``contents`` and ``completeness`` are
            DataFrames, ``remarks`` sentences. What the key can't read is named as such.

        Raises
        ------
        IncompleteError, ApiError
            A table could not be read whole.

        Examples
        --------
        >>> import fleetkit as fk
        >>> summary = fk.demo(as_of="2026-11-20", equipment=16, flights=50).summary()
        >>> summary.contents[["what", "count"]].head(2).to_numpy().tolist()
        [['equipment', 16], ['flights', 50]]
        """
        return summarize(self, full=full)

    def refresh(self) -> None:
        """Forget what was fetched; the next call asks again.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20")
        >>> before = fleet.equipment()
        >>> fleet.refresh()
        >>> fleet.equipment().equals(before)  # asked again
        True
        """
        self._source.refresh()

    @checked_names("argument of Fleet.sync")
    def sync(
        self,
        path: str | Path,
        *,
        audit: float = mirrors.AUDIT,
        full: bool = False,
        details: bool = True,
        moved_to: str | None = None,
        accept_loss: bool = False,
    ) -> mirrors.SyncReport:
        """Bring a mirror up to date with the service, all or nothing; returns what changed.

        Equipment, projects and services are read whole. Flights are read of equipment whose
        ``totalFlights``, ``totalFlightHours`` or ``updatedAt`` changed, and of a share of the
        rest in turn, which finds edits that no counter shows.

        Parameters
        ----------
        path : str or Path
            Folder or object-store URL; made where it doesn't exist, and then everything is read.
        audit : float
            Share, 0 to 1, of the equipment to read although nothing changed. Within
            ``ceil(1 / audit)`` syncs every list of flights was read: ten by default. 0 trusts the
            counters.
        full : bool
            Read everything, verify every row that the mirror holds, and repair what is damaged.
        details : bool
            Read the detail fields of projects too: one request per project that is new or changed,
            and for the audit's share of the others.
        moved_to : str, optional
            The service's new address, that of this fleet. A mirror belongs to one service; another
            address is refused without it.
        accept_loss : bool
            Go on where fewer than a tenth of the current records is still listed, as with another
            organisation's key; and, with `full`, where a damaged mirror loses history that the
            service no longer has.

        Raises
        ------
        Forbidden
            The key can read nothing at all.
        ApiError, MirrorError
            Something could not be read or written whole; the mirror is as it was.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=50)
        >>> report = fleet.sync("mirror")
        >>> len(fk.open_mirror("mirror").equipment()) == len(fleet.equipment())
        True
        """
        path = checked_path(path, "a mirror")
        options = syncing.Options(
            tz=self.tz,
            has_zone=self._settings.has_zone,
            audit=audit,
            details=details,
            full=full,
            moved_to=moved_to,
            accept_loss=accept_loss,
            mode=int(self._settings.mirror_mode, 8),
        )
        with notices.known(HeldByMirror(path)):
            return syncing.sync(cast(LiveSource, self._source), path, options)

    @checked_names("argument of Fleet.export")
    def export(
        self,
        out: str | Path,
        *,
        tables: Iterable[TableName] | TableName | None = None,
        formats: Iterable[ExportFormat] | ExportFormat = "csv",
        columns: Iterable[str] | str | None = None,
        period: Periods | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        details: bool = False,
        allow_empty: bool = False,
    ) -> Exported:
        """Write tables to a folder, for programs other than Python.

        Earlier files of the same names are replaced once all new ones are whole.

        Parameters
        ----------
        out : path
            Folder; made where there is none.
        tables : str or list of str, optional
            Some of ``equipment``, ``specifications``, ``flights``, ``flight_equipment``,
            ``projects``, ``services`` and ``tiers``; default: all that the key can read.
        formats : {"csv", "xlsx", "parquet", "geojson"} or list of them
            CSV and Parquet are a file for each table; xlsx is one workbook, ``fleet.xlsx``, with
            a sheet for each; geojson is ``take_offs.geojson``, a point for each flight that has a
            position.
        columns : str or list of str, optional
            Names of columns in the order in which they are written; each table holds those of
            them that it has. Default: all.
        period, since, until : optional
            Only these flights, and their bridge, as for `Fleet.flights`.
        details : bool
            Add the detail columns of projects; see `Fleet.projects`.
        allow_empty : bool
            Write empty tables where filter or dates leave nothing; else that is an error.

        Returns
        -------
        Exported
            Paths, rows of each table, flights without a position, tables that were left out.

        Raises
        ------
        InvalidValue
            There is no such table, column or format; or more rows than a sheet holds.
        NothingToReport
            The filter or the dates leave no record.
        Forbidden
            The key can't read a table that is named.
        FleetkitError
            A file can't be written; those that were there before are unchanged.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=50)
        >>> exported = fleet.export("export", tables="equipment", columns=["equipment_id", "type"])
        >>> exported.rows, sorted(exported.paths)
        ({'equipment': 16}, ['equipment.csv'])
        """
        dates = {"period": repeatable(period), "since": since, "until": until}
        names = (repeatable(tables), repeatable(formats), repeatable(columns))
        chosen = Selection(*names, dates, details, allow_empty)
        fleet = self._with(_allow_empty=True) if allow_empty else self
        return export(fleet, out, chosen)

    def close(self) -> None:
        """Close every connection; what was fetched stays, and a later call opens new ones.

        Examples
        --------
        >>> import fleetkit as fk
        >>> fleet = fk.demo(as_of="2026-11-20")
        >>> services = fleet.services()
        >>> fleet.close()
        >>> fleet.services().equals(services)
        True
        """
        self._source.close()

    def __copy__(self) -> Self:
        """Return the same fleet with connections of its own."""
        return self._with(_source=copy(self._source))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        filter_text = f", {self.filter!r}" if self.filter else ""
        return f"<Fleet at {self._source.address}, {self.tz}{filter_text}>"

    def _repr_html_(self) -> str:
        return fleet_html(self)

    if not TYPE_CHECKING:  # a type checker would take every name for one that there is

        def __getattr__(self, name: str) -> NoReturn:
            """Say what only a mirror has; name near attributes where there is no such one."""
            raise missing_from_fleet(name, dir(type(self)))

    @property
    def _tables(self) -> FilteredTables:
        return FilteredTables(self._source, self.filter, self.tz, self._allow_empty)

    def _read_flights(
        self,
        parts: Sequence[Window],
        flight_type: Given,
        equipment: Iterable[str] | str | None,
    ) -> Flights:
        """Return flights and bridge; refuse a filter with a value that no flight of all time has.

        Of a service, only where all were read or asked for: other periods may be many requests.
        """
        read = self._tables.flights(parts, flight_type, equipment)
        is_cut = self.filter.since or self.filter.until or list(parts) != [Window()]
        # A misspelt value beside others, or one that is left out, can't be seen by the rows.
        values = (named_values(getattr(self.filter, field)) for field in FIELDS["flights"])
        has_several = any(len(named) > 1 for named in values)
        is_hidden = has_several or opposites(self.filter, FIELDS["flights"])
        if (read[0].empty or is_hidden) and (self._source.has_all_flights or not is_cut):
            check_flown(self)
        return read

    def _lazy_tables(self, engine: Engine | Session) -> LoadedTables | ScannedTables:
        return LoadedTables(self._tables, addressed(engine, self.settings.clusters))

    def _record(self, endpoint: str, identifier: str) -> pd.Series:
        check_identifier(identifier, endpoint)
        return self._carrying(self._source.record(endpoint, identifier))

    def _carrying(self, frame: _Rows, clock: Clock | None = None, **further: Any) -> _Rows:
        """Let a frame, or a row, carry the fleet's clock and settings; returns it."""
        attach(frame, clock or Clock(self.tz), self.settings, **further)
        return frame

    def _remembered(
        self,
        frame: _Rows,
        parts: Sequence[Window] = (Window(),),
        **narrowing: Any,
    ) -> _Rows:
        """Remember of a table which days, filter and state it is of; returns it."""
        values = {name: value for name, value in narrowing.items() if value is not None}
        if "equipment" in values:
            values["equipment"] = equipment_ids(values["equipment"])
        filter_ = self.filter.combined_with(Filter.from_parameters(values), self.tz)
        days = window(since=filter_.since, until=filter_.until, tz=self.tz)
        ends = tuple(Ends(part.since, part.until).within(days) for part in parts)
        settings = changed_settings(self.settings)
        period, read_at = named(parts, self.tz), self._source.read_at
        read = Read(period, filter_, read_at, ends, settings, self.tz)
        remember(frame, read)
        return frame


def check_fleet(given: Any, call: str) -> Fleet:
    """Return what was handed over as a fleet, if it is one.

    Raises
    ------
    InvalidValue
        It is a table, a path or anything else.
    """
    if isinstance(given, Fleet):
        return given
    raise InvalidValue(
        f"{call} takes a fleet, not a {type(given).__name__}.",
        advice="Hand over what fk.connect, fk.open_mirror or fk.demo returns, narrowed by "
        "fleet.where(…) for a part of it.",
    )
