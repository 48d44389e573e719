"""Which chapters a report has: the chosen ones in their order, and notebooks of one's own."""

import json
import re
from datetime import date
from pathlib import Path

import pytest
from a_notebook import notebook
from pypdf import PdfReader

import fleetkit as fk
from fleetkit.errors import InvalidValue, ReportError
from fleetkit.reports.chapters import available, chosen

pytestmark = pytest.mark.usefixtures("warm_kernels")


def names(notebooks):
    return [notebook.name for notebook in notebooks]


@pytest.mark.slow
@pytest.mark.parametrize("sections", ["pricing, flight_hours", ["pricing", "flight_hours"]])
def test_sections_are_chosen_by_name_and_stand_in_the_order_of_the_choice(sections):
    shown, others = chosen(available(), sections)
    assert names(shown) == ["pricing", "flight_hours"]
    assert names(others) == [name for name in names(available()) if name not in names(shown)]


def test_a_section_that_there_is_not_is_an_error_with_a_near_name():
    with pytest.raises(InvalidValue, match=r"named .pricng.\. Did you mean pricing"):
        chosen(available(), "flight_hours,pricng")


@pytest.mark.parametrize("sections", ["", " , ", []])
def test_no_section_at_all_is_an_error(sections):
    with pytest.raises(InvalidValue, match=r"No section is named\. Sections are: flight_hours"):
        chosen(available(), sections)


@pytest.mark.slow
def test_a_notebook_of_one_s_own_is_added_and_one_of_the_same_name_replaces_fleetkit_s(tmp_path):
    notebook(tmp_path, "batteries", order=0)
    own = notebook(tmp_path, "pricing")
    notebooks = {notebook.name: notebook for notebook in available(tmp_path)}
    assert set(notebooks) == {*names(available()), "batteries"}
    assert (next(iter(notebooks)), notebooks["pricing"].path) == ("batteries", own)


def test_a_notebook_that_is_no_section_is_named(tmp_path):
    notebook(tmp_path, "batteries")
    notebook(tmp_path, "scratch", parameters="mirror = ''")
    with pytest.raises(ReportError, match=r"scratch\.ipynb is not a section: it has no parameter"):
        available(tmp_path)


@pytest.mark.parametrize(("folder", "problem"), [(".", "holds no notebook"), ("x", "not a folder")])
def test_a_folder_without_notebooks_is_an_error(folder, problem, tmp_path):
    with pytest.raises(InvalidValue, match=problem):
        available(tmp_path / folder)


def test_the_command_line_refuses_a_section_before_anything_is_read(run):
    code, _, message = run("report", "--mirror", "none/", "--sections", "pricng")
    assert (code, "Did you mean pricing?" in message) == (2, True)


@pytest.mark.slow
def test_sections_none_of_which_a_client_s_report_may_show_are_an_error(run):
    fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=200).sync("mirror")
    client = fk.open_mirror("mirror").projects()["client_account_name"].dropna().iloc[0]
    options = ["--mirror", "mirror", "--month", "2026-10", "--client", client]
    code, _, message = run("report", *options, "--sections", "pricing")
    assert code == 1
    assert "No section of the report can be made: Pricing: it can't be narrowed" in message


OURS = {"organisation": "Nordic Drone Services"}
OWN = """\
import fleetkit as fk
options = {"tz": tz, "settings": settings}
fleet = fk.open_mirror(mirror, version=version, **options)
pieces = len(fleet.equipment())
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return the folder of a report of two sections, one of which is one's own."""
    folder = tmp_path_factory.mktemp("chapters")
    fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=200).sync(folder / "mirror")
    notebook(folder / "own", "batteries", OWN, needs=["equipment"], subject="equipment")
    paths = fk.report(
        "2026-10",
        fleet=fk.open_mirror(folder / "mirror"),
        out=folder,
        notebooks=folder / "own",
        sections=["pricing", "batteries"],
        settings={"engine": "duckdb"},
    )
    return paths.manifest.parent


@pytest.mark.slow
def test_what_the_documentation_says_of_own_notebooks_and_templates_is_done(tmp_path, monkeypatch):
    page = (Path(__file__).parents[1] / "docs" / "adding.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    [copying] = re.findall(r"```python\n(import shutil\n.*?)```", page, re.DOTALL)
    exec(copying, {})  # noqa: S102 - the block under test
    [(name, text)] = re.findall(r"```jinja\n\{# (\S+) #\}\n(.*?)```", page, re.DOTALL)
    Path(name).parent.mkdir()
    Path(name).write_text(text, encoding="utf-8")
    own = Path("own/pricing.ipynb")
    own.write_text(own.read_text(encoding="utf-8").replace("# Pricing", "# Our prices"))
    fk.demo(as_of=date(2026, 11, 20), equipment=16, flights=200).sync("mirror")
    options = {"notebooks": "own", "templates": "layout", "formats": ["html"]}
    fleet = fk.open_mirror("mirror")
    paths = fk.report("2026-10", fleet=fleet, sections="pricing", settings=OURS, **options)
    record = json.loads(paths.manifest.read_text(encoding="utf-8"))
    assert '<p class="issuer">Nordic Drone Services</p>' in paths.html.read_text(encoding="utf-8")
    assert "# Our prices" in (paths.html.parent / "notebooks/pricing.ipynb").read_text()
    assert list(record["templates"]) == ["_masthead.html.j2"]


@pytest.mark.slow
def test_only_the_chosen_sections_are_run_in_their_order(report):
    record = json.loads((report / "manifest.json").read_text(encoding="utf-8"))
    page = (report / "report.html").read_text(encoding="utf-8")
    assert [section["name"] for section in record["sections"]] == ["pricing", "batteries"]
    chapters = re.findall(r'<section class="chapter" aria-labelledby="(\w+)"', page)
    assert chapters == ["pricing", "batteries"]
    assert (report / "notebooks" / "batteries.ipynb").is_file()


@pytest.mark.slow
def test_the_engine_of_the_settings_counts_where_no_other_is_named(report):
    assert json.loads((report / "manifest.json").read_text())["engine"] == "duckdb"


@pytest.mark.slow
def test_the_first_page_is_of_the_chosen_sections_and_says_what_was_not_looked_at(report):
    page = (report / "report.html").read_text(encoding="utf-8")
    front = page[page.index('class="front') : page.index('class="chapter"')]
    assert set(re.findall(r'href="#(\w+)"', front)) <= {"pricing", "batteries", "_attention"}
    assert '<ul class="kpis' not in front
    [others] = re.findall(r"not looked at: ([^<.]*)", front)
    # Those of the report, and whatever sections there are beside them.
    assert {"Flight hours", "Equipment condition", "Project pipeline"} <= set(
        re.split(", | and ", others)
    )
    assert "Flight hours: it was not chosen; Equipment condition: it was not chosen" in page


@pytest.mark.slow
def test_the_first_chapter_follows_a_front_that_chosen_sections_leave_nearly_empty(report):
    first = PdfReader(report / "report.pdf").pages[0].extract_text()
    assert "Rates of active tiers" in first
