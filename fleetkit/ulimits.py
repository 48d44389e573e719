"""What the system lets this process take, as a shell's ulimit sets it."""

from __future__ import annotations

import sys

__all__ = ["limit"]


def limit(name: str) -> int:
    """Return a limit by its name in the module resource; `sys.maxsize` where there is none.

    Examples
    --------
    >>> limit("RLIMIT_NOFILE") > 3
    True
    """
    try:
        import resource  # noqa: PLC0415 - not on Windows, which has no such limits
    except ImportError:
        return sys.maxsize
    soft, _ = resource.getrlimit(getattr(resource, name))
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft
