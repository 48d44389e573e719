"""What is taken along from an explorer runs as it is copied: Python, a command, a notebook."""

import json
import re
import shlex
from html import unescape
from pathlib import Path

import a_notebook
import pytest

import fleetkit as fk
from fleetkit.cli.reporting import report

pytestmark = pytest.mark.slow


def copied(explorer, label):
    """Return what a button copies."""
    line = rf"<span>{label}</span><code[^>]*>(.*?)</code>"
    return unescape(re.search(line, explorer.screen.chosen)[1])


@pytest.fixture(scope="module")
def mirrored(tiny, tmp_path_factory):
    """Write the tiny organisation to a mirror, twice, and open the first state."""
    path = tmp_path_factory.mktemp("takeaway") / "my mirror"
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        fleet.sync(str(path))
        fleet.sync(str(path))
    return fk.open_mirror(path, version=1, tz="Europe/Oslo")


@pytest.fixture
def october_by_bo(mirrored):
    """Choose Bo's flights of October, of which there is one: the others' dates are Oslo's."""
    explorer = fk.explore.flights(mirrored)
    explorer.controls.pilot.value, explorer.controls.period.value = "prof_bo", "2026-10"
    return explorer


def test_the_words_say_what_is_chosen_and_how_many(october_by_bo):
    assert copied(october_by_bo, "In words") == (
        "1 of 5 flights: Period October 2026; Pilot Bo Ødegård"
    )


def test_the_words_say_what_the_fleet_was_narrowed_by(mirrored):
    explorer = fk.explore.flights(mirrored.where(night=False))
    assert copied(explorer, "In words") == (
        "4 of 4 flights (the fleet is narrowed to night=false): all of them"
    )
    # What is copied runs on a fleet that nothing narrows.
    of_ada = fk.explore.flights(mirrored.where(pilot="prof_ada"))
    assert copied(of_ada, "Python") == "fleet.where(fk.Filter(pilot=('prof_ada',)))"
    assert "--filter pilot=prof_ada" in copied(of_ada, "Command line")
    assert copied(of_ada, "Link") == "?flights.pilot=prof_ada"


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("flights", "pilot", "prof_bo"),
        ("flights", "take_off", (59.9, 10.7, 59.95, 10.8)),
        ("equipment", "status", ["ACTIVE"]),
        ("equipment", "type", "CAMERA"),
        ("projects", "currency", "EUR"),
        ("projects", "status", ["DRAFT", "COMPLETED"]),
    ],
)
def test_the_python_selects_the_rows_that_were_chosen(mirrored, kind, field, value):
    explorer = getattr(fk.explore, kind)(mirrored)
    getattr(explorer.controls, field).value = value
    fleet = eval(copied(explorer, "Python"), {"fk": fk, "fleet": mirrored})  # noqa: S307
    key = explorer.rows.columns[0]
    assert sorted(getattr(fleet, kind)()[key]) == sorted(explorer.rows[key])
    # The command means the same filter.
    options = report.make_context("report", shlex.split(copied(explorer, "Command line"))[2:])
    assert fk.Filter.parse(options.params["filters"]) == explorer.filter
    assert options.params["version"] == 1


@pytest.mark.usefixtures("warm_kernels")
def test_the_command_makes_the_report_of_what_was_chosen(october_by_bo, run):
    line = copied(october_by_bo, "Command line")
    assert line.startswith(
        "fleetkit report --month 2026-10 --filter pilot=prof_bo --tz Europe/Oslo"
    )
    short = ["--format", "html", "--sections", "flight_hours", "--json"]
    code, printed, said = run(*shlex.split(line)[1:], *short)
    assert (code, said) == (0, "")
    text = Path(json.loads(printed)["paths"]["html"]).read_text(encoding="utf-8")
    assert "Bo Ødegård" in text
    assert "version 1" in text


def test_the_parameters_run_a_notebook_of_the_report(october_by_bo, tmp_path):
    parameters = json.loads(copied(october_by_bo, "Papermill"))
    assert parameters["version"] == 1
    saved = json.dumps(
        a_notebook.made("flight_hours", **{**parameters, "out": str(tmp_path)}), ensure_ascii=False
    )
    assert "Bo Ødegård" in saved
    assert "Ada Lind" not in saved


def test_the_demo_s_command_opens_the_same_demo():
    explorer = fk.explore.projects(fk.demo(as_of="2026-11-20"))
    explorer.controls.client.value = explorer.controls.client.options[1][1]
    options = report.make_context("report", shlex.split(copied(explorer, "Command line"))[2:])
    assert options.params["demo"]
    assert options.params["as_of"] == "2026-11-20"
    assert fk.Filter.parse(options.params["filters"]) == explorer.filter


def test_the_link_says_what_is_chosen_in_this_explorer(mirrored, october_by_bo):
    query = copied(october_by_bo, "Link")
    assert query == "?flights.since=2026-10-01&flights.until=2026-11-01&flights.pilot=prof_bo"
    chosen = fk.explore.from_query(query)["flights"]
    assert fk.explore.flights(mirrored, chosen).filter == october_by_bo.filter
    camera = fk.explore.equipment(mirrored.where(type="CAMERA"))
    [_, (_, idle)] = camera.controls.idle.options
    camera.controls.idle.value = fk.excluding(idle)
    query = copied(camera, "Link")
    assert query == "?equipment.equipment=&equipment.type=CAMERA"  # no piece at all
    opened = fk.explore.equipment(mirrored, fk.explore.from_query(query)["equipment"])
    assert (len(opened.rows), opened.filter) == (0, camera.filter)


def test_the_commands_are_of_the_explorer_s_zone_where_the_mirror_has_another(mirrored):
    explorer = fk.explore.flights(fk.open_mirror(mirrored.address, tz="UTC"))
    for label in ("Command line", "Page"):
        words = shlex.split(copied(explorer, label))
        assert words[words.index("--tz") + 1] == "UTC"


def test_of_a_live_service_the_command_names_its_address_and_no_key(tiny):
    explorer = fk.explore.flights(fk.connect(tiny.base_url, tiny.api_key, progress=False))
    line = copied(explorer, "Command line")
    assert line == f"fleetkit report --tz UTC --base-url {tiny.base_url}"
    assert tiny.api_key not in explorer._repr_mimebundle_()["text/html"]
    assert "Notebooks of the report read a mirror" in explorer.screen.chosen
