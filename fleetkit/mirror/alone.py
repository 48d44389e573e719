"""One sync at a time brings a folder up to date; the next one waits.

Nothing depends on it: a sync that another one overtook reads anew, and commits that collide are
computed anew. But syncs that take turns don't ask the service in vain. Object stores, and machines
without such locks, have no turns.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fleetkit.errors import MirrorError
from fleetkit.mirror.places import address, folder_of, make_folder

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

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
    if fcntl is None or folder is None:
        yield
        return
    try:
        made = make_folder(folder, mode)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # writing will say why, in its own words
        yield
        return
    try:
        _lock(descriptor, place)
        yield
    finally:
        os.close(descriptor)
        if made:
            with suppress(OSError):
                folder.rmdir()  # only where nothing was written


def _lock(descriptor: int, path: str) -> None:
    begun = time.monotonic()
    told = False
    while time.monotonic() < begun + LONGEST_WAIT:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if not told:
                _log.warning("Another sync is at work on the mirror %s; waiting for it.", path)
            told = True
            time.sleep(EVERY)
    raise MirrorError(
        f"Another sync has been at work on the mirror {path} for {LONGEST_WAIT / 60:.0f} minutes; "
        "nothing of this one was written.",
        advice="Let it finish, or end its process, and sync again.",
    )
