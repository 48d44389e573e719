"""The explorer over equipment."""

from __future__ import annotations

from typing import Any

from fleetkit.explore.equipment_subject import Equipment
from fleetkit.explore.explorer import Explorer
from fleetkit.explore.opening import at_first
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.core import check_fleet

__all__ = ["EquipmentExplorer", "equipment"]


def equipment(
    fleet: Fleet,
    chosen: Filter | str | None = None,
    other: Filter | str | None = None,
    **fields: Any,
) -> EquipmentExplorer:
    """Explore the equipment of a fleet with controls: its state, registrations and use.

    Parameters
    ----------
    fleet : Fleet
        From `connect`, `open_mirror` or `demo`; may be narrowed by ``fleet.where``. Idle days and
        logged hours are counted from all flights.
    chosen : Filter or str, optional
        What is chosen at first; ``"@night"`` is the view of that name. What no control can hold,
        such as two types, narrows the fleet.
    other : Filter or str, optional
        What stands beside it at first, in figures and chart: a filter, or the name of a view. There
        is no other period: the state of equipment is that of the day it was read.
    **fields
        In place of a filter, its fields, as ``fleet.where`` takes them: ``type="DRONE"``.

    Returns
    -------
    EquipmentExplorer
        A widget; in a notebook, the last value of a cell. ``.filter`` and ``.rows`` say what is
        chosen at the moment.

    Raises
    ------
    Forbidden
        The key can't read equipment and flights.
    InvalidValue
        What is chosen at first is not an option of its control, or not a field of a filter.

    Examples
    --------
    >>> import fleetkit as fk
    >>> explorer = fk.explore.equipment(fk.demo(as_of="2026-11-20"))
    >>> explorer.controls.type.value = "CAMERA"
    >>> explorer.filter
    Filter(type=('CAMERA',))
    """
    check_fleet(fleet, "fk.explore.equipment")
    return EquipmentExplorer(fleet, at_first(fleet, chosen, fields), other)


class EquipmentExplorer(Explorer):
    """Controls, KPI row, chart and table over the equipment of a fleet; see `equipment`.

    What a filter has no field for, such as a status, it holds by identifiers.
    """

    def __init__(
        self,
        fleet: Fleet,
        chosen: Filter | str | None = None,
        other: Filter | str | None = None,
    ) -> None:
        super().__init__(Equipment, fleet, chosen, other)
