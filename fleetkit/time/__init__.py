"""The one place for time: periods, and the clock of a fleet that cuts flights by them."""

from fleetkit.time.calendar import (
    EPOCH,
    FREQUENCIES,
    YEARS,
    day_or_moment,
    has_period,
    in_utc,
    is_midnight,
    micros,
    midnight,
    offsets,
)
from fleetkit.time.clock import ZONE, Clock, to_local_time
from fleetkit.time.ends import Ends, Span, widened
from fleetkit.time.engines import Lazy, in_one_zone, with_utc
from fleetkit.time.parsing import Moment, instant
from fleetkit.time.period import Period, PeriodLike, last_complete_month
from fleetkit.time.so_far import Part, SoFar, so_far
from fleetkit.time.zone import Zone, zone_name

__all__ = [
    "EPOCH",
    "FREQUENCIES",
    "YEARS",
    "ZONE",
    "Clock",
    "Ends",
    "Lazy",
    "Moment",
    "Part",
    "Period",
    "PeriodLike",
    "SoFar",
    "Span",
    "Zone",
    "day_or_moment",
    "has_period",
    "in_one_zone",
    "in_utc",
    "instant",
    "is_midnight",
    "last_complete_month",
    "micros",
    "midnight",
    "offsets",
    "so_far",
    "to_local_time",
    "widened",
    "with_utc",
    "zone_name",
]
