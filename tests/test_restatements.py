"""The restatement ledger: how a month moved since an earlier state, counted by hand."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pandas as pd
import pytest
from a_past import a_flight, write

import fleetkit as fk
from fleetkit import metrics, tables

pytestmark = pytest.mark.slow

EQUIPMENT = [{"id": "eq_1", "category": "DRONE"}, {"id": "eq_2", "category": "PAYLOAD"}]
AROUND = fk.Period.between("2026-07-01", "2026-12-01", "UTC")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mirror"


def by_flight(ledger, *columns):
    """Return ``{flight_id: (columns)}``, nulls as None."""
    shown = ledger[list(columns)].astype(object)
    values = shown.where(shown.notna(), None).itertuples(index=False, name=None)
    return dict(zip(ledger["flight_id"], values, strict=True))


def test_a_month_is_told_by_its_late_logs_edits_moves_and_losses(path):
    steady = a_flight(0)
    was = [steady, a_flight(1), a_flight(2), a_flight(3), a_flight(4, "2026-08-31")]
    is_ = [
        steady,
        a_flight(1, minutes=90, bvlos=True),
        a_flight(3, "2026-10-01"),
        a_flight(4, "2026-09-01"),
        a_flight(5, minutes=30),
    ]
    first, second = write(path, flights=was), write(path, flights=is_)
    ledger = fk.open_mirror(path).restatements("2026-09", since=1)
    told = by_flight(ledger, "kind", "hours_before", "hours_after", "hours", "fields")
    assert told == {
        "fl_1": ("edit", 1.0, 1.5, 0.5, "duration_seconds, bvlos"),
        "fl_2": ("vanished", 1.0, 0.0, -1.0, None),
        "fl_3": ("moved out", 1.0, 0.0, -1.0, None),
        "fl_4": ("moved in", 0.0, 1.0, 1.0, None),
        "fl_5": ("late log", 0.0, 0.5, 0.5, None),
    }
    assert ledger["observed_at"].unique().tolist() == [pd.Timestamp(second)]
    assert ledger["month"].unique().tolist() == ["2026-09"]
    assert ledger.attrs == {"tz": "UTC", "since": first.isoformat(), "version": 1}


def test_a_period_of_many_months_tells_each_month(path):
    write(path, flights=[a_flight(1, "2026-08-31"), a_flight(2, "2026-08-30")])
    write(path, flights=[a_flight(1, "2026-09-01"), a_flight(2, "2026-08-30", minutes=30)])
    ledger = fk.open_mirror(path).restatements(AROUND, since=1)
    rows = ledger[["month", "flight_id", "kind", "hours"]].to_numpy().tolist()
    assert rows == [
        ["2026-08", "fl_1", "moved out", -1.0],
        ["2026-08", "fl_2", "edit", -0.5],
        ["2026-09", "fl_1", "moved in", 1.0],
    ]


def test_fields_that_the_reference_does_not_know_may_have_any_name(path):
    write(path, flights=[a_flight(1, month="May", side="left")])
    write(path, flights=[a_flight(1, month="June", side="right")])
    ledger = fk.open_mirror(path).restatements("2026-09", since=1)
    assert ledger[["month", "fields"]].to_numpy().tolist() == [["2026-09", "month, side"]]


@pytest.mark.filterwarnings("ignore::fleetkit.tables.NotInReference")
@pytest.mark.parametrize("narrowed", [{}, {"equipment": ["eq_1"]}])
def test_a_number_is_no_edit_where_another_flight_turned_to_text(path, narrowed):
    """Stored as 6.0 among numbers alone, it stands as it came, 6, beside a text."""
    for cells in (5, "5S"):
        write(path, flights=[a_flight(1, cells=6), a_flight(2, cells=cells)])
    fleet = fk.open_mirror(path).where(**narrowed)
    ledger = fleet.restatements("2026-09", since=1)
    assert by_flight(ledger, "kind", "fields") == {"fl_2": ("edit", "cells")}


def test_months_are_those_of_the_fleet_s_zone(path):
    evening = a_flight(1, "2026-09-30T23:30:00Z")  # 1 October, 00:30 in London
    write(path, tz="Europe/London", flights=[])
    write(path, tz="Europe/London", flights=[evening])
    fleet = fk.open_mirror(path)
    assert fleet.restatements("2026-09", since=1).empty
    assert fleet.restatements("2026-10", since=1)["month"].tolist() == ["2026-10"]
    assert len(fk.open_mirror(path, tz="UTC").restatements("2026-09", since=1)) == 1


def test_flight_dates_that_are_dates_are_not_shifted_even_where_one_changed(path):
    days = [a_flight(number, "2026-10-01T00:00:00Z") for number in range(9)]
    write(path, tz="America/New_York", flights=days)
    write(path, tz="America/New_York", flights=[*days, a_flight(9, "2026-10-01T00:00:00Z")])
    fleet = fk.open_mirror(path)
    assert fleet.restatements("2026-09", since=1).empty
    assert fleet.restatements("2026-10", since=1)["flight_id"].tolist() == ["fl_9"]


def test_a_midnight_that_came_late_is_an_instant_where_all_other_dates_are(path):
    steady = [a_flight(number, f"2026-08-{number + 10}T09:00:00Z") for number in range(9)]
    late = a_flight(9, "2026-10-01T00:00:00Z")  # 20:00 of 30 September in New York
    write(path, tz="America/New_York", flights=steady)
    write(path, tz="America/New_York", flights=[*steady, late])
    fleet = fk.open_mirror(path)
    assert fleet.restatements("2026-10", since=1).empty
    assert fleet.restatements("2026-09", since=1)["month"].tolist() == ["2026-09"]
    past = fk.reports.Past(fleet, fleet.period("2026-10"), changed_since=1)
    ledger = past.ledger()
    assert [day.date().isoformat() for day in ledger.rows["flight_date"]] == ["2026-09-30"]
    for engine in (None, "polars"):
        months = past.months(ledger, engine)[["month", "hours", "hours_now"]]
        assert months.to_numpy().tolist() == [["2026-09", 1.0, 1.0]]


def test_a_month_without_hours_before_moved_by_no_share_of_them(path):
    """38 and 16 minutes came late: 0.9 h in all, but not the sum of two rounded quotients."""
    write(path)
    write(path, flights=[a_flight(1, minutes=38), a_flight(2, minutes=16)])
    fleet = fk.open_mirror(path)
    past = fk.reports.Past(fleet, fleet.period("2026-10"), changed_since=1)
    assert past.months(past.ledger())["share"].isna().tolist() == [True]


def test_a_month_that_the_period_begins_in_has_the_hours_of_its_days_before(path):
    """1 October had an hour, and six minutes more since; 20 October is after the week."""
    later = a_flight(2, "2026-10-20", minutes=540)
    write(path, flights=[a_flight(1, "2026-10-01"), later])
    write(path, flights=[a_flight(1, "2026-10-01", minutes=66), later])
    fleet = fk.open_mirror(path)
    past = fk.reports.Past(fleet, fleet.period("2026-W41"))
    months = past.months(past.ledger())
    assert months[["month", "hours_now"]].to_numpy().tolist() == [["2026-10", 1.1]]
    assert months["share"].round(9).tolist() == [0.1]


def test_a_duration_that_is_null_or_not_above_zero_counts_no_hours(path):
    write(path, flights=[a_flight(1, minutes=None), a_flight(2, minutes=-5), a_flight(3)])
    write(path, flights=[a_flight(1), a_flight(2, minutes=30), a_flight(3, minutes=None)])
    ledger = fk.open_mirror(path).restatements("2026-09", since=1)
    assert by_flight(ledger, "hours_before", "hours_after", "hours") == {
        "fl_1": (0.0, 1.0, 1.0),
        "fl_2": (0.0, 0.5, 0.5),
        "fl_3": (1.0, 0.0, -1.0),
    }


def test_a_flight_that_was_only_touched_restates_nothing(path):
    write(path, flights=[a_flight(1, updatedAt="2026-09-11T06:00:00Z")])
    write(path, flights=[a_flight(1, updatedAt="2026-10-11T06:00:00Z")])
    fleet = fk.open_mirror(path)
    assert fleet.restatements("2026-09", since=1).empty
    assert fleet.changes("flights")["field"].tolist() == ["updated_at"]


def test_a_flight_that_came_and_went_in_between_restates_nothing(path):
    for flights in ([a_flight(1)], [a_flight(1, minutes=5), a_flight(2)], [a_flight(1)]):
        write(path, flights=flights)
    fleet = fk.open_mirror(path)
    assert fleet.restatements("2026-09", since=1).empty
    assert set(by_flight(fleet.restatements("2026-09", since=2), "kind").values()) == {
        ("edit",),
        ("vanished",),
    }


def test_a_flight_that_moved_and_was_gone_at_the_newest_sync_has_vanished(path):
    states = [[a_flight(1), a_flight(2)], [a_flight(1, "2026-10-01"), a_flight(2)], [a_flight(2)]]
    for flights in states:
        write(path, flights=flights)
    told = [
        by_flight(fk.open_mirror(path, version=version).restatements("2026-09", since=1), "kind")
        for version in (2, 3)
    ]
    assert told == [{"fl_1": ("moved out",)}, {"fl_1": ("vanished",)}]


def test_a_row_says_when_it_was_seen_first_changed_last_or_gone(path):
    states = [
        [a_flight(1), a_flight(2)],
        [a_flight(1, minutes=5), a_flight(2), a_flight(3)],
        [a_flight(1, minutes=6), a_flight(3, minutes=5)],
        [a_flight(1, minutes=6), a_flight(3, minutes=5)],
    ]
    moments = [pd.Timestamp(write(path, flights=state)) for state in states]
    ledger = fk.open_mirror(path).restatements("2026-09", since=1)
    assert by_flight(ledger, "kind", "observed_at") == {
        "fl_1": ("edit", moments[2]),
        "fl_2": ("vanished", moments[2]),
        "fl_3": ("late log", moments[1]),
    }


def test_a_month_long_over_is_compared_with_the_first_sync_after_it(path):
    first = write(path, flights=[a_flight(1, "2020-01-10")])
    write(path, flights=[a_flight(1, "2020-01-10", minutes=5)])
    ledger = fk.open_mirror(path).restatements("2020-01")
    assert ledger["kind"].tolist() == ["edit"]
    assert ledger.attrs["since"] == first.isoformat()


def test_a_sync_at_the_moment_in_which_a_month_ends_is_the_first_after_it(path):
    for day, minutes in ((1, 60), (2, 5)):
        at = datetime(2020, 2, day, tzinfo=UTC)
        write(path, flights=[a_flight(1, "2020-01-10", minutes=minutes)], at=at)
    ledger = fk.open_mirror(path).restatements("2020-01")
    assert ledger[["hours_before", "hours_after"]].to_numpy().tolist() == [[1.0, 5 / 60]]


def test_a_month_that_is_not_over_has_no_ledger_yet(path):
    write(path, flights=[])
    last = write(path, flights=[a_flight(1, "2100-01-10")])
    ledger = fk.open_mirror(path).restatements("2100-01")
    assert ledger.empty
    assert ledger.attrs["since"] == last.isoformat()
    assert len(fk.open_mirror(path).restatements("2100-01", since=1)) == 1


def test_a_moment_before_the_mirror_had_flights_means_the_first_that_it_had(path):
    write(path, missing=dict.fromkeys(("flights", "flight_equipment"), "equipment:read"))
    second = write(path, flights=[a_flight(1)])
    write(path, flights=[a_flight(1, minutes=5)])
    fleet = fk.open_mirror(path)
    for since in (None, 1, 2, "2020-01-01", datetime(2020, 1, 1, tzinfo=UTC)):
        ledger = fleet.restatements("2020-01" if since is None else "2026-09", since=since)
        assert ledger.attrs == {"tz": "UTC", "since": second.isoformat(), "version": 2}
    assert len(fleet.restatements("2026-09", since=1)) == 1
    with pytest.raises(fk.Forbidden, match="lacked equipment:read"):
        fk.open_mirror(path, version=1).restatements("2026-09")


def test_an_empty_ledger_has_its_columns_and_dtypes(path):
    write(path)
    ledger = fk.open_mirror(path).restatements("2026-09")
    assert ledger.dtypes.astype(str).to_dict() == {
        "month": "str",
        "flight_id": "str",
        "kind": "category",
        "observed_at": "datetime64[us, UTC]",
        "flight_date": "datetime64[us, UTC]",
        **dict.fromkeys(("hours_before", "hours_after", "hours"), "float64"),
        "fields": "str",
    }


def test_a_later_sync_changes_no_ledger_of_an_earlier_version(path):
    write(path, flights=[a_flight(1), a_flight(3)])
    write(path, flights=[a_flight(1, minutes=5), a_flight(2), a_flight(3, "2026-10-03")])
    before = fk.open_mirror(path).restatements("2026-09", since=1)
    assert by_flight(before, "kind")["fl_3"] == ("moved out",)
    write(path, flights=[a_flight(2, "2026-10-02"), a_flight(3, "2026-10-03", minutes=5)])
    after = fk.open_mirror(path, version=2).restatements("2026-09", since=1)
    pd.testing.assert_frame_equal(after, before)


def test_only_the_months_concerned_are_read(path):
    steady = a_flight(1, "2026-06-15")
    write(path, flights=[steady])
    write(path, flights=[steady])
    write(path, flights=[steady, a_flight(2), a_flight(3)])
    write(path, flights=[steady, a_flight(2, minutes=5), a_flight(4)])
    for file in (path / "flights" / "flight_month=2026-06").iterdir():
        file.unlink()
    ledger = fk.open_mirror(path).restatements("2026-09", since=3)
    assert ledger["kind"].tolist() == ["edit", "vanished", "late log"]


def test_what_entered_or_left_the_filter_moved(path):
    ada, bo = ({"pilotInCommand": {"id": pilot, "fullName": pilot}} for pilot in ("ada", "bo"))
    write(path, flights=[a_flight(1, **ada), a_flight(2, **bo), a_flight(3, **bo)])
    write(path, flights=[a_flight(1, **bo), a_flight(2, **ada), a_flight(3, minutes=5, **bo)])
    ledger = fk.open_mirror(path).where(pilot="ada").restatements("2026-09", since=1)
    assert by_flight(ledger, "kind", "hours") == {
        "fl_1": ("moved out", -1.0),
        "fl_2": ("moved in", 1.0),
    }


def test_a_flight_that_did_not_change_moves_where_the_filter_looks_at_other_tables(path):
    flights = [a_flight(1), a_flight(2)]
    write(path, flights=flights, equipment=EQUIPMENT, camera=["fl_1"])
    write(path, flights=flights, equipment=EQUIPMENT, camera=["fl_2"])
    for chosen in ({"category": "PAYLOAD"}, {"equipment": "eq_2"}):
        ledger = fk.open_mirror(path).where(**chosen).restatements("2026-09", since=1)
        told = by_flight(ledger, "kind", "hours", "observed_at")
        assert told == {"fl_1": ("moved out", -1.0, None), "fl_2": ("moved in", 1.0, None)}


def test_a_flight_of_a_project_that_changed_its_status_moves_though_it_did_not_change(path):
    tied = a_flight(1, project={"id": "proj_1", "title": "Roof"})
    for status in ("DELIVERED", "INVOICED"):
        write(path, flights=[tied], projects=[{"id": "proj_1", "status": status}])
    fleet = fk.open_mirror(path)
    for status, told in (("DELIVERED", ("moved out", -1.0)), ("INVOICED", ("moved in", 1.0))):
        ledger = fleet.where(status=status).restatements("2026-09", since=1)
        assert by_flight(ledger, "kind", "hours") == {"fl_1": told}


def test_a_field_that_only_one_state_has_is_compared_where_the_filter_looks_at_other_tables(path):
    came, went, had = {"cells": 6, "validFrom": "May"}, {"wind": True}, {"volts": 22.5}
    write(path, flights=[a_flight(1, **went), a_flight(2, **had), a_flight(3)], camera=["fl_1"])
    write(path, flights=[a_flight(1, **came), a_flight(2, **had), a_flight(3)], camera=["fl_1"])
    ledger = fk.open_mirror(path).where(equipment="eq_1").restatements("2026-09", since=1)
    fields = "wind, cells, api_valid_from"
    assert by_flight(ledger, "kind", "fields") == {"fl_1": ("edit", fields)}
    all_ = fk.open_mirror(path).restatements("2026-09", since=1)
    assert by_flight(all_, "kind", "fields") == {"fl_1": ("edit", fields)}


def test_a_flight_whose_new_type_the_reference_does_not_know_is_an_edit_of_one_piece(path):
    write(path, flights=[a_flight(1)], camera=["fl_1"])
    with pytest.warns(tables.NotInReference):
        write(path, flights=[a_flight(1, flightType="SURVEY")], camera=["fl_1"])
    ledger = fk.open_mirror(path).where(equipment="eq_1").restatements("2026-09", since=1)
    assert by_flight(ledger, "kind", "fields") == {"fl_1": ("edit", "flight_type")}


FILTERS = [
    {},
    {"pilot": "ada"},
    {"since": "2026-09-05", "until": "2026-10-05"},
    {"category": "PAYLOAD"},
    {"client": "Harbour Trust"},
    {"flight_type": "TRAINING"},
]


@pytest.fixture(scope="module")
def a_long_past(tmp_path_factory):
    """Five states of twelve flights that change at random."""
    path = tmp_path_factory.mktemp("past") / "mirror"
    dice, flights = random.Random(7), {}
    days = ["2026-08-31T23:30:00Z", "2026-09-01T02:00:00Z", "2026-09-30T20:00:00Z", None]
    people = [None, *({"id": pilot, "fullName": pilot} for pilot in ("ada", "bo"))]
    project = {"id": "proj_1", "title": "Roof"}
    for _ in range(5):
        for number in dice.sample(range(12), 6):
            flights[number] = a_flight(
                number,
                dice.choice(days),
                dice.choice([None, 6, 30]),
                pilotInCommand=dice.choice(people),
                project=dice.choice([None, project]),
                flightType=dice.choice(["TRAINING", "COMMERCIAL"]),
            )
        for number in dice.sample(sorted(flights), 2):
            del flights[number]
        write(
            path,
            flights=flights.values(),
            equipment=EQUIPMENT,
            camera=dice.sample([flight["id"] for flight in flights.values()], 3),
            projects=[{**project, "clientAccountName": dice.choice(["Harbour Trust", "Other"])}],
        )
    return path


@pytest.mark.parametrize(
    ("version", "chosen"),
    [pytest.param(1 + number % 2 * 2, each) for number, each in enumerate(FILTERS)],
    ids=lambda value: value if isinstance(value, int) else "-".join(value) or "whole",
)
def test_the_ledger_is_the_difference_of_both_states(a_long_past, version, chosen):
    tz = "Pacific/Auckland"
    now = fk.open_mirror(a_long_past, tz=tz).where(**chosen, allow_empty=True)
    all_months = fk.Period.between("2026-08-01", "2026-11-01", tz)
    whole = fk.open_mirror(a_long_past, version=version, tz=tz)
    then = whole.where(**chosen, allow_empty=True)
    before, after = (set(day.whole().flights()["flight_id"]) for day in (then, now))
    ledgers = now.restatements(all_months, since=version)
    for month in ("2026-08", "2026-09", "2026-10"):
        ledger = ledgers[ledgers["month"] == month]
        old, new = (day.flights(month).set_index("flight_id") for day in (then, now))
        hours = [metrics.flight_totals(month)["hours"].sum() for month in (old, new)]
        assert ledger["hours"].sum() == pytest.approx(hours[1] - hours[0])
        both = sorted(set(new.index) & set(old.index))
        texts = [hours.loc[both].astype("str").fillna("") for hours in (old, new)]
        differs = texts[0].ne(texts[1]).any(axis=1)
        come, gone = (set(one.index) - set(other.index) for one, other in ((new, old), (old, new)))
        assert {
            kind: set(rows["flight_id"]) for kind, rows in ledger.groupby("kind", observed=False)
        } == {
            "late log": come - before,
            "edit": set(differs[differs].index),
            "moved in": come & before,
            "moved out": gone & after,
            "vanished": gone - after,
        }


def test_a_flight_type_that_the_reference_does_not_know_can_be_meant(path):
    for minutes in (60, 5):
        with pytest.warns(tables.NotInReference):
            write(
                path,
                flights=[
                    a_flight(1, minutes=minutes, flightType="SURVEY"),
                    a_flight(2, minutes=minutes),
                ],
            )
    narrowed = fk.open_mirror(path).where(flight_type="SURVEY")
    assert narrowed.restatements("2026-09", since=1)["flight_id"].tolist() == ["fl_1"]
    assert narrowed.restatements("2026-08", since=1).empty
    assert narrowed.changes("flights")["id"].tolist() == ["fl_1"]


# the metric


def test_a_ledger_is_summed_by_month():
    kinds = ["late log", "late log", "edit", "vanished", "moved in", "moved out"]
    hours = [0.5, 1.0, -0.25, -1.0, 2.0, -0.5]
    months = ["2026-09"] * 4 + ["2026-08"] * 2
    ledger = pd.DataFrame({"month": months, "kind": kinds, "hours": hours})
    summed = metrics.restatements(ledger).set_index("month")
    assert summed.loc["2026-09"].to_dict() == {
        **{"late_logs": 2, "edits": 1, "moved_in": 0, "moved_out": 0, "vanished": 1},
        **{"flights": 1, "hours": 0.25},
    }
    assert summed.loc["2026-08", ["moved_in", "moved_out", "flights", "hours"]].tolist() == [
        *(1, 1, 0, 1.5)
    ]
    assert summed.index.tolist() == ["2026-08", "2026-09"]


def test_an_empty_ledger_sums_to_nothing_of_the_right_dtypes(path):
    write(path)
    summed = metrics.restatements(fk.open_mirror(path).restatements("2026-09"))
    assert summed.empty
    counts = ("late_logs", "edits", "moved_in", "moved_out", "vanished", "flights")
    assert summed.dtypes.astype(str).to_dict() == {
        "month": "str",
        **dict.fromkeys(counts, "Int64"),
        "hours": "float64",
    }


def test_the_ledgers_of_several_months_can_be_summed_together(path):
    write(path, flights=[a_flight(1, "2026-08-10"), a_flight(2)])
    write(path, flights=[a_flight(1, "2026-08-10", minutes=90), a_flight(2, minutes=30)])
    fleet = fk.open_mirror(path)
    ledgers = pd.concat([fleet.restatements(month, since=1) for month in ("2026-08", "2026-09")])
    pd.testing.assert_frame_equal(
        metrics.restatements(ledgers),
        metrics.restatements(fleet.restatements(AROUND, since=1)),
    )
