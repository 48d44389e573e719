"""Paths as people write them."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["expanded", "is_path", "opened"]


def is_path(path: Any) -> bool:
    r"""Whether a value is a path that the system can hold.

    Examples
    --------
    >>> [is_path(value) for value in ("mirror", Path("mirror"), " ", 3, "a\0b", "\ud800")]
    [True, True, False, False, False, False]
    """
    if not isinstance(path, str | os.PathLike) or not str(path).strip():
        return False
    with suppress(UnicodeEncodeError):
        return b"\0" not in os.fsencode(path)
    return False


def expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path whose ``~`` is the user's home; a ``~`` of no user is a name, as in a shell.

    Examples
    --------
    >>> expanded("~/fleetkit.toml").is_absolute(), str(expanded("~no-user"))
    (True, '~no-user')
    """
    return Path(os.path.expanduser(path))  # noqa: PTH111 - Path.expanduser fails for no user


def opened(path: Path) -> BinaryIO:
    """Open a file for reading, but no device nor named pipe: these may have no end.

    A shell's ``<(command)`` is a pipe without a name, which the command writes to.

    Raises
    ------
    OSError
        It can't be read, or is none of these.
    """
    place = Path(os.path.realpath(path))  # Path.resolve fails where links lead in a circle
    if place.exists() and not (place.is_file() or place.is_dir() or str(place) == os.devnull):
        raise OSError(errno.EINVAL, "Not a file", str(path))
    return path.open("rb")
