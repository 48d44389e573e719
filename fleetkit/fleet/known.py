"""What a mirror has already, so that a daily sync doesn't give notice of it again."""

from __future__ import annotations

from pathlib import Path

from fleetkit import mirror as mirrors
from fleetkit.columns import COLUMNS
from fleetkit.errors import FleetkitError
from fleetkit.mirror import Mirror
from fleetkit.mirror.layout import stored_name
from fleetkit.notices import Subject

__all__ = ["HeldByMirror"]

_TABLES = {
    "Equipment": "equipment",
    "Flight": "flights",
    "Project": "projects",
    "Service": "services",
    "Tier": "tiers",
}


class HeldByMirror:
    """Whether a mirror holds what a notice is about: a column or tokens beyond the reference.

    A field of the service that the reference doesn't know is worth a line when it is first seen.
    From then on it is a column of the mirror, and a sync from cron is silent.

    Parameters
    ----------
    path : str or Path
        The mirror; opened when the first notice is about to be given.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._mirror: Mirror | None = None

    def __call__(self, about: Subject) -> bool:
        """Whether the mirror's newest state holds it."""
        kind, where, *names = about
        try:
            self._mirror = self._mirror or mirrors.open(self._path)
            if kind == "column":
                held = self._mirror.further(_TABLES[where])
                return {stored_name(name) for name in names} <= set(held)
            table = next(
                name
                for name, columns in COLUMNS.items()
                if any(column.name == where and column.values for column in columns)
            )
            return set(names) <= set(self._mirror.values(table, where))
        except FleetkitError:  # no mirror yet, or none that can be read: the sync says so
            return False
