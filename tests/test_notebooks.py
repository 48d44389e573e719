"""The section notebooks: short, without outputs, and right on data that a reader can count."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import a_notebook
import nbformat
import papermill
import pytest
from a_notebook import FOLDER
from a_section import table
from conftest import (
    a_flight,
    a_project,
    a_service,
    a_tier,
    an_equipment,
    flown_by_kestrel,
    serving,
    synced,
)

import fleetkit as fk
from fleetkit.reports.discovery import PARAMETERS
from fleetkit.reports.kernels import kernels

# Notebooks that say which tables they need are sections.
EVERY = sorted(
    path.stem
    for path in FOLDER.glob("*.ipynb")
    if "fleetkit" in nbformat.read(path, as_version=4).metadata
)
# Those of a history need a mirror with a past: tests/test_report_restatements.py makes one.
SECTIONS = [
    name
    for name in EVERY
    if not nbformat.read(FOLDER / f"{name}.ipynb", 4).metadata.fleetkit.get("history")
]
# Of code, blank lines left out: in a cell, and in a notebook.
MOST_LINES, MOST_LINES_IN_ALL = 11, 140
OCTOBER = {"period": "2026-10"}


def read(name: str) -> Any:
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def code(name: str) -> list[str]:
    return [cell.source for cell in read(name).cells if cell.cell_type == "code"]


def tree(name: str) -> Iterator[ast.AST]:
    return ast.walk(ast.parse("\n".join(code(name))))


# How they are written


@pytest.mark.parametrize("name", EVERY)
def test_a_notebook_is_kept_without_outputs(name):
    cells = [cell for cell in read(name).cells if cell.cell_type == "code"]
    assert [(cell.outputs, cell.execution_count) for cell in cells] == [([], None)] * len(cells)


@pytest.mark.parametrize("name", EVERY)
def test_a_notebook_is_short(name):
    lines = [len([line for line in cell.splitlines() if line]) for cell in code(name)]
    assert max(lines) <= MOST_LINES
    assert sum(lines) <= MOST_LINES_IN_ALL


@pytest.mark.parametrize("name", EVERY)
def test_a_notebook_starts_with_its_question_and_ends_with_saving(name):
    cells = read(name).cells
    assert cells[0].cell_type == "markdown"
    assert cells[0].source.startswith("# ")
    assert cells[0].source.endswith("?")
    assert cells[-1].source.splitlines()[-1] == "section.save()"


@pytest.mark.parametrize("name", EVERY)
def test_a_heading_and_a_line_stand_before_each_step(name):
    _, _, *steps = read(name).cells
    assert [cell.cell_type for cell in steps] == ["markdown", "code"] * (len(steps) // 2)
    texts = [cell.source for cell in steps if cell.cell_type == "markdown"]
    assert [text for text in texts if not re.fullmatch(r"## .+\n\n.+[.?]", text)] == []


@pytest.mark.parametrize("name", EVERY)
def test_what_a_reader_is_told_to_change_stands_in_the_cell_below(name):
    cells = read(name).cells
    for told, below in pairwise(cells):
        for word in re.findall(r"Change `(\w+)` to", told.source):
            assert word in below.source, told.source


@pytest.mark.parametrize("name", EVERY)
def test_every_parameter_says_what_it_is(name):
    tagged = [cell for cell in read(name).cells if "parameters" in cell.metadata.get("tags", [])]
    assert len(tagged) == 1
    parameters = {line.split(" = ")[0]: line for line in tagged[0].source.splitlines()}
    assert set(PARAMETERS) <= set(parameters)
    assert [line for line in parameters.values() if "  # " not in line] == []
    # Where a section is the same for each period, or filter, it says so.
    read_by = Counter(node.id for node in tree(name) if isinstance(node, ast.Name))
    unread = [word for word in ("period", "filters") if read_by[word] == 1]
    assert [word for word in unread if "  # of the report; " not in parameters[word]] == []


def test_papermill_knows_the_parameters_of_the_notebook_for_people():
    assert set(papermill.inspect_notebook(FOLDER / "explore.ipynb")) == {"mirror", "tz"}


@pytest.mark.parametrize("name", EVERY)
def test_a_notebook_defines_nothing_and_hides_no_failure(name):
    forbidden = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Try)
    assert [node for node in tree(name) if isinstance(node, forbidden)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_notebook_enters_by_the_front_door_only(name):
    imports = [node for node in tree(name) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [ast.unparse(node) for node in imports] == ["import fleetkit as fk"]


@pytest.mark.parametrize("name", SECTIONS)
def test_the_tables_that_a_notebook_needs_are_those_that_it_reads(name):
    calls = {
        "equipment" if node.func.attr == "equipment_of" else node.func.attr
        for node in tree(name)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert set(read(name).metadata["fleetkit"]["needs"]) == calls & set(fk.schema.TABLES)


def _called(name: str, owner: str) -> list[ast.Call]:
    """Return a notebook's calls of what `owner` has, such as those of ``fk.metrics``."""
    return [
        node
        for node in tree(name)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) == owner
    ]


@pytest.mark.parametrize("name", EVERY)
def test_a_notebook_defines_the_terms_of_every_metric_that_it_calls(name):
    shown = {call.func.attr for call in _called(name, "fk.metrics")} - {"collect"}
    defined = [
        ast.literal_eval(argument)
        for call in _called(name, "section")
        if call.func.attr == "define"
        for argument in call.args
    ]
    assert shown - set(defined) == set()


# What they find


@pytest.fixture(scope="module")
def mirror(tiny, tmp_path_factory):
    """Write the tiny organisation, whose numbers stand in conftest, to a mirror."""
    path = tmp_path_factory.mktemp("mirror") / "tiny"
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        fleet.sync(str(path))
    return path


@pytest.fixture(scope="module")
def make(mirror, tmp_path_factory):
    """Return a function that runs a notebook's cells in this process and returns its section.

    What was made once is not made again; no test changes it.
    """
    made: dict[str, dict[str, Any]] = {}

    def make(name: str, **parameters: Any) -> dict[str, Any]:
        key = json.dumps([name, parameters], sort_keys=True)
        if key not in made:
            out = str(tmp_path_factory.mktemp("sections"))
            made[key] = a_notebook.made(name, mirror=str(mirror), out=out, **parameters)
        return made[key]

    return make


def kpis(section: dict[str, Any]) -> dict[str, str]:
    return {kpi["label"]: f"{kpi['text']} {kpi['unit']}".strip() for kpi in section["kpis"]}


@pytest.mark.slow
def test_october_s_hours_are_those_counted_by_hand(make):
    section = make("flight_hours", **OCTOBER)
    # Kestrel 1 and Kestrel 2 are aircraft; 1.75 h / (2 × 31 days) = 0.03 h.
    assert kpis(section) == {
        "Flights": "3",
        "Hours": "1.8 h",
        "Active aircraft": "1 of 2",
        "Per aircraft-day": "0.03 h",
        # Three months of October's end begin on 1 August, before the first flight.
        "Pilots recent": "–",
    }
    assert section["sentences"] == [
        "3 flights and 1.8 hours in October 2026 (no data before 30 September 2026); "
        "1 of 2 aircraft flew. Kestrel 1 flew 100 % of the hours. "
        "Ada Lind flew 86 % of the hours.",  # 1.5 of 1.75 h
    ]
    assert section["attention"] == []
    assert table(section, "pilots") == [["Ada Lind", "2", "1.5"], ["Bo Ødegård", "1", "0.3"]]
    assert table(section, "aircraft") == [["Kestrel 1", "3", "1.8"], ["Kestrel 2", "0", "0.0"]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("period", "filters", "active", "use"),
    [
        pytest.param("2026-10", {"type": ["CAMERA"]}, *["no aircraft"] * 2, id="cameras"),
        # The only flight of that day, fl_5 of Kestrel 1, has no duration.
        pytest.param("2026-09-30", {}, "1 of 2", "not recorded (0 of 1)", id="no duration"),
    ],
)
def test_a_blank_use_of_aircraft_says_why(make, period, filters, active, use):
    figures = kpis(make("flight_hours", period=period, filters=filters))
    assert (figures["Active aircraft"], figures["Per aircraft-day"]) == (active, use)


@pytest.mark.slow
def test_a_blank_use_of_aircraft_counts_their_flights_alone(tmp_path):
    # Two flights of the only aircraft have no duration, three of another piece have half an hour.
    seconds = dict.fromkeys("12") | dict.fromkeys("345", 1800)
    records = {
        "equipment": [an_equipment("eq_kestrel"), an_equipment("eq_lift", type="VTOL")],
        "flights": [
            a_flight(f"fl_{day}", f"2026-10-0{day}T09:00:00.000Z", durationSeconds=duration)
            for day, duration in seconds.items()
        ],
        "flight_equipment": [
            (f"fl_{day}", "eq_lift" if duration else "eq_kestrel")
            for day, duration in seconds.items()
        ],
    }
    given = {"mirror": str(synced(records, tmp_path / "mirror")), "out": str(tmp_path)}
    given["settings"] = {"aircraft_types": ["DRONE"]}
    figures = kpis(a_notebook.made("flight_hours", **given, **OCTOBER))
    assert (figures["Hours"], figures["Per aircraft-day"]) == ("1.5 h", "not recorded (0 of 2)")


@pytest.mark.slow
def test_of_a_month_before_the_first_flight_nothing_is_zero(make):
    section = make("flight_hours", period="2026-08")
    assert section["sentences"] == [
        "Nothing is known of what was flown in August 2026: no data before 30 September 2026."
    ]
    assert {kpi["label"]: kpi["text"] for kpi in section["kpis"]} == dict.fromkeys(
        ("Flights", "Hours", "Active aircraft", "Per aircraft-day", "Pilots recent"), "–"
    )
    assert table(section, "aircraft") == table(section, "pilots") == []
    assert {tuple(row[1:3]) for row in table(section, "months")} == {("–", "–")}
    assert section["attention"] == []


@pytest.mark.slow
def test_flight_dates_that_are_times_need_no_note(make):
    assert make("flight_hours", **OCTOBER)["notes"][-1] == (
        "Aircraft are the 2 pieces of equipment of type DRONE."
    )


@pytest.mark.slow
def test_the_logging_lag_of_a_flight_at_midnight_is_known_where_other_dates_are_times(tmp_path):
    # Half an hour from midnight on, logged two hours later; all flights tell that this is no date.
    logged = {"createdAt": "2026-10-05T02:30:00.000Z"}
    midnight = a_flight("fl_2", "2026-10-05T00:00:00.000Z", durationSeconds=1800, **logged)
    records = flown_by_kestrel([a_flight("fl_1", "2026-09-01T09:00:00.000Z"), midnight])
    given = {"mirror": str(synced(records, tmp_path / "mirror")), "out": str(tmp_path)}
    lag = "Half of the logs were written within 2.0 h of the end of the flight (1 of 1 flight)."
    assert lag in a_notebook.made("flight_hours", **given, **OCTOBER)["notes"]


@pytest.mark.slow
def test_hours_of_a_type_alone_leave_recency_whole(make):
    narrowed = {**OCTOBER, "filters": {"flight_type": ["TRAINING"]}}
    rules = {"settings": {"recency": [{"name": "1 flight", "days": 30, "flights": 1}]}}
    section = make("flight_hours", **narrowed, **rules)
    assert kpis(section)["Flights"] == "1"
    # Only Bo flew a training flight, and is recent by it and by an earlier one. The 30 days
    # begin on 2 October, when flights were logged already.
    assert kpis(section)["Pilots recent"] == "1 of 1"


@pytest.mark.slow
@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_is_made_whatever_a_filter_leaves(make, name):
    section = make(name, filters={"pilot": ["prof_x"], "project": ["x"], "equipment": ["x"]})
    assert len(section["sentences"]) == 1
    assert section["definitions"]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_version_without_its_mirror_is_refused_before_any_figure_is_made(name, tmp_path):
    with pytest.raises(fk.InvalidValue, match="'' is not the path of a mirror"):
        a_notebook.made(name, version=3, out=str(tmp_path))


@pytest.mark.slow
def test_a_registration_that_expired_needs_attention(make):
    section = make("equipment_condition")
    # Kestrel 2's expired on 20 October 2026; the camera has none.
    assert kpis(section)["Valid registrations"].endswith("of 2")
    gone = "1 registration of equipment in service has expired: Kestrel 2 (20 Oct 2026)"
    assert ("high", gone) in {(line["severity"], line["text"]) for line in section["attention"]}


@pytest.mark.slow
def test_counters_are_compared_with_all_logs_whatever_the_filter(make):
    section = make("equipment_condition", filters={"flight_type": ["TRAINING"]})
    whole = make("equipment_condition")
    assert kpis(section)["Counters that agree"] == kpis(whole)["Counters that agree"]


@pytest.mark.slow
def test_equipment_out_of_service_is_left_out_of_registrations(make):
    section = make("equipment_condition", retired=["MAINTENANCE"])
    assert kpis(section)["Valid registrations"].endswith("of 1")
    # Kestrel 2, whose status is counted, and a flight on its expired registration would be listed.
    assert "Kestrel 2" not in [row[0] for row in table(section, "upkeep")]
    left_out = "not in registrations, idle days, maintenance and value: MAINTENANCE."
    assert f"Out of service, so {left_out}" in section["notes"]


@pytest.mark.slow
def test_only_of_flights_before_a_change_of_the_record_it_is_said_that_the_status_may_be_younger(
    make,
):
    [caption] = [
        block["caption"]
        for block in make("equipment_condition")["blocks"]
        if block["name"] == "contradictions"
    ]
    assert caption.endswith(". A status may be younger than a flight before its record changed.")


@pytest.fixture(scope="module")
def edges(tmp_path_factory):
    """Return a function that makes a section of what lies on the edges, as of 20 November 2026."""
    path = tmp_path_factory.mktemp("edges")
    days = ("2026-11-19", "2026-11-20", "2026-12-20", "2026-12-21", "2027-02-18", "2027-02-19")
    earned = {"status": "COMPLETED", "agreedPrice": 500, "estimatedCost": 100}
    records = {
        "equipment": [
            an_equipment(f"eq_{number}", registrationExpiry=f"{day}T00:00:00.000Z")
            for number, day in enumerate(days)
        ],
        "flights": [
            a_flight("fl_0", "2026-08-22T09:00:00.000Z"),  # 90 days before
            a_flight("fl_1", "2026-08-23T09:00:00.000Z"),
            a_flight("fl_2", None, durationSeconds=None),
        ],
        "flight_equipment": [("fl_0", "eq_0"), ("fl_1", "eq_1"), ("fl_2", "eq_2")],
        "projects": [
            a_project("proj_1", status="IN_PROGRESS", agreedPrice=1000, estimatedCost=600),
            a_project("proj_2", **earned),
            a_project("proj_3", **{**earned, "status": "CANCELLED"}),
            a_project("proj_4", agreedPrice=None, estimatedCost=50),
            a_project("proj_5", agreedPrice=None, estimatedCost=None, currency=None),
        ],
        "services": [a_service("svc_1", a_tier("t_1", 1, 0), a_tier("t_2", 2, None))],
    }
    records["equipment"][2] |= {"totalFlights": None, "totalFlightHours": 5}
    records["equipment"][0] |= {"status": "GROUNDED", "name": "Kestrel"}
    records["equipment"][5]["name"] = "Kestrel"  # which never flew
    with ExitStack() as stack:
        served = serving(stack, records)
        fleet = stack.enter_context(fk.connect(served.base_url, served.api_key, progress=False))
        fleet._source._fetched_at = datetime(2026, 11, 20, 6, tzinfo=UTC)
        fleet.sync(path / "mirror")
    given = {"mirror": str(path / "mirror"), "out": str(path)}
    return lambda name, **more: a_notebook.made(name, **given, **more)


@pytest.mark.slow
def test_a_registration_is_valid_on_its_last_day_and_equipment_idle_from_the_ninetieth_on(edges):
    section = edges("equipment_condition")
    figures = {kpi["label"]: kpi["text"] for kpi in section["kpis"]}
    assert figures["Valid registrations"] == "5"
    assert figures["Expiring within 30 days"] == "2"  # in 0 and in 30 days
    assert figures["Idle for 90 days or more"] == "1"
    [note] = [kpi["note"] for kpi in section["kpis"] if kpi["label"].startswith("Idle for")]
    assert note == "3 never flew, 1 on days that are not known"
    assert [row[-1] for row in table(section, "due")] == ["−1", "0", "30", "31", "90"]


@pytest.mark.slow
def test_a_counter_beside_logs_without_durations_is_one_that_can_not_be_compared(edges):
    coverage = edges("equipment_condition")["coverage"]
    [(text, why)] = [(one["text"], one["why"]) for one in coverage if one["label"] == "Counters"]
    assert (text, why) == ("5 of 6", "the others have no counter that can be compared")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ({}, [["flew, and is GROUNDED", "Kestrel (eq_0)", "fl_0"]]),
        ({"since": "2026-08-23"}, []),
        ({"until": "2026-08-22"}, []),
    ],
)
def test_flights_before_or_after_the_days_of_a_filter_contradict_no_status(edges, ends, said):
    section = edges("equipment_condition", period="2026-08", filters=ends)
    assert table(section, "contradictions") == said


@pytest.mark.slow
def test_little_use_of_aircraft_reads_as_no_zero(edges):
    section = edges("flight_hours", period="2026-Q3")
    # 1 h of 6 aircraft: on the 40 days from the first flight on, and on the 10 in August.
    assert kpis(section)["Per aircraft-day"] == "0.0042 h"
    assert [row[-1] for row in table(section, "months")[-2:]] == ["0.0167", "0.0000"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("days", "label"), [(1, "Mindestens 1 Tag am Boden"), (2, "Mindestens 2 Tage am Boden")]
)
def test_the_days_from_which_equipment_is_idle_are_one_or_several(edges, days, label):
    settings = {"thresholds": {"idle_days": days}}
    section = edges("equipment_condition", settings=settings, lang="de")
    assert label in [kpi["label"] for kpi in section["kpis"]]


@pytest.mark.slow
def test_what_was_cancelled_earns_nothing_and_has_ended(edges):
    section = edges("project_pipeline")
    # (1,000 − 600 + 500 − 100) / 1,500; the drafts have no price, and one has no currency either.
    assert [row[:2] for row in table(section, "margins")] == [["EUR", "53.3"]]
    assert table(section, "cohorts") == [["2026-01", "2", "50 %"]]
    reach = {line["label"]: line["text"] for line in section["coverage"]}
    assert (reach["Margins"], reach["Value in hand"]) == ("2 of 4", "1 of 3")
    assert reach["Value by client"] == "2 of 4"


@pytest.mark.slow
def test_a_project_to_invoice_without_flights_has_0_of_them_and_0_h(serve_records, tmp_path):
    names = {"proj_1": "Quarry", "proj_2": "Roof", "proj_3": "Mast"}
    delivered = [a_project(name, title=names[name], status="DELIVERED") for name in names]
    quarry, roof = ({"project": {"id": name, "title": names[name]}} for name in [*names][:2])
    flights = [
        a_flight("fl_1", "2026-10-01T09:00:00.000Z", durationSeconds=5400, **quarry),
        a_flight("fl_2", "2026-10-02T09:00:00.000Z", durationSeconds=None, **roof),
    ]
    pairs = [("fl_1", "eq_1"), ("fl_2", "eq_1")]
    records = {"equipment": [an_equipment("eq_1")], "flights": flights, "flight_equipment": pairs}
    served = serve_records({**records, "projects": delivered, "services": []})
    fk.connect(served.base_url, served.api_key, progress=False).sync(tmp_path / "mirror")
    section = a_notebook.made(
        "project_pipeline", mirror=str(tmp_path / "mirror"), out=str(tmp_path)
    )
    # 5,400 s are 1.5 h; the flight of the roof has no duration.
    assert {row[0]: row[4:6] for row in table(section, "to_invoice")} == {
        "Quarry": ["1", "1.5"],
        "Roof": ["1", "–"],
        "Mast": ["0", "0.0"],
    }


@pytest.mark.slow
def test_a_tier_without_a_modifier_has_no_rate(edges):
    reach = {line["label"]: line["text"] for line in edges("pricing")["coverage"]}
    assert reach["Tier rates"] == "1 of 2"


@pytest.mark.slow
def test_money_stays_in_its_currency(make, mirror):
    section = make("project_pipeline")
    day = fk.reports.data_day(fk.open_mirror(mirror))
    assert section["sentences"] == [
        f"As of {day.day} {day:%b %Y}, 2 projects are open (EUR 1,000 and GBP 501); "
        "whether any is late can't be told (0 of 1 has a date).",
    ]
    assert [row[:4] for row in table(section, "stages")] == [
        ["DRAFT", "GBP", "1", "501"],
        ["IN_PROGRESS", "EUR", "1", "1,000"],
        ["COMPLETED", "EUR", "1", "250"],
    ]


@pytest.fixture(scope="module")
def manager(warm_kernels):
    """Return what starts kernels as reports do: with the imports that all of them need."""
    with kernels() as manager:
        yield manager


@pytest.mark.slow
@pytest.mark.parametrize("name", SECTIONS)
def test_papermill_runs_the_notebook_and_its_figures_are_saved_and_seen(
    name, mirror, manager, tmp_path
):
    parameters = {**OCTOBER, "mirror": str(mirror), "out": str(tmp_path)}
    done = papermill.execute_notebook(
        str(FOLDER / f"{name}.ipynb"),
        str(tmp_path / "done.ipynb"),
        parameters=parameters,
        progress_bar=False,
        kernel_manager_class=manager,
    )
    section = json.loads((tmp_path / name / "section.json").read_text(encoding="utf-8"))
    blocks = [block for block in section["blocks"] if block["kind"] == "figure"]
    figures = [block["file"] for block in blocks]
    narrow = [block["narrow"] for block in blocks if block["narrow"]]
    files = sorted(path.name for path in (tmp_path / name).glob("*.svg"))
    assert files == sorted(figures + narrow)
    outputs = [output for cell in done.cells for output in cell.get("outputs", [])]
    assert [output for output in outputs if output.output_type in {"error", "stream"}] == []
    assert sum("image/svg+xml" in output.get("data", {}) for output in outputs) == len(figures)


@pytest.mark.slow
def test_one_number_says_how_many_of_the_busiest_are_listed(make):
    section = make("flight_hours", **OCTOBER, top=1)
    [pilots] = [block for block in section["blocks"] if block["name"] == "pilots"]
    # Ada flew 1.5 h, Bo 0.3 h.
    assert [row["texts"][0] for row in pilots["rows"]] == ["Ada Lind"]
    assert pilots["of"] > 1


@pytest.mark.slow
def test_maintenance_is_forecast_where_an_interval_is_set(make):
    without = make("equipment_condition", **OCTOBER)
    assert "Due" not in labels(without, "upkeep")
    # Neither aircraft has had a MAINTENANCE flight: it is due 30 days after its purchase.
    with_one = make(
        "equipment_condition", **OCTOBER, settings={"service_intervals": {"DRONE": {"days": 30}}}
    )
    place = labels(with_one, "upkeep").index("by")
    assert {row[place] for row in table(with_one, "upkeep")} == {"days", "–"}
    [line] = [line for line in with_one["attention"] if "due for maintenance" in line["text"]]
    assert "already" in line["text"]


def labels(section: dict[str, Any], name: str) -> list[str]:
    block = next(block for block in section["blocks"] if block["name"] == name)
    return [column["label"] for column in block["columns"]]
