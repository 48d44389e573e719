"""All flights in parts, or with numbers in place of ids, for metrics that join; and fewer pairs."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from fleetkit.engines import Engine, Pandas
from fleetkit.fleet import Fleet
from fleetkit.reports.in_memory import ROWS, in_memory, is_small
from fleetkit.reports.numbered_months import numbered_months
from fleetkit.time import Ends

if TYPE_CHECKING:
    import polars as pl

    from fleetkit.engines import Session

__all__ = ["flights_in_parts", "numbered_flights", "unaccompanied_pairs"]

# Columns of flights that the metrics with joins read.
_FLIGHTS = ["flight_id", "flight_date", "flight_type", "duration_seconds"]
_BRIDGE = ["flight_id", "equipment_id"]


def numbered_flights(
    fleet: Fleet,
    engine: Engine | Session | Pandas | None = None,
    window: Ends = Ends(),  # noqa: B008 - it can't be changed
) -> tuple[Any, Any]:
    """Return all flights and their bridge, for several metrics that join the two.

    Of a whole mirror that Polars reads, they are in memory with a number in place of each
    ``flight_id``, put together some months at a time: a join of texts takes several times as
    long, and of all months at once much more memory.

    Parameters
    ----------
    fleet : Fleet
        Its filter holds; with one, each flight keeps its id.
    engine : optional
        As for `Fleet.flights`.
    window : Ends, optional
        Only flights between its ends.

    Returns
    -------
    tuple of two frames
        ``flight_id``, ``flight_date``, ``flight_type``, ``duration_seconds`` [s], with other
        engines all columns; ``flight_id``, ``equipment_id``.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> flights, bridge = numbered_flights(fk.open_mirror("mirror"), "polars")
    >>> flights.collect()["flight_id"].to_list()[:3]
    [0, 1, 2]
    """
    mirror, groups = fleet.mirror, _months(fleet, engine, window)
    if mirror is None or not groups:
        span: dict[str, Any] = {"since": window.since, "until": window.until, "engine": engine}
        both = (fleet.flights(**span), _FLIGHTS), (fleet.flight_equipment(**span), _BRIDGE)
        read, paired = in_memory(fleet, engine, *both)
        return read, paired
    import polars as pl  # noqa: PLC0415 - the engine is here, and was named

    flights, pairs, count = [], [], 0
    for months in groups:
        numbered = numbered_months(mirror, months, "flights", "bridge")
        flown, listed = (
            frame.with_columns(pl.col("flight_id") + count) for frame in _cut(window, *numbered)
        )
        flights.append(flown)
        pairs.append(listed)
        count += len(numbered[0])
    # A join of keys that are known to be sorted takes a tenth of the time.
    in_order = pl.col("flight_id").set_sorted()
    whole = (pl.concat(parts).lazy().with_columns(in_order) for parts in (flights, pairs))
    return next(whole), next(whole)


def flights_in_parts(
    fleet: Fleet, engine: Engine | Session | Pandas | None = None
) -> list[tuple[Any, Any]]:
    """Return all flights and their bridge, some months each, for metrics that take them so.

    None is loaded yet. The bridge of a part may have other flights too.

    Parameters
    ----------
    fleet : Fleet
    engine : optional
        As for `Fleet.flights`.

    Returns
    -------
    list of two frames each
        Flights and bridge, the earliest first. Empty where all are read at once: with another
        engine than Polars, of a fleet that asks a service, or has a filter that leaves many.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> [(flights, bridge)] = flights_in_parts(fk.open_mirror("mirror"), "polars")
    >>> len(flights.collect())
    50
    """
    mirror, groups = fleet.mirror, _months(fleet, engine)
    if mirror is None or engine != "polars":
        return []
    if fleet.filter:
        # A filter looks at all months at once: few enough to be read together.
        flights, bridge = fleet.flights(engine=engine), mirror.scan("flight_equipment", engine)
        return [(flights, bridge)] if is_small(fleet) or _are_few(flights) else []
    return [
        (
            mirror.scan("flights", engine, months=months),
            mirror.scan("flight_equipment", engine, months=months),
        )
        for months in groups
    ]


def _are_few(flights: pl.LazyFrame) -> bool:
    import polars as pl  # noqa: PLC0415 - the engine is here, and was named

    return int(flights.select(pl.len()).collect().item()) <= ROWS


def unaccompanied_pairs(fleet: Fleet, engine: Engine | Session | Pandas | None = None) -> Any:
    """Return a bridge by which `metrics.aircraft` finds the same aircraft as by the whole one.

    Of a mirror that Polars reads, it holds the equipment that flew alone, a flight for each piece,
    found some months at a time: all flights at once take much more memory. The flight has a number
    in place of its id.

    Parameters
    ----------
    fleet : Fleet
        A whole one.
    engine : optional
        As for `Fleet.flights`.

    Returns
    -------
    frame of `engine`
        ``flight_id``, ``equipment_id``.

    Examples
    --------
    >>> import fleetkit as fk
    >>> _ = fk.demo(as_of="2026-11-20", equipment=16, flights=50).sync("mirror")
    >>> fleet = fk.open_mirror("mirror")
    >>> pairs = unaccompanied_pairs(fleet, "polars").collect()
    >>> len(pairs) == pairs["equipment_id"].n_unique() < len(fleet.flight_equipment())
    True
    """
    mirror, groups = fleet.mirror, _months(fleet, engine)
    if mirror is None or not groups or fleet.settings.aircraft_types:
        return fleet.flight_equipment(engine=engine)
    import polars as pl  # noqa: PLC0415 - as above

    parts = (numbered_months(mirror, months, "unaccompanied")[0] for months in groups)
    return pl.concat(parts).unique().with_row_index("flight_id").lazy()


def _months(
    fleet: Fleet,
    engine: Engine | Session | Pandas | None,
    window: Ends = Ends(),  # noqa: B008 - as above
) -> list[list[str]]:
    """Return the months that are read together; none where all are read at once."""
    if engine != "polars" or fleet.mirror is None or fleet.filter:
        return []
    first, last = (end and f"{end.astimezone(UTC):%Y-%m}" for end in window)
    groups = fleet.mirror.months_together(ROWS)
    return [
        months
        for months in groups
        if any((first or month) <= month <= (last or month) for month in months)
    ]


def _cut(
    window: Ends, flights: pl.DataFrame, bridge: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the flights of `numbered_months` that lie between two instants, and their bridge."""
    if window == Ends():
        return flights, bridge
    since, until = (end and end.astimezone(UTC) for end in window)
    date = flights["flight_date"]
    is_within = date.is_not_null()
    is_within = is_within & (date >= since) if since else is_within
    is_within = is_within & (date < until) if until else is_within
    return flights.filter(is_within), bridge.filter(is_within.gather(bridge["flight_id"]))
