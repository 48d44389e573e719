"""Imports without a search for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["paused"]


@contextmanager
def paused() -> Iterator[None]:
    """Look for no garbage, neither meanwhile nor later in what is made meanwhile.

    What is imported is none; looking takes longer than most imports, and would copy the pages of a
    process into each of its forks.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
