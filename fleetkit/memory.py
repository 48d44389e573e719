"""Memory that is free again, given back to the system."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

__all__ = ["release_unused"]


def release_unused() -> None:
    """Give back what was freed: libraries and the system's allocator keep it for what comes next.

    What came in many small pieces, such as pages of flights, stays with the process else, beside
    the tables that are made of it. Where the system's C library isn't GNU's, it decides itself.
    """
    import pyarrow as pa  # noqa: PLC0415 - who asks for this has it

    pa.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    """Return what makes GNU's allocator give back free pages; pyarrow doesn't ask it to."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or Windows
        return None
