"""One HTML file that needs nothing beside it, whatever the data hold."""

import re
from html.parser import HTMLParser

import pandas as pd
import pytest
from a_section import ABOUT, loaded, section
from long_names import NAMES, page

from fleetkit import charts, svg
from fleetkit.charts.drawing.style import COLOURS, DARK
from fleetkit.lettering import columns
from fleetkit.reports import Section, cutting, render, resources
from fleetkit.reports.balancing import balanced
from fleetkit.reports.cutting import MOST_WORD

HOSTILE = "<script>alert(1)</script> \u202egnp.exe ../../x"


class Page(HTMLParser):
    """Collects what a test asks about: ids, references, elements with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):  # noqa: D102
        if tag != "wbr":
            self.elements.append((tag, dict(attributes)))
            self.texts.append("")

    def handle_data(self, data):  # noqa: D102
        if self.texts and self.elements[-1][0] not in {"style", "title", "script"}:
            self.texts[-1] += data

    def values(self, name):
        """Return what every element gives for an attribute."""
        return [given[name] for _, given in self.elements if name in given]


@pytest.mark.slow
def test_the_same_sections_give_the_same_bytes(tmp_path):
    made = section(tmp_path)
    assert render.html(ABOUT, [loaded(made)]) == render.html(ABOUT, [loaded(made)])


@pytest.mark.slow
def test_ids_are_unique_and_every_link_inside_has_its_target(tmp_path):
    sections = [loaded(section(tmp_path)), loaded(section(tmp_path, "other", title="Other"))]
    page = Page(render.html(ABOUT, sections))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    links = {target[1:] for target in page.values("href") if target.startswith("#")}
    assert links <= set(ids)
    assert set(page.values("aria-labelledby")) <= set(ids)


@pytest.mark.slow
def test_a_section_may_be_called_as_a_part_of_the_report_and_each_has_its_own_anchor(tmp_path):
    names = ["attention", "about", "definitions", "summary", "content"]
    made = [section(tmp_path, name, title=name) for name in names]
    made[0].definition("Late", "After its day.")
    ids = Page(render.html(ABOUT, [loaded(each) for each in made])).values("id")
    assert [ids.count(name) for name in names] == [1, 1, 1, 1, 1]
    assert len(ids) == len({*ids})


@pytest.mark.slow
def test_what_is_empty_is_named_in_one_line_of_its_chapter(tmp_path):
    made = Section("flight_hours", title="Flight hours", out=tmp_path)
    nothing = charts.flight_hours(pd.DataFrame({"month": [], "flights": [], "hours": []}))
    made.figure("by_month", nothing, title="By month", alt="Hours by month")
    made.table("late", pd.DataFrame({"title": []}), title="Late, or stalled")
    text = render.html(ABOUT, [loaded(made)])
    assert '<p class="empty">Nothing to show: By month; Late, or stalled.</p>' in text
    assert "<h3" not in text


@pytest.mark.slow
def test_a_key_figure_is_compared_with_a_year_that_is_also_the_period_before_once(tmp_path):
    made = [loaded(section(tmp_path))]
    changes = [
        render.html({**ABOUT, "previous": "2025", "year_before": earlier}, made).count('"change"')
        for earlier in ("2024", "2025")
    ]
    assert changes == [2, 1]


def test_a_change_that_is_counted_has_its_sign_and_reads_as_no_day(tmp_path):
    made = Section("flight_hours", title="Flight hours", out=tmp_path)
    made.kpi("Flights", 9, previous=15, year_before=3)
    made.kpi("Hours", 110.0, "h", 1, previous=100.0, year_before=110.0)
    page = Page(render.html({**ABOUT, "previous": "Sep"}, [loaded(made)]))
    moved = [
        text
        for (_, given), text in zip(page.elements, page.texts, strict=True)
        if given.get("class", "").startswith("moved")
    ]
    assert [text.replace("\xa0", " ").strip() for text in moved] == [
        "▼ −6",
        "▲ +6",
        "▲ 10.0 %",
        "● same",
    ]


def test_why_a_key_figure_alone_lacks_one_comparison_stands_below_all_of_them(tmp_path):
    made = Section("flight_hours", title="Flight hours", out=tmp_path)
    made.kpi("Flights", 9, previous=15, year_before=3, note="whole organisation")
    made.kpi("Pilots recent", 2, previous=2, note="no data before 1 October 2025")
    html = render.html(ABOUT, [loaded(made)])
    assert re.findall(r'<p class="(hint.*?)">(.*?)</p>', html) == [
        ("hint", "whole organisation"),
        ("hint shared", "Pilots recent: no data before 1 October 2025"),
    ]


def test_the_line_of_a_key_figure_is_told_with_the_digits_of_the_figure(tmp_path):
    made = Section("flight_hours", title="Flight hours", out=tmp_path)
    made.kpi("Flights", 1200, trend=[1100, 1200])
    made.kpi("Per aircraft-day", 0.15, "h", 2, trend=[0.11, 0.15])
    lines = Page(render.html(ABOUT, [loaded(made)])).values("aria-label")
    assert [text for text in lines if text.startswith("Last twelve months: ")] == [
        "Last twelve months: between 1,100 and 1,200",
        "Last twelve months: between 0.11 and 0.15",
    ]


def test_a_key_figure_shows_its_change_to_the_period_before_and_to_the_year_before(tmp_path):
    made = Section("flight_hours", title="Flight hours", out=tmp_path)
    made.kpi("Hours", 3.5, "h", 1, previous=2.5, year_before=7.0, better="up")
    html = render.html(ABOUT, [loaded(made)])
    assert re.findall(r'"moved (\w+)">(.*?)</span> <span class="when">(.*?)</span>', html) == [
        ("good", "▲ 40.0\xa0%", "September"),
        ("bad", "▼ 50.0\xa0%", "October 2025"),
    ]


def test_the_longest_bar_of_a_table_is_as_wide_as_its_cell_and_the_others_by_their_share(tmp_path):
    made = Section("flight_hours", title="Flight hours", out=tmp_path)
    hours = pd.DataFrame({"name": ["a", "b", "c"], "hours": [4.0, 1.0, 0.0]})
    made.table("hours", hours, title="Hours", columns={"name": "Name", "hours": ("h", "{}", "bar")})
    html = render.html(ABOUT, [loaded(made)])
    assert re.findall(r'<span style="width:([\d.]+)%">', html) == ["100.0", "25.0"]


@pytest.mark.parametrize("status", ["items", "values", "copy", "get"])
def test_a_text_has_the_label_that_its_style_names_and_no_other(status, tmp_path):
    made = Section("equipment", title="Equipment", out=tmp_path)
    rows = pd.DataFrame({"name": ["Kestrel", "Heron"], "status": ["ACTIVE", status]})
    columns = {"name": "Name", "status": ("Status", "{}", {"ACTIVE": "good"})}
    made.table("fleet", rows, title="Fleet", columns=columns)
    classes = Page(render.html(ABOUT, [loaded(made)])).values("class")
    assert [name for name in classes if name.startswith("pill")] == ["pill good"]


def test_why_records_are_left_out_stands_where_some_are(tmp_path):
    made = Section("flight_hours", title="Flight hours", out=tmp_path)
    made.coverage("Dated", 2, 3, "one has no date")
    made.coverage("Timed", 3, 3, "the others have no time")
    html = render.html({**ABOUT, "units": ["weight in kg"]}, [loaded(made)])
    assert '<dd>2 of 3 <span class="why">one has no date</span></dd>' in html
    assert "<dd>3 of 3</dd>" in html
    assert "<dt>Declared units</dt><dd>weight in kg</dd>" in html


@pytest.mark.slow
def test_clip_paths_point_into_their_own_figure(tmp_path):
    page = Page(render.html(ABOUT, [loaded(section(tmp_path))]))
    clips = {target[5:-1] for target in page.values("clip-path")}
    assert clips
    assert clips <= set(page.values("id"))


@pytest.mark.slow
def test_nothing_is_fetched_from_anywhere(tmp_path):
    text = render.html(ABOUT, [loaded(section(tmp_path))])
    page = Page(text)
    assert [tag for tag, _ in page.elements if tag in {"link", "img", "iframe"}] == []
    assert [given for tag, given in page.elements if tag == "script"] == [{}]
    outside = [target for target in page.values("href") if not target.startswith("#")]
    assert outside == []
    assert re.findall(r"url\([\"']?(?![\"']|data:|#).*", text) == []
    assert 'http-equiv="Content-Security-Policy" content="default-src \'none\';' in text


@pytest.mark.slow
def test_each_font_is_embedded_once(tmp_path):
    text = render.html(ABOUT, [loaded(section(tmp_path)), loaded(section(tmp_path, "other"))])
    assert text.count("data:font/woff2") == 3


@pytest.mark.slow
def test_hostile_texts_stay_texts(tmp_path):
    made = section(tmp_path, text=HOSTILE, title=HOSTILE)
    made.note(HOSTILE)
    made.attention(HOSTILE, who=HOSTILE, when=HOSTILE)
    made.definition(HOSTILE, HOSTILE)
    text = render.html({**ABOUT, "organisation": HOSTILE + '"}</style>'}, [loaded(made)])
    assert text.count("<script") == 1
    assert "<script>alert" not in text
    assert "\u202e" not in text
    assert text.count("</style>") == 2


@pytest.mark.slow
def test_a_name_from_right_to_left_is_isolated(tmp_path):
    text = render.html(ABOUT, [loaded(section(tmp_path, text="طائرة 7"))])
    assert "\u2068طائرة 7\u2069" in text


@pytest.mark.slow
def test_the_count_behind_a_name_from_right_to_left_stays_behind_it_in_a_cell(tmp_path):
    text = render.html(ABOUT, [loaded(section(tmp_path, text="Ada 1, صقر 2"))])
    assert "Ada 1, \u2068صقر\u2069 2" in text


@pytest.mark.slow
def test_what_needs_attention_is_ranked_and_eight_at_most(tmp_path):
    made = section(tmp_path)
    for index in range(9):
        made.attention(f"minor {index}", severity="low")
    made.attention("grave", severity="high", who="Ada", when="today")
    text = render.html(ABOUT, [loaded(made)])
    listed = re.findall(r'<span class="what">(grave|minor \d)', text)
    assert listed == ["grave", *(f"minor {index}" for index in range(7))]
    assert "And in the chapters: 2 more of grade low." in text


@pytest.mark.slow
def test_a_section_that_failed_shows_a_box_with_the_reason():
    gap = {"name": "pricing", "title": "Pricing", "gap": "pricing.ipynb, cell 5: KeyError"}
    unread = {"title": "Flight hours", "reason": "the key lacks the scope equipment:read"}
    failed = {"title": gap["title"], "reason": gap["gap"]}
    text = render.html({**ABOUT, "left_out": [failed, unread]}, [gap])
    last = "<dt>Left out</dt><dd>Pricing: pricing.ipynb, cell 5: KeyError; Flight hours: the key"
    assert f"{last} lacks the scope equipment:read</dd>" in text
    assert "This section is missing." in text
    assert "pricing.ipynb, cell 5: KeyError" in text
    assert '<p class="empty">Nothing needs attention, of what could be looked at.</p>' in text


@pytest.mark.slow
def test_a_report_without_anything_says_so():
    text = render.html(ABOUT, [])
    assert "Nothing needs attention." in text


@pytest.mark.slow
def test_tables_name_their_columns_and_rows(tmp_path):
    page = Page(render.html(ABOUT, [loaded(section(tmp_path))]))
    scopes = [given.get("scope") for tag, given in page.elements if tag == "th"]
    assert scopes == ["col", "row"]


@pytest.mark.slow
def test_house_colours_become_variables_that_a_dark_page_changes(tmp_path):
    text = render.html(ABOUT, [loaded(section(tmp_path))])
    chart = text[text.index('<svg xmlns="http://www.w3.org/2000/svg" class="chart"') :]
    assert "var(--accent)" in chart
    assert COLOURS["accent"] not in chart


@pytest.mark.parametrize(("block", "colours"), [(0, COLOURS), (1, DARK)])
def test_the_page_has_the_colours_of_the_charts(block, colours):
    css = (resources.folder("templates") / "report.css").read_text(encoding="utf-8")
    variables = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", css.split(":root {")[block + 1]))
    assert {name: variables[name] for name in colours} == colours


def test_of_a_picture_in_a_page_points_have_three_decimals_and_texts_stay_as_they_are():
    texts = '<title>59.12345° N</title><text>Job No.20261031, id="a", url(#b)</text></g></svg>'
    body = f'<title>Map</title><path d="M1.23456 2.5"/><g id="unused">{texts}'
    shown = svg.inline(f'<svg width="9pt" height="9pt" viewBox="0 0 9 9">{body}', "a", {})
    assert shown.endswith(f'<path d="M1.234 2.5"/><g>{texts}')


@pytest.mark.slow
def test_a_screen_reader_hears_the_figures_of_a_chart_on_a_wide_and_on_a_narrow_screen(tmp_path):
    made = section(tmp_path)
    registrations = pd.DataFrame({"band": ["expired", "≤ 30 days"], "equipment": [1, 12]})
    made.figure("due", charts.registrations(registrations), title="Due", alt="Registrations.")
    pages = Page(render.html(ABOUT, [loaded(made)]))
    heard = [given["aria-label"] for tag, given in pages.elements if given.get("class") == "chart"]
    months = "September 2026 · 2.5 h in 3 flights; October 2026 · 3.5 h in 4 flights"
    assert heard[:2] == [f"Hours by month. {months}"] * 2
    assert heard[2].startswith("Registrations. pieces of equipment; expired · 1; expires within 30")


def test_of_more_than_100_marks_the_ends_are_heard_and_of_those_left_out_their_number():
    marks = "<g><title>1 h</title><path/></g>"
    assert svg.words(f"<svg><title>Bars</title>{marks * 2}</svg>") == "Bars. 1 h; 1 h"
    many = f"<svg><title>Bars</title>{marks * 101}{marks.replace('1', '2')}</svg>"
    assert svg.words(many, "and 7 earlier days") == "Bars. 1 h … 2 h; and 7 earlier days"


def test_lines_of_a_name_are_heard_as_one_and_a_name_that_is_cut_as_a_whole():
    first = '<text transform="translate(1 6)">Mast</text>'
    name = f'<g>{first}<text transform="translate(1 14)">row</text></g>'
    cut = '<g><title>Kestrel 1</title><text x="1" y="30">Kes…</text></g>'
    numbers = '<g><text x="9" y="10">5</text></g><g><text x="9" y="31">4</text></g>'
    assert svg.words(f"<svg>{numbers}{cut}{name}</svg>") == "Mast row · 5; Kestrel 1 · 4"


def test_a_formula_of_one_s_own_chart_is_not_heard_in_pieces():
    cost = "<text>\n <tspan>c</tspan>\n <tspan>2</tspan>\n</text>"
    assert svg.words(f'<svg><g>{cost}</g><g><text x="1" y="5">late</text></g></svg>') == "late"


def test_a_figure_that_matplotlib_did_not_write_is_refused():
    with pytest.raises(ValueError, match="is not an SVG that matplotlib wrote"):
        svg.inline("<svg onload='x()'/>", "a", {})


@pytest.mark.slow
@pytest.mark.parametrize("script", NAMES)
def test_a_long_name_is_cut_wherever_it_stands_and_whole_in_its_title(script, tmp_path):
    shown = Page(page(tmp_path, NAMES[script]))
    words = {word for text in shown.texts for word in text.split()}
    isolates = "\u2068\u2069"
    assert max(columns(word.strip(isolates)) for word in words) <= MOST_WORD + 2
    whole = [title for title in shown.values("title") if title.strip(isolates) == NAMES[script]]
    assert len(whole) > 30


def test_a_name_of_80_columns_is_whole_and_of_81_it_is_cut_with_one_title():
    whole, longer = "ab " * 26 + "ab", "ab " * 26 + "abc"
    assert cutting.name(whole) == whole
    shown = cutting.name(longer)
    assert Page(shown).values("title") == [longer]
    assert shown.striptags().endswith("ab…")
    # A long word in it is cut too, and the one title has both.
    both = "x" * 41 + " ab" * 14
    assert Page(cutting.name(both)).values("title") == [both]


def test_a_word_of_40_columns_is_whole_and_of_41_it_is_cut_with_a_title():
    whole, longer = "x" * 40, "x" * 41
    for shown in (cutting.short, cutting.name):
        assert "title" not in shown(f"at {whole}")
        assert Page(shown(f"at {longer} now")).values("title") == [longer]


def test_a_long_word_may_break_every_six_em_and_a_sentence_ends_at_1500_columns():
    pieces = cutting.short("ABCDEFGHJK" * 4).split("<wbr>")  # letters of 0.76 em
    assert [len(piece) for piece in pieces] == [7, 7, 7, 7, 7, 5]
    assert cutting.short("ABCDEFGHJKNOPQRST") == "ABCDEFGHJKNOPQRST"  # 17 × 0.76 em are 12.92
    text = cutting.short("ab " * 600)
    assert 1_490 < len(text) <= 1_500
    assert text.endswith("ab…")


def test_a_title_from_right_to_left_is_isolated_and_holds_2000_columns():
    [title] = Page(cutting.name("צ" * 2_100)).values("title")
    assert title == f"\u2068{'צ' * 1_999}…\u2069"


def test_a_name_that_begins_from_right_to_left_is_isolated_as_one():
    assert cutting.name("צפון and טס 7") == "\u2068צפון and טס 7\u2069"
    assert cutting.name("Kestrel צפון 7") == "\u2068Kestrel \u2068צפון\u2069 7\u2069"


@pytest.mark.slow
def test_a_letter_is_never_parted_from_its_marks_where_a_name_is_cut(tmp_path):
    text = page(tmp_path, "क्षि" * 60)
    assert "क्षि…" in text
    assert "ि" not in {piece[0] for piece in re.findall(r"(?<=<wbr>)[^<]+", text)}


@pytest.mark.slow
def test_a_name_from_right_to_left_turns_nothing_else_in_a_sentence(tmp_path):
    made = section(tmp_path)
    made.attention("Kestrel (2), צפון 7 (3) and طائرة (1) are late")
    text = render.html(ABOUT, [loaded(made)])
    assert "Kestrel (2), \u2068צפון\u2069 7 (3) and \u2068طائرة\u2069 (1) are late" in text


@pytest.mark.slow
def test_a_table_says_how_many_there_are_and_where_those_are_that_it_leaves_out(tmp_path):
    made = section(tmp_path)
    made.table("pieces", pd.DataFrame({"name": list("ABCDE")}), title="Pieces", limit=2)
    text = render.html(ABOUT, [loaded(made)])
    assert 'Pieces <span class="count">2 of 5</span>' in text
    assert "And 3 more, in pieces.json." in text
    assert 'Names <span class="count">1</span>' in text


def test_a_table_of_the_first_of_too_many_rows_counts_those_that_its_file_holds(tmp_path):
    made = Section("flight_hours", title="Flight hours", out=tmp_path)
    rows = pd.DataFrame({"name": ["a", "b", "c"]})
    made.table("cut", rows, title="Cut", limit=2, of=9)
    made.table("shown", rows, title="Shown", of=9)
    html = render.html(ABOUT, [loaded(made)])
    assert re.findall(r'<span class="count">(.*?)</span>', html) == ["2 of 9", "3 of 9"]
    assert re.findall(r"And .*? more, in .*?json", html) == ["And 1 more, in cut.json"]


def test_a_table_that_shows_none_of_its_rows_has_their_total_and_does_not_seem_empty(tmp_path):
    made = Section("flight_hours", title="Flight hours", out=tmp_path)
    rows = pd.DataFrame({"name": ["a", "b", "c"], "hours": [1.0, 2.0, 4.0]})
    made.table("sums", rows, title="Sums", limit=0, sums="hours")
    html = render.html(ABOUT, [loaded(made)])
    assert '<span class="count">0 of 3</span>' in html
    assert '<td class="end" data-value="">7.0</td>' in html
    assert "And 3 more, in sums.json" in html
    assert "Nothing to list." not in html


@pytest.mark.slow
def test_a_figure_that_is_wider_than_a_phone_stands_there_once_more(tmp_path):
    made = section(tmp_path)  # hours by month are drawn 180 mm wide, those of aircraft 88 mm
    hours = pd.DataFrame({"name": ["Kestrel"], "flights": [1], "hours": [1.5]})
    made.figure("top", charts.aircraft_hours(hours), title="Top", alt="Bars")
    text = render.html(ABOUT, [loaded(made)])
    shown = re.findall(r'<div class="(scroll[^"]*)"[^>]*aria-labelledby="flight_hours-(\w+)"', text)
    assert shown == [("scroll wide", "by_month"), ("scroll", "names"), ("scroll", "top")]
    widths = re.findall(r'class="chart" width="([\d.]+)pt"', text)
    assert [round(float(width) / 72 * 25.4) for width in widths] == [180, 84, 88]


def test_definitions_are_set_in_groups_of_three_to_nine_that_are_as_low_as_can_be_together():
    def counts(*lines):
        definitions = [{"term": "", "text": "a" * 30 * count} for count in lines]
        return [[len(column) for column in group] for group in balanced(definitions)]

    assert counts() == []
    assert counts(1, 1) == [[1, 1]]
    assert counts(1, 1, 1, 1) == [[1, 1, 2]]
    assert counts(1, 1, 1, 1, 1, 1) == [[1, 1, 1], [1, 1, 1]]
    # Three lines and three gaps of a quarter, 3.75, are lower than four lines and two gaps, 4.5.
    assert counts(1, 1, 1, *(1, 1, 1, 3, 3)) == [[1, 1, 1], [3, 1, 1]]
    # Together five lines and two gaps; row by row eight and two.
    assert counts(1, 1, 1, *(1, 1, 4, 1, 1, 4)) == [[1, 1, 1], [2, 2, 2]]
    # Nine fill one group: six lines and three gaps, where rows of three take twelve and three.
    assert counts(1, 1, 1, *(4, 1, 1) * 3) == [[1, 1, 1], [3, 3, 3]]
    # Row by row five lines and two gaps; together seven and four, for all keep their order.
    assert counts(1, 1, 1, *(1, 1, 1, 4, 4, 4)) == [[1, 1, 1]] * 3
