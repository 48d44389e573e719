"""Exclusive locks on folders; a lock lasts until it is released or its process ends.

Windows, object stores and some file systems of networks have no such locks: there, the code that
uses them runs without.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["SUPPORTED", "Held", "acquire", "exist_in", "release"]

SUPPORTED = fcntl is not None


class Held(Exception):
    """Another process holds the lock."""


def acquire(folder: Path, *, wait: bool = True) -> int | None:
    """Lock a folder against other processes.

    Parameters
    ----------
    folder : Path
        It must exist.
    wait : bool
        Wait until no other process holds the lock.

    Returns
    -------
    int or None
        What `release` takes; None where there are no locks.

    Raises
    ------
    Held
        Another process holds the lock, and it is not to be waited for.
    OSError
        The folder can't be opened.
    """
    if not SUPPORTED:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(descriptor)
        raise Held from None
    except OSError:
        os.close(descriptor)
        return None
    except BaseException:  # Ctrl+C while it waits
        os.close(descriptor)
        raise
    return descriptor


def exist_in(folder: Path) -> bool:
    """Whether the file system of a folder has locks; also True where it can't be opened."""
    try:
        lock = acquire(folder, wait=False)
    except (Held, OSError):
        return SUPPORTED
    release(lock)
    return lock is not None


def release(lock: int | None) -> None:
    """Release a lock; None is none."""
    if lock is not None:
        with suppress(OSError):
            os.close(lock)
