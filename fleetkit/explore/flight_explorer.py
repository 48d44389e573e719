"""The explorer over flights: controls, figures, chart and table that follow them."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache

import pandas as pd

from fleetkit.errors import FleetkitError
from fleetkit.explore import exports, view
from fleetkit.explore.chart import hours_chart
from fleetkit.explore.controls import FlightControls
from fleetkit.explore.explorer import Explorer
from fleetkit.explore.flight_fields import filter_of, flight_fields
from fleetkit.explore.panes import Panes
from fleetkit.explore.selection import Flights, Selection
from fleetkit.explore.state import State
from fleetkit.export import to_csv
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.arguments import check_order
from fleetkit.fleet.core import check_fleet
from fleetkit.rounding import HOURS, number
from fleetkit.time import instant

__all__ = ["FlightExplorer", "flights"]

# Selections that are cached: of the newest state, and of those exported or paged meanwhile.
_CACHED = 4


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
        The key can't read equipment and flights. Projects aren't needed.

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
    controls : FlightControls
        The single controls, to be set from code: ``controls.pilot.value = "prof_1"``.
    screen : Screen
        What is shown; ``explorer.screen.observe(function, "shown")`` follows it.
    """

    label = "Flight explorer"

    def __init__(self, fleet: Fleet) -> None:
        self._flights = Flights(fleet)
        self._base = fleet.filter
        self._mirror = str(fleet.address) if fleet.mirror is not None else None
        self._select = lru_cache(maxsize=_CACHED)(self._selected)
        self._draw = lru_cache(maxsize=_CACHED)(self._drawn)
        fields = flight_fields(self._flights, self._base)
        super().__init__(fields, order_by="date_desc")
        self.controls = FlightControls(fields, lambda: self._choices, self._choose, self._reset)

    @property
    def filter(self) -> Filter:
        """What is chosen, with what the fleet was narrowed by; fits every call and the report."""
        return self._filter(self._states.current)

    @property
    def rows(self) -> pd.DataFrame:
        """The flights that are chosen, in the order of the table; columns as `Fleet.flights`."""
        return self._rows(self._states.current)

    @property
    def hours(self) -> pd.DataFrame:
        """What the chart draws: ``month, flight_type, flights, hours``. [h]."""
        return self._selection(self._states.current).hours.copy()

    @property
    def page(self) -> int:
        """Page of the table, counted from 0."""
        state = self._states.current
        return view.page_within(state.page, len(self._selection(state)))

    @page.setter
    def page(self, page: int) -> None:
        self._change(lambda state: state.turn(page))

    def check_order(self, order_by: str) -> None:
        """Refuse an order other than date_desc, date_asc, duration_desc or duration_asc."""
        check_order(order_by)

    def render(self, state: State) -> Panes:
        """Return the HTML of a state."""
        chosen = filter_of(state.choices)
        selection, problem = self._select(chosen)
        shown = selection.figures
        return Panes(
            figures=view.figures(shown, total=len(self._flights)),
            chart=self._draw(chosen),
            chosen=view.chosen(self._texts(state), problem or state.problem),
            table=view.table(selection, state.order_by, state.page),
            announcement=f"{shown.flights:,} flights, {number(shown.hours, HOURS)} hours",
        )

    def export(self, state: State) -> tuple[str, bytes]:
        """Return name and content of a CSV file with the rows of a state."""
        chosen = self._filter(state)
        ends = (end for end in (chosen.since, chosen.until) if end)
        name = "-".join(["flights", *ends]).replace(":", "")
        return f"{name}.csv", to_csv(self._rows(state))

    def _filter(self, state: State) -> Filter:
        return self._base.combined_with(filter_of(state.choices), self._flights.tz)

    def _rows(self, state: State) -> pd.DataFrame:
        return self._selection(state).rows(state.order_by)

    def _selection(self, state: State) -> Selection:
        return self._select(filter_of(state.choices))[0]

    def _selected(self, chosen: Filter) -> tuple[Selection, str]:
        """Return the flights chosen; none of them, and why, where the choices contradict."""
        try:
            return self._flights.select(chosen), ""
        except FleetkitError as problem:
            return self._flights.nothing(), str(problem)

    def _drawn(self, chosen: Filter) -> str:
        selection, _ = self._select(chosen)
        return hours_chart(selection.hours, self._months(chosen, selection))

    def _months(self, chosen: Filter, selection: Selection) -> tuple[str, str] | None:
        """Return the first and last month of the axis: of the period, as far as there are data."""
        months = self._flights.months
        if not months or not len(selection):
            return None
        first, last = months[0], months[-1]
        if chosen.since:
            first = max(first, chosen.since[:7])
        if chosen.until:
            last_day = instant(chosen.until, "UTC") - timedelta(days=1)
            last = min(last, f"{last_day:%Y-%m}")
        return first, last

    def _texts(self, state: State) -> dict[str, str]:
        chosen, tz, span = self._filter(state), self._flights.tz, self._flights.span
        return {
            "Python": exports.as_python(chosen),
            "Command line": exports.as_command(chosen, tz=tz, mirror=self._mirror, span=span),
            "Papermill": exports.as_parameters(chosen, tz=tz, span=span),
        }

    def __repr__(self) -> str:
        chosen = len(self._selection(self._states.current))
        return f"<FlightExplorer: {chosen:,} of {len(self._flights):,} flights>"
