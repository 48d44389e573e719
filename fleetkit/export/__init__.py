"""Frames as files that other programs open: CSV, Excel workbooks, Parquet and GeoJSON.

A file appears whole or not at all, and a text never runs as a formula. What computes nothing and
knows no fleet belongs here; which tables are written, `fleetkit.fleet` and `fleetkit.reports` say.
"""

from fleetkit.export.comma_separated import to_csv
from fleetkit.export.excel import to_excel, workbook
from fleetkit.export.files import write_files
from fleetkit.export.geojson import to_geojson, without_position
from fleetkit.export.parquet import to_parquet

__all__ = [
    "to_csv",
    "to_excel",
    "to_geojson",
    "to_parquet",
    "without_position",
    "workbook",
    "write_files",
]
