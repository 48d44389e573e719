"""Imports of libraries without what takes them long and no command uses."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_module"]


@contextmanager
def without_module(name: str) -> Iterator[None]:
    """Let libraries that are imported in the block find this optional module not installed.

    Parameters
    ----------
    name : str
        The module; one that has been imported already is found as before.
    """
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment] # documented: importing it then fails
    try:
        yield
    finally:
        del sys.modules[name]
