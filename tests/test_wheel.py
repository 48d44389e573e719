"""The wheel, made from the sdist, does the main job in an empty folder far from any checkout."""

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.slow


def _run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
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


def test_the_wheel_tells_its_types_and_its_licence(wheel):
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
    fields = archive.read(metadata).decode().split("\n\n")[0].splitlines()
    licences = metadata.replace("METADATA", "licenses/LICENSE")
    assert {"fleetkit/py.typed", licences} <= set(names)
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


@pytest.fixture
def folder():
    """Return a folder on disk: an environment is too much to keep in memory."""
    with tempfile.TemporaryDirectory(prefix="fleetkit-") as folder:
        yield Path(folder)


def test_the_wheel_in_a_fresh_environment_makes_the_report(wheel, folder):
    _run(sys.executable, "-m", "venv", "--without-pip", "fresh", cwd=folder)
    install = (sys.executable, "-m", "uv", "pip", "install", "-q", "--python", "fresh/bin/python")
    _run(*install, wheel, cwd=folder)
    (folder / "empty").mkdir()
    out = _run("../fresh/bin/fleetkit", "report", "--demo", cwd=folder / "empty")
    html, pdf = (folder / "empty" / line for line in out.split()[-2:])
    manifest = json.loads((html.parent / "manifest.json").read_text())
    assert (html.name, pdf.name) == ("report.html", "report.pdf")
    assert pdf.read_bytes().startswith(b"%PDF")
    assert {"report.html", "report.pdf"} <= set(json.dumps(manifest).replace('"', " ").split())


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
