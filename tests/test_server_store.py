"""The store: what is kept of records and keys, and how."""

from __future__ import annotations

import json

import pytest

from fleetkit.errors import DataError, InvalidValue
from fleetkit.server.reader import FlightQuery
from fleetkit.server.store import Store


@pytest.fixture
def store(new_database):
    store = Store(new_database())
    yield store
    store.close()


def owner_of(store, organisation):
    key = store.create_key(organisation, name="k")
    with store.reading() as reader:
        return reader.authenticate(key).organisation


def flight_ids(store, organisation, equipment):
    owner = owner_of(store, organisation)
    with store.reading() as reader:
        page = reader.flights(owner, equipment, FlightQuery(), page=1, limit=100)
    return [json.loads(each)["id"] for each in page.documents]


def test_a_record_is_served_as_it_was_given(store):
    org = store.create_organisation("A")
    given = {"id": "eq_1", "name": "Ærø", "weight": 120, "purchaseCost": 120.0, "colour": "red"}
    store.load(org, equipment=[given])
    with store.reading() as reader:
        document, _ = reader.record("equipment", owner_of(store, org), "eq_1")
    assert document == (
        '{"id":"eq_1","name":"Ærø","weight":120,"purchaseCost":120.0,"colour":"red"}'
    )


def test_an_edited_flight_moves_to_its_new_place_under_all_its_equipment(store, tiny_records):
    org = store.create_organisation("A")
    store.load(org, **tiny_records)
    moved = {**tiny_records["flights"][0], "flightDate": "2026-11-30T00:00:00.000Z"}
    store.load(org, flights=[moved])
    assert flight_ids(store, org, "eq_camera") == ["fl_1", "fl_2"]
    assert flight_ids(store, org, "eq_kestrel")[0] == "fl_1"


def test_loading_is_all_or_nothing(store, tiny_records):
    org = store.create_organisation("A")
    tiny_records["flight_equipment"].append(("fl_1", "eq_nowhere"))
    with pytest.raises(DataError, match="eq_nowhere"):
        store.load(org, **tiny_records)
    owner = owner_of(store, org)
    with store.reading() as reader:
        assert reader.page("equipment", owner, page=1, limit=20).total == 0


def test_removed_records_leave_every_list(store, tiny_records):
    org = store.create_organisation("A")
    store.load(org, **tiny_records)
    store.remove(org, flights=["fl_1"], flight_equipment=[("fl_2", "eq_camera")])
    assert flight_ids(store, org, "eq_camera") == []
    assert flight_ids(store, org, "eq_kestrel") == ["fl_4", "fl_3", "fl_2", "fl_5"]


def test_a_timestamp_that_is_none_is_an_error_that_names_record_and_field(store):
    org = store.create_organisation("A")
    with pytest.raises(DataError, match="fl_1: flightDate = 'yesterday'"):
        store.load(org, flights=[{"id": "fl_1", "flightDate": "yesterday"}])


def test_a_scope_that_does_not_exist_is_refused(store):
    org = store.create_organisation("A")
    with pytest.raises(InvalidValue, match="fleet:write"):
        store.create_key(org, name="k", scopes=["fleet:write"])


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("fleet.db", "Give one such as sqlite:///fleet.db"),
        ("oracle://fleet", "Give one such as sqlite:///fleet.db"),
        ("sqlite:////nowhere/at/all/fleet.db", "unable to open database file"),
        ("postgresql+psycopg://u:secret@127.0.0.1:9/fleet", "can't be opened"),
    ],
)
def test_a_database_that_can_not_be_opened_is_a_clear_error(url, says):
    with pytest.raises(InvalidValue, match=says) as caught:
        Store(url)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_a_clear_error(tmp_path):
    (tmp_path / "notes.txt").write_text("dear diary, " * 100)
    with pytest.raises(InvalidValue, match="file is not a database"):
        Store(f"sqlite:///{tmp_path / 'notes.txt'}")


def test_a_duration_that_is_none_is_an_error_that_names_record_and_field(store):
    org = store.create_organisation("A")
    with pytest.raises(DataError, match="fl_1: durationSeconds = 'long' is not a number"):
        store.load(org, flights=[{"id": "fl_1", "durationSeconds": "long"}])


def test_two_stores_on_one_file_see_each_others_records(tmp_path, tiny_records):
    url = f"sqlite:///{tmp_path / 'fleet.db'}"
    one, other = Store(url), Store(url)
    one.load(one.create_organisation("A"), **tiny_records)
    assert flight_ids(other, "A", "eq_camera") == ["fl_2", "fl_1"]
