"""A report each: only what is the client's in any file, a page that lists all, failures apart."""

import json
import os
import re
import signal
import subprocess
import sys
import zipfile
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from html import unescape
from pathlib import Path

import a_past
import nbformat
import pandas as pd
import pytest
from a_notebook import notebook
from conftest import ADA, BO, a_flight, a_project, an_equipment, serving
from processes import left_of
from pypdf import PdfReader

import fleetkit as fk
from fleetkit import locks
from fleetkit.errors import InvalidValue, MirrorError, NothingToReport, ReportError
from fleetkit.notices import collected
from fleetkit.reports import index, several
from fleetkit.reports.folders import replaced
from fleetkit.reports.groups import Group, groups, hours_of, hours_of_groups
from fleetkit.reports.paths import Paths
from fleetkit.reports.several import Entry, Reports, ReportsFailed

pytestmark = pytest.mark.usefixtures("warm_kernels")

AURORA, BOREALIS, CUMULUS = "Aurora/../Nett <b>", "Borealis Kraft Ødegård", "Cumulus Agrar"
ROOF = {"id": "proj_roof", "title": "Roof survey"}
MAST = {"id": "proj_mast", "title": "Mast of the north"}
LATER = "2026-11-09T08:00:00.000Z"


def a_piece(name, **fields):
    numbers = {"registrationNumber": f"REG-{name}", "serialNumber": f"SERIAL-{name}"}
    expiry = {"registrationExpiry": "2026-10-10T00:00:00.000Z"}
    return an_equipment(f"eq_{name}", name=f"Drone {name}", **numbers, **expiry, **fields)


# Aurora: two flights of Ada with Drone Kestrel, one of them at 10 o'clock. Borealis: one of Bo with
# Drone Tern at the same time. Nobody's: one of Bo with Drone Tern. Cumulus: a completed project.
RECORDS = {
    "equipment": [a_piece("Kestrel"), a_piece("Tern"), a_piece("Skua", status="RETIRED")],
    "flights": [
        a_flight("fl_roof_1", "2026-10-05T10:00:00.000Z", pilotInCommand=ADA, project=ROOF),
        a_flight("fl_roof_2", "2026-10-06T10:00:00.000Z", pilotInCommand=ADA, project=ROOF),
        a_flight("fl_mast_1", "2026-10-05T10:00:00.000Z", pilotInCommand=BO, project=MAST),
        a_flight(
            "fl_yard_1",
            "2026-10-07T10:00:00.000Z",
            pilotInCommand=BO,
            operationType="SECRET_MAST_WORK",
            durationSeconds=90_000,
        ),
    ],
    "flight_equipment": [
        ("fl_roof_1", "eq_Kestrel"),
        ("fl_roof_2", "eq_Kestrel"),
        ("fl_mast_1", "eq_Tern"),
        ("fl_yard_1", "eq_Tern"),
    ],
    "projects": [
        a_project("proj_roof", title="Roof survey", clientAccountName=AURORA),
        a_project("proj_moved", title="Bridge", clientAccountName=BOREALIS),
        a_project("proj_gone", title="Harbour", clientAccountName=AURORA),
        a_project("proj_mast", title="Mast of the north", clientAccountName=BOREALIS),
        a_project("proj_field", title="Field", clientAccountName=CUMULUS, status="COMPLETED"),
    ],
}
# Two projects change hands between the syncs, and move on.
CHANGED = [
    a_project(
        "proj_moved",
        title="Bridge of ours",
        clientAccountName=AURORA,
        status="SCHEDULED",
        updatedAt=LATER,
    ),
    a_project(
        "proj_gone",
        title="Secret quay",
        clientAccountName=BOREALIS,
        status="CONFIRMED",
        updatedAt=LATER,
    ),
]
SUFFIXES = {".html", ".pdf", ".json", ".ipynb", ".svg", ".csv", ".xlsx", ".parquet"}
OTHERS = {
    "clients": [BOREALIS, CUMULUS],
    "projects": ["proj_mast", "Mast of the north", "Secret quay", "proj_field"],
    "flights": ["fl_mast_1", "fl_yard_1", "SECRET_MAST_WORK"],
    "equipment": ["eq_Tern", "Drone Tern", "eq_Skua", "Drone Skua"],
    "registrations": ["REG-", "SERIAL-", "egistration has expired"],
    "pilots": [BO["fullName"], BO["id"]],
}


@pytest.fixture(scope="module")
def mirror(tmp_path_factory):
    path = tmp_path_factory.mktemp("several") / "mirror"
    with ExitStack() as stack:
        served = serving(stack, RECORDS)
        for changes in ({}, {"projects": CHANGED}):
            served.store.load(served.organisation, **changes)
            with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
                fleet.sync(path)
    return path


@pytest.fixture(scope="module")
def fleet(mirror):
    return fk.open_mirror(mirror)


@pytest.fixture(scope="module")
def own(mirror):
    """Return a folder with a notebook that tells a place, and then fails for Borealis."""
    folder = mirror.parent / "own"
    place = "import os\nprint(os.path.realpath('.numbered'))"
    notebook(folder, "own", place, "assert not filters['client'][0].startswith('B')")
    return folder


@pytest.fixture(scope="module")
def reports(fleet, mirror, own):
    """Return what becomes of a report for each client, of which Borealis's fails."""
    options = {"notebooks": own, "data": True}
    with pytest.raises(ReportError) as failed:
        fk.report_by("client", "2026-10", fleet=fleet, out=mirror.parent / "out", **options)
    return failed.value


def entries(reports):
    return {entry.group.name: entry for entry in reports.reports.entries}


def text_of(path):
    """Return all that a file shows, without what may stand inside a name."""
    if path.suffix == ".pdf":
        text = "".join(page.extract_text() for page in PdfReader(path).pages)
        text += str(PdfReader(path).metadata)
    elif path.suffix == ".parquet":
        text = pd.read_parquet(path).to_csv()
    elif path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            text = "".join(book.read(name).decode() for name in book.namelist())
    else:
        text = path.read_text(encoding="utf-8")
        if path.suffix in {".json", ".ipynb"}:
            text = json.dumps(json.loads(text), ensure_ascii=False)
    return squeezed(text) + squeezed(re.sub(r"<[^>]*>", "", unescape(text)))


def squeezed(text):
    return re.sub(r"\s+", "", unescape(text)).casefold()


@pytest.mark.slow
def test_no_file_of_a_client_s_report_holds_anything_of_others(reports):
    folder = entries(reports)[AURORA].paths.manifest.parent
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == SUFFIXES
    texts = {str(path.relative_to(folder)): text_of(path) for path in files}
    leaks = [
        (name, word)
        for name, text in texts.items()
        for words in OTHERS.values()
        for word in words
        if squeezed(word) in text
    ]
    assert leaks == []
    assert [squeezed(word) in texts["report.html"] for word in ("Drone Kestrel", "Ada Lind")] == [
        True,
        True,
    ]


@pytest.mark.slow
def test_a_client_s_report_counts_its_flights_and_aircraft_only(reports):
    folder = entries(reports)[AURORA].paths.manifest.parent
    section = json.loads((folder / "sections/flight_hours/section.json").read_text("utf-8"))
    shown = {kpi["label"]: (kpi["text"], kpi["unit"]) for kpi in section["kpis"]}
    assert (shown["Flights"][0], shown["Hours"][0]) == ("2", "1.0")
    assert shown["Active aircraft"] == ("1", "of 1")


@pytest.mark.slow
def test_a_report_that_fails_does_not_stop_the_others_and_is_an_error(reports):
    states = {name: entry.state for name, entry in entries(reports).items()}
    assert states == {AURORA: "complete", BOREALIS: "failed", CUMULUS: "nothing to report"}
    assert re.match(
        rf"1 of 3 reports failed: {BOREALIS}: 1 of the report's sections failed: own\.ipynb",
        str(reports),
    )


@pytest.mark.slow
@pytest.mark.skipif(not locks.SUPPORTED, reason="notebooks share nothing where no folder is locked")
def test_reports_share_the_place_of_what_is_numbered_and_leave_nothing_there(reports):
    folder = reports.reports.index.parent
    papers = [*folder.glob("*/notebooks/own.ipynb"), *folder.glob("*.failed/own.ipynb")]
    cells = [nbformat.read(paper, as_version=4).cells for paper in papers]
    told = [cell.outputs[0].text for of in cells for cell in of if "realpath" in cell.source]
    assert len(told) == 2
    assert told[0] == told[1]
    assert not Path(told[0].strip()).exists()


@pytest.mark.slow
def test_the_page_lists_all_with_their_first_figures_and_totals(reports):
    page = reports.reports.index.read_text(encoding="utf-8")
    assert reports.reports.index.parent.name == "2026-10-each-client"
    assert 'http-equiv="Content-Security-Policy" content="default-src \'none\';' in page
    [row, total] = re.findall(r"<tr(?: class=\"total\")?><th scope=\"row\">.*?</tr>", page, re.S)
    assert re.findall(r'<td class="end">([^<]*)</td>', row)[:2] == ["2", "1.0"]
    # What needs attention has no total: what is of the whole organisation is in each report.
    assert re.findall(r'<td class="end">([^<]*)</td>', total) == ["2", "1.0"]
    assert 'colspan="3" class="end group">Needs attention</th>' in page
    assert "2 more flights of the period are in no report." in page
    assert re.search(r'id="failed".*Borealis Kraft Ødegård</strong>.*own\.ipynb', page, re.S)
    assert re.search(r'id="empty">Nothing to report</h2>\s*<p>Cumulus Agrar\.</p>', page)


@pytest.mark.slow
def test_the_page_of_a_period_without_a_flight_says_when_the_last_one_was(fleet, tmp_path):
    given = {"out": tmp_path, "progress": False}
    page = fk.report_by("category", "2026-11", fleet=fleet, **given).index.read_text("utf-8")
    assert "no flight in the period. The last flight before that was on 7 October 2026." in page
    late = fk.Filter(since="2026-10-20")
    made = fk.report_by("category", "2026-10", fleet=fleet, filter=late, **given)
    assert [entry.state for entry in made.entries] == ["nothing to report"]


@pytest.mark.slow
def test_sections_and_formats_that_can_be_read_once_are_those_of_every_report(fleet, tmp_path):
    notebook(tmp_path / "own", "own")
    once = {"sections": iter(["own"]), "formats": iter(["html"])}
    given = {"out": tmp_path, "notebooks": tmp_path / "own", "progress": False}
    made = fk.report_by("client", "2026-10", fleet=fleet, **given, **once)
    assert [entry.group.name for entry in made.of("complete")] == [AURORA, BOREALIS]


@pytest.mark.slow
def test_the_page_names_reports_of_an_earlier_run_whose_client_s_projects_are_another_s_since(
    tmp_path,
):
    notebook(tmp_path / "own", "own")
    given = {"out": tmp_path, "notebooks": tmp_path / "own", "sections": "own", "formats": "html"}
    flights = [a_past.a_flight(n, "2026-10-05", project={"id": f"proj_{n}"}) for n in (1, 2)]
    pages = []
    for clients in (["Fjord", "Oslo"], ["Oslo", "Oslo"]):
        projects = [
            {"id": f"proj_{n}", "clientAccountName": client} for n, client in enumerate(clients, 1)
        ]
        a_past.write(tmp_path / "mirror", projects=projects, flights=flights)
        fleet = fk.open_mirror(tmp_path / "mirror")
        with collected() as notices:
            made = fk.report_by("client", "2026-10", fleet=fleet, progress=False, **given)
        pages.append(made.index.read_text(encoding="utf-8"))
    [fjord] = [path.name for path in made.index.parent.glob("2026-10_fjord-*")]
    left = f"eports that an earlier run made and this one didn't: {fjord}."
    assert [entry.group.flights for entry in made.entries] == [2]
    assert ["Left from earlier runs" in page for page in pages] == [False, True]
    assert f"R{left}" in unescape(pages[1])
    assert notices == [f"{made.index.parent} still holds r{left}"]


@pytest.mark.slow
def test_the_links_of_the_page_lead_to_the_reports_in_folders_with_plain_names(reports):
    index = reports.reports.index
    links = re.findall(r'href="([^"#]+)"', index.read_text(encoding="utf-8"))
    assert [re.fullmatch(r"2026-10_aurora-nett-b-\w{12}/report\.(html|pdf)", x) for x in links]
    assert all((index.parent / link).is_file() for link in links)
    assert len(links) == 2


@pytest.mark.slow
def test_flights_are_counted_for_whom_they_are(fleet):
    def counted(by):
        period = fleet.period("2026-10")
        return {group.name: (group.flights, group.hours) for group in groups(fleet, by, period)}

    assert counted("client") == {AURORA: (2, 1.0), BOREALIS: (1, 0.5), CUMULUS: (0, 0.0)}
    assert counted("pilot") == {"Ada Lind": (2, 1.0), "Bo Ødegård": (2, 25.5)}
    assert counted("category") == {"MULTIROTOR": (4, 26.5)}
    assert counted("project")["Roof survey"] == (2, 1.0)


def test_hours_are_unknown_only_where_no_flight_has_a_duration_not_even_one_of_zero():
    flights = pd.DataFrame({"flight_id": ["1", "2"], "flight_type": ["TRAINING"] * 2})
    flights["duration_seconds"] = pd.array([0, None], "Int64")
    chosen = [], ["1"], ["2"], ["1", "2"]
    assert [hours_of(flights, ids) for ids in chosen] == [0.0, 0.0, None, 0.0]


def test_the_hours_of_all_groups_are_those_of_each_ones_flights_whatever_it_is_called():
    flights = pd.DataFrame({"flight_id": ["1", "2", "3"], "flight_type": ["TRAINING"] * 3})
    flights["flight_date"] = pd.to_datetime(["2026-10-01T09:00Z"] * 3)
    flights["duration_seconds"] = pd.array([1800, 0, None], "Int64")
    # The first flight has two pieces of one category, and a camera.
    pairs = [("1", "Unassigned"), ("1", "Unassigned"), ("1", "cameras"), ("2", "zero")]
    pairs += [("3", "blank"), ("3", None)]
    hours = hours_of_groups(pd.DataFrame(pairs, columns=["flight", "key"], dtype="str"), flights)
    assert hours == {"Unassigned": 0.5, "cameras": 0.5, "zero": 0.0, "blank": None}


@pytest.mark.slow
def test_groups_are_sorted_by_name_and_two_of_one_name_are_told_apart(tiny_records):
    tiny_records["projects"][0]["title"] = "roof"
    tiny_records["projects"][1]["title"] = "roof"
    tiny_records["projects"][2]["title"] = " "
    for project, status in zip(
        tiny_records["projects"], ("CANCELLED", "ON_HOLD", "COMPLETED"), strict=True
    ):
        project["status"] = status
    for flight in tiny_records["flights"]:
        flight["durationSeconds"] = None
    with ExitStack() as stack:
        served = serving(stack, tiny_records)
        with fk.connect(served.base_url, served.api_key, progress=False) as live:
            made = groups(live, "project", live.period("2026-10"))
    # Both flights of the cancelled project have no duration.
    assert [(group.name, group.is_open, group.flights, group.hours) for group in made] == [
        ("proj_roof", False, 0, 0.0),
        ("roof (proj_bridge)", False, 2, None),
        ("roof (proj_quarry)", True, 0, 0.0),
    ]


def test_no_report_is_made_for_a_client_or_a_category_of_blanks(tiny_records):
    for project, client in zip(tiny_records["projects"], (AURORA, " ", ""), strict=True):
        project["clientAccountName"] = client
    for piece, category in zip(tiny_records["equipment"], ("VTOL", " ", ""), strict=True):
        piece["category"] = category
    with ExitStack() as stack:
        served = serving(stack, tiny_records)
        with fk.connect(served.base_url, served.api_key, progress=False) as live:
            made = [groups(live, by, live.period("2026-10")) for by in ("client", "category")]
    assert [[group.name for group in each] for each in made] == [[AURORA], ["VTOL"]]


@pytest.mark.slow
@pytest.mark.parametrize("kept", [None, "mirror"])
def test_reports_speak_of_a_mirror_s_history_where_there_is_a_mirror(tiny, tmp_path, kept):
    """There is no flight yet in August: it is reported where that is allowed."""
    given = {"out": tmp_path, "mirror": kept and tmp_path / kept, "progress": False}
    chosen = {"sections": "project_pipeline", "formats": "html", "allow_empty": True}
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as live:
        made = fk.report_by("client", "2026-08", fleet=live, **given, **chosen)
        with pytest.raises(NothingToReport, match="no data of August 2026"):
            fk.report_by("client", "2026-08", fleet=live, **given)
    pages = [entry.paths.html.read_text(encoding="utf-8") for entry in made.of("complete")]
    assert ["need a mirror with a history" in page for page in pages] == [bool(kept)] * len(pages)
    assert pages


@pytest.mark.parametrize(("count", "more"), [(3, "."), (5, "; and 2 more.")])
def test_an_error_names_three_reports_that_failed_and_counts_the_others(count, more):
    clients = [Group(f"Client {n}", fk.Filter(), frozenset(), None, True) for n in range(count)]
    problems = [ValueError("no disk" if n else "no disk.") for n in range(count)]  # a sentence, too
    entries = tuple(map(index.failed, clients, problems))
    reports = Reports(Path("index.html"), entries, "2026-10")
    assert repr(reports) == f"Reports(index=index.html: {count} failed)"
    names = "; ".join(f"Client {n}: no disk" for n in range(3))
    said = f"{count} of {count} reports failed: {names}{more} index.html lists all."
    assert str(ReportsFailed(reports)) == said


def a_client(name, flights=(), hours=None):
    return Group(name, fk.Filter(), frozenset(flights), hours, True)


def test_a_report_whose_scheduler_is_lost_fails_and_says_so():
    lost = Future()
    lost.cancel()  # as Dask does
    entry = several._outcome(lost, a_client("Aerie"), lambda paths: paths)
    assert (entry.state, entry.error) == (
        "failed",
        "Dask's scheduler was lost before the report was made. Start it, and report again.",
    )


def test_two_clients_whose_names_look_alike_are_told_apart_and_have_a_report_each(tiny_records):
    one, other = "\u00c5se", "A\u030ase"  # Åse
    tiny_records["projects"] = [
        a_project("proj_1", clientAccountName=one),
        a_project("proj_2", clientAccountName=other),
    ]
    with ExitStack() as stack:
        served = serving(stack, tiny_records)
        with fk.connect(served.base_url, served.api_key, progress=False) as live:
            clients = groups(live, "client", live.period("2026-10"))

    def make(filter_):
        made = Future()
        made.set_exception(ValueError(f"disk full: {filter_.client}"))
        return made

    entries = several._made(clients, make, lambda paths: paths, None)
    assert {(entry.group.name, entry.error) for entry in entries} == {
        (rf"{one} ('\xc5se')", f"disk full: ('{one}',)"),
        (rf"{other} ('A\u030ase')", f"disk full: ('{other}',)"),
    }


def test_a_failure_is_told_in_one_line_of_at_most_500_letters_or_by_its_kind():
    long = index.failed(a_client("A"), ValueError("no disk\n" + "in a very long path, " * 50))
    assert (long.state, long.error[:10], len(long.error)) == ("failed", "no disk in", 500)
    assert index.failed(a_client("A"), KeyboardInterrupt()).error == "KeyboardInterrupt"


def test_scripts_are_told_of_each_report_where_it_is_and_nothing_of_an_error_where_there_is_none():
    made = Paths(html=Path("a/report.html"), pdf=None, manifest=Path("a/manifest.json"))
    told = Entry(a_client("A", ["fl_1"], 0.5), made, {"high": 1}).summary()
    assert (told["state"], told["flights"], told["hours"]) == ("complete", 1, 0.5)
    where = {"html": "a/report.html", "pdf": None, "manifest": "a/manifest.json", "data": None}
    assert (told["paths"], told["attention"], told["error"]) == (where, {"high": 1}, None)
    empty = Entry(a_client("B"), None, {}).summary()
    assert (empty["state"], empty["paths"], empty["error"]) == ("nothing to report", {}, None)


def test_the_page_links_what_was_made_and_counts_what_needs_attention_in_each(tmp_path):
    made = tmp_path / "Fjord #1"
    paths = Paths(html=None, pdf=made / "report.pdf", manifest=made / "manifest.json")
    counts = [dict.fromkeys(index.GRADES, number) for number in (2, 3)]
    entries = [
        Entry(a_client("A", ["fl_1"]), paths, counts[0]),
        Entry(a_client("B"), None, counts[1]),
        index.failed(a_client("C"), ValueError("no disk")),
    ]
    totals = {"flights": 1234, "hours": None, "others": 0, "last": None, "earlier": []}
    page = index.context(entries, tmp_path, {}, "client", totals)
    [row] = page["rows"]
    assert row["links"] == [("PDF", "Fjord%20%231/report.pdf")]
    assert (row["flights"], row["hours"], page["hours"]) == ("1", *["not recorded"] * 2)
    assert (page["flights"], page["empty"]) == ("1,234", ["B"])
    assert row["attention"] == [2] * len(index.GRADES)
    assert [entry.group.name for entry in page["failed"]] == ["C"]


@pytest.mark.skipif(not locks.SUPPORTED, reason="one waits for the other by a lock")
def test_two_runs_at_once_write_the_page_one_after_the_other(tmp_path):
    path, pages = tmp_path / "index.html", ["a" * 100_000, "b" * 100_000]
    with ThreadPoolExecutor(2) as pool:
        written = [pool.submit(several._write, page, path) for page in pages * 100]
    assert [future.exception() for future in written] == [None] * 200
    assert path.read_text() in pages
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not locks.SUPPORTED, reason="one waits for the other by a lock")
def test_a_report_that_another_run_replaces_meanwhile_keeps_its_two_lines_of_attention(tmp_path):
    final = tmp_path / "2026-10_a"

    def replace():
        with replaced(final) as folder:
            (folder / "manifest.json").write_text("{}")
            section = folder / "sections" / "pricing" / "section.json"
            section.parent.mkdir(parents=True)
            section.write_text(json.dumps({"attention": [{"severity": index.GRADES[0]}] * 2}))

    replace()
    group = Group("A", fk.Filter(), frozenset(), None, False)
    paths = Paths(html=None, pdf=None, manifest=final / "manifest.json")
    with ThreadPoolExecutor(1) as pool:
        others = [pool.submit(replace) for _ in range(200)]
        entries = [index.entry(group, paths) for _ in range(2000)]
    assert [other.exception() for other in others] == [None] * 200
    assert {entry.attention[index.GRADES[0]] for entry in entries} == {2}


def test_nothing_is_left_of_a_page_that_can_not_take_its_place(tmp_path):
    (tmp_path / "index.html").mkdir()
    with pytest.raises(ReportError, match=r"index\.html can't be written: it is a folder\."):
        several._write("page", tmp_path / "index.html")
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


def test_no_other_report_is_said_to_be_made_where_the_others_had_nothing_to_report():
    clients = [Group(f"Client {n}", fk.Filter(), frozenset(), None, n == 0) for n in range(2)]
    entries = (index.failed(clients[0], ValueError("no disk")), Entry(clients[1], None, {}))
    failure = ReportsFailed(Reports(Path("index.html"), entries, "2026-10"))
    assert str(failure) == "1 of 2 reports failed: Client 0: no disk. index.html lists all."


def test_sections_that_no_client_s_report_can_have_are_refused_at_once(fleet, tmp_path):
    with pytest.raises(ReportError, match="Pricing: it can't be narrowed to one client"):
        fk.report_by("client", "2026-10", fleet=fleet, out=tmp_path, sections="pricing")
    assert list(tmp_path.iterdir()) == []


def test_an_argument_that_would_let_every_report_fail_is_refused_at_once(fleet, tmp_path):
    wrong = (
        {"sections": "pricng"},
        {"formats": "docx"},
        {"by_name": True},
        {"data": "no"},
        {"accessible": True, "formats": "html"},
        {"accessible": True, "formats": "html", "scheduler": "tcp://127.0.0.1:9"},
        {"changed_since": 9},
        {"changed_since": 2},  # the newest state
    )
    for options in wrong:
        with pytest.raises((InvalidValue, MirrorError)):
            fk.report_by("client", "2026-10", fleet=fleet, out=tmp_path, **options)
    assert list(tmp_path.iterdir()) == []


def test_what_changed_in_a_service_without_a_mirror_is_refused_before_any_report(tiny, tmp_path):
    refused = pytest.raises(InvalidValue, match="changed_since needs a mirror")
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as live, refused:
        fk.report_by("client", "2026-10", fleet=live, out=tmp_path, changed_since=1)
    assert list(tmp_path.iterdir()) == []


def test_a_scope_that_every_strict_report_lacks_is_named_once_before_any_report(tiny, tmp_path):
    key = tiny.store.create_key(tiny.organisation, name="part", scopes=["equipment:read"])
    refused = pytest.raises(ReportError, match=r"^Sections can't be made: .*scope project:read")
    with fk.connect(tiny.base_url, key, progress=False) as live, refused:
        fk.report_by("pilot", "2026-10", fleet=live, out=tmp_path, strict=True)
    assert not any(tmp_path.iterdir())


def test_nobody_to_report_on_is_nothing_to_report(fleet, tmp_path):
    nobody = fk.Filter(client="Nobody")
    with pytest.raises(NothingToReport):
        fk.report_by("client", "2026-10", fleet=fleet, out=tmp_path, filter=nobody)


def test_the_command_line_names_near_kinds_of_report(run, mirror):
    code, _, message = run("report", "--mirror", str(mirror), "--each", "clients")
    assert (code, "Did you mean client?" in message) == (2, True)


@pytest.mark.slow
def test_the_command_line_tells_what_became_of_each_report(run, mirror, own):
    options = ["--mirror", str(mirror), "--month", "2026-10", "--each", "client", "--json"]
    code, printed, message = run("report", *options, "--notebooks", str(own), "--sections", "own")
    told = json.loads(printed)
    assert (code, told["exit_code"], told["state"]) == (1, 1, "partial")
    assert told["counts"] == {"complete": 1, "nothing_to_report": 1, "failed": 1}
    assert [(one["name"], one["state"]) for one in told["reports"]] == [
        (AURORA, "complete"),
        (BOREALIS, "failed"),
        (CUMULUS, "nothing to report"),
    ]
    assert "1 of 3 reports failed" in message
    gaps = ["--notebooks", str(own), "--sections", "own", "--allow-gaps"]
    code, printed, _ = run("report", *options, *gaps)
    told = json.loads(printed)
    assert (code, told["counts"]["complete"], told["state"]) == (0, 2, "partial")


@pytest.mark.slow
def test_an_interruption_stops_every_kernel_and_leaves_no_half_report(mirror, tmp_path):
    os.mkfifo(tmp_path / "runs")
    waiting = f"open({str(tmp_path / 'runs')!r}, 'w').write(str(os.getpid()))"
    notebook(tmp_path / "slow", "slow", "import os, time", waiting, "time.sleep(60)")
    words = ["report", "--month", "2026-10", "--each", "client", "--client"]
    words += [BOREALIS, "--mirror", str(mirror), "--notebooks", "slow", "--sections", "slow"]
    process = subprocess.Popen(
        [sys.executable, "-m", "fleetkit", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    kernel = (tmp_path / "runs").read_text()
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=30)
    assert (process.returncode, "Interrupted; the reports that were done" in message) == (130, True)
    assert left_of([kernel]) == []
    assert list((tmp_path / "reports").glob("*/*")) == []
