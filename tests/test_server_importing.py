"""Import: files in the reference's shapes, every row checked, all or nothing."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import requests
from conftest import TINY, an_equipment

from fleetkit.errors import DataError, InvalidValue
from fleetkit.export import to_csv
from fleetkit.server.demo import demo_records
from fleetkit.server.importing import import_folder
from fleetkit.server.store import Store


@pytest.fixture
def store(store):
    store.create_organisation("Aerie")
    return store


def write_json(folder, records):
    for name, rows in records.items():
        shaped = rows
        if name == "flight_equipment":
            shaped = [{"flightId": flight, "equipmentId": equipment} for flight, equipment in rows]
        (folder / f"{name}.json").write_text(json.dumps(shaped, ensure_ascii=False))


def write_csv(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def stored(store):
    """Return what the organisation holds, as the server would send it."""
    owner = 1
    with store.reading() as reader:
        records = {
            name: reader.page(name, owner, page=1, limit=10_000, order="id").documents
            for name in ("equipment", "projects")
        }
        records["services"] = reader.services(owner, "id").documents
        from fleetkit.server.reader import FlightQuery

        for piece in records["equipment"]:
            identifier = json.loads(piece)["id"]
            page = reader.flights(owner, identifier, FlightQuery(), page=1, limit=10_000)
            records[identifier] = page.documents
    return {name: [json.loads(row) for row in rows] for name, rows in records.items()}


@pytest.fixture
def loaded(store):
    """Return what an organisation holds after the tiny records were loaded directly."""
    store.load("Aerie", **TINY)
    records = stored(store)
    store.remove(
        "Aerie",
        **{
            name: [record["id"] for record in TINY[name]]
            for name in TINY
            if name != "flight_equipment"
        },
    )
    return records


def test_json_in_the_references_shapes_is_imported_unchanged(store, loaded, tmp_path):
    write_json(tmp_path, TINY)
    assert import_folder(store, "Aerie", tmp_path).rows == {
        "flights": 5,
        "equipment": 3,
        "projects": 3,
        "services": 2,
        "flight_equipment": 7,
    }
    assert stored(store) == loaded


def test_json_lines_and_an_answers_body_are_imported_too(store, loaded, tmp_path):
    write_json(tmp_path, TINY)
    (tmp_path / "flights.json").unlink()
    lines = "\n".join(json.dumps(flight) for flight in TINY["flights"])
    (tmp_path / "flights.jsonl").write_text(lines)
    answer = {"success": True, "data": TINY["equipment"], "meta": {"pagination": {}}}
    (tmp_path / "equipment.json").write_text(json.dumps(answer, indent=2))
    import_folder(store, "Aerie", tmp_path)
    assert stored(store) == loaded


def flat_flights():
    return [
        {
            "flight_id": flight["id"],
            **{name: flight[camel] for name, camel in (("flight_date", "flightDate"),)},
            "flight_type": flight["flightType"],
            "duration_seconds": flight["durationSeconds"],
            "bvlos": flight["bvlos"],
            "pilot_id": (flight["pilotInCommand"] or {}).get("id"),
            "pilot_name": (flight["pilotInCommand"] or {}).get("fullName"),
            "project.id": (flight["project"] or {}).get("id"),
            "project.title": (flight["project"] or {}).get("title"),
        }
        for flight in TINY["flights"]
    ]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_flat_files_with_the_columns_of_a_dataframe_are_imported(store, loaded, tmp_path, kind):
    write_json(tmp_path, {**TINY, "flights": []})
    (tmp_path / "flights.json").unlink()
    if kind == "csv":
        write_csv(tmp_path / "flights.csv", flat_flights())
    else:
        pq.write_table(pa.Table.from_pylist(flat_flights()), tmp_path / "flights.parquet")
    import_folder(store, "Aerie", tmp_path)
    columns = (
        "id",
        "flightDate",
        "flightType",
        "durationSeconds",
        "bvlos",
        "pilotInCommand",
        "project",
    )
    for actual, expected in zip(stored(store)["eq_kestrel"], loaded["eq_kestrel"], strict=True):
        assert {name: actual[name] for name in columns} == {
            name: expected[name] for name in columns
        }
        assert actual["operationType"] is None


def test_tiers_and_specifications_may_be_separate_files(store, loaded, tmp_path):
    services = [{**service, "tiers": []} for service in TINY["services"]]
    equipment = [{**piece, "specifications": {}} for piece in TINY["equipment"]]
    write_json(tmp_path, {**TINY, "services": services, "equipment": equipment})
    write_csv(
        tmp_path / "tiers.csv",
        [{"service_id": "svc_survey", **tier} for tier in TINY["services"][0]["tiers"]],
    )
    pairs = TINY["equipment"][0]["specifications"].items()
    write_csv(
        tmp_path / "specifications.csv",
        [{"equipment_id": "eq_kestrel", "name": name, "value": value} for name, value in pairs],
    )
    import_folder(store, "Aerie", tmp_path)
    assert stored(store) == loaded


def test_a_record_of_a_known_id_is_replaced_as_a_whole(store, tmp_path):
    store.load("Aerie", equipment=[an_equipment("eq_1", weight=4.5)])
    (tmp_path / "equipment.csv").write_text("id,name\neq_1,Kite\n")
    import_folder(store, "Aerie", tmp_path)
    key = store.create_key("Aerie", name="k")
    with store.reading() as reader:
        organisation = reader.authenticate(key).organisation
        record = json.loads(reader.record("equipment", organisation, "eq_1")[0])
    assert (record["name"], record["weight"]) == ("Kite", None)


def test_the_same_ids_again_are_updated(store, tmp_path):
    write_json(tmp_path, TINY)
    import_folder(store, "Aerie", tmp_path)
    longer = [{**flight, "durationSeconds": 60} for flight in TINY["flights"]]
    (tmp_path / "flights.json").write_text(json.dumps(longer))
    import_folder(store, "Aerie", tmp_path)
    assert [flight["durationSeconds"] for flight in stored(store)["eq_kestrel"]] == [60] * 5


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("flights id", "flight-1", "'flight-1' is not an identifier such as fl_1a2b"),
        ("flights id", None, "there is no id, such as fl_1a2b"),
        ("flights id", "fl_a/b", "'fl_a/b' is not an identifier such as fl_1a2b"),
        (
            "flights flightDate",
            "31.10.2026",
            "flightDate = '31.10.2026' is not an ISO 8601 timestamp such as 2026-10-31T09:30:00Z",
        ),
        ("flights flightDate", "2026-10-31T06.5", "flightDate = '2026-10-31T06.5' is not an ISO"),
        ("flights flightType", "FUN", "flightType = 'FUN' is not one of COMMERCIAL, RECREATIONAL"),
        ("flights durationSeconds", -1, "durationSeconds = -1 is below 0"),
        ("flights durationSeconds", 1.5, "durationSeconds = 1.5 is not a whole number"),
        ("flights durationSeconds", "1_000", "durationSeconds = '1_000' is not a whole number"),
        ("flights traveledDistance", -1, "traveledDistance = -1 is below 0"),
        ("equipment weight", -1, "weight = -1 is below 0"),
        ("equipment purchaseCost", -0.5, "purchaseCost = -0.5 is below 0"),
        ("equipment totalFlights", -1, "totalFlights = -1 is below 0"),
        ("equipment totalFlightHours", -0.5, "totalFlightHours = -0.5 is below 0"),
        ("projects agreedPrice", -1, "agreedPrice = -1 is below 0"),
        ("projects estimatedCost", -1, "estimatedCost = -1 is below 0"),
        ("services baseRate", -1, "baseRate = -1 is below 0"),
        ("services displayOrder", 2**63, "displayOrder = 9223372036854775808 is beyond 64 bits"),
        ("flights takeoffLat", 91, "takeoffLat = 91 is not within -90 … 90"),
        ("flights landingLat", -90.5, "landingLat = -90.5 is not within -90 … 90"),
        ("flights takeoffLng", 180.5, "takeoffLng = 180.5 is not within -180 … 180"),
        ("flights landingLng", -181, "landingLng = -181 is not within -180 … 180"),
        ("flights nightFlight", "perhaps", "nightFlight = 'perhaps' is not true or false"),
        ("flights pilotInCommand", {"id": "Ada"}, "'Ada' is not an identifier such as prof_1a2b"),
        ("flights durration", 5, "there is no column 'durration'"),
        (
            "flights equipmentId",
            "eq_1",
            "there is no column 'equipmentId'. The file flight_equipment says which equipment flew",
        ),
        ("equipment weight", True, "weight = True is not a number"),
        (
            "equipment specifications",
            {"a": 1},
            "specifications = {'a': 1} is not an object of short",
        ),
        ("equipment name", 7, "name = 7 is not text"),
        ("projects status", "LOST", "status = 'LOST' is not one of DRAFT, CONFIRMED"),
        ("services tiers", [{"id": "one"}], "'one' is not an identifier such as tier_1a2b"),
    ],
)
def test_a_wrong_value_is_reported_by_file_and_line(store, tmp_path, place, value, message):
    name, field = place.split()
    rows = [*TINY[name][:-1], {**TINY[name][-1], field: value}]
    text = "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]"
    write_json(tmp_path, TINY)
    (tmp_path / f"{name}.json").write_text(text)
    with pytest.raises(DataError) as caught:
        import_folder(store, "Aerie", tmp_path)
    assert f"\n{name}.json, line {len(rows) + 1}: {message}" in str(caught.value)
    assert stored(store)["equipment"] == []


def test_the_least_and_the_largest_of_what_a_value_may_be_are_imported(store, tmp_path):
    ends = [
        {"takeoffLat": -90.0, "takeoffLng": -180.0, "durationSeconds": 0},
        {"takeoffLat": 90.0, "takeoffLng": 180.0, "durationSeconds": 2**63 - 1},
    ]
    logged = [row | end for row, end in zip(TINY["flights"], ends, strict=False)]
    drone = TINY["equipment"][0]["id"]
    flown = [(row["id"], drone) for row in logged]
    write_json(tmp_path, {**TINY, "flights": logged, "flight_equipment": flown})
    import_folder(store, "Aerie", tmp_path)
    got = sorted(stored(store)[drone], key=lambda row: row["id"])
    assert [{name: row[name] for name in ends[0]} for row in got] == ends


def test_texts_that_an_export_kept_from_running_are_imported_as_they_were(store, tmp_path):
    names = ["-10 to 40 °C", "=1+1", " @A1", "'=1", "''-5", "'quoted'", "It's 5", "＋1", "\t"]
    names += ["Roof;=SUM(A1)", "Roof;'=SUM(A1)", "\n-A1|'x'", "\t\n=(\r='(", "Roof;'north'"]
    rows = pd.DataFrame({"equipment_id": [f"eq_{n:02}" for n in range(len(names))], "name": names})
    (tmp_path / "equipment.csv").write_bytes(to_csv(rows))
    import_folder(store, "Aerie", tmp_path)
    assert [piece["name"] for piece in stored(store)["equipment"]] == names


def test_the_line_of_a_csv_is_right_after_cells_of_several_lines(store, tmp_path):
    text = 'id,name,weight\neq_1,"two\nlines",1\neq_2,b,heavy\n'
    (tmp_path / "equipment.csv").write_text(text)
    with pytest.raises(DataError, match=r"equipment.csv, line 4: weight = 'heavy' is not a number"):
        import_folder(store, "Aerie", tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("equipment.csv", b"id;name\neq_1;a\n", "line 1: the cells are separated by semicolons"),
        ("equipment.csv", b"id,id\neq_1,eq_1\n", "line 1: the column 'id' is there twice"),
        ("equipment.csv", b"id,name\neq_1\n", "line 2: 1 cells under 2 columns"),
        ("equipment.csv", b"id,name\neq_1,\xff\n", "line 2: this is not UTF-8 text"),
        ("equipment.csv", b'id,name\neq_1,"a\n', "line 2: a quotation mark is not closed"),
        ("equipment.json", b"hello", "line 1: this is neither a list of records"),
        ("equipment.json", b'[\n{"id": "eq_1"},\n{"id": }]', "line 3: this is not JSON"),
        (
            "equipment.json",
            b'[{"id": "eq_1", "weight": NaN}]',
            "line 1: this is not JSON: NaN is not a number in JSON",
        ),
        ("equipment.jsonl", b'{"id": "eq_1"}\n[]\n', "line 2: a record is an object"),
        ("equipment.parquet", b"PAR1", "this is not Parquet"),
        ("equipment.csv", b"id\neq_1\neq_1\n", "line 3: eq_1 is there twice"),
        (
            "flight_equipment.csv",
            b"flight_id,equipment_id\nfl_1,eq_1\n",
            "line 2: there is no flight fl_1",
        ),
        ("tiers.csv", b"service_id,id\nsvc_1,tier_1\n", "line 2: svc_1 is not in the services"),
    ],
)
def test_a_file_with_invalid_content_is_reported(store, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        import_folder(store, "Aerie", tmp_path)
    assert message in str(caught.value)


def test_the_first_twenty_problems_are_reported(store, tmp_path):
    write_csv(tmp_path / "equipment.csv", [{"id": f"eq_{n}", "weight": "x"} for n in range(50)])
    with pytest.raises(DataError) as caught:
        import_folder(store, "Aerie", tmp_path)
    assert len(str(caught.value).splitlines()) == 21
    assert "The first ones:" in str(caught.value)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([], "has no file to import"),
        (["flight.csv"], "flight.csv is not named after a table"),
        (["equipment.csv", "equipment.json"], "have records of the same table"),
    ],
)
def test_a_folder_that_cannot_be_imported_is_refused(store, tmp_path, files, message):
    for name in (*files, "README.md"):
        (tmp_path / name).write_text("id\n")
    with pytest.raises(InvalidValue, match=message):
        import_folder(store, "Aerie", tmp_path)
    tables = "equipment, flights, flight_equipment, projects, services, tiers, specifications"
    with pytest.raises(InvalidValue, match=f"no folder .* of the files {tables}"):
        import_folder(store, "Aerie", tmp_path / "elsewhere")


@pytest.mark.slow
def test_the_demo_organisation_is_imported_completely(tmp_path):
    store = Store("sqlite://")
    store.create_organisation("Aerie")
    records = demo_records(equipment=16, flights=400, months=3)
    write_json(tmp_path, records)
    import_folder(store, "Aerie", tmp_path)
    imported = stored(store)
    again = Store("sqlite://")
    again.load(again.create_organisation("Aerie"), **records)
    assert imported == stored(again)


# An import that kills its process while it inserts into a table, or before it commits.
IMPORT = """
import os, signal, sys
from sqlalchemy import event
from fleetkit.server.importing import import_folder
from fleetkit.server.store import Store

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def begin(connection, cursor, statement, *_):
    if statement.startswith(f"INSERT INTO {sys.argv[3]} "):
        cursor.connection.set_progress_handler(die, 100)  # within it

store = Store(sys.argv[1])
event.listen(store.engine, "before_cursor_execute", begin)
event.listen(store.engine, "commit", die)
import_folder(store, "Aerie", sys.argv[2])
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Return a folder of files whose import takes several statements."""
    folder = tmp_path_factory.mktemp("many")
    write_json(folder, demo_records(equipment=16, flights=400, months=3))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("table", ["equipment", "flight_equipment", "none"])
def test_an_import_that_is_killed_leaves_a_sound_database_as_it_was(many, tmp_path, table):
    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    store = Store(url)
    store.create_organisation("Aerie")
    store.load("Aerie", **TINY)
    before = stored(store)
    store.close()
    run = [sys.executable, "-c", IMPORT, url, str(many), table]
    assert subprocess.run(run, check=False).returncode == -signal.SIGKILL
    store = Store(url)
    assert stored(store) == before
    with store.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    store.load("Aerie", **TINY)
    assert stored(store) == before


@pytest.mark.slow
def test_a_server_that_runs_serves_what_was_imported_since_it_began(serve_records, tmp_path):
    served = serve_records(TINY)
    write_json(tmp_path, demo_records(equipment=16, flights=500, months=3))
    import_folder(served.store, served.organisation, tmp_path)
    headers = {"X-API-Key": served.api_key}
    answer = requests.get(f"{served.base_url}/v1/equipment", headers=headers, timeout=10)
    assert answer.json()["meta"]["pagination"]["total"] == 3 + 16
