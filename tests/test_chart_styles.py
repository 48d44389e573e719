"""A user's title, colours and style on every chart."""

import inspect
import re

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from an_example import arguments_of
from chart_frames import EVERY
from matplotlib.figure import Figure

import fleetkit as fk
from fleetkit import charts
from fleetkit.charts.drawing.svg import to_svg

pytestmark = pytest.mark.slow

HOUSE = set(charts.COLOURS.values())


def draw(name, **options):
    return getattr(charts, name)(*arguments_of(getattr(charts, name)).values(), **options)


def colours_of(ax):
    return set(re.findall(r"#[0-9a-f]{6}\b", to_svg(ax, "A chart")))


@pytest.mark.parametrize("name", EVERY)
def test_every_chart_takes_axes_a_title_and_colours(name):
    assert {"ax", "title", "colours"} <= set(inspect.signature(getattr(charts, name)).parameters)


@pytest.mark.parametrize("name", EVERY)
def test_a_title_stands_above_all_that_is_drawn_and_inside_the_figure(name):
    ax = draw(name, title="Hours of our fleet")
    figure = ax.get_figure(root=True)
    figure.draw_without_rendering()
    box = ax._left_title.get_window_extent()
    assert ax.get_title(loc="left") == "Hours of our fleet"
    assert figure.bbox.contains(box.x0, box.y1)
    others = [text for text in ax.findobj(matplotlib.text.Text) if text.get_text().strip()]
    others = [text for text in others if text is not ax._left_title and text.get_visible()]
    assert max(text.get_window_extent().y1 for text in others) <= box.y0


@pytest.mark.parametrize("name", EVERY)
def test_dark_colours_leave_none_of_the_light_page(name):
    dark = set(charts.DARK.values())
    assert colours_of(draw(name, colours="dark")) <= dark
    # Dark Axes of one's own need no word.
    ax = Figure(facecolor="#101010").add_subplot(facecolor="#101010")
    assert not (colours_of(draw(name, ax=ax)) - {"#101010"}) & (HOUSE - dark)


def test_one_colour_is_the_first_series_and_a_list_goes_on():
    ax = draw("pilots", colours="teal")
    assert matplotlib.colors.to_hex(ax.patches[0].get_facecolor()) == "#008080"
    frame = {"month": ["2026-10"] * 2, "flight_type": ["COMMERCIAL", "TRAINING"], "flights": 1}
    stacked = pd.DataFrame({**frame, "hours": 1.0})
    ax = charts.flight_hours(stacked, colours=["#112233", "red", "#445566"])
    faces = {matplotlib.colors.to_hex(bar.get_facecolor()) for bar in ax.patches}
    assert faces == {"#112233", "#445566"}  # the place of RECREATIONAL is not used


def test_colours_may_be_named_as_the_house_names_them():
    used = colours_of(draw("pilots", colours={"accent": "#123456", "ink": "#654321"}))
    assert {"#123456", "#654321"} <= used
    assert charts.COLOURS["accent"] not in used
    # On dark Axes the others are those of a dark page.
    ax = Figure(facecolor="#101010").add_subplot(facecolor="#101010")
    used = colours_of(draw("pilots", ax=ax, colours={"accent": "#123456"}))
    assert {"#123456", charts.DARK["ink"]} <= used
    assert charts.COLOURS["ink"] not in used


def test_a_style_of_matplotlib_gives_its_colours_and_stays_as_it_was():
    with plt.style.context("ggplot"):
        before = dict(matplotlib.rcParams)
        used = colours_of(draw("pilots", colours="style"))
        assert dict(matplotlib.rcParams) == before
    assert "#e24a33" in used  # the first of ggplot's cycle
    assert charts.COLOURS["accent"] not in used


@pytest.mark.parametrize("name", EVERY)
def test_a_grid_or_layout_of_the_notebook_leaves_a_chart_as_it_is(name):
    def lines_and_margins():
        ax = draw(name, title="Hours")
        ax.get_figure(root=True).draw_without_rendering()
        ticks = [*ax.xaxis.get_major_ticks(), *ax.yaxis.get_major_ticks()]
        return [tick.gridline.get_visible() for tick in ticks], ax.get_position().bounds

    house = lines_and_margins()
    for layout in ("figure.autolayout", "figure.constrained_layout.use"):
        with matplotlib.rc_context({"axes.grid": True, layout: True}):
            assert lines_and_margins() == house, layout


def test_a_chart_on_the_axes_of_a_dark_style_is_read():
    with plt.style.context("dark_background"):
        figure = Figure()
        ax = draw("pilots", ax=figure.add_subplot(), title="Pilots")
    assert matplotlib.colors.to_hex(ax._left_title.get_color()) == charts.DARK["ink"]
    assert matplotlib.colors.to_hex(figure.get_facecolor()) == "#000000"  # the user's own
    with plt.style.context("dark_background"):
        ax = draw("pilots", ax=Figure().add_subplot(), title="Pilots", colours="light")
    assert matplotlib.colors.to_hex(ax._left_title.get_color()) == charts.COLOURS["ink"]


def test_a_narrow_chart_has_the_same_title_and_colours():
    # Without the mark that would turn its letters around.
    ax = draw("pilots", title="\u202eOurs", colours="teal").drawing.narrow()
    assert ax.get_title(loc="left") == "Ours"
    assert matplotlib.colors.to_hex(ax.patches[0].get_facecolor()) == "#008080"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"colours": "bluish"}, "'bluish' is not a colour"),
        ({"colours": {"acent": "red"}}, "Did you mean accent"),
        ({"colours": {"accent": "bluish"}}, "'bluish' is not a colour"),
        ({"colours": []}, "is not a colour"),
        ({"colours": 7}, "is not a colour"),
        ({"title": 7}, "title=7 is not a text"),
        ({"ax": 7}, "ax=7 is not Axes.* of several one, such as axes"),
        ({"most": 0}, "most=0 is not a whole number above 0"),
        ({"most": float("nan")}, "most=nan is not a whole number"),
    ],
)
def test_what_is_not_a_colour_a_title_axes_or_a_number_is_refused(options, message):
    with pytest.raises(fk.InvalidValue, match=message):
        draw("pilots", **options)


def test_a_width_without_room_and_an_infinite_amount_are_refused():
    hours = pd.DataFrame({"month": ["2026-10"], "flights": [1], "hours": [1.0]})
    with pytest.raises(fk.InvalidValue, match="width=1 is not a width from 20 to 2000 mm"):
        charts.flight_hours(hours, width=1)
    with pytest.raises(fk.InvalidValue, match="covered='2026' is not a Period"):
        charts.flight_hours(hours, covered="2026")
    with pytest.raises(fk.InvalidValue, match="the infinite number in hours"):
        charts.flight_hours(hours.assign(hours=float("inf")))


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_sum_of_prices_that_is_too_large_to_draw_is_refused_for_the_records_behind_it():
    projects = pd.DataFrame({"status": ["DRAFT"] * 2, "currency": "EUR", "agreed_price": 1.7e308})
    stages = fk.metrics.project_pipeline(projects.assign(estimated_cost=1.0))
    with pytest.raises(fk.InvalidValue, match=r"infinite number in value.* record behind it"):
        charts.project_pipeline(stages)
