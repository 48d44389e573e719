"""What a notebook hands over: JSON that keeps numbers and texts, figures that keep their words."""

import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from fleetkit import charts
from fleetkit.errors import InvalidValue
from fleetkit.reports import Section

HOURS = pd.DataFrame(
    {"month": ["2026-09", "2026-10"], "flights": [3, 4], "hours": [2.5, float("nan")]}
)


@pytest.fixture
def section(tmp_path):
    return Section("flight_hours", title="Flight hours", question="How much?", out=tmp_path)


def saved(section):
    return json.loads(section.save().read_text(encoding="utf-8"))


def test_a_table_keeps_the_number_and_the_text_that_shows_it(section):
    section.table("months", HOURS, title="Months", columns={"hours": ("Hours", "{:.2f}")})
    rows = saved(section)["blocks"][0]["rows"]
    assert rows == [{"values": [2.5], "texts": ["2.50"]}, {"values": [None], "texts": ["–"]}]


def test_a_table_without_columns_shows_all_of_them(section):
    section.table("months", HOURS.assign(is_over=True), title="Months")
    columns = saved(section)["blocks"][0]["columns"]
    assert [(column["label"], column["align"]) for column in columns] == [
        ("Month", "start"),
        ("Flights", "end"),
        ("Hours", "end"),
        ("Is over", "start"),
    ]


def test_a_limited_table_says_how_many_rows_there_are(section):
    section.table("months", HOURS, title="Months", limit=1)
    block = saved(section)["blocks"][0]
    assert (len(block["rows"]), block["of"]) == (1, 2)


MANY = pd.DataFrame({"name": [f"Kestrel {n}" for n in range(5_000)], "hours": 0.5, "owner": "Ada"})


@pytest.mark.slow
def test_a_table_of_the_first_of_too_many_rows_says_so_after_its_caption(section):
    section.table("flights", PRICES, title="Flights", caption="As of today.", of=900)
    block = saved(section)["blocks"][0]
    assert (block["of"], block["caption"]) == (900, "As of today. The file holds the first 5.")


def test_a_table_shows_forty_rows_where_nobody_says_how_many_and_its_data_are_all(section):
    section.table("pieces", MANY, title="Pieces", columns={"name": "Name"}, sums=["hours"])
    block = saved(section)["blocks"][0]
    assert (len(block["rows"]), block["of"]) == (40, 5_000)
    data = json.loads((section.out / section.name / block["data"]).read_text(encoding="utf-8"))
    assert data["columns"] == ["name", "hours", "owner"]
    assert data["rows"] == MANY.values.tolist()


def test_a_table_shows_moments_in_the_zone_that_its_frame_carries_and_leaves_dates(section):
    frame = pd.DataFrame(
        {
            "flight_date": pd.to_datetime(["2026-09-30T12:30Z", "2026-10-02T09:00Z"]),
            "registration_expiry": pd.to_datetime(["2026-09-30T00:00Z", "2026-10-02T00:00Z"]),
        }
    )
    frame.attrs["tz"] = "Pacific/Auckland"
    for name, rows in {"auckland": frame, "utc": frame.pipe(pd.DataFrame)}.items():
        section.table(name, rows, title=name)
    auckland, utc = (block["rows"] for block in saved(section)["blocks"])
    assert auckland[0]["texts"] == ["1 Oct 2026", "30 Sep 2026"]
    assert utc[0]["texts"] == ["30 Sep 2026", "30 Sep 2026"]


@pytest.mark.slow
def test_a_figure_keeps_what_it_leaves_out_in_its_data(section):
    section.figure("top", charts.aircraft_hours(MANY.assign(flights=1)), title="Top", alt="Bars")
    block = saved(section)["blocks"][0]
    assert block["left_out"] == ["4,985 more aircraft"]
    data = json.loads((section.out / section.name / block["data"]).read_text(encoding="utf-8"))
    assert len(data["rows"]) == 5_000


def test_a_figure_of_another_maker_has_no_data(section):
    section.figure("own", Figure().add_subplot(), title="Own", alt="Nothing")
    assert saved(section)["blocks"][0]["data"] == ""


def test_a_place_and_decimals_may_be_numbers_of_numpy(section):
    place = HOURS["flights"].idxmin() + np.int64(2)
    section.kpi("Flights", 3, decimals=place, front=np.bool_(True))
    section.figure("own", Figure().add_subplot(), title="Own", alt="Nothing", front=place)
    content = saved(section)
    assert (content["kpis"][0]["decimals"], content["kpis"][0]["front"]) == (2, True)
    assert content["blocks"][0]["front"] == 2


def test_a_total_adds_up_all_rows_also_those_that_are_not_shown(section):
    section.table("pieces", MANY, title="Pieces", limit=3, sums=["hours"])
    assert [row["texts"] for row in saved(section)["blocks"][0]["totals"]] == [
        ["Total", "2,500.0", ""]
    ]


PRICES = pd.DataFrame(
    {
        "title": list("ABCDE"),
        "price": [100.0, None, 40.0, 2.0, None],
        "currency": ["NOK", "NOK", "NOK", "EUR", None],
    }
)


def test_money_has_a_total_per_currency_that_says_how_many_have_a_price(section):
    prices = PRICES.assign(cost=[30.0, None, None, None, None])
    section.table("late", prices, title="Late", sums=["price", "cost"], per="currency")
    assert [row["texts"] for row in saved(section)["blocks"][0]["totals"]] == [
        ["Total of 2 of 3", "140.0", "NOK", "30.0"],
        ["Total", "2.0", "EUR", "–"],
    ]


def test_rows_whose_first_sum_is_not_known_have_a_total_of_the_others(section):
    prices = PRICES.assign(cost=[30.0, None, None, None, 7.0])
    section.table("late", prices, title="Late", sums=["price", "cost"], per="currency")
    section.table("unpriced", prices[3:].assign(price=None), title="B", sums=["price", "cost"])
    assert [[row["texts"] for row in block["totals"]] for block in saved(section)["blocks"]] == [
        [
            ["Total of 2 of 3", "140.0", "NOK", "30.0"],
            ["Total", "2.0", "EUR", "–"],
            ["Total", "–", "–", "7.0"],
        ],
        [["Total of 1 of 2", "–", "", "7.0"]],
    ]


def test_the_first_of_too_many_rows_have_no_total_for_it_would_seem_to_be_of_all(section):
    for name, count in (("fewer", 3), ("all", 5), ("unknown", None)):
        section.table(name, PRICES, title="Late", of=count, sums=["price"])
    with pytest.raises(InvalidValue, match=r"a total would be of 5 rows, not of all 1,700\."):
        section.table("late", PRICES, title="Late", of=1_700, sums=["price"])


@pytest.mark.parametrize("prices", [["125.50", "75"], pd.to_datetime(["2026-10-01"] * 2)])
def test_what_does_not_add_up_is_refused_and_not_put_in_a_row(section, prices):
    frame = pd.DataFrame({"title": ["A", "B"], "price": prices})
    with pytest.raises(InvalidValue, match=r"Table 'late': the sum of price can't be made of "):
        section.table("late", frame, title="Late", sums=["price"])


def test_numbers_of_another_kind_add_up_too(section):
    exact = pd.DataFrame({"price": [Decimal("125.50"), None, 75]}, dtype="object")
    section.table("exact", exact, title="Exact", sums=["price"])
    [total] = saved(section)["blocks"][0]["totals"]
    assert total["texts"] == ["Total of 2 of 3: 200.5"]


@pytest.mark.parametrize(
    ("price", "says"),
    [
        (5, "Column 'price': 5 is not a label"),
        ((), "Column 'price': () is not a label"),
        (("Price", 1), "Column 'price': ('Price', 1) is not a label"),
        (("Price", "{:,.1f"), "Column 'price': the format '{:,.1f' can't write 100.0: "),
        (("Price", "{:%d}"), "Column 'price': the format '{:%d}' can't write 100.0: "),
        (("Price", "{a}"), "Column 'price': the format '{a}' can't write 100.0: "),
        (("Price", "{.a}"), "Column 'price': the format '{.a}' can't write 100.0: "),
    ],
)
def test_a_label_or_a_format_that_can_not_be_used_is_named_with_its_column(section, price, says):
    with pytest.raises(InvalidValue) as refused:
        section.table("late", PRICES, title="Late", columns={"title": "Project", "price": price})
    assert refused.value.message.startswith(says)


def test_a_total_says_of_how_many_rows_its_first_sum_is_known_whatever_the_others_are(section):
    prices = pd.DataFrame({"price": [100.0, None, 200.0], "hours": [1.0, 2.0, 3.0]})
    section.table("prices", prices, title="Prices", sums=["price", "hours"])
    [block] = saved(section)["blocks"]
    assert block["totals"][0]["texts"] == ["Total of 2 of 3: 300.0", "6.0"]


def test_a_total_says_its_currency_or_its_sum_also_where_that_column_is_the_first(section):
    prices = PRICES[["currency", "price"]]
    section.table("by_currency", prices, title="Prices", sums=["price"], per="currency")
    section.table("prices", prices[["price"]], title="Prices", sums=["price"])
    assert [[row["texts"] for row in block["totals"]] for block in saved(section)["blocks"]] == [
        [["Total of 2 of 3: NOK", "140.0"], ["Total: EUR", "2.0"]],
        [["Total of 3 of 5: 142.0"]],
    ]


def test_totals_are_bounded_too(section):
    prices = pd.DataFrame({"title": "A", "price": 1.0, "currency": [f"C{n}" for n in range(34)]})
    section.table("late", prices, title="Late", sums=["price"], per="currency")
    totals = [row["texts"] for row in saved(section)["blocks"][0]["totals"]]
    assert len(totals) == 7
    assert totals[-1] == ["28 more totals", "", ""]
    section.table("seven", prices[:7], title="Seven", sums=["price"], per="currency")
    assert saved(section)["blocks"][1]["totals"][-1]["texts"] == ["1 more total", "", ""]


def test_totals_begin_with_what_most_records_are_of_as_the_rows_do(section):
    # The last currency has the fewest rows, of the most projects.
    counts = {"AUD": [1, 1, 1], "CHF": [1, 1], "NOK": [9]}
    rows = [(name, count, 1.0) for name, each in counts.items() for count in each]
    stages = pd.DataFrame(rows, columns=["currency", "projects", "value"])
    options = {"title": "Stages", "sums": ["projects", "value"], "per": "currency"}
    section.table("stages", pd.concat([stages] * 7, ignore_index=True), **options)
    totals = saved(section)["blocks"][0]["totals"]
    assert [row["values"][:2] for row in totals] == [["NOK", 63], ["AUD", 21], ["CHF", 14]]


def test_a_list_of_one_or_none_needs_no_total(section):
    section.table("one", PRICES.head(1), title="One", sums=["price"], per="currency")
    assert saved(section)["blocks"][0]["totals"] == []


def test_a_table_shows_twelve_columns_and_counts_the_others(section):
    wide = pd.DataFrame([range(20)], columns=[f"km {n}" for n in range(20)])
    assert section.table("km", wide, title="Km", caption="As flown.").columns[-1] == "km 11"
    block = saved(section)["blocks"][0]
    assert (len(block["columns"]), len(block["rows"][0]["texts"])) == (12, 12)
    assert block["caption"] == "As flown. The first 12 of 20 columns; the file holds all."


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (HOURS["hours"], "not Series"),
        (pd.concat([HOURS, HOURS["hours"]], axis=1), "two columns named 'hours'"),
    ],
)
def test_what_can_be_no_table_is_refused_by_the_table_s_name(section, frame, problem):
    with pytest.raises(InvalidValue, match=rf"Table 'months' .*{problem}"):
        section.table("months", frame, title="Months")


@pytest.mark.parametrize(
    "given",
    [
        {"columns": {"km": "Distance"}},
        {"columns": {"hours": ("Hours", "{}", "", "km")}},
        {"sums": "km"},
        {"sums": ["hours"], "per": "km"},
    ],
)
def test_a_column_that_the_frame_lacks_is_refused_with_those_it_has(section, given):
    with pytest.raises(InvalidValue, match=r"no column km\. There are: month, flights, hours"):
        section.table("months", HOURS, title="Months", **given)


def test_one_column_that_adds_up_is_named_by_itself(section):
    section.table("months", HOURS, title="Months", sums="flights")
    assert saved(section)["blocks"][0]["totals"][0]["texts"] == ["Total", "7", ""]


def test_a_bar_is_as_long_as_its_share_of_the_largest_number_that_is_shown(section):
    columns = {"price": ("Price", "{:.0f}", "bar"), "currency": "Currency"}
    section.table("late", PRICES, title="Late", columns=columns)
    further = pd.DataFrame({"price": [4_000.0], "currency": [None]})  # below, such as Unassigned
    rows = pd.concat([PRICES, further])
    section.table("first", rows, title="First", columns=columns, limit=len(PRICES))
    longest = [block["columns"][0]["longest"] for block in saved(section)["blocks"]]
    assert longest == [100.0, 100.0]


@pytest.mark.parametrize("style", ["bars", {"ACTIVE": "fine"}])
def test_a_style_that_there_is_not_is_refused(section, style):
    with pytest.raises(InvalidValue, match=r"is not a style\. .* good, watch, bad"):
        section.table("late", PRICES, title="Late", columns={"title": ("Title", "", style)})


@pytest.mark.parametrize("column", [("title", "{}", "bar"), ("price", "{}", "bar", "title")])
def test_bars_of_what_is_no_number_or_is_sorted_by_another_column_are_refused(section, column):
    with pytest.raises(InvalidValue, match=rf"Column '{column[0]}' can't have bars: "):
        section.table("late", PRICES, title="Late", columns={column[0]: column})


def test_a_column_is_sorted_by_another_one_and_by_its_text_where_that_is_blank(section):
    lapses = pd.DataFrame({"lapses": ["in 9 days", "never"], "days": [9.0, None]})
    columns = {"lapses": ("Lapses", "", "", "days")}
    section.table("lapses", lapses, title="Lapses", columns=columns)
    rows = saved(section)["blocks"][0]["rows"]
    assert [(row["texts"], row["values"]) for row in rows] == [
        (["in 9 days"], [9.0]),
        (["never"], ["never"]),
    ]


@pytest.mark.parametrize("name", ["", " ", "\u2003\n", None])
def test_a_name_of_blanks_shows_a_dash_as_one_that_is_null_does(section, name):
    section.table("names", pd.DataFrame({"name": [name, "Kestrel"]}), title="Names")
    shown = [row["texts"] for row in saved(section)["blocks"][0]["rows"]]
    assert shown == [["–"], ["Kestrel"]]


@pytest.mark.parametrize("value", [float("nan"), None, "", " ", "\u200b"])
def test_a_key_figure_that_is_null_or_a_text_of_blanks_shows_a_dash(section, value):
    section.kpi("Hours", value, "h")
    [figure] = saved(section)["kpis"]
    assert (figure["text"], figure["unit"], figure["value"]) == ("–", "", None)


CHANGES = [
    ({"value": 1795.2, "previous": 1640.1, "unit": "h", "decimals": 1}, "9.5 %", "good"),
    ({"value": 4812, "previous": 3920}, "22.8 %", "good"),
    ({"value": 41, "previous": 44, "unit": "of 48"}, "−3", "bad"),
    ({"value": 92.6, "previous": 93.8, "unit": "%", "decimals": 1}, "1.2 pt", "bad"),
    ({"value": 92.6, "previous": 93.8, "unit": "%"}, "1.2 pt", "bad"),
    ({"value": 17, "previous": 17}, "same", ""),
    ({"value": 100.01, "previous": 100.0, "decimals": 1}, "under 0.1 %", "good"),
    ({"value": 0.1 + 0.2, "previous": 0.3, "decimals": 1}, "same", ""),
    ({"value": 3, "previous": 0}, "+3", "good"),
    ({"value": 40, "previous": 49}, "−9", "bad"),
    ({"value": 40, "previous": 50}, "20.0 %", "bad"),
    ({"value": 3.5, "previous": 0.0, "decimals": 1}, "+3.5", "good"),
    ({"value": 3, "previous": None}, "", ""),
]


@pytest.mark.parametrize(("given", "text", "tone"), CHANGES)
def test_a_change_is_told_in_the_words_that_fit(section, given, text, tone):
    section.kpi("K", **given, better="up")
    change = saved(section)["kpis"][0]["previous"]
    assert (change["text"], change["tone"]) == (text, tone)


def test_a_figure_of_which_nothing_could_be_counted_has_no_value(section):
    section.kpi("Standing", 0, of=0, previous=3, note="0 of 15 have an expiry date")
    section.kpi("Standing", 0, of=15)
    first, second = saved(section)["kpis"]
    assert (first["text"], first["unit"], first["value"]) == ("–", "", None)
    assert (second["text"], second["unit"]) == ("0", "of 15")


def test_what_was_not_recorded_says_so_in_place_of_its_value(section):
    section.kpi("Hours", None, "h", missing="not recorded (0 of 15)")
    [figure] = saved(section)["kpis"]
    assert (figure["text"], figure["unit"]) == ("not recorded (0 of 15)", "")


def test_what_the_reference_does_not_know_is_a_warning(section):
    flights = pd.DataFrame({"flight_type": ["TRAINING", "AEROBATIC", None], "colour": "red"})
    equipment = pd.DataFrame({"status": ["ACTIVE", "LENT"], "condition": ["GOOD", None]})
    section.check("flights", flights)
    section.check("equipment", equipment, status=["ACTIVE"], condition=["GOOD", "POOR"])
    section.check("projects", pd.DataFrame({"status": ["DRAFT"], "crm_deal_name": None}))
    assert saved(section)["warnings"] == [
        "The field colour of flights is not in the reference; it is kept.",
        "flight_type holds AEROBATIC (1 of 3 flights), which the reference doesn't have; shown "
        "last.",
        "status holds LENT (1 of 2 pieces of equipment), which the order of severity doesn't have; "
        "shown last, and not graded.",
    ]


def test_a_token_of_blanks_is_named_in_quotation_marks(section):
    section.check("projects", pd.DataFrame({"status": ["DRAFT", "", " "]}))
    assert saved(section)["warnings"] == [
        "status holds '' and ' ' (2 of 3 projects), which the reference doesn't have; shown last."
    ]


def test_more_is_bad_news_where_down_is_better(section):
    section.kpi("Grounded", 10, previous=9, better="down")
    assert saved(section)["kpis"][0]["previous"]["tone"] == "bad"


def test_a_figure_holds_its_words_as_text_and_its_alt_text_as_title(section, tmp_path):
    section.figure("by_month", charts.flight_hours(HOURS), title="Months", alt="Hours <by> month")
    section.save()
    svg = (tmp_path / "flight_hours" / "by_month.svg").read_text(encoding="utf-8")
    assert "<title>Hours &lt;by&gt; month</title>" in svg
    assert ">Oct</text>" in svg


@pytest.mark.slow
def test_the_same_figure_gives_the_same_bytes(tmp_path):
    def drawn(folder):
        section = Section("s", title="S", out=tmp_path / folder)
        section.figure("f", charts.flight_hours(HOURS), title="F", alt="Hours")
        return section.save().with_name("f.svg").read_bytes()

    assert drawn("a") == drawn("b")


def test_a_section_shows_what_its_metrics_define_and_terms_of_its_own(section):
    section.define("idle", "So far")
    section.definition("Glide", "A flight without a motor.")
    terms = {entry["term"]: entry["text"] for entry in saved(section)["definitions"]}
    assert list(terms) == ["Idle days", "So far", "Glide"]
    assert terms["Idle days"].startswith("Days since the last flight of any kind.")


@pytest.mark.parametrize(("name", "near"), [("idel", "idle"), ("so far", "So far")])
def test_a_definition_that_there_is_not_is_refused_with_near_names(section, name, near):
    with pytest.raises(
        InvalidValue, match=f"no metric or term named '{name}'. Did you mean {near}"
    ):
        section.define(name)


def test_a_figure_without_alt_text_is_refused(section):
    with pytest.raises(InvalidValue, match="no alt text"):
        section.figure("by_month", charts.flight_hours(HOURS), title="Months", alt=" ")


@pytest.mark.parametrize("name", ["../x", "Flight hours", "", "1st", "a/b"])
def test_a_name_that_could_leave_the_folder_is_refused(tmp_path, name):
    with pytest.raises(InvalidValue, match="can't name a section"):
        Section(name, title="X", out=tmp_path)


def test_two_blocks_of_one_name_are_refused(section):
    section.table("months", HOURS, title="Months")
    with pytest.raises(InvalidValue, match="already has"):
        section.table("months", HOURS, title="Months again")


def test_a_coverage_above_its_whole_is_refused(section):
    with pytest.raises(InvalidValue, match="5 of 4"):
        section.coverage("Duration", 5, 4)


@pytest.mark.parametrize(
    "add",
    [
        lambda section: section.sentence(5),
        lambda section: section.kpi(None, 1),
        lambda section: section.attention(5),
        lambda section: section.note(["x"]),
    ],
)
def test_what_is_no_text_is_refused_where_it_is_given(section, add):
    with pytest.raises(InvalidValue, match="is not a text"):
        add(section)


@pytest.mark.parametrize(
    ("add", "says"),
    [
        (lambda s: s.kpi("Hours", 2.5, decimals="1"), "decimals='1' is not a whole number"),
        (lambda s: s.kpi("Flights", 2, of="12"), "of='12' is not a number of 0 or more"),
        (lambda s: s.kpi("Flights", HOURS), "KPI 'Flights': value=a DataFrame is not one number"),
        (lambda s: s.kpi("Flights", 2, previous=[1]), r"previous=\[1\] is not one number or text"),
        (lambda s: s.kpi("Flights", 2, previous=10**400), "is not one number or text"),
        (lambda s: s.attention("Late", days=10**400), "is not a number. Write one, or no days="),
        (lambda s: s.kpi("Flights", 2, front="no"), "front='no' is neither yes nor no"),
        (lambda s: s.kpi("Flights", 2, previus=1), "Did you mean previous"),
        (lambda s: s.kpi("\ud800", 2), r"'\\ud800' holds half of a character"),
        (lambda s: s.sentence("Fine.", front=pd.NA), "front=<NA> is neither yes nor no"),
        (lambda s: s.coverage("Hours", 2.7, 3), "used=2.7 is not a whole number"),
        (lambda s: s.attention("Late", count=float("inf")), "count=inf is not a whole number"),
        (lambda s: s.table("t", HOURS, title="T", per=HOURS), "A DataFrame is not a text"),
        (lambda s: s.kpi("Flights", 2, trend=7), "trend=7 is not a list"),
        (lambda s: s.kpi("Flights", 2, trend=[1, "2"]), "'Flights': trend holds '2', which is no"),
        (lambda s: s.kpi("Flights", 2, better=HOURS), "better=a DataFrame is none of"),
        (lambda s: s.kpi("Flights", 2, metric=7), "7 is not a text, nor a list of texts"),
        (
            lambda s: s.coverage("Hours", None, 3),
            r"used=None is not a number of 0 or more\. Write one\.$",
        ),
        (lambda s: s.attention("Late", count="two"), "count='two' is not a number"),
        (lambda s: s.attention("Late", days="two"), "days='two' is not a number"),
        (lambda s: s.attention("Late", who=["Ada", "Bo"]), "Join several: fk.language.listed"),
        (lambda s: s.check("flights", None), "The table flights is a NoneType, not a frame"),
        (lambda s: s.check("projects", HOURS), "The table projects lacks the column 'status'"),
        (lambda s: s.table("t", HOURS, title="T", of=""), "of='' is not a whole number"),
        (lambda s: s.attention("Late", days=float("nan")), "days=nan is not a number"),
        (lambda s: s.attention("Late", severity=HOURS), "Severity a DataFrame of 'Late' is none"),
        (lambda s: s.attention("Late", summary=HOURS), "A DataFrame is not a text"),
        (lambda s: s.note(HOURS), "A DataFrame is not a text"),
        (lambda s: s.figure("a", None, title="A", alt=None), "None is not a text"),
        (lambda s: s.figure("a", None, title="A", alt="A"), "made from matplotlib Axes, not None"),
        (
            lambda s: s.figure("a", charts.flight_hours(HOURS), title="A", alt="A", front="1"),
            "front='1' is not a whole number",
        ),
        (lambda s: s.table("a", HOURS, title="A", limit="9"), "limit='9' is not a whole number"),
        (lambda s: s.table("a", HOURS, title="A", of="9"), "of='9' is not a whole number"),
        (lambda s: s.table("a", HOURS, title="A", columns=["hours"]), "columns=.* is not a dict"),
        (lambda s: Section("hours", title="Hours", out=7), "7 is not the path of a folder"),
    ],
)
def test_an_argument_of_another_kind_is_refused_by_its_name(section, add, says):
    with pytest.raises(InvalidValue, match=says):
        add(section)


def test_a_line_of_attention_without_a_text_is_refused(section):
    with pytest.raises(InvalidValue, match="A line of attention, high, has no text"):
        section.attention(" ", "high")


def test_a_line_shows_whom_it_concerns_and_since_when_and_nothing_of_what_is_null(section):
    section.attention("Late", who="Ada", when=pd.Timestamp("2026-10-05"))
    section.attention("Late", who=float("nan"), when=pd.NaT)
    section.attention("Late", who=7, when=None)
    lines = saved(section)["attention"]
    said = [("Ada", "5 Oct 2026"), ("", ""), ("7", "")]
    assert [(line["who"], line["when"]) for line in lines] == said


def test_an_unknown_severity_is_refused(section):
    with pytest.raises(InvalidValue, match="'urgent'"):
        section.attention("Look", severity="urgent")


def test_saving_again_replaces_the_section_and_leaves_nothing_beside_it(section, tmp_path):
    section.save()
    section.sentence("More.")
    assert saved(section)["sentences"] == ["More."]
    assert [path.name for path in tmp_path.iterdir()] == ["flight_hours"]
