"""What the dates of all flights tell: the first one, and whether they are dates or instants."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fleetkit.time import YEARS, Clock

__all__ = ["FlightDates"]

# A date before the years of periods, such as 1 January of the year 1, which some programs write for
# none, is not a day that was covered.
_EARLIEST = datetime(YEARS[0], 1, 2, tzinfo=UTC)

_DAY = 86_400_000_000  # [µs]


class FlightDates(NamedTuple):
    """How many flights have a date, the first one from the year 1000 on, and what they are.

    And how many have none.
    """

    dated: int = 0
    first: datetime | None = None
    dates_only: bool = False
    undated: int = 0

    @classmethod
    def of(cls, flights: pa.Table) -> FlightDates:
        """Read the column ``flight_date`` once: of a large organisation it is long."""
        dates = flights["flight_date"].cast(pa.timestamp("us", "UTC"))
        firsts, midnights = [], 0
        for chunk in dates.chunks:  # a bit at a time, which takes no memory
            known = chunk.filter(pc.greater_equal(chunk, pa.scalar(_EARLIEST)))
            firsts += [pc.min(known).as_py()] if len(known) else []
            moments = chunk.drop_null().cast(pa.int64()).to_numpy()
            midnights += int(np.count_nonzero(moments % _DAY == 0))
        dated = len(dates) - dates.null_count
        judged = Clock().judge_counts(midnights, dated)
        first = min(firsts, default=None)
        return cls(dated, first, bool(judged.dates_only), dates.null_count)

    def clock(self, tz: str) -> Clock:
        """Return the clock of a zone that knows whether dates are dates, where any is known."""
        return Clock(tz, self.dates_only if self.dated else None)
