"""Section notebooks of a few cells, for the tests of how they are found and run."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat

FOLDER = Path(__file__).parents[1] / "notebooks"

PARAMETERS = """\
mirror = ""  # folder of the mirror
version = None  # its state
period = "2026-10"  # what is reported
tz = "UTC"  # time zone
filters = {}  # a Filter's parameters
settings = {}  # Settings.public()
out = "."  # folder of the sections
"""
SAVE = """\
from fleetkit.reports import Section
section = Section({name!r}, title={title!r}, out=out)
section.sentence(f"{{period}}.")
section.save()
"""


def notebook(folder, name, *cells, parameters=PARAMETERS, **ours):
    """Write a notebook; `ours` is its metadata under "fleetkit"."""
    written = nbformat.v4.new_notebook()
    written.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    written.metadata["language_info"] = {"name": "python"}
    written.metadata["fleetkit"] = ours
    title = name.replace("_", " ").capitalize()
    written.cells = [
        nbformat.v4.new_markdown_cell(f"# {title}"),
        nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}),
        *(nbformat.v4.new_code_cell(cell) for cell in cells),
        nbformat.v4.new_code_cell(SAVE.format(name=name, title=title)),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(written, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


def made(name, **parameters):
    """Run the cells of one of fleetkit's notebooks in this process; return its section."""
    names = {}
    for cell in nbformat.read(FOLDER / f"{name}.ipynb", as_version=4).cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, f"{name}, {cell.id}", "exec"), names)  # noqa: S102
        if "parameters" in cell.metadata.get("tags", []):
            names |= {key: value for key, value in parameters.items() if key in names}
    path = Path(names["out"]) / name / "section.json"
    return json.loads(path.read_text(encoding="utf-8"))
