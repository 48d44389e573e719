"""Folders that appear whole or not at all.

What is new is built beside its final place and swapped in by rename, so a reader, and whoever
comes after a crash, finds the old folder or the new one. Files of the user's beside a report are
kept, and a folder of the user's that only bears the name is left as it is. What a killed run left
behind is swept by the next one; a lock marks a folder that is still being built. Where there are no
locks, nothing is swept.
"""

from __future__ import annotations

import errno
import glob
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fleetkit.locks import Held, Lock, locked
from fleetkit.paths import keep_mode, make_folders, remove_empty

__all__ = ["MANIFEST", "failed_folder", "replaced"]

_OLD = ".old"
# Whether access is asked for as the user who would write.
_EFFECTIVE = os.access in os.supports_effective_ids
# One of these is in every folder that fleetkit has made.
MANIFEST = "manifest.json"
_SECTION = "section.json"
_OURS = {MANIFEST, "report.html", "report.pdf", _SECTION}
# The first parts of what a report may hold, where no manifest names its files.
_PARTS = {MANIFEST, "report.html", "report.pdf", "data", "notebooks", "sections"}


def failed_folder(final: Path) -> Path:
    """Return where the notebooks of failed sections are saved until a report succeeds."""
    return final.with_name(f"{final.name}.failed")


@contextmanager
def replaced(final: Path) -> Iterator[Path]:
    """Give an empty folder to fill; it takes the place of `final` when all went well.

    Raises
    ------
    OSError
        The folder that holds `final` can't be written, or `final` is write-protected or holds what
        fleetkit didn't make; raised before anything else.
    """
    made = make_folders(final.parent)
    new, built = final.with_name(f".{final.name}.{secrets.token_hex(4)}"), Lock()
    try:
        with locked(final.parent):
            _sweep(final)
            _check(final)
            new.mkdir()
            keep_mode(final, new)  # before there is anything to read
            built.acquire(new)
        yield new
        with locked(final.parent):
            _keep_others(final, new)
            _keep_modes(final, new)
            _swap(new, final)
    finally:
        built.release()
        shutil.rmtree(new, ignore_errors=True)
        remove_empty(made)


def _check(final: Path) -> None:
    """Refuse to replace what fleetkit didn't make, such as photos by month, or is protected."""
    if final.exists() and not final.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    is_folder = final.is_dir() and not final.is_symlink()
    if is_folder and not os.access(final, os.W_OK, effective_ids=_EFFECTIVE):
        raise PermissionError(errno.EACCES, "the folder is write-protected")
    names = {path.name for path in final.iterdir()} if final.exists() else set()
    if names and names.isdisjoint(_OURS):
        raise OSError(errno.ENOTEMPTY, "the folder holds other files, which would be lost")


def _keep_others(final: Path, new: Path) -> None:
    """Copy into a new folder what of the earlier one isn't fleetkit's: a user's notes."""
    if (final / _SECTION).exists():
        return  # of a section no manifest tells what is whose
    named = _named_files(final)
    for path in final.rglob("*"):
        name = path.relative_to(final)
        is_ours = name.parts[0] in _PARTS if named is None else name.as_posix() in named
        is_file = path.is_file() or path.is_symlink()
        if is_file and not is_ours and not (new / name).exists():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, new / name, follow_symlinks=False)


def _keep_modes(final: Path, new: Path) -> None:
    """Leave closed to others what its user closed to them in the earlier folder."""
    for path in new.rglob("*"):
        earlier = final / path.relative_to(new)
        if not earlier.is_symlink():
            keep_mode(earlier, path)


def _named_files(final: Path) -> set[str] | None:
    """Return which files of a folder its manifest names; None where it can't be read."""
    try:
        return {MANIFEST, *json.loads((final / MANIFEST).read_bytes())["files"]}
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _swap(new: Path, final: Path) -> None:
    old = new.with_name(new.name + _OLD)
    try:
        if final.exists():
            final.rename(old)
        new.rename(final)
    except BaseException:  # Ctrl+C too, which may come when either has just been renamed
        if old.exists() and not final.exists():
            old.rename(final)
        raise
    if old.is_symlink():
        old.unlink()
    else:
        _delete(old)


def _delete(folder: Path) -> None:
    """Delete a folder whose files were kept elsewhere, also where one in it is write-protected."""
    for inner in folder.rglob("*"):
        if inner.is_dir() and not inner.is_symlink():
            with suppress(OSError):
                inner.chmod(stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)


def _sweep(final: Path) -> None:
    """Remove what killed runs left; put back what one of them had moved aside."""
    new = f".{glob.escape(final.name)}.{'[0-9a-f]' * 8}"
    for left in (*final.parent.glob(new), *final.parent.glob(new + _OLD)):
        if left.suffix == _OLD and not final.exists():
            left.rename(final)
        else:
            with suppress(Held):
                _remove(left)


def _remove(left: Path) -> None:
    """Remove a folder that no process is building; where there are no locks, none can be told."""
    with locked(left, wait=False) as is_locked:
        if is_locked:
            shutil.rmtree(left, ignore_errors=True)
