"""Reports: notebooks run on one state of the data, rendered to HTML and PDF.

`Section` is what a section notebook builds; `report` runs them all. A notebook only needs the
first, so papermill, jinja2 and PlutoPrint come with `report`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleetkit.fleet.aircraft import aircraft_of
from fleetkit.fleet.coverage import zone_of
from fleetkit.interface import missing_attribute
from fleetkit.reports import attention, quality
from fleetkit.reports.attention.lines import with_distinct_names
from fleetkit.reports.comparison import Comparison, data_day, reported_period
from fleetkit.reports.definitions import DEFINITIONS
from fleetkit.reports.effort import flights_of, flights_of_pilots, flights_of_some
from fleetkit.reports.flying import (
    double_count_note,
    flags_in_words,
    lag_note,
    take_off_coverage,
)
from fleetkit.reports.mirror_history import has_history, history, history_note
from fleetkit.reports.numbering import flights_in_parts, numbered_flights, unaccompanied_pairs
from fleetkit.reports.past import Past
from fleetkit.reports.paths import Paths
from fleetkit.reports.plan import largest_shares, weekly
from fleetkit.reports.recency import Recency
from fleetkit.reports.scope import equipment_of
from fleetkit.reports.section import Section
from fleetkit.reports.sentences import (
    activity,
    aircraft_note,
    as_of_text,
    condition,
    expired_note,
    money,
    observed,
    price_list,
    restated,
)
from fleetkit.reports.tabulating import largest_first
from fleetkit.reports.upkeep import by_contradiction, upkeep, upkeep_note
from fleetkit.rounding import rate_decimals

if TYPE_CHECKING:
    from fleetkit.reports.build import report
    from fleetkit.reports.several import report_by

__all__ = [
    "DEFINITIONS",
    "Comparison",
    "Past",
    "Paths",
    "Recency",
    "Section",
    "activity",
    "aircraft_note",
    "aircraft_of",
    "as_of_text",
    "attention",
    "by_contradiction",
    "condition",
    "data_day",
    "double_count_note",
    "equipment_of",
    "expired_note",
    "flags_in_words",
    "flights_in_parts",
    "flights_of",
    "flights_of_pilots",
    "flights_of_some",
    "has_history",
    "history",
    "history_note",
    "lag_note",
    "largest_first",
    "largest_shares",
    "money",
    "numbered_flights",
    "observed",
    "price_list",
    "quality",
    "rate_decimals",
    "report",
    "report_by",
    "reported_period",
    "restated",
    "take_off_coverage",
    "unaccompanied_pairs",
    "upkeep",
    "upkeep_note",
    "weekly",
    "with_distinct_names",
    "zone_of",
]


if not TYPE_CHECKING:  # a type checker would take every name for one that there is

    def __getattr__(name: str) -> Any:
        if name == "report":
            from fleetkit.reports.build import report  # noqa: PLC0415 - loads what renders

            return report
        if name == "report_by":
            from fleetkit.reports.several import report_by  # noqa: PLC0415 - as above

            return report_by
        raise missing_attribute("fleetkit.reports", name, __all__)
