"""What only a mirror has: why a fleet that asks the service lacks it."""

from __future__ import annotations

from collections.abc import Iterable

from fleetkit.errors import InvalidValue
from fleetkit.interface import missing_attribute

__all__ = ["missing_from_fleet"]

_NO_HISTORY = "The service has no history; only a mirror does."
# What `MirroredFleet` has and a live fleet lacks → why.
_OF_A_MIRROR = {
    **dict.fromkeys(("at", "changes", "history", "restatements", "watched_since"), _NO_HISTORY),
    "scan": "Only a mirror can be scanned; this fleet asks a service.",
}


class NeedsMirror(InvalidValue, AttributeError):
    """What only a `MirroredFleet` has was asked of a live one."""


def missing_from_fleet(name: str, names: Iterable[str]) -> AttributeError:
    """Return the error for an attribute that a fleet lacks; `names` are those that it has."""
    if name in _OF_A_MIRROR:
        return NeedsMirror(
            f"fleet.{name}: {_OF_A_MIRROR[name]}",
            advice='Sync it, fleet.sync("mirror/"), and open that: fk.open_mirror("mirror/").',
        )
    public = [known for known in names if not known.startswith("_")]
    return missing_attribute("A Fleet", name, public)
