"""Whatever happens at the service, its mirror shows it: many random steps, synced.

Flights are logged, edited, deleted, put under another piece of equipment or under one more, taken
from one; equipment and projects come, change and go; prices change. After each sync the mirror is
compared with a whole new read, table by table, and each earlier version with what was read then.
A seed names what happens, so that a failure happens again.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack

import pytest
from a_service import assert_same, mirrored, served_whole
from an_organisation import Organisation, Service

import fleetkit as fk

# Steps between two syncs: few leave most equipment as it is, many move all of it.
SEED, COUNTED = 1, (4, 2, 600, 3)
SILENT_SEED, SILENT = 5, (3, 500)


def test_the_steps_are_more_than_a_thousand():
    assert sum(COUNTED) + sum(SILENT) == 609 + 503 == 1112


@pytest.fixture
def stack():
    with ExitStack() as stack:
        yield stack


def rows_of(report):
    return {name: change.rows for name, change in report.tables.items()}


@pytest.mark.slow
def test_after_each_sync_a_mirror_shows_every_change_that_some_counter_tells(stack, tmp_path):
    service = Service(stack, Organisation(SEED))
    recorded, read = [], Counter()
    with fk.connect(service.served.base_url, service.served.api_key, progress=False) as fleet:
        for steps in (0, *COUNTED):
            service.publish(steps)
            report = fleet.sync(tmp_path, audit=0)
            read.update({**report.read, "skipped": report.skipped})
            recorded.append(served_whole(service.served))
            assert_same(mirrored(tmp_path), recorded[-1])
            assert rows_of(report) == {name: len(frame) for name, frame in recorded[-1].items()}
        assert report.fingerprint == fleet.sync(tmp_path / "new").fingerprint
    for version, frames in enumerate(recorded, 1):
        assert_same(mirrored(tmp_path, version), frames)
    assert service.organisation.taken.total() == sum(COUNTED)
    assert min(service.organisation.taken.values()) >= 5
    # Both ways of reading were tried: not all was read, and not only what told that it moved.
    assert read["skipped"] > 10
    assert read["shared"] > 0


@pytest.mark.slow
def test_after_audits_of_each_third_a_mirror_shows_what_nothing_tells(stack, tmp_path):
    service = Service(stack, Organisation(SILENT_SEED, counted=False))
    with fk.connect(service.served.base_url, service.served.api_key, progress=False) as fleet:
        fleet.sync(tmp_path)
        for steps in SILENT:
            service.publish(steps)
            reports = [fleet.sync(tmp_path, audit=1 / 3) for _ in range(3)]
            assert {why for report in reports for why in report.read} <= {"audit", "shared"}
            assert not any(report.tables["equipment"].updated for report in reports)
            assert_same(mirrored(tmp_path), served_whole(service.served))
        assert reports[-1].fingerprint == fleet.sync(tmp_path / "new").fingerprint
