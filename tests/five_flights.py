"""Five flights, their equipment and projects, small enough to count by hand.

=====  ==================  ===========  =======  =====  ======  ==========  =======  ==========
id     flight date, UTC    type         seconds  night  bvlos   pilot       project  equipment
=====  ==================  ===========  =======  =====  ======  ==========  =======  ==========
fl_1   2026-09-30 23:30    COMMERCIAL      3600  no     no      Ada         Quarry   drone, cam
fl_2   2026-10-01 08:00    COMMERCIAL      1800  yes    null    Ada         Quarry   drone
fl_3   2026-10-15 09:00    TRAINING        5400  no     yes     Bo          –        spare
fl_4   2026-10-31 10:00    MAINTENANCE     null  null   no      –           Bridge   drone
fl_5   2027-01-01 12:00    COMMERCIAL        -5  no     no      Ada         Bridge   drone, cam
=====  ==================  ===========  =======  =====  ======  ==========  =======  ==========
"""

import pandas as pd

from fleetkit.schema import FLIGHT_TYPES, PROJECT_STATUSES


def flights() -> pd.DataFrame:
    """Return the table above, with the contract's dtypes and a column that nobody asked for."""
    moments = ["2026-09-30T23:30", "2026-10-01T08:00", "2026-10-15T09:00"]
    moments += ["2026-10-31T10:00", "2027-01-01T12:00"]
    types = ["COMMERCIAL", "COMMERCIAL", "TRAINING", "MAINTENANCE", "COMMERCIAL"]
    return pd.DataFrame(
        {
            "flight_id": text("fl_1", "fl_2", "fl_3", "fl_4", "fl_5"),
            "flight_date": pd.to_datetime(moments, utc=True).astype("datetime64[us, UTC]"),
            "flight_type": pd.Categorical(types, FLIGHT_TYPES, ordered=True),
            "operation_type": text("SURVEY", "MAPPING", None, "SURVEY", "SURVEY"),
            "duration_seconds": pd.array([3600, 1800, 5400, None, -5], dtype="Int64"),
            "night_flight": pd.array([False, True, False, None, False], dtype="boolean"),
            "bvlos": pd.array([False, None, True, False, False], dtype="boolean"),
            # From the first's take-off to its landing are 1,112 m; the third has half a landing.
            "traveled_distance": [4000.0, 900.0, None, 0.0, 50.0],
            "takeoff_lat": [59.90, 59.90, 59.90, None, 0.0],
            "takeoff_lng": [10.70, 10.70, 10.70, None, 0.0],
            "landing_lat": [59.91, 59.90, 59.90, None, 0.0],
            "landing_lng": [10.70, 10.70, None, None, 0.0],
            "pilot_id": text("prof_1", "prof_1", "prof_2", None, "prof_1"),
            "pilot_name": text("Ada", "Ada", "Bo", None, "Ada"),
            "project_id": text("proj_1", "proj_1", None, "proj_2", "proj_2"),
            "project_title": text("Quarry", "Quarry", None, "Bridge", "Bridge"),
            "created_at": days(
                "2026-10-01T02:30",  # 2 h after it landed
                "2026-10-01T12:30",  # 4 h
                "2026-10-16T10:30",  # 24 h
                "2026-11-01T00:00",
                "2027-01-01T13:00",
            ),
            "hours": text("a", "b", "c", "d", "e"),
        }
    )


def bridge() -> pd.DataFrame:
    """Return which equipment flew which flight: seven rows."""
    return pd.DataFrame(
        {
            "flight_id": text("fl_1", "fl_1", "fl_2", "fl_3", "fl_4", "fl_5", "fl_5"),
            "equipment_id": text(
                "eq_drone", "eq_cam", "eq_drone", "eq_spare", "eq_drone", "eq_drone", "eq_cam"
            ),
        }
    )


def equipment() -> pd.DataFrame:
    """Return four pieces of equipment; the last, an aircraft, never flew."""
    return pd.DataFrame(
        {
            "equipment_id": text("eq_drone", "eq_cam", "eq_spare", "eq_new"),
            "name": text("Kestrel", "Lens", "Merlin", "Heron"),
            "type": text("DRONE", "CAMERA", "DRONE", "DRONE"),
            "category": text("MULTIROTOR", "PAYLOAD", "FIXED_WING", "MULTIROTOR"),
            "model": text("K1", "Zoom", "M2", "K1"),
            "status": text("ACTIVE", "ACTIVE", "MAINTENANCE", "ACTIVE"),
            "condition": text("GOOD", "WORN", "GOOD", "NEW"),
            "serial_number": text("K1", "L1", "k1 ", None),
            "registration_number": text("N1", None, "N2", "N3"),
            "purchase_date": days("2026-10-01", None, "2025-01-01", "2026-01-01"),
            "purchase_cost": [5000.0, 900.0, None, 5000.0],
            "updated_at": days(*["2026-11-02T08:00"] * 4),
            "registration_expiry": days("2026-10-01", None, "2027-06-01", "2026-01-01"),
            "total_flights": pd.array([4, 2, 1, None], dtype="Int64"),
            "total_flight_hours": [1.5, 9.0, 1.4, None],
        }
    )


def projects() -> pd.DataFrame:
    """Return the two projects, one of them with a client."""
    return pd.DataFrame(
        {
            "project_id": text("proj_1", "proj_2"),
            "title": text("Quarry", "Bridge"),
            "status": pd.Categorical(["DELIVERED", "SCHEDULED"], PROJECT_STATUSES, ordered=True),
            "agreed_price": [900.0, 400.0],
            "currency": text("EUR", "EUR"),
            "client_account_name": text("Fjord Quarries", None),
            "assigned_pilot_name": text("Ada", "Bo"),
            "scheduled_date": days("2026-09-20T00:00Z", "2026-10-20T00:00Z"),
        }
    )


def text(*values: str | None) -> pd.Series:
    """Return a text column of the contract's dtype."""
    return pd.Series(values, dtype="str")


def days(*values: str | None) -> pd.Series:
    """Return a timestamp column of the contract's dtype."""
    return pd.Series(pd.to_datetime(list(values), utc=True, format="ISO8601")).astype(
        "datetime64[us, UTC]"
    )


def rows(frame: pd.DataFrame) -> list[tuple]:
    """Return a frame's rows as tuples, nulls as None."""
    plain = frame.astype(object)
    return list(plain.where(plain.notna(), None).itertuples(index=False, name=None))
