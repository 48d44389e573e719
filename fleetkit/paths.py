"""Paths as people write them, and the files and folders that they name."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["expanded", "is_path", "keep_mode", "make_folders", "opened", "remove_empty"]


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


def make_folders(folder: Path) -> list[Path]:
    """Make a folder that files are written to, with those that it is in, as far as they lack.

    Returns those that it made, the innermost first, for `remove_empty`.

    Raises
    ------
    NotADirectoryError
        A file has its name: "File exists", as the system says, sounds like an earlier report.
    """
    lacking = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder) from None
    return lacking


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove folders that were made for files of which none was written."""
    for folder in folders:
        with suppress(OSError):  # something is in it
            folder.rmdir()


def keep_mode(old: Path, new: Path) -> None:
    """Let others do with a file or folder what they may with the one that it is to replace.

    Its owner may write it in any case. Without an old one, nothing changes.
    """
    own = stat.S_IRWXU if new.is_dir() else stat.S_IRUSR | stat.S_IWUSR
    with suppress(OSError):  # there is none, or the file system has no modes
        mode = stat.S_IMODE(old.stat().st_mode)
        if mode != stat.S_IMODE(new.stat().st_mode):
            new.chmod(mode | own)
