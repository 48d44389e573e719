"""A mirror that is damaged is never taken for intact: it is repaired, or refused with what to do.

Three syncs, at which flights fl_0 to fl_4 of September had another operation, projects moved stage
and equipment and services changed; one flight of October came and went at each. Files are changed
as bit rot, a full or failing disk, and operators change them.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from a_past import a_flight, frames_of, write, write_full
from deltalake import DeltaTable, write_deltalake

import fleetkit as fk
from fleetkit import mirror
from fleetkit.errors import FleetkitError, MirrorError
from fleetkit.mirror.files import files, has_true_statistics
from fleetkit.mirror.layout import KEYS, TIME
from fleetkit.mirror.recovery import DamagedTable
from fleetkit.mirror.store import Store, query
from fleetkit.mirror.verification import intact_rows

pytestmark = pytest.mark.slow

FLIPS = 4
ADVICE = r"backup|new folder"


def organisation(number):
    """Return an organisation as the sync of that number finds it."""
    flights = [a_flight(number, notes=NOTES) for number in range(40)]
    flights[7]["durationSeconds"] = 4620
    for index in range(5):
        flights[index]["operationType"] = OPERATIONS[number]
    flights += [a_flight(number, "2026-10-10", pilotInCommand=ADA) for number in range(40, 60)]
    flights += [a_flight(100 + number, "2026-10-11")]
    status = "DRAFT" if number < 2 else "INVOICED"
    tier = {"id": "tier_1", "tierLevel": 1}
    return {
        "flights": flights,
        "projects": [{"id": f"p_{number}", "status": status} for number in range(9)],
        "equipment": [{"id": "eq_1", "totalFlights": number, "specifications": {"a": "b"}}],
        "services": [{"id": "svc_1", "baseRate": 90 + number, "tiers": [tier]}],
        "detail": True,
        "camera": ("fl_3", "fl_4"),
    }


ADA = {"id": "prof_ada", "fullName": "Ada Lind"}
OPERATIONS = ("", "ALPHA", "BRAVO", "CHARLIE", "DELTA", "ECHO", "FOXTROT")
NOTES = "from the north side"


@pytest.fixture(scope="module")
def three_syncs(tmp_path_factory):
    """Return a mirror of three syncs; nobody may change it."""
    path = tmp_path_factory.mktemp("intact") / "mirror"
    for number in (1, 2, 3):
        write(path, **organisation(number))
    return path


@pytest.fixture
def path(three_syncs, tmp_path):
    """Return a copy of that mirror."""
    shutil.copytree(three_syncs, tmp_path / "mirror")
    return tmp_path / "mirror"


@pytest.fixture(scope="module")
def expected(three_syncs):
    """Return what it shows."""
    return shown(three_syncs)


def shown(path):
    """Return all that can be read of the first three states.

    Of the other tables earlier states and changes follow in the same way from their history.
    """
    opened = mirror.open(path, version=3)
    digests = {(name, 3): opened.table(name) for name in KEYS}
    for version in (1, 2):
        digests["flights", version] = mirror.open(path, version=version).table("flights")
    digests |= {f"history of {name}": opened.history(name) for name in KEYS}
    since, until = (
        pd.Timestamp(f"2026-{month}-01", tz="UTC").to_pydatetime() for month in (10, 11)
    )
    digests["October"] = opened.table("flights", since, until)
    digests["changes"] = opened.changes("flights")
    digests["beginnings"] = pd.DataFrame({name: [opened.watched_since(name)] for name in KEYS})
    digests["syncs"] = opened.syncs()
    return digests


def assert_same(actual, expected):
    for name, frame in expected.items():
        pd.testing.assert_frame_equal(actual[name], frame, obj=str(name))


def live_files(path, table):
    return sorted(DeltaTable(path / table).file_uris())


def commit_of(path, table, version):
    return path / table / "_delta_log" / f"{version:020d}.json"


def newest_commit(path, table):
    return commit_of(path, table, DeltaTable(path / table).version())


def flip(file, place, bit):
    data = bytearray(Path(file).read_bytes())
    data[place] ^= 1 << bit
    Path(file).write_bytes(bytes(data))


def assert_refused(path):
    """Refuse a mirror that a sync would build on, or that is called intact."""
    with pytest.raises(MirrorError, match=ADVICE):
        write(path, **organisation(3))
    assert not is_intact(path)


def assert_repaired(path, expected):
    """Let a full sync bring back every row version."""
    write_full(path, **organisation(3))
    assert_same(shown(path), expected)
    assert mirror.verify(path).intact


# -- single bits --------------------------------------------------------------------------------


def test_every_flipped_bit_is_harmless_or_detected_and_then_repaired_or_refused(
    three_syncs, expected, tmp_path
):
    """Half of the bits lie in files that are in use, half in any file of a mirror, logs too."""
    chance = random.Random(7)
    used = [Path(file) for name in (*KEYS, "syncs") for file in live_files(three_syncs, name)]
    every = sorted(file for file in three_syncs.rglob("*") if file.is_file())
    for number in range(FLIPS):
        path = tmp_path / str(number)
        shutil.copytree(three_syncs, path)
        file = path / chance.choice(used if number % 2 else every).relative_to(three_syncs)
        flip(file, chance.randrange(file.stat().st_size), chance.randrange(8))
        assert outcome_of(path, expected) in ("harmless", "repaired", "refused")
        shutil.rmtree(path)


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        # 4620 s of a flight that the service still tells; ALPHA is told by nobody any more.
        ((4620).to_bytes(8, "little"), "repaired"),
        (b"ALPHA", "refused"),
    ],
)
def test_a_flipped_bit_of_a_value_is_repaired_where_the_service_tells_it(
    path, expected, value, outcome
):
    files_of_it = [Path(file) for file in live_files(path, "flights")]
    places = [(file, file.read_bytes().find(value)) for file in files_of_it]
    file, place = next((file, place) for file, place in places if place >= 0)
    flip(file, place, 0)
    assert outcome_of(path, expected) == outcome


def test_a_flipped_bit_of_a_file_that_no_state_needs_is_harmless(path, expected):
    used = {Path(file).name for file in live_files(path, "flights")}
    replaced = [file for file in (path / "flights").rglob("*.parquet") if file.name not in used]
    flip(replaced[0], 100, 0)
    assert outcome_of(path, expected) == "harmless"


def outcome_of(path, expected):
    intact = is_intact(path)
    if intact:
        assert_same(shown(path), expected)
    try:
        report = write_full(path, **organisation(3))
    except MirrorError as problem:
        report = problem
    if isinstance(report, MirrorError):
        assert (intact, bool(report.advice)) == (False, True)
        return "refused"
    assert mirror.verify(path).problems == {}
    assert_same(shown(path), expected)
    assert bool(report.remarks) is not intact
    return "harmless" if intact else "repaired"


def is_intact(path):
    try:
        return mirror.verify(path).intact
    except FleetkitError as problem:
        error = problem
    assert error.advice
    return False


# -- values -------------------------------------------------------------------------------------


def whole(number):
    """Return a number as it lies in a file."""
    return number.to_bytes(8, "little", signed=True)


def rot(path, table, old, new, *, footer=False, month=""):
    """Change values in all files that are in use (of a month), as rot no reader would notice.

    Files begin with the values; statistics of them follow in the footer.
    """
    done = 0
    for name in live_files(path, table):
        if month not in name:
            continue
        data = Path(name).read_bytes()
        end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        parts = [data[:end], data[end:]]
        done += parts[footer].count(old)
        parts[footer] = parts[footer].replace(old, new)
        Path(name).write_bytes(b"".join(parts))
    assert done
    assert len(old) == len(new)


def longer(path):
    """Let the flight that took 4620 s, as no other did, take 4621."""
    rot(path, "flights", whole(4620), whole(4621))


def micros(moment):
    return whole(int(pd.Timestamp(moment).value) // 1000)


def test_a_value_that_changed_is_detected_and_told_again_by_the_service(path, expected):
    longer(path)
    assert mirror.open(path).table("flights")["duration_seconds"].max() == 4621
    verification = mirror.verify(path)
    assert not verification.intact
    assert list(verification.problems) == ["flights"]
    assert "1 of 73 row versions were changed" in verification.problems["flights"]
    assert "flights           damaged: 1 of 73" in repr(verification)
    assert "equipment         3 row versions, as 3 states pinned them" in repr(verification)
    report = write_full(path, **organisation(3))
    (said,) = report.remarks
    assert said.startswith("Repaired: table flights was damaged. Row versions restored: 1; every")
    assert not report.changed
    assert mirror.verify(path).intact
    assert_same(shown(path), expected)


def test_a_small_table_is_verified_by_every_sync(path):
    rot(path, "projects", b"INVOICED", b"INVOICEX")
    with pytest.raises(MirrorError, match="9 rows of table projects were changed") as refused:
        write(path, **organisation(3))
    assert "full=True" in str(refused.value)


def test_flights_are_verified_by_syncs_in_turn(path, monkeypatch):
    """One month has its turn where no more rows may be hashed: October, then September."""
    monkeypatch.setattr("fleetkit.mirror.verification.MOST_IN_TURN", 1)
    longer(path)
    assert [tried(path), tried(path), tried(path)] == ["in step", "refused", "refused"]


def tried(path):
    try:
        write(path, **organisation(3))
    except MirrorError:
        return "refused"
    return "in step"


def test_a_version_of_long_ago_is_repaired_by_what_its_record_holds_otherwise(path, expected):
    """The service tells nothing of what was closed; but its other columns stand in what follows."""
    rot(path, "flights", NOTES.encode(), NOTES.replace("north", "south").encode())
    assert not mirror.verify(path).intact
    assert_repaired(path, expected)


def test_a_version_from_before_a_field_was_known_is_repaired_too(tmp_path):
    """No file of September has the colour that a flight of October came with.

    What the damaged version held is no longer served: only the version after it has it, too.
    """
    flight = a_flight(1, notes=NOTES)
    moved = flight | {"flightDate": "2026-10-10T10:00:00.000Z"}
    states = [[flight], [moved]]
    states += [[moved | {"notes": "gone"}, a_flight(2, "2026-10-11", colour="red")]]
    for flights in states:
        write(tmp_path, flights=flights)
    history = mirror.open(tmp_path).history("flights")
    south = NOTES.replace("north", "south").encode()
    rot(tmp_path, "flights", NOTES.encode(), south, month="2026-09")
    assert not mirror.verify(tmp_path).intact
    write_full(tmp_path, flights=states[-1])
    assert mirror.verify(tmp_path).intact
    pd.testing.assert_frame_equal(mirror.open(tmp_path).history("flights"), history)


def test_a_field_that_is_called_row_is_in_the_way_of_no_repair(tmp_path):
    flight = a_flight(1, notes=NOTES, row=4)
    write(tmp_path, flights=[flight])
    write(tmp_path, flights=[edited := flight | {"operationType": "BRAVO"}])
    rot(tmp_path, "flights", NOTES.encode(), NOTES.replace("north", "south").encode())
    write_full(tmp_path, flights=[edited])
    assert mirror.verify(tmp_path).intact


def test_what_nobody_can_tell_again_is_refused_unless_its_loss_is_accepted(path, expected):
    """At the first sync fl_0 to fl_4 were of the operation ALPHA, and never again."""
    rot(path, "flights", b"ALPHA", b"ALPHB")
    with pytest.raises(MirrorError, match="what version 1 held can't be restored") as refused:
        write_full(path, **organisation(3))
    assert "accept_loss=True" in str(refused.value)
    assert mirror.open(path).version == 3

    report = write_full(path, accept_loss=True, **organisation(3))
    assert report.remarks[0].startswith("Repaired with loss: table flights was damaged")
    assert mirror.verify(path).intact
    with pytest.raises(MirrorError, match=r"Version 1 of .* is no longer whole: table flights was"):
        mirror.open(path, version=1).table("flights")
    for version in (2, 3):
        earlier = mirror.open(path, version=version)
        pd.testing.assert_frame_equal(earlier.table("flights"), expected["flights", version])
    opened = mirror.open(path)
    assert opened.changes("flights").empty
    assert opened.watched_since("flights") == opened.moment
    assert len(opened.changes("projects")) == 9
    write(path, **{**organisation(3), "flights": organisation(3)["flights"][1:]})
    assert mirror.open(path).changes("flights")["change"].tolist() == ["vanished"]
    assert mirror.verify(path).intact


def test_hashes_that_changed_are_told_from_values_that_did(path, expected):
    rows = DeltaTable(path / "flights").to_pyarrow_table().to_pandas()
    for row_hash in rows.loc[rows["flight_id"] == "fl_0", "row_hash"]:
        rot(path, "flights", whole(row_hash), whole(row_hash ^ 1))
    assert "3 of 73 row versions were changed" in mirror.verify(path).problems["flights"]
    assert_repaired(path, expected)


def test_a_flight_in_another_month_than_that_of_its_date_is_not_intact(path):
    table = DeltaTable(path / "flights")
    rows = query(table, [field.name for field in table.schema().fields], "true")
    assert intact_rows(rows).sum() == rows.num_rows == 73
    september = pa.repeat(pa.scalar("2026-09", pa.large_string()), rows.num_rows)
    moved = rows.set_column(rows.column_names.index("flight_month"), "flight_month", september)
    # 40 flights, of which five had three versions.
    assert intact_rows(moved).sum() == 50


def test_a_sync_refuses_other_rows_than_the_newest_one_left(path):
    """The hash of fl_45 is another one; 40 + 20 + 1 flights stand."""
    rows = DeltaTable(path / "flights").to_pyarrow_table().to_pandas()
    (row_hash,) = rows.loc[rows["flight_id"] == "fl_45", "row_hash"]
    rot(path, "flights", whole(row_hash), whole(row_hash ^ 1))
    wrong = "the 61 current rows of table flights aren't the 61 that version 3 left"
    with pytest.raises(MirrorError, match=wrong):
        write(path, **organisation(3))


@pytest.mark.parametrize("pair", [(1, 0), (1, 2)])
def test_rows_that_stand_longer_or_shorter_than_they_did_are_detected(path, pair):
    moments = mirror.open(path).syncs()["fetched_at"]
    rot(path, "equipment", *(micros(moments[place]) for place in pair))
    assert "aren't what was pinned" in mirror.verify(path).problems["equipment"]


def test_a_row_that_ends_as_it_begins_or_earlier_is_not_intact():
    first, second = 1, 2  # microseconds of two syncs
    ends = {
        "valid_from": [first, first, first, second, None],
        "valid_to": [None, second, first, first, second],
    }
    rows = pa.table(
        {name: pa.array(values, pa.int64()).cast(TIME) for name, values in ends.items()}
    )
    table = DamagedTable(None, "equipment", None, {first, second})
    assert table.has_known_ends(rows).tolist() == [True, True, False, False, False]


def test_rows_of_a_moment_at_which_there_was_no_sync_are_detected(path):
    moments = mirror.open(path).syncs()["fetched_at"]
    rot(path, "equipment", micros(moments[0]), micros(moments[0] - pd.Timedelta("1 day")))
    assert "begin or end at no sync" in mirror.verify(path).problems["equipment"]


def test_statistics_of_a_file_that_hide_rows_are_detected_and_written_anew(path, expected):
    """They say that no flight of October was later than the tenth; one was on the eleventh."""
    days = (micros("2026-10-11"), micros("2026-10-10"))
    rot(path, "flights", *days, footer=True)
    assert "wrong statistics" in mirror.verify(path).problems["flights"]
    assert_repaired(path, expected)


def test_statistics_are_true_where_no_value_lies_outside(path):
    table = DeltaTable(path / "equipment")
    file = next(files(Store(path), "equipment", table))
    assert has_true_statistics(file)
    least, largest, day = (
        file.log["min.valid_from"],
        file.log["max.valid_from"],
        pd.Timedelta(days=1),
    )
    assert has_true_statistics(replace(file, log={**file.log, "min.valid_from": least - day}))
    for end in ("min.valid_from", "max.valid_from"):  # neither has to stand there
        assert has_true_statistics(replace(file, log={**file.log, end: None}))
    for untrue in (
        {"num_records": file.log["num_records"] + 1},
        {"null_count.valid_to": file.log["null_count.valid_to"] + 1},
        {"min.valid_from": largest + day},
        {"max.valid_from": least - day},
    ):
        assert not has_true_statistics(replace(file, log={**file.log, **untrue}))


def test_the_first_and_the_last_date_there_is_are_true_statistics(tmp_path):
    """Some services write them for no date; the log's last millisecond has none behind it."""
    dates = ("0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z")
    write(tmp_path, flights=[a_flight(number, date) for number, date in enumerate(dates)])
    assert mirror.verify(tmp_path).problems == {}


def test_files_that_are_gone_with_what_several_syncs_wrote_are_refused(path, expected):
    write_full(path, **organisation(3))
    [file] = live_files(path, "projects")
    for damage, what in (
        (partial(Path(file).write_bytes, b"PAR1"), "isn't what was written"),
        (Path(file).unlink, "is gone"),
    ):
        damage()
        says = {"projects": f"can't be read: the file {file} {what}"}
        assert mirror.verify(path).problems == says
    with pytest.raises(MirrorError, match=r"can't be read.*full=True"):
        mirror.open(path).table("projects")
    with pytest.raises(MirrorError, match="what versions 1 to 4 held can't be restored in full"):
        write_full(path, **organisation(3))
    write_full(path, accept_loss=True, **organisation(3))
    assert mirror.verify(path).intact
    pd.testing.assert_frame_equal(mirror.open(path).table("projects"), expected["projects", 3])


def test_a_table_that_another_program_compacted_is_whole_though_files_that_were_pinned_are_gone(
    path, expected
):
    table = DeltaTable(path / "flights")
    table.optimize.z_order(["flight_id"])
    assert table.vacuum(0, enforce_retention_duration=False, dry_run=False) != []
    assert_refused(path)
    assert_repaired(path, expected)
    assert mirror.verify(path).intact


def test_a_sync_undoes_that_another_program_replaced_a_table_by_one_of_other_columns(
    path, expected
):
    other = pa.table({"a": [1]})
    write_deltalake(path / "projects", other, mode="overwrite", schema_mode="overwrite")
    write(path, **organisation(3))
    assert mirror.verify(path).intact
    assert_same(shown(path), expected)


@pytest.mark.parametrize("in_its_place", [None, "folder"])
def test_a_file_that_is_gone_is_told_again_where_one_sync_wrote_it(tmp_path, in_its_place):
    """Of the three flights that the service tells by now, one is younger than the newest sync."""
    path = tmp_path / "mirror"
    flights = [a_flight(number, createdAt="2026-01-01T00:00:00Z") for number in (1, 2)]
    write(path, flights=flights)
    write(path, flights=flights)
    before = mirror.open(path).history("flights")
    (file,) = live_files(path, "flights")
    Path(file).unlink()
    if in_its_place:
        Path(file).mkdir()
    report = write_full(path, flights=[*flights, a_flight(3, createdAt="2126-01-01T00:00:00Z")])
    assert report.tables["flights"].inserted == 1
    assert mirror.verify(path).intact
    pd.testing.assert_frame_equal(mirror.open(path, version=2).history("flights"), before)


@pytest.mark.parametrize(
    "table",
    ["syncs", pytest.param("flights", marks=pytest.mark.slow)],  # a whole sync, up to its commit
)
def test_a_folder_in_the_place_of_a_log_s_last_file_is_not_taken_for_another_sync(path, table):
    log = path / table / "_delta_log"
    newest = max(log.glob("*.json"))
    if table == "syncs":
        newest.unlink()
    else:  # where the next version will be
        newest = newest.with_name(f"{int(newest.stem) + 1:020d}.json")
    newest.mkdir()
    says = f"damaged: {newest} is a folder, where the log of table {table} has a file"
    with pytest.raises(MirrorError, match=says):
        write(path, flights=[a_flight(9)])
    if table == "syncs":
        with pytest.raises(MirrorError, match=says):
            mirror.open(path)


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.EIO, "is damaged: table syncs: 3 of its files can't be read"),
        (errno.EMFILE, "can't be read: too many files are open"),
    ],
)
def test_a_file_is_damaged_where_the_disk_cannot_read_it_and_not_where_the_process_cannot(
    path, monkeypatch, number, says
):
    def read(file):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "read_bytes", read)
    with pytest.raises(MirrorError, match=says):
        mirror.verify(path)


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.EIO, "Check both, and try again. If that doesn't help, files are damaged. Restore."),
        (errno.ENOTCONN, "Connect it again, and try again."),
    ],
)
def test_where_a_disk_fails_nothing_is_given_up_before_it_was_checked(path, number, advice):
    store = Store(path)
    with pytest.raises(MirrorError) as said, store.doing("read", damage="Restore."):
        raise OSError(number, os.strerror(number))
    assert said.value.advice == advice


def test_statistics_of_a_log_that_hide_rows_are_noticed_before_anything_is_read(path, expected):
    """They say that no piece of equipment stands."""
    log = newest_commit(path, "equipment")
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        if "add" in action:
            told = json.loads(action["add"]["stats"])
            told["nullCount"]["valid_to"] = 0
            action["add"]["stats"] = json.dumps(told)
    log.write_text("\n".join(map(json.dumps, actions)))
    with pytest.raises(MirrorError, match="the log of table equipment isn't what"):
        mirror.open(path).table("equipment")
    assert_refused(path)
    assert_repaired(path, expected)


# -- logs ---------------------------------------------------------------------------------------


def test_an_emptied_last_commit_is_not_taken_for_the_new_state(path, expected):
    newest_commit(path, "flights").write_text("")
    with pytest.raises(
        MirrorError, match="the log of table flights isn't what the newest sync left"
    ):
        mirror.open(path).table("flights")
    with pytest.raises(MirrorError, match="the log of table flights"):
        mirror.open(path).scan("flights")
    assert_refused(path)
    assert_repaired(path, expected)


def test_rows_that_lie_in_two_files_because_an_earlier_commit_is_lost_are_kept_once(path, expected):
    """The commit that replaced the first file is empty, so that file counts beside later ones."""
    commit_of(path, "flights", 1).write_text("")
    assert_refused(path)
    assert_repaired(path, expected)


def test_an_emptied_last_commit_is_given_up_where_the_service_moved_on(path):
    newest_commit(path, "flights").write_text("")
    with pytest.raises(MirrorError, match="what version 3 held can't be restored in full"):
        write_full(path, **organisation(4))
    report = write_full(path, accept_loss=True, **organisation(4))
    assert report.version == 4
    assert mirror.verify(path).intact
    with pytest.raises(MirrorError, match=r"Version 3 of .* is no longer whole"):
        mirror.open(path, version=3).table("flights")


def test_an_emptied_last_commit_of_syncs_is_noticed(path):
    newest_commit(path, "syncs").write_text("")
    for use in (mirror.open, mirror.verify, lambda path: write(path, **organisation(3))):
        with pytest.raises(MirrorError, match=r"its table syncs.* last commit is empty"):
            use(path)


@pytest.mark.parametrize("text", ["{", '{"add": 5}\n', "\0" * 400])
def test_a_torn_commit_names_the_table_to_restore(path, text):
    newest_commit(path, "flights").write_text(text)
    with pytest.raises(
        MirrorError, match=f"Restore {path}/flights, or the whole mirror, from a ba"
    ):
        mirror.open(path).table("flights")
    assert_refused(path)


@pytest.mark.parametrize("table", ["flights", "syncs"])
def test_a_log_whose_checkpoint_is_damaged_does_without_it_as_is_advised(path, expected, table):
    DeltaTable(path / table).create_checkpoint()
    [checkpoint] = (path / table / "_delta_log").glob("*.checkpoint.parquet")
    for damage in (partial(checkpoint.write_bytes, b"PAR1"), checkpoint.unlink):
        damage()
        with pytest.raises(
            MirrorError, match=f"Move _last_checkpoint .*{path}/{table}/_delta_log, and .* Restore "
        ):
            mirror.open(path).table("flights")
    (path / table / "_delta_log" / "_last_checkpoint").unlink()
    assert_same(shown(path), expected)
    assert is_intact(path)


def test_a_file_of_somebody_s_whose_name_is_in_the_way_is_to_be_moved(path):
    """As a sync finds it where it deletes old files, and everybody in a log."""
    says = r"/caf%E9\.txt has a name that no file in it can have\. Move it elsewhere"
    odd = os.fsencode(path / "flights" / "caf") + b"\xe9.txt"
    Path(os.fsdecode(odd)).touch()
    with pytest.raises(MirrorError, match=says), Store(path).doing("written"):
        DeltaTable(path / "flights").vacuum(full=True)
    Path(os.fsdecode(odd)).rename(os.fsdecode(odd.replace(b"/caf", b"/_delta_log/caf")))
    with pytest.raises(MirrorError, match=says):
        mirror.open(path).table("flights")


def test_a_table_whose_log_is_beyond_repair_can_be_made_anew(path, expected):
    newest_commit(path, "flights").write_text("{")
    shutil.move(path / "flights", path.parent / "flights.damaged")
    with pytest.raises(MirrorError, match="table flights is gone"):
        write_full(path, **organisation(3))
    write_full(path, accept_loss=True, **organisation(3))
    pd.testing.assert_frame_equal(mirror.open(path).table("flights"), expected["flights", 3])
    assert mirror.verify(path).intact


def test_a_row_of_syncs_that_was_changed_is_refused(path):
    rot(path, "syncs", b"http://here", b"http://hera")
    with pytest.raises(MirrorError, match=r"its row of version 3 was changed\. Restore"):
        mirror.open(path)


def test_a_file_of_syncs_that_is_gone_can_only_be_restored(path):
    Path(live_files(path, "syncs")[0]).unlink()
    for use in (mirror.verify, lambda path: write_full(path, **organisation(3))):
        with pytest.raises(MirrorError, match=rf"is gone\. Restore {path}/syncs, or the"):
            use(path)


def test_what_a_row_of_syncs_says_was_read_is_verified(path):
    rot(path, "syncs", b"eq_1", b"eq_2")
    with pytest.raises(MirrorError, match="the column read of version 3 was changed"):
        mirror.open(path)


def test_a_row_of_syncs_that_is_gone_among_others_is_noticed(path):
    commit_of(path, "syncs", 2).write_text("")
    with pytest.raises(MirrorError, match="it has 2 rows, the newest of version 3"):
        mirror.open(path)


# -- tables that are gone, older or another mirror's ----------------------------------------------


def test_without_its_table_of_syncs_a_mirror_is_refused_with_what_to_do(path):
    shutil.rmtree(path / "syncs")
    before = sorted(path.rglob("*"))
    for use in (mirror.open, mirror.verify, lambda path: write(path, **organisation(3))):
        with pytest.raises(MirrorError, match="its table syncs is gone") as refused:
            use(path)
        assert "from a backup; or sync into a new folder" in str(refused.value)
        assert "can still be read without fleetkit" in str(refused.value)
    assert sorted(path.rglob("*")) == before


def test_a_table_of_syncs_that_was_begun_anew_does_not_hide_a_history(path):
    empty = pq.ParquetFile(live_files(path, "syncs")[0]).read().slice(0, 0)
    shutil.rmtree(path / "syncs")
    write_deltalake(path / "syncs", empty)
    with pytest.raises(
        MirrorError, match=r"its table syncs is empty, but table .* holds a history"
    ):
        write(path, **organisation(3))


@pytest.mark.parametrize("table", ["flights", "services"])
def test_a_table_that_is_gone_is_named(path, table, expected):
    shutil.rmtree(path / table)
    (path / table).symlink_to(path.parent / "unmounted")
    with pytest.raises(MirrorError, match=f"/{table} is a link to a folder that isn't there"):
        mirror.open(path).table(table)
    (path / table).unlink()
    gone = f"table {table} is gone.*copied in part.*without its history: .*accept_loss=True"
    with pytest.raises(MirrorError, match=gone):
        mirror.open(path).table(table)
    with pytest.raises(MirrorError, match=gone):
        write_full(path, **organisation(3))
    assert_refused(path)
    write_full(path, accept_loss=True, **organisation(3))
    pd.testing.assert_frame_equal(mirror.open(path).table(table), expected[table, 3])
    assert mirror.verify(path).intact


def test_a_table_from_an_older_backup_is_noticed(path, tmp_path):
    shutil.copytree(path / "flights", tmp_path / "older")
    write(path, **organisation(4))
    shutil.rmtree(path / "flights")
    shutil.copytree(tmp_path / "older", path / "flights")
    with pytest.raises(MirrorError, match=r"table flights ends with version .* older backup"):
        mirror.open(path).table("flights")
    assert_refused(path)


def test_syncs_from_an_older_backup_than_the_rest_are_noticed(path, tmp_path):
    shutil.copytree(path / "syncs", tmp_path / "older")
    for number in (4, 5):
        write(path, **organisation(number))
    shutil.rmtree(path / "syncs")
    shutil.copytree(tmp_path / "older", path / "syncs")
    with pytest.raises(MirrorError, match=r"holds 2 syncs that table syncs.*same backup"):
        write(path, **organisation(6))


def test_a_whole_mirror_from_an_older_backup_goes_on_from_there(path, tmp_path, expected):
    shutil.copytree(path, tmp_path / "backup")
    write(path, **organisation(4))
    shutil.rmtree(path)
    shutil.copytree(tmp_path / "backup", path)
    write(path, **organisation(4))
    assert mirror.open(path).version == 4
    assert_same(shown(path), expected)


def test_a_mirror_that_was_renamed_and_one_that_was_copied_go_on_apart(path, tmp_path, expected):
    shutil.copytree(path, tmp_path / "copy")
    opened = mirror.open(path)
    path.rename(tmp_path / "renamed")
    with pytest.raises(MirrorError, match=r"mirror is gone since it was opened\. Open it where"):
        opened.table("flights")
    for number, name in ((4, "copy"), (5, "renamed")):
        write(tmp_path / name, **organisation(number))
        assert mirror.verify(tmp_path / name).intact
        assert_same(shown(tmp_path / name), expected)
        pieces = mirror.open(tmp_path / name).table("equipment")
        assert pieces["total_flights"].tolist() == [number]


def test_a_table_of_another_mirror_is_noticed(path, tmp_path):
    for number in (1, 2, 3):
        write(tmp_path / "other", **organisation(number))
    shutil.rmtree(path / "flights")
    shutil.copytree(tmp_path / "other" / "flights", path / "flights")
    with pytest.raises(MirrorError, match="the log of table flights isn't what"):
        mirror.open(path).table("flights")
    assert_refused(path)


@pytest.mark.parametrize("part", [0.2, 0.5, 0.8])
def test_a_copy_that_was_broken_off_is_noticed(path, tmp_path, part):
    """As cp and rsync copy: file after file, in the order of their names."""
    every = sorted(file.relative_to(path) for file in path.rglob("*") if file.is_file())
    for file in every[: int(len(every) * part)]:
        (tmp_path / "copy" / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path / file, tmp_path / "copy" / file)
    with pytest.raises(MirrorError, match=ADVICE):
        write(tmp_path / "copy", **organisation(3))


# -- the command line ---------------------------------------------------------------------------


def test_check_verifies_a_mirror_without_address_and_key(run, path):
    code, out, err = run("check", "--mirror", "mirror")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == f"Mirror {path}, version 3"
    assert "  flights           73 row versions, as 3 states pinned them" in out.splitlines()
    told = json.loads(run("check", "--mirror", "mirror", "--json")[1])
    assert (told["state"], told["counts"]["flights"]) == ("intact", 73)
    assert told["tables"]["flights"] == {"rows": 73, "states": 3, "problem": ""}


def test_check_says_in_one_line_what_is_damaged_and_what_to_do(run, path):
    longer(path)
    code, out, err = run("check", "--mirror", "mirror")
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert "is damaged: table flights: 1 of 73 row versions were changed" in err
    assert f"Run: fleetkit sync {path} --full" in err
    assert run("check", "--mirror", "nowhere")[0] == 1


def test_check_says_once_what_is_damaged_and_advises_what_a_full_sync_would(run, path):
    newest_commit(path, "flights").write_text("{")
    shutil.rmtree(path / "tiers")
    err = run("check", "--mirror", "mirror")[2]
    assert err.count(str(path)) == 3  # the mirror, its table flights, and what makes that again
    assert "is damaged: table flights: can't be read: " in err
    assert "; table tiers: table tiers is gone (was the mirror copied in part?). Restore " in err
    assert f"Restore {path}/flights, or the whole mirror, from a backup; or move that" in err
    assert err.endswith(f": fleetkit sync {path} --full --accept-loss.\n")


def test_full_repairs_what_a_service_tells_again(tiny, tmp_path):
    path = tmp_path / "mirror"
    with fk.connect(tiny.base_url, tiny.api_key, progress=False) as fleet:
        fleet.sync(path)
        known = shown_now(path)
        rot(path, "flights", whole(900), whole(901))
        rot(path, "projects", b"Bridge inspection", b"Bridge inspektion")
        assert set(mirror.verify(path).problems) == {"flights", "projects"}
        report = fleet.sync(path, full=True)
    assert [said.partition(" was")[0] for said in report.remarks] == [
        "Repaired: table flights",
        "Repaired: table projects",
    ]
    assert mirror.verify(path).intact
    assert_same(shown_now(path), known)


def shown_now(path):
    opened = mirror.open(path, version=1)
    return {name: opened.table(name) for name in KEYS}


def test_the_frames_of_this_module_are_all_tables():
    assert set(frames_of(**organisation(1))) == set(KEYS)
