"""What a fleet has fetched, handed over to other processes of its user."""

import shutil
import threading

import pandas as pd
import pytest
from conftest import TINY
from processes import no_thread

import fleetkit as fk
from fleetkit.cli import exploring
from fleetkit.errors import Forbidden
from fleetkit.explore.app.held import Held, opened
from fleetkit.explore.app.origin import Origin
from fleetkit.fleet.handing_over import hand_over, take_over
from fleetkit.server import Dials

TABLES = ("equipment", "flights", "flight_equipment", "projects")


@pytest.fixture
def fleet(tiny):
    return fk.connect(tiny.base_url, tiny.api_key, tz="Europe/London")


def test_what_is_taken_over_is_what_was_read_and_asks_for_nothing(fleet, tmp_path):
    hand_over(fleet, tmp_path / "held")
    other = take_over(tmp_path / "held")
    for name in TABLES:
        ours, theirs = getattr(fleet, name)(), getattr(other, name)()
        pd.testing.assert_frame_equal(ours, theirs)
        assert ours.attrs == theirs.attrs
    assert other._source.client.requests_made == 0
    assert fk.explore.flights(other).rows["flight_id"].nunique() == 5


def test_what_is_taken_over_is_of_the_moment_when_it_was_read(fleet, tmp_path):
    hand_over(fleet, tmp_path / "held")
    other = take_over(tmp_path / "held")
    assert other.fetched_at == fleet._source.read_at < fleet.fetched_at


def test_tables_that_are_changed_change_nothing_that_is_held(fleet, tmp_path):
    hand_over(fleet, tmp_path / "held")
    other = take_over(tmp_path / "held")
    flights = other.flights()
    flights.loc[:, "duration_seconds"] = 0
    assert flights["duration_seconds"].sum() == 0
    pd.testing.assert_frame_equal(other.flights(), fleet.flights())
    pd.testing.assert_frame_equal(take_over(tmp_path / "held").flights(), fleet.flights())


def test_the_file_holds_no_key_and_is_its_owners_alone(fleet, tiny, tmp_path):
    hand_over(fleet, tmp_path / "held")
    content = (tmp_path / "held").read_bytes()
    assert tiny.api_key.encode() not in content
    assert b"TRAINING" in content
    assert (tmp_path / "held").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["held"]


def test_a_table_that_the_key_cannot_read_is_refused_there_too(tiny, tmp_path):
    key = tiny.store.create_key(tiny.organisation, name="part", scopes=["equipment:read"])
    hand_over(fk.connect(tiny.base_url, key), tmp_path / "held")
    other = take_over(tmp_path / "held")
    assert len(other.flights()) == 5
    with pytest.raises(Forbidden, match="project:read"):
        other.projects()


def test_readers_share_what_is_held_each_narrowed_by_the_filters(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLEETKIT_API_KEY", tiny.api_key)
    origin = Origin(str(tmp_path), filters=["night=true"], connection={"base_url": tiny.base_url})
    held = Held(origin, tmp_path / "held")
    held.refresh()
    one, other = opened(origin, held.path), opened(origin, held.path)
    assert [len(one.flights()), len(one.whole().flights()), len(other.flights())] == [1, 5, 1]
    assert one._source.client.requests_made == other._source.client.requests_made == 0
    written = held.path.stat().st_mtime_ns
    held.refresh()  # what was just read is fresh
    assert opened(origin, held.path).filter == fk.Filter(night=True)
    assert held.path.stat().st_mtime_ns == written


def test_what_was_read_to_check_a_filter_is_what_all_readers_are_shown(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLEETKIT_API_KEY", tiny.api_key)
    origin = Origin(str(tmp_path), filters=["night=true"], connection={"base_url": tiny.base_url})
    exploring._check(origin, tmp_path)
    held = Held(origin, tmp_path / "held")
    written = held.path.stat().st_mtime_ns
    held.refresh()
    assert len(opened(origin, held.path).flights()) == 1
    assert held.path.stat().st_mtime_ns == written


def test_what_is_read_to_be_held_answers_a_filter_too(fleet, tmp_path):
    hand_over(fleet, tmp_path / "held")
    requests_made = fleet._source.client.requests_made
    assert len(fleet.where(night=True).flights()) == 1
    assert fleet._source.client.requests_made == requests_made


@pytest.mark.slow
def test_where_nothing_can_be_held_each_reader_asks_and_is_told_why(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLEETKIT_API_KEY", "key")
    origin = Origin(str(tmp_path), connection={"base_url": "http://127.0.0.1:9", "timeout": 1})
    held = Held(origin, tmp_path / "held")
    held.refresh()
    with pytest.raises(fk.FleetkitError, match=r"127\.0\.0\.1:9"):
        opened(origin, held.path).flights()
    assert not held.path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_folder_that_goes_while_records_are_read_is_an_error_unless_it_is_closed(
    is_closed, serve_records, tmp_path, monkeypatch, caplog
):
    slow = serve_records(TINY, Dials(latency=0.3))
    monkeypatch.setenv("FLEETKIT_API_KEY", slow.api_key)
    origin = Origin(str(tmp_path), connection={"base_url": slow.base_url})
    folder = tmp_path / "app"
    folder.mkdir()
    held = Held(origin, folder / "held")
    others = threading.enumerate()
    held.refresh()
    begun = [thread for thread in threading.enumerate() if thread not in others]
    [reading] = [thread for thread in begun if thread.name == "fleetkit-held"]
    if is_closed:
        held.close()
    shutil.rmtree(folder)
    reading.join()
    assert [record.levelname for record in caplog.records] == ([] if is_closed else ["ERROR"])


def test_no_reader_waits_for_records_that_no_thread_could_be_started_to_read(
    tiny, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLEETKIT_API_KEY", tiny.api_key)
    origin = Origin(str(tmp_path), connection={"base_url": tiny.base_url})
    held = Held(origin, tmp_path / "held")
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        held.refresh()
    assert len(opened(origin, held.path).flights()) == 5  # it asked for itself
    held.refresh()
    opened(origin, held.path).close()
    assert held.path.exists()


def test_of_a_mirror_nothing_is_held(tmp_path):
    held = Held(Origin(str(tmp_path), mirror="mirror"), tmp_path / "held")
    held.refresh()
    assert list(tmp_path.iterdir()) == []
