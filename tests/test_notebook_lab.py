"""What a person sees in JupyterLab of a load, of a report and of a mistake."""

import nbformat
import pytest
from test_explore_lab import CLOSE, FAILURES, IDLE, OPEN, elsewhere, lab, window  # noqa: F401

pytestmark = pytest.mark.slow

LOAD = """\
import pathlib, time
from fleetkit.fleet import progress
progress.DELAY = 0
bar = progress.Progress()
bar.start(3, "Reading flights", "pieces of equipment")
bar.advance(2)
while not pathlib.Path("seen").exists():
    time.sleep(0.05)
bar.done()
"""
REPORT = """\
import fleetkit as fk
fleet = fk.demo(equipment=16, flights=200)
fk.report("2026-10", fleet=fleet, formats=["html"], sections="pricing")
"""


@pytest.fixture
def cells(lab, elsewhere):  # noqa: F811
    """Return a function (name, *cells) -> Page: a notebook of these cells, open in JupyterLab."""

    def open_cells(name, *sources):
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in sources],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        )
        nbformat.write(notebook, lab.folder / name)
        elsewhere.evaluate(OPEN, name)
        elsewhere.wait_for_function(IDLE)
        elsewhere.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells') }")
        return elsewhere

    yield open_cells
    elsewhere.evaluate(CLOSE)


def test_a_bar_is_drawn_in_the_cell_and_leaves_no_stripe(cells, lab):  # noqa: F811
    page = cells("load.ipynb", LOAD + "print('done')")
    page.get_by_text("Reading flights: 2 of 3 pieces of equipment").wait_for(timeout=60_000)
    assert page.locator("progress[aria-label='Reading flights']").get_attribute("value") == "2"
    (lab.folder / "seen").touch()
    done = page.locator(".jp-OutputArea-output", has_text="done")
    done.wait_for(timeout=60_000)
    assert page.wait_for_function(FAILURES, timeout=60_000).json_value() == []
    assert page.locator("progress").count() == 0
    heights = page.locator(".jp-OutputArea-output").evaluate_all(
        "outputs => outputs.filter(each => !each.innerText.trim()).map(each => each.clientHeight)"
    )
    assert set(heights) <= {0}
    assert page.locator("[data-mime-type*=stderr]").count() == 0


def test_the_links_of_a_report_open_it_from_the_notebook(cells):
    page = cells("report.ipynb", REPORT)
    link = page.get_by_role("link", name="report.html")
    link.wait_for(timeout=300_000)
    assert page.locator("[data-mime-type*=stderr]").count() == 0
    link.click()
    shown = page.frame_locator("iframe.jp-HTMLViewer-frame, .jp-HTMLViewer iframe")
    shown.get_by_role("heading", level=1).first.wait_for(timeout=60_000)


def test_a_mistake_shows_the_cells_line_and_the_message(cells):
    page = cells("mistake.ipynb", "import fleetkit as fk\nfk.connect('ftp://fleet', 'fk_key')")
    shown = page.locator(".jp-OutputArea-output", has_text="InvalidValue")
    shown.wait_for(timeout=60_000)
    text = shown.inner_text()
    assert "----> 2 fk.connect('ftp://fleet', 'fk_key')" in text
    assert "InvalidValue" in text
    assert "fleetkit/" not in text
