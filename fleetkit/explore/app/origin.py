"""Where the app's fleet comes from, as each visitor's kernel is told it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fleetkit import settings, views
from fleetkit.fleet import Fleet, connect, demo, open_mirror

__all__ = ["Origin"]


@dataclass(frozen=True)
class Origin:
    """A fleet that can be opened again in another process; it holds no key.

    Attributes
    ----------
    folder : str
        Where relative paths begin, and where ``fleetkit.toml`` is looked for.
    is_demo : bool
        The invented organisation.
    mirror : str
        Folder or address of a mirror; empty for a service.
    state : dict
        ``version`` or ``as_of`` of the mirror, or ``as_of`` of the demo.
    filters : list of str
        What narrows the fleet, as after ``--filter``.
    tz : str or None
        Zone; None leaves it to the settings, and to the mirror.
    connection : dict
        How to reach a service: arguments of `connect`.
    engine : str
        What counts a mirror's flights; empty leaves it to their number.
    """

    folder: str
    is_demo: bool = False
    mirror: str = ""
    state: dict[str, Any] = field(default_factory=dict)
    filters: list[str] = field(default_factory=list)
    tz: str | None = None
    connection: dict[str, Any] = field(default_factory=dict)
    engine: str = ""

    @classmethod
    def read(cls, text: str) -> Origin:
        """Return what `write` wrote."""
        return cls(**json.loads(text))

    def write(self) -> str:
        """Return it as JSON.

        Examples
        --------
        >>> Origin.read(Origin("/home", mirror="mirror/").write()).mirror
        'mirror/'
        """
        return json.dumps(asdict(self))

    def open(self) -> Fleet:
        """Open the fleet, narrowed by the filters.

        Raises
        ------
        FleetkitError
            As `connect`, `open_mirror`, `demo` and ``fleet.where`` raise.
        """
        os.chdir(self.folder)
        return self.filtered(self.open_whole())

    def filtered(self, fleet: Fleet) -> Fleet:
        """Return a fleet of the whole organisation as the filters narrow it."""
        return fleet.where(views.parse(self.filters, fleet.settings.views, fleet.tz))

    def open_whole(self) -> Fleet:
        """Open the fleet of the whole organisation; relative paths begin in the current folder."""
        config = self.connection.get("config")
        if not (self.is_demo or self.mirror):
            return connect(tz=self.tz, progress=False, **self.connection)
        loaded = replace(settings.load(config, tz=self.tz), base_url="")
        if self.is_demo:
            return demo(tz=loaded.tz, settings=loaded, progress=False, **self.state)
        return open_mirror(self.mirror, settings=loaded, **self.state)
