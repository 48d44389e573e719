"""The pipeline: five projects and their money, counted by hand.

======  ===========  ========  =====  ====  ==========  ==========
id      status       currency  price  cost  scheduled   updated
======  ===========  ========  =====  ====  ==========  ==========
proj_1  SCHEDULED    EUR        1000   600  2026-10-29  2026-10-01
proj_2  CONFIRMED    EUR        null   100  –           2026-10-28
proj_3  DELIVERED    GBP         500  null  2026-10-01  2026-10-21
proj_4  CONFIRMED    null        300   200  –           2026-10-29
proj_5  COMPLETED    EUR        3000  1400  2026-09-01  2026-09-05
======  ===========  ========  =====  ====  ==========  ==========
"""

import warnings
from functools import partial

import pandas as pd
import pytest
from a_notebook import made
from a_past import a_flight, write
from five_flights import days, rows, text

import fleetkit as fk
from fleetkit import metrics, mirror, schema, tables
from fleetkit.schema import PROJECT_STATUSES

AS_OF = "2026-10-31"


def projects(**changed: object) -> pd.DataFrame:
    """Return the table above, with some columns changed."""
    statuses = ["SCHEDULED", "CONFIRMED", "DELIVERED", "CONFIRMED", "COMPLETED"]
    frame = pd.DataFrame(
        {
            "project_id": text("proj_1", "proj_2", "proj_3", "proj_4", "proj_5"),
            "title": text("Quarry", "Bridge", "Roof", "Mast", "Dam"),
            "status": pd.Categorical(statuses, PROJECT_STATUSES, ordered=True),
            "currency": text("EUR", "EUR", "GBP", None, "EUR"),
            "agreed_price": [1000.0, None, 500.0, 300.0, 3000.0],
            "estimated_cost": [600.0, 100.0, None, 200.0, 1400.0],
            "client_account_name": text("Fjord", "Fjord", "Kirk", None, "Vann"),
            "assigned_pilot_name": text("Ada", None, "Bo", "Ada", "Bo"),
            "scheduled_date": days("2026-10-29", None, "2026-10-01", None, "2026-09-01"),
            "updated_at": days(
                "2026-10-01T09:00", "2026-10-28T09:00", "2026-10-21T09:00",
                "2026-10-29T09:00", "2026-09-05T09:00",
            ),
        }
    )  # fmt: skip
    return frame.assign(**changed)


def test_the_pipeline_has_a_row_per_status_and_currency_in_the_reference_s_order():
    frame = metrics.project_pipeline(projects())
    assert rows(frame[["status", "currency", "projects", "value", "priced"]]) == [
        ("CONFIRMED", "EUR", 1, None, 0),
        ("CONFIRMED", None, 1, 300.0, 1),
        ("SCHEDULED", "EUR", 1, 1000.0, 1),
        ("DELIVERED", "GBP", 1, 500.0, 1),
        ("COMPLETED", "EUR", 1, 3000.0, 1),
    ]


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_currency_of_blanks_is_none(blank):
    frame = projects(currency=text("EUR", blank, "GBP", None, "EUR"))
    of_confirmed = metrics.project_pipeline(frame).query("status == 'CONFIRMED'")
    assert rows(of_confirmed[["currency", "projects", "value"]]) == [(None, 2, 300.0)]
    open_ones = metrics.pipeline_totals(frame).query("group == 'open'")
    assert rows(open_ones[["currency", "projects"]]) == [("EUR", 1), ("GBP", 1), (None, 2)]


def test_a_client_of_blanks_is_none():
    given = projects(client_account_name=text("Fjord", "", " ", None, "Fjord")).head(4)
    given["currency"] = "EUR"
    shares = metrics.client_shares(given)[["client", "projects"]]
    assert sorted(rows(shares)) == [("Fjord", 1), ("Unassigned", 3)]
    counted = metrics.clients(given, flown(), AS_OF)[["client", "projects"]]
    assert sorted(rows(counted)) == [("Fjord", 1), ("Unassigned", 3)]


def test_a_currency_with_blanks_at_its_ends_is_the_same_currency():
    frame = projects(status="DRAFT", currency=text("EUR", "EUR ", " EUR", "EUR\n", "GBP"))
    pipeline = metrics.project_pipeline(frame)
    assert rows(pipeline[["currency", "projects"]]) == [("EUR", 4), ("GBP", 1)]
    totals = metrics.pipeline_totals(frame)
    assert rows(totals[["currency", "projects"]]) == [("EUR", 4), ("GBP", 1)]


def test_a_margin_counts_only_projects_with_both_price_and_cost():
    given = projects(status="DRAFT", currency="EUR")
    [row] = rows(metrics.project_pipeline(given)[["value", "cost", "margin", "margin_of"]])
    assert row == (4800.0, 2300.0, 400.0 + 100.0 + 1600.0, 3)


def test_the_weighted_value_uses_the_probabilities_that_are_given():
    given = {"SCHEDULED": 0.5, "DELIVERED": 1, "COMPLETED": 0}
    frame = metrics.project_pipeline(projects(), probabilities=given)
    assert rows(frame[["status", "weighted_value", "probability"]]) == [
        ("CONFIRMED", None, None),
        ("CONFIRMED", None, None),
        ("SCHEDULED", 500.0, 0.5),
        ("DELIVERED", 500.0, 1.0),
        ("COMPLETED", 0.0, 0.0),
    ]


@pytest.mark.parametrize("probability", [-0.01, 1.01, float("nan")])
def test_what_lies_outside_of_0_to_1_is_no_probability(probability):
    with pytest.raises(fk.InvalidValue, match=f"{probability} is not the probability of DRAFT"):
        metrics.project_pipeline(projects(), probabilities={"DRAFT": probability})


def test_a_status_outside_the_set_is_kept_and_comes_last():
    given = projects(status=text("PARKED", "DRAFT", "ON_HOLD", None, "ARCHIVED"), currency="EUR")
    frame = metrics.project_pipeline(given)
    assert list(frame["status"].astype(object).fillna("null")) == [
        "DRAFT",
        "ON_HOLD",
        "ARCHIVED",
        "PARKED",
        "null",
    ]
    assert list(frame["status"].cat.categories)[:9] == list(PROJECT_STATUSES)


def test_totals_group_the_statuses_and_never_add_currencies():
    assert rows(metrics.pipeline_totals(projects())) == [
        ("open", "EUR", 2, 1000.0, 1),
        ("open", "GBP", 1, 500.0, 1),
        ("open", None, 1, 300.0, 1),
        ("backlog", "EUR", 2, 1000.0, 1),
        ("backlog", None, 1, 300.0, 1),
        ("to invoice", "GBP", 1, 500.0, 1),
    ]


def test_invoiced_projects_await_payment_and_are_open():
    frame = metrics.pipeline_totals(projects(status="INVOICED", currency="EUR"))
    assert rows(frame) == [
        ("open", "EUR", 5, 4800.0, 4),
        ("awaiting payment", "EUR", 5, 4800.0, 4),
    ]


@pytest.mark.parametrize(
    ("status", "late"),
    [(status, status in {"DRAFT", "CONFIRMED", "SCHEDULED"}) for status in PROJECT_STATUSES],
)
def test_only_work_that_is_not_under_way_is_late(status, late):
    frame = metrics.late_projects(projects(status=status), AS_OF)
    assert list(frame["project_id"]) == (["proj_5", "proj_3", "proj_1"] if late else [])


def test_a_project_is_late_from_the_day_after_its_date():
    on_the_day = metrics.late_projects(projects(), "2026-10-29")
    assert on_the_day.empty
    day_after = metrics.late_projects(projects(), "2026-10-30")
    assert rows(day_after[["project_id", "days_late", "agreed_price", "currency"]]) == [
        ("proj_1", 1, 1000.0, "EUR")
    ]


def test_confirmed_work_without_a_date_is_stalled_after_three_days():
    frame = metrics.stalled_projects(projects(), AS_OF)
    assert rows(frame[["project_id", "days_untouched"]]) == [("proj_2", 3)]
    frame = metrics.stalled_projects(projects(), "2026-11-01")
    assert rows(frame[["project_id", "days_untouched"]]) == [("proj_2", 4), ("proj_4", 3)]
    assert metrics.stalled_projects(projects(scheduled_date=pd.Timestamp(0, tz="UTC")), AS_OF).empty


def test_delivered_work_can_be_invoiced():
    frame = metrics.to_invoice(projects(), AS_OF)
    columns = ["project_id", "days_since_updated", "agreed_price", "currency"]
    assert rows(frame[columns]) == [("proj_3", 10, 500.0, "GBP")]


def test_the_margin_percentage_is_a_ratio_of_sums():
    assert rows(metrics.margins(projects())) == [
        ("EUR", 3, 2, 4000.0, 2000.0, 2000.0, 50.0),  # the mean of 40 % and 53 % would be 47 %
        ("GBP", 1, 0, None, None, None, None),
        (None, 1, 1, 300.0, 200.0, 100.0, pytest.approx(100 / 3)),
    ]


def test_margins_by_client_and_status_stay_apart_by_currency():
    given = projects(client_account_name=text("Fjord", "Fjord", "Vann", None, "Fjord"))
    by_client = metrics.margins(given, by="client")
    assert rows(by_client[["client", "currency", "projects", "compared", "margin"]]) == [
        ("Fjord", "EUR", 3, 2, 2000.0),  # 400 and 1,600
        ("Vann", "GBP", 1, 0, None),
        ("Unassigned", None, 1, 1, 100.0),
    ]
    given = given.assign(project_type=text("SURVEY", "FILM", "SURVEY", "FILM", None))
    given["status"] = given["status"].astype("str")  # as other engines have it
    crossed = metrics.margins(given, by=["status", "project_type"])
    assert rows(crossed[["status", "project_type", "currency", "margin_percent"]]) == [
        ("CONFIRMED", "FILM", "EUR", None),
        ("CONFIRMED", "FILM", None, pytest.approx(100 / 3)),
        ("SCHEDULED", "SURVEY", "EUR", 40.0),
        ("DELIVERED", "SURVEY", "GBP", None),
        ("COMPLETED", None, "EUR", pytest.approx(160 / 3)),
    ]
    assert crossed.index.tolist() == [0, 1, 2, 3, 4]


def test_margins_by_pilot_are_of_the_one_that_is_assigned_and_those_of_nobody_come_last():
    given = projects(assigned_pilot_name=text("Zoe", "Zoe", "Bo", None, "Ada"))
    by_pilot = metrics.margins(given, by="pilot")
    assert rows(by_pilot[["pilot", "currency", "margin"]]) == [
        ("Ada", "EUR", 1600.0),
        ("Bo", "GBP", None),
        ("Zoe", "EUR", 400.0),
        ("Unassigned", None, 100.0),
    ]


def test_a_word_that_projects_have_not_is_refused_with_those_that_they_have():
    with pytest.raises(fk.InvalidValue, match=r"Did you mean client\?.*client, pilot, project_ty"):
        metrics.margins(projects(), by="clients")
    with pytest.raises(fk.InvalidValue, match="is not a word that projects are counted by"):
        metrics.margins(projects(), by=[])


@pytest.mark.parametrize(("price", "margin"), [(0.0, -2300.0), (-100.0, -2700.0)])
def test_a_margin_on_a_price_of_nothing_or_less_has_no_percentage(price, margin):
    frame = metrics.margins(projects(currency="EUR", agreed_price=price))
    assert rows(frame) == [("EUR", 5, 4, 4 * price, 2300.0, margin, None)]


@pytest.mark.slow
def test_the_completion_ratio_leaves_out_what_has_not_ended():
    given = projects(
        status=text("COMPLETED", "CANCELLED", "COMPLETED", "IN_PROGRESS", "DRAFT"),
        created_at=days(*["2026-08-31T23:30"] * 3, "2026-09-10T08:00", None),
    )
    assert rows(metrics.completion_ratio(given.head(1))) == [("2026-08", 1, 1, 0, 1.0)]
    assert rows(metrics.completion_ratio(given)) == [
        ("2026-08", 3, 2, 1, 2 / 3),
        ("2026-09", 1, 0, 0, None),
        (None, 1, 0, 0, None),
    ]
    assert list(metrics.completion_ratio(given, tz="Europe/London")["month"])[:1] == ["2026-09"]


# Also of proj_2, for which no time was flown.
PRICES = [1000.0, 400.0, 500.0, 300.0, 3000.0]


def flown() -> pd.DataFrame:
    """Return an hour for proj_1, two for proj_5, none for proj_2, half one for a stranger."""
    ids = text("proj_1", "proj_5", "proj_5", "proj_2", "proj_9", None)
    return pd.DataFrame({"project_id": ids, "duration_seconds": [3600, 3600, 3600, 0, 1800, 60]})


@pytest.mark.slow
def test_effort_is_flown_hours_and_price_per_hour_of_each_project():
    frame = metrics.project_effort(projects(agreed_price=PRICES), flown())
    assert rows(frame[["project_id", "title", "flights", "hours", "price_per_hour"]]) == [
        ("proj_5", "Dam", 2, 2.0, 1500.0),
        ("proj_1", "Quarry", 1, 1.0, 1000.0),
        ("proj_9", None, 1, 0.5, None),  # an id that no project has
        ("proj_2", "Bridge", 1, 0.0, None),
    ]


@pytest.mark.slow
def test_the_value_of_an_hour_is_a_ratio_of_sums_by_currency():
    assert rows(metrics.value_per_hour(projects(agreed_price=PRICES), flown())) == [
        ("EUR", 3, 2, 4000.0, 3.0, 4000 / 3),
        (None, 1, 0, None, None, None),
    ]


def test_the_value_of_an_hour_is_each_client_s_type_s_and_status_s_own_too():
    kinds = text("MAPPING", "ROOF", "ROOF", "ROOF", "MAPPING")
    measured = partial(metrics.value_per_hour, projects(project_type=kinds), flown())
    columns = ["currency", "projects", "price", "hours", "price_per_hour"]
    assert rows(measured("client")[["client", *columns]]) == [
        ("Fjord", "EUR", 2, 1000.0, 1.0, 1000.0),  # the hour of proj_1; proj_2 has no price
        ("Vann", "EUR", 1, 3000.0, 2.0, 1500.0),
        ("Unassigned", None, 1, None, None, None),  # an id that no project has
    ]
    assert rows(measured(["project_type"])[["project_type", *columns]]) == [
        ("MAPPING", "EUR", 2, 4000.0, 3.0, 4000 / 3),
        ("ROOF", "EUR", 1, None, None, None),
        (None, None, 1, None, None, None),
    ]
    pilots = projects(assigned_pilot_name=text("Zoe", "Zoe", "Bo", None, "Ada"))
    by_pilot = metrics.value_per_hour(pilots, flown(), by="pilot")
    assert rows(by_pilot[["pilot", "currency", "hours"]]) == [
        ("Ada", "EUR", 2.0),
        ("Zoe", "EUR", 1.0),
        ("Unassigned", None, None),
    ]
    assert measured("status")["status"].tolist()[:3] == ["CONFIRMED", "SCHEDULED", "COMPLETED"]


def test_clients_share_the_value_of_their_currency():
    frame = metrics.client_shares(projects())
    assert rows(frame[["currency", "client", "projects", "value", "share"]]) == [
        ("EUR", "Vann", 1, 3000.0, 0.75),
        ("EUR", "Fjord", 2, 1000.0, 0.25),
        ("GBP", "Kirk", 1, 500.0, 1.0),
        (None, "Unassigned", 1, 300.0, None),  # of prices that may be in several currencies
    ]


def test_a_client_or_pilot_who_is_called_unassigned_stands_apart_from_none_in_quotation_marks():
    given = projects(
        currency="EUR",
        client_account_name=text("Unassigned", "Unassigned", None, "Vann", "Vann"),
        assigned_pilot_name=text("Unassigned", "Unassigned", None, None, None),
        scheduled_date=days(*["2026-10-29"] * 5),
    )
    assert rows(metrics.client_shares(given)[["client", "projects", "value"]]) == [
        ("Vann", 2, 3300.0),
        ('"Unassigned"', 2, 1000.0),
        ("Unassigned", 1, 500.0),
    ]
    counted = metrics.clients(given, flown(), AS_OF).set_index("client")["projects"]
    assert counted.to_dict() == {"Vann": 2, '"Unassigned"': 2, "Unassigned": 1}
    assert rows(metrics.workload(given)) == [
        ('"Unassigned"', "2026-W44", 2),
        ("Unassigned", "2026-W44", 1),
    ]


def test_what_is_worth_nothing_or_less_in_all_has_no_shares():
    given = projects().assign(currency="EUR", agreed_price=[0.0, 0.0, -5.0, 5.0, 0.0])
    assert metrics.client_shares(given)["share"].isna().all()
    shares = metrics.client_shares(given.assign(agreed_price=[0.0, 0.0, 1.0, 0.0, 0.0]))
    assert rows(shares[["client", "share"]])[:2] == [("Kirk", 1.0), ("Fjord", 0.0)]


def test_beside_a_client_whose_value_is_below_0_nobody_has_a_share():
    given = projects().assign(currency=["EUR", "EUR", "EUR", "USD", "GBP"])
    given = given.assign(agreed_price=[900.0, 100.0, -500.0, None, 5.0])
    shares = metrics.client_shares(given)
    assert rows(shares[["currency", "client", "value", "share"]]) == [
        ("EUR", "Fjord", 1000.0, None),
        ("EUR", "Kirk", -500.0, None),
        ("GBP", "Vann", 5.0, 1.0),
        ("USD", "Unassigned", None, None),
    ]
    said = metrics.definitions("client_shares")["Client's share"]
    assert said.startswith("Agreed prices of the client's projects / those of all that are counted")
    assert metrics.clients(given, flown(), AS_OF)["share"].dropna().tolist() == [1.0]


@pytest.mark.slow
def test_an_assigned_pilot_of_blanks_is_none():
    given = projects(assigned_pilot_name=text("Ada", "", " ", None, "Ada")).head(4)
    given = given.assign(status="SCHEDULED", scheduled_date=pd.Timestamp("2026-11-24", tz="UTC"))
    assert rows(metrics.workload(given)) == [
        ("Ada", "2026-W48", 1),
        ("Unassigned", "2026-W48", 3),
    ]
    late = metrics.late_projects(given, "2026-11-30")["assigned_pilot_name"]
    assert sorted(late.dropna()) == ["Ada"]


@pytest.mark.slow
def test_workload_is_scheduled_work_of_the_backlog_by_pilot_and_week():
    given = projects(
        status=text("SCHEDULED", "CONFIRMED", "IN_PROGRESS", "CONFIRMED", "DRAFT"),
        scheduled_date=days("2026-10-29", "2026-10-29", "2027-01-01", None, "2026-10-29"),
        assigned_pilot_name=text("Zoe", None, "Bo", "Ada", "Ada"),
    )
    assert rows(metrics.workload(given)) == [
        ("Bo", "2026-W53", 1),
        ("Zoe", "2026-W44", 1),
        ("Unassigned", "2026-W44", 1),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "dtypes"),
    [
        (
            metrics.project_pipeline,
            "category str int64 float64 int64 float64 float64 int64 float64 float64",
        ),
        (metrics.pipeline_totals, "category str int64 float64 int64"),
        (metrics.margins, "str int64 int64 float64 float64 float64 float64"),
        (
            lambda given: metrics.late_projects(given, AS_OF),
            "str str category str str datetime64[us, UTC] Int64 float64 str",
        ),
        (metrics.client_shares, "str str int64 float64 int64 float64"),
        (metrics.workload, "str str int64"),
        (
            lambda given: metrics.clients(given, flown(), AS_OF),
            "str str int64 int64 float64 float64 int64 float64 float64 int64",
        ),
    ],
)
def test_no_projects_give_no_rows_and_the_same_dtypes(metric, dtypes):
    for given in (projects(), projects().iloc[:0]):
        frame = metric(given)
        assert " ".join(frame.dtypes.astype("str")) == dtypes
    assert frame.empty


def test_a_missing_column_is_named():
    with pytest.raises(fk.InvalidValue, match="projects lacks currency"):
        metrics.project_pipeline(projects().drop(columns="currency"))


@pytest.mark.slow
def test_a_client_s_row_holds_hours_value_and_what_waits_in_each_currency():
    work = flown().replace("proj_9", "proj_4")  # half an hour for one without a currency
    frame = metrics.clients(projects(), work, AS_OF)
    assert rows(frame) == [
        # client, currency, projects, flown, hours, value, priced, share, to invoice, late
        ("Vann", "EUR", 1, 1, 2.0, 3000.0, 1, 0.75, None, 0),
        ("Kirk", "GBP", 1, 0, 0.0, 500.0, 1, 1.0, 500.0, 0),
        ("Unassigned", None, 1, 1, 0.5, 300.0, 1, None, None, 0),
        ("Fjord", "EUR", 2, 2, 1.0, 1000.0, 1, 0.25, None, 1),
    ]


@pytest.mark.slow
def test_a_client_of_whose_flights_no_duration_is_known_has_no_hours():
    unknown = flown().assign(duration_seconds=pd.array([None] * 6, dtype="Int64"))
    frame = metrics.clients(projects(), unknown, AS_OF).set_index("client")
    assert list(frame["hours"].isna()[["Vann", "Fjord", "Kirk"]]) == [True, True, False]


@pytest.mark.slow  # sums up clients twice, and hours by client
def test_projects_that_a_concat_repeated_are_noticed_and_each_of_their_rows_counts():
    twice = pd.concat([projects(), projects().iloc[[0, 2]]])
    with pytest.warns(fk.Notice, match=r'such as proj_1: each .*\.drop_duplicates\("project_id"\)'):
        frame = metrics.clients(twice, flown(), AS_OF)
    fjord = frame[frame["client"] == "Fjord"]
    assert rows(fjord[["projects", "flown", "hours", "value"]]) == [(3, 3, 2.0, 2000.0)]
    kirk = frame[frame["client"] == "Kirk"]
    assert rows(kirk[["value", "to_invoice"]]) == [(1000.0, 1000.0)]
    with warnings.catch_warnings(action="error"):
        metrics.clients(twice.drop_duplicates("project_id"), flown(), AS_OF)
        metrics.flight_hours(flown(), by="client", projects=twice)  # where each counts once


def test_clients_without_a_value_come_last():
    given = projects(agreed_price=[None, None, 500.0, None, None])
    frame = metrics.clients(given, flown(), AS_OF)
    assert list(frame["client"]) == ["Kirk", "Fjord", "Unassigned", "Vann"]
    assert list(frame["value"].isna()) == [False, True, True, True]


@pytest.mark.slow
def test_a_key_without_flights_still_gives_the_chapter_on_projects(tmp_path):
    hidden = ("equipment", "flights", "flight_equipment", "specifications")
    frames = {name: tables.empty(name) for name in schema.TABLES if name not in hidden}
    missing = dict.fromkeys(hidden, "equipment:read")
    path = str(tmp_path / "mirror")
    mirror.write(path, frames, source="here", tz="UTC", requests=0, missing=missing)
    section = made("project_pipeline", mirror=path, period="2026-10", out=str(tmp_path))
    names = {block["name"] for block in section["blocks"]}
    assert "margins" in names
    assert names & {"clients", "per_hour"} == set()


@pytest.mark.slow
def test_work_in_hand_is_summed_up_beside_what_is_of_no_known_month_or_stage(tmp_path):
    work = [{"id": f"proj_{place}", "title": place, "status": "IN_PROGRESS"} for place in "abcdefg"]
    logs = [
        a_flight(place, "2026-10-05T09:00:00Z", 60, project={"id": project["id"], "title": ""})
        for place, project in enumerate(work)
    ]
    months = {"a_1": None, "b_1": "2026-08-31T22:30:00Z", "c_1": "2026-10-01"}
    ended = [{"id": name, "status": "COMPLETED", "createdAt": day} for name, day in months.items()]
    drafts = [{**project, "status": "DRAFT"} for project in work[:3]]
    write(tmp_path / "mirror", projects=drafts)
    work[0]["status"] = "PARKED"  # which the reference doesn't have
    write(tmp_path / "mirror", flights=[*logs, a_flight(9)], projects=[*work, *ended])
    given = {"mirror": str(tmp_path / "mirror"), "period": "2026-10", "out": str(tmp_path)}
    blocks = {block["name"]: block for block in made("project_pipeline", **given)["blocks"]}
    effort = blocks["effort"]
    assert (len(effort["rows"]), effort["of"]) == (5, 7)
    assert [row["texts"] for row in effort["totals"]] == [["Total", "7", "7.0"]]
    created = [row["texts"][0] for row in blocks["cohorts"]["rows"]]
    assert created == ["2026-10", "2026-08", "–"]
    drafted = blocks["conversions"]["rows"][0]["texts"]
    assert drafted == ["DRAFT", "3", "2", "0", "0", "0", "0", "1", "100.0 %"]
