"""What a fleet's data cover: from the first flight on, until they were fetched.

Before and after, nothing is known: a month out there is blank, never 0.
"""

from __future__ import annotations

from datetime import date

import pandas as pd

from fleetkit.errors import Forbidden
from fleetkit.fleet.core import Fleet
from fleetkit.fleet.flight_dates import FlightDates
from fleetkit.time import Clock, Period, Zone, in_utc, instant

__all__ = ["clock_of", "covered", "first_day", "has_undated", "reportable_days", "zone_of"]


def first_day(fleet: Fleet) -> date | None:
    """Return the day of the organisation's first flight, in the fleet's zone; None without any.

    From the year 1000 on.
    """
    first = _flight_dates(fleet).first
    if first is None:
        return None
    day: date = clock_of(fleet).times(pd.Series([first])).iloc[0].date()
    return day


def clock_of(fleet: Fleet) -> Clock:
    """Return the fleet's clock, which knows whether the organisation's flight dates are dates.

    Examples
    --------
    >>> import fleetkit as fk
    >>> clock_of(fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=50))
    Clock(tz='UTC', dates_only=False)
    """
    return Clock(fleet.tz, _flight_dates(fleet).dates_only)


def has_undated(fleet: Fleet) -> bool:
    """Whether the organisation has flights without a date, which lie in no period.

    Examples
    --------
    >>> import fleetkit as fk
    >>> has_undated(fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=50))
    False
    """
    return _flight_dates(fleet).undated > 0


def zone_of(fleet: Fleet) -> Zone:
    """Return the zone that ``fleet.flights()`` carries, for the ``tz`` of lazy frames' metrics.

    Parameters
    ----------
    fleet : Fleet

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of=date(2026, 11, 20), tz="Europe/Oslo", equipment=16, flights=50)
    >>> zone_of(fleet) == fleet.flights().attrs["tz"], zone_of(fleet).dates_only
    (True, False)
    """
    try:
        return fleet._tables.clock_of_all().zone
    except Forbidden:
        return Zone(fleet.tz)


def _flight_dates(fleet: Fleet) -> FlightDates:
    """Return what the dates of all flights tell; none where the key can't read them."""
    try:
        return fleet._source.flight_dates()
    except Forbidden:
        return FlightDates()


def covered(fleet: Fleet) -> Period | None:
    """Return what the data cover, in the fleet's zone; None where there is nothing.

    From the start of the day of the organisation's first flight until the data were fetched, or
    what the filter's ``since`` and ``until`` leave of that. What else a filter narrows doesn't
    matter: a client who was not flown for is known to have no flights.

    Examples
    --------
    >>> import fleetkit as fk
    >>> known = covered(fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=50))
    >>> known.since.isoformat(), known.until.isoformat()
    ('2024-05-08T00:00:00+00:00', '2026-11-20T00:00:00+00:00')
    """
    first = first_day(fleet)
    if first is None:
        return None
    since, until = instant(first, fleet.tz), fleet.fetched_at
    if fleet.filter.since is not None:
        since = max(since, instant(fleet.filter.since, fleet.tz), key=in_utc)
    if fleet.filter.until is not None:
        until = min(until, instant(fleet.filter.until, fleet.tz), key=in_utc)
    return Period(since, until, fleet.tz) if in_utc(since) < in_utc(until) else None


def reportable_days(fleet: Fleet) -> tuple[date, date] | None:
    """Return the first and the last day that can be reported on; None without any flight.

    Examples
    --------
    >>> import fleetkit as fk
    >>> first, last = reportable_days(fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=50))
    >>> first.isoformat(), last.isoformat()
    ('2024-05-08', '2026-11-19')
    """
    known = covered(fleet)
    return (known.since.date(), known.last_day) if known else None
