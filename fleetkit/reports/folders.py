"""Folders that appear whole or not at all.

What is new is built beside its final place and swapped in by rename, so a reader, and whoever
comes after a crash, finds the old folder or the new one. What a killed run left behind is swept by
the next one; a lock marks a folder that is still being built. Where there are no locks, nothing is
swept.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fleetkit import locks

__all__ = ["replaced"]

_OLD = ".old"


@contextmanager
def replaced(final: Path) -> Iterator[Path]:
    """Give an empty folder to fill; it takes the place of `final` when all went well.

    Raises
    ------
    OSError
        The folder that holds `final` can't be written; raised before anything else.
    """
    final.parent.mkdir(parents=True, exist_ok=True)
    with _locked(final.parent):
        _sweep(final)
        new = final.with_name(f".{final.name}.{secrets.token_hex(4)}")
        new.mkdir()
        built = locks.acquire(new)
    try:
        yield new
        with _locked(final.parent):
            _swap(new, final)
    finally:
        locks.release(built)
        shutil.rmtree(new, ignore_errors=True)


def _swap(new: Path, final: Path) -> None:
    old = new.with_name(new.name + _OLD)
    if final.exists():
        final.rename(old)
    try:
        new.rename(final)
    except BaseException:
        if old.exists():
            old.rename(final)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sweep(final: Path) -> None:
    """Remove what killed runs left; put back what one of them had moved aside."""
    for left in final.parent.glob(f".{final.name}.*"):
        if left.suffix == _OLD and not final.exists():
            left.rename(final)
        elif (lock := locks.acquire(left, wait=False)) is not None:
            shutil.rmtree(left, ignore_errors=True)
            locks.release(lock)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    lock = locks.acquire(folder)
    try:
        yield
    finally:
        locks.release(lock)
