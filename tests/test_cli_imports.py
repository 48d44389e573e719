"""What the command line leaves out of its libraries' imports."""

import subprocess
import sys

import pytest

from fleetkit.cli.imports import without_module


def test_a_module_is_not_found_in_the_block_and_is_found_after_it():
    sys.modules.pop("this", None)
    with without_module("this"), pytest.raises(ImportError):
        import this  # noqa: F401 - what the test is about
    assert "this" not in sys.modules


def test_a_module_that_is_imported_already_stays():
    with without_module("json"):
        import json
    assert sys.modules["json"] is json


@pytest.mark.slow
def test_a_report_does_not_compile_the_grammar_of_addresses(tmp_path):
    code = (
        "import sys; from fleetkit.cli.program import run\n"
        "run(['report', '--demo', '--sections', 'no_such_section'])\n"
        "print([name for name in ('papermill', 'jsonschema', 'rfc3987_syntax', 'lark')"
        " if name in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "no_such_section" in ended.stderr
    assert ended.stdout == "['papermill', 'jsonschema']\n"
