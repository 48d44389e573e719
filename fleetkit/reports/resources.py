"""Where notebooks and templates are: in the checkout, or inside the installed package."""

from __future__ import annotations

from pathlib import Path

from fleetkit.errors import ReportError

__all__ = ["folder"]

_PACKAGE = Path(__file__).parents[1]


def folder(name: str) -> Path:
    """Return the folder ``notebooks`` or ``templates``.

    Examples
    --------
    >>> (folder("templates") / "report.html.j2").is_file()
    True
    """
    for home in (_PACKAGE / "_data", _PACKAGE.parent):
        if (home / name).is_dir():
            return home / name
    raise ReportError(
        f"fleetkit's {name} are missing beside {_PACKAGE}.", advice="Install fleetkit again."
    )
