"""What reports leave out of their libraries' imports."""

import gc
import subprocess
import sys

import pytest

from fleetkit import garbage


@pytest.mark.slow
def test_a_report_does_not_compile_the_grammar_of_addresses_which_is_there_when_it_is_asked(
    tmp_path,
):
    code = (
        "import sys; from fleetkit.cli.program import run\n"
        "run(['report', '--demo', '--sections', 'no_such_section'])\n"
        "print([name for name in ('papermill', 'jsonschema', 'rfc3987_syntax', 'lark')"
        " if name in sys.modules])\n"
        "from jsonschema import FormatChecker\n"
        "print([FormatChecker().conforms(text, 'iri') for text in ('http://ü.example', 'ü')])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "no_such_section" in ended.stderr
    assert ended.stdout == "['papermill', 'jsonschema']\n[True, False]\n"


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["report", "--help"]])
def test_what_counts_nothing_loads_no_pandas(arguments):
    code = (
        f"import atexit, sys; sys.argv[1:] = {arguments}\n"
        "heavy = ('pandas', 'pyarrow', 'numpy', 'narwhals', 'requests', 'papermill')\n"
        "atexit.register(lambda: print([name for name in heavy if name in sys.modules]))\n"
        "from fleetkit.cli import main; main()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines()[-1] == "[]"


def test_what_is_imported_is_left_out_of_garbage_collections_which_go_on():
    before = gc.get_freeze_count()
    with garbage.paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > before
