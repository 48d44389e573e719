"""Files are joined and deleted, and no state that anyone may open is lost by it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pandas as pd
import pytest
from a_service import assert_same, mirrored
from deltalake import DeltaTable

from fleetkit import mirror, tables
from fleetkit.errors import MirrorError
from fleetkit.mirror import syncs, writing
from fleetkit.mirror.layout import KEYS
from fleetkit.mirror.store import RETENTION_HOURS

pytestmark = pytest.mark.slow

MONTHS = 3
DAY = 24 * 3600


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mirror"


def state(number):
    """Return a small organisation; from one number to the next some rows of each table change.

    Each of three months gains a flight; one flight of one month is edited, and one comes and goes.
    """
    ids, days, seconds = [], [], []
    for month in range(1, MONTHS + 1):
        for index in range(10 + number):
            ids.append(f"fl_{month}_{index:02d}")
            days.append(pd.Timestamp(f"2026-{month:02d}-{index % 28 + 1:02d}", tz="UTC"))
            seconds.append(number if (month, index) == (number % MONTHS + 1, number) else 600)
    ids, days, seconds = (values[: len(ids) - number % 2] for values in (ids, days, seconds))
    flights = pd.DataFrame({"flight_id": ids, "flight_date": days, "duration_seconds": seconds})
    filled = {
        "equipment": pd.DataFrame({"equipment_id": ["eq_1"], "total_flights": [number]}),
        "flights": flights,
        "flight_equipment": flights[["flight_id"]].assign(equipment_id="eq_1"),
        "projects": pd.DataFrame({"project_id": ["p"], "agreed_price": [float(number)]}),
        "services": pd.DataFrame({"service_id": ["s"], "base_rate": [float(number // 10)]}),
        "tiers": tables.empty("tiers"),
        "specifications": tables.empty("specifications"),
    }
    return {name: tables.conform(name, frame) for name, frame in filled.items()}


def write(path, number):
    return mirror.write(path, state(number), source="", tz="UTC", requests=0, missing={})


def files_of(path, table):
    return len(DeltaTable(path / table).file_uris())


def delete_what_is_not_in_use(path):
    """Delete every file that the newest version of a table doesn't need; return how many."""
    vacuumed = (DeltaTable(path / name) for name in (*KEYS, "syncs"))
    return sum(
        len(table.vacuum(0, enforce_retention_duration=False, dry_run=False)) for table in vacuumed
    )


def assert_shows(path, number, version=None):
    assert_same(mirrored(path, version), state(number))


def test_many_syncs_leave_few_files_and_every_state(path, monkeypatch):
    few, last = 2, 6
    monkeypatch.setattr(syncs, "MOST_FILES", few)
    monkeypatch.setattr(writing, "MOST_FILES", few)
    most = dict.fromkeys((*KEYS, "syncs"), 0)
    for number in range(1, last + 1):
        write(path, number)
        most = {name: max(count, files_of(path, name)) for name, count in most.items()}
    # Each sync adds to a partition the rows that it closed and those that it opened.
    assert most["flights"] <= MONTHS * (few + 2)
    assert most["flight_equipment"] <= MONTHS * (few + 2)
    assert most["equipment"] <= few + 2
    assert most["syncs"] <= few + 1
    assert files_of(path, "syncs") < last

    deleted = delete_what_is_not_in_use(path)
    assert deleted > 30
    assert len(list(path.rglob("*.parquet"))) <= MONTHS * 2 * (few + 2) + 5 * few
    for number in range(1, last + 1):
        assert_shows(path, number, version=number)
    assert mirror.open(path).syncs()["version"].tolist() == list(range(1, last + 1))
    write(path, last + 1)
    assert_shows(path, last + 1)
    assert_shows(path, 1, version=1)


def test_a_reader_whose_files_were_deleted_reads_the_same_in_those_of_a_later_sync(path):
    write(path, 1)
    first, second = mirror.open(path), mirror.open(path)
    history, changes = first.history("flights"), first.changes()
    second_history = second.row_versions("flights")
    for number in (2, 3):
        write(path, number)
    assert delete_what_is_not_in_use(path) > 5
    assert_same({name: first.table(name) for name in KEYS}, state(1))
    pd.testing.assert_frame_equal(first.history("flights"), history)
    pd.testing.assert_frame_equal(first.changes(), changes)
    assert second_history.read().num_rows == len(history)
    assert first.version == 1
    assert repr(first).startswith(f"<Mirror {path}, version 1 of")
    delete = [file for file in path.rglob("*.parquet") if "equipment" in str(file.parent)]
    for file in delete:
        file.unlink()
    with pytest.raises(MirrorError, match="can't be read"):
        first.table("equipment")


def test_a_state_that_a_report_names_opens_with_the_same_fingerprint(path, tmp_path):
    reports = [write(path, number) for number in (1, 2, 3)]
    delete_what_is_not_in_use(path)
    named = mirror.open(path, version=2)
    assert named.fingerprint == reports[1].fingerprint == write(tmp_path / "new", 2).fingerprint
    assert_shows(path, 2, version=2)


def test_files_are_joined_wherever_the_mirror_lies(anywhere, monkeypatch):
    monkeypatch.setattr("fleetkit.mirror.writing.MOST_FILES", 0)
    for number in (1, 2, 3):
        write(anywhere, number)
    done = [commit["operation"] for commit in DeltaTable(f"{anywhere}/flights").history()]
    assert "OPTIMIZE" in done
    for number in (1, 3):
        assert_shows(anywhere, number, version=number)


# -- what was left long ago ---------------------------------------------------------------------


def commit_of(path, table, version):
    return Path(path) / table / "_delta_log" / f"{version:020d}.json"


def replaced_long_ago(path, table, version):
    """Let a commit have put files out of use a day more than they are kept."""
    log = commit_of(path, table, version)
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        if "remove" in action:
            action["remove"]["deletionTimestamp"] -= (RETENTION_HOURS + 24) * 3_600_000
    log.write_text("\n".join(map(json.dumps, actions)))


def written_long_ago(path, days):
    """Let every file of a mirror be that old."""
    moment = time.time() - days * DAY
    for file in Path(path).rglob("*.*"):
        os.utime(file, (moment, moment))


def crash(path, number):
    """Do what a sync does up to its own row, and leave it so."""
    version = DeltaTable(path / "syncs").version() + 1
    write(path, number)
    for commit in range(version, DeltaTable(path / "syncs").version() + 1):
        commit_of(path, "syncs", commit).unlink()


def test_files_out_of_use_for_long_are_deleted_by_a_sync_that_joins_others(path, monkeypatch):
    monkeypatch.setattr("fleetkit.mirror.writing.MOST_FILES", 0)
    write(path, 1)
    write(path, 2)
    replaced_long_ago(path, "equipment", DeltaTable(path / "equipment").version())
    files = len(list((path / "equipment").glob("*.parquet")))
    write(path, 3)
    assert len(list((path / "equipment").glob("*.parquet"))) < files + 2
    for number in (1, 2, 3):
        assert_shows(path, number, version=number)


def test_files_out_of_use_for_long_are_deleted_of_a_table_that_has_few_files(path, monkeypatch):
    """Each sync puts its one file of equipment out of use: none of them would ever be joined."""
    monkeypatch.setattr("fleetkit.mirror.store.COMMITS", 2)
    for number in range(1, 6):
        write(path, number)
        replaced_long_ago(path, "equipment", DeltaTable(path / "equipment").version())
    assert files_of(path, "equipment") == 1
    assert len(list((path / "equipment").glob("*.parquet"))) <= 1 + 2
    for number in range(1, 6):
        assert_shows(path, number, version=number)


def test_files_that_the_log_forgot_are_deleted_too(path, monkeypatch):
    """A checkpoint lists no file that was out of use for a week."""
    for number in (1, 2, 3):
        write(path, number)
        replaced_long_ago(path, "equipment", DeltaTable(path / "equipment").version())
    DeltaTable(path / "equipment").create_checkpoint()
    written_long_ago(path, days=40)
    monkeypatch.setattr("fleetkit.mirror.store.COMMITS", 1)
    write(path, 4)
    # That of the state before, which readers may have open, and that of this one.
    assert len(list((path / "equipment").glob("*.parquet"))) == 2
    for number in (1, 2, 3, 4):
        assert_shows(path, number, version=number)


def test_files_that_a_crashed_sync_put_out_of_use_are_not_deleted_while_readers_need_them(
    path, monkeypatch
):
    write(path, 1)
    write(path, 2)
    reader = mirror.open(path)
    crash(path, 3)
    for name in KEYS:
        replaced_long_ago(path, name, DeltaTable(path / name).version())
    monkeypatch.setattr("fleetkit.mirror.writing.MOST_FILES", 0)
    # It takes the files back, which joins them; then it crashes too.
    crash(path, 4)
    assert_same({name: reader.table(name) for name in KEYS}, state(2))
    assert_shows(path, 2)
    write(path, 5)
    assert_same({name: reader.table(name) for name in KEYS}, state(2))
    for number, version in ((1, 1), (2, 2), (5, 3)):
        assert_shows(path, number, version)


def test_a_state_of_long_ago_outlives_a_hundred_commits_of_syncs_that_crashed(path):
    write(path, 1)
    crash(path, 2)
    table = DeltaTable(path / "flights")
    for _ in range(100):
        table.restore(0)
        written_long_ago(path, days=40)
    assert_shows(path, 1)
    write(path, 2)
    assert_shows(path, 2)
    assert_shows(path, 1, version=1)


def test_the_log_of_long_ago_goes_when_no_reader_can_name_it(path, monkeypatch):
    write(path, 1)
    crash(path, 2)
    table = DeltaTable(path / "equipment")
    for _ in range(100):
        table.restore(0)
    write(path, 2)
    written_long_ago(path, days=40)
    monkeypatch.setattr("fleetkit.mirror.writing.MOST_FILES", 0)
    write(path, 3)
    assert len(list((path / "equipment" / "_delta_log").glob("*.json"))) < 20
    for number in (1, 2, 3):
        assert_shows(path, number, version=number)
