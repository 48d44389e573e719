"""A mirror with a past: small organisations written one after the other."""

from __future__ import annotations

import json

from fleetkit import mirror, tables


def page(records):
    """Return records as a list's page."""
    return json.dumps({"success": True, "data": list(records)}).encode()


def a_flight(number, day="2026-09-10", minutes=60, **fields):
    """Return a flight of an hour."""
    seconds = None if minutes is None else minutes * 60
    return {"id": f"fl_{number}", "flightDate": day, "durationSeconds": seconds, **fields}


def frames_of(
    *, flights=(), projects=(), equipment=({"id": "eq_1"},), services=(), detail=False, camera=()
):
    """Return the seven tables; flights are logged under eq_1, those in `camera` under eq_2 too."""
    reader = tables.FlightReader()
    reader.add("eq_1", page(flights))
    reader.add("eq_2", page(flight for flight in flights if flight["id"] in camera))
    logged, bridge = reader.finish()
    pieces, priced = [page(equipment)], [page(services)]
    return {
        "equipment": tables.equipment(pieces),
        "specifications": tables.specifications(pieces),
        "projects": tables.projects([page(projects)], detail=detail),
        "services": tables.services(priced),
        "tiers": tables.tiers(priced),
        "flights": logged,
        "flight_equipment": bridge,
    }


SOURCE = "http://here"


def write(path, *, missing=None, tz="UTC", at=None, **organisation):
    """Write one more state, at a moment or now; return when it was written."""
    frames = frames_of(**organisation)
    retained = {name: frame for name, frame in frames.items() if name not in (missing or {})}
    return mirror.write(
        path, retained, source=SOURCE, tz=tz, requests=5, missing=missing or {}, fetched_at=at
    ).fetched_at


def write_full(path, *, accept_loss=False, **organisation):
    """Write one more state as ``sync --full`` does, which repairs; return its report."""
    frames = frames_of(**organisation)
    plan = mirror.plan(path, frames, full=True, details=organisation.get("detail", False))
    if plan.details is not None:
        frames[mirror.PROJECT_DETAILS] = frames["projects"]
    return mirror.write(
        path,
        frames,
        source=SOURCE,
        tz="UTC",
        requests=5,
        missing={},
        plan=plan,
        accept_loss=accept_loss,
    )
