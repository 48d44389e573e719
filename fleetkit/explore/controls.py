"""The controls of an explorer: what can be chosen, and the filter that the choices make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

import ipywidgets as widgets
import pandas as pd

from fleetkit import periods
from fleetkit.explore.selection import Flights
from fleetkit.filters import UNASSIGNED, Filter
from fleetkit.schema import FLIGHT_TYPES

__all__ = ["Controls"]

Options = list[tuple[str, Any]]
# A dropdown can't hold None, so "" stands for no choice.
_ANY = ""
_OWN_DATES = "own dates"
_YES_NO: Options = [("Yes", True), ("No", False)]


class Controls:
    """Period, type, category, pilot, project, night and BVLOS of flights.

    Parameters
    ----------
    flights : Flights
        What there is to choose from.
    base : Filter
        What the fleet is narrowed by already; choices narrow further.
    changed : callable
        Called without arguments after each choice.
    """

    def __init__(self, flights: Flights, base: Filter, changed: Callable[[], None]) -> None:
        self._base, self._tz, self._changed = base, flights.tz, changed
        self._busy = False
        frame = flights.frame
        self.period = _dropdown("Period", _periods(flights.months), nothing="All time")
        self.since = widgets.DatePicker(description="Since")
        self.until = widgets.DatePicker(description="Until (not included)")
        self.category = _dropdown(
            "Equipment category", [(each, each) for each in flights.pieces_by_category]
        )
        self.pilot = _dropdown("Pilot", _named(frame, "pilot_id", "pilot_name"))
        self._projects = _named(frame, "project_id", "project_title")
        self.find = widgets.Text(description="Find a project", placeholder="part of its title")
        self.project = _dropdown("Project", self._projects)
        self.night = _dropdown("Night flight", _YES_NO)
        self.bvlos = _dropdown("BVLOS", _YES_NO)
        self.types = {
            token: widgets.Checkbox(description=token, indent=False)
            for token in _types_in(frame["flight_type"])
        }
        self.reset = widgets.Button(description="Reset", tooltip="Take every choice back")
        self._settle()
        self._wire()

    def _settle(self) -> None:
        """Hold what the fleet's own filter has settled: another answer would find nothing."""
        for control, settled in ((self.night, self._base.night), (self.bvlos, self._base.bvlos)):
            if settled is not None:
                control.value, control.disabled = settled, True

    def _wire(self) -> None:
        self.period.observe(self._set_dates, "value")
        self.since.observe(self._name_period, "value")
        self.until.observe(self._name_period, "value")
        self.find.observe(self._narrow_projects, "value")
        self.reset.on_click(self._take_back)
        plain = (self.category, self.pilot, self.project, self.night, self.bvlos)
        for control in (*plain, *self.types.values()):
            control.observe(self._tell, "value")

    def groups(self) -> list[widgets.Widget]:
        """Return the controls in reading order, grouped for the screen."""
        fields = [self.period, self.since, self.until, self.category]
        fields += [self.pilot, self.find, self.project]
        types = _box("fk-types", list(self.types.values()))
        return [
            _box("fk-fields", fields),
            _box("fk-fields fk-choices", [self.night, self.bvlos, types, self.reset]),
        ]

    def choices(self) -> Filter:
        """Return what is chosen here, without what the fleet is narrowed by."""
        return Filter(
            since=self.since.value,
            until=self.until.value,
            flight_type=tuple(token for token, box in self.types.items() if box.value) or None,
            category=_chosen(self.category),
            pilot=_chosen(self.pilot),
            project=_chosen(self.project),
            night=_chosen(self.night),
            bvlos=_chosen(self.bvlos),
        )

    def filter(self) -> Filter:
        """Return what is meant in all: the fleet's own filter, narrowed by the choices."""
        return self._base.narrowed(self.choices(), self._tz)

    def _tell(self, _: Any = None) -> None:
        if not self._busy:
            self._changed()

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Let controls change each other without telling of it."""
        before, self._busy = self._busy, True
        try:
            yield
        finally:
            self._busy = before

    def _set_dates(self, _: Any) -> None:
        if self._busy or self.period.value == _OWN_DATES:
            return
        with self._quietly():
            text = _chosen(self.period)
            chosen = periods.parse(text, self._tz) if text else None
            self.since.value = chosen.since.date() if chosen else None
            self.until.value = chosen.until.date() if chosen else None
        self._tell()

    def _name_period(self, _: Any) -> None:
        """Show the period that the dates make, if the list has it."""
        if self._busy:
            return
        with self._quietly():
            self.period.value = self._period_of(self.since.value, self.until.value)
        self._tell()

    def _period_of(self, since: date | None, until: date | None) -> str:
        if since is None and until is None:
            return _ANY
        if since is None or until is None or since >= until:
            return _OWN_DATES
        name = periods.Period.between(since, until, self._tz).name
        return name if any(name == value for _, value in self.period.options) else _OWN_DATES

    def _narrow_projects(self, _: Any) -> None:
        """Offer the projects whose title contains the text, and always the one that is chosen."""
        wanted, chosen = self.find.value.strip().casefold(), self.project.value
        listed = [
            (title, key)
            for title, key in self._projects
            if wanted in title.casefold() or key == chosen
        ]
        nothing = f"Any ({len(listed)} listed)" if wanted else "Any"
        with self._quietly(), self.project.hold_sync():
            self.project.options = [(nothing, _ANY), *listed]
            self.project.value = chosen

    def _take_back(self, _: Any) -> None:
        with self._quietly():
            self.find.value = ""
            self._narrow_projects(None)
            self.since.value = self.until.value = None
            for control in (self.period, self.category, self.pilot, self.project):
                control.value = _ANY
            for box in self.types.values():
                box.value = False
            for control in (self.night, self.bvlos):
                control.value = control.value if control.disabled else _ANY
        self._tell()


def _box(names: str, children: list[Any]) -> widgets.Box:
    return widgets.Box(children, _dom_classes=names.split())


def _dropdown(description: str, options: Options, *, nothing: str = "Any") -> widgets.Dropdown:
    return widgets.Dropdown(
        description=description, options=[(nothing, _ANY), *options], value=_ANY
    )


def _chosen(control: widgets.Dropdown) -> Any:
    return None if control.value == _ANY else control.value


def _periods(months: list[str]) -> Options:
    """Return own dates, the years and the months that have flights, newest first."""
    years = sorted({month[:4] for month in months}, reverse=True)
    named = [(periods.parse(each).title, each) for each in (*years, *reversed(months))]
    return [("Own dates", _OWN_DATES), *named]


def _types_in(column: pd.Series) -> list[str]:
    """Return the flight types that occur: in the reference's order, unknown ones after them."""
    found = {str(each) for each in column.dropna().unique()}
    return [*(each for each in FLIGHT_TYPES if each in found), *sorted(found - {*FLIGHT_TYPES})]


def _named(frame: pd.DataFrame, key: str, name: str) -> Options:
    """Return name and identifier of each pilot or project that flew, by name, Unassigned last."""
    pairs = frame[[key, name]].dropna(subset=[key]).drop_duplicates(key, keep="last")
    names = {row[0]: row[1] if isinstance(row[1], str) else row[0] for row in pairs.to_numpy()}
    often = Counter(names.values())
    options = [
        (text if often[text] == 1 else f"{text} ({identifier})", identifier)
        for identifier, text in names.items()
    ]
    options.sort(key=lambda each: (each[0].casefold(), each[1]))
    return [*options, (UNASSIGNED, UNASSIGNED)] if frame[key].isna().any() else options
