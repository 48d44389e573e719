"""Days, weekdays, times and places of flying, counted by hand on five flights."""

from __future__ import annotations

import pandas as pd
import pytest
from five_flights import days, flights, rows

import fleetkit as fk
from fleetkit import charts, metrics
from fleetkit.time import Period

BERLIN = "Europe/Berlin"
LATE_OCTOBER = Period.between("2026-10-14", "2026-10-17", "UTC")


# Days


def test_every_day_of_a_period_has_a_row_and_one_without_flights_is_0():
    assert rows(metrics.calendar(flights(), LATE_OCTOBER)) == [
        ("2026-10-14", 0, 0.0),
        ("2026-10-15", 1, 1.5),
        ("2026-10-16", 0, 0.0),
    ]


def test_a_day_outside_of_what_the_data_cover_is_blank():
    covered = Period.between("2026-10-15", "2026-10-16", "UTC")
    counted = metrics.calendar(flights(), LATE_OCTOBER, covered)
    assert rows(counted) == [
        ("2026-10-14", None, None),
        ("2026-10-15", 1, 1.5),
        ("2026-10-16", None, None),
    ]


def test_a_day_of_flights_without_a_duration_has_no_hours():
    last = metrics.calendar(flights(), "2026-10-31")
    assert rows(last) == [("2026-10-31", 1, None)]


def test_a_day_is_one_of_the_zone():
    # 30 September 23:30 UTC is 1 October in Berlin, where 1 October 08:00 UTC is too.
    [first, *_] = rows(metrics.calendar(flights(), "2026-10", tz=BERLIN))
    assert first == ("2026-10-01", 2, 1.5)


# Weekdays and hours


def test_a_flight_is_counted_on_its_weekday_and_in_the_hour_in_which_it_starts():
    # 1 October and 15 October are Thursdays; 31 October is a Saturday, 1 January a Friday.
    assert rows(metrics.hours_by_weekday(flights(), tz=BERLIN)) == [
        (4, 1, 1, 1.0),
        (4, 10, 1, 0.5),
        (4, 11, 1, 1.5),
        (5, 13, 1, 0.0),
        (6, 11, 1, None),
    ]


def test_a_sunday_is_the_seventh_day():
    sunday = flights().iloc[:1].assign(flight_date=days("2026-10-04T09:00Z").iloc[:1])
    assert metrics.hours_by_weekday(sunday)["weekday"].tolist() == [7]


def test_dates_have_a_weekday_and_no_hour():
    dates = flights().assign(flight_date=days(*["2026-10-05"] * 5))
    counted = metrics.hours_by_weekday(dates, tz="America/New_York")
    assert rows(counted) == [(1, None, 5, 3.0)]


# Places


def points(*pairs):
    return pd.DataFrame(pairs, columns=["takeoff_lat", "takeoff_lng"], dtype="float64")


def places(counted):
    return list(zip(counted["position"], counted["flights"], strict=True))


def test_every_flight_is_on_the_map_or_counted_with_the_reason():
    given = points((59.9, 10.7), (59.9, 10.7), (0, 0), (91, 5), (5, 181), (None, 5), (None, None))
    assert places(metrics.take_offs(given)) == [
        ("located", 2),
        ("0, 0", 1),
        ("out of range", 2),
        ("not recorded", 2),
    ]


def test_a_hexagon_counts_the_points_around_its_middle():
    # A thousandth of a degree is 0.11 km; hexagons are 1 km wide.
    given = points((59.9, 10.7), (59.901, 10.7), (60.0, 10.7))
    counted = metrics.take_offs(given, size=1)
    assert places(counted) == [("located", 2), ("located", 1)]
    assert (counted["latitude"].round(1).tolist(), counted["size_km"].tolist()) == (
        [59.9, 60.0],
        [1.0, 1.0],
    )


def test_a_few_flights_far_away_do_not_shrink_the_map():
    given = points(*[(59.9, 10.7)] * 60, *[(60.1, 10.7)] * 39, (-33.9, 151.2))
    counted = metrics.take_offs(given)
    assert places(counted) == [("located", 60), ("located", 39), ("far away", 1)]
    # 0.2° of latitude are 22 km; a twenty-fourth of that is 0.93 km.
    assert counted["size_km"].iloc[0] == pytest.approx(0.2 * 111.195 / 24)


def test_a_flight_that_is_not_far_away_is_on_the_map_however_near_the_others_are():
    # Two degrees of latitude are 222 km, less than three times a hundred; three are 334 km.
    at_one_place = [(59.9, 10.7)] * 99
    near, far = (metrics.take_offs(points(*at_one_place, (59.9 + by, 10.7))) for by in (2, 3))
    assert places(near) == [("located", 99), ("located", 1)]
    assert places(far) == [("located", 99), ("far away", 1)]


def test_a_map_across_the_date_line_is_as_narrow_as_elsewhere():
    counted = metrics.take_offs(points((-17, 179.9), (-17, -179.9)))
    # 0.2° of longitude at 17° S are 21.3 km.
    assert counted["east_km"].tolist() == pytest.approx([-10.6, 10.6], abs=0.1)
    assert counted["longitude"].abs().round(1).tolist() == [179.9, 179.9]


@pytest.mark.slow
def test_many_points_fill_no_more_hexagons_than_the_map_has():
    grid = points(*((50 + n // 300 / 100, 5 + n % 300 / 100) for n in range(9_000)))
    counted = metrics.take_offs(grid)
    assert counted["flights"].sum() == 9_000
    assert len(counted) < 800


def test_an_area_has_round_edges_and_its_flights_are_those_that_a_filter_by_it_selects():
    # Divided by 0.01, 0.29 is a little less than 29: it belongs to the area that begins there.
    given = points((0.28, 0.29), (0.29, 0.29), (0.295, 0.29), (0.5, 0.55), (0, 0))
    counted = metrics.take_offs(given, areas=True)
    edges = counted[["south", "west", "north", "east"]].to_numpy().tolist()
    assert edges[0] == [0.29, 0.29, 0.3, 0.3]
    assert counted["size_km"][0] == pytest.approx(0.01 * 111.195)  # a degree of longitude is less
    assert places(counted) == [("located", 2), ("located", 1), ("located", 1), ("0, 0", 1)]
    assert [len(fk.Filter(take_off=area).of_flights(given)) for area in edges[:3]] == [2, 1, 1]


@pytest.mark.parametrize(
    "corners",
    [
        [(-17, 180), (-17, -180), (-17, 179.9), (-17.2, -179.9)],
        [(90, 0.5), (89.9, 0.5), (89.9, -0.5)],
        [(-90, -180), (90, 180), (1, 1), (50, -0.1)],
        [(0, degree) for degree in range(-175, 180, 10)] + [(85, 5), (-85, 5)],
    ],
)
def test_areas_end_at_the_180th_meridian_and_at_the_poles_and_together_hold_each_flight(corners):
    given = points(*corners)
    counted = metrics.take_offs(given, areas=True)
    areas = counted[["south", "west", "north", "east"]].to_numpy().tolist()
    selected = [len(fk.Filter(take_off=area).of_flights(given)) for area in areas]
    assert selected == counted["flights"].tolist()
    assert sum(selected) == len(corners)


def test_a_hexagon_without_a_width_is_refused():
    with pytest.raises(fk.InvalidValue, match="can't be 0 km wide"):
        metrics.take_offs(points((59.9, 10.7)), size=0)


# As they are drawn


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.slow
def test_a_blank_day_has_no_tile_and_the_gap_says_why():
    covered = Period.between("2026-07-01", "2026-12-01", "UTC")
    drawn = charts.calendar(metrics.calendar(flights(), "2026", covered))
    assert len(drawn.drawing.titles) == 31 + 31 + 30 + 31 + 30
    assert {"no data before 1 Jul 2026", "not recorded"} <= set(texts(drawn))
    assert "1 October 2026 · 0.5 h in 1 flight" in drawn.drawing.titles.values()


@pytest.mark.slow
def test_a_narrow_calendar_shows_the_newest_weeks_and_counts_the_days_before():
    drawn = charts.calendar(metrics.calendar(flights(), "2026"), width=88)
    [left_out] = drawn.drawing.left_out
    assert left_out == f"{365 - len(drawn.drawing.titles)} earlier days"
    assert list(drawn.drawing.titles.values())[-1].startswith("31 December 2026")


def test_where_no_hour_is_known_weekdays_have_a_bar_each():
    dates = flights().assign(flight_date=days(*["2026-10-05"] * 5))
    drawn = charts.hours_by_weekday(metrics.hours_by_weekday(dates))
    assert drawn.get_xlabel() == "hours (no time of day is recorded)"
    assert texts(drawn) == ["3.0", "0.0", "0.0", "0.0", "0.0", "0.0", "0.0"]


@pytest.mark.slow
def test_a_map_counts_what_is_not_on_it():
    given = points((59.9, 10.7), (59.9, 10.7), (0, 0), (None, 5))
    drawn = charts.take_offs(metrics.take_offs(given))
    assert drawn.drawing.left_out == ["2 flights off the map"]
    nothing = charts.take_offs(metrics.take_offs(points((0, 0), (None, 5))))
    assert texts(nothing) == ["No take-off point (0 of 2 flights)"]
