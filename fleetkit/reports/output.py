"""The files of a report: HTML, PDF, and the data beside them, as far as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, cast, get_args

from fleetkit.arguments import texts
from fleetkit.errors import InvalidValue
from fleetkit.fleet import MirroredFleet
from fleetkit.interface import brief, worded
from fleetkit.mirror import Mirror
from fleetkit.reports import data as data_module
from fleetkit.reports import render
from fleetkit.reports.accessible import check_installed, tagged_pdf
from fleetkit.reports.paths import Paths
from fleetkit.reports.pdf import pdf
from fleetkit.reports.subject import Subject
from fleetkit.reports.templates import Templates

__all__ = ["FORMATS", "Format", "Output", "check_accessible", "checked_formats"]

Format = Literal["html", "pdf"]
FORMATS: tuple[Format, ...] = get_args(Format)
_HTML, _PDF = "report.html", "report.pdf"


def checked_formats(formats: Iterable[Format] | Format) -> tuple[Format, ...]:
    """Return the formats of a report, if they are such.

    Raises
    ------
    InvalidValue
        None is named, or one that there is not.
    """
    names = texts(formats, "formats")
    unknown = [name for name in names if name not in FORMATS]
    if unknown or not names:
        raise InvalidValue(
            f"{brief(unknown[0]) if unknown else 'Nothing'} is not a format of a report.",
            advice=f"Formats are: {', '.join(FORMATS)}.",
        )
    return cast("tuple[Format, ...]", names)


def check_accessible(formats: Collection[str], *, has_workers: bool = False) -> None:
    """Refuse a tagged PDF where there is to be none, or where nothing can write one.

    Parameters
    ----------
    formats : collection of str
    has_workers : bool
        Whether workers of a cluster write it, which have packages of their own.

    Raises
    ------
    InvalidValue
        The formats leave out the PDF.
    ReportError
        WeasyPrint isn't installed, or lacks libraries of the system.
    """
    if "pdf" not in formats:
        option = worded(python="accessible=True", command_line="--accessible")
        raise InvalidValue(
            f"{option} is about the PDF, which the formats leave out.",
            advice="Add pdf to the formats; the HTML is accessible as it is.",
        )
    if not has_workers:
        check_installed()


@dataclass(frozen=True)
class Output:
    """What to write of a report.

    Parameters
    ----------
    formats : tuple of {"html", "pdf"}
    data : bool
        Write the data too, in files for other programs.
    accessible : bool
        Make the PDF a tagged one.
    templates : Templates
    """

    formats: tuple[Format, ...]
    data: bool
    accessible: bool
    templates: Templates

    def write(
        self,
        folder: Path,
        sections: Sequence[dict[str, Any]],
        context: Mapping[str, Any],
        *,
        subject: Subject,
        state: Mirror,
        done: Callable[[str], object],
    ) -> list[str]:
        """Write all files; return the characters that the PDF can't show.

        Parameters
        ----------
        folder : Path
            The report's.
        sections : sequence of dict
            As `render.load_section` returns them.
        context : dict
            As `Subject.context` returns it.
        subject : Subject
        state : Mirror
        done : callable
            Called with the name of each step that is done.
        """
        files: list[str] = []
        if self.data:
            files = _write_data(folder, sections, context, subject, state)
            done("data")
        html = render.html({**context, "data_files": files}, sections, self.templates)
        done("html")
        unprintable: list[str] = []
        if "html" in self.formats:
            (folder / _HTML).write_text(html, encoding="utf-8", newline="\n")
        if "pdf" in self.formats:
            printed, unprintable = self._printed(html, state.fetched_at)
            (folder / _PDF).write_bytes(printed)
        done("pdf")
        return unprintable

    def _printed(self, html: str, made: datetime) -> tuple[bytes, list[str]]:
        """Return the PDF, and the characters that it can't show."""
        if not self.accessible:
            return pdf(html, made=made)
        style = self.templates.text("accessible.css")
        return tagged_pdf(html, made=made, style=render.in_words(style))

    def paths(self, folder: Path, manifest: Path) -> Paths:
        """Return where the files are, once the report is in its folder."""
        return Paths(
            html=folder / _HTML if "html" in self.formats else None,
            pdf=folder / _PDF if "pdf" in self.formats else None,
            manifest=manifest,
            data=folder / data_module.FOLDER if self.data else None,
        )


def _write_data(
    folder: Path,
    sections: Sequence[Mapping[str, Any]],
    context: Mapping[str, Any],
    subject: Subject,
    state: Mirror,
) -> list[str]:
    fleet = MirroredFleet(state, tz=subject.tz, settings=subject.settings)
    return data_module.write_data(
        folder,
        sections,
        context,
        fleet=fleet.where(subject.filter, allow_empty=True),
        period=subject.so_far(state).period,
        made=state.fetched_at,
    )
