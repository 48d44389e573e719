"""`fleetkit export` and `fleet.export`: which tables, of when, with which columns, and where."""

import json
import shutil
from datetime import UTC, datetime

import click
import openpyxl
import pandas as pd
import pytest
from conftest import TINY, a_flight, a_project, an_equipment, names
from manual import MANUAL

import fleetkit as fk
from fleetkit import mirror
from fleetkit.cli.exporting import export as command
from fleetkit.fleet.exporting import FORMATS

ROWS = {
    "equipment": 3,
    "flights": 5,
    "flight_equipment": 7,
    "projects": 3,
    "services": 2,
    "tiers": 2,
    "specifications": 2,
}


@pytest.fixture(scope="module")
def fleet(tiny):
    """Return the fleet of TINY, whose tables are fetched once for all tests."""
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        yield fleet


@pytest.mark.slow
def test_all_tables_are_exported_as_a_file_each(fleet, tmp_path):
    exported = fleet.export(tmp_path / "new")
    assert exported.rows == ROWS
    assert names(tmp_path / "new") == sorted(f"{table}.csv" for table in ROWS)
    flights = pd.read_csv(tmp_path / "new" / "flights.csv")
    assert flights["flight_id"].tolist() == ["fl_5", "fl_1", "fl_2", "fl_3", "fl_4"]
    assert list(flights.columns) == list(fleet.flights().columns)
    assert str(exported).splitlines()[1] == f"{tmp_path}/new/flights.csv: 5 rows"


@pytest.mark.slow
def test_several_formats_hold_the_same_rows(fleet, tmp_path):
    chosen = {"tables": ["flights", "projects"], "formats": ["csv", "parquet", "xlsx"]}
    fleet.export(tmp_path, **chosen)
    assert names(tmp_path) == [
        "fleet.xlsx",
        *("flights.csv", "flights.parquet", "projects.csv", "projects.parquet"),
    ]
    book = openpyxl.load_workbook(tmp_path / "fleet.xlsx")
    assert book.sheetnames == ["flights", "projects"]
    in_sheet = [row[0] for row in book["flights"].iter_rows(min_row=2, values_only=True)]
    in_parquet = pd.read_parquet(tmp_path / "flights.parquet")["flight_id"].tolist()
    assert in_sheet == in_parquet == ["fl_5", "fl_1", "fl_2", "fl_3", "fl_4"]
    # The date in a workbook's properties is when its data were fetched: the same bytes again.
    hours = fk.metrics.flight_hours(fleet.flights(), by="month")
    own = fk.to_excel({"Flights": fleet.flights(), "Hours": hours}, tmp_path / "own.xlsx")
    created = openpyxl.load_workbook(own).properties.created.replace(tzinfo=UTC)
    assert created == fk.explain(hours).fetched_at.replace(microsecond=0)


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_has_a_file_of_its_own_and_is_named_by_the_help(fleet, tmp_path, name):
    exported = fleet.export(tmp_path, tables="flights", formats=name)
    assert {path.suffix for path in exported.paths.values()} == {f".{name}"}
    command_help = click.Context(command).get_help()
    assert [text for text in (command_help, fk.Fleet.export.__doc__) if name not in text] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dates", "flights"),
    [
        ({"period": "2026-10"}, ["fl_1", "fl_2", "fl_3"]),
        ({"period": (month for month in ["2026-10"])}, ["fl_1", "fl_2", "fl_3"]),
        ({"period": "2026-W40"}, ["fl_5", "fl_1"]),  # 28 September to 4 October
        ({"since": "2026-10-15"}, ["fl_2", "fl_3", "fl_4"]),
        ({"since": "2026-10-01", "until": "2026-10-15"}, ["fl_1"]),
    ],
)
def test_dates_cut_the_flights_and_their_bridge(fleet, tmp_path, dates, flights):
    exported = fleet.export(tmp_path, tables=["flights", "flight_equipment"], **dates)
    assert pd.read_csv(tmp_path / "flights.csv")["flight_id"].tolist() == flights
    assert set(pd.read_csv(tmp_path / "flight_equipment.csv")["flight_id"]) == set(flights)
    assert exported.rows["flights"] == len(flights)


def test_a_filter_narrows_what_is_exported(fleet, tmp_path):
    drones = fleet.where(type="DRONE")
    assert drones.export(tmp_path, tables="equipment").rows == {"equipment": 2}
    read_once = {"tables": iter(["equipment"]), "formats": iter(["parquet"])}
    assert drones.export(tmp_path, **read_once).rows == {"equipment": 2}


@pytest.mark.slow
def test_columns_come_in_the_order_in_which_they_are_named_each_table_with_its_own(fleet, tmp_path):
    columns = ["title", "flight_id", "duration_seconds", "project_id"]
    fleet.export(tmp_path, tables=["flights", "projects"], columns=columns)
    heads = [
        (tmp_path / f"{table}.csv").read_text(encoding="utf-8-sig").splitlines()[0]
        for table in ("flights", "projects")
    ]
    assert heads == ["flight_id,duration_seconds,project_id", "title,project_id"]


@pytest.mark.slow
def test_take_offs_are_points_and_flights_without_a_position_are_counted(serve_records, tmp_path):
    nowhere = a_flight("fl_6", "2026-10-20T09:00:00.000Z", takeoffLat=None, takeoffLng=None)
    served = serve_records({**TINY, "flights": [*TINY["flights"], nowhere]})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        served.store.load(served.organisation, flight_equipment=[("fl_6", "eq_kestrel")])
        fleet.refresh()
        columns = ["flight_id", "flight_type"]
        exported = fleet.export(tmp_path, formats="geojson", columns=columns)
    points = json.loads((tmp_path / "take_offs.geojson").read_text(encoding="utf-8"))["features"]
    assert [point["id"] for point in points] == ["fl_5", "fl_1", "fl_2", "fl_3", "fl_4"]
    assert points[1]["geometry"]["coordinates"] == [10.75, 59.91]
    assert points[1]["properties"] == {"flight_id": "fl_1", "flight_type": "COMMERCIAL"}
    assert exported.without_position == 1
    assert str(exported).endswith("5 take-offs; 1 of 6 flights has no position")


def test_one_row_and_one_flight_are_said_as_one(serve_records, tmp_path):
    flights = [a_flight("fl_1", "2026-10-14T09:00:00.000Z", takeoffLat=None)]
    records = {"equipment": [an_equipment("eq_1")], "flights": flights}
    served = serve_records(records | {"flight_equipment": [("fl_1", "eq_1")]})
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        csv = fleet.export(tmp_path, tables=["flights", "projects"])
        geojson = fleet.export(tmp_path, tables="flights", formats="geojson")
        report = fleet.sync(tmp_path / "mirror")
    assert [line.rpartition(": ")[2] for line in csv.lines] == ["1 row", "0 rows"]
    assert str(geojson).endswith(": 0 take-offs; 1 of 1 flight has no position")
    assert "  flights           1 row: 1 new" in repr(report).splitlines()
    checked = repr(mirror.verify(tmp_path / "mirror")).splitlines()
    assert "  flights           1 row version, as 1 state pinned it" in checked


@pytest.mark.parametrize(
    ("choices", "says"),
    [
        ({"tables": "flihgts"}, r"'flihgts' is not a table\. Did you mean flights\?"),
        ({"tables": []}, "There is no table"),
        ({"formats": "exel"}, "'exel' is not a format of an export"),
        ({"formats": []}, "There is no format"),
        ({"tables": "projects", "formats": "geojson"}, "flights are not among the tables"),
        ({"tables": "projects", "period": "2026-10"}, "neither is among the tables"),
        ({"columns": ["title", "crm_deal_name"]}, "crm_deal_name only .* Add details=True"),
        ({"columns": "fligth_id"}, r"named 'fligth_id'\. Did you mean flight_id\?"),
        (
            {"tables": ["flights", "tiers"], "columns": "flight_id"},
            "Table tiers has none of the columns flight_id",
        ),
        ({"period": "2026-13"}, "not a valid period"),
        ({"period": "2026-10", "since": "2026-10-02"}, "not both"),
    ],
)
def test_what_can_not_be_exported_is_refused_in_words(fleet, tmp_path, choices, says):
    with pytest.raises(fk.InvalidValue, match=says):
        fleet.export(tmp_path / "out", **choices)
    assert names(tmp_path) == []


def test_a_tilde_is_the_user_s_own_folder_as_for_a_mirror(fleet, tmp_path, monkeypatch):
    home, here = tmp_path / "home", tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    assert fleet.export("~/out", tables="tiers").paths["tiers.csv"] == home / "out" / "tiers.csv"
    assert names(here) == []
    fleet.export("~no-such-user", tables="tiers")
    assert names(here) == ["~no-such-user"]


def test_an_object_store_is_no_folder(fleet):
    with pytest.raises(fk.InvalidValue, match="is not a folder of this machine"):
        fleet.export("s3://bucket/tables")


@pytest.mark.parametrize("chosen", [{"client": "Lyngfjord"}, {"type": "DORNE"}])
def test_a_filter_that_no_record_meets_is_nothing_to_export(fleet, tmp_path, chosen):
    near = "Lyngfjord Nett" if "client" in chosen else "DRONE"
    with pytest.raises(fk.NothingToReport, match=near):
        fleet.where(**chosen).export(tmp_path)
    narrow = fleet.where(**chosen, allow_empty=True)
    assert narrow.export(tmp_path, tables="flights", allow_empty=True).rows == {"flights": 0}


def test_a_table_without_a_record_is_exported_where_nothing_narrows_it(
    serve_records, tiny_records, tmp_path
):
    served = serve_records({**tiny_records, "services": []})
    with fk.connect(served.base_url, served.api_key, progress=False) as opened:
        assert opened.export(tmp_path, tables="services").rows == {"services": 0}


def test_dates_without_flights_are_nothing_to_export_unless_that_is_allowed(fleet, tmp_path):
    chosen = {"tables": "flights", "period": "2020"}
    with pytest.raises(fk.NothingToReport, match="Nothing is left to export"):
        fleet.export(tmp_path, **chosen)
    fleet.export(tmp_path, **chosen, allow_empty=True)
    assert (tmp_path / "flights.csv").read_text(encoding="utf-8-sig").startswith("flight_id,")


@pytest.mark.parametrize("tables", [None, ["projects", "flight_equipment"]])
def test_tables_that_dates_do_not_cut_hide_no_period_without_flights(fleet, tmp_path, tables):
    out = tmp_path / "out"
    for narrowed, dates in ((fleet, {"period": "2030"}), (fleet.where(since="2030"), {})):
        with pytest.raises(fk.NothingToReport, match=r"flight_equipment hold no record"):
            narrowed.export(out, tables=tables, **dates)
        assert not out.exists()
        narrowed.export(out, tables=tables, allow_empty=True, **dates)
        shutil.rmtree(out)


@pytest.mark.slow
def test_a_table_that_the_key_can_not_read_is_left_out_unless_it_is_named(tiny, tmp_path):
    key = tiny.store.create_key(tiny.organisation, name="part", scopes=["service:read"])
    with fk.connect(tiny.base_url, key, progress=False) as fleet:
        exported = fleet.export(tmp_path)
        assert exported.rows == {"services": 2, "tiers": 2}
        assert exported.left_out["flights"] == "equipment:read"
        assert "Left out: projects; the key lacks the scope project:read." in exported.lines
        with pytest.raises(fk.Forbidden, match="project:read"):
            fleet.export(tmp_path, tables="projects")
        # Take-offs are asked for by their format.
        with pytest.raises(fk.Forbidden, match="equipment:read"):
            fleet.export(tmp_path, formats=["csv", "geojson"])


@pytest.mark.slow
def test_the_command_tells_that_it_left_tables_out(run, tiny):
    key = tiny.store.create_key(tiny.organisation, name="part", scopes=["service:read"])
    code, out, _ = run("export", "--json", "--base-url", tiny.base_url, key=key)
    told = json.loads(out)
    assert (code, told["state"], told["left_out"]["flights"]) == (0, "partial", "equipment:read")


def test_files_that_can_not_all_be_written_leave_the_old_ones(fleet, tmp_path):
    fleet.export(tmp_path, tables="flights", period="2026-10")
    before = (tmp_path / "flights.csv").read_bytes()
    (tmp_path / "projects.csv").mkdir()
    with pytest.raises(fk.FleetkitError, match=r"projects\.csv can't be written"):
        fleet.export(tmp_path, tables=["flights", "projects"])
    assert (tmp_path / "flights.csv").read_bytes() == before
    assert names(tmp_path) == ["flights.csv", "projects.csv"]


@pytest.mark.slow
def test_an_earlier_state_of_a_mirror_is_exported(
    run, serve_records, tiny_records, tmp_path, monkeypatch
):
    served = serve_records(tiny_records)
    sync = ["sync", "mirror", "--base-url", served.base_url]
    run(*sync, key=served.api_key)
    tiny_records["projects"][0] |= {"title": "Renamed", "updatedAt": "2026-10-02T08:00:00.000Z"}
    served.store.load(served.organisation, projects=tiny_records["projects"])
    run(*sync, key=served.api_key)
    titles = {}
    monkeypatch.setenv("FLEETKIT_BASE_URL", "http://127.0.0.1:9")  # nobody listens there
    for options in ([], ["--version", "1"]):
        chosen = ["--tables", "projects", "--columns", "project_id,title", *options]
        code, out, err = run("export", "--mirror", "mirror", *chosen)
        assert (code, out, err) == (0, "export/projects.csv: 3 rows\n", "")
        written = pd.read_csv(tmp_path / "export" / "projects.csv").set_index("project_id")
        titles[len(options)] = written.loc["proj_bridge", "title"]
    assert titles == {0: "Renamed", 2: "Bridge inspection"}
    chosen = ["--tables", "flights", "--period", "2026-10", "--tz", "Europe/Oslo", "--json"]
    assert json.loads(run("export", "--mirror", "mirror", *chosen)[1])["version"] == 2
    flown = pd.read_csv(tmp_path / "export" / "flights.csv")["flight_id"]
    assert flown.tolist() == ["fl_5", "fl_1", "fl_2"]  # in October there; fl_3 isn't


@pytest.mark.slow
def test_the_demo_is_exported_as_it_is_on_a_day_up_to_the_day_before(run, tmp_path):
    code, _, err = run("export", "--demo", "--as-of", "2026-06-20", "--tables", "flights")
    assert (code, err) == (0, "")
    flown = pd.read_csv(tmp_path / "export" / "flights.csv")["flight_date"]
    assert flown.max()[:10] == "2026-06-19"


@pytest.mark.slow
def test_the_command_writes_what_its_options_say_and_tells_it_as_json(run, tiny, tmp_path):
    chosen = ["--tables", "flights", "--period", "2026-10", "--format", "csv,geojson"]
    served = ["--base-url", tiny.base_url, "--out", "tables", "--json"]
    code, out, err = run("export", *chosen, *served, key=tiny.api_key)
    told = json.loads(out)
    written = (tmp_path / "tables" / "flights.csv").stat().st_mtime
    assert datetime.fromisoformat(told["fetched_at"]).timestamp() < written
    assert (code, err, told["state"], told["exit_code"]) == (0, "", "complete", 0)
    assert told["counts"] == {"flights": 3}
    assert told["paths"] == {
        "flights.csv": "tables/flights.csv",
        "take_offs.geojson": "tables/take_offs.geojson",
    }
    assert (told["without_position"], told["version"]) == (0, None)
    assert names(tmp_path / "tables") == ["flights.csv", "take_offs.geojson"]
    assert [key for key in told if f"`{key}`" not in MANUAL] == []
    days = ["--since", "2026-10-02", "--until", "2026-11-01", "--tz", "Europe/Oslo"]
    run("export", "--tables", "flights,projects", "--details", *days, *served, key=tiny.api_key)
    flights, projects = (
        pd.read_csv(tmp_path / "tables" / f"{name}.csv") for name in ("flights", "projects")
    )
    assert flights["flight_id"].tolist() == ["fl_2"]  # fl_3 began on 1 November there
    assert "Bridge 2026" in projects["crm_deal_name"].tolist()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--tables", "flihgts"], "Did you mean flights?"),
        (["--tables", ","], "There is no table"),
        (["--format", "xls"], "Did you mean xlsx?"),
        (["--period", "2026-13"], "is not a valid period"),
        (["--period", "2026-10", "--since", "2026-10-02"], "exclude each other"),
        (["--month", "2026-10", "--period", "2026-09"], "one period at a time"),
        (["--since", "2026-10-02", "--until", "2026-10-01"], "lie after --since 2026-10-02"),
        (["--until", "yesterday"], "'yesterday' is not a date or time"),
        (["--mirror", "mirror", "--demo"], "--mirror and --demo exclude each other"),
        (["--version", "1"], "need --mirror"),
        (["--filter", "colour=red"], "is not a filter"),
        (["--tabels", "flights"], "Did you mean --tables?"),
    ],
)
def test_an_option_that_cannot_be_read_is_one_line_and_exit_code_2(run, options, says):
    code, _, err = run("export", *options)
    assert (code, len(err.splitlines())) == (2, 1)
    assert says in err


@pytest.mark.slow
def test_a_column_that_there_is_not_is_one_line_and_exit_code_2(run, tiny):
    columns = ["--columns", "flihgt_id", "--base-url", tiny.base_url]
    code, _, err = run("export", *columns, key=tiny.api_key)
    assert (code, len(err.splitlines()), "Did you mean flight_id?" in err) == (2, 1, True)


@pytest.mark.slow
def test_a_client_or_a_pilot_that_there_is_not_is_exit_code_3_and_writes_nothing(
    run, tiny, tmp_path
):
    pilot = ["--filter", "pilot=Nobody", "--base-url", tiny.base_url]
    code, _, err = run("export", *pilot, key=tiny.api_key)
    assert (code, "No flight has pilot='Nobody'" in err) == (3, True)
    options = ["--client", "Nobody", "--base-url", tiny.base_url]
    code, out, err = run("export", *options, key=tiny.api_key)
    assert (code, out, len(err.splitlines())) == (3, "", 1)
    assert "--allow-empty" in err
    assert names(tmp_path) == []
    assert run("export", *options, "--allow-empty", key=tiny.api_key)[0] == 0


@pytest.mark.slow
def test_an_option_of_names_that_is_repeated_counts_each_time(run, serve_records):
    clients = {"proj_1": "Fjord", "proj_2": "Harbour", "proj_3": "Quarry"}
    projects = [a_project(key, clientAccountName=client) for key, client in clients.items()]
    served = serve_records({"projects": projects})
    chosen = ["--tables", "projects", "--tables", "services", "--format", "csv"]
    chosen += ["--format", "parquet", "--allow-empty", "--filter", "client=Fjord"]
    chosen += ["--client", "Harbour", "--client", "Quarry"]
    code, out, err = run("export", *chosen, "--base-url", served.base_url, key=served.api_key)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "export/projects.csv: 3 rows",
        "export/services.csv: 0 rows",
        "export/projects.parquet: 3 rows",
        "export/services.parquet: 0 rows",
    ]
