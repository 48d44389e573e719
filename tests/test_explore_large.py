"""The explorer by an engine over a mirror: what pandas shows, without a frame of all flights."""

import re
import shutil
from dataclasses import replace
from datetime import date
from io import BytesIO
from random import Random

import numpy as np
import pandas as pd
import pytest
from a_page import words
from conftest import TINY, a_flight, flown_by_kestrel, synced

import fleetkit as fk
from fleetkit.explore import large, sizes
from fleetkit.explore.fields import ANY
from fleetkit.explore.large import files, reading, selection, sorting
from fleetkit.explore.large.bits import unpacked
from fleetkit.explore.large.encoding import NONE, compact, moved
from fleetkit.explore.large.facets import CodedFacet
from fleetkit.explore.measuring import GROUPINGS, MAP
from fleetkit.explore.panes import PANES
from fleetkit.explore.screen import STYLE, Screen
from fleetkit.fleet.offline import MirrorSource
from fleetkit.mirror import Mirror
from fleetkit.server.demo import demo_records

pytestmark = pytest.mark.slow
ORDERS = ("date", "duration", "type", "operation", "pilot", "project", "equipment", "night")
ORDERS += ("bvlos", "id")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a mirror with oddities: null and equal dates, durations of none and below 0."""
    records = demo_records(equipment=24, flights=400, months=8, as_of=date(2026, 11, 20))
    for flight in records["flights"]:
        pilot = flight["pilotInCommand"] or {}
        name = pilot.get("fullName", "")
        if name.startswith("A"):  # in small letters
            flight["pilotInCommand"] = {**pilot, "fullName": name.lower()}
        elif name.startswith("J"):
            flight["pilotInCommand"] = {**pilot, "fullName": ""}
        elif name and flight["flightDate"] > "2026-08":  # the newest name is shown
            flight["pilotInCommand"] = {**pilot, "fullName": f"{name} II"}
    for piece in records["equipment"][::3]:
        piece["name"] = piece["name"].lower()
    for flight in records["flights"][::60]:
        flight["flightDate"] = None
    for flight in records["flights"][15::60]:
        flight["durationSeconds"] = None
    for flight, other in zip(records["flights"][30::60], records["flights"][31::60], strict=True):
        flight["durationSeconds"] = -600
        other["flightDate"] = flight["flightDate"]
    return synced(records, tmp_path_factory.mktemp("large"))


@pytest.fixture(scope="module", autouse=True)
def small_parts():
    """Read and search few flights at a time, so that a small mirror has several parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_AT_ONCE", 60)
        for module in ("orders", "subject"):
            patch.setattr(f"fleetkit.explore.large.{module}._BLOCK", 64)
        yield


@pytest.fixture(scope="module")
def fleet(folder):
    return fk.open_mirror(folder, tz="Europe/Oslo")


@pytest.fixture(scope="module")
def by_pandas(fleet):
    return fk.explore.flights(fleet, engine="pandas")


@pytest.fixture(scope="module")
def by_polars(fleet):
    return fk.explore.flights(fleet, engine="polars")


def shown(explorer, choices, order_by, page=0):
    """Return all that a page shows of a state, but for the state's number."""
    explorer._change(lambda state: replace(state.choose(choices).order(order_by), page=page))
    panes = {name: re.sub(r'data-r="\d+"', "", getattr(explorer.screen, name)) for name in PANES}
    return panes | {name: explorer.screen.shown[name] for name in ("counts", "announcement")}


def chosen_at_random(explorer, rng):
    """Return choices: something in a few fields, and any chart."""
    fields = explorer._subject.fields
    choices = {name: field.blank for name, field in fields.items() if field.stored}
    for field in fields.values():
        values = [value for _, value in field.options(choices)]
        if field.name == "take_off" and rng.random() < 0.25:
            choices = field.choose(choices, (rng.choice([50, 57]), -5, 60, 12))
        if values and rng.random() < (1 if field.is_display else 0.25):
            several = isinstance(field.blank, tuple)
            chosen = rng.sample(values, 2) if several else rng.choice(values)
            if field.can_leave_out and chosen != ANY and rng.random() < 0.4:
                chosen = fk.excluding(chosen)
            choices = field.choose(choices, chosen)
    return choices


def assert_alike(explorer, other, rng, turns):
    """Compare what two explorers show of several states, orders and pages."""
    for _ in range(turns):
        order_by = f"{rng.choice(ORDERS)}_{rng.choice(['asc', 'desc'])}"
        state = chosen_at_random(explorer, rng), order_by, rng.randrange(4)
        seen, expected = shown(explorer, *state), shown(other, *state)
        for name, value in expected.items():
            assert seen[name] == value, (name, state)


def test_whatever_is_chosen_is_shown_as_pandas_shows_it(by_polars, by_pandas):
    assert by_polars.screen.controls == by_pandas.screen.controls
    assert_alike(by_polars, by_pandas, Random(1), 12)


CHOSEN = ({"type": "DRONE", "until": date(2026, 8, 1)}, {}, {"pilot": "Unassigned", "night": False})


@pytest.mark.parametrize(
    ("measure", "times"), [("hours", 3), ("flights", 3), ("distance", 3), ("median", 1)]
)
def test_every_chart_is_of_the_numbers_of_pandas(by_polars, by_pandas, measure, times):
    for choices in CHOSEN[:times]:
        counted = []
        for subject in (by_polars._subject, by_pandas._subject):
            chosen = {name: field.blank for name, field in subject.fields.items() if field.stored}
            counted.append(subject.select({**chosen, **choices}))
        for grouping in GROUPINGS.keys() - {MAP}:
            seen, expected = (part.measured_by(grouping, measure) for part in counted)
            pd.testing.assert_frame_equal(seen[list(expected)], expected, check_dtype=False)
            assert expected["flights"].sum() >= len(counted[1]) > 0, grouping


def test_many_values_that_are_named_at_once_have_the_rows_of_each():
    places = {f"p{number}": number for number in range(40)}
    codes = np.array([0, 38, 39, -1], dtype=np.int8)  # the last flight has no pilot
    facet = CodedFacet(codes, places, [*places, "nobody", "Unassigned"], "Unassigned")
    many = [f"p{number}" for number in range(1, 39)]
    rows = [unpacked(facet.mask(values), 0, 4).tolist() for values in (many, [*many, "nobody"])]
    assert rows == [[False, True, False, False]] * 2
    with_rest = unpacked(facet.mask([*many, "Unassigned"]), 0, 4).tolist()
    assert with_rest == [False, True, False, True]


def test_flights_whose_dates_are_dates_have_a_week_and_no_hour(tiny_records, tmp_path):
    for flight in tiny_records["flights"]:
        flight["flightDate"] = f"{flight['flightDate'][:10]}T00:00:00.000Z"
    fleet = fk.open_mirror(synced(tiny_records, tmp_path / "dates"), tz="America/New_York")
    subject = fk.explore.flights(fleet, engine="polars")._subject
    chosen = {name: field.blank for name, field in subject.fields.items() if field.stored}
    by = {word: subject.select(chosen).measured_by(word, "flights") for word in ("hour", "week")}
    assert by["hour"]["hour"].isna().tolist() == [True] * 4  # a row for each flight type
    assert by["week"]["week"].unique().tolist() == ["2026-W40", "2026-W42", "2026-W44", "2026-W45"]


@pytest.mark.parametrize(("engine", "turns"), [("duckdb", 3), ("dask", 1)])
def test_another_engine_shows_the_same(fleet, by_pandas, monkeypatch, engine, turns):
    monkeypatch.setattr(reading, "_AT_ONCE", 200)  # two parts: Dask takes long for each
    assert_alike(fk.explore.flights(fleet, engine=engine), by_pandas, Random(2), turns)


def test_durations_go_from_the_longest_to_the_shortest_and_unknown_ones_last(
    by_polars, by_pandas, monkeypatch
):
    monkeypatch.setattr(sorting, "_PAGED", 100)  # of more rows all are sorted, not a page alone
    for explorer in (by_polars, by_pandas):
        explorer.controls.reset.click()
        explorer.order_by = "duration_desc"
    rows = by_polars.rows
    assert by_pandas.rows["flight_id"].tolist() == rows["flight_id"].tolist()
    known = rows["duration_seconds"].dropna().tolist()
    assert known == sorted(known, reverse=True)
    assert rows["duration_seconds"].isna().tolist() == [False] * len(known) + [True] * (
        400 - len(known)
    )
    pages = [by_polars._subject.page(np.ones(400, dtype=bool), "duration_desc", 180, 200)]
    assert by_polars.rows["flight_id"][180:200].tolist() == (
        by_polars._subject.at("flight_id", pages[0]).tolist()
    )
    written = pd.read_csv(BytesIO(by_polars.export(by_polars._states.current, "csv")[1]))
    assert written["flight_id"].tolist() == by_polars.rows["flight_id"].tolist()


@pytest.mark.parametrize("count", [127, 128, 129, 32_768, 32_769])
def test_codes_in_few_bytes_are_the_codes_that_they_were(count):
    last = np.array([count - 1, NONE])
    assert compact(last, count).tolist() == last.tolist()
    assert moved(np.arange(count), last).tolist() == last.tolist()


def test_rows_are_those_of_the_filter_with_every_column_and_type(by_polars, fleet):
    by_polars.controls.reset.click()
    by_polars.controls.night.value = False
    by_polars.order_by = "date_desc"
    expected = fleet.where(night=False).flights(order_by="date_desc")
    pd.testing.assert_frame_equal(by_polars.rows, expected)
    by_polars.controls.since.value = date(2030, 1, 1)
    by_polars.controls.until.value = date(2029, 1, 1)
    assert by_polars.rows.empty
    assert by_polars.rows.dtypes.equals(expected.dtypes)


@pytest.mark.parametrize(("form", "read"), [("csv", pd.read_csv), ("parquet", pd.read_parquet)])
def test_files_of_many_rows_are_written_part_by_part_and_hold_the_same(
    by_polars, by_pandas, monkeypatch, form, read
):
    order_by = {"csv": "date_asc", "parquet": "date_desc"}[form]
    state = by_pandas._subject.fields["night"].choose(chosen_at_random(by_pandas, Random(0)), False)
    contents = []
    for explorer in (by_polars, by_pandas):
        shown(explorer, {name: state[name] for name in state}, order_by)
        monkeypatch.setattr(files, "_AT_ONCE", 10)
        contents.append(explorer.export(explorer._states.current, form)[1])
    written, expected = (read(BytesIO(content)) for content in contents)
    assert len(written) == len(by_pandas.rows) > 10
    assert by_polars.rows.attrs == by_pandas.rows.attrs  # zone and settings
    pd.testing.assert_frame_equal(written, expected)


def test_a_file_that_would_be_too_large_is_refused_before_it_is_made(by_polars, monkeypatch):
    by_polars.controls.reset.click()
    state = by_polars._states.current
    with monkeypatch.context() as limited:
        for module in (files, selection):
            limited.setattr(module, "MOST_ROWS", 399)
        said = "A workbook is made of 399 flights at most, not of 400"
        with pytest.raises(fk.InvalidValue, match=said):
            by_polars.export(state, "xlsx")
        with pytest.raises(fk.InvalidValue, match="400 flights are more than fit"):
            _ = by_polars.rows
    monkeypatch.setattr(files, "_AT_ONCE", 10)
    monkeypatch.setattr(files, "_LARGEST", 10_000)
    with pytest.raises(fk.InvalidValue, match="The file would be larger"):
        by_polars.export(state, "csv")
    for module in (files, selection):
        monkeypatch.setattr(module, "MOST_ROWS", 400)
    assert len(by_polars.rows) == 400
    assert by_polars.export(state, "xlsx")[1].startswith(b"PK")  # a workbook's first bytes


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_an_explorer_whose_files_are_gone_says_to_open_the_mirror_again(folder, tmp_path, engine):
    mirror = shutil.copytree(folder, tmp_path / "mirror")
    explorer = fk.explore.flights(fk.open_mirror(mirror), engine=engine)
    shutil.rmtree(mirror / "flights")  # as a later sync does file by file
    with pytest.raises(fk.MirrorError) as raised:
        explorer.export(explorer._states.current, "csv")
    gone = f"The mirror {mirror} can't be read as it was: files are gone."
    assert str(raised.value) == f"{gone} Open it and the explorer again."
    with pytest.raises(fk.MirrorError):
        explorer.columns = ["id"]  # which no process holds for all flights
    assert words(explorer.screen.figures) == f"This could not be shown: {raised.value}"


def test_from_a_number_of_flights_on_no_frame_of_them_all_is_made(fleet, monkeypatch):
    read, table, restored = [], Mirror.table, Mirror.restored

    def watched(self, name, *ends, **options):
        read.append(name)
        return table(self, name, *ends, **options)

    def watched_rows(self, name, rows):
        read.append(rows.num_rows)
        return restored(self, name, rows)

    monkeypatch.setattr(Mirror, "table", watched)
    monkeypatch.setattr(Mirror, "restored", watched_rows)
    monkeypatch.setattr(sizes, "LARGE", 400)
    monkeypatch.setattr(files, "_AT_ONCE", 100)
    explorer = fk.explore.flights(fk.open_mirror(fleet.mirror.path))
    assert isinstance(explorer._subject, large.LargeFlights)
    for choices in ({"grouping": "pilot"}, {"grouping": "place"}, {"measure": "median"}):
        for name, value in choices.items():
            getattr(explorer.controls, name).value = value
    explorer.order_by, explorer.page = "duration_desc", 3
    explorer.columns = ["date", "id"]
    explorer.export(explorer._states.current, "parquet")
    assert {name for name in read if isinstance(name, str)} <= {"equipment", "projects"}
    assert 0 < max(count for count in read if isinstance(count, int)) <= 100


def test_the_options_of_a_long_list_are_counted_when_it_is_opened(fleet, by_pandas, monkeypatch):
    monkeypatch.setattr(large.LargeFlights, "most_counted", 10)
    explorer = fk.explore.flights(fleet, engine="polars")
    by_pandas.controls.reset.click()
    expected = by_pandas.screen.shown["counts"]
    assert len(expected["equipment"]) == 25
    assert explorer.screen.shown["counts"] == {**expected, **_closed(expected, "")}
    for name in ("equipment", "pilot"):
        explorer._open(name)
        assert explorer.screen.shown["counts"][name] == expected[name]
    explorer.controls.night.value = by_pandas.controls.night.value = True
    expected = by_pandas.screen.shown["counts"]
    assert explorer.screen.shown["counts"] == {**expected, **_closed(expected, "pilot")}


# Shows a list of 13 options without counts, and gives what the browser sends for them.
GO_TO_A_LIST = """async (code) => {
  const { default: widget } = await import(URL.createObjectURL(
    new Blob([code], { type: "text/javascript" })));
  const options = [...Array(13)].map((_, place) => [`Pilot ${place}`, `prof_${place}`]);
  const list = { name: "pilot", kind: "select", label: "Pilot", blank: "prof_0", options };
  const shown = { number: 0, actions: {}, values: { pilot: "prof_0" }, counts: { pilot: [] },
    back: false, forward: false, panes: {}, announcement: "" };
  const traits = { controls: [list], shown, record: "r", label: "l", outcome: "" };
  const sent = [], told = {};
  const model = { get: (name) => traits[name], on: (event, then) => { told[event] = then; },
    send: (message) => sent.push(message) };
  const made = widget();
  made.initialize({ model });
  made.render({ model, el: document.body });
  const element = document.querySelector("select");
  element.focus();
  const before = element.options[2].text;
  const fields = [...element.parentElement.querySelectorAll("input, select")];
  const places = fields.map((field) => field.getBoundingClientRect().left);
  traits.shown = { ...shown, counts: { pilot: options.map((_, place) => 10 * place) } };
  told["change:shown"]();
  element.blur();
  element.focus();
  const shows = [sent.map(({ opened }) => opened), before, element.options[2].text];
  return [...shows, fields.map(({ type }) => type), places];
}"""


def test_a_browser_asks_for_the_counts_of_a_long_list_once_when_it_is_gone_to(browser):
    page = browser.new_page()
    asked, before, after, *_ = page.evaluate(GO_TO_A_LIST, Screen._esm)
    assert (asked, before, after) == (["pilot"], "Pilot 2", "Pilot 2 · 20")


def test_the_tab_key_goes_from_the_search_to_the_list_on_its_right(browser):
    page = browser.new_page()
    page.set_content(f"<style>{STYLE}</style><body class='fk-explorer'></body>")
    *_, fields, places = page.evaluate(GO_TO_A_LIST, Screen._esm)
    assert fields == ["search", "select-one"]  # in the order of the Tab key
    assert places == sorted(places)


def _closed(counts, opened):
    """Return nothing for each of the lists of more than ten options but one."""
    # The first one of a list chooses nothing.
    return {name: [] for name in counts if name != opened and len(counts[name]) > 11}


def test_equipment_of_a_large_mirror_is_explored_without_a_frame_of_its_flights(fleet, monkeypatch):
    expected = fk.explore.equipment(fleet)
    monkeypatch.setattr(sizes, "LARGE", 400)
    monkeypatch.setattr(MirrorSource, "flights", None)  # what pandas' flights come from
    explorer = fk.explore.equipment(fk.open_mirror(fleet.mirror.path, tz=fleet.tz))
    for name in (*PANES, "controls"):
        assert getattr(explorer.screen, name) == getattr(expected.screen, name), name


def test_a_fleet_that_asks_a_service_is_explored_by_pandas_only(tiny):
    fleet = fk.connect(tiny.base_url, tiny.api_key, progress=False)
    assert sizes.engine_of(fleet) is None
    with pytest.raises(fk.InvalidValue, match="An explorer by polars needs a mirror"):
        fk.explore.flights(fleet, engine="polars")
    with pytest.raises(fk.InvalidValue, match="'polar' is not an engine"):
        fk.explore.flights(fleet, engine="polar")


ODD = {
    "dates that stand for none": (
        ["0001-01-01T00:00:00.000Z", "2026-10-05T09:00:00.000Z", "9999-12-31T23:59:59.999Z", None],
        "America/Los_Angeles",
    ),
    "dates without a time": (["2026-10-01T00:00:00.000Z"] * 3, "America/New_York"),
    "no date at all": ([None, None], "UTC"),
    "no flights": ([], "UTC"),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_dates_are_shown_as_pandas_shows_them(case, tmp_path):
    dates, tz = ODD[case]
    flights = [a_flight(f"fl_{n}", moment) for n, moment in enumerate(dates)]
    for flight in flights[1:]:
        flight |= {"durationSeconds": 2**40, "pilotInCommand": None, "project": None}
    pairs = [(flight["id"], "eq_kestrel") for flight in flights[:2]]
    mirror = synced(TINY | {"flights": flights, "flight_equipment": pairs}, tmp_path / "mirror")
    fleet = fk.open_mirror(mirror, tz=tz)
    by_engine, by_pandas = (
        fk.explore.flights(fleet, engine=engine) for engine in ("polars", "pandas")
    )
    assert by_engine.screen.controls == by_pandas.screen.controls
    assert by_engine.screen.figures == by_pandas.screen.figures
    assert_alike(by_engine, by_pandas, Random(3), 2)


CALLED = [  # a pilot, the moment of a flight, and what the pilot is called there
    ("prof_1", "2026-10-01T09:00:00.000Z", "Ada Lind"),
    ("prof_1", "2026-10-05T09:00:00.000Z", "Ada Berg"),
    ("prof_1", None, "Ada Lind"),
    ("prof_2", "2026-10-01T09:00:00.000Z", "Bo"),
    ("prof_2", "2026-10-05T09:00:00.000Z", " "),
    ("prof_3", "2026-10-01T09:00:00.000Z", "Di"),
    ("prof_3", "2026-10-01T09:00:00.000Z", "Cy"),
    ("prof_4", None, "Fay"),
    ("prof_4", None, "Eve"),
]


def test_a_pilot_and_a_project_are_called_as_in_the_metric_by_the_last_name_that_came(tmp_path):
    flights = [
        a_flight(
            f"fl_{number}",
            moment,
            pilotInCommand={"id": identifier, "fullName": name},
            project={"id": identifier.replace("prof", "proj"), "title": name},
        )
        for number, (identifier, moment, name) in enumerate(CALLED)
    ]
    fleet = fk.open_mirror(synced(flown_by_kestrel(flights), tmp_path / "mirror"))
    counted = fk.metrics.flight_hours(fleet.flights(), by=["pilot", "project"], names=True)
    names = ["Ada Berg", "Bo", "Di", "Fay"]
    assert counted["pilot_name"].tolist() == counted["project_title"].tolist() == names
    for engine in ("pandas", "polars"):
        controls = fk.explore.flights(fleet, engine=engine).controls
        for control in (controls.pilot, controls.project):
            assert [label for label, _ in control.options] == ["Any", *names]


@pytest.mark.parametrize(
    "chosen",
    [
        fk.Filter(type="DRONE", night=False),
        fk.Filter(type=fk.excluding("CAMERA"), flight_type=fk.excluding("TRAINING")),
    ],
)
def test_a_narrowed_fleet_is_shown_as_pandas_shows_it(fleet, chosen):
    narrowed = fleet.where(chosen)
    by_engine, by_pandas = (
        fk.explore.flights(narrowed, engine=engine) for engine in ("polars", "pandas")
    )
    assert by_engine.screen.controls == by_pandas.screen.controls
    assert_alike(by_engine, by_pandas, Random(4), 2)
