"""Settings: defaults, then fleetkit.toml, then FLEETKIT_*, then arguments."""

import pytest

import fleetkit as fk
from fleetkit import settings


def test_later_sources_win(tmp_path):
    file = tmp_path / "fleetkit.toml"
    file.write_text('tz = "Europe/Paris"\nconcurrency = 4\ntimeout = 5\n')
    chosen = settings.load(file, environ={"FLEETKIT_CONCURRENCY": "6"}, timeout=7.5)
    assert (chosen.tz, chosen.concurrency, chosen.timeout) == ("Europe/Paris", 6, 7.5)


def test_without_a_source_the_defaults_stand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert settings.load(environ={}) == settings.Settings()


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


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('tz = "Mars/Base"', "is not a time zone"),
        ("concurency = 4", "'concurency' is not a setting"),
        ('concurrency = "many"', "can't be read"),
        ("concurrency = 0", "below 1"),
        ("timeout = -1", "not above 0"),
        ("tz = 3", "no text"),
        ("tz = ", "no TOML"),
        ("[stage_probabilities]\nSOLD = 1.0", "'SOLD' is not a project status"),
        ("[stage_probabilities]\nDRAFT = 20", "not within 0 … 1"),
        ("[[recency]]\nnam = 'x'", "recency"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, text, says):
    file = tmp_path / "fleetkit.toml"
    file.write_text(text + "\n")
    with pytest.raises(fk.InvalidValue, match=says):
        settings.load(file, environ={})


def test_a_missing_file_is_an_error_when_it_was_asked_for(tmp_path):
    with pytest.raises(fk.InvalidValue, match="No such file"):
        settings.load(tmp_path / "none.toml", environ={})


def test_public_settings_make_the_same_settings_again():
    chosen = settings.Settings(tz="Asia/Tokyo", aircraft_types=("DRONE",), units={"weight": "kg"})
    again = settings.from_values(chosen.public(), source="a notebook")
    assert again == chosen


def test_lists_come_from_the_environment_separated_by_commas():
    chosen = settings.load(environ={"FLEETKIT_AIRCRAFT_TYPES": "DRONE, VTOL"})
    assert chosen.aircraft_types == ("DRONE", "VTOL")
