"""Views: filters by name, saved into fleetkit.toml and named wherever a filter is."""

import pytest

import fleetkit as fk
from fleetkit import settings, views

WRITTEN = """# Ours.
tz = "Europe/Oslo"  # of the office

[thresholds]
late_days = 45   # not 30

[views.night]
night = true
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Give a settings file, which this process goes by."""
    path = tmp_path / "fleetkit.toml"
    path.write_text(WRITTEN, encoding="utf-8")
    monkeypatch.setenv("FLEETKIT_CONFIG", str(path))
    return path


def test_a_view_that_is_saved_is_read_again_and_every_other_line_stays(file):
    left_out = {"type": fk.excluding("CAMERA", of="DRONE"), "pilot": fk.excluding("prof_1")}
    chosen = fk.Filter(client="Smith, Jones & Co", bvlos="unknown", since="2026-10-01", **left_out)
    assert not views.save(file, "smith", chosen)
    assert settings.load().views == {"night": fk.Filter(night=True), "smith": chosen}
    assert file.read_text(encoding="utf-8").startswith(WRITTEN)


def test_a_view_of_the_same_name_is_replaced(file):
    assert views.save(file, "@night", fk.Filter(night=False))
    assert settings.load().views == {"night": fk.Filter(night=False)}
    assert "# not 30" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "",
        'views = { night = { night = true } }\ntz = "UTC"\n',
        "[views]\n# Dark.\nnight = { night = true }\n\n[units]\nweight = 'kg'\n",
        "[views.night]\r\nnight = true\r\n[units]\r\nweight = 'kg'\r\n",
    ],
)
def test_a_view_can_be_added_however_the_file_is_written(file, text):
    file.write_bytes(text.encode())
    before = settings.load()
    drones = fk.Filter(type=["DRONE", "VTOL"], flight_type=fk.excluding("TRAINING"))
    views.save(file, "drones", drones)
    after = settings.load()
    assert after.views == before.views | {"drones": drones}
    assert after.units == before.units
    assert ("\r\n" in text) == (b"\r\n" in file.read_bytes())


@pytest.mark.parametrize(
    ("name", "chosen", "message"),
    [
        ("two words", fk.Filter(night=True), "'two words' is not a name of a view"),
        ("", fk.Filter(night=True), "'' is not a name of a view"),
        ("all", fk.Filter(), "view all was not saved: nothing was chosen. Choose something first"),
    ],
)
def test_what_cannot_be_a_view_is_not_saved(file, name, chosen, message):
    with pytest.raises(fk.InvalidValue, match=message):
        views.save(file, name, chosen)
    assert file.read_text(encoding="utf-8") == WRITTEN


@pytest.mark.parametrize(
    "text",
    ["tz = \n", "views.a = { night = true }\nviews.b = { bvlos = true }\ntz = 'UTC'\n"],
    ids=["no TOML", "tables in an order of their own"],
)
def test_a_file_that_a_view_cannot_be_added_to_is_left_as_it_is(file, text):
    file.write_text(text, encoding="utf-8")
    with pytest.raises(fk.InvalidValue, match="is not TOML that a view could be added to"):
        views.save(file, "smith", fk.Filter(client="Smith"))
    assert file.read_text(encoding="utf-8") == text
    assert list(file.parent.iterdir()) == [file]


def test_a_settings_file_keeps_its_rights_and_a_new_one_can_be_read(file):
    file.chmod(0o640)
    views.save(file, "dark", fk.Filter(night=True))
    assert file.stat().st_mode & 0o777 == 0o640
    views.save(file.with_name("new.toml"), "dark", fk.Filter(night=True))
    assert file.with_name("new.toml").stat().st_mode & 0o777 == 0o644


def test_views_and_filters_on_one_command_line_add_up():
    known = {"night": fk.Filter(night=True), "ada": fk.Filter(pilot=["ada", "bo"])}
    chosen = views.parse(["@night", "@ada", "pilot=bo"], known)
    assert chosen == fk.Filter(night=True, pilot="bo")


def test_a_view_that_there_is_not_names_those_that_there_are():
    with pytest.raises(
        fk.InvalidValue, match=r"no view named 'nigth'. Did you mean night"
    ) as error:
        views.named("@nigth", {"night": fk.Filter(night=True)})
    assert "Views are: @night." in str(error.value)


@pytest.mark.parametrize(("count", "end"), [(8, "@v7."), (9, "@v7 and 1 more.")])
def test_eight_views_are_listed_and_further_ones_counted(count, end):
    known = {f"v{number}": fk.Filter(night=True) for number in range(count)}
    with pytest.raises(fk.InvalidValue) as error:
        views.named("@dark", known)
    assert error.value.advice == "Views are: @v0, @v1, @v2, @v3, @v4, @v5, @v6, " + end


def test_the_later_of_a_day_and_a_moment_is_the_one_of_the_zone():
    # The first of October begins in Oslo at 22:00 UTC of the day before.
    known = {"autumn": fk.Filter(since="2026-10-01")}
    moment = "2026-09-30T23:00:00+00:00"
    chosen = [
        views.parse(["@autumn", f"since={moment}"], known, tz) for tz in ("Europe/Oslo", "UTC")
    ]
    assert chosen == [fk.Filter(since=moment), known["autumn"]]


def test_a_view_has_a_name_of_forty_letters_at_most(file):
    views.save(file, "a" * 40, fk.Filter(night=True))
    with pytest.raises(fk.InvalidValue, match="is not a name of a view"):
        views.save(file, "a" * 41, fk.Filter(night=True))
    assert list(settings.load().views) == ["night", "a" * 40]


@pytest.mark.parametrize(("name", "shown"), [(None, "None"), (5, "5"), (["dark"], r"\['dark'\]")])
def test_what_is_no_text_is_neither_found_nor_saved_as_a_view(file, name, shown):
    with pytest.raises(fk.InvalidValue, match=f"There is no view named {shown}"):
        views.named(name, {"dark": fk.Filter(night=True)})
    with pytest.raises(fk.InvalidValue, match=f"{shown} is not a name of a view"):
        views.save(file, name, fk.Filter(night=True))
    assert file.read_text(encoding="utf-8") == WRITTEN


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[views.dark]\nnigth = true", "line 1, views.dark.*Did you mean"),
        ('[views]\n"a b" = {}', "line 2, views.a b: 'a b' is not a name of a view"),
        ("views = 3", "line 1, views: 3 is not a table of filters"),
    ],
)
def test_a_view_that_cannot_be_read_is_named_with_its_line(file, text, message):
    file.write_text(text, encoding="utf-8")
    with pytest.raises(fk.InvalidValue, match=message):
        settings.load()


@pytest.mark.slow
def test_a_fleet_is_narrowed_by_a_view_also_by_one_that_was_saved_since(file, tiny):
    fleet = fk.connect(tiny.base_url, tiny.api_key, progress=False)
    assert fleet.where("@night").flights()["flight_id"].tolist() == ["fl_3"]
    views.save(file, "bo", fk.Filter(pilot="prof_bo"))
    assert sorted(fleet.where("@bo").flights()["flight_id"]) == ["fl_3", "fl_5"]
    assert fleet.where("@bo").where("@night").filter == fk.Filter(pilot="prof_bo", night=True)


def test_views_do_not_go_into_notebooks_and_manifests():
    chosen = settings.Settings(views={"smith": fk.Filter(client="Smith")})
    assert "Smith" not in str(chosen.public())
