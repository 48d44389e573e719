"""What fleetkit measures: frame in, small frame out.

Every function here takes tables as :mod:`fleetkit.tables` makes them and gives one small frame
back: keys first, then measures. A name is always the function, also where a module bears it too.

Whatever runs over flights is written with Narwhals: pandas, Polars, DuckDB, Dask and PySpark
frames go in, and what comes back is of the kind of the first argument.
"""

from fleetkit.metrics.change import Change, change, covered_since
from fleetkit.metrics.equipment_condition import equipment_condition, idle
from fleetkit.metrics.flight_hours import (
    flight_hours,
    flight_totals,
    night_and_bvlos,
    untimed_flights,
)
from fleetkit.metrics.late_projects import late_projects, stalled_projects, to_invoice
from fleetkit.metrics.pilots import pilots
from fleetkit.metrics.project_pipeline import margins, pipeline_totals, project_pipeline
from fleetkit.metrics.recency import recency
from fleetkit.metrics.reconciliation import reconciliation
from fleetkit.metrics.registrations import registrations
from fleetkit.metrics.utilisation import aircraft, aircraft_hours, utilisation

__all__ = [
    "Change",
    "aircraft",
    "aircraft_hours",
    "change",
    "covered_since",
    "equipment_condition",
    "flight_hours",
    "flight_totals",
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
    "stalled_projects",
    "to_invoice",
    "untimed_flights",
    "utilisation",
]
