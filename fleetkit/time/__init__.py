"""The one place for time: periods, and the clock of a fleet that cuts flights by them."""

from fleetkit.time.clock import (
    Lazy,
    Zone,
    are_dates,
    as_text,
    filter_days,
    local_day,
    local_days,
    local_times,
    with_days,
    with_local_time,
    with_utc,
)
from fleetkit.time.period import (
    YEARS,
    Moment,
    Period,
    PeriodLike,
    instant,
    last_complete_month,
    midnight,
    zone_name,
)
from fleetkit.time.so_far import Part, SoFar, so_far

__all__ = [
    "YEARS",
    "Lazy",
    "Moment",
    "Part",
    "Period",
    "PeriodLike",
    "SoFar",
    "Zone",
    "are_dates",
    "as_text",
    "filter_days",
    "instant",
    "last_complete_month",
    "local_day",
    "local_days",
    "local_times",
    "midnight",
    "so_far",
    "with_days",
    "with_local_time",
    "with_utc",
    "zone_name",
]
