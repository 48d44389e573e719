"""No chart grows with the organisation, whatever its rows hold: every one of them is found here."""

from __future__ import annotations

import re
import warnings
from datetime import date, timedelta
from functools import cache
from itertools import combinations

import pandas as pd
import pytest
from an_example import arguments_of
from chart_frames import EVERY
from long_names import NAMES
from matplotlib.text import Text

from fleetkit import charts
from fleetkit.charts.drawing.svg import to_svg
from fleetkit.errors import InvalidValue
from fleetkit.svg import words
from fleetkit.time import Period

# What a figure may be, whatever is drawn. [mm], [pt], [bytes]
WIDEST, HIGHEST, LEAST_TYPE, LARGEST = 180, 175, 6.5, 400_000
# Part of a text that another one may cover.
OVERLAP = 0.02
COUNTS = (0, 1, 5_000)
# So many days or places are all shown; of so many rows a part is shown as of 5,000.
FEW, SHOWN_WHOLE = 40, {"calendar", "hours_by_weekday", "restatements", "take_offs", "utilisation"}
FIRST_DAY = date(2026, 10, 31)

# A chart that draws by any key is drawn by each kind of them.
KEYS = {
    "flight_hours": [
        ("month",),
        ("week",),
        ("day",),
        ("pilot",),
        ("month", "operation_type"),
        ("day", "flight_type"),
        ("client", "operation_type"),
    ]
}
OPTIONS = {"recency": {"as_of": FIRST_DAY}}
DRAWN = [(name, keys) for name in EVERY for keys in KEYS.get(name, [()])]


def needed(name):
    """Return the columns of which a chart says that it misses them."""
    with pytest.raises(InvalidValue) as caught:
        getattr(charts, name)(pd.DataFrame())
    return re.search(r"misses the columns? (.*?)\.", str(caught.value))[1].split(", ")


def days(n):
    return [FIRST_DAY - timedelta(days=place) for place in range(n)][::-1]


def months(n):
    numbers = range(2026 * 12 + 10 - n, 2026 * 12 + 10)
    return [f"{number // 12:04d}-{number % 12 + 1:02d}" for number in numbers]


def weeks(n):
    parts = [day.isocalendar() for day in (FIRST_DAY - timedelta(weeks=p) for p in range(n))]
    return [f"{year:04d}-W{week:02d}" for year, week, _ in parts][::-1]


def names(n):
    """Return long names, no two of them alike, in every script."""
    scripts = list(NAMES.values())
    return [f"{place} {scripts[place % len(scripts)]}" for place in range(n)]


def numbers(n):
    """Return numbers of every size, negative ones and nulls among them."""
    sizes = [1.5, 120.25, -3.0, None, 0.0, 48_000.0, 2.5e9, 1e300]
    return [sizes[place % len(sizes)] for place in range(n)]


def counts(n):
    return [place % 1_200 for place in range(n)]


# How a column's values are made.
COLUMNS = {
    "month": months,
    "week": weeks,
    "day": lambda n: [day.isoformat() for day in days(n)],
    "lapses": lambda n: pd.to_datetime(days(n), utc=True),
    "last_flight": lambda n: pd.to_datetime(days(n), utc=True),
    "recent": lambda n: [place % 3 == 0 for place in range(n)],
    **dict.fromkeys(("name", "pilot_id", "pilot_name", "pilot", "client", "title"), names),
    **dict.fromkeys(("client_account_name", "status", "condition", "verdict", "flag"), names),
    **dict.fromkeys(("group", "currency", "band", "flight_type", "operation_type"), names),
    **dict.fromkeys(("hours", "counter_hours", "logged_hours", "hours_difference"), numbers),
    **dict.fromkeys(("known_hours", "hours_share", "flights_share"), numbers),
    **dict.fromkeys(("hours_per_aircraft_day", "median_days", "p90_days"), numbers),
    **dict.fromkeys(("longest_standing_days", "value", "price", "margin"), numbers),
    "margin_percent": numbers,
    "weekday": lambda n: [place % 7 + 1 for place in range(n)],
    "hour": lambda n: [place // 7 % 24 for place in range(n)],
    "position": lambda n: ["located"] * n,
    "latitude": lambda n: [50 + place % 60 / 100 for place in range(n)],
    "east_km": lambda n: [place // 60 * 1.5 for place in range(n)],
    "north_km": lambda n: [place % 60 * 1.112 for place in range(n)],
    "size_km": lambda n: [1.0] * n,
    **dict.fromkeys(("flights", "known_flights", "equipment", "projects", "compared"), counts),
    **dict.fromkeys(("idle_days", "days_late", "stays", "standing", "entry_unseen"), counts),
    **dict.fromkeys(("late_logs", "edits", "moved_in", "moved_out", "vanished"), counts),
}


def recipe(name, column):
    """Return how a column's values are made: by its name, or as those of the chart's example."""
    if column in COLUMNS:
        return COLUMNS[column]
    example, *_ = arguments_of(getattr(charts, name)).values()
    kinds = {"i": counts, "f": numbers, "b": COLUMNS["recent"], "M": COLUMNS["lapses"]}
    return kinds.get(example[column].dtype.kind, names)


def frame(name, keys, n):
    """Return `n` rows of the columns that a chart draws, by the recipe of each column."""
    return pd.DataFrame({column: recipe(name, column)(n) for column in (*keys, *needed(name))})


@cache
def drawn(name, keys, n):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        ax = getattr(charts, name)(frame(name, keys, n), **OPTIONS.get(name, {}))
        return ax, to_svg(ax, "a chart")


def texts(ax):
    """Return what stands on a figure."""
    return {text for text in ax.findobj(Text) if text.get_visible() and text.get_text().strip()}


def covered(one, other):
    """Return the part of the smaller of two boxes that the other one covers."""
    width = min(one.x1, other.x1) - max(one.x0, other.x0)
    height = min(one.y1, other.y1) - max(one.y0, other.y0)
    smaller = min(one.width * one.height, other.width * other.height)
    return max(width, 0) * max(height, 0) / smaller


CASES = [
    pytest.param(name, keys, n, id="-".join([name, *keys, str(n)]), marks=pytest.mark.slow)
    for name, keys in DRAWN
    for n in (*COUNTS, *[FEW] * (name in SHOWN_WHOLE or "month" in keys or "day" in keys))
]


@pytest.mark.parametrize(("name", "keys", "n"), CASES)
def test_a_chart_of_any_number_of_rows_keeps_its_size(name, keys, n):
    ax, svg = drawn(name, keys, n)
    width, height = ax.figure.get_size_inches() * 25.4
    assert (round(width) <= WIDEST, round(height) <= HIGHEST, len(svg) <= LARGEST) == (True,) * 3


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize(("name", "keys", "n"), CASES)
def test_every_text_of_a_chart_is_inside_it_and_can_be_read(name, keys, n):
    ax, _ = drawn(name, keys, n)
    paper = ax.figure.bbox.padded(1)
    shown = texts(ax)
    boxes = sorted(
        ((text.get_text(), text.get_window_extent()) for text in shown),
        key=lambda pair: (pair[0], pair[1].bounds),
    )
    outside = [
        text
        for text, box in boxes
        if not (paper.contains(box.x0, box.y0) and paper.contains(box.x1, box.y1))
    ]
    small = [text.get_text() for text in shown if text.get_fontsize() < LEAST_TYPE]
    pairs = [
        (one, other)
        for (one, box), (other, beside) in combinations(boxes, 2)
        if covered(box, beside) > OVERLAP
    ]
    assert (outside, small, pairs) == ([], [], [])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize(("name", "keys"), DRAWN, ids=["-".join([n, *k]) for n, k in DRAWN])
def test_what_a_chart_leaves_out_is_counted_below_it_and_kept_in_its_frame(name, keys):
    ax, _ = drawn(name, keys, 5_000)
    assert len(ax.drawing.frame) == 5_000
    counted = f"and {', '.join(ax.drawing.left_out)}"
    assert re.search(r"and [\d,]+ (more|earlier) \w+", counted)
    assert counted in {text.get_text() for text in texts(ax)}


@pytest.mark.slow
@pytest.mark.parametrize("script", NAMES)
def test_a_name_that_a_chart_cuts_is_whole_in_its_title(script):
    name = NAMES[script]
    rows = {"name": [name, "Heron 1"], "flights": [3, 1], "hours": [2.5, 0.5]}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        ax = charts.aircraft_hours(pd.DataFrame(rows))
        svg = to_svg(ax, "Bars")
    assert list(ax.drawing.titles.values()) == [name]
    assert f"<title>{name}</title>" in svg
    assert f">{name}<" not in svg.replace(f"<title>{name}</title>", "")


LONG = "Survey of the harbour, " * 8 + "and back"


@pytest.mark.parametrize(
    ("chart", "rows", "titles"),
    [
        (
            "idle",
            {"equipment_id": ["eq_1", "eq_2"], "name": LONG, "idle_days": 4},
            [f"{LONG} (eq_1)", f"{LONG} (eq_2)"],
        ),
        (
            "idle",
            {"equipment_id": ["eq_1", "eq_2"], "name": [f"{LONG} 1", f"{LONG} 2"], "idle_days": 4},
            [f"{LONG} 1", f"{LONG} 2"],
        ),
        (
            "late_projects",
            {"title": [LONG], "client_account_name": "Ada", "status": "DRAFT", "days_late": 4},
            [f"{LONG} · Ada"],
        ),
    ],
    ids=["before an id", "to the letters of another one", "on its second line"],
)
def test_a_name_is_whole_in_its_title_wherever_it_is_cut(chart, rows, titles):
    ax = getattr(charts, chart)(pd.DataFrame(rows))
    first, second = to_svg(ax, "Bars"), to_svg(ax, "Bars")
    assert re.findall("<title>(.*)</title>", first) == ["Bars", *titles]
    assert second == first


def test_days_that_are_too_many_for_gaps_and_seams_are_one_outline():
    year = pd.DataFrame({"day": COLUMNS["day"](365), "flights": 1, "hours": 2.0})
    year.loc[31, "hours"] = 2.5
    ax = charts.flight_hours(year)
    assert [type(part).__name__ for part in ax.patches] == ["StepPatch"]
    assert ax.patches[0].get_linewidth() == 0
    assert ax.patches[0].get_data().values.tolist() == [2.0] * 31 + [2.5] + [2.0] * 333
    # Who can't see it hears of the highest, not the numbers of the axis.
    day = pd.Timestamp(year.loc[31, "day"])
    heard = f"Hours. highest: {day.day} {day:%B %Y} · 2.5 h in 1 flight"
    assert words(to_svg(ax, "Hours")) == heard


def test_the_parts_of_a_stack_beyond_the_bound_are_drawn_as_one_that_keeps_its_height():
    types = [f"TYPE_{n}" for n in range(20)]
    hours = {"month": "2026-10", "operation_type": types, "flights": 1, "hours": range(1, 21)}
    # The 1 h of TYPE_0 is little; with 13 h in each of two other months it is the largest.
    earlier = {"month": ["2026-08", "2026-09"], "operation_type": "TYPE_0", "flights": 1}
    frames = pd.DataFrame(earlier).assign(hours=13), pd.DataFrame(hours)
    ax = charts.flight_hours(pd.concat(frames, ignore_index=True))
    parts = {part.get_label(): float(part[-1].get_height()) for part in ax.containers}
    largest = {"TYPE_0": 1} | {f"TYPE_{n}": n + 1 for n in range(14, 20)}
    assert parts == largest | {"13 more": sum(range(2, 15))}
    # A flight type of the reference has a part of its own, however small.
    hours = {"month": "2026-10", "flight_type": [*types[:10], "COMMERCIAL"], "flights": 1}
    ax = charts.flight_hours(pd.DataFrame(hours).assign(hours=[*range(1, 11), 0.5]))
    parts = {part.get_label(): float(part[0].get_height()) for part in ax.containers}
    largest = {f"TYPE_{n}": n + 1 for n in range(4, 10)}
    assert parts == {"COMMERCIAL": 0.5, **largest, "4 more": 1 + 2 + 3 + 4}


def test_of_many_currencies_those_of_most_projects_have_a_panel():
    codes = [f"C{n:02d}" for n in range(34)]
    money = {"status": "DRAFT", "currency": codes, "projects": [*range(33), 99], "value": 1.0}
    ax = charts.project_pipeline(pd.DataFrame(money))
    assert [panel.get_xlabel() for panel in ax.child_axes] == [
        "projects",
        *(f"value, C{n}" for n in (30, 31, 32, 33)),
    ]
    assert ax.drawing.left_out == ["30 more currencies"]


def test_of_many_conditions_the_fullest_have_a_column():
    conditions = [f"C{n:02d}" for n in range(20)]
    matrix = {"status": "ACTIVE", "condition": conditions, "equipment": range(20)}
    ax = charts.equipment_condition(pd.DataFrame(matrix))
    assert [label.get_text() for label in ax.get_xticklabels()] == conditions[12:]
    assert ax.drawing.left_out == ["12 more conditions"]


def test_a_long_wait_for_dates_far_away_shows_the_newest_months():
    hours = {"month": ["0001-01", "2026-10", "9999-12"], "flights": 1, "hours": 1.0}
    ax = charts.flight_hours(pd.DataFrame(hours), covered=Period.between("2026-10", "2027", "UTC"))
    assert ax.drawing.left_out == ["119,588 earlier months"]
