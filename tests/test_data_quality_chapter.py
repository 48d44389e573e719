"""The chapter on data quality: what it shows, to whom, and what it asks for."""

from __future__ import annotations

from functools import partial

import a_notebook
import pandas as pd
import pytest
from conftest import a_flight, a_project, an_equipment, synced

from fleetkit.reports import attention, quality
from fleetkit.time import Period

pytestmark = pytest.mark.slow

OCTOBER = Period.read("2026-10")
LOGGED = {"createdAt": "2026-10-31T00:00:00.000Z", "updatedAt": "2026-10-31T00:00:00.000Z"}


def a_day(number, **fields):
    """Return a flight at noon of that day of October, logged at its end."""
    return a_flight(f"fl_{number}", f"2026-10-{number:02d}T12:00:00.000Z", **{**LOGGED, **fields})


def records():
    """Return four flights, the second short, the third of another client; two share a serial."""
    ours, theirs = ({"id": f"proj_{n}", "title": n} for n in ("ours", "theirs"))
    piece = {"serialNumber": "SERIAL-7", "purchaseDate": None}
    return {
        "equipment": [
            an_equipment(f"eq_{name}", name=name, registrationNumber=f"REG-{name}", **piece)
            for name in ("kite", "heron")
        ],
        "flights": [
            a_day(1, project=ours),
            a_day(2, project=ours, durationSeconds=10, traveledDistance=50),
            a_day(3, project=theirs, takeoffLat=0, takeoffLng=0),
            a_day(4),
        ],
        "flight_equipment": [(f"fl_{number}", "eq_kite") for number in range(1, 5)],
        "projects": [
            a_project("proj_ours", clientAccountName="Fjord"),
            a_project("proj_theirs", clientAccountName="Secretive", agreedPrice=None),
        ],
    }


def chapter(folder, given=None, **parameters):
    """Run the chapter's cells on some records, and return its section."""
    places = {"mirror": synced(given or records(), folder / "mirror"), "out": folder / "out"}
    parameters |= {name: str(path) for name, path in places.items()}
    return a_notebook.made("data_quality", period="2026-10", **parameters)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the chapter on the records above, for no test to change."""
    return chapter(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def make(tmp_path):
    """Return a function that runs the chapter's cells on some records, or with parameters."""
    return partial(chapter, tmp_path)


def rows(section):
    [block] = section["blocks"]
    return [row["texts"] for row in block["rows"]]


def test_the_table_shows_what_counts_something_and_the_notes_name_the_rest(whole):
    assert rows(whole) == [
        ["Position at 0, 0", "error", "1", "1", "4", "25.0 %", "fl_3"],
        ["Serial number of several", "warning", "–", "2", "2", "100.0 %", "eq_heron, eq_kite"],
        ["Very short flight", "warning", "1", "1", "4", "25.0 %", "fl_2"],
        ["No pilot", "info", "4", "4", "4", "100.0 %", "fl_1, fl_2"],
        ["No project", "info", "1", "1", "4", "25.0 %", "fl_4"],
    ]
    notes = " ".join(whole["notes"])
    assert "Very short flight: Under 30 s, which includes 0 and less." in notes
    assert "Very long flight: Over 3 h." in notes
    assert "Overlaps another flight of its pilot: 0 of 4 flights have a pilot and times." in notes


def test_two_of_four_flights_are_sound_and_metres_fit(whole):
    # 50 m in 10 s, 2,400.5 m in half an hour: 7,251.5 m in 5,410 s are 1.3 m/s.
    assert whole["sentences"] == [
        "2 of 4 flights in October 2026 are sound; of 26 checks of all records 5 count something, "
        "15 count nothing and 6 had nothing to look at. Travelled distances can be in "
        "m (1.3 m/s on average) or ft (0.4 m/s on average), not in km or mi; no unit is declared."
    ]
    [kpi] = whole["kpis"]
    assert (kpi["label"], kpi["text"], kpi["unit"], kpi["front"]) == (
        "Data quality", "50.0", "%", True,
    )  # fmt: skip


def test_a_setting_of_the_unit_that_does_not_fit_is_contradicted(make):
    section = make(settings={"units": {"traveled_distance": "km"}})
    assert section["sentences"][0].endswith("not in km or mi: km is declared.")


def test_what_counts_as_short_and_as_long_are_parameters(make):
    checks = {row[0] for row in rows(make(shortest=10, longest=1_000))}
    assert "Very short flight" not in checks
    assert "Very long flight" in checks


def test_flights_at_midnight_overlap_where_those_that_are_left_out_have_times(make):
    # All flights tell that two at midnight are no dates, in UTC as in any other zone.
    midnights = [
        a_flight(f"fl_{number}", "2026-10-05T00:00:00.000Z", flightType="TRAINING")
        for number in (5, 6)
    ]
    given = records()
    given["flights"] += midnights
    given["flight_equipment"] += [(flight["id"], "eq_kite") for flight in midnights]
    shown = rows(make(given, filters={"flight_type": ["TRAINING"]}))
    overlapping = ["Overlaps another flight of its aircraft", "error", "1", "1", "2", "50.0 %"]
    assert [*overlapping, "fl_6"] in shown


def test_a_client_s_chapter_holds_nothing_of_others(make, tmp_path):
    section = make(filters={"client": ["Fjord"]})
    assert [row[0] for row in rows(section)] == ["Very short flight", "No pilot"]
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    text = " ".join(path.read_text(encoding="utf-8") for path in files)
    assert files
    assert "fl_2" in text
    for other in (
        "Secretive",
        "proj_theirs",
        "fl_3",
        "fl_4",
        "REG-",
        "SERIAL",
        "eq_",
        "gistration",
    ):
        assert other not in text


def test_without_a_filter_no_check_is_said_to_be_of_the_whole(whole):
    assert not [note for note in whole["notes"] if note.startswith("Checks of")]


def test_a_filter_says_which_checks_it_does_not_touch(make):
    notes = make(filters={"flight_type": ["COMMERCIAL"]})["notes"]
    assert "Checks of equipment: whole organisation." in notes
    assert "Checks of projects: whole organisation." in notes


def test_a_chapter_without_flights_says_that_there_is_nothing_to_look_at(make):
    section = make({**records(), "flights": [], "flight_equipment": []})
    assert section["sentences"][0].startswith("No flight in October 2026 to look at; of 26 checks ")
    assert "can't be told: 0 flights have a distance and a duration" in section["sentences"][0]
    assert section["kpis"][0]["text"] == "–"


def checks(**counts):
    """Return checks of flights, each with (count, of) and the grade that its name begins with."""
    return pd.DataFrame(
        {
            "check": list(counts),
            "severity": [name.split("_")[0] for name in counts],
            "records": "flights",
            "count": [count for count, _ in counts.values()],
            "of": [of for _, of in counts.values()],
        }
    )


@pytest.mark.parametrize(
    ("count", "of", "is_many"),
    [(9, 181, False), (10, 12_000, True), (1, 20, True), (1, 21, False), (0, 0, False)],
)
def test_ten_records_or_one_of_twenty_are_many(count, of, is_many):
    table = checks(error_a=(count, of), info_b=(of, of))
    assert bool(list(attention.data_quality(table, table, OCTOBER))) == is_many


def test_the_line_is_low_names_the_worst_and_counts_the_others():
    table = checks(error_a=(11, 100), warning_b=(30, 90), error_c=(12, 80), error_d=(20, 60))
    whole = table.assign(count=1_000)
    [line] = attention.data_quality(whole, table, OCTOBER)
    assert (line["severity"], line["count"]) == ("low", 4)
    assert line["text"] == (
        "4 checks of the data count at least 10 or 5 % of the records: "
        "warning_b (30 of 90 flights in October 2026), error_d (20 of 60 flights in October 2026) "
        "and 2 more"
    )


def test_checks_of_equipment_and_projects_count_as_they_stand():
    table = checks(warning_a=(2, 2)).assign(records="equipment")
    [line] = attention.data_quality(table, table.assign(count=0), OCTOBER)
    assert line["text"].endswith("warning_a (2 of 2 pieces of equipment)")
    for letters, shown in ((14, f"{'a' * 14}, {'b' * 14}"), (15, "a" * 15)):  # 30 fit in a line
        ids = f"{'a' * letters}, {'b' * letters}, c"
        rows = quality.examples(table.assign(ids=ids), table.assign(count=0, ids=""))
        assert rows[["in_period", "examples"]].isna().to_numpy().tolist() == [[True, False]]
        assert rows["examples"].tolist() == [shown]


def unit(*fits, declared="", timed=9):
    speeds = [9.0, 9000.0, 2.74, 14481.0]
    check = pd.DataFrame(
        {"unit": ["m", "km", "ft", "mi"], "timed": timed, "mean_speed": speeds, "fits": fits}
    )
    return quality.unit(check, declared)


def test_the_sentence_on_units_names_those_that_fit_and_converts_nothing():
    assert unit(True, False, False, False, declared="m") == (
        "Travelled distances can be in m (9.0 m/s on average), not in km, ft or mi; m is declared."
    )
    assert unit(False, False, False, False) == (
        "Travelled distances fit none of m, km, ft and mi; no unit is declared."
    )
    assert unit(None, None, None, None, timed=0).startswith("The unit of travelled distances can't")
