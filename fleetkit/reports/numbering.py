"""All flights in parts, or with numbers in place of ids, for metrics that join; and fewer pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleetkit.engines import Engine, Pandas
from fleetkit.fleet import Fleet
from fleetkit.time import Ends

if TYPE_CHECKING:
    from datetime import datetime

    from fleetkit.engines import Session

__all__ = ["flights_in_parts", "numbered_flights", "unaccompanied_pairs"]

# What metrics of equipment take of flights.
_COLUMNS = ("flight_date", "flight_type", "duration_seconds")
# Flights that are read together: more take more memory, fewer more time, some for each part.
_ROWS = 150_000


def numbered_flights(
    fleet: Fleet,
    engine: Engine | Session | Pandas | None = None,
    window: Ends = Ends(),  # noqa: B008 - it can't be changed
) -> tuple[Any, Any]:
    """Return all flights and their bridge, for several metrics that join the two.

    Of a mirror that Polars reads, they are in memory with a number in place of each
    ``flight_id``, put together some months at a time: a join of texts takes several times as
    long, and of all months at once much more memory.

    Parameters
    ----------
    fleet : Fleet
        A whole one.
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
        return fleet.flights(**span), fleet.flight_equipment(**span)
    import polars as pl  # noqa: PLC0415 - the engine is here, and was named

    flights, pairs, count = [], [], 0
    for months in groups:
        flown = mirror.scan("flights", engine, *window, months=months)
        flown = flown.select("flight_id", *_COLUMNS).with_columns(
            pl.col("flight_type").cast(pl.Categorical)
        )
        numbered = flown.with_row_index("number", count).collect()
        bridge = mirror.scan("flight_equipment", engine, months=months)
        # Numbers made of texts are joined faster than the texts.
        key = pl.col("flight_id").hash()
        if numbered.select(key.n_unique()).item() < len(numbered):
            key = pl.col("flight_id")
        pieces = bridge.select(key, pl.col("equipment_id").cast(pl.Categorical))
        keyed = numbered.lazy().select(key, "number")
        joined = keyed.join(pieces, on="flight_id", maintain_order="left").collect()
        flights.append(numbered.drop("flight_id").rename({"number": "flight_id"}))
        pairs.append(joined.select(pl.col("number").alias("flight_id"), "equipment_id"))
        count += len(numbered)
    # What is known to be in order is joined in a tenth of the time.
    in_order = pl.col("flight_id").set_sorted()
    return tuple(pl.concat(parts).lazy().with_columns(in_order) for parts in (flights, pairs))


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
        engine than Polars, of a fleet that asks a service, or has a filter and a large mirror.

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
        is_small = len(mirror.months_together(_ROWS)) == 1
        bridge = mirror.scan("flight_equipment", engine)
        return [(fleet.flights(engine=engine), bridge)] if is_small else []
    return [
        (
            mirror.scan("flights", engine, months=months),
            mirror.scan("flight_equipment", engine, months=months),
        )
        for months in groups
    ]


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

    parts = []
    for months in groups:
        pairs = mirror.scan("flight_equipment", engine, months=months)
        # Numbers made of texts are compared faster; where two flights have the same, neither is
        # taken for one that flew alone.
        ids = pl.col("flight_id").hash(), pl.col("equipment_id").cast(pl.Categorical)
        numbered = pairs.select(ids).collect()
        parts.append(numbered.filter(numbered["flight_id"].is_unique()).unique("equipment_id"))
    return pl.concat(parts).unique("equipment_id").lazy()


def _months(
    fleet: Fleet,
    engine: Engine | Session | Pandas | None,
    ends: Ends = Ends(),  # noqa: B008 - as above
) -> list[list[str]]:
    """Return the months that are read together; none where all are read at once."""
    if engine != "polars" or fleet.mirror is None or fleet.filter:
        return []
    groups = fleet.mirror.months_together(_ROWS)
    chosen = ([month for month in group if _may_have(month, *ends)] for group in groups)
    return [months for months in chosen if months]


def _may_have(month: str, since: datetime | None, until: datetime | None) -> bool:
    """Return whether flights of a month, by UTC, may lie between two instants."""
    first, last = (f"{end:%Y-%m}" if end else month for end in (since, until))
    return first <= month <= last
