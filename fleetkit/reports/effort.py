"""All flights of some projects, or of some pilots, for metrics that look at every one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from fleetkit import metrics
from fleetkit.engines import Engine, Pandas
from fleetkit.fleet import Fleet
from fleetkit.fleet.coverage import clock_of
from fleetkit.reports.in_memory import in_memory
from fleetkit.time import Ends, instant

if TYPE_CHECKING:
    from fleetkit.engines import Session

__all__ = ["flights_of", "flights_of_pilots", "flights_of_some"]

# Columns by which recency is judged.
_OF_PILOTS = [
    *("flight_id", "flight_date", "duration_seconds", "night_flight"),
    *("pilot_id", "pilot_name", "project_title"),
]


def flights_of(
    fleet: Fleet, projects: pd.DataFrame, engine: Engine | Session | Pandas | None = None
) -> Any:
    """Return all flights of these projects; None where the key can't read flights.

    Without those that are dated after the data were fetched, which nobody has flown yet.

    Parameters
    ----------
    fleet : Fleet
        The whole one: projects are not narrowed by all that narrows flights.
    projects : DataFrame
        With ``project_id``.
    engine : optional
        As for `Fleet.flights`.

    Returns
    -------
    DataFrame, a lazy frame of `engine`, or None
        For the metrics of effort. With Polars ``project_id`` and ``duration_seconds`` [s] alone,
        in memory: several metrics look at them.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=400)
    >>> projects = fleet.projects().head(9)
    >>> bool(flights_of(fleet, projects)["project_id"].isin(projects["project_id"]).all())
    True
    """
    if "flights" in fleet.missing:
        return None
    flights = _flown(fleet, nw.from_native(fleet.flights(engine=engine)))
    if not flights.implementation.is_polars():
        return flights_of_some(flights.to_native(), projects)
    # Categories are looked up among many ids in a fifth of the time that texts take.
    columns = nw.col("project_id").cast(nw.Categorical), "duration_seconds"
    theirs = flights_of_some(flights.lazy().select(*columns).to_native(), projects)
    return theirs.collect().lazy()


def _flown(fleet: Fleet, flights: Any) -> Any:
    """Return the flights up to the data's moment, and those without a date."""
    end = instant(fleet.fetched_at, fleet.tz)
    _, until = clock_of(fleet).bounds(flights, Ends(until=end))
    moment = nw.col("flight_date")
    return flights.filter(moment.is_null() | (moment < until))


def flights_of_some(flights: Any, projects: pd.DataFrame) -> Any:
    """Return which of the flights of projects are those of some of them.

    Parameters
    ----------
    flights : frame of any engine
        As `flights_of` returns them: they are not read anew.
    projects : DataFrame
        With ``project_id``.

    Examples
    --------
    >>> flights = pd.DataFrame({"project_id": ["p", "q"], "duration_seconds": [1800, 3600]})
    >>> flights_of_some(flights, pd.DataFrame({"project_id": ["q"]}))
      project_id  duration_seconds
    1          q              3600
    """
    is_theirs = nw.col("project_id").is_in(projects["project_id"].tolist())
    return nw.from_native(flights).filter(is_theirs).to_native()


def flights_of_pilots(fleet: Fleet, engine: Engine | Session | Pandas | None = None) -> Any:
    """Return all flights of the pilots who ever flew for a fleet, also those for others.

    Without those that are dated after the data were fetched, which nobody has flown yet.

    Parameters
    ----------
    fleet : Fleet
        Its filter is the report's.
    engine : optional
        As for `Fleet.flights`.

    Returns
    -------
    DataFrame, or a lazy frame of `engine`
        For `Recency`. With Polars and a small mirror the columns that it looks at, in memory.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=400)
    >>> pilot = fleet.flights("2026-10")["pilot_id"].iloc[0]
    >>> night = fleet.where(pilot=pilot, night=True)
    >>> len(flights_of_pilots(night)) == len(fleet.where(pilot=pilot).flights())
    True
    """
    flown = _flown(fleet, nw.from_native(fleet.whole().flights(engine=engine)))
    if fleet.filter:
        named = nw.from_native(fleet.flights(engine=engine)).lazy().select("pilot_id").unique()
        pilots = metrics.collect(named.to_native())["pilot_id"].dropna().tolist()
        theirs = flown.filter(nw.col("pilot_id").is_in(pilots))
    else:
        theirs = flown.filter(~nw.col("pilot_id").is_null())
    [flights] = in_memory(fleet, engine, (theirs.to_native(), _OF_PILOTS))
    return flights
