"""One sync at a time writes to a folder; the next one waits.

Nothing depends on it: commits that collide are computed anew. But syncs that take turns don't undo
each other's half-done work. Object stores, and machines without such locks, have the commits alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fleetkit.errors import MirrorError
from fleetkit.mirror.places import is_object_store

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["alone"]

# [s]
LONGEST_WAIT, EVERY = 600.0, 0.05


@contextmanager
def alone(path: str) -> Iterator[None]:
    """Wait until no other process writes to the mirror, and keep others waiting.

    The lock ends with the process, also where that is killed.

    Parameters
    ----------
    path : str
        Address of the mirror, as `places.address` gives it.

    Raises
    ------
    MirrorError
        Another sync has been writing for ten minutes.
    """
    if fcntl is None or is_object_store(path):
        yield
        return
    try:
        folder = Path(path.removeprefix("file://"))
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # writing will say why, in its own words
        yield
        return
    try:
        _lock(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: str) -> None:
    until = time.monotonic() + LONGEST_WAIT
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() > until:
                raise MirrorError(
                    f"Another sync has been writing to the mirror {path} for "
                    f"{LONGEST_WAIT / 60:.0f} minutes; nothing of this one was written.",
                    advice="Let it finish, or end its process, and sync again.",
                ) from None
            time.sleep(EVERY)
