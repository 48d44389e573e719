"""When the last flight was before a period in which nobody flew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from fleetkit import metrics
from fleetkit.fleet import Fleet
from fleetkit.fleet.coverage import clock_of
from fleetkit.language import calendar_day, say
from fleetkit.time import Ends, Period, widened

if TYPE_CHECKING:
    from fleetkit.engines import Engine, Pandas, Session

__all__ = ["last_flight"]


def last_flight(
    fleet: Fleet, period: Period, engine: Engine | Session | Pandas | None = None
) -> str:
    """Say on which day the last flight before a period was; empty where there is none.

    Parameters
    ----------
    fleet : Fleet
        Its filter holds.
    period : Period
    engine : optional
        What looks for it in all earlier flights, as for `Fleet.flights`.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=50)
    >>> last_flight(fleet.where(until="2026-09-01"), fleet.period("2026-10"))
    'The last flight before that was on 28 August 2026.'
    """
    clock, before = clock_of(fleet), Ends(until=period.since)
    flights: Any = fleet.flights(until=widened(before).until, engine=engine)
    dates = nw.from_native(clock.cut(flights, before)).lazy().select(nw.col("flight_date").max())
    last = metrics.collect(dates.to_native())["flight_date"]
    if last.isna().all():
        return ""
    day = clock.times(pd.Series(last)).iloc[0].date()
    return say("The last flight before that was on {day}.", day=calendar_day(day))
