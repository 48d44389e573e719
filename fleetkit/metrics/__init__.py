"""What fleetkit measures: frame in, small frame out.

Every function here takes tables as :mod:`fleetkit.tables` makes them and gives one small frame
back: keys first, then measures. A name is always the function, also where a module bears it too.

Whatever runs over flights is written with Narwhals: pandas, Polars, DuckDB, Dask and PySpark
frames go in, and what comes back is of the kind of the first argument.
"""

from typing import TYPE_CHECKING, NoReturn

from fleetkit.interface import missing_attribute
from fleetkit.metrics.change import Change, change, covered_since
from fleetkit.metrics.client_shares import client_shares
from fleetkit.metrics.condition_history import condition_history
from fleetkit.metrics.double_count import double_count
from fleetkit.metrics.equipment_condition import equipment_condition, idle
from fleetkit.metrics.flight_hours import every_month, flight_hours
from fleetkit.metrics.flight_totals import flight_totals, untimed_flights
from fleetkit.metrics.late_projects import late_projects, stalled_projects, to_invoice
from fleetkit.metrics.logging_lag import logging_lag
from fleetkit.metrics.night_and_bvlos import night_and_bvlos
from fleetkit.metrics.pilots import pilots
from fleetkit.metrics.price_history import price_history
from fleetkit.metrics.project_effort import project_effort, value_per_hour
from fleetkit.metrics.project_pipeline import (
    completion_ratio,
    margins,
    pipeline_totals,
    project_pipeline,
)
from fleetkit.metrics.recency import recency, recency_window_start
from fleetkit.metrics.reconciliation import reconciliation
from fleetkit.metrics.registrations import flown_while_expired, registrations
from fleetkit.metrics.restatements import restatements
from fleetkit.metrics.stage_conversions import stage_conversions
from fleetkit.metrics.stage_moves import impossible_moves, stage_moves
from fleetkit.metrics.time_in_stage import stage_stays, time_in_stage
from fleetkit.metrics.utilisation import (
    aircraft,
    aircraft_hours,
    hours_per_aircraft_day,
    utilisation,
)
from fleetkit.metrics.workload import workload

__all__ = [
    "Change",
    "aircraft",
    "aircraft_hours",
    "change",
    "client_shares",
    "completion_ratio",
    "condition_history",
    "covered_since",
    "double_count",
    "equipment_condition",
    "every_month",
    "flight_hours",
    "flight_totals",
    "flown_while_expired",
    "hours_per_aircraft_day",
    "idle",
    "impossible_moves",
    "late_projects",
    "logging_lag",
    "margins",
    "night_and_bvlos",
    "pilots",
    "pipeline_totals",
    "price_history",
    "project_effort",
    "project_pipeline",
    "recency",
    "recency_window_start",
    "reconciliation",
    "registrations",
    "restatements",
    "stage_conversions",
    "stage_moves",
    "stage_stays",
    "stalled_projects",
    "time_in_stage",
    "to_invoice",
    "untimed_flights",
    "utilisation",
    "value_per_hour",
    "workload",
]


if not TYPE_CHECKING:  # a type checker would take every name for one that there is

    def __getattr__(name: str) -> NoReturn:
        """Name near ones where there is no such name."""
        raise missing_attribute("fleetkit.metrics", name, __all__)
