"""Folders that appear whole or not at all.

What is new is built beside its final place and swapped in by rename, so a reader, and whoever
comes after a crash, sees the old folder or the new one.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replaced", "swap"]


@contextmanager
def replaced(final: Path) -> Iterator[Path]:
    """Give an empty folder to fill; it takes the place of `final` when all went well."""
    final.parent.mkdir(parents=True, exist_ok=True)
    new = final.with_name(f".{final.name}.{secrets.token_hex(4)}")
    new.mkdir()
    try:
        yield new
        swap(new, final)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def swap(new: Path, final: Path) -> None:
    """Rename `new` to `final`; what stood there before is removed afterwards."""
    old = new.with_name(new.name + ".old")
    if final.exists():
        final.rename(old)
    try:
        new.rename(final)
    except BaseException:
        if old.exists():
            old.rename(final)
        raise
    shutil.rmtree(old, ignore_errors=True)
