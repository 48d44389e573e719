"""A clock that was wrong once: versions stay in order, and no age is taken for what it isn't.

The first sync is written by a clock that is a year ahead, the ones after it by one that is right.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from a_past import a_flight, write, write_full

import fleetkit as fk
from fleetkit import mirror
from fleetkit.errors import MirrorError
from fleetkit.mirror import writing
from fleetkit.reports import freshness

pytestmark = pytest.mark.slow

YEAR = timedelta(days=365)
HALF_A_DAY = timedelta(hours=12)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mirror"


@pytest.fixture
def set_clock(monkeypatch):
    """Return a function that sets the clock by which syncs are written, apart from the true one."""

    class Clock(datetime):
        apart = timedelta()

        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + cls.apart

    monkeypatch.setattr(writing, "datetime", Clock)

    def set_clock(apart):
        Clock.apart = apart

    return set_clock


@pytest.fixture
def ahead(path, set_clock):
    """Return a mirror of one sync, written a year ahead; the clock is right again."""
    set_clock(YEAR)
    write(path, flights=[a_flight(1)])
    set_clock(timedelta())
    return path


def test_an_age_below_zero_is_an_error_that_says_so(ahead):
    state = mirror.open(ahead)
    with pytest.raises(MirrorError, match=r"lies 36\d d .* ahead of this machine's clock") as wrong:
        freshness.check_age(state, HALF_A_DAY, "UTC")
    assert "Set the clock right, then sync" in str(wrong.value)
    freshness.check_age(state, None, "UTC")
    assert freshness.young_enough(str(ahead), "http://here", HALF_A_DAY) is None


def test_clocks_of_two_machines_may_differ_by_minutes(path, set_clock):
    set_clock(timedelta(minutes=4))
    write(path, flights=[a_flight(1)])
    freshness.check_age(mirror.open(path), HALF_A_DAY, "UTC")
    assert freshness.young_enough(str(path), "http://here", HALF_A_DAY) is not None


def test_after_the_next_sync_the_age_is_that_of_the_true_clock(ahead):
    write(ahead, flights=[a_flight(1), a_flight(2)])
    state = mirror.open(ahead)
    assert abs(datetime.now(UTC) - state.fetched_at) < timedelta(minutes=1)
    freshness.check_age(state, HALF_A_DAY, "UTC")
    assert freshness.young_enough(str(ahead), "http://here", HALF_A_DAY).version == 2
    with pytest.raises(MirrorError, match="old; the report may use none older"):
        freshness.check_age(state, timedelta(), "UTC")


@pytest.mark.parametrize("tz", ["Pacific/Kiritimati", "Etc/GMT+12"])  # never the same day
def test_history_and_proof_begin_on_the_days_of_their_syncs_in_the_reports_zone(path, tz):
    moments = [
        write(path, flights=[a_flight(1)], at=datetime.now(UTC) - timedelta(days=40)),
        write(path, flights=[a_flight(1), a_flight(2)]),
    ]
    first, second = (moment.astimezone(ZoneInfo(tz)) for moment in moments)
    assert freshness.provenance(mirror.open(path), tz) == [
        "version 2",
        f"history since {first.day} {first:%b %Y}",
        f"every list of flights verified since {second.day} {second:%b %Y}",
    ]


def test_neither_history_nor_proof_begins_when_a_clock_that_was_ahead_wrote(ahead):
    write(ahead, flights=[a_flight(1)])
    state = mirror.open(ahead)
    today = state.fetched_at
    assert freshness.provenance(state, "UTC") == [
        "version 2",
        f"history since {today.day} {today:%b %Y}",
        f"every list of flights verified since {today.day} {today:%b %Y}",
    ]


def test_the_refusal_of_old_data_says_how_old_they_are_and_how_old_they_may_be(path):
    fetched = write(path, flights=[a_flight(1)], at=datetime.now(UTC) - timedelta(days=2, hours=3))
    local = fetched.astimezone(ZoneInfo("Asia/Kolkata"))  # half an hour from every whole one
    said = f"{local:%H:%M}.*, 2 d 3 h old; the report may use none older than 12 h"
    with pytest.raises(MirrorError, match=said):
        freshness.check_age(mirror.open(path), HALF_A_DAY, "Asia/Kolkata")


def test_versions_stay_in_order_and_each_state_shows_what_it_had(ahead):
    for number in (2, 3, 4):
        write(ahead, flights=[a_flight(1, minutes=60 + number), a_flight(number)])
    history = mirror.open(ahead).history("flights")
    assert (history["valid_to"].dropna() > history["valid_from"][history["valid_to"].notna()]).all()
    for number in (2, 3, 4):
        frame = mirror.open(ahead, version=number).table("flights")
        assert frame["flight_id"].tolist() == ["fl_1", f"fl_{number}"]
        assert frame["duration_seconds"].tolist() == [3600 + 60 * number, 3600]
    assert mirror.verify(ahead).intact


def test_changes_are_told_though_their_moments_lie_close_together(ahead):
    """The log's statistics know whole milliseconds only: a file must not be skipped by them."""
    for number in (2, 3, 4):
        write(ahead, flights=[a_flight(1, minutes=60 + number)])
    states = mirror.open(ahead).states
    for before, changed in zip(states, (3, 2, 1, 0), strict=True):
        assert len(mirror.open(ahead).changes("flights", before.fetched_at)) == changed
    moments = [state.fetched_at for state in states]
    assert moments == sorted(set(moments))
    assert {moment.microsecond % 1000 for moment in moments} == {0}


def test_a_sync_says_that_the_one_before_was_ahead(ahead):
    report = write_full(ahead, flights=[a_flight(1)])
    (said,) = report.remarks
    assert said.startswith("The sync before has a time that is 36")
    assert "ahead of this clock" in said
    assert said.endswith("move the mirror aside and sync anew.")
    assert write_full(ahead, flights=[a_flight(1)]).remarks == ()


def test_a_moment_means_the_newest_sync_that_a_true_clock_wrote_until_then(ahead):
    write(ahead, flights=[a_flight(2)])
    now = datetime.now(UTC) + timedelta(seconds=1)
    assert mirror.open(ahead, as_of=now).version == 2
    assert fk.open_mirror(ahead, as_of=now).flights()["flight_id"].tolist() == ["fl_2"]
