"""What several threads ask for at once is read once: the others wait for it."""

from __future__ import annotations

import os
from collections.abc import Hashable
from threading import RLock
from typing import Any

__all__ = ["ReadLocks"]


class ReadLocks:
    """A lock for each thing that is read; those of a forked process are its own."""

    def __init__(self) -> None:
        self._renew()

    def _renew(self) -> None:
        self._process = os.getpid()
        self._locks: dict[Hashable, Any] = {}

    def of(self, name: Hashable) -> Any:
        """Return the lock of a table, or of a window of flights."""
        if self._process != os.getpid():  # a thread that isn't here may have held one
            self._renew()
        return self._locks.setdefault(name, RLock())
