"""What a reader's kernel shows: an explorer in each of the page's parts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets
from IPython.display import display

from fleetkit.errors import FleetkitError, InvalidValue
from fleetkit.explore.app.origin import Origin
from fleetkit.explore.equipment_explorer import equipment
from fleetkit.explore.explorer import Explorer
from fleetkit.explore.flight_explorer import flights
from fleetkit.explore.links import from_query
from fleetkit.explore.project_explorer import projects
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet

__all__ = ["EXPLORERS", "Page"]

EXPLORERS: Mapping[str, Callable[[Fleet, Filter | None], Explorer]] = {
    "flights": flights,
    "equipment": equipment,
    "projects": projects,
}
_display: Callable[..., Any] = display  # IPython has no types


class Page:
    """The explorers of one reader.

    Parameters
    ----------
    origin : str
        As `Origin.write` wrote it.
    """

    def __init__(self, origin: str) -> None:
        self._origin = Origin.read(origin)
        self._problem: FleetkitError | None = None
        # In the kernel's folder, which the server deletes with all kernels' when it ends.
        self._folder = Path(tempfile.mkdtemp(prefix="reader-", dir=Path.cwd()))

    @cached_property
    def _fleet(self) -> Fleet:
        if self._problem is not None:  # a service that doesn't answer isn't asked for each part
            raise self._problem
        try:
            return self._origin.open()
        except FleetkitError as problem:
            self._problem = problem
            raise

    @cached_property
    def _chosen(self) -> dict[str, Filter]:
        """What the link chooses at first, by explorer."""
        return from_query(os.environ.get("QUERY_STRING", ""))

    def show(self, name: str) -> None:
        """Show the explorer of that name, or why it can't be shown."""
        try:
            explorer = self._opened(name)
        except FleetkitError as problem:
            _say(str(problem))
            return
        # An explorer itself would also show its record, which is for saved notebooks.
        _display(widgets.VBox([explorer]))

    def _opened(self, name: str) -> Explorer:
        fleet = self._fleet
        try:
            explorer = EXPLORERS[name](fleet, self._chosen.get(name))
        except InvalidValue as problem:
            _say(f"The link's filter is left out. {problem}")
            explorer = EXPLORERS[name](fleet, None)
        explorer.serve_reader(self._folder / name)
        return explorer


def _say(text: str) -> None:
    _display({"text/html": f'<p class="fk-notice" role="alert">{escape(text)}</p>'}, raw=True)
