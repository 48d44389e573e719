"""Locks on folders: one process at a time, and until that process ends."""

import os
import re
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from types import SimpleNamespace

import pytest
from a_service import assert_in_step
from interrupting import interrupt_at, lines_of
from processes import in_forks

import fleetkit as fk
from fleetkit import locks
from fleetkit.mirror import locations

HOLD = """
import sys
from pathlib import Path
from fleetkit import locks
lock = locks.Lock()
print(lock.acquire(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""
# The same, by a process that ends at once and leaves a fork of itself, which says so.
FORK = "import os; os.fork() or print(0, flush=True) or sys.stdin.read()"
HOLD_AND_FORK = HOLD.replace("sys.stdin.read()", FORK)


def running(code, folder):
    """Start a process that is told of a folder, and is written to and read from."""
    command = [sys.executable, "-c", code, str(folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_folder_is_locked_by_one_process_until_that_one_is_killed(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(locks, "SILENT", 0.0)
    with running(HOLD, tmp_path) as holder:
        assert holder.stdout.readline() == "True\n"
        with pytest.raises(locks.Held):
            locks.Lock().acquire(tmp_path, wait=False)
        assert locks.exist_in(tmp_path)
        lock = locks.Lock()
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(lock.acquire, tmp_path)
            wait([waiting], timeout=0.05)  # it would fail at once if it didn't wait
            holder.kill()
            assert waiting.result(timeout=20)
        holder.wait()
    [said] = caplog.messages
    assert said.startswith(f"Another process has locked the folder {tmp_path}; waiting since ")
    with pytest.raises(locks.Held):
        locks.Lock().acquire(tmp_path, wait=False)
    lock.release()
    assert locks.exist_in(tmp_path)
    with locks.locked(tmp_path, wait=False), pytest.raises(locks.Held):
        locks.Lock().acquire(tmp_path, wait=False)
    assert locks.Lock().acquire(tmp_path, wait=False)


def test_a_lock_ends_when_it_is_released_though_a_process_that_starts_has_a_copy(tmp_path):
    lock = locks.Lock()
    lock.acquire(tmp_path)
    copy = os.dup(lock._descriptor)
    lock.release()
    assert locks.Lock().acquire(tmp_path, wait=False)
    os.close(copy)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_neither_releases_a_lock_nor_holds_it_once_its_parent_has_ended(tmp_path):
    with running(HOLD_AND_FORK, tmp_path) as parent:
        assert (parent.stdout.readline(), parent.stdout.readline()) == ("True\n", "0\n")
        parent.wait()
        lock = locks.Lock()
        lock.acquire(tmp_path, wait=False)  # the fork still reads
    assert in_forks(1, lock.release) == [None]
    with pytest.raises(locks.Held):
        locks.Lock().acquire(tmp_path, wait=False)


def test_whichever_line_of_locking_ctrl_c_interrupts_the_next_sync_finds_no_lock(
    tmp_path, monkeypatch
):
    folder = tmp_path / "mirror"
    monkeypatch.setattr(locations, "LONGEST_WAIT", 0.0)

    def sync():
        with locations.write_lock(folder, mode=0o750):
            sys.settrace(None)  # what ends it isn't interrupted

    lines = lines_of(sync, "/fleetkit/")
    assert len(lines) > 40
    for line in lines:
        problem = interrupt_at(line, sync)  # its traceback refers to all that the sync held
        with locations.write_lock(folder, mode=0o750):
            assert problem is None or isinstance(problem, KeyboardInterrupt)


def test_a_sync_that_waits_for_one_that_fails_makes_the_folder_again(tmp_path, monkeypatch):
    """The first one removes what it made and left empty: the folder and the one that it is in."""
    folder, waits, has_failed = tmp_path / "new" / "mirror", Event(), Event()

    def sleep(_):
        waits.set()
        has_failed.wait()

    def wait():
        with locations.write_lock(folder, mode=0o750):
            return stat.S_IMODE(folder.stat().st_mode)

    monkeypatch.setattr(locks, "time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))
    with ThreadPoolExecutor(1) as pool:
        with locations.write_lock(folder, mode=0o700):  # and writes nothing
            second = pool.submit(wait)
            waits.wait()
        has_failed.set()
        assert second.result(timeout=20) == 0o750
    assert not (tmp_path / "new").exists()


def test_a_folder_that_was_removed_and_made_again_is_not_the_one_that_is_locked(tmp_path):
    folder, lock, is_of = tmp_path / "mirror", locks.Lock(), []
    folder.mkdir()
    lock.acquire(folder)
    for change in (folder.exists, folder.rmdir, folder.mkdir):
        change()
        is_of.append(lock.is_of(folder))
    assert is_of == [True, False, False]
    lock.release()


def test_a_sync_says_once_what_it_waits_for_and_since_when(tmp_path, monkeypatch, caplog):
    """Of two syncs, the second finds the folder locked at each of its attempts."""
    monkeypatch.setattr(locks, "SILENT", 0.0)
    monkeypatch.setattr(locations, "LONGEST_WAIT", 0.3)
    writing = locations.write_lock(tmp_path, mode=0o750)
    refused = pytest.raises(fk.MirrorError, match="Another sync has been at work")
    with locks.locked(tmp_path), refused, writing:
        pass
    [said] = caplog.messages
    assert re.fullmatch(
        f"Another sync is at work on the mirror {tmp_path}; waiting since [0-9:]{{8}} UTC.", said
    )


@pytest.mark.slow
def test_a_mirror_is_synced_where_the_file_system_has_no_locks(
    tiny, tmp_path, monkeypatch, no_locks
):
    monkeypatch.setattr(locations, "LONGEST_WAIT", 0.0)
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        assert fleet.sync(tmp_path / "mirror").version == 1
    assert_in_step(tmp_path / "mirror", tiny)
