"""The demo's report for all who read it: on paper, on screens of any size, and by ear."""

import json
import re
import sys
from datetime import UTC, date, datetime
from html import unescape
from importlib.metadata import version
from importlib.resources import files
from io import BytesIO
from itertools import pairwise

import pytest
from a_browser import RULES_OF_COLOUR
from a_printed import MOST_PAGES, filled
from pypdf import PdfReader
from pypdf.generic import ContentStream

import fleetkit as fk
from fleetkit.reports.pdf import pdf

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_kernels")]

PHONE, WIDE = 390, 1200
MOST_BYTES = 1_500_000
# WCAG 2.2, levels A and AA; the size of targets is checked only where it is asked for.
WCAG = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
RULES = {"runOnly": WCAG, "rules": {"target-size": {"enabled": True}}}
RULES_OF_DARK = {"runOnly": {"type": "rule", "values": RULES_OF_COLOUR}}
# A phone shows no text that a wide screen doesn't, and each in the same colours.
RULES_OF_PHONES = {**RULES, "rules": {**RULES["rules"], "color-contrast": {"enabled": False}}}
RUN_AXE = """(options) => axe.run(options).then(({ violations, passes }) => [
  violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`)),
  passes.map(({ id }) => id),
])"""

# Where the texts of each column with bars end: of its head, its rows and its totals.
NUMBER_ENDS = """[...document.querySelectorAll("thead th.bar")].map(head => {
    const end = cell => {
        const range = document.createRange();
        range.selectNodeContents(cell.firstChild);
        return range.getBoundingClientRect().right;
    };
    const rows = [...head.closest("table").querySelectorAll("tbody tr")];
    const cells = rows.map(row => row.cells[head.cellIndex]).filter(cell => cell?.textContent);
    return {name: head.textContent, ends: [head, ...cells].map(end)};
})"""
# What is wider than the box in which it scrolls.
SCROLLING = """() => [...document.querySelectorAll(".scroll")]
  .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.firstElementChild.tagName)"""
# Each chart that is seen, and its smallest type in pixels of the screen.
TYPE = """() => [...document.querySelectorAll("svg.chart")]
  .filter((chart) => chart.checkVisibility())
  .map((chart) => [chart.querySelector("title").textContent,
    Math.min(...[...chart.querySelectorAll("text")].map((text) =>
      parseFloat(getComputedStyle(text).fontSize) * chart.getScreenCTM().a))])"""


@pytest.fixture(scope="module")
def demo():
    """Open the demo, which is loaded once for all reports."""
    return fk.demo(as_of=date(2026, 11, 20))


@pytest.fixture(scope="module")
def report(demo, tmp_path_factory):
    """Return the paths of the demo's October, with a tagged PDF."""
    out = tmp_path_factory.mktemp("screen")
    return fk.report("2026-10", fleet=demo, out=out, accessible=True, progress=False)


@pytest.fixture(scope="module")
def path(report):
    return report.html


@pytest.fixture(scope="module")
def index(tiny, tmp_path_factory):
    """Return the page that lists a report for each client."""
    short = {"sections": "project_pipeline", "formats": "html"}
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        reports = fk.report_by(
            "client", "2026-10", fleet=fleet, out=tmp_path_factory.mktemp("each"), **short
        )
    return reports.index


@pytest.fixture(scope="module")
def tagged(report):
    return PdfReader(report.pdf)


@pytest.fixture(scope="module")
def opened(browser, path):
    """Return a function (width) -> Page: the report on a light screen of that many pixels."""
    page = browser.new_page()
    page.goto(path.as_uri())

    def opened(width):
        page.emulate_media(media="screen", color_scheme="light")
        page.set_viewport_size({"width": width, "height": 844})
        return page

    yield opened
    page.close()


def test_the_manifest_of_a_tagged_pdf_names_what_wrote_it(report):
    made = json.loads(report.manifest.read_text(encoding="utf-8"))
    assert made["accessible"] is True
    assert made["packages"]["weasyprint"] == version("weasyprint")


def test_it_is_one_file_of_less_than_one_and_a_half_megabytes(path):
    assert path.stat().st_size < MOST_BYTES


# On paper


@pytest.fixture(scope="module")
def printed(path):
    """Return the HTML, and the PDF that is made of it where no tagged one is asked for."""
    html = path.read_text(encoding="utf-8")
    return html, PdfReader(BytesIO(pdf(html, made=datetime(2026, 11, 20, tzinfo=UTC))[0]))


def test_it_has_nine_pages_at_most_tagged_or_not(printed, tagged):
    pages = max(len(printed[1].pages), len(tagged.pages))
    assert pages <= MOST_PAGES, "docs/adding.md, A section, says where others stand"


def test_the_first_page_holds_the_whole_summary_and_nothing_else(printed):
    first, second = (page.extract_text() for page in printed[1].pages[:2])
    titles = ["Hours by month", "Status and condition", "Work in hand", "Registrations"]
    assert [title for title in titles if title not in first or title in second] == []
    assert "How much did the fleet fly" not in first
    assert "How much did the fleet fly" in second


def test_every_page_but_the_last_is_at_least_half_full(printed):
    shares = [filled(page) for page in printed[1].pages[:-1]]
    assert [
        (number, round(share, 2)) for number, share in enumerate(shares, 1) if share < 0.5
    ] == []


def test_no_figure_and_no_table_stands_twice(printed):
    headings = re.findall(r'<h3 id="([^"]+)">([^<]+)', printed[0])
    names = [name for name, _ in headings]
    titles = [title.strip() for _, title in headings]
    assert (len(names), len(titles)) == (len(set(names)), len(set(titles)))


def test_no_sentence_of_the_first_page_is_said_again(printed):
    front, _, chapters = printed[0].partition('class="chapter"')
    verdict = re.findall(r'<li><a class="topic"[^>]*>[^<]*</a> (.*?)</li>', front)
    assert len(verdict) == 3
    assert [sentence for sentence in verdict if sentence in chapters] == []


# On screens


def test_axe_finds_nothing(browser, path):
    assert_clean(browser, path, WIDE)


def test_axe_finds_nothing_on_a_phone(browser, path):
    page = with_axe(browser, path, PHONE)
    violations, passes = page.evaluate(RUN_AXE, RULES_OF_PHONES)
    assert violations == []
    assert {"target-size", "html-has-lang", "aria-allowed-attr"} <= {*passes}
    page.close()


def test_a_line_joins_the_grades_of_what_needs_attention_in_the_list_of_reports(browser, index):
    page = browser.new_page(viewport={"width": 1100, "height": 800})
    page.goto(index.as_uri())
    group = page.locator("thead .group")
    high = page.get_by_role("columnheader", name="high")
    assert group.evaluate("(head) => getComputedStyle(head).borderBottomStyle") == "solid"
    assert group.bounding_box()["x"] == high.bounding_box()["x"]
    page.close()


def test_on_paper_the_list_of_reports_gives_names_more_room_than_numbers(browser, index):
    page = browser.new_page(viewport={"width": 680, "height": 900})
    page.goto(index.as_uri())
    page.emulate_media(media="print")
    [name, flights] = [
        page.get_by_role("columnheader", name=head, exact=True).bounding_box()["width"]
        for head in ("Client", "Flights")
    ]
    assert name > 1.5 * flights
    page.close()


def test_axe_finds_nothing_in_the_list_of_several_reports(browser, index):
    assert_clean(browser, index, PHONE)


def with_axe(browser, path, width):
    """Open a page on a light screen, with all of its details and with axe."""
    page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme="light")
    page.goto(path.as_uri())
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    return page


def assert_clean(browser, path, width):
    """Hold a page to all rules on a light screen; a dark one differs from it by its colours."""
    page = with_axe(browser, path, width)
    violations, passes = page.evaluate(RUN_AXE, RULES)
    assert violations == []
    assert {"target-size", "color-contrast", "html-has-lang", "aria-allowed-attr"} <= {*passes}
    page.emulate_media(color_scheme="dark")
    violations, passes = page.evaluate(RUN_AXE, RULES_OF_DARK)
    assert (violations, "color-contrast" in passes) == ([], True)
    page.close()


def test_every_key_figure_and_every_chart_says_how_it_came_about(opened):
    page = opened(WIDE)
    for kind in (".kpi", "figure"):
        count = page.locator(kind).count()
        assert count == page.locator(f"{kind}:has(> .how)").count() > 8
    hours = page.locator(".kpi", has=page.get_by_text("Hours", exact=True))
    assert not hours.get_by_text("Seconds in the logs").is_visible()
    hours.get_by_label("How: Hours").focus()
    page.keyboard.press("Enter")
    assert hours.get_by_text("Seconds in the logs").is_visible()
    assert hours.get_by_text("467 of 470").is_visible()
    page.emulate_media(media="print")
    assert page.locator(".how:visible").count() == 0


def test_a_phone_scrolls_nothing_sideways_but_tables(opened):
    page = opened(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE
    assert {*page.evaluate(SCROLLING)} == {"TABLE"}


def test_numbers_with_a_bar_and_without_one_end_on_one_line(opened):
    ends = opened(WIDE).evaluate(NUMBER_ENDS)
    assert len(ends) > 3
    assert [column for column in ends if max(column["ends"]) - min(column["ends"]) > 1] == []


def test_a_row_keeps_its_name_where_a_phone_scrolls_the_other_columns(opened):
    table = opened(PHONE).get_by_role("group", name="Rates of active tiers")
    name = table.get_by_role("rowheader").first
    left = name.bounding_box()["x"]
    table.evaluate("box => box.scrollLeft = 30")
    assert table.evaluate("box => box.scrollLeft") == 30
    assert name.bounding_box()["x"] == left


@pytest.mark.parametrize("width", [PHONE, 700, WIDE])
def test_the_type_of_every_chart_is_seen_in_ten_pixels_and_more(opened, width):
    page = opened(width)
    sizes = page.evaluate(TYPE)
    assert len(sizes) == page.locator("figure").count()
    assert [(title, size) for title, size in sizes if size < 10] == []


# By ear


def elements(node, inside=()):
    """Yield the elements of a PDF's structure in the order in which they are read.

    Each with the kinds of those that it is in.
    """
    node = node.get_object()
    if isinstance(node, list):
        for child in node:
            yield from elements(child, inside)
    elif isinstance(node, dict) and "/S" in node:
        yield node, inside
        if "/K" in node:
            yield from elements(node["/K"], (*inside, node["/S"]))


@pytest.fixture(scope="module")
def tags(tagged):
    return list(elements(tagged.trailer["/Root"]["/StructTreeRoot"]["/K"]))


def test_the_tagged_pdf_says_that_it_is_one_in_which_language_and_of_what(tagged):
    root = tagged.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] == True  # noqa: E712 - a PDF boolean
    assert b'pdfuaid:part="1"' in root["/Metadata"].get_object().get_data()
    assert root["/Lang"] == "en-GB"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"] == True  # noqa: E712 - as above
    assert tagged.metadata.title.endswith(" · Fleet report · October 2026")


def test_headings_follow_each_other_and_skip_no_level(tags):
    levels = [int(node["/S"][2]) for node, _ in tags if re.fullmatch("/H[1-6]", node["/S"])]
    assert levels[:2] == [1, 2]
    assert levels.count(1) == 1
    assert max(later - level for level, later in pairwise(levels)) == 1


def test_every_head_of_a_table_says_whether_it_is_a_column_s_or_a_row_s(tags):
    scopes = {
        ("/THead" in inside, node["/A"]["/Scope"]) for node, inside in tags if node["/S"] == "/TH"
    }
    assert scopes == {(True, "/Column"), (False, "/Row")}


def test_every_picture_says_what_it_shows(tags, path):
    texts = [node.get("/Alt") for node, _ in tags if node["/S"] == "/Figure"]
    charts = re.findall(r'class="chart"[^>]* aria-label="([^"]+)"', path.read_text("utf-8"))
    wide = {" ".join(unescape(chart).split()) for chart in charts}
    assert wide < {" ".join(text.split()) for text in texts}
    assert any("later · 21; no expiry date · 30" in text for text in texts)
    assert [text for text in texts if not text] == []


def test_the_items_of_a_list_lie_in_it_and_cells_in_rows(tags):
    places = {"/LI": {"/L"}, "/LBody": {"/LI"}, "/TH": {"/TR"}, "/TD": {"/TR"}}
    places["/TR"] = {"/Table", "/THead", "/TBody", "/TFoot"}
    inside = {(node["/S"], path[-1]) for node, path in tags if node["/S"] in places}
    assert {kind for kind, _ in inside} == {*places}
    assert [(kind, place) for kind, place in inside if place not in places[kind]] == []
    assert {node["/S"] for node, path in tags if path[-1:] == ("/L",)} == {"/LI"}
    assert {node["/S"] for node, path in tags if path[-1:] == ("/LI",)} == {"/LBody"}


def test_all_that_is_drawn_is_read_or_marked_as_not_to_be(tagged, tags):
    read = {pair for node, _ in tags for pair in numbers(node)}
    for page in tagged.pages:
        content, open_marks, drawn = page.get_contents(), [], []
        for operands, operator in ContentStream(content, tagged).operations:
            if operator in {b"BDC", b"BMC"}:
                open_marks.append((operands[0], dict(*operands[1:]).get("/MCID")))
            elif operator == b"EMC":
                open_marks.pop()
            elif operator in {b"Tj", b"TJ", b"f", b"S", b"B"}:
                drawn.append(tuple(open_marks))
        place = page.indirect_reference.idnum
        marks = {
            ("artifact" if kind == "/Artifact" else (place, number) in read)
            for open_ones in {*drawn}
            for kind, number in (open_ones or [("nothing", None)])
        }
        assert marks <= {"artifact", True}


def numbers(node):
    """Yield page and number of the content that an element holds itself."""
    children = node.get("/K", [])
    for part in children if isinstance(children, list) else [children]:
        child = part.get_object()
        if isinstance(child, int):
            yield node.raw_get("/Pg").idnum, child
        elif "/MCID" in child:
            yield (child if "/Pg" in child else node).raw_get("/Pg").idnum, child["/MCID"]


def test_chapters_are_read_in_the_order_of_the_page(tagged, path):
    html = path.read_text("utf-8")
    titles = re.findall(r'<h2 id="(?!summary)[^"]+">([^<]+)', html)
    text = " ".join(" ".join(page.extract_text() for page in tagged.pages).split())
    places = [text.rindex(title.strip()) for title in titles if title.strip() != "Data quality"]
    assert len(places) > 5
    assert places == sorted(places)


def test_the_tagged_first_page_holds_the_whole_summary_too(tagged):
    first, second = (page.extract_text() for page in tagged.pages[:2])
    titles = ["Needs attention", "Hours by month", "Status and condition", "Registrations"]
    assert [title for title in titles if title not in first] == []
    assert "How much did the fleet fly" in second


def test_a_tagged_pdf_without_weasyprint_says_how_to_install_it(demo, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(fk.ReportError, match=r'pip install "fleetkit\[accessible\]"'):
        fk.report("2026-10", fleet=demo, out=tmp_path, accessible=True)
    assert list(tmp_path.iterdir()) == []


def test_a_tagged_pdf_that_is_no_format_is_refused(demo, tmp_path):
    with pytest.raises(fk.InvalidValue, match="which the formats leave out"):
        fk.report("2026-10", fleet=demo, out=tmp_path, formats="html", accessible=True)
