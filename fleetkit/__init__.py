"""A drone fleet's API as pandas DataFrames, explorers in Jupyter and monthly reports.

``connect(base_url, api_key)``
    a fleet at a service
``demo()``
    an invented fleet, on a server of its own
``open_mirror(path)``
    a fleet from a mirror, offline, with its history
``report(period, fleet=fleet)``
    the report of a period, as HTML and PDF

>>> import fleetkit as fk
>>> fleet = fk.demo()
>>> hours = fk.metrics.flight_hours(fleet.flights("2026-10"), by="flight_type")
>>> ax = fk.charts.flight_hours(hours)

``import fleetkit`` loads only the errors. pandas, matplotlib, papermill, ipywidgets and the server
are loaded when a name that needs them is first used.
"""

# ruff: noqa: E402 - the rest takes long enough to load to be interrupted
from __future__ import annotations

from fleetkit import interrupts

interrupts.watch()

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fleetkit.errors import (
    ApiError,
    BadRequest,
    ClusterError,
    DataError,
    FleetkitError,
    Forbidden,
    IncompleteError,
    InvalidValue,
    MirrorError,
    NotFound,
    NothingToReport,
    RateLimited,
    ReportError,
    ServerError,
    Unauthorized,
    UnexpectedAnswer,
    Unreachable,
)
from fleetkit.interface import ipython, missing_attribute
from fleetkit.notices import Notice, NotInReference

if TYPE_CHECKING:
    from fleetkit import charts, columns, explore, language, metrics, reports, schema, settings
    from fleetkit.comparison import compare
    from fleetkit.exclusion import excluding
    from fleetkit.explanation import explain
    from fleetkit.export import to_excel
    from fleetkit.filters import Filter
    from fleetkit.fleet import Fleet, MirroredFleet, connect, demo, open_mirror, setup, sync
    from fleetkit.reports import report, report_by
    from fleetkit.time import Period

__version__ = "0.1.0"

_MODULES = ("charts", "columns", "explore", "language", "metrics", "reports", "schema", "settings")
_LAZY_NAMES = {
    "Filter": "fleetkit.filters",
    "Fleet": "fleetkit.fleet",
    "MirroredFleet": "fleetkit.fleet",
    "compare": "fleetkit.comparison",
    "connect": "fleetkit.fleet",
    "Period": "fleetkit.time",
    "demo": "fleetkit.fleet",
    "excluding": "fleetkit.exclusion",
    "explain": "fleetkit.explanation",
    "open_mirror": "fleetkit.fleet",
    "setup": "fleetkit.fleet",
    "sync": "fleetkit.fleet",
    "report": "fleetkit.reports",
    "report_by": "fleetkit.reports",
    "to_excel": "fleetkit.export",
}

__all__ = [
    "ApiError",
    "BadRequest",
    "ClusterError",
    "DataError",
    "Filter",
    "Fleet",
    "FleetkitError",
    "Forbidden",
    "IncompleteError",
    "InvalidValue",
    "MirrorError",
    "MirroredFleet",
    "NotFound",
    "NotInReference",
    "NothingToReport",
    "Notice",
    "Period",
    "RateLimited",
    "ReportError",
    "ServerError",
    "Unauthorized",
    "UnexpectedAnswer",
    "Unreachable",
    "charts",
    "columns",
    "compare",
    "connect",
    "demo",
    "excluding",
    "explain",
    "explore",
    "language",
    "metrics",
    "open_mirror",
    "report",
    "report_by",
    "reports",
    "schema",
    "settings",
    "setup",
    "sync",
    "to_excel",
]


if not TYPE_CHECKING:  # a type checker would take every name for one that there is

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return import_module(f"fleetkit.{name}")
        if name in _LAZY_NAMES:
            return getattr(import_module(_LAZY_NAMES[name]), name)
        raise missing_attribute("fleetkit", name, __all__)


def _show_tables() -> None:
    """Let the notebook that imports fleetkit, if one does, show its tables with their units."""
    shell = ipython()
    formatters = getattr(getattr(shell, "display_formatter", None), "formatters", {})
    if "text/html" not in formatters:
        return

    def shown(frame: Any) -> Any:
        html = import_module("fleetkit.notebook_tables").html_of(frame)
        if html is None:
            return frame._repr_html_() if before is None else before(frame)
        return html

    # By name, so that pandas is imported by whoever needs it; other tables stay as they were.
    before = formatters["text/html"].for_type_by_name("pandas", "DataFrame", shown)


_show_tables()


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
