"""A sync in files: the same mirror as without them, and what a first one read isn't read again.

Here a file takes every list of flights, a slice of a month few rows, and a commit one slice, as if
the organisation were large.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from contextlib import ExitStack

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from a_service import assert_in_step, change, counts, record_of, served_whole, withdraw
from an_organisation import Organisation, Service
from conftest import TINY, a_flight, leave

import fleetkit as fk
from fleetkit import mirror, tables
from fleetkit.pairing import places_of_flights
from fleetkit.server import create_app
from fleetkit.server.running import running

pytestmark = pytest.mark.slow

NIGHT = "2026-10-31T23:59:00.000Z"


@pytest.fixture(autouse=True)
def _as_if_it_were_large(monkeypatch):
    monkeypatch.setattr("fleetkit.mirror.staging.FILE_PAGES", 1)
    monkeypatch.setattr("fleetkit.mirror.staging.SLICE_ROWS", 3)
    monkeypatch.setattr("fleetkit.mirror.staging.COMMIT_ROWS", 1)
    monkeypatch.setattr("fleetkit.mirror.staging._KEYS_AT_ONCE", 5)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mirror"


class Interrupted:
    """A service that refuses some lists of flights as long as it is told to."""

    def __init__(self, stack: ExitStack, served) -> None:
        self.refused: set[str] = set()
        self._app = create_app(served.store)
        self.url = stack.enter_context(running(self))
        self._key = served.api_key

    async def __call__(self, scope, receive, send) -> None:
        """Answer as the service does, or with 400."""
        if not any(f"{piece}/flights" in scope.get("path", "") for piece in self.refused):
            await self._app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 400, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    def sync(self, path, **options) -> mirror.SyncReport:
        """Sync with one connection, so that lists are read one after the other."""
        with fk.connect(self.url, self._key, concurrency=1, progress=False) as fleet:
            return fleet.sync(path, **options)

    def interrupt(self, path, piece: str) -> None:
        """Begin a first sync that ends at the list of one piece of equipment."""
        self.refused = {piece}
        with pytest.raises(fk.ApiError):
            self.sync(path)
        self.refused = set()


@pytest.fixture
def interrupted(serve_records, tiny_records):
    # The list of Kestrel 2 is the first to be read; here it holds fl_1 and fl_2.
    pairs = [("fl_1", "eq_spare"), ("fl_2", "eq_spare")]
    tiny_records["flight_equipment"] += pairs
    with ExitStack() as stack:
        served = serve_records(tiny_records)
        service = Interrupted(stack, served)
        service.served = served
        yield service


def staged(path) -> list[str]:
    return sorted(file.name for file in (path / "staging").glob("*"))


def test_a_random_organisation_is_mirrored_as_it_is_served_and_later_as_it_is_then(path):
    with ExitStack() as stack:
        service = Service(stack, Organisation(5))
        with fk.connect(service.served.base_url, service.served.api_key) as fleet:
            fleet.sync(path)
        assert_in_step(path, service.served)
        whole = served_whole(service.served)
        whole["project_details"] = whole["projects"]
        written = mirror.write(
            path.with_name("whole"), whole, source="here", tz="UTC", requests=0, missing={}
        )
        assert mirror.open(path).fingerprint == written.fingerprint
        assert not (path / "staging").exists()
        service.publish(steps=30)
        with fk.connect(service.served.base_url, service.served.api_key) as fleet:
            fleet.sync(path, audit=0)
        assert_in_step(path, service.served)


def test_copies_of_a_flight_in_two_months_are_one_flight_of_the_newest_month():
    page = b'{"success": true, "data": [{"id": "fl_1", "flightDate": "%s", "updatedAt": "%s"}]}'
    reader = tables.FlightReader()
    reader.add("eq_1", page % (b"2026-09-30T12:00:00Z", b"2026-10-01T08:00:00Z"))
    reader.add("eq_2", page % (b"2026-10-01T12:00:00Z", b"2026-10-02T08:00:00Z"))
    staging = mirror.Staging("s3://not-asked/mirror", source="here", records={})
    staging.add(reader.take(), ["eq_1", "eq_2"], in_memory=True)
    slices = [both for chosen in staging.commits() for both in staging.slices(chosen)]
    staging.close()
    flights, bridge = (pa.concat_tables(rows) for rows in zip(*slices, strict=True))
    assert flights["flight_month"].to_pylist() == ["2026-10"]
    assert bridge["flight_month"].to_pylist() == ["2026-10", "2026-10"]
    assert sorted(bridge["equipment_id"].to_pylist()) == ["eq_1", "eq_2"]
    assert staging.count == 1


def test_a_commit_takes_slices_as_long_as_their_rows_fit(monkeypatch):
    monkeypatch.setattr("fleetkit.mirror.staging.SLICE_ROWS", 2)
    monkeypatch.setattr("fleetkit.mirror.staging.COMMIT_ROWS", 4)
    page = b'{"success": true, "data": [%s]}'
    flight = b'{"id": "fl_%d", "flightDate": "2026-%02d-03T12:00:00Z"}'
    months = [9, 9, 9, 10, 11, 11, 12]
    reader = tables.FlightReader()
    reader.add("eq_1", page % b", ".join(flight % (n, month) for n, month in enumerate(months)))
    staging = mirror.Staging("s3://not-asked/mirror", source="here", records={})
    staging.add(reader.take(), ["eq_1"], in_memory=True)
    commits = list(staging.commits())
    staging.close()
    assert commits == [
        [("2026-09", 0), ("2026-09", 1)],  # 3 rows, in two slices that count as 2 each
        [("2026-10", 0), ("2026-11", 0), ("2026-12", 0)],  # 1 + 2 + 1 rows
    ]


def test_different_flights_with_one_key_stay_apart():
    columns = {"flight_id": ["fl_1", "fl_2", "fl_1"], "equipment_id": ["eq_2", "eq_2", "eq_1"]}
    rows = pa.table({**columns, "updated_at": pa.nulls(3, pa.timestamp("us"))})
    retained, pairs, *_ = tables.distinct(rows, np.array([7, 7, 7]))
    assert retained.tolist() == [1, 2]
    assert pairs.tolist() == [1, 2, 0]  # of fl_2, then of fl_1


def test_flights_and_their_bridge_are_stored_in_one_order(path, monkeypatch):
    monkeypatch.setattr("fleetkit.mirror.staging.SLICE_ROWS", 5)
    monkeypatch.setattr("fleetkit.mirror.staging.COMMIT_ROWS", 30)
    with fk.demo(as_of="2026-11-20", equipment=16, flights=100) as demo:
        demo.sync(path, details=False)
    state = mirror.open(path)
    months = [month for group in state.months_together(1) for month in group]
    flights, bridge = (
        [state.scan(name, "polars", months=[month]).collect()["flight_id"] for month in months]
        for name in ("flights", "flight_equipment")
    )
    assert sum(map(len, flights)) == 100 < sum(map(len, bridge))
    for ids, pairs in zip(flights, bridge, strict=True):
        assert places_of_flights(pairs, ids).is_sorted()


def test_a_full_sync_stores_what_changed_and_nothing_else(serve_records, tiny_records, path):
    served = serve_records(tiny_records)
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet.sync(path)
        first = (path / "flights").rglob("*.parquet")
        files = {file.name for file in first}
        assert counts(fleet.sync(path, full=True), "flights") == (0, 0, 0)
        assert {file.name for file in (path / "flights").rglob("*.parquet")} == files
        # One moves to another month, one is new, one is gone.
        moved = record_of("flights", "fl_1", flightDate="2025-01-15T08:00:00.000Z")
        change(served, flights=[moved, a_flight("fl_9", NIGHT)])
        change(served, flight_equipment=[("fl_9", "eq_kestrel")])
        withdraw(served, flights=["fl_2"])
        report = fleet.sync(path, full=True)
    assert counts(report, "flights") == (1, 1, 1)
    assert_in_step(path, served)
    assert mirror.open(path, version=1).table("flights")["flight_id"].tolist() == [
        record["id"] for record in TINY["flights"]
    ]


def test_fields_that_the_reference_doesn_t_know_are_stored_as_if_read_at_once(
    serve_records, tiny_records, path
):
    # Numbers in the camera's list, a text in another: one column of text. Truths alone, of truths.
    for flight, cells, checked in zip(
        tiny_records["flights"],
        [6, 7.5, None, "6S", 8],
        [True, None, False, True, None],
        strict=True,
    ):
        flight.update({"cells": cells, "checked": checked})
    tiny_records["flights"][4]["flightType"] = "RACING"
    served = serve_records(tiny_records)
    with (
        pytest.warns(tables.NotInReference, match="Flight.cells is not in the reference"),
        pytest.warns(tables.NotInReference, match="flight_type.*RACING"),
        fk.connect(served.base_url, served.api_key) as fleet,
    ):
        fleet.sync(path)
    assert_in_step(path, served)
    flights = mirror.open(path).table("flights")
    assert flights["checked"].dtype == "boolean"
    assert flights["cells"].dropna().tolist() == ["6", "7.5", "6S", "8"]


def test_an_interrupted_first_sync_goes_on_where_it_ended(interrupted, path):
    interrupted.interrupt(path, "eq_kestrel")
    with pytest.raises(fk.MirrorError, match="There is no mirror"):
        mirror.open(path)
    lists = len(staged(path))
    assert lists > 0
    report = interrupted.sync(path)
    assert report.read == {"new": 3 - lists, "resumed": lists}
    assert report.requests == 9 - lists
    assert_in_step(path, interrupted.served)
    assert not (path / "staging").exists()


def test_what_an_interrupted_sync_had_read_is_the_first_to_be_read_again(interrupted, path):
    interrupted.interrupt(path, "eq_kestrel")
    first = interrupted.sync(path)
    assert mirror.verified_since(mirror.open(path)) is None
    report = interrupted.sync(path, audit=first.read["resumed"] / 3)
    assert report.read == {"audit": first.read["resumed"]}
    assert mirror.verified_since(mirror.open(path)) is not None


def test_equipment_that_changed_since_is_read_again(interrupted, path):
    interrupted.interrupt(path, "eq_kestrel")
    late = a_flight("fl_9", NIGHT)
    pieces = ("eq_camera", "eq_spare")
    moved = [record_of("equipment", piece, totalFlights=3) for piece in pieces]
    pairs = [("fl_9", piece) for piece in pieces]
    change(interrupted.served, equipment=moved, flights=[late], flight_equipment=pairs)
    report = interrupted.sync(path)
    assert report.read == {"new": 3}
    assert_in_step(path, interrupted.served)


def test_a_damaged_file_is_read_again(interrupted, path):
    interrupted.interrupt(path, "eq_kestrel")
    for name in staged(path):
        file = path / "staging" / name
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    (path / "staging" / "unfinished").write_bytes(b"half")
    assert interrupted.sync(path).read == {"new": 3}
    assert_in_step(path, interrupted.served)


@pytest.mark.parametrize(
    ("about", "columns"),
    [
        ({"pieces": {"eq_1": "as it is"}}, ["id_hash"]),  # the rest of what it says is missing
        (None, ["id_hash"]),  # it says nothing under our name
        ({}, ["flight_id"]),  # no keys of flights
        ({}, None),  # no table at all
    ],
)
def test_a_whole_file_that_another_version_wrote_is_deleted_and_read_again(path, about, columns):
    said = {"pieces": {"eq_1": "as it is"}, "months": {"2026-10": 1}, "kinds": {}, "tokens": []}
    said |= {"source": "here", "columns": columns}
    name = b"another" if about is None else b"fleetkit"
    metadata = {name: json.dumps(about or said).encode()}
    content = b"not a table"
    if columns is not None:
        sink = pa.BufferOutputStream()
        rows = pa.table({name: [1] for name in columns}).replace_schema_metadata(metadata)
        with pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
        content = sink.getvalue().to_pybytes()
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    (path / "staging").mkdir(parents=True)
    (path / "staging" / f"000000-{digest}.arrow").write_bytes(content)
    assert mirror.Staging(path, source="here", records={"eq_1": "as it is"}).pieces == set()
    assert staged(path) == []


def test_lists_that_a_failure_lost_are_in_no_file(path, monkeypatch):
    monkeypatch.setattr("fleetkit.mirror.staging.FILE_PAGES", 2)
    page = b'{"success": true, "data": [{"id": "fl_%d", "durationSeconds": %s}]}'
    durations = [b"600", b'"long"', b"900", b"1200"]
    lists = [(f"eq_{i}", [page % (i, duration)]) for i, duration in enumerate(durations)]
    given = {"source": "here", "records": {piece: "as it is" for piece, _ in lists}}
    staging = mirror.Staging(path, **given)
    with pytest.raises(fk.DataError, match="Flight fl_1: durationSeconds"):
        staging.take(lists)
    staging.close()
    assert mirror.Staging(path, **given).pieces == set()


@pytest.mark.usefixtures("no_locks")
def test_a_temporary_folder_that_is_full_is_named_and_not_the_mirror(
    tiny, path, small_disk, monkeypatch
):
    if small_disk is None:
        pytest.skip("nothing may be mounted here")
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    leave(small_disk, 0)
    live = fk.connect(tiny.base_url, tiny.api_key, progress=False)
    with live as fleet, pytest.raises(fk.MirrorError) as full:
        fleet.sync(path)
    said = f"Flights that were read can't be put into {small_disk}: there is no room left."
    assert full.value.message == said


def test_a_user_s_own_folder_of_that_name_loses_no_file(interrupted, path):
    (path / "staging").mkdir(parents=True)
    for name in ("photo.jpg", "frames.arrow"):
        (path / "staging" / name).write_text("mine")
    interrupted.interrupt(path, "eq_kestrel")
    assert interrupted.sync(path).read["resumed"] > 0
    assert_in_step(path, interrupted.served)
    assert sorted(file.name for file in (path / "staging").iterdir()) == [
        "frames.arrow",
        "photo.jpg",
    ]


def test_a_full_sync_and_one_of_another_service_begin_anew(interrupted, path):
    interrupted.interrupt(path, "eq_kestrel")
    assert interrupted.sync(path, full=True).read == {"full": 3}
    other = path.with_name("other")
    interrupted.interrupt(other, "eq_kestrel")
    served = interrupted.served
    with fk.connect(served.base_url, served.api_key) as fleet:  # the same records elsewhere
        assert fleet.sync(other).read == {"new": 3}
    assert_in_step(other, served)


def test_equipment_without_either_counter_has_no_record_to_compare():
    pieces = {
        "equipment_id": ["eq_1", "eq_2", "eq_3"],
        "total_flights": [3, None, None],
        "total_flight_hours": [None, 1.5, None],
    }
    records = mirror.records_of(tables.conform("equipment", pd.DataFrame(pieces)))
    assert [piece for piece, record in records.items() if record] == ["eq_1", "eq_2"]


def test_a_list_is_resumed_once_its_newest_copy_and_not_without_a_record_to_compare(path):
    page = b'{"success": true, "data": [{"id": "fl_1", "durationSeconds": %d}]}'
    records = {"eq_1": "as it is", "eq_2": ""}
    for seconds in (600, 900):
        staging = mirror.Staging(path, source="here", records=records)
        staging.take([("eq_1", [page % seconds]), ("eq_2", [page % seconds])])
        staging.close()
    resumed = mirror.Staging(path, source="here", records=records)
    assert resumed.pieces == {"eq_1"}
    flights, bridge = (resumed.whole(name).table for name in ("flights", "flight_equipment"))
    assert flights["duration_seconds"].to_pylist() == [900]
    assert bridge["equipment_id"].to_pylist() == ["eq_1"]
    # The older copy takes no space either.
    assert len(list((path / "staging").glob("*.arrow"))) == 1
