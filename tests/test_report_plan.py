"""What chapters say of scheduled work, of shares, of contradictions and of maintenance."""

from datetime import UTC, date, datetime

import pandas as pd
import pytest
from conftest import BRIDGE

import fleetkit as fk
from fleetkit import reports
from fleetkit.settings import Settings

NOVEMBER = date(2026, 11, 4)  # a Wednesday of week 45


def work(*rows):
    return pd.DataFrame(rows, columns=["pilot", "week", "projects"])


def test_weeks_that_are_over_are_one_row_and_the_first():
    workload = work(("Ada", "2026-W45", 2), ("Bo", "2026-W44", 1), ("Bo", "2025-W50", 1))
    weeks = reports.weekly(workload, NOVEMBER)
    assert weeks.to_numpy().tolist() == [
        ["earlier", 2, "Bo 2"],
        ["W45, from 2 Nov 2026", 2, "Ada 2"],
    ]


def test_of_many_pilots_of_a_week_the_busiest_are_named():
    workload = work(*((f"Pilot {n}", "2027-W01", n) for n in range(1, 6)))
    [week] = reports.weekly(workload, NOVEMBER).to_numpy().tolist()
    assert week == ["W01, from 4 Jan 2027", 15, "Pilot 5 5, Pilot 4 4, Pilot 3 3 and 2 more"]


def test_pilots_of_equally_many_projects_are_named_by_the_alphabet():
    workload = work(("Cy", "2026-W45", 1), ("Ada", "2026-W45", 1), ("Bo", "2026-W45", 2))
    assert reports.weekly(workload, NOVEMBER)["pilots"].tolist() == ["Bo 2, Ada 1, Cy 1"]


def test_new_year_s_day_lies_in_the_week_that_began_in_december():
    workload = work(("Ada", "2026-W53", 1), ("Ada", "2027-W01", 1))
    weeks = reports.weekly(workload, date(2027, 1, 1))["week"].tolist()  # a Friday
    assert weeks == ["W53, from 28 Dec 2026", "W01, from 4 Jan 2027"]


def test_no_scheduled_work_has_no_week():
    assert reports.weekly(work(), NOVEMBER).empty


def test_the_largest_client_of_each_currency_is_named_and_further_currencies_counted():
    shares = pd.DataFrame(
        {
            "currency": ["EUR", "EUR", "NOK", "GBP", "USD", "SEK", None],
            "client": ["Fjord", "Kirk", "Kirk", "Kirk", "Kirk", "Kirk", "Fjord"],
            "projects": [3, 3, 4, 3, 2, 1, 9],
            "share": [0.25, 0.75, 1.0, 1.0, 1.0, 1.0, None],
        }
    )
    assert reports.largest_shares(shares) == (
        "Largest share: Kirk (75 % of EUR), Kirk (100 % of NOK), Kirk (100 % of GBP) and "
        "2 more currencies."
    )
    assert reports.largest_shares(shares.tail(1)) == ""
    assert reports.largest_shares(shares.head(1)) == ""  # a report on one client
    assert reports.largest_shares(shares.head(0)) == ""


def test_a_client_of_no_value_leaves_the_shares_and_one_below_0_takes_them_away():
    def said(*shares):
        rows = {"currency": "EUR", "client": ["Fjord", "Kirk"], "projects": 1, "share": shares}
        return reports.largest_shares(pd.DataFrame(rows))

    assert said(1.0, 0.0) == "Largest share: Fjord (100 % of EUR)."
    assert said(1.5, -0.5) == ""


def contradicting(count):
    return pd.DataFrame(
        {
            "equipment_id": [f"eq_{n}" for n in range(count)],
            "name": [f"Drone {n}" for n in range(count)],
            "contradiction": "is ACTIVE in condition POOR",
            "flights": pd.array([None] * count, "Int64"),
            "flight_ids": "",
        }
    )


def test_what_is_active_in_the_worst_condition_is_one_row_that_counts_it():
    [row] = reports.by_contradiction(contradicting(8)).to_dict("records")
    assert (row["pieces"], row["names"]) == (8, "Drone 0, Drone 1 and 6 more")
    assert row["equipment_ids"].endswith("eq_6, eq_7")


def test_contradicting_equipment_without_a_name_is_called_by_its_id():
    nameless = contradicting(3).assign(name=["Kestrel", " ", None])
    [row] = reports.by_contradiction(nameless).to_dict("records")
    assert row["names"] == "Kestrel, eq_1 and 1 more"


def test_contradicting_equipment_of_one_name_is_called_by_its_id_too():
    [row] = reports.by_contradiction(contradicting(3).assign(name="Kestrel")).to_dict("records")
    assert row["names"] == "Kestrel (eq_0), Kestrel (eq_1) and 1 more"


def test_what_flew_has_a_row_of_its_own_that_counts_the_flights_beyond_the_named():
    flew = contradicting(2).assign(contradiction="flew, and is LOST", flights=[30, 1])
    flew["flight_ids"] = ["fl_9, fl_8, fl_7", "fl_1"]
    rows = reports.by_contradiction(flew)[["names", "flights"]]
    assert rows.to_numpy().tolist() == [["Drone 0", "fl_9, fl_8 and 28 more"], ["Drone 1", "fl_1"]]
    assert reports.by_contradiction(contradicting(0)).empty


def test_the_note_says_where_service_intervals_are_set_or_whose_count():
    nothing = pd.DataFrame()
    assert "[service_intervals] in fleetkit.toml" in reports.upkeep_note(Settings(), nothing)
    several = {f"K{n}": {"days": 90} for n in range(5)}
    chosen = Settings(
        service_intervals=several, depreciation={"years": 4.0, "residual_percent": 12.5}
    )
    note = reports.upkeep_note(chosen, pd.DataFrame({"due": ["2026-11-04"]}))
    assert "by the intervals of K0, K1, K2 and 2 more." in note
    assert "over 4 years to 12.5 % of the cost" in note
    # That of the model wins, so K0's is used for none.
    pieces = pd.DataFrame({"type": ["K0", "K3"], "model": ["K1", "K9"]})
    note = reports.upkeep_note(chosen, pd.DataFrame({"due": ["2026-11-04"]}), pieces)
    assert "by the intervals of K1 and K3. Used for no equipment in service: K0, K2 and K4." in note
    one = Settings(depreciation={"years": 1})
    assert "over 1 year to 0 % of the cost" in reports.upkeep_note(one, nothing)
    assert "No equipment in service is of a type or model" in reports.upkeep_note(chosen, nothing)


def test_what_is_due_comes_first_then_aircraft_by_hours():
    names = {"equipment_id": ["c", "d", "e"], "name": ["Lens", "Kestrel", "Merlin"]}
    since = pd.DataFrame({**names, "hours_since": [9.0, 1.0, 2.0]})
    due = pd.DataFrame({"equipment_id": ["d"], "due": ["x"], "due_by": ["days"], "days_left": [4]})
    rows = reports.upkeep(since, due, pd.DataFrame(names), aircraft=["d", "e"])
    assert rows["name"].tolist() == ["Kestrel", "Merlin", "Lens"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", [None, "polars"])
def test_a_flight_after_the_data_were_fetched_is_no_project_s_and_no_pilot_s(
    serve_records, tiny_records, engine
):
    # Of three flights for the bridge the one of 1 October was half an hour, one without a date a
    # quarter; the other is of the 15th.
    tiny_records["flights"][3].update(flightDate=None, durationSeconds=900, project=BRIDGE)
    served = serve_records(tiny_records)
    with fk.connect(served.base_url, served.api_key, progress=False) as fleet:
        fleet._source._fetched_at = datetime(2026, 10, 10, tzinfo=UTC)
        flights = reports.flights_of(fleet, fleet.projects(), engine)
        effort = fk.metrics.collect(fk.metrics.flight_hours(flights, by="project"))
        of_pilots = fk.metrics.collect(reports.flights_of_pilots(fleet, engine))
    assert effort.to_numpy().tolist() == [["proj_bridge", 2, 0.75]]
    assert of_pilots["flight_date"].max() < datetime(2026, 10, 10, tzinfo=UTC)
