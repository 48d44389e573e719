"""What a report was made with, and the checksums that show whether it is intact."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

__all__ = ["checksums", "packages"]

_PACKAGES = (
    "deltalake",
    "fleetkit",
    "ipykernel",
    "jinja2",
    "matplotlib",
    "narwhals",
    "nbclient",
    "numpy",
    "pandas",
    "papermill",
    "plutoprint",
    "pyarrow",
    "pypdf",
)


def packages() -> dict[str, str]:
    """Return the version of Python and of every package that shapes a report."""
    return {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}}


def checksums(folder: Path) -> dict[str, str]:
    """Return relative path → SHA-256 of every file in the folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
