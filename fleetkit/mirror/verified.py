"""Since when a state is proven: when each list of flights in it was last read whole."""

from __future__ import annotations

from datetime import datetime

from fleetkit.mirror.reading import Mirror
from fleetkit.mirror.store import Store
from fleetkit.mirror.syncs import last_read

__all__ = ["verified_since"]


def verified_since(mirror: Mirror) -> datetime | None:
    """Return since when every list of flights was read whole, each at this moment or later.

    Parameters
    ----------
    mirror : Mirror
        An open one; syncs after its state don't count.

    Returns
    -------
    datetime or None
        UTC. None where there is no equipment, or where the list of some piece was last read by a
        sync that kept no account of what it read.

    Raises
    ------
    MirrorError
        Files are missing or damaged.
    """
    if "equipment" not in mirror.readable:
        return None
    store = Store(mirror.path)
    read, _ = last_read(store, store.table("syncs"), mirror.version)
    moments = {each.version: each.fetched_at for each in mirror.states}
    pieces = mirror.table("equipment")["equipment_id"]
    if pieces.empty or not set(pieces) <= set(read):
        return None
    return min(moments[read[each]] for each in pieces)
