"""Axes that are used again show nothing of the picture before."""

import re

import pandas as pd
import pytest

import fleetkit as fk
from fleetkit.charts.drawing.ready import ready_axes
from fleetkit.charts.drawing.svg import to_svg

SIZE = (161.0, 47.0)  # no one else's
TYPES = ["COMMERCIAL", "TRAINING", "AD_HOC"]


def hours(unit, keys, types=()):
    rows = [(key, *pair) for key in keys for pair in ([(name,) for name in types] or [()])]
    frame = pd.DataFrame(rows, columns=[unit, "flight_type"][: 1 + bool(types)])
    return frame.assign(flights=2, hours=[0.25 * (at % 7) for at in range(len(frame))])


MONTHS = [f"{year}-{month:02d}" for year in range(2024, 2027) for month in range(1, 13)]
WEEKS = [f"2026-W{week:02d}" for week in range(10, 31)]
PICTURES = {
    "months": (hours("month", MONTHS, TYPES), {}),
    "few months": (hours("month", MONTHS[30:]), {"period": "2026"}),
    "weeks": (hours("week", WEEKS, TYPES[:2]), {}),
    "one month": (hours("month", MONTHS[:1], TYPES), {"measure": "flights"}),
    "minutes": (hours("month", MONTHS[3:20]).assign(median_minutes=7.5), {"measure": "median"}),
    "beyond": (hours("day", pd.date_range("2000-01-01", periods=1500).strftime("%Y-%m-%d")), {}),
}


@pytest.mark.slow
def test_a_picture_on_ready_axes_is_the_one_on_new_axes():
    once = {}
    for name in [*PICTURES, *reversed(PICTURES)]:
        frame, options = PICTURES[name]
        with ready_axes(*SIZE) as ax:
            assert once.setdefault("axes", ax) is ax
            assert ax.containers == []
            again = to_svg(fk.charts.flight_hours(frame, ax, **options), name)
        anew = to_svg(fk.charts.flight_hours(frame, fk.charts.axes(*SIZE), **options), name)
        assert again == anew, name


def test_a_name_that_is_cut_is_told_where_it_stands_and_not_where_it_stood_before():
    clients = ["Harbour bridges of the north " * 9, "Rail"]
    for hours_of_each in ([2.0, 1.0], [1.0, 2.0]):  # the longest bar stands first
        frame = pd.DataFrame({"client": clients, "flights": 2, "hours": hours_of_each})
        with ready_axes(SIZE[0], 40.0) as ax:
            picture = to_svg(fk.charts.flight_hours(frame, ax), "hours")
        titled = r"<title>Harbour[^<]*</title>(?:\s|<!--[^>]*-->|<g[^>]*>)*<text[^>]*>(\w+)"
        assert re.findall(titled, picture) == ["Harbour"]


def test_axes_of_a_picture_that_failed_are_not_used_again():
    with pytest.raises(RuntimeError), ready_axes(*SIZE) as ax:
        raise RuntimeError("no picture")
    with ready_axes(*SIZE) as other:
        assert other is not ax
