"""Tables of a fleet and of metrics in a notebook: units, numbers, money, no index."""

import re
import subprocess
import sys

import pandas as pd
import pytest
from five_flights import flights

import fleetkit as fk
from fleetkit.notebook_tables import html_of
from fleetkit.time import Zone


def a_table(**columns):
    frame = pd.DataFrame(columns)
    frame.attrs["tz"] = Zone("Europe/London")
    return frame


def cells(html):
    """Return the rows of a table as texts, the head first."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd][^>]*>.*?</t[hd]>", row)]
        for row in rows
    ]


def test_a_metric_is_shown_with_units_right_aligned_numbers_and_no_index():
    given = flights()
    given.attrs["tz"] = Zone("UTC")
    hours = fk.metrics.flight_hours(given, by="pilot", measures=["flights", "hours", "median"])
    html = html_of(hours)
    assert type(hours) is pd.DataFrame
    assert cells(html) == [
        ["pilot", "flights", "hours [h]", "median_minutes [min]"],
        ["prof_1", "3", "1.50", "45"],
        ["prof_2", "1", "1.50", "90"],
        ["Unassigned", "1", "–", "–"],
    ]
    assert html.count("text-align:right") == 3 + 3 * 3


def test_a_mean_speed_is_in_metres_per_second():
    given = flights().assign(
        traveled_distance=[1800.0] * 5,
        **dict.fromkeys(["takeoff_lat", "takeoff_lng", "landing_lat", "landing_lng"], 10.0),
    )
    given.attrs["tz"] = Zone("UTC")
    head, metres, *_ = cells(html_of(fk.metrics.unit_check(given)))
    assert head[5] == "mean_speed [m/s]"
    # 3 × 1,800 m in 3,600 + 1,800 + 5,400 s; the other two have no duration above 0.
    assert metres[5] == "0.50"


def test_money_has_its_currency_and_counts_of_it_have_none():
    table = a_table(
        currency=["EUR", None], value=[1250.5, 10.0], value_percent=[5.0, 5.0], priced=[1, 2]
    )
    assert cells(html_of(table))[1:] == [
        ["EUR", "1,250.50 EUR", "5", "1"],
        ["–", "10.00", "5", "2"],
    ]


def test_money_has_its_currency_also_where_the_column_of_currencies_is_not_shown():
    table = a_table(agreed_price=[1250.5], currency=["EUR"])
    with pd.option_context("display.max_columns", 1):
        assert cells(html_of(table))[1] == ["1,250.50 EUR"]


def test_what_a_comparison_has_beside_a_measure_is_in_its_unit_and_has_its_decimals():
    table = a_table(margin_percent_other=[12.5], takeoff_lat_change=[0.00125], price_other=[2.0])
    assert cells(html_of(table.assign(currency="EUR"))) == [
        ["margin_percent_other [%]", "takeoff_lat_change [deg]", "price_other", "currency"],
        ["12.50", "0.00125", "2 EUR", "EUR"],
    ]


def test_money_of_a_client_has_its_currency_too():
    table = a_table(currency=["EUR"], to_invoice=[1250.5], price_per_hour=[80.0], late=[1])
    assert cells(html_of(table))[1] == ["EUR", "1,250.50 EUR", "80 EUR", "1"]


def test_hours_are_said_to_be_hours_whatever_they_are_hours_of():
    names = ["night_hours", "hours_left", "hours_since", "hours_before", "hours_difference_other"]
    heads = cells(html_of(a_table(**{name: [1.5] for name in names})))[0]
    assert heads == [f"{name} [h]" for name in names]


def test_below_a_comparison_stands_why_it_is_blank():
    one, other = flights(), flights().assign(duration_seconds=float("nan"))
    for given in (one, other):
        given.attrs["tz"] = Zone("UTC")
    html = html_of(fk.compare("flight_totals", one, other))
    assert "<p>other: hours unknown in 1 of 1 row</p>" in html
    silent = a_table(hours=[1.5])
    silent.attrs["notes"] = ["<b>2023: no data before 2024-05-01, and more than fits in a cell</b>"]
    assert "<p>&lt;b&gt;2023: no data before 2024-05-01, and more than fits" in html_of(silent)


def test_shares_have_three_decimals_degrees_five_and_sums_two_or_none():
    table = a_table(share=[0.0625], takeoff_lat=[59.123456], cost=[2.0], hours=[0.125])
    assert cells(html_of(table))[1] == ["0.063", "59.12346", "2", "0.13"]


def test_moments_are_the_fleet_s_clock_s_and_days_have_no_time():
    days = pd.to_datetime(["2026-10-01T00:00Z", "2026-10-02T00:00Z", None])
    flown = pd.to_datetime(["2026-10-01T08:30Z", None, "2026-10-01T23:00Z"])
    table = a_table(flight_date=flown, day=days)
    table["day"] = table["day"].dt.tz_convert("Europe/London").dt.normalize()
    head, first, second, midnight = cells(html_of(table))
    assert head == ["flight_date [Europe/London]", "day"]
    assert first == ["2026-10-01 09:30", "2026-10-01"]
    assert second[0] == "–"
    assert midnight == ["2026-10-02 00:00", "–"]


def test_names_stay_text():
    table = a_table(name=["<script>alert(1)</script>\u202e\n x", None])
    html = html_of(table)
    assert "<script>" not in html
    assert cells(html)[1] == ["&lt;script&gt;alert(1)&lt;/script&gt; x"]


@pytest.mark.parametrize(("width", "shown"), [(4, ["abcd", "abc…"]), (None, ["abcd", "abcde"])])
def test_a_name_is_cut_where_it_is_longer_than_pandas_is_set(width, shown):
    with pd.option_context("display.max_colwidth", width):
        rows = cells(html_of(a_table(pilot_name=["abcd", "abcde"])))
    assert [row[0] for row in rows[1:]] == shown


def test_long_tables_are_cut_as_pandas_is_set_and_say_how_long_they_are():
    table = a_table(flights=range(1000))
    rows = cells(html_of(table))
    assert [row[0] for row in rows[1:4]] == ["0", "1", "2"]
    assert len(rows) == 1 + 10 + 1
    assert "1,000 rows × 1 column" in html_of(table)
    for most in (None, 1000):
        with pd.option_context("display.max_rows", most):
            assert len(cells(html_of(table))) == 1001
    # The one fraction is among the rows left out.
    table = a_table(flights=range(1000), hours=[0.5 if row == 500 else row for row in range(1000)])
    with pd.option_context("display.min_rows", 5):
        rows = cells(html_of(table))
    assert [row[-1] for row in rows[1:]] == ["0.00", "1.00", "2.00", "…", "998.00", "999.00"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"hours": [1.5]}),
        pd.DataFrame(a_table(hours=[1.5])).set_axis(["a"]),
        a_table(pilot=["a"], hours=[1.5]).set_index("pilot"),
        a_table(pilot=["a"], hours=[1.5]).pivot_table(columns="pilot", values="hours"),
        a_table().assign(),
    ],
    ids=["a user's own", "an own index", "a named index", "a pivot", "no columns"],
)
def test_what_is_not_a_table_of_a_fleet_is_left_to_pandas(frame):
    assert html_of(frame) is None


def test_an_empty_table_shows_its_heads():
    assert cells(html_of(a_table(hours=[1.5]).iloc[:0])) == [["hours [h]"]]
    assert "0 rows × 1 column" in html_of(a_table(hours=[1.5]).iloc[:0])


@pytest.mark.slow
def test_a_notebook_shows_fleet_tables_so_and_others_as_pandas_does():
    code = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("import sys, fleetkit as fk; assert 'pandas' not in sys.modules")
shell.run_cell("import pandas as pd; from fleetkit.time import Zone")
shell.run_cell("own = pd.DataFrame({'hours': [1.5]}); ours = own.copy()")
shell.run_cell("ours.attrs['tz'] = Zone('UTC')")
show = shell.display_formatter.formatters["text/html"]
own, ours = shell.user_ns["own"], shell.user_ns["ours"]
assert show(own) == own._repr_html_(), show(own)
assert "hours <span" in show(ours), show(ours)
assert "hours <span" not in show(shell.user_ns["pd"].DataFrame(ours.to_dict()))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stdout, done.stdout
