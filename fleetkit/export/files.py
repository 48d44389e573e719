"""Files that appear whole or not at all: each is written beside its place, then renamed."""

from __future__ import annotations

import errno
import secrets
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from fleetkit.errors import FleetkitError
from fleetkit.interface import RAISE_FILE_SIZE
from fleetkit.paths import make_folders, remove_empty

__all__ = ["write_files"]

# Writes a file at the path that it is given.
Writer = Callable[[Path], object]


def write_files(files: Mapping[Path, Writer | bytes]) -> None:
    """Write files; none takes its place before all of them are whole.

    Parameters
    ----------
    files : dict
        Path → its bytes, or what writes it to the path that it is given.

    Raises
    ------
    FleetkitError
        A file can't be written; those that were there before are unchanged.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "new" / "hours.csv"
    >>> write_files({path: b"month,hours"})
    >>> path.read_bytes()
    b'month,hours'
    """
    parts: dict[Path, Path] = {}
    path, made = Path(), list[Path]()
    try:
        for path, content in files.items():
            made = make_folders(path.parent) + made
            if path.is_dir():
                raise IsADirectoryError(21, "it is a folder")
            parts[path] = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
            if isinstance(content, bytes):
                parts[path].write_bytes(content)
            else:
                content(parts[path])
        for path, part in parts.items():
            part.replace(path)
    except OSError as problem:
        raise FleetkitError(
            f"{path} can't be written: {problem.strerror or problem}.",
            advice=_advice(path, problem),
        ) from problem
    finally:
        for part in parts.values():
            with suppress(OSError):
                part.unlink()
        remove_empty(made)


def _advice(path: Path, problem: OSError) -> str:
    if problem.errno == errno.EFBIG:
        return RAISE_FILE_SIZE
    if problem.errno not in {errno.ENOSPC, errno.EDQUOT}:
        return "Choose another folder."
    if path.suffix == ".xlsx":  # its rows lie there until it is whole
        return f"Choose another folder, or make room there and in {tempfile.gettempdir()}."
    return "Choose another folder, or make room."
