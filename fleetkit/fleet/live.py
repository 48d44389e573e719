"""The fleet as the service has it: requests tables from the API and caches them."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
import pandas as pd
import pyarrow as pa

from fleetkit import schema, tables
from fleetkit.client import Client
from fleetkit.errors import Forbidden, IncompleteError, NotFound
from fleetkit.fleet.flight_cache import FlightCache
from fleetkit.fleet.flight_dates import FlightDates
from fleetkit.fleet.read_locks import ReadLocks
from fleetkit.fleet.window import Window
from fleetkit.interface import shortened
from fleetkit.notices import notify
from fleetkit.time import Clock, widened

__all__ = ["VANISHING", "Fetched", "LiveSource", "check_readable"]

# How often a list is read when a record of it is removed before its flights, or details, are read.
READS = 3
VANISHING = (
    "Try again when the fleet's lists no longer change; where they don't, the service lists a"
    " record that it doesn't have: tell those who run it."
)
# Table → the one that is read with it.
_TOGETHER = {"specifications": "equipment", "tiers": "services"}
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Fetched:
    """What a source has read, and since when.

    Attributes
    ----------
    tables : dict
        Name → table, whole.
    flights : dict
        Window → its flights and their bridge.
    began : datetime or None
        The moment from which on it was read.
    """

    tables: Mapping[str, pd.DataFrame]
    flights: Mapping[Window, tuple[pd.DataFrame, pd.DataFrame]]
    began: datetime | None


class LiveSource:
    """Reads tables over HTTP, each once, until `refresh`.

    Parameters
    ----------
    client : Client
        Open connection to the service.
    fetched_at : datetime, optional
        The moment that its records are of, where that isn't now: the demo's day.
    identity : str, optional
        What a mirror knows the service by; default: its address.
    """

    def __init__(
        self, client: Client, fetched_at: datetime | None = None, *, identity: str = ""
    ) -> None:
        self.client = client
        self.identity = identity or client.base_url
        self._fetched_at = fetched_at
        self._began: datetime | None = None
        self._tables: dict[str, pd.DataFrame] = {}
        self._locks = ReadLocks()
        self._flights = FlightCache(self._read_flights)
        self._differences: dict[Window, tables.Differences] = {}

    @property
    def address(self) -> str:
        """The service's address."""
        return self.client.base_url

    @property
    def fetched_at(self) -> datetime:
        """The moment that the records are of."""
        return self._fetched_at or datetime.now(UTC)

    @property
    def read_at(self) -> datetime:
        """The moment from which on the records were read: no record is of an earlier one."""
        return self._fetched_at or self._began or datetime.now(UTC)

    @property
    def fetched(self) -> Fetched:
        """What was read so far."""
        return Fetched(dict(self._tables), self._flights.cached, self._began)

    def take_over(self, fetched: Fetched) -> None:
        """Hold what another source of this service read, as of the moment when it did."""
        self._tables.update(fetched.tables)
        self._flights.remember(fetched.flights)
        self._began = fetched.began
        self._fetched_at = self._fetched_at or fetched.began

    def refresh(self) -> None:
        """Forget every answer."""
        self._began = None
        self._tables = {}  # what a thread still reads goes into the one before
        self._flights.clear()
        self._differences = {}

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Hold again what was read before, where what forgets and reads it anew fails."""
        before, differences = self.fetched, self._differences
        try:
            yield
        except BaseException:
            self.refresh()
            self._tables, self._differences = dict(before.tables), differences
            self._flights.remember(before.flights)
            self._began = before.began
            raise

    def close(self) -> None:
        """Close the connections."""
        self.client.close()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the connection's settings, not what was fetched: that may be large, or old."""
        own = {"_flights", "_locks", "_differences"}
        state = {name: value for name, value in vars(self).items() if name not in own}
        return {**state, "_tables": {}, "_began": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._locks = ReadLocks()
        self._flights = FlightCache(self._read_flights)
        self._differences = {}

    def __copy__(self) -> LiveSource:
        """Return a source with a client of its own, and with what was fetched so far."""
        source = LiveSource.__new__(LiveSource)
        source.__setstate__({**vars(self), "client": copy(self.client)})
        source._tables = dict(self._tables)
        source._flights.remember(self._flights.cached)
        source._differences = dict(self._differences)
        return source

    def __deepcopy__(self, memo: object) -> LiveSource:
        return copy(self)  # frames are handed out as copies, so sharing them is safe

    def table(self, name: str) -> pd.DataFrame:
        """Return equipment, specifications, projects, services or tiers, whole."""
        with self._locks.of(_TOGETHER.get(name, name)):
            cached = self._tables
            if name not in cached:
                cached.update(self._read(name))
            return cached[name]

    @property
    def missing(self) -> dict[str, str]:
        """Tables that the key can't read → the scope that it lacks."""
        first = {scope: table for table, scope in reversed(schema.TABLE_SCOPES.items())}
        refused = {scope for scope in schema.SCOPES if not self._may_read(first[scope])}
        return {table: scope for table, scope in schema.TABLE_SCOPES.items() if scope in refused}

    def _may_read(self, table: str) -> bool:
        try:
            self.table(table)
        except Forbidden:
            return False
        return True

    def _read(self, name: str) -> dict[str, pd.DataFrame]:
        self._began = self._began or datetime.now(UTC)
        if name in {"equipment", "specifications"}:
            return _equipment(self.client.pages("equipment_list"))
        if name in {"services", "tiers"}:
            pages = self.client.pages("service_list")
            return {"services": tables.services(pages), "tiers": tables.tiers(pages)}
        if name == "project_details":
            return {name: self._read_details()}
        if name == "projects":
            return {name: tables.projects(self.client.pages("project_list"))}
        raise KeyError(name)

    def project_details(self, projects: Iterable[str]) -> pd.DataFrame:
        """Read projects by their ids: only these have the two detail fields (rule 4.4.5)."""
        ids = list(projects)
        bodies = dict(self.client.records("project", ids))
        return tables.projects([_as_page(bodies[id_] for id_ in ids)], detail=True)

    def _read_details(self) -> pd.DataFrame:
        def read() -> pd.DataFrame:
            return self.project_details(self.table("projects")["project_id"])

        return self._read_again("projects", read, "Projects vanished while their details were read")

    def _read_again(self, table: str, read: Callable[[], _Read], problem: str) -> _Read:
        """Read what belongs to the records of a list, anew where one of them is gone by then."""
        missing = None
        for _ in range(READS):
            try:
                return read()
            except NotFound as error:
                self._tables.pop(table, None)
                missing = error.request
        raise IncompleteError(
            f"{problem}, {READS} times in a row", request=missing, advice=VANISHING
        )

    def record(self, endpoint: str, key: str) -> pd.Series:
        """Return one record by its id."""
        return tables.record(endpoint, self.client.record(endpoint, key))

    def flights(self, window: Window) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return flights and bridge rows for at least `window`."""
        return self._flights.get(window)

    @property
    def has_all_flights(self) -> bool:
        """Whether all flights were read already."""
        return Window() in self._flights.cached

    def flight_types(self, window: Window) -> list[str]:
        """Return the types of what `flights` returns: other periods may be many requests."""
        flights, _ = self.flights(window)
        return list(flights["flight_type"].dropna().astype("str").unique())

    def flight_dates(self) -> FlightDates:
        """Return what the dates of all flights tell."""
        flights, _ = self.flights(Window())
        dates = pa.Table.from_pandas(flights[["flight_date"]], preserve_index=False)
        return FlightDates.of(dates)

    def differences(self) -> tables.Differences | None:
        """Return which copies of flights differ; None where others read these flights."""
        self.flights(Window())
        return self._differences.get(Window())

    def clock(self, window: Window, tz: str) -> Clock:
        """Return the clock of a zone; what `flights` returns is enough to judge dates by."""
        return Clock(tz)

    def _read_flights(self, window: Window) -> tuple[pd.DataFrame, pd.DataFrame]:
        def read() -> tuple[pd.DataFrame, pd.DataFrame]:
            reader, lists = tables.FlightReader(), self.flight_lists(window)
            with closing(lists):  # now, also where a traceback still holds on to it
                for piece, pages in lists:
                    for page in pages:
                        reader.add(piece, page)
            read = reader.finish()
            self._differences[window] = reader.differences
            return read

        if window.equipment:
            rows = read()
        else:
            problem = "Equipment vanished while its flights were read"
            rows = self._read_again("equipment", read, problem)
        for before, _ in self._flights.cached.values():
            _notice_two_dates(before, rows[0])
        return rows

    def flight_lists(self, window: Window) -> Generator[tuple[str, list[bytes]], None, None]:
        """Return the lists of flights of a window, as they come, each with its piece of equipment.

        Where all equipment is meant and it wasn't read yet, that is done here, and its flights are
        begun meanwhile.
        """
        self._began = self._began or datetime.now(UTC)
        since, until = widened(window)
        client, options = self.client, {"date_from": since, "date_to": until}
        flight_type = window.flight_type
        with self._locks.of("equipment"):
            cached = self._tables
            if window.equipment or "equipment" in cached:
                pieces = window.equipment or cached["equipment"]["equipment_id"]
                return client.flight_pages(pieces, flight_type=flight_type, **options)
            pages, lists = client.equipment_and_flight_pages(flight_type=flight_type, **options)
            with ExitStack() as stack:
                stack.callback(lists.close)
                cached.update(_equipment(pages))
                stack.pop_all()  # whoever takes the lists closes them
            return lists


def _equipment(pages: list[bytes]) -> dict[str, pd.DataFrame]:
    return {
        "equipment": tables.equipment(pages),
        "specifications": tables.specifications(pages),
    }


def _notice_two_dates(before: pd.DataFrame, flights: pd.DataFrame) -> None:
    """Say which flight was read of another day before: it is among the flights of both days."""
    columns = ["flight_id", "flight_date"]
    both = before[columns].merge(flights[columns], on="flight_id", suffixes=("", "_now"))
    then, now = both["flight_date"], both["flight_date_now"]
    moved = both[then.dt.floor("D") != now.dt.floor("D")].dropna()
    if len(moved):
        flight, then, now = moved.iloc[0]
        more = f", and so are {len(moved) - 1:,} more" if len(moved) > 1 else ""
        notify(
            f"Flight {shortened(flight)} is dated {then:%Y-%m-%d} in one list and {now:%Y-%m-%d} in"
            f" another, or was moved since{more}: the flights of both days hold it."
            " fleet.flights() has the newest copy alone."
        )


def check_readable(missing: Mapping[str, str]) -> None:
    """Refuse a key that can read no table.

    Parameters
    ----------
    missing : dict
        As `LiveSource.missing` has it.

    Raises
    ------
    Forbidden
        No table is readable.
    """
    if set(missing) == set(schema.TABLES):
        raise Forbidden(
            "The key can read no table.",
            scope=", ".join(sorted(set(missing.values()))),
            status=403,
            advice="Give it at least one of the scopes in the service's dashboard, or check "
            "whether a proxy refuses every request.",
        )


class _Record(msgspec.Struct):
    data: msgspec.Raw


def _as_page(bodies: Iterable[bytes]) -> bytes:
    """Join answers of by-id endpoints to the form of a list's page."""
    return b'{"success":true,"data":[' + b",".join(map(_data, bodies)) + b"]}"


def _data(body: bytes) -> bytes:
    try:
        return bytes(msgspec.json.decode(body, type=_Record).data)
    except msgspec.DecodeError:  # half a surrogate pair: JSON to all but msgspec
        return json.dumps(json.loads(body)["data"]).encode()
