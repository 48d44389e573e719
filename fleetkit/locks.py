"""Exclusive locks on folders; a lock lasts until it is released or its process ends.

Windows, object stores and some file systems of networks have no such locks: there, the code that
uses them runs without.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakSet

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["SUPPORTED", "Held", "Lock", "exist_in", "locked"]

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
                self._try(folder)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            self._close()
            raise Held from None
        except OSError:
            self._close()
            return False
        return True

    def _try(self, folder: Path) -> None:
        """Try to lock for some seconds, then say what is waited for."""
        begun, since = time.monotonic(), f"{datetime.now(UTC):%H:%M:%S}"
        while time.monotonic() < begun + SILENT:
            with suppress(BlockingIOError):
                return fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            time.sleep(EVERY)
        _log.warning(
            "Another process has locked the folder %s; waiting since %s UTC.", folder, since
        )
        return None

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
