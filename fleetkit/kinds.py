"""Groups and kinds that packages share: statuses of projects, kinds of restatements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fleetkit.schema import PROJECT_STATUSES

if TYPE_CHECKING:  # pandas takes long to import
    import pandas as pd

__all__ = [
    "ASIDE",
    "BACKLOG",
    "BANDS",
    "ENDED",
    "GROUNDED",
    "MAY_BE_LATE",
    "OUT_OF_SERVICE",
    "RESTATEMENTS",
    "STAGES",
    "Restatement",
    "is_open",
]

# Statuses beside the order of the work, and the order itself.
ASIDE = ("CANCELLED", "ON_HOLD")
STAGES = tuple(status for status in PROJECT_STATUSES if status not in ASIDE)
BACKLOG = ("CONFIRMED", "SCHEDULED", "IN_PROGRESS")
# Statuses of projects that are over; all others are open.
ENDED = ("COMPLETED", "CANCELLED")
# Statuses in which a scheduled day that is past makes a project late.
MAY_BE_LATE = ("DRAFT", "CONFIRMED", "SCHEDULED")
# By the days that registrations have left: "missing" where no expiry is known.
BANDS = ("expired", "≤ 30 days", "≤ 60 days", "≤ 90 days", "later", "missing")
# Statuses of equipment that doesn't fly, and of what has left the fleet for good.
GROUNDED = ("RETIRED", "GROUNDED", "LOST")
OUT_OF_SERVICE = ("RETIRED", "LOST")


def is_open(statuses: pd.Series[Any]) -> pd.Series[bool]:
    """Say which projects are open, by their statuses; one without a status is."""
    return ~statuses.isin(ENDED)


class Restatement(NamedTuple):
    """A kind of change of a reported month.

    Attributes
    ----------
    column : str
        Column that counts it.
    flights : int
        By how many flights it changes the month.
    plural : str
        Several of it, in words.
    """

    column: str
    flights: int
    plural: str


# The kind, as the ledger of restatements writes it.
RESTATEMENTS = {
    "late log": Restatement("late_logs", 1, "late logs"),
    "edit": Restatement("edits", 0, "edits"),
    "moved in": Restatement("moved_in", 1, "moved in"),
    "moved out": Restatement("moved_out", -1, "moved out"),
    "vanished": Restatement("vanished", -1, "vanished"),
}
