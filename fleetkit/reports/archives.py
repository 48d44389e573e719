"""Folders as bytes, for machines that share no disk."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

__all__ = ["packed", "unpack"]


def packed(folder: Path) -> bytes:
    """Return all that a folder holds; of links what they lead to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "a.txt").write_text("one")
    ...     unpack(packed(Path(place)), Path(place, "copy"))
    ...     Path(place, "copy", "a.txt").read_text()
    'one'
    """
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", dereference=True) as archive:
        archive.add(folder, arcname=".")
    return content.getvalue()


def unpack(content: bytes, folder: Path) -> None:
    """Write what `packed` returned into a folder, and nothing outside of it."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")
