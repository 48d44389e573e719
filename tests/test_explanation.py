"""`fk.explain`: how a figure came about, where it is known, and an error where it isn't."""

import gc
import inspect
import pickle
from datetime import UTC, datetime
from pathlib import Path
from types import FunctionType

import pandas as pd
import polars as pl
import pytest
from five_flights import bridge, equipment, flights, projects

import fleetkit as fk
from fleetkit import origins
from fleetkit.columns import COLUMNS
from fleetkit.explanation import WORDS
from fleetkit.metrics._definitions import definitions_of

ALL = {name: getattr(fk.metrics, name) for name in fk.metrics.__all__}

ROWS = pd.DataFrame(
    {
        "flight_date": pd.to_datetime(["2026-10-01", "2026-10-02", None], utc=True),
        "duration_seconds": pd.array([3600, None, 1800], "Int64"),
    }
)


@pytest.fixture(scope="module")
def fleet(tiny):
    with fk.connect(tiny.base_url, tiny.api_key, tz="Europe/Oslo", progress=False) as opened:
        yield opened


def test_a_metric_s_result_says_what_it_means_and_how_far_its_rows_reach():
    explanation = fk.explain(fk.metrics.flight_hours(ROWS, by="month"))
    assert explanation.metric == "flight_hours"
    assert explanation.definition == fk.metrics.definitions("flight_hours")
    assert explanation.reference == "docs/api-reference.md, section 2.2"
    assert explanation.coverage.to_numpy().tolist() == [
        ["flights", "flight_date", 2, 3],
        ["flights", "duration_seconds", 2, 3],
    ]
    assert explanation.arguments == {"by": "month"}


def test_of_flights_with_dates_alone_it_is_said_that_no_zone_shifts_them():
    text = str(fk.explain(fk.metrics.flight_hours(ROWS, by="month", tz="America/New_York")))
    assert "America/New_York; flight dates are dates, which no zone shifts\n" in text
    timed = str(fk.explain(fk.metrics.flight_hours(flights(), by="month", tz="America/New_York")))
    assert "Time zone: America/New_York\n" in timed


def test_only_of_reports_it_is_said_that_equipment_out_of_service_is_left_out():
    retired = equipment().assign(status="RETIRED")
    for counted in (
        fk.metrics.registrations(retired, "2026-10-31"),
        fk.metrics.idle(retired, flights(), bridge(), "2026-10-31"),
    ):
        assert len(counted) == len(retired)
        [definition] = fk.explain(counted).definition.values()
        assert "in service" not in definition.partition(" In reports, ")[0]


@pytest.mark.parametrize(
    ("rows", "coverage"), [(1, "every row has what was read"), (0, "there are no rows")]
)
def test_of_no_rows_it_is_not_said_that_every_one_has_what_was_read(rows, coverage):
    explanation = fk.explain(fk.metrics.flight_hours(ROWS.head(rows), by="month"))
    assert f"Coverage: {coverage}" in str(explanation)


def test_the_rows_are_those_that_it_was_counted_from_though_they_are_changed_since():
    given = ROWS.copy()
    hours = fk.metrics.flight_hours(given, by="month")
    given.loc[:, "duration_seconds"] = 0
    explanation = fk.explain(hours)
    pd.testing.assert_frame_equal(explanation.rows, ROWS)
    explanation.rows["duration_seconds"] = None  # the reader's own
    assert explanation.coverage["used"].tolist() == [2, 2]


@pytest.mark.slow
def test_a_fleet_s_table_tells_filter_period_zone_and_moment(fleet):
    training = fleet.where(type="DRONE").flights("2026-10", flight_type="TRAINING")
    explanation = fk.explain(fk.metrics.flight_hours(training))
    assert explanation.filter == fk.Filter(type="DRONE", flight_type="TRAINING")
    assert (explanation.period, explanation.tz) == ("2026-10", "Europe/Oslo")
    assert explanation.fetched_at < datetime.now(UTC)
    again = fk.explain(fk.metrics.flight_hours(fleet.flights("2026-10")))
    assert again.fetched_at == explanation.fetched_at  # both are kept since then
    assert "Filter: none" in str(again)
    assert len(explanation.rows) == len(training) == 0  # the training flight is of 1 November


@pytest.mark.slow
def test_an_engine_s_table_tells_filter_period_and_moment_and_the_zone_of_what_counted_by_none(
    fleet,
):
    drones = fleet.where(type="DRONE")
    given = {"flights": drones.flights("2026-10", engine="polars"), "by": "month"}
    hours = fk.metrics.flight_hours(**given, tz="UTC")
    explanation = fk.explain(fk.metrics.collect(hours, tz=fleet.tz))
    assert (explanation.filter, explanation.period) == (drones.filter, "2026-10")
    assert (explanation.tz, explanation.fetched_at) == ("UTC", fleet.read_at)
    totals = fk.metrics.flight_totals(given["flights"])  # without any clock, of October in Oslo
    assert fk.explain(totals).tz == fk.explain(fk.metrics.collect(totals, tz="UTC")).tz == fleet.tz
    pairs = drones.flight_equipment("2026-10", engine="polars")
    records = {"equipment": fleet.equipment(), "projects": fleet.projects()}
    checks = fk.metrics.data_quality(given["flights"], pairs, **records, as_of="2026-11-20")
    assert fk.explain(checks).tz == "Europe/Oslo"  # that of the equipment, which has one


@pytest.mark.slow
def test_aircraft_told_by_a_month_s_flights_are_of_the_filter_of_both_tables(fleet):
    drones = fleet.where(type="DRONE")
    flown, pairs = drones.flights("2026-10"), drones.flight_equipment("2026-10")
    aircraft = fk.metrics.aircraft(drones.equipment(), pairs)
    explanation = fk.explain(fk.metrics.aircraft_hours(flown, pairs, aircraft))
    assert (explanation.filter, explanation.fetched_at) == (drones.filter, fleet.read_at)
    others = fk.metrics.aircraft(fleet.equipment(), pairs)  # of two filters
    assert fk.explain(fk.metrics.aircraft_hours(flown, pairs, others)).filter is None


@pytest.mark.slow
def test_of_a_part_of_a_table_filter_and_moment_are_not_known(fleet):
    rows = fleet.flights()
    explanation = fk.explain(fk.metrics.flight_hours(rows[rows["pilot_id"] == "prof_ada"]))
    assert (explanation.filter, explanation.period, explanation.fetched_at) == (None, "", None)
    assert len(explanation.rows) == 2  # fl_1 and fl_2
    assert explanation.tz == "Europe/Oslo"
    assert "Filter: not known" in str(explanation)


@pytest.mark.parametrize("narrowed", ["flights", "bridge"])
def test_of_two_tables_that_differ_filter_and_moment_are_told_of_each(fleet, narrowed):
    night = fleet.where(night=True)
    given = {"flights": fleet.flights(), "bridge": fleet.flight_equipment()}
    given[narrowed] = night.flights() if narrowed == "flights" else night.flight_equipment()
    explanation = fk.explain(fk.metrics.flight_hours(**given, by="equipment"))
    assert explanation.filter is None
    assert f"of {narrowed} {fk.Filter(night=True)!r}" in str(explanation)
    given[narrowed] = given[narrowed].head(1)  # a part of a table
    explanation = fk.explain(fk.metrics.flight_hours(**given, by="equipment"))
    assert (explanation.filter, explanation.fetched_at) == (None, None)
    assert f"of {narrowed} not known" in str(explanation)


@pytest.mark.slow
def test_the_period_that_a_metric_was_given_is_the_one_it_is_of(fleet):
    aircraft = fk.metrics.aircraft(fleet.equipment(), fleet.flight_equipment())
    flown = fleet.flights(), fleet.flight_equipment()
    for period in (" 2026-10", fleet.period("2026-10"), pd.Period("2026-10")):
        use = fk.metrics.utilisation(*flown, aircraft, period)
        assert fk.explain(use).period == "2026-10"
    assert fk.explain(use).reference == "docs/api-reference.md, section 2.1 and 2.2"
    assert fk.explain(use).filter == fk.Filter()  # that of what the aircraft were found by, too


@pytest.mark.slow
def test_of_equipment_and_its_flights_the_period_is_that_of_the_flights(fleet):
    pieces, pairs = fleet.equipment(), fleet.flight_equipment()
    october = fk.metrics.flown_while_expired(pieces, fleet.flights("2026-10"), pairs)
    assert fk.explain(october).period == "2026-10"
    some = fleet.flights("2026-10").head(2)  # of which days, nobody knows
    assert fk.explain(fk.metrics.flown_while_expired(pieces, some, pairs)).period == ""
    assert fk.explain(fk.metrics.equipment_condition(pieces)).period == "all days"


def test_the_zone_is_that_of_the_result_where_the_first_table_has_none():
    flown = flights()
    flown.attrs["tz"] = "Europe/Oslo"
    idle = fk.metrics.idle(equipment(), flown, bridge(), "2026-10-31")
    assert fk.explain(idle).tz == "Europe/Oslo"


def test_what_was_counted_of_sums_has_the_zone_that_these_were_counted_by():
    lazy = pl.from_pandas(flights()).lazy()
    rule = fk.settings.RecencyRule("2 flights in 90 days", days=90, flights=2)
    days = fk.metrics.flown_days(lazy, tz="Asia/Tokyo")
    explanation = fk.explain(fk.metrics.recency(days, rule, "2026-10-31"))
    assert explanation.tz == "Asia/Tokyo"
    assert "; as_of='2026-10-31'\n" in str(explanation)
    hours = fk.metrics.flight_hours(lazy, by="month", tz="Asia/Tokyo")
    assert fk.explain(fk.metrics.every_month(hours, "2026-10")).tz == "Asia/Tokyo"


def test_each_table_that_is_counted_of_flights_in_parts_is_of_the_rows_of_all_parts():
    parts = [(flights().head(2), bridge()), (flights().tail(3), bridge())]
    read = [origins.Read(name, fk.Filter(), datetime(2026, 11, 20, tzinfo=UTC)) for name in "ab"]
    for part, of in zip(parts, read, strict=True):
        for table in part:
            origins.remember(table, of)
    others = {"equipment": equipment(), "projects": projects(), "aircraft": equipment()}
    counted = fk.metrics.data_quality_of_parts(
        parts, periods=["2026-10"], as_of="2026-10-31", tz="Asia/Tokyo", **others
    )
    for explanation in map(fk.explain, counted):
        assert explanation.rows["flight_id"].tolist() == flights()["flight_id"].tolist()
        assert "4 of 5 flights have duration_seconds" in explanation.gaps
        assert (explanation.period, explanation.tz) == ("a, b", "Asia/Tokyo")
        assert set(explanation.definition) == {"Data quality", "Sound flight"}


def test_a_chart_is_explained_by_what_it_was_drawn_of():
    hours = fk.metrics.flight_hours(ROWS, by="month")
    for ax in (fk.charts.flight_hours(hours), fk.charts.flight_hours(title="Hours", hours=hours)):
        assert fk.explain(ax).metric == "flight_hours"


def test_both_frames_that_are_compared_and_sums_that_are_given_are_counted_as_what_they_are():
    before = flights()
    origins.remember(before, origins.Read("2026-09", fk.Filter(), datetime.now(UTC)))
    both = fk.metrics.contributions(flights().head(3), before, bridge(), equipment())
    assert "4 of 5 earlier flights have duration_seconds" in fk.explain(both).gaps
    assert "; of the earlier flights 2026-09\n" in str(fk.explain(both))
    hours = pd.DataFrame({"month": ["2026-09", "2026-10"], "flights": 1, "hours": [1.0, None]})
    months = fk.metrics.every_month(hours, "2026-10")
    assert fk.explain(months).gaps == ["1 of 2 rows of hours has hours"]


@pytest.mark.parametrize("kind", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_a_blank_in_a_column_of_names_is_no_value_as_in_the_metric(kind):
    projects = {"currency": ["EUR", " ", None], "agreed_price": 1.0, "estimated_cost": 1.0}
    margins = fk.metrics.collect(fk.metrics.margins(kind(pd.DataFrame(projects))))
    assert margins["projects"].tolist() == [1, 2]  # EUR, and without a currency
    explanation = fk.explain(fk.metrics.margins(kind(pd.DataFrame(projects))))
    assert explanation.gaps == ["1 of 3 projects has currency"]


def test_equipment_that_lacks_a_status_is_counted_in_pieces():
    pieces = {"equipment_id": ["eq_1", "eq_2"], "status": ["ACTIVE", None], "condition": "GOOD"}
    explanation = fk.explain(fk.metrics.equipment_condition(pd.DataFrame(pieces)))
    assert explanation.gaps == ["1 of 2 pieces of equipment has status"]


def test_a_row_version_lacks_a_status_and_not_its_end_where_it_is_current():
    at = pd.to_datetime(["2026-09-01T06:00Z", "2026-09-04T06:00Z", None])
    same = {"project_id": "proj_1", "title": "Roof", "client_account_name": "Fjord"}
    ends = {"valid_from": at[:2], "valid_to": at[1:]}
    versions = pd.DataFrame({**same, "status": ["DRAFT", None], **ends})
    explanation = fk.explain(fk.metrics.stage_moves(versions))
    assert explanation.gaps == ["1 of 2 row versions has status"]
    assert explanation.coverage.set_index("column").loc["valid_to", "used"] == 1


def test_a_lazy_frame_of_another_engine_is_explained_too():
    lazy = pl.from_pandas(flights()).lazy()
    explanation = fk.explain(fk.metrics.flight_hours(lazy, by="month"))
    assert len(explanation.rows) == 5
    assert explanation.coverage[["column", "used", "of"]].to_numpy().tolist() == [
        ["flight_date", 5, 5],
        ["duration_seconds", 4, 5],
    ]


def test_what_it_shows_of_itself_is_escaped():
    client = fk.Filter(client="<script>alert(1)</script>")
    rows = ROWS.copy()
    origins.remember(rows, origins.Read("2026-10", client, datetime(2026, 11, 20, tzinfo=UTC)))
    text = fk.explain(fk.metrics.flight_hours(rows, by="month"))._repr_html_()
    assert text.startswith("<table>")
    assert "&lt;script&gt;" in text
    assert "<script" not in text
    assert "Seconds in the logs / 3,600." in text
    assert "2 of 3 flights have duration_seconds" in text


def test_the_coverage_of_a_single_row_is_said_in_the_singular():
    explanation = fk.explain(fk.metrics.flight_hours(ROWS.iloc[1:2], by="month"))
    assert explanation.gaps == ["0 of 1 row of flights has duration_seconds"]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"month": ["2026-10"], "flights": [1], "hours": [1.0]}),
        fk.metrics.flight_hours(ROWS, by="month").head(1),
        pickle.loads(pickle.dumps(fk.metrics.flight_hours(ROWS, by="month"))),  # noqa: S301 - our own
        "2026-10",
        None,
        fk.charts.flight_hours(pd.DataFrame({"month": ["2026-10"], "flights": 1, "hours": 1.0})),
    ],
    ids=["another's", "a part", "a pickle", "a text", "nothing", "a chart of another's"],
)
def test_what_no_metric_returned_is_refused(frame):
    what = "what this chart draws" if hasattr(frame, "drawing") else f"this {type(frame).__name__}"
    with pytest.raises(fk.InvalidValue, match=rf"No metric .* {what}\. .* before it is filtered"):
        fk.explain(frame)


def test_a_fleet_s_table_is_no_figure(fleet):
    with pytest.raises(fk.InvalidValue, match="No metric is known"):
        fk.explain(fleet.flights())


@pytest.mark.slow
def test_rows_are_remembered_no_longer_than_the_result():
    gc.collect()
    before = len(origins._ORIGINS)
    hours = fk.metrics.flight_hours(ROWS, by="month")
    assert len(origins._ORIGINS) == before + 1
    del hours
    gc.collect()
    assert len(origins._ORIGINS) == before


def test_remembering_changes_nothing_that_frames_carry(fleet):
    hours = fk.metrics.flight_hours(fleet.flights(), by="month")
    assert hours.attrs == {"tz": "Europe/Oslo"}
    assert pd.concat([hours, hours]).attrs == {"tz": "Europe/Oslo"}


def test_functions_are_pickled_by_name():
    for function in (fk.metrics.flight_hours, fk.charts.pilots):
        assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301 - our own


def test_definitions_are_read_from_the_source_where_python_left_docstrings_out():
    documented = inspect.unwrap(fk.metrics.clients)
    stripped = FunctionType(documented.__code__, documented.__globals__)
    stripped.__doc__ = None  # as -OO has it
    assert definitions_of("own", {"own": stripped, **ALL}) == fk.metrics.definitions("clients")


def test_a_moment_is_shown_in_utc():
    made = fk.metrics.flight_hours(ROWS, by="month")
    explanation = fk.explain(made)
    read = origins.Read("2026-10", fk.Filter(), datetime(2026, 11, 20, 6, tzinfo=UTC))
    remembered = ROWS.copy()
    origins.remember(remembered, read)
    assert "Fetched: not known" in str(explanation)
    assert "Fetched: 2026-11-20 06:00 UTC" in str(fk.explain(fk.metrics.flight_hours(remembered)))


def test_in_another_language_a_column_has_its_words_beside_its_name():
    explanation = fk.explain(fk.metrics.flight_hours(ROWS, by="month", tz="Europe/Oslo"))
    with fk.language.using("de"):
        assert "2 von 3 (Flüge) mit Angabe: Dauer (duration_seconds)" in explanation.gaps


def test_every_column_that_may_be_null_and_that_a_metric_reads_has_words():
    folder = Path(fk.metrics.__file__).parent
    source = "".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    tables = [COLUMNS[name] for name in COLUMNS if name != "specifications"]
    columns = {column.name: column for table in tables for column in table}
    read = {name for name, column in columns.items() if f'"{name}"' in source}
    assert {name for name in read if columns[name].nulls != "never"} - {*WORDS} == set()
