"""What a visitor's kernel shows: an explorer in each of the page's parts."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import ipywidgets as widgets
from IPython.display import display

from fleetkit.errors import FleetkitError, InvalidValue
from fleetkit.explore.app.awaited import Awaited, notice
from fleetkit.explore.app.held import opened
from fleetkit.explore.app.origin import Origin
from fleetkit.explore.equipment_explorer import equipment
from fleetkit.explore.explorer import Explorer
from fleetkit.explore.flight_explorer import flights
from fleetkit.explore.links import compared_in_query, from_query
from fleetkit.explore.project_explorer import projects
from fleetkit.filters import Filter
from fleetkit.fleet import Fleet
from fleetkit.interface import use

__all__ = ["EXPLORERS", "Page"]

EXPLORERS: Mapping[str, Callable[..., Explorer]] = {
    "flights": flights,
    "equipment": equipment,
    "projects": projects,
}
_display: Callable[..., Any] = display  # IPython has no types


class Page:
    """The explorers of one visitor.

    Parameters
    ----------
    origin : str
        As `Origin.write` wrote it.
    held : str
        Where what is read for all visitors stands, if anything is; see `Held`.
    """

    def __init__(self, origin: str, held: str) -> None:
        use("page")
        self._origin, self._held = Origin.read(origin), Path(held)
        self._problem: FleetkitError | None = None
        # In the kernel's folder, which the server deletes with all kernels' when it ends.
        self._folder = Path(tempfile.mkdtemp(prefix="reader-", dir=Path.cwd()))

    @cached_property
    def _fleet(self) -> Fleet:
        if self._problem is not None:  # a service that doesn't answer isn't asked for each part
            raise self._problem
        try:
            return opened(self._origin, self._held)
        except FleetkitError as problem:
            self._problem = problem
            raise

    @cached_property
    def _chosen(self) -> dict[str, Filter]:
        """What the link chooses at first, by explorer."""
        return from_query(os.environ.get("QUERY_STRING", ""))

    @cached_property
    def _first(self) -> str:
        """The explorer that is looked at first: that of the link, as `page.js` has it."""
        asked = re.search(rf"(?:^|&)({'|'.join(EXPLORERS)})\.", os.environ.get("QUERY_STRING", ""))
        return asked[1] if asked else next(iter(EXPLORERS))

    @cached_property
    def _compared(self) -> dict[str, Filter | str]:
        """What the link sets beside it, by explorer."""
        return compared_in_query(os.environ.get("QUERY_STRING", ""))

    def show(self, name: str) -> None:
        """Show the explorer of that name, or why it can't be; others than the first when seen."""
        open_part = partial(self._parts, name)
        _display(widgets.VBox(open_part()) if name == self._first else Awaited(open_part))

    def _parts(self, name: str) -> list[widgets.Widget]:
        """Return the explorer of that name, with what is wrong about it above."""
        try:
            fleet, engine = self._fleet, self._origin.engine
            options = {"engine": engine} if engine and name == "flights" else {}
            try:
                chosen, other = self._chosen.get(name), self._compared.get(name)
                said, explorer = [], EXPLORERS[name](fleet, chosen, other, **options)
            except InvalidValue as problem:
                said = [notice(f"The link's filter is left out. {problem}")]
                explorer = EXPLORERS[name](fleet, None, **options)
        except FleetkitError as problem:
            return [notice(str(problem))]
        explorer.serve_reader(self._folder / name)
        return [*said, explorer]
