"""Adding is one file each: what docs/adding.md says is done in a copy of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import TINY, synced

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
NAME = "longest_flights"
# What of the repository is copied.
PARTS = ("docs", "fleetkit", "notebooks", "templates", "tests", "pyproject.toml")
# What `make format` writes.
WRITTEN = {f"fleetkit/{package}/_declared.pyi" for package in ("metrics", "charts")}
WRITTEN.add("docs/interface.md")
# Suites that find metrics, charts and notebooks by name.
SUITES = ("discovery", "examples", "engines", "charts", "chart_bounds", "notebooks", NAME)


def blocks() -> dict[str, str]:
    """Return the files that docs/adding.md shows: path → text."""
    text = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^```python\n# (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


def write_notebook(copy: Path, path: str, text: str) -> None:
    """Write a notebook with the metadata and the parameters of the one that it is copied from."""
    notebook = nbformat.read(copy / "notebooks" / "project_pipeline.ipynb", as_version=4)
    notebook.metadata["fleetkit"] = {"needs": ["flights"]}
    [parameters] = [cell for cell in notebook.cells if cell.metadata.get("tags") == ["parameters"]]
    cells = []
    for kind, source in re.findall(r"^# %%([^\n]*)\n(.*?)(?=^# %%|\Z)", text, re.M | re.S):
        if kind == " parameters":
            cells.append(parameters)
        elif kind == " [markdown]":
            plain = re.sub(r"^# ?", "", source, flags=re.MULTILINE).strip()
            cells.append(nbformat.v4.new_markdown_cell(plain))
        else:
            cells.append(nbformat.v4.new_code_cell(source.strip()))
    notebook.cells = cells
    nbformat.write(notebook, copy / path)


def files(folder: Path) -> dict[str, bytes]:
    """Return the files of the parts that are copied: path → content."""
    paths = [path for part in PARTS for path in ((folder / part), *(folder / part).rglob("*"))]
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in paths
        if path.is_file() and path.parent.name != "__pycache__"
    }


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, whose package goes before the installed one."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        check=False,
        text=True,
    )


def run_suites(copy: Path, *suites: str, names: str) -> subprocess.CompletedProcess[str]:
    modules = [f"tests/test_{suite}.py" for suite in suites]
    return run(copy, "-m", "pytest", "-q", "-rfEp", "-n0", "-k", names, *modules)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy") / "fleetkit"
    # With its bytecode, and the times that this goes by: what isn't changed isn't compiled again.
    for part in map(ROOT.joinpath, PARTS):
        duplicate = shutil.copytree if part.is_dir() else shutil.copy2
        folder.mkdir(parents=True, exist_ok=True)
        duplicate(part, folder / part.name)
    for path, text in blocks().items():
        if path.endswith(".ipynb"):
            write_notebook(folder, path, text)
        else:
            (folder / path).write_text(text, encoding="utf-8")
    before = files(folder)
    assert run(folder, "tests/declare.py").returncode == 0  # what `make format` does
    after = files(folder)
    assert {path for path in after if before.get(path) != after[path]} == WRITTEN
    return folder


def test_what_is_added_is_a_file_each_and_no_other_is_written_by_hand(copy):
    added = {f"fleetkit/metrics/{NAME}.py", f"fleetkit/charts/{NAME}.py"}
    added |= {f"notebooks/{NAME}.ipynb", f"tests/test_{NAME}.py"}
    assert set(blocks()) == added
    old, new = files(ROOT), files(copy)
    assert set(new) - set(old) == added
    assert {path for path in old if path in new and new[path] != old[path]} == WRITTEN


def test_what_is_added_is_formatted_and_found_by_the_suites(copy):
    checked = [str(path) for path in blocks()]
    assert run(copy, "-m", "ruff", "check", *checked).stdout == "All checks passed!\n"
    assert run(copy, "-m", "ruff", "format", "--check", *checked).returncode == 0
    # A kernel runs it below, for a report.
    done = run_suites(copy, *SUITES, names=f"{NAME} and not papermill")
    assert done.returncode == 0, done.stdout
    passed = re.findall(r"^PASSED tests/test_(\w+)\.py::", done.stdout, re.MULTILINE)
    assert set(passed) == set(SUITES)


# What is taken out of which file → the suite that names it.
LACKING = {
    (f"fleetkit/metrics/{NAME}.py", r"    Definitions\n.*?\n\n"): "discovery",
    (f"fleetkit/metrics/{NAME}.py", r"    Examples\n.*?(?=    \"\"\")"): "engines",
    (f"fleetkit/charts/{NAME}.py", r"    Examples\n.*?(?=    \"\"\")"): "charts",
    (f"notebooks/{NAME}.ipynb", r"section\.define\(.*?\)\\n"): "notebooks",
}


def test_what_lacks_its_definition_or_example_fails_by_name(copy):
    whole = files(copy)
    for path, pattern in LACKING:
        text = (copy / path).read_text(encoding="utf-8")
        lacking = re.sub(pattern, "", text, count=1, flags=re.DOTALL)
        assert lacking != text
        (copy / path).write_text(lacking, encoding="utf-8")
    names = f"{NAME} and not dask and (defin or example)"
    done = run_suites(copy, *LACKING.values(), names=names)
    for path, _ in LACKING:
        (copy / path).write_bytes(whole[path])
    failed = re.findall(rf"^FAILED tests/test_(\w+)\.py::.*{NAME}", done.stdout, re.MULTILINE)
    assert set(failed) == set(LACKING.values()), done.stdout


def test_the_report_has_the_new_section_with_its_definition(copy):
    report = ["report", "--mirror", str(synced(TINY, copy / "mirror")), "--month", "2026-10"]
    report += ["--sections", f"{NAME},pricing", "--format", "html"]
    done = run(copy, "-m", "fleetkit", *report)
    assert done.returncode == 0, done.stderr
    page = (copy / "reports" / "2026-10" / "report.html").read_text(encoding="utf-8")
    assert "<dt>Longest flight</dt><dd>The longest duration in the pilot&#39;s logs." in page
    assert re.search(r"<h2[^>]*>.*?Longest flights", page)
    titles = [title.strip() for title in re.findall(r"<h3[^>]*>([^<]+)", page)]
    assert {"Longest flights", "Longest flight of each pilot"} <= set(titles)
    assert len(titles) == len(set(titles))
