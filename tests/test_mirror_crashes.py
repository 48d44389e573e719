"""A mirror shows one state or another, never a mixture: after kill -9, with several writers."""

from __future__ import annotations

import itertools
import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from a_sync_process import FORKING
from deltalake import DeltaTable
from deltalake.fs import DeltaStorageHandler

from fleetkit import mirror, schema, tables
from fleetkit.errors import MirrorError
from fleetkit.mirror import syncs
from fleetkit.mirror.base import verified_base
from fleetkit.mirror.layout import prepare_all
from fleetkit.mirror.store import Conflict, Store


@pytest.fixture
def path(anywhere):
    return anywhere


def state(seed, flights=90):
    """Return the tables of an organisation; another seed changes some rows of every table."""
    chance = np.random.default_rng(seed)
    ids = pd.Series([f"fl_{number:05d}" for number in range(flights)], dtype="str")
    selected = chance.random(flights) < 0.9
    days = pd.Timestamp("2026-01-01", tz="UTC") + pd.to_timedelta(np.arange(flights), unit="D")
    log = pd.DataFrame(
        {
            "flight_id": ids,
            "flight_date": days,
            "duration_seconds": np.where(chance.random(flights) < 0.1, seed, 600),
        }
    )[selected]
    filled = {
        "equipment": pd.DataFrame({"equipment_id": ["eq_1"], "total_flights": [seed]}),
        "flights": log,
        "flight_equipment": log[["flight_id"]].assign(equipment_id="eq_1"),
        "projects": pd.DataFrame({"project_id": ["p"], "agreed_price": [float(seed)]}),
        "services": pd.DataFrame({"service_id": ["s"], "base_rate": [float(seed)]}),
        "tiers": pd.DataFrame({"tier_id": ["t"], "service_id": ["s"], "tier_level": [seed]}),
        "specifications": pd.DataFrame(
            {"equipment_id": ["eq_1"], "name": ["a"], "value": [str(seed)]}
        ),
    }
    return {name: tables.conform(name, frame) for name, frame in filled.items()}


def write(path, seed, **size):
    return mirror.write(path, state(seed, **size), source="", tz="UTC", requests=0, missing={})


def assert_shows(opened, seed, **size):
    expected = state(seed, **size)
    for name in schema.TABLES:
        pd.testing.assert_frame_equal(opened.table(name), expected[name])


def seed_of(opened):
    return int(opened.table("equipment")["total_flights"].iloc[0])


def write_on(tells, path, first, environment):
    """Write state after state, and tell of each before it is begun."""
    os.environ.update(environment)
    for seed in itertools.count(first):
        tells.send(seed)
        write(path, seed)


def killed_while_writing(path, first, seconds):
    """Let a process write state after state, kill it, and return the last one that it began."""
    heard, tells = FORKING.Pipe(duplex=False)
    environment = {name: text for name, text in os.environ.items() if name.startswith("AWS_")}
    process = FORKING.Process(target=write_on, args=(tells, path, first, environment))
    process.start()
    tells.close()
    last = heard.recv()
    time.sleep(seconds)
    process.kill()
    process.join()
    with suppress(EOFError):
        while True:
            last = heard.recv()
    heard.close()
    return last


def shown(path):
    """Return the seed that the mirror shows; 0 where no sync was ever finished."""
    try:
        return seed_of(mirror.open(path))
    except MirrorError:
        return 0


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_one_whole_state(path):
    chance = random.Random(7)
    kills, longest = (3, 2.0) if "://" in str(path) else (4, 0.6)
    before = last = 0
    for _ in range(kills):
        first = last + 1
        last = killed_while_writing(path, first, chance.uniform(0, longest))
        # The child finished all states but the last one, which it may have finished too.
        assert shown(path) in {last, last - 1 if last > first else before}
        before = shown(path)
        if before:
            assert_shows(mirror.open(path), before)
    write(path, last + 1)
    assert_shows(mirror.open(path), last + 1)


def leave_half_a_sync(path, seed):
    """Do what a sync does up to its own row, as a crash just before it would leave it."""
    pinned = len(DeltaTable(f"{path}/syncs").history())
    write(path, seed)
    forget(path, pinned)


def forget(path, version):
    """Take back the commit of a sync's row."""
    DeltaStorageHandler(f"{path}/syncs").delete_file(f"_delta_log/{version:020d}.json")


@pytest.mark.slow
def test_what_a_crashed_sync_left_is_not_seen_and_taken_back(path):
    write(path, 1)
    leave_half_a_sync(path, 2)
    assert_shows(mirror.open(path), 1)
    report = write(path, 1)
    assert (report.version, report.changed) == (2, False)
    assert_shows(mirror.open(path), 1)
    standing = DeltaTable(f"{path}/equipment").to_pyarrow_table().to_pandas()
    assert standing["total_flights"].tolist() == [1]


@pytest.mark.slow
def test_the_sync_after_a_crashed_one_counts_from_the_state_before(tmp_path):
    write(tmp_path, 1)
    leave_half_a_sync(tmp_path, 2)
    assert write(tmp_path, 2).tables["equipment"].updated == 1
    assert_shows(mirror.open(tmp_path), 2)
    assert_shows(mirror.open(tmp_path, version=1), 1)


@pytest.mark.slow
def test_a_first_sync_that_crashed_is_written_over(path):
    write(path, 1)
    forget(path, 1)
    with pytest.raises(MirrorError, match=r"was never finished\. Make one with: fleetkit sync"):
        mirror.open(path)
    report = write(path, 2)
    assert (report.version, report.tables["equipment"].inserted) == (1, 1)
    assert_shows(mirror.open(path), 2)


def test_a_first_sync_is_not_taken_for_damage_by_another_that_began_just_before_it(tmp_path):
    store = Store(tmp_path)
    table, _ = syncs.find(store)
    write(tmp_path, 1)
    assert table is None
    syncs.refuse_orphans(store)  # what the other one does next, which found no table of syncs


@pytest.mark.slow
@pytest.mark.parametrize("finished", [0, 1])
def test_what_two_syncs_wrote_since_another_began_is_not_taken_for_damage(tmp_path, finished):
    for seed in range(1, finished + 1):
        write(tmp_path, seed)
    store = Store(tmp_path)
    _, newest = syncs.find(store)
    for seed in (8, 9):
        write(tmp_path, seed)
    read, options = prepare_all(state(1)), {"audit": 0, "repair": False, "accept_loss": False}
    with pytest.raises(Conflict):  # then all is compared anew
        verified_base(store, newest, read, staged={}, is_new=False, **options)


@pytest.mark.slow
def test_syncs_at_once_follow_one_another_and_none_is_mixed(path):
    size, seeds = {"flights": 40}, range(1, 3 if "://" in str(path) else 4)
    with ThreadPoolExecutor(len(seeds)) as pool:
        reports = list(pool.map(lambda seed: write(path, seed, **size), seeds))
    assert sorted(report.version for report in reports) == list(seeds)
    for seed, report in enumerate(reports, 1):
        assert_shows(mirror.open(path, version=report.version), seed, **size)


@pytest.mark.slow
def test_a_reader_sees_one_state_while_others_write(path):
    size = {"flights": 40}
    write(path, 1, **size)
    last = 2 if "://" in str(path) else 4
    seeds = range(2, last + 1)
    writer = threading.Thread(target=lambda: [write(path, seed, **size) for seed in seeds])
    writer.start()
    while writer.is_alive():
        opened = mirror.open(path)
        assert_shows(opened, seed_of(opened), **size)
    writer.join()
    assert_shows(mirror.open(path), last, **size)
