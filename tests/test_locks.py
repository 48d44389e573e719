"""Locks on folders: one process at a time, and until that process ends."""

import errno
import re
import subprocess
import sys

import pytest
from a_service import assert_in_step

import fleetkit as fk
from fleetkit import locks
from fleetkit.mirror import locations

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
        with pytest.raises(locks.Held):
            locks.acquire(tmp_path, wait=False)
        assert locks.exist_in(tmp_path)
        holder.kill()
        holder.wait()
        lock = locks.acquire(tmp_path, wait=False)
    assert lock is not None
    with pytest.raises(locks.Held):
        locks.acquire(tmp_path, wait=False)
    locks.release(lock)
    assert locks.acquire(tmp_path, wait=False) is not None


def test_a_sync_says_once_what_it_waits_for_and_since_when(tmp_path, monkeypatch, caplog):
    """Of two syncs, the second finds the folder locked at each of its attempts."""
    monkeypatch.setattr(locations, "SILENT", 0.0)
    monkeypatch.setattr(locations, "LONGEST_WAIT", 0.3)
    lock = locks.acquire(tmp_path)
    writing = locations.write_lock(tmp_path, mode=0o750)
    with pytest.raises(fk.MirrorError, match="Another sync has been at work"), writing:
        pass
    locks.release(lock)
    [said] = caplog.messages
    assert re.fullmatch(
        f"Another sync is at work on the mirror {tmp_path}; waiting since [0-9:]{{8}} UTC.", said
    )


@pytest.mark.slow
def test_a_mirror_is_synced_where_the_file_system_has_no_locks(tiny, tmp_path, monkeypatch):
    def flock(descriptor, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)
    monkeypatch.setattr(locations, "LONGEST_WAIT", 0.0)
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        assert fleet.sync(tmp_path / "mirror").version == 1
    assert_in_step(tmp_path / "mirror", tiny)
