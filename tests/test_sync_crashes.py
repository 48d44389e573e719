"""A sync is all or nothing: killed at any moment, without space, beside another one.

The server is real and its organisation goes on living between the syncs.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from tempfile import gettempdir

import pytest
from a_service import assert_in_step, assert_same, mirrored, served_whole
from a_sync_process import SyncProcess
from an_organisation import Organisation, Service
from conftest import leave
from deltalake import DeltaTable

import fleetkit as fk
from fleetkit import mirror
from fleetkit.errors import MirrorError

pytestmark = pytest.mark.slow

# Kills at random moments, 10 in all; the first of each is sure to come before anything is written.
FIRST, INCREMENTAL, FULL = 3, 4, 3
# A small organisation: what is written of each table matters, not how much.
SMALL = {"equipment": 6, "flights": 30, "projects": 6}


@pytest.fixture
def stack():
    with ExitStack() as stack:
        yield stack


def sync(service, path, **options):
    with fk.connect(service.served.base_url, service.served.api_key, progress=False) as fleet:
        return fleet.sync(path, **options)


def durations_of(service, path, **options):
    """Return how long a sync reads and how long it writes where nobody kills it, in [s]."""
    process = SyncProcess(service.served, path, **options)
    process.wait_for("reading")
    begun = time.monotonic()
    process.wait_for("writing")
    writing = time.monotonic()
    process.wait_for("done")
    done = time.monotonic()
    process.join()
    return {"reading": writing - begun, "writing": done - writing}


def kill(number, longest, chance, service, path, **options):
    """Start a sync and kill it: at a random moment of writing, each fourth one of reading."""
    phase = "reading" if number % 4 == 3 else "writing"
    process = SyncProcess(service.served, path, halts=number == 0, **options)
    process.wait_for(phase)
    time.sleep(chance.uniform(0, 1.1 * longest[phase]))
    process.kill()


def version_of(path):
    """Return the newest version; 0 where no sync was ever finished."""
    try:
        return mirror.open(path).version
    except MirrorError as problem:
        if not re.match("There is no mirror at|The first sync into .* was never", str(problem)):
            raise
        return 0


def test_a_first_sync_that_is_killed_leaves_a_whole_mirror_or_none(stack, tmp_path):
    chance, service = random.Random(1), Service(stack, Organisation(1, **SMALL))
    longest = durations_of(service, tmp_path / "whole")
    versions = []
    for number in range(FIRST):
        path = tmp_path / str(number)
        kill(number, longest, chance, service, path)
        versions.append(version_of(path))
        if versions[-1]:
            assert_in_step(path, service.served)
        service.publish(steps=20)
        assert sync(service, path).version == versions[-1] + 1
        assert_in_step(path, service.served)
    assert versions[0] == 0


@pytest.mark.parametrize(("full", "kills"), [(False, INCREMENTAL), (True, FULL)])
def test_a_sync_that_is_killed_leaves_the_state_before_or_after(stack, tmp_path, full, kills):
    chance, service = random.Random(2), Service(stack, Organisation(2, **SMALL))
    options = {"full": full, "audit": 0}
    sync(service, tmp_path)
    recorded = [served_whole(service.served)]
    service.publish(steps=20)
    longest = durations_of(service, tmp_path, **options)
    recorded.append(served_whole(service.served))
    for number in range(kills):
        service.publish(steps=chance.choice((1, 20)))
        now = served_whole(service.served)
        kill(number, longest, chance, service, tmp_path, **options)
        version = version_of(tmp_path)
        assert version - len(recorded) in {0, 1}
        if version > len(recorded):
            assert number > 0
            recorded.append(now)
        assert_same(mirrored(tmp_path), recorded[-1])
        if chance.random() < 0.5:  # else what the next one left lies on top of it
            assert sync(service, tmp_path, **options).version == version + 1
            recorded.append(now)
    report = sync(service, tmp_path, **options)
    assert_in_step(tmp_path, service.served)
    assert {name: table.rows for name, table in report.tables.items()} == {
        name: len(frame) for name, frame in mirrored(tmp_path).items()
    }
    assert report.fingerprint == sync(service, tmp_path / "new").fingerprint
    for version, frames in enumerate(recorded, 1):
        assert_same(mirrored(tmp_path, version), frames)


# -- no space ---------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [True, False])
def test_a_sync_without_space_says_so_and_leaves_the_state_before(
    stack, small_disk, tmp_path, first
):
    """Where no disk can be made, files that may not grow stand for one that is full."""
    service = Service(stack, Organisation(3))
    path = (small_disk or tmp_path) / "mirror"
    if not first:
        sync(service, path)
        service.publish(steps=60)
    known = None if first else mirrored(path)
    # Room for nothing; for some tables; for all but the sync's own row and a little more.
    failed = 0
    for kilobytes in (0, 32, 96):
        filler = leave(small_disk, kilobytes) if small_disk else None
        limit = None if small_disk else 1024 * (1 + kilobytes // 12)
        process = SyncProcess(service.served, path, largest_file=limit)
        said = process.wait_for("done")
        process.join()
        if isinstance(said, int):  # it found room
            break
        failed += 1
        assert said == (
            f"The mirror {path} can't be written: there is no room left. Make room, and sync again."
        )
        if filler:
            filler.unlink()
        assert version_of(path) == (0 if first else 1)
        if not first:
            assert_same(mirrored(path), known)
    assert failed >= 2
    sync(service, path)
    assert_in_step(path, service.served)
    if not first:
        assert_same(mirrored(path, version=1), known)


def test_the_command_says_in_one_line_that_there_is_no_space(stack, small_disk):
    """Whatever the libraries print of it, also when the process ends, is left out."""
    if small_disk is None:
        pytest.skip("nothing may be mounted here")
    service, path = Service(stack, Organisation(7)), small_disk / "mirror"
    sync(service, path)
    service.publish(steps=60)
    command = [sys.executable, "-m", "fleetkit", "sync", str(path), "--base-url"]
    known = {**os.environ, "FLEETKIT_API_KEY": service.served.api_key, "RUST_BACKTRACE": "1"}
    filler = leave(small_disk, 32)
    done = subprocess.run(
        [*command, service.served.base_url],
        capture_output=True,
        text=True,
        env=known,
        check=False,
    )
    filler.unlink()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"fleetkit: The mirror {path} can't be written: there is no room left. Make room, and "
        "sync again.\n"
    )
    assert version_of(path) == 1
    filler, workbook = leave(small_disk, 0), small_disk / "e" / "fleet.xlsx"
    command = [
        sys.executable,
        "-m",
        "fleetkit",
        "export",
        "--mirror",
        str(path),
        "--format",
        "xlsx",
    ]
    done = subprocess.run(
        [*command, "--out", str(workbook.parent)], capture_output=True, text=True, check=False
    )
    filler.unlink()
    said = f"{workbook} can't be written: No space left on device. Choose another folder, or make"
    assert done.stderr == f"fleetkit: {said} room there and in {gettempdir()}.\n"


# -- at once ----------------------------------------------------------------------------------


def test_two_syncs_at_once_both_finish_one_after_the_other(stack, tmp_path):
    service = Service(stack, Organisation(4))
    recorded = []
    for _ in range(2):
        service.publish(steps=40)
        both = [SyncProcess(service.served, tmp_path) for _ in range(2)]
        versions = [opened.wait_for("done") for opened in both]
        for opened in both:
            opened.join()
        assert sorted(versions) == [len(recorded) + 1, len(recorded) + 2]
        recorded += 2 * [served_whole(service.served)]
        assert_same(mirrored(tmp_path), recorded[-1])
    for version, frames in enumerate(recorded, 1):
        assert_same(mirrored(tmp_path, version), frames)


def test_syncs_that_begin_before_and_after_a_change_lose_nothing(stack, tmp_path):
    service = Service(stack, Organisation(5))
    sync(service, tmp_path)
    early = SyncProcess(service.served, tmp_path, audit=0)
    early.wait_for("reading")
    service.publish(steps=15)
    late = SyncProcess(service.served, tmp_path, audit=0)
    versions = sorted(opened.wait_for("done") for opened in (early, late))
    for opened in (early, late):
        opened.join()
    assert versions == [2, 3]
    assert sync(service, tmp_path, audit=0).version == 4
    assert_in_step(tmp_path, service.served)


def test_a_reader_sees_its_state_while_later_syncs_join_and_delete_files(
    stack, tmp_path, monkeypatch
):
    monkeypatch.setattr("fleetkit.mirror.writing.MOST_FILES", 0)
    service = Service(stack, Organisation(6, **SMALL))
    sync(service, tmp_path)
    service.publish(steps=20)
    sync(service, tmp_path)
    reader, expected = mirror.open(tmp_path), mirrored(tmp_path)

    def later_syncs():
        for _ in range(2):
            service.publish(steps=20)
            sync(service, tmp_path)

    syncing = threading.Thread(target=later_syncs)
    syncing.start()
    looks = 0
    while syncing.is_alive() or not looks:
        assert_same({name: reader.table(name) for name in expected}, expected)
        looks += 1
    syncing.join()
    done = [commit["operation"] for commit in DeltaTable(tmp_path / "flights").history()]
    assert "OPTIMIZE" in done
    assert_same({name: reader.table(name) for name in expected}, expected)
    assert_in_step(tmp_path, service.served)
