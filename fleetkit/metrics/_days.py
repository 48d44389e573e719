"""Calendar days in a time zone: of flights, of columns, of "as of"."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import narwhals as nw
import pandas as pd

from fleetkit import periods

__all__ = ["as_day", "days_of", "local_days"]


def local_days(flights: nw.LazyFrame, tz: str) -> nw.Expr:
    """Return the local midnight, without a zone, of each ``flight_date``.

    Dates are not shifted (see :func:`fleetkit.periods.are_dates`).
    """
    periods.instant(date(2000, 1, 1), tz)  # an unknown zone is refused in words
    zone = "UTC" if tz == "UTC" or periods.are_dates(flights.to_native()) else tz
    moment = nw.col("flight_date").dt.convert_time_zone(zone)
    return moment.dt.replace_time_zone(None).dt.truncate("1d")


def days_of(column: pd.Series[Any], tz: str) -> pd.Series[Any]:
    """Return the local midnight, without a zone, of each timestamp of a pandas column."""
    zone = "UTC" if periods.are_dates(pd.DataFrame({"flight_date": column})) else tz
    return column.dt.tz_convert(zone).dt.tz_localize(None).dt.normalize()


def as_day(as_of: str | date | datetime, tz: str) -> pd.Timestamp:
    """Return the local midnight, without a zone, of the day that `as_of` falls on in `tz`."""
    day = periods.instant(as_of, tz).date()
    return pd.Timestamp(datetime(day.year, day.month, day.day, tzinfo=UTC)).tz_localize(None)
