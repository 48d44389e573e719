"""What fleetkit measures: frame in, small frame out.

Every function here takes tables as :mod:`fleetkit.tables` makes them and gives one small frame
back: keys first, then measures. A metric has a module of its name, and is found by existing. A name
is always the function, also where a module has it too.

Whatever runs over flights is written with Narwhals: pandas, Polars, DuckDB, Dask and PySpark
frames go in, and what comes back is of the kind of the first argument.
"""

from typing import TYPE_CHECKING, NoReturn

from fleetkit.interface import discover, missing_attribute

if TYPE_CHECKING:  # for type checkers, which do not run `discover`
    from fleetkit.metrics.aircraft import aircraft as aircraft
    from fleetkit.metrics.aircraft_hours import aircraft_hours as aircraft_hours
    from fleetkit.metrics.client_shares import client_shares as client_shares
    from fleetkit.metrics.completion_ratio import completion_ratio as completion_ratio
    from fleetkit.metrics.condition_history import condition_history as condition_history
    from fleetkit.metrics.double_count import double_count as double_count
    from fleetkit.metrics.equipment_condition import equipment_condition as equipment_condition
    from fleetkit.metrics.every_month import every_month as every_month
    from fleetkit.metrics.flight_hours import flight_hours as flight_hours
    from fleetkit.metrics.flight_totals import flight_totals as flight_totals
    from fleetkit.metrics.flown_while_expired import flown_while_expired as flown_while_expired
    from fleetkit.metrics.hours_per_aircraft_day import (
        hours_per_aircraft_day as hours_per_aircraft_day,
    )
    from fleetkit.metrics.idle import idle as idle
    from fleetkit.metrics.impossible_moves import impossible_moves as impossible_moves
    from fleetkit.metrics.late_projects import late_projects as late_projects
    from fleetkit.metrics.logging_lag import logging_lag as logging_lag
    from fleetkit.metrics.margins import margins as margins
    from fleetkit.metrics.night_and_bvlos import night_and_bvlos as night_and_bvlos
    from fleetkit.metrics.pilots import pilots as pilots
    from fleetkit.metrics.pipeline_totals import pipeline_totals as pipeline_totals
    from fleetkit.metrics.price_history import price_history as price_history
    from fleetkit.metrics.project_effort import project_effort as project_effort
    from fleetkit.metrics.project_pipeline import project_pipeline as project_pipeline
    from fleetkit.metrics.recency import recency as recency
    from fleetkit.metrics.recency import recency_window_start as recency_window_start
    from fleetkit.metrics.reconciliation import reconciliation as reconciliation
    from fleetkit.metrics.registrations import registrations as registrations
    from fleetkit.metrics.restatements import restatements as restatements
    from fleetkit.metrics.stage_conversions import stage_conversions as stage_conversions
    from fleetkit.metrics.stage_moves import stage_moves as stage_moves
    from fleetkit.metrics.stage_stays import stage_stays as stage_stays
    from fleetkit.metrics.stalled_projects import stalled_projects as stalled_projects
    from fleetkit.metrics.time_in_stage import time_in_stage as time_in_stage
    from fleetkit.metrics.to_invoice import to_invoice as to_invoice
    from fleetkit.metrics.untimed_flights import untimed_flights as untimed_flights
    from fleetkit.metrics.utilisation import utilisation as utilisation
    from fleetkit.metrics.value_per_hour import value_per_hour as value_per_hour
    from fleetkit.metrics.workload import workload as workload
else:
    _METRICS = discover(__name__, __path__)
    globals().update(_METRICS)
    __all__ = list(_METRICS)

    def __getattr__(name: str) -> NoReturn:
        """Name near ones where there is no such name."""
        raise missing_attribute("fleetkit.metrics", name, __all__)
