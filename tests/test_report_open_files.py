"""A report asks the system for as many open files as it needs, or says how many it may have."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("resource")

FEW = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 64))
from fleetkit.errors import ReportError
from fleetkit.reports.kernels import kernels
try:
    kernels().__enter__()
except ReportError as error:
    print(error, resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.slow
def test_a_low_limit_is_raised_as_far_as_it_may_be_and_a_report_says_what_it_needs():
    ended = subprocess.run([sys.executable, "-c", FEW], capture_output=True, text=True, check=True)
    assert ended.stdout == (
        "A report needs 128 files open at once, and this process may have 64. "
        "Raise the limit: ulimit -n 1024. (64, 64)\n"
    )
