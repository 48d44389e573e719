"""The explorer's logic: what the controls choose, what is shown, what is given back."""

import json
import re
import shlex
import subprocess
from datetime import date, datetime
from html import unescape
from io import BytesIO
from random import Random

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import BO, TINY, a_flight, a_project, an_equipment, flown_by_kestrel

import fleetkit as fk
from fleetkit.charts.drawing import style
from fleetkit.cli.reporting import report
from fleetkit.explore import chart, exports, tiles
from fleetkit.explore.fields import Ticks
from fleetkit.explore.flight_fields import PeriodField, dates, flag
from fleetkit.explore.panes import PANES
from fleetkit.explore.screen import STYLE
from fleetkit.export import to_csv
from fleetkit.server.demo import demo_records
from fleetkit.time import Clock

HOSTILE = '<img src=x onerror="alert(1)">'


@pytest.fixture
def open_fleet(serve_records):
    """Return a function (records, **connection) -> Fleet over real HTTP."""

    def opened(records, scopes=None, **connection):
        served = serve_records(records)
        key = served.api_key
        if scopes:
            key = served.store.create_key(served.organisation, name="few", scopes=scopes)
        return fk.connect(served.base_url, key, progress=False, **connection)

    return opened


@pytest.fixture(scope="module")
def fleet(tiny):
    return fk.connect(tiny.base_url, tiny.api_key, progress=False)


@pytest.fixture
def explorer(fleet):
    return fk.explore.flights(fleet)


@pytest.fixture(scope="module")
def invented():
    """400 invented flights, with all the gaps and oddities of the demo."""
    return demo_records(equipment=20, flights=400, months=8, as_of=date(2026, 11, 20))


def words(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).strip()


def table_of(explorer):
    """Return the shown page as a frame, as a reader sees it."""
    heads, *rows = re.findall(r"<tr>(.*?)</tr>", explorer.screen.table)
    names = [words(cell).split()[0] for cell in re.findall(r"<th.*?</th>", heads)]
    cells = [[words(cell) for cell in re.findall(r"<td.*?</td>", row)] for row in rows]
    return pd.DataFrame(cells, columns=names)


def ids(explorer):
    return sorted(explorer.rows["flight_id"])


@pytest.mark.slow
def test_it_opens_with_all_flights(explorer):
    # 1800 + 3600 + 900 + 600 s = 6900 s; fl_5 has no duration, fl_4 no pilot and no BVLOS.
    assert words(explorer.screen.figures) == (
        "Flights 5 of 5 Hours 1.9 timed: 4 of 5 Pilots 2 unassigned flights: 1 "
        "Aircraft 1 equipment in all: 2 "
        "Night flights 20.0 % known for 5 of 5 BVLOS flights 0.0 % known for 4 of 5"
    )
    assert explorer.filter == fk.Filter()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("control", "value", "chosen", "expected"),
    [
        ("category", "PAYLOAD", fk.Filter(category="PAYLOAD"), ["fl_1", "fl_2"]),
        ("type", "CAMERA", fk.Filter(type="CAMERA"), ["fl_1", "fl_2"]),
        ("pilot", "prof_bo", fk.Filter(pilot="prof_bo"), ["fl_3", "fl_5"]),
        ("pilot", "Unassigned", fk.Filter(pilot="Unassigned"), ["fl_4"]),
        ("project", "proj_bridge", fk.Filter(project="proj_bridge"), ["fl_1", "fl_2"]),
        ("night", True, fk.Filter(night=True), ["fl_3"]),
        ("bvlos", False, fk.Filter(bvlos=False), ["fl_1", "fl_2", "fl_3", "fl_5"]),
        ("bvlos", True, fk.Filter(bvlos=True), []),
        ("bvlos", "unknown", fk.Filter(bvlos="unknown"), ["fl_4"]),
        ("period", "2026-11", fk.Filter(since="2026-11-01", until="2026-12-01"), ["fl_4"]),
        ("since", date(2026, 10, 31), fk.Filter(since="2026-10-31"), ["fl_3", "fl_4"]),
        ("until", date(2026, 10, 1), fk.Filter(until="2026-10-01"), ["fl_5"]),
    ],
)
def test_each_control_narrows_to_what_its_filter_means(explorer, control, value, chosen, expected):
    getattr(explorer.controls, control).value = value
    assert (explorer.filter, ids(explorer)) == (chosen, expected)


@pytest.mark.slow
def test_ticked_flight_types_add_up_and_none_ticked_means_all(explorer):
    types = explorer.controls.types
    assert list(types) == ["COMMERCIAL", "RECREATIONAL", "TRAINING", "MAINTENANCE"]
    types["TRAINING"].value = types["MAINTENANCE"].value = True
    assert ids(explorer) == ["fl_3", "fl_4"]
    types["TRAINING"].value = types["MAINTENANCE"].value = False
    assert len(explorer.rows) == 5


def test_boxes_are_ticked_from_python_by_a_text_a_list_or_a_series_and_none_ticks_none():
    field = Ticks("status", "Status", ["ACTIVE", "RETIRED"])
    for ticked in ("RETIRED", ["RETIRED"], pd.Series(["RETIRED"])):
        assert field.check(ticked) == ("RETIRED",)
    assert field.check(None) == field.check("") == field.check([]) == ()
    with pytest.raises(fk.InvalidValue, match="'RETIRE' is not an option of 'Status'") as refused:
        field.check("RETIRE")
    assert refused.value.advice == "Options are: 'ACTIVE', 'RETIRED'."
    with pytest.raises(fk.InvalidValue, match="'S' is not an option") as refused:
        Ticks("status", "Status", [f"S{number}" for number in range(9)]).check("S")
    assert refused.value.advice.endswith(", 'S6', 'S7' and 1 more.")
    with pytest.raises(fk.InvalidValue, match="7 is not a text, nor a list of texts, for status"):
        field.check(7)


@pytest.mark.slow
def test_months_begin_at_midnight_of_the_fleet_s_zone(tiny):
    fleet = fk.connect(tiny.base_url, tiny.api_key, tz="Europe/Oslo", progress=False)
    explorer = fk.explore.flights(fleet)
    explorer.controls.period.value = "2026-10"
    # 30 September 23:59:59 UTC is 1 October in Oslo; 31 October 23:30 UTC is 1 November.
    assert ids(explorer) == ["fl_1", "fl_2", "fl_5"]
    assert table_of(explorer)["Date"].str.startswith("2026-10-01 01:59").sum() == 1


@pytest.mark.slow  # opens two explorers
def test_a_moment_of_a_table_is_chosen_as_the_day_that_the_fleet_s_clock_showed(tiny):
    fleet = fk.connect(tiny.base_url, tiny.api_key, tz="Europe/Oslo", progress=False)
    explorer, flights = fk.explore.flights(fleet), fleet.flights().set_index("flight_id")
    explorer.controls.since.value = flights.loc["fl_3", "flight_date"]
    # 31 October 23:30 UTC is 1 November in Oslo, where a time without a zone is read as one.
    assert (explorer.controls.since.value, ids(explorer)) == (date(2026, 11, 1), ["fl_3", "fl_4"])
    explorer.controls.since.value = pd.Timestamp("2026-10-31 23:30")
    assert explorer.controls.since.value == date(2026, 10, 31)
    projects = fk.explore.projects(fleet)
    projects.controls.until.value = pd.Timestamp("2026-01-01T23:30Z")
    assert projects.controls.until.value == date(2026, 1, 2)


@pytest.mark.parametrize(
    ("clock", "day"),
    [
        (Clock("America/New_York", dates_only=True), date(2026, 10, 1)),
        (Clock("America/New_York", dates_only=False), date(2026, 9, 30)),
    ],
)
def test_a_date_without_a_time_is_chosen_as_it_is_in_every_zone(clock, day):
    since, _ = dates(PeriodField([], list, clock.tz), clock.times)
    assert since.check(pd.Timestamp("2026-10-01T00:00Z")) == day


@pytest.mark.parametrize("day", ["0001-01-01T00:00+09:00", "9999-12-31T23:00-09:00"])
def test_a_moment_that_utc_has_no_day_for_is_refused_with_the_days_that_there_are(day):
    since, _ = dates(PeriodField([], list, "UTC"), Clock("UTC").times)
    with pytest.raises(fk.InvalidValue, match=f"{day[:10]} does not lie between 1000-01-02 and"):
        since.check(datetime.fromisoformat(day))


def test_an_answer_is_chosen_as_numpy_has_it():
    night = flag("night", "Night flight", None)
    assert [night.check(answer) for answer in np.array([True, False])] == [True, False]


@pytest.mark.slow
def test_flight_dates_without_a_time_keep_their_day_in_every_zone(open_fleet):
    flights = [a_flight("fl_1", "2026-10-01T00:00:00.000Z")]
    records = TINY | {"flights": flights, "flight_equipment": [("fl_1", "eq_kestrel")]}
    explorer = fk.explore.flights(open_fleet(records, tz="America/New_York"))
    explorer.controls.period.value = "2026-10"
    assert table_of(explorer)["Date"].tolist() == ["2026-10-01"]


@pytest.mark.slow
@pytest.mark.parametrize("tz", ["Europe/Berlin", "America/Los_Angeles"])
def test_dates_that_stand_for_none_leave_an_explorer_usable(open_fleet, tz):
    # What some programs write where there is no date, and where there is no end.
    dates = ["0001-01-01T00:00:00.000Z", "2026-10-05T09:00:00.000Z", "9999-12-31T23:59:59.999Z"]
    flights = [a_flight(f"fl_{n}", date) for n, date in enumerate(dates)]
    explorer = fk.explore.flights(open_fleet(flown_by_kestrel(flights), tz=tz))
    assert len(table_of(explorer)) == 3
    assert "October 2026 · COMMERCIAL · 0.5 h in 1 flight" in explorer.screen.chart
    options = [("2026", "2026"), ("October 2026", "2026-10"), ("Own dates", "own dates")]
    assert explorer.controls.period.options[1:] == options


@pytest.mark.slow
def test_a_lone_flight_at_midnight_keeps_its_time_where_the_fleet_s_dates_have_times(open_fleet):
    flights = [a_flight(f"fl_{n}", f"2026-10-01T{n % 12:02}:30:00.000Z") for n in range(120)]
    midnight = a_flight("fl_midnight", "2026-10-31T00:00:00.000Z", pilotInCommand=BO)
    fleet = open_fleet(flown_by_kestrel([*flights, midnight]), tz="Europe/Oslo")
    explorer = fk.explore.flights(fleet.where(pilot="prof_bo"))
    assert table_of(explorer)["Date"].tolist() == ["2026-10-31 01:00"]


@pytest.mark.slow
def test_aircraft_are_those_that_the_fleet_is_set_to(explorer, tiny, monkeypatch):
    assert "Aircraft 1 equipment in all: 2" in words(explorer.screen.figures)
    monkeypatch.setenv("FLEETKIT_AIRCRAFT_TYPES", "DRONE,CAMERA")
    fleet = fk.connect(tiny.base_url, tiny.api_key, progress=False)
    figures = words(fk.explore.flights(fleet).screen.figures)
    assert "Aircraft 2 equipment in all: 2" in figures


@pytest.mark.slow
def test_every_choice_shows_what_the_fleet_returns_for_its_filter(open_fleet, invented):
    fleet = open_fleet(invented, tz="Europe/London")
    explorer, rng = fk.explore.flights(fleet), Random(1)
    controls = explorer.controls
    for _ in range(6):
        selects = (controls.period, controls.type, controls.category, controls.pilot)
        others = (controls.equipment, controls.client, controls.operation_type)
        for control in (*selects, controls.project, *others):
            control.value = rng.choice([value for _, value in control.options] + [""] * 20)
        controls.night.value, controls.bvlos.value = rng.choices(["", "", "", True, "unknown"], k=2)
        for box in controls.types.values():
            box.value = rng.random() < 0.3
        explorer.order_by = rng.choice(fk.schema.FLIGHT_ORDERS)
        expected = fleet.where(explorer.filter).flights(order_by=explorer.order_by)
        pd.testing.assert_frame_equal(explorer.rows, expected)


@pytest.mark.slow
def test_hours_are_those_of_the_metric_over_its_rows(open_fleet, invented):
    explorer = fk.explore.flights(open_fleet(invented, tz="Europe/London"))
    explorer.controls.types["COMMERCIAL"].value = True
    expected = fk.metrics.flight_hours(
        explorer.rows, by=["month", "flight_type"], tz="Europe/London"
    )
    assert explorer.hours["flights"].tolist() == expected["flights"].tolist()
    assert explorer.hours["hours"].tolist() == pytest.approx(expected["hours"].tolist())


@pytest.mark.slow
def test_figures_are_those_of_the_metrics_over_its_rows(open_fleet, invented):
    fleet = open_fleet(invented)
    explorer = fk.explore.flights(fleet)
    explorer.controls.category.value = explorer.controls.category.options[1][1]
    rows, bridge = explorer.rows, fleet.where(explorer.filter).flight_equipment()
    totals = fk.metrics.flight_totals(rows).iloc[0]
    night = fk.metrics.night_and_bvlos(rows).iloc[0]
    shown = words(explorer.screen.figures)
    assert f"Flights {len(rows):,} of 400 Hours {totals['hours']:,.1f} " in shown
    assert f"Pilots {rows['pilot_id'].nunique()} " in shown
    assert f"equipment in all: {bridge['equipment_id'].nunique()} " in shown
    assert f"Night flights {100 * night['flights_share']:.1f} % known" in shown


@pytest.mark.slow
def test_a_period_fills_in_its_dates_and_dates_name_their_period(explorer):
    controls = explorer.controls
    controls.period.value = "2026"
    assert (controls.since.value, controls.until.value) == (date(2026, 1, 1), date(2027, 1, 1))
    controls.since.value = date(2026, 10, 1)
    assert controls.period.label == "Own dates"
    controls.period.value = "own dates"  # those that are chosen
    controls.until.value = date(2026, 11, 1)
    assert controls.period.label == "October 2026"


@pytest.mark.slow
def test_a_period_that_ends_before_it_starts_shows_nothing_and_says_why(explorer):
    explorer.controls.since.value = date(2026, 11, 1)
    explorer.controls.until.value = date(2026, 10, 1)
    assert ids(explorer) == []
    said = "since=2026-11-01 lies after until=2026-10-01. Choose an earlier since, a later until"
    assert said in words(explorer.screen.chips)


@pytest.mark.slow
def test_reset_takes_every_choice_back(explorer):
    controls = explorer.controls
    controls.period.value, controls.pilot.value, controls.night.value = "2026", "prof_bo", True
    controls.types["TRAINING"].value = True
    controls.reset.click()
    assert (explorer.filter, len(explorer.rows)) == (fk.Filter(), 5)
    assert controls.period.label == "All time"


@pytest.mark.slow
def test_two_pilots_of_one_name_are_told_apart(open_fleet):
    flights = [
        a_flight(
            f"fl_{n}",
            f"2026-10-0{n}T09:00:00.000Z",
            pilotInCommand={"id": f"prof_{n}", "fullName": "Kim"},
        )
        for n in (1, 2)
    ]
    pairs = [("fl_1", "eq_kestrel"), ("fl_2", "eq_kestrel")]
    explorer = fk.explore.flights(
        open_fleet(TINY | {"flights": flights, "flight_equipment": pairs})
    )
    labels = [label for label, _ in explorer.controls.pilot.options]
    assert labels == ["Any", "Kim (prof_1)", "Kim (prof_2)"]


@pytest.mark.slow
def test_a_narrowed_fleet_is_narrowed_further(fleet):
    narrowed = fk.Filter(since="2026-10-10", night=False, operation_type="INSPECTION")
    explorer = fk.explore.flights(fleet.where(narrowed))
    assert explorer.controls.night.disabled
    explorer.controls.period.value = "2026-10"
    explorer.controls.reset.click()
    assert explorer.filter == narrowed
    explorer.controls.until.value = date(2026, 11, 1)
    explorer.controls.since.value = date(2026, 10, 1)
    assert explorer.filter == fk.Filter(
        since="2026-10-10", until="2026-11-01", night=False, operation_type="INSPECTION"
    )
    assert ids(explorer) == ["fl_2"]


@pytest.mark.slow
def test_the_filter_is_given_back_as_python_that_finds_the_same(explorer, fleet):
    explorer.controls.pilot.value, explorer.controls.period.value = "prof_bo", "2026-10"
    python = exports.as_python(explorer.filter)
    assert python in explorer.screen.chosen.replace("&#x27;", "'")
    flights = eval(python, {"fk": fk, "fleet": fleet}).flights()  # noqa: S307
    assert flights["flight_id"].tolist() == ["fl_3"]


@pytest.mark.parametrize(
    ("chosen", "options"),
    [
        (fk.Filter(pilot="prof_1"), {"filters": ("pilot=prof_1",)}),
        (fk.Filter(since="2026-10-01", until="2026-11-01"), {"period": "2026-10"}),
        (
            fk.Filter(since="2026-07-01", until="2026-10-01", night=True),
            {"period": "2026-Q3", "filters": ("night=true",)},
        ),
        (
            fk.Filter(since="2026-10-05", until="2026-10-19"),
            {"since": "2026-10-05", "until": "2026-10-19"},
        ),
        (fk.Filter(since="2026-10-05"), {"since": "2026-10-05", "until": "2026-12-01"}),
        (fk.Filter(until="2024-08-05"), {"since": "2024-06-01", "until": "2024-08-05"}),
        (fk.Filter(since="2026-12-31"), {"period": "2026-12-31"}),
        (fk.Filter(until="2024-06-01"), {"period": "2024-05-31"}),
        (fk.Filter(category="RE'D $HOME"), {"filters": ("category=RE'D $HOME",)}),
    ],
)
def test_the_filter_is_given_back_as_a_command_that_the_cli_reads(chosen, options):
    line = exports.as_command(
        chosen,
        tz="Europe/Oslo",
        source=["--mirror", "my mirror"],
        span=("2024-06-01", "2026-12-01"),
    )
    read = report.make_context("report", shlex.split(line)[2:]).params
    expected = {"period": None, "since": None, "until": None, "filters": (), **options}
    assert {name: read[name] for name in expected} == expected
    assert (read["tz"], read["mirror"]) == ("Europe/Oslo", "my mirror")


@pytest.mark.slow  # a shell
def test_what_is_pasted_into_a_terminal_holds_no_character_that_it_takes_for_a_key():
    # Ctrl+U deletes the line that was typed so far, and a line end runs what follows.
    name = "Fjord's \\ \x15touch it\n#\x7f\u202e \xa0AS"
    line = exports.as_command(fk.Filter(client=name), tz="UTC")
    parameters = exports.as_parameters(fk.Filter(client=name), tz="UTC")
    assert (line.isprintable(), parameters.isprintable()) == (True, True)
    assert yaml.safe_load(parameters) == {"tz": "UTC", "filters": {"client": [name]}}
    words = subprocess.check_output(["bash", "-c", f"printf '%s\\0' {line}"], text=True).split("\0")
    read = report.make_context("report", words[2:-1]).params
    assert fk.Filter.parse(read["filters"]) == fk.Filter(client=name)


@pytest.mark.slow
def test_the_filter_is_given_back_as_notebook_parameters(explorer):
    explorer.controls.category.value = "PAYLOAD"
    explorer.controls.period.value = "2026-10"
    parameters = json.loads(exports.as_parameters(explorer.filter, tz="UTC"))
    assert parameters.pop("filters") == explorer.filter.to_parameters()
    assert parameters == {"period": "2026-10", "tz": "UTC"}
    named = exports.as_parameters(fk.Filter(client="Ås 🚁"), tz="UTC")
    assert yaml.safe_load(named)["filters"] == {"client": ["Ås 🚁"]}  # as papermill -y reads it


@pytest.mark.slow
def test_a_mirror_is_explored_offline_and_named_in_the_command(fleet, tmp_path):
    fleet.sync(str(tmp_path / "mirror"))
    explorer = fk.explore.flights(fk.open_mirror(tmp_path / "mirror"))
    assert len(explorer.rows) == 5
    command = f"fleetkit report --tz UTC --mirror {tmp_path / 'mirror'} --version 1"
    assert command in words(explorer.screen.chosen)


def test_csv_holds_all_rows_and_columns(explorer):
    explorer.order_by = "date_asc"
    read = pd.read_csv(BytesIO(to_csv(explorer.rows)))
    assert list(read.columns) == list(explorer.rows.columns)
    assert read["flight_id"].tolist() == ["fl_5", "fl_1", "fl_2", "fl_3", "fl_4"]


@pytest.mark.slow
def test_texts_of_the_api_are_shown_as_text(open_fleet):
    hostile = {"pilotInCommand": {"id": HOSTILE, "fullName": HOSTILE}}
    flight = a_flight(
        "fl_1",
        "2026-10-01T09:00:00.000Z",
        flightType="COMMERCIAL",
        operationType=HOSTILE,
        project={"id": HOSTILE, "title": HOSTILE},
        **hostile,
    )
    tokens = dict.fromkeys(("name", "model", "type", "category", "status", "condition"), HOSTILE)
    of_project = ("title", "status", "projectType", "currency", "clientAccountName")
    records = TINY | {
        "equipment": [an_equipment("eq_1", **tokens)],
        "flights": [flight],
        "flight_equipment": [("fl_1", "eq_1")],
        "projects": [a_project("proj_1", **dict.fromkeys(of_project, HOSTILE))],
    }
    fleet = open_fleet(records)
    flights, equipment, projects = (
        getattr(fk.explore, kind)(fleet) for kind in ("flights", "equipment", "projects")
    )
    flights.controls.category.value = flights.controls.pilot.value = HOSTILE
    equipment.controls.status.value = projects.controls.status.value = [HOSTILE]
    for explorer in (flights, equipment, projects):
        explorer.controls.compare.value = "set aside"
        html = explorer._repr_mimebundle_()["text/html"]
        assert "<img src=x" not in html
        assert html.count("&lt;img src=x") >= 6


@pytest.mark.slow
def test_one_page_of_the_table_travels_and_its_buttons_bear_what_they_lead_to(open_fleet, invented):
    explorer = fk.explore.flights(open_fleet(invented))
    assert len(table_of(explorer)) == 20
    assert "1–20 of 400 flights" in words(explorer.screen.table)
    explorer.page = 999
    assert "381–400 of 400 flights" in words(explorer.screen.table)
    assert explorer.screen.shown["announcement"].endswith(" hours, page 20 of 20")
    explorer.page = 5
    sent = re.findall(r'data-action="(page|order_by)" data-value="(.*?)"', explorer.screen.table)
    assert [to for action, to in sent if action == "page"] == ["0", "4", "6", "19"]
    assert [to for action, to in sent if action == "order_by"][:2] == ["date_asc", "type_desc"]
    explorer.order_by = "duration_asc"
    assert (explorer.page, table_of(explorer).shape) == (0, (20, 9))
    assert explorer.screen.shown["announcement"].endswith(" hours")
    for page in ("2", 1.5, None):
        with pytest.raises(fk.InvalidValue, match=f"page={page!r} is not a whole number"):
            explorer.page = page


def test_the_table_says_what_each_flight_was(explorer):
    explorer.order_by = "duration_desc"
    first, last = table_of(explorer).iloc[[0, -1]].to_numpy().tolist()
    assert first == [
        "2026-10-15 10:00", "COMMERCIAL", "INSPECTION", "Ada Lind", "Bridge inspection",
        "Camera 1, Kestrel 1", "1:00:00", "No", "No",
    ]  # fmt: skip
    assert last[3:7] == ["Bo Ødegård", "Unassigned", "Kestrel 1", "–"]


def test_an_order_that_the_api_does_not_know_is_refused(explorer):
    with pytest.raises(fk.InvalidValue, match="order_by='newest' is not an order"):
        explorer.order_by = "newest"


def test_no_match_is_said_and_not_an_error(explorer):
    explorer.controls.bvlos.value = True
    assert "No flights match, so there are no hours to draw." in explorer.screen.chart
    assert words(explorer.screen.table).startswith("No flights «")
    assert "No flights match." in words(explorer.screen.table)
    assert "Night flights – known for 0 of 0" in words(explorer.screen.figures)
    assert list(explorer.hours.columns) == ["month", "flight_type", "flights", "hours"]


@pytest.mark.slow
def test_an_organisation_without_flights_can_be_explored(open_fleet):
    fleet = open_fleet(TINY | {"flights": [], "flight_equipment": []})
    explorer = fk.explore.flights(fleet)
    assert "Flights 0 of 0" in words(explorer.screen.figures)
    assert list(explorer.rows.columns) == list(fleet.flights().columns)


@pytest.mark.slow
def test_flights_can_be_explored_without_the_scope_of_projects(open_fleet):
    explorer = fk.explore.flights(open_fleet(TINY, scopes=["equipment:read"]))
    explorer.controls.project.value = "proj_bridge"
    assert ids(explorer) == ["fl_1", "fl_2"]


@pytest.mark.slow
def test_the_chart_follows_at_once_what_code_chooses(explorer):
    explorer.controls.types["TRAINING"].value = True
    assert "TRAINING 0.3 h" in words(explorer.screen.chart)


@pytest.mark.slow
def test_each_change_is_numbered_in_every_pane(explorer):
    explorer.controls.night.value = True
    panes = [getattr(explorer.screen, name) for name in PANES]
    assert [re.match(r'<div data-r="(\d+)">', pane).group(1) for pane in panes] == ["2"] * 5


def test_it_shows_as_a_widget_and_as_html_for_readers_without_a_kernel(explorer):
    bundle = explorer._repr_mimebundle_()
    assert set(bundle) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain"}
    assert bundle["text/plain"] == "<FlightExplorer: 5 of 5 flights>"
    assert "Kestrel 1" in bundle["text/html"]


def drawn(hours, months=None):
    """Return the chart of hours by month, without anything chosen."""
    names = sorted({month for month in hours["month"] if isinstance(month, str)})
    fields = {
        "period": PeriodField(names, np.zeros(0, dtype=int), "UTC"),
        "flight_type": Ticks("flight_type", "Flight type", list(hours["flight_type"].dropna())),
    }
    choices = {"measure": "hours", "grouping": "month", "flight_type": ()}
    choices |= {"since": None, "until": None}
    return chart.bar_charts([chart.Bars(hours, months)], choices, fields)


def columns_of(svg):
    """Return what a chart's bars say, and how many hours and how wide [pt] they are drawn."""
    marks = re.findall(r'text-anchor: end[^>]* y="([\d.]+)"[^>]*>([\d.]+)<', svg)
    (zero, _), *_, (top, highest) = [(float(y), float(value)) for y, value in marks]
    bars = []
    for title, path in re.findall(r'<title>([^<]+)</title>\s*<path d="([^"]+)"', svg):
        (left, low), (right, _), (_, high), _ = re.findall(r"([\d.]+) ([\d.]+)", path)
        height = (float(low) - float(high)) / (zero - top) * highest
        bars.append((title, round(height, 2), round(float(right) - float(left), 1)))
    return bars


def months_of(svg):
    return re.findall(r">([A-Z][a-z]{2}|\d{4})</text>", svg)


def test_columns_stack_to_the_hours_of_the_month():
    hours = pd.DataFrame(
        {
            "month": ["2026-01", "2026-01", "2026-03"],
            "flight_type": ["COMMERCIAL", "TRAINING", "TRAINING"],
            "flights": [4, 2, 1],
            "hours": [6.0, 2.0, 4.0],
        }
    )
    svg = drawn(hours, ("2026-01", "2026-04"))
    assert [(title, height) for title, height, _ in columns_of(svg)] == [
        ("January 2026 · COMMERCIAL · 6.0 h in 4 flights", 6.0),
        ("January 2026 · TRAINING · 2.0 h in 2 flights", 2.0),
        ("March 2026 · TRAINING · 4.0 h in 1 flight", 4.0),
    ]
    assert months_of(svg) == ["Jan", "2026", "Feb", "Mar", "Apr"]
    assert "8.0 hours in all" not in svg
    assert "12.0 hours in all, most in January 2026 with 8.0" in svg
    assert words(svg).startswith("Hours by month COMMERCIAL 6.0 h TRAINING 6.0 h")


def test_an_hour_is_as_long_in_charts_beside_each_other_whatever_their_bars_are_called():
    kinds = ["A", "X" * 40]
    fields = {
        "category": Ticks("category", "Category", kinds),
        "flight_type": Ticks("flight_type", "Flight type", ["TRAINING"]),
    }
    choices = {"measure": "hours", "grouping": "category", "category": (), "flight_type": ()}

    def lengths(*charts):
        parts = [
            chart.Bars(pd.DataFrame({"category": [kind], "flights": [1], "hours": [hours]}))
            for kind, hours in zip(kinds, charts, strict=False)
        ]
        svg = chart.bar_charts(parts, choices, fields)
        paths = re.findall(r'<title>[^<]+</title>\s*<path d="([^"]+)"', svg)
        ends = [[float(x) for x in re.findall(r"([\d.]+) [\d.]+", path)] for path in paths]
        return [max(across) - min(across) for across in ends]

    short, long = lengths(4.0, 8.0)
    assert (long > 20, round(long / short, 3)) == (True, 2.0)
    # Hours that are unknown have no scale.
    assert lengths(0.02, None)[0] == lengths(0.02)[0] > 20


def test_weeks_that_are_too_many_for_bars_are_told_as_months_are():
    weeks = [f"{year}-W{week:02d}" for year in (2022, 2023, 2024) for week in range(1, 53)]
    rows = pd.DataFrame({"week": weeks, "flight_type": "TRAINING", "flights": 1, "hours": 1.0})
    rows.loc[6, "hours"] = 2.5
    svg = chart.bar_charts([chart.Bars(rows)], {"measure": "hours", "grouping": "week"}, {})
    assert "157.5 hours in all, most in Week 7 of 2022 (14–20 February) with 2.5." in svg


def test_one_wrong_date_does_not_flatten_all_other_months():
    hours = pd.DataFrame(
        {"month": ["1970-01", "2026-10"], "flight_type": "TRAINING", "flights": 1, "hours": 1.0}
    )
    svg = drawn(hours)
    (_, one, width), (_, other, beside) = columns_of(svg)
    assert (one, other) == (1.0, 1.0)
    assert width == beside > 20
    assert months_of(svg) == ["Jan", "1970", "Oct", "2026"]


def test_flights_without_a_date_are_no_column():
    hours = pd.DataFrame(
        {"month": [None, "2026-10"], "flight_type": "TRAINING", "flights": 1, "hours": [4.0, 1.0]}
    )
    assert [title for title, *_ in columns_of(drawn(hours))] == [
        "October 2026 · TRAINING · 1.0 h in 1 flight"
    ]
    sentence = drawn(hours[:1])
    assert words(sentence) == "None of these flights has a date, so there are no hours to draw."


def test_hours_that_are_not_recorded_are_no_bar_and_not_called_nothing():
    hours = pd.DataFrame(
        {"month": "2026-10", "flight_type": ["TRAINING", None], "flights": 3, "hours": [1.0, None]}
    )
    (_, *_), (title, height, _) = columns_of(drawn(hours))
    assert (title, height) == ("October 2026 · not given · 3 flights, hours not recorded", 0.0)


def test_a_narrow_pane_shows_the_newest_of_many_months_and_the_first_of_few():
    def chart_of(months):
        rows = {"month": months, "flight_type": "TRAINING", "flights": 1, "hours": 1.0}
        return drawn(pd.DataFrame(rows))

    # Bars of fewer than six months leave the end of their axis empty.
    assert "fk-newest" not in chart_of(["2026-09", "2026-10"])
    assert "fk-newest" in chart_of([f"2026-{month:02}" for month in range(5, 11)])


def test_a_type_of_flight_is_text_in_the_chart():
    hours = pd.DataFrame(
        {"month": ["2026-10"], "flight_type": [HOSTILE], "flights": [1], "hours": [1.0]}
    )
    svg = drawn(hours)
    assert "<img" not in svg
    # Twice in the list of totals, which cuts a long name, beside the last column, and four times
    # in the button that chooses it: its name, its title, its key and what it sends.
    assert svg.count("&lt;img src=x") == 7


def test_the_explorer_wears_the_colours_of_the_charts():
    light, dark = (
        dict(re.findall(r"--fk-([a-z]+): (#[0-9a-f]{6});", STYLE.split("}")[block]))
        for block in (0, 1)
    )
    assert (light, dark) == (style.COLOURS, style.DARK)
    hours = {"month": ["2026-10"], "flight_type": ["TRAINING"], "flights": [1], "hours": [1.0]}
    colours = set(re.findall(r"(?:fill|stroke): ([^;\"]+)", drawn(pd.DataFrame(hours))))
    assert {colour for colour in colours if not colour.startswith("var(--fk-")} == {"none"}


def test_a_bar_takes_its_value_back_where_it_alone_is_chosen_and_else_chooses_just_that():
    field = Ticks("status", "Status", ["ACTIVE", "RETIRED"])

    def sent(*ticked):
        html = tiles.bars(field, [3, 2], {"status": ticked}, most=3)
        return [json.loads(unescape(value)) for value in re.findall('data-value="([^"]*)"', html)]

    assert sent() == sent("ACTIVE", "RETIRED") == [{"status": ["ACTIVE"]}, {"status": ["RETIRED"]}]
    assert sent("ACTIVE") == [{"status": []}, {"status": ["RETIRED"]}]


@pytest.mark.parametrize(("options", "more"), [(8, []), (9, ["1"])])
def test_of_more_than_8_bars_the_rest_is_counted(options, more):
    field = Ticks("type", "Type", [f"T{n}" for n in range(options)])
    html = tiles.bars(field, [1] * options, {"type": ()}, most=1)
    assert (html.count("<li"), re.findall("and (.*) more in the list", html)) == (8, more)


def test_a_flight_of_two_categories_is_not_counted_twice_beside_its_type():
    kinds = ["CAMERA", "DRONE"]  # both on one flight
    rows = pd.DataFrame({"category": kinds, "flight_type": "TRAINING", "flights": 1, "hours": 1.0})
    fields = {
        "category": Ticks("category", "Category", kinds),
        "flight_type": Ticks("flight_type", "Flight type", ["TRAINING"]),
    }
    choices = {"measure": "flights", "grouping": "category", "category": (), "flight_type": ()}
    shown = words(chart.bar_charts([chart.Bars(rows)], choices, fields))
    assert shown.startswith("Flights by equipment category flights CAMERA DRONE")
    assert "2 flights" not in shown


def test_what_is_chosen_is_saved_as_a_view_from_python_too(fleet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = fk.explore.flights(fleet, night=True).save_view("dark")
    assert fk.settings.load(path, environ={}).views == {"dark": fk.Filter(night=True)}
