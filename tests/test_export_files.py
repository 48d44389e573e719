"""Frames as files of other programs: typed, formula-safe, whole or not at all."""

import errno
import json
import re
import sys
import tempfile
import threading
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from conftest import names
from interrupting import interrupt_at, lines_of

import fleetkit as fk
from fleetkit import locks
from fleetkit.export import (
    to_csv,
    to_geojson,
    to_parquet,
    without_position,
    workbook,
    write_files,
)
from fleetkit.export.excel import sheet_names

FORMULAS = [
    '=HYPERLINK("http://x")',
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    " =1",
    "＝1",
    "\r=1",
    "\x01=1",
    "\tRoof",
]


def opened(path, sheet=None):
    """Return a sheet of a workbook as Excel reads it."""
    book = openpyxl.load_workbook(path)
    return book[sheet] if sheet else book.worksheets[0]


def cells(sheet):
    return [[cell.value for cell in row] for row in sheet.iter_rows()]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_cell_that_a_spreadsheet_would_run_is_made_harmless_in_csv(cell):
    rows = pd.DataFrame({"title": [cell, "Roof", None], "seconds": [-1.0, 2.0, 3.0]})
    written = to_csv(rows)
    assert written.startswith(b"\xef\xbb\xbf")  # or a spreadsheet takes it for another encoding
    read = pd.read_csv(BytesIO(written))
    assert read["title"].tolist()[:2] == [f"'{cell}", "Roof"]
    assert read["seconds"].tolist() == [-1.0, 2.0, 3.0]


@pytest.mark.parametrize("call", ['=HYPERLINK("x.example")', " -2+A1|'/C calc'!A0", '"=SUM(A1)'])
@pytest.mark.parametrize("before", ["Roof;", "Roof\n", "Roof\t"])
def test_no_part_of_a_cell_runs_where_semicolons_separate_cells(call, before):
    rows = pd.DataFrame({"title": [f"{before}{call};wall", f"{before}- north; + east"]})
    assert pd.read_csv(BytesIO(to_csv(rows)))["title"].tolist() == [
        f"{before}'{call};wall",
        f"{before}- north; + east",  # a list, which calls nothing
    ]


def test_a_head_that_a_spreadsheet_would_run_is_made_harmless_in_csv():
    read = pd.read_csv(BytesIO(to_csv(pd.DataFrame({" =1": [1], "＋1": [2], "hours": [3]}))))
    assert list(read.columns) == ["' =1", "'＋1", "hours"]


def test_a_table_without_rows_is_a_head_in_csv():
    empty = pd.DataFrame({"title": pd.Series(dtype="str"), "note": pd.Series(dtype="object")})
    assert to_csv(empty).decode("utf-8-sig").split() == ["title,note"]


def test_a_number_among_texts_is_no_formula_in_csv():
    assert to_csv(pd.DataFrame({"value": [-1, "=1"]})).decode("utf-8-sig").split() == [
        "value",
        "-1",
        "'=1",
    ]


def test_a_text_that_looks_like_a_formula_is_a_text_in_a_workbook(tmp_path):
    frame = pd.DataFrame({"=head": ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "https://x.example"]})
    sheet = opened(fk.to_excel({"Texts": frame}, tmp_path / "texts.xlsx"))
    assert {cell.data_type for (cell,) in sheet.iter_rows()} <= {"s", "inlineStr"}
    assert cells(sheet) == [["=head"], *([text] for text in frame["=head"])]
    assert sheet["A7"].hyperlink is None


def test_a_cell_has_the_type_of_its_value(tmp_path):
    frame = pd.DataFrame(
        {
            "text": pd.Series(["Roof", None], dtype="str"),
            "row": [1, 2],
            "flights": pd.Series([3, None], dtype="Int64"),
            "hours": [1.5, float("nan")],
            "bvlos": pd.Series([True, None], dtype="boolean"),
            "day": [date(2026, 10, 5), None],
            "price": [Decimal("12.50"), None],
            "status": pd.Categorical(["DRAFT", None]),
            "expiry": pd.to_datetime(["2026-10-05", None]),
        }
    )
    sheet = opened(fk.to_excel({"Types": frame}, tmp_path / "types.xlsx"))
    day = datetime(2026, 10, 5)
    assert cells(sheet)[1] == ["Roof", 1, 3, 1.5, True, day, 12.5, "DRAFT", day]
    assert cells(sheet)[2] == [None, 2, *[None] * 7]
    assert (sheet["F2"].number_format, sheet["I2"].number_format) == ("yyyy-mm-dd",) * 2
    assert isinstance(cells(sheet)[1][4], bool)


def test_what_a_cell_can_not_hold_is_a_text(tmp_path):
    values = [2**53 + 1, -(2**53) - 1, float("inf"), datetime(1900, 1, 1)]
    values += [datetime(2026, 10, 5, tzinfo=UTC), np.array([1, 2])]
    sheet = opened(fk.to_excel({"Odd": pd.DataFrame({"odd": values})}, tmp_path / "odd.xlsx"))
    assert [row[0] for row in cells(sheet)[1:]] == [
        "9007199254740993",
        "-9007199254740993",
        "inf",
        "1900-01-01T00:00:00",
        "2026-10-05T00:00:00+00:00",
        "[1 2]",
    ]


def test_two_to_the_53rd_is_a_number_still_and_dates_are_such_cells_from_1901_on(tmp_path):
    frame = pd.DataFrame({"number": [2**53] * 2, "day": [date(1900, 12, 31), date(1901, 1, 1)]})
    frame["float"] = 1e20  # it is rounded already
    sheet = opened(fk.to_excel({"Edge": frame}, tmp_path / "edge.xlsx"))
    assert cells(sheet)[1] == [9007199254740992, "1900-12-31", 1e20]
    assert cells(sheet)[2] == [9007199254740992, datetime(1901, 1, 1), 1e20]


def test_a_moment_is_shown_with_its_time_unless_all_of_the_column_are_midnights(tmp_path):
    moments = [datetime(2026, 10, 5), datetime(2026, 10, 5, 9, 30)]
    frame = pd.DataFrame({"mixed": moments, "days": moments[0]})
    frame.insert(1, "plain", pd.Series(moments, dtype="object"))
    frame.insert(2, "other", pd.Series(["none", moments[1]], dtype="object"))
    sheet = opened(fk.to_excel({"Times": frame}, tmp_path / "times.xlsx"))
    assert cells(sheet)[2] == [datetime(2026, 10, 5, 9, 30)] * 3 + [datetime(2026, 10, 5)]
    shown = [cell.number_format for cell in sheet[3]]
    assert shown == ["yyyy-mm-dd hh:mm:ss"] * 3 + ["yyyy-mm-dd"]


def test_a_moment_is_the_time_of_its_zone_which_the_head_names(tmp_path):
    moments = pd.to_datetime(["2026-09-30T22:30Z", "2026-12-31T23:30Z"])
    frame = pd.DataFrame({"flight_date": moments, "seen": moments.tz_localize(None)})
    for kind in (frame, frame.convert_dtypes(dtype_backend="pyarrow")):
        plain = opened(fk.to_excel({"UTC": kind}, tmp_path / "utc.xlsx"))
        assert cells(plain)[0] == ["flight_date (UTC)", "seen"]
        assert cells(plain)[1] == [datetime(2026, 9, 30, 22, 30)] * 2
    frame.attrs["tz"] = "Europe/Oslo"
    local = opened(fk.to_excel({"Oslo": frame}, tmp_path / "oslo.xlsx"))
    assert cells(local)[0][0] == "flight_date (Europe/Oslo)"
    assert cells(local)[1:] == [
        [datetime(2026, 10, 1, 0, 30), datetime(2026, 9, 30, 22, 30)],
        [datetime(2027, 1, 1, 0, 30), datetime(2026, 12, 31, 23, 30)],
    ]


def test_the_head_stays_in_view_and_columns_are_as_wide_as_what_they_hold(tmp_path):
    frame = pd.DataFrame({"id": ["fl_1"], "title": ["x" * 30], "note": ["y" * 500]})
    sheet = opened(fk.to_excel({"Wide": frame}, tmp_path / "wide.xlsx"))
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == "A1:C2"
    widths = [round(sheet.column_dimensions[name].width) for name in "ABC"]
    assert [width in {wide, wide + 1} for width, wide in zip(widths, (8, 31, 60), strict=True)] == [
        True
    ] * 3


def test_a_column_has_room_for_its_head_with_an_arrow_and_for_values_as_they_are_shown(tmp_path):
    days = pd.to_datetime(["2026-10-05", "2026-10-06"])
    frame = pd.DataFrame({"x" * 20: [1, 2], "day": days, "sum": [0.1 + 0.2, 1.5]})
    sheet = opened(fk.to_excel({"Wide": frame}, tmp_path / "wide.xlsx"))
    widths = [round(sheet.column_dimensions[name].width) for name in "ABC"]
    # 2 for the arrow, and 1 more; 10 for 2026-10-05; the least that a column has for 0.3.
    assert [width - wide in {0, 1} for width, wide in zip(widths, (23, 11, 8), strict=True)] == [
        True
    ] * 3


@pytest.mark.slow
def test_as_many_columns_as_a_sheet_holds_are_written_and_an_index_beside_them_is_refused(tmp_path):
    widest = pd.DataFrame([range(16_384)])
    sheet = opened(fk.to_excel({"Wide": widest}, tmp_path / "wide.xlsx"))
    assert cells(sheet)[1][-1] == 16_383
    with pytest.raises(fk.InvalidValue, match="has 1 rows and 16,385 columns"):
        fk.to_excel({"Wide": widest.rename_axis("pilot")}, tmp_path / "wider.xlsx")


def test_a_named_index_is_a_column_and_a_plain_one_is_none(tmp_path):
    hours = pd.DataFrame({"hours": [1.5]}, index=pd.Index(["Ada"], name="pilot_name"))
    path = fk.to_excel({"Hours": hours, "Plain": hours.reset_index()}, tmp_path / "hours.xlsx")
    assert cells(opened(path, "Hours")) == cells(opened(path, "Plain"))
    assert list(hours.columns) == ["hours"]  # the frame itself is left as it is


def test_an_index_of_two_names_is_two_columns_and_one_named_as_a_column_is_none():
    flights = pd.DataFrame({"pilot": ["Ada"], "month": ["2026-10"], "hours": [1.5]})
    for kept in (flights.set_index(["pilot", "month"]), flights.set_index("pilot", drop=False)):
        assert to_csv(kept).decode("utf-8-sig").split() == ["pilot,month,hours", "Ada,2026-10,1.5"]


@pytest.mark.parametrize(
    ("names", "sheets"),
    [
        (["late", "Late"], ["late", "Late 2"]),
        (["Late", "late"], ["Late", "late 2"]),
        (["a/b:c*d?e[f]g\\h"], ["a b c d e f g h"]),
        (["'quoted'", "", "History"], ["quoted", "Sheet", "History 2"]),
        (["x" * 40, "x" * 50], ["x" * 31, "x" * 29 + " 2"]),
        (["🚁" * 20], ["🚁" * 15]),  # each takes two of the 31
        (["a\x01b", "half \ud800"], ["a b", "half"]),
        (["x" * 30 + "'s"], ["x" * 30]),  # the 31st would be a quotation mark
    ],
)
def test_a_sheet_has_a_name_that_it_can_have_and_no_other_has(names, sheets):
    assert sheet_names(names) == sheets


def test_a_text_longer_than_a_cell_is_cut_and_said_to_be(tmp_path):
    frame = pd.DataFrame({"value": ["x" * 40_000, "short"]})
    with pytest.warns(fk.Notice, match=r"Sheet Long: texts longer than 32,767 .* are cut \(1\)"):
        path = fk.to_excel({"Long": frame}, tmp_path / "long.xlsx")
    assert [len(row[0]) for row in cells(opened(path))[1:]] == [32_767, 5]


@pytest.mark.parametrize(
    ("frames", "path", "says"),
    [
        ({}, "a.xlsx", "at least one frame"),
        ([pd.DataFrame()], "a.xlsx", "frames by name, not of list"),
        (pd.DataFrame(), "a.xlsx", "frames by name, not of DataFrame"),
        ({"a": [1]}, "a.xlsx", "Sheet 'a' is a list"),
        ({"a": pd.Series([1])}, "a.xlsx", r"is a Series, .* of a Series, series\.reset_index"),
        ({"a": pd.DataFrame()}, "a.csv", r"a\.csv is not the name of a workbook"),
        ({"a": pd.DataFrame(index=range(1_048_576))}, "a.xlsx", "holds 1,048,575 rows"),
    ],
)
def test_what_is_no_workbook_is_refused_in_words(tmp_path, frames, path, says):
    with pytest.raises(fk.InvalidValue, match=says):
        fk.to_excel(frames, tmp_path / path)
    assert [*tmp_path.iterdir()] == []


def test_an_empty_frame_is_a_sheet_with_a_head(tmp_path):
    frame = pd.DataFrame({"flight_id": pd.Series(dtype="str")})
    assert cells(opened(fk.to_excel({"None": frame}, tmp_path / "none.xlsx"))) == [["flight_id"]]


def test_a_frame_without_columns_is_an_empty_sheet_and_an_ending_in_capitals_is_one(tmp_path):
    path = fk.to_excel({"Nothing": pd.DataFrame(index=range(2))}, tmp_path / "NONE.XLSX")
    assert cells(opened(path)) in ([], [[None]])


def test_the_same_frames_give_the_same_bytes(tmp_path):
    frames = {"Hours": pd.DataFrame({"hours": [1.5, 2.5], "name": ["Ada", "Bo"]})}
    for name in ("one.xlsx", "two.xlsx"):
        workbook(frames, tmp_path / name, made=datetime(2026, 11, 1, tzinfo=UTC))
    assert (tmp_path / "one.xlsx").read_bytes() == (tmp_path / "two.xlsx").read_bytes()


def test_a_workbook_was_made_at_the_moment_that_is_given_in_utc(tmp_path):
    made = datetime(2026, 11, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    workbook({"Hours": pd.DataFrame({"hours": [1.5]})}, tmp_path / "hours.xlsx", made=made)
    created = openpyxl.load_workbook(tmp_path / "hours.xlsx").properties.created
    assert created.replace(tzinfo=None) == datetime(2026, 11, 1)


def test_a_file_that_its_user_closed_to_others_stays_closed(tmp_path):
    path, modes = tmp_path / "a.csv", []
    write_files({path: b"old"})
    path.chmod(0o640)
    write_files({path: lambda part: modes.append(part.stat().st_mode & 0o777)})
    assert [*modes, path.stat().st_mode & 0o777] == [0o640, 0o640]


def test_files_of_which_one_fails_leave_the_old_ones(tmp_path):
    (tmp_path / "a.csv").write_text("old")
    (tmp_path / "b.csv").mkdir()
    with pytest.raises(fk.FleetkitError, match=r"b\.csv can't be written"):
        write_files({tmp_path / "a.csv": b"new", tmp_path / "b.csv": b"new"})

    def fill(part):
        part.unlink()
        part.symlink_to("/dev/full")
        part.write_bytes(b"new")

    # A workbook keeps its rows in the temporary folder until it is whole.
    for name, there in (("a.csv", ""), ("a.xlsx", f" there and in {tempfile.gettempdir()}")):
        with pytest.raises(fk.FleetkitError, match=re.escape(f"or make room{there}.")):
            write_files({tmp_path / name: fill})
    assert (tmp_path / "a.csv").read_text() == "old"
    assert names(tmp_path) == ["a.csv", "b.csv"]


def test_whichever_line_ctrl_c_interrupts_all_files_are_old_or_all_are_new(tmp_path):
    files = [tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.csv"]

    def write():
        write_files(dict.fromkeys(files, b"new"))

    def as_before():
        for file, old in zip(files, (b"old", b"old", None), strict=True):
            file.write_bytes(old) if old else file.unlink(missing_ok=True)

    write()  # what pathlib remembers from the first time on is not run again
    as_before()
    for line in lines_of(write, "/export/files.py", "/pathlib"):
        as_before()
        assert isinstance(interrupt_at(line, write), KeyboardInterrupt)
        found = [file.read_bytes() if file.exists() else None for file in files]
        assert found in ([b"old", b"old", None], [b"new"] * 3), line
    assert sys.exc_info() == (None, None, None)  # which every later failure would begin with


def test_old_files_are_put_back_where_one_can_not_be_replaced(tmp_path):
    (tmp_path / "a.csv").write_text("old")

    def fill(part):
        (tmp_path / "b.csv").mkdir()
        part.write_text("new")

    files = {tmp_path / "a.csv": b"new", tmp_path / "b.csv": fill, tmp_path / "c.csv": b"new"}
    with pytest.raises(fk.FleetkitError, match=r"b\.csv can't be written: Is a directory"):
        write_files(files)
    assert (tmp_path / "a.csv").read_text() == "old"
    assert names(tmp_path) == ["a.csv", "b.csv"]


@pytest.mark.skipif(not locks.SUPPORTED, reason="without locks nothing is swept")
def test_what_a_killed_export_left_is_swept_by_the_next_and_nothing_else(tmp_path):
    others = [".a.csv.backup", ".b.csv.0a1b2c3d", "a.csv"]
    for name in (*others, ".a.csv.0a1b2c3d", ".a.csv.0a1b2c3d.old"):
        (tmp_path / name).write_text("half")
    write_files({tmp_path / "a.csv": b"new"})
    assert names(tmp_path) == others


@pytest.mark.skipif(not locks.SUPPORTED, reason="there are no locks to wait for")
def test_of_two_exports_at_once_one_waits_for_the_other(tmp_path):
    path, other = tmp_path / "a.csv", []

    def fill(part):
        other.append(threading.Thread(target=write_files, args=[{path: b"second"}]))
        other[0].start()
        other[0].join(0.2)
        assert (other[0].is_alive(), path.exists()) == (True, False)
        part.write_text("first")

    write_files({path: fill})
    other[0].join(30)
    assert path.read_text() == "second"


def test_a_file_that_would_be_larger_than_the_process_may_write_is_told_with_that_limit(tmp_path):
    resource = pytest.importorskip("resource")
    (tmp_path / "a.csv").write_text("old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(fk.FleetkitError, match=r"large\. Raise the limit.*\(ulimit -f\), or"):
            write_files({tmp_path / "a.csv": b"x" * 1001})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (tmp_path / "a.csv").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_a_folder_that_was_made_for_files_is_gone_again_where_none_is_whole(tmp_path):
    def fill(part):
        raise PermissionError(errno.EACCES, "no")

    said = r"hours\.csv can't be written: no\. Choose another folder\.$"
    with pytest.raises(fk.FleetkitError, match=said):
        write_files({tmp_path / "new" / "export" / "hours.csv": fill})
    assert list(tmp_path.iterdir()) == []


def test_whoever_exports_from_a_folder_that_is_deleted_is_told_to_go_to_another(
    tmp_path, monkeypatch
):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(fk.FleetkitError, match=r"directory\. The folder .* is gone; run it in ano"):
        write_files({Path("export/hours.csv"): b"hours"})
    write_files({tmp_path / "hours.csv": b"hours"})
    assert (tmp_path / "hours.csv").read_bytes() == b"hours"


def test_a_workbook_that_fails_half_way_leaves_the_old_one_and_no_rows(tmp_path, monkeypatch):
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(kept))
    path = fk.to_excel({"Hours": pd.DataFrame({"hours": [1.5]})}, tmp_path / "hours.xlsx")
    before = path.read_bytes()

    class Broken:
        def __str__(self):
            raise OSError(28, "No space left on device")

    with pytest.raises(fk.FleetkitError, match="No space left on device"):
        fk.to_excel({"Hours": pd.DataFrame({"hours": [Broken()]})}, path)
    assert path.read_bytes() == before
    assert sorted(tmp_path.rglob("*")) == [path, kept]


def test_a_workbook_that_the_disk_refuses_is_one_clear_line(tmp_path):
    name = "x" * 250 + ".xlsx"
    with pytest.raises(fk.FleetkitError, match=r"x\.xlsx can't be written: File name too long"):
        fk.to_excel({"Hours": pd.DataFrame({"hours": [1.5]})}, tmp_path / name)
    assert [*tmp_path.iterdir()] == []


def test_parquet_keeps_types_and_is_read_without_pandas():
    import pyarrow.parquet as pq

    frame = pd.DataFrame(
        {
            "flight_date": pd.to_datetime(["2026-10-01T09:00Z"]).as_unit("us"),
            "flight_type": pd.Categorical(["TRAINING"]),
            "duration_seconds": pd.Series([None], dtype="Int64"),
        }
    )
    table = pq.read_table(BytesIO(to_parquet(frame)))
    kinds = {field.name: str(field.type) for field in table.schema}
    assert list(kinds) == list(frame)  # nothing that only pandas would read as an index
    assert kinds["flight_date"] == "timestamp[us, tz=UTC]"
    assert kinds["flight_type"] in {"string", "large_string"}
    assert kinds["duration_seconds"] == "int64"
    assert table["duration_seconds"].null_count == 1


def test_a_take_off_is_a_point_with_the_flight_s_columns():
    flights = pd.DataFrame(
        {
            "flight_id": ["fl_1", "fl_2"],
            "flight_date": pd.to_datetime(["2026-10-01T09:00Z"] * 2),
            "takeoff_lat": [59.91, 0.0],
            "takeoff_lng": [10.75, 0.0],
            "bvlos": pd.Series([None, True], dtype="boolean"),
            "logged": date(2026, 10, 2),
        }
    )
    [feature] = json.loads(to_geojson(flights))["features"]
    assert feature["geometry"] == {"type": "Point", "coordinates": [10.75, 59.91]}
    assert feature["id"] == "fl_1"
    assert feature["properties"] == {
        "flight_id": "fl_1",
        "flight_date": "2026-10-01T09:00:00Z",
        "bvlos": None,
        "logged": "2026-10-02",
    }


def test_only_where_equator_and_meridian_cross_there_is_no_position_and_poles_have_one():
    places = [(0.0, 0.0), (0.0, 10.75), (59.91, 0.0), (90.0, 0.0), (-90.0, 180.0), (90.1, 0.0)]
    flights = pd.DataFrame(places, columns=["takeoff_lat", "takeoff_lng"])
    assert without_position(flights).tolist() == [True, False, False, False, False, True]


@pytest.mark.parametrize("text", ["half \ud800", "\x00", "_x0041_", "🚁", "\u202eabc"])
def test_an_odd_text_is_written_in_every_format(tmp_path, text):
    frame = pd.DataFrame({"title": pd.Series([text], dtype="object")})
    whole = text.replace("\ud800", "?")
    assert pd.read_parquet(BytesIO(to_parquet(frame)))["title"].tolist() == [whole]
    assert whole in to_csv(frame).decode("utf-8-sig")
    [_, [written]] = cells(opened(fk.to_excel({"Odd": frame}, tmp_path / "odd.xlsx")))
    assert openpyxl.utils.escape.unescape(written) == whole
    placed = frame.assign(flight_id="fl_1", takeoff_lat=59.91, takeoff_lng=10.75)
    assert json.loads(to_geojson(placed))["features"][0]["properties"]["title"] == whole


def test_heads_of_several_levels_are_one_line_in_every_format(tmp_path):
    frame = pd.DataFrame({("pilot", ""): ["Ada"], ("hours", "2026-11"): [2.5]})
    heads = ["pilot", "hours / 2026-11"]
    assert list(pd.read_csv(BytesIO(to_csv(frame))).columns) == heads
    assert list(pd.read_parquet(BytesIO(to_parquet(frame))).columns) == heads
    assert cells(opened(fk.to_excel({"Hours": frame}, tmp_path / "hours.xlsx")))[0] == heads


def test_values_of_several_kinds_are_text_in_parquet_and_typed_in_a_workbook(tmp_path):
    types = pd.Categorical(["DRONE", "DRONE", "CAMERA"])
    frame = pd.DataFrame({"value": ["a", 1, 2.5], "type": types, "hours": [1.5, 2.5, 3.5]})
    read = pd.read_parquet(BytesIO(to_parquet(frame)))
    assert read["value"].tolist() == ["a", "1", "2.5"]
    assert [str(kind) for kind in read.dtypes] == ["str", "str", "float64"]
    sheet = opened(fk.to_excel({"Values": frame}, tmp_path / "values.xlsx"))
    assert [row[0] for row in cells(sheet)[1:]] == ["a", 1, 2.5]


def test_moments_beyond_the_end_of_the_calendar_are_its_last_second(tmp_path):
    moments = ["9999-12-31T23:30Z", "2200-01-01T01:00Z", "9999-12-31T00:00Z", "0001-01-01T00:00Z"]
    frame = pd.DataFrame({"seen": pd.to_datetime(moments)})
    frame.attrs["tz"] = "Pacific/Auckland"
    sheet = opened(fk.to_excel({"Seen": frame}, tmp_path / "seen.xlsx"))
    assert [row[0] for row in cells(sheet)] == [
        "seen (Pacific/Auckland)",
        datetime(9999, 12, 31, 23, 59, 59),  # 12:30 on the next day
        datetime(2200, 1, 1, 14),
        datetime(9999, 12, 31),  # a date
        "0001-01-01T11:39:04",  # which Excel has no number for
    ]


def test_moments_that_their_own_zone_has_no_calendar_for_are_in_utc(tmp_path):
    seen = pd.Series(pd.to_datetime(["9999-12-31T23:30Z"])).dt.tz_convert("Europe/Oslo")
    sheet = opened(fk.to_excel({"Seen": pd.DataFrame({"seen": seen})}, tmp_path / "seen.xlsx"))
    assert cells(sheet) == [["seen (UTC)"], [datetime(9999, 12, 31, 23, 30)]]


def test_no_take_offs_are_an_empty_collection():
    flights = pd.DataFrame({"flight_id": [], "takeoff_lat": [], "takeoff_lng": []}, dtype="float64")
    assert json.loads(to_geojson(flights)) == {"type": "FeatureCollection", "features": []}
