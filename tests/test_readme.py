"""What README and guides show is what happens."""

import re

import pytest
from manual import MANUAL

pytestmark = pytest.mark.slow


def _cells():
    """Return the code of the MANUAL's notebook, cell by cell, as it stands there."""
    section = MANUAL.split("## Ten lines of notebook")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)


def test_the_ten_lines_of_notebook_each_show_something_and_leave_a_report(tmp_path):
    import nbformat
    from nbclient import NotebookClient

    cells = [nbformat.v4.new_code_cell(code) for code in _cells()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in notebook.cells:
        kinds = [output["output_type"] for output in cell["outputs"]]
        assert {"execute_result", "display_data"} & set(kinds), cell["source"]
        assert not [output for output in cell["outputs"] if output.get("name") == "stderr"]
    made = {path.name for path in (tmp_path / "reports" / "2026-10").iterdir()}
    assert {"report.html", "report.pdf", "manifest.json"} <= made


def test_october_in_the_readme_is_london_s():
    import fleetkit as fk

    names = {}
    exec(_cells()[0] + _cells()[1], names)  # noqa: S102 - our own README
    fleet, flights = names["fleet"], names["flights"]
    hours = fk.metrics.flight_hours(flights)
    assert hours["month"].tolist() == ["2026-10"]
    # London's clocks are an hour ahead until 25 October: its October begins at 23:00 UTC.
    expected = fleet.flights(since="2026-09-30T23:00Z", until="2026-11-01T00:00Z")
    assert flights["flight_id"].tolist() == expected["flight_id"].tolist()


@pytest.fixture(scope="module")
def fleet():
    """Return the demo at its usual size, as the guides have it."""
    import fleetkit as fk

    return fk.demo(tz="Europe/London", as_of="2026-11-20")


def test_what_else_a_fleet_has_is_there(fleet, tmp_path, monkeypatch):
    import fleetkit as fk

    monkeypatch.chdir(tmp_path)
    text = MANUAL.split("A fleet also has")[1].split("\n## ")[0]
    calls = re.findall(r"`((?:fleet|fk)\.[a-z_]+\([^`…]*\)[^`…]*)`", text)
    assert len(calls) >= 12
    for call in calls:
        assert eval(call, {"fk": fk, "fleet": fleet}) is not None  # noqa: S307 - our own README
    assert eval('fleet.equipment_by_id("eq_1")', {"fleet": fleet})["type"] == "DRONE"  # noqa: S307


def test_the_names_of_filters_in_the_readme_are_all_that_there_are():
    from dataclasses import fields

    import fleetkit as fk

    text = MANUAL.split("after `--filter`:")[1].split("\n\n")[0]
    named = re.findall(r"`([a-z_]+)`", text)
    assert named == [field.name for field in fields(fk.Filter)]


@pytest.mark.parametrize("source", ["manual", "help"])
def test_every_example_of_a_filter_means_something_in_the_demo(fleet, source):
    import click

    import fleetkit as fk
    from fleetkit.cli.reporting import report

    text = MANUAL
    if source == "help":
        with click.Context(report, info_name="fleetkit report") as context:
            text = report.get_help(context)
    examples = re.findall(r"(?:--filter |such as )([a-z_]+!?=(?!NAME)[\w.,]*\w)", text)
    assert examples
    for example in examples:
        narrowed = fleet.where(fk.Filter.parse([example]))
        assert len(narrowed.flights()) > 0
        rows = [len(source.equipment()) + len(source.flights()) for source in (narrowed, fleet)]
        assert rows[0] < rows[1]


def test_the_lines_on_a_mirror_run(tiny, tmp_path, monkeypatch):
    import fleetkit as fk

    monkeypatch.chdir(tmp_path)
    fk.sync("mirror/", base_url=tiny.base_url, api_key=tiny.api_key)
    code = re.search(r"```python\n(fleet = fk.open_mirror.*?)```", MANUAL, re.DOTALL)[1]
    # The mirror of this test watches since now.
    names = {"fk": fk}
    exec(code.replace("2026-10-02", "2100-01-01"), names)  # noqa: S102 - our own README
    assert names["before"].equipment().equals(names["fleet"].equipment())
    assert len(names["projects"]) == 3


def test_the_toml_of_the_readme_is_read(tmp_path):
    from fleetkit import settings

    (tmp_path / "fleetkit.toml").write_text(re.search(r"```toml\n(.*?)```", MANUAL, re.DOTALL)[1])
    chosen = settings.load(tmp_path / "fleetkit.toml", environ={})
    assert (chosen.organisation, chosen.aircraft_types) == ("Nordic Drone Services", ("DRONE",))
    assert [rule.name for rule in chosen.recency] == ["5 night flights in 6 months"]


def test_every_setting_stands_in_the_guides():
    from dataclasses import fields

    from fleetkit.settings import Settings

    missing = [
        field.name
        for field in fields(Settings)
        if f"`{field.name}`" not in MANUAL
        and f"{field.name}]" not in MANUAL
        and f"FLEETKIT_{field.name.upper()}" not in MANUAL
    ]
    assert missing == []


def test_the_cells_of_everyday_analysis_run_after_the_notebook_s(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    section = MANUAL.split("## Everyday analysis")[1].split("\n## ")[0]
    for code in [*_cells()[:2], *re.findall(r"```python\n(.*?)```", section, re.DOTALL)]:
        exec(code, names)  # noqa: S102 - our own README
