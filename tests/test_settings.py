"""Settings: defaults, then fleetkit.toml, then FLEETKIT_*, then arguments."""

import copy
import dataclasses
import inspect
import os
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest

import fleetkit as fk
from fleetkit import settings
from fleetkit.cli.program import run
from fleetkit.context import attach
from fleetkit.interface import using
from fleetkit.notices import collected
from fleetkit.reports.discovery import discover
from fleetkit.schema import PROJECT_STATUSES
from fleetkit.time import Clock


def test_later_sources_win(tmp_path):
    file = tmp_path / "fleetkit.toml"
    file.write_text('tz = "Europe/Paris"\nconcurrency = 4\ntimeout = 5\n')
    chosen = settings.load(file, environ={"FLEETKIT_CONCURRENCY": "6"}, timeout=7.5)
    assert (chosen.tz, chosen.concurrency, chosen.timeout) == ("Europe/Paris", 6, 7.5)


def test_without_a_source_the_defaults_stand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    defaults = settings.load(environ={})
    assert defaults == settings.Settings()
    assert (defaults.concurrency, defaults.timeout) == (8, 30)  # as the guide has them
    assert [rule.hours for rule in defaults.recency] == [2, 0]  # of the PDRA01, of the house


def test_the_key_is_read_from_the_environment_and_never_shown():
    chosen = settings.load(environ={"FLEETKIT_API_KEY": "fk_secret"})
    assert chosen.api_key == "fk_secret"
    assert "fk_secret" not in repr(chosen) + repr(chosen.public())


def test_a_key_in_a_file_is_refused_without_showing_it(tmp_path):
    file = tmp_path / "fleetkit.toml"
    file.write_text('api_key = "fk_secret"\n')
    with pytest.raises(fk.InvalidValue, match="FLEETKIT_API_KEY") as refused:
        settings.load(file, environ={})
    assert "fk_secret" not in str(refused.value)


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(settings.Settings)])
def test_no_setting_takes_what_is_of_another_kind(tmp_path, name):
    file = tmp_path / "fleetkit.toml"
    file.write_text(f"{name} = true\n")
    with pytest.raises(fk.InvalidValue) as refused:
        settings.load(file, environ={})
    assert str(refused.value).startswith(f"{file}, line 1, {name}: ")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('base_url = "ftp://a"', "line 1, base_url: The base URL is not an http(s) address. Write"),
        ('tz = "Mars/Base"', "line 1, tz: 'Mars/Base' is not a time zone"),
        (
            "\nconcurency = 4",
            "line 2, concurency: this is not a setting. Did you mean concurrency?",
        ),
        ('concurrency = "many"', "line 1, concurrency: 'many' is not a whole number."),
        ("concurrency = 2.5", "line 1, concurrency: 2.5 is not a whole number."),
        ("concurrency = true", "line 1, concurrency: True is not a whole number."),
        ("concurrency = 0", "line 1, concurrency: 0 is below 1."),
        ("concurrency = 1001", "line 1, concurrency: 1001 is above 1,000."),
        ("timeout = -1", "line 1, timeout: -1.0 is not above 0 seconds."),
        ("timeout = nan", "line 1, timeout: nan is not a number."),
        ("timeout = 86401", "line 1, timeout: 86401.0 is above 86,400 seconds."),
        ("tz = 3", "line 1, tz: 3 is not a text."),
        ("aircraft_types = 3", "line 1, aircraft_types: 3 is not a list of texts."),
        ("aircraft_types = ['DRONE', 3]", "line 1, aircraft_types: 3 is not a text."),
        ('mirror_mode = "650"', "line 1, mirror_mode: '650' is not a mode such as 700 or 750."),
        ('auth = "Basic"', "line 1, auth: this is not one of X-API-Key, Bearer."),
        ('engine = "duckdbb"', "line 1, engine: 'duckdbb' is not an engine. Did you mean duckdb?"),
        ("units = 'm'", "line 1, units: 'm' is not a table of names and values."),
        (
            "[units]\nweight = 'kg'\nwieght = 'kg'",
            "line 3, units.wieght: 'wieght' is not a measure with a unit. Did you mean weight?",
        ),
        ("[units]\nweight = 1", "line 2, units.weight: 1 is not a text."),
        (
            "[stage_probabilities]\nSOLD = 1.0",
            "line 2, stage_probabilities.SOLD: 'SOLD' is not a project status.",
        ),
        (
            "[stage_probabilities]\n\nDRAFT = 20",
            "line 3, stage_probabilities.DRAFT: DRAFT = 20.0 is not within 0 … 1.",
        ),
        (
            "[[recency]]\nname = 'x'\ndays = 9\nhours = 1\n[[recency]]\nnam = 'y'",
            "line 6, recency.nam: 'nam' is not a part of a rule. Did you mean name?",
        ),
        ("[[recency]]\nhours = 2", "line 1, recency: the rule has no name."),
        ("[[recency]]\nname = 'x'\nhours = 'two'", "line 3, recency.hours: 'two' is not a number."),
        ("[[recency]]\nname = 'x'\nhours = 2", "line 1, recency: the rule 'x' needs a window"),
        ("[[recency]]\nname = 'x'\ndays = 2", "line 1, recency: the rule 'x' needs a minimum"),
        ("[[recency]]\nname = 'x'\ndays = 2\nhours = 1e-9", "line 1, recency: the rule 'x' needs"),
        (
            "[[recency]]\nname = 'x'\nmonths = 99999\nflights = 1",
            "line 1, recency: the rule 'x' has a window of more than 1,200 months or 36,525 days",
        ),
        (
            "[[recency]]\nname = 'x'\nmonths = -3\ndays = 90\nflights = 1",
            "line 1, recency: the rule 'x' has months=-3, which is below 0.",
        ),
        (
            "mirror_mode = 750",
            "line 1, mirror_mode: 750 is not a text. Write it in quotation marks",
        ),
        ("status_order = ['A', 'A']", "line 1, status_order: 'A' stands there twice."),
        (
            "[[recency]]\nname = 'x'\ndays = 9\nflights = 1\n" * 2,
            "line 5, recency: two rules are named 'x'.",
        ),
        ("recency = []", "line 1, recency: it needs at least one rule."),
        ("recency = 'x'", "line 1, recency: it is not a list of rules."),
        (
            "[thresholds]\nlate_day = 9",
            "line 2, thresholds.late_day: 'late_day' is not a threshold. Did you mean late_days?",
        ),
        (
            "[thresholds]\nlate_days = -1",
            "line 2, thresholds.late_days: late_days = -1 is below 0.",
        ),
        (
            "[thresholds]\nlate_days = 1.5",
            "line 2, thresholds.late_days: 1.5 is not a whole number.",
        ),
        (
            "[thresholds]\nexpiry_days = 120",
            "line 1, thresholds.expiry_later_days: expiry_later_days = 90 is below "
            "expiry_days = 120.",
        ),
        (
            "[service_intervals]\nDRONE = 50",
            "line 2, service_intervals.DRONE: 50 is not a table of names and values.",
        ),
        (
            '[service_intervals]\n\n"Matrice 350" = { hour = 50 }',
            "line 3, service_intervals.Matrice 350.hour: 'hour' is not a part of an interval.",
        ),
        (
            "[service_intervals.DRONE]\nhours = 50\nflights = 0",
            "line 3, service_intervals.DRONE.flights: 0 is not above 0.",
        ),
        (
            '[service_intervals."Matrice 350"]\ndays = 0.5',
            "line 2, service_intervals.Matrice 350.days: 0.5 is not a whole number.",
        ),
        (
            "[service_intervals]\nDRONE = {}",
            "line 2, service_intervals.DRONE: it has neither hours, flights nor days.",
        ),
        (
            "[depreciation]\nyear = 4",
            "line 2, depreciation.year: 'year' is not a part of depreciation. Did you mean years?",
        ),
        (
            "organisation = 2026-10-01",
            "line 1, organisation: 2026-10-01 is not a text. Write it in",
        ),
        (
            '[views]\nnight = "x"',
            "line 2, views.night: 'x' is not a filter. Write its fields in braces: night = {",
        ),
        ("depreciation.years = 0", "line 1, depreciation.years: 0 is not above 0."),
        (
            "[depreciation]\nresidual_percent = 110",
            "line 2, depreciation.residual_percent: 110 is not within 0 … 100.",
        ),
    ],
)
def test_a_wrong_setting_is_named_with_its_file_and_line(tmp_path, text, says):
    file = tmp_path / "fleetkit.toml"
    file.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(fk.InvalidValue) as refused:
        settings.load(file, environ={})
    assert str(refused.value).startswith(f"{file}, {says}")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"tz = ", "is not TOML: Invalid value (at"),
        (
            b'tz = "UTC"\ntz = "UTC"\n',
            "is not TOML: a name is given twice (at line 2, column 11). Write each setting once",
        ),
        (
            b'[units]\nweight = "kg"\n[units]\n',
            "is not TOML: a name is given twice (at line 3, column 7).",
        ),
        (b"tz = '\xff'", "is not a text in UTF-8. Save it as UTF-8."),
        (b"tz = " + 5000 * b"[", "nests its values too deeply."),
    ],
)
def test_a_file_that_is_no_toml_is_named(tmp_path, content, says):
    file = tmp_path / "fleetkit.toml"
    file.write_bytes(content)
    with pytest.raises(fk.InvalidValue) as refused:
        settings.load(file, environ={})
    assert str(refused.value).startswith(f"{file} {says}")


def test_a_file_that_an_editor_marked_as_utf_8_is_read(tmp_path):
    file = tmp_path / "fleetkit.toml"
    file.write_text('tz = "Europe/Paris"\n', encoding="utf-8-sig")
    assert settings.load(file, environ={}).tz == "Europe/Paris"


def test_a_variable_that_is_empty_counts_as_not_set(tmp_path):
    file = tmp_path / "fleetkit.toml"
    file.write_text(
        'base_url = "https://fleet.example"\nengine = "duckdb"\naircraft_types = ["A"]\n'
    )
    empty = ["API_KEY", "AUTH", "BASE_URL", "TZ", "TIMEOUT", "ENGINE", "AIRCRAFT_TYPES", "TIMEZONE"]
    with collected() as texts:
        read = settings.load(file, environ={f"FLEETKIT_{name}": "" for name in empty})
    assert (read, texts) == (settings.load(file, environ={}), [])


def test_a_variable_that_is_no_setting_is_noticed():
    environ = {"FLEETKIT_TIMEZONE": "Europe/Oslo", "FLEETKIT_SERVER_DB": "x", "HOME": "/root"}
    with collected() as texts:
        assert settings.load(environ={**environ, "FLEETKIT_CONCURRENCY": "4"}).concurrency == 4
    assert texts == ["FLEETKIT_TIMEZONE is not a variable that fleetkit reads: it changes nothing."]


def test_a_wrong_variable_of_the_environment_is_named():
    with pytest.raises(fk.InvalidValue, match="FLEETKIT_CONCURRENCY: 'x' is not"):
        settings.load(environ={"FLEETKIT_CONCURRENCY": "x"})


def test_a_wrong_argument_is_named_in_the_words_of_the_interface():
    with pytest.raises(fk.InvalidValue, match=r"The argument timeout: 0\.0 is not above"):
        settings.load(environ={}, timeout=0)
    with using("command line"), pytest.raises(fk.InvalidValue, match="The option --base-url: "):
        settings.load(environ={}, base_url=3)


@pytest.mark.parametrize("key", [b"5791", 5791])
def test_a_key_of_the_wrong_kind_is_not_shown(key):
    with pytest.raises(fk.InvalidValue, match="the key is not a text") as refused:
        settings.load(environ={}, api_key=key)
    assert "5791" not in str(refused.value)


@pytest.mark.parametrize("written", ["apikey", "api-key", "key"])
def test_a_key_under_another_name_is_not_sent_into_the_file_that_refuses_it(tmp_path, written):
    file = tmp_path / "fleetkit.toml"
    file.write_text(f'{written} = "fk_secret"\n')
    with pytest.raises(fk.InvalidValue) as refused:
        settings.load(file, environ={})
    assert "api_key" not in str(refused.value)
    assert str(refused.value).endswith("views. The API key goes into FLEETKIT_API_KEY.")


def test_a_missing_file_is_an_error_when_it_was_asked_for(tmp_path):
    with pytest.raises(fk.InvalidValue, match=r"No such file or directory\. Name"):
        settings.load(tmp_path / "none.toml", environ={})


def test_a_missing_file_of_a_variable_is_an_error_that_names_the_variable(tmp_path):
    gone = {"FLEETKIT_CONFIG": str(tmp_path / "gone.toml")}
    for interface, option in (("python", "config="), ("command line", "--config")):
        advice = rf"Name another file by {option} or FLEETKIT_CONFIG, or none: each setting has"
        with using(interface), pytest.raises(fk.InvalidValue, match=rf"gone\.toml .* {advice}"):
            settings.load(environ=gone)


def test_a_link_of_the_folder_to_a_file_that_is_gone_is_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleetkit.toml").symlink_to("gone.toml")
    with pytest.raises(fk.InvalidValue, match=r"fleetkit\.toml can't be read: No such file"):
        settings.load(environ={})


def test_a_pipe_that_nobody_writes_to_is_refused_instead_of_waited_for(tmp_path):
    os.mkfifo(tmp_path / "mine.ipynb")
    with pytest.raises(fk.InvalidValue, match=r"mine\.ipynb can't be read: Not a file"):
        settings.load(tmp_path / "mine.ipynb")
    with pytest.raises(fk.ReportError, match=r"mine\.ipynb can't be read .*: Not a file"):
        discover(tmp_path)
    assert run(["check", "--config", str(tmp_path / "mine.ipynb")]) == 2


def test_a_link_that_leads_to_itself_is_refused_in_words(tmp_path):
    (tmp_path / "mine.toml").symlink_to("mine.toml")
    with pytest.raises(fk.InvalidValue, match=r"mine\.toml can't be read: Too many levels"):
        settings.load(tmp_path / "mine.toml")


def test_settings_are_read_of_a_pipe_without_a_name_as_a_shell_passes_them():
    read, write = os.pipe()
    os.write(write, b"tz = 'Europe/Paris'")
    os.close(write)
    assert settings.load(f"/dev/fd/{read}").tz == "Europe/Paris"
    os.close(read)


def test_public_settings_make_the_same_settings_again():
    chosen = settings.Settings(
        tz="Asia/Tokyo",
        aircraft_types=("DRONE",),
        units={"weight": "kg"},
        service_intervals={"DRONE": {"hours": 50.0, "days": 180}},
        thresholds=settings.THRESHOLDS | {"late_days": 0},
    )
    again = settings.from_values(chosen.public(), source="a notebook")
    assert again == chosen


def test_lists_come_from_the_environment_separated_by_commas():
    for written, read in (("DRONE, VTOL", ("DRONE", "VTOL")), ("DRONE,", ("DRONE",)), ("", ())):
        chosen = settings.load(environ={"FLEETKIT_AIRCRAFT_TYPES": written})
        assert chosen.aircraft_types == read
    # A table has no variable.
    assert settings.load(environ={"FLEETKIT_UNITS": "kg"}).units == {}


def test_an_empty_unit_is_none_that_is_declared():
    declared = settings.load(environ={}, units={"weight": "", "max_altitude": "m"})
    assert declared.units == {"max_altitude": "m"}


def test_a_type_that_ends_with_a_blank_in_the_service_is_set_as_it_is(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text('aircraft_types = ["VTOL "]\n')
    chosen = settings.load(file, environ={})
    assert chosen.aircraft_types == ("VTOL ",)
    pieces = pd.DataFrame({"equipment_id": ["eq_1", "eq_2"], "type": ["VTOL ", "VTOL"]})
    bridge = pd.DataFrame({"flight_id": ["fl_1"], "equipment_id": ["eq_2"]})
    flying = fk.metrics.aircraft(attach(pieces, Clock(), chosen), bridge)
    assert flying["equipment_id"].tolist() == ["eq_1"]


def test_what_a_table_leaves_out_keeps_its_default(tmp_path):
    file = tmp_path / "fleetkit.toml"
    file.write_text("[thresholds]\nexpiry_days = 90\n[depreciation]\nyears = 4\n")
    chosen = settings.load(file, environ={})
    assert chosen.thresholds == settings.THRESHOLDS | {"expiry_days": 90}
    assert chosen.depreciation == {"years": 4.0, "residual_percent": 0.0}
    assert chosen.service_intervals == {}


def test_a_rule_s_name_that_is_no_text_is_refused():
    rule = settings.RecencyRule(90, days=90, flights=3)
    with pytest.raises(fk.InvalidValue, match=r'recency: 90 is not a text\. .* marks: "90"\.'):
        settings.from_values({"recency": [rule]}, source="here")


EXAMPLE = Path(__file__).parents[1] / "docs" / "fleetkit.toml"


def test_the_documented_example_is_read_as_it_stands():
    chosen = settings.load(EXAMPLE, environ={})
    assert chosen.organisation == "Nordic Drone Services"
    assert [rule.flights for rule in chosen.recency] == [0, 5]
    assert chosen.service_intervals["Matrice 350 RTK"] == {"hours": 100.0, "days": 365}
    # What is the organisation's to guess stands there with its default.
    assert chosen.thresholds == settings.THRESHOLDS
    assert chosen.depreciation == settings.DEPRECIATION
    known = settings.Settings().stage_probabilities
    assert {stage: chosen.stage_probabilities[stage] for stage in known} == known
    # The two that have none say so.
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    commented = {line.split(" = ")[0] for line in lines if re.match("[A-Z_]+ = [0-9.]+  # ", line)}
    assert commented == set(PROJECT_STATUSES) - set(known)
    assert chosen.condition_order == settings.CONDITION_ORDER
    assert chosen.status_order == settings.STATUS_ORDER


def test_each_setting_is_described_where_help_shows_it():
    described = re.findall(r"^(\w+(?:, \w+)*) : ", inspect.getdoc(settings.Settings), re.MULTILINE)
    names = {name for line in described for name in line.split(", ")}
    known = {field.name for field in dataclasses.fields(settings.Settings)}
    assert known == names, "the docstring of Settings has a line of each"


def test_the_documented_example_has_every_key_that_settings_know():
    # The logo is a file that isn't there, so its line is a comment.
    text = EXAMPLE.read_text(encoding="utf-8").replace("# logo =", "logo =")
    written = tomllib.loads(text)
    known = {field.name for field in dataclasses.fields(settings.Settings)} - {"api_key"}
    assert known == set(written), "docs/fleetkit.toml has each with its meaning"
    assert set(written["thresholds"]) == set(settings.THRESHOLDS)
    assert set(written["depreciation"]) == set(settings.DEPRECIATION)
    assert set(written["units"]) == set(settings.MEASURES)
    assert set(written["stage_probabilities"]) == set(PROJECT_STATUSES)
    keys = {field.name for field in dataclasses.fields(settings.Branding)}
    assert set(written["branding"]) == keys
    parts = {field.name for field in dataclasses.fields(settings.RecencyRule)}
    assert {key for rule in written["recency"] for key in rule} == parts
    intervals = written["service_intervals"].values()
    assert {part for interval in intervals for part in interval} == {"hours", "flights", "days"}


def test_that_no_zone_is_set_is_still_known_of_settings_that_were_copied_pickled_or_changed():
    for of, has_zone in [(settings.Settings(), False), (settings.Settings(tz="UTC"), True)]:
        others = [
            copy.deepcopy(of),
            pickle.loads(pickle.dumps(of)),  # noqa: S301 - our own
            dataclasses.replace(of, lang="de"),
            settings.from_values({"lang": "de"}, source="here", base=of),
        ]
        assert [other.has_zone for other in others] == [has_zone] * 4
    assert settings.Settings() == settings.Settings(tz="UTC")


@pytest.mark.slow
def test_utc_is_a_zone_by_its_name_and_needs_no_fleetkit_where_a_time_is_unpickled():
    # In a process of its own: the first to name a zone names it for all.
    code = """
import fleetkit as fk, pickle
from zoneinfo import ZoneInfo
fk.settings.Settings()
zone = ZoneInfo("UTC")
print(fk.settings.Settings(tz=str(zone)).has_zone, b"fleetkit" in pickle.dumps(zone))
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["True", "False"]
