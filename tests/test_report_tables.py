"""Tables of the HTML report where scripts run: sorted, filtered, and taken along as CSV."""

import csv
import io
import re
from io import BytesIO
from unicodedata import normalize

import pandas as pd
import pytest
from a_section import ABOUT, loaded, section, table
from pypdf import PdfReader

from fleetkit.export import to_csv
from fleetkit.reports import Section, render
from fleetkit.reports.tabulating import as_data, from_data, tabulated

pytestmark = pytest.mark.slow

LONG_NAME = "Inspection of the northern breakwater and its lights, " * 3
DAYS = pd.to_datetime(["2026-10-09", "2025-12-31", None, "2026-01-02"], utc=True)
# Sorted as texts, 10 stands before 9, "Ä" after "z", and 9 Oct after 2 Jan.
FOUR = pd.DataFrame(
    {
        "name": ["zebra", "Äpple", "apple", '=HYPERLINK("x")'],
        "hours": [9.25, 10.0, None, -1.5],
        "seen": DAYS,
    }
)
TWELVE = pd.DataFrame({"name": [f"Kestrel {n}" for n in range(1, 13)], "flights": 50})
# What a template of one's own may hold before all others.
OWN = '<div class="block" id="own"><table><tbody><tr><td>1</td></tr></tbody></table></div>'
TABLES = """() => [...document.querySelectorAll("h3")]
  .map((head) => head.firstChild.textContent.trim())
  .filter((title) => document.querySelector(`[aria-label="CSV of the rows of ${title}"]`))"""


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("name", "equipment_id"),
        ("name", "service_id"),
        ("title", "project_id"),
        ("project_title", "project_id"),
        ("pilot_name", "pilot_id"),
        ("service", "service_id"),
        ("tier", "tier_id"),
        ("tier_name", "tier_id"),
    ],
)
def test_a_row_without_a_name_has_its_id_and_the_data_stay_as_they_are(name, key):
    frame = pd.DataFrame({key: ["a", "b", None], name: ["Kestrel", " ", None], "hours": 1.0})
    shown = tabulated(frame, {name: "Name", "hours": "Hours"}, name="some")
    assert [row["texts"][0] for row in shown["rows"]] == ["Kestrel", "b", "–"]
    assert from_data(as_data(frame))[name].tolist()[:2] == ["Kestrel", " "]
    unknown = tabulated(frame[[name, "hours"]], None, name="some")
    assert [row["values"][0] for row in unknown["rows"]] == ["Kestrel", " ", None]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("name", "equipment_id"),
        ("title", "project_id"),
        ("pilot_name", "pilot_id"),
        ("service", "service_id"),
    ],
)
def test_namesakes_have_their_ids_too_also_where_only_one_of_them_is_shown(name, key):
    names = ["Kim", "Kim ", "Kim", "Åsa", "A\u030asa"]  # the last two look alike, too
    frame = pd.DataFrame({key: ["a", "b", "a", "c", "d"], name: names})
    shown = tabulated(frame, {name: "Name"}, name="some", limit=5)
    texts = [" ".join(normalize("NFC", row["texts"][0]).split()) for row in shown["rows"]]
    assert texts == ["Kim (a)", "Kim (b)", "Kim (a)", "Åsa (c)", "Åsa (d)"]
    assert tabulated(frame, {name: "Name"}, name="some", limit=1)["rows"] == shown["rows"][:1]


def test_a_namesake_that_a_table_lacks_is_known_from_the_records_that_were_checked(tmp_path):
    made = Section("projects", title="Projects", out=tmp_path)
    titles = {"a": "Roof", "b": "Roof", "c": "Quarry", "d": "Quarry"}
    projects = pd.DataFrame({"project_id": [*titles], "title": [*titles.values()]})
    made.check("projects", projects.assign(status=["DRAFT", "DRAFT", "DRAFT", "COMPLETED"]))
    made.table("late", projects.iloc[1:3], title="Late", columns={"title": "Project"})
    assert table(loaded(made), "late") == [["Roof (b)"], ["Quarry"]]


def test_a_namesake_among_all_flights_is_not_known_whatever_engine_counts_them(tmp_path):
    made = Section("flight_hours", title="Flights", out=tmp_path)
    pilots = pd.DataFrame({"pilot_id": ["a", "b"], "pilot_name": "Kim", "flight_type": "TRAINING"})
    made.check("flights", pilots)
    made.table("pilots", pilots.head(1), title="Pilots", columns={"pilot_name": "Pilot"})
    assert table(loaded(made), "pilots") == [["Kim"]]


def test_each_service_may_have_a_tier_of_the_same_name():
    frame = pd.DataFrame({"tier_id": ["a", "b"], "tier": ["Basic", "Basic"]})
    shown = tabulated(frame, {"tier": "Tier"}, name="some")
    assert [row["texts"][0] for row in shown["rows"]] == ["Basic", "Basic"]


def test_a_specification_that_several_pieces_of_equipment_have_is_no_namesake():
    of_two = {"equipment_id": ["a", "b"], "name": "capacity", "value": ["5 Ah", "6 Ah"]}
    shown = tabulated(pd.DataFrame(of_two), {"name": "Specification"}, name="some")
    assert [row["texts"] for row in shown["rows"]] == [["capacity"], ["capacity"]]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (pd.Series(["Kestrel", " ", None], dtype="category"), ["Kestrel", "b", "c"]),
        (pd.Series([7, 8, None], dtype="Int64"), ["7", "8", "c"]),
    ],
    ids=["categories", "numbers"],
)
def test_names_may_be_categories_or_numbers(names, expected):
    frame = pd.DataFrame({"pilot_id": ["a", "b", "c"], "pilot_name": names})
    shown = tabulated(frame, {"pilot_name": "Pilot"}, name="some")
    assert [row["texts"][0] for row in shown["rows"]] == expected


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    made = section(tmp_path_factory.mktemp("tables"), text=LONG_NAME)
    made.table("four", FOUR, title="Four", sums=["hours"])
    made.table("twelve", TWELVE, title="Twelve", sums=["flights"])
    main = '<main id="_content">'
    return render.html(ABOUT, [loaded(made)]).replace(main, f"{main}{OWN}")


@pytest.fixture(scope="module")
def watched(browser):
    """Return a page, and what is asked for and goes wrong there."""
    page, seen = browser.new_page(), []
    page.on("console", lambda message: seen.append(message.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("request", lambda request: seen.append(request.url))
    yield page, seen
    page.close()


@pytest.fixture
def shown(watched, html, tmp_path):
    """Return the report as a browser shows it that runs scripts; nothing may go wrong there."""
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    page, seen = watched
    seen.clear()
    page.goto(path.as_uri())
    yield page
    assert seen == [path.as_uri()]


def block(page, title):
    return page.locator(".block", has=page.locator("h3", has_text=re.compile(f"^{title} ")))


def column(page, title, number):
    """Return the texts of a table's column that are seen, from the top."""
    cells = block(page, title).locator(f"tbody tr:visible > :nth-child({number})")
    return [text.strip() for text in cells.all_inner_texts()]


def press(page, title, head):
    block(page, title).get_by_role("button", name=head, exact=True).click()


def sorting(page, title):
    heads = block(page, title).locator("thead th")
    return [head.get_attribute("aria-sort") for head in heads.all()]


def test_a_table_without_title_and_head_stays_as_it_is_and_the_others_can_be_sorted(shown):
    assert shown.locator("#own button").count() == 0
    assert shown.locator(".block:not(#own) button.csv").count() == 3


def test_numbers_are_sorted_by_their_value_largest_first_and_totals_stay_last(shown):
    press(shown, "Four", "Hours")
    assert column(shown, "Four", 2) == ["10.0", "9.3", "−1.5", "–", "17.8"]
    assert sorting(shown, "Four") == [None, "descending", None]


def test_what_is_blank_stands_last_either_way(shown):
    press(shown, "Four", "Hours")
    press(shown, "Four", "Hours")
    assert column(shown, "Four", 2) == ["−1.5", "9.3", "10.0", "–", "17.8"]
    assert sorting(shown, "Four") == [None, "ascending", None]


def test_names_are_sorted_as_they_are_read_and_days_by_the_calendar(shown):
    press(shown, "Four", "Name")
    assert column(shown, "Four", 1)[1:4] == ["apple", "Äpple", "zebra"]
    press(shown, "Four", "Seen")
    assert column(shown, "Four", 3)[:4] == ["31 Dec 2025", "2 Jan 2026", "9 Oct 2026", "–"]
    assert sorting(shown, "Four") == [None, None, "ascending"]


def test_the_keyboard_sorts_too(shown):
    block(shown, "Four").get_by_role("button", name="Hours", exact=True).focus()
    shown.keyboard.press("Enter")
    assert column(shown, "Four", 2)[:2] == ["10.0", "9.3"]


def test_a_table_of_ten_rows_and_more_is_filtered_and_then_shows_no_totals(shown):
    assert block(shown, "Four").get_by_role("searchbox").count() == 0
    assert column(shown, "Twelve", 1)[-1] == "Total"
    box = block(shown, "Twelve").get_by_role("searchbox", name="Filter rows of Twelve")
    box.fill("kestrel 1")
    assert column(shown, "Twelve", 1) == ["Kestrel 1", "Kestrel 10", "Kestrel 11", "Kestrel 12"]
    assert block(shown, "Twelve").get_by_role("status").inner_text() == "4 of 12 rows"
    box.fill("")
    assert len(column(shown, "Twelve", 1)) == 13


def saved(page, title):
    with page.expect_download() as download:
        block(page, title).get_by_role("button", name=f"CSV of the rows of {title}").click()
    assert download.value.suggested_filename == f"{title}.csv"
    content = download.value.path().read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_the_csv_holds_values_not_what_is_rounded_and_no_formula(shown):
    assert saved(shown, "Four") == [
        ["Name", "Hours", "Seen"],
        ["zebra", "9.25", "2026-10-09T00:00:00+00:00"],
        ["Äpple", "10", "2025-12-31T00:00:00+00:00"],
        ["apple", "", ""],
        ['\'=HYPERLINK("x")', "-1.5", "2026-01-02T00:00:00+00:00"],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "=1",
        " -1",
        "＝1",
        "\tRoof",
        "'=1",
        "''+1",
        "'Roof",
        "9 − 1",
        "a;=B(1)",
        "a;\t'-1;'+b|'c'",
        "a;-1",
    ],
)
def test_a_text_is_the_same_in_the_csv_of_a_page_and_in_that_of_an_export(shown, text):
    exported = to_csv(pd.DataFrame({"title": [text]})).decode("utf-8-sig").split("\r\n")[1]
    assert shown.evaluate("escaped", text) == exported


def test_the_csv_holds_the_rows_that_are_seen_in_their_order_and_whole_names(shown):
    block(shown, "Twelve").get_by_role("searchbox").fill("11")
    assert saved(shown, "Twelve")[1:] == [["Kestrel 11", "50"]]
    assert saved(shown, "Names") == [["Name"], [LONG_NAME.strip()]]


def test_a_text_with_a_long_word_is_whole_in_the_csv_which_bears_the_whole_title(browser, tmp_path):
    name, title = f"Roof of LP{'-2026' * 9}$& in Oslo", "Überlandleitungsinspektionen by month"
    made = section(tmp_path)
    made.table("long", pd.DataFrame({"name": [name]}), title=title)
    page = browser.new_page()
    page.set_content(render.html(ABOUT, [loaded(made)]))
    assert saved(page, title) == [["Name"], [name]]
    page.close()


def test_without_scripts_there_is_nothing_to_press_and_on_paper_neither(browser, html):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(html)
    assert page.get_by_role("button").count() == 0
    assert column(page, "Four", 2) == ["9.3", "10.0", "–", "−1.5", "17.8"]
    context.close()
    page = browser.new_page()
    page.set_content(html)
    assert page.locator(".tools").count() == len(page.evaluate(TABLES)) == 3
    page.emulate_media(media="print")
    assert page.locator(".tools:visible").count() == 0
    drawn = page.locator("thead button").first.evaluate("(head) => getComputedStyle(head).border")
    assert drawn.startswith("0px none")  # on paper a head is a head, not a button
    page.close()


def test_on_paper_heads_stand_on_every_page_and_a_line_of_attention_names_its_chapter(
    browser, tmp_path
):
    made = section(tmp_path)
    made.attention("Kestrel is lost", "high")
    made.table("all", pd.DataFrame({"name": ["Kestrel"] * 99}), title="All", limit=99)
    page = browser.new_page()
    page.set_content(render.html(ABOUT, [loaded(made)]))
    texts = [sheet.extract_text() for sheet in PdfReader(BytesIO(page.pdf())).pages]
    page.close()
    assert re.findall(r"Kestrel is lost\s+(.*)", texts[0]) == ["Flight hours"]
    listed = [text for text in texts[1:] if "Kestrel" in text]
    assert len(listed) > 2
    assert [text for text in listed if "Name" not in text.splitlines()] == []


def test_no_other_script_runs(browser, html):
    page = browser.new_page()
    page.set_content(html.replace("</body>", "<script>window.ran = true</script></body>"))
    assert page.evaluate("window.ran") is None
    page.close()
