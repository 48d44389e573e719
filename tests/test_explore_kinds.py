"""What all explorers do, and what those of equipment and projects show."""

import json
import re
from contextlib import ExitStack
from datetime import UTC, date, datetime
from html import unescape
from io import BytesIO
from random import Random

import openpyxl
import pandas as pd
import pytest
from a_page import Page, press, quantity, settle, words
from conftest import ADA, BO, TINY, a_flight, a_project, an_equipment, flown_by_kestrel, serving

import fleetkit as fk
from fleetkit.exclusion import Excluding
from fleetkit.explore.fields import ANY, Select
from fleetkit.explore.options import named
from fleetkit.explore.panes import PANES
from fleetkit.explore.state import State
from fleetkit.explore.view import failure
from fleetkit.server.demo import demo_records
from fleetkit.unassigned import UNASSIGNED

KINDS = ("flights", "equipment", "projects")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def fleet(tiny):
    """Return the tiny organisation as of a day: what expires and idles depends on it."""
    fleet = fk.connect(tiny.base_url, tiny.api_key, progress=False)
    fleet._source._fetched_at = datetime(2026, 11, 20, tzinfo=UTC)
    return fleet


@pytest.fixture(scope="module")
def invented():
    """Return a fleet with the gaps and oddities of the demo, small."""
    with ExitStack() as stack:
        records = demo_records(equipment=24, flights=400, months=8, as_of=date(2026, 11, 20))
        served = serving(stack, records)
        yield fk.connect(served.base_url, served.api_key, progress=False)


@pytest.fixture(scope="module")
def explorers(invented):
    """Open the three explorers of the invented fleet."""
    return {kind: getattr(fk.explore, kind)(invented) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_each_field_of_a_filter_that_an_explorer_holds_has_a_control(explorers, kind):
    explorer = explorers[kind]
    held = explorer._subject.held
    assert [name for name in held if not hasattr(explorer.controls, name)] == []


@pytest.fixture
def explore_flights(serve_records):
    """Return a function that explores some flights."""

    def explore(flights):
        served = serve_records(flown_by_kestrel(flights))
        return fk.explore.flights(fk.connect(served.base_url, served.api_key, progress=False))

    return explore


def counts_of(explorer, name):
    """Return label → count, as they stand in a list."""
    [control] = [control for control in explorer.screen.controls if control["name"] == name]
    counts = explorer.screen.shown["counts"][name]
    return {label: count for (label, _), count in zip(control["options"], counts, strict=True)}


def choose_something(explorer, rng):
    """Choose or leave out at random, all at once: an option in some fields, two in ticked ones."""
    choices, chosen = explorer._choices, {}
    for name, field in explorer._subject.fields.items():
        values = [value for _, value in field.options(choices)]
        if values and rng.random() < 0.3 and not field.disabled:
            is_ticked = isinstance(field.blank, tuple)
            value = tuple(rng.sample(values, 2)) if is_ticked else rng.choice(values)
            if field.can_leave_out and value != ANY and rng.random() < 0.4:
                value = Excluding(value if is_ticked else (value,))
            chosen[name] = field.format(value)
    page = Page(explorer, f"page at {explorer.screen.number}")
    page.change("reset", True)
    page.deliver(page.change("choose", chosen))
    settle(explorer)
    assert explorer._states.current.problem == ""


def buttons(html, key=""):
    """Return what the buttons choose whose key contains a text."""
    marks = re.findall(r'<[^>]*data-action="choose"[^>]*>', html)
    named = [mark for mark in marks if key in unescape(mark.split('data-key="')[1].split('"')[0])]
    return [json.loads(unescape(mark.split('data-value="')[1].split('"')[0])) for mark in named]


def choose(explorer, html, key):
    """Press the first button that has such a key."""
    press(explorer, "choose", buttons(html, key)[0])


# Counts beside options


def test_counts_say_what_each_option_would_leave_given_the_other_choices(fleet):
    explorer = fk.explore.flights(fleet)
    assert counts_of(explorer, "pilot") == {"Any": 5, "Ada Lind": 2, "Bo Ødegård": 2, UNASSIGNED: 1}
    explorer.controls.night.value = True  # one flight, of Bo's
    assert counts_of(explorer, "pilot") == {"Any": 1, "Ada Lind": 0, "Bo Ødegård": 1, UNASSIGNED: 0}
    # A field's own choice doesn't count against its other options.
    assert counts_of(explorer, "night") == {"Any": 5, "Yes": 1, "No": 4, "Unknown": 0}
    assert counts_of(explorer, "period")["October 2026"] == 1


def test_a_flight_with_a_drone_and_a_camera_is_counted_once(fleet):
    explorer = fk.explore.flights(fleet)
    assert counts_of(explorer, "type") == {"Any": 5, "CAMERA": 2, "DRONE": 5}
    explorer.controls.category.value = "PAYLOAD"
    # No drone is a payload: a flight has one piece with both, or hasn't.
    assert counts_of(explorer, "type") == {"Any": 2, "CAMERA": 2, "DRONE": 0}
    explorer.controls.type.value = "CAMERA"
    assert counts_of(explorer, "type") == {"Any": 2, "CAMERA": 2, "DRONE": 0}


def test_every_count_is_the_number_of_rows_that_its_option_leaves(explorers):
    rng, counted = Random(5), 0
    for explorer in explorers.values():
        subject = explorer._subject
        for _ in range(5):
            choose_something(explorer, rng)
            choices = explorer._choices
            for name, field in subject.fields.items():
                counts = explorer.screen.shown["counts"][name]
                options = [value for _, value in field.options(choices)]
                pairs = list(zip(options, counts, strict=bool(counts)))
                for value, count in rng.sample(pairs, min(3, len(pairs))):
                    if count is not None:
                        chosen = [value] if isinstance(field.blank, tuple) else value
                        assert count == len(subject.select(field.choose(choices, chosen)))
                        counted += 1
    assert counted > 120


# Every pane of every change


def test_every_pane_of_every_change_is_of_one_state(explorers):
    rng = Random(3)
    for explorer in explorers.values():
        noun = explorer._subject.nouns[1]
        for _ in range(7):
            choose_something(explorer, rng)
            screen, rows = explorer.screen, len(explorer.rows)
            numbers = {re.match(r'<div data-r="(\d+)"', getattr(screen, name))[1] for name in PANES}
            assert numbers == {str(explorer._states.current.number)}
            assert f"<strong>{rows:,}</strong>" in screen.figures.split("</li>")[0]
            counted = f"of {explorer._subject.count(rows)}" if rows else f"No {noun}"
            assert counted in words(screen.table)
            assert words(screen.chosen).startswith(f"In words {rows:,} of ")
            assert screen.shown["announcement"].startswith(f"{rows:,} ")
            # What is chosen stands in the chips, and in the words.
            chips = [words(chip) for chip in re.findall(r"<li>(.*?)</li>", screen.chips)]
            assert [chip for chip in chips if chip[:-2] not in words(screen.chosen)] == []


def test_the_chart_s_counts_add_up_to_the_rows(explorers):
    rng = Random(4)
    for _ in range(5):
        for kind in ("equipment", "projects"):
            choose_something(explorers[kind], rng)
        equipment, projects = (
            explorers[kind].screen.chart.split('aria-label="Other chart"')[0]
            for kind in ("equipment", "projects")
        )
        tiles = re.findall(r"<td style.*?>([\d,–]+)</button>", equipment)
        known = explorers["equipment"].rows[["status", "condition"]].notna().all(axis=1)
        assert sum(int(tile) for tile in tiles if tile != "–") == known.sum()
        stages = re.findall(r"<strong>([\d,]+)</strong>", projects)
        assert sum(map(int, stages)) == len(explorers["projects"].rows)


@pytest.mark.parametrize("kind", KINDS)
def test_the_filter_selects_the_rows_that_are_shown(explorers, invented, kind):
    explorer, rng = explorers[kind], Random(6)
    key = explorer._subject.frame.columns[0]
    for _ in range(10):
        choose_something(explorer, rng)
        selected = getattr(invented.where(explorer.filter), kind)()
        assert sorted(selected[key]) == sorted(explorer.rows[key])


# Chips, steps, cross-filtering


def test_a_chip_takes_back_what_it_names(fleet):
    explorer = fk.explore.flights(fleet)
    explorer.controls.period.value, explorer.controls.pilot.value = "2026-10", "prof_ada"
    explorer.controls.flight_type.value = ["COMMERCIAL", "TRAINING"]
    chips = [words(chip) for chip in re.findall(r"<li>(.*?)</li>", explorer.screen.chips)]
    assert chips == [
        "Period October 2026 ✕",
        "Pilot Ada Lind ✕",
        "Flight type COMMERCIAL ✕",
        "Flight type TRAINING ✕",
    ]
    choose(explorer, explorer.screen.chips, "TRAINING")
    assert explorer.controls.flight_type.value == ("COMMERCIAL",)
    choose(explorer, explorer.screen.chips, "Period")
    assert explorer.filter == fk.Filter(pilot="prof_ada", flight_type="COMMERCIAL")


def test_an_explorer_opens_with_the_empty_text_that_a_filter_selects(serve_records):
    operations = {"fl_1": "", "fl_2": "SURVEY"}
    flights = [
        a_flight(identifier, "2026-10-01T09:00:00.000Z", operationType=operation)
        for identifier, operation in operations.items()
    ]
    served = serve_records(flown_by_kestrel(flights))
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    explorer = fk.explore.flights(fleet, fk.Filter(operation_type=""))
    assert explorer.rows["flight_id"].tolist() == ["fl_1"]
    explorer = fk.explore.flights(fleet)
    with pytest.raises(fk.InvalidValue, match="'' is not an option of 'Operation'"):
        explorer.controls.compare.value = fk.Filter(operation_type="")  # is not all flights


# What is left out


def test_the_not_of_a_chip_leaves_out_what_it_names_and_selects_it_again(fleet):
    explorer = fk.explore.flights(fleet)
    explorer.controls.pilot.value = "prof_ada"  # two of five flights; one has no pilot
    choose(explorer, explorer.screen.chips, "Pilot: not Ada Lind")
    assert explorer.filter == fk.Filter(pilot=fk.excluding("prof_ada"))
    assert explorer.rows["pilot_id"].fillna("nobody").value_counts().to_dict() == {
        "prof_bo": 2,
        "nobody": 1,
    }
    assert words(explorer.screen.chips) == "Pilot not Ada Lind ✕"
    assert words(explorer.screen.chosen).startswith("In words 3 of 5 flights: Pilot not Ada Lind")
    # Beside the options stands what each selects.
    assert counts_of(explorer, "pilot") == {"Any": 5, "Ada Lind": 2, "Bo Ødegård": 2, UNASSIGNED: 1}
    choose(explorer, explorer.screen.chips, "Pilot: not Ada Lind")
    assert explorer.filter == fk.Filter(pilot="prof_ada")


def test_what_is_ticked_is_left_out_together_and_taken_back_one_by_one(fleet):
    explorer = fk.explore.flights(fleet)
    ticks = explorer.controls.types
    ticks["TRAINING"].value = True
    choose(explorer, explorer.screen.chips, "Flight type: not TRAINING")
    ticks["COMMERCIAL"].value = True
    assert explorer.filter == fk.Filter(flight_type=fk.excluding(["COMMERCIAL", "TRAINING"]))
    assert (ticks["TRAINING"].value, ticks["RECREATIONAL"].value) == (True, False)
    choose(explorer, explorer.screen.chips, "chip-Flight type-TRAINING")
    assert explorer.filter == fk.Filter(flight_type=fk.excluding("COMMERCIAL"))
    ticks["COMMERCIAL"].value = False
    assert explorer.filter == fk.Filter()


def test_a_flight_is_left_out_with_each_piece_that_logged_it(fleet):
    explorer = fk.explore.flights(fleet)
    explorer.controls.type.value = fk.excluding("CAMERA")  # on two of five flights, with a drone
    assert len(explorer.rows) == 3
    assert counts_of(explorer, "category")["PAYLOAD"] == 0
    assert counts_of(explorer, "type") == {"Any": 5, "CAMERA": 2, "DRONE": 5}


def test_the_fleet_leaves_out_what_its_chosen_pieces_do_not_tell_of_flights(serve_records):
    fair = an_equipment("eq_fair_camera", type="CAMERA", category="PAYLOAD", condition="FAIR")
    pairs = [*TINY["flight_equipment"], ("fl_3", "eq_fair_camera")]
    equipment = [*TINY["equipment"], fair]
    served = serve_records(TINY | {"equipment": equipment, "flight_equipment": pairs})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    # A drone in good condition logged all five flights; a camera three, one of them in fair.
    good, without = fleet.where(condition="GOOD"), fk.Filter(type=fk.excluding("CAMERA"))
    explorer = fk.explore.flights(good, without)
    assert explorer.filter == fk.Filter(condition="GOOD", type=fk.excluding("CAMERA"))
    assert sorted(explorer.rows["flight_id"]) == ["fl_4", "fl_5"]
    explorer = fk.explore.flights(good)
    explorer.controls.type.value = "CAMERA"
    assert not buttons(explorer.screen.chips, "not CAMERA")
    with pytest.raises(fk.InvalidValue, match=r"explore fleet\.where"):
        explorer.controls.type.value = fk.excluding("CAMERA")
    # Of each drone all flights are known, and of each piece.
    explorer = fk.explore.flights(fleet.where(type=["DRONE", "CAMERA"]))
    explorer.controls.type.value = fk.excluding("CAMERA")
    explorer.controls.equipment.value = fk.excluding("eq_spare")
    assert sorted(explorer.rows["flight_id"]) == ["fl_4", "fl_5"]


def test_an_explorer_opens_with_what_a_filter_leaves_out_in_its_controls(fleet):
    chosen = fk.Filter(pilot=fk.excluding("prof_ada"), flight_type=fk.excluding("TRAINING"))
    explorer = fk.explore.flights(fleet, chosen)
    assert explorer.filter == chosen
    assert explorer.controls.flight_type.value == fk.excluding(("TRAINING",))
    explorer.controls.reset.click()
    assert (explorer.filter, len(explorer.rows)) == (fk.Filter(), 5)


def test_a_value_without_an_option_is_left_out_by_the_fleet_which_refuses_one_that_nothing_has(
    fleet,
):
    october = fleet.where(since="2026-10-01", until="2026-11-01")
    chosen = fk.Filter(flight_type=fk.excluding("MAINTENANCE"))  # none in October
    explorer = fk.explore.flights(october, chosen)
    explorer.controls.reset.click()
    assert explorer.filter == october.filter.combined_with(chosen)
    with pytest.raises(fk.InvalidValue, match="No piece of equipment has type='BALLOON'"):
        fk.explore.flights(fleet, fk.Filter(type=fk.excluding("BALLOON")))
    explorer = fk.explore.flights(fleet)
    with pytest.raises(fk.InvalidValue, match="'BALLOON' is not an option of 'Equipment type'"):
        explorer.controls.type.value = fk.excluding("BALLOON")
    with pytest.raises(fk.InvalidValue, match=r"No control can hold fk.excluding\(.* of 'Night f"):
        explorer.controls.night.value = fk.excluding("true")
    with pytest.raises(fk.InvalidValue, match="'' is not an option of 'Pilot'"):
        explorer.controls.pilot.value = fk.excluding("")
    with pytest.raises(fk.InvalidValue, match="No control can hold an Excluding of 'Night flight'"):
        explorer.controls.night.value = fk.excluding(["true"] * 100)
    assert explorer.filter == fk.Filter()


def test_the_fleet_leaves_out_no_more_than_the_values_without_an_option(fleet):
    october = fleet.where(since="2026-10-01", until="2026-11-01")  # Ada's two flights, one of Bo's
    types = fk.excluding(["TRAINING", "MAINTENANCE"])  # Bo's is training; none is maintenance
    chosen = fk.Filter(flight_type=types, pilot=fk.excluding("prof_bo"))
    explorer = fk.explore.flights(october, chosen, other=fk.Filter())
    assert explorer.controls.flight_type.value == fk.excluding(("TRAINING",))
    assert "Compared with all flights: 3 flights" in words(explorer.screen.chosen)
    assert len(explorer.rows) == 2
    explorer.controls.flight_type.value = ()
    explorer.controls.pilot.value = "prof_bo"
    assert explorer.rows["flight_id"].tolist() == ["fl_3"]


def test_nothing_chosen_is_said(fleet):
    assert "Nothing is chosen: all are shown." in fk.explore.projects(fleet).screen.chips


@pytest.mark.parametrize("kind", KINDS)
def test_an_explorer_is_in_english_where_its_notebook_prints_in_german(invented, kind):
    in_english = getattr(fk.explore, kind)(invented)
    with fk.language.using("de"):
        explorer = getattr(fk.explore, kind)(invented)
        explorer.page = 1
    in_english.page = 1
    for name in (*PANES, "controls"):
        assert getattr(explorer.screen, name) == getattr(in_english.screen, name), name


def test_one_can_go_back_and_forward_through_what_was_chosen(fleet):
    explorer = fk.explore.flights(fleet)
    explorer.controls.night.value = False
    explorer.controls.pilot.value = "prof_ada"
    assert explorer.screen.shown["back"]
    assert not explorer.screen.shown["forward"]
    explorer.back()
    assert explorer.filter == fk.Filter(night=False)
    explorer.back()
    assert explorer.filter == fk.Filter()
    assert not explorer.screen.shown["back"]
    explorer.back()  # nothing lies before
    explorer.forward()
    assert explorer.filter == fk.Filter(night=False)
    explorer.controls.bvlos.value = False
    assert not explorer.screen.shown["forward"]
    explorer.forward()
    assert explorer.filter == fk.Filter(night=False, bvlos=False)


def test_one_can_go_back_a_hundred_times_and_forward_no_more_after_another_choice():
    state = State({"pilot": 0}, "date_desc")
    for pilot in range(1, 103):
        state = state.choose({"pilot": pilot})
    assert [state.past[0]["pilot"], len(state.past)] == [2, 100]
    assert state.back().forward().choices == {"pilot": 102}
    assert state.back().choose({"pilot": 7}).future == ()


def test_a_page_goes_back_as_often_as_it_asks(fleet):
    explorer = fk.explore.flights(fleet)
    for pilot in ("prof_ada", "prof_bo", UNASSIGNED):
        explorer.controls.pilot.value = pilot
    page = Page(explorer)
    page.change("back", True)
    page.deliver(page.change("back", True))
    settle(explorer)
    assert explorer.filter == fk.Filter(pilot="prof_ada")


def test_a_bar_chooses_its_month_and_type_and_takes_them_back(fleet):
    explorer = fk.explore.flights(fleet)
    choose(explorer, explorer.screen.chart, "bar-2026-10-TRAINING")
    assert explorer.filter == fk.Filter(
        since="2026-10-01", until="2026-11-01", flight_type="TRAINING"
    )
    assert explorer.rows["flight_id"].tolist() == ["fl_3"]
    assert len(explorer._states.current.past) == 1
    choose(explorer, explorer.screen.chart, "bar-2026-10-TRAINING")
    assert explorer.filter == fk.Filter()


def titles_of(explorer):
    return re.findall(r"<title>([^<]*)</title>", explorer.screen.chart)


@pytest.mark.parametrize(
    ("grouping", "measure", "titles"),
    [
        # Ada flew 1800 and 3600 s, Bo 900 s and once without a duration, nobody 600 s.
        (
            "pilot",
            "flights",
            [
                "Ada Lind · COMMERCIAL · 2 flights",
                "Bo Ødegård · RECREATIONAL · 1 flight",
                "Bo Ødegård · TRAINING · 1 flight",
                "Unassigned · MAINTENANCE · 1 flight",
            ],
        ),
        (
            "type",
            "median",
            ["CAMERA · 45.0 min, median of 2 flights", "DRONE · 22.5 min, median of 5 flights"],
        ),
        # The camera is no aircraft.
        ("equipment", "median", ["Kestrel 1 · 22.5 min, median of 5 flights"]),
    ],
)
def test_the_chart_shows_a_measure_by_what_is_chosen(fleet, grouping, measure, titles):
    explorer = fk.explore.flights(fleet)
    explorer.controls.grouping.value, explorer.controls.measure.value = grouping, measure
    assert sorted(titles_of(explorer)) == titles


def test_flights_of_a_camera_that_is_chosen_are_no_bar_of_an_aircraft(fleet):
    explorer = fk.explore.flights(fleet, equipment="eq_camera")
    explorer.controls.grouping.value = "equipment"
    assert "None of these flights has an aircraft that is chosen" in explorer.screen.chart
    assert titles_of(explorer) == []
    # A drone flew it, and is not chosen.
    assert "Aircraft 0 equipment in all: 1" in words(explorer.screen.figures)


@pytest.mark.parametrize(
    ("grouping", "bar", "chosen"),
    [
        ("pilot", "bar-prof_bo-TRAINING", fk.Filter(pilot="prof_bo", flight_type="TRAINING")),
        (
            "equipment",
            "bar-eq_kestrel",
            fk.Filter(equipment="eq_kestrel", flight_type="COMMERCIAL"),
        ),
        (
            "week",
            "bar-2026-W44-TRAINING",
            fk.Filter(since="2026-10-26", until="2026-11-02", flight_type="TRAINING"),
        ),
    ],
)
def test_a_bar_of_any_grouping_narrows_the_rest(fleet, grouping, bar, chosen):
    explorer = fk.explore.flights(fleet)
    explorer.controls.grouping.value = grouping
    choose(explorer, explorer.screen.chart, bar)
    assert explorer.filter == chosen
    choose(explorer, explorer.screen.chart, bar)
    assert explorer.filter == fk.Filter()


def test_the_map_counts_the_flights_that_are_chosen_and_those_off_it(explore_flights):
    moments = [f"2026-10-0{day}T09:00:00.000Z" for day in (1, 2, 3)]
    places = [(59.9, 10.7), (59.9, 10.7), (None, None)]
    flights = [
        a_flight(f"fl_{n}", moments[n], takeoffLat=lat, takeoffLng=lng)
        for n, (lat, lng) in enumerate(places)
    ]
    explorer = explore_flights(flights)
    explorer.controls.grouping.value = "place"
    assert "Map of take-off points: 2 of 3 flights." in explorer.screen.chart
    assert titles_of(explorer) == ["59.9° N – 59.9005° N, 10.7° E – 10.701° E · 2 flights"]
    assert "1 flight off the map" in words(explorer.screen.chart)


def test_the_map_of_flights_that_all_lack_a_position_says_how_many_they_are(explore_flights):
    moments = ["2026-09-01T09:00:00.000Z", "2026-10-01T09:00:00.000Z"]
    flights = [
        a_flight(f"fl_{n}", moment, takeoffLat=None, takeoffLng=None)
        for n, moment in enumerate(moments)
    ]
    explorer = explore_flights(flights)
    explorer.controls.grouping.value = "place"
    assert "Map of take-off points: 0 of 2 flights." in explorer.screen.chart
    explorer.controls.period.value, explorer.controls.compare.value = "2026-10", "previous"
    assert explorer.screen.chart.count("Map of take-off points: 0 of 1 flight.") == 2


def test_a_click_on_the_map_narrows_the_rest_and_the_next_one_goes_nearer(explorers, invented):
    explorer = explorers["flights"]
    explorer.controls.reset.click()
    explorer.controls.grouping.value, all_flights = "place", explorer.filter
    chosen = []
    for _ in range(2):
        title, [edges, *_] = titles_of(explorer)[0], buttons(explorer.screen.chart, "area-")
        choose(explorer, explorer.screen.chart, "area-")
        chosen.append(explorer.filter)
        assert explorer.filter == fk.Filter(**edges)
        flights = invented.where(explorer.filter).flights()
        assert title.endswith(f" · {quantity(len(flights))}")
        assert sorted(explorer.rows["flight_id"]) == sorted(flights["flight_id"])
        # Beside other choices stands what they would leave of these.
        assert explorer.screen.shown["counts"]["night"][0] == len(flights)
    assert chosen[0].combined_with(chosen[1]) == chosen[1] != chosen[0]
    explorer.back()
    assert explorer.filter == chosen[0]
    choose(explorer, explorer.screen.chips, "chip-Taken off")
    assert explorer.filter == all_flights


def test_the_maps_of_a_comparison_have_areas_of_one_size_and_one_scale_of_shades(explore_flights):
    # In September nine flights 0.2° apart, in October one where eight of them took off.
    september = [(f"2026-09-0{n}T09:00:00.000Z", 59.9 if n < 9 else 60.1) for n in range(1, 10)]
    flights = [
        a_flight(f"fl_{n}", moment, takeoffLat=latitude, takeoffLng=10.7)
        for n, (moment, latitude) in enumerate([*september, ("2026-10-05T09:00:00.000Z", 59.9)])
    ]
    explorer = explore_flights(flights)
    explorer.controls.grouping.value, explorer.controls.period.value = "place", "2026-10"
    explorer.controls.compare.value = "previous"
    area = "59.9° N – 59.91° N, 10.7° E – 10.72° E"
    assert [title for title in titles_of(explorer) if title.startswith(area)] == [
        f"{area} · 1 flight",
        f"{area} · 8 flights",
    ]
    first, second = explorer.screen.chart.split("Other chart")
    assert words(first).count("to 8 flights") == words(second).count("to 8 flights") == 1


def test_an_area_is_chosen_by_code_and_the_only_one_of_the_map_is_taken_back_by_a_click(fleet):
    # All of these flights took off at 59.91° N, 10.75° E: there is nothing nearer.
    explorer = fk.explore.flights(fleet)
    explorer.controls.grouping.value = "place"
    for expected in (fk.Filter(take_off=(59.91, 10.75, 59.9105, 10.751)), fk.Filter()):
        choose(explorer, explorer.screen.chart, "area-")
        assert explorer.filter == expected
    explorer.controls.take_off.value = "59.91, 10, 60, 11"
    assert explorer.screen.shown["values"]["take_off"] == "59.91,10,60,11"
    text = "5 of 5 flights: Taken off 59.91° N – 60° N, 10° E – 11° E"
    assert text in words(explorer.screen.chosen)
    explorer.controls.reset.click()
    assert explorer.filter == fk.Filter()
    with pytest.raises(fk.InvalidValue, match="south below north"):
        explorer.controls.take_off.value = (60, 10, 59, 11)


def test_a_period_is_compared_with_the_one_before_it_in_figures_and_chart(fleet):
    explorer = fk.explore.flights(fleet)
    explorer.controls.compare.value = "previous"
    assert "Nothing to compare with: choose both ends of a period" in words(explorer.screen.figures)
    explorer.controls.period.value = "2026-10"
    # fl_1 to fl_3 flew 1800, 3600 and 900 s in October; fl_5 of September has no duration.
    figures = words(explorer.screen.figures)
    assert "Flights 3 of 5 1 (+200.0 %)" in figures
    september = "September 2026, known since 2026-09-30"
    assert f"Below each figure, and in the second chart: {september}." in figures
    explorer.controls.measure.value, explorer.controls.grouping.value = "flights", "pilot"
    titles = [title for title in titles_of(explorer) if title.startswith("Bo")]
    assert titles == ["Bo Ødegård · TRAINING · 1 flight", "Bo Ødegård · RECREATIONAL · 1 flight"]
    assert f"Flights by pilot, {september}" in words(explorer.screen.chart)
    # What is compared with chooses nothing.
    assert explorer.filter == fk.Filter(since="2026-10-01", until="2026-11-01")
    explorer.controls.compare.value = "year before"
    assert "Nothing is known of October 2025" in words(explorer.screen.figures)


def test_the_axis_of_months_ends_with_the_last_one_of_the_period(fleet):
    explorer = fk.explore.flights(fleet)
    months = {}
    for period in ("2026-10", "2026"):
        explorer.controls.period.value = period
        labels = re.findall(r"<text[^>]*>(.*?)</text>", explorer.screen.chart)
        months[period] = [label for label in labels if label in ("Aug", "Sep", "Oct", "Nov", "Dec")]
    assert months == {"2026-10": ["Oct"], "2026": ["Sep", "Oct", "Nov"]}  # as far as there are data


def test_flights_without_a_date_are_counted_below_the_months_and_weeks_that_lack_them(
    explore_flights,
):
    dates = ["2026-10-01T09:00:00.000Z", None, "2026-10-02T09:00:00.000Z", "0001-01-01T00:00:00Z"]
    explorer = explore_flights([a_flight(f"fl_{n}", date) for n, date in enumerate(dates)])
    for grouping in ("month", "week"):
        explorer.controls.grouping.value = grouping
        for measure in ("hours", "median"):
            explorer.controls.measure.value = measure
            assert words(explorer.screen.chart).endswith("2 of 4 flights have no date.")
    explorer.controls.grouping.value = "pilot"  # there all are drawn
    assert "no date" not in explorer.screen.chart
    explorer.controls.grouping.value, explorer.controls.period.value = "month", "2026-10"
    assert "no date" not in explorer.screen.chart


def test_weeks_of_more_than_three_years_are_drawn_by_month(explore_flights):
    days = ("2022-11-07", "2022-12-05", "2025-11-03", "2025-11-10")
    flights = [a_flight(f"fl_{n}", f"{day}T09:00:00.000Z") for n, day in enumerate(days)]
    explorer = explore_flights(flights)
    explorer.controls.grouping.value = "week"
    assert "Drawn by month: weeks are drawn of three years at most." in explorer.screen.chart
    assert titles_of(explorer)[-1] == "November 2025 · COMMERCIAL · 1.0 h in 2 flights"
    explorer.controls.since.value = "2022-12-01"  # three years are left
    assert "Drawn by month" not in explorer.screen.chart
    assert "Hours by week" in explorer.screen.chart


def test_what_the_chart_shows_chooses_no_flights_and_outlives_a_reset(fleet):
    explorer = fk.explore.flights(fleet)
    explorer.controls.grouping.value, explorer.controls.night.value = "client", True
    assert explorer.filter == fk.Filter(night=True)
    assert "client" not in words(explorer.screen.chips)
    explorer.controls.reset.click()
    assert (explorer.filter, explorer.controls.grouping.value) == (fk.Filter(), "client")


def test_every_measure_by_everything_counts_what_the_metric_counts(explorers, invented):
    explorer = explorers["flights"]
    explorer.controls.reset.click()
    explorer.controls.category.value = "MULTIROTOR"
    fleet = invented.where(explorer.filter)
    flights, bridge = fleet.flights(), fleet.flight_equipment()
    tables = {"equipment": invented.equipment(), "projects": invented.projects()}
    selection = explorer._selection(explorer._states.current)
    measures = ["hours", "flights", "distance"]
    for grouping in ("week", "weekday", "hour", "project", "client", "category", "type"):
        expected = fk.metrics.flight_hours(
            flights, by=[grouping, "flight_type"], bridge=bridge, measures=measures, **tables
        )
        for measure in measures:
            counted = selection.measured_by(grouping, measure)
            pd.testing.assert_frame_equal(
                counted.astype({"flight_type": "str"}),
                expected[counted.columns].astype({"flight_type": "str"}),
                check_dtype=False,
            )


@pytest.mark.parametrize(("tz", "midnight"), [("UTC", "00:00"), ("Europe/Oslo", "22:00")])
def test_a_flight_at_midnight_has_its_hour_among_others_whatever_is_measured(
    serve_records, tz, midnight
):
    flights = [
        a_flight("fl_1", f"2026-05-20T{midnight}:00.000Z", pilotInCommand=ADA),
        a_flight("fl_2", "2026-05-21T10:00:00.000Z", pilotInCommand=BO),
    ]
    served = serve_records(flown_by_kestrel(flights))
    fleet = fk.connect(served.base_url, served.api_key, progress=False, tz=tz)
    for explorer in (
        fk.explore.flights(fleet, pilot="prof_ada"),
        fk.explore.flights(fleet.where(pilot="prof_ada")),
    ):
        explorer.controls.grouping.value = "hour"
        for measure in ("flights", "hours", "median"):
            explorer.controls.measure.value = measure
            assert "00:00 · " in words(explorer.screen.chart)


@pytest.mark.parametrize(("seconds", "hours"), [(0, 0.0), (None, None)])
def test_hours_of_no_length_are_none_and_hours_not_recorded_are_not_known(
    serve_records, seconds, hours
):
    flight = a_flight("fl_1", "2026-10-05T09:00:00.000Z", durationSeconds=seconds)
    served = serve_records(
        TINY | {"flights": [flight], "flight_equipment": [("fl_1", "eq_kestrel")]}
    )
    explorer = fk.explore.flights(fk.connect(served.base_url, served.api_key, progress=False))
    counted = explorer._selection(explorer._states.current).measured_by("pilot", "hours")
    expected = fk.metrics.flight_hours(explorer.rows, by="pilot")
    for frame in (counted, expected):
        assert [None if pd.isna(shown) else shown for shown in frame["hours"]] == [hours]


def test_a_type_whose_hours_are_not_recorded_has_no_hours_beside_its_colour(explore_flights):
    lengths = {"COMMERCIAL": None, "TRAINING": 3600}
    flights = [
        a_flight(f"fl_{kind}", "2026-10-05T09:00:00.000Z", durationSeconds=length, flightType=kind)
        for kind, length in lengths.items()
    ]
    explorer = explore_flights(flights)
    chart = words(explorer.screen.chart)
    assert chart.startswith("Hours by month COMMERCIAL not recorded TRAINING 1.0 h ")
    explorer.controls.flight_type.value = ("COMMERCIAL",)
    assert 'stacked by flight type: not recorded."' in explorer.screen.chart
    assert explorer.screen.shown["announcement"] == "1 flight, hours not recorded"


def test_bars_that_are_drawn_are_counted_in_words_and_those_that_are_not_beside_them(
    explore_flights,
):
    flights = [
        a_flight(f"fl_{n}", "2026-10-05T09:00:00.000Z", pilotInCommand={"id": n, "fullName": n})
        for n in map(str, range(20))
    ]
    explorer = explore_flights(flights)
    press(explorer, "choose", {"measure": "flights", "grouping": "pilot"})
    [said] = re.findall(r'<svg[^>]*aria-label="([^"]*)"', explorer.screen.chart)
    bars = "15 bars, the largest with 1 flight, and 5 more pilots."
    assert said == f"Flights by pilot, stacked by flight type: {bars}"
    assert explorer.screen.chart.count('role="button"') == 15
    explorer.controls.pilot.value = "0"
    assert words(explorer.screen.chart).startswith("Flights by pilot COMMERCIAL 1 flight flights 0")


def test_a_tile_chooses_its_status_and_condition_and_takes_them_back(fleet):
    explorer = fk.explore.equipment(fleet)
    shades = re.findall(r"--fk-shade: (\d+)%", explorer.screen.chart)
    assert {*shades} == {"56", "35", "0"}  # two pieces, which are most, one and none
    choose(explorer, explorer.screen.chart, "status=ACTIVE-condition=GOOD")
    assert explorer.rows["name"].tolist() == ["Camera 1", "Kestrel 1"]
    choose(explorer, explorer.screen.chart, "tile-type=CAMERA")
    assert explorer.rows["name"].tolist() == ["Camera 1"]
    choose(explorer, explorer.screen.chart, "status=ACTIVE-condition=GOOD")
    assert explorer.filter == fk.Filter(type="CAMERA")
    # Of what a tile stands for one half may be chosen already.
    explorer.controls.status.value = ["ACTIVE"]
    choose(explorer, explorer.screen.chart, "status=ACTIVE-condition=GOOD")
    assert explorer.controls.status.value == ("ACTIVE",)
    assert explorer.controls.condition.value == "GOOD"


def test_a_condition_is_given_back_as_it_was_chosen_and_beside_a_status_by_identifiers(fleet):
    explorer = fk.explore.equipment(fleet)
    explorer.controls.condition.value = "GOOD"
    assert explorer.filter == fk.Filter(condition="GOOD")
    opened = fk.explore.equipment(fleet, explorer.filter)
    assert opened.controls.condition.value == "GOOD"
    opened.controls.status.value = ["ACTIVE"]
    assert opened.filter == fk.Filter(equipment=("eq_camera", "eq_kestrel"))


@pytest.mark.parametrize(("last", "years"), [("2024-12", 10), ("2025-01", 2)])
def test_months_without_flights_have_a_place_in_a_chart_of_120_months_and_in_no_longer_one(
    serve_records, last, years
):
    flights = [a_flight(month, f"{month}-05T09:00:00.000Z") for month in ("2015-01", last)]
    served = serve_records(flown_by_kestrel(flights))
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        chart = words(fk.explore.flights(fleet).screen.chart)
    assert len(set(re.findall(r"\b20[12]\d\b", chart))) == years


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("flights", "No flights match, so there are no hours to draw."),
        ("equipment", "No pieces of equipment match, so there is no chart to draw."),
        ("projects", "No projects match, so there is no chart to draw."),
    ],
)
def test_the_chart_of_an_empty_organisation_says_that_there_is_nothing(serve_records, kind, said):
    served = serve_records({})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        explorer = getattr(fk.explore, kind)(fleet)
    assert words(explorer.screen.chart) == said


def test_equipment_that_has_no_cell_of_the_matrix_is_counted_below_it(serve_records):
    given = {"eq_1": "GOOD", "eq_2": None, "eq_3": None}
    equipment = [an_equipment(key, condition=condition) for key, condition in given.items()]
    served = serve_records({"equipment": equipment})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        explorer = fk.explore.equipment(fleet)
    below = "{} of {} {} no status or no condition."
    assert below.format(2, 3, "have") in words(explorer.screen.chart)
    explorer.controls.equipment.value = "eq_2"
    assert below.format(1, 1, "has") in words(explorer.screen.chart)
    explorer.controls.equipment.value = "eq_1"
    assert "no condition" not in words(explorer.screen.chart)
    # The matrix has eight columns; of nine grades one piece each.
    equipment = [an_equipment(f"eq_{n}", condition=f"GRADE_{n}") for n in range(9)]
    served = serve_records({"equipment": equipment})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        shown = words(fk.explore.equipment(fleet).screen.chart)
    assert "1 of 9 has no status or no condition, or one that is not shown." in shown


def test_a_value_on_the_board_chooses_its_stage_and_currency(fleet):
    explorer = fk.explore.projects(fleet)
    # What is cut off in a narrow stage is said of it.
    assert 'title="Stage DRAFT, Currency GBP, 501: 1 project"' in explorer.screen.chart
    assert 'title="Project proj_bridge, Bridge inspection, ' in explorer.screen.chart
    choose(explorer, explorer.screen.chart, "status=DRAFT-currency=GBP")
    assert explorer.rows["project_id"].tolist() == ["proj_quarry"]


@pytest.mark.parametrize(
    ("statuses", "hint"),
    [
        (["DRAFT", None], "1 of 2 has no stage."),
        ([None, "DRAFT", None], "2 of 3 have no stage."),
        (["DRAFT"], ""),
    ],
)
def test_projects_without_a_stage_are_counted_below_the_board(serve_records, statuses, hint):
    projects = [a_project(f"proj_{n}", status=status) for n, status in enumerate(statuses)]
    served = serve_records(TINY | {"projects": projects})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    shown = words(fk.explore.projects(fleet).screen.chart)
    draft = f"proj_{statuses.index('DRAFT')}"
    assert shown == f"Projects and values by stage DRAFT 1 EUR 1,000 {draft} {hint}".strip()


def test_a_currency_of_blanks_is_none_on_the_board_and_when_it_is_chosen(serve_records):
    currencies = {"proj_eur": "EUR", "proj_empty": "", "proj_blank": " ", "proj_null": None}
    projects = [a_project(key, currency=currency) for key, currency in currencies.items()]
    served = serve_records(TINY | {"projects": projects})
    explorer = fk.explore.projects(fk.connect(served.base_url, served.api_key, progress=False))
    options = [value for _, value in explorer.controls.currency.options]
    assert options == ["", "EUR", "no currency"]
    assert "no currency 3,000" in words(explorer.screen.chart)
    choose(explorer, explorer.screen.chart, "status=DRAFT-currency=no currency")
    assert sorted(explorer.rows["project_id"]) == ["proj_blank", "proj_empty", "proj_null"]
    assert words(explorer.screen.table).count("1,000 (no currency)") == 3


def test_a_project_created_on_a_date_is_chosen_by_the_month_that_counts_it(serve_records):
    # In New York it is 20:00 of 31 October at midnight UTC, and 22:00 at 02:00.
    created = {"proj_date": "2026-11-01T00:00:00.000Z", "proj_moment": "2026-11-01T02:00:00.000Z"}
    projects = [a_project(key, createdAt=moment) for key, moment in created.items()]
    served = serve_records(TINY | {"projects": projects})
    tz = "America/New_York"
    with fk.connect(served.base_url, served.api_key, tz=tz, progress=False) as fleet:
        explorer = fk.explore.projects(fleet)
        for month, project in (("2026-11", "proj_date"), ("2026-10", "proj_moment")):
            explorer.controls.period.value = month
            assert explorer.rows["project_id"].tolist() == [project]


def test_an_assigned_pilot_of_blanks_is_counted_with_projects_without_one(serve_records):
    pilots = {"proj_bridge": "Ada Lind", "proj_roof": " ", "proj_empty": "", "proj_null": None}
    projects = [a_project(key, assignedPilotName=pilot) for key, pilot in pilots.items()]
    served = serve_records(TINY | {"projects": projects})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    explorer = fk.explore.projects(fleet)
    assert counts_of(explorer, "pilot") == {"Any": 4, "Ada Lind": 1, UNASSIGNED: 3}


def test_a_client_of_blanks_is_no_choice_and_no_bar_of_its_own(serve_records):
    clients = {"proj_bridge": "Fjord", "proj_roof": " ", "proj_empty": "", "proj_null": None}
    projects = [a_project(key, clientAccountName=client) for key, client in clients.items()]
    records = zip(TINY["flights"], [*clients, "proj_roof"], strict=True)
    flights = [flight | {"project": {"id": key, "title": key}} for flight, key in records]
    served = serve_records(TINY | {"projects": projects, "flights": flights})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    for explorer in (fk.explore.projects(fleet), fk.explore.flights(fleet)):
        assert [value for _, value in explorer.controls.client.options] == ["", "Fjord"]
    explorer.controls.grouping.value = "client"
    assert set(re.findall(r"bar-([^-]*)-", explorer.screen.chart)) == {"Fjord"}
    assert "hours Unassigned Fjord " in words(explorer.screen.chart)


def test_the_bar_of_a_client_who_is_called_unassigned_is_not_that_of_flights_without_one(
    serve_records,
):
    projects = [a_project("proj_bridge", clientAccountName=UNASSIGNED)]
    served = serve_records(TINY | {"projects": [*projects, a_project("proj_2")]})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    explorer = fk.explore.flights(fleet)
    explorer.controls.grouping.value = "client"
    assert f"bar-{UNASSIGNED}-" not in explorer.screen.chart
    choose(explorer, explorer.screen.chart, f'bar-"{UNASSIGNED}"-COMMERCIAL')
    assert set(explorer.rows["project_id"]) == {"proj_bridge"}


def test_a_cell_of_the_table_narrows_the_rest(fleet):
    explorer = fk.explore.flights(fleet)
    bo = {"pilot": "prof_bo"}
    assert buttons(explorer.screen.table).count(bo) == 2
    press(explorer, "choose", bo)
    assert sorted(explorer.rows["flight_id"]) == ["fl_3", "fl_5"]
    assert bo not in buttons(explorer.screen.table)
    assert {"pilot": ""} in buttons(explorer.screen.table)


# The table


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_sorts_by_every_column_nulls_last(explorers, kind):
    explorer = explorers[kind]
    explorer.controls.reset.click()
    subject = explorer._subject
    for name, column in subject.columns.items():
        keys = column.keys().reset_index(drop=True)
        if pd.api.types.is_string_dtype(keys.dtype):
            keys = keys.str.casefold()
        known = sorted(keys.dropna())
        for way, expected in (("asc", known), ("desc", known[::-1])):
            ordered = keys.iloc[subject.order(f"{name}_{way}")]
            assert ordered.tolist()[: len(known)] == expected
            assert ordered.iloc[len(known) :].isna().all()


def test_names_are_sorted_whatever_their_case_blank_ones_as_their_ids_and_blank_texts_last(
    serve_records, tmp_path
):
    pilots = {"fl_1": ("prof_m", "Zoe"), "fl_2": ("prof_p", " "), "fl_3": ("prof_a", "Ada")}
    flights = [
        a_flight(
            identifier,
            "2026-10-01T09:00:00.000Z",
            pilotInCommand={"id": pilot, "fullName": name},
            operationType=" " if identifier == "fl_1" else "SURVEY",
        )
        for identifier, (pilot, name) in pilots.items()
    ]
    flights.append(a_flight("fl_4", "2026-10-01T09:00:00.000Z", operationType="SURVEY"))
    records = flown_by_kestrel(flights)
    further = [an_equipment(name) for name in ("tern", "Zephyr")]
    records["equipment"] = [*records["equipment"], *further]
    records["flight_equipment"][:2] = [("fl_1", "tern"), ("fl_1", "Zephyr"), ("fl_2", "Zephyr")]
    served = serve_records(records)
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(str(tmp_path / "mirror"))
    mirror = fk.open_mirror(tmp_path / "mirror")
    for engine in ("pandas", "polars"):
        explorer = fk.explore.flights(mirror, engine=engine)
        explorer.order_by = "equipment_desc"  # Zephyr, tern, Kestrel 1: case is ignored
        assert explorer.rows["flight_id"].tolist() == ["fl_2", "fl_1", "fl_3", "fl_4"]
        assert "tern, Zephyr" in words(explorer.screen.table)
        explorer.order_by = "pilot_asc"  # Ada, prof_p, Zoe, Unassigned
        assert explorer.rows["flight_id"].tolist() == ["fl_3", "fl_2", "fl_1", "fl_4"]
        explorer.order_by = "operation_asc"
        assert explorer.rows["flight_id"].tolist()[-1] == "fl_1"


def test_rows_that_are_alike_in_a_column_stand_in_the_order_to_begin_with(fleet):
    explorer = fk.explore.flights(fleet)
    explorer.order_by = "type_asc"  # COMMERCIAL twice, the latest first
    assert explorer.rows["flight_id"].tolist() == ["fl_2", "fl_1", "fl_4", "fl_5", "fl_3"]
    assert "1–5 of 5 flights" in words(explorer.screen.table)
    assert "Flights, page 1 of 1. Times in UTC." in words(explorer.screen.table)


def test_why_a_state_cannot_be_shown_is_a_text_whatever_it_names():
    shown = failure(fk.InvalidValue("<script>alert(1)</script> is not an option."))
    assert "&lt;script&gt;" in shown.figures
    assert "<script>" not in shown.figures


def test_options_go_by_their_names_and_those_of_one_name_are_told_apart_by_their_ids():
    ids = ["prof_3", "prof_2", "prof_1", None]
    frame = pd.DataFrame({"pilot_id": ids, "pilot_name": ["bo", "Ada", "Ada", None]})
    # The last two look alike: the first of them has A and a ring.
    for row in (["prof_4", "Cy"], ["prof_5", "A\u030as"], ["prof_6", "Ås"]):
        frame.loc[len(frame)] = row
    assert named(frame, "pilot_id", "pilot_name") == [
        ("Ada (prof_1)", "prof_1"),
        ("Ada (prof_2)", "prof_2"),
        ("A\u030as (prof_5)", "prof_5"),
        ("bo", "prof_3"),
        ("Cy", "prof_4"),
        ("Ås (prof_6)", "prof_6"),
        (UNASSIGNED, UNASSIGNED),
    ]


def test_one_row_is_not_called_several(fleet):
    explorer = fk.explore.flights(fleet, fk.Filter(night=True))
    assert words(explorer.screen.table).startswith("1–1 of 1 flight «")
    assert explorer.screen.shown["announcement"] == "1 flight, 0.3 hours"


def test_what_has_a_name_of_blanks_is_called_by_its_id(serve_records):
    pilots = [{"id": "prof_empty", "fullName": ""}, {"id": "prof_blank", "fullName": "  "}]
    flights = [
        a_flight(f"fl_{n}", f"2026-10-0{n}T09:00:00.000Z", pilotInCommand=pilot)
        for n, pilot in enumerate(pilots, 1)
    ]
    pieces = [an_equipment("eq_blank", name=" "), an_equipment("eq_named", name="Kestrel")]
    records = {
        "equipment": pieces,
        "flights": flights,
        "flight_equipment": [("fl_1", "eq_blank"), ("fl_2", "eq_blank"), ("fl_2", "eq_named")],
        "projects": [a_project("proj_empty", title="")],
    }
    served = serve_records(TINY | records)
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    explorer = fk.explore.flights(fleet)
    labels = [label for label, _ in explorer.controls.pilot.options]
    assert labels == ["Any", "prof_blank", "prof_empty"]
    explorer.columns = ["pilot", "equipment"]
    assert "prof_blank eq_blank, Kestrel prof_empty eq_blank" in words(explorer.screen.table)
    board = fk.explore.projects(fleet)
    assert "DRAFT 1 EUR 1,000 proj_empty" in words(board.screen.chart)
    board.columns = ["title", "status"]
    assert "proj_empty DRAFT" in words(board.screen.table)
    register = fk.explore.equipment(fleet)
    register.columns = ["name", "equipment_id"]
    assert "eq_blank eq_blank Kestrel eq_named" in words(register.screen.table)


def test_equipment_whose_flights_all_lack_a_date_is_not_said_to_never_have_flown(serve_records):
    records = {
        "equipment": [an_equipment("eq_undated"), an_equipment("eq_new")],
        "flights": [TINY["flights"][0] | {"id": "fl_1", "flightDate": None}],
        "flight_equipment": [("fl_1", "eq_undated")],
    }
    served = serve_records(TINY | records)
    register = fk.explore.equipment(fk.connect(served.base_url, served.api_key, progress=False))
    assert counts_of(register, "idle") == {"Any": 2, "not known": 1, "never flew": 1}
    assert "never flew: 1" in words(register.screen.figures)
    register.controls.idle.value = "never flew"
    assert register.rows["equipment_id"].tolist() == ["eq_new"]


def test_a_token_of_blanks_is_offered_in_words(explore_flights):
    flights = [
        TINY["flights"][0] | {"flightType": " ", "operationType": " "},
        TINY["flights"][1] | {"flightType": None, "operationType": "\u202eSURVEY"},
    ]
    explorer = explore_flights(flights)
    assert explorer.controls.flight_type.options == [("not given", " ")]
    labels = [label for label, _ in explorer.controls.operation_type.options]
    assert labels == ["Any", "not given", "SURVEY"]
    # 1800 + 3600 s, the second of no type at all.
    assert "not given 1.5 h" in words(explorer.screen.chart)
    explorer.controls.flight_type.value = [" "]
    assert words(explorer.screen.chips) == "Flight type not given ✕"
    assert explorer.rows["flight_id"].tolist() == ["fl_1"]


def test_a_condition_and_a_stage_of_blanks_are_called_not_given(serve_records):
    pieces = [an_equipment("eq_kestrel", status="ACTIVE", condition=" ")]
    projects = [a_project("proj_roof", status=" ")]
    own = {"equipment": pieces, "projects": projects, "flights": [], "flight_equipment": []}
    served = serve_records(TINY | own)
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    equipment, board = fk.explore.equipment(fleet), fk.explore.projects(fleet)
    assert equipment.controls.condition.options == [("Any", ""), ("not given", " ")]
    assert words(equipment.screen.chart).startswith("Status and condition not given ACTIVE 1")
    assert words(board.screen.chart).startswith("Projects and values by stage not given 1 EUR")


def test_a_name_that_turns_its_letters_around_reads_as_in_reports(serve_records):
    pilot = {"id": "prof_rev", "fullName": "\u202eAda Lind"}  # browsers show it as dniL adA
    flight = a_flight("fl_1", "2026-10-01T09:00:00.000Z", pilotInCommand=pilot)
    records = {
        "equipment": [an_equipment("eq_1", name="\u202eKestrel")],
        "flights": [flight],
        "flight_equipment": [("fl_1", "eq_1")],
        "projects": [a_project("proj_1", title="\u202eRoof")],
    }
    served = serve_records(TINY | records)
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    explorer, board = fk.explore.flights(fleet), fk.explore.projects(fleet)
    assert [label for label, _ in explorer.controls.pilot.options] == ["Any", "Ada Lind"]
    explorer.columns, board.columns = ["pilot", "equipment"], ["title", "status"]
    assert "Ada Lind Kestrel" in words(explorer.screen.table)
    assert ("Roof DRAFT" in words(board.screen.table), "Roof" in board.screen.chart) == (True, True)
    assert "\u202e" not in explorer.screen.table + board.screen.table + board.screen.chart


def test_a_currency_that_turns_its_letters_around_leaves_its_amount_as_it_is(serve_records):
    project = a_project(
        "proj_1",
        title="Roof",
        currency="\u202eUSD",
        agreedPrice=1234,
        clientAccountName="\u202eFjord",
    )
    served = serve_records(TINY | {"projects": [project]})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    board = fk.explore.projects(fleet.where(client="\u202eFjord"))
    assert "\u202e" not in board.screen.chosen
    assert "Open 1 USD 1,234 " in words(board.screen.figures)  # browsers showed 432,1 DSU
    assert words(board.screen.chart).endswith("DRAFT 1 USD 1,234 Roof")
    titles = re.findall(r'title="([^"]*)"', board.screen.chart)
    assert titles[1:] == [
        "Stage DRAFT, Currency USD, 1,234: 1 project",
        "Project proj_1, Roof, Fjord",
    ]


@pytest.mark.parametrize("name", ["Unassigned", "\u202eUnassigned"])
def test_a_pilot_who_is_called_unassigned_is_not_taken_for_none(explore_flights, name):
    pilots = [{"id": "prof_un", "fullName": name}, None]
    flights = [
        a_flight(f"fl_{n}", f"2026-10-0{n}T09:00:00.000Z", pilotInCommand=pilot)
        for n, pilot in enumerate(pilots, 1)
    ]
    explorer = explore_flights(flights)
    labels = [label for label, _ in explorer.controls.pilot.options]
    assert labels == ["Any", '"Unassigned"', "Unassigned"]
    explorer.columns = ["id", "pilot"]
    assert 'Unassigned fl_2 "Unassigned" fl_1' in words(explorer.screen.table)
    explorer.controls.grouping.value = "pilot"
    bars = {unescape(title.split(" ·")[0]) for title in titles_of(explorer)}
    assert bars == {'"Unassigned"', "Unassigned"}


def test_the_equipment_of_a_flight_is_named_in_the_order_of_names(serve_records):
    names = ("Zulu", "Alpha", "beta")
    pieces = [an_equipment(f"eq_{number}", name=name) for number, name in enumerate(names, 1)]
    flight = a_flight("fl_1", "2026-10-05T09:00:00.000Z")
    pairs = [("fl_1", "eq_1"), ("fl_1", "eq_2")]
    served = serve_records(
        TINY | {"equipment": pieces, "flights": [flight], "flight_equipment": pairs}
    )
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    assert fk.explore.equipment(fleet).rows["name"].tolist() == ["Alpha", "beta", "Zulu"]
    explorer = fk.explore.flights(fleet)
    assert "Alpha, Zulu" in words(explorer.screen.table)
    turns = re.findall(r'data-action="page"[^>]*aria-disabled="(\w+)"', explorer.screen.table)
    assert turns == ["true"] * 4  # there is one page
    ends = explorer.controls.since, explorer.controls.until
    for end, day in zip(ends, ("1000-01-02", "8999-12-30"), strict=True):
        end.value = day
    assert len(explorer.rows) == 1
    for end, day in zip(ends, ("1000-01-01", "8999-12-31"), strict=True):
        with pytest.raises(
            fk.InvalidValue, match=f"{day} does not lie between 1000-01-02 and 8999-12-30"
        ):
            end.value = day


def test_a_chip_names_three_of_several_and_counts_the_others():
    pilot = Select("pilot", "Pilot", [(letter.upper(), letter) for letter in "abcde"])
    texts = [pilot.chips({"pilot": tuple(chosen)})[0].text for chosen in ("abc", "abcde")]
    assert texts == ["A, B, C", "A, B, C and 2 more"]


def test_the_week_of_a_bar_is_chosen_where_only_its_first_day_was(fleet):
    explorer = fk.explore.flights(fleet, since="2026-10-26", flight_type="TRAINING")
    explorer.controls.grouping.value = "week"
    choose(explorer, explorer.screen.chart, "bar-2026-W44-TRAINING")
    assert explorer.filter == fk.Filter(
        since="2026-10-26", until="2026-11-02", flight_type="TRAINING"
    )


def test_projects_of_a_time_are_a_filter_of_their_identifiers(serve_records):
    stamps = {"proj_old": "2026-01-05", "proj_new": "2026-02-05"}
    projects = [a_project(name, createdAt=f"{day}T00:00:00.000Z") for name, day in stamps.items()]
    served = serve_records(TINY | {"projects": projects})
    explorer = fk.explore.projects(fk.connect(served.base_url, served.api_key, progress=False))
    explorer.controls.since.value = "2026-02-01"
    assert explorer.filter == fk.Filter(project="proj_new")
    explorer.controls.since.value, explorer.controls.until.value = None, "2026-02-05"
    assert explorer.filter == fk.Filter(project="proj_old")


def test_columns_are_chosen_and_the_last_one_stays(fleet):
    explorer = fk.explore.equipment(fleet)
    explorer.columns = ["name", "serial_number"]
    heads = re.findall(r'data-key="order_by-(\w+)"', explorer.screen.table)
    assert heads == ["name", "serial_number"]
    assert "Columns, 2 of 18" in words(explorer.screen.table)
    for name in ("name", "serial_number"):
        press(explorer, "column", name)
    assert explorer.columns == ("serial_number",)
    with pytest.raises(fk.InvalidValue, match="Did you mean serial_number"):
        explorer.columns = ["serial"]
    with pytest.raises(fk.InvalidValue, match="shows nothing"):
        explorer.columns = []


def test_an_order_of_a_column_that_is_not_there_is_refused(fleet):
    explorer = fk.explore.projects(fleet)
    with pytest.raises(fk.InvalidValue, match="order_by='titel_asc' is not an order"):
        explorer.order_by = "titel_asc"
    explorer.order_by = "agreed_price_desc"
    assert explorer.rows["project_id"].tolist() == ["proj_bridge", "proj_quarry", "proj_roof"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_chosen_rows_are_downloaded_as_csv_excel_and_parquet(explorers, kind):
    explorer = explorers[kind]
    choose_something(explorer, Random(2))
    state, key = explorer._states.current, explorer._subject.frame.columns[0]
    readers = {"csv": pd.read_csv, "xlsx": pd.read_excel, "parquet": pd.read_parquet}
    for form, read in readers.items():
        name, content = explorer.export(state, form)
        assert name.endswith(f".{form}")
        assert read(BytesIO(content))[key].tolist() == explorer.rows[key].tolist()
    book = openpyxl.load_workbook(BytesIO(explorer.export(state, "xlsx")[1]))
    fetched = explorer._subject.fetched_at.astimezone(UTC).replace(tzinfo=None, microsecond=0)
    assert book.properties.created.replace(tzinfo=None) == fetched
    with pytest.raises(fk.InvalidValue, match="'pdf' is not a kind of file"):
        explorer.export(state, "pdf")


# Equipment


def test_equipment_opens_with_its_state_as_the_metrics_have_it(fleet):
    explorer = fk.explore.equipment(fleet)
    # Kestrel 2 is FAIR, in MAINTENANCE, expired on 20 October, and never flew.
    assert words(explorer.screen.figures) == (
        "Equipment 3 of 3 Aircraft 2 of 2 In condition FAIR 1 ACTIVE: 0 "
        "Expired registrations 1 ≤ 30 days: 0 Idle for 90 days or more 0 "
        "365 days or more: 0, never flew: 1 "
        "Counters that differ 0 of 3 compared"
    )
    explorer.controls.registration.value = "expired"
    explorer.controls.idle.value = "never flew"
    assert explorer.filter == fk.Filter(equipment="eq_spare")


def test_aircraft_are_those_of_the_narrowed_fleet_as_the_whole_one_tells_them(fleet):
    # A drone that never flew is one, as another drone tells; a camera is none.
    for piece, aircraft in (("eq_camera", "0 of 0"), ("eq_spare", "1 of 1")):
        figures = words(fk.explore.equipment(fleet.where(equipment=piece)).screen.figures)
        assert figures.startswith(f"Equipment 1 of 1 Aircraft {aircraft} ")


def test_a_condition_that_the_order_does_not_know_is_not_the_worst(serve_records):
    equipment = [
        *({**piece, "condition": "SHINY"} for piece in TINY["equipment"][:2]),
        {**TINY["equipment"][2], "status": "ACTIVE", "condition": "WORN"},
    ]
    served = serve_records(TINY | {"equipment": equipment})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    figures = words(fk.explore.equipment(fleet).screen.figures)
    assert " In condition WORN 1 ACTIVE: 1 " in figures


def test_the_figures_of_equipment_count_each_piece_where_it_belongs(serve_records):
    # As of 20 November: idle for 90, 384 and 29 days; two are out of service, and one never flew.
    expired, in_30_days = "2026-11-19T00:00:00.000Z", "2026-12-20T00:00:00.000Z"
    worn, flown = {"condition": "FAIR"}, {"totalFlights": 1, "totalFlightHours": 0.5}
    uncounted = dict.fromkeys(flown)
    pieces = [
        an_equipment("eq_1", registrationExpiry=expired, **worn, **flown),
        an_equipment("eq_2", registrationExpiry=in_30_days, **worn, **{**flown, "totalFlights": 9}),
        an_equipment("eq_3", status="MAINTENANCE", **worn),  # its counters say 0
        an_equipment("eq_4", status="LOST", registrationExpiry=expired, **uncounted),
        an_equipment("eq_5", status="RETIRED", registrationExpiry=expired, **uncounted),
        an_equipment("eq_6", **uncounted),
    ]
    days = {"eq_1": "2026-08-22", "eq_2": "2025-11-01", "eq_3": "2026-10-22"}
    flights = [a_flight(f"fl_{piece}", f"{day}T09:00:00.000Z") for piece, day in days.items()]
    pairs = [(f"fl_{piece}", piece) for piece in days]
    served = serve_records(
        TINY | {"equipment": pieces, "flights": flights, "flight_equipment": pairs}
    )
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    fleet._source._fetched_at = datetime(2026, 11, 20, tzinfo=UTC)
    explorer = fk.explore.equipment(fleet)
    assert words(explorer.screen.figures) == (
        "Equipment 6 of 6 Aircraft 6 of 6 In condition FAIR 3 ACTIVE: 2 "
        "Expired registrations 1 ≤ 30 days: 1 Idle for 90 days or more 2 "
        "365 days or more: 1, never flew: 1 "
        "Counters that differ 2 of 3 compared"
    )
    assert counts_of(explorer, "registration") == {
        **{"Any": 6, "expired": 1, "≤ 30 days": 1, "missing": 2, "out of service": 2}
    }
    assert counts_of(explorer, "idle") == {
        **{"Any": 6, "under 30 days": 1, "90 to 364 days": 1, "365 days or more": 1},
        **{"never flew": 1, "out of service": 2},
    }
    # The longest bar of each field is that of most: of 6 by type, and of 2 by the other two.
    assert re.findall(r"--fk-share: (\d+)\.0%", explorer.screen.chart) == [
        *("100", "50", "50", "100", "100", "50", "50", "50", "50", "100")
    ]


def test_idle_days_are_of_all_flights_however_the_fleet_is_narrowed(fleet):
    explorer = fk.explore.equipment(fleet.where(night=True, type="DRONE"))
    explorer.columns = ["name", "last_flight"]
    assert "Kestrel 1 2026-11-02" in words(explorer.screen.table)  # fl_4, by day


@pytest.fixture
def too_many(serve_records):
    """Return an explorer with 201 pieces of equipment chosen; only eq_0 is in condition FAIR."""
    equipment = [an_equipment(f"eq_{number}", name=f"Drone {number}") for number in range(201)]
    equipment[0]["condition"] = "FAIR"
    served = serve_records(TINY | {"equipment": equipment, "flights": [], "flight_equipment": []})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    explorer = fk.explore.equipment(fleet)
    explorer.controls.status.value = [equipment[0]["status"]]
    return explorer


def test_a_choice_with_too_many_identifiers_says_so_in_place_of_a_line(too_many):
    explorer = too_many
    assert "It would name 201 identifiers. Choose fewer" in words(explorer.screen.chosen)
    assert "eq_200" not in explorer.screen.chosen
    assert len(explorer.filter.equipment) == 201
    explorer.controls.condition.value = "GOOD"
    assert "It would name" not in words(explorer.screen.chosen)
    assert "eq_200" in explorer.screen.chosen


def test_a_comparison_with_too_many_identifiers_says_so_beside_the_lines_of_the_choice(too_many):
    explorer = too_many
    explorer.controls.compare.value = "set aside"
    explorer.controls.condition.value = "FAIR"
    shown = words(explorer.screen.chosen)
    assert "eq_0" in shown
    assert "eq_1" not in shown
    assert "Comparison It would name 201 identifiers. Choose fewer" in shown


# Projects


def test_projects_open_with_their_pipeline_each_currency_by_itself(fleet):
    explorer = fk.explore.projects(fleet)
    # 1,000 EUR in progress, 500.50 GBP as a draft, 250 EUR completed, which isn't open.
    assert words(explorer.screen.figures) == (
        "Projects 3 of 3 Open 2 EUR 1,000 · GBP 501 Backlog 1 EUR 1,000 To invoice 0 "
        "Awaiting payment 0 Late 0"
    )
    assert words(explorer.screen.chart) == (
        "Projects and values by stage DRAFT 1 GBP 501 proj_quarry "
        "IN_PROGRESS 1 EUR 1,000 Bridge inspection COMPLETED 1 EUR 250 proj_roof"
    )


def test_late_projects_and_those_to_invoice_are_chosen(serve_records):
    projects = [
        a_project("proj_late", status="SCHEDULED", scheduledDate="2026-11-19T09:00:00.000Z"),
        a_project("proj_last", status="SCHEDULED", scheduledDate="2026-10-21T09:00:00.000Z"),
        a_project("proj_done", status="DELIVERED", agreedPrice=10, currency="NOK"),
        a_project("proj_gone", status="DELIVERED", agreedPrice=900, currency="GBP"),
        a_project("proj_sent", status="DELIVERED", agreedPrice=30, currency="EUR"),
        a_project("proj_new", status="DRAFT"),
    ]
    served = serve_records(TINY | {"projects": projects})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    fleet._source._fetched_at = datetime(2026, 11, 20, tzinfo=UTC)
    explorer = fk.explore.projects(fleet)
    assert counts_of(explorer, "waiting") == {"Any": 6, "late": 2, "to invoice": 3}
    assert "To invoice 3 GBP 900 · EUR 30 and 1 more" in words(explorer.screen.figures)
    assert "DELIVERED 3 GBP 900 EUR 30 NOK 10" in words(explorer.screen.chart)
    explorer.controls.waiting.value = "late"
    assert set(explorer.filter.project) == {"proj_late", "proj_last"}
    assert "Late 2 longest: 30 days" in words(explorer.screen.figures)
    explorer.controls.project.value = "proj_late"  # to be flown the day before
    assert words(explorer.screen.figures).endswith("Late 1 longest: 1 day")


def test_the_money_of_projects_says_how_many_of_them_have_a_price(serve_records):
    stages = [("DRAFT", 1000), ("DRAFT", None), ("DELIVERED", None)]
    projects = [
        a_project(f"proj_{n}", status=status, agreedPrice=price)
        for n, (status, price) in enumerate(stages)
    ]
    served = serve_records(TINY | {"projects": projects})
    explorer = fk.explore.projects(fk.connect(served.base_url, served.api_key, progress=False))
    figures = words(explorer.screen.figures)
    assert "Open 3 EUR 1,000; priced: 1 of 3 Backlog 0 To invoice 1 priced: 0 of 1 " in figures
    assert "Currency EUR, 1,000: 1 of 2 projects with a price" in explorer.screen.chart


def test_the_board_names_few_projects_and_counts_the_others(serve_records):
    projects = [a_project(f"proj_{number}", status="DRAFT", title="Roof") for number in range(30)]
    served = serve_records(TINY | {"projects": projects})
    explorer = fk.explore.projects(fk.connect(served.base_url, served.api_key, progress=False))
    assert explorer.screen.chart.count("tile-project=") == 3
    names = "Roof (proj_29) Roof (proj_28) Roof (proj_27)"  # which tell namesakes apart
    assert f"EUR 30,000 {names} and 27 more projects" in words(explorer.screen.chart)


# What isn't there


@pytest.mark.parametrize("kind", KINDS)
def test_an_organisation_without_records_can_be_explored(serve_records, kind):
    served = serve_records({name: [] for name in TINY})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    explorer = getattr(fk.explore, kind)(fleet)
    assert f"0 of 0 {explorer._subject.nouns[1]}" in words(explorer.screen.chosen)
    assert explorer.rows.empty
    assert all(explorer.export(explorer._states.current, form) for form in ("csv", "parquet"))


def test_records_whose_fields_are_all_missing_can_be_explored(serve_records):
    equipment = [an_equipment("eq_1", status=None, condition=None, type=None, category=None)]
    project = a_project("proj_1", currency=None, agreedPrice=None, clientAccountName=None)
    flight = a_flight("fl_1", None, flightType="COMMERCIAL", operationType=None)
    records = {"equipment": equipment, "projects": [project], "flights": [flight]}
    served = serve_records(TINY | records | {"flight_equipment": [("fl_1", "eq_1")]})
    fleet = fk.connect(served.base_url, served.api_key, progress=False)
    for kind in KINDS:
        explorer = getattr(fk.explore, kind)(fleet)
        assert len(explorer.rows) == 1
        assert "1–1 of 1 " in words(explorer.screen.table)


def test_a_control_that_is_not_there_is_refused_with_a_near_one(fleet):
    explorer = fk.explore.projects(fleet)
    with pytest.raises(AttributeError, match=r"no attribute 'curency'. Did you mean currency\?"):
        _ = explorer.controls.curency
