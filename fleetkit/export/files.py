"""Files that appear whole, all of them or none: each is written beside its place, then renamed.

Only a process that is killed between two renames leaves new files among old ones. What a killed run
left beside them is swept by the next one. A lock keeps others from the folder until then; where
there are no locks, nothing is swept.
"""

from __future__ import annotations

import errno
import glob
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path

from fleetkit.errors import FleetkitError
from fleetkit.interface import RAISE_FILE_SIZE
from fleetkit.locks import locked
from fleetkit.paths import keep_mode, make_folders, remove_empty
from fleetkit.temporary import HERE_GONE, is_here_gone

__all__ = ["write_files"]

# Writes a file at the path that it is given.
Writer = Callable[[Path], object]


def write_files(files: Mapping[Path, Writer | bytes]) -> None:
    """Write files, all or none; none takes its place before all of them are whole.

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
        for path in files:
            made = make_folders(path.parent) + made
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with _locked(files):
            for path, content in files.items():
                parts[path] = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
                parts[path].touch()
                keep_mode(path, parts[path])  # before there is anything to read
                if isinstance(content, bytes):
                    parts[path].write_bytes(content)
                else:
                    content(parts[path])
            _swap(parts)
    except OSError as problem:
        if problem.filename2:  # a rename failed, after the last file was written
            path = Path(problem.filename2)
        raise FleetkitError(
            f"{path} can't be written: {problem.strerror or problem}.",
            advice=_advice(path, problem),
        ) from problem
    finally:
        for left in chain.from_iterable((part, _aside(part)) for part in parts.values()):
            with suppress(OSError):
                left.unlink()
        remove_empty(made)


@contextmanager
def _locked(paths: Iterable[Path]) -> Iterator[None]:
    """Let nobody else write to the folders of files, and sweep what killed runs left of these."""
    with ExitStack() as stack:
        for folder in sorted({path.parent for path in paths}):
            if stack.enter_context(locked(folder)):
                _sweep(path for path in paths if path.parent == folder)
        yield


def _sweep(paths: Iterable[Path]) -> None:
    for path in paths:
        part = f".{glob.escape(path.name)}.{'[0-9a-f]' * 8}"
        for left in chain(path.parent.glob(part), path.parent.glob(_aside(Path(part)).name)):
            with suppress(OSError):
                left.unlink()


def _swap(parts: Mapping[Path, Path]) -> None:
    """Let new files take their places; where one can't, the old ones are put back."""
    new = {path for path in parts if not path.exists()}
    try:
        for path, part in parts.items():
            with suppress(OSError):  # there is none, or there are no links
                _aside(part).hardlink_to(path)
            part.replace(path)
    except BaseException:  # Ctrl+C too, which may come when one has just been renamed
        for path, part in parts.items():
            if not part.exists():
                with suppress(OSError):
                    path.unlink() if path in new else _aside(part).replace(path)
        raise


def _aside(part: Path) -> Path:
    """Return where an old file is kept until all new ones are in their places."""
    return part.with_name(f"{part.name}.old")


def _advice(path: Path, problem: OSError) -> str:
    if is_here_gone() and not path.is_absolute():
        return HERE_GONE
    if problem.errno == errno.EFBIG:
        return RAISE_FILE_SIZE
    if problem.errno not in {errno.ENOSPC, errno.EDQUOT}:
        return "Choose another folder."
    if path.suffix == ".xlsx":  # its rows lie there until it is whole
        return f"Choose another folder, or make room there and in {tempfile.gettempdir()}."
    return "Choose another folder, or make room."
