"""Who flew how much, and who has flown enough lately."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import narwhals as nw
import pandas as pd

from fleetkit.errors import InvalidValue
from fleetkit.metrics._days import as_day, local_days
from fleetkit.metrics._frames import SECONDS_PER_HOUR, alike, hours, opened, returned, seconds
from fleetkit.metrics.flight_hours import UNASSIGNED
from fleetkit.settings import RecencyRule

__all__ = ["pilots", "recency"]


def pilots(flights: Any) -> Any:
    """Count flights and sum hours of each pilot in command.

    A pilot is a pilot id; the name is the one of the last flight, or the id where no name came.

    Parameters
    ----------
    flights : frame of any engine
        With ``pilot_id``, ``pilot_name``, ``flight_date``, ``duration_seconds`` [s].

    Returns
    -------
    frame of the kind of `flights`
        ``pilot_id``, ``pilot_name``, ``flights``, ``hours`` [h], ``last_flight`` (UTC); most hours
        first, and flights without a pilot as the last row, "Unassigned".

    Raises
    ------
    InvalidValue
        A missing column.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "pilot_id": ["p", "p", None], "pilot_name": ["Ada", "Ada", None],
    ...     "flight_date": pd.to_datetime(["2026-10-01T08:00Z"] * 3),
    ...     "duration_seconds": [1800, 1800, 600],
    ... })
    >>> pilots(flights)[["pilot_id", "pilot_name", "flights"]]
         pilot_id  pilot_name  flights
    0           p         Ada        2
    1  Unassigned  Unassigned        1
    """
    columns = ["pilot_id", "pilot_name", "flight_date", "duration_seconds"]
    named = (
        opened(flights, "flights", columns)
        .with_columns(seconds().alias("_seconds"))
        .group_by("pilot_id", "pilot_name")
        .agg(
            nw.len().alias("flights"),
            nw.col("_seconds").sum(),
            nw.col("flight_date").max().alias("last_flight"),
        )
        .with_columns(nw.col("pilot_id").fill_null(UNASSIGNED))
    )
    counted = named.group_by("pilot_id").agg(
        nw.col("flights").sum(), nw.col("_seconds").sum(), nw.col("last_flight").max()
    )
    names = (
        named.join(counted.select("pilot_id", "last_flight"), on=["pilot_id", "last_flight"])
        .group_by("pilot_id")
        .agg(nw.col("pilot_name").max())
    )
    unassigned = nw.col("pilot_id") == UNASSIGNED
    result = (
        counted.join(names, on="pilot_id", how="left")
        .with_columns(
            nw.coalesce("pilot_name", "pilot_id").alias("pilot_name"),
            hours("_seconds").alias("hours"),
            unassigned.cast(nw.Int64).alias("_last"),
        )
        .sort("_last", "hours", "pilot_id", descending=[False, True, False])
    )
    return returned(
        result.select("pilot_id", "pilot_name", "flights", "hours", "last_flight"), flights
    )


def recency(
    flights: Any, rule: RecencyRule, as_of: str | date | datetime, *, tz: str = "UTC"
) -> Any:
    """Say which pilots have flown enough lately, and on which day that ends or ended.

    A rule's window ends with the day `as_of`. A window of 90 days is that day and the 89 before
    it; one of 3 calendar months starts on the day after the same day three months earlier: on 31
    October it is August, September and October. Flights after `as_of` and, for a night rule, by
    day, don't count; flights without a pilot are left out.

    Parameters
    ----------
    flights : frame of any engine
        With ``pilot_id``, ``pilot_name``, ``flight_date``, ``duration_seconds`` [s] and, for a
        night rule, ``night_flight``. Hand over all flights, not the window's alone: the day on
        which a pilot lapsed lies in them.
    rule : RecencyRule
        Window, minimum hours and minimum flights; both minima must be met.
    as_of : date, datetime or str
        A day; of a moment, the day that it falls on in `tz`.
    tz : str
        IANA time zone of the days.

    Returns
    -------
    frame of the kind of `flights`
        One row per pilot who flew up to `as_of`: ``pilot_id``, ``pilot_name``, ``flights`` and
        ``hours`` [h] that count within the window, ``recent`` (bool), ``lapses`` (a day,
        ``datetime64[us]``), ``last_flight`` (UTC; of any kind). ``lapses`` is the first day on
        which the rule no longer holds if nobody flies: after `as_of` for pilots who are recent,
        up to `as_of` for those who lapsed, null where the rule never held in these flights.
        Recent pilots come last; first those who lapsed, longest ago first.

    Raises
    ------
    InvalidValue
        A missing column, an unknown zone, a rule without one window and at least one minimum.

    Examples
    --------
    >>> flights = pd.DataFrame({
    ...     "pilot_id": ["p"], "pilot_name": ["Ada"],
    ...     "flight_date": pd.to_datetime(["2026-09-10T08:00Z"]), "duration_seconds": [7200],
    ... })
    >>> rule = RecencyRule("2 h in 3 months", months=3, hours=2)
    >>> recency(flights, rule, "2026-10-31")[["pilot_id", "hours", "recent", "lapses"]]
      pilot_id  hours  recent     lapses
    0        p    2.0    True 2026-12-10
    """
    _check(rule)
    today = as_day(as_of, tz)
    flown = _flown_days(flights, rule, tz)
    flown = flown[flown["_day"] <= today].sort_values(["pilot_id", "_day"])
    rows = [_state(pilot, days, rule, today) for pilot, days in flown.groupby("pilot_id")]
    result = pd.DataFrame(rows, columns=list(_DTYPES)).astype(_DTYPES)
    order = ["recent", "lapses", "pilot_name", "pilot_id"]
    return alike(result.sort_values(order, na_position="first", ignore_index=True), flights)


_DTYPES = {
    "pilot_id": "str",
    "pilot_name": "str",
    "flights": "int64",
    "hours": "float64",
    "recent": "bool",
    "lapses": "datetime64[us]",
    "last_flight": "datetime64[us, UTC]",
}


def _check(rule: RecencyRule) -> None:
    if (rule.months > 0) == (rule.days > 0) or (rule.hours <= 0 and rule.flights <= 0):
        raise InvalidValue(
            f"The recency rule {rule.name!r} has no window or no minimum.",
            advice="Give it months or days, one of them, and hours or flights or both.",
        )


def _flown_days(flights: Any, rule: RecencyRule, tz: str) -> pd.DataFrame:
    """Return what each pilot flew on each day: all flights' last moment, and what counts."""
    columns = ["pilot_id", "pilot_name", "flight_date", "duration_seconds"]
    frame = opened(flights, "flights", columns + (["night_flight"] if rule.night_only else []))
    counts = nw.col("night_flight") if rule.night_only else nw.lit(True)
    return (
        frame.with_columns(
            local_days(frame, tz).alias("_day"),
            nw.when(counts).then(nw.lit(1)).otherwise(nw.lit(0)).alias("_flights"),
            nw.when(counts).then(seconds()).otherwise(nw.lit(0)).alias("_seconds"),
        )
        .filter(~nw.col("pilot_id").is_null())
        .group_by("pilot_id", "pilot_name", "_day")
        .agg(nw.col("_flights").sum(), nw.col("_seconds").sum(), nw.col("flight_date").max())
        .collect("pandas")
        .to_native()
    )


def _state(
    pilot: str, days: pd.DataFrame, rule: RecencyRule, today: pd.Timestamp
) -> tuple[Any, ...]:
    inside = days[days["_day"] > _before_window(today, rule)]
    lapses = max(_ends(days, rule), default=pd.NaT)
    last = days.loc[days["flight_date"].idxmax()]
    name = pilot if pd.isna(last["pilot_name"]) else last["pilot_name"]
    return (
        pilot,
        name,
        inside["_flights"].sum(),
        inside["_seconds"].sum() / SECONDS_PER_HOUR,
        bool(lapses > today),
        lapses,
        last["flight_date"],
    )


def _ends(days: pd.DataFrame, rule: RecencyRule) -> Iterator[pd.Timestamp]:
    """Yield, for each day flown, when the rule would stop to hold if no flight came after it."""
    dates, counts, spent = list(days["_day"]), list(days["_flights"]), list(days["_seconds"])
    for end in range(len(dates)):
        n = total = 0
        for start in range(end, -1, -1):
            if dates[start] <= _before_window(dates[end], rule):
                break
            n, total = n + counts[start], total + spent[start]
            if n >= rule.flights and total >= rule.hours * SECONDS_PER_HOUR:
                yield _leaves_window(dates[start], rule)
                break


def _before_window(end: pd.Timestamp, rule: RecencyRule) -> pd.Timestamp:
    """Return the last day that no longer counts when the window ends with `end`."""
    return end - (pd.DateOffset(months=rule.months) if rule.months else timedelta(rule.days))


def _leaves_window(day: pd.Timestamp, rule: RecencyRule) -> pd.Timestamp:
    """Return the first day on which `day` no longer counts."""
    end = day + (pd.DateOffset(months=rule.months) if rule.months else timedelta(rule.days))
    while _before_window(end, rule) < day:  # 30 November + 3 months: February is too short
        end += timedelta(1)
    return end
