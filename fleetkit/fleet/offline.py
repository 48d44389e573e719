"""The fleet as a mirror has it: no network, one state of the data."""

from __future__ import annotations

from copy import copy
from datetime import datetime

import pandas as pd

from fleetkit.columns import DETAIL_COLUMNS
from fleetkit.errors import MirrorError, NotFound
from fleetkit.fleet.flight_cache import FlightCache
from fleetkit.fleet.flight_dates import FlightDates
from fleetkit.fleet.rows import sort_flights
from fleetkit.fleet.window import Window
from fleetkit.interface import brief, did_you_mean, worded
from fleetkit.mirror import Mirror
from fleetkit.mirror.store import sync_command
from fleetkit.tables import Differences
from fleetkit.time import Clock

__all__ = ["MirrorSource", "check_details"]

_TABLES = {"equipment": "equipment", "project": "projects", "service": "services"}


class MirrorSource:
    """Reads tables from an open mirror.

    Parameters
    ----------
    mirror : Mirror
        One version of an organisation on disk.
    """

    def __init__(self, mirror: Mirror) -> None:
        self.mirror = mirror
        self._tables: dict[str, pd.DataFrame] = {}
        self._flights = FlightCache(self._read_flights)
        self._all_dates: FlightDates | None = None

    def __reduce__(self) -> tuple[type[MirrorSource], tuple[Mirror]]:
        """Pickle the open mirror, not what was read of it: that may be large."""
        return MirrorSource, (self.mirror,)

    def __copy__(self) -> MirrorSource:
        """Return a source of the same state, with what was read so far."""
        source = MirrorSource(self.mirror)
        source._tables = dict(self._tables)
        source._flights.remember(self._flights.cached)
        source._all_dates = self._all_dates
        return source

    def __deepcopy__(self, memo: object) -> MirrorSource:
        return copy(self)  # frames are handed out as copies, so sharing them is safe

    @property
    def address(self) -> str:
        """The mirror's path."""
        return str(self.mirror.path)

    @property
    def fetched_at(self) -> datetime:
        """When the mirror was synced."""
        return self.mirror.fetched_at

    @property
    def read_at(self) -> datetime:
        """When the mirror was synced."""
        return self.mirror.fetched_at

    @property
    def identity(self) -> str:
        """What the mirror knows its service by."""
        return self.mirror.source

    @property
    def missing(self) -> dict[str, str]:
        """Tables that the key couldn't read → the scope that it lacked."""
        return dict(self.mirror.missing)

    def refresh(self) -> None:
        """Clear the cache; the version stays the one that was opened."""
        self._tables.clear()
        self._flights.clear()
        self._all_dates = None

    def close(self) -> None:
        """Nothing to close: files are open only while they are read."""

    def table(self, name: str) -> pd.DataFrame:
        """Return a table, whole."""
        if name == "project_details":
            return self._project_details()
        if name not in self._tables:
            frame = self.mirror.table(name)
            if name == "projects":
                frame = frame.drop(columns=list(DETAIL_COLUMNS), errors="ignore")
            self._tables[name] = frame
        return self._tables[name]

    def _project_details(self) -> pd.DataFrame:
        check_details(self.mirror)
        return self.mirror.table("projects")

    def record(self, endpoint: str, key: str) -> pd.Series:
        """Return one record by its id."""
        name = _TABLES[endpoint]
        details = name == "projects" and self.mirror.has_details
        frame = self.table("project_details" if details else name)
        rows = frame[frame[frame.columns[0]] == key]
        if rows.empty:
            known = frame[frame.columns[0]].tolist()
            raise NotFound(
                f"The mirror {self.address} holds no {endpoint} {brief(key)}. "
                f"{did_you_mean(key, known)}",
                status=404,
                advice=f"fleet.{name}() lists what it holds.",
            )
        return rows.iloc[0].rename(key)

    def flights(self, window: Window) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return flights and bridge rows for at least `window`."""
        return self._flights.get(Window(window.since, window.until))

    @property
    def has_all_flights(self) -> bool:
        """Whether they are at hand: a mirror holds them all."""
        return True

    def flight_types(self, window: Window) -> list[str]:
        """Return the types of all flights; nothing else is read."""
        return self.mirror.values("flights", "flight_type")

    def flight_dates(self) -> FlightDates:
        """Return what the dates of all flights tell; nothing else is read."""
        if self._all_dates is None:
            self._all_dates = FlightDates.of(self.mirror.flight_dates(None, None))
        return self._all_dates

    def differences(self) -> Differences | None:
        """Return which copies of flights differ; None where some list wasn't compared yet."""
        return self.mirror.differences()

    def clock(self, window: Window, tz: str) -> Clock:
        """Return the clock of a zone that knows, where it matters, whether dates are dates.

        Judged by all flights, as what is compared over time is: a window may hold a few alone, each
        of which took off at midnight.
        """
        return self.flight_dates().clock(tz) if Clock(tz).must_judge(window) else Clock(tz)

    def _read_flights(self, window: Window) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Read flights of every type and all equipment, and at least their bridge.

        In the order of `Fleet.flights`, so that what it returns is not a copy.
        """
        edges = Clock().edges(window)
        return (
            sort_flights(self.mirror.table("flights", *edges, in_order=False), "date_asc"),
            self.mirror.table("flight_equipment", *edges, in_order=False),
        )


def check_details(mirror: Mirror) -> None:
    """Refuse a mirror whose projects lack the detail columns."""
    if not mirror.has_details:
        raise MirrorError(
            f"The mirror {mirror.path} holds no project details.",
            advice=worded(
                python="Sync it with details=True.",
                command_line=f"Run: {sync_command(mirror.path)}, without --no-details.",
            ),
        )
