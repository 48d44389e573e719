"""Temporary folders are gone when their process is, however it ended."""

import os
import subprocess
import sys
import tempfile

import pytest
from processes import open_files

from fleetkit import locks, temporary
from fleetkit.errors import FleetkitError
from fleetkit.temporary import TemporaryFolder

_MAKES = """
from fleetkit.temporary import TemporaryFolder
folder = TemporaryFolder()
(folder.path / "flights").write_text("read")
print(folder.path, flush=True)
input()
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return an empty folder for all temporary ones; the next one made there is the first."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    temporary._sweep.cache_clear()
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(not locks.SUPPORTED, reason="there are no locks that tell who lives")
def test_what_a_killed_process_left_is_removed_by_the_next_and_what_a_living_one_has_is_not(place):
    command = [sys.executable, "-c", _MAKES]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    made = [subprocess.Popen(command, env={"TMPDIR": str(place)}, **pipes) for _ in range(2)]
    killed, living = (process.stdout.readline().strip() for process in made)
    made[0].kill()
    made[0].communicate()
    others = place / "fleetkit-mirror"  # bears another name
    others.mkdir()
    with TemporaryFolder() as own:
        assert sorted(map(str, place.iterdir())) == sorted([living, str(others), str(own)])
    made[1].communicate("\n")
    assert killed not in map(str, place.iterdir())


def test_a_folder_can_be_locked_by_who_uses_it(place):
    before = open_files()
    with TemporaryFolder() as path, locks.locked(path, wait=False) as is_locked:
        assert is_locked is locks.SUPPORTED
    assert not list(place.iterdir())
    assert open_files() <= before


def test_what_another_user_left_stays_and_what_a_link_leads_to(place, monkeypatch):
    for name in ("fleetkit-run-other", "theirs"):
        (place / name).mkdir()
        (place / name / ".lock").touch()
    (place / "fleetkit-run-link").symlink_to(place / "theirs")
    with monkeypatch.context() as other:
        other.setattr(os, "getuid", lambda: place.stat().st_uid + 1)
        TemporaryFolder().remove()
    assert (place / "fleetkit-run-other" / ".lock").exists()
    temporary._sweep.cache_clear()
    TemporaryFolder().remove()
    assert not (place / "fleetkit-run-other").exists()
    assert (place / "theirs" / ".lock").exists()


def test_where_there_are_no_locks_what_another_process_may_still_have_stays(place, no_locks):
    other = place / "fleetkit-run-other" / ".lock"
    other.parent.mkdir()
    other.touch()
    TemporaryFolder().remove()
    assert other.exists()


def test_a_folder_has_a_whole_path_where_that_of_all_temporary_ones_is_relative(place, monkeypatch):
    monkeypatch.chdir(place)
    monkeypatch.setattr(tempfile, "tempdir", ".")
    with TemporaryFolder() as path:
        assert path.parent == place


def test_where_no_temporary_folder_can_be_written_the_variable_that_names_one_is_told(monkeypatch):
    def gettempdir():  # as that of Python does where it finds none
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "gettempdir", gettempdir)
    with pytest.raises(FleetkitError, match=r"can be written to\. Name one .* TMPDIR\."):
        TemporaryFolder()
