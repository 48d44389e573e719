"""The organisation on disk or in an object store, as Delta tables that any engine reads.

`plan` says what to read, `write` updates a mirror, all or nothing, `open` shows one of its states
and `verify` proves them all. Every row is a version with ``valid_from`` and
``valid_to``: the history, which the API doesn't give.
"""

from fleetkit.mirror.history import Versions
from fleetkit.mirror.layout import PROJECT_DETAILS
from fleetkit.mirror.locations import write_lock
from fleetkit.mirror.plan import AUDIT, Plan, begin, plan, same_source, zone
from fleetkit.mirror.reading import Mirror, check_table, verified_since
from fleetkit.mirror.reading import open_mirror as open
from fleetkit.mirror.report import CLOCKS_APART, SyncReport, TableChange
from fleetkit.mirror.staging import Staging, discard_staging, has_staging, records_of
from fleetkit.mirror.store import Outdated, Unproven
from fleetkit.mirror.verification import Verification, verify
from fleetkit.mirror.writing import write

__all__ = [
    "AUDIT",
    "CLOCKS_APART",
    "PROJECT_DETAILS",
    "Mirror",
    "Outdated",
    "Plan",
    "Staging",
    "SyncReport",
    "TableChange",
    "Unproven",
    "Verification",
    "Versions",
    "begin",
    "check_table",
    "discard_staging",
    "has_staging",
    "open",
    "plan",
    "records_of",
    "same_source",
    "verified_since",
    "verify",
    "write",
    "write_lock",
    "zone",
]
