"""A report in a browser that runs no script: on a phone, on a wide screen and on paper."""

import pandas as pd
import pytest
from a_section import ABOUT, loaded, section, with_labels
from long_names import NAMES, page

from fleetkit import charts, language
from fleetkit.reports import render

pytestmark = pytest.mark.slow

SMALL_PHONE, PHONE, WIDE, PAPER = 320, 390, 1200, 680
LONGEST_TITLE = "22 September 2025 – 30 November 2026, so far"
# How far the boxes that scroll show their right and their left end, in pixels.
ENDS = """(selector) => [...document.querySelectorAll(selector)].map((box) => {
  const [outer, inner] = [box, box.firstElementChild].map((each) => each.getBoundingClientRect());
  return [Math.round(inner.right - outer.right), Math.round(outer.left - inner.left)];
})"""
# For each row of cards, at which heights their values begin.
VALUES = """() => Object.values(Object.groupBy(
  document.querySelectorAll(".compact .kpi"), (card) => Math.round(card.getBoundingClientRect().top)
)).map((cards) => [...new Set(cards.map((card) =>
  Math.round(card.querySelector(".value").getBoundingClientRect().top)))])"""
# The least room between two numbers of a row, as wide as digits are, and a group of digits' own.
GAPS = """() => {
  const at = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return range.getBoundingClientRect();
  };
  const texts = [...document.querySelectorAll("tbody tr:first-child td.end")].map((cell) =>
    document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode());
  const whole = texts.map((text) => at(text, 0, text.length));
  const group = at(texts[0], 2, 3).width;  // 71 019
  return [Math.min(...whole.slice(1).map((box, n) => box.left - whole[n].right)), group];
}"""
TITLE_AND_DRAWING = """() => {
  const text = document.createRange();
  text.selectNodeContents(document.querySelector("h1"));
  const drawing = document.querySelector(".track").getBoundingClientRect();
  return [...text.getClientRects()].filter((line) => line.right > drawing.left
    && line.left < drawing.right && line.bottom > drawing.top && line.top < drawing.bottom).length;
}"""


@pytest.fixture(scope="module")
def opened(browser):
    """Return a function (html, width) -> Page: the report on a screen of that many pixels."""
    shown = browser.new_page(java_script_enabled=False)

    def open_page(html, width):
        shown.set_viewport_size({"width": width, "height": 844})
        shown.emulate_media(media="screen", color_scheme="light")
        shown.set_content(html)
        return shown

    yield open_page
    shown.close()


def a_year(folder):
    """Return a report with a chart over time, a table and rows of bars."""
    made = section(folder)
    months = [f"2025-{month:02d}" for month in range(1, 13)] + ["2026-01"]
    hours = pd.DataFrame({"month": months, "flights": 1, "hours": 2.0})
    made.figure("year", charts.flight_hours(hours), title="A year", alt="Columns")
    money = {"status": ["DRAFT"], "currency": ["EUR"], "projects": [1], "value": [9.0]}
    made.figure("pipeline", charts.project_pipeline(pd.DataFrame(money)), title="P", alt="Bars")
    return render.html(ABOUT, [loaded(made)])


@pytest.mark.parametrize("script", NAMES)
def test_no_name_makes_the_page_wider_than_the_screen(opened, tmp_path, script):
    shown = opened(page(tmp_path, NAMES[script]), PHONE)
    for width in (PHONE, WIDE):
        shown.set_viewport_size({"width": width, "height": 844})
        assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_a_phone_shows_every_chart_once_and_whole(opened, tmp_path):
    shown = opened(a_year(tmp_path), PHONE)
    assert shown.locator("figure .chart").count() == 6  # each drawn twice
    seen = shown.locator("figure .chart:visible").all()
    assert [chart.bounding_box()["x"] >= 0 for chart in seen] == [True] * 3
    assert max(chart.bounding_box()["width"] for chart in seen) <= PHONE


def test_a_phone_keeps_numbers_further_apart_than_their_groups_of_digits(opened, tmp_path):
    counts = {f"column {number}": [71_019] for number in range(8)}
    sums = pd.DataFrame({"month": ["2026-10"], **counts})
    with language.using("nb"):
        made = section(tmp_path)
        made.table("sums", sums, title="Sums")
        between, within = opened(render.html(ABOUT, [loaded(made)]), PHONE).evaluate(GAPS)
    assert between > 2.5 * within > 0


def test_a_wide_screen_shows_charts_whole(opened, tmp_path):
    shown = opened(a_year(tmp_path), WIDE)
    ends = shown.evaluate(ENDS, ".scroll:has(.chart)")
    assert {right for right, _ in ends} == {0}
    assert shown.locator("figure .chart:visible").count() == len(ends) == 3


@pytest.mark.parametrize("width", [WIDE, PAPER])
def test_the_title_never_runs_through_the_drawing(opened, tmp_path, width):
    made = loaded(section(tmp_path))
    shown = opened(render.html({**ABOUT, "title": LONGEST_TITLE}, [made]), width)
    shown.emulate_media(media="print" if width == PAPER else "screen")
    assert shown.evaluate(TITLE_AND_DRAWING) == 0


@pytest.mark.parametrize(
    ("media", "width"),
    [("screen", WIDE), ("screen", PHONE), ("screen", SMALL_PHONE), ("print", PAPER)],
)
def test_the_values_of_key_figures_side_by_side_stand_on_one_line(opened, tmp_path, media, width):
    shown = opened(with_labels(tmp_path, (11, 22, 33, 44)), width)
    shown.emulate_media(media=media)
    assert [len(heights) for heights in shown.evaluate(VALUES)] == [1] * (
        2 if width in {PHONE, SMALL_PHONE} else 1
    )
