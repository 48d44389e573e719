"""Every public chart, drawn of one fleet: what there is, and what it looks like."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from fleetkit import charts, metrics
from fleetkit.charts.drawing.svg import to_svg
from fleetkit.comparison import compare
from fleetkit.errors import FleetkitError
from fleetkit.fleet import Fleet, MirroredFleet, demo, open_mirror
from fleetkit.fleet.aircraft import aircraft_of
from fleetkit.fleet.core import check_fleet
from fleetkit.svg import inline, words
from fleetkit.temporary import TemporaryFolder
from fleetkit.time import Period

__all__ = ["Gallery", "gallery"]

# The demo of which the gallery is drawn: small, and synced on two days, so that it has a history.
# Both are in one month: the demo of another month is another organisation.
_SIZE: dict[str, Any] = {"equipment": 24, "flights": 900}
_DAYS = ("2026-11-06", "2026-11-27")


@dataclass(frozen=True)
class Gallery:
    """Charts by name, which show themselves in a notebook.

    Attributes
    ----------
    charts : dict
        Name of a chart → the Axes that it drew.
    left_out : dict
        Name of a chart that can't be drawn of this fleet → why.
    """

    charts: dict[str, Axes]
    left_out: dict[str, str]

    def __repr__(self) -> str:
        return f"<Gallery of {len(self.charts)} charts: {', '.join(self.charts)}>"

    def _repr_html_(self) -> str:
        figures = [_figure(name, ax) for name, ax in self.charts.items()]
        rest = [f"<li>{escape(name)}: {escape(why)}</li>" for name, why in self.left_out.items()]
        return "".join(figures) + (f"<ul>{''.join(rest)}</ul>" if rest else "")


def _figure(name: str, ax: Axes) -> str:
    drawn = to_svg(ax, name)
    picture = inline(drawn, f"gallery-{name}", {}, heard=words(drawn))
    return (
        '<figure style="display:inline-block;vertical-align:top;margin:0 1em 1.5em 0">'
        f"<figcaption><code>fk.charts.{name}</code></figcaption>{picture}</figure>"
    )


def gallery(fleet: Fleet | None = None, **options: Any) -> Gallery:
    """Draw each public chart of a fleet.

    Parameters
    ----------
    fleet : Fleet, optional
        Default: a small demo organisation, in a mirror that was synced twice, so that it has a
        history.
    **options
        What every chart takes: ``colours="dark"``.

    Returns
    -------
    Gallery
        Shows itself in a notebook.

    Raises
    ------
    InvalidValue
        The argument is not a fleet.

    Examples
    --------
    >>> import fleetkit as fk
    >>> shown = fk.charts.gallery(fk.demo(as_of="2026-11-20", equipment=16, flights=50))
    >>> "pilots" in shown.charts, shown.left_out["restatements"]
    (True, 'only a mirror has its history')
    """
    if fleet is not None:
        return _drawn(check_fleet(fleet, "fk.charts.gallery"), options)
    with TemporaryFolder() as folder:
        return _drawn(_synced_twice(folder), options)


def _synced_twice(folder: Path) -> MirroredFleet:
    for day in _DAYS:
        demo(**_SIZE, as_of=day, progress=False).sync(folder)
    return open_mirror(folder)


def _drawn(fleet: Fleet, options: dict[str, Any]) -> Gallery:
    values = _values(fleet)
    drawn: dict[str, Axes] = {}
    left_out: dict[str, str] = {}
    for name in _names():
        try:
            drawn[name] = getattr(charts, name)(_measured(name, fleet, values), **options)
        except _Missing as missing:
            left_out[name] = str(missing)
    return Gallery(drawn, left_out)


def _names() -> list[str]:
    """Return the charts: what draws on Axes that it may be given."""
    functions = {name: getattr(charts, name) for name in dir(charts)}
    return sorted(
        name
        for name, function in functions.items()
        if inspect.isfunction(function) and "ax" in inspect.signature(function).parameters
    )


class _Missing(Exception):
    """What a metric needs, and a fleet doesn't have."""


def _values(fleet: Fleet) -> dict[str, Callable[[], Any]]:
    """Return the arguments of metrics → what gives them of a fleet."""
    month = fleet.period()
    year = month.last_months(12)
    flights, bridge = fleet.flights(year), fleet.flight_equipment(year)
    values: dict[str, Callable[[], Any]] = {
        "flights": lambda: flights,
        "bridge": lambda: bridge,
        "period": lambda: year,
        "as_of": lambda: fleet.fetched_at,
        "rule": lambda: fleet.settings.recency[0],
        "aircraft": lambda: aircraft_of(fleet),
        "compared": lambda: _compared(fleet, month),
    }
    for table in ("equipment", "projects", "services", "tiers"):
        values[table] = getattr(fleet, table)
    if isinstance(fleet, MirroredFleet):
        values["history"] = partial(fleet.history, "projects")
        values["ledger"] = partial(fleet.restatements, month)
    return values


def _compared(fleet: Fleet, month: Period) -> Any:
    return compare("flight_hours", month, month.previous(), fleet=fleet, by="flight_type")


def _measured(name: str, fleet: Fleet, values: dict[str, Callable[[], Any]]) -> Any:
    """Return what the metric of a chart measures of a fleet."""
    if name == "compare":
        return values["compared"]()
    metric = getattr(metrics, name)
    needed = [
        parameter.name
        for parameter in inspect.signature(metric).parameters.values()
        if parameter.default is parameter.empty
    ]
    if getattr(metric, "is_of_all_flights", False):
        values = {**values, "flights": fleet.flights, "bridge": fleet.flight_equipment}
    missing = [parameter for parameter in needed if parameter not in values]
    if {"history", "ledger"} & set(missing):
        raise _Missing("only a mirror has its history")
    if missing:
        raise _Missing(f"it needs {', '.join(missing)}")
    try:
        return metric(**{parameter: values[parameter]() for parameter in needed})
    except FleetkitError as problem:
        raise _Missing(str(problem)) from problem
