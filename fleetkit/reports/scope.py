"""What a filter doesn't apply to: chapters that it can't narrow say so, or are left out.

A filter of flight types narrows flights and leaves equipment as it is; a chapter about equipment
then shows the whole organisation, and says that. A report for one client has no such chapter: it
would show everybody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw
import pandas as pd

from fleetkit import metrics
from fleetkit.engines import Engine, Pandas
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.occurring import FIELDS
from fleetkit.language import listed, say

if TYPE_CHECKING:
    from fleetkit.engines import Session

__all__ = ["WHOLE", "equipment_of", "is_for_one_client", "may_be_shown", "scope"]

WHOLE = "whole organisation"
# Table → the fields of a filter that narrow it; flights are narrowed by all.
FILTERED_BY = {
    "equipment": set(FIELDS["equipment"]),
    "projects": set(FIELDS["projects"]),
    "services": set[str](),
    "tiers": set[str](),
    "specifications": set(FIELDS["equipment"]),
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
    if not narrowing:
        return say(WHOLE)
    return say(
        "narrowed by {fields} only", fields=listed([say(name) for name in sorted(narrowing)])
    )


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
    return isinstance(filter_.client, tuple)


def equipment_of(fleet: Fleet, engine: Engine | Session | Pandas | None = None) -> pd.DataFrame:
    """Return the equipment that a chapter on flights may name.

    All that the fleet's filter leaves; in a report of one client only what ever flew for it.

    Parameters
    ----------
    fleet : Fleet
        Its filter is the report's.
    engine : optional
        What looks for that, as for `Fleet.flights`.

    Examples
    --------
    >>> import fleetkit as fk
    >>> fleet = fk.demo(as_of="2026-11-20", equipment=16, flights=50)
    >>> client = fleet.projects()["client_account_name"].iloc[0]
    >>> len(equipment_of(fleet)), len(equipment_of(fleet.where(client=client))) < 16
    (16, True)
    """
    equipment = fleet.equipment()
    if not is_for_one_client(fleet.filter):
        return equipment
    bridge = nw.from_native(fleet.flight_equipment(engine=engine)).lazy()
    flown = metrics.collect(bridge.select("equipment_id").unique().to_native())["equipment_id"]
    return equipment[equipment["equipment_id"].isin(flown)].reset_index(drop=True)
