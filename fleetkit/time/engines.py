"""What a clock showed at each flight date, in the words of every engine."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeAlias

import narwhals as nw

from fleetkit.engines import is_spark
from fleetkit.time.zone_data import deviations

__all__ = ["Lazy", "in_one_zone", "stored_zone", "with_midnight", "with_time", "with_utc"]

# Any engine's frame, as Narwhals has it.
Lazy: TypeAlias = nw.LazyFrame[Any]

# pandas converts by Python's dates. Two days from their ends no zone leads beyond these.
_FIRST, _LAST = datetime(1, 1, 3), datetime(9999, 12, 29)


def with_utc(flights: Lazy) -> Lazy:
    """Add ``_utc``: each ``flight_date`` in UTC, without a zone; the same in every engine."""
    return with_time(flights, "_utc", "UTC")


def in_one_zone(flights: Lazy, *columns: str) -> Lazy:
    """Return flights whose columns of moments can be compared: of several zones, in UTC without.

    Engines refuse to compare such columns, or take those without a zone for the session's.
    """
    if len({stored_zone(flights, column) for column in columns}) == 1:
        return flights
    names = flights.collect_schema().names()
    for column in columns:
        timed = with_time(flights, "_in_utc", "UTC", column)
        flights = timed.drop(column).rename({"_in_utc": column})
    return flights.select(*names)


def with_time(flights: Lazy, name: str, tz: str, column: str = "flight_date") -> Lazy:
    """Add what the clock of `tz` showed, without a zone; a column without one is read as UTC.

    DuckDB and Spark keep one zone for the whole session, not one for each column, and Narwhals
    can't leave it: they are asked in their own words.
    """
    stored, native = stored_zone(flights, column), flights.to_native()
    added: Lazy
    if flights.implementation.is_duckdb():
        added = nw.from_native(native.project(f"*, {_duckdb_local(column, stored, tz)} as {name}"))
        return added
    if is_spark(flights):
        shown = f"{_spark_local(column, stored, tz)} as {name}"
        added = nw.from_native(native.selectExpr("*", shown))
        return added
    local = nw.col(column)
    if (stored or "UTC") != tz:
        local = _local(local, stored, tz, bounded=not flights.implementation.is_polars())
    elif stored:
        local = local.dt.replace_time_zone(None)
    return flights.with_columns(local.alias(name))


def with_midnight(frame: Lazy, column: str, name: str) -> Lazy:
    """Add the midnight before each time of a column without a zone, without one.

    Spark's own truncation gives an instant, by its session's zone.
    """
    if is_spark(frame):
        midnight = f"cast(cast({column} as date) as timestamp_ntz) as {name}"
        added: Lazy = nw.from_native(frame.to_native().selectExpr("*", midnight))
        return added
    return frame.with_columns(nw.col(column).dt.truncate("1d").alias(name))


def stored_zone(flights: Any, column: str = "flight_date") -> str | None:
    """Return the zone of a column of moments; None where it has none."""
    zone: str | None = getattr(flights.collect_schema()[column], "time_zone", None)
    return zone


def _local(moment: nw.Expr, stored: str | None, tz: str, *, bounded: bool) -> nw.Expr:
    """Return what the clock of `tz` shows; `bounded` where the engine can't leave years 1 to 9999.

    Beyond the bounds the clock is as far ahead of UTC as it is on them.
    """
    if not bounded:
        return moment.dt.convert_time_zone(tz).dt.replace_time_zone(None)
    first, last = (end.replace(tzinfo=UTC if stored else None) for end in (_FIRST, _LAST))
    convertible = moment.clip(first, last)
    local = convertible.dt.convert_time_zone(tz).dt.replace_time_zone(None)
    return local + (moment - convertible)


def _duckdb_local(column: str, stored: str | None, tz: str) -> str:
    if tz == "UTC":
        return f"make_timestamp(epoch_us({column}))"
    moment = column if stored else f"timezone('UTC', {column})"
    local, spans = f"timezone('{tz}', {moment})", deviations(tz)
    if not spans:
        return local
    forward = " ".join(
        f"when epoch({moment}) >= {span.since} and epoch({moment}) < {span.until} "
        f"then to_seconds({span.seconds})"
        for span in spans
    )
    return f"{local} + case {forward} else to_seconds(0) end"


def _spark_local(column: str, stored: str | None, tz: str) -> str:
    since_1970 = f"timestampadd(MICROSECOND, unix_micros({column}), timestamp_ntz'1970-01-01')"
    return f"convert_timezone('UTC', '{tz}', {since_1970 if stored else column})"
