"""How many files a process that makes reports may have open; its kernels inherit the limit."""

from __future__ import annotations

from contextlib import suppress

from fleetkit.errors import ReportError
from fleetkit.ulimits import limit

__all__ = ["allow", "require"]

# With fewer no kernel starts, or none can read a mirror; and what is enough for any.
_FEWEST, _ENOUGH = 128, 1024


def allow() -> int:
    """Raise this process's own limit as far as needed and permitted, and return it."""
    soft = limit("RLIMIT_NOFILE")
    if soft >= _ENOUGH:
        return soft
    import resource  # noqa: PLC0415 - not on Windows, which has no such limit

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _ENOUGH if hard == resource.RLIM_INFINITY else min(_ENOUGH, hard)
    if soft < most:
        with suppress(ValueError, OSError):  # macOS has a further limit, which it doesn't tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    return soft


def require() -> None:
    """Refuse to make a report where too few files may be open.

    Raises
    ------
    ReportError
        The limit is too low, and this process may not raise it.
    """
    files = allow()
    if files < _FEWEST:
        raise ReportError(
            f"A report needs {_FEWEST} files open at once, and this process may have {files}.",
            advice=f"Raise the limit: ulimit -n {_ENOUGH}.",
        )
