"""A mirror of the layout before opens as it is, and the next sync brings it to this one.

``data/mirror_layout_1.zip`` holds two versions: five flights of September 2026, fl_0 to fl_4 on
the 1st to the 5th, all under eq_1, fl_0 also under eq_2; then fl_4 is gone and fl_0 moved to
October 1.
"""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from a_service import assert_in_step, assert_same, change, mirrored
from deltalake import DeltaTable, write_deltalake

import fleetkit as fk
from fleetkit import mirror
from fleetkit.mirror.layout import KEYS
from fleetkit.mirror.syncs import LAYOUT

pytestmark = pytest.mark.slow

SOURCE = "http://127.0.0.1:1"  # that it was synced from
KEPT = Path(__file__).parent / "data" / "mirror_layout_1.zip"
FLIGHTS = {1: ["fl_0", "fl_1", "fl_2", "fl_3", "fl_4"], 2: ["fl_0", "fl_1", "fl_2", "fl_3"]}
IN_SEPTEMBER = {1: ["fl_0", "fl_1", "fl_2", "fl_3", "fl_4"], 2: ["fl_1", "fl_2", "fl_3"]}


@pytest.fixture
def path(tmp_path):
    shutil.unpack_archive(KEPT, tmp_path / "mirror")
    return tmp_path / "mirror"


def a_flight(number, day):
    return {"id": f"fl_{number}", "flightDate": f"{day}T00:00:00Z", "durationSeconds": 600}


@pytest.fixture
def served(serve_records):
    """Serve what version 2 shows."""
    days = ["2026-10-01", "2026-09-02", "2026-09-03", "2026-09-04"]
    pairs = [("fl_0", "eq_2"), *((f"fl_{number}", "eq_1") for number in range(4))]
    return serve_records(
        {
            "equipment": [{"id": "eq_1", "totalFlights": 4}, {"id": "eq_2", "totalFlights": 1}],
            "flights": [a_flight(number, day) for number, day in enumerate(days)],
            "flight_equipment": pairs,
        }
    )


def write(path, frames, **options):
    return mirror.write(path, frames, source=SOURCE, tz="UTC", requests=0, missing={}, **options)


def layouts_of(path):
    rows = DeltaTable(path / "syncs").to_pyarrow_table().sort_by("version")
    return rows["layout"].to_pylist()


def assert_shows_both_versions(path):
    for version, ids in FLIGHTS.items():
        opened = mirror.open(path, version=version)
        assert opened.table("flights")["flight_id"].tolist() == ids
        bridge = opened.table("flight_equipment")
        assert bridge["flight_id"].tolist() == ["fl_0", *ids]
        assert bridge["equipment_id"].tolist()[:2] == ["eq_1", "eq_2"]
        offline = fk.open_mirror(path, version=version)
        assert offline.flights("2026-09")["flight_id"].tolist() == IN_SEPTEMBER[version]
        pairs = offline.flight_equipment("2026-09")
        assert sorted(set(pairs["flight_id"])) == IN_SEPTEMBER[version]
        assert len(offline.flight_equipment("2026-10")) == {1: 0, 2: 2}[version]


def test_a_mirror_of_layout_one_opens_as_it_is(path):
    files = sorted(path.rglob("*"))
    assert_shows_both_versions(path)
    assert mirror.open(path).version == 2
    assert mirror.open(path).syncs()["rows"].tolist() == [13, 11]
    assert (sorted(path.rglob("*")), layouts_of(path)) == (files, [1, 1])


def test_a_write_brings_it_to_this_layout_with_its_history(path):
    known = mirrored(path)
    report = write(path, known)
    assert (report.version, report.changed) == (3, False)
    assert layouts_of(path) == [1, 1, LAYOUT]
    assert_shows_both_versions(path)
    assert_same(mirrored(path), known)
    stored = DeltaTable(path / "flight_equipment").to_pyarrow_table()
    months = dict(
        zip(stored["flight_id"].to_pylist(), stored["flight_month"].to_pylist(), strict=True)
    )
    assert (months["fl_0"], months["fl_1"], months["fl_4"]) == ("2026-10", "2026-09", "2026-09")
    october = mirror.open(path).table("flight_equipment", since=datetime(2026, 10, 1, tzinfo=UTC))
    assert october["flight_id"].tolist() == ["fl_0", "fl_0"]

    changed = {**known, "flights": known["flights"].assign(duration_seconds=60)}
    assert write(path, changed).tables["flights"].updated == 4
    assert_shows_both_versions(path)
    # Tables of before let Delta delete their log when it likes.
    settings = DeltaTable(path / "flights").metadata().configuration
    assert settings == {"delta.enableExpiredLogCleanup": "false"}


def test_a_table_that_earlier_syncs_did_not_know_is_read_by_the_next_one(path):
    known, table = mirrored(path), DeltaTable(path / "syncs")
    stored = table.to_pyarrow_table()
    rows = stored.to_pylist()
    for row in rows:
        pins = json.loads(row["tables"])
        row["tables"] = json.dumps({name: pins[name] for name in pins if name != "tiers"})
    write_deltalake(table, pa.Table.from_pylist(rows, stored.schema), mode="overwrite")
    shutil.rmtree(path / "tiers")
    assert_shows_both_versions(path)
    with pytest.raises(fk.MirrorError, match=r"Version 2 .* holds no tiers: .*Sync once more"):
        fk.open_mirror(path).tiers()

    assert write(path, known).version == 3
    assert_same(mirrored(path), known)
    assert_shows_both_versions(path)
    assert mirror.verify(path).problems == {}


def test_a_migration_that_crashed_is_not_seen_and_done_again(path):
    known = mirrored(path)
    write(path, known)
    (path / "syncs" / "_delta_log" / f"{2:020d}.json").unlink()
    assert mirror.open(path).version == 2
    assert_shows_both_versions(path)
    assert write(path, known).version == 3
    assert_same(mirrored(path), known)
    assert_shows_both_versions(path)


def test_a_bridge_without_months_that_is_damaged_is_repaired_by_all_that_is_read_again(path):
    known = mirrored(path)
    [file] = DeltaTable(path / "flight_equipment").file_uris()
    rows = pq.read_table(file)
    hashes = rows["row_hash"].to_pylist()
    swapped = pa.array([hashes[0], hashes[2], hashes[1], *hashes[3:]])  # of fl_0 and fl_1
    pq.write_table(rows.set_column(rows.column_names.index("row_hash"), "row_hash", swapped), file)
    with pytest.raises(fk.MirrorError, match="flight_equipment"):
        write(path, known)
    report = write(path, known, plan=mirror.plan(path, known, full=True, details=False))
    assert (report.version, report.changed) == (3, False)
    assert_same(mirrored(path), known)
    assert_shows_both_versions(path)
    assert mirror.verify(path).problems == {}


def test_a_sync_reads_all_once_since_layout_one_kept_no_account(served, path):
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        report = fleet.sync(path, audit=0, moved_to=served.base_url)
        assert (report.version, report.read, report.changed) == (3, {"full": 2}, False)
        assert_in_step(path, served)
        assert_shows_both_versions(path)

        assert fleet.sync(path, audit=0).read == {}
        change(
            served,
            equipment=[{"id": "eq_2", "totalFlights": 2}],
            flights=[a_flight(5, "2026-09-06")],
            flight_equipment=[("fl_5", "eq_2")],
        )
        report = fleet.sync(path, audit=0)
        assert (report.read, report.tables["flights"].inserted) == ({"moved": 1}, 1)
    assert_in_step(path, served)
    assert_shows_both_versions(path)
    assert set(mirror.open(path).versions) == set(KEYS)
