"""A mirror holds e-mail addresses: its folders are their owner's alone, but for a setting."""

from __future__ import annotations

import errno
import os
import stat
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from a_past import a_flight, write, write_full
from conftest import names
from processes import in_forks

import fleetkit as fk
from fleetkit import mirror
from fleetkit.errors import InvalidValue
from fleetkit.mirror import locations
from fleetkit.mirror.layout import KEYS
from fleetkit.mirror.locations import reason, write_lock
from fleetkit.settings import Settings, load

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def an_open_umask():
    """Let files be open to all by default, as on most machines."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def reachable(path, bits):
    """Return the files that somebody with these rights gets to, folder by folder."""
    paths = []
    for child in sorted(path.iterdir()) if mode_of(path) & bits & 0o011 else []:
        if child.is_dir():
            paths += reachable(child, bits)
        elif mode_of(child) & bits & 0o044:
            paths.append(child)
    return paths


def synced(tiny, path, **settings):
    with fk.connect(tiny.base_url, tiny.api_key, progress=False, **settings) as fleet:
        return fleet.sync(path)


def test_nobody_else_gets_at_a_file_of_a_mirror(tiny, tmp_path):
    path = tmp_path / "new" / "mirror"
    synced(tiny, path)
    assert mode_of(path) == 0o700
    assert {mode_of(path / name) for name in (*KEYS, "syncs")} == {0o700}
    assert reachable(path, 0o077) == []
    assert mode_of(tmp_path / "new") == 0o755


def test_in_a_folder_that_somebody_else_made_the_tables_are_closed(tmp_path):
    path = tmp_path / "mirror"
    path.mkdir(mode=0o755)
    write(path, flights=[a_flight(1)])
    write(path, flights=[a_flight(1, minutes=61), a_flight(2)])
    assert mode_of(path) == 0o755
    assert reachable(path, 0o077) == []


def test_a_setting_lets_a_group_read(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("FLEETKIT_MIRROR_MODE", "750")
    path = tmp_path / "mirror"
    synced(tiny, path)
    assert mode_of(path) == mode_of(path / "flights") == 0o750
    assert reachable(path, 0o007) == []
    assert len(reachable(path, 0o070)) > 8


def test_a_mirror_keeps_the_rights_that_it_has(tmp_path):
    path = tmp_path / "mirror"
    write(path, flights=[a_flight(1)])
    for folder in (path, path / "flights"):
        folder.chmod(0o755)
    write(path, flights=[a_flight(2)])
    assert mode_of(path) == mode_of(path / "flights") == 0o755


@pytest.mark.parametrize("mode", ["777 ", "rwx", "0700", "600"])
def test_what_is_not_a_mode_is_refused(mode):
    with pytest.raises(InvalidValue, match="is not a mode such as 700 or 750"):
        load(environ={"FLEETKIT_MIRROR_MODE": mode})


def test_a_forked_process_is_told_to_be_spawned_and_not_that_its_mirror_is_damaged(tiny, tmp_path):
    synced(tiny, tmp_path / "mirror")

    def refused():
        with pytest.raises(fk.MirrorError) as said:
            fk.open_mirror(tmp_path / "mirror").flights()
        return str(said.value)

    [text] = in_forks(1, refused)
    assert "was forked from one that reads mirrors. Start such processes with multipro" in text
    assert "backup" not in text


def test_a_mirror_that_somebody_may_not_read_is_not_said_to_be_missing(tmp_path):
    path = tmp_path / "mirror"
    write(path, flights=[a_flight(1)])
    path.chmod(0o000)
    user = os.geteuid()
    os.seteuid(user or 65534)  # root may read everything
    try:
        with pytest.raises(fk.MirrorError, match=r"can't be read: permission is denied\. Ask"):
            mirror.open(path)
    finally:
        os.seteuid(user)
        path.chmod(0o700)
    assert mirror.open(path).version == 1


def test_a_table_that_somebody_may_not_read_is_not_said_to_be_damaged():
    every_user_s = os.environ.get("PYTEST_DEBUG_TEMPROOT")
    with TemporaryDirectory(dir=every_user_s) as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "mirror"
        write(path, flights=[a_flight(1)])
        for made in (path, *path.rglob("*")):
            made.chmod(0o755)
        (path / "flights" / "flight_month=2026-09").chmod(0o000)
        user = os.geteuid()
        os.seteuid(user or 65534)  # root may read everything
        try:
            for use in (mirror.verify, partial(write_full, flights=[a_flight(1)])):
                with pytest.raises(fk.MirrorError, match=r"/mirror can't be read: permission is"):
                    use(path)
        finally:
            os.seteuid(user)
            (path / "flights" / "flight_month=2026-09").chmod(0o700)
        assert mirror.verify(path).intact


def test_a_folder_that_cannot_be_written_is_refused_before_the_service_is_asked(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(locations, "LONGEST_WAIT", 0.0)  # nobody is waited for
    (tmp_path / "file").write_text("a file")
    (tmp_path / "link").symlink_to(tmp_path / "unmounted")
    (tmp_path / "flights" / "_delta_log").mkdir(parents=True)
    with fk.connect("http://127.0.0.1:9", "key_abc", progress=False) as unreachable:
        for name, problem in (
            ("file", r"a part of its path is a file\. Name a folder\.$"),
            ("link", f"{tmp_path}/link is a link to a folder that isn't there. Mount"),
            (
                "flights/mirror",
                f"{tmp_path}/flights is a table, .* its own mirror, name {tmp_path};",
            ),
        ):
            with pytest.raises(fk.MirrorError, match=f"can't be written: {problem}"):
                unreachable.sync(tmp_path / name)
    assert not (tmp_path / "flights" / "mirror").exists()


def test_the_mode_of_mirrors_does_not_stand_in_manifests():
    assert "mirror_mode" not in Settings().public()


def test_a_folder_that_can_only_be_read_is_opened_and_not_written(tmp_path):
    if os.getuid() != 0:
        pytest.skip("only root can mount")
    import subprocess

    path = tmp_path / "mirror"
    write(path, flights=[a_flight(1)])
    command = ["mount", "--bind", "-o", "ro", str(path), str(path)]
    if subprocess.call(command, stderr=subprocess.DEVNULL):
        pytest.skip("nothing may be mounted here")
    try:
        assert len(mirror.open(path).table("flights")) == 1
        assert mirror.verify(path).intact
        with pytest.raises(
            fk.MirrorError, match=r"can't be written: it lies on a file system that"
        ):
            write(path, flights=[a_flight(2)])
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)
    assert mirror.open(path).version == 1


def test_a_limit_of_processes_is_no_damage_of_a_mirror():
    said = "OS can't spawn worker thread: Resource temporarily unavailable (os error 11)"
    assert reason(OSError(said), "/data/mirror") == (
        "no thread can be started.",
        "Raise the limit of processes (ulimit -u), or end some.",
    )


@pytest.mark.parametrize("form", ["{} (os error {})", 'Os {{ message: "{}", code: {} }}'])
@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("ENOSPC", "EDQUOT"), "there is no room left."),
        (("EFBIG",), "a file would be too large."),
        (("EACCES", "EPERM"), "permission is denied."),
        (("EROFS",), "it lies on a file system that is read-only."),
        (("EMFILE", "ENFILE"), "too many files are open."),
        (("EAGAIN",), "no thread can be started."),
        (("ENAMETOOLONG",), "its path is too long."),
        (("EIO",), "the disk, or the connection to it, has a fault."),
        (("ESTALE", "ENOTCONN", "ETIMEDOUT"), "the drive that it lies on doesn't answer."),
        (("EOPNOTSUPP",), "its file system can't do what a mirror needs, such as hard links."),
        (("ENOTDIR",), None),
    ],
)
def test_why_a_folder_fails_is_told_in_our_words_however_the_number_is_written(names, words, form):
    for number in (getattr(errno, name) for name in names):
        for said in (form.format("odd", number), f"[Errno {number}] odd"):
            assert (words is None) == (reason(OSError(said), "/data/mirror")[1] == "")
            assert words in {None, reason(OSError(said), "/data/mirror")[0]}
        # A message that says it without the number.
        assert words in {None, reason(OSError(os.strerror(number)), "/data/mirror")[0]}


def test_rust_s_debug_output_is_told_in_the_system_s_words():
    said = 'Os { code: 20, kind: NotADirectory, message: "x" }'
    assert reason(OSError(said), "/data/mirror") == ("Not a directory.", "")


def test_a_folder_is_made_for_a_sync_and_removed_where_nothing_was_written(tmp_path):
    for name in ("a/new/empty", "written", "own"):
        (tmp_path / "own").mkdir(exist_ok=True)
        with write_lock(tmp_path / name, mode=0o750):
            assert (mode_of(tmp_path / name) == 0o750) == (name != "own")
            if name == "written":
                (tmp_path / name / "syncs").mkdir()
    assert names(tmp_path) == ["own", "written"]
