"""The pages of the demo's monthly report: how many there are, how full, and what stands twice."""

import re
from datetime import date

import pytest
from pypdf import PdfReader, mult

import fleetkit as fk

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_kernels")]

MOST_PAGES = 9
# Points from the lower edge of the paper up to the footer's own room.
FOOT = 40


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return HTML and PDF of the demo's October."""
    paths = fk.report(
        "2026-10", fleet=fk.demo(as_of=date(2026, 11, 20)), out=tmp_path_factory.mktemp("pages")
    )
    return paths.html.read_text(encoding="utf-8"), PdfReader(paths.pdf)


def filled(page):
    """Return which share of a page's height lies above its last line of text."""
    heights = []

    def visit(text, transform, text_transform, *_):
        y = mult(text_transform, transform)[5]
        if text.strip() and y > FOOT:
            heights.append(y)

    page.extract_text(visitor_text=visit)
    paper = float(page.mediabox.height)
    return (paper - min(heights)) / (paper - FOOT)


def test_it_has_nine_pages_at_most(report):
    assert len(report[1].pages) <= MOST_PAGES


def test_the_first_page_holds_the_whole_summary_and_nothing_else(report):
    first, second = (page.extract_text() for page in report[1].pages[:2])
    titles = ["Hours by month", "Status and condition", "Work in hand", "Registrations"]
    assert [title for title in titles if title not in first or title in second] == []
    assert "How much did the fleet fly" not in first
    assert "How much did the fleet fly" in second


def test_every_page_but_the_last_is_at_least_half_full(report):
    shares = [filled(page) for page in report[1].pages[:-1]]
    assert [
        (number, round(share, 2)) for number, share in enumerate(shares, 1) if share < 0.5
    ] == []


def test_no_figure_and_no_table_stands_twice(report):
    headings = re.findall(r'<h3 id="([^"]+)">([^<]+)', report[0])
    names = [name for name, _ in headings]
    titles = [title.strip() for _, title in headings]
    assert (len(names), len(titles)) == (len(set(names)), len(set(titles)))


def test_no_sentence_of_the_first_page_is_said_again(report):
    front, _, chapters = report[0].partition('class="chapter"')
    verdict = re.findall(r'<li><a class="topic"[^>]*>[^<]*</a> (.*?)</li>', front)
    assert len(verdict) == 3
    assert [sentence for sentence in verdict if sentence in chapters] == []


def test_the_summary_of_a_month_that_is_not_over_is_one_page_too(tmp_path):
    fleet = fk.demo(as_of=date(2026, 11, 20))
    pages = PdfReader(fk.report("2026-11", fleet=fleet, out=tmp_path, formats="pdf").pdf).pages
    assert "Registrations" in pages[0].extract_text()
    assert "How much did the fleet fly" in pages[1].extract_text()
