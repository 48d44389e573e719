"""The names of all charts, and frames of them that are small enough to count by hand."""

from __future__ import annotations

import inspect

import pandas as pd

from fleetkit import charts

EVERY = sorted(
    name
    for name in set(charts.__all__) - {"axes", "gallery"}
    if inspect.isfunction(getattr(charts, name))
)


def an_hours_frame(**keys: list[str | None]) -> pd.DataFrame:
    """Return hours 1, 2, 3 … by the keys given."""
    count = len(next(iter(keys.values())))
    measures = {"flights": [1] * count, "hours": [float(n) for n in range(1, count + 1)]}
    return pd.DataFrame({**keys, **measures})


def counted_frames(name: str) -> dict[str, pd.DataFrame]:
    """Return the frame of each chart that `test_charts` counts by hand; every name is `name`."""
    named = [part(name) for part in (_of_flights, _of_pilots, _of_equipment, _of_projects)]
    return {chart: frame for frames in [*named, _of_history()] for chart, frame in frames.items()}


def _of_flights(name: str) -> dict[str, pd.DataFrame]:
    return {
        "flight_hours": an_hours_frame(pilot=["prof_1", "prof_2"]).assign(pilot_name=[name, "Bo"]),
        "utilisation": pd.DataFrame(
            {"month": ["2026-09", "2026-10"], "hours_per_aircraft_day": [0.5, 0.75]}
        ),
        "aircraft_hours": pd.DataFrame({"name": [name, "B"], "flights": [3, 0], "hours": [2.5, 0]}),
        "night_and_bvlos": pd.DataFrame(
            {
                "flag": ["night_flight", "bvlos"],
                "known_flights": [40, 0],
                "flights_share": [0.25, None],
                "known_hours": [20.0, 0.0],
                "hours_share": [0.1, None],
            }
        ),
        "calendar": pd.DataFrame(
            {
                "day": ["2026-10-29", "2026-10-30", "2026-10-31"],
                "flights": pd.array([None, 3, 0], dtype="Int64"),
                "hours": [None, 2.5, 0.0],
            }
        ),
        "hours_by_weekday": pd.DataFrame(
            {"weekday": [1, 1, 7], "hour": [9, 10, 23], "flights": [3, 1, 1], "hours": [2.5, 1, 0]}
        ),
        "take_offs": pd.DataFrame(
            {
                "position": ["located", "located", "0, 0"],
                "latitude": [59.9, 60.0, None],
                "longitude": [10.7, 10.7, None],
                "east_km": [0.0, 0.0, None],
                "north_km": [-5.56, 5.56, None],
                "size_km": [1.0, 1.0, None],
                "flights": [12, 3, 2],
            }
        ),
    }


def _of_pilots(name: str) -> dict[str, pd.DataFrame]:
    days = pd.to_datetime(["2026-10-30T09:00Z", "2026-07-02T09:00Z", "2026-09-01T09:00Z"])
    pilots = {"pilot_id": ["prof_1", "prof_2", "prof_3"], "pilot_name": [name, None, "Åse Øy"]}
    return {
        "pilots": pd.DataFrame({**pilots, "flights": [9, 2, 1], "hours": [4.0, 1.5, 0.25]}),
        "recency": pd.DataFrame(
            {
                **pilots,
                "recent": [True, False, False],
                "lapses": pd.to_datetime(["2027-01-20", "2026-10-02", None]),
                "last_flight": days,
            }
        ),
    }


def _of_equipment(name: str) -> dict[str, pd.DataFrame]:
    return {
        "equipment_condition": pd.DataFrame(
            {
                "status": ["ACTIVE", "ACTIVE", "GROUNDED"],
                "condition": ["GOOD", None, "POOR"],
                "equipment": [12, 1, 3],
            }
        ),
        "registrations": pd.DataFrame(
            {
                "band": pd.Categorical(
                    ["later", "expired", "later"], ["expired", "≤ 30 days", "later"], ordered=True
                )
            }
        ),
        "reconciliation": pd.DataFrame(
            {
                "name": [name, "B"],
                "counter_hours": [12.0, None],
                "logged_hours": [10.0, 4.0],
                "hours_difference": [2.0, None],
                "verdict": ["counter higher", "no counter"],
            }
        ),
        "idle": pd.DataFrame(
            {"name": [name, "B"], "idle_days": pd.array([41, None], dtype="Int64")}
        ),
    }


def _of_projects(name: str) -> dict[str, pd.DataFrame]:
    money = {"projects": [9, 4, 2], "value": [125_000.0, 9_500.0, None]}
    money |= {"currency": ["EUR", "NOK", None]}
    return {
        "project_pipeline": pd.DataFrame({"status": ["DRAFT", "DRAFT", "DELIVERED"], **money}),
        "pipeline_totals": pd.DataFrame({"group": ["open", "open", "backlog"], **money}),
        "margins": pd.DataFrame(
            {
                "currency": ["EUR", "NOK"],
                "projects": [9, 4],
                "compared": [7, 0],
                "price": [1000.0, None],
                "margin": [-50.0, None],
                "margin_percent": [-5.0, None],
            }
        ),
        "late_projects": pd.DataFrame(
            {
                "title": [name, "B"],
                "client_account_name": ["Ørsted", None],
                "status": ["SCHEDULED", "DRAFT"],
                "days_late": [12, 1],
            }
        ),
    }


def _of_history() -> dict[str, pd.DataFrame]:
    return {
        "time_in_stage": pd.DataFrame(
            {
                "status": ["DRAFT", "IN_PROGRESS", "ON_HOLD"],
                "stays": [4, 1, 0],
                "median_days": [3.0, 12.25, None],
                "p90_days": [8.5, 12.25, None],
                "standing": [2, 0, 1],
                "longest_standing_days": [20.0, None, 1.5],
                "entry_unseen": [1, 0, 0],
            }
        ),
        "restatements": pd.DataFrame(
            {
                "month": ["2026-08", "2026-09", "2026-10"],
                "late_logs": [3, 0, 0],
                "edits": [1, 2, 0],
                "moved_in": [0, 0, 1],
                "moved_out": [0, 1, 1],
                "vanished": [1, 0, 0],
                "hours": [1.2, -0.5, 0.0],
            }
        ),
    }
