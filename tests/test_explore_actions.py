"""What an explorer does with what is chosen: it saves it as a view, and makes its report."""

import re
import threading

import pytest
from a_page import settle, words
from processes import no_thread

import fleetkit as fk
from fleetkit import settings
from fleetkit.explore.making import ReportMaker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_kernels")]


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Give a settings file, which this process goes by."""
    monkeypatch.setenv("FLEETKIT_CONFIG", str(tmp_path / "fleetkit.toml"))
    return tmp_path / "fleetkit.toml"


@pytest.fixture(scope="module")
def fleet(tiny, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("actions") / "mirror")
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as live:
        live.sync(path)
    return fk.open_mirror(path)


def send(explorer, **message):
    explorer.screen._handle_custom_msg({"client": "a page", **message}, [])
    settle(explorer)


def test_a_view_that_is_saved_opens_another_explorer(fleet, file):
    explorer = fk.explore.flights(fleet)
    explorer.controls.pilot.value = "prof_bo"
    send(explorer, save=explorer.screen.number, view="bo")
    assert "Saved as --filter @bo" in words(explorer.screen.outcome)
    assert settings.load().views == {"bo": fk.Filter(pilot="prof_bo")}
    assert fk.explore.flights(fleet, "@bo").controls.pilot.value == "prof_bo"


def test_a_view_that_cannot_be_saved_says_why_and_changes_nothing(fleet, file):
    explorer = fk.explore.flights(fleet.where(night=False))
    send(explorer, save=explorer.screen.number, view="<b>")
    assert "&#x27;&lt;b&gt;&#x27; is not a name of a view" in explorer.screen.outcome
    assert not file.exists()


def test_a_reader_of_the_page_saves_no_view_on_the_machine_that_serves_it(fleet, file, tmp_path):
    explorer = fk.explore.flights(fleet)
    explorer.serve_reader(tmp_path / "reports")
    explorer.controls.pilot.value = "prof_bo"
    send(explorer, save=explorer.screen.number, view="bo")
    assert "Views are not saved from this page." in words(explorer.screen.outcome)
    assert not file.exists()


def test_a_reader_of_the_page_gets_the_report_and_hears_of_no_folder(fleet, tmp_path):
    said = []
    maker = ReportMaker(fleet, None, said.append, formats="html", sections=["project_pipeline"])
    maker.send_only(tmp_path / "sent")
    maker.start(fk.Filter(since="2026-10-01", until="2026-11-01")).join(120)
    assert words(said[-1]).startswith("The report of October 2026 is made. Save HTML")
    assert str(tmp_path) not in said[-1]
    assert maker.file("html")[1] == (tmp_path / "sent" / "2026-10" / "report.html").read_bytes()


def test_the_report_of_what_is_chosen_is_made_section_by_section(fleet, tmp_path):
    said = []
    maker = ReportMaker(
        fleet, None, said.append, out=tmp_path, formats="html", sections=["flight_hours"]
    )
    chosen = fk.Filter(pilot="prof_bo", since="2026-10-01", until="2026-11-01")
    thread = maker.start(chosen)
    assert maker.start(chosen) is None  # one at a time
    thread.join(120)
    assert [words(html) for html in said[:3]] == [
        "Making the report: reading the data …",
        "Making the report of October 2026: 0 of 1 sections",
        "Making the report of October 2026: 1 of 1 sections",
    ]
    assert words(said[-1]).startswith("The report of October 2026 is made. It is in")
    assert re.findall(r'data-action="file" data-value="(\w+)"', said[-1]) == ["html"]
    name, content = maker.file("html")
    assert name.startswith("report-2026-10")
    assert "Bo Ødegård" in content.decode()
    assert "Ada Lind" not in content.decode()


def test_a_report_that_fails_says_why_and_the_next_one_may_begin(fleet, tmp_path):
    said = []
    maker = ReportMaker(fleet, None, said.append, out=tmp_path)
    for _ in range(2):
        maker.start(fk.Filter(since="2019-01-01", until="2019-02-01")).join(60)
        assert "The report could not be made: " in said[-1]
        assert "January 2019" in said[-1]


def test_a_report_for_which_no_thread_can_be_started_says_so_and_the_next_one_may_begin(
    fleet, tmp_path, monkeypatch
):
    said = []
    maker = ReportMaker(fleet, None, said.append, out=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        for _ in range(2):
            assert maker.start(fk.Filter()) is None
    assert [words(html) for html in said] == 2 * [
        "The report could not be made: No thread can be started. Raise the limit of processes "
        "(ulimit -u), or end some."
    ]
    maker.start(fk.Filter(since="2019-01-01", until="2019-02-01")).join(60)
    assert "January 2019" in said[-1]


def test_without_a_period_the_report_is_of_the_latest_complete_month(fleet):
    maker = ReportMaker(fleet, None, print)
    assert maker._period(fk.Filter(pilot="prof_bo")) == (fleet.period(), False)
    chosen = fk.Filter(since="2026-10-05", until="2026-10-19")
    assert maker._period(chosen)[0].days == 14
