"""Why a write stops although nothing went wrong: it must be computed, or read, anew."""

from __future__ import annotations

__all__ = ["Conflict", "Outdated", "Unproven"]


class Conflict(Exception):
    """Another sync committed first; compare anew."""


class Outdated(Exception):
    """Another sync was finished since this one began to read: what it read may be older."""


class Unproven(Exception):
    """What was read doesn't suffice to tell the state of the rest.

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
        super().__init__("More must be read to tell the state of all.")
        self.flights, self.details = flights or {}, details or {}
