"""The lower bounds of pyproject.toml are true: fleetkit works with the lowest versions."""

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
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
# What uses each package, in little time.
TESTS = (
    "test_section.py",  # Matplotlib
    "test_report_html.py",  # Jinja2
    "test_report_pdf.py",  # PlutoPrint, pypdf
    "test_export_files.py",  # XlsxWriter
    "test_report_checks.py",  # Click
    "test_client_closing.py",  # Requests
    "test_tables.py",  # msgspec, PyArrow, pandas
    "test_engines.py",  # Narwhals, Polars, DuckDB, Dask
    "test_scanning.py",  # deltalake
    "test_server_store.py",  # SQLAlchemy
    "test_server_http.py",  # Uvicorn, httptools
    "test_server_openapi.py",  # Starlette, openapi-spec-validator
    "test_explore_states.py",  # ipywidgets, anywidget
)
pytestmark = pytest.mark.slow


def _requirements() -> list[str]:
    """Return each direct dependency with its bounds."""
    extras = PROJECT["optional-dependencies"]
    tools = [
        requirement for requirement in extras["test"] if Requirement(requirement).name in TOOLS
    ]
    return [
        *PROJECT["dependencies"],
        *(requirement for name in EXTRAS for requirement in extras[name]),
        *tools,
    ]


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
def python():
    with tempfile.TemporaryDirectory(prefix="fleetkit-") as folder:  # too much to keep in memory
        _run(sys.executable, "-m", "venv", "--without-pip", "lowest", cwd=folder)
        python = Path(folder, "lowest", "bin", "python")
        install = (sys.executable, "-m", "uv", "pip", "install", "-q", "--python", python)
        # A newer Python has no wheels of some lowest versions: of these, the lowest that it has.
        lowest = ("--resolution", "lowest-direct", "--no-build")
        _run(*install, *lowest, *_requirements(), cwd=folder)
        _run(*install, "--no-deps", "--editable", ROOT, cwd=folder)
        yield python


def test_the_lowest_versions_make_the_report(python, tmp_path):
    _run(python, "-m", "fleetkit", "report", "--demo", cwd=tmp_path)
    (pdf,) = tmp_path.glob("reports/*/report.pdf")
    assert pdf.read_bytes().startswith(b"%PDF")


def test_the_lowest_versions_pass_the_tests_that_use_each_package(python):
    files = [ROOT / "tests" / name for name in TESTS]
    _run(python, "-m", "pytest", "-q", "-m", "not slow", "--no-header", *files, cwd=ROOT, CI="")
