"""The gallery draws every public chart of the demo."""

import inspect
import re
import warnings

import pytest

import fleetkit as fk

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def gallery():
    with warnings.catch_warnings(action="error", category=fk.Notice):
        return fk.charts.gallery()


def test_every_chart_is_drawn_of_the_demo(gallery):
    drawing = {
        name
        for name in fk.charts.__all__
        if inspect.isfunction(function := getattr(fk.charts, name))
        and "ax" in inspect.signature(function).parameters
    }
    assert len(drawing) >= 20
    assert gallery.left_out == {}
    assert set(gallery.charts) == drawing
    assert {ax.drawing.chart for ax in gallery.charts.values()} == drawing


def test_it_shows_each_with_the_name_that_draws_it(gallery):
    html = gallery._repr_html_()
    assert html.count("<svg ") == len(gallery.charts)
    assert all(f"<code>fk.charts.{name}</code>" in html for name in gallery.charts)
    assert repr(gallery).startswith(f"<Gallery of {len(gallery.charts)} charts: aircraft_hours, ")


def test_a_page_keeps_its_own_colours_around_the_charts_and_for_their_names(gallery):
    html = gallery._repr_html_()
    around = re.sub(r"<svg .*?</svg>", "", html, flags=re.DOTALL)
    assert "<figcaption>" in around
    assert re.findall(r"background|color:", around) == []


def test_what_is_no_fleet_is_refused():
    with pytest.raises(fk.InvalidValue, match="takes a fleet"):
        fk.charts.gallery("mirror/")
