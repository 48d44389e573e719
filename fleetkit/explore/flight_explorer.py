"""The explorer over flights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from fleetkit.engines import Engine, Pandas, checked_engine, lazy_engine
from fleetkit.errors import InvalidValue
from fleetkit.explore.explorer import Explorer
from fleetkit.explore.flight_selection import FlightSelection
from fleetkit.explore.flight_subject import Flights
from fleetkit.explore.opening import at_first
from fleetkit.explore.sizes import engine_of
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.core import check_fleet
from fleetkit.interface import brief

if TYPE_CHECKING:
    from fleetkit.engines import Session

__all__ = ["FlightExplorer", "flights"]


def flights(
    fleet: Fleet,
    chosen: Filter | str | None = None,
    other: Filter | str | None = None,
    *,
    engine: Engine | Session | Pandas | None = None,
    **fields: Any,
) -> FlightExplorer:
    """Explore the flights of a fleet with controls.

    Parameters
    ----------
    fleet : Fleet
        From `connect`, `open_mirror` or `demo`; may be narrowed by ``fleet.where``. Its flights
        are read once.
    chosen : Filter or str, optional
        What is chosen at first; ``"@night"`` is the view of that name. What no control can hold,
        such as two pilots, narrows the fleet.
    other : Filter or str, optional
        What stands beside it at first, in figures and chart: a filter, the name of a view, or, of
        the period that is chosen, ``"previous"`` or ``"year before"``.
    engine : str, DuckDBPyConnection, SparkSession or dask.distributed.Client, optional
        What reads a mirror, as for ``fleet.flights``. Default: Polars from a million flights on,
        else pandas. Beside ``"pandas"`` no frame holds all flights: some seventy bytes of each are
        in memory, and rows are read from the mirror when they are asked for. In the order of
        durations, those of one duration then go by date; files of more than 250,000 rows do.
    **fields
        In place of a filter, its fields, as ``fleet.where`` takes them: ``pilot="prof_1"``.

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
        What is chosen at first is not an option of its control, or not a field of a filter; an
        engine other than pandas for a fleet that is not from a mirror, or one that isn't installed.

    Examples
    --------
    >>> import fleetkit as fk
    >>> from datetime import date
    >>> explorer = fk.explore.flights(fk.demo(as_of=date(2026, 11, 20)))
    >>> explorer.controls.night.value = True
    >>> explorer.filter
    Filter(night=True)
    """
    check_fleet(fleet, "fk.explore.flights")
    return FlightExplorer(fleet, at_first(fleet, chosen, fields), other, engine)


class FlightExplorer(Explorer):
    """Controls, KPI row, chart and table over the flights of a fleet; see `flights`.

    Attributes
    ----------
    controls : Controls
        The single controls, to be set from code: ``controls.pilot.value = "prof_1"``.
    screen : Screen
        What is shown; ``explorer.screen.observe(function, "shown")`` follows it.
    """

    def __init__(
        self,
        fleet: Fleet,
        chosen: Filter | str | None = None,
        other: Filter | str | None = None,
        engine: Engine | Session | Pandas | None = None,
    ) -> None:
        named = _engine_for(fleet, engine)
        if named is None:
            super().__init__(Flights, fleet, chosen, other)
        else:
            from fleetkit.explore.large import LargeFlights  # noqa: PLC0415 - it loads Polars

            super().__init__(LargeFlights, fleet, chosen, other, engine=named)

    @property
    def hours(self) -> pd.DataFrame:
        """Those that are chosen, by month: ``month, flight_type, flights, hours``. [h]."""
        selection = cast(FlightSelection, self._selection(self._states.current))
        return selection.hours.copy()


def _engine_for(fleet: Fleet, engine: Engine | Session | Pandas | None) -> Any:
    """Return what answers in place of pandas; None where pandas does."""
    if engine is None:
        return engine_of(fleet)
    named = checked_engine(engine) if isinstance(engine, str) else engine
    if lazy_engine(named) is not None and fleet.mirror is None:
        by = named if isinstance(named, str) else brief(named)
        raise InvalidValue(
            f"An explorer by {by} needs a mirror; this fleet asks {fleet.address}.",
            advice='Sync it, fleet.sync("mirror/"), and explore fk.open_mirror("mirror/").',
        )
    return lazy_engine(named)
