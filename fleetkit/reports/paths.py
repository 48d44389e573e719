"""`Paths`: where a report is, as links in a notebook."""

from __future__ import annotations

import os
import webbrowser
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import quote

from fleetkit.errors import ReportError

__all__ = ["Paths"]


@dataclass(frozen=True)
class Paths:
    """Where a report is; ``html`` or ``pdf`` is None for a format that wasn't asked for.

    ``data`` is the folder of the data beside it, None where they weren't asked for.

    As the last value of a notebook's cell it shows links that open the files.

    Examples
    --------
    >>> folder = Path("reports/2026-10")
    >>> Paths(html=folder / "report.html", pdf=None, manifest=folder / "manifest.json")
    Paths(html=reports/2026-10/report.html, pdf=None, manifest=reports/2026-10/manifest.json)
    """

    html: Path | None
    pdf: Path | None
    manifest: Path
    data: Path | None = None

    def open(self) -> None:
        """Open the report in this machine's browser: its HTML, or its PDF where there is no HTML.

        Raises
        ------
        ReportError
            There is no such file, or no browser.
        """
        path = self.html or self.pdf or self.manifest
        if not path.is_file():
            raise ReportError(f"{path} does not exist any more.", advice="Make the report again.")
        if not webbrowser.open(path.resolve().as_uri()):
            raise ReportError("This machine has no browser.", advice=f"Open {path.resolve()}.")

    def __repr__(self) -> str:
        data = f", data={self.data}" if self.data else ""
        return f"Paths(html={self.html}, pdf={self.pdf}, manifest={self.manifest}{data})"

    def _repr_html_(self) -> str:
        links = " · ".join(
            f'<a href="{escape(_link(path))}" target="_blank">{escape(path.name)}</a>'
            for path in (self.html, self.pdf, self.manifest, self.data)
            if path is not None
        )
        return f"<div>Report in <code>{escape(str(self.manifest.parent))}</code>: {links}</div>"


def _link(path: Path) -> str:
    """Return a link that a notebook resolves: relative to its own folder, where that can be."""
    try:
        return quote(Path(os.path.relpath(path)).as_posix())
    except ValueError:  # on another drive of Windows
        return path.resolve().as_uri()
