"""The explorer over equipment."""

from __future__ import annotations

from fleetkit.explore.equipment_subject import Equipment
from fleetkit.explore.explorer import Explorer
from fleetkit.fleet import Fleet
from fleetkit.fleet.core import check_fleet

__all__ = ["EquipmentExplorer", "equipment"]


def equipment(fleet: Fleet) -> EquipmentExplorer:
    """Explore the equipment of a fleet with controls: its state, registrations and use.

    Parameters
    ----------
    fleet : Fleet
        From `connect`, `open_mirror` or `demo`; may be narrowed by ``fleet.where``. Idle days and
        logged hours are counted from all flights.

    Returns
    -------
    EquipmentExplorer
        A widget; in a notebook, the last value of a cell. ``.filter`` and ``.rows`` say what is
        chosen at the moment.

    Raises
    ------
    Forbidden
        The key can't read equipment and flights.

    Examples
    --------
    >>> import fleetkit as fk
    >>> explorer = fk.explore.equipment(fk.demo(as_of="2026-11-20"))
    >>> explorer.controls.type.value = "CAMERA"
    >>> explorer.filter
    Filter(type=('CAMERA',))
    """
    return EquipmentExplorer(check_fleet(fleet, "fk.explore.equipment"))


class EquipmentExplorer(Explorer):
    """Controls, KPI row, chart and table over the equipment of a fleet; see `equipment`.

    What a filter has no field for, such as a status, it holds by identifiers.
    """

    def __init__(self, fleet: Fleet) -> None:
        super().__init__(Equipment(fleet), fleet)
