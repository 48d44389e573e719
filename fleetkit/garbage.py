"""Imports without garbage collections."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["paused"]


@contextmanager
def paused() -> Iterator[None]:
    """Pause garbage collection in a block, and leave what it makes out of later ones.

    Imported modules are never garbage. Searching them takes longer than most imports, and would
    copy the pages of a process into each of its forks.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
