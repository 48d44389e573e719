"""What stops a sync or a reader: damage, and what must be read or computed anew."""

from __future__ import annotations

from fleetkit.errors import MirrorError
from fleetkit.interface import worded

__all__ = [
    "Conflict",
    "Outdated",
    "Unproven",
    "damaged",
    "give_up",
    "log_advice",
    "repair_advice",
    "table_gone",
]


class Conflict(Exception):
    """Another sync committed first; compare anew."""


class Outdated(Exception):
    """Another sync was finished since this one began to read: what it read may be older."""


class Unproven(Exception):
    """What was read doesn't suffice to know the state of the rest.

    Attributes
    ----------
    flights : dict of str → str
        Equipment whose flights must be read too → why.
    details : dict of str → str
        Projects that must be read by id → why.
    """

    def __init__(
        self, *, flights: dict[str, str] | None = None, details: dict[str, str] | None = None
    ) -> None:
        super().__init__("More must be read to know the state of all.")
        self.flights, self.details = flights or {}, details or {}


def repair_advice(path: str) -> str:
    """Return what to do about a mirror that is damaged."""
    return worded(
        python=f'fleet.sync("{path}", full=True) repairs what the service still has; else '
        "restore the mirror from a backup.",
        command_line=f"Run: fleetkit sync {path} --full, which repairs what the service still "
        "has; else restore the mirror from a backup.",
    )


def log_advice(path: str, name: str) -> str:
    """Return what to do about a table whose log can't be read, so that nobody knows its files."""
    if name == "syncs":
        return (
            f"Restore {path}/{name}, or the whole mirror, from a backup; or sync into a new "
            "folder: the rows of the other tables, and their history, can still be read without "
            "fleetkit."
        )
    return (
        f"Restore {path}/{name}, or the whole mirror, from a backup; or move that folder away and "
        f"make the table anew, without its history: {give_up(path)}."
    )


def give_up(path: str) -> str:
    """Return the call that repairs a mirror although history is lost."""
    return worded(
        python=f'fleet.sync("{path}", full=True, accept_loss=True)',
        command_line=f"fleetkit sync {path} --full --accept-loss",
    )


def damaged(path: str, what: str) -> MirrorError:
    """Return the error that says what is wrong with a mirror.

    Examples
    --------
    >>> damaged("m", "table flights is gone").message
    'The mirror m is damaged: table flights is gone.'
    """
    return MirrorError(f"The mirror {path} is damaged: {what}.", advice=repair_advice(path))


def table_gone(path: str, name: str) -> MirrorError:
    """Return the error of a table that is not there although a sync left it."""
    return damaged(path, f"table {name} is gone (was the mirror copied in part?)")
