"""Reports: notebooks run on one state of the data, rendered to HTML and PDF.

`Section` is what a section notebook builds; `report` runs them all. A notebook only needs the
first, so papermill, jinja2 and PlutoPrint come with `report`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fleetkit.reports import attention
    from fleetkit.reports.build import Paths, report
    from fleetkit.reports.comparison import Comparison, data_day
    from fleetkit.reports.definitions import DEFINITIONS
    from fleetkit.reports.section import Section
    from fleetkit.reports.sentences import activity, money, risk

__all__ = [
    "DEFINITIONS",
    "Comparison",
    "Paths",
    "Section",
    "activity",
    "attention",
    "data_day",
    "money",
    "report",
    "risk",
]

_HOMES = {
    "DEFINITIONS": "definitions",
    "Comparison": "comparison",
    "Paths": "build",
    "Section": "section",
    "activity": "sentences",
    "data_day": "comparison",
    "money": "sentences",
    "report": "build",
    "risk": "sentences",
}


def __getattr__(name: str) -> Any:
    if name == "attention":
        return import_module("fleetkit.reports.attention")
    if name in _HOMES:
        return getattr(import_module(f"fleetkit.reports.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'fleetkit.reports' has no attribute {name!r}")
