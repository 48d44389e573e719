"""What a filter doesn't apply to: chapters that it can't narrow say so, or are left out.

A filter of flight types narrows flights and leaves equipment as it is; a chapter about equipment
then shows the whole organisation, and says that. A report for one client has no such chapter: it
would show everybody else.
"""

from __future__ import annotations

from fleetkit.filters import Filter

__all__ = ["WHOLE", "is_for_one_client", "may_be_shown", "scope"]

WHOLE = "whole organisation"
# Table → the fields of a filter that narrow it; flights are narrowed by all.
FILTERED_BY = {
    "equipment": {"equipment", "type", "category"},
    "projects": {"project", "client", "status"},
    "services": set[str](),
    "tiers": set[str](),
    "specifications": {"equipment", "type", "category"},
}
# Fields that cut the time of flights, not what is reported on.
_TIMES = {"since", "until"}


def scope(filter_: Filter, subject: str) -> str:
    """Say what a chapter shows where a filter doesn't narrow it, or not by all of its fields.

    Parameters
    ----------
    filter_ : Filter
    subject : str
        The table that the chapter is about.

    Examples
    --------
    >>> training = Filter(flight_type="TRAINING", category="MULTIROTOR")
    >>> scope(training, "projects"), scope(training, "equipment"), scope(training, "flights")
    ('whole organisation', 'narrowed by category only', '')
    """
    fields = set(filter_.to_parameters()) - _TIMES
    narrowing = fields & FILTERED_BY.get(subject, fields)
    if narrowing == fields:
        return ""
    return f"narrowed by {' and '.join(sorted(narrowing))} only" if narrowing else WHOLE


def may_be_shown(filter_: Filter, subject: str) -> bool:
    """Whether a chapter about a table may be part of the report of one client.

    Examples
    --------
    >>> [may_be_shown(Filter(client="Fjord"), table) for table in ("flights", "equipment")]
    [True, False]
    """
    return not is_for_one_client(filter_) or "client" in FILTERED_BY.get(subject, {"client"})


def is_for_one_client(filter_: Filter) -> bool:
    """Whether a report is one client's: it shows nobody else."""
    return "client" in filter_.to_parameters()
