"""The demo's report on screens: its size, and what an accessibility checker finds in it."""

import shutil
from datetime import date
from importlib.resources import files

import pytest
from conftest import lacking

import fleetkit as fk

pytestmark = pytest.mark.slow

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
PHONE, WIDE = 390, 1200
MOST_BYTES = 1_500_000
# WCAG 2.2, levels A and AA; the size of targets is checked only where it is asked for.
RULES = """() => axe.run({
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
  rules: { "target-size": { enabled: true } },
}).then(({ violations, passes }) => [
  violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`)),
  passes.map(({ id }) => id),
])"""

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
def path(tmp_path_factory):
    """Return the HTML of the demo's October."""
    out = tmp_path_factory.mktemp("screen")
    fleet = fk.demo(as_of=date(2026, 11, 20))
    return fk.report("2026-10", fleet=fleet, out=out, formats="html", progress=False).html


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        lacking("Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, path):
    """Return a function (width, scheme) -> Page: the report on a screen of that many pixels."""
    contexts = []

    def open_page(width, scheme="light"):
        viewport = {"width": width, "height": 844}
        contexts.append(browser.new_context(viewport=viewport, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


def test_it_is_one_file_of_less_than_one_and_a_half_megabytes(path):
    assert path.stat().st_size < MOST_BYTES


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, PHONE])
def test_axe_finds_nothing(opened, width, scheme):
    page = opened(width, scheme)
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
    violations, passes = page.evaluate(RULES)
    assert violations == []
    assert {"target-size", "color-contrast", "html-has-lang", "aria-allowed-attr"} <= {*passes}


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


@pytest.mark.parametrize("width", [PHONE, 700, WIDE])
def test_the_type_of_every_chart_is_seen_in_ten_pixels_and_more(opened, width):
    page = opened(width)
    sizes = page.evaluate(TYPE)
    assert len(sizes) == page.locator("figure").count()
    assert [(title, size) for title, size in sizes if size < 10] == []
