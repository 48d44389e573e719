"""A folder appears whole or not at all."""

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from pathlib import Path

import pytest
from conftest import names
from interrupting import interrupt_at, lines_of
from processes import open_files

from fleetkit import locks
from fleetkit.reports import archives, folders
from fleetkit.reports.folders import replaced


def test_a_new_folder_takes_the_place_of_the_old_one(tmp_path):
    for text in ("old", "new"):
        with replaced(tmp_path / "2026-10") as folder:
            (folder / "report.html").write_text(text)
    assert (tmp_path / "2026-10" / "report.html").read_text() == "new"
    assert names(tmp_path) == ["2026-10"]


def test_whichever_line_of_a_swap_ctrl_c_interrupts_a_whole_folder_is_in_its_place(tmp_path):
    new, final = tmp_path / ".2026-10.0123abcd", tmp_path / "2026-10"

    def swap():
        for folder in (new, final):
            folder.mkdir(exist_ok=True)
            (folder / "report.html").write_text(folder.name)
        folders._swap(new, final)

    swap()  # what pathlib remembers from the first time on is not run again
    for line in lines_of(swap, "/reports/folders.py", "/pathlib"):
        assert isinstance(interrupt_at(line, swap), KeyboardInterrupt)
        assert final.joinpath("report.html").read_text() in {final.name, new.name}, line
        shutil.rmtree(tmp_path / f"{new.name}.old", ignore_errors=True)


def test_where_nothing_is_written_the_folders_made_for_it_are_gone_again(tmp_path):
    (tmp_path / "own").mkdir()
    for place in (tmp_path / "own", tmp_path / "new" / "reports"):
        with pytest.raises(ZeroDivisionError), replaced(place / "2026-10"):
            (place / "nowhere" / str(1 / 0)).touch()
    assert names(tmp_path) == ["own"]


def test_what_a_user_put_beside_a_report_is_kept_and_the_rest_of_the_old_one_is_not(tmp_path):
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("old")
        (folder / "report.pdf").write_text("old")
        (folder / "manifest.json").write_text('{"files": {"report.html": "", "report.pdf": ""}}')
    (tmp_path / "2026-10" / "signed").mkdir()
    (tmp_path / "2026-10" / "signed" / "report.pdf").write_text("with a signature")
    os.utime(tmp_path / "2026-10" / "signed" / "report.pdf", (1_790_000_000, 1_790_000_000))
    notes = tmp_path / "2026-10" / "data" / "mine" / "notes.txt"  # among ours, which name them not
    notes.parent.mkdir(parents=True)
    notes.write_text("mine")
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("new")
    assert names(tmp_path / "2026-10") == ["data", "report.html", "signed"]
    assert notes.read_text() == "mine"
    assert (tmp_path / "2026-10" / "report.html").read_text() == "new"
    assert (tmp_path / "2026-10" / "signed" / "report.pdf").read_text() == "with a signature"
    assert (tmp_path / "2026-10" / "signed" / "report.pdf").stat().st_mtime == 1_790_000_000


def test_links_that_a_user_put_beside_a_report_stay_links_to_files_to_folders_and_to_nothing(
    tmp_path,
):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "roof.jpg").write_text("a roof")
    places = {"all": "../photos", "roof": "../photos/roof.jpg", "gone": "../signed"}
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "manifest.json").write_text('{"files": {}}')
    for name, place in places.items():
        (tmp_path / "2026-10" / name).symlink_to(place)
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("new")
    kept = {name: str((tmp_path / "2026-10" / name).readlink()) for name in places}
    assert kept == places
    assert (tmp_path / "2026-10" / "all" / "roof.jpg").read_text() == "a roof"


def test_a_file_of_a_new_report_is_not_kept_from_the_old_folder(tmp_path):
    for text in ("old", "new"):
        with replaced(tmp_path / "2026-10") as folder:
            (folder / "manifest.json").write_text('{"files": {}}')
            (folder / "flights.csv").write_text(text)
    assert (tmp_path / "2026-10" / "flights.csv").read_text() == "new"


@pytest.mark.parametrize("manifest", [None, "{", "{}", "[]"])
def test_without_a_manifest_that_can_be_read_the_parts_of_the_old_report_go_alone(
    tmp_path, manifest
):
    ours = ["report.html", "report.pdf", "data/report.xlsx", "sections/own/section.json"]
    with replaced(tmp_path / "2026-10") as folder:
        for name in [*ours, "notebooks/own.ipynb", "notes.txt", "signed/report.pdf"]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("old")
        if manifest is not None:
            (folder / "manifest.json").write_text(manifest)
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("new")
    assert names(tmp_path / "2026-10") == ["notes.txt", "report.html", "signed"]
    assert names(tmp_path / "2026-10" / "signed") == ["report.pdf"]


def test_all_of_an_old_section_goes(tmp_path):
    for file in ("old.svg", "new.svg"):
        with replaced(tmp_path / "flight_hours") as folder:
            (folder / "section.json").write_text("{}")
            (folder / file).write_text("a chart")
    assert names(tmp_path / "flight_hours") == ["new.svg", "section.json"]


@pytest.mark.parametrize("name", ["manifest.json", "report.html", "report.pdf", "section.json"])
def test_each_file_that_a_report_or_a_section_is_known_by_lets_it_be_replaced(tmp_path, name):
    final = tmp_path / "reports" / "of 2026" / "2026-10"
    for text in ("old", "new"):
        with replaced(final) as folder:
            (folder / name).write_text(text)
    assert (final / name).read_text() == "new"


def test_a_failure_leaves_the_old_folder_and_nothing_else(tmp_path):
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("old")
    with pytest.raises(FileNotFoundError), replaced(tmp_path / "2026-10") as folder:
        (folder / "missing").read_text()
    assert (tmp_path / "2026-10" / "report.html").read_text() == "old"
    assert names(tmp_path) == ["2026-10"]


def test_a_folder_as_bytes_holds_what_its_links_lead_to_and_writes_nothing_outside(tmp_path):
    (tmp_path / "flights.csv").write_text("fl_1")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "data.csv").symlink_to(tmp_path / "flights.csv")
    content = archives.packed(tmp_path / "out")
    (tmp_path / "flights.csv").unlink()
    archives.unpack(content, tmp_path / "copy")
    assert (tmp_path / "copy" / "data.csv").read_text() == "fl_1"
    with io.BytesIO() as file:
        with tarfile.open(fileobj=file, mode="w") as archive:
            archive.addfile(tarfile.TarInfo("../evil.csv"))
        with pytest.raises(tarfile.OutsideDestinationError):
            archives.unpack(file.getvalue(), tmp_path / "copy")
    assert names(tmp_path) == ["copy", "out"]


def test_the_old_folder_is_put_back_when_the_new_one_can_not_take_its_place(tmp_path):
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("old")
    with pytest.raises(FileNotFoundError), replaced(tmp_path / "2026-10") as folder:
        shutil.rmtree(folder)  # so that the second of the two renames fails
    assert (tmp_path / "2026-10" / "report.html").read_text() == "old"
    assert names(tmp_path) == ["2026-10"]


def test_two_at_once_do_not_disturb_each_other(tmp_path):
    with replaced(tmp_path / "2026-10") as one, replaced(tmp_path / "2026-10") as two:
        (one / "report.html").write_text("one")
        (two / "report.html").write_text("two")
    assert (tmp_path / "2026-10" / "report.html").read_text() == "one"
    assert names(tmp_path) == ["2026-10"]


def killed_while_building(final):
    """Build in a process of its own that dies at once, as `kill -9` would have it."""
    code = (
        "import os, sys, pathlib; from fleetkit.reports.folders import replaced\n"
        "with replaced(pathlib.Path(sys.argv[1])) as folder:\n"
        "    (folder / 'report.html').write_text('half'); os._exit(9)"
    )
    return subprocess.run([sys.executable, "-c", code, str(final)], check=False).returncode


@pytest.mark.slow
def test_what_a_killed_run_left_is_swept_by_the_next(tmp_path):
    assert killed_while_building(tmp_path / "2026-10") == 9
    assert len(names(tmp_path)) == 1
    before = open_files()
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("new")
    assert names(tmp_path) == ["2026-10"]
    assert open_files() <= before


def test_where_there_are_no_locks_what_another_run_may_still_build_stays(tmp_path, no_locks):
    (tmp_path / ".2026-10.0123abcd").mkdir()
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").touch()
    assert names(tmp_path) == [".2026-10.0123abcd", "2026-10"]


def test_what_was_moved_aside_when_a_run_was_killed_is_put_back(tmp_path):
    aside = tmp_path / ".2026-10.0a1b2c3d.old"
    aside.mkdir()
    (aside / "report.html").write_text("old")
    with pytest.raises(RuntimeError), replaced(tmp_path / "2026-10"):
        raise RuntimeError
    assert (tmp_path / "2026-10" / "report.html").read_text() == "old"


def test_what_was_moved_aside_is_swept_where_its_place_is_taken_again_whatever_its_name(tmp_path):
    final = tmp_path / "Fjord [x]"
    for left in (final, tmp_path / ".Fjord [x].0a1b2c3d.old", tmp_path / ".Fjord [x].0a1b2c3d"):
        left.mkdir()
        (left / "report.html").write_text(left.name)
    with pytest.raises(RuntimeError), replaced(final):
        raise RuntimeError
    assert names(tmp_path) == ["Fjord [x]"]
    assert (final / "report.html").read_text() == "Fjord [x]"


@pytest.mark.skipif(not locks.SUPPORTED, reason="there are no locks to wait for")
def test_a_report_that_is_ready_waits_for_whoever_is_changing_folders_beside_it(tmp_path):
    ready, go_on = threading.Event(), threading.Event()

    def build():
        with replaced(tmp_path / "2026-10") as folder:
            (folder / "report.html").write_text("new")
            ready.set()
            go_on.wait(30)

    builder = threading.Thread(target=build)
    builder.start()
    assert ready.wait(30)
    with locks.locked(tmp_path):
        go_on.set()
        builder.join(0.2)
        assert (builder.is_alive(), (tmp_path / "2026-10").exists()) == (True, False)
    builder.join(30)
    assert (tmp_path / "2026-10" / "report.html").read_text() == "new"


def test_what_fleetkit_did_not_make_is_never_replaced(tmp_path):
    (tmp_path / "2026-10").mkdir()
    (tmp_path / "2026-10" / "photo.jpg").write_text("a photo")
    (tmp_path / "2026-09").write_text("a file")
    (tmp_path / ".2026-10.backup").mkdir()
    for name, problem in (("2026-10", "holds other files"), ("2026-09", "Not a directory")):
        with pytest.raises(OSError, match=problem), replaced(tmp_path / name):
            pass
    assert (tmp_path / "2026-10" / "photo.jpg").read_text() == "a photo"
    assert names(tmp_path) == [".2026-10.backup", "2026-09", "2026-10"]


@pytest.fixture
def as_a_user(tmp_path):
    """Be somebody whom permissions hold back, in a folder of theirs; root may write everything."""
    if not hasattr(os, "geteuid"):
        pytest.skip("permissions of another kind")
    user = os.geteuid()
    # pytest's own folders are closed to others, and so may the one be that TMPDIR names.
    with tempfile.TemporaryDirectory(dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")) as folder:
        place = Path(folder)
        os.chown(place, user or 65534, -1)
        os.seteuid(user or 65534)
        try:
            yield place
        finally:
            os.seteuid(user)


def test_a_write_protected_report_is_not_replaced(as_a_user):
    with replaced(as_a_user / "2026-10") as folder:
        (folder / "report.html").write_text("signed off")
    (as_a_user / "2026-10").chmod(0o555)
    with (
        pytest.raises(PermissionError, match="the folder is write-protected"),
        replaced(as_a_user / "2026-10"),
    ):
        pass
    assert names(as_a_user) == ["2026-10"]
    assert (as_a_user / "2026-10" / "report.html").read_text() == "signed off"


def test_nothing_of_an_old_report_is_left_where_a_user_s_folder_in_it_is_write_protected(as_a_user):
    for _ in range(2):
        with replaced(as_a_user / "2026-10") as folder:
            (folder / "manifest.json").write_text('{"files": {}}')
        signed = as_a_user / "2026-10" / "signed"
        signed.mkdir(exist_ok=True)
        (signed / "report.pdf").write_text("with a signature")
        signed.chmod(0o555)
    with replaced(as_a_user / "2026-10") as folder:
        (folder / "report.html").write_text("new")
    assert names(as_a_user) == ["2026-10"]
    assert names(as_a_user / "2026-10") == ["report.html", "signed"]


def test_a_link_is_replaced_and_what_it_leads_to_is_left(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "report.html").write_text("old")
    (tmp_path / "2026-10").symlink_to("elsewhere")
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("new")
    assert (tmp_path / "2026-10" / "report.html").read_text() == "new"
    assert (tmp_path / "elsewhere" / "report.html").read_text() == "old"
    assert names(tmp_path) == ["2026-10", "elsewhere"]


def test_the_new_folder_is_as_open_to_others_as_any(tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()
    with replaced(tmp_path / "2026-10"):
        pass
    assert (tmp_path / "2026-10").stat().st_mode == plain.stat().st_mode


def test_what_its_user_closed_to_others_stays_closed_while_it_is_made_and_after(tmp_path):
    def modes(folder):
        return [f"{path.stat().st_mode & 0o777:o}" for path in (folder, *sorted(folder.iterdir()))]

    report = tmp_path / "2026-10"
    for _ in range(2):
        with replaced(report) as folder:
            made = modes(folder)
            for name in ("manifest.json", "report.html"):
                (folder / name).write_text("{}")
        report.chmod(0o750)
        (report / "report.html").chmod(0o600)
        (report / "signed.pdf").touch(0o400)
    assert made == ["750"]
    with replaced(report) as folder:
        (folder / "report.html").write_text("new")
    assert modes(report) == ["750", "600", "400"]
