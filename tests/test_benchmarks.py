"""Every benchmark runs with what the tests install; how fast, only a quiet machine can tell."""

import re
import runpy
import sys
import tempfile
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "benchmarks"
BENCHMARKS = sorted(path.name for path in FOLDER.glob("[a-z]*.py"))
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def temporary(tmp_path_factory):
    """Return a folder in which one benchmark finds the mirror that another one made."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture
def tiny(monkeypatch, temporary, tmp_path):
    """Let a benchmark run in this process, which has imported what it needs, at a tiny size."""
    monkeypatch.setenv("FLEETKIT_BENCH_SIZE", "tiny")
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("tiny", "warm_kernels")
@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_runs_at_a_tiny_size_and_prints_what_is_to_reach(name, monkeypatch, capfd):
    monkeypatch.setattr(sys, "argv", [str(FOLDER / name)])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(sys.argv[0], run_name="__main__")
    printed = capfd.readouterr().out
    assert end.value.code == 0, printed
    assert re.search(r"\d\.\d", printed), "no ratio is printed"
    assert re.search(r"to reach|ratio", printed), "nothing says what the ratios should be"
