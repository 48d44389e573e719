"""Temporary folders, of which those that killed processes left are removed by the next process."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType

from fleetkit import locks
from fleetkit.errors import FleetkitError

__all__ = ["HERE_GONE", "TemporaryFolder", "home_in", "is_here_gone"]

# What to do where `is_here_gone`.
HERE_GONE = "The folder that this process runs in is gone; run it in another."

# No other folders begin so: those of this user that aren't locked may be removed.
_PREFIX = "fleetkit-run-"
_LOCK = ".lock"


class TemporaryFolder:
    """A folder of this process, until it is removed.

    A locked file in it tells others that the process lives. Where there are no locks, what a killed
    one left stays.

    Attributes
    ----------
    path : Path

    Raises
    ------
    FleetkitError
        No folder for temporary files can be written to.

    Examples
    --------
    >>> with TemporaryFolder() as path:
    ...     path.is_dir()
    True
    >>> path.is_dir()
    False
    """

    def __init__(self) -> None:
        try:
            _sweep(tempfile.gettempdir())
        except FileNotFoundError:
            raise FleetkitError(
                "No folder for temporary files can be written to.",
                advice="Name one that can be with the environment variable TMPDIR.",
            ) from None
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX)).absolute()
        self._lock = locks.Lock()
        if locks.SUPPORTED:
            _mark(self.path, self._lock)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove it with all that it holds; once it is gone, nothing happens."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.release()


def home_in(folder: Path) -> dict[str, str]:
    """Return what makes a folder the home of a user who has none: Jupyter starts without none.

    Such a user is a number that the system has no name for, as in containers.
    """
    has_home = os.path.expanduser("~") != "~"  # noqa: PTH111 - Path.home fails without one
    return {} if has_home else {"HOME": str(folder)}


def is_here_gone() -> bool:
    """Whether the folder that this process runs in was deleted, so that no other is found by it."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _mark(folder: Path, lock: locks.Lock) -> None:
    """Lock a file of a folder, since the folder itself may be locked by who uses it."""
    new = folder / f"{_LOCK}.new"
    new.touch()
    lock.acquire(new)
    new.rename(folder / _LOCK)  # not before it is locked: others may be sweeping


@cache
def _sweep(place: str) -> None:
    """Remove what killed processes left in a place, once in a process."""
    if not locks.SUPPORTED:
        return
    for left in Path(place).glob(f"{_PREFIX}*"):
        with suppress(OSError, locks.Held):
            if left.stat().st_uid != os.getuid():
                continue
            with locks.locked(left / _LOCK, wait=False) as is_locked:
                if is_locked:
                    shutil.rmtree(left, ignore_errors=True)  # follows no link
