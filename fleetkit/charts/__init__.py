"""Charts: a small frame of `fleetkit.metrics` → matplotlib Axes, in one house style.

A chart has the name of the metric that it draws, and a module of that name; it is found by
existing. Each takes ``ax=None`` and returns the Axes; new Axes show themselves in a notebook and
leave nothing behind in pyplot.
"""

from typing import TYPE_CHECKING, NoReturn

from fleetkit.charts.drawing.style import COLOURS, COLUMN, DARK, HALF, axes
from fleetkit.interface import discover, missing_attribute

if TYPE_CHECKING:  # for type checkers, which do not run `discover`
    from fleetkit.charts.aircraft_hours import aircraft_hours as aircraft_hours
    from fleetkit.charts.equipment_condition import equipment_condition as equipment_condition
    from fleetkit.charts.flight_hours import flight_hours as flight_hours
    from fleetkit.charts.idle import idle as idle
    from fleetkit.charts.late_projects import late_projects as late_projects
    from fleetkit.charts.margins import margins as margins
    from fleetkit.charts.night_and_bvlos import night_and_bvlos as night_and_bvlos
    from fleetkit.charts.pilots import pilots as pilots
    from fleetkit.charts.pipeline_totals import pipeline_totals as pipeline_totals
    from fleetkit.charts.project_pipeline import project_pipeline as project_pipeline
    from fleetkit.charts.recency import recency as recency
    from fleetkit.charts.reconciliation import reconciliation as reconciliation
    from fleetkit.charts.registrations import registrations as registrations
    from fleetkit.charts.restatements import restatements as restatements
    from fleetkit.charts.time_in_stage import time_in_stage as time_in_stage
    from fleetkit.charts.utilisation import utilisation as utilisation
else:
    _CHARTS = discover(__name__, __path__)
    globals().update(_CHARTS)
    __all__ = ["COLOURS", "COLUMN", "DARK", "HALF", "axes"]
    __all__ += list(_CHARTS)

    def __getattr__(name: str) -> NoReturn:
        """Name near ones where there is no such name."""
        raise missing_attribute("fleetkit.charts", name, __all__)
