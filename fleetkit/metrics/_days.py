"""Calendar days in a time zone: of flights, of columns, of "as of"."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import narwhals as nw
import pandas as pd

from fleetkit import periods
from fleetkit.context import Zone
from fleetkit.metrics._frames import Lazy, in_narwhals

__all__ = [
    "are_dates",
    "as_text",
    "filter_days",
    "local_day",
    "local_days",
    "with_days",
    "with_local_time",
    "with_utc",
]


def with_days(flights: Lazy, tz: str) -> Lazy:
    """Add ``_day``: the local midnight, without a zone, of each ``flight_date``."""
    return with_local_time(flights, tz).with_columns(
        nw.col("_local").dt.truncate("1d").alias("_day")
    )


def with_local_time(flights: Lazy, tz: str) -> Lazy:
    """Add ``_local``: what the clock in `tz` showed at each ``flight_date``, without a zone.

    Dates are not shifted (see :func:`fleetkit.periods.are_dates`).
    """
    in_utc = tz == "UTC" or are_dates(flights, tz)
    return _with_time(flights, "_local", "UTC" if in_utc else tz)


def with_utc(flights: Lazy) -> Lazy:
    """Add ``_utc``: each ``flight_date`` in UTC, without a zone; the same in every engine."""
    return _with_time(flights, "_utc", "UTC")


def are_dates(flights: Lazy, tz: str) -> bool:
    """Whether the flight dates are dates, whatever zone the engine's session is in.

    The fleet knows it, or else the flights have to tell.
    """
    if isinstance(tz, Zone) and tz.dates_only is not None:
        return tz.dates_only
    in_utc = with_utc(flights.select("flight_date")).select(nw.col("_utc").alias("flight_date"))
    return periods.are_dates(in_utc.to_native())


def _with_time(flights: Lazy, name: str, tz: str) -> Lazy:
    """Add the clock of `tz`; a column without a zone is read as UTC.

    DuckDB and Spark keep one zone for the whole session, not one for each column, and Narwhals
    can't leave it: they are asked in their own words.
    """
    stored, native = _stored_zone(flights), flights.to_native()
    added: Lazy
    if flights.implementation.is_duckdb():
        added = in_narwhals(native.project(f"*, {_duckdb_local(stored, tz)} as {name}"))
        return added
    if flights.implementation.is_pyspark():
        added = in_narwhals(native.selectExpr("*", f"{_spark_local(stored, tz)} as {name}"))
        return added
    local = nw.col("flight_date")
    if (stored or "UTC") != tz:
        local = local.dt.convert_time_zone(tz).dt.replace_time_zone(None)
    elif stored:
        local = local.dt.replace_time_zone(None)
    return flights.with_columns(local.alias(name))


def _stored_zone(flights: Lazy) -> str | None:
    zone: str | None = getattr(flights.collect_schema()["flight_date"], "time_zone", None)
    return zone


def _duckdb_local(stored: str | None, tz: str) -> str:
    if tz == "UTC":
        return "make_timestamp(epoch_us(flight_date))"
    moment = "flight_date" if stored else "timezone('UTC', flight_date)"
    return f"timezone('{tz}', {moment})"


def _spark_local(stored: str | None, tz: str) -> str:
    since_1970 = "timestampadd(MICROSECOND, unix_micros(flight_date), timestamp_ntz'1970-01-01')"
    return f"convert_timezone('UTC', '{tz}', {since_1970 if stored else 'flight_date'})"


def filter_days(flights: Lazy, since: datetime | None, until: datetime, tz: str) -> Lazy:
    """Return the flights of ``[since, until)``, local midnights; dates are cut by calendar day."""
    dates, stored, moment = are_dates(flights, tz), _stored_zone(flights), nw.col("flight_date")

    def edge(end: datetime) -> datetime:
        moment = end.replace(tzinfo=UTC) if dates else end
        if stored:
            return moment.astimezone(ZoneInfo(stored))
        return moment.astimezone(UTC).replace(tzinfo=None)

    filtered = flights.filter(moment < edge(until))
    return filtered.filter(moment >= edge(since)) if since else filtered


def as_text(day: str, unit: str) -> nw.Expr:
    """Return the month, ISO week or day, as text, that a column of days lies in.

    A week has the year of its Thursday (ISO 8601), so the week is read from there.
    """
    moment = nw.col(day)
    if unit == "month":
        return moment.dt.to_string("%Y-%m")
    if unit == "day":
        return moment.dt.to_string("%Y-%m-%d")
    thursday = moment - timedelta(days=3)  # a Sunday's; engines number it 7 or 0
    for weekday in range(1, 7):
        shifted = moment + timedelta(days=4 - weekday)
        thursday = nw.when(moment.dt.weekday() == weekday).then(shifted).otherwise(thursday)
    return thursday.dt.to_string("%G-W%V")


def local_days(column: pd.Series[Any], tz: str) -> pd.Series[Any]:
    """Return the local midnight, without a zone, of each timestamp of a pandas column."""
    frame = nw.from_native(pd.DataFrame({"flight_date": column})).lazy()
    # What the fleet knows of its flights' dates says nothing of other dates.
    days: pd.Series[Any] = with_days(frame, str(tz)).collect("pandas").to_native()["_day"]
    return days


def local_day(as_of: str | date | datetime, tz: str) -> pd.Timestamp:
    """Return the local midnight, without a zone, of the day that `as_of` falls on in `tz`."""
    return pd.Timestamp(periods.instant(as_of, tz).date())
