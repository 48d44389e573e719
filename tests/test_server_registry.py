"""Organisations and keys: created, listed, revoked, and shown once."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
import requests
from processes import no_thread
from sqlalchemy import event

from fleetkit.errors import InvalidValue
from fleetkit.schema import SCOPES
from fleetkit.server import key_usage
from fleetkit.server.key_usage import KeyUsage
from fleetkit.server.store import Store


def status(served, key):
    answer = requests.get(f"{served.base_url}/v1/services", headers={"X-API-Key": key}, timeout=10)
    return answer.status_code


def test_organisations_are_listed_by_name(store):
    ids = {name: store.create_organisation(name) for name in ("Zephyr", "Ærø Air", "Aerie")}
    assert [organisation.name for organisation in store.organisations()] == [
        "Aerie",
        "Zephyr",
        "Ærø Air",
    ]
    assert {organisation.name: organisation.id for organisation in store.organisations()} == ids


@pytest.mark.parametrize("name", ["Aerie", "  "])
def test_an_organisation_needs_a_name_of_its_own(store, name):
    store.create_organisation("Aerie")
    with pytest.raises(InvalidValue):
        store.create_organisation(name)


def test_whoever_names_an_organisation_where_there_is_none_is_told_what_makes_one(store):
    with pytest.raises(InvalidValue, match=r"none yet; store\.create_organisation\(name\)"):
        store.create_key("Aerie", name="cron")


def test_an_organisation_is_named_by_its_id_or_its_name(store):
    organisation = store.create_organisation("Aerie")
    store.create_key("Aerie", name="by name")
    store.create_key(organisation, name="by id")
    store.create_key(store.create_organisation("Zephyr"), name="another's")
    assert [key.name for key in store.keys("Aerie")] == ["by id", "by name"]
    assert len(store.keys()) == 3
    with pytest.raises(InvalidValue, match="no organisation 'Eyrie'"):
        store.create_key("Eyrie", name="k")


def test_the_list_of_keys_shows_everything_but_the_key(store):
    store.create_organisation("Aerie")
    expires = datetime(2030, 1, 1, tzinfo=UTC)
    key = store.create_key("Aerie", name="report", scopes=[*SCOPES[:2], SCOPES[0]], expires=expires)
    (info,) = store.keys()
    assert key not in repr(info)
    assert (info.prefix, info.organisation, info.name) == (key[:11], "Aerie", "report")
    assert (info.scopes, info.expires_at) == (SCOPES[:2], expires)
    assert (info.revoked_at, info.last_used_at) == (None, None)
    assert abs(info.created_at - datetime.now(UTC)) < timedelta(minutes=1)


def test_a_revoked_key_stops_working_at_once(serve_records, tiny_records):
    served = serve_records(tiny_records)
    assert status(served, served.api_key) == 200
    served.store.revoke_key(served.api_key[:11])
    assert status(served, served.api_key) == 401
    first = served.store.keys()[0].revoked_at
    served.store.revoke_key(served.api_key[:11])
    assert served.store.keys()[0].revoked_at == first


def test_revoking_an_unknown_key_never_repeats_its_secret_part(store):
    with pytest.raises(InvalidValue) as caught:
        store.revoke_key("fk_12345678SECRETSECRET")
    assert "'fk_12345678'" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_the_last_use_of_a_key_is_recorded(serve_records, tiny_records):
    served = serve_records(tiny_records)
    before = datetime.now(UTC) - timedelta(seconds=1)
    status(served, served.api_key)
    while served.store.keys()[0].last_used_at is None:
        status(served, served.api_key)
    assert before < served.store.keys()[0].last_used_at < datetime.now(UTC)


def test_the_uses_of_one_minute_are_recorded_once_for_each_key(store, monkeypatch):
    store.create_organisation("Aerie")
    for name in ("report", "explorer"):
        store.create_key("Aerie", name=name)
    written = []
    event.listen(store.engine, "before_cursor_execute", lambda *given: written.append(given[2]))
    usage = KeyUsage(store)
    clock = SimpleNamespace(now=0.0)  # as where the machine has just been started
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(key_usage, "time", clock)
    for clock.now, key in ((0.0, 1), (0.0, 2), (59.0, 1), (60.0, 2)):
        usage.record(key)
        while usage._is_writing:
            time.sleep(0.01)
    assert sum(statement.startswith("UPDATE api_keys") for statement in written) == 3
    explorer, report = store.keys()
    assert None not in {explorer.last_used_at, report.last_used_at}


def test_a_use_that_no_thread_can_be_started_to_record_is_recorded_with_the_next(
    store, monkeypatch
):
    store.create_organisation("Aerie")
    for name in ("report", "explorer"):
        store.create_key("Aerie", name=name)
    usage = KeyUsage(store)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        usage.record(1)
    usage.record(2)
    while usage._is_writing:
        time.sleep(0.01)
    explorer, report = store.keys()
    assert None not in {explorer.last_used_at, report.last_used_at}


@pytest.mark.slow
def test_a_server_ends_though_the_use_of_a_key_waits_for_another_process_that_writes(tmp_path):
    """SQLite lets it wait for 30 s; an import of a large organisation takes longer."""
    store = Store(f"sqlite:///{tmp_path / 'fleet.db'}")
    store.create_organisation("Aerie")
    store.create_key("Aerie", name="report")
    uses = "KeyUsage(Store(sys.argv[1])).record(1)"
    script = "import sys; from fleetkit.server.key_usage import KeyUsage, Store; " + uses
    with store.writing("Aerie"):
        ended = subprocess.run([sys.executable, "-c", script, store.url], timeout=25, check=False)
    assert ended.returncode == 0
    assert store.keys()[0].last_used_at is None
    store.close()


def test_a_key_without_a_scope_is_refused(store):
    store.create_organisation("Aerie")
    with pytest.raises(InvalidValue, match="needs a scope"):
        store.create_key("Aerie", name="k", scopes=[])
    with pytest.raises(InvalidValue, match="no time zone"):
        store.create_key("Aerie", name="k", expires=datetime(2030, 1, 1))


def test_the_use_of_a_key_is_that_of_no_other(store):
    store.create_organisation("Aerie")
    for name in ("report", "explorer"):
        store.create_key("Aerie", name=name)
    store.record_use(1)
    explorer, report = store.keys()
    assert (explorer.last_used_at is None, report.last_used_at is None) == (True, False)


def test_forty_of_42_organisations_are_named_where_one_is_unknown_and_the_others_counted(store):
    for number in range(42):
        store.create_organisation(f"Fleet {number:02d}")
    with pytest.raises(InvalidValue, match=r"There are: 'Fleet 00', .*'Fleet 39' and 2 more\.$"):
        store.create_key("Fleet 42", name="k")
