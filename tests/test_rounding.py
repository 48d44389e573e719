"""Numbers as people read them: rounded once, the same way everywhere."""

import ast
import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetkit import charts
from fleetkit.reports import Section
from fleetkit.reports.texts import shown
from fleetkit.rounding import format_number, number, percent

PACKAGE = Path(__file__).parents[1] / "fleetkit"


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (106.25, 1, "106.3"),
        (-106.25, 1, "−106.3"),
        (0.5, 0, "1"),
        (1.5, 0, "2"),
        (2.5, 0, "3"),
        (1.005, 2, "1.01"),  # below 1.005 in binary
        (12.35 - 12.0, 1, "0.4"),  # 0.35 less the noise of the subtraction
        (0.1 + 0.2, 1, "0.3"),
        (-0.04, 1, "0.0"),
        (1_234_567_890_123.25, 2, "1,234,567,890,123.25"),  # of 15 digits all are certain
        (2**63, 0, "9,223,372,036,854,775,808"),
        (pd.NA, 1, "–"),
        (float("inf"), 1, "–"),
    ],
)
def test_half_is_rounded_away_from_zero_on_the_decimal_value(value, decimals, text):
    assert number(value, decimals) == text


@pytest.mark.slow
@given(st.integers(-(10**9), 10**9), st.integers(0, 3))
def test_every_number_of_four_decimals_is_rounded_as_by_hand(tenths_of_thousandths, decimals):
    exact = Decimal(tenths_of_thousandths) / 10_000
    by_hand = exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    read = number(float(exact), decimals).replace("−", "-").replace(",", "")
    assert Decimal(read) == by_hand


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (0.125, "{:.2f}", "0.13"),
        (0.125, "{:+,.2f}", "+0.13"),
        (-0.004, "{:+,.2f}", "0.00"),
        (0.125, "{:.0%}", "13 %"),
        (-0.0004, "{:.1%}", "0.0 %"),
        (-0.0004, "{:+.1%}", "0.0 %"),
        (0.0, "{:.0%}", "0 %"),
        (1.0, "{:.0%}", "100 %"),
        (0.996, "{:.0%}", "99.6 %"),  # 249 of 250 are not all
        (0.9996, "{:.0%}", "over 99.9 %"),
        (0.0004, "{:.1%}", "under 0.1 %"),
        (7, "{:d}", "7"),
        (0.2, "{:g} of it", "0.2 of it"),
    ],
)
def test_a_table_s_format_rounds_alike(value, spec, text):
    assert shown(value, spec) == text


def test_a_share_has_one_decimal():
    assert (percent(0.0345), percent(None)) == ("3.5 %", "–")


def test_a_share_of_two_decimals_is_bounded_by_two():
    shares = (0.00004, 0.99996, 0.00005)
    assert [percent(share, 2) for share in shares] == ["under 0.01 %", "over 99.99 %", "0.01 %"]


def test_a_figure_has_the_same_digits_in_key_figure_table_and_chart(tmp_path):
    hours = pd.DataFrame({"month": ["2026-09", "2026-10"], "flights": [3, 4], "hours": 106.25})
    section = Section("flight_hours", title="Flight hours", out=tmp_path)
    section.kpi("Hours", 106.25, "h", 1)
    section.table("months", hours, title="Months")
    drawn = [text.get_text() for text in charts.flight_hours(hours).texts]
    content = section._content
    assert content["kpis"][0]["text"] == "106.3"
    assert content["blocks"][0]["rows"][0]["texts"] == ["2026-09", "3", "106.3"]
    assert drawn == ["106.3", "106.3"]


@pytest.mark.slow
def test_no_sentence_chart_or_table_is_rounded_by_python_s_own_format():
    specs = [
        f"{path.name}:{node.lineno}"
        for package in ("metrics", "reports", "charts")
        for path in (PACKAGE / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None
        if re.search(r"\.\d+[ef%]", ast.unparse(node.format_spec))
    ]
    assert specs == []


def test_a_minus_is_a_minus_and_nothing_is_no_sign():
    assert (format_number(-1.26, ".1f"), format_number(-0.0, "+.1f")) == ("−1.3", "0.0")
