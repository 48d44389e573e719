"""Where a report is: as links in a notebook, and opened in a browser."""

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

import fleetkit as fk
from fleetkit.reports import Paths


def links(paths):
    return re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', paths._repr_html_())


def test_the_result_of_a_report_shows_links_relative_to_the_notebook(tmp_path, monkeypatch):
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    folder = tmp_path / "reports" / "2026-10"
    paths = Paths(folder / "report.html", folder / "report.pdf", folder / "manifest.json")
    assert links(paths) == [
        ("../reports/2026-10/report.html", "report.html"),
        ("../reports/2026-10/report.pdf", "report.pdf"),
        ("../reports/2026-10/manifest.json", "manifest.json"),
    ]


def test_a_format_that_was_not_asked_for_has_no_link():
    folder = Path("reports/2026-10")
    paths = Paths(folder / "report.html", None, folder / "manifest.json")
    assert [name for _, name in links(paths)] == ["report.html", "manifest.json"]


def test_a_folders_name_cannot_leave_its_link():
    folder = Path('<b>"&%41/?#')
    paths = Paths(folder / "report.html", None, folder / "manifest.json")
    assert unescape(links(paths)[0][0]) == "%3Cb%3E%22%26%2541/%3F%23/report.html"
    assert "<b>" not in paths._repr_html_()


@pytest.mark.slow
def test_a_report_opens_in_the_browser(tmp_path):
    (tmp_path / "report.html").write_text("<p>report</p>")
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    code = (
        "from pathlib import Path; from fleetkit.reports import Paths; "
        "Paths(Path('report.html'), None, Path('manifest.json')).open()"
    )
    environ = {**os.environ, "BROWSER": str(browser)}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environ, check=True)
    assert opened.read_text().strip() == (tmp_path / "report.html").as_uri()


def test_a_report_that_is_gone_does_not_open():
    with pytest.raises(fk.ReportError, match=r"report\.html does not exist any more"):
        Paths(Path("report.html"), None, Path("manifest.json")).open()
