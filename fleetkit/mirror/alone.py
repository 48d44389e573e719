"""One sync at a time brings a folder up to date; the next one waits.

Nothing depends on it: a sync that another one overtook reads anew, and commits that collide are
computed anew. But syncs that take turns don't ask the service in vain. Object stores, and machines
without such locks, have no turns.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fleetkit import locks
from fleetkit.errors import MirrorError
from fleetkit.mirror.places import address, folder_of, make_folder

__all__ = ["alone"]

# [s]
LONGEST_WAIT, EVERY = 3600.0, 0.1
# Shown on stderr, where nobody has said otherwise.
_log = logging.getLogger("fleetkit")


@contextmanager
def alone(path: str | Path, *, mode: int = 0o700) -> Iterator[None]:
    """Wait until no other sync is at work on the mirror, and keep others waiting.

    The lock ends with the process, also where that is killed.

    Parameters
    ----------
    path : str or Path
        Folder or object-store URL.
    mode : int
        Rights of the folder, where it is made here.

    Raises
    ------
    MirrorError
        Another sync has been at work for an hour.
    """
    place = address(path)
    folder = folder_of(place)
    if not locks.SUPPORTED or folder is None:
        yield
        return
    try:
        made = make_folder(folder, mode)
        lock = locks.acquire(folder, wait=False)
    except OSError:  # writing will say why, in its own words
        yield
        return
    try:
        lock = lock if lock is not None else _wait_for_lock(folder, place)
        yield
    finally:
        locks.release(lock)
        if made:
            with suppress(OSError):
                folder.rmdir()  # only where nothing was written


def _wait_for_lock(folder: Path, path: str) -> int:
    _log.warning("Another sync is at work on the mirror %s; waiting for it.", path)
    begun = time.monotonic()
    while time.monotonic() < begun + LONGEST_WAIT:
        time.sleep(EVERY)
        if (lock := locks.acquire(folder, wait=False)) is not None:
            return lock
    raise MirrorError(
        f"Another sync has been at work on the mirror {path} for {LONGEST_WAIT / 60:.0f} minutes; "
        "nothing of this one was written.",
        advice="Let it finish, or end its process, and sync again.",
    )
