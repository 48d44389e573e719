"""What the dates of all flights tell: the first one, and whether they are dates or instants."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from fleetkit.time import YEARS, Clock

__all__ = ["FlightDates"]

# A date before the years of periods, such as 1 January of the year 1, which some programs write for
# none, is not a day that was covered.
_EARLIEST = datetime(YEARS[0], 1, 2, tzinfo=UTC)


class FlightDates(NamedTuple):
    """How many flights have a date, the first one from the year 1000 on, and what they are."""

    dated: int = 0
    first: datetime | None = None
    dates_only: bool = False

    @classmethod
    def of(cls, flights: pa.Table) -> FlightDates:
        """Read the column ``flight_date`` once: of a large organisation it is long."""
        dates = flights["flight_date"]
        known = dates.filter(pc.greater_equal(dates, pa.scalar(_EARLIEST)))
        judged = Clock().judge(flights)
        return cls(len(dates) - dates.null_count, pc.min(known).as_py(), bool(judged.dates_only))
