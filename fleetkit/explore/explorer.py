"""The explorer over flights: controls, figures, chart and table that follow them."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import ipywidgets as widgets
import pandas as pd

from fleetkit import periods
from fleetkit.errors import FleetkitError
from fleetkit.explore import handover, view
from fleetkit.explore.board import STYLE, Board
from fleetkit.explore.chart import hours_chart
from fleetkit.explore.controls import Controls
from fleetkit.explore.selection import Flights, Selection
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.fleet.core import check_fleet
from fleetkit.fleet.window import check_order
from fleetkit.rounding import HOURS, number

__all__ = ["FlightExplorer", "flights"]

# The chart waits until the controls have been still for so long: five fast clicks, one picture.
QUIET = 0.06  # [s]


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


class FlightExplorer(widgets.VBox):
    """Controls, KPI row, chart and table over the flights of a fleet; see `flights`.

    Attributes
    ----------
    controls : Controls
        The single controls, to be set from code: ``controls.pilot.value = "prof_1"``.
    board : Board
        What is shown.
    """

    def __init__(self, fleet: Fleet) -> None:
        self._flights = Flights(fleet)
        self._mirror = str(fleet.address) if fleet.mirror is not None else None
        self._order_by, self._page, self._count = "date_desc", 0, 0
        self._waiting: asyncio.TimerHandle | None = None
        self.controls = Controls(self._flights, fleet.filter, self._choose)
        self.board = Board()
        super().__init__([*self.controls.groups(), self.board])
        self.add_class("fk-explorer")
        self._select()
        self._draw()
        self.board.on_msg(self._answer)

    @property
    def filter(self) -> Filter:
        """What is chosen, with what the fleet was narrowed by; fits every call and the report."""
        return self.controls.filter()

    @property
    def rows(self) -> pd.DataFrame:
        """The flights that are chosen, in the order of the table; columns as `Fleet.flights`."""
        return self._selection.rows(self._order_by)

    @property
    def order_by(self) -> str:
        """Order of the table: date_desc, date_asc, duration_desc or duration_asc."""
        return self._order_by

    @order_by.setter
    def order_by(self, order_by: str) -> None:
        check_order(order_by)
        self._order_by = order_by
        self.page = 0

    @property
    def page(self) -> int:
        """Page of the table, counted from 0."""
        return self._page

    @page.setter
    def page(self, page: int) -> None:
        last = view.pages(len(self._selection)) - 1
        self._page = min(max(page, 0), last)
        self._count += 1
        self.board.table = self._counted(self._table())

    @property
    def hours(self) -> pd.DataFrame:
        """What the chart draws: ``month, flight_type, flights, hours``. [h]."""
        return self._selection.hours()

    def _choose(self) -> None:
        """Follow a control: figures and table at once, the chart when the controls stand still."""
        self._select()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._draw()
            return
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = loop.call_later(QUIET, self._draw)

    def _select(self) -> None:
        self._count += 1
        self._page = 0
        self._selection, problem = self._selected()
        shown = self._selection.figures()
        with self.board.hold_sync():
            self.board.figures = self._counted(view.figures(shown, total=len(self._flights)))
            self.board.table = self._counted(self._table())
            self.board.chosen = self._counted(view.chosen(self._texts(), problem))
            self.board.said = f"{shown.flights:,} flights, {number(shown.hours, HOURS)} hours"

    def _selected(self) -> tuple[Selection, str]:
        """Return the flights chosen; none of them, and why, where the choices contradict."""
        try:
            return self._flights.select(self.controls.choices()), ""
        except FleetkitError as problem:
            return self._flights.nothing(), str(problem)

    def _draw(self) -> None:
        self._waiting = None
        chart = hours_chart(self.hours, list(self.controls.types), self._months())
        self.board.chart = self._counted(chart)

    def _months(self) -> tuple[str, str] | None:
        """Return the first and last month of the axis: of the period, as far as there are data."""
        months, chosen = self._flights.months, self.controls.choices()
        if not months or not len(self._selection):
            return None
        first, last = months[0], months[-1]
        if chosen.since:
            first = max(first, chosen.since[:7])
        if chosen.until:
            last_day = periods.instant(chosen.until, "UTC") - timedelta(days=1)
            last = min(last, f"{last_day:%Y-%m}")
        return first, last

    def _table(self) -> str:
        return view.table(self._selection, self._order_by, self._page)

    def _texts(self) -> dict[str, str]:
        chosen, tz = self.filter, self._flights.tz
        span = self._flights.span
        return {
            "Python": handover.as_python(chosen),
            "Command line": handover.as_command(chosen, tz=tz, mirror=self._mirror, span=span),
            "Papermill": handover.as_parameters(chosen, tz=tz),
        }

    def _answer(self, _: Any, message: dict[str, Any], __: Any) -> None:
        """Do what a button of the board asks for."""
        asked = message.get("do")
        if asked == "order":
            self.order_by = str(message.get("to"))
        elif asked == "page":
            self.page = int(message.get("to", 0))
        elif asked == "csv":
            ends = (each for each in (self.filter.since, self.filter.until) if each)
            name = "-".join(["flights", *ends]).replace(":", "")
            self.board.send({"name": f"{name}.csv"}, [handover.to_csv(self.rows)])

    def _counted(self, html: str) -> str:
        """Return HTML with its number, by which whoever waits for a change can tell it came."""
        return f'<div data-r="{self._count}">{html}</div>'

    def _static_html(self) -> str:
        """Return the state as it is now, for readers without a kernel."""
        panes = (self.board.figures, self.board.chart, self.board.chosen, self.board.table)
        return (
            f'<style>{STYLE}</style><div class="fk-explorer fk-static"><p class="fk-hint">'
            "As it stood when the notebook ran; run it in Jupyter to have the controls.</p>"
            f"{''.join(panes)}</div>"
        )

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle = dict(super()._repr_mimebundle_(**kwargs))
        return bundle | {"text/plain": repr(self), "text/html": self._static_html()}

    def __repr__(self) -> str:
        return f"<FlightExplorer: {len(self._selection):,} of {len(self._flights):,} flights>"
