"""``manifest.json``: what a report was made with, and checksums that show whether it is intact."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fleetkit.branding import Branding
from fleetkit.engines import version_of
from fleetkit.mirror import Mirror
from fleetkit.reports.folders import MANIFEST
from fleetkit.reports.span import Span
from fleetkit.reports.subject import Subject

__all__ = ["branding", "record", "write"]

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
    "polars",
    "pyarrow",
    "pypdf",
)


@cache
def _packages() -> dict[str, str]:
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


def _checksums(folder: Path) -> dict[str, str]:
    """Return relative path → SHA-256 of every file in the folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def record(
    subject: Subject, mirror: Mirror, since: Span | None, *, accessible: bool, engine: str
) -> dict[str, Any]:
    """Return what a report is of, and what made it: of a tagged PDF also what writes those."""
    further = version_of(engine) | ({"weasyprint": version("weasyprint")} if accessible else {})
    return {
        "format": 1,
        "period": {
            "name": subject.period.name,
            "since": subject.period.since.isoformat(),
            "until": subject.period.until.isoformat(),
            "tz": subject.tz,
            "is_over": mirror.fetched_at >= subject.period.until,
        },
        "filter": subject.filter.to_parameters(),
        "settings": subject.settings.public(),
        "lang": subject.settings.lang,
        "branding": branding(subject.settings.branding),
        "data": {
            "version": mirror.version,
            "versions": mirror.versions,
            "fingerprint": mirror.fingerprint,
            "fetched_at": mirror.fetched_at.isoformat(),
            "missing": mirror.missing,
            "changed_since": since
            and {
                "version": since.version,
                "fetched_at": since.since.isoformat(),
                "asked": since.is_chosen,
            },
        },
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "packages": _packages() | further,
    }


def write(record: Mapping[str, Any], folder: Path) -> None:
    """Write a record to a report's folder, with the checksums of the files that are there."""
    whole = {**record, "files": _checksums(folder)}
    text = json.dumps(whole, ensure_ascii=False, indent=2, default=str)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
