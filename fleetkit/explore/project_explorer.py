"""The explorer over projects."""

from __future__ import annotations

from typing import Any

from fleetkit.explore.explorer import Explorer
from fleetkit.explore.opening import at_first
from fleetkit.explore.project_subject import Projects
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.core import check_fleet

__all__ = ["ProjectExplorer", "projects"]


def projects(
    fleet: Fleet,
    chosen: Filter | str | None = None,
    other: Filter | str | None = None,
    **fields: Any,
) -> ProjectExplorer:
    """Explore the projects of a fleet with controls: stages, clients, money and what waits.

    Parameters
    ----------
    fleet : Fleet
        From `connect`, `open_mirror` or `demo`; may be narrowed by ``fleet.where``.
    chosen : Filter or str, optional
        What is chosen at first; ``"@night"`` is the view of that name. What no control can hold,
        such as two clients, narrows the fleet.
    other : Filter or str, optional
        What stands beside it at first, in figures and chart: a filter, the name of a view, or, once
        a period of creation is chosen, ``"previous"`` or ``"year before"``.
    **fields
        In place of a filter, its fields, as ``fleet.where`` takes them: ``status="DRAFT"``.

    Returns
    -------
    ProjectExplorer
        A widget; in a notebook, the last value of a cell. ``.filter`` and ``.rows`` say what is
        chosen at the moment.

    Raises
    ------
    Forbidden
        The key can't read projects.
    InvalidValue
        What is chosen at first is not an option of its control, or not a field of a filter.

    Examples
    --------
    >>> import fleetkit as fk
    >>> explorer = fk.explore.projects(fk.demo(as_of="2026-11-20"))
    >>> explorer.controls.status.value = ["DELIVERED"]
    >>> explorer.filter
    Filter(status=('DELIVERED',))
    """
    check_fleet(fleet, "fk.explore.projects")
    return ProjectExplorer(fleet, at_first(fleet, chosen, fields), other)


class ProjectExplorer(Explorer):
    """Controls, KPI row, board and table over the projects of a fleet; see `projects`.

    What a filter has no field for, such as a currency, it holds by identifiers. Money of different
    currencies is never added.
    """

    def __init__(
        self,
        fleet: Fleet,
        chosen: Filter | str | None = None,
        other: Filter | str | None = None,
    ) -> None:
        super().__init__(Projects, fleet, chosen, other)
