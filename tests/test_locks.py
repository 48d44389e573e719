"""Locks on folders: one process at a time, and until that process ends."""

import subprocess
import sys

from fleetkit import locks

HOLD = """
import sys
from pathlib import Path
from fleetkit import locks
print(locks.acquire(Path(sys.argv[1])) is not None, flush=True)
sys.stdin.read()
"""


def test_a_folder_is_locked_by_one_process_until_that_one_is_killed(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout.readline() == "True\n"
        assert locks.acquire(tmp_path, wait=False) is None
        holder.kill()
        holder.wait()
        lock = locks.acquire(tmp_path, wait=False)
    assert lock is not None
    assert locks.acquire(tmp_path, wait=False) is None
    locks.release(lock)
    assert locks.acquire(tmp_path, wait=False) is not None
