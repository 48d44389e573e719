"""What a mirror tells of the past: its states, the versions of its rows, what changed."""

from __future__ import annotations

import copy
import random
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from a_past import a_flight, write
from conftest import TINY
from conftest import a_flight as a_logged_flight

import fleetkit as fk
from fleetkit import mirror, schema, tables

pytestmark = pytest.mark.slow


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mirror"


def a_service(rate, percent, **fields):
    tier = {"id": "tier_1", "priceModifierPercent": percent}
    return {"id": "svc_1", "name": "Survey", "baseRate": rate, "tiers": [tier], **fields}


def told(changes):
    """Return changes without their moment, nulls as None."""
    columns = changes[["table", "id", "field", "old", "new", "change"]].astype(object)
    return [tuple(column) for column in columns.where(columns.notna(), None).to_numpy()]


# as_of


def test_a_mirror_opens_as_of_a_moment_at_the_newest_sync_until_then(path):
    first, second = write(path), write(path, flights=[a_flight(1)])
    just_before = second - timedelta(microseconds=1)
    versions = [mirror.open(path, as_of=moment).version for moment in (first, just_before, second)]
    assert versions == [1, 1, 2]
    assert mirror.open(path, as_of=datetime(2100, 1, 1)).version == 2


def test_a_moment_before_the_first_sync_says_since_when_the_mirror_watches(path):
    first = write(path)
    with pytest.raises(fk.MirrorError, match=f"it watches since {first:%Y-%m-%d %H:%M:%S} UTC"):
        mirror.open(path, as_of=datetime(2020, 1, 1, tzinfo=UTC))


def test_version_and_moment_together_are_refused(path):
    write(path)
    with pytest.raises(fk.InvalidValue, match="version= or as_of=, not both"):
        fk.open_mirror(path, version=1, as_of="2100-01-01")


def test_a_time_without_a_zone_is_meant_in_the_fleet_s_zone(path):
    moment = write(path, tz="Asia/Tokyo")
    clock = moment.astimezone(ZoneInfo("Asia/Tokyo")).replace(tzinfo=None)
    later = clock + timedelta(minutes=1)
    assert fk.open_mirror(path, as_of=later).mirror.version == 1
    assert fk.open_mirror(path, as_of=later.isoformat()).mirror.version == 1
    with pytest.raises(fk.MirrorError, match="has no state of"):
        fk.open_mirror(path, as_of=clock - timedelta(minutes=1))
    with pytest.raises(fk.MirrorError, match="has no state of"):
        fk.open_mirror(path, as_of=later, tz="Pacific/Kiritimati")  # five hours ahead of Tokyo
    with pytest.raises(fk.InvalidValue, match="is not a date or time"):
        fk.open_mirror(path, as_of="yesterday")


def test_a_date_means_its_first_moment(path):
    written = write(path)
    today, tomorrow = written.date(), written.date() + timedelta(days=1)
    assert fk.open_mirror(path, as_of=tomorrow).mirror.version == 1
    with pytest.raises(fk.MirrorError, match="watches since"):
        fk.open_mirror(path, as_of=str(today))


# syncs, watched_since


def test_the_syncs_are_listed_up_to_the_opened_version(path):
    moments = [write(path), write(path, missing={"projects": "project:read"}), write(path)]
    syncs = mirror.open(path, version=2).syncs()
    assert syncs["version"].tolist() == [1, 2]
    assert syncs["fetched_at"].tolist() == [pd.Timestamp(moment) for moment in moments[:2]]
    assert syncs["complete"].tolist() == [True, False]
    assert syncs["fingerprint"].tolist()[0] == mirror.open(path, version=1).fingerprint
    assert syncs.dtypes.astype(str).tolist() == [
        *("int64", "datetime64[us, UTC]", "bool", "str", "int64", "int64", "str")
    ]


def test_a_table_is_watched_since_the_first_sync_that_could_read_it(path):
    first = write(path, missing={"projects": "project:read"})
    second = write(path, projects=[{"id": "proj_1"}])
    write(path, missing={"projects": "project:read"})
    fleet = fk.open_mirror(path)
    assert fleet.watched_since("equipment") == first
    assert fleet.watched_since("projects") == second
    with pytest.raises(fk.Forbidden, match="lacked project:read"):
        fk.open_mirror(path, version=1).watched_since("projects")
    with pytest.raises(fk.InvalidValue, match="'drones' is not a table"):
        fleet.watched_since("drones")


# history


def test_history_holds_every_version_of_a_row_with_its_validity(path):
    first = write(path, projects=[{"id": "proj_1", "status": "DRAFT"}, {"id": "proj_2"}])
    second = write(path, projects=[{"id": "proj_1", "status": "CONFIRMED"}])
    history = fk.open_mirror(path).history("projects")
    assert history["project_id"].tolist() == ["proj_1", "proj_1", "proj_2"]
    assert history["status"].tolist()[:2] == ["DRAFT", "CONFIRMED"]
    expected = [pd.Timestamp(version) for version in (first, second, first)]
    assert history["valid_from"].tolist() == expected
    assert history["valid_to"].isna().tolist() == [False, True, False]
    assert history["valid_to"].dropna().unique().tolist() == [pd.Timestamp(second)]
    contract = tables.empty("projects")
    assert history.columns.tolist() == [*contract.columns, "valid_from", "valid_to"]
    pd.testing.assert_frame_equal(history.head(0)[contract.columns], contract)
    assert history.attrs["watched_since"] == first.isoformat()
    explanation = fk.explain(fk.metrics.stage_moves(history))
    assert (explanation.period, explanation.filter) == ("all days", fk.Filter())
    assert explanation.fetched_at == second
    # Row versions are not projects: each of them counts.
    with pytest.warns(fk.Notice, match="such as proj_1: each of its rows counts"):
        fk.metrics.pipeline_totals(history)


def test_what_came_after_the_opened_state_is_not_in_its_history(path):
    write(path, projects=[{"id": "proj_1", "title": "a"}])
    write(path, projects=[{"id": "proj_1", "title": "b"}])
    before = {name: fk.open_mirror(path).history(name) for name in schema.TABLES}
    with pytest.warns(tables.NotInReference):
        write(path, projects=[{"id": "proj_1", "title": "c"}], flights=[a_flight(1, battery=7)])
    opened = fk.open_mirror(path, version=2)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(opened.history(name), frame)
    assert opened.history("projects")["valid_to"].isna().tolist() == [False, True]


def test_many_versions_of_one_row_come_in_the_order_of_time(path):
    titles = [f"title {number}" for number in range(5)]
    for title in titles:
        write(path, projects=[{"id": "proj_1", "title": title}, {"id": "proj_0"}])
    history = fk.open_mirror(path).history("projects")
    assert history["title"].tolist()[1:] == titles
    assert history["valid_from"][1:].is_monotonic_increasing


def test_an_empty_table_has_an_empty_history_of_the_right_dtypes(path):
    write(path)
    history = fk.open_mirror(path).history("flights")
    assert history.empty
    expected = tables.empty("flights").dtypes.astype(str).to_dict()
    assert history.dtypes.astype(str).to_dict() == {
        **expected,
        "valid_from": "datetime64[us, UTC]",
        "valid_to": "datetime64[us, UTC]",
    }


def test_a_mirror_is_temporary_only_where_it_is_opened_as_one(path):
    write(path, flights=[a_flight(1)])
    assert [mirror.open(path, is_temporary=True).is_temporary, mirror.open(path).is_temporary] == [
        True,
        False,
    ]


def test_fields_that_the_reference_does_not_know_stand_in_the_history_as_text(path):
    write(path, flights=[a_flight(1)])
    with pytest.warns(tables.NotInReference):
        write(path, flights=[a_flight(1, validTo="x", battery=7)])
    write(path, flights=[a_flight(1)])
    history = fk.open_mirror(path).history("flights")
    assert history["battery"].fillna("").tolist() == ["", "7.0", ""]
    assert history["api_valid_to"].fillna("").tolist() == ["", "x", ""]
    assert history.columns.tolist()[-2:] == ["valid_from", "valid_to"]
    changes = fk.open_mirror(path).changes("flights").query("field == 'api_valid_to'")
    assert changes["new"].fillna("").tolist() == ["x", ""]
    assert "valid_to" in mirror.open(path, 2).scan("flights").collect_schema().names()


def test_history_of_flights_reads_only_the_months_in_question(path):
    write(path, flights=[a_flight(1, "2026-08-15"), a_flight(2, "2026-09-01")])
    write(path, flights=[a_flight(1, "2026-08-15"), a_flight(2, "2026-09-30")])
    for file in (path / "flights" / "flight_month=2026-08").iterdir():
        file.unlink()
    history = fk.open_mirror(path).history("flights", since="2026-09", until="2026-10")
    assert history["flight_id"].tolist() == ["fl_2", "fl_2"]
    assert fk.open_mirror(path).history("flights", period="2026-09").equals(history)
    assert fk.open_mirror(path).history("flights", since="2026-09-02")["flight_id"].size == 1


def test_a_midnight_alone_in_its_month_is_an_instant_where_all_other_dates_are(path):
    steady = [a_flight(number, f"2026-08-{number + 10}T09:00:00Z") for number in range(9)]
    late = a_flight(9, "2026-10-01T00:00:00Z")  # 20:00 of 30 September in New York
    write(path, flights=steady)
    write(path, flights=[*steady, late])
    fleet = fk.open_mirror(path, tz="America/New_York")
    for month, until, expected in (
        ("2026-09", "2026-10-01", ["fl_9"]),
        ("2026-10", "2026-11-01", []),
    ):
        assert fleet.flights(month)["flight_id"].tolist() == expected
        assert fleet.history("flights", period=month)["flight_id"].tolist() == expected
        narrowed = fleet.where(since=f"{month}-01", until=until)
        assert narrowed.changes("flights")["id"].tolist() == expected


def test_only_the_history_of_flights_can_be_cut(path):
    write(path)
    for window in ({"since": "2026-09"}, {"period": "2026-09"}):
        with pytest.raises(fk.InvalidValue, match="can't be cut by time"):
            fk.open_mirror(path).history("projects", **window)


@pytest.mark.parametrize("call", ["flights", "flight_equipment", "history", "changes", "scan"])
def test_a_period_and_an_end_together_are_refused(path, call):
    write(path, flights=[a_flight(1)])
    ask = getattr(fk.open_mirror(path), call)
    table = () if call.startswith("flight") else ("flights",)
    # flights("2026-09", "2026-10") has two ends without names.
    for end in ("since",) if call.startswith("flight") else ("since", "until"):
        with pytest.raises(fk.InvalidValue, match="Give a period, or since= and until=, not both"):
            ask(*table, **{"period": "2026-09", end: "2026-09-10"})


def test_a_narrowed_fleet_shows_all_versions_of_the_records_that_were_ever_meant(path):
    write(path, projects=[{"id": "p_1", "status": "DRAFT"}, {"id": "p_2", "status": "DRAFT"}])
    write(path, projects=[{"id": "p_1", "status": "CONFIRMED"}, {"id": "p_2", "status": "DRAFT"}])
    history = fk.open_mirror(path).where(status="CONFIRMED").history("projects")
    assert history["project_id"].tolist() == ["p_1", "p_1"]
    assert history["status"].tolist() == ["DRAFT", "CONFIRMED"]


def test_a_record_that_changed_and_stayed_selected_brings_no_other_one_along(path):
    camera, drone = {"id": "eq_1", "category": "PAYLOAD"}, {"id": "eq_2", "category": "DRONE"}
    write(path, equipment=[camera, drone])
    write(path, equipment=[{**camera, "weight": 2.5}, drone])
    history = fk.open_mirror(path).where(category="PAYLOAD").history("equipment")
    assert history["equipment_id"].tolist() == ["eq_1", "eq_1"]


# changes


def test_what_the_first_sync_brought_is_no_change(path):
    write(path, flights=[a_flight(1)], projects=[{"id": "proj_1"}], services=[a_service(90, 0)])
    changes = fk.open_mirror(path).changes()
    assert changes.empty
    assert changes.dtypes.astype(str).to_dict() == {
        "observed_at": "datetime64[us, UTC]",
        **dict.fromkeys(("table", "id", "field", "old", "new"), "str"),
        "change": "category",
    }


def test_each_changed_field_is_a_row_and_a_record_that_came_or_went_is_one(path):
    write(path, flights=[a_flight(1), a_flight(2)])
    second = write(path, flights=[a_flight(1, minutes=90, bvlos=True), a_flight(3)])
    changes = fk.open_mirror(path).changes("flights")
    assert told(changes) == [
        ("flights", "fl_1", "duration_seconds", "3600", "5400", "updated"),
        ("flights", "fl_1", "bvlos", None, "true", "updated"),
        ("flights", "fl_2", None, None, None, "vanished"),
        ("flights", "fl_3", None, None, None, "inserted"),
    ]
    assert changes["observed_at"].unique().tolist() == [pd.Timestamp(second)]


def test_values_are_told_as_text_without_needless_digits(path):
    before = {"agreedPrice": 100.0, "estimatedCost": 1e21, "title": "", "status": "DRAFT"}
    after = {"agreedPrice": 0.1, "estimatedCost": 1e-7, "title": "Bridge", "status": "CONFIRMED"}
    for values in (before, after | {"createdAt": "2026-10-01T09:30Z"}):
        write(path, projects=[{"id": "proj_1", **values}])
    changes = told(fk.open_mirror(path).changes())
    assert {field: (old, new) for _, _, field, old, new, _ in changes} == {
        "agreed_price": ("100", "0.1"),
        "estimated_cost": ("1" + "0" * 21, "0.0000001"),
        "created_at": (None, "2026-10-01T09:30:00Z"),
        "title": ("", "Bridge"),
        "status": ("DRAFT", "CONFIRMED"),
    }
    assert {(table, key, kind) for table, key, *_, kind in changes} == {
        ("projects", "proj_1", "updated")
    }


def test_keys_of_two_parts_are_joined_by_a_slash(path):
    flights = [a_flight(1)]
    write(path, flights=flights, services=[a_service(90, 0)])
    with_cells = [{"id": "eq_1", "specifications": {"cells": "6"}}]
    services = [a_service(90, 12.5)]
    write(path, flights=flights, services=services, equipment=with_cells, camera=["fl_1"])
    changes = fk.open_mirror(path).changes()
    assert changes.index.tolist() == [0, 1, 2]
    assert told(changes) == [
        ("flight_equipment", "fl_1/eq_2", None, None, None, "inserted"),
        ("tiers", "svc_1/tier_1", "price_modifier_percent", "0", "12.5", "updated"),
        ("specifications", "eq_1/cells", None, None, None, "inserted"),
    ]


def test_a_record_that_came_back_has_vanished_and_was_inserted(path):
    for projects in ([{"id": "proj_1"}], [], [{"id": "proj_1", "title": "other"}]):
        write(path, projects=projects)
    changes = fk.open_mirror(path).changes("projects")
    assert changes["change"].tolist() == ["vanished", "inserted"]


def test_a_row_that_only_moved_to_another_partition_has_not_changed(path):
    write(path, flights=[a_flight(1, "2026-09-30")])
    write(path, flights=[a_flight(1, "2026-10-01")])
    changes = told(fk.open_mirror(path).changes())
    assert [change[:3] for change in changes] == [("flights", "fl_1", "flight_date")]


def test_changes_since_are_those_observed_strictly_later(path):
    for title in ("a", "b", "c"):
        moment = write(path, projects=[{"id": "proj_1", "title": title}])
    fleet = fk.open_mirror(path)
    assert fleet.changes(since=1)["new"].tolist() == ["b", "c"]
    assert fleet.changes(since=2)["new"].tolist() == ["c"]
    assert fleet.changes(since=3).empty
    assert fleet.changes(since=moment - timedelta(microseconds=1))["new"].tolist() == ["c"]
    assert fleet.changes(since=moment).empty
    assert fleet.changes(since="2020-01-01")["new"].tolist() == ["b", "c"]
    assert fleet.changes(since=date(2100, 1, 1)).empty
    with pytest.raises(fk.MirrorError, match=r"knows no version 4\. It knows 1 to 3\."):
        fleet.changes(since=4)
    with pytest.raises(fk.InvalidValue, match="is not a date or time"):
        fleet.changes(since="then")


def test_a_version_may_be_a_cell_of_the_table_of_syncs(path):
    for title in "ab":
        write(path, projects=[{"id": "proj_1", "title": title}])
    fleet = fk.open_mirror(path)
    first = fleet.mirror.syncs()["version"].min()
    assert isinstance(first, np.integer)
    assert fk.open_mirror(path, version=first).mirror.version == 1
    assert fleet.at(first).mirror.version == 1
    assert fleet.changes(since=first)["new"].tolist() == ["b"]
    assert fleet.restatements("2026-10", since=first).attrs["version"] == 1


@pytest.mark.parametrize("version", ["1", 1.0, True, pd.NA, None])
def test_what_is_not_the_number_of_a_state_opens_none(path, version):
    write(path)
    with pytest.raises(fk.InvalidValue, match="is not the number of a state"):
        fk.open_mirror(path).at(version)


def test_changes_until_are_those_observed_then_or_before(path):
    moments = [write(path, projects=[{"id": "proj_1", "title": title}]) for title in "abc"]
    fleet = fk.open_mirror(path)
    assert fleet.changes(until=moments[1])["new"].tolist() == ["b"]
    assert fleet.changes(since=moments[1], until=moments[2])["new"].tolist() == ["c"]
    assert fleet.changes(since=1, until=moments[1])["new"].tolist() == ["b"]
    assert fleet.changes(until="2020-01-01").empty
    assert fleet.changes(period=str(moments[0].year)).equals(fleet.changes())
    assert fleet.changes(period="2020").empty


def test_an_earlier_version_tells_the_same_changes_later(path):
    states = [[a_flight(1)], [a_flight(1, minutes=5), a_flight(2)], [a_flight(2)]]
    versions = []
    for flights in states:
        write(path, flights=flights)
        versions.append(fk.open_mirror(path).changes())
    for version, changes in enumerate(versions, 1):
        pd.testing.assert_frame_equal(fk.open_mirror(path, version=version).changes(), changes)


def test_a_table_that_could_be_read_only_later_starts_then(path):
    write(path, missing={"projects": "project:read"})
    write(path, projects=[{"id": "proj_1", "title": "a"}], flights=[a_flight(1)])
    write(path, projects=[{"id": "proj_1", "title": "b"}], flights=[a_flight(1)])
    fleet = fk.open_mirror(path)
    assert told(fleet.changes("projects")) == [("projects", "proj_1", "title", "a", "b", "updated")]
    assert fleet.changes("projects", since=1)["new"].tolist() == ["b"]
    earlier = fk.open_mirror(path, version=1)
    assert earlier.changes().empty
    with pytest.raises(fk.Forbidden, match="lacked project:read"):
        earlier.changes("projects")


def test_detail_fields_that_no_sync_asked_for_before_have_not_changed(path):
    project = {"id": "proj_1", "clientAccountEmail": "a@b.example", "title": "a"}
    write(path, projects=[project])
    project["title"] = "b"
    write(path, projects=[project], detail=True)
    write(path, projects=[{**project, "clientAccountEmail": "c@d.example"}], detail=True)
    assert told(fk.open_mirror(path).changes()) == [
        ("projects", "proj_1", "title", "a", "b", "updated"),
        ("projects", "proj_1", "client_account_email", "a@b.example", "c@d.example", "updated"),
    ]


@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
@pytest.mark.parametrize(("weather", "dtype"), [("dry", "str"), (4, "float64")])
def test_a_further_detail_field_has_not_changed_where_a_sync_asked_for_no_details(
    path, weather, dtype
):
    detailed = {"id": "proj_1", "crmDealName": "Deal 1", "weather": weather}
    write(path, projects=[detailed], detail=True)
    write(path, projects=[{"id": "proj_1"}, {"id": "proj_2"}])
    write(path, projects=[detailed, {"id": "proj_2"}], detail=True)
    fleet = fk.open_mirror(path)
    assert told(fleet.changes()) == [("projects", "proj_2", None, None, None, "inserted")]
    assert fleet.projects(details=True)["weather"].dtype == dtype
    assert fleet.projects(details=True)["weather"].isna().tolist() == [False, True]


@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_a_further_field_of_the_list_is_gone_with_it_where_no_details_were_ever_read(path):
    write(path, projects=[{"id": "proj_1", "weather": "dry"}])
    write(path, projects=[{"id": "proj_1"}])
    changes = told(fk.open_mirror(path).changes())
    assert changes == [("projects", "proj_1", "weather", "dry", None, "updated")]


def test_a_field_that_the_reference_does_not_know_is_told_too(path):
    write(path, flights=[a_flight(1), a_flight(2)])
    with pytest.warns(tables.NotInReference):
        write(path, flights=[a_flight(1), a_flight(2, battery=7)])
    write(path, flights=[a_flight(1), a_flight(2)])
    assert [change[1:5] for change in told(fk.open_mirror(path).changes())] == [
        ("fl_2", "battery", None, "7"),
        ("fl_2", "battery", "7", None),
    ]


@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
def test_a_number_has_not_changed_where_another_record_turned_to_text_or_back(path):
    """Stored as 6.0 among numbers alone, it stands as it came, 6, beside a text."""
    for cells in (5, "5S", 7):
        write(path, flights=[a_flight(1, cells=6), a_flight(2, cells=cells)])
    assert told(fk.open_mirror(path).changes("flights")) == [
        ("flights", "fl_2", "cells", "5", "5S", "updated"),
        ("flights", "fl_2", "cells", "5S", "7", "updated"),
    ]


def test_changes_of_flights_read_only_the_files_that_hold_some(path):
    steady = a_flight(1, "2026-08-15")
    write(path, flights=[steady, a_flight(2)])
    write(path, flights=[steady, a_flight(2)])
    since = write(path, flights=[steady, a_flight(2), a_flight(3)])
    write(path, flights=[steady, a_flight(2, minutes=5), a_flight(3)])
    for file in (path / "flights" / "flight_month=2026-08").iterdir():
        file.unlink()
    changes = fk.open_mirror(path).changes("flights", since=since)
    assert told(changes) == [("flights", "fl_2", "duration_seconds", "3600", "300", "updated")]


def test_an_unknown_table_has_no_changes_to_ask_for(path):
    write(path)
    with pytest.raises(fk.InvalidValue, match="'drones' is not a table"):
        fk.open_mirror(path).changes("drones")


def test_a_narrowed_fleet_tells_what_its_filter_means_before_or_after(path):
    pilots = [{"id": "prof_ada", "fullName": "Ada"}, {"id": "prof_bo", "fullName": "Bo"}]
    ada, bo = ({"pilotInCommand": pilot} for pilot in pilots)
    write(path, flights=[a_flight(1, **ada), a_flight(2, **bo), a_flight(3, **bo)])
    write(path, flights=[a_flight(1, **bo), a_flight(2, **ada), a_flight(3, minutes=5, **bo)])
    changes = fk.open_mirror(path).where(pilot="prof_ada").changes()
    assert changes["id"].unique().tolist() == ["fl_1", "fl_2"]


def test_a_narrowed_fleet_follows_its_filter_into_other_tables(path):
    equipment = [{"id": "eq_1", "category": "DRONE"}, {"id": "eq_2", "category": "PAYLOAD"}]
    flights = [a_flight(1), a_flight(2)]
    services = [a_service(90, 0)]
    write(path, flights=flights, equipment=equipment, camera=["fl_1"], services=services)
    flights = [a_flight(1, minutes=5), a_flight(2, minutes=5)]
    equipment = [{**piece, "weight": 2.5} for piece in equipment]
    write(path, flights=flights, equipment=equipment, services=[a_service(95, 0)])
    narrowed = fk.open_mirror(path).where(category="PAYLOAD")
    pairs = narrowed.history("flight_equipment")[["flight_id", "equipment_id"]]
    assert pairs.to_numpy().tolist() == [["fl_1", "eq_2"]]  # which eq_1 is on too
    assert [change[:3] for change in told(narrowed.changes())] == [
        ("equipment", "eq_2", "weight"),
        ("flights", "fl_1", "duration_seconds"),
        ("flight_equipment", "fl_1/eq_2", None),
        ("services", "svc_1", "base_rate"),
    ]


def test_a_filter_of_projects_follows_into_their_flights(path):
    project = {"id": "proj_1", "title": "Roof", "clientAccountName": "Harbour Trust"}
    tied = {"project": {"id": "proj_1", "title": "Roof"}}
    write(path, projects=[project], flights=[a_flight(1, **tied), a_flight(2)])
    flights = [a_flight(1, minutes=5, **tied), a_flight(2, minutes=5)]
    write(path, projects=[project], flights=flights)
    narrowed = fk.open_mirror(path).where(client="Harbour Trust")
    assert narrowed.changes()["id"].tolist() == ["fl_1"]
    assert narrowed.history("flight_equipment")["flight_id"].tolist() == ["fl_1"]


def test_every_field_that_selects_flights_narrows_their_bridge_too(path):
    project, pilot = {"id": "proj_1", "title": "Roof"}, {"id": "prof_ada", "fullName": "Ada"}
    listed = {**project, "clientAccountName": "Harbour Trust", "status": "DELIVERED"}
    drone = {"id": "eq_1", "type": "DRONE", "category": "UAV"}
    camera = {"id": "eq_2", "type": "CAMERA", "category": "PAYLOAD", "model": "C1"}
    camera |= {"manufacturer": "Lenswerk", "condition": "FAIR"}
    kind = {"flightType": "TRAINING", "operationType": "SURVEY", "nightFlight": True, "bvlos": True}
    place = {"takeoffLat": 59.9, "takeoffLng": 10.7}
    meant = a_flight(1, "2026-10-10", project=project, pilotInCommand=pilot, **kind, **place)
    others = {"equipment": [drone, camera], "camera": ["fl_1"], "projects": [listed]}
    write(path, flights=[meant, a_flight(2)], **others)  # the other one is of September
    fleet = fk.open_mirror(path)
    for chosen in (
        *({"since": "2026-10-01"}, {"flight_type": "TRAINING"}, {"operation_type": "SURVEY"}),
        *({"pilot": "prof_ada"}, {"project": "proj_1"}, {"night": True}, {"bvlos": True}),
        *({"take_off": (59, 10, 60, 11)}, {"client": "Harbour Trust"}, {"status": "DELIVERED"}),
        *({"equipment": "eq_2"}, {"type": "CAMERA"}, {"category": "PAYLOAD"}),
        *({"model": "C1"}, {"manufacturer": "Lenswerk"}, {"condition": "FAIR"}),
    ):
        narrowed = fleet.where(**chosen)
        for table in ("flights", "flight_equipment"):
            history = narrowed.history(table)
            assert history["flight_id"].unique().tolist() == ["fl_1"], (chosen, table)
        if all(isinstance(value, str) and name != "since" for name, value in chosen.items()):
            others = {name: fk.excluding(value) for name, value in chosen.items()}
            history = fleet.where(**others).history("flight_equipment")
            assert history["flight_id"].unique().tolist() == ["fl_2"], others
    assert fleet.where(until="2026-10-01").history("flight_equipment")["flight_id"].item() == "fl_2"


def as_texts(flights):
    """Return flights as ``{id: {field: text}}``."""
    dates = flights["flight_date"].map(lambda moment: moment.isoformat().replace("+00:00", "Z"))
    seconds = flights["duration_seconds"].map(str)
    columns = {"flight_date": dates, "duration_seconds": seconds}
    known = {
        name: texts.astype(object).where(flights[name].notna(), None)
        for name, texts in columns.items()
    }
    rows = zip(flights["flight_id"], *known.values(), strict=True)
    return {row[0]: dict(zip(columns, row[1:], strict=True)) for row in rows}


def test_changes_done_to_one_state_give_the_next(path):
    dice = random.Random(4)
    flights = {}
    for _ in range(4):
        for number in dice.sample(range(8), 4):
            day, minutes = dice.choice(["2026-08-31", "2026-09-01"]), dice.choice([5, 6, None])
            flights[number] = a_flight(number, day, minutes)
        for number in dice.sample(sorted(flights), min(2, len(flights))):
            del flights[number]
        write(path, flights=flights.values())
    state = as_texts(fk.open_mirror(path, version=1).flights())
    for version in range(2, 5):
        fleet = fk.open_mirror(path, version=version)
        after = as_texts(fleet.flights())
        for _, id, field, old, new, change in told(fleet.changes("flights", since=version - 1)):
            if change == "vanished":
                del state[id]
            elif change == "inserted":
                assert id not in state
                state[id] = after[id]
            else:
                assert state[id][field] == old
                state[id][field] = new
        assert state == after


# the service


def test_a_live_fleet_has_no_history_and_says_what_has(tiny):
    with fk.connect(tiny.base_url, tiny.api_key) as fleet:
        for ask in (
            lambda: fleet.history("projects"),
            lambda: fleet.changes("projects"),
            lambda: fleet.watched_since("projects"),
            lambda: fleet.restatements("2026-09"),
        ):
            with pytest.raises(fk.InvalidValue, match=r"fleet\.sync.*fk\.open_mirror"):
                ask()
        assert [hasattr(fleet, name) for name in ("flights", "history", "scan")] == [
            True,
            False,
            False,
        ]


def test_an_edit_on_the_service_between_two_syncs_is_told(serve_records, tmp_path):
    served = serve_records(copy.deepcopy(TINY))
    with fk.connect(served.base_url, served.api_key) as fleet:
        fleet.sync(str(tmp_path / "mirror"))
        edited = a_logged_flight("fl_4", "2026-11-02T08:00:00.000Z", durationSeconds=1200)
        edited |= {"flightType": "MAINTENANCE", "bvlos": None}
        served.store.load(served.organisation, flights=[edited])
        fleet.sync(str(tmp_path / "mirror"), full=True)
    changes = fk.open_mirror(tmp_path / "mirror").changes("flights")
    assert ("flights", "fl_4", "duration_seconds", "600", "1200", "updated") in told(changes)
    assert changes["id"].unique().tolist() == ["fl_4"]
