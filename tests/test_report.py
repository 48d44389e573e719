"""A report: whole or not at all, the same from the same data, without the key."""

import copy
import errno
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import a_notebook
import nbformat
import openpyxl
import pytest
from a_notebook import notebook
from a_past import a_flight as a_past_flight
from a_past import write
from conftest import TINY, leave, names, serving
from pypdf import PdfReader

import fleetkit as fk
from fleetkit import mirror as mirrors
from fleetkit import schema, tables
from fleetkit.branding import Branding
from fleetkit.errors import InvalidValue, ReportError
from fleetkit.reports import build
from fleetkit.reports.subject import Subject
from fleetkit.settings import Settings
from fleetkit.time import Period

pytestmark = pytest.mark.usefixtures("warm_kernels")

OCTOBER = Period.read("2026-10")
SECTIONS = ("flight_hours", "equipment_condition", "project_pipeline", "pricing")
SETTINGS = Settings(organisation="Nordic Drone Services")
FLIGHTS_ONLY = {"sections": "flight_hours", "formats": ["html"], "settings": SETTINGS}


def empty_mirror(path, missing=()):
    """Write a mirror without a row; `missing` tables lack their scope."""
    frames = {name: tables.empty(name) for name in schema.TABLES if name not in missing}
    lacking = dict.fromkeys(missing, "project:read")
    mirrors.write(str(path), frames, source="", tz="UTC", requests=0, missing=lacking)
    return fk.open_mirror(path)


@pytest.fixture
def fleet(tmp_path):
    return empty_mirror(tmp_path / "mirror")


def made(fleet, tmp_path, **options):
    """Make a report of the test's own notebooks, and of no other."""
    own = tmp_path / "notebooks"
    return fk.report(
        "2026-10",
        fleet=fleet,
        notebooks=own,
        sections=[path.stem for path in sorted(own.glob("*.ipynb"))],
        settings=SETTINGS,
        **{"allow_empty": True, "out": tmp_path / "reports", **options},
    )


@pytest.mark.slow
def test_a_report_is_html_pdf_working_papers_and_a_manifest(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "flight_hours")
    paths = made(fleet, tmp_path)
    assert names(tmp_path / "reports") == ["2026-10"]
    assert names(paths.html.parent) == [
        "manifest.json",
        "notebooks",
        "report.html",
        "report.pdf",
        "sections",
    ]
    assert "October 2026" in paths.html.read_text(encoding="utf-8")
    assert paths.pdf.read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_the_same_data_and_arguments_give_the_same_bytes(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "flight_hours")
    first, second = (
        [path.read_bytes() for path in (paths.html, paths.pdf)]
        for paths in (made(fleet, tmp_path), made(fleet, tmp_path))
    )
    assert first == second


@pytest.mark.slow
def test_the_manifest_names_data_packages_and_the_checksum_of_every_file(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "flight_hours")
    paths = made(fleet, tmp_path, formats=["html"])
    manifest = json.loads(paths.manifest.read_text(encoding="utf-8"))
    folder = paths.manifest.parent
    files = [path for path in folder.rglob("*") if path.is_file() and path != paths.manifest]
    assert paths.pdf is None
    assert manifest["files"] == {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    assert {"report.html", "notebooks/flight_hours.ipynb"} <= set(manifest["files"])
    assert manifest["data"]["fingerprint"] == fleet.mirror.fingerprint
    assert manifest["packages"]["fleetkit"] == fk.__version__
    assert {"pandas", "polars"} <= set(manifest["packages"])  # which counted
    assert manifest["period"]["until"] == "2026-11-01T00:00:00+00:00"


@pytest.mark.slow
def test_a_failed_section_fails_the_report_and_leaves_the_old_one(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "flight_hours")
    before = made(fleet, tmp_path).html.read_bytes()
    notebook(tmp_path / "notebooks", "broken", "{}['hours']")
    with pytest.raises(ReportError, match=r"broken\.ipynb, cell 3: KeyError: 'hours'"):
        made(fleet, tmp_path)
    assert (tmp_path / "reports" / "2026-10" / "report.html").read_bytes() == before
    assert names(tmp_path / "reports") == ["2026-10", "2026-10.failed"]
    assert names(tmp_path / "reports" / "2026-10.failed") == ["broken.ipynb"]


@pytest.mark.slow
def test_of_a_kernel_that_died_no_executed_notebook_is_promised(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "dying", "import os; os._exit(0)")
    with pytest.raises(ReportError) as failed:
        made(fleet, tmp_path)
    assert failed.value.advice == "allow_gaps=True reports without them."
    assert not (tmp_path / "reports").exists()


@pytest.mark.slow
def test_a_gap_that_is_allowed_is_a_box_with_the_reason_and_named_in_the_verdict(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "broken", "{}['hours']")
    paths = made(fleet, tmp_path, allow_gaps=True, data=True)
    text = paths.html.read_text(encoding="utf-8")
    assert "This section is missing.</strong> broken.ipynb, cell 3: KeyError: " in text
    assert "Nothing needs attention; not looked at: Broken, " in text
    assert "<dt>Left out</dt><dd>Broken: broken.ipynb, cell 3: KeyError: " in text
    about = dict(openpyxl.load_workbook(paths.data / "report.xlsx")["About"].values)
    assert "Broken: broken.ipynb, cell 3: KeyError: 'hours'" in about["Left out"]


@pytest.mark.slow
def test_a_filtered_report_has_its_own_folder_and_prints_its_filter(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "flight_hours", "print(filters)")
    chosen = fk.Filter(client="Fjord", night=True)
    page = made(fleet, tmp_path, formats=["html"], filter=chosen).html
    assert page.parent.name.startswith("2026-10_fjord-yes-")
    assert "client = Fjord, night = yes" in page.read_text(encoding="utf-8")
    paper = (page.parent / "notebooks" / "flight_hours.ipynb").read_text(encoding="utf-8")
    assert "{'client': ['Fjord'], 'night': True}" in paper


@pytest.mark.slow
def test_a_section_whose_scope_is_missing_is_left_out_and_named(tmp_path):
    fleet = empty_mirror(tmp_path / "mirror", missing=["projects"])
    notebook(tmp_path / "notebooks", "flight_hours", needs=["flights"])
    notebook(tmp_path / "notebooks", "project_pipeline", needs=["projects"])
    text = made(fleet, tmp_path, formats=["html"]).html.read_text(encoding="utf-8")
    assert "Project pipeline: the key lacks the scope project:read" in text
    assert 'id="project_pipeline"' not in text


@pytest.mark.slow
def test_what_the_key_can_not_read_is_refused_before_anything_runs(tmp_path):
    fleet = empty_mirror(tmp_path / "mirror", missing=["projects"])
    notebook(tmp_path / "notebooks", "flight_hours", needs=["flights"])
    notebook(tmp_path / "notebooks", "project_pipeline", needs=["projects"])
    with pytest.raises(ReportError, match="Project pipeline: the key lacks the scope"):
        made(fleet, tmp_path, strict=True)
    for chosen in (fk.Filter(client="Fjord"), fk.Filter(status="DRAFT")):
        with pytest.raises(fk.Forbidden, match=r"filter \w+ needs.* lacks the scope project:read"):
            made(fleet, tmp_path, filter=chosen, allow_empty=True)
    with pytest.raises(fk.Forbidden, match=r"by client needs.* lacks the scope project:read"):
        fk.report_by("client", "2026-10", fleet=fleet, out=tmp_path / "reports", allow_empty=True)
    assert not (tmp_path / "reports").exists()


def test_a_folder_that_can_not_be_written_is_an_error_before_any_work(tmp_path):
    (tmp_path / "reports").write_text("a file stands in the way")
    unreachable = fk.connect("http://127.0.0.1:9", "demo_0123", progress=False)
    notebook(tmp_path / "notebooks", "flight_hours")
    with pytest.raises(ReportError, match=r"can't be written to .*reports"):
        made(unreachable, tmp_path)


@pytest.mark.parametrize(
    ("period", "options", "says"),
    [
        ("2026-13", {}, "'2026-13' is not a valid period"),
        ("2026-10", {"formats": ["docx"]}, "'docx' is not a format of a report"),
        ("2026-10", {"formats": []}, "Nothing is not a format of a report"),
    ],
)
def test_an_argument_that_can_not_be_right_is_refused(fleet, tmp_path, period, options, says):
    with pytest.raises(InvalidValue, match=says):
        fk.report(period, fleet=fleet, out=tmp_path / "reports", **options)
    assert not (tmp_path / "reports").exists()


@pytest.mark.slow
def test_a_report_is_narrowed_by_its_fleet_s_filter_and_its_own(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "flight_hours")
    chosen = fk.Filter(bvlos=True)
    paths = made(fleet.where(night=True), tmp_path, formats=["html"], filter=chosen)
    manifest = json.loads(paths.manifest.read_text(encoding="utf-8"))
    assert manifest["filter"] == {"night": True, "bvlos": True}


@pytest.mark.parametrize("client", ["../../x", "/etc/passwd", "C:\\x", "Ψ", "."])
def test_a_client_s_name_can_not_leave_the_folder_of_reports(client):
    subject = Subject(OCTOBER, "UTC", fk.Filter(client=client), SETTINGS)
    assert Path(subject.folder).name == subject.folder
    assert subject.folder.startswith("2026-10_")


def test_a_period_of_hours_is_printed_with_its_times(tmp_path):
    write(tmp_path, flights=[a_past_flight(1, "2026-10-14T09:00:00.000Z")])
    morning = Period.between("2026-10-14T06:00", "2026-10-14T10:30", "Europe/Oslo")
    subject = Subject(morning, morning.tz, fk.Filter(), SETTINGS)
    shown = subject.context(fk.open_mirror(tmp_path).mirror, [])
    assert (shown["since"], shown["until"]) == ("14 Oct 2026, 06:00", "14 Oct 2026, 10:30")


@pytest.mark.parametrize(("brand", "heading"), [(" ", ""), ("Fjord", "Fjord · ")])
def test_an_organisation_with_a_blank_name_has_none_in_the_heading(tmp_path, brand, heading):
    write(tmp_path)
    settings = replace(SETTINGS, organisation=" ", branding=Branding(name=brand))
    subject = Subject(OCTOBER, "UTC", fk.Filter(), settings)
    shown = subject.context(fk.open_mirror(tmp_path).mirror, [])
    assert shown["full_title"] == f"{heading}Fleet report · October 2026"
    assert shown["organisation"] == brand.strip()
    assert shown["brand"]["name"] == (brand.strip() or "Logo")


@pytest.mark.parametrize(
    ("client", "name"),
    [("Øresol Vind", "oresol-vind"), ("Łąkowa", "lakowa"), ("Æther Ålesund", "aether-alesund")],
)
def test_a_folder_s_name_keeps_the_letters_of_a_client_s(client, name):
    subject = Subject(OCTOBER, "UTC", fk.Filter(client=client), SETTINGS)
    assert subject.folder.startswith(f"2026-10_{name}-")


def test_two_filters_of_like_names_have_folders_of_their_own():
    folders = {
        Subject(OCTOBER, "UTC", fk.Filter(client=client), SETTINGS).folder
        for client in ("Ψ", "Φ", "fjord", "Fjord!")
    }
    assert len(folders) == 4


@pytest.mark.slow
def test_a_live_fleet_is_loaded_once_and_its_key_is_in_no_file(tiny, tmp_path):
    notebook(
        tmp_path / "notebooks",
        "flight_hours",
        "import fleetkit as fk, os",
        "print(len(fk.open_mirror(mirror, tz=tz).flights()), sorted(os.environ))",
    )
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        folder = made(fleet, tmp_path).manifest.parent
    paper = (folder / "notebooks" / "flight_hours.ipynb").read_text(encoding="utf-8")
    assert '"5 [' in paper
    assert "mirror" not in names(folder)
    holders = [path for path in folder.rglob("*") if path.is_file()]
    assert [path for path in holders if tiny.api_key.encode() in path.read_bytes()] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["live", "mirrored"])
def test_a_report_may_be_in_a_folder_of_a_name_that_no_mirror_can_have(tiny, tmp_path, kind):
    odd = tmp_path / "100 % [all] #1^|"
    code = "import fleetkit as fk", "print(len(fk.open_mirror(mirror, tz=tz).flights()))"
    notebook(odd / "notebooks", "flight_hours", *code)
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        fleet.sync(tmp_path / "mirror")
        source = fleet if kind == "live" else fk.open_mirror(tmp_path / "mirror")
        folder = made(source, odd, formats=["html"]).html.parent
    assert '"5\\n' in (folder / "notebooks" / "flight_hours.ipynb").read_text(encoding="utf-8")
    assert "mirror" not in names(folder)


@pytest.mark.slow
def test_every_section_reads_the_state_of_the_fleet_though_the_mirror_moved_on(fleet, tmp_path):
    notebook(
        tmp_path / "notebooks",
        "flight_hours",
        "import fleetkit as fk",
        "print('state', fk.open_mirror(mirror, version=version).mirror.version)",
    )
    empty_mirror(tmp_path / "mirror")  # a second sync
    folder = made(fleet, tmp_path, formats=["html"]).html.parent
    assert fk.open_mirror(tmp_path / "mirror").mirror.version == 2
    assert "state 1" in (folder / "notebooks" / "flight_hours.ipynb").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_mirror_that_is_named_keeps_what_a_live_fleet_loaded(tiny, tmp_path):
    notebook(tmp_path / "notebooks", "flight_hours")
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        made(fleet, tmp_path, formats=["html"], mirror=tmp_path / "kept")
    assert len(fk.open_mirror(tmp_path / "kept").flights()) == 5


@pytest.mark.slow
def test_what_was_read_from_a_mirror_is_kept_in_no_other_one(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "flight_hours")
    with pytest.raises(InvalidValue, match="loads nothing to keep in "):
        made(fleet, tmp_path, formats=["html"], mirror=tmp_path / "other")
    assert not (tmp_path / "other").exists()
    assert made(fleet, tmp_path, formats=["html"], mirror=tmp_path / "mirror").html.is_file()


@pytest.fixture(scope="module")
def narrowed(tiny, tmp_path_factory):
    """Report on the served organisation, narrowed."""
    chosen = fk.Filter(flight_type="TRAINING", category="MULTIROTOR")
    options = {"filter": chosen, "sections": SECTIONS, "formats": "html"}
    out = tmp_path_factory.mktemp("narrowed")
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        return fk.report("2026-10", fleet=fleet, out=out, **options)


@pytest.mark.slow
def test_the_sections_of_fleetkit_report_the_organisation_as_served_and_narrowed(narrowed):
    folder = narrowed.html.parent / "sections"
    read = {name: json.loads((folder / name / "section.json").read_text()) for name in SECTIONS}
    figures = {kpi["label"]: kpi["value"] for kpi in read["flight_hours"]["kpis"]}
    assert (figures["Flights"], figures["Hours"]) == (1, 0.25)
    assert all(section["sentences"] for section in read.values())


def start(tmp_path):
    """Start a report in a process of its own; return once its only notebook runs."""
    signal_path = tmp_path / "runs"
    os.mkfifo(signal_path)
    waiting = f"open({str(signal_path)!r}, 'w').close()"
    notebook(tmp_path / "slow", "slow", "import time", waiting, "time.sleep(60)")
    code = (
        "import sys, fleetkit as fk; mirror, out, notebooks = sys.argv[1:]\n"
        "fk.report('2026-10', fleet=fk.open_mirror(mirror), out=out, notebooks=notebooks, "
        "sections='slow', allow_empty=True)"
    )
    places = [tmp_path / "mirror", tmp_path / "reports", tmp_path / "slow"]
    process = subprocess.Popen([sys.executable, "-c", code, *places], stderr=subprocess.DEVNULL)
    signal_path.read_text()
    return process


@pytest.mark.slow
def test_a_killed_report_leaves_the_old_one_and_the_next_sweeps_up(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "flight_hours")
    before = made(fleet, tmp_path).html.read_bytes()
    process = start(tmp_path)
    process.kill()
    process.wait()
    assert len(names(tmp_path / "reports")) == 2
    assert (tmp_path / "reports" / "2026-10" / "report.html").read_bytes() == before
    made(fleet, tmp_path)
    assert names(tmp_path / "reports") == ["2026-10"]


@pytest.mark.slow
def test_a_notebook_that_saves_no_section_is_named(fleet, tmp_path):
    path = notebook(tmp_path / "notebooks", "flight_hours")
    written = nbformat.read(path, as_version=4)
    written.cells[-1].source = f"import sys; sys.exit()\n{written.cells[-1].source}"
    nbformat.write(written, path)
    with pytest.raises(ReportError, match=r"flight_hours'; make it with out=.* any sys\.exit\."):
        made(fleet, tmp_path)


# What it doesn't know, and what it doesn't touch


STRANGE = "Kestrel \U0001fa00"
# The chapters of what is strange.
KNOWN_BY = "flight_hours,equipment_condition,project_pipeline"


@pytest.fixture(scope="module")
def strange():
    """Serve what the reference doesn't have."""
    records = copy.deepcopy(TINY)
    for flight in records["flights"]:
        flight["colour"] = "red"
    records["flights"][0]["flightType"] = "AEROBATIC"
    records["projects"][1]["status"] = "PARKED"
    records["equipment"][0] |= {"name": STRANGE, "status": "LENT"}
    with ExitStack() as stack:
        yield serving(stack, records)


@pytest.fixture(scope="module")
def told(strange, tmp_path_factory):
    """Make the report of it as a user does; return what was said, and its folder."""
    out = tmp_path_factory.mktemp("strange")
    command = [sys.executable, "-m", "fleetkit", "report", "--month", "2026-10"]
    command += ["--sections", KNOWN_BY, "--base-url", strange.base_url, "--out", str(out)]
    done = subprocess.run(
        command,
        env={**os.environ, "FLEETKIT_API_KEY": strange.api_key},
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stderr, out / "2026-10"


def warnings_in(folder):
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["warnings"]


@pytest.mark.slow
def test_the_last_page_lists_what_the_reference_does_not_know(told):
    _, folder = told
    last = " ".join(PdfReader(folder / "report.pdf").pages[-1].extract_text().split())
    page = (folder / "report.html").read_text(encoding="utf-8")
    warnings = warnings_in(folder)
    assert warnings == [
        "The field colour of flights is not in the reference; it is kept.",
        "flight_type holds AEROBATIC (1 of 5 flights), which the reference doesn't have; shown "
        "last.",
        "status holds LENT (1 of 3 pieces of equipment), which the order of severity doesn't "
        "have; shown last, and not graded.",
        "status holds PARKED (1 of 3 projects), which the reference doesn't have; shown last.",
    ]
    for warning in warnings:
        assert warning in last
        assert warning.split(" (")[0] in page
    assert "U+1FA00" in last


@pytest.mark.slow
def test_stderr_has_a_clean_line_for_each_thing_that_is_not_known(told):
    lines = told[0].splitlines()
    assert len(lines) == len(set(lines)) == 4
    for line, known in zip(
        sorted(lines), ("colour", "U+1FA00", "AEROBATIC", "PARKED"), strict=True
    ):
        assert line.startswith("fleetkit: note: ")
        assert known in line
        assert ".py" not in line


@pytest.mark.slow
def test_warnings_are_of_the_data_and_so_the_same_however_they_were_loaded(strange, told, tmp_path):
    with fk.connect(strange.base_url, strange.api_key, progress=False) as live:
        live.sync(tmp_path / "mirror")
    fleet = fk.open_mirror(tmp_path / "mirror")
    offline = fk.report("2026-10", fleet=fleet, out=tmp_path, formats="html", sections=KNOWN_BY)
    assert warnings_in(told[1]) == warnings_in(offline.manifest.parent) != []


@pytest.mark.slow
def test_a_chapter_that_the_filter_does_not_narrow_says_so(narrowed):
    page = narrowed.html.read_text(encoding="utf-8")
    headings = re.findall(
        r'<h2 id="(\w+)">([^<]+)(?: <span class="scope">([^<]+)</span>)?</h2>', page
    )
    chapters = {name: scope for name, _, scope in headings if name in SECTIONS}
    assert chapters == {
        "flight_hours": "",
        "equipment_condition": "narrowed by category only",
        "project_pipeline": "whole organisation",
        "pricing": "whole organisation",
    }
    front = page[: page.index('class="chapter"')]
    assert "Project pipeline, whole organisation</a> As of " in front


# So far


def at(moment, tiny, path):
    """Write the tiny organisation to a mirror as of a moment, and open it."""
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        fleet._source._fetched_at = moment
        fleet.sync(path)
    return fk.open_mirror(path)


@pytest.mark.slow
def test_a_month_that_is_not_over_is_so_far_and_compared_with_the_same_days(tiny, tmp_path):
    fleet = at(datetime(2026, 11, 21, 9, tzinfo=UTC), tiny, tmp_path / "mirror")
    paths = fk.report("2026-11", fleet=fleet, out=tmp_path, **FLIGHTS_ONLY)
    page = paths.html.read_text(encoding="utf-8")
    assert paths.html.parent.name == "2026-11"
    assert "<h1>1–21 November 2026, so far</h1>" in page
    assert (
        "So far, 1 flight and 0.2 hours from 1 to 21 November 2026, 88.9 % fewer hours than from "
        "1 to 21 October 2026; 1 of 2 aircraft flew."
    ) in page.replace("\u00a0", " ")
    assert "1 Nov 2026 to 21 Nov 2026, 09:00, when the data were fetched" in page
    section = json.loads((paths.html.parent / "sections/flight_hours/section.json").read_text())
    use = next(kpi for kpi in section["kpis"] if kpi["label"] == "Per aircraft-day")
    assert use["value"] == pytest.approx(600 / 3600 / (2 * 21))
    months = next(block for block in section["blocks"] if block["name"] == "months")
    assert [row["texts"][0] for row in months["rows"]][-1] == "2026-11"
    assert "November 2026 so far, up to 21 November." in months["caption"]
    assert json.loads(paths.manifest.read_text(encoding="utf-8"))["period"]["is_over"] is False


@pytest.mark.slow
def test_months_before_the_first_flight_are_blank_with_their_reason(tiny, tmp_path):
    at(datetime(2026, 11, 21, 9, tzinfo=UTC), tiny, tmp_path / "mirror")
    given = {"period": "2026-10", "mirror": str(tmp_path / "mirror"), "out": str(tmp_path)}
    section = a_notebook.made("flight_hours", **given)
    months = next(block for block in section["blocks"] if block["name"] == "months")
    texts = {row["texts"][0]: row["texts"][1:3] for row in months["rows"]}
    assert texts["2026-08"] == ["–", "–"]
    assert texts["2026-09"] == ["1", "–"]  # its one flight has no duration
    assert texts["2026-10"] == ["3", "1.8"]
    assert months["caption"].startswith("No data before 30 September 2026.")
    drawn = (tmp_path / "flight_hours" / "by_month.svg").read_text(encoding="utf-8")
    assert ">no data before 30 Sep 2026</text>" in drawn
    assert ">0.0</text>" not in drawn.replace(">0.0</text>", "", 1)  # September alone
    flights = next(kpi for kpi in section["kpis"] if kpi["label"] == "Flights")
    assert flights["trend"] == [None] * 11 + [3]


@pytest.mark.slow
def test_the_demo_of_one_day_is_the_same_bytes_at_any_hour_by_python_and_by_the_command(
    run, tmp_path
):
    demo = fk.demo(tz="Europe/Oslo", as_of="2026-09-20")
    paths = fk.report(fleet=demo, out=tmp_path / "python", sections="flight_hours")
    command = ["report", "--demo", "--as-of", "2026-09-20", "--tz", "Europe/Oslo", "--quiet"]
    assert run(*command, "--sections", "flight_hours") == (0, "", "")
    of_the_command = tmp_path / "reports" / "2026-08"
    for path in (paths.html, paths.pdf):
        assert path.read_bytes() == (of_the_command / path.name).read_bytes()
    page = paths.html.read_text(encoding="utf-8")
    assert "Nordlys Drone Services (demo)" in page
    record = json.loads((of_the_command / "manifest.json").read_text(encoding="utf-8"))
    assert record["period"]["tz"] == "Europe/Oslo"
    assert record["data"]["fetched_at"].startswith("2026-09-20T00:00:00")
    assert PdfReader(paths.pdf).metadata.creation_date == datetime(2026, 9, 20, tzinfo=UTC)


@pytest.mark.slow
def test_a_report_that_finds_no_room_names_its_folder_and_that_of_temporary_files(
    fleet, small_disk, tmp_path
):
    """Either may be full: notebooks are reached by files in the latter."""
    if small_disk is None:
        pytest.skip("nothing may be mounted here")
    notebook(tmp_path / "notebooks", "flight_hours")
    leave(small_disk, 0)
    with pytest.raises(fk.ReportError) as refused:
        made(fleet, tmp_path, out=small_disk)
    assert str(refused.value) == (
        f"The report can't be written to {small_disk / '2026-10'}: No space left on device. Choose "
        f"another folder with out=…, or make room there and in {tempfile.gettempdir()}."
    )


def test_a_report_whose_files_would_be_too_large_is_told_of_that_limit(tmp_path):
    with pytest.raises(fk.ReportError) as refused, build._written(tmp_path / "2026-10"):
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    assert str(refused.value) == (
        f"The report can't be written to {tmp_path / '2026-10'}: File too large. Raise the limit "
        "of a file's size (ulimit -f), or choose a folder on another disk."
    )


@pytest.mark.slow
def test_a_report_may_be_in_a_folder_that_is_a_link_to_one_elsewhere(fleet, tmp_path):
    notebook(tmp_path / "notebooks", "flight_hours")
    (tmp_path / "a" / "disk" / "elsewhere").mkdir(parents=True)
    (tmp_path / "reports").symlink_to(tmp_path / "a" / "disk" / "elsewhere")
    made(fleet, tmp_path, formats="html")
    assert (tmp_path / "a" / "disk" / "elsewhere" / "2026-10" / "report.html").is_file()
