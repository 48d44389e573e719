"""Flights under the equipment that flew them."""

from __future__ import annotations

import narwhals as nw

from fleetkit.metrics._frames import Frame, Lazy, to_lazy

__all__ = ["under_equipment"]


def under_equipment(frame: Lazy, bridge: Frame, ids: list[str]) -> Lazy:
    """Return the flights once under each of these pieces of equipment that flew them."""
    pairs = to_lazy(bridge, "bridge", ["flight_id", "equipment_id"], beside=frame)
    return pairs.filter(nw.col("equipment_id").is_in(ids)).join(frame, on="flight_id", how="inner")
