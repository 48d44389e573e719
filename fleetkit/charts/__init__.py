"""Charts: a small frame of `fleetkit.metrics` → matplotlib Axes, in one house style.

A chart bears the name of the metric that it draws. Each takes ``ax=None`` and returns the Axes; new
Axes show themselves in a notebook and leave nothing behind in pyplot.
"""

from typing import TYPE_CHECKING, NoReturn

from fleetkit.charts.equipment_condition import (
    equipment_condition,
    idle,
    reconciliation,
    registrations,
)
from fleetkit.charts.flight_hours import (
    aircraft_hours,
    flight_hours,
    night_and_bvlos,
    pilots,
    recency,
    utilisation,
)
from fleetkit.charts.project_pipeline import (
    late_projects,
    margins,
    pipeline_totals,
    project_pipeline,
)
from fleetkit.charts.restatements import restatements
from fleetkit.charts.style import COLOURS, COLUMN, DARK, HALF, axes
from fleetkit.charts.time_in_stage import time_in_stage
from fleetkit.interface import missing_attribute

__all__ = [
    "COLOURS",
    "COLUMN",
    "DARK",
    "HALF",
    "aircraft_hours",
    "axes",
    "equipment_condition",
    "flight_hours",
    "idle",
    "late_projects",
    "margins",
    "night_and_bvlos",
    "pilots",
    "pipeline_totals",
    "project_pipeline",
    "recency",
    "reconciliation",
    "registrations",
    "restatements",
    "time_in_stage",
    "utilisation",
]


if not TYPE_CHECKING:  # a type checker would take every name for one that there is

    def __getattr__(name: str) -> NoReturn:
        """Name near ones where there is no such name."""
        raise missing_attribute("fleetkit.charts", name, __all__)
