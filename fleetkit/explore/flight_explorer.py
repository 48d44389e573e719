"""The explorer over flights."""

from __future__ import annotations

from typing import cast

import pandas as pd

from fleetkit.explore.explorer import Explorer
from fleetkit.explore.flight_selection import FlightSelection
from fleetkit.explore.flight_subject import Flights
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.core import check_fleet

__all__ = ["FlightExplorer", "flights"]


def flights(fleet: Fleet, chosen: Filter | str | None = None) -> FlightExplorer:
    """Explore the flights of a fleet with controls.

    Parameters
    ----------
    fleet : Fleet
        From `connect`, `open_mirror` or `demo`; may be narrowed by ``fleet.where``. Its flights
        are read once.
    chosen : Filter or str, optional
        What is chosen at first; ``"@night"`` is the view of that name. What no control can hold,
        such as two pilots, narrows the fleet.

    Returns
    -------
    FlightExplorer
        A widget; in a notebook, the last value of a cell. ``.filter``, ``.rows`` and ``.hours``
        say what is chosen at the moment.

    Raises
    ------
    Forbidden
        The key can't read equipment and flights. Projects aren't needed; without them, clients
        can't be chosen.
    InvalidValue
        What is chosen at first is no option of its control.

    Examples
    --------
    >>> import fleetkit as fk
    >>> from datetime import date
    >>> explorer = fk.explore.flights(fk.demo(as_of=date(2026, 11, 20)))
    >>> explorer.controls.night.value = True
    >>> explorer.filter
    Filter(night=True)
    """
    return FlightExplorer(check_fleet(fleet, "fk.explore.flights"), chosen)


class FlightExplorer(Explorer):
    """Controls, KPI row, chart and table over the flights of a fleet; see `flights`.

    Attributes
    ----------
    controls : Controls
        The single controls, to be set from code: ``controls.pilot.value = "prof_1"``.
    screen : Screen
        What is shown; ``explorer.screen.observe(function, "shown")`` follows it.
    """

    def __init__(self, fleet: Fleet, chosen: Filter | str | None = None) -> None:
        super().__init__(Flights, fleet, chosen)

    @property
    def hours(self) -> pd.DataFrame:
        """What the chart draws: ``month, flight_type, flights, hours``. [h]."""
        selection = cast(FlightSelection, self._selection(self._states.current))
        return selection.hours.copy()
