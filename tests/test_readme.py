"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text()


@pytest.mark.slow
def test_the_ten_lines_of_notebook_run_and_leave_a_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    exec(code, {})  # noqa: S102 - our own README
    made = {path.name for path in (tmp_path / "reports" / "2026-10").iterdir()}
    assert {"report.html", "report.pdf", "manifest.json"} <= made


def test_the_lines_on_a_mirror_run(tiny, tmp_path, monkeypatch):
    import fleetkit as fk

    monkeypatch.chdir(tmp_path)
    fk.sync("mirror/", base_url=tiny.base_url, api_key=tiny.api_key)
    code = re.search(r"```python\n(fleet = fk.open_mirror.*?)```", README, re.DOTALL)[1]
    # The mirror of this test watches since now.
    names = {"fk": fk}
    exec(code.replace("2026-10-02", "2100-01-01"), names)  # noqa: S102 - our own README
    assert names["before"].equipment().equals(names["fleet"].equipment())
    assert len(names["projects"]) == 3


def test_the_toml_of_the_readme_is_read(tmp_path):
    from fleetkit import settings

    (tmp_path / "fleetkit.toml").write_text(re.search(r"```toml\n(.*?)```", README, re.DOTALL)[1])
    chosen = settings.load(tmp_path / "fleetkit.toml", environ={})
    assert (chosen.organisation, chosen.aircraft_types) == ("Nordic Drone Services", ("DRONE",))
    assert [each.name for each in chosen.recency] == ["5 night flights in 6 months"]


def test_every_setting_stands_in_the_readme():
    from dataclasses import fields

    from fleetkit.settings import Settings

    missing = [
        each.name
        for each in fields(Settings)
        if f"`{each.name}`" not in README
        and f"{each.name}]" not in README
        and f"FLEETKIT_{each.name.upper()}" not in README
    ]
    assert missing == []
