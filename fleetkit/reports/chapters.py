"""Which notebooks a report runs: fleetkit's and one's own, and of these the chosen ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from fleetkit.arguments import refuse_unknown, texts
from fleetkit.errors import InvalidValue, ReportError
from fleetkit.interface import worded
from fleetkit.reports import resources
from fleetkit.reports.notebooks import Notebook, discover

__all__ = ["available", "chosen"]


def available(own: str | Path | None = None) -> list[Notebook]:
    """Return the section notebooks that there are, in the order of the report.

    Parameters
    ----------
    own : path, optional
        Folder of further notebooks; one of the same name replaces fleetkit's.

    Raises
    ------
    InvalidValue
        `own` is not a folder with notebooks.
    ReportError
        A notebook that can't be read, that isn't a section, or that lacks a parameter.

    Examples
    --------
    >>> [notebook.name for notebook in available()][:2]
    ['flight_hours', 'equipment_condition']
    """
    notebooks = {notebook.name: notebook for notebook in discover(resources.folder("notebooks"))}
    if own is not None:
        notebooks |= {notebook.name: notebook for notebook in _own(Path(own))}
    return sorted(notebooks.values(), key=lambda notebook: (notebook.order, notebook.name))


def _own(folder: Path) -> list[Notebook]:
    paths = sorted(folder.glob("*.ipynb"))
    if not paths:
        what = "holds no notebook" if folder.is_dir() else "is not a folder"
        named = worded(python="notebooks=…", command_line="--notebooks")
        raise InvalidValue(
            f"{folder} {what}.", advice=f"Name a folder of section notebooks with {named}."
        )
    sections = discover(folder)
    others = [path for path in paths if path.stem not in {section.name for section in sections}]
    if others:
        raise ReportError(
            f"{others[0]} is not a section: it has no parameter out.",
            advice="Add the cell tagged `parameters` of one of fleetkit's notebooks, or move this "
            "one to another folder.",
        )
    return sections


def chosen(
    notebooks: Sequence[Notebook], sections: Iterable[str] | str | None
) -> tuple[list[Notebook], list[Notebook]]:
    """Part the notebooks into the chosen ones, in the order of the choice, and the others.

    Parameters
    ----------
    notebooks : sequence of Notebook
        As `available` returns them.
    sections : str, iterable of str or None
        Names, as a list or as one text with commas; None chooses all.

    Raises
    ------
    InvalidValue
        No name, or one of no section; the message suggests a similar one.

    Examples
    --------
    >>> shown, others = chosen(available(), "pricing, flight_hours")
    >>> [notebook.name for notebook in shown]
    ['pricing', 'flight_hours']
    """
    if sections is None:
        return list(notebooks), []
    parts = sections.split(",") if isinstance(sections, str) else texts(sections, "sections")
    names = list(dict.fromkeys(part.strip() for part in parts if part.strip()))
    by_name = {notebook.name: notebook for notebook in notebooks}
    if not names:
        raise InvalidValue("No section is named.", advice=f"Sections are: {', '.join(by_name)}.")
    refuse_unknown(names, by_name, "section")
    others = [notebook for notebook in notebooks if notebook.name not in names]
    return [by_name[name] for name in names], others
