"""Import loses nothing silently: each file is read correctly, or refused by file and line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import requests
from conftest import TINY, serving

from fleetkit.errors import DataError, FleetkitError, InvalidValue
from fleetkit.server.demo import demo_records
from fleetkit.server.importing import import_folder
from fleetkit.server.importing.file_rows import LONGEST_RECORD
from fleetkit.server.reader import FlightQuery
from fleetkit.server.store import Store


@pytest.fixture
def store():
    store = Store("sqlite://")
    store.create_organisation("Aerie")
    yield store
    store.close()


def put(folder, **files):
    """Write files; ``equipment_json`` is ``equipment.json``."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / ".".join(name.rsplit("_", 1))
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def import_errors(store, folder):
    """Import an invalid folder and return its problems, one per line."""
    with pytest.raises(DataError) as caught:
        import_folder(store, "Aerie", folder)
    with store.reading() as reader:
        assert reader.page("equipment", 1, page=1, limit=1).total == 0
    return str(caught.value).splitlines()[1:]


def equipment(store):
    """Return the equipment of the organisation, by id."""
    with store.reading() as reader:
        documents = reader.page("equipment", 1, page=1, limit=1_000).documents
    return {document["id"]: document for document in map(json.loads, documents)}


# -- JSON ------------------------------------------------------------------------------------

EQ = '{"id": "eq_1"}'


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (f'[{EQ}]\n[{{"id": "eq_2"}}]', 2, "more follows after the end of the records"),
        (f"[{EQ}]\n\nand so on", 3, "more follows after the end of the records"),
        (f'{{"data": [{EQ}]}}\n{EQ}', 2, "more follows after the end of the records"),
        (f"[{EQ}", 1, "this is not JSON"),
        (f'[{EQ},\n{{"id": "eq_', 2, "this is not JSON"),
        (f"[{EQ},]", "1, record 2", "this is not JSON"),
        ('[{"id": "eq_1",\n"name": "a",\n"weight": }]', 3, "this is not JSON"),
        (f"[{EQ} {EQ}]", 1, "this is not JSON: Expecting , or ]"),
        ("\n{1: 2}", 2, "this is not JSON: Expecting a name in double quotes"),
        (f"[{EQ},\n\n7]", 3, "a record is an object"),
        ("", 1, "the file is empty"),
        (" \n ", 1, "the file is empty"),
        (EQ, 1, "a file with a record on each line ends in .jsonl"),
        ('{"success": false,\n"error": {"code": "X"}}', 2, "answer to a request that failed"),
        (f'{{"success": false, "data": [{EQ}]}}', 1, "the answer to a request that failed"),
        (f'{{"data": [{EQ}],\n"success": false}}', 2, "the answer to a request that failed"),
        (f'{{"data": [{EQ}],\n"errors": []}}', 2, "the answer to a request that failed"),
        ('{"error": {"data": []}}', 1, "the answer to a request that failed"),
        (f'{{"success": true, "data": {EQ}}}', 1, "neither a list of records nor an answer"),
        (f'{{"data": [{EQ}],\n"data": []}}', 2, "'data' is given twice in one object"),
        (f'{{"data": [{EQ}],\n"next": "/v1"}}', 2, "'next' is not part of an answer"),
        (
            f'{{"data": [{EQ}],\n"meta": {{"pagination": {{}}, "next": "/v1"}}}}',
            *(2, "meta has other fields than pagination"),
        ),
        ('[{"id": "eq_1",\n"weight": 1, "weight": 2}]', 1, "'weight' is given twice in one object"),
        ('[{"id": "eq_1", "specifications": {"a": "1", "a": "2"}}]', 1, "'a' is given twice"),
        ("[" * 100_000, 1, "values are nested too deeply"),
        ('[{"id": "eq_1", "name":' + "[" * 100_000, 1, "values are nested too deeply"),
        ('[{"id": "eq_1", "weight": ' + "9" * 5_000 + "}]", 1, "a number has 5000 digits"),
        ('[{"id": "eq_1", "weight": -Infinity}]', 1, "-Infinity is not a number in JSON"),
        (
            f'[\n{EQ},\n{{"id": "eq_2", "name": "\udcff"}}]',
            3,
            "this is not UTF-8 text; save it as UTF-8",
        ),
    ],
)
def test_json_that_is_not_one_whole_list_is_refused(store, tmp_path, content, line, message):
    put(tmp_path, equipment_json=content.encode("utf-8", "surrogateescape"))
    (error,) = import_errors(store, tmp_path)
    assert error.startswith(f"equipment.json, line {line}: ")
    assert message in error


def an_answer(rows, **pagination):
    records = [{"id": f"eq_{number}"} for number in range(rows)]
    return json.dumps({"success": True, "data": records, "meta": {"pagination": pagination}})


@pytest.mark.parametrize("pagination", [{}, {"total": 2}, {"hasMore": False, "total": 2}])
def test_a_complete_saved_answer_is_imported(store, tmp_path, pagination):
    put(tmp_path, equipment_json=an_answer(2, **pagination))
    assert import_folder(store, "Aerie", tmp_path).rows == {"equipment": 2}


@pytest.mark.parametrize(
    "pagination",
    [{"hasMore": True, "total": 2}, {"total": 57}, {"hasMore": True}, {"page": 2, "total": 3}],
)
def test_a_saved_page_of_several_is_refused(store, tmp_path, pagination):
    put(tmp_path, equipment_json=an_answer(2, **pagination))
    (error,) = import_errors(store, tmp_path)
    assert "this is one page of several, 2 of" in error


def test_the_rest_of_an_answer_may_precede_its_data(store, tmp_path):
    text = '{"meta": {"pagination": {"hasMore": %s}}, "data": [{"id": "eq_1"}]}'
    put(tmp_path, equipment_json=text % "true")
    assert "one page of several" in import_errors(store, tmp_path)[0]
    put(tmp_path, equipment_json=text % "false")
    assert import_folder(store, "Aerie", tmp_path).rows == {"equipment": 1}


@pytest.mark.slow
def test_records_are_found_wherever_a_file_is_cut_while_it_is_read(store, tmp_path):
    # Records of many lengths: the ends of what is read at once fall into all of their parts.
    rows = [
        {"id": f"eq_{number}", "name": "æ" * (number % 997), "weight": number}
        for number in range(2_000)
    ]
    put(tmp_path, equipment_json=json.dumps(rows, ensure_ascii=False, indent=1))
    assert import_folder(store, "Aerie", tmp_path).rows == {"equipment": 2_000}
    with store.reading() as reader:
        pages = [reader.page("equipment", 1, page=n, limit=1_000, order="id") for n in (1, 2)]
    read = [json.loads(document) for page in pages for document in page.documents]
    assert {row["id"]: (row["name"], row["weight"]) for row in read} == {
        row["id"]: (row["name"], row["weight"]) for row in rows
    }


@pytest.mark.slow
def test_the_line_is_right_far_into_a_large_file(store, tmp_path):
    rows = [json.dumps({"id": f"eq_{number}", "name": "x" * 300}) for number in range(3_000)]
    for wrong, message in (
        ('{"id": "eq_2500", "weight": "heavy"}', "weight = 'heavy' is not a number."),
        ('{"id": "eq_2500", "name": "\udcff"}', "this is not UTF-8 text; save it as UTF-8."),
    ):
        rows[2_500] = wrong
        text = "[\n" + ",\n".join(rows) + "\n]"
        put(tmp_path, equipment_json=text.encode("utf-8", "surrogateescape"))
        assert import_errors(store, tmp_path) == [f"equipment.json, line 2502: {message}"]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (f'{EQ}\n\n{{"id": "eq_2", "id": "eq_3"}}', 3, "'id' is given twice in one object"),
        (f"{EQ} {EQ}", 1, "this is not JSON: Extra data"),
        (f"{EQ}\n{EQ[:-1]}", 2, "this is not JSON"),
        (f"{EQ}\n" + "[" * 100_000, 2, "it is nested too deeply"),
        (f'{EQ}\n{{"id": "eq_2", "name": "{"x" * LONGEST_RECORD}"}}', 2, "the line is longer than"),
        (f"{EQ}\n\udcff", 2, "this is not UTF-8 text"),
    ],
)
def test_json_lines_that_are_not_a_record_each_are_refused(store, tmp_path, content, line, message):
    put(tmp_path, equipment_jsonl=content.encode("utf-8", "surrogateescape"))
    (error,) = import_errors(store, tmp_path)
    assert error.startswith(f"equipment.jsonl, line {line}: ")
    assert message in error


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv"])
def test_a_byte_order_mark_and_windows_line_ends_are_read(store, tmp_path, suffix):
    content = {"json": f"[\r\n{EQ}\r\n]\r\n", "jsonl": f"{EQ}\r\n", "csv": "id\r\neq_1\r\n"}[suffix]
    put(tmp_path, **{f"equipment_{suffix}": "\ufeff" + content})
    import_folder(store, "Aerie", tmp_path)
    assert list(equipment(store)) == ["eq_1"]


# -- CSV -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "there is no line of column names"),
        (b"\n\nid\neq_1\n", 1, "there is no line of column names"),
        (b"id\tname\neq_1\ta\n", 1, "separated by tabs; separate them by commas"),
        (b",id\n0,eq_1\n", 1, "a column has no name, as that of row numbers"),
        ("id\neq_1\n".encode("utf-16"), 1, "this is UTF-16; save it as UTF-8"),
        (b"id\rname\req_1\r", 1, "lines end in a carriage return only"),
        (b"id,name\neq_1,a\n\neq_2,\xe6\n", 4, "this is not UTF-8 text; save it as UTF-8"),
        (b'id,name\neq_1,a\neq_2,"b\neq_3,c\n', 3, "a quotation mark is not closed"),
        (b'id,name\neq_1,"a"b\n', 2, "this is not CSV"),
        (b"id,name\neq_1,a,b\n", 2, "3 cells under 2 columns"),
        (b'[{"id":"eq_1"}]', 1, 'there is no column \'[{"id":"eq_1"}]\''),
    ],
)
def test_csv_that_is_ambiguous_is_refused(store, tmp_path, content, line, message):
    put(tmp_path, equipment_csv=content)
    (error,) = import_errors(store, tmp_path)
    assert error.startswith(f"equipment.csv, line {line}: ")
    assert message in error


# -- columns ---------------------------------------------------------------------------------


def test_an_unknown_column_is_reported_once(store, tmp_path):
    put(tmp_path, equipment_csv="id,colour\neq_1,red\neq_2,red\neq_3,red\n")
    assert import_errors(store, tmp_path) == ["equipment.csv, line 2: there is no column 'colour'."]


@pytest.mark.parametrize(
    ("names", "twins"),
    [
        (("id", "equipment_id"), "id and equipment_id"),
        (("serialNumber", "serial_number"), "serialNumber and serial_number"),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_two_columns_of_one_field_are_refused(store, tmp_path, names, twins, suffix):
    row = {"id": "eq_1", **dict.fromkeys(names, "eq_1")}
    if suffix == "csv":
        put(tmp_path, equipment_csv=f"{','.join(row)}\n{','.join(row.values())}\n")
    elif suffix == "json":
        put(tmp_path, equipment_json=json.dumps([row]))
    else:
        pq.write_table(pa.Table.from_pylist([row]), tmp_path / "equipment.parquet")
    (error,) = import_errors(store, tmp_path)
    assert f"the columns {twins} are of one field" in error


def test_two_parquet_columns_of_one_name_are_refused(store, tmp_path):
    column = pa.array(["eq_1"])
    pq.write_table(
        pa.Table.from_arrays([column, column], ["id", "id"]), tmp_path / "equipment.parquet"
    )
    assert import_errors(store, tmp_path) == ["equipment.parquet: the column 'id' is there twice."]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"pilotInCommand": {"id": "prof_1", "name": "Ada"}}, "pilotInCommand has no field 'name'"),
        (
            {"pilotInCommand": {"id": "prof_1", "fullName": "A", "full_name": "B"}},
            "pilotInCommand.fullName is given twice",
        ),
        (
            {"pilotInCommand": {"id": "prof_1"}, "pilot_name": "Ada"},
            "pilotInCommand is given both as a whole and in parts",
        ),
        ({"pilotInCommand": []}, "pilotInCommand = [] is not an object"),
    ],
)
def test_nothing_inside_a_record_is_ignored_either(store, tmp_path, record, message):
    put(tmp_path, flights_json=json.dumps([{"id": "fl_1", **record}]))
    assert import_errors(store, tmp_path) == [f"flights.json, line 1: {message}."]


def test_what_has_no_specifications_or_tiers_has_none_of_them(store, tmp_path):
    put(tmp_path, equipment_csv="id\neq_1\n", services_csv="id\nsvc_1\n")
    import_folder(store, "Aerie", tmp_path)
    with store.reading() as reader:
        (service,) = reader.services(1).documents
    assert (equipment(store)["eq_1"]["specifications"], json.loads(service)["tiers"]) == ({}, [])


def test_a_tier_is_read_by_all_its_names_and_known_once(store, tmp_path):
    def services(*tiers):
        return json.dumps([{"id": f"svc_{n}", "tiers": tier} for n, tier in enumerate(tiers)])

    put(tmp_path, services_json=services([{"tier_id": "tier_1", "tierLevel": 2}]))
    import_folder(store, "Aerie", tmp_path)
    with store.reading() as reader:
        (document,) = reader.services(1).documents
    assert json.loads(document)["tiers"][0]["tierLevel"] == 2
    twice = [{"id": "tier_1"}]
    for wrong, message in (
        (services([{"id": "tier_1", "levels": 2}]), ": tiers has no field 'levels'"),
        (services(twice, twice), ", record 2: the tier tier_1 is there twice"),
        (services(["tier_1"]), ": tiers = ['tier_1'] is not a list of records"),
    ):
        put(tmp_path, services_json=wrong)
        assert import_errors(store, tmp_path) == [f"services.json, line 1{message}."]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("eq_1,,6S", "line 2: name = None is not text"),
        ("eq_1,battery,6S\neq_1,battery,4S", "line 3: eq_1 has 'battery' twice"),
        ("eq_1,payload,1 kg", "line 2: eq_1 has specifications in equipment.json, too"),
    ],
)
def test_specifications_are_neither_lost_nor_invented(store, tmp_path, rows, message):
    own = {"payload": "2 kg"} if "payload" in rows else {}
    put(
        tmp_path,
        equipment_json=json.dumps([{"id": "eq_1", "specifications": own}]),
        specifications_csv=f"equipment_id,name,value\n{rows}\n",
    )
    assert import_errors(store, tmp_path) == [f"specifications.csv, {message}."]


# -- cells -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "field", "value", "message"),
    [
        ("equipment", "totalFlights", 2**63, "is beyond 64 bits"),
        ("flights", "durationSeconds", 1e300, "is beyond 64 bits"),
        ("services", "displayOrder", -(2**63) - 1, "is beyond 64 bits"),
        ("services", "displayOrder", "9" * 30, "is beyond 64 bits"),
        ("equipment", "weight", "1e400", "is not a number"),
        ("equipment", "weight", "12,5", "is not a number"),
        ("equipment", "weight", "NaN", "is not a number"),
        ("equipment", "name", "\ud800", "is not valid Unicode (it has a lone surrogate)"),
        ("equipment", "specifications", {"\udfff": "a"}, "is not valid Unicode"),
        (
            "flights",
            "pilotInCommand",
            {"id": "prof_1", "fullName": "\udc00"},
            "is not valid Unicode",
        ),
        ("equipment", "specifications", "{bad", "is not an object of short texts"),
        ("equipment", "specifications", "[" * 9_999, "is not an object of short texts"),
        ("services", "tiers", "[[", "is not a list of records"),
        ("flights", "flightDate", "31/10/2026", "ISO 8601 timestamp such as 2026-10-31T09:30:00Z"),
        ("flights", "flightDate", 1793439000, "is not an ISO 8601 timestamp"),
        ("flights", "flightDate", "0001-01-01T00:00:00+23:00", "is not an ISO 8601 timestamp"),
        ("flights", "bvlos", "yes", "is not true or false"),
        ("flights", "bvlos", 1, "is not true or false"),
        ("equipment", "name", "x" * LONGEST_RECORD, "a record has at most 500000"),
        ("equipment", "description", "x", "there is no column 'description'"),
        ("projects", "scheduled", "x", "'scheduled'. Did you mean scheduledDate?"),
        ("projects", "SCHEDULEDDATE", "x", "'SCHEDULEDDATE'. Did you mean scheduledDate?"),
    ],
)
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_a_cell_that_the_client_cannot_read_is_refused(  # noqa: PLR0917
    store, tmp_path, table, field, value, message, suffix
):
    prefix = {"equipment": "eq", "flights": "fl", "services": "svc", "projects": "proj"}[table]
    record = {"id": f"{prefix}_1", field: value}
    content = json.dumps([record]) if suffix == "json" else json.dumps(record)
    put(tmp_path, **{f"{table}_{suffix}": content})
    if len(content) > LONGEST_RECORD:
        message = message if suffix == "json" else "the line is longer than"
    (error,) = import_errors(store, tmp_path)
    assert error.startswith(f"{table}.{suffix}, line 1: ")
    assert message in error
    error.encode()


def test_services_that_are_too_long_together_are_one_problem(store, tmp_path, monkeypatch):
    monkeypatch.setattr("fleetkit.server.importing._LONGEST_ANSWER", 1_000)
    rows = [json.dumps({"id": f"svc_{number}", "name": "x" * 400}) for number in range(4)]
    put(tmp_path, services_jsonl="\n".join(rows))
    assert import_errors(store, tmp_path) == [
        "services.jsonl, line 2: all services together have more than 1000 bytes."
    ]


def test_what_follows_from_the_problem_of_another_file_is_no_problem(store, tmp_path):
    put(
        tmp_path,
        equipment_csv="id,weight\neq_1,heavy\n",
        specifications_csv="equipment_id,name,value\neq_1,battery,6S\n",
        flight_equipment_csv="flight_id,equipment_id\nfl_1,eq_1\n",
    )
    assert import_errors(store, tmp_path) == [
        "equipment.csv, line 2: weight = 'heavy' is not a number."
    ]


def test_an_empty_list_is_a_table_without_rows(store, tmp_path):
    put(tmp_path, services_json="[ ]")
    assert import_folder(store, "Aerie", tmp_path).rows == {"services": 0}


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("weight", " 4.5 ", 4.5),
        ("weight", "120", 120),
        ("totalFlights", "9223372036854775807", 2**63 - 1),
        ("totalFlights", "1e3", 1000),
        ("weight", ".5", 0.5),
        ("totalFlights", "9007199254740993.0", 2**53 + 1),
        ("purchaseDate", " 2026-10-31 ", "2026-10-31T00:00:00.000Z"),
        ("purchaseDate", "2026-10-31T01:00:00+02:00", "2026-10-30T23:00:00.000Z"),
        ("purchaseDate", "2026-10-31 01:00:00.0000000 +02:00", "2026-10-30T23:00:00.000Z"),
        ("name", " Kestrel ", " Kestrel "),
        ("name", '"a ""b"", c"', 'a "b", c'),
        ("specifications", '"{""battery"": ""6S""}"', {"battery": "6S"}),
    ],
)
def test_cells_of_csv_are_read_right(store, tmp_path, field, text, value):
    put(tmp_path, equipment_csv=f"id,{field}\neq_1,{text}\n")
    import_folder(store, "Aerie", tmp_path)
    assert equipment(store)["eq_1"][field] == value


def test_booleans_are_read_in_any_case(store, tmp_path):
    put(
        tmp_path,
        flights_csv="id,bvlos,nightFlight\nfl_1,TRUE,False\nfl_2, true ,\n",
        equipment_csv="id\neq_1\n",
        flight_equipment_csv="flight_id,equipment_id\nfl_1,eq_1\nfl_2,eq_1\n",
    )
    import_folder(store, "Aerie", tmp_path)
    with store.reading() as reader:
        flights = [
            json.loads(document)
            for document in reader.flights(1, "eq_1", FlightQuery(), page=1, limit=5).documents
        ]
    assert [(flight["bvlos"], flight["nightFlight"]) for flight in flights] == [
        (True, None),
        (True, False),
    ]


def test_decimals_of_parquet_are_read(store, tmp_path):
    table = pa.table(
        {
            "id": ["eq_1", "eq_2"],
            "weight": pa.array([Decimal("4.50"), None], pa.decimal128(12, 2)),
            "totalFlights": pa.array([Decimal(7), Decimal(0)], pa.decimal128(38, 0)),
        }
    )
    pq.write_table(table, tmp_path / "equipment.parquet")
    import_folder(store, "Aerie", tmp_path)
    pieces = equipment(store)
    assert [pieces["eq_1"][name] for name in ("weight", "totalFlights")] == [4.5, 7]
    assert pieces["eq_2"]["weight"] is None


def test_a_wrong_value_of_parquet_is_reported_by_its_row(store, tmp_path):
    rows = [{"id": "eq_1", "name": "A", "weight": 1.0}, {"id": "eq_2", "name": "B", "weight": -2.0}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "equipment.parquet")
    [message] = import_errors(store, tmp_path)
    assert message == "equipment.parquet, row 2: weight = -2.0 is below 0."


def test_a_value_of_parquet_that_python_lacks_is_reported_by_its_row(store, tmp_path):
    moments = pa.array([0, 2**62, 0], pa.timestamp("us"))
    table = pa.table({"id": ["eq_1", "eq_2", "eq_3"], "purchaseDate": moments})
    pq.write_table(table, tmp_path / "equipment.parquet")
    assert import_errors(store, tmp_path)[0].startswith(
        "equipment.parquet, row 2: a value can't be read"
    )


def test_what_results_from_a_wrong_row_is_not_reported_again(store, tmp_path):
    put(
        tmp_path,
        flights_csv="id,bvlos\nfl_1,perhaps\n",
        equipment_csv="id\neq_1\n",
        flight_equipment_csv="flight_id,equipment_id\nfl_1,eq_1\n",
    )
    assert [line.partition(",")[0] for line in import_errors(store, tmp_path)] == ["flights.csv"]


def test_a_pair_of_flight_and_equipment_that_is_there_twice_is_reported(store, tmp_path):
    pairs = ["fl_1,eq_1", "fl_1,eq_2", "fl_2,eq_1", "fl_1,eq_1", "flight,eq_1"]
    put(
        tmp_path,
        flights_csv="id\nfl_1\nfl_2\n",
        equipment_csv="id\neq_1\neq_2\n",
        flight_equipment_csv="\n".join(["flight_id,equipment_id", *pairs]),
    )
    assert import_errors(store, tmp_path) == [
        "flight_equipment.csv, line 6: 'flight' is not an identifier such as fl_1a2b.",
        "flight_equipment.csv, line 5: the flight fl_1 is there twice with the equipment eq_1.",
    ]


@pytest.mark.slow
def test_duplicate_ids_are_reported_by_the_later_line(store, tmp_path):
    ids = [*(f"eq_{number}" for number in range(10_000)), "eq_7", "eq_9", "eq_7"]
    put(tmp_path, equipment_csv="\n".join(["id", *ids]))
    assert import_errors(store, tmp_path) == [
        "equipment.csv, line 10002: eq_7 is there twice.",
        "equipment.csv, line 10003: eq_9 is there twice.",
        "equipment.csv, line 10004: eq_7 is there twice.",
    ]


# -- folders ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("flights.csv.gz", "Unpack it"),
        ("flights.json.zst", "Unpack it"),
        ("export.zip", "Unpack it"),
        ("flights.tsv", "Save it as CSV"),
        ("flights.xlsx", "Save it as CSV"),
        ("Everything.XLS", "Save it as CSV"),
        ("flights.feather", "Save it as Parquet"),
        ("flights.txt", "is named after a table, but can't be read"),
        ("flights", "is named after a table, but can't be read"),
        ("flights.2026.csv", "is named after a table, but can't be read"),
        ("flights-2.csv", "is not named after a table"),
        ("Equipment.CSV", "have records of the same table"),
    ],
)
def test_a_file_beside_that_may_hold_records_is_refused(store, tmp_path, name, message):
    put(tmp_path, equipment_csv="id\neq_1\n")
    (tmp_path / name).write_text("id\n")
    with pytest.raises(InvalidValue, match=re.escape(message)) as caught:
        import_folder(store, "Aerie", tmp_path)
    assert name in str(caught.value)


def test_files_without_records_are_named_and_hidden_files_are_not(store, tmp_path):
    put(tmp_path, equipment_csv="id\neq_1\n")
    for name in ("README.md", ".DS_Store", ".flights.csv.swp", "~$flights.xlsx", "photo.jpg"):
        (tmp_path / name).write_text("x")
    (tmp_path / "archive").mkdir()
    assert import_folder(store, "Aerie", tmp_path).not_read == (
        "README.md",
        "archive/",
        "photo.jpg",
    )


@pytest.mark.parametrize("name", ["equipment.csv", "equipment.parquet", "flights"])
def test_a_folder_that_is_named_like_a_file_is_refused(store, tmp_path, name):
    put(tmp_path, services_json="[]")
    (tmp_path / name).mkdir()
    with pytest.raises(InvalidValue, match=r"is a folder|can't be read"):
        import_folder(store, "Aerie", tmp_path)


def test_a_pipe_that_is_named_like_a_file_is_refused(store, tmp_path):
    os.mkfifo(tmp_path / "equipment.csv")
    with pytest.raises(InvalidValue, match=r"equipment.csv is not a file"):
        import_folder(store, "Aerie", tmp_path)


def test_a_file_that_vanishes_is_a_clear_error(store, tmp_path):
    put(tmp_path, services_json="[]")
    (tmp_path / "equipment.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(InvalidValue, match=r"equipment.csv is not a file"):
        import_folder(store, "Aerie", tmp_path)


def test_a_file_that_cannot_be_read_is_a_clear_error(store, tmp_path):
    (tmp_path / "equipment.csv").symlink_to("/proc/self/mem")  # nothing is at its beginning
    assert import_errors(store, tmp_path) == [
        "equipment.csv: it can't be read: Input/output error."
    ]


def test_names_of_files_may_be_in_capitals(store, tmp_path):
    (tmp_path / "Equipment.CSV").write_text("id\neq_1\n")
    pq.write_table(pa.table({"id": ["fl_1", "flight"]}), tmp_path / "FLIGHTS.PARQUET")
    assert import_errors(store, tmp_path) == [
        "FLIGHTS.PARQUET, row 2: 'flight' is not an identifier such as fl_1a2b."
    ]
    (tmp_path / "FLIGHTS.PARQUET").unlink()
    assert import_folder(store, "Aerie", tmp_path).rows == {"equipment": 1}


def test_flights_that_no_list_shows_are_counted(store, tmp_path):
    put(tmp_path, flights_csv="id\nfl_1\nfl_2\n", equipment_csv="id\neq_1\n")
    import_folder(store, "Aerie", tmp_path)
    assert store.unlisted_flights("Aerie") == 2
    put(tmp_path, flight_equipment_csv="flight_id,equipment_id\nfl_1,eq_1\n")
    import_folder(store, "Aerie", tmp_path)
    assert store.unlisted_flights("Aerie") == 1


# -- several at once, and large ones ---------------------------------------------------------


@pytest.mark.slow
def test_readers_see_the_state_before_an_import_until_it_is_whole(tmp_path):
    from contextlib import ExitStack

    with ExitStack() as stack:
        served = serving(stack, TINY, None, f"sqlite:///{tmp_path / 'fleet.db'}")

        def total():
            headers = {"X-API-Key": served.api_key}
            answer = requests.get(f"{served.base_url}/v1/equipment", headers=headers, timeout=10)
            return answer.json()["meta"]["pagination"]["total"]

        with served.store.writing(served.organisation) as writer:
            writer.put("equipment", [{"id": f"eq_{number}"} for number in range(6_000)])
            assert total() == 3
        assert total() == 6_003


@pytest.mark.slow
def test_two_imports_at_once_take_turns(tmp_path):
    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    Store(url).create_organisation("Aerie")
    folders = []
    for half in (0, 1):
        rows = [{"id": f"eq_{number}"} for number in range(half * 500, half * 500 + 1_000)]
        folders.append(put(tmp_path / str(half), equipment_json=json.dumps(rows)))
    problems = []

    def run(folder):
        try:
            import_folder(Store(url), "Aerie", folder)
        except FleetkitError as problem:
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(folder,)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    with Store(url).reading() as reader:
        assert reader.page("equipment", 1, page=1, limit=1).total == 1_500


# `resource` would count what the process held that started this one, too.
MEASURE = """
import re, sys
from pathlib import Path
from fleetkit.server.importing import import_folder
from fleetkit.server.store import Store
store = Store("sqlite:///" + sys.argv[1] + "/fleet.db")
store.create_organisation("Aerie")
for folder in sys.argv[2:]:
    import_folder(store, "Aerie", folder)
    print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.fixture(scope="module")
def flights():
    return demo_records(equipment=16, flights=5_000, months=3)["flights"]


def write_flights(folder, suffix, rows):
    put(folder)
    if suffix == "json":
        put(folder, flights_json=json.dumps(rows))
    elif suffix == "jsonl":
        put(folder, flights_jsonl="\n".join(map(json.dumps, rows)))
    else:
        table = pa.Table.from_pylist(rows).drop_columns(["pilotInCommand", "project"])
        if suffix == "parquet":
            pq.write_table(table, folder / "flights.parquet", row_group_size=10_000)
        else:
            table.to_pandas().to_csv(folder / "flights.csv", index=False)
    return str(folder)


@pytest.mark.slow
def test_a_large_file_takes_no_more_memory_than_a_small_one(tmp_path, flights):
    folders = []
    for name, times in (("small", 1), ("large", 7)):
        rows = [
            {**flight, "id": f"{flight['id']}_{n}", "pilotInCommand": None, "project": None}
            for n in range(times)
            for flight in flights
        ]
        for suffix in ("json", "jsonl", "csv", "parquet"):
            folders.append(write_flights(tmp_path / f"{name}_{suffix}", suffix, rows))
    command = [sys.executable, "-c", MEASURE, str(tmp_path), *folders]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    *_, small = map(int, out[:4])
    # 30,000 flights more, read whole, take 46 MB beside the 32 MB of the database's own cache.
    assert [int(large) - small <= 40 for large in out[4:]] == [True] * 4, out
