"""The data beside a report: all rows of what it shows, of whom it is about, and of nobody else."""

import hashlib
import json
import re
import zipfile
from datetime import date, datetime
from html import unescape

import openpyxl
import pandas as pd
import pytest
from conftest import TINY, a_flight, a_project, synced
from hypothesis import given, settings
from hypothesis import strategies as st

import fleetkit as fk
from fleetkit.export.excel import workbook
from fleetkit.reports.tabulating import as_data, from_data

pytestmark = pytest.mark.usefixtures("warm_kernels")

OURS, THEIRS = "Lyngfjord Nett", "Halmarsh Water"
# 18 projects of ours are late, of which the page shows 15; and one of theirs.
LATE = {"status": "SCHEDULED", "scheduledDate": "2026-09-30T22:30:00.000Z"}


def records():
    """Return TINY with more late projects, and a flight and a late project of another client."""
    theirs = a_project("proj_theirs", title="Their mast", clientAccountName=THEIRS, **LATE)
    flight = a_flight("fl_theirs", "2026-10-05T09:00:00.000Z", project={"id": "proj_theirs"})
    ours = [a_project(f"proj_late_{n}", title=f"=LATE({n})", **LATE) for n in range(18)]
    return {
        **TINY,
        "projects": [*TINY["projects"], *ours, theirs],
        "flights": [*TINY["flights"], flight],
        "flight_equipment": [*TINY["flight_equipment"], ("fl_theirs", "eq_kestrel")],
    }


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    """Return where the report of our October is, as Oslo's clocks have it."""
    folder = tmp_path_factory.mktemp("data")
    mirror = synced(records(), folder / "mirror")
    fleet = fk.open_mirror(mirror, tz="Europe/Oslo").where(client=OURS, category="MULTIROTOR")
    return fk.report("2026-10", fleet=fleet, out=folder, formats=["html"], data=True)


@pytest.fixture(scope="module")
def book(paths):
    return openpyxl.load_workbook(paths.data / "report.xlsx")


def rows(sheet):
    return [[*row] for row in sheet.iter_rows(values_only=True)]


@pytest.mark.slow
def test_a_table_that_the_page_cuts_is_whole_in_the_data(paths):
    html = paths.html.read_text(encoding="utf-8")
    [(more, link)] = re.findall(r'And (\d+) more, in <a class="file" href="([^"]*late[^"]*)"', html)
    late = pd.read_csv(paths.html.parent / link)
    assert (more, len(late)) == ("3", 18)
    assert set(late["client_account_name"]) == {OURS}


@pytest.mark.slow
def test_the_report_of_one_client_leaves_out_what_would_tell_of_others(paths):
    page = paths.html.read_text(encoding="utf-8")
    record = json.loads(paths.manifest.read_text(encoding="utf-8"))
    assert [section["name"] for section in record["sections"]] == [
        "flight_hours",
        "project_pipeline",
        "data_quality",
    ], "a chapter of every report that can be narrowed to one client is named here"
    assert (record["left_out"], [line["title"] for line in record["outside_filter"]]) == (
        [],
        ["Equipment condition", "Pricing"],
    )
    assert "Equipment condition: it can't be narrowed to one client" in unescape(page)
    assert "not looked at: Equipment condition" in page
    assert "egistration" not in page[: page.index('id="_definitions"')]


@pytest.mark.slow
def test_every_file_of_the_data_stands_in_the_manifest_with_its_checksum(paths):
    files = json.loads(paths.manifest.read_text(encoding="utf-8"))["files"]
    written = [path for path in paths.data.rglob("*") if path.is_file()]
    assert len(written) > 15
    for path in written:
        checksum = hashlib.sha256(path.read_bytes()).hexdigest()
        assert files[path.relative_to(paths.html.parent).as_posix()] == checksum


@pytest.mark.slow
def test_every_link_to_the_data_leads_to_a_file(paths):
    html = paths.html.read_text(encoding="utf-8")
    links = set(re.findall(r'class="file" href="([^"]*)"', html))
    assert {"data/report.xlsx", "data/flights.parquet"} <= links
    assert [link for link in links if not (paths.html.parent / link).is_file()] == []


@pytest.mark.slow
def test_nothing_of_another_client_is_in_the_data(paths):
    files = [path for path in paths.data.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".csv", ".parquet", ".xlsx"}
    for path in files:
        texts = [path.read_bytes()]
        if path.suffix == ".xlsx":
            book = zipfile.ZipFile(path)
            texts = [book.read(name) for name in book.namelist()]
        if path.suffix == ".parquet":
            texts = [pd.read_parquet(path).to_csv().encode()]
        hidden = (THEIRS, "Their mast", "proj_theirs", "fl_theirs")
        assert [name for name in hidden for text in texts if name.encode() in text] == []


@pytest.mark.slow
def test_the_flights_are_those_of_the_period_and_of_the_filter(paths):
    flights = pd.read_parquet(paths.data / "flights.parquet")
    assert flights["flight_id"].tolist() == ["fl_1", "fl_2"]
    assert str(flights["flight_date"].dtype) == "datetime64[us, UTC]"


@pytest.mark.slow
def test_the_rows_of_a_chart_have_counts_and_hours_of_the_day_as_whole_numbers(paths):
    # Both flights of ours took off on a Thursday: at 11:00 for half an hour, at 12:00 for an hour.
    text = (paths.data / "flight_hours" / "by_weekday.csv").read_text(encoding="utf-8-sig")
    assert text.split() == ["weekday,hour,flights,hours", "4,11,1,0.5", "4,12,1,1.0"]


@pytest.mark.slow
def test_key_figures_that_count_are_whole_numbers_beside_hours(paths):
    text = (paths.data / "key_figures.csv").read_text(encoding="utf-8-sig")
    values = dict(line.split(",")[1:3] for line in text.splitlines())
    assert [values[name] for name in ("Flights", "Hours")] == ["2", "1.5"]


@pytest.mark.slow
def test_the_workbook_lists_its_sheets_and_holds_what_the_csv_files_do(paths, book):
    contents = rows(book["Contents"])
    assert contents[0] == ["sheet", "chapter", "title", "caption", "rows", "file"]
    listed = {row[-1]: (row[0], row[4]) for row in contents[1:]}
    files = {path.relative_to(paths.html.parent).as_posix() for path in paths.data.rglob("*.csv")}
    assert set(listed) == files
    assert book.sheetnames == [
        "About",
        "Contents",
        *(row[0] for row in contents[1:]),
        "Definitions",
    ]
    for file, (sheet, count) in listed.items():
        csv = pd.read_csv(paths.html.parent / file)
        assert (len(csv), book[sheet].max_row) == (count, count + 1)
    terms = {row[0] for row in rows(book["Definitions"])}
    assert {"Late", "Change"} & terms


@pytest.mark.slow
def test_moments_are_oslo_s_and_text_is_no_formula_in_the_workbook(book):
    [head, first, *_] = rows(book["late"])
    late = dict(zip(head, first, strict=True))
    assert late["scheduled_date (Europe/Oslo)"].isoformat() == "2026-10-01T00:30:00"
    titles = {row[head.index("title")] for row in rows(book["late"])[1:]}
    assert "=LATE(3)" in titles
    kinds = {cell.data_type for row in book["late"].iter_rows() for cell in row}
    assert "f" not in kinds


@pytest.mark.slow
def test_what_needs_attention_is_told_without_the_number_that_it_is_ordered_by(paths):
    lines = pd.read_csv(paths.data / "needs_attention.csv")
    assert list(lines) == ["chapter", "severity", "text", "who", "when", "count"]
    assert len(lines) > 0


@pytest.mark.slow
def test_the_first_sheet_says_what_the_data_are_of(book):
    about = dict(rows(book["About"])[1:])
    assert about["Time zone"] == "Europe/Oslo"
    assert about["Filter"] == f"category = MULTIROTOR, client = {OURS}"
    assert about["From"] == "1 Oct 2026"


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.none() | st.text(max_size=5),
            st.none() | st.integers(-(2**40), 2**40),
            st.floats(allow_infinity=False),
            st.none() | st.booleans(),
            st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1)),
            st.none() | st.dates(),
        ),
        max_size=4,
    )
)
def test_a_frame_is_the_same_after_its_way_through_a_section_s_data(values):
    names = ["text", "count", "hours", "bvlos", "seen", "day"]
    frame = pd.DataFrame(values, columns=names, dtype="object")
    kinds = {"text": "str", "count": "Int64", "hours": "float64", "bvlos": "boolean"}
    frame = frame.astype({**kinds, "seen": "datetime64[us]"})
    frame["seen"] = frame["seen"].dt.tz_localize("UTC")
    frame.attrs["tz"] = "Europe/Oslo"
    again = from_data(as_data(frame))
    is_of_days = frame["day"].notna().any()
    pd.testing.assert_frame_equal(again, frame if is_of_days else frame.assign(day=again["day"]))
    assert again.attrs == {"tz": "Europe/Oslo"}


def test_a_day_is_a_day_again_and_a_closed_set_its_texts():
    frame = pd.DataFrame({"day": [date(2026, 10, 5), None], "type": pd.Categorical(["A", "B"])})
    frame["lapses"] = pd.to_datetime(frame["day"])  # without a zone
    again = from_data(as_data(frame))
    assert again["lapses"].equals(frame["lapses"])
    assert again["day"].tolist() == [date(2026, 10, 5), None]
    assert again["type"].tolist() == ["A", "B"]


def test_moments_of_a_chart_s_rows_are_in_the_workbook_as_the_fleet_s_clocks_show_them(tmp_path):
    idle = pd.DataFrame({"name": ["Kestrel"], "idle_days": [7]})
    idle["last_flight"] = pd.to_datetime(["2026-09-30T14:45Z"])
    idle.attrs["tz"] = "Pacific/Kiritimati"
    section = fk.reports.Section("condition", title="Condition", out=tmp_path)
    section.figure("idle", fk.charts.idle(idle), title="Idle", alt="Bars: days")
    data = section.save().parent / "data/idle.json"
    workbook({"idle": from_data(data.read_text(encoding="utf-8"))}, tmp_path / "report.xlsx")
    [head, row] = rows(openpyxl.load_workbook(tmp_path / "report.xlsx")["idle"])
    shown = dict(zip(head, row, strict=True))
    assert shown["last_flight (Pacific/Kiritimati)"] == datetime(2026, 10, 1, 4, 45)
