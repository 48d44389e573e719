"""What a report was made with, and the checksums that show whether it is intact."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from fleetkit.branding import Branding

__all__ = ["branding", "checksums", "packages"]

_PACKAGES = (
    "babel",
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


def branding(brand: Branding) -> dict[str, str]:
    """Return what is set of an organisation's looks, a logo by its file's name and SHA-256."""
    values = {name: value for name, value in asdict(brand).items() if value}
    if brand.logo:
        content = Path(brand.logo).read_bytes()
        values["logo"] = Path(brand.logo).name
        values["logo_sha256"] = hashlib.sha256(content).hexdigest()
    return values


def checksums(folder: Path) -> dict[str, str]:
    """Return relative path → SHA-256 of every file in the folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
