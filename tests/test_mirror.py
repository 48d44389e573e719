"""The mirror: whole tables in, the same tables out, every change kept as a version."""

from __future__ import annotations

import json
import random
import shlex
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pytest
from a_past import page
from a_service import counts
from deltalake import DeltaTable, write_deltalake
from deltalake.fs import DeltaStorageHandler
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import fs

from fleetkit import mirror, schema, tables
from fleetkit.errors import Forbidden, InvalidValue, MirrorError
from fleetkit.mirror import comparing
from fleetkit.mirror.locations import address
from fleetkit.mirror.report import TableChange
from fleetkit.mirror.syncs import LAYOUT


def flights_of(records):
    reader = tables.FlightReader()
    reader.add("eq_1", page(records))
    return dict(zip(("flights", "flight_equipment"), reader.finish(), strict=True))


def a_flight(number, day="2026-10-01", **fields):
    return {"id": f"fl_{number}", "flightDate": day, "durationSeconds": 600, **fields}


def frames_of(flights=(), projects=(), detail=False):
    """Return the seven tables of a small organisation."""
    equipment = page([{"id": "eq_1", "weight": 1.5, "specifications": {"cells": "6"}}])
    services = page([{"id": "svc_1", "baseRate": 90, "tiers": [{"id": "tier_1", "tierLevel": 1}]}])
    return {
        "equipment": tables.equipment([equipment]),
        "specifications": tables.specifications([equipment]),
        "projects": tables.projects([page(list(projects))], detail=detail),
        "services": tables.services([services]),
        "tiers": tables.tiers([services]),
        **flights_of(list(flights)),
    }


def write(path, frames, missing=None):
    retained = {name: frame for name, frame in frames.items() if name not in (missing or {})}
    return mirror.write(
        path, retained, source="http://here", tz="Europe/London", requests=5, missing=missing or {}
    )


def stored_in(path):
    """Return the files of a folder or an object store as a file system."""
    return fs.PyFileSystem(DeltaStorageHandler(str(path)))


def data_files(path):
    every = stored_in(path).get_file_info(fs.FileSelector("", recursive=True))
    return sorted(record.path for record in every if record.path.endswith(".parquet"))


@pytest.fixture
def path(tmp_path):
    """Return a folder: what is compared and refused is the same in an object store."""
    return tmp_path / "mirror"


@pytest.fixture
def folder(path):
    return path


@pytest.mark.slow
def test_every_table_comes_back_as_it_was_written(anywhere):
    project = {"id": "proj_1", "status": "DRAFT", "agreedPrice": 5, "clientAccountEmail": "a@b.c"}
    frames = frames_of([a_flight(2, bvlos=True), a_flight(1, None)], [project], detail=True)
    write(anywhere, frames)
    opened = mirror.open(anywhere)
    for name in schema.TABLES:
        key = list(frames[name].columns[:1])
        expected = frames[name].sort_values(key, ignore_index=True)
        pd.testing.assert_frame_equal(opened.table(name), expected)


@pytest.mark.slow
def test_the_rows_of_a_mirror_stand_in_the_order_of_their_ids(path):
    projects = [{"id": f"proj_{number}", "status": "DRAFT"} for number in (3, 1, 2)]
    write(path, frames_of(projects=projects))
    ids = mirror.open(path).table("projects")["project_id"].tolist()
    assert ids == ["proj_1", "proj_2", "proj_3"]


@pytest.mark.slow
def test_an_empty_organisation_has_empty_tables_of_the_contract(path):
    write(path, {name: tables.empty(name) for name in schema.TABLES})
    for name in schema.TABLES:
        pd.testing.assert_frame_equal(mirror.open(path).table(name), tables.empty(name))


@pytest.mark.slow
def test_the_first_write_is_version_one_and_says_what_came(path):
    report = write(path, frames_of([a_flight(1), a_flight(2)]))
    assert (report.version, report.requests) == (1, 5)
    assert counts(report, "flights") == (2, 0, 0)
    assert "flights           2 rows: 2 new" in repr(report)
    assert "<td style='text-align:left'>2 rows: 2 new</td>" in report._repr_html_()


@pytest.mark.slow
def test_an_open_mirror_knows_where_it_comes_from(path):
    report = write(path, frames_of())
    opened = mirror.open(str(path))
    assert (opened.path, opened.source, opened.tz) == (
        str(path),
        "http://here",
        "Europe/London",
    )
    assert (opened.version, opened.requests, opened.missing) == (1, 5, {})
    assert opened.fetched_at == report.fetched_at
    assert abs(datetime.now(UTC) - opened.fetched_at).total_seconds() < 60
    assert set(opened.versions) == set(schema.TABLES)
    assert "version 1" in repr(opened)
    assert "<table>" in opened._repr_html_()


@pytest.mark.slow
def test_rows_that_changed_stand_anew_and_the_earlier_ones_are_closed(anywhere):
    write(anywhere, frames_of([a_flight(1), a_flight(2), a_flight(3)]))
    report = write(
        anywhere, frames_of([a_flight(1), a_flight(2, durationSeconds=700), a_flight(4)])
    )
    assert counts(report, "flights") == (1, 1, 1)
    stored = DeltaTable(f"{anywhere}/flights").to_pyarrow_table().to_pandas()
    stored = stored.sort_values(["flight_id", "valid_from"])
    assert stored["flight_id"].tolist() == ["fl_1", "fl_2", "fl_2", "fl_3", "fl_4"]
    assert stored["valid_to"].isna().tolist() == [True, False, True, False, True]
    closed = stored[stored["valid_to"].notna()]
    assert closed["valid_to"].unique().tolist() == [pd.Timestamp(report.fetched_at)]


@pytest.mark.slow
def test_every_earlier_version_can_be_opened(path):
    states = [
        [a_flight(1)],
        [a_flight(1), a_flight(2, None)],
        [a_flight(2, "2026-09-30")],
        [a_flight(1), a_flight(2, "2026-09-30", batteryCycles=3)],
    ]
    with pytest.warns(tables.NotInReference):
        frames = [frames_of(state) for state in states]
    for frame in frames:
        write(path, frame)
    for version, frame in enumerate(frames, 1):
        flights = mirror.open(path, version=version).table("flights")
        pd.testing.assert_frame_equal(flights, frame["flights"])


@pytest.mark.parametrize("counts", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)])
def test_a_sync_changed_something_where_a_row_came_differed_or_vanished(counts):
    done = {"flights": TableChange(5, *counts), "tiers": TableChange(2, 0, 0, 0)}
    moment = datetime(2026, 10, 5, tzinfo=UTC)
    report = mirror.SyncReport("here", 2, moment, 3, done, "", {}, 0, ())
    assert (report.changed, "nothing changed" in repr(report)) == (any(counts), not any(counts))


@pytest.mark.slow
def test_a_sync_without_changes_writes_no_data_file_but_its_own_row(path):
    frames = frames_of([a_flight(1)])
    write(path, frames)
    before = data_files(path)
    report = write(path, {name: frame.iloc[::-1] for name, frame in frames.items()})
    new = set(data_files(path)) - set(before)
    assert [sync.partition("/")[0] for sync in new] == ["syncs"]
    assert not report.changed
    assert "version 2, nothing changed" in repr(report)


@pytest.mark.slow
def test_the_fingerprint_depends_on_the_data_alone(path, tmp_path):
    frames = frames_of([a_flight(1), a_flight(2)])
    write(path, frames_of([a_flight(9)]))
    write(path, frames)
    write(tmp_path / "other", {name: frame.iloc[::-1] for name, frame in frames.items()})
    first, second = mirror.open(path), mirror.open(tmp_path / "other")
    assert first.fingerprint == second.fingerprint
    assert first.fingerprint != mirror.open(path, version=1).fingerprint


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [{"bvlos": False}, {"maxAltitude": 600}, {"operationType": ""}, {"flightDate": "2026-10-02"}],
)
def test_any_value_that_changes_is_noticed(path, change):
    write(path, frames_of([a_flight(1)]))
    report = write(path, frames_of([{**a_flight(1), **change}]))
    assert counts(report, "flights") == (0, 1, 0)


@pytest.mark.slow
def test_a_text_that_moves_to_another_field_is_noticed(path):
    write(path, frames_of([], [{"id": "p", "title": "a", "description": "b"}]))
    report = write(path, frames_of([], [{"id": "p", "title": "b", "description": "a"}]))
    assert counts(report, "projects") == (0, 1, 0)


@pytest.mark.slow
def test_flights_are_read_by_month_with_exact_ends(path):
    days = [
        "2026-09-30T23:59:59.999Z",
        "2026-10-01",
        "2026-10-31T23:59:59.999Z",
        "2026-11-01",
        None,
    ]
    write(path, frames_of([a_flight(number, day) for number, day in enumerate(days)]))
    october = [datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC)]
    opened = mirror.open(path)
    assert opened.table("flights", *october)["flight_id"].tolist() == ["fl_1", "fl_2"]
    assert len(opened.table("flights", since=october[0])) == 3
    assert len(opened.table("flights", until=datetime(2026, 11, 1))) == 3
    assert len(opened.table("flights")) == 5
    # 23:00 UTC of the last day of September.
    since = datetime(2026, 10, 1, 1, tzinfo=ZoneInfo("Europe/Oslo"))
    versions = opened.history("flights", since, datetime(2026, 11, 1))
    assert versions["flight_id"].tolist() == ["fl_0", "fl_1", "fl_2"]


@pytest.mark.slow
def test_only_the_months_in_question_are_read(anywhere):
    write(anywhere, frames_of([a_flight(1, "2026-09-01"), a_flight(2, "2026-10-01")]))
    for file in data_files(anywhere):
        if "flight_month=2026-09" in file:
            stored_in(anywhere).delete_file(file)
    opened = mirror.open(anywhere)
    assert len(opened.table("flights", since=datetime(2026, 10, 1, tzinfo=UTC))) == 1
    with pytest.raises(MirrorError, match="can't be read"):
        opened.table("flights")


@pytest.mark.slow
def test_only_flights_can_be_cut_by_time(path):
    write(path, frames_of())
    with pytest.raises(InvalidValue, match="Table projects can't be cut by time"):
        mirror.open(path).table("projects", since=datetime(2026, 10, 1, tzinfo=UTC))
    for name in ("drones", ["flights"]):
        with pytest.raises(
            InvalidValue, match=r"is not a table\. .*Tables are: equipment, flights"
        ):
            mirror.open(path).table(name)


@pytest.mark.slow
def test_a_table_that_the_key_could_never_read_names_the_scope(path):
    report = write(path, frames_of(), missing={"projects": "project:read"})
    opened = mirror.open(path)
    assert opened.missing == {"projects": "project:read"}
    with pytest.raises(Forbidden, match="lacked project:read") as refused:
        opened.table("projects")
    assert refused.value.scope == "project:read"
    assert "not read: the key lacks project:read" in repr(report)
    assert list(mirror.verify(path).tables) == [
        name for name in schema.TABLES if name != "projects"
    ]


@pytest.mark.slow
def test_a_table_that_the_key_lost_keeps_its_rows(path):
    frames = frames_of([], [{"id": "proj_1"}], detail=True)
    write(path, frames)
    report = write(path, frames, missing={"projects": "project:read"})
    opened = mirror.open(path)
    assert opened.table("projects")["project_id"].tolist() == ["proj_1"]
    assert (opened.missing, opened.has_details) == ({"projects": "project:read"}, True)
    assert "1 row of an earlier sync stays" in repr(report)
    assert counts(report, "projects") == (0, 0, 0)
    assert counts(write(path, frames), "projects") == (0, 0, 0)


@pytest.mark.slow
def test_a_sync_without_project_details_changes_no_project(path):
    project = {"id": "proj_1", "clientAccountEmail": "a@b.example", "crmDealName": "Deal"}
    write(path, frames_of([], [project], detail=True))
    report = write(path, frames_of([], [project, {"id": "proj_2"}]))
    assert counts(report, "projects") == (1, 0, 0)
    assert not mirror.open(path).has_details
    assert "crm_deal_name" not in mirror.open(path).table("projects")
    assert mirror.open(path, version=1).table("projects").loc[0, "crm_deal_name"] == "Deal"


@pytest.mark.slow
def test_a_new_column_widens_the_table_and_touches_no_other_row(path):
    write(path, frames_of([a_flight(1), a_flight(2)]))
    with pytest.warns(tables.NotInReference):
        wider = frames_of([a_flight(1), a_flight(2, batteryCycles=7, isWet=True, note="x")])
    assert counts(write(path, wider), "flights") == (0, 1, 0)
    pd.testing.assert_frame_equal(mirror.open(path).table("flights"), wider["flights"])
    stored = DeltaTable(f"{path}/flights").to_pyarrow_table().to_pandas()
    assert stored["battery_cycles"].notna().sum() == 1


@pytest.mark.slow
def test_a_new_column_of_nulls_changes_nothing(path):
    write(path, frames_of([a_flight(1)]))
    with pytest.warns(tables.NotInReference):
        wider = frames_of([a_flight(1, battery=None)])
    assert not write(path, wider).changed
    pd.testing.assert_frame_equal(mirror.open(path).table("flights"), wider["flights"])


@pytest.mark.slow
def test_a_field_named_like_one_of_our_columns_is_kept(path):
    with pytest.warns(tables.NotInReference):
        frames = frames_of([a_flight(1, validTo="x", rowHash=5, flightMonth="y", api_valid_to="z")])
    write(path, frames)
    pd.testing.assert_frame_equal(mirror.open(path).table("flights"), frames["flights"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_records_may_have_a_field_for_their_id_in_another_system(path):
    """A later sync adds such a record, and ends one."""
    write(path, frames_of([a_flight(1, oldFlightId="A 1")]))
    frames = frames_of([a_flight(1, oldFlightId="A 2"), a_flight(2, oldFlightId="A 3")])
    assert counts(write(path, frames), "flights") == (1, 1, 0)
    pd.testing.assert_frame_equal(mirror.open(path).table("flights"), frames["flights"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        ("flights", "flight_id", "fl_1", "table flights has fl_1 twice"),
        ("flights", "flight_id", None, r"table flights has a row without flight_id\."),
        ("flights", "duration_seconds", "1.5", "column duration_seconds can't be read as Int64"),
    ],
)
def test_rows_that_cannot_be_stored_exactly_are_refused(path, table, column, value, message):
    frames = frames_of([a_flight(1), a_flight(2)])
    write(path, frames)
    bad = frames[table].astype({column: object})
    bad.loc[1, column] = value
    with pytest.raises(MirrorError, match=message):
        write(path, {**frames, table: bad})
    assert mirror.open(path).version == 1


@pytest.mark.parametrize(
    ("frames", "missing", "message"),
    [
        ({}, {}, "table equipment is neither given nor missing"),
        (dict.fromkeys(schema.TABLES), {"projects": "x"}, "projects is both given and missing"),
        (dict.fromkeys([*schema.TABLES, "drones"]), {}, "'drones' is not a table"),
    ],
)
def test_a_write_that_is_not_all_tables_is_refused(folder, frames, missing, message):
    with pytest.raises(MirrorError, match=message):
        mirror.write(folder, frames, source="", tz="UTC", requests=0, missing=missing)
    assert not folder.exists()


def test_a_folder_without_a_mirror_says_how_to_make_one(folder):
    with pytest.raises(MirrorError, match=r"There is no mirror at .*fleetkit sync"):
        mirror.open(folder)
    folder.mkdir()
    with pytest.raises(MirrorError, match="There is no mirror"):
        mirror.open(folder)
    (folder / "syncs.zip").touch()
    with pytest.raises(MirrorError, match=r"\.zip is a file, and no mirror\. Name its folder"):
        mirror.open(folder / "syncs.zip")
    (folder / "flights" / "_delta_log").mkdir(parents=True)
    with pytest.raises(MirrorError, match=rf"no mirror, but the folder of a table\. Name {folder}"):
        mirror.open(folder / "flights")


def test_a_command_that_is_told_can_be_typed_as_it_stands(tmp_path):
    folder = tmp_path / "two words #1"
    with pytest.raises(MirrorError) as missing:
        mirror.open(folder)
    told = str(missing.value).partition("Make one with: ")[2].removesuffix(".")
    assert shlex.split(told, comments=True) == ["fleetkit", "sync", str(folder)]


@pytest.mark.slow
def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(MirrorError, match=r"file/mirror can't be written: Not a directory\."):
        write(tmp_path / "file" / "mirror", frames_of())


@pytest.mark.parametrize("name", ["100%", "[1]", "a^b", "a|b", "a\\b", "a\nb", "a\x7fb", "\udce9"])
def test_a_path_that_cannot_work_is_refused(tmp_path, name):
    with pytest.raises(MirrorError, match="A mirror's path can't hold ") as refused:
        write(tmp_path / name, frames_of())
    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_folders_that_a_path_leaves_again_may_have_any_name(tmp_path, monkeypatch):
    (tmp_path / "100%" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "100%" / "deep")
    monkeypatch.chdir(tmp_path / "100%")
    write("../mirror", frames_of([a_flight(1)]))
    assert str(mirror.open("../mirror").path) == str(tmp_path / "mirror")
    assert address(tmp_path / "link" / ".." / ".." / "mirror") == str(tmp_path / "mirror")
    (tmp_path / "named").symlink_to(tmp_path / "mirror")
    assert address("../named") == str(tmp_path / "named")


def test_a_tilde_of_no_user_is_a_folder_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert address("~nobody-of-that-name/m") == str(tmp_path / "~nobody-of-that-name" / "m")
    assert address("~/m") == str(Path.home() / "m")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two words", "a#b?c", "åse 🚁", "a'b"])
def test_a_folder_may_have_any_other_name(tmp_path, name):
    write(tmp_path / name, frames_of([a_flight(1)]))
    assert len(mirror.open(tmp_path / name).table("flights")) == 1


@pytest.mark.slow
def test_a_folder_that_is_written_as_a_url_may_have_such_a_name_too(tmp_path):
    write(f"file://{tmp_path}/a#b?c", frames_of([a_flight(1)]))
    assert len(mirror.open(tmp_path / "a#b?c").table("flights")) == 1
    assert [folder.name for folder in tmp_path.iterdir()] == ["a#b?c"]


def test_a_url_of_a_folder_means_the_same_in_whichever_folder_one_is():
    assert address("file://localhost/data/mirror/") == address("file:///data/mirror")
    for url in ("file://data/mirror", "file://~/mirror", "file://"):
        with pytest.raises(MirrorError, match=rf"^{url} names no folder of this machine\. Write"):
            address(url)


@pytest.mark.slow
def test_a_version_that_does_not_exist_is_named_with_those_that_do(path):
    write(path, frames_of())
    write(path, frames_of())
    with pytest.raises(MirrorError, match=r"has no version 3\. It has 1 to 2\."):
        mirror.open(path, version=3)


@pytest.mark.slow
def test_a_mirror_of_a_newer_layout_asks_for_a_newer_fleetkit(path):
    write(path, frames_of())
    row = DeltaTable(f"{path}/syncs").to_pyarrow_table().to_pylist()[0]
    newer = pd.DataFrame([{**row, "version": 2, "layout": LAYOUT + 1}])
    write_deltalake(f"{path}/syncs", newer.convert_dtypes(), mode="append", schema_mode="merge")
    with pytest.raises(MirrorError, match=f"has layout {LAYOUT + 1}; this fleetkit reads {LAYOUT}"):
        mirror.open(path)
    with pytest.raises(MirrorError, match="Update fleetkit"):
        write(path, frames_of())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("features", "verb"), [({"minReaderVersion": 99}, "read"), ({"minReaderVersion": 1}, "written")]
)
def test_a_table_with_features_of_a_newer_deltalake_asks_for_that_one(path, features, verb):
    write(path, frames_of())
    protocol = {"protocol": {"minWriterVersion": 99, **features}}
    (path / "syncs" / "_delta_log" / f"{2:020d}.json").write_text(json.dumps(protocol))
    says = f"can't be {verb}: a table has features that .* pip install -U fleetkit deltalake"
    with pytest.raises(MirrorError, match=says):
        write(path, frames_of())


@pytest.mark.slow
def test_a_url_is_as_good_as_a_folder(folder):
    frames = frames_of([a_flight(1)])
    write(f"file://{folder}", frames)
    pd.testing.assert_frame_equal(
        mirror.open(f"file://{folder}").table("flights"), frames["flights"]
    )
    assert mirror.open(folder).fingerprint == mirror.open(f"file://{folder}").fingerprint


@pytest.mark.slow
def test_an_open_mirror_stays_at_its_state_while_others_sync(path):
    first = frames_of([a_flight(1)])
    write(path, first)
    opened = mirror.open(path)
    write(path, frames_of([a_flight(2)]))
    pd.testing.assert_frame_equal(opened.table("flights"), first["flights"])


@pytest.mark.slow
def test_reading_a_mirror_warns_about_nothing_again(path, recwarn):
    with pytest.warns(tables.NotInReference):
        frames = frames_of([], [{"id": "p", "status": "ARCHIVED"}])
    write(path, frames)
    frame = mirror.open(path).table("projects")
    assert frame["status"].cat.categories[-1] == "ARCHIVED"
    assert [warning for warning in recwarn if warning.category is tables.NotInReference] == []


some_flights = st.dictionaries(
    st.integers(0, 6),
    st.tuples(
        st.sampled_from([None, "2026-09-01", "2026-10-01", "2026-10-02"]),
        st.sampled_from([None, 0, 600]),
        st.sampled_from([None, "", "a", "a\x1fb"]),
    ),
    max_size=5,
)


@pytest.mark.slow
@settings(max_examples=5, deadline=None)
@given(states=st.lists(some_flights, min_size=2, max_size=4))
def test_any_sequence_of_states_can_be_told_again(tmp_path_factory, states):
    path = tmp_path_factory.mktemp("states")
    every = [
        frames_of(
            a_flight(number, day, durationSeconds=seconds, operationType=kind)
            for number, (day, seconds, kind) in sorted(state.items())
        )
        for state in states
    ]
    for before, frames in zip([None, *every], every, strict=False):
        report = write(path, frames)
        if before is not None:
            assert sum(counts(report, "flights")) == different(before, frames)
    for version, frames in enumerate(every, 1):
        frame = mirror.open(path, version=version).table("flights")
        pd.testing.assert_frame_equal(frame, frames["flights"])


def different(before, after):
    """Count the flights that are new, changed or gone."""
    rows = [
        {tuple(row) for row in instant["flights"].astype("str").fillna("-").values.tolist()}
        for instant in (before, after)
    ]
    return len({row[0] for row in rows[0] ^ rows[1]})


@pytest.mark.slow
def test_a_thousand_random_rows_survive_a_round_trip(path):
    chance = random.Random(7)
    flights = [
        a_flight(
            f"{number:04d}",
            f"{chance.randrange(2024, 2027)}-{chance.randrange(1, 13):02d}-01",
            maxAltitude=chance.choice([None, -0.0, 1e308, 5e-324, chance.random()]),
            operationType=chance.choice([None, "", "é🚁", "a\0b", "\u202ex", "x" * 5000]),
            durationSeconds=chance.choice([None, -(2**63), 2**63 - 1, 2**53 + 1]),
        )
        for number in range(1000)
    ]
    frames = frames_of(flights)
    write(path, frames)
    pd.testing.assert_frame_equal(mirror.open(path).table("flights"), frames["flights"])


def test_named_changes_stand_by_id_under_the_new_name_or_else_the_old_one_or_the_id():
    before = [("eq_3", None, "GOOD"), ("eq_2", "Kite", "GOOD"), ("eq_1", "Crow", "GOOD")]
    after = [("eq_3", None, "FAIR"), ("eq_2", None, "FAIR"), ("eq_1", "Rook", "FAIR")]
    states = [
        pa.table(
            {
                "equipment_id": [identifier for identifier, _, _ in rows],
                "name": pa.array([name for _, name, _ in rows], pa.string()),
                "status": ["ACTIVE"] * 3,
                "condition": [condition for _, _, condition in rows],
            }
        )
        for rows in (before, after)
    ]
    changes = comparing._field_changes("equipment", *states)
    labels = [(change.id, change.label) for change in changes]
    assert labels == [("eq_1", "Rook"), ("eq_2", "Kite"), ("eq_3", "eq_3")]
    assert {(change.field, change.old, change.new) for change in changes} == {
        ("condition", "GOOD", "FAIR")
    }
