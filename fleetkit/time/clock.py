"""Dates and times of flights: whether they are dates or instants, in which zone, and cut where.

A service may give its flights dates only, as midnights UTC. Those are not shifted between zones;
instants are, and the days, weeks and months of a fleet are those of its zone.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import narwhals as nw
import pandas as pd

from fleetkit.time.period import instant

__all__ = [
    "Lazy",
    "Zone",
    "are_dates",
    "as_text",
    "filter_days",
    "local_day",
    "local_days",
    "local_times",
    "with_days",
    "with_local_time",
    "with_utc",
]


# Any engine's frame, as Narwhals has it.
Lazy: TypeAlias = nw.LazyFrame[Any]
# Share of flight dates at exactly 00:00:00 UTC from which on they are dates, not instants.
DATES_SHARE = 0.99


class Zone(str):
    """The name of a time zone, and whether the flight dates beside it are dates or instants.

    A text to everything else, so that frames of one fleet have equal ``attrs`` whether or not they
    hold flights. Dates are not shifted between zones; a few flights alone don't tell which they
    are.

    Attributes
    ----------
    dates_only : bool or None
        None where it isn't known: then the flights themselves are looked at.

    Examples
    --------
    >>> zone = Zone("Europe/Oslo", dates_only=True)
    >>> zone == "Europe/Oslo", zone.dates_only
    (True, True)
    """

    dates_only: bool | None

    def __new__(cls, name: str, dates_only: bool | None = None) -> Zone:  # noqa: D102
        zone = super().__new__(cls, name)
        zone.dates_only = dates_only
        return zone


def with_days(flights: Lazy, tz: str) -> Lazy:
    """Add ``_day``: the local midnight, without a zone, of each ``flight_date``."""
    return with_local_time(flights, tz).with_columns(
        nw.col("_local").dt.truncate("1d").alias("_day")
    )


def with_local_time(flights: Lazy, tz: str) -> Lazy:
    """Add ``_local``: what the clock in `tz` showed at each ``flight_date``, without a zone.

    Dates are not shifted (see :func:`are_dates`).
    """
    in_utc = tz == "UTC" or are_dates(flights, tz)
    return _with_time(flights, "_local", "UTC" if in_utc else tz)


def with_utc(flights: Lazy) -> Lazy:
    """Add ``_utc``: each ``flight_date`` in UTC, without a zone; the same in every engine."""
    return _with_time(flights, "_utc", "UTC")


def are_dates(flights: Any, zone: str | None = None) -> bool:
    """Whether (nearly) every ``flight_date`` is exactly midnight UTC, so a date and no instant.

    An empty frame holds instants.

    Parameters
    ----------
    flights : frame of any engine that Narwhals takes
        With a column ``flight_date``; one without a zone is read as UTC.
    zone : Zone, optional
        Where it tells whether its fleet's dates are dates, nothing is looked at.

    Examples
    --------
    >>> days = pd.to_datetime(["2026-10-01T00:00Z", "2026-10-02T00:00Z"])
    >>> flights = pd.DataFrame({"flight_date": days})
    >>> are_dates(flights), are_dates(flights, Zone("UTC", dates_only=False))
    (True, False)
    """
    if isinstance(zone, Zone) and zone.dates_only is not None:
        return zone.dates_only
    moments = with_utc(nw.from_native(flights).lazy().select("flight_date"))
    utc = nw.col("_utc")
    midnight = (utc == utc.dt.truncate("1d")).cast(nw.Int64)
    counted = (
        moments.select("_utc", midnight=midnight)
        .select(nw.col("midnight").sum(), n=utc.count())
        .collect()
    )
    n = int(counted["n"][0] or 0)
    return n > 0 and int(counted["midnight"][0]) >= DATES_SHARE * n


def _with_time(flights: Lazy, name: str, tz: str) -> Lazy:
    """Add the clock of `tz`; a column without a zone is read as UTC.

    DuckDB and Spark keep one zone for the whole session, not one for each column, and Narwhals
    can't leave it: they are asked in their own words.
    """
    stored, native = _stored_zone(flights), flights.to_native()
    added: Lazy
    if flights.implementation.is_duckdb():
        added = nw.from_native(native.project(f"*, {_duckdb_local(stored, tz)} as {name}"))
        return added
    if flights.implementation.is_pyspark():
        added = nw.from_native(native.selectExpr("*", f"{_spark_local(stored, tz)} as {name}"))
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


def local_times(column: pd.Series[Any], zone: str) -> pd.Series[Any]:
    """Return what the clock in a zone showed at each timestamp of a pandas column, without a zone.

    Parameters
    ----------
    column : Series
        Dates of flights where `zone` is a `Zone`, else any timestamps; dates are not shifted.
    zone : str or Zone

    Examples
    --------
    >>> days = pd.Series(pd.to_datetime(["2026-10-01T00:00Z", "2026-10-02T00:00Z"]))
    >>> local_times(days, Zone("America/Los_Angeles"))[0].date().isoformat()
    '2026-10-01'
    >>> local_times(days, Zone("America/Los_Angeles", dates_only=False))[0].date().isoformat()
    '2026-09-30'
    """
    frame = nw.from_native(pd.DataFrame({"flight_date": column})).lazy()
    times: pd.Series[Any] = with_local_time(frame, zone).collect("pandas").to_native()["_local"]
    return times


def local_days(column: pd.Series[Any], zone: str) -> pd.Series[Any]:
    """Return the local midnight, without a zone, of each timestamp that isn't a flight's."""
    days: pd.Series[Any] = local_times(column, str(zone)).dt.floor("D")
    return days


def local_day(as_of: str | date | datetime, tz: str) -> pd.Timestamp:
    """Return the local midnight, without a zone, of the day that `as_of` falls on in `tz`."""
    return pd.Timestamp(instant(as_of, tz).date())
