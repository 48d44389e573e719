"""What a fleet reads its tables from: the service, or a mirror."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

import pandas as pd

from fleetkit.fleet.flight_dates import FlightDates
from fleetkit.fleet.window import Window
from fleetkit.tables import Differences
from fleetkit.time import Clock

__all__ = ["Source"]


class Source(Protocol):
    """What `LiveSource` and `MirrorSource` have in common, and a `Fleet` asks for."""

    @property
    def address(self) -> str:
        """Where the data come from."""

    @property
    def identity(self) -> str:
        """What a mirror knows the service by."""

    @property
    def fetched_at(self) -> datetime:
        """The moment that the records are of."""

    @property
    def read_at(self) -> datetime:
        """The moment from which on the records were read."""

    @property
    def missing(self) -> dict[str, str]:
        """Tables that the key can't read → the scope that it lacks."""

    def refresh(self) -> None:
        """Forget what was read."""

    def close(self) -> None:
        """Close the connections."""

    def table(self, name: str) -> pd.DataFrame:
        """Return a table that isn't cut by dates, whole; not a copy."""

    def record(self, endpoint: str, key: str) -> pd.Series:
        """Return one record by its id."""

    def flights(self, window: Window) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return flights and bridge rows for at least `window`."""

    @property
    def has_all_flights(self) -> bool:
        """Whether the values of all flights are at hand, without any request."""

    def flight_types(self, window: Window) -> list[str]:
        """Return the types of all flights, or, where these aren't at hand, of those of a window."""

    def flight_dates(self) -> FlightDates:
        """Return what the dates of all flights tell."""

    def differences(self) -> Differences | None:
        """Return which copies of flights differ; None where that isn't known."""

    def clock(self, window: Window, tz: str) -> Clock:
        """Return the clock of a zone, judged where what `flights` returns isn't enough for that."""
