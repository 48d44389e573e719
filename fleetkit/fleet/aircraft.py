"""The aircraft of a fleet, as its whole organisation tells which types are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from fleetkit import metrics

if TYPE_CHECKING:
    from fleetkit.fleet.core import Fleet

__all__ = ["aircraft_of"]


def aircraft_of(
    fleet: Fleet, equipment: pd.DataFrame | None = None, bridge: Any = None
) -> pd.DataFrame:
    """Return the aircraft of a fleet: of the types that are aircraft in its whole organisation.

    Which types those are, a narrowed fleet can't tell: where the drones are left out, their
    cameras flew with no other piece.

    Parameters
    ----------
    fleet : Fleet
    equipment : DataFrame, optional
        The pieces in question; default: all that the fleet's filter leaves.
    bridge : frame of any engine, optional
        ``flight_id``, ``equipment_id`` of the whole organisation; default: read.

    Returns
    -------
    DataFrame
        The rows of aircraft, all columns.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=50)
    >>> [len(aircraft_of(fleet.where(type=name))) for name in ("DRONE", "CAMERA")]
    [8, 0]
    """
    whole = fleet.whole()
    pairs = whole.flight_equipment() if bridge is None else bridge
    aircraft = metrics.aircraft(whole.equipment(), pairs)
    pieces = fleet.equipment() if equipment is None else equipment
    is_aircraft = pieces["equipment_id"].isin(aircraft["equipment_id"])
    return pieces[is_aircraft].reset_index(drop=True)
