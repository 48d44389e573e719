"""Exclusive locks on folders; a lock lasts until it is released or its process ends.

Windows, object stores and some file systems of networks have no such locks: there, the code that
uses them runs without.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from weakref import WeakSet

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["SUPPORTED", "Held", "Lock", "exist_in", "locked", "wait_for"]

SUPPORTED = fcntl is not None
# Another process is waited for in silence, then with a word. [s]
SILENT, EVERY = 5.0, 0.01
_NONE = -1  # the descriptor of no file
# Shown on stderr, unless logging is configured otherwise.
_log = logging.getLogger("fleetkit")


class Held(Exception):
    """Another process holds the lock."""


class Lock:
    """A lock of this process on a folder.

    It is made before it is acquired, so that a `finally` that releases it can't come too late: an
    interruption may lose what a function returns.
    """

    def __init__(self) -> None:
        self._descriptor = _NONE
        _locks.add(self)

    def acquire(self, folder: Path, *, wait: bool = True, silent: bool = False) -> bool:
        """Lock a folder against other processes.

        Parameters
        ----------
        folder : Path
            It must exist.
        wait : bool
            Wait until no other process holds the lock.
        silent : bool
            Don't say after some seconds what is waited for: it is known to take long.

        Returns
        -------
        bool
            Whether there are locks.

        Raises
        ------
        Held
            Another process holds the lock, and it is not to be waited for.
        OSError
            The folder can't be opened.
        """
        if not SUPPORTED:
            return False
        self._descriptor = os.open(folder, os.O_RDONLY)
        try:
            if wait and not silent:
                words = f"Another process has locked the folder {folder}"
                wait_for(partial(self._lock, wait=False), words, every=EVERY)
            else:
                self._lock(wait=wait)
        except Held:
            self._close()
            raise
        except OSError:
            self._close()
            return False
        return True

    def _lock(self, *, wait: bool) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise Held from None

    def is_of(self, folder: Path) -> bool:
        """Whether a folder is still the one that was locked: it may have been removed since."""
        with suppress(OSError):
            return os.path.samestat(os.fstat(self._descriptor), folder.stat())
        return False

    def release(self) -> None:
        """Release it, also where a forked process has a copy; once more changes nothing."""
        if self._descriptor != _NONE:
            with suppress(OSError):
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            self._close()

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, _NONE
        with suppress(OSError):  # there may be none
            os.close(descriptor)


_locks: WeakSet[Lock] = WeakSet()


def _after_fork() -> None:
    """Close the child's copies: they are the parent's to release, and would outlive it."""
    for lock in list(_locks):
        lock._close()


if hasattr(os, "register_at_fork"):  # not on Windows, which doesn't fork
    os.register_at_fork(after_in_child=_after_fork)


def wait_for(
    attempt: Callable[[], None], words: str, *, every: float, longest: float = math.inf
) -> None:
    """Attempt to lock until no other process holds the lock; say after some seconds that it does.

    Parameters
    ----------
    attempt : callable
        Raises `Held` where another process holds the lock.
    words : str
        That it does, as a sentence begins with it.
    every, longest : float
        How long it waits between two attempts, and in all. [s]

    Raises
    ------
    Held
        Another process has held it for the longest time.
    """
    begun, since, is_said = time.monotonic(), f"{datetime.now(UTC):%H:%M:%S}", False
    while True:
        with suppress(Held):
            return attempt()
        waited = time.monotonic() - begun
        if waited >= longest:
            raise Held
        if not is_said and waited >= SILENT:
            is_said = True
            _log.warning("%s; waiting since %s UTC.", words, since)
        time.sleep(every)


@contextmanager
def locked(folder: Path, *, wait: bool = True, silent: bool = False) -> Iterator[bool]:
    """Lock a folder against other processes, and threads, in a block; give whether there are locks.

    Parameters and errors as `Lock.acquire`.
    """
    lock = Lock()
    try:
        yield lock.acquire(folder, wait=wait, silent=silent)
    finally:
        lock.release()


def exist_in(folder: Path) -> bool:
    """Whether the file system of a folder has locks; also True where it can't be opened."""
    try:
        with locked(folder, wait=False) as is_locked:
            return is_locked
    except (Held, OSError):
        return SUPPORTED
