"""A folder appears whole or not at all."""

import io
import shutil
import subprocess
import sys
import tarfile

import pytest

from fleetkit.reports import archives
from fleetkit.reports.folders import replaced


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_new_folder_takes_the_place_of_the_old_one(tmp_path):
    for text in ("old", "new"):
        with replaced(tmp_path / "2026-10") as folder:
            (folder / "report.html").write_text(text)
    assert (tmp_path / "2026-10" / "report.html").read_text() == "new"
    assert names(tmp_path) == ["2026-10"]


def test_what_a_user_put_beside_a_report_is_kept_and_the_rest_of_the_old_one_is_not(tmp_path):
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("old")
        (folder / "report.pdf").write_text("old")
        (folder / "manifest.json").write_text('{"files": {"report.html": "", "report.pdf": ""}}')
    (tmp_path / "2026-10" / "signed").mkdir()
    (tmp_path / "2026-10" / "signed" / "report.pdf").write_text("with a signature")
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("new")
    assert names(tmp_path / "2026-10") == ["report.html", "signed"]
    assert (tmp_path / "2026-10" / "report.html").read_text() == "new"
    assert (tmp_path / "2026-10" / "signed" / "report.pdf").read_text() == "with a signature"


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
    with replaced(tmp_path / "2026-10") as folder:
        (folder / "report.html").write_text("new")
    assert names(tmp_path) == ["2026-10"]


def test_what_was_moved_aside_when_a_run_was_killed_is_put_back(tmp_path):
    aside = tmp_path / ".2026-10.0a1b2c3d.old"
    aside.mkdir()
    (aside / "report.html").write_text("old")
    with pytest.raises(RuntimeError), replaced(tmp_path / "2026-10"):
        raise RuntimeError
    assert (tmp_path / "2026-10" / "report.html").read_text() == "old"


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
