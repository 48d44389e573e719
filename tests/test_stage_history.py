"""Stage moves, stays and conversions: row versions of a few projects, counted by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pandas as pd
import polars as pl
import pytest
from a_past import write

import fleetkit as fk
from fleetkit import metrics

NOW = "2026-09-21T06:00Z"


def history(**projects):
    """Return row versions: project → [(status, day it was seen so), …, day it was seen gone]."""
    rows = []
    for project, versions in projects.items():
        days = [version if isinstance(version, int) else version[1] for version in versions]
        for place, version in enumerate(versions):
            if isinstance(version, tuple):
                ends = days[place + 1] if place + 1 < len(days) else None
                rows.append((project, version[0], days[place], ends))
    frame = pd.DataFrame(rows, columns=["project_id", "status", "valid_from", "valid_to"])
    for column in ("valid_from", "valid_to"):
        text = frame[column].map(lambda day: f"2026-09-{day:02.0f}T06:00Z", na_action="ignore")
        frame[column] = pd.to_datetime(text, utc=True).dt.as_unit("us")
    frame["title"] = frame["project_id"].str.title()
    frame["client_account_name"] = "Harbour Trust"
    return frame.astype({"project_id": "str", "status": "str", "client_account_name": "str"})


def pairs(moves):
    return list(zip(moves["from_status"], moves["to_status"], strict=True))


def test_a_move_is_a_project_that_a_sync_saw_in_another_status():
    given = history(roof=[("DRAFT", 1), ("DRAFT", 2), ("CONFIRMED", 5)], quay=[("DRAFT", 3)])
    moves = metrics.stage_moves(given)
    assert moves.astype(str).to_dict("records") == [
        {
            "project_id": "roof",
            "title": "Roof",
            "client_account_name": "Harbour Trust",
            "moved_at": "2026-09-05 06:00:00+00:00",
            "from_status": "DRAFT",
            "to_status": "CONFIRMED",
            "kind": "forward",
        }
    ]
    kinds = ["forward", "back", "held", "resumed", "cancelled", "after the end", "unknown"]
    assert moves["kind"].dtype == pd.CategoricalDtype(kinds, ordered=True)


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("DRAFT", "COMPLETED", "forward"),
        ("INVOICED", "DELIVERED", "back"),
        ("SCHEDULED", "ON_HOLD", "held"),
        ("ON_HOLD", "DRAFT", "resumed"),
        ("ON_HOLD", "CANCELLED", "cancelled"),
        ("DRAFT", "CANCELLED", "cancelled"),
        ("COMPLETED", "CANCELLED", "after the end"),
        ("COMPLETED", "INVOICED", "after the end"),
        ("CANCELLED", "ON_HOLD", "after the end"),
        ("DRAFT", "ARCHIVED", "unknown"),
        (None, "DRAFT", "unknown"),
    ],
)
def test_every_move_has_its_kind_and_two_kinds_are_impossible(old, new, kind):
    given = history(roof=[(old, 1), (new, 2)])
    assert metrics.stage_moves(given)["kind"].tolist() == [kind]
    impossible = metrics.impossible_moves(given)
    assert len(impossible) == (kind in {"back", "after the end"})
    assert list(impossible.columns) == list(metrics.stage_moves(given).columns)


def test_moves_come_in_the_order_of_time():
    given = history(b=[("DRAFT", 1), ("CONFIRMED", 4)], a=[("DRAFT", 1), ("DELIVERED", 9)])
    assert metrics.stage_moves(given)["project_id"].tolist() == ["b", "a"]


def test_a_project_that_vanished_and_came_back_moved_when_it_came_back():
    given = pd.concat([history(a=[("DRAFT", 1), 3]), history(a=[("CONFIRMED", 8)])])
    moves = metrics.stage_moves(given)
    assert moves["moved_at"].dt.day.tolist() == [8]
    stays = metrics.stage_stays(given, NOW)
    assert stays["left_at"].dt.day.fillna(0).tolist() == [3, 0]
    assert stays["whole"].tolist() == [False, False]


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.from_pandas])
def test_a_record_whose_id_was_another_s_before_moved_from_nowhere(engine):
    created = pd.to_datetime(["2026-01-01", "2026-09-07", "2026-09-07"], utc=True)
    statuses = [("DELIVERED", 1), ("DRAFT", 8), ("CONFIRMED", 9)]
    given = history(a=statuses).assign(created_at=created.as_unit("us"))
    assert pairs(metrics.stage_moves(engine(given))) == [("DRAFT", "CONFIRMED")]
    assert len(metrics.impossible_moves(engine(given))) == 0
    as_texts = given.assign(created_at="2026")  # such as a CSV has; it isn't needed
    assert len(metrics.stage_moves(engine(as_texts))) == 2
    stays = metrics.stage_stays(engine(given), NOW, watched_since="2026-08-01")
    assert list(stays["whole"]) == [False, True, False]  # the first one never left
    converted = metrics.stage_conversions(engine(given))
    assert list(converted["went_back"]) == [0, 0, 0]
    assert list(converted["vanished"]) == [0, 0, 1]
    drafts = metrics.stage_stays(engine(given.assign(status="DRAFT")), NOW)
    assert list(drafts["days"]) == [7.0, 13.0]
    named = {"project_id": "equipment_id", "title": "name"}
    pieces = given.rename(columns=named).assign(condition="GOOD")
    states = metrics.condition_history(engine(pieces))
    assert [list(states["old"]), list(states["new"])] == [["DRAFT"], ["CONFIRMED"]]


def test_a_stay_is_whole_where_both_its_ends_were_seen():
    given = history(
        roof=[("DRAFT", 1), ("CONFIRMED", 4), ("CONFIRMED", 6), ("SCHEDULED", 11)],
        quay=[("DRAFT", 5), 9],
    )
    stays = metrics.stage_stays(given, NOW)
    assert stays[["project_id", "status", "days", "whole"]].astype(str).to_numpy().tolist() == [
        ["quay", "DRAFT", "4.0", "False"],
        ["roof", "DRAFT", "3.0", "False"],
        ["roof", "CONFIRMED", "7.0", "True"],
        ["roof", "SCHEDULED", "10.0", "False"],
    ]


def test_a_project_that_came_after_the_first_sync_was_seen_to_enter():
    given = history(roof=[("DRAFT", 3), ("CONFIRMED", 4)])
    seen = metrics.stage_stays(given, NOW, watched_since=datetime(2026, 9, 1, 6, tzinfo=UTC))
    assert seen["whole"].tolist() == [True, False]
    given.attrs["watched_since"] = datetime(2026, 9, 1, 6, tzinfo=UTC)
    pd.testing.assert_frame_equal(metrics.stage_stays(given, NOW), seen)
    assert not metrics.stage_stays(history(roof=[("DRAFT", 3), ("CONFIRMED", 4)]), NOW)[
        "whole"
    ].any()


def test_what_came_after_the_moment_is_not_looked_at():
    given = history(roof=[("DRAFT", 1), ("CONFIRMED", 4), ("SCHEDULED", 6)], quay=[("DRAFT", 9)])
    stays = metrics.stage_stays(given, "2026-09-05", tz="Europe/London")
    assert stays["project_id"].tolist() == ["roof", "roof"]
    assert stays["left_at"].isna().tolist() == [False, True]
    assert stays["days"].tolist() == [3.0, 17 / 24]  # 4 September 06:00 to 4 September 23:00 UTC


def test_time_in_stage_tells_whole_stays_and_standing_ones_apart():
    given = history(
        a=[("DRAFT", 2), ("CONFIRMED", 4)],
        b=[("DRAFT", 2), ("CONFIRMED", 6), ("SCHEDULED", 7)],
        c=[("DRAFT", 1)],
        d=[("DRAFT", 11)],
        e=[("ON_HOLD", 1), 3],
        f=[(None, 16)],
    )
    result = metrics.time_in_stage(given, NOW)
    frame = result.head(4).set_index("status")
    assert frame.index.tolist() == ["DRAFT", "CONFIRMED", "SCHEDULED", "ON_HOLD"]
    without_status = result[result["status"].isna()]
    assert without_status[["standing", "longest_standing_days"]].to_numpy().tolist() == [[1, 5.0]]
    assert frame.loc["DRAFT"].to_dict() == {
        "stays": 2,
        "median_days": 3.0,
        "p90_days": pytest.approx(3.8),
        "standing": 2,
        "longest_standing_days": 20.0,
        "entry_unseen": 1,
    }
    confirmed = frame.loc["CONFIRMED", ["stays", "median_days", "standing", "entry_unseen"]]
    assert confirmed.tolist() == [1, 1.0, 1, 0]
    assert frame.loc["ON_HOLD", ["stays", "standing"]].tolist() == [0, 0]
    assert frame.loc["ON_HOLD", ["median_days", "longest_standing_days"]].isna().all()


def test_conversions_count_each_project_once_by_what_followed_last():
    given = history(
        went=[("DRAFT", 1), ("CONFIRMED", 2), ("DRAFT", 3), ("CANCELLED", 4)],
        held=[("DRAFT", 1), ("ON_HOLD", 2), ("SCHEDULED", 3), ("ON_HOLD", 4)],
        back=[("SCHEDULED", 1), ("CONFIRMED", 2)],
        gone=[("DRAFT", 1), 5],
        left=[("DRAFT", 1), ("ARCHIVED", 3)],
        done=[("INVOICED", 1), ("COMPLETED", 2)],
    )
    frame = metrics.stage_conversions(given).set_index("status")
    assert frame.index.tolist() == ["DRAFT", "CONFIRMED", "SCHEDULED", "INVOICED"]
    outcomes = ["went_on", "cancelled", "went_back", "vanished", "elsewhere", "still_there"]
    assert frame.columns.tolist() == ["projects", *outcomes, "conversion"]
    assert frame["projects"].tolist() == [4, 2, 2, 1]
    assert frame[outcomes].to_numpy().tolist() == [
        [1, 1, 0, 1, 1, 0],  # held; went; gone; left
        [0, 0, 1, 0, 0, 1],  # went, back to draft; back stands here
        [0, 0, 1, 0, 0, 1],  # back; held, still
        [1, 0, 0, 0, 0, 0],
    ]
    # Of the draft that vanished nothing is known: 1 of 2 went on, not 1 of 3.
    assert frame["conversion"].tolist()[:3] == [0.5, 0.0, 0.0]
    said = metrics.definitions("stage_conversions")["Conversion"]
    assert said.startswith("Of the projects that a sync saw in a stage and then in another one: ")


EMPTY = {
    metrics.stage_moves: "str str str datetime64[us, UTC] category category category",
    metrics.impossible_moves: "str str str datetime64[us, UTC] category category category",
    metrics.stage_conversions: "category Int64 Int64 Int64 Int64 Int64 Int64 Int64 float64",
}
EMPTY_AT = {
    metrics.stage_stays: (
        "str str str category datetime64[us, UTC] datetime64[us, UTC] float64 bool"
    ),
    metrics.time_in_stage: "category Int64 float64 float64 Int64 float64 Int64",
}


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "dtypes"), [*EMPTY.items(), *EMPTY_AT.items()])
def test_no_history_gives_no_rows_of_the_right_dtypes(metric, dtypes):
    arguments = [NOW] if metric in EMPTY_AT else []
    full = metric(history(a=[("DRAFT", 1), ("CONFIRMED", 2)]), *arguments)
    result = metric(history(a=[("DRAFT", 1)]).iloc[:0], *arguments)
    assert result.empty
    assert result.columns.tolist() == full.columns.tolist()
    expected = dtypes.replace("[us, UTC]", "[us,UTC]").split()
    for frame in (result, full):
        shown = [str(dtype).replace(", ", ",") for dtype in frame.dtypes]
        assert shown == expected


@pytest.mark.parametrize("metric", [*EMPTY, *EMPTY_AT])
def test_a_history_of_another_engine_gives_a_frame_of_that_engine(metric):
    given = history(a=[("DRAFT", 1), ("CONFIRMED", 2)])
    arguments = [NOW] if metric in EMPTY_AT else []
    frame = metric(pl.from_pandas(given), *arguments)
    assert isinstance(frame, pl.DataFrame)
    assert frame.shape == metric(given, *arguments).shape


def test_a_history_that_lacks_a_column_is_refused_in_words():
    with pytest.raises(fk.InvalidValue, match="history lacks status"):
        metrics.stage_moves(history(a=[("DRAFT", 1)]).drop(columns="status"))
    projects = history(a=[("DRAFT", 1)]).drop(columns=["valid_from", "valid_to"])
    with pytest.raises(fk.InvalidValue, match=r"lacks valid_from.* as fleet\.history\(…\) of a mi"):
        metrics.stage_moves(projects)


@pytest.mark.slow
def test_stages_of_a_mirror_are_those_that_its_syncs_saw(tmp_path):
    for status in ("DRAFT", "CONFIRMED", "DRAFT"):
        write(tmp_path / "mirror", projects=[{"id": "p_1", "title": "Roof", "status": status}])
    fleet = fk.open_mirror(tmp_path / "mirror")
    projects = fleet.history("projects")
    assert pairs(metrics.stage_moves(projects)) == [("DRAFT", "CONFIRMED"), ("CONFIRMED", "DRAFT")]
    assert pairs(metrics.impossible_moves(projects)) == [("CONFIRMED", "DRAFT")]
    stays = metrics.stage_stays(projects, fleet.mirror.fetched_at)
    assert stays["whole"].tolist() == [False, True, False]
    assert stays["entered_at"].tolist()[0] == fleet.watched_since("projects")
    assert metrics.stage_stays(projects, "2020-01-01").empty
