"""Which flights count for the recency of a pilot, and with what."""

from __future__ import annotations

import narwhals as nw

from fleetkit.errors import InvalidValue
from fleetkit.interface import brief
from fleetkit.metrics._flown import seconds
from fleetkit.metrics._frames import Frame, Lazy, to_lazy
from fleetkit.settings import RecencyRule

__all__ = ["countable"]


def countable(flights: Frame, rule: RecencyRule) -> Lazy:
    """Return the flights that have a pilot, with ``_flights`` and ``_seconds``.

    Both are 0 where a flight doesn't count for the rule.

    Raises
    ------
    InvalidValue
        A missing column, or a rule without one window and at least one minimum.
    """
    if not isinstance(rule, RecencyRule):
        raise InvalidValue(
            f"{brief(rule)} is not a recency rule.",
            advice="Pass one of fleet.settings.recency, or fk.settings.RecencyRule(…).",
        )
    if rule.problem:
        raise InvalidValue(f"The recency rule {rule.name!r} {rule.problem}.")
    columns = ["pilot_id", "pilot_name", "flight_date", "duration_seconds"]
    frame = to_lazy(flights, "flights", columns + (["night_flight"] if rule.night_only else []))
    counts = nw.col("night_flight") if rule.night_only else nw.lit(True)
    return frame.with_columns(
        nw.when(counts).then(nw.lit(1)).otherwise(nw.lit(0)).alias("_flights"),
        nw.when(counts).then(seconds()).otherwise(nw.lit(0)).alias("_seconds"),
    ).filter(~nw.col("pilot_id").is_null())
