"""Every benchmark runs with what the tests install; how fast, only a quiet machine can tell."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
BENCHMARKS = sorted(path.name for path in FOLDER.glob("[a-z]*.py"))
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def temporary(tmp_path_factory):
    """Return a folder in which one benchmark finds the mirror that another one made."""
    return tmp_path_factory.mktemp("temporary")


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_runs_at_a_tiny_size_and_prints_what_is_to_reach(name, temporary, tmp_path):
    environment = {**os.environ, "FLEETKIT_BENCH_SIZE": "tiny", "TMPDIR": str(temporary)}
    command = [sys.executable, str(FOLDER / name)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d\.\d", done.stdout), "no ratio is printed"
    assert re.search(r"to reach|ratio", done.stdout), "nothing says what the ratios should be"
