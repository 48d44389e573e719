"""The PDF: page numbers that are right, an outline, a language, words that can be found."""

import re
import sys
from datetime import UTC, datetime
from html import escape
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from a_section import ABOUT, loaded, section, with_labels
from long_names import NAMES, page
from matplotlib.figure import Figure
from pypdf import PdfReader

from fleetkit import language
from fleetkit.errors import ReportError
from fleetkit.reports import render
from fleetkit.reports.accessible import _with_colours, check_installed, tagged_pdf
from fleetkit.reports.last_rows import with_last_rows_together
from fleetkit.reports.pdf import MOST_CODES, pdf, shorter, without_glyph
from fleetkit.reports.templates import Templates
from fleetkit.reports.widths import fits_half, label_lines, shares, type_size

MADE = datetime(2026, 11, 1, 6, tzinfo=UTC)
LONG = pd.DataFrame({"aircraft": [f"Kestrel {n}" for n in range(120)], "hours": 1.5})


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    long = section(tmp_path_factory.mktemp("sections"))
    long.table("long", LONG, title="Every aircraft", limit=120)
    other = section(tmp_path_factory.mktemp("others"), "pricing", title="Pricing & tiers")
    return render.html(ABOUT, [loaded(long), loaded(other)])


@pytest.fixture(scope="module")
def document(html):
    return PdfReader(BytesIO(pdf(html, made=MADE)[0]))


def texts(document):
    return [page.extract_text() for page in document.pages]


def pages_with(document, words):
    """Return the pages, from 1, that hold some words: at least one."""
    pages = [number for number, text in enumerate(texts(document), 1) if words in text]
    assert pages, words
    return pages


def page_of(document, heading):
    """Return the page, from 1, where the heading has a line of its own."""
    pages = [
        number
        for number, text in enumerate(texts(document), 1)
        if re.search(rf"^{heading}( \d+)?$", text, re.MULTILINE)
    ]
    return pages[0]


@pytest.mark.slow
@pytest.mark.parametrize("heading", ["Flight hours", "Pricing & tiers", "About this report"])
def test_the_first_page_names_the_page_on_which_a_chapter_begins(document, heading):
    named = re.search(rf"{heading}\s+(\d+)", texts(document)[0])
    assert int(named[1]) == page_of(document, heading)


@pytest.mark.slow
def test_the_outline_leads_to_chapters_and_what_is_in_them(document):
    titles = [entry if isinstance(entry, list) else entry.title for entry in document.outline]
    assert [title for title in titles if isinstance(title, str)] == [
        "Needs attention",
        "Flight hours",
        "Pricing & tiers",
        "About this report",
    ]
    assert [entry.title for entry in document.outline[1]] == ["By month", "By month"]
    assert [entry.title for entry in document.outline[3]] == ["Names", "Every aircraft"]


def test_language_and_title_are_set_for_those_who_listen(document):
    root = document.trailer["/Root"]
    assert root["/Lang"] == "en-GB"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"] == True  # noqa: E712 - a PDF boolean
    assert document.metadata.title == "Nordic Drone Services · Fleet report · October 2026"


@pytest.mark.slow
def test_words_and_figures_can_be_searched(document):
    assert "3.5 hours in 4 flights." in " ".join(texts(document)[0].split())
    assert not [text for text in texts(document) if "\ufffd" in text]


@pytest.mark.slow
def test_a_table_over_several_pages_repeats_its_head_and_loses_no_row(document):
    pages = [text for text in texts(document) if "Kestrel " in text]
    rows = [int(number) for text in pages for number in re.findall(r"Kestrel (\d+)", text)]
    assert sorted(set(rows)) == list(range(120))
    assert [
        text for text in pages[1:] if re.search(r"Kestrel \d", text) and "Aircraft" not in text
    ] == []


@pytest.mark.slow
def test_the_head_of_a_page_names_a_period_of_two_months_whole(tmp_path):
    heading = "Fleet report · 1 October – 25 November 2026, so far"
    about = {**ABOUT, "heading": heading}
    made = section(tmp_path)
    made.table("long", LONG, title="Every aircraft", limit=120)
    [_, *others] = texts(PdfReader(BytesIO(pdf(render.html(about, [loaded(made)]), made=MADE)[0])))
    assert others
    assert all(heading in text for text in others)


@pytest.mark.slow
def test_totals_and_the_count_of_the_rest_follow_two_rows_of_their_table(tmp_path):
    made = section(tmp_path)
    for count in range(20, 32):
        title = {"title": f"{count} aircraft", "limit": count - 1}
        made.table(f"of_{count}", LONG.head(count), **title, sums=["hours"])
    pages = texts(PdfReader(BytesIO(pdf(render.html(ABOUT, [loaded(made)]), made=MADE)[0])))
    above = [re.findall(r"(.*)\n(.*)\nTotal.*\nAnd 1 more", page) for page in pages]
    assert [row for rows in above for pair in rows for row in pair if "Kestrel" not in row] == []
    assert sum(map(len, above)) == 12


@pytest.mark.slow
def test_the_box_of_a_missing_section_is_on_the_page_of_its_heading():
    problems = ["KeyError " + "again " * (13 * n % 90) for n in range(40)]
    gaps = [{"name": f"s{n}", "title": f"Part {n}", "gap": gap} for n, gap in enumerate(problems)]
    pages = texts(PdfReader(BytesIO(pdf(render.html(ABOUT, gaps), made=MADE)[0])))[1:]
    headings = [len(re.findall(r"^Part \d+$", page, re.MULTILINE)) for page in pages]
    assert sum(headings) == 40
    assert [page.count("This section is missing.") for page in pages] == headings


# Of a table whose numbers lack room, the type is smaller.
@pytest.mark.parametrize("table", ["<table>", '<table style="--type:7.1pt">'])
def test_two_rows_stay_with_the_totals_and_the_count_of_the_rest(table):
    rows = "".join(f"<tr><td>{place}</td></tr>" for place in range(5))
    table = (
        f"{table}<colgroup></colgroup><thead><tr><th >Hours</th></tr></thead><tbody>"
        f'{rows}<tr class="total"><td>10</td></tr></tbody></table></div>'
    )
    # Two rows and the total; with the caption a row more.
    for caption, count in (("", 3), ('<p class="caption">3 more</p>', 4)):
        together = with_last_rows_together(table + caption)
        assert f'<tr><td>3</td><td class="span" rowspan="{count}"></td></tr>' in together
    # The caption is the last row, as wide as the table: one column.
    last = '<tr><td class="caption rest" colspan="1">3 more</td></tr></tbody></table></div>'
    assert together.endswith(f'<tr class="total"><td>10</td></tr>{last}')


def test_a_table_without_rows_is_printed_as_it_is():
    table = "<table><colgroup></colgroup><tbody></tbody></table></div>"
    assert with_last_rows_together(table) == table


@pytest.mark.slow
def test_the_same_html_gives_the_same_bytes(html):
    assert pdf(html, made=MADE) == pdf(html, made=MADE)


def test_its_date_is_the_date_given(document):
    assert document.metadata.creation_date == MADE


@pytest.mark.slow
def test_a_letter_that_no_font_has_is_named_and_noted(tmp_path):
    html = render.html(ABOUT, [loaded(section(tmp_path, text="Ωμέγα \U0001fa00"))])
    data, missing = pdf(html, made=MADE)
    assert missing == ["\U0001fa00"]
    assert "U+1FA00" in " ".join(texts(PdfReader(BytesIO(data)))).replace("\n", " ")


def test_the_letters_of_europe_are_in_the_fonts_of_the_report():
    assert (
        without_glyph("<p>ÀÉÎÕÜ ßæøå ąčęłńőřšţůž İğ Ψυχή Жук Ђорђе Việt €£₴ – — “” … × ≤ ▲</p>")
        == []
    )


def test_what_weasyprint_prints_where_a_library_is_missing_is_not_on_stdout(
    monkeypatch, tmp_path, capsys
):
    (tmp_path / "weasyprint.py").write_text(
        "print('See the manual.')\nraise OSError('no libpango')"
    )
    monkeypatch.delitem(sys.modules, "weasyprint", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ReportError, match="lacks a library of the system: no libpango"):
        check_installed()
    assert capsys.readouterr().out == ""


def tagged(html, *, made):
    style = Path(__file__).parents[1] / "templates" / "accessible.css"
    return tagged_pdf(html, made=made, style=style.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("printing", [pdf, tagged])
def test_a_first_page_that_would_run_over_names_only_the_gravest_ones(tmp_path, printing):
    made = section(tmp_path)
    made.line("September", "+1.2 h: 3 late logs. " * 55)
    for place in range(8):
        names = ", ".join([f"Kestrel {place}"] * 60)
        text = f"{place} aircraft are lost"
        made.attention(f"{text}: {names}", "high", summary=text, days=8 - place)
    reader = PdfReader(BytesIO(printing(render.html(ABOUT, [loaded(made)]), made=MADE)[0]))
    assert reader.get_destination_page_number(reader.named_destinations["flight_hours"]) == 1
    first = " ".join(reader.pages[0].extract_text().split())
    assert [place for place in range(8) if f"{place} aircraft are lost" in first] == [*range(8)]
    assert [place for place in range(8) if f"Kestrel {place}" in first] == [0, 1]


@pytest.mark.parametrize(
    ("css", "ink"),
    [
        (":root{--ink:#102030;--blue:#5790fc}\n.chart{width:9mm;fill:var(--ink)}", "fill:#102030"),
        (".chart { fill: #102030; }", "fill: #102030;"),
    ],
)
def test_a_style_sheet_of_one_s_own_colours_the_pictures_of_a_tagged_pdf(tmp_path, css, ink):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "report.css").write_text(css)
    html = render.html(ABOUT, [loaded(section(tmp_path))], Templates(tmp_path / "own"))
    picture, _ = re.findall('<svg[^>]*class="chart".*?</svg>', _with_colours(html), re.DOTALL)
    assert f".chart{{{ink}}}" in picture.replace(" {", "{")
    assert "#5790fc" in picture
    assert "var(" not in picture


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("אבג", "גבא"),
        ("אב 12.5 (ג)", "(ג) 12.5 בא"),
        ("(אב)", "(בא)"),
        ("Skua 7 אב 12 & Søn", "Skua 7 12 בא &amp; Søn"),
        ("שָׁם", "םשָׁ"),  # marks stay behind their letter
        ("Tom &amp; Søn (7)", "Tom &amp;amp; Søn (7)"),
    ],
)
def test_a_picture_of_a_tagged_pdf_has_names_from_right_to_left_as_they_are_seen(name, shown):
    picture = f'<svg class="chart"><text x="1">{escape(name, quote=False)}</text></svg>'
    assert f'<text x="1">{shown}</text>' in _with_colours(picture)


def test_of_a_line_that_is_shortened_nothing_is_left_behind_a_long_word(tmp_path):
    made, code = section(tmp_path), "LP" + "-2026" * 10
    text = f"2 batteries are worn: {code} (9 cycles) and B2 (3 cycles)"
    made.attention(text, "high", who=f"{code} of Ada", when="since Monday")
    *_, shortest = shorter(render.html(ABOUT, [loaded(made)]))
    line = '<span class="what">2 batteries are worn <span class="at">since Monday</span></span>'
    assert line in shortest


@pytest.mark.slow
@pytest.mark.parametrize("printing", [pdf, tagged])
def test_a_name_with_a_separator_of_lines_stands_on_one(tmp_path, printing):
    made = section(tmp_path)
    names = pd.DataFrame({"name": ["Kestrel\u2028one", "Merlin\u2029two"]})
    made.table("pieces", names, title="Pieces")
    printed = printing(render.html(ABOUT, [loaded(made)]), made=MADE)[0]
    lines = "\n".join(texts(PdfReader(BytesIO(printed)))).splitlines()
    assert {"Kestrel one", "Merlin two"} <= set(lines)


@pytest.mark.slow
@pytest.mark.parametrize("printing", [pdf, tagged])
def test_a_figure_taller_than_a_page_is_made_smaller_and_stays_in_one_piece(tmp_path, printing):
    """A4 is 11.7 inches high."""
    own = section(tmp_path)
    ax = Figure(figsize=(7, 14)).add_subplot()
    ax.text(0.5, 0.99, "Uppermost")
    ax.text(0.5, 0.01, "Lowest")
    own.figure("heat", ax, title="Heat of 40 aircraft", alt="Forty rows", caption="All of 2026.")
    printed = PdfReader(BytesIO(printing(render.html(ABOUT, [loaded(own)]), made=MADE)[0]))
    words = ("Heat of 40 aircraft", "Uppermost", "Lowest", "All of 2026.")
    assert len({number for word in words for number in pages_with(printed, word)}) == 1


def type_sizes(data):
    """Return the sizes in which a PDF sets type [pt]; a page that is shrunk has other ones."""
    place = re.compile(r"([\d.]+) 0 0 -[\d.]+ [\d.]+ [\d.]+ Tm")
    drawn = [page.get_contents().get_data() for page in PdfReader(BytesIO(data)).pages]
    return {
        round(float(size), 2) for page in drawn for size in place.findall(page.decode("latin-1"))
    }


@pytest.fixture(scope="module")
def usual_sizes(tmp_path_factory):
    return type_sizes(pdf(page(tmp_path_factory.mktemp("short"), "Kestrel"), made=MADE)[0])


@pytest.mark.slow
@pytest.mark.parametrize("script", NAMES)
def test_a_name_of_200_letters_anywhere_leaves_every_page_at_its_size(
    script, usual_sizes, tmp_path
):
    assert usual_sizes >= {8.2, 10.0, 17.0, 19.0}
    assert type_sizes(pdf(page(tmp_path, NAMES[script]), made=MADE)[0]) == usual_sizes


@pytest.mark.slow
def test_a_word_that_fits_on_a_line_is_never_broken(tmp_path):
    words = ["Inspection", "of", "the", "northern", "breakwater", "and", "navigation", "lights"]
    made = section(tmp_path)
    for length in range(1, len(words)):
        made.attention(" ".join(words[:length]), who=" ".join(words), when=" ".join(words))
        made.note(" ".join(words[length:] + words))
    names = pd.DataFrame({name: [" ".join(words)] for name in "abcdefg"})
    made.table("crowded", names, title="Crowded")
    text = "".join(texts(PdfReader(BytesIO(pdf(render.html(ABOUT, [loaded(made)]), made=MADE)[0]))))
    assert "northern" in text
    halves = [word[:cut] + "\n" + word[cut:] for word in words for cut in range(1, len(word))]
    assert [half for half in halves if half in text] == []


def plain(text):
    """Return a text whose blanks are all of one kind: Norwegian numbers hold some."""
    return re.sub("[\xa0\u202f]", " ", text)


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "de", "nb"])
@pytest.mark.parametrize(
    "price", [45_678_901, 45_678_901_234, 4_567_890_123_456, 45_678_901_234_567]
)
def test_a_price_of_many_digits_is_never_broken(tmp_path, lang, price):
    values = pd.DataFrame({"currency": ["EUR", "NOK"], "margin": price + 1, "rate": price + 2})
    prices = {f"price_{n}": [price + 10 * n, 5] for n in range(1, 6)}
    whole = pd.DataFrame({"status": ["IN_PROGRESS", "DELIVERED"], "currency": "EUR", **prices})
    with language.using(lang):
        made = section(tmp_path)
        margin = {"margin": ("Margin", "{:,.0f}", "bar")}
        columns = {"currency": "Currency", **margin, "rate": ("Value per hour", "{:,.0f}")}
        made.table("half", values, title="Half", columns=columns)
        columns = {"status": "Stage", "currency": "Currency"}
        columns |= {name: (name, "{:,.0f}") for name in prices}
        made.table("whole", whole, title="Whole", columns=columns, sums=list(prices))
        section_ = loaded(made)
        document = PdfReader(BytesIO(pdf(render.html(ABOUT, [section_]), made=MADE)[0]))
    tables = [block for block in section_["blocks"] if block["kind"] == "table"]
    rows = [row["texts"] for table in tables for row in (*table["rows"], *table["totals"])]
    shown = plain("".join(texts(document)))
    assert [text for row in rows for text in row if plain(text) not in shown] == []


@pytest.mark.slow
def test_the_values_of_key_figures_side_by_side_stand_on_one_line(tmp_path):
    heights = {}

    def visit(text, _, matrix, *__):
        heights[text.strip()] = round(matrix[5])

    values = ("1101", "2202", "3303", "4404")
    document = PdfReader(BytesIO(pdf(with_labels(tmp_path, values), made=MADE)[0]))
    document.pages[1].extract_text(visitor_text=visit)
    assert len({heights[value] for value in values}) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        ("250,000,000.0", "h", ["250,000,000", ".0"]),
        ("25,000,000.0", "h", ["25,000,000.0"]),
        ("12,000", "of 345,678", ["12,000", "345,678"]),
    ],
)
def test_a_number_breaks_only_where_it_is_wider_than_its_card(tmp_path, value, unit, shown):
    in_second_card = []

    def visit(text, _, matrix, *__):
        if 125 < matrix[4] < 210 and re.fullmatch("[0-9,.]{2,}", text.strip()):
            in_second_card.append(text.strip())

    made = section(tmp_path)
    made.kpi("Flown", value, unit)
    for other in "1234":
        made.kpi("Flown", other)
    document = PdfReader(BytesIO(pdf(render.html(ABOUT, [loaded(made)]), made=MADE)[0]))
    document.pages[0].extract_text(visitor_text=visit)
    assert [text for text in in_second_card if text not in {"2.5", "3.5"}] == shown  # of the chart


@pytest.mark.slow
def test_the_hours_of_a_large_fleet_stand_on_one_line_with_their_unit(tmp_path):
    height = {}

    def visit(text, _, matrix, *__):
        height[text.strip()] = round(matrix[5])

    made = section(tmp_path)
    for hours in ("100,000.1", "444,444.4", "18,888.88", "555,555.5", "666,666.6"):
        made.kpi("Hours", hours, f"h{hours[0]}")
    document = PdfReader(BytesIO(pdf(render.html(ABOUT, [loaded(made)]), made=MADE)[0]))
    document.pages[0].extract_text(visitor_text=visit)
    assert abs(height["444,444.4"] - height["h4"]) <= 1


@pytest.mark.slow
def test_words_in_place_of_a_number_break_between_words(tmp_path):
    made = section(tmp_path)
    for label in "12345":
        made.kpi(label, "keine Fluggeräte")
    document = PdfReader(BytesIO(pdf(render.html(ABOUT, [loaded(made)]), made=MADE)[0]))
    assert document.pages[0].extract_text().split().count("Fluggeräte") == 5


def test_totals_make_room_in_a_table_as_rows_do():
    columns = [{"label": name, "align": "end", "style": ""} for name in ("Value", "Cost", "Margin")]
    few, many = ([{"texts": [text] * 3}] for text in ("1", "112,345,678,901"))
    assert fits_half({"columns": columns, "rows": few, "totals": few})
    assert not fits_half({"columns": columns, "rows": few, "totals": many})


def columns_of(*texts, labels=()):
    """Return a table of one row."""
    labels = labels or ["Cost"] * len(texts)
    columns = [{"label": label, "align": "end", "style": ""} for label in labels]
    return {"columns": columns, "rows": [{"texts": texts}], "totals": []}


def test_type_is_rounded_down_so_that_no_number_breaks():
    # Nine columns of 9 digits at 0.66 em, 2 commas at 0.33 and a gap of 1.4, together 72 em, of
    # which the page has 62 at 8.2 pt: 7.06 pt.
    assert type_size(columns_of(*["345,678,901"] * 9)) == 7.0


def test_a_word_or_number_that_no_column_can_hold_breaks_and_takes_no_room_from_numbers():
    for text in ("W" * 40, "1" * 40):
        assert fits_half(columns_of(text, "Kestrel"))
    assert fits_half(columns_of("W" * 40, "12,345,678", "12,345,678"))


def test_where_numbers_must_break_a_name_beside_them_does_not():
    numbers = ["12,345,678,901,234,567"] * 6
    *others, name = shares(columns_of(*numbers, "Kestrel"), half=False)
    # At 6.2 pt the page has 82 em: the name's 3.8 em and the gap's 1.4 are 6.3 %.
    assert (set(others), name) == ({15.6}, 6.3)


def test_ids_of_all_rows_stand_on_one_line_before_the_longest_name_does():
    columns = [{"label": name, "align": "start", "style": ""} for name in ("Check", "Of", "Ids")]
    ids, longest = "7" * 20 + " " + "7" * 20, "seven " * 7
    rows = [*[{"texts": ["one", "one", ids]}] * 5, {"texts": [longest, longest, ids]}]
    *_, share = shares({"columns": columns, "rows": rows, "totals": []}, half=False)
    # The page has 62 em: 40 digits of 0.76 em, a blank of 0.33 and the gap of 1.4 are 51.8 %.
    assert share == 51.8


def test_labels_of_twelve_key_figures_in_rows_of_six_are_as_high_as_those_of_six():
    label = "Idle for three months or longer"
    assert label_lines([label] * 6) == label_lines([label] * 12) == 2


def test_unassigned_and_private_letters_are_named_too():
    assert without_glyph("<p>Kestrel\u200d \u0378 \ue123\ufe0f</p>") == ["\u0378", "\ue123"]


@pytest.mark.slow
def test_letters_without_a_glyph_are_named_up_to_a_bound(tmp_path):
    private = [chr(0xE000 + code) for code in range(3 * MOST_CODES)]
    made = section(tmp_path)
    made.note(" ".join(private))
    data, missing = pdf(render.html(ABOUT, [loaded(made)]), made=MADE)
    assert missing == private
    words = " ".join(" ".join(texts(PdfReader(BytesIO(data)))).split())
    assert f"U+E017, {2 * MOST_CODES} more, which manifest.json lists." in words
    assert "U+E018" not in words
