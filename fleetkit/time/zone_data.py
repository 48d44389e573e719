"""Where DuckDB's clocks show another time than Python's: it brings time zone data of its own.

Governments change zones at short notice, and each library learns of it with its next release.
Figures must not depend on which engine counts them, so DuckDB's clocks follow Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import NamedTuple, TypeAlias, cast
from zoneinfo import ZoneInfo

import numpy as np

__all__ = ["Deviation", "deviations"]

# Moments, or how far clocks are ahead of UTC. [s], moments since 1970
_Seconds: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.int64]]"
_Offsets: TypeAlias = Callable[[_Seconds], _Seconds]

# In these years all clocks are compared, day by day: no zone changes twice within one. [s]
_FIRST, _LAST = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (1970, 2050))
_DAY = 86_400
# What DuckDB's clock of a zone shows at moments, in seconds since 1970 by that clock.
_CLOCK = "select [epoch(timezone($2, to_timestamp(moment))) for moment in $1]"


class Deviation(NamedTuple):
    """From one moment until before another one, by how much a clock must be put forward. [s]."""

    since: int
    until: int
    seconds: int


@cache
def deviations(tz: str) -> tuple[Deviation, ...]:
    """Return when DuckDB's clock of a zone deviates from Python's, in the years 1970 to 2049.

    Parameters
    ----------
    tz : str
        IANA name.

    Examples
    --------
    >>> deviations("UTC")
    ()
    """
    import duckdb  # noqa: PLC0415 - the engine is here, and was named

    zone = ZoneInfo(tz)

    def ours(moments: _Seconds) -> _Seconds:
        clocks = (datetime.fromtimestamp(moment, zone) for moment in moments.tolist())
        offsets = [cast("timedelta", clock.utcoffset()).total_seconds() for clock in clocks]
        return np.array(offsets, "int64")

    with duckdb.connect() as connection:

        def theirs(moments: _Seconds) -> _Seconds:
            asked = connection.execute(_CLOCK, [moments.tolist(), tz]).fetchone()
            return np.array(asked and asked[0], "int64") - moments

        edges = np.union1d(_changes(ours), _changes(theirs))
        seconds = ours(edges) - theirs(edges)
    spans = zip(edges.tolist(), [*edges[1:].tolist(), _LAST], seconds.tolist(), strict=True)
    return tuple(Deviation(*span) for span in spans if span[-1])


def _changes(offsets: _Offsets) -> _Seconds:
    """Return the first moment, and those from which on the clock is otherwise ahead of UTC."""
    days = np.arange(_FIRST, _LAST + _DAY, _DAY)
    ahead = offsets(days)
    places = np.flatnonzero(np.diff(ahead))
    before, after, old = days[places], days[places + 1], ahead[places]
    while np.any(after - before > 1):
        middle = (before + after) // 2
        is_old = offsets(middle) == old
        before, after = np.where(is_old, middle, before), np.where(is_old, after, middle)
    return np.append(days[:1], after)
