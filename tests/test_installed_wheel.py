"""The wheel, made from the sdist, does the main job in an empty folder far from any checkout.

It does so with the lowest versions that it allows: those bounds are true.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
# Not Spark, JupyterLab and tools of development: too large to install twice.
EXTRAS = ("polars", "duckdb", "dask", "postgresql")
TOOLS = {
    "httptools",
    "hypothesis",
    "openapi-spec-validator",
    "openpyxl",
    "packaging",
    "pytest",
}
# What uses each package: of these files the tests that are not slow, and one that is.
TESTS = (
    "test_section.py",  # Matplotlib
    "test_report_html.py",  # Jinja2
    "test_report_pdf.py",  # PlutoPrint, pypdf
    "test_export_files.py",  # XlsxWriter
    "test_report_checks.py",  # Click
    "test_client_closing.py",  # Requests
    "test_tables.py",  # msgspec, PyArrow, pandas
    "test_engines.py",  # Narwhals, Polars, DuckDB, Dask
    "test_scanning.py",  # deltalake, read by each of these engines
    "test_server_store.py",  # SQLAlchemy
    "test_server_http.py",  # Uvicorn, httptools
    "test_server_openapi.py",  # Starlette, openapi-spec-validator
    "test_explore.py",  # ipywidgets, anywidget
)
CHOSEN = "not slow or test_a_metric_over_a_scan_gives_what_pandas_gives"
pytestmark = pytest.mark.slow


def _run(*command, cwd, **environment):
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    _run(sys.executable, "-m", "uv", "build", "-q", "--sdist", "-o", folder, ROOT, cwd=folder)
    return next(folder.glob("fleetkit-*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    """Build the wheel as a package index's users do, from the sdist."""
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "uv", "build", "-q", "--wheel", "-o", folder, sdist, cwd=folder)
    return next(folder.glob("fleetkit-*.whl"))


def test_the_sdist_holds_what_git_holds(sdist):
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert set(_run("git", "ls-files", cwd=ROOT).split()) - packed == set()
    assert packed - set(_run("git", "ls-files", cwd=ROOT).split()) <= {"PKG-INFO"}


def _fields(wheel):
    """Return the lines of what a wheel tells of itself."""
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    return archive.read(metadata).decode().split("\n\n")[0].splitlines()


def _required(wheel, *extras):
    """Return what a wheel asks for by itself and with extras."""
    found = []
    for field in _fields(wheel):
        if field.startswith("Requires-Dist: "):
            asked = Requirement(field.partition(": ")[2])
            marker, asked.marker = asked.marker, None
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
                found.append(asked)
    return found


def test_the_wheel_tells_its_types_and_its_licence(wheel):
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    fields = _fields(wheel)
    (licences,) = (name for name in names if name.endswith(".dist-info/licenses/LICENSE"))
    assert "fleetkit/py.typed" in names
    assert archive.read(licences) == (ROOT / "LICENSE").read_bytes()
    assert "License-Expression: MIT" in fields
    extras = {line.partition(": ")[2] for line in fields if line.startswith("Provides-Extra")}
    assert {"polars", "duckdb", "dask", "spark", "postgresql", "lab"} <= extras


def test_the_wheel_carries_notebooks_and_templates(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    packed = {name.removeprefix("fleetkit/_data/") for name in names if "_data/" in name}
    folders = (ROOT / "notebooks", ROOT / "templates")
    expected = {
        str(path.relative_to(ROOT))
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }
    assert packed == expected


@pytest.fixture(scope="module")
def install():
    """Return a function that installs into a fresh environment and returns its folder of programs.

    Of each package it takes the lowest version that is allowed.
    """
    # On disk: an environment is too much to keep in memory.
    with tempfile.TemporaryDirectory(prefix="fleetkit-") as folder:
        _run(sys.executable, "-m", "venv", "--without-pip", "fresh", cwd=folder)
        programs = Path(folder, "fresh", "bin")
        into = ("uv", "pip", "install", "-q", "--python", programs / "python")
        # A newer Python has no wheels of some lowest versions: of these, the lowest that it has.
        lowest = ("--resolution", "lowest-direct", "--no-build")

        def install(packages, *fleetkit):
            _run(sys.executable, "-m", *into, *lowest, *map(str, packages), cwd=folder)
            _run(sys.executable, "-m", *into, "--no-deps", *fleetkit, cwd=folder)
            return programs

        yield install


def test_the_wheel_makes_the_report_with_nothing_but_the_lowest_versions_of_what_it_asks_for(
    wheel, install, tmp_path
):
    programs = install(_required(wheel), wheel)
    command = [programs / "fleetkit", "report", "--demo"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    html, pdf = (tmp_path / line for line in done.stdout.split()[-2:])
    assert done.stderr == "", "cron would mail it"
    manifest = json.loads((html.parent / "manifest.json").read_text())
    assert (html.name, pdf.name) == ("report.html", "report.pdf")
    assert pdf.read_bytes().startswith(b"%PDF")
    assert {"report.html", "report.pdf"} <= set(json.dumps(manifest).replace('"', " ").split())


def test_the_lowest_versions_pass_the_tests_that_use_each_package(wheel, install):
    tools = [each for each in _required(wheel, "test") if each.name in TOOLS]
    programs = install([*_required(wheel, *EXTRAS), *tools], "--editable", ROOT)
    files = [ROOT / "tests" / name for name in TESTS]
    python = programs / "python"
    said = _run(python, "-m", "pytest", "-v", "-k", CHOSEN, "--no-header", *files, cwd=ROOT, CI="")
    assert [name for name in TESTS if f"{name}::" not in said] == []


def test_an_environment_that_could_not_be_made_is_not_taken_for_one(tmp_path):
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    # As Debian's Python does without its package python3-venv.
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\n[ "$2" != venv ] && exec {sys.executable} "$@"\nmkdir -p $3/bin\n'
        "touch $3/bin/python; chmod +x $3/bin/python\necho ensurepip is not available\nexit 1\n"
    )
    python.chmod(0o755)
    made = subprocess.run(
        ["make", "PYTHON=./python", "report"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 2
    assert "ensurepip is not available" in made.stdout
    assert not (tmp_path / ".venv").exists()


def test_an_environment_whose_python_is_gone_is_made_anew(tmp_path):
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to("/opt/python-of-last-year")
    (tmp_path / ".venv" / ".installed-run").touch()
    commands = _run("make", "--dry-run", "report", cwd=tmp_path)
    made, installed = "-m venv .venv --clear", "-m pip install"
    assert 0 < commands.index(made) < commands.index(installed)
