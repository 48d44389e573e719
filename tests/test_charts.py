"""Charts draw what metrics return: seen through their bars, labels and texts."""

from __future__ import annotations

import pickle
import re
import warnings
from datetime import date
from functools import cache
from io import StringIO
from itertools import combinations, pairwise
from threading import Event, Thread
from xml.etree import ElementTree as ET

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from an_example import arguments_of
from chart_frames import EVERY, an_hours_frame, counted_frames
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from fleetkit import charts, language, metrics
from fleetkit.blanks import names_or_ids
from fleetkit.charts.drawing import style, svg, time_axis
from fleetkit.charts.drawing.lines import wrap
from fleetkit.charts.drawing.shades import Shades
from fleetkit.errors import InvalidValue
from fleetkit.reports.texts import shown
from fleetkit.time import Period

LONG = (
    "Inspection of the northern breakwater and all its navigation lights, second campaign of 2026"
)
HOSTILE = "$a_b$ <script>alert(1)</script> & \x00\x1b\u202eŁódź 東京"


@cache
def frames(name: str = "Heron 1") -> dict[str, pd.DataFrame]:
    """Return a small frame for every chart, for no test to change; every name in it is `name`.

    A chart that is not counted by hand below draws the frame of its docstring's example.
    """
    return {chart: an_example_of(chart, name) for chart in EVERY} | counted_frames(name)


def an_example_of(chart: str, name: str) -> pd.DataFrame:
    """Return the frame of a chart's example; what is called a name or a title in it is `name`."""
    frame, *_ = arguments_of(getattr(charts, chart)).values()
    names = [column for column in frame if str(column).endswith(("name", "title"))]
    return frame.assign(**dict.fromkeys(names, name))


def draw(name: str, frame: pd.DataFrame | None = None, ax=None):
    return getattr(charts, name)(frames()[name] if frame is None else frame, ax=ax)


def to_svg(ax) -> str:
    buffer = StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        ax.get_figure(root=True).savefig(buffer, format="svg")
    return buffer.getvalue()


@cache
def drawn(name: str):
    """Return a chart of its small frame, for no test to change."""
    return draw(name)


@cache
def page_of(name: str) -> str:
    """Return a chart as it stands on a page."""
    return to_svg(drawn(name))


def ticks(axis) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels() if label.get_text()]


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def heights(ax) -> list[float]:
    return [float(bar.get_height()) for bar in ax.containers[0]]


def widths(ax) -> list[float]:
    return [float(bar.get_width()) for bar in ax.containers[0]]


def faces(ax) -> list[str]:
    """Return the names of the colours of plain bars."""
    names = {colour: name for name, colour in charts.COLOURS.items()}
    return [names[matplotlib.colors.to_hex(bar.get_facecolor())] for bar in ax.containers[0]]


def shades(ax) -> list[tuple[str, float]]:
    """Return colour and shade of each tile."""
    names = {colour: name for name, colour in charts.COLOURS.items()}
    [tiles] = ax.collections
    return [
        (names[matplotlib.colors.to_hex(face)], round(face[3], 2)) for face in tiles.get_facecolor()
    ]


def legend_of(ax) -> dict[str, tuple[str, str]]:
    """Return the name of each mark in the legend → its shape and colour."""
    return {
        text.get_text(): (mark.get_marker(), mark.get_markerfacecolor())
        for mark, text in pairwise(ax.get_children())
        if isinstance(mark, matplotlib.lines.Line2D) and type(text) is matplotlib.text.Text
    }


def visible_texts(ax) -> list:
    """Return every text on the figure that says something, panels included."""
    found = ax.findobj(matplotlib.text.Text)
    return [text for text in found if text.get_visible() and text.get_text().strip()]


# What holds for every chart


def test_a_chart_of_flights_or_of_medians_says_so_above_its_axis_and_at_each_bar():
    frame = pd.DataFrame({"weekday": [1, 2], "flights": [3, 4], "median_minutes": [20.0, 30.5]})
    ax = charts.flight_hours(frame, measure="flights")
    assert ([bar.get_width() for bar in ax.patches], ax.get_xlabel()) == ([3.0, 4.0], "flights")
    ax = charts.flight_hours(frame, measure="median")
    assert list(ax.drawing.titles.values())[1] == "Tue · 30.5 min, median of 4 flights"
    ax = charts.flight_hours(frame.assign(distance=[900.0, 2400.5]), measure="distance")
    assert ax.get_xlabel() == "distance, as reported"
    assert list(ax.drawing.titles.values())[1] == "Tue · 2,401 in 4 flights"


def test_medians_are_not_stacked():
    frame = an_hours_frame(month=["2026-10"], flight_type=["TRAINING"]).assign(median_minutes=1.0)
    with pytest.raises(InvalidValue, match="Medians don't add up"):
        charts.flight_hours(frame, measure="median")


def test_every_frame_that_is_counted_by_hand_is_one_of_a_chart():
    assert set(counted_frames("Heron 1")) <= set(EVERY)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_chart_draws_the_frame_of_its_example(name):
    ax = draw(name, an_example_of(name, "Heron 1"))
    assert texts(ax) or ax.has_data() or any(panel.has_data() for panel in ax.child_axes)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_chart_draws_on_the_axes_it_is_given(name):
    ax = Figure().add_subplot()
    assert draw(name, ax=ax) is ax
    assert ax.has_data() or ax.texts or any(panel.has_data() for panel in ax.child_axes)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_chart_leaves_no_figure_and_no_setting_behind(name):
    before = dict(matplotlib.rcParams)
    draw(name)
    assert plt.get_fignums() == []
    assert dict(matplotlib.rcParams) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_figure_that_a_worker_hands_back_in_a_pickle_has_all_of_its_chart(name):
    ax = drawn(name)
    [again, *_] = pickle.loads(pickle.dumps(ax.figure)).axes  # noqa: S301 - our own figure
    pairs = (again, ax), (again.drawing.narrow(), ax.drawing.narrow())
    assert [svg.to_svg(one, "") == svg.to_svg(other, "") for one, other in pairs] == [True, True]
    assert again.drawing.chart == name


@pytest.mark.slow
def test_two_threads_that_draw_leave_the_settings_as_they_were():
    before, is_over = dict(matplotlib.rcParams), Event()

    def draw_later():
        with style.settings({"font.size": 2.0}):
            is_over.wait()

    thread = Thread(target=draw_later)
    with style.settings({"font.size": 1.0}):
        thread.start()
        thread.join(0.2)
    is_over.set()
    thread.join()
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("name", EVERY)
def test_an_empty_frame_is_said_in_words(name):
    ax = draw(name, frames()[name].iloc[:0])
    assert len(texts(ax)) == 1
    assert texts(ax)[0].split()[0] in {"No", "Every"}
    # Reports give these what is open or in service only: that there is nothing would be untrue.
    if name in {"project_pipeline", "pipeline_totals", "registrations"}:
        assert texts(ax)[0].endswith(" to show")


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_numbers_of_a_type_that_holds_nulls_are_drawn_as_others_are(name):
    ax = draw(name, frames()[name].convert_dtypes())
    assert texts(ax) == texts(drawn(name))


def test_a_null_among_whole_numbers_is_a_dash():
    hours = pd.DataFrame({"name": ["Heron 1", "Heron 2"], "flights": [1, 2]})
    ax = draw("aircraft_hours", hours.assign(hours=pd.array([3, None], dtype="Int64")))
    assert texts(ax) == ["3.0 · 1 flight", "– · 2 flights"]


@pytest.mark.parametrize("kind", ["int64", "Int64"])
def test_a_chart_keeps_whole_numbers_of_its_frame_for_the_file_beside_it(kind):
    counted = pd.DataFrame({"weekday": [4], "hour": [11], "flights": [2]}, dtype=kind)
    kept = draw("hours_by_weekday", counted.assign(hours=[1.0])).drawing.frame
    assert kept.to_csv(index=False) == "weekday,hour,flights,hours\n4,11,2,1.0\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_page_can_swap_every_colour_for_its_own(name):
    used = set(re.findall(r"#[0-9a-f]{6}\b", page_of(name)))
    assert used <= set(charts.COLOURS.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_no_mark_is_transparent_as_a_whole_which_a_pdf_would_hold_as_a_bitmap(name):
    assert re.findall(r"[^-]opacity: [^;\"]+", page_of(name)) == []


def boxes_of(ax):
    """Return of each text: itself, its box, and whether the figure holds it."""
    figure = ax.get_figure(root=True)
    paper = figure.bbox.padded(1)
    boxes = [(text.get_text(), text.get_window_extent()) for text in visible_texts(ax)]
    return [
        (text, box, paper.contains(box.x0, box.y0) and paper.contains(box.x1, box.y1))
        for text, box in boxes
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_no_text_is_cut_off_and_none_covers_another(name):
    boxes = boxes_of(draw(name, frames(LONG)[name]))
    cut = [text for text, _, is_inside in boxes if not is_inside]
    covered = [
        (one, other)
        for (one, box, _), (other, beside, _) in combinations(boxes, 2)
        if box.overlaps(beside)
    ]
    assert (cut, covered) == ([], [])


@pytest.mark.slow
def test_a_map_of_one_place_has_room_for_degrees_of_four_decimals():
    near = frames()["take_offs"].assign(latitude=59.91, north_km=0.0, size_km=0.02)
    boxes = boxes_of(draw("take_offs", near))
    assert {"59.9099° N", "59.9100° N", "59.9101° N"} <= {text for text, *_ in boxes}
    assert [text for text, _, is_inside in boxes if not is_inside] == []
    east = [box for text, box, _ in boxes if text.endswith("° E")]
    assert [pair for pair in combinations(east, 2) if pair[0].overlaps(pair[1])] == []


def test_two_pilots_of_one_name_have_a_bar_and_a_colour_each():
    pilots = {"pilot": ["prof_1", "prof_2"], "pilot_name": ["Kim", "Kim"]}
    hours = pd.DataFrame({**pilots, "flights": [1, 1], "hours": [1.0, 2.5]})
    ax = charts.flight_hours(hours)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["Kim (prof_2)", "Kim (prof_1)"]
    of_month = hours.assign(month="2026-10")[["month", *hours.columns]]
    texts = {text.get_text() for text in charts.flight_hours(of_month).texts}
    assert {"Kim (prof_1)", "Kim (prof_2)"} <= texts


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_hostile_names_stay_text(name):
    drawing = ET.fromstring(to_svg(draw(name, frames(HOSTILE)[name])))  # noqa: S314 - our own
    assert [part for part in drawing.iter() if part.tag.endswith("}text")]
    assert [part for part in drawing.iter() if part.tag.endswith(("}script", "}a"))] == []


@pytest.mark.slow
def test_a_name_is_shown_as_it_is_less_what_no_format_can_hold():
    ax = draw("reconciliation", frames(HOSTILE)["reconciliation"])
    assert ticks(ax.yaxis)[0].replace("\n", " ") == "$a_b$ <script>alert(1)</script> & Łódź 東京"


def test_colours_are_few_and_each_has_a_twin_for_dark_pages():
    assert len(set(charts.COLOURS.values())) == len(charts.COLOURS)
    assert list(charts.DARK) == list(charts.COLOURS)


@pytest.mark.slow
def test_new_axes_show_themselves_in_a_notebook():
    png, size = draw("utilisation")._repr_png_()
    assert png[1:4] == b"PNG"
    assert size["width"] == 680  # 180 mm at 96 pixels an inch


@pytest.mark.slow
def test_a_frame_of_another_engine_gives_the_same_bars():
    frame = an_hours_frame(month=["2026-09", "2026-10"])
    assert heights(charts.flight_hours(pl.from_pandas(frame))) == [1.0, 2.0]


def test_what_is_no_frame_is_refused_in_words():
    with pytest.raises(InvalidValue, match=r"charts\.pilots draws a DataFrame, not list"):
        charts.pilots([1, 2])


@pytest.mark.parametrize("projection", ["polar", "3d", "mollweide"])
def test_axes_that_are_not_straight_are_refused_in_words(projection):
    ax = Figure().add_subplot(projection=projection)
    with pytest.raises(InvalidValue, match=f"is {projection}, and charts are drawn on straight"):
        draw("pilots", ax=ax)


def test_axes_that_were_removed_from_their_figure_are_refused_in_words():
    ax = Figure().add_subplot()
    ax.remove()
    with pytest.raises(InvalidValue, match="removed from its figure"):
        draw("pilots", ax=ax)


def test_a_text_where_a_number_should_stand_is_named_and_one_that_is_a_number_is_read():
    frame = frames()["reconciliation"]
    charts.reconciliation(frame.assign(counter_hours="12.5"))
    with pytest.raises(InvalidValue, match=r"can't draw '1,5 h' in counter_hours: it is not a"):
        charts.reconciliation(frame.assign(counter_hours="1,5 h"))


def test_half_a_character_in_a_name_is_a_blank():
    frame = frames()["tier_rates"]
    names = pd.Series(["Survey\ud800north"] * len(frame), dtype=object)
    assert ticks(draw("tier_rates", frame.assign(service=names)).yaxis)[0] == "Survey north"


def test_a_missing_column_is_named():
    with pytest.raises(InvalidValue, match=r"misses the column hours.*metrics\.aircraft_hours"):
        charts.aircraft_hours(pd.DataFrame({"name": ["A"], "flights": [1]}))
    with pytest.raises(InvalidValue, match="misses the columns flights, hours"):
        charts.aircraft_hours(pd.DataFrame({"name": ["A"]}))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Northern breakwater", ["Northern", "breakwater"]),
        ("Oppenheim-Westhuizen", ["Oppenheim-", "Westhuizen"]),
        ("WWWWWWWWWWWW", ["WWWWWWW", "WWWWW"]),
    ],
)
def test_long_names_break_at_spaces_then_hyphens_then_anywhere(text, lines):
    assert wrap(text, 58).split("\n") == lines


# Flight hours


def test_a_month_without_flights_stays_visible_as_a_gap():
    ax = charts.flight_hours(an_hours_frame(month=["2026-08", "2026-10"]))
    assert ticks(ax.xaxis) == ["Aug\n2026", "Sep", "Oct"]
    assert heights(ax) == [1.0, 0.0, 2.0]


def test_months_of_the_period_without_flights_are_gaps_at_its_ends():
    period = Period.between("2026-08-01", "2026-11-01", "UTC")
    ax = charts.flight_hours(an_hours_frame(month=["2026-09"]), period=period)
    assert ticks(ax.xaxis) == ["Aug\n2026", "Sep", "Oct"]
    assert heights(ax) == [0.0, 1.0, 0.0]


def test_bars_carry_their_hours_and_the_axis_its_unit():
    ax = charts.flight_hours(an_hours_frame(month=["2026-09", "2026-10"]))
    assert texts(ax) == ["1.0", "2.0"]
    assert [text.get_fontweight() for text in ax.texts] == ["normal", "bold"]
    assert ax.get_ylabel() == "hours"


def test_the_accent_is_on_the_newest_month_and_what_was_on_the_axes_before_keeps_its_colour():
    given = Figure().subplots()
    season = given.axvspan(0, 1, facecolor="gold")
    ax = charts.flight_hours(an_hours_frame(month=["2026-09", "2026-10"]), ax=given)
    assert faces(ax) == ["quiet", "accent"]
    assert season.get_facecolor() == matplotlib.colors.to_rgba("gold")


def test_the_newest_month_has_the_accent_and_not_what_has_no_date():
    ax = charts.flight_hours(an_hours_frame(month=["2026-09", "2026-10", None]))
    assert ticks(ax.xaxis) == ["Sep\n2026", "Oct", "no date"]
    assert faces(ax) == ["quiet", "accent", "quiet"]
    assert [number.get_fontweight() for number in ax.texts] == ["normal", "bold", "normal"]


def test_columns_of_flights_carry_whole_numbers_and_a_stack_what_its_known_parts_add_up_to():
    frame = an_hours_frame(month=["2026-08", "2026-10", "2026-10"], flight_type=["TRAINING"] * 3)
    frame["flight_type"] = ["TRAINING", "TRAINING", "COMMERCIAL"]
    assert texts(charts.flight_hours(frame, measure="flights"))[:3] == ["1", "0", "2"]
    assert texts(charts.flight_hours(frame.assign(hours=[1.0, 3.0, -1.0])))[2] == "2.0"
    known = charts.flight_hours(frame.assign(hours=[None, 3.0, None]))
    assert texts(known)[:2] == ["0.0", "3.0"]  # of August nothing is known
    assert "not recorded" not in texts(known)  # which would be said of all columns


def test_a_second_key_stacks_the_bars_in_the_references_order():
    frame = an_hours_frame(
        month=["2026-10"] * 3, flight_type=["MAINTENANCE", "TRAINING", "COMMERCIAL"]
    )
    ax = charts.flight_hours(frame)
    assert [part.get_label() for part in ax.containers] == ["COMMERCIAL", "TRAINING", "MAINTENANCE"]
    assert [part[0].get_y() for part in ax.containers] == [0.0, 3.0, 5.0]
    # The name of each part stands beside its middle.
    boxes = [text.get_window_extent() for text in ax.texts[1:]]
    middles = [ax.transData.inverted().transform((0, (box.y0 + box.y1) / 2))[1] for box in boxes]
    assert middles == pytest.approx([1.5, 4.0, 5.5], abs=0.2)


def test_a_narrow_chart_names_its_parts_above_it_in_their_order_and_on_as_many_lines():
    kinds = ["COMMERCIAL", "RECREATIONAL", "TRAINING", "MAINTENANCE"]
    ax = charts.flight_hours(an_hours_frame(month=["2026-10"] * 4, flight_type=kinds), width=50)
    boxes = {text.get_text(): text.get_window_extent() for text in ax.texts[1:]}
    assert sorted(boxes, key=lambda name: (-round(boxes[name].y0), boxes[name].x0)) == kinds
    assert min(box.x0 for box in boxes.values()) >= 0
    assert max(box.x1 for box in boxes.values()) <= ax.figure.bbox.x1


def test_long_names_share_the_lines_of_a_narrow_legend_so_that_a_plot_stays_below_it():
    clients = [f"Survey of the harbour {number}" for number in range(8)]
    ax = charts.flight_hours(an_hours_frame(month=["2026-10"] * 8, client=clients), width=78)
    assert len({round(text.get_window_extent().y0) for text in ax.texts[1:]}) == 4
    assert sorted({*ax.drawing.titles.values()} & {*clients}) == clients
    assert ax.get_position().height * ax.figure.get_figheight() * 25.4 == pytest.approx(11.3)


def test_a_pointer_shows_the_hours_and_flights_of_each_column():
    frame = an_hours_frame(month=["2026-09", "2026-10"], flight_type=["TRAINING", "COMMERCIAL"])
    written = svg.to_svg(charts.flight_hours(frame), "Hours")
    assert re.findall(r"<title>(.*?)</title>", written)[1:] == [
        "October 2026 · COMMERCIAL · 2.0 h in 1 flight",
        "September 2026 · TRAINING · 1.0 h in 1 flight",
    ]
    hostile = an_hours_frame(pilot=["prof_1"]).assign(pilot_name="<b> & Co")
    written = svg.to_svg(charts.flight_hours(hostile), "Hours")
    assert "<title>&lt;b&gt; &amp; Co · 1.0 h in 1 flight</title>" in written


def test_both_lines_of_a_name_end_at_the_axis_in_a_font_of_any_width():
    frame = an_hours_frame(client=["Solar park of the harbour, Kestrel Bay " * 3, "Owl"])
    written = svg.to_svg(charts.flight_hours(frame), "Hours")
    lines = re.search(r'<g id="lines-0">(.*?)</g>', written, flags=re.DOTALL)[1]
    (ends,) = set(re.findall(r"text-anchor: end; .*?translate\((\S+)", lines))
    assert lines.count("text-anchor: end") == 2
    assert f'text-anchor: end; fill: #1b2129" x="{ends}"' in written  # that of the other name


def test_a_pointer_shows_the_day_of_each_tile_that_is_known_and_the_picture_that_of_the_most():
    days = {"day": ["2026-10-30", "2026-10-31"], "flights": [2, None], "hours": [1.5, None]}
    written = svg.to_svg(charts.calendar(pd.DataFrame(days)), "Days.")
    groups = re.findall(r'<g id="(titled-\d+)">\s*<title>(.*?)</title>\s*<path', written)
    assert groups == [("titled-0", "30 October 2026 · 1.5 h in 2 flights")]
    assert "<title>Days. Most: 30 October 2026 · 1.5 h in 2 flights</title>" in written
    tile = {"weekday": [5, 6], "hour": [9, 8], "flights": [1, 2], "hours": [0.5, 2.0]}
    by_hour = svg.to_svg(charts.hours_by_weekday(pd.DataFrame(tile)), "Hours")
    assert "<title>Hours. Most: Sat 08:00 · 2.0 h in 2 flights</title>" in by_hour
    none = pd.DataFrame({"day": ["2026-10-30"], "flights": [0], "hours": [0.0]})
    assert "<title>Days</title>" in svg.to_svg(charts.calendar(none), "Days")


def test_a_dense_axis_has_no_room_for_months_without_flights():
    ax = charts.flight_hours(an_hours_frame(month=["1970-01", "2026-10"]), dense=True)
    assert heights(ax) == [1.0, 2.0]
    assert ticks(ax.xaxis) == ["Jan\n1970", "Oct\n2026"]


def test_the_only_flight_type_is_named_too():
    ax = charts.flight_hours(an_hours_frame(month=["2026-10"], flight_type=["TRAINING"]))
    assert "TRAINING" in texts(ax)


def test_a_flight_type_keeps_its_colour_where_another_is_missing():
    colours = []
    many = ["MAINTENANCE", *(f"NEW_{letter}" for letter in "ABCDEFGH")]
    for kinds in (["COMMERCIAL", "MAINTENANCE"], ["MAINTENANCE", "SURVEY_BETA"], many):
        months = ["2026-09", *["2026-10"] * (len(kinds) - 1)]
        ax = charts.flight_hours(an_hours_frame(month=months, flight_type=kinds))
        parts = {part.get_label(): part[0].get_facecolor() for part in ax.containers}
        colours.append(parts["MAINTENANCE"])
    assert colours == colours[:1] * 3


def test_more_than_six_series_are_told_apart_by_a_hatch():
    kinds = [f"TYPE_{letter}" for letter in "ABCDEFG"]
    ax = charts.flight_hours(an_hours_frame(month=["2026-10"] * 7, operation_type=kinds))
    assert [part[0].get_hatch() for part in ax.containers] == [None] * 6 + ["////"]


def test_days_of_a_month_are_numbered_and_the_month_is_named_once():
    ax = charts.flight_hours(an_hours_frame(day=["2026-10-01", "2026-10-31"]))
    assert len(heights(ax)) == 31
    assert ticks(ax.xaxis)[:2] == ["1\nOct 2026", "2"]
    # Of many days those without hours have no number, and none has one where it has no room.
    assert texts(ax) == ["1.0", "2.0"]
    days = an_hours_frame(day=["2026-10-01", "2026-10-31"])
    assert texts(charts.flight_hours(days, width=88)) == []


def test_weeks_run_over_the_turn_of_the_year():
    ax = charts.flight_hours(an_hours_frame(week=["2026-W52", "2027-W02"]))
    assert ticks(ax.xaxis) == ["W52\n2026", "W53", "W01\n2027", "W02"]
    # The first week of 2026 began in 2025.
    slots, _ = time_axis.slots(["2025-W52", "2026-W02"], "week", most=9)
    assert slots == ["2025-W52", "2026-W01", "2026-W02"]


def test_a_year_has_four_quarters():
    ax = charts.flight_hours(an_hours_frame(quarter=["2026-Q2"]), period="2026")
    assert ticks(ax.xaxis) == ["Q1\n2026", "Q2", "Q3", "Q4"]
    assert heights(ax) == [0.0, 1.0, 0.0, 0.0]
    assert list(ax.drawing.titles.values()) == ["Q2 of 2026 · 1.0 h in 1 flight"]


def test_days_that_the_data_do_not_cover_have_no_number_and_say_why():
    october = Period.read("2026-10")
    covered = Period.between("2026-10-11", "2026-10-22", "UTC")
    ax = charts.flight_hours(
        an_hours_frame(day=["2026-10-11", "2026-10-21"]), period=october, covered=covered
    )
    places = [(text.get_position()[0], text.get_text()) for text in ax.texts[2:]]
    assert places == [(4.5, "no data before 11 Oct 2026"), (25.5, "no data after 21 Oct 2026")]
    few = charts.flight_hours(
        an_hours_frame(month=["2026-10"]), period="2026-Q4", covered=Period.read("2026-10")
    )
    assert texts(few) == ["1.0", "no data after 31 Oct 2026"]
    # Two of twelve months, as wide as on the first page: turned, not a line for each word.
    march = Period.between("2026-03-15", "2027-01-01", "UTC")
    page = charts.flight_hours(
        an_hours_frame(month=["2026-03"]), period="2026", covered=march, width=78
    )
    reason = page.texts[-1]
    assert reason.get_text() == "no data before 15\nMar 2026"
    assert reason.get_rotation() == 90
    # What a filter leaves out isn't said to be missing.
    said = texts(
        charts.flight_hours(
            an_hours_frame(month=["2026-10"]),
            period="2026-Q4",
            covered=Period.read("2026-10"),
            recorded=Period.read("2026"),
        )
    )
    assert said == ["1.0", "the filter ends on 31 Oct 2026"]


@pytest.mark.parametrize(("colours", "paper"), [(None, "#ffffff"), ("dark", "#12161c")])
def test_no_line_of_the_grid_strikes_through_the_reason_of_a_gap(colours, paper):
    october = Period.between("2026-10-01", "2026-11-01", "UTC")
    hours = an_hours_frame(month=["2026-10"])
    ax = charts.flight_hours(hours, period="2026", covered=october, colours=colours)
    [reason] = [text for text in ax.texts if text.get_text() == "no data before 1 Oct 2026"]
    assert to_hex(reason.get_bbox_patch().get_facecolor()) == paper
    # Others' Axes keep their paper.
    other = charts.flight_hours(hours, period="2026", covered=october, ax=Figure().subplots())
    assert [text.get_bbox_patch() for text in other.texts] == [None] * len(other.texts)


@pytest.mark.parametrize(
    ("period", "said"),
    [
        ("2026-09", ["no data before 1 Oct 2026", "the filter begins on 1 Oct 2026"]),
        ("2026-10", ["No flights to show"] * 2),
        ("2026-11", ["no data after 31 Oct 2026", "the filter ends on 31 Oct 2026"]),
    ],
)
def test_a_period_without_flights_is_told_from_one_that_the_data_do_not_cover(period, said):
    nothing = an_hours_frame(month=["2026-10"]).iloc[:0]
    reach = {"period": period, "covered": Period.read("2026-10")}
    whole = charts.flight_hours(nothing, **reach)
    narrowed = charts.flight_hours(nothing, **reach, recorded=Period.read("2026"))
    assert [texts(whole), texts(narrowed)] == [[said[0]], [said[1]]]


def test_a_period_after_the_data_is_told_as_such_though_the_clock_was_set_back_in_between():
    # By Oslo's clock the data are from 02:10 to 02:30, and the period is from 02:05 to 02:20.
    known, period = (
        Period.between(*(f"2025-10-26T{time}Z" for time in ends), "Europe/Oslo")
        for ends in (("00:10", "00:30"), ("01:05", "01:20"))
    )
    nothing = an_hours_frame(month=["2025-10"]).iloc[:0]
    ax = charts.flight_hours(nothing, period=period, covered=known)
    assert texts(ax) == ["no data after 26 Oct 2025"]


@pytest.mark.slow
def test_many_months_are_named_so_that_their_names_dont_touch():
    months = [f"{year}-{month:02d}" for year in range(2018, 2027) for month in range(1, 13)]
    ax = charts.flight_hours(an_hours_frame(month=months))
    boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    assert len(boxes) > 5
    assert not any(left.overlaps(right) for left, right in combinations(boxes, 2))


@pytest.mark.slow
def test_the_days_of_a_year_are_told_by_month():
    ax = charts.flight_hours(an_hours_frame(day=["2026-01-01", "2026-12-31"]))
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    assert ticks(ax.xaxis) == ["Jan\n2026", *months[1:]]


def test_of_days_months_and_quarters_that_are_too_many_months_and_years_are_named():
    days, _ = time_axis.slots(["2026-01-01", "2026-03-31"], "day", most=400)
    named = [text for text in time_axis.ticks(days, "day", 180) if text]
    assert named == ["Jan\n2026", "Feb", "Mar"]
    months, _ = time_axis.slots(["2018-01", "2025-12"], "month", most=400)
    # A month takes 2 pt and the name of a year 26, which is more than twelve of them.
    named = [text for text in time_axis.ticks(months, "month", 192) if text]
    assert named == ["2019", "2021", "2023", "2025"]
    quarters, _ = time_axis.slots(["2018-Q1", "2025-Q4"], "quarter", most=400)
    # A quarter takes 6 pt, and "Q4" 20: each fourth one would be named, of one year alone.
    named = [text for text in time_axis.ticks(quarters, "quarter", 192) if text]
    assert named == ["2019", "2021", "2023", "2025"]


def test_the_text_below_the_last_of_many_columns_stays_inside():
    days, _ = time_axis.slots(["2026-01-01", "2026-03-02"], "day", most=400)
    ax = charts.flight_hours(an_hours_frame(day=days))
    assert ticks(ax.xaxis)[-1] == "2\nMar 2026"
    assert [text for text, _, is_inside in boxes_of(ax) if not is_inside] == []


def test_what_a_narrow_chart_leaves_out_is_counted_inside_of_it():
    names = [f"Kestrel {number}" for number in range(26)]
    hours = {"counter_hours": 110.0, "logged_hours": 100.0, "hours_difference": 10.0}
    rows = pd.DataFrame({"name": names, **hours, "verdict": "counter higher"})
    boxes = boxes_of(draw("reconciliation", rows).drawing.narrow())
    assert ("and 11 more pieces of equipment", True) in [
        (text, inside) for text, _, inside in boxes
    ]


def test_what_has_no_date_takes_one_of_the_most_slots():
    assert time_axis.slots(["2026-09", "2026-10", None], "month", most=2) == (["2026-10", ""], 1)


def test_a_quarter_lasts_from_its_first_month_to_its_third():
    first, last = time_axis.span("2026-Q4", "quarter")
    assert (first.isoformat(), last.isoformat()) == ("2026-10-01", "2026-12-31")


def test_hours_without_a_date_are_known_whatever_the_data_cover():
    october = Period.read("2026-10")
    hours = an_hours_frame(month=["2026-10", None])
    assert texts(charts.flight_hours(hours, covered=october)) == ["1.0", "2.0"]


def test_names_of_stacks_stay_inside_axes_of_another_style():
    ax = Figure(figsize=(7, 3)).add_subplot()
    kinds = ["COMMERCIAL", "MAINTENANCE"]
    charts.flight_hours(an_hours_frame(month=["2026-10"] * 2, flight_type=kinds), ax=ax)
    names = [text for text in ax.texts if text.get_text() in kinds]
    assert len(names) == 2
    assert max(text.get_window_extent().x1 for text in names) <= ax.bbox.x1


def test_flights_without_a_date_have_a_slot_of_their_own():
    ax = charts.flight_hours(an_hours_frame(month=["2026-09", "2026-10", None]))
    assert ticks(ax.xaxis)[-1] == "no date"
    days = [f"2026-10-{day:02d}" for day in range(1, 20)]
    narrow = charts.flight_hours(an_hours_frame(day=[*days, None]), width=78)
    assert ticks(narrow.xaxis)[-2:] == ["18", "no\ndate"]  # 19 would stand in it
    assert heights(ax) == [1.0, 2.0, 3.0]


def test_other_keys_become_rows_with_the_longest_first():
    ax = charts.flight_hours(an_hours_frame(pilot=["prof_1", "Unassigned", "prof_3"]))
    assert ticks(ax.yaxis) == ["prof_3", "Unassigned", "prof_1"]
    assert widths(ax) == [3.0, 2.0, 1.0]
    assert ax.get_xlabel() == "hours"


def test_hours_of_the_day_keep_their_order():
    ax = charts.flight_hours(an_hours_frame(hour=[9, 14]))
    assert ticks(ax.yaxis) == ["09:00", "14:00"]


def test_a_stack_of_types_says_that_it_is_summed_over_equipment():
    # One flight of an hour, with a drone and its camera: the stack is two hours high.
    hours = pd.DataFrame(
        {"month": "2026-10", "type": ["CAMERA", "DRONE"], "flights": 1, "hours": 1.0}
    )
    assert charts.flight_hours(hours).get_ylabel() == "hours, summed over equipment"
    assert charts.flight_hours(hours.tail(1)).get_ylabel() == "hours"
    by_type = hours.assign(flight_type="TRAINING").drop(columns="month")
    assert (
        charts.flight_hours(by_type[["type", "flight_type", "flights", "hours"]]).get_xlabel()
        == "hours"
    )
    stacked = charts.flight_hours(
        by_type[["flight_type", "type", "flights", "hours"]], measure="flights"
    )
    assert stacked.get_xlabel() == "flights, summed over equipment"


def test_two_keys_without_time_become_stacked_rows():
    ax = charts.flight_hours(
        an_hours_frame(pilot=["a", "a", "b"], flight_type=["COMMERCIAL", "TRAINING", "TRAINING"])
    )
    assert ticks(ax.yaxis) == ["a", "b"]
    assert {part.get_label(): [bar.get_width() for bar in part] for part in ax.containers} == {
        "COMMERCIAL": [1.0, 0.0],
        "TRAINING": [2.0, 3.0],
    }
    kinds = an_hours_frame(pilot=["a", "a"], flight_type=["COMMERCIAL", "TRAINING"])
    parts = charts.flight_hours(kinds.assign(hours=[2.0, -1.0])).containers
    assert [(part[0].get_x(), part[0].get_width()) for part in parts] == [(0.0, 2.0), (0.0, -1.0)]


@pytest.mark.parametrize("beyond", ["0000-12", "10000-01"])
def test_flights_beyond_the_calendar_are_without_a_date(beyond):
    ax = charts.flight_hours(an_hours_frame(month=["2026-09", "2026-10", beyond]))
    assert ticks(ax.xaxis)[-1] == "no date"
    assert heights(ax) == [1.0, 2.0, 3.0]


def test_null_keys_are_shown_as_not_given():
    ax = charts.flight_hours(an_hours_frame(operation_type=["INSPECTION", None]))
    assert ticks(ax.yaxis) == ["not given", "INSPECTION"]


def test_months_of_zero_hours_are_drawn_as_zero():
    ax = charts.flight_hours(an_hours_frame(month=["2026-09", "2026-10"]).assign(hours=0.0))
    assert texts(ax) == ["0.0", "0.0"]
    assert ax.get_ylim()[1] > 1


def test_negative_hours_go_down_from_zero():
    ax = charts.flight_hours(an_hours_frame(month=["2026-09", "2026-10"]).assign(hours=[-2.0, 1]))
    assert heights(ax) == [-2.0, 1.0]
    assert ticks(ax.yaxis)[0] == "−2"
    kinds = an_hours_frame(month=["2026-10"] * 2, flight_type=["COMMERCIAL", "TRAINING"])
    parts = charts.flight_hours(kinds.assign(hours=[2.0, -1.0])).containers
    assert [(part[0].get_y(), part[0].get_height()) for part in parts] == [(0.0, 2.0), (0.0, -1.0)]


@pytest.mark.parametrize(
    "keys",
    [{"tail": ["x"]}, {"month": ["2026-10"], "day": ["2026-10-01"]}],
    ids=["no key", "two keys of time"],
)
def test_keys_that_cant_be_drawn_are_refused(keys):
    with pytest.raises(InvalidValue, match="can't draw the keys"):
        charts.flight_hours(an_hours_frame(**keys))


def test_a_month_that_is_none_is_refused_in_words():
    with pytest.raises(InvalidValue, match="'October' is not a valid month"):
        charts.flight_hours(an_hours_frame(month=["October"]))


def test_utilisation_names_its_last_value():
    ax = draw("utilisation")
    assert ax.lines[0].get_ydata().tolist() == [0.5, 0.75]
    assert texts(ax) == ["0.75"]
    assert ax.get_ylabel() == "hours per aircraft and day"
    little = frames()["utilisation"].assign(hours_per_aircraft_day=[0.5, 0.0041])
    assert texts(draw("utilisation", little)) == ["0.0041"]  # not 0.00


def test_a_month_without_aircraft_is_a_gap_in_utilisation():
    frame = frames()["utilisation"].assign(hours_per_aircraft_day=[0.5, None])
    ax = draw("utilisation", frame)
    assert texts(ax) == []
    dots = [line.get_ydata().tolist() for line in ax.lines if line.get_marker() == "o"]
    assert dots == [[0.5]]  # to which no line leads
    nothing = draw("utilisation", frame.assign(hours_per_aircraft_day=None))
    assert texts(nothing) == ["not recorded"]


def test_the_axis_of_utilisation_reaches_its_largest_month_beside_one_without_aircraft():
    months = {"month": ["2026-08", "2026-09", "2026-10"], "hours_per_aircraft_day": [2.0, None, 3]}
    assert charts.utilisation(pd.DataFrame(months)).get_ylim() == pytest.approx((0, 3.36))


def test_of_more_months_than_there_is_room_for_the_newest_are_drawn():
    months = pd.period_range("1990-01", periods=402, freq="M").astype("str")
    frame = pd.DataFrame({"month": months, "hours_per_aircraft_day": range(402)})
    ax = charts.utilisation(frame)
    assert ax.lines[0].get_ydata()[[0, -1]].tolist() == [2.0, 401.0]
    assert ax.drawing.left_out == ["2 earlier months"]


def test_pilots_show_hours_and_flights():
    ax = draw("pilots")
    assert ticks(ax.yaxis)[1:] == ["prof_2", "Åse Øy"]
    assert texts(ax) == ["4.0 · 9 flights", "1.5 · 2 flights", "0.3 · 1 flight"]
    assert ticks(draw("aircraft_hours").yaxis) == ["Heron 1", "B"]


def test_unassigned_flights_are_grey():
    ax = draw("pilots", frames()["pilots"].replace("Åse Øy", "Unassigned"))
    assert faces(ax) == ["accent", "accent", "quiet"]


def test_unassigned_flights_are_shown_however_many_pilots_there_are():
    frame = frames()["pilots"].assign(pilot_id=["prof_1", "prof_2", "Unassigned"])
    ax = charts.pilots(frame.assign(pilot_name=["Ana", "Bo", None]), most=1)
    assert ticks(ax.yaxis) == ["Ana", "Unassigned"]
    assert ax.drawing.left_out == ["1 more pilot"]


@pytest.mark.slow
def test_recency_says_in_words_and_in_shape_who_is_recent():
    ax = charts.recency(frames()["recency"], as_of="2026-10-31")
    assert texts(ax)[:3] == ["lapses 20 Jan 2027", "lapsed 2 Oct 2026", "not recent"]
    ends = [line.get_marker() for line in ax.lines if line.get_zorder() == 4]
    assert ends == ["o", "X", "X"]
    shapes = {name: shape for name, (shape, _) in legend_of(ax).items()}
    assert shapes == {
        "last flight": "o",
        "recent, lapses": "o",
        "not recent": "X",
        "31 Oct 2026": "|",
    }


def test_the_day_that_is_spoken_of_is_on_the_axis_also_where_everybody_has_lapsed():
    lapsed = frames()["recency"].head(2).assign(recent=False, lapses=date(2026, 9, 1))
    lapsed["last_flight"] = pd.Timestamp("2026-06-01", tz="UTC")
    ax = charts.recency(lapsed, as_of="2026-11-26")
    assert ax.get_xlim()[1] == (date(2026, 11, 26) - date(1970, 1, 1)).days
    assert ticks(ax.xaxis) == ["Jun\n2026", "Jul", "Aug", "Sep", "Oct", "Nov"]


def test_the_first_month_named_on_an_axis_of_recency_has_its_year():
    # The axis begins on a day of October, so that the first of October is not on it.
    ax = charts.recency(frames()["recency"].head(1))
    assert ticks(ax.xaxis) == ["Nov\n2026", "Dec", "Jan\n2027"]


def test_a_last_flight_that_is_a_date_is_drawn_on_its_day_in_every_zone():
    frame = frames()["recency"]
    dates = pd.to_datetime(pd.Series(["2026-10-20T00:00Z"] * len(frame)))

    def starts(tz):
        ax = charts.recency(frame.assign(last_flight=dates), as_of=date(2026, 10, 31), tz=tz)
        return str([list(line.get_xdata()) for line in ax.lines])

    assert starts("America/Los_Angeles") == starts("UTC")


def test_flights_and_the_day_spoken_of_go_by_the_zone_days_do_not_and_unknown_is_not_recent():
    pilots = {"pilot_id": ["a", "b"], "pilot_name": ["Ada", "Bo"], "recent": [True, None]}
    pilots |= {"lapses": [date(2026, 12, 1), None], "last_flight": ["2026-10-20T23:30Z", None]}
    frame = pd.DataFrame(pilots).assign(last_flight=lambda frame: pd.to_datetime(frame.last_flight))
    ax = charts.recency(frame, as_of="2026-10-31T23:30Z", tz="Europe/Oslo")
    first = (date(2026, 10, 21) - date(1970, 1, 1)).days
    start, end = (day - first for day in ax.lines[0].get_xdata())
    assert (start, end) == (1.5 / 24, 41)  # half past one on 21 October, and 1 December
    assert texts(ax)[:2] == ["lapses 1 Dec 2026", "not recent"]
    assert "1 Nov 2026" in texts(ax)


def test_shares_say_of_how_many_and_unknown_is_not_zero():
    assert texts(draw("night_and_bvlos")) == [
        "25.0 % of 40",
        "10.0 % of 20.0 h",
        "not recorded",
        "not recorded",
    ]
    _, shares = draw("night_and_bvlos").containers
    assert [float(bar.get_width()) for bar in shares] == [0.25, 0.1, 0.0, 0.0]


# Days and places


def test_the_more_hours_the_darker_the_day_and_one_without_flights_is_grey():
    days = ["2026-10-28", "2026-10-29", "2026-10-30", "2026-10-31"]
    hours = {"day": days, "flights": [1, 2, 4, 0], "hours": [0.5, 1.0, 2.5, 0.0]}
    assert shades(charts.calendar(pd.DataFrame(hours))) == [
        ("accent", 0.24),
        ("accent", 0.43),
        ("accent", 1.0),
        ("line", 1.0),
    ]


def test_a_calendar_shows_the_newest_weeks_that_fit_and_names_months_and_years():
    # From Monday, 3 November 2025, twelve weeks; a week is 2.4 mm wide at least.
    days = [day.isoformat()[:10] for day in pd.date_range("2025-11-03", periods=84)]
    frame = pd.DataFrame({"day": days, "flights": 1, "hours": 1.0})
    ax = charts.calendar(frame)
    assert ticks(ax.xaxis) == ["Nov\n2025", "Dec", "Jan\n2026"]
    assert ax.drawing.left_out == []
    # 9.5 mm stand beside the weeks: in 34 mm there are ten.
    assert charts.calendar(frame, width=34).drawing.left_out == ["14 earlier days"]


@pytest.mark.parametrize(
    ("first", "last", "named"),
    [
        ("2026-10-26", "2026-11-30", ["Nov\n2026"]),
        ("2026-10-05", "2026-11-30", ["Oct\n2026", "Nov"]),
        ("2026-10-20", "2026-11-03", ["Oct\n2026"]),
        ("2025-12-29", "2026-02-28", ["Jan\n2026", "Feb"]),
    ],
)
def test_a_calendar_names_the_longer_of_two_months_where_there_is_no_room_for_both(
    first, last, named
):
    days = pd.date_range(first, last).strftime("%Y-%m-%d")
    ax = charts.calendar(pd.DataFrame({"day": days, "flights": 1, "hours": 1.0}))
    assert ticks(ax.xaxis) == named


def test_namesakes_are_told_apart_by_their_ids_though_their_name_is_cut():
    name = "Maximilian Featherstonehaugh-Cholmondeley"
    flown = {
        "pilot_id": ["prof_1", "prof_2"],
        "pilot_name": name,
        "flights": 1,
        "hours": [3.0, 4.0],
    }
    ax = charts.pilots(pd.DataFrame(flown))
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert [label[-10:] for label in labels] == ["… (prof_1)", "… (prof_2)"]


TWO_DRONES = {"equipment_id": ["eq_1", "eq_2"], "name": "Mavic", "flights": 1, "hours": [4.0, 3.0]}
TWO_PILOTS = {"pilot_id": ["prof_1", "prof_2"], "pilot_name": "Kim", "flights": 1, "hours": 1.0}


@pytest.mark.parametrize(
    ("name", "columns", "label"),
    [
        ("idle", TWO_DRONES | {"idle_days": [41, 3]}, "Mavic (eq_1)"),
        ("aircraft_hours", TWO_DRONES, "Mavic (eq_1)"),
        (
            "reconciliation",
            TWO_DRONES
            | dict.fromkeys(["counter_hours", "logged_hours", "hours_difference"], 1.0)
            | {"verdict": "match"},
            "Mavic (eq_1)",
        ),
        ("pilots", TWO_PILOTS, "Kim (prof_1)"),
        (
            "recency",
            TWO_PILOTS | {"recent": True, "last_flight": None, "lapses": "2026-11-30"},
            "Kim (prof_1)",
        ),
        (
            "compare",
            TWO_DRONES | {"hours_other": 1.0, "hours_change": 1.0},
            "Mavic (eq_1) · 1",  # its one flight is not compared, so it tells rows apart too
        ),
    ],
)
def test_whose_namesake_is_not_drawn_is_told_apart_from_it(name, columns, label):
    ax = getattr(charts, name)(pd.DataFrame(columns), most=1)
    assert [tick.strip() for tick in ticks(ax.yaxis)] == [label]


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_calendar_is_drawn_of_the_first_and_the_last_day_that_there_are(day):
    ax = charts.calendar(pd.DataFrame({"day": [day], "flights": [2], "hours": [1.5]}))
    assert ax.texts[-1].get_text() == "to 1.5 h in a day"


def test_a_calendar_says_why_weeks_at_its_ends_are_blank():
    days = [day.isoformat()[:10] for day in pd.date_range("2026-01-05", periods=364)]
    frame = pd.DataFrame({"day": days, "flights": 1.0, "hours": 1.0})
    frame.loc[(frame.index < 100) | (frame.index >= 200), ["flights", "hours"]] = None
    ax = charts.calendar(frame)
    said = {
        text.get_text(): text.get_position()[0] for text in ax.texts if "data" in text.get_text()
    }
    # Day 100 lies in week 14, day 199 in week 28, of 52.
    assert said == {"no data before 15 Apr 2026": 6.5, "no data after 23 Jul 2026": 40.0}
    narrowed = texts(charts.calendar(frame, recorded=Period.read("2026")))
    assert {"the filter begins on 15 Apr 2026", "the filter ends on 23 Jul 2026"} <= {*narrowed}


def test_monday_is_the_first_row_and_midnight_the_first_column():
    frame = {"weekday": [1, 7], "hour": [9, 23], "flights": 1, "hours": [2.5, 1.0]}
    ax = charts.hours_by_weekday(pd.DataFrame(frame))
    [tiles] = ax.collections
    boxes = [path.get_extents() for path in tiles.get_paths()]
    middles = [((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for box in boxes]
    coloured = [
        place for place, (name, _) in zip(middles, shades(ax), strict=True) if name != "line"
    ]
    assert [tuple(map(round, place)) for place in coloured] == [(9, 0), (23, 6)]
    assert ticks(ax.yaxis) == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert ax.get_ylim() == (6.5, -0.5)


def test_weekdays_of_which_no_hour_is_known_are_bars_and_those_of_no_flight_are_0():
    flown = {"weekday": [1, 3, 3], "hour": None, "flights": 1, "hours": [2.5, None, None]}
    ax = charts.hours_by_weekday(pd.DataFrame(flown))
    assert texts(ax) == ["2.5", "0.0", "not recorded", *["0.0"] * 4]
    assert ax.get_xlabel() == "hours (no time of day is recorded)"


def test_flights_without_a_date_or_a_time_have_a_row_below_all_weekdays_and_all_hours():
    for key, count, name in (("weekday", 7, "no date"), ("hour", 24, "no time")):
        keys = [place + (key == "weekday") for place in range(count)]
        rows = ticks(charts.flight_hours(an_hours_frame(**{key: [*keys, None]})).yaxis)
        assert (len(rows), rows[-1]) == (count + 1, name)


def test_what_the_tiles_of_no_flight_mean_is_said_also_where_room_is_short():
    flown = pd.DataFrame({"weekday": [6], "hour": [7], "flights": [1], "hours": [0.25]})
    named = [text for text in texts(charts.hours_by_weekday(flown)) if not text.endswith("more")]
    assert named == ["0", "to 0.05", "to 0.15", "to 0.25 h"]


@pytest.mark.parametrize(("inches", "named"), [(3, 4), (5, 8), (1, 2)])
def test_names_of_hours_stand_apart_in_axes_of_any_width(inches, named):
    flown = pd.DataFrame({"weekday": [6], "hour": [7], "flights": [1], "hours": [0.25]})
    ax = charts.hours_by_weekday(flown, ax=plt.subplots(figsize=(inches, 2))[1])
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels()]
    assert len(boxes) == named
    assert [left for left, right in pairwise(boxes) if left.x1 >= right.x0] == []
    plt.close(ax.figure)


def test_hours_that_are_not_recorded_are_said_and_are_not_zero():
    flown = pd.DataFrame({"flights": [2], "hours": [None]})
    day = charts.calendar(flown.assign(day="2026-10-31"))
    hour = charts.hours_by_weekday(flown.assign(weekday=6, hour=9))
    for ax, when in ((day, "31 October 2026"), (hour, "Sat 09:00")):
        assert list(ax.drawing.titles.values()) == [f"{when} · 2 flights, hours not recorded"]
        # No shade is named where none is drawn.
        assert [text for text in texts(ax) if text.startswith(("to ", "not"))] == ["not recorded"]
    of_day, of_pilot = flown.assign(day="2026-10-31"), flown.assign(pilot="Ada")
    for frame, bar, label in (
        (of_day, "31 October 2026", ["not recorded"]),
        (of_pilot, "Ada", ["–"]),
    ):
        ax = charts.flight_hours(frame)
        assert list(ax.drawing.titles.values()) == [f"{bar} · 2 flights, hours not recorded"]
        assert [text for text in texts(ax) if text in ("–", "0.0", "not recorded")] == label


def test_a_map_has_steps_of_whole_flights_and_counts_those_without_a_place():
    bins = {"position": "located", "latitude": 59.9, "longitude": 10.7, "size_km": 1.0}
    bins |= {"east_km": [0.0, None], "north_km": [0.0, None], "flights": [2, 1]}
    one = charts.take_offs(pd.DataFrame({**bins, "flights": 1}))
    assert "to 1 flight" in texts(one)
    ax = charts.take_offs(pd.DataFrame(bins))
    assert [text for text in texts(ax) if text.startswith("to ")] == ["to 1", "to 2 flights"]
    assert ax.drawing.left_out == ["1 flight off the map"]


@pytest.mark.parametrize(("size", "said"), [(2.0, "1 km"), (1.0, "500 m"), (0.02, "10 m")])
def test_the_scale_of_a_map_is_in_metres_below_a_kilometre(size, said):
    place = {"position": "located", "latitude": 59.9, "longitude": 10.7, "flights": 1}
    bins = pd.DataFrame({**place, "east_km": [0.0], "north_km": [0.0], "size_km": [size]})
    assert texts(charts.take_offs(bins))[-1] == said


@pytest.mark.parametrize(("width", "is_shared"), [(80, True), (50, False)])
def test_the_scale_of_a_map_stands_above_what_is_left_out_where_it_has_no_room_beside(
    width, is_shared
):
    ax = charts.take_offs(frames()["take_offs"], width=width)
    boxes = {text.get_text(): text.get_window_extent() for text in ax.texts}
    others, scale = boxes["and 2 flights off the map"], boxes["2 km"]
    begin = ax.lines[-1].get_window_extent().x0
    assert (begin > others.x1) == is_shared
    assert (scale.y0 > others.y1) != is_shared


def test_the_scale_of_a_map_is_as_long_as_it_says():
    ax = draw("take_offs")
    [scale], [said] = ax.lines, [text for text in texts(ax) if text.endswith(" km")]
    ends = scale.get_transform().transform(scale.get_xydata())
    (left, _), (right, _) = ax.transData.inverted().transform(ends)
    assert said == f"{right - left:.0f} km"
    # Of 1, 2 and 5 km the longest that a fifth of the map holds.
    low, high = ax.get_xlim()
    assert right - left <= 0.2 * (high - low) < 2.5 * (right - left)


def a_map(latitude, longitude, **options):
    """Return the map of a place, and of one 20 km further west and 20 km further south."""
    across = 111.195 * np.cos(np.radians(60))
    places = {"latitude": [latitude, latitude - 20 / 111.195]}
    places |= {"longitude": [longitude, longitude - 20 / across], "east_km": [20.0, 0.0]}
    places |= {"north_km": [20.0, 0.0], "position": "located", "size_km": 1.0, "flights": [3, 1]}
    return charts.take_offs(pd.DataFrame(places), **options)


def degrees(axis):
    """Return degree → where it stands, and the hemispheres that are named."""
    texts = [text.split("° ") for text in ticks(axis)]
    places = map(float, axis.get_ticklocs())
    return dict(zip((float(text) for text, _ in texts), places, strict=True)), {
        hemisphere for _, hemisphere in texts
    }


def test_degrees_stand_where_they_are_and_name_the_hemisphere():
    across = 111.195 * np.cos(np.radians(60))  # a degree of longitude at 60° is half as long
    ax = a_map(60 + 20 / 111.195, 10 + 20 / across)
    for axis, zero, length, name in ((ax.yaxis, 60, 111.195, "N"), (ax.xaxis, 10, across, "E")):
        places, hemispheres = degrees(axis)
        assert len(places) > 1
        assert places == pytest.approx({one: (one - zero) * length for one in places})
        assert hemispheres == {name}
    ax = a_map(-60 + 20 / 111.195, -10 + 20 / across)
    assert (degrees(ax.yaxis)[1], degrees(ax.xaxis)[1]) == ({"S"}, {"W"})
    assert list(ax.drawing.titles.values()) == [
        "59.82° S, 9.64° W · 3 flights",
        "60.00° S, 10.00° W · 1 flight",
    ]
    assert degrees(a_map(60, 180.2).xaxis)[1] == {"E", "W"}


def test_two_maps_have_the_same_shades_where_the_same_most_is_given():
    assert [text for text in texts(a_map(60, 10, most=100)) if text.startswith("to ")] == [
        "to 20",
        "to 40",
        "to 60",
        "to 80",
        "to 100 flights",
    ]


def test_an_area_is_as_wide_and_as_high_as_its_edges():
    area = {"position": "located", "latitude": 60.0, "longitude": 10.0, "east_km": 0.0}
    area |= {"north_km": 0.0, "size_km": 11.0, "flights": 1, "south": 59.9, "north": 60.1}
    ax = charts.take_offs(pd.DataFrame([{**area, "west": 9.7, "east": 10.3}]))
    [box] = [path.get_extents() for path in ax.collections[0].get_paths()]
    # 0.2° of latitude and 0.6° of longitude at 60°, which are half as long; less the seam.
    assert (round(box.height, 2), round(box.width, 2)) == (20.46, 30.69)


def test_the_fullest_places_of_a_map_have_their_number():
    bins = {"position": "located", "longitude": 10.7, "latitude": 60.0, "east_km": 0.0}
    bins |= {"north_km": range(0, 100, 10), "size_km": 1.0, "flights": range(1, 11)}
    ax = charts.take_offs(pd.DataFrame(bins))
    assert [text for text in texts(ax) if text.isdigit()] == [str(n) for n in range(10, 2, -1)]


def test_a_comparison_shows_names_for_ids_and_whole_numbers_without_decimals():
    both = {"pilot_id": ["prof_1", "prof_2"], "pilot_name": ["Ada", "Bo"], "flights": [2, 3]}
    both |= {"flights_other": [1, 3], "flights_change": [1, 0], "flights_percent": [100.0, 0.0]}
    ax = charts.compare(pd.DataFrame(both), measure="flights")
    assert ticks(ax.yaxis) == ["Ada", "Bo"]
    assert texts(ax)[:2] == ["2 from 1, +1", "3 from 3, 0"]
    # A month that only the other period has.
    months = {"month": ["2026-10", None], "month_other": ["2025-10", "2025-11"]}
    hours = {"hours": [1.5, None], "hours_other": [1.0, 2.0], "hours_change": [0.5, None]}
    ax = charts.compare(pl.DataFrame({**months, **hours}))
    assert ticks(ax.yaxis) == ["2026-10", "2025-11"]
    assert texts(ax)[:2] == ["1.5 from 1.0, +0.5", "– from 2.0"]


@pytest.mark.parametrize(
    ("measure", "one", "other", "note"),
    [
        ("hours_per_aircraft_day", 0.054, 0.066, "0.05 from 0.07, −0.01"),
        ("flights_share", 0.218, 0.21, "0.218 from 0.210, +0.008"),
        ("hours", 1.54, 1.5, "1.5 from 1.5, 0.0"),
    ],
)
def test_a_comparison_has_the_decimals_of_its_measure_and_a_sign_only_where_it_shows_a_change(
    measure, one, other, note
):
    row = {measure: one, f"{measure}_other": other, f"{measure}_change": one - other}
    assert texts(charts.compare(pd.DataFrame([row]), measure=measure))[0] == note


def test_the_ticks_of_a_comparison_lie_among_its_values_and_millions_are_short():
    for factor, named in ((1, ["12", "14", "16"]), (1e6, ["12.0M", "14.0M", "16.0M"])):
        row = {"value": 17 * factor, "value_other": 11 * factor, "value_change": 6 * factor}
        ax = charts.compare(pd.DataFrame([row]), measure="value")
        assert ticks(ax.xaxis) == named


def test_values_are_named_where_names_do_not_touch_on_a_phone_and_do_not_leave_the_figure():
    row = {"client": LONG, "value": 40_000, "value_other": 9_000, "value_change": 31_000}
    ax = charts.compare(pd.DataFrame([row]), measure="value")
    assert ticks(ax.xaxis) == ["10,000", "20,000", "30,000", "40,000"]
    assert ticks(ax.drawing.narrow().xaxis) == ["10,000", "40,000"]
    metres = pd.DataFrame({"month": ["2026-10"], "flights": [1], "hours": [1], "distance": [2e6]})
    with language.using("de"):
        ax = charts.flight_hours(metres, measure="distance")
    ax.figure.draw_without_rendering()
    names = {name.get_text(): name.get_window_extent().x0 for name in ax.get_yticklabels()}
    assert names["2,00\u00a0Mio."] > 0


def test_millions_that_are_compared_are_rounded_rather_than_cut_and_named_once_on_the_axis():
    row = {"value": 1_252_000.0, "value_other": 1_250_000.0, "value_change": 2_000.0}
    ax = charts.compare(pd.DataFrame([row]), measure="value")
    assert texts(ax)[0] == "1.25M from 1.25M, +2.0k"
    assert ticks(ax.xaxis) == ["1.25M"]


# Shades


def test_an_amount_has_the_shade_of_the_step_that_reaches_it_whatever_its_last_digit():
    tenths = Shades.of([0.1 + 0.2, 0.5])
    assert (tenths.step, tenths.count) == (0.1, 5)
    for amount, step in ((0.01, 0.1), (0.21, 0.3), (0.1 + 0.2, 0.3), (0.31, 0.4), (9.0, 0.5)):
        assert tenths.style(amount) == tenths.style(step)
    assert Shades.of([3 * 0.1] * 3, least=0.1).count == 3
    assert Shades.of([5 / 3600]).names() == ["0", "to 0.0005", "to 0.0010", "to 0.0015"]
    assert Shades.of([0.0, -2.0]).names() == ["0", "to 0.2", "to 0.4", "to 0.6", "to 0.8", "to 1.0"]


# Languages


def test_weekdays_and_what_nobody_flew_are_named_in_the_language_of_the_chart():
    flown = pd.DataFrame({"weekday": [6], "hour": [7], "flights": [1], "hours": [0.25]})
    pilots = pd.DataFrame({"pilot_id": ["Unassigned", None], "pilot_name": [None] * 2})
    with language.using("de"):
        assert ticks(charts.hours_by_weekday(flown).yaxis)[:2] == ["Mo", "Di"]
        ax = charts.pilots(pilots.assign(flights=1, hours=1.0))
    assert (ticks(ax.yaxis), faces(ax)) == (["Nicht zugewiesen"] * 2, ["quiet"] * 2)


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ({"night": [True, False, None]}, ["Nacht: nicht erfasst", "Nacht: nein", "Nacht: ja"]),
        ({"bvlos": [True, None]}, ["BVLOS: nicht erfasst", "BVLOS: ja"]),
        ({"hour": [7, None]}, ["07:00", "keine Uhrzeit"]),
        ({"client": ["Fjord", "Unassigned"]}, ["Nicht zugewiesen", "Fjord"]),
        ({"operation_type": ["Unassigned"]}, ["Unassigned"]),  # a word of the service
    ],
    ids=["night", "bvlos", "hour", "client", "operation type"],
)
def test_rows_of_hours_are_named_in_the_language_of_the_chart(keys, names):
    with language.using("de"):
        assert ticks(charts.flight_hours(an_hours_frame(**keys)).yaxis) == names


def test_a_comparison_and_the_units_of_hours_are_in_the_language_of_the_chart():
    compared = pd.DataFrame({"hours": [1.5], "hours_other": [1.0], "hours_change": [0.5]})
    distance = an_hours_frame(month=["2026-10"]).assign(distance=1.0)
    with language.using("de"):
        ax = charts.compare(compared)
        assert (ticks(ax.yaxis), texts(ax)[0]) == (["alle"], "1,5 gegenüber 1,0, +0,5")
        assert texts(ax)[1:] == ["Stunden, das andere", "Stunden, das eine"]
        unit = charts.flight_hours(distance, measure="distance").get_ylabel()
    assert unit == "Strecke, wie gemeldet"


# Equipment


def test_condition_tiles_carry_their_count_and_empty_ones_a_dash():
    ax = draw("equipment_condition")
    assert ticks(ax.xaxis) == ["GOOD", "not given", "POOR"]
    assert ticks(ax.yaxis) == ["ACTIVE", "GROUNDED"]
    assert texts(ax) == ["12", "1", "–", "–", "–", "3"]
    darkness = {
        text.get_text(): tile.get_facecolor()[3]
        for tile, text in pairwise(ax.get_children())
        if isinstance(tile, matplotlib.patches.FancyBboxPatch)
    }
    assert darkness["12"] > darkness["3"] > darkness["1"]
    blank = {"status": "ACTIVE", "condition": [None, " "], "equipment": [1, 2]}
    assert texts(charts.equipment_condition(pd.DataFrame(blank))) == ["3"]


def test_equipment_whose_tokens_look_alike_stands_on_one_tile():
    rows = {"status": ["ACTIVE", "ACTIVE ", "ACTIVE"], "condition": ["GOOD", "GOOD", "GOOD\u200e"]}
    ax = charts.equipment_condition(metrics.equipment_condition(pd.DataFrame(rows)))
    assert (texts(ax), ticks(ax.xaxis), ticks(ax.yaxis)) == (["3"], ["GOOD"], ["ACTIVE"])


@pytest.mark.parametrize("conditions", [["GOOD"], ["NEW", "GOOD", "FAIR", "POOR"]])
def test_tiles_have_the_same_corners_however_wide_they_are(conditions):
    rows = {"status": "ACTIVE", "condition": conditions, "equipment": 1}
    ax = charts.equipment_condition(pd.DataFrame(rows), width=88)
    ax.figure.draw_without_rendering()
    tile = next(part for part in ax.patches + ax.artists if hasattr(part, "get_boxstyle"))
    corners = tile.get_transform().transform(tile.get_path().vertices)
    radii = [np.sort(np.unique(corners[:, side].round(2)))[:2] for side in (0, 1)]
    millimetre = ax.figure.dpi / 25.4
    assert [np.diff(ends).item() / millimetre for ends in radii] == pytest.approx([0.55] * 2, 0.02)


@pytest.mark.parametrize("width", [60, 98])
def test_six_conditions_are_whole_words_inside_the_chart(width):
    conditions = ["NEW", "EXCELLENT", "GOOD", "FAIR", "POOR", "DAMAGED"]
    rows = {"status": "MAINTENANCE", "condition": conditions, "equipment": 1}
    ax = charts.equipment_condition(pd.DataFrame(rows), width=width)
    assert [head.strip() for head in ticks(ax.xaxis)] == conditions
    ax.figure.draw_without_rendering()
    rightmost = max(head.get_window_extent().x1 for head in ax.get_xticklabels())
    assert rightmost <= ax.figure.bbox.x1
    long = charts.equipment_condition(
        pd.DataFrame(rows | {"condition": ["NEW", "X" * 200, "FAIR"], "equipment": [1, 1, 1]})
    )
    assert max(map(len, ticks(long.xaxis)[1].split("\n"))) < 50


def test_conditions_keep_the_order_of_severity():
    frame = frames()["equipment_condition"]
    order = pd.CategoricalDtype(["POOR", "GOOD"], ordered=True)
    ax = draw("equipment_condition", frame.astype({"condition": order}))
    assert ticks(ax.xaxis) == ["POOR", "GOOD", "not given"]
    pieces = pl.DataFrame({"status": ["ACTIVE"] * 2 + ["GROUNDED"]})
    pieces = pieces.with_columns(condition=pl.Series(["GOOD", "DAMAGED", "FAIR"]))
    counted = metrics.equipment_condition(pieces)
    for frame in (counted, metrics.collect(counted)):
        assert ticks(charts.equipment_condition(frame).xaxis) == ["GOOD", "FAIR", "DAMAGED"]


def test_every_registration_band_has_a_row_also_at_zero():
    bands = ["expired", "≤ 30 days", "≤ 60 days", "≤ 90 days", "later", "missing"]
    ordered = pd.DataFrame({"band": pd.Categorical(["later", "expired"], bands)})
    counted = texts(charts.registrations(ordered))
    # A result of Polars that was collected has the bands as text.
    ax = charts.registrations(ordered.astype("str"))
    assert texts(ax) == counted
    rows = zip(ticks(ax.yaxis), texts(ax), faces(ax), strict=True)
    assert list(rows) == [
        ("expired", "1", "red"),
        ("expires within 30 days", "0", "amber"),
        ("within 60 days", "0", "accent"),
        ("within 90 days", "0", "accent"),
        ("later", "1", "accent"),
        ("no expiry date", "0", "quiet"),
    ]


def test_reconciliation_shows_both_hours_and_the_verdict():
    ax = draw("reconciliation")
    assert texts(ax)[:2] == ["2.0 h · counter higher", "no counter"]
    less = frames()["reconciliation"].assign(hours_difference=-2.0, verdict="logs higher")
    assert texts(draw("reconciliation", less))[0] == "2.0 h · logs higher"
    marks = [line.get_xdata()[0] for line in ax.lines if line.get_zorder() == 3]
    assert marks[0] == 12.0
    assert pd.isna(marks[1])
    same = dict.fromkeys(["counter_hours", "logged_hours"], 1e15)  # beside which 1 is nothing
    with warnings.catch_warnings(action="error"):  # matplotlib's on an axis of no length
        draw("reconciliation", frames()["reconciliation"].assign(**same))


@pytest.mark.parametrize(
    ("hours", "flights", "verdict", "said"),
    [
        (0.04, 3, "counter higher", "1 flight · counter higher"),
        (0.1, 0, "logs higher", "2 flights · logs higher"),
        (None, 3, "counter higher", "1 flight · counter higher"),
        (2.0, 1, "counter higher", "2.0 h · counter higher"),
        (0.04, None, "match", "0.0 h · match"),
    ],
)
def test_a_counter_whose_hours_do_not_tell_the_verdict_shows_its_flights(
    hours, flights, verdict, said
):
    """The logs hold two flights."""
    one = {"name": ["Heron"], "counter_hours": [9.0], "logged_hours": [9.0], "verdict": [verdict]}
    frame = pd.DataFrame({**one, "counter_flights": [flights], "logged_flights": [2]})
    ax = draw("reconciliation", frame.assign(hours_difference=hours))
    assert texts(ax)[0] == said


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("reconciliation", {"hours on the counter": 12.0, "hours in the logs": 10.0}),
        ("tier_rates", {"lowest tier": 1.0, "highest tier": 1.25}),
        ("compare", {"hours, other": 1.0, "hours, one": 1.5}),
    ],
)
def test_a_legend_names_what_each_mark_stands_for(name, values):
    ax = draw(name)
    hollow, full = (line for line in ax.lines[:3] if line.get_zorder() > 2)
    drawn = {line.get_markerfacecolor(): line.get_xdata()[0] for line in (hollow, full)}
    assert {text: drawn[colour] for text, (_, colour) in legend_of(ax).items()} == values


def test_equipment_that_never_flew_is_idle_without_a_number():
    ax = draw("idle")
    assert (texts(ax), widths(ax)) == (["41", "never flew"], [41.0, 0.0])


def test_equipment_that_flew_on_no_known_day_is_not_said_never_to_have_flown():
    given = pd.DataFrame({"name": ["A", "B"], "idle_days": pd.array([None, None], dtype="Int64")})
    assert texts(charts.idle(given.assign(flights=[3, 0]))) == ["not known", "never flew"]


@pytest.mark.parametrize("name", ["aircraft_hours", "idle", "reconciliation"])
def test_equipment_without_a_name_is_called_by_its_id(name):
    frame = frames()[name].head(2)
    ids = pd.Series(["eq_1", "eq_2"], index=frame.index)
    nameless = frame.assign(name=pd.Series([None, " "], frame.index, dtype="str"), equipment_id=ids)
    assert set(ticks(draw(name, nameless).yaxis)) == {"eq_1", "eq_2"}
    assert set(ticks(draw(name, nameless.drop(columns="equipment_id")).yaxis)) == {"not given"}


# Projects


def test_money_has_one_panel_per_currency_and_is_never_added():
    ax = draw("project_pipeline")
    assert [panel.get_xlabel() for panel in ax.child_axes] == [
        "projects",
        "value, EUR",
        "value, NOK",
    ]
    assert [texts(panel) for panel in ax.child_axes] == [
        ["13", "2"],
        ["125,000", "–"],
        ["9,500", "–"],
    ]


@pytest.mark.parametrize(
    ("lang", "shown", "left_out"),
    [
        ("en", [["27.1bn"], ["5.25M"]], []),
        ("nb", [["27,1\u00a0mrd."]], ["1 valuta til"]),  # two would be cut to "27,1…" and "5,25…"
    ],
)
def test_an_amount_is_never_cut_rather_a_currency_is_left_out(lang, shown, left_out):
    money = {"group": "awaiting payment", "currency": ["CHF", "NOK"], "projects": [2, 1]}
    with language.using(lang):
        frame = pd.DataFrame({**money, "value": [27.105e9, 5.25e6]})
        ax = charts.pipeline_totals(frame).drawing.narrow()
    assert [texts(panel) for panel in ax.child_axes[1:]] == shown
    assert ax.drawing.left_out == left_out


def test_a_note_that_is_cut_ends_in_no_number_and_its_title_is_the_whole():
    money = {"projects": [12], "compared": [10], "price": [1_234_567.0], "margin": [-234_567.0]}
    frame = pd.DataFrame({"currency": ["EUR"], **money, "margin_percent": [-19.0]})
    with language.using("nb"):
        narrow = charts.margins(frame).drawing.narrow()
        [whole] = texts(charts.margins(frame))
    assert texts(narrow) == ["−19,0 % · −234\u00a0567 av…"]  # not "av 1 234…"
    assert [*narrow.drawing.titles.values()] == [whole]


def test_an_amount_without_a_currency_is_never_cut_either():
    money = {"group": "awaiting payment", "currency": ["EUR", None], "projects": [1, 2]}
    with language.using("nb"):
        frame = pd.DataFrame({**money, "value": [5.0, 27.105e9]})
        ax = charts.pipeline_totals(frame).drawing.narrow()
    assert [texts(panel) for panel in ax.child_axes[1:]] == [["27,1\u00a0mrd."]]


def test_a_long_name_of_a_row_takes_no_currency_its_place():
    money = {"status": "W" * 60, "currency": ["CHF", "NOK"], "projects": [2, 1], "value": 5.0}
    _count, *values = charts.project_pipeline(pd.DataFrame(money)).drawing.narrow().child_axes
    assert [panel.get_xlabel() for panel in values] == ["CHF", "NOK"]


def test_currencies_of_as_many_projects_do_not_take_more_panels_than_there_are():
    money = {"status": "DRAFT", "currency": [f"A{n}" for n in range(9)], "projects": 1}
    ax = charts.project_pipeline(pd.DataFrame({**money, "value": 1.0}))
    shown = [panel.get_xlabel() for panel in ax.child_axes[1:]]
    assert shown == ["value, A0", "value, A1", "value, A2", "value, A3"]


def test_money_that_is_not_known_is_a_dash_and_what_stands_aside_is_grey():
    money = {"status": ["DRAFT", "ON_HOLD"], "currency": "EUR", "projects": [2, 1]}
    count, value = charts.project_pipeline(
        pd.DataFrame({**money, "value": [9500.0, None]})
    ).child_axes
    assert (texts(count), texts(value)) == (["2", "1"], ["9,500", "–"])
    assert faces(count) == ["accent", "quiet"]


@pytest.mark.slow
def test_money_without_a_currency_has_a_panel_of_its_own():
    ax = draw("project_pipeline", frames()["project_pipeline"].fillna({"value": 700.0}))
    assert ax.child_axes[-1].get_xlabel() == "value, no currency"
    assert texts(ax.child_axes[-1]) == ["–", "700"]
    groups = ["open", "open", "open", "awaiting payment"]
    four = {"group": groups, "currency": ["CHF", "EUR", "NOK", None], "projects": 1}
    with language.using("de"):  # whose "Wert, keine Währung" is wider than one of five panels
        ax = draw("pipeline_totals", pd.DataFrame({**four, "value": 24_000.0}))
    units = [panel.get_xlabel() for panel in ax.child_axes]
    assert units == ["Projekte", "Wert, CHF", "Wert, EUR", "Wert, NOK", "keine Währung"]


@pytest.mark.slow
def test_stages_keep_the_references_order_and_unknown_ones_come_last():
    frame = frames()["project_pipeline"].assign(status=["ARCHIVED", "ON_HOLD", "DRAFT"])
    assert ticks(draw("project_pipeline", frame).yaxis) == ["DRAFT", "ON_HOLD", "ARCHIVED"]


def test_services_of_one_name_are_told_apart_by_their_ids():
    one = frames()["tier_rates"].head(1)
    both = pd.concat([one.assign(service_id=name, service="Survey") for name in ("svc_1", "svc_2")])
    assert ticks(draw("tier_rates", both).yaxis) == ["Survey (svc_1)", "Survey (svc_2)"]


def test_a_rate_without_a_currency_says_so():
    one = frames()["tier_rates"].head(1).assign(currency=None)
    assert texts(draw("tier_rates", one))[0] == "80.00 no currency per HOUR"
    one = one.assign(rate=None, times_lowest=None)
    assert texts(draw("tier_rates", one))[0].startswith("not known, no currency per")


def test_pipeline_totals_keep_the_frames_order():
    assert ticks(draw("pipeline_totals").yaxis) == ["open", "backlog"]


def test_a_negative_margin_goes_left_and_a_missing_one_is_said():
    ax = draw("margins")
    assert (widths(ax), faces(ax)) == ([-5.0, 0.0], ["red", "accent"])
    assert ax.get_xlim()[0] == -5.0
    assert [note.xy[0] for note in ax.texts] == [0.0, 0.0]  # no bar lies under its note
    assert texts(ax) == ["−5.0 % · −50 of 1,000 · 7 of 9 projects", "not known · 0 of 4 projects"]
    one = draw("margins", frames()["margins"].assign(projects=1))
    assert texts(one)[1] == "not known · 0 of 1 project"


def test_margins_by_client_name_client_and_currency():
    frame = frames()["margins"].assign(client=["Ørsted", "Kirk"], currency=["EUR", None])
    ax = draw("margins", frame)
    assert ticks(ax.yaxis) == ["Ørsted · EUR", "Kirk · no currency"]


def test_late_projects_name_title_client_and_days():
    ax = draw("late_projects")
    assert ticks(ax.yaxis) == ["Heron 1 · Ørsted", "B · no client"]
    assert texts(ax) == ["12 · SCHEDULED", "1 · DRAFT"]


# History


def test_time_in_stage_tells_whole_stays_from_standing_ones():
    ax = draw("time_in_stage")
    assert ticks(ax.yaxis) == ["DRAFT", "IN_PROGRESS", "ON_HOLD"]
    assert (widths(ax), faces(ax)) == ([3.0, 12.25, 0.0], ["accent", "accent", "quiet"])
    assert texts(ax) == [
        "3.0 (p90 8.5, 4 stays) · 2 standing, longest ≥ 20.0",
        "12.3 (p90 12.3, 1 stay) · none standing",
        "no whole stay · 1 standing, longest 1.5",
    ]


def test_a_month_that_lost_hours_goes_left_and_every_one_says_what_moved_it():
    ax = draw("restatements")
    assert ticks(ax.yaxis) == ["2026-08", "2026-09", "2026-10"]
    assert widths(ax) == [1.2, -0.5, 0.0]
    assert texts(ax) == [
        "+1.2 · 3 late logs, 1 edit, 1 vanished",
        "−0.5 · 2 edits, 1 moved out",
        "0.0 · 1 moved in, 1 moved out",
    ]
    little = draw("restatements", frames()["restatements"].assign(hours=0.04))
    assert {text.split(" ")[0] for text in texts(little)} == {"0.0"}


@pytest.mark.slow
@pytest.mark.parametrize("day", [3, 8, 14, 26])
def test_the_reason_of_a_gap_lies_within_it_whatever_its_language(day):
    october = Period.read("2026-10")
    covered = Period.between(f"2026-10-{day:02d}", "2026-11-01", "UTC")
    hours = an_hours_frame(day=["2026-10-28", "2026-10-31"])
    with language.using("de"):
        ax = charts.flight_hours(hours, period=october, covered=covered, width=88)
        [reason] = [text for text in visible_texts(ax) if "Daten" in text.get_text()]
        ax.figure.canvas.draw()
        box, room = reason.get_window_extent(), ax.get_window_extent()
    date = [] if day == 3 else ["vor", "dem", f"{day}.", "Okt.", "2026"]
    assert reason.get_text().split() == ["keine", "Daten", *date]
    assert room.y0 <= box.y0
    assert box.y1 <= room.y1
    left, right = ax.transData.transform([(-0.5, 0), (day - 1.5, 0)])[:, 0]
    assert left <= box.x0
    assert box.x1 <= right


@pytest.mark.slow
def test_a_gap_without_room_for_a_word_has_none_that_would_cover_bars_and_numbers():
    covered = Period.between("2026-10-02", "2026-10-31", "UTC")
    hours = an_hours_frame(day=["2026-10-02", "2026-10-30"])
    ax = charts.flight_hours(hours, period="2026-10", covered=covered, width=88)
    assert [text for text in texts(ax) if "data" in text] == []


def test_a_chart_and_a_table_call_what_has_a_name_that_can_not_be_seen_by_its_id():
    flown = pd.DataFrame(
        {
            "name": ["Kestrel", "\x00", " "],
            "equipment_id": ["a", "b", "c"],
            "flights": 1,
            "hours": 1.0,
        }
    )
    labels = [label.get_text() for label in charts.aircraft_hours(flown).get_yticklabels()]
    assert labels == ["Kestrel", "b", "c"]
    assert names_or_ids(flown["name"], flown["equipment_id"]).tolist() == labels
    assert [shown(name) for name in flown["name"]] == ["Kestrel", "–", "–"]
    # A category is a name as well.
    kinds = flown["name"].astype("category")
    assert names_or_ids(kinds, flown["equipment_id"]).tolist() == labels


@pytest.mark.parametrize(
    ("chart", "column"),
    [
        (chart, column)
        for chart, frame in counted_frames("Kestrel").items()
        for column in frame.columns[frame.dtypes == "float64"]
        if column not in {"latitude", "longitude", "size_km"}  # the metric bounds them
    ],
)
def test_numbers_of_any_size_are_drawn(chart, column):
    frame = counted_frames("Kestrel")[chart]
    for number in (1.79e308, -1.79e308):
        huge = frame.assign(**{column: [number, *frame[column].iloc[1:]]})
        assert "<svg" in to_svg(draw(chart, huge))
