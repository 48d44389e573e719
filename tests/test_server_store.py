"""The store: what is stored of records and keys, and how."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading

import pytest
import requests
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from fleetkit.errors import DataError, FleetkitError, InvalidValue
from fleetkit.server.asgi import create_app
from fleetkit.server.reader import FlightQuery
from fleetkit.server.running import running
from fleetkit.server.store import Store


def owner_of(store, organisation):
    key = store.create_key(organisation, name="k")
    with store.reading() as reader:
        return reader.authenticate(key).organisation


def flight_ids(store, organisation, equipment):
    owner = owner_of(store, organisation)
    with store.reading() as reader:
        page = reader.flights(owner, equipment, FlightQuery(), page=1, limit=100)
    return [json.loads(document)["id"] for document in page.documents]


def test_a_record_is_served_as_it_was_given(store):
    org = store.create_organisation("A")
    given = {"id": "eq_1", "name": "Ærø", "weight": 120, "purchaseCost": 120.0, "colour": "red"}
    store.load(org, equipment=[given])
    with store.reading() as reader:
        document, _ = reader.record("equipment", owner_of(store, org), "eq_1")
    assert document == (
        '{"id":"eq_1","name":"Ærø","weight":120,"purchaseCost":120.0,"colour":"red"}'
    )


def test_an_organisation_whose_records_cannot_be_written_is_not_there_either(store):
    with pytest.raises(DataError, match="fl_9, eq_9"):
        store.load("Aerie", is_new=True, flight_equipment=[("fl_9", "eq_9")])
    assert store.organisations() == []
    store.load("Aerie", is_new=True, equipment=[{"id": "eq_1"}])
    assert [organisation.name for organisation in store.organisations()] == ["Aerie"]
    with pytest.raises(InvalidValue, match="'Aerie' already"):
        store.load("Aerie", is_new=True)


def test_an_edited_flight_moves_in_the_lists_of_all_its_equipment(store, tiny_records):
    org = store.create_organisation("A")
    store.load(org, **tiny_records)
    moved = {**tiny_records["flights"][0], "flightDate": "2026-11-30T00:00:00.000Z"}
    store.load(org, flights=[moved])
    assert flight_ids(store, org, "eq_camera") == ["fl_1", "fl_2"]
    assert flight_ids(store, org, "eq_kestrel")[0] == "fl_1"


def test_a_full_database_in_memory_says_that_a_file_holds_more():
    store = Store("sqlite://")
    org = store.create_organisation("A")
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 30")
    rows = [{"id": f"eq_{number}", "name": "x" * 1_000} for number in range(200)]
    with pytest.raises(FleetkitError, match=r"full.*Nothing was changed.*in memory.*use a file"):
        store.load(org, equipment=rows)
    store.close()


def test_loading_is_all_or_nothing(store, tiny_records):
    org = store.create_organisation("A")
    tiny_records["flight_equipment"].append(("fl_1", "eq_nowhere"))
    with pytest.raises(DataError, match="eq_nowhere"):
        store.load(org, **tiny_records)
    owner = owner_of(store, org)
    with store.reading() as reader:
        assert reader.page("equipment", owner, page=1, limit=20).total == 0


@pytest.mark.slow
def test_what_one_request_reads_is_of_one_state_although_records_are_written(
    new_database, tmp_path, tiny_records
):
    url = new_database()
    store = Store(f"sqlite:///{tmp_path}/fleet.db" if url == "sqlite://" else url)
    org = store.create_organisation("A")
    store.load(org, equipment=tiny_records["equipment"])
    owner = owner_of(store, org)
    with store.reading() as reader:
        assert reader.page("equipment", owner, page=1, limit=20).total == 3
        store.load(org, equipment=[{"id": "eq_late"}])
        assert reader.page("equipment", owner, page=1, limit=20).total == 3
    with store.reading() as reader:
        assert reader.page("equipment", owner, page=1, limit=20).total == 4
    store.close()


@pytest.mark.slow
def test_two_writers_of_one_organisation_wait_for_each_other(new_database, tmp_path):
    url, wait = new_database(), "?options=-c%20lock_timeout%3D50&host="
    first, second = url, url.replace("?host=", wait)
    if url == "sqlite://":
        first = second = f"sqlite:///{tmp_path}/fleet.db?timeout=0.05"
    store, other = Store(first), Store(second)
    store.create_organisation("A")
    with store.writing("A"), pytest.raises(FleetkitError, match="lock"), other.writing("A"):
        pass
    with other.writing("A"):
        pass
    store.close()
    other.close()


def test_neither_password_nor_values_are_in_what_a_store_says(new_database):
    store = Store(new_database().replace("//fleetkit@", "//fleetkit:very-secret@"))
    with store.engine.connect() as connection, pytest.raises(DBAPIError) as failed:
        connection.execute(text("SELECT :key FROM nowhere"), {"key": "very-secret"})
    assert "very-secret" not in f"{store!r} {failed.value}"
    store.close()


def test_a_password_in_the_query_is_not_in_the_error_of_a_database_that_is_not_there(tmp_path):
    with pytest.raises(InvalidValue, match="can't be opened") as failed:
        Store(f"postgresql+psycopg:///fleet?host={tmp_path}&password=very-secret")
    assert "very-secret" not in str(failed.value)


def test_removed_records_are_in_no_list(store, tiny_records):
    org = store.create_organisation("A")
    store.load(org, **tiny_records)
    store.remove(org, flights=["fl_1"], flight_equipment=[("fl_2", "eq_camera")])
    assert flight_ids(store, org, "eq_camera") == []
    assert flight_ids(store, org, "eq_kestrel") == ["fl_4", "fl_3", "fl_2", "fl_5"]
    store.remove(org, flight_equipment=[("fl_4", "eq_kestrel")])
    assert flight_ids(store, org, "eq_kestrel") == ["fl_3", "fl_2", "fl_5"]


def test_the_error_of_an_invalid_value_names_record_and_field(store):
    org = store.create_organisation("A")
    for name, value, kind in (
        ("flightDate", "yesterday", "an ISO 8601 timestamp"),
        ("durationSeconds", "long", "a number"),
    ):
        with pytest.raises(DataError, match=f"fl_1: {name} = '{value}' is not {kind}"):
            store.load(org, flights=[{"id": "fl_1", name: value}])


def test_each_of_eight_that_open_an_empty_database_at_once_finds_its_tables(new_database, tmp_path):
    url, together, found = new_database(), threading.Barrier(8), []
    shared = f"sqlite:///{tmp_path}/fleet.db" if url == "sqlite://" else url

    def find():
        together.wait()
        with contextlib.closing(Store(shared)) as store:
            found.append(store.organisations())

    threads = [threading.Thread(target=find) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[]] * 8


@pytest.mark.slow
@pytest.mark.parametrize("new_database", ["postgresql"], indirect=True)
def test_a_request_after_a_restart_of_postgresql_is_answered(new_database):
    store, other = Store(url := new_database()), Store(url)
    headers = {"X-API-Key": store.create_key(store.create_organisation("A"), name="k")}
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    with running(create_app(store)) as base_url:
        for _ in range(2):
            answer = requests.get(f"{base_url}/v1/equipment", headers=headers, timeout=30)
            assert answer.status_code == 200
            with other.engine.connect() as connection:
                others = "datname = current_database() AND pid <> pg_backend_pid()"
                connection.execute(text(f"{end} WHERE {others}"))
    store.close()
    other.close()


@pytest.mark.slow
@pytest.mark.parametrize("new_database", ["postgresql"], indirect=True)
def test_of_a_full_disk_of_postgresql_it_is_said_what_to_do(new_database):
    store = Store(new_database())
    full = "DO $$ BEGIN RAISE EXCEPTION 'No space left' USING ERRCODE = 'disk_full'; END $$"
    message = r"be written: No space left\. Nothing was changed\. Free some space on the disk"
    with pytest.raises(FleetkitError, match=message), store._writing() as connection:
        connection.execute(text(full))
    store.close()


# Slow: it needs a PostgreSQL of its own.
@pytest.mark.slow
@pytest.mark.parametrize("new_database", ["postgresql"], indirect=True)
def test_a_postgresql_of_any_encoding_serves_texts_whole_or_says_which_one_to_use(new_database):
    names = {}
    with contextlib.closing(Store(new_database())) as store:
        for encoding in ("SQL_ASCII", "LATIN1"):
            name = names[encoding] = f"{store.engine.url.database}_{encoding.lower()}"
            with store.engine.connect() as connection:
                connection.execution_options(isolation_level="AUTOCOMMIT").execute(
                    text(
                        f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0"
                        " LOCALE 'C' LOCALE_PROVIDER libc"
                    )
                )
        url = {key: store.engine.url.set(database=name) for key, name in names.items()}
    given = {"id": "eq_1", "name": "飛行"}
    with contextlib.closing(Store(str(url["SQL_ASCII"]))) as store:
        store.load(org := store.create_organisation("Ø"), equipment=[given])
        with store.reading() as reader:
            document, _ = reader.record("equipment", owner_of(store, org), "eq_1")
        assert json.loads(document) == given
    with contextlib.closing(Store(str(url["LATIN1"]))) as store:
        org = store.create_organisation("Ø")
        with pytest.raises(FleetkitError, match=r"Nothing was changed\. Use .* ENCODING 'UTF8'"):
            store.load(org, equipment=[given])


def test_a_scope_that_does_not_exist_is_refused(store):
    org = store.create_organisation("A")
    with pytest.raises(InvalidValue, match="fleet:write"):
        store.create_key(org, name="k", scopes=["fleet:write"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("fleet.db", "Write an address such as sqlite:///fleet.db"),
        ("oracle://fleet", "Write an address such as sqlite:///fleet.db"),
        ("sqlite:////nowhere/at/all/fleet.db", "unable to open database file"),
        (
            "postgresql+psycopg://u:secret@127.0.0.1:9/fleet",
            "Check that it runs there and has a connection left",
        ),
        ("postgresql+psycopg://u:a@secret@127.0.0.1:9/fleet", "has an @. Write it as %40"),
        ("postgresql+psycopg://u:a@b/secret@127.0.0.1:9/fleet", "has an @. Write it as %40"),
        ("postgresql+pg9000://u:secret@127.0.0.1:9/fleet", "Write an address such as"),
        (
            "sqlite+aiosqlite:///fleet.db",
            "needs the package aiosqlite, which is not installed. Write an address such as sqlite",
        ),
    ],
)
def test_a_database_that_cannot_be_opened_is_a_clear_error(url, message):
    with pytest.raises(InvalidValue, match=message) as caught:
        Store(url)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_not_a_database_is_a_clear_error(tmp_path):
    (tmp_path / "notes.txt").write_text("dear diary, " * 100)
    with pytest.raises(InvalidValue, match=r"file is not a database\. Name another file"):
        Store(f"sqlite:///{tmp_path / 'notes.txt'}")


def test_a_database_with_a_table_of_another_layout_is_refused_and_left_as_it_is(tmp_path):
    file = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE flights (pk, passenger)")
    with pytest.raises(InvalidValue, match=r"table flights is not of .* Name another database"):
        Store(f"sqlite:///{file}")
    with contextlib.closing(sqlite3.connect(file)) as other:
        names = [name for (name,) in other.execute("SELECT name FROM sqlite_schema")]
    assert names == ["flights"]


def test_two_stores_on_one_file_see_each_others_records(tmp_path, tiny_records):
    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    one, other = Store(url), Store(url)
    one.load(one.create_organisation("A"), **tiny_records)
    assert flight_ids(other, "A", "eq_camera") == ["fl_2", "fl_1"]


@pytest.fixture
def file(tmp_path, tiny_records):
    """Return the address of a database file that holds the tiny organisation."""
    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    store = Store(url)
    store.load(store.create_organisation("A"), **tiny_records)
    store.close()
    return tmp_path / "fleet.db"


@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_read_only_database_is_served(file, journal):
    import sqlite3

    with contextlib.closing(Store(f"sqlite:///{file}")) as store:
        key = store.create_key("A", name="k")
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.close()
    store = Store(f"sqlite:///file:{file}?mode=ro&uri=true")
    with running(create_app(store)) as base_url:
        for _ in range(3):
            answer = requests.get(
                f"{base_url}/v1/equipment", headers={"X-API-Key": key}, timeout=10
            )
            assert answer.json()["meta"]["pagination"]["total"] == 3
    with pytest.raises(FleetkitError) as refused:
        store.create_organisation("B")
    assert str(refused.value) == (
        "The database can't be written: attempt to write a readonly database. Nothing was changed. "
        "Check that you may write to the file, to its folder, and to those beside it whose names "
        "go on with -wal and -shm."
    )
    store.close()


def test_a_read_only_database_is_not_created(tmp_path):
    with pytest.raises(InvalidValue, match="unable to open"):
        Store(f"sqlite:///file:{tmp_path}/none.db?mode=ro&uri=true")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lock", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_database_that_is_being_written_is_a_clear_error(file, lock):
    store = Store(f"sqlite:///{file}?timeout=0.05")
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute(lock)
        with pytest.raises(FleetkitError, match=r"database is locked\. Nothing was changed\. Anot"):
            store.create_organisation("B")
        assert [organisation.name for organisation in store.organisations()] == ["A"]
    store.create_organisation("B")


def test_a_new_database_that_another_one_is_writing_opens_once_that_one_has_finished(tmp_path):
    file = tmp_path / "new.db"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    with contextlib.closing(other):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InvalidValue, match=r"database is locked\. Another process is writing"):
            Store(f"sqlite:///{file}?timeout=0.05")
        finish = threading.Timer(0.1, other.rollback)
        finish.start()
        with contextlib.closing(Store(f"sqlite:///{file}")) as store:
            assert store.organisations() == []
        finish.join()


def test_a_table_that_vanished_is_a_clear_error(file):
    store = Store(f"sqlite:///{file}")
    with store.engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE api_keys")
    with pytest.raises(FleetkitError, match="can't be read: no such table"):
        store.keys()


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": "svc_1", "name": "\ud800"}, "svc_1 can't be stored: text is not valid Unicode"),
        ({"id": 7}, "7 is not a valid id."),
        ({"id": ".."}, "'..' is not a valid id."),  # no client could ask for it
        ({"id": "svc_1?"}, r"'svc_1\?' is not a valid id\. .* without spaces, /, \? and #"),
        ({"id": "svc_1", "createdAt": 7}, "svc_1: createdAt = 7 is not an ISO 8601 timestamp"),
    ],
)
def test_the_error_of_a_record_that_cannot_be_stored_names_its_id(store, record, message):
    with pytest.raises(DataError, match=message):
        store.load(store.create_organisation("A"), services=[record])


@pytest.mark.parametrize("order", ["name", "id"])
def test_texts_sort_by_their_characters_in_every_database(store, order):
    org = store.create_organisation("A")
    names = ["eq_Z", "eq_a", "eq_b", "eq_Ä"]
    store.load(org, equipment=[{"id": name, "name": name} for name in reversed(names)])
    owner = owner_of(store, org)
    with store.reading() as reader:
        page = reader.page("equipment", owner, page=1, limit=4, order=order)
    assert [json.loads(document)["id"] for document in page.documents] == names


def test_odd_values_neither_break_a_list_nor_its_order(store):
    org = store.create_organisation("A")
    orders = [2**70, -(2**70), 1e300, "many", None, {"a": 1}, float("1")]
    services = [{"id": f"svc_{n}", "displayOrder": order} for n, order in enumerate(orders)]
    durations = [2**63 - 1, 2**80, 10.4, "60", None]
    flights = [
        {"id": f"fl_{n}", "durationSeconds": duration} for n, duration in enumerate(durations)
    ]
    types = [{"id": "fl_9", "flightType": {"a": 1}}, {"id": "fl_8", "flightType": "\x00"}]
    pairs = [(record["id"], "eq_1") for record in (*flights, *types)]
    store.load(
        org,
        services=services,
        flights=[*flights, *types],
        equipment=[{"id": "eq_1"}],
        flight_equipment=pairs,
        projects=[{"id": "proj_1", "status": ["DRAFT"]}],
    )
    owner = owner_of(store, org)
    with store.reading() as reader:
        listed = [json.loads(document)["id"] for document in reader.services(owner).documents]
    assert (listed[0], set(listed[-2:])) == ("svc_1", {"svc_0", "svc_2"})
    assert set(flight_ids(store, org, "eq_1")) == {flight for flight, _ in pairs}
