"""The organisation on disk or in an object store, as Delta tables that any engine reads.

`plan` says what to read, `write` brings a mirror up to date, all or nothing, and `open` shows one
of its states. Every row is a
version with ``valid_from`` and ``valid_to``, so the history that the API doesn't give is kept.
"""

from fleetkit.mirror.alone import alone
from fleetkit.mirror.comparing import PROJECT_DETAILS
from fleetkit.mirror.plan import AUDIT, Plan, newest, plan
from fleetkit.mirror.reading import Mirror
from fleetkit.mirror.reading import open_mirror as open
from fleetkit.mirror.report import SyncReport, TableChange
from fleetkit.mirror.signals import Outdated, Unproven
from fleetkit.mirror.verified import verified_since
from fleetkit.mirror.writing import write

__all__ = [
    "AUDIT",
    "PROJECT_DETAILS",
    "Mirror",
    "Outdated",
    "Plan",
    "SyncReport",
    "TableChange",
    "Unproven",
    "alone",
    "newest",
    "open",
    "plan",
    "verified_since",
    "write",
]
