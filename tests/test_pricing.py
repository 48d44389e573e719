"""The price list: five services, ten tiers and what is wrong with them, counted by hand.

=======  =======  ====  ========  ======  ======
service  name     rate  currency  unit    active
=======  =======  ====  ========  ======  ======
svc_1    Survey     80  EUR       HOUR    yes
svc_2    Mapping   100  EUR       HOUR    yes
svc_3    Filming   100  GBP       HOUR    null
svc_4    Events    500  EUR       DAY     no
svc_5    Advice     60  EUR       HOUR    yes
=======  =======  ====  ========  ======  ======

=======  =======  =====  =====  ========  ===========  ======
service  tier     name   level  modifier  recommended  active
=======  =======  =====  =====  ========  ===========  ======
svc_1    tier_a   Basic      1         0  no           yes
svc_1    tier_b   Night      2        25  yes          yes
svc_1    tier_c   Storm      2        50  yes          yes
svc_1    tier_d   Old        2       -50  yes          no
svc_2    tier_e   Few        1       -20  null         yes
svc_2    tier_f   Many       3       -40  null         null
svc_3    tier_g   Free       1      -100  no           yes
svc_3    tier_h   –       null      null  no           yes
svc_4    tier_i   Day        1         0  yes          yes
svc_4    tier_j   Night      2        10  yes          no
=======  =======  =====  =====  ========  ===========  ======
"""

from datetime import date

import pandas as pd
import pytest
from a_notebook import made
from five_flights import rows, text

import fleetkit as fk
from fleetkit import charts, language, metrics, mirror, schema, tables
from fleetkit.reports import attention, price_list

DAY = date(2026, 11, 21)


def services(**changed: object) -> pd.DataFrame:
    """Return the first table above, with some columns changed."""
    frame = pd.DataFrame(
        {
            "service_id": text("svc_1", "svc_2", "svc_3", "svc_4", "svc_5"),
            "name": text("Survey", "Mapping", "Filming", "Events", "Advice"),
            "base_rate": [80.0, 100.0, 100.0, 500.0, 60.0],
            "currency": text("EUR", "EUR", "GBP", "EUR", "EUR"),
            "unit_type": text("HOUR", "HOUR", "HOUR", "DAY", "HOUR"),
            "pricing_model": text(*["TIERED"] * 5),
            "is_active": booleans("yy?ny"),
        }
    )
    return frame.assign(**changed)


def tiers(**changed: object) -> pd.DataFrame:
    """Return the second table above, with some columns changed."""
    frame = pd.DataFrame(
        {
            "service_id": text(*["svc_1"] * 4, *["svc_2"] * 2, *["svc_3"] * 2, *["svc_4"] * 2),
            "tier_id": text(*(f"tier_{letter}" for letter in "abcdefghij")),
            "tier_name": text(
                "Basic", "Night", "Storm", "Old", "Few", "Many", "Free", None, "Day", "Night"
            ),
            "tier_level": pd.array([1, 2, 2, 2, 1, 3, 1, None, 1, 2], dtype="Int64"),
            "price_modifier_percent": [0.0, 25, 50, -50, -20, -40, -100, None, 0, 10],
            "is_recommended": booleans("nyyy??nnyy"),
            "is_active": booleans("yyyny?yyyn"),
        }
    )
    return frame.assign(**changed)


def booleans(letters: str) -> pd.Series:
    """Return a column of the contract's dtype: y, n, and ? for null."""
    return pd.Series([{"y": True, "n": False}.get(letter) for letter in letters], dtype="boolean")


def one_service(*of_tiers: tuple, active: str = "y") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return Survey alone, with tiers of (level, modifier, recommended)."""
    levels, modifiers, recommended = zip(*of_tiers, strict=True)
    frame = pd.DataFrame(
        {
            "service_id": "svc_1",
            "tier_id": [f"tier_{n}" for n in range(len(of_tiers))],
            "tier_name": [f"T{n}" for n in range(len(of_tiers))],
            "tier_level": pd.array(levels, dtype="Int64"),
            "price_modifier_percent": pd.Series(modifiers, dtype="float64"),
            "is_recommended": booleans("".join(recommended)),
            "is_active": booleans("y" * len(of_tiers)),
        }
    )
    return services(is_active=booleans(active * 5)).head(1), frame


# Rates


def test_a_rate_is_the_base_rate_and_its_modifier_beside_the_lowest_of_its_kind():
    frame = metrics.tier_rates(services(), tiers())
    columns = ["currency", "unit_type", "service", "tier", "rate", "times_lowest"]
    assert rows(frame[columns]) == [
        ("EUR", "HOUR", "Mapping", "Few", 80.0, 80 / 60),
        ("EUR", "HOUR", "Mapping", "Many", 60.0, 1.0),
        ("EUR", "HOUR", "Survey", "Basic", 80.0, 80 / 60),
        ("EUR", "HOUR", "Survey", "Night", 100.0, 100 / 60),
        ("EUR", "HOUR", "Survey", "Storm", 120.0, 2.0),
        ("GBP", "HOUR", "Filming", "Free", 0.0, None),
        ("GBP", "HOUR", "Filming", None, None, None),
    ]


def test_only_what_is_known_to_be_inactive_is_left_out_unless_all_are_asked_for():
    active = metrics.tier_rates(services(), tiers())
    assert rows(active[["tier_id", "active"]]) == [
        ("tier_e", True),
        ("tier_f", None),
        ("tier_a", True),
        ("tier_b", True),
        ("tier_c", True),
        ("tier_g", None),
        ("tier_h", None),
    ]
    every = metrics.tier_rates(services(), tiers(), active=False)
    assert len(every) == 10
    inactive = every[every["active"].eq(False).fillna(False)]
    assert set(inactive["tier_id"]) == {"tier_d", "tier_i", "tier_j"}


def test_a_tier_that_is_free_is_not_the_lowest_that_others_are_a_multiple_of():
    rates = metrics.tier_rates(*one_service((1, -100.0, "n"), (2, 0.0, "n"), (3, 50.0, "n")))
    assert rows(rates[["rate", "times_lowest"]]) == [(0.0, 0.0), (80.0, 1.0), (120.0, 1.5)]


@pytest.mark.parametrize("column", ["currency", "unit_type", "pricing_model"])
def test_rates_compare_only_within_one_currency_unit_and_model(column):
    same = {"currency": "EUR", "unit_type": "HOUR", "is_active": booleans("yyyyy")}
    given = services(**{**same, column: text("A", "B", None, "A", "A")})
    rates = metrics.tier_rates(given, tiers(price_modifier_percent=0.0))
    lowest = rates.drop_duplicates("service_id")
    assert dict(zip(lowest["service"], lowest["times_lowest"], strict=True)) == {
        "Survey": 1.0,
        "Mapping": 1.0,
        "Filming": 1.0,
        "Events": 500 / 80,
    }


@pytest.mark.parametrize("column", ["currency", "unit_type", "pricing_model"])
def test_rates_compare_whatever_blanks_stand_around_their_currency_unit_and_model(column):
    same = {"currency": "EUR", "unit_type": "HOUR", "is_active": booleans("yyyyy")}
    given = services(**{**same, column: text("A ", "A", " ", None, "A")})
    rates = metrics.tier_rates(given, tiers(price_modifier_percent=0.0))
    each = rates.drop_duplicates("service_id")[["service", column, "times_lowest"]]
    assert rows(each) == [
        ("Mapping", "A", 100 / 80),
        ("Survey", "A", 1.0),
        ("Events", None, 1.0 if column == "currency" else 500 / 100),  # of which currency?
        ("Filming", None, 1.0),
    ]


def test_a_rate_has_the_digits_that_a_reader_gets_by_hand():
    given, of_tiers = one_service((1, 30.0, "n"))
    [rate] = metrics.tier_rates(given.assign(base_rate=0.95), of_tiers)["rate"]
    assert rate == 1.235


def test_a_tier_of_a_service_that_is_not_listed_is_kept_without_a_rate():
    frame = metrics.tier_rates(services().head(0), tiers().head(1))
    assert rows(frame[["service", "tier", "rate", "active"]]) == [(None, "Basic", None, None)]


@pytest.mark.slow
@pytest.mark.parametrize("metric", [metrics.tier_rates, metrics.price_flags])
def test_no_services_and_no_tiers_give_no_rows_and_the_same_dtypes(metric):
    whole = metric(services(), tiers())
    for given in ((services().head(0), tiers().head(0)), (services(), tiers().head(0))):
        frame = metric(*given)
        assert frame.empty
        assert frame.dtypes.equals(whole.dtypes)


def test_nulls_alone_give_no_rate_and_no_flag():
    none = {"tier_level": pd.array([None] * 10, "Int64"), "is_recommended": booleans("?" * 10)}
    given = tiers(**none, price_modifier_percent=float("nan"), is_active=booleans("?" * 10))
    assert metrics.tier_rates(services(), given)["rate"].isna().all()
    assert metrics.price_flags(services(), given).empty


def test_a_missing_column_is_named():
    with pytest.raises(fk.InvalidValue, match="tiers lacks tier_level"):
        metrics.tier_rates(services(), tiers().drop(columns="tier_level"))


# Flags


def test_each_flag_of_the_price_list_is_a_row_errors_first():
    frame = metrics.price_flags(services(), tiers())
    assert list(frame["severity"].cat.categories) == ["error", "question"]
    assert rows(frame.drop(columns="service_id")) == [
        ("Events", "Day", "inactive service", "error", "not active, but 1 tier is"),
        (
            "Filming", "Free", "modifier ≤ −100", "error",
            "1 tier is at −100 % or less, down to −100 %",
        ),
        ("Survey", "Night, Storm", "level twice", "error", "2 tiers are of level 2"),
        (
            "Mapping", "Few, Many", "modifier falls", "question",
            "from −20 % at level 1 to −40 % at level 3",
        ),
        ("Survey", "Night, Storm", "several recommended", "question", "2 tiers are recommended"),
    ]  # fmt: skip


def test_inactive_tiers_are_looked_at_where_they_are_asked_for():
    frame = metrics.price_flags(services(), tiers(), active=False)
    found = set(zip(frame["service"], frame["tiers"], frame["flag"], strict=True))
    assert ("Survey", "Night, Old, Storm", "level twice") in found
    assert ("Survey", "Basic, Night, Old, Storm", "modifier falls") in found
    assert ("Events", "Day, Night", "several recommended") in found


@pytest.mark.parametrize(
    ("modifiers", "words"),
    [
        ([0, 10, 20], None),
        ([5, 5, 5], None),
        ([0, None, 10], None),
        ([10, None, 0], "from 10 % at level 1 to 0 % at level 3"),
        ([0, 12.5, 10], "from 12.5 % at level 2 to 10 % at level 3"),
        ([30, 20, 10], "from 30 % at level 1 to 20 % at level 2, and 1 more"),
    ],
)
def test_a_modifier_falls_where_a_higher_level_has_less_than_the_one_below(modifiers, words):
    given = one_service(*((level, value, "n") for level, value in enumerate(modifiers, 1)))
    frame = metrics.price_flags(*given)
    assert list(frame["words"]) == ([words] if words else [])


def test_of_a_level_that_is_twice_the_modifier_falls_from_the_highest_to_the_lowest():
    tiers = [(1, 0.0, "n"), (1, 20.0, "n"), (1, None, "n"), (2, 10.0, "n"), (2, 30.0, "n")]
    frame = metrics.price_flags(*one_service(*tiers)).set_index("flag")
    assert frame.loc["modifier falls", "words"] == "from 20 % at level 1 to 10 % at level 2"


@pytest.mark.parametrize("name", [None, "", " ", "\u200b"])
def test_a_flag_calls_a_tier_without_a_name_by_its_id(name):
    given, of_tiers = one_service((1, 0.0, "n"), (1, 0.0, "n"))
    ids = of_tiers["tier_id"].tolist()
    named = of_tiers.assign(tier_name=pd.Series([name, name], dtype="str"))
    assert metrics.price_flags(given, named)["tiers"].tolist() == [", ".join(ids)]


def test_modifiers_of_one_level_do_not_fall():
    frame = metrics.price_flags(*one_service((1, 20.0, "n"), (1, 0.0, "n")))
    assert list(frame["flag"]) == ["level twice"]


@pytest.mark.parametrize(("modifier", "flags"), [(-99.99, 0), (-100.0, 1), (-250.0, 1)])
def test_a_modifier_that_leaves_nothing_of_the_price_is_an_error(modifier, flags):
    frame = metrics.price_flags(*one_service((1, modifier, "n")))
    assert list(frame["flag"]) == ["modifier ≤ −100"] * flags


@pytest.mark.parametrize(
    ("active", "flag"), [("n", "inactive service"), ("y", "level twice"), ("?", "level twice")]
)
def test_a_service_that_is_known_to_be_inactive_is_flagged_and_no_other_fault_of_its(active, flag):
    twice = one_service((1, 0.0, "n"), (1, 0.0, "n"), active=active)
    assert list(metrics.price_flags(*twice)["flag"]) == [flag]


# The chart


def test_the_chart_shows_from_where_to_where_the_rates_of_each_service_reach():
    ax = charts.tier_rates(metrics.tier_rates(services(), tiers()))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Mapping", "Survey", "Filming"]
    notes = [note.get_text() for note in ax.texts[:3]]
    assert notes == [
        "60.00 to 80.00 EUR per HOUR",
        "80.00 to 120.00 EUR per HOUR",
        "0.00 GBP per HOUR",
    ]
    # A price for each photo does not read as 0.
    of_one, of_tiers = one_service((1, 0.0, "n"), (2, -50.0, "n"))
    ax = charts.tier_rates(metrics.tier_rates(of_one.assign(base_rate=0.009), of_tiers))
    assert ax.texts[0].get_text() == "0.0045 to 0.0090 EUR per HOUR"


# The chapter


@pytest.mark.slow
def test_the_sentence_counts_services_rates_and_flags():
    rates, flags = (
        metric(services(), tiers()) for metric in (metrics.tier_rates, metrics.price_flags)
    )
    assert price_list(DAY, services(), tiers(), rates, flags) == (
        "As of 21 Nov 2026, 4 of 5 services have tiers; 6 of 7 active tiers have a rate; "
        "5 price flags, 3 of them errors."
    )


def test_the_sentence_says_that_there_are_no_tiers_and_no_services():
    rates, flags = (
        metrics.tier_rates(services(), tiers().head(0)),
        metrics.price_flags(services(), tiers().head(0)),
    )
    none = tiers().head(0)
    assert price_list(DAY, services(), none, rates, flags) == (
        "As of 21 Nov 2026, 0 of 5 services have tiers."
    )
    assert price_list(DAY, services().head(1), none, rates, flags) == (
        "As of 21 Nov 2026, 0 of 1 service has tiers."
    )
    assert price_list(DAY, services().head(0), none, rates, flags) == (
        "As of 21 Nov 2026, there is no service."
    )


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "1 of 1 service has tiers; 0 of 1 active tier has a rate; no price flag."),
        ("de", "1 von 1 Leistung hat Stufen; 0 von 1 aktiven Stufe hat einen Satz; "),
    ],
)
def test_the_verb_of_none_is_that_of_the_one_it_is_of(lang, said):
    of_one = {"service_id": ["svc_1"], "rate": [None]}
    service, tier, rate = (pd.DataFrame(of_one) for _ in range(3))
    no_flags = metrics.price_flags(services(), tiers().head(0))
    with language.using(lang):
        assert said in price_list(DAY, service, tier, rate, no_flags)


@pytest.mark.slow
def test_errors_are_one_line_of_low_attention_and_questions_are_none():
    flags = metrics.price_flags(services(), tiers())
    [line] = attention.prices(flags)
    assert (line["severity"], line["count"], line["text"]) == (
        "low",
        3,
        "3 services have prices that contradict themselves: Events (inactive service), "
        "Filming (modifier ≤ −100) and Survey (level twice)",
    )
    assert list(attention.prices(flags[flags["severity"] == "question"])) == []


def test_a_service_with_an_error_is_told_from_one_of_the_same_name_that_has_none():
    flags = pd.DataFrame(
        {"service_id": ["svc_1"], "service": "Survey", "flag": "level twice", "severity": "error"}
    )
    every = pd.DataFrame({"service_id": ["svc_1", "svc_2"], "name": "Survey"})
    [line] = attention.prices(flags, services=every)
    assert line["text"].endswith(": Survey (svc_1) (level twice)")


@pytest.mark.slow
def test_a_service_without_a_name_is_called_by_its_id_in_the_line_and_the_chart():
    nameless = services(name=text("Survey", "Mapping", " ", "Events", None))
    [line] = attention.prices(metrics.price_flags(nameless, tiers()))
    assert line["text"].endswith(
        ": svc_3 (modifier ≤ −100), Events (inactive service) and Survey (level twice)"
    )
    drawn = charts.tier_rates(metrics.tier_rates(nameless, tiers()))
    assert [label.get_text() for label in drawn.get_yticklabels()] == ["Mapping", "Survey", "svc_3"]


def write(path, of_services, of_tiers) -> None:
    """Write a mirror that holds nothing but services and tiers."""
    frames = {name: tables.empty(name) for name in schema.TABLES}
    for name, frame in (("services", of_services), ("tiers", of_tiers)):
        columns = {key: frame.get(key, frames[name][key]) for key in frames[name]}
        frames[name] = pd.DataFrame(columns, index=frame.index).astype(frames[name].dtypes)
    mirror.write(str(path), frames, source="here", tz="UTC", requests=0, missing={})


def chapter(tmp_path, of_services, of_tiers):
    write(tmp_path / "mirror", of_services, of_tiers)
    return made("pricing", mirror=str(tmp_path / "mirror"), period="2026-10", out=str(tmp_path))


@pytest.mark.slow
def test_the_chapter_shows_rates_with_their_formula_and_every_flag(tmp_path):
    changed = tiers(price_modifier_percent=[0.0, 25, 50, -50, -12.25, -40, -100, None, 0, 10])
    section = chapter(tmp_path, services(), changed)
    blocks = {block["name"]: block for block in section["blocks"]}
    assert "Assumed: rate = base rate × (1 + price modifier / 100)." in blocks["rates"]["caption"]
    assert [row["texts"] for row in blocks["rates"]["rows"]][:3] == [
        ["Mapping", "Few", "1", "−12.25", "100.00", "87.75", "EUR · HOUR"],
        ["Mapping", "Many", "3", "−40.00", "100.00", "60.00", "EUR · HOUR"],
        ["Survey", "Basic", "1", "0.00", "80.00", "80.00", "EUR · HOUR"],
    ]
    assert blocks["flags"]["of"] == 5
    # A price for each photo does not read as 0.
    small = chapter(tmp_path / "small", services(base_rate=[0.0045, *[100.0] * 4]), tiers())
    [rates] = [block["rows"] for block in small["blocks"] if block["name"] == "rates"]
    assert [row["texts"][4:6] for row in rates[2:4]] == [["0.0045", "0.0045"], ["0.0045", "0.0056"]]
    assert {(line["label"], line["text"]) for line in section["coverage"]} == {
        ("Services", "4 of 5"),
        ("Tier rates", "6 of 7"),
    }
    assert section["verdict"] == ""


@pytest.mark.slow
def test_a_price_list_without_tiers_is_said_to_have_none(tmp_path):
    section = chapter(tmp_path, services(), tiers().head(0))
    [sentence] = section["sentences"]
    assert sentence.endswith(", 0 of 5 services have tiers.")
    assert [block["rows"] for block in section["blocks"]] == [[], []]
    assert section["attention"] == []
