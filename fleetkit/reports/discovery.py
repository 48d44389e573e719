"""The section notebooks of a folder: what a report has to know of them before it runs one.

A notebook that has a parameter ``out`` writes a section; there is nothing to register. Optional
entries of its metadata help: ``fleetkit.order`` (a number; smaller comes first),
``fleetkit.needs`` (the tables it reads), ``fleetkit.subject`` (the table it is about) and
``fleetkit.history`` (true for what is part of a report only where a mirror has a history since the
last one).
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fleetkit.arguments import is_finite
from fleetkit.errors import InvalidValue, ReportError
from fleetkit.interface import brief, did_you_mean
from fleetkit.paths import opened
from fleetkit.reports.lightening import light_jsonschema
from fleetkit.reports.naming import checked_name
from fleetkit.schema import TABLE_SCOPES

with light_jsonschema():
    import nbformat
    from papermill.translators import PythonTranslator

__all__ = ["PARAMETERS", "Notebook", "discover", "files"]

PARAMETERS = ("mirror", "version", "period", "tz", "filters", "settings", "out")
LAST = 1_000
_ENTRIES = ("order", "needs", "subject", "history")
_SECTION = re.compile(
    r"""^[^#\n]*\bSection\(\s*(?:name\s*=\s*)?(["'])(?P<name>\w+)\1""", re.MULTILINE
)


@dataclass(frozen=True)
class Notebook:
    """A section notebook: its file, the section's name and title, its place, what it reads.

    ``history`` says that it shows what changed since the last report, ``sections`` which names its
    code gives to sections, where they are written as texts, ``subject`` which table it is about:
    that decides which filters narrow it.
    """

    path: Path
    name: str
    title: str
    order: float
    needs: tuple[str, ...]
    parameters: frozenset[str]
    history: bool = False
    sections: tuple[str, ...] = ()
    subject: str = "flights"


def discover(folder: Path) -> list[Notebook]:
    """Return the section notebooks of a folder, in the order of the report.

    Raises
    ------
    ReportError
        A notebook that can't be read, lacks a parameter of the report, has a name or metadata that
        can't be right, or names its section after another notebook.
    """
    notebooks = [_read(path, _written(path)) for path in files(folder)]
    sections = [notebook for notebook in notebooks if "out" in notebook.parameters]
    for notebook in sections:
        missing = [name for name in PARAMETERS if name not in notebook.parameters]
        if missing:
            raise ReportError(
                f"{notebook.path.name} has no parameter {', '.join(missing)}.",
                advice="Add it to the cell tagged `parameters`.",
            )
        _check_sections(notebook, {section.name for section in sections})
    return sorted(sections, key=lambda notebook: (notebook.order, notebook.name))


def files(folder: Path) -> list[Path]:
    """Return the notebooks of a folder, without what editors and copying leave there, hidden.

    Jupyter writes ``.~pricing.ipynb`` while it saves, macOS ``._pricing.ipynb`` beside a copy.
    """
    return [path for path in sorted(folder.glob("*.ipynb")) if not path.name.startswith(".")]


def _check_sections(notebook: Notebook, names: Collection[str]) -> None:
    """Refuse a copied notebook that would write another one's section, or one that nobody reads."""
    try:
        checked_name(notebook.name, "section")
    except InvalidValue as problem:
        raise ReportError(
            f"{notebook.path.name}: {problem.message}", advice=f"{problem.advice} Rename the file."
        ) from None
    for section in notebook.sections:
        if section != notebook.name:
            also = f", as {section}.ipynb does" if section in names else ""
            raise ReportError(
                f"{notebook.path.name} makes the section {brief(section)}{also}.",
                advice=f"A section bears the name of its notebook: Section({notebook.name!r}, …).",
            )


def _written(path: Path) -> tuple[int, int]:
    """Return what is different of a file that was written anew."""
    try:
        with opened(path) as file:
            state = os.fstat(file.fileno())
    except OSError as problem:
        raise ReportError(f"{path} can't be read as a notebook: {problem.strerror}") from None
    return state.st_mtime_ns, state.st_size


# A report looks for them twice, and each of several reports does.
@lru_cache(maxsize=100)
def _read(path: Path, written: tuple[int, int]) -> Notebook:
    try:
        notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call] # nbformat has no types
        parameters = _parameters(notebook)
    except Exception as problem:
        raise ReportError(f"{path} can't be read as a notebook: {problem}") from None
    heading = re.search(r"^# (.+)$", _text(notebook, "markdown"), re.MULTILINE)
    code = _text(notebook, "code")
    return Notebook(
        path=path,
        name=path.stem,
        title=heading[1] if heading else path.stem.replace("_", " ").capitalize(),
        parameters=parameters,
        sections=tuple(section["name"] for section in _SECTION.finditer(code)),
        **_metadata(path, notebook.metadata.get("fleetkit", {})),
    )


def _parameters(notebook: Any) -> frozenset[str]:
    """Return the parameters of a notebook, also of one that names no kernel: Python runs it."""
    for cell in notebook.cells:
        if "parameters" in cell.metadata.get("tags", ()):
            return frozenset(parameter.name for parameter in PythonTranslator.inspect(cell))
    return frozenset()


def _text(notebook: Any, kind: str) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == kind)


def _metadata(path: Path, given: Any) -> dict[str, Any]:
    """Return what the notebook's metadata say of its section; refuse what can't be meant."""
    tables = f"Tables are: {', '.join(TABLE_SCOPES)}."

    def refuse(name: str, value: Any, expected: str, advice: str = tables) -> None:
        raise ReportError(
            f"{path.name}: {brief(name)} in its metadata is {brief(value)}, not {expected}.",
            advice=advice,
        )

    if not isinstance(given, Mapping):
        refuse("fleetkit", given, 'names with values, such as {"needs": ["flights"]}')
    unknown = next((name for name in given if name not in _ENTRIES), None)
    if unknown is not None:
        guess = did_you_mean(unknown, _ENTRIES)
        raise ReportError(
            f"{path.name}: {brief(unknown)} in its metadata is nothing that a report reads. "
            f"{guess}".strip(),
            advice=f"There are: {', '.join(_ENTRIES)}.",
        )
    order, needs = given.get("order", LAST), given.get("needs", [])
    subject, history = given.get("subject", "flights"), given.get("history", False)
    if isinstance(order, bool) or not is_finite(order):
        refuse("order", order, "a number", "Of two chapters the one with the smaller comes first.")
    if not isinstance(needs, list) or any(str(table) not in TABLE_SCOPES for table in needs):
        refuse("needs", needs, 'a list of tables, such as ["flights"]')
    if str(subject) not in TABLE_SCOPES:
        refuse("subject", subject, "a table")
    if not isinstance(history, bool):
        refuse("history", history, "true or false", "Leave it out where it isn't true.")
    return {"order": order, "needs": tuple(needs), "subject": subject, "history": history}
