"""A report of any organisation: every page at its size, none blank, no markup that runs."""

import re
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import a_notebook
import pytest
from a_section import ABOUT
from conftest import synced
from odd_organisations import ORGANISATIONS
from pypdf import PdfReader

from fleetkit.reports import render
from fleetkit.reports.chapters import available
from fleetkit.reports.pdf import pdf

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

CHAPTERS = [chapter.name for chapter in available(None) if not chapter.history]
# The smallest type that any report is set in [pt], and the most pages.
SMALLEST, MOST_PAGES = 6.5, 15
MADE = datetime(2026, 11, 20, tzinfo=UTC)
_PLACE = re.compile(rb"([\d.]+) 0 0 -[\d.]+ [\d.]+ [\d.]+ Tm")


@pytest.fixture(scope="module", params=ORGANISATIONS)
def report(request, tmp_path_factory):
    """Return name, HTML and PDF pages of an organisation's report."""
    records, period = ORGANISATIONS[request.param]
    folder = tmp_path_factory.mktemp("odd")
    span = {"period": period, "mirror": str(synced(records, folder / "mirror"))}
    for chapter in CHAPTERS:
        section = a_notebook.made(chapter, out=str(folder), **span)
        assert (len(section["sentences"]), bool(section["definitions"])) == (1, True), chapter
    html = render.html(ABOUT, [render.load_section(folder / chapter) for chapter in CHAPTERS])
    printed = pdf(html, made=MADE)[0]
    Path(folder, "report.pdf").write_bytes(printed)
    return request.param, html, PdfReader(BytesIO(printed)).pages


def test_every_page_is_set_at_its_size_and_none_is_blank(report):
    name, _, pages = report
    sizes = {
        float(size) for page in pages for size in _PLACE.findall(page.get_contents().get_data())
    }
    assert min(sizes) >= SMALLEST
    assert max(sizes) >= 17
    assert [number for number, page in enumerate(pages, 1) if len(page.extract_text()) < 200] == []
    assert len(pages) <= MOST_PAGES, name


def test_no_markup_of_a_name_is_markup_of_the_page(report):
    assert "alert(1)</script>" not in report[1]
    assert "<b>&amp;" not in report[1]


def test_nothing_is_said_of_what_could_not_be_looked_at(report):
    name, html, _ = report
    # Of no flight nobody failed to record whether it was by night.
    has_flights = name not in {"no records", "no flights", "before the first record"}
    assert ("Night, flights" in html) == has_flights
    if name == "no records":
        assert "0.0 h in 0 flights" not in html
    if name in {"no records", "nulls, in a week"}:
        assert "Flown while expired: none" not in html
    if name == "40 currencies, 1900 and 2200, in a year":
        assert "0.0 h in 0 flights" in html
        assert "Flown while expired: none" in html
