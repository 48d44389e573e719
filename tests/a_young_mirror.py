"""A mirror of the latest months of an organisation: a query of it opens few files."""

from __future__ import annotations

from pathlib import Path

import fleetkit as fk
from fleetkit import mirror


def since(day: str, fleet: fk.Fleet, path: Path) -> str:
    """Write what a fleet's mirror holds, of its flights those since a day; return where."""
    whole = fleet.mirror
    frames = {name: whole.table(name) for name in whole.readable}
    flights, bridge = frames["flights"], frames["flight_equipment"]
    flights = flights[flights["flight_date"] >= day]
    bridge = bridge[bridge["flight_id"].isin(flights["flight_id"])]
    frames |= {"flights": flights, "flight_equipment": bridge}
    frames = {name: rows.reset_index(drop=True) for name, rows in frames.items()}
    mirror.write(path, frames, source="http://here", tz="UTC", requests=0, missing={})
    return str(path)
