# Written by `make format`: one line per function.
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
from fleetkit.charts.tier_rates import tier_rates as tier_rates
from fleetkit.charts.time_in_stage import time_in_stage as time_in_stage
from fleetkit.charts.utilisation import utilisation as utilisation
