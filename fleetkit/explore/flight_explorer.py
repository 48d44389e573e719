"""The explorer over flights."""

from __future__ import annotations

from typing import cast

import pandas as pd

from fleetkit.explore.explorer import Explorer
from fleetkit.explore.flight_selection import FlightSelection
from fleetkit.explore.flight_subject import Flights
from fleetkit.fleet import Fleet
from fleetkit.fleet.core import check_fleet

__all__ = ["FlightExplorer", "flights"]


def flights(fleet: Fleet) -> FlightExplorer:
    """Explore the flights of a fleet with controls.

    Parameters
    ----------
    fleet : Fleet
        From `connect`, `open_mirror` or `demo`; may be narrowed by ``fleet.where``. Its flights
        are read once.

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

    Examples
    --------
    >>> import fleetkit as fk
    >>> from datetime import date
    >>> explorer = fk.explore.flights(fk.demo(as_of=date(2026, 11, 20)))
    >>> explorer.controls.night.value = True
    >>> explorer.filter
    Filter(night=True)
    """
    return FlightExplorer(check_fleet(fleet, "fk.explore.flights"))


class FlightExplorer(Explorer):
    """Controls, KPI row, chart and table over the flights of a fleet; see `flights`.

    Attributes
    ----------
    controls : Controls
        The single controls, to be set from code: ``controls.pilot.value = "prof_1"``.
    screen : Screen
        What is shown; ``explorer.screen.observe(function, "shown")`` follows it.
    """

    def __init__(self, fleet: Fleet) -> None:
        super().__init__(Flights(fleet), fleet)

    @property
    def hours(self) -> pd.DataFrame:
        """What the chart draws: ``month, flight_type, flights, hours``. [h]."""
        selection = cast(FlightSelection, self._selection(self._states.current))
        return selection.hours.copy()
